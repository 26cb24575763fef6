//! Boundary and control problems from keywords: one, or many.

use extremal::{Optimization, Optimizations};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;
use crate::members::MemberOptions;
use crate::options::{method, sought};
use crate::solution::PySolution;
use crate::sweep::PyEnsemble;
use crate::watch::PythonWatch;

/// The solution of the problem that keywords ask for.
pub fn solved(
    py: Python<'_>,
    problem: Optimization,
    source: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<PySolution> {
    let mut progress = None;
    let problem = wished(problem, keywords, |key, value| {
        let known = key == "progress";
        if known {
            progress = Some(value.clone());
        }
        Ok(known)
    })?;
    let watch = PythonWatch::new(py, progress.as_ref())?;
    Ok(PySolution::of(watch.over(py, source, |watch| problem.run_with(watch))?))
}

/// The solutions of the many problems that keywords ask for.
pub fn solved_many(
    py: Python<'_>,
    problem: Optimization,
    source: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyEnsemble> {
    let (problems, members) = many(problem, keywords)?;
    let watch = PythonWatch::new(py, members.progress.as_ref())?;
    let file = members.file;
    let done = watch.over(py, source, |watch| match &file {
        Some(path) => problems.write_with(path, watch),
        None => problems.run_with(watch),
    })?;
    Ok(PyEnsemble::of(done))
}

/// How many members there are of the many problems that keywords ask for.
pub fn counted_problems(py: Python<'_>, problem: Optimization, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
    let (problems, _) = many(problem, keywords)?;
    py.detach(|| problems.count()).map_err(|error| raised(py, &error, ""))
}

fn many<'py>(
    problem: Optimization,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Optimizations, MemberOptions<'py>)> {
    let (mut members, mut starts) = (MemberOptions::default(), 0);
    let problem = wished(problem, keywords, |key, value| {
        match key {
            "starts" => starts = value.extract()?,
            _ => return members.takes(key, value),
        }
        Ok(true)
    })?;
    Ok((members.applied_to(problem.many().starts(starts))?, members))
}

/// The problem that keywords ask for; those that are not of a problem are left to `other`, which says whether it knows them.
fn wished<'py>(
    mut problem: Optimization,
    keywords: Option<&Bound<'py, PyDict>>,
    mut other: impl FnMut(&str, &Bound<'py, PyAny>) -> PyResult<bool>,
) -> PyResult<Optimization> {
    for (key, value) in keywords.into_iter().flatten() {
        let key: String = key.extract()?;
        if other(&key, &value)? {
            continue;
        }
        problem = match key.as_str() {
            "steps" | "method" | "refine" | "seek" | "tolerance" | "start_from" if value.is_none() => problem,
            "steps" => problem.steps(value.extract()?),
            "method" => problem.method(method(&value.str()?.to_string())?),
            "refine" => problem.refine(value.extract()?),
            "seek" => problem.seek(sought(&value.extract::<String>()?)?),
            "tolerance" => problem.tolerance(value.extract()?),
            "start_from" => problem.start_from(value.cast::<PySolution>()?.get().solution()),
            _ => return Err(PyTypeError::new_err(format!("there is no option `{key}` here"))),
        };
    }
    Ok(problem)
}

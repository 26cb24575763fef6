//! How steps are taken, from keywords.

use std::fmt::Display;
use std::str::FromStr;

use extremal::{Method, Seek, Simulation, Sweep};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What was said of the steps; what was not is that of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepOptions {
    method: Option<String>,
    step: Option<f64>,
    from: Option<f64>,
    until: Option<f64>,
    steps: Option<u64>,
    start: Option<String>,
    entropy: Option<String>,
    constraints: Option<String>,
    project: Option<bool>,
    singular: Option<String>,
    tolerance: Option<f64>,
    reduce: Option<Vec<String>>,
    at: Option<Vec<f64>>,
    sensitivity: Option<Vec<String>>,
}

impl StepOptions {
    /// Reads keywords; those that are not of steps are left to `other`, which says whether it knows them.
    pub fn read<'py>(
        keywords: Option<&Bound<'py, PyDict>>,
        mut other: impl FnMut(&str, &Bound<'py, PyAny>) -> PyResult<bool>,
    ) -> PyResult<StepOptions> {
        let mut options = StepOptions::default();
        for (key, value) in keywords.into_iter().flatten() {
            let key: String = key.extract()?;
            match key.as_str() {
                "method" => options.method = Some(value.str()?.to_string()).filter(|_| !value.is_none()),
                "step" => options.step = value.extract()?,
                "start_time" => options.from = value.extract()?,
                "until" => options.until = value.extract()?,
                "steps" => options.steps = value.extract()?,
                "start" => options.start = value.extract()?,
                "entropy" => options.entropy = value.extract()?,
                "constraints" => options.constraints = value.extract()?,
                "project" => options.project = value.extract()?,
                "singular" => options.singular = value.extract()?,
                "tolerance" => options.tolerance = value.extract()?,
                "reduce" => options.reduce = value.extract()?,
                "at" => options.at = value.extract()?,
                "sensitivity" => options.sensitivity = value.extract()?,
                _ if other(&key, &value)? => {}
                _ => return Err(PyTypeError::new_err(format!("there is no option `{key}` here"))),
            }
        }
        if options.until.is_some() && options.steps.is_some() {
            return Err(PyValueError::new_err("`until` and `steps` both say where it ends: give one of them"));
        }
        Ok(options)
    }
}

/// A choice by its name.
fn chosen<T: FromStr<Err: Display>>(text: &str) -> PyResult<T> {
    text.parse().map_err(|error: T::Err| PyValueError::new_err(error.to_string()))
}

/// A method by its name.
pub fn method(text: &str) -> PyResult<Method> {
    chosen(text)
}

/// What is looked for, by its name.
pub fn sought(text: &str) -> PyResult<Seek> {
    match text {
        "any" => Ok(Seek::Any),
        "minimum" => Ok(Seek::Minimum),
        "stationary" => Ok(Seek::Stationary),
        other => {
            let message = format!("`{other}` cannot be sought: it is \"any\", \"minimum\" or \"stationary\"");
            Err(PyValueError::new_err(message))
        }
    }
}

macro_rules! apply {
    ($apply:ident, $to:ty) => {
        impl StepOptions {
            /// The same with these options.
            pub fn $apply(&self, mut to: $to) -> PyResult<$to> {
                if let Some(text) = &self.method {
                    to = to.method(method(text)?);
                }
                if let Some(step) = self.step {
                    to = to.step(step);
                }
                if let Some(time) = self.from {
                    to = to.from(time);
                }
                if let Some(time) = self.until {
                    to = to.until(time);
                }
                if let Some(steps) = self.steps {
                    to = to.steps(steps);
                }
                if let Some(text) = &self.start {
                    to = to.start(chosen(text)?);
                }
                if let Some(text) = &self.entropy {
                    to = to.entropy(chosen(text)?);
                }
                if let Some(text) = &self.constraints {
                    to = to.constraints(chosen(text)?);
                }
                if let Some(project) = self.project {
                    to = to.project(project);
                }
                if let Some(text) = &self.singular {
                    to = to.singular(chosen(text)?);
                }
                if let Some(tolerance) = self.tolerance {
                    to = to.tolerance(tolerance);
                }
                if let Some(names) = &self.reduce {
                    to = to.reduce(names.clone());
                }
                Ok(to)
            }
        }
    };
}

apply!(simulated, Simulation);
apply!(swept, Sweep);

impl StepOptions {
    /// The simulation with these options.
    pub fn simulation(&self, to: Simulation) -> PyResult<Simulation> {
        let mut to = self.simulated(to)?;
        if let Some(times) = &self.at {
            to = to.at(times);
        }
        if let Some(names) = &self.sensitivity {
            to = to.sensitivity(&names.iter().map(String::as_str).collect::<Vec<_>>());
        }
        Ok(to)
    }

    /// The sweep with these options.
    pub fn sweep(&self, to: Sweep) -> PyResult<Sweep> {
        match (&self.at, &self.sensitivity) {
            (None, None) => self.swept(to),
            _ => Err(PyTypeError::new_err("`at` and `sensitivity` are options of a run, not of a sweep")),
        }
    }
}

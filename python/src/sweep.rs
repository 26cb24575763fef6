//! Ensembles.

use extremal::{Distribution, Ensemble, Record, Sweep};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};

use crate::columns::{LentTable, lent};
use crate::errors::raised;
use crate::members::MemberOptions;
use crate::options::StepOptions;
use crate::run::unknown;
use crate::watch::PythonWatch;
use crate::{as_python, written_in_python};

/// What random values are drawn from: `normal(mean, deviation)` or `uniform(low, high)`.
#[pyclass(frozen, eq, name = "Distribution", module = "extremal")]
#[derive(Clone, PartialEq)]
pub struct PyDistribution {
    distribution: Distribution,
}

impl PyDistribution {
    /// What it is to the library.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }
}

#[pymethods]
impl PyDistribution {
    fn __repr__(&self) -> String {
        match self.distribution {
            Distribution::Normal { mean, deviation } => format!("normal({mean}, {deviation})"),
            Distribution::Uniform { from, to } => format!("uniform({from}, {to})"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (f64, f64))> {
        let (name, numbers) = match self.distribution {
            Distribution::Normal { mean, deviation } => ("normal", (mean, deviation)),
            Distribution::Uniform { from, to } => ("uniform", (from, to)),
        };
        Ok((py.import("extremal")?.getattr(name)?, numbers))
    }
}

/// Gauss's distribution with this mean and standard deviation.
///
/// >>> import extremal as ex
/// >>> ex.normal(0, 0.1)
/// normal(0, 0.1)
#[pyfunction]
pub fn normal(mean: f64, deviation: f64) -> PyResult<PyDistribution> {
    if !(deviation > 0.0 && deviation.is_finite() && mean.is_finite()) {
        return Err(PyValueError::new_err(format!("the standard deviation must be positive, not {deviation}")));
    }
    Ok(PyDistribution { distribution: Distribution::Normal { mean, deviation } })
}

/// Every value between both ends is as likely.
#[pyfunction]
pub fn uniform(low: f64, high: f64) -> PyResult<PyDistribution> {
    if !(low.is_finite() && high.is_finite()) {
        return Err(PyValueError::new_err("the ends of a range must be finite"));
    }
    Ok(PyDistribution { distribution: Distribution::Uniform { from: low, to: high } })
}

/// The sweep that keywords ask for, run.
pub fn swept<'py>(
    py: Python<'py>,
    sweep: Sweep,
    source: &str,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<PyEnsemble> {
    let (sweep, members) = wished(sweep, keywords)?;
    let watch = PythonWatch::new(py, members.progress.as_ref())?;
    let file = members.file;
    let done = watch.over(py, source, |watch| match &file {
        Some(path) => sweep.write_with(path, watch),
        None => sweep.run_with(watch),
    })?;
    Ok(PyEnsemble::of(done))
}

/// How many members the sweep has that keywords ask for.
pub fn counted(py: Python<'_>, sweep: Sweep, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
    let (sweep, _) = wished(sweep, keywords)?;
    py.detach(|| sweep.count()).map_err(|error| raised(py, &error, ""))
}

/// The sweep that keywords ask for, and what is not part of it.
fn wished<'py>(sweep: Sweep, keywords: Option<&Bound<'py, PyDict>>) -> PyResult<(Sweep, MemberOptions<'py>)> {
    let mut members = MemberOptions::default();
    let (mut kept, mut every, mut device) = (None::<String>, None, None::<String>);
    let options = StepOptions::read(keywords, |key, value| {
        match key {
            "record" => kept = value.extract()?,
            "every" => every = value.extract()?,
            "device" => device = value.extract()?,
            _ => return members.takes(key, value),
        }
        Ok(true)
    })?;
    let sweep = members.applied_to(options.sweep(sweep)?)?;
    let sweep = sweep.record(record(kept.as_deref(), every)?);
    let on_gpus = match device.as_deref() {
        None | Some("cpu") => false,
        Some("gpu") => true,
        Some("auto") => extremal::has_gpus(),
        Some(other) => {
            let message = format!("`{other}` does not march members: the device is \"cpu\", \"gpu\" or \"auto\"");
            return Err(PyValueError::new_err(message));
        }
    };
    Ok((if on_gpus { sweep.on_gpus() } else { sweep }, members))
}

fn record(name: Option<&str>, every: Option<u64>) -> PyResult<Record> {
    match (name, every) {
        (None | Some("end"), None) => Ok(Record::End),
        (Some("extremes"), None) => Ok(Record::Extremes),
        (Some("events"), None) => Ok(Record::Events),
        (Some("all"), every) => Ok(Record::All { every: every.unwrap_or(1).max(1) }),
        (None | Some("end" | "extremes" | "events"), Some(_)) => {
            Err(PyValueError::new_err("`every` goes with record=\"all\""))
        }
        (Some(other), _) => {
            let message = format!("`{other}` cannot be recorded: it is \"end\", \"extremes\", \"events\" or \"all\"");
            Err(PyValueError::new_err(message))
        }
    }
}

/// An ensemble that has ended: rows by member, columns by name.
///
/// >>> import extremal as ex
/// >>> e = ex.gallery("harmonic-oscillator").sweep(vary={"x": (0.5, 1.5, 3)}, until=1)
/// >>> e["x(0)"].tolist()
/// [0.5, 1.0, 1.5]
/// >>> e.members, e.failed, e.status
/// (3, 0, ['finished', 'finished', 'finished'])
#[pyclass(frozen, name = "Ensemble", module = "extremal")]
pub struct PyEnsemble {
    ensemble: Ensemble,
}

impl PyEnsemble {
    pub fn of(ensemble: Ensemble) -> PyEnsemble {
        PyEnsemble { ensemble }
    }

    fn words(&self, name: &str) -> Vec<Option<&str>> {
        let words = self.ensemble.words(name).unwrap_or_default();
        words.iter().map(|word| word.as_deref()).collect()
    }
}

#[pymethods]
impl PyEnsemble {
    /// The names of the columns of numbers; the start of what varied is `x(0)`.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.ensemble.columns().collect::<Vec<_>>())
    }

    /// A column by its name, as a NumPy array without a copy; it cannot be written to.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match slf.get().ensemble.column(name) {
            Some(numbers) => lent(numbers, slf.clone().into_any()),
            None => Err(unknown(name, slf.get().ensemble.columns())),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.ensemble.column(name).is_some()
    }

    /// How many rows there are in memory.
    fn __len__(&self) -> usize {
        self.ensemble.numbers().map_or(0, <[i64]>::len)
    }

    /// The number of the member that each row belongs to, from 0.
    #[getter]
    fn member<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        lent(slf.get().ensemble.numbers().unwrap_or_default(), slf.clone().into_any())
    }

    /// How each member ended: `finished`, `stopped` or `failed`; of boundary problems as `Solution.status` says, or `refused`.
    #[getter]
    fn status<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.words("status"))
    }

    /// Why it stopped or failed, where it did.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.words("reason"))
    }

    /// What there is a warning of, where there is one.
    #[getter]
    fn warning<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.words("warning"))
    }

    /// How many members there are.
    #[getter]
    fn members(&self) -> u64 {
        self.ensemble.members()
    }

    /// How many of them could not go on.
    #[getter]
    fn failed(&self) -> u64 {
        self.ensemble.failed()
    }

    /// How many of them there is a warning of.
    #[getter]
    fn warned(&self) -> u64 {
        self.ensemble.warned()
    }

    /// All that `extremal sweep --json` or `extremal solve --json` prints of it, as a dictionary.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.ensemble)
    }

    /// As a polars.DataFrame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// As a pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_arrays", "to_pandas")?.call1((slf,))
    }

    /// As a pyarrow.LentTable.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The Arrow PyCapsule interface: the member, numbers without a copy, words.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let mut table = LentTable::of(self.ensemble.clone());
        table.integers("member", self.ensemble.numbers().unwrap_or_default());
        for name in self.ensemble.columns() {
            table.lend(name, |ensemble| ensemble.column(name));
        }
        for name in self.ensemble.word_columns() {
            table.words(name, self.words(name).into_iter());
        }
        table.capsule(py)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_display", "ensemble")?.call1((slf,))
    }

    fn __repr__(&self) -> String {
        let Self { ensemble } = self;
        format!("<Ensemble of {} members, {} failed>", ensemble.members(), ensemble.failed())
    }
}

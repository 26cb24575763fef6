//! Runs that have ended, their states and drifts.

use extremal::{Drift, Run, State};
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};

use crate::columns::{LentTable, lent};
use crate::errors::raised;
use crate::{as_python, shown, written_in_python};

/// A run that has ended: columns of numbers by name, and what is to be said of it.
///
/// >>> import extremal as ex
/// >>> r = ex.gallery("pendulum").run(step=0.01, until=1)
/// >>> r
/// <Run of Pendulum: 100 steps, finished, 5 columns>
/// >>> r.columns
/// ('t', 'theta', "theta'", 'p_theta', 'energy')
/// >>> len(r["theta"]), r.end["t"]
/// (101, 1.0)
#[pyclass(frozen, name = "Run", module = "extremal")]
pub struct PyRun {
    run: Run,
}

impl PyRun {
    pub fn of(run: Run) -> PyRun {
        PyRun { run }
    }
}

/// How far a quantity departed from its first value, over all steps.
///
/// >>> import extremal as ex
/// >>> drift = ex.gallery("pendulum").run(method="galerkin(2)").energy
/// >>> 0 < drift.max_drift < 1e-3
/// True
#[pyclass(frozen, name = "Drift", module = "extremal")]
pub struct PyDrift {
    drift: Drift,
}

#[pymethods]
impl PyDrift {
    /// The first value.
    #[getter]
    fn first(&self) -> Option<f64> {
        self.drift.first()
    }

    /// The last value.
    #[getter]
    fn last(&self) -> Option<f64> {
        self.drift.last()
    }

    /// The largest departure from the first value.
    #[getter]
    fn max_drift(&self) -> f64 {
        self.drift.max_drift()
    }

    /// The largest departure in parts of the first value; `None` where that is zero.
    #[getter]
    fn relative(&self) -> Option<f64> {
        self.drift.relative()
    }

    /// What a straight line through all values gains from the first to the last time.
    #[getter]
    fn trend(&self) -> Option<f64> {
        self.drift.trend()
    }

    fn __repr__(&self) -> String {
        format!("<Drift: at most {:.3e}>", self.drift.max_drift())
    }
}

/// A state as a dictionary of its columns.
pub fn state<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
    let numbers = PyDict::new(py);
    state.columns().zip(state.row()).try_for_each(|(name, value)| numbers.set_item(name, value))?;
    Ok(numbers)
}

#[pymethods]
impl PyRun {
    /// The names of the columns: time, coordinates, velocities `x'`, momenta `p_x`, energy and so on.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.run.columns().collect::<Vec<_>>())
    }

    /// The times of the rows, as a NumPy array without a copy.
    #[getter]
    fn t<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let run = &slf.get().run;
        let times = run.columns().next().and_then(|time| run.column(time));
        lent(times.unwrap_or_default(), slf.clone().into_any())
    }

    /// A column by its name, as a NumPy array without a copy; it cannot be written to.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match slf.get().run.column(name) {
            Some(numbers) => lent(numbers, slf.clone().into_any()),
            None => Err(unknown(name, slf.get().run.columns())),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.run.column(name).is_some()
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.run.columns().next().and_then(|time| self.run.column(time)).map_or(0, <[f64]>::len)
    }

    /// The names of the columns, as a dictionary has keys.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.columns(py)
    }

    /// The last state, a dictionary by column.
    #[getter]
    fn end<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        state(py, &self.run.end())
    }

    /// Steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.run.steps()
    }

    /// How far the energy departed from its first value.
    #[getter]
    fn energy(&self) -> PyDrift {
        PyDrift { drift: self.run.energy().clone() }
    }

    /// The energy, declared invariants and momenta of symmetries, each with its drift.
    #[getter]
    fn drifts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let drifts = PyDict::new(py);
        for (name, drift) in self.run.drifts() {
            drifts.set_item(name, PyDrift { drift: drift.clone() })?;
        }
        Ok(drifts)
    }

    /// The `[stop]` condition that ended it.
    #[getter]
    fn stopped_by(&self) -> Option<&str> {
        self.run.stopped_by()
    }

    /// What should be known before the numbers are believed.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.run.warnings().to_vec()
    }

    /// All that `extremal run --json` prints of it, as a dictionary.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.run)
    }

    /// Writes the rows, as .csv, .json or .parquet.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| self.run.save(path)).map_err(|error| raised(py, &error, ""))
    }

    /// The picture that `extremal run --plot` draws, as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.run.plot().svg())
    }

    /// Writes the picture, as .svg or .png.
    fn save_plot(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| self.run.plot().save(path)).map_err(|error| raised(py, &error, ""))
    }

    /// A matplotlib figure of the columns of these names against time, or of coordinates and energy (extremal[plot]).
    #[pyo3(signature = (*names), text_signature = "($self, *names)")]
    fn plot<'py>(slf: &Bound<'py, Self>, names: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_plot", "figure")?.call1((slf, names))
    }

    /// An animation of bodies, for a notebook or a file that works offline; each body is the names of its x and y, or x, y and z.
    ///
    /// >>> import extremal as ex
    /// >>> film = ex.gallery("kepler").run(until=5).animate(("x", "y"))
    /// >>> "<canvas" in film.html
    /// True
    #[pyo3(signature = (*bodies, **options), text_signature = "($self, *bodies, trail=200, seconds=None, width=480)")]
    fn animate<'py>(
        slf: &Bound<'py, Self>,
        bodies: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_animation", "animated")?.call((slf, bodies), options)
    }

    /// As a polars.DataFrame, without a copy.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// As a pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_arrays", "to_pandas")?.call1((slf,))
    }

    /// As a pyarrow.LentTable, without a copy.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The Arrow PyCapsule interface: what takes Arrow tables takes runs.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let mut table = LentTable::of(self.run.clone());
        for name in self.run.columns() {
            table.lend(name, |run| run.column(name));
        }
        table.capsule(py)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_display", "run")?.call1((slf,))
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_display", "run_line")?.call1((slf,))
    }
}

/// There is no such column.
pub fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> PyErr {
    PyKeyError::new_err(format!("there is no column `{name}`: the columns are {}", shown(known)))
}

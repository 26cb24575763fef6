//! Solutions of boundary and control problems.

use extremal::Solution;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::columns::{LentTable, lent};
use crate::errors::raised;
use crate::run::unknown;
use crate::{as_python, written_in_python};

/// A solution over its grid: columns of numbers by name, and what is to be said of it.
///
/// >>> import extremal as ex
/// >>> s = ex.gallery("double-integrator").solve(steps=100)
/// >>> s.status, round(s.objective, 4), len(s["u"])
/// ('optimal', 6.0006, 101)
#[pyclass(frozen, name = "Solution", module = "extremal")]
pub struct PySolution {
    solution: Solution,
}

impl PySolution {
    pub fn of(solution: Solution) -> PySolution {
        PySolution { solution }
    }

    pub fn solution(&self) -> &Solution {
        &self.solution
    }
}

#[pymethods]
impl PySolution {
    /// How it ended: `optimal`, `stationary`, ... or why it is none.
    #[getter]
    fn status(&self) -> &'static str {
        self.solution.status().name()
    }

    /// The cost, or the action.
    #[getter]
    fn objective(&self) -> f64 {
        self.solution.objective()
    }

    /// The duration.
    #[getter]
    fn duration(&self) -> f64 {
        self.solution.duration()
    }

    /// What is not known of it, or speaks against it, in words.
    #[getter]
    fn doubts(&self) -> Vec<String> {
        self.solution.doubts().to_vec()
    }

    /// The names of the columns.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.solution.columns().collect::<Vec<_>>())
    }

    /// The instants of the grid, as a NumPy array without a copy.
    #[getter]
    fn t<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let solution = &slf.get().solution;
        let times = solution.columns().next().and_then(|time| solution.column(time));
        lent(times.unwrap_or_default(), slf.clone().into_any())
    }

    /// A column by its name, as a NumPy array without a copy; it cannot be written to.
    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match slf.get().solution.column(name) {
            Some(numbers) => lent(numbers, slf.clone().into_any()),
            None => Err(unknown(name, slf.get().solution.columns())),
        }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.solution.column(name).is_some()
    }

    fn __len__(&self) -> usize {
        self.solution.columns().next().and_then(|time| self.solution.column(time)).map_or(0, <[f64]>::len)
    }

    /// All that `extremal solve --json` prints of it, as a dictionary.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.solution)
    }

    /// Writes it, as .csv, .json or .parquet.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| self.solution.save(path)).map_err(|error| raised(py, &error, ""))
    }

    /// Its picture as SVG.
    fn svg(&self, py: Python<'_>) -> String {
        py.detach(|| self.solution.plot().svg())
    }

    /// A matplotlib figure of the columns of these names against time (extremal[plot]).
    #[pyo3(signature = (*names), text_signature = "($self, *names)")]
    fn plot<'py>(slf: &Bound<'py, Self>, names: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_plot", "figure")?.call1((slf, names))
    }

    /// As a polars.DataFrame, without a copy.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// As a pandas.DataFrame.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_arrays", "to_pandas")?.call1((slf,))
    }

    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let mut table = LentTable::of(self.solution.clone());
        for name in self.solution.columns() {
            table.lend(name, |solution| solution.column(name));
        }
        table.capsule(py)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        written_in_python(slf.py(), "_display", "solution")?.call1((slf,))
    }

    fn __repr__(&self) -> String {
        format!("<Solution: {}, objective {}>", self.status(), self.objective())
    }
}

//! The compiled half of the Python package `extremal`: the public library, as Python sees it.
//!
//! What only arranges, draws or converts is written in Python beside it (`python/extremal`).

mod columns;
mod errors;
mod function;
mod members;
mod model;
mod motion;
mod options;
mod run;
mod solution;
mod solve;
mod sweep;
mod watch;

use pyo3::prelude::*;

/// The compiled half of `extremal`.
#[pymodule]
mod _extremal {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::function::PyFunction;
    #[pymodule_export]
    use crate::model::{PyCompiled, PyModel};
    #[pymodule_export]
    use crate::motion::{PyMotion, PyStream};
    #[pymodule_export]
    use crate::run::{PyDrift, PyRun};
    #[pymodule_export]
    use crate::solution::PySolution;
    #[pymodule_export]
    use crate::sweep::{PyDistribution, PyEnsemble, normal, uniform};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The names of the built-in models.
    #[pyfunction]
    fn gallery_names() -> Vec<&'static str> {
        extremal::Model::gallery_names().collect()
    }

    /// Puts the files of some members each together to the file that one sweep of all would have written, byte for byte; returns
    /// how many members there are.
    ///
    /// `parts` are paths of files that `Model.sweep(..., members=..., file=...)` or shards with a `folder` have left.
    #[pyfunction]
    fn merge(py: Python<'_>, parts: Vec<std::path::PathBuf>, file: std::path::PathBuf) -> PyResult<u64> {
        py.detach(|| extremal::merge_parts(&parts, &file)).map_err(|error| crate::errors::raised(py, &error, ""))
    }

    /// The built-in model of this name, with other values of its parameters if some are given.
    ///
    /// >>> import extremal as ex
    /// >>> ex.gallery("kepler").name
    /// 'Kepler problem'
    /// >>> ex.gallery("pendulum", l=2).parameters["l"]
    /// 2.0
    #[pyfunction]
    #[pyo3(signature = (name, **parameters))]
    fn gallery(name: &str, parameters: Option<&Bound<'_, pyo3::types::PyDict>>) -> PyResult<super::model::PyModel> {
        super::model::gallery(name, parameters)
    }
}

/// A name that Python shows for a value: numbers as they are written.
fn shown<T: std::fmt::Display>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

/// A Python object of one of the modules written in Python.
fn written_in_python<'py>(py: Python<'py>, module: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(format!("extremal.{module}").as_str())?.getattr(name)
}

/// Data of the library as Python has it: dictionaries, lists, numbers.
fn as_python<'py>(py: Python<'py>, data: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text =
        serde_json::to_string(data).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    py.import("json")?.getattr("loads")?.call1((text,))
}

//! Errors of the library as Python exceptions (`extremal.errors`).

use extremal::{Diagnostic, Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::run::PyRun;
use crate::solution::PySolution;
use crate::sweep::PyEnsemble;
use crate::written_in_python;

/// The exception of an error. `source` is the text that its diagnostics point into.
pub fn raised(py: Python<'_>, error: &Error, source: &str) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = match error.kind() {
            ErrorKind::Model => "ModelError",
            ErrorKind::Settings => "SettingsError",
            ErrorKind::Singular => "SingularError",
            ErrorKind::Motion => "MotionError",
            ErrorKind::Unsolved => "UnsolvedError",
            ErrorKind::Interrupted => "InterruptedError",
            ErrorKind::File => "FileError",
            ErrorKind::Device => "DeviceError",
            _ => "UnsupportedError",
        };
        let exception = written_in_python(py, "errors", class)?.call1((error.to_string(),))?;
        if error.kind() == ErrorKind::Model {
            exception.setattr("diagnostics", diagnostics(py, error.diagnostics(), source)?)?;
        }
        attach(&exception, error)?;
        Ok(PyErr::from_value(exception))
    };
    made().unwrap_or_else(|failure| failure)
}

/// An exception from Python itself (Ctrl-C, a callback) with what was there when it came.
pub fn interrupted(py: Python<'_>, raised: PyErr, error: &Error) -> PyErr {
    match attach(raised.value(py).as_any(), error) {
        Ok(()) => raised,
        Err(failure) => failure,
    }
}

/// What an error keeps, as `partial`.
fn attach(exception: &Bound<'_, PyAny>, error: &Error) -> PyResult<()> {
    let py = exception.py();
    if let Some(run) = error.partial() {
        exception.setattr("partial", Py::new(py, PyRun::of(run.clone()))?)?;
    } else if let Some(ensemble) = error.ensemble() {
        exception.setattr("partial", Py::new(py, PyEnsemble::of(ensemble.clone()))?)?;
    } else if let Some(solution) = error.solution() {
        exception.setattr("partial", Py::new(py, PySolution::of(solution.clone()))?)?;
    }
    Ok(())
}

/// What is wrong or odd with a model, each as `extremal.errors.Diagnostic`.
pub fn diagnostics<'py>(py: Python<'py>, found: &[Diagnostic], source: &str) -> PyResult<Bound<'py, PyList>> {
    let class = written_in_python(py, "errors", "Diagnostic")?;
    let place = |at: usize| {
        let before = &source[..source.floor_char_boundary(at)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    };
    let list = PyList::empty(py);
    for diagnostic in found {
        let severity = format!("{:?}", diagnostic.severity).to_lowercase();
        let labels: Vec<_> =
            diagnostic.labels.iter().map(|label| (place(label.span.start), label.text.as_str())).collect();
        list.append(class.call1((severity, &diagnostic.message, &diagnostic.help, labels))?)?;
    }
    Ok(list)
}

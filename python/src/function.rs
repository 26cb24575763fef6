//! Compiled functions of the state.

use std::sync::{Mutex, PoisonError};

use extremal::StateFunction;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::raised;
use crate::{shown, written_in_python};

/// Expressions of a model, compiled: from time, state and controls to numbers (see `Model.function`).
///
/// Called with a number or an array for each input it gives an array with a row for each output; called with a run, or anything
/// with columns by name, it gives the values along it.
///
/// >>> import extremal as ex
/// >>> f = ex.gallery("harmonic-oscillator", k=4, m=1).function("x'", "x''")
/// >>> f.inputs
/// ('t', 'x', "x'")
/// >>> f(0.0, 3.0, 2.0).tolist()
/// [2.0, -12.0]
#[pyclass(frozen, name = "Function", module = "extremal")]
pub struct PyFunction {
    function: Mutex<StateFunction>,
}

impl PyFunction {
    pub fn of(function: StateFunction) -> PyFunction {
        PyFunction { function: Mutex::new(function) }
    }

    fn look<T>(&self, at: impl FnOnce(&mut StateFunction) -> T) -> T {
        at(&mut self.function.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyFunction {
    /// What it is a function of, in order: time, positions, velocities, entropies and states, controls.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.look(|function| function.inputs().to_vec()))
    }

    /// What it computes.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.look(|function| function.outputs().to_vec()))
    }

    /// The outputs at these values of the inputs, which are broadcast against each other.
    #[pyo3(signature = (*inputs))]
    fn __call__<'py>(slf: &Bound<'py, Self>, inputs: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        // A right-hand side is called with numbers, over and over.
        if let Ok(point) = inputs.extract::<Vec<f64>>() {
            let values = slf.get().look(|function| function.evaluate(&point));
            return Ok(PyArray1::from_vec(py, values.map_err(|error| raised(py, &error, ""))?).into_any());
        }
        written_in_python(py, "_arrays", "broadcast")?.call1((slf, inputs))
    }

    /// One column of numbers for each input, one for each output.
    fn _columns<'py>(
        &self,
        py: Python<'py>,
        inputs: Vec<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let columns = inputs.iter().map(|column| Ok(column.as_slice()?)).collect::<PyResult<Vec<&[f64]>>>()?;
        let over = py.detach(|| self.look(|function| function.over(&columns)));
        let over = over.map_err(|error| raised(py, &error, ""))?;
        Ok(over.into_iter().map(|column| PyArray1::from_vec(py, column)).collect())
    }

    fn __repr__(&self) -> String {
        self.look(|f| format!("<Function of {}: {}>", shown(f.inputs().iter()), shown(f.outputs().iter())))
    }
}

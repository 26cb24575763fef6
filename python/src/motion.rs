//! Motions that go on for as long as they are asked to, and runs row by row.

use std::sync::{Mutex, PoisonError};

use extremal::{Motion, Stream};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::raised;
use crate::run::{PyRun, state};
use crate::watch::PythonWatch;

/// A motion on its way, compiled once: it takes as many steps as it is asked to, and its parameters can be changed in between.
///
/// >>> import extremal as ex
/// >>> motion = ex.gallery("pendulum").march(step=0.01)
/// >>> motion.advance(100)
/// >>> motion.set(l=1.5)
/// >>> motion.advance(100)
/// >>> motion.steps, round(motion.t, 9)
/// (200, 2.0)
#[pyclass(frozen, name = "Motion", module = "extremal")]
pub struct PyMotion {
    motion: Mutex<Motion>,
    names: Vec<String>,
}

/// Steps between two looks at Python, in a motion that is asked for many.
const STEPS_BETWEEN_LOOKS: u64 = 512;

impl PyMotion {
    pub fn of(motion: Motion) -> PyMotion {
        let names = motion.state().columns().map(str::to_owned).collect();
        PyMotion { motion: Mutex::new(motion), names }
    }

    fn look<T>(&self, at: impl FnOnce(&mut Motion) -> T) -> T {
        at(&mut self.motion.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyMotion {
    /// Takes so many steps, or fewer where a `[stop]` condition ends it.
    #[pyo3(signature = (steps=1))]
    fn advance(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        if steps <= STEPS_BETWEEN_LOOKS {
            // Letting Python go would take longer than a step.
            let few = || self.look(|motion| motion.advance(steps));
            let done = if steps == 1 { few() } else { py.detach(few) };
            return done.map_err(|error| raised(py, &error, ""));
        }
        let mut watch = PythonWatch::new(py, None)?;
        let advanced = py.detach(|| {
            self.look(|motion| {
                let mut left = steps;
                while left > 0 && motion.stopped_by().is_none() {
                    let now = left.min(STEPS_BETWEEN_LOOKS);
                    motion.advance(now)?;
                    left -= now;
                    if watch.look(steps - left, Some(steps)).is_break() {
                        break;
                    }
                }
                Ok::<(), extremal::Error>(())
            })
        });
        advanced.map_err(|error| raised(py, &error, ""))?;
        watch.finish()
    }

    /// Gives parameters other values from now on; nothing is compiled again. Positions, momenta and entropies stay.
    #[pyo3(signature = (**parameters))]
    fn set(&self, py: Python<'_>, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        for (name, value) in parameters.into_iter().flatten() {
            let (name, value): (String, f64) = (name.extract()?, value.extract()?);
            self.look(|motion| motion.set_parameter(&name, value)).map_err(|error| raised(py, &error, ""))?;
        }
        Ok(())
    }

    /// The value of a parameter now.
    fn parameter(&self, name: &str) -> Option<f64> {
        self.look(|motion| motion.parameter(name))
    }

    /// Where it is, a dictionary by column.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.look(|motion| state(py, &motion.state()))
    }

    /// The number in a column now.
    fn __getitem__(&self, name: &str) -> PyResult<f64> {
        let place = self.names.iter().position(|known| known == name);
        let value = place.and_then(|place| self.look(|motion| motion.row().get(place).copied()));
        value.ok_or_else(|| crate::run::unknown(name, self.names.iter().map(String::as_str)))
    }

    /// The time.
    #[getter]
    fn t(&self) -> f64 {
        self.look(|motion| motion.row().first().copied().unwrap_or(f64::NAN))
    }

    /// Steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.look(|motion| motion.steps())
    }

    /// The `[stop]` condition that has ended it.
    #[getter]
    fn stopped_by(&self) -> Option<String> {
        self.look(|motion| motion.stopped_by().map(str::to_owned))
    }

    /// What should be known before the numbers are believed.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.look(|motion| motion.warnings())
    }

    fn __repr__(&self) -> String {
        self.look(|motion| format!("<Motion at t = {} after {} steps>", motion.row()[0], motion.steps()))
    }
}

/// The states of a run one after the other, each computed when it is asked for.
///
/// >>> import extremal as ex
/// >>> for state in ex.gallery("pendulum").stream(step=0.01):
/// ...     if state["theta"] < 1.9:
/// ...         break
/// >>> state["t"] > 0
/// True
#[pyclass(frozen, name = "Stream", module = "extremal")]
pub struct PyStream {
    stream: Mutex<Option<Stream>>,
}

impl PyStream {
    pub fn of(stream: Stream) -> PyStream {
        PyStream { stream: Mutex::new(Some(stream)) }
    }
}

#[pymethods]
impl PyStream {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        match stream.as_mut().and_then(Iterator::next) {
            Some(Ok(now)) => state(py, &now).map(Some),
            Some(Err(error)) => Err(raised(py, &error, "")),
            None => Ok(None),
        }
    }

    /// The run as far as it was asked for: drifts, warnings, the last state. Its rows are not kept.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<PyRun>> {
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner).take();
        stream.map(|stream| stream.finish().map(PyRun::of).map_err(|error| raised(py, &error, ""))).transpose()
    }
}

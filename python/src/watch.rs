//! Ctrl-C and progress, while Python is let go.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use extremal::{Error, Observer, Progress};
use pyo3::prelude::*;

use crate::errors::{interrupted, raised};
use crate::written_in_python;

/// Between two looks at Python.
const LOOK: Duration = Duration::from_millis(50);

/// Looks now and then whether Python wants to stop, and tells a callback how far a task is.
pub struct PythonWatch {
    last: Instant,
    callback: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl PythonWatch {
    /// `progress` is `True` for a line on the terminal, or a function of what is done and of all, which may not be known.
    pub fn new(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<PythonWatch> {
        let callback = match progress {
            None => None,
            Some(wanted) if wanted.is_callable() => Some(wanted.clone().unbind()),
            Some(wanted) if wanted.is_truthy()? => Some(written_in_python(py, "_progress", "line")?.call0()?.unbind()),
            Some(_) => None,
        };
        Ok(PythonWatch { last: Instant::now(), callback, raised: None })
    }

    /// Does the task with Python let go, and raises what came up.
    pub fn over<T: Send>(
        mut self,
        py: Python<'_>,
        source: &str,
        task: impl FnOnce(&mut PythonWatch) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| task(&mut self));
        let ended = self.callback.as_ref().map(|callback| callback.bind(py).hasattr("close"));
        if let (Some(Ok(true)), Some(callback)) = (ended, &self.callback) {
            callback.call_method0(py, "close")?;
        }
        done.map_err(|error| match self.raised.take() {
            Some(exception) => interrupted(py, exception, &error),
            None => raised(py, &error, source),
        })
    }

    /// Does Python want to stop?
    pub fn look(&mut self, done: u64, total: Option<u64>) -> ControlFlow<()> {
        if self.last.elapsed() < LOOK {
            return ControlFlow::Continue(());
        }
        self.last = Instant::now();
        let asked = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) => callback.call1(py, (done, total)).map(|_| ()),
                None => Ok(()),
            }
        });
        match asked {
            Ok(()) => ControlFlow::Continue(()),
            Err(exception) => {
                self.raised = Some(exception);
                ControlFlow::Break(())
            }
        }
    }

    /// Raises what Python wanted, if it did.
    pub fn finish(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

impl Observer for &mut PythonWatch {
    fn progress(&mut self, progress: Progress) -> ControlFlow<()> {
        self.look(progress.done, progress.total)
    }
}

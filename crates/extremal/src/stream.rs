//! A run that is asked for row by row.

use extremal_engine::Recorder;
use extremal_engine::run::{End, Execution};

use crate::{Error, ErrorKind, Run, State};

/// The rows of a run, each computed when it is asked for: the numbers, stops and warnings are those of [`Simulation::run`].
///
/// A motion that cannot go on ends with an error, which is the last item.
///
/// ```
/// use extremal::Model;
/// let simulation = Model::gallery("pendulum")?.simulate().until(1.0);
/// let mut stream = simulation.stream()?;
/// let theta: Vec<f64> = stream.by_ref().map(|state| Ok(state?.q("theta"))).collect::<Result<_, extremal::Error>>()?;
/// assert_eq!(theta, simulation.run()?["theta"]);
/// assert!(stream.finish()?.energy().max_drift() < 1e-2);
/// # Ok::<(), extremal::Error>(())
/// ```
///
/// [`Simulation::run`]: crate::Simulation::run
pub struct Stream {
    run: extremal_engine::CompiledRun,
    execution: Execution,
    recorder: Recorder,
    failed: bool,
}

impl Stream {
    pub(crate) fn of(run: extremal_engine::CompiledRun, recorder: Recorder) -> Stream {
        Stream { execution: run.start(), run, recorder, failed: false }
    }

    /// The run as far as it was asked for: drifts, warnings, the last state. Its rows are not kept.
    ///
    /// # Errors
    /// A file cannot be written, or the motion could not go on.
    pub fn finish(mut self) -> Result<Run, Error> {
        let outcome = self.execution.finish(&mut self.recorder)?;
        self.recorder.finish()?;
        let run = Run::of(&self.run, &outcome, &self.recorder, Vec::new());
        match outcome.end {
            End::Interrupted => Ok(run),
            end => run.ended(&end),
        }
    }
}

impl Iterator for Stream {
    type Item = Result<State, Error>;

    fn next(&mut self) -> Option<Result<State, Error>> {
        match self.execution.advance(&mut self.recorder) {
            Ok(true) => Some(Ok(State::new(self.run.columns(), self.execution.row().to_vec()))),
            Ok(false) => {
                let outcome = self.execution.outcome()?;
                let End::Failed(failure) = &outcome.end else { return None };
                let run = || Run::of(&self.run, outcome, &self.recorder, Vec::new());
                let error = || Error::of_run(ErrorKind::Motion, failure.to_string(), run());
                (!std::mem::replace(&mut self.failed, true)).then(|| Err(error()))
            }
            Err(error) => (!std::mem::replace(&mut self.failed, true)).then(|| Err(error.into())),
        }
    }
}

//! Going on from the last row of a run, as if it had not ended.

use extremal_solve::StartValues;
use thiserror::Error;

use super::blocks::ColumnSource;
use super::{Compiled, CompiledRun};
use crate::boundary::SolutionTable;

/// Where a run goes on.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    /// Steps that were taken before.
    pub steps: u64,
    pub values: StartValues,
    pub state: Vec<f64>,
}

/// Why a run does not go on from the last row of a file.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum RestartError {
    #[error("the file has no column `{column}`, which the next step needs: write all columns")]
    Missing { column: String },
    #[error("`{column}` is no number in the last row")]
    NotFinite { column: String },
    #[error(
        "the last row, at t = {time}, is not at the end of a step of {step} from t = {from}: take the step and the start that the file was \
         written with"
    )]
    BetweenSteps { time: f64, step: f64, from: f64 },
    #[error("the file goes to t = {time} already, and the run ends at {end}: end later")]
    Ended { time: f64, end: f64 },
    #[error("`{method}` goes on from more than a row says: its steps depend on those before")]
    Method { method: String },
    #[error("derivatives of a motion begin with it: ask for them from the start")]
    Derivatives,
}

/// A row this part of a step from the end of one is at its end.
const ROUNDING: f64 = 1e-6;

impl CompiledRun {
    /// The run from the last row of a file on that it, or one like it, has written. Steps are counted from its own start, so that times are
    /// the same; where steps are explicit, so is every other bit. [`notes`](CompiledRun::notes) say if they are not.
    ///
    /// # Errors
    /// See [`RestartError`].
    pub fn restarted(&self, table: &SolutionTable) -> Result<CompiledRun, RestartError> {
        let method = || RestartError::Method { method: self.method.to_string() };
        let Compiled::Scheme(_) = &*self.compiled else { return Err(method()) };
        let scheme = self.scheme.as_deref().ok_or_else(method)?;
        if self.sensitivity.is_some() {
            return Err(RestartError::Derivatives);
        }
        let Some(last) = table.rows.last() else { return Err(RestartError::Missing { column: "t".to_owned() }) };
        let observables = &*self.observables;
        let value = |column: usize| {
            let name = observables.columns[column].name();
            let Some(place) = table.names.iter().position(|own| own == name) else {
                return Err(RestartError::Missing { column: name.to_owned() });
            };
            match last[place] {
                value if value.is_finite() => Ok(value),
                _ => Err(RestartError::NotFinite { column: name.to_owned() }),
            }
        };
        let sources = ColumnSource::of_all(observables);
        let n = observables.coordinates;
        let mut state = vec![f64::NAN; scheme.state.len()];
        let mut velocities = vec![0.0; n];
        for (column, source) in sources.into_iter().enumerate() {
            match source {
                ColumnSource::State(at) => state[at] = value(column)?,
                // Momenta or velocities, whichever the method carries.
                ColumnSource::Observed(at) if at < 2 * n => {
                    let carried = scheme.state.iter().position(|symbol| *symbol == scheme.observe.outputs[at]);
                    if let Some(place) = carried {
                        state[place] = value(column)?;
                    }
                    if at < n {
                        velocities[at] = value(column)?;
                    }
                }
                ColumnSource::Time | ColumnSource::Observed(_) | ColumnSource::Estimate => {}
            }
        }
        if state.iter().any(|value| value.is_nan()) {
            return Err(method());
        }
        let (time, from, step) = (last[0], self.plan.from, self.plan.step);
        let count = (time - from) / step;
        let steps = count.round();
        if steps < 0.0 || (count - steps).abs() > ROUNDING {
            return Err(RestartError::BetweenSteps { time, step: step.abs(), from });
        }
        if steps as u64 >= self.planned_steps() {
            return Err(RestartError::Ended { time, end: self.plan.end() });
        }
        let mut run = self.clone();
        let mut values = self.start.values.clone();
        values.q.copy_from_slice(&state[observables.state().positions()]);
        values.v.copy_from_slice(&velocities);
        values.s.copy_from_slice(&state[observables.state().entropies()]);
        values.time = from;
        run.start.values = StartValues { time, ..values.clone() };
        run.reached = Some(Reached { steps: steps as u64, values, state });
        Ok(run)
    }

    /// Steps that were taken before it began.
    pub(super) fn steps_before(&self) -> u64 {
        self.reached.as_ref().map_or(0, |reached| reached.steps)
    }

    /// What a run that goes on from a row should know.
    pub(super) fn note_of_restart(&self) -> Option<String> {
        self.reached.as_ref()?;
        let Compiled::Scheme(scheme) = &*self.compiled else { return None };
        let explicit = scheme.structure().unknowns == 0;
        let alone = scheme.explicit_step().is_none_or(|step| step.is_used);
        (!(explicit && alone)).then(|| {
            "the run goes on from the same state, but its last digits are others than those of one that did not end: steps are solved \
             from those before them, which a row does not have"
                .to_owned()
        })
    }
}

//! The rows of a run: assembled from the motion, watched, recorded.

use extremal_solve::{Guess, Kernel, March, Reason, StepFailure};
use extremal_trajectory::{RecordError, Recorder};

use super::Run;
use super::laws::{Audit, Laws};
use super::observables::Observables;
use super::watch::ConstraintWatch;

/// The rows of a run on their way to the recorder, and what is watched besides.
pub(super) struct Rows<'r> {
    recorder: &'r mut Recorder,
    observables: &'r Observables,
    exact_names: Vec<String>,
    entropy_names: Vec<String>,
    row: Vec<f64>,
    stops: Vec<f64>,
    errors: Vec<f64>,
    audit: Audit,
    watch: ConstraintWatch,
    estimate: Option<Kernel>,
    /// Positions before and after a step, entropies before it, time and step.
    step_inputs: Vec<f64>,
}

/// What was seen of a run besides its rows.
pub(super) struct Watched {
    pub errors: Vec<(String, f64)>,
    pub residuals: Vec<(String, f64)>,
    pub laws: Option<Laws>,
}

impl<'r> Rows<'r> {
    pub fn new(run: &'r Run<'_>, recorder: &'r mut Recorder) -> Self {
        let observables = &run.observables;
        let column = |target: &usize| observables.columns[observables.column_of(*target)].name().to_string();
        Rows {
            recorder,
            observables,
            exact_names: observables.exact.iter().map(column).collect(),
            entropy_names: run.model.entropies().iter().map(|entropy| entropy.name.clone()).collect(),
            row: vec![0.0; observables.columns.len()],
            stops: vec![0.0; observables.stops.len()],
            errors: vec![0.0; observables.exact.len()],
            audit: Audit::default(),
            watch: ConstraintWatch::new(observables),
            estimate: run.estimate.clone(),
            step_inputs: vec![0.0; 2 * observables.coordinates + observables.entropies + 2],
        }
    }

    /// Where the stop conditions stand among the observed values.
    pub fn first_stop(&self) -> usize {
        2 * self.observables.coordinates + self.observables.recorded
    }

    pub fn stops(&self) -> &[f64] {
        &self.stops
    }

    /// The time of the latest row.
    pub fn time(&self) -> f64 {
        self.row[0]
    }

    /// The failure with its deeper reason, where the rows so far show one.
    pub fn explain(&self, mut failure: StepFailure) -> StepFailure {
        if let Some((entropy, temperature)) = self.audit.cold() {
            let cause = Box::new(failure.reason);
            failure.reason = Reason::Cold { entropy: entropy.to_string(), temperature, cause };
        }
        failure
    }

    pub fn finish(self) -> Watched {
        Watched {
            errors: self.exact_names.into_iter().zip(self.errors).collect(),
            residuals: self.observables.constraints.iter().cloned().zip(self.watch.residuals).collect(),
            laws: self.audit.finish(),
        }
    }

    pub fn push(&mut self, motion: &mut dyn March) -> Result<Result<(), StepFailure>, RecordError> {
        let (n, m) = (self.observables.coordinates, self.observables.entropies);
        let first_stop = self.first_stop();
        let first_row = self.recorder.rows() == 0;
        let inputs = &mut self.step_inputs;
        inputs[..n].copy_from_slice(&self.row[1..=n]);
        inputs[2 * n..2 * n + m].copy_from_slice(&self.row[1 + 3 * n..1 + 3 * n + m]);
        inputs[2 * n + m] = self.row[0];
        inputs[2 * n + m + 1] = motion.time() - self.row[0];
        self.row[0] = motion.time();
        let state = motion.state();
        inputs[n..2 * n].copy_from_slice(&state[..n]);
        self.row[1..=n].copy_from_slice(&state[..n]);
        self.row[1 + 3 * n..1 + 3 * n + m].copy_from_slice(&state[2 * n..2 * n + m]);
        let accounts = self.row.len() - self.observables.accounts.len();
        let recorded = accounts - usize::from(self.observables.estimate);
        let account_count = self.observables.accounts.len();
        self.row[accounts..].copy_from_slice(&state[2 * n + m..2 * n + m + account_count]);
        let observed = match motion.observe() {
            Ok(observed) => observed,
            Err(failure) => return Ok(Err(failure)),
        };
        self.row[1 + n..1 + 3 * n].copy_from_slice(&observed[..2 * n]);
        self.row[1 + 3 * n + m..recorded].copy_from_slice(&observed[2 * n..first_stop]);
        let (stops, rest) = observed[first_stop..].split_at(self.stops.len());
        let (watched, exact) = rest.split_at(self.watch.len());
        self.stops.copy_from_slice(stops);
        let trouble = self.watch.look(self.observables, watched);
        for ((error, exact), target) in self.errors.iter_mut().zip(exact).zip(&self.observables.exact) {
            *error = error.max((self.row[self.observables.column_of(*target)] - exact).abs());
        }
        if let Some(estimate) = &mut self.estimate {
            // There is no step before the start, and an estimate that leaves its domain is no reason to stop.
            let energy = self.row[self.observables.first_temperature() + m];
            let mut value = [energy];
            if !first_row && estimate.run(&self.step_inputs, Guess::Formula, &mut value).is_err() {
                value = [f64::NAN];
            }
            self.row[recorded] = value[0];
        }
        self.audit.push(self.observables, &self.entropy_names, &self.row);
        self.recorder.push(&self.row)?;
        Ok(match trouble {
            None => Ok(()),
            Some(reason) => Err(motion.stop(reason)),
        })
    }
}

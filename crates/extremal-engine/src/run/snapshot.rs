//! One row of a motion: assembled from its state and what is observed there.

use extremal_solve::{GuessSource, Kernel, March, StepFailure};

use super::observables::Observables;
use super::watch::{ConstraintWatch, Trouble};

/// The row that a motion was last seen at, with what is looked at besides.
pub(crate) struct Snapshot {
    /// Under the columns of [`Observables`].
    pub row: Vec<f64>,
    /// The values of the stop conditions.
    pub stops: Vec<f64>,
    /// The closed forms.
    pub exact: Vec<f64>,
    /// Determinants of the mass matrix.
    pub determinants: Vec<f64>,
    pub watch: ConstraintWatch,
    /// The energy of a step by its positions, if every step is taken.
    estimate: Option<Kernel>,
    /// Positions before and after a step, entropies before it, time and step.
    step_inputs: Vec<f64>,
    first: bool,
}

impl Snapshot {
    pub fn new(observables: &Observables, estimate: Option<Kernel>) -> Self {
        Snapshot {
            row: vec![0.0; observables.columns.len()],
            stops: vec![0.0; observables.stops.len()],
            exact: vec![0.0; observables.exact.len()],
            determinants: vec![0.0; observables.determinants],
            watch: ConstraintWatch::new(observables),
            estimate,
            step_inputs: vec![0.0; 2 * observables.coordinates + observables.entropies + 2],
            first: true,
        }
    }

    /// Forgets the motion before another one.
    pub fn clear(&mut self, observables: &Observables) {
        self.watch = ConstraintWatch::new(observables);
        self.first = true;
    }

    /// Looks at the motion; the row is whole only when this succeeds. Trouble is why the motion cannot go on.
    pub fn take(&mut self, observables: &Observables, motion: &mut dyn March) -> Result<Option<Trouble>, StepFailure> {
        let (n, m) = (observables.coordinates, observables.entropies);
        let first_stop = observables.first_stop();
        let time = motion.time();
        let state = motion.state();
        if self.estimate.is_some() {
            let inputs = &mut self.step_inputs;
            inputs[..n].copy_from_slice(&self.row[1..=n]);
            inputs[n..2 * n].copy_from_slice(&state[..n]);
            inputs[2 * n..2 * n + m].copy_from_slice(&self.row[1 + 3 * n..1 + 3 * n + m]);
            inputs[2 * n + m] = self.row[0];
            inputs[2 * n + m + 1] = time - self.row[0];
        }
        self.row[0] = time;
        self.row[1..=n].copy_from_slice(&state[..n]);
        copy(&mut self.row[1 + 3 * n..1 + 3 * n + m], &state[2 * n..2 * n + m]);
        let accounts = self.row.len() - observables.accounts.len();
        let recorded = accounts - usize::from(observables.estimate);
        let account_count = observables.accounts.len();
        copy(&mut self.row[accounts..], &state[2 * n + m..2 * n + m + account_count]);
        let observed = motion.observe()?;
        self.row[1 + n..1 + 3 * n].copy_from_slice(&observed[..2 * n]);
        self.row[1 + 3 * n + m..recorded].copy_from_slice(&observed[2 * n..first_stop]);
        let (stops, rest) = observed[first_stop..].split_at(self.stops.len());
        let seen = self.watch.values_mut();
        let (watched, rest) = rest.split_at(seen.len());
        copy(seen, watched);
        let (sizes, rest) = rest.split_at(observables.measured.len());
        self.watch.measure(observables, sizes);
        let (determinants, exact) = rest.split_at(self.determinants.len());
        copy(&mut self.determinants, determinants);
        copy(&mut self.stops, stops);
        copy(&mut self.exact, exact);
        let trouble = self.watch.look(observables, motion, &self.row[1 + n..1 + 2 * n]);
        if let Some(estimate) = &mut self.estimate {
            // There is no step before the start, and an estimate that leaves its domain is no reason to stop.
            let energy = self.row[observables.first_temperature() + m];
            let mut value = [energy];
            if !self.first && estimate.run(&self.step_inputs, GuessSource::Formula, &mut value).is_err() {
                value = [f64::NAN];
            }
            self.row[recorded] = value[0];
        }
        self.first = false;
        Ok(trouble)
    }
}

/// There is a row for every step, and most of its parts are empty: nothing is called for these.
fn copy(to: &mut [f64], from: &[f64]) {
    if !to.is_empty() {
        to.copy_from_slice(from);
    }
}

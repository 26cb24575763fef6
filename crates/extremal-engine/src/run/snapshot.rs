//! One row of a motion: assembled from its state and what is observed there.

use extremal_eval::zeros;
use extremal_solve::{GuessSource, Kernel, March, StepFailure};
use extremal_trajectory::RowBlock;

use super::CompiledRun;
use super::blocks::BlockRows;
use super::layout::{RowLayout, TIME};
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
            row: zeros(observables.columns.len()),
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
        self.watch.begin(observables);
        self.first = true;
    }

    /// Goes on after the state has changed at once: the last step leads nowhere from the row before it.
    pub fn leap(&mut self) {
        self.watch.leap();
        self.first = true;
    }

    /// Goes on from a row that was seen elsewhere.
    pub fn follow_row(&mut self, row: &[f64]) {
        self.row.copy_from_slice(row);
        self.watch.leap();
        self.first = false;
    }

    /// Looks at the motion; the row is whole only when this succeeds. Trouble is why the motion cannot go on.
    pub fn take(&mut self, observables: &Observables, motion: &mut dyn March) -> Result<Option<Trouble>, StepFailure> {
        let (at, in_state, in_observed) = (&observables.row, observables.state(), observables.observed());
        let time = motion.time();
        let state = motion.state();
        if self.estimate.is_some() {
            let (before, after) = (&self.row, &state[in_state.positions()]);
            let after = |column: usize| if column == TIME { time } else { after[column - at.positions.start] };
            step_inputs(&mut self.step_inputs, at, |column| before[column], after);
        }
        self.row[TIME] = time;
        self.row[at.positions.clone()].copy_from_slice(&state[in_state.positions()]);
        copy(&mut self.row[at.entropies.clone()], &state[in_state.entropies()]);
        copy(&mut self.row[at.accounts.clone()], &state[in_state.accounts()]);
        let observed = motion.observe()?;
        // Momenta stand behind velocities, here and there, unless they are positions.
        let rates = &mut self.row[at.velocities.start..at.entropies.start];
        let width = rates.len();
        rates.copy_from_slice(&observed[in_observed.velocities().start..][..width]);
        self.row[at.outputs.clone()].copy_from_slice(&observed[in_observed.outputs()]);
        let (stops, rest) = observed[in_observed.stops().start..].split_at(self.stops.len());
        let seen = self.watch.values_mut();
        let (watched, rest) = rest.split_at(seen.len());
        copy(seen, watched);
        let (sizes, rest) = rest.split_at(observables.measured.len());
        self.watch.measure(observables, sizes);
        let (determinants, exact) = rest.split_at(self.determinants.len());
        copy(&mut self.determinants, determinants);
        copy(&mut self.stops, stops);
        let count = self.exact.len();
        copy(&mut self.exact, &exact[..count]);
        let trouble = self.watch.look(observables, motion, &self.row[at.velocities.clone()]);
        if let Some(estimate) = &mut self.estimate {
            // There is no step before the start, and an estimate that leaves its domain is no reason to stop.
            let mut value = [self.row[at.energy]];
            if !self.first && estimate.run(&self.step_inputs, GuessSource::Formula, &mut value).is_err() {
                value = [f64::NAN];
            }
            self.row[at.estimate] = value[0];
        }
        self.first = false;
        Ok(trouble)
    }
}

impl Snapshot {
    /// The energies of the steps of a block by their positions, written to `estimates`: of all of them or of the last alone.
    pub fn estimate_block(
        &mut self,
        observables: &Observables,
        rows: &BlockRows<'_>,
        all: bool,
        estimates: &mut [f64],
    ) {
        let Some(estimate) = &mut self.estimate else { return };
        let at = &observables.row;
        for step in if all { 0 } else { estimates.len() - 1 }..estimates.len() {
            let before = |column: usize| match step.checked_sub(1) {
                Some(before) => rows.column(column)[before],
                None => self.row[column],
            };
            step_inputs(&mut self.step_inputs, at, before, |column| rows.column(column)[step]);
            let mut value = [0.0];
            if estimate.run(&self.step_inputs, GuessSource::Formula, &mut value).is_err() {
                value = [f64::NAN];
            }
            estimates[step] = value[0];
        }
    }

    /// Goes on after a block.
    pub fn follow(&mut self, observables: &Observables, rows: &BlockRows<'_>) {
        self.watch.go_on(observables, rows);
        let last = rows.rows() - 1;
        rows.read_row(last, &mut self.row);
        self.stops.iter_mut().zip(rows.stops()).for_each(|(own, column)| *own = column[last]);
        self.determinants.iter_mut().zip(rows.determinants()).for_each(|(own, column)| *own = column[last]);
        self.first = false;
    }
}

/// Positions before and after a step, entropies before it, time and step, from the columns of the rows before and after it.
fn step_inputs(inputs: &mut [f64], at: &RowLayout, before: impl Fn(usize) -> f64, after: impl Fn(usize) -> f64) {
    let positions = || at.positions.clone();
    let times = [before(TIME), after(TIME) - before(TIME)];
    let values = positions().map(&before).chain(positions().map(&after)).chain(at.entropies.clone().map(&before));
    inputs.iter_mut().zip(values.chain(times)).for_each(|(input, value)| *input = value);
}

impl CompiledRun {
    /// What looks at the steps of a motion one after the other.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::new(&self.observables, self.estimate.clone())
    }

    /// The energies of a motion after its latest step: by the momenta, and by the positions of the step, which is not a number where it
    /// is not estimated. `None` if the motion cannot be looked at.
    pub(crate) fn energies(&self, snapshot: &mut Snapshot, motion: &mut dyn March) -> Option<[f64; 2]> {
        snapshot.take(&self.observables, motion).ok()?;
        let at = &self.observables.row;
        let estimate = if self.observables.estimate { snapshot.row[at.estimate] } else { f64::NAN };
        Some([snapshot.row[at.energy], estimate])
    }
}

/// There is a row for every step, and most of its parts are empty: nothing is called for these.
fn copy(to: &mut [f64], from: &[f64]) {
    if !to.is_empty() {
        to.copy_from_slice(from);
    }
}

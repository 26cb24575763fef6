//! Rows at times that are asked for, wherever steps end. A time inside a step is reached by a shorter step from where that one began, with
//! the method of the run: what is seen there is as exact as its steps, and the motion knows nothing of it.

use extremal_solve::{March, StepFailure};

use super::events::EventObserver;
use super::observables::Observables;
use super::snapshot::Snapshot;
use super::{CompiledRun, SettingsError};

/// A time within this part of a step of its end is that of its end.
const ROUNDING: f64 = 1e-9;

/// The times at which rows are wanted, those of a run in the order in which it meets them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GivenTimes(Vec<f64>);

impl GivenTimes {
    /// Sorted the way time runs, each once.
    ///
    /// # Errors
    /// A time that the run does not come to.
    pub fn of(asked: &[f64], from: f64, step: f64, end: f64) -> Result<GivenTimes, SettingsError> {
        let slack = ROUNDING * step.abs();
        let (least, most) = (from.min(end) - slack, from.max(end) + slack);
        if let Some(time) = asked.iter().find(|time| !(least..=most).contains(*time)) {
            return Err(SettingsError::OutsideRun { time: *time, from, end });
        }
        let mut times = asked.to_vec();
        times.sort_by(|a, b| (a * step.signum()).total_cmp(&(b * step.signum())));
        times.dedup();
        Ok(GivenTimes(times))
    }
}

/// Takes the rows at given times.
pub(super) struct RowsAtTimes {
    times: Vec<f64>,
    next: usize,
    step: f64,
    /// Are steps as long as a pace says?
    paced: bool,
    /// When the present part of the step began, and whether that is where the last row was.
    begin: f64,
    whole: bool,
    before: Vec<f64>,
    snapshot: Snapshot,
    rows: Vec<GivenRow>,
}

/// A row, and the state that it is seen of.
pub(super) struct GivenRow {
    pub row: Vec<f64>,
    pub state: Vec<f64>,
}

impl RowsAtTimes {
    /// Those of a run that are still to come; `None` if there were never any.
    pub fn of(run: &CompiledRun, resumed: bool) -> Option<RowsAtTimes> {
        let GivenTimes(times) = &run.given_times;
        let slack = if resumed { 0.0 } else { -ROUNDING * run.plan.step.abs() };
        let ahead = |time: &f64| (time - run.start.values.time) * run.plan.step.signum() > slack;
        (!times.is_empty()).then(|| RowsAtTimes {
            times: times.iter().copied().filter(ahead).collect(),
            next: 0,
            step: run.plan.step,
            paced: run.plan.until.is_some(),
            begin: run.start.values.time,
            whole: true,
            before: Vec::new(),
            snapshot: run.snapshot(),
            rows: Vec::new(),
        })
    }

    /// Whole steps from this time on, none of which has a row to be taken in it.
    pub fn free_steps(&self, time: f64) -> u64 {
        match self.times.get(self.next) {
            None => u64::MAX,
            Some(next) => ((next - time) / self.step - 2.0 * ROUNDING).max(0.0) as u64,
        }
    }

    /// Those that were not come to: how many, and the first of them.
    pub fn missed(&self) -> Option<(usize, f64)> {
        let first = self.times.get(self.next)?;
        Some((self.times.len() - self.next, *first))
    }

    /// A step begins where this row is.
    pub fn begin(&mut self, row: &[f64]) {
        (self.begin, self.whole) = (row[0], true);
        self.before.clear();
        self.before.extend_from_slice(row);
    }

    /// Takes the rows up to where the motion is, in what it has gone through since the step began or changed.
    pub fn take(&mut self, observables: &Observables, motion: &dyn March) -> Result<(), StepFailure> {
        let (now, sense) = (motion.time(), self.step.signum());
        let slack = ROUNDING * if self.paced { now - self.begin } else { self.step }.abs();
        let mut inside: Option<Box<dyn March>> = None;
        while let Some(&time) = self.times.get(self.next)
            && (time - now) * sense <= slack
        {
            let at_end = (time - now).abs() <= slack;
            if at_end {
                inside = None;
            }
            let looking = inside.get_or_insert_with(|| motion.fork());
            if !at_end {
                looking.retake(time - self.begin)?;
            }
            match self.whole && !self.before.is_empty() {
                true => self.snapshot.follow_row(&self.before),
                false => self.snapshot.leap(),
            }
            // What is wrong with the constraints is said of the steps.
            let _ = self.snapshot.take(observables, looking.as_mut())?;
            let mut row = self.snapshot.row.clone();
            if !at_end {
                row[0] = time;
            }
            self.rows.push(GivenRow { row, state: looking.state().to_vec() });
            self.next += 1;
        }
        Ok(())
    }

    /// The rows that were taken, to be handed out.
    pub fn rows(&mut self) -> &mut Vec<GivenRow> {
        &mut self.rows
    }
}

/// Hears of events for another, and takes rows between them.
pub(super) struct BetweenEvents<'l, L> {
    pub given: Option<&'l mut RowsAtTimes>,
    pub observables: &'l Observables,
    pub listener: L,
}

impl<L: EventObserver> EventObserver for BetweenEvents<'_, L> {
    fn before(&mut self, event: usize, motion: &mut dyn March) -> Result<(), StepFailure> {
        if let Some(given) = &mut self.given {
            given.take(self.observables, motion)?;
        }
        self.listener.before(event, motion)
    }

    fn after(
        &mut self,
        event: usize,
        motion: &mut dyn March,
        before: &[f64],
        after: &[f64],
    ) -> Result<(), StepFailure> {
        if let Some(given) = &mut self.given {
            (given.begin, given.whole) = (motion.time(), false);
        }
        self.listener.after(event, motion, before, after)
    }
}

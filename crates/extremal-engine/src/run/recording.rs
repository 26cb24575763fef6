//! The rows of a run: watched and recorded.

use std::sync::Arc;

use extremal_solve::{March, PassedConfiguration, Reason, StepFailure, on_widest_registers};
use extremal_trajectory::{RecordError, Recorder, RowBlock};

use super::CompiledRun;
use super::audits::{Audits, Promises};
use super::blocks::Blocks;
use super::event_log::EventLog;
use super::given_times::GivenRow;
use super::judge::{Instruments, Judge};
use super::laws::{Audit, Laws};
use super::layout::TIME;
use super::observables::Observables;
use super::sensitivity::Sensitivities;
use super::snapshot::Snapshot;
use super::stops::crosses_in_block;
use super::warning::Warning;
use super::watch::Trouble;

/// Takes the rows of a run to a recorder, and watches them.
pub(super) struct RowRecorder {
    observables: Arc<Observables>,
    exact_names: Vec<String>,
    entropy_names: Vec<String>,
    errors: Vec<f64>,
    audit: Audit,
    audits: Audits,
    now: Snapshot,
    blocks: Blocks,
    estimates: Vec<f64>,
    /// Times, energies and invariants of rows that are passed together.
    seen: Vec<f64>,
    /// The derivatives of the motion, where they are wanted.
    sensitivities: Option<Sensitivities>,
    /// Of the last row there are the time, energies and invariants alone.
    passed: bool,
    /// The time of the row before the latest.
    before: Option<f64>,
}

/// What was seen of a run besides its rows.
pub(super) struct Watched {
    pub errors: Vec<(String, f64)>,
    pub residuals: Vec<(String, f64)>,
    pub laws: Option<Laws>,
    pub warnings: Vec<Warning>,
}

impl RowRecorder {
    pub fn new(run: &CompiledRun) -> Self {
        let (promises, entropy_names) = {
            let model = run.model.lock();
            (Promises::of(run, &model), model.entropies().iter().map(|entropy| entropy.name.clone()).collect())
        };
        let observables = run.observables.clone();
        let column = |target: &usize| observables.columns[observables.row.target(*target)].name().to_string();
        let judge = Judge::new(Instruments::later(run), run.start.parameter_values());
        let audits = Audits::new(observables.clone(), promises, judge);
        RowRecorder {
            blocks: Blocks::new(&observables, audits.takes_blocks() && run.sensitivity.is_none()),
            sensitivities: Sensitivities::of(run),
            exact_names: observables.exact.iter().map(column).collect(),
            entropy_names,
            errors: vec![0.0; observables.exact.len()],
            audit: Audit::default(),
            audits,
            estimates: Vec::new(),
            seen: Vec::new(),
            now: Snapshot::new(&observables, run.estimate.clone()),
            passed: false,
            before: None,
            observables,
        }
    }

    /// The latest row.
    pub fn row(&self) -> &[f64] {
        &self.now.row
    }

    /// The values of the stop conditions at the latest row.
    pub fn stops(&mut self) -> &mut [f64] {
        &mut self.now.stops
    }

    /// Takes what the events of the last step changed, before its row.
    pub fn leap(&mut self, log: &EventLog, recorder: &mut Recorder) -> Result<(), RecordError> {
        let at = &self.observables.row;
        let [energy, entropy] = log.changes();
        self.now.leap();
        self.blocks.leap();
        self.audits.leap(energy);
        self.audit.leap(energy, entropy);
        recorder.leap(|column| match column.checked_sub(at.outputs.start) {
            Some(output) if column < at.outputs.end => log.leap(output),
            _ => 0.0,
        });
        let first = self.observables.stops.len() - self.observables.events;
        log.rows().try_for_each(|(event, side, row)| {
            recorder.event(&self.observables.stops[first + event].0, side.name(), row)
        })
    }

    /// The time of the latest row.
    pub fn time(&self) -> f64 {
        self.now.row[TIME]
    }

    /// How long the step to the latest row was.
    pub fn last_length(&self) -> Option<f64> {
        Some(self.time() - self.before?).filter(|length| *length != 0.0)
    }

    /// The failure with its deeper reason, where the rows so far show one.
    pub fn explain(&mut self, failure: StepFailure, step: f64) -> StepFailure {
        let failure = self.now.watch.explain(failure, step);
        self.audit.explain(self.audits.explain(failure, step))
    }

    /// Ends with a whole row.
    pub fn complete(&mut self, motion: &mut dyn March, recorder: &mut Recorder) -> Result<(), RecordError> {
        match std::mem::take(&mut self.passed) && self.now.take(&self.observables, motion).is_ok() {
            true => recorder.complete(&self.now.row),
            false => Ok(()),
        }
    }

    /// Singular configurations that were passed on purpose, and how many.
    pub fn passed(&self, motion: &dyn March) -> (Vec<PassedConfiguration>, u64) {
        let (passed, count) = self.now.watch.passed(motion);
        (passed.to_vec(), count)
    }

    /// What was seen so far.
    pub fn watched(&self) -> Watched {
        let laws = self.audit.finish();
        let warnings = self.audits.warnings(&self.now.watch, laws.as_ref());
        let residuals = self.now.watch.residuals.iter().copied();
        Watched {
            errors: self.exact_names.iter().cloned().zip(self.errors.iter().copied()).collect(),
            residuals: self.observables.constraints.iter().cloned().zip(residuals).collect(),
            laws,
            warnings,
        }
    }

    /// Gives rows inside the last step their derivatives, before that step's own row is taken.
    pub fn differentiate(&mut self, motion: &dyn March, rows: &mut [GivenRow]) -> Result<(), StepFailure> {
        let Some(sensitivities) = &mut self.sensitivities else { return Ok(()) };
        for GivenRow { row, state } in rows {
            let velocities = row[self.observables.row.velocities.clone()].to_vec();
            let found = sensitivities.look(state, &velocities, row);
            found.map_err(|cause| motion.stop(Reason::Derivative { cause }))?;
        }
        Ok(())
    }

    /// Looks at a row that was recorded before.
    pub fn look(&mut self, motion: &mut dyn March) -> Result<(), StepFailure> {
        match self.now.take(&self.observables, motion)? {
            Some(trouble) => Err(trouble.of(motion)),
            None => Ok(()),
        }
    }

    /// Takes up to so many steps of those that are left at once, watches and records them; returns how many. None are taken where one of
    /// them is to be looked at by itself.
    pub fn push_block(
        &mut self,
        motion: &mut dyn March,
        left: u64,
        most: u64,
        recorder: &mut Recorder,
    ) -> Result<usize, RecordError> {
        let passed = self.pass_block(motion, left.min(most), recorder)?;
        if passed > 0 {
            return Ok(passed);
        }
        if !self.blocks.advance(motion, left, most) {
            return Ok(0);
        }
        let observables = &*self.observables;
        let Some(rows) = self.blocks.rows(observables) else { return Ok(0) };
        let crossed = crosses_in_block(observables, &rows, &self.now.stops);
        if crossed || !self.now.watch.passes(observables, &rows) || !self.audits.pass(&rows) {
            self.blocks.refuse(motion);
            return Ok(0);
        }
        for ((error, exact), target) in self.errors.iter_mut().zip(rows.exact()).zip(&observables.exact) {
            let column = rows.column(observables.row.target(*target));
            *error = column.iter().zip(exact).fold(*error, |error, (value, exact)| error.max((value - exact).abs()));
        }
        self.audit.push_block(observables, &rows);
        let count = rows.rows();
        if observables.estimate {
            self.estimates.resize(count, 0.0);
            self.now.estimate_block(observables, &rows, recorder.wants_one_of(count), &mut self.estimates);
            std::mem::swap(&mut self.estimates, &mut self.blocks.estimate);
        }
        self.blocks.accept();
        let Some(rows) = self.blocks.rows(observables) else { return Ok(0) };
        self.now.follow(observables, &rows);
        self.passed = false;
        on_widest_registers(
            #[inline(always)]
            || recorder.push_block(&rows),
        )?;
        Ok(count)
    }

    /// Takes up to so many steps of which only energies and invariants are seen, where the motion has a way to see them on the way;
    /// returns how many.
    fn pass_block(
        &mut self,
        motion: &mut dyn March,
        steps: u64,
        recorder: &mut Recorder,
    ) -> Result<usize, RecordError> {
        let steps = steps.min(recorder.rows_to_pass());
        let taken = if steps > 0 { motion.advance_seen(steps, &mut self.seen) as usize } else { 0 };
        if taken == 0 {
            return Ok(0);
        }
        let rows = std::mem::take(&mut self.seen);
        let passed =
            rows.chunks_exact(rows.len() / taken).try_for_each(|seen| self.pass(seen[0], &seen[1..], recorder));
        self.seen = rows;
        passed.map(|()| taken)
    }

    /// Takes the energies and invariants of a row.
    fn pass(&mut self, time: f64, seen: &[f64], recorder: &mut Recorder) -> Result<(), RecordError> {
        seen.first().iter().for_each(|energy| self.audits.glance(time, **energy));
        recorder.pass(time, seen)?;
        (self.passed, self.now.row[TIME]) = (true, time);
        Ok(())
    }

    /// Looks at the motion and records where it is; returns why it cannot go on, if it cannot.
    pub fn push(
        &mut self,
        motion: &mut dyn March,
        recorder: &mut Recorder,
    ) -> Result<Option<Box<StepFailure>>, RecordError> {
        self.blocks.took_row();
        let time = motion.time();
        if !recorder.wants_row()
            && self.sensitivities.is_none()
            && let Some(seen) = motion.observe_outputs()
        {
            return match seen {
                Ok(seen) => self.pass(time, seen, recorder).map(|()| None),
                Err(failure) => Ok(Some(Box::new(failure))),
            };
        }
        self.passed = false;
        self.before = Some(self.time());
        let trouble = match self.now.take(&self.observables, motion) {
            Ok(Some(trouble @ Trouble::Behind(_))) => return Ok(Some(Box::new(trouble.of(motion)))),
            Ok(trouble) => trouble,
            Err(failure) => return Ok(Some(Box::new(failure))),
        };
        self.audits.weigh(&self.now.determinants);
        if let Some(reason) = self.audits.look(&self.now.row) {
            return Ok(Some(Box::new(motion.reject(reason))));
        }
        if let Some(sensitivities) = &mut self.sensitivities {
            let velocities = self.now.row[self.observables.row.velocities.clone()].to_vec();
            if let Err(cause) = sensitivities.follow(motion, &velocities, &mut self.now.row) {
                return Ok(Some(Box::new(motion.stop(Reason::Derivative { cause }))));
            }
        }
        let Snapshot { row, exact, .. } = &self.now;
        for ((error, exact), target) in self.errors.iter_mut().zip(exact).zip(&self.observables.exact) {
            *error = error.max((row[self.observables.row.target(*target)] - exact).abs());
        }
        self.audit.push(&self.observables, &self.entropy_names, row);
        recorder.push(row)?;
        Ok(trouble.map(|trouble| Box::new(trouble.of(motion))))
    }
}

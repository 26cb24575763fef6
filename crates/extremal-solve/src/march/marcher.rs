//! A scheme on its way.

use std::ops::Range;

use super::block::{BlockMark, FusedBlockMark, MotionBlock};
use super::clock::is_step;
use super::smoothness::Smoothness;
use super::{Clock, CompiledScheme, March, StartValues, TotalWork};
use crate::failure::{Reason, StepFailure};
use crate::kernel::{GuessSource, Work};
use crate::newton::LaneNewton;
use crate::step::{FusedMark, MotionState};

/// A scheme on its way.
#[derive(Clone)]
pub struct Marcher {
    pub(super) scheme: CompiledScheme,
    pub(super) motion: MotionState,
    /// The state before the last step.
    pub(super) previous: Vec<f64>,
    /// Its time, where it is not that of a whole step: the state was changed there.
    changed: Option<f64>,
    /// Velocities found by the last observation.
    observed_velocity: Vec<f64>,
    pub(super) smoothness: Smoothness,
    /// The inputs of the start.
    pub(super) start_inputs: Vec<f64>,
    /// After how many steps, and when, what was observed last is what is there.
    shown: Option<(u64, f64)>,
    /// The fused step did not take the next step, and is not asked again.
    refused: bool,
}

/// The inputs of the start of a scheme.
fn start_inputs(values: &StartValues, h: f64) -> impl Iterator<Item = f64> {
    let StartValues { q, v, second, s, multipliers, time } = values;
    q.iter().chain(v).chain(second).chain(s).chain([time]).copied().chain([h]).chain(multipliers.iter().copied())
}

impl March for Marcher {
    fn steps(&self) -> u64 {
        self.motion.clock.steps
    }

    fn time(&self) -> f64 {
        self.motion.clock.time
    }

    fn state(&self) -> &[f64] {
        &self.motion.state
    }

    fn work(&self) -> TotalWork {
        self.motion.work
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.advance_many(1)
    }

    fn advance_many(&mut self, steps: u64) -> Result<(), StepFailure> {
        let mut left = steps;
        self.changed = None;
        while left > 0 {
            // All but the last without a look, for the state before that one is kept.
            if left > 1 && !self.refused {
                left -= self.take_many(left - 1);
            }
            self.previous.copy_from_slice(&self.motion.state);
            if left > 1 {
                self.whole_step()?;
                // Nobody looks at this state, and the fused step, which would have known, did not take it.
                self.observe()?;
            } else if self.refused || self.take_many(1) == 0 {
                self.whole_step()?;
            }
            left -= 1;
        }
        Ok(())
    }

    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure> {
        self.previous.copy_from_slice(&self.motion.state);
        self.changed = None;
        self.take(self.motion.clock.time, h, false).map_err(|reason| self.undo(reason))?;
        self.motion.clock.advance_by(h);
        Ok(())
    }

    fn retake(&mut self, h: f64) -> Result<(), StepFailure> {
        let begin = self.begin_of_last();
        self.motion.state.copy_from_slice(&self.previous);
        // To go back to the state before it is no step.
        if h != 0.0 {
            self.take(begin, h, false).map_err(|reason| self.take_back(reason))?;
        }
        self.motion.clock.time = begin + h;
        Ok(())
    }

    fn change(&mut self, values: &StartValues, kept: Range<usize>) -> Result<(), StepFailure> {
        let clock = self.motion.clock;
        let rest = self.motion.state[kept.clone()].to_vec();
        self.begin_anew(values, clock.start());
        self.start_inputs.clear();
        self.start_inputs.extend(start_inputs(&StartValues { time: clock.time, ..values.clone() }, clock.h));
        let started = self.scheme.start.run(&self.start_inputs, GuessSource::Formula, &mut self.motion.state);
        self.motion.state[kept].copy_from_slice(&rest);
        self.previous.copy_from_slice(&self.motion.state);
        self.changed = Some(clock.time);
        started.map(|_| ()).map_err(|failure| self.failure(failure.into()))
    }

    fn complete(&mut self, end: f64) -> Result<(), StepFailure> {
        let begin = self.begin_of_last();
        if is_step(begin, end, self.motion.clock.h) {
            self.retake(end - begin)?;
        }
        self.motion.clock.time = end;
        Ok(())
    }

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let MotionState { state, clock, .. } = &self.motion;
        if self.shown.take() == Some((clock.steps, clock.time)) {
            return Ok(&self.scheme.solver.observation.outputs);
        }
        match self.scheme.solver.observation.of(state, clock.time, &mut self.observed_velocity) {
            Ok(()) => Ok(&self.scheme.solver.observation.outputs),
            Err(failure) => Err(self.take_back(failure.into())),
        }
    }

    fn block(&self) -> Option<MotionBlock> {
        let observation = &self.scheme.solver.observation;
        MotionBlock::new(self.motion.state.len(), observation.outputs.len(), &observation.kernel)
    }

    fn advance_block(&mut self, block: &mut MotionBlock, steps: u64) -> usize {
        let steps = steps.min(block.most_rows() as u64);
        self.changed = None;
        if self.refused || steps == 0 {
            return 0;
        }
        let taken = match self.scheme.solver.fuses_all() {
            true => self.take_fused(block, steps),
            false => self.take_whole(block, steps),
        };
        let Clock { steps: after, .. } = self.motion.clock;
        let (clock, first) = (self.motion.clock, after - taken as u64 + 1);
        let (observation, velocity) = (&mut self.scheme.solver.observation, &mut self.observed_velocity);
        let alone = |state: &[f64], time: f64, seen: &mut [f64]| {
            let found = observation.of(state, time, velocity).is_ok();
            seen.copy_from_slice(&observation.outputs);
            found
        };
        if !block.observe(taken, |row| clock.time_after(first + row as u64), alone) {
            self.leave_block(block);
            return 0;
        }
        taken
    }

    fn leave_block(&mut self, block: &mut MotionBlock) {
        match std::mem::replace(block.mark_mut(), BlockMark::None) {
            BlockMark::None => {}
            BlockMark::Fused(mark) => {
                self.motion.clone_from(&mark.motion);
                self.previous.copy_from_slice(&mark.previous);
                self.scheme.solver.go_back(&mark.fused);
                self.refused = false;
                *block.mark_mut() = BlockMark::Fused(mark);
            }
            BlockMark::Whole(mark) => *self = *mark,
        }
    }

    fn stop(&self, reason: Reason) -> StepFailure {
        self.failure(reason)
    }

    fn reject(&mut self, reason: Reason) -> StepFailure {
        self.take_back(reason)
    }

    fn fork(&self) -> Box<dyn March> {
        Box::new(self.clone())
    }
}

impl Marcher {
    pub(super) fn new(scheme: CompiledScheme) -> Marcher {
        let n = scheme.state_names.len();
        Marcher {
            motion: MotionState { state: vec![0.0; n], clock: Clock::default(), work: TotalWork::default() },
            previous: vec![0.0; n],
            observed_velocity: vec![0.0; scheme.dimension],
            smoothness: Smoothness::new(scheme.dimension),
            start_inputs: Vec::new(),
            shown: None,
            changed: None,
            refused: false,
            scheme,
        }
    }

    /// Sets the parameters for the next [`restart`](Marcher::restart), in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.scheme.set_parameters(parameters);
    }

    /// Begins a run with what is compiled and allocated already: the one that [`CompiledScheme::start`] would begin, bit for bit,
    /// whatever was marched before.
    pub fn restart(&mut self, values: &StartValues, h: f64) -> Result<(), StepFailure> {
        self.make_ready(values, h);
        self.begin()
    }

    /// Gets ready to begin a run, alone by [`begin`](Marcher::begin) or beside others by a [`LaneStart`](super::LaneStart).
    pub fn make_ready(&mut self, values: &StartValues, h: f64) {
        self.start_inputs.clear();
        self.start_inputs.extend(start_inputs(values, h));
        (self.motion.clock, self.motion.work) = (Clock::new(values.time, h), TotalWork::default());
        self.begin_anew(values, values.time);
    }

    /// Begins the run that everything is ready for.
    ///
    /// # Errors
    /// There is no such start.
    pub fn begin(&mut self) -> Result<(), StepFailure> {
        self.motion.state.fill(0.0);
        let started = self.scheme.start.run(&self.start_inputs, GuessSource::Formula, &mut self.motion.state);
        self.previous.copy_from_slice(&self.motion.state);
        started.map(|_| ()).map_err(|failure| self.failure(failure.into()))
    }

    /// Gets ready to go on from a state that was reached after so many steps; `values` are there, but for the time, which is the first.
    pub(super) fn resume(&mut self, values: &StartValues, h: f64, state: &[f64], steps: u64) {
        self.make_ready(values, h);
        self.motion.clock.advance(steps);
        self.begin_at(state.iter().copied());
    }

    /// Gets ready to go on in the place of a motion in a lane, of which so many steps are known, and so many were fused and not: nothing is
    /// left of the one before.
    pub(super) fn stand_in(&mut self, clock: Clock, known: usize, fused: [u64; 2], largest: f64) {
        (self.motion.clock, self.motion.work) = (clock, TotalWork::default());
        self.smoothness.stand_in(clock.steps, largest);
        (self.refused, self.shown, self.changed) = (false, None, None);
        self.scheme.solver.stand_in(clock, known, fused);
    }

    /// Begins it with a state that was found elsewhere.
    pub(super) fn begin_at(&mut self, state: impl Iterator<Item = f64>) {
        self.motion.state.iter_mut().zip(state).for_each(|(own, value)| *own = value);
        self.previous.copy_from_slice(&self.motion.state);
    }

    /// Takes its first step, which was solved elsewhere; `observed` is what is there before it. Not where a guard does not hold.
    pub(super) fn follow_first_step(
        &mut self,
        observed: impl Iterator<Item = f64>,
        solved: &LaneNewton,
        at: usize,
        work: Work,
    ) -> bool {
        self.previous.copy_from_slice(&self.motion.state);
        let followed = self.scheme.solver.follow_first(&mut self.motion, observed, solved, at, work);
        if followed {
            self.motion.clock.advance(1);
            self.follow_step();
        }
        followed
    }

    /// Takes what was observed elsewhere for what is observed next, where the motion is.
    pub(super) fn show(&mut self, observed: impl Iterator<Item = f64>) {
        let outputs = &mut self.scheme.solver.observation.outputs;
        outputs.iter_mut().zip(observed).for_each(|(own, value)| *own = value);
        self.observed_velocity.iter_mut().zip(outputs).for_each(|(own, velocity)| *own = *velocity);
        self.shown = Some((self.motion.clock.steps, self.motion.clock.time));
    }

    /// Forgets the steps so far, of a motion whose first time this is, before it goes on from another state.
    fn begin_anew(&mut self, values: &StartValues, first: f64) {
        self.observed_velocity.copy_from_slice(&values.v);
        self.smoothness.forget();
        (self.refused, self.shown, self.changed) = (false, None, None);
        self.scheme.solver.begin(self.motion.clock.h, first, &values.v);
    }

    /// The time of the state before the last step.
    fn begin_of_last(&self) -> f64 {
        let Clock { steps, .. } = self.motion.clock;
        self.changed.unwrap_or_else(|| self.motion.clock.time_after(steps.saturating_sub(1)))
    }

    /// Puts a number into the state, and into the one that a step is retaken from where that is the same.
    pub(super) fn put(&mut self, place: usize, value: f64, before_too: bool) {
        self.motion.state[place] = value;
        if before_too {
            self.previous[place] = value;
        }
    }

    /// The size of a whole step.
    pub(super) fn step_size(&self) -> f64 {
        self.motion.clock.h
    }

    /// Takes up to so many steps by the strategies that take many at once; returns how many.
    fn take_many(&mut self, steps: u64) -> u64 {
        self.scheme.solver.take_many(&mut self.motion, steps)
    }

    /// Takes steps of a block by the fused step alone, up to one that it does not take.
    fn take_fused(&mut self, block: &mut MotionBlock, steps: u64) -> usize {
        let mut mark = match std::mem::replace(block.mark_mut(), BlockMark::None) {
            BlockMark::Fused(mut mark) => {
                mark.motion.clone_from(&self.motion);
                mark.previous.copy_from_slice(&self.previous);
                mark
            }
            _ => Box::new(FusedBlockMark {
                motion: self.motion.clone(),
                previous: self.previous.clone(),
                fused: FusedMark::default(),
            }),
        };
        let solver = &mut self.scheme.solver;
        let taken = solver.take_traced(&mut self.motion, steps, &mut mark.fused, block.states_mut());
        self.refused = taken < steps;
        match taken {
            0 => {}
            1 => self.previous.copy_from_slice(&mark.motion.state),
            _ => block.read_state(taken as usize - 2, &mut self.previous),
        }
        *block.mark_mut() = BlockMark::Fused(mark);
        taken as usize
    }

    /// Takes steps of a block one after the other; none of them if one fails.
    fn take_whole(&mut self, block: &mut MotionBlock, steps: u64) -> usize {
        *block.mark_mut() = BlockMark::Whole(Box::new(self.clone()));
        for row in 0..steps as usize {
            if self.advance().is_err() {
                self.leave_block(block);
                return 0;
            }
            block.set_state(row, &self.motion.state);
        }
        steps as usize
    }

    /// Sees what the last step did.
    pub(super) fn follow_step(&mut self) {
        self.smoothness.follow(&self.previous, &self.motion.state);
        if let Some(rows) = &mut self.scheme.rows {
            let Clock { time, h, .. } = self.motion.clock;
            if !rows.are_far(&self.motion.state, time, h, &mut self.smoothness.longest_row) {
                self.smoothness.come_near();
            }
        }
    }

    fn take(&mut self, begin: f64, h: f64, usual: bool) -> Result<(), Reason> {
        self.refused = false;
        self.scheme.solver.take(&mut self.motion, begin, h, usual)
    }

    pub(super) fn whole_step(&mut self) -> Result<(), StepFailure> {
        let Clock { time, h, .. } = self.motion.clock;
        self.take(time, h, true).map_err(|reason| self.undo(reason))?;
        self.motion.clock.advance(1);
        Ok(())
    }

    fn undo(&mut self, reason: Reason) -> StepFailure {
        self.scheme.solver.leave_fused();
        self.motion.state.copy_from_slice(&self.previous);
        StepFailure { shorter: self.scheme.solver.longest(), ..self.failure(reason) }
    }

    /// Undoes a step that was counted already.
    fn take_back(&mut self, reason: Reason) -> StepFailure {
        self.motion.clock.take_back();
        if let Some(time) = self.changed {
            self.motion.clock.time = time;
        }
        self.undo(reason)
    }

    fn failure(&self, reason: Reason) -> StepFailure {
        let Clock { steps, time, .. } = self.motion.clock;
        StepFailure::at(steps, time, self.scheme.state_names.iter().cloned(), &self.motion.state, reason)
    }
}

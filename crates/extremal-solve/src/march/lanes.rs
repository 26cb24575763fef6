//! Several motions side by side: as long as their steps work out in one piece, the same instructions take those of all.

use extremal_eval::LaneMachine;

use super::{CompiledScheme, March, Marcher};
use crate::failure::StepFailure;
use crate::stride::GOING;

/// Takes the steps of several motions of one scheme at once. Each goes the way it would go alone, bit for bit: a motion whose step
/// does not work out in one piece takes it by itself and comes back.
#[derive(Clone)]
pub struct LaneMarcher {
    machine: LaneMachine,
    outputs: Vec<f64>,
    lanes: Vec<Lane>,
}

/// A place for a motion.
#[derive(Clone, Copy, Default)]
struct Lane {
    occupied: bool,
    /// Steps to be taken here.
    left: u64,
    /// Steps taken since the motion came.
    taken: u64,
}

/// Fewer steps are not worth the way into a lane.
const WORTHWHILE: u64 = 4;

impl CompiledScheme {
    /// What it takes to march so many motions at once; `None` where a step is not of one piece, or where there are no instructions
    /// for so many.
    pub fn lanes(&self, lanes: usize) -> Option<LaneMarcher> {
        let program = self.stride.as_ref()?.program();
        let machine = program.lane_machine(lanes)?;
        let outputs = vec![0.0; program.outputs(0).len() * lanes];
        Some(LaneMarcher { machine, outputs, lanes: vec![Lane::default(); lanes] })
    }
}

impl LaneMarcher {
    /// How many motions can be marched at once.
    pub fn lanes(&self) -> usize {
        self.lanes.len()
    }

    /// Takes `steps` steps with each of `motions`, of the scheme that this was made of: the same as [`March::advance_many`] with one
    /// after the other.
    pub fn advance(&mut self, motions: &mut [&mut Marcher], steps: u64) -> Vec<Result<(), StepFailure>> {
        motions.chunks_mut(self.lanes.len()).flat_map(|motions| self.advance_together(motions, steps)).collect()
    }

    fn advance_together(&mut self, motions: &mut [&mut Marcher], steps: u64) -> Vec<Result<(), StepFailure>> {
        self.lanes.fill(Lane::default());
        let mut outcomes: Vec<_> =
            motions.iter_mut().enumerate().map(|(at, motion)| self.enter(motion, at, steps)).collect();
        let mut entered = true;
        while let Some(common) = self.lanes.iter().filter(|lane| lane.occupied).map(|lane| lane.left).min() {
            if entered || self.lanes.iter().any(|lane| !lane.occupied) {
                self.fill_empty_lanes();
                entered = false;
            }
            let rounds = self.machine.repeat(common);
            for lane in self.lanes.iter_mut().filter(|lane| lane.occupied) {
                lane.left -= rounds;
                lane.taken += rounds;
            }
            if rounds < common {
                self.single_step(motions, &mut outcomes);
            }
            for (at, motion) in motions.iter_mut().enumerate() {
                if self.lanes[at].occupied && self.lanes[at].left == 0 {
                    self.leave(motion, at);
                    // The last step is taken alone, for then the state before it is known.
                    outcomes[at] = motion.advance();
                }
            }
        }
        outcomes
    }

    /// Brings a motion into a lane, after the steps that it has to take alone.
    fn enter(&mut self, motion: &mut Marcher, at: usize, mut steps: u64) -> Result<(), StepFailure> {
        while steps > 0 && !motion.history.is_full() {
            motion.advance()?;
            steps -= 1;
        }
        if steps < WORTHWHILE || !motion.can_stride() {
            return motion.advance_many(steps);
        }
        self.lanes[at] = Lane { occupied: true, left: steps - 1, taken: 0 };
        for stage in 0..=GOING {
            self.load(motion, at, stage);
        }
        Ok(())
    }

    /// Gives a lane the inputs of a motion.
    fn load(&mut self, motion: &mut Marcher, at: usize, stage: usize) {
        let lanes = self.lanes.len();
        let Some(stride) = motion.current_stride() else { return };
        let places = self.machine.inputs_mut(stage).chunks_exact_mut(lanes);
        places.zip(stride.inputs(stage)).for_each(|(place, value)| place[at] = *value);
    }

    /// Lets empty lanes do what an occupied one does, so that they do not stop the others.
    fn fill_empty_lanes(&mut self) {
        let Some(model) = self.lanes.iter().position(|lane| lane.occupied) else { return };
        for stage in 0..=GOING {
            for place in self.machine.inputs_mut(stage).chunks_exact_mut(self.lanes.len()) {
                let value = place[model];
                place.iter_mut().zip(&self.lanes).filter(|(_, lane)| !lane.occupied).for_each(|(x, _)| *x = value);
            }
            if stage < GOING {
                self.machine.commit(stage);
            }
        }
    }

    /// Takes one step with each motion: together with those whose step works out, one by one with the others.
    fn single_step(&mut self, motions: &mut [&mut Marcher], outcomes: &mut [Result<(), StepFailure>]) {
        let count = self.lanes.len();
        let mut outputs = std::mem::take(&mut self.outputs);
        self.machine.run(0, &mut outputs);
        let (holds, next) = outputs.split_at(count);
        let going = self.machine.inputs_mut(GOING).chunks_exact_mut(count).zip(next.chunks_exact(count));
        for (place, next) in going {
            place.iter_mut().zip(next).zip(holds).filter(|(_, holds)| **holds != 0.0).for_each(|((x, y), _)| *x = *y);
        }
        for (at, motion) in motions.iter_mut().enumerate() {
            if !self.lanes[at].occupied {
                continue;
            }
            self.lanes[at].left -= 1;
            if holds[at] != 0.0 {
                self.lanes[at].taken += 1;
                continue;
            }
            let left = self.lanes[at].left;
            self.leave(motion, at);
            motion.strides.failed += 1;
            motion.previous.copy_from_slice(&motion.state);
            outcomes[at] = motion.whole_step();
            if outcomes[at].is_err() {
                continue;
            }
            if motion.can_stride() {
                self.lanes[at] = Lane { occupied: true, left, taken: 0 };
                self.load(motion, at, GOING);
            } else {
                outcomes[at] = motion.advance_many(left + 1);
            }
        }
        self.outputs = outputs;
    }

    /// Takes a motion out of its lane.
    fn leave(&mut self, motion: &mut Marcher, at: usize) {
        let lanes = self.lanes.len();
        let lane = std::mem::take(&mut self.lanes[at]);
        let Some(stride) = motion.current_stride() else { return };
        let places = self.machine.inputs(GOING).chunks_exact(lanes);
        stride.going_mut().iter_mut().zip(places).for_each(|(value, place)| *value = place[at]);
        motion.strode(lane.taken);
    }
}

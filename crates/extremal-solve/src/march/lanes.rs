//! Several motions side by side: as long as their steps work out in one piece, the same instructions take those of all.

use extremal_eval::{LaneMachine, TRIES};

use super::{CompiledScheme, March, Marcher};
use crate::failure::StepFailure;
use crate::stride::GOING;

/// Takes the steps of several motions of one scheme at once. Each goes the way it would go alone, bit for bit: a motion whose step
/// does not work out in one piece takes it by itself and comes back.
#[derive(Clone)]
pub struct LaneMarcher {
    machine: LaneMachine,
    /// For how many steps a motion entered each lane; none is there if there is none.
    entered: Vec<Option<u64>>,
}

/// Fewer steps are not worth the way into a lane.
const WORTHWHILE: u64 = 4;

impl CompiledScheme {
    /// What it takes to march so many motions at once; `None` where a step is not of one piece, or where there are no instructions
    /// for so many.
    pub fn lanes(&self, lanes: usize) -> Option<LaneMarcher> {
        let machine = self.stride.as_ref()?.lane_program().lane_machine(lanes)?;
        Some(LaneMarcher { machine, entered: vec![None; lanes] })
    }
}

impl LaneMarcher {
    /// How many motions can be marched at once.
    pub fn lanes(&self) -> usize {
        self.entered.len()
    }

    /// Takes `steps` steps with each of `motions`, of the scheme that this was made of: the same as [`March::advance_many`] with one
    /// after the other.
    pub fn advance(&mut self, motions: &mut [&mut Marcher], steps: u64) -> Vec<Result<(), StepFailure>> {
        motions.chunks_mut(self.lanes()).flat_map(|motions| self.advance_together(motions, steps)).collect()
    }

    fn advance_together(&mut self, motions: &mut [&mut Marcher], steps: u64) -> Vec<Result<(), StepFailure>> {
        self.entered.fill(None);
        let mut outcomes: Vec<_> =
            motions.iter_mut().enumerate().map(|(at, motion)| self.begin(motion, at, steps)).collect();
        let mut began = true;
        while self.entered.iter().any(Option::is_some) {
            if began || self.entered.contains(&None) {
                self.fill_empty_lanes();
                began = false;
            }
            self.machine.repeat(u64::MAX);
            for (at, motion) in motions.iter_mut().enumerate() {
                let [tries, left] = self.counters(at);
                if self.entered[at].is_some() && (left == 0 || tries == u64::from(TRIES)) {
                    outcomes[at] = self.leave(motion, at, left);
                }
            }
        }
        outcomes
    }

    /// Brings a motion into a lane, after the steps that it has to take alone.
    fn begin(&mut self, motion: &mut Marcher, at: usize, mut steps: u64) -> Result<(), StepFailure> {
        while steps > 0 && !motion.history.is_full() {
            motion.advance()?;
            steps -= 1;
        }
        let alone = steps < WORTHWHILE || !motion.can_stride();
        if alone || !motion.current_stride().is_some_and(|stride| stride.fits_lanes()) {
            return motion.advance_many(steps);
        }
        for stage in 0..GOING {
            self.load(motion, at, stage);
        }
        self.enter(motion, at, steps - 1);
        Ok(())
    }

    /// Brings a motion, whose parameters are there already, into a lane for so many steps.
    fn enter(&mut self, motion: &mut Marcher, at: usize, steps: u64) {
        self.load(motion, at, GOING);
        let lanes = self.lanes();
        let going = self.machine.inputs_mut(GOING);
        let [tries, left] = counters(going.len(), lanes);
        (going[tries + at], going[left + at]) = (0.0, steps as f64);
        self.entered[at] = Some(steps);
    }

    /// Gives a lane the inputs of a motion.
    fn load(&mut self, motion: &mut Marcher, at: usize, stage: usize) {
        let lanes = self.lanes();
        let Some(stride) = motion.current_stride() else { return };
        let places = self.machine.inputs_mut(stage).chunks_exact_mut(lanes);
        places.zip(stride.inputs(stage)).for_each(|(place, value)| place[at] = *value);
    }

    /// The tries of the present step of a lane, and the steps that are left.
    fn counters(&self, at: usize) -> [u64; 2] {
        let going = self.machine.inputs(GOING);
        counters(going.len(), self.lanes()).map(|first| going[first + at] as u64)
    }

    /// Lets empty lanes do what an occupied one does, so that they do not stop the others.
    fn fill_empty_lanes(&mut self) {
        let Some(model) = self.entered.iter().position(Option::is_some) else { return };
        for stage in 0..=GOING {
            for place in self.machine.inputs_mut(stage).chunks_exact_mut(self.entered.len()) {
                let value = place[model];
                place.iter_mut().zip(&self.entered).filter(|(_, lane)| lane.is_none()).for_each(|(x, _)| *x = value);
            }
            if stage < GOING {
                self.machine.commit(stage);
            }
        }
    }

    /// Takes a motion out of its lane to take a step alone: its last one, for then the state before it is known, or one that does
    /// not work out in one piece, after which it may come back.
    fn leave(&mut self, motion: &mut Marcher, at: usize, left: u64) -> Result<(), StepFailure> {
        let lanes = self.lanes();
        let taken = self.entered[at].take().unwrap_or(left) - left;
        if let Some(stride) = motion.current_stride() {
            let places = self.machine.inputs(GOING).chunks_exact(lanes);
            stride.going_mut().iter_mut().zip(places).for_each(|(value, place)| *value = place[at]);
        }
        motion.strode(taken);
        if left == 0 {
            return motion.advance();
        }
        motion.strides.failed += 1;
        motion.previous.copy_from_slice(&motion.state);
        motion.whole_step()?;
        match left - 1 {
            left @ 1.. if motion.can_stride() => self.enter(motion, at, left),
            left => return motion.advance_many(left + 1),
        }
        Ok(())
    }
}

/// Where the tries and the steps left of all lanes stand, behind everything else.
fn counters(inputs: usize, lanes: usize) -> [usize; 2] {
    [inputs - 2 * lanes, inputs - lanes]
}

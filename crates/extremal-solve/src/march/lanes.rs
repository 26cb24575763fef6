//! Several motions side by side: as long as their steps work out in one piece, the same instructions take those of all.

use extremal_eval::{LaneMachine, TRIES};

use super::{CompiledScheme, DEPTH, March, Marcher, width};
use crate::failure::StepFailure;
use crate::stride::GOING;

/// Takes the steps of several motions of one scheme at once. Each goes the way it would go alone, bit for bit: a motion whose step
/// does not work out in one piece takes it by itself and comes back.
#[derive(Clone)]
pub struct LaneMarcher {
    machine: LaneMachine,
    /// What is in each lane.
    entered: Vec<Option<Entered>>,
    /// How many numbers tell whether a motion is smooth.
    smoothness: usize,
}

/// A motion in a lane: its number, and for how many steps it entered.
#[derive(Clone, Copy, PartialEq)]
struct Entered {
    motion: usize,
    steps: u64,
}

/// Fewer steps are not worth the way into a lane.
const WORTHWHILE: u64 = 4;

impl CompiledScheme {
    /// What it takes to march so many motions at once; `None` where a step is not of one piece, or where there are no instructions
    /// for so many.
    pub fn lanes(&self, lanes: usize) -> Option<LaneMarcher> {
        let machine = self.stride.as_ref()?.lane_program().lane_machine(lanes)?;
        Some(LaneMarcher { machine, entered: vec![None; lanes], smoothness: width(self.dimension) })
    }
}

impl LaneMarcher {
    /// How many motions can be marched at once.
    pub fn lanes(&self) -> usize {
        self.entered.len()
    }

    /// Takes `steps` steps with each of `motions`, of the scheme that this was made of: the same as [`March::advance_many`] with one
    /// after the other. There may be more of them than lanes: when one has arrived, the next takes its place.
    pub fn advance(&mut self, motions: &mut [&mut Marcher], steps: u64) -> Vec<Result<(), StepFailure>> {
        let mut outcomes: Vec<Result<(), StepFailure>> = motions.iter().map(|_| Ok(())).collect();
        let mut waiting = 0..motions.len();
        self.entered.fill(None);
        loop {
            let mut began = false;
            for at in 0..self.lanes() {
                while self.entered[at].is_none()
                    && let Some(next) = waiting.next()
                {
                    outcomes[next] = self.begin(motions[next], next, at, steps);
                    began = true;
                }
            }
            if self.entered.iter().all(Option::is_none) {
                return outcomes;
            }
            if self.entered.contains(&None) {
                self.fill_empty_lanes();
            }
            if began {
                (0..GOING).for_each(|stage| self.machine.commit(stage));
            }
            self.machine.repeat(u64::MAX);
            for at in 0..self.lanes() {
                let [tries, left] = self.counters(at);
                if let Some(Entered { motion, .. }) = self.entered[at]
                    && (left == 0 || tries == u64::from(TRIES))
                {
                    outcomes[motion] = self.leave(motions[motion], at, left);
                }
            }
        }
    }

    /// Brings a motion into a lane, after the steps that it has to take alone.
    fn begin(&mut self, motion: &mut Marcher, number: usize, at: usize, mut steps: u64) -> Result<(), StepFailure> {
        while steps > 0 && !motion.history.is_full() {
            let strides = motion.strides.taken;
            motion.advance_alone(1)?;
            steps -= 1;
            // A step in one piece leads to a state that can be observed; of another this is not known.
            if steps > 0 && motion.strides.taken == strides {
                motion.observe()?;
            }
        }
        let alone = steps < WORTHWHILE || !motion.can_stride();
        if alone || !motion.current_stride().is_some_and(|stride| stride.fits_lanes()) {
            return motion.advance_alone(steps);
        }
        if let Some(stride) = motion.current_stride() {
            stride.predict_from(DEPTH);
        }
        for stage in 0..GOING {
            self.load(motion, at, stage);
        }
        self.enter(motion, at, Entered { motion: number, steps: steps - 1 });
        Ok(())
    }

    /// Brings a motion, whose parameters are there already, into a lane.
    fn enter(&mut self, motion: &mut Marcher, at: usize, entered: Entered) {
        self.load(motion, at, GOING);
        let lanes = self.lanes();
        let smoothness = self.first_of_smoothness();
        let going = self.machine.inputs_mut(GOING);
        let places = going[smoothness..].chunks_exact_mut(lanes);
        places.zip(&motion.smoothness.values).for_each(|(place, value)| place[at] = *value);
        let [tries, left] = counters(going.len(), lanes);
        (going[tries + at], going[left + at]) = (0.0, entered.steps as f64);
        self.entered[at] = Some(entered);
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
        }
    }

    /// Takes a motion out of its lane to take a step alone: its last one, for then the state before it is known, or one that does
    /// not work out in one piece, after which it may come back.
    fn leave(&mut self, motion: &mut Marcher, at: usize, left: u64) -> Result<(), StepFailure> {
        let lanes = self.lanes();
        let Some(entered) = self.entered[at].take() else { return Ok(()) };
        if let Some(stride) = motion.current_stride() {
            let places = self.machine.inputs(GOING).chunks_exact(lanes);
            stride.going_mut().iter_mut().zip(places).for_each(|(value, place)| *value = place[at]);
        }
        let places = self.machine.inputs(GOING)[self.first_of_smoothness()..].chunks_exact(lanes);
        motion.smoothness.values.iter_mut().zip(places).for_each(|(value, place)| *value = place[at]);
        motion.strode(entered.steps - left);
        if left == 0 {
            return motion.advance_alone(1);
        }
        motion.strides.failed += 1;
        motion.previous.copy_from_slice(&motion.state);
        motion.whole_step()?;
        motion.smoothness.follow(&motion.previous, &motion.state);
        motion.observe()?;
        match left - 1 {
            steps @ 1.. if motion.can_stride() => self.enter(motion, at, Entered { steps, ..entered }),
            left => return motion.advance_alone(left + 1),
        }
        Ok(())
    }

    /// Where the numbers begin that tell whether the motions are smooth: before the counters.
    fn first_of_smoothness(&self) -> usize {
        let lanes = self.lanes();
        let [tries, _] = counters(self.machine.inputs(GOING).len(), lanes);
        tries - self.smoothness * lanes
    }
}

impl Marcher {
    /// Takes `steps` steps as [`March::advance_many`] does, and sees whether they are smooth, as a [`LaneMarcher`] does.
    ///
    /// # Errors
    /// A step that cannot be taken.
    pub fn advance_alone(&mut self, steps: u64) -> Result<(), StepFailure> {
        for left in (0..steps).rev() {
            self.advance()?;
            self.smoothness.follow(&self.previous, &self.state);
            if left > 0 {
                self.observe()?;
            }
        }
        Ok(())
    }

    /// Did all steps that a [`LaneMarcher`] or [`Marcher::advance_alone`] took change positions and momenta little beside the steps
    /// before them? Where they did, no step of a method of second order or more is far from the motion.
    pub fn was_smooth(&self) -> bool {
        self.smoothness.holds()
    }
}

/// Where the tries and the steps left of all lanes stand, behind everything else.
fn counters(inputs: usize, lanes: usize) -> [usize; 2] {
    [inputs - 2 * lanes, inputs - lanes]
}

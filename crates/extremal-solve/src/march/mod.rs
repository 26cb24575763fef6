//! Marching: one step after the other from a start, whatever method takes them.

mod adaptive;
mod block;
mod clock;
mod cohort;
mod compiled;
mod fate;
mod lane_opening;
mod lane_start;
mod lane_watch;
mod lanes;
mod lattice;
mod marcher;
mod paced;
mod paired;
mod right_hand_side;
mod smoothness;

use std::ops::Range;

use extremal_expr::Id;

use crate::configuration::PassedConfiguration;
use crate::failure::{Reason, StepFailure};
use crate::kernel::Work;

pub use adaptive::AdaptiveMarcher;
pub use block::MotionBlock;
pub(crate) use clock::Clock;
pub use cohort::LaneCohort;
pub use compiled::{CompiledScheme, ExplicitStep};
pub use fate::MotionFate;
pub use lane_start::LaneStart;
pub use lane_watch::SeenLanes;
pub use lanes::{LaneMarcher, LaneObserver};
pub use lattice::{LatticeInstance, LatticeMarcher, LatticeScheme};
pub use marcher::Marcher;
pub use paced::PacedMarcher;
pub use paired::LatticePairs;
pub(crate) use smoothness::{BEGUN, FADING, QUIET, SMOOTH};

/// A condition that must hold after every step, in the symbols of the state.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The condition as the user wrote it.
    pub text: String,
    /// Its expression.
    pub condition: Id,
}

/// What a run starts from.
#[derive(Clone, Debug, Default)]
pub struct StartValues {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Second positions, for a `two-points` start; empty otherwise.
    pub second: Vec<f64>,
    /// Entropies.
    pub s: Vec<f64>,
    /// Multipliers of the vakonomic constraints.
    pub multipliers: Vec<f64>,
    /// The first time.
    pub time: f64,
}

/// What all steps together cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalWork {
    /// Iterations.
    pub iterations: u64,
    /// The largest residual of a step, relative to the size of its terms.
    pub max_residual: f64,
    /// Steps whose stages fixed-point iteration left to Newton's method.
    pub newton_steps: u64,
}

impl TotalWork {
    #[inline]
    pub(crate) fn add(&mut self, step: Work) {
        self.iterations += u64::from(step.iterations);
        self.max_residual = self.max_residual.max(step.residual);
    }
}

/// A motion that can be followed step by step, whatever method moves it.
pub trait March: Send {
    /// Steps taken.
    fn steps(&self) -> u64;
    /// The time now.
    fn time(&self) -> f64;
    /// The state now; the coordinates come first.
    fn state(&self) -> &[f64];
    /// Iterations and residuals so far.
    fn work(&self) -> TotalWork;
    /// Takes one step. After a failure the state is still the last good one.
    fn advance(&mut self) -> Result<(), StepFailure>;
    /// Takes many steps, the same as one after the other.
    fn advance_many(&mut self, steps: u64) -> Result<(), StepFailure> {
        (0..steps).try_for_each(|_| self.advance())
    }
    /// Takes a last step of another size.
    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure>;
    /// Replaces the last step by one of size `h` from the state before it: how events are located inside a step. The motion
    /// ends there; it is not meant to be continued.
    fn retake(&mut self, h: f64) -> Result<(), StepFailure>;
    /// Goes on from another state at the present time, somewhere inside the last step. The numbers of the state at `kept` stay; what
    /// steps before it would say of the next ones is forgotten. [`retake`](March::retake) and [`complete`](March::complete) then begin
    /// here.
    fn change(&mut self, values: &StartValues, kept: Range<usize>) -> Result<(), StepFailure>;
    /// Takes the rest of a step in which the state was [changed](March::change), to its `end`.
    fn complete(&mut self, end: f64) -> Result<(), StepFailure>;
    /// Velocities, momenta and the further outputs at the present state. A state where one of them does not exist is none
    /// of the motion: after a failure the motion is back at the last good one.
    fn observe(&mut self) -> Result<&[f64], StepFailure>;
    /// The further outputs alone, where they can be had for less than an observation.
    fn observe_outputs(&mut self) -> Option<Result<&[f64], StepFailure>> {
        None
    }
    /// Takes up to so many steps and writes what is seen after each of them, its time and the further outputs, where that takes less
    /// than to look at one after the other; returns how many. None are taken where something is out of the ordinary: the next step is
    /// then to be taken alone.
    fn advance_seen(&mut self, _steps: u64, _seen: &mut Vec<f64>) -> u64 {
        0
    }
    /// What it takes to take many steps and observe each of them, where that gives the same numbers as one after the other.
    fn block(&self) -> Option<MotionBlock> {
        None
    }
    /// Takes up to so many steps into a block of this motion and observes each; returns how many. None are taken where something is
    /// out of the ordinary, or a state could not be observed: the next step is then to be taken alone.
    fn advance_block(&mut self, _block: &mut MotionBlock, _steps: u64) -> usize {
        0
    }
    /// Goes back to before the block that was taken last.
    fn leave_block(&mut self, _block: &mut MotionBlock) {}
    /// The present state as one that the motion cannot go on from.
    fn stop(&self, reason: Reason) -> StepFailure;
    /// Takes back the last step, which is no motion.
    fn reject(&mut self, reason: Reason) -> StepFailure;
    /// A copy on which the last step can be retaken while this motion goes on.
    fn fork(&self) -> Box<dyn March>;
    /// Singular configurations that the motion watches for by itself and went through on purpose, and how many they were.
    fn passed(&self) -> (&[PassedConfiguration], u64) {
        (&[], 0)
    }
}

//! Looking at motions in their lanes, all at once.

use super::{Clock, Marcher};
use crate::kernel::Kernel;
use crate::lane_kernel::LaneKernel;

/// What is seen of motions side by side: for each number the values of all lanes.
pub struct SeenLanes<'a> {
    /// Which motion is in each lane.
    pub motions: &'a [Option<usize>],
    /// When they are where they are.
    pub times: &'a [f64],
    /// Their states.
    pub states: &'a [f64],
    /// What is observed there, as by [`March::observe`](super::March::observe).
    pub observed: &'a [f64],
}

/// What it takes to look at motions in their lanes.
#[derive(Clone)]
pub(super) struct LaneWatch {
    kernel: LaneKernel,
    /// The motion in each lane, the clock with which it came there, and for how many steps.
    motions: Vec<Option<usize>>,
    clocks: Vec<(Clock, u64)>,
    times: Vec<f64>,
}

impl LaneWatch {
    /// By the kernel of an observation; `None` where it cannot look at several states side by side.
    pub fn of(observation: &Kernel, lanes: usize) -> Option<LaneWatch> {
        let kernel = LaneKernel::in_lanes(observation, lanes)?;
        let clocks = vec![(Clock::default(), 0); lanes];
        Some(LaneWatch { kernel, motions: vec![None; lanes], clocks, times: vec![0.0; lanes] })
    }

    /// A motion begins to be in a lane.
    pub fn load(&mut self, motion: &Marcher, at: usize) {
        let parameters = motion.scheme.solver.observation.kernel.parameters();
        let places = self.kernel.parameters_mut().chunks_exact_mut(self.motions.len());
        places.zip(parameters).for_each(|(place, value)| place[at] = *value);
    }

    /// Sets the parameters of all lanes, a column for each.
    pub fn set_parameters(&mut self, columns: &[f64]) {
        self.kernel.parameters_mut().copy_from_slice(columns);
        self.kernel.commit_parameters();
    }

    /// The empty lanes get the parameters of an occupied one.
    pub fn fill_empty(&mut self, model: usize, empty: impl Fn(usize) -> bool) {
        for place in self.kernel.parameters_mut().chunks_exact_mut(self.motions.len()) {
            let value = place[model];
            place.iter_mut().enumerate().filter(|(at, _)| empty(*at)).for_each(|(_, x)| *x = value);
        }
        let (time, clock) = (self.times[model], self.clocks[model]);
        let others = self.times.iter_mut().zip(&mut self.clocks).enumerate().filter(|(at, _)| empty(*at));
        others.for_each(|(_, (own_time, own_clock))| (*own_time, *own_clock) = (time, clock));
    }

    /// The parameters of all lanes are there.
    pub fn commit(&mut self) {
        self.kernel.commit_parameters();
    }

    /// A motion goes on in a lane for so many steps.
    pub fn enter(&mut self, number: usize, clock: Clock, steps: u64, at: usize) {
        (self.motions[at], self.clocks[at], self.times[at]) = (Some(number), (clock, steps), clock.time);
    }

    /// It leaves the lane.
    pub fn leave(&mut self, at: usize) {
        self.motions[at] = None;
    }

    /// The motions in lanes.
    pub fn motions(&self) -> impl Iterator<Item = usize> {
        self.motions.iter().filter_map(|motion| *motion)
    }

    /// What was seen last in a lane.
    pub fn observed(&self, at: usize) -> impl Iterator<Item = f64> {
        self.kernel.outputs(at)
    }

    /// What was seen last, a column for each number.
    pub fn columns(&self) -> &[f64] {
        self.kernel.columns()
    }

    /// Looks at the states in all lanes, to which so many steps are left; `None` if one of them has to be looked at alone.
    pub fn see<'a>(&'a mut self, states: &'a [f64], left: &[f64]) -> Option<SeenLanes<'a>> {
        for (((time, (clock, steps)), left), motion) in
            self.times.iter_mut().zip(&self.clocks).zip(left).zip(&self.motions)
        {
            if motion.is_some() {
                *time = clock.time_after(clock.steps + steps - *left as u64);
            }
        }
        let inputs = self.kernel.inputs_mut();
        inputs[..states.len()].copy_from_slice(states);
        inputs[states.len()..][..self.times.len()].copy_from_slice(&self.times);
        let observed = self.kernel.run()?;
        Some(SeenLanes { motions: &self.motions, times: &self.times, states, observed })
    }
}

//! The beginning of several motions side by side: their starts, what is observed there, and the first step of each.

use super::{CompiledScheme, March, Marcher};
use crate::failure::StepFailure;
use crate::kernel::Kernel;
use crate::lane_kernel::LaneKernel;
use crate::newton::LaneNewton;

/// Begins several motions of one scheme at once, and shows them what would be observed where they are. Each begins as it would alone, bit
/// for bit; what does not work out side by side is done alone.
#[derive(Clone)]
pub struct LaneStart {
    start: Option<LaneKernel>,
    observation: Option<LaneKernel>,
    first_step: Option<LaneNewton>,
    lanes: usize,
}

impl CompiledScheme {
    /// What it takes to begin so many motions at once.
    pub fn lane_start(&self, lanes: usize) -> LaneStart {
        let first_step = self.solver.begins_alike().then(|| LaneNewton::of(self.solver.newton(), lanes)).flatten();
        LaneStart {
            start: LaneKernel::in_lanes(&self.start, lanes),
            observation: LaneKernel::in_lanes(&self.solver.observation.kernel, lanes),
            first_step,
            lanes,
        }
    }
}

impl LaneStart {
    /// How many motions it takes at once.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Begins motions that are [ready](Marcher::make_ready), at most as many as there are lanes.
    pub fn begin(&mut self, motions: &mut [&mut Marcher]) -> Vec<Result<(), StepFailure>> {
        let found = self.start.as_mut().and_then(|start| {
            load_parameters(start, motions, |motion| &motion.scheme.start);
            load(start.inputs_mut(), self.lanes, motions, |motion| motion.start_inputs.iter().copied());
            start.run()
        });
        let mut begin = |(at, motion): (usize, &mut &mut Marcher)| match found {
            None => motion.begin(),
            Some(states) => {
                motion.begin_at(states.iter().skip(at).step_by(self.lanes).copied());
                Ok(())
            }
        };
        motions.iter_mut().enumerate().map(&mut begin).collect()
    }

    /// Takes a step with each motion, as [`Marcher::advance_alone`] does.
    pub fn step(&mut self, motions: &mut [&mut Marcher]) -> Vec<Result<(), StepFailure>> {
        let first = motions.iter().all(|motion| motion.steps() == 0) && self.solve_first_steps(motions);
        let mut step = |(at, motion): (usize, &mut &mut Marcher)| {
            let (Some(solved), Some(observed)) = (&self.first_step, &self.observation) else {
                return motion.advance_alone(1);
            };
            match solved.work(at).filter(|_| first) {
                None => motion.advance_alone(1),
                Some(work) => match motion.follow_first_step(observed.outputs(at), solved, at, work) {
                    true => Ok(()),
                    false => motion.advance_alone(1),
                },
            }
        };
        motions.iter_mut().enumerate().map(&mut step).collect()
    }

    /// Observes motions where they are, so that they know what they observe there next.
    pub fn show(&mut self, motions: &mut [&mut Marcher]) {
        for motions in motions.chunks_mut(self.lanes) {
            if self.observe(motions)
                && let Some(observed) = &self.observation
            {
                motions.iter_mut().enumerate().for_each(|(at, motion)| motion.show(observed.outputs(at)));
            }
        }
    }

    fn observe(&mut self, motions: &[&mut Marcher]) -> bool {
        let Some(observation) = &mut self.observation else { return false };
        load_parameters(observation, motions, |motion| &motion.scheme.solver.observation.kernel);
        let state = motions.first().map_or(0, |motion| motion.motion.state.len());
        let (states, times) = observation.inputs_mut().split_at_mut(state * self.lanes);
        load(states, self.lanes, motions, |motion| motion.motion.state.iter().copied());
        load(times, self.lanes, motions, |motion| [motion.motion.clock.time].into_iter());
        observation.run().is_some()
    }

    /// Solves for the first steps, which begin with the velocities that are observed.
    fn solve_first_steps(&mut self, motions: &[&mut Marcher]) -> bool {
        if self.first_step.is_none() || !self.observe(motions) {
            return false;
        }
        let (Some(first_step), Some(observed)) = (&mut self.first_step, &self.observation) else { return false };
        let machine = first_step.machine_mut();
        load(machine.inputs_mut(0), self.lanes, motions, |motion| {
            motion.scheme.solver.newton().parameters().iter().copied()
        });
        machine.commit(0);
        let inputs = machine.inputs_mut(1);
        for at in 0..self.lanes {
            let motion = &motions[at.min(motions.len() - 1)];
            let (state, clock) = (&motion.motion.state, motion.motion.clock);
            let velocities = observed.outputs(at).take(motion.scheme.dimension);
            let values = state.iter().copied().chain([clock.time, clock.h]).chain(velocities);
            inputs.chunks_exact_mut(self.lanes).zip(values).for_each(|(place, value)| place[at] = value);
        }
        first_step.run();
        true
    }
}

/// Gives the lanes of a kernel the parameters that motions have in theirs.
fn load_parameters(kernel: &mut LaneKernel, motions: &[&mut Marcher], own: impl Fn(&Marcher) -> &Kernel) {
    let lanes = kernel.lanes();
    load(kernel.parameters_mut(), lanes, motions, |motion| own(motion).parameters().iter().copied());
    kernel.commit_parameters();
}

/// Gives all lanes the numbers of motions; lanes that are left over do what the last motion does.
fn load<'m, V: Iterator<Item = f64>>(
    inputs: &mut [f64],
    lanes: usize,
    motions: &'m [&mut Marcher],
    values: impl Fn(&'m Marcher) -> V,
) {
    for at in 0..lanes {
        let Some(motion) = motions.get(at).or(motions.last()) else { return };
        inputs.chunks_exact_mut(lanes).zip(values(motion)).for_each(|(place, value)| place[at] = value);
    }
}

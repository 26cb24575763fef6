//! Newton's method for several inputs side by side, as long as whole updates lead to the solution.

use extremal_eval::Machine;

use super::{FULL_PACE_ITERATIONS, NewtonOptions, QUADRATIC, ROUND_OFF, SolvePlan, norm, relative};
use crate::kernel::{Kernel, Work};
use crate::linear::LaneSolver;

/// A [`Kernel`] for several inputs side by side, each of which goes as the kernel would from the guesses of its formulas, bit for bit; where that
/// is not by whole updates alone, it does not answer.
#[derive(Clone)]
pub(crate) struct LaneNewton {
    machine: Machine,
    /// One after the other.
    systems: Vec<LaneSystem>,
    options: NewtonOptions,
    /// For each number the values of all lanes: the unknowns of all systems, and the outputs.
    x: Vec<f64>,
    outputs: Vec<f64>,
    lanes: Vec<LaneIteration>,
    work: Vec<Option<Work>>,
}

/// One system of equations.
#[derive(Clone)]
struct LaneSystem {
    plan: SolvePlan,
    solver: LaneSolver,
    /// Residuals and slopes, and outputs, residuals and sizes.
    values: Vec<f64>,
    checked: Vec<f64>,
    /// Of one lane: unknowns, updates or residuals, and sizes.
    own: [Vec<f64>; 2],
}

/// How far a lane has come.
#[derive(Clone, Copy)]
struct LaneIteration {
    previous: f64,
    best: f64,
    /// Is it still on its way?
    going: bool,
    /// Does it have to be checked after this update, and did updates still fall by half?
    settled: bool,
    falling: bool,
    done: Option<Work>,
}

const BEGUN: LaneIteration = LaneIteration {
    previous: f64::INFINITY,
    best: f64::INFINITY,
    going: true,
    settled: false,
    falling: true,
    done: None,
};

impl LaneNewton {
    /// `None` where there is nothing to solve, where Jacobians serve again, or where there are no instructions for so many lanes.
    pub fn of(kernel: &Kernel, lanes: usize) -> Option<LaneNewton> {
        let solves = kernel.solves();
        let systems = solves.iter().map(|solve| {
            if solve.plan.chain.is_some() || solve.keeps_jacobians() {
                return None;
            }
            let (n, entries, outputs) = (solve.len(), solve.plan.slope_rows.len(), solve.plan.outputs);
            Some(LaneSystem {
                solver: LaneSolver::of(solve.plain_solver()?, entries, lanes),
                values: vec![0.0; (n + entries) * lanes],
                checked: vec![0.0; (outputs + 2 * n) * lanes],
                own: [vec![0.0; n], vec![0.0; n]],
                plan: solve.plan.clone(),
            })
        });
        Some(LaneNewton {
            machine: kernel.program().lane_machine(lanes)?,
            systems: systems.collect::<Option<_>>()?,
            options: solves.first()?.options,
            x: vec![0.0; kernel.unknowns().len() * lanes],
            outputs: vec![0.0; kernel.outputs() * lanes],
            lanes: vec![BEGUN; lanes],
            work: vec![None; lanes],
        })
    }

    /// The machine, whose parameters (of tier 0, to be committed) and inputs (of tier 1) are set before a run.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Solves in all lanes.
    pub fn run(&mut self) {
        let LaneNewton { machine, systems, options, x, outputs, lanes, work } = self;
        work.fill(Some(Work::default()));
        let mut rest = &mut x[..];
        for system in systems {
            let own;
            (own, rest) = rest.split_at_mut(system.plan.names.len() * lanes.len());
            machine.commit(system.plan.tier - 1);
            system.run(machine, options, own, lanes);
            for (all, lane) in work.iter_mut().zip(&*lanes) {
                let both = all.zip(lane.done);
                *all = both.map(|(all, own)| Work {
                    iterations: all.iterations + own.iterations,
                    residual: all.residual.max(own.residual),
                    ..all
                });
            }
            // What the unknowns of one system are to the next.
            machine.inputs_mut(system.plan.tier).copy_from_slice(own);
            if system.plan.outputs > 0 {
                system.take_outputs(work, outputs);
            }
        }
    }

    /// What solving cost in a lane; `None` where it has to be done alone.
    pub fn work(&self, at: usize) -> Option<Work> {
        self.work[at]
    }

    /// The outputs of all lanes, valid in those where there is [work](Self::work).
    pub fn output_columns(&self) -> &[f64] {
        &self.outputs
    }

    /// The unknowns of all lanes.
    pub fn unknown_columns(&self) -> &[f64] {
        &self.x
    }

    /// The outputs in a lane, valid where there is [work](Self::work).
    pub fn outputs(&self, at: usize) -> impl Iterator<Item = f64> {
        self.outputs.iter().skip(at).step_by(self.lanes.len()).copied()
    }

    /// The unknowns in a lane.
    pub fn unknowns(&self, at: usize) -> impl Iterator<Item = f64> {
        self.x.iter().skip(at).step_by(self.lanes.len()).copied()
    }
}

impl LaneSystem {
    fn run(&mut self, machine: &mut Machine, options: &NewtonOptions, x: &mut [f64], lanes: &mut [LaneIteration]) {
        let (n, count) = (self.plan.names.len(), lanes.len());
        // Linear equations need no guess.
        match self.plan.linear {
            true => x.fill(0.0),
            false => machine.run(self.plan.entries.guess, x),
        }
        lanes.fill(BEGUN);
        for iterations in 1..=options.max_iterations.min(FULL_PACE_ITERATIONS) {
            if iterations > 1 && self.plan.linear {
                // The Jacobian is the same as before, and the residual was checked.
                self.values[..n * count].copy_from_slice(&self.checked[self.plan.outputs * count..][..n * count]);
            } else {
                machine.inputs_mut(self.plan.tier).copy_from_slice(x);
                machine.run(self.plan.entries.slopes, &mut self.values);
            }
            let (residual, slopes) = self.values.split_at_mut(n * count);
            for (at, lane) in lanes.iter_mut().enumerate() {
                lane.going &= residual.iter().skip(at).step_by(count).all(|residual| residual.is_finite());
            }
            if !self.solver.solve(count, slopes, residual) {
                break;
            }
            self.update(x, lanes);
            if lanes.iter().any(|lane| lane.going && lane.settled) {
                machine.inputs_mut(self.plan.tier).copy_from_slice(x);
                machine.run(self.plan.entries.check, &mut self.checked);
                for (at, lane) in lanes.iter_mut().enumerate() {
                    self.check(x, [at, count], lane, options, iterations);
                }
            }
            if !lanes.iter().any(|lane| lane.going) {
                break;
            }
        }
    }

    /// Takes the outputs of lanes that have arrived, as they were checked; some may not be finite.
    fn take_outputs(&self, work: &mut [Option<Work>], outputs: &mut [f64]) {
        outputs.copy_from_slice(&self.checked[..outputs.len()]);
        let lanes = work.len();
        for (at, done) in work.iter_mut().enumerate() {
            if !outputs.iter().skip(at).step_by(lanes).all(|output| output.is_finite()) {
                *done = None;
            }
        }
    }

    /// Moves the unknowns of the lanes on their way by the updates that were found.
    fn update(&mut self, all: &mut [f64], lanes: &mut [LaneIteration]) {
        let count = lanes.len();
        let [x, update] = &mut self.own;
        for (at, lane) in lanes.iter_mut().enumerate().filter(|(_, lane)| lane.going) {
            for (row, (x, update)) in x.iter_mut().zip(&mut *update).enumerate() {
                *update = self.values[row * count + at];
                *x = all[row * count + at] - *update;
            }
            let length = norm(update);
            lane.going = length.is_finite();
            if lane.going {
                x.iter().enumerate().for_each(|(row, x)| all[row * count + at] = *x);
                lane.falling = length < 0.5 * lane.previous;
                lane.settled = self.plan.linear || !(lane.falling && length > QUADRATIC * norm(x));
                lane.previous = length;
            }
        }
    }

    /// Checks a lane that may have arrived.
    fn check(
        &mut self,
        all: &[f64],
        [at, count]: [usize; 2],
        lane: &mut LaneIteration,
        options: &NewtonOptions,
        iterations: u32,
    ) {
        let n = self.plan.names.len();
        if !(lane.going && lane.settled) {
            return;
        }
        let first = self.plan.outputs;
        let [x, other] = &mut self.own;
        let of_lane = |from: usize, all: &[f64], own: &mut [f64]| {
            own.iter_mut().enumerate().for_each(|(row, own)| *own = all[(from + row) * count + at]);
        };
        of_lane(0, all, x);
        let length = norm(x);
        of_lane(first, &self.checked, x);
        of_lane(first + n, &self.checked, other);
        let (residual, _) = relative(x, other);
        let small = lane.previous <= ROUND_OFF * length;
        // What is measured otherwise there is left to the kernel.
        if residual.is_nan() || residual > options.tolerance && (!lane.falling || small) {
            lane.going = false;
            return;
        }
        if residual <= ROUND_OFF || residual <= options.tolerance && residual > 0.5 * lane.best {
            lane.going = false;
            lane.done = Some(Work { iterations, residual, ..Work::default() });
            return;
        }
        lane.best = lane.best.min(residual);
    }
}

//! Newton's method for several inputs side by side, as long as whole updates lead to the solution.

use extremal_eval::Machine;

use super::{FULL_PACE_ITERATIONS, NewtonOptions, QUADRATIC, ROUND_OFF, SolvePlan, norm, relative};
use crate::kernel::{Kernel, Work};
use crate::linear::LaneSolver;

/// A [`Kernel`] of one system of equations for several inputs side by side, each of which goes as the kernel would from the guess of the
/// formula, bit for bit; where that is not by whole updates alone, it does not answer.
#[derive(Clone)]
pub(crate) struct LaneNewton {
    machine: Machine,
    plan: SolvePlan,
    solver: LaneSolver,
    options: NewtonOptions,
    /// For each number the values of all lanes: the unknowns, residuals and slopes, and outputs, residuals and sizes.
    x: Vec<f64>,
    values: Vec<f64>,
    checked: Vec<f64>,
    outputs: Vec<f64>,
    lanes: Vec<LaneIteration>,
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
    /// `None` where there is anything else to solve than one system that is not linear, where Jacobians serve again, or where there are
    /// no instructions for so many lanes.
    pub fn of(kernel: &Kernel, lanes: usize) -> Option<LaneNewton> {
        let [solve] = kernel.solves() else { return None };
        if solve.plan.linear || solve.plan.chain.is_some() || solve.keeps_jacobians() {
            return None;
        }
        let (n, entries, outputs) = (solve.len(), solve.plan.slope_rows.len(), solve.plan.outputs);
        let solver = solve.plain_solver()?;
        Some(LaneNewton {
            machine: kernel.program().lane_machine(lanes)?,
            solver: LaneSolver::of(solver, entries, lanes),
            options: solve.options,
            x: vec![0.0; n * lanes],
            values: vec![0.0; (n + entries) * lanes],
            checked: vec![0.0; (outputs + 2 * n) * lanes],
            outputs: vec![0.0; outputs * lanes],
            lanes: vec![BEGUN; lanes],
            own: [vec![0.0; n], vec![0.0; n]],
            plan: solve.plan.clone(),
        })
    }

    /// The machine, whose parameters (of tier 0, to be committed) and inputs (of tier 1) are set before a run.
    pub fn machine_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Solves in all lanes.
    pub fn run(&mut self) {
        let (n, lanes) = (self.plan.names.len(), self.lanes.len());
        self.machine.commit(self.plan.tier - 1);
        self.machine.run(self.plan.entries.guess, &mut self.x);
        self.lanes.fill(BEGUN);
        for iterations in 1..=self.options.max_iterations.min(FULL_PACE_ITERATIONS) {
            self.machine.inputs_mut(self.plan.tier).copy_from_slice(&self.x);
            self.machine.run(self.plan.entries.slopes, &mut self.values);
            let (residual, slopes) = self.values.split_at_mut(n * lanes);
            for (at, lane) in self.lanes.iter_mut().enumerate() {
                lane.going &= residual.iter().skip(at).step_by(lanes).all(|residual| residual.is_finite());
            }
            if !self.solver.solve(lanes, slopes, residual) {
                break;
            }
            self.update();
            if self.lanes.iter().any(|lane| lane.going && lane.settled) {
                self.machine.inputs_mut(self.plan.tier).copy_from_slice(&self.x);
                self.machine.run(self.plan.entries.check, &mut self.checked);
                (0..lanes).for_each(|at| self.check(at, iterations));
            }
            if !self.lanes.iter().any(|lane| lane.going) {
                break;
            }
        }
    }

    /// Moves the unknowns of the lanes on their way by the updates that were found.
    fn update(&mut self) {
        let count = self.lanes.len();
        let [x, update] = &mut self.own;
        for (at, lane) in self.lanes.iter_mut().enumerate().filter(|(_, lane)| lane.going) {
            for (row, (x, update)) in x.iter_mut().zip(&mut *update).enumerate() {
                *update = self.values[row * count + at];
                *x = self.x[row * count + at] - *update;
            }
            let length = norm(update);
            lane.going = length.is_finite();
            if lane.going {
                x.iter().enumerate().for_each(|(row, x)| self.x[row * count + at] = *x);
                lane.falling = length < 0.5 * lane.previous;
                lane.settled = !(lane.falling && length > QUADRATIC * norm(x));
                lane.previous = length;
            }
        }
    }

    /// Checks a lane that may have arrived.
    fn check(&mut self, at: usize, iterations: u32) {
        let (count, n) = (self.lanes.len(), self.plan.names.len());
        let lane = &mut self.lanes[at];
        if !(lane.going && lane.settled) {
            return;
        }
        let first = self.plan.outputs;
        let [x, other] = &mut self.own;
        let of_lane = |from: usize, all: &[f64], own: &mut [f64]| {
            own.iter_mut().enumerate().for_each(|(row, own)| *own = all[(from + row) * count + at]);
        };
        of_lane(0, &self.x, x);
        let length = norm(x);
        of_lane(first, &self.checked, x);
        of_lane(first + n, &self.checked, other);
        let (residual, _) = relative(x, other);
        let small = lane.previous <= ROUND_OFF * length;
        // What is measured otherwise there is left to the kernel.
        if residual.is_nan() || residual > self.options.tolerance && (!lane.falling || small) {
            lane.going = false;
            return;
        }
        if residual <= ROUND_OFF || residual <= self.options.tolerance && residual > 0.5 * lane.best {
            lane.going = false;
            let places = (0..first).map(|output| output * count + at);
            if places.clone().all(|place| self.checked[place].is_finite()) {
                places.for_each(|place| self.outputs[place] = self.checked[place]);
                lane.done = Some(Work { iterations, residual, ..Work::default() });
            }
            return;
        }
        lane.best = lane.best.min(residual);
    }

    /// What solving cost in a lane; `None` where it has to be done alone.
    pub fn work(&self, at: usize) -> Option<Work> {
        self.lanes[at].done
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

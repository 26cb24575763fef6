//! A kernel for several inputs side by side, where what it solves is linear.

use extremal_eval::Machine;

use crate::kernel::Kernel;
use crate::linear::LinearSolver;
use crate::newton::{ROUND_OFF, SolvePlan, relative_in_lane};

/// Lanes that are asked for, in this order: as many as there are instructions for, and what there is on every machine.
const LANES: [usize; 4] = [16, 8, 4, 64];

/// A [`Kernel`] for several inputs side by side. What it answers is what the kernel would, bit for bit; it does not answer where that
/// takes more than one update.
#[derive(Clone)]
pub(crate) struct LaneKernel {
    machine: Machine,
    solve: Option<LaneSolve>,
    explicit_entry: usize,
    outputs: usize,
    /// Outputs, then residuals and sizes.
    results: Vec<f64>,
}

/// The linear equations of a kernel.
#[derive(Clone)]
struct LaneSolve {
    plan: SolvePlan,
    solver: LinearSolver,
    /// Residuals and slopes where the unknowns are zero.
    values: Vec<f64>,
    /// The matrix and the right-hand side of one lane.
    matrix: Vec<f64>,
    update: Vec<f64>,
}

impl LaneKernel {
    /// `None` where equations are not linear, or solved one after the other.
    pub fn of(kernel: &Kernel) -> Option<LaneKernel> {
        let solve = match kernel.solves() {
            [] => None,
            [solve] if solve.plan.linear => Some(solve),
            _ => return None,
        };
        let backend = kernel.machine().backend();
        let mut machine = LANES.into_iter().find_map(|lanes| kernel.program().lane_machine_on(backend, lanes))?;
        let lanes = machine.lanes();
        let parameters = kernel.machine().inputs(0);
        machine.inputs_mut(0).chunks_exact_mut(lanes).zip(parameters).for_each(|(place, value)| place.fill(*value));
        machine.commit(0);
        machine.inputs_mut(1).fill(0.0);
        let outputs = kernel.outputs();
        let unknowns = solve.map_or(0, |solve| solve.len());
        let solve = solve.map(|solve| LaneSolve {
            plan: solve.plan.clone(),
            solver: solve.solver().clone(),
            values: vec![0.0; (unknowns + solve.plan.slope_rows.len()) * lanes],
            matrix: vec![0.0; solve.plan.slope_rows.len()],
            update: vec![0.0; unknowns],
        });
        let results = vec![0.0; (outputs + 2 * unknowns) * lanes];
        Some(LaneKernel { machine, solve, explicit_entry: kernel.explicit_entry(), outputs, results })
    }

    pub fn lanes(&self) -> usize {
        self.machine.lanes()
    }

    /// The inputs, for each of them the values of all lanes.
    pub fn inputs_mut(&mut self) -> &mut [f64] {
        self.machine.inputs_mut(1)
    }

    /// Runs the block in all lanes. The outputs, for each of them the values of all lanes, unless a lane has to be asked for alone.
    pub fn run(&mut self) -> Option<&[f64]> {
        let lanes = self.machine.lanes();
        self.machine.commit(1);
        match &mut self.solve {
            None => self.machine.run(self.explicit_entry, &mut self.results),
            Some(solve) => {
                solve.update(&mut self.machine)?;
                self.machine.run(solve.plan.entries.check, &mut self.results);
                let (residuals, sizes) =
                    self.results[self.outputs * lanes..].split_at(solve.plan.names.len() * lanes);
                let worst = (0..lanes).map(|lane| relative_in_lane(residuals, sizes, lane, lanes));
                if !worst.fold(true, |all, residual| all & (residual <= ROUND_OFF)) {
                    return None;
                }
            }
        }
        let outputs = &self.results[..self.outputs * lanes];
        // Zero for a number, NaN for what is none.
        let finite = outputs.iter().fold(true, |all, value| all & value.is_finite());
        finite.then_some(outputs)
    }
}

impl LaneSolve {
    /// Solves for the unknowns, from zero, as Newton's method does in its first update.
    fn update(&mut self, machine: &mut Machine) -> Option<()> {
        let (n, lanes) = (self.update.len(), machine.lanes());
        machine.inputs_mut(self.plan.tier).fill(0.0);
        machine.run(self.plan.entries.slopes, &mut self.values);
        let (residuals, slopes) = self.values.split_at(n * lanes);
        for lane in 0..lanes {
            let of_lane = |values: &[f64], own: &mut [f64]| {
                own.iter_mut().enumerate().for_each(|(at, own)| *own = values[at * lanes + lane]);
            };
            of_lane(slopes, &mut self.matrix);
            of_lane(residuals, &mut self.update);
            if self.update.iter().any(|residual| !residual.is_finite()) {
                return None;
            }
            self.solver.factor(&self.matrix).ok()?;
            self.solver.solve(&mut self.update);
            if self.update.iter().any(|update| !update.is_finite()) {
                return None;
            }
            let unknowns = machine.inputs_mut(self.plan.tier);
            self.update.iter().enumerate().for_each(|(at, update)| unknowns[at * lanes + lane] = 0.0 - update);
        }
        Some(())
    }
}

//! A kernel for several inputs side by side, where what it solves is linear.

use extremal_eval::{Arch, Machine};

use crate::kernel::Kernel;
use crate::linear::LaneSolver;
use crate::newton::{ROUND_OFF, SolvePlan, UNDERFLOW, are_round_off};

/// Lanes that are asked for, in this order: as many as there are instructions for, and what there is on every machine.
const LANES: [usize; 4] = [16, 8, 4, 64];

/// Updates of linear equations: more than one where the first leaves more than round-off.
const MOST_UPDATES: usize = 4;

/// A [`Kernel`] for several inputs side by side. What it answers is what the kernel would, bit for bit; it does not answer where that
/// takes more than a few updates.
#[derive(Clone)]
pub struct LaneKernel {
    machine: Machine,
    solve: Option<LaneSolve>,
    explicit_entry: usize,
    outputs: usize,
    /// Outputs, then residuals and sizes.
    results: Vec<f64>,
    arch: Arch,
}

/// The linear equations of a kernel.
#[derive(Clone)]
struct LaneSolve {
    plan: SolvePlan,
    solver: LaneSolver,
    /// Residuals and slopes where the unknowns are zero.
    values: Vec<f64>,
    /// The least residual so far, lane by lane, and the largest that is accepted.
    best: Vec<f64>,
    tolerance: f64,
}

impl LaneKernel {
    /// `None` where equations are not linear, solved one after the other, or by sums.
    pub(crate) fn of(kernel: &Kernel) -> Option<LaneKernel> {
        let backend = kernel.machine().backend();
        LANES.into_iter().find_map(|lanes| Self::in_machine(kernel, kernel.program().lane_machine_on(backend, lanes)?))
    }

    /// The same for so many inputs, if there are instructions for it.
    pub fn in_lanes(kernel: &Kernel, lanes: usize) -> Option<LaneKernel> {
        Self::in_machine(kernel, kernel.program().lane_machine(lanes)?)
    }

    fn in_machine(kernel: &Kernel, mut machine: Machine) -> Option<LaneKernel> {
        let solve = match kernel.solves() {
            [] => None,
            [solve] if solve.plan.linear => Some(solve),
            _ => return None,
        };
        let lanes = machine.lanes();
        let parameters = kernel.machine().inputs(0);
        machine.inputs_mut(0).chunks_exact_mut(lanes).zip(parameters).for_each(|(place, value)| place.fill(*value));
        machine.commit(0);
        machine.inputs_mut(1).fill(0.0);
        let outputs = kernel.outputs();
        let unknowns = solve.map_or(0, |solve| solve.len());
        let solve = match solve {
            Some(solve) => Some(LaneSolve {
                plan: solve.plan.clone(),
                solver: LaneSolver::of(solve.plain_solver()?, solve.plan.slope_rows.len(), lanes),
                values: vec![0.0; (unknowns + solve.plan.slope_rows.len()) * lanes],
                best: vec![f64::INFINITY; lanes],
                tolerance: solve.tolerance(),
            }),
            None => None,
        };
        let results = vec![0.0; (outputs + 2 * unknowns) * lanes];
        Some(LaneKernel {
            machine,
            solve,
            explicit_entry: kernel.explicit_entry(),
            outputs,
            results,
            arch: Arch::new(),
        })
    }

    /// How many inputs there are side by side.
    pub fn lanes(&self) -> usize {
        self.machine.lanes()
    }

    /// The parameters, for each of them the values of all lanes, to be written before they are [committed](Self::commit_parameters).
    pub fn parameters_mut(&mut self) -> &mut [f64] {
        self.machine.inputs_mut(0)
    }

    /// Does the work that depends on parameters alone.
    pub fn commit_parameters(&mut self) {
        self.machine.commit(0);
    }

    /// The inputs, for each of them the values of all lanes.
    pub fn inputs_mut(&mut self) -> &mut [f64] {
        self.machine.inputs_mut(1)
    }

    /// The outputs of the last run in a lane.
    pub fn outputs(&self, at: usize) -> impl Iterator<Item = f64> {
        self.results[..self.outputs * self.lanes()].iter().skip(at).step_by(self.lanes()).copied()
    }

    /// The outputs of the last run, for each of them the values of all lanes.
    pub fn columns(&self) -> &[f64] {
        &self.results[..self.outputs * self.lanes()]
    }

    /// Runs the block in all lanes. The outputs, for each of them the values of all lanes, unless a lane has to be asked for alone.
    pub fn run(&mut self) -> Option<&[f64]> {
        let lanes = self.machine.lanes();
        self.machine.commit(1);
        let outputs = self.outputs * lanes;
        match &mut self.solve {
            None => self.machine.run(self.explicit_entry, &mut self.results),
            Some(solve) => {
                if !solve.run(&mut self.machine, &mut self.results, outputs, self.arch) {
                    return None;
                }
            }
        }
        let found = &self.results[..outputs];
        let finite = self.arch.dispatch(
            #[inline(always)]
            || are_finite(found),
        );
        finite.then_some(found)
    }
}

impl LaneSolve {
    /// Solves for the unknowns, from zero, and leaves outputs, residuals and sizes in `results`, as Newton's method does where no residual
    /// is worse than the tolerance; `false` where it would find none, or by a closer look.
    fn run(&mut self, machine: &mut Machine, results: &mut [f64], outputs: usize, arch: Arch) -> bool {
        let (n, lanes) = (self.plan.names.len(), machine.lanes());
        machine.inputs_mut(self.plan.tier).fill(0.0);
        machine.run(self.plan.entries.slopes, &mut self.values);
        let (update, slopes) = self.values.split_at_mut(n * lanes);
        let finite = |values: &[f64]| {
            arch.dispatch(
                #[inline(always)]
                || are_finite(values),
            )
        };
        if !finite(update) {
            return false;
        }
        self.best.fill(f64::INFINITY);
        for _ in 0..MOST_UPDATES {
            if !self.solver.solve(lanes, slopes, update) || !finite(update) {
                return false;
            }
            let unknowns = machine.inputs_mut(self.plan.tier);
            unknowns.iter_mut().zip(&*update).for_each(|(unknown, update)| *unknown -= *update);
            machine.run(self.plan.entries.check, results);
            let (residuals, sizes) = results[outputs..].split_at(n * lanes);
            let all = arch.dispatch(
                #[inline(always)]
                || are_round_off(residuals, sizes),
            );
            if all {
                return true;
            }
            let (mut known, mut settled) = (true, true);
            for (at, best) in self.best.iter_mut().enumerate() {
                let residual = relative_in_lane(residuals, sizes, at, lanes);
                known &= residual <= self.tolerance;
                // What does not fall by half any more has reached its round-off.
                let done = residual <= ROUND_OFF || residual > 0.5 * *best;
                settled &= done;
                *best = residual;
                // The next update is none in a lane that has arrived.
                for row in 0..n {
                    update[row * lanes + at] = if done { 0.0 } else { residuals[row * lanes + at] };
                }
            }
            if !known || settled {
                return known;
            }
        }
        false
    }
}

/// The largest residual of a lane, relative to the size of its terms.
fn relative_in_lane(residuals: &[f64], sizes: &[f64], at: usize, lanes: usize) -> f64 {
    let terms = residuals.iter().zip(sizes).skip(at).step_by(lanes);
    terms.fold(0.0, |worst: f64, (residual, size)| {
        let ratio = if *residual == 0.0 { 0.0 } else { residual.abs() / size.max(UNDERFLOW) };
        if ratio > worst || ratio.is_nan() { ratio } else { worst }
    })
}

/// Are all values finite?
#[inline(always)]
fn are_finite(values: &[f64]) -> bool {
    // As wide as the numbers, so that comparisons stay in their registers.
    values.iter().fold(0u64, |wrong, value| wrong | u64::from(!value.is_finite())) == 0
}

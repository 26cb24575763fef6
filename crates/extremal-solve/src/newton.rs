//! Newton's method on one compiled system of equations.

mod backward;
mod chain_rule;
mod lanes;

use std::sync::Arc;

use extremal_eval::{Backend, Machine, Program};

use crate::failure::SolveFailure;
use crate::kernel::Work;
use crate::linear::LinearSolver;
use crate::step::BackOff;
use backward::Backward;
use chain_rule::ChainRule;

pub(crate) use chain_rule::StagedSlopes;
pub(crate) use lanes::LaneNewton;

/// When Newton's method is content, and when it gives up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// The largest residual accepted, relative to the size of its terms.
    pub tolerance: f64,
    /// Iterations before giving up.
    pub max_iterations: u32,
    /// What runs the programs: the fastest there is, unless one is named that this machine has. All give the same bits.
    pub backend: Option<Backend>,
}

impl NewtonOptions {
    pub(crate) fn machine(&self, program: &Program) -> Machine {
        self.backend.and_then(|backend| program.machine_on(backend)).unwrap_or_else(|| program.machine())
    }
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions { tolerance: 1e-12, max_iterations: 40, backend: None }
    }
}

/// A residual this many ε below its terms cannot be improved: it is round-off.
pub(crate) const ROUND_OFF: f64 = 8.0 * f64::EPSILON;
/// Terms this far below what the unknowns of their row could make of them have vanished (per unknown).
const VANISHED: f64 = 1000.0 * f64::EPSILON;
/// After an update this small relative to the unknowns, quadratic convergence makes the next one round-off: time to check.
const QUADRATIC: f64 = 1e-8;
/// Terms smaller than this have lost digits to underflow: their residuals are measured against it.
pub(crate) const UNDERFLOW: f64 = f64::MIN_POSITIVE / f64::EPSILON;
/// Full updates either converge within a few iterations or are better damped.
const FULL_PACE_ITERATIONS: u32 = 12;
/// The smallest fraction of a Newton update that is tried before the direction is called useless.
const SMALLEST_FRACTION: f64 = 1.0 / 1024.0;

/// How often a guess outside the domain of the equations is halved.
const INWARD: u32 = 16;

/// Smaller systems are factored faster than the residual is evaluated once more.
const WORTH_KEEPING: usize = 4;
/// Updates with a Jacobian of before in one call, before it is given up.
const MAX_AGAIN: u32 = 8;
/// Updates above which it pays to factor anew at the next call.
const TOO_MANY: u32 = 3;
/// A Jacobian that does not reduce the residual by this factor is out of date.
const OUT_OF_DATE: f64 = 0.2;

/// How boldly to iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Whole Newton updates: right after a good guess.
    Full,
    /// Updates shortened where needed: from afar.
    Damped,
}

/// The entries of a program that a system of equations has.
#[derive(Clone, Copy)]
pub(crate) struct SolveEntries {
    /// The first guess of the unknowns.
    pub guess: usize,
    /// The residual and the entries of the Jacobian.
    pub slopes: usize,
    /// Outputs of the block, the residual and the sizes of its terms.
    pub check: usize,
    /// The residual alone.
    pub residual: usize,
}

/// Where a system of equations stands in its program, and what it looks like.
#[derive(Clone)]
pub(crate) struct SolvePlan {
    /// The tier of its unknowns.
    pub tier: usize,
    /// Its entries.
    pub entries: SolveEntries,
    /// Outputs of the block that its last entry computes as well.
    pub outputs: usize,
    /// How many inputs the block has.
    pub inputs: usize,
    /// Is it linear in its unknowns?
    pub linear: bool,
    /// What each unknown is, for messages.
    pub names: Vec<String>,
    /// The row of each entry of its Jacobian, and its column.
    pub slope_rows: Vec<usize>,
    pub slope_columns: Vec<usize>,
    /// What these entries are made of, and how, where the program does not compute them themselves.
    pub chain: Option<(usize, Arc<ChainRule>)>,
}

/// One system of equations, with the memory to iterate.
#[derive(Clone)]
pub(crate) struct NewtonSolve {
    pub plan: SolvePlan,
    /// How many of the last outputs are conditions, which hold where they are not zero.
    guards: usize,
    solver: LinearSolver,
    values: Vec<f64>,
    /// The residual, and what the entries of the Jacobian are made of.
    parts: Vec<f64>,
    update: Vec<f64>,
    trial: Vec<f64>,
    backward: Backward,
    options: NewtonOptions,
    kept: Option<KeptJacobian>,
}

/// What is kept of one call for the next.
#[derive(Clone, Default)]
struct KeptJacobian {
    /// The factored Jacobian may serve again.
    factored: bool,
    /// By how much it reduced the residual last.
    rate: f64,
    back_off: BackOff,
    /// Sizes of the terms of each row when they were last evaluated.
    sizes: Vec<f64>,
}

impl NewtonSolve {
    pub fn new(plan: SolvePlan, solver: LinearSolver, options: NewtonOptions) -> Self {
        let n = plan.names.len();
        NewtonSolve {
            guards: 0,
            solver,
            values: vec![0.0; n + plan.slope_rows.len()],
            parts: plan.chain.as_ref().map_or_else(Vec::new, |(parts, _)| vec![0.0; n + parts]),
            update: vec![0.0; n],
            trial: vec![0.0; n],
            backward: Backward::new(plan.tier, plan.entries.residual, plan.inputs, n),
            plan,
            options,
            kept: None,
        }
    }

    /// From now on a Jacobian may serve again in the next call, if that pays.
    pub fn reuse_jacobians(&mut self) {
        if self.len() >= WORTH_KEEPING && !self.plan.linear {
            self.kept = Some(KeptJacobian { sizes: vec![0.0; self.len()], ..KeptJacobian::default() });
        }
    }

    pub fn keeps_jacobians(&self) -> bool {
        self.kept.is_some()
    }

    pub fn forget(&mut self) {
        self.kept.iter_mut().for_each(|kept| (kept.factored, kept.back_off) = (false, BackOff::default()));
    }

    /// Damped updates stay where the last so many outputs are not zero, as long as they lead anywhere.
    pub fn keep_inside(&mut self, guards: usize) {
        self.guards = guards.min(self.plan.outputs);
    }

    /// Takes a guess back towards zero, where increments and rates are those of staying, until the equations can be evaluated.
    pub fn bring_inside(&mut self, machine: &mut Machine, x: &mut [f64]) {
        for _ in 0..INWARD {
            if self.evaluate(machine, x).is_ok() {
                return;
            }
            x.iter_mut().for_each(|x| *x *= 0.5);
        }
        x.fill(0.0);
    }

    pub fn len(&self) -> usize {
        self.plan.names.len()
    }

    /// The largest residual that is accepted.
    pub fn tolerance(&self) -> f64 {
        self.options.tolerance
    }

    pub fn solver(&self) -> &LinearSolver {
        &self.solver
    }

    pub fn guess_entry(&self) -> usize {
        self.plan.entries.guess
    }

    /// How much memory `run` needs for outputs, residuals and sizes.
    pub fn checked_len(&self) -> usize {
        self.plan.outputs + 2 * self.len()
    }

    /// Improves `x` until the residual is round-off, or fails. Leaves outputs in front of `checked`, all evaluated at the final `x`.
    pub fn run(
        &mut self,
        machine: &mut Machine,
        x: &mut [f64],
        checked: &mut [f64],
        pace: Pace,
    ) -> Result<Work, SolveFailure> {
        let n = self.len();
        let checked = &mut checked[..self.plan.outputs + 2 * n];
        let max_iterations = match pace {
            Pace::Full => self.options.max_iterations.min(FULL_PACE_ITERATIONS),
            Pace::Damped => self.options.max_iterations,
        };
        let (mut best, mut worst_row) = (f64::INFINITY, 0);
        let mut previous = f64::INFINITY;
        let mut iterations = 0;
        while iterations < max_iterations {
            iterations += 1;
            let again = self.plan.linear && iterations > 1;
            let update = match again {
                // The Jacobian is the same as before, and the residual was checked.
                true => self.improve(x, &checked[self.plan.outputs..]),
                false => self.update(machine, x, checked, pace).map_err(|failure| failure.after(iterations))?,
            };
            // Updates that no longer fall by half may be the round-off of unknowns that are themselves small.
            let falling = update < 0.5 * previous;
            previous = update;
            if !self.plan.linear && falling && update > QUADRATIC * norm(x) {
                continue;
            }
            let (mut residual, row) = self.check(machine, x, checked);
            if residual.is_nan() {
                return Err(SolveFailure::NotFinite { what: self.plan.names[row].clone() });
            }
            if residual > self.options.tolerance && (!falling || update <= ROUND_OFF * norm(x)) {
                residual = self.backward_residual(machine, x, &checked[self.plan.outputs..]);
            }
            // Once the updates are small, a residual that no longer falls by half has reached its round-off.
            if residual <= ROUND_OFF || (residual <= self.options.tolerance && residual > 0.5 * best) {
                let n = self.len();
                if let Some(kept) = &mut self.kept {
                    kept.sizes.copy_from_slice(&checked[self.plan.outputs + n..]);
                    (kept.factored, kept.rate) = (true, OUT_OF_DATE);
                }
                return Ok(Work { iterations, residual, ..Work::default() });
            }
            if residual < best {
                (best, worst_row) = (residual, row);
            }
        }
        if best.is_infinite() {
            (best, worst_row) = self.check(machine, x, checked);
        }
        Err(SolveFailure::NoConvergence {
            iterations,
            unknown: self.plan.names[worst_row].clone(),
            residual: best,
            tolerance: self.options.tolerance,
        })
    }

    /// The same by simplified Newton: the Jacobian of an earlier call serves again. `None`, and the guess unchanged, if there is
    /// none or it is out of date.
    pub fn run_again(&mut self, machine: &mut Machine, x: &mut [f64], checked: &mut [f64]) -> Option<Work> {
        let mut kept = self.kept.take()?;
        let mut done = None;
        if !kept.back_off.skip() && kept.factored {
            done = self.iterate_again(&mut kept, machine, x, checked);
            match &done {
                Some(work) => {
                    kept.factored = work.iterations <= TOO_MANY;
                    kept.back_off.succeeded();
                }
                None => kept.back_off.failed(),
            }
        }
        self.kept = Some(kept);
        done
    }

    fn iterate_again(
        &mut self,
        kept: &mut KeptJacobian,
        machine: &mut Machine,
        x: &mut [f64],
        checked: &mut [f64],
    ) -> Option<Work> {
        let n = self.len();
        let checked = &mut checked[..self.plan.outputs + 2 * n];
        self.trial.copy_from_slice(x);
        machine.inputs_mut(self.plan.tier).copy_from_slice(x);
        machine.run(self.plan.entries.residual, &mut self.update);
        let mut residual = relative(&self.update, &kept.sizes).0;
        for iterations in 1..=MAX_AGAIN {
            self.solver.solve(&mut self.update);
            x.iter_mut().zip(&self.update).for_each(|(x, d)| *x -= d);
            machine.inputs_mut(self.plan.tier).copy_from_slice(x);
            let before = residual;
            let last = residual * kept.rate <= ROUND_OFF;
            if last {
                machine.run(self.plan.entries.check, checked);
                let (own, sizes) = checked[self.plan.outputs..].split_at(n);
                self.update.copy_from_slice(own);
                kept.sizes.copy_from_slice(sizes);
            } else {
                machine.run(self.plan.entries.residual, &mut self.update);
            }
            residual = relative(&self.update, &kept.sizes).0;
            if last && (residual <= ROUND_OFF || residual <= self.options.tolerance && residual > 0.5 * before) {
                return Some(Work { iterations, residual, ..Work::default() });
            }
            let rate = residual / before;
            // Near round-off the rate says nothing about the Jacobian.
            if residual > ROUND_OFF {
                kept.rate = rate;
            } else {
                residual = ROUND_OFF;
            }
            if rate.is_nan() || rate > OUT_OF_DATE && residual > self.options.tolerance {
                break;
            }
        }
        x.copy_from_slice(&self.trial);
        None
    }

    /// One more update by the matrix factored last, from residuals that were just evaluated; returns its size.
    fn improve(&mut self, x: &mut [f64], residual: &[f64]) -> f64 {
        self.update.copy_from_slice(&residual[..x.len()]);
        self.solver.solve(&mut self.update);
        x.iter_mut().zip(&self.update).for_each(|(x, d)| *x -= d);
        norm(&self.update)
    }

    /// One Newton update of `x`; returns its size. At the damped pace it is shortened until the next update, by the same
    /// Jacobian, would be smaller (Deuflhard's natural monotonicity test, which does not depend on the units of the rows).
    fn update(
        &mut self,
        machine: &mut Machine,
        x: &mut [f64],
        checked: &mut [f64],
        pace: Pace,
    ) -> Result<f64, SolveFailure> {
        let n = self.len();
        self.evaluate(machine, x)?;
        let (residual, slopes) = self.values.split_at(n);
        if let Err(singular) = self.solver.factor(slopes) {
            // What was kept of an earlier call went with it.
            self.kept.iter_mut().for_each(|kept| kept.factored = false);
            return Err(SolveFailure::Singular { unknown: self.plan.names[singular.column].clone() });
        }
        self.update.copy_from_slice(residual);
        self.solver.solve(&mut self.update);
        let length = norm(&self.update);
        if !length.is_finite() {
            return Err(SolveFailure::Singular { unknown: self.plan.names[0].clone() });
        }
        if pace == Pace::Full || self.plan.linear || length <= QUADRATIC * norm(x) {
            x.iter_mut().zip(&self.update).for_each(|(x, d)| *x -= d);
            return Ok(length);
        }
        // Inside the declared domains first; where that leads nowhere, their border is not to blame.
        let paces: &[bool] = if self.guards > 0 { &[true, false] } else { &[false] };
        for inside in paces {
            let mut fraction = 1.0;
            while fraction >= SMALLEST_FRACTION {
                let moved = x.iter().zip(&self.update).map(|(x, d)| x - fraction * d);
                self.trial.iter_mut().zip(moved).for_each(|(t, x)| *t = x);
                machine.inputs_mut(self.plan.tier).copy_from_slice(&self.trial);
                machine.run(self.plan.entries.check, checked);
                let holds = !inside || !checked[self.plan.outputs - self.guards..self.plan.outputs].contains(&0.0);
                let next = &mut checked[self.plan.outputs..self.plan.outputs + n];
                self.solver.solve(next);
                if holds && norm(next) <= (1.0 - 0.25 * fraction) * length {
                    x.copy_from_slice(&self.trial);
                    return Ok(fraction * length);
                }
                fraction *= 0.5;
            }
        }
        let (mut residual, row) = self.check(machine, x, checked);
        if residual > self.options.tolerance {
            residual = self.backward_residual(machine, x, &checked[self.plan.outputs..]);
        }
        if residual <= self.options.tolerance {
            return Ok(0.0);
        }
        Err(SolveFailure::NoConvergence {
            iterations: 0,
            unknown: self.plan.names[row].clone(),
            residual,
            tolerance: self.options.tolerance,
        })
    }

    /// Evaluates outputs, residuals and sizes at `x`; returns the worst relative residual and its row.
    fn check(&self, machine: &mut Machine, x: &[f64], checked: &mut [f64]) -> (f64, usize) {
        machine.inputs_mut(self.plan.tier).copy_from_slice(x);
        machine.run(self.plan.entries.check, checked);
        relative_residual(&checked[self.plan.outputs..], self.len())
    }

    /// The worst relative residual where a row is measured, beyond its own terms, against what round-off makes of it: that of the
    /// inputs (the row is then met exactly for inputs a few ε away), that of the unknowns as far as the other rows determine them, and,
    /// where its terms have all but vanished, `max |J_ij| max |x_j|` (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989,
    /// section 3). At rest the unknowns are round-off themselves, and so is what is left of terms that balance.
    fn backward_residual(&mut self, machine: &mut Machine, x: &[f64], checked: &[f64]) -> f64 {
        let n = self.len();
        let (residual, own) = checked.split_at(n);
        let places = self.plan.slope_rows.iter().copied().zip(self.plan.slope_columns.iter().copied());
        let slopes = places.zip(self.values[n..].iter().copied());
        let sizes = self.backward.sizes(machine, residual, own, &mut self.solver, slopes);
        let (mut worst, unknowns) = (0.0f64, norm(x));
        let mut slopes = self.plan.slope_rows.iter().zip(&self.values[n..]).peekable();
        for row in 0..n {
            let mut largest = 0.0f64;
            while let Some((_, slope)) = slopes.next_if(|(at, _)| **at == row) {
                largest = largest.max(slope.abs());
            }
            let reachable = largest * unknowns;
            let vanished = own[row] <= VANISHED * n as f64 * reachable;
            let size = sizes[row] + if vanished { reachable } else { 0.0 };
            worst = worst.max(residual[row].abs() / size.max(UNDERFLOW));
        }
        worst
    }

    fn evaluate(&mut self, machine: &mut Machine, x: &[f64]) -> Result<(), SolveFailure> {
        machine.inputs_mut(self.plan.tier).copy_from_slice(x);
        match &self.plan.chain {
            None => machine.run(self.plan.entries.slopes, &mut self.values),
            Some((_, chain)) => {
                machine.run(self.plan.entries.slopes, &mut self.parts);
                let n = self.len();
                let (residual, slopes) = self.values.split_at_mut(n);
                residual.copy_from_slice(&self.parts[..n]);
                chain.combine(&self.parts[n..], slopes);
            }
        }
        match self.values[..self.len()].iter().position(|r| !r.is_finite()) {
            None => Ok(()),
            Some(row) => Err(SolveFailure::NotFinite { what: self.plan.names[row].clone() }),
        }
    }
}

/// The largest absolute value; NaN when there is one.
fn norm(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| if v.abs() > m || v.is_nan() { v.abs() } else { m })
}

/// The largest |residual|/size and its row, from `residuals ++ sizes`; NaN wins.
fn relative_residual(values: &[f64], n: usize) -> (f64, usize) {
    let (residual, size) = values.split_at(n);
    relative(residual, size)
}

fn relative(residual: &[f64], size: &[f64]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for row in 0..residual.len() {
        let ratio = if residual[row] == 0.0 { 0.0 } else { residual[row].abs() / size[row].max(UNDERFLOW) };
        if ratio.is_nan() {
            return (f64::NAN, row);
        }
        if ratio > worst.0 {
            worst = (ratio, row);
        }
    }
    worst
}

/// Are all residuals round-off beside the sizes of their terms?
#[inline(always)]
pub(crate) fn are_round_off(residuals: &[f64], sizes: &[f64]) -> bool {
    let terms = residuals.iter().zip(sizes);
    terms.fold(true, |all, (residual, size)| {
        all & ((*residual == 0.0) | (residual.abs() / size.max(UNDERFLOW) <= ROUND_OFF))
    })
}

//! Newton's method for all members, as long as whole updates lead to the solution.

use extremal_device::DeviceError;
use extremal_eval::ptx::MemberInput;
use extremal_expr::{Expr, Graph, Relation};

use super::WideRefusal;
use super::formula::{FormulaKernel, TableFormulas};
use super::linear::{ColumnSystem, written_out};
use super::table::{MemberTable, TableKernel, TableKernels};
use crate::kernel::Kernel;
use crate::linear::LinearSolver;
use crate::newton::{NewtonSolve, QUADRATIC, ROUND_OFF, UNDERFLOW};

/// Updates after which a member is left to others.
const UPDATES: usize = 8;

/// A [`Kernel`] of one system of equations for all members, each of which goes as the kernel would from the guess of the formula, bit for
/// bit; a member for which that is not by a few whole updates is not done.
#[derive(Clone)]
pub(super) struct WideNewton {
    guess: TableKernel,
    slopes: TableKernel,
    check: TableKernel,
    /// The first update and its judgement, and the later ones.
    updates: [FormulaKernel; 2],
    judgements: [FormulaKernel; 2],
    unknowns: Vec<f64>,
    /// The unknowns that were found,
    pub found: Vec<usize>,
    /// whether they were,
    pub done: usize,
    /// and the outputs.
    pub outputs: Vec<usize>,
}

/// Columns of an iteration.
struct IterationColumns {
    values: usize,
    x: Vec<usize>,
    outputs: Vec<usize>,
    residuals: Vec<usize>,
    sizes: Vec<usize>,
    length: usize,
    best: usize,
    going: usize,
    settled: usize,
    falling: usize,
    done: usize,
}

impl WideNewton {
    /// With parameters and inputs in these places.
    pub fn new(
        kernels: &mut TableKernels,
        kernel: &Kernel,
        [parameters, inputs]: [&[MemberInput]; 2],
    ) -> Result<WideNewton, WideRefusal> {
        let refusal = |unknowns| WideRefusal::Solves { what: "a step", unknowns };
        let [solve] = kernel.solves() else { return Err(refusal(kernel.unknowns().len())) };
        let Some(solver) = written_out(solve.plain_solver()) else { return Err(refusal(solve.len())) };
        if solve.plan.linear || solve.plan.chain.is_some() || solve.keeps_jacobians() {
            return Err(refusal(solve.len()));
        }
        let (plan, n) = (&solve.plan, solve.len());
        let mut columns = |count: usize| kernels.columns(count).collect::<Vec<usize>>();
        let values = columns(n + plan.slope_rows.len())[0];
        let (x, outputs, residuals, sizes) = (columns(n), columns(plan.outputs), columns(n), columns(n));
        let [length, best, going, settled, falling, done] = [(); 6].map(|()| columns(1)[0]);
        let at = IterationColumns { values, x, outputs, residuals, sizes, length, best, going, settled, falling, done };
        let program = kernel.program();
        let places = |columns: &[usize]| columns.iter().map(|column| MemberInput::Column(*column)).collect::<Vec<_>>();
        let some = |columns: &[usize]| columns.iter().map(|column| Some(*column)).collect::<Vec<_>>();
        let tiers = |unknowns: Vec<MemberInput>| vec![parameters.to_vec(), inputs.to_vec(), unknowns];
        let free = vec![MemberInput::Uniform; n];
        let guess = kernels.entry(&program, plan.entries.guess, tiers(free), some(&at.x))?;
        let of_slopes = (at.values..at.values + n + plan.slope_rows.len()).map(Some).collect();
        let slopes = kernels.entry(&program, plan.entries.slopes, tiers(places(&at.x)), of_slopes)?;
        let checked = some(&[&at.outputs[..], &at.residuals, &at.sizes].concat());
        let check = kernels.entry(&program, plan.entries.check, tiers(places(&at.x)), checked)?;
        Ok(WideNewton {
            guess,
            slopes,
            check,
            updates: [update(kernels, solve, solver, &at, true)?, update(kernels, solve, solver, &at, false)?],
            judgements: [judgement(kernels, solve, &at, true)?, judgement(kernels, solve, &at, false)?],
            unknowns: vec![0.0; n],
            found: at.x,
            done: at.done,
            outputs: at.outputs,
        })
    }

    /// Solves for the first `count` members.
    pub fn run(
        &self,
        table: &mut MemberTable<'_>,
        count: usize,
        parameters: &[f64],
        inputs: &[f64],
    ) -> Result<(), DeviceError> {
        let values = [parameters, inputs, &self.unknowns];
        table.run(self.guess, count, &values)?;
        for update in 0..UPDATES {
            let later = usize::from(update > 0);
            table.run(self.slopes, count, &values)?;
            self.updates[later].run(table, count, &[])?;
            table.run(self.check, count, &values)?;
            self.judgements[later].run(table, count, &[])?;
        }
        Ok(())
    }
}

/// Moves the unknowns of those on their way.
fn update(
    kernels: &mut TableKernels,
    solve: &NewtonSolve,
    solver: &LinearSolver,
    at: &IterationColumns,
    first: bool,
) -> Result<FormulaKernel, WideRefusal> {
    let g = Graph::new();
    let mut f = TableFormulas::new(&g);
    let (rows, columns) = (&solve.plan.slope_rows, &solve.plan.slope_columns);
    let system = ColumnSystem::read(&mut f, solver, at.values, rows, columns);
    let solution = system.solve(&mut f);
    let update: Vec<Expr<'_>> = solution.x.iter().map(|x| f.named(*x)).collect();
    let x = f.columns(at.x.iter().copied());
    let (was_going, previous) = match first {
        true => (f.all([]), f.number(f64::INFINITY)),
        false => (f.is_set(at.going), f.column(at.length)),
    };
    let length = f.norm(&update);
    let length = f.named(length);
    let finite = [f.are_finite(&system.right), f.are_finite(&[length])];
    let going = f.all([was_going, solution.reliable, finite[0], finite[1]]);
    let moved: Vec<Expr<'_>> = x.iter().zip(&update).map(|(x, update)| f.named(*x - *update)).collect();
    let half = f.number(0.5);
    let falling = f.below(length, half * previous);
    let quadratic = f.number(QUADRATIC);
    let far = f.norm(&moved);
    let settled = g.not(g.and(falling, f.below(quadratic * far, length)));
    for ((column, now), moved) in at.x.iter().zip(x).zip(moved) {
        f.put(*column, g.select(going, moved, now));
    }
    f.put(at.length, g.select(going, length, previous));
    f.put_condition(at.going, going);
    f.put_condition(at.settled, settled);
    f.put_condition(at.falling, falling);
    f.kernel(kernels)
}

/// Judges those whose updates are small.
fn judgement(
    kernels: &mut TableKernels,
    solve: &NewtonSolve,
    at: &IterationColumns,
    first: bool,
) -> Result<FormulaKernel, WideRefusal> {
    let g = Graph::new();
    let mut f = TableFormulas::new(&g);
    let [going, settled, falling] = [at.going, at.settled, at.falling].map(|column| f.is_set(column));
    let (was_done, best) = match first {
        true => (g.not(f.all([])), f.number(f64::INFINITY)),
        false => (f.is_set(at.done), f.column(at.best)),
    };
    let [round_off, underflow, tolerance, half] =
        [ROUND_OFF, UNDERFLOW, solve.options.tolerance, 0.5].map(|value| f.number(value));
    let (left, sizes) = (f.columns(at.residuals.iter().copied()), f.columns(at.sizes.iter().copied()));
    let mut residual = f.zero();
    for (left, size) in left.iter().zip(&sizes) {
        let ratio = left.abs() * f.larger(*size, underflow).powi(-1);
        let ratio = g.select(g.compare(Relation::Eq, *left, f.zero()), f.zero(), ratio);
        residual = f.larger(residual, ratio);
    }
    let residual = f.named(residual);
    let x = f.columns(at.x.iter().copied());
    let length = f.column(at.length);
    let small = f.at_most(length, round_off * f.norm(&x));
    let met = f.at_most(residual, tolerance);
    let none = g.not(f.at_most(f.zero(), residual));
    let measured_otherwise = g.or(none, g.and(g.not(met), g.or(g.not(falling), small)));
    let arrived = g.or(f.at_most(residual, round_off), g.and(met, f.below(half * best, residual)));
    let judged = g.and(going, settled);
    let outputs = f.columns(at.outputs.iter().copied());
    let finite = f.are_finite(&outputs);
    let ends = g.and(judged, g.or(measured_otherwise, arrived));
    let arrived = f.all([judged, arrived, g.not(measured_otherwise), finite]);
    f.put_condition(at.going, g.and(going, g.not(ends)));
    f.put_condition(at.done, g.or(was_done, arrived));
    let goes_on = g.and(judged, f.below(residual, best));
    f.put(at.best, g.select(goes_on, residual, best));
    f.kernel(kernels)
}

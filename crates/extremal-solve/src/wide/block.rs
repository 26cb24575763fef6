//! A kernel for all members, where what it solves is linear.

use extremal_device::DeviceError;
use extremal_eval::ptx::MemberInput;
use extremal_expr::Graph;

use super::WideRefusal;
use super::formula::{FormulaKernel, TableFormulas};
use super::linear::{ColumnSystem, written_out};
use super::table::{MemberTable, TableKernel, TableKernels};
use crate::kernel::Kernel;
use crate::newton::{ROUND_OFF, UNDERFLOW};

/// A [`Kernel`] for all members of a table. What it answers is what the kernel would, bit for bit; where that takes more than one update, the
/// member is no longer well.
#[derive(Clone)]
pub struct WideKernel {
    solve: Option<LinearSolve>,
    /// Computes the outputs, and residuals and sizes behind them.
    outputs: TableKernel,
    check: FormulaKernel,
    unknowns: Vec<f64>,
}

#[derive(Clone)]
struct LinearSolve {
    slopes: TableKernel,
    update: FormulaKernel,
}

impl WideKernel {
    /// With parameters and inputs in these places, outputs in these columns, of a member that is `well` as long as this column is set.
    ///
    /// # Errors
    /// It solves more than a small linear system.
    pub fn new(
        kernels: &mut TableKernels,
        kernel: &Kernel,
        what: &'static str,
        [parameters, inputs]: [&[MemberInput]; 2],
        outputs: &[usize],
        well: usize,
    ) -> Result<WideKernel, WideRefusal> {
        let program = kernel.program();
        let tiers = [parameters.to_vec(), inputs.to_vec()];
        let g = Graph::new();
        let mut f = TableFormulas::new(&g);
        let solver = match kernel.solves() {
            [solve] if solve.plan.linear => written_out(solve.plain_solver()),
            _ => None,
        };
        let (solve, run, residuals, n) = match (kernel.solves(), solver) {
            ([], _) => {
                let columns = outputs.iter().map(|column| Some(*column)).collect();
                let run = kernels.entry(&program, kernel.explicit_entry(), tiers.to_vec(), columns)?;
                (None, run, 0..0, 0)
            }
            ([solve], Some(solver)) => {
                let (plan, n) = (&solve.plan, solve.len());
                let values = kernels.columns(n + plan.slope_rows.len());
                let unknowns = kernels.columns(n);
                let zeros = vec![MemberInput::Uniform; n];
                let found = unknowns.clone().map(MemberInput::Column).collect();
                let columns = values.clone().map(Some).collect();
                let with = |tier: Vec<MemberInput>| [&tiers[..], &[tier]].concat();
                let slopes = kernels.entry(&program, plan.entries.slopes, with(zeros), columns)?;
                let g = Graph::new();
                let mut f = TableFormulas::new(&g);
                let (rows, columns) = (&plan.slope_rows, &plan.slope_columns);
                let system = ColumnSystem::read(&mut f, solver, values.start, rows, columns);
                let solution = system.solve(&mut f);
                let finite = [f.are_finite(&system.right), f.are_finite(&solution.x)];
                f.keep_set(well, f.all([solution.reliable, finite[0], finite[1]]));
                for (column, x) in unknowns.zip(&solution.x) {
                    let x = f.named(*x);
                    f.put(column, f.zero() - x);
                }
                let update = f.kernel(kernels)?;
                let residuals = kernels.columns(2 * n);
                let columns = outputs.iter().copied().chain(residuals.clone()).map(Some).collect();
                let run = kernels.entry(&program, plan.entries.check, with(found), columns)?;
                (Some(LinearSolve { slopes, update }), run, residuals, n)
            }
            (solves, _) => {
                let unknowns = solves.iter().map(|solve| solve.len()).sum();
                return Err(WideRefusal::Solves { what, unknowns });
            }
        };
        let values = f.columns(outputs.iter().copied());
        let (left, sizes) = (f.columns(residuals.clone().take(n)), f.columns(residuals.skip(n)));
        let finite = f.are_finite(&values);
        let met = are_round_off(&mut f, &left, &sizes);
        f.keep_set(well, f.all([finite, met]));
        Ok(WideKernel { solve, outputs: run, check: f.kernel(kernels)?, unknowns: vec![0.0; n] })
    }

    /// Runs it for the first `count` members.
    ///
    /// # Errors
    /// The device fails.
    pub fn run(
        &self,
        table: &mut MemberTable<'_>,
        count: usize,
        parameters: &[f64],
        inputs: &[f64],
    ) -> Result<(), DeviceError> {
        if let Some(LinearSolve { slopes, update }) = &self.solve {
            table.run(*slopes, count, &[parameters, inputs, &self.unknowns])?;
            update.run(table, count, &[])?;
        }
        table.run(self.outputs, count, &[parameters, inputs, &self.unknowns])?;
        self.check.run(table, count, &[])
    }
}

/// Are all residuals round-off beside the sizes of their terms?
fn are_round_off<'g>(
    f: &mut TableFormulas<'g>,
    residuals: &[extremal_expr::Expr<'g>],
    sizes: &[extremal_expr::Expr<'g>],
) -> extremal_expr::Expr<'g> {
    let [round_off, underflow] = [ROUND_OFF, UNDERFLOW].map(|value| f.number(value));
    let zero = f.zero();
    let met = residuals.iter().zip(sizes).map(|(residual, size)| {
        // Zero is met whatever the size.
        let size = f.larger(*size, underflow);
        let relative = residual.abs() * size.powi(-1);
        let none = f.graph().compare(extremal_expr::Relation::Eq, *residual, zero);
        f.graph().or(none, f.at_most(relative, round_off))
    });
    let met: Vec<_> = met.collect();
    f.all(met)
}

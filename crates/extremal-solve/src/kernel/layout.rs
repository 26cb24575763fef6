//! Where things stand in the program of a kernel, for those who write it in another language.

use extremal_eval::Program;

use super::Kernel;

/// The program of a [`Kernel`], and how its entries belong together. Its tiers are the parameters, the inputs of the block, and the
/// unknowns of one solve after the other.
pub struct KernelLayout {
    /// What was compiled.
    pub program: Program,
    /// The solves in their order.
    pub solves: Vec<SolveLayout>,
    /// The entry that has the outputs of the block, in front of what else it computes.
    pub outputs: usize,
}

/// The entries of one solve.
#[derive(Clone, Debug)]
pub struct SolveLayout {
    /// How many unknowns it has.
    pub unknowns: usize,
    /// Is it linear in them? Then it begins at zero and needs no guess.
    pub linear: bool,
    /// The entry of the first guess.
    pub guess: usize,
    /// The entry of the residual and of the entries of its Jacobian, row by row.
    pub slopes: usize,
    /// Row and column of each of these.
    pub places: Vec<(usize, usize)>,
    /// The entry of the residual and of the sizes of its terms, behind outputs of the block.
    pub check: usize,
    /// How many outputs these are.
    pub before_residual: usize,
}

impl Kernel {
    /// The program, and what its entries are.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::{Block, Solve};
    /// use extremal_solve::{Kernel, NewtonOptions};
    /// let g = Graph::new();
    /// let (a, u) = (g.symbol("a"), g.symbol("u"));
    /// let root = Block {
    ///     inputs: vec![a.id()],
    ///     solves: vec![Solve::new(&[u], &[u.powi(2) - a], &[a])],
    ///     outputs: vec![u.id()],
    /// };
    /// let layout = Kernel::compile(&g, &[], &root, NewtonOptions::default())?.layout();
    /// assert_eq!(layout.solves[0].places, [(0, 0)]);
    /// assert_eq!(layout.program.outputs(layout.outputs).len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn layout(&self) -> KernelLayout {
        let solve = |plan: &crate::newton::SolvePlan| SolveLayout {
            unknowns: plan.names.len(),
            linear: plan.linear,
            guess: plan.entries.guess,
            slopes: plan.entries.slopes,
            places: plan.slope_rows.iter().copied().zip(plan.slope_columns.iter().copied()).collect(),
            check: plan.entries.check,
            before_residual: plan.outputs,
        };
        KernelLayout {
            program: self.program(),
            solves: self.solves.iter().map(|own| solve(&own.plan)).collect(),
            outputs: self.solves.last().map_or(self.explicit_entry, |own| own.plan.entries.check),
        }
    }
}

//! Systems whose sums contain one another: a system of definitions is a sparse system.
//!
//! What a body of a chain has is that of the one before and a term, x_i = x_{i−1} + f(q_i); what acts on a joint is what acts on the
//! next one and a term. So every equation depends on every unknown, and its Jacobian is full. With a column for every such sum, and its
//! definition as a row, it is sparse, a band for a chain, and elimination takes as long as there are bodies: the recursion of
//! articulated bodies is what elimination does in that band.

use extremal_expr::{Expr, Graph, Id, Node};
use rustc_hash::FxHashSet;

use crate::System;
use crate::block::Block;

/// With fewer unknowns, or results where there are none, a full matrix is eliminated as fast.
const FEWEST: usize = 32;
/// So many additions less for each of them tell a chain or a tree from sums that happen to have something in common.
const FEWER_ADDITIONS: usize = 4;

impl System<'_> {
    /// The same system with the sums of its Lagrangian written by one another, where there are as many as in a chain or a tree: then
    /// they stay sums of each other in its derivatives.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let names: Vec<String> = (0..40).map(|k| format!("x{k}")).collect();
    /// let names: Vec<&str> = names.iter().map(String::as_str).collect();
    /// let rates: Vec<_> = names.iter().map(|name| g.symbol(&format!("{name}'"))).collect();
    /// let speeds = (1..=40).map(|k| g.sum(rates[..k].iter().copied()).powi(2));
    /// let chain = System::new(&g, &names, g.sum(speeds) / 2);
    /// let nested = chain.clone().with_nested_sums();
    /// let size = |system: &System<'_>| g.reachable(&[system.lagrangian.id()]).len();
    /// assert!(nested.lagrangian != chain.lagrangian && size(&nested) < size(&chain) + 40);
    /// ```
    #[must_use]
    pub fn with_nested_sums(mut self) -> Self {
        if self.len() >= FEWEST
            && let Some(nested) = self.graph.nested_sums(&[self.lagrangian], FEWER_ADDITIONS * self.len())
        {
            self.lagrangian = nested.roots[0];
        }
        self
    }
}

/// The same block with its sums written by one another, and these sums; `None` where that does not pay.
pub(crate) fn nested<'g>(g: &'g Graph, block: &Block) -> Option<(Block, Vec<Expr<'g>>)> {
    let most = block.solves.iter().map(|solve| solve.unknowns.len()).max().unwrap_or(block.outputs.len() / 2);
    if most < FEWEST || block.solves.iter().any(|solve| solve.stages.is_some()) {
        return None;
    }
    let of_solves = block.solves.iter().flat_map(|solve| solve.residual.iter().chain(&solve.guess));
    let all: Vec<Expr<'g>> = of_solves.chain(&block.outputs).map(|id| g.expr(*id)).collect();
    let found = g.nested_sums(&all, FEWER_ADDITIONS * most)?;
    let mut ids = found.roots.into_iter().map(Expr::id);
    let mut nested = block.clone();
    for solve in &mut nested.solves {
        solve.residual.iter_mut().chain(&mut solve.guess).for_each(|id| *id = ids.next().unwrap_or(*id));
    }
    nested.outputs.iter_mut().for_each(|id| *id = ids.next().unwrap_or(*id));
    Some((nested, found.sums))
}

/// The slopes of `residual` by `unknowns`. Where it depends on them through `sums`, these have columns behind the unknowns, and
/// their definitions rows behind the residual: the matrix is that of what the residual is with the sums as unknowns too.
pub(crate) fn slopes<'g>(
    g: &'g Graph,
    residual: &[Expr<'g>],
    unknowns: &[Expr<'g>],
    sums: &[Expr<'g>],
) -> Vec<Vec<(usize, Expr<'g>)>> {
    let ids: Vec<Id> = residual.iter().map(|row| row.id()).collect();
    let reached: FxHashSet<Id> =
        if sums.is_empty() { FxHashSet::default() } else { g.reachable(&ids).into_iter().collect() };
    let depend = g.depend_on(sums, unknowns);
    let taking_part = sums.iter().zip(depend).filter(|(sum, depends)| *depends && reached.contains(&sum.id()));
    let (wholes, insides): (Vec<Expr<'g>>, Vec<Expr<'g>>) = taking_part
        .filter_map(|(sum, _)| match sum.node() {
            Node::Grouped(inside) => Some((*sum, g.expr(inside))),
            _ => None,
        })
        .unzip();
    if wholes.is_empty() {
        return g.jacobian(residual, unknowns);
    }
    // No name of a user's has a space in it.
    let names: Vec<Expr<'g>> = (0..wholes.len()).map(|at| g.symbol(&format!("sum {at}"))).collect();
    let named: Vec<_> = wholes.iter().copied().zip(names.iter().copied()).collect();
    let mut rows = g.substitute(&[residual, &insides].concat(), &named);
    rows[residual.len()..].iter_mut().zip(&names).for_each(|(inside, name)| *inside = *inside - *name);
    let rows = g.jacobian(&rows, &[unknowns, &names].concat());
    let entries: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, entry)| *entry).collect();
    let back: Vec<_> = names.into_iter().zip(wholes).collect();
    let mut entries = g.substitute(&entries, &back).into_iter();
    rows.iter().map(|row| row.iter().map(|(column, _)| *column).zip(entries.by_ref()).collect()).collect()
}

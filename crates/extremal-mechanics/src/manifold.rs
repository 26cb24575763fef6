//! The motion of a singular system, on the states that have one.

use extremal_expr::Expr;

use crate::System;
use crate::analysis::{dense, generic_rank};
use crate::block::{Block, Solve};
use crate::discrete::ids;

/// The final constraint submanifold W_f of a singular system, where the constraint algorithm ends with a unique motion: the states that
/// have one, and what it is there.
#[derive(Clone, Debug)]
pub struct FinalManifold<'g> {
    /// What vanishes on it.
    pub constraints: Vec<Expr<'g>>,
    /// Some symbols of the state by the others, which are its coordinates.
    pub chart: Vec<(Expr<'g>, Expr<'g>)>,
    /// Residuals that determine the [`motion_unknowns`](System::motion_unknowns), in the coordinates of the chart.
    pub motion: Vec<Expr<'g>>,
}

impl<'g> FinalManifold<'g> {
    /// The symbols of the state that are coordinates of the chart.
    pub fn coordinates(&self, system: &System<'g>) -> Vec<Expr<'g>> {
        let follows = |symbol: &Expr<'g>| self.chart.iter().any(|(dependent, _)| dependent == symbol);
        system.moving_state().into_iter().filter(|symbol| !follows(symbol)).collect()
    }
}

impl<'g> System<'g> {
    /// The same expressions on W_f, where the system is singular: by the coordinates of its chart.
    pub fn restricted(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        match &self.manifold {
            Some(manifold) => self.graph.substitute(fs, &manifold.chart),
            None => fs.to_vec(),
        }
    }

    /// What a motion of first order is made of: positions, velocities, entropies, and the multipliers that move.
    pub fn moving_state(&self) -> Vec<Expr<'g>> {
        [&self.q[..], &self.v, &self.heat.s, &self.moving_multipliers()].concat()
    }

    /// The rates of the [`moving_state`](Self::moving_state), by accelerations and other unknowns of the motion.
    pub fn moving_rates(&self) -> Vec<Expr<'g>> {
        let rates: Vec<_> = self.vakonomic().map(|constraint| constraint.rate).collect();
        [&self.v[..], &self.a, &self.heat.rates, &rates].concat()
    }

    /// From the [`moving_state`](Self::moving_state) and t to one on W_f that differs only in the symbols for which `free` holds, along the
    /// normals: x̂ − x = (∂φ/∂x)ᵀ μ, φ(x̂) = 0, for those φ that contain one of them. `None` where the system is not singular.
    pub fn manifold_projection(&self, free: impl Fn(usize) -> bool) -> Option<Block> {
        let (g, manifold, state) = (self.graph, self.manifold.as_ref()?, self.moving_state());
        let near: Vec<_> = (0..state.len()).map(|at| self.symbol(&format!("near_{}", at + 1))).collect();
        let (given, unknown): (Vec<_>, Vec<_>) =
            state.iter().zip(&near).enumerate().filter(|(at, _)| free(*at)).map(|(_, pair)| pair).unzip();
        let there: Vec<_> = given.iter().copied().zip(unknown.iter().copied()).collect();
        let touched = independent_in(&manifold.constraints, &given);
        let rows = g.substitute(&touched, &there);
        let weights: Vec<_> = (1..=rows.len()).map(|at| self.symbol(&format!("weight_{at}"))).collect();
        let mut residual: Vec<Expr<'g>> = unknown.iter().zip(&given).map(|(near, given)| *near - *given).collect();
        for (row, weight) in g.jacobian(&touched, &given).into_iter().zip(&weights) {
            for (column, slope) in row {
                residual[column] = residual[column] - slope * *weight;
            }
        }
        residual.extend(&rows);
        let guess = [&given[..], &vec![g.int(0); weights.len()]].concat();
        let ends: Vec<_> = (0..state.len()).map(|at| if free(at) { near[at] } else { state[at] }).collect();
        Some(Block {
            inputs: ids(&[&state[..], &[self.t]].concat()),
            solves: vec![Solve::new(&[&unknown[..], &weights].concat(), &residual, &guess)],
            outputs: ids(&ends),
        })
    }
}

/// Those constraints that restrict the symbols, without the ones that follow from others as far as these symbols are concerned.
fn independent_in<'g>(constraints: &[Expr<'g>], symbols: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut kept: Vec<Expr<'g>> = Vec::new();
    for constraint in constraints.iter().filter(|constraint| constraint.depends_on(symbols)) {
        kept.push(*constraint);
        let slopes = dense(constraint.graph(), &kept, symbols);
        if generic_rank(constraint.graph(), &slopes, symbols.len(), &[]).is_some_and(|rank| rank < kept.len()) {
            kept.pop();
        }
    }
    kept
}

//! The nearest point that satisfies the constraints, in the kinetic metric.

use extremal_expr::Expr;

use crate::block::{Block, Solve};
use crate::{Constraint, System};

impl<'g> System<'g> {
    /// From (q, v, S, t) to the nearest positions on the holonomic constraints: M (q̂ − q) = (∂φ/∂q̂)ᵀ μ and φ(q̂, t) = 0, where the
    /// mass matrix M is that of the given point.
    pub fn position_projection(&self) -> Block {
        let holonomic: Vec<_> = self.constraints.iter().filter(|c| c.kind.nature().binds_positions).collect();
        let near = self.symbols("", "_1");
        let there: Vec<_> = self.q.iter().copied().zip(near.iter().copied()).collect();
        let rows: Vec<_> = holonomic.iter().map(|constraint| constraint.expression.substitute(&there)).collect();
        self.projection(&self.q, &near, &holonomic, &rows)
    }

    /// From (q, v, S, t) to the nearest velocities: M (v̂ − v) = (∂Φ/∂v̂)ᵀ μ and Φ(q, v̂, t) = 0, where Φ is A v + b for all but
    /// vakonomic constraints.
    pub fn velocity_projection(&self) -> Block {
        let all: Vec<_> = self.constraints.iter().collect();
        let near = self.symbols("", "_1'");
        let there: Vec<_> = self.v.iter().copied().zip(near.iter().copied()).collect();
        let rows: Vec<_> = all.iter().map(|constraint| constraint.velocity.substitute(&there)).collect();
        self.projection(&self.v, &near, &all, &rows)
    }

    fn projection(
        &self,
        given: &[Expr<'g>],
        near: &[Expr<'g>],
        constraints: &[&Constraint<'g>],
        rows: &[Expr<'g>],
    ) -> Block {
        let g = self.graph;
        let zero = g.int(0);
        let switched_off: Vec<_> = self.vakonomic().map(|constraint| (constraint.multiplier, zero)).collect();
        let metric = g.jacobian(&g.substitute(&self.momenta(), &switched_off), &self.v);
        let multipliers: Vec<_> = constraints.iter().map(|c| self.multiplier_symbol(c, "near")).collect();
        let mut residual: Vec<Expr<'g>> = metric
            .iter()
            .map(|row| g.sum(row.iter().map(|(column, entry)| *entry * (near[*column] - given[*column]))))
            .collect();
        for (row, multiplier) in g.jacobian(rows, near).into_iter().zip(&multipliers) {
            for (column, slope) in row {
                residual[column] = residual[column] - slope * *multiplier;
            }
        }
        residual.extend_from_slice(rows);
        let ids = |exprs: &[Expr<'g>]| exprs.iter().map(|e| e.id()).collect();
        Block {
            inputs: ids(&[&self.q[..], &self.v, &self.heat.s, &[self.t]].concat()),
            solves: vec![Solve::new(
                &[near, &multipliers].concat(),
                &residual,
                &[given, &vec![zero; multipliers.len()]].concat(),
            )],
            outputs: ids(near),
        }
    }
}

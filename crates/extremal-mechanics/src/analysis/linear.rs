//! Small motions about rest: what vanishes at an equilibrium, and the matrices of the linearised equations.

use extremal_expr::Expr;

use super::flow::dense;
use crate::System;

/// A system at rest and near it, as expressions of positions, entropies, time and multipliers. Matrices are full, by rows.
pub struct SmallMotion<'g> {
    /// What an equilibrium is sought in: coordinates, then multipliers of reactions.
    pub unknowns: Vec<Expr<'g>>,
    /// What vanishes at an equilibrium: the forces, then the holonomic constraints.
    pub residual: Vec<Expr<'g>>,
    /// Slopes of the residual by the unknowns.
    pub slopes: Vec<Expr<'g>>,
    /// M, of the accelerations.
    pub mass: Vec<Expr<'g>>,
    /// D + G, of the velocities: damping and gyroscopic terms.
    pub damping: Vec<Expr<'g>>,
    /// K, of the displacements, with the reactions.
    pub stiffness: Vec<Expr<'g>>,
    /// Rows of the holonomic constraints in the displacements.
    pub positions: Vec<Expr<'g>>,
    /// Rows of all reacting constraints in the velocities.
    pub velocities: Vec<Expr<'g>>,
    /// Rows of the virtual displacements of all reacting constraints.
    pub virtual_rows: Vec<Expr<'g>>,
}

impl<'g> SmallMotion<'g> {
    /// The small motions of a system, `None` if it has vakonomic constraints, whose multipliers are not at rest.
    pub fn of(system: &System<'g>) -> Option<SmallMotion<'g>> {
        if system.vakonomic().next().is_some() {
            return None;
        }
        let g = system.graph;
        let zero = g.int(0);
        let at_rest: Vec<_> = system.v.iter().chain(&system.a).map(|symbol| (*symbol, zero)).collect();
        let rows: Vec<Expr<'g>> = system.euler_lagrange().iter().zip(system.reactions()).map(|(e, r)| *e - r).collect();
        let rest = |functions: &[Expr<'g>]| g.substitute(functions, &at_rest);
        let holonomic: Vec<Expr<'g>> = system
            .constraints
            .iter()
            .filter(|constraint| constraint.kind.nature().binds_positions)
            .map(|constraint| constraint.expression)
            .collect();
        let multipliers: Vec<Expr<'g>> = system.constraints.iter().map(|constraint| constraint.multiplier).collect();
        let unknowns = [&system.q[..], &multipliers].concat();
        let residual = [rest(&rows), holonomic.clone()].concat();
        let forms: Vec<Expr<'g>> = system.constraints.iter().map(|constraint| constraint.velocity).collect();
        let mut virtual_rows = Vec::new();
        for constraint in &system.constraints {
            let mut row = vec![zero; system.len()];
            constraint.reaction.iter().for_each(|(place, entry)| row[*place] = *entry);
            virtual_rows.extend(row);
        }
        Some(SmallMotion {
            slopes: dense(g, &residual, &unknowns),
            mass: rest(&dense(g, &rows, &system.a)),
            damping: rest(&dense(g, &rows, &system.v)),
            stiffness: dense(g, &rest(&rows), &system.q),
            positions: dense(g, &holonomic, &system.q),
            velocities: rest(&dense(g, &forms, &system.v)),
            virtual_rows: rest(&virtual_rows),
            unknowns,
            residual,
        })
    }
}

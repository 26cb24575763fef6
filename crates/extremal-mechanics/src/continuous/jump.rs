//! What events do to the state of a motion, as formulas: values that are set, and impacts.
//!
//! ```text
//! p(q, v⁺) = p(q, v⁻) + μ ∂φ/∂q + Rᵀν      φ̇(v⁺) = −e φ̇(v⁻)      A v⁺ + b = 0
//! ```
//!
//! The impulse μ of an obstacle φ ≥ 0 acts along its gradient, as the reaction of a constraint φ = 0 does; impulses ν of the
//! constraints, which hold after it too, act along their rows. These are (I1) to (I3) of docs/theory.md.

use extremal_expr::Expr;

use crate::{Block, Solve, System};

/// What an event does to a state, in the symbols of the state before it.
pub enum StateJump<'g> {
    /// Positions, velocities, entropies (with amounts and states) after it.
    Set {
        /// The positions.
        q: Vec<Expr<'g>>,
        /// The velocities.
        v: Vec<Expr<'g>>,
        /// What moves by equations of first order.
        s: Vec<Expr<'g>>,
    },
    /// Velocities are thrown back.
    Impact {
        /// What does not become negative.
        obstacle: Expr<'g>,
        /// The part of the speed of approach that is left.
        restitution: Expr<'g>,
    },
}

impl<'g> System<'g> {
    /// Positions, velocities, entropies, time and multipliers that move: what an event sees, as a [start](crate::System) gives it.
    fn jump_inputs(&self) -> Vec<Expr<'g>> {
        [&self.q[..], &self.v, &self.heat.s, &[self.t], &self.moving_multipliers()].concat()
    }

    /// The state after an event, positions, velocities and entropies, from that before it.
    pub fn jump_block(&self, jump: &StateJump<'g>) -> Block {
        let ids = |list: &[Expr<'g>]| list.iter().map(|e| e.id()).collect::<Vec<_>>();
        let inputs = ids(&self.jump_inputs());
        match jump {
            StateJump::Set { q, v, s } => Block { inputs, solves: Vec::new(), outputs: ids(&[&q[..], v, s].concat()) },
            StateJump::Impact { obstacle, restitution } => {
                let (solve, after) = self.impact(*obstacle, *restitution);
                let outputs = ids(&[&self.q[..], &after, &self.heat.s].concat());
                Block { inputs, solves: vec![solve], outputs }
            }
        }
    }

    /// The equations of an impact, and the symbols of the velocities after it.
    fn impact(&self, obstacle: Expr<'g>, restitution: Expr<'g>) -> (Solve, Vec<Expr<'g>>) {
        let g = self.graph;
        let after = self.symbols("after_", "'");
        let thrown: Vec<_> = self.v.iter().copied().zip(after.iter().copied()).collect();
        let bound: Vec<_> = self.binding_velocities().filter(|constraint| !constraint.is_vakonomic()).collect();
        let impulse = self.symbol("impulse");
        let reactions: Vec<Expr<'g>> =
            bound.iter().map(|constraint| self.symbol(&format!("impulse_{}", constraint.name))).collect();
        let momenta = self.momenta();
        let mut residual: Vec<Expr<'g>> = momenta
            .iter()
            .zip(g.substitute(&momenta, &thrown))
            .zip(g.gradient(obstacle, &self.q))
            .map(|((before, after), slope)| after - *before - impulse * slope)
            .collect();
        for (constraint, reaction) in bound.iter().zip(&reactions) {
            for (at, entry) in &constraint.reaction {
                residual[*at] = residual[*at] - *reaction * *entry;
            }
        }
        let approach = self.time_derivative(&[obstacle])[0];
        residual.push(approach.substitute(&thrown) + restitution * approach);
        residual.extend(bound.iter().map(|constraint| constraint.velocity.substitute(&thrown)));
        let zero = g.int(0);
        let unknowns = [&after[..], &[impulse], &reactions].concat();
        let guess: Vec<Expr<'g>> =
            self.v.iter().copied().chain(std::iter::repeat_n(zero, 1 + reactions.len())).collect();
        (Solve::new(&unknowns, &residual, &guess), after)
    }

    /// Are the momenta affine in the velocities, whose impulses then throw back the speed with the energy?
    pub fn has_quadratic_kinetic_energy(&self) -> bool {
        let masses: Vec<Expr<'g>> =
            self.graph.jacobian(&self.momenta(), &self.v).into_iter().flatten().map(|(_, entry)| entry).collect();
        !self.graph.depend_on(&masses, &self.v).contains(&true)
    }
}

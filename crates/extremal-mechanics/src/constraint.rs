//! Constraints on the motion, and what each kind adds to the equations.
//!
//! ```text
//! d/dt(∂L/∂v) − ∂L/∂q = F + Rᵀλ        A v + b = 0
//! ```
//!
//! A holonomic constraint φ(q, t) = 0 has A = R = ∂φ/∂q and b = ∂φ/∂t; a nonholonomic one is given by A and b, and its reaction
//! is along the rows R of its virtual displacements, which are those of A unless stated otherwise. A vakonomic constraint
//! Φ(q, v, t) = 0 is imposed before the variation: it changes the Lagrangian to L + λΦ, and its multiplier has its own motion.
//! These are (B1) and (B3) of docs/theory.md.

use extremal_expr::Expr;
use extremal_model::ConstraintKind;

use crate::{Point, System};

/// One constraint of a system.
#[derive(Clone)]
pub struct Constraint<'g> {
    /// Its name.
    pub name: String,
    /// How it acts.
    pub kind: ConstraintKind,
    /// What vanishes: φ(q, t), or Φ(q, v, t).
    pub expression: Expr<'g>,
    /// What vanishes for the velocities: A v + b, or Φ itself.
    pub velocity: Expr<'g>,
    /// The generalised force on each coordinate per unit of the multiplier, without the zeros. Empty for a vakonomic constraint.
    pub reaction: Vec<(usize, Expr<'g>)>,
    /// The power that the reaction feeds into the system per unit of the multiplier: R v, which is −b where R = A.
    pub power: Expr<'g>,
    /// The symbol of its multiplier, `lambda_name`.
    pub multiplier: Expr<'g>,
    /// The symbol of the multiplier's rate, which a vakonomic constraint needs.
    pub rate: Expr<'g>,
}

impl Constraint<'_> {
    /// Is it imposed before the variation?
    pub fn is_vakonomic(&self) -> bool {
        !self.kind.nature().reacts
    }
}

impl<'g> System<'g> {
    /// Adds the constraint `expression = 0`. `displacements`, linear in the velocities, gives the virtual displacements of a
    /// nonholonomic constraint when they are not those of the constraint itself.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_model::ConstraintKind;
    /// let g = Graph::new();
    /// let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    /// let mut pendulum = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - y);
    /// pendulum.constrain("rod", ConstraintKind::Holonomic, x.powi(2) + y.powi(2) - 1, None);
    /// let (ax, rod) = (pendulum.a[0], pendulum.constraints[0].multiplier);
    /// assert_eq!(pendulum.motion_equations()[0], ax - rod * x * 2);
    /// ```
    pub fn constrain(
        &mut self,
        name: &str,
        kind: ConstraintKind,
        expression: Expr<'g>,
        displacements: Option<Expr<'g>>,
    ) {
        let g = self.graph;
        let rate = self.symbol(&format!("lambda_{name}'"));
        let multiplier = self.symbol(&format!("lambda_{name}"));
        let row = |f: Expr<'g>, variables: &[Expr<'g>]| g.jacobian(&[f], variables).remove(0);
        let (velocity, reaction) = match kind {
            ConstraintKind::Holonomic => (self.time_derivative(&[expression])[0], row(expression, &self.q)),
            ConstraintKind::Nonholonomic => (expression, row(displacements.unwrap_or(expression), &self.v)),
            ConstraintKind::Vakonomic => {
                self.lagrangian = self.lagrangian + multiplier * expression;
                (expression, Vec::new())
            }
        };
        let power = match displacements {
            Some(displacements) => displacements,
            None => -velocity.substitute(&self.v.iter().map(|v| (*v, g.int(0))).collect::<Vec<_>>()),
        };
        self.constraints.push(Constraint {
            name: name.to_string(),
            kind,
            expression,
            velocity,
            reaction,
            power,
            multiplier,
            rate,
        });
    }

    /// A symbol for the multiplier of `constraint` (for a vakonomic one its rate) at some place of a step.
    pub fn multiplier_symbol(&self, constraint: &Constraint<'g>, place: &str) -> Expr<'g> {
        let (family, index) = constraint.name.split_at(constraint.name.find('[').unwrap_or(constraint.name.len()));
        let prime = if constraint.is_vakonomic() { "'" } else { "" };
        self.symbol(&format!("lambda_{family}_{place}{index}{prime}"))
    }

    /// The symbol of the multiplier that the step before had, where that is stated by a discrete constraint of the user's own.
    pub fn step_multiplier(&self, constraint: &Constraint<'g>) -> Expr<'g> {
        self.symbol(&format!("step_lambda_{}", constraint.name))
    }

    /// The constraints that act by forces of reaction.
    pub fn reacting(&self) -> impl Iterator<Item = &Constraint<'g>> {
        self.constraints.iter().filter(|constraint| !constraint.is_vakonomic())
    }

    /// The constraints that are imposed before the variation.
    pub fn vakonomic(&self) -> impl Iterator<Item = &Constraint<'g>> {
        self.constraints.iter().filter(|constraint| constraint.is_vakonomic())
    }

    /// The multipliers that are part of the motion's state: those of vakonomic constraints.
    pub fn moving_multipliers(&self) -> Vec<Expr<'g>> {
        self.vakonomic().map(|constraint| constraint.multiplier).collect()
    }

    /// The same system without the terms λΦ of vakonomic constraints in its Lagrangian.
    #[must_use]
    pub fn unmultiplied(&self) -> System<'g> {
        let off: Vec<_> = self.moving_multipliers().into_iter().map(|lambda| (lambda, self.graph.int(0))).collect();
        self.with_lagrangian(self.lagrangian.substitute(&off))
    }

    /// The reaction Rᵀλ on each coordinate, at `point` and with these multipliers of the reacting constraints.
    pub fn reactions_at(&self, point: &Point<'g>, multipliers: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut forces = vec![Vec::new(); self.len()];
        for (constraint, multiplier) in self.reacting().zip(multipliers) {
            let (places, row): (Vec<usize>, Vec<_>) = constraint.reaction.iter().copied().unzip();
            for (place, entry) in places.into_iter().zip(self.at(&row, point)) {
                forces[place].push(*multiplier * entry);
            }
        }
        forces.into_iter().map(|terms| self.graph.sum(terms)).collect()
    }

    /// The reaction Rᵀλ on each coordinate.
    pub fn reactions(&self) -> Vec<Expr<'g>> {
        let multipliers: Vec<_> = self.reacting().map(|constraint| constraint.multiplier).collect();
        self.reactions_at(&self.here(), &multipliers)
    }

    /// The whole force of constraint on each coordinate, d/dt(∂L/∂v) − ∂L/∂q − F of the Lagrangian without its vakonomic
    /// terms: what a free system would need to move like this.
    pub fn constraint_forces(&self) -> Vec<Expr<'g>> {
        if self.vakonomic().next().is_none() {
            return self.reactions();
        }
        let mut free = self.unmultiplied();
        free.constraints.clear();
        free.euler_lagrange()
    }

    /// The power that moving constraints feed into the system.
    pub fn constraint_power(&self) -> Expr<'g> {
        self.graph.sum(self.reacting().map(|constraint| constraint.multiplier * constraint.power))
    }

    /// What the equations of motion determine: accelerations, rates of entropies and states, then of each constraint the multiplier
    /// (for a vakonomic one its rate).
    pub fn motion_unknowns(&self) -> Vec<Expr<'g>> {
        let multiplier = |c: &Constraint<'g>| if c.is_vakonomic() { c.rate } else { c.multiplier };
        [self.accelerations(), &self.heat.rates, &self.constraints.iter().map(multiplier).collect::<Vec<_>>()].concat()
    }

    /// Residuals of the equations of motion in [`motion_unknowns`](Self::motion_unknowns): Lagrange's equations with reactions,
    /// the entropy balance, the rates of states, and the constraints differentiated until they speak of accelerations, the index-one system (B2).
    /// Where the system is singular, they are those on W_f.
    pub fn motion_equations(&self) -> Vec<Expr<'g>> {
        if let Some(manifold) = &self.manifold {
            return manifold.motion.clone();
        }
        let mut rows = self.euler_lagrange();
        for (row, reaction) in rows.iter_mut().zip(self.reactions()) {
            *row = *row - reaction;
        }
        rows.extend(self.carried_equations());
        let velocities: Vec<_> = self.constraints.iter().map(|constraint| constraint.velocity).collect();
        rows.extend(self.time_derivative(&velocities));
        rows
    }

    /// Residuals that hold between (q, v, t) at any instant: of each constraint its velocity form.
    pub fn velocity_constraints_at(&self, point: &Point<'g>) -> Vec<Expr<'g>> {
        let forms: Vec<_> = self.constraints.iter().map(|constraint| constraint.velocity).collect();
        self.at(&forms, point)
    }
}

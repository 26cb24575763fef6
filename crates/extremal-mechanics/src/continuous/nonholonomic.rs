//! Nonholonomic motion without multipliers, on the velocities that the constraints leave free.

use extremal_expr::Expr;

use super::elimination::{is_zero, solve_affine};
use crate::System;

/// The equations of motion along the displacements that constraints allow: s' = −A r' − b binds some velocities to others, and
/// Lagrange's equations of both are added up as δs = −A δr says.
pub struct ReducedMotion<'g> {
    /// The coordinates r whose velocities are free, by their places.
    pub free: Vec<usize>,
    /// The coordinates s by their places, with their velocities by those of r.
    pub bound: Vec<(usize, Expr<'g>)>,
    /// L(r, s, r', s') with these velocities.
    pub lagrangian: Expr<'g>,
    /// One equation for each free coordinate, with its accelerations on the left and its forces on the right.
    pub equations: Vec<(Expr<'g>, Expr<'g>)>,
}

impl<'g> System<'g> {
    /// The reduced equations of a nonholonomic system: `None` without nonholonomic constraints, beside vakonomic ones, and where the
    /// velocities cannot be solved for in closed form. These are
    /// d/dt ∂L_D/∂r' − ∂L_D/∂r + Aᵀ ∂L_D/∂s = −∂L/∂s' dω(q', ∂/∂r) + F_r − Aᵀ F_s, with ω = ds + A dr.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// use extremal_model::ConstraintKind;
    /// let g = Graph::new();
    /// let [y, vx, vy, vz] = ["y", "x'", "y'", "z'"].map(|name| g.symbol(name));
    /// let mut particle = System::new(&g, &["x", "y", "z"], (vx.powi(2) + vy.powi(2) + vz.powi(2)) / 2);
    /// particle.constrain("c", ConstraintKind::Nonholonomic, vz - y * vx, None);
    /// let reduced = particle.reduced_motion().unwrap();
    /// let ax = g.symbol("x''");
    /// let typed = ax * (y.powi(2) + 1) + y * vx * vy;
    /// assert!(g.proves_zero(reduced.equations[0].0 - typed));
    /// ```
    pub fn reduced_motion(&self) -> Option<ReducedMotion<'g>> {
        let g = self.graph;
        let binds_velocities = self.reacting().any(|constraint| !constraint.kind.nature().binds_positions);
        if !binds_velocities || self.vakonomic().next().is_some() || self.order > 1 {
            return None;
        }
        let velocities: Vec<Expr<'g>> = self.constraints.iter().map(|constraint| constraint.velocity).collect();
        let dependent = self.bound_places(&velocities)?;
        let free: Vec<usize> = (0..self.len()).filter(|place| !dependent.contains(place)).collect();
        let of = |all: &[Expr<'g>], places: &[usize]| -> Vec<Expr<'g>> { places.iter().map(|at| all[*at]).collect() };
        let solved = |equations: &[Expr<'g>]| -> Option<Vec<Expr<'g>>> {
            let solved = solve_affine(g, equations, &of(&self.v, &dependent), |_| true)?;
            Some(solved.into_iter().map(|value| g.simplified(value)).collect())
        };
        let bound = solved(&velocities)?;
        // Virtual displacements may be stated apart: R δq = 0.
        let displaced = |reaction: &[(usize, Expr<'g>)]| g.sum(reaction.iter().map(|(at, entry)| *entry * self.v[*at]));
        let displacements: Vec<Expr<'g>> =
            self.constraints.iter().map(|constraint| displaced(&constraint.reaction)).collect();
        let shares = g.jacobian(&solved(&displacements)?, &of(&self.v, &free));

        let rules: Vec<_> = of(&self.v, &dependent).into_iter().zip(bound.iter().copied()).collect();
        let accelerations = g.substitute(&self.time_derivative(&bound), &rules);
        let second: Vec<_> = of(&self.a, &dependent).into_iter().zip(accelerations).collect();
        let mut unforced = self.clone();
        unforced.force.fill(g.int(0));
        let along = |rows: &[Expr<'g>]| -> Vec<Expr<'g>> {
            let share = |alpha: usize, at: usize| {
                let entry = shares[at].iter().find(|(column, _)| *column == alpha);
                entry.map_or(g.int(0), |(_, entry)| *entry)
            };
            let parts =
                |alpha: usize| dependent.iter().enumerate().map(move |(at, place)| share(alpha, at) * rows[*place]);
            let sums: Vec<Expr<'g>> =
                free.iter().enumerate().map(|(alpha, place)| g.sum(parts(alpha).chain([rows[*place]]))).collect();
            let bound = g.substitute(&g.substitute(&sums, &second), &rules);
            bound.into_iter().map(|side| g.simplified(side)).collect()
        };
        let equations = along(&unforced.euler_lagrange()).into_iter().zip(along(&self.force)).collect();
        let lagrangian = g.simplified(self.lagrangian.substitute(&rules));
        Some(ReducedMotion { bound: dependent.into_iter().zip(bound).collect(), free, lagrangian, equations })
    }

    /// For each constraint a velocity that it can be solved for, the one with the plainest coefficient.
    fn bound_places(&self, velocities: &[Expr<'g>]) -> Option<Vec<usize>> {
        let g = self.graph;
        if g.affine_in(velocities, &self.v).contains(&false) {
            return None;
        }
        let state = [&self.q[..], &self.heat.s, &[self.t]].concat();
        let mut chosen = Vec::new();
        for row in g.jacobian(velocities, &self.v) {
            let open = row.into_iter().filter(|(place, entry)| !chosen.contains(place) && !is_zero(*entry));
            let plainness = |entry: Expr<'g>| (entry.as_number().is_none(), entry.depends_on(&state));
            // Of several the last: coordinates that lead are often stated first.
            let plainest = open.rev().min_by_key(|(_, entry)| plainness(*entry))?;
            chosen.push(plainest.0);
        }
        chosen.sort_unstable();
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use crate::System;
    use extremal_expr::{Expr, Graph};
    use extremal_model::ConstraintKind;

    /// The equation of [VC 3] typed out: d/dt ∂L_D/∂r' − ∂L_D/∂r + A ∂L_D/∂s = −∂L/∂s' dω(q', ∂/∂r) + F_r − A F_s for one bound
    /// coordinate s' = −A(r) r', where dω(q', ∂/∂r^α) = A_α' − Σ ∂A_β/∂r^α r'^β.
    #[test]
    fn reduced_equations_by_their_formula() {
        let g = Graph::new();
        let [x, y, s, vx, vy, vs] = ["x", "y", "s", "x'", "y'", "s'"].map(|name| g.symbol(name));
        let lagrangian = vx.powi(2) / 2 + (vy * x).powi(2) + vs.powi(2) * 3 / 2 + vs * vx * y - (s * 2 + x).sin() * y;
        let a = [x * y.sin(), x.powi(2) + y];
        let mut system = System::new(&g, &["x", "y", "s"], lagrangian);
        system.force = vec![-vx, y * s, -(vs * 2)];
        let force = system.force.clone();
        system.constrain("c", ConstraintKind::Nonholonomic, vs + a[0] * vx + a[1] * vy, None);
        let reduced = system.reduced_motion().unwrap();
        assert_eq!((&reduced.free[..], reduced.bound[0].0), (&[0, 1][..], 2));

        let bound = [(vs, -(a[0] * vx) - a[1] * vy)];
        let restricted = lagrangian.substitute(&bound);
        let (r, v) = ([x, y], [vx, vy]);
        for (alpha, (left, right)) in reduced.equations.iter().enumerate() {
            let slope = |f: Expr<'_>, by: Expr<'_>| g.gradient(g.expr(f.id()), &[g.expr(by.id())])[0];
            let momentum = slope(restricted, v[alpha]);
            let rates = system.time_derivative(&[momentum, a[alpha]]);
            let curvature = rates[1] - g.sum((0..2).map(|beta| slope(a[beta], r[alpha]) * v[beta]));
            let typed = rates[0] - slope(restricted, r[alpha])
                + a[alpha] * slope(restricted, s)
                + slope(lagrangian, vs) * curvature;
            let typed = [typed - force[alpha] + a[alpha] * force[2]].map(|e| e.substitute(&bound))[0];
            assert_eq!(g.vanishes(typed - (*left - *right), &[]), Some(true), "{left} = {right}");
        }
    }

    #[test]
    fn without_velocity_constraints_there_is_nothing_to_reduce() {
        let g = Graph::new();
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        let mut pendulum = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - y);
        pendulum.constrain("rod", ConstraintKind::Holonomic, x.powi(2) + y.powi(2) - 1, None);
        assert!(pendulum.reduced_motion().is_none());
    }
}

//! Hamilton's form, by inverting the Legendre transform symbolically where L is quadratic in the velocities.

use extremal_expr::{Expr, Graph, Node, Rational};

use super::RateLaw;
use super::elimination::{groups, solve_group};
use super::kinetic::KineticSplit;
use crate::System;

/// H(q, p, S, t) with Hamilton's equations.
pub struct Hamiltonian<'g> {
    /// The Hamiltonian in the symbols `q`, `p` and `S` of the system.
    pub h: Expr<'g>,
    /// q' = ∂H/∂p.
    pub q_rate: Vec<Expr<'g>>,
    /// p' = −∂H/∂q + F, with the velocities in F written by momenta; with an action z also −p ∂H/∂z.
    pub p_rate: Vec<Expr<'g>>,
    /// S' = (−F_fr·q' + P + conduction)/T with T = ∂H/∂S, of each entropy; z' = p·∂H/∂p − H of an action; x' = B ∇H.
    pub s_rate: Vec<Expr<'g>>,
    /// The multipliers of the vakonomic constraints, which positions and momenta determine.
    pub multipliers: Vec<Expr<'g>>,
}

/// Symbolic inversion is offered up to this many coordinates that are coupled: beyond it the formulas fill pages.
const MAX_DIMENSION: usize = 6;

impl<'g> System<'g> {
    /// The Hamiltonian when the Legendre transform can be inverted symbolically (L quadratic in v with linear terms, vakonomic
    /// constraints affine in v, at most six coordinates coupled with each other, regular); `None` otherwise, and the transform is
    /// then done numerically in a run. With vakonomic constraints Φ = A v + b the momenta p = ∂L/∂v + Aᵀλ and Φ = 0 are solved
    /// for velocities and multipliers together: L itself may be singular.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let (x, v, m) = (g.symbol("x"), g.symbol("x'"), g.symbol("m"));
    /// let system = System::new(&g, &["x"], m * v.powi(2) / 2 - x.powi(2) / 2);
    /// let h = system.hamiltonian().unwrap();
    /// assert_eq!(h.h, system.p[0].powi(2) / m / 2 + x.powi(2) / 2);
    /// ```
    pub fn hamiltonian(&self) -> Option<Hamiltonian<'g>> {
        let g = self.graph;
        let split = self.unmultiplied().kinetic_split()?;
        let constraints: Vec<_> = self.vakonomic().map(|constraint| constraint.expression).collect();
        let rows = g.jacobian(&constraints, &self.v);
        if rows.iter().flatten().any(|(_, entry)| entry.depends_on(&self.v)) {
            return None;
        }
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, g.int(0))).collect();
        let drift = g.substitute(&constraints, &at_rest);
        let shifted: Vec<_> = self.p.iter().zip(&split.linear).map(|(p, a)| *p - g.simplified(*a)).collect();
        let LegendreInverse { velocities: v, multipliers, action } = inverse(g, &split, &rows, &shifted, &drift)?;
        let h = action * g.rational(Rational::HALF) - g.simplified(split.rest);
        let rules: Vec<_> = self.v.iter().copied().zip(v.iter().copied()).collect();
        let force = g.substitute(&self.force, &rules);
        let slopes = g.gradient(h, &self.q);
        let mut s_rate = g.substitute(&self.carried_rates(&g.gradient(h, self.heat.balanced())), &rules);
        let q_rate = g.gradient(h, &self.p);
        if let (RateLaw::Action, Some(rate)) = (&self.heat.law, s_rate.last_mut()) {
            *rate = g.dot(&self.p, &q_rate) - h;
        }
        let scale = if self.is_contact() { g.gradient(h, self.heat.states())[0] } else { g.int(0) };
        let pushed = slopes.iter().zip(&force).zip(&self.p);
        let p_rate = pushed.map(|((slope, force), p)| *force - *slope - *p * scale).collect();
        Some(Hamiltonian { h, q_rate, p_rate, s_rate, multipliers })
    }
}

/// The solution of M v + Aᵀλ = p − a, A v + b = 0.
struct LegendreInverse<'g> {
    velocities: Vec<Expr<'g>>,
    multipliers: Vec<Expr<'g>>,
    /// (p − a)·v − b·λ, which is twice p·v − L + L(v = 0).
    action: Expr<'g>,
}

/// Solves for velocities and multipliers, one group of coupled coordinates after the other.
fn inverse<'g>(
    graph: &'g Graph,
    split: &KineticSplit<'g>,
    rows: &[Vec<(usize, Expr<'g>)>],
    shifted: &[Expr<'g>],
    drift: &[Expr<'g>],
) -> Option<LegendreInverse<'g>> {
    let (n, m) = (shifted.len(), rows.len());
    let mut solution = vec![graph.int(0); n + m];
    let mut action = Vec::new();
    for group in coupled(split, rows) {
        if group.iter().filter(|place| **place < n).count() > MAX_DIMENSION {
            return None;
        }
        let across = |place: usize, row: usize| {
            let entry = rows[row - n].iter().find(|(column, _)| *column == place);
            entry.map_or(graph.int(0), |(_, value)| *value)
        };
        let entry = |i: usize, j: usize| match (i < n, j < n) {
            (true, true) => graph.simplified(split.mass[i][j]),
            (true, false) => across(i, j),
            (false, true) => across(j, i),
            (false, false) => graph.int(0),
        };
        let matrix: Vec<Vec<_>> = group.iter().map(|i| group.iter().map(|j| entry(*i, *j)).collect()).collect();
        let right: Vec<_> = group.iter().map(|i| if *i < n { shifted[*i] } else { -drift[*i - n] }).collect();
        let (numerators, denominator) = solve_group(&matrix, &right)?;
        action.push(graph.simplified(graph.dot(&right, &numerators)) / denominator);
        for (place, numerator) in group.iter().zip(numerators) {
            solution[*place] = numerator / denominator;
        }
    }
    let multipliers = solution.split_off(n);
    Some(LegendreInverse { velocities: solution, multipliers, action: graph.sum(action) })
}

/// The unknowns, velocities and then multipliers, in groups that no equation of M v + Aᵀλ = p − a, A v + b = 0 connects.
fn coupled<'g>(split: &KineticSplit<'g>, rows: &[Vec<(usize, Expr<'g>)>]) -> Vec<Vec<usize>> {
    let n = split.mass.len();
    let coupled = split.mass.iter().enumerate().flat_map(|(i, row)| {
        let there =
            row.iter().enumerate().take(i).filter(|(_, entry)| !matches!(entry.node(), Node::Number(m) if m.is_zero()));
        there.map(move |(j, _)| (i, j))
    });
    let constrained = rows.iter().enumerate().flat_map(|(k, row)| row.iter().map(move |(j, _)| (n + k, *j)));
    groups(n + rows.len(), coupled.chain(constrained))
}

#[cfg(test)]
mod tests {
    use crate::System;
    use extremal_expr::{Graph, Rational};
    use extremal_model::ConstraintKind;

    #[test]
    fn a_coupled_system_with_gyroscopic_terms() {
        // L = x'² + x' y' + y'² + B (x y' − y x')/2, by hand: p = M v + A with M = [[2, 1], [1, 2]], A = B/2 (−y, x).
        let g = Graph::new();
        let [x, y, vx, vy, b] = ["x", "y", "x'", "y'", "B"].map(|name| g.symbol(name));
        let l = vx.powi(2) + vx * vy + vy.powi(2) + b * (x * vy - y * vx) / 2;
        let system = System::new(&g, &["x", "y"], l);
        let hamiltonian = system.hamiltonian().unwrap();
        let values = |name: &str| {
            Some(match name {
                "x" => 0.3,
                "y" => -0.7,
                "p_x" => 1.1,
                "p_y" => 0.4,
                _ => 2.0,
            })
        };
        let [h, qx, px] = g.evaluate(&[hamiltonian.h, hamiltonian.q_rate[0], hamiltonian.p_rate[0]], values)[..] else {
            unreachable!()
        };
        let (kx, ky) = (1.1 - 0.7, 0.4 - 0.3);
        let (ux, uy) = ((2.0 * kx - ky) / 3.0, (2.0 * ky - kx) / 3.0);
        // A handful of operations on numbers of order one.
        assert!((h - (kx * ux + ky * uy) / 2.0).abs() < 1e-15);
        assert!((qx - ux).abs() < 1e-15);
        assert!((px - uy).abs() < 1e-15, "-∂H/∂x = u_y ∂A_y/∂x = u_y B/2");
    }

    #[test]
    fn a_singular_mass_matrix_is_seen() {
        let g = Graph::new();
        let (vx, vy) = (g.symbol("x'"), g.symbol("y'"));
        assert!(System::new(&g, &["x", "y"], (vx + vy).powi(2)).hamiltonian().is_none());
        // A small mass is a mass.
        let small = g.rational(Rational::parse_decimal("1e-30").unwrap());
        assert!(System::new(&g, &["x", "y"], (vx + vy).powi(2) + small * vx.powi(2)).hamiltonian().is_some());
    }

    #[test]
    fn a_small_mass_is_a_mass() {
        let g = Graph::new();
        let (x, v) = (g.symbol("x"), g.symbol("x'"));
        let mass = g.float(1e-12).unwrap();
        let system = System::new(&g, &["x"], v.powi(2) * mass - x.powi(2));
        assert_eq!(system.hamiltonian().unwrap().h, system.p[0].powi(2) / mass / 4 + x.powi(2));
    }

    /// Heisenberg: L = (x'² + y'²)/2 under z' = y x' imposed before the variation has H = ((p_x + y p_z)² + p_y²)/2 with λ = p_z.
    #[test]
    fn a_vakonomic_constraint_lifts_the_singularity_of_the_lagrangian() {
        let g = Graph::new();
        let [y, vx, vy, vz] = ["y", "x'", "y'", "z'"].map(|name| g.symbol(name));
        let mut system = System::new(&g, &["x", "y", "z"], (vx.powi(2) + vy.powi(2)) / 2);
        system.constrain("c", ConstraintKind::Vakonomic, vz - y * vx, None);
        let hamiltonian = system.hamiltonian().unwrap();
        let [px, py, pz] = [system.p[0], system.p[1], system.p[2]];
        let same = |a, b| assert!(g.proves_zero(a - b), "{a} is not {b}");
        same(hamiltonian.h, ((px + y * pz).powi(2) + py.powi(2)) / 2);
        same(hamiltonian.multipliers[0], pz);
        let typed = [px + y * pz, py, y * (px + y * pz), g.int(0), -(pz * (px + y * pz)), g.int(0)];
        let derived = hamiltonian.q_rate.iter().chain(&hamiltonian.p_rate);
        derived.zip(typed).for_each(|(derived, typed)| same(*derived, typed));
    }

    /// A constraint x' + y' = w that drifts: H = p·v − L on it, by hand v = ((p_x − p_y)/2 + w/2, …), λ = (p_x + p_y − w)/2.
    #[test]
    fn a_vakonomic_constraint_may_drift() {
        let g = Graph::new();
        let [w, vx, vy] = ["w", "x'", "y'"].map(|name| g.symbol(name));
        let mut system = System::new(&g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2);
        system.constrain("c", ConstraintKind::Vakonomic, vx + vy - w, None);
        let hamiltonian = system.hamiltonian().unwrap();
        let (px, py) = (system.p[0], system.p[1]);
        let (ux, uy) = ((px - py + w) / 2, (py - px + w) / 2);
        let typed = px * ux + py * uy - (ux.powi(2) + uy.powi(2)) / 2;
        assert!(g.proves_zero(hamiltonian.h - typed), "{}", hamiltonian.h);
        assert!(g.proves_zero(hamiltonian.multipliers[0] - (px + py - w) / 2));
        assert!(g.proves_zero(hamiltonian.q_rate[0] - ux));
    }
}

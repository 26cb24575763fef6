//! Hamilton's form, by inverting the Legendre transform symbolically where L is quadratic in the velocities.

use extremal_expr::{Expr, Rational};

use crate::System;

/// H(q, p, t) with Hamilton's equations.
pub struct Hamiltonian<'g> {
    /// The Hamiltonian in the symbols `q` and `p` of the system.
    pub h: Expr<'g>,
    /// q' = ∂H/∂p.
    pub q_rate: Vec<Expr<'g>>,
    /// p' = −∂H/∂q + F, with the velocities in F written by momenta.
    pub p_rate: Vec<Expr<'g>>,
}

/// Symbolic inversion is offered up to this many coordinates: beyond it the formulas fill pages.
const MAX_DIMENSION: usize = 6;

impl<'g> System<'g> {
    /// The Hamiltonian when the mass matrix can be inverted symbolically (L quadratic in v with linear terms, at most six
    /// coordinates that are coupled, regular); `None` otherwise, and the transform is then done numerically in a run.
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
        let split = self.kinetic_split()?;
        let coupled = (0..self.len()).any(|i| (0..self.len()).any(|j| i != j && !split.mass[i][j].is_zero()));
        if coupled && self.len() > MAX_DIMENSION {
            return None;
        }
        let shifted: Vec<_> = self.p.iter().zip(&split.linear).map(|(p, a)| *p - *a).collect();
        let v = solve_linear(&split.mass, &shifted)?;
        let half = g.rational(Rational::new(1, 2)?);
        let h = g.dot(&shifted, &v) * half - split.rest;
        let rules: Vec<_> = self.v.iter().copied().zip(v.iter().copied()).collect();
        let force = g.substitute(&self.force, &rules);
        let slopes = g.gradient(h, &self.q);
        Some(Hamiltonian {
            h,
            q_rate: g.gradient(h, &self.p),
            p_rate: slopes.iter().zip(&force).map(|(slope, force)| *force - *slope).collect(),
        })
    }
}

/// Solves `m x = b` by elimination, exchanging rows where a pivot is zero; `None` when the matrix is singular, or not known to
/// be regular.
pub(crate) fn solve_linear<'g>(m: &[Vec<Expr<'g>>], b: &[Expr<'g>]) -> Option<Vec<Expr<'g>>> {
    let n = b.len();
    let mut rows: Vec<Vec<Expr<'g>>> =
        m.iter().zip(b).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    for k in 0..n {
        // A pivot such as a² − (a b)²/b² is zero without looking it.
        let pivot = (k..n).find(|i| rows[*i][k].graph().vanishes(rows[*i][k], &[]) == Some(false))?;
        rows.swap(k, pivot);
        let (done, open) = rows.split_at_mut(k + 1);
        let top = &done[k];
        for row in open.iter_mut().filter(|row| !row[k].is_zero()) {
            let factor = row[k] / top[k];
            for (entry, above) in row.iter_mut().zip(top).skip(k + 1) {
                *entry = *entry - factor * *above;
            }
        }
    }
    let mut x: Vec<Expr<'g>> = b.to_vec();
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(rows[k][n], |sum, j| sum - rows[k][j] * x[j]);
        x[k] = known / rows[k][k];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use crate::System;
    use extremal_expr::{Graph, Rational};

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
}

//! The kinetic split L = T2 + T1 + T0 − V by degree in the velocities, Christoffel symbols, gyroscopic matrix.

use extremal_expr::{Expr, Rational};

use crate::System;

/// A Lagrangian that is at most quadratic in the velocities, taken apart.
pub struct KineticSplit<'g> {
    /// Mass matrix a_kl(q, t), full rows.
    pub mass: Vec<Vec<Expr<'g>>>,
    /// Coefficients a_k(q, t) of the terms linear in the velocities.
    pub linear: Vec<Expr<'g>>,
    /// The part without velocities, T0 − V.
    pub rest: Expr<'g>,
    /// Quadratic part ½ v·a·v.
    pub t2: Expr<'g>,
    /// Linear part a·v.
    pub t1: Expr<'g>,
}

/// A Christoffel symbol of the first kind `[kl, j]` that does not vanish, `k <= l`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Christoffel<'g> {
    /// First lower index.
    pub k: usize,
    /// Second lower index.
    pub l: usize,
    /// The coordinate of the equation.
    pub j: usize,
    /// Its value.
    pub value: Expr<'g>,
}

impl<'g> System<'g> {
    /// The kinetic split, or `None` when L is not a polynomial of degree two in the velocities.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let (x, v) = (g.symbol("x"), g.symbol("x'"));
    /// let split = System::new(&g, &["x"], x * v.powi(2) + v * 3 - x).kinetic_split().unwrap();
    /// assert_eq!(split.mass[0][0], x * 2);
    /// assert_eq!((split.linear[0], split.rest), (g.int(3), -x));
    /// ```
    pub fn kinetic_split(&self) -> Option<KineticSplit<'g>> {
        let g = self.graph;
        let zero = g.int(0);
        let rows = self.mass_matrix();
        let varying = rows.iter().flatten().any(|(_, m)| m.depends_on(&self.v));
        if varying || !g.unbroken_in(&[self.lagrangian], &self.v)[0] {
            return None;
        }
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, zero)).collect();
        let linear = g.substitute(&self.momenta(), &at_rest);
        let rest = self.lagrangian.substitute(&at_rest);
        let mut mass = vec![vec![zero; self.len()]; self.len()];
        for (row, entries) in rows.into_iter().enumerate() {
            for (column, value) in entries {
                mass[row][column] = value;
            }
        }
        let half = g.rational(Rational::new(1, 2)?);
        let t2 = g.sum(mass.iter().zip(&self.v).map(|(row, v)| *v * g.dot(row, &self.v))) * half;
        let t1 = g.dot(&linear, &self.v);
        Some(KineticSplit { mass, linear, rest, t2, t1 })
    }
}

impl<'g> KineticSplit<'g> {
    /// The Christoffel symbols `[kl, j] = (∂a_jk/∂q_l + ∂a_jl/∂q_k − ∂a_kl/∂q_j)/2` that do not vanish.
    pub fn christoffel(&self, system: &System<'g>) -> Vec<Christoffel<'g>> {
        let (g, n) = (system.graph, system.len());
        let entries: Vec<Expr<'g>> = self.mass.iter().flatten().copied().collect();
        let mut slopes = vec![g.int(0); n * n * n];
        for (entry, row) in g.jacobian(&entries, &system.q).into_iter().enumerate() {
            for (by, value) in row {
                slopes[entry * n + by] = value;
            }
        }
        let slope = |row: usize, column: usize, by: usize| slopes[(row * n + column) * n + by];
        let mut found = Vec::new();
        for j in 0..n {
            for k in 0..n {
                for l in k..n {
                    let value = (slope(j, k, l) + slope(j, l, k) - slope(k, l, j)) / 2;
                    if !value.is_zero() {
                        found.push(Christoffel { k, l, j, value });
                    }
                }
            }
        }
        found
    }

    /// The gyroscopic matrix `γ_jk = ∂a_j/∂q_k − ∂a_k/∂q_j`: skew, does no work.
    pub fn gyroscopic(&self, system: &System<'g>) -> Vec<Vec<Expr<'g>>> {
        let (g, n) = (system.graph, system.len());
        let mut slopes = vec![vec![g.int(0); n]; n];
        for (j, row) in g.jacobian(&self.linear, &system.q).into_iter().enumerate() {
            for (k, value) in row {
                slopes[j][k] = value;
            }
        }
        (0..n).map(|j| (0..n).map(|k| slopes[j][k] - slopes[k][j]).collect()).collect()
    }
}

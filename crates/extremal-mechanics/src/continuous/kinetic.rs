//! The kinetic split L = T2 + T1 + T0 − V by degree in the velocities, Christoffel symbols, gyroscopic matrix.

use std::collections::BTreeMap;

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
        // The sums go over the entries that are there: a long chain has a few in each row.
        let t2 = g.sum(rows.iter().zip(&self.v).flat_map(|(row, v)| row.iter().map(|(k, m)| *m * *v * self.v[*k])))
            * g.rational(Rational::HALF);
        let mut mass = vec![vec![zero; self.len()]; self.len()];
        for (row, entries) in rows.into_iter().enumerate() {
            for (column, value) in entries {
                mass[row][column] = value;
            }
        }
        let t1 = g.dot(&linear, &self.v);
        Some(KineticSplit { mass, linear, rest, t2, t1 })
    }
}

impl<'g> KineticSplit<'g> {
    /// The Christoffel symbols `[kl, j] = (∂a_jk/∂q_l + ∂a_jl/∂q_k − ∂a_kl/∂q_j)/2` that do not vanish, by j, k and l. The work is
    /// that of the derivatives which do not vanish.
    pub fn christoffel(&self, system: &System<'g>) -> Vec<Christoffel<'g>> {
        let g = system.graph;
        let zero = g.int(0);
        let upper = self.mass.iter().enumerate().flat_map(|(a, row)| (a..row.len()).map(move |b| (a, b, row[b])));
        let (places, entries): (Vec<_>, Vec<_>) =
            upper.filter(|(.., entry)| *entry != zero).map(|(a, b, entry)| ((a, b), entry)).unzip();
        let mut symbols: BTreeMap<[usize; 3], Vec<Expr<'g>>> = BTreeMap::new();
        let mut add =
            |j: usize, k: usize, l: usize, value| symbols.entry([j, k.min(l), k.max(l)]).or_default().push(value);
        for (&(a, b), slopes) in places.iter().zip(g.jacobian(&entries, &system.q)) {
            for (by, slope) in slopes {
                // Both orders of the indices of a_ab are meant; those of a symbol with k = l are one.
                let orders = [(a, b), (b, a)].into_iter().take(if a == b { 1 } else { 2 });
                for (j, k) in orders {
                    add(j, k, by, if k == by { slope * 2 } else { slope });
                }
                add(by, a, b, -slope);
            }
        }
        let halved = symbols.into_iter().map(|([j, k, l], terms)| Christoffel { k, l, j, value: g.sum(terms) / 2 });
        halved.filter(|symbol| symbol.value != zero).collect()
    }

    /// The gyroscopic matrix `γ_jk = ∂a_j/∂q_k − ∂a_k/∂q_j`: skew, does no work.
    pub fn gyroscopic(&self, system: &System<'g>) -> Vec<Vec<Expr<'g>>> {
        let (g, n) = (system.graph, system.len());
        let mut gamma = vec![vec![g.int(0); n]; n];
        for (j, row) in g.jacobian(&self.linear, &system.q).into_iter().enumerate() {
            for (k, slope) in row.into_iter().filter(|(k, _)| *k != j) {
                gamma[j][k] = gamma[j][k] + slope;
                gamma[k][j] = gamma[k][j] - slope;
            }
        }
        gamma
    }
}

#[cfg(test)]
mod tests {
    use crate::System;
    use extremal_expr::Graph;

    /// Every symbol by its definition, for a mass matrix whose entries depend on all coordinates.
    #[test]
    fn symbols_agree_with_their_definition() {
        let g = Graph::new();
        let [x, y, z, u, v, w] = ["x", "y", "z", "x'", "y'", "z'"].map(|name| g.symbol(name));
        let l = x * y * u.powi(2) + y.sin() * x * u * v + (z * x).powi(2) * v.powi(2) + z * y * u * w + w.powi(2);
        let system = System::new(&g, &["x", "y", "z"], l);
        let split = system.kinetic_split().unwrap();
        let found = split.christoffel(&system);
        let slope = |a: usize, b: usize, by: usize| g.gradient(split.mass[a][b], &system.q)[by];
        let mut expected = 0;
        for (j, k, l) in (0..27).map(|i| (i / 9, i / 3 % 3, i % 3)).filter(|(_, k, l)| k <= l) {
            let value = (slope(j, k, l) + slope(j, l, k) - slope(k, l, j)) / 2;
            let ours = found.iter().find(|c| (c.k, c.l, c.j) == (k, l, j));
            assert!(g.proves_zero(ours.map_or(g.int(0), |c| c.value) - value), "[{k} {l}, {j}] is {value}");
            expected += usize::from(!value.is_zero());
        }
        assert_eq!(found.len(), expected);
    }

    #[test]
    fn a_long_chain_has_no_symbols_and_costs_no_cube() {
        let g = Graph::new();
        let names: Vec<String> = (0..1500).map(|i| format!("x[{i}]")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let velocities: Vec<_> = names.iter().map(|name| g.symbol(&format!("{name}'"))).collect();
        let system = System::new(&g, &names, g.sum(velocities.iter().map(|v| v.powi(2))) / 2);
        // All derivatives of all entries would be 54 GB.
        let split = system.kinetic_split().unwrap();
        assert!(split.christoffel(&system).is_empty());
        assert!(g.len() < 20_000, "{} nodes", g.len());
    }
}

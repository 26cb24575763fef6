//! The kinetic split L = T2 + T1 + T0 − V by degree in the velocities, Christoffel symbols, gyroscopic matrix.

use std::collections::BTreeMap;

use extremal_expr::generic::real_points;
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
        let mut rows = self.mass_matrix();
        if self.order > 1 || !g.unbroken_in(&[self.lagrangian], &self.v)[0] {
            return None;
        }
        let entries: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, m)| *m).collect();
        let varying = g.depend_on(&entries, &self.v).contains(&true);
        let (linear, rest) = match varying {
            false => {
                let at_rest: Vec<_> = self.v.iter().map(|v| (*v, zero)).collect();
                (g.substitute(&self.momenta(), &at_rest), self.lagrangian.substitute(&at_rest))
            }
            true => self.split_in_disguise(&mut rows)?,
        };
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

    /// The split where velocities cancel from the mass matrix only by algebra: as they do, it has its value at any of them. Makes
    /// `rows` free of velocities; the parts linear in them and without them.
    fn split_in_disguise(&self, rows: &mut [Vec<(usize, Expr<'g>)>]) -> Option<(Vec<Expr<'g>>, Expr<'g>)> {
        let g = self.graph;
        let entries: Vec<Expr<'g>> = rows.iter().flatten().map(|(_, m)| *m).collect();
        let slopes = g.jacobian(&entries, &self.v).into_iter().flatten();
        if slopes.into_iter().any(|(_, slope)| g.vanishes(slope, &[]) != Some(true)) {
            return None;
        }
        // At rest the formulas are shortest, but what cancels may be a division by zero there.
        let at_rest: Vec<_> = self.v.iter().map(|v| (*v, g.int(0))).collect();
        let momenta = self.momenta();
        let all = g.substitute(&[&entries[..], &momenta, &[self.lagrangian]].concat(), &at_rest);
        let exists_at_rest = real_points(&g.free_symbols(&all), &[], |point| {
            let of = |name: &str| point.iter().find(|(symbol, _)| symbol.as_symbol().as_deref() == Some(name));
            let values = g.evaluate(&all, |name| of(name).map(|(_, value)| *value));
            values.iter().all(|value| value.is_finite()).then_some(true)
        });
        let moving: Vec<_> = match exists_at_rest {
            true => at_rest,
            false => self.v.iter().zip(1..).map(|(v, speed)| (*v, g.int(speed))).collect(),
        };
        let speed = |k: usize| moving[k].1;
        for entry in rows.iter_mut().flatten() {
            entry.1 = g.simplified(entry.1.substitute(&moving));
        }
        let quadratic: Vec<Expr<'g>> = rows.iter().map(|row| g.sum(row.iter().map(|(k, m)| *m * speed(*k)))).collect();
        let momenta = g.substitute(&momenta, &moving);
        let linear: Vec<Expr<'g>> = momenta.iter().zip(&quadratic).map(|(p, part)| g.simplified(*p - *part)).collect();
        let kinetic = quadratic.iter().zip(&linear).enumerate().map(|(k, (two, one))| (*two / 2 + *one) * speed(k));
        let rest = g.simplified(self.lagrangian.substitute(&moving) - g.sum(kinetic));
        Some((linear, rest))
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
    fn a_quotient_of_quartics_is_seen_to_be_quadratic() {
        let g = Graph::new();
        let [x, y, u, v] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        // (u⁴ − x⁴)/(u² + x²) is u² − x², and (v³ + v)/(1 + v²) is v.
        let l = (u.powi(4) - x.powi(4)) / (u.powi(2) + x.powi(2))
            + y * u * (v.powi(3) + v) / (v.powi(2) + 1)
            + v.powi(2) * 3;
        let split = System::new(&g, &["x", "y"], l).kinetic_split().unwrap();
        let expected = [[g.int(2), y], [y, g.int(6)]];
        for (row, by_hand) in split.mass.iter().zip(expected) {
            row.iter().zip(by_hand).for_each(|(m, by_hand)| assert!(g.proves_zero(*m - by_hand), "{m}"));
        }
        assert!(split.linear.iter().all(|a| g.proves_zero(*a)));
        assert!(g.proves_zero(split.rest + x.powi(2)), "{}", split.rest);
        let cubic = System::new(&g, &["x"], (u.powi(4) - x.powi(4)) / (u.powi(2) + x.powi(2) * 2));
        assert!(cubic.kinetic_split().is_none());
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

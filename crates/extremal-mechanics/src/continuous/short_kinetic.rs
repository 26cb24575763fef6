//! The kinetic energy in the form that takes the fewest operations.

use extremal_expr::{Expr, Graph, Id, Node, Rational};

use crate::System;

/// For more coordinates a mass matrix is longer than what it was found from.
const MOST_COORDINATES: usize = 8;

/// What a function weighs in operations.
const FUNCTION: u64 = 8;

impl<'g> System<'g> {
    /// The same system, with its kinetic energy written by the mass matrix if that is less to compute. A user may state positions of
    /// masses by angles; in `v·M v/2` the squares of sines and cosines have met.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// use extremal_mechanics::System;
    /// let g = Graph::new();
    /// let (a, rate, r) = (g.symbol("a"), g.symbol("a'"), g.symbol("r"));
    /// let speed = (r * a.cos() * rate).powi(2) + (r * a.sin() * rate).powi(2);
    /// let pendulum = System::new(&g, &["a"], speed / 2 + a.cos()).with_short_kinetic_energy();
    /// assert_eq!(pendulum.lagrangian, r.powi(2) * rate.powi(2) / 2 + a.cos());
    /// ```
    #[must_use]
    pub fn with_short_kinetic_energy(mut self) -> System<'g> {
        if let Some(short) = self.by_mass_matrix() {
            let (as_written, by_matrix) = (self.costs(self.lagrangian), self.costs(short));
            // A long chain has more entries of its matrix than masses: there the first derivatives tell.
            if by_matrix[0] <= as_written[0] && by_matrix[1] < as_written[1] {
                self.lagrangian = short;
            }
        }
        self
    }

    /// v·M v/2 + b·v + L(v = 0), with M and b simplified; `None` where L is no such sum.
    fn by_mass_matrix(&self) -> Option<Expr<'g>> {
        let (g, n) = (self.graph, self.len());
        if n > MOST_COORDINATES {
            return None;
        }
        let split = self.kinetic_split()?;
        let half = g.rational(Rational::HALF);
        let mut sum = split.rest;
        for i in 0..n {
            let by_others = g.sum((0..i).map(|j| g.simplified(split.mass[i][j]) * self.v[j]));
            let by_itself = half * g.simplified(split.mass[i][i]) * self.v[i];
            sum = sum + self.v[i] * by_itself + self.v[i] * by_others + self.v[i] * g.simplified(split.linear[i]);
        }
        Some(sum)
    }

    /// Operations for the first derivatives, and for the first and second ones, of which every method is made.
    fn costs(&self, lagrangian: Expr<'g>) -> [u64; 2] {
        let g = self.graph;
        let variables = [&self.q[..], &self.v].concat();
        let slopes = g.gradient(lagrangian, &variables);
        let second = g.jacobian(&slopes, &variables);
        let first: Vec<Id> = slopes.iter().map(|e| e.id()).collect();
        let both: Vec<Id> = first.iter().copied().chain(second.iter().flatten().map(|(_, e)| e.id())).collect();
        [first, both].map(|all| {
            let changing = changing(g, &all, &variables);
            changing.into_iter().map(|id| operations(&g.expr(id).node())).sum()
        })
    }
}

/// What of these expressions must be computed anew when the variables change.
fn changing(g: &Graph, roots: &[Id], variables: &[Expr<'_>]) -> Vec<Id> {
    let reached = g.reachable(roots);
    let depends = g.depend_on(&g.exprs(&reached), variables);
    reached.into_iter().zip(depends).filter(|(_, depends)| *depends).map(|(id, _)| id).collect()
}

fn operations(node: &Node) -> u64 {
    match node {
        Node::Number(_) | Node::Pi | Node::Symbol(_) => 0,
        Node::Sum { terms, .. } => terms.len() as u64,
        Node::Product(factors) => {
            factors.iter().map(|(_, exponent)| u64::from(exponent.unsigned_abs().ilog2()) + 1).sum()
        }
        _ => FUNCTION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pendulums of length and mass one hanging from each other, by the positions of their masses.
    fn chain(g: &Graph, links: usize) -> System<'_> {
        let names: Vec<String> = (1..=links).map(|i| format!("a{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (mut x, mut y, mut speeds) = (g.int(0), g.int(0), g.int(0));
        for name in &names {
            let (angle, rate) = (g.symbol(name), g.symbol(&format!("{name}'")));
            x = x + angle.cos() * rate;
            y = y + angle.sin() * rate;
            speeds = speeds + x.powi(2) + y.powi(2);
        }
        System::new(g, &names, speeds / 2)
    }

    #[test]
    fn two_links_are_written_by_their_matrix() {
        let g = Graph::new();
        let short = chain(&g, 2).with_short_kinetic_energy();
        let [a, b] = [short.q[0], short.q[1]];
        let expected = short.v[0].powi(2) + short.v[0] * short.v[1] * (a - b).cos() + short.v[1].powi(2) / 2;
        assert_eq!(short.lagrangian, expected);
    }

    #[test]
    fn many_links_stay_as_they_are_written() {
        let g = Graph::new();
        let long = chain(&g, MOST_COORDINATES);
        assert!(long.by_mass_matrix().is_some());
        assert_eq!(long.clone().with_short_kinetic_energy().lagrangian, long.lagrangian);
    }

    #[test]
    fn no_polynomial_of_the_velocities_stays_as_it_is() {
        let g = Graph::new();
        let v = g.symbol("x'");
        let relativistic = System::new(&g, &["x"], -(g.int(1) - v.powi(2)).sqrt());
        assert_eq!(relativistic.clone().with_short_kinetic_energy().lagrangian, relativistic.lagrangian);
    }
}

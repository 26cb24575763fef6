//! Lagrangians with accelerations and higher derivatives: equations, Ostrogradsky momenta, energy.

use std::collections::HashSet;

use extremal_expr::{Expr, Graph};

use crate::system::own_symbol;

/// A system whose Lagrangian contains derivatives of the coordinates up to some order, without forces.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::continuous::HigherSystem;
/// let g = Graph::new();
/// let spline = HigherSystem::new(&g, &["x"], 2, g.symbol("x''").powi(2) / 2);
/// assert_eq!(spline.euler_lagrange(), [g.symbol("x''''")]);
/// assert_eq!(spline.momenta(), [[-g.symbol("x'''")], [g.symbol("x''")]]);
/// ```
#[derive(Clone)]
pub struct HigherSystem<'g> {
    /// Where all expressions live.
    pub graph: &'g Graph,
    /// Time.
    pub t: Expr<'g>,
    /// Names of the coordinates.
    pub names: Vec<String>,
    /// The order k of the highest derivative in the Lagrangian.
    pub order: usize,
    /// Derivatives q, q', …, up to order 2k, per order and coordinate.
    pub derivatives: Vec<Vec<Expr<'g>>>,
    /// The Lagrangian.
    pub lagrangian: Expr<'g>,
    /// Constraints imposed before the variation, expressions in the same derivatives that vanish, with their names.
    pub constraints: Vec<(String, Expr<'g>)>,
    taken: HashSet<String>,
}

impl<'g> HigherSystem<'g> {
    /// A system of order `order`, at least one, which must be that of the Lagrangian or higher.
    pub fn new(graph: &'g Graph, names: &[&str], order: usize, lagrangian: Expr<'g>) -> HigherSystem<'g> {
        let symbols = graph.free_symbols(&[lagrangian]);
        let taken = symbols.iter().filter_map(|s| s.as_symbol()).map(|name| name.to_string()).collect();
        HigherSystem::with_taken(graph, names, order, lagrangian, taken)
    }

    /// The same, with symbols of its own that avoid the names in `taken`.
    pub fn with_taken(
        graph: &'g Graph,
        names: &[&str],
        order: usize,
        lagrangian: Expr<'g>,
        taken: Vec<String>,
    ) -> HigherSystem<'g> {
        let derivative = |times: usize| -> Vec<Expr<'g>> {
            names.iter().map(|name| graph.symbol(&format!("{name}{}", "'".repeat(times)))).collect()
        };
        HigherSystem {
            graph,
            t: graph.symbol("t"),
            names: names.iter().map(|name| name.to_string()).collect(),
            order: order.max(1),
            derivatives: (0..=2 * order.max(1)).map(derivative).collect(),
            lagrangian,
            constraints: Vec::new(),
            taken: taken.into_iter().collect(),
        }
    }

    /// The number of coordinates.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Is there no coordinate?
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The symbol of the step, `h`.
    pub fn step(&self) -> Expr<'g> {
        self.graph.symbol("h")
    }

    /// A symbol of our own per coordinate.
    pub fn symbols(&self, prefix: &str, suffix: &str) -> Vec<Expr<'g>> {
        let one = |name: &String| {
            let (family, index) = name.split_at(name.find('[').unwrap_or(name.len()));
            self.symbol(&format!("{prefix}{family}{suffix}{index}"))
        };
        self.names.iter().map(one).collect()
    }

    /// A symbol of our own, no name of the user's.
    pub fn symbol(&self, name: &str) -> Expr<'g> {
        own_symbol(self.graph, &self.taken, name)
    }

    /// The total time derivative.
    fn time_derivative(&self, fs: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut direction = vec![(self.t, self.graph.int(1))];
        for pair in self.derivatives.windows(2) {
            direction.extend(pair[0].iter().copied().zip(pair[1].iter().copied()));
        }
        self.graph.directional(fs, &direction)
    }

    /// ∂L/∂q^(l).
    fn slopes(&self, l: usize) -> Vec<Expr<'g>> {
        self.graph.gradient(self.lagrangian, &self.derivatives[l])
    }

    /// Residuals of the equations Σ_l (−1)^l d^l/dt^l ∂L/∂q^(l) = 0 (H1), with the sign of first-order mechanics:
    /// that of d/dt ∂L/∂v − ∂L/∂q.
    pub fn euler_lagrange(&self) -> Vec<Expr<'g>> {
        // p^(0)' = ∂L/∂q closes the recursion of the momenta.
        let rates = self.time_derivative(&self.momenta()[0]);
        let sign = if self.order % 2 == 1 { 1 } else { -1 };
        rates.iter().zip(self.slopes(0)).map(|(rate, slope)| (*rate - slope) * sign).collect()
    }

    /// The Ostrogradsky momenta p^(r) = Σ_s (−1)^s d^s/dt^s ∂L/∂q^(r+1+s), conjugate to q^(r), r = 0 … k−1 (H2).
    pub fn momenta(&self) -> Vec<Vec<Expr<'g>>> {
        // From the highest down: p^(r−1) = ∂L/∂q^(r) − d/dt p^(r).
        let mut momenta = vec![self.slopes(self.order)];
        for r in (1..self.order).rev() {
            let rates = self.time_derivative(&momenta[0]);
            let next = self.slopes(r).iter().zip(rates).map(|(slope, rate)| *slope - rate).collect();
            momenta.insert(0, next);
        }
        momenta
    }

    /// The same motion without constraints: their multipliers `lambda_c` are coordinates of their own, and the Lagrangian is
    /// L + λ·Φ (H7).
    pub fn multiplied(&self) -> HigherSystem<'g> {
        let multipliers: Vec<String> = self.constraints.iter().map(|(name, _)| format!("lambda_{name}")).collect();
        let names: Vec<&str> = self.names.iter().chain(&multipliers).map(String::as_str).collect();
        let terms = self.constraints.iter().zip(&multipliers).map(|((_, phi), name)| self.graph.symbol(name) * *phi);
        let lagrangian = self.lagrangian + self.graph.sum(terms);
        let taken = self.taken.iter().cloned().collect();
        let mut free = HigherSystem::with_taken(self.graph, &names, self.order, lagrangian, taken);
        free.t = self.t;
        free
    }

    /// The symbols of the momenta, `p_x`, `p_x'`, …, per order and coordinate.
    pub fn momentum_symbols(&self) -> Vec<Vec<Expr<'g>>> {
        let one = |name: &String, r: usize| self.symbol(&format!("p_{name}{}", "'".repeat(r)));
        (0..self.order).map(|r| self.names.iter().map(|name| one(name, r)).collect()).collect()
    }

    /// The Ostrogradsky energy Σ_r p^(r)·q^(r+1) − L (H3), constant when L does not depend on time.
    pub fn energy(&self) -> Expr<'g> {
        let momenta = self.momenta();
        let pairs = momenta.iter().zip(&self.derivatives[1..]);
        self.graph.sum(pairs.map(|(p, v)| self.graph.dot(p, v))) - self.lagrangian
    }

    /// ∂²L/∂q^(k)∂q^(k): where it has no inverse, the Lagrangian is singular.
    pub fn highest_hessian(&self) -> Vec<Vec<Expr<'g>>> {
        let highest = &self.derivatives[self.order];
        self.slopes(self.order).iter().map(|slope| self.graph.gradient(*slope, highest)).collect()
    }

    /// Lagrangian and derivatives of it with q, q', … and time replaced; `values` per order and coordinate.
    pub fn at(&self, fs: &[Expr<'g>], values: &[Vec<Expr<'g>>], t: Expr<'g>) -> Vec<Expr<'g>> {
        let mut rules = vec![(self.t, t)];
        for (symbols, values) in self.derivatives.iter().zip(values) {
            rules.extend(symbols.iter().copied().zip(values.iter().copied()));
        }
        self.graph.substitute(fs, &rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L = x''²/2 − (a + b) x'²/2 + a b x²/2, the oscillator of Pais and Uhlenbeck with squared frequencies a and b.
    #[test]
    fn pais_uhlenbeck_by_hand() {
        let g = Graph::new();
        let x = |primes: usize| g.symbol(&format!("x{}", "'".repeat(primes)));
        let (a, b) = (g.symbol("a"), g.symbol("b"));
        let l = x(2).powi(2) / 2 - (a + b) * x(1).powi(2) / 2 + a * b * x(0).powi(2) / 2;
        let system = HigherSystem::new(&g, &["x"], 2, l);
        let equation = system.euler_lagrange()[0];
        let by_hand = x(4) + (a + b) * x(2) + a * b * x(0);
        assert!(g.simplified(equation - by_hand).is_zero() || g.expanded(equation - by_hand).unwrap().is_zero());
        let momenta = system.momenta();
        assert_eq!(momenta[1][0], x(2));
        assert!(g.expanded(momenta[0][0] + (a + b) * x(1) + x(3)).unwrap().is_zero());
        let energy = x(2).powi(2) / 2 - x(1) * x(3) - (a + b) * x(1).powi(2) / 2 - a * b * x(0).powi(2) / 2;
        assert!(g.expanded(system.energy() - energy).unwrap().is_zero());
    }

    #[test]
    fn first_order_is_ordinary_mechanics() {
        let g = Graph::new();
        let (x, v, a) = (g.symbol("x"), g.symbol("x'"), g.symbol("x''"));
        let system = HigherSystem::new(&g, &["x"], 1, v.powi(2) / 2 - x.powi(2) / 2);
        assert_eq!(system.euler_lagrange(), [a + x]);
        assert_eq!(system.energy(), v.powi(2) / 2 + x.powi(2) / 2);
    }
}

//! Lagrangians of higher order by polynomials through q, q', … at both ends of a step.

use extremal_expr::{Expr, Graph};

use super::builder::SchemeBuilder;
use super::quadrature::QuadratureRule;
use super::scheme::{Constants, Equation, Scheme};
use crate::System;
use crate::block::Solve;
use crate::dense::solution;

/// The discrete Lagrangian of a step between nodes that carry q, q', …, q^(k−1): the polynomial of degree 2k − 1 through both,
/// the action by Gauss quadrature with 2k − 1 nodes (H4).
///
/// What is solved for are not the derivatives at the end but how they differ from the Taylor polynomial of the start,
/// q_1^(i) = Σ_j h^(j−i) q_0^(j)/(j−i)! + h^(k−i) α_i: no small differences are divided by powers of h.
pub struct HermiteAction<'g> {
    /// q^(i) at the start, per order and coordinate.
    pub start: Vec<Vec<Expr<'g>>>,
    /// α_i, per order and coordinate.
    pub increments: Vec<Vec<Expr<'g>>>,
    /// h Σ_j b_j L at the quadrature nodes.
    pub action: Expr<'g>,
    /// Where forces act, if there are any.
    pushes: Vec<Push<'g>>,
    pub(crate) constants: Constants<'g>,
}

/// The forces at a quadrature node, with its weight and the position whose displacement they work on.
struct Push<'g> {
    weight: Expr<'g>,
    position: Vec<Expr<'g>>,
    force: Vec<Expr<'g>>,
}

impl<'g> HermiteAction<'g> {
    /// The action of a system.
    pub fn of(system: &System<'g>) -> HermiteAction<'g> {
        let (g, h, k) = (system.graph, system.step(), system.order);
        let rule = QuadratureRule::gauss(2 * k - 1);
        let mut constants = Constants::new(g);
        let start: Vec<Vec<Expr<'g>>> = (0..k).map(|order| system.derivative(order).to_vec()).collect();
        let increments: Vec<_> = (0..k).map(|i| system.symbols("alpha_", &format!("_{i}"))).collect();
        let (mut terms, mut pushes) = (Vec::new(), Vec::new());
        let forced = system.force.iter().any(|force| !force.is_zero());
        for (j, (c, b)) in (1..).zip(rule.nodes.iter().zip(&rule.weights)) {
            let mut number = |value: f64, name: String| constants.number(value, || system.symbol(&name));
            let node = number(*c, format!("c_{j}"));
            let values: Vec<Vec<Expr<'g>>> = (0..=k)
                .map(|m| {
                    let basis: Vec<Expr<'g>> =
                        (0..k).map(|i| number(remainder(k, i, m, *c), format!("r_{i}_{m}_{j}"))).collect();
                    let rest = |q: usize| (0..k).map(|i| increments[i][q]).collect::<Vec<_>>();
                    let value =
                        |q: usize| taylor(&start, m, q, h * node) + h.powi((k - m) as i64) * g.dot(&basis, &rest(q));
                    (0..system.len()).map(value).collect()
                })
                .collect();
            let weight = number(*b, format!("b_{j}"));
            let time = system.t + node * h;
            terms.push(weight * system.at_derivatives(&[system.lagrangian], &values, time)[0]);
            if forced {
                let force = system.at_derivatives(&system.force, &values, time);
                pushes.push(Push { weight, position: values[0].clone(), force });
            }
        }
        HermiteAction { start, increments, action: h * g.sum(terms), pushes, constants }
    }

    /// The virtual work of the forces per step and unit of these symbols, Σ_j b_j F_j·∂Q_j (H8).
    fn work(&self, g: &'g Graph, symbols: &[Expr<'g>]) -> Vec<Expr<'g>> {
        let mut work = vec![g.int(0); symbols.len()];
        for Push { weight, position, force } in &self.pushes {
            for (row, force) in g.jacobian(position, symbols).iter().zip(force) {
                row.iter().for_each(|(at, lever)| work[*at] = work[*at] + *weight * *force * *lever);
            }
        }
        work
    }

    /// q^(i) at the end of the step.
    pub fn end(&self, system: &System<'g>) -> Vec<Vec<Expr<'g>>> {
        let (h, k) = (system.step(), system.order);
        let value = |i: usize, q: usize| self.taylor(h, i, q) + h.powi((k - i) as i64) * self.increments[i][q];
        (0..k).map(|i| (0..system.len()).map(|q| value(i, q)).collect()).collect()
    }

    /// What the derivatives at the start alone say of q^(i) after `h`.
    pub(crate) fn taylor(&self, h: Expr<'g>, i: usize, q: usize) -> Expr<'g> {
        taylor(&self.start, i, q, h)
    }

    /// Momenta at the end, P_i = ℓ_α_i/h^(k−i), and at the start, P_i = −ℓ_q^(i) + Σ_m h^(i−m)/(i−m)! P_m(end).
    pub fn momenta(&self, system: &System<'g>) -> [Vec<Vec<Expr<'g>>>; 2] {
        let (g, h, k) = (system.graph, system.step(), system.order);
        let last: Vec<Vec<Expr<'g>>> = (0..k)
            .map(|i| {
                // Of ℓ/h first: one power of the step is there already.
                let slopes = g.gradient(self.action / h, &self.increments[i]).into_iter();
                let pushed = slopes.zip(self.work(g, &self.increments[i]));
                pushed.map(|(slope, work)| (slope + work) / h.powi((k - i) as i64 - 1)).collect()
            })
            .collect();
        let first = (0..k)
            .map(|i| {
                let slopes = g.gradient(self.action, &self.start[i]);
                let work = self.work(g, &self.start[i]);
                (0..system.len())
                    .map(|q| {
                        let carried = (0..=i).map(|m| last[m][q] * h.powi((i - m) as i64) / factorial(i - m));
                        g.sum(carried) - slopes[q] - h * work[q]
                    })
                    .collect()
            })
            .collect();
        [first, last]
    }
}

/// The integrator of the Hermite form. Its state is (q, …, q^(k−1)) and their Ostrogradsky momenta; what a run calls velocities
/// are q^(k) … q^(2k−1), from which the momenta at the start follow exactly.
pub(super) fn hermite<'g>(system: &System<'g>, name: String) -> Scheme {
    let (g, h, k) = (system.graph, system.step(), system.order);
    let action = HermiteAction::of(system);
    let [first, last] = action.momenta(system);
    let residual: Vec<Expr<'g>> = system.p.iter().zip(first.concat()).map(|(p, first)| first - *p).collect();
    // α_i from the Taylor series: Σ_(j >= k) h^(j−k) q^(j)/(j−i)!.
    let term = |i: usize, q: usize, j: usize| system.derivative(j)[q] * h.powi((j - k) as i64) / factorial(j - i);
    let guess: Vec<Expr<'g>> =
        (0..k).flat_map(|i| (0..system.len()).map(move |q| g.sum((k..2 * k).map(|j| term(i, q, j))))).collect();
    let mut equations = vec![Equation::new("discrete Lagrangian", system.symbol("L_d"), action.action)];
    for (r, (first, last)) in first.iter().zip(&last).enumerate() {
        for (q, name) in system.names.iter().enumerate() {
            let primes = "'".repeat(r);
            let at_end = system.symbol(&format!("p_{name}_1{primes}"));
            let at_start = system.p[r * system.len() + q];
            let name = format!("{name}{primes}");
            equations.push(Equation::new(format!("momentum of {name} at the start of the step"), at_start, first[q]));
            equations.push(Equation::new(format!("momentum of {name} at its end"), at_end, last[q]));
        }
    }
    let solves = vec![Solve::new(&action.increments.concat(), &residual, &guess)];
    let next = [action.end(system).concat(), last.concat()].concat();
    let constants = action.constants.into_named();
    let note = "One step of size h at t. The derivatives at its end are those of the Taylor polynomial of the start, and \
                h^(k - i)*alpha_i more in the i-th; the momenta at the start fix the alphas, those with _1 are at the end.";
    Scheme {
        constants,
        equations,
        note: note.to_owned(),
        ..SchemeBuilder::of_momenta(system).step(name, solves, &next)
    }
}

/// The m-th derivative at `c` of the polynomial of degree 2k − 1 that vanishes k-fold at 0 and whose derivatives of order
/// 0 … k−1 at 1 vanish too, except the `i`-th, which is one.
fn remainder(k: usize, i: usize, m: usize, c: f64) -> f64 {
    // x^k Σ_l a_l x^l, by k conditions at 1.
    let falling = |power: usize, times: usize| (0..times).map(|t| (power - t) as f64).product::<f64>();
    let matrix = (0..k).flat_map(|d| (0..k).map(move |l| falling(k + l, d))).collect();
    let right = (0..k).map(|d| if d == i { 1.0 } else { 0.0 }).collect();
    let a = solution(matrix, right).unwrap_or_default();
    (0..k).zip(a).map(|(l, a)| a * falling(k + l, m) * c.powi((k + l - m) as i32)).sum()
}

/// q^(i) of coordinate `q` after a time `h` by the Taylor polynomial of the derivatives at the start.
fn taylor<'g>(start: &[Vec<Expr<'g>>], i: usize, q: usize, h: Expr<'g>) -> Expr<'g> {
    h.graph().sum((i..start.len()).map(|j| start[j][q] * h.powi((j - i) as i64) / factorial(j - i)))
}

fn factorial(n: usize) -> i64 {
    (1..=n as i64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubic_remainders() {
        for c in [0.0, 0.3, 1.0] {
            assert!((remainder(2, 0, 0, c) - (3.0 * c * c - 2.0 * c.powi(3))).abs() < 1e-15);
            assert!((remainder(2, 1, 0, c) - (c.powi(3) - c * c)).abs() < 1e-15);
            assert!((remainder(2, 0, 2, c) - (6.0 - 12.0 * c)).abs() < 1e-14);
            assert!((remainder(2, 1, 1, c) - (3.0 * c * c - 2.0 * c)).abs() < 1e-15);
        }
        assert!((remainder(3, 2, 2, 1.0) - 1.0).abs() < 1e-13);
    }
}

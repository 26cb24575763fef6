//! Methods for Lagrangians of higher order: the two-point Hermite form and, for accelerations, differences over three points.

use extremal_expr::Expr;

use extremal_model::{Feature, Method};

use super::quadrature::Quadrature;
use super::reference::PhaseFlow;
use super::scheme::{Constants, Equation, Scheme, ids};
use super::{SchemeError, difference};
use crate::block::{Block, Solve};
use crate::continuous::HigherSystem;

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
    pub(crate) constants: Constants<'g>,
}

impl<'g> HermiteAction<'g> {
    /// The action of a system.
    pub fn of(system: &HigherSystem<'g>) -> HermiteAction<'g> {
        let (g, h, k) = (system.graph, system.step(), system.order);
        let rule = Quadrature::gauss(2 * k - 1);
        let mut constants = Constants::new(g);
        let start = system.derivatives[..k].to_vec();
        let increments: Vec<_> = (0..k).map(|i| system.symbols("alpha_", &format!("_{i}"))).collect();
        let mut terms = Vec::new();
        for (j, (c, b)) in (1..).zip(rule.nodes.iter().zip(&rule.weights)) {
            let mut number = |value: f64, name: String| constants.number(value, || system.symbol(&name));
            let node = number(*c, format!("c_{j}"));
            let values: Vec<Vec<Expr<'g>>> = (0..=k)
                .map(|m| {
                    let basis: Vec<Expr<'g>> =
                        (0..k).map(|i| number(remainder(k, i, m, *c), format!("r_{i}_{m}_{j}"))).collect();
                    (0..system.len())
                        .map(|q| {
                            let taylor =
                                (m..k).map(|i| start[i][q] * (h * node).powi((i - m) as i64) / factorial(i - m));
                            let rest: Vec<_> = (0..k).map(|i| increments[i][q]).collect();
                            g.sum(taylor) + h.powi((k - m) as i64) * g.dot(&basis, &rest)
                        })
                        .collect()
                })
                .collect();
            let weight = number(*b, format!("b_{j}"));
            terms.push(weight * system.at(&[system.lagrangian], &values, system.t + node * h)[0]);
        }
        HermiteAction { start, increments, action: h * g.sum(terms), constants }
    }

    /// q^(i) at the end of the step.
    pub fn end(&self, system: &HigherSystem<'g>) -> Vec<Vec<Expr<'g>>> {
        let (g, h, k) = (system.graph, system.step(), system.order);
        (0..k)
            .map(|i| {
                (0..system.len())
                    .map(|q| {
                        let taylor = (i..k).map(|j| self.start[j][q] * h.powi((j - i) as i64) / factorial(j - i));
                        g.sum(taylor) + h.powi((k - i) as i64) * self.increments[i][q]
                    })
                    .collect()
            })
            .collect()
    }

    /// Momenta at the end, P_i = ℓ_α_i/h^(k−i), and at the start, P_i = −ℓ_q^(i) + Σ_m h^(i−m)/(i−m)! P_m(end).
    pub fn momenta(&self, system: &HigherSystem<'g>) -> [Vec<Vec<Expr<'g>>>; 2] {
        let (g, h, k) = (system.graph, system.step(), system.order);
        let last: Vec<Vec<Expr<'g>>> = (0..k)
            .map(|i| {
                // Of ℓ/h first: one power of the step is there already.
                let slopes = g.gradient(self.action / h, &self.increments[i]);
                slopes.into_iter().map(|slope| slope / h.powi((k - i) as i64 - 1)).collect()
            })
            .collect();
        let first = (0..k)
            .map(|i| {
                let slopes = g.gradient(self.action, &self.start[i]);
                (0..system.len())
                    .map(|q| {
                        let carried = (0..=i).map(|m| last[m][q] * h.powi((i - m) as i64) / factorial(i - m));
                        g.sum(carried) - slopes[q]
                    })
                    .collect()
            })
            .collect();
        [first, last]
    }
}

/// The scheme of `method` for a system with accelerations.
pub fn higher_scheme(system: &HigherSystem<'_>, method: &Method) -> Result<Scheme, SchemeError> {
    let name = method.to_string();
    if !system.constraints.is_empty() {
        return Err(SchemeError::BesideAccelerations("constraints of a motion from its start"));
    }
    if let Some(refusal) = method.refuses(&[Feature::of_order(system.order)]) {
        return Err(SchemeError::Undefined { refusal, example: None });
    }
    match method {
        Method::Hermite => Ok(hermite(system, name)),
        Method::Difference => Ok(difference(system, name)),
        _ => Err(SchemeError::Adaptive(name)),
    }
}

/// The equations (H1) as a system of first order: its state is (q, …, q^(2k−1)).
pub fn higher_flow(system: &HigherSystem<'_>) -> PhaseFlow {
    let k = system.order;
    let state = system.derivatives[..2 * k].concat();
    let highest = &system.derivatives[2 * k];
    let inputs = ids(&[&state[..], &[system.t]].concat());
    let guess = vec![system.graph.int(0); system.len()];
    let observed = [system.derivatives[k..2 * k].concat(), system.momenta().concat()].concat();
    PhaseFlow {
        state: ids(&state),
        alike: vec![system.len(); 2 * k],
        rates: Block {
            inputs: inputs.clone(),
            solves: vec![Solve::new(highest, &system.euler_lagrange(), &guess)],
            outputs: ids(&system.derivatives[1..].concat()),
        },
        observe: Block { inputs, solves: Vec::new(), outputs: ids(&observed) },
        guards: Vec::new(),
    }
}

/// The integrator of the Hermite form. Its state is (q, …, q^(k−1)) and their Ostrogradsky momenta; what a run calls velocities
/// are q^(k) … q^(2k−1), from which the momenta at the start follow exactly.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{continuous::HigherSystem, discrete::hermite};
/// let g = Graph::new();
/// let spline = HigherSystem::new(&g, &["x"], 2, g.symbol("x''").powi(2) / 2);
/// let scheme = hermite(&spline, "hermite".into());
/// assert_eq!(scheme.state.len(), 4);
/// ```
pub fn hermite<'g>(system: &HigherSystem<'g>, name: String) -> Scheme {
    let (g, h, k) = (system.graph, system.step(), system.order);
    let action = HermiteAction::of(system);
    let p = system.momentum_symbols();
    let [first, last] = action.momenta(system);
    let residual: Vec<Expr<'g>> =
        p.iter().flatten().zip(first.iter().flatten()).map(|(p, first)| *first - *p).collect();
    let higher = &system.derivatives[k..2 * k];
    // α_i from the Taylor series: Σ_(j >= k) h^(j−k) q^(j)/(j−i)!.
    let guess: Vec<Expr<'g>> = (0..k)
        .flat_map(|i| {
            (0..system.len())
                .map(move |q| g.sum((k..2 * k).map(|j| higher[j - k][q] * h.powi((j - k) as i64) / factorial(j - i))))
        })
        .collect();
    let flat = |rows: &[Vec<Expr<'g>>]| rows.concat();
    let state = [flat(&action.start), flat(&p)].concat();
    let velocities = flat(higher);
    let mut equations = vec![Equation::new("discrete Lagrangian", system.symbol("L_d"), action.action)];
    let labels = p.iter().zip(first.iter().zip(&last)).enumerate();
    for (r, (symbols, (first, last))) in labels {
        for (q, name) in system.names.iter().enumerate() {
            let primes = "'".repeat(r);
            let at_end = system.symbol(&format!("p_{name}_1{primes}"));
            let name = format!("{name}{primes}");
            equations.push(Equation::new(format!("momentum of {name} at the start of the step"), symbols[q], first[q]));
            equations.push(Equation::new(format!("momentum of {name} at its end"), at_end, last[q]));
        }
    }
    let end = flat(&action.end(system));
    Scheme {
        name,
        state: ids(&state),
        time: system.t.id(),
        start: Block {
            inputs: ids(&[&flat(&action.start)[..], &velocities, &[system.t, h]].concat()),
            solves: Vec::new(),
            outputs: ids(&[flat(&action.start), flat(&system.momenta())].concat()),
        },
        step: Block {
            inputs: ids(&[&state[..], &[system.t, h], &velocities].concat()),
            solves: vec![Solve::new(&flat(&action.increments), &residual, &guess)],
            outputs: ids(&[end, flat(&last)].concat()),
        },
        observe: observe(system, &p),
        constants: action.constants.into_named(),
        guards: Vec::new(),
        stages: None,
        substeps: vec![1.0],
        equations,
    }
}

/// q^(k) … q^(2k−1) from the momenta, which are affine in the highest of them one after the other.
fn observe<'g>(system: &HigherSystem<'g>, p: &[Vec<Expr<'g>>]) -> Block {
    let k = system.order;
    let higher = system.derivatives[k..2 * k].concat();
    let names: Vec<Vec<Expr<'g>>> = (k..2 * k).map(|j| system.symbols("guess_", &format!("_{j}"))).collect();
    let guess = names.concat();
    let residual: Vec<Expr<'g>> =
        system.momenta().concat().iter().zip(p.concat()).map(|(formula, p)| *formula - p).collect();
    let state = [system.derivatives[..k].concat(), p.concat()].concat();
    Block {
        inputs: ids(&[&state[..], &[system.t], &guess].concat()),
        solves: vec![Solve::new(&higher, &residual, &guess)],
        outputs: ids(&[higher.clone(), p.concat()].concat()),
    }
}

/// The m-th derivative at `c` of the polynomial of degree 2k − 1 that vanishes k-fold at 0 and whose derivatives of order
/// 0 … k−1 at 1 vanish too, except the `i`-th, which is one.
fn remainder(k: usize, i: usize, m: usize, c: f64) -> f64 {
    // x^k Σ_l a_l x^l: k conditions at 1, solved by elimination with pivoting.
    let falling = |power: usize, times: usize| (0..times).map(|t| (power - t) as f64).product::<f64>();
    let mut rows: Vec<Vec<f64>> = (0..k)
        .map(|d| {
            let mut row: Vec<f64> = (0..k).map(|l| falling(k + l, d)).collect();
            row.push(if d == i { 1.0 } else { 0.0 });
            row
        })
        .collect();
    for column in 0..k {
        let pivot = (column..k).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let head = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != column) {
            let factor = row[column] / head[column];
            for (entry, top) in row.iter_mut().zip(&head) {
                *entry -= factor * top;
            }
        }
    }
    (0..k)
        .filter(|l| k + l >= m)
        .map(|l| rows[l][k] / rows[l][l] * falling(k + l, m) * c.powi((k + l - m) as i32))
        .sum()
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

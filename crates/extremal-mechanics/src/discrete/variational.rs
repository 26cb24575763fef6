//! Variational integrators in position–momentum form, all from one discrete action.
//!
//! Over one step the motion is known by its nodes Q_0 … Q_s (Q_0 = q at the start, Q_s = q at the end), and an action
//! S(Q_0 … Q_s) with nodal forces f_0 … f_s stands for ∫ L dt and ∫ F δq dt. The discrete Lagrange–d'Alembert principle says
//!
//! ```text
//! p_0 = −∂S/∂Q_0 − f_0        0 = ∂S/∂Q_i + f_i  (0 < i < s)        p_1 = ∂S/∂Q_s + f_s
//! ```
//!
//! What is solved for are the increments w_i = (Q_i − Q_0)/h, not the nodes: velocities are then sums of unknowns instead of
//! quotients of small differences, which would lose ε/h to round-off. With ℓ(q, w) = S(q, q + h w) the principle reads
//!
//! ```text
//! p_1 = ℓ_w_s/h + f_s = p_0 + ℓ_q + Σ f_i        0 = ℓ_w_i/h + f_i  (0 < i < s)
//! ```

use extremal_expr::Expr;
use extremal_model::Start;

use super::quadrature::{Quadrature, lagrange};
use super::scheme::{Constants, Equation, Scheme, ids};
use crate::System;
use crate::block::{Block, Solve};

/// The discrete Lagrangian of one step with its nodal forces, twice: in the nodes, to be read, and in the increments, to be
/// marched.
pub struct DiscreteAction<'g> {
    /// Node positions as fractions of the step: 0 first, 1 last.
    nodes: Vec<f64>,
    /// In the symbols Q_i, per node and coordinate.
    nodal: Formula<'g>,
    /// In q (the first node) and the increments w_i of the others.
    incremental: Formula<'g>,
    constants: Constants<'g>,
}

/// An action and its nodal forces in some unknowns.
struct Formula<'g> {
    /// Per node and coordinate: Q_0 … Q_s, or q, w_1 … w_s.
    unknowns: Vec<Vec<Expr<'g>>>,
    action: Expr<'g>,
    forces: Vec<Vec<Expr<'g>>>,
}

/// The interpolating polynomial at one quadrature node: weights of the nodes in position and in h × velocity.
struct Basis<'g> {
    values: Vec<Expr<'g>>,
    slopes: Vec<Expr<'g>>,
    weight: Expr<'g>,
    time: Expr<'g>,
}

impl<'g> DiscreteAction<'g> {
    /// The Galerkin action: q(τ) is the polynomial of degree `degree` through the nodes, ∫ L dt is taken by `rule`.
    ///
    /// Degree 1 with one quadrature node `a` is the finite-difference family L((1−a) x_0 + a x_1, (x_1 − x_0)/h), and with
    /// the trapezoidal rule it is Störmer–Verlet.
    pub fn galerkin(system: &System<'g>, degree: usize, rule: &Quadrature) -> Self {
        let (g, h) = (system.graph, system.step());
        let nodes = Quadrature::lobatto(degree + 1).nodes;
        let mut constants = Constants::new(g);
        let mut number = |value: f64, name: String| constants.number(value, || system.constant(&name));
        let bases: Vec<Basis<'g>> = (1..)
            .zip(rule.nodes.iter().zip(&rule.weights))
            .map(|(j, (c, b))| {
                let basis: Vec<_> = (0..=degree).map(|i| lagrange(&nodes, i, *c)).collect();
                Basis {
                    values: (0..=degree).map(|i| number(basis[i].0, format!("l_{i}_{j}"))).collect(),
                    slopes: (0..=degree).map(|i| number(basis[i].1, format!("d_{i}_{j}"))).collect(),
                    weight: number(*b, format!("b_{j}")),
                    time: system.t + number(*c, format!("c_{j}")) * h,
                }
            })
            .collect();

        let [first, last] = system.ends();
        let inner = (1..degree).map(|i| system.symbols("", &format!("_c{i}")));
        let q: Vec<Vec<_>> = [first].into_iter().chain(inner).chain([last]).collect();
        let column = |k: usize| -> Vec<Expr<'g>> { q.iter().map(|node| node[k]).collect() };
        let nodal = Self::formula(system, &bases, q.clone(), |basis, k| {
            let alike = basis.values.iter().all(|value| *value == basis.values[0]);
            let position = match alike {
                true => g.sum(column(k)) * basis.values[0],
                false => g.dot(&basis.values, &column(k)),
            };
            (position, g.dot(&basis.slopes, &column(k)) / h)
        });
        let w = Self::increments(system, degree);
        // The basis sums to one and its slopes to zero: the first node enters once, and not at all in the velocity.
        let incremental = Self::formula(system, &bases, w.clone(), |basis, k| {
            let w: Vec<_> = w[1..].iter().map(|node| node[k]).collect();
            (system.q[k] + h * g.dot(&basis.values[1..], &w), g.dot(&basis.slopes[1..], &w))
        });
        DiscreteAction { nodes, nodal, incremental, constants }
    }

    /// The symbols q, w_1 … w_s.
    fn increments(system: &System<'g>, degree: usize) -> Vec<Vec<Expr<'g>>> {
        let w = (1..=degree).map(|i| system.symbols("w_", &format!("_{i}")));
        [system.q.clone()].into_iter().chain(w).collect()
    }

    /// h Σ b_j L at the quadrature nodes, where `at` gives position and velocity of a coordinate.
    fn formula(
        system: &System<'g>,
        bases: &[Basis<'g>],
        unknowns: Vec<Vec<Expr<'g>>>,
        at: impl Fn(&Basis<'g>, usize) -> (Expr<'g>, Expr<'g>),
    ) -> Formula<'g> {
        let (g, h) = (system.graph, system.step());
        let mut summands = Vec::new();
        let mut forces = vec![vec![Vec::new(); system.len()]; unknowns.len()];
        for basis in bases {
            let (position, velocity): (Vec<_>, Vec<_>) = (0..system.len()).map(|k| at(basis, k)).unzip();
            summands.push(basis.weight * system.at(system.lagrangian, &position, &velocity, basis.time));
            let force = system.all_at(&system.force, &position, &velocity, basis.time);
            for (nodal, value) in forces.iter_mut().zip(&basis.values) {
                for (sum, f) in nodal.iter_mut().zip(&force) {
                    sum.push(h * basis.weight * *value * *f);
                }
            }
        }
        let forces = forces.into_iter().map(|node| node.into_iter().map(|sum| g.sum(sum)).collect()).collect();
        Formula { unknowns, action: h * g.sum(summands), forces }
    }

    /// A discrete Lagrangian L_d(x_0, x_1) and discrete forces f−, f+ of the user's own, in the symbols `x_0`, `x_1`, `h`, `t`.
    pub fn custom(system: &System<'g>, lagrangian: Expr<'g>, minus: Vec<Expr<'g>>, plus: Vec<Expr<'g>>) -> Self {
        let (g, h) = (system.graph, system.step());
        let ends = system.ends();
        let w = Self::increments(system, 1);
        let mut rules: Vec<_> = ends[0].iter().copied().zip(system.q.iter().copied()).collect();
        rules.extend((0..system.len()).map(|k| (ends[1][k], system.q[k] + h * w[1][k])));
        let incremental = Formula {
            unknowns: w,
            action: lagrangian.substitute(&rules),
            forces: vec![g.substitute(&minus, &rules), g.substitute(&plus, &rules)],
        };
        let nodal = Formula { unknowns: ends.into(), action: lagrangian, forces: vec![minus, plus] };
        DiscreteAction { nodes: vec![0.0, 1.0], nodal, incremental, constants: Constants::new(g) }
    }

    /// The integrator of this action.
    pub fn scheme(self, system: &System<'g>, name: String, start: Start) -> Scheme {
        let g = system.graph;
        let n = system.len();
        let degree = self.nodes.len() - 1;
        let h = system.step();
        let equations = self.equations(system);

        let Formula { unknowns: w, action, forces } = &self.incremental;
        let w = &w[1..];
        let unknowns: Vec<_> = w.iter().flatten().copied().collect();
        let variables: Vec<_> = system.q.iter().chain(&unknowns).copied().collect();
        // Of ℓ/h, the mean Lagrangian: its slope by w is the momentum at once.
        let gradient = g.gradient(*action / h, &variables);
        let (by_q, by_w) = gradient.split_at(n);

        let p_next: Vec<_> = (0..n).map(|k| system.p[k] + h * by_q[k] + g.sum(forces.iter().map(|f| f[k]))).collect();
        let mut residual = Vec::with_capacity(unknowns.len());
        for i in 1..=degree {
            for k in 0..n {
                let nodal = by_w[(i - 1) * n + k] + forces[i][k];
                residual.push(if i == degree { nodal - p_next[k] } else { nodal });
            }
        }
        let mut constants = self.constants;
        let mut guess = Vec::with_capacity(unknowns.len());
        for (i, fraction) in self.nodes.iter().enumerate().skip(1) {
            let fraction = constants.number(*fraction, || system.constant(&format!("node_{i}")));
            guess.extend(system.v.iter().map(|v| fraction * *v));
        }
        let q_next: Vec<_> = (0..n).map(|k| system.q[k] + h * w[degree - 1][k]).collect();

        let state: Vec<_> = system.q.iter().chain(&system.p).copied().collect();
        let inputs: Vec<_> = state.iter().copied().chain([system.t, h]).chain(system.v.iter().copied()).collect();
        let start = match start {
            Start::Legendre => legendre_start(system, h),
            Start::TwoPoints => {
                // The last increments are given; the inner ones and the momenta are found from the same equations.
                let second = &self.nodal.unknowns[degree];
                let given: Vec<_> = (0..n).map(|k| (w[degree - 1][k], (second[k] - system.q[k]) / h)).collect();
                let open: Vec<_> = unknowns[..(degree - 1) * n].iter().chain(&system.p).copied().collect();
                let guesses = guess[..(degree - 1) * n].iter().copied().chain(vec![g.int(0); n]).collect::<Vec<_>>();
                Block {
                    inputs: ids(&[&system.q[..], &system.v, second, &[system.t, h]].concat()),
                    solves: vec![Solve {
                        unknowns: ids(&open),
                        residual: ids(&g.substitute(&residual, &given)),
                        guess: ids(&guesses),
                    }],
                    outputs: ids(&state),
                }
            }
        };
        Scheme {
            name,
            state: ids(&state),
            time: system.t.id(),
            start,
            step: Block {
                inputs: ids(&inputs),
                solves: vec![Solve { unknowns: ids(&unknowns), residual: ids(&residual), guess: ids(&guess) }],
                outputs: ids(&[q_next, p_next].concat()),
            },
            observe: observe_momenta(system),
            constants: constants.into_named(),
            substeps: vec![1.0],
            equations,
        }
    }

    /// The discrete equations in nodal form, for print.
    fn equations(&self, system: &System<'g>) -> Vec<Equation> {
        let g = system.graph;
        let last = self.nodes.len() - 1;
        let zero = g.int(0);
        let Formula { unknowns, action, forces } = &self.nodal;
        let mut equations = vec![Equation::new("discrete Lagrangian", system.constant("L_d"), *action)];
        let (p0, p1) = (system.symbols("p_", "_0"), system.symbols("p_", "_1"));
        for (i, (node, forces)) in unknowns.iter().zip(forces).enumerate() {
            let slopes = g.gradient(*action, node);
            for k in 0..system.len() {
                let total = slopes[k] + forces[k];
                let name = &system.names[k];
                equations.push(match i {
                    0 => Equation::new(format!("momentum of {name} at the start of the step"), p0[k], -total),
                    i if i == last => Equation::new(format!("momentum of {name} at its end"), p1[k], total),
                    _ => Equation::new(format!("inner node {i} of {name}"), zero, total),
                });
            }
        }
        equations
    }
}

/// State (q, p) from (q, v): the continuous Legendre transform.
fn legendre_start<'g>(system: &System<'g>, h: Expr<'g>) -> Block {
    Block {
        inputs: ids(&[&system.q[..], &system.v, &[system.t, h]].concat()),
        solves: Vec::new(),
        outputs: ids(&[system.q.clone(), system.momenta()].concat()),
    }
}

/// Velocities from momenta: solves p = ∂L/∂v(q, v, t) for v, from a velocity guess.
fn observe_momenta(system: &System<'_>) -> Block {
    let guess = system.symbols("v_", "");
    let momenta = system.momenta();
    let residual: Vec<_> = momenta.iter().zip(&system.p).map(|(l_v, p)| *l_v - *p).collect();
    Block {
        inputs: ids(&[&system.q[..], &system.p, &[system.t], &guess].concat()),
        solves: vec![Solve { unknowns: ids(&system.v), residual: ids(&residual), guess: ids(&guess) }],
        outputs: ids(&[&system.v[..], &system.p].concat()),
    }
}

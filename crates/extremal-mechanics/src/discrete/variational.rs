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
//!
//! Entropies enter the action at S + b h σ, where σ is their rate over the step, and are not varied; σ follows from
//! T σ = sources, averaged over the quadrature nodes.

use extremal_expr::{Comparison, Expr, Rational, magnitude};
use extremal_model::{EntropyBase, Start};

use super::CustomDiscrete;
use super::quadrature::{Quadrature, lagrange};
use super::scheme::{Constants, Equation, Scheme, SchemeGuard, ids};
use crate::block::{Block, Solve};
use crate::{Point, System};

/// The discrete Lagrangian of one step with its nodal forces, twice: in the nodes, to be read, and in the increments, to be
/// marched.
pub struct DiscreteAction<'g> {
    /// Node positions as fractions of the step: 0 first, 1 last.
    nodes: Vec<f64>,
    /// In the symbols Q_i, per node and coordinate.
    nodal: Formula<'g>,
    /// In q (the first node) and the increments w_i of the others.
    incremental: Formula<'g>,
    /// Does the action contain the unknown entropies at the end of the step?
    implicit_entropy: bool,
    constants: Constants<'g>,
}

/// An action, its nodal forces and what belongs to the entropies, in some unknowns.
struct Formula<'g> {
    /// Per node and coordinate: Q_0 … Q_s, or q, w_1 … w_s.
    unknowns: Vec<Vec<Expr<'g>>>,
    action: Expr<'g>,
    forces: Vec<Vec<Expr<'g>>>,
    /// Residuals of the entropy equations.
    entropy: Vec<Expr<'g>>,
    /// Discrete temperatures, which must be positive.
    temperatures: Vec<Expr<'g>>,
    /// Power of friction into each entropy, which must not be negative.
    heating: Vec<Expr<'g>>,
    /// Growth of the accounts over the step.
    accounts: Vec<Expr<'g>>,
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
    pub fn galerkin(system: &System<'g>, degree: usize, rule: &Quadrature, entropy: EntropyBase) -> Self {
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
        let b = g.rational(entropy.weight());
        let [s_0, s_1] = system.entropy_ends();
        let ends = |k: usize| (s_0[k], s_1[k]);
        let s: Vec<_> = (0..s_0.len()).map(|k| ends(k).0 * (g.int(1) - b) + ends(k).1 * b).collect();
        let rates: Vec<_> = (0..s_0.len()).map(|k| (ends(k).1 - ends(k).0) / h).collect();
        let nodal = Self::formula(system, &bases, q.clone(), (&s, &rates), |basis, k| {
            let alike = basis.values.iter().all(|value| *value == basis.values[0]);
            let position = match alike {
                true => g.sum(column(k)) * basis.values[0],
                false => g.dot(&basis.values, &column(k)),
            };
            (position, g.dot(&basis.slopes, &column(k)) / h)
        });
        let w = Self::increments(system, degree);
        // The basis sums to one and its slopes to zero: the first node enters once, and not at all in the velocity.
        let rates = &system.heat.rates;
        let s: Vec<_> = system.heat.s.iter().zip(rates).map(|(s, rate)| *s + b * h * *rate).collect();
        let incremental = Self::formula(system, &bases, w.clone(), (&s, rates), |basis, k| {
            let w: Vec<_> = w[1..].iter().map(|node| node[k]).collect();
            (system.q[k] + h * g.dot(&basis.values[1..], &w), g.dot(&basis.slopes[1..], &w))
        });
        DiscreteAction { nodes, nodal, incremental, implicit_entropy: !b.is_zero(), constants }
    }

    /// The symbols q, w_1 … w_s.
    fn increments(system: &System<'g>, degree: usize) -> Vec<Vec<Expr<'g>>> {
        let w = (1..=degree).map(|i| system.symbols("w_", &format!("_{i}")));
        [system.q.clone()].into_iter().chain(w).collect()
    }

    /// h Σ b_j L at the quadrature nodes, where `at` gives position and velocity of a coordinate, and `entropies` are those of
    /// the action with their rates.
    fn formula(
        system: &System<'g>,
        bases: &[Basis<'g>],
        unknowns: Vec<Vec<Expr<'g>>>,
        (entropies, rates): (&[Expr<'g>], &[Expr<'g>]),
        at: impl Fn(&Basis<'g>, usize) -> (Expr<'g>, Expr<'g>),
    ) -> Formula<'g> {
        let (g, h) = (system.graph, system.step());
        let accounts: Vec<_> = system.accounts().iter().map(|account| account.rate).collect();
        let quantities = [
            vec![system.lagrangian],
            system.force.clone(),
            system.entropy_balance(),
            system.temperatures(),
            system.friction_heating(),
            accounts,
        ];
        let all: Vec<Expr<'g>> = quantities.concat();
        let mut means = vec![Vec::new(); all.len()];
        let mut forces = vec![vec![Vec::new(); system.len()]; unknowns.len()];
        let held: Vec<_> = system.heat.rates.iter().copied().zip(rates.iter().copied()).collect();
        for basis in bases {
            let (q, v): (Vec<_>, Vec<_>) = (0..system.len()).map(|k| at(basis, k)).unzip();
            let point = Point { q, v, s: entropies.to_vec(), t: basis.time };
            let values = g.substitute(&system.at(&all, &point), &held);
            for (mean, value) in means.iter_mut().zip(&values) {
                mean.push(basis.weight * *value);
            }
            for (nodal, value) in forces.iter_mut().zip(&basis.values) {
                for (sum, f) in nodal.iter_mut().zip(&values[1..]) {
                    sum.push(h * basis.weight * *value * *f);
                }
            }
        }
        let mut means = means.into_iter().map(|mean| g.sum(mean));
        let mut take = |count: usize| -> Vec<Expr<'g>> { means.by_ref().take(count).collect() };
        let action = h * take(1)[0];
        take(system.len());
        let [entropy, temperatures, heating, accounts] = [2, 3, 4, 5].map(|part| take(quantities[part].len()));
        let forces = forces.into_iter().map(|node| node.into_iter().map(|sum| g.sum(sum)).collect()).collect();
        let accounts = accounts.into_iter().map(|rate| h * rate).collect();
        Formula { unknowns, action, forces, entropy, temperatures, heating, accounts }
    }

    /// A discrete Lagrangian L_d(x_0, x_1), discrete forces f−, f+ and entropy rules of the user's own, in the symbols `x_0`,
    /// `x_1`, `S_0`, `S_1`, `h`, `t`. Nothing is said of its temperatures, nor of work and heat.
    pub fn custom(system: &System<'g>, custom: CustomDiscrete<'g>) -> Self {
        let (g, h) = (system.graph, system.step());
        let ends = system.ends();
        let [s_0, s_1] = system.entropy_ends();
        let w = Self::increments(system, 1);
        let heat = &system.heat;
        let mut rules: Vec<_> = ends[0].iter().copied().zip(system.q.iter().copied()).collect();
        rules.extend((0..system.len()).map(|k| (ends[1][k], system.q[k] + h * w[1][k])));
        rules.extend((0..s_0.len()).flat_map(|k| [(s_0[k], heat.s[k]), (s_1[k], heat.s[k] + h * heat.rates[k])]));
        let nothing = vec![g.int(0); system.accounts().len()];
        let nodal = Formula {
            unknowns: ends.into(),
            action: custom.lagrangian,
            forces: vec![custom.force_minus, custom.force_plus],
            entropy: custom.entropy_rules,
            temperatures: Vec::new(),
            heating: Vec::new(),
            accounts: nothing.clone(),
        };
        let incremental = Formula {
            unknowns: w,
            action: nodal.action.substitute(&rules),
            forces: nodal.forces.iter().map(|f| g.substitute(f, &rules)).collect(),
            entropy: g.substitute(&nodal.entropy, &rules),
            temperatures: Vec::new(),
            heating: Vec::new(),
            accounts: nothing,
        };
        let constants = Constants::new(g);
        DiscreteAction { nodes: vec![0.0, 1.0], nodal, incremental, implicit_entropy: true, constants }
    }

    /// The integrator of this action.
    pub fn scheme(self, system: &System<'g>, name: String, start: Start) -> Scheme {
        let (g, n, h) = (system.graph, system.len(), system.step());
        let degree = self.nodes.len() - 1;
        let equations = self.equations(system);
        let zero = g.int(0);

        let Formula { unknowns: w, action, forces, entropy, temperatures, heating, accounts } = &self.incremental;
        let w = &w[1..];
        let increments: Vec<_> = w.iter().flatten().copied().collect();
        let variables: Vec<_> = system.q.iter().chain(&increments).copied().collect();
        // Of ℓ/h, the mean Lagrangian: its slope by w is the momentum at once.
        let gradient = g.gradient(*action / h, &variables);
        let (by_q, by_w) = gradient.split_at(n);

        let p_next: Vec<_> = (0..n).map(|k| system.p[k] + h * by_q[k] + g.sum(forces.iter().map(|f| f[k]))).collect();
        let mut residual = Vec::with_capacity(increments.len());
        for i in 1..=degree {
            for k in 0..n {
                let nodal = by_w[(i - 1) * n + k] + forces[i][k];
                residual.push(if i == degree { nodal - p_next[k] } else { nodal });
            }
        }
        let mut constants = self.constants;
        let mut guess = Vec::with_capacity(increments.len());
        for (i, fraction) in self.nodes.iter().enumerate().skip(1) {
            let fraction = constants.number(*fraction, || system.constant(&format!("node_{i}")));
            guess.extend(system.v.iter().map(|v| fraction * *v));
        }
        let q_next = (0..n).map(|k| system.q[k] + h * w[degree - 1][k]);
        let rates = &system.heat.rates;
        let s_next = system.heat.s.iter().zip(rates).map(|(s, rate)| *s + h * *rate);
        let carried = system.carried();
        let accounts_next = carried[rates.len()..].iter().zip(accounts).map(|(sum, growth)| *sum + *growth);
        let outputs: Vec<_> = q_next.chain(p_next.iter().copied()).chain(s_next).chain(accounts_next).collect();

        let motion = Solve::new(&increments, &residual, &guess);
        let warming = Solve::new(rates, entropy, &vec![zero; rates.len()]);
        let solves = match (rates.is_empty(), self.implicit_entropy) {
            (true, _) => vec![motion],
            (false, false) => vec![motion, warming],
            (false, true) => vec![motion.with(warming)],
        };
        let state = [&system.q[..], &system.p, &carried].concat();
        let start = match start {
            Start::Legendre => legendre_start(system),
            Start::TwoPoints => {
                // The last increments are given; the inner ones and the momenta are found from the same equations.
                let second = &self.nodal.unknowns[degree];
                let given: Vec<_> = (0..n).map(|k| (w[degree - 1][k], (second[k] - system.q[k]) / h)).collect();
                let inner = (degree - 1) * n;
                let open = [&increments[..inner], &system.p, rates].concat();
                let rows = g.substitute(&[&residual[..], entropy].concat(), &given);
                let guesses = [&guess[..inner], &vec![zero; n + rates.len()]].concat();
                Block {
                    inputs: ids(&[&system.q[..], &system.v, second, &system.heat.s, &[system.t, h]].concat()),
                    solves: vec![Solve::new(&open, &rows, &guesses)],
                    outputs: ids(&started(system, &system.p)),
                }
            }
        };
        Scheme {
            name,
            state: ids(&state),
            time: system.t.id(),
            start,
            step: Block {
                inputs: ids(&[&state[..], &[system.t, h], &system.v].concat()),
                solves,
                outputs: ids(&outputs),
            },
            observe: observe_momenta(system),
            constants: constants.into_named(),
            substeps: vec![1.0],
            guards: thermal_guards(system, temperatures, heating),
            equations,
        }
    }

    /// The discrete equations in nodal form, for print.
    fn equations(&self, system: &System<'g>) -> Vec<Equation> {
        let g = system.graph;
        let last = self.nodes.len() - 1;
        let zero = g.int(0);
        let Formula { unknowns, action, forces, entropy, .. } = &self.nodal;
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
        let balances = entropy.iter().zip(&system.heat.names);
        equations.extend(balances.map(|(row, name)| Equation::new(format!("entropy {name}"), zero, *row)));
        equations
    }
}

/// Temperatures must stay positive and friction must not pump: what each step is checked for.
pub(super) fn thermal_guards<'g>(
    system: &System<'g>,
    temperatures: &[Expr<'g>],
    heating: &[Expr<'g>],
) -> Vec<SchemeGuard> {
    let g = system.graph;
    let names = &system.heat.names;
    let positive = temperatures.iter().zip(names).map(|(temperature, name)| SchemeGuard {
        label: format!("the temperature -dL/d{name} stays positive"),
        condition: g.compare(Comparison::Lt, g.int(0), *temperature).id(),
    });
    // Friction that is zero up to round-off may come out with either sign.
    let slack = g.rational(Rational::new(-1, 1_000_000_000_000).unwrap_or(Rational::ZERO));
    let dissipative =
        heating.iter().zip(names).filter(|(power, _)| !power.is_zero()).map(|(power, name)| SchemeGuard {
            label: format!("the friction that heats {name} takes energy out of the motion"),
            condition: g.compare(Comparison::Le, slack * magnitude(*power), *power).id(),
        });
    positive.chain(dissipative).collect()
}

/// The state at the start from positions, the given momenta or velocities, and entropies; the accounts start at zero.
pub(super) fn started<'g>(system: &System<'g>, second_half: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let zeros = vec![system.graph.int(0); system.accounts().len()];
    [&system.q[..], second_half, &system.heat.s, &zeros].concat()
}

/// State (q, p, S) from (q, v, S): the continuous Legendre transform.
pub(super) fn legendre_start(system: &System<'_>) -> Block {
    Block {
        inputs: ids(&[&system.q[..], &system.v, &system.heat.s, &[system.t, system.step()]].concat()),
        solves: Vec::new(),
        outputs: ids(&started(system, &system.momenta())),
    }
}

/// Velocities from momenta: solves p = ∂L/∂v(q, v, S, t) for v, from a velocity guess.
pub(super) fn observe_momenta(system: &System<'_>) -> Block {
    let guess = system.symbols("v_", "");
    let momenta = system.momenta();
    let residual: Vec<_> = momenta.iter().zip(&system.p).map(|(l_v, p)| *l_v - *p).collect();
    Block {
        inputs: ids(&[&system.q[..], &system.p, &system.carried(), &[system.t], &guess].concat()),
        solves: vec![Solve::new(&system.v, &residual, &guess)],
        outputs: ids(&[&system.v[..], &system.p].concat()),
    }
}

/// The energy of a step as the sources estimate it from positions: at the middle of the two positions, with their difference
/// quotient as velocity and the entropies before the step. From q_0, q_1, S_0, t and h.
pub fn energy_estimate(system: &System<'_>) -> Block {
    let (g, h) = (system.graph, system.step());
    let ([q_0, q_1], [s_0, _]) = (system.ends(), system.entropy_ends());
    let half = g.rational(Rational::new(1, 2).unwrap_or(Rational::ZERO));
    let pairs = || q_0.iter().zip(&q_1);
    let point = Point {
        q: pairs().map(|(a, b)| (*a + *b) * half).collect(),
        v: pairs().map(|(a, b)| (*b - *a) / h).collect(),
        s: s_0.clone(),
        t: system.t + h * half,
    };
    let energy = system.at(&[system.energy()], &point);
    Block { inputs: ids(&[&q_0[..], &q_1, &s_0, &[system.t, h]].concat()), solves: Vec::new(), outputs: ids(&energy) }
}

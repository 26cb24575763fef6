//! The discrete action of a step: nodes, the discrete Lagrangian, forces at the nodes, what belongs to entropies and states.

use extremal_expr::{Expr, Id, Rational};
use extremal_model::EntropyBase;

use super::collocation::Collocation;
use super::constrained::Nodes;
use super::quadrature::{QuadratureRule, lagrange};
use super::scheme::Constants;
use crate::{Point, System};

/// The discrete Lagrangian of one step with its nodal forces, twice: in the nodes, to be read, and in the increments, to be
/// marched.
pub struct DiscreteAction<'g> {
    /// Node positions as fractions of the step: 0 first, 1 last.
    pub(super) nodes: Vec<f64>,
    /// Where between the ends nonholonomic constraints are taken.
    pub(super) base: Expr<'g>,
    /// Discrete constraints of the user's own, per constraint.
    pub(super) own_constraints: Vec<Option<Expr<'g>>>,
    /// In the symbols Q_i, per node and coordinate.
    pub(super) nodal: Formula<'g>,
    /// In q (the first node) and the increments w_i of the others.
    pub(super) incremental: Formula<'g>,
    /// The slopes of the action in q and the increments.
    pub(super) slopes: Slopes<'g>,
    /// Does the action contain the unknown entropies at the end of the step?
    pub(super) implicit_entropy: bool,
    pub(super) constants: Constants<'g>,
}

/// An action, its nodal forces and what belongs to the entropies, in some unknowns.
pub(crate) struct Formula<'g> {
    /// Per node and coordinate: Q_0 … Q_s, or q, w_1 … w_s.
    pub unknowns: Vec<Vec<Expr<'g>>>,
    pub action: Expr<'g>,
    pub forces: Vec<Vec<Expr<'g>>>,
    /// Residuals of the entropy equations.
    pub entropy: Vec<Expr<'g>>,
    /// What belongs to states of first order.
    pub states: StateFormula<'g>,
    /// Discrete temperatures, which must be positive.
    pub temperatures: Vec<Expr<'g>>,
    /// Power of friction into each entropy, which must not be negative.
    pub heating: Vec<Expr<'g>>,
    /// Growth of the accounts over the step.
    pub accounts: Vec<Expr<'g>>,
}

/// States of first order over a step: polynomials whose slopes at the quadrature nodes are the rates there (S2).
#[derive(Clone, Default)]
pub(crate) struct StateFormula<'g> {
    /// The symbols of the rates, by node of the quadrature, then by state.
    pub rates: Vec<Vec<Expr<'g>>>,
    /// Residuals of r = f at each node, in the same order.
    pub rows: Vec<Expr<'g>>,
    /// The states at the end of the step.
    pub end: Vec<Expr<'g>>,
    /// The symbols of the inputs at each node, where they differ there.
    pub inputs: Vec<Vec<Expr<'g>>>,
}

/// What is carried along a step, at one quadrature node.
struct AtNode<'g> {
    /// Entropies and states.
    carried: Vec<Expr<'g>>,
    /// Their rates.
    rates: Vec<Expr<'g>>,
    /// Inputs, and what they are there.
    inputs: Vec<(Expr<'g>, Expr<'g>)>,
}

/// The slopes of ℓ(q, w) = S(q, q + h w).
///
/// A displacement h w moves a node as q does, so that both slopes contain the forces ∂S/∂Q_i. They are written in the same
/// expressions of these, not differentiated separately, and what they have in common cancels where one is subtracted from the other.
pub(super) struct Slopes<'g> {
    /// Of the mean Lagrangian ℓ/h by w_1 … w_s, per coordinate: momenta.
    pub by_w: Vec<Vec<Expr<'g>>>,
    /// Of ℓ by q: impulses.
    pub by_q: Vec<Expr<'g>>,
}

/// The interpolating polynomial at one quadrature node: weights of the nodes in position and in h × velocity.
struct Basis<'g> {
    values: Vec<Expr<'g>>,
    slopes: Vec<Expr<'g>>,
    weight: Expr<'g>,
    time: Expr<'g>,
    /// The weight of the end of the step in entropies, or in the action of a contact system.
    state: Expr<'g>,
}

impl<'g> DiscreteAction<'g> {
    /// The Galerkin action: q(τ) is the polynomial of degree `degree` through the nodes, ∫ L dt is taken by `rule`.
    ///
    /// Degree 1 with one quadrature node `a` is the finite-difference family L((1−a) x_0 + a x_1, (x_1 − x_0)/h), and with
    /// the trapezoidal rule it is Störmer–Verlet.
    pub fn galerkin(system: &System<'g>, degree: usize, rule: &QuadratureRule, entropy: EntropyBase) -> Self {
        Self::with_inputs(system, degree, rule, entropy, &[])
    }

    /// The same where some symbols, such as controls, have a value of their own at each quadrature node.
    pub(crate) fn with_inputs(
        system: &System<'g>,
        degree: usize,
        rule: &QuadratureRule,
        entropy: EntropyBase,
        inputs: &[Expr<'g>],
    ) -> Self {
        let (g, h) = (system.graph, system.step());
        let nodes = QuadratureRule::lobatto(degree + 1).nodes;
        let mut constants = Constants::new(g);
        let mut number = |value: f64, name: String| constants.number(value, || system.constant(&name));
        let entropy_weight = g.rational(entropy.weight());
        let bases: Vec<Basis<'g>> = (1..)
            .zip(rule.nodes.iter().zip(&rule.weights))
            .map(|(j, (c, b))| {
                let basis: Vec<_> = (0..=degree).map(|i| lagrange(&nodes, i, *c)).collect();
                let values = (0..=degree).map(|i| number(basis[i].0, format!("l_{i}_{j}"))).collect();
                let slopes = (0..=degree).map(|i| number(basis[i].1, format!("d_{i}_{j}"))).collect();
                let weight = number(*b, format!("b_{j}"));
                let node = number(*c, format!("c_{j}"));
                // An action is varied with the motion, and taken where the motion is.
                let state = if system.is_contact() { node } else { entropy_weight };
                Basis { values, slopes, weight, time: system.t + node * h, state }
            })
            .collect();

        let [first, last] = system.ends();
        let inner = (1..degree).map(|i| system.symbols("", &format!("_c{i}")));
        let q: Vec<Vec<_>> = [first].into_iter().chain(inner).chain([last]).collect();
        let column = |k: usize| -> Vec<Expr<'g>> { q.iter().map(|node| node[k]).collect() };
        let [s_0, s_1] = system.entropy_ends();
        let heated = system.heat.held();
        let ends = |k: usize| (s_0[k], s_1[k]);
        let rates: Vec<_> = (0..heated).map(|k| (ends(k).1 - ends(k).0) / h).collect();
        let mut stages = Collocation::at_nodes(system, rule, constants);
        let mut states = StateFormula {
            rates: stages.symbols(|suffix| system.entropy_symbols("r_", suffix).split_off(heated)),
            inputs: stages.symbols(|suffix| inputs.iter().map(|input| at_stage(*input, suffix)).collect()),
            ..StateFormula::default()
        };
        // The held ones at a node, by their places, and their rates.
        type Held<'a, 'g> = (&'a dyn Fn(&Basis<'g>, usize) -> Expr<'g>, &'a [Expr<'g>]);
        let mut along = |start: &[Expr<'g>], held: Held<'_, 'g>| -> (Vec<AtNode<'g>>, Vec<Expr<'g>>) {
            let at = |j: usize, states_there: Vec<Expr<'g>>| AtNode {
                carried: (0..heated).map(|k| held.0(&bases[j], k)).chain(states_there).collect(),
                rates: [held.1, &states.rates[j]].concat(),
                inputs: inputs.iter().copied().zip(states.inputs[j].iter().copied()).collect(),
            };
            if start.is_empty() {
                return ((0..states.rates.len()).map(|j| at(j, Vec::new())).collect(), Vec::new());
            }
            let nodes = (0..states.rates.len()).map(|j| at(j, stages.at_stage(j, start, &states.rates))).collect();
            (nodes, stages.at_end(start, &states.rates))
        };
        let between = |basis: &Basis<'g>, k: usize| ends(k).0 * (g.int(1) - basis.state) + ends(k).1 * basis.state;
        let (at_nodes, end) = along(&s_0[heated..], (&between, &rates));
        let (nodal_states, incremental_rates) = (end, &system.heat.rates[..heated]);
        let grown = |basis: &Basis<'g>, k: usize| system.heat.s[k] + basis.state * h * incremental_rates[k];
        let (along_increments, incremental_states) = along(&system.heat.s[heated..], (&grown, incremental_rates));
        constants = stages.constants;
        states.end = nodal_states;
        let nodal = Self::formula(system, &bases, q.clone(), (&at_nodes, states.clone()), |basis, k| {
            let alike = basis.values.iter().all(|value| *value == basis.values[0]);
            let position = match alike {
                true => g.sum(column(k)) * basis.values[0],
                false => g.dot(&basis.values, &column(k)),
            };
            (position, g.dot(&basis.slopes, &column(k)) / h)
        });
        let w = Self::increments(system, degree);
        // The basis sums to one and its slopes to zero: the first node enters once, and not at all in the velocity.
        let motion = |basis: &Basis<'g>, k: usize| {
            let w: Vec<_> = w[1..].iter().map(|node| node[k]).collect();
            let position = system.q[k] + h * g.dot(&basis.values[1..], &w);
            // The next step begins where this one ends: its forces there are the same only if they are written in the same numbers.
            let at_the_end = w.last().is_some_and(|last| position == system.q[k] + h * *last);
            (if at_the_end { position.grouped() } else { position }, g.dot(&basis.slopes[1..], &w))
        };
        states.end = incremental_states;
        let incremental = Self::formula(system, &bases, w.clone(), (&along_increments, states), motion);
        let slopes = Self::slopes(system, &bases, &along_increments, motion);
        let base = match rule.nodes[..] {
            [a] => constants.number(a, || system.constant("c_1")),
            _ => g.rational(Rational::HALF),
        };
        let own_constraints = Vec::new();
        let staged = system.heat.s.len() > heated;
        let implicit_entropy = staged || bases.iter().any(|basis| !basis.state.is_zero());
        DiscreteAction { nodes, base, own_constraints, nodal, incremental, slopes, implicit_entropy, constants }
    }

    /// The action in the nodes of a step.
    pub(crate) fn nodal(&self) -> &Formula<'g> {
        &self.nodal
    }

    /// Numbers that occur under a name.
    pub(crate) fn named_constants(&self) -> &[(Id, f64)] {
        self.constants.named()
    }

    /// The symbols q, w_1 … w_s.
    pub(super) fn increments(system: &System<'g>, degree: usize) -> Vec<Vec<Expr<'g>>> {
        let w = (1..=degree).map(|i| system.symbols("w_", &format!("_{i}")));
        [system.q.clone()].into_iter().chain(w).collect()
    }

    /// h Σ b_j L at the quadrature nodes, where `at` gives position and velocity of a coordinate, and `along` what is carried.
    fn formula(
        system: &System<'g>,
        bases: &[Basis<'g>],
        unknowns: Vec<Vec<Expr<'g>>>,
        (along, mut states): (&[AtNode<'g>], StateFormula<'g>),
        at: impl Fn(&Basis<'g>, usize) -> (Expr<'g>, Expr<'g>),
    ) -> Formula<'g> {
        let (g, h) = (system.graph, system.step());
        // The work of moving constraints belongs to their impulses at the nodes.
        let no_impulse: Vec<_> = system.reacting().map(|constraint| (constraint.multiplier, g.int(0))).collect();
        // What goes with heat and matter is counted at the mean temperatures and potentials, which its balance is divided by.
        let symbols = system.slope_symbols();
        let accounts: Vec<_> =
            system.accounts_with(system.power_beside_forces(), &symbols).iter().map(|account| account.rate).collect();
        let accounts = g.substitute(&accounts, &no_impulse);
        let (balance, at_stages) = match system.is_contact() {
            true => (system.state_equations(), Vec::new()),
            false => (system.entropy_balance(), system.state_equations()),
        };
        let quantities = [
            vec![system.lagrangian],
            system.force_without_dry(),
            balance,
            system.carried_slopes(),
            system.friction_heating(),
            accounts,
        ];
        let mut all: Vec<Expr<'g>> = quantities.concat();
        let mut means = vec![Vec::new(); all.len()];
        all.extend(at_stages);
        let mut forces = vec![vec![Vec::new(); system.len()]; unknowns.len()];
        for (basis, node) in bases.iter().zip(along) {
            let (q, v): (Vec<_>, Vec<_>) = (0..system.len()).map(|k| at(basis, k)).unzip();
            let mut values = node.pull_back(system, &all, (q, v), basis.time);
            states.rows.extend(values.split_off(means.len()));
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
        let mean: Vec<_> = symbols.into_iter().zip(temperatures.iter().copied()).collect();
        let accounts = g.substitute(&accounts, &mean).into_iter().map(|rate| h * rate).collect();
        Formula { unknowns, action, forces, entropy, states, temperatures, heating, accounts }
    }

    /// ℓ_w_i/h = Σ b_j (d_ij L_v + h l_ij L_q) and ℓ_q = h Σ b_j L_q, with L_v and L_q at the quadrature nodes.
    fn slopes(
        system: &System<'g>,
        bases: &[Basis<'g>],
        along: &[AtNode<'g>],
        at: impl Fn(&Basis<'g>, usize) -> (Expr<'g>, Expr<'g>),
    ) -> Slopes<'g> {
        let (g, h, n) = (system.graph, system.step(), system.len());
        let varied = [&system.q[..], &system.v].concat();
        let gradient = g.gradient(system.lagrangian, &varied);
        let degree = bases.first().map_or(0, |basis| basis.values.len() - 1);
        let mut by_w = vec![vec![Vec::new(); n]; degree];
        let mut by_q = vec![Vec::new(); n];
        for (basis, node) in bases.iter().zip(along) {
            let (q, v): (Vec<_>, Vec<_>) = (0..n).map(|k| at(basis, k)).unzip();
            let there = node.pull_back(system, &gradient, (q, v), basis.time);
            for (k, (l_q, l_v)) in there[..n].iter().zip(&there[n..]).enumerate() {
                let impulse = h * basis.weight * *l_q;
                by_q[k].push(impulse);
                for (i, by_w) in by_w.iter_mut().enumerate() {
                    by_w[k].push(basis.weight * basis.slopes[i + 1] * *l_v + basis.values[i + 1] * impulse);
                }
            }
        }
        let total = |terms: Vec<Vec<Expr<'g>>>| -> Vec<Expr<'g>> { terms.into_iter().map(|sum| g.sum(sum)).collect() };
        Slopes { by_w: by_w.into_iter().map(total).collect(), by_q: total(by_q) }
    }

    /// The nodes of a step in the increments.
    pub(super) fn incremental_nodes(&mut self, system: &System<'g>) -> Nodes<'g> {
        let (g, h) = (system.graph, system.step());
        let [q_0, q_1] = system.ends();
        let w = &self.incremental.unknowns[1..];
        let moved = |by: &[Expr<'g>], scale: Expr<'g>| -> Vec<Expr<'g>> {
            system.q.iter().zip(by).map(|(q, w)| *q + h * scale * *w).collect()
        };
        let positions: Vec<_> = [system.q.clone()].into_iter().chain(w.iter().map(|w| moved(w, g.int(1)))).collect();
        let last = &w[w.len() - 1];
        let (s, rates) = (&system.heat.s, &system.heat.rates);
        let states = system.heat.states().iter().zip(&self.incremental.states.end);
        let warmed = |part: Expr<'g>| {
            let balanced = system.heat.balanced().iter().zip(rates).map(|(s, rate)| *s + part * h * *rate);
            balanced.chain(states.clone().map(|(state, end)| *state + part * (*end - *state))).collect::<Vec<_>>()
        };
        let between =
            Point { q: moved(last, self.base), v: last.clone(), s: warmed(self.base), t: system.t + self.base * h };
        let entropies = [s.clone(), warmed(g.int(1))];
        let mut rules: Vec<_> = q_0.iter().copied().zip(system.q.iter().copied()).collect();
        rules.extend(q_1.iter().copied().zip(positions[positions.len() - 1].iter().copied()));
        let own = self.own_constraints.iter().map(|own| own.map(|row| row.substitute(&rules))).collect();
        // Divided by h, position constraints are of the size of the velocities that they fix.
        self.nodes_at(system, positions, (between, entropies), own, h)
    }

    /// The nodes of a step in the nodes themselves.
    pub(super) fn nodal_nodes(&mut self, system: &System<'g>) -> Nodes<'g> {
        let h = system.step();
        let positions = self.nodal.unknowns.clone();
        let (first, last) = (&positions[0], &positions[positions.len() - 1]);
        let half = self.base == system.graph.rational(Rational::HALF);
        let ends = system.entropy_ends();
        let between = Point {
            q: first
                .iter()
                .zip(last)
                .map(|(a, b)| if half { (*a + *b) / 2 } else { *a + self.base * (*b - *a) })
                .collect(),
            v: first.iter().zip(last).map(|(a, b)| (*b - *a) / h).collect(),
            s: ends[0].iter().zip(&ends[1]).map(|(a, b)| *a + self.base * (*b - *a)).collect(),
            t: system.t + self.base * h,
        };
        let own = self.own_constraints.clone();
        self.nodes_at(system, positions, (between, ends), own, system.graph.int(1))
    }

    fn nodes_at(
        &mut self,
        system: &System<'g>,
        positions: Vec<Vec<Expr<'g>>>,
        (between, entropies): (Point<'g>, [Vec<Expr<'g>>; 2]),
        own: Vec<Option<Expr<'g>>>,
        scale: Expr<'g>,
    ) -> Nodes<'g> {
        let h = system.step();
        let weights = QuadratureRule::lobatto(self.nodes.len()).weights;
        let constants = &mut self.constants;
        let mut scaled = |values: &[f64], name: &str| -> Vec<Expr<'g>> {
            let number =
                |(i, value): (usize, &f64)| h * constants.number(*value, || system.constant(&format!("{name}_{i}")));
            values.iter().enumerate().map(number).collect()
        };
        let times = scaled(&self.nodes, "node").into_iter().map(|offset| system.t + offset).collect();
        Nodes { positions, times, weights: scaled(&weights, "impulse"), between, entropies, scale, own }
    }
}

impl<'g> AtNode<'g> {
    /// Expressions of the system at this node, with position and velocity there.
    fn pull_back(
        &self,
        system: &System<'g>,
        fs: &[Expr<'g>],
        (q, v): (Vec<Expr<'g>>, Vec<Expr<'g>>),
        t: Expr<'g>,
    ) -> Vec<Expr<'g>> {
        let point = Point { q, v, s: self.carried.clone(), t };
        let rates = system.heat.rates.iter().copied().zip(self.rates.iter().copied());
        let held: Vec<_> = rates.chain(self.inputs.iter().copied()).collect();
        system.graph.substitute(&system.at(fs, &point), &held)
    }
}

/// The symbol of an input at a stage. No name of a user's has a space in it.
fn at_stage<'g>(input: Expr<'g>, suffix: &str) -> Expr<'g> {
    let name = input.as_symbol().map(|name| name.to_string()).unwrap_or_default();
    input.graph().symbol(&format!("{name} at stage{suffix}"))
}

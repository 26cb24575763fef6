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
//! T σ = sources, averaged over the quadrature nodes. States are polynomials that satisfy x' = f at these nodes.
//!
//! The action z of a contact system is varied with the motion: z_1 − z_0 = S(Q, z_0, z_1) says how z_1 changes with the nodes, and
//! (1 + ∂S/∂z_0) p_0 and (1 − ∂S/∂z_1) p_1 take the places of p_0 and p_1 (J7).

use extremal_expr::{Expr, Rational, Relation};
use extremal_model::{ConstraintForm, Start};

use super::Options;
use super::action::{DiscreteAction, Formula, Slopes, StateFormula};
use super::builder::{SchemeBuilder, started, thermal_guards};
use super::constrained::{Imposed, has_constant_masses, multiplier_guesses, place, velocities};
use super::dry::{bounds, collected, first_half, half_forces, impulse, second_half, stuck_before};
use super::scheme::{Equation, Scheme, SchemeGuard, ids};
use crate::block::{Block, Meaning, Solve};
use crate::{Point, System};

impl<'g> DiscreteAction<'g> {
    /// The integrator of this action.
    pub fn scheme(mut self, system: &System<'g>, name: String, options: Options) -> Scheme {
        let (g, n, h) = (system.graph, system.len(), system.step());
        let degree = self.nodes.len() - 1;
        let equations = self.equations(system);
        let zero = g.int(0);
        let nodes = self.incremental_nodes(system);
        let Imposed { multipliers, residual: constraints, impulses, work } = nodes.impose(system);

        let Formula { unknowns: w, action, forces, entropy, states, temperatures, heating, accounts } =
            &self.incremental;
        let w = &w[1..];
        let increments: Vec<_> = w.iter().flatten().copied().collect();
        let Slopes { by_w, by_q } = &self.slopes;
        let nodal_forces = forces.iter().zip(&impulses);
        let forces: Vec<Vec<_>> = nodal_forces.map(|(f, r)| f.iter().zip(r).map(|(f, r)| *f + *r).collect()).collect();

        let [scale_0, scale_1] = self.incremental.contact_scales(system);
        let forced = |k: usize| by_q[k] + g.sum(forces.iter().map(|f| f[k]));
        let scaled: Vec<_> = (0..n).map(|k| system.p[k] * scale_0 + forced(k)).collect();
        let mut p_next: Vec<_> = scaled.iter().map(|p| *p / scale_1).collect();
        let mut residual = Vec::with_capacity(increments.len());
        for i in 1..=degree {
            for k in 0..n {
                let nodal = by_w[i - 1][k] + forces[i][k];
                residual.push(if i == degree { nodal - scaled[k] } else { nodal });
            }
        }
        let constants = &mut self.constants;
        let mut guess = Vec::with_capacity(increments.len());
        for (i, fraction) in self.nodes.iter().enumerate().skip(1) {
            let fraction = constants.number(*fraction, || system.constant(&format!("node_{i}")));
            guess.extend(system.v.iter().map(|v| fraction * *v));
        }
        let heated = &system.heat.s[..system.heat.held()];
        let warmed = heated.iter().zip(&system.heat.rates).map(|(s, rate)| *s + h * *rate);
        let s_next: Vec<_> = warmed.chain(states.end.iter().copied()).collect();
        let rates = &[&system.heat.rates[..heated.len()], &states.rates.concat()].concat();
        let staged = &system.heat.state_rates[..system.heat.s.len() - heated.len()];
        let rate_guess = states.rates.iter().flat_map(|_| staged.iter().copied());
        let rate_guess: Vec<_> = vec![zero; heated.len()].into_iter().chain(rate_guess).collect();
        // Stationary under its multipliers too: the mean of a vakonomic constraint over the step vanishes.
        let moving = system.moving_multipliers();
        let constraints = [constraints, g.gradient(*action / h, &moving)].concat();
        let unknown_multipliers = [&multipliers[..], &moving].concat();
        let multiplier_guess =
            [vec![zero; multipliers.len()], multiplier_guesses(system, &system.here(), &system.p)].concat();
        let imposed = Solve::new(&unknown_multipliers, &constraints, &multiplier_guess);

        let (before, mut stuck) = stuck_before(system);
        let at_first: Vec<_> = system.reacting().map(|c| c.multiplier).zip(multipliers.iter().copied()).collect();
        let first = (!system.dry.is_empty()).then(|| {
            let unknowns = [&increments[..], &unknown_multipliers, rates].concat();
            let bounds = bounds(system, &Point { v: w[0].clone(), ..system.here() }, &stuck, &at_first);
            let contacts = first_half(system, &residual[..n], &w[0], &unknowns, bounds, &nodes.between);
            for k in 0..n {
                residual[k] = collected(residual[k], w[0][k], &unknowns) - contacts.impulses[k];
                p_next[k] = p_next[k] + contacts.impulses[k];
            }
            contacts
        });
        let with_contacts = |solve: Solve| match &first {
            None => vec![solve],
            Some(contacts) => contacts.solves(g, solve).to_vec(),
        };
        // A bound may contain multipliers, which are those of the first half.
        let entropy = &g.substitute(&[&entropy[..], &states.rows].concat(), &at_first);
        let heating = &g.substitute(heating, &at_first);
        let next = system.names.iter().cycle().map(|name| Meaning::Next(name.clone()));
        let motion = Solve::new(&increments, &residual, &guess).meaning(next).with(imposed).by_multipliers(system);
        let (warmed, moved) = system.heat.names.split_at(heated.len());
        let each = warmed.iter().chain(moved.iter().cycle().take(rates.len() - heated.len()));
        let each = each.map(|name| Meaning::Rate(name.clone()));
        let warming = Solve::new(rates, entropy, &rate_guess).meaning(each);
        let mut solves = before;
        // A constraint may need the entropies at the end of the step.
        let implicit = self.implicit_entropy || g.depend_on(&constraints, rates).contains(&true);
        match (rates.is_empty(), implicit) {
            (true, _) => solves.extend(with_contacts(motion)),
            (false, false) => {
                solves.extend(with_contacts(motion));
                solves.push(warming);
            }
            (false, true) => solves.extend(with_contacts(motion.with(warming))),
        }
        let mut p_end = p_next.clone();
        let mut worked = work;
        let mut guards = thermal_guards(system, temperatures, heating);
        guards.extend(contact_guards(system, [scale_0, scale_1]));
        let mut pulled = Vec::new();
        let rattles = !multipliers.is_empty() && options.constraints == ConstraintForm::Rattle;
        if rattles || first.is_some() {
            let end = Point {
                q: nodes.positions[degree].clone(),
                v: system.symbols("v_", "_1"),
                s: s_next.clone(),
                t: nodes.times[degree],
            };
            let moving_there: Vec<_> = system
                .vakonomic()
                .map(|c| system.symbol(&format!("lambda_{}_{}", c.name, place(degree, degree))))
                .collect();
            let rows = Point { s: end.s.clone(), ..nodes.point(degree) };
            let projected = velocities(system, (&end, &rows), &moving_there, &p_next, &w[degree - 1]);
            worked = worked + nodes.power(system, degree, &projected.impulse);
            match &first {
                None => {
                    solves.push(projected.solve);
                    p_end = projected.momenta;
                }
                Some(first) => {
                    stuck.clone_from(&first.stuck);
                    let twice = |impulse: &Expr<'g>| *impulse / h * 2;
                    let at_end: Vec<_> =
                        system.reacting().map(|c| c.multiplier).zip(projected.impulse.iter().map(twice)).collect();
                    let (second, solve) =
                        second_half(system, &end, projected.solve, &w[0], bounds(system, &end, &stuck, &at_end));
                    solves.extend(second.solves(g, solve));
                    // Of the velocities: where a contact sticks they are exact, and so are these.
                    p_end = projected.slopes;
                    let both = first.forces.iter().zip(&second.forces);
                    pulled = system.dry.iter().zip(both).map(|(dry, (f, s))| (dry.force, (*f + *s) / 2)).collect();
                    guards.extend(first.guards.iter().cloned().chain(second.guards));
                }
            }
        }
        let carried = system.carried();
        // Where the ratio is not positive, a guard says so.
        let ratio = scale_0 / scale_1;
        let contact = [g.select(g.compare(Relation::Lt, zero, ratio), ratio.log(), zero)];
        let accounts = if system.is_contact() { &contact[..] } else { accounts };
        let grown = carried[system.heat.s.len()..].iter().zip(accounts).enumerate();
        let accounts_next: Vec<_> =
            grown.map(|(at, (sum, growth))| *sum + *growth + if at == 0 { worked } else { zero }).collect();
        let accounts_next = g.substitute(&accounts_next, &pulled);
        let mut outputs = [&nodes.positions[degree][..], &p_end, &s_next, &accounts_next].concat();
        let mut form = match rattles && has_constant_masses(system) {
            true => SchemeBuilder::of_bound_momenta(system),
            false => SchemeBuilder::of_momenta(system),
        };
        if options.start == Start::TwoPoints {
            let second = &self.nodal.unknowns[degree];
            let inner = &increments[..(degree - 1) * n];
            let given: Vec<_> = (0..n).map(|k| (w[degree - 1][k], (second[k] - system.q[k]) / h)).collect();
            let rows = g.substitute(&[&residual[..], entropy].concat(), &given);
            form.start = two_points_start(system, second, (inner, &guess[..inner.len()]), rows, (rates, &multipliers));
        }
        let typed = self.own_constraints.iter().zip(&system.constraints);
        let typed: Vec<_> = typed.filter(|(own, c)| own.is_some() && c.is_vakonomic()).map(|(_, c)| c).collect();
        let found: Vec<_> = typed.iter().map(|constraint| constraint.multiplier).collect();
        let steps: Vec<_> = typed.iter().map(|constraint| system.step_multiplier(constraint)).collect();
        form.carry(&steps, &found);
        outputs.extend(found);
        let constants = self.constants.into_named();
        let note = match system.is_empty() && heated.is_empty() {
            true => format!("One step of size {h} from x_0 at t to x_1, by the rates r at its stages."),
            false => format!(
                "One step of size {h} from (x_0, p_0) at t to (x_1, p_1): the lines for p_0 fix x_1, those for p_1 give the rest."
            ),
        };
        Scheme { constants, guards, equations, note, ..form.step(name, solves, &outputs) }
    }

    /// The discrete equations in nodal form, for print.
    fn equations(&mut self, system: &System<'g>) -> Vec<Equation> {
        let g = system.graph;
        let nodes = self.nodal_nodes(system);
        let Imposed { mut impulses, .. } = nodes.impose(system);
        let last = self.nodes.len() - 1;
        let zero = g.int(0);
        let Formula { unknowns, action, forces, entropy, states, .. } = &self.nodal;
        let mut equations = vec![Equation::new("discrete Lagrangian", system.constant("L_d"), *action)];
        if system.is_empty() && system.heat.entropies().is_empty() {
            equations.clear();
        }
        let (p0, p1) = (system.symbols("p_", "_0"), system.symbols("p_", "_1"));
        let [scale_0, scale_1] = self.nodal.nodal_scales(system);
        let at_end: Vec<_> =
            system.reacting().map(|constraint| system.multiplier_symbol(constraint, &place(last, last))).collect();
        impulses[last] = nodes.impulse(system, last, &at_end);
        let between = nodes.between.clone();
        let first_node = Point { q: nodes.positions[0].clone(), t: nodes.times[0], ..between.clone() };
        let end = Point {
            q: nodes.positions[last].clone(),
            v: system.symbols("", "_1'"),
            t: nodes.times[last],
            ..between.clone()
        };
        for ((node, point), forces) in [(0, &first_node), (last, &end)].into_iter().zip(half_forces(system)) {
            for (sum, impulse) in impulses[node].iter_mut().zip(impulse(system, point, &forces)) {
                *sum = *sum + impulse;
            }
        }
        for (i, (node, forces)) in unknowns.iter().zip(forces).enumerate() {
            let slopes = g.gradient(*action, node);
            for k in 0..system.len() {
                let total = slopes[k] + forces[k] + impulses[i][k];
                let name = &system.names[k];
                equations.push(match i {
                    0 => Equation::new(format!("momentum of {name} at the start of the step"), p0[k], -total / scale_0),
                    i if i == last => Equation::new(format!("momentum of {name} at its end"), p1[k], total / scale_1),
                    _ => Equation::new(format!("inner node {i} of {name}"), zero, total),
                });
            }
        }
        let balances = entropy.iter().zip(&system.heat.names);
        let kind = |at: usize| system.heat.word(at);
        equations.extend(
            balances.enumerate().map(|(at, (row, name))| Equation::new(format!("{} {name}", kind(at)), zero, *row)),
        );
        if system.is_contact() {
            let factor = system.constant("f");
            equations.push(Equation::new("factor of the contact form", factor, scale_0 / scale_1));
        }
        equations.extend(states.equations(system));
        let stationary = system.vakonomic().zip(g.gradient(*action / system.step(), &system.moving_multipliers()));
        equations.extend(stationary.map(|(c, row)| Equation::new(format!("{} in the step", c.name), zero, row)));
        equations.extend(super::dry::equations(system, [(&first_node, &between), (&end, &end)]));
        equations.extend(nodes.equations(system));
        equations
    }
}

impl<'g> Formula<'g> {
    /// 1 + ∂S/∂z_0 and 1 − ∂S/∂z_1 of a contact system, for an action in z_0 and the rate (z_1 − z_0)/h; 1 and 1 of any other.
    fn contact_scales(&self, system: &System<'g>) -> [Expr<'g>; 2] {
        let one = system.graph.int(1);
        if !system.is_contact() {
            return [one, one];
        }
        let slopes = system.graph.gradient(self.action, &[system.heat.s[0], system.heat.rates[0]]);
        let by_end = slopes[1] / system.step();
        [one + slopes[0] - by_end, one - by_end]
    }

    /// The same for an action in z_0 and z_1.
    fn nodal_scales(&self, system: &System<'g>) -> [Expr<'g>; 2] {
        let one = system.graph.int(1);
        if !system.is_contact() {
            return [one, one];
        }
        let [first, last] = system.entropy_ends();
        let slopes = system.graph.gradient(self.action, &[first[0], last[0]]);
        [one + slopes[0], one - slopes[1]]
    }
}

/// Beyond a step for which one of these vanishes the discrete action is no longer that of a motion.
fn contact_guards<'g>(system: &System<'g>, scales: [Expr<'g>; 2]) -> Vec<SchemeGuard> {
    let g = system.graph;
    let labels = [
        "the step is short enough: 1 + dL_d/dz_0 stays positive",
        "the step is short enough: 1 - dL_d/dz_1 stays positive",
    ];
    let guard = |(label, scale): (&str, Expr<'g>)| SchemeGuard {
        label: label.to_owned(),
        condition: g.compare(Relation::Lt, g.int(0), scale).id(),
    };
    labels.into_iter().zip(scales).filter(|(_, scale)| scale.as_number().is_none()).map(guard).collect()
}

impl<'g> StateFormula<'g> {
    /// The equations of the states, for print.
    fn equations(&self, system: &System<'g>) -> Vec<Equation> {
        let zero = system.graph.int(0);
        let names = &system.heat.names[system.heat.balanced().len()..];
        let labels =
            (1..=self.rates.len()).flat_map(|stage| names.iter().map(move |name| format!("stage {stage} of {name}")));
        let mut equations: Vec<Equation> =
            labels.zip(&self.rows).map(|(label, row)| Equation::new(label, zero, *row)).collect();
        let [_, last] = system.entropy_ends();
        let ends = last[last.len() - self.end.len()..].iter().zip(&self.end);
        equations.extend(ends.map(|(symbol, end)| Equation::new("next state", *symbol, *end)));
        equations
    }
}

/// The state at the start from two positions: `rows` are the equations of a step whose last increments, and multipliers that move,
/// are given; the inner ones, with their guess, and the momenta are found from them. The first impulses follow from velocities at the start that satisfy the
/// constraints.
fn two_points_start<'g>(
    system: &System<'g>,
    second: &[Expr<'g>],
    (inner, guess): (&[Expr<'g>], &[Expr<'g>]),
    mut rows: Vec<Expr<'g>>,
    (rates, multipliers): (&[Expr<'g>], &[Expr<'g>]),
) -> Block {
    let mut open = [inner, &system.p, rates, multipliers].concat();
    let mut guess = guess.to_vec();
    guess.resize(open.len(), system.graph.int(0));
    if !multipliers.is_empty() {
        let v = system.symbols("v_", "_1");
        let here = Point { v: v.clone(), ..system.here() };
        rows.extend(system.at(&system.momenta(), &here).iter().zip(&system.p).map(|(l_v, p)| *l_v - *p));
        rows.extend(system.velocity_constraints_at(&here));
        open.extend(v);
        guess.extend(&system.v);
    }
    let instant = [system.t, system.step()];
    Block {
        inputs: ids(
            &[&system.q[..], &system.v, second, &system.heat.s, &instant, &system.moving_multipliers()].concat()
        ),
        solves: vec![Solve::new(&open, &rows, &guess)],
        outputs: ids(&started(system, &system.p)),
    }
}

/// The energy of a step as the sources estimate it from positions: at the middle of the two positions, with their difference
/// quotient as velocity and the entropies before the step. From q_0, q_1, S_0, t and h.
pub fn energy_estimate(system: &System<'_>) -> Block {
    let (g, h) = (system.graph, system.step());
    let ([q_0, q_1], [s_0, _]) = (system.ends(), system.entropy_ends());
    let half = g.rational(Rational::HALF);
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

//! Motions from momenta: Runge–Kutta methods in the canonical coordinates (q, …, q^(k−1); p).
//!
//! Collocation at Gauss points is symplectic there, which is why `midpoint`, `galerkin(s)` and compositions are this too.

use extremal_expr::Expr;

use super::builder::{SchemeBuilder, started};
use super::collocation::Collocation;
use super::flow::PhaseFlow;
use super::scheme::{Equation, Scheme, ids};
use crate::System;
use crate::block::{Block, Meaning, Solve};

/// What a motion from momenta carries: (q, …, q^(k−1)), their momenta, accounts.
pub(super) fn momentum_state<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    [&system.configuration()[..], &system.p, &system.carried()].concat()
}

/// The rates of the [`momentum_state`], with y among their symbols.
fn momentum_state_rates<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    let derivatives = (1..=system.order).flat_map(|order| system.derivative(order)).copied();
    let accounts = system.accounts().into_iter().map(|account| account.rate);
    derivatives.chain(system.momentum_rates()).chain(accounts).collect()
}

/// From a state, t and a guess of the highest derivatives to derivatives and momenta.
fn observation<'g>(system: &System<'g>, given: &[Expr<'g>], guess: &[Expr<'g>]) -> Block {
    let mut solves = vec![system.hidden_solve(guess)];
    solves.extend(system.hidden_rates());
    Block {
        inputs: ids(&[&momentum_state(system), given].concat()),
        solves,
        outputs: ids(&[&system.velocities()[..], &system.p].concat()),
    }
}

/// The equations of first order, for adaptive integrators.
pub(super) fn momentum_phase_flow(system: &System<'_>) -> PhaseFlow {
    let (state, n, t) = (momentum_state(system), system.len(), [system.t]);
    let zeros = vec![system.graph.int(0); n];
    PhaseFlow {
        alike: [vec![n; 2 * system.order], vec![1; state.len() - 2 * system.order * n]].concat(),
        rates: Block {
            inputs: ids(&[&state[..], &t].concat()),
            solves: vec![system.hidden_solve(&zeros)],
            outputs: ids(&momentum_state_rates(system)),
        },
        observe: observation(system, &t, &zeros),
        state: ids(&state),
        projection: None,
        guards: Vec::new(),
    }
}

/// All of a scheme but its step: the state is that of a motion from momenta, which the start gives.
fn builder<'s, 'g>(system: &'s System<'g>) -> SchemeBuilder<'s, 'g> {
    let guess: Vec<_> = (0..system.order).flat_map(|r| system.symbols("v_", &"'".repeat(r))).collect();
    let given = [&system.configuration()[..], &system.p, &[system.t, system.step()]].concat();
    let start = Block { inputs: ids(&given), solves: Vec::new(), outputs: ids(&started(system, &system.p)) };
    let observe = observation(system, &[&[system.t], &guess[..]].concat(), &guess[..system.len()]);
    let mut builder = SchemeBuilder::of_state(system, momentum_state(system), guess, start, &[]);
    builder.observe = observe;
    builder
}

/// The scheme with these coefficients. Unknown in a stage are y_i and the rates of the momenta; positions and derivatives at the stages
/// follow from one another, Q^(r)_i = q^(r) + h Σ a_ij Q^(r+1)_j.
pub(super) fn from_momenta<'g>(system: &System<'g>, mut method: Collocation<'_, 'g>, name: String) -> Scheme {
    let (g, n, k) = (system.graph, system.len(), system.order);
    let hidden = method.symbols(|suffix| hidden_symbols(system, suffix));
    let forces = method
        .symbols(|suffix| (0..k).flat_map(|r| system.symbols("f_", &format!("{suffix}{}", "'".repeat(r)))).collect());
    let stages = method.len();
    // From the highest derivative down, each per stage.
    let mut derivatives: Vec<Vec<Vec<Expr<'g>>>> = vec![hidden.iter().map(|y| y[..n].to_vec()).collect()];
    for r in (0..k).rev() {
        let above = &derivatives[0];
        let here = (0..stages).map(|i| method.at_stage(i, system.derivative(r), above)).collect();
        derivatives.insert(0, here);
    }
    let (symbols, rates) = (system.hidden(), momentum_state_rates(system));
    let accounts = rates.len() - 2 * k * n;
    let formulas = [&system.primary_constraints()[..], &rates[k * n..]].concat();
    let (mut unknowns, mut residuals, mut growth) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..stages {
        let mut rules = vec![(system.t, method.time(i))];
        for (r, at_stages) in derivatives[..k].iter().enumerate() {
            rules.extend(system.derivative(r).iter().copied().zip(at_stages[i].iter().copied()));
        }
        rules.extend(system.p.iter().copied().zip(method.at_stage(i, &system.p, &forces)));
        rules.extend(symbols.iter().copied().zip(hidden[i].iter().copied()));
        let mut rows = g.substitute(&formulas, &rules);
        growth.push(rows.split_off(rows.len() - accounts));
        for (row, force) in rows[symbols.len()..].iter_mut().zip(&forces[i]) {
            *row = *row - *force;
        }
        unknowns.push([&hidden[i][..], &forces[i]].concat());
        residuals.push(rows);
    }
    let mut next = Vec::new();
    for r in 0..k {
        next.extend(method.at_end(system.derivative(r), &derivatives[r + 1]));
    }
    next.extend(method.at_end(&system.p, &forces));
    next.extend(method.at_end(&system.carried(), &growth));

    let builder = builder(system);
    let zeros = vec![g.int(0); unknowns[0].len() - n];
    let guess = [&builder.velocities[..n], &zeros].concat();
    let meanings = stage_meanings(system, symbols.len());
    let solve = |unknowns: &[Expr<'g>], rows: &[Expr<'g>], stages: usize| {
        Solve::new(unknowns, rows, &guess.repeat(stages)).meaning(meanings.iter().cycle().cloned())
    };
    let solves = match method.a[0].is_empty() {
        true => unknowns.iter().zip(&residuals).map(|(unknowns, rows)| solve(unknowns, rows, 1)).collect(),
        false => vec![solve(&unknowns.concat(), &residuals.concat(), stages)],
    };
    Scheme {
        equations: equations(system, &residuals, &next),
        note: "One step from positions, derivatives and momenta at t; at each stage the unified Hamiltonian is stationary in what has no \
               rate of its own, with a the highest derivatives and f the rates of the momenta."
            .to_owned(),
        constants: method.constants.into_named(),
        ..builder.step(name, solves, &next)
    }
}

/// y at a stage.
fn hidden_symbols<'g>(system: &System<'g>, suffix: &str) -> Vec<Expr<'g>> {
    let highest = system.symbols("a_", suffix);
    let at_stage = |symbol: &Expr<'g>| {
        let name = symbol.to_string();
        let (family, index) = name.split_at(name.find('[').unwrap_or(name.len()));
        system.symbol(&format!("{family}{suffix}{index}"))
    };
    highest.into_iter().chain(system.hidden()[system.len()..].iter().map(at_stage)).collect()
}

/// What the unknowns of a stage are.
fn stage_meanings(system: &System<'_>, hidden: usize) -> Vec<Meaning> {
    let mut meanings = system.hidden_meanings();
    meanings.resize(hidden, Meaning::Itself);
    meanings.extend(system.p.iter().map(|p| Meaning::Rate(p.to_string())));
    meanings
}

/// What is printed: the equations of each stage, then where the step leads.
fn equations<'g>(system: &System<'g>, residuals: &[Vec<Expr<'g>>], next: &[Expr<'g>]) -> Vec<Equation> {
    let zero = system.graph.int(0);
    let labels: Vec<String> = (system.hidden().iter().map(|y| format!("dH/d({y})")))
        .chain(system.p.iter().map(|p| format!("rate of {p}")))
        .collect();
    let mut equations = Vec::new();
    for (i, rows) in (1..).zip(residuals) {
        let rows = labels.iter().zip(rows);
        equations.extend(rows.map(|(label, row)| Equation::new(format!("{label} at stage {i}"), zero, *row)));
    }
    let (n, after) = (system.len(), |r: usize| "'".repeat(r));
    let positions = (0..system.order).flat_map(|r| system.symbols("", &format!("_1{}", after(r))));
    let momenta = (0..system.order).flat_map(|r| system.symbols("p_", &format!("_1{}", after(r))));
    for (at, (left, right)) in positions.chain(momenta).zip(next).enumerate() {
        let what = if at < n * system.order { "next derivative" } else { "next momentum" };
        equations.push(Equation::new(if at < n { "next position" } else { what }, left, *right));
    }
    equations
}

//! Reference integrators: Runge–Kutta methods on the continuous equations, as schemes like any other.

use extremal_expr::{Expr, Id};
use extremal_model::Method;

use super::quadrature::{Quadrature, lagrange_integral};
use super::scheme::{Constants, Equation, Scheme, SchemeGuard, ids};
use super::stages::{Rates, Stages};
use super::variational::{started, thermal_guards};
use crate::block::{Block, Meaning, Solve};
use crate::{Point, System};

/// A Runge–Kutta tableau.
struct Tableau {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    c: Vec<f64>,
    explicit: bool,
}

impl Tableau {
    fn of(method: &Method) -> Tableau {
        match method {
            Method::Rk2 => Tableau::explicit(&[&[0.5]], &[0.0, 1.0]),
            Method::Rk4 => Tableau::explicit(
                &[&[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
                &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
            ),
            Method::Gauss(s) => Tableau::collocation(*s as usize),
            other => unreachable!("{other} is not a fixed-step Runge-Kutta method"),
        }
    }

    /// From the rows below the first.
    fn explicit(rows: &[&[f64]], b: &[f64]) -> Tableau {
        let a: Vec<Vec<f64>> = [&[][..]].iter().chain(rows).map(|row| row.to_vec()).collect();
        let c = a.iter().map(|row| row.iter().sum()).collect();
        Tableau { a, b: b.to_vec(), c, explicit: true }
    }

    fn collocation(s: usize) -> Tableau {
        let rule = Quadrature::gauss(s);
        let row = |c: &f64| (0..s).map(|j| lagrange_integral(&rule.nodes, j, *c)).collect();
        Tableau { a: rule.nodes.iter().map(row).collect(), b: rule.weights, c: rule.nodes, explicit: false }
    }
}

/// The scheme of `rk2`, `rk4` or `gauss(s)`; its state is (q, v, S).
///
/// With stage accelerations A_i and entropy rates R_i as unknowns, stage velocities, positions and entropies follow:
/// V_i = v + h Σ a_ij A_j, Q_i = q + h Σ a_ij V_j, S_i = S + h Σ a_ij R_j, and each stage must satisfy the equations of motion
/// and the entropy balance. Constraints are satisfied through their accelerations, with stage multipliers as unknowns; a
/// multiplier that moves (of a vakonomic constraint) is a part of the state like an entropy.
pub(super) fn runge_kutta<'g>(system: &System<'g>, method: &Method, name: String) -> Scheme {
    let (g, n, h) = (system.graph, system.len(), system.step());
    let tableau = Tableau::of(method);
    let mut constants = Constants::new(g);
    let accounts = system.accounts();
    let account_rates: Vec<_> = accounts.iter().map(|account| account.rate).collect();
    let motion = system.motion_equations();
    let equations_of_motion = [&motion[..], &account_rates].concat();
    let a: Vec<Vec<_>> = (1..=tableau.b.len()).map(|i| system.symbols("a_", &format!("_{i}"))).collect();
    let r: Vec<Vec<_>> = (1..=tableau.b.len()).map(|i| system.entropy_symbols("r_", &format!("_{i}"))).collect();
    let multipliers =
        |i: usize| system.constraints.iter().map(move |c| (c, system.multiplier_symbol(c, &i.to_string())));
    let moving = |i: usize| multipliers(i).filter(|(c, _)| c.is_vakonomic()).map(|(_, symbol)| symbol).collect();
    let lambda: Vec<Vec<_>> = (1..=tableau.b.len()).map(moving).collect();
    let moving = system.moving_multipliers();

    let weigh =
        |constants: &mut Constants<'g>, start: &[Expr<'g>], weights: &[f64], label: &str, rates: &[Vec<Expr<'g>>]| {
            let mut sum = start.to_vec();
            for (j, weight) in weights.iter().enumerate() {
                let weight = h * constants.number(*weight, || system.constant(&format!("{label}_{}", j + 1)));
                for (sum, rate) in sum.iter_mut().zip(&rates[j]) {
                    *sum = *sum + weight * *rate;
                }
            }
            sum
        };
    let mut v = Vec::new();
    for (i, row) in tableau.a.iter().enumerate() {
        v.push(weigh(&mut constants, &system.v, row, &format!("a_{}", i + 1), &a));
    }
    let mut stage_unknowns = Vec::new();
    let mut residuals = Vec::new();
    let mut growth = Vec::new();
    for (i, row) in tableau.a.iter().enumerate() {
        let label = format!("a_{}", i + 1);
        let point = Point {
            q: weigh(&mut constants, &system.q, row, &label, &v),
            v: v[i].clone(),
            s: weigh(&mut constants, &system.heat.s, row, &label, &r),
            t: system.t + h * constants.number(tableau.c[i], || system.constant(&format!("c_{}", i + 1))),
        };
        let unknowns = [&a[i][..], &r[i], &multipliers(i + 1).map(|(_, symbol)| symbol).collect::<Vec<_>>()].concat();
        let stage_multipliers = weigh(&mut constants, &moving, row, &label, &lambda);
        let mut rules: Vec<_> = system.motion_unknowns().into_iter().zip(unknowns.iter().copied()).collect();
        rules.extend(moving.iter().copied().zip(stage_multipliers));
        stage_unknowns.push(unknowns);
        let mut rows = system.at(&g.substitute(&equations_of_motion, &rules), &point);
        growth.push(rows.split_off(motion.len()));
        residuals.push(rows);
    }
    let q_next = weigh(&mut constants, &system.q, &tableau.b, "b", &v);
    let v_next = weigh(&mut constants, &system.v, &tableau.b, "b", &a);
    let s_next = weigh(&mut constants, &system.heat.s, &tableau.b, "b", &r);
    let sums: Vec<_> = accounts.iter().map(|account| account.value).collect();
    let sums_next = weigh(&mut constants, &sums, &tableau.b, "b", &growth);
    let moving_next = weigh(&mut constants, &moving, &tableau.b, "b", &lambda);

    let of_stage: Vec<Meaning> = (system.names.iter().cloned().map(Meaning::Acceleration))
        .chain(system.heat.names.iter().cloned().map(Meaning::Rate))
        .chain(system.constraints.iter().map(|_| Meaning::Itself))
        .collect();
    let solve = |unknowns: &[Expr<'g>], rows: &[Expr<'g>]| {
        Solve::new(unknowns, rows, &vec![g.int(0); unknowns.len()]).meaning(of_stage.iter().cycle().cloned())
    };
    let solves = match tableau.explicit {
        true => stage_unknowns.iter().zip(&residuals).map(|(u, rows)| solve(u, rows)).collect(),
        false => vec![solve(&stage_unknowns.concat(), &residuals.concat())],
    };
    let stages = (!tableau.explicit).then(|| {
        let rates = Rates { accelerations: &a, entropies: &r, multipliers: &lambda, unknowns: &stage_unknowns };
        Stages::new(system, &tableau.c, &tableau.a, &rates)
    });
    let constraints = system.constraints.iter().map(|constraint| &constraint.name);
    let labels: Vec<&String> = system.names.iter().chain(&system.heat.names).chain(constraints).collect();
    let stage_equations = residuals.iter().enumerate().flat_map(|(i, rows)| {
        let label = |k: usize| format!("stage {} of {}", i + 1, labels[k]);
        rows.iter().enumerate().map(|(k, row)| Equation::new(label(k), g.int(0), *row)).collect::<Vec<_>>()
    });
    let (q1, v1) = (system.symbols("", "_1"), system.symbols("", "_1'"));
    let ends = (0..n).flat_map(|k| {
        [Equation::new("next position", q1[k], q_next[k]), Equation::new("next velocity", v1[k], v_next[k])]
    });
    let entropy_ends = system.entropy_ends()[1].clone();
    let warmed = entropy_ends.iter().zip(&s_next).map(|(s, next)| Equation::new("next entropy", *s, *next));
    let equations = stage_equations.chain(ends).chain(warmed).collect();
    let state = phase_state(system);
    let guess = system.symbols("v_", "");
    Scheme {
        name,
        state: ids(&state),
        time: system.t.id(),
        start: Block {
            inputs: ids(&[&system.q[..], &system.v, &system.heat.s, &[system.t, h], &moving].concat()),
            solves: Vec::new(),
            outputs: ids(&[started(system, &system.v), moving.clone()].concat()),
        },
        step: Block {
            inputs: ids(&[&state[..], &[system.t, h], &guess].concat()),
            solves,
            outputs: ids(&[q_next, v_next, s_next, sums_next, moving_next].concat()),
        },
        observe: Block { inputs: ids(&[&state[..], &[system.t], &guess].concat()), ..phase_observation(system) },
        constants: constants.into_named(),
        stages,
        substeps: vec![1.0],
        guards: phase_guards(system),
        equations,
    }
}

/// The state of the continuous equations: (q, v, S, accounts, multipliers that move); for higher orders (q, …, q^(2k−1), …).
fn phase_state<'g>(system: &System<'g>) -> Vec<Expr<'g>> {
    [system.configuration(), system.velocities(), system.carried(), system.moving_multipliers()].concat()
}

/// The equations of motion, for accelerations, rates of entropies, and multipliers or their rates.
fn motion<'g>(system: &System<'g>) -> Solve {
    let unknowns = system.motion_unknowns();
    Solve::new(&unknowns, &system.motion_equations(), &vec![system.graph.int(0); unknowns.len()])
}

/// Equations of motion as a system of first order, for adaptive integrators.
pub struct PhaseFlow {
    /// What moves.
    pub state: Vec<Id>,
    /// How many of it, one after the other, are of the same kind: coordinates, velocities, further derivatives, then each by itself.
    pub alike: Vec<usize>,
    /// From the state and t to its rates.
    pub rates: Block,
    /// From the state and t to velocities and momenta.
    pub observe: Block,
    /// What must hold at every state.
    pub guards: Vec<SchemeGuard>,
}

impl PhaseFlow {
    /// The continuous equations of a system.
    pub fn of(system: &System<'_>) -> PhaseFlow {
        let (state, n, derivatives) = (ids(&phase_state(system)), system.len(), 2 * system.order);
        PhaseFlow {
            alike: [vec![n; derivatives], vec![1; state.len() - derivatives * n]].concat(),
            state,
            rates: acceleration(system),
            observe: phase_observation(system),
            guards: phase_guards(system),
        }
    }
}

/// From the [`phase_state`] and t to its rates.
fn acceleration(system: &System<'_>) -> Block {
    let accounts: Vec<_> = system.accounts().iter().map(|account| account.rate).collect();
    let moving: Vec<_> = system.vakonomic().map(|constraint| constraint.rate).collect();
    let derivatives: Vec<_> = (1..=2 * system.order).flat_map(|order| system.derivative(order)).copied().collect();
    Block {
        inputs: ids(&[phase_state(system), vec![system.t]].concat()),
        solves: vec![motion(system)],
        outputs: ids(&[&derivatives[..], &system.heat.rates, &accounts, &moving].concat()),
    }
}

/// From the [`phase_state`] and t to velocities and momenta: the observation of a state that carries velocities. Under
/// constraints, accelerations and multipliers are among its unknowns.
fn phase_observation(system: &System<'_>) -> Block {
    Block {
        inputs: ids(&[phase_state(system), vec![system.t]].concat()),
        solves: reactions_solve(system),
        outputs: ids(&[system.velocities(), system.momenta()].concat()),
    }
}

/// How an observation finds the reactions: by the equations of motion at the node itself, so that they are as accurate as the
/// state there. Half-impulses of a step would be of order one.
pub(super) fn reactions_solve(system: &System<'_>) -> Vec<Solve> {
    match (system.dry.is_empty(), system.constraints.is_empty()) {
        (false, _) => system.instant_with_dry(),
        (true, true) => Vec::new(),
        (true, false) => vec![motion(system)],
    }
}

/// What must hold at a state that carries velocities: positive temperatures, friction that takes energy.
pub(super) fn phase_guards(system: &System<'_>) -> Vec<SchemeGuard> {
    thermal_guards(system, &system.temperatures(), &system.friction_heating())
}

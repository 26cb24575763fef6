//! Reference integrators: Runge–Kutta methods on the continuous equations, as schemes like any other.

use extremal_expr::Expr;

use super::builder::SchemeBuilder;
use super::collocation::Collocation;
use super::flow::phase_guards;
use super::scheme::{Equation, Scheme};
use super::stages::{Rates, Stages};
use crate::block::{Meaning, Solve};
use crate::{Point, System};

/// The explicit method of Euler.
pub(super) fn euler<'s, 'g>(system: &'s System<'g>) -> Collocation<'s, 'g> {
    Collocation::explicit(system, &[], &[1.0])
}

/// The midpoint rule of Runge.
pub(super) fn rk2<'s, 'g>(system: &'s System<'g>) -> Collocation<'s, 'g> {
    Collocation::explicit(system, &[&[0.5]], &[0.0, 1.0])
}

/// The classical method of Kutta.
pub(super) fn rk4<'s, 'g>(system: &'s System<'g>) -> Collocation<'s, 'g> {
    let weights = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
    Collocation::explicit(system, &[&[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]], &weights)
}

/// The scheme with these coefficients; its state is (q, v, S).
///
/// With stage accelerations A_i and entropy rates R_i as unknowns, stage velocities, positions and entropies follow:
/// V_i = v + h Σ a_ij A_j, Q_i = q + h Σ a_ij V_j, S_i = S + h Σ a_ij R_j, and each stage must satisfy the equations of motion
/// and the entropy balance. Constraints are satisfied through their accelerations, with stage multipliers as unknowns; a
/// multiplier that moves (of a vakonomic constraint) is a part of the state like an entropy.
pub(super) fn runge_kutta<'g>(system: &System<'g>, mut method: Collocation<'_, 'g>, name: String) -> Scheme {
    let (g, moving) = (system.graph, system.moving_multipliers());
    let a = method.symbols(|suffix| system.symbols("a_", suffix));
    let r = method.symbols(|suffix| system.entropy_symbols("r_", suffix));
    let at_stage = |suffix: &str| -> Vec<Expr<'g>> {
        system.constraints.iter().map(|constraint| system.multiplier_symbol(constraint, &suffix[1..])).collect()
    };
    let multipliers = method.symbols(at_stage);
    let of_moving = |all: &Vec<Expr<'g>>| -> Vec<Expr<'g>> {
        system.constraints.iter().zip(all).filter(|(c, _)| c.is_vakonomic()).map(|(_, symbol)| *symbol).collect()
    };
    let lambda: Vec<Vec<Expr<'g>>> = multipliers.iter().map(of_moving).collect();

    let motion = system.motion_equations();
    let (sums, account_rates): (Vec<_>, Vec<_>) =
        system.accounts().iter().map(|account| (account.value, account.rate)).unzip();
    let formulas = [&motion[..], &account_rates].concat();
    let v: Vec<_> = (0..method.len()).map(|i| method.at_stage(i, &system.v, &a)).collect();
    let (mut unknowns, mut residuals, mut growth, mut points) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..method.len() {
        let point = Point {
            q: method.at_stage(i, &system.q, &v),
            v: v[i].clone(),
            s: method.at_stage(i, &system.heat.s, &r),
            t: method.time(i),
        };
        let own = [&a[i][..], &r[i], &multipliers[i]].concat();
        let mut rules: Vec<_> = system.motion_unknowns().into_iter().zip(own.iter().copied()).collect();
        let moved = method.at_stage(i, &moving, &lambda);
        points.push([&point.q[..], &point.v, &point.s, &[point.t], &moved].concat());
        rules.extend(moving.iter().copied().zip(moved));
        let mut rows = system.at(&g.substitute(&formulas, &rules), &point);
        growth.push(rows.split_off(motion.len()));
        residuals.push(rows);
        unknowns.push(own);
    }
    let next = [
        method.at_end(&system.q, &v),
        method.at_end(&system.v, &a),
        method.at_end(&system.heat.s, &r),
        method.at_end(&sums, &growth),
        method.at_end(&moving, &lambda),
    ];

    let of_stage: Vec<Meaning> = (system.names.iter().cloned().map(Meaning::Acceleration))
        .chain(system.heat.names.iter().cloned().map(Meaning::Rate))
        .chain(system.constraints.iter().map(|_| Meaning::Itself))
        .collect();
    let solve = |unknowns: &[Expr<'g>], rows: &[Expr<'g>]| {
        Solve::new(unknowns, rows, &vec![g.int(0); unknowns.len()]).meaning(of_stage.iter().cycle().cloned())
    };
    let solves = match method.a[0].is_empty() {
        true => unknowns.iter().zip(&residuals).map(|(unknowns, rows)| solve(unknowns, rows)).collect(),
        false => {
            let rates =
                Rates { accelerations: &a, entropies: &r, multipliers: &lambda, unknowns: &unknowns, points: &points };
            let all = solve(&unknowns.concat(), &residuals.concat());
            vec![all.by_stages(Stages::new(system, &method.c, &method.a, &rates))]
        }
    };
    Scheme {
        guards: phase_guards(system),
        equations: equations(system, &residuals, &next),
        note: match system.poisson() {
            Some(_) => "One step from the variables at t; each stage satisfies the equations of motion.".to_owned(),
            None => "One step from (q, q') at t; each stage satisfies the equations of motion.".to_owned(),
        },
        constants: method.constants.into_named(),
        ..SchemeBuilder::of_velocities(system).step(name, solves, &next.concat())
    }
}

/// What is printed: the equations of each stage, then where the step leads.
fn equations<'g>(system: &System<'g>, residuals: &[Vec<Expr<'g>>], next: &[Vec<Expr<'g>>; 5]) -> Vec<Equation> {
    let constraints = system.constraints.iter().map(|constraint| &constraint.name);
    let names: Vec<&String> = system.names.iter().chain(&system.heat.names).chain(constraints).collect();
    let mut equations = Vec::new();
    for (i, rows) in (1..).zip(residuals) {
        let label = |name: &String| format!("stage {i} of {name}");
        let rows = names.iter().zip(rows);
        equations.extend(rows.map(|(name, row)| Equation::new(label(name), system.graph.int(0), *row)));
    }
    let (q1, v1) = (system.symbols("", "_1"), system.symbols("", "_1'"));
    let [q_next, v_next, s_next, ..] = next;
    for k in 0..system.len() {
        equations.push(Equation::new("next position", q1[k], q_next[k]));
        equations.push(Equation::new("next velocity", v1[k], v_next[k]));
    }
    let [_, s1] = system.entropy_ends();
    let ends = s1.iter().zip(s_next).enumerate();
    equations.extend(ends.map(|(at, (s, next))| Equation::new(format!("next {}", system.heat.word(at)), *s, *next)));
    equations
}

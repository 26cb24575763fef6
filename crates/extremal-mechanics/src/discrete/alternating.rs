//! Steps of a method and of its adjoint by turns, written out as the formulas of one step (K10).

use extremal_expr::{Expr, Id};

use super::scheme::{Scheme, SchemeGuard, ids};
use crate::System;
use crate::block::{Block, Solve};

/// A step that takes steps of two methods by turns over these fractions, the first one first. Both carry the same state: positions, then
/// momenta.
pub(super) fn alternating(system: &System<'_>, parts: [Scheme; 2], fractions: &[f64], name: String) -> Scheme {
    let (g, n) = (system.graph, system.len());
    let (t, h) = (system.t, system.step());
    let state = g.exprs(&parts[0].state);
    let mut now = state.clone();
    let (mut solves, mut guards) = (Vec::new(), Vec::new());
    let mut elapsed = 0.0;
    for (turn, fraction) in fractions.iter().enumerate() {
        let part = &parts[turn % 2];
        let of_step = |factor: f64| g.float(factor).unwrap_or(g.int(0)) * h;
        let mut rules: Vec<(Expr<'_>, Expr<'_>)> = state.iter().copied().zip(now.iter().copied()).collect();
        rules.extend([(t, t + of_step(elapsed)), (h, of_step(*fraction))]);
        let unknowns = part.step.solves.iter().flat_map(|solve| g.exprs(&solve.unknowns));
        // No name of a user's has a space in it.
        rules.extend(unknowns.map(|unknown| (unknown, g.symbol(&format!("{unknown} at turn {turn}")))));
        let there = |list: &[Id]| ids(&g.substitute(&g.exprs(list), &rules));
        solves.extend(part.step.solves.iter().map(|solve| Solve {
            unknowns: there(&solve.unknowns),
            residual: there(&solve.residual),
            guess: there(&solve.guess),
            stages: None,
            ..solve.clone()
        }));
        guards.extend(
            part.guards
                .iter()
                .map(|guard| SchemeGuard { label: guard.label.clone(), condition: there(&[guard.condition])[0] }),
        );
        now = g.exprs(&there(&part.step.outputs));
        // The next turn begins with the forces that this one ends with, which are the same only if they are taken at the same number. Two
        // kicks there are one, and so are two drifts between kicks.
        let kept = if turn % 2 == 0 { 0..n } else { n..2 * n };
        if turn + 1 < fractions.len() {
            now[kept].iter_mut().for_each(|value| *value = value.grouped());
        }
        elapsed += fraction;
    }
    let [first, second] = parts;
    let listed: Vec<String> = fractions.iter().map(f64::to_string).collect();
    let note = format!(
        "Steps of {} and of {}, written below, by turns over these fractions of {h}: {}.",
        first.name,
        second.name,
        listed.join(", ")
    );
    let known = |id| first.constants.iter().any(|(known, _)| *known == id);
    let further: Vec<_> = second.constants.iter().copied().filter(|(id, _)| !known(*id)).collect();
    let both = [&first, &second].map(|part| {
        let named = part.equations.iter().cloned();
        named.map(|mut equation| {
            equation.label = format!("{}: {}", part.name, equation.label);
            equation
        })
    });
    Scheme {
        name,
        equations: both.into_iter().flatten().collect(),
        note,
        constants: first.constants.iter().copied().chain(further).collect(),
        guards,
        step: Block { solves, outputs: ids(&now), ..first.step.clone() },
        ..first
    }
}

/// Are momenta affine in the velocities with masses that never change, and forces by positions and the time alone? Then the kinetic
/// energy is quadratic in the momenta, and three brackets of the potential with it vanish.
pub(super) fn accelerates_by_positions(system: &System<'_>) -> bool {
    let g = system.graph;
    let momenta = system.momenta();
    let masses: Vec<_> = g.jacobian(&momenta, &system.v).into_iter().flatten().map(|(_, mass)| mass).collect();
    let slopes = g.gradient(system.lagrangian, &system.q);
    let forces: Vec<_> = slopes.into_iter().zip(&system.force).map(|(slope, force)| slope + *force).collect();
    let depends = |list: &[Expr<'_>], on: &[Expr<'_>]| g.depend_on(list, on).contains(&true);
    !depends(&masses, &system.v)
        && !depends(&momenta, &[&system.q[..], &[system.t]].concat())
        && !depends(&forces, &system.v)
}

//! Symplectic methods for singular Lagrangians: partitioned collocation in canonical coordinates of W_f.
//!
//! Where as many coordinates x have a velocity in the Lagrangian as W_f has dimensions by two, x and p = ∂L/∂x' are coordinates of W_f, and
//! the action Σ p dx − H dt says that they are canonical: x' = v, p' = ∂L/∂x. The action of a step by a quadrature rule, with x a
//! polynomial of as many degrees as the rule has nodes and a momentum of its own at each, is stationary where x is collocated at the nodes
//! and p is led by the coefficients that make the pair symplectic: collocation for Gauss nodes, the methods of Euler and Störmer–Verlet,
//! Lobatto IIIA–IIIB. A velocity whose momentum is a function of other coordinates is first taken out of the Lagrangian, by a total time
//! derivative.

use extremal_expr::Expr;

use super::SchemeError;
use super::builder::SchemeBuilder;
use super::collocation::Collocation;
use super::flow::{phase_guards, phase_state};
use super::scheme::{Equation, Scheme};
use crate::System;
use crate::block::{Meaning, Solve};
use crate::manifold::FinalManifold;

/// The step of these coefficients in canonical coordinates; the state is (q, v).
///
/// # Errors
/// W_f has no canonical coordinates of this kind.
pub(super) fn canonical<'g>(
    system: &System<'g>,
    manifold: &FinalManifold<'g>,
    mut method: Collocation<'_, 'g>,
    name: String,
) -> Result<Scheme, SchemeError> {
    let stages = method.len();
    let Some(pairs) = CanonicalPairs::of(system, manifold) else { return Err(SchemeError::NotCanonical(name)) };
    let (g, chart) = (system.graph, manifold.coordinates(system));
    let (x, p) = (pairs.x.clone(), system.restricted(&pairs.p));
    let here = [&x[..], &p].concat();
    let rates = system.restricted(&[pairs.velocities, pairs.forces].concat());
    let symbols = |suffix: &str| -> Vec<Expr<'g>> {
        (1..=chart.len()).map(|at| system.symbol(&format!("z{at}{suffix}"))).collect()
    };
    let (at_stages, end) = (method.symbols(symbols), symbols("_end"));
    let at = |fs: &[Expr<'g>], z: &[Expr<'g>], t: Expr<'g>| {
        let mut rules: Vec<_> = chart.iter().copied().zip(z.iter().copied()).collect();
        rules.push((system.t, t));
        g.substitute(fs, &rules)
    };
    let times: Vec<_> = (0..stages).map(|i| method.time(i)).collect();
    let slopes: Vec<_> = at_stages.iter().zip(&times).map(|(z, t)| at(&rates, z, *t)).collect();
    let led = |reached: Vec<Expr<'g>>, wanted: Vec<Expr<'g>>| -> Vec<Expr<'g>> {
        reached.into_iter().zip(wanted).map(|(reached, wanted)| reached - wanted).collect()
    };
    let (moved, pushed): (Vec<_>, Vec<_>) =
        slopes.iter().map(|all| (all[..x.len()].to_vec(), all[x.len()..].to_vec())).unzip();
    let mut residuals = Vec::new();
    for i in 0..stages {
        let wanted = [method.at_stage(i, &x, &moved), method.at_partner_stage(i, &p, &pushed)].concat();
        residuals.push(led(at(&here, &at_stages[i], times[i]), wanted));
    }
    let after = system.t + system.step();
    let wanted = method.at_end(&here, &slopes);
    let last = led(at(&here, &end, after), wanted);

    let names: Vec<String> = chart.iter().map(|symbol| symbol.to_string()).collect();
    let meanings = || names.iter().cloned().map(Meaning::Next);
    let labels: Vec<String> =
        pairs.names.iter().cloned().chain(pairs.names.iter().map(|name| format!("p_{name}"))).collect();
    let mut equations = Vec::new();
    for (i, rows) in (1..).zip(&residuals) {
        let rows = labels.iter().zip(rows);
        equations.extend(rows.map(|(name, row)| Equation::new(format!("stage {i} of {name}"), g.int(0), *row)));
    }
    equations.extend(labels.iter().zip(&last).map(|(name, row)| Equation::new(format!("next {name}"), g.int(0), *row)));
    let guess: Vec<Expr<'g>> = chart.iter().copied().cycle().take(stages * chart.len()).collect();
    let inner = Solve::new(&at_stages.concat(), &residuals.concat(), &guess)
        .meaning((0..stages).flat_map(|_| meanings()).collect::<Vec<_>>());
    let outer = Solve::new(&end, &last, at_stages.last().unwrap_or(&chart)).meaning(meanings());
    let next = at(&system.restricted(&phase_state(system)), &end, after);
    Ok(Scheme {
        guards: phase_guards(system),
        equations,
        note: "One step on the final constraint submanifold at t, by collocation in canonical coordinates.".to_owned(),
        constants: method.constants.into_named(),
        ..SchemeBuilder::of_velocities(system).step(name, vec![inner, outer], &next)
    })
}

/// Coordinates x, momenta p and their rates: x' and ∂L/∂x with forces.
struct CanonicalPairs<'g> {
    names: Vec<String>,
    x: Vec<Expr<'g>>,
    p: Vec<Expr<'g>>,
    velocities: Vec<Expr<'g>>,
    forces: Vec<Expr<'g>>,
}

impl<'g> CanonicalPairs<'g> {
    /// Of the coordinates, and of the multipliers that are coordinates as well.
    fn of(system: &System<'g>, manifold: &FinalManifold<'g>) -> Option<CanonicalPairs<'g>> {
        let g = system.graph;
        let reacts = system.constraints.iter().any(|constraint| constraint.kind.nature().reacts);
        if reacts || !system.heat.is_empty() || !system.accounts().is_empty() {
            return None;
        }
        let half = manifold.coordinates(system).len();
        let mut lagrangian = system.lagrangian;
        let momenta = |lagrangian: Expr<'g>| g.gradient(lagrangian, &system.v);
        let mut p = momenta(lagrangian);
        let moving = |p: &[Expr<'g>]| (0..p.len()).filter(|j| !p[*j].is_zero()).collect::<Vec<usize>>();
        // From the last on, so that the first coordinates keep their velocities.
        for j in (0..system.len()).rev() {
            let with = moving(&p);
            if 2 * with.len() <= half {
                break;
            }
            let without: Vec<Expr<'g>> =
                (0..system.len()).filter(|k| *k == j || !with.contains(k)).map(|k| system.q[k]).collect();
            if p[j].is_zero() || p[j].depends_on(&[&system.v[..], &without].concat()) {
                continue;
            }
            lagrangian = lagrangian - system.time_derivative(&[p[j] * system.q[j]])[0];
            p = momenta(lagrangian).into_iter().map(|momentum| g.simplified(momentum)).collect();
        }
        let with = moving(&p);
        let slopes = g.gradient(lagrangian, &system.q);
        let pick = |all: &[Expr<'g>]| with.iter().map(|j| all[*j]).collect::<Vec<_>>();
        let forces: Vec<Expr<'g>> = slopes.iter().zip(&system.force).map(|(slope, force)| *slope + *force).collect();
        // What acts on a coordinate without a momentum is no part of the symplectic form.
        let canonical =
            2 * with.len() == half && (0..system.len()).all(|j| with.contains(&j) || system.force[j].is_zero());
        canonical.then(|| CanonicalPairs {
            names: with.iter().map(|j| system.names[*j].clone()).collect(),
            x: system.restricted(&pick(&system.q)),
            p: pick(&p),
            velocities: pick(&system.v),
            forces: pick(&forces),
        })
    }
}

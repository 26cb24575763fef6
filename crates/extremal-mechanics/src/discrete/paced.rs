//! Steps that are not alike in time: as long as a pace σ(q) says, with what makes equal steps worth while.
//!
//! In a time s with dt = σ ds the steps are equal. Symmetric pacing carries the density ρ of steps, ρ = 1/σ at the start, by a rule that
//! reads the same backward, and takes each step of the method over the time h/ρ. Symplectic pacing takes the steps of the method for
//! σ (L(q, q'/σ) + E), whose Hamiltonian is σ (H − E): with E the energy of the start it has the same motion in the time s, and t runs by
//! the derivative of its action by E.

use extremal_expr::{Expr, Id, Relation};
use extremal_model::{Composition, CompositionBase, Method, Pacing, Start};

use super::action::DiscreteAction;
use super::builder::SchemeBuilder;
use super::composition::fractions;
use super::scheme::{Equation, Scheme, SchemeGuard, ids};
use super::{Options, SchemeError, galerkin_of, scheme};
use crate::System;
use crate::block::{Block, Solve};

/// The scheme of `method` for `system` with steps that follow the pace σ(q).
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{System, discrete::{Options, paced}};
/// use extremal_model::Pacing;
/// let g = Graph::new();
/// let (x, v) = (g.symbol("x"), g.symbol("x'"));
/// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(4) / 4);
/// let pace = (x.powi(2) + 1).powi(-1);
/// let verlet = paced(&oscillator, &"trapezoidal".parse()?, Options::default(), pace, Pacing::Symmetric)?;
/// // What was explicit with equal steps is so with these.
/// assert!(verlet.step.eliminated(&g).solves.is_empty());
/// assert_eq!(verlet.state.len(), 2 + 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where such steps, or these, are not defined.
pub fn paced<'g>(
    system: &System<'g>,
    method: &Method,
    options: Options,
    pace: Expr<'g>,
    pacing: Pacing,
) -> Result<Scheme, SchemeError> {
    check(system, method, options, pacing)?;
    match pacing {
        Pacing::Even => scheme(system, method, options, None),
        Pacing::Symmetric => Ok(symmetric(system, scheme(system, method, options, None)?, pace)),
        Pacing::Symplectic => symplectic(system, method, options, pace),
    }
}

/// Refuses what has no steps by a pace.
fn check(system: &System<'_>, method: &Method, options: Options, pacing: Pacing) -> Result<(), SchemeError> {
    let symplectic = pacing == Pacing::Symplectic;
    let forced = system.force.iter().any(|force| !force.is_zero());
    let timed = system.lagrangian.depends_on(&[system.t]);
    let carried = !system.carried().is_empty();
    let refused = [
        (system.is_empty(), "without coordinates"),
        (system.order > 1 || system.flow.is_some(), "for a Lagrangian with accelerations, nor from momenta"),
        (system.manifold.is_some(), "for a singular Lagrangian"),
        (!system.cyclic.is_empty(), "for a reduction by cyclic coordinates"),
        (!system.dry.is_empty(), "under dry friction"),
        (system.vakonomic().next().is_some(), "under vakonomic constraints"),
        (options.start != Start::Legendre, "from two positions: a start has velocities"),
        (
            symplectic && forced,
            "under forces where they are `symplectic`, by a constant energy: use `pacing = \"symmetric\"`",
        ),
        (
            symplectic && timed,
            "with the time in the Lagrangian where they are `symplectic`: use `pacing = \"symmetric\"`",
        ),
        (symplectic && carried, "with entropies or states where they are `symplectic`: use `pacing = \"symmetric\"`"),
        (
            symplectic && !system.constraints.is_empty(),
            "under constraints where they are `symplectic`: use `pacing = \"symmetric\"`",
        ),
    ];
    if let Some((_, place)) = refused.into_iter().find(|(applies, _)| *applies) {
        return Err(SchemeError::Unpaced(place.to_owned()));
    }
    let (defined, what) = match pacing {
        Pacing::Even => (true, ""),
        Pacing::Symmetric => (is_symmetric(method), "is not symmetric"),
        Pacing::Symplectic => (of_action(method).is_some(), "is not one discrete action"),
    };
    match defined {
        true => Ok(()),
        false => Err(SchemeError::Unpaced(format!(
            "for `{method}`, which {what}: use `midpoint`, `trapezoidal`, `galerkin(s)` or a composition of these"
        ))),
    }
}

/// Are steps of the method undone by steps backward?
fn is_symmetric(method: &Method) -> bool {
    match method {
        Method::Midpoint
        | Method::Trapezoidal
        | Method::Galerkin { .. }
        | Method::Gauss(_)
        | Method::EnergyEntropy(_)
        | Method::EnergyEntropyMomentum => true,
        Method::Compose { base, .. } => *base != CompositionBase::WisdomHolman,
        _ => false,
    }
}

/// The method that has one discrete action, with the composition of its steps.
fn of_action(method: &Method) -> Option<(Method, Option<Composition>)> {
    match method {
        Method::Compose { composition, base: CompositionBase::Midpoint } => {
            Some((Method::Midpoint, Some(*composition)))
        }
        Method::Compose { composition, base: CompositionBase::Trapezoidal } => {
            Some((Method::Trapezoidal, Some(*composition)))
        }
        method => galerkin_of(method).map(|_| (method.clone(), None)),
    }
}

/// Steps of a scheme over the times h/ρ, ρ carried by a rule that reads the same backward.
fn symmetric<'g>(system: &System<'g>, base: Scheme, pace: Expr<'g>) -> Scheme {
    let (g, n, t, h) = (system.graph, system.len(), system.t, system.step());
    let [rho, rate] = ["rho", "rho_rate"].map(|name| system.symbol(name));
    let change = -g.dot(&g.gradient(pace, &system.q), &system.v) / pace;
    let middle = rho + h * rate / 2;
    let length = h / middle;
    let over = |list: &[Id]| g.substitute(&g.exprs(list), &[(h, length)]);
    let next = over(&base.step.outputs);
    let mut solves: Vec<Solve> = base.step.solves.iter().map(|solve| replaced(solve, &over)).collect();

    // The velocities after the step, as they are observed there.
    let velocities = g.exprs(&base.observe.outputs[..n]);
    let guess = g.exprs(&base.observe.inputs[base.state.len() + 1..]);
    let mut rules: Vec<_> = g.exprs(&base.state).into_iter().zip(next.iter().copied()).collect();
    rules.push((t, t + length));
    rules.extend((0..n).filter(|k| guess.len() > *k).map(|k| (guess[k], (next[k] - system.q[k]) / length)));
    let unknowns = base.observe.solves.iter().flat_map(|solve| g.exprs(&solve.unknowns));
    // No name of a user's has a space in it.
    let renamed: Vec<_> = unknowns.map(|unknown| (unknown, g.symbol(&format!("{unknown} after the step")))).collect();
    rules.retain(|(from, _)| renamed.iter().all(|(unknown, _)| unknown != from));
    rules.extend(&renamed);
    let after = |list: &[Id]| g.substitute(&g.exprs(list), &rules);
    let needed = |solve: &&Solve| g.depend_on(&velocities, &g.exprs(&solve.unknowns)).contains(&true);
    solves.extend(base.observe.solves.iter().filter(needed).map(|solve| replaced(solve, &after)));
    let there: Vec<_> = (system.q.iter().copied().zip(next.iter().copied()))
        .chain(system.v.iter().copied().zip(g.substitute(&velocities, &rules)))
        .collect();
    let rate_after = change.substitute(&there);

    let mut guards: Vec<SchemeGuard> = (base.guards.iter())
        .map(|guard| SchemeGuard { label: guard.label.clone(), condition: over(&[guard.condition])[0].id() })
        .collect();
    guards.push(SchemeGuard {
        label:
            "the density of steps stays positive, 1/pace changing by a part of itself in a step: take a smaller step"
                .to_owned(),
        condition: g.compare(Relation::Lt, g.int(0), middle).id(),
    });
    let [half, rho_next] = ["rho_mid", "rho_next"].map(|name| system.symbol(name));
    let mut equations = vec![
        Equation::new("density of steps in the middle of one", half, middle),
        Equation::new("time that the step takes", system.symbol("t_1") - t, h / half),
        Equation::new("change of the density", rate, change),
        Equation::new("density after the step, at the new rate", rho_next, half + h * rate / 2),
    ];
    equations.extend(base.equations.iter().cloned());
    let note = format!("{} Its size is the time that the step takes, not {h}.", base.note);
    let outputs = [&next[..], &[middle + h * rate_after / 2, rate_after, t + length]].concat();
    let step = Block { solves, outputs: ids(&outputs), ..base.step.clone() };
    let carried = [(rho, pace.powi(-1)), (rate, change), (t, t)];
    carrying(system, Scheme { step, guards, equations, note, ..base }, &carried)
}

/// The steps of a variational method for σ (L(q, q'/σ) + E).
fn symplectic<'g>(
    system: &System<'g>,
    method: &Method,
    options: Options,
    pace: Expr<'g>,
) -> Result<Scheme, SchemeError> {
    let (g, t, h) = (system.graph, system.t, system.step());
    let name = method.to_string();
    let refused = || SchemeError::Unpaced(format!("for `{name}`"));
    let (single, composition) = of_action(method).ok_or_else(refused)?;
    let (degree, rule) = galerkin_of(&single).ok_or_else(refused)?;
    let energy = system.symbol("E");
    let slowed: Vec<_> = system.v.iter().map(|v| (*v, *v / pace)).collect();
    let transformed = system.with_lagrangian(pace * (system.lagrangian.substitute(&slowed) + energy));
    let action = DiscreteAction::galerkin(&transformed, degree, &rule, options.entropy);
    let [elapsed, printed] =
        [&action.incremental, &action.nodal].map(|formula| g.gradient(formula.action, &[energy])[0]);
    let base = action.scheme(&transformed, name.clone(), options);

    let mut equations = base.equations;
    equations.push(Equation::new("time that the step takes", system.symbol("t_1") - t, printed));
    equations.push(Equation::new("energy of the start", energy, system.energy()));
    let mut guards = base.guards;
    guards.push(SchemeGuard {
        label: "time goes on: the pace stays positive".to_owned(),
        condition: g.compare(Relation::Lt, g.int(0), elapsed / h).id(),
    });
    // Where the next state is first looked for is said by the velocities in the time of the steps.
    let faster: Vec<_> = system.v.iter().map(|v| (*v, *v * pace)).collect();
    let solves = base
        .step
        .solves
        .into_iter()
        .map(|solve| Solve { guess: ids(&g.substitute(&g.exprs(&solve.guess), &faster)), ..solve });
    let next = [&g.exprs(&base.step.outputs)[..], &[t + elapsed, energy]].concat();
    let scheme = Scheme {
        constants: base.constants,
        guards,
        equations,
        note: format!("{} L_d is that of σ (L + E) in a time that runs 1/σ as fast.", base.note),
        substeps: composition.map_or_else(|| vec![1.0], fractions),
        ..SchemeBuilder::of_momenta(system).step(name, solves.collect(), &next)
    };
    Ok(carrying(system, scheme, &[(t, t), (energy, system.energy())]))
}

fn replaced<'g>(solve: &Solve, by: &impl Fn(&[Id]) -> Vec<Expr<'g>>) -> Solve {
    let there = |list: &[Id]| ids(&by(list));
    Solve {
        unknowns: there(&solve.unknowns),
        residual: there(&solve.residual),
        guess: there(&solve.guess),
        stages: None,
        ..solve.clone()
    }
}

/// The scheme with further symbols in its state, the time of the motion among them; its steps are in a time of its own.
fn carrying<'g>(system: &System<'g>, mut scheme: Scheme, carried: &[(Expr<'g>, Expr<'g>)]) -> Scheme {
    let (symbols, at_start): (Vec<_>, Vec<_>) = carried.iter().copied().unzip();
    let own = system.symbol("step_time").id();
    let end = scheme.state.len();
    // The time stands behind the state.
    for inputs in [&mut scheme.step.inputs, &mut scheme.observe.inputs] {
        inputs.splice(end..=end, ids(&symbols).into_iter().chain([own]));
    }
    scheme.state.extend(ids(&symbols));
    scheme.start.outputs.extend(ids(&at_start));
    scheme.time = own;
    scheme.time_in_state = scheme.state.iter().position(|symbol| *symbol == system.t.id());
    scheme
}

//! Findings as sentences, for the printed sections and for messages.

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::analysis::{
    ChainVerdict, ConservedQuantity, ControlRegularity, FamilyKind, Proof, Regularity, Symmetry, Theorem,
};

use extremal_mechanics::geometry::IdentityVerdict;

use super::geometry_sections::proved;
use super::{Equilibrium, LiftedSymmetry, NoEquilibrium, Preservation, Preserved, Stability, StatedSymmetry};

/// What a singular Lagrangian comes to, in a sentence; `None` for a regular one.
pub(crate) fn singular_verdict(seen: &Regularity<'_>) -> Option<String> {
    if seen.is_regular() {
        return None;
    }
    let Some(chain) = &seen.chain else {
        return Some("the constraint algorithm was not tried on a system of this size".to_string());
    };
    let constraints: Vec<String> =
        chain.rounds.iter().flatten().map(|constraint| format!("{} = 0", constraint.text().limit(60))).collect();
    let on = match (constraints.is_empty(), seen.final_dimension) {
        (true, _) => "every state".to_string(),
        (false, Some(dimension)) => {
            format!("the states with {} (dimension {dimension} of {})", constraints.join(", "), seen.state_dimension)
        }
        (false, None) => format!("states with {}", constraints.join(", ")),
    };
    Some(match &chain.verdict {
        ChainVerdict::Unique => format!("there is a motion through {on}, and only one"),
        ChainVerdict::NotUnique => {
            let free: Vec<String> = chain.free.iter().map(Expr::to_string).collect();
            let verb = if free.len() == 1 { "stays" } else { "stay" };
            format!("there are motions through {on}, and they are not unique: {} {verb} free", free.join(", "))
        }
        ChainVerdict::NoMotion { contradiction } => {
            format!("there is no motion: {} would have to vanish and does not", contradiction.text().limit(60))
        }
        ChainVerdict::Undecided { constraint } => format!(
            "it is not known which states have a motion: {} = 0 could not be solved for a variable",
            constraint.text().limit(60)
        ),
    })
}

/// The documents that sentences name by short names, by author and title as far as these are known.
const SOURCES: [(&str, &str); 3] = [
    (
        "[VC]",
        "thesis on vakonomic mechanics, Lagrangians of higher order and optimal control of underactuated systems (in Spanish)",
    ),
    ("[TT]", "Sistemas termomecánicos lagrangianos, a thesis on them in continuous and in discrete time (in Spanish)"),
    (
        "[TP]",
        "J. Bajo, M. de León, A. López-Gordón, Geometric integrators for adiabatically closed simple thermodynamic systems, arXiv:2511.14154",
    ),
];

/// What is cited in a text.
pub(super) fn sources(text: &str) -> Vec<String> {
    let cited = SOURCES.iter().filter(|(short, _)| text.contains(short));
    cited.map(|(short, source)| format!("{short} {source}")).collect()
}

pub(super) fn control(seen: &ControlRegularity) -> String {
    let condition = if seen.reach.is_some() { "[VC] 6.1" } else { "[VC] 7.9" };
    let ranks = format!("rank {} of {} ({condition})", seen.rank, seen.controls);
    match seen.is_regular() {
        true => format!(
            "the cost determines the controls: {ranks}; one optimal motion through each of {} dimensions of states and adjoints",
            seen.state_dimension
        ),
        false => format!("the cost alone does not determine the controls: {ranks}; only their bounds can"),
    }
}

/// Whether extremals can be abnormal, as far as the rates of the states tell.
pub(super) fn abnormal((rank, states): (usize, usize)) -> String {
    match rank == states {
        true => format!(
            "no abnormal extremals where the derivatives of the rates by the controls have their rank {rank}: the costate would vanish"
        ),
        false => format!(
            "abnormal extremals are not excluded: the derivatives of the rates by the controls have rank {rank} of {states}; `solve` \
             examines the extremals that it finds"
        ),
    }
}

pub(super) fn family(kind: FamilyKind) -> &'static str {
    match kind {
        FamilyKind::Affine => "products of momenta with coordinates and time",
        FamilyKind::Curvilinear => "products with functions of velocity constraints and of cyclic angles",
    }
}

pub(super) fn theorem(theorem: Theorem) -> &'static str {
    match theorem {
        Theorem::Noether => "Noether",
        Theorem::ForcedMomentum => "Noether with forces, [TP] theorem 3",
        Theorem::ForcedGeneral => "Noether with forces, [TP] proposition 5",
        Theorem::FirstLaw => "first law",
    }
}

pub(super) fn symmetry(system: &System<'_>, symmetry: &Symmetry<'_>) -> String {
    let components = |generator: &[extremal_expr::Expr<'_>]| {
        let parts = system.names.iter().zip(generator).filter(|(_, x)| !x.is_zero());
        parts.map(|(name, x)| format!("{name} = {}", x.text().limit(60))).collect::<Vec<_>>().join(", ")
    };
    match symmetry {
        Symmetry::Time => "shift of time".to_string(),
        Symmetry::Point { generator, gauge } if gauge.is_zero() => format!("generator {}", components(generator)),
        Symmetry::Point { generator, gauge } => {
            format!("generator {} with f = {}", components(generator), gauge.text().limit(60))
        }
        Symmetry::Hidden { generator } => format!("hidden symmetry {}", components(generator)),
    }
}

pub(super) fn proof(quantity: &ConservedQuantity<'_>) -> String {
    let known = match quantity.proof {
        Proof::Symbolic => "proved by algebra".to_string(),
        Proof::Sampled { states } => format!("rate exactly zero at {states} random states"),
    };
    match quantity.general {
        true => known,
        false => format!("{known}, for these values of the parameters"),
    }
}

pub(super) fn preserved(preserved: &Preserved, method: &str) -> String {
    let noether = if preserved.noether { ", as the discrete Noether condition says" } else { "" };
    match preserved.preservation {
        Preservation::Exact => format!("{method} keeps it to round-off{noether}"),
        Preservation::Order(order) => format!("{method} keeps it to order {order:.1} in the step"),
        Preservation::Unclear => format!("{method} changes it by at most {:.1e} on a short run", preserved.drift),
    }
}

pub(super) fn stability(equilibrium: &Equilibrium) -> &'static str {
    match equilibrium.stability {
        Stability::Asymptotic => "asymptotically stable: all modes decay",
        Stability::Stable => "stable: the potential energy has a minimum",
        Stability::Neutral if equilibrium.gyroscopic => {
            "no mode grows, held by gyroscopic terms without a minimum of the energy: stable in linear approximation"
        }
        Stability::Neutral => "no mode grows, and the linear motion does not decide",
        Stability::Unstable => "unstable: a mode grows",
        Stability::TimeDependent => {
            "the linear motion contains the time: it has no modes, and nothing is said about stability"
        }
    }
}

pub(super) fn no_equilibrium(reason: NoEquilibrium) -> String {
    match reason {
        NoEquilibrium::NotFound { starts } => format!("none found by Newton's method from {starts} starts"),
        NoEquilibrium::Driven => "none: the forces at rest contain the time".to_string(),
        NoEquilibrium::Moving => "none: a constraint moves".to_string(),
        NoEquilibrium::Warming => {
            "none with the entropies of the start: heat still flows when nothing moves".to_string()
        }
    }
}

/// Why a stated symmetry has no quantity.
pub(super) fn no_quantity(symmetry: &StatedSymmetry<'_>) -> &'static str {
    match symmetry.lifted.as_ref().map(|lifted| lifted.closed) {
        None => "not defined beside accelerations",
        Some(IdentityVerdict::Failed) => "none, L_X θ is not closed and no df",
        Some(_) => "not known, no f with df = L_X θ was found",
    }
}

/// What was found of a symmetry of velocities and entropies.
pub(super) fn lifted(seen: &LiftedSymmetry<'_>) -> Vec<String> {
    let function = seen.function.map_or(String::new(), |f| format!(", f = {}", f.text().limit(60)));
    let mut sentences = vec![
        format!("L_X θ is closed: {}{function}", proved(seen.closed)),
        format!("X(E) + η(X) - F_ext(X) = 0 ([TP] proposition 5): {}", proved(seen.condition)),
    ];
    sentences.extend(
        seen.canonical
            .map(|verdict| format!("both in positions and momenta ([TP] proposition 4): {}", proved(verdict))),
    );
    sentences
}

//! Methods that have nothing in common but the motion converge to it: `midpoint`, `galerkin(3)` and `compose(kahan-li8, midpoint)`
//! against `dop853`, with steps halved until the difference is at the floor of both.
//!
//! `midpoint` gets there by extrapolation: it is symmetric, so its error is a series in h², and eliminating the first powers
//! (Romberg's table) leaves numbers that no longer show the order, only the limit.

use std::collections::BTreeMap;

use extremal_engine::model::{EntropyBase, Extent};
use extremal_engine::trajectory::Role;
use extremal_engine::{Method, Model, Settings};

use crate::motion::{NoMotion, Reference, run};
use crate::random::random_models;
use crate::smooth_gallery_models;
use crate::source::Source;

/// How far to go, in steps of the model.
const STEPS: f64 = 16.0;
const TOLERANCE: f64 = 1e-13;
/// What `dop853` and the finest steps may leave, in tolerances of `dop853` times the growth of errors along the motion: both it and
/// round-off of up to 256 steps are within a few tens.
const FLOOR: f64 = 100.0 * TOLERANCE;
/// Halvings before a method counts as one that does not arrive.
const HALVINGS: u32 = 7;

type End = BTreeMap<String, f64>;

/// Positions, velocities and entropies at the end of a run.
fn end(source: &Source, method: &str, steps: u64) -> Result<End, NoMotion> {
    let model = source.model();
    let span = STEPS * Settings::of(&model).step.unwrap();
    let settings = Settings {
        method: method.parse().unwrap(),
        step: Some(span / steps as f64),
        // Entropies at one end of the step make a method of order 1, which is not symmetric.
        entropy: EntropyBase::Midpoint,
        ..source.settings(&model, steps)
    };
    let motion = run(&model, &settings)?;
    let state = motion.columns.iter().filter(|(_, (role, _))| is_state(*role));
    Ok(state.map(|(name, (_, values))| (name.clone(), *values.last().unwrap())).collect())
}

fn is_state(role: Role) -> bool {
    matches!(role, Role::Coordinate | Role::Velocity | Role::Entropy | Role::Amount | Role::State)
}

/// The largest difference of two ends in units of the floor.
fn distance(reference: &Reference, exact: &End, other: &End) -> f64 {
    let floor = |name: &String| FLOOR * reference.growth(name);
    exact.iter().fold(0.0, |largest, (name, x)| {
        let share = (x - other[name]).abs() / floor(name);
        if share > largest || share.is_nan() { share } else { largest }
    })
}

/// The exact motion: `dop853` with the growth of errors along it.
fn exact(source: &Source) -> Result<(Reference, End), NoMotion> {
    let settings = |model: &Model| {
        let step = Settings::of(model).step.unwrap();
        let extent = Some(Extent::Until(STEPS * step));
        Settings {
            method: Method::Dop853,
            tolerance: Some(TOLERANCE),
            extent,
            step: Some(STEPS * step),
            ..Settings::of(model)
        }
    };
    let reference = Reference::of(source, &settings)?;
    let columns = reference.motion.columns.iter().filter(|(_, (role, _))| is_state(*role));
    let end = columns.map(|(name, (_, values))| (name.clone(), *values.last().unwrap())).collect();
    Ok((reference, end))
}

/// The distances of a method with the steps halved until it arrives, or until it is clear that it does not.
fn approach(source: &Source, method: &str, exact: &(Reference, End)) -> Result<Vec<f64>, NoMotion> {
    let mut distances = Vec::new();
    for halving in 0..=HALVINGS {
        distances.push(distance(&exact.0, &exact.1, &end(source, method, 4 << halving)?));
        if distances.last().is_some_and(|d| *d <= 1.0) {
            break;
        }
    }
    Ok(distances)
}

/// The same for a symmetric method of order 2, with Romberg's table built over the halvings.
fn approach_by_extrapolation(source: &Source, method: &str, exact: &(Reference, End)) -> Result<Vec<f64>, NoMotion> {
    let mut distances = Vec::new();
    let mut row: Vec<End> = Vec::new();
    for halving in 0..=HALVINGS {
        let mut next = vec![end(source, method, 4 << halving)?];
        for (power, coarse) in (1..).zip(&row) {
            let weight = 4f64.powi(power);
            let fine = &next[next.len() - 1];
            next.push(fine.iter().map(|(name, x)| (name.clone(), x + (x - coarse[name]) / (weight - 1.0))).collect());
        }
        row = next;
        distances.push(distance(&exact.0, &exact.1, &row[row.len() - 1]));
        if distances.last().is_some_and(|d| *d <= 1.0) {
            break;
        }
    }
    Ok(distances)
}

fn shown(distances: &[f64]) -> String {
    distances.iter().map(|d| format!("{d:.1e}")).collect::<Vec<_>>().join(", ")
}

/// What does not converge, and how many methods accepted their model.
fn divergences(models: &[(String, Source)]) -> (Vec<String>, usize) {
    let (mut found, mut accepted) = (Vec::new(), 0);
    for (name, source) in models {
        let exact = exact(source).unwrap_or_else(|none| panic!("{name}: {none}"));
        for method in ["midpoint", "galerkin(3)", "compose(kahan-li8, midpoint)"] {
            let approach = if method == "midpoint" { approach_by_extrapolation } else { approach };
            match approach(source, method, &exact) {
                Ok(distances) if distances.last().is_some_and(|d| *d <= 1.0) => accepted += 1,
                Ok(distances) => found.push(format!("{name}, {method}: {}", shown(&distances))),
                Err(NoMotion::Failed(failure)) => found.push(format!("{name}, {method}: {failure}")),
                Err(NoMotion::Refused(_)) => {}
            }
        }
    }
    (found, accepted)
}

#[test]
fn methods_converge_to_one_another_on_the_gallery() {
    let (found, accepted) = divergences(&smooth_gallery_models());
    assert!(found.is_empty(), "{} do not converge:\n{}", found.len(), found.join("\n"));
    assert!(accepted >= 90, "{accepted}");
}

#[test]
fn methods_converge_to_one_another_on_random_models() {
    let (found, accepted) = divergences(&random_models());
    assert!(found.is_empty(), "{} do not converge:\n{}", found.len(), found.join("\n"));
    assert!(accepted >= 500, "{accepted}");
}

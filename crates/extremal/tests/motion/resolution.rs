//! Steps that do not follow the motion are said: singularities that a step would jump over stop the run, motions that go on but are
//! not resolved are warned of, and those that are resolved are left alone.

use extremal::run::{End, Warning};
use extremal::solve::Reason;
use extremal::{Model, gallery};

use crate::support::{Recorded, model, record, record_text, with};

const METHODS: [&str; 9] = [
    "left",
    "midpoint",
    "trapezoidal",
    "galerkin(2)",
    "galerkin(3)",
    "rk4",
    "gauss(2)",
    "compose(yoshida4, trapezoidal)",
    "compose(suzuki4, midpoint)",
];

fn one_coordinate(lagrangian: &str, start: f64, velocity: f64, until: f64) -> Model {
    model(&format!(
        r#"
        [coordinates]
        x = {{ start = {start}, velocity = {velocity} }}
        [dynamics]
        lagrangian = "{lagrangian}"
        [simulation]
        step = 0.01
        until = {until}
        "#
    ))
}

/// The run ends before or at most a few steps after `time`, at which there is no motion any more.
fn assert_stops_at(run: &Recorded, time: f64, step: f64, what: &str) {
    let End::Failed(failure) = &run.outcome.end else { panic!("{what}: {:?}", run.outcome.end) };
    // Errors of the method move the singularity by no more than the steps that do not resolve it.
    assert!((failure.time - time).abs() <= 4.0 * step, "{what}: {failure}, expected {time}");
    if let Reason::Singularity { time: found, .. } = &failure.reason {
        assert!((found - time).abs() <= 4.0 * step, "{what}: {failure}, expected {time}");
    }
}

/// Free fall from rest at x = 1 into 1/x² reaches the centre at π/(2√2).
#[test]
fn a_fall_into_a_centre_ends_there_with_every_method() {
    let fall = one_coordinate("x'^2/2 + 1/x", 1.0, 0.0, 3.0);
    let collision = std::f64::consts::PI / 8f64.sqrt();
    for method in METHODS.iter().chain(&["energy-entropy", "energy-entropy(2)"]) {
        for step in [0.01, 0.017, 0.05] {
            let run = record(&fall, &with(&fall, method, step));
            assert_stops_at(&run, collision, step, &format!("{method} {step}"));
        }
    }
}

/// x'' = x² from x = 1, x' = √(2/3) has the energy zero: x = (1 − t/√6)⁻² grows beyond all bounds at t = √6.
#[test]
fn a_motion_that_blows_up_ends_when_it_does() {
    let blow_up = one_coordinate("x'^2/2 + x^3/3", 1.0, (2f64 / 3.0).sqrt(), 5.0);
    for method in METHODS.iter().chain(&["energy-entropy", "energy-entropy(2)"]) {
        let run = record(&blow_up, &with(&blow_up, method, 0.02));
        assert_stops_at(&run, 6f64.sqrt(), 0.02, method);
    }
}

/// With the mass 1 − t the velocity is 1/(1 − t); with 1 − x it is (1 − x)^(-1/2), and x = 1 is reached at t = 2/3.
#[test]
fn a_mass_that_passes_zero_ends_the_motion() {
    for (mass, time) in [("(1 - t)", 1.0), ("(1 - x)", 2.0 / 3.0)] {
        let vanishing = one_coordinate(&format!("{mass}*x'^2/2"), 0.0, 1.0, 3.0);
        for method in METHODS {
            let run = record(&vanishing, &with(&vanishing, method, 0.03));
            assert_stops_at(&run, time, 0.03, &format!("{mass} {method}"));
        }
    }
}

fn kepler(eccentricity: f64) -> Model {
    let text = gallery::text("kepler").unwrap();
    Model::from_toml(&text.replace("eccentricity = 0.6", &format!("eccentricity = {eccentricity}"))).unwrap()
}

#[test]
fn a_passage_too_fast_for_the_step_is_warned_of_with_a_step_that_resolves_it() {
    let comet = kepler(0.99);
    for method in METHODS {
        let run = record(&comet, &with(&comet, method, 0.05));
        let warning = run.outcome.warnings.iter().find_map(|warning| match warning {
            Warning::Unresolved { time, resolving, .. } => Some((*time, *resolving)),
            _ => None,
        });
        if let End::Failed(_) = run.outcome.end {
            continue;
        }
        // The orbit begins where it is fastest: r'' = 1/r² at r = 0.01 changes everything within r^(3/2) = 0.001.
        let (time, resolving) = warning.unwrap_or_else(|| panic!("{method}: {:?}", run.outcome.warnings));
        assert_eq!(time, 0.0, "{method}");
        assert!(resolving.is_some_and(|step| step < 0.005), "{method}: {resolving:?}");
    }
}

#[test]
fn a_motion_from_two_points_is_judged_like_others() {
    // A turn takes 0.28, less than three steps; there is no velocity from which another step could be tried.
    let run = record_text(
        r#"
        [coordinates]
        x = { start = 0.3, second = 0.3 }
        [dynamics]
        lagrangian = "x'^2 - 500*x^2"
        [simulation]
        method = "left"
        start = "two-points"
        step = 0.1
        until = 2
        "#,
    );
    assert!(
        run.outcome.warnings.iter().any(|warning| matches!(warning, Warning::Unresolved { .. })),
        "{:?}",
        run.outcome.warnings
    );
}

#[test]
fn resolved_motions_are_left_alone() {
    // A step of a fiftieth of r^(3/2) at the closest point, and a chaotic motion.
    let comet = kepler(0.9);
    for method in ["galerkin(2)", "galerkin(3)", "gauss(2)", "rk4", "compose(yoshida4, trapezoidal)"] {
        let run = record(&comet, &with(&comet, method, 0.02 * 0.1f64.powf(1.5)));
        assert_eq!(run.outcome.warnings, [], "{method}");
        assert_eq!(run.outcome.end, End::Reached, "{method}");
    }
    let chaos = Model::from_toml(gallery::text("double-pendulum").unwrap()).unwrap();
    for method in ["midpoint", "galerkin(2)", "gauss(2)", "energy-entropy"] {
        let run = record(&chaos, &with(&chaos, method, 0.01));
        assert_eq!(run.outcome.warnings, [], "{method}");
        assert_eq!(run.outcome.end, End::Reached, "{method}");
    }
}

//! Steps that do not follow the motion are said: singularities that a step would jump over stop the run, motions that go on but are
//! not resolved are warned of, and those that are resolved are left alone.

use extremal_engine::Model;
use extremal_engine::run::{End, Warning};
use extremal_engine::solve::Reason;
use extremal_testkit::models::model;
use extremal_testkit::runs::{RecordedRun, attempt, attempt_text, gallery, gallery_with, record, with};

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
        coordinates.x = {{ start = {start}, velocity = {velocity} }}
        dynamics.lagrangian = "{lagrangian}"
        simulation = {{ step = 0.01, until = {until} }}
        "#
    ))
}

/// Runs end before or at most a few steps after `time`, at which there is no motion any more. Gives their reasons.
fn assert_stop_at(model: &Model, methods: &[&str], steps: &[f64], time: f64) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for (method, step) in methods.iter().flat_map(|method| steps.iter().map(move |step| (method, *step))) {
        let run = attempt(model, &with(model, method, step));
        let failure = run.failure(&format!("{method} {step}"));
        // Errors of the method move the singularity by no more than the steps that do not resolve it.
        assert!((failure.time - time).abs() <= 4.0 * step, "{method} {step}: {failure}, expected {time}");
        if let Reason::Singularity { time: found, .. } = &failure.reason {
            assert!((found - time).abs() <= 4.0 * step, "{method} {step}: {failure}, expected {time}");
        }
        reasons.push(failure.reason.clone());
    }
    reasons
}

/// Free fall from rest at x = 1 into 1/x² reaches the centre at π/(2√2).
#[test]
fn a_fall_into_a_centre_ends_there_with_every_method() {
    let fall = one_coordinate("x'^2/2 + 1/x", 1.0, 0.0, 3.0);
    let collision = std::f64::consts::PI / 8f64.sqrt();
    assert_stop_at(&fall, &METHODS, &[0.01, 0.013, 0.017, 0.05], collision);
    assert_stop_at(&fall, &["energy-entropy", "energy-entropy(2)"], &[0.01, 0.017, 0.05], collision);
    // From a distance r the time is longer by r^(3/2). In steps this coarse nothing but the energy shows that the centre is passed.
    let oblique = model(
        r#"
        coordinates = { x = { start = 1 }, y = { start = 0.3 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"
        simulation = { step = 0.1, until = 3 }
        "#,
    );
    assert_stop_at(&oblique, &["rk4"], &[0.1], 1.09f64.powf(0.75) * collision);
}

fn assert_not_called_singular(run: &RecordedRun) {
    if let End::Failed(failure) = &run.outcome.end {
        assert!(!matches!(failure.reason, Reason::Singularity { .. }), "{failure}");
    }
}

/// The mass matrix of a double pendulum has an inverse everywhere: steps that lead to absurd velocities are no singularity of it.
#[test]
fn a_motion_that_became_too_fast_is_not_called_singular() {
    let heavy = gallery_with("double-pendulum", &[("g", "32.7301587")]);
    let run = attempt(&heavy, &with(&heavy, "midpoint", 0.05));
    assert!(unresolved(&run).is_some(), "{:?}", run.outcome.warnings);
    assert_not_called_singular(&run);
}

/// Nor is a spring that swings faster than the round-off of the time, although its force grows from nothing in no time.
#[test]
fn a_spring_too_fast_for_the_clock_is_not_called_singular() {
    let stiff = gallery_with("rotating-disc", &[("k", "1e30"), ("w", "1e6")]);
    let run = attempt(&stiff, &with(&stiff, "midpoint", 0.01));
    assert!(!run.outcome.warnings.is_empty());
    assert_not_called_singular(&run);
}

/// x'' = x² from x = 1, x' = √(2/3) has the energy zero: x = (1 − t/√6)⁻² grows beyond all bounds at t = √6.
#[test]
fn a_motion_that_blows_up_ends_when_it_does() {
    let blow_up = one_coordinate("x'^2/2 + x^3/3", 1.0, (2f64 / 3.0).sqrt(), 5.0);
    assert_stop_at(&blow_up, &METHODS, &[0.02], 6f64.sqrt());
    assert_stop_at(&blow_up, &["energy-entropy", "energy-entropy(2)"], &[0.02], 6f64.sqrt());
}

/// With the mass 1.04 − t the velocity is 1.04/(1.04 − t), large and then as large the other way: no step changes it by much more than
/// the one before.
#[test]
fn a_mass_that_changes_its_sign_in_coarse_steps_ends_the_motion() {
    let vanishing = one_coordinate("(1.04 - t)*x'^2/2", 0.0, 1.0, 3.0);
    let methods = ["midpoint", "trapezoidal", "galerkin(2)", "compose(suzuki4, midpoint)"];
    assert_stop_at(&vanishing, &methods, &[0.1, 0.03, 0.003], 1.04);
}

/// The determinant of so many coordinates is not watched, but their kinetic energy is.
#[test]
fn a_mass_of_many_coordinates_that_changes_its_sign_in_coarse_steps_ends_the_motion() {
    let vanishing = model(
        r#"
        coordinates.q = { count = 20, start = "i", velocity = 1 }
        dynamics.lagrangian = "sum(i, 1, 20, (1.04 - t)*q[i]'^2/2)"
        simulation = { step = 1, until = 10 }
        "#,
    );
    assert_stop_at(&vanishing, &["left", "midpoint", "trapezoidal"], &[0.69, 1.3], 1.04);
}

/// When the steps began not to resolve the motion, and a step that would.
fn unresolved(run: &RecordedRun) -> Option<(f64, Option<f64>)> {
    run.outcome.warnings.iter().find_map(|warning| match warning {
        Warning::Unresolved { time, resolving, .. } => Some((*time, *resolving)),
        _ => None,
    })
}

fn kepler(eccentricity: f64) -> Model {
    gallery_with("kepler", &[("eccentricity", &eccentricity.to_string())])
}

#[test]
fn a_passage_too_fast_for_the_step_is_warned_of_with_a_step_that_resolves_it() {
    let comet = kepler(0.99);
    for method in METHODS {
        let run = attempt(&comet, &with(&comet, method, 0.05));
        let warning = unresolved(&run);
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
fn a_passage_after_a_resolved_approach_is_warned_of_without_the_help_of_the_energy() {
    // From the far end of an orbit of eccentricity 0.99, with a force of time: no energy is conserved that could tell. The approach
    // changes much more than what was before, and is resolved; the passage after it does not grow by that much any more.
    let comet = model(
        r#"
        coordinates = { x = { start = 1.99, velocity = 0 }, y = { start = 0, velocity = 0.07088812050083358 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2) + 1e-9*t*x"
        simulation.until = 6
        "#,
    );
    for (method, step) in [("trapezoidal", 0.005), ("trapezoidal", 0.01), ("trapezoidal", 0.02), ("rk4", 0.01)] {
        let run = attempt(&comet, &with(&comet, method, step));
        let warning = unresolved(&run);
        let (time, resolving) = warning.unwrap_or_else(|| panic!("{method} {step}: {:?}", run.outcome.warnings));
        // The closest point, r = 0.01, is reached after half a period, π; there all changes within r^(3/2) = 0.001.
        assert!((time - std::f64::consts::PI).abs() < 3.0 * step, "{method} {step}: {time}");
        assert!(resolving.is_some_and(|step| step < 0.001), "{method} {step}: {resolving:?}");
    }
}

#[test]
fn what_has_come_to_rest_in_coarse_steps_is_no_cause_for_alarm() {
    // Close to the bottom of one of two wells, strongly damped: what still moves is small, and what is off by more than that is nothing.
    for start in [1e-3, 3.0] {
        let damped = model(&format!(
            r#"
            coordinates.x = {{ start = {start}, velocity = 0 }}
            dynamics.lagrangian = "x'^2/2 - (x^2 - 1)^2/4"
            forces.x = "-2*x'"
            simulation.until = 60
            "#
        ));
        let run = attempt(&damped, &with(&damped, "midpoint", 0.5));
        assert_eq!((&run.outcome.end, &run.outcome.warnings[..]), (&End::Reached, &[][..]), "from {start}");
        assert!((run.last("x").abs() - 1.0).abs() < 1e-6, "from {start}: {}", run.last("x"));
    }
}

#[test]
fn a_motion_from_two_points_is_judged_like_others() {
    // A turn takes 0.28, less than three steps; there is no velocity from which another step could be tried.
    let run = attempt_text(
        r#"
        coordinates.x = { start = 0.3, second = 0.3 }
        dynamics.lagrangian = "x'^2 - 500*x^2"
        simulation = { method = "left", start = "two-points", step = 0.1, until = 2 }
        "#,
    );
    assert!(unresolved(&run).is_some(), "{:?}", run.outcome.warnings);
}

#[test]
fn resolved_motions_are_left_alone() {
    // A step of a fiftieth of r^(3/2) at the closest point, and a chaotic motion.
    let comet = kepler(0.9);
    for method in ["galerkin(2)", "galerkin(3)", "gauss(2)", "rk4", "compose(yoshida4, trapezoidal)"] {
        let run = attempt(&comet, &with(&comet, method, 0.02 * 0.1f64.powf(1.5)));
        assert_eq!(run.outcome.warnings, [], "{method}");
        assert_eq!(run.outcome.end, End::Reached, "{method}");
    }
    let chaos = gallery("double-pendulum");
    for method in ["midpoint", "galerkin(2)", "gauss(2)", "energy-entropy"] {
        let run = attempt(&chaos, &with(&chaos, method, 0.01));
        assert_eq!(run.outcome.warnings, [], "{method}");
        assert_eq!(run.outcome.end, End::Reached, "{method}");
    }
}

/// p = (1 - t) x' is constant; x x'² is; and (x²/2)'' = 0, where the mass touches zero.
#[test]
fn a_mass_that_vanishes_is_called_so_with_every_method() {
    for (mass, velocity, at, sign) in
        [("(1 - t)", 1.0, 1.0, true), ("(2 - x)", 1.0, 2.0 / 3.0, true), ("x^2", -1.0, 0.5, false)]
    {
        let model = one_coordinate(&format!("{mass}*x'^2/2"), 1.0, velocity, 2.0);
        for method in METHODS {
            for step in [0.01, 0.013, 0.047, 0.11] {
                let run = attempt(&model, &with(&model, method, step));
                let failure = run.failure(&format!("{mass} {method} {step}"));
                match &failure.reason {
                    // A step that has no solution and is not followed by the exact motion to the end says that.
                    Reason::Solve(_) => assert_eq!(method, "left", "{mass} {step}: {failure}"),
                    Reason::SingularMass { time, bordered, crosses, .. } => {
                        // The time is that of the motion from a state that is as wrong as the method.
                        let allowed = if method == "left" { 6.0 * step } else { 2.0 * step };
                        assert!((time - at).abs() <= allowed, "{mass} {method} {step}: {failure}");
                        assert_eq!((*bordered, *crosses), (false, sign), "{mass} {method} {step}: {failure}");
                    }
                    other => panic!("{mass} {method} {step}: {other}"),
                }
            }
        }
    }
}

/// Bodies with a variable mass matrix whose determinant stays away from zero.
#[test]
fn a_mass_that_only_varies_is_no_cause_for_alarm() {
    for lagrangian in ["(2 + sin(x))*x'^2/2 - x^2/2", "(1 + x^2)*x'^2/2 - x^2/2", "exp(x)*x'^2/2 - x^2/2"] {
        let model = one_coordinate(lagrangian, 1.0, 0.5, 20.0);
        for method in METHODS {
            let run = record(&model, &with(&model, method, 0.01));
            assert_eq!(run.outcome.warnings, [], "{lagrangian} {method}");
        }
    }
}

/// At T = 1 a heat that grows with S²: S = 1/(1 - t).
#[test]
fn a_thermal_runaway_ends_at_its_pole_with_every_method() {
    let runaway = model(
        r#"
        entropies.S = { start = 1.0 }
        dynamics.lagrangian = "-S"
        heat.S = "S^2"
        simulation = { step = 0.01, until = 3.0 }
        "#,
    );
    let methods = ["midpoint", "rk2", "rk4", "gauss(2)", "energy-entropy"];
    assert_stop_at(&runaway, &methods, &[0.01, 0.017, 0.05], 1.0);
}

/// y follows x, so that 2 x'' = 6 x²: x = 2/(1 - t)². The multiplier is part of the state from which the motion is followed.
#[test]
fn a_blow_up_under_a_vakonomic_constraint_ends_at_its_pole() {
    let pair = model(
        r#"
        coordinates = { x = { start = 2.0, velocity = 4.0 }, y = { start = 0.0, velocity = 4.0 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + 2*x^3"
        constraints.together = { equation = "y' = x'", kind = "vakonomic" }
        simulation = { step = 0.01, until = 3.0 }
        "#,
    );
    let methods = ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)", "rk4", "gauss(2)"];
    let reasons = assert_stop_at(&pair, &methods, &[0.01, 0.017, 0.05], 1.0);
    assert!(reasons.iter().all(|reason| matches!(reason, Reason::Singularity { .. })), "{reasons:?}");
}

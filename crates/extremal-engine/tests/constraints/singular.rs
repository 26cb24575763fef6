//! Configurations where constraints become dependent: found at any size and whatever is recorded, told from those that are only close,
//! passed on purpose, and not invented by leaving out a constraint that follows from others.

use std::f64::consts::PI;

use extremal_engine::model::AtSingular;
use extremal_engine::solve::Reason;
use extremal_engine::{CompiledRun, Model, Settings};

use extremal_testkit::models::{CIRCLE_BY_ANGLE, model};
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::{RecordedRun, attempt, record, with};

/// So many parallelograms of equal links beside each other, all at angle 1 and turning with 2: flat at t = (π − 1)/2.
fn row_of_linkages(count: usize) -> Model {
    model(&format!(
        r#"
        parameters.n = {count}
        coordinates.x = {{ count = "n", start = "cos(1)", velocity = "-2*sin(1)" }}
        coordinates.y = {{ count = "n", start = "sin(1)", velocity = "2*cos(1)" }}
        coordinates.u = {{ count = "n", start = "1 + cos(1)", velocity = "-2*sin(1)" }}
        coordinates.w = {{ count = "n", start = "sin(1)", velocity = "2*cos(1)" }}
        dynamics.lagrangian = "sum(i, 1, n, (x[i]'^2 + y[i]'^2 + u[i]'^2 + w[i]'^2)/2)"
        constraints.crank = {{ equation = "x[i]^2 + y[i]^2 = 1", count = "n" }}
        constraints.rocker = {{ equation = "(u[i] - 1)^2 + w[i]^2 = 1", count = "n" }}
        constraints.coupler = {{ equation = "(u[i] - x[i])^2 + (w[i] - y[i])^2 = 1", count = "n" }}
        simulation = {{ step = 0.01, until = 3.0 }}
        "#
    ))
}

const FLAT: f64 = (PI - 1.0) / 2.0;

fn found(run: &RecordedRun) -> (&str, &[String], f64) {
    let failure = run.failure("it has to end");
    let Reason::SingularConfiguration { constraint, others, time } = &failure.reason else { panic!("{failure}") };
    (constraint, others, *time)
}

/// With 36 and 120 constraints, and with records much further apart than the steps of the integrator.
#[test]
fn a_singular_configuration_is_found_among_many_constraints() {
    for (count, method, step) in
        [(12, "dop853", 0.01), (12, "dop853", 0.7), (12, "midpoint", 0.01), (12, "rk4", 0.03), (40, "dop853", 3.0)]
    {
        let row = row_of_linkages(count);
        let run = attempt(&row, &with(&row, method, step));
        let (constraint, others, time) = found(&run);
        // The rule of the middle turns by 2 arcsin(h) a step, (2h)²/24 of the angle too slowly: 2e-5. A millionth of a step is told.
        let tolerance = if method == "dop853" { 1e-5 } else { 2e-4 };
        assert!((time - FLAT).abs() < tolerance, "{count} {method} {step}: {time}");
        let mut all: Vec<&str> = others.iter().map(String::as_str).chain([constraint]).collect();
        all.sort_unstable();
        let member = constraint.split('[').nth(1).unwrap();
        assert_eq!(all, ["coupler", "crank", "rocker"].map(|name| format!("{name}[{member}")), "{method}");
    }
}

/// A crank and a rod that differ by one thousandth: they come within 0.04 of being dependent and are not.
fn slider_crank(scale: f64) -> Model {
    model(&format!(
        r#"
        parameters.l = 1.001
        coordinates.x = {{ start = "cos(0.5)", velocity = "-3*sin(0.5)" }}
        coordinates.y = {{ start = "sin(0.5)", velocity = "3*cos(0.5)" }}
        coordinates.s = "cos(0.5) + sqrt(l^2 - sin(0.5)^2)"
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + s'^2/20"
        constraints = {{ crank = "{scale:e}*(x^2 + y^2) = {scale:e}", rod = "(s - x)^2 + y^2 = l^2" }}
        simulation = {{ step = 0.01, until = 4.5, project = true }}
        "#
    ))
}

#[test]
fn a_nearly_singular_configuration_does_not_stop_a_run_whatever_is_recorded() {
    let ends: Vec<Vec<f64>> = [(0.01, 1.0), (0.03, 1.0), (0.1, 1.0), (0.5, 1.0), (0.03, 1e8)]
        .into_iter()
        .map(|(step, scale)| {
            let linkage = slider_crank(scale);
            let run = record(&linkage, &with(&linkage, "dop853", step));
            ["x", "y", "s"].map(|name| run.last(name)).to_vec()
        })
        .collect();
    for end in &ends[1..] {
        // Steps of 1e-12 each, amplified where the crank comes close to the rod.
        assert!(distance(end, &ends[0]) < 1e-6, "{ends:?}");
    }
}

/// Equal rods: the same linkage is singular where the crank stands upright, on any scale of its equations.
#[test]
fn equal_rods_stop_on_any_scale() {
    for scale in [1e-8, 1.0, 1e8] {
        let linkage =
            Model::load(slider_crank(scale).source_text(), &extremal_engine::Overrides::default().set("l", 1)).unwrap();
        let run = attempt(&linkage, &with(&linkage, "dop853", 0.03));
        let (_, _, time) = found(&run);
        let angle = run.last("y").atan2(run.last("x"));
        assert!((time - run.outcome.time) < 0.031 && (PI / 2.0 - angle) < 0.3 && angle < PI / 2.0, "{time} {angle}");
    }
}

/// Passed on purpose, the parallelogram stays one: the motion that goes straight on. Each passage is told.
#[test]
fn a_singular_configuration_is_passed_on_purpose() {
    let row = row_of_linkages(1);
    for (method, step) in [("midpoint", 0.01), ("trapezoidal", 0.013), ("midpoint", 0.003)] {
        let run = record(&row, &Settings { singular: AtSingular::Pass, ..with(&row, method, step) });
        for [t, x, y, u, w] in run.rows(["t", "x[1]", "y[1]", "u[1]", "w[1]"]) {
            let (s, c) = (1.0 + 2.0 * t).sin_cos();
            assert!(distance(&[x, y, u, w], &[c, s, 1.0 + c, s]) < 5e-3, "{method}, {step}: at {t}");
        }
        let (passed, count) = &run.outcome.passed;
        assert_eq!((passed.len(), *count), (2, 2), "{passed:?}");
        for (passed, time) in passed.iter().zip([FLAT, FLAT + PI / 2.0]) {
            assert!((passed.time - time).abs() < 1e-3 && !passed.broken, "{passed:?}");
        }
        let warnings = run.outcome.passage_warnings();
        assert!(warnings.iter().any(|warning| warning.contains("more than one motion goes on")), "{warnings:?}");
    }
}

#[test]
fn leaving_out_a_constraint_invents_no_singular_configuration() {
    let pendulum = model(CIRCLE_BY_ANGLE);
    let run = CompiledRun::new(&pendulum, &Settings::of(&pendulum)).unwrap();
    assert_eq!(run.constraints().redundant, [("up".to_string(), vec!["circle".to_string(), "across".to_string()])]);
    // DOP853 comes within 0.01 of each place where the kept ones are dependent, and loses the square of that in digits: 1e-12/1e-4, a few
    // times.
    for (method, tolerance) in [("midpoint", 5e-3), ("dop853", 1e-6)] {
        let run = record(&pendulum, &with(&pendulum, method, 0.01));
        let rows = run.rows(["t", "u", "w", "theta"]);
        assert_eq!(rows.len(), 501);
        for (k, [t, u, w, theta]) in rows.into_iter().enumerate() {
            assert!((t - 0.01 * k as f64).abs() < 1e-12, "{t}");
            // Both parts turn evenly with 2.
            let angle = 1.0 + 2.0 * t;
            assert!(distance(&[u, w, theta], &[angle.cos(), angle.sin(), angle]) < tolerance, "{method}: at {t}");
        }
        assert!(run.outcome.residuals.iter().all(|(_, residual)| *residual < 1e-6), "{:?}", run.outcome.residuals);
    }
}

/// Accounts of heat are not carried over to other constraints: the run ends, and does not say that the motion is undetermined.
#[test]
fn with_entropies_a_constraint_that_was_left_out_is_named_where_it_would_be_needed() {
    let text = CIRCLE_BY_ANGLE.replace("theta'^2)/2", "theta'^2)/2 - exp(S)");
    let warm = model(&format!("{text}entropies.S = {{ start = 0 }}\nfriction.theta = \"-0.01*theta'\""));
    let run = attempt(&warm, &Settings::of(&warm));
    let failure = run.failure("it has to end");
    let Reason::NotChosenAgain { left_out, .. } = &failure.reason else { panic!("{failure}") };
    assert_eq!(left_out, &["up"]);
    assert!(!failure.to_string().contains("do not determine"), "{failure}");
}

/// At the start the row of the third is that of the first alone; elsewhere it needs both.
#[test]
fn what_a_constraint_follows_from_is_not_read_off_the_start() {
    let held = model(
        r#"
        coordinates = { x = 0, y = { start = 0, velocity = 1 }, z = 1 }
        dynamics.lagrangian = "(x'^2 + y'^2 + z'^2)/2"
        constraints = { wall = "x = 0", floor = "z = 1", both = "x + y*(z - 1) = 0" }
        simulation = { step = 0.1, until = 1 }
        "#,
    );
    let run = CompiledRun::new(&held, &Settings::of(&held)).unwrap();
    assert_eq!(run.constraints().redundant, [("both".to_string(), vec!["wall".to_string(), "floor".to_string()])]);
}

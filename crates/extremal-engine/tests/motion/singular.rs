//! Lagrangians that do not determine their accelerations, on the states that have a motion all the same.

use extremal_engine::run::{ConstraintError, SetupError};
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders};
use extremal_testkit::runs::{Lasting, attempt, gallery, record, with};

/// Predators and prey from another start than the gallery's.
fn predators() -> Model {
    model(
        r#"
        coordinates = { x = 1.4, y = 0.6 }
        dynamics.lagrangian = "log(y)/x*x' - (x - log(x) + y - log(y))"
        "#,
    )
}

/// Their equations by hand: x'/(x y) = 1 − 1/y and y'/(x y) = −(1 − 1/x).
fn predators_by_hand(end: f64) -> Vec<f64> {
    followed_to(&[1.4, 0.6], end, |_, z, dz| {
        (dz[0], dz[1]) = (z[0] * (z[1] - 1.0), -z[1] * (z[0] - 1.0));
    })
}

#[test]
fn methods_have_their_order_where_a_singular_lagrangian_moves() {
    let (model, exact) = (predators(), predators_by_hand(5.0));
    let cases: [OrderCase<'_>; 12] = [
        ("midpoint", 2.0, 0.1, &[100, 200, 400]),
        ("left", 1.0, 0.1, &[800, 1600, 3200]),
        ("trapezoidal", 2.0, 0.1, &[100, 200, 400]),
        ("galerkin(2, lobatto(3))", 4.0, 0.1, &[50, 100, 200]),
        ("compose(suzuki4, trapezoidal)", 4.0, 0.2, &[50, 100, 200]),
        ("galerkin(2)", 4.0, 0.1, &[50, 100, 200]),
        ("galerkin(3)", 6.0, 0.3, &[20, 40, 80]),
        ("compose(yoshida4, midpoint)", 4.0, 0.2, &[100, 200, 400]),
        ("gauss(1)", 2.0, 0.1, &[100, 200, 400]),
        ("gauss(2)", 4.0, 0.1, &[50, 100, 200]),
        ("rk2", 2.0, 0.1, &[200, 400, 800]),
        ("rk4", 4.0, 0.1, &[100, 200, 400]),
    ];
    assert_orders("predators and prey", &cases, 5.0, 1e-12, |method, steps| {
        let run = record(&model, &with(&model, method, 5.0 / steps as f64).steps(steps));
        vec![(run.last("x") - exact[0]).hypot(run.last("y") - exact[1])]
    });
    let reference = record(&model, &with(&model, "dop853", 0.5).until(5.0));
    assert!((reference.last("x") - exact[0]).abs() < 1e-10 && (reference.last("y") - exact[1]).abs() < 1e-10);
}

/// The two-form dx ∧ dy/(x y) after a step by that before it, from differences of the step by its start.
fn contraction(method: &str) -> f64 {
    let after = |x: f64, y: f64| {
        let text = format!(
            "coordinates = {{ x = {x}, y = {y} }}\ndynamics.lagrangian = \"log(y)/x*x' - (x - log(x) + y - log(y))\""
        );
        let model = model(&text);
        let run = record(&model, &with(&model, method, 0.2).until(0.2));
        [run.last("x"), run.last("y")]
    };
    let (x, y, d) = (1.4, 0.6, 1e-4);
    let slope = |plus: [f64; 2], minus: [f64; 2]| [0, 1].map(|k| (plus[k] - minus[k]) / (2.0 * d));
    let (by_x, by_y) = (slope(after(x + d, y), after(x - d, y)), slope(after(x, y + d), after(x, y - d)));
    let [x1, y1] = after(x, y);
    (by_x[0] * by_y[1] - by_x[1] * by_y[0]) * x * y / (x1 * y1)
}

#[test]
fn variational_methods_keep_the_two_form_of_a_singular_lagrangian() {
    // Differences over 1e-4 are off by some 1e-8.
    for method in
        ["midpoint", "galerkin(2)", "compose(yoshida4, midpoint)", "left", "trapezoidal", "galerkin(2, lobatto(3))"]
    {
        assert!((contraction(method) - 1.0).abs() < 1e-7, "{method}: {:e}", contraction(method) - 1.0);
    }
    // The same rule in coordinates that are not canonical does not.
    assert!((contraction("gauss(1)") - 1.0).abs() > 1e-5);
}

#[test]
fn an_oscillator_in_phase_space_does_not_drift_in_a_million_steps() {
    let model = model(
        r#"
        coordinates = { q = 1.0, p = 0.0 }
        dynamics.lagrangian = "p*q' - p^2/2 - q^2/2"
        "#,
    );
    let run = attempt(&model, &with(&model, "midpoint", 0.1).until(1e5));
    let drift = run.recorder.drifts().next().unwrap().1;
    // A linear step that keeps p^2 + q^2 exactly loses it to round-off alone, which grows like the root of the steps.
    assert!(drift.max_drift() < 1e-16 * 1e6_f64, "{:e}", drift.max_drift());
    // The midpoint rule turns by 2 atan(h/2) in a step.
    let angle = 2.0 * 0.05_f64.atan() * 1e6;
    assert!((run.last("q") - angle.cos()).abs() < 1e-7, "{} and {}", run.last("q"), angle.cos());
}

#[test]
fn vortices_keep_their_impulses_and_their_energy_for_long() {
    let model = gallery("point-vortices");
    let run = attempt(&model, &with(&model, "midpoint", 0.05).until(2000.0));
    for (column, drift) in run.recorder.drifts() {
        // Linear and quadratic quantities are kept but for round-off, of 40,000 steps at distances up to 40; the energy to second order.
        let bound = if column.name() == "energy" { 1e-5 } else { 2e-9 };
        assert!(drift.max_drift() < bound, "{}: {:e}", column.name(), drift.max_drift());
    }
}

#[test]
fn matter_and_heat_move_without_inertia() {
    let model = gallery("mass-transfer");
    let at = |end: f64| record(&model, &with(&model, "dop853", 0.5).until(end));
    let (early, late) = (at(1.0), at(10.0));
    for (found, printed) in [
        (early.last("N1"), 1.508543730),
        (early.last("S"), 0.291453948),
        (late.last("S"), 0.405465096),
        (early.last("energy"), 4.5),
        (late.last("energy"), 4.5),
    ] {
        assert!((found - printed).abs() < 6e-10, "{found} and {printed}");
    }
}

#[test]
fn a_singular_vakonomic_system_follows_its_closed_form() {
    let model = gallery("singular-vakonomic");
    let run = record(&model, &with(&model, "dop853", 0.5).until(2.0));
    let w = 1.0 / 1.09_f64.sqrt();
    assert!((run.last("x") - (2.0 * w).cos()).abs() < 1e-11 && (run.last("x") + 0.338061388).abs() < 6e-10);
    assert!((run.last("y") - 0.3 * w * (2.0 * w).sin()).abs() < 1e-11 && (run.last("y") - 0.270430009).abs() < 6e-10);
}

#[test]
fn a_start_without_a_motion_is_refused_or_moved() {
    let stated = |velocity: &str| {
        model(&format!(
            "coordinates = {{ q = {{ start = 1.0, velocity = {velocity} }}, p = 0.5 }}\ndynamics.lagrangian = \"p*q' - p^2/2 - q^2/2\""
        ))
    };
    // q' = p.
    let off = stated("0.7");
    let Err(SetupError::Constraints(ConstraintError::OffManifold(unmet))) =
        CompiledRun::new(&off, &with(&off, "midpoint", 0.1).until(1.0)).map(drop)
    else {
        panic!("a start without a motion was accepted")
    };
    assert_eq!(unmet.len(), 1);
    assert!((unmet[0].residual.abs() - 0.2).abs() < 1e-12, "{unmet:?}");
    let moved = record(&off, &Settings { project: true, ..with(&off, "midpoint", 0.1).until(1.0) });
    let (p, rate) = (moved.column("p")[0], moved.column("q'")[0]);
    // The nearest state shares the difference.
    assert!((p - 0.6).abs() < 1e-12 && (rate - 0.6).abs() < 1e-12, "{p} {rate}");
    let right = stated("0.5");
    assert!(CompiledRun::new(&right, &with(&right, "midpoint", 0.1).until(1.0)).is_ok());
}

#[test]
fn what_the_equations_leave_free_is_asked_for_by_name() {
    let model = model(
        r#"
        coordinates = { x = { start = 1.0, velocity = 0.2 }, y = 0.2 }
        dynamics.lagrangian = "(x' - y)^2/2"
        "#,
    );
    let refused = CompiledRun::new(&model, &with(&model, "dop853", 0.1).until(1.0)).map(drop).unwrap_err().to_string();
    assert!(refused.contains("state `y` as a function of time"), "{refused}");
}

#[test]
fn methods_without_a_place_on_the_manifold_say_so() {
    let prey = predators();
    for (method, said) in [("energy-entropy", "singular Lagrangian"), ("galerkin(2, gauss(3))", "as many degrees as")] {
        let refused = CompiledRun::new(&prey, &with(&prey, method, 0.1).until(1.0)).map(drop).unwrap_err().to_string();
        assert!(refused.contains(said), "{method}: {refused}");
    }
    let warm = gallery("mass-transfer");
    let refused = CompiledRun::new(&warm, &with(&warm, "midpoint", 0.1).until(1.0)).map(drop).unwrap_err().to_string();
    assert!(refused.contains("singular Lagrangian with entropies or states: use `dop853`, `gauss(s)`"), "{refused}");
    // Both velocities have a mass, and W_f has half as many dimensions as there are positions and momenta.
    let held =
        model("coordinates = { x = 0.0, y = 0.0, z = 0.0 }\ndynamics.lagrangian = \"(x'^2 + y'^2)/2 + z*(x - y)\"");
    let refused = CompiledRun::new(&held, &with(&held, "midpoint", 0.1).until(1.0)).map(drop).unwrap_err().to_string();
    assert!(refused.contains("canonical coordinates") && refused.contains("`gauss(s)`"), "{refused}");
}

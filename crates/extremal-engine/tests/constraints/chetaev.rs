//! Constraints that are not linear in the velocities, and virtual displacements stated beside any constraint that reacts: C_K and C_V.

use extremal_engine::Settings;
use extremal_engine::model::ConstraintForm;
use extremal_engine::run::EnergyLaw;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{Lasting, gallery, record, reference, refusal, with};

/// Largest error of the columns against a closed form or numbers at the end.
fn orders(name: &str, cases: &[(&str, f64, f64)], error: impl Fn(&Settings) -> f64) {
    let model = gallery(name);
    for (method, step, expected) in cases {
        let order = order_of(method, *step, 1e-12, |h| error(&with(&model, method, h)));
        assert!((order - expected).abs() < 0.15, "{name} {method}: {order}");
    }
}

/// v' = F − (F·v) v/c²: the speed stays, and the direction turns by the closed form of the file; λ = g sin θ/(2 c).
#[test]
fn a_kept_speed_has_the_order_of_the_method() {
    let model = gallery("constant-speed");
    let exact = |t: f64| {
        let u = 1f64.sin().atanh() - t / 2.0;
        let u0 = 1f64.sin().atanh();
        [4.0 * (u0.tanh().asin() - u.tanh().asin()), 4.0 * (u0.cosh().ln() - u.cosh().ln()), u.tanh() / 4.0]
    };
    let error = |settings: &Settings| {
        let run = record(&model, settings);
        let rows = run.column("t").into_iter().zip(run.rows(["x", "y", "lambda_speed"]));
        rows.map(|(t, row)| distance(&row, &exact(t))).fold(0.0, f64::max)
    };
    let cases = [
        ("midpoint", 0.1, 2.0),
        ("trapezoidal", 0.1, 2.0),
        ("left", 0.02, 1.0),
        ("compose(suzuki4, midpoint)", 0.2, 4.0),
        ("rk4", 0.1, 4.0),
        ("gauss(2)", 0.1, 4.0),
    ];
    orders("constant-speed", &cases, error);
    assert!(error(&reference(&model, 0.5)) < 1e-10);
    // The velocities are on the constraint after every step.
    for [vx, vy] in record(&model, &with(&model, "midpoint", 0.1)).rows(["x'", "y'"]) {
        assert!((vx.hypot(vy) - 2.0).abs() < 1e-13);
    }
}

/// The step is its own inverse, so that a run comes back when the velocities are turned around.
#[test]
fn a_step_under_chetaevs_rule_can_be_undone() {
    let there = gallery("constant-speed");
    let run = record(&there, &with(&there, "midpoint", 0.1).steps(20));
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| run.last(name));
    let back = model(&format!(
        r#"
        coordinates = {{ x = {{ start = {x}, velocity = {} }}, y = {{ start = {y}, velocity = {} }} }}
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - y"
        constraints.speed = {{ equation = "x'^2 + y'^2 = 4", kind = "chetaev" }}
        "#,
        -vx, -vy
    ));
    let run = record(&back, &with(&back, "midpoint", 0.1).steps(20));
    assert!(run.last("x").abs() < 1e-12 && run.last("y").abs() < 1e-12);
}

/// A constraint that is homogeneous in the velocities does no work.
#[test]
fn the_particle_of_appell_and_hamel_keeps_its_energy() {
    let particle = gallery("appell-hamel");
    assert_eq!(EnergyLaw::of(&particle), EnergyLaw::Conserved);
    let run = record(&particle, &Settings::of(&particle));
    assert!(run.outcome.errors.iter().all(|(_, error)| *error < 1e-12), "{:?}", run.outcome.errors);
    assert!(matches!(EnergyLaw::of(&gallery("constant-speed")), EnergyLaw::Changes(_)));
}

/// A speed that is kept by a force along y alone: x'' = −x is not touched, and y' = √(c² − x'²), integrated by extrapolation.
#[test]
fn a_nonlinear_constraint_may_state_its_displacements() {
    let driven = model(
        r#"
        coordinates = { x = { start = 1.0 }, y = { start = 0.0, velocity = 2.0 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - x^2/2"
        constraints.speed = { equation = "x'^2 + y'^2 = 4", kind = "chetaev", variational = "y' = 0" }
        simulation = { step = 0.05, until = 3.0 }
        "#,
    );
    let truth = [-0.9899924966004, -0.1411200080599, 5.5868993197134];
    let error = |settings: &Settings| {
        let run = record(&driven, settings);
        distance(&["x", "x'", "y"].map(|name| run.last(name)), &truth)
    };
    assert!(error(&reference(&driven, 0.1)) < 1e-10);
    for (method, step, expected) in [("midpoint", 0.1, 2.0), ("compose(suzuki4, midpoint)", 0.3, 4.0)] {
        let order = order_of(method, step, 1e-12, |h| error(&with(&driven, method, h)));
        assert!((order - expected).abs() < 0.2, "{method}: {order}");
    }
    let reactions = record(&driven, &with(&driven, "midpoint", 0.1)).rows(["reaction_y", "lambda_speed"]);
    assert!(reactions.iter().all(|[force, lambda]| force == lambda));
}

/// th = α sin ωt by a force on the cart: cos(th) x'' = g sin(th) − l th'', two quadratures, and λ from the equation of x.
#[test]
fn a_holonomic_servo_follows_its_equation() {
    let cart = gallery("servo-cart");
    let truth = [5.6863455326586, 0.0706487431307, -1.2359522485114];
    let error = |settings: &Settings| {
        let run = record(&cart, settings);
        distance(&["x", "x'", "lambda_servo"].map(|name| run.last(name)), &truth)
    };
    assert!(error(&reference(&cart, 0.1)) < 1e-9);
    let cases = [
        ("midpoint", 0.05, 2.0),
        ("trapezoidal", 0.05, 2.0),
        ("compose(suzuki4, midpoint)", 0.1, 4.0),
        ("galerkin(2)", 0.1, 4.0),
        ("galerkin(3, lobatto(4))", 0.3, 6.0),
        ("rk4", 0.1, 4.0),
    ];
    orders("servo-cart", &cases, error);
    let run = record(&cart, &with(&cart, "midpoint", 0.05));
    for [t, th, fx] in run.rows(["t", "th", "reaction_x"]) {
        assert!((th - 0.3 * (2.0 * t).sin()).abs() < 1e-14 && fx.is_finite());
    }
}

#[test]
fn what_has_no_rule_is_refused_by_name() {
    let speed = gallery("constant-speed");
    for method in ["galerkin(2)", "energy-entropy"] {
        let refused = refusal(&speed, &with(&speed, method, 0.1));
        assert!(refused.contains("chetaev constraints"), "{method}: {refused}");
    }
    let shake = Settings { constraints: ConstraintForm::Shake, ..with(&speed, "midpoint", 0.1) };
    assert!(refusal(&speed, &shake).contains("rattle"), "{}", refusal(&speed, &shake));
}

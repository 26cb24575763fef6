//! Motions of states of first order, alone and beside coordinates, against equations typed by hand.

use extremal_engine::run::End;
use extremal_engine::sweep::Record;
use extremal_engine::{Model, Settings};
use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};
use extremal_testkit::runs::{Lasting, attempt, gallery, record, refusal, with};
use extremal_testkit::sweeps::{SweepRows, grid};

fn orders_of(name: &str, model: &Model, end: f64, cases: &[OrderCase<'_>], columns: &[&str], truth: &[f64]) {
    assert_orders(name, cases, end, 1e-13, |method, n| {
        let run = record(model, &with(model, method, end / n as f64).until(end));
        let found: Vec<f64> = columns.iter().map(|name| run.last(name)).collect();
        vec![distance(&found, truth)]
    });
}

#[test]
fn every_method_has_its_order_on_states_alone() {
    let hunters = model(
        r#"
        states.x = { start = 1.0, rate = "x*(2/3 - 4/3*y) + sin(t)/10" }
        states.y = { start = 0.8, rate = "y*(x - 1)" }
        simulation = { step = 0.1, until = 2 }
    "#,
    );
    let truth = followed_to(&[1.0, 0.8], 2.0, |t, z, dz| {
        dz.copy_from_slice(&[z[0] * (2.0 - 4.0 * z[1]) / 3.0 + t.sin() / 10.0, z[1] * (z[0] - 1.0)]);
    });
    let cases: &[OrderCase<'_>] = &[
        ("left", 1.0, 0.1, &[200, 400, 800]),
        ("right", 1.0, 0.1, &[200, 400, 800]),
        ("theta(0.3)", 1.0, 0.1, &[400, 800, 1600]),
        ("midpoint", 2.0, 0.05, &[20, 40, 80]),
        ("trapezoidal", 2.0, 0.05, &[20, 40, 80]),
        ("galerkin(2)", 4.0, 0.1, &[10, 20, 40]),
        ("galerkin(3)", 6.0, 0.3, &[4, 6, 8, 12]),
        ("galerkin(2, lobatto(3))", 4.0, 0.1, &[10, 20, 40]),
        ("compose(suzuki4, midpoint)", 4.0, 0.1, &[10, 20, 40]),
        ("compose(yoshida4, trapezoidal)", 4.0, 0.2, &[20, 40, 80]),
        ("euler", 1.0, 0.1, &[200, 400, 800]),
        ("rk2", 2.0, 0.1, &[40, 80, 160]),
        ("rk4", 4.0, 0.1, &[20, 40, 80]),
        ("gauss(2)", 4.0, 0.1, &[10, 20, 40]),
    ];
    orders_of("hunters", &hunters, 2.0, cases, &["x", "y"], &truth);
}

/// A pendulum whose pivot is pushed by a motor that lags, and heats up while it does.
const MOTOR: &str = r#"
    coordinates.a = { start = 0.5, velocity = 0.2 }
    states.F = { start = 0.3, rate = "(sin(3*t) - a' - F)/0.5" }
    states.T = { start = 1.0, rate = "F^2 - (T - 1)/2" }
    dynamics.lagrangian = "a'^2/2*(1 + cos(a)/3) + cos(a)"
    forces.a = "F/T"
    simulation = { step = 0.1, until = 2 }
"#;

#[test]
fn every_method_has_its_order_on_states_beside_a_coordinate() {
    let truth = followed_to(&[0.5, 0.2, 0.3, 1.0], 2.0, |t, z, dz| {
        let [a, v, f, warm] = [z[0], z[1], z[2], z[3]];
        // d/dt (v (1 + cos a/3)) = -v^2 sin a/6 - sin a + F/T.
        let acceleration = (v * v * a.sin() / 6.0 - a.sin() + f / warm) / (1.0 + a.cos() / 3.0);
        dz.copy_from_slice(&[v, acceleration, ((3.0 * t).sin() - v - f) / 0.5, f * f - (warm - 1.0) / 2.0]);
    });
    let cases: &[OrderCase<'_>] = &[
        ("midpoint", 2.0, 0.05, &[40, 80, 160]),
        ("trapezoidal", 2.0, 0.05, &[40, 80, 160]),
        ("galerkin(2)", 4.0, 0.1, &[20, 40, 80]),
        ("compose(suzuki4, midpoint)", 4.0, 0.1, &[20, 40, 80]),
        ("rk4", 4.0, 0.2, &[40, 80, 160]),
        ("gauss(2)", 4.0, 0.1, &[20, 40, 80]),
    ];
    orders_of("motor", &model(MOTOR), 2.0, cases, &["a", "a'", "F", "T"], &truth);
}

#[test]
fn linear_integrals_are_kept_by_every_method() {
    let epidemic = gallery("epidemic");
    for method in ["midpoint", "galerkin(2)", "rk4", "gauss(2)", "euler", "dop853"] {
        let run = record(&epidemic, &with(&epidemic, method, 0.5));
        let people = run.column("people");
        // A sum of three numbers of size one, rounded in each of 120 steps.
        assert!(people.iter().all(|sum| (sum - 1.0).abs() < 120.0 * f64::EPSILON), "{method}");
    }
}

#[test]
fn a_mass_that_burns_follows_the_rocket() {
    // (m v)' = 0 with m' = -1/10: v = v0 m0/m, and the energy changes because the Lagrangian does.
    let text = r#"
        coordinates.x = { start = 0, velocity = 2 }
        states.m = { start = 1, rate = "-1/10" }
        dynamics.lagrangian = "m*x'^2/2"
        simulation = { step = 0.05, until = 5 }
    "#;
    let rocket = model(text);
    let run = record(&rocket, &Settings::of(&rocket));
    assert!((run.last("x'") - 4.0).abs() < 1e-12, "{}", run.last("x'"));
    let law = extremal_engine::run::EnergyLaw::of(&rocket);
    assert_eq!(law.why_it_changes(), Some("states change the Lagrangian"));
    assert!(run.outcome.warnings.is_empty(), "{:?}", run.outcome.warnings);
}

#[test]
fn states_that_blow_up_end_the_run_there() {
    let text = r#"
        states.x = { start = 1, rate = "x^2" }
        simulation = { step = 0.01, until = 2 }
    "#;
    let model = model(text);
    for method in ["midpoint", "rk4", "gauss(2)", "dop853"] {
        let run = attempt(&model, &with(&model, method, 0.01));
        assert_ne!(run.outcome.end, End::Reached, "{method}");
        assert!((run.outcome.time - 1.0).abs() < 0.05, "{method} {}", run.outcome.time);
    }
}

#[test]
fn coarse_steps_of_states_are_warned_of() {
    let text = r#"
        states.x = { start = 1, rate = "-200*(x - cos(t)) - sin(t)" }
        states.y = { start = 0, rate = "100/(1 + ((t - 5)/0.01)^2)" }
        simulation = { step = 0.05, until = 10 }
    "#;
    let model = model(text);
    let run = attempt(&model, &with(&model, "midpoint", 0.05));
    assert!(!run.outcome.warnings.is_empty(), "a pulse inside a step went by unseen");
    let fine = attempt(&model, &with(&model, "dop853", 0.05));
    assert!(fine.outcome.warnings.is_empty(), "{:?}", fine.outcome.warnings);
}

#[test]
fn starts_of_states_are_swept() {
    let decay =
        model("states.x = { start = 1, rate = \"-k*x\" }\nparameters.k = 1\nsimulation = { step = 0.01, until = 1 }");
    let rows = SweepRows::of(&decay, &Settings::of(&decay), grid(&["x=1:3:3", "k=1,2"]), Record::End);
    let ends = rows.column("x");
    assert_eq!(ends.len(), 6);
    for (at, end) in ends.iter().enumerate() {
        let (x, k) = ((1 + at / 2) as f64, (1 + at % 2) as f64);
        // The midpoint rule is off by h² k³/12 of it.
        assert!((end - x * (-k).exp()).abs() < 1e-4 * k.powi(3) / 12.0 * x * 1.1, "{x} {k} {end}");
    }
}

#[test]
fn methods_without_a_rule_for_states_are_refused() {
    let motor = model(MOTOR);
    for method in ["energy-entropy", "compose(yoshida4, energy-entropy)"] {
        let message = refusal(&motor, &with(&motor, method, 0.1));
        assert!(message.contains("for a system with states of first order such as `F`"), "{message}");
        assert!(message.contains("use `midpoint`"), "{message}");
    }
}

//! `dx/dp` beside closed forms, beside differences of runs, and where there is none.

use extremal_engine::sweep::AdjustableRun;
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, RecordedRun, executed, gallery, record, refusal, with};

fn by(names: &[&str], settings: Settings) -> Settings {
    Settings { sensitivity: names.iter().map(|name| (*name).to_owned()).collect(), ..settings }
}

/// x'' = -w² x from x(0) = a, x'(0) = b: derivatives of a cos wt + b/w sin wt, up to the error of the method.
#[test]
fn an_oscillator_changes_as_its_closed_form_does() {
    let oscillator = model(
        r#"
        parameters = { k = 4.0, w = "sqrt(k)" }
        coordinates.x = { start = 1.5, velocity = -0.5 }
        dynamics.lagrangian = "x'^2/2 - w^2*x^2/2"
        outputs.square = "x^2"
        simulation = { method = "gauss(4)", step = 0.05, until = 3.03 }
        "#,
    );
    let run = record(&oscillator, &by(&["k", "x", "x'"], Settings::of(&oscillator)));
    let names = ["t", "dx/dk", "dx'/dk", "dx/dx", "dx'/dx", "dx/dx'", "dp_x/dx'", "dsquare/dk"];
    for [t, xk, vk, xa, va, xb, pb, sk] in run.rows(names) {
        let (w, a, b) = (2.0f64, 1.5, -0.5);
        let (c, s) = ((w * t).cos(), (w * t).sin());
        // dw/dk = 1/(2 w).
        let by_w = [-a * t * s + b * (t * c / w - s / (w * w)), -a * s - a * w * t * c - b * t * s];
        let expected = [by_w[0] / 4.0, by_w[1] / 4.0, c, -w * s, s / w, c];
        for (at, (found, expected)) in [xk, vk, xa, va, xb, pb].iter().zip(expected).enumerate() {
            // Order 8 with steps of 0.1 of a radian.
            assert!((found - expected).abs() < 1e-9, "{at} at {t}: {found}, not {expected}");
        }
        let x = a * c + b / w * s;
        assert!((sk - 2.0 * x * by_w[0] / 4.0).abs() < 1e-8, "{t}");
    }
}

/// Derivatives are those of the discrete motion: differences of runs in both directions approach them with the square of the change,
/// down to round-off, whatever the error of the steps is.
#[test]
fn derivatives_are_those_of_the_discrete_motion() {
    let cases: [(&str, &str, &[&str]); 9] = [
        ("double-pendulum", "midpoint", &["l1", "θ1", "θ2'"]),
        ("double-pendulum", "compose(suzuki4, midpoint)", &["g", "θ2"]),
        ("double-pendulum", "rk4", &["m2", "θ1"]),
        ("double-pendulum", "galerkin(2)", &["g"]),
        ("kepler", "trapezoidal", &["x", "y'"]),
        ("damped-oscillator", "midpoint", &["gamma", "q"]),
        ("pendulum-rod", "midpoint", &["g"]),
        ("heat-bar", "midpoint", &["S[1]"]),
        ("lotka-volterra", "midpoint", &["x"]),
    ];
    for (name, method, names) in cases {
        let model = gallery(name);
        let settings = match name {
            "lotka-volterra" | "heat-bar" => Settings::of(&model),
            _ => Settings { ..with(&model, method, 0.03) },
        };
        let settings = settings.steps(40);
        differences(&model, settings, names, &format!("{name}, {method}"));
    }
}

fn differences(model: &Model, settings: Settings, names: &[&str], what: &str) {
    let exact = CompiledRun::new(model, &by(names, settings.clone())).unwrap_or_else(|error| panic!("{what}: {error}"));
    let exact = executed(&exact);
    let mut adjustable = AdjustableRun::new(model, &settings).unwrap();
    let columns: Vec<String> = adjustable.run().columns().names().map(str::to_owned).collect();
    for name in names {
        let stated = adjustable.run().clone();
        let middle = value_of(&stated, model, name);
        let change = 1e-5 * middle.abs().max(0.1);
        let mut at = |value: f64| -> RecordedRun { executed(&adjustable.with(&[(name, value)]).unwrap()) };
        let (less, more) = (at(middle - change), at(middle + change));
        for column in &columns {
            let Some(_) = exact.recorder.columns().index_of(&format!("d{column}/d{name}")) else { continue };
            let found = exact.last(&format!("d{column}/d{name}"));
            let expected = (more.last(column) - less.last(column)) / (2.0 * change);
            // Differences lose five digits to round-off, and five to the third derivative.
            let size = expected.abs().max(found.abs()).max(1.0);
            assert!((found - expected).abs() < 2e-7 * size, "{what}: d{column}/d{name} is {found}, not {expected}");
        }
    }
}

fn value_of(run: &CompiledRun, model: &Model, name: &str) -> f64 {
    match model.parameters().iter().position(|parameter| parameter.name == name) {
        Some(at) => run.parameter_values()[at],
        None => record(model, &run.settings().clone().steps(1)).column(name)[0],
    }
}

/// Rows at given times have the derivatives there, and blocks, stops and composed steps do not matter.
#[test]
fn nothing_of_the_motion_depends_on_derivatives() {
    let pendulum = gallery("double-pendulum");
    let settings = with(&pendulum, "midpoint", 0.01).until(12.0);
    let plain = record(&pendulum, &settings);
    let run = record(&pendulum, &by(&["g"], settings));
    for column in plain.recorder.columns().names() {
        assert_eq!(plain.last(column).to_bits(), run.last(column).to_bits(), "{column}");
    }
}

#[test]
fn what_has_no_derivative_is_refused() {
    let pendulum = gallery("double-pendulum");
    let refused = |model: &Model, names: &[&str], settings: Settings| refusal(model, &by(names, settings));
    let said = refused(&pendulum, &["l"], Settings::of(&pendulum));
    assert!(said.contains("no parameter, coordinate, entropy or state `l`"), "{said}");
    let said = refused(&pendulum, &["g"], with(&pendulum, "dop853", 0.1));
    assert!(said.contains("`dop853` chooses its steps by itself"), "{said}");
    let ball = gallery("bouncing-ball");
    assert!(refused(&ball, &["y"], Settings::of(&ball)).contains("[events]"));
    let rod = gallery("pendulum-rod");
    let said = refused(&rod, &["x"], Settings::of(&rod));
    assert!(said.contains("the start of `x` alone leaves the constraints"), "{said}");
}

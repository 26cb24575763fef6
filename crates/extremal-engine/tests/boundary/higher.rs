//! Lagrangians with accelerations: splines and the oscillator of Pais and Uhlenbeck.

use extremal_engine::derive::{Form, derive};
use extremal_engine::{Model, Settings, gallery};
use extremal_testkit::boundary::{assert_orders, columns, solve};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, attempt, gallery_with, refusal, with};

/// Second derivatives of a cubic spline at 0, 1, 2, 3 through 0, 2, -1, 0, and from them its values.
fn spline(moments: [f64; 4], x: f64) -> f64 {
    let y = [0.0, 2.0, -1.0, 0.0];
    let i = (x as usize).min(2);
    let (a, b) = (i as f64 + 1.0 - x, x - i as f64);
    let (m, n) = (moments[i], moments[i + 1]);
    m * a.powi(3) / 6.0 + n * b.powi(3) / 6.0 + (y[i] - m / 6.0) * a + (y[i + 1] - n / 6.0) * b
}

#[test]
fn splines_clamped_and_natural() {
    // Tridiagonal systems solved by hand: slopes 1 and 0 at the ends, or no moments there.
    let clamped = [28.0 / 3.0, -38.0 / 3.0, 34.0 / 3.0, -26.0 / 3.0];
    let natural = [0.0, -9.6, 8.4, 0.0];
    let text = gallery::text("cubic-spline").unwrap().split("[expected]").next().unwrap().to_owned();
    let free = text.replace("y = 0, \"y'\" = 1", "y = 0").replace("y = 0, \"y'\" = 0", "y = 0");
    for (text, moments) in [(text, clamped), (free, natural)] {
        let model = model(&text);
        // Cubic pieces between nodes are exact, up to the conditioning of small steps.
        let exact = solve(&model, Some("hermite"), 30);
        for [x, y] in columns(&exact, ["x", "y"]) {
            assert!((y - spline(moments, x)).abs() < 1e-11, "y({x}) = {y} instead of {}", spline(moments, x));
        }
        let error = |steps: usize| {
            let rows = columns(&solve(&model, Some("difference"), steps), ["x", "y"]);
            rows.iter().map(|[x, y]| (y - spline(moments, *x)).abs()).fold(0.0, f64::max)
        };
        assert_orders("difference", 2.0, 0.1, 30, error);
    }
}

#[test]
fn pais_uhlenbeck_between_two_states() {
    let model = gallery_with("pais-uhlenbeck-between", &[]);
    // A combination of cos t, sin t, cos 2t, sin 2t with x = 1, x' = 0 at 0 and x = 0, x' = 1/2 at 1, by elimination:
    // x = c cos t + s sin t + (1 - c) cos 2t - s/2 sin 2t.
    let (c1, s1, c2, s2) = (1f64.cos(), 1f64.sin(), 2f64.cos(), 2f64.sin());
    let (a, b, e) = (c1 - c2, s1 - s2 / 2.0, -c2);
    let (p, q, r) = (-s1 + 2.0 * s2, c1 - c2, 0.5 + 2.0 * s2);
    let determinant = a * q - b * p;
    let (c, s) = ((e * q - b * r) / determinant, (a * r - e * p) / determinant);
    let exact = |t: f64| c * t.cos() + s * t.sin() + (1.0 - c) * (2.0 * t).cos() - s / 2.0 * (2.0 * t).sin();
    let error = |steps: usize, method: &'static str| {
        let rows = columns(&solve(&model, Some(method), steps), ["t", "x"]);
        rows.iter().map(|[t, x]| (x - exact(*t)).abs()).fold(0.0, f64::max)
    };
    assert_orders("difference", 2.0, 0.1, 20, |steps| error(steps, "difference"));
    assert_orders("hermite", 4.0, 0.1, 5, |steps| error(steps, "hermite"));
}

/// A run of the oscillator: the largest error against the closed form, and the largest change of the energy.
fn run(model: &Model, method: &str, step: f64, end: f64) -> (f64, f64) {
    let run = attempt(model, &with(model, method, step).until(end));
    let energy = run.recorder.drifts().find(|(column, _)| column.name() == "energy").unwrap().1.max_drift();
    (run.outcome.errors[0].1, energy)
}

#[test]
fn pais_uhlenbeck_from_its_start() {
    let model = gallery_with("pais-uhlenbeck", &[]);
    assert_orders("difference", 2.0, 0.1, 100, |steps| run(&model, "difference", 5.0 / steps as f64, 5.0).0);
    assert_orders("hermite", 4.0, 0.1, 50, |steps| run(&model, "hermite", 5.0 / steps as f64, 5.0).0);
    // The same equations as a system of first order.
    let (error, energy) = run(&model, "dop853", 0.5, 20.0);
    assert!(error < 1e-10 && energy < 1e-10, "{error:e} {energy:e}");
}

#[test]
fn ostrogradsky_energy_stays_bounded() {
    for b in ["2", "1.02"] {
        let model = gallery_with("pais-uhlenbeck", &[("b", b)]);
        // 1e5 steps; terms of the energy are of order b^4, the error (b h)^2 and (b h)^4 of them.
        for (method, bound) in [("difference", 1e-2), ("hermite", 1e-5)] {
            let (_, drift) = run(&model, method, 0.05, 5000.0);
            assert!(drift < bound, "{method} with b = {b}: {drift:e}");
        }
    }
}

#[test]
fn equations_are_those_of_ostrogradsky() {
    let model = gallery_with("pais-uhlenbeck", &[]);
    let text = derive(&model, &Settings::of(&model), &[Form::Lagrange, Form::Hamilton]).unwrap().to_text();
    for line in ["p_x' = x''", "x'' = p_x'", "Ostrogradsky momenta"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn what_does_not_go_with_accelerations_is_named() {
    let text = r#"
        [coordinates]
        x = { start = 1.0 }
        [dynamics]
        lagrangian = "LAGRANGIAN"
        FURTHER
        [simulation]
        method = "hermite"
        step = 0.1
        until = 1
    "#;
    let refused = |lagrangian: &str, further: &str, method: &str, until: f64| {
        let model = model(&text.replace("LAGRANGIAN", lagrangian).replace("FURTHER", further));
        refusal(&model, &with(&model, method, 0.1).until(until))
    };
    let dry = refused("x''^2/2", "[friction]\nx = { dry = 1 }", "hermite", 1.0);
    assert_eq!(dry, "dry frictions are not defined for a Lagrangian with accelerations");
    let ends = "[controls]\nu = \"x\"\n[objective]\nrunning = \"u^2\"\n[boundary]\nduration = 1\nstart = { x = 0 }";
    let controls = refused("x''^2/2", ends, "hermite", 1.0);
    assert_eq!(controls, "controls are not defined for a Lagrangian with accelerations");
    let own = "[forces]\nx = \"-x\"\n[discrete]\nlagrangian = \"(x_2 - 2*x_1 + x_0)^2/(2*h^3)\"";
    let forces = refused("x''^2/2", own, "custom", 1.0);
    assert!(forces.contains("`custom` is not defined for forces beside accelerations: use `hermite`"), "{forces}");
    let singular = refused("x*x''^2/2 - x''^2/2", "", "hermite", 1.0);
    assert!(singular.contains("singular") && singular.contains("`x''`"), "{singular}");
    let between = refused("x''^2/2", "", "difference", 0.95);
    assert!(between.contains("equal distances"), "{between}");
    let third = refused("x'''^2/2", "", "difference", 1.0);
    assert!(third.contains("derivatives beyond accelerations: use `hermite`"), "{third}");
}

#[test]
fn constraints_of_second_order_have_their_multipliers() {
    // The double integrator as a constraint: u = 6 - 12 t, and u is the multiplier of x'' - u.
    let text = r#"
        coordinates = { x = {}, u = {} }
        dynamics.lagrangian = "u^2/2"
        constraints.push = { equation = "x'' = u", kind = "vakonomic" }
        boundary = { duration = 1.0, steps = 20, start = { x = -1, "x'" = 0 }, end = { x = 0, "x'" = 0 } }
        simulation.method = "difference"
    "#;
    let model = model(text);
    assert_orders("cost", 2.0, 0.02, 20, |steps| (solve(&model, None, steps).objective - 6.0).abs());
    let multiplier = |steps: usize| {
        let rows = columns(&solve(&model, None, steps), ["t", "lambda_push"]);
        rows.iter().map(|[t, lambda]| (lambda - (6.0 - 12.0 * t)).abs()).fold(0.0, f64::max)
    };
    assert_orders("multiplier", 2.0, 0.1, 20, multiplier);
    let printed = derive(&model, &Settings::of(&model), &[Form::Lagrange]).unwrap().to_text();
    assert!(printed.contains("lambda_push''") && printed.contains("u - lambda_push"), "{printed}");
}

/// Cart and pole with the force eliminated: a second-order problem with the equation of the pole as a constraint. Its cost tends to
/// that of the direct transcription, 58.8077/2.
#[test]
fn optimal_control_as_a_vakonomic_problem_of_second_order() {
    let text = r#"
        coordinates = { x = {}, th = {} }
        definitions.u = "1.3*x'' + 0.15*(cos(th)*th'' - sin(th)*th'^2)"
        dynamics.lagrangian = "u^2/2"
        constraints.pole = { equation = "0.15*cos(th)*x'' + 0.075*th'' = 1.4715*sin(th)", kind = "vakonomic" }
        boundary.duration = 2.0
        boundary.steps = 100
        boundary.start = { x = 0, th = "pi", "x'" = 0, "th'" = 0 }
        boundary.end = { x = 1, th = 0, "x'" = 0, "th'" = 0 }
        simulation.method = "difference"
    "#;
    let model = model(text);
    assert_orders("cost", 2.0, 0.2, 100, |steps| (solve(&model, None, steps).objective - 58.80767 / 2.0).abs());
}

//! Reference integrators against closed forms, and Lagrangians that are not quadratic in the velocity.

use extremal_engine::Settings;
use extremal_testkit::models::model;
use extremal_testkit::numbers::measured_order;
use extremal_testkit::runs::{Lasting, attempt, record, with};

#[test]
fn adaptive_methods_follow_closed_forms_to_their_tolerance() {
    let model = model(
        r#"
        parameters = { c = 0.2, w = "sqrt(1 - c^2/4)" }
        coordinates.free = { start = 1.0, velocity = 0.5 }
        coordinates.damped = { start = 1.0, velocity = "-c/2" }
        coordinates.driven = { start = 0.0, velocity = 0.0 }
        dynamics.lagrangian = "(free'^2 + damped'^2 + driven'^2)/2 - 2*free^2 - damped^2/2 - driven^2/2"
        forces.driven = "sin(2*t)"
        friction.damped = "-c*damped'"
        simulation = { step = 0.25, until = 20.0 }
        "#,
    );
    let w = (1.0_f64 - 0.01).sqrt();
    let exact: [(&str, &dyn Fn(f64) -> f64); 3] = [
        ("free", &|t| (2.0 * t).cos() + 0.25 * (2.0 * t).sin()),
        ("damped", &|t| (-0.1 * t).exp() * (w * t).cos()),
        // Resonance-free forcing: the particular solution -sin(2t)/3 and what starts it from rest.
        ("driven", &|t| (2.0 * t.sin() - (2.0 * t).sin()) / 3.0),
    ];
    for method in ["dop853", "dopri5"] {
        for tolerance in [1e-6, 1e-9, 1e-12] {
            let settings = Settings { tolerance: Some(tolerance), ..with(&model, method, 0.25) };
            let run = attempt(&model, &settings);
            for (name, exact) in exact {
                let pairs = run.column("t").into_iter().zip(run.column(name));
                let error = pairs.map(|(t, x)| (x - exact(t)).abs()).fold(0.0, f64::max);
                // The tolerance holds per step; errors of some hundred steps add up, and more than 1e-13 is not to be had.
                assert!(error <= 300.0 * tolerance, "{method} at {tolerance:e}: {name} is off by {error:e}");
            }
        }
    }
}

#[test]
fn adaptive_methods_follow_motions_of_any_size() {
    // One oscillator beside another 1e12 times smaller, and each alone: x'' = -x - x^3 in units of `unit`.
    let oscillator = |name: &str, unit: &str| format!("{name}'^2/2 - {name}^2/2 - {name}^4/({unit})^2/4");
    let motion = |coordinates: &str, lagrangian: String, method: &str, name: &str| {
        let model = model(&format!("[coordinates]\n{coordinates}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n"));
        let settings = Settings { tolerance: Some(1e-10), ..with(&model, method, 1.0) };
        record(&model, &settings.until(20.0)).last(name)
    };
    for method in ["dop853", "dopri5"] {
        let large = motion("x = { start = 1 }", oscillator("x", "1"), method, "x");
        let small = motion("y = { start = 1e-12 }", oscillator("y", "1e-12"), method, "y");
        let both = format!("{} + 1e24*({})", oscillator("x", "1"), oscillator("y", "1e-12"));
        let beside = motion("x = { start = 1 }\ny = { start = 1e-12 }", both, method, "y");
        for y in [small, beside] {
            // Some hundred steps with an error of 1e-10 each, which grow with the time at most.
            assert!((1e12 * y - large).abs() < 1e-6, "{method}: {y} and {large}");
        }
    }
}

#[test]
fn the_time_between_records_does_not_change_an_adaptive_solution() {
    let model = model(
        r#"
        coordinates.x = { start = 2.5 }
        dynamics.lagrangian = "x'^2/2 + cos(x)"
        simulation = { step = 0.5, until = 10.0 }
        "#,
    );
    let ends: Vec<f64> =
        [0.5, 0.05, 10.0].iter().map(|h| attempt(&model, &with(&model, "dop853", *h)).last("x")).collect();
    for end in &ends[1..] {
        // Each is right to a few hundred times the tolerance 1e-12.
        assert!((end - ends[0]).abs() < 1e-9, "{ends:?}");
    }
}

/// A relativistic particle in a potential well and a uniform field, and one with a quartic kinetic term: velocities follow
/// from momenta only by iteration.
const NOT_QUADRATIC: [&str; 2] = [
    r#"
        coordinates = { x = { start = 0.8, velocity = 0.1 }, y = { start = 0.0, velocity = 0.5 } }
        dynamics.lagrangian = "-sqrt(1 - x'^2 - y'^2) - (x^2 + 2*y^2)/2 + x*y'/5"
        simulation = { step = 0.1, until = 4.0 }
    "#,
    r#"
        coordinates = { x = { start = 0.8, velocity = 0.1 }, y = { start = 0.0, velocity = 0.5 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + (x'^2 + x'*y' + y'^2)^2/4 - x^2*y^2/2 - (x^2 + y^2)/2"
        simulation = { step = 0.1, until = 4.0 }
    "#,
];

#[test]
fn lagrangians_not_quadratic_in_the_velocity_converge_at_the_order_of_the_method() {
    for text in NOT_QUADRATIC {
        let model = model(text);
        let columns = ["x", "y", "x'", "y'"];
        let reference = attempt(&model, &with(&model, "dop853", 4.0));
        let energy = reference.column("energy");
        // An independent check on the reference: the energy is constant along it, and only along solutions.
        assert!((energy[1] - energy[0]).abs() < 1e-11, "{energy:?}");
        for (method, order, tolerance, counts) in
            [("midpoint", 2.0, 0.1, [40.0, 80.0, 160.0, 320.0]), ("galerkin(2)", 4.0, 0.2, [20.0, 40.0, 80.0, 160.0])]
        {
            let points: Vec<(f64, f64)> = counts
                .iter()
                .map(|n| {
                    let run = attempt(&model, &with(&model, method, 4.0 / n));
                    let apart = columns.map(|name| (run.last(name) - reference.last(name)).abs());
                    (4.0 / n, apart.into_iter().fold(0.0, f64::max))
                })
                .collect();
            // The reference is good to some hundred times its tolerance 1e-12.
            let measured = measured_order(&points, 1e-10);
            assert!((measured - order).abs() < tolerance, "{method}: order {measured:.3}, {points:?}");
        }
    }
}

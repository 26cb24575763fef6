//! Virtual displacements that differ from the constraint, and discrete constraints of the user's own.

use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{gallery, record, reference, with};

/// A servo: the constraint y' = k x is kept by a force along (1, 1), that is with the virtual displacements δx + δy = 0. By hand,
/// x'' = −x + λ, y'' = λ and y'' = k x', so λ = k x' and x'' − k x' + x = 0: an oscillation that grows,
/// x = e^(kt/2)(cos Ωt − k/(2Ω) sin Ωt) from rest, while y' − k x stays zero.
#[test]
fn a_servo_constraint_pumps() {
    let k = 0.3f64;
    let servo = model(
        r#"
        parameters.k = 0.3
        coordinates = { x = { start = 1.0 }, y = { start = 0.0, velocity = "k" } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - x^2/2"
        constraints.servo = { equation = "y' = k*x", variational = "x' + y' = 0" }
        simulation = { step = 0.01, until = 7.0 }
        "#,
    );
    let omega = (1.0 - k * k / 4.0).sqrt();
    let exact = |t: f64| {
        let (s, c) = (omega * t).sin_cos();
        let (x, v) = (c - k / (2.0 * omega) * s, -s / omega);
        let grown = (k * t / 2.0).exp();
        // y'' = λ = k x' and y'(0) = k x(0); x = k x' − x'' gives ∫ x dt = k (x − 1) − x'.
        [grown * x, k * (k * (grown * x - 1.0) - grown * v), k * grown * v]
    };
    let error = |settings: &extremal_engine::Settings| {
        let run = record(&servo, settings);
        let rows = run.column("t").into_iter().zip(run.rows(["x", "y", "lambda_servo"]));
        rows.map(|(t, row)| distance(&row, &exact(t))).fold(0.0, f64::max)
    };
    let reached = error(&reference(&servo, 0.1));
    assert!(reached < 1e-11, "{reached:e}");
    for (method, step, expected) in [("midpoint", 0.04, 2.0), ("compose(suzuki4, midpoint)", 0.2, 4.0)] {
        let order = order_of(method, step, 1e-12, |h| error(&with(&servo, method, h)));
        assert!((order - expected).abs() < 0.1, "{method}: {order}");
    }
    // The reaction is along (1, 1), not along the constraint's own row (0, 1).
    for [fx, fy, lambda] in
        record(&servo, &with(&servo, "midpoint", 0.1)).rows(["reaction_x", "reaction_y", "lambda_servo"])
    {
        assert!(fx == lambda && fy == lambda);
    }
}

/// [TT] example 2.32 as the thesis states it, discrete Lagrangian and discrete constraints in full: the steps of `midpoint`.
#[test]
fn the_discrete_disc_of_its_source_is_the_midpoint_rule() {
    let text = extremal_engine::gallery::text("rolling-disc").unwrap();
    let own = r#"
[discrete]
lagrangian = "m/(2*h)*((x_1 - x_0)^2 + (y_1 - y_0)^2) + I/(2*h)*(theta_1 - theta_0)^2 + J/(2*h)*(phi_1 - phi_0)^2"
[discrete.constraints]
roll_x = "x_1 - x_0 = R*cos((phi_0 + phi_1)/2)*(theta_1 - theta_0)"
roll_y = "y_1 - y_0 = R*sin((phi_0 + phi_1)/2)*(theta_1 - theta_0)"

[simulation]"#;
    let custom = model(&text.replace("\n[simulation]", own));
    let run = record(&custom, &with(&custom, "custom", 0.1));
    let disc = gallery("rolling-disc");
    let midpoint = record(&disc, &with(&disc, "midpoint", 0.1));
    for name in ["x", "y", "theta", "phi", "p_theta", "lambda_roll_x", "lambda_roll_y"] {
        let apart = distance(&run.column(name), &midpoint.column(name));
        // A hundred steps of a few roundings, positions of order one divided by h.
        assert!(apart < 1e-12, "{name}: {apart:e}");
    }
    let rows = run.rows(["x", "theta", "phi"]);
    for pair in rows.windows(2) {
        let [[x0, theta0, phi0], [x1, theta1, phi1]] = [pair[0], pair[1]];
        let residual = x1 - x0 - ((phi0 + phi1) / 2.0).cos() * (theta1 - theta0);
        assert!(residual.abs() < 1e-14, "{residual:e}");
    }
}

/// A discrete constraint other than the method's own: taken at the start of the step it is first order, and the run follows it.
#[test]
fn an_own_discrete_constraint_is_the_one_that_holds() {
    let text = extremal_engine::gallery::text("nonholonomic-particle").unwrap();
    let own = r#"
[discrete]
lagrangian = "((x_1 - x_0)^2 + (y_1 - y_0)^2 + (z_1 - z_0)^2)/(2*h)"
[discrete.constraints]
contact = "z_1 - z_0 = y_0*(x_1 - x_0)"

[simulation]"#;
    let custom = model(&text.replace("\n[simulation]", own));
    for pair in record(&custom, &with(&custom, "custom", 0.1)).rows(["x", "y", "z"]).windows(2) {
        let [[x0, y0, z0], [x1, _, z1]] = [pair[0], pair[1]];
        assert!((z1 - z0 - y0 * (x1 - x0)).abs() < 1e-14);
    }
    let exact = |t: f64| {
        let (c, y) = (2f64.sqrt() / 0.8, -1.0 + 0.8 * t);
        [c * (y.asinh() + 1f64.asinh()), c * ((1.0 + y * y).sqrt() - 2f64.sqrt())]
    };
    let order = order_of("left constraint", 0.04, 1e-12, |h| {
        let run = record(&custom, &with(&custom, "custom", h));
        distance(&["x", "z"].map(|name| run.last(name)), &exact(4.0))
    });
    assert!((order - 1.0).abs() < 0.1, "{order}");
}

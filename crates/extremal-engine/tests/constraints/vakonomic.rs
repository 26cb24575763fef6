//! Vakonomic motion: its multiplier, how it differs from the motion by reactions, and where it does not.

use extremal_engine::model::ConstraintKind;
use extremal_engine::{CompiledRun, Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{Lasting, gallery, record, reference, with};

/// The equations of the vakonomic skate, projected across the blade, say λ' = m g sin θ + m u θ' with the speed u along the blade.
/// Integrated by Simpson's rule over the rows of a reference run.
#[test]
fn the_multiplier_of_the_skate_obeys_its_equation() {
    let skate = gallery("skate-on-incline-vakonomic");
    let step = 0.01;
    let rows = record(&skate, &reference(&skate, step)).rows(["theta", "theta'", "x'", "y'", "lambda_blade"]);
    let slope = |[theta, turn, vx, vy, _]: &[f64; 5]| 2.0 * theta.sin() + turn * (vx * theta.cos() + vy * theta.sin());
    let mut lambda = 0.4;
    for pair in rows.windows(3).step_by(2) {
        lambda += step / 3.0 * (slope(&pair[0]) + 4.0 * slope(&pair[1]) + slope(&pair[2]));
        // Simpson: t h⁴/180 times the fourth derivative of the slope, which the frequencies of this motion (about 5) keep below 3000.
        let error = (lambda - pair[2][4]).abs();
        assert!(error < 5e-7, "{error:e}");
    }
    assert!(lambda > 5.0);
}

/// Both kinds of motion from one start: order 2 each, and apart from each other.
#[test]
fn vakonomic_and_nonholonomic_skates_part() {
    let [by_reaction, vakonomic] = ["skate-on-incline", "skate-on-incline-vakonomic"].map(|name| (name, gallery(name)));
    let position = |model: &Model, settings: Settings| {
        let run = record(model, &settings.until(3.0));
        ["x", "y", "theta"].map(|name| run.last(name))
    };
    let truths = [&by_reaction, &vakonomic].map(|(name, model)| {
        let truth = position(model, reference(model, 0.1));
        let order = order_of(name, 0.04, 1e-12, |h| distance(&position(model, with(model, "midpoint", h)), &truth));
        assert!((order - 2.0).abs() < 0.05, "{name}: {order}");
        truth
    });
    assert!(distance(&truths[0], &truths[1]) > 0.5, "{truths:?}");
}

/// An integrable constraint, the length of a pendulum: the same motion with a reaction from positions, with a reaction from
/// velocities, and vakonomically, where λ = −λ'.
#[test]
fn an_integrable_constraint_has_one_motion() {
    let text = extremal_engine::gallery::text("pendulum-polar").unwrap();
    let replaced = |constraint: &str| model(&text.replace("rod = \"rho = l\"", constraint));
    let positions = replaced("rod = \"rho = l\"");
    let velocities = replaced("rod = \"rho' = 0\"");
    let vakonomic = replaced("rod = { equation = \"rho' = 0\", kind = \"vakonomic\", multiplier = 0.3 }");
    assert_eq!(velocities.constraints()[0].kind, ConstraintKind::Nonholonomic);
    let end = |model: &Model, settings: Settings| record(model, &settings.until(2.3)).last("phi");
    let truth = end(&positions, reference(&positions, 0.1));
    for (what, model) in [("positions", &positions), ("velocities", &velocities), ("vakonomic", &vakonomic)] {
        let reached = end(model, reference(model, 0.1));
        assert!((reached - truth).abs() < 1e-11, "{what}: {reached}");
        let order = order_of(what, 0.04, 1e-12, |h| (end(model, with(model, "midpoint", h)) - truth).abs());
        assert!((order - 2.0).abs() < 0.05, "{what}: {order}");
    }
    // λ = −λ' between rows, by Simpson's rule; the force of constraint is recorded as the same reaction.
    let step = 0.01;
    let [forces, rates] = [&positions, &vakonomic].map(|model| record(model, &reference(model, step)));
    let (forces, rates) = (forces.rows(["lambda_rod", "reaction_rho"]), rates.rows(["lambda_rod", "reaction_rho"]));
    let mut lambda = 0.3;
    for k in (2..forces.len()).step_by(2) {
        lambda -= step / 3.0 * (forces[k - 2][0] + 4.0 * forces[k - 1][0] + forces[k][0]);
        assert!((lambda - rates[k][0]).abs() < 1e-6, "row {k}: {lambda} {}", rates[k][0]);
        assert!((forces[k][1] - rates[k][1]).abs() < 1e-10, "row {k}: {:?} {:?}", forces[k], rates[k]);
    }
}

/// Without a kinetic energy, the constraint on the speed gives the mass: L = −y + λ(x'² + y'² − 1). From the equations of motion
/// p_x = 2 λ x' is constant and p_y = 2 λ y' falls by one per unit of time, and the speed is one: λ = |p|/2, v = p/|p|.
#[test]
fn a_multiplier_that_is_all_the_mass_is_marched_by_every_method() {
    let text = |multiplier: f64| {
        format!(
            r#"
            coordinates = {{ x = {{ start = 0.0, velocity = 0.6 }}, y = {{ start = 1.0, velocity = 0.8 }} }}
            dynamics.lagrangian = "-y"
            constraints.speed = {{ equation = "x'^2 + y'^2 = 1", kind = "vakonomic", multiplier = {multiplier} }}
            simulation = {{ step = 0.01, until = 0.5 }}
            "#
        )
    };
    for multiplier in [0.5, -0.5, 2.0] {
        let arrow = model(&text(multiplier));
        let (px, py) = (2.0 * multiplier * 0.6, 2.0 * multiplier * 0.8 - 0.5);
        let size = multiplier.signum() * f64::hypot(px, py);
        for (method, tolerance) in [
            ("midpoint", 1e-4),
            ("trapezoidal", 1e-4),
            ("compose(suzuki4, midpoint)", 1e-7),
            ("gauss(2)", 1e-7),
            ("dop853", 1e-10),
        ] {
            let run = record(&arrow, &with(&arrow, method, 0.01));
            let seen = ["x'", "y'", "lambda_speed"].map(|name| run.last(name));
            assert!(
                distance(&seen, &[px / size, py / size, size / 2.0]) < tolerance,
                "{multiplier} {method}: {seen:?}"
            );
        }
    }
    // With λ = 0 nothing has a mass: singular in truth, and refused by name.
    let none = model(&text(0.0));
    let refused = extremal_engine::CompiledRun::new(&none, &with(&none, "midpoint", 0.01)).err().unwrap().to_string();
    assert!(refused.contains("the multiplier of the vakonomic constraint `speed` starts at 0"), "{refused}");
}

/// A discrete Lagrangian of one's own with a vakonomic constraint: h λ Φ in the middle of the step belongs to it, or λ φ_d as stated.
#[test]
fn a_custom_step_keeps_the_multiplier() {
    let custom = |stated: &str| {
        model(&format!(
            r#"
            [coordinates]
            x = {{ start = 0.0, velocity = 0.5 }}
            y = {{ start = 1.0, velocity = 0.0 }}
            z = {{ start = 0.0, velocity = 0.5 }}
            [dynamics]
            lagrangian = "(x'^2 + y'^2 + z'^2)/2 - y"
            [constraints]
            c = {{ equation = "z' = y*x'", kind = "vakonomic", multiplier = 0.3 }}
            [discrete]
            lagrangian = "((x_1 - x_0)^2 + (y_1 - y_0)^2 + (z_1 - z_0)^2)/(2*h) - h*(y_0 + y_1)/2"
            {stated}
            [simulation]
            method = "custom"
            step = 0.01
            until = 1.0
            "#
        ))
    };
    let stated = "[discrete.constraints]\nc = \"z_1 - z_0 = (y_0 + y_1)/2*(x_1 - x_0)\"";
    for stated in ["", stated] {
        let model = custom(stated);
        let [own, midpoint] = ["custom", "midpoint"].map(|method| record(&model, &with(&model, method, 0.01)));
        for name in ["x", "y", "z", "lambda_c"] {
            let apart = distance(&own.column(name), &midpoint.column(name));
            // Formulas in other orders, over a hundred steps.
            assert!(apart < 1e-12, "{name}: {apart:e}");
        }
        assert!((own.last("lambda_c") - 0.3).abs() > 0.05);
    }
}

/// [VC 8.3]: L_d = |Δq|²/(2h) and φ_d = Δz − y_0 Δx as they are typed, from q_0, q_1 and λ_0. The numbers are those of a recurrence
/// solved by another program.
#[test]
fn the_discrete_flow_from_two_points_and_a_multiplier() {
    let text = |second_z: f64| {
        format!(
            r#"
            [coordinates]
            x = {{ start = 0.0, second = "h" }}
            y = {{ start = 0.0, second = "h" }}
            z = {{ start = 0.0, second = {second_z} }}
            [dynamics]
            lagrangian = "(x'^2 + y'^2 + z'^2)/2"
            [constraints]
            roll = {{ equation = "z' = y*x'", kind = "vakonomic", multiplier = 0.3 }}
            [discrete]
            lagrangian = "((x_1 - x_0)^2 + (y_1 - y_0)^2 + (z_1 - z_0)^2)/(2*h)"
            constraints = {{ roll = "z_1 - z_0 = y_0*(x_1 - x_0)" }}
            [simulation]
            method = "custom"
            start = "two-points"
            step = 0.1
            until = 1.0
            "#
        )
    };
    let flow = model(&text(0.0));
    let run = record(&flow, &extremal_engine::Settings::of(&flow));
    assert!(distance(&["x", "y", "z"].map(|name| run.column(name)[1]), &[0.1, 0.1, 0.0]) < 1e-15);
    let end = ["x", "y", "z", "step_lambda_roll"].map(|name| run.last(name));
    // The digits that are given.
    assert!(distance(&end, &[0.908875167, 1.006098462, 0.374400442, -0.331115959]) < 6e-10, "{end:?}");
    // The multiplier of the first step is the stated one, and Δz − y_0 Δx vanishes in every step.
    assert_eq!(run.column("step_lambda_roll")[..2], [0.3, 0.3]);
    for pair in run.rows(["x", "y", "z"]).windows(2) {
        let [[x0, y0, z0], [x1, _, z1]] = [pair[0], pair[1]];
        assert!((z1 - z0 - y0 * (x1 - x0)).abs() < 1e-15);
    }
    // Two positions that do not satisfy φ_d belong to no motion.
    let off = model(&text(0.01));
    let refused = extremal_engine::CompiledRun::new(&off, &extremal_engine::Settings::of(&off)).err().unwrap();
    assert!(refused.to_string().contains("second"), "{refused}");
}

/// The same discrete constraint in a boundary problem: its action is stationary under φ_d, as with the formulas of `midpoint`.
#[test]
fn a_discrete_constraint_of_ones_own_between_two_ends() {
    let text = extremal_engine::gallery::text("heisenberg").unwrap();
    let own = r#"
[discrete]
lagrangian = "((x_1 - x_0)^2 + (y_1 - y_0)^2)/(2*h)"
constraints = { sweep = "z_1 - z_0 = ((x_0 + x_1)*(y_1 - y_0) - (y_0 + y_1)*(x_1 - x_0))/4" }

[boundary]"#;
    let custom = model(&text.replace("\n[boundary]", own));
    let [own, midpoint] =
        ["custom", "midpoint"].map(|method| extremal_testkit::boundary::solve(&custom, Some(method), 40));
    // The solver stops at residuals of 1e-8, of which the multiplier 2 pi makes so much of the action, and one order more of itself.
    assert!((own.objective - midpoint.objective).abs() < 1e-6, "{} {}", own.objective, midpoint.objective);
    let [own, midpoint] = [&own, &midpoint].map(|solution| solution.values("lambda_sweep").unwrap());
    assert!(distance(&own, &midpoint) < 1e-5, "{own:?}\n{midpoint:?}");
}

/// Any variational method starts from two positions and the multiplier of the step between them.
#[test]
fn two_positions_and_a_multiplier_start_the_midpoint_rule() {
    let text = |start: [&str; 3], multiplier: f64, simulation: &str| {
        let [x, y, z] = start;
        format!(
            r#"
            [coordinates]
            x = {{ start = 0.0, {x} }}
            y = {{ start = 1.0, {y} }}
            z = {{ start = 0.0, {z} }}
            [dynamics]
            lagrangian = "(x'^2 + y'^2 + z'^2)/2 - y"
            [constraints]
            c = {{ equation = "z' = y*x'", kind = "vakonomic", multiplier = {multiplier:e} }}
            [discrete]
            lagrangian = "((x_1 - x_0)^2 + (y_1 - y_0)^2 + (z_1 - z_0)^2)/(2*h) - h*(y_0 + y_1)/2"
            constraints.c = "z_1 - z_0 = (y_0 + y_1)/2*(x_1 - x_0)"
            [simulation]
            {simulation}
            step = 0.02
            until = 1.0
            "#
        )
    };
    let whole = model(&text(["velocity = 0.5", "velocity = 0.1", "velocity = 0.5"], 0.3, "method = \"custom\""));
    let whole = record(&whole, &extremal_engine::Settings::of(&whole));
    let second = ["x", "y", "z"].map(|name| format!("second = {:e}", whole.column(name)[1]));
    let second = [&second[0][..], &second[1], &second[2]];
    let multiplier = whole.column("step_lambda_c")[1];
    let from_two = model(&text(second, multiplier, "method = \"midpoint\"\nstart = \"two-points\""));
    let from_two = record(&from_two, &extremal_engine::Settings::of(&from_two));
    for name in ["x", "y", "z", "p_x", "lambda_c"] {
        let apart = distance(&whole.column(name), &from_two.column(name));
        // Positions printed with all digits over the step, in fifty steps.
        assert!(apart < 1e-11, "{name}: {apart:e}");
    }
}

#[test]
fn two_points_do_not_start_a_motion_under_both_kinds_of_multipliers() {
    let model = model(
        r#"
        coordinates.x = { start = 0.0, velocity = 1.0, second = 0.05 }
        coordinates.y = { start = 1.0, second = 1.0 }
        coordinates.z = { start = 0.0, velocity = 1.0, second = 0.05 }
        dynamics.lagrangian = "(x'^2 + y'^2 + z'^2)/2"
        constraints.slides = { equation = "x' = z'", kind = "nonholonomic" }
        constraints.optimal = { equation = "z' = y*x'", kind = "vakonomic", multiplier = 0.5 }
        simulation = { step = 0.05, steps = 1, start = "two-points" }
        "#,
    );
    let refused = CompiledRun::new(&model, &Settings::of(&model)).map(drop).unwrap_err().to_string();
    assert!(refused.contains("`two-points` is not defined for `midpoint`"), "{refused}");
}

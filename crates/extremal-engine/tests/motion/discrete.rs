//! `[discrete]`: discrete Lagrangians and forces typed by the user.

use extremal_engine::{Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::runs::attempt;

/// Position-dependent mass, friction, a driving force and explicit time: nothing in it cancels by accident.
fn two_coordinates(table: &str, method: &str) -> Model {
    model(&format!(
        r#"
        parameters = {{ c = 0.3, k = 1.7 }}
        coordinates = {{ x = {{ start = 0.4, velocity = 0.2 }}, y = {{ start = -0.3, velocity = 0.5 }} }}
        dynamics.lagrangian = "(x'^2 + (1 + x^2)*y'^2)/2 - k*cos(x)*y^2 - x^2 + sin(t)*x"
        forces.y = "cos(2*t)*x"
        friction = {{ x = "-c*x'", y = "-c*y'*x^2" }}
        {table}
        simulation = {{ method = "{method}", step = 0.05, steps = 200 }}
        "#
    ))
}

#[test]
fn the_midpoint_rule_typed_by_hand_is_the_midpoint_rule() {
    let typed = r#"
        discrete.lagrangian = """h*(((x_1 - x_0)^2 + (1 + ((x_0 + x_1)/2)^2)*(y_1 - y_0)^2)/(2*h^2)
            - k*cos((x_0 + x_1)/2)*((y_0 + y_1)/2)^2 - ((x_0 + x_1)/2)^2 + sin(t + h/2)*(x_0 + x_1)/2)"""
        discrete.force_minus.x = "-c*(x_1 - x_0)/2"
        discrete.force_minus.y = "h/2*(cos(2*t + h)*(x_0 + x_1)/2 - c*(y_1 - y_0)/h*((x_0 + x_1)/2)^2)"
        discrete.force_plus.x = "-c*(x_1 - x_0)/2"
        discrete.force_plus.y = "h/2*(cos(2*t + h)*(x_0 + x_1)/2 - c*(y_1 - y_0)/h*((x_0 + x_1)/2)^2)"
    "#;
    let (by_name, by_hand) = (two_coordinates("", "midpoint"), two_coordinates(typed, "custom"));
    let (by_name, by_hand) = (attempt(&by_name, &Settings::of(&by_name)), attempt(&by_hand, &Settings::of(&by_hand)));
    for column in ["x", "y", "p_x", "p_y"] {
        let pairs = by_name.column(column).into_iter().zip(by_hand.column(column));
        let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // The same equations arranged differently: 200 steps, each with a residual of some ε, and quotients of differences
        // that lose ε/h = 4e-15; errors grow by less than ten over this friction-damped motion.
        assert!(apart <= 200.0 * 10.0 * f64::EPSILON / 0.05, "{column}: {apart:e}");
        assert!(by_name.column(column).iter().any(|x| x.abs() > 0.1), "{column} moves");
    }
}

#[test]
fn a_discrete_lagrangian_of_ones_own_satisfies_its_own_equations() {
    // L_d = (x_1 - x_0)²/(2 h) - h x_0² x_1²/4 - h cos(x_0) t + h sin(t) x_1, f- = -h c x_1 x_0², f+ = -c (x_1 - x_0).
    let (h, c) = (0.05, 0.2);
    let model = model(
        r#"
        parameters.c = 0.2
        coordinates.x = { start = 0.7, velocity = -0.4 }
        dynamics.lagrangian = "x'^2/2"
        discrete.lagrangian = "(x_1 - x_0)^2/(2*h) - h*x_0^2*x_1^2/4 - h*cos(x_0)*t + h*sin(t)*x_1"
        discrete.force_minus = { x = "-h*c*x_1*x_0^2" }
        discrete.force_plus = { x = "-c*(x_1 - x_0)" }
        simulation = { method = "custom", step = 0.05, steps = 300 }
        "#,
    );
    let run = attempt(&model, &Settings::of(&model));
    let (t, x, p) = (run.column("t"), run.column("x"), run.column("p_x"));
    let minus = |a: f64, b: f64, t: f64| (b - a) / h + h * a * b * b / 2.0 - h * a.sin() * t + h * c * b * a * a;
    let plus = |a: f64, b: f64, t: f64| (b - a) / h - h * a * a * b / 2.0 + h * t.sin() - c * (b - a);
    assert_eq!(p[0], -0.4, "the Legendre transform of the start is the continuous one");
    for k in 0..x.len() - 1 {
        // Positions are rounded, and the quotient magnifies that by 1/h; the other terms are of the order of one.
        let size = (x[k].abs() + x[k + 1].abs()) / h + p[k].abs() + h * t[k] + 1.0;
        let allowed = 8.0 * f64::EPSILON * size;
        let (start, end) = (minus(x[k], x[k + 1], t[k]), plus(x[k], x[k + 1], t[k]));
        assert!((p[k] - start).abs() <= allowed, "step {k}: p- is off by {:e}", p[k] - start);
        assert!((p[k + 1] - end).abs() <= allowed, "step {k}: p+ is off by {:e}", p[k + 1] - end);
    }
    let spread = x.iter().fold(0.0_f64, |m, x| m.max((x - 0.7).abs()));
    assert!(spread > 0.5, "it moves: {spread}");
}

//! `[discrete]` and `[discretisation]`: discrete Lagrangians, forces and finite-difference maps typed by the user.

use extremal_engine::compare::{Against, compare};
use extremal_engine::{Model, Settings};

use extremal_testkit::models::model;
use extremal_testkit::numbers::distance;
use extremal_testkit::runs::{attempt, gallery, record, with};

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

/// ψ = (√(x_0 x_1), √(x_0 x_1) ln(x_1/x_0)/h) for a coordinate that stays positive; the entropy at its middle.
const GEOMETRIC_PISTON: &str = r#"
    parameters = { c = 1.5, gamma = 0.1 }
    coordinates.x = { start = 1.0, domain = "x > 0" }
    entropies.S = 1.0
    dynamics.lagrangian = "x'^2/2 - exp(S)*x^(-1/c)"
    friction.x = "-gamma*x'"
    discretisation.position.x = "sqrt(x_0*x_1)"
    discretisation.velocity.x = "sqrt(x_0*x_1)*log(x_1/x_0)/h"
    simulation = { method = "custom", step = 0.1, until = 2.0 }
"#;

#[test]
fn a_finite_difference_map_of_ones_own() {
    let piston = model(GEOMETRIC_PISTON);
    let run = record(&piston, &Settings::of(&piston));
    // L_d = h L∘ψ, f∓ = h (∂√(x_0 x_1)/∂x_∓) F∘ψ and ρ∘ψ = 0 differentiated by hand, solved by another program to round-off; twenty
    // steps with residuals of some ε.
    let end = ["x", "S"].map(|name| run.last(name));
    assert!(distance(&end, &[3.18260267020505, 1.15947426969310]) < 1e-13, "{end:?}");
    let steps = [0.1, 0.05, 0.025, 0.0125];
    let rows =
        compare(&piston, &Settings::of(&piston), &["custom".parse().unwrap()], &steps, Against::Dop853, 0..u64::MAX);
    for (name, order) in rows.unwrap().into_iter().skip(1).flat_map(|row| row.orders) {
        assert!((order.unwrap() - 2.0).abs() < 0.05, "{name}: {order:?}");
    }
}

/// Tables that state the maps of named methods, and the methods.
const NAMED_MAPS: [(&str, &str); 4] = [
    ("discretisation = {}", "midpoint"),
    ("discretisation = { position = { x = \"x_0\", y = \"x_0 - x_0 + y_0\" }, time = \"t\" }", "left"),
    (
        "discretisation = { position = { x = \"x_0 + (x_1 - x_0)/4\", y = \"(3*y_0 + y_1)/4\" }, time = \"t + h/4\" }",
        "theta(1/4)",
    ),
    (
        r#"discretisation.nodes = [{ weight = 0.5, position = { x = "x_0", y = "y_0" }, time = "t" },
            { weight = 0.5, position = { x = "x_1", y = "y_1" }, time = "t + h" }]"#,
        "trapezoidal",
    ),
];

#[test]
fn named_methods_are_finite_difference_maps() {
    for (table, method) in NAMED_MAPS {
        let (by_name, by_map) = (two_coordinates("", method), two_coordinates(table, "custom"));
        let (by_name, by_map) = (record(&by_name, &Settings::of(&by_name)), record(&by_map, &Settings::of(&by_map)));
        for column in ["x", "y", "p_x", "p_y"] {
            let apart = distance(&by_name.column(column), &by_map.column(column));
            // As above: the same equations arranged differently.
            assert!(apart <= 200.0 * 10.0 * f64::EPSILON / 0.05, "{method} {column}: {apart:e}");
        }
    }
}

#[test]
fn a_finite_difference_map_under_constraints_and_between_ends() {
    // Nonholonomic constraints are taken where the map is; holonomic ones at the nodes.
    for name in ["rolling-disc", "pendulum-rod"] {
        let named = gallery(name);
        let text = format!("{}\n[discretisation]\ntime = \"t + h/2\"\n", extremal_engine::gallery::text(name).unwrap());
        let mapped = model(&text);
        let [by_name, by_map] =
            [(&named, "midpoint"), (&mapped, "custom")].map(|(model, method)| record(model, &with(model, method, 0.1)));
        for coordinate in named.coordinates() {
            let apart = distance(&by_name.column(&coordinate.name), &by_map.column(&coordinate.name));
            assert!(apart < 1e-11, "{name} {}: {apart:e}", coordinate.name);
        }
    }
    // Costs are integrated by the map too.
    let text = format!("{}\n[discretisation]\n", extremal_engine::gallery::text("cart-pole-swing").unwrap());
    let mapped = model(&text);
    let cost = extremal_testkit::boundary::solve(&mapped, Some("custom"), 50).objective;
    assert!((cost - 59.5370549465).abs() < 1e-6, "{cost}");
}

/// A Lagrangian with accelerations, typed over three points as `difference` takes it.
#[test]
fn a_discrete_lagrangian_over_three_points() {
    let text = |method: &str| {
        format!(
            r#"
            coordinates.x = {{ start = 1.0, velocity = 0.2, acceleration = -0.5, jerk = 0.1 }}
            dynamics.lagrangian = "x''^2/2 - 5*x'^2/2 + 2*x^2 - x^4/40 + x*sin(t)"
            discrete.lagrangian = """h*(((x_2 - 2*x_1 + x_0)/h^2)^2/2 - 5*((x_2 - x_1)^2 + (x_1 - x_0)^2)/(4*h^2) + 2*x_1^2
                - x_1^4/40 + x_1*sin(t + h))"""
            simulation = {{ method = "{method}", step = 0.05, steps = 80 }}
            "#
        )
    };
    let [own, named] = ["custom", "difference"].map(|method| {
        let model = model(&text(method));
        record(&model, &Settings::of(&model))
    });
    for name in ["x", "x'", "x''", "p_x"] {
        let apart = distance(&own.column(name), &named.column(name));
        // Round-off of positions, over the square of the step for accelerations, growing over eighty steps.
        assert!(apart < 1e-9, "{name}: {apart:e}");
    }
    assert!(own.column("x").iter().any(|x| x.abs() > 1.0));
}

/// The flow (q_0 … q_3) → (q_1 … q_4) of [VC] 8.3: its equations by hand, and the momentum of a shift, which it keeps to round-off.
#[test]
fn the_flow_over_three_points_from_four_of_them() {
    let flow = model(
        r#"
        coordinates = { x = 0.0, y = 0.0 }
        dynamics.lagrangian = "(x''^2 + y''^2)/2 - cos(x - y)"
        [discrete]
        lagrangian = "((x_2 - 2*x_1 + x_0)^2 + (y_2 - 2*y_1 + y_0)^2)/(2*h^3) - h*cos(x_0 - y_2)"
        points = [{ x = 0, y = 0.3 }, { x = 0.1, y = 0.3 }, { x = "0.2 + h^2", y = 0.32 }, { x = 0.3, y = 0.35 }]
        [simulation]
        method = "custom"
        start = "points"
        step = 0.2
        steps = 60
        "#,
    );
    let run = record(&flow, &Settings::of(&flow));
    let rows = run.rows(["x", "y"]);
    assert_eq!(rows[0], [0.0, 0.3]);
    assert!(distance(&rows[2], &[0.24, 0.32]) < 1e-15 && distance(&rows[3], &[0.3, 0.35]) < 1e-15);
    let h = 0.2f64;
    for five in rows.windows(5) {
        let fourth = |k: usize| five[4][k] - 4.0 * five[3][k] + 6.0 * five[2][k] - 4.0 * five[1][k] + five[0][k];
        let push = |first: [f64; 2], last: [f64; 2]| h * (first[0] - last[1]).sin();
        let residual = [fourth(0) / h.powi(3) + push(five[2], five[4]), fourth(1) / h.powi(3) - push(five[0], five[2])];
        // Round-off of positions, with the coefficients of the fourth difference, over h³.
        let size = five.iter().flatten().fold(1.0f64, |most, q| most.max(q.abs()));
        assert!(residual.iter().all(|r| r.abs() < 64.0 * size * f64::EPSILON / h.powi(3)), "{residual:?} of {size}");
    }
    let sums: Vec<f64> = run.rows(["p_x", "p_y"]).iter().map(|[x, y]| x + y).collect();
    let size = run.rows(["p_x", "p_y"]).iter().flatten().fold(0.0f64, |most, p| most.max(p.abs()));
    let spread = sums.iter().fold(0.0f64, |most, sum| most.max((sum - sums[0]).abs()));
    assert!(size > 0.5 && spread < 1e-11 * size.max(1.0) / h, "{spread:e} of {size}");
}

#[test]
fn starts_from_points_that_cannot_be_are_refused() {
    let text = |order: &str, points: &str, start: &str| {
        format!(
            r#"
            coordinates = {{ x = 0.0, y = 0.0 }}
            [dynamics]
            lagrangian = "(x{order}^2 + y{order}^2)/2"
            [constraints]
            c = {{ equation = "y{order} = x", kind = "vakonomic" }}
            [discrete]
            lagrangian = "((x_2 - 2*x_1 + x_0)^2 + (y_2 - 2*y_1 + y_0)^2)/(2*h^3)"
            constraints = {{ c = "y_2 - 2*y_1 + y_0 = h^2*x_1" }}
            {points}
            [simulation]
            method = "custom"
            start = "{start}"
            step = 0.1
            steps = 5
            "#
        )
    };
    let points = "points = [{ x = 0, y = 0 }, { x = 1, y = 0 }, { x = 2, y = 0.01 }, { x = 3, y = 0.05 }]";
    let cases = [
        (text("''", points, "points"), "the points 2, 3 and 4 violate `c`"),
        (text("''", "", "points"), "needs four positions in a row"),
        (text("''", "", "legendre"), "constraints of a motion from its start are not defined"),
        (text("'", points, "points"), "belongs to a Lagrangian with accelerations"),
    ];
    for (text, expected) in cases {
        let model = model(&text);
        let refused = extremal_engine::CompiledRun::new(&model, &Settings::of(&model)).err().unwrap().to_string();
        assert!(refused.contains(expected), "{refused}");
    }
    let good = model(&text("''", &points.replace("0.05", "0.04"), "points"));
    assert!(record(&good, &Settings::of(&good)).column("step_lambda_c").iter().all(|lambda| lambda.is_finite()));
}

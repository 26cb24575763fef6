//! Controls that are constant, linear or polynomial in the steps, and their rates, against closed forms and shooting.

use extremal_engine::Model;
use extremal_engine::boundary::{BoundSide, Problem, ProblemError, Statement, Status};
use extremal_mechanics::boundary::BoundaryError;
use extremal_testkit::boundary::{assert_orders, assessed, columns, solve};
use extremal_testkit::models::{model, model_with};

/// A hard spring is brought to rest.
const SPRING: &str = r#"
    parameters.none = 0
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2 - x^2/2 - x^4/4"
    controls.u = { on = "x", shape = "SHAPE" }
    objective.running = "(x^2 + x'^2 + u^2)/2"
    boundary = { duration = 2, start = { x = 1, "x'" = 0 } }
"#;

/// The cost and the force at the start by shooting on Pontryagin's conditions with DOP853, tolerance 1e-13 (SciPy).
const SPRING_COST: f64 = 0.974_901_954_368_406_7;
const SPRING_FORCE: f64 = -0.153_614_05;

fn spring(shape: &str) -> Model {
    model(&SPRING.replace("SHAPE", shape).replace("parameters.none = 0", ""))
}

#[test]
fn the_order_of_the_method_is_that_of_the_cost() {
    // A cost is as accurate as the square of the best approximation of its control, and not more than the method.
    let cases = [
        ("midpoint", "constant", 2.0, 10),
        ("galerkin(2)", "constant", 2.0, 10),
        ("galerkin(2)", "linear", 4.0, 10),
        ("galerkin(2)", "polynomial", 4.0, 10),
        ("galerkin(3)", "linear", 4.0, 10),
        ("galerkin(3)", "polynomial", 6.0, 4),
        ("trapezoidal", "linear", 2.0, 10),
    ];
    for (method, shape, order, first) in cases {
        let model = spring(shape);
        let error = |steps: usize| (solve(&model, Some(method), steps).objective - SPRING_COST).abs();
        assert_orders(&format!("{method}, {shape}"), order, 0.25, first, error);
    }
}

#[test]
fn a_linear_control_has_values_at_both_ends() {
    let (solution, assessment) = assessed(&spring("linear"), Some("galerkin(2)"), 40);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    // The simulation follows the same lines: what is left is the error of the method.
    let missed = assessment.verification.end_error().unwrap();
    assert!(missed < 1e-6, "{missed}");
    let rows = columns(&solution, ["t", "u"]);
    assert!((rows[0][1] - SPRING_FORCE).abs() < 1e-3, "{:?}", rows[0]);
    // Nothing is gained by a force at the end.
    assert!(rows[40][1].abs() < 1e-3, "{:?}", rows[40]);
    assert!(solution.column("stage_u[1]").is_none());
}

#[test]
fn a_polynomial_control_is_told_by_its_values_at_the_stages() {
    let solution = solve(&spring("polynomial"), Some("galerkin(2)"), 8);
    let rows = columns(&solution, ["t", "u", "stage_time[1]", "stage_time[2]", "stage_u[1]", "stage_u[2]"]);
    let [t, u, first, second, low, high] = rows[3];
    let part = 0.5 - 3f64.sqrt() / 6.0;
    assert!((first - t - 0.25 * part).abs() < 1e-14 && (second + first - 2.0 * t - 0.25).abs() < 1e-14);
    let line = low + (high - low) * (t - first) / (second - first);
    assert!((u - line).abs() < 1e-12, "{u} instead of {line}");
    assert!(rows[8][2..].iter().all(|value| value.is_nan()), "no step begins at the end");
}

#[test]
fn shapes_may_differ_from_control_to_control() {
    // Two equal masses with the same task by controls of two shapes, against each alone.
    let pair = model(
        r#"
        coordinates = { x = {}, y = {} }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        controls = { u = { on = "x", shape = "linear" }, w = { on = "y", shape = "constant" }, p = { on = "y", shape = "polynomial" } }
        objective.running = "(u^2 + w^2 + 3*p^2)/2"
        boundary = { duration = 1, start = { x = 0, "x'" = 0, y = 0, "y'" = 0 }, end = { x = 1, "x'" = 0, y = 1, "y'" = 0 } }
        simulation.method = "galerkin(2)"
    "#,
    );
    let (solution, assessment) = assessed(&pair, None, 16);
    assert!(assessment.verification.end_error().unwrap() < 1e-9, "{:?}", assessment.verification);
    // u = 6 - 12 t costs 6, which a linear control can be. Both others share: together 4.5 if they are not held to their shapes.
    let exact = 6.0 + 4.5;
    assert!(solution.objective > exact && solution.objective < exact + 0.05, "{}", solution.objective);
    let [[u, w]] = columns(&solution, ["u", "w"])[..1] else { panic!() };
    assert!((u - 6.0).abs() < 1e-8, "{u}");
    // w is the mean of its line over a step.
    assert!((w - 4.5 * (1.0 - 1.0 / 16.0)).abs() < 0.05, "{w}");
}

/// A unit mass goes by one from rest to rest in least time, with a force that changes at most so fast and begins and ends with none.
const JERK: &str = r#"
    parameters.most = 32
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2"
    controls.u = { on = "x", rate = { min = "-most", max = "most" } }
    objective.running = "1"
    boundary = { duration = { min = 0.1, max = 5, guess = 2 }, start = [{ x = 0, "x'" = 0 }, "u = 0"], end = [{ x = 1, "x'" = 0 }, "u = 0"] }
    simulation.method = "galerkin(2)"
"#;

#[test]
fn the_least_time_with_a_bounded_jerk() {
    // T = (32/j)^(1/3), with switches after 1/4 and 3/4 of it: both on the grid, and the cubic motion is exact at the nodes.
    let model = model(JERK);
    let (solution, assessment) = assessed(&model, None, 16);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    assert!((solution.objective - 1.0).abs() < 1e-7, "{}", solution.objective);
    let force = columns(&solution, ["u"]);
    assert!((force[4][0] - 8.0).abs() < 1e-5 && (force[12][0] + 8.0).abs() < 1e-5, "{force:?}");
    let held: Vec<(&str, BoundSide)> = solution.active.iter().map(|bound| (bound.name.as_str(), bound.side)).collect();
    assert!(held.contains(&("u'", BoundSide::Upper)) && held.contains(&("u'", BoundSide::Lower)), "{held:?}");
    let upper = solution.active.iter().find(|bound| bound.side == BoundSide::Upper).unwrap();
    assert_eq!((upper.times.len(), upper.intervals.len()), (8, 2), "{upper:?}");
    // dT/dj = -T/(3 j).
    let slopes = extremal_testkit::boundary::problem(&model, None).sensitivities(&solution).unwrap();
    let [(name, slope)] = &slopes[..] else { panic!("{slopes:?}") };
    assert_eq!(name, "most");
    assert!((slope + 1.0 / 96.0).abs() < 1e-6, "{slope}");
    let slower = model_with(JERK, &[("most", "4")]);
    assert!((solve(&slower, None, 16).objective - 2.0).abs() < 1e-7);
}

#[test]
fn a_bound_of_a_rate_may_be_found() {
    // In unit time the least bound is 32.
    let text = JERK
        .replace("parameters.most = 32", "unknowns.most = { min = 0, guess = 50 }")
        .replace("running = \"1\"", "terminal = \"most\"")
        .replace("{ min = 0.1, max = 5, guess = 2 }", "1");
    let solution = solve(&model(&text), None, 16);
    assert!((solution.objective - 32.0).abs() < 1e-6, "{}", solution.objective);
}

#[test]
fn rates_cost() {
    // The least ∫ u'²/2 from rest to rest, without force at both ends: the quintic, 360.
    let text = JERK
        .replace(", rate = { min = \"-most\", max = \"most\" }", ", shape = \"linear\"")
        .replace("parameters.most = 32", "")
        .replace("running = \"1\"", "running = \"u'^2/2\"")
        .replace("{ min = 0.1, max = 5, guess = 2 }", "1");
    let model = model(&text);
    assert_orders("cost", 2.0, 0.1, 10, |steps| (solve(&model, None, steps).objective - 360.0).abs());
}

#[test]
fn a_condition_on_a_linear_control_holds_at_the_nodes() {
    // |u| <= 5 where 6 - 12 t would be best: u = 5 up to s, then a line to -5 at 1 - s, with ∫ (1 - t) u = 1.
    let bounded = |condition: &str| {
        let text = format!(
            r#"
            coordinates.x = {{}}
            dynamics.lagrangian = "x'^2/2"
            controls.u = {{ on = "x", shape = "linear" }}
            objective.running = "u^2/2"
            boundary = {{ duration = 1, start = {{ x = 0, "x'" = 0 }}, end = {{ x = 1, "x'" = 0 }}, {condition} }}
            simulation.method = "galerkin(2)"
        "#
        );
        solve(&model(&text), None, 20)
    };
    let by_condition = bounded("path = [\"abs(u) <= 5\"]");
    let force = columns(&by_condition, ["u"]);
    assert!(force.iter().all(|[u]| u.abs() < 5.0 + 1e-7), "{force:?}");
    // With a = 1/2 - s the moment is 5 (1/4 - a²/3) = 1, a² = 3/20; the cost is 25/2 - 50 a/3.
    let exact = 12.5 - 50.0 / 3.0 * 0.15f64.sqrt();
    assert!((by_condition.objective - exact).abs() < 2e-3, "{} instead of {exact}", by_condition.objective);
    // Without a force at the start it rises as fast as it may. A rate is looked at once in a step, whatever the quadrature.
    let slow = bounded("path = [\"abs(u') <= 40\"], links = [\"u_start = 0\"]");
    let rates: Vec<f64> = columns(&slow, ["u"]).windows(2).map(|pair| (pair[1][0] - pair[0][0]) * 20.0).collect();
    assert!(rates.iter().all(|rate| rate.abs() < 40.0 + 1e-6), "{rates:?}");
    assert!((rates[0] - 40.0).abs() < 1e-6, "{rates:?}");
}

#[test]
fn states_have_linear_controls_too() {
    // x' = -x + u from 1, cost ∫ (x² + u²)/2 over unit time: Riccati's equation p' = p² + 2 p - 1 with p(1) = 0, cost p(0)/2.
    let text = r#"
        states.x = { rate = "-x + u" }
        controls.u = { shape = "SHAPE" }
        objective.running = "(x^2 + u^2)/2"
        boundary = { duration = 1, start = { x = 1 } }
    "#;
    let root = 2f64.sqrt();
    let exact = 0.5 * root.tanh() / (root + root.tanh());
    let error = |shape: &str, method: &str, steps: usize| {
        (solve(&model(&text.replace("SHAPE", shape)), Some(method), steps).objective - exact).abs()
    };
    assert_orders("linear", 4.0, 0.2, 5, |steps| error("linear", "galerkin(2)", steps));
    assert_orders("constant", 2.0, 0.2, 5, |steps| error("constant", "galerkin(2)", steps));
}

#[test]
fn one_point_in_a_step_sees_no_alternating_values() {
    let model = spring("linear");
    for method in ["midpoint", "left", "theta(0.3)", "galerkin(1)"] {
        let method = method.parse().unwrap();
        let refused = Problem::new(&model, Statement::of(&model).unwrap(), &method).err();
        let alternating = matches!(&refused, Some(ProblemError::Boundary(BoundaryError::Alternating { control, .. })) if control == "u");
        assert!(alternating, "{method}: {refused:?}");
    }
}

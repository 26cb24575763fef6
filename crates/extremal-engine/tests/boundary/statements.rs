//! Integrals with bounds, largest values as costs, and conditions that link both ends, against closed forms.

use extremal_engine::boundary::{Kind, Problem, ProblemError, Statement, Status};
use extremal_mechanics::boundary::BoundaryError;
use extremal_testkit::boundary::{assert_orders, assessed, columns, problem, solve};
use extremal_testkit::models::model;

/// As far as a unit mass gets in unit time with an effort of three.
const BUDGET: &str = r#"
    parameters.effort = 3
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2"
    controls.u = "x"
    objective.terminal = "-x"
    boundary = { duration = 1, start = { x = 0, "x'" = 0 }, integrals = { spent = "u^2 <= effort" } }
"#;

#[test]
fn an_integral_may_have_a_largest_value() {
    // x = ∫ (1 - t) u is at most √(effort/3).
    let model = model(BUDGET);
    assert_orders("distance", 2.0, 0.05, 10, |steps| (solve(&model, None, steps).objective + 1.0).abs());
    let (solution, assessment) = assessed(&model, None, 80);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    // The distance grows by 1/6 with the effort, up to the error of the grid.
    let [(name, multiplier)] = &solution.integral_multipliers[..] else { panic!() };
    assert_eq!(name, "spent");
    assert!((multiplier - 1.0 / 6.0).abs() < 1e-4, "{multiplier}");
    let slopes = problem(&model, None).sensitivities(&solution).unwrap();
    assert!((slopes[0].1 + 1.0 / 6.0).abs() < 1e-4, "{slopes:?}");
}

#[test]
fn an_integral_that_is_not_reached_changes_nothing() {
    let text = BUDGET
        .replace("terminal = \"-x\"", "running = \"u^2/2\"")
        .replace("\"x'\" = 0 },", "\"x'\" = 0 }, end = { x = 1 },");
    // ∫ (1 - t) u = 1 at the least effort is u = 3 (1 - t): ∫ u² = 3 on the whole, above 3 on a grid: so 4 is enough.
    let loose = solve(&model(&text.replace("effort = 3", "effort = 4")), None, 20);
    let free = solve(
        &model(&text.replace("integrals = { spent = \"u^2 <= effort\" }", "").replace("parameters.effort = 3", "")),
        None,
        20,
    );
    assert!((loose.objective - free.objective).abs() < 1e-8, "{} {}", loose.objective, free.objective);
    assert!(loose.integral_multipliers[0].1.abs() < 1e-7, "{:?}", loose.integral_multipliers);
}

#[test]
fn an_integral_may_have_a_smallest_value() {
    // ∫ x = ∫ (1 - t)²/2 u is one at the least ∫ u² = 20.
    let text = BUDGET
        .replace("parameters.effort = 3", "")
        .replace("terminal = \"-x\"", "running = \"u^2\"")
        .replace("spent = \"u^2 <= effort\"", "area = \"1 <= x\"");
    let model = model(&text);
    // The error of the method is at most of the size of the square of the step.
    let cost = solve(&model, None, 80).objective;
    assert!((cost - 20.0).abs() < 20.0 / (80.0 * 80.0), "{cost}");
    // It is a lower bound that holds: the multiplier of what may not be smaller is negative, and the cost grows by 40 with it.
    let [(_, multiplier)] = &solve(&model, None, 80).integral_multipliers[..] else { panic!() };
    assert!((multiplier + 40.0).abs() < 0.05, "{multiplier}");
}

#[test]
fn a_rope_may_be_shorter_than_allowed() {
    // Of an action too: the largest area between a shore and at most so much rope uses all of it.
    let text = extremal_engine::gallery::text("dido").unwrap();
    let equal = model(text);
    let most = model(&text.replace("sqrt(1 + y'^2) = rope", "sqrt(1 + y'^2) <= rope"));
    let [equal, most] = [&equal, &most].map(|model| solve(model, None, 40));
    assert!((equal.objective - most.objective).abs() < 1e-7, "{} {}", equal.objective, most.objective);
}

#[test]
fn a_largest_value_is_a_cost() {
    // Rest to rest by one in unit time: the least peak is four.
    let text = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective.maximum = "abs(u)"
        boundary = { duration = 1, start = { x = 0, "x'" = 0 }, end = { x = 1, "x'" = 0 } }
    "#;
    let (solution, assessment) = assessed(&model(text), None, 20);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    assert!((solution.objective - 4.0).abs() < 1e-6, "{}", solution.objective);
    assert_eq!(solution.found[0].name, "maximum");
    assert!((solution.found[0].value - 4.0).abs() < 1e-6, "{:?}", solution.found);
}

#[test]
fn a_largest_value_beside_a_running_cost() {
    // Bryson and Denham's wall at l costs 4/(9 l) for l <= 1/6: with 36 l besides, l = 1/9 and both parts are 4.
    let text = r#"
        parameters = { maximum = 36 }
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective = { running = "u^2/2", maximum = "maximum*x" }
        boundary = { duration = 1, start = { x = 0, "x'" = 1 }, end = { x = 0, "x'" = -1 } }
    "#;
    let model = model(text);
    assert_orders("cost", 2.0, 0.3, 30, |steps| (solve(&model, None, steps).objective - 8.0).abs());
    let solution = solve(&model, None, 120);
    assert!((solution.found[0].value - 4.0).abs() < 0.02, "{:?}", solution.found);
    // A parameter of the same name is not taken for it; the cost grows by l with it.
    let slopes = problem(&model, None).sensitivities(&solution).unwrap();
    assert!((slopes[0].1 - 1.0 / 9.0).abs() < 1e-3, "{slopes:?}");
}

#[test]
fn a_motion_repeats_itself_further_on() {
    // Against a drag of its own size a mass goes on by one in unit time: steadily, with the force one.
    let text = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        friction.x = "-x'"
        controls.u = "x"
        objective.running = "u^2"
        boundary = { duration = 1, start = { x = 0 }, links = ["x_end = x_start + 1", "x_end' = x_start'"], guess = { x = "s^2" } }
    "#;
    let (solution, assessment) = assessed(&model(text), None, 20);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    assert!((solution.objective - 1.0).abs() < 1e-9, "{}", solution.objective);
    let speeds = columns(&solution, ["x'"]);
    assert!(speeds.iter().all(|[v]| (v - 1.0).abs() < 1e-7), "{speeds:?}");
    // The cost is the square of the stride.
    let told = solution.end_multipliers.iter().find(|(text, _)| text == "x_end = x_start + 1").unwrap();
    assert!((told.1 + 2.0).abs() < 1e-7, "{told:?}");
}

#[test]
fn an_orbit_returns_up_to_a_turn() {
    // A third of a turn in unit time around a unit mass: the circle with ω² r³ = 1, whose action is 3/(2 r).
    let text = r#"
        parameters.turn = "2*pi/3"
        coordinates = { x = {}, y = {} }
        dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"
        [boundary]
        duration = 1
        start = ["y = 0"]
        links = ["x_end = cos(turn)*x_start - sin(turn)*y_start", "y_end = sin(turn)*x_start + cos(turn)*y_start"]
        guess = { x = "0.7*cos(turn*s)", y = "0.7*sin(turn*s)" }
    "#;
    let model = model(text);
    assert_eq!(problem(&model, None).kind(), Kind::Action);
    let radius = (2.0 * std::f64::consts::PI / 3.0).powf(-2.0 / 3.0);
    assert_orders("action", 2.0, 0.1, 12, |steps| (solve(&model, None, steps).objective - 1.5 / radius).abs());
    let rows = columns(&solve(&model, None, 48), ["x", "y", "x'", "y'"]);
    // The momentum returns turned without being asked to.
    let ([_, _, v, w], [_, _, v_end, w_end]) = (rows[0], rows[48]);
    let (c, s) = ((2.0 * std::f64::consts::PI / 3.0).cos(), (2.0 * std::f64::consts::PI / 3.0).sin());
    assert!((v_end - c * v + s * w).abs() < 1e-7 && (w_end - s * v - c * w).abs() < 1e-7, "{rows:?}");
}

#[test]
fn states_definitions_controls_and_times_can_be_linked() {
    // From time 1 to 2 the state grows by two, the control ends where it began, and t x grows by five: 2 (x + 2) = x + 5, so x = 1.
    let text = r#"
        definitions.area = "t*x"
        states.x = { rate = "u" }
        controls.u = { shape = "linear" }
        objective.running = "u'^2 + (u - 3*t)^2"
        boundary = { duration = 1, from = 1, links = ["x_end = x_start + 2", "u_end = u_start", "area_end = area_start + 5"] }
        simulation.method = "galerkin(2)"
    "#;
    let solution = solve(&model(text), None, 40);
    let rows = columns(&solution, ["x", "u"]);
    let ([x, u], [x_end, u_end]) = (rows[0], rows[40]);
    assert!((x - 1.0).abs() < 1e-8 && (x_end - 3.0).abs() < 1e-8, "{x} {x_end}");
    assert!((u_end - u).abs() < 1e-8, "{u} {u_end}");
    // u'' = u - 3 t + k with u' the same at both ends minus what the link costs: u stays near its mean 2 instead of following 3 t.
    let mean: f64 = rows.windows(2).map(|pair| (pair[0][1] + pair[1][1]) / 80.0).sum();
    assert!((mean - 2.0).abs() < 1e-8, "{mean}");
}

#[test]
fn links_of_velocities_need_an_objective() {
    let text = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2 - x^2/2"
        boundary = { duration = 1, start = { x = 1 }, links = ["x_end' = x_start'"] }
    "#;
    let model = model(text);
    let refused = Problem::new(&model, Statement::of(&model).unwrap(), &model.simulation().method).err();
    assert_eq!(refused, Some(ProblemError::Boundary(BoundaryError::Conditions)));
    // Nor is there a choice of motions whose integral could be at most something, where conditions determine the motion.
    let determined = extremal_testkit::models::model(
        r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        forces.x = "-x"
        boundary = { duration = 1, start = { x = 1, "x'" = 0 }, integrals = { way = "x^2 <= 1" } }
    "#,
    );
    let refused = Problem::new(&determined, Statement::of(&determined).unwrap(), &determined.simulation().method).err();
    assert_eq!(refused, Some(ProblemError::Boundary(BoundaryError::Conditions)));
}

#[test]
fn algebraic_states_are_controls_with_an_equation() {
    // x' = -z where z + z³ = x, from z = 1: log z + 3 z²/2 = 3/2 - t.
    let text = r#"
        states.x = { rate = "-z" }
        controls.z = { guess = 1 }
        objective.running = "z^2"
        boundary = { duration = 1, start = { x = 2 }, path = ["z + z^3 = x"] }
        simulation.method = "galerkin(2)"
    "#;
    let model = model(text);
    let mut last = 0.7f64;
    for _ in 0..50 {
        last -= (last.ln() + 1.5 * last * last - 0.5) / (1.0 / last + 3.0 * last);
    }
    let exact = [last + last.powi(3), 0.5 + 0.75 - last * last / 2.0 - 0.75 * last.powi(4)];
    assert_orders("cost", 4.0, 0.2, 4, |steps| (solve(&model, None, steps).objective - exact[1]).abs());
    let end = |steps: usize| columns(&solve(&model, None, steps), ["x"])[steps][0];
    assert_orders("end", 4.0, 0.2, 4, |steps| (end(steps) - exact[0]).abs());
}

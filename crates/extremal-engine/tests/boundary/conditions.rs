//! Conditions on expressions along the way and at the ends, against closed forms.

use extremal_engine::boundary::{BoundSide, Kind, Status};
use extremal_testkit::boundary::{assert_orders, assessed, columns, problem, solve};
use extremal_testkit::models::{model, model_with};

/// Bryson and Denham: a unit mass leaves 0 with speed 1 and comes back with it in unit time, never further than l.
const WALL: &str = r#"
    parameters.l = "1/9"
    coordinates.x = {}
    dynamics.lagrangian = "x'^2/2"
    controls.u = "x"
    objective.running = "u^2/2"
    boundary = { duration = 1, steps = 60, start = { x = 0, "x'" = 1 }, end = { x = 0, "x'" = -1 }, path = ["2*x <= 2*l"] }
"#;

#[test]
fn a_wall_costs_what_bryson_and_denham_say() {
    let model = model(WALL);
    let exact = 4.0 / (9.0 * (1.0 / 9.0));
    // The ends 3 l and 1 - 3 l of the arc at the wall lie on these grids.
    assert_orders("cost", 2.0, 0.1, 30, |steps| (solve(&model, None, steps).objective - exact).abs());
    let (solution, assessment) = assessed(&model, None, 60);
    assert_eq!(assessment.status, Status::Optimal);
    let [bound] = &solution.active[..] else { panic!("{:?}", solution.active) };
    assert_eq!((bound.name.as_str(), bound.side), ("2*x <= 2*l", BoundSide::Condition));
    // Along the arc no force is needed: the wall pushes where it is met and left.
    let touches: Vec<[f64; 2]> = vec![[20.0 / 60.0; 2], [40.0 / 60.0; 2]];
    assert_eq!(bound.intervals, touches);
}

#[test]
fn multipliers_of_a_condition_say_what_it_costs() {
    // The cost is 4/(9 l), so that its slope by l is -4/(9 l²), and ∫ μ dt with 2 x - 2 l <= 0 half of that.
    let solution = solve(&model(WALL), None, 240);
    let rows = columns(&solution, ["t", "multiplier_path[1]"]);
    assert!(rows.iter().all(|[_, pressure]| *pressure > -1e-6), "a condition that pulls");
    let h = 1.0 / 240.0;
    let inner: f64 = rows[1..240].iter().map(|[_, pressure]| pressure * h).sum();
    let whole = inner + 0.5 * h * (rows[0][1] + rows[240][1]);
    // Both are derivatives of the discrete cost, whose own error is below 1e-3 of it here.
    assert!((whole - 18.0).abs() < 0.05, "{whole}");
}

/// A unit mass on a curve around a round pillar at the origin: the least action is half the square of the shortest length.
const PILLAR: &str = r#"
    parameters.r = 1
    coordinates = { x = {}, y = {} }
    dynamics.lagrangian = "(x'^2 + y'^2)/2"
    boundary = { duration = 1, steps = 40, start = { x = -2, y = 0 }, end = { x = 2, y = 1 }, path = "x^2 + y^2 >= r^2" }
"#;

#[test]
fn the_shortest_way_around_a_pillar() {
    let model = model(PILLAR);
    assert_eq!(problem(&model, None).kind(), Kind::Action);
    // Two tangents of lengths √3 and 2, and the arc between their ends.
    let arc = std::f64::consts::PI - (0.5f64).atan() - (0.5f64).acos() - (1.0 / 5f64.sqrt()).acos();
    let exact = (3f64.sqrt() + 2.0 + arc).powi(2) / 2.0;
    let (solution, assessment) = assessed(&model, None, 160);
    assert_eq!(assessment.status, Status::Stationary, "{:?}", assessment.doubts);
    // Chords of the arc are too short by (length of a step)²/24 each.
    assert!((solution.objective / exact - 1.0).abs() < 1e-4, "{} instead of {exact}", solution.objective);
    assert!(solution.active[0].times.len() > 10, "{:?}", solution.active);
}

#[test]
fn ends_on_a_curve_are_met_at_right_angles() {
    // From (0, 4) to the disc of radius 1 around (3, 0): a straight line of length 4 towards its middle.
    let model = model(
        r#"
        coordinates = { x = {}, y = {} }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        boundary = { duration = 1, steps = 10, start = { x = 0, y = 4 }, end = "(x - 3)^2 + y^2 <= 1" }
    "#,
    );
    let solution = solve(&model, None, 10);
    assert!((solution.objective - 8.0).abs() < 1e-7, "{}", solution.objective);
    let [[x, y]] = columns(&solution, ["x", "y"])[10..] else { panic!() };
    assert!((x - 2.4).abs() < 1e-7 && (y - 0.8).abs() < 1e-7, "({x}, {y})");
    // The action (5 - ρ)²/2 falls with ρ² by (5 - ρ)/(2 ρ).
    let [(text, multiplier)] = &solution.end_multipliers[..] else { panic!("{:?}", solution.end_multipliers) };
    assert_eq!(text, "(x - 3)^2 + y^2 <= 1");
    assert!((multiplier - 2.0).abs() < 1e-6, "{multiplier}");
}

#[test]
fn conditions_at_both_ends_may_contain_velocities() {
    // From any speed at the origin to x + x' = 3 in unit time by the force u: x = a t + b t²/2 + c t³/6 with x'' = u linear.
    // Minimise ∫ u²/2: with x(0) = 0 and x'(0) = w <= 1 the cheapest is w = 1, and one condition 2 w + ∫ (1 + (1 - t)) u dt = 3.
    let model = model(
        r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective.running = "u^2/2"
        boundary = { duration = 1, start = [{ x = 0 }, "x' <= 1"], end = ["x + x' = 3"] }
        simulation.method = "midpoint"
    "#,
    );
    // u = k (2 - t) with k ∫ (2 - t)² = 7 k/3 = 1: cost k²/2 · 7/3 = 3/14.
    assert_orders("cost", 2.0, 0.05, 20, |steps| (solve(&model, None, steps).objective - 3.0 / 14.0).abs());
    let solution = solve(&model, None, 80);
    // Slopes of the cost by the right sides: 3/7 by 3, and -6/7 by the largest speed.
    let multipliers: Vec<f64> = solution.end_multipliers.iter().map(|(_, value)| *value).collect();
    assert!((multipliers[0] - 6.0 / 7.0).abs() < 1e-3, "{multipliers:?}");
    assert!((multipliers[1] + 3.0 / 7.0).abs() < 1e-3, "{multipliers:?}");
}

#[test]
fn power_and_grip_limit_a_car() {
    // As far as it gets in unit time with |u| <= F and u x' <= P: full force to the speed P/F, then full power.
    let car = r#"
        parameters = { F = 4, P = 6 }
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective.terminal = "-x"
        boundary = { duration = 1, start = { x = 0, "x'" = 0 }, path = ["abs(u) <= F and u*x' <= P"] }
    "#;
    let (force, power) = (4.0f64, 6.0f64);
    let speed = power / force;
    let end = (speed * speed + 2.0 * power * (1.0 - speed / force)).sqrt();
    let exact = speed * speed / (2.0 * force) + (end.powi(3) - speed.powi(3)) / (3.0 * power);
    let model = model(car);
    // The switch at 3/8 lies on these grids.
    assert_orders("distance", 2.0, 0.2, 16, |steps| (solve(&model, None, steps).objective + exact).abs());
    let solution = solve(&model, None, 64);
    let held: Vec<[f64; 2]> = solution.active.iter().flat_map(|bound| bound.intervals.clone()).collect();
    assert!(held.iter().any(|[from, until]| *from == 0.0 && *until == 1.0), "{:?}", solution.active);
    assert_eq!(solution.columns.iter().filter(|column| column.name().starts_with("multiplier_path")).count(), 3);
}

#[test]
fn multipliers_of_constraints_can_be_bounded() {
    // A cart on a floor may push with μ N at most, N being the multiplier of the floor: it comes as far as μ g/2 in unit time.
    let cart = r#"
        parameters = { mu = 0.5, g = 9.81, m = 2 }
        coordinates = { x = {}, y = {} }
        dynamics.lagrangian = "m*(x'^2 + y'^2)/2 - m*g*y"
        constraints.floor = "y = 0"
        controls.u = "x"
        objective.terminal = "-x"
        boundary = { duration = 1, steps = 20, start = { x = 0, y = 0, "x'" = 0, "y'" = 0 }, path = ["abs(u) <= mu*lambda_floor"] }
    "#;
    let solution = solve(&model(cart), None, 20);
    assert!((solution.objective + 0.5 * 9.81 / 2.0).abs() < 1e-7, "{}", solution.objective);
    let slippery = model_with(cart, &[("mu", "0.25")]);
    assert!((solve(&slippery, None, 20).objective + 0.25 * 9.81 / 2.0).abs() < 1e-7);
}

#[test]
fn states_can_be_bound_by_equations_along_the_way() {
    // Two tanks share what comes in: v + w = 1 at all times, at least cost ∫ (v² + 2 w²) with x' = v, y' = w. So v = 2/3, w = 1/3.
    let model = model(
        r#"
        states = { x = { start = 0, rate = "v" }, y = { start = 0, rate = "w" } }
        controls = { v = {}, w = {} }
        objective.running = "v^2 + 2*w^2"
        boundary = { duration = 1, steps = 8, start = { x = 0, y = 0 }, path = ["x + y = t"] }
        simulation.method = "galerkin(2)"
    "#,
    );
    let solution = solve(&model, None, 8);
    let [[x, y]] = columns(&solution, ["x", "y"])[8..] else { panic!() };
    assert!((x - 2.0 / 3.0).abs() < 1e-8 && (y - 1.0 / 3.0).abs() < 1e-8, "({x}, {y})");
    assert!((solution.objective - 2.0 / 3.0).abs() < 1e-8, "{}", solution.objective);
}

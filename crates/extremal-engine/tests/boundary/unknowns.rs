//! Parameters that are found with the motion, and slopes of the cost by those that are given.

use extremal_engine::Model;
use extremal_engine::boundary::{BoundarySolution, Status};
use extremal_testkit::boundary::{assert_orders, assessed, problem, solve};
use extremal_testkit::models::model;

fn found(solution: &BoundarySolution, name: &str) -> f64 {
    solution.found.iter().find(|found| found.name == name).unwrap_or_else(|| panic!("no {name}")).value
}

fn slopes(model: &Model, solution: &BoundarySolution) -> Vec<(String, f64)> {
    problem(model, None).sensitivities(solution).unwrap()
}

fn slope_by(model: &Model, solution: &BoundarySolution, name: &str) -> f64 {
    slopes(model, solution).into_iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// A mass that is moved by one in unit time from rest to rest: at least 6 m², and a/m for what it carries.
const MASS: &str = r#"
    parameters.a = 96
    unknowns.m = { min = 0.1, max = 10, guess = 1 }
    coordinates.x = {}
    dynamics.lagrangian = "m*x'^2/2"
    controls.u = "x"
    objective = { running = "u^2/2", terminal = "a/m" }
    boundary = { duration = 1, steps = 20, start = { x = -1, "x'" = 0 }, end = { x = 0, "x'" = 0 } }
"#;

/// The least cost of `u^2/2` on N steps of the midpoint rule is this times that of the continuous motion.
fn dearer(steps: usize) -> f64 {
    1.0 / (1.0 - 1.0 / (steps * steps) as f64)
}

#[test]
fn a_mass_in_cost_and_dynamics() {
    // 6 f m² + a/m is least where 12 f m³ = a.
    let best = |steps: usize| (96.0 / (12.0 * dearer(steps))).cbrt();
    let (solution, assessment) = assessed(&model(MASS), None, 20);
    assert_eq!(assessment.status, Status::Optimal, "{:?}", assessment.doubts);
    let m = best(20);
    assert!((found(&solution, "m") - m).abs() < 1e-7, "{:?}", solution.found);
    assert!((solution.objective - (6.0 * dearer(20) * m * m + 96.0 / m)).abs() < 1e-8, "{}", solution.objective);
    // The multiplier of a bound that does not hold it is what the barrier leaves.
    assert!(solution.found[0].multiplier.abs() < 1e-6, "{:?}", solution.found);
    // The cost grows by 1/m with a.
    let told = slopes(&model(MASS), &solution);
    let [(name, slope)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(name, "a");
    assert!((slope - 1.0 / m).abs() < 1e-8, "{slope}");
    // The value is a column, by which finer grids begin.
    assert!(solution.values("m").unwrap().iter().all(|value| (value - m).abs() < 1e-7));
}

#[test]
fn a_bound_that_holds_an_unknown_has_its_multiplier() {
    let narrow = MASS.replace("max = 10", "max = \"most\"").replace("a = 96", "a = 96\n    parameters.most = 1.5");
    let solution = solve(&model(&narrow), None, 20);
    assert!((found(&solution, "m") - 1.5).abs() < 1e-7, "{:?}", solution.found);
    let slope = 12.0 * dearer(20) * 1.5 - 96.0 / 2.25;
    assert!((solution.found[0].multiplier - slope).abs() < 1e-4, "{:?} instead of {slope}", solution.found);
    let by_bound = slope_by(&model(&narrow), &solution, "most");
    assert!((by_bound - slope).abs() < 1e-4, "{by_bound} instead of {slope}");
}

#[test]
fn an_end_that_is_found() {
    // From rest at 0 to x = l with any speed: 3 l²/2, and (l - 3)²/2: least at l = 3/4.
    let text = r#"
        unknowns.l = 2
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective = { running = "u^2/2", terminal = "(l - 3)^2/2" }
        boundary = { duration = 1, start = { x = 0, "x'" = 0 }, end = { x = "l" } }
    "#;
    let model = model(text);
    assert_orders("l", 2.0, 0.05, 10, |steps| (found(&solve(&model, None, steps), "l") - 0.75).abs());
    assert_orders("cost", 2.0, 0.05, 10, |steps| (solve(&model, None, steps).objective - 3.375).abs());
    let (text, multiplier) = solve(&model, None, 40).end_multipliers[0].clone();
    assert_eq!(text, "x = l");
    // The cost of the end by its place, 3 l, is what the wish for a far one weighs.
    assert!((multiplier + 2.25).abs() < 2e-3, "{multiplier}");
}

#[test]
fn the_least_peak_of_a_force() {
    // From rest to rest by one in unit time with the least peak: full ahead, full back, with 4.
    let text = r#"
        unknowns.peak = { min = 0, guess = 10 }
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = { on = "x", min = "-peak", max = "peak" }
        objective.terminal = "peak"
        boundary = { duration = 1, steps = 20, start = { x = 0, "x'" = 0 }, end = { x = 1, "x'" = 0 } }
    "#;
    let solution = solve(&model(text), None, 20);
    assert!((solution.objective - 4.0).abs() < 1e-7, "{}", solution.objective);
    for (k, u) in solution.values("u").unwrap()[..20].iter().enumerate() {
        let bang = if k < 10 { 4.0 } else { -4.0 };
        assert!((u - bang).abs() < 1e-5, "u_{k} = {u}");
    }
}

#[test]
fn conditions_between_unknowns() {
    // Of two masses with a + b >= 3 that are moved alike: 6 (a² + 2 b²) is least at a = 2, b = 1.
    let text = r#"
        unknowns = { a = 1, b = 1 }
        coordinates = { x = {}, y = {} }
        dynamics.lagrangian = "a*x'^2/2 + b*y'^2/2"
        controls = { u = "x", v = "y" }
        objective.running = "u^2/2 + v^2"
        [boundary]
        duration = 1
        steps = 10
        start = [{ x = 0, y = 0, "x'" = 0, "y'" = 0 }, "a + b >= 3"]
        end = { x = 1, y = 1, "x'" = 0, "y'" = 0 }
    "#;
    let solution = solve(&model(text), None, 10);
    assert!(
        (found(&solution, "a") - 2.0).abs() < 1e-6 && (found(&solution, "b") - 1.0).abs() < 1e-6,
        "{:?}",
        solution.found
    );
    // 6 (4 + 2), and its slope by the 3, which is 24.
    assert!((solution.objective - 36.0 * dearer(10)).abs() < 1e-6, "{}", solution.objective);
    assert!((solution.end_multipliers[0].1 - 24.0 * dearer(10)).abs() < 1e-5, "{:?}", solution.end_multipliers);
}

#[test]
fn a_stiffness_from_where_the_motion_ends() {
    // x'' = -k x passes 0 after a quarter of its period.
    let text = r#"
        unknowns.k = { min = 0.1, guess = 1 }
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2 - k*x^2/2"
        objective.running = "0"
        boundary = { duration = 1, start = { x = 1, "x'" = 0 }, end = { x = 0 } }
    "#;
    let model = model(text);
    let exact = (std::f64::consts::PI / 2.0).powi(2);
    assert_orders("stiffness", 2.0, 0.05, 10, |steps| (found(&solve(&model, None, steps), "k") - exact).abs());
    // The simulation has the stiffness that was found: it misses the end by the error of the grid.
    let problem = problem(&model, None);
    let missed = problem.verify(&solve(&model, None, 40)).unwrap().end_error().unwrap();
    assert!(missed < 1e-3, "{missed}");
}

#[test]
fn slopes_of_the_least_cost_by_what_is_given() {
    // 6 d² m²/T³ with d = 2 half: through the ends, the dynamics and the duration.
    let text = r#"
        parameters = { half = 0.5, d = "2*half", m = 1, T = 1 }
        coordinates.x = {}
        dynamics.lagrangian = "m*x'^2/2"
        controls.u = "x"
        objective.running = "u^2/2"
        boundary = { duration = "T", steps = 20, start = { x = "-d", "x'" = 0 }, end = { x = 0, "x'" = 0 } }
    "#;
    let moved = model(text);
    let solution = solve(&moved, None, 20);
    for (name, slope) in [("half", 24.0), ("d", 12.0), ("m", 12.0), ("T", -18.0)] {
        let told = slope_by(&moved, &solution, name);
        assert!((told - slope * dearer(20)).abs() < 1e-7, "{name}: {told}");
    }
    // The least time 2 √(d m/F) by the bound of the force.
    let text = r#"
        parameters = { d = 1, m = 1, F = 1 }
        coordinates.x = {}
        dynamics.lagrangian = "m*x'^2/2"
        controls.u = { on = "x", min = "-F", max = "F" }
        objective.running = "1"
        boundary = { duration = { min = 0.5, max = 10, guess = 3 }, steps = 20, start = { x = "-d", "x'" = 0 }, end = { x = 0, "x'" = 0 } }
    "#;
    let hurried = model(text);
    let solution = solve(&hurried, None, 20);
    for (name, slope) in [("d", 1.0), ("m", 1.0), ("F", -1.0)] {
        let told = slope_by(&hurried, &solution, name);
        assert!((told - slope).abs() < 1e-6, "{name}: {told}");
    }
}

//! The cart and pole of the thesis: the numbers that CasADi with IPOPT gives for the same transcription.

use std::ops::ControlFlow;

use extremal_engine::boundary::{BoundSide, Guess, Refinement, SolveSettings, Status, nature_name};

use extremal_testkit::boundary::{attempt, problem, solve};
use extremal_testkit::runs::gallery_with;

#[test]
fn wide_bounds() {
    let solution = solve(&gallery_with("cart-pole-swing", &[]), None, 50);
    assert_eq!(solution.status, Status::Optimal);
    assert!((solution.objective - 59.5370549).abs() < 1e-6, "{}", solution.objective);
    assert!(solution.active.is_empty());
}

#[test]
fn tight_bounds() {
    let solution = solve(&gallery_with("cart-pole-swing", &[("limit", "10")]), None, 50);
    assert!((solution.objective - 62.966959).abs() < 1e-5, "{}", solution.objective);
    assert_eq!(solution.active.iter().map(|bound| bound.times.len()).sum::<usize>(), 9);
    assert_eq!(solution.nature.map(nature_name).as_deref(), Some("minimum"));
}

#[test]
fn too_tight_bounds_are_infeasible_and_named() {
    let model = gallery_with("cart-pole-swing", &[("limit", "4")]);
    let solution = attempt(&problem(&model, None), None);
    assert_eq!(solution.status, Status::Infeasible);
    assert!(solution.violations[0].condition.contains("equation of motion of `th`"), "{:?}", solution.violations);
    assert!(solution.violations[0].time > 0.0);
    let sides: Vec<(&str, BoundSide, f64)> =
        solution.active.iter().map(|bound| (bound.name.as_str(), bound.side, bound.bound)).collect();
    assert_eq!(sides, [("u", BoundSide::Upper, 4.0), ("u", BoundSide::Lower, -4.0)]);
}

#[test]
fn refinement_tends_to_the_limit() {
    let model = gallery_with("cart-pole-swing", &[]);
    let problem = problem(&model, None);
    let (solution, levels) = problem
        .refine(&Guess::Stated, &SolveSettings::default(), Refinement::default(), &mut |_| ControlFlow::Continue(()))
        .unwrap();
    assert!((solution.objective - 58.8077).abs() < 1e-3, "{}", solution.objective);
    assert!(levels.len() > 3, "{levels:?}");
    // A simulation with the controls found agrees with the last grid.
    assert!(levels.last().unwrap().end_error.unwrap() < 1e-4, "{levels:?}");
}

#[test]
fn thousands_of_steps() {
    let solution = solve(&gallery_with("cart-pole-swing", &[]), None, 3333);
    // The error falls like the square of the step, from 0.73 at 50.
    assert!((solution.objective - 58.8077).abs() < 5e-4, "{}", solution.objective);
}

#[test]
fn several_starts_find_the_better_minimum() {
    let model = gallery_with("cart-pole-swing", &[]);
    let problem = problem(&model, None);
    let minima = problem.multistart(20, 1, &SolveSettings::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let found = |cost: f64| minima.iter().any(|minimum| (minimum.objective - cost).abs() < 1e-4);
    let costs: Vec<f64> = minima.iter().map(|minimum| minimum.objective).collect();
    assert!(found(58.7830) && found(59.5371), "{costs:?}");
    assert!(costs.is_sorted());
}

#[test]
fn a_solution_is_a_start_for_another_grid() {
    let model = gallery_with("cart-pole-swing", &[]);
    let problem = problem(&model, None);
    let fine = SolveSettings { steps: Some(200), ..SolveSettings::default() };
    let go = |guess: &Guess| problem.solve(guess, &fine, &mut |_| ControlFlow::Continue(())).unwrap();
    let cold = go(&Guess::Stated);
    let warm = go(&Guess::Table(solve(&model, None, 100).table()));
    assert!((warm.objective - cold.objective).abs() < 1e-8);
    assert!(warm.iterations < cold.iterations, "{} after {}", warm.iterations, cold.iterations);
}

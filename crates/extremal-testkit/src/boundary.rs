//! Boundary and control problems, solved on some grid and checked.

use std::ops::ControlFlow;

use extremal_engine::Model;
use extremal_engine::boundary::{Assessment, BoundarySolution, Guess, Problem, SolveSettings, Statement};

/// The problem of a model, by its own method or another.
pub fn problem<'m>(model: &'m Model, method: Option<&str>) -> Problem<'m> {
    let method = method.map_or_else(|| model.simulation().method.clone(), |method| method.parse().unwrap());
    Problem::new(model, Statement::of(model).unwrap(), &method).unwrap()
}

/// Whatever comes of a problem on so many steps.
pub fn attempt(problem: &Problem<'_>, steps: Option<usize>) -> BoundarySolution {
    let settings = SolveSettings { steps, ..SolveSettings::default() };
    problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// The solution on so many steps, which must be one.
pub fn solve(model: &Model, method: Option<&str>, steps: usize) -> BoundarySolution {
    let solution = attempt(&problem(model, method), Some(steps));
    assert!(solution.status.is_solved(), "{:?} {:?}", solution.status, solution.violations);
    solution
}

/// The solution on so many steps, and what the checks say of it.
pub fn assessed(model: &Model, method: Option<&str>, steps: usize) -> (BoundarySolution, Assessment) {
    let problem = problem(model, method);
    let solution = attempt(&problem, Some(steps));
    let settings = SolveSettings { steps: Some(steps), ..SolveSettings::default() };
    let checked = problem.assess(&solution, &settings, None, &mut |_| ControlFlow::Continue(())).unwrap();
    let Some(assessment) = checked else { panic!("{:?} {:?}", solution.status, solution.violations) };
    (solution, assessment)
}

/// Rows of a solution by the names of columns.
pub fn columns<const N: usize>(solution: &BoundarySolution, names: [&str; N]) -> Vec<[f64; N]> {
    let at = names.map(|name| solution.column(name).unwrap_or_else(|| panic!("no column {name}")));
    solution.rows.iter().map(|row| at.map(|at| row[at])).collect()
}

/// Checks that the orders between grids of `first`, 2 `first`, 4 `first` steps are all within `slack` of `order`.
pub fn assert_orders(what: &str, order: f64, slack: f64, first: usize, error: impl Fn(usize) -> f64) {
    let errors: Vec<f64> = [1, 2, 4].map(|times| error(times * first)).to_vec();
    for pair in errors.windows(2) {
        let measured = (pair[0] / pair[1]).log2();
        assert!((measured - order).abs() < slack, "{what}: order {measured:.3} instead of {order}, errors {errors:?}");
    }
}

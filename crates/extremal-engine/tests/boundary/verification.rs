//! Every control problem of the gallery, its controls simulated by DOP853.

use extremal_engine::boundary::{Kind, Verification};
use extremal_engine::gallery;
use extremal_engine::mechanics::discrete::degree_of;
use extremal_engine::model::ControlShape;

use extremal_testkit::boundary::{attempt, problem};
use extremal_testkit::runs::gallery_with;

/// Grids from which on the error falls at the order of the method: unstable motions need fine ones, and round-off coarse ones.
const FIRST_GRID: [(&str, usize); 3] = [("acrobot", 1600), ("cart-pole-swing", 400), ("unicycle", 20)];

#[test]
fn simulated_controls_reach_the_end_at_the_order_of_the_method() {
    let mut seen = 0;
    for name in gallery::names() {
        let model = gallery_with(name, &[]);
        if model.boundary().is_none() {
            continue;
        }
        let problem = problem(&model, None);
        // Controls at the nodes of a discrete system of its own are no functions of time.
        if problem.kind() != Kind::Control || model.discrete().is_some() {
            continue;
        }
        let known = FIRST_GRID.iter().find(|(known, _)| *known == name);
        let first = known.map_or(problem.statement().steps, |(_, steps)| *steps);
        let errors = [first, 2 * first].map(|steps| {
            let solution = attempt(&problem, Some(steps));
            assert!(solution.status.is_solved(), "{name}: {:?}", solution.status);
            match problem.verify(&solution).unwrap() {
                Verification::Reached { errors } => errors.iter().map(|(_, error)| error.abs()).fold(0.0, f64::max),
                Verification::Impossible(reason) => panic!("{name}: {reason}"),
            }
        });
        seen += 1;
        // Motions under constant forces are exact in every step.
        if errors.iter().all(|error| *error < 1e-11) {
            continue;
        }
        let order = (errors[0] / errors[1]).log2();
        // Controls that are constant in a step make every method one of second order.
        let constant = problem.shapes().contains(&ControlShape::Constant);
        let promised = if constant { 2 } else { 2 * degree_of(problem.method()) };
        assert!((order - promised as f64).abs() < 0.3, "{name}: order {order:.2}, errors {errors:?}");
    }
    assert!(seen >= 8, "{seen} control problems");
}

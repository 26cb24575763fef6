//! Programs that have no solution, or whose solutions are of a special kind.

use extremal_solve::nlp::{Nature, NlpSolution, NlpStatus};

use crate::text::{FREE, Text};

fn unconstrained<'t>(objective: &'t str, start: &'t [f64]) -> Text<'t> {
    Text { objective, constraints: vec![], bounds: &[], start }
}

#[test]
fn programs_without_a_feasible_point() {
    let line = Text {
        objective: "x[1]^2 + x[2]^2",
        constraints: vec![("x[1] + x[2]", 10.0, 10.0)],
        bounds: &[(0.0, 1.0), (0.0, 1.0)],
        start: &[0.5, 0.5],
    };
    let solution = line.minimise();
    assert_eq!(solution.status, NlpStatus::Infeasible);
    // The least violation is at the corner (1, 1).
    assert!((solution.constraints[0] - 2.0).abs() < 1e-6, "{solution:?}");
    let square = Text { objective: "x[1]", constraints: vec![("x[1]^2 + 1", 0.0, 0.0)], bounds: &[], start: &[3.0] };
    let solution = square.minimise();
    assert_eq!(solution.status, NlpStatus::Infeasible);
    assert!((solution.constraints[0] - 1.0).abs() < 1e-9);
    let circles = Text {
        objective: "x[1]",
        constraints: vec![("x[1]^2 + x[2]^2", -FREE, 1.0), ("(x[1] - 3)^2 + x[2]^2", -FREE, 1.0)],
        bounds: &[],
        start: &[0.3, 2.0],
    };
    assert_eq!(circles.minimise().status, NlpStatus::Infeasible);
}

#[test]
fn programs_without_a_lower_bound() {
    assert_eq!(unconstrained("x[1]", &[0.0]).minimise().status, NlpStatus::Unbounded);
    let saddle = Text {
        objective: "x[1]^2 - x[2]^2",
        constraints: vec![("x[1] - x[2]/2", 0.0, 0.0)],
        bounds: &[],
        start: &[1.0, 1.0],
    };
    assert_eq!(saddle.minimise().status, NlpStatus::Unbounded);
    let half = Text { objective: "-x[1]^3", constraints: vec![], bounds: &[(0.0, FREE)], start: &[1.0] };
    assert_eq!(half.minimise().status, NlpStatus::Unbounded);
}

#[test]
fn dependent_constraints() {
    let twice = Text {
        objective: "x[1]^2 + x[2]^2",
        constraints: vec![("x[1] + x[2]", 2.0, 2.0), ("2*x[1] + 2*x[2]", 4.0, 4.0)],
        bounds: &[],
        start: &[5.0, -8.0],
    };
    let (solution, log) = twice.minimise_logged();
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.objective - 2.0).abs() < 1e-8);
    // A small shift of the constraints is enough to solve for the steps: the Hessian needs no more than its first one, and nothing
    // has to be restored.
    assert!(log.iter().all(|line| line.regularisation <= 1e-4 && !line.restoration), "{log:?}");
}

#[test]
fn a_violation_that_is_least_nearby_is_called_infeasible() {
    // A. Wächter and L. T. Biegler, Math. Program. 88 (2000): Newton steps cut at the bounds go nowhere from x = −2. On the way
    // to the solution x = 1 lies x = −1, where the first constraint grows faster (2 per unit) than the second one falls (1).
    let problem = |start: &'static [f64]| Text {
        objective: "x[1]",
        constraints: vec![("x[1]^2 - x[2] - 1", 0.0, 0.0), ("x[1] - x[3] - 1/2", 0.0, 0.0)],
        bounds: &[(-FREE, FREE), (0.0, FREE), (0.0, FREE)],
        start,
    };
    let solution = problem(&[-2.0, 3.0, 1.0]).minimise();
    assert_eq!(solution.status, NlpStatus::Infeasible, "{:?}", solution.last);
    assert!((solution.x[0] + 1.0).abs() < 1e-8 && (solution.constraints[1] + 1.5).abs() < 1e-8);
    let solution = problem(&[2.0, 3.0, 1.0]).minimise();
    assert_eq!(solution.status, NlpStatus::Solved, "{:?}", solution.last);
    assert!((solution.objective - 1.0).abs() < 1e-8);
}

#[test]
fn a_minimum_without_multipliers() {
    // HS13: the constraint has a cusp at the solution; nobody can promise more than to come near it.
    let cusp = Text {
        objective: "(x[1] - 2)^2 + x[2]^2",
        constraints: vec![("(1 - x[1])^3 - x[2]", 0.0, FREE)],
        bounds: &[(0.0, FREE), (0.0, FREE)],
        start: &[-2.0, -2.0],
    };
    let solution = cusp.minimise();
    assert!((solution.objective - 1.0).abs() < 1e-2, "{:?} {}", solution.status, solution.objective);
}

#[test]
fn constraints_without_unknowns() {
    let fixed = |value: f64| Text {
        objective: "x[1]^2 + x[2]^2",
        constraints: vec![("x[2]^2", 4.0, 4.0)],
        bounds: if value == 2.0 { &[(-FREE, FREE), (2.0, 2.0)] } else { &[(-FREE, FREE), (3.0, 3.0)] },
        start: &[1.0, 0.0],
    };
    let solution = fixed(2.0).minimise();
    assert_eq!((solution.status, solution.x[1]), (NlpStatus::Solved, 2.0));
    assert_eq!(fixed(3.0).minimise().status, NlpStatus::Infeasible);
}

#[test]
fn start_where_the_objective_is_not_a_number() {
    assert_eq!(unconstrained("sqrt(x[1]) + x[1]^2", &[-1.0]).minimise().status, NlpStatus::NotFinite);
}

#[test]
fn natures_of_stationary_points() {
    let nature =
        |objective: &str| unconstrained(objective, &[0.3, 0.4]).stationary().curvature.map(|found| found.nature);
    assert_eq!(nature("x[1]^2 + x[1]*x[2] + x[2]^2"), Some(Nature::Minimum));
    assert_eq!(nature("-x[1]^2 + x[1]*x[2] - x[2]^2"), Some(Nature::Maximum));
    assert_eq!(nature("x[1]^2 - x[2]^2 + x[1]"), Some(Nature::Saddle(1)));
    assert_eq!(nature("(x[1] - x[2])^2"), Some(Nature::Flat { down: 0, flat: 1 }));
    // On the circle, x + y has its minimum and its maximum; Newton's method takes what is near.
    let circle = |start: &'static [f64]| Text {
        objective: "x[1] + x[2]",
        constraints: vec![("x[1]^2 + x[2]^2", 2.0, 2.0)],
        bounds: &[],
        start,
    };
    let low = circle(&[-1.1, -0.8]).stationary();
    assert_eq!(low.curvature.map(|found| found.nature), Some(Nature::Minimum));
    assert!((low.lambda[0] - 0.5).abs() < 1e-9, "f + λ c: 1 + 2 λ x = 0 at x = −1");
    assert_eq!(circle(&[1.1, 0.8]).stationary().curvature.map(|found| found.nature), Some(Nature::Maximum));
}

#[test]
fn where_nothing_is_stationary_the_search_stalls() {
    // The slope x² + 1 is never less than 1: Newton's method ends at x = 0, where it is least.
    let rising = unconstrained("x[1]^3/3 + x[1]", &[1.0]).stationary();
    assert_eq!((rising.status, rising.curvature), (NlpStatus::Stalled, None));
    // At the kink of |x| the slope is 1 on one side and -1 on the other.
    let kink = unconstrained("abs(x[1]) + x[1]/2", &[0.7]).minimise();
    assert_eq!((kink.status, kink.curvature), (NlpStatus::Stalled, None));
    assert!(kink.last.dual_infeasibility >= 0.5, "{:?}", kink.last);
}

#[test]
fn curvature_is_measured_along_the_constraints() {
    // On x + y = 0 the form 3 x² + 5 y² + 2 z² is 4 s² + 2 z² in the unit direction s, with eigenvalues 8 and 4.
    let form = Text {
        objective: "3*x[1]^2 + 5*x[2]^2 + 2*x[3]^2",
        constraints: vec![("x[1] + x[2]", 0.0, 0.0)],
        bounds: &[],
        start: &[1.0, 1.0, 1.0],
    };
    let least = |solution: NlpSolution| solution.curvature.map(|found| found.least).unwrap();
    assert!((least(form.stationary()) - 4.0).abs() < 1e-5, "{}", least(form.stationary()));
    assert!((least(form.minimise()) - 4.0).abs() < 1e-5, "{}", least(form.minimise()));
    // A large gradient at the start changes scales inside, not what is said.
    let steep = unconstrained("1e6*(x[1]^2 - 3*x[2]^2/2)", &[1.0, 1.0]).stationary();
    assert!((least(steep.clone()) / 2e6 - 1.0).abs() < 1e-5, "{}", least(steep));
    // Nearest to zero is the direction down.
    let down = unconstrained("3*x[1]^2 - x[2]^2", &[1.0, 1.0]).stationary();
    assert!((least(down.clone()) + 2.0).abs() < 1e-5, "{}", least(down));
}

#[test]
fn steps_along_a_circle_are_taken_whole() {
    // M. J. D. Powell's example of Maratos's effect: near the solution (1, 0) every full Newton step from the circle increases the
    // objective and the violation; only a correction of second order lets it pass.
    let circle = Text {
        objective: "2*(x[1]^2 + x[2]^2 - 1) - x[1]",
        constraints: vec![("x[1]^2 + x[2]^2", 1.0, 1.0)],
        bounds: &[],
        start: &[0.921_060_994_002_885_1, 0.389_418_342_308_650_5],
    };
    let (solution, log) = circle.minimise_logged();
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.x[0] - 1.0).abs() < 1e-9 && (solution.lambda[0] + 1.5).abs() < 1e-9);
    let fractions: Vec<f64> = log.iter().skip(1).map(|line| line.fraction).collect();
    assert!(fractions.iter().all(|fraction| *fraction == 1.0), "{fractions:?}");
}

#[test]
fn a_search_from_a_summit_goes_down() {
    // At 0.1 the curvature of x⁴ - x² is negative: without a shift Newton's method climbs to the maximum at 0.
    let (solution, log) = unconstrained("x[1]^4 - x[1]^2", &[0.1]).minimise_logged();
    assert_eq!(solution.status, NlpStatus::Solved);
    assert!((solution.x[0] - 0.5f64.sqrt()).abs() < 1e-8, "{}", solution.x[0]);
    assert!(log[1].regularisation > 1.88, "the curvature is -1.88 there: {:?}", log[1]);
    // Near the end the objective may rise by its round-off.
    assert!(log.windows(2).all(|pair| pair[1].objective <= pair[0].objective + 1e-15), "{log:?}");
    assert_eq!(log[log.len() - 1].regularisation, 0.0, "no shift where the function is convex");
}

#[test]
fn a_program_is_only_evaluated_inside() {
    // Without its guard x > 0 the cubic leads to the other minimum at -1.
    let wells = unconstrained("(x[1]^2 - 1)^2 + x[1]/5", &[0.3]);
    let guarded = wells.minimise_inside("x[1]");
    assert_eq!(guarded.status, NlpStatus::Solved);
    assert!((guarded.x[0] - 0.974).abs() < 1e-2, "{}", guarded.x[0]);
    let outside = unconstrained("x[1]^2", &[-1.0]).minimise_inside("x[1]");
    assert_eq!(outside.status, NlpStatus::NotFinite);
}

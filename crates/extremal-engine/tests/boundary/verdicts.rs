//! What is said of a solution: conjugate points, singular ends, domains, bounds.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use extremal_engine::boundary::{Doubt, Guess, Refinement, SolveSettings, Status, Verification, nature_name};

use extremal_testkit::boundary::{assert_orders, assessed, attempt, columns, problem, solve};
use extremal_testkit::models::model;
use extremal_testkit::numbers::root;

/// The oscillator from 0 to `end` in the time `duration`: q = end sin t / sin T.
fn oscillator(duration: f64, end: f64) -> extremal_engine::Model {
    model(&format!(
        "[coordinates]\nq = {{}}\n[dynamics]\nlagrangian = \"q'^2/2 - q^2/2\"\n[boundary]\nduration = {duration}\nsteps = 100\n\
         start = {{ q = 0 }}\nend = {{ q = {end} }}"
    ))
}

#[test]
fn between_conjugate_points_nothing_is_called_a_minimum() {
    for (method, steps) in [("midpoint", 100), ("midpoint", 400), ("trapezoidal", 100), ("galerkin(2)", 20)] {
        let model = oscillator(PI, 1.0);
        let problem = problem(&model, Some(method));
        let solution = attempt(&problem, Some(steps));
        let settings = SolveSettings { steps: Some(steps), ..SolveSettings::default() };
        let found = problem.assess(&solution, &settings, None, &mut |_| ControlFlow::Continue(())).unwrap();
        // No motion goes from 0 to 1 in half a period: what the grid has is far away.
        let status = found.map_or(solution.status, |found| found.status);
        assert!(!status.is_solved(), "{method} on {steps} steps: {status:?}");
    }
    let (solution, found) = assessed(&oscillator(PI, 1.0), Some("midpoint"), 100);
    assert!(solution.values("q").unwrap().iter().any(|q| q.abs() > 100.0));
    assert_eq!(found.status, Status::NearConjugate);
    assert!(matches!(found.doubts[0], Doubt::NearConjugate { steps: [100, 50], .. }), "{:?}", found.doubts);
}

#[test]
fn before_the_conjugate_point_a_minimum_and_after_it_a_saddle() {
    for (duration, nature) in [(3.0, "minimum"), (4.0, "saddle, 1 direction down"), (7.0, "saddle, 2 directions down")]
    {
        let (solution, found) = assessed(&oscillator(duration, 1.0), Some("midpoint"), 400);
        assert_eq!((found.status, solution.nature.map(nature_name).as_deref()), (Status::Stationary, Some(nature)));
        let worst = columns(&solution, ["t", "q"])
            .iter()
            .map(|[t, q]| (q - t.sin() / f64::sin(duration)).abs())
            .fold(0.0, f64::max);
        // h²/24 of phase per unit of time, over sin²T.
        assert!(worst < duration.powi(3) / 160_000.0 / 24.0 * 3.0 / f64::sin(duration).powi(2), "{duration}: {worst}");
    }
    // The smallest eigenvalue of -d²/dt² - 1 with fixed ends is (pi/T)² - 1, and the metric counts parts of the duration.
    let least = |steps: usize| assessed(&oscillator(3.0, 1.0), Some("midpoint"), steps).0.least_curvature.unwrap();
    let exact = 3.0 * ((PI / 3.0).powi(2) - 1.0);
    assert_orders("the curvature nearest to zero", 2.0, 0.05, 50, |steps| (least(steps) - exact).abs());
}

/// The brachistochrone as textbooks print it, from rest at y = 0 to (1, 1).
fn textbook(grading: &str) -> extremal_engine::Model {
    model(&format!(
        "[parameters]\ng = 9.81\n[coordinates]\ny = {{ domain = \"y > 0\" }}\n[dynamics]\nlagrangian = \"sqrt((1 + y'^2)/(2*g*y))\"\n\
         [boundary]\nindependent = \"x\"\nto = 1\nsteps = 200\nstart = {{ y = 0 }}\nend = {{ y = 1 }}\n{grading}"
    ))
}

/// Its time: x = R (t - sin t), y = R (1 - cos t) through (1, 1).
fn cycloid_time() -> f64 {
    let t = root(|t| (t - t.sin()) - (1.0 - t.cos()), 1e-2, 2.0 * PI - 1e-2);
    t * (1.0 / (1.0 - t.cos()) / 9.81).sqrt()
}

#[test]
fn a_singular_end_is_found_and_resolved() {
    let time = cycloid_time();
    assert!((time - 0.582_895_463_155).abs() < 1e-12);
    let (solution, found) = assessed(&textbook(""), Some("galerkin(2)"), 200);
    assert!((solution.objective - time).abs() < 1e-6, "{} instead of {time}", solution.objective);
    assert_eq!((found.status, solution.nature.map(nature_name).as_deref()), (Status::Stationary, Some("minimum")));
    let error = |steps: usize| (solve(&textbook(""), Some("midpoint"), steps).objective - time).abs();
    assert_orders("midpoint", 2.0, 0.2, 200, error);
}

#[test]
fn equal_steps_towards_a_singular_end_come_slowly_and_say_so() {
    let model = textbook("grading = { start = 1 }");
    let error = |steps: usize| (solve(&model, Some("midpoint"), steps).objective - cycloid_time()).abs();
    assert_orders("equal steps", 1.0, 0.1, 100, error);
    let problem = problem(&model, Some("midpoint"));
    let refinement = Refinement { tolerance: 1e-5, most_steps: 400, ..Refinement::default() };
    let settings = SolveSettings { steps: Some(100), ..SolveSettings::default() };
    let (solution, levels) =
        problem.refine(&Guess::Stated, &settings, refinement, &mut |_| ControlFlow::Continue(())).unwrap();
    let found = problem.assess(&solution, &settings, Some((&levels, refinement)), &mut |_| ControlFlow::Continue(()));
    let found = found.unwrap().unwrap();
    let (status, Doubt::Limit { steps: 400, change: Some(change), .. }) = (found.status, &found.doubts[0]) else {
        panic!("{found:?}")
    };
    // At order one the change is as large as the error that is left.
    let left = (solution.objective - cycloid_time()).abs() / solution.objective;
    assert!(status == Status::Unresolved && *change > left / 2.0 && *change < 2.0 * left, "{status:?} {change} {left}");
}

#[test]
fn a_singularity_that_cannot_be_unfolded_is_named() {
    let text = "[coordinates]\ny = { domain = \"y > 0\" }\n[dynamics]\nlagrangian = \"sqrt(1 + y'^2)*y^(-0.37)\"\n[boundary]\n\
                independent = \"x\"\nto = 1\nsteps = 48\nstart = { y = 0 }\nend = { y = 1 }";
    let (_, found) = assessed(&model(text), Some("midpoint"), 48);
    assert_eq!((found.status, &found.doubts[0]), (Status::Unresolved, &Doubt::Singular));
}

#[test]
fn the_domain_is_kept() {
    let film = |start: f64, guess: &str| {
        model(&format!(
            "[coordinates]\ny = {{ domain = \"y > 0.5\" }}\n[dynamics]\nlagrangian = \"y*sqrt(1 + y'^2)\"\n[boundary]\n\
             independent = \"x\"\nfrom = -0.5\nto = 0.5\nsteps = 40\nstart = {{ y = {start} }}\nend = {{ y = 1 }}\n\
             guess = {{ y = \"{guess}\" }}"
        ))
    };
    // Two catenaries hang between these rings; the thin one, with a neck of 0.235, is outside.
    let inside = film(1.0, "0.9");
    let neck = root(|c| c * (0.5 / c).cosh() - 1.0, 0.5, 0.99);
    let solution = solve(&inside, None, 40);
    assert!((solution.values("y").unwrap()[20] - neck).abs() < 1e-3);
    assert_eq!(attempt(&problem(&film(1.0, "0.4 + 2.4*x^2"), None), None).status, Status::NotFinite);
    let outside = film(0.3, "0.9");
    let statement = extremal_engine::boundary::Statement::of(&outside).unwrap();
    let refused = extremal_engine::boundary::Problem::new(&outside, statement, &"midpoint".parse().unwrap());
    let message = refused.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.contains("cannot start outside the domain"), "{message}");
}

#[test]
fn a_bound_that_holds_is_no_reason_to_refine() {
    // A heavy string over a floor: y'' = 1 until it touches at sqrt(2), where no free motion would stay.
    let model = model(
        "[coordinates]\ny = {}\n[dynamics]\nlagrangian = \"y'^2/2 + y\"\n[boundary]\nindependent = \"x\"\nduration = 4\n\
         steps = 200\nstart = { y = 1 }\nend = { y = 1 }\npath = { y = { min = 0 } }",
    );
    let (solution, found) = assessed(&model, None, 200);
    assert!(!solution.active.is_empty());
    let height = |x: f64| (2f64.sqrt() - x.min(4.0 - x)).max(0.0).powi(2) / 2.0;
    // The string touches at a node: up to h = 0.02 away.
    assert!(columns(&solution, ["x", "y"]).iter().all(|[x, y]| (y - height(*x)).abs() < 1e-3));
    assert!(matches!(&found.verification, Verification::Impossible(reason) if reason.contains("bound")));
    assert_eq!((found.status, found.doubts.len()), (Status::Stationary, 0), "{:?}", found.doubts);
}

/// The same problem with the Lagrangian, or the cost, counted in other units.
#[test]
fn a_solution_does_not_depend_on_units() {
    for unit in ["1e-15", "1e-9", "1e9", "1e15"] {
        let model = model(&format!(
            "[coordinates]\nq = {{}}\n[dynamics]\nlagrangian = \"{unit}*(q'^2 - q^2)/2\"\n[boundary]\nduration = 2.0\nsteps = 50\n\
             start = {{ q = 0 }}\nend = {{ q = 1 }}"
        ));
        let (solution, verdict) = assessed(&model, None, 50);
        assert_eq!(verdict.status, Status::Stationary, "{unit}");
        // sin t/sin 2 has its largest value at π/2; the midpoint rule is off by h²/24 of its phase.
        let most = solution.values("q").unwrap().into_iter().fold(0.0, f64::max);
        assert!((most - 1.0 / 2f64.sin()).abs() < 1e-3, "{unit}: {most}");
    }
}

/// Least effort with a bound that holds, from rest to rest: the control is affine, but for what the bound cuts off.
#[test]
fn a_least_cost_does_not_depend_on_its_unit() {
    let cost = |unit: &str, mass: &str, limit: &str| {
        let model = model(&format!(
            "[coordinates]\nx = {{}}\n[dynamics]\nlagrangian = \"{mass}*x'^2/2\"\n[controls]\n\
             u = {{ on = \"x\", min = \"-({limit})\", max = \"{limit}\" }}\n[objective]\nrunning = \"{unit}*(u/({mass}))^2\"\n\
             [boundary]\nduration = 1.0\nsteps = 40\nstart = {{ x = 0, \"x'\" = 0 }}\nend = {{ x = 1, \"x'\" = 0 }}"
        ));
        let (solution, verdict) = assessed(&model, None, 40);
        assert_eq!(verdict.status, Status::Optimal, "{unit}, {mass}");
        let at_bounds: usize = solution.active.iter().map(|bound| bound.times.len()).sum();
        (solution.objective / unit.parse::<f64>().unwrap(), at_bounds)
    };
    let (expected, at_bounds) = cost("1", "1", "4.5");
    assert!(at_bounds > 10 && at_bounds < 40, "{at_bounds}");
    for (unit, mass) in [("1e-6", "1"), ("1e-10", "1"), ("1e-14", "1"), ("1e8", "1"), ("1", "1e-9"), ("1", "1e9")] {
        let (found, places) = cost(unit, mass, &format!("4.5*{mass}"));
        // The barrier leaves the tolerance of the solver, 1e-10 of a cost scaled to a hundredth.
        assert!((found - expected).abs() < 1e-6 * expected, "{unit}, {mass}: {found} instead of {expected}");
        assert_eq!(places, at_bounds, "{unit}, {mass}");
    }
}

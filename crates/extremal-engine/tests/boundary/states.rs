//! Optimal control of states of first order: numbers of other programs, closed forms, orders, and multipliers told apart.

use extremal_engine::boundary::{BoundSide, Normality, ProblemError, Statement, Status, Verification};
use extremal_engine::derive::{Form, derive};
use extremal_engine::{Model, Settings};
use extremal_testkit::boundary::{assert_orders, assessed, columns, problem, solve};
use extremal_testkit::models::model;
use extremal_testkit::runs::{gallery, gallery_text};

/// By shooting with Hamilton's equations of the extremals, classical Runge-Kutta with 4000 steps.
const UNICYCLE: f64 = 5.579079357582025;
const COSTATES: [f64; 3] = [-2.9877294007543647, 4.986703958157619, 1.4938647003771872];

#[test]
fn the_unicycle_has_the_cost_and_the_costates_of_shooting() {
    let (solution, assessment) = assessed(&gallery("unicycle"), None, 40);
    assert_eq!(assessment.status, Status::Optimal);
    // The error of galerkin(3) on 40 steps, from that on 20 (2e-8) by its order.
    assert!((solution.objective - UNICYCLE).abs() < 1e-9, "{}", solution.objective);
    let rows = columns(&solution, ["p_x", "p_y", "p_th"]);
    for (found, expected) in rows[0].iter().zip(COSTATES) {
        assert!((found - expected).abs() < 2e-9, "{found} instead of {expected}");
    }
    let Verification::Reached { .. } = assessment.verification else { panic!("no simulation") };
    assert!(assessment.verification.end_error().unwrap() < 1e-10, "{:?}", assessment.verification);
}

#[test]
fn cost_costates_and_simulation_have_the_order_of_the_method() {
    let model = gallery("unicycle");
    // Round-off of the solver's tolerance is far below the errors on these grids.
    for (method, order, first, slack) in
        [("midpoint", 2.0, 40, 0.05), ("galerkin(2)", 4.0, 20, 0.1), ("galerkin(3)", 6.0, 8, 0.4)]
    {
        let solved = |steps: usize| solve(&model, Some(method), steps);
        assert_orders(method, order, slack, first, |steps| (solved(steps).objective - UNICYCLE).abs());
        assert_orders(method, order, slack, first, |steps| {
            let start = columns(&solved(steps), ["p_x", "p_y", "p_th"])[0];
            start.iter().zip(COSTATES).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
        });
    }
    // The polynomials of the controls lead where the solution does, at the order of the method.
    let missed = |steps: usize| {
        let problem = problem(&model, Some("galerkin(2)"));
        problem.verify(&solve(&model, Some("galerkin(2)"), steps)).unwrap().end_error().unwrap()
    };
    assert_orders("simulation", 4.0, 0.2, 20, missed);
}

#[test]
fn the_hamiltonian_of_the_extremals_is_constant() {
    let rows = columns(&solve(&gallery("unicycle"), None, 40), ["th", "p_x", "p_y", "p_th"]);
    let value = |[th, px, py, pt]: &[f64; 4]| ((px * th.cos() + py * th.sin()).powi(2) + pt * pt) / 2.0;
    for row in &rows {
        // The cost is ∫ H* here, and H* constant: both are the same number.
        assert!((value(row) - UNICYCLE).abs() < 1e-7, "{} {row:?}", value(row));
    }
}

#[test]
fn the_vakonomic_problem_and_the_flow_of_the_extremals_agree_with_it() {
    // [VC] theorem 6.2.1: the same curves, with v^2 = x'^2 + y'^2 and the skate's constraint before the variation.
    let vakonomic = r#"
        coordinates = { x = {}, y = {}, th = {} }
        dynamics.lagrangian = "(x'^2 + y'^2 + th'^2)/2"
        constraints.skate = { equation = "x'*sin(th) = y'*cos(th)", kind = "vakonomic" }
        boundary.duration = 1
        boundary.start = { x = 0, y = 0, th = 0 }
        boundary.end = { x = 0, y = 1, th = 0 }
        boundary.guess = { x = "-0.3*sin(2*pi*s)", y = "s", th = "sin(pi*s)" }
    "#;
    let vakonomic = model(vakonomic);
    assert_orders("vakonomic", 2.0, 0.1, 50, |steps| (solve(&vakonomic, None, steps).objective - UNICYCLE).abs());
    // Hamilton's equations of H* as a Lagrangian of phase space, from the costates.
    let flow = r#"
        coordinates = { x = 0, y = 0, th = 0, p = PX, q = PY, r = PT }
        dynamics.lagrangian = "p*x' + q*y' + r*th' - ((p*cos(th) + q*sin(th))^2 + r^2)/2"
        simulation = { step = 0.01, until = 1, method = "galerkin(3)" }
    "#;
    let flow = ["PX", "PY", "PT"]
        .iter()
        .zip(COSTATES)
        .fold(flow.to_owned(), |text, (name, p)| text.replace(name, &p.to_string()));
    let end = extremal_testkit::runs::attempt_text(&flow);
    for (name, expected) in [("x", 0.0), ("y", 1.0), ("th", 0.0)] {
        assert!((end.last(name) - expected).abs() < 1e-10, "{name} = {}", end.last(name));
    }
}

#[test]
fn riccati_in_closed_form_along_the_whole_motion() {
    let (a, w) = (1.0f64, 2.0f64.sqrt());
    let riccati = |left: f64| (w * left).sinh() / (w * (w * left).cosh() - a * (w * left).sinh());
    let model = gallery("unstable-regulator");
    for (method, order, slack) in [("midpoint", 2.0, 0.05), ("galerkin(2)", 4.0, 0.1)] {
        assert_orders(method, order, slack, 5, |steps| {
            let solution = solve(&model, Some(method), steps);
            let rows = columns(&solution, ["t", "x", "p_x"]);
            // p = -P x, which vanishes at the free end.
            let costates = rows.iter().map(|[t, x, p]| (p + riccati(1.0 - t) * x).abs()).fold(0.0, f64::max);
            costates.max((solution.objective - riccati(1.0) / 2.0).abs())
        });
    }
}

#[test]
fn shortest_time_with_bounds_and_a_free_duration() {
    let known = (7.0f64 / 8.0).acos() + 0.25f64.acos();
    let (solution, assessment) = assessed(&gallery("oscillator-in-time"), None, 200);
    assert_eq!(assessment.normality, Some(Normality::Normal));
    // One step holds the switch: its error is a part of the square of the step.
    let step = known / 200.0;
    assert!((solution.duration - known).abs() < step * step, "{} {known}", solution.duration);
    let rows = columns(&solution, ["t", "u", "x", "v", "p_x", "p_v"]);
    let switch = (7.0f64 / 8.0).acos();
    for [t, u, x, v, px, pv] in &rows[..200] {
        if (t + step / 2.0 - switch).abs() > step {
            let bang = if *t < switch { -1.0 } else { 1.0 };
            assert!((u - bang).abs() < 1e-6, "u({t}) = {u}");
        }
        // H = p.f - 1 vanishes for a free duration; to second order at the nodes.
        let h = px * v + pv * (u - x) - 1.0;
        assert!(h.abs() < 20.0 * step, "H({t}) = {h}");
    }
}

#[test]
fn a_control_at_its_bound_costs_what_the_saturated_one_does() {
    // x' = u with u >= -1/2 from 1 over 3 at the cost (x^2 + u^2)/2: at the bound until x = c, then x = c cosh(T - t)/cosh(T - s).
    let text = r#"
        states.x = { rate = "u" }
        controls.u = { min = -0.5 }
        objective.running = "(x^2 + u^2)/2"
        boundary = { duration = 3, steps = 300, start = { x = 1 } }
    "#;
    // Where the free regulator u = -tanh(T - s) x reaches the bound: (1 - s/2) tanh(3 - s) = 1/2.
    let s = extremal_testkit::numbers::root(|s| (1.0 - s / 2.0) * (3.0 - s).tanh() - 0.5, 0.0, 2.0);
    let c = 1.0 - s / 2.0;
    let on_bound = ((1.0 - c.powi(3)) * 2.0 / 3.0 + s / 4.0) / 2.0;
    let known = on_bound + c * c * (3.0 - s).tanh() / 2.0;
    let (solution, assessment) = assessed(&model(text), None, 300);
    assert!((solution.objective - known).abs() < 1e-5, "{} {known}", solution.objective);
    assert!(
        solution.active.iter().any(|bound| bound.name == "u" && bound.side == BoundSide::Lower),
        "{:?}",
        solution.active
    );
    assert_eq!(assessment.normality, Some(Normality::Normal));
}

#[test]
fn states_beside_coordinates_have_the_cost_of_the_gram_matrix() {
    // Half of the inverse Gram matrix of the impulse responses of (x, x', F), its integrals by Simpson's rule.
    let known = 11.539670593893131;
    let model = gallery("lagging-motor");
    for (method, order, slack) in [("midpoint", 2.0, 0.05), ("galerkin(2)", 4.0, 0.1)] {
        assert_orders(method, order, slack, 25, |steps| (solve(&model, Some(method), steps).objective - known).abs());
    }
    let (_, assessment) = assessed(&model, None, 50);
    assert_eq!((assessment.status, assessment.normality), (Status::Optimal, None));
    assert!(assessment.verification.end_error().unwrap() < 1e-4);
}

#[test]
fn the_same_problem_with_states_and_with_a_coordinate() {
    let states = r#"
        states = { x = { rate = "v" }, v = { rate = "u" } }
        controls.u = {}
        objective.running = "u^2/2"
        boundary = { duration = 1, steps = 40, start = { x = 0, v = 0 }, end = { x = 1, v = 0 }, via = [{ s = 0.5, x = 0.3 }] }
    "#;
    let coordinate = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        controls.u = "x"
        objective.running = "u^2/2"
        boundary = { duration = 1, steps = 40, start = { x = 0, "x'" = 0 }, end = { x = 1, "x'" = 0 }, via = [{ s = 0.5, x = 0.3 }] }
    "#;
    let costs = [states, coordinate].map(|text| solve(&model(text), None, 160).objective);
    // 8 (a - v)^2 + ... of two cubics: both come to it at second order, from different sides of the same formula.
    assert!((costs[0] - costs[1]).abs() < 2e-3 * costs[1], "{costs:?}");
    let bounded = states.replace("via = [{ s = 0.5, x = 0.3 }]", "path = { v = { max = 1.25 } }");
    let solution = solve(&model(&bounded), None, 40);
    let fastest = solution.values("v").unwrap().into_iter().fold(0.0, f64::max);
    assert!(fastest < 1.25 + 1e-6 && solution.objective > 6.0, "{fastest} {}", solution.objective);
    // Without a bound it is 6 and reaches 3/2.
    let free = solve(&model(&states.replace(", via = [{ s = 0.5, x = 0.3 }]", "")), Some("galerkin(2)"), 10);
    assert!((free.objective - 6.0).abs() < 1e-10, "{}", free.objective);
}

fn normality(text: &str, steps: usize) -> (Normality, f64) {
    let model = model(text);
    let (solution, assessment) = assessed(&model, None, steps);
    (assessment.normality.unwrap(), solution.objective)
}

#[test]
fn normal_and_abnormal_multipliers_are_told_apart() {
    assert_eq!(normality(gallery_text("unicycle"), 40).0, Normality::Normal);
    assert_eq!(normality(gallery_text("unstable-regulator"), 40).0, Normality::Normal);
    // A unicycle that stays: its controls cannot move it sideways at first order.
    let still =
        gallery_text("unicycle").replace("y = 1,", "y = 0,").replace("-3*cos(2*pi*s)", "0").replace("3*cos(pi*s)", "0");
    let (found, cost) = normality(&still, 20);
    assert_eq!((found, cost), (Normality::Abnormal(vec![vec![0.0, 1.0, 0.0]]), 0.0));
    // Martinet's plane field z' = x^2 y'/2 along x = 0: both normal and abnormal, with dz the abnormal costate.
    let martinet = r#"
        states = { x = { rate = "u" }, y = { rate = "w" }, z = { rate = "x^2*w/2" } }
        controls = { u = {}, w = { guess = 1 } }
        objective.running = "(u^2 + w^2)/2"
        boundary = { duration = 1, steps = 20, start = { x = 0, y = 0, z = 0 }, end = { x = 0, y = 1, z = 0 } }
    "#;
    let (found, cost) = normality(martinet, 20);
    assert_eq!(found, Normality::Abnormal(vec![vec![0.0, 0.0, 1.0]]));
    // Dependent conditions are met to the root of what they would be otherwise.
    assert!((cost - 0.5).abs() < 1e-8, "{cost}");
    // The same field off that line has normal extremals.
    let beside = martinet.replace("z = 0 } }", "z = 0.1 } }").replace("u = {}", "u = { guess = \"cos(pi*s)\" }");
    assert_eq!(normality(&beside, 40).0, Normality::Normal);
    // As many controls as states: nothing is abnormal, at rest neither.
    let driven = r#"
        states = { x = { rate = "u" }, y = { rate = "w" } }
        controls = { u = {}, w = {} }
        objective.running = "(u^2 + w^2)/2"
        boundary = { duration = 1, steps = 20, start = { x = 0, y = 0 }, end = { x = 0, y = 0 } }
    "#;
    assert_eq!(normality(driven, 20).0, Normality::Normal);
}

#[test]
fn a_strictly_abnormal_extremal_is_not_called_normal() {
    // Only u = 0 ends at y = 0, whatever the cost: no multiplier with p0 = 1 exists.
    let text = r#"
        states = { x = { rate = "u" }, y = { rate = "u^2" } }
        controls.u = { guess = 0.5 }
        objective.running = "(u - 1)^2"
        boundary = { duration = 1, steps = 20, start = { x = 0, y = 0 }, end = { y = 0 } }
    "#;
    let model = model(text);
    let found = problem(&model, None);
    let solution = extremal_testkit::boundary::attempt(&found, None);
    let settings = Default::default();
    let assessment = found.assess(&solution, &settings, None, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    if let Some(assessment) = assessment {
        assert_ne!(assessment.normality, Some(Normality::Normal));
        assert_ne!(assessment.status, Status::Optimal);
    }
}

#[test]
fn pontryagins_hamiltonian_is_printed_with_its_conditions() {
    let text = |model: &Model| derive(model, &Settings::of(model), &[Form::Lagrange]).unwrap().to_text();
    let unicycle = text(&gallery("unicycle"));
    for line in [
        "x' = v*cos(th)",
        "H = p_th*w + p_x*v*cos(th) + p_y*v*sin(th) - v^2/2 - w^2/2",
        "p_x*cos(th) + p_y*sin(th) - v = 0",
        "p_th' = p_x*v*sin(th) - p_y*v*cos(th)",
        "v = p_x*cos(th) + p_y*sin(th)",
        "w = p_th",
    ] {
        assert!(unicycle.contains(line), "{line} is not in\n{unicycle}");
    }
    let regulator = text(&gallery("unstable-regulator"));
    assert!(regulator.contains("p_x(end) = 0"), "{regulator}");
    let motor = text(&gallery("lagging-motor"));
    assert!(motor.contains("F' = -(F - u)/tau") && motor.contains("x'' = F"), "{motor}");
}

#[test]
fn names_of_the_methods_own_numbers_may_be_taken() {
    let plain = r#"
        states = { x = { rate = "y" }, y = { rate = "u - sin(x)" } }
        controls.u = {}
        objective.running = "u^2/2"
        boundary = { duration = 1, steps = 10, start = { x = 0, y = 0 }, end = { x = 1, y = 0 } }
    "#;
    // Nodes, weights and coefficients are called c_1, b_1, a_1_2, the ends of a step x_0 and x_1.
    let other = r#"
        states = { c = { rate = "b" }, b = { rate = "a - sin(c)" } }
        controls.a = {}
        objective.running = "a^2/2"
        boundary = { duration = 1, steps = 10, start = { c = 0, b = 0 }, end = { c = 1, b = 0 } }
    "#;
    let costs = [plain, other].map(|text| solve(&model(text), Some("galerkin(2)"), 10).objective);
    assert_eq!(costs[0], costs[1], "{other}");
}

#[test]
fn what_is_not_defined_is_refused_by_name() {
    let unicycle = gallery("unicycle");
    let refused = |method: &str| {
        let statement = Statement::of(&unicycle).unwrap();
        extremal_engine::boundary::Problem::new(&unicycle, statement, &method.parse().unwrap())
            .err()
            .unwrap()
            .to_string()
    };
    for method in ["energy-entropy", "hermite", "dop853", "custom"] {
        let message = refused(method);
        assert!(message.contains(&format!("`{method}`")), "{method}: {message}");
    }
    let open = model("states.x = { rate = \"-x\" }\nboundary = { duration = 1, steps = 10 }");
    let Err(ProblemError::Statement(few)) =
        extremal_engine::boundary::Problem::new(&open, Statement::of(&open).unwrap(), &"midpoint".parse().unwrap())
    else {
        panic!("a motion without conditions")
    };
    assert!(few.to_string().contains("needs 1 conditions at its ends and has 0"), "{few}");
    // With one, at the end, it is a motion backwards.
    let backwards = model("states.x = { rate = \"-x\" }\nboundary = { duration = 1, steps = 200, end = { x = 1 } }");
    let start = solve(&backwards, None, 200).values("x").unwrap()[0];
    assert!((start - 1.0f64.exp()).abs() < 1e-5, "{start}");
}

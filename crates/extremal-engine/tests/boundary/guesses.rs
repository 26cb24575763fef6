//! Searches that do not begin at a solution's door: guesses that lead nowhere, arcs, and horizons that begin at the last solution.

use std::ops::ControlFlow;

use extremal_engine::boundary::{ArcKind, Guess, HorizonError, Problem, SolveSettings, Statement, Status};
use extremal_engine::{Model, gallery};
use extremal_solve::nlp::NlpStatus;
use extremal_testkit::boundary::{attempt, problem};

/// At u = 0 and y = 0 nothing moves x, to first order: IPOPT calls it infeasible there too.
const PARTICLE: &str = include_str!("../../../../benches/peers/collection/dielectrophoretic-particle.toml");

#[test]
fn a_guess_that_leads_nowhere_is_left_for_others() {
    let model = Model::from_toml(PARTICLE).unwrap();
    let found = attempt(&problem(&model, None), None);
    assert!(found.rescued && found.status == Status::Optimal, "{:?}", found.status);
    // CasADi with IPOPT, from a control that is a wave.
    assert!((found.objective - 7.811632327596).abs() < 1e-6, "{}", found.objective);
    // Where the user limits iterations, nothing else is tried for longer.
    let problem = Problem::new(&model, Statement::of(&model).unwrap(), &model.simulation().method).unwrap();
    let mut settings = SolveSettings::default();
    settings.options.max_iterations = 3;
    let mut seen = 0;
    let given_up = problem
        .solve(&Guess::Stated, &settings, &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(!given_up.status.is_solved() && !given_up.rescued && seen > 4);
}

#[test]
fn who_interrupts_the_search_for_other_guesses_is_obeyed() {
    let model = Model::from_toml(PARTICLE).unwrap();
    let problem = problem(&model, None);
    let mut seen = 0;
    let interrupted = problem
        .solve(&Guess::Stated, &SolveSettings::default(), &mut |_| {
            seen += 1;
            if seen > 150 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(interrupted.status, Status::Interrupted);
    assert!(seen < 160, "{seen}");
}

/// u = −1 until x has come down to 0 at t = 1, where it stays: H = p u − x² is affine in u.
#[test]
fn a_singular_arc_is_told_from_one_at_a_bound() {
    let model = Model::from_toml(
        r#"
        name = "Down and stay"
        [states]
        x = { rate = "u" }
        [controls]
        u = { min = -1, max = 1 }
        [objective]
        running = "x^2"
        [boundary]
        duration = 2.0
        steps = 40
        start = { x = 1 }
        "#,
    )
    .unwrap();
    let problem = problem(&model, None);
    let arcs = problem.control_arcs(&attempt(&problem, None));
    assert_eq!(arcs.len(), 1);
    assert!(arcs[0].affine && !arcs[0].is_bang_bang());
    let kinds: Vec<ArcKind> = arcs[0].arcs.iter().map(|arc| arc.kind).collect();
    assert_eq!(kinds, [ArcKind::Min, ArcKind::Singular], "{:?}", arcs[0].arcs);
    // Steps are 0.05 long, and the switch is on the grid.
    assert!((arcs[0].arcs[1].from - 1.0).abs() < 0.051, "{:?}", arcs[0].arcs);
    assert!(arcs[0].arcs[1].to == 2.0);
}

/// A cold solution of the same problem with the other start typed into its text.
#[test]
fn a_horizon_finds_what_a_search_from_nothing_finds() {
    let text = gallery::text("cart-pole-swing").unwrap();
    let model = Model::from_toml(text).unwrap();
    let problem = problem(&model, None);
    let first = attempt(&problem, None);
    let mut horizon = problem.receding_horizon(&first, 1e-9);
    let (mut iterations, mut cold_iterations) = (0, 0);
    for (x, v) in [(0.02, 0.0), (0.02, -0.1), (-0.01, 0.05)] {
        let typed = text.replace(
            "start = { x = 0, th = \"pi\", \"x'\" = 0",
            &format!("start = {{ x = {x}, th = \"pi\", \"x'\" = {v}"),
        );
        assert!(typed != text);
        let moved = Model::from_toml(&typed).unwrap();
        let cold = attempt(&self::problem(&moved, None), None);
        let step = horizon.solve(&[("x", x), ("x'", v)]).unwrap();
        assert_eq!(step.status, NlpStatus::Solved);
        // The tolerance of both, 1e-9 of the scaled gradient, is 1e-6 of a control of 20.
        assert!(
            (step.objective - cold.objective).abs() < 1e-7 * cold.objective,
            "{} {}",
            step.objective,
            cold.objective
        );
        assert!((step.controls[0] - cold.values("u").unwrap()[0]).abs() < 1e-5);
        iterations += step.iterations;
        cold_iterations += cold.iterations;
    }
    assert!(2 * iterations <= cold_iterations, "{iterations} beside {cold_iterations}");
    assert_eq!(horizon.solve(&[("y", 1.0)]), Err(HorizonError { name: "y".to_owned() }));
}

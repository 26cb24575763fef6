//! Runs that cannot go on: each stops with step, time, state and reason, and keeps what was computed.

use extremal_engine::run::{End, SetupError};
use extremal_engine::solve::{Reason, SolveFailure, StepFailure};
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, attempt_text, gallery, record, with};

/// The failure that ended the run, after checking that it is told fully and that the rows before it are all there.
fn failure(run: &RecordedRun) -> &StepFailure {
    let failure = run.failure("a failing run");
    assert_eq!(failure.step, run.outcome.steps + 1, "the failing step follows those taken");
    assert_eq!(failure.time, run.outcome.time, "the time is that of the last good state");
    assert!(!failure.state.is_empty());
    let told = failure.to_string();
    assert!(told.contains(&format!("step {}", failure.step)) && told.contains("t = "), "{told}");
    if run.outcome.steps > 0 {
        let t = run.column("t");
        assert_eq!(t.len() as u64, run.outcome.steps + 1, "every step taken is recorded");
        assert_eq!(t.last(), Some(&failure.time));
        for (name, value) in &failure.state {
            // The failure tells names of the state; those that are recorded show the same numbers.
            assert_eq!(run.last(name), *value, "{name}");
        }
    }
    failure
}

fn solve_failure(run: &RecordedRun) -> &SolveFailure {
    match &failure(run).reason {
        Reason::Solve(reason) => reason,
        other => panic!("another reason: {other:?}"),
    }
}

const KEPLER: &str = r#"
    coordinates = { x = { start = 0.4 }, y = { start = 0.0, velocity = 2.0 } }
    dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"
    simulation = { step = 0.01, steps = 100 }
"#;

#[test]
fn a_huge_step_without_a_solution_stops_with_what_was_computed() {
    let model = model(KEPLER);
    let (mut failed, mut suggested) = (0, 0);
    for method in ["midpoint", "theta(0.3)", "galerkin(2)", "gauss(2)", "right"] {
        for step in [0.7, 2.0, 1e3, 1e9] {
            let run = attempt(&model, &with(&model, method, step));
            if run.outcome.end == End::Reached {
                // Far away the step may have a solution; then it is one, and it is finite.
                assert!(run.column("x").iter().chain(&run.column("y")).all(|x| x.is_finite()));
                continue;
            }
            failed += 1;
            if let (Some(shorter), 0) = (failure(&run).shorter, run.outcome.steps) {
                assert!(shorter < step, "{method} {step}: {shorter}");
                let one = with(&model, method, shorter).steps(1);
                assert_eq!(attempt(&model, &one).outcome.steps, 1, "{method} {step}: {shorter}");
                suggested += 1;
            }
            match solve_failure(&run) {
                SolveFailure::NoConvergence { unknown, residual, tolerance, .. } => {
                    assert!(!unknown.is_empty() && residual > tolerance, "{method} {step}: {residual:e}");
                }
                SolveFailure::NotFinite { what } | SolveFailure::Singular { unknown: what } => {
                    assert!(!what.is_empty());
                }
            }
        }
    }
    assert!(failed > 0, "no step was too large");
    assert!(suggested > 0, "no smaller step was suggested");
}

/// The first guess compresses one of the gases to nothing: the next state is found all the same, and keeps the energy.
#[test]
fn a_guess_outside_the_domain_does_not_hide_the_next_state() {
    let model = gallery("gas-containers");
    for (method, step) in [("energy-entropy", 0.3), ("energy-entropy", 0.25), ("energy-entropy(2)", 0.3)] {
        let run = record(&model, &with(&model, method, step));
        let energy = run.column("energy");
        assert!(energy.iter().all(|e| (e - 6.0).abs() < 1e-12), "{method} {step}: kept to round-off");
    }
}

#[test]
fn an_equation_without_a_root_does_not_converge() {
    // -D1 L_d = arctan(x_1) stays below π/2 and can never be the momentum 2 of the start.
    let run = attempt_text(
        r#"
        coordinates.x = { start = 0.0, velocity = 2.0 }
        dynamics.lagrangian = "x'^2/2"
        discrete.lagrangian = "-x_0*atan(x_1) + h*x_1^2"
        simulation = { method = "custom", step = 0.1, steps = 10 }
        "#,
    );
    assert_eq!(run.outcome.steps, 0);
    assert_eq!(run.column("x"), [0.0], "the start is kept");
    let reason = solve_failure(&run);
    assert!(
        matches!(
            reason,
            SolveFailure::NoConvergence { .. } | SolveFailure::Singular { .. } | SolveFailure::NotFinite { .. }
        ),
        "{reason:?}"
    );
}

#[test]
fn a_singular_lagrangian_is_named() {
    let text = r#"
        coordinates = { x = { start = 1.0, velocity = 1.0 }, y = { start = 1.0, velocity = 0.0 } }
        dynamics.lagrangian = "(x' + y')^2/2"
        simulation = { step = 0.1, steps = 10 }
    "#;
    let model = model(text);
    for method in ["midpoint", "left", "trapezoidal", "galerkin(2)", "rk4", "gauss(2)", "dop853", "dopri5"] {
        match CompiledRun::new(&model, &with(&model, method, 0.1)).map(|_| ()) {
            Err(SetupError::Singular { coordinate, .. }) => assert_eq!(coordinate, "y", "{method}"),
            other => panic!("{method}: {other:?}"),
        }
    }
}

/// Regular at the start, singular where the mass x vanishes: the run stops there instead of passing through.
#[test]
fn a_mass_that_vanishes_on_the_way_stops_the_run() {
    let text = r#"
        coordinates.x = { start = 1.0, velocity = -1.0 }
        dynamics.lagrangian = "max(x, 0)*x'^2/2"
        simulation = { method = "rk4", step = 0.01, steps = 200 }
    "#;
    let run = attempt_text(text);
    let failure = failure(&run);
    assert!(failure.time < 1.2, "{failure}");
}

#[test]
fn a_start_that_is_no_number_is_refused_where_it_is_written() {
    for start in ["0/0", "log(-1)", "1e308*1e308", "sqrt(-2)"] {
        let text = format!(
            r#"
            parameters.a = 1
            coordinates.x = {{ start = "a*{start}" }}
            dynamics.lagrangian = "a*x'^2/2"
            simulation = {{ step = 0.1, until = 1.0 }}
            "#
        );
        assert!(Model::from_toml(&text).is_err(), "{start}");
    }
}

#[test]
fn outside_the_domain_of_a_function_nothing_is_invented() {
    // The force 1/x exists at x = -1, the energy log(x) does not: the first row cannot be written.
    let run = attempt_text(
        r#"
        coordinates.x = { start = -1.0 }
        dynamics.lagrangian = "x'^2/2 - log(x)"
        simulation = { step = 0.1, steps = 10 }
        "#,
    );
    assert_eq!(run.outcome.steps, 0);
    assert!(matches!(solve_failure(&run), SolveFailure::NotFinite { .. }));

    // x'' = -1/(2 √x) from rest at x = 1 reaches x = 0 after t = ∫ dx/√(2 - 2 √x) = 4 √2/3, and cannot go on.
    let end = 2.0_f64.sqrt() * 4.0 / 3.0;
    for method in ["midpoint", "trapezoidal", "rk4", "galerkin(2)", "dop853"] {
        let text = r#"
            coordinates.x = { start = 1.0 }
            dynamics.lagrangian = "x'^2/2 - sqrt(x)"
            simulation = { step = 0.01, until = 10.0 }
        "#;
        let model = model(text);
        let run = attempt(&model, &with(&model, method, 0.01));
        let failure = failure(&run);
        assert!((failure.time - end).abs() < 0.03, "{method}: stopped at {} instead of {end}", failure.time);
        let x = run.column("x");
        assert!(x.iter().all(|x| x.is_finite() && *x >= 0.0), "{method}");
        assert!(x.windows(2).all(|pair| pair[1] < pair[0]), "{method}: the fall is recorded");
    }
}

#[test]
fn a_step_to_where_the_energy_does_not_exist_is_not_taken() {
    // The force -1/(10 x) exists on both sides of zero, the energy only on one, and a long step leaps across.
    let text = r#"
        coordinates.x = { start = 1.0, velocity = -1.0 }
        dynamics.lagrangian = "x'^2/2 - log(x)/10"
        simulation = { step = 0.3, steps = 10 }
    "#;
    let model = model(text);
    for method in ["midpoint", "trapezoidal", "rk4", "gauss(2)"] {
        let run = attempt(&model, &with(&model, method, 0.3));
        match &failure(&run).reason {
            Reason::Solve(SolveFailure::NotFinite { what }) => assert!(!what.is_empty()),
            // Where the run stopped, the exact motion ends within the step too.
            Reason::Singularity { time, .. } => assert!((run.outcome.time..run.outcome.time + 0.9).contains(time)),
            other => panic!("{method}: {other:?}"),
        }
        assert!(run.outcome.steps >= 2 && run.column("x").iter().all(|x| *x > 0.0), "{method}: {:?}", run.column("x"));
    }
}

#[test]
fn a_failure_while_an_event_is_located_keeps_the_last_good_state() {
    // The condition is crossed in the first step, which is possible as a whole; shorter ones leave the domain of the motion
    // that the guard declares for an instant around t = 0.2.
    let run = attempt_text(
        r#"
        coordinates.x = { start = 0.0, velocity = 1.0, domain = "abs(t - 0.2) > 0.15 or t > 0.4" }
        dynamics.lagrangian = "x'^2/2"
        stop.there = "x - 0.2"
        simulation = { method = "midpoint", step = 0.5, steps = 4 }
        "#,
    );
    assert!(matches!(failure(&run).reason, Reason::LeftDomain { .. }));
    assert_eq!((run.outcome.steps, run.outcome.time, run.column("x")), (0, 0.0, vec![0.0]));
}

#[test]
fn overflow_is_not_a_result() {
    let run = attempt_text(
        r#"
        coordinates.x = { start = 1.0, velocity = 1.0 }
        dynamics.lagrangian = "x'^2/2 + exp(x)"
        simulation = { method = "trapezoidal", step = 0.1, steps = 1000 }
        "#,
    );
    let failure = failure(&run);
    assert!(failure.state.iter().all(|(_, value)| value.is_finite()));
    assert!(run.column("x").len() > 1);
}

#[test]
fn leaving_a_declared_domain_names_the_condition_and_keeps_the_state() {
    let text = r#"
        coordinates.x = { start = 1.0, velocity = -1.0, domain = "x > 0.05" }
        coordinates.y = { start = 0.0, velocity = 1.0 }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        simulation = { step = 0.1, until = 5.0 }
    "#;
    let model = model(text);
    for method in ["midpoint", "galerkin(2)", "compose(yoshida4, midpoint)", "rk4", "dop853", "dopri5"] {
        let run = attempt(&model, &with(&model, method, 0.1));
        let failure = failure(&run);
        let Reason::LeftDomain { condition } = &failure.reason else { panic!("{method}: {:?}", failure.reason) };
        assert!(condition.contains('x') && condition.contains("0.05") || condition.contains("1/20"), "{condition}");
        // x = 1 - t: the last row inside is t = 0.9.
        assert_eq!(run.outcome.steps, 9, "{method}");
        assert!((run.last("x") - 0.1).abs() < 1e-12 && (run.last("y") - 0.9).abs() < 1e-12, "{method}");
    }
}

#[test]
fn an_interrupted_run_keeps_its_rows() {
    let model = model(KEPLER);
    let settings = Settings { step: Some(1e-3), ..Settings::of(&model) };
    let run = CompiledRun::new(&model, &settings).unwrap();
    let mut recorder = extremal_engine::Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, |_| std::ops::ControlFlow::Break(())).unwrap();
    assert_eq!(outcome.end, End::Interrupted);
    assert_eq!(recorder.rows(), outcome.steps + 1);
    assert!(outcome.steps < 100);
}

#[test]
fn a_jacobian_that_could_not_be_factored_does_not_serve_again() {
    // Masses of 1e-30: larger systems keep their factored Jacobian, and one of them is singular.
    let run = attempt_text(
        r#"
        parameters = { n = 5, k = 1e-30 }
        coordinates.q = { count = "n", start = "log(i)" }
        entropies.S = { count = "n", start = "0.1*i" }
        dynamics.lagrangian = "sum(i, 1, n, k*q[i]'^2/2) - sum(i, 1, n - 1, cos(q[i + 1] - q[i])) - sum(i, 1, n, exp(S[i]))"
        friction.q = { force = "-0.1*q[i]'", heats = { "S[i]" = 1 } }
        simulation = { method = "theta(0.3)", step = 0.2, steps = 20 }
        "#,
    );
    assert!(matches!(failure(&run).reason, Reason::Solve(_)), "{:?}", run.outcome.end);
}

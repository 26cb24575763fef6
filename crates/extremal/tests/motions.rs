//! Rows asked for one by one, and motions that go on: the numbers, stops and warnings of a run.

use extremal::{ErrorKind, Method, Model, Simulation, State};

fn rows(simulation: &Simulation) -> (Vec<Vec<f64>>, Result<extremal::Run, extremal::Error>) {
    let mut stream = simulation.stream().unwrap();
    let rows = stream.by_ref().map_while(Result::ok).map(|state| state.row().to_vec()).collect();
    (rows, stream.finish())
}

fn columns(run: &extremal::Run) -> Vec<&[f64]> {
    run.columns().filter_map(|name| run.column(name)).collect()
}

/// One that reaches its end with a shorter last step, one that stops, one with constraints that are chosen again, one of many like
/// members, entropies, an adaptive method, a step that does not resolve the motion.
#[test]
fn a_stream_has_the_rows_of_its_run() {
    let gallery = |name: &str| Model::gallery(name).unwrap();
    let many = gallery("fermi-pasta-ulam").with("n", 60).unwrap();
    let simulations = [
        gallery("pendulum").simulate().until(1.005),
        gallery("projectile").simulate(),
        gallery("four-bar-linkage").simulate().until(3.0),
        many.simulate().steps(50),
        gallery("piston-between-gases").simulate().steps(50),
        gallery("kepler").simulate().method(Method::Dop853).steps(50),
        gallery("elastic-pendulum").simulate().step(0.3),
    ];
    let mut seen = (0, 0);
    for simulation in simulations {
        let run = simulation.run().unwrap();
        let (rows, end) = rows(&simulation);
        let end = end.unwrap();
        let of_run = columns(&run);
        assert_eq!(rows.len(), of_run[0].len());
        assert!(rows.iter().enumerate().all(|(at, row)| row.iter().zip(&of_run).all(|(x, column)| *x == column[at])));
        assert_eq!(end.warnings(), run.warnings());
        assert_eq!(end.stopped_by(), run.stopped_by());
        assert_eq!(end.energy().max_drift(), run.energy().max_drift());
        assert_eq!(serde_json::to_value(&end).unwrap(), serde_json::to_value(&run).unwrap());
        seen = (seen.0 + usize::from(run.stopped_by().is_some()), seen.1 + run.warnings().len());
    }
    assert!(seen.0 == 1 && seen.1 >= 3, "{seen:?}");
}

#[test]
fn a_stream_ends_with_the_failure_of_its_run() {
    let simulation = Model::gallery("double-pendulum").unwrap().simulate().step(0.3).until(60.0);
    let error = simulation.run().unwrap_err();
    let last = simulation.stream().unwrap().last().unwrap().unwrap_err();
    assert_eq!((last.kind(), last.to_string()), (ErrorKind::Motion, error.to_string()));
    assert_eq!(last.partial().unwrap().steps(), error.partial().unwrap().steps());
    assert_eq!(simulation.stream().unwrap().filter(Result::is_err).count(), 1);
}

/// A model that states no end has none, and what was seen until one stops asking can be had.
#[test]
fn a_stream_goes_as_far_as_it_is_asked() {
    let spring = r#"
        coordinates = { x = { start = 1 } }
        dynamics = { lagrangian = "x'^2/2 - x^2/2" }
    "#;
    let mut stream = Model::parse(spring).unwrap().simulate().step(0.01).stream().unwrap();
    assert_eq!(stream.by_ref().take(5001).last().unwrap().unwrap().time(), 50.0);
    let run = stream.finish().unwrap();
    assert_eq!((run.steps(), run.end().time()), (5000, 50.0));
}

#[test]
fn a_motion_has_the_states_of_a_run() {
    for name in ["double-pendulum", "piston-between-gases", "four-bar-linkage"] {
        let model = Model::gallery(name).unwrap();
        let mut motion = model.march().unwrap();
        let run = model.simulate().steps(60).run().unwrap();
        for steps in [0, 1, 7, 52] {
            motion.advance(steps).unwrap();
            let row: Vec<f64> = columns(&run).iter().map(|column| column[motion.steps() as usize]).collect();
            assert_eq!(motion.state().row(), row, "{name}");
        }
        assert_eq!(motion.warnings(), run.warnings());
    }
}

#[test]
fn a_motion_ends_where_its_run_does() {
    let model = Model::gallery("projectile").unwrap();
    let mut motion = model.march().unwrap();
    motion.advance(u64::MAX).unwrap();
    let run = model.simulate().run().unwrap();
    assert_eq!((motion.stopped_by(), motion.state()), (run.stopped_by(), run.end()));
    let mut motion = Model::gallery("double-pendulum").unwrap().simulate().step(0.3).march().unwrap();
    assert_eq!(motion.advance(u64::MAX).unwrap_err().kind(), ErrorKind::Motion);
    assert_eq!(motion.set_parameter("g", 1.0).unwrap_err().kind(), ErrorKind::Motion);
}

/// The rest of a motion whose length jumps, from a model that starts where it jumps, with the momentum l²θ' of before.
fn rest(state: &State, length: f64, method: &Method) -> State {
    let text = format!(
        r#"
        parameters = {{ l = {length} }}
        coordinates = {{ theta = {{ start = {}, velocity = {} }} }}
        dynamics = {{ lagrangian = "l^2*theta'^2/2 + 9.81*l*cos(theta)" }}
        "#,
        state.q("theta"),
        state.p("theta") / length.powi(2),
    );
    Model::parse(&text).unwrap().simulate().method(method.clone()).step(0.01).until(1.0).run().unwrap().end()
}

/// Momenta are continuous where a Lagrangian jumps in time, whatever a method carries from step to step.
#[test]
fn positions_and_momenta_stay_where_a_parameter_changes() {
    for method in [Method::Midpoint, Method::galerkin(2), Method::Rk4, Method::Dop853, Method::EnergyEntropy(1)] {
        let model = Model::gallery("pendulum").unwrap();
        let mut motion = model.simulate().method(method.clone()).step(0.01).march().unwrap();
        motion.advance(123).unwrap();
        let before = motion.state();
        motion.set_parameter("l", 1.5).unwrap();
        motion.advance(100).unwrap();
        let (after, other) = (motion.state(), rest(&before, 1.5, &method));
        assert!((after.time() - 2.23).abs() < 1e-12 && motion.steps() == 223);
        // The velocity is found by Newton's method there and by division here; a hundred steps amplify round-off little.
        for (here, there) in [(after.q("theta"), other.q("theta")), (after.p("theta"), other.p("theta"))] {
            assert!((here - there).abs() < 1e-11, "{method}: {here} {there}");
        }
        assert!(motion.warnings().is_empty());
    }
}

#[test]
fn a_parameter_that_was_set_again_changes_nothing() {
    let model = Model::gallery("double-pendulum").unwrap();
    let (mut plain, mut set) = (model.march().unwrap(), model.march().unwrap());
    plain.advance(50).unwrap();
    set.advance(20).unwrap();
    set.set_parameter("g", set.parameter("g").unwrap()).unwrap();
    set.advance(30).unwrap();
    for (a, b) in plain.state().row().iter().zip(set.state().row()) {
        assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn parameters_follow_those_that_are_set() {
    let text = r#"
        parameters = { m = 1, k = "4*m", w = "sqrt(k/m)" }
        coordinates = { x = { start = 1 } }
        dynamics = { lagrangian = "m*x'^2/2 - k*x^2/2" }
        simulation = { step = 0.01 }
    "#;
    let mut motion = Model::parse(text).unwrap().march().unwrap();
    motion.set_parameter("k", 9.0).unwrap();
    assert_eq!((motion.parameter("m"), motion.parameter("w")), (Some(1.0), Some(3.0)));
    // One that was set stays.
    motion.set_parameter("m", 9.0).unwrap();
    assert_eq!((motion.parameter("k"), motion.parameter("w")), (Some(9.0), Some(1.0)));
}

#[test]
fn what_cannot_be_changed_is_refused_and_changes_nothing() {
    let refused = |model: &Model, name: &str, value: f64| {
        let mut motion = model.march().unwrap();
        motion.advance(3).unwrap();
        let before = motion.state();
        let error = motion.set_parameter(name, value).unwrap_err();
        assert_eq!(motion.state(), before);
        motion.advance(1).unwrap();
        (error.kind(), error.to_string())
    };
    let pendulum = Model::gallery("pendulum").unwrap();
    let (kind, message) = refused(&pendulum, "lenght", 2.0);
    assert!(kind == ErrorKind::Settings && message.contains("no parameter `lenght`"), "{message}");
    assert_eq!(refused(&pendulum, "l", f64::NAN).0, ErrorKind::Settings);
    // Without mass no velocity has this momentum.
    assert_eq!(refused(&pendulum, "m", 0.0).0, ErrorKind::Singular);
    let (kind, message) = refused(&Model::gallery("toda-lattice").unwrap(), "n", 5.0);
    assert!(kind == ErrorKind::Unsupported && message.contains("counts members"), "{message}");
    // The rod is as long as it is: the pendulum is not at the end of a longer one.
    assert_eq!(refused(&Model::gallery("pendulum-rod").unwrap(), "l", 2.0).0, ErrorKind::Singular);
    assert_eq!(refused(&Model::gallery("pais-uhlenbeck").unwrap(), "a", 2.0).0, ErrorKind::Unsupported);
}

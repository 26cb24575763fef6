//! When a motion begins, and which way its time runs.

use extremal_engine::sweep::{AdjustableRun, Record};
use extremal_engine::{Model, Overrides, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::measured_order;
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, executed, gallery, record, refusal, with};
use extremal_testkit::sweeps::{SweepRows, grid};

/// x'' = cos t + x/4 from x(2) = 0, x'(2) = 1.
const FORCED: &str = r#"
    coordinates.x = { start = 0.0, velocity = 1.0 }
    dynamics.lagrangian = "x'^2/2 + x^2/8 + x*cos(t)"
    simulation = { step = 0.05, from = 2.0, until = 5.0 }
"#;

/// Its solution, −4/5 cos t + a cosh((t−2)/2) + b sinh((t−2)/2), and the velocity.
fn forced(t: f64) -> [f64; 2] {
    let (a, b) = (0.8 * 2f64.cos(), 2.0 * (1.0 - 0.8 * 2f64.sin()));
    let s = (t - 2.0) / 2.0;
    [-0.8 * t.cos() + a * s.cosh() + b * s.sinh(), 0.8 * t.sin() + (a * s.sinh() + b * s.cosh()) / 2.0]
}

/// How far the end of a run is from it, in positions and velocities: one of them alone may be right by chance.
fn distance(run: &RecordedRun, t: f64) -> f64 {
    let [x, v] = forced(t);
    (run.last("x") - x).hypot(run.last("x'") - v)
}

#[test]
fn a_motion_that_begins_later_follows_the_clock() {
    let model = model(FORCED);
    for (method, order) in
        [("midpoint", 2.0), ("galerkin(2)", 4.0), ("compose(suzuki4, trapezoidal)", 4.0), ("rk4", 4.0)]
    {
        // Forward and backward from the same start, with a last step of another length.
        for end in [5.01, 0.33] {
            let errors: Vec<(f64, f64)> = [0.1, 0.05, 0.025, 0.0125]
                .into_iter()
                .map(|h| {
                    let run = record(&model, &with(&model, method, h).until(end));
                    assert_eq!(run.column("t")[0], 2.0);
                    (h, distance(&run, end))
                })
                .collect();
            let measured = measured_order(&errors, 1e-12);
            assert!((measured - order).abs() < 0.25, "{method} to {end}: order {measured}, {errors:?}");
        }
    }
    for end in [5.01, 0.33] {
        let run = record(&model, &with(&model, "dop853", 0.05).until(end));
        // Tolerance 1e-12 per step over some tens of steps, of numbers up to 4.
        assert!(distance(&run, end) < 1e-10, "to {end}: {}", run.last("x"));
    }
}

#[test]
fn steps_back_undo_steps_of_the_adjoint_method() {
    let there = gallery("double-pendulum");
    for (method, adjoint) in [
        ("midpoint", "midpoint"),
        ("trapezoidal", "trapezoidal"),
        ("galerkin(2)", "galerkin(2)"),
        ("gauss(2)", "gauss(2)"),
        ("compose(yoshida4, midpoint)", "compose(yoshida4, midpoint)"),
        ("left", "right"),
        ("right", "left"),
        ("theta(0.3)", "theta(0.7)"),
        ("energy-entropy", "energy-entropy"),
        ("dop853", "dop853"),
    ] {
        let names = ["θ1", "θ2", "θ1'", "θ2'"];
        let state = |run: &RecordedRun| names.map(|name| run.last(name));
        let forward = record(&there, &with(&there, method, 0.01).until(2.005));
        let [q1, q2, v1, v2] = state(&forward);
        let mut back = gallery("double-pendulum").source_text().to_owned();
        back.push('\n');
        let set = [("θ1", q1), ("θ2", q2), ("θ1'", v1), ("θ2'", v2)];
        let overrides =
            set.iter().fold(Overrides::default(), |all, (name, value)| all.assign(name, format!("{value:?}")));
        let back = Model::load(&back, &overrides).unwrap();
        // The shorter step was the last one there and is the last one here: times on the way back are others, so the first part
        // is gone back by itself.
        let first = Settings { from: Some(2.005), ..with(&back, adjoint, 0.005) }.until(2.0);
        let first = record(&back, &first);
        let overrides = names
            .iter()
            .zip(state(&first))
            .fold(Overrides::default(), |all, (name, value)| all.assign(name, format!("{value:?}")));
        let rest = Model::load(back.source_text(), &overrides).unwrap();
        let rest = record(&rest, &Settings { from: Some(2.0), ..with(&rest, adjoint, 0.01) }.until(0.0));
        let begin = [&forward, &rest].map(|run| run.recorder.series().rows().next().unwrap().to_vec());
        assert!((rest.outcome.time).abs() < 1e-12 && begin[1][0] == 2.0);
        // Residuals of 1e-12 a step, 400 of them, grow with the motion by no more than 100 in two seconds.
        for (at, name) in names.iter().enumerate() {
            let first = forward.column(name)[0];
            assert!((state(&rest)[at] - first).abs() < 1e-8, "{method}: {name} is {} not {first}", state(&rest)[at]);
        }
    }
}

#[test]
fn conditions_stop_motions_that_go_back() {
    // x = sin t from its end: the zero at π is met first.
    let back = model(
        r#"
        coordinates.x = { start = "sin(4)", velocity = "cos(4)" }
        dynamics.lagrangian = "x'^2/2 - x^2/2"
        stop.zero = "x"
        simulation = { method = "galerkin(4)", step = 1.5, from = 4.0, until = 0.0 }
        "#,
    );
    let run = attempt(&back, &Settings::of(&back));
    assert_eq!(run.stopped_by(), "zero");
    // Of order eight: (h/8)^8.
    assert!((run.outcome.time - std::f64::consts::PI).abs() < 1e-6, "{}", run.outcome.time);
}

#[test]
fn what_makes_entropy_is_not_followed_backward() {
    for name in ["cart-with-friction", "dry-block"] {
        let Some(text) = extremal_engine::gallery::text(name) else { continue };
        let model = model(text);
        let said = refusal(&model, &Settings::of(&model).until(-1.0));
        assert!(said.contains("cannot be followed backward"), "{name}: {said}");
    }
    let dry = model(
        r#"
        coordinates.x = { start = 0.0, velocity = 1.0 }
        dynamics.lagrangian = "x'^2/2"
        friction.x = { dry = 0.1 }
        simulation = { step = 0.01, until = -1 }
        "#,
    );
    let said = refusal(&dry, &Settings::of(&dry));
    assert!(said.contains("dry friction cannot be followed backward"), "{said}");
}

#[test]
fn members_of_a_sweep_begin_when_their_runs_do() {
    let text = FORCED
        .replace("from = 2.0", "from = \"begin\"")
        .replace("coordinates.x", "parameters.begin = 2.0\n coordinates.x");
    let base = model(&text);
    let settings = Settings { from: None, ..Settings::of(&base) };
    let rows = SweepRows::of(&base, &settings, grid(&["begin=1:6:3"]), Record::End);
    for (member, begin) in [1.0, 3.5, 6.0].into_iter().enumerate() {
        let mut alone = model(&text);
        alone.set_parameter("begin", begin).unwrap();
        let run = record(&alone, &Settings::of(&alone));
        assert_eq!(run.column("t")[0], begin);
        assert_eq!(rows.column("x")[member], run.last("x"), "from {begin}");
        assert_eq!(rows.column("t")[member], 5.0);
    }
    // Members that are marched together, and one whose values are changed once it is compiled.
    let base = model(FORCED);
    let settings = Settings::of(&base);
    let rows = SweepRows::of(&base, &settings, grid(&["x=0:1:24"]), Record::End);
    let mut adjustable = AdjustableRun::new(model(FORCED), &settings).unwrap();
    for member in [0, 7, 23] {
        let start = member as f64 / 23.0;
        let set = Overrides::default().assign("x", format!("{start:?}"));
        let alone = Model::load(FORCED, &set).unwrap();
        let run = record(&alone, &settings);
        assert_eq!(rows.column("x")[member], run.last("x"), "from {start}");
        let adjusted = executed(&adjustable.with(&[("x", start)]).unwrap());
        assert_eq!((adjusted.last("x"), adjusted.column("t")[0]), (run.last("x"), 2.0));
    }
}

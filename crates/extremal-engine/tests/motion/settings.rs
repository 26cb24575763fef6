//! How a run is asked for does not change what it computes.

use extremal_engine::{CompiledRun, Recorder, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, gallery, gallery_with, go_on, with};

#[test]
fn the_recording_stride_changes_no_number() {
    let model = gallery("double-pendulum");
    let settings = Settings::of(&model);
    let run = CompiledRun::new(&model, &settings).unwrap();
    let ends: Vec<Vec<f64>> = [1, 7, 1000]
        .into_iter()
        .map(|stride| {
            let mut recorder = Recorder::new(run.columns().clone()).every(stride);
            run.execute(&mut recorder, go_on).unwrap();
            recorder.last().unwrap().to_vec()
        })
        .collect();
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0], ends[2]);
    // Nor does looking at the motion on the way: by hand, observed once at the end.
    let mut motion = run.begin().unwrap();
    for _ in 0..run.planned_steps() {
        motion.advance().unwrap();
    }
    assert_eq!(motion.state()[..2], ends[0][1..3]);
}

#[test]
fn a_parameter_set_afterwards_is_a_parameter_set_before() {
    for (name, parameter, value) in [("pendulum", "l", 2.5), ("kepler", "eccentricity", 0.3), ("projectile", "c", 0.05)]
    {
        let mut later = gallery(name);
        later.set_parameter(parameter, value).unwrap();
        let before = gallery_with(name, &[(parameter, &value.to_string())]);
        let [later, before, stated] =
            [later, before, gallery(name)].map(|model| attempt(&model, &Settings::of(&model)));
        let rows = |run: &RecordedRun| run.recorder.series().rows().map(<[f64]>::to_vec).collect::<Vec<_>>();
        assert_eq!(rows(&later), rows(&before), "{name}");
        assert_ne!(rows(&later), rows(&stated), "{name} reacts");
    }
}

#[test]
fn the_last_shorter_step_reaches_the_end_exactly_and_is_as_accurate_as_a_whole_one() {
    let model = model(
        r#"
        coordinates.x = { start = 1.0 }
        dynamics.lagrangian = "x'^2/2 - x^2/2"
        simulation = { step = 0.3, until = 1.0 }
        "#,
    );
    for method in ["midpoint", "galerkin(3)", "compose(kahan-li8, trapezoidal)", "rk4", "dop853"] {
        for (step, end) in [(0.3, 1.0), (0.07, 1.0), (0.1, 7.77), (3.0, 1.0), (0.1, 100.0 / 3.0)] {
            let settings = with(&model, method, step).until(end);
            let run = attempt(&model, &settings);
            // The end is a product of steps plus a remainder: the last sum is rounded once, the remainder a few times.
            let missed = (run.outcome.time - end).abs();
            assert!(missed <= 4.0 * f64::EPSILON * end, "{method}, h = {step}: misses {end} by {missed:e}");
            assert_eq!(run.outcome.steps, (end / step).ceil() as u64);
            // The error of an eighth-order composition at h = 0.1 is far below 1e-9; a wrong last step would show as 1e-2.
            let exact = !method.contains("kahan-li8") || step > 0.1 || (run.last("x") - end.cos()).abs() < 1e-9;
            assert!(exact, "{method}, h = {step}: {} at {end}", run.last("x"));
        }
    }
}

#[test]
fn explicit_methods_solve_nothing() {
    // Störmer–Verlet and its compositions where the kinetic energy is constant: elimination must see through the forces that
    // occur on both sides of the equations and cancel.
    for (name, method, unknowns) in [
        ("henon-heiles", "compose(kahan-li8, trapezoidal)", 0),
        ("three-body-figure-eight", "trapezoidal", 0),
        ("harmonic-oscillator", "midpoint", 0),
        ("henon-heiles", "midpoint", 2),
        ("double-pendulum", "midpoint", 2),
    ] {
        let model = gallery(name);
        let run = CompiledRun::new(&model, &with(&model, method, 0.01)).unwrap();
        assert_eq!(run.structure().unwrap().unknowns, unknowns, "{name}, {method}");
    }
}

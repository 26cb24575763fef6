//! Rows at times that are asked for, between the ends of steps.

use std::sync::{Arc, Mutex};

use extremal_engine::run::{CompiledRun, Outcome, Warning};
use extremal_engine::trajectory::{RowBlock, Sink};
use extremal_engine::{Model, Recorder, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::{measured_order, order_of};
use extremal_testkit::runs::{Lasting, attempt, gallery, go_on, record, refusal, with};

#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<Vec<f64>>>>);

impl Sink for Rows {
    fn write_row(&mut self, row: &[f64]) -> std::io::Result<()> {
        self.0.lock().unwrap().push(row.to_vec());
        Ok(())
    }

    fn write_block(&mut self, _: &dyn RowBlock, _: usize, _: usize) -> std::io::Result<()> {
        panic!("rows at given times come one by one")
    }

    fn finish(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A run with its rows at these times, and what was recorded of all.
pub fn at_times(model: &Model, settings: Settings, at: &[f64]) -> (Vec<Vec<f64>>, Outcome, Recorder) {
    let settings = Settings { at: at.to_vec(), ..settings };
    let run = CompiledRun::new(model, &settings).unwrap_or_else(|error| panic!("{error}"));
    let (rows, mut recorder) = (Rows::default(), run.recorder());
    recorder.add_sink("rows", Box::new(rows.clone()));
    let outcome = run.execute(&mut recorder, go_on).unwrap();
    let rows = std::mem::take(&mut *rows.0.lock().unwrap());
    (rows, outcome, recorder)
}

fn bits(row: &[f64]) -> Vec<u64> {
    row.iter().map(|value| value.to_bits()).collect()
}

/// What is seen inside a step has the order of the method, for positions and velocities.
#[test]
fn rows_inside_steps_have_the_order_of_the_method() {
    let pendulum = gallery("double-pendulum");
    let at = [0.3137, 0.7771, 1.0];
    let exact = {
        let fine = Settings { tolerance: Some(1e-13), ..with(&pendulum, "dop853", 0.01) };
        at_times(&pendulum, fine.until(1.0), &at).0
    };
    let names = ["θ1", "θ2", "θ1'", "θ2'"];
    for (method, order) in [
        ("left", 1.0),
        ("midpoint", 2.0),
        ("trapezoidal", 2.0),
        ("rk4", 4.0),
        ("gauss(2)", 4.0),
        ("galerkin(2)", 4.0),
        ("compose(suzuki4, midpoint)", 4.0),
        ("energy-entropy", 2.0),
    ] {
        let error = |step: f64| {
            let (rows, _, recorder) = at_times(&pendulum, with(&pendulum, method, step).until(1.0), &at);
            assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), at, "{method}");
            let places = names.map(|name| recorder.columns().index_of(name).unwrap());
            let off = |row: usize| places.iter().map(move |place| (row, *place)).map(|(r, p)| (rows[r][p], p, r));
            (0..2).flat_map(off).map(|(value, p, r)| (value - exact[r][p]).abs()).fold(0.0, f64::max)
        };
        let step = if order > 3.0 { 0.02 } else { 0.005 };
        let measured = order_of(method, step, 1e-11, error);
        assert!((measured - order).abs() < 0.35, "{method}: {measured}");
    }
    // An adaptive method is as exact as its tolerance says.
    let errors: Vec<(f64, f64)> = [1e-6, 1e-8, 1e-10]
        .map(|tolerance| {
            let loose = Settings { tolerance: Some(tolerance), ..with(&pendulum, "dopri5", 0.4) };
            let (rows, ..) = at_times(&pendulum, loose.until(1.0), &at);
            (tolerance, (rows[0][1] - exact[0][1]).abs().max((rows[1][1] - exact[1][1]).abs()))
        })
        .to_vec();
    assert!(measured_order(&errors, 1e-14) > 0.7, "{errors:?}");
}

/// Nothing of a run depends on being looked at in between, blocks of steps included.
#[test]
fn looking_changes_no_bit_of_the_motion() {
    for name in
        ["double-pendulum", "kepler", "damped-oscillator", "pendulum-rod", "piston-between-gases", "bouncing-ball"]
    {
        let model = gallery(name);
        let settings = Settings::of(&model);
        let plain = attempt(&model, &settings);
        let last = plain.recorder.last().unwrap();
        let at: Vec<f64> = (0..7).map(|k| last[0] * (0.03 + 0.141 * f64::from(k))).collect();
        let (rows, outcome, recorder) = at_times(&model, settings, &at);
        assert_eq!(rows.len(), at.len(), "{name}");
        assert_eq!(bits(recorder.last().unwrap()), bits(last), "{name}");
        assert_eq!((outcome.steps, outcome.work), (plain.outcome.steps, plain.outcome.work), "{name}");
        for ((column, drift), (_, other)) in recorder.drifts().zip(plain.recorder.drifts()) {
            assert_eq!(drift.max_drift().to_bits(), other.max_drift().to_bits(), "{name}: {}", column.name());
        }
    }
}

/// At the end of a step it is that step's row that is there, also where the time was computed with round-off.
#[test]
fn rows_at_the_ends_of_steps_are_those_of_the_steps() {
    let pendulum = gallery("double-pendulum");
    let settings = with(&pendulum, "midpoint", 0.1).until(1.0);
    let all = record(&pendulum, &settings);
    let (rows, ..) = at_times(&pendulum, settings, &[1.0, 0.0, 0.1 + 0.2, 0.3, 0.7]);
    let names: Vec<&str> = all.recorder.columns().names().collect();
    for (row, step) in rows.iter().zip([0, 3, 3, 7, 10]) {
        for (value, name) in row.iter().zip(&names) {
            assert_eq!(value.to_bits(), all.column(name)[step].to_bits(), "{name} after {step} steps");
        }
    }
}

#[test]
fn backward_and_last_shorter_steps_have_rows_too() {
    let oscillator = model(
        "coordinates.x = 1\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\"\n[simulation]\nfrom = 3\nuntil = -1.05\nstep = 0.1\n",
    );
    let (rows, ..) = at_times(&oscillator, with(&oscillator, "gauss(3)", 0.1), &[-1.04, -1.05, 2.5, 2.17]);
    // The last is the time of the last step, which is a product.
    for (row, time) in rows.iter().zip([2.5, 2.17, -1.04, -1.05]) {
        assert!((row[0] - time).abs() < 1e-14, "{} is not {time}", row[0]);
    }
    for row in rows {
        // Steps of order 6: below h⁶.
        assert!((row[1] - (row[0] - 3.0).cos()).abs() < 1e-8, "{row:?}");
    }
}

/// Between events of one step, before and after them.
#[test]
fn rows_between_events_are_those_of_the_motion_there() {
    let ball = model(
        r#"
        parameters = { g = 9.81 }
        coordinates = { y = 1.0 }
        dynamics.lagrangian = "y'^2/2 - g*y"
        simulation = { step = 0.7, until = 2.1 }
        [events]
        floor = { when = "y", direction = "falling", set = { "y'" = "-0.5*y'" } }
        "#,
    );
    let at: Vec<f64> = (0..=60).map(|k| 0.02 * f64::from(k)).collect();
    let fall = (2.0f64 / 9.81).sqrt();
    for method in ["midpoint", "rk4", "dop853"] {
        let (rows, ..) = at_times(&ball, with(&ball, method, 0.7).until(1.3), &at);
        assert_eq!(rows.len(), at.len());
        for row in rows {
            // Flights of 2 v/g, each half of the one before.
            let (mut t, mut v, mut y) = (row[0], 0.0, 1.0);
            if t > fall {
                (t, v, y) = (t - fall, 0.5 * 9.81 * fall, 0.0);
            }
            while t > 2.0 * v / 9.81 && v > 0.0 {
                (t, v) = (t - 2.0 * v / 9.81, 0.5 * v);
            }
            let height = y + v * t - 9.81 * t * t / 2.0;
            assert!((row[1] - height).abs() < 1e-9, "{method}: {} not {height} at {}", row[1], row[0]);
        }
    }
}

#[test]
fn times_that_are_not_there_are_said() {
    let thrown = model(
        r#"
        coordinates = { y = 1.0 }
        dynamics.lagrangian = "y'^2/2 - 9.81*y"
        simulation = { step = 0.1, until = 2, at = [0.25, 1.0, "3/2"] }
        stop = { floor = "y" }
        "#,
    );
    let run = CompiledRun::new(&thrown, &Settings::of(&thrown)).unwrap();
    let mut recorder = run.recorder();
    let outcome = run.execute(&mut recorder, go_on).unwrap();
    assert_eq!(outcome.warnings, [Warning::NotReached { times: 2, first: 1.0 }]);
    let refused = refusal(&thrown, &Settings { at: vec![0.5, 2.5], ..Settings::of(&thrown) });
    assert_eq!(refused, "a row is wanted at t = 2.5, but the run goes from 0 to 2");
}

//! A run takes its steps in blocks where nothing is to be said about them; a stream takes them row by row. Both see the same, bit for bit.

use std::io;
use std::sync::{Arc, Mutex};

use extremal_engine::trajectory::Sink;
use extremal_engine::{CompiledRun, Method, Model, Recorder, Settings, gallery};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, go_on, with};

use crate::lattice::{chains, lattice_run};

/// Keeps the bits of all rows.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u64>>>);

impl Sink for Kept {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.0.lock().unwrap().extend(row.iter().map(|x| x.to_bits()));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All that is known of a run: its outcome, its drifts, its last row, the rows that were written, and those that would be drawn.
type Told = (String, String, Option<Vec<u64>>, Vec<u64>, String);

/// Of a run that writes every so many rows, and keeps the others for plots or not.
fn told(run: &CompiledRun, every: u64, plotted: bool, in_blocks: bool) -> Told {
    let mut recorder = Recorder::new(run.columns().clone()).every(every);
    if !plotted {
        recorder = recorder.for_files_only();
    }
    let kept = Kept::default();
    if every < u64::MAX {
        recorder.add_sink("kept", Box::new(kept.clone()));
    }
    let outcome = match in_blocks {
        true => run.execute(&mut recorder, go_on).unwrap(),
        false => {
            let mut execution = run.start();
            while execution.advance(&mut recorder).unwrap() {}
            let outcome = execution.finish(&mut recorder).unwrap();
            recorder.finish().unwrap();
            outcome
        }
    };
    let drifts = format!("{:?}", recorder.drifts().collect::<Vec<_>>());
    let last = recorder.last().map(|row| row.iter().map(|x| x.to_bits()).collect());
    let drawn = format!("{:?}", recorder.series());
    let rows = kept.0.lock().unwrap().clone();
    (format!("{outcome:?}"), drifts, last, rows, drawn)
}

fn assert_the_same(what: &str, run: &CompiledRun) {
    for (every, plotted) in [(u64::MAX, false), (1, false), (7, false), (1, true)] {
        let [blocks, rows] = [true, false].map(|in_blocks| told(run, every, plotted, in_blocks));
        assert_eq!(blocks.0, rows.0, "{what}");
        assert_eq!(blocks.1, rows.1, "{what}");
        assert!(blocks == rows, "{what}: rows differ, every {every}");
    }
}

/// Long enough for blocks of every size, and a last step that is none.
const STEPS: f64 = 800.3;

#[test]
fn the_gallery_in_blocks_is_the_gallery_row_by_row() {
    for name in gallery::names() {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        if model.boundary().is_some() {
            continue;
        }
        let settings = Settings::of(&model);
        let step = settings.step.unwrap_or(0.01);
        let run = CompiledRun::new(&model, &settings.until(STEPS * step)).unwrap();
        assert_the_same(name, &run);
    }
}

/// Explicit and implicit, fused and not, of low and high order.
#[test]
fn methods_in_blocks_are_methods_row_by_row() {
    for name in ["double-pendulum", "kepler", "henon-heiles", "chain-pendulum", "damped-oscillator"] {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        for method in ["midpoint", "trapezoidal", "gauss(2)", "galerkin(2)", "rk4", "compose(yoshida4, midpoint)"] {
            let run = CompiledRun::new(&model, &with(&model, method, 0.01).until(STEPS * 0.01));
            // A method may not be defined for entropies.
            run.iter().for_each(|run| assert_the_same(&format!("{name} by {method}"), run));
        }
    }
}

/// Many like members, of which several steps go through a tile at once.
#[test]
fn chains_in_tiles_are_chains_row_by_row() {
    for (text, method) in chains() {
        for n in [60, 1203] {
            let method = method.parse::<Method>().unwrap();
            let settings = |model: &Model| {
                let settings = Settings { method: method.clone(), ..Settings::of(model) };
                let step = settings.step.unwrap_or(0.01);
                settings.until(60.3 * step)
            };
            assert_the_same(&format!("{n} members by {method}"), &lattice_run(&text, n, settings));
        }
    }
    // Springs that break.
    let breaks = |model: &Model| Settings { step: Some(4.0), ..Settings::of(model).until(400.0) };
    assert_the_same("a chain that breaks", &lattice_run(&chains()[0].0, 700, breaks));
}

/// What ends a motion, or is warned of, in the middle of a block: at the same step and in the same words.
#[test]
fn what_is_said_of_a_motion_does_not_depend_on_blocks() {
    let cases = [
        // A stop condition after 777 steps and a half.
        (
            r#"
            coordinates.x = { start = 0.0, velocity = 1.0 }
            dynamics.lagrangian = "x'^2/2 - x"
            stop.fallen = { when = "x - 0.1", direction = "falling" }
            simulation = { step = 0.001, until = 5.0, method = "midpoint" }
            "#,
            "fallen",
        ),
        // A fall into a centre.
        (
            r#"
            coordinates.x = { start = 1.0 }
            dynamics.lagrangian = "x'^2/2 + 1/x"
            simulation = { step = 0.001, until = 5.0, method = "midpoint" }
            "#,
            "Failed",
        ),
        // An orbit so eccentric that its pericentre takes a step.
        (
            r#"
            coordinates.x = { start = 1.0 }
            coordinates.y = { start = 0.0, velocity = 0.02 }
            dynamics.lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"
            simulation = { step = 0.002, until = 8.0, method = "trapezoidal" }
            "#,
            "Unresolved",
        ),
        // A guard that breaks.
        (
            r#"
            coordinates.x = { start = 1.0, velocity = -0.5, domain = "x > 0" }
            dynamics.lagrangian = "x'^2/2"
            simulation = { step = 0.001, until = 5.0, method = "midpoint" }
            "#,
            "Failed",
        ),
    ];
    for (text, said) in cases {
        let model = model(text);
        let run = CompiledRun::new(&model, &Settings::of(&model)).unwrap();
        assert!(told(&run, 1, false, true).0.contains(said), "{said}: {}", told(&run, 1, false, true).0);
        assert_the_same(said, &run);
    }
}

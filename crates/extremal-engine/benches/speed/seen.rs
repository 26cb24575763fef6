//! What the user of a run sees beside loops by hand that watch the energy as a run does: `cargo xtask bench --seen`.

use std::ops::ControlFlow;

use extremal_engine::mechanics::System;
use extremal_engine::mechanics::discrete::{Options, scheme};
use extremal_engine::model::Extent;
use extremal_engine::run::{End, Lattice};
use extremal_engine::{CompiledRun, Model, Overrides, Recorder, Settings, gallery};
use extremal_floors::watched::{WatchedMotion, kepler};
use extremal_floors::{double_pendulum, fermi_pasta_ulam, henon_heiles, thermal};

use crate::timing::{Paired, Steps, paired_in, readable};

/// Runs are long, for getting ready should not count: fewer rounds are enough.
const ROUNDS: usize = 15;

const KEPLER: &str = r#"
[coordinates]
x = { start = 0.4, velocity = 0.0 }
y = { start = 0.0, velocity = 2.0 }

[dynamics]
lagrangian = "(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)"

[simulation]
method = "trapezoidal"
step = 0.01
until = 1.0
"#;

/// One in a bath of constant temperature, begun with two positions, without the closed forms that the gallery compares it with.
const OSCILLATOR: &str = r#"
[parameters]
gamma = 0.1

[coordinates]
q = { start = 0.0, velocity = 1.0, second = 1e-4 }

[entropies]
S = { start = 0.0 }

[dynamics]
lagrangian = "q'^2/2 - q^2/2 - gamma*S"

[friction]
q = "-gamma*q'"

[simulation]
method = "midpoint"
entropy = "left"
start = "two-points"
step = 1e-4
until = 1.0
"#;

/// A run of so many steps, prepared as the program does; and what its motion is compared with.
type Prepared = Box<dyn Fn(usize) -> CompiledRun>;
type Floor = Box<dyn Fn(usize) -> WatchedMotion>;

/// A row of the table.
struct SeenRow {
    work: String,
    run: Prepared,
    /// None where the loop beside it is the engine's own, that nobody looks at.
    floor: Option<Floor>,
    /// Over so many steps both must agree, to this.
    compared: (usize, f64),
    steps: usize,
    goal: f64,
}

/// A model of a text, and of the step and method of a run of it.
fn prepared(text: &str, overrides: Overrides, step: f64, method: &str) -> Prepared {
    let model = Model::load(text, &overrides).unwrap_or_else(|e| panic!("{}", e.render("a model", false)));
    let method = method.parse().expect("a method");
    Box::new(move |steps| {
        let settings = Settings {
            step: Some(step),
            extent: Some(Extent::Steps(steps as u64)),
            method: Clone::clone(&method),
            ..Settings::of(&model)
        };
        CompiledRun::new(&model, &settings).expect("it runs")
    })
}

fn of_gallery(name: &str) -> &'static str {
    gallery::text(name).expect("it is in the gallery")
}

fn fermi_pasta_ulam(masses: u32, steps: usize) -> SeenRow {
    const H: f64 = 0.05;
    let start: Vec<f64> =
        (1..=masses).map(|i| (std::f64::consts::PI * f64::from(i) / f64::from(masses + 1)).sin()).collect();
    SeenRow {
        work: format!("Fermi–Pasta–Ulam, {masses} masses, Störmer–Verlet"),
        run: Box::new(move |steps| {
            let settings = |model: &Model| Settings {
                step: Some(H),
                extent: Some(Extent::Steps(steps as u64)),
                ..Settings::of(model)
            };
            let overrides = Overrides::default().set("n", masses);
            let read = Lattice::read(of_gallery("fermi-pasta-ulam"), &overrides, settings);
            let (few, lattice) = read.expect("the gallery is right").expect("all masses are alike");
            CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs")
        }),
        floor: Some(Box::new(move |steps| fermi_pasta_ulam::watched(H, 0.25, &start, steps))),
        compared: (20, 1e-9),
        steps,
        goal: 1.5,
    }
}

fn chain(links: u32, steps: usize) -> SeenRow {
    SeenRow {
        work: format!("chain of {links} pendulums, midpoint; beside the engine"),
        run: prepared(of_gallery("chain-pendulum"), Overrides::default().set("n", links), 0.001, "midpoint"),
        floor: None,
        compared: (100, 1e-9),
        steps,
        goal: 1.3,
    }
}

fn rows() -> Vec<SeenRow> {
    let kahan_li = {
        let model = crate::model("henon-heiles");
        let scheme = scheme(&System::of(&model), &Settings::of(&model).method, Options::default(), None);
        scheme.expect("the gallery runs").substeps
    };
    let henon_heiles = |method: &str, fractions: Vec<f64>, compared, steps, goal| SeenRow {
        work: format!("Hénon–Heiles, {method}"),
        run: prepared(of_gallery("henon-heiles"), Overrides::default(), 0.01, method),
        floor: Some(Box::new(move |steps| henon_heiles::watched(0.01, &fractions, steps))),
        compared,
        steps,
        goal,
    };
    vec![
        SeenRow {
            work: "double pendulum, midpoint".to_owned(),
            run: prepared(crate::double_pendulum::IN_ANGLES, Overrides::default(), 0.01, "midpoint"),
            floor: Some(Box::new(|steps| double_pendulum::watched(0.01, [2.0, 1.0], steps))),
            compared: (300, 1e-9),
            steps: 200_000,
            goal: 1.3,
        },
        SeenRow {
            work: "Kepler, e = 0.6, galerkin(2)".to_owned(),
            run: prepared(KEPLER, Overrides::default(), 0.01, "galerkin(2)"),
            floor: Some(Box::new(|steps| kepler::by_gauss(0.01, 0.6, steps))),
            compared: (1000, 1e-8),
            steps: 50_000,
            goal: 1.5,
        },
        SeenRow {
            work: "Kepler, e = 0.6, Störmer–Verlet".to_owned(),
            run: prepared(KEPLER, Overrides::default(), 0.01, "trapezoidal"),
            floor: Some(Box::new(|steps| kepler::by_verlet(0.01, 0.6, steps))),
            compared: (1000, 1e-8),
            steps: 500_000,
            goal: 2.0,
        },
        henon_heiles("trapezoidal", vec![1.0], (1000, 1e-9), 1_000_000, 2.0),
        henon_heiles("compose(kahan-li8, trapezoidal)", kahan_li, (1000, 1e-9), 200_000, 1.2),
        SeenRow {
            work: "damped oscillator that heats its bath, midpoint".to_owned(),
            run: prepared(OSCILLATOR, Overrides::default(), 1e-4, "midpoint"),
            floor: Some(Box::new(|steps| thermal::oscillator_watched(1e-4, 0.1, [0.0, 1e-4], steps))),
            compared: (10_000, 1e-7),
            steps: 1_000_000,
            goal: 4.0,
        },
        chain(16, 20_000),
        chain(64, 3000),
        fermi_pasta_ulam(1_000, 20_000),
        fermi_pasta_ulam(100_000, 300),
        fermi_pasta_ulam(1_000_000, 60),
    ]
}

/// Runs as `extremal run` does without files and plots.
fn watched(run: &CompiledRun) -> Recorder {
    let mut recorder = Recorder::new(run.columns().clone()).for_files_only();
    let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).expect("nothing is written");
    assert_eq!(outcome.end, End::Reached);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    recorder
}

/// Both sides must see the same motion and the same energy.
fn compare(row: &SeenRow) {
    let Some(floor) = &row.floor else { return };
    let (steps, tolerance) = row.compared;
    let (ours, by_hand) = (watched(&(row.run)(steps)), floor(steps));
    let last = ours.last().expect("there are rows");
    // The first position of a chain is enough, and all but the first stand elsewhere in a row of the oscillator.
    let error = (last[1] - by_hand.positions[0]).abs() / by_hand.positions[0].abs().max(1.0);
    assert!(error < tolerance, "{}: not the same motion, {} and by hand {}", row.work, last[1], by_hand.positions[0]);
    let (_, drift) = ours.drifts().next().expect("an energy");
    let scale = drift.first().map_or(1.0, f64::abs).max(1.0);
    let apart = (drift.max_drift() - by_hand.energy.largest)
        .abs()
        .max((drift.last().unwrap_or(0.0) - by_hand.energy.last).abs());
    assert!(apart < tolerance * scale, "{}: not the same energy: {drift:?}, by hand {:?}", row.work, by_hand.energy);
    let slopes = [drift.slope().unwrap_or(0.0), by_hand.energy.slope(last[0] / steps as f64)];
    assert!((slopes[0] - slopes[1]).abs() * last[0] < tolerance * scale, "{}: slopes {slopes:?}", row.work);
}

pub fn measure(wanted: &[String]) {
    println!(
        "| work | engine | `run` | by hand, watched | seen / hand | goal |\n| --- | --- | --- | --- | --- | --- |"
    );
    for row in rows().into_iter().filter(|row| wanted.is_empty() || wanted.iter().any(|word| row.work.contains(word))) {
        compare(&row);
        let run = (row.run)(row.steps);
        let engine = |steps: usize| _ = std::hint::black_box(crate::march(&run, steps));
        let seen = |_: usize| _ = std::hint::black_box(watched(&run));
        let subject = Steps { count: row.steps, take: seen };
        let beside_engine =
            paired_in(ROUNDS, Steps { count: row.steps, take: seen }, Steps { count: row.steps, take: engine });
        let Paired { subject, floor, ratio } = match &row.floor {
            Some(floor) => {
                let by_hand = |steps: usize| _ = std::hint::black_box(floor(steps).energy.last);
                paired_in(ROUNDS, subject, Steps { count: row.steps, take: by_hand })
            }
            None => paired_in(ROUNDS, subject, Steps { count: row.steps, take: engine }),
        };
        let by_hand = if row.floor.is_some() { readable(floor) } else { String::new() };
        let [seen, engine] = [subject, beside_engine.floor].map(readable);
        println!("| {} | {engine} | {seen} | {by_hand} | {ratio:.2} | {} |", row.work, row.goal);
    }
}

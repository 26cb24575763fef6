//! What the user of a run or a sweep sees beside loops by hand that watch the energy as a run does: `cargo xtask bench --seen`.

mod rows;
mod sweeps;

use std::ops::ControlFlow;

use extremal_engine::run::End;
use extremal_engine::{CompiledRun, Recorder};

use crate::timing::{Paired, Steps, median, paired_in, readable, seconds};
use rows::SeenRow;

/// Runs are long, for getting ready should not count: fewer rounds are enough.
const ROUNDS: usize = 15;

/// Runs as `extremal run` does without files and plots.
fn watched(run: &CompiledRun) -> Recorder {
    let mut recorder = Recorder::new(run.columns().clone()).for_files_only();
    let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).expect("nothing is written");
    assert_eq!(outcome.end, End::Reached);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    recorder
}

/// A run of so many steps of the work that begins with these words.
pub fn march(work: &str, steps: usize) {
    let row = rows::rows().into_iter().find(|row| row.work.starts_with(work));
    let row = row.unwrap_or_else(|| panic!("no work begins with {work}"));
    _ = std::hint::black_box(watched(&(row.run)(steps)));
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

fn is_wanted(work: &str, wanted: &[String]) -> bool {
    wanted.is_empty() || wanted.iter().any(|word| work.contains(word.as_str()))
}

pub fn measure(wanted: &[String]) {
    println!(
        "| work | engine | `run` | by hand, watched | seen / hand | goal |\n| --- | --- | --- | --- | --- | --- |"
    );
    for row in rows::rows().into_iter().filter(|row| is_wanted(&row.work, wanted)) {
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
    sweeps::measure(wanted);
    let work = "10000 bodies in pairs: from text to ready";
    if is_wanted(work, wanted) {
        let time = median((0..5).map(|_| seconds(crate::n_body::get_ready)));
        let limit = crate::n_body::READY;
        println!("| {work} |  | {} | ≤{} | {:.2} | 1 |", readable(time), readable(limit), time / limit);
    }
}

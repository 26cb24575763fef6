//! How getting ready, memory and a step grow with the size of a system: `cargo xtask bench --growth`. Every size is measured in a process
//! of its own, so that the memory is that of this size alone.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::process::Command;

use cpu_time::ProcessTime;
use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement};
use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};

use crate::timing::readable;

/// What grows.
#[derive(Clone, Copy)]
enum Growing {
    /// A model of the gallery by its parameter n, with this method, and so many steps to be timed.
    Members { model: &'static str, method: &'static str, step: f64, steps: usize },
    /// The grid of a control problem of the gallery; a step of it is all that the solution takes.
    Grid { model: &'static str },
}

struct Family {
    name: &'static str,
    growing: Growing,
    sizes: &'static [usize],
    /// The largest exponent that getting ready should have, where members are alike.
    ready: Option<f64>,
}

const FAMILIES: [Family; 6] = [
    Family {
        name: "chain of pendulums, midpoint",
        growing: Growing::Members { model: "chain-pendulum", method: "midpoint", step: 0.001, steps: 20 },
        sizes: &[64, 128, 256, 512],
        ready: None,
    },
    Family {
        name: "chain of rods, RATTLE",
        growing: Growing::Members { model: "chain-of-rods", method: "trapezoidal", step: 0.001, steps: 200 },
        sizes: &[64, 256, 1024],
        ready: Some(1.2),
    },
    Family {
        name: "bodies in pairs, Störmer–Verlet",
        growing: Growing::Members { model: "softened-cluster", method: "trapezoidal", step: 0.01, steps: 3 },
        sizes: &[100, 1_000, 10_000],
        ready: Some(1.2),
    },
    Family {
        name: "Fermi–Pasta–Ulam, Störmer–Verlet",
        growing: Growing::Members { model: "fermi-pasta-ulam", method: "trapezoidal", step: 0.05, steps: 20 },
        sizes: &[10_000, 100_000, 1_000_000],
        ready: Some(1.2),
    },
    Family {
        name: "heat bar, energy-entropy",
        growing: Growing::Members { model: "heat-bar", method: "energy-entropy", step: 1e-3, steps: 20 },
        sizes: &[100, 400, 1_600],
        ready: Some(1.2),
    },
    Family {
        name: "cart and pole, nodes of the grid",
        growing: Growing::Grid { model: "cart-pole-swing" },
        sizes: &[400, 4_000, 40_000],
        ready: Some(1.2),
    },
];

/// Seconds until ready and for a step, and bytes at most.
#[derive(Clone, Copy)]
struct Measured {
    ready: f64,
    step: f64,
    peak: f64,
}

/// Measures one size, and prints what was found for [`measure`] to read.
pub fn measure_one(family: &str, size: &str) {
    let family = FAMILIES.iter().find(|other| other.name == family).expect("a family");
    let size: usize = size.parse().expect("a size");
    let clock = ProcessTime::now();
    let seconds = || clock.elapsed().as_secs_f64();
    let (ready, step) = match family.growing {
        Growing::Members { model, method, step, steps } => {
            let run = run_of(model, method, step, size);
            let mut motion = run.begin().expect("a start");
            black_box(motion.observe().expect("the start can be looked at"));
            let ready = seconds();
            // The first steps know nothing of those before them.
            motion.advance_many(steps as u64 / 2).expect("the steps have solutions");
            let first = seconds();
            motion.advance_many(steps as u64).expect("the steps have solutions");
            (ready, (seconds() - first) / steps as f64)
        }
        Growing::Grid { model } => {
            let model = crate::model(model);
            let statement = Statement::of(&model).expect("the gallery states a problem");
            let problem = Problem::new(&model, statement, &model.simulation().method).expect("the gallery compiles");
            let ready = seconds();
            let settings = SolveSettings { steps: Some(size), ..SolveSettings::default() };
            let solution = problem.solve(&Guess::Stated, &settings, &mut |_| ControlFlow::Continue(()));
            assert!(solution.expect("the gallery is solved").status.is_solved());
            (ready, seconds() - ready)
        }
    };
    println!("{ready} {step} {}", peak_memory());
}

fn run_of(name: &str, method: &str, step: f64, size: usize) -> CompiledRun {
    let text = gallery::text(name).expect("it is in the gallery");
    let overrides = Overrides::default().set("n", size);
    let method: extremal_engine::Method = method.parse().expect("a method");
    let settings = |model: &Model| Settings { method: method.clone(), step: Some(step), ..Settings::of(model) };
    match Lattice::read(text, &overrides, settings).expect("the gallery is right") {
        Some((few, lattice)) => CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs"),
        None => {
            let model = crate::load(name, &overrides);
            CompiledRun::new(&model, &settings(&model)).expect("the gallery runs")
        }
    }
}

/// The most memory that this process had so far, in bytes; not a number where the system does not say.
fn peak_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |number| 1024.0 * number)
}

fn in_own_process(family: &str, size: usize) -> Measured {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).args(["--grow", family, &size.to_string()]).output().expect("it runs");
    assert!(output.status.success(), "{family}, {size}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [ready, step, peak] = numbers[..] else { panic!("{family}, {size}: {text}") };
    Measured { ready, step, peak }
}

/// The slope of the line through the logarithms.
fn exponent(sizes: &[usize], values: impl Iterator<Item = f64>) -> f64 {
    let points: Vec<[f64; 2]> =
        sizes.iter().zip(values).map(|(size, value)| [(*size as f64).ln(), value.ln()]).collect();
    let mean = |at: usize| points.iter().map(|point| point[at]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let product = |at: usize, mean: f64| points.iter().map(|point| (point[0] - x) * (point[at] - mean)).sum::<f64>();
    product(1, y) / product(0, x)
}

pub fn measure(wanted: &[String]) {
    println!("| grows | size | ready | peak of memory | step |\n| --- | --- | --- | --- | --- |");
    let is_wanted =
        |family: &&Family| wanted.is_empty() || wanted.iter().any(|word| family.name.contains(word.as_str()));
    for family in FAMILIES.iter().filter(is_wanted) {
        let mut all = Vec::new();
        for size in family.sizes {
            let found = in_own_process(family.name, *size);
            let [ready, step] = [found.ready, found.step].map(readable);
            println!("| {} | {size} | {ready} | {:.0} MB | {step} |", family.name, found.peak / 1e6);
            all.push(found);
        }
        let of = |part: fn(&Measured) -> f64| exponent(family.sizes, all.iter().map(part));
        let goal = family.ready.map_or(String::new(), |goal| format!(" (goal {goal})"));
        let [ready, peak, step] = [of(|found| found.ready), of(|found| found.peak), of(|found| found.step)];
        println!("| {}: exponents | | {ready:.2}{goal} | {peak:.2} | {step:.2} |", family.name);
    }
}

//! How fast models get ready and march, beside loops written by hand in the same run: `cargo xtask bench`, or
//! `cargo bench -p extremal-engine -- WORD` for the cases whose name contains a word; with `--seen`, what the user of a run sees;
//! with `--growth`, how all of it grows with the size of a system.
//!
//! The numbers of one machine are in `docs/benchmarks.md`.

mod chain;
mod control;
mod double_pendulum;
mod ensemble;
mod fermi_pasta_ulam;
mod growth;
mod henon_heiles;
mod kernels;
mod n_body;
mod orbits;
mod rods;
mod seen;
mod thermal;
mod timing;

use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};
use timing::{Paired, Steps, Table, paired};

/// A case: its name, and what prints its rows.
type Case = (&'static str, fn(&mut Table));

const CASES: [Case; 14] = [
    ("double pendulum", double_pendulum::midpoint),
    ("gauss", double_pendulum::gauss),
    ("ensemble", ensemble::measure),
    ("chain", chain::measure),
    ("rods", rods::measure),
    ("damped oscillator", thermal::oscillator),
    ("piston", thermal::piston),
    ("fermi-pasta-ulam", fermi_pasta_ulam::measure),
    ("henon-heiles", henon_heiles::measure),
    ("kepler", orbits::kepler),
    ("solar system", orbits::solar_system),
    ("stages of chains", orbits::chains),
    ("bodies", n_body::measure),
    ("cart-pole", control::measure),
];

fn main() {
    // Cargo passes `--bench` too.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [option, kernel, steps] = &arguments[..]
        && option == "--march"
    {
        return kernels::march_kernel(kernel, steps.parse().expect("a number of steps"));
    }
    if let [option, family, size] = &arguments[..]
        && option == "--grow"
    {
        return growth::measure_one(family, size);
    }
    match arguments.split_first() {
        Some((option, wanted)) if option == "--seen" => return seen::measure(wanted),
        Some((option, wanted)) if option == "--growth" => return growth::measure(wanted),
        _ => {}
    }
    let wanted = arguments;
    let mut table = Table::begin();
    for (name, measure) in CASES {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            measure(&mut table);
        }
    }
}

fn load(name: &str, overrides: &Overrides) -> Model {
    let text = gallery::text(name).unwrap_or_else(|| panic!("no gallery model {name}"));
    Model::load(text, overrides).unwrap_or_else(|e| panic!("{}", e.render(name, false)))
}

fn model(name: &str) -> Model {
    load(name, &Overrides::default())
}

/// The state after so many steps.
fn march(run: &CompiledRun, steps: usize) -> Vec<f64> {
    let mut motion = run.begin().expect("the start is regular");
    motion.advance_many(steps as u64).expect("the steps have solutions");
    motion.state().to_vec()
}

/// A run beside its floor. `part` of its state and what the floor computes must first be the same over `compared` steps, to `tolerance`.
fn beside(
    run: &CompiledRun,
    part: impl Fn(&[f64]) -> Vec<f64>,
    mut floor: impl FnMut(usize) -> Vec<f64>,
    (compared, tolerance): (usize, f64),
    counts: [usize; 2],
) -> Paired {
    let (ours, by_hand) = (part(&march(run, compared)), floor(compared));
    for (ours, by_hand) in ours.iter().zip(&by_hand) {
        let error = (ours - by_hand).abs() / by_hand.abs().max(1.0);
        assert!(error < tolerance, "not the same motion: {ours}, by hand {by_hand}");
    }
    paired(
        Steps { count: counts[0], take: |n| _ = std::hint::black_box(march(run, n)) },
        Steps { count: counts[1], take: |n| _ = std::hint::black_box(floor(n)) },
    )
}

/// The coordinates of a state, as many as the floor has.
fn coordinates(state: &[f64]) -> Vec<f64> {
    state.to_vec()
}

fn with_step(model: &Model, step: f64) -> Settings {
    Settings { step: Some(step), ..Settings::of(model) }
}

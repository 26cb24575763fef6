//! A long chain by an explicit method.

use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};
use extremal_floors::fermi_pasta_ulam;

use crate::timing::{Table, seconds};

const H: f64 = 0.05;
const ALPHA: f64 = 0.25;
/// From text to a motion that can be marched, with a hundred thousand masses.
const READY: f64 = 1.0;

fn read(masses: u32) -> (Model, Lattice) {
    let text = gallery::text("fermi-pasta-ulam").expect("it is in the gallery");
    let with_step = |model: &Model| Settings { step: Some(H), ..Settings::of(model) };
    let read = Lattice::read(text, &Overrides::default().set("n", masses), with_step);
    read.expect("the gallery is right").expect("all masses are alike")
}

pub fn measure(table: &mut Table) {
    for (masses, steps) in [(1_000, 10_000), (100_000, 200), (1_000_000, 100)] {
        let (few, lattice) = read(masses);
        let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
        let start: Vec<f64> =
            (1..=masses).map(|i| (std::f64::consts::PI * f64::from(i) / f64::from(masses + 1)).sin()).collect();
        let floor = |steps| fermi_pasta_ulam::march(H, ALPHA, &start, steps);
        let beside = crate::beside(&run, crate::coordinates, floor, (20, 1e-10), [steps, 2 * steps]);
        table.compared(&format!("Fermi–Pasta–Ulam, {masses} masses, Störmer–Verlet: one step"), &beside);
    }
    let ready = || {
        let (few, lattice) = read(100_000);
        let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
        _ = std::hint::black_box(run.begin().expect("a start"));
    };
    table.limited("Fermi–Pasta–Ulam, 100000 masses: text to ready", seconds(ready), READY);
}

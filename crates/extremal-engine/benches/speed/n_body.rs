//! Bodies that all attract each other, by an explicit method.

use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};
use extremal_floors::n_body::{Cluster, march};

use crate::timing::{Table, seconds};

const H: f64 = 0.01;
/// From text to a motion that can be marched, with ten thousand bodies.
const READY: f64 = 0.1;

fn read(bodies: usize) -> (Model, Lattice) {
    let text = gallery::text("softened-cluster").expect("it is in the gallery");
    let with_step = |model: &Model| Settings { step: Some(H), ..Settings::of(model) };
    let read = Lattice::read(text, &Overrides::default().set("n", bodies), with_step);
    read.expect("the gallery is right").expect("all bodies are alike")
}

pub fn measure(table: &mut Table) {
    for (bodies, steps) in [(16, 10_000), (50, 2_000), (200, 200), (300, 100), (1_000, 10)] {
        let (few, lattice) = read(bodies);
        let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
        let mut motion = run.begin().expect("a start");
        let start = motion.state().to_vec();
        let velocities = motion.observe().expect("finite")[..3 * bodies].to_vec();
        let split = |list: &[f64]| [0, 1, 2].map(|axis| list[axis * bodies..(axis + 1) * bodies].to_vec());
        let (q, v) = (split(&start), split(&velocities));
        let n = bodies as f64;
        let masses: Vec<f64> = (1..=bodies).map(|i| 2.0 * i as f64 / (n * (n + 1.0))).collect();
        let cluster = Cluster { masses: &masses, softening: 0.5 / n.cbrt() };
        let floor = |steps| {
            let mut all = march(H, &cluster, [&q, &v], steps);
            all.truncate(3 * bodies);
            all
        };
        let beside = crate::beside(&run, crate::coordinates, floor, (20, 1e-10), [steps, steps]);
        table.compared(&format!("{bodies} bodies in pairs, Störmer–Verlet: one step"), &beside);
    }
    let ready = || {
        let (few, lattice) = read(10_000);
        let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
        _ = std::hint::black_box(run);
    };
    table.limited("10000 bodies in pairs: text to ready", seconds(ready), READY);
}

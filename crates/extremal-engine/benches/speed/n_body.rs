//! Bodies that all attract each other, by an explicit method.

use extremal_engine::run::Lattice;
use extremal_engine::{CompiledRun, Model, Overrides, Settings, gallery};
use extremal_floors::n_body::{Cluster, watched};

use crate::timing::{Table, seconds};

const H: f64 = 0.01;
/// From text to a motion that can be marched, with ten thousand bodies.
pub const READY: f64 = 0.1;

fn read(bodies: usize) -> (Model, Lattice) {
    let text = gallery::text("softened-cluster").expect("it is in the gallery");
    let with_step = |model: &Model| Settings { step: Some(H), ..Settings::of(model) };
    let read = Lattice::read(text, &Overrides::default().set("n", bodies), with_step);
    read.expect("the gallery is right").expect("all bodies are alike")
}

/// Ten thousand bodies, from text until they can be marched.
pub fn get_ready() {
    let (few, lattice) = read(10_000);
    let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
    _ = std::hint::black_box(run);
}

/// The start of the gallery's cluster, typed by hand.
pub struct ClusterStart {
    pub masses: Vec<f64>,
    pub softening: f64,
    pub positions: [Vec<f64>; 3],
    pub velocities: [Vec<f64>; 3],
}

impl ClusterStart {
    pub fn of(bodies: usize) -> ClusterStart {
        const GOLDEN: f64 = 2.399963;
        let n = bodies as f64;
        let numbered = |of: &dyn Fn(f64) -> f64| (1..=bodies).map(|i| of(i as f64)).collect::<Vec<f64>>();
        let height = |i: f64| 2.0 * i / n - 1.0 - 1.0 / n;
        let beside = |i: f64| (i / n).cbrt() * (1.0 - height(i) * height(i)).sqrt();
        let speed = |i: f64| (i / n).sqrt() / 2.0;
        ClusterStart {
            masses: numbered(&|i| 2.0 * i / (n * (n + 1.0))),
            softening: 0.5 / n.cbrt(),
            positions: [
                numbered(&|i| beside(i) * (GOLDEN * i).cos()),
                numbered(&|i| beside(i) * (GOLDEN * i).sin()),
                numbered(&|i| (i / n).cbrt() * height(i)),
            ],
            velocities: [
                numbered(&|i| -speed(i) * (GOLDEN * i).sin()),
                numbered(&|i| speed(i) * (GOLDEN * i).cos()),
                vec![0.0; bodies],
            ],
        }
    }
}

pub fn measure(table: &mut Table) {
    for (bodies, steps) in [(16, 10_000), (50, 2_000), (200, 200), (300, 100), (1_000, 10)] {
        let (few, lattice) = read(bodies);
        let run = CompiledRun::of_lattice(&few, &lattice).expect("the gallery runs");
        let ClusterStart { masses, softening, positions, velocities } = ClusterStart::of(bodies);
        let cluster = Cluster { masses: &masses, softening };
        let floor = |steps| watched(H, &cluster, [&positions, &velocities], steps).positions;
        let beside = crate::beside(&run, crate::coordinates, floor, (20, 1e-10), [steps, steps]);
        table.compared(&format!("{bodies} bodies in pairs, Störmer–Verlet: one step"), &beside);
    }
    table.limited("10000 bodies in pairs: text to ready", seconds(get_ready), READY);
}

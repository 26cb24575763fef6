//! A chain of n rods in Cartesian coordinates: constraints of positions in every step.

use extremal_engine::{CompiledRun, Overrides, Settings};
use extremal_floors::rods;

use crate::timing::Table;

/// Rods, and steps per round.
const CASES: [(u32, usize); 3] = [(4, 20_000), (32, 2_000), (256, 200)];

pub fn measure(table: &mut Table) {
    for (count, steps) in CASES {
        let model = crate::load("chain-of-rods", &Overrides::default().set("n", count));
        let method = "trapezoidal".parse().expect("a method");
        let settings = Settings { method, step: Some(0.001), ..Settings::of(&model) };
        let run = CompiledRun::new(&model, &settings).expect("the gallery runs");
        let start: Vec<f64> = (0..count).map(|i| 1.0 - f64::from(i) / f64::from(2 * count)).collect();
        let floor = |steps| rods::march(run.step(), &start, steps);
        let beside = crate::beside(&run, crate::coordinates, floor, (50, 1e-9), [steps; 2]);
        table.compared(&format!("chain of {count} rods, trapezoidal with RATTLE: one step"), &beside);
    }
}

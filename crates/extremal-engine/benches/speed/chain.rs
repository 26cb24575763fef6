//! A chain of n pendulums: from its text until it can march, and its step.

use std::hint::black_box;

use extremal_engine::{CompiledRun, Overrides, Settings};
use extremal_floors::chain;

use crate::timing::{Table, median, seconds};

/// Links, the time allowed until ready, and steps per round.
const CASES: [(u32, f64, usize); 2] = [(16, 0.05, 400), (64, 0.3, 40)];

pub fn measure(table: &mut Table) {
    for (links, limit, steps) in CASES {
        let ready = || {
            let model = crate::load("chain-pendulum", &Overrides::default().set("n", links));
            drop(black_box(CompiledRun::new(&model, &Settings::of(&model)).expect("the gallery runs")));
        };
        let time = median((0..7).map(|_| seconds(ready)));
        table.limited(&format!("chain of {links} pendulums: from text to ready to march"), time, limit);
        let model = crate::load("chain-pendulum", &Overrides::default().set("n", links));
        let run = CompiledRun::new(&model, &Settings::of(&model)).expect("the gallery runs");
        let start: Vec<f64> = (0..links).map(|i| 1.0 - f64::from(i) / f64::from(2 * links)).collect();
        let floor = |steps| chain::march(run.step(), &start, steps);
        let beside = crate::beside(&run, crate::coordinates, floor, (50, 1e-9), [steps; 2]);
        table.compared(&format!("chain of {links} pendulums, midpoint: one step"), &beside);
    }
}

//! Orbits by the stages of collocation methods: one body by two Gauss points, the outer planets by eight; and stages of chains that grow.

use std::hint::black_box;

use extremal_engine::{CompiledRun, Model, Overrides, Settings};
use extremal_floors::{kepler, solar_system};

use crate::timing::{Table, median, seconds};

const KEPLER_STEP: f64 = 0.05;
const ECCENTRICITY: f64 = 0.6;

pub fn kepler(table: &mut Table) {
    let model = crate::model("kepler");
    let run = CompiledRun::new(&model, &crate::with_step(&model, KEPLER_STEP)).expect("the gallery runs");
    let floor = |steps| kepler::march(KEPLER_STEP, ECCENTRICITY, steps).to_vec();
    let beside = crate::beside(&run, crate::coordinates, floor, (400, 1e-9), [20_000; 2]);
    table.compared("Kepler, e = 0.6, galerkin(2), h = 0.05: one step", &beside);
}

/// The outer solar system, with the start and step of its file.
pub struct OuterPlanets {
    pub start: [solar_system::Planets; 2],
    pub step: f64,
}

impl OuterPlanets {
    pub const TEXT: &str = include_str!("outer-solar-system.toml");

    pub fn read() -> OuterPlanets {
        let model = Model::from_toml(OuterPlanets::TEXT).expect("a model");
        let initial = model.initial();
        let coordinates = |values: &[f64]| std::array::from_fn(|at| values[at]);
        OuterPlanets {
            start: [coordinates(&initial.positions), coordinates(&initial.velocities)],
            step: Settings::of(&model).step.expect("the model has a step"),
        }
    }
}

pub fn solar_system(table: &mut Table) {
    let model = Model::from_toml(OuterPlanets::TEXT).expect("a model");
    let OuterPlanets { start, step } = OuterPlanets::read();
    for method in ["gauss(8)", "galerkin(8)"] {
        let settings = Settings { method: method.parse().expect("a method"), ..Settings::of(&model) };
        let run = CompiledRun::new(&model, &settings).expect("it runs");
        let floor = |steps| solar_system::march(step, start, steps).to_vec();
        let beside = crate::beside(&run, crate::coordinates, floor, (100, 1e-9), [1000; 2]);
        table.compared(&format!("outer solar system, {method}, h = 400 days: one step"), &beside);
    }
}

/// Links, the time allowed until ready, and that allowed for a step: sines, residuals and elimination of all links in each of some six
/// iterations.
const CHAINS: [(u32, f64, f64); 3] = [(6, 0.2, 1e-6), (12, 0.4, 4e-6), (40, 2.0, 100e-6)];

pub fn chains(table: &mut Table) {
    for (links, ready_limit, step_limit) in CHAINS {
        let model = crate::load("chain-pendulum", &Overrides::default().set("n", links));
        let settings = Settings { method: "gauss(8)".parse().expect("a method"), ..crate::with_step(&model, 0.01) };
        let ready = || drop(black_box(CompiledRun::new(&model, &settings).expect("the gallery runs")));
        table.limited(&format!("chain of {links} pendulums, gauss(8): ready to march"), seconds(ready), ready_limit);
        let run = CompiledRun::new(&model, &settings).expect("the gallery runs");
        let time = median((0..7).map(|_| seconds(|| _ = black_box(crate::march(&run, 100))) / 100.0));
        table.limited(&format!("chain of {links} pendulums, gauss(8), h = 0.01: one step"), time, step_limit);
    }
}

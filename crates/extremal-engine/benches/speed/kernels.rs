//! Steps by themselves, for counting their instructions: `speed --march NAME STEPS`. With `seen ` before it, a name is the first words
//! of a row of what is seen, and its steps are those of a run.

use std::hint::black_box;

use extremal_engine::{CompiledRun, Model, Overrides};

use crate::{double_pendulum, march, thermal, with_step};

/// Takes the steps of a kernel by its name, and prints nothing.
pub fn march_kernel(name: &str, steps: usize) {
    if let Some(work) = name.strip_prefix("seen ") {
        return crate::seen::march(work, steps);
    }
    let (model, step) = match name {
        "double-pendulum" => (Model::from_toml(double_pendulum::IN_ANGLES).expect("a model"), double_pendulum::H),
        "double-pendulum-in-positions" => (crate::model("double-pendulum"), double_pendulum::H),
        "chain-of-16" => (crate::load("chain-pendulum", &Overrides::default().set("n", 16)), 0.001),
        "damped-oscillator" => (crate::model("damped-oscillator"), thermal::OSCILLATOR_STEP),
        "ideal-gas-piston" => (crate::model("ideal-gas-piston"), thermal::PISTON_STEP),
        _ => panic!("no kernel {name}"),
    };
    let run = CompiledRun::new(&model, &with_step(&model, step)).expect("it runs");
    black_box(march(&run, steps));
}

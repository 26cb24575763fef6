//! Motions that heat: one that is linear and one with exponentials and powers.

use extremal_engine::CompiledRun;
use extremal_floors::thermal;

use crate::timing::Table;

/// The oscillator is to be followed for 1e7 steps.
pub const OSCILLATOR_STEP: f64 = 1e-4;
pub const PISTON_STEP: f64 = 0.01;
const GAMMA: f64 = 0.1;

/// Position and entropy of a state of one position, its momentum and one entropy.
fn position_and_entropy(state: &[f64]) -> Vec<f64> {
    vec![state[0], state[2]]
}

pub fn oscillator(table: &mut Table) {
    let model = crate::model("damped-oscillator");
    let h = OSCILLATOR_STEP;
    let run = CompiledRun::new(&model, &crate::with_step(&model, h)).expect("the gallery runs");
    let frequency = (1.0 - GAMMA * GAMMA / 4.0f64).sqrt();
    let second = (-GAMMA * h / 2.0).exp() * (frequency * h).sin() / frequency;
    let floor = |steps| thermal::oscillator(h, GAMMA, [0.0, second], steps).to_vec();
    // The recurrence for the positions gathers round-off like the square of the number of steps.
    let beside = crate::beside(&run, position_and_entropy, floor, (10_000, 1e-7), [1_000_000; 2]);
    table.compared("damped oscillator that heats its bath, midpoint: one step", &beside);
}

pub fn piston(table: &mut Table) {
    let model = crate::model("ideal-gas-piston");
    let run = CompiledRun::new(&model, &crate::with_step(&model, PISTON_STEP)).expect("the gallery runs");
    let floor = |steps| thermal::piston(PISTON_STEP, 1.5, GAMMA, [1.0, 1.0], 10.0, steps).to_vec();
    let beside = crate::beside(&run, position_and_entropy, floor, (1000, 1e-9), [20_000; 2]);
    table.compared("ideal gas in a piston, midpoint: one step", &beside);
}

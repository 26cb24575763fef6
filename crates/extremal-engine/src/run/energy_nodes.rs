//! How many quadrature nodes the mean gradients of the energy–entropy method need: found by trial.

use extremal_solve::{CompiledScheme, March};

use super::SetupError;
use super::observables::Observables;
use super::start::RunStart;

/// Steps of a trial that tells how many quadrature nodes the mean gradients need.
const TRIAL_STEPS: usize = 24;
/// The energy identity is exact when it fails by no more than this, relative to the energy, over the trial.
const TRIAL_DEFECT: f64 = 4e-15;
const MOST_ENERGY_NODES: usize = 32;

/// The energy–entropy scheme with as many quadrature nodes as its energy identity needs to hold to round-off.
pub(super) fn exact_enough(
    beginning: &RunStart,
    observables: &Observables,
    step: f64,
    mut nodes: usize,
    compile: impl Fn(usize) -> Result<CompiledScheme, SetupError>,
) -> Result<CompiledScheme, SetupError> {
    loop {
        let compiled = compile(nodes)?;
        if nodes >= MOST_ENERGY_NODES || energy_defect(beginning, observables, step, &compiled) <= TRIAL_DEFECT {
            return Ok(compiled);
        }
        nodes *= 2;
    }
}

/// The largest relative defect of the first law over a few steps; zero if the motion cannot even begin (which a run will tell).
fn energy_defect(beginning: &RunStart, observables: &Observables, step: f64, compiled: &CompiledScheme) -> f64 {
    let Ok(mut motion) = compiled.start(&beginning.values, step) else { return 0.0 };
    let energy_at = observables.observed().energy();
    let balance = |motion: &mut dyn March| {
        let accounts: f64 = motion.state()[motion.state().len() - observables.accounts.len()..].iter().sum();
        motion.observe().map(|observed| (observed[energy_at] - accounts, observed[energy_at])).ok()
    };
    let Some((first, _)) = balance(&mut motion) else { return 0.0 };
    let mut worst = 0.0f64;
    for _ in 0..TRIAL_STEPS {
        if motion.advance().is_err() {
            break;
        }
        let Some((now, energy)) = balance(&mut motion) else { break };
        worst = worst.max((now - first).abs() / energy.abs().max(first.abs()));
    }
    worst
}

//! Starts from momenta: what they determine, and what they leave open.

use extremal_mechanics::analysis::primary_rank;
use extremal_mechanics::{Block, System};
use extremal_model::Model;
use extremal_solve::{GuessSource, Kernel, NewtonOptions};

use super::{RunStart, SetupError, ids};
use crate::analyze::parameters_of;

/// The unified Hamiltonian at a start from momenta, where these determine the highest derivatives, multipliers and controls.
///
/// # Errors
/// They do not, anywhere or at this start.
pub(super) fn hamiltonian_at<'m>(model: &'m Model, system: &System<'m>, start: &RunStart) -> Result<f64, SetupError> {
    let hidden: Vec<String> = system.hidden().iter().map(|symbol| format!("`{symbol}`")).collect();
    let hidden = hidden.join(", ");
    let size = system.hidden().len();
    if let Some(rank) = primary_rank(system, &parameters_of(model).exact).filter(|rank| *rank < size) {
        return Err(SetupError::MomentaUndetermined { hidden, rank, size });
    }
    let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
    let block = Block {
        inputs: ids(&[&system.configuration()[..], &system.p, &[system.t]].concat()),
        solves: vec![system.hidden_solve(&[])],
        outputs: ids(&[system.energy()]),
    };
    let mut kernel = Kernel::compile(system.graph, &parameters, &block, NewtonOptions::default())?;
    kernel.set_parameters(&start.parameter_values());
    let mut energy = [0.0];
    let found = kernel.run(&start.point(), GuessSource::Formula, &mut energy);
    found.map_err(|failure| SetupError::MomentaAtStart { hidden, reason: failure.to_string() })?;
    Ok(energy[0])
}

//! Singular Lagrangians: where they move, and starts that are there.

use extremal_expr::{Expr, magnitude};
use extremal_mechanics::analysis::{is_singular, regularity};
use extremal_mechanics::{Block, FinalManifold, System};
use extremal_model::{Method, Model};
use extremal_solve::{GuessSource, Kernel, NewtonOptions, StartValues};

use super::feasible::{CONSISTENT, ConstraintError, ConstraintStructure, ManifoldViolation, TYPED};
use super::{SetupError, ids};
use crate::analyze::parameters_of;

/// Systems with more coordinates are not looked at.
const LARGEST: usize = 8;

/// Where a singular system moves, if the constraint algorithm ends with one motion through every state that is left. `None` for
/// regular systems, and where it does not end so.
pub(crate) fn final_manifold<'m>(model: &'m Model, system: &System<'m>, method: &Method) -> Option<FinalManifold<'m>> {
    // A discrete system of one's own has its own equations.
    if *method == Method::Custom || system.order > 1 || system.is_empty() || !system.dry.is_empty() {
        return None;
    }
    if model.momentum_coordinates() > 0
        && let Some(phase_space) = system.phase_space()
    {
        return Some(phase_space);
    }
    if system.len() > LARGEST {
        return None;
    }
    let values = parameters_of(model).exact;
    // Constraints that follow from others leave their multipliers open; that is no matter of the Lagrangian.
    let mut alone = system.clone();
    alone.constraints.clear();
    let bound = system.constraints.iter().any(|constraint| constraint.is_state_equation(system));
    if !(bound || is_singular(&alone, &values)) || !is_singular(system, &values) {
        return None;
    }
    regularity(system, &values).chain?.manifold()
}

/// Brings starts of a singular system to where it moves.
#[derive(Clone)]
pub(crate) struct ManifoldStart {
    /// What must vanish, with its text, and how large its terms are.
    residuals: Kernel,
    texts: Vec<String>,
    /// Finds what the model does not state, if there is anything.
    completed: Option<Kernel>,
    /// Finds a state along the normals.
    nearest: Kernel,
    stated: Vec<bool>,
    /// How many constraints the model states.
    constraints: usize,
    project: bool,
}

impl ManifoldStart {
    /// For a system that has a manifold. Kernels have the parameters of the model.
    pub fn new(model: &Model, system: &System<'_>, project: bool) -> Result<Option<ManifoldStart>, SetupError> {
        let Some(manifold) = &system.manifold else { return Ok(None) };
        let (g, state) = (system.graph, system.moving_state());
        let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
        let stated = stated(model, system);
        let compile = |block: &Block| Kernel::compile(g, &parameters, block, NewtonOptions::default());
        let sizes: Vec<Expr<'_>> = manifold.constraints.iter().map(|constraint| magnitude(*constraint)).collect();
        let residuals = Block {
            inputs: ids(&[&state[..], &[system.t]].concat()),
            solves: Vec::new(),
            outputs: ids(&[&manifold.constraints[..], &sizes].concat()),
        };
        let open = system.manifold_projection(|at| !stated[at]).filter(|_| stated.contains(&false));
        let all = system.manifold_projection(|_| true);
        Ok(Some(ManifoldStart {
            residuals: compile(&residuals)?,
            texts: manifold.constraints.iter().map(|constraint| constraint.text().limit(60).to_string()).collect(),
            completed: open.map(|block| compile(&block)).transpose()?,
            nearest: match all {
                Some(block) => compile(&block)?,
                None => return Ok(None),
            },
            stated,
            constraints: system.constraints.len(),
            project,
        }))
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        self.residuals.set_parameters(values);
        self.completed.iter_mut().for_each(|kernel| kernel.set_parameters(values));
        self.nearest.set_parameters(values);
    }

    /// Completes a start by what the equations say of it, and checks it. One that is off is moved, if that is wanted.
    pub fn settle(&mut self, start: &mut StartValues) -> Result<ConstraintStructure, SetupError> {
        let mut state = [&start.q[..], &start.v, &start.s, &start.multipliers].concat();
        // Where nothing is stated the search begins at zero.
        state.iter_mut().zip(&self.stated).filter(|(_, stated)| !**stated).for_each(|(value, _)| *value = 0.0);
        let stated = state.clone();
        let mut off = self.violations(&state, start.time);
        let missed = |off: &[ManifoldViolation]| off.iter().map(|v| v.residual.abs() / v.size).fold(0.0, f64::max);
        let (mut moved, mut missed_by) = (0.0, 0.0);
        if let Some(completed) = &mut self.completed {
            let inputs = [&state[..], &[start.time]].concat();
            let mut found = state.clone();
            if completed.run(&inputs, GuessSource::Formula, &mut found).is_ok() {
                (off, state) = (self.violations(&found, start.time), found);
            }
        }
        if !off.is_empty() {
            let typed = off.iter().all(|violation| violation.residual.abs() <= TYPED * violation.size);
            if !self.project && !typed {
                return Err(ConstraintError::OffManifold(off).into());
            }
            let inputs = [&state[..], &[start.time]].concat();
            self.nearest.run(&inputs, GuessSource::Formula, &mut state).map_err(ConstraintError::NotProjected)?;
            let left = self.violations(&state, start.time);
            if !left.is_empty() {
                return Err(ConstraintError::OffManifold(left).into());
            }
            moved = state.iter().zip(&stated).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            missed_by = missed(&off);
        }
        let (n, entropies) = (start.q.len(), start.s.len());
        start.q.copy_from_slice(&state[..n]);
        start.v.copy_from_slice(&state[n..2 * n]);
        start.s.copy_from_slice(&state[2 * n..2 * n + entropies]);
        start.multipliers.copy_from_slice(&state[2 * n + entropies..]);
        let degrees_of_freedom = state.len().saturating_sub(self.texts.len()) / 2;
        let rank = self.constraints;
        Ok(ConstraintStructure { degrees_of_freedom, rank, moved, missed: missed_by, ..ConstraintStructure::default() })
    }

    fn violations(&mut self, state: &[f64], time: f64) -> Vec<ManifoldViolation> {
        let mut values = vec![f64::NAN; 2 * self.texts.len()];
        let inputs = [state, &[time]].concat();
        // Values that are not finite are violations.
        let _ = self.residuals.run(&inputs, GuessSource::Formula, &mut values);
        let (residuals, sizes) = values.split_at(self.texts.len());
        let all = self.texts.iter().zip(residuals.iter().zip(sizes));
        let off = all.filter(|(_, (residual, size))| residual.is_nan() || residual.abs() > CONSISTENT * **size);
        off.map(|(text, (residual, size))| ManifoldViolation {
            constraint: text.clone(),
            residual: *residual,
            size: *size,
        })
        .collect()
    }
}

/// Which symbols of the state the model states: positions and velocities; entropies always have a start, and multipliers have one unless
/// they follow from an equation of state.
fn stated(model: &Model, system: &System<'_>) -> Vec<bool> {
    let coordinates = model.coordinates();
    let positions = coordinates.iter().map(|coordinate| coordinate.start.is_some());
    let velocities = coordinates.iter().map(|coordinate| coordinate.start_velocity.is_some());
    let entropies = system.heat.s.iter().map(|_| true);
    let multipliers = system.vakonomic().map(|constraint| !constraint.is_state_equation(system));
    positions.chain(velocities).chain(entropies).chain(multipliers).collect()
}

//! A motion whose steps come with their derivatives by the state.

use extremal_solve::dense::{identity, product};
use extremal_solve::{March, NewtonOptions};

use super::super::CompiledRun;
use super::{SensitivityError, Tangents, differentiable};
use crate::lyapunov::{LyapunovError, StepOrSlope};

/// A motion, step by step.
pub(crate) struct FollowedSteps<'r> {
    run: &'r CompiledRun,
    motion: Box<dyn March>,
    tangents: Tangents,
    derivative: Vec<f64>,
    names: Vec<String>,
    canonical: bool,
}

impl CompiledRun {
    /// The planned motion with the derivatives of its steps.
    pub(crate) fn followed_steps(&self) -> Result<FollowedSteps<'_>, LyapunovError> {
        let model = &*self.model.lock();
        differentiable(model, &self.settings)?;
        let scheme = self.scheme.as_deref().ok_or(SensitivityError::Many)?;
        let mut tangents = Tangents::new(model, scheme, &[], Vec::new(), NewtonOptions::default())?;
        tangents.set_parameters(&self.start.parameter_values());
        let symbol = |id: &extremal_expr::Id| model.graph().expr(*id).to_string();
        let names: Vec<String> =
            scheme.state[..scheme.state.len() - self.observables.accounts.len()].iter().map(symbol).collect();
        let n = self.observables.coordinates;
        // Momenta have their own symbols; the references carry velocities.
        let canonical = self.observables.entropies == 0
            && names.len() == 2 * n
            && model
                .coordinates()
                .iter()
                .zip(&names[n..])
                .all(|(coordinate, name)| *name == format!("p_{}", coordinate.name));
        let motion = self.begin()?;
        Ok(FollowedSteps { run: self, motion, tangents, derivative: Vec::new(), names, canonical })
    }
}

impl FollowedSteps<'_> {
    /// How many numbers of the state a change can be of: sums that nothing depends on are none.
    pub fn size(&self) -> usize {
        self.names.len()
    }

    /// What they are called.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The degrees of freedom, where the state is positions and momenta.
    pub fn canonical(&self) -> Option<usize> {
        self.canonical.then_some(self.run.observables.coordinates)
    }

    /// The time.
    pub fn time(&self) -> f64 {
        self.motion.time()
    }

    /// The numbers of a row of the derivative.
    pub fn stride(&self) -> usize {
        self.tangents.state
    }

    /// The derivative of the last step, row by row.
    pub fn derivative(&self) -> &[f64] {
        &self.derivative
    }

    /// Takes the step number `step` of the plan.
    pub fn advance(&mut self, step: u64) -> Result<(), StepOrSlope> {
        let n = self.tangents.state;
        let velocity = self.motion.observe().map_err(StepOrSlope::Step)?[..self.run.observables.coordinates].to_vec();
        let (mut state, begin) = (self.motion.state().to_vec(), self.motion.time());
        self.run.advance(self.motion.as_mut(), step).map_err(StepOrSlope::Step)?;
        let h = self.run.size_of(step);
        let mut total = identity(n);
        let mut elapsed = 0.0;
        for fraction in &self.tangents.substeps {
            let inputs = [&state[..], &[begin + elapsed * h, fraction * h], &velocity].concat();
            self.tangents.step.run(&inputs).map_err(StepOrSlope::Slope)?;
            state.copy_from_slice(self.tangents.step.outputs());
            total = product(self.tangents.step.derivative(), &total, n, n, n);
            elapsed += fraction;
        }
        self.derivative = total;
        Ok(())
    }
}

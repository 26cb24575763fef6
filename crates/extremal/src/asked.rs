//! What a caller says about steps, in the place of what the model says.

use extremal_engine::model::{AtSingular, ConstraintForm, EntropyBase, Extent, Start};
use extremal_engine::{Method, Settings};

use crate::Error;

/// What was said, in the place of what the model says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub method: Option<Method>,
    pub step: Option<f64>,
    pub extent: Option<Extent>,
    pub start: Option<Start>,
    pub entropy: Option<EntropyBase>,
    pub constraints: Option<ConstraintForm>,
    pub project: Option<bool>,
    pub singular: Option<AtSingular>,
    pub record: Option<u64>,
    pub tolerance: Option<f64>,
}

impl Asked {
    /// # Errors
    /// A method that cannot be.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.method.iter().try_for_each(Method::check)?)
    }

    /// What the model says, unless something else was said.
    pub fn settings(&self, model: &extremal_engine::Model) -> Settings {
        let of_model = Settings::of(model);
        Settings {
            method: self.method.clone().unwrap_or(of_model.method),
            step: self.step.or(of_model.step),
            extent: self.extent.or(of_model.extent),
            start: self.start.unwrap_or(of_model.start),
            entropy: self.entropy.unwrap_or(of_model.entropy),
            constraints: self.constraints.unwrap_or(of_model.constraints),
            project: self.project.unwrap_or(of_model.project),
            singular: self.singular.unwrap_or(of_model.singular),
            record: self.record.unwrap_or(of_model.record),
            tolerance: self.tolerance.or(of_model.tolerance),
            backend: of_model.backend,
        }
    }
}

/// The methods of everything that takes steps: a struct with a field `asked` says these of it.
macro_rules! step_options {
    () => {
        /// The method.
        #[must_use]
        pub fn method(mut self, method: $crate::Method) -> Self {
            self.asked.method = Some(method);
            self
        }

        /// The step, or for an adaptive method the time between rows.
        #[must_use]
        pub fn step(mut self, step: f64) -> Self {
            self.asked.step = Some(step);
            self
        }

        /// The time at which it ends.
        #[must_use]
        pub fn until(mut self, time: f64) -> Self {
            self.asked.extent = Some(extremal_engine::model::Extent::Until(time));
            self
        }

        /// How many steps it takes.
        #[must_use]
        pub fn steps(mut self, steps: u64) -> Self {
            self.asked.extent = Some(extremal_engine::model::Extent::Steps(steps));
            self
        }

        /// How it begins: from velocities, or from two positions.
        #[must_use]
        pub fn start(mut self, start: $crate::Start) -> Self {
            self.asked.start = Some(start);
            self
        }

        /// Where in a step entropies are taken.
        #[must_use]
        pub fn entropy(mut self, base: $crate::EntropyBase) -> Self {
            self.asked.entropy = Some(base);
            self
        }

        /// How a step keeps holonomic constraints.
        #[must_use]
        pub fn constraints(mut self, form: $crate::ConstraintForm) -> Self {
            self.asked.constraints = Some(form);
            self
        }

        /// Moves a start that violates the constraints onto them.
        #[must_use]
        pub fn project(mut self, project: bool) -> Self {
            self.asked.project = Some(project);
            self
        }

        /// What it does at a singular configuration of its constraints.
        #[must_use]
        pub fn singular(mut self, at: $crate::AtSingular) -> Self {
            self.asked.singular = Some(at);
            self
        }

        /// The tolerance of implicit steps, or of an adaptive method.
        #[must_use]
        pub fn tolerance(mut self, tolerance: f64) -> Self {
            self.asked.tolerance = Some(tolerance);
            self
        }
    };
}

pub(crate) use step_options;

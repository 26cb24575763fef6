//! What a caller says about steps, in the place of what the model says.

use extremal_engine::model::{AtSingular, ConstraintForm, EntropyBase, Extent, Start};
use extremal_engine::{Method, Settings};

use crate::Error;

/// What was said, in the place of what the model says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub method: Option<Method>,
    pub step: Option<f64>,
    pub from: Option<f64>,
    pub extent: Option<Extent>,
    pub start: Option<Start>,
    pub entropy: Option<EntropyBase>,
    pub constraints: Option<ConstraintForm>,
    pub project: Option<bool>,
    pub singular: Option<AtSingular>,
    pub record: Option<u64>,
    pub tolerance: Option<f64>,
    pub reduce: Option<Vec<String>>,
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
            from: self.from.or(of_model.from),
            extent: self.extent.or(of_model.extent),
            start: self.start.unwrap_or(of_model.start),
            entropy: self.entropy.unwrap_or(of_model.entropy),
            constraints: self.constraints.unwrap_or(of_model.constraints),
            project: self.project.unwrap_or(of_model.project),
            singular: self.singular.unwrap_or(of_model.singular),
            record: self.record.unwrap_or(of_model.record),
            tolerance: self.tolerance.or(of_model.tolerance),
            reduce: self.reduce.clone().unwrap_or(of_model.reduce),
            columns: of_model.columns,
            backend: of_model.backend,
        }
    }

    /// The same, but a step or an end that is not asked for is left to the model, where it may follow parameters.
    pub fn following(&self, model: &extremal_engine::Model) -> Settings {
        Settings { step: self.step, from: self.from, extent: self.extent, ..self.settings(model) }
    }
}

/// Methods that say one thing each, into fields of the same names of a field.
macro_rules! setters {
    ($of:ident { $($(#[$doc:meta])* $name:ident: $type:ty,)+ }) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$of.$name = Some($name);
            self
        })+
    };
}

/// The methods of everything that takes steps: a struct with a field `asked` says these of it.
macro_rules! step_options {
    () => {
        $crate::asked::setters! { asked {
            /// The method.
            method: $crate::Method,
            /// The step, or for an adaptive method the time between rows.
            step: f64,
            /// The time of the start.
            from: f64,
            /// How it begins: from velocities, or from two positions.
            start: $crate::Start,
            /// Where in a step entropies are taken.
            entropy: $crate::EntropyBase,
            /// How a step keeps holonomic constraints.
            constraints: $crate::ConstraintForm,
            /// Moves a start that violates the constraints onto them.
            project: bool,
            /// What it does at a singular configuration of its constraints.
            singular: $crate::AtSingular,
            /// The tolerance of implicit steps, or of an adaptive method.
            tolerance: f64,
            /// The cyclic coordinates without which steps are taken, by Routh's function.
            reduce: Vec<String>,
        }}

        /// The time at which it ends; before the start, the motion is followed backward.
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
    };
}

/// A result that is shared: its columns by their names between brackets, its summary as data.
macro_rules! shared_result {
    ($result:ident.$shared:ident) => {
        impl std::ops::Index<&str> for $result {
            type Output = [f64];

            /// The numbers of a column.
            ///
            /// # Panics
            /// There is no such column in memory; `column` asks.
            fn index(&self, name: &str) -> &[f64] {
                self.column(name).unwrap_or_else(|| {
                    let known = self.columns().collect::<Vec<_>>().join(", ");
                    panic!("there is no column `{name}` in memory: the columns are {known}")
                })
            }
        }

        impl serde::Serialize for $result {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.$shared.summary.serialize(serializer)
            }
        }
    };
}

pub(crate) use {setters, shared_result, step_options};

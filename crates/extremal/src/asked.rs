//! What a caller says about steps, in the place of what the model says.

use extremal_engine::model::{AtSingular, ConstraintForm, EntropyBase, Extent, Pacing, Start};
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
    pub at: Option<Vec<f64>>,
    pub tolerance: Option<f64>,
    pub reduce: Option<Vec<String>>,
    pub pacing: Option<Pacing>,
    pub sensitivity: Vec<String>,
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
            at: self.at.clone().unwrap_or(of_model.at),
            tolerance: self.tolerance.or(of_model.tolerance),
            reduce: self.reduce.clone().unwrap_or(of_model.reduce),
            pacing: self.pacing.unwrap_or(of_model.pacing),
            columns: of_model.columns,
            sensitivity: self.sensitivity.clone(),
            backend: of_model.backend,
            full_slopes: of_model.full_slopes,
            wide: of_model.wide,
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
            /// How steps follow the pace that the model states.
            pacing: $crate::Pacing,
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

/// The methods of everything that has many members: a struct with fields `variation` and `threads` says these of it, and what may vary.
macro_rules! variation_options {
    ($(#[$what:meta])* vary) => {
        $(#[$what])*
        #[must_use]
        pub fn vary(mut self, name: &str, range: std::ops::RangeInclusive<f64>, count: u64) -> Self {
            let values = extremal_engine::sweep::Values::Range { from: *range.start(), to: *range.end(), count };
            self.variation.grid.push(extremal_engine::sweep::Axis { name: name.to_owned(), values });
            self
        }

        /// Varies it over these values.
        #[must_use]
        pub fn values(mut self, name: &str, values: &[f64]) -> Self {
            let values = extremal_engine::sweep::Values::Listed(values.to_vec());
            self.variation.grid.push(extremal_engine::sweep::Axis { name: name.to_owned(), values });
            self
        }

        /// Draws it at random; `samples` says how often.
        #[must_use]
        pub fn random(mut self, name: &str, distribution: $crate::Distribution) -> Self {
            self.variation.random.push(extremal_engine::sweep::RandomAxis { name: name.to_owned(), distribution });
            self
        }

        /// How often random values are drawn, and which ones.
        #[must_use]
        pub fn samples(mut self, samples: u64, seed: u64) -> Self {
            (self.variation.samples, self.variation.seed) = (samples, seed);
            self
        }

        /// How many threads compute; the rows do not depend on it.
        #[must_use]
        pub fn threads(mut self, threads: usize) -> Self {
            self.threads = Some(threads);
            self
        }
    };
}

/// How everything that has many members is done: a struct with `members`, a function `compiled` and a function `ensemble` beside it
/// says these of it; `ended` is what is said where the observer ends it.
macro_rules! ensemble_runs {
    ($ended:literal, $(#[$part:meta])* members) => {
        $(#[$part])*
        #[must_use]
        pub fn members(mut self, range: std::ops::Range<u64>) -> Self {
            self.members = Some(range);
            self
        }

        /// How many members there are in all.
        ///
        /// # Errors
        /// It cannot be set up.
        pub fn count(&self) -> Result<u64, Error> {
            Ok(Self { members: None, ..self.clone() }.compiled()?.members())
        }

        /// Computes them and keeps the rows.
        ///
        /// # Errors
        /// It cannot be set up. Members that fail are rows that say so.
        pub fn run(&self) -> Result<Ensemble, Error> {
            self.run_with(unwatched)
        }

        /// The same; the observer may end it.
        ///
        /// # Errors
        /// As for `run`; one that was ended is [`ErrorKind::Interrupted`], and [`Error::ensemble`] has the members that were done.
        pub fn run_with(&self, mut observer: impl Observer) -> Result<Ensemble, Error> {
            let compiled = self.compiled()?;
            let watch = |now: SweepProgress| observer.progress(Progress { done: now.done, total: Some(now.members) });
            let (frame, outcome) = compiled.collect_watched(thread_count(self.threads), watch);
            let all = ensemble(&compiled, &outcome, Some(frame));
            match outcome.complete {
                true => Ok(all),
                false => {
                    let ended = || Error::new(ErrorKind::Interrupted, $ended);
                    Err(broken(&compiled).unwrap_or_else(ended).with_ensemble(all))
                }
            }
        }

        /// Computes them and writes the rows to a file, as .csv or .parquet, in bounded memory. One that is there already is continued,
        /// if the same call was interrupted there.
        ///
        /// # Errors
        /// It cannot be set up, or the file not be written.
        pub fn write(&self, path: impl AsRef<std::path::Path>) -> Result<Ensemble, Error> {
            self.write_with(path, unwatched)
        }

        /// The same; the observer may end it, and the file can then be continued.
        ///
        /// # Errors
        /// As for `write`; one that was ended is [`ErrorKind::Interrupted`].
        pub fn write_with(
            &self,
            path: impl AsRef<std::path::Path>,
            mut observer: impl Observer,
        ) -> Result<Ensemble, Error> {
            let compiled = self.compiled()?;
            let watch = |now: SweepProgress| observer.progress(Progress { done: now.done, total: Some(now.members) });
            let outcome = compiled.to_file(path.as_ref(), Existing::Resume, thread_count(self.threads), watch)?;
            match outcome.complete {
                true => Ok(ensemble(&compiled, &outcome, None)),
                false => {
                    let ended = || Error::new(ErrorKind::Interrupted, concat!($ended, "; its file can be continued"));
                    Err(broken(&compiled).unwrap_or_else(ended))
                }
            }
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

pub(crate) use {ensemble_runs, setters, shared_result, step_options, variation_options};

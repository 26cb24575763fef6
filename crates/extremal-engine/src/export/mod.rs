//! A model as source of another language: its right-hand side, mass matrix, slopes and invariants, and one step of a method.

mod block;
mod file;
mod heading;
mod latex;
mod parts;

use extremal_eval::CompileError;
use extremal_eval::source::Language;
use extremal_mechanics::discrete::SchemeError;
use extremal_model::Model;
use thiserror::Error;

use crate::run::{Settings, SetupError};
use parts::ExportParts;

/// What a model is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportTarget {
    /// Source of a language.
    Source(Language),
    /// The equations as a document.
    Latex,
}

/// Why a model cannot be exported.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ExportError {
    /// It cannot be run either.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The method has no discrete equations.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The formulas do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A method that chooses its steps by itself.
    #[error(
        "`{method}` chooses its steps as it goes: there is no single step to export; a method of fixed steps has one, such as midpoint or rk4"
    )]
    Adaptive {
        /// The method.
        method: String,
    },
    /// A start that a step does not go on from by positions and velocities.
    #[error(
        "the start `{start}` cannot be exported: an exported motion begins with positions and velocities, `legendre`"
    )]
    Start {
        /// The start.
        start: String,
    },
    /// Something that a file of formulas does not have.
    #[error("{what} cannot be exported: {why}")]
    Unsupported {
        /// What the model has.
        what: &'static str,
        /// What a file would need for it.
        why: &'static str,
    },
    /// A family that is too large to be written member by member.
    #[error("the state has {numbers} numbers, and up to {limit} are exported, one by one: make the families smaller")]
    TooLarge {
        /// How many it has.
        numbers: usize,
        /// How many it may have.
        limit: usize,
    },
    /// Formulas that no compiler would like.
    #[error(
        "the formulas have {operations} operations, and up to {limit} are exported: a method with fewer stages or a smaller family has fewer"
    )]
    TooLong {
        /// How many there are.
        operations: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// The text of a file: what `model` is in another language, with one step of the method of `settings`.
///
/// ```
/// use extremal_engine::eval::source::Language;
/// use extremal_engine::export::{ExportTarget, export};
/// use extremal_engine::{Model, Settings};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let text = export(&model, &Settings::of(&model), ExportTarget::Source(Language::C))?;
/// assert!(text.contains("int pendulum_step(const pendulum_parameters *p, double t, double h, double x[3])"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// See [`ExportError`].
pub fn export(model: &Model, settings: &Settings, target: ExportTarget) -> Result<String, ExportError> {
    match target {
        ExportTarget::Latex => latex::document(model, settings),
        ExportTarget::Source(language) => {
            let parts = ExportParts::of(model, settings)?;
            file::write(&parts, language)
        }
    }
}

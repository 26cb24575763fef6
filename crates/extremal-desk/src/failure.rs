//! Why a question has no answer.

use extremal_engine::InvalidModel;
use extremal_engine::boundary::ProblemError;
use extremal_engine::compare::CompareError;
use extremal_engine::export::ExportError;
use extremal_engine::mechanics::discrete::SchemeError;
use extremal_engine::model::MethodError;
use extremal_engine::run::SetupError;
use extremal_engine::sweep::{AxisError, SweepError};
use extremal_engine::trajectory::RecordError;
use serde_json::{Value, json};
use thiserror::Error;

use crate::checked::diagnostics;

/// Why a question has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum DeskError {
    #[error("this is no request: {0}")]
    Request(serde_json::Error),
    #[error(transparent)]
    Model(#[from] InvalidModel),
    #[error("{error}{}", helped(error))]
    Method { error: MethodError },
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Sweep(#[from] SweepError),
    #[error(transparent)]
    Axis(#[from] AxisError),
    #[error("{members} members are too many for a map on a page: at most {most}, or use `extremal sweep`")]
    TooManyMembers { members: u64, most: u64 },
    #[error("a map has one or two axes, not {0}")]
    Axes(usize),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("a file of this motion would be larger than {0} bytes: the command line writes it")]
    TooLong(usize),
    #[error("there is no export to `{0}`: write c, rust, python, julia, latex, csv, json, svg or notebook")]
    Target(String),
    #[error("there is no built-in model `{0}`")]
    UnknownModel(String),
}

/// What to do about a method that is none.
fn helped(error: &MethodError) -> String {
    error.help().map(|help| format!("; {help}")).unwrap_or_default()
}

impl DeskError {
    /// As an answer.
    pub(crate) fn content(&self) -> Value {
        let mut content = json!({ "error": self.to_string() });
        if let DeskError::Model(invalid) = self {
            content["diagnostics"] = diagnostics(&invalid.diagnostics, &invalid.source_text);
        }
        content
    }
}

//! One error for all that can go wrong, with its kind.

use std::fmt;
use std::path::Path;

use extremal_engine::InvalidModel;
use extremal_engine::boundary::ProblemError;
use extremal_engine::compare::CompareError;
use extremal_engine::mechanics::discrete::SchemeError;
use extremal_engine::model::{Diagnostic, MethodError, render};
use extremal_engine::run::{ChangeError, SetupError};
use extremal_engine::sweep::{AxisError, SweepError};
#[cfg(feature = "plot")]
use extremal_engine::trajectory::PlotError;
use extremal_engine::trajectory::frame::FrameError;
use extremal_engine::trajectory::{FormatError, RecordError, SinkError};

use crate::Run;

/// Why there is no result.
///
/// ```
/// use extremal::{ErrorKind, Model};
/// let error = Model::parse("[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"y'^2/2\"").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Model);
/// assert!(error.to_string().contains("y"));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    diagnostics: Vec<Diagnostic>,
    partial: Option<Run>,
}

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text of the model has errors; [`Error::diagnostics`] has them all.
    Model,
    /// Settings that are missing or make no sense.
    Settings,
    /// A method that is not defined for the model, or a question that the model does not ask.
    Unsupported,
    /// The equations do not determine the motion, or no motion satisfies them.
    Singular,
    /// A motion that could not go on; [`Error::partial`] has it up to there.
    Motion,
    /// A problem of optimisation without a verified solution.
    Unsolved,
    /// The observer asked to end.
    Interrupted,
    /// A file cannot be read or written.
    File,
    /// Something that the library was built without; the message names the feature of the crate.
    Feature,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Inner { kind, message: message.into(), diagnostics: Vec::new(), partial: None }))
    }

    pub(crate) fn of_run(kind: ErrorKind, message: impl Into<String>, run: Run) -> Error {
        let mut error = Error::new(kind, message);
        error.0.partial = Some(run);
        error
    }

    pub(crate) fn reading(path: &Path, source: &std::io::Error) -> Error {
        Error::new(ErrorKind::File, format!("cannot read `{}`: {source}", path.display()))
    }

    pub(crate) fn writing(path: &Path, source: &std::io::Error) -> Error {
        Error::new(ErrorKind::File, format!("cannot write `{}`: {source}", path.display()))
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What is wrong with a model, one by one, with places in its text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.0.diagnostics
    }

    /// The run up to where it could not go on, or was interrupted.
    pub fn partial(&self) -> Option<&Run> {
        self.0.partial.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.0.kind, self.0.message)
    }
}

impl std::error::Error for Error {}

impl From<InvalidModel> for Error {
    fn from(invalid: InvalidModel) -> Error {
        let message = render(&invalid.diagnostics, "model", &invalid.source_text, false);
        let mut error = Error::new(ErrorKind::Model, message.trim_end());
        error.0.diagnostics = invalid.diagnostics;
        error
    }
}

impl From<SetupError> for Error {
    fn from(error: SetupError) -> Error {
        let kind = match &error {
            SetupError::Settings(_) | SetupError::Columns(_) => ErrorKind::Settings,
            SetupError::Scheme(_)
            | SetupError::NoStart { .. }
            | SetupError::NoQuantity { .. }
            | SetupError::Compile(_) => ErrorKind::Unsupported,
            SetupError::Singular { .. }
            | SetupError::SingularHigher { .. }
            | SetupError::SingularMultiplier { .. }
            | SetupError::MultiplierAtZero { .. }
            | SetupError::MomentaUndetermined { .. }
            | SetupError::MomentaAtStart { .. }
            | SetupError::Constraints(_) => ErrorKind::Singular,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Error {
        let kind = match &error {
            ChangeError::Structural { .. } | ChangeError::Unsupported(_) => ErrorKind::Unsupported,
            ChangeError::Velocities(_) | ChangeError::State(_) => ErrorKind::Singular,
            ChangeError::Ended => ErrorKind::Motion,
            _ => ErrorKind::Settings,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<SweepError> for Error {
    fn from(error: SweepError) -> Error {
        match error {
            SweepError::Setup(error) => error.into(),
            other => Error::new(ErrorKind::Settings, other.to_string()),
        }
    }
}

impl From<CompareError> for Error {
    fn from(error: CompareError) -> Error {
        match error {
            CompareError::Setup { source, .. } => source.into(),
            CompareError::Reference(_) => Error::new(ErrorKind::Motion, error.to_string()),
            other => Error::new(ErrorKind::Settings, other.to_string()),
        }
    }
}

impl From<FormatError> for Error {
    fn from(error: FormatError) -> Error {
        let kind = match &error {
            FormatError::Feature { .. } => ErrorKind::Feature,
            _ => ErrorKind::File,
        };
        Error::new(kind, error.to_string())
    }
}

/// Errors of files, whose names may ask for a format that there is not.
macro_rules! of_file {
    ($error:ident) => {
        impl From<$error> for Error {
            fn from(error: $error) -> Error {
                match error {
                    $error::Format(error) => error.into(),
                    other => Error::new(ErrorKind::File, other.to_string()),
                }
            }
        }
    };
}

of_file!(SinkError);
of_file!(FrameError);
#[cfg(feature = "plot")]
of_file!(PlotError);

/// Errors that are always of one kind.
macro_rules! of_kind {
    ($($error:ty => $kind:ident),* $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::new(ErrorKind::$kind, error.to_string())
            }
        })*
    };
}

of_kind! {
    SchemeError => Unsupported,
    ProblemError => Unsupported,
    AxisError => Settings,
    MethodError => Settings,
    RecordError => File,
}

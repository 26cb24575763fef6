//! One error for all that can go wrong, with its kind.

use std::fmt;
use std::path::Path;

use extremal_engine::InvalidModel;
use extremal_engine::boundary::ProblemError;
use extremal_engine::compare::CompareError;
use extremal_engine::fit::FitError;
use extremal_engine::function::FunctionError;
use extremal_engine::lyapunov::LyapunovError;
use extremal_engine::mechanics::discrete::SchemeError;
use extremal_engine::model::{Diagnostic, MethodError, render};
use extremal_engine::problems::ProblemSetError;
use extremal_engine::run::{ChangeError, GradientError, SetupError};
use extremal_engine::sweep::{AxisError, SweepError};
#[cfg(feature = "plot")]
use extremal_engine::trajectory::PlotError;
use extremal_engine::trajectory::frame::{FrameError, MergeError};
use extremal_engine::trajectory::{FormatError, RecordError, SinkError};

use crate::{Ensemble, Run, Solution};

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
    ensemble: Option<Ensemble>,
    solution: Option<Solution>,
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
        let (diagnostics, partial, ensemble, solution) = (Vec::new(), None, None, None);
        Error(Box::new(Inner { kind, message: message.into(), diagnostics, partial, ensemble, solution }))
    }

    pub(crate) fn of_run(kind: ErrorKind, message: impl Into<String>, run: Run) -> Error {
        let mut error = Error::new(kind, message);
        error.0.partial = Some(run);
        error
    }

    pub(crate) fn with_ensemble(mut self, ensemble: Ensemble) -> Error {
        self.0.ensemble = Some(ensemble);
        self
    }

    pub(crate) fn with_solution(mut self, solution: Solution) -> Error {
        self.0.solution = Some(solution);
        self
    }

    /// What is wrong with expressions that were asked for.
    pub(crate) fn of_expressions(invalid: InvalidModel) -> Error {
        Error::rendered(invalid, "expression")
    }

    fn rendered(invalid: InvalidModel, file_name: &str) -> Error {
        let message = render(&invalid.diagnostics, file_name, &invalid.source_text, false);
        let mut error = Error::new(ErrorKind::Model, message.trim_end());
        error.0.diagnostics = invalid.diagnostics;
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

    /// The members of a sweep that were done before it was interrupted.
    pub fn ensemble(&self) -> Option<&Ensemble> {
        self.0.ensemble.as_ref()
    }

    /// What a search had found when it ended without a solution that could be believed.
    pub fn solution(&self) -> Option<&Solution> {
        self.0.solution.as_ref()
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
        Error::rendered(invalid, "model")
    }
}

impl From<FunctionError> for Error {
    fn from(error: FunctionError) -> Error {
        match error {
            FunctionError::Expressions(invalid) => Error::of_expressions(invalid),
            other => Error::new(ErrorKind::Unsupported, other.to_string()),
        }
    }
}

impl From<SetupError> for Error {
    fn from(error: SetupError) -> Error {
        let kind = match &error {
            SetupError::Settings(_) | SetupError::Columns(_) | SetupError::UnknownColumn { .. } => ErrorKind::Settings,
            SetupError::Scheme(_)
            | SetupError::NoStart { .. }
            | SetupError::NoQuantity { .. }
            | SetupError::EventStart
            | SetupError::Sensitivity(_)
            | SetupError::ImpactOnMomenta { .. }
            | SetupError::ImpactNotQuadratic { .. }
            | SetupError::ComparedEvents
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

impl From<GradientError> for Error {
    fn from(error: GradientError) -> Error {
        match error {
            GradientError::Setup(error) => error.into(),
            GradientError::Motion(_) | GradientError::Derivative(_) => Error::new(ErrorKind::Motion, error.to_string()),
            other => Error::new(ErrorKind::Settings, other.to_string()),
        }
    }
}

impl From<LyapunovError> for Error {
    fn from(error: LyapunovError) -> Error {
        match error {
            LyapunovError::Setup(error) => error.into(),
            LyapunovError::Motion(_) | LyapunovError::Derivative { .. } | LyapunovError::Lost { .. } => {
                Error::new(ErrorKind::Motion, error.to_string())
            }
            other => Error::new(ErrorKind::Settings, other.to_string()),
        }
    }
}

impl From<FitError> for Error {
    fn from(error: FitError) -> Error {
        match error {
            FitError::Setup(error) => error.into(),
            FitError::Values(error) => error.into(),
            FitError::Record(error) => error.into(),
            FitError::MotionEnds { .. } => Error::new(ErrorKind::Motion, error.to_string()),
            other => Error::new(ErrorKind::Settings, other.to_string()),
        }
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

impl From<ProblemSetError> for Error {
    fn from(error: ProblemSetError) -> Error {
        match error {
            ProblemSetError::Sweep(error) => error.into(),
            ProblemSetError::Problem(error) => error.into(),
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

impl From<MergeError> for Error {
    fn from(error: MergeError) -> Error {
        match error {
            MergeError::Frame(error) => error.into(),
            other => Error::new(ErrorKind::File, other.to_string()),
        }
    }
}

of_kind! {
    SchemeError => Unsupported,
    ProblemError => Unsupported,
    AxisError => Settings,
    MethodError => Settings,
    RecordError => File,
}

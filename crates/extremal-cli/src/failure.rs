//! What ends a command, and the exit code that says so.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use extremal_engine::InvalidModel;
use extremal_engine::boundary::{ContinuationError, ProblemError, TableError};
use extremal_engine::compare::{CompareError, ComparisonFileError};
use extremal_engine::drawing::DrawingError;
use extremal_engine::export::ExportError;
use extremal_engine::fit::FitError;
use extremal_engine::lyapunov::LyapunovError;
use extremal_engine::mechanics::discrete::SchemeError;
use extremal_engine::model::render;
use extremal_engine::problems::ProblemSetError;
use extremal_engine::run::{ConstraintError, GradientError, SettingsError, SetupError};
use extremal_engine::sweep::{ListError, SweepError, VariationError};
use extremal_engine::trajectory::frame::{FrameError, MergeError};
use extremal_engine::trajectory::{EventFileError, FormatError, PlotError, RecordError, SinkError};
use thiserror::Error;

use crate::terminal::{ERROR, print_error};

/// Nobody reads more at once.
const MOST_DIAGNOSTICS: usize = 20;

/// How a command ended that printed its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is done.
    Done,
    /// The computation failed on the way.
    Failed,
    /// The user asked to stop.
    Interrupted,
}

impl Ending {
    pub fn code(self) -> ExitCode {
        match self {
            Ending::Done => ExitCode::SUCCESS,
            Ending::Failed => ExitCode::from(1),
            Ending::Interrupted => ExitCode::from(130),
        }
    }
}

/// Why a command has no results.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The model file has errors.
    #[error("{invalid}")]
    Model { name: String, invalid: InvalidModel },
    #[error("there is no built-in model `{name}`; {help}")]
    UnknownGalleryName { name: String, help: String },
    #[error("cannot read {name}: {source}{help}")]
    Read { name: String, source: io::Error, help: String },
    #[error("{name} has more than {limit} bytes, the limit for {what}")]
    TooLong { name: String, limit: usize, what: &'static str },
    #[error("the model has no [events] whose rows could be written")]
    NoEvents,
    #[error(transparent)]
    EventFile(#[from] EventFileError),
    /// The method, step or end do not fit the model.
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("`{path}` is no table of measured numbers: {source}")]
    Data { path: String, source: TableError },
    #[error("`{name}`: {message}")]
    Given { name: String, message: String },
    #[error("{0}")]
    Fit(FitError),
    /// The motion has no derivatives.
    #[error(transparent)]
    Gradient(#[from] GradientError),
    #[error(transparent)]
    Lyapunov(#[from] LyapunovError),
    /// The method has no discrete equations to print.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The model cannot be written in another language.
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("cannot write `{}`: {source}", path.display())]
    WriteExport { path: PathBuf, source: io::Error },
    /// The boundary problem cannot be set up.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Continuation(#[from] ContinuationError),
    #[error("cannot start from `{path}`: {source}")]
    WarmStart { path: String, source: TableError },
    /// The comparison cannot be made.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The samples of a comparison cannot be written.
    #[error(transparent)]
    ComparisonFile(#[from] ComparisonFileError),
    /// The ensemble cannot be set up.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// Many problems cannot be set up.
    #[error(transparent)]
    Problems(#[from] ProblemSetError),
    #[error("`{0}` goes with one problem, and many are solved: leave it out, or what varies and `--rows`")]
    OfOneProblem(&'static str),
    #[error("`{0}` cannot be set and vary at once: leave out `--set {0}` or its variation")]
    SetAndVaried(String),
    #[error("`{path}` is no list of members: {source}")]
    List { path: String, source: ListError },
    /// The file of an ensemble cannot be written or continued.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Parts of an ensemble cannot be put together.
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error("`{}` is named twice as an output", .0.display())]
    SameFile(PathBuf),
    #[error("`{}` is read by this command and would be written over: give the output another name", .0.display())]
    OwnInput(PathBuf),
    #[error("cannot create `{}`: there is no folder `{}`", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    /// A file name asks for no format that there is.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// A trajectory file cannot be opened.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// The motion cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    #[error("`{}` is no name of an animation: it ends in .html, .gif or .mp4", .0.display())]
    NoAnimation(PathBuf),
    #[error("an .mp4 needs the program `ffmpeg`, which is not there: install it, or write a .gif or an .html page")]
    NoEncoder,
    #[error("the film cannot be made: {0}")]
    Film(String),
    #[error("there is no column `{name}` to draw: there are {known}")]
    NoSweepColumn { name: String, known: String },
    #[error("there is no picture at {time}: the motion goes from {first} to {last}")]
    NoFrame { time: f64, first: f64, last: f64 },
    #[error("cannot write `{}`: {source}", path.display())]
    Animation { path: PathBuf, source: std::io::Error },
    /// A picture cannot be made.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A row cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("the studio cannot be opened: {0}")]
    Studio(io::Error),
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

fn setup_hint(error: &SetupError) -> Option<&'static str> {
    Some(match error {
        SetupError::Settings(SettingsError::NoStep) => "or say `--step 0.01`",
        SetupError::Settings(SettingsError::NoEnd) => "or say `--until 10`",
        SetupError::Scheme(SchemeError::NoTwoPoints(_)) => "say `--start legendre`",
        SetupError::Constraints(ConstraintError::Inconsistent(_)) => "`--project` does that",
        _ => return None,
    })
}

fn sweep_hint(error: &SweepError) -> Option<&'static str> {
    Some(match error {
        SweepError::Setup(error) => setup_hint(error)?,
        SweepError::TooManyRows { .. } => "record fewer with `--every N`",
        SweepError::Variation(VariationError::Nothing) => {
            "say `--vary NAME=FROM:TO:COUNT`, `--random NAME=FROM:TO --samples N` or `--list FILE`"
        }
        SweepError::Variation(VariationError::Structural { .. }) => "set it with `--set NAME=VALUE`",
        SweepError::Variation(VariationError::NoSamples) => "say `--samples N`",
        SweepError::Variation(VariationError::NothingRandom) => "`--samples` goes with `--random NAME=FROM:TO`",
        _ => return None,
    })
}

impl CommandError {
    /// Says on standard error what is wrong. A reader of standard output that has seen enough is no error.
    pub fn report(&self) {
        match self {
            CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            CommandError::Model { name, invalid } => {
                let shown = &invalid.diagnostics[..invalid.diagnostics.len().min(MOST_DIAGNOSTICS)];
                print_error(&render(shown, name, &invalid.source_text, true));
                match invalid.diagnostics.len() - shown.len() {
                    0 => {}
                    more => print_error(&format!("\nand {more} more problems\n")),
                }
            }
            other => {
                print_error(&format!("{ERROR}error{ERROR:#}: {other}\n"));
                if let Some(hint) = other.hint() {
                    print_error(&format!("  {hint}\n"));
                }
            }
        }
    }

    /// The option that helps, which the library does not know.
    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            CommandError::Setup(error) => setup_hint(error)?,
            CommandError::Sweep(error) | CommandError::Problems(ProblemSetError::Sweep(error)) => sweep_hint(error)?,
            CommandError::Compare(CompareError::Setup { source, .. }) => setup_hint(source)?,
            CommandError::Export(ExportError::Setup(error)) => setup_hint(error)?,
            CommandError::Export(ExportError::Adaptive { .. }) => "say `--method midpoint`",
            CommandError::Export(ExportError::Start { .. }) => "say `--start legendre`",
            CommandError::Frame(FrameError::Exists { .. } | FrameError::Lost { .. }) => "replace it with `--force`",
            CommandError::Frame(FrameError::Partial { .. }) => "begin anew with `--force`",
            CommandError::Frame(FrameError::Unfinished { .. }) => {
                "continue it with `--resume`, or begin anew with `--force`"
            }
            CommandError::Merge(MergeError::Missing { .. }) => {
                "compute them with `--members A:B` or `--shard K/N` of the same command"
            }
            CommandError::Merge(MergeError::Unfinished { .. }) => "continue it with `--resume`",
            _ => return None,
        })
    }

    pub fn code(&self) -> ExitCode {
        match self {
            CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            CommandError::Compare(CompareError::Reference(_))
            | CommandError::Continuation(ContinuationError::Step(_))
            | CommandError::Animation { .. }
            | CommandError::Film(_)
            | CommandError::Studio(_)
            | CommandError::Plot(PlotError::Write { .. } | PlotError::TooLarge { .. } | PlotError::Encode { .. })
            | CommandError::Record(_)
            | CommandError::EventFile(EventFileError::Frame(FrameError::Write { .. }))
            | CommandError::WriteExport { .. }
            | CommandError::Frame(FrameError::Write { .. } | FrameError::Read { .. })
            | CommandError::Merge(MergeError::Frame(FrameError::Write { .. } | FrameError::Read { .. }))
            | CommandError::ComparisonFile(ComparisonFileError::File(
                FrameError::Write { .. } | FrameError::Read { .. },
            ))
            | CommandError::Output(_) => ExitCode::from(1),
            _ => ExitCode::from(2),
        }
    }
}

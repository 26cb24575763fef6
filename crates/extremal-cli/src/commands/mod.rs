//! One file per command: its arguments, and the few lines from them to the library and back.

mod analyze;
mod compare;
mod completions;
mod demo;
mod derive;
mod export;
mod fit;
mod gallery;
mod lyapunov;
mod merge;
mod methods;
mod orbit;
mod run;
mod section;
mod simulate;
mod solve;
mod solve_many;
mod studio;
mod sweep;

use clap::Subcommand;

pub use simulate::FinishedRun;
pub use solve::FinishedSolve;
pub use solve_many::FinishedProblems;

use crate::arguments::Arguments;
use crate::failure::{CommandError, Ending};

#[derive(Subcommand)]
pub enum Command {
    Run(run::RunArguments),
    Derive(derive::DeriveArguments),
    Export(export::ExportArguments),
    Analyze(analyze::AnalyzeArguments),
    Compare(compare::CompareArguments),
    Solve(solve::SolveArguments),
    Sweep(sweep::SweepArguments),
    Section(section::SectionArguments),
    Orbit(orbit::OrbitArguments),
    Lyapunov(lyapunov::LyapunovArguments),
    Fit(fit::FitArguments),
    Merge(merge::MergeArguments),
    Studio(studio::StudioArguments),
    Gallery(gallery::GalleryArguments),
    Methods(methods::MethodsArguments),
    Completions(completions::CompletionsArguments),
}

/// Does what the arguments say.
pub fn execute(arguments: Arguments) -> Result<Ending, CommandError> {
    match arguments.command {
        None => demo::execute(),
        Some(Command::Run(arguments)) => run::execute(&arguments),
        Some(Command::Derive(arguments)) => derive::execute(&arguments),
        Some(Command::Export(arguments)) => export::execute(&arguments),
        Some(Command::Analyze(arguments)) => analyze::execute(&arguments),
        Some(Command::Compare(arguments)) => compare::execute(&arguments),
        Some(Command::Solve(arguments)) => solve::execute(&arguments),
        Some(Command::Sweep(arguments)) => sweep::execute(&arguments),
        Some(Command::Fit(arguments)) => fit::execute(&arguments),
        Some(Command::Orbit(arguments)) => orbit::execute(&arguments),
        Some(Command::Section(arguments)) => section::execute(&arguments),
        Some(Command::Lyapunov(arguments)) => lyapunov::execute(&arguments),
        Some(Command::Merge(arguments)) => merge::execute(&arguments),
        Some(Command::Studio(studio)) => studio::execute(studio, arguments.memory),
        Some(Command::Gallery(arguments)) => gallery::execute(&arguments),
        Some(Command::Methods(arguments)) => methods::execute(&arguments),
        Some(Command::Completions(arguments)) => completions::execute(&arguments),
    }
}

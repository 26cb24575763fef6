//! One file per command: its arguments, and the few lines from them to the library and back.

mod analyze;
mod compare;
mod completions;
mod demo;
mod derive;
mod gallery;
mod methods;
mod run;
mod simulate;
mod solve;
mod sweep;

use clap::Subcommand;

pub use simulate::Finished;
pub use solve::Solved;
pub use sweep::Swept;

use crate::arguments::Arguments;
use crate::failure::{Ending, Failure};

#[derive(Subcommand)]
pub enum Command {
    Run(run::Arguments),
    Derive(derive::Arguments),
    Analyze(analyze::Arguments),
    Compare(compare::Arguments),
    Solve(solve::Arguments),
    Sweep(sweep::Arguments),
    Gallery(gallery::Arguments),
    Methods(methods::Arguments),
    Completions(completions::Arguments),
}

/// Does what the arguments say.
pub fn execute(arguments: Arguments) -> Result<Ending, Failure> {
    match arguments.command {
        None => demo::execute(),
        Some(Command::Run(arguments)) => run::execute(&arguments),
        Some(Command::Derive(arguments)) => derive::execute(&arguments),
        Some(Command::Analyze(arguments)) => analyze::execute(&arguments),
        Some(Command::Compare(arguments)) => compare::execute(&arguments),
        Some(Command::Solve(arguments)) => solve::execute(&arguments),
        Some(Command::Sweep(arguments)) => sweep::execute(&arguments),
        Some(Command::Gallery(arguments)) => gallery::execute(&arguments),
        Some(Command::Methods(arguments)) => methods::execute(&arguments),
        Some(Command::Completions(arguments)) => completions::execute(&arguments),
    }
}

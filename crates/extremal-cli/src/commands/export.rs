//! `extremal export`: a model in another language.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use extremal_engine::Settings;
use extremal_engine::eval::source::Language;
use extremal_engine::export::{ExportTarget, export};
use extremal_engine::trajectory::write_whole;

use crate::arguments::{MethodArguments, ModelArguments};
use crate::failure::{CommandError, Ending};
use crate::outputs::{check_folder, spare_inputs};
use crate::source::Source;
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  extremal export gallery:pendulum --to c --out pendulum.c
  extremal export gallery:kepler --to rust --method trapezoidal > kepler.rs
  extremal export my-model.toml --to python --out my_model.py
  extremal export my-model.toml --to latex --out equations.tex";

/// Write a model as source of another language: rates, mass matrix, Jacobian, invariants and one step of a method
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// The language, or latex for the equations as a document
    #[arg(long = "to", value_enum, value_name = "LANGUAGE")]
    target: TargetName,
    #[command(flatten)]
    method: MethodArguments,
    /// The time step that the method is set up for; an exported step takes any
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum TargetName {
    /// C, with the bits of a run where steps are explicit
    C,
    /// Rust, with the bits of a run where steps are explicit
    Rust,
    /// Python without packages
    Python,
    /// Julia
    Julia,
    /// The equations as a document
    Latex,
}

impl From<TargetName> for ExportTarget {
    fn from(name: TargetName) -> ExportTarget {
        match name {
            TargetName::C => ExportTarget::Source(Language::C),
            TargetName::Rust => ExportTarget::Source(Language::Rust),
            TargetName::Python => ExportTarget::Source(Language::Python),
            TargetName::Julia => ExportTarget::Source(Language::Julia),
            TargetName::Latex => ExportTarget::Latex,
        }
    }
}

pub fn execute(arguments: &ExportArguments) -> Result<Ending, CommandError> {
    if let Some(path) = &arguments.out {
        check_folder(path)?;
        spare_inputs([path], &[&arguments.model.model])?;
    }
    let source = Source::load(&arguments.model)?;
    source.show_warnings();
    let settings = arguments.method.settings(&source.model);
    let settings = Settings { step: arguments.step.or(settings.step), ..settings };
    let text = export(&source.model, &settings, arguments.target.into())?;
    match &arguments.out {
        None => terminal::print(&text)?,
        Some(path) => write_whole(path, text.as_bytes())
            .map_err(|source| CommandError::WriteExport { path: path.clone(), source })?,
    }
    Ok(Ending::Done)
}

//! `extremal analyze`: what a model conserves, and what is singular about it.

use clap::Args;
use extremal_engine::analyze::{AnalysisExtent, analyze};
use extremal_engine::mechanics::analysis::SearchBounds;
use extremal_engine::run::{SettingsError, SetupError};

use super::derive::with_headings;
use crate::arguments::{self, MethodArguments, ModelArguments, SettingText};
use crate::failure::{CommandError, Ending};
use crate::source::Source;
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  extremal analyze gallery:kepler
  extremal analyze my-model.toml --json | jq '.conserved[].expression'
  extremal analyze gallery:pendulum --method midpoint
  extremal analyze gallery:toda-lattice --set n=3 --degree 4
  extremal run my-model.toml --track found";

/// Find what a model conserves, with proof; say what is singular, stable, and kept by its method
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct AnalyzeArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    method: MethodArguments,
    /// The step of the method whose conservation is measured
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = arguments::setting)]
    step: Option<SettingText>,
    /// The highest degree of the products that are searched
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=12))]
    degree: Option<u8>,
    /// The largest number of products that are searched
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4000))]
    candidates: Option<u16>,
    /// Check the regularity of the discrete equations over this many steps
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    along: u64,
    /// Print LaTeX
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn execute(arguments: &AnalyzeArguments) -> Result<Ending, CommandError> {
    let overrides = arguments.model.overrides_with(arguments.step.as_ref(), None, None);
    let source = Source::load_with(&arguments.model, &overrides)?;
    source.show_warnings();
    let mut settings = arguments.method.settings(&source.model);
    let given = arguments.step.as_ref().and_then(SettingText::number);
    settings.step = given.or(settings.step);
    if let Some(step) = given.filter(|step| !(*step > 0.0 && step.is_finite())) {
        return Err(SetupError::from(SettingsError::BadStep(step)).into());
    }
    let bounds = SearchBounds::default();
    let search = SearchBounds {
        degree: arguments.degree.map_or(bounds.degree, usize::from),
        candidates: arguments.candidates.map_or(bounds.candidates, usize::from),
    };
    let asked = arguments.method.method.is_some();
    let extent = AnalysisExtent { search, steps: arguments.along, numbers: true, backward: asked, geometry: asked };
    let analysis = analyze(&source.model, &settings, extent);
    if arguments.json {
        terminal::print_json(&analysis.report())?;
    } else if arguments.latex {
        terminal::print(&analysis.to_latex())?;
    } else {
        terminal::print(&with_headings(&analysis.to_text()))?;
    }
    Ok(Ending::Done)
}

//! `extremal section`: where motions go through a surface, or are at every period.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use extremal_engine::Settings;
use extremal_engine::model::{Direction, Extent, Pacing};
use extremal_engine::run::{SettingsError, SetupError};
use extremal_engine::sweep::{Axis, CompiledSweep, Record, Values, Variation};
use extremal_engine::trajectory::frame::FrameFormat;

use crate::arguments::{MarchArguments, ModelArguments, PrintArguments, number};
use crate::ensemble::EnsembleArguments;
use crate::failure::{CommandError, Ending};
use crate::outputs::{Outputs, check_folder, spare_inputs};
use crate::source::Source;
use crate::swept::{self, FinishedSweep, RowsWanted};
use crate::{sweep_summary, terminal};

const EXAMPLES: &str = "\
Examples:
  extremal section gallery:henon-heiles --when x --direction rising --until 2000 --plot section.png --panel \"y,y'\"
  extremal section gallery:driven-pendulum --period 2*pi/w --until 4000 --plot strobe.svg
  extremal section gallery:henon-heiles --when x --vary y=-0.3:0.5:9 --until 1000 --out points.parquet

A point is a row: all columns of a trajectory where the expression crosses
zero, located inside the step, or at every multiple of the period. Conditions
of [stop] end nothing.";

/// Poincaré and stroboscopic sections of one motion or of many
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SectionArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// The surface: an expression of positions, velocities, states and time that is zero on it, such as `x` or \"theta - pi\"
    #[arg(long, value_name = "EXPRESSION", required_unless_present = "period", conflicts_with = "period")]
    when: Option<String>,
    /// Which way the expression goes through zero
    #[arg(long, value_enum, value_name = "WAY", default_value_t = Way::Rising, conflicts_with = "period")]
    direction: Way,
    /// The time between two points, of a system that is driven; the step becomes the nearest one that divides it
    #[arg(long, value_name = "T", value_parser = number)]
    period: Option<f64>,
    #[command(flatten)]
    ensemble: EnsembleArguments,
    /// Write the points, as .parquet or .csv
    #[arg(long, id = "rows_file", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the points, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    plot: Vec<PathBuf>,
    /// What the plots show: two columns, `y,y'` [default: a coordinate that is not on the surface, and its momentum]; may be repeated
    #[arg(long = "panel", value_name = "NAMES", requires = "plot")]
    panels: Vec<String>,
    #[command(flatten)]
    march: MarchArguments,
    #[command(flatten)]
    print: PrintArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    /// From negative to positive
    Rising,
    /// From positive to negative
    Falling,
    /// Both ways
    Any,
}

impl Way {
    fn direction(self) -> Direction {
        match self {
            Way::Rising => Direction::Rising,
            Way::Falling => Direction::Falling,
            Way::Any => Direction::Any,
        }
    }
}

pub fn execute(arguments: &SectionArguments) -> Result<Ending, CommandError> {
    if let Some(path) = &arguments.out {
        check_folder(path)?;
        let inputs = [Some(arguments.model.model.as_str()), arguments.ensemble.list_file()];
        spare_inputs([path], &inputs.into_iter().flatten().collect::<Vec<_>>())?;
        FrameFormat::of(path)?;
    }
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    spare_inputs(&arguments.plot, &[&arguments.model.model])?;
    let overrides = arguments.march.overrides(&arguments.model);
    let overrides = match &arguments.when {
        Some(when) => overrides.section(when, arguments.direction.direction()),
        None => overrides,
    };
    let source = Source::load_with(&arguments.model, &overrides)?;
    if !source.model.events().is_empty() {
        return Err(CommandError::SectionWithEvents);
    }
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let section = match section(arguments, &source) {
        Ok(section) => section,
        Err(error) => return arguments.ensemble.unless_finished(error, arguments.print.quiet),
    };
    if arguments.print.json {
        terminal::print_json(&sweep_summary::data(&source, &section))?;
    } else if !arguments.print.quiet {
        terminal::print(&sweep_summary::of(&source, &section))?;
    }
    section.told().report_end();
    Ok(section.told().ending())
}

/// The settings, with a step that divides the period, and how many of them it has.
fn strobed(settings: Settings, source: &Source, period: f64) -> Result<(Settings, u64), CommandError> {
    if settings.pacing != Pacing::Even {
        return Err(SetupError::from(SettingsError::Paced { what: "stroboscopic sections" }).into());
    }
    let stated = settings.step.or(source.model.simulation().step);
    let (Some(step), true) = (stated.filter(|step| *step > 0.0), period > 0.0 && period.is_finite()) else {
        return Err(CommandError::Period(period));
    };
    let count = (period / step).round().max(1.0);
    let from = settings.from.or(source.model.simulation().from).unwrap_or(0.0);
    // Whole periods, so that no last row stands between two of them.
    let extent = match settings.extent.or(source.model.simulation().extent) {
        Some(Extent::Until(end)) => Some(Extent::Steps((((end - from) / period).floor() * count).max(1.0) as u64)),
        Some(Extent::Steps(steps)) => {
            Some(Extent::Steps((steps as f64 / count).floor().max(1.0) as u64 * count as u64))
        }
        None => None,
    };
    Ok((Settings { step: Some(period / count), extent, ..settings }, count as u64))
}

/// What varies, or for a motion alone something that stays as it is.
fn variation(arguments: &SectionArguments, source: &Source) -> Result<Variation, CommandError> {
    let variation = arguments.ensemble.variation(&arguments.model)?;
    if variation.names().next().is_some() {
        return Ok(variation);
    }
    let model = &source.model;
    let initial = model.initial();
    let parameters = model.parameters().iter().filter(|parameter| !parameter.structural);
    let parameters = parameters.map(|parameter| (parameter.name.as_str(), parameter.value));
    let coordinates = model.coordinates().iter().map(|coordinate| coordinate.name.as_str()).zip(initial.positions);
    let carried = model.carried_names().into_iter().zip(initial.entropies);
    let axis = |(name, value): (&str, f64)| Axis { name: name.to_owned(), values: Values::Listed(vec![value]) };
    Ok(Variation { grid: parameters.chain(coordinates).chain(carried).take(1).map(axis).collect(), ..variation })
}

fn section(arguments: &SectionArguments, source: &Source) -> Result<FinishedSweep, CommandError> {
    let settings = arguments.march.settings(&source.model);
    let (settings, record) = match arguments.period {
        Some(period) => {
            let (settings, every) = strobed(settings, source, period)?;
            (settings, Record::All { every })
        }
        None => (settings, Record::Events),
    };
    let variation = variation(arguments, source)?;
    let sweep = CompiledSweep::new(&source.model, &settings, variation.clone(), record)?;
    let sweep = match arguments.ensemble.part(sweep.members()) {
        Some(part) => sweep.with_members(part)?,
        None => sweep,
    };
    let wanted = RowsWanted {
        file: arguments.out.as_ref(),
        plots: &arguments.plot,
        panels: &arguments.panels,
        title: source.title(),
        variation: &variation,
        record,
        is_section: true,
        quiet: arguments.print.quiet,
    };
    swept::march(sweep, &arguments.ensemble, &wanted)
}

//! `extremal sweep`: one model with many parameters and starts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use extremal_engine::Settings;
use extremal_engine::sweep::{CompiledSweep, Record};
use extremal_engine::trajectory::frame::FrameFormat;

use crate::arguments::{MarchArguments, ModelArguments, PrintArguments};
use crate::device::{DeviceName, OpeningDevices, report_failure};
use crate::ensemble::EnsembleArguments;
use crate::failure::{CommandError, Ending};
use crate::outputs::{Outputs, check_folder, spare_inputs};
use crate::source::Source;
use crate::swept::{self, FinishedSweep, RowsWanted};
use crate::{sweep_summary, terminal};

const EXAMPLES: &str = "\
Examples:
  extremal sweep gallery:pendulum --vary theta=0.1:3:30 --out ends.csv
  extremal sweep gallery:double-pendulum --vary θ1=-3:3:200 --vary θ2=-3:3:200 --out flips.parquet
  extremal sweep gallery:kepler --random \"y'=normal(1, 0.1)\" --samples 100000 --seed 7 --out orbits.parquet
  extremal sweep gallery:double-pendulum --vary θ1=-3:3:200 --vary θ2=-3:3:200 --plot map.png --panel θ2
  extremal sweep my-model.toml --list members.csv --record all --every 10 --out trajectories.parquet
  extremal sweep my-model.toml --vary k=1:2:1000000 --out long.parquet --resume
  extremal sweep gallery:double-pendulum --random θ1=2:3 --samples 1000000 --device gpu
  extremal sweep my-model.toml --vary k=1:2:1000000 --shard 3/20 --out parts/3.parquet

Lists, grids and samples multiply. Every member is a row (or several) with its
status; one that fails does not end the sweep. Rows are the same for any number
of threads. A call that was interrupted or killed leaves a file that can be
read, and `--resume` continues it to the file that one call would have made.";

/// March an ensemble: one model with many parameters and starts
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SweepArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    ensemble: EnsembleArguments,
    /// What is kept of each member
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = RecordName::End)]
    record: RecordName,
    /// With `--record all`: keep every N-th step (and the last)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Write the rows, as .parquet or .csv
    #[arg(long, id = "rows_file", value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the rows, as .svg or .png: a map over two varied quantities, a curve over one, points of random members, crossings as a
    /// section, the course over time with `--record all`; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    plot: Vec<PathBuf>,
    /// What the plots show, a panel each: a column, or two as points, `x,y`; may be repeated
    #[arg(long = "panel", value_name = "NAMES", requires = "plot")]
    panels: Vec<String>,
    /// What marches the members: the rows are the same
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = DeviceName::Cpu)]
    device: DeviceName,
    #[command(flatten)]
    march: MarchArguments,
    #[command(flatten)]
    print: PrintArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RecordName {
    /// The state at the end
    End,
    /// The least and the largest value of each quantity over all steps
    Extremes,
    /// Every crossing of a [stop] condition, which then stops nothing, and the end
    Events,
    /// Every step
    All,
}

impl SweepArguments {
    fn record(&self, settings: &Settings) -> Record {
        match self.record {
            RecordName::End => Record::End,
            RecordName::Extremes => Record::Extremes,
            RecordName::Events => Record::Events,
            RecordName::All => Record::All { every: self.every.unwrap_or(settings.record) },
        }
    }
}

pub fn execute(arguments: &SweepArguments) -> Result<Ending, CommandError> {
    if let Some(path) = &arguments.out {
        check_folder(path)?;
        let inputs = [Some(arguments.model.model.as_str()), arguments.ensemble.list_file()];
        spare_inputs([path], &inputs.into_iter().flatten().collect::<Vec<_>>())?;
        FrameFormat::of(path)?;
    }
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    spare_inputs(&arguments.plot, &[&arguments.model.model])?;
    let opening = arguments.device.open();
    let source = Source::load_with(&arguments.model, &arguments.march.overrides(&arguments.model))?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let swept = match sweep(arguments, &source, opening) {
        Ok(swept) => swept,
        Err(error) => return arguments.ensemble.unless_finished(error, arguments.print.quiet),
    };
    if arguments.print.json {
        terminal::print_json(&sweep_summary::data(&source, &swept))?;
    } else if !arguments.print.quiet {
        terminal::print(&sweep_summary::of(&source, &swept))?;
    }
    let report = swept.sweep.device_report();
    report_failure(report.as_ref());
    swept.told().report_end();
    Ok(match report.is_some_and(|report| report.failure.is_some()) {
        true => Ending::Failed,
        false => swept.told().ending(),
    })
}

fn sweep(arguments: &SweepArguments, source: &Source, opening: OpeningDevices) -> Result<FinishedSweep, CommandError> {
    // A step or an end that is not given stays that of the model, and follows the parameters that vary.
    let settings = Settings { wide: arguments.device.is_wide(), ..arguments.march.settings(&source.model) };
    let record = arguments.record(&settings);
    let variation = arguments.ensemble.variation(&arguments.model)?;
    let sweep = CompiledSweep::new(&source.model, &settings, variation.clone(), record)?;
    let sweep = match arguments.ensemble.part(sweep.members()) {
        Some(part) => sweep.with_members(part)?,
        None => sweep,
    };
    let sweep = opening.give(sweep, arguments.print.quiet)?;
    let wanted = RowsWanted {
        file: arguments.out.as_ref(),
        plots: &arguments.plot,
        panels: &arguments.panels,
        title: source.title(),
        variation: &variation,
        record,
        is_section: record == Record::Events,
        quiet: arguments.print.quiet,
    };
    swept::march(sweep, &arguments.ensemble, &wanted)
}

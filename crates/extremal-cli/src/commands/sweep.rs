//! `extremal sweep`: one model with many parameters and starts.

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use extremal_engine::Settings;
use extremal_engine::sweep::{Axis, CompiledSweep, List, RandomAxis, Record, SweepOutcome, Variation};
use extremal_engine::trajectory::frame::{Existing, FrameError, FrameFormat};

use crate::arguments::{MarchArguments, ModelArguments, PrintArguments};
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::outputs::{Outputs, check_folder, spare_inputs};
use crate::progress::ProgressMeter;
use crate::shard::Shard;
use crate::source::{Limit, Source, read_file_of};
use crate::sweep_figure::SweptRows;
use crate::{sweep_summary, terminal};

const EXAMPLES: &str = "\
Examples:
  extremal sweep gallery:pendulum --vary theta=0.1:3:30 --out ends.csv
  extremal sweep gallery:double-pendulum --vary θ1=-3:3:200 --vary θ2=-3:3:200 --out flips.parquet
  extremal sweep gallery:kepler --random \"y'=normal(1, 0.1)\" --samples 100000 --seed 7 --out orbits.parquet
  extremal sweep gallery:double-pendulum --vary θ1=-3:3:200 --vary θ2=-3:3:200 --plot map.png --panel θ2
  extremal sweep my-model.toml --list members.csv --record all --every 10 --out trajectories.parquet
  extremal sweep my-model.toml --vary k=1:2:1000000 --out long.parquet --resume
  extremal sweep my-model.toml --vary k=1:2:1000000 --shard 3/20 --out parts/3.parquet

Lists, grids and samples multiply. Every member is a row (or several) with its
status; one that fails does not end the sweep. Rows are the same for any number
of threads. A call that was interrupted or killed leaves a file that can be
read, and `--resume` continues it to the file that one call would have made.";

/// A list has at most so many bytes: it is kept in memory.
const LIST: Limit = Limit { bytes: 1 << 30, what: "a list of members" };

/// March an ensemble: one model with many parameters and starts
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SweepArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Vary a parameter, or the start of a coordinate, velocity or entropy, over evenly spaced or given values; several
    /// make a grid, the last varies fastest
    #[arg(long, value_name = "NAME=FROM:TO:COUNT")]
    vary: Vec<Axis>,
    /// Draw it at random, uniform or normal(MEAN, DEVIATION); may be repeated
    #[arg(long, value_name = "NAME=FROM:TO")]
    random: Vec<RandomAxis>,
    /// How often the random values are drawn
    #[arg(long, value_name = "N")]
    samples: Option<u64>,
    /// Which random numbers
    #[arg(long, value_name = "K", default_value_t = 0)]
    seed: u64,
    /// Read members from a file: a line of names, then a line of numbers for each, between commas
    #[arg(long, value_name = "FILE")]
    list: Option<String>,
    /// March the members from number A to B alone, B not counted: their rows are those that they have among all
    #[arg(long, value_name = "A:B", value_parser = member_range)]
    members: Option<Range<u64>>,
    /// March the K-th of N parts of about the same number of members, K from 1; `auto/N` in an array of jobs takes K from
    /// SLURM_ARRAY_TASK_ID or PBS_ARRAY_INDEX. `extremal merge` puts parts together
    #[arg(long, value_name = "K/N", value_parser = Shard::read, conflicts_with = "members")]
    shard: Option<Shard>,
    /// What is kept of each member
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = RecordName::End)]
    record: RecordName,
    /// With `--record all`: keep every N-th step (and the last)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Write the rows, as .parquet or .csv
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the rows, as .svg or .png: a map over two varied quantities, a curve over one, points of random members, crossings as a
    /// section, the course over time with `--record all`; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    plot: Vec<PathBuf>,
    /// What the plots show, a panel each: a column, or two as points, `x,y`; may be repeated
    #[arg(long = "panel", value_name = "NAMES", requires = "plot")]
    panels: Vec<String>,
    /// Continue the file of a call that was interrupted or killed
    #[arg(long, requires = "out", conflicts_with = "force")]
    resume: bool,
    /// Replace a file that is there already
    #[arg(long, requires = "out")]
    force: bool,
    /// How many threads march [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
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
    fn variation(&self) -> Result<Variation, CommandError> {
        let list = match &self.list {
            Some(path) => {
                let list = List::read(&read_file_of(path, LIST)?);
                Some(list.map_err(|source| CommandError::List { path: path.clone(), source })?)
            }
            None => None,
        };
        let samples = self.samples.unwrap_or(if self.random.is_empty() { 1 } else { 0 });
        let variation =
            Variation { list, grid: self.vary.clone(), random: self.random.clone(), samples, seed: self.seed };
        match self.model.assignments.iter().find(|(name, _)| variation.names().any(|varied| varied == name)) {
            Some((name, _)) => Err(CommandError::SetAndVaried(name.clone())),
            None => Ok(variation),
        }
    }

    fn record(&self, settings: &Settings) -> Record {
        match self.record {
            RecordName::End => Record::End,
            RecordName::Extremes => Record::Extremes,
            RecordName::Events => Record::Events,
            RecordName::All => Record::All { every: self.every.unwrap_or(settings.record) },
        }
    }

    /// The members that are asked for, of so many.
    fn part(&self, all: u64) -> Option<Range<u64>> {
        self.members.clone().or(self.shard.map(|shard| shard.members(all)))
    }

    fn existing(&self) -> Existing {
        match (self.resume, self.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        }
    }

    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

fn member_range(text: &str) -> Result<Range<u64>, String> {
    let numbers = text.split_once(':').and_then(|(from, to)| Some(from.trim().parse().ok()?..to.trim().parse().ok()?));
    numbers.ok_or_else(|| "write the first member and the one behind the last, counted from 0, as `0:1000`".to_owned())
}

/// An ensemble that came to an end, whichever.
pub struct FinishedSweep {
    pub sweep: CompiledSweep,
    pub outcome: SweepOutcome,
    pub file: Option<PathBuf>,
    pub plots: Vec<PathBuf>,
    pub threads: usize,
    pub elapsed: Duration,
}

impl FinishedSweep {
    /// All that was written.
    pub fn files(&self) -> Vec<PathBuf> {
        self.file.iter().chain(&self.plots).cloned().collect()
    }

    fn ending(&self) -> Ending {
        let summary = &self.outcome.summary;
        match self.outcome.complete {
            false => Ending::Interrupted,
            true if summary.failed == summary.members() => Ending::Failed,
            true => Ending::Done,
        }
    }
}

pub fn execute(arguments: &SweepArguments) -> Result<Ending, CommandError> {
    if let Some(path) = &arguments.out {
        check_folder(path)?;
        let inputs = [Some(arguments.model.model.as_str()), arguments.list.as_deref()];
        spare_inputs([path], &inputs.into_iter().flatten().collect::<Vec<_>>())?;
        FrameFormat::of(path)?;
    }
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    spare_inputs(&arguments.plot, &[&arguments.model.model])?;
    let source = Source::load_with(&arguments.model, &arguments.march.overrides(&arguments.model))?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let swept = match sweep(arguments, &source) {
        // An array of jobs is started again as a whole: what is done is done.
        Err(CommandError::Frame(FrameError::Finished { path })) if arguments.shard.is_some() => {
            if !arguments.print.quiet {
                terminal::print_error(&format!("`{}` is finished: nothing is left to do\n", path.display()));
            }
            return Ok(Ending::Done);
        }
        other => other?,
    };
    if arguments.print.json {
        terminal::print_json(&sweep_summary::data(&source, &swept))?;
    } else if !arguments.print.quiet {
        terminal::print(&sweep_summary::of(&source, &swept))?;
    }
    sweep_summary::report_end(&swept);
    Ok(swept.ending())
}

fn sweep(arguments: &SweepArguments, source: &Source) -> Result<FinishedSweep, CommandError> {
    let interrupt = Interrupt::listen();
    // A step or an end that is not given stays that of the model, and follows the parameters that vary.
    let settings = arguments.march.settings(&source.model);
    let record = arguments.record(&settings);
    let sweep = CompiledSweep::new(&source.model, &settings, arguments.variation()?, record)?;
    let sweep = match arguments.part(sweep.members()) {
        Some(part) => sweep.with_members(part)?,
        None => sweep,
    };
    let threads = arguments.threads();
    let mut bar = (!arguments.print.quiet).then(ProgressMeter::new);
    let clock = Instant::now();
    let watch = |now| {
        if let Some(bar) = &mut bar {
            bar.show_members(now);
        }
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut rows = None;
    let outcome = match &arguments.out {
        Some(path) => sweep.to_file(path, arguments.existing(), threads, watch),
        None if arguments.plot.is_empty() => Ok(sweep.summarise(threads, watch)),
        None => {
            let (frame, outcome) = sweep.collect_watched(threads, watch);
            rows = Some(frame);
            Ok(outcome)
        }
    };
    let elapsed = clock.elapsed();
    if let Some(bar) = &bar {
        bar.clear();
    }
    if let Some(frame) = &rows {
        let variation = arguments.variation()?;
        let rows = SweptRows { sweep: &sweep, variation: &variation, record, frame };
        let figure = rows.figure(source.title(), &arguments.panels)?;
        for path in &arguments.plot {
            figure.save(path)?;
        }
    }
    Ok(FinishedSweep {
        outcome: outcome?,
        sweep,
        file: arguments.out.clone(),
        plots: arguments.plot.clone(),
        threads,
        elapsed,
    })
}

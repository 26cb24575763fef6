//! The arguments of commands that do one thing for many members.

use std::num::NonZero;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use extremal_engine::sweep::{Axis, List, RandomAxis, SweepProgress, Variation};
use extremal_engine::trajectory::frame::{Existing, FrameError};

use crate::arguments::ModelArguments;
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::progress::ProgressMeter;
use crate::shard::Shard;
use crate::source::{Limit, read_file_of};
use crate::terminal;

/// A list has at most so many bytes: it is kept in memory.
const LIST: Limit = Limit { bytes: 1 << 30, what: "a list of members" };

/// Sees how far members are, and may end the work.
type MemberWatch<'w> = &'w mut dyn FnMut(SweepProgress) -> ControlFlow<()>;

/// What varies from member to member, which of them are computed, and what becomes of a file that is there already. The file of the rows
/// is the argument `rows_file` of the command.
#[derive(Args)]
pub struct EnsembleArguments {
    /// Vary a parameter, or in `sweep` the start of a coordinate, velocity or entropy, over evenly spaced or given values; several
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
    pub seed: u64,
    /// Read members from a file: a line of names, then a line of numbers for each, between commas
    #[arg(long, value_name = "FILE")]
    list: Option<String>,
    /// Compute the members from number A to B alone, B not counted: their rows are those that they have among all
    #[arg(long, value_name = "A:B", value_parser = member_range)]
    members: Option<Range<u64>>,
    /// Compute the K-th of N parts of about the same number of members, K from 1; `auto/N` in an array of jobs takes K from
    /// SLURM_ARRAY_TASK_ID or PBS_ARRAY_INDEX. `extremal merge` puts parts together
    #[arg(long, value_name = "K/N", value_parser = Shard::read, conflicts_with = "members")]
    shard: Option<Shard>,
    /// Continue the file of a call that was interrupted or killed
    #[arg(long, requires = "rows_file", conflicts_with = "force")]
    resume: bool,
    /// Replace a file that is there already
    #[arg(long, requires = "rows_file")]
    force: bool,
    /// How many threads compute [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl EnsembleArguments {
    /// Is there anything that one computation alone has no use for?
    pub fn is_asked(&self) -> bool {
        let varies = !self.vary.is_empty() || !self.random.is_empty() || self.list.is_some();
        varies || self.samples.is_some() || self.threads.is_some() || self.members.is_some() || self.shard.is_some()
    }

    /// The file that members are read from.
    pub fn list_file(&self) -> Option<&str> {
        self.list.as_deref()
    }

    /// How the members differ; what is set for all of them cannot vary.
    pub fn variation(&self, model: &ModelArguments) -> Result<Variation, CommandError> {
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
        match model.assignments.iter().find(|(name, _)| variation.names().any(|varied| varied == name)) {
            Some((name, _)) => Err(CommandError::SetAndVaried(name.clone())),
            None => Ok(variation),
        }
    }

    /// The members that are asked for, of so many.
    pub fn part(&self, all: u64) -> Option<Range<u64>> {
        self.members.clone().or(self.shard.map(|shard| shard.members(all)))
    }

    /// Computes the members: `compute` is given the file of their rows, if there is one, on how many threads, and who watches. Returns
    /// also the threads, and how long it took.
    pub fn compute<T>(
        &self,
        file: Option<&PathBuf>,
        quiet: bool,
        compute: impl FnOnce(Option<(&Path, Existing)>, usize, MemberWatch<'_>) -> Result<T, FrameError>,
    ) -> Result<(T, usize, Duration), FrameError> {
        let interrupt = Interrupt::listen();
        let threads = self.threads();
        let mut bar = (!quiet).then(ProgressMeter::new);
        let clock = Instant::now();
        let mut watch = |now: SweepProgress| {
            if let Some(bar) = &mut bar {
                bar.show_members(now);
            }
            if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let done = compute(file.map(|path| (path.as_path(), self.existing())), threads, &mut watch);
        let elapsed = clock.elapsed();
        if let Some(bar) = &bar {
            bar.clear();
        }
        Ok((done?, threads, elapsed))
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

    /// An array of jobs is started again as a whole: a part that is finished is done, and said to be. Every other error is one.
    pub fn unless_finished(&self, error: CommandError, quiet: bool) -> Result<Ending, CommandError> {
        match error {
            CommandError::Frame(FrameError::Finished { path }) if self.shard.is_some() => {
                if !quiet {
                    terminal::print_error(&format!("`{}` is finished: nothing is left to do\n", path.display()));
                }
                Ok(Ending::Done)
            }
            other => Err(other),
        }
    }
}

fn member_range(text: &str) -> Result<Range<u64>, String> {
    let numbers = text.split_once(':').and_then(|(from, to)| Some(from.trim().parse().ok()?..to.trim().parse().ok()?));
    numbers.ok_or_else(|| "write the first member and the one behind the last, counted from 0, as `0:1000`".to_owned())
}

//! `extremal solve` of many problems: one model with many parameters, from one guess or several.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use extremal_engine::Method;
use extremal_engine::problems::{ProblemSet, ProblemSettings, ProblemsSummary};
use extremal_engine::sweep::SweepOutcome;
use extremal_engine::trajectory::frame::FrameFormat;

use crate::arguments::{ModelArguments, PrintArguments};
use crate::ensemble::EnsembleArguments;
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::members_told::MembersTold;
use crate::outputs::{check_folder, spare_inputs};
use crate::progress::ProgressMeter;
use crate::source::Source;
use crate::{problems_summary, terminal};

/// What `solve` was asked for, where it is asked for many.
pub struct ManyProblems<'a> {
    pub model: &'a ModelArguments,
    pub ensemble: &'a EnsembleArguments,
    pub print: &'a PrintArguments,
    pub method: Option<&'a Method>,
    pub rows: Option<&'a PathBuf>,
    /// Another file that is read.
    pub warm_start: Option<&'a str>,
}

/// Many problems that came to an end, whichever.
pub struct FinishedProblems {
    pub problems: ProblemSet,
    pub outcome: SweepOutcome<ProblemsSummary>,
    pub file: Option<PathBuf>,
    threads: usize,
    elapsed: Duration,
}

impl FinishedProblems {
    /// What is said when it is over.
    pub fn told(&self) -> MembersTold<'_> {
        let SweepOutcome { summary, complete, resumed } = &self.outcome;
        MembersTold {
            members: self.problems.members(),
            done: summary.members(),
            resumed: *resumed,
            failed: summary.failed,
            first_failure: summary.first_failure.as_ref(),
            warned: summary.warned,
            first_warning: summary.first_warning.as_ref(),
            complete: *complete,
            file: self.file.as_deref(),
            option: "--rows",
            threads: self.threads,
            elapsed: self.elapsed,
        }
    }
}

impl ManyProblems<'_> {
    pub fn execute(&self, settings: ProblemSettings) -> Result<Ending, CommandError> {
        if let Some(path) = self.rows {
            check_folder(path)?;
            let inputs = [Some(self.model.model.as_str()), self.ensemble.list_file(), self.warm_start];
            spare_inputs([path], &inputs.into_iter().flatten().collect::<Vec<_>>())?;
            FrameFormat::of(path)?;
        }
        let source = Source::load(self.model)?;
        if !self.print.quiet {
            source.show_warnings();
        }
        let solved = match self.solve(&source, settings) {
            Ok(solved) => solved,
            Err(error) => return self.ensemble.unless_finished(error, self.print.quiet),
        };
        if self.print.json {
            terminal::print_json(&problems_summary::data(&source, &solved))?;
        } else if !self.print.quiet {
            terminal::print(&problems_summary::of(&source, &solved))?;
        }
        solved.told().report_end();
        Ok(solved.told().ending())
    }

    fn solve(&self, source: &Source, settings: ProblemSettings) -> Result<FinishedProblems, CommandError> {
        let interrupt = Interrupt::listen();
        let method = self.method.unwrap_or(&source.model.simulation().method).clone();
        let variation = self.ensemble.variation(self.model)?;
        let problems = ProblemSet::new(&source.model, method, variation, settings)?;
        let problems = match self.ensemble.part(problems.members()) {
            Some(part) => problems.with_members(part)?,
            None => problems,
        };
        let threads = self.ensemble.threads();
        let mut bar = (!self.print.quiet).then(ProgressMeter::new);
        let clock = Instant::now();
        let watch = |now| {
            if let Some(bar) = &mut bar {
                bar.show_members(now);
            }
            if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome = match self.rows {
            Some(path) => problems.to_file(path, self.ensemble.existing(), threads, watch),
            None => Ok(problems.summarise(threads, watch)),
        };
        let elapsed = clock.elapsed();
        if let Some(bar) = &bar {
            bar.clear();
        }
        Ok(FinishedProblems { outcome: outcome?, problems, file: self.rows.cloned(), threads, elapsed })
    }
}

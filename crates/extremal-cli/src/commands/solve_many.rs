//! `extremal solve` of many problems: one model with many parameters, from one guess or several.

use std::path::PathBuf;
use std::time::Duration;

use extremal_engine::Method;
use extremal_engine::problems::{ProblemSet, ProblemSettings, ProblemsSummary};
use extremal_engine::sweep::SweepOutcome;
use extremal_engine::trajectory::frame::FrameFormat;

use crate::arguments::{ModelArguments, PrintArguments};
use crate::ensemble::EnsembleArguments;
use crate::failure::{CommandError, Ending};
use crate::members_told::MembersTold;
use crate::outputs::{check_folder, spare_inputs};
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
        let method = self.method.unwrap_or(&source.model.simulation().method).clone();
        let variation = self.ensemble.variation(self.model)?;
        let problems = ProblemSet::new(&source.model, method, variation, settings)?;
        let problems = match self.ensemble.part(problems.members()) {
            Some(part) => problems.with_members(part)?,
            None => problems,
        };
        let (outcome, threads, elapsed) =
            self.ensemble.compute(self.rows, self.print.quiet, |file, threads, watch| match file {
                Some((path, existing)) => problems.to_file(path, existing, threads, watch),
                None => Ok(problems.summarise(threads, watch)),
            })?;
        Ok(FinishedProblems { outcome, problems, file: self.rows.cloned(), threads, elapsed })
    }
}

//! Many boundary and control problems: one model with many parameters, from one guess or several.

use std::ops::Range;

use extremal_engine::problems::{ProblemSet, ProblemSettings, ProblemsSummary};
use extremal_engine::sweep::{SweepOutcome, SweepProgress, Variation};
use extremal_engine::trajectory::frame::{Existing, Frame};

use crate::asked::{ensemble_runs, variation_options};
use crate::observer::unwatched;
use crate::sweep::{EnsembleReport, thread_count};
use crate::{Ensemble, Error, ErrorKind, Observer, Optimization, Progress};

/// Many problems of one model: derived and compiled once, each solved and checked as [`Optimization::run`] does. Grids, samples and
/// guesses multiply. A problem without a solution is a row that says so.
///
/// ```
/// use extremal::Model;
/// // A unit mass goes a way d in one second: the least effort grows like its square.
/// let model = Model::parse(r#"
///     parameters.d = 1.0
///     coordinates.x = {}
///     dynamics.lagrangian = "x'^2/2"
///     controls.u = { on = "x" }
///     objective.running = "u^2/2"
///     boundary = { duration = 1, steps = 20, start = { x = "-d", "x'" = 0 }, end = { x = 0, "x'" = 0 } }
/// "#)?;
/// let all = model.solve().many().vary("d", 1.0..=3.0, 3).run()?;
/// assert_eq!((all.members(), all.failed()), (3, 0));
/// assert!((all["objective"][2] / all["objective"][0] - 9.0).abs() < 1e-9);
/// assert_eq!(all.words("status").unwrap()[0].as_deref(), Some("optimal"));
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Optimizations {
    each: Optimization,
    variation: Variation,
    starts: u64,
    threads: Option<usize>,
    members: Option<Range<u64>>,
}

impl Optimizations {
    pub(crate) fn of(each: Optimization) -> Optimizations {
        let variation = Variation { samples: 1, ..Variation::default() };
        Optimizations { each, variation, starts: 0, threads: None, members: None }
    }

    variation_options! {
        /// Varies a parameter over evenly spaced values.
        vary
    }

    /// Solves each problem from so many shaken guesses besides; the column `start` says which guess a row belongs to, 0 being the one
    /// that is not shaken.
    #[must_use]
    pub fn starts(mut self, starts: u64) -> Self {
        self.starts = starts;
        self
    }

    ensemble_runs! {
        "the observer ended the search",
        /// Solves these members alone, counted from 0, as a part of the whole: their rows have the bits that they have there.
        members
    }

    fn compiled(&self) -> Result<ProblemSet, Error> {
        self.each.check()?;
        let model = self.each.model().working_copy();
        let method = self.each.method_of(&model);
        let settings = ProblemSettings {
            solve: self.each.solve_settings().clone(),
            refinement: self.each.refinement(),
            guess: self.each.first_guess(),
            starts: self.starts,
        };
        let problems = ProblemSet::new(model, method, self.variation.clone(), settings)?;
        Ok(match &self.members {
            Some(range) => problems.with_members(range.clone())?,
            None => problems,
        })
    }
}

/// Problems end before they are to end where the observer wants it alone.
fn broken(_: &ProblemSet) -> Option<Error> {
    None
}

fn ensemble(problems: &ProblemSet, outcome: &SweepOutcome<ProblemsSummary>, frame: Option<Frame>) -> Ensemble {
    let SweepOutcome { summary, .. } = outcome;
    let counts = [summary.members(), summary.failed, summary.warned];
    Ensemble::of(problems.fields(), counts, EnsembleReport::Problems(problems.report(outcome)), frame)
}

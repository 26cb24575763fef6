//! More than one solve: finer grids until nothing changes, other guesses for other minima.

use std::ops::ControlFlow;

use extremal_solve::nlp::Iteration;
use serde::Serialize;

use super::{Assessment, BoundarySolution, Guess, Problem, ProblemError, SolveSettings, Status, WatchIterations};

/// One grid of a refinement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Its steps.
    pub steps: usize,
    /// The cost, or the action, on it.
    pub objective: f64,
    /// The same with all steps counted positive: what a change of it is compared with.
    #[serde(skip)]
    pub objective_size: f64,
    /// The largest error at the end of a simulation with the solution, if there can be one.
    pub end_error: Option<f64>,
    /// Iterations of the solver.
    pub iterations: usize,
}

/// When a grid is fine enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// The cost may still change by this part of itself, and a simulation may miss the end by this.
    pub tolerance: f64,
    /// Not more steps than this.
    pub most_steps: usize,
    /// Not more work on all grids together than this, in steps times iterations.
    pub most_work: usize,
}

impl Default for Refinement {
    fn default() -> Self {
        Refinement { tolerance: 1e-4, most_steps: 12_800, most_work: 250_000 }
    }
}

/// The solution on one grid is a good guess for another: one that takes more than this part of the iterations allowed has another
/// solution, or none.
const FROM_A_SOLUTION: usize = 5;

/// Settings for another grid, from a solution.
pub(super) fn on_another_grid(settings: &SolveSettings, steps: usize) -> SolveSettings {
    let mut other = SolveSettings { steps: Some(steps), ..settings.clone() };
    other.options.max_iterations = (settings.options.max_iterations / FROM_A_SOLUTION).max(1);
    other
}

impl Refinement {
    /// By which part of itself the cost changed between the last two of the grids.
    pub fn change(levels: &[Level]) -> Option<f64> {
        let [.., before, last] = levels else { return None };
        Some((last.objective - before.objective).abs() / last.objective_size)
    }

    /// Do the last two of the grids agree, and does a simulation with the last one?
    pub fn is_met(&self, levels: &[Level]) -> bool {
        let [.., before, last] = levels else { return false };
        let change = (last.objective - before.objective).abs();
        change <= self.tolerance * last.objective_size && last.end_error.is_none_or(|error| error <= self.tolerance)
    }
}

/// Sizes of the waves of shaken guesses, in turn.
const SIZES: [f64; 4] = [0.3, 1.0, 2.0, 4.0];

impl Guess {
    /// The guess of one of several starts: the stated one, then shaken ones, repeatable by `seed`.
    pub fn of_start(start: u64, seed: u64) -> Guess {
        let Some(wave) = start.checked_sub(1) else { return Guess::Stated };
        let size = SIZES[wave as usize % SIZES.len()];
        Guess::Shaken { size, seed: seed.wrapping_mul(1_000_003).wrapping_add(wave) }
    }
}

/// What came of a problem: its solution, with the status that it deserves, and what that rests on.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The solution, or where the search for it ended.
    pub solution: BoundarySolution,
    /// The grids of a refinement.
    pub levels: Vec<Level>,
    /// What the checks say, if there is a solution.
    pub assessment: Option<Assessment>,
}

impl Problem<'_> {
    /// Solves the problem from a guess, on finer and finer grids where that is asked for, and checks what was found.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use extremal_engine::Model;
    /// use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement, Status};
    /// let model = Model::from_toml(extremal_engine::gallery::text("double-integrator").unwrap())?;
    /// let problem = Problem::new(&model, Statement::of(&model)?, &model.simulation().method)?;
    /// let answer = problem.answer(&Guess::Stated, &SolveSettings::default(), None, &mut |_| ControlFlow::Continue(()))?;
    /// assert_eq!(answer.solution.status, Status::Optimal);
    /// assert!(answer.assessment.unwrap().doubts.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The grid does not fit the problem.
    pub fn answer(
        &self,
        guess: &Guess,
        settings: &SolveSettings,
        refinement: Option<Refinement>,
        watch: WatchIterations<'_>,
    ) -> Result<Answer, ProblemError> {
        let (mut solution, levels) = match refinement {
            Some(refinement) => self.refine(guess, settings, refinement, watch)?,
            None => (self.solve(guess, settings, watch)?, Vec::new()),
        };
        let refined = refinement.map(|refinement| (&levels[..], refinement));
        let assessment = self.assess(&solution, settings, refined, watch)?;
        if let Some(assessment) = &assessment {
            solution = solution.judged(assessment);
        }
        Ok(Answer { solution, levels, assessment })
    }

    /// Doubles the grid until the cost and a simulation agree with it, each solution being the guess for the next; says also what
    /// was found on the way. Where a finer grid is not solved by the work allowed, the solution is the last one that was.
    pub fn refine(
        &self,
        guess: &Guess,
        settings: &SolveSettings,
        refinement: Refinement,
        watch: WatchIterations<'_>,
    ) -> Result<(BoundarySolution, Vec<Level>), ProblemError> {
        let mut solution = self.solve(guess, settings, watch)?;
        let mut levels = vec![self.level(&solution)?];
        let mut left = refinement.most_work.saturating_sub(solution.steps * solution.iterations);
        while solution.status.is_solved() && !refinement.is_met(&levels) && 2 * solution.steps <= refinement.most_steps
        {
            let finer = on_another_grid(settings, 2 * solution.steps);
            let mut exhausted = false;
            let mut counting = |line: &Iteration| {
                exhausted = left == 0;
                left = left.saturating_sub(2 * solution.steps);
                if exhausted { ControlFlow::Break(()) } else { watch(line) }
            };
            let next = self.attempt(&Guess::Table(solution.table()), &finer, &mut counting)?;
            if !next.status.is_solved() && (exhausted || next.status != Status::Interrupted) {
                break;
            }
            levels.push(self.level(&next)?);
            solution = next;
        }
        Ok((solution, levels))
    }

    fn level(&self, solution: &BoundarySolution) -> Result<Level, ProblemError> {
        let end_error = match solution.status.is_solved() {
            true => self.verify(solution)?.end_error(),
            false => None,
        };
        let BoundarySolution { steps, objective, objective_size, iterations, .. } = *solution;
        Ok(Level { steps, objective, objective_size, end_error, iterations })
    }

    /// Solves from the stated guess and from `starts` shaken ones, repeatable by `seed`, and keeps what is different: the best
    /// first. If nothing is found, what came of the stated guess.
    pub fn multistart(
        &self,
        starts: usize,
        seed: u64,
        settings: &SolveSettings,
        watch: WatchIterations<'_>,
    ) -> Result<Vec<BoundarySolution>, ProblemError> {
        /// Costs this close together, relatively, are the same minimum.
        const SAME: f64 = 1e-6;
        let first = self.solve(&Guess::of_start(0, seed), settings, watch)?;
        let mut failed = (!first.status.is_solved()).then(|| first.clone());
        let mut found: Vec<BoundarySolution> = Vec::new();
        let mut keep = |solution: BoundarySolution| {
            let same = |known: &BoundarySolution| {
                (known.objective - solution.objective).abs() <= SAME * known.objective.abs().max(1.0)
            };
            if solution.status.is_solved() && !found.iter().any(same) {
                found.push(solution);
            }
        };
        let interrupted = first.status == Status::Interrupted;
        keep(first);
        for start in 1..=starts as u64 {
            if interrupted {
                break;
            }
            let solution = self.attempt(&Guess::of_start(start, seed), settings, watch)?;
            if solution.status == Status::Interrupted {
                break;
            }
            keep(solution);
        }
        found.sort_by(|a, b| a.objective.total_cmp(&b.objective));
        if found.is_empty() {
            found.extend(failed.take());
        }
        Ok(found)
    }
}

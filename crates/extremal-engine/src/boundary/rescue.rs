//! What is tried where a search from the stated guess finds nothing: coarser grids, other durations, first any motion that meets
//! the conditions, shaken guesses. The best of what is found on a coarse grid is the guess for the grid that was asked for.

use std::ops::ControlFlow;

use extremal_mechanics::boundary::Quantity;
use extremal_solve::nlp::{Iteration, Nearest, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise};

use super::attempt::{DiscreteProblem, DiscretisedProblem};
use super::statement::{Duration, Statement};
use super::{BoundarySolution, Guess, Kind, Problem, ProblemError, SolveSettings, Status, WatchIterations, check};

/// Steps of the coarse grids.
const COARSE: [usize; 2] = [25, 100];
/// Other durations than the stated guess, as multiples of it, as far as they are within the bounds.
const DURATIONS: [f64; 7] = [1.0, 0.3, 3.0, 0.1, 0.03, 10.0, 0.01];
/// Sizes of the waves of shaken guesses that are tried together, the best counting; then others.
const WAVES: [&[f64]; 2] = [&[0.0, 0.3, 1.0], &[2.0, 4.0]];
/// So many motions on a coarse grid are enough to choose from.
const ENOUGH: usize = 4;
/// Not more work than this in all, in steps times iterations.
const MOST_WORK: usize = 500_000;
/// Iterations of a search on a coarse grid, and from a coarse grid on a finer one.
const ITERATIONS: usize = 250;
const LIFTING_ITERATIONS: usize = 100;
/// Tolerance of what is a guess and no more.
const TOLERANCE: f64 = 1e-7;
/// The barrier at a motion that meets the conditions, and on a finer grid.
const FEASIBLE_BARRIER: f64 = 1e-2;
/// How much a change of the duration by itself weighs beside controls that are at their limits all the time.
const DURATION_WEIGHT: f64 = 0.1;

/// The work that is left, counted by iterations.
struct RescueBudget<'w> {
    left: usize,
    watch: WatchIterations<'w>,
    interrupted: bool,
}

impl RescueBudget<'_> {
    /// Sees an iteration on a grid of so many steps.
    fn see(&mut self, steps: usize, line: &Iteration) -> ControlFlow<()> {
        self.interrupted |= (self.watch)(line).is_break();
        self.left = self.left.saturating_sub(steps);
        if self.interrupted || self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_over(&self) -> bool {
        self.interrupted || self.left == 0
    }
}

impl Problem<'_> {
    /// Solves the problem from a guess; `watch` sees every iteration and may end it. Where a control problem has no solution near
    /// what it states as a guess, others are tried.
    pub fn solve(
        &self,
        guess: &Guess,
        settings: &SolveSettings,
        watch: WatchIterations<'_>,
    ) -> Result<BoundarySolution, ProblemError> {
        let stated = matches!(guess, Guess::Stated) && self.kind == Kind::Control;
        let first = self.attempt(guess, settings, watch)?;
        let lost =
            matches!(first.status, Status::Infeasible | Status::Stalled | Status::IterationLimit | Status::NotFinite);
        if !(stated && lost) {
            return Ok(first);
        }
        let mut work = RescueBudget { left: MOST_WORK, watch, interrupted: false };
        let found = self.rescue(first.steps, settings, &mut work)?;
        let spent = (MOST_WORK - work.left) / first.steps.max(1);
        Ok(match found {
            Some(found) => BoundarySolution { iterations: first.iterations + spent, rescued: true, ..found },
            None if work.interrupted => BoundarySolution { status: Status::Interrupted, ..first },
            None => first,
        })
    }

    /// The best of the motions that are found on coarse grids, on the grid of so many steps.
    fn rescue(
        &self,
        steps: usize,
        settings: &SolveSettings,
        work: &mut RescueBudget<'_>,
    ) -> Result<Option<BoundarySolution>, ProblemError> {
        let mut grids: Vec<usize> = COARSE.into_iter().filter_map(|coarse| self.coarse(coarse, steps)).collect();
        grids.dedup();
        for waves in WAVES {
            for grid in &grids {
                let discrete = self.discretised(*grid)?;
                let mut found = Vec::new();
                for (wave, duration) in
                    waves.iter().flat_map(|wave| self.durations().map(move |duration| (wave, duration)))
                {
                    if work.is_over() || found.len() >= ENOUGH {
                        break;
                    }
                    let guess = match wave {
                        0.0 => Guess::Stated,
                        size => Guess::Shaken { size: *size, seed: 0 },
                    };
                    let statement = self.with_duration(duration);
                    found.extend(self.on_coarse_grid(&discrete, &guess, &statement, settings, work)?);
                }
                found.sort_by(|a: &BoundarySolution, b| a.objective.total_cmp(&b.objective));
                for coarse in found {
                    if let Some(solution) = self.lifted(coarse, steps, settings, work)? {
                        return Ok(Some(solution));
                    }
                }
                if work.is_over() {
                    return Ok(None);
                }
            }
        }
        Ok(None)
    }

    /// About so many steps, at most as many as wanted, that the conditions fit.
    fn coarse(&self, about: usize, most: usize) -> Option<usize> {
        let fits = |steps: &usize| check::on_grid(self, *steps).is_ok();
        (about.min(most)..=most).find(fits)
    }

    /// Where the duration may be looked for, the guess first.
    fn durations(&self) -> impl Iterator<Item = f64> {
        let (min, max, guess, tried) = match self.statement.duration {
            Duration::Fixed(duration) => (duration, duration, duration, &DURATIONS[..1]),
            Duration::Free { min, max, guess } => (min, max, guess, &DURATIONS[..]),
        };
        tried.iter().map(move |part| part * guess).filter(move |duration| (min..=max).contains(duration))
    }

    fn with_duration(&self, guess: f64) -> Statement {
        let duration = match self.statement.duration {
            Duration::Fixed(duration) => Duration::Fixed(duration),
            Duration::Free { min, max, .. } => Duration::Free { min, max, guess },
        };
        Statement { duration, ..self.statement.clone() }
    }

    /// A solution on a coarse grid: by way of the motion that meets the conditions with the least controls, and straight away.
    fn on_coarse_grid(
        &self,
        discrete: &DiscretisedProblem,
        guess: &Guess,
        statement: &Statement,
        settings: &SolveSettings,
        work: &mut RescueBudget<'_>,
    ) -> Result<Option<BoundarySolution>, ProblemError> {
        let DiscreteProblem { layout, fractions, bounds } = &discrete.problem;
        let steps = fractions.len() - 1;
        let mut x = guess.variables(self, statement, layout, fractions);
        self.raise_maximum(layout, bounds, &mut x);
        let max_iterations = settings.options.max_iterations.min(ITERATIONS);
        let options = NlpOptions { tolerance: TOLERANCE, max_iterations, ..settings.options };
        let feasible = self.least_effort(discrete, &x, statement, &options, &mut |line| work.see(steps, line));
        let close = NlpOptions { barrier: FEASIBLE_BARRIER, ..options };
        let mut best: Option<NlpSolution> = None;
        for (from, options) in [(&feasible.x, close), (&x, options)] {
            if work.is_over() {
                break;
            }
            let found = self.minimum_from(discrete, from, &options, &mut |line| work.see(steps, line));
            let better = best.as_ref().is_none_or(|best| found.objective < best.objective);
            if found.status == NlpStatus::Solved && better {
                best = Some(found);
            }
        }
        let Some(best) = best else { return Ok(None) };
        Ok(Some(BoundarySolution::of(self, self.discretised(steps)?.problem, best)?))
    }

    /// The motion that meets the conditions with the least squares of controls, in parts of their ranges.
    fn least_effort(
        &self,
        discrete: &DiscretisedProblem,
        x: &[f64],
        statement: &Statement,
        options: &NlpOptions,
        watch: WatchIterations<'_>,
    ) -> NlpSolution {
        let DiscreteProblem { layout, fractions, bounds } = &discrete.problem;
        let steps = fractions.len() - 1;
        let mut reference = x.to_vec();
        let weights = layout.variables.iter().enumerate().map(|(at, (quantity, k))| match quantity {
            Quantity::Control(_) | Quantity::StageControl { .. } | Quantity::NodeControl(_) => {
                let (low, high) = (bounds.lower[at], bounds.upper[at]);
                reference[at] = 0f64.clamp(low, high);
                let range = if (high - low).is_finite() { 0.5 * (high - low) } else { 1.0 };
                let length = fractions[(k + 1).min(steps)] - fractions[(*k).min(steps - 1)];
                if range > 0.0 { length / (range * range) } else { 0.0 }
            }
            Quantity::Duration => DURATION_WEIGHT / statement.duration.guess().powi(2),
            _ => 0.0,
        });
        let weights = weights.collect();
        let mut program = self.program(discrete, bounds);
        let mut nearest = Nearest::to(&mut program, reference, weights);
        minimise(&mut nearest, NlpStart { x, lambda: &[], bound_multipliers: None }, options, watch)
    }

    /// A solution on a coarse grid as one on the grid that was asked for: in a few iterations at once, or by doubling.
    fn lifted(
        &self,
        coarse: BoundarySolution,
        steps: usize,
        settings: &SolveSettings,
        work: &mut RescueBudget<'_>,
    ) -> Result<Option<BoundarySolution>, ProblemError> {
        let mut lift = |from: &BoundarySolution, steps: usize, most: usize| {
            let mut options = settings.options;
            options.barrier = options.barrier.min(FEASIBLE_BARRIER);
            options.max_iterations = options.max_iterations.min(most);
            let settings = SolveSettings { steps: Some(steps), options, ..settings.clone() };
            let found = self.attempt(&Guess::Table(from.table()), &settings, &mut |line| work.see(steps, line));
            found.map(|found| Some(found).filter(|found| found.status.is_solved()))
        };
        if let Some(found) = lift(&coarse, steps, LIFTING_ITERATIONS)? {
            return Ok(Some(found));
        }
        let mut solution = coarse;
        while solution.steps < steps {
            let next = self.coarse(2 * solution.steps, steps).unwrap_or(steps);
            match lift(&solution, next, ITERATIONS)? {
                Some(found) => solution = found,
                None => return Ok(None),
            }
        }
        Ok(Some(solution))
    }
}

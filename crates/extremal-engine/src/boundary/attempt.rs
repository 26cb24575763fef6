//! One search of a solver on one grid.

use extremal_mechanics::boundary::{Assembly, Element};
use extremal_solve::nlp::{Assembled, NlpBounds, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise, stationary};

use super::{
    BoundarySolution, Guess, Kind, Problem, ProblemError, Seek, SolveSettings, WatchIterations, check, domain, grid,
    statement,
};

/// Near a known solution the barrier need not push far from the bounds.
const WARM_BARRIER: f64 = 1e-4;

/// The discrete problem that was solved.
#[derive(Clone, Debug)]
pub(crate) struct DiscreteProblem {
    pub layout: Assembly,
    pub fractions: Vec<f64>,
    pub bounds: NlpBounds,
}

/// The discrete problem with all that its programs are made of.
pub(super) struct DiscretisedProblem {
    pub problem: DiscreteProblem,
    metric: Vec<f64>,
    guards: Vec<Element>,
}

impl Problem<'_> {
    /// The problem on a grid.
    ///
    /// # Errors
    /// The grid does not fit the problem.
    pub(super) fn discretised(&self, steps: usize) -> Result<DiscretisedProblem, ProblemError> {
        let reach = if self.flow.is_some() { 2 } else { self.order };
        check::enough_steps(steps, reach, self.statement.periodic)?;
        check::on_grid(self, steps)?;
        let fractions = grid::fractions(steps, self.ends.grading);
        let layout = self.transcription.assemble(&fractions);
        let first_state = statement::first_state(self.model);
        let bounds = grid::bounds(&self.statement, &layout, steps, (&self.transcription, first_state));
        let metric = grid::metric(&layout, &fractions, self.transcription.ghosts);
        let guards = domain::guards(self, &layout, &bounds);
        Ok(DiscretisedProblem { problem: DiscreteProblem { layout, fractions, bounds }, metric, guards })
    }

    /// The same of a discrete problem that was solved.
    pub(super) fn discretised_as(&self, solved: &DiscreteProblem) -> DiscretisedProblem {
        let DiscreteProblem { layout, fractions, bounds } = solved.clone();
        let metric = grid::metric(&layout, &fractions, self.transcription.ghosts);
        let guards = domain::guards(self, &layout, &bounds);
        DiscretisedProblem { problem: DiscreteProblem { layout, fractions, bounds }, metric, guards }
    }

    /// The program of a discrete problem, between these bounds.
    pub(super) fn program(&self, of: &DiscretisedProblem, bounds: &NlpBounds) -> Assembled {
        let program = self.pieces.with_elements(of.problem.layout.elements.clone(), bounds.clone());
        program.measured(of.metric.clone()).guarded(of.guards.clone())
    }

    /// Searches from one guess.
    pub(super) fn attempt(
        &self,
        guess: &Guess,
        settings: &SolveSettings,
        watch: WatchIterations<'_>,
    ) -> Result<BoundarySolution, ProblemError> {
        let discrete = self.discretised(settings.steps.unwrap_or(self.statement.steps))?;
        let DiscreteProblem { layout, fractions, bounds } = &discrete.problem;
        let released = grid::without_duration(bounds, layout);
        let mut x = guess.variables(self, &self.statement, layout, fractions);
        self.raise_maximum(layout, bounds, &mut x);
        let lambda = guess.multipliers(self, layout, fractions);
        let start = NlpStart { x: &x, lambda: &lambda, bound_multipliers: None };
        let mut options = settings.options;
        if !lambda.is_empty() {
            options.barrier = options.barrier.min(WARM_BARRIER);
        }
        let seek = match (self.kind, has_inequalities(&released), settings.seek) {
            // As many equations as unknowns: nothing to minimise.
            (Kind::Motion, false, _) => Seek::Stationary,
            (_, true, Seek::Stationary) => Seek::Minimum,
            (Kind::Control, _, Seek::Any) => Seek::Minimum,
            // Orbits are saddles more often than not, and the least action may be that of bodies at rest far apart.
            (Kind::Action, false, Seek::Any) if self.statement.periodic => Seek::Stationary,
            (_, _, seek) => seek,
        };
        let minimum =
            |watch: WatchIterations<'_>| minimise(&mut self.program(&discrete, bounds), start, &options, watch);
        // Newton's method has no barrier to keep a duration within its bounds: they are looked at afterwards.
        let saddle = |watch: WatchIterations<'_>| {
            let mut found = stationary(&mut self.program(&discrete, &released), start, &options, watch);
            if found.status == NlpStatus::Solved && !grid::within(bounds, &found.x) {
                found.status = NlpStatus::Stalled;
            }
            found
        };
        let found = match seek {
            Seek::Minimum => minimum(watch),
            Seek::Stationary => saddle(watch),
            Seek::Any => {
                let first = minimum(watch);
                match first.status {
                    NlpStatus::Solved | NlpStatus::Interrupted | NlpStatus::Infeasible | NlpStatus::NotFinite => first,
                    _ => {
                        let second = saddle(watch);
                        if second.status == NlpStatus::Solved { second } else { first }
                    }
                }
            }
        };
        BoundarySolution::of(self, discrete.problem, found)
    }

    /// Searches for a minimum from these values of the unknowns.
    pub(super) fn minimum_from(
        &self,
        discrete: &DiscretisedProblem,
        x: &[f64],
        options: &NlpOptions,
        watch: WatchIterations<'_>,
    ) -> NlpSolution {
        minimise(
            &mut self.program(discrete, &discrete.problem.bounds),
            NlpStart { x, lambda: &[], bound_multipliers: None },
            options,
            watch,
        )
    }
}

fn has_inequalities(bounds: &NlpBounds) -> bool {
    let open = |lower: &[f64], upper: &[f64]| {
        lower.iter().zip(upper).any(|(lower, upper)| lower != upper && (lower.is_finite() || upper.is_finite()))
    };
    open(&bounds.lower, &bounds.upper) || open(&bounds.constraint_lower, &bounds.constraint_upper)
}

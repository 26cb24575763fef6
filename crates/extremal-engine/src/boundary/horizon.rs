//! A control problem solved again and again, each time from another start: for control by a receding or a shrinking horizon.

use std::ops::ControlFlow;

use extremal_mechanics::boundary::Quantity;
use extremal_solve::nlp::{Assembled, NlpBounds, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise};
use thiserror::Error;

use super::{BoundarySolution, Problem};

/// The barrier at a solution for nearly the same start.
const BARRIER: f64 = 1e-6;

/// A start that the problem does not have.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{name}` is not given at the start of the problem, so that it has no other start")]
pub struct HorizonError {
    /// What was given.
    pub name: String,
}

/// What came of one start.
#[derive(Clone, Debug, PartialEq)]
pub struct HorizonStep {
    /// How the solver ended: the controls are those of a solution if it is [`NlpStatus::Solved`].
    pub status: NlpStatus,
    /// The controls of the first step, in the order of the model (with several values in a step, the first).
    pub controls: Vec<f64>,
    /// The cost.
    pub objective: f64,
    /// Iterations of the solver.
    pub iterations: usize,
}

/// A problem on its grid with its last solution, from which the next one begins. Nothing is derived or compiled between two starts, and
/// nothing is verified: what is said of a solution is that it satisfies the optimality conditions on this grid.
///
/// ```
/// use std::ops::ControlFlow;
/// use extremal_engine::Model;
/// use extremal_engine::boundary::{Guess, Problem, SolveSettings, Statement};
/// let model = Model::from_toml(extremal_engine::gallery::text("cart-pole-swing").unwrap())?;
/// let problem = Problem::new(&model, Statement::of(&model)?, &model.simulation().method)?;
/// let solution = problem.solve(&Guess::Stated, &SolveSettings::default(), &mut |_| ControlFlow::Continue(()))?;
/// let mut horizon = problem.receding_horizon(&solution, 1e-8);
/// // The cart was measured two centimetres away from where it should be.
/// let next = horizon.solve(&[("x", 0.02), ("th", std::f64::consts::PI)])?;
/// let first = solution.column("u").unwrap();
/// assert!(next.controls[0] != solution.rows[0][first] && (next.controls[0] - solution.rows[0][first]).abs() < 1.0);
/// assert!(next.iterations < solution.iterations);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RecedingHorizon<'p, 'm> {
    problem: &'p Problem<'m>,
    program: Assembled,
    bounds: NlpBounds,
    /// What can be given at the start, and where it stands.
    starts: Vec<(String, usize)>,
    /// The controls of the first step.
    controls: Vec<usize>,
    /// Of every unknown and every row, the same one a step later.
    later: [Vec<usize>; 2],
    last: NlpSolution,
    options: NlpOptions,
}

impl<'m> Problem<'m> {
    /// The problem ready to be solved from other starts on the grid of a solution, to this tolerance.
    pub fn receding_horizon<'p>(&'p self, solution: &BoundarySolution, tolerance: f64) -> RecedingHorizon<'p, 'm> {
        let (discrete, found) = &*solution.answer;
        let layout = &discrete.layout;
        let ghosts = self.transcription.ghosts;
        let fixed = |at: usize| discrete.bounds.lower[at] == discrete.bounds.upper[at];
        let is_start = |quantity: &Quantity, k: usize| match quantity {
            Quantity::Position(_) | Quantity::State(_) | Quantity::Entropy(_) => k == ghosts,
            Quantity::StartVelocity(_) => true,
            _ => false,
        };
        let variables = || layout.variables.iter().enumerate();
        let starts = variables().filter(|(at, (quantity, k))| fixed(*at) && is_start(quantity, *k));
        let starts = starts.map(|(at, (quantity, _))| (self.quantity_name(*quantity), at)).collect();
        let first_control = |control: usize| {
            variables().find(|(_, (quantity, _))| match quantity {
                Quantity::Control(of)
                | Quantity::StageControl { stage: 0, control: of }
                | Quantity::NodeControl(of) => *of == control,
                _ => false,
            })
        };
        let controls =
            (0..self.statement.controls.len()).filter_map(|control| first_control(control).map(|(at, _)| at));
        let discretised = self.discretised_as(discrete);
        RecedingHorizon {
            problem: self,
            program: self.program(&discretised, &discrete.bounds),
            bounds: discrete.bounds.clone(),
            starts,
            controls: controls.collect(),
            later: [
                later(&layout.variables, self.transcription.node.len() + self.transcription.step.len()),
                later(&layout.rows, self.transcription.node_rows.len() + self.transcription.step_rows.len()),
            ],
            last: found.clone(),
            options: NlpOptions { tolerance, barrier: BARRIER, ..NlpOptions::default() },
        }
    }
}

/// Of everything the place of the same a step later; its own where there is none.
fn later<T: PartialEq>(all: &[(T, usize)], stride: usize) -> Vec<usize> {
    let one = |(at, (of, k)): (usize, &(T, usize))| match all.get(at + stride) {
        Some((same, next)) if same == of && *next == k + 1 => at + stride,
        _ => at,
    };
    all.iter().enumerate().map(one).collect()
}

impl RecedingHorizon<'_, '_> {
    /// Solves the problem from these values at the start; what is not named starts where it did before. The search begins at the last
    /// solution, which stays if this one is not found.
    ///
    /// # Errors
    /// The problem gives no such value at its start.
    pub fn solve(&mut self, start: &[(&str, f64)]) -> Result<HorizonStep, HorizonError> {
        for (name, value) in start {
            let known = self.starts.iter().find(|(known, _)| known == name);
            let (_, at) = known.ok_or_else(|| HorizonError { name: (*name).to_owned() })?;
            (self.bounds.lower[*at], self.bounds.upper[*at]) = (*value, *value);
        }
        self.program.set_bounds(self.bounds.clone());
        let NlpSolution { x, lambda, lower_multipliers, upper_multipliers, .. } = &self.last;
        let from = NlpStart { x, lambda, bound_multipliers: Some([lower_multipliers, upper_multipliers]) };
        let found = minimise(&mut self.program, from, &self.options, &mut |_| ControlFlow::Continue(()));
        let step = HorizonStep {
            status: found.status,
            controls: self.controls.iter().map(|at| found.x[*at]).collect(),
            objective: found.objective,
            iterations: found.iterations,
        };
        if found.status == NlpStatus::Solved {
            self.last = found;
        }
        Ok(step)
    }

    /// Moves the last solution by a step towards the start, as a guess for a horizon that ends a step later.
    pub fn shift(&mut self) {
        let moved = |values: &[f64], places: &[usize]| -> Vec<f64> { places.iter().map(|at| values[*at]).collect() };
        let [variables, rows] = &self.later;
        self.last.x = moved(&self.last.x, variables);
        self.last.lambda = moved(&self.last.lambda, rows);
        self.last.lower_multipliers = moved(&self.last.lower_multipliers, variables);
        self.last.upper_multipliers = moved(&self.last.upper_multipliers, variables);
    }

    /// The problem.
    pub fn problem(&self) -> &Problem<'_> {
        self.problem
    }
}

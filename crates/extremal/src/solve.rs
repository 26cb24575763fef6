//! Boundary-value problems and optimal control.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use extremal_engine::Method;
use extremal_engine::boundary::{
    Answer, Guess, Problem, Refinement, Seek, SolutionTable, SolveReport, SolveSettings, Statement, Status,
};
use extremal_engine::trajectory::{Recorder, sig};

use crate::asked::shared_result;
use crate::observer::unwatched;
use crate::{Error, ErrorKind, Model, Observer, Optimizations, Plot, Progress};

/// The problem that `[boundary]`, `[controls]` and `[objective]` of a model state, and how it is to be solved.
///
/// ```
/// use extremal::{Model, Status};
/// let best = Model::gallery("double-integrator")?.solve().steps(100).run()?;
/// assert_eq!(best.status(), Status::Optimal);
/// // Six, and what a hundred steps add to it.
/// assert!((best.objective() - 6.0 / (1.0 - 1e-4)).abs() < 1e-9);
/// assert_eq!(best["u"].len(), 101);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Optimization {
    model: Model,
    method: Option<Method>,
    settings: SolveSettings,
    refine: Option<f64>,
    guess: Option<Solution>,
}

impl Optimization {
    pub(crate) fn of(model: &Model) -> Optimization {
        let settings = SolveSettings::default();
        Optimization { model: model.clone(), method: None, settings, refine: None, guess: None }
    }

    /// The method whose discrete equations are solved.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// Doubles the grid until cost and simulation agree to this part.
    #[must_use]
    pub fn refine(mut self, tolerance: f64) -> Self {
        self.refine = Some(tolerance);
        self
    }

    /// Steps of the grid.
    #[must_use]
    pub fn steps(mut self, steps: usize) -> Self {
        self.settings.steps = Some(steps);
        self
    }

    /// What is looked for: a minimum, or any stationary point.
    #[must_use]
    pub fn seek(mut self, seek: Seek) -> Self {
        self.settings.seek = seek;
        self
    }

    /// The largest error that may be left in conditions and gradient.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.options.tolerance = tolerance;
        self
    }

    /// The same problem with many parameters, or from many guesses, in one call.
    #[must_use]
    pub fn many(self) -> Optimizations {
        Optimizations::of(self)
    }

    /// Starts from another solution.
    #[must_use]
    pub fn start_from(mut self, solution: &Solution) -> Self {
        self.guess = Some(solution.clone());
        self
    }

    /// Solves it and checks the solution: second variation, other grids, a simulation.
    ///
    /// # Errors
    /// It cannot be set up, or nothing was found that could be believed.
    pub fn run(&self) -> Result<Solution, Error> {
        self.run_with(unwatched)
    }

    /// The same; the observer may end it.
    ///
    /// # Errors
    /// As for [`Optimization::run`]; one that was ended is [`ErrorKind::Interrupted`].
    pub fn run_with(&self, mut observer: impl Observer) -> Result<Solution, Error> {
        self.check()?;
        let model = self.model.working_copy();
        let method = self.method_of(&model);
        let problem = Problem::new(&model, Statement::of(&model)?, &method)?;
        let mut done = 0;
        let mut watch = |_: &_| -> ControlFlow<()> {
            done += 1;
            observer.progress(Progress { done, total: None })
        };
        let answer = problem.answer(&self.first_guess(), &self.settings, self.refinement(), &mut watch)?;
        let solution = Solution::of(&problem, answer);
        match solution.status() {
            status if status.is_solved() => Ok(solution),
            Status::Interrupted => {
                Err(Error::new(ErrorKind::Interrupted, "the observer ended the search").with_solution(solution))
            }
            status => {
                let doubts = solution.doubts_in_words();
                let message = format!("the problem is not solved: {}{doubts}", status.name());
                Err(Error::new(ErrorKind::Unsolved, message).with_solution(solution))
            }
        }
    }
}

impl Optimization {
    /// # Errors
    /// A method that cannot be, or an error that may be left which is none.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let part = |tolerance: f64| tolerance > 0.0 && tolerance < 1.0;
        if !(part(self.settings.options.tolerance) && self.refine.is_none_or(part)) {
            return Err(Error::new(ErrorKind::Settings, "an error that may be left is a number above 0 and below 1"));
        }
        Ok(self.method.iter().try_for_each(Method::check)?)
    }

    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The method that is asked for, or that of the model.
    pub(crate) fn method_of(&self, model: &extremal_engine::Model) -> Method {
        self.method.clone().unwrap_or_else(|| model.simulation().method.clone())
    }

    pub(crate) fn solve_settings(&self) -> &SolveSettings {
        &self.settings
    }

    pub(crate) fn refinement(&self) -> Option<Refinement> {
        self.refine.map(|tolerance| Refinement { tolerance, ..Refinement::default() })
    }

    pub(crate) fn first_guess(&self) -> Guess {
        self.guess.as_ref().map_or(Guess::Stated, |solution| Guess::Table(solution.table()))
    }
}

/// A solution over its grid. As data ([`Serialize`](serde::Serialize)) it is what `extremal solve --json` prints.
#[derive(Clone, Debug)]
pub struct Solution {
    solved: Arc<SolutionData>,
}

#[derive(Debug)]
struct SolutionData {
    title: String,
    subtitle: String,
    found: extremal_engine::boundary::BoundarySolution,
    columns: Vec<Vec<f64>>,
    doubts: Vec<String>,
    summary: SolveReport,
}

impl Solution {
    fn of(problem: &Problem<'_>, answer: Answer) -> Solution {
        let Answer { solution: found, levels, assessment } = answer;
        let assessment = assessment.as_ref();
        let warnings = problem.model().warnings().iter().map(ToString::to_string);
        let subtitle = format!("{}, {} steps, {}", problem.method(), found.steps, found.status.name());
        let solved = SolutionData {
            title: problem.model().name().unwrap_or("Model").to_owned(),
            subtitle: format!("{subtitle}, objective {}", sig(found.objective, 8)),
            summary: SolveReport::of(problem, &found, assessment, &levels, &[], warnings),
            columns: (0..found.columns.len()).map(|at| found.rows.iter().map(|row| row[at]).collect()).collect(),
            doubts: assessment.map_or_else(Vec::new, |a| a.doubts.iter().map(ToString::to_string).collect()),
            found,
        };
        Solution { solved: Arc::new(solved) }
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        self.solved.found.status
    }

    /// The cost, or the action.
    pub fn objective(&self) -> f64 {
        self.solved.found.objective
    }

    /// The duration.
    pub fn duration(&self) -> f64 {
        self.solved.found.duration
    }

    /// What is not known of it, or speaks against it, in words.
    pub fn doubts(&self) -> &[String] {
        &self.solved.doubts
    }

    /// The names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.solved.found.columns.iter().map(|column| column.name())
    }

    /// The numbers of a column, one for each instant of the grid.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.solved.found.column(name).map(|at| self.solved.columns[at].as_slice())
    }

    /// Writes it, as .csv, .json or .parquet.
    ///
    /// # Errors
    /// An unknown format, or a file that cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let mut recorder = Recorder::new(self.solved.found.columns.clone());
        recorder.add_file(path.as_ref())?;
        for row in &self.solved.found.rows {
            recorder.push(row)?;
        }
        Ok(recorder.finish()?)
    }

    /// A picture of it.
    pub fn plot(&self) -> Plot {
        let mut recorder = Recorder::new(self.solved.found.columns.clone());
        // A recorder without files takes every row of the right width.
        self.solved.found.rows.iter().for_each(|row| drop(recorder.push(row)));
        Plot::of(&self.solved.title, &self.solved.subtitle, recorder.columns(), recorder.series(), false)
    }

    fn table(&self) -> SolutionTable {
        self.solved.found.table()
    }

    fn doubts_in_words(&self) -> String {
        self.solved.doubts.iter().map(|doubt| format!("; {doubt}")).collect()
    }
}

shared_result!(Solution.solved);

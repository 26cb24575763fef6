//! `extremal solve`: boundary-value and optimal-control problems.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use extremal_engine::boundary::{
    Assessment, BoundarySolution, Guess, Level, Problem, ProblemError, Refinement, Seek, SolutionTable, SolveReport,
    SolveSettings, Statement, StatementError, Status,
};
use extremal_engine::problems::ProblemSettings;
use extremal_engine::solve::nlp::{Iteration, NlpOptions};
use extremal_engine::trajectory::plot::{PanelRequest, Selection};
use extremal_engine::trajectory::{Column, Columns, Figure, Role, sig};
use extremal_engine::{Method, Recorder};

use super::solve_many::ManyProblems;
use crate::arguments::{self, ModelArguments, PrintArguments, Times, times};
use crate::drawings::DrawingArguments;
use crate::ensemble::EnsembleArguments;
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::outputs::{Outputs, spare_inputs};
use crate::progress::Spinner;
use crate::source::{Limit, Source, read_file_of};
use crate::{solution_summary, terminal};

const EXAMPLES: &str = "\
Examples:
  extremal solve gallery:brachistochrone
  extremal solve gallery:cart-pole-swing --plot swing.svg --out swing.csv
  extremal solve gallery:cart-pole-swing --frame swing.png --shots 12
  extremal solve gallery:cart-pole-swing --refine --log
  extremal solve gallery:cart-pole-swing --multistart 20 --seed 1
  extremal solve gallery:cart-pole-swing --steps 400 --warm-start swing.csv
  extremal solve my-problem.toml --json | jq .objective
  extremal solve gallery:cart-pole-swing --vary l=0.3:0.7:41 --rows swings.csv
  extremal solve gallery:cart-pole-swing --vary l=0.3:0.7:41 --multistart 9 --rows parts/3.parquet --shard 3/20

The problem is stated by [boundary], [controls] and [objective] in the model.
With --vary, --random, --list or --rows many problems are solved, with a row for
each of them (and for each guess of --multistart); one that is not solved is a
row that says so. Parts, `--resume` and `extremal merge` work as for sweeps.
Exit codes: 0 solved (a warning says what could not be verified), 1 not solved, or
solved wrongly as another grid shows (the best point is kept and said), 2 bad input.";

/// Solutions on the finest grids fit.
/// A table over time, as `solve` writes it.
pub const SOLUTION_FILE: Limit = Limit { bytes: 1 << 30, what: "a solution" };

/// Solve a boundary-value or optimal-control problem
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SolveArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Write the solution, as .csv, .json or .parquet; may be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Draw the solution, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// What the plots show, a panel each: names for their course over time, `x,y` for a plane (`x1,y1 x2,y2` for two bodies), `x,y,z`
    /// for space, `phase x`, `change energy`; definitions too; may be repeated
    #[arg(long = "panel", value_name = "WHAT", requires = "plot")]
    panels: Vec<PanelRequest>,
    #[command(flatten)]
    drawings: DrawingArguments,
    /// When `--frame` shows it, at one time or several in one picture: `0,0.5,1`, `0:1:5` (first, last, how many) [default: the end]
    #[arg(id = "times", long = "at", value_name = "TIMES", requires = "frame", value_delimiter = ',', allow_hyphen_values = true, value_parser = times)]
    at: Vec<Times>,
    /// The method: midpoint, trapezoidal, "theta(a)", "galerkin(s)", custom; hermite or difference for accelerations
    #[arg(long, value_parser = arguments::method)]
    method: Option<Method>,
    /// The number of steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: Option<u32>,
    /// Continue the motion past its end to this time, by the discrete flow that it belongs to
    #[arg(long, value_name = "T", value_parser = arguments::number)]
    until: Option<f64>,
    /// Double the steps until the cost and a simulation change by less than TOL
    #[arg(long, value_name = "TOL", num_args = 0..=1, default_missing_value = "1e-4", value_parser = tolerance)]
    refine: Option<f64>,
    /// Solve from N more, shaken guesses (which ones says --seed) and list the minima; of many problems each guess has a row
    #[arg(long, value_name = "N", conflicts_with = "warm_start", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    multistart: Option<u32>,
    /// Start from a solution written before, on any grid
    #[arg(long, visible_alias = "warm", value_name = "FILE")]
    warm_start: Option<String>,
    /// What is looked for [default: a minimum; of an action without one nearby, and for closed orbits, a stationary point]
    #[arg(long, value_enum, value_name = "WHAT")]
    seek: Option<Sought>,
    /// The largest error accepted in the optimality conditions
    #[arg(long, value_name = "TOL", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// Iterations before giving up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_iterations: Option<u32>,
    /// Print every iteration to standard error
    #[arg(long)]
    log: bool,
    #[command(flatten)]
    print: PrintArguments,
    /// Write a row for each of many problems, as .parquet or .csv
    #[arg(long, id = "rows_file", value_name = "FILE", help_heading = MANY)]
    rows: Option<PathBuf>,
    #[command(flatten, next_help_heading = MANY)]
    ensemble: EnsembleArguments,
}

/// What the options of many problems stand under.
const MANY: &str = "Many problems";

#[derive(Clone, Copy, ValueEnum)]
enum Sought {
    /// A minimum
    Minimum,
    /// A stationary point near the guess, whatever its kind
    Stationary,
}

impl SolveArguments {
    fn settings(&self) -> SolveSettings {
        let default = NlpOptions::default();
        SolveSettings {
            steps: self.steps.map(|steps| steps as usize),
            seek: match self.seek {
                None => Seek::Any,
                Some(Sought::Minimum) => Seek::Minimum,
                Some(Sought::Stationary) => Seek::Stationary,
            },
            options: NlpOptions {
                tolerance: self.tolerance.unwrap_or(default.tolerance),
                max_iterations: self.max_iterations.map_or(default.max_iterations, |most| most as usize),
                ..default
            },
        }
    }

    /// The many problems, where there are many; what shows a single one does not go with them.
    fn many(&self) -> Result<Option<ManyProblems<'_>>, CommandError> {
        if self.rows.is_none() && !self.ensemble.is_asked() {
            return Ok(None);
        }
        let single = [
            (!self.out.is_empty(), "--out"),
            (!self.plot.is_empty(), "--plot"),
            (!self.drawings.frame.is_empty(), "--frame"),
            (!self.drawings.animate.is_empty(), "--animate"),
            (self.until.is_some(), "--until"),
            (self.log, "--log"),
        ];
        if let Some((_, option)) = single.into_iter().find(|(given, _)| *given) {
            return Err(CommandError::OfOneProblem(option));
        }
        Ok(Some(ManyProblems {
            model: &self.model,
            ensemble: &self.ensemble,
            print: &self.print,
            method: self.method.as_ref(),
            rows: self.rows.as_ref(),
            warm_start: self.warm_start.as_deref(),
        }))
    }

    fn refinement(&self) -> Option<Refinement> {
        self.refine.map(|tolerance| Refinement { tolerance, ..Refinement::default() })
    }

    fn guess(&self) -> Result<Guess, CommandError> {
        let Some(path) = &self.warm_start else { return Ok(Guess::Stated) };
        let table = SolutionTable::read(&read_file_of(path, SOLUTION_FILE)?);
        Ok(Guess::Table(table.map_err(|source| CommandError::WarmStart { path: path.clone(), source })?))
    }
}

/// What was solved, with all that was found on the way.
pub struct FinishedSolve<'m> {
    pub problem: Problem<'m>,
    pub solution: BoundarySolution,
    pub levels: Vec<Level>,
    pub minima: Vec<BoundarySolution>,
    pub assessment: Option<Assessment>,
    pub elapsed: std::time::Duration,
}

pub fn execute(arguments: &SolveArguments) -> Result<Ending, CommandError> {
    if let Some(many) = arguments.many()? {
        return many.execute(ProblemSettings {
            solve: arguments.settings(),
            refinement: arguments.refinement(),
            guess: arguments.guess()?,
            starts: arguments.multistart.map_or(0, u64::from),
        });
    }
    let source = Source::load(&arguments.model)?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let drawings = &arguments.drawings;
    let outputs = Outputs {
        trajectories: &arguments.out,
        plots: &arguments.plot,
        panels: &arguments.panels,
        drawings: Some(drawings),
        ..Outputs::default()
    };
    outputs.check()?;
    drawings.check(&source.model)?;
    spare_inputs(arguments.out.iter().chain(&arguments.plot).chain(drawings.files()), &[&arguments.model.model])?;
    let mut solved = solve(arguments, &source)?;
    if let (Some(until), true) = (arguments.until, solved.solution.status.is_solved()) {
        solved.solution = solved.problem.continued(&solved.solution, until)?;
    }
    let mut written = Vec::new();
    if !solved.solution.rows.is_empty() {
        written = write(&source, &solved, &outputs, &Times::all(&arguments.at))?;
    }
    if arguments.print.json {
        let FinishedSolve { problem, solution, levels, minima, assessment, .. } = &solved;
        terminal::print_json(&SolveReport::of(
            problem,
            solution,
            assessment.as_ref(),
            levels,
            minima,
            source.warnings(),
        ))?;
    } else if !arguments.print.quiet {
        terminal::print(&solution_summary::of(&source, &solved, &written))?;
    }
    if solved.solution.status.is_solved() && !arguments.print.quiet {
        terminal::print_error(&solution_summary::doubts(&solved));
    }
    if !solved.solution.status.is_solved() {
        terminal::print_error(&solution_summary::failure(&solved));
    }
    Ok(match solved.solution.status {
        status if status.is_solved() => Ending::Done,
        Status::Interrupted => Ending::Interrupted,
        _ => Ending::Failed,
    })
}

fn solve<'m>(arguments: &SolveArguments, source: &'m Source) -> Result<FinishedSolve<'m>, CommandError> {
    let interrupt = Interrupt::listen();
    let statement = Statement::of(&source.model)?;
    let method = arguments.method.clone().unwrap_or_else(|| source.model.simulation().method.clone());
    let problem = Problem::new(&source.model, statement, &method)?;
    let settings = arguments.settings();
    let guess = arguments.guess()?;
    let spinner = (!arguments.print.quiet && !arguments.log).then(|| Spinner::new("solving"));
    let mut watch = |line: &Iteration| {
        if arguments.log {
            terminal::print_error(&log_line(line));
        }
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let clock = Instant::now();
    let (mut minima, mut levels) = (Vec::new(), Vec::new());
    let mut found = match arguments.multistart {
        Some(starts) => {
            minima = problem.multistart(starts as usize, arguments.ensemble.seed, &settings, &mut watch)?;
            minima.first().cloned()
        }
        None => None,
    };
    let refinement = arguments.refinement();
    if let Some(refinement) = refinement {
        let guess = found.as_ref().map_or(guess.clone(), |best| Guess::Table(best.table()));
        let (solution, passed) = problem.refine(&guess, &settings, refinement, &mut watch)?;
        levels = passed;
        found = Some(solution);
    }
    let mut solution = match found {
        Some(solution) => solution,
        None => problem.solve(&guess, &settings, &mut watch)?,
    };
    let elapsed = clock.elapsed();
    let refined = refinement.map(|refinement| (&levels[..], refinement));
    let assessment = problem.assess(&solution, &settings, refined, &mut |line| watch_check(line, &interrupt))?;
    if let Some(assessment) = &assessment {
        solution = solution.judged(assessment);
    }
    if let Some(spinner) = spinner {
        spinner.clear();
    }
    Ok(FinishedSolve { problem, solution, levels, minima, assessment, elapsed })
}

/// The grids that a solution is compared with are not the user's: their iterations are not logged.
fn watch_check(_: &Iteration, interrupt: &Interrupt) -> ControlFlow<()> {
    if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Reads an error that may be left: between nothing and all of a quantity.
fn tolerance(text: &str) -> Result<f64, String> {
    match arguments::number(text) {
        Ok(number) if number > 0.0 && number < 1.0 => Ok(number),
        Ok(_) => Err("an error that may be left is a number above 0 and below 1, such as 1e-6".to_owned()),
        Err(error) => Err(error),
    }
}

fn log_line(line: &Iteration) -> String {
    let header = match line.iteration {
        0 => "  iter          objective  violation   gradient    barrier      shift   step\n",
        _ => "",
    };
    let Iteration {
        iteration, objective, infeasibility, dual_infeasibility, barrier, regularisation, fraction, ..
    } = line;
    let mark = if line.restoration { 'r' } else { ' ' };
    format!(
        "{header}{iteration:>5}{mark} {objective:>18.10e}  {infeasibility:>9.2e}  {dual_infeasibility:>9.2e}  {barrier:>9.2e}  \
         {regularisation:>9.2e}  {fraction:>9.2e}\n"
    )
}

/// Writes files and pictures.
fn write(
    source: &Source,
    solved: &FinishedSolve<'_>,
    outputs: &Outputs<'_>,
    at: &[f64],
) -> Result<Vec<PathBuf>, CommandError> {
    let solution = &solved.solution;
    let verified = matches!(solution.status, Status::Optimal | Status::Stationary);
    // Whoever reads the file without having seen the program end must know: a column says so in every format.
    let mark = (!verified).then(|| Column::new(format!("status_{}", solution.status.name()), Role::Parameter));
    let columns = Columns::new(solution.columns.iter().cloned().chain(mark)).map_err(StatementError::from);
    let mut recorder = Recorder::new(columns.map_err(ProblemError::from)?);
    for path in outputs.trajectories {
        recorder.add_file(path)?;
    }
    for row in &solution.rows {
        match verified {
            true => recorder.push(row)?,
            false => recorder.push(&[&row[..], &[1.0]].concat())?,
        }
    }
    recorder.finish()?;
    let mut written = outputs.trajectories.to_vec();
    if !outputs.plots.is_empty() {
        let subtitle = format!("{}, {} steps, {}", solved.problem.method(), solution.steps, solution.status.name());
        let selection = Selection { panels: outputs.panels.to_vec(), ..Selection::default() };
        let figure = Figure::with_selection(source.title(), recorder.columns(), recorder.series(), &selection)?
            .subtitle(format!("{subtitle}, objective {}", sig(solution.objective, 8)));
        for path in outputs.plots {
            figure.save(path)?;
            written.push(path.clone());
        }
    }
    if let Some(drawings) = outputs.drawings {
        drawings.save(&source.model, source.title(), &recorder, at, &mut written)?;
    }
    Ok(written)
}

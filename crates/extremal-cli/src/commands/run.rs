//! `extremal run`: simulate a model.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use extremal_engine::analyze::tracked;
use extremal_engine::boundary::SolutionTable;
use extremal_engine::model::GivenControls;
use extremal_engine::run::{Gradient, RunSummary, Slope};
use extremal_engine::trajectory::plot::PanelRequest;
use extremal_engine::trajectory::sig;
use extremal_engine::{Model, Settings};
use serde::Serialize;

use super::simulate::simulate;
use super::solve::SOLUTION_FILE;
use crate::arguments::{MarchArguments, ModelArguments, PrintArguments, Times, assignment, times};
use crate::drawings::DrawingArguments;
use crate::failure::{CommandError, Ending};
use crate::outputs::{Outputs, spare_inputs};
use crate::source::{Source, read_file_of};
use crate::terminal::{and_more, table_of_numbers};
use crate::{summary, terminal};

/// Slopes beyond this number are counted, not listed.
const MOST_SLOPES: usize = 20;

const EXAMPLES: &str = "\
Examples:
  extremal run gallery:double-pendulum
  extremal run my-model.toml --out run.csv --plot run.svg
  extremal run gallery:double-pendulum --animate motion.html
  extremal run gallery:double-pendulum --plot tip.svg --panel x2,y2 --panel \"phase θ1\" --panel energy
  extremal run gallery:double-pendulum --frame pendulum.png --at 0,0.2,0.4
  extremal run gallery:pendulum --method \"galerkin(3)\" --step 0.1 --until 100
  extremal run gallery:chain-pendulum --set n=32 --record 10 --out chain.parquet
  extremal run gallery:double-pendulum --columns t,energy,x2,y2 --out tip.csv
  extremal run gallery:kepler --at 0:6.28:50 --out positions.csv
  extremal run gallery:double-pendulum --until 2 --sensitivity l1,θ1 --out d.csv --plot d.svg --panel dθ1/dl1,dθ1/dθ1
  extremal run gallery:double-pendulum --until 2 --gradient θ2
  extremal run gallery:cart-pole-swing --controls solution.csv --set m=0.31
  extremal run gallery:piston-between-gases --plot heat.svg
  extremal run gallery:kepler --json | jq .invariants.energy.max_drift
  extremal run gallery:three-body-figure-eight --track found
  cat my-model.toml | extremal run -

What is not given is taken from [simulation] in the model.";

/// Simulate a model: a summary, trajectory files, plots
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct RunArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Write the trajectory, as .csv, .json or .parquet; may be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Write the rows at [events], just before each and just after, as .csv, .json or .parquet
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Draw the trajectory, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// What the plots show, a panel each: names for their course over time, `x,y` for a plane (`x1,y1 x2,y2` for two bodies), `x,y,z`
    /// for space, `phase x`, `change energy`; definitions too; may be repeated
    #[arg(long = "panel", value_name = "WHAT", requires = "plot")]
    panels: Vec<PanelRequest>,
    #[command(flatten)]
    drawings: DrawingArguments,
    /// The times of the rows that are written, in the place of the ends of steps, and of `--frame`: `0,0.5,1`, `0:10:101` (first, last,
    /// how many); inside a step by a shorter one of the same method, with the same bits of the motion
    #[arg(id = "times", long = "at", value_name = "TIMES", value_delimiter = ',', allow_hyphen_values = true, value_parser = times)]
    at: Vec<Times>,
    /// Also record the derivatives of the motion by these parameters and starts, exact for its steps: `l,theta,theta'` gives the columns
    /// `dtheta/dl`, ...
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    sensitivity: Vec<String>,
    /// Print how the last value of a column changes with every parameter and start: `energy`, or one of [outputs]; may be repeated
    #[arg(long, value_name = "COLUMN")]
    gradient: Vec<String>,
    #[command(flatten)]
    march: MarchArguments,
    /// Write every N-th step to the files
    #[arg(long, value_name = "N", conflicts_with = "times", value_parser = clap::value_parser!(u64).range(1..))]
    record: Option<u64>,
    /// Write these columns to the files, in this order, by name or with `*`: `t,x,p_*`; definitions and errors against [exact] too
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// What a control is, an expression of the state and time: `u="-k*x - d*x'"`; may be repeated
    #[arg(long = "control", value_name = "NAME=VALUE", value_parser = assignment)]
    laws: Vec<(String, String)>,
    /// Take the controls from a file that `solve` wrote; each value holds up to the next row
    #[arg(long, value_name = "FILE")]
    controls: Option<String>,
    /// Record the conserved quantities that `analyze` finds, beside those of the model
    #[arg(long, value_enum, value_name = "WHAT")]
    track: Option<Track>,
    #[command(flatten)]
    print: PrintArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum Track {
    /// What the search for conserved quantities finds
    Found,
}

impl RunArguments {
    /// The columns of the files.
    fn columns(&self) -> Vec<String> {
        self.columns.iter().map(|name| name.trim().to_owned()).collect()
    }

    fn settings(&self, model: &Model) -> Settings {
        let march = self.march.settings(model);
        Settings {
            step: march.step.or(model.simulation().step),
            from: march.from.or(model.simulation().from),
            extent: march.extent.or(model.simulation().extent),
            record: self.record.unwrap_or(march.record),
            at: match (self.at.is_empty(), self.record) {
                (false, _) => Times::all(&self.at),
                (true, Some(_)) => Vec::new(),
                (true, None) => march.at,
            },
            sensitivity: self.sensitivity.iter().map(|name| name.trim().to_owned()).collect(),
            // Definitions are recorded where files or panels name them.
            columns: self
                .columns()
                .into_iter()
                .chain(self.panels.iter().flat_map(PanelRequest::names).cloned())
                .collect(),
            ..march
        }
    }
}

/// What a run says of itself, with what was asked for besides.
#[derive(Serialize)]
struct ReportedRun<'g> {
    #[serde(flatten)]
    summary: RunSummary,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    gradients: &'g [Gradient],
}

/// A gradient, the largest slopes first.
fn gradient_table(gradient: &Gradient) -> String {
    let Gradient { quantity, time, value, slopes } = gradient;
    let mut table = table_of_numbers(["", "slope"]);
    let mut slopes: Vec<&Slope> = slopes.iter().collect();
    slopes.sort_by(|a, b| b.slope.abs().total_cmp(&a.slope.abs()));
    for Slope { name, slope } in slopes.iter().take(MOST_SLOPES) {
        table.row([name.as_str(), &sig(*slope, 8)]);
    }
    let head = format!("\n{quantity} = {} at t = {}, and how it changes\n", sig(*value, 8), sig(*time, 8));
    format!("{head}{table}{}", and_more(slopes.len(), MOST_SLOPES, ", in --json"))
}

/// The controls of a solution.
fn given_controls(path: &str) -> Result<GivenControls, CommandError> {
    let table = SolutionTable::read(&read_file_of(path, SOLUTION_FILE)?);
    let SolutionTable { names, rows } =
        table.map_err(|error| CommandError::WarmStart { path: path.to_owned(), source: error })?;
    Ok(GivenControls { names, rows })
}

pub fn execute(arguments: &RunArguments) -> Result<Ending, CommandError> {
    spare_inputs(
        arguments.out.iter().chain(&arguments.events).chain(&arguments.plot).chain(arguments.drawings.files()),
        &[&arguments.model.model],
    )?;
    let mut overrides = arguments.march.overrides(&arguments.model);
    if let Some(path) = &arguments.controls {
        overrides = overrides.controls(given_controls(path)?);
    }
    for (name, law) in &arguments.laws {
        overrides = overrides.control(name, law);
    }
    let source = match arguments.track {
        // A drawing needs all members of a family.
        None if arguments.drawings.is_empty() && arguments.sensitivity.is_empty() && arguments.gradient.is_empty() => {
            Source::load_to_run(&arguments.model, &overrides, |model| arguments.settings(model))?
        }
        _ => Source::load_with(&arguments.model, &overrides)?,
    };
    if !arguments.print.quiet {
        source.show_warnings();
    }
    if arguments.events.is_some() && source.model.events().is_empty() {
        return Err(CommandError::NoEvents);
    }
    let columns = arguments.columns();
    let outputs = Outputs {
        trajectories: &arguments.out,
        columns: &columns,
        events: arguments.events.as_slice(),
        plots: &arguments.plot,
        panels: &arguments.panels,
        drawings: Some(&arguments.drawings),
    };
    let tracked = arguments.track.map_or_else(Vec::new, |Track::Found| tracked(&source.model));
    let finished = simulate(&source, &arguments.settings(&source.model), &tracked, &outputs, !arguments.print.quiet)?;
    let gradients: Vec<Gradient> = match finished.ending() {
        Ending::Done => arguments.gradient.iter().map(|name| finished.run.gradient(name)).collect::<Result<_, _>>()?,
        _ => Vec::new(),
    };
    if arguments.print.json {
        terminal::print_json(&ReportedRun { summary: finished.report(&source).summary(), gradients: &gradients })?;
    } else if !arguments.print.quiet {
        terminal::print(
            &(summary::of(&source, &finished) + &gradients.iter().map(gradient_table).collect::<String>()),
        )?;
    }
    summary::report_end(&finished);
    Ok(finished.ending())
}

//! `extremal fit`: parameters and starts from measured motions.

use std::path::{Path, PathBuf};

use clap::Args;
use extremal_engine::Settings;
use extremal_engine::boundary::SolutionTable;
use extremal_engine::fit::{Experiment, FitError, FitOptions, FittedModel, FittedValue, FreeValue, Residual, fit};
use extremal_engine::run::SetupError;
use extremal_engine::trajectory::plot::{Curve, Mark, Panel};
use extremal_engine::trajectory::{Column, Columns, Figure, Format, Role, sig};
use serde::Serialize;

use crate::arguments::{MethodArguments, ModelArguments, PrintArguments, SettingText, assignment, number, setting};
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::outputs::{Outputs, spare_inputs, written};
use crate::source::{Limit, Source, read_file_of};
use crate::terminal::{self, ERROR, HEADING, size, table_of_facts, table_of_numbers};

const EXAMPLES: &str = "\
Examples:
  extremal fit pendulum.toml swing.csv --free c --free theta --free l=1
  extremal fit pendulum.toml slow.csv wide.csv --free c=0.1:0:1 --each theta --deviation theta=0.01
  extremal fit pendulum.toml swing.csv --free c --plot left.svg --out left.csv --json

DATA is CSV with a header: the time first, then columns by the names that they
have in `run`; empty cells were not measured. The derivatives of the motion are
exact, so that intervals are those of the linearised problem at its solution.";

/// FittedModel parameters and starts to measured motions, with intervals of confidence
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct FitArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Measured motions, a file for each: the time in the first column, then what was measured
    #[arg(required = true, value_name = "DATA")]
    data: Vec<String>,
    /// A parameter or a start to look for, if need be with where the search begins and its bounds: `c`, `c=0.1`, `c=0.1:0:1`; may be
    /// repeated
    #[arg(long, value_name = "NAME[=GUESS[:MIN:MAX]]", value_parser = free_value)]
    free: Vec<FreeValue>,
    /// The same, of each experiment by itself
    #[arg(long, value_name = "NAME[=GUESS[:MIN:MAX]]", value_parser = free_value)]
    each: Vec<FreeValue>,
    /// What is known of experiments, one value for each file: `theta=0.1,0.2`; may be repeated
    #[arg(long, value_name = "NAME=VALUES", value_parser = assignment)]
    given: Vec<(String, String)>,
    /// The standard deviation of a column, where it is known: `theta=0.01`; may be repeated
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = assignment)]
    deviation: Vec<(String, String)>,
    /// The columns that are compared [default: all that were measured]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,
    /// The probability with which an interval contains the truth
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = probability)]
    confidence: f64,
    /// Write what was measured beside what was found, and what is left, as .csv, .json or .parquet
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the motions beside what was measured, and what is left, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    #[command(flatten)]
    method: MethodArguments,
    /// The time step, a number or an expression of the model's parameters
    #[arg(long, value_name = "H", value_parser = setting)]
    step: Option<SettingText>,
    /// The time of the start
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = setting)]
    from: Option<SettingText>,
    #[command(flatten)]
    print: PrintArguments,
}

/// The longest file of measured motions.
const DATA_FILE: Limit = Limit { bytes: 1 << 30, what: "measured motions" };

fn free_value(text: &str) -> Result<FreeValue, String> {
    let (name, rest) = text.split_once('=').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let parts: Vec<&str> = rest.map_or_else(Vec::new, |rest| rest.split(':').collect());
    let bound = |text: &str, open: f64| if text.trim().is_empty() { Ok(open) } else { number(text) };
    let free = FreeValue::new(name.trim());
    match parts[..] {
        _ if free.name.is_empty() => Err("write it as NAME, NAME=GUESS or NAME=GUESS:MIN:MAX".to_owned()),
        [] => Ok(free),
        [guess] => Ok(FreeValue { guess: Some(number(guess)?), ..free }),
        [guess, min, max] => Ok(FreeValue {
            guess: if guess.trim().is_empty() { None } else { Some(number(guess)?) },
            min: bound(min, f64::NEG_INFINITY)?,
            max: bound(max, f64::INFINITY)?,
            ..free
        }),
        _ => Err("write it as NAME, NAME=GUESS or NAME=GUESS:MIN:MAX".to_owned()),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    match value > 0.0 && value < 1.0 {
        true => Ok(value),
        false => Err("a probability lies between 0 and 1".to_owned()),
    }
}

impl FitArguments {
    fn experiments(&self) -> Result<Vec<Experiment>, CommandError> {
        let mut experiments = Vec::new();
        for path in &self.data {
            let table = SolutionTable::read(&read_file_of(path, DATA_FILE)?)
                .map_err(|source| CommandError::Data { path: path.clone(), source })?;
            let given = Vec::new();
            experiments.push(Experiment { name: path.clone(), table, given });
        }
        for (name, values) in &self.given {
            let values: Vec<f64> = values
                .split(',')
                .map(number)
                .collect::<Result<_, _>>()
                .map_err(|message| CommandError::Given { name: name.clone(), message })?;
            if values.len() != experiments.len() {
                let message = format!("there are {} values for {} files", values.len(), experiments.len());
                return Err(CommandError::Given { name: name.clone(), message });
            }
            for (experiment, value) in experiments.iter_mut().zip(values) {
                experiment.given.push((name.clone(), value));
            }
        }
        Ok(experiments)
    }

    fn options(&self) -> Result<FitOptions, CommandError> {
        let deviation = |(name, value): &(String, String)| match number(value) {
            Ok(value) => Ok((name.clone(), value)),
            Err(message) => Err(CommandError::Given { name: name.clone(), message }),
        };
        Ok(FitOptions {
            columns: self.columns.iter().map(|name| name.trim().to_owned()).collect(),
            deviations: self.deviation.iter().map(deviation).collect::<Result<_, _>>()?,
            confidence: self.confidence,
        })
    }
}

#[derive(Serialize)]
struct ReportedFit<'a> {
    model: &'a str,
    method: String,
    step: Option<f64>,
    confidence: f64,
    #[serde(flatten)]
    fit: &'a FittedModel,
}

pub fn execute(arguments: &FitArguments) -> Result<Ending, CommandError> {
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    let inputs: Vec<&str> =
        [arguments.model.model.as_str()].into_iter().chain(arguments.data.iter().map(String::as_str)).collect();
    spare_inputs(arguments.out.iter().chain(&arguments.plot), &inputs)?;
    let overrides = arguments.model.overrides_with(arguments.step.as_ref(), arguments.from.as_ref(), None);
    let source = Source::load_with(&arguments.model, &overrides)?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let of_model = arguments.method.settings(&source.model);
    let number_of = |text: &Option<SettingText>| text.as_ref().and_then(SettingText::number);
    let settings = Settings {
        step: number_of(&arguments.step).or(of_model.step),
        from: number_of(&arguments.from).or(of_model.from),
        ..of_model
    };
    let experiments = arguments.experiments()?;
    let each = arguments.each.iter().cloned().map(|free| FreeValue { each: true, ..free });
    let free: Vec<FreeValue> = arguments.free.iter().cloned().chain(each).collect();
    let interrupt = Interrupt::listen();
    let found = fit(&source.model, &settings, &free, &experiments, &arguments.options()?, || interrupt.asked())?;
    let mut files = Vec::new();
    if let Some(path) = &arguments.out {
        write_residuals(path, &found)?;
        files.push(path.clone());
    }
    for path in &arguments.plot {
        figure(&source, &found, &experiments).save(path)?;
        files.push(path.clone());
    }
    if arguments.print.json {
        let (model, method) = (source.title(), settings.method.to_string());
        let reported =
            ReportedFit { model, method, step: settings.step, confidence: arguments.confidence, fit: &found };
        terminal::print_json(&reported)?;
    } else if !arguments.print.quiet {
        terminal::print(&(summary(&source, &found, arguments.confidence) + &written(&files)))?;
    }
    if interrupt.asked() {
        return Ok(Ending::Interrupted);
    }
    if !found.converged {
        terminal::print_error(&format!("{ERROR}error{ERROR:#}: {}\n", NOT_CONVERGED));
        return Ok(Ending::Failed);
    }
    Ok(Ending::Done)
}

const NOT_CONVERGED: &str =
    "the search did not come to an end: these values are no fit; begin closer, or with fewer of them free";

fn summary(source: &Source, fit: &FittedModel, confidence: f64) -> String {
    let mut facts = table_of_facts();
    let chi = format!("{} for {} degrees of freedom", sig(fit.chi_squared, 6), fit.degrees_of_freedom);
    facts.row(["chi squared", &chi]);
    facts.row(["search", &format!("{} iterations", fit.iterations)]);
    let percent = format!("interval of {} %", sig(100.0 * confidence, 4));
    let mut values = table_of_numbers(["", "value", "deviation", percent.as_str()]);
    for FittedValue { name, experiment, value, deviation, interval } in &fit.values {
        let name = experiment.as_ref().map_or_else(|| name.clone(), |of| format!("{name} of {of}"));
        let deviation = deviation.map_or_else(|| "at its bound".to_owned(), size);
        let interval = interval.map_or_else(String::new, |[low, high]| format!("{} to {}", sig(low, 6), sig(high, 6)));
        values.row([name.as_str(), &sig(*value, 8), &deviation, &interval]);
    }
    let mut columns = table_of_numbers(["measured", "numbers", "deviation", "left (rms)"]);
    for column in &fit.columns {
        let stated = if column.stated { "" } else { " found" };
        let deviation = format!("{}{stated}", size(column.deviation));
        columns.row([column.name.as_str(), &column.measured.to_string(), &deviation, &size(column.left)]);
    }
    format!("{HEADING}{}{HEADING:#}\n\n{facts}\n{values}\n{columns}", source.title())
}

/// A row for each time of each experiment (from 1): what was measured in each column, what the motion says in its place, the difference.
fn write_residuals(path: &Path, fit: &FittedModel) -> Result<(), CommandError> {
    let own = |name: &String| [name.clone(), format!("{name}_found"), format!("{name}_left")];
    let names = ["t".to_owned(), "experiment".to_owned()]
        .into_iter()
        .chain(fit.columns.iter().flat_map(|column| own(&column.name)));
    let columns = Columns::new(names.map(|name| Column::new(name, Role::Output))).map_err(SetupError::from)?;
    let mut sink = Format::of(path)?.create(path, &columns)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut residuals: Vec<&Residual> = fit.residuals.iter().collect();
    residuals.sort_by(|a, b| a.experiment.cmp(&b.experiment).then(a.time.total_cmp(&b.time)));
    for residual in residuals {
        let (time, experiment) = (residual.time, residual.experiment as f64 + 1.0);
        if rows.last().is_none_or(|row| row[..2] != [time, experiment]) {
            let mut row = vec![f64::NAN; columns.len()];
            (row[0], row[1]) = (time, experiment);
            rows.push(row);
        }
        if let Some(row) = rows.last_mut() {
            let first = 2 + 3 * residual.column;
            row[first..first + 3].copy_from_slice(&[
                residual.measured,
                residual.found,
                residual.measured - residual.found,
            ]);
        }
    }
    let failed = |source| CommandError::WriteExport { path: path.to_owned(), source };
    rows.iter().try_for_each(|row| sink.write_row(row)).map_err(failed)?;
    sink.finish().map_err(failed)
}

/// For each column the motions beside what was measured, and what is left.
fn figure(source: &Source, fit: &FittedModel, experiments: &[Experiment]) -> Figure {
    let mut figure = Figure::new(source.title()).subtitle(format!(
        "chi squared {} for {}",
        sig(fit.chi_squared, 5),
        fit.degrees_of_freedom
    ));
    for (column, described) in fit.columns.iter().enumerate() {
        let of = |experiment: usize| {
            fit.residuals.iter().filter(move |residual| residual.experiment == experiment && residual.column == column)
        };
        let curves = experiments.iter().enumerate().flat_map(|(at, experiment)| {
            let found = Curve::new(&experiment.name, of(at).map(|residual| (residual.time, residual.found)));
            let measured = of(at).map(|residual| (residual.time, residual.measured));
            [found, Curve::new(&format!("{}, measured", experiment.name), measured).mark(Mark::Points)]
        });
        let title = format!("{} over time", described.name);
        figure = figure.panel(Panel::new(&title).x_label("time").y_label(&described.name).curves(curves));
        let left = experiments.iter().enumerate().map(|(at, experiment)| {
            let points = of(at).map(|residual| (residual.time, residual.measured - residual.found));
            Curve::new(&experiment.name, points).mark(Mark::Points)
        });
        let title = format!("What is left of {}", described.name);
        figure =
            figure.panel(Panel::new(&title).x_label("time").y_label("measured less found").zero_line().curves(left));
    }
    figure
}

impl From<FitError> for CommandError {
    fn from(error: FitError) -> CommandError {
        match error {
            FitError::Setup(error) => CommandError::Setup(error),
            FitError::Values(error) => CommandError::Sweep(error),
            FitError::Record(error) => CommandError::Record(error),
            other => CommandError::Fit(other),
        }
    }
}

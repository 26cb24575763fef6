//! `extremal compare`: methods against steps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use extremal_engine::compare::{
    Against, ComparedCurve, ComparedSample, ComparisonFile, ComparisonRow, compare_over_time, compared_names,
};
use extremal_engine::model::{Composition, CompositionBase, Extent, Quadrature, StateLaw};
use extremal_engine::run::{SettingsError, SetupError};
use extremal_engine::trajectory::frame::FrameFormat;
use extremal_engine::trajectory::{Align, Table, shortest};
use extremal_engine::{Method, Model, Settings};

use crate::arguments::{self, ModelArguments, SettingText, StepArguments};
use crate::compare_figure::{MOST_COORDINATES, measured, over_steps, over_time, worst};
use crate::failure::{CommandError, Ending};
use crate::outputs::{Outputs, spare_inputs, written};
use crate::progress::Spinner;
use crate::source::Source;
use crate::terminal::{self, ERROR, HEADING, duration};

const EXAMPLES: &str = "\
Examples:
  extremal compare gallery:harmonic-oscillator
  extremal compare gallery:pendulum --methods midpoint,rk4 --steps 0.1,0.05,0.025 --until 10
  extremal compare gallery:kepler --methods \"galerkin(2),compose(suzuki4, midpoint)\" --plot orders.svg
  extremal compare gallery:cart-with-friction --methods midpoint,energy-entropy --start legendre
  extremal compare gallery:cart-with-friction --methods left --steps 0.2,0.1 --over time --plot errors.svg --out errors.csv

Errors are the largest at any step; an order is measured from a row and the row
above it. On a chaotic motion, or at round-off, there is no order to measure.
The energy drift is the distance from the energy of the stated start.";

/// The steps are this often halved if none are given.
const HALVINGS: i32 = 3;

/// Run several methods with several steps: errors, measured orders, work
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CompareArguments {
    #[command(flatten)]
    model: ModelArguments,
    // The full path keeps clap from taking each value as one of several.
    /// The methods, between commas [default: left, midpoint, trapezoidal, rk4, and the best for the
    /// model: galerkin(2), energy-entropy with entropies, suzuki4 with velocity constraints; those of them
    /// that are defined from momenta; difference and hermite for accelerations]
    #[arg(long, value_parser = arguments::methods, value_name = "A,B,..")]
    methods: Option<std::vec::Vec<Method>>,
    /// The steps, between commas, largest first [default: the step of the model, halved three times]
    #[arg(long, value_delimiter = ',', value_name = "H1,H2,..", allow_negative_numbers = true, value_parser = arguments::number)]
    steps: Vec<f64>,
    /// The time to end at
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = arguments::setting)]
    until: Option<SettingText>,
    /// What the errors are measured against [default: exact if the model has closed forms, else dop853]
    #[arg(long, value_enum, value_name = "TRUTH")]
    against: Option<Truth>,
    #[command(flatten)]
    step: StepArguments,
    /// Measure errors and energy at the first N samples only, the start, where there is none, being the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    first: Option<u64>,
    /// Leave out the first N samples of errors and energy
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Write every sample with its truth, errors and energies, as .csv or .parquet; may be repeated
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
    /// Draw errors and energy, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    /// What `--plot` draws them over [default: the steps, or the time where there is one step]
    #[arg(long, value_enum, value_name = "AXIS", requires = "plot")]
    over: Option<FigureAxis>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Truth {
    /// The closed forms that the model gives
    Exact,
    /// A reference solution of order 8 at tolerance 1e-13
    Dop853,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FigureAxis {
    /// Motions, errors and energies over time, beside the truth
    Time,
    /// Largest errors and energy drifts over the step
    Step,
}

impl CompareArguments {
    fn against(&self, model: &Model) -> Against {
        match self.against {
            Some(Truth::Exact) => Against::Exact,
            Some(Truth::Dop853) => Against::Dop853,
            None if model.exact().is_empty() => Against::Dop853,
            None => Against::Exact,
        }
    }

    fn methods(&self, model: &Model) -> Vec<Method> {
        let holonomic = model.constraints().iter().all(|c| c.kind.nature().binds_positions);
        let best = match (model.entropies().is_empty(), model.constraints().is_empty()) {
            (true, _) if holonomic => Method::Galerkin { degree: 2, quadrature: Quadrature::Gauss(2) },
            (false, true) => Method::EnergyEntropy(1),
            _ => Method::Compose { composition: Composition::Suzuki4, base: CompositionBase::Midpoint },
        };
        let composed = || Method::Compose { composition: Composition::Suzuki4, base: CompositionBase::Midpoint };
        let default = || match (model.state_law(), model.momentum_order(), model.order()) {
            (StateLaw::Action, ..) => {
                vec![Method::Left, Method::Midpoint, Method::Trapezoidal, composed(), Method::Rk4]
            }
            (StateLaw::Poisson(_), ..) => vec![Method::Midpoint, composed(), Method::EnergyEntropy(2), Method::Rk4],
            (_, None, 1) => vec![Method::Left, Method::Midpoint, Method::Trapezoidal, best, Method::Rk4],
            (_, None, 2) => vec![Method::Difference, Method::Hermite],
            (_, None, _) => vec![Method::Hermite],
            (_, Some(_), _) => vec![Method::Midpoint, Method::galerkin(2), Method::Rk4],
        };
        self.methods.clone().unwrap_or_else(default)
    }

    fn steps(&self, settings: &Settings) -> Result<Vec<f64>, SettingsError> {
        if !self.steps.is_empty() {
            return Ok(self.steps.clone());
        }
        let step = settings.step.ok_or(SettingsError::NoStep)?;
        Ok((0..=HALVINGS).map(|k| step / 2f64.powi(k)).collect())
    }
}

pub fn execute(arguments: &CompareArguments) -> Result<Ending, CommandError> {
    Outputs { trajectories: &arguments.out, plots: &arguments.plot, ..Outputs::default() }.check()?;
    let files: Vec<PathBuf> = arguments.out.iter().chain(&arguments.plot).cloned().collect();
    spare_inputs(&files, &[&arguments.model.model])?;
    for path in &arguments.out {
        FrameFormat::of(path)?;
    }
    let overrides = arguments.model.overrides_with(None, arguments.until.as_ref());
    let source = Source::load_with(&arguments.model, &overrides)?;
    source.show_warnings();
    let mut settings = arguments.step.applied_to(Settings::of(&source.model));
    settings.extent = arguments.until.as_ref().and_then(SettingText::number).map(Extent::Until).or(settings.extent);
    let samples = arguments.skip..arguments.first.unwrap_or(u64::MAX);
    let steps = arguments.steps(&settings).map_err(SetupError::from)?;
    let against = arguments.against(&source.model);
    let names = compared_names(&source.model, against);
    let axis = arguments.over.unwrap_or(if steps.len() > 1 { FigureAxis::Step } else { FigureAxis::Time });
    let draws_motions = !arguments.plot.is_empty() && axis == FigureAxis::Time;
    let mut outputs = Vec::new();
    for path in &arguments.out {
        outputs.push(ComparisonFile::create(path, &names)?);
    }
    let (mut curves, mut refused) = (Vec::new(), None);
    let mut watch = |sample: &ComparedSample<'_>| {
        for output in &mut outputs {
            refused = refused.take().or(output.push(sample).err());
        }
        if draws_motions {
            ComparedCurve::collect(&mut curves, sample);
        }
    };
    let watch: Option<&mut dyn FnMut(&ComparedSample<'_>)> = match draws_motions || !arguments.out.is_empty() {
        true => Some(&mut watch),
        false => None,
    };
    let methods = arguments.methods(&source.model);
    let spinner = Spinner::new("comparing");
    let rows = compare_over_time(&source.model, &settings, &methods, &steps, against, samples, watch);
    spinner.clear();
    let rows = rows?;
    refused.map_or(Ok(()), Err)?;
    for output in outputs {
        output.finish()?;
    }
    for path in &arguments.plot {
        let figure = match axis {
            FigureAxis::Time => over_time(&source, &names, &rows, &curves, against),
            FigureAxis::Step => over_steps(&source, &rows, against),
        };
        figure.save(path)?;
    }
    if arguments.json {
        terminal::print_json(&BTreeMap::from([("rows", &rows)]))?;
    } else {
        let title = format!("{HEADING}{}{HEADING:#}, {}", source.title(), measured(against));
        terminal::print(&format!("{title}\n\n{}{}", table(&rows), written(&files)))?;
    }
    for row in &rows {
        if let Some(failure) = &row.failure {
            let step = shortest(row.step);
            terminal::print_error(&format!("{ERROR}error{ERROR:#}: {}, step {step}: {failure}\n", row.method));
        }
    }
    Ok(if rows.iter().any(|row| row.failure.is_some()) { Ending::Failed } else { Ending::Done })
}

fn table(rows: &[ComparisonRow]) -> Table {
    let coordinates = rows.first().map_or(0, |row| row.errors.len());
    let mut headers = vec![("method".to_owned(), Align::Left), ("step".to_owned(), Align::Right)];
    let names: Vec<String> = match rows.first() {
        Some(row) if coordinates <= MOST_COORDINATES => row.errors.iter().map(|(name, _)| name.clone()).collect(),
        _ => vec!["largest".to_owned()],
    };
    for name in names {
        headers.push((format!("error {name}"), Align::Right));
        headers.push(("order".to_owned(), Align::Right));
    }
    for header in ["energy drift", "iterations", "time"] {
        headers.push((header.to_owned(), Align::Right));
    }
    let mut table = Table::new(headers.iter().map(|(name, align)| (name.as_str(), *align)));
    for row in rows {
        let mut cells = vec![row.method.to_string(), shortest(row.step)];
        let shown: Vec<usize> = match coordinates <= MOST_COORDINATES {
            true => (0..coordinates).collect(),
            false => vec![worst(row)],
        };
        for at in shown {
            cells.push(if row.failure.is_some() { "failed".to_owned() } else { four_digits(row.errors[at].1) });
            cells.push(row.orders[at].1.map_or_else(|| "-".to_owned(), |order| format!("{order:.2}")));
        }
        cells.extend([
            four_digits(row.energy_drift),
            row.work.iterations.to_string(),
            duration(Duration::from_secs_f64(row.work.seconds)),
        ]);
        table.row(cells);
    }
    table
}

/// As published tables print errors.
fn four_digits(x: f64) -> String {
    match x {
        0.0 => "0".to_owned(),
        _ if x.is_nan() => "-".to_owned(),
        _ => format!("{x:.3e}"),
    }
}

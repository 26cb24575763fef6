//! `extremal orbit`: motions that come back to where they began.

use std::path::PathBuf;

use clap::Args;
use extremal_engine::Settings;
use extremal_engine::orbit::{OrbitSearch, PeriodicOrbit, continued};
use extremal_engine::sweep::{AdjustableRun, Axis};
use extremal_engine::trajectory::plot::{Curve, Mark, Panel};
use extremal_engine::trajectory::{Figure, sig};
use extremal_engine::{CompiledRun, model::Extent};
use serde::Serialize;

use crate::arguments::{MethodArguments, ModelArguments, PrintArguments, SettingText, number, setting};
use crate::failure::{CommandError, Ending};
use crate::outputs::{Outputs, spare_inputs, written};
use crate::source::Source;
use crate::terminal::{self, ERROR, HEADING, size, table_of_facts, table_of_numbers};

const EXAMPLES: &str = "\
Examples:
  extremal orbit gallery:van-der-pol --set x=2 --period 6.6
  extremal orbit gallery:three-body-figure-eight --period 6.3
  extremal orbit gallery:van-der-pol --set x=2 --period 6.6 --along mu=1:3:9 --plot family.svg

The search begins with the start of the model and changes it as little as it
can; the period is changed too, unless it is fixed or the equations depend on
time. Multipliers are those of the discrete motion, by its exact derivative.";

/// Periodic motions: period, multipliers, and how they change with a parameter
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct OrbitArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// About how long it takes
    #[arg(long, value_name = "T", value_parser = number)]
    period: f64,
    /// It takes exactly that long
    #[arg(long)]
    fixed: bool,
    /// In how many steps [default: those of the model's step]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    steps: Option<u64>,
    /// Follow it along the values of a parameter
    #[arg(long, value_name = "NAME=FROM:TO:COUNT")]
    along: Option<Axis>,
    /// Draw periods and multipliers along the parameter, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE", requires = "along")]
    plot: Vec<PathBuf>,
    #[command(flatten)]
    method: MethodArguments,
    /// The time step, a number or an expression of the model's parameters; the period is divided into as many as are nearest
    #[arg(long, value_name = "H", value_parser = setting, conflicts_with = "steps")]
    step: Option<SettingText>,
    /// The time of the start
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = setting)]
    from: Option<SettingText>,
    #[command(flatten)]
    print: PrintArguments,
}

/// An orbit with the value of the parameter that it belongs to.
#[derive(Serialize)]
struct OrbitOfFamily<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(flatten)]
    orbit: &'a PeriodicOrbit,
}

#[derive(Serialize)]
struct ReportedOrbits<'a> {
    model: &'a str,
    method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    along: Option<&'a str>,
    orbits: Vec<OrbitOfFamily<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<String>,
}

pub fn execute(arguments: &OrbitArguments) -> Result<Ending, CommandError> {
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    spare_inputs(&arguments.plot, &[&arguments.model.model])?;
    let overrides = arguments.model.overrides_with(arguments.step.as_ref(), arguments.from.as_ref(), None);
    let source = Source::load_with(&arguments.model, &overrides)?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let of_model = arguments.method.settings(&source.model);
    let number_of = |text: &Option<SettingText>| text.as_ref().and_then(SettingText::number);
    let stated = number_of(&arguments.step).or(of_model.step);
    let count = |step: f64| (arguments.period / step).round().max(2.0) as u64;
    let Some(steps) = arguments.steps.or(stated.filter(|step| *step > 0.0).map(count)) else {
        return Err(CommandError::Period(arguments.period));
    };
    let settings = Settings {
        step: Some(arguments.period.abs() / steps as f64),
        from: number_of(&arguments.from).or(of_model.from),
        extent: Some(Extent::Steps(steps)),
        at: Vec::new(),
        ..of_model
    };
    let search = OrbitSearch { period: arguments.period, steps, fixed: arguments.fixed };
    let values: Vec<f64> = arguments.along.iter().flat_map(|axis| (0..axis.len()).map(|at| axis.value(at))).collect();
    let (orbits, ended) = match &arguments.along {
        None => (vec![CompiledRun::new(&source.model, &settings)?.orbit(&search)?], None),
        Some(axis) => continued(&mut AdjustableRun::new(&source.model, &settings)?, &search, &axis.name, &values)?,
    };
    for path in &arguments.plot {
        figure(&source, arguments, &values, &orbits).save(path)?;
    }
    let ended_by = ended.map(|error| error.to_string());
    if arguments.print.json {
        let members =
            orbits.iter().enumerate().map(|(at, orbit)| OrbitOfFamily { value: values.get(at).copied(), orbit });
        let along = arguments.along.as_ref().map(|axis| axis.name.as_str());
        let (model, method) = (source.title(), settings.method.to_string());
        let ended_by = ended_by.clone();
        terminal::print_json(&ReportedOrbits { model, method, along, orbits: members.collect(), ended_by })?;
    } else if !arguments.print.quiet {
        let text = match (&arguments.along, &orbits[..]) {
            (Some(axis), _) => family(&source, &axis.name, &values, &orbits),
            (None, [orbit]) => summary(&source, &settings, orbit),
            (None, _) => String::new(),
        };
        terminal::print(&(text + &written(&arguments.plot)))?;
    }
    match ended_by {
        None => Ok(Ending::Done),
        Some(reason) => {
            let value = sig(values[orbits.len()], 8);
            terminal::print_error(&format!("{ERROR}error{ERROR:#}: at {value}: {reason}\n"));
            Ok(Ending::Failed)
        }
    }
}

fn multiplier([re, im]: [f64; 2]) -> String {
    match im {
        0.0 => sig(re, 8),
        im => format!("{} {} {}i", sig(re, 8), if im < 0.0 { "-" } else { "+" }, sig(im.abs(), 8)),
    }
}

fn summary(source: &Source, settings: &Settings, orbit: &PeriodicOrbit) -> String {
    let mut facts = table_of_facts();
    facts.row(["method", &format!("{}, {} steps", settings.method, orbit.steps)]);
    facts.row(["period", &format!("{}, found in {} iterations", sig(orbit.period, 12), orbit.iterations)]);
    facts.row(["missed", &size(orbit.missed)]);
    let mut start = table_of_numbers(["", "start"]);
    for (name, value) in orbit.names.iter().zip(&orbit.state) {
        start.row([name.as_str(), &sig(*value, 12)]);
    }
    let mut multipliers = table_of_numbers(["multiplier", "value", "size"]);
    for (at, value) in orbit.multipliers.iter().enumerate() {
        multipliers.row([&format!("{}", at + 1), &multiplier(*value), &sig(value[0].hypot(value[1]), 8)]);
    }
    format!("{HEADING}{}{HEADING:#}\n\n{facts}\n{start}\n{multipliers}", source.title())
}

fn family(source: &Source, name: &str, values: &[f64], orbits: &[PeriodicOrbit]) -> String {
    let mut table = table_of_numbers([name, "period", "missed", "largest multiplier"]);
    for (value, orbit) in values.iter().zip(orbits) {
        let largest = sig(orbit.largest_multiplier(), 8);
        table.row([&sig(*value, 8), &sig(orbit.period, 10), &size(orbit.missed), &largest]);
    }
    format!("{HEADING}{}{HEADING:#}\n\n{table}", source.title())
}

fn figure(source: &Source, arguments: &OrbitArguments, values: &[f64], orbits: &[PeriodicOrbit]) -> Figure {
    let name = arguments.along.as_ref().map_or("", |axis| axis.name.as_str());
    let points = |of: &dyn Fn(&PeriodicOrbit) -> f64| -> Vec<(f64, f64)> {
        values.iter().zip(orbits).map(|(value, orbit)| (*value, of(orbit))).collect()
    };
    let periods = Curve::new("", points(&|orbit| orbit.period)).mark(Mark::LineAndPoints);
    let largest = Curve::new("", points(&PeriodicOrbit::largest_multiplier)).mark(Mark::LineAndPoints);
    Figure::new(source.title())
        .panel(Panel::new("Period").x_label(name).y_label("period").curve(periods))
        .panel(Panel::new("Largest multiplier").x_label(name).y_label("size").curve(largest))
}

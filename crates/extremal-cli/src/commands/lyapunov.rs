//! `extremal lyapunov`: how small changes of a motion grow.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use extremal_engine::lyapunov::{LyapunovOptions, LyapunovSpectrum};
use extremal_engine::trajectory::plot::{Curve, Panel};
use extremal_engine::trajectory::{Figure, sig};
use extremal_engine::{CompiledRun, Settings};
use serde::Serialize;

use crate::arguments::{MarchArguments, ModelArguments, PrintArguments, number};
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::outputs::{Outputs, spare_inputs, written};
use crate::progress::ProgressMeter;
use crate::source::Source;
use crate::terminal::{self, HEADING, WARNING, size, table_of_facts, table_of_numbers};

const EXAMPLES: &str = "\
Examples:
  extremal lyapunov gallery:double-pendulum --until 2000 --transient 100
  extremal lyapunov gallery:henon-heiles --until 5000 --plot settling.svg
  extremal lyapunov my-lattice.toml --until 1000 --exponents 3 --json

The exponents are those of the steps, by their exact derivatives; directions
are made orthonormal after every step. For methods that carry positions and
momenta symplectically the sum vanishes, and exponents come in pairs.";

/// Lyapunov exponents: how fast small changes of a motion grow
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct LyapunovArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// For how long the motion goes on before growth counts
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = number)]
    transient: f64,
    /// How many of the largest exponents [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    exponents: Option<u32>,
    /// Draw how the means settle, as .svg or .png; may be repeated
    #[arg(long, value_name = "FILE")]
    plot: Vec<PathBuf>,
    #[command(flatten)]
    march: MarchArguments,
    #[command(flatten)]
    print: PrintArguments,
}

/// The spectrum with what it belongs to.
#[derive(Serialize)]
struct ReportedSpectrum<'a> {
    model: &'a str,
    method: String,
    step: f64,
    #[serde(flatten)]
    spectrum: &'a LyapunovSpectrum,
}

pub fn execute(arguments: &LyapunovArguments) -> Result<Ending, CommandError> {
    Outputs { plots: &arguments.plot, ..Outputs::default() }.check()?;
    spare_inputs(&arguments.plot, &[&arguments.model.model])?;
    let source = Source::load_with(&arguments.model, &arguments.march.overrides(&arguments.model))?;
    if !arguments.print.quiet {
        source.show_warnings();
    }
    let settings = arguments.march.settings(&source.model);
    let simulation = source.model.simulation();
    let settings = Settings {
        step: settings.step.or(simulation.step),
        from: settings.from.or(simulation.from),
        extent: settings.extent.or(simulation.extent),
        at: Vec::new(),
        ..settings
    };
    let run = CompiledRun::new(&source.model, &settings)?;
    let options =
        LyapunovOptions { transient: arguments.transient, exponents: arguments.exponents.map(|count| count as usize) };
    let interrupt = Interrupt::listen();
    let mut bar = (!arguments.print.quiet).then(ProgressMeter::new);
    let spectrum = run.lyapunov(&options, |now| {
        if let Some(bar) = &mut bar {
            bar.show(now);
        }
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if let Some(bar) = &bar {
        bar.clear();
    }
    let spectrum = spectrum?;
    for path in &arguments.plot {
        figure(&source, &run, &spectrum).save(path)?;
    }
    if arguments.print.json {
        let (model, method, step) = (source.title(), run.method().to_string(), run.step());
        terminal::print_json(&ReportedSpectrum { model, method, step, spectrum: &spectrum })?;
    } else if !arguments.print.quiet {
        terminal::print(&(summary(&source, &run, &spectrum) + &written(&arguments.plot)))?;
    }
    Ok(if spectrum.interrupted { Ending::Interrupted } else { Ending::Done })
}

fn summary(source: &Source, run: &CompiledRun, spectrum: &LyapunovSpectrum) -> String {
    let LyapunovSpectrum { exponents, sum, pairs, dimension, time, steps, .. } = spectrum;
    let mut facts = table_of_facts();
    facts.row(["method", &format!("{}, step {}", run.method(), sig(run.step(), 8))]);
    facts.row(["time", &format!("{} in {steps} steps, behind the transient", sig(*time, 8))]);
    if let Some(sum) = sum {
        facts.row(["sum", &format!("{}, the mean growth of volume", size(*sum))]);
    }
    if let Some(pairs) = pairs {
        facts.row(["pairs", &format!("{} is the largest sum of two that symplectic steps pair", size(*pairs))]);
    }
    if let Some(dimension) = dimension {
        facts.row(["dimension", &format!("{}, by Kaplan and Yorke", sig(*dimension, 6))]);
    }
    let mut table = table_of_numbers(["exponent", "value", "error of the mean"]);
    for (at, exponent) in exponents.iter().enumerate() {
        table.row([&format!("{}", at + 1), &sig(exponent.value, 6), &size(exponent.error)]);
    }
    let mut out = format!("{HEADING}{}{HEADING:#}\n\n{facts}\n{table}", source.title());
    if spectrum.interrupted {
        out.push_str(&format!("\n{WARNING}note{WARNING:#}: interrupted; the means are those up to there\n"));
    }
    out
}

/// How the means settle.
fn figure(source: &Source, run: &CompiledRun, spectrum: &LyapunovSpectrum) -> Figure {
    let curve = |at: usize| {
        let points = spectrum.course.iter().map(move |row| (row[0], row[at + 1]));
        Curve::new(&format!("{}", at + 1), points)
    };
    let panel = Panel::new("Mean growth").x_label("time").y_label("exponent").zero_line();
    Figure::new(source.title())
        .subtitle(format!("Lyapunov exponents, {}, h = {}", run.method(), sig(run.step(), 6)))
        .panel(panel.curves((0..spectrum.exponents.len()).map(curve)))
}

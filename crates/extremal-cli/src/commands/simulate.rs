//! What `run` and the command without a name share: a simulation with its files and plots.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use extremal_engine::run::{End, EnergyLaw, Outcome, Report, Tracked};
use extremal_engine::trajectory::plot::Selection;
use extremal_engine::trajectory::{Figure, sig};
use extremal_engine::{CompiledRun, Recorder, Settings};

use crate::drawings::DrawingArguments;
use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::outputs::Outputs;
use crate::progress::ProgressMeter;
use crate::source::Source;

/// A simulation that came to an end, whichever.
pub struct FinishedRun {
    pub run: CompiledRun,
    pub outcome: Outcome,
    pub recorder: Recorder,
    pub elapsed: Duration,
    /// The processor's time for it, which does not depend on what else the machine does.
    pub processor: Duration,
    /// From the model to the first step.
    pub ready: Duration,
    pub written: Vec<PathBuf>,
}

/// Runs the model, with a progress bar if `progress` is wanted; an interrupt ends the run in good order.
pub fn simulate(
    source: &Source,
    settings: &Settings,
    tracked: &[Tracked],
    outputs: &Outputs<'_>,
    progress: bool,
) -> Result<FinishedRun, CommandError> {
    outputs.check()?;
    if let Some(drawings) = outputs.drawings {
        drawings.check(&source.model)?;
    }
    let interrupt = Interrupt::listen();
    let clock = Instant::now();
    let run = match &source.lattice {
        Some(lattice) => CompiledRun::of_lattice(&source.model, lattice)?,
        None => CompiledRun::tracking(&source.model, settings, tracked)?,
    };
    let mut recorder = run.recorder();
    outputs.panels.iter().try_for_each(|panel| panel.check(recorder.columns()))?;
    if let Some(chosen) = run.written_columns(outputs.columns)? {
        recorder = recorder.writing(chosen);
    }
    if outputs.plots.is_empty() && outputs.drawings.is_none_or(DrawingArguments::is_empty) {
        recorder = recorder.for_files_only();
    }
    for path in outputs.trajectories {
        recorder.add_file(path)?;
    }
    for path in outputs.events {
        recorder.add_events_file(path)?;
    }
    let mut bar = progress.then(ProgressMeter::new);
    let ready = clock.elapsed();
    let (clock, processor) = (Instant::now(), ProcessTime::now());
    let outcome = run.execute(&mut recorder, |now| {
        if let Some(bar) = &mut bar {
            bar.show(now);
        }
        if interrupt.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let (elapsed, processor) = (clock.elapsed(), processor.elapsed());
    if let Some(bar) = &bar {
        bar.clear();
    }
    let outcome = outcome?;
    let mut written: Vec<PathBuf> = outputs.trajectories.iter().chain(outputs.events).cloned().collect();
    if recorder.rows() > 1 && !outputs.plots.is_empty() {
        let energy_changes = EnergyLaw::of(&source.model).why_it_changes().is_some();
        let panels = outputs.panels.to_vec();
        let selection = Selection { energy_changes, panels, ..Selection::default() };
        let figure = Figure::with_selection(source.title(), recorder.columns(), recorder.series(), &selection)?
            .subtitle(format!("{}, h = {}", run.method(), sig(run.step().abs(), 6)));
        for path in outputs.plots {
            figure.save(path)?;
            written.push(path.clone());
        }
    }
    if let Some(drawings) = outputs.drawings {
        drawings.save(&source.model, source.title(), &recorder, &settings.at, &mut written)?;
    }
    Ok(FinishedRun { run, outcome, recorder, elapsed, processor, ready, written })
}

impl FinishedRun {
    /// All that is to be said about it.
    pub fn report<'r>(&'r self, source: &'r Source) -> Report<'r> {
        Report {
            model: &source.model,
            run: &self.run,
            outcome: &self.outcome,
            recorder: &self.recorder,
            warnings: source
                .warnings()
                .chain(self.run.notes())
                .chain(self.outcome.passage_warnings())
                .chain(self.outcome.warnings.iter().map(ToString::to_string))
                .collect(),
        }
    }

    /// The exit of the command.
    pub fn ending(&self) -> Ending {
        match self.outcome.end {
            End::Reached | End::Stopped { .. } | End::Accumulated { .. } => Ending::Done,
            End::Failed(_) => Ending::Failed,
            End::Interrupted => Ending::Interrupted,
        }
    }
}

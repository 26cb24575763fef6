//! Models of the gallery, settings of runs, and runs with everything they record.

use std::ops::ControlFlow;

use extremal_engine::model::Extent;
use extremal_engine::run::{End, Outcome};
use extremal_engine::solve::StepFailure;
use extremal_engine::{CompiledRun, Model, Recorder, Settings};

use crate::models::{model, model_with};

/// The text of a model of the gallery.
pub fn gallery_text(name: &str) -> &'static str {
    extremal_engine::gallery::text(name).unwrap_or_else(|| panic!("no gallery model {name}"))
}

/// A model of the gallery.
pub fn gallery(name: &str) -> Model {
    model(gallery_text(name))
}

/// A model of the gallery with some of its parameters replaced.
pub fn gallery_with(name: &str, parameters: &[(&str, &str)]) -> Model {
    model_with(gallery_text(name), parameters)
}

/// The settings of a model with another method and step.
pub fn with(model: &Model, method: &str, step: f64) -> Settings {
    Settings { method: method.parse().unwrap(), step: Some(step), ..Settings::of(model) }
}

/// The settings of the reference solution: DOP853 near its round-off, recorded every `step`.
pub fn reference(model: &Model, step: f64) -> Settings {
    Settings { tolerance: Some(1e-14), ..with(model, "dop853", step) }
}

/// Settings of runs that last longer or shorter than stated.
pub trait Lasting {
    /// The same settings until another time.
    fn until(self, end: f64) -> Settings;

    /// The same settings for so many steps.
    fn steps(self, count: u64) -> Settings;
}

impl Lasting for Settings {
    fn until(self, end: f64) -> Settings {
        Settings { extent: Some(Extent::Until(end)), ..self }
    }

    fn steps(self, count: u64) -> Settings {
        Settings { extent: Some(Extent::Steps(count)), ..self }
    }
}

/// For runs that nobody interrupts.
pub fn go_on<T>(_: T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A run and everything it recorded.
pub struct RecordedRun {
    /// How it ended, and what was counted and watched on the way.
    pub outcome: Outcome,
    /// Its rows.
    pub recorder: Recorder,
}

impl RecordedRun {
    /// A column over all rows.
    pub fn column(&self, name: &str) -> Vec<f64> {
        assert!(self.recorder.series().is_complete(), "too many rows for the memory of the recorder");
        self.recorder.series().column(self.index_of(name)).collect()
    }

    /// Columns side by side, row by row.
    pub fn rows<const N: usize>(&self, names: [&str; N]) -> Vec<[f64; N]> {
        let columns = names.map(|name| self.column(name));
        (0..columns[0].len()).map(|k| std::array::from_fn(|c| columns[c][k])).collect()
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        self.recorder.last().unwrap_or_else(|| panic!("no rows"))[self.index_of(name)]
    }

    /// The failure that ended the run; `what` is said if there is none.
    pub fn failure(&self, what: &str) -> &StepFailure {
        match &self.outcome.end {
            End::Failed(failure) => failure,
            other => panic!("{what}: did not fail, but {other:?} at {}", self.outcome.time),
        }
    }

    /// The stop condition that ended the run.
    pub fn stopped_by(&self) -> &str {
        match &self.outcome.end {
            End::Stopped { condition } => condition,
            other => panic!("not stopped by a condition: {other:?}"),
        }
    }

    fn index_of(&self, name: &str) -> usize {
        self.recorder.columns().index_of(name).unwrap_or_else(|| panic!("no column {name}"))
    }
}

/// Executes a run to its end, whatever that is.
pub fn executed(run: &CompiledRun) -> RecordedRun {
    let mut recorder = Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, go_on).unwrap();
    RecordedRun { outcome, recorder }
}

/// Runs to the end, whatever it is.
pub fn attempt(model: &Model, settings: &Settings) -> RecordedRun {
    executed(&CompiledRun::new(model, settings).unwrap_or_else(|e| panic!("{e}")))
}

/// Runs to the end, which must be the one that was asked for.
pub fn record(model: &Model, settings: &Settings) -> RecordedRun {
    let recorded = attempt(model, settings);
    assert_eq!(recorded.outcome.end, End::Reached, "{} of step {:?}", settings.method, settings.step);
    recorded
}

/// Runs a text as it stands, to the end, whatever it is.
pub fn attempt_text(text: &str) -> RecordedRun {
    let model = model(text);
    attempt(&model, &Settings::of(&model))
}

/// Why a run with these settings is refused.
pub fn refusal(model: &Model, settings: &Settings) -> String {
    match CompiledRun::new(model, settings) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{} is not refused", settings.method),
    }
}

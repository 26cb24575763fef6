//! What these tests share: a run with its rows, and the slope that measures an order.

use std::ops::ControlFlow;

use extremal_engine::run::{End, Outcome};
use extremal_engine::{Model, Recorder, Run, Settings};

/// Reads a model, or shows what is wrong with it.
pub fn model(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{}", e.render("test", false)))
}

/// The settings of a model with another method and step.
pub fn with(model: &Model, method: &str, step: f64) -> Settings {
    Settings { method: method.parse().unwrap(), step: Some(step), ..Settings::of(model) }
}

/// A run and everything it recorded.
pub struct Recorded {
    pub outcome: Outcome,
    pub recorder: Recorder,
}

impl Recorded {
    /// A column over all rows.
    pub fn column(&self, name: &str) -> Vec<f64> {
        assert!(self.recorder.series().is_complete(), "too many rows for the memory of the recorder");
        let index = self.recorder.columns().index_of(name).unwrap_or_else(|| panic!("no column {name}"));
        self.recorder.series().column(index).collect()
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        *self.column(name).last().unwrap_or_else(|| panic!("no rows"))
    }

    /// The stop condition that ended the run.
    pub fn stopped_by(&self) -> &str {
        match &self.outcome.end {
            End::Stopped { condition } => condition,
            other => panic!("not stopped by a condition: {other:?}"),
        }
    }
}

/// Runs to the end, whatever it is.
pub fn record(model: &Model, settings: &Settings) -> Recorded {
    let run = Run::new(model, settings).unwrap();
    let mut recorder = Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).unwrap();
    Recorded { outcome, recorder }
}

/// Runs `text` as it stands.
pub fn record_text(text: &str) -> Recorded {
    let model = model(text);
    record(&model, &Settings::of(&model))
}

/// Least-squares slope of log(error) over log(h), points at round-off (below `floor`) left out; at least three must remain.
pub fn measured_order(points: &[(f64, f64)], floor: f64) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().filter(|(_, e)| *e > floor).map(|(h, e)| (h.ln(), e.ln())).collect();
    assert!(logs.len() >= 3, "too few points above round-off: {points:?}");
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = logs.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    sxy / sxx
}

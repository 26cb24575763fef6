//! What these tests share: models, runs with their rows, and the slope that measures an order.

use std::ops::ControlFlow;

use extremal_engine::model::Extent;
use extremal_engine::run::{End, Outcome};
use extremal_engine::{Model, Recorder, Run, Settings};

/// Reads a model, or shows what is wrong with it.
pub fn model(text: &str) -> Model {
    Model::from_toml(text).unwrap_or_else(|e| panic!("{}", e.render("test", false)))
}

/// A model of the gallery.
pub fn gallery(name: &str) -> Model {
    model(extremal_engine::gallery::text(name).unwrap_or_else(|| panic!("no gallery model {name}")))
}

/// The settings of a model with another method and step.
pub fn with(model: &Model, method: &str, step: f64) -> Settings {
    Settings { method: method.parse().unwrap(), step: Some(step), ..Settings::of(model) }
}

/// The reference solution: DOP853 near its round-off, recorded every `step`.
pub fn reference(model: &Model, step: f64) -> Settings {
    Settings { tolerance: Some(1e-14), ..with(model, "dop853", step) }
}

/// The same settings until another time.
pub fn until(settings: Settings, end: f64) -> Settings {
    Settings { extent: Some(Extent::Until(end)), ..settings }
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

    /// Columns side by side, row by row.
    pub fn rows<const N: usize>(&self, names: [&str; N]) -> Vec<[f64; N]> {
        let columns = names.map(|name| self.column(name));
        (0..columns[0].len()).map(|k| std::array::from_fn(|c| columns[c][k])).collect()
    }

    /// The last value of a column.
    pub fn last(&self, name: &str) -> f64 {
        let index = self.recorder.columns().index_of(name).unwrap_or_else(|| panic!("no column {name}"));
        self.recorder.last().unwrap_or_else(|| panic!("no rows"))[index]
    }
}

/// Runs to the end, which must be the one that was asked for.
pub fn record(model: &Model, settings: &Settings) -> Recorded {
    let recorded = attempt(model, settings);
    assert_eq!(recorded.outcome.end, End::Reached);
    recorded
}

/// Runs to the end, whatever it is.
pub fn attempt(model: &Model, settings: &Settings) -> Recorded {
    let run = Run::new(model, settings).unwrap_or_else(|e| panic!("{e}"));
    let mut recorder = Recorder::new(run.columns().clone());
    let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).unwrap();
    Recorded { outcome, recorder }
}

/// The largest distance of two lists.
pub fn largest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
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

/// The order of `error`, a function of the step, over four halvings of `step`; prints what it measured.
pub fn order_of(what: &str, step: f64, floor: f64, error: impl Fn(f64) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = (0..4).map(|k| step / f64::from(1 << k)).map(|h| (h, error(h))).collect();
    let order = measured_order(&points, floor);
    println!("{what}: order {order:.3}, {points:?}");
    order
}

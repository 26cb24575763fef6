//! Methods against steps.

use extremal_engine::compare::{Against, compare};
use extremal_engine::model::Extent;
use extremal_engine::{Method, Settings};
use serde::Serialize;

use crate::{Error, Model};

/// A comparison of methods and steps: errors, measured orders, work.
///
/// ```
/// use extremal::{Method, Model};
/// let rows = Model::gallery("harmonic-oscillator")?.compare().methods([Method::Midpoint]).steps([0.1, 0.05]).run()?;
/// assert!((rows[1].orders[0].unwrap() - 2.0).abs() < 0.1);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Comparison {
    model: Model,
    methods: Vec<Method>,
    steps: Vec<f64>,
    until: Option<f64>,
}

/// One method at one step.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Measured {
    /// The method.
    pub method: String,
    /// The step.
    pub step: f64,
    /// The largest error at any step, by coordinate and entropy.
    pub errors: Vec<(String, f64)>,
    /// The measured orders, from the row before of the same method.
    pub orders: Vec<Option<f64>>,
    /// The largest departure of the energy from that of the start.
    pub energy_drift: f64,
    /// Steps taken.
    pub steps: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Why it stopped early, if it did.
    pub failure: Option<String>,
}

impl Comparison {
    pub(crate) fn of(model: &Model) -> Comparison {
        Comparison { model: model.clone(), methods: Vec::new(), steps: Vec::new(), until: None }
    }

    /// The methods; that of the model if none are given.
    #[must_use]
    pub fn methods(mut self, methods: impl IntoIterator<Item = Method>) -> Self {
        self.methods = methods.into_iter().collect();
        self
    }

    /// The steps, largest first; that of the model if none are given.
    #[must_use]
    pub fn steps(mut self, steps: impl IntoIterator<Item = f64>) -> Self {
        self.steps = steps.into_iter().collect();
        self
    }

    /// The time at which all of them end, instead of that of the model.
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }

    /// Runs all of them against the closed form of the model, or an accurate solution where it has none.
    ///
    /// # Errors
    /// One of them cannot be set up, or there is nothing to compare with.
    pub fn run(&self) -> Result<Vec<Measured>, Error> {
        self.methods.iter().try_for_each(Method::check)?;
        let model = self.model.working_copy();
        let of_model = Settings::of(&model);
        let settings = Settings { extent: self.until.map(Extent::Until).or(of_model.extent), ..of_model };
        let methods = if self.methods.is_empty() { vec![settings.method.clone()] } else { self.methods.clone() };
        let steps: Vec<f64> =
            if self.steps.is_empty() { settings.step.into_iter().collect() } else { self.steps.clone() };
        let against = if model.exact().is_empty() { Against::Dop853 } else { Against::Exact };
        let rows = compare(&model, &settings, &methods, &steps, against, 0..u64::MAX)?;
        let measured = rows.into_iter().map(|row| Measured {
            method: row.method.to_string(),
            step: row.step,
            errors: row.errors,
            orders: row.orders.into_iter().map(|(_, order)| order).collect(),
            energy_drift: row.energy_drift,
            steps: row.work.steps,
            iterations: row.work.iterations,
            failure: row.failure.map(|failure| failure.to_string()),
        });
        Ok(measured.collect())
    }
}

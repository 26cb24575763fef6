//! Methods against steps: errors, measured orders, work.

use std::ops::Range;

use extremal_mechanics::discrete::SchemeError;
use extremal_model::{Method, Model, Start};
use extremal_solve::StepFailure;
use extremal_trajectory::Stopwatch;
use serde::Serialize;
use thiserror::Error;

use crate::run::{CompiledRun, Settings, SetupError};
use crate::serialized::{as_text, as_text_if_any, by_name};

/// What the errors are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The closed forms of `[exact]`.
    Exact,
    /// DOP853 at tolerance 1e-13, on the continuous equations.
    Dop853,
}

/// Why a comparison could not be made at all. (A single run that fails is a row that says so.)
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum CompareError {
    #[error("the model has no [exact] closed forms: compare against `dop853` instead")]
    NoExact,
    #[error("{method}, step {step}: {source}")]
    Setup { method: String, step: f64, source: SetupError },
    #[error("no sample is compared: the first would be number {first} (0 is the start), and the last is {last}")]
    NoSamples { first: u64, last: u64 },
    #[error("the reference solution fails: {0}")]
    Reference(StepFailure),
}

/// One method at one step.
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonRow {
    /// The method.
    #[serde(serialize_with = "as_text")]
    pub method: Method,
    /// The step.
    pub step: f64,
    /// The largest error at any step, per coordinate and entropy; not a number if it failed before the first sample.
    #[serde(serialize_with = "by_name")]
    pub errors: Vec<(String, f64)>,
    /// The measured orders, from the row before of the same method.
    #[serde(serialize_with = "by_name")]
    pub orders: Vec<(String, Option<f64>)>,
    /// The largest deviation of the energy from that of the stated start.
    pub energy_drift: f64,
    /// What it took.
    pub work: ComparedWork,
    /// Why it stopped early, if it did.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text_if_any")]
    pub failure: Option<StepFailure>,
}

/// What the steps of a method took.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ComparedWork {
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations.
    #[serde(rename = "newton_iterations")]
    pub iterations: u64,
    /// Seconds of marching, compilation and reference not counted.
    pub seconds: f64,
}

/// Runs every method at every step. Errors are taken against the closed forms or an accurate solution, at the samples whose
/// numbers lie in `samples` (0 is the start).
///
/// ```
/// use extremal_engine::{Model, Settings, compare::{Against, compare}};
/// let model = Model::from_toml(extremal_engine::gallery::text("harmonic-oscillator").unwrap())?;
/// let rows = compare(&model, &Settings::of(&model), &["midpoint".parse()?], &[0.1, 0.05], Against::Exact, 0..u64::MAX)?;
/// let order = rows[1].orders[0].1.unwrap();
/// assert!((order - 2.0).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(
    model: &Model,
    settings: &Settings,
    methods: &[Method],
    steps: &[f64],
    against: Against,
    samples: Range<u64>,
) -> Result<Vec<ComparisonRow>, CompareError> {
    if against == Against::Exact && model.exact().is_empty() {
        return Err(CompareError::NoExact);
    }
    if samples.is_empty() {
        return Err(CompareError::NoSamples { first: samples.start, last: samples.end.saturating_sub(1) });
    }
    let mut rows: Vec<ComparisonRow> = Vec::new();
    for method in methods {
        for (index, step) in steps.iter().enumerate() {
            let previous = if index == 0 { None } else { rows.last() };
            let row = measure(model, settings, method, *step, against, &samples, previous)?;
            rows.push(row);
        }
    }
    Ok(rows)
}

fn measure(
    model: &Model,
    settings: &Settings,
    method: &Method,
    step: f64,
    against: Against,
    samples: &Range<u64>,
    previous: Option<&ComparisonRow>,
) -> Result<ComparisonRow, CompareError> {
    let with = |method: &Method| Settings { method: method.clone(), step: Some(step), ..settings.clone() };
    let setup = |source: SetupError| CompareError::Setup { method: method.to_string(), step, source };
    // A method without a start from two points starts from the stated velocities, which is what it is compared for.
    let run = match CompiledRun::new(model, &with(method)) {
        Err(SetupError::Scheme(SchemeError::NoTwoPoints(_))) => {
            CompiledRun::new(model, &Settings { start: Start::Legendre, ..with(method) })
        }
        outcome => outcome,
    };
    let run = run.map_err(setup)?;
    if samples.start > run.planned_steps() {
        return Err(CompareError::NoSamples { first: samples.start, last: run.planned_steps() });
    }
    let truth = match against {
        Against::Exact => None,
        Against::Dop853 => {
            let mut reference = with(&Method::Dop853);
            reference.tolerance = Some(1e-13);
            reference.start = Start::Legendre;
            Some(CompiledRun::new(model, &reference).map_err(setup)?)
        }
    };
    let mut truth = truth.map(|run| run.begin()).transpose().map_err(CompareError::Reference)?;

    let (n, m) = (model.coordinates().len(), model.entropies().len());
    let names = model.coordinates().iter().map(|c| &c.name).chain(model.entropies().iter().map(|s| &s.name));
    let names: Vec<&String> = names.collect();
    let watched: Vec<usize> = match against {
        Against::Exact => model.exact().iter().map(|exact| exact.coordinate).collect(),
        Against::Dop853 => (0..n + m).collect(),
    };
    let place = |target: usize| if target < n { target } else { n + target };
    let mut row = ComparisonRow {
        method: method.clone(),
        step,
        errors: watched.iter().map(|k| (names[*k].clone(), f64::NAN)).collect(),
        orders: watched.iter().map(|k| (names[*k].clone(), None)).collect(),
        energy_drift: f64::NAN,
        work: ComparedWork::default(),
        failure: None,
    };
    let stated_energy = run.stated_energy();
    let mut motion = match run.begin() {
        Ok(motion) => motion,
        Err(failure) => return Ok(ComparisonRow { failure: Some(failure), ..row }),
    };
    for taken in 0..=run.planned_steps() {
        if taken > 0 {
            let clock = Stopwatch::start();
            if let Err(failure) = run.advance(motion.as_mut(), taken) {
                row.failure = Some(failure);
                break;
            }
            row.work.seconds += clock.elapsed().as_secs_f64();
            if let Some(truth) = &mut truth {
                run.advance(truth.as_mut(), taken).map_err(CompareError::Reference)?;
            }
        }
        if !samples.contains(&taken) {
            continue;
        }
        let state: Vec<f64> = motion.state().to_vec();
        let observed = match motion.observe() {
            Ok(observed) => observed,
            Err(failure) => {
                row.failure = Some(failure);
                break;
            }
        };
        row.energy_drift = row.energy_drift.max((observed[run.observed_energy()] - stated_energy).abs());
        let exact = &observed[observed.len() - model.exact().len()..];
        for (at, k) in watched.iter().enumerate() {
            let right = truth.as_ref().map_or_else(|| exact[at], |truth| truth.state()[place(*k)]);
            row.errors[at].1 = row.errors[at].1.max((state[place(*k)] - right).abs());
        }
    }
    row.work.steps = motion.steps();
    row.work.iterations = motion.work().iterations;
    if let Some(previous) = previous {
        let ratio = (previous.step / step).ln();
        for (at, (_, error)) in row.errors.iter().enumerate() {
            let order = (previous.errors[at].1 / error).ln() / ratio;
            row.orders[at].1 = order.is_finite().then_some(order);
        }
    }
    Ok(row)
}

//! Methods against steps: errors, measured orders, work.

mod record;

use std::ops::Range;

use extremal_mechanics::discrete::SchemeError;
use extremal_model::{Method, Model, Start};
use extremal_solve::{March, StepFailure};
use extremal_trajectory::Stopwatch;
use serde::Serialize;
use thiserror::Error;

use crate::run::{CompiledRun, EnergyLaw, Settings, SetupError, Snapshot};
use crate::serialized::{as_text, as_text_if_any, by_name};

pub use record::{ComparedCurve, ComparisonFile, ComparisonFileError, CurveOf};

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

/// Where a method is at one moment, and where it should be.
#[derive(Clone, Copy, Debug)]
pub struct ComparedSample<'a> {
    /// The method.
    pub method: &'a Method,
    /// The step.
    pub step: f64,
    /// The number of the sample; 0 is the start.
    pub number: u64,
    /// When.
    pub time: f64,
    /// Each coordinate and entropy that is compared ([`compared_names`]).
    pub values: &'a [f64],
    /// What they should be.
    pub truth: &'a [f64],
    /// The energy.
    pub energy: ComparedEnergy,
}

/// The energy of a sample, by what it is computed from; not a number where there is none.
#[derive(Clone, Copy, Debug)]
pub struct ComparedEnergy {
    /// By the momentum of the state.
    pub momentum: f64,
    /// By p⁻, the momentum at the beginning of the next step: the last sample of a variational method has none.
    pub minus: f64,
    /// By p⁺, the momentum at the end of the step before: the first sample has none.
    pub plus: f64,
    /// By the positions at both ends of the step before, of a variational method for a system with entropies.
    pub velocity: f64,
    /// What it should be, where it is conserved.
    pub truth: f64,
}

/// The coordinates, entropies, amounts and states whose errors are measured.
pub fn compared_names(model: &Model, against: Against) -> Vec<String> {
    let names = model.coordinates().iter().map(|c| c.name.as_str()).chain(model.carried_names());
    let names: Vec<&str> = names.collect();
    compared_places(model, against).into_iter().map(|place| names[place].to_owned()).collect()
}

/// Their places among coordinates, then entropies, then states.
fn compared_places(model: &Model, against: Against) -> Vec<usize> {
    match against {
        Against::Exact => model.exact().iter().map(|exact| exact.coordinate).collect(),
        Against::Dop853 => (0..model.coordinates().len() + model.carried_names().len()).collect(),
    }
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
    compare_over_time(model, settings, methods, steps, against, samples, None)
}

/// The same, and shows `watch` every sample that is compared, method by method and step by step.
pub fn compare_over_time(
    model: &Model,
    settings: &Settings,
    methods: &[Method],
    steps: &[f64],
    against: Against,
    samples: Range<u64>,
    mut watch: Option<&mut dyn FnMut(&ComparedSample<'_>)>,
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
            let with = |method: &Method| Settings { method: method.clone(), step: Some(*step), ..settings.clone() };
            let mut row = measure(model, &with, method, against, &samples, &mut watch)?;
            previous.into_iter().for_each(|previous| row.measure_orders(previous));
            rows.push(row);
        }
    }
    Ok(rows)
}

impl ComparisonRow {
    /// Measures the orders from the row before of the same method.
    fn measure_orders(&mut self, previous: &ComparisonRow) {
        let ratio = (previous.step / self.step).ln();
        for (at, (_, error)) in self.errors.iter().enumerate() {
            let order = (previous.errors[at].1 / error).ln() / ratio;
            self.orders[at].1 = order.is_finite().then_some(order);
        }
    }
}

/// One method at the step of `with`.
fn measure(
    model: &Model,
    with: &dyn Fn(&Method) -> Settings,
    method: &Method,
    against: Against,
    samples: &Range<u64>,
    watch: &mut Option<&mut dyn FnMut(&ComparedSample<'_>)>,
) -> Result<ComparisonRow, CompareError> {
    let step = with(method).step.unwrap_or(f64::NAN);
    let setup = |source: SetupError| CompareError::Setup { method: method.to_string(), step, source };
    with(method).check_even("comparisons of steps").map_err(|error| setup(error.into()))?;
    // A method without a start from two points starts from the stated velocities, which is what it is compared for.
    let run = match CompiledRun::new(model, &with(method)) {
        Err(SetupError::Scheme(SchemeError::NoTwoPoints(_))) => {
            CompiledRun::new(model, &Settings { start: Start::Legendre, ..with(method) })
        }
        outcome => outcome,
    };
    let run = run.map_err(setup)?;
    if !model.events().is_empty() {
        return Err(setup(SetupError::ComparedEvents));
    }
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

    let n = model.coordinates().len();
    let (names, watched) = (compared_names(model, against), compared_places(model, against));
    let place = |target: usize| if target < n { target } else { n + target };
    let mut row = ComparisonRow {
        method: method.clone(),
        step,
        errors: names.iter().map(|name| (name.clone(), f64::NAN)).collect(),
        orders: names.iter().map(|name| (name.clone(), None)).collect(),
        energy_drift: f64::NAN,
        work: ComparedWork::default(),
        failure: None,
    };
    let stated_energy = run.stated_energy();
    let mut energies = watch.is_some().then(|| EnergyWatch::new(model, &run, method));
    let mut motion = match run.begin() {
        Ok(motion) => motion,
        Err(failure) => return Ok(ComparisonRow { failure: Some(failure), ..row }),
    };
    let (mut values, mut right) = (vec![0.0; watched.len()], vec![0.0; watched.len()]);
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
        let energy = energies.as_mut().map(|energies| energies.look(&run, motion.as_mut(), taken));
        if !samples.contains(&taken) {
            continue;
        }
        values.iter_mut().zip(&watched).for_each(|(value, k)| *value = motion.state()[place(*k)]);
        let time = motion.time();
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
            right[at] = truth.as_ref().map_or_else(|| exact[at], |truth| truth.state()[place(*k)]);
            row.errors[at].1 = row.errors[at].1.max((values[at] - right[at]).abs());
        }
        if let (Some(watch), Some(energy)) = (watch.as_mut(), energy) {
            watch(&ComparedSample { method, step, number: taken, time, values: &values, truth: &right, energy });
        }
    }
    row.work.steps = motion.steps();
    row.work.iterations = motion.work().iterations;
    Ok(row)
}

/// Looks at every step of a motion for its energies.
struct EnergyWatch {
    snapshot: Snapshot,
    /// Are momenta those of discrete Lagrangians?
    variational: bool,
    truth: f64,
}

impl EnergyWatch {
    fn new(model: &Model, run: &CompiledRun, method: &Method) -> EnergyWatch {
        let conserved = EnergyLaw::of(model).why_it_changes().is_none();
        EnergyWatch {
            snapshot: run.snapshot(),
            variational: !method.is_reference() && !method.keeps_energy(),
            truth: if conserved { run.stated_energy() } else { f64::NAN },
        }
    }

    fn look(&mut self, run: &CompiledRun, motion: &mut dyn March, taken: u64) -> ComparedEnergy {
        // A motion that cannot be looked at fails where it is looked at next.
        let [momentum, velocity] = run.energies(&mut self.snapshot, motion).unwrap_or([f64::NAN; 2]);
        let by_step = |there: bool| if self.variational && there { momentum } else { f64::NAN };
        ComparedEnergy {
            momentum,
            minus: by_step(taken < run.planned_steps()),
            plus: by_step(taken > 0),
            velocity: if taken > 0 { velocity } else { f64::NAN },
            truth: self.truth,
        }
    }
}

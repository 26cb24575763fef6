//! What a method keeps: regularity of its equations at the start, drift of the conserved quantities on a short run.

use extremal_expr::magnitude;
use extremal_mechanics::System;
use extremal_mechanics::analysis::{ConservedQuantities, ConservedQuantity, Symmetry};
use extremal_model::{Extent, Method, MethodKind, Model, Start, StateLaw};
use extremal_solve::StartValues;
use extremal_trajectory::{Drift, Recorder};

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::tangent::step_tangents;
use super::tracked_of;
use crate::run::{CompiledRun, End, Outcome, Settings, Tracked};
use crate::serialized::as_text;

/// The method, looked at near the start of a run.
#[derive(Clone, Debug, Serialize)]
pub struct MethodReport {
    /// The method.
    #[serde(rename = "name", serialize_with = "as_text")]
    pub method: Method,
    /// The step.
    pub step: f64,
    /// Are the discrete equations regular? `None` for adaptive methods and constrained systems.
    #[serde(flatten)]
    pub regularity: Option<DiscreteRegularity>,
    /// What becomes of the conserved quantities, in their order.
    #[serde(skip)]
    pub preserved: Vec<Preserved>,
    /// Why nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Steps of the shortest trial, where large equations let it end early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortened: Option<u64>,
}

/// Regularity of the discrete equations (3.7): the step can be solved forwards and backwards.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DiscreteRegularity {
    /// Steps that were looked at.
    pub steps: u64,
    /// The smallest and the largest determinant of the derivative of a step by its state; it is one for a symplectic step.
    pub determinant: (f64, f64),
}

/// What a method does to one conserved quantity.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preserved {
    /// Its name.
    #[serde(skip)]
    pub name: String,
    /// What the measured runs amount to.
    #[serde(flatten)]
    pub preservation: Preservation,
    /// The largest change over the measured runs, from the start and from a state near it.
    pub drift: f64,
    /// Does the discrete Noether condition (D16) say that it is exact?
    pub noether: bool,
}

/// How well a quantity is preserved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preservation {
    /// To round-off.
    Exact,
    /// To this order in the step.
    Order(f64),
    /// Not to a clear order.
    Unclear,
}

/// Is it exact, and to which order if there is one?
impl Serialize for Preservation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let order = match self {
            Preservation::Order(order) => Some(*order),
            Preservation::Exact | Preservation::Unclear => None,
        };
        let mut fields = serializer.serialize_struct("Preservation", 2)?;
        fields.serialize_field("exact", &(*self == Preservation::Exact))?;
        fields.serialize_field("order", &order)?;
        fields.end()
    }
}

/// Steps of the measured run; twice as many with half the step.
const STEPS: u64 = 64;
/// Work of a trial with the step, counted in entries of Jacobians; one with half the step has three times as much. A trial
/// ends early with it.
const MOST_ENTRIES: u64 = 6_000_000;
/// A shorter trial says nothing.
const FEWEST_STEPS: u64 = 4;
/// Round-off of this many steps, relative to the terms of the quantity.
const ROUND_OFF: f64 = 2e-12;

pub(super) fn report<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    conserved: &ConservedQuantities<'m>,
    steps: u64,
) -> Option<MethodReport> {
    let step = settings.step.filter(|step| *step > 0.0 && step.is_finite())?;
    let method = settings.method.clone();
    let mut report =
        MethodReport { method, step, regularity: None, preserved: Vec::new(), failure: None, shortened: None };
    match measure(model, settings, conserved, step, TrialStart::Stated) {
        Ok(stated) => {
            let shifted = match is_free(model, system, settings) && !conserved.found.is_empty() {
                true => [0.2, 0.02]
                    .into_iter()
                    .find_map(|size| measure(model, settings, conserved, step, TrialStart::Shifted(size)).ok()),
                false => None,
            };
            let trials = || [&stated].into_iter().chain(&shifted);
            let is_generic = trials().any(|trial| trial.moves);
            report.shortened = trials().map(|trial| trial.steps).min().filter(|steps| *steps < STEPS);
            let trials = |place: usize| -> Vec<TrialDrift> { trials().map(|trial| trial.drifts[place]).collect() };
            let branches = has_branches(system);
            let judge = |(place, quantity): (usize, &ConservedQuantity<'m>)| {
                let trials = trials(place);
                let noether = is_discrete_noether(system, &settings.method, quantity);
                Preserved {
                    name: quantity.name.clone(),
                    drift: trials.iter().fold(0.0f64, |most, trial| most.max(trial.coarse)),
                    preservation: judged(&trials, &settings.method, is_generic && (noether || !branches)),
                    noether,
                }
            };
            report.preserved = conserved.found.iter().enumerate().map(judge).collect();
            report.regularity = discrete_regularity(model, system, settings, step, steps);
        }
        Err(failure) => report.failure = Some(failure),
    }
    Some(report)
}

/// What the trials say. Adaptive methods keep what their tolerance says, not what their formula does; and a motion that does not
/// reach every branch of the formulas says nothing about the others.
fn judged(trials: &[TrialDrift], method: &Method, is_generic: bool) -> Preservation {
    if matches!(method, Method::Dopri5 | Method::Dop853) || trials.iter().any(|trial| trial.coarse.is_nan()) {
        return Preservation::Unclear;
    }
    let is_exact = |trial: &TrialDrift| trial.coarse <= ROUND_OFF * trial.size;
    let Some(trial) = trials.iter().find(|trial| !is_exact(trial)) else {
        return if is_generic { Preservation::Exact } else { Preservation::Unclear };
    };
    let order = (trial.coarse / trial.fine).log2();
    match trial.fine > ROUND_OFF * trial.size && order > 0.3 {
        true => Preservation::Order(order),
        false => Preservation::Unclear,
    }
}

/// What becomes of a quantity on one trial.
#[derive(Clone, Copy)]
struct TrialDrift {
    /// Its largest change with the step.
    coarse: f64,
    /// Its largest change with half the step.
    fine: f64,
    /// The size of its terms.
    size: f64,
}

/// What a trial saw.
struct Trial {
    /// For each conserved quantity.
    drifts: Vec<TrialDrift>,
    /// Did every coordinate move?
    moves: bool,
    /// Steps taken.
    steps: u64,
}

/// Where a trial starts.
#[derive(Clone, Copy, PartialEq)]
enum TrialStart {
    Stated,
    /// All positions and velocities shifted, by fractions of this size: at rest or on a symmetric path anything is kept.
    Shifted(f64),
}

/// Can a trial start anywhere near the start?
fn is_free(model: &Model, system: &System<'_>, settings: &Settings) -> bool {
    system.constraints.is_empty() && model.order() == 1 && settings.start == Start::Legendre
}

/// Do the formulas have branches, of which a trial may see one only?
fn has_branches(system: &System<'_>) -> bool {
    let g = system.graph;
    let sources: Vec<_> = system.force.iter().chain([&system.lagrangian]).map(|e| e.id()).collect();
    g.reachable(&sources).into_iter().any(|id| g.expr(id).node().breaks_at().is_some())
}

/// What becomes of the conserved quantities on a trial.
fn measure<'m>(
    model: &'m Model,
    settings: &Settings,
    conserved: &ConservedQuantities<'m>,
    step: f64,
    from: TrialStart,
) -> Result<Trial, String> {
    // The size of the terms is watched along the run: at the start it may well be zero.
    let sizes = conserved.found.iter().map(|quantity| ("size of", &quantity.name, magnitude(quantity.expression).id()));
    let states = model.states().iter().map(|state| (&state.name, state.symbol));
    let places = model.coordinates().iter().map(|c| (&c.name, c.position)).chain(states);
    let places = places.map(|(name, symbol)| ("place of", name, symbol));
    let beside =
        sizes.chain(places).map(|(what, name, expression)| Tracked { name: format!("{what} {name}"), expression });
    let tracked: Vec<Tracked> = tracked_of(conserved).into_iter().chain(beside).collect();
    let drifts = |fraction: u64, steps: u64| -> Result<(Vec<f64>, Vec<f64>, bool, u64), String> {
        let settings = Settings {
            step: Some(step / fraction as f64),
            extent: Some(Extent::Steps(steps * fraction)),
            ..settings.clone()
        };
        let mut run = CompiledRun::tracking(model, &settings, &tracked).map_err(|error| error.to_string())?;
        if let TrialStart::Shifted(size) = from {
            shift(run.start_mut(), size, STEPS as f64 * step);
            if !matches!(model.state_law(), StateLaw::Stated) {
                shift_states(&mut run.start_mut().s, size);
            }
        }
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome = bounded(&run, &mut recorder, MOST_ENTRIES * (2 * fraction - 1))?;
        // With half the step it is compared with a motion of the same length.
        let enough = if fraction == 1 { FEWEST_STEPS.min(steps) } else { steps * fraction };
        match &outcome.end {
            End::Failed(failure) => return Err(failure.to_string()),
            End::Interrupted if outcome.steps < enough => {
                return Err(format!("the equations of {steps} steps are too large for a trial"));
            }
            _ => {}
        }
        // Drifts are those of the energy, of what the model states, and of what is tracked, in this order.
        let drifts: Vec<&Drift> = recorder.drifts().map(|(_, drift)| drift).collect();
        let mut own = drifts.iter().skip(drifts.len() - tracked.len());
        let kept = conserved.found.iter().map(|quantity| match quantity.symmetry {
            Some(Symmetry::Time) => drifts.first(),
            _ => own.next(),
        });
        let kept = kept.map(|drift| drift.map_or(f64::NAN, |drift| drift.max_drift())).collect();
        let size = |drift: &&Drift| drift.first().map_or(f64::NAN, f64::abs) + drift.max_drift();
        let sizes = own.by_ref().take(conserved.found.len()).map(size).collect();
        Ok((kept, sizes, own.all(|place| place.max_drift() > 0.0), outcome.steps))
    };
    let (coarse, sizes, moves, steps) = drifts(1, STEPS)?;
    // Where nothing is conserved, there is no order to measure.
    let fine = if conserved.found.is_empty() { Vec::new() } else { drifts(2, steps)?.0 };
    let drifts = coarse.into_iter().zip(fine).zip(sizes);
    let drifts = drifts.map(|((coarse, fine), size)| TrialDrift { coarse, fine, size }).collect();
    Ok(Trial { drifts, moves, steps })
}

/// Runs until the end, or until it has cost so many entries of Jacobians.
fn bounded(run: &CompiledRun, recorder: &mut Recorder, most: u64) -> Result<Outcome, String> {
    let unknowns = run.structure().map_or(0, |structure| structure.unknowns as u64);
    let mut execution = run.start();
    while execution.advance(recorder).map_err(|error| error.to_string())? {
        let spent = execution.so_far().work.iterations.saturating_mul(unknowns * unknowns);
        if spent > most && execution.outcome().is_none() {
            break;
        }
    }
    let outcome = execution.finish(recorder).map_err(|error| error.to_string())?;
    recorder.finish().map_err(|error| error.to_string())?;
    Ok(outcome)
}

/// Shifts positions by fractions of their size, and velocities so that they lead as far in this time.
fn shift(start: &mut StartValues, size: f64, time: f64) {
    let positions: Vec<f64> = start.q.iter().map(|q| q.abs()).filter(|q| *q > 0.0).collect();
    let typical = if positions.is_empty() { 1.0 } else { positions.iter().sum::<f64>() / positions.len() as f64 };
    for (k, (q, v)) in start.q.iter_mut().zip(&mut start.v).enumerate() {
        let length = if *q == 0.0 { typical } else { q.abs() };
        let (one, other) = ((1.0 + 2.3 * k as f64).cos(), (2.0 + 1.7 * k as f64).sin());
        *q += 0.1 * size * length * one;
        *v += size * (v.abs() + length / time) * other;
    }
}

/// Shifts an action or the variables of a Poisson system, which may be anywhere.
fn shift_states(states: &mut [f64], size: f64) {
    for (k, x) in states.iter_mut().enumerate() {
        *x += size * (0.1 + x.abs()) * (1.0 + 2.3 * k as f64).cos();
    }
}

/// A variational method inherits the conservation of p·X when X is affine in the coordinates and does not contain the time, because
/// interpolation commutes with affine maps.
fn is_discrete_noether<'m>(system: &System<'m>, method: &Method, quantity: &ConservedQuantity<'m>) -> bool {
    let g = system.graph;
    let variational = method.family().kind == MethodKind::Variational;
    let Some(Symmetry::Point { generator, gauge }) = &quantity.symmetry else { return false };
    let affine = !g.affine_in(generator, &system.q).contains(&false);
    variational
        && system.constraints.is_empty()
        && gauge.is_zero()
        && affine
        && !g.depend_on(generator, &[system.t]).contains(&true)
}

/// The derivative of the first steps by their state.
fn discrete_regularity<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    step: f64,
    steps: u64,
) -> Option<DiscreteRegularity> {
    let seen = step_tangents(model, system, settings, step, steps)?;
    let size = seen.state.len();
    let determinants = seen.steps.iter().map(|step| extremal_solve::dense::determinant(&step.derivative, size));
    let range = determinants.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
    Some(DiscreteRegularity { steps: steps.max(1), determinant: range })
}

//! The first steps of a method with their derivatives: what it keeps of a geometric structure is measured on them.

use std::collections::HashMap;

use extremal_expr::Expr;
use extremal_mechanics::System;
use extremal_mechanics::discrete::{CustomDiscrete, Options, scheme};
use extremal_model::{Extent, Model};
use extremal_solve::{NewtonOptions, TangentMap};
use serde::Serialize;

use crate::run::{CompiledRun, Settings};

/// A step with its derivative by its state.
pub(super) struct StepTangent {
    pub before: Vec<f64>,
    pub after: Vec<f64>,
    /// Row by row.
    pub derivative: Vec<f64>,
}

/// Steps of a method, and the symbols of what they carry.
pub(super) struct StepTangents<'m> {
    pub state: Vec<Expr<'m>>,
    pub steps: Vec<StepTangent>,
}

/// The first steps; `None` for a method without a formula of its own, for large systems and where a step fails.
pub(super) fn step_tangents<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    step: f64,
    steps: u64,
) -> Option<StepTangents<'m>> {
    const MOST_COORDINATES: usize = 32;
    if !system.constraints.is_empty() || !system.dry.is_empty() || system.len() > MOST_COORDINATES {
        return None;
    }
    let options = Options { start: settings.start, entropy: settings.entropy, ..Options::default() };
    let system = &system.reduced_by(&system.reducible(&settings.reduce).ok()?);
    let scheme = scheme(system, &settings.method, options, CustomDiscrete::of(model, system)).ok()?;
    let parameters: Vec<_> = model.parameters().iter().map(|p| (p.symbol, p.value)).collect();
    let mut tangent = TangentMap::new(model.graph(), &scheme, &parameters, NewtonOptions::default()).ok()?;
    let settings = Settings { step: Some(step), extent: Some(Extent::Steps(steps.max(1))), ..settings.clone() };
    let run = CompiledRun::new(model, &settings).ok()?;
    let mut motion = run.begin().ok()?;
    let mut taken = Vec::new();
    for _ in 0..steps.max(1) {
        let velocity = motion.observe().ok()?[..system.len()].to_vec();
        let before = motion.state().to_vec();
        let mut after = before.clone();
        let derivative = tangent.advance(&mut after, motion.time(), step, &velocity).ok()?;
        taken.push(StepTangent { before, after, derivative });
        motion.advance().ok()?;
    }
    Some(StepTangents { state: model.graph().exprs(&scheme.state), steps: taken })
}

impl<'m> StepTangents<'m> {
    /// Expressions of a state and parameters as numbers.
    pub fn evaluate(&self, model: &Model, expressions: &[Expr<'m>], state: &[f64]) -> Vec<f64> {
        let symbols = self.state.iter().filter_map(|symbol| symbol.as_symbol()).zip(state.iter().copied());
        let parameters = model.parameters().iter().map(|p| (p.name.as_str().into(), p.value));
        let known: HashMap<_, f64> = symbols.chain(parameters).collect();
        model.graph().evaluate(expressions, |name| known.get(name).copied())
    }
}

/// How well steps keep a geometric structure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StructureKept {
    /// Steps that were looked at.
    pub steps: u64,
    /// The largest deviation of a step, relative to the structure.
    pub deviation: f64,
    /// The same of steps four times as long, where there are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_steps: Option<f64>,
    /// Is it round-off for both?
    pub exact: bool,
    /// With which power of the step the deviation of a step falls, measured with half of it, or with four times of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<f64>,
}

/// Steps that are looked at.
const STEPS: u64 = 8;
/// Derivatives of steps are products and quotients of a few dozen numbers: some hundred ulp.
const ROUND_OFF: f64 = 1e-13;

/// Measures what `deviation` says of each of the first steps. A deviation that a high order hides below round-off shows in steps that are
/// four times as long.
pub(super) fn measured<'m>(
    model: &'m Model,
    system: &System<'m>,
    settings: &Settings,
    deviation: impl Fn(&StepTangents<'m>, &StepTangent) -> f64,
) -> Option<StructureKept> {
    let step = settings.step.filter(|step| *step > 0.0 && step.is_finite())?;
    let largest = |factor: f64| {
        let steps = (STEPS as f64 / factor).ceil() as u64;
        let seen = step_tangents(model, system, settings, step * factor, steps)?;
        let all = seen.steps.iter().map(|step| deviation(&seen, step));
        let most = all.fold(0.0f64, |most, off| if off.is_nan() { off } else { most.max(off) });
        most.is_finite().then_some(most)
    };
    let (coarse, long) = (largest(1.0)?, largest(4.0));
    let exact = coarse.max(long.unwrap_or(0.0)) <= ROUND_OFF;
    let order = match (exact, coarse > ROUND_OFF) {
        (true, _) => None,
        (false, true) => largest(0.5).filter(|fine| *fine > ROUND_OFF / 10.0).map(|fine| (coarse / fine).log2()),
        (false, false) => long.filter(|_| coarse > ROUND_OFF / 10.0).map(|long| (long / coarse).log2() / 2.0),
    };
    Some(StructureKept { steps: STEPS, deviation: coarse, long_steps: long, exact, order })
}

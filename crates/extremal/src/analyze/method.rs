//! What a method keeps: regularity of its equations at the start, drift of the conserved quantities on a short run.

use std::ops::ControlFlow;

use extremal_expr::magnitude;
use extremal_mechanics::System;
use extremal_mechanics::analysis::{Conserved, ConservedQuantities, Symmetry};
use extremal_mechanics::discrete::{Options, scheme};
use extremal_model::{Extent, Method, Model};
use extremal_solve::{NewtonOptions, TangentMap};
use extremal_trajectory::{Recorder, Role};

use super::tracked_of;
use crate::run::{End, Run, Settings, Tracked};
use crate::system::custom_of;

/// The method, looked at near the start of a run.
#[derive(Clone, Debug)]
pub struct MethodReport {
    /// The method.
    pub method: Method,
    /// The step.
    pub step: f64,
    /// Are the discrete equations regular? `None` for adaptive methods and constrained systems.
    pub regularity: Option<DiscreteRegularity>,
    /// What becomes of the conserved quantities, in their order.
    pub preserved: Vec<Preserved>,
    /// Why nothing was measured.
    pub failure: Option<String>,
}

/// Regularity of the discrete equations (3.7): the step can be solved forwards and backwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscreteRegularity {
    /// Steps that were looked at.
    pub steps: u64,
    /// The smallest and the largest determinant of the derivative of a step by its state; it is one for a symplectic step.
    pub determinant: (f64, f64),
}

/// What a method does to one conserved quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Preserved {
    /// Its name.
    pub name: String,
    /// The largest change over the measured run.
    pub drift: f64,
    /// What that amounts to.
    pub preservation: Preservation,
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

/// Steps of the measured run; twice as many with half the step.
const STEPS: u64 = 64;
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
    let mut report = MethodReport { method, step, regularity: None, preserved: Vec::new(), failure: None };
    match measure(model, settings, conserved, step) {
        Ok(drifts) => {
            report.preserved = conserved
                .found
                .iter()
                .zip(drifts)
                .map(|(quantity, (coarse, fine, size))| Preserved {
                    name: quantity.name.clone(),
                    drift: coarse,
                    preservation: judged(coarse, fine, size),
                    noether: is_discrete_noether(system, &settings.method, quantity),
                })
                .collect();
            report.regularity = discrete_regularity(model, system, settings, step, steps);
        }
        Err(failure) => report.failure = Some(failure),
    }
    Some(report)
}

fn judged(coarse: f64, fine: f64, size: f64) -> Preservation {
    let noise = ROUND_OFF * size;
    if coarse <= noise {
        return Preservation::Exact;
    }
    let order = (coarse / fine).log2();
    match fine > noise && order > 0.3 {
        true => Preservation::Order(order),
        false => Preservation::Unclear,
    }
}

/// For each conserved quantity its drift with the step, with half of it, and the size of its terms.
fn measure<'m>(
    model: &'m Model,
    settings: &Settings,
    conserved: &ConservedQuantities<'m>,
    step: f64,
) -> Result<Vec<(f64, f64, f64)>, String> {
    // The size of the terms is watched along the run: at the start it may well be zero.
    let mut tracked = tracked_of(conserved);
    let size_name = |quantity: &Conserved<'m>| format!("size of {}", quantity.name);
    tracked.extend(
        conserved
            .found
            .iter()
            .map(|quantity| Tracked { name: size_name(quantity), expression: magnitude(quantity.expression).id() }),
    );
    let drifts = |fraction: u64| -> Result<(Vec<f64>, Vec<f64>), String> {
        let settings = Settings {
            step: Some(step / fraction as f64),
            extent: Some(Extent::Steps(STEPS * fraction)),
            ..settings.clone()
        };
        let run = Run::tracking(model, &settings, &tracked).map_err(|error| error.to_string())?;
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).map_err(|error| error.to_string())?;
        if let End::Failed(failure) = &outcome.end {
            return Err(failure.to_string());
        }
        let drift_of = |quantity: &Conserved<'m>| {
            let energy = quantity.symmetry == Some(Symmetry::Time);
            let mut drifts = recorder.drifts();
            let found = drifts.find(|(column, _)| match energy {
                true => column.role() == Role::Energy,
                false => column.name() == quantity.name,
            });
            found.map_or(f64::NAN, |(_, drift)| drift.max_drift())
        };
        let size_of = |quantity: &Conserved<'m>| {
            let name = size_name(quantity);
            let mut drifts = recorder.drifts();
            let found = drifts.find(|(column, _)| column.name() == name);
            found.map_or(f64::NAN, |(_, drift)| drift.first().map_or(f64::NAN, f64::abs) + drift.max_drift())
        };
        Ok((conserved.found.iter().map(drift_of).collect(), conserved.found.iter().map(size_of).collect()))
    };
    let (coarse, sizes) = drifts(1)?;
    let (fine, _) = drifts(2)?;
    Ok(coarse.into_iter().zip(fine).zip(sizes).map(|((coarse, fine), size)| (coarse, fine, size)).collect())
}

/// A variational method inherits the conservation of p·X when X is affine in the coordinates and does not contain the time, because
/// interpolation commutes with affine maps.
fn is_discrete_noether<'m>(system: &System<'m>, method: &Method, quantity: &Conserved<'m>) -> bool {
    let g = system.graph;
    let variational = !method.is_reference() && !matches!(method, Method::Custom | Method::EnergyEntropy(_));
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
    const MOST_COORDINATES: usize = 32;
    if !system.constraints.is_empty() || !system.dry.is_empty() || system.len() > MOST_COORDINATES {
        return None;
    }
    let options = Options { start: settings.start, entropy: settings.entropy, ..Options::default() };
    let scheme = scheme(system, &settings.method, options, custom_of(model, system)).ok()?;
    let parameters: Vec<_> = model.parameters().iter().map(|p| (p.symbol, p.value)).collect();
    let mut tangent = TangentMap::new(model.graph(), &scheme, &parameters, NewtonOptions::default()).ok()?;
    let run = Run::new(model, &Settings { extent: Some(Extent::Steps(steps.max(1))), ..settings.clone() }).ok()?;
    let mut motion = run.begin().ok()?;
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..steps.max(1) {
        let velocity = motion.observe().ok()?[..system.len()].to_vec();
        let mut state = motion.state().to_vec();
        let derivative = tangent.advance(&mut state, motion.time(), step, &velocity).ok()?;
        let determinant = super::dense::determinant(&derivative, state.len());
        range = (range.0.min(determinant), range.1.max(determinant));
        motion.advance().ok()?;
    }
    Some(DiscreteRegularity { steps: steps.max(1), determinant: range })
}

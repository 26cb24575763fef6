//! From a model and settings to what is marched: derived, checked, compiled.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use extremal_expr::{Id, magnitude};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{
    CustomDiscrete, Options, Scheme, SchemeError, ThreePointSystem, check_method, check_symmetry, energy_estimate,
    paced, scheme,
};
use extremal_model::{AtSingular, Method, Model, Pacing, Start};
use extremal_solve::{AdaptiveMarcher, AdaptiveMethod, CompiledScheme, Guard, Kernel, NewtonOptions};

use super::audits::constraint_sizes;
use super::energy_nodes::exact_enough;
use super::events::EventRules;
use super::feasible::{Choice, ConstraintError, check_second, make_feasible};
use super::manifold::{ManifoldStart, final_manifold};
use super::momenta::hamiltonian_at;
use super::{
    Compiled, CompiledRun, Observables, RunStart, SensitivityError, SensitivityRules, Settings, SettingsError,
    SetupError, TYPED, Tracked,
};
use crate::SharedModel;

impl CompiledRun {
    /// Derives and compiles everything.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn new(model: impl Into<SharedModel>, settings: &Settings) -> Result<CompiledRun, SetupError> {
        CompiledRun::tracking(model, settings, &[])
    }

    /// The same, with further quantities in the rows: those that [`analyze`](crate::analyze) found, for instance.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn tracking(
        model: impl Into<SharedModel>,
        settings: &Settings,
        tracked: &[Tracked],
    ) -> Result<CompiledRun, SetupError> {
        CompiledRun::starting_at(&model.into(), settings, tracked, None)
    }

    /// The same from a state that a run has reached, with the constraints that are best there.
    pub(super) fn starting_at(
        shared: &SharedModel,
        settings: &Settings,
        tracked: &[Tracked],
        reached: Option<RunStart>,
    ) -> Result<CompiledRun, SetupError> {
        let model = &*shared.lock();
        let g = model.graph();
        let plan = settings.plan()?;
        let pace = match settings.pacing {
            Pacing::Even => None,
            pacing => Some(model.pace().ok_or(SettingsError::NoPace(pacing))?),
        };
        let given_times = settings.given_times(&plan)?;
        if settings.start == Start::TwoPoints && model.initial_with_step(plan.step).second.is_none() {
            return Err(SettingsError::NoSecond.into());
        }
        let from_points = settings.start == Start::Points;
        if from_points && model.discrete().is_none_or(|discrete| discrete.points.is_empty()) {
            return Err(SettingsError::NoPoints.into());
        }
        if let Some(open) = model.without_start().filter(|_| !from_points) {
            return Err(SetupError::NoStart { coordinate: open.to_owned() });
        }
        if model.order() > 1 && !model.controls().is_empty() {
            return Err(SchemeError::BesideAccelerations("controls").into());
        }
        let mut system = System::followed(model)?;
        if system.flow.is_none() {
            system = system.with_short_kinetic_energy().with_nested_sums();
        }
        if plan.step < 0.0 {
            let irreversible = [
                (!model.events().is_empty(), "a motion with events"),
                (!system.dry.is_empty(), "dry friction"),
                (!system.heat.entropies().is_empty(), "a system with entropies"),
            ];
            if let Some((_, what)) = irreversible.into_iter().find(|(there, _)| *there) {
                return Err(SettingsError::Backward { what }.into());
            }
        }
        system.manifold = final_manifold(model, &system, &settings.method);
        system.cyclic = system.reducible(&settings.reduce).map_err(SchemeError::from)?;
        check_method(&system, &settings.method, settings.start)?;
        if system.order > 1 && !model.symmetries().is_empty() {
            return Err(match model.order() {
                1 => SchemeError::OptimalFlow("symmetries").into(),
                _ => SchemeError::BesideAccelerations("symmetries").into(),
            });
        }
        for symmetry in model.symmetries() {
            check_symmetry(&system, &settings.method, &symmetry.name, &g.exprs(&symmetry.generator))?;
        }
        let in_between = plan.remainder.is_some() || !(model.stops().is_empty() && model.events().is_empty());
        let by_differences = settings.method == Method::Difference || settings.method == Method::Custom;
        if by_differences && system.order > 1 && in_between {
            return Err(SettingsError::EqualSteps.into());
        }
        let choice = if reached.is_some() { Choice::Furthest } else { Choice::First };
        let mut start = reached.unwrap_or_else(|| RunStart::of(model, settings.start, plan.step, plan.from));
        // Over three points constraints are rows of the discrete system, which say nothing of velocities at an instant.
        let over_points = match from_points {
            true => {
                let whole = system.clone();
                check_points(model, &whole, &start, plan.step)?;
                system = system.unmultiplied();
                system.constraints.clear();
                Some(whole)
            }
            false => None,
        };
        let all = system.constraints.clone();
        let constraints = match ManifoldStart::new(model, &system, settings.project)? {
            Some(mut on_manifold) => {
                on_manifold.set_parameters(&start.parameter_values());
                on_manifold.settle(&mut start.values)?
            }
            None => make_feasible(model, &mut system, &mut start, choice, settings.project)?,
        };
        let stated_energy = match system.flow.is_some() {
            true => hamiltonian_at(model, &system, &start)?,
            false => {
                if checked_ahead(&settings.method, &system) {
                    start.check_regularity(model, &system)?;
                }
                start.evaluate(&system, &[system.energy()])[0]
            }
        };
        let pace_at_start = pace.map_or(1.0, |pace| start.evaluate(&system, &[pace])[0]);
        if !(pace_at_start > 0.0 && pace_at_start.is_finite()) {
            return Err(SettingsError::BadPace(pace_at_start).into());
        }
        let mut observables = Observables::of(model, &system, &all, settings, tracked)?;
        observables.configurations.pass(settings.singular == AtSingular::Pass);
        let parameters: Vec<Id> = model.parameters().iter().map(|p| p.symbol).collect();
        let guards = domain_guards(model);
        let values = start.parameter_values();
        let mut events = EventRules::of(model, &system, settings, &observables, &parameters)?;
        events.iter_mut().for_each(|events| events.set_parameters(&values));
        let formulas: RefCell<Option<Scheme>> = RefCell::new(None);
        let compiled = match adaptive_method(&settings.method).filter(|_| pace.is_none()) {
            Some(method) => {
                let tolerance = settings.tolerance.unwrap_or(1e-12);
                let mut marcher =
                    AdaptiveMarcher::new(&system, method, tolerance, &parameters, &observables.outputs, &guards)?
                        .with_whole_steps(&system, &parameters)
                        .watching(
                            observables.configurations.clone(),
                            observables.observed().residuals().end,
                            all.len(),
                            system.len(),
                        );
                marcher.set_parameters(&values);
                Compiled::Adaptive(Box::new(marcher))
            }
            None => {
                let newton = newton_options(settings);
                let compile = |energy_nodes: usize| -> Result<CompiledScheme, SetupError> {
                    let options = Options {
                        start: settings.start,
                        entropy: settings.entropy,
                        constraints: settings.constraints,
                        energy_nodes,
                    };
                    let system = over_points.as_ref().unwrap_or(&system);
                    let scheme = match pace {
                        Some(pace) => paced(system, &settings.method, options, pace, settings.pacing)?,
                        None => scheme(system, &settings.method, options, CustomDiscrete::of(model, system))?,
                    };
                    let (outputs, watched) = (&observables.outputs, observables.watched_rows());
                    let mut compiled =
                        CompiledScheme::watching(g, &scheme, &parameters, outputs, &guards, &watched, newton)?;
                    compiled.set_parameters(&values);
                    formulas.replace(Some(scheme));
                    Ok(compiled)
                };
                let nodes = Options::default().energy_nodes;
                let compiled = Box::new(match settings.method.keeps_energy() {
                    true => exact_enough(&start, &observables, plan.step, nodes, compile)?,
                    false => {
                        let compiled = compile(nodes)?;
                        check_second(&system, &start, &compiled)?;
                        compiled
                    }
                });
                if pace.is_some() { Compiled::Paced(compiled) } else { Compiled::Scheme(compiled) }
            }
        };
        let estimate = match observables.estimate {
            true => {
                let mut kernel = Kernel::compile(g, &parameters, &energy_estimate(&system), NewtonOptions::default())?;
                kernel.set_parameters(&values);
                Some(kernel)
            }
            false => None,
        };
        let constraint_sizes = constraint_sizes(&system, &start, &all);
        let formulas = formulas.into_inner();
        let sensitivity = match &formulas {
            Some(scheme) => SensitivityRules::of(model, settings, &observables, scheme, newton_options(settings))?,
            None if settings.sensitivity.is_empty() => None,
            None => return Err(SensitivityError::Adaptive { method: settings.method.to_string() }.into()),
        };
        if sensitivity.is_some() && constraints.moved > 0.0 {
            return Err(SensitivityError::Moved { moved: constraints.moved }.into());
        }
        Ok(CompiledRun {
            model: shared.clone(),
            observables: Arc::new(observables),
            compiled: Arc::new(compiled),
            estimate,
            events,
            plan,
            method: settings.method.clone(),
            start,
            constraints,
            constraint_sizes,
            stated_energy,
            pace_at_start,
            settings: settings.clone(),
            given_times,
            scheme: formulas.map(Arc::new),
            sensitivity: sensitivity.map(Arc::new),
            reached: None,
            tracked: tracked.to_vec(),
            energy_law: Arc::default(),
        })
    }
}

/// Do the first positions satisfy the discrete constraints over three points?
fn check_points(model: &Model, system: &System<'_>, start: &RunStart, step: f64) -> Result<(), SetupError> {
    let Some(CustomDiscrete::Stated(stated)) = CustomDiscrete::of(model, system).filter(|_| system.order == 2) else {
        return Ok(());
    };
    let flow = ThreePointSystem::stated(system, &stated);
    let n = system.len();
    let positions = [&start.values.q[..n], &start.values.second].concat();
    let parameters = start.parameter_values();
    let names = model.parameters().iter().map(|p| p.name.as_str());
    for first in 0..2 {
        let mut known: HashMap<String, f64> =
            names.clone().map(str::to_owned).zip(parameters.iter().copied()).collect();
        known.extend([("h".to_owned(), step), (model.independent().to_owned(), first as f64 * step)]);
        let symbols = flow.points.iter().flatten().filter_map(|symbol| symbol.as_symbol());
        known.extend(symbols.map(|name| name.to_string()).zip(positions[first * n..].iter().copied()));
        for (name, row) in &flow.constraints {
            let values = system.graph.evaluate(&[*row, magnitude(*row)], |name| known.get(name).copied());
            if values[0].abs() > TYPED * values[1] || !values[0].is_finite() {
                return Err(ConstraintError::PointsViolate {
                    constraint: name.clone(),
                    first: first + 1,
                    residual: values[0],
                }
                .into());
            }
        }
    }
    Ok(())
}

/// The domains of the coordinates as guards.
fn domain_guards(model: &Model) -> Vec<Guard> {
    let domains = model.coordinates().iter().filter_map(|c| c.domain);
    domains.map(|condition| Guard { text: model.graph().expr(condition).to_string(), condition }).collect()
}

/// The adaptive integrator of a method, if it is one.
fn adaptive_method(method: &Method) -> Option<AdaptiveMethod> {
    match method {
        Method::Dopri5 => Some(AdaptiveMethod::Dopri5),
        Method::Dop853 => Some(AdaptiveMethod::Dop853),
        _ => None,
    }
}

fn newton_options(settings: &Settings) -> NewtonOptions {
    let default = NewtonOptions::default();
    let tolerance = settings.tolerance.unwrap_or(default.tolerance);
    NewtonOptions {
        tolerance,
        backend: settings.backend,
        full_slopes: settings.full_slopes,
        wide: settings.wide,
        ..default
    }
}

/// For larger systems the check would take as long as everything else; all methods but collocation, whose stages may be solvable
/// all the same, find a singular mass matrix at their first step.
const CHECKED_AHEAD: usize = 32;

/// Is the regularity of the Lagrangian looked at before a run begins?
pub(crate) fn checked_ahead(method: &Method, system: &System<'_>) -> bool {
    let collocation = matches!(method, Method::Gauss(_));
    *method != Method::Custom && (collocation || system.order > 1 || system.len() <= CHECKED_AHEAD)
}

//! Runs of Lagrangians with accelerations: what counts as a coordinate here are all derivatives below the highest.

use std::sync::Arc;

use extremal_expr::Expr;
use extremal_mechanics::continuous::HigherSystem;
use extremal_mechanics::discrete::{SchemeError, higher_flow, higher_scheme};
use extremal_model::{Feature, Method, Model, Start};
use extremal_solve::{AdaptiveMarcher, CompiledScheme, ConfigurationWatch, LinearSolver};
use extremal_trajectory::{Column, Columns, Role};

use super::{
    Compiled, ConstraintStructure, Observables, Plan, Run, RunStart, Settings, SettingsError, SetupError, Tracked,
    adaptive_method, domain_guards, ids, newton_options,
};
use crate::SharedModel;
use crate::system::higher_system_of;

impl Run {
    /// A run of a model whose order is above one.
    pub(super) fn higher(
        model: &Model,
        shared: &SharedModel,
        settings: &Settings,
        plan: Plan,
        tracked: &[Tracked],
    ) -> Result<Run, SetupError> {
        let g = model.graph();
        let system = higher_system_of(model)?;
        if !system.constraints.is_empty() {
            return Err(SchemeError::BesideAccelerations("constraints of a motion from its start").into());
        }
        if let Some(refusal) = settings.method.refuses(&[Feature::of_order(system.order)]) {
            return Err(SchemeError::Undefined { refusal, example: None }.into());
        }
        if settings.start == Start::TwoPoints && !settings.method.takes(Feature::TwoPoints) {
            return Err(SchemeError::NoTwoPoints(settings.method.to_string()).into());
        }
        let in_between = plan.remainder.is_some() || !model.stops().is_empty();
        if settings.method == Method::Difference && in_between {
            return Err(SettingsError::EqualSteps.into());
        }
        let start = RunStart::of_higher(model, system.order);
        let at_start = |expressions: &[Expr<'_>]| {
            let symbols = [system.derivatives[..2 * system.order].concat(), vec![system.t]].concat();
            start.evaluate_in(g, &symbols, expressions)
        };
        check_regularity(&system, at_start)?;
        let observables = observables(model, &system, tracked)?;
        let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
        let (guards, values) = (domain_guards(model), model.parameter_values());
        let compiled = match adaptive_method(&settings.method) {
            Some(method) => {
                let tolerance = settings.tolerance.unwrap_or(1e-12);
                let flow = higher_flow(&system);
                let mut marcher =
                    AdaptiveMarcher::of_flow(g, flow, method, tolerance, &parameters, &observables.outputs, &guards)?;
                marcher.set_parameters(&values);
                Compiled::Adaptive(Box::new(marcher))
            }
            None => {
                let scheme = higher_scheme(&system, &settings.method)?;
                let newton = newton_options(settings);
                let mut compiled = CompiledScheme::new(g, &scheme, &parameters, &observables.outputs, &guards, newton)?;
                compiled.set_parameters(&values);
                Compiled::Scheme(Box::new(compiled))
            }
        };
        let stated_energy = at_start(&[system.energy()])[0];
        let constraints = ConstraintStructure { degrees_of_freedom: system.len(), ..ConstraintStructure::default() };
        let method = settings.method.clone();
        Ok(Run {
            model: shared.clone(),
            observables: Arc::new(observables),
            compiled: Arc::new(compiled),
            estimate: None,
            plan,
            method,
            start,
            constraints,
            constraint_sizes: Vec::new(),
            stated_energy,
            settings: settings.clone(),
            tracked: tracked.to_vec(),
        })
    }
}

/// Refuses a Lagrangian that does not determine the highest derivatives from their momenta at the start.
fn check_regularity<'m>(
    system: &HigherSystem<'m>,
    at_start: impl Fn(&[Expr<'m>]) -> Vec<f64>,
) -> Result<(), SetupError> {
    let n = system.len();
    let values = at_start(&system.highest_hessian().concat());
    if values.iter().any(|value| !value.is_finite()) {
        return Ok(());
    }
    let pattern: Vec<Vec<usize>> = (0..n).map(|_| (0..n).collect()).collect();
    let factored = LinearSolver::for_pattern(n, &pattern).factor(&values);
    factored.map_err(|singular| SetupError::SingularHigher {
        derivative: system.derivatives[system.order][singular.column].to_string(),
    })
}

/// The row is: time, q … q^(k−1), q^(k) … q^(2k−1), their momenta, the energy, invariants.
fn observables<'m>(
    model: &'m Model,
    system: &HigherSystem<'m>,
    tracked: &[Tracked],
) -> Result<Observables, SetupError> {
    let (g, k) = (model.graph(), system.order);
    if !model.symmetries().is_empty() {
        return Err(SchemeError::BesideAccelerations("symmetries").into());
    }
    let primed = |name: &String, times: usize| format!("{name}{}", "'".repeat(times));
    let mut columns = vec![Column::time()];
    columns.extend(system.names.iter().map(Column::coordinate));
    for order in 0..2 * k - 1 {
        columns.extend(system.names.iter().map(|name| Column::velocity(&primed(name, order))));
    }
    for order in 0..k {
        columns.extend(system.names.iter().map(|name| Column::momentum(&primed(name, order))));
    }
    columns.push(Column::new("energy", Role::Energy));
    let mut outputs = vec![system.energy()];
    let stated = model.invariants().iter().map(|invariant| (&invariant.name, invariant.expression));
    for (name, expression) in stated.chain(tracked.iter().map(|quantity| (&quantity.name, quantity.expression))) {
        columns.push(Column::new(name.as_str(), Role::Invariant));
        outputs.push(g.expr(expression));
    }
    let recorded = outputs.len();
    outputs.extend(model.stops().iter().map(|stop| g.expr(stop.expression)));
    outputs.extend(model.exact().iter().map(|exact| g.expr(exact.expression)));
    Ok(Observables {
        columns: Columns::new(columns)?,
        outputs: ids(&outputs),
        recorded,
        coordinates: k * system.len(),
        entropies: 0,
        reactions: 0,
        constraints: Vec::new(),
        kept: Vec::new(),
        configurations: ConfigurationWatch::default(),
        moving: Vec::new(),
        measured: Vec::new(),
        determinants: 0,
        timed_mass: false,
        adaptive: false,
        estimate: false,
        accounts: Vec::new(),
        stops: model.stops().iter().map(|stop| (stop.name.clone(), stop.direction)).collect(),
        exact: model.exact().iter().map(|exact| exact.coordinate).collect(),
    })
}

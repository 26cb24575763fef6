//! Derivatives of a motion by parameters and by what it starts from. They are those of the discrete motion, exact up to round-off: the
//! formulas of start, step and observation, differentiated implicitly, and no differences of runs.

mod adjoint;
mod followed;
mod forward;
mod period;

use extremal_expr::{Graph, Id};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;
use extremal_model::{Method, Model, Pacing, Start};
use extremal_solve::{BlockTangent, NewtonOptions, StartValues};
use extremal_trajectory::{Column, Role};
use thiserror::Error;

use super::observables::Observables;
use super::{CompiledRun, Plan, Settings, SetupError};
use crate::sweep::{Fixed, Preparation, Target, Variation, VariationError, named_targets};

pub use adjoint::{Gradient, GradientError, Slope};
pub(super) use forward::Sensitivities;
pub(crate) use period::{PeriodMap, Returned};

/// Why a motion has no derivatives that are known here.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum SensitivityError {
    #[error(transparent)]
    Name(#[from] VariationError),
    #[error(
        "`{method}` chooses its steps by itself, and derivatives are those of the steps of a formula: take `gauss(3)`, `rk4` or \
         another method with a step"
    )]
    Adaptive { method: String },
    #[error("derivatives of a motion do not go through [events], whose times depend on what it starts from")]
    Events,
    #[error(
        "the start of `{name}` alone leaves the constraints: state the starts by a parameter along them, and ask for the \
         derivative by that"
    )]
    OffConstraints { name: String },
    #[error("the start was moved onto the constraints, by {moved:.1e}: state one that satisfies them")]
    Moved { moved: f64 },
    #[error(
        "derivatives of a motion of many like members that are not written out are not known: take a method with implicit steps"
    )]
    Many,
    #[error("derivatives of a motion begin with it: ask for them from the start")]
    Restarted,
    #[error("derivatives of a motion are those of steps that are alike: leave out `pace`, or say `pacing = \"even\"`")]
    Paced,
    #[error("derivatives by starts at two or more points are not known")]
    Points,
}

/// What is differentiated, compiled.
#[derive(Clone)]
pub(crate) struct SensitivityRules {
    targets: Vec<Target>,
    tangents: Tangents,
    settings: Settings,
}

/// The blocks of a scheme with their derivatives by states and parameters.
#[derive(Clone)]
pub(crate) struct Tangents {
    start: BlockTangent,
    step: BlockTangent,
    observe: BlockTangent,
    substeps: Vec<f64>,
    constants: Vec<f64>,
    state: usize,
    /// The places of the parameters that they are differentiated by.
    places: Vec<usize>,
}

impl Tangents {
    /// Of a scheme, with further `outputs` to observe, by the parameters at these places.
    fn new(
        model: &Model,
        scheme: &Scheme,
        outputs: &[Id],
        places: Vec<usize>,
        options: NewtonOptions,
    ) -> Result<Tangents, SetupError> {
        let g: &Graph = model.graph();
        let own = model.parameters().iter().map(|parameter| parameter.symbol);
        let parameters: Vec<Id> = own.chain(scheme.constants.iter().map(|(symbol, _)| *symbol)).collect();
        let varied = || places.iter().map(|place| parameters[*place]);
        let by_state: Vec<Id> = scheme.state.iter().copied().chain(varied()).collect();
        let by_start: Vec<Id> = start_symbols(scheme, model).into_iter().chain(varied()).collect();
        let observed = scheme.observe.outputs.iter().chain(outputs).copied().collect();
        let observe = Block { outputs: observed, ..scheme.observe.clone() };
        Ok(Tangents {
            start: BlockTangent::new(g, &parameters, &scheme.start, &by_start, options)?,
            step: BlockTangent::new(g, &parameters, &scheme.step, &by_state, options)?,
            observe: BlockTangent::new(g, &parameters, &observe, &by_state, options)?,
            substeps: scheme.substeps.clone(),
            constants: scheme.constants.iter().map(|(_, value)| *value).collect(),
            state: scheme.state.len(),
            places,
        })
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        let values = [parameters, &self.constants].concat();
        [&mut self.start, &mut self.step, &mut self.observe]
            .into_iter()
            .for_each(|block| block.set_parameters(&values));
    }
}

/// The symbols of a start by what it is stated by, in the order of [`StartLayout`](crate::sweep): all inputs but time and step.
fn start_symbols(scheme: &Scheme, model: &Model) -> Vec<Id> {
    let moving = model.constraints().iter().filter(|c| !c.kind.nature().reacts).count();
    let inputs = &scheme.start.inputs;
    let behind = moving.min(inputs.len().saturating_sub(2));
    let time = inputs.len() - behind - 2;
    inputs[..time].iter().chain(&inputs[time + 2..]).copied().collect()
}

/// The inputs of a start.
fn start_inputs(values: &StartValues, step: f64) -> Vec<f64> {
    let StartValues { q, v, second, s, multipliers, time } = values;
    [&q[..], v, second, s, &[*time, step], multipliers].concat()
}

/// How parameters and the numbers of a start change with something.
pub(crate) struct ValueSlopes {
    pub parameters: Vec<f64>,
    pub start: Vec<f64>,
}

impl SensitivityRules {
    /// Those that the settings ask for; `None` where they ask for nothing.
    ///
    /// # Errors
    /// See [`SensitivityError`].
    pub fn of(
        model: &Model,
        settings: &Settings,
        observables: &Observables,
        scheme: &Scheme,
        options: NewtonOptions,
    ) -> Result<Option<SensitivityRules>, SetupError> {
        if settings.sensitivity.is_empty() {
            return Ok(None);
        }
        let targets = named_targets(model, settings.start, settings.sensitivity.iter().map(String::as_str))
            .map_err(SensitivityError::Name)?;
        differentiable(model, settings)?;
        for (target, name) in targets.iter().zip(&settings.sensitivity) {
            stays_on_constraints(model, *target, name)?;
        }
        let asked: Vec<Id> = asked_outputs(observables).map(|output| observables.outputs[output]).collect();
        let places = dependent_parameters(model, &targets);
        Ok(Some(SensitivityRules {
            targets,
            tangents: Tangents::new(model, scheme, &asked, places, options)?,
            settings: settings.clone(),
        }))
    }

    /// The slopes of everything that is given by what it is asked for, in their order.
    fn slopes(&self, model: &Model, plan: &Plan, parameters: &[f64]) -> Vec<ValueSlopes> {
        slopes_by(model, &self.settings, plan, parameters, &self.targets)
    }
}

/// The slopes of parameters and starts by each of these, the others fixed.
fn slopes_by(
    model: &Model,
    settings: &Settings,
    plan: &Plan,
    parameters: &[f64],
    targets: &[Target],
) -> Vec<ValueSlopes> {
    let nothing = Variation::default();
    let fixed = Fixed { step: true, from: true, end: true };
    Preparation::new(model, &nothing, targets.to_vec(), settings, plan, fixed).slopes(parameters, plan.step)
}

/// Refuses motions whose derivatives are not known.
pub(super) fn differentiable(model: &Model, settings: &Settings) -> Result<(), SensitivityError> {
    match &settings.method {
        method @ (Method::Dopri5 | Method::Dop853) => Err(SensitivityError::Adaptive { method: method.to_string() }),
        _ if !model.events().is_empty() => Err(SensitivityError::Events),
        _ if settings.pacing != Pacing::Even => Err(SensitivityError::Paced),
        _ if settings.start == Start::Points => Err(SensitivityError::Points),
        _ => Ok(()),
    }
}

fn stays_on_constraints(model: &Model, target: Target, name: &str) -> Result<(), SensitivityError> {
    let bound = model.constraints().iter().any(|constraint| constraint.kind.nature().reacts);
    match target {
        Target::Position(_) | Target::Velocity(_) if bound => {
            Err(SensitivityError::OffConstraints { name: name.to_owned() })
        }
        _ => Ok(()),
    }
}

/// The places of the parameters that change with any of these.
fn dependent_parameters(model: &Model, targets: &[Target]) -> Vec<usize> {
    let g = model.graph();
    let mut changing = Vec::new();
    let mut places = Vec::new();
    for (place, parameter) in model.parameters().iter().enumerate() {
        let varied = targets.contains(&Target::Parameter(place));
        if varied || g.expr(parameter.expression).depends_on(&changing) {
            changing.push(g.expr(parameter.symbol));
            places.push(place);
        }
    }
    places
}

/// The recorded outputs whose derivatives are recorded too: those that were asked for.
fn asked_outputs(observables: &Observables) -> impl Iterator<Item = usize> + '_ {
    let first = observables.row.outputs.start;
    (0..observables.recorded).filter(move |output| observables.columns[first + output].role() == Role::Asked)
}

/// The columns of the derivatives of these columns, name by name.
pub(super) fn derivative_columns(names: &[String], columns: &[Column]) -> Vec<Column> {
    let differentiated: Vec<&Column> = columns.iter().filter(|column| is_differentiated(column)).collect();
    let of = |name: &String| {
        let column = |of: &&Column| Column::new(format!("d{}/d{name}", of.name()), Role::Output).of(of.name());
        differentiated.iter().map(column).collect::<Vec<_>>()
    };
    names.iter().flat_map(of).collect()
}

/// Is a column differentiated: a position, velocity, momentum, what moves by a rate of its own, or what was asked for?
fn is_differentiated(column: &Column) -> bool {
    matches!(
        column.role(),
        Role::Coordinate | Role::Velocity | Role::Momentum | Role::Entropy | Role::Amount | Role::State | Role::Asked
    )
}

impl CompiledRun {
    /// The value of a parameter, or of the start of a coordinate, a velocity, an entropy or a state.
    pub(crate) fn value_of(&self, name: &str) -> Option<f64> {
        let targets = named_targets(&self.model.lock(), self.settings.start, [name].into_iter()).ok()?;
        let StartValues { q, v, s, .. } = &self.start.values;
        match targets[..] {
            [Target::Parameter(at)] => self.start.parameter_values().get(at).copied(),
            [Target::Position(at)] => q.get(at).copied(),
            [Target::Velocity(at)] => v.get(at).copied(),
            [Target::Entropy(at)] => s.get(at).copied(),
            _ => None,
        }
    }
}

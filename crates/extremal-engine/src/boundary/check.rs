//! What a statement must satisfy before anything is computed.

use extremal_mechanics::boundary::Quantity;
use extremal_model::Model;
use extremal_trajectory::ColumnsError;
use thiserror::Error;

use super::Problem;
use super::statement::{Duration, Grading, Statement, component_name, first_state};

/// A statement that cannot be meant.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum StatementError {
    #[error(
        "a Hamiltonian whose momenta are coordinates has no action of positions to be solved between two ends: state a Lagrangian, or a \
         Hamiltonian that is quadratic in the momenta"
    )]
    PhaseSpace,
    #[error("the duration must be positive, it is {0}")]
    Duration(f64),
    #[error("the duration cannot be between {min} and {max}")]
    DurationBounds { min: f64, max: f64 },
    #[error("`{name}` cannot be between {min} and {max}")]
    Bounds { name: String, min: f64, max: f64 },
    #[error("`{name}` = {value} at the {end} is outside its bounds {min} to {max}")]
    EndOutside { name: String, end: &'static str, value: f64, min: f64, max: f64 },
    #[error("{what} is not a finite number")]
    NotFinite { what: String },
    #[error("{steps} steps are too few for this problem: at least {least} are needed")]
    TooFewSteps { steps: usize, least: usize },
    #[error("the control `{0}` acts on nothing")]
    IdleControl(String),
    #[error("the unknown `{0}` is neither in the equations nor in the cost or in a condition of an end or the way")]
    IdleUnknown(String),
    #[error(
        "the motion has as many conditions as freedoms, and nothing to find `{0}` by: state an `[objective]`, which may be `running = \"0\"`"
    )]
    UnknownOfMotion(String),
    #[error(
        "there are controls but no `[objective]` to choose them by: for any that reaches the end, write `running = \"0\"`"
    )]
    NoObjective,
    #[error(
        "the motion needs {needed} conditions at its ends and has {given}: with forces, or with velocities at an end, each \
         coordinate has two, and a state has one"
    )]
    Conditions { needed: usize, given: usize },
    #[error(
        "a periodic motion has no {end}: leave out `{name}` there, or use a path bound or an integral to hold the phase"
    )]
    PeriodicEnd { end: &'static str, name: String },
    #[error("`{0}` does not end as it began while others do: a motion is periodic in all coordinates or in none")]
    PartlyPeriodic(String),
    #[error("the entropy `{0}` cannot be bounded along the way: only coordinates, velocities and controls can")]
    EntropyBound(String),
    #[error("`{0}` cannot be bounded along the way: only coordinates and velocities can")]
    DerivativeBound(String),
    #[error(
        "the point at {fraction} of the duration is not on a grid of {steps} steps: {fraction} times the steps must be a whole number"
    )]
    OffGrid { fraction: f64, steps: usize },
    #[error("`{name}` cannot be given in between: `{method}` has no velocities there")]
    ViaVelocity { name: String, method: String },
    #[error("`{name}` cannot be given at the {end}: the Lagrangian determines it")]
    NoSuchDerivative { name: String, end: &'static str },
    #[error(
        "`{name}` cannot be given at the {end}: a discrete system of your own has two positions at each end, those of `start` and \
         `second`, and of `next_to_last` and `end`"
    )]
    TwoPositions { name: String, end: &'static str },
    #[error("the motion cannot {verb} outside the domain `{domain}`")]
    OutsideDomain { verb: &'static str, domain: String },
    #[error("steps cannot shrink towards the ends {0}")]
    Grading(&'static str),
    /// Two columns of the table would have one name.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
}

/// Everything that can be said without solving.
pub(super) fn check(model: &Model, statement: &Statement) -> Result<(), StatementError> {
    if model.momentum_coordinates() > 0 {
        return Err(StatementError::PhaseSpace);
    }
    match statement.duration {
        Duration::Fixed(value) if !(value > 0.0 && value.is_finite()) => return Err(StatementError::Duration(value)),
        Duration::Free { min, max, guess } => {
            if !(min >= 0.0 && max > min && guess > 0.0 && guess >= min && guess <= max) {
                return Err(StatementError::DurationBounds { min, max });
            }
        }
        Duration::Fixed(_) => {}
    }
    let name = |coordinate: usize, order: usize| component_name(model, coordinate, order);
    let rates = model.states().iter().map(|state| model.graph().expr(state.controlled_rate));
    let driving: Vec<_> = model.controlled_forces().into_iter().chain(rates).collect();
    for control in &statement.controls {
        let symbol = [model.graph().expr(control.symbol)];
        if !model.graph().depend_on(&driving, &symbol).contains(&true) {
            return Err(StatementError::IdleControl(control.name.clone()));
        }
        if contradict(control.min, control.max) {
            return Err(StatementError::Bounds { name: control.name.clone(), min: control.min, max: control.max });
        }
        let [slowest, fastest] = control.rate;
        if contradict(slowest, fastest) {
            return Err(StatementError::Bounds { name: format!("{}'", control.name), min: slowest, max: fastest });
        }
    }
    for unknown in &statement.unknowns {
        let (min, max) = (unknown.min, unknown.max);
        if contradict(min, max) {
            return Err(StatementError::Bounds { name: unknown.name.clone(), min, max });
        }
    }
    if !statement.controls.is_empty() && statement.running.is_none() && statement.terminal.is_none() {
        return Err(StatementError::NoObjective);
    }
    for bound in &statement.path {
        if bound.order > 1 {
            return Err(StatementError::DerivativeBound(name(bound.coordinate, bound.order)));
        }
        if contradict(bound.min, bound.max) {
            let name = name(bound.coordinate, bound.order);
            return Err(StatementError::Bounds { name, min: bound.min, max: bound.max });
        }
    }
    let given = [
        ("start", &statement.start),
        ("end", &statement.end),
        ("second position", &statement.second),
        ("last position but one", &statement.next_to_last),
    ];
    for (end, values) in given {
        for value in values {
            let name = name(value.coordinate, value.order);
            if statement.periodic {
                return Err(StatementError::PeriodicEnd { end, name });
            }
            if !value.value.is_finite() {
                return Err(StatementError::NotFinite { what: format!("`{name}` at the {end}") });
            }
            let bound = statement.path.iter().find(|b| b.coordinate == value.coordinate && b.order == value.order);
            if let Some(bound) = bound
                && !(bound.min <= value.value && value.value <= bound.max)
            {
                let (min, max) = (bound.min, bound.max);
                return Err(StatementError::EndOutside { name, end, value: value.value, min, max });
            }
        }
    }
    for (end, conditions) in [("start", &statement.start_conditions), ("end", &statement.end_conditions)] {
        if let (true, Some(condition)) = (statement.periodic, conditions.first()) {
            return Err(StatementError::PeriodicEnd { end, name: condition.text.clone() });
        }
    }
    for integral in &statement.integrals {
        if !integral.value.is_finite() {
            return Err(StatementError::NotFinite { what: format!("the value of the integral `{}`", integral.name) });
        }
    }
    Ok(())
}

/// Where a discrete system reaches over three points, its ends are given by positions alone.
pub(super) fn positions_at_ends(model: &Model, statement: &Statement) -> Result<(), StatementError> {
    if statement.grading.is_some_and(|grading| grading != Grading::NONE) {
        return Err(StatementError::Grading("of a discrete system of your own, whose steps are equal"));
    }
    for (end, values) in [("start", &statement.start), ("end", &statement.end)] {
        if let Some(value) = values.iter().find(|value| value.order > 0) {
            let name = component_name(model, value.coordinate, value.order);
            return Err(StatementError::TwoPositions { name, end });
        }
    }
    Ok(())
}

/// Bounds between which there is nothing; what is not a number bounds nothing sensible.
fn contradict(min: f64, max: f64) -> bool {
    min.is_nan() || max.is_nan() || min > max
}

/// Are there enough steps for the unknowns to be determined?
pub(super) fn enough_steps(steps: usize, order: usize, periodic: bool) -> Result<(), StatementError> {
    let least = if periodic { 3 } else { 2 * order };
    match steps >= least {
        true => Ok(()),
        false => Err(StatementError::TooFewSteps { steps, least }),
    }
}

/// Are points in between on the grid, and given by what the nodes carry?
pub(super) fn on_grid(problem: &Problem<'_>, steps: usize) -> Result<(), StatementError> {
    let Statement { second, next_to_last, .. } = &problem.statement;
    // With fewer steps they would be one position, or the ends.
    let least = 1 + usize::from(!second.is_empty()) + usize::from(!next_to_last.is_empty());
    if steps < least {
        return Err(StatementError::TooFewSteps { steps, least });
    }
    for (fraction, value) in &problem.statement.via {
        let place = fraction * steps as f64;
        if (place - place.round()).abs() > 1e-9 * steps as f64 {
            return Err(StatementError::OffGrid { fraction: *fraction, steps });
        }
        let quantity = match value.order {
            0 if value.coordinate >= first_state(problem.model) => {
                Quantity::State(value.coordinate - first_state(problem.model))
            }
            0 => Quantity::Position(value.coordinate),
            order => Quantity::Derivative { order, coordinate: value.coordinate },
        };
        if !problem.transcription.node.contains(&quantity) {
            let name = problem.quantity_name(quantity);
            return Err(StatementError::ViaVelocity { name, method: problem.method.to_string() });
        }
    }
    Ok(())
}

/// The ends at which neither position nor velocity of a coordinate is given, in a motion without objective: its momentum vanishes
/// there. There must be two conditions per coordinate in all.
pub(super) fn natural_ends(model: &Model, statement: &Statement) -> Result<Vec<(bool, usize)>, StatementError> {
    if statement.periodic {
        return Ok(Vec::new());
    }
    let (n, states) = (model.coordinates().len(), model.states().len());
    let at_start = || statement.start.iter().chain(&statement.second);
    let at_end = || statement.end.iter().chain(&statement.next_to_last);
    let given = at_start().count() + at_end().count();
    let count = |end: bool, coordinate: usize| match end {
        true => at_end().filter(|value| value.coordinate == coordinate).count(),
        false => at_start().filter(|value| value.coordinate == coordinate).count(),
    };
    let ends = [false, true].into_iter().flat_map(|end| (0..n).map(move |coordinate| (end, coordinate)));
    let free: Vec<(bool, usize)> = ends.filter(|(end, coordinate)| count(*end, *coordinate) == 0).collect();
    // Two conditions per coordinate; where one end has both, the other one is left alone.
    let natural: Vec<(bool, usize)> =
        free.into_iter().filter(|(end, coordinate)| count(!*end, *coordinate) < 2).collect();
    let unknown_duration = usize::from(matches!(statement.duration, Duration::Free { .. }));
    let needed = 2 * n + states + unknown_duration - statement.integrals.len().min(unknown_duration);
    match given + natural.len() == needed {
        true => Ok(natural),
        false => Err(StatementError::Conditions { needed, given }),
    }
}

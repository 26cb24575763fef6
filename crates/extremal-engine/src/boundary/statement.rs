//! What a boundary problem states, as numbers and expressions.

use extremal_expr::{Expr, Id};
use extremal_model::{
    Boundary, BoundaryCondition, Component, ControlShape, FixedValue, IntegralRelation, MaximumCost, Model,
    control_rate,
};
use serde::Serialize;

use super::{ProblemError, StatementError};

/// What is given at one instant: a coordinate or a derivative of it, an entropy or a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndValue {
    /// Which coordinate; entropies and, after them, states count on from these.
    pub coordinate: usize,
    /// Zero for the position, one for the velocity, and so on.
    pub order: usize,
    /// Its value.
    pub value: f64,
}

/// How long the motion lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duration {
    /// So long.
    Fixed(f64),
    /// To be found.
    Free {
        /// Not shorter.
        min: f64,
        /// Not longer.
        max: f64,
        /// Where to begin.
        guess: f64,
    },
}

impl Duration {
    /// The duration, or where the search for it begins.
    pub fn guess(self) -> f64 {
        match self {
            Duration::Fixed(value) => value,
            Duration::Free { guess, .. } => guess,
        }
    }
}

/// An input of the system that is to be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedControl {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// Not smaller.
    pub min: f64,
    /// Not larger.
    pub max: f64,
    /// How it goes through the steps, if it is said.
    pub shape: Option<ControlShape>,
    /// The least and the largest rate of one that is linear.
    pub rate: [f64; 2],
    /// A first guess, an expression of time.
    pub guess: Option<Id>,
}

impl StatedControl {
    /// Has its rate bounds?
    pub fn is_rate_bounded(&self) -> bool {
        self.rate.iter().any(|bound| bound.is_finite())
    }
}

/// The largest value of an expression along the way, as a part of the cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedMaximum {
    /// Which unknown it is; the last one.
    pub unknown: usize,
    /// The first of the conditions along the way that keep the expression below it; the last ones.
    pub first_condition: usize,
}

/// An integral over the motion that has a given value, or one on a side of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Integral {
    /// Its name.
    pub name: String,
    /// The integrand.
    pub integrand: Id,
    /// The value.
    pub value: f64,
    /// How the integral is compared with it.
    pub relation: IntegralRelation,
}

impl Integral {
    /// What its row may be.
    pub(super) fn bounds(&self) -> (f64, f64) {
        match self.relation {
            IntegralRelation::Equal => (self.value, self.value),
            IntegralRelation::AtMost => (f64::NEG_INFINITY, self.value),
            IntegralRelation::AtLeast => (self.value, f64::INFINITY),
        }
    }
}

/// A parameter that is to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedUnknown {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// Not smaller.
    pub min: f64,
    /// Not larger.
    pub max: f64,
    /// Where to begin.
    pub guess: f64,
}

/// A condition on an expression, along the way or at an end.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedCondition {
    /// As it was written.
    pub text: String,
    /// What may not be positive, or must vanish in an equation.
    pub expression: Id,
    /// Is it an equation?
    pub equation: bool,
}

impl StatedCondition {
    fn all(stated: &[BoundaryCondition]) -> Vec<StatedCondition> {
        let one = |stated: &BoundaryCondition| StatedCondition {
            text: stated.text.clone(),
            expression: stated.expression,
            equation: stated.equation,
        };
        stated.iter().map(one).collect()
    }

    /// What its row may be.
    pub(super) fn bounds(&self) -> (f64, f64) {
        (if self.equation { 0.0 } else { f64::NEG_INFINITY }, 0.0)
    }
}

/// Bounds of a coordinate or a velocity along the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathBound {
    /// Which coordinate, or state, counted as in [`EndValue`].
    pub coordinate: usize,
    /// Zero for the position, one for the velocity.
    pub order: usize,
    /// Not smaller.
    pub min: f64,
    /// Not larger.
    pub max: f64,
}

/// A boundary or control problem of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name of the independent variable.
    pub independent: String,
    /// Where it starts.
    pub begin: f64,
    /// How far it goes.
    pub duration: Duration,
    /// Steps of the grid.
    pub steps: usize,
    /// Given at the start.
    pub start: Vec<EndValue>,
    /// Given at the end.
    pub end: Vec<EndValue>,
    /// Positions given one step after the start.
    pub second: Vec<EndValue>,
    /// Positions given one step before the end.
    pub next_to_last: Vec<EndValue>,
    /// Given in between: at which part of the duration, and what.
    pub via: Vec<(f64, EndValue)>,
    /// Entropies at the start, one each.
    pub start_entropies: Vec<f64>,
    /// Entropies that are given at the end.
    pub end_entropies: Vec<(usize, f64)>,
    /// Does the motion close?
    pub periodic: bool,
    /// Inputs to be chosen.
    pub controls: Vec<StatedControl>,
    /// Parameters to be found.
    pub unknowns: Vec<StatedUnknown>,
    /// The running cost.
    pub running: Option<Id>,
    /// The cost of the end.
    pub terminal: Option<Id>,
    /// Integrals with given values.
    pub integrals: Vec<Integral>,
    /// Bounds along the way.
    pub path: Vec<PathBound>,
    /// Conditions on expressions along the way.
    pub path_conditions: Vec<StatedCondition>,
    /// The same at the start.
    pub start_conditions: Vec<StatedCondition>,
    /// The same at the end.
    pub end_conditions: Vec<StatedCondition>,
    /// Conditions that link both ends.
    pub links: Vec<StatedCondition>,
    /// What the largest value along the way costs.
    pub maximum: Option<StatedMaximum>,
    /// First guesses per coordinate, entropy and state, expressions of time.
    pub guess: Vec<Option<Id>>,
    /// How the steps shrink towards the ends; unless it is said, they do towards an end where the integrand is not finite.
    pub grading: Option<Grading>,
}

/// The place of the first state where all that moves is counted: coordinates, entropies, amounts, states.
pub(super) fn first_state(model: &Model) -> usize {
    model.coordinates().len() + model.entropies().len() + model.amounts().len()
}

/// What is counted there, as it is written.
pub(super) fn component_name(model: &Model, place: usize, order: usize) -> String {
    match place.checked_sub(model.coordinates().len()) {
        None => format!("{}{}", model.coordinates()[place].name, "'".repeat(order)),
        Some(carried) => model.carried_names()[carried].to_owned(),
    }
}

/// Powers by which steps shrink towards the ends: the k-th of N instants from an end is (k/N)^power of the way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Grading {
    /// Towards the start.
    pub start: f64,
    /// Towards the end.
    pub end: f64,
}

impl Grading {
    /// Equal steps.
    pub const NONE: Grading = Grading { start: 1.0, end: 1.0 };
}

impl Statement {
    /// Are there conditions on expressions?
    pub(super) fn has_conditions(&self) -> bool {
        let ends = self.start_conditions.is_empty() && self.end_conditions.is_empty() && self.links.is_empty();
        !(self.path_conditions.is_empty() && ends)
    }

    /// Is an integral kept on a side of its value?
    pub(super) fn bounds_integrals(&self) -> bool {
        self.integrals.iter().any(|integral| integral.relation != IntegralRelation::Equal)
    }

    /// The conditions at an end.
    pub(super) fn conditions_at(&self, end: bool) -> &[StatedCondition] {
        if end { &self.end_conditions } else { &self.start_conditions }
    }

    /// The problem that a model states, with the present values of its parameters.
    pub fn of(model: &Model) -> Result<Statement, ProblemError> {
        let boundary = model.boundary().ok_or(ProblemError::NoBoundary)?;
        let number = |id: Id| model.number(id);
        let or = |id: Option<Id>, otherwise: f64| id.map_or(otherwise, number);
        let open: Vec<_> = model.unknowns().iter().map(|unknown| model.graph().expr(unknown.symbol)).collect();
        let is_open = |id: Id| model.graph().depend_on(&[model.graph().expr(id)], &open).contains(&true);
        let unknowns = model.unknowns().iter().map(|unknown| StatedUnknown {
            name: unknown.name.clone(),
            symbol: unknown.symbol,
            min: or(unknown.min, f64::NEG_INFINITY),
            max: or(unknown.max, f64::INFINITY),
            guess: number(unknown.symbol),
        });
        let mut start_entropies = model.initial().entropies;
        let positions = |fixed: &[FixedValue]| -> Vec<EndValue> {
            let one = |fixed: &FixedValue| match fixed.component {
                Component::Coordinate { place, derivative } => {
                    Some(EndValue { coordinate: place, order: derivative as usize, value: number(fixed.value) })
                }
                Component::State(place) => {
                    let coordinate = first_state(model) + place;
                    Some(EndValue { coordinate, order: 0, value: number(fixed.value) })
                }
                Component::Entropy(_) => None,
            };
            fixed.iter().filter(|fixed| !is_open(fixed.value)).filter_map(one).collect()
        };
        let entropies = |fixed: &[FixedValue]| -> Vec<(usize, f64)> {
            let one = |fixed: &FixedValue| match fixed.component {
                Component::Entropy(place) => Some((place, number(fixed.value))),
                Component::Coordinate { .. } | Component::State(_) => None,
            };
            fixed.iter().filter_map(one).collect()
        };
        for (place, value) in entropies(&boundary.start) {
            start_entropies[place] = value;
        }
        let mut via = Vec::new();
        for waypoint in &boundary.via {
            let fraction = number(waypoint.fraction);
            via.extend(positions(&waypoint.values).into_iter().map(|value| (fraction, value)));
        }
        let n = model.coordinates().len();
        if !boundary.periodic.is_empty() && boundary.periodic.len() != n {
            let open = (0..n).find(|place| !boundary.periodic.contains(place));
            let name = open.map_or_else(String::new, |place| model.coordinates()[place].name.clone());
            return Err(StatementError::PartlyPeriodic(name).into());
        }
        let mut path = Vec::new();
        for bound in &boundary.path {
            let (place, derivative) = match bound.component {
                Component::Coordinate { place, derivative } => (place, derivative),
                Component::State(place) => (first_state(model) + place, 0),
                Component::Entropy(_) => {
                    return Err(StatementError::EntropyBound(model.component_name(bound.component)).into());
                }
            };
            path.push(PathBound {
                coordinate: place,
                order: derivative as usize,
                min: or(bound.min.filter(|bound| !is_open(*bound)), f64::NEG_INFINITY),
                max: or(bound.max.filter(|bound| !is_open(*bound)), f64::INFINITY),
            });
        }
        let controls = model.controls().iter().map(|control| StatedControl {
            name: control.name.clone(),
            symbol: control.symbol,
            min: or(control.min.filter(|bound| !is_open(*bound)), f64::NEG_INFINITY),
            max: or(control.max.filter(|bound| !is_open(*bound)), f64::INFINITY),
            shape: control.shape,
            rate: [(control.rate[0], f64::NEG_INFINITY), (control.rate[1], f64::INFINITY)]
                .map(|(bound, otherwise)| or(bound.filter(|bound| !is_open(*bound)), otherwise)),
            guess: control.guess,
        });
        let integrals = boundary.integrals.iter().map(|integral| Integral {
            name: integral.name.clone(),
            integrand: integral.integrand,
            value: number(integral.value),
            relation: integral.relation,
        });
        let stated = Statement {
            independent: model.independent().to_owned(),
            begin: number(boundary.from),
            duration: match &boundary.duration {
                extremal_model::BoundaryDuration::Fixed(duration) => Duration::Fixed(number(*duration)),
                extremal_model::BoundaryDuration::Free { min, max, guess } => {
                    Duration::Free { min: or(*min, 0.0), max: or(*max, f64::INFINITY), guess: number(*guess) }
                }
            },
            steps: boundary.steps as usize,
            start: positions(&boundary.start),
            end: positions(&boundary.end),
            second: positions(&boundary.second),
            next_to_last: positions(&boundary.next_to_last),
            via,
            start_entropies,
            end_entropies: entropies(&boundary.end),
            periodic: !boundary.periodic.is_empty(),
            controls: controls.collect(),
            unknowns: unknowns.collect(),
            running: model.objective().and_then(|objective| objective.running),
            terminal: model.objective().and_then(|objective| objective.terminal),
            integrals: integrals.collect(),
            path,
            path_conditions: [StatedCondition::all(&boundary.path_conditions), open_bounds(model, boundary, is_open)]
                .concat(),
            start_conditions: [
                StatedCondition::all(&boundary.start_conditions),
                open_values(model, &boundary.start, is_open),
            ]
            .concat(),
            end_conditions: [
                StatedCondition::all(&boundary.end_conditions),
                open_values(model, &boundary.end, is_open),
            ]
            .concat(),
            links: StatedCondition::all(&boundary.links),
            maximum: None,
            guess: boundary.guess.clone(),
            grading: boundary
                .grading
                .as_ref()
                .map(|grading| Grading { start: or(grading.start, 1.0), end: or(grading.end, 1.0) }),
        };
        let maximum = model.objective().and_then(|objective| objective.maximum.as_ref());
        Ok(match maximum {
            Some(maximum) => stated.with_maximum(model, maximum),
            None => stated,
        })
    }

    /// With an unknown that is not below an expression anywhere, and costs what it is.
    fn with_maximum(self, model: &Model, maximum: &MaximumCost) -> Statement {
        let g = model.graph();
        // No name of a user's has a space in it.
        let symbol = g.symbol("largest value");
        let below = maximum.parts.iter().map(|part| StatedCondition {
            text: format!("{} <= {MAXIMUM}", maximum.text),
            expression: (g.expr(*part) - symbol).id(),
            equation: false,
        });
        let (free, name) = (f64::INFINITY, MAXIMUM.to_owned());
        let unknown = StatedUnknown { name, symbol: symbol.id(), min: -free, max: free, guess: 0.0 };
        let terminal = self.terminal.map_or(symbol, |terminal| g.expr(terminal) + symbol);
        Statement {
            maximum: Some(StatedMaximum { unknown: self.unknowns.len(), first_condition: self.path_conditions.len() }),
            unknowns: [self.unknowns, vec![unknown]].concat(),
            path_conditions: self.path_conditions.into_iter().chain(below).collect(),
            terminal: Some(terminal.id()),
            ..self
        }
    }
}

/// What the largest value along the way is called, in the table too.
const MAXIMUM: &str = "maximum";

/// The symbol of a component of the state.
fn symbol_of<'m>(model: &'m Model, component: Component) -> Option<Expr<'m>> {
    let g = model.graph();
    match component {
        Component::Coordinate { place, derivative } => {
            let coordinate = &model.coordinates()[place];
            let name = format!("{}{}", coordinate.name, "'".repeat(derivative as usize));
            Some(if derivative == 0 { g.expr(coordinate.position) } else { g.symbol(&name) })
        }
        Component::State(place) => Some(g.symbol(&model.states()[place].name)),
        Component::Entropy(_) => None,
    }
}

/// Values at an end that contain parameters to be found are conditions.
fn open_values(model: &Model, fixed: &[FixedValue], is_open: impl Fn(Id) -> bool) -> Vec<StatedCondition> {
    let one = |fixed: &FixedValue| {
        let (component, value) = (symbol_of(model, fixed.component)?, model.graph().expr(fixed.value));
        let text = format!("{component} = {value}");
        Some(StatedCondition { text, expression: (component - value).id(), equation: true })
    };
    fixed.iter().filter(|fixed| is_open(fixed.value)).filter_map(one).collect()
}

/// Bounds that contain parameters to be found are conditions.
fn open_bounds(model: &Model, boundary: &Boundary, is_open: impl Fn(Id) -> bool) -> Vec<StatedCondition> {
    let g = model.graph();
    let controls = model.controls().iter().map(|control| (Some(g.expr(control.symbol)), control.min, control.max));
    let rates = model.controls().iter().map(|control| {
        let [slowest, fastest] = control.rate;
        (Some(control_rate(g.expr(control.symbol))), slowest, fastest)
    });
    let path = boundary.path.iter().map(|bound| (symbol_of(model, bound.component), bound.min, bound.max));
    let mut all = Vec::new();
    for (component, min, max) in controls.chain(rates).chain(path) {
        let Some(component) = component else { continue };
        let condition =
            |text: String, expression: Expr<'_>| StatedCondition { text, expression: expression.id(), equation: false };
        if let Some(min) = min.filter(|min| is_open(*min)).map(|min| g.expr(min)) {
            all.push(condition(format!("{component} >= {min}"), min - component));
        }
        if let Some(max) = max.filter(|max| is_open(*max)).map(|max| g.expr(max)) {
            all.push(condition(format!("{component} <= {max}"), component - max));
        }
    }
    all
}

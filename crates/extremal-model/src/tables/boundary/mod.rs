//! `[boundary]`: motion given by its ends instead of its start.

mod component;
mod conditions;
mod integrals;
mod rules;
mod statement;

use std::collections::{HashMap, HashSet};

use extremal_expr::Id;
use extremal_expr::syntax::check_name;

use super::assignments::Assignment;
use super::simulation::count;
use crate::diagnostic::{Code, Diagnostic, Problems, Span};
use crate::document::{Scalar, ScalarSeries};
use crate::names::{ELAPSED, STEP, TIME};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;
use component::{BoundaryKey, select};

pub use component::Component;
pub(crate) use component::{ComponentLists, StateComponents};
pub(super) use conditions::smooth_parts;
pub use conditions::{BoundaryCondition, at_end_of_motion};
pub use integrals::{IntegralConstraint, IntegralRelation};
pub(crate) use rules::{check, problems};
pub(crate) use statement::{BoundaryStatement, TABLE};
use statement::{DurationStatement, FreeDuration, PeriodicStatement, WaypointStatement};

/// The steps of a problem that does not say how many it has.
const DEFAULT_STEPS: u64 = 100;
/// More steps than any solver takes at once.
const MAX_STEPS: u64 = 10_000_000;

/// Between which ends the motion is to be found, and what else it has to satisfy. All values are expressions of parameters
/// ([`Model::number`](crate::Model::number)) unless something else is said.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// Where the independent variable begins.
    pub from: Id,
    /// How far it goes from there.
    pub duration: BoundaryDuration,
    /// The number of steps.
    pub steps: u64,
    /// What is given at the start. Components that are not given are free there.
    pub start: Vec<FixedValue>,
    /// What is given at the end.
    pub end: Vec<FixedValue>,
    /// Positions that are given one step after the start.
    pub second: Vec<FixedValue>,
    /// Positions that are given one step before the end.
    pub next_to_last: Vec<FixedValue>,
    /// What is given in between, in the order of time.
    pub via: Vec<Waypoint>,
    /// The coordinates, by their places, that end as they began.
    pub periodic: Vec<usize>,
    /// Bounds along the whole motion; those of controls are with the [`Control`](crate::Control)s.
    pub path: Vec<StateBound>,
    /// Conditions on expressions along the whole motion: of positions, velocities, entropies, states, controls, multipliers of
    /// constraints, the independent variable and parameters.
    pub path_conditions: Vec<BoundaryCondition>,
    /// Conditions on expressions at the start: the same without controls and multipliers.
    pub start_conditions: Vec<BoundaryCondition>,
    /// Those at the end.
    pub end_conditions: Vec<BoundaryCondition>,
    /// Conditions that link both ends, in what moves there ([`at_end_of_motion`]) and parameters.
    pub links: Vec<BoundaryCondition>,
    /// Integrals that have a given value, or a largest or smallest one.
    pub integrals: Vec<IntegralConstraint>,
    /// A first guess for each coordinate, then each entropy (which has none) and each state, where there is one: an expression of the independent variable and parameters. If the
    /// duration is free, it is meant for the guessed one.
    pub guess: Vec<Option<Id>>,
    /// How the steps shrink towards the ends, if it is said.
    pub grading: Option<StepGrading>,
    /// Where the duration is stated.
    pub duration_span: Span,
    /// Where the guesses are stated, by the same places.
    pub(crate) guess_spans: HashMap<usize, Span>,
}

/// Steps that shrink towards an end where the integrand is singular: the k-th of N instants from there is (k/N)^power of the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGrading {
    /// The power at the start; one, if there is none.
    pub start: Option<Id>,
    /// The power at the end.
    pub end: Option<Id>,
    /// Where they are stated.
    pub span: Span,
}

/// How far the independent variable goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundaryDuration {
    /// As far as this.
    Fixed(Id),
    /// As far as is best.
    Free {
        /// The least it may be.
        min: Option<Id>,
        /// The most it may be.
        max: Option<Id>,
        /// A first guess.
        guess: Id,
    },
}

impl BoundaryDuration {
    /// The duration, or the first guess of it.
    pub fn guess(&self) -> Id {
        match self {
            BoundaryDuration::Fixed(duration) => *duration,
            BoundaryDuration::Free { guess, .. } => *guess,
        }
    }

    /// Is it to be found?
    pub fn is_free(&self) -> bool {
        matches!(self, BoundaryDuration::Free { .. })
    }
}

/// A component of the state that has a given value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedValue {
    /// Which one.
    pub component: Component,
    /// The value.
    pub value: Id,
    /// Where it is named.
    pub span: Span,
}

/// A point that the motion passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// When, as a part of the duration between 0 and 1.
    pub fraction: Id,
    /// What is given there.
    pub values: Vec<FixedValue>,
    /// Where it is stated.
    pub span: Span,
}

/// Bounds of a component of the state along the whole motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateBound {
    /// Which one.
    pub component: Component,
    /// The least it may be.
    pub min: Option<Id>,
    /// The most it may be.
    pub max: Option<Id>,
    /// Where it is named.
    pub span: Span,
}

/// The name of the independent variable.
pub(crate) fn independent(statement: Option<&BoundaryStatement>, problems: &mut Problems) -> String {
    let Some(text) = statement.and_then(|statement| statement.independent.as_ref()) else { return TIME.to_owned() };
    if check_name(&text.value).is_ok() && text.value != STEP {
        return text.value.clone();
    }
    let message = format!("`{}` cannot be the name of the independent variable", text.value);
    problems.push(Diagnostic::error(Code::InvalidName, message).at(text.span.clone(), ""));
    TIME.to_owned()
}

/// When the motion begins, and how long it takes.
pub(crate) struct Timing {
    from: Id,
    duration: BoundaryDuration,
    span: Span,
}

/// Reads when the motion begins and how long it takes, and makes its elapsed part known to guesses.
pub(crate) fn timing(resolver: &mut Resolver<'_, '_>, statement: &BoundaryStatement) -> Option<Timing> {
    let graph = resolver.graph;
    let mut number = |scalar: &Scalar| resolver.number(scalar, &ExpressionPlace::SETTING, None);
    let from = match &statement.from {
        Some(scalar) => number(scalar)?,
        None => graph.int(0),
    };
    let (duration, span) = match (&statement.duration, &statement.to) {
        (Some(DurationStatement::Fixed(scalar)), None) => {
            (BoundaryDuration::Fixed(number(scalar)?.id()), scalar.span())
        }
        (Some(DurationStatement::Free(span, FreeDuration { min, max, guess })), None) => {
            // All of them first, so that every mistake is found.
            let [min, max, guess] = [min, max, guess].map(|scalar| match scalar {
                Some(scalar) => number(scalar).map(Some),
                None => Some(None),
            });
            let (min, max, guess) = (min?, max?, guess?);
            let middle = match (min, max) {
                (Some(min), Some(max)) => (min + max) / 2,
                (Some(bound), None) | (None, Some(bound)) => bound,
                (None, None) => graph.int(1),
            };
            let guess = guess.unwrap_or(middle).id();
            let [min, max] = [min, max].map(|bound| bound.map(|bound| bound.id()));
            (BoundaryDuration::Free { min, max, guess }, span.clone())
        }
        (None, Some(to)) => (BoundaryDuration::Fixed((number(to)? - from).id()), to.span()),
        (Some(duration), Some(to)) => {
            let diagnostic = Diagnostic::error(Code::Conflict, "[boundary] says twice how far the motion goes")
                .at(to.span(), "by its end")
                .at(duration.span(), "by its duration");
            resolver.problems.push(diagnostic.help("keep `to` or `duration`, not both"));
            return None;
        }
        (None, None) => {
            if !statement.is_timed {
                let message = "[boundary] does not say how far the motion goes";
                let help =
                    "add duration = 1.0, or duration = { min = 0.5, max = 5.0 } if it is to be found, or to = 1.0";
                resolver
                    .problems
                    .push(Diagnostic::error(Code::Missing, message).at(statement.span.clone(), "").help(help));
            }
            return None;
        }
    };
    resolver.names.elapsed = Some((resolver.names.time() - from) / graph.expr(duration.guess()));
    Some(Timing { from: from.id(), duration, span })
}

/// Resolves the rest of the table. `None` if something is wrong, which has been reported.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &BoundaryStatement,
    timing: Option<Timing>,
    state: StateComponents<'_>,
) -> Option<Boundary> {
    let steps = steps(resolver, statement.steps.as_ref());
    let start = fixed(resolver, &statement.start, state, &BoundaryKey::START);
    let end = fixed(resolver, &statement.end, state, &BoundaryKey::END);
    let second = fixed(resolver, &statement.second, state, &BoundaryKey::SECOND);
    let next_to_last = fixed(resolver, &statement.next_to_last, state, &BoundaryKey::NEXT_TO_LAST);
    let periodic = periodic(resolver, statement, state, &end);
    let path = path(resolver, statement, state);
    let integrals = integrals::resolve(resolver, &statement.integrals);
    let grading = grading(resolver, statement);
    let (guess, guess_spans) = guess(resolver, &statement.guess, state);
    let waypoints = statement.via.iter().filter_map(|waypoint| via(resolver, waypoint, timing.as_ref(), state));
    let via = waypoints.collect();
    let Timing { from, duration, span } = timing?;
    Some(Boundary {
        from,
        duration,
        steps,
        start,
        end,
        second,
        next_to_last,
        via,
        periodic,
        path,
        path_conditions: Vec::new(),
        start_conditions: Vec::new(),
        end_conditions: Vec::new(),
        links: Vec::new(),
        integrals,
        guess,
        grading,
        duration_span: span,
        guess_spans,
    })
}

/// The table with its conditions on expressions, which may contain multipliers: constraints have been declared. `sought` are parameters
/// that are to be found.
pub(crate) fn with_conditions(
    resolver: &mut Resolver<'_, '_>,
    statement: &BoundaryStatement,
    boundary: Boundary,
    sought: &[&str],
) -> Boundary {
    let texts = &statement.conditions;
    Boundary {
        path_conditions: conditions::resolve(resolver, &texts.path, &ExpressionPlace::PATH_CONDITION, sought),
        start_conditions: conditions::resolve(resolver, &texts.start, &ExpressionPlace::END_CONDITION, sought),
        end_conditions: conditions::resolve(resolver, &texts.end, &ExpressionPlace::END_CONDITION, sought),
        links: links(resolver, &texts.links, &boundary, sought),
        ..boundary
    }
}

fn links(
    resolver: &mut Resolver<'_, '_>,
    texts: &[SourceText],
    boundary: &Boundary,
    sought: &[&str],
) -> Vec<BoundaryCondition> {
    if let (Some(text), false) = (texts.first(), boundary.periodic.is_empty()) {
        let message = "a periodic motion has one place for both ends, which nothing can link";
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(text.span.clone(), "");
        resolver.problems.push(diagnostic.help("leave out `periodic`, and link what returns: `\"x_end = x_start\"`"));
    }
    conditions::resolve(resolver, texts, &ExpressionPlace::LINK, sought)
}

fn steps(resolver: &mut Resolver<'_, '_>, stated: Option<&Scalar>) -> u64 {
    let found = count(resolver, stated, "the number of steps");
    let (Some(steps), Some(scalar)) = (found, stated) else { return DEFAULT_STEPS };
    if steps > MAX_STEPS {
        let message = format!("the number of steps may be at most {MAX_STEPS}, not {steps}");
        resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(scalar.span(), ""));
    }
    steps
}

fn grading(resolver: &mut Resolver<'_, '_>, statement: &BoundaryStatement) -> Option<StepGrading> {
    let stated = statement.grading.as_ref()?;
    let span = stated.start.as_ref().or(stated.end.as_ref()).map_or(statement.span.clone(), Scalar::span);
    let mut power = |scalar: &Option<Scalar>| {
        let scalar = scalar.as_ref()?;
        resolver.number(scalar, &ExpressionPlace::SETTING, None).map(|number| number.id())
    };
    Some(StepGrading { start: power(&stated.start), end: power(&stated.end), span })
}

fn fixed<'s>(
    resolver: &mut Resolver<'_, '_>,
    stated: impl IntoIterator<Item = &'s Assignment>,
    state: StateComponents<'_>,
    slot: &BoundaryKey,
) -> Vec<FixedValue> {
    let mut all: Vec<FixedValue> = Vec::new();
    let mut seen = HashSet::new();
    for Assignment { key, value } in stated {
        let Some((chosen, components)) = select(resolver, key, &[value], state, slot) else { continue };
        let values = chosen.each(resolver, value, |resolver, scalar, member| {
            resolver.number(scalar, &ExpressionPlace::BOUNDARY, member)
        });
        for (component, value) in components.into_iter().zip(values.unwrap_or_default()) {
            if !seen.insert(component) {
                report_twice(resolver, component, state, &key.span);
                break;
            }
            all.push(FixedValue { component, value: value.id(), span: key.span.clone() });
        }
    }
    all
}

fn report_twice(resolver: &mut Resolver<'_, '_>, component: Component, state: StateComponents<'_>, span: &Span) {
    let name = component.name(state.lists());
    let diagnostic = Diagnostic::error(Code::DuplicateName, format!("`{name}` is given twice"));
    resolver.problems.push(diagnostic.at(span.clone(), "here again"));
}

/// The coordinates that end as they began, of which nothing else can be asked at the end.
fn periodic(
    resolver: &mut Resolver<'_, '_>,
    statement: &BoundaryStatement,
    state: StateComponents<'_>,
    end: &[FixedValue],
) -> Vec<usize> {
    let mut places: Vec<usize> = match &statement.periodic {
        None => return Vec::new(),
        Some(_) if !state.states.list.is_empty() => {
            let message = "a motion with states cannot be periodic";
            let diagnostic = Diagnostic::error(Code::Misuse, message).at(statement.span.clone(), "");
            resolver.problems.push(diagnostic.help("link both ends instead: links = [\"x_end = x_start\"]"));
            return Vec::new();
        }
        Some(PeriodicStatement::All) => (0..state.coordinates.list.len()).collect(),
        Some(PeriodicStatement::Some(keys)) => {
            let named = keys.iter().filter_map(|key| select(resolver, key, &[], state, &BoundaryKey::PERIODIC));
            named.flat_map(|(chosen, _)| chosen.places).map(|(place, _)| place).collect()
        }
    };
    places.sort_unstable();
    places.dedup();
    let conflict = end.iter().find_map(|fixed| match fixed.component {
        Component::Coordinate { place, .. } if places.binary_search(&place).is_ok() => Some((place, &fixed.span)),
        _ => None,
    });
    if let Some((place, span)) = conflict {
        let name = &state.coordinates.list[place].name;
        let message = format!("`{name}` is periodic, so that its end is its start");
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(span.clone(), "nothing can be given here");
        resolver.problems.push(diagnostic.help("say in `start` where it begins and ends"));
    }
    places
}

fn path(resolver: &mut Resolver<'_, '_>, statement: &BoundaryStatement, state: StateComponents<'_>) -> Vec<StateBound> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    for stated in &statement.path {
        let series: Vec<&ScalarSeries> = [&stated.min, &stated.max].into_iter().flatten().collect();
        let Some((chosen, components)) = select(resolver, &stated.key, &series, state, &BoundaryKey::PATH) else {
            continue;
        };
        let [min, max] = [&stated.min, &stated.max].map(|series| {
            let series = series.as_ref()?;
            chosen.each(resolver, series, |resolver, scalar, member| {
                resolver.number(scalar, &ExpressionPlace::BOUND, member)
            })
        });
        for (position, component) in components.into_iter().enumerate() {
            if !seen.insert(component) {
                report_twice(resolver, component, state, &stated.key.span);
                break;
            }
            let [min, max] = [&min, &max].map(|values| values.as_ref().map(|values| values[position].id()));
            all.push(StateBound { component, min, max, span: stated.key.span.clone() });
        }
    }
    all
}

fn guess(
    resolver: &mut Resolver<'_, '_>,
    stated: &[Assignment],
    state: StateComponents<'_>,
) -> (Vec<Option<Id>>, HashMap<usize, Span>) {
    let components = state.families().iter().map(|families| families.members()).sum();
    let mut all = vec![None; components];
    let mut spans = HashMap::new();
    for Assignment { key, value } in stated {
        let Some((chosen, components)) = select(resolver, key, &[value], state, &BoundaryKey::GUESS) else { continue };
        let values = chosen
            .each(resolver, value, |resolver, scalar, member| resolver.number(scalar, &ExpressionPlace::GUESS, member));
        let places = chosen.places.iter().map(|(place, _)| *place);
        for ((place, component), value) in places.zip(components).zip(values.unwrap_or_default()) {
            if all[place].replace(value.id()).is_some() {
                report_twice(resolver, component, state, &key.span);
                break;
            }
            spans.insert(place, key.span.clone());
        }
    }
    (all, spans)
}

/// A point in between: one key says when, the others where. `None` for an error.
fn via(
    resolver: &mut Resolver<'_, '_>,
    statement: &WaypointStatement,
    timing: Option<&Timing>,
    state: StateComponents<'_>,
) -> Option<Waypoint> {
    let independent = resolver.names.independent().to_owned();
    let is_time = |key: &str| key == independent;
    let is_part = |key: &str| key == ELAPSED && resolver.names.get(ELAPSED).is_none() && !is_time(key);
    let (when, values): (Vec<&Assignment>, Vec<&Assignment>) =
        statement.values.iter().partition(|stated| is_time(&stated.key.value) || is_part(&stated.key.value));
    let values = fixed(resolver, values, state, &BoundaryKey::VIA);
    let [Assignment { key, value }] = when.as_slice() else {
        let message = match when.len() {
            0 => "a point in between does not say when it is passed",
            _ => "a point in between says twice when it is passed",
        };
        let help =
            format!("{{ {independent} = 0.5, x = 1.0 }}, or {{ {ELAPSED} = 0.5, x = 1.0 }} for half of the duration");
        let diagnostic = Diagnostic::error(Code::Missing, message).at(statement.span.clone(), "");
        resolver.problems.push(diagnostic.help(help));
        return None;
    };
    let ScalarSeries::One(scalar) = value else {
        let message = "a point in between is passed once, and this is a list";
        resolver.problems.push(Diagnostic::error(Code::WrongType, message).at(value.span(), ""));
        return None;
    };
    let at = resolver.number(scalar, &ExpressionPlace::SETTING, None)?;
    let timing = timing?;
    let fraction = match &timing.duration {
        _ if !is_time(&key.value) => at,
        BoundaryDuration::Fixed(duration) => (at - resolver.graph.expr(timing.from)) / resolver.graph.expr(*duration),
        BoundaryDuration::Free { .. } => {
            let message = format!("with a free duration it is not known where `{independent}` is {at}");
            let diagnostic = Diagnostic::error(Code::Conflict, message).at(key.span.clone(), "");
            resolver.problems.push(diagnostic.help(format!("say which part of the duration: {ELAPSED} = 0.5")));
            return None;
        }
    };
    Some(Waypoint { fraction: fraction.id(), values, span: statement.span.clone() })
}

//! `[simulation]`: how to run the model unless the user says otherwise.

use extremal_expr::{Id, Rational};

use super::coordinates::Coordinates;
use super::dynamics::Dynamics;
use super::{ModelTable, Statements, named, read_by_name};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, ScalarSeries, TableField, TableReader, field, keys};
use crate::method::{Feature, Method, MethodError};
use crate::names::STEP;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::suggest::help_for;
use crate::text::SourceText;

/// How to run the model unless the user says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationSettings {
    /// The method; if the file names none, `midpoint`, or `hermite` where the Lagrangian contains accelerations.
    pub method: Method,
    /// The time step, a length: which way time runs is said by the end.
    pub step: Option<f64>,
    /// The time of the start, zero if not stated.
    pub from: Option<f64>,
    /// How far to go.
    pub extent: Option<Extent>,
    /// How the first step is made.
    pub start: Start,
    /// Where a step evaluates the entropies.
    pub entropy: EntropyBase,
    /// How a step keeps the holonomic constraints.
    pub constraints: ConstraintForm,
    /// Is a start that violates the constraints moved to the nearest one that does not?
    pub project: bool,
    /// What a run does at a singular configuration of its constraints.
    pub singular: AtSingular,
    /// Record every so many steps.
    pub record: Option<u64>,
    /// The times of the rows that are written to files; none for those of the steps.
    pub at: Vec<f64>,
    /// Residual tolerance of the implicit equations, or the error tolerance of an adaptive reference method.
    pub tolerance: Option<f64>,
    /// The cyclic coordinates without which steps are taken, by Routh's function.
    pub reduce: Vec<String>,
    /// How long steps are: all alike, or as the stated pace says.
    pub pacing: Pacing,
}

/// How far a run goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// To this time, which may lie before the start: the motion is then followed backward.
    Until(f64),
    /// For so many steps.
    Steps(u64),
}

/// How the first step is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Start {
    /// From position and velocity, by the Legendre transform.
    #[default]
    Legendre,
    /// From two positions one step apart.
    TwoPoints,
    /// From the four positions, and the multipliers, that `[discrete]` states for a motion over three points.
    Points,
}

named! { Start: Legendre = "legendre", TwoPoints = "two-points", Points = "points" }
read_by_name! { Start: "there is no start `{}`; write `legendre`, `two-points` or `points`" }

/// Where in a step the entropies are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EntropyBase {
    /// At the beginning, which is explicit in the entropies.
    Left,
    /// In the middle.
    #[default]
    Midpoint,
    /// At the end.
    Right,
}

named! { EntropyBase: Left = "left", Midpoint = "midpoint", Right = "right" }
read_by_name! { EntropyBase: "there is no entropy base `{}`; write `left`, `midpoint` or `right`" }

impl EntropyBase {
    /// The weight `b` of the end of the step: the entropies are evaluated at `(1 - b) S_0 + b S_1`.
    ///
    /// ```
    /// use extremal_model::EntropyBase;
    /// assert_eq!(EntropyBase::Midpoint.weight().to_f64(), 0.5);
    /// ```
    pub fn weight(self) -> Rational {
        match self {
            EntropyBase::Left => Rational::ZERO,
            EntropyBase::Midpoint => Rational::new(1, 2).expect("the denominator is not zero"),
            EntropyBase::Right => Rational::ONE,
        }
    }
}

/// How a step keeps the holonomic constraints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConstraintForm {
    /// Positions satisfy the constraints, and momenta their time derivative, at both ends of a step.
    #[default]
    Rattle,
    /// Positions satisfy the constraints; momenta are left as the discrete equations give them.
    Shake,
}

named! { ConstraintForm: Rattle = "rattle", Shake = "shake" }
read_by_name! { ConstraintForm: "there is no form of constraints `{}`; write `rattle` or `shake`" }

/// What a run does at a singular configuration, where the constraints are dependent and more than one motion goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AtSingular {
    /// It stops.
    #[default]
    Stop,
    /// It goes on as its steps lead it, with a warning.
    Pass,
}

named! { AtSingular: Stop = "stop", Pass = "pass" }
read_by_name! { AtSingular: "at a singular configuration a run can `stop` or `pass`, not `{}`" }

/// How long steps are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pacing {
    /// All alike.
    #[default]
    Even,
    /// As the pace is where they are taken, from one to the next by a symmetric rule: each is a step of the method.
    Symmetric,
    /// Steps alike in a time of their own, which runs as the pace says: the method is symplectic in it.
    Symplectic,
}

named! { Pacing: Even = "even", Symmetric = "symmetric", Symplectic = "symplectic" }
read_by_name! { Pacing: "steps can be `even`, or paced in a `symmetric` or `symplectic` way, not `{}`" }

/// A text that names none of the choices of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct UnknownSetting {
    /// What is wrong with it.
    pub message: String,
}

/// The table as written.
#[derive(Default)]
pub(crate) struct SimulationStatement {
    pub method: Option<(Method, SourceText)>,
    pub step: Option<Scalar>,
    pub from: Option<Scalar>,
    pub until: Option<Scalar>,
    pub steps: Option<Scalar>,
    pub start: Option<(Start, SourceText)>,
    pub entropy: Option<(EntropyBase, SourceText)>,
    pub constraints: Option<(ConstraintForm, SourceText)>,
    pub project: Option<(bool, Span)>,
    pub singular: Option<(AtSingular, SourceText)>,
    pub record: Option<Scalar>,
    pub at: Option<ScalarSeries>,
    pub tolerance: Option<Scalar>,
    pub reduce: Vec<SourceText>,
    pub pace: Option<Scalar>,
    pub pacing: Option<(Pacing, SourceText)>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "simulation",
    sentence: "how a run is made; every key can be given on the command line too",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        reader.fill(entries, FIELDS, &mut into.simulation);
        if let (Some(until), Some(steps)) = (&into.simulation.until, &into.simulation.steps) {
            reader.problems.push(
                Diagnostic::error(Code::Conflict, "[simulation] says twice how far to go")
                    .at(steps.span(), "a number of steps")
                    .at(until.span(), "a time")
                    .help("keep `until` or `steps`, not both"),
            );
        }
    },
};

const FIELDS: &[TableField<SimulationStatement>] = &[
    field("method", "the integration method, `midpoint` if not stated", |reader, entry, into| {
        into.method = reader.string(entry).and_then(|text| Some((method(reader, &text)?, text)));
    }),
    field("step", "the step, or for an adaptive method the time between rows", |reader, entry, into| {
        into.step = reader.scalar(entry);
    }),
    field(
        "pace",
        "how long steps are beside one another, an expression of positions: a step where it is 2 is twice as long as one where it is 1, which has the length `step`",
        |reader, entry, into| into.pace = reader.scalar(entry),
    ),
    field(
        "pacing",
        "how steps follow the `pace`: `symmetric` (default), from one to the next, each a step of the method; `symplectic`: in a time of their own, which runs by it; `even`: not at all",
        |reader, entry, into| {
            let unknown = |name: &str| format!("there is no pacing `{name}`");
            into.pacing = reader.choice(entry, Pacing::ALL, Pacing::name, "steps are paced", unknown);
        },
    ),
    field("from", "the time at the start, 0 if not stated", |reader, entry, into| into.from = reader.scalar(entry)),
    field(
        "until",
        "the time at which the run ends; before the start, the motion is followed backward",
        |reader, entry, into| {
            into.until = reader.scalar(entry);
        },
    ),
    field("steps", "how many steps it takes, instead of `until`", |reader, entry, into| {
        into.steps = reader.scalar(entry);
    }),
    field(
        "start",
        "`legendre` (default): from positions and velocities; `two-points`: from `start` and `second`; `points`: from the `points` of `[discrete]`",
        |reader, entry, into| {
            let unknown = |name: &str| format!("there is no start `{name}`");
            into.start = reader.choice(entry, Start::ALL, Start::name, "the starts are", unknown);
        },
    ),
    field("record", "writes every so many steps to files", |reader, entry, into| into.record = reader.scalar(entry)),
    field(
        "at",
        "writes rows at these times to files instead of those at the ends of steps: `[0.5, \"T/4\", 2]`; inside a step by a shorter one of the same method",
        |reader, entry, into| into.at = reader.series(entry),
    ),
    field(
        "tolerance",
        "residual tolerance of implicit steps relative to their terms, or relative tolerance of an adaptive method",
        |reader, entry, into| into.tolerance = reader.scalar(entry),
    ),
    field(
        "reduce",
        "cyclic coordinates without which steps are taken, by Routh's function: `\"phi\"`, `[\"phi\", \"psi\"]`; they are found again from the motion of the others",
        |reader, entry, into| into.reduce = reader.strings(entry).unwrap_or_default(),
    ),
    field(
        "entropy",
        "where in a step entropies are taken: `left`, `midpoint` (default) or `right`",
        |reader, entry, into| {
            let unknown = |name: &str| format!("there is no entropy base `{name}`");
            let listed = "the places in a step are";
            into.entropy = reader.choice(entry, EntropyBase::ALL, EntropyBase::name, listed, unknown);
        },
    ),
    field(
        "constraints",
        "`rattle` (default): velocities satisfy the constraints after every step; `shake`: when they are looked at",
        |reader, entry, into| {
            let unknown = |name: &str| format!("there is no form of constraints `{name}`");
            into.constraints =
                reader.choice(entry, ConstraintForm::ALL, ConstraintForm::name, "the forms are", unknown);
        },
    ),
    field(
        "project",
        "`true` moves a start that violates the constraints to the nearest one that does not",
        |reader, entry, into| into.project = reader.boolean(entry).map(|project| (project, entry.name.span.clone())),
    ),
    field(
        "singular",
        "at a singular configuration of the constraints: `stop` (default) or `pass`",
        |reader, entry, into| {
            into.singular = reader.choice(entry, AtSingular::ALL, AtSingular::name, "a run can", AtSingular::unknown);
        },
    ),
];

fn method(reader: &mut TableReader<'_, '_>, text: &SourceText) -> Option<Method> {
    let refused = |error: MethodError| {
        let at = text.locate(error.span.clone());
        let diagnostic = Diagnostic::error(Code::InvalidMethod, error.to_string()).at(at, "");
        reader.problems.push(diagnostic.maybe_help(error.help()));
    };
    text.value.parse().map_err(refused).ok()
}

/// The settings, and the expressions of those that follow the parameters.
#[derive(Clone)]
pub(crate) struct ResolvedSettings {
    pub simulation: SimulationSettings,
    pub step: Option<Id>,
    pub from: Option<Id>,
    pub until: Option<Id>,
    pub pace: Option<Id>,
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    coordinates: &Coordinates,
    dynamics: Option<&Dynamics>,
    momentum_order: Option<u32>,
) -> ResolvedSettings {
    let statement = &statements.simulation;
    let step = positive(resolver, statement.step.as_ref(), "the step");
    let from = statement.from.as_ref().and_then(|scalar| resolver.setting(scalar, "the start time"));
    let from = from.map(|(expression, value)| (expression.id(), value));
    let until = end(resolver, statement.until.as_ref(), from.map_or(0.0, |from| from.1));
    let steps = count(resolver, statement.steps.as_ref(), "the number of steps");
    let record = count(resolver, statement.record.as_ref(), "the recording interval");
    let tolerance = positive(resolver, statement.tolerance.as_ref(), "the tolerance");
    let start = statement.start.as_ref().map_or(Start::default(), |(start, _)| *start);
    check_second(resolver, statements, coordinates, start);
    if let Some((_, step)) = step {
        check_second_is_finite(resolver, statements, coordinates, step);
    }
    let entropy = statement.entropy.as_ref().map_or(EntropyBase::default(), |(base, _)| *base);
    if let (Some((_, text)), []) = (&statement.entropy, statements.entropies.as_slice()) {
        let diagnostic = Diagnostic::error(Code::Conflict, "`entropy` chooses where a step evaluates the entropies");
        resolver.problems.push(diagnostic.at(text.span.clone(), "but the model has no entropies"));
    }
    if statements.constraints.is_empty() {
        report_no_constraints(resolver, statement);
    }
    if let (Some(dynamics), Some((method, text))) = (dynamics, &statement.method) {
        let needed = momentum_order.map_or(Feature::of_order(dynamics.order as usize), |_| Feature::Momenta);
        // The method of a control problem may be one for its grid; a run is told when it begins.
        if momentum_order.is_none() || statements.boundary.is_none() {
            check_method(resolver, method, text, needed);
        }
    }
    let method = match &statement.method {
        None if momentum_order.is_none() && dynamics.is_some_and(|dynamics| dynamics.order > 1) => Method::Hermite,
        None => Method::Midpoint,
        Some((Method::Custom, text)) if statements.discrete.is_none() && statements.discretisation.is_none() => {
            resolver.problems.push(
                Diagnostic::error(Code::Missing, "the method `custom` needs a table [discrete] or [discretisation]")
                    .at(text.span.clone(), "")
                    .help("state the discrete Lagrangian in [discrete], with `x_0`, `x_1` and `h`, or in [discretisation] where in a step the Lagrangian is taken"),
            );
            Method::Custom
        }
        Some((method, _)) => method.clone(),
    };
    let extent = match (until, steps) {
        (Some((_, time)), _) => Some(Extent::Until(time)),
        (None, Some(steps)) => Some(Extent::Steps(steps)),
        (None, None) => None,
    };
    let simulation = SimulationSettings {
        method,
        step: step.map(|s| s.1),
        from: from.map(|from| from.1),
        extent,
        start,
        entropy,
        constraints: statement.constraints.as_ref().map_or(ConstraintForm::default(), |(form, _)| *form),
        project: statement.project.as_ref().is_some_and(|(project, _)| *project),
        singular: statement.singular.as_ref().map_or(AtSingular::default(), |(rule, _)| *rule),
        record,
        at: times(resolver, statement.at.as_ref()),
        tolerance: tolerance.map(|t| t.1),
        reduce: reduced(resolver, &statement.reduce, coordinates),
        pacing: pacing(resolver, statement),
    };
    let pace = statement.pace.as_ref().and_then(|pace| resolver.number(pace, &ExpressionPlace::PACE, None));
    ResolvedSettings {
        simulation,
        step: step.map(|s| s.0),
        from: from.map(|f| f.0),
        until: until.map(|u| u.0),
        pace: pace.map(|pace| pace.id()),
    }
}

/// How steps follow a pace, if one is stated.
fn pacing(resolver: &mut Resolver<'_, '_>, statement: &SimulationStatement) -> Pacing {
    match (&statement.pace, &statement.pacing) {
        (Some(_), Some((pacing, _))) => *pacing,
        (Some(_), None) => Pacing::Symmetric,
        (None, Some((pacing @ (Pacing::Symmetric | Pacing::Symplectic), text))) => {
            let diagnostic = Diagnostic::error(Code::Missing, format!("steps are {pacing}, but by no pace"));
            let help = "say how long they are where, `pace = \"r\"` for instance";
            resolver.problems.push(diagnostic.at(text.span.clone(), "").help(help));
            Pacing::Even
        }
        (None, Some((Pacing::Even, _)) | None) => Pacing::Even,
    }
}

/// The times of a list.
fn times(resolver: &mut Resolver<'_, '_>, series: Option<&ScalarSeries>) -> Vec<f64> {
    let scalars = match series {
        None => &[],
        Some(ScalarSeries::One(time)) => std::slice::from_ref(time),
        Some(ScalarSeries::List { items, .. }) => &items[..],
    };
    scalars.iter().filter_map(|scalar| Some(resolver.setting(scalar, "a time of `at`")?.1)).collect()
}

/// The names of the coordinates to reduce by, which must be there.
fn reduced(resolver: &mut Resolver<'_, '_>, stated: &[SourceText], coordinates: &Coordinates) -> Vec<String> {
    let mut names = Vec::with_capacity(stated.len());
    for text in stated {
        if coordinates.list.iter().any(|coordinate| coordinate.name == text.value) {
            names.push(text.value.clone());
            continue;
        }
        let known = coordinates.list.iter().map(|coordinate| coordinate.name.as_str());
        let help = help_for(&text.value, "the coordinates are", known);
        let message = format!("there is no coordinate `{}` to reduce by", text.value);
        let diagnostic = Diagnostic::error(Code::UnknownName, message).at(text.span.clone(), "");
        resolver.problems.push(diagnostic.maybe_help(help));
    }
    names
}

/// Accelerations need a method for them, which needs accelerations.
fn check_method(resolver: &mut Resolver<'_, '_>, method: &Method, text: &SourceText, needed: Feature) {
    if let Some(refusal) = method.refuses(&[needed]) {
        let mut problem = Diagnostic::error(Code::Conflict, format!("`{method}` is not defined {}", refusal.feature))
            .at(text.span.clone(), "");
        if let Some(advice) = refusal.advice() {
            problem = problem.help(advice);
        }
        resolver.problems.push(problem);
    }
}

/// Settings about constraints that are not there.
fn report_no_constraints(resolver: &mut Resolver<'_, '_>, statement: &SimulationStatement) {
    let form = statement.constraints.as_ref();
    let form = form.map(|(_, text)| ("`constraints` chooses how a step keeps the constraints", text.span.clone()));
    let project = statement.project.as_ref();
    let project = project.map(|(_, span)| ("`project` moves the start to where the constraints hold", span.clone()));
    let singular = statement.singular.as_ref();
    let singular =
        singular.map(|(_, text)| ("`singular` is about configurations of the constraints", text.span.clone()));
    for (message, span) in form.into_iter().chain(project).chain(singular) {
        let diagnostic = Diagnostic::error(Code::Conflict, message);
        resolver.problems.push(diagnostic.at(span, "but the model has no constraints"));
    }
}

/// A final time, which must be another than that of the start.
fn end(resolver: &mut Resolver<'_, '_>, scalar: Option<&Scalar>, from: f64) -> Option<(Id, f64)> {
    let scalar = scalar?;
    let (expression, value) = resolver.setting(scalar, "the final time")?;
    if value != from {
        return Some((expression.id(), value));
    }
    let message = format!("the final time must differ from that of the start, {from}");
    resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(scalar.span(), ""));
    None
}

fn positive(resolver: &mut Resolver<'_, '_>, scalar: Option<&Scalar>, what: &str) -> Option<(Id, f64)> {
    let scalar = scalar?;
    let (expression, value) = resolver.setting(scalar, what)?;
    if value > 0.0 {
        return Some((expression.id(), value));
    }
    let message = format!("{what} must be positive, not {value}");
    resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(scalar.span(), ""));
    None
}

pub(super) fn count(resolver: &mut Resolver<'_, '_>, scalar: Option<&Scalar>, what: &str) -> Option<u64> {
    let scalar = scalar?;
    let value = resolver.integer(scalar, what)?;
    if value > 0 {
        return u64::try_from(value).ok();
    }
    let message = format!("{what} must be positive, not {value}");
    resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(scalar.span(), ""));
    None
}

/// A start from two points needs the second one for every coordinate, and is the only one that does.
fn check_second(resolver: &mut Resolver<'_, '_>, statements: &Statements, coordinates: &Coordinates, start: Start) {
    for family in &coordinates.families.list {
        let name = &family.name;
        let diagnostic = match (&statements.coordinates[family.statement].second, start, &statements.simulation.start) {
            (None, Start::TwoPoints, Some((_, text))) => {
                let message = format!("a start from two points needs the second position of `{}`", name.text);
                Diagnostic::error(Code::Missing, message)
                    .at(name.span.clone(), "`second = ...` is missing")
                    .at(text.span.clone(), "because of this")
            }
            (Some(second), Start::Legendre, _) => {
                let message = format!("the second position of `{}` is not used by a start from velocities", name.text);
                Diagnostic::warning(Code::NoEffect, message)
                    .at(second.span(), "")
                    .help("it is used with `start = \"two-points\"` in [simulation]")
            }
            _ => continue,
        };
        resolver.problems.push(diagnostic);
    }
}

/// Second positions that depend on the step are finite for the one of the file.
fn check_second_is_finite(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    coordinates: &Coordinates,
    step: f64,
) {
    let graph = resolver.graph;
    for family in &coordinates.families.list {
        let Some(series) = &statements.coordinates[family.statement].second else { continue };
        let members = &coordinates.list[family.first..family.first + family.len()];
        let second: Vec<Id> = members.iter().filter_map(|coordinate| coordinate.second).collect();
        let value_of = |name: &str| if name == STEP { Some(step) } else { resolver.values.get(name).copied() };
        let numbers = graph.evaluate(&graph.exprs(&second), value_of);
        let Some(position) = numbers.iter().position(|number| !number.is_finite()) else { continue };
        // Where a parameter is in error, nothing follows from it.
        if resolver.problems.errors() == 0 {
            let message = format!("the second position of `{}` is not finite", family.member(position));
            let diagnostic = Diagnostic::error(Code::NotFinite, message);
            resolver.problems.push(diagnostic.at(series.item_span(position), format!("for the step {step}")));
        }
    }
}

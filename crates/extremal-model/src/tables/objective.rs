//! `[objective]`: what the controls are to make as small as possible.

use extremal_expr::{Expr, Id};

use super::boundary::{Boundary, smooth_parts};
use super::controls::ControlStatement;
use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableField, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// A cost that is to be as small as possible: the integral of `running`, plus `terminal` at the end, plus the largest value of `maximum`
/// along the way. At least one of them is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    /// An expression of positions, velocities, entropies, controls, the independent variable and parameters.
    pub running: Option<Id>,
    /// An expression of positions, velocities, entropies, the independent variable, all at the end, and parameters.
    pub terminal: Option<Id>,
    /// What should not become large anywhere.
    pub maximum: Option<MaximumCost>,
}

/// The largest of several expressions of positions, velocities, entropies, states, controls, multipliers of constraints, the independent
/// variable and parameters: what was written with `abs` or `max` is taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaximumCost {
    /// As it was written.
    pub text: String,
    /// Its parts.
    pub parts: Vec<Id>,
}

/// `running = "u^2"`, `terminal = "x^2"`.
#[derive(Default)]
pub(crate) struct ObjectiveStatement {
    span: Span,
    running: Option<Scalar>,
    terminal: Option<Scalar>,
    maximum: Option<Scalar>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "objective",
    sentence: "what the controls are to make small",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let span = table.name.span.clone();
        if entries.is_empty() {
            let help = "add running = \"u^2\" for a cost per time, terminal = \"x^2\" for a cost of the end, or maximum = \"abs(u)\"";
            let diagnostic = Diagnostic::error(Code::Missing, "[objective] has no cost").at(span.clone(), "");
            reader.problems.push(diagnostic.help(help));
        }
        let mut statement = ObjectiveStatement { span, ..ObjectiveStatement::default() };
        reader.fill(entries, FIELDS, &mut statement);
        into.objective = Some(statement);
    },
};

const FIELDS: &[TableField<ObjectiveStatement>] = &[
    field(
        "running",
        "integrated over the motion: of positions, velocities, entropies, controls and time",
        |reader, entry, into| into.running = reader.scalar(entry),
    ),
    field("terminal", "of the end: of positions, velocities and entropies there", |reader, entry, into| {
        into.terminal = reader.scalar(entry);
    }),
    field(
        "maximum",
        "the largest value along the way of an expression, as one of `path`: `\"abs(u)\"`",
        |reader, entry, into| into.maximum = reader.scalar(entry),
    ),
];

pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> Option<Objective> {
    report_missing(resolver, statements);
    let statement = statements.objective.as_ref()?;
    let mut cost = |scalar: &Option<Scalar>, place| Some(resolver.number(scalar.as_ref()?, place, None)?.id());
    let running = cost(&statement.running, &ExpressionPlace::RUNNING);
    let terminal = cost(&statement.terminal, &ExpressionPlace::TERMINAL);
    if statements.starts_from_momenta() {
        report_rates(resolver, statement, running);
    }
    let maximum = statement.maximum.as_ref().and_then(|scalar| maximum(resolver, scalar));
    Some(Objective { running, terminal, maximum })
}

/// The flow of optimality conditions follows controls that have no rates.
fn report_rates(resolver: &mut Resolver<'_, '_>, statement: &ObjectiveStatement, running: Option<Id>) {
    let symbols = resolver.graph.free_symbols(&resolver.graph.exprs(running.as_slice()));
    let is_rate = |symbol: &Expr<'_>| symbol.as_symbol().is_some_and(|name| resolver.names.is_rate_of_control(&name));
    if let (Some(rate), Some(scalar)) = (symbols.iter().find(|symbol| is_rate(symbol)), &statement.running) {
        let message = format!("`{rate}` cannot be in the cost of a motion that starts from momenta");
        let help = "make the control a state whose rate is a control";
        resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(scalar.span(), "").help(help));
    }
}

fn maximum(resolver: &mut Resolver<'_, '_>, scalar: &Scalar) -> Option<MaximumCost> {
    let value = resolver.number(scalar, &ExpressionPlace::MAXIMUM, None)?;
    let text = match scalar {
        Scalar::Text(text) => text.value.clone(),
        Scalar::Number { value, .. } => value.to_string(),
    };
    Some(MaximumCost { text, parts: smooth_parts(value).into_iter().map(|part| part.id()).collect() })
}

/// Controls, objective and ends make sense together only, but for controls that follow laws in a simulation.
fn report_missing(resolver: &mut Resolver<'_, '_>, statements: &Statements) {
    let open = |control: &&ControlStatement| statements.boundary.is_some() || !control.has_law(&statements.laws);
    let controls = statements.controls.iter().find(open).map(|control| &control.name.span);
    let objective = statements.objective.as_ref().map(|objective| &objective.span);
    let (message, span, help) = match (controls, objective, &statements.boundary) {
        (Some(span), None, _) => (
            "the controls have no [objective]",
            span,
            "say what they are to make as small as possible, [objective] with running = \"u^2\" or terminal = \"...\", or what they are in a simulation, law = \"-k*x\"",
        ),
        (_, Some(span), None) if !statements.starts_from_momenta() => (
            "the objective has no [boundary]",
            span,
            "add [boundary] with the duration, and what is given at the start and at the end, or momenta `p0` and `p1` at the start",
        ),
        _ => return,
    };
    resolver.problems.push(Diagnostic::error(Code::Missing, message).at(span.clone(), "").help(help));
}

/// Warns of a cost that is the same for all motions.
pub(crate) fn warn_constant(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    objective: Option<&Objective>,
    boundary: &Boundary,
) {
    let Some(objective) = objective else { return };
    let graph = resolver.graph;
    let largest = objective.maximum.iter().flat_map(|maximum| maximum.parts.iter().copied());
    let costs: Vec<_> = [objective.running, objective.terminal].into_iter().flatten().chain(largest).collect();
    let symbols = graph.free_symbols(&graph.exprs(&costs));
    let time = resolver.names.time();
    let sought = |name: &str| statements.unknowns.iter().any(|unknown| unknown.name.text == name);
    let given = |name: &str| resolver.values.contains_key(name) && !sought(name);
    let varies = symbols.iter().any(|symbol| *symbol != time && symbol.as_symbol().is_none_or(|name| !given(&name)));
    if let (false, false, Some(statement)) = (varies, boundary.duration.is_free(), &statements.objective) {
        let diagnostic = Diagnostic::warning(Code::NoEffect, "the objective is the same for all motions");
        resolver.problems.push(diagnostic.at(statement.span.clone(), "no position, velocity or control remains in it"));
    }
}

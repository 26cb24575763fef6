//! `[unknowns]`: parameters that `solve` is to find.

use std::collections::HashSet;

use extremal_expr::Id;

use super::boundary::{Boundary, BoundaryDuration, Component};
use super::entropies::Entropy;
use super::matter::Amount;
use super::parameters::{Parameter, ParameterStatement};
use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableField, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// A parameter that `solve` is to find; everywhere else its value is the guess.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// The least it may be, an expression of parameters.
    pub min: Option<Id>,
    /// The most it may be.
    pub max: Option<Id>,
    /// Where it is declared in [`Model::source_text`](crate::Model::source_text).
    pub span: Span,
}

/// `l = 1.0`, or `l = { guess = 1.0, min = 0.5, max = 2.0 }`.
#[derive(Default)]
pub(crate) struct UnknownStatement {
    pub name: Name,
    guess: Option<Scalar>,
    min: Option<Scalar>,
    max: Option<Scalar>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "unknowns",
    sentence: "parameters that `solve` is to find, each by name: `l = { min = 0.5, max = 2 }`, or the guess alone. They stand wherever parameters do, in costs, dynamics, conditions, bounds and ends; in a simulation they have the value of the guess",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        for entry in entries {
            let mut statement = UnknownStatement { name: entry.name.clone(), ..UnknownStatement::default() };
            reader.fill_entry(&entry, FIELDS, &mut statement);
            into.parameters.push(ParameterStatement { name: entry.name, value: ScalarSeries::One(statement.value()) });
            into.unknowns.push(statement);
        }
    },
};

const FIELDS: &[TableField<UnknownStatement>] = &[
    field(
        "guess",
        "where the search begins, the middle between the bounds, the one bound, or 1 if not stated",
        |reader, entry, into| into.guess = reader.scalar(entry),
    ),
    field("min", "the least it may be", |reader, entry, into| into.min = reader.scalar(entry)),
    field("max", "the most it may be", |reader, entry, into| into.max = reader.scalar(entry)),
];

impl UnknownStatement {
    /// What it is where nothing is looked for.
    fn value(&self) -> Scalar {
        let text = |scalar: &Scalar| match scalar {
            Scalar::Number { value, .. } => value.to_string(),
            Scalar::Text(text) => text.value.clone(),
        };
        let derived = |value: String| Scalar::Text(SourceText::outside(&value, self.name.span.clone()));
        match (&self.guess, &self.min, &self.max) {
            (Some(guess), ..) => guess.clone(),
            (None, Some(min), Some(max)) => derived(format!("(({}) + ({}))/2", text(min), text(max))),
            (None, Some(bound), None) | (None, None, Some(bound)) => bound.clone(),
            (None, None, None) => derived("1".to_owned()),
        }
    }
}

/// The declared unknowns with their bounds.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> Vec<Unknown> {
    let mut all = Vec::new();
    for statement in &statements.unknowns {
        let mut bound = |scalar: &Option<Scalar>| {
            let scalar = scalar.as_ref()?;
            resolver.number(scalar, &ExpressionPlace::BOUND, None).map(|bound| bound.id())
        };
        let (min, max) = (bound(&statement.min), bound(&statement.max));
        let symbol = resolver.graph.symbol(&statement.name.text).id();
        all.push(Unknown { name: statement.name.text.clone(), symbol, min, max, span: statement.name.span.clone() });
    }
    if let (Some(first), None) = (all.first(), &statements.boundary) {
        let message = format!("nothing is there to find `{}` by", first.name);
        let help = "add [boundary] and [objective], or state it in [parameters]";
        resolver.problems.push(Diagnostic::error(Code::Missing, message).at(first.span.clone(), "").help(help));
    }
    all
}

/// An unknown where only numbers can stand.
struct Misplaced<'a> {
    unknown: &'a Unknown,
    place: String,
    span: Span,
    help: &'static str,
}

/// Unknowns may not be where a number must be known before anything is solved.
pub(crate) fn check(
    resolver: &mut Resolver<'_, '_>,
    unknowns: &[Unknown],
    parameters: &[Parameter],
    (entropies, amounts): (&[Entropy], &[Amount]),
    boundary: Option<&Boundary>,
) {
    let graph = resolver.graph;
    let names: HashSet<&str> = unknowns.iter().map(|unknown| unknown.name.as_str()).collect();
    let used = |ids: &[Id]| {
        let symbols = graph.free_symbols(&graph.exprs(ids));
        unknowns.iter().find(|unknown| symbols.contains(&graph.expr(unknown.symbol)))
    };
    let mut found: Vec<Misplaced<'_>> = Vec::new();
    let mut look = |ids: &[Id], place: String, span: &Span, help: &'static str| {
        found.extend(used(ids).map(|unknown| Misplaced { unknown, place, span: span.clone(), help }));
    };
    for parameter in parameters.iter().filter(|parameter| !names.contains(parameter.name.as_str())) {
        let place = format!("the value of the parameter `{}`", parameter.name);
        if let Some(unknown) = used(&[parameter.expression]) {
            look(&[parameter.expression], place, &unknown.span, "write what depends on it in [definitions]");
        }
    }
    for unknown in unknowns {
        let bounds: Vec<Id> = [unknown.min, unknown.max].into_iter().flatten().collect();
        let place = format!("a bound of `{}`", unknown.name);
        look(&bounds, place, &unknown.span, "state it as a condition of the end: `end = [\"a <= b\"]`");
        let structural = parameters.iter().any(|parameter| parameter.name == unknown.name && parameter.structural);
        if structural {
            let place = "a count, an index or the bound of a sum".to_owned();
            look(&[unknown.symbol], place, &unknown.span, "the shape of a model is fixed once it is read");
        }
    }
    let starts = entropies.iter().map(|entropy| (&entropy.name, entropy.start));
    for (name, start) in starts.chain(amounts.iter().map(|amount| (&amount.name, amount.start))) {
        if let Some(unknown) = used(&[start]) {
            let help = "what an entropy or an amount starts with is known";
            look(&[start], format!("the start of `{name}`"), &unknown.span, help);
        }
    }
    if let Some(boundary) = boundary {
        let span = &boundary.duration_span;
        let mut timing = vec![boundary.from, boundary.duration.guess()];
        if let BoundaryDuration::Free { min, max, .. } = boundary.duration {
            timing.extend([min, max].into_iter().flatten());
        }
        let help = "a duration that is to be found is `duration = { min = 0.5, max = 5 }`";
        look(&timing, "the timing of [boundary]".to_owned(), span, help);
        if let Some(grading) = &boundary.grading {
            let powers: Vec<Id> = [grading.start, grading.end].into_iter().flatten().collect();
            look(&powers, "the grading of steps".to_owned(), &grading.span, "state a number");
        }
        for integral in &boundary.integrals {
            let place = format!("the value of the integral `{}`", integral.name);
            look(
                &[integral.value],
                place,
                &integral.span,
                "make it a state whose rate is the integrand, and state a condition of its end",
            );
        }
        for waypoint in &boundary.via {
            let ids: Vec<Id> = [waypoint.fraction].into_iter().chain(waypoint.values.iter().map(|v| v.value)).collect();
            look(&ids, "a point in between".to_owned(), &waypoint.span, "state a number");
        }
        for fixed in boundary.second.iter().chain(&boundary.next_to_last) {
            look(&[fixed.value], "a position one step from an end".to_owned(), &fixed.span, "state a number");
        }
        for fixed in boundary.start.iter().chain(&boundary.end) {
            if matches!(fixed.component, Component::Entropy(_)) {
                look(
                    &[fixed.value],
                    "the value of an entropy".to_owned(),
                    &fixed.span,
                    "state it as a condition of the end",
                );
            }
        }
    }
    for Misplaced { unknown, place, span, help } in found {
        let message = format!("the unknown `{}` cannot be used in {place}", unknown.name);
        resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(span, "").help(help));
    }
}

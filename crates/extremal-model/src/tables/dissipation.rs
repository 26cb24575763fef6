//! `dissipation` of `[dynamics]`: friction by Rayleigh's function, and which entropies it heats.

use super::coordinates::Coordinates;
use super::entropies::Entropies;
use super::friction::{self, FrictionTerm, HEATS, HeatsStatement, ResolvedFriction, StatedFriction};
use super::jumps;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableEntry, TableField, TableReader, field};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// `"c*x'^2/2"`, or `{ function = "c*x'^2/2", heats = "S" }`.
#[derive(Debug, Default)]
pub(crate) struct DissipationStatement {
    function: Option<Scalar>,
    heats: Option<HeatsStatement>,
    /// Where it is stated.
    pub span: Span,
}

const FIELDS: &[TableField<DissipationStatement>] = &[
    field("function", "the function, an expression of positions and velocities", |reader, entry, into| {
        into.function = reader.scalar(entry);
    }),
    field("heats", HEATS, |reader, entry, into| into.heats = Some(friction::read_heats(reader, entry))),
];

/// One statement, or a list of them.
pub(super) fn read<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<DissipationStatement> {
    match reader.list(entry) {
        Some(items) => items.iter().map(|item| read_one(reader, item)).collect(),
        None => vec![read_one(reader, entry)],
    }
}

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> DissipationStatement {
    let mut statement = DissipationStatement { span: entry.value_span(), ..DissipationStatement::default() };
    if !reader.is_table(entry) {
        statement.function = reader.scalar(entry);
        return statement;
    }
    let entries = reader.table(entry).unwrap_or_default();
    if !reader.fill(entries, FIELDS, &mut statement).contains(&"function") {
        let diagnostic = Diagnostic::error(Code::Missing, "the dissipation has no function");
        reader.problems.push(diagnostic.at(entry.value_span(), "`function = \"...\"` is missing"));
    }
    statement
}

/// Adds the friction `-∂D/∂v` on every coordinate whose velocity is in D.
pub(super) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[DissipationStatement],
    coordinates: &Coordinates,
    entropies: &Entropies,
    friction: &mut ResolvedFriction,
) {
    let graph = resolver.graph;
    let velocities: Vec<_> = coordinates.list.iter().map(|coordinate| graph.expr(coordinate.velocity)).collect();
    for DissipationStatement { function, heats, span } in statements {
        let Some(scalar) = function else { continue };
        let Some(value) = resolver.number(scalar, &ExpressionPlace::DISSIPATION, None) else { continue };
        let stated = StatedFriction { span, key: "function" };
        let Some(shares) = friction::shares(resolver, heats.as_ref(), stated, entropies, None) else { continue };
        let slopes = graph.gradient(value, &velocities);
        if slopes.iter().all(|slope| slope.is_zero()) {
            let message = format!("the dissipation `{value}` does not depend on a velocity");
            let diagnostic = Diagnostic::error(Code::NoEffect, message).at(scalar.span(), "");
            resolver.problems.push(diagnostic.help("the friction is minus its slope by the velocities: \"c*x'^2/2\""));
        }
        let mut jumped = false;
        for (coordinate, slope) in slopes.into_iter().enumerate().filter(|(_, slope)| !slope.is_zero()) {
            let force = -slope;
            let name = &coordinates.list[coordinate].name;
            jumped = jumped || jumps::report(resolver, "friction", name, force, scalar.span());
            friction.terms.push(FrictionTerm { coordinate, force: force.id(), shares: shares.clone() });
            friction.spans.push(heats.as_ref().map_or(span.clone(), HeatsStatement::span));
        }
    }
}

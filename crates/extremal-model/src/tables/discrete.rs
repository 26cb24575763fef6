//! `[discrete]`: the user's own discrete Lagrangian and forces, for the method `custom`.

use extremal_expr::Id;

use super::assignments::{self, Assignment};
use super::coordinates::{Coordinates, member_name};
use super::dynamics::per_coordinate;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Entry, Reader, Scalar};
use crate::names::{Place, STEP};
use crate::resolver::Resolver;

/// A discrete Lagrangian with its forces, over one step from `x_0` to `x_1` of length `h` that begins at time `t`.
#[derive(Clone, Debug)]
pub struct Discrete {
    /// The action over the step.
    pub lagrangian: Id,
    /// The force at the beginning, one per coordinate.
    pub force_minus: Vec<Id>,
    /// The force at the end, one per coordinate.
    pub force_plus: Vec<Id>,
    /// The symbols `x_0`, one per coordinate.
    pub before: Vec<Id>,
    /// The symbols `x_1`, one per coordinate.
    pub after: Vec<Id>,
    /// The symbol `h`.
    pub step: Id,
}

#[derive(Debug)]
pub(crate) struct DiscreteStatement {
    pub span: Span,
    pub lagrangian: Option<Scalar>,
    pub force_minus: Vec<Assignment>,
    pub force_plus: Vec<Assignment>,
}

const KEYS: [&str; 3] = ["lagrangian", "force_minus", "force_plus"];

pub(crate) fn read<'t>(reader: &mut Reader<'t, '_>, table: &Entry<'t>, entries: Vec<Entry<'t>>) -> DiscreteStatement {
    let span = table.name.span.clone();
    let mut statement =
        DiscreteStatement { span: span.clone(), lagrangian: None, force_minus: Vec::new(), force_plus: Vec::new() };
    let mut has_lagrangian = false;
    for entry in entries {
        match entry.name.text.as_str() {
            "lagrangian" => {
                has_lagrangian = true;
                statement.lagrangian = reader.scalar(&entry);
            }
            "force_minus" | "force_plus" => {
                let forces = reader.table(&entry).map(|entries| assignments::read(reader, entries)).unwrap_or_default();
                match entry.name.text.as_str() {
                    "force_minus" => statement.force_minus = forces,
                    _ => statement.force_plus = forces,
                }
            }
            _ => reader.unknown_key(&entry, &KEYS),
        }
    }
    if !has_lagrangian {
        reader.problems.push(
            Diagnostic::error(Code::Missing, "[discrete] has no Lagrangian")
                .at(span, "`lagrangian = \"...\"` is missing")
                .help(
                    "write the action over one step with `x_0`, `x_1` and `h`: lagrangian = \"m*(x_1 - x_0)^2/(2*h)\"",
                ),
        );
    }
    statement
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    coordinates: &Coordinates,
) -> Option<Discrete> {
    report_collisions(resolver, statement, coordinates);
    let force_minus = per_coordinate(resolver, &statement.force_minus, coordinates, &Place::DISCRETE);
    let force_plus = per_coordinate(resolver, &statement.force_plus, coordinates, &Place::DISCRETE);
    let lagrangian = resolver.number(statement.lagrangian.as_ref()?, &Place::DISCRETE, None)?;
    let graph = resolver.graph;
    let ends = |end: &str| -> Vec<Id> {
        let families = coordinates.families.iter();
        families
            .flat_map(|family| {
                let name = format!("{}{end}", family.name.text);
                (1..=family.len()).map(move |number| graph.symbol(&member_name(&name, family.count, number)).id())
            })
            .collect()
    };
    Some(Discrete {
        lagrangian: lagrangian.id(),
        force_minus,
        force_plus,
        before: ends("_0"),
        after: ends("_1"),
        step: graph.symbol(STEP).id(),
    })
}

/// `x_0` and `x_1` must not mean something else already.
fn report_collisions(resolver: &mut Resolver<'_, '_>, statement: &DiscreteStatement, coordinates: &Coordinates) {
    for family in &coordinates.families {
        for name in ["_0", "_1"].map(|end| format!("{}{end}", family.name.text)) {
            let Some(other) = resolver.names.get(&name) else { continue };
            let message =
                format!("`{name}` is a {}, and in [discrete] it is a position of `{}`", other.what, family.name.text);
            let diagnostic = Diagnostic::error(Code::DuplicateName, message)
                .at(other.span.clone(), "rename this")
                .at(statement.span.clone(), "or remove this table");
            resolver.problems.push(diagnostic);
        }
    }
}

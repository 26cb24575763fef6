//! `[stop]`: where a run ends early.

use extremal_expr::Id;

use super::{ModelTable, named};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// A run ends where the expression crosses zero in the direction.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Its name.
    pub name: String,
    /// An expression of positions, velocities, entropies, time and parameters.
    pub expression: Id,
    /// Which crossings count.
    pub direction: Direction,
}

/// Which crossings of zero count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
    /// Both.
    #[default]
    Any,
}

named! { Direction: Rising = "rising", Falling = "falling", Any = "any" }

/// `floor = "x"`, or `floor = { when = "x", direction = "falling" }`.
#[derive(Debug, Default)]
pub(crate) struct StopStatement {
    pub name: Name,
    pub when: Option<Scalar>,
    pub direction: Direction,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "stop",
    sentence: "where a run ends, each condition by name: `floor = \"z\"` ends it where z crosses zero, or a table",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.stops = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<StopStatement>] = &[
    field("when", "the expression whose zero is located", |reader, entry, into| into.when = reader.scalar(entry)),
    field("direction", "`rising`, `falling` or `any` (default)", |reader, entry, into| {
        let unknown = |name: &str| format!("there is no direction `{name}`");
        let chosen = reader.choice(entry, Direction::ALL, Direction::name, "the directions are", unknown);
        into.direction = chosen.map_or_else(Direction::default, |(direction, _)| direction);
    }),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> StopStatement {
    let mut statement = StopStatement { name: entry.name.clone(), ..StopStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"when") {
        let message = format!("the stop `{}` has no expression", entry.name.text);
        reader
            .problems
            .push(Diagnostic::error(Code::Missing, message).at(entry.name.span.clone(), "`when = \"...\"` is missing"));
    }
    statement
}

pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[StopStatement]) -> Vec<Stop> {
    let mut stops = Vec::new();
    for statement in statements {
        let Some(scalar) = &statement.when else { continue };
        if let Some(expression) = resolver.number(scalar, &ExpressionPlace::STOP, None) {
            let name = statement.name.text.clone();
            stops.push(Stop { name, expression: expression.id(), direction: statement.direction });
        }
    }
    stops
}

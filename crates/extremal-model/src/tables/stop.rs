//! `[stop]`: where a run ends early.

use std::fmt;

use extremal_expr::Id;

use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Entry, Key, Name, Reader, Scalar, key};
use crate::place::Place;
use crate::resolver::Resolver;
use crate::suggest::help_for;
use crate::text::Text;

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

impl Direction {
    /// All directions.
    pub const ALL: [Direction; 3] = [Direction::Rising, Direction::Falling, Direction::Any];

    /// Its name in a model file.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Rising => "rising",
            Direction::Falling => "falling",
            Direction::Any => "any",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// `floor = "x"`, or `floor = { when = "x", direction = "falling" }`.
#[derive(Debug)]
pub(crate) struct StopStatement {
    pub name: Name,
    pub when: Option<Scalar>,
    pub direction: Direction,
}

pub(super) const KEYS: &[Key] =
    &[key("when", "the expression whose zero is located"), key("direction", "`rising`, `falling` or `any` (default)")];

pub(crate) fn read<'t>(reader: &mut Reader<'t, '_>, entries: Vec<Entry<'t>>) -> Vec<StopStatement> {
    entries.into_iter().map(|entry| read_one(reader, entry)).collect()
}

fn read_one<'t>(reader: &mut Reader<'t, '_>, entry: Entry<'t>) -> StopStatement {
    let mut statement = StopStatement { name: entry.name.clone(), when: None, direction: Direction::Any };
    if !reader.is_table(&entry) {
        statement.when = reader.scalar(&entry);
        return statement;
    }
    let mut has_when = false;
    for entry in reader.table(&entry).unwrap_or_default() {
        match entry.name.text.as_str() {
            "when" => {
                has_when = true;
                statement.when = reader.scalar(&entry);
            }
            "direction" => {
                let chosen = reader.string(&entry).and_then(|text| direction(reader, &text));
                statement.direction = chosen.unwrap_or_default();
            }
            _ => reader.unknown_key(&entry, KEYS),
        }
    }
    if !has_when {
        let message = format!("the stop `{}` has no expression", entry.name.text);
        reader
            .problems
            .push(Diagnostic::error(Code::Missing, message).at(entry.name.span.clone(), "`when = \"...\"` is missing"));
    }
    statement
}

fn direction(reader: &mut Reader<'_, '_>, text: &Text) -> Option<Direction> {
    let found = Direction::ALL.into_iter().find(|d| d.name() == text.value);
    if found.is_none() {
        let help = help_for(&text.value, "the directions are", Direction::ALL.map(Direction::name));
        let message = format!("there is no direction `{}`", text.value);
        reader
            .problems
            .push(Diagnostic::error(Code::UnknownOption, message).at(text.span.clone(), "").maybe_help(help));
    }
    found
}

pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[StopStatement]) -> Vec<Stop> {
    let mut stops = Vec::new();
    for statement in statements {
        let Some(scalar) = &statement.when else { continue };
        if let Some(expression) = resolver.number(scalar, &Place::STOP, None) {
            let name = statement.name.text.clone();
            stops.push(Stop { name, expression: expression.id(), direction: statement.direction });
        }
    }
    stops
}

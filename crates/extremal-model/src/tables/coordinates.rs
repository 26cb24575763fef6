//! `[coordinates]`: what moves, and where it starts.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Entry, Name, Reader, Scalar, Series};
use crate::names::{Declaration, Meaning, Place, TIME};
use crate::resolver::Resolver;
use crate::text::Text;

/// The most coordinates a model may have.
pub const MAX_COORDINATES: usize = 1_000_000;

/// One degree of freedom; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct Coordinate {
    /// Its name: `x`, or `x[3]` for a member of a family.
    pub name: String,
    /// The symbol `x`.
    pub position: Id,
    /// The symbol `x'`.
    pub velocity: Id,
    /// The symbol `x''`.
    pub acceleration: Id,
    /// Where it starts, an expression of parameters.
    pub start: Id,
    /// The velocity it starts with, an expression of parameters.
    pub start_velocity: Id,
    /// Where it is after one step, an expression of parameters, for a start from two points.
    pub second: Option<Id>,
    /// A condition that must hold along the motion.
    pub domain: Option<Id>,
}

/// `x = 1.0`, or `x = { start = 1.0, velocity = 0.0, second = 1.0, domain = "x > 0", count = "n", index = "i" }`.
#[derive(Debug)]
pub(crate) struct CoordinateStatement {
    pub name: Name,
    pub start: Option<Series>,
    pub velocity: Option<Series>,
    pub second: Option<Series>,
    pub domain: Option<Scalar>,
    pub count: Option<Scalar>,
    pub index: Option<Text>,
}

const KEYS: [&str; 6] = ["start", "velocity", "second", "domain", "count", "index"];

pub(crate) fn read<'t>(reader: &mut Reader<'t, '_>, entries: Vec<Entry<'t>>) -> Vec<CoordinateStatement> {
    entries.into_iter().map(|entry| read_one(reader, entry)).collect()
}

fn read_one<'t>(reader: &mut Reader<'t, '_>, entry: Entry<'t>) -> CoordinateStatement {
    let mut statement = CoordinateStatement {
        name: entry.name.clone(),
        start: None,
        velocity: None,
        second: None,
        domain: None,
        count: None,
        index: None,
    };
    if !reader.is_table(&entry) {
        statement.start = reader.series(&entry);
        return statement;
    }
    let mut has_start = false;
    for entry in reader.table(&entry).unwrap_or_default() {
        match entry.name.text.as_str() {
            "start" => {
                has_start = true;
                statement.start = reader.series(&entry);
            }
            "velocity" => statement.velocity = reader.series(&entry),
            "second" => statement.second = reader.series(&entry),
            "domain" => statement.domain = reader.scalar(&entry),
            "count" => statement.count = reader.scalar(&entry),
            "index" => statement.index = reader.string(&entry),
            _ => reader.unknown_key(&entry, &KEYS),
        }
    }
    if !has_start {
        let name = &entry.name.text;
        let message = format!("the coordinate `{name}` has no start");
        reader.problems.push(
            Diagnostic::error(Code::Missing, message)
                .at(entry.name.span.clone(), "where is it at the beginning?")
                .help(format!("{name} = {{ start = 1.0, velocity = 0.0 }}")),
        );
    }
    statement
}

/// The coordinates of one statement among all of them.
pub(crate) struct Family {
    pub name: Name,
    /// The place of its statement.
    pub statement: usize,
    /// The place of its first member in the flat list.
    pub first: usize,
    /// `None` for a single coordinate.
    pub count: Option<i64>,
    /// The name of the member's number.
    pub index: String,
}

impl Family {
    pub fn len(&self) -> usize {
        self.count.map_or(1, |count| usize::try_from(count).unwrap_or(0))
    }
}

/// All coordinates, flat and by statement.
#[derive(Default)]
pub(crate) struct Coordinates {
    pub list: Vec<Coordinate>,
    pub families: Vec<Family>,
    by_name: HashMap<String, usize>,
}

impl Coordinates {
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.by_name.get(name).map(|place| &self.families[*place])
    }
}

/// Declares all coordinates.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[CoordinateStatement]) -> Coordinates {
    let mut all = Coordinates::default();
    if statements.is_empty() {
        let help = "add [coordinates] with a start for each, for instance x = { start = 1.0, velocity = 0.0 }";
        resolver.problems.push(Diagnostic::error(Code::Missing, "the model has no coordinates").help(help));
    }
    for (position, statement) in statements.iter().enumerate() {
        if resolver.admit(&statement.name, "coordinate")
            && resolve_one(resolver, statement, position, &mut all).is_none()
        {
            let span = statement.name.span.clone();
            let broken = Declaration { what: "coordinate", meaning: Meaning::Broken, count: None, span };
            resolver.names.declare(&statement.name.text, broken);
        }
    }
    all
}

/// `None` if not even the number of its members is known.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &CoordinateStatement,
    place: usize,
    all: &mut Coordinates,
) -> Option<()> {
    let name = &statement.name;
    let lists = [&statement.start, &statement.velocity, &statement.second];
    let count = family_count(resolver, name, statement.count.as_ref(), lists.into_iter().flatten())?;
    let members = count.map_or(1, |count| count as usize);
    if all.list.len() + members > MAX_COORDINATES {
        let message = format!("a model may have at most {MAX_COORDINATES} coordinates");
        resolver.problems.push(Diagnostic::error(Code::TooLarge, message).at(name.span.clone(), ""));
        return None;
    }
    let symbols: Vec<[Expr<'_>; 3]> = (1..=members)
        .map(|number| {
            let name = member_name(&name.text, count, number);
            ["", "'", "''"].map(|primes| resolver.graph.symbol(&format!("{name}{primes}")))
        })
        .collect();
    let meaning = Meaning::Coordinate { symbols: symbols.clone() };
    resolver.names.declare(&name.text, Declaration { what: "coordinate", meaning, count, span: name.span.clone() });
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let mut family = |series: &Option<Series>, what| initial(resolver, series.as_ref(), &index, name, count, what);
    let start = family(&statement.start, "start");
    let velocity = family(&statement.velocity, "velocity");
    let second = family(&statement.second, "second position");
    let zero = resolver.graph.int(0).id();
    let first = all.list.len();
    for (position, [x, v, a]) in symbols.iter().enumerate() {
        all.list.push(Coordinate {
            name: member_name(&name.text, count, position + 1),
            position: x.id(),
            velocity: v.id(),
            acceleration: a.id(),
            start: start.as_ref().map_or(zero, |values| values[position]),
            start_velocity: velocity.as_ref().map_or(zero, |values| values[position]),
            second: second.as_ref().map(|values| values[position]),
            domain: None,
        });
    }
    all.by_name.insert(name.text.clone(), all.families.len());
    all.families.push(Family { name: name.clone(), statement: place, first, count, index });
    Some(())
}

pub(crate) fn member_name(name: &str, count: Option<i64>, number: usize) -> String {
    match count {
        Some(_) => format!("{name}[{number}]"),
        None => name.to_owned(),
    }
}

/// The size of a family, stated or told by its first list: `Some(None)` for no family at all, `None` for an error.
pub(crate) fn family_count<'s>(
    resolver: &mut Resolver<'_, '_>,
    name: &Name,
    count: Option<&Scalar>,
    values: impl Iterator<Item = &'s Series>,
) -> Option<Option<i64>> {
    let Some(stated) = count else {
        let mut lists = values.filter_map(|series| match series {
            Series::One(_) => None,
            Series::List { items, span } => Some((items.len() as i64, span.clone())),
        });
        return match lists.next() {
            Some((length, span)) => positive(resolver, length, span, &name.text).map(Some),
            None => Some(None),
        };
    };
    let count = resolver.integer(stated, &format!("the count of `{}`", name.text))?;
    positive(resolver, count, stated.span(), &name.text).map(Some)
}

fn positive(resolver: &mut Resolver<'_, '_>, count: i64, span: Span, name: &str) -> Option<i64> {
    if (1..=MAX_COORDINATES as i64).contains(&count) {
        return Some(count);
    }
    let message = format!("the family `{name}` cannot have {count} members");
    let help = format!("a count is an integer from 1 to {MAX_COORDINATES}");
    resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(span, "").help(help));
    None
}

/// The index name of a family; a single quantity has none.
pub(crate) fn family_index(
    resolver: &mut Resolver<'_, '_>,
    stated: Option<&Text>,
    name: &Name,
    count: Option<i64>,
) -> String {
    match (stated, count) {
        (_, Some(_)) => resolver.index_name(stated, name),
        (None, None) => String::new(),
        (Some(text), None) => {
            let message = format!("`{}` has an index but no count", name.text);
            resolver.problems.push(
                Diagnostic::error(Code::Conflict, message)
                    .at(text.span.clone(), "")
                    .help("an index numbers the members of a family; say how many with `count = \"n\"`"),
            );
            String::new()
        }
    }
}

/// Initial values, one for each member, all finite.
fn initial(
    resolver: &mut Resolver<'_, '_>,
    series: Option<&Series>,
    index: &str,
    name: &Name,
    count: Option<i64>,
    what: &str,
) -> Option<Vec<Id>> {
    let series = series?;
    let values = match (series, count) {
        (Series::One(scalar), None) => vec![resolver.number(scalar, &Place::INITIAL, None)?],
        (_, count) => resolver.series(series, &Place::INITIAL, index, count?)?,
    };
    for (position, value) in values.iter().enumerate() {
        let what = format!("the {what} of `{}`", member_name(&name.text, count, position + 1));
        resolver.finite(*value, series.item_span(position), &what)?;
    }
    Some(values.iter().map(|value| value.id()).collect())
}

/// Resolves the domains, which may depend on other coordinates and definitions, and checks the start against them.
pub(crate) fn resolve_domains(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    all: &mut Coordinates,
) {
    let starts = start_values(resolver, all);
    for family in &all.families {
        let statement = &statements[family.statement];
        let Some(domain) = &statement.domain else { continue };
        for position in 0..family.len() {
            let member = family.count.map(|_| (family.index.as_str(), position as i64 + 1));
            let Some(condition) = resolver.condition(domain, &Place::DOMAIN, member) else { break };
            let coordinate = &mut all.list[family.first + position];
            coordinate.domain = Some(condition.id());
            let value_of = |name: &str| starts.get(name).or_else(|| resolver.values.get(name)).copied();
            let held = resolver.graph.evaluate(&[condition], value_of)[0] != 0.0;
            // Where something else is wrong, the start may not be what the user meant.
            if !held && resolver.problems.errors() == 0 {
                let value = starts.get(&coordinate.name).copied().unwrap_or(f64::NAN);
                let message = format!("`{}` starts outside its domain", coordinate.name);
                let at = statement.start.as_ref().map_or(domain.span(), |start| start.item_span(position));
                resolver.problems.push(
                    Diagnostic::error(Code::OutsideDomain, message)
                        .at(at, format!("it starts at {value}"))
                        .at(domain.span(), "which does not satisfy this"),
                );
                break;
            }
        }
    }
}

/// The values of all positions and velocities at the start, by the names of their symbols, and the time.
fn start_values(resolver: &Resolver<'_, '_>, all: &Coordinates) -> HashMap<String, f64> {
    let graph = resolver.graph;
    let roots: Vec<Expr<'_>> =
        all.list.iter().flat_map(|c| [graph.expr(c.start), graph.expr(c.start_velocity)]).collect();
    let numbers = graph.evaluate(&roots, |name| resolver.values.get(name).copied());
    let mut values = HashMap::from([(TIME.to_owned(), 0.0)]);
    for (coordinate, pair) in all.list.iter().zip(numbers.chunks(2)) {
        values.insert(coordinate.name.clone(), pair[0]);
        values.insert(format!("{}'", coordinate.name), pair[1]);
    }
    values
}

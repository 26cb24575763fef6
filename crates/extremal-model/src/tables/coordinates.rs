//! `[coordinates]`: what moves, and where it starts.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::entropies::Entropies;
use super::families::{Families, Kind, family_count, family_index, initial, member_name, missing_start};
use crate::diagnostic::{Code, Diagnostic};
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
    /// Where it is after one step, an expression of parameters and the step `h`, for a start from two points.
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
        let example = format!("{} = {{ start = 1.0, velocity = 0.0 }}", entry.name.text);
        missing_start(reader, &entry.name, "coordinate", "where is it at the beginning?", example);
    }
    statement
}

/// All coordinates, flat and by statement.
pub(crate) struct Coordinates {
    pub list: Vec<Coordinate>,
    pub families: Families,
}

/// Declares all coordinates.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    may_be_none: bool,
) -> Coordinates {
    let mut all = Coordinates { list: Vec::new(), families: Families::new(Kind::Coordinate) };
    if statements.is_empty() && !may_be_none {
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
    if !all.families.has_room(resolver, members, name) {
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
    let mut family =
        |series: &Option<Series>, what, place| initial(resolver, series.as_ref(), &index, name, count, what, place);
    let start = family(&statement.start, "start", &Place::INITIAL);
    let velocity = family(&statement.velocity, "velocity", &Place::INITIAL);
    let second = family(&statement.second, "second position", &Place::SECOND);
    let zero = resolver.graph.int(0).id();
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
    all.families.push(name, place, count, index);
    Some(())
}

/// Resolves the domains, which may depend on other coordinates and definitions, and checks the start against them.
pub(crate) fn resolve_domains(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    all: &mut Coordinates,
    starts: &HashMap<String, f64>,
) {
    for family in &all.families.list {
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

/// The values of the time, all positions, velocities and entropies at the start, by the names of their symbols.
pub(crate) fn start_values(
    resolver: &Resolver<'_, '_>,
    coordinates: &Coordinates,
    entropies: &Entropies,
) -> HashMap<String, f64> {
    let graph = resolver.graph;
    let moving = coordinates.list.iter().flat_map(|c| [c.start, c.start_velocity]);
    let ids: Vec<Id> = moving.chain(entropies.list.iter().map(|entropy| entropy.start)).collect();
    let numbers = graph.evaluate(&graph.exprs(&ids), |name| resolver.values.get(name).copied());
    let moving = coordinates.list.iter().flat_map(|c| [c.name.clone(), format!("{}'", c.name)]);
    let names = moving.chain(entropies.list.iter().map(|entropy| entropy.name.clone()));
    let mut values: HashMap<String, f64> = names.zip(numbers).collect();
    values.insert(TIME.to_owned(), 0.0);
    values
}

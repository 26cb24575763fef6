//! `[events]`: what becomes of a motion where an expression crosses zero.

use extremal_expr::{Id, Node};

use super::assignments::{self, Assignment, Primes, Targets, chosen};
use super::boundary::StateComponents;
use super::families::{INDEX, family_count, family_index, member_name};
use super::stop::{Direction, Stop};
use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// Where the expression crosses zero in the direction, the state of the motion changes.
#[derive(Clone, Debug)]
pub struct MotionEvent {
    /// Its name: `bounce`, or `bounce[2]` for a member of a family.
    pub name: String,
    /// What crosses zero: for an impact, what the obstacle does not let become negative.
    pub expression: Id,
    /// Which crossings count.
    pub direction: Direction,
    /// What becomes of the state.
    pub effect: EventEffect,
}

/// What an event does to the state of a motion.
#[derive(Clone, Debug)]
pub enum EventEffect {
    /// These take the values that the expressions have just before.
    Change(Vec<(ChangedQuantity, Id)>),
    /// Velocities are thrown back from an obstacle, so much of the speed of approach being left.
    Impact {
        /// The coefficient of restitution, an expression of the state just before.
        restitution: Id,
    },
}

/// What an event gives another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedQuantity {
    /// A coordinate, by its place in [`Model::coordinates`](crate::Model::coordinates).
    Position(usize),
    /// Its velocity.
    Velocity(usize),
    /// An entropy, an amount or a state, counted in this order.
    Carried(usize),
}

/// `bounce = { when = "y", direction = "falling", set = { "y'" = "-e*y'" } }`, or `floor = { obstacle = "y >= 0", restitution = "e" }`.
#[derive(Debug, Default)]
pub(crate) struct EventStatement {
    name: Name,
    when: Option<Scalar>,
    direction: Option<(Direction, SourceText)>,
    set: Option<Vec<Assignment>>,
    obstacle: Option<Scalar>,
    restitution: Option<Scalar>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "events",
    sentence: "what changes the state of a motion at once, each by name: `bounce = { when = \"y\", direction = \"falling\", set = { \"y'\" = \"-e*y'\" } }` where an expression crosses zero, or `floor = { obstacle = \"y >= 0\", restitution = \"e\" }`, an impact",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        into.events = entries
            .iter()
            .map(|entry| {
                let mut statement = EventStatement { name: entry.name.clone(), ..EventStatement::default() };
                read_one(reader, entry, &mut statement);
                statement
            })
            .collect();
    },
};

const FIELDS: &[TableField<EventStatement>] = &[
    field("when", "the expression whose zero is located", |reader, entry, into| into.when = reader.scalar(entry)),
    field("direction", "`rising`, `falling` or `any` (default)", |reader, entry, into| {
        let unknown = |name: &str| format!("there is no direction `{name}`");
        into.direction = reader.choice(entry, Direction::ALL, Direction::name, "the directions are", unknown);
    }),
    field(
        "set",
        "what positions, velocities, entropies, amounts and states become: `{ \"y'\" = \"-e*y'\" }`, of their values just before; what is not named stays",
        |reader, entry, into| into.set = Some(assignments::read_table(reader, entry)),
    ),
    field(
        "obstacle",
        "instead of `when` and `set`: a condition on positions that holds along the motion, `\"y >= 0\"`; where it would be broken, velocities are thrown back",
        |reader, entry, into| into.obstacle = reader.scalar(entry),
    ),
    field(
        "restitution",
        "of an obstacle: the part of the speed of approach that is left, 1 (energy is kept) if not stated",
        |reader, entry, into| into.restitution = reader.scalar(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>, statement: &mut EventStatement) {
    let found = reader.fill_entry(entry, FIELDS, statement);
    let name = &entry.name;
    let has = |key: &str| found.contains(&key);
    let problem = match (has("when"), has("obstacle")) {
        (true, true) => Some(("says twice where it happens: `when` and `obstacle`", "keep one of them")),
        (false, false) => Some((
            "does not say where it happens",
            "`when = \"y\"` is an expression whose zero is located, `obstacle = \"y >= 0\"` a condition that holds along the motion",
        )),
        (true, false) if has("restitution") => Some((
            "has a restitution, and no obstacle",
            "write `obstacle = \"y >= 0\"` in the place of `when`, or the new velocity in `set`",
        )),
        (true, false) if !has("set") => {
            Some(("changes nothing", "say what becomes of the state: `set = { \"y'\" = \"-y'\" }`; [stop] ends a run"))
        }
        (false, true) if has("set") || has("direction") => Some((
            "is an impact, which says for itself what becomes of the velocities",
            "an obstacle has a `restitution`; for another change take `when`, `direction` and `set`",
        )),
        _ => None,
    };
    if let Some((what, help)) = problem {
        let message = format!("the event `{}` {what}", name.text);
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(name.span.clone(), "");
        reader.problems.push(diagnostic.help(help));
        (statement.when, statement.obstacle) = (None, None);
    }
}

pub(super) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    stops: &[Stop],
    state: StateComponents<'_>,
) -> Vec<MotionEvent> {
    let mut events: Vec<MotionEvent> = Vec::new();
    for statement in &statements.events {
        let name = &statement.name;
        if stops.iter().any(|stop| stop.name == name.text) {
            let message = format!("`{}` is a stop and an event", name.text);
            let diagnostic = Diagnostic::error(Code::DuplicateName, message).at(name.span.clone(), "");
            resolver.problems.push(diagnostic.help("give one of them another name: runs report them by these"));
            continue;
        }
        if statements.boundary.is_some() {
            let message = "a motion that is asked for by its ends cannot have events";
            let diagnostic = Diagnostic::error(Code::Conflict, message).at(name.span.clone(), "");
            resolver.problems.push(diagnostic.help("leave [boundary] or [events] out"));
            continue;
        }
        let Some(count) = family_count(resolver, name, statement.count.as_ref(), std::iter::empty()) else { continue };
        let index = family_index(resolver, statement.index.as_ref(), name, count);
        for member in 1..=count.map_or(1, |count| count as usize) {
            let number = count.map(|_| (index.as_str(), member as i64));
            let Some(event) = resolve_one(resolver, statement, state, number) else { break };
            let (expression, direction, effect) = event;
            events.push(MotionEvent { name: member_name(&name.text, count, member), expression, direction, effect });
        }
    }
    events
}

fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &EventStatement,
    state: StateComponents<'_>,
    number: MemberNumber<'_>,
) -> Option<(Id, Direction, EventEffect)> {
    if let Some(when) = &statement.when {
        let expression = resolver.number(when, &ExpressionPlace::EVENT, number)?.id();
        let direction = statement.direction.as_ref().map_or_else(Direction::default, |(direction, _)| *direction);
        let changes = changes(resolver, statement.set.as_deref().unwrap_or_default(), state, number)?;
        return Some((expression, direction, EventEffect::Change(changes)));
    }
    let obstacle = statement.obstacle.as_ref()?;
    let condition = resolver.condition(obstacle, &ExpressionPlace::OBSTACLE, number)?;
    let Node::Compare(extremal_expr::Relation::Lt | extremal_expr::Relation::Le, less, more) = condition.node() else {
        let message = "an obstacle is one comparison of positions: `y >= 0`";
        let diagnostic = Diagnostic::error(Code::WrongType, message).at(obstacle.span(), "");
        resolver.problems.push(diagnostic.help("several obstacles are several events"));
        return None;
    };
    let graph = resolver.graph;
    let distance = graph.expr(more) - graph.expr(less);
    let restitution = match &statement.restitution {
        Some(restitution) => resolver.number(restitution, &ExpressionPlace::RESTITUTION, number)?,
        None => graph.int(1),
    };
    Some((distance.id(), Direction::Falling, EventEffect::Impact { restitution: restitution.id() }))
}

/// What `set` says.
fn changes(
    resolver: &mut Resolver<'_, '_>,
    assignments: &[Assignment],
    state: StateComponents<'_>,
    number: MemberNumber<'_>,
) -> Option<Vec<(ChangedQuantity, Id)>> {
    let families = state.families();
    let moving = state.coordinates.list.len();
    let mut changes: Vec<(ChangedQuantity, Id)> = Vec::new();
    for Assignment { key, value } in assignments {
        let key = &with_number(key, number);
        let keyed = chosen(resolver, key, &[value], Targets(&families), Primes::Allowed)?;
        let read = |resolver: &mut Resolver<'_, '_>, scalar: &Scalar, member: MemberNumber<'_>| {
            let value = resolver.number(scalar, &ExpressionPlace::CHANGE, member.or(number))?;
            Some(value.id())
        };
        let values = keyed.each(resolver, value, read)?;
        for ((place, _), value) in keyed.places.iter().zip(values) {
            let target = match (place.checked_sub(moving), keyed.primes) {
                (None, 0) => ChangedQuantity::Position(*place),
                (None, 1) => ChangedQuantity::Velocity(*place),
                (Some(carried), 0) => ChangedQuantity::Carried(carried),
                _ => {
                    let message = format!("`{}` follows from the equations of motion", key.value);
                    let diagnostic = Diagnostic::error(Code::Misuse, message).at(key.span.clone(), "");
                    resolver.problems.push(diagnostic.help("positions, velocities, entropies and states can be set"));
                    return None;
                }
            };
            if changes.iter().any(|(known, _)| *known == target) {
                let message = format!("`{}` is given twice", key.value);
                let diagnostic = Diagnostic::error(Code::DuplicateName, message).at(key.span.clone(), "here again");
                resolver.problems.push(diagnostic);
                return None;
            }
            changes.push((target, value));
        }
    }
    Some(changes)
}

/// A key in a family of events, whose index may be the number of the member: `x[i]`, of the third member `x[3]`.
fn with_number(key: &SourceText, number: MemberNumber<'_>) -> SourceText {
    let Some((index, member)) = number else { return key.clone() };
    key.standing_for(key.value.replace(&format!("[{index}]"), &format!("[{member}]")))
}

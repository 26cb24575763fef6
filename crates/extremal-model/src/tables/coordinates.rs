//! `[coordinates]`: what moves, and where it starts.

use std::collections::HashMap;

use extremal_expr::{Expr, Graph, Id};

use super::boundary::{Boundary, Component, StateComponents};
use super::families::{
    Families, Family, INDEX, QuantityKind, family_count, family_index, initial, member_name, missing_start,
};
use super::{ModelTable, Statements, rotations, states};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

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
    /// Where it starts, an expression of parameters. Only where there is a [`Boundary`](crate::Boundary) may this be absent.
    pub start: Option<Id>,
    /// The velocity it starts with, an expression of parameters.
    pub start_velocity: Option<Id>,
    /// The momentum it starts with, an expression of parameters, where the system is stated by a Hamiltonian. The velocity follows.
    pub start_momentum: Option<Id>,
    /// The acceleration, jerk, snap and crackle (derivatives 2 to 5) it starts with, where the Lagrangian leaves them open.
    pub start_higher: [Option<Id>; HIGHER.len()],
    /// The momenta conjugate to its derivatives 0, 1 and 2 that it starts with, where the motion starts from momenta.
    pub start_momenta: [Option<Id>; MOMENTA.len()],
    /// Where it is after one step, an expression of parameters and the step `h`, for a start from two points.
    pub second: Option<Id>,
    /// A condition that must hold along the motion.
    pub domain: Option<Id>,
}

/// The derivatives 2 to 5, by the names of their starts.
pub(crate) const HIGHER: [&str; 4] = ["acceleration", "jerk", "snap", "crackle"];

/// The momenta conjugate to x, x' and x'', by the names of their starts.
pub(crate) const MOMENTA: [&str; 3] = ["p0", "p1", "p2"];

/// `x = 1.0`, or `x = { start = 1.0, velocity = 0.0, second = 1.0, domain = "x > 0", count = "n", index = "i" }`.
#[derive(Debug, Default)]
pub(crate) struct CoordinateStatement {
    pub name: Name,
    /// Was there a start, perhaps one in error?
    pub has_start: bool,
    pub start: Option<ScalarSeries>,
    pub velocity: Option<ScalarSeries>,
    pub momentum: Option<ScalarSeries>,
    pub higher: [Option<ScalarSeries>; HIGHER.len()],
    pub momenta: [Option<ScalarSeries>; MOMENTA.len()],
    pub second: Option<ScalarSeries>,
    pub domain: Option<Scalar>,
    pub count: Option<Scalar>,
    pub index: Option<SourceText>,
    /// Is it the quaternion of a rotation?
    pub rotation: bool,
    pub angular_velocity: Option<ScalarSeries>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "coordinates",
    sentence: "the coordinates and where they start, in the order of the output: `x = 1.0`, or a table",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.coordinates = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<CoordinateStatement>] = &[
    field("start", "the position at the start; a list makes a family", |reader, entry, into| {
        into.start = reader.series(entry);
    }),
    field("velocity", "the velocity at the start, 0 if not stated", |reader, entry, into| {
        into.velocity = reader.series(entry);
    }),
    field(
        "momentum",
        "with a `hamiltonian`, instead of `velocity`: the momentum at the start, 0 if neither is stated",
        |reader, entry, into| into.momentum = reader.series(entry),
    ),
    field(
        HIGHER[0],
        "for Lagrangians with accelerations: the second derivative at the start",
        |reader, entry, into| {
            into.higher[0] = reader.series(entry);
        },
    ),
    field(HIGHER[1], "the third derivative at the start", |reader, entry, into| into.higher[1] = reader.series(entry)),
    field(HIGHER[2], "the fourth derivative at the start", |reader, entry, into| into.higher[2] = reader.series(entry)),
    field(HIGHER[3], "the fifth derivative at the start", |reader, entry, into| into.higher[3] = reader.series(entry)),
    field(
        MOMENTA[0],
        "the momentum conjugate to the position: with momenta a run of a control problem follows the flow of its optimality conditions, and one of a Lagrangian with accelerations starts from them",
        |reader, entry, into| into.momenta[0] = reader.series(entry),
    ),
    field(MOMENTA[1], "the momentum conjugate to the velocity, 0 if not stated", |reader, entry, into| {
        into.momenta[1] = reader.series(entry);
    }),
    field(
        MOMENTA[2],
        "the momentum conjugate to the acceleration, for Lagrangians with third derivatives",
        |reader, entry, into| into.momenta[2] = reader.series(entry),
    ),
    field(
        "second",
        "the position after one step, for `start = \"two-points\"`; may use the step `h`",
        |reader, entry, into| into.second = reader.series(entry),
    ),
    field("domain", "a condition that must hold along the motion: `\"x > 0\"`", |reader, entry, into| {
        into.domain = reader.scalar(entry);
    }),
    field("count", "makes a family of so many, `x[1]` to `x[n]`", |reader, entry, into| {
        into.count = reader.scalar(entry);
    }),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
    field(
        "rotation",
        "`true` makes a rotation: the family `q[1]` to `q[4]` of a unit quaternion, the number first, with the constraint `q_unit`; it starts as `[1, 0, 0, 0]` if not stated",
        |reader, entry, into| into.rotation = reader.boolean(entry).unwrap_or(false),
    ),
    field(
        "angular_velocity",
        "of a rotation, instead of `velocity`: the three numbers of its angular velocity at the start, along the axes of the body",
        |reader, entry, into| into.angular_velocity = reader.series(entry),
    ),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> CoordinateStatement {
    let mut statement = CoordinateStatement { name: entry.name.clone(), ..CoordinateStatement::default() };
    statement.has_start = reader.fill_entry(entry, FIELDS, &mut statement).contains(&"start");
    statement
}

/// All coordinates, flat and by statement.
pub(crate) struct Coordinates {
    pub list: Vec<Coordinate>,
    pub families: Families,
}

/// Declares all coordinates; where they start is said by [`resolve_starts`].
pub(crate) fn declare_all(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> Coordinates {
    let mut all = Coordinates { list: Vec::new(), families: Families::new(QuantityKind::Coordinate) };
    let first_order = !statements.states.is_empty() || statements.poisson.is_some();
    if statements.coordinates.is_empty() && statements.entropies.is_empty() && !first_order {
        let help = "add [coordinates] with a start for each, for instance x = { start = 1.0, velocity = 0.0 }";
        resolver.problems.push(Diagnostic::error(Code::Missing, "the model has no coordinates").help(help));
    }
    for (position, statement) in statements.coordinates.iter().enumerate() {
        // A boundary problem may start anywhere.
        if !statement.has_start && statements.boundary.is_none() {
            let name = &statement.name;
            let example = format!("{} = {{ start = 1.0, velocity = 0.0 }}", name.text);
            missing_start(resolver.problems, name, "coordinate", "where is it at the beginning?", example);
        }
        rotations::check(resolver, statement);
        if resolver.admit(&statement.name, "coordinate") && declare(resolver, statement, position, &mut all).is_none() {
            let span = statement.name.span.clone();
            let broken = Declaration { what: "coordinate", meaning: NameMeaning::Broken, count: None, span };
            resolver.names.declare(&statement.name.text, broken);
        }
    }
    all
}

/// Reads the starts of all coordinates, once everything that moves is declared: a start may use those of others.
pub(crate) fn resolve_starts(resolver: &mut Resolver<'_, '_>, statements: &Statements, all: &mut Coordinates) {
    for family in &all.families.list {
        read_starts(resolver, &statements.coordinates[family.statement], family, &mut all.list);
    }
}

/// `None` if not even the number of its members is known.
fn declare(
    resolver: &mut Resolver<'_, '_>,
    statement: &CoordinateStatement,
    place: usize,
    all: &mut Coordinates,
) -> Option<()> {
    let name = &statement.name;
    let lists = [&statement.start, &statement.velocity, &statement.momentum, &statement.second].into_iter();
    let lists = lists.chain(&statement.higher).chain(&statement.momenta);
    let count = family_count(resolver, name, statement.count.as_ref(), lists.flatten())?;
    let members = count.map_or(1, |count| count as usize);
    if !rotations::has_members(resolver, statement, count) || !all.families.has_room(resolver, members, name) {
        return None;
    }
    let meaning = NameMeaning::Coordinate { symbols: symbols(resolver.graph, &name.text, count) };
    resolver.names.declare(&name.text, Declaration { what: "coordinate", meaning, count, span: name.span.clone() });
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    all.families.push(name, place, count, index);
    Some(())
}

/// Position, velocity and acceleration of each member.
fn symbols<'g>(graph: &'g Graph, name: &str, count: Option<i64>) -> Vec<[Expr<'g>; 3]> {
    let members = count.map_or(1, |count| count as usize);
    let member = |number: usize| {
        let name = member_name(name, count, number);
        ["", "'", "''"].map(|primes| graph.symbol(&format!("{name}{primes}")))
    };
    (1..=members).map(member).collect()
}

/// Adds the coordinates of a family with what is said of their starts.
fn read_starts(
    resolver: &mut Resolver<'_, '_>,
    statement: &CoordinateStatement,
    family: &Family,
    list: &mut Vec<Coordinate>,
) {
    let (name, count, index) = (&family.name, family.count, &family.index);
    let symbols = symbols(resolver.graph, &name.text, count);
    let turning = statement.angular_velocity.as_ref().filter(|_| statement.rotation && statement.velocity.is_none());
    let turning = turning.and_then(|stated| rotations::velocity(resolver, stated, &symbols));
    let mut family = |series: &Option<ScalarSeries>, what, place| {
        initial(resolver, series.as_ref(), index, name, count, what, place)
    };
    let start = family(&statement.start, "start", &ExpressionPlace::INITIAL);
    let velocity = family(&statement.velocity, "velocity", &ExpressionPlace::INITIAL).or(turning);
    let momentum = family(&statement.momentum, "momentum", &ExpressionPlace::INITIAL);
    let second = family(&statement.second, "second position", &ExpressionPlace::SECOND);
    let mut higher = [const { None }; HIGHER.len()];
    for ((values, series), what) in higher.iter_mut().zip(&statement.higher).zip(HIGHER) {
        *values = family(series, what, &ExpressionPlace::INITIAL);
    }
    let mut momenta = [const { None }; MOMENTA.len()];
    for ((values, series), what) in momenta.iter_mut().zip(&statement.momenta).zip(MOMENTA) {
        *values = family(series, what, &ExpressionPlace::INITIAL);
    }
    let member = |values: &Option<Vec<Id>>, position: usize| values.as_ref().map(|values| values[position]);
    for (position, [x, v, a]) in symbols.iter().enumerate() {
        list.push(Coordinate {
            name: member_name(&name.text, count, position + 1),
            position: x.id(),
            velocity: v.id(),
            acceleration: a.id(),
            start: member(&start, position),
            start_velocity: member(&velocity, position),
            start_momentum: member(&momentum, position),
            start_higher: higher.each_ref().map(|values| member(values, position)),
            start_momenta: momenta.each_ref().map(|values| member(values, position)),
            second: member(&second, position),
            domain: None,
        });
    }
}

/// Resolves the domains, which may depend on other coordinates and definitions, and checks the start against them.
pub(crate) fn resolve_domains(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    all: &mut Coordinates,
    starts: &HashMap<String, f64>,
) {
    // An end of a boundary problem may lie on the border of the domain, where the Lagrangian is singular.
    let started = all.list.iter().all(|coordinate| coordinate.start.is_some());
    for family in &all.families.list {
        let statement = &statements[family.statement];
        let Some(domain) = &statement.domain else { continue };
        for position in 0..family.len() {
            let member = family.count.map(|_| (family.index.as_str(), position as i64 + 1));
            let Some(condition) = resolver.condition(domain, &ExpressionPlace::DOMAIN, member) else { break };
            let coordinate = &mut all.list[family.first + position];
            coordinate.domain = Some(condition.id());
            let value_of = |name: &str| starts.get(name).or_else(|| resolver.values.get(name)).copied();
            let held = resolver.graph.evaluate(&[condition], value_of)[0] != 0.0;
            // Where something else is wrong, the start may not be what the user meant.
            if !held && started && resolver.problems.errors() == 0 {
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

/// Where each coordinate starts, and each of its derivatives up to some order, as `[coordinates]` says or else `[boundary]`: by order,
/// then by coordinate.
pub(crate) fn start_expressions(
    coordinates: &[Coordinate],
    boundary: Option<&Boundary>,
    highest: u32,
) -> Vec<Vec<Option<Id>>> {
    let stated = |coordinate: &Coordinate, order: u32| match order {
        0 => coordinate.start,
        1 => coordinate.start_velocity,
        _ => coordinate.start_higher.get(order as usize - 2).copied().flatten(),
    };
    let mut starts: Vec<Vec<Option<Id>>> =
        (0..=highest).map(|order| coordinates.iter().map(|c| stated(c, order)).collect()).collect();
    for fixed in boundary.iter().flat_map(|boundary| &boundary.start) {
        if let Component::Coordinate { place, derivative } = fixed.component
            && let Some(start) = starts.get_mut(derivative as usize).and_then(|starts| starts.get_mut(place))
        {
            start.get_or_insert(fixed.value);
        }
    }
    starts
}

/// The values of the time, all positions, velocities, entropies, amounts and states at the start, by the names of their symbols. A position or
/// a state that is left open has none; a velocity is then zero.
pub(crate) fn start_values(
    resolver: &Resolver<'_, '_>,
    state: StateComponents<'_>,
    boundary: Option<&Boundary>,
) -> HashMap<String, f64> {
    let graph = resolver.graph;
    let zero = graph.int(0).id();
    let StateComponents { coordinates, entropies, amounts, states } = state;
    let starts = start_expressions(&coordinates.list, boundary, 1);
    let moving = coordinates.list.iter().zip(starts[0].iter().zip(&starts[1]));
    let moving = moving.flat_map(|(c, (position, velocity))| {
        [(c.name.clone(), *position), (format!("{}'", c.name), Some(velocity.unwrap_or(zero)))]
    });
    let entropies = entropies.list.iter().map(|entropy| (entropy.name.clone(), Some(entropy.start)));
    let amounts = amounts.list.iter().map(|amount| (amount.name.clone(), Some(amount.start)));
    let stated = states.list.iter().map(|state| state.name.clone());
    let stated = stated.zip(states::start_expressions(&states.list, boundary));
    let carried = entropies.chain(amounts).chain(stated);
    let known = moving.chain(carried).filter_map(|(name, value)| Some((name, value?)));
    let (names, ids): (Vec<String>, Vec<Id>) = known.unzip();
    let numbers = graph.evaluate(&graph.exprs(&ids), |name| resolver.values.get(name).copied());
    let mut values: HashMap<String, f64> = names.into_iter().zip(numbers).collect();
    values.insert(resolver.names.independent().to_owned(), 0.0);
    values
}

/// A derivative of which an initial value is given must be one that the equations of motion leave open.
pub(crate) fn check_higher(
    resolver: &mut Resolver<'_, '_>,
    statements: &[CoordinateStatement],
    coordinates: &Coordinates,
    order: u32,
) {
    for family in &coordinates.families.list {
        let higher = HIGHER.iter().zip(&statements[family.statement].higher).zip(2..);
        for ((what, series), derivative) in higher {
            if let Some(series) = series
                && derivative >= 2 * order
            {
                let message = format!("the {what} of `{}` follows from the equations of motion", family.name.text);
                let diagnostic = Diagnostic::error(Code::Conflict, message).at(series.span(), "");
                let help = "a Lagrangian of order k leaves the derivatives below 2 k open at the start";
                resolver.problems.push(diagnostic.help(help));
            }
        }
    }
}

//! `[states]`: quantities that move by equations of first order, each with its rate.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::assignments::{self, Primes, Targets};
use super::boundary::{Boundary, Component};
use super::controls::{Control, unchosen};
use super::families::{Families, INDEX, QuantityKind, family_count, family_index, initial, member_name, missing_start};
use super::{ModelTable, Statements};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// A quantity with an equation of first order, `x' = rate`; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct FirstOrderState {
    /// Its name: `x`, or `x[3]` for a member of a family.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// Where it starts, an expression of parameters; `None` where `[states]` leaves that to `[boundary]`.
    pub start: Option<Id>,
    /// How fast it changes while no control is chosen: an expression of positions, velocities, entropies, states, time and
    /// parameters.
    pub rate: Id,
    /// The same with the controls in it.
    pub controlled_rate: Id,
}

/// `x = { start = 0.0, rate = "v*cos(th)", count = "n", index = "i" }`.
#[derive(Default)]
pub(crate) struct StateStatement {
    pub name: Name,
    pub start: Option<ScalarSeries>,
    rate: Option<ScalarSeries>,
    pub count: Option<Scalar>,
    pub index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "states",
    sentence: "quantities with an equation of first order, each by name: `x = { start = 0, rate = \"v*cos(th)\" }` is x' = v*cos(th). They may occur wherever entropies may but in constraints, and need no Lagrangian",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.states = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<StateStatement>] = &[
    field("start", "its value at the start; a list makes a family", |reader, entry, into| {
        into.start = reader.series(entry);
    }),
    field(
        "rate",
        "how fast it changes, an expression that may use positions, velocities, entropies, states, controls and time",
        |reader, entry, into| into.rate = reader.series(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> StateStatement {
    let mut statement = StateStatement { name: entry.name.clone(), ..StateStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"rate") {
        let name = &entry.name.text;
        let message = format!("the state `{name}` has no rate");
        let diagnostic =
            Diagnostic::error(Code::Missing, message).at(entry.name.span.clone(), "how fast does it change?");
        reader.problems.push(diagnostic.help(format!("{name} = {{ start = 0.0, rate = \"...\" }} is {name}' = ...")));
    }
    statement
}

/// A state of another kind, which has a rate by the law of its kind, with these of the keys.
pub(super) fn read_as<'t>(
    reader: &mut TableReader<'t, '_>,
    entry: &TableEntry<'t>,
    fields: &[TableField<StateStatement>],
    kind: QuantityKind,
) -> StateStatement {
    let mut statement = StateStatement { name: entry.name.clone(), ..StateStatement::default() };
    if !reader.fill_entry(entry, fields, &mut statement).contains(&"start") {
        let example = format!("{} = {{ start = 1.0 }}", entry.name.text);
        missing_start(reader.problems, &entry.name, kind.word(), "what is it at the beginning?", example);
    }
    statement
}

/// All states, flat and by statement.
pub(crate) struct States {
    pub list: Vec<FirstOrderState>,
    pub families: Families,
}

impl States {
    /// The state that a text names: `x` or `x[2]`.
    pub fn named(&self, resolver: &mut Resolver<'_, '_>, text: &SourceText) -> Option<usize> {
        assignments::take_apart(resolver, text, Targets(&[&self.families]), Primes::Refused)?;
        let value = resolver.number(&Scalar::Text(text.clone()), &ExpressionPlace::ENTROPY, None)?;
        self.list.iter().position(|state| state.symbol == value.id())
    }
}

/// The states of a model are of one kind, as `[action]` and `[poisson]` see to.
fn of_one_kind(statements: &Statements) -> (&[StateStatement], QuantityKind) {
    match (&statements.poisson, &statements.action) {
        (Some(poisson), _) => (&poisson.variables, QuantityKind::Variable),
        (None, Some(action)) => (&action.variables, QuantityKind::Action),
        (None, None) => (&statements.states, QuantityKind::State),
    }
}

/// Declares all states; how they change is said by [`resolve_rates`].
pub(crate) fn declare(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> States {
    let (stated, kind) = of_one_kind(statements);
    let mut all = States { list: Vec::new(), families: Families::new(kind) };
    let what = kind.word();
    for (position, statement) in stated.iter().enumerate() {
        // A boundary problem may start anywhere.
        if kind == QuantityKind::State && statement.start.is_none() && statements.boundary.is_none() {
            let example = format!("{} = {{ start = 0.0, rate = \"...\" }}", statement.name.text);
            missing_start(resolver.problems, &statement.name, "state", "what is it at the beginning?", example);
        }
        if resolver.admit(&statement.name, what) && declare_one(resolver, statement, position, &mut all).is_none() {
            let span = statement.name.span.clone();
            let broken = Declaration { what, meaning: NameMeaning::Broken, count: None, span };
            resolver.names.declare(&statement.name.text, broken);
        }
    }
    all
}

/// `None` if not even the number of its members is known.
fn declare_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &StateStatement,
    place: usize,
    all: &mut States,
) -> Option<()> {
    let name = &statement.name;
    let series = [&statement.start, &statement.rate].into_iter().flatten();
    let count = family_count(resolver, name, statement.count.as_ref(), series)?;
    let members = count.map_or(1, |count| count as usize);
    if !all.families.has_room(resolver, members, name) {
        return None;
    }
    let names = (1..=members).map(|number| member_name(&name.text, count, number));
    let symbols: Vec<Expr<'_>> = names.map(|name| resolver.graph.symbol(&name)).collect();
    let meaning = NameMeaning::State { symbols: symbols.clone() };
    let what = all.families.kind.word();
    resolver.names.declare(&name.text, Declaration { what, meaning, count, span: name.span.clone() });
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let start = initial(resolver, statement.start.as_ref(), &index, name, count, "start", &ExpressionPlace::INITIAL);
    let zero = resolver.graph.int(0).id();
    for (position, symbol) in symbols.iter().enumerate() {
        all.list.push(FirstOrderState {
            name: member_name(&name.text, count, position + 1),
            symbol: symbol.id(),
            start: start.as_ref().map(|values| values[position]),
            rate: zero,
            controlled_rate: zero,
        });
    }
    all.families.push(name, place, count, index);
    Some(())
}

/// How the declared states change.
pub(crate) fn resolve_rates(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    states: &mut States,
    controls: &[Control],
) {
    let graph = resolver.graph;
    let (stated, _) = of_one_kind(statements);
    let none = unchosen(graph, controls);
    for family in &states.families.list {
        let Some(series) = &stated[family.statement].rate else { continue };
        for position in 0..family.len() {
            let each = matches!(series, ScalarSeries::One(_)) && family.count.is_some();
            let member = each.then_some((family.index.as_str(), position as i64 + 1));
            let Some(scalar) = series.item(position) else { continue };
            let Some(rate) = resolver.number(scalar, &ExpressionPlace::RATE, member) else { continue };
            let state = &mut states.list[family.first + position];
            state.controlled_rate = rate.id();
            state.rate = rate.substitute(&none).id();
        }
    }
}

/// Where each state starts, as `[states]` says or else `[boundary]`.
pub(crate) fn start_expressions(states: &[FirstOrderState], boundary: Option<&Boundary>) -> Vec<Option<Id>> {
    let fixed = boundary.iter().flat_map(|boundary| &boundary.start);
    let given: HashMap<usize, Id> = fixed
        .filter_map(|fixed| match fixed.component {
            Component::State(place) => Some((place, fixed.value)),
            _ => None,
        })
        .collect();
    states.iter().enumerate().map(|(place, state)| state.start.or_else(|| given.get(&place).copied())).collect()
}

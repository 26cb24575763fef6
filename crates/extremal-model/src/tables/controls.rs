//! `[controls]`: forces that are to be chosen.

use std::collections::{HashMap, HashSet};

use extremal_expr::{Expr, Graph, Id};

use super::assignments::{self, Primes, Targets};
use super::coordinates::Coordinates;
use super::definitions::Definitions;
use super::families::{Families, INDEX, QuantityKind, family_count, family_index, initial, member_name};
use super::states::States;
use super::{ModelTable, named, virtual_work};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::suggest::help_for;
use crate::text::SourceText;

/// How a control goes through the steps of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlShape {
    /// It has one value in each step.
    Constant,
    /// It is continuous: a straight line from node to node.
    Linear,
    /// It has a value at every quadrature node of a step, and is the polynomial through them.
    Polynomial,
}

named! { ControlShape: Constant = "constant", Linear = "linear", Polynomial = "polynomial" }

/// A quantity that is to be chosen as a function of time; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its name: `u`, or `u[3]` for a member of a family.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// The coordinates it acts on, by their places, and how strongly: it adds gain times control to their force. A gain is an
    /// expression of positions, velocities, entropies, time and parameters. Forces may also contain controls in any other way; all
    /// of it is in [`Model::controlled_forces`](crate::Model::controlled_forces).
    pub gains: Vec<(usize, Id)>,
    /// The least it may be, an expression of parameters.
    pub min: Option<Id>,
    /// The most it may be.
    pub max: Option<Id>,
    /// How it goes through the steps of a grid, if it is said; one with bounds on its rate is linear.
    pub shape: Option<ControlShape>,
    /// The least and the most that its rate may be, expressions of parameters.
    pub rate: [Option<Id>; 2],
    /// A first guess, as those of [`Boundary::guess`](crate::Boundary::guess).
    pub guess: Option<Id>,
    /// What it is wherever it is not to be chosen, an expression like a gain; zero if nothing is stated.
    pub law: Option<Id>,
    /// Where it is declared in [`Model::source_text`](crate::Model::source_text).
    pub span: Span,
}

/// The symbol of the rate of a control, `u'`.
pub fn control_rate(control: Expr<'_>) -> Expr<'_> {
    control.graph().symbol(&format!("{control}'"))
}

/// `u = "x"`, or `u = { on = { x = "cos(th)" }, min = -1, max = 1, guess = "sin(t)", count = "n", index = "i" }`.
#[derive(Default)]
pub(crate) struct ControlStatement {
    pub name: Name,
    on: Vec<GainStatement>,
    min: Option<ScalarSeries>,
    max: Option<ScalarSeries>,
    shape: Option<(ControlShape, Span)>,
    rate: Option<RateStatement>,
    guess: Option<ScalarSeries>,
    law: Option<ScalarSeries>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

/// `{ min = -1, max = 1 }`: bounds of the rate of a control.
#[derive(Default)]
struct RateStatement {
    span: Span,
    min: Option<ScalarSeries>,
    max: Option<ScalarSeries>,
}

impl ControlStatement {
    /// How it goes through the steps of a grid, as it is said or follows from bounds on its rate.
    pub fn shape(&self) -> Option<ControlShape> {
        self.shape.as_ref().map(|(shape, _)| *shape).or(self.rate.as_ref().map(|_| ControlShape::Linear))
    }

    /// Is it said what it, or one of its members, is in a simulation?
    pub fn has_law(&self, laws: &[(String, String)]) -> bool {
        self.law.is_some() || laws.iter().any(|(name, _)| name.split('[').next() == Some(&self.name.text))
    }
}

/// A coordinate and the gain, 1 if it is not stated.
struct GainStatement {
    on: SourceText,
    gain: Option<Scalar>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "controls",
    sentence: "forces to be chosen, each by name: `u = \"x\"` acts on `x`, or a table. A control may also occur in `[forces]` and in the rates of `[states]`. In a simulation a control is what its `law` says, zero without one, unless it starts from momenta",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        for entry in entries {
            let mut statement = ControlStatement { name: entry.name.clone(), ..ControlStatement::default() };
            reader.fill_entry(&entry, FIELDS, &mut statement);
            into.controls.push(statement);
        }
    },
};

const FIELDS: &[TableField<ControlStatement>] = &[
    field(
        "on",
        "what it acts on, coordinates or definitions of positions: `\"x\"`, `[\"x\", \"y\"]`, or gains `{ x = \"cos(th)\", y = \"sin(th)\" }`",
        |reader, entry, into| into.on = read_on(reader, entry),
    ),
    field("min", "its lower bound", |reader, entry, into| into.min = reader.series(entry)),
    field("max", "its upper bound", |reader, entry, into| into.max = reader.series(entry)),
    field(
        "shape",
        "how it goes through the steps of a grid: `constant` in each; `linear`, continuous and straight from node to node; or `polynomial`, with a value of its own at each quadrature node of a step (the default where there are states; else `constant`)",
        |reader, entry, into| {
            let unknown = |word: &str| format!("there is no shape `{word}` of a control");
            let found = reader.choice(entry, ControlShape::ALL, ControlShape::name, "there are", unknown);
            into.shape = found.map(|(shape, text)| (shape, text.span));
        },
    ),
    field(
        "rate",
        "bounds of its rate of change, `{ min = -1, max = 1 }`; such a control is `linear`",
        |reader, entry, into| into.rate = read_rate(reader, entry),
    ),
    field("guess", "where the search begins", |reader, entry, into| into.guess = reader.series(entry)),
    field(
        "law",
        "what it is in a simulation, where nothing is chosen: an expression of positions, velocities, entropies, states, time and parameters, such as a feedback `\"-k*x - d*x'\"` or a table `\"torque(t)\"`",
        |reader, entry, into| into.law = reader.series(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

const RATE: &[TableField<RateStatement>] = &[
    field("min", "the least rate", |reader, entry, into| into.min = reader.series(entry)),
    field("max", "the largest rate", |reader, entry, into| into.max = reader.series(entry)),
];

fn read_rate<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<RateStatement> {
    let entries = reader.table(entry)?;
    let mut rate = RateStatement { span: entry.value_span(), ..RateStatement::default() };
    if entries.is_empty() {
        let message = format!("{} has neither `min` nor `max`", entry.full_path());
        reader.problems.push(Diagnostic::error(Code::Missing, message).at(rate.span.clone(), ""));
    }
    reader.fill(entries, RATE, &mut rate);
    Some(rate)
}

/// `"x"`, `["x", "y"]`, or `{ x = "cos(th)", y = "sin(th)" }`.
fn read_on<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<GainStatement> {
    if !reader.is_table(entry) {
        let names = reader.strings(entry).unwrap_or_default();
        return names.into_iter().map(|on| GainStatement { on, gain: None }).collect();
    }
    let mut gains = Vec::new();
    for entry in reader.table(entry).unwrap_or_default() {
        if let Some(gain) = reader.scalar(&entry) {
            gains.push(GainStatement { on: reader.key(&entry), gain: Some(gain) });
        }
    }
    gains
}

/// Declares all controls; what they do is said by [`resolve`].
pub(crate) fn declare(resolver: &mut Resolver<'_, '_>, statements: &[ControlStatement]) -> Families {
    let mut families = Families::new(QuantityKind::Control);
    for (place, statement) in statements.iter().enumerate() {
        let name = &statement.name;
        if !resolver.admit(name, "control") {
            continue;
        }
        let bounds = statement.rate.iter().flat_map(|rate| [&rate.min, &rate.max]);
        let stated = [&statement.min, &statement.max, &statement.guess, &statement.law].into_iter().chain(bounds);
        let series = stated.flatten();
        let count = family_count(resolver, name, statement.count.as_ref(), series)
            .filter(|count| families.has_room(resolver, count.map_or(1, |count| count as usize), name));
        let symbols = |count: Option<i64>| {
            let names = (1..=count.unwrap_or(1)).map(|number| member_name(&name.text, count, number as usize));
            names.map(|name| resolver.graph.symbol(&name)).collect()
        };
        let is_linear = statement.shape() == Some(ControlShape::Linear);
        let control = |count| NameMeaning::Control { symbols: symbols(count), is_linear };
        let meaning = count.map_or(NameMeaning::Broken, control);
        let declared = Declaration { what: "control", meaning, count: count.flatten(), span: name.span.clone() };
        resolver.names.declare(&name.text, declared);
        if let Some(count) = count {
            let index = family_index(resolver, statement.index.as_ref(), name, count);
            families.push(name, place, count, index);
        }
    }
    families
}

/// What the declared controls do; `laws` replace those that are stated.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[ControlStatement],
    laws: &[(String, String)],
    families: &Families,
    coordinates: &Coordinates,
    definitions: &Definitions,
) -> Vec<Control> {
    let mut controls = Vec::with_capacity(families.members());
    if families.list.is_empty() {
        return controls;
    }
    let places = coordinates.list.iter().enumerate().map(|(place, coordinate)| (coordinate.position, place)).collect();
    let acted_on = ActedOn { coordinates, definitions, places };
    let members: HashSet<String> =
        families.list.iter().flat_map(|family| (0..family.len()).map(|position| family.member(position))).collect();
    for (name, law) in laws.iter().filter(|(name, _)| !members.contains(name)) {
        let message = format!("there is no control `{name}` that could be {law}");
        let help = help_for(name, "the controls are", members.iter().map(String::as_str));
        resolver.problems.push(Diagnostic::error(Code::UnknownOverride, message).maybe_help(help));
    }
    for family in &families.list {
        let statement = &statements[family.statement];
        let name = &family.name;
        let mut series = |series: &Option<ScalarSeries>, what| {
            initial(resolver, series.as_ref(), &family.index, name, family.count, what, &ExpressionPlace::BOUND)
        };
        let (min, max) = (series(&statement.min, "least value"), series(&statement.max, "greatest value"));
        let rate = statement.rate.as_ref();
        let slowest = rate.and_then(|rate| series(&rate.min, "least rate"));
        let fastest = rate.and_then(|rate| series(&rate.max, "greatest rate"));
        report_shape(resolver, statement);
        for position in 0..family.len() {
            let member = family.count.map(|_| (family.index.as_str(), position as i64 + 1));
            let name = family.member(position);
            let symbol = resolver.graph.symbol(&name).id();
            let gains = gains(resolver, statement, &acted_on, member, &name).unwrap_or_default();
            let guess = statement.guess.as_ref().and_then(|series| {
                let member = member.filter(|_| matches!(series, ScalarSeries::One(_)));
                Some(resolver.number(series.item(position)?, &ExpressionPlace::GUESS, member)?.id())
            });
            let given = laws.iter().rev().find(|(control, _)| *control == name);
            let law = match (given, &statement.law) {
                (Some((_, law)), _) => {
                    let scalar = Scalar::Text(SourceText::outside(law, family.name.span.clone()));
                    resolver.number(&scalar, &ExpressionPlace::LAW, None).map(|law| law.id())
                }
                (None, Some(series)) => {
                    let member = member.filter(|_| matches!(series, ScalarSeries::One(_)));
                    let scalar = series.item(position);
                    scalar.and_then(|law| Some(resolver.number(law, &ExpressionPlace::LAW, member)?.id()))
                }
                (None, None) => None,
            };
            let [min, max, slowest, fastest] =
                [&min, &max, &slowest, &fastest].map(|values| values.as_ref().map(|values| values[position]));
            let (shape, rate, span) = (statement.shape(), [slowest, fastest], family.name.span.clone());
            controls.push(Control { name, symbol, gains, min, max, shape, rate, guess, law, span });
        }
    }
    controls
}

/// Only a control that is linear has a rate.
fn report_shape(resolver: &mut Resolver<'_, '_>, statement: &ControlStatement) {
    if let (Some((shape, span)), Some(rate)) = (&statement.shape, &statement.rate)
        && *shape != ControlShape::Linear
    {
        let message = format!(
            "`{}` is {shape} in the steps and jumps between them, so that its rate has no bounds",
            statement.name.text
        );
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(span.clone(), "").at(rate.span.clone(), "");
        resolver.problems.push(diagnostic.help("leave out `shape`, or write shape = \"linear\""));
    }
}

/// What a control may act on.
struct ActedOn<'a> {
    coordinates: &'a Coordinates,
    definitions: &'a Definitions,
    /// The places of the coordinates by their symbols.
    places: HashMap<Id, usize>,
}

/// The coordinates a control acts on, with the gains; on a point, by virtual work, those that move it. `None` for an error.
fn gains(
    resolver: &mut Resolver<'_, '_>,
    statement: &ControlStatement,
    acted_on: &ActedOn<'_>,
    member: MemberNumber<'_>,
    name: &str,
) -> Option<Vec<(usize, Id)>> {
    let ActedOn { coordinates, definitions, places } = acted_on;
    let mut gains: Vec<(usize, Id)> = Vec::new();
    let mut seen = HashSet::new();
    let both = [&coordinates.families, &definitions.families];
    let targets = Targets(if definitions.list.is_empty() { &both[..1] } else { &both });
    for GainStatement { on, gain } in &statement.on {
        assignments::take_apart(resolver, on, targets, Primes::Refused)?;
        let coordinate = resolver.number(&Scalar::Text(on.clone()), &ExpressionPlace::ACTED_ON, member)?;
        let value = match gain {
            Some(scalar) => resolver.number(scalar, &ExpressionPlace::GAIN, member)?,
            None => resolver.graph.int(1),
        };
        let place = places.get(&coordinate.id());
        let acted = place.map_or(on.value.clone(), |_| coordinate.to_string());
        if !seen.insert(coordinate.id()) {
            let message = format!("the control `{name}` acts twice on `{acted}`");
            resolver.problems.push(Diagnostic::error(Code::DuplicateName, message).at(on.span.clone(), "here again"));
        }
        if value.is_zero() {
            let message = format!("the control `{name}` does not act on `{acted}`: its gain is zero");
            let span = gain.as_ref().map_or(on.span.clone(), Scalar::span);
            resolver.problems.push(Diagnostic::error(Code::IdleControl, message).at(span, ""));
        }
        match place {
            Some(place) => gains.push((*place, value.id())),
            None => {
                let moved = virtual_work::displacements(resolver, coordinate, places);
                if moved.is_empty() {
                    let message = format!("the control `{name}` acts on nothing: no coordinate moves `{acted}`");
                    resolver.problems.push(Diagnostic::error(Code::IdleControl, message).at(on.span.clone(), ""));
                }
                gains.extend(moved.into_iter().map(|(place, slope)| (place, (value * slope).id())));
            }
        }
    }
    Some(gains)
}

/// Forces with controls that nobody chooses, and with the controls in them.
pub(crate) struct ControlledForces {
    pub free: Vec<Id>,
    pub controlled: Vec<Id>,
}

/// Adds the controls to the forces that are stated, which may contain controls themselves.
pub(crate) fn apply(
    resolver: &mut Resolver<'_, '_>,
    controls: &[Control],
    stated: Vec<Id>,
    states: &States,
) -> ControlledForces {
    let graph = resolver.graph;
    if controls.is_empty() {
        return ControlledForces { free: stated.clone(), controlled: stated };
    }
    let forces = graph.exprs(&stated);
    let rates: Vec<Id> = states.list.iter().map(|state| state.controlled_rate).collect();
    report_idle(resolver, controls, &[&forces[..], &graph.exprs(&rates)].concat());
    let mut parts: Vec<Vec<Expr<'_>>> = forces.iter().map(|force| vec![*force]).collect();
    for control in controls {
        for (place, gain) in &control.gains {
            parts[*place].push(graph.expr(*gain) * graph.expr(control.symbol));
        }
    }
    let controlled: Vec<Expr<'_>> = parts.into_iter().map(|parts| graph.sum(parts)).collect();
    let free = graph.substitute(&controlled, &unchosen(graph, controls));
    let ids = |forces: Vec<Expr<'_>>| forces.iter().map(|force| force.id()).collect();
    ControlledForces { free: ids(free), controlled: ids(controlled) }
}

/// What controls are where nothing is chosen: their laws, or zero.
pub(crate) fn unchosen<'g>(graph: &'g Graph, controls: &[Control]) -> Vec<(Expr<'g>, Expr<'g>)> {
    let law = |control: &Control| control.law.map_or(graph.int(0), |law| graph.expr(law));
    controls.iter().map(|control| (graph.expr(control.symbol), law(control))).collect()
}

/// A control that neither acts on a coordinate nor occurs in a force or a rate does nothing.
fn report_idle(resolver: &mut Resolver<'_, '_>, controls: &[Control], driving: &[Expr<'_>]) {
    let used: HashSet<Id> = resolver.graph.free_symbols(driving).iter().map(|symbol| symbol.id()).collect();
    let idle = controls.iter().find(|control| control.gains.is_empty() && !used.contains(&control.symbol));
    // Where something else is wrong, it may be what the control should act on.
    if let (Some(control), 0) = (idle, resolver.problems.errors()) {
        let message = format!("the control `{}` acts on nothing", control.name);
        let help = format!(
            "say on which coordinate: {} = {{ on = \"x\" }}, or use it in [forces] or in the rate of a state",
            control.name
        );
        let diagnostic = Diagnostic::error(Code::IdleControl, message).at(control.span.clone(), "");
        resolver.problems.push(diagnostic.help(help));
    }
}

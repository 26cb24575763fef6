//! `[discretisation]`: the user's own finite-difference map, for the method `custom`.

use std::collections::HashMap;

use extremal_expr::{Expr, Graph, Id};

use super::ModelTable;
use super::assignments::{self, Assignment, Targets};
use super::coordinates::Coordinates;
use super::discrete::{end_symbols, report_collisions};
use super::entropies::Entropies;
use super::families::Families;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableEntry, TableField, TableReader, field, keys};
use crate::names::STEP;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// Where in a step from `x_0` to `x_1` of length `h`, that begins at time `t`, the Lagrangian and the forces are taken.
#[derive(Clone, Debug)]
pub struct Discretisation {
    /// One place, or several over which the mean is taken.
    pub nodes: Vec<DifferenceNode>,
    /// The symbols of both ends of a step.
    pub ends: StepEnds,
}

/// One finite-difference map.
#[derive(Clone, Debug)]
pub struct DifferenceNode {
    /// Its weight in the mean, an expression of parameters.
    pub weight: Id,
    /// The positions there, one per coordinate.
    pub position: Vec<Id>,
    /// The velocities there, one per coordinate.
    pub velocity: Vec<Id>,
    /// The entropies there.
    pub entropy: Vec<Id>,
    /// Their rates.
    pub rate: Vec<Id>,
    /// The time there.
    pub time: Id,
}

/// The symbols of both ends of a step, and of its length.
#[derive(Clone, Debug)]
pub struct StepEnds {
    /// The symbols `x_0`, one per coordinate.
    pub before: Vec<Id>,
    /// The symbols `x_1`, one per coordinate.
    pub after: Vec<Id>,
    /// The symbols `S_0`, one per entropy.
    pub entropies_before: Vec<Id>,
    /// The symbols `S_1`, one per entropy.
    pub entropies_after: Vec<Id>,
    /// The symbol `h`.
    pub step: Id,
}

impl StepEnds {
    pub(super) fn of(graph: &Graph, coordinates: &Families, entropies: &Families) -> StepEnds {
        StepEnds {
            // The later ones first: differences then read with a leading plus.
            after: end_symbols(graph, coordinates, "_1"),
            before: end_symbols(graph, coordinates, "_0"),
            entropies_after: end_symbols(graph, entropies, "_1"),
            entropies_before: end_symbols(graph, entropies, "_0"),
            step: graph.symbol(STEP).id(),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct DiscretisationStatement {
    pub span: Span,
    map: MapStatement,
    nodes: Vec<MapStatement>,
}

/// One map as written.
#[derive(Debug, Default)]
struct MapStatement {
    span: Span,
    weight: Option<Scalar>,
    position: Vec<Assignment>,
    velocity: Vec<Assignment>,
    entropy: Vec<Assignment>,
    rate: Vec<Assignment>,
    time: Option<Scalar>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "discretisation",
    sentence: "the method `custom` by a finite-difference map of your own: where in a step the Lagrangian, the forces and the entropy balance are taken, in `x_0`, `x_1`, `h`, the time `t` at the beginning of the step, and parameters. What is not stated is taken as `midpoint` does",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let span = table.name.span.clone();
        let mut statement = DiscretisationStatement { span: span.clone(), ..DiscretisationStatement::default() };
        let stated = reader.fill(entries, FIELDS, &mut statement);
        if stated.len() > 1 && stated.contains(&"nodes") {
            let diagnostic = Diagnostic::error(Code::Conflict, "[discretisation] has `nodes` and a place beside them");
            reader.problems.push(diagnostic.at(span, "").help("state each place in `nodes`"));
        }
        statement.map.span = statement.span.clone();
        into.discretisation = Some(statement);
    },
};

const FIELDS: &[TableField<DiscretisationStatement>] = &[
    field("position", "the position, by coordinate: `(x_0 + x_1)/2` if not stated", |reader, entry, into| {
        into.map.position = assignments::read_table(reader, entry);
    }),
    field("velocity", "the velocity, by coordinate: `(x_1 - x_0)/h` if not stated", |reader, entry, into| {
        into.map.velocity = assignments::read_table(reader, entry);
    }),
    field("entropy", "the entropy, of `S_0` and `S_1`: `(S_0 + S_1)/2` if not stated", |reader, entry, into| {
        into.map.entropy = assignments::read_table(reader, entry);
    }),
    field("rate", "the rate of the entropy: `(S_1 - S_0)/h` if not stated", |reader, entry, into| {
        into.map.rate = assignments::read_table(reader, entry);
    }),
    field("time", "the time: `t + h/2` if not stated", |reader, entry, into| into.map.time = reader.scalar(entry)),
    field(
        "nodes",
        "several such places instead of one, each with its part in the mean: `[{ weight = 0.5, position = { x = \"x_0\" }, time = \"t\" }, ...]`",
        |reader, entry, into| into.nodes = read_nodes(reader, entry),
    ),
];

const NODE: &[TableField<MapStatement>] = &[
    field("weight", "its part in the mean", |reader, entry, into| into.weight = reader.scalar(entry)),
    field("position", "the position, by coordinate", |reader, entry, into| {
        into.position = assignments::read_table(reader, entry);
    }),
    field("velocity", "the velocity, by coordinate", |reader, entry, into| {
        into.velocity = assignments::read_table(reader, entry);
    }),
    field("entropy", "the entropy", |reader, entry, into| into.entropy = assignments::read_table(reader, entry)),
    field("rate", "the rate of the entropy", |reader, entry, into| into.rate = assignments::read_table(reader, entry)),
    field("time", "the time", |reader, entry, into| into.time = reader.scalar(entry)),
];

fn read_nodes<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<MapStatement> {
    let items = reader.list(entry);
    let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
    let mut nodes = Vec::new();
    for item in items {
        let mut node = MapStatement { span: item.value_span(), ..MapStatement::default() };
        if let Some(entries) = reader.table(item) {
            reader.fill(entries, NODE, &mut node);
            nodes.push(node);
        }
    }
    nodes
}

/// `starts` are the positions and entropies at the start, by name, as far as they are known.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscretisationStatement,
    coordinates: &Coordinates,
    entropies: &Entropies,
    starts: &HashMap<String, f64>,
) -> Option<Discretisation> {
    report_collisions(resolver, ("discretisation", &statement.span), &coordinates.families, "a position");
    report_collisions(resolver, ("discretisation", &statement.span), &entropies.families, "a value");
    let ends = StepEnds::of(resolver.graph, &coordinates.families, &entropies.families);
    let stated = if statement.nodes.is_empty() { std::slice::from_ref(&statement.map) } else { &statement.nodes };
    let nodes: Vec<Option<DifferenceNode>> =
        stated.iter().map(|node| resolve_node(resolver, node, coordinates, entropies, &ends)).collect();
    let nodes: Vec<DifferenceNode> = nodes.into_iter().collect::<Option<_>>()?;
    let graph = resolver.graph;
    let whole = resolver.evaluate(graph.sum(nodes.iter().map(|node| graph.expr(node.weight))));
    if (whole - 1.0).abs() > CONSISTENT || whole.is_nan() {
        let message = format!("the weights of the nodes sum to {whole}, not to 1");
        resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(statement.span.clone(), ""));
    }
    let map = Discretisation { nodes, ends };
    let values = |list: &[String]| -> Option<Vec<f64>> { list.iter().map(|name| starts.get(name).copied()).collect() };
    let moving: Vec<String> = coordinates.list.iter().map(|c| c.name.clone()).collect();
    let heated: Vec<String> = entropies.list.iter().map(|s| s.name.clone()).collect();
    if let (Some(q), Some(s)) = (values(&moving), values(&heated)) {
        for (node, stated) in map.nodes.iter().zip(stated) {
            map.check(node, resolver, &stated.span, (&moving, &q), (&heated, &s));
        }
    }
    Some(map)
}

fn resolve_node(
    resolver: &mut Resolver<'_, '_>,
    statement: &MapStatement,
    coordinates: &Coordinates,
    entropies: &Entropies,
    ends: &StepEnds,
) -> Option<DifferenceNode> {
    let graph = resolver.graph;
    let h = graph.expr(ends.step);
    let errors = resolver.problems.errors();
    let mean = |a: Id, b: Id| ((graph.expr(a) + graph.expr(b)) / 2).id();
    let slope = |a: Id, b: Id| ((graph.expr(b) - graph.expr(a)) / h).id();
    let weight = match &statement.weight {
        Some(scalar) => resolver.number(scalar, &ExpressionPlace::SETTING, None)?,
        None => graph.int(1),
    };
    let mut stated = |list: &[Assignment], families: &Families, place: &ExpressionPlace| {
        assignments::resolve(resolver, list, Targets(&[families]), place)
    };
    let (moving, heated) = (&coordinates.families, &entropies.families);
    let position = stated(&statement.position, moving, &ExpressionPlace::DIFFERENCE_MAP);
    let velocity = stated(&statement.velocity, moving, &ExpressionPlace::DIFFERENCE_MAP);
    let entropy = stated(&statement.entropy, heated, &ExpressionPlace::ENTROPY_MAP);
    let rate = stated(&statement.rate, heated, &ExpressionPlace::ENTROPY_MAP);
    let time = match &statement.time {
        Some(scalar) => resolver.number(scalar, &ExpressionPlace::DIFFERENCE_TIME, None)?,
        None => resolver.names.time() + h / 2,
    };
    if resolver.problems.errors() > errors {
        return None;
    }
    let filled = |values: Vec<Option<Expr<'_>>>, (before, after): (&[Id], &[Id]), otherwise: &dyn Fn(Id, Id) -> Id| {
        let ends = before.iter().zip(after);
        let each = values.into_iter().zip(ends);
        each.map(|(value, (a, b))| value.map_or_else(|| otherwise(*a, *b), |value| value.id())).collect::<Vec<Id>>()
    };
    let (moved, warmed) =
        ((&ends.before[..], &ends.after[..]), (&ends.entropies_before[..], &ends.entropies_after[..]));
    Some(DifferenceNode {
        weight: weight.id(),
        position: filled(position, moved, &mean),
        velocity: filled(velocity, moved, &slope),
        entropy: filled(entropy, warmed, &mean),
        rate: filled(rate, warmed, &slope),
        time: time.id(),
    })
}

/// A step that tests the map: any number of no special kind.
const TRIED: f64 = 0.078125;
/// Values and slopes of a map typed with some digits.
const CONSISTENT: f64 = 1e-9;

impl Discretisation {
    /// A finite-difference map leads from equal ends to that point at rest, and its velocity grows with the difference of the ends
    /// over h. Looked at where the motion starts.
    fn check(
        &self,
        node: &DifferenceNode,
        resolver: &mut Resolver<'_, '_>,
        span: &Span,
        (moving, q): (&[String], &[f64]),
        (heated, s): (&[String], &[f64]),
    ) {
        let graph = resolver.graph;
        let h = graph.expr(self.ends.step);
        let mut known: HashMap<String, f64> = HashMap::new();
        let ends = [
            (&self.ends.before, q),
            (&self.ends.after, q),
            (&self.ends.entropies_before, s),
            (&self.ends.entropies_after, s),
        ];
        for (symbols, values) in ends {
            let named = graph.exprs(symbols).into_iter().zip(values);
            known.extend(named.filter_map(|(symbol, value)| Some((symbol.as_symbol()?.to_string(), *value))));
        }
        known.extend([(STEP.to_owned(), TRIED), (resolver.names.independent().to_owned(), 0.0)]);
        let kinds = [
            (&node.position, &node.velocity, &self.ends.after, moving, q, "position", "velocity"),
            (&node.entropy, &node.rate, &self.ends.entropies_after, heated, s, "entropy", "rate"),
        ];
        for (base, speed, after, names, values, base_name, speed_name) in kinds {
            let (base, speed, after) = (graph.exprs(base), graph.exprs(speed), graph.exprs(after));
            for (k, name) in names.iter().enumerate() {
                let slopes = graph.gradient(speed[k], &after);
                let looked: Vec<Expr<'_>> =
                    [base[k], speed[k]].into_iter().chain(slopes.into_iter().map(|slope| slope * h)).collect();
                let numbers =
                    graph.evaluate(&looked, |name| known.get(name).or_else(|| resolver.values.get(name)).copied());
                let off = |found: f64, wanted: f64| {
                    (found - wanted).abs() > CONSISTENT * (1.0 + wanted.abs()) || found.is_nan()
                };
                let wrong_slope = (0..names.len()).find(|j| off(numbers[2 + j], if *j == k { 1.0 } else { 0.0 }));
                let message = match wrong_slope {
                    _ if off(numbers[0], values[k]) => format!(
                        "the {base_name} of `{name}` is {} where both ends of the step are {}",
                        numbers[0], values[k]
                    ),
                    _ if off(numbers[1], 0.0) => {
                        format!(
                            "the {speed_name} of `{name}` is {} where both ends of the step are the same",
                            numbers[1]
                        )
                    }
                    Some(j) => format!(
                        "the {speed_name} of `{name}` grows {} times as fast as the difference of `{}` over `h`",
                        numbers[2 + j],
                        names[j]
                    ),
                    None => continue,
                };
                let diagnostic = Diagnostic::error(Code::NoDifferenceMap, message).at(span.clone(), "");
                resolver.problems.push(diagnostic.help(
                    "for equal ends a finite-difference map gives that point at rest, and for ends h x' apart the velocity x', \
                     as (x_0 + x_1)/2 and (x_1 - x_0)/h do",
                ));
            }
        }
    }
}

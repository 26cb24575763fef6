//! `[discrete]`: the user's own discrete Lagrangian, forces, entropy rules and constraints, for the method `custom`.

use std::collections::HashSet;

use extremal_expr::{Graph, Id};

use super::ModelTable;
use super::assignments::{self, Assignment, Primes, Targets};
use super::constraints::Constraints;
use super::coordinates::Coordinates;
use super::discretisation::StepEnds;
use super::entropies::Entropies;
use super::families::{Families, member_name};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver, with_article};

/// A discrete Lagrangian with its forces, over one step from `x_0` to `x_1` of length `h` that begins at time `t`, or over two steps
/// to `x_2`.
#[derive(Clone, Debug)]
pub struct Discrete {
    /// The action over the step.
    pub lagrangian: Id,
    /// The force at the beginning, one per coordinate.
    pub force_minus: Vec<Id>,
    /// The force at the end, one per coordinate.
    pub force_plus: Vec<Id>,
    /// Expressions that vanish over a step, one per entropy: they determine the entropies at its end.
    pub entropy_rules: Vec<Id>,
    /// Expressions that vanish over a step, one per constraint, `None` where the discrete form of the method is kept.
    pub constraints: Vec<Option<Id>>,
    /// What a node with controls costs, in the positions before, at and after it.
    pub cost: Option<Id>,
    /// Does the Lagrangian or a constraint reach over two steps?
    pub three_points: bool,
    /// The positions that a motion over three points starts from, one step after the other: none or four of them.
    pub points: Vec<Vec<Id>>,
    /// The multipliers it starts from, per constraint: none, or those of the first two constraints over three points.
    pub multipliers: Vec<Vec<Id>>,
    /// The symbols of both ends of a step.
    pub ends: StepEnds,
    /// The symbols `x_2`, one per coordinate.
    pub third: Vec<Id>,
}

/// Four positions in a row make a state of a motion over three points.
const POINTS: usize = 4;
/// Multipliers of each constraint that belong to them.
const MULTIPLIERS: usize = 2;

#[derive(Debug, Default)]
pub(crate) struct DiscreteStatement {
    pub span: Span,
    pub lagrangian: Option<Scalar>,
    pub force_minus: Vec<Assignment>,
    pub force_plus: Vec<Assignment>,
    pub entropy: Vec<Assignment>,
    pub constraints: Vec<Assignment>,
    pub cost: Option<Scalar>,
    pub points: Option<StatedPoints>,
    pub multipliers: Option<StatedPoints>,
}

/// A list of tables with a value for each of some quantities.
#[derive(Debug)]
pub(crate) struct StatedPoints {
    span: Span,
    list: Vec<(Span, Vec<Assignment>)>,
}

impl StatedPoints {
    fn read<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> StatedPoints {
        let items = reader.list(entry);
        let items = items.as_deref().unwrap_or(std::slice::from_ref(entry));
        let list = items.iter().map(|item| (item.value_span(), assignments::read_table(reader, item))).collect();
        StatedPoints { span: entry.value_span(), list }
    }
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "discrete",
    sentence: "the method `custom`: a discrete system of your own, in `x_0`, `x_1`, `S_0`, `S_1`, `h`, the time `t` at the beginning of the step, and parameters; for a Lagrangian with accelerations over three points, also in `x_2`",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        let span = table.name.span.clone();
        let mut statement = DiscreteStatement { span: span.clone(), ..DiscreteStatement::default() };
        if !reader.fill(entries, FIELDS, &mut statement).contains(&"lagrangian") {
            let help =
                "write the action over one step with `x_0`, `x_1` and `h`: lagrangian = \"m*(x_1 - x_0)^2/(2*h)\"";
            let diagnostic = Diagnostic::error(Code::Missing, "[discrete] has no Lagrangian");
            reader.problems.push(diagnostic.at(span, "`lagrangian = \"...\"` is missing").help(help));
        }
        into.discrete = Some(statement);
    },
};

const FIELDS: &[TableField<DiscreteStatement>] = &[
    field("lagrangian", "the action over one step", |reader, entry, into| into.lagrangian = reader.scalar(entry)),
    field("force_minus", "the discrete force at the beginning of the step, by coordinate", |reader, entry, into| {
        into.force_minus = assignments::read_table(reader, entry)
    }),
    field("force_plus", "the discrete force at the end of the step, by coordinate", |reader, entry, into| {
        into.force_plus = assignments::read_table(reader, entry);
    }),
    field("entropy", "what vanishes, by entropy", |reader, entry, into| {
        into.entropy = assignments::read_table(reader, entry);
    }),
    field(
        "constraints",
        "an equation by constraint, instead of that of the method; of a vakonomic one the difference of its sides is added to the action, times the multiplier of the step",
        |reader, entry, into| into.constraints = assignments::read_table(reader, entry),
    ),
    field(
        "cost",
        "what each inner node of a control problem costs, of the positions `x_0`, `x_1`, `x_2` before, at and after it and of the controls there; `h` times the running cost if not stated",
        |reader, entry, into| into.cost = reader.scalar(entry),
    ),
    field(
        "points",
        "for `start = \"points\"`: the first four positions of a motion over three points, `[{ x = 0 }, { x = \"h\" }, ...]`",
        |reader, entry, into| into.points = Some(StatedPoints::read(reader, entry)),
    ),
    field(
        "multipliers",
        "for the same: the first two multipliers of each vakonomic constraint, `[{ c = 0.1 }, { c = 0.2 }]`, 0 if not stated",
        |reader, entry, into| into.multipliers = Some(StatedPoints::read(reader, entry)),
    ),
];

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    coordinates: &Coordinates,
    entropies: &Entropies,
    constraints: &Constraints,
) -> Option<Discrete> {
    report_collisions(resolver, ("discrete", &statement.span), &coordinates.families, "a position");
    report_collisions(resolver, ("discrete", &statement.span), &entropies.families, "a value");
    let moving = [&coordinates.families];
    let mut forces = |stated: &[Assignment]| {
        assignments::resolve_or_zero(resolver, stated, Targets(&moving), &ExpressionPlace::DISCRETE)
    };
    let force_minus = forces(&statement.force_minus);
    let force_plus = forces(&statement.force_plus);
    let entropy_rules = entropy_rules(resolver, statement, entropies);
    let graph = resolver.graph;
    let after = end_symbols(graph, &coordinates.families, "_1");
    let rows = discrete_constraints(resolver, &statement.constraints, constraints, &after);
    let lagrangian = resolver.number(statement.lagrangian.as_ref()?, &ExpressionPlace::DISCRETE, None)?;
    let third = end_symbols(graph, &coordinates.families, "_2");
    let reaching: Vec<_> = [lagrangian].into_iter().chain(rows.iter().flatten().map(|row| graph.expr(*row))).collect();
    let three_points = graph.depend_on(&reaching, &graph.exprs(&third)).contains(&true);
    if three_points {
        refuse_over_three(resolver, statement, &[&force_minus, &force_plus], entropies);
    }
    let cost = statement.cost.as_ref().map(|scalar| resolver.number(scalar, &ExpressionPlace::DISCRETE_COST, None));
    let points = stated_points(resolver, statement.points.as_ref(), &coordinates.families, (POINTS, "positions"), true);
    let kept = (MULTIPLIERS, "multipliers of each constraint");
    let multipliers = stated_points(resolver, statement.multipliers.as_ref(), &constraints.families, kept, false);
    Some(Discrete {
        lagrangian: lagrangian.id(),
        force_minus,
        force_plus,
        entropy_rules: entropy_rules?,
        constraints: rows,
        cost: cost.flatten().map(|cost| cost.id()),
        three_points,
        points: points?,
        multipliers: multipliers?,
        third,
        ends: StepEnds::of(graph, &coordinates.families, &entropies.families),
    })
}

/// What has no meaning beside a Lagrangian over three points.
fn refuse_over_three(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    forces: &[&Vec<Id>],
    entropies: &Entropies,
) {
    let pushed = forces.iter().flat_map(|force| force.iter()).any(|force| !resolver.graph.expr(*force).is_zero());
    let what = match (pushed, entropies.list.is_empty()) {
        (true, _) => "discrete forces",
        (_, false) => "entropies",
        _ => return,
    };
    let message = format!("{what} are not defined beside a discrete Lagrangian over three points");
    resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(statement.span.clone(), "`x_2` occurs here"));
}

/// The values of each table of a list; none if there is no list, `None` after an error. In a `whole` list nothing may be missing.
fn stated_points(
    resolver: &mut Resolver<'_, '_>,
    stated: Option<&StatedPoints>,
    families: &Families,
    (count, what): (usize, &str),
    whole: bool,
) -> Option<Vec<Vec<Id>>> {
    let Some(stated) = stated else { return Some(Vec::new()) };
    let zero = resolver.graph.int(0).id();
    if stated.list.len() != count {
        let message = format!("a motion over three points starts from {count} {what}, not from {}", stated.list.len());
        resolver.problems.push(Diagnostic::error(Code::WrongLength, message).at(stated.span.clone(), ""));
        return None;
    }
    let mut all = Vec::new();
    let before = resolver.problems.errors();
    for (span, values) in &stated.list {
        let errors = resolver.problems.errors();
        let values = assignments::resolve(resolver, values, Targets(&[families]), &ExpressionPlace::POINT);
        let missing = values.iter().position(Option::is_none).filter(|_| whole && resolver.problems.errors() == errors);
        if let Some(family) = missing.and_then(|place| families.of_member(place)) {
            let message = format!("the position of `{}` is missing", family.name.text);
            resolver.problems.push(Diagnostic::error(Code::Missing, message).at(span.clone(), ""));
        }
        all.push(values.into_iter().map(|value| value.map_or(zero, |value| value.id())).collect());
    }
    (resolver.problems.errors() == before).then_some(all)
}

/// The symbols of all members at an end of a step.
pub(super) fn end_symbols(graph: &Graph, families: &Families, end: &str) -> Vec<Id> {
    let members = families.list.iter().flat_map(|family| {
        let name = format!("{}{end}", family.name.text);
        (1..=family.len()).map(move |number| graph.symbol(&member_name(&name, family.count, number)).id())
    });
    members.collect()
}

/// One rule per entropy; `None` if one is missing.
fn entropy_rules(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    entropies: &Entropies,
) -> Option<Vec<Id>> {
    let errors = resolver.problems.errors();
    let heated = [&entropies.families];
    let rules = assignments::resolve(resolver, &statement.entropy, Targets(&heated), &ExpressionPlace::DISCRETE);
    let missing = rules.iter().position(Option::is_none).filter(|_| resolver.problems.errors() == errors);
    if let Some(place) = missing {
        let name = &entropies.list[place].name;
        let message = format!("[discrete] has no rule for the entropy `{name}`");
        let help = "[discrete.entropy] with an expression that vanishes over each step, for instance S = \"S_1 - S_0\"";
        let diagnostic = Diagnostic::error(Code::Missing, message).at(statement.span.clone(), "");
        resolver.problems.push(diagnostic.help(format!("add {help}")));
    }
    rules.into_iter().map(|rule| rule.map(|rule| rule.id())).collect()
}

/// One expression per constraint that has its own discrete equation.
fn discrete_constraints(
    resolver: &mut Resolver<'_, '_>,
    stated: &[Assignment],
    constraints: &Constraints,
    after: &[Id],
) -> Vec<Option<Id>> {
    let mut values = vec![None; constraints.list.len()];
    let families = [&constraints.families];
    let after: HashSet<Id> = after.iter().copied().collect();
    for Assignment { key, value } in stated {
        let Some(chosen) = assignments::chosen(resolver, key, &[value], Targets(&families), Primes::Refused) else {
            continue;
        };
        let found = chosen.each(resolver, value, |resolver, scalar, member| one_step(resolver, scalar, member, &after));
        for ((place, _), vanishing) in chosen.places.iter().zip(found.unwrap_or_default()) {
            if values[*place].replace(vanishing).is_some() {
                assignments::report_twice(resolver, key, Targets(&families), *place);
                break;
            }
        }
    }
    values
}

/// The difference of both sides, which must bind where the step ends.
fn one_step(
    resolver: &mut Resolver<'_, '_>,
    scalar: &Scalar,
    member: MemberNumber<'_>,
    after: &HashSet<Id>,
) -> Option<Id> {
    let (left, right) = resolver.equation(scalar, &ExpressionPlace::DISCRETE_CONSTRAINT, member)?;
    let difference = left - right;
    let symbols = resolver.graph.free_symbols(&[difference]);
    // Where a name is in error, it may stand for such a position.
    if resolver.problems.errors() == 0 && !symbols.iter().any(|symbol| after.contains(&symbol.id())) {
        let message = "the discrete constraint does not contain the end of the step";
        let diagnostic =
            Diagnostic::error(Code::EmptyConstraint, message).at(scalar.span(), "no position `x_1` remains");
        resolver.problems.push(diagnostic);
        return None;
    }
    Some(difference.id())
}

/// `x_0` and `x_1` must not mean something else already.
pub(super) fn report_collisions(
    resolver: &mut Resolver<'_, '_>,
    (table, span): (&str, &Span),
    families: &Families,
    what: &'static str,
) {
    for family in &families.list {
        for name in ["_0", "_1"].map(|end| format!("{}{end}", family.name.text)) {
            let Some(other) = resolver.names.get(&name) else { continue };
            let other_is = with_article(other.what);
            let message = format!("`{name}` is {other_is}, and in [{table}] it is {what} of `{}`", family.name.text);
            let diagnostic = Diagnostic::error(Code::DuplicateName, message)
                .at(other.span.clone(), "rename this")
                .at(span.clone(), "or remove this table");
            resolver.problems.push(diagnostic);
        }
    }
}

//! `[discrete]`: the user's own discrete Lagrangian, forces, entropy rules and constraints, for the method `custom`.

use std::collections::HashSet;

use extremal_expr::Id;

use super::ModelTable;
use super::assignments::{self, Assignment, Primes, Targets};
use super::constraints::Constraints;
use super::coordinates::Coordinates;
use super::entropies::Entropies;
use super::families::{Families, member_name};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableField, field, keys};
use crate::names::STEP;
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver, with_article};

/// A discrete Lagrangian with its forces, over one step from `x_0` to `x_1` of length `h` that begins at time `t`.
#[derive(Clone, Debug)]
pub struct Discrete {
    /// The action over the step.
    pub lagrangian: Id,
    /// The force at the beginning, one per coordinate.
    pub force_minus: Vec<Id>,
    /// The force at the end, one per coordinate.
    pub force_plus: Vec<Id>,
    /// The symbols `x_0`, one per coordinate.
    pub before: Vec<Id>,
    /// The symbols `x_1`, one per coordinate.
    pub after: Vec<Id>,
    /// Expressions that vanish over a step, one per entropy: they determine the entropies at its end.
    pub entropy_rules: Vec<Id>,
    /// Expressions that vanish over a step, one per constraint, `None` where the discrete form of the method is kept.
    pub constraints: Vec<Option<Id>>,
    /// The symbols `S_0`, one per entropy.
    pub entropies_before: Vec<Id>,
    /// The symbols `S_1`, one per entropy.
    pub entropies_after: Vec<Id>,
    /// The symbol `h`.
    pub step: Id,
}

#[derive(Debug, Default)]
pub(crate) struct DiscreteStatement {
    pub span: Span,
    pub lagrangian: Option<Scalar>,
    pub force_minus: Vec<Assignment>,
    pub force_plus: Vec<Assignment>,
    pub entropy: Vec<Assignment>,
    pub constraints: Vec<Assignment>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "discrete",
    sentence: "the method `custom`: a discrete system of your own, in `x_0`, `x_1`, `S_0`, `S_1`, `h`, the time `t` at the beginning of the step, and parameters",
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
        "an equation by constraint, instead of that of the method; of a vakonomic one it stands for the constraint in the action",
        |reader, entry, into| into.constraints = assignments::read_table(reader, entry),
    ),
];

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    coordinates: &Coordinates,
    entropies: &Entropies,
    constraints: &Constraints,
) -> Option<Discrete> {
    report_collisions(resolver, statement, &coordinates.families, "a position");
    report_collisions(resolver, statement, &entropies.families, "a value");
    let moving = [&coordinates.families];
    let mut forces = |stated: &[Assignment]| {
        assignments::resolve_or_zero(resolver, stated, Targets(&moving), &ExpressionPlace::DISCRETE)
    };
    let force_minus = forces(&statement.force_minus);
    let force_plus = forces(&statement.force_plus);
    let entropy_rules = entropy_rules(resolver, statement, entropies);
    let graph = resolver.graph;
    let ends = |families: &Families, end: &str| -> Vec<Id> {
        let members = families.list.iter().flat_map(|family| {
            let name = format!("{}{end}", family.name.text);
            (1..=family.len()).map(move |number| graph.symbol(&member_name(&name, family.count, number)).id())
        });
        members.collect()
    };
    let after = ends(&coordinates.families, "_1");
    let constraints = discrete_constraints(resolver, &statement.constraints, constraints, &after);
    let lagrangian = resolver.number(statement.lagrangian.as_ref()?, &ExpressionPlace::DISCRETE, None)?;
    Some(Discrete {
        lagrangian: lagrangian.id(),
        force_minus,
        force_plus,
        before: ends(&coordinates.families, "_0"),
        after,
        entropy_rules: entropy_rules?,
        constraints,
        entropies_before: ends(&entropies.families, "_0"),
        entropies_after: ends(&entropies.families, "_1"),
        step: graph.symbol(STEP).id(),
    })
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
fn report_collisions(
    resolver: &mut Resolver<'_, '_>,
    statement: &DiscreteStatement,
    families: &Families,
    what: &'static str,
) {
    for family in &families.list {
        for name in ["_0", "_1"].map(|end| format!("{}{end}", family.name.text)) {
            let Some(other) = resolver.names.get(&name) else { continue };
            let other_is = with_article(other.what);
            let message = format!("`{name}` is {other_is}, and in [discrete] it is {what} of `{}`", family.name.text);
            let diagnostic = Diagnostic::error(Code::DuplicateName, message)
                .at(other.span.clone(), "rename this")
                .at(statement.span.clone(), "or remove this table");
            resolver.problems.push(diagnostic);
        }
    }
}

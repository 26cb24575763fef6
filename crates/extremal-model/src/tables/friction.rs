//! `[friction]`: forces whose power becomes heat, and which entropies it heats.

use extremal_expr::{Expr, Id};

use super::ModelTable;
use super::assignments::{self, Targets};
use super::coordinates::Coordinates;
use super::entropies::Entropies;
use super::jumps;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// A friction force on one coordinate, and the entropies its power heats.
#[derive(Clone, Debug)]
pub struct FrictionTerm {
    /// Which coordinate, by its place in [`Model::coordinates`](crate::Model::coordinates).
    pub coordinate: usize,
    /// The force, an expression of positions, velocities, entropies, time and parameters.
    pub force: Id,
    /// Entropies, by their places in [`Model::entropies`](crate::Model::entropies), and the share of the power that heats each:
    /// expressions of parameters that sum to 1. Empty in a model without entropies.
    pub shares: Vec<(usize, Id)>,
}

/// A dry friction: a force of any value up to a bound while the contact sticks, and of this value against the motion while it slides.
#[derive(Clone, Debug)]
pub struct DryFriction {
    /// The coordinate it is stated for, by its place in [`Model::coordinates`](crate::Model::coordinates).
    pub coordinate: usize,
    /// The velocity with which the contact slides: affine in the velocities, that of the coordinate unless stated otherwise.
    pub along: Id,
    /// The largest force while it slides, which is the force then.
    pub bound: Id,
    /// The largest force while it sticks, where that is another one.
    pub holding: Option<Id>,
    /// Entropies and the share of the heat that each of them gets, as for a [`FrictionTerm`].
    pub shares: Vec<(usize, Id)>,
}

/// `x = "-c*x'"`, `x = { force = "-c*x'", heats = "S" }`, or a list of such tables.
#[derive(Debug)]
pub(crate) struct FrictionStatement {
    pub key: SourceText,
    terms: Vec<TermStatement>,
}

#[derive(Debug, Default)]
struct TermStatement {
    force: Option<ScalarSeries>,
    dry: Option<ScalarSeries>,
    /// `static = "..."`.
    holding: Option<ScalarSeries>,
    along: Option<ScalarSeries>,
    heats: Option<HeatsStatement>,
    /// A key that only a dry friction has.
    needs_dry: Option<Name>,
    /// Where the term is stated.
    span: Span,
}

/// `heats = "S1"` or `heats = { S1 = 0.5, S2 = "1 - a" }`.
#[derive(Debug)]
pub(super) enum HeatsStatement {
    One(SourceText),
    Shares {
        shares: Vec<(SourceText, Scalar)>,
        span: Span,
    },
    /// In error, which has been reported.
    Broken(Span),
}

impl HeatsStatement {
    pub fn span(&self) -> Span {
        match self {
            HeatsStatement::One(text) => text.span.clone(),
            HeatsStatement::Shares { span, .. } | HeatsStatement::Broken(span) => span.clone(),
        }
    }
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "friction",
    sentence: "forces whose power becomes heat, each by its coordinate: `x = \"-c*x'\"`, a table, or a list of tables",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.friction = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

/// What is said of the key `heats` of a friction.
pub(super) const HEATS: &str = "which entropy it heats, or the shares of several: `{ body = 0.75, bath = 0.25 }`";

const FIELDS: &[TableField<TermStatement>] = &[
    field("force", "the force, an expression", |reader, entry, into| into.force = reader.series(entry)),
    field(
        "dry",
        "dry friction: the largest force of the contact, an expression that may use multipliers of constraints",
        |reader, entry, into| into.dry = reader.series(entry),
    ),
    field("static", "the same while the contact sticks", |reader, entry, into| {
        into.needs_dry = Some(entry.name.clone());
        into.holding = reader.series(entry);
    }),
    field(
        "along",
        "the velocity with which the contact slides, affine in velocities, where it is not that of the coordinate",
        |reader, entry, into| {
            into.needs_dry = Some(entry.name.clone());
            into.along = reader.series(entry);
        },
    ),
    field("heats", HEATS, |reader, entry, into| into.heats = Some(read_heats(reader, entry))),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> FrictionStatement {
    let terms = match reader.list(entry) {
        None if reader.is_table(entry) => vec![read_term(reader, entry)],
        Some(items) if items.iter().any(|item| reader.is_table(item)) => {
            items.iter().map(|item| read_term(reader, item)).collect()
        }
        _ => vec![TermStatement { force: reader.series(entry), ..TermStatement::at(entry.value_span()) }],
    };
    FrictionStatement { key: reader.key(entry), terms }
}

fn read_term<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> TermStatement {
    let mut statement = TermStatement::at(entry.value_span());
    let Some(entries) = reader.table(entry) else { return statement };
    let stated = reader.fill(entries, FIELDS, &mut statement);
    let is_dry = stated.contains(&"dry");
    if !stated.contains(&"force") && !is_dry {
        let message = format!("the friction on `{}` has no force", entry.name.text);
        let label = "`force = \"...\"` is missing, or `dry = \"...\"`, the bound of a dry friction";
        reader.problems.push(Diagnostic::error(Code::Missing, message).at(entry.value_span(), label));
    } else if let (false, Some(key)) = (is_dry, &statement.needs_dry) {
        let message = format!("`{}` belongs to a dry friction", key.text);
        let diagnostic = Diagnostic::error(Code::Missing, message).at(key.span.clone(), "");
        reader.problems.push(diagnostic.help("state its bound: dry = \"mu*m*g\""));
    }
    statement
}

pub(super) fn read_heats<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> HeatsStatement {
    let span = entry.value_span();
    if !reader.is_table(entry) {
        return reader.string(entry).map_or(HeatsStatement::Broken(span), HeatsStatement::One);
    }
    let entries = reader.table(entry).unwrap_or_default();
    let read = |entry: TableEntry<'t>| reader.scalar(&entry).map(|share| (reader.key(&entry), share));
    HeatsStatement::Shares { shares: entries.into_iter().filter_map(read).collect(), span }
}

impl TermStatement {
    /// Nothing, said there.
    fn at(span: Span) -> TermStatement {
        TermStatement { span, ..TermStatement::default() }
    }

    fn stated(&self) -> StatedFriction<'_> {
        StatedFriction { span: &self.span, key: "force" }
    }
}

/// The terms, and where each of them is stated.
#[derive(Default)]
pub(crate) struct ResolvedFriction {
    pub terms: Vec<FrictionTerm>,
    pub spans: Vec<Span>,
    pub dry: Vec<DryFriction>,
}

impl ResolvedFriction {
    /// The whole friction force on each coordinate.
    pub fn totals(&self, resolver: &Resolver<'_, '_>, coordinates: usize) -> Vec<Id> {
        let graph = resolver.graph;
        let mut parts: Vec<Vec<Expr<'_>>> = vec![Vec::new(); coordinates];
        for term in &self.terms {
            parts[term.coordinate].push(graph.expr(term.force));
        }
        parts.into_iter().map(|parts| graph.sum(parts).id()).collect()
    }
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[FrictionStatement],
    coordinates: &Coordinates,
    entropies: &Entropies,
) -> ResolvedFriction {
    let mut friction = ResolvedFriction::default();
    let targets = [&coordinates.families];
    let targets = Targets(&targets);
    let mut stated = vec![false; coordinates.list.len()];
    for statement in statements {
        if resolver.names.is_definition(&statement.key.value) {
            report_definition(resolver, &statement.key);
            continue;
        }
        for (position, term) in statement.terms.iter().enumerate() {
            if let Some(bound) = &term.dry {
                let found = resolve_dry(resolver, &statement.key, term, bound, targets, coordinates, entropies);
                let Some(found) = found else { break };
                let again = found.iter().find(|dry| {
                    let first = position == 0 && term.force.is_none();
                    first && std::mem::replace(&mut stated[dry.coordinate], true)
                });
                if let Some(again) = again {
                    assignments::report_twice(resolver, &statement.key, targets, again.coordinate);
                    break;
                }
                friction.dry.extend(found);
            }
            let Some(force) = &term.force else { continue };
            let found = assignments::resolve_one(resolver, &statement.key, force, targets, &ExpressionPlace::FRICTION);
            let Some(found) = found else { break };
            for assigned in found.list {
                if position == 0 && std::mem::replace(&mut stated[assigned.place], true) {
                    assignments::report_twice(resolver, &statement.key, targets, assigned.place);
                    break;
                }
                let member = assigned.number.map(|number| (found.index.as_str(), number));
                let Some(shares) = shares(resolver, term.heats.as_ref(), term.stated(), entropies, member) else {
                    break;
                };
                let name = &coordinates.list[assigned.place].name;
                jumps::report(resolver, "friction", name, assigned.value, term.span.clone());
                if !assigned.value.is_zero() {
                    let (coordinate, force) = (assigned.place, assigned.value.id());
                    friction.terms.push(FrictionTerm { coordinate, force, shares });
                    friction.spans.push(term.heats.as_ref().map_or(term.span.clone(), HeatsStatement::span));
                }
            }
        }
    }
    friction
}

/// Friction is stated by coordinate; that of a point has a dissipation.
fn report_definition(resolver: &mut Resolver<'_, '_>, key: &SourceText) {
    let name = &key.value;
    let message = format!("`{name}` is a definition, and friction acts on coordinates");
    let help =
        format!("state its dissipation, from which the friction follows: [dynamics] dissipation = \"c*{name}'^2/2\"");
    resolver.problems.push(Diagnostic::error(Code::UnknownCoordinate, message).at(key.span.clone(), "").help(help));
}

/// What the force of a dry friction is recorded as; `before` others act on the same coordinate.
pub(crate) fn dry_force_name(coordinate: &str, before: usize) -> String {
    let (family, index) = coordinate.split_at(coordinate.find('[').unwrap_or(coordinate.len()));
    match before {
        0 => format!("f_{coordinate}"),
        _ => format!("f_{family}_{}{index}", before + 1),
    }
}

/// The dry friction of a term, for each coordinate that the key speaks of; `None` for an error.
fn resolve_dry<'g>(
    resolver: &mut Resolver<'g, '_>,
    key: &SourceText,
    term: &TermStatement,
    bound: &ScalarSeries,
    targets: Targets<'_>,
    coordinates: &Coordinates,
    entropies: &Entropies,
) -> Option<Vec<DryFriction>> {
    let graph = resolver.graph;
    let bounds = assignments::resolve_one(resolver, key, bound, targets, &ExpressionPlace::DRY)?;
    let mut others = |series: &Option<ScalarSeries>, place: &ExpressionPlace| match series {
        None => Some(None),
        Some(series) => assignments::resolve_one(resolver, key, series, targets, place).map(Some),
    };
    let holding = others(&term.holding, &ExpressionPlace::DRY)?;
    let along = others(&term.along, &ExpressionPlace::ALONG)?;
    let mut found = Vec::new();
    for (at, assigned) in bounds.list.iter().enumerate() {
        let member = assigned.number.map(|number| (bounds.index.as_str(), number));
        let shares = shares(resolver, term.heats.as_ref(), term.stated(), entropies, member)?;
        let own = graph.expr(coordinates.list[assigned.place].velocity);
        let along = along.as_ref().map_or(own, |along| along.list[at].value);
        let velocities = resolver.names.velocities_in(along);
        if velocities.is_empty() || graph.affine_in(&[along], &velocities) != [true] {
            let message = format!("`along` must be affine in the velocities and contain one, and `{along}` is not");
            let help = "the velocity with which the surfaces slide over each other, as x' - y' or x' - v";
            let diagnostic = Diagnostic::error(Code::Conflict, message).at(term.span.clone(), "");
            resolver.problems.push(diagnostic.help(help));
            return None;
        }
        found.push(DryFriction {
            coordinate: assigned.place,
            along: along.id(),
            bound: assigned.value.id(),
            holding: holding.as_ref().map(|holding| holding.list[at].value.id()),
            shares,
        });
    }
    Some(found)
}

/// Where a friction is stated, and what its table calls it.
#[derive(Clone, Copy)]
pub(super) struct StatedFriction<'a> {
    pub span: &'a Span,
    pub key: &'static str,
}

/// Which entropies a friction heats; `None` for an error.
pub(super) fn shares(
    resolver: &mut Resolver<'_, '_>,
    heats: Option<&HeatsStatement>,
    stated: StatedFriction<'_>,
    entropies: &Entropies,
    member: MemberNumber<'_>,
) -> Option<Vec<(usize, Id)>> {
    let one = resolver.graph.int(1).id();
    match (heats, entropies.list.len()) {
        (None, 0) => Some(Vec::new()),
        (None, 1) => Some(vec![(0, one)]),
        (None, _) => {
            let message = format!("which entropy does this friction heat: {}?", entropies.listed());
            let key = stated.key;
            let help = format!(
                "write {{ {key} = \"...\", heats = \"S\" }}, or shares that sum to 1: heats = {{ S1 = 0.5, S2 = 0.5 }}"
            );
            let diagnostic = Diagnostic::error(Code::HeatShares, message);
            resolver.problems.push(diagnostic.at(stated.span.clone(), "`heats` is missing").help(help));
            None
        }
        (Some(heats), 0) => {
            let message = "there is no entropy that this friction could heat";
            let diagnostic = Diagnostic::error(Code::HeatShares, message).at(heats.span(), "");
            resolver.problems.push(diagnostic.help("declare one in [entropies]"));
            None
        }
        (Some(HeatsStatement::Broken(_)), _) => None,
        (Some(HeatsStatement::One(text)), _) => Some(vec![(entropies.named(resolver, text, member)?, one)]),
        (Some(HeatsStatement::Shares { shares, .. }), _) => {
            let mut list: Vec<(usize, Id)> = Vec::new();
            for (text, share) in shares {
                let entropy = entropies.named(resolver, text, member)?;
                let value = resolver.number(share, &ExpressionPlace::SHARE, member)?;
                resolver.finite(value, share.span(), "a share of the friction heat")?;
                if list.iter().any(|(other, _)| *other == entropy) {
                    let message = format!("`{}` is given twice", entropies.list[entropy].name);
                    let diagnostic = Diagnostic::error(Code::DuplicateName, message);
                    resolver.problems.push(diagnostic.at(text.span.clone(), "here again"));
                    return None;
                }
                list.push((entropy, value.id()));
            }
            Some(list)
        }
    }
}

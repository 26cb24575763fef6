//! `[matter]`: how much matter the parts of a system hold, and where that starts.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::ModelTable;
use super::assignments::{self, Primes, Targets};
use super::entropies::Entropies;
use super::families::{Families, INDEX, QuantityKind, family_count, family_index, initial, member_name, missing_start};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// How much of a substance one part of the system holds; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct Amount {
    /// Its name: `N`, or `N[3]` for a member of a family.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// Where it starts, an expression of parameters.
    pub start: Id,
    /// The entropy of the part that holds it, by its place in [`Model::entropies`](crate::Model::entropies).
    pub entropy: usize,
}

/// `N = 1.0`, or `N = { start = 1.0, entropy = "S", count = "n", index = "i" }`.
#[derive(Debug, Default)]
pub(crate) struct AmountStatement {
    pub name: Name,
    pub start: Option<ScalarSeries>,
    pub entropy: Option<SourceText>,
    pub count: Option<Scalar>,
    pub index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "matter",
    sentence: "amounts of matter that change by `[ports]`, and where they start: `N = 1.0`, or a table. The chemical potential is -dL/dN",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.matter = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<AmountStatement>] = &[
    field("start", "the amount at the start", |reader, entry, into| into.start = reader.series(entry)),
    field(
        "entropy",
        "the entropy of the part that holds it, where there are several; in a family `\"S[i]\"`",
        |reader, entry, into| into.entropy = reader.string(entry),
    ),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> AmountStatement {
    let mut statement = AmountStatement { name: entry.name.clone(), ..AmountStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"start") {
        let example = format!("{} = {{ start = 1.0 }}", entry.name.text);
        missing_start(reader.problems, &entry.name, "amount", "how much is there at the beginning?", example);
    }
    statement
}

/// All amounts, flat and by statement.
pub(crate) struct Amounts {
    pub list: Vec<Amount>,
    pub families: Families,
    places: HashMap<Id, usize>,
}

/// Declares all amounts.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[AmountStatement],
    entropies: &Entropies,
) -> Amounts {
    let mut all = Amounts { list: Vec::new(), families: Families::new(QuantityKind::Amount), places: HashMap::new() };
    for (position, statement) in statements.iter().enumerate() {
        if resolver.admit(&statement.name, "amount")
            && resolve_one(resolver, statement, position, entropies, &mut all).is_none()
        {
            let span = statement.name.span.clone();
            let broken = Declaration { what: "amount", meaning: NameMeaning::Broken, count: None, span };
            resolver.names.declare(&statement.name.text, broken);
        }
    }
    all
}

/// `None` if it is not known how many members it has, or of which entropies.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &AmountStatement,
    place: usize,
    entropies: &Entropies,
    all: &mut Amounts,
) -> Option<()> {
    let name = &statement.name;
    let count = family_count(resolver, name, statement.count.as_ref(), statement.start.iter())?;
    let members = count.map_or(1, |count| count as usize);
    if !all.families.has_room(resolver, members, name) {
        return None;
    }
    let names = (1..=members).map(|number| member_name(&name.text, count, number));
    let symbols: Vec<Expr<'_>> = names.map(|name| resolver.graph.symbol(&name)).collect();
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let mut holders = Vec::with_capacity(members);
    for position in 0..members {
        let member = count.map(|_| (index.as_str(), position as i64 + 1));
        holders.push(holder(resolver, statement, entropies, member)?);
    }
    let meaning = NameMeaning::Entropy { symbols: symbols.clone() };
    resolver.names.declare(&name.text, Declaration { what: "amount", meaning, count, span: name.span.clone() });
    let start = initial(resolver, statement.start.as_ref(), &index, name, count, "start", &ExpressionPlace::INITIAL);
    let zero = resolver.graph.int(0).id();
    for (position, (symbol, entropy)) in symbols.iter().zip(holders).enumerate() {
        all.places.insert(symbol.id(), all.list.len());
        all.list.push(Amount {
            name: member_name(&name.text, count, position + 1),
            symbol: symbol.id(),
            start: start.as_ref().map_or(zero, |values| values[position]),
            entropy,
        });
    }
    all.families.push(name, place, count, index);
    Some(())
}

/// The entropy of the part that holds an amount.
fn holder(
    resolver: &mut Resolver<'_, '_>,
    statement: &AmountStatement,
    entropies: &Entropies,
    member: MemberNumber<'_>,
) -> Option<usize> {
    if let Some(text) = &statement.entropy {
        return entropies.named(resolver, text, member);
    }
    let name = &statement.name;
    let (problem, help) = match entropies.list.len() {
        1 => return Some(0),
        0 => (
            format!("there is no entropy for the part that holds `{}`", name.text),
            "matter brings energy and entropy along: add a table [entropies]".to_owned(),
        ),
        _ => (
            format!("which entropy is that of the part that holds `{}`: {}?", name.text, entropies.listed()),
            format!("{} = {{ start = 1.0, entropy = \"{}\" }}", name.text, entropies.list[0].name),
        ),
    };
    resolver.problems.push(Diagnostic::error(Code::Missing, problem).at(name.span.clone(), "").help(help));
    None
}

impl Amounts {
    /// The amount that a text names: `N`, `N[2]`, or `N[i + 1]` where `i` is the member's number.
    pub fn named(&self, resolver: &mut Resolver<'_, '_>, text: &SourceText, member: MemberNumber<'_>) -> Option<usize> {
        assignments::take_apart(resolver, text, Targets(&[&self.families]), Primes::Refused)?;
        let value = resolver.number(&Scalar::Text(text.clone()), &ExpressionPlace::AMOUNT, member)?;
        self.places.get(&value.id()).copied()
    }

    /// How many of them the part of this entropy holds.
    pub fn held_with(&self, entropy: usize) -> usize {
        self.list.iter().filter(|amount| amount.entropy == entropy).count()
    }
}

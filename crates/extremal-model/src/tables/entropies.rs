//! `[entropies]`: what heat goes into, and where it starts.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::ModelTable;
use super::assignments::{self, Primes, Targets};
use super::families::{Families, INDEX, QuantityKind, family_count, family_index, initial, member_name, missing_start};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// The entropy of one part of the system; a family has one of these for each member.
#[derive(Clone, Debug)]
pub struct Entropy {
    /// Its name: `S`, or `S[3]` for a member of a family.
    pub name: String,
    /// Its symbol.
    pub symbol: Id,
    /// Where it starts, an expression of parameters.
    pub start: Id,
}

/// `S = 10.0`, or `S = { start = 10.0, count = "n", index = "i" }`.
#[derive(Debug, Default)]
pub(crate) struct EntropyStatement {
    pub name: Name,
    pub start: Option<ScalarSeries>,
    pub count: Option<Scalar>,
    pub index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "entropies",
    sentence: "the entropies and where they start: `S = 0.5`, or a table. The temperature is -dL/dS and must be positive",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.entropies = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<EntropyStatement>] = &[
    field("start", "the entropy at the start", |reader, entry, into| into.start = reader.series(entry)),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> EntropyStatement {
    let mut statement = EntropyStatement { name: entry.name.clone(), ..EntropyStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"start") {
        let example = format!("{} = {{ start = 1.0 }}", entry.name.text);
        missing_start(reader.problems, &entry.name, "entropy", "what is it at the beginning?", example);
    }
    statement
}

/// All entropies, flat and by statement.
pub(crate) struct Entropies {
    pub list: Vec<Entropy>,
    pub families: Families,
    places: HashMap<Id, usize>,
}

/// Declares all entropies.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[EntropyStatement]) -> Entropies {
    let mut all =
        Entropies { list: Vec::new(), families: Families::new(QuantityKind::Entropy), places: HashMap::new() };
    for (position, statement) in statements.iter().enumerate() {
        if resolver.admit(&statement.name, "entropy") && resolve_one(resolver, statement, position, &mut all).is_none()
        {
            let span = statement.name.span.clone();
            let broken = Declaration { what: "entropy", meaning: NameMeaning::Broken, count: None, span };
            resolver.names.declare(&statement.name.text, broken);
        }
    }
    all
}

/// `None` if not even the number of its members is known.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &EntropyStatement,
    place: usize,
    all: &mut Entropies,
) -> Option<()> {
    let name = &statement.name;
    let count = family_count(resolver, name, statement.count.as_ref(), statement.start.iter())?;
    let members = count.map_or(1, |count| count as usize);
    if !all.families.has_room(resolver, members, name) {
        return None;
    }
    let names = (1..=members).map(|number| member_name(&name.text, count, number));
    let symbols: Vec<Expr<'_>> = names.map(|name| resolver.graph.symbol(&name)).collect();
    let meaning = NameMeaning::Entropy { symbols: symbols.clone() };
    resolver.names.declare(&name.text, Declaration { what: "entropy", meaning, count, span: name.span.clone() });
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let start = initial(resolver, statement.start.as_ref(), &index, name, count, "start", &ExpressionPlace::INITIAL);
    let zero = resolver.graph.int(0).id();
    for (position, symbol) in symbols.iter().enumerate() {
        all.places.insert(symbol.id(), all.list.len());
        all.list.push(Entropy {
            name: member_name(&name.text, count, position + 1),
            symbol: symbol.id(),
            start: start.as_ref().map_or(zero, |values| values[position]),
        });
    }
    all.families.push(name, place, count, index);
    Some(())
}

impl Entropies {
    /// The entropy that a text names: `S`, `S[2]`, or `S[i + 1]` where `i` is the member's number.
    pub fn named(&self, resolver: &mut Resolver<'_, '_>, text: &SourceText, member: MemberNumber<'_>) -> Option<usize> {
        assignments::take_apart(resolver, text, Targets(&[&self.families]), Primes::Refused)?;
        let value = resolver.number(&Scalar::Text(text.clone()), &ExpressionPlace::ENTROPY, member)?;
        self.places.get(&value.id()).copied()
    }

    /// The names of all families between quotes, for a message.
    pub fn listed(&self) -> String {
        let quoted: Vec<String> = self.families.list.iter().map(|family| format!("`{}`", family.name.text)).collect();
        quoted.join(", ")
    }
}

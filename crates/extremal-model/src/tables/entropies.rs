//! `[entropies]`: what heat goes into, and where it starts.

use extremal_expr::Id;

use super::ModelTable;
use super::families::{INDEX, QuantityKind, missing_start};
use super::held::{HeldMember, HeldQuantities, HeldStatement};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
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
pub(crate) type Entropies = HeldQuantities<Entropy>;

/// Declares all entropies.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[EntropyStatement]) -> Entropies {
    let mut all = Entropies::new(QuantityKind::Entropy, &ExpressionPlace::ENTROPY);
    for (position, EntropyStatement { name, start, count, index }) in statements.iter().enumerate() {
        let statement = HeldStatement { name, start: start.as_ref(), count: count.as_ref(), index: index.as_ref() };
        let whole = |HeldMember { name, symbol, start }, ()| Entropy { name, symbol, start };
        all.declare(resolver, (position, &statement), |_, _| Some(()), whole);
    }
    all
}

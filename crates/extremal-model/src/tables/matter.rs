//! `[matter]`: how much matter the parts of a system hold, and where that starts.

use extremal_expr::Id;

use super::ModelTable;
use super::entropies::Entropies;
use super::families::{INDEX, QuantityKind, missing_start};
use super::held::{HeldMember, HeldQuantities, HeldStatement};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
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
pub(crate) type Amounts = HeldQuantities<Amount>;

/// Declares all amounts.
pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[AmountStatement],
    entropies: &Entropies,
) -> Amounts {
    let mut all = Amounts::new(QuantityKind::Amount, &ExpressionPlace::AMOUNT);
    for (position, stated) in statements.iter().enumerate() {
        let AmountStatement { name, start, count, index, .. } = stated;
        let statement = HeldStatement { name, start: start.as_ref(), count: count.as_ref(), index: index.as_ref() };
        let holder =
            |resolver: &mut Resolver<'_, '_>, member: MemberNumber<'_>| holder(resolver, stated, entropies, member);
        let whole = |HeldMember { name, symbol, start }, entropy| Amount { name, symbol, start, entropy };
        all.declare(resolver, (position, &statement), holder, whole);
    }
    all
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
    /// How many of them the part of this entropy holds.
    pub fn held_with(&self, entropy: usize) -> usize {
        self.list.iter().filter(|amount| amount.entropy == entropy).count()
    }
}

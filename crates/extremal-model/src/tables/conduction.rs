//! `[conduction]`: heat that flows between entropies.

use extremal_expr::Id;

use super::ModelTable;
use super::entropies::Entropies;
use super::families::{INDEX, family_count, family_index, member_name};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver};
use crate::text::SourceText;

/// A wall through which heat flows, in proportion to the difference of the temperatures.
#[derive(Clone, Debug)]
pub struct Conduction {
    /// Its name: `wall`, or `wall[3]` for a member of a family.
    pub name: String,
    /// The two entropies, by their places in [`Model::entropies`](crate::Model::entropies).
    pub between: (usize, usize),
    /// Power per difference of temperature, an expression of positions, entropies, time and parameters.
    pub conductance: Id,
}

/// `wall = { between = ["S1", "S2"], conductance = "kappa", count = "n - 1", index = "i" }`.
#[derive(Debug, Default)]
pub(crate) struct ConductionStatement {
    name: Name,
    between: Option<[SourceText; 2]>,
    conductance: Option<ScalarSeries>,
    count: Option<Scalar>,
    index: Option<SourceText>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "conduction",
    sentence: "walls that conduct heat, each by name: the power is the conductance times the difference of temperatures",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| {
        into.conduction = entries.iter().filter_map(|entry| read_one(reader, entry)).collect();
    },
};

const FIELDS: &[TableField<ConductionStatement>] = &[
    field(
        "between",
        "the two entropies, `[\"S1\", \"S2\"]`; in a family `[\"S[i]\", \"S[i + 1]\"]`",
        |reader, entry, into| into.between = read_between(reader, entry),
    ),
    field("conductance", "an expression", |reader, entry, into| into.conductance = reader.series(entry)),
    field("count", "makes a family of so many", |reader, entry, into| into.count = reader.scalar(entry)),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<ConductionStatement> {
    let entries = reader.table(entry)?;
    let mut statement = ConductionStatement { name: entry.name.clone(), ..ConductionStatement::default() };
    let stated = reader.fill(entries, FIELDS, &mut statement);
    for key in ["between", "conductance"].into_iter().filter(|key| !stated.contains(key)) {
        let Name { text, span } = &statement.name;
        let message = format!("the conduction `{text}` has no `{key}`");
        let help = format!("{text} = {{ between = [\"S1\", \"S2\"], conductance = \"kappa\" }}");
        reader.problems.push(Diagnostic::error(Code::Missing, message).at(span.clone(), "").help(help));
    }
    Some(statement)
}

fn read_between<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<[SourceText; 2]> {
    let items = reader.list(entry).unwrap_or_default();
    let [first, second] = items.as_slice() else {
        let message = format!("{} should be a list of two entropies", entry.full_path());
        let diagnostic = Diagnostic::error(Code::WrongType, message).at(entry.value_span(), "");
        reader.problems.push(diagnostic.help("between = [\"S1\", \"S2\"]"));
        return None;
    };
    let (first, second) = (reader.string(first), reader.string(second));
    Some([first?, second?])
}

/// The walls, and where each of them is stated.
#[derive(Default)]
pub(crate) struct Conductions {
    pub list: Vec<Conduction>,
    pub spans: Vec<Span>,
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[ConductionStatement],
    entropies: &Entropies,
) -> Conductions {
    let mut all = Conductions::default();
    for statement in statements {
        resolve_one(resolver, statement, entropies, &mut all);
    }
    all
}

/// `None` for an error.
fn resolve_one(
    resolver: &mut Resolver<'_, '_>,
    statement: &ConductionStatement,
    entropies: &Entropies,
    all: &mut Conductions,
) -> Option<()> {
    let (between, conductance) = (statement.between.as_ref()?, statement.conductance.as_ref()?);
    let name = &statement.name;
    let count = family_count(resolver, name, statement.count.as_ref(), std::iter::once(conductance))?;
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let values = match (conductance, count) {
        (ScalarSeries::One(scalar), None) => vec![resolver.number(scalar, &ExpressionPlace::CONDUCTANCE, None)?],
        (series, count) => resolver.series(series, &ExpressionPlace::CONDUCTANCE, &index, count?)?,
    };
    for (position, value) in values.into_iter().enumerate() {
        let member = count.map(|_| (index.as_str(), position as i64 + 1));
        let name = member_name(&name.text, count, position + 1);
        let between = ends(resolver, between, entropies, member, &name)?;
        all.list.push(Conduction { name, between, conductance: value.id() });
        all.spans.push(conductance.item_span(position));
    }
    Some(())
}

fn ends(
    resolver: &mut Resolver<'_, '_>,
    between: &[SourceText; 2],
    entropies: &Entropies,
    member: MemberNumber<'_>,
    name: &str,
) -> Option<(usize, usize)> {
    let [first, second] = between.each_ref().map(|text| entropies.named(resolver, text, member));
    let (first, second) = (first?, second?);
    if first == second {
        let message = format!("the conduction `{name}` is between `{}` and itself", entropies.list[first].name);
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(between[1].span.clone(), "the same entropy");
        resolver.problems.push(diagnostic.at(between[0].span.clone(), ""));
        return None;
    }
    Some((first, second))
}

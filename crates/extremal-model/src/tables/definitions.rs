//! `[definitions]`: expressions with names; primes on them are total time derivatives.

use std::collections::BTreeSet;

use extremal_expr::syntax::{ExprShape, ShapedExpr};
use extremal_expr::{Expr, Id};

use super::ModelTable;
use super::families::{Families, INDEX, QuantityKind, family_count, family_index};
use super::parameters::cyclic;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar, ScalarSeries, TableEntry, TableField, TableReader, field, keys};
use crate::names::{Declaration, NameMeaning};
use crate::order::order;
use crate::place::ExpressionPlace;
use crate::resolver::{DEFAULT_INDEX, Resolver};
use crate::text::SourceText;

/// An expression with a name.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name: `r`, or `y[3]` for a member of a family.
    pub name: String,
    /// Its value, an expression of coordinates, their derivatives, entropies, time and parameters.
    pub expression: Id,
}

/// `r = "sqrt(x^2 + y^2)"`, a vector `r = ["x", "y"]`, a matrix `R = [["a", "b"], ["c", "d"]]`, or a family `y = { count = "n", value = "sum(j, 1, i, l*cos(theta[j]))", index = "i" }`.
#[derive(Debug, Default)]
pub(crate) struct DefinitionStatement {
    pub name: Name,
    pub value: Option<DefinitionValue>,
    pub count: Option<Scalar>,
    pub index: Option<SourceText>,
}

/// What a definition stands for, as it is written.
#[derive(Debug)]
pub(crate) enum DefinitionValue {
    /// A text, or a list of numbers.
    Series(ScalarSeries),
    /// The rows of a matrix.
    Rows { rows: Vec<Vec<Scalar>>, span: Span },
}

impl DefinitionValue {
    fn items(&self) -> Vec<&Scalar> {
        match self {
            DefinitionValue::Series(ScalarSeries::One(item)) => vec![item],
            DefinitionValue::Series(ScalarSeries::List { items, .. }) => items.iter().collect(),
            DefinitionValue::Rows { rows, .. } => rows.iter().flatten().collect(),
        }
    }
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "definitions",
    sentence: "named expressions, which may use one another; a prime on one is its total time derivative",
    keys: || keys(FIELDS),
    read: |reader, _, entries, into| into.definitions = entries.iter().map(|entry| read_one(reader, entry)).collect(),
};

const FIELDS: &[TableField<DefinitionStatement>] = &[
    field(
        "value",
        "the expression; a list makes a vector (a family), a list of lists a matrix, and so does an expression of vectors",
        |reader, entry, into| into.value = read_value(reader, entry),
    ),
    field("count", "makes a family of so many; members may use those before them", |reader, entry, into| {
        into.count = reader.scalar(entry);
    }),
    field("index", INDEX, |reader, entry, into| into.index = reader.string(entry)),
];

fn read_one<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> DefinitionStatement {
    let mut statement = DefinitionStatement { name: entry.name.clone(), ..DefinitionStatement::default() };
    if !reader.fill_entry(entry, FIELDS, &mut statement).contains(&"value") {
        let message = format!("the definition `{}` has no value", entry.name.text);
        reader.problems.push(
            Diagnostic::error(Code::Missing, message).at(entry.name.span.clone(), "`value = \"...\"` is missing"),
        );
    }
    statement
}

fn read_value<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<DefinitionValue> {
    let items = reader.list(entry).unwrap_or_default();
    if items.first().is_none_or(|first| reader.list(first).is_none()) {
        return reader.series(entry).map(DefinitionValue::Series);
    }
    let mut rows = Vec::with_capacity(items.len());
    for item in &items {
        match reader.series(item)? {
            ScalarSeries::List { items, .. } => rows.push(items),
            ScalarSeries::One(item) => rows.push(vec![item]),
        }
    }
    let span = entry.value_span();
    let columns = rows.first().map_or(0, Vec::len);
    if columns == 0 || rows.iter().any(|row| row.len() != columns) {
        let message = format!("the rows of the matrix `{}` have different lengths", entry.name.text);
        reader.problems.push(Diagnostic::error(Code::WrongLength, message).at(span, ""));
        return None;
    }
    Some(DefinitionValue::Rows { rows, span })
}

/// All definitions whose values are known, in the order of the file.
pub(crate) struct Definitions {
    pub families: Families,
    pub list: Vec<Definition>,
}

/// Declares all definitions, those that others use first.
pub(crate) fn resolve(resolver: &mut Resolver<'_, '_>, statements: &[DefinitionStatement]) -> Definitions {
    let mut admitted: Vec<&DefinitionStatement> = Vec::new();
    for statement in statements {
        if resolver.admit(&statement.name, "definition") {
            // Broken until its value is known.
            declare(resolver, statement, None, NameMeaning::Broken);
            admitted.push(statement);
        }
    }
    let names: Vec<&str> = admitted.iter().map(|statement| statement.name.text.as_str()).collect();
    let uses: Vec<BTreeSet<String>> = admitted.iter().map(|statement| statement.uses(resolver)).collect();
    let sorted = order(&names, &uses);
    for cycle in &sorted.cycles {
        let on_cycle: Vec<&Name> = cycle.iter().map(|item| &admitted[*item].name).collect();
        resolver.problems.push(cyclic("definition", &on_cycle));
    }
    let mut found: Vec<(usize, DefinedFamily)> = Vec::new();
    for item in sorted.order {
        match resolve_one(resolver, admitted[item]) {
            Some(family) => found.push((item, family)),
            None => declare(resolver, admitted[item], None, NameMeaning::Broken),
        }
    }
    found.sort_by_key(|(item, _)| *item);
    let mut definitions = Definitions { families: Families::new(QuantityKind::Definition), list: Vec::new() };
    for (item, DefinedFamily { count, columns, index, values }) in found {
        definitions.families.push_matrix(&admitted[item].name, item, count, index, columns);
        let name = |position| definitions.families.list.last().map_or(String::new(), |family| family.member(position));
        let named = values.into_iter().enumerate();
        definitions.list.extend(named.map(|(at, expression)| Definition { name: name(at), expression }));
    }
    definitions
}

/// Writes all definitions with some symbols replaced.
pub(crate) fn substitute<'g>(
    resolver: &mut Resolver<'g, '_>,
    definitions: &mut Definitions,
    rules: &[(Expr<'g>, Expr<'g>)],
) {
    let graph = resolver.graph;
    let symbols: Vec<_> = rules.iter().map(|(symbol, _)| *symbol).collect();
    for family in &definitions.families.list {
        let members = &mut definitions.list[family.first..family.first + family.len()];
        let written = graph.exprs(&members.iter().map(|member| member.expression).collect::<Vec<_>>());
        if !graph.depend_on(&written, &symbols).contains(&true) {
            continue;
        }
        let values = graph.substitute(&written, rules);
        members.iter_mut().zip(&values).for_each(|(member, value)| member.expression = value.id());
        let (span, count) = (family.name.span.clone(), family.count);
        let meaning = NameMeaning::Definition { values, columns: family.columns };
        resolver.names.declare(&family.name.text, Declaration { what: "definition", meaning, count, span });
    }
}

/// One statement: a definition alone, or a family.
struct DefinedFamily {
    count: Option<i64>,
    /// Of a matrix.
    columns: Option<i64>,
    index: String,
    values: Vec<Id>,
}

fn declare<'g>(
    resolver: &mut Resolver<'g, '_>,
    statement: &DefinitionStatement,
    count: Option<i64>,
    meaning: NameMeaning<'g>,
) {
    let declaration = Declaration { what: "definition", meaning, count, span: statement.name.span.clone() };
    resolver.names.declare(&statement.name.text, declaration);
}

fn resolve_one(resolver: &mut Resolver<'_, '_>, statement: &DefinitionStatement) -> Option<DefinedFamily> {
    let series = match statement.value.as_ref()? {
        DefinitionValue::Series(series) => series,
        DefinitionValue::Rows { rows, span } => return resolve_matrix(resolver, statement, rows, span),
    };
    if let (ScalarSeries::One(scalar), None, None) = (series, &statement.count, &statement.index) {
        return resolve_quantity(resolver, statement, scalar);
    }
    let name = &statement.name;
    let count = family_count(resolver, name, statement.count.as_ref(), std::iter::once(series))?;
    let index = family_index(resolver, statement.index.as_ref(), name, count);
    let was_used = resolver.names.is_used(&name.text);
    declare(resolver, statement, count, NameMeaning::Definition { values: Vec::new(), columns: None });
    let mut values = Vec::new();
    match (series, count) {
        (ScalarSeries::One(scalar), count) => {
            for number in 1..=count.unwrap_or(1) {
                let value =
                    resolver.number(scalar, &ExpressionPlace::DEFINITION, count.map(|_| (index.as_str(), number)))?;
                // One by one, so that a member can use those before it.
                resolver.names.push_member(&name.text, value);
                values.push(value.id());
            }
        }
        (ScalarSeries::List { .. }, count) => {
            for value in resolver.series(series, &ExpressionPlace::DEFINITION, &index, count?)? {
                resolver.names.push_member(&name.text, value);
                values.push(value.id());
            }
        }
    }
    if !was_used {
        resolver.names.forget_use(&name.text);
    }
    Some(DefinedFamily { count, columns: None, index, values })
}

/// A definition by one text: a number, a vector or a matrix.
fn resolve_quantity(
    resolver: &mut Resolver<'_, '_>,
    statement: &DefinitionStatement,
    scalar: &Scalar,
) -> Option<DefinedFamily> {
    let ShapedExpr { shape, elements: values } = resolver.quantity(scalar, &ExpressionPlace::DEFINITION)?;
    let (count, columns) = match shape {
        ExprShape::Number => (None, None),
        ExprShape::Vector(length) => (Some(length as i64), None),
        ExprShape::Matrix(rows, columns) => (Some((rows * columns) as i64), Some(columns as i64)),
    };
    let ids = values.iter().map(|value| value.id()).collect();
    declare(resolver, statement, count, NameMeaning::Definition { values, columns });
    Some(DefinedFamily { count, columns, index: DEFAULT_INDEX.to_owned(), values: ids })
}

/// A definition by the rows of a matrix.
fn resolve_matrix(
    resolver: &mut Resolver<'_, '_>,
    statement: &DefinitionStatement,
    rows: &[Vec<Scalar>],
    span: &Span,
) -> Option<DefinedFamily> {
    if statement.count.is_some() || statement.index.is_some() {
        let message = format!("the matrix `{}` has neither a count nor an index", statement.name.text);
        resolver.problems.push(Diagnostic::error(Code::Conflict, message).at(span.clone(), ""));
        return None;
    }
    let items: Vec<_> =
        rows.iter().flatten().map(|item| resolver.number(item, &ExpressionPlace::DEFINITION, None)).collect();
    let values = items.into_iter().collect::<Option<Vec<_>>>()?;
    let (count, columns) = (Some(values.len() as i64), Some(rows[0].len() as i64));
    let ids = values.iter().map(|value| value.id()).collect();
    declare(resolver, statement, count, NameMeaning::Definition { values, columns });
    Some(DefinedFamily { count, columns, index: DEFAULT_INDEX.to_owned(), values: ids })
}

/// Warns of definitions that nothing uses.
pub(crate) fn warn_unused(resolver: &mut Resolver<'_, '_>, statements: &[DefinitionStatement]) {
    for DefinitionStatement { name, .. } in statements {
        if !resolver.names.is_used(&name.text) {
            let message = format!("the definition `{}` is never used", name.text);
            resolver.problems.push(Diagnostic::warning(Code::UnusedDefinition, message).at(name.span.clone(), ""));
        }
    }
}

impl DefinitionStatement {
    /// The names it uses; a family may use its own earlier members.
    fn uses(&self, resolver: &Resolver<'_, '_>) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for item in self.value.iter().flat_map(DefinitionValue::items) {
            if let Scalar::Text(text) = item {
                names.extend(resolver.names_used(&text.value));
            }
        }
        if self.count.is_some() {
            names.remove(&self.name.text);
        }
        names
    }
}

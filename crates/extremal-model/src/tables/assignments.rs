//! Values per coordinate, entropy or constraint: forces, generators, heat, closed forms, discrete equations.

use extremal_expr::syntax::{Ast, AstKind, Limits, Root};
use extremal_expr::{Expr, Id};

use super::families::{Families, Family, QuantityKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Scalar, ScalarSeries, TableEntry, TableReader};
use crate::place::ExpressionPlace;
use crate::resolver::{MemberNumber, Resolver, diagnostic, with_article};
use crate::suggest::help_for;
use crate::text::SourceText;

/// `x = "..."`, `"x[i]" = "..."`, `"x[2]" = "..."` or `x = [.., ..]`.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub key: SourceText,
    pub value: ScalarSeries,
}

pub(crate) fn read<'t>(reader: &mut TableReader<'t, '_>, entries: Vec<TableEntry<'t>>) -> Vec<Assignment> {
    let mut assignments = Vec::new();
    for entry in entries {
        if let Some(value) = reader.series(&entry) {
            assignments.push(Assignment { key: reader.key(&entry), value });
        }
    }
    assignments
}

/// The same for an entry that should be a table of them.
pub(crate) fn read_table<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Vec<Assignment> {
    let entries = reader.table(entry).unwrap_or_default();
    read(reader, entries)
}

/// What values may be assigned to: all quantities of one kind, then those of the next, in one flat list.
#[derive(Clone, Copy)]
pub(crate) struct Targets<'a>(pub &'a [&'a Families]);

impl<'a> Targets<'a> {
    pub fn len(self) -> usize {
        self.0.iter().map(|families| families.members()).sum()
    }

    /// A family with its kind and the place of its first member in the flat list.
    fn family(self, name: &str) -> Option<(&'a Family, QuantityKind, usize)> {
        let mut before = 0;
        for families in self.0 {
            if let Some(family) = families.get(name).filter(|family| family.columns.is_none()) {
                return Some((family, families.kind, before + family.first));
            }
            before += families.members();
        }
        None
    }
}

/// What one assignment says of one quantity.
pub(crate) struct Assigned<'g> {
    /// The place of the quantity in the flat list.
    pub place: usize,
    /// The member's number, where the assignment speaks of a whole family.
    pub number: Option<i64>,
    pub value: Expr<'g>,
}

/// What one assignment says.
pub(crate) struct Assignments<'g> {
    /// The name of the member's number.
    pub index: String,
    pub list: Vec<Assigned<'g>>,
}

/// Which members of a family a key speaks of.
enum ChosenMembers {
    /// All of them, with this name for the number.
    Each(String),
    /// One, by its number from 1.
    One(i64),
}

/// One expression per quantity, `None` where nothing is said. Whether something went wrong shows in the problems.
pub(crate) fn resolve<'g>(
    resolver: &mut Resolver<'g, '_>,
    assignments: &[Assignment],
    targets: Targets<'_>,
    place: &ExpressionPlace,
) -> Vec<Option<Expr<'g>>> {
    let mut values = vec![None; targets.len()];
    for Assignment { key, value } in assignments {
        let Some(found) = resolve_one(resolver, key, value, targets, place) else { continue };
        for assigned in found.list {
            if values[assigned.place].replace(assigned.value).is_some() {
                report_twice(resolver, key, targets, assigned.place);
                break;
            }
        }
    }
    values
}

/// The same with zero where nothing is said.
pub(crate) fn resolve_or_zero(
    resolver: &mut Resolver<'_, '_>,
    assignments: &[Assignment],
    targets: Targets<'_>,
    place: &ExpressionPlace,
) -> Vec<Id> {
    let zero = resolver.graph.int(0);
    let values = resolve(resolver, assignments, targets, place);
    values.into_iter().map(|value| value.unwrap_or(zero).id()).collect()
}

/// What one key says with one value.
pub(crate) fn resolve_one<'g>(
    resolver: &mut Resolver<'g, '_>,
    key: &SourceText,
    value: &ScalarSeries,
    targets: Targets<'_>,
    place: &ExpressionPlace,
) -> Option<Assignments<'g>> {
    let chosen = chosen(resolver, key, &[value], targets, Primes::Refused)?;
    let values = chosen.each(resolver, value, |resolver, scalar, member| resolver.number(scalar, place, member))?;
    let assigned =
        |((place, number), value): (&(usize, Option<i64>), _)| Assigned { place: *place, number: *number, value };
    let list = chosen.places.iter().zip(values).map(assigned).collect();
    Some(Assignments { index: chosen.index, list })
}

/// May a key have primes, as `"x'"`?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primes {
    Refused,
    Allowed,
}

/// The quantities that a key speaks of.
pub(crate) struct Chosen {
    /// The name of the member's number.
    pub index: String,
    /// How many primes follow the name.
    pub primes: u32,
    /// The place of each in the flat list, with the member's number where the key speaks of a whole family.
    pub places: Vec<(usize, Option<i64>)>,
}

/// The quantities that a key speaks of; `None`, which is reported, if there are none or not as many as values.
pub(crate) fn chosen(
    resolver: &mut Resolver<'_, '_>,
    key: &SourceText,
    values: &[&ScalarSeries],
    targets: Targets<'_>,
    primes: Primes,
) -> Option<Chosen> {
    let key_parts = take_apart(resolver, key, targets, primes)?;
    let (kind, first, primes, count) = (key_parts.kind, key_parts.first, key_parts.primes, key_parts.family.count);
    let (index, places) = match (members(resolver, key, key_parts)?, count) {
        (ChosenMembers::Each(index), Some(count)) => {
            for value in values {
                resolver.check_length(value, count)?;
            }
            (index, (1..=count).map(|number| (first + number as usize - 1, Some(number))).collect())
        }
        (members, _) => {
            for value in values {
                if let ScalarSeries::List { span, .. } = value {
                    let message = format!("`{}` is one {}, and this is a list", key.value, kind.word());
                    resolver.problems.push(Diagnostic::error(Code::WrongType, message).at(span.clone(), ""));
                    return None;
                }
            }
            match members {
                ChosenMembers::One(number) => (String::new(), vec![(first + number as usize - 1, None)]),
                ChosenMembers::Each(index) => (index, vec![(first, None)]),
            }
        }
    };
    Some(Chosen { index, primes, places })
}

impl Chosen {
    /// One value for each, read from the scalar that is meant for it; `None` if one of them failed.
    pub fn each<'g, 'p, T>(
        &self,
        resolver: &mut Resolver<'g, 'p>,
        value: &ScalarSeries,
        mut read: impl FnMut(&mut Resolver<'g, 'p>, &Scalar, MemberNumber<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        match value {
            ScalarSeries::One(scalar) => {
                let member = |number: Option<i64>| number.map(|number| (self.index.as_str(), number));
                self.places.iter().map(|(_, number)| read(resolver, scalar, member(*number))).collect()
            }
            ScalarSeries::List { items, .. } => {
                // All of them, so that every mistake in the list is found.
                let values: Vec<Option<T>> = items.iter().map(|item| read(resolver, item, None)).collect();
                values.into_iter().collect()
            }
        }
    }
}

/// Says that a key speaks of a quantity that has its value already.
pub(crate) fn report_twice(resolver: &mut Resolver<'_, '_>, key: &SourceText, targets: Targets<'_>, place: usize) {
    let mut before = 0;
    for families in targets.0 {
        if place < before + families.members()
            && let Some(family) = families.of_member(place - before)
        {
            let message = format!("`{}` is given twice", family.member(place - before - family.first));
            let diagnostic = Diagnostic::error(Code::DuplicateName, message);
            resolver.problems.push(diagnostic.at(key.span.clone(), "here again"));
            return;
        }
        before += families.members();
    }
}

/// A key taken apart: `x`, or `x[index]`, perhaps with primes.
pub(crate) struct AssignmentKey<'a> {
    name: String,
    family: &'a Family,
    kind: QuantityKind,
    /// The place of the family's first member in the flat list.
    first: usize,
    primes: u32,
    /// The text of the index, and whether it is a name.
    index: Option<(SourceText, bool)>,
}

/// Takes a key apart and finds its family; `None` if that is impossible, which is reported.
pub(crate) fn take_apart<'a>(
    resolver: &mut Resolver<'_, '_>,
    key: &SourceText,
    targets: Targets<'a>,
    primes: Primes,
) -> Option<AssignmentKey<'a>> {
    let ast = match Ast::expression(&key.value, &Limits::default()) {
        Ok(ast) => ast,
        Err(errors) => {
            errors.iter().for_each(|error| resolver.problems.push(diagnostic(error, key)));
            return None;
        }
    };
    let root = match ast.root() {
        Root::Expression(root) => Some(&ast.node(root).kind),
        Root::Equation { .. } => None,
    };
    let parts = match root {
        Some(AstKind::Name { name, primes }) => Some((*name, None, *primes)),
        Some(AstKind::Member { name, index, column: None, primes }) => Some((*name, Some(ast.node(*index)), *primes)),
        _ => None,
    };
    let (name, index, primes) = match parts {
        Some((name, index, found)) if found == 0 || primes == Primes::Allowed => (name, index, found),
        _ => {
            unknown(resolver, key, &key.value, targets);
            return None;
        }
    };
    let name = ast.slice(name).to_owned();
    let Some((family, kind, first)) = targets.family(&name) else {
        if !resolver.names.is_broken(&name) {
            unknown(resolver, key, &name, targets);
        }
        return None;
    };
    let index = index.map(|node| {
        let is_name = matches!(node.kind, AstKind::Name { primes: 0, .. });
        (key.part(node.span.start..node.span.end), is_name)
    });
    Some(AssignmentKey { name, family, kind, first, primes, index })
}

/// Which members of its family a key speaks of.
fn members(resolver: &mut Resolver<'_, '_>, key: &SourceText, parts: AssignmentKey<'_>) -> Option<ChosenMembers> {
    let AssignmentKey { name, family, kind, index, .. } = parts;
    let Some((text, is_name)) = index else { return Some(ChosenMembers::Each(family.index.clone())) };
    let Some(count) = family.count else {
        let message = format!("`{name}` is a single {} and takes no index", kind.word());
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(key.span.clone(), ""));
        return None;
    };
    if is_name && resolver.names.get(&text.value).is_none() {
        return Some(ChosenMembers::Each(text.value));
    }
    let span = text.span.clone();
    let number = resolver.integer(&Scalar::Text(text), "an index")?;
    if !(1..=count).contains(&number) {
        let message = format!("index {number} is outside `{name}[1]` to `{name}[{count}]`");
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(span, ""));
        return None;
    }
    Some(ChosenMembers::One(number))
}

fn unknown(resolver: &mut Resolver<'_, '_>, key: &SourceText, name: &str, targets: Targets<'_>) {
    let names = targets.0.iter().flat_map(|families| families.list.iter()).map(|family| family.name.text.as_str());
    let (message, listed) = match targets.0 {
        [families] => (
            format!("`{name}` is not {}", with_article(families.kind.word())),
            format!("the {} are", families.kind.plural()),
        ),
        several => {
            let words: Vec<String> = several.iter().map(|families| with_article(families.kind.word())).collect();
            (format!("`{name}` is neither {}", words.join(" nor ")), "these are".to_owned())
        }
    };
    let code = match targets.0 {
        [Families { kind: QuantityKind::Entropy, .. }] => Code::UnknownEntropy,
        [Families { kind: QuantityKind::Constraint, .. }] => Code::UnknownConstraint,
        _ => Code::UnknownCoordinate,
    };
    let help = help_for(name, &listed, names).or_else(|| match code {
        Code::UnknownEntropy => Some("declare it in [entropies]".to_owned()),
        _ if matches!(targets.0, [Families { kind: QuantityKind::Variable, .. }]) => {
            Some("declare it in `variables` of [poisson]".to_owned())
        }
        Code::UnknownConstraint => Some("declare it in [constraints]".to_owned()),
        _ => None,
    });
    resolver.problems.push(Diagnostic::error(code, message).at(key.span.clone(), "").maybe_help(help));
}

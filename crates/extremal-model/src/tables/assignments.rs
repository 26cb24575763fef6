//! Values per coordinate or entropy: forces, generators, heat, closed forms.

use extremal_expr::syntax::{Ast, AstKind, Limits, Root};
use extremal_expr::{Expr, Id};

use super::families::{Families, Family, Kind};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Entry, Reader, Scalar, Series};
use crate::names::Place;
use crate::resolver::{Resolver, diagnostic, with_article};
use crate::suggest::help_for;
use crate::text::Text;

/// `x = "..."`, `"x[i]" = "..."`, `"x[2]" = "..."` or `x = [.., ..]`.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub key: Text,
    pub value: Series,
}

pub(crate) fn read<'t>(reader: &mut Reader<'t, '_>, entries: Vec<Entry<'t>>) -> Vec<Assignment> {
    let mut assignments = Vec::new();
    for entry in entries {
        if let Some(value) = reader.series(&entry) {
            assignments.push(Assignment { key: reader.key(&entry), value });
        }
    }
    assignments
}

/// What values may be assigned to: all quantities of one kind, then those of the next, in one flat list.
#[derive(Clone, Copy)]
pub(crate) struct Targets<'a>(pub &'a [&'a Families]);

impl<'a> Targets<'a> {
    fn len(self) -> usize {
        self.0.iter().map(|families| families.members()).sum()
    }

    /// A family with its kind and the place of its first member in the flat list.
    fn family(self, name: &str) -> Option<(&'a Family, Kind, usize)> {
        let mut before = 0;
        for families in self.0 {
            if let Some(family) = families.get(name) {
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
    /// The member's number, where the assignment speaks of all members by it.
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
enum Members {
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
    place: &Place,
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
    place: &Place,
) -> Vec<Id> {
    let zero = resolver.graph.int(0);
    let values = resolve(resolver, assignments, targets, place);
    values.into_iter().map(|value| value.unwrap_or(zero).id()).collect()
}

/// What one key says with one value.
pub(crate) fn resolve_one<'g>(
    resolver: &mut Resolver<'g, '_>,
    key: &Text,
    value: &Series,
    targets: Targets<'_>,
    place: &Place,
) -> Option<Assignments<'g>> {
    let (family, kind, first, members) = target(resolver, key, targets)?;
    let one = |place, value| Assigned { place, number: None, value };
    Some(match (members, family.count) {
        (Members::One(number), _) => {
            let value = single(resolver, key, value, kind, place)?;
            Assignments { index: String::new(), list: vec![one(first + number as usize - 1, value)] }
        }
        (Members::Each(index), None) => {
            let value = single(resolver, key, value, kind, place)?;
            Assignments { index, list: vec![one(first, value)] }
        }
        (Members::Each(index), Some(count)) => {
            let values = resolver.series(value, place, &index, count)?;
            let assigned =
                |(position, value)| Assigned { place: first + position, number: Some(position as i64 + 1), value };
            Assignments { index, list: values.into_iter().enumerate().map(assigned).collect() }
        }
    })
}

/// Says that a key speaks of a quantity that has its value already.
pub(crate) fn report_twice(resolver: &mut Resolver<'_, '_>, key: &Text, targets: Targets<'_>, place: usize) {
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

fn single<'g>(
    resolver: &mut Resolver<'g, '_>,
    key: &Text,
    value: &Series,
    kind: Kind,
    place: &Place,
) -> Option<Expr<'g>> {
    match value {
        Series::One(scalar) => resolver.number(scalar, place, None),
        Series::List { span, .. } => {
            let message = format!("`{}` is one {}, and this is a list", key.value, kind.word());
            resolver.problems.push(Diagnostic::error(Code::WrongType, message).at(span.clone(), ""));
            None
        }
    }
}

/// A key taken apart: `x`, or `x[index]`.
pub(crate) struct Key<'a> {
    name: String,
    family: &'a Family,
    kind: Kind,
    first: usize,
    /// The text of the index, and whether it is a name.
    index: Option<(Text, bool)>,
}

/// Takes a key apart and finds its family; `None` if that is impossible, which is reported.
pub(crate) fn take_apart<'a>(resolver: &mut Resolver<'_, '_>, key: &Text, targets: Targets<'a>) -> Option<Key<'a>> {
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
    let (name, index) = match root {
        Some(AstKind::Name { name, primes: 0 }) => (*name, None),
        Some(AstKind::Member { name, index, primes: 0 }) => (*name, Some(ast.node(*index))),
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
    Some(Key { name, family, kind, first, index })
}

/// The family a key names, its kind, the place of its first member, and which members.
fn target<'a>(
    resolver: &mut Resolver<'_, '_>,
    key: &Text,
    targets: Targets<'a>,
) -> Option<(&'a Family, Kind, usize, Members)> {
    let Key { name, family, kind, first, index } = take_apart(resolver, key, targets)?;
    let Some((text, is_name)) = index else {
        return Some((family, kind, first, Members::Each(family.index.clone())));
    };
    let Some(count) = family.count else {
        let message = format!("`{name}` is a single {} and takes no index", kind.word());
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(key.span.clone(), ""));
        return None;
    };
    if is_name && resolver.names.get(&text.value).is_none() {
        return Some((family, kind, first, Members::Each(text.value)));
    }
    let span = text.span.clone();
    let number = resolver.integer(&Scalar::Text(text), "an index")?;
    if !(1..=count).contains(&number) {
        let message = format!("index {number} is outside `{name}[1]` to `{name}[{count}]`");
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(span, ""));
        return None;
    }
    Some((family, kind, first, Members::One(number)))
}

fn unknown(resolver: &mut Resolver<'_, '_>, key: &Text, name: &str, targets: Targets<'_>) {
    let names = targets.0.iter().flat_map(|families| families.list.iter()).map(|family| family.name.text.as_str());
    let (message, listed) = match targets.0 {
        [families] => (
            format!("`{name}` is not {}", with_article(families.kind.word())),
            format!("the {} are", families.kind.plural()),
        ),
        _ => (format!("`{name}` is neither a coordinate nor an entropy"), "these are".to_owned()),
    };
    let code = match targets.0 {
        [Families { kind: Kind::Entropy, .. }] => Code::UnknownEntropy,
        _ => Code::UnknownCoordinate,
    };
    let help = help_for(name, &listed, names)
        .or_else(|| (code == Code::UnknownEntropy).then(|| "declare it in [entropies]".to_owned()));
    resolver.problems.push(Diagnostic::error(code, message).at(key.span.clone(), "").maybe_help(help));
}

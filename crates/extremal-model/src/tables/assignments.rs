//! Values per coordinate: forces, generators, closed forms.

use extremal_expr::Expr;
use extremal_expr::syntax::{Ast, AstKind, Limits, Root};

use super::coordinates::{Coordinates, Family};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Entry, Reader, Scalar, Series};
use crate::names::Place;
use crate::resolver::{Resolver, diagnostic};
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

/// Which members of a family a key speaks of.
enum Members {
    /// All of them, with this name for the number.
    Each(String),
    /// One, by its number from 1.
    One(i64),
}

/// One expression per coordinate, `None` where nothing is said. Whether something went wrong shows in the problems.
pub(crate) fn resolve<'g>(
    resolver: &mut Resolver<'g, '_>,
    assignments: &[Assignment],
    coordinates: &Coordinates,
    place: &Place,
) -> Vec<Option<Expr<'g>>> {
    let mut values = vec![None; coordinates.list.len()];
    for assignment in assignments {
        let Some((family, members)) = target(resolver, &assignment.key, coordinates) else { continue };
        let (first, found) = match members {
            Members::One(number) => {
                let Some(value) = single(resolver, assignment, place) else { continue };
                (family.first + number as usize - 1, vec![value])
            }
            Members::Each(index) => match family.count {
                None => (family.first, single(resolver, assignment, place).into_iter().collect()),
                Some(count) => {
                    (family.first, resolver.series(&assignment.value, place, &index, count).unwrap_or_default())
                }
            },
        };
        for (position, value) in found.into_iter().enumerate() {
            if values[first + position].replace(value).is_some() {
                let name = &coordinates.list[first + position].name;
                let message = format!("`{name}` is given twice");
                let span = assignment.key.span.clone();
                resolver.problems.push(Diagnostic::error(Code::DuplicateName, message).at(span, "here again"));
                break;
            }
        }
    }
    values
}

fn single<'g>(resolver: &mut Resolver<'g, '_>, assignment: &Assignment, place: &Place) -> Option<Expr<'g>> {
    match &assignment.value {
        Series::One(scalar) => resolver.number(scalar, place, None),
        Series::List { span, .. } => {
            let message = format!("`{}` is one coordinate, and this is a list", assignment.key.value);
            resolver.problems.push(Diagnostic::error(Code::WrongType, message).at(span.clone(), ""));
            None
        }
    }
}

/// The family a key names, and which members.
fn target<'c>(
    resolver: &mut Resolver<'_, '_>,
    key: &Text,
    coordinates: &'c Coordinates,
) -> Option<(&'c Family, Members)> {
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
        Some(AstKind::Member { name, index, primes: 0 }) => (*name, Some(*index)),
        _ => {
            unknown(resolver, key, &key.value, coordinates);
            return None;
        }
    };
    let name = ast.slice(name);
    let Some(family) = coordinates.family(name) else {
        if !resolver.names.is_broken(name) {
            unknown(resolver, key, name, coordinates);
        }
        return None;
    };
    let Some(index) = index else {
        return Some((family, Members::Each(family.index.clone())));
    };
    let node = ast.node(index);
    let text = key.part(node.span.start..node.span.end);
    let Some(count) = family.count else {
        let message = format!("`{name}` is a single coordinate and takes no index");
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(key.span.clone(), ""));
        return None;
    };
    if matches!(node.kind, AstKind::Name { primes: 0, .. }) && resolver.names.get(&text.value).is_none() {
        return Some((family, Members::Each(text.value)));
    }
    let span = text.span.clone();
    let number = resolver.integer(&Scalar::Text(text), "an index")?;
    if !(1..=count).contains(&number) {
        let message = format!("index {number} is outside `{name}[1]` to `{name}[{count}]`");
        resolver.problems.push(Diagnostic::error(Code::InvalidIndex, message).at(span, ""));
        return None;
    }
    Some((family, Members::One(number)))
}

fn unknown(resolver: &mut Resolver<'_, '_>, key: &Text, name: &str, coordinates: &Coordinates) {
    let names = coordinates.families.iter().map(|family| family.name.text.as_str());
    let help = help_for(name, "the coordinates are", names);
    let message = format!("`{name}` is not a coordinate");
    resolver
        .problems
        .push(Diagnostic::error(Code::UnknownCoordinate, message).at(key.span.clone(), "").maybe_help(help));
}

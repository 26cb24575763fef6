//! Conditions on expressions, along the way or at an end: `x^2 + y^2 >= r^2`.

use extremal_expr::{Expr, Function, Function2, Id, Node, Relation};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::Scalar;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// More pieces than this are not made of one condition by taking absolute values, `min` and `max` apart.
const MOST_PARTS: usize = 64;

/// A condition on an expression. What was written with `and`, `abs`, `min` or `max` is several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryCondition {
    /// As it was written.
    pub text: String,
    /// What may not be positive, or must vanish in an equation.
    pub expression: Id,
    /// Is it an equation?
    pub equation: bool,
    /// Where it is stated.
    pub span: Span,
}

/// The symbol of what moves at the start or at the end of the motion, in a link between both.
pub fn at_end_of_motion(symbol: Expr<'_>, end: bool) -> Expr<'_> {
    symbol.graph().symbol(&format!("{symbol} at the {}", if end { "end" } else { "start" }))
}

/// Gives the texts their meaning; those without one are reported. `sought` are parameters that are to be found.
pub(super) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    stated: &[SourceText],
    place: &ExpressionPlace,
    sought: &[&str],
) -> Vec<BoundaryCondition> {
    let mut all = Vec::new();
    for text in stated {
        let before = resolver.problems.errors();
        let Some(parts) = parts_of(resolver, text, place) else { continue };
        // Where a name is in error, it may stand for what moves.
        let broken = resolver.problems.errors() > before || resolver.is_broken(&text.value);
        for (expression, equation) in parts {
            if !broken && !moves(resolver, expression, sought) {
                let message = format!("`{}` says nothing about the motion", text.value);
                let diagnostic =
                    Diagnostic::error(Code::EmptyConstraint, message).at(text.span.clone(), "nothing moves in this");
                resolver.problems.push(diagnostic);
                break;
            }
            let (text, span) = (text.value.clone(), text.span.clone());
            all.push(BoundaryCondition { text, expression: expression.id(), equation, span });
        }
    }
    all
}

/// Does an expression contain anything but parameters that are given and the independent variable?
fn moves<'g>(resolver: &Resolver<'g, '_>, expression: Expr<'g>, sought: &[&str]) -> bool {
    let time = resolver.names.time();
    let known = |symbol: &Expr<'g>| {
        let given = |name: &str| resolver.values.contains_key(name) && !sought.contains(&name);
        *symbol == time || symbol.as_symbol().is_some_and(|name| given(&name))
    };
    resolver.graph.free_symbols(&[expression]).iter().any(|symbol| !known(symbol))
}

/// The expressions of a condition, and whether they are to vanish. `None` for an error, which is reported.
fn parts_of<'g>(
    resolver: &mut Resolver<'g, '_>,
    text: &SourceText,
    place: &ExpressionPlace,
) -> Option<Vec<(Expr<'g>, bool)>> {
    let scalar = Scalar::Text(text.clone());
    if is_equation(&text.value) {
        let (left, right) = resolver.equation(&scalar, place, None)?;
        return Some(vec![(left - right, true)]);
    }
    let condition = resolver.condition(&scalar, place, None)?;
    let mut left = vec![condition];
    let mut parts = Vec::new();
    while let Some(next) = left.pop() {
        let graph = resolver.graph;
        let difference = |a: Id, b: Id| graph.expr(a) - graph.expr(b);
        let refused = match next.node() {
            // In this order they are looked at.
            Node::And(a, b) => {
                left.extend([graph.expr(b), graph.expr(a)]);
                continue;
            }
            Node::Compare(Relation::Lt | Relation::Le, a, b) => {
                parts.extend(smooth_parts(difference(a, b)).into_iter().map(|part| (part, false)));
                continue;
            }
            Node::Compare(Relation::Eq, a, b) => {
                parts.push((difference(a, b), true));
                continue;
            }
            Node::Truth(true) => "it is always true",
            Node::Truth(false) => "it is never true",
            Node::Compare(Relation::Ne, ..) => "what is different may be as near as one likes",
            _ => "conditions are joined by `and`, or stand in a list; `or` and `not` leave open which of them hold",
        };
        let message = format!("`{}` cannot be a condition of a motion", text.value);
        let help = "write a comparison, \"x^2 + y^2 >= r^2\", or an equation, \"y = x^2\"";
        resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(text.span.clone(), refused).help(help));
        return None;
    }
    Some(parts)
}

/// Is there an `=` that is no part of `==`, `<=`, `>=` or `!=`?
pub(super) fn is_equation(text: &str) -> bool {
    let bytes = text.as_bytes();
    let alone = |at: usize| {
        let before = at.checked_sub(1).map(|before| bytes[before]);
        !matches!(before, Some(b'<' | b'>' | b'=' | b'!')) && bytes.get(at + 1) != Some(&b'=')
    };
    (0..bytes.len()).any(|at| bytes[at] == b'=' && alone(at))
}

/// What is at most zero where `expression` is: absolute values and the larger of several that are added are taken apart, so that what
/// is left has slopes everywhere.
pub(in super::super) fn smooth_parts(expression: Expr<'_>) -> Vec<Expr<'_>> {
    let mut left = vec![expression];
    let mut parts = Vec::new();
    while let Some(next) = left.pop() {
        match branches(next).filter(|_| left.len() + parts.len() < MOST_PARTS) {
            Some(both) => left.extend(both.into_iter().rev()),
            None => parts.push(next),
        }
    }
    parts
}

/// Two expressions of which the larger one is this, if there is a term to be taken apart.
fn branches(expression: Expr<'_>) -> Option<[Expr<'_>; 2]> {
    let graph = expression.graph();
    let terms: Vec<(Id, bool)> = match expression.node() {
        Node::Sum { terms, .. } => terms.iter().map(|(id, factor)| (*id, !factor.is_negative())).collect(),
        _ => vec![(expression.id(), true)],
    };
    terms.into_iter().find_map(|(term, added)| {
        let both = match (graph.expr(term).node(), added) {
            (Node::Call(Function::Abs, inner), true) => [graph.expr(inner), -graph.expr(inner)],
            (Node::Call2(Function2::Max, a, b), true) | (Node::Call2(Function2::Min, a, b), false) => {
                [graph.expr(a), graph.expr(b)]
            }
            _ => return None,
        };
        Some(both.map(|one| replaced_term(expression, graph.expr(term), one)))
    })
}

/// The sum with another term in the place of one.
fn replaced_term<'g>(sum: Expr<'g>, term: Expr<'g>, by: Expr<'g>) -> Expr<'g> {
    let graph = sum.graph();
    let Node::Sum { terms, .. } = sum.node() else { return by };
    let factor = terms.iter().find(|(id, _)| *id == term.id()).map(|(_, factor)| graph.rational(factor.clone()));
    factor.map_or(sum, |factor| sum - factor * term + factor * by)
}

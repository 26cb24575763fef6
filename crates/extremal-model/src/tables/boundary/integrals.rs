//! Integrals over the motion that have a value, or a largest or smallest one.

use extremal_expr::{Expr, Id, Node, Relation};

use super::conditions::is_equation;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Name, Scalar};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// How an integral is compared with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegralRelation {
    /// It is this.
    Equal,
    /// It is not larger.
    AtMost,
    /// It is not smaller.
    AtLeast,
}

/// An isoperimetric constraint: the integral over the motion has a given value, or one on a side of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegralConstraint {
    /// Its name.
    pub name: String,
    /// What is integrated, an expression of positions, velocities, entropies, controls, the independent variable and parameters.
    pub integrand: Id,
    /// What it is compared with.
    pub value: Id,
    /// How.
    pub relation: IntegralRelation,
    /// Where it is stated.
    pub span: Span,
}

/// What is integrated, what comes out, and how both are compared; `None` for an error, which is reported.
fn integral<'g>(resolver: &mut Resolver<'g, '_>, scalar: &Scalar) -> Option<(Expr<'g>, Expr<'g>, IntegralRelation)> {
    let place = &ExpressionPlace::INTEGRAND;
    let compares = |text: &&str| !is_equation(text) && text.contains(['<', '>']);
    let Some(text) = scalar_text(scalar).filter(compares) else {
        let (integrand, value) = resolver.equation(scalar, place, None)?;
        return Some((integrand, value, IntegralRelation::Equal));
    };
    let condition = resolver.condition(scalar, place, None)?;
    let graph = resolver.graph;
    let Node::Compare(Relation::Lt | Relation::Le, smaller, larger) = condition.node() else {
        let message = format!("`{text}` does not compare an integral with a value");
        let help = "write \"u^2 = 3\", \"u^2 <= 3\" or \"u^2 >= 3\"";
        resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(scalar.span(), "").help(help));
        return None;
    };
    let (smaller, larger) = (graph.expr(smaller), graph.expr(larger));
    let known = graph.free_symbols(&[smaller]).iter().all(|symbol| is_value(resolver, symbol));
    Some(match known {
        true => (larger, smaller, IntegralRelation::AtLeast),
        false => (smaller, larger, IntegralRelation::AtMost),
    })
}

fn scalar_text(scalar: &Scalar) -> Option<&str> {
    match scalar {
        Scalar::Text(text) => Some(&text.value),
        Scalar::Number { .. } => None,
    }
}

fn is_value(resolver: &Resolver<'_, '_>, symbol: &Expr<'_>) -> bool {
    symbol.as_symbol().is_some_and(|name| resolver.values.contains_key(&*name))
}

/// `length = "sqrt(1 + y'^2) = 2"`: what is integrated, and what comes out.
pub(super) fn resolve(resolver: &mut Resolver<'_, '_>, stated: &[(Name, Scalar)]) -> Vec<IntegralConstraint> {
    let mut all = Vec::new();
    for (name, scalar) in stated {
        let Some((integrand, value, relation)) = integral(resolver, scalar) else { continue };
        let span = scalar.span();
        let symbols = resolver.graph.free_symbols(&[value]);
        let open = symbols.iter().find(|symbol| !is_value(resolver, symbol));
        // Where a name is in error, it may stand for a parameter.
        let broken = matches!(scalar, Scalar::Text(text) if resolver.is_broken(&text.value));
        if let Some(open) = open.filter(|_| !broken) {
            let message = format!("`{open}` cannot be used in the value of the integral `{}`", name.text);
            let help = "left of the sign stands what is integrated, right of it what comes out: numbers and parameters";
            resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(span, "").help(help));
            continue;
        }
        let (name, integrand, value) = (name.text.clone(), integrand.id(), value.id());
        all.push(IntegralConstraint { name, integrand, value, relation, span });
    }
    all
}

//! The size of the terms of an expression: what round-off in it is relative to.

use crate::{Expr, Function, Node};

/// Sums inside sums, down to this depth: differences of accelerations under products, in the second derivative of a constraint, are
/// the deepest that matter.
const DEPTH: u32 = 5;

/// `Σ |term|` of a sum, also inside products of sums, to a small depth: a residual is "zero" when it is a few ε below this.
/// Functions that round-off in their arguments may change by more than round-off in their values, as the sine of an angle after
/// many turns or the logarithm of a number near one, count with that change.
///
/// ```
/// # use extremal_expr::{Graph, magnitude};
/// let g = Graph::new();
/// let (x, y) = (g.symbol("x"), g.symbol("y"));
/// assert_eq!(magnitude(x * y - x), x.abs() * y.abs() + x.abs());
/// ```
pub fn magnitude(f: Expr<'_>) -> Expr<'_> {
    nested(f, DEPTH)
}

fn nested(f: Expr<'_>, depth: u32) -> Expr<'_> {
    let g = f.graph();
    match f.node() {
        Node::Sum { constant, terms } if depth > 0 => {
            let sizes = terms.iter().map(|(id, c)| nested(g.expr(*id), depth - 1) * g.rational(c.abs()));
            g.sum(sizes.chain([g.rational(constant.abs())]))
        }
        Node::Grouped(inner) => nested(g.expr(inner), depth),
        Node::Product(factors) if depth > 0 => g.product(factors.iter().map(|(id, e)| match *e > 0 {
            true => nested(g.expr(*id), depth - 1).powi(*e),
            false => g.expr(*id).powi(*e).abs(),
        })),
        Node::Call(Function::Sin | Function::Cos | Function::Exp | Function::Log, argument) if depth > 0 => {
            let argument = g.expr(argument);
            let changes = g.directional(&[f], &[(argument, nested(argument, depth - 1))]);
            g.sum(changes.iter().map(|change| change.abs()).chain([f.abs()]))
        }
        _ => f.abs(),
    }
}

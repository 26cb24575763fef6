//! Sines and cosines of sums of angles by those of the angles.

use rustc_hash::FxHashSet;

use crate::{Expr, Function, Graph, Id, Node};

/// The same functions, with sines and cosines of sums and differences of two angles written by the addition theorems where the sines
/// or cosines of both angles are needed anyway: a few products instead of another sine and cosine. For nearly equal angles the
/// result has the round-off of the angles, and not of their difference.
///
/// ```
/// # use extremal_expr::{Graph, with_angles_apart};
/// let g = Graph::new();
/// let (a, b) = (g.symbol("a"), g.symbol("b"));
/// let f = (a - b).cos() + a.sin() * b.cos();
/// assert_eq!(with_angles_apart(&g, &[f])[0], a.cos() * b.cos() + a.sin() * b.sin() + a.sin() * b.cos());
/// assert_eq!(with_angles_apart(&g, &[(a - b).cos() + a.sin()])[0], (a - b).cos() + a.sin());
/// ```
pub fn with_angles_apart<'g>(g: &'g Graph, functions: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let ids: Vec<Id> = functions.iter().map(|f| f.id()).collect();
    let calls: Vec<(Expr<'g>, Function, Id)> = g
        .exprs(&g.reachable(&ids))
        .into_iter()
        .filter_map(|e| match e.node() {
            Node::Call(function @ (Function::Sin | Function::Cos), argument) => Some((e, function, argument)),
            _ => None,
        })
        .collect();
    let angles: FxHashSet<Id> = calls.iter().map(|(.., argument)| *argument).collect();
    let apart = |(call, function, argument): &(Expr<'g>, Function, Id)| {
        let Node::Sum { constant, terms } = g.expr(*argument).node() else { return None };
        let [(a, first), (b, second)] = &terms[..] else { return None };
        let units = constant.is_zero() && first.abs().is_one() && second.abs().is_one();
        if !units || !angles.contains(a) || !angles.contains(b) {
            return None;
        }
        let (a, b, first, second) = (g.expr(*a), g.expr(*b), g.rational(first.clone()), g.rational(second.clone()));
        let written = match function {
            Function::Sin => first * a.sin() * b.cos() + second * a.cos() * b.sin(),
            _ => a.cos() * b.cos() - first * second * a.sin() * b.sin(),
        };
        Some((*call, written))
    };
    let rules: Vec<_> = calls.iter().filter_map(apart).collect();
    g.substitute(functions, &rules)
}

//! Functions as functions of quadratic ones: (X6) of docs/theory.md.

use extremal_expr::{Expr, Graph, Id, Node};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::System;

/// Some functions f, each written as f(π_1, …, π_r) by the largest pieces π of their formulas that are polynomials of degree two at most.
pub(super) struct QuadraticParts<'g> {
    /// The polynomials, in the variables.
    pub parts: Vec<Expr<'g>>,
    /// What stands for them in the functions.
    pub symbols: Vec<Expr<'g>>,
    /// The functions, in these symbols.
    pub functions: Vec<Expr<'g>>,
}

/// The highest degree of a piece: the gradient at the middle of a step then gives its difference exactly.
const QUADRATIC: u32 = 2;

impl<'g> QuadraticParts<'g> {
    /// Takes the functions apart, in these variables. Variables that stand alone are parts too, so that this always succeeds.
    pub fn of(system: &System<'g>, functions: &[Expr<'g>], variables: &[Expr<'g>]) -> Self {
        let g = system.graph;
        let roots: Vec<Id> = functions.iter().map(|f| f.id()).collect();
        let nodes = g.reachable(&roots);
        let degrees = degrees(g, &nodes, variables);
        let mut taken = QuadraticParts { parts: Vec::new(), symbols: Vec::new(), functions: Vec::new() };
        let mut rules: Vec<(Expr<'g>, Expr<'g>)> = Vec::new();
        let opened = opened(g, &nodes, roots, &degrees);
        for id in nodes.into_iter().filter(|id| opened.contains(id)) {
            let node = g.expr(id);
            if is_part(&degrees, id) {
                let symbol = taken.symbol(system, node);
                rules.push((node, symbol));
            } else if let Node::Sum { constant, terms } = node.node() {
                let (low, high): (Vec<_>, Vec<_>) = terms.iter().partition(|(id, _)| is_part(&degrees, *id));
                let sum = |terms: &[&(Id, extremal_expr::Rational)]| {
                    g.sum(terms.iter().map(|(id, factor)| g.expr(*id) * g.rational(factor.clone())))
                };
                if !low.is_empty() {
                    let symbol = taken.symbol(system, sum(&low));
                    let rest = sum(&high).substitute(&rules);
                    rules.push((node, symbol + rest + g.rational(constant)));
                }
            }
        }
        taken.functions = g.substitute(functions, &rules);
        taken
    }

    /// The symbol of a part: the same for the same.
    fn symbol(&mut self, system: &System<'g>, part: Expr<'g>) -> Expr<'g> {
        if let Some(at) = self.parts.iter().position(|known| *known == part) {
            return self.symbols[at];
        }
        let symbol = system.symbol(&format!("part_{}", self.parts.len() + 1));
        self.parts.push(part);
        self.symbols.push(symbol);
        symbol
    }
}

/// The degree of every node as a polynomial of the variables; none for what is not a polynomial.
fn degrees(g: &Graph, nodes: &[Id], variables: &[Expr<'_>]) -> FxHashMap<Id, Option<u32>> {
    let mut degrees: FxHashMap<Id, Option<u32>> = FxHashMap::default();
    let variables: FxHashSet<Id> = variables.iter().map(|variable| variable.id()).collect();
    for id in nodes {
        let node = g.expr(*id).node();
        let of = |child: &Id| degrees.get(child).copied().flatten();
        let degree = match &node {
            Node::Symbol(_) => Some(u32::from(variables.contains(id))),
            Node::Sum { terms, .. } => terms.iter().map(|(term, _)| of(term)).try_fold(0, |a, b| Some(b?.max(a))),
            Node::Product(factors) => factors.iter().map(|(base, e)| power(of(base)?, *e)).try_fold(0, |a, b| {
                let sum: u32 = a + b?;
                (sum <= QUADRATIC).then_some(sum)
            }),
            Node::Grouped(inner) => of(inner),
            other => {
                let mut constant = true;
                other.for_each_child(|child| constant &= of(&child) == Some(0));
                constant.then_some(0)
            }
        };
        degrees.insert(*id, degree);
    }
    degrees
}

/// The degree of a power of a polynomial, where it is one of degree two at most.
fn power(degree: u32, exponent: i64) -> Option<u32> {
    match degree {
        0 => Some(0),
        _ => u32::try_from(exponent).ok()?.checked_mul(degree).filter(|degree| *degree <= QUADRATIC),
    }
}

fn is_part(degrees: &FxHashMap<Id, Option<u32>>, id: Id) -> bool {
    degrees.get(&id).copied().flatten().is_some_and(|degree| degree > 0)
}

/// The nodes that are looked into from the roots: parts are not, and of a sum only the terms that are no polynomials.
fn opened(g: &Graph, nodes: &[Id], roots: Vec<Id>, degrees: &FxHashMap<Id, Option<u32>>) -> FxHashSet<Id> {
    let mut opened: FxHashSet<Id> = roots.into_iter().collect();
    for id in nodes.iter().rev() {
        if !opened.contains(id) || degrees.get(id).is_some_and(Option::is_some) {
            continue;
        }
        let node = g.expr(*id).node();
        let sum = matches!(node, Node::Sum { .. });
        node.for_each_child(|child| {
            if !(sum && is_part(degrees, child)) {
                opened.insert(child);
            }
        });
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(f: Expr<'_>, system: &System<'_>) -> (Vec<String>, String) {
        let variables = [&system.q[..], &system.p].concat();
        let parts = QuadraticParts::of(system, &[f], &variables);
        let back: Vec<_> = parts.symbols.iter().copied().zip(parts.parts.iter().copied()).collect();
        assert!(system.graph.proves_zero(parts.functions[0].substitute(&back) - f), "{f}");
        assert!(!parts.functions[0].depends_on(&variables), "{}", parts.functions[0]);
        (parts.parts.iter().map(|part| part.to_string()).collect(), parts.functions[0].to_string())
    }

    #[test]
    fn the_largest_quadratic_pieces_are_found() {
        let g = Graph::new();
        let [x, y, k] = ["x", "y", "k"].map(|name| g.symbol(name));
        let system = System::new(&g, &["x", "y"], x);
        let (px, py) = (system.p[0], system.p[1]);
        let square = x.powi(2) + y.powi(2);
        let kinetic = (px.powi(2) + py.powi(2)) / k / 2;
        // A potential of the distance; terms of degree two are one part, whatever stands between them.
        let (parts, f) = written(kinetic + (square * k).log() + k * x * y + 3, &system);
        assert_eq!(parts.len(), 2, "{parts:?}");
        assert!(f.contains("log(part_"), "{f}");
        // The quartic (x² + y²)² has one part, and x⁴ its variable.
        assert_eq!(written(square.powi(2), &system).0, [square.to_string()]);
        assert_eq!(written(x.powi(4), &system).0, ["x"]);
        assert_eq!(written(square.sqrt().powi(-3) * x, &system).0.len(), 2);
        // Nothing is left to be taken apart where all is quadratic, or nothing depends on the variables.
        assert_eq!(written(kinetic, &system).0.len(), 1);
        assert!(written(k.exp(), &system).0.is_empty());
    }
}

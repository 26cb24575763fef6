//! Parts that occur many times, named: a graph shares its sub-expressions and text cannot.

use std::collections::HashSet;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use crate::build::Arena;
use crate::{Expr, Graph, Id, Node};

/// Expressions of at most this many nodes, counted as they are written, are written as they are.
const SHORT: u64 = 4000;
/// So are those that are not longer than this many times what they consist of: naming would not shorten them.
const REPEATED: u64 = 4;
/// Parts shorter than this are written wherever they occur.
const SHORTEST_PART: u64 = 10;

/// Expressions in which what they share has names.
pub struct Shared<'g> {
    /// The expressions, in terms of the names.
    pub written: Vec<Expr<'g>>,
    /// Names and what they stand for, each in terms of those before it.
    pub parts: Vec<(Expr<'g>, Expr<'g>)>,
}

impl Graph {
    /// Names what occurs several times in the expressions that would be too long to write, and leaves the others as they are.
    /// The names `c1`, `c2`, … avoid the symbols of the expressions and those that `taken` knows.
    ///
    /// ```
    /// use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let mut f = g.symbol("x");
    /// for _ in 0..30 {
    ///     f = f.powi(2) + f.sin() * 2;
    /// }
    /// // Written out it would have more than 2^30 symbols.
    /// let shared = g.shared(&[f], |_| false);
    /// assert_eq!(shared.parts[0].1.to_string(), "(x^2 + 2*sin(x))^2 + 2*sin(x^2 + 2*sin(x))");
    /// assert_eq!(shared.written[0].to_string(), "(c14^2 + 2*sin(c14))^2 + 2*sin(c14^2 + 2*sin(c14))");
    /// ```
    pub fn shared<'g>(&'g self, expressions: &[Expr<'g>], taken: impl Fn(&str) -> bool) -> Shared<'g> {
        let (lengths, distinct) = self.lengths(expressions);
        let long = |e: &&Expr<'g>| {
            let length = lengths[&e.id()];
            length > SHORT && length / REPEATED > distinct
        };
        let roots: Vec<Expr<'g>> = expressions.iter().filter(long).copied().collect();
        if roots.is_empty() {
            return Shared { written: expressions.to_vec(), parts: Vec::new() };
        }
        let symbols = self.free_symbols(&roots);
        let known: HashSet<_> = symbols.iter().filter_map(|symbol| symbol.as_symbol()).collect();
        let mut names = (1..).map(|k| format!("c{k}")).filter(|name| !known.contains(name.as_str()) && !taken(name));
        let (images, parts) = self.with(|arena| name_parts(arena, &roots, &mut names));
        let parts = parts.into_iter().map(|(name, part)| (self.expr(name), self.expr(part))).collect();
        let written = expressions.iter().map(|e| if long(&e) { self.expr(images[&e.id()]) } else { *e });
        Shared { written: written.collect(), parts }
    }

    /// The length of each node below `expressions` when it is written out, saturating, and the number of the nodes.
    pub(crate) fn lengths(&self, expressions: &[Expr<'_>]) -> (FxHashMap<Id, u64>, u64) {
        let arena = self.arena();
        let nodes = arena.reachable(expressions.iter().map(|e| e.id()));
        let distinct = nodes.len() as u64;
        let mut lengths: FxHashMap<Id, u64> = FxHashMap::default();
        for id in nodes {
            let mut total = 1u64;
            arena.node(id).for_each_child(|child| total = total.saturating_add(lengths[&child]));
            lengths.insert(id, total);
        }
        (lengths, distinct)
    }
}

type Images = FxHashMap<Id, Id>;

/// The image of every node below `roots`, and the named parts.
fn name_parts(
    arena: &mut Arena,
    roots: &[Expr<'_>],
    names: &mut impl Iterator<Item = String>,
) -> (Images, Vec<(Id, Id)>) {
    let nodes = arena.reachable(roots.iter().map(|e| e.id()));
    let mut uses: FxHashMap<Id, u32> = FxHashMap::default();
    for id in &nodes {
        arena.node(*id).for_each_child(|child| *uses.entry(child).or_default() += 1);
    }
    let (mut images, mut lengths, mut parts) = (Images::default(), FxHashMap::<Id, u64>::default(), Vec::new());
    for id in nodes {
        let node = arena.node(id).clone();
        let mut length = 1u64;
        node.for_each_child(|child| length = length.saturating_add(lengths[&child]));
        let image = arena.rebuild(&node, |child| images[&child]);
        let condition =
            matches!(node, Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) | Node::Truth(_));
        let repeated = uses.get(&id).is_some_and(|uses| *uses > 1);
        let name = if repeated && !condition && length >= SHORTEST_PART { names.next() } else { None };
        let name = name.map(|name| arena.symbol(&name));
        parts.extend(name.map(|name| (name, image)));
        lengths.insert(id, if name.is_some() { 1 } else { length });
        images.insert(id, name.unwrap_or(image));
    }
    (images, parts)
}

impl<'g> Expr<'g> {
    /// Text on one line: where the expression would be too long, `expression where c1 = …, c2 = …`.
    pub fn text_with_parts(self) -> String {
        self.with_parts(|e| e.to_string(), " where ", ", ")
    }

    /// The same as LaTeX.
    pub fn latex_with_parts(self) -> String {
        self.with_parts(|e| e.latex().to_string(), r"\quad\text{where }", r",\; ")
    }

    /// The same as MathML, in pieces between which a line may end.
    pub fn mathml_with_parts(self) -> Vec<String> {
        let shared = self.graph().shared(&[self], |_| false);
        let mut pieces = shared.written[0].mathml();
        for (place, (name, part)) in shared.parts.iter().enumerate() {
            pieces.push(if place == 0 { "<mtext>\u{a0}where\u{a0}</mtext>" } else { "<mo>,</mo>" }.to_owned());
            pieces.extend(name.mathml());
            pieces.push("<mo>=</mo>".to_owned());
            pieces.extend(part.mathml());
        }
        pieces
    }

    fn with_parts(self, write: impl Fn(Expr<'g>) -> String, first: &str, next: &str) -> String {
        let shared = self.graph().shared(&[self], |_| false);
        let mut text = write(shared.written[0]);
        for (place, (name, part)) in shared.parts.iter().enumerate() {
            let _ = write!(text, "{}{} = {}", if place == 0 { first } else { next }, write(*name), write(*part));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// a_(k+1) = a_k² + sin(a_k): doubling with every level.
    fn nested(g: &Graph, levels: usize) -> Expr<'_> {
        (0..levels).fold(g.symbol("a0"), |a, _| a.powi(2) + a.sin())
    }

    #[test]
    fn what_is_named_has_the_same_value() {
        let g = Graph::new();
        let f = nested(&g, 14) + g.symbol("c2");
        let shared = g.shared(&[f, g.symbol("y")], |name| name == "c1");
        assert_eq!(shared.written[1], g.symbol("y"));
        let names: Vec<String> = shared.parts.iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(&names[..2], ["c3", "c4"], "c1 and c2 are taken");
        let back = shared.parts.iter().rev().fold(shared.written[0], |f, part| f.substitute(&[*part]));
        assert_eq!(back, f);
    }

    #[test]
    fn text_grows_with_the_graph_and_not_with_what_it_would_be() {
        let g = Graph::new();
        let f = nested(&g, 60);
        let text = f.text_with_parts();
        assert!(text.len() < 4000, "{} characters", text.len());
        assert!(text.contains(" where c1 = "), "{text}");
        assert!(f.latex_with_parts().len() < 8000);
    }

    #[test]
    fn what_is_long_without_repetition_is_written_out() {
        let g = Graph::new();
        let f = g.sum((0..5000).map(|k| g.symbol(&format!("x[{k}]")).powi(2)));
        assert_eq!(f.text_with_parts(), f.to_string());
    }
}

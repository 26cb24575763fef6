//! A human order for terms and factors: higher degree first, then by name. Ids alone would follow the history of the graph.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::{Expr, Id, Node};

/// How many leading names of a node take part in the order.
const NAMES: usize = 4;
/// Fills up shorter lists of names.
const NO_NAME: u32 = u32::MAX;

/// What a node is sorted by.
#[derive(Clone, Copy, Debug)]
struct SortKey {
    /// Polynomial degree, functions counting as constants.
    degree: f64,
    /// Ranks of the leading symbols, repeated by exponent.
    names: [u32; NAMES],
    class: Class,
}

/// Order of factors of different nature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Number,
    Symbol,
    Root,
    Function,
    Sum,
    Condition,
}

/// The order of all nodes below one expression.
pub(super) struct PrintOrder {
    keys: FxHashMap<Id, SortKey>,
}

impl PrintOrder {
    pub(super) fn new(expr: Expr<'_>) -> PrintOrder {
        let graph = expr.graph();
        let ids = graph.reachable(&[expr.id()]);
        let mut symbols: Vec<_> =
            graph.free_symbols(&[expr]).into_iter().filter_map(|s| Some((s.as_symbol()?, s.id()))).collect();
        symbols.sort_by(|(a, _), (b, _)| natural(a, b));
        let ranks: FxHashMap<Id, u32> = symbols.iter().zip(0..).map(|((_, id), rank)| (*id, rank)).collect();
        let mut order = PrintOrder { keys: FxHashMap::default() };
        for id in ids {
            let key = order.key(&graph.expr(id).node(), ranks.get(&id).copied());
            order.keys.insert(id, key);
        }
        order
    }

    fn key(&self, node: &Node, rank: Option<u32>) -> SortKey {
        let plain = |class| SortKey { degree: 0.0, names: [NO_NAME; NAMES], class };
        let function = |argument: &Id, class| SortKey { names: self.keys[argument].names, ..plain(class) };
        match node {
            Node::Number(_) | Node::Pi | Node::Truth(_) => plain(Class::Number),
            Node::Symbol(_) => {
                let mut names = [NO_NAME; NAMES];
                names[0] = rank.unwrap_or(NO_NAME);
                SortKey { degree: 1.0, names, class: Class::Symbol }
            }
            Node::Sum { terms, .. } => {
                let leading = terms.iter().map(|(id, _)| *id).min_by(|a, b| self.terms(*a, *b));
                let class = Class::Sum;
                leading.map_or(plain(class), |id| SortKey { class, ..self.keys[&id] })
            }
            Node::Product(factors) => {
                let degree = factors.iter().map(|(id, e)| *e as f64 * self.keys[id].degree).sum();
                SortKey { degree, names: self.product_names(factors), class: Class::Function }
            }
            Node::Root(base, q) => {
                SortKey { degree: self.keys[base].degree / f64::from(*q), ..function(base, Class::Root) }
            }
            Node::Power(base, _) => function(base, Class::Root),
            Node::Call(_, a) | Node::Table(_, a) | Node::Call2(_, a, _) => function(a, Class::Function),
            Node::Select(_, a, _) => function(a, Class::Sum),
            Node::Grouped(a) => self.keys[a],
            Node::Compare(_, a, _) | Node::And(a, _) | Node::Or(a, _) | Node::Not(a) => function(a, Class::Condition),
        }
    }

    /// The leading names of a product: those of its numerator, or of its denominator when that is all there is.
    fn product_names(&self, factors: &[(Id, i64)]) -> [u32; NAMES] {
        let mut all: Vec<u32> = Vec::new();
        let above = factors.iter().any(|(_, e)| *e > 0);
        for (id, exponent) in factors.iter().filter(|(_, e)| (*e > 0) == above) {
            let repeat = exponent.unsigned_abs().min(NAMES as u64) as usize;
            let names = self.keys[id].names.iter().copied().filter(|name| *name != NO_NAME);
            names.for_each(|name| all.extend(std::iter::repeat_n(name, repeat)));
        }
        all.sort_unstable();
        let mut names = [NO_NAME; NAMES];
        names.iter_mut().zip(all).for_each(|(slot, name)| *slot = name);
        names
    }

    /// The order of summands.
    pub(super) fn terms(&self, a: Id, b: Id) -> Ordering {
        let (ka, kb) = (&self.keys[&a], &self.keys[&b]);
        kb.degree.total_cmp(&ka.degree).then(ka.names.cmp(&kb.names)).then(ka.class.cmp(&kb.class)).then(a.cmp(&b))
    }

    /// The order of factors.
    pub(super) fn factors(&self, a: Id, b: Id) -> Ordering {
        let (ka, kb) = (&self.keys[&a], &self.keys[&b]);
        ka.class.cmp(&kb.class).then(ka.names.cmp(&kb.names)).then(a.cmp(&b))
    }
}

/// Alphabetic, with numbers inside names by value: `x[2]` before `x[10]`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(p), Some(q)) = (left.chars().next(), right.chars().next()) {
        if p.is_ascii_digit() && q.is_ascii_digit() {
            let [m, n] = [left, right].map(|s| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len()));
            let [x, y] = [&left[..m], &right[..n]].map(|digits| digits.trim_start_matches('0'));
            let order = x.len().cmp(&y.len()).then(x.cmp(y));
            if order.is_ne() {
                return order;
            }
            (left, right) = (&left[m..], &right[n..]);
        } else if p == q {
            (left, right) = (&left[p.len_utf8()..], &right[q.len_utf8()..]);
        } else {
            return p.cmp(&q);
        }
    }
    left.len().cmp(&right.len()).then(a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_as_people_count() {
        let mut names = ["x[10]", "x'", "x[2]", "x", "y", "x01", "x1", "x[2]'"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["x", "x'", "x01", "x1", "x[2]", "x[2]'", "x[10]", "y"]);
    }
}

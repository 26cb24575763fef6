//! Sums that contain one another, written by one another: in a chain or a tree what a body has is that of the one before and a term.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::Arena;
use crate::graph::{Expr, Graph};
use crate::node::{Id, Node};
use crate::rational::Rational;

/// Shorter sums are computed as fast by themselves.
const FEWEST_TERMS: usize = 4;
/// How often the terms of a sum are gone through, at most, in search of sums that it contains.
const SEARCHES: usize = 64;

/// Expressions in which sums are written by those that they contain.
pub struct NestedSums<'g> {
    /// The same expressions.
    pub roots: Vec<Expr<'g>>,
    /// The sums that others contain, as wholes ([`Expr::grouped`]): each after those that it is made of.
    pub sums: Vec<Expr<'g>>,
}

impl Graph {
    /// Writes sums by the largest sums that they contain, where that saves at least so many additions; what was written so before counts.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let terms: Vec<_> = (0..6).map(|k| g.symbol(&format!("a{k}")).sin()).collect();
    /// let (four, six) = (g.sum(terms[..4].iter().copied()), g.sum(terms.iter().copied()));
    /// let nested = g.nested_sums(&[six.exp(), four.exp()], 3).unwrap();
    /// assert_eq!(nested.sums, [four.grouped()]);
    /// assert_eq!(nested.roots, [(four.grouped() + terms[4] + terms[5]).exp(), four.exp()]);
    /// assert!(g.nested_sums(&[six.exp(), four.exp()], 4).is_none());
    /// ```
    pub fn nested_sums<'g>(&'g self, roots: &[Expr<'g>], least_saved: usize) -> Option<NestedSums<'g>> {
        let (roots, sums) = self.with(|arena| {
            let nodes = arena.reachable(roots.iter().map(|e| e.id()));
            let nesting = Nesting::of(arena, &nodes);
            // Where it does not pay no node is made, whose place would decide about last digits of what is made later.
            if contained(arena, &nodes).1.saturating_add(nesting.saved) < least_saved.max(1) {
                return None;
            }
            let roots = nesting.rewrite(arena, &nodes, roots);
            let sums = contained(arena, &arena.reachable(roots.iter().copied())).0;
            Some((roots, sums))
        })?;
        Some(NestedSums { roots: self.exprs(&roots), sums: self.exprs(&sums) })
    }
}

/// Those of the sums among these nodes that others contain as wholes, and how many additions that saves.
fn contained(arena: &Arena, nodes: &[Id]) -> (Vec<Id>, usize) {
    let mut lengths: FxHashMap<Id, usize> = FxHashMap::default();
    let (mut found, mut saved) = (FxHashSet::default(), 0_usize);
    for &id in nodes {
        match arena.node(id) {
            Node::Sum { terms, .. } => {
                // What shares parts can be longer than any number, written out.
                let mut length = 0_usize;
                for (term, c) in terms.iter() {
                    let is_whole = matches!(arena.node(*term), Node::Grouped(_)) && c.abs().is_one();
                    let within = if is_whole { lengths[term] } else { 1 };
                    length = length.saturating_add(within);
                    if within >= FEWEST_TERMS {
                        saved = saved.saturating_add(within - 1);
                        found.insert(*term);
                    }
                }
                lengths.insert(id, length);
            }
            Node::Grouped(sum) => {
                let length = lengths.get(sum).copied().unwrap_or(1);
                lengths.insert(id, length);
            }
            _ => {}
        }
    }
    let mut found: Vec<Id> = found.into_iter().collect();
    found.sort_unstable();
    (found, saved)
}

/// Which sums are written by which.
struct Nesting {
    sums: FxHashMap<Id, SumParts>,
    /// Additions that need not be done.
    saved: usize,
}

/// What a sum is made of: sums, which it may have with the opposite sign, and the places of further terms.
struct SumParts {
    parts: Vec<(Id, Rational)>,
    rest: Vec<usize>,
}

/// A sum with its terms by number, whatever their signs.
struct NumberedSum {
    id: Id,
    terms: Vec<SignedTerm>,
}

#[derive(Clone, Copy)]
struct SignedTerm {
    number: u32,
    negative: bool,
    /// Where it stands in the sum; terms are in the order of their numbers.
    place: usize,
}

impl Nesting {
    fn of(arena: &Arena, nodes: &[Id]) -> Nesting {
        let mut numbers: FxHashMap<(Id, Rational), u32> = FxHashMap::default();
        let mut sums: Vec<NumberedSum> = Vec::new();
        for id in nodes {
            if let Node::Sum { terms, .. } = arena.node(*id)
                && terms.len() >= FEWEST_TERMS
            {
                let number = |(place, (term, c)): (usize, &(Id, Rational))| {
                    let next = numbers.len() as u32;
                    let number = *numbers.entry((*term, c.abs())).or_insert(next);
                    SignedTerm { number, negative: c.is_negative(), place }
                };
                let mut terms: Vec<SignedTerm> = terms.iter().enumerate().map(number).collect();
                terms.sort_unstable_by_key(|term| term.number);
                sums.push(NumberedSum { id: *id, terms });
            }
        }
        sums.sort_by_key(|sum| (sum.terms.len(), sum.id));
        // Of every term the sums that have it, the shortest first.
        let mut holders: Vec<Vec<usize>> = vec![Vec::new(); numbers.len()];
        let mut nesting = Nesting { sums: FxHashMap::default(), saved: 0 };
        for (at, sum) in sums.iter().enumerate() {
            nesting.find_parts(sum, &sums, &holders);
            // A part with a number of its own would have to be corrected for it.
            if matches!(arena.node(sum.id), Node::Sum { constant, .. } if constant.is_zero()) {
                sum.terms.iter().for_each(|term| holders[term.number as usize].push(at));
            }
        }
        nesting
    }

    /// Finds sums, the largest first, all terms of which are terms of this one.
    fn find_parts(&mut self, sum: &NumberedSum, sums: &[NumberedSum], holders: &[Vec<usize>]) {
        // Terms with the sums that may still contain them: so many of their holders.
        let mut open: Vec<(SignedTerm, usize)> = sum
            .terms
            .iter()
            .map(|term| (*term, holders[term.number as usize].len()))
            .filter(|(_, left)| *left > 0)
            .collect();
        let last = |(term, left): &(SignedTerm, usize)| holders[term.number as usize][left - 1];
        let mut is_rest = vec![true; sum.terms.len()];
        let mut parts = Vec::new();
        for _ in 0..SEARCHES {
            let Some(largest) = open.iter().map(last).max() else { break };
            let part = &sums[largest];
            let shared: Vec<SignedTerm> =
                open.iter().filter(|term| last(term) == largest).map(|(term, _)| *term).collect();
            if let Some(opposite) = part.is_made_of(&shared) {
                shared.iter().for_each(|term| is_rest[term.place] = false);
                self.saved += shared.len() - 1;
                open.retain(|(term, _)| is_rest[term.place]);
                parts.push((part.id, if opposite { Rational::MINUS_ONE } else { Rational::ONE }));
            } else {
                open.iter_mut().filter(|term| last(term) == largest).for_each(|term| term.1 -= 1);
                open.retain(|(_, left)| *left > 0);
            }
        }
        if !parts.is_empty() {
            let rest = (0..is_rest.len()).filter(|place| is_rest[*place]).collect();
            self.sums.insert(sum.id, SumParts { parts, rest });
        }
    }

    /// The roots with sums so written.
    fn rewrite(&self, arena: &mut Arena, nodes: &[Id], roots: &[Expr<'_>]) -> Vec<Id> {
        let mut images: FxHashMap<Id, Id> = FxHashMap::default();
        let mut waiting = Vec::new();
        for id in nodes {
            waiting.push(*id);
            // A sum may be older than one that it contains, whose terms are all older than both.
            while let Some(&id) = waiting.last() {
                if images.contains_key(&id) {
                    waiting.pop();
                    continue;
                }
                let parts = self.sums.get(&id);
                let before = waiting.len();
                let made_of = parts.iter().flat_map(|sum| &sum.parts).map(|(part, _)| *part);
                waiting.extend(made_of.filter(|part| !images.contains_key(part)));
                if waiting.len() > before {
                    continue;
                }
                waiting.pop();
                let node = arena.node(id).clone();
                let image = match (&node, parts) {
                    (Node::Sum { constant, terms }, Some(sum)) => {
                        let mut written = vec![(arena.number(constant.clone()), Rational::ONE)];
                        for (part, sign) in &sum.parts {
                            written.push((arena.group(images[part]), sign.clone()));
                        }
                        let rest = sum.rest.iter().map(|place| &terms[*place]);
                        written.extend(rest.map(|(term, c)| (images[term], c.clone())));
                        arena.sum(written)
                    }
                    _ => {
                        let mut changed = false;
                        node.for_each_child(|child| changed |= images[&child] != child);
                        if changed { arena.rebuild(&node, |child| images[&child]) } else { id }
                    }
                };
                images.insert(id, image);
            }
        }
        roots.iter().map(|e| images[&e.id()]).collect()
    }
}

impl NumberedSum {
    /// Are its terms these, in the order of their numbers, and no others? If so: with the opposite signs?
    fn is_made_of(&self, terms: &[SignedTerm]) -> Option<bool> {
        let mut pairs = self.terms.iter().zip(terms).map(|(own, other)| own.negative != other.negative);
        let opposite = pairs.next()?;
        (self.terms.len() == terms.len() && pairs.all(|other| other == opposite)).then_some(opposite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms<'g>(g: &'g Graph, count: usize) -> Vec<Expr<'g>> {
        (0..count).map(|k| g.symbol(&format!("a{k}")).sin()).collect()
    }

    /// How many additions there are in all.
    fn additions(g: &Graph, roots: &[Expr<'_>]) -> usize {
        let ids: Vec<Id> = roots.iter().map(|e| e.id()).collect();
        let of = |id: Id| match g.expr(id).node() {
            Node::Sum { terms, .. } => terms.len() - 1,
            _ => 0,
        };
        g.reachable(&ids).into_iter().map(of).sum()
    }

    /// The values at some place, before and after.
    fn same_values(g: &Graph, before: &[Expr<'_>], after: &[Expr<'_>]) {
        let value = |name: &str| name.bytes().map(f64::from).reduce(|hash, byte| (1.7 * hash + byte) % 3.0);
        for (a, b) in g.evaluate(before, value).into_iter().zip(g.evaluate(after, value)) {
            // A few dozen terms of size one.
            assert!((a - b).abs() < 1e-13 * (1.0 + a.abs()), "{a} and {b}");
        }
    }

    /// From both ends of a chain, some of them with the opposite sign: one addition for each sum.
    #[test]
    fn sums_along_a_chain_are_a_recursion() {
        let g = Graph::new();
        let n = 40;
        let terms = terms(&g, n);
        let sign = |k: usize| if k.is_multiple_of(3) { -1 } else { 1 };
        let from_the_left = (1..=n).map(|k| (g.sum(terms[..k].iter().copied()) * sign(k)).exp());
        let from_the_right = (0..n).map(|k| g.sum(terms[k..].iter().copied()).cos());
        let roots: Vec<_> = from_the_left.chain(from_the_right).collect();
        let nested = g.nested_sums(&roots, n).unwrap();
        assert!(additions(&g, &roots) > n * (n - 2));
        assert!(additions(&g, &nested.roots) < 2 * n + 8, "{}", additions(&g, &nested.roots));
        assert_eq!(g.nested_sums(&nested.roots, n).unwrap().roots, nested.roots, "nothing is left to be done");
        same_values(&g, &roots, &nested.roots);
    }

    /// A spine with a branch at every joint: sums towards the root share their beginnings, sums towards the leaves have several parts.
    #[test]
    fn sums_along_a_tree_are_a_recursion() {
        let g = Graph::new();
        let spine = 20;
        let terms = terms(&g, 2 * spine);
        let along = |k: usize| (0..=k).map(|at| terms[2 * at]);
        let to_the_root =
            (0..spine).flat_map(|k| [g.sum(along(k)).exp(), g.sum(along(k).chain([terms[2 * k + 1]])).cos()]);
        let below = (0..spine).map(|k| g.sum(terms[2 * k..].iter().copied()).sin());
        let roots: Vec<_> = to_the_root.chain(below).collect();
        let nested = g.nested_sums(&roots, 1).unwrap();
        assert!(additions(&g, &roots) > 3 * spine * spine / 2);
        // At most two further terms each.
        assert!(additions(&g, &nested.roots) <= 6 * spine, "{}", additions(&g, &nested.roots));
        same_values(&g, &roots, &nested.roots);
        // Each is made of those before it.
        for (at, sum) in nested.sums.iter().enumerate() {
            let later: Vec<_> = nested.sums[at + 1..].to_vec();
            assert!(g.reachable(&[sum.id()]).iter().all(|id| later.iter().all(|other| other.id() != *id)));
        }
    }

    #[test]
    fn sums_that_only_overlap_stay_as_they_are() {
        let g = Graph::new();
        let terms = terms(&g, 30);
        let roots: Vec<_> = (0..20).map(|k| g.sum(terms[k..k + 8].iter().copied()).exp()).collect();
        assert!(g.nested_sums(&roots, 1).is_none());
    }
}

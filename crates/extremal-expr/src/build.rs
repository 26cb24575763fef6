//! The constructors: every node is simplified as it is made, by identities that hold wherever the written form is defined.
//!
//! Sums are flattened and like terms collected; products are flattened and integer powers of equal bases collected; numbers are
//! folded exactly. A fractional power is an integer power of a [`Node::Root`], so `sqrt(x)*sqrt(x)` stays `sqrt(x)^2`: it is
//! not `x`, which is defined for negative `x` too.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::{Function, Function2};
use crate::node::{Id, Node, Relation};
use crate::rational::Rational;
use crate::table::TableFunction;

/// The storage behind a [`Graph`](crate::Graph): append-only, one node per distinct expression.
#[derive(Clone, Default)]
pub(crate) struct Arena {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Id>,
}

/// A sum under construction: `(term, coefficient)` pairs and the numeric part.
type Terms = Vec<(Id, Rational)>;

impl Arena {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    fn intern(&mut self, node: Node) -> Id {
        let next = self.nodes.len();
        *self.index.entry(node).or_insert_with_key(|node| {
            self.nodes.push(node.clone());
            Id(u32::try_from(next).expect("fewer than 2^32 nodes: memory ends long before"))
        })
    }

    pub fn symbol(&mut self, name: &str) -> Id {
        self.intern(Node::Symbol(name.into()))
    }

    pub fn pi(&mut self) -> Id {
        self.intern(Node::Pi)
    }

    pub fn number(&mut self, value: Rational) -> Id {
        self.intern(Node::Number(value))
    }

    pub fn int(&mut self, value: i64) -> Id {
        self.number(value.into())
    }

    /// `Σ coefficient·term`.
    pub fn sum(&mut self, summands: impl IntoIterator<Item = (Id, Rational)>) -> Id {
        let mut constant = Rational::ZERO;
        let mut terms: Terms = summands.into_iter().collect();
        loop {
            let mut flat = Terms::with_capacity(terms.len());
            for (id, coefficient) in terms {
                self.flatten_into(id, coefficient, &mut flat, &mut constant);
            }
            terms = collect_like(flat, |a, b| a + b, Rational::is_zero);
            // Collecting may bring a nested sum's coefficient to ±1, which then must be flattened too.
            if !terms.iter().any(|(id, c)| is_unit(c) && matches!(self.node(*id), Node::Sum { .. })) {
                break;
            }
        }
        match terms.as_slice() {
            [] => self.number(constant),
            [(id, c)] if c.is_one() && constant.is_zero() => *id,
            _ => self.intern(Node::Sum { constant, terms: terms.into() }),
        }
    }

    fn flatten_into(&self, id: Id, coefficient: Rational, flat: &mut Terms, constant: &mut Rational) {
        match self.node(id) {
            Node::Number(value) => *constant = &*constant + &(&coefficient * value),
            Node::Sum { constant: inner, terms } if is_unit(&coefficient) || (inner.is_zero() && terms.len() == 1) => {
                *constant = &*constant + &(&coefficient * inner);
                flat.extend(terms.iter().map(|(term, c)| (*term, &coefficient * c)));
            }
            _ => flat.push((id, coefficient)),
        }
    }

    pub fn add(&mut self, a: Id, b: Id) -> Id {
        self.sum([(a, Rational::ONE), (b, Rational::ONE)])
    }

    pub fn sub(&mut self, a: Id, b: Id) -> Id {
        self.sum([(a, Rational::ONE), (b, Rational::MINUS_ONE)])
    }

    pub fn neg(&mut self, a: Id) -> Id {
        self.scale(a, &Rational::MINUS_ONE)
    }

    pub fn scale(&mut self, a: Id, by: &Rational) -> Id {
        match self.node(a) {
            Node::Number(_) | Node::Sum { .. } => self.sum([(a, by.clone())]),
            _ if by.is_zero() => self.int(0),
            _ if by.is_one() => a,
            _ => self.intern(Node::Sum { constant: Rational::ZERO, terms: [(a, by.clone())].into() }),
        }
    }

    /// `Π base^exponent`.
    pub fn product(&mut self, factors: impl IntoIterator<Item = (Id, i64)>) -> Id {
        let mut coefficient = Rational::ONE;
        let mut flat: Vec<(Id, i64)> = Vec::new();
        let mut pending: Vec<(Id, i64)> = factors.into_iter().collect();
        if let [(base, exponent)] = pending[..]
            && let Node::Symbol(_) | Node::Root(..) | Node::Pi = self.node(base)
        {
            return match exponent {
                0 => self.int(1),
                1 => base,
                _ => self.intern(Node::Product(pending.into())),
            };
        }
        let factors = loop {
            while let Some((base, exponent)) = pending.pop() {
                if exponent == 0 {
                    continue;
                }
                match self.node(base).clone() {
                    Node::Number(value) => match value.pow(exponent) {
                        Some(power) => coefficient = &coefficient * &power,
                        None => flat.push((base, exponent)),
                    },
                    Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                        let (term, c) = &terms[0];
                        match c.pow(exponent) {
                            Some(power) => {
                                coefficient = &coefficient * &power;
                                pending.push((*term, exponent));
                            }
                            None => flat.push((base, exponent)),
                        }
                    }
                    Node::Sum { terms, .. } if terms[0].1.is_negative() => {
                        // One sign per sum, so that (a - b) and (b - a) share their powers.
                        let opposite = self.neg(base);
                        if exponent % 2 != 0 {
                            coefficient = -&coefficient;
                        }
                        flat.push((opposite, exponent));
                    }
                    Node::Product(inner) if inner.iter().all(|(_, e)| e.checked_mul(exponent).is_some()) => {
                        pending.extend(inner.iter().map(|(b, e)| (*b, e * exponent)));
                    }
                    Node::Call(Function::Abs, inner) if exponent % 2 == 0 => pending.push((inner, exponent)),
                    _ => flat.push((base, exponent)),
                }
            }
            let merged = collect_like(std::mem::take(&mut flat), |a, b| a.saturating_add(*b), |e| *e == 0);
            // Collecting may make an exponent even, or small enough to be exact.
            if !merged.iter().any(|(base, exponent)| self.reduces(*base, *exponent)) {
                break merged;
            }
            pending = merged;
        };
        if coefficient.is_zero() {
            return self.int(0);
        }
        let bare = match factors.as_slice() {
            [] => return self.number(coefficient),
            [(base, 1)] => *base,
            _ => self.intern(Node::Product(factors.into())),
        };
        if coefficient.is_one() { bare } else { self.scale(bare, &coefficient) }
    }

    /// Does this power, on its own, become something simpler?
    fn reduces(&self, base: Id, exponent: i64) -> bool {
        match self.node(base) {
            Node::Number(value) => value.pow(exponent).is_some(),
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                terms[0].1.pow(exponent).is_some()
            }
            Node::Call(Function::Abs, _) => exponent % 2 == 0,
            _ => false,
        }
    }

    pub fn mul(&mut self, a: Id, b: Id) -> Id {
        self.product([(a, 1), (b, 1)])
    }

    pub fn div(&mut self, a: Id, b: Id) -> Id {
        self.product([(a, 1), (b, -1)])
    }

    /// `base^exponent`: an integer power, an integer power of a root, or a general power.
    pub fn power(&mut self, base: Id, exponent: Id) -> Id {
        if let Node::Number(value) = self.node(exponent)
            && let Some((p, q)) = value.to_parts()
        {
            if q == 1 {
                return self.product([(base, p)]);
            }
            if let Ok(q) = u32::try_from(q) {
                let root = self.root(base, q);
                return self.product([(root, p)]);
            }
        }
        match self.node(base) {
            Node::Number(value) if value.is_one() => base,
            _ => self.intern(Node::Power(base, exponent)),
        }
    }

    /// `base^(1/q)` for `base >= 0`.
    pub fn root(&mut self, base: Id, q: u32) -> Id {
        match self.node(base).clone() {
            Node::Number(value) => {
                if let Some(root) = value.exact_root(q) {
                    return self.number(root);
                }
            }
            Node::Root(inner, r) => {
                if let Some(q) = q.checked_mul(r) {
                    return self.intern(Node::Root(inner, q));
                }
            }
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                if let Some(c) = terms[0].1.exact_root(q) {
                    let root = self.root(terms[0].0, q);
                    return self.scale(root, &c);
                }
            }
            Node::Product(factors) if q == 2 && factors.iter().all(|(_, e)| e % 2 == 0) => {
                let halves: Vec<_> = factors.iter().map(|(b, e)| (self.call(Function::Abs, *b), e / 2)).collect();
                return self.product(halves);
            }
            _ => {}
        }
        self.intern(Node::Root(base, q))
    }

    pub fn call(&mut self, function: Function, argument: Id) -> Id {
        let node = self.node(argument).clone();
        let integer = if let Node::Number(value) = &node { value.to_i64() } else { None };
        if let Some(value) = integer.and_then(|at| function.exact_value(at)) {
            return self.int(value);
        }
        match (function, &node) {
            (Function::Log, Node::Call(Function::Exp, inner)) => return *inner,
            (Function::Abs, Node::Number(value)) => return self.number(value.abs()),
            (Function::Abs, Node::Call(Function::Abs, _) | Node::Root(..)) => return argument,
            (Function::Sign, Node::Number(value)) => return self.int(if value.is_negative() { -1 } else { 1 }),
            _ => {}
        }
        if (function.is_odd() || function.is_even()) && leads_negative(&node) {
            let opposite = self.neg(argument);
            let value = self.call(function, opposite);
            return if function.is_odd() { self.neg(value) } else { value };
        }
        self.intern(Node::Call(function, argument))
    }

    pub fn table(&mut self, function: TableFunction, argument: Id) -> Id {
        self.intern(Node::Table(function, argument))
    }

    pub fn call2(&mut self, function: Function2, a: Id, b: Id) -> Id {
        if let (Node::Number(x), Node::Number(y)) = (self.node(a), self.node(b)) {
            match function {
                Function2::Min => return if y < x { b } else { a },
                Function2::Max => return if x < y { b } else { a },
                Function2::Atan2 => {}
            }
        }
        if a == b && function.folds() {
            return a;
        }
        self.intern(Node::Call2(function, a, b))
    }

    /// Where the smaller or the larger one of `a` and `b` is `b`.
    pub fn takes_second(&mut self, function: Function2, a: Id, b: Id) -> Id {
        let (low, high) = if function == Function2::Min { (b, a) } else { (a, b) };
        self.compare(Relation::Lt, low, high)
    }

    pub fn compare(&mut self, comparison: Relation, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (Node::Number(x), Node::Number(y)) => {
                let truth = comparison.holds(x, y);
                self.intern(Node::Truth(truth))
            }
            _ => self.intern(Node::Compare(comparison, a, b)),
        }
    }

    pub fn and(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (Node::Truth(false), _) | (_, Node::Truth(true)) => a,
            (_, Node::Truth(false)) | (Node::Truth(true), _) => b,
            _ if a == b => a,
            _ => self.intern(Node::And(a, b)),
        }
    }

    pub fn or(&mut self, a: Id, b: Id) -> Id {
        match (self.node(a), self.node(b)) {
            (Node::Truth(true), _) | (_, Node::Truth(false)) => a,
            (_, Node::Truth(true)) | (Node::Truth(false), _) => b,
            _ if a == b => a,
            _ => self.intern(Node::Or(a, b)),
        }
    }

    pub fn not(&mut self, a: Id) -> Id {
        match *self.node(a) {
            Node::Truth(value) => self.intern(Node::Truth(!value)),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a)),
        }
    }

    pub fn select(&mut self, condition: Id, then: Id, otherwise: Id) -> Id {
        match *self.node(condition) {
            Node::Truth(true) => then,
            Node::Truth(false) => otherwise,
            _ if then == otherwise => then,
            _ => self.intern(Node::Select(condition, then, otherwise)),
        }
    }

    /// `a` as a whole that no sum takes apart; what is no sum is one already.
    pub fn group(&mut self, a: Id) -> Id {
        match self.node(a) {
            Node::Sum { constant, terms } if !constant.is_zero() || terms.len() > 1 => self.intern(Node::Grouped(a)),
            _ => a,
        }
    }

    /// The node `like` with its children replaced by `map`.
    pub fn rebuild(&mut self, like: &Node, map: impl Fn(Id) -> Id) -> Id {
        match like {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Truth(_) => self.intern(like.clone()),
            Node::Sum { constant, terms } => {
                let constant = self.number(constant.clone());
                let summands: Terms = terms.iter().map(|(id, c)| (map(*id), c.clone())).collect();
                self.sum(summands.into_iter().chain([(constant, Rational::ONE)]))
            }
            Node::Product(factors) => self.product(factors.iter().map(|(id, e)| (map(*id), *e)).collect::<Vec<_>>()),
            Node::Root(a, q) => self.root(map(*a), *q),
            Node::Power(a, b) => self.power(map(*a), map(*b)),
            Node::Call(f, a) => self.call(*f, map(*a)),
            Node::Table(f, a) => self.table(*f, map(*a)),
            Node::Call2(f, a, b) => self.call2(*f, map(*a), map(*b)),
            Node::Select(c, a, b) => self.select(map(*c), map(*a), map(*b)),
            Node::Grouped(a) => self.group(map(*a)),
            Node::Compare(c, a, b) => self.compare(*c, map(*a), map(*b)),
            Node::And(a, b) => self.and(map(*a), map(*b)),
            Node::Or(a, b) => self.or(map(*a), map(*b)),
            Node::Not(a) => self.not(map(*a)),
        }
    }

    /// All nodes below and including `roots`, ascending: a topological order.
    pub fn reachable(&self, roots: impl IntoIterator<Item = Id>) -> Vec<Id> {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<Id> = roots.into_iter().filter(|id| seen.insert(*id)).collect();
        let mut found = stack.clone();
        while let Some(id) = stack.pop() {
            self.node(id).for_each_child(|child| {
                if seen.insert(child) {
                    stack.push(child);
                    found.push(child);
                }
            });
        }
        found.sort_unstable();
        found
    }

    /// Those of `nodes` (ascending) that depend on `variables`, and the variables themselves.
    pub fn dependent(&self, nodes: &[Id], variables: impl IntoIterator<Item = Id>) -> FxHashSet<Id> {
        let mut found: FxHashSet<Id> = variables.into_iter().collect();
        for id in nodes {
            let mut depends = false;
            self.node(*id).for_each_child(|child| depends |= found.contains(&child));
            if depends {
                found.insert(*id);
            }
        }
        found
    }

    pub fn symbol_name(&self, id: Id) -> Option<&Arc<str>> {
        match self.node(id) {
            Node::Symbol(name) => Some(name),
            _ => None,
        }
    }
}

fn is_unit(c: &Rational) -> bool {
    c.is_one() || *c == Rational::MINUS_ONE
}

/// Sorts by id and merges equal ids, dropping those that cancel.
fn collect_like<T>(mut items: Vec<(Id, T)>, add: impl Fn(&T, &T) -> T, vanishes: impl Fn(&T) -> bool) -> Vec<(Id, T)> {
    if !items.is_sorted_by_key(|(id, _)| *id) {
        items.sort_unstable_by_key(|(id, _)| *id);
    }
    let mut merged: Vec<(Id, T)> = Vec::with_capacity(items.len());
    for (id, value) in items {
        match merged.last_mut() {
            Some((last, total)) if *last == id => *total = add(total, &value),
            _ => merged.push((id, value)),
        }
    }
    merged.retain(|(_, value)| !vanishes(value));
    merged
}

/// Would the argument read more simply with the opposite sign? Fixed by the first term, hence a canonical choice.
fn leads_negative(node: &Node) -> bool {
    match node {
        Node::Number(value) => value.is_negative(),
        Node::Sum { terms, .. } => terms[0].1.is_negative(),
        _ => false,
    }
}

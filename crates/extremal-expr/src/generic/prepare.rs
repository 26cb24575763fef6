//! From expressions to the steps that evaluate them in a finite field.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::field::{Field, mixed};
use super::point::{ArgumentBase, BaseMultiples, FieldStep};
use crate::build::Arena;
use crate::function::{Algebra, Function, Function2};
use crate::node::{Id, Node, Relation};
use crate::rational::{Rational, lcm};
use crate::simplify::{Monomial, expand};

/// The monomials of which rational multiples are arguments of one family of functions, with their common denominators.
#[derive(Default)]
pub(super) struct ArgumentMultiples {
    monomials: BTreeMap<Monomial, (usize, i64)>,
    by_node: FxHashMap<Id, BTreeMap<Monomial, Rational>>,
    right_angle: Option<Monomial>,
}

/// Arguments with larger numerators or denominators are numbers of their own.
const MAX_MULTIPLE: i64 = 1 << 20;

impl ArgumentMultiples {
    fn add(&mut self, arena: &Arena, argument: Id) {
        let own = || BTreeMap::from([(vec![(argument, 1)], Rational::ONE)]);
        let simple = |c: &Rational| c.to_parts().is_some_and(|(n, d)| n.abs() <= MAX_MULTIPLE && d <= MAX_MULTIPLE);
        let terms = expand(arena, argument).filter(|terms| terms.values().all(simple)).unwrap_or_else(own);
        for (monomial, c) in &terms {
            let count = self.monomials.len();
            let (_, common) = self.monomials.entry(monomial.clone()).or_insert((count, 1));
            let (_, denominator) = c.to_parts().unwrap_or((1, 1));
            *common = lcm(*common, denominator).min(MAX_MULTIPLE);
        }
        self.by_node.insert(argument, terms);
    }

    /// The argument as integer multiples of the bases `monomial/denominator`.
    fn combination(&self, argument: Id) -> BaseMultiples {
        let terms = self.by_node[&argument].iter();
        terms
            .map(|(monomial, c)| {
                let (base, common) = self.monomials[monomial];
                let (n, d) = c.to_parts().unwrap_or((1, 1));
                (base, n.saturating_mul(common / d))
            })
            .collect()
    }

    pub fn bases(&self) -> Vec<ArgumentBase> {
        let mut bases = vec![ArgumentBase::RightAngle; self.monomials.len()];
        for (monomial, (place, common)) in &self.monomials {
            let right = self.right_angle.as_ref() == Some(monomial) && *common == 2;
            if !right {
                bases[*place] = ArgumentBase::Random(monomial_key(monomial));
            }
        }
        bases
    }
}

/// Keys of random values: nodes by their ids, other things far above them.
fn node_key(id: Id) -> u64 {
    u64::from(id.0)
}

fn monomial_key(monomial: &Monomial) -> u64 {
    monomial.iter().fold(1 << 40, |key, (id, e)| mixed(key, node_key(*id) ^ (*e as u64) << 32)) | 1 << 63
}

pub(super) struct Builder<'a> {
    pub arena: &'a mut Arena,
    field: Field,
    fixed: FxHashMap<Id, Rational>,
    pub places: FxHashMap<Id, usize>,
    pub steps: Vec<FieldStep>,
    pub angles: ArgumentMultiples,
    pub rates: ArgumentMultiples,
}

impl<'a> Builder<'a> {
    pub fn new(arena: &'a mut Arena, field: Field, fixed: FxHashMap<Id, Rational>, nodes: &[Id]) -> Builder<'a> {
        let (mut angles, mut rates) = (ArgumentMultiples::default(), ArgumentMultiples::default());
        let pi = arena.pi();
        angles.right_angle = Some(vec![(pi, 1)]);
        for id in nodes {
            let Node::Call(function, u) = arena.node(*id) else { continue };
            match function.algebra() {
                Algebra::Wave(_) => angles.add(arena, *u),
                Algebra::Exponential(_) => rates.add(arena, *u),
                Algebra::CubeRoot | Algebra::Absolute | Algebra::Sign | Algebra::Unknown => {}
            }
        }
        if let Some((_, common)) = angles.monomials.get_mut(&vec![(pi, 1)]) {
            *common = if *common <= 2 { 2 } else { *common };
        }
        let places = FxHashMap::default();
        Builder { arena, field, fixed, places, steps: Vec::new(), angles, rates }
    }

    pub fn step(&mut self, id: Id) -> FieldStep {
        let f = self.field;
        let at = |places: &FxHashMap<Id, usize>, id: &Id| places[id];
        match self.arena.node(id).clone() {
            Node::Number(value) => match f.rational(&value) {
                Some(residue) => FieldStep::Value(residue),
                None => FieldStep::Free(node_key(id)),
            },
            Node::Symbol(_) => match self.fixed.get(&id).and_then(|value| f.rational(value)) {
                Some(residue) => FieldStep::Value(residue),
                None => FieldStep::Free(node_key(id)),
            },
            Node::Sum { constant, terms } => {
                let coefficient = |c: &Rational| f.rational(c).unwrap_or_default();
                let terms = terms.iter().map(|(term, c)| (at(&self.places, term), coefficient(c))).collect();
                FieldStep::Sum(coefficient(&constant), terms)
            }
            Node::Product(factors) => {
                FieldStep::Product(factors.iter().map(|(factor, e)| (at(&self.places, factor), *e)).collect())
            }
            Node::Root(a, order) => FieldStep::Root(at(&self.places, &a), order, 1),
            Node::Power(a, b) => self.power(a, b),
            Node::Call(function, u) => self.call(id, function, u),
            Node::Call2(Function2::Atan2, ..) | Node::Table(..) | Node::Pi => FieldStep::Free(node_key(id)),
            Node::Call2(function @ (Function2::Min | Function2::Max), a, b) => {
                let condition = self.arena.takes_second(function, a, b);
                FieldStep::Choice(node_key(condition), at(&self.places, &a), at(&self.places, &b))
            }
            Node::Select(c, a, b) => {
                FieldStep::Select(at(&self.places, &c), at(&self.places, &a), at(&self.places, &b))
            }
            Node::Grouped(a) => FieldStep::Sum(Field::ZERO, vec![(at(&self.places, &a), f.one())]),
            Node::Compare(Relation::Eq, ..) => FieldStep::Value(Field::ZERO),
            Node::Compare(Relation::Ne, ..) => FieldStep::Value(f.one()),
            Node::Compare(..) => FieldStep::Coin(node_key(id)),
            Node::And(a, b) => FieldStep::And(at(&self.places, &a), at(&self.places, &b)),
            Node::Or(a, b) => FieldStep::Or(at(&self.places, &a), at(&self.places, &b)),
            Node::Not(a) => FieldStep::Not(at(&self.places, &a)),
            Node::Truth(b) => FieldStep::Value(if b { f.one() } else { Field::ZERO }),
        }
    }

    fn call(&self, id: Id, function: Function, u: Id) -> FieldStep {
        match function.algebra() {
            Algebra::Wave(wave) => FieldStep::Wave(wave, self.angles.combination(u)),
            Algebra::Exponential(kind) => FieldStep::Exponential(kind, self.rates.combination(u)),
            Algebra::CubeRoot => FieldStep::Root(self.places[&u], 3, 1),
            Algebra::Absolute => FieldStep::Abs(self.places[&u]),
            Algebra::Sign => FieldStep::Sign(self.places[&u]),
            Algebra::Unknown => FieldStep::Free(node_key(id)),
        }
    }

    /// `a^b`: a power of a root where the exponent is a known number; else a number of its own, the same for exponents that
    /// differ by an integer but for the power that makes the difference.
    fn power(&mut self, a: Id, b: Id) -> FieldStep {
        let base = self.places[&a];
        if let Some((n, d)) = self.exponent(b).and_then(|value| value.to_parts())
            && let Ok(order) = u32::try_from(d)
        {
            return FieldStep::Root(base, order, n);
        }
        let whole = match self.arena.node(b) {
            Node::Sum { constant, .. } => constant.to_f64().floor() as i64,
            _ => 0,
        };
        let shift = self.arena.int(whole);
        let rest = self.arena.sub(b, shift);
        FieldStep::Scaled(mixed(node_key(a), node_key(rest)) | 1 << 63, base, whole)
    }

    /// The value of an exponent made of numbers and fixed symbols.
    fn exponent(&self, b: Id) -> Option<Rational> {
        let mut values: FxHashMap<Id, Rational> = FxHashMap::default();
        for id in self.arena.reachable([b]) {
            let value = match self.arena.node(id) {
                Node::Number(value) => value.clone(),
                Node::Symbol(_) => self.fixed.get(&id)?.clone(),
                Node::Sum { constant, terms } => {
                    terms.iter().fold(constant.clone(), |sum, (term, c)| &sum + &(c * &values[term]))
                }
                Node::Product(factors) => {
                    let mut product = Rational::ONE;
                    for (factor, e) in factors.iter() {
                        product = &product * &values[factor].pow(*e)?;
                    }
                    product
                }
                _ => return None,
            };
            values.insert(id, value);
        }
        values.remove(&b)
    }
}

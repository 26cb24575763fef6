//! Evaluation of expressions at random points of a finite field.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::field::{Field, Residue, mixed};
use crate::build::Arena;
use crate::graph::{Expr, Graph};
use crate::node::{Comparison, Function, Function2, Id, Node};
use crate::rational::Rational;
use crate::simplify::{Monomial, expand};

/// Expressions prepared for evaluation at generic points.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_expr::generic::{Field, Generic};
/// let g = Graph::new();
/// let (a, b) = (g.symbol("a"), g.symbol("b"));
/// let theorem = (a + b).sin() - a.sin() * b.cos() - a.cos() * b.sin();
/// let generic = Generic::new(&g, &[theorem, a.sin()], &[], Field::number(0));
/// let values = generic.at(1, &[]).unwrap();
/// assert_eq!(values[0], Field::ZERO);
/// assert_ne!(values[1], Field::ZERO);
/// ```
#[derive(Clone)]
pub struct Generic {
    field: Field,
    steps: Vec<Step>,
    outputs: Vec<usize>,
    symbols: FxHashMap<Id, usize>,
    angles: Vec<Base>,
    rates: Vec<Base>,
}

/// A quantity of which integer multiples occur as arguments of waves or exponentials.
#[derive(Clone, Copy)]
enum Base {
    Random(u64),
    /// π/2.
    RightAngle,
}

/// Integer multiples of bases.
type Combination = Vec<(usize, i64)>;

#[derive(Clone)]
enum Step {
    Value(Residue),
    /// Random by a key.
    Free(u64),
    Sum(Residue, Vec<(usize, Residue)>),
    Product(Vec<(usize, i64)>),
    /// A root of this order to this power.
    Root(usize, u32, i64),
    Wave(Function, Combination),
    Exponential(Function, Combination),
    /// A number of its own times an integer power.
    Scaled(u64, usize, i64),
    Abs(usize),
    Sign(usize),
    /// A truth value by a key.
    Coin(u64),
    And(usize, usize),
    Or(usize, usize),
    Not(usize),
    Select(usize, usize, usize),
    /// The second if the coin of this key shows heads, else the first.
    Choice(u64, usize, usize),
}

impl Generic {
    /// Prepares `outputs`. The symbols in `fixed` have these values at every point; the others are random.
    pub fn new<'g>(graph: &'g Graph, outputs: &[Expr<'g>], fixed: &[(Expr<'g>, Rational)], field: Field) -> Generic {
        let fixed: FxHashMap<Id, Rational> = fixed.iter().map(|(symbol, value)| (symbol.id(), value.clone())).collect();
        graph.with(|arena| {
            let nodes = arena.reachable(outputs.iter().map(|e| e.id()));
            let mut builder = Builder::new(arena, field, fixed, &nodes);
            for id in &nodes {
                let step = builder.step(*id);
                builder.places.insert(*id, builder.steps.len());
                builder.steps.push(step);
            }
            let outputs = outputs.iter().map(|e| builder.places[&e.id()]).collect();
            let symbols = nodes.iter().filter(|id| matches!(builder.arena.node(**id), Node::Symbol(_)));
            let symbols = symbols.map(|id| (*id, builder.places[id])).collect();
            let (angles, rates) = (builder.angles.bases(), builder.rates.bases());
            Generic { field, steps: builder.steps, outputs, symbols, angles, rates }
        })
    }

    /// The field of the values.
    pub fn field(&self) -> Field {
        self.field
    }

    /// The outputs at the point number `seed`, with the values in `given` in place of the random ones. `None` where something is
    /// not defined: a division by zero, a root of what has none.
    pub fn at(&self, seed: u64, given: &[(Id, Residue)]) -> Option<Vec<Residue>> {
        let values = self.values(seed, given)?;
        Some(self.outputs.iter().map(|place| values[*place]).collect())
    }

    fn values(&self, seed: u64, given: &[(Id, Residue)]) -> Option<Vec<Residue>> {
        let f = self.field;
        let given: FxHashMap<usize, Residue> =
            given.iter().filter_map(|(id, value)| Some((*self.symbols.get(id)?, *value))).collect();
        let random = |key: u64| f.residue(mixed(seed, key));
        let coin = |key: u64| mixed(seed, key) & 1 == 1;
        let truth = |b: bool| if b { f.one() } else { Field::ZERO };
        let circles: Vec<[Residue; 2]> = self.angles.iter().map(|base| circle(f, *base, seed)).collect();
        let positives: Vec<Residue> = self
            .rates
            .iter()
            .map(|base| match base {
                Base::Random(key) => f.mul(random(*key), random(*key)),
                Base::RightAngle => random(u64::MAX),
            })
            .collect();
        let mut values: Vec<Residue> = Vec::with_capacity(self.steps.len());
        for (place, step) in self.steps.iter().enumerate() {
            let v = |place: &usize| values[*place];
            let value = match step {
                _ if given.contains_key(&place) => given[&place],
                Step::Value(value) => *value,
                Step::Free(key) => random(*key),
                Step::Sum(constant, terms) => {
                    terms.iter().fold(*constant, |sum, (term, c)| f.add(sum, f.mul(*c, v(term))))
                }
                Step::Product(factors) => {
                    let mut product = f.one();
                    for (factor, exponent) in factors {
                        product = f.mul(product, f.pow(v(factor), *exponent)?);
                    }
                    product
                }
                Step::Root(a, order, power) => f.pow(f.root(v(a), *order)?, *power)?,
                Step::Wave(function, combination) => {
                    let [c, s] = combined(f, combination, &circles);
                    match function {
                        Function::Sin => s,
                        Function::Cos => c,
                        _ => f.mul(s, f.inv(c)?),
                    }
                }
                Step::Exponential(function, combination) => {
                    let mut e = f.one();
                    for (base, multiple) in combination {
                        e = f.mul(e, f.pow(positives[*base], *multiple)?);
                    }
                    hyperbolic(f, *function, e)?
                }
                Step::Scaled(key, a, power) => f.mul(random(*key), f.pow(v(a), *power)?),
                Step::Abs(a) => f.abs(v(a)),
                Step::Sign(a) => f.mul(f.abs(v(a)), f.inv(v(a))?),
                Step::Coin(key) => truth(coin(*key)),
                Step::And(a, b) => f.mul(v(a), v(b)),
                Step::Or(a, b) => truth(v(a) != Field::ZERO || v(b) != Field::ZERO),
                Step::Not(a) => f.sub(f.one(), v(a)),
                Step::Select(condition, then, otherwise) => {
                    if v(condition) != Field::ZERO {
                        v(then)
                    } else {
                        v(otherwise)
                    }
                }
                Step::Choice(key, first, second) => {
                    if coin(*key) {
                        v(second)
                    } else {
                        v(first)
                    }
                }
            };
            values.push(value);
        }
        Some(values)
    }
}

/// A point of the circle, as cosine and sine.
fn circle(f: Field, base: Base, seed: u64) -> [Residue; 2] {
    match base {
        Base::RightAngle => [Field::ZERO, f.one()],
        Base::Random(key) => {
            let t = f.residue(mixed(seed, key));
            let t2 = f.mul(t, t);
            // 1 + t² is never zero: −1 is no square.
            let scale = f.inv(f.add(f.one(), t2)).unwrap_or_default();
            [f.mul(f.sub(f.one(), t2), scale), f.mul(f.add(t, t), scale)]
        }
    }
}

fn turned(f: Field, a: [Residue; 2], b: [Residue; 2]) -> [Residue; 2] {
    let cos = f.sub(f.mul(a[0], b[0]), f.mul(a[1], b[1]));
    [cos, f.add(f.mul(a[1], b[0]), f.mul(a[0], b[1]))]
}

fn combined(f: Field, combination: &Combination, circles: &[[Residue; 2]]) -> [Residue; 2] {
    let mut sum = [f.one(), Field::ZERO];
    for (base, multiple) in combination {
        let [c, s] = circles[*base];
        let mut power = if *multiple < 0 { [c, f.neg(s)] } else { [c, s] };
        let mut left = multiple.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                sum = turned(f, sum, power);
            }
            power = turned(f, power, power);
            left >>= 1;
        }
    }
    sum
}

/// A function of the exponential family from `e = exp(u)`.
fn hyperbolic(f: Field, function: Function, e: Residue) -> Option<Residue> {
    let inverse = f.inv(e)?;
    let half = f.inv(f.integer(2))?;
    let (sum, difference) = (f.add(e, inverse), f.sub(e, inverse));
    Some(match function {
        Function::Exp => e,
        Function::Cosh => f.mul(sum, half),
        Function::Sinh => f.mul(difference, half),
        _ => f.mul(difference, f.inv(sum)?),
    })
}

/// The monomials of which rational multiples are arguments of one family of functions, with their common denominators.
#[derive(Default)]
struct Arguments {
    monomials: BTreeMap<Monomial, (usize, i64)>,
    by_node: FxHashMap<Id, BTreeMap<Monomial, Rational>>,
    right_angle: Option<Monomial>,
}

/// Arguments with larger numerators or denominators are numbers of their own.
const MAX_MULTIPLE: i64 = 1 << 20;

impl Arguments {
    fn add(&mut self, arena: &Arena, argument: Id) {
        let own = || BTreeMap::from([(vec![(argument, 1)], Rational::ONE)]);
        let simple = |c: &Rational| c.to_parts().is_some_and(|(n, d)| n.abs() <= MAX_MULTIPLE && d <= MAX_MULTIPLE);
        let terms = expand(arena, argument).filter(|terms| terms.values().all(simple)).unwrap_or_else(own);
        for (monomial, c) in &terms {
            let count = self.monomials.len();
            let (_, common) = self.monomials.entry(monomial.clone()).or_insert((count, 1));
            let (_, denominator) = c.to_parts().unwrap_or((1, 1));
            let product = *common / gcd(*common, denominator) * denominator;
            *common = product.min(MAX_MULTIPLE);
        }
        self.by_node.insert(argument, terms);
    }

    /// The argument as integer multiples of the bases `monomial/denominator`.
    fn combination(&self, argument: Id) -> Combination {
        let terms = self.by_node[&argument].iter();
        terms
            .map(|(monomial, c)| {
                let (base, common) = self.monomials[monomial];
                let (n, d) = c.to_parts().unwrap_or((1, 1));
                (base, n.saturating_mul(common / d))
            })
            .collect()
    }

    fn bases(&self) -> Vec<Base> {
        let mut bases = vec![Base::RightAngle; self.monomials.len()];
        for (monomial, (place, common)) in &self.monomials {
            let right = self.right_angle.as_ref() == Some(monomial) && *common == 2;
            if !right {
                bases[*place] = Base::Random(monomial_key(monomial));
            }
        }
        bases
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Keys of random values: nodes by their ids, other things far above them.
fn node_key(id: Id) -> u64 {
    u64::from(id.0)
}

fn monomial_key(monomial: &Monomial) -> u64 {
    monomial.iter().fold(1 << 40, |key, (id, e)| mixed(key, node_key(*id) ^ (*e as u64) << 32)) | 1 << 63
}

struct Builder<'a> {
    arena: &'a mut Arena,
    field: Field,
    fixed: FxHashMap<Id, Rational>,
    places: FxHashMap<Id, usize>,
    steps: Vec<Step>,
    angles: Arguments,
    rates: Arguments,
}

impl<'a> Builder<'a> {
    fn new(arena: &'a mut Arena, field: Field, fixed: FxHashMap<Id, Rational>, nodes: &[Id]) -> Builder<'a> {
        let (mut angles, mut rates) = (Arguments::default(), Arguments::default());
        let pi = arena.pi();
        angles.right_angle = Some(vec![(pi, 1)]);
        for id in nodes {
            match arena.node(*id) {
                Node::Call(Function::Sin | Function::Cos | Function::Tan, u) => angles.add(arena, *u),
                Node::Call(Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh, u) => {
                    rates.add(arena, *u);
                }
                _ => {}
            }
        }
        if let Some((_, common)) = angles.monomials.get_mut(&vec![(pi, 1)]) {
            *common = if *common <= 2 { 2 } else { *common };
        }
        let places = FxHashMap::default();
        Builder { arena, field, fixed, places, steps: Vec::new(), angles, rates }
    }

    fn step(&mut self, id: Id) -> Step {
        let f = self.field;
        let at = |places: &FxHashMap<Id, usize>, id: &Id| places[id];
        match self.arena.node(id).clone() {
            Node::Number(value) => match f.rational(&value) {
                Some(residue) => Step::Value(residue),
                None => Step::Free(node_key(id)),
            },
            Node::Symbol(_) => match self.fixed.get(&id).and_then(|value| f.rational(value)) {
                Some(residue) => Step::Value(residue),
                None => Step::Free(node_key(id)),
            },
            Node::Sum { constant, terms } => {
                let coefficient = |c: &Rational| f.rational(c).unwrap_or_default();
                let terms = terms.iter().map(|(term, c)| (at(&self.places, term), coefficient(c))).collect();
                Step::Sum(coefficient(&constant), terms)
            }
            Node::Product(factors) => {
                Step::Product(factors.iter().map(|(factor, e)| (at(&self.places, factor), *e)).collect())
            }
            Node::Root(a, order) => Step::Root(at(&self.places, &a), order, 1),
            Node::Power(a, b) => self.power(a, b),
            Node::Call(function, u) => self.call(id, function, u),
            Node::Call2(Function2::Atan2, ..) | Node::Pi => Step::Free(node_key(id)),
            Node::Call2(function, a, b) => {
                // The same condition as in the derivative.
                let (low, high) = if function == Function2::Min { (b, a) } else { (a, b) };
                let condition = self.arena.compare(Comparison::Lt, low, high);
                Step::Choice(node_key(condition), at(&self.places, &a), at(&self.places, &b))
            }
            Node::Select(c, a, b) => Step::Select(at(&self.places, &c), at(&self.places, &a), at(&self.places, &b)),
            Node::Held(a) => Step::Sum(Field::ZERO, vec![(at(&self.places, &a), f.one())]),
            Node::Compare(Comparison::Eq, ..) => Step::Value(Field::ZERO),
            Node::Compare(Comparison::Ne, ..) => Step::Value(f.one()),
            Node::Compare(..) => Step::Coin(node_key(id)),
            Node::And(a, b) => Step::And(at(&self.places, &a), at(&self.places, &b)),
            Node::Or(a, b) => Step::Or(at(&self.places, &a), at(&self.places, &b)),
            Node::Not(a) => Step::Not(at(&self.places, &a)),
            Node::Truth(b) => Step::Value(if b { f.one() } else { Field::ZERO }),
        }
    }

    fn call(&self, id: Id, function: Function, u: Id) -> Step {
        match function {
            Function::Sin | Function::Cos | Function::Tan => Step::Wave(function, self.angles.combination(u)),
            Function::Exp | Function::Sinh | Function::Cosh | Function::Tanh => {
                Step::Exponential(function, self.rates.combination(u))
            }
            Function::Cbrt => Step::Root(self.places[&u], 3, 1),
            Function::Abs => Step::Abs(self.places[&u]),
            Function::Sign => Step::Sign(self.places[&u]),
            _ => Step::Free(node_key(id)),
        }
    }

    /// `a^b`: a power of a root where the exponent is a known number; else a number of its own, the same for exponents that
    /// differ by an integer but for the power that makes the difference.
    fn power(&mut self, a: Id, b: Id) -> Step {
        let base = self.places[&a];
        if let Some((n, d)) = self.exponent(b).and_then(|value| value.to_parts())
            && let Ok(order) = u32::try_from(d)
        {
            return Step::Root(base, order, n);
        }
        let whole = match self.arena.node(b) {
            Node::Sum { constant, .. } => constant.to_f64().floor() as i64,
            _ => 0,
        };
        let shift = self.arena.int(whole);
        let rest = self.arena.sub(b, shift);
        Step::Scaled(mixed(node_key(a), node_key(rest)) | 1 << 63, base, whole)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Is it zero at several points where it is defined?
    fn vanishes(e: Expr<'_>, fixed: &[(Expr<'_>, Rational)]) -> bool {
        let g = e.graph();
        let fixed: Vec<_> = fixed.iter().map(|(s, v)| (g.expr(s.id()), v.clone())).collect();
        let generic = Generic::new(g, &[e], &fixed, Field::number(0));
        let defined: Vec<bool> =
            (0..40).filter_map(|seed| generic.at(seed, &[])).map(|values| values[0] == Field::ZERO).collect();
        assert!(defined.len() > 3, "{e} is defined nowhere");
        assert_eq!(defined.iter().any(|zero| *zero), defined.iter().all(|zero| *zero), "{e}");
        defined[0]
    }

    #[test]
    fn identities_hold_and_others_do_not() {
        let g = Graph::new();
        let [x, y, t, w, c] = ["x", "y", "t", "w", "c"].map(|name| g.symbol(name));
        let r = (x.powi(2) + y.powi(2)).sqrt();
        let pi = g.pi();
        let zero = [
            x.sin().powi(2) + x.cos().powi(2) - 1,
            (x * 2).sin() - x.sin() * x.cos() * 2,
            x.cos() - (x / 2).cos().powi(2) + (x / 2).sin().powi(2),
            (x + pi / 2).sin() - x.cos(),
            (x + pi).cos() + x.cos(),
            (w * t - x).cos() - (w * t).cos() * x.cos() - (w * t).sin() * x.sin(),
            (x + y).exp() - x.exp() * y.exp(),
            x.call(Function::Cosh).powi(2) - x.call(Function::Sinh).powi(2) - 1,
            x.call(Function::Tanh) * x.call(Function::Cosh) - x.call(Function::Sinh),
            r.powi(2) - x.powi(2) - y.powi(2),
            (x * y).abs() - x.abs() * y.abs(),
            x.abs() - x * x.call(Function::Sign),
            g.gradient(x.pow(w), &[x])[0] - w * x.pow(w) / x,
            g.gradient(x.pow(-c.powi(-1)), &[x])[0] + x.pow(-c.powi(-1)) / x / c,
            g.gradient(g.call2(Function2::Min, x, y), &[x])[0] * (x - y) + y - g.call2(Function2::Min, x, y),
            g.gradient(x.log() * x, &[x])[0] - x.log() - 1,
            x.call(Function::Cbrt).powi(3) - x,
        ];
        for e in zero {
            assert!(vanishes(e, &[(c, Rational::new(3, 2).unwrap())]), "{e}");
        }
        let other =
            [x.sin().powi(2) + x.cos().powi(2), x.sin() - y.sin(), r - x - y, x.exp() - (x * 2).exp(), x.log() - y];
        for e in other {
            assert!(!vanishes(e, &[]), "{e}");
        }
    }

    #[test]
    fn given_values_replace_random_ones() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let f = Field::number(1);
        let generic = Generic::new(&g, &[x * y + 1, y], &[(y, Rational::from(3))], f);
        assert_eq!(generic.at(5, &[(x.id(), f.integer(7))]), Some(vec![f.integer(22), f.integer(3)]));
    }
}

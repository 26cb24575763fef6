//! Evaluation of expressions at random points of a finite field.

use rustc_hash::FxHashMap;

use super::field::{Field, Residue, mixed};
use super::prepare::Builder;
use super::stages::{DrawStage, Needs, stages};
use crate::function::{Exponential, Wave};
use crate::graph::{Expr, Graph};
use crate::node::{Id, Node};
use crate::rational::Rational;

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
    steps: Vec<FieldStep>,
    stages: Vec<DrawStage>,
    outputs: Vec<usize>,
    symbols: FxHashMap<Id, usize>,
    angles: Vec<ArgumentBase>,
    rates: Vec<ArgumentBase>,
}

/// A point at which everything is defined, with the outputs there.
#[derive(Clone, Debug)]
pub struct GenericPoint {
    seed: u64,
    /// How often the number of each stage was drawn before its roots existed.
    redrawn: FxHashMap<u64, u64>,
    /// The outputs.
    pub outputs: Vec<Residue>,
}

/// Why a step has no value.
enum Undefined {
    Root,
    Quotient,
}

/// A quantity of which integer multiples occur as arguments of waves or exponentials.
#[derive(Clone, Copy)]
pub(super) enum ArgumentBase {
    Random(u64),
    /// π/2.
    RightAngle,
}

/// Integer multiples of bases.
pub(super) type BaseMultiples = Vec<(usize, i64)>;

#[derive(Clone)]
pub(super) enum FieldStep {
    Value(Residue),
    /// Random by a key.
    Free(u64),
    Sum(Residue, Vec<(usize, Residue)>),
    Product(Vec<(usize, i64)>),
    /// A root of this order to this power.
    Root(usize, u32, i64),
    Wave(Wave, BaseMultiples),
    Exponential(Exponential, BaseMultiples),
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
            let needs: Vec<Needs> = builder.steps.iter().map(|step| step.needs(&angles, &rates)).collect();
            Generic { field, steps: builder.steps, stages: stages(&needs), outputs, symbols, angles, rates }
        })
    }

    /// The field of the values.
    pub fn field(&self) -> Field {
        self.field
    }

    /// The outputs at the point number `seed`, with the values in `given` in place of the random ones. `None` where something is
    /// not defined: a division by zero, a root of what has none.
    pub fn at(&self, seed: u64, given: &[(Id, Residue)]) -> Option<Vec<Residue>> {
        let point = self.point(seed)?;
        if given.is_empty() { Some(point.outputs) } else { self.moved(&point, given) }
    }

    /// The point number `seed`; `None` where something is not defined.
    pub fn point(&self, seed: u64) -> Option<GenericPoint> {
        let mut draw = RandomBits { seed, redrawn: FxHashMap::default() };
        let mut values = PointValues::of(self);
        let given = FxHashMap::default();
        for stage in &self.stages {
            let mut draws = 1;
            while let Err(undefined) = values.compute(self, stage, &draw, &given) {
                match (undefined, stage.key) {
                    (Undefined::Root, Some(key)) if draws < stage.draws() => {
                        draw.redrawn.insert(key, draws);
                        draws += 1;
                    }
                    _ => return None,
                }
            }
        }
        Some(GenericPoint { seed, redrawn: draw.redrawn, outputs: self.outputs_of(&values) })
    }

    /// The outputs at a point of which only the symbols in `given` are changed.
    pub fn moved(&self, point: &GenericPoint, given: &[(Id, Residue)]) -> Option<Vec<Residue>> {
        let given: FxHashMap<usize, Residue> =
            given.iter().filter_map(|(id, value)| Some((*self.symbols.get(id)?, *value))).collect();
        let draw = RandomBits { seed: point.seed, redrawn: point.redrawn.clone() };
        let mut values = PointValues::of(self);
        for stage in &self.stages {
            values.compute(self, stage, &draw, &given).ok()?;
        }
        Some(self.outputs_of(&values))
    }

    fn outputs_of(&self, values: &PointValues) -> Vec<Residue> {
        self.outputs.iter().map(|place| values.steps[*place]).collect()
    }
}

/// The random bits of a point.
struct RandomBits {
    seed: u64,
    redrawn: FxHashMap<u64, u64>,
}

impl RandomBits {
    fn bits(&self, key: u64) -> u64 {
        let first = mixed(self.seed, key);
        match self.redrawn.get(&key) {
            Some(times) => mixed(first, *times),
            None => first,
        }
    }
}

/// What is computed at a point.
struct PointValues {
    steps: Vec<Residue>,
    circles: Vec<Option<[Residue; 2]>>,
    positives: Vec<Option<Residue>>,
}

impl PointValues {
    fn of(generic: &Generic) -> PointValues {
        PointValues {
            steps: vec![Field::ZERO; generic.steps.len()],
            circles: vec![None; generic.angles.len()],
            positives: vec![None; generic.rates.len()],
        }
    }

    /// Forgets the bases that are made of a number that is drawn again.
    fn forget(&mut self, generic: &Generic, key: u64) {
        let is_drawn = |base: &ArgumentBase| matches!(base, ArgumentBase::Random(own) if *own == key);
        let circles = self.circles.iter_mut().zip(&generic.angles);
        circles.filter(|(_, base)| is_drawn(base)).for_each(|(circle, _)| *circle = None);
        let positives = self.positives.iter_mut().zip(&generic.rates);
        positives.filter(|(_, base)| is_drawn(base)).for_each(|(positive, _)| *positive = None);
    }

    fn compute(
        &mut self,
        generic: &Generic,
        stage: &DrawStage,
        draw: &RandomBits,
        given: &FxHashMap<usize, Residue>,
    ) -> Result<(), Undefined> {
        if let Some(key) = stage.key {
            self.forget(generic, key);
        }
        for place in &stage.steps {
            self.steps[*place] = match given.get(place) {
                Some(value) => *value,
                None => self.step(generic, &generic.steps[*place], draw)?,
            };
        }
        Ok(())
    }

    fn step(&mut self, generic: &Generic, step: &FieldStep, draw: &RandomBits) -> Result<Residue, Undefined> {
        let f = generic.field;
        let random = |key: u64| f.residue(draw.bits(key));
        let coin = |key: u64| draw.bits(key) & 1 == 1;
        let truth = |b: bool| if b { f.one() } else { Field::ZERO };
        let values = &self.steps;
        let v = |place: &usize| values[*place];
        let divided = |value: Option<Residue>| value.ok_or(Undefined::Quotient);
        Ok(match step {
            FieldStep::Value(value) => *value,
            FieldStep::Free(key) => random(*key),
            FieldStep::Sum(constant, terms) => {
                terms.iter().fold(*constant, |sum, (term, c)| f.add(sum, f.mul(*c, v(term))))
            }
            FieldStep::Product(factors) => {
                let mut product = f.one();
                for (factor, exponent) in factors {
                    product = f.mul(product, divided(f.pow(v(factor), *exponent))?);
                }
                product
            }
            FieldStep::Root(a, order, power) => {
                let root = f.root(v(a), *order).ok_or(Undefined::Root)?;
                divided(f.pow(root, *power))?
            }
            FieldStep::Wave(function, combination) => {
                let circles = &mut self.circles;
                let [c, s] = combined(f, combination, |base| {
                    *circles[base].get_or_insert_with(|| circle(f, generic.angles[base], draw))
                });
                match function {
                    Wave::Sin => s,
                    Wave::Cos => c,
                    Wave::Tan => f.mul(s, divided(f.inv(c))?),
                }
            }
            FieldStep::Exponential(function, combination) => {
                let mut e = f.one();
                for (base, multiple) in combination {
                    let positive = *self.positives[*base].get_or_insert_with(|| match generic.rates[*base] {
                        ArgumentBase::Random(key) => f.mul(random(key), random(key)),
                        ArgumentBase::RightAngle => random(u64::MAX),
                    });
                    e = f.mul(e, divided(f.pow(positive, *multiple))?);
                }
                divided(hyperbolic(f, *function, e))?
            }
            FieldStep::Scaled(key, a, power) => f.mul(random(*key), divided(f.pow(v(a), *power))?),
            FieldStep::Abs(a) => f.abs(v(a)),
            FieldStep::Sign(a) => f.mul(f.abs(v(a)), divided(f.inv(v(a)))?),
            FieldStep::Coin(key) => truth(coin(*key)),
            FieldStep::And(a, b) => f.mul(v(a), v(b)),
            FieldStep::Or(a, b) => truth(v(a) != Field::ZERO || v(b) != Field::ZERO),
            FieldStep::Not(a) => f.sub(f.one(), v(a)),
            FieldStep::Select(condition, then, otherwise) => {
                v(if v(condition) != Field::ZERO { then } else { otherwise })
            }
            FieldStep::Choice(key, first, second) => v(if coin(*key) { second } else { first }),
        })
    }
}

impl FieldStep {
    /// What it reads and draws.
    fn needs(&self, angles: &[ArgumentBase], rates: &[ArgumentBase]) -> Needs {
        let (mut places, mut keys, mut radicand) = (Vec::new(), Vec::new(), None);
        let drawn = |bases: &[ArgumentBase], combination: &BaseMultiples| -> Vec<u64> {
            let keys = combination.iter().map(|(base, _)| match bases[*base] {
                ArgumentBase::Random(key) => Some(key),
                ArgumentBase::RightAngle => None,
            });
            keys.flatten().collect()
        };
        match self {
            FieldStep::Value(_) => {}
            FieldStep::Free(key) | FieldStep::Coin(key) => keys.push(*key),
            FieldStep::Sum(_, terms) => places.extend(terms.iter().map(|(term, _)| *term)),
            FieldStep::Product(factors) => places.extend(factors.iter().map(|(factor, _)| *factor)),
            FieldStep::Root(a, order, _) => {
                places.push(*a);
                radicand = order.is_multiple_of(2).then_some(*a);
            }
            FieldStep::Wave(_, combination) => keys = drawn(angles, combination),
            FieldStep::Exponential(_, combination) => keys = drawn(rates, combination),
            FieldStep::Scaled(key, a, _) => {
                keys.push(*key);
                places.push(*a);
            }
            FieldStep::Abs(a) | FieldStep::Sign(a) | FieldStep::Not(a) => places.push(*a),
            FieldStep::And(a, b) | FieldStep::Or(a, b) => places.extend([a, b]),
            FieldStep::Select(condition, then, otherwise) => places.extend([condition, then, otherwise]),
            FieldStep::Choice(key, first, second) => {
                keys.push(*key);
                places.extend([first, second]);
            }
        }
        Needs { places, keys, radicand }
    }
}

/// A point of the circle, as cosine and sine.
fn circle(f: Field, base: ArgumentBase, draw: &RandomBits) -> [Residue; 2] {
    match base {
        ArgumentBase::RightAngle => [Field::ZERO, f.one()],
        ArgumentBase::Random(key) => {
            let t = f.residue(draw.bits(key));
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

fn combined(f: Field, combination: &BaseMultiples, mut circle: impl FnMut(usize) -> [Residue; 2]) -> [Residue; 2] {
    let mut sum = [f.one(), Field::ZERO];
    for (base, multiple) in combination {
        let [c, s] = circle(*base);
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
fn hyperbolic(f: Field, function: Exponential, e: Residue) -> Option<Residue> {
    let inverse = f.inv(e)?;
    let half = f.inv(f.integer(2))?;
    let (sum, difference) = (f.add(e, inverse), f.sub(e, inverse));
    Some(match function {
        Exponential::Exp => e,
        Exponential::Cosh => f.mul(sum, half),
        Exponential::Sinh => f.mul(difference, half),
        Exponential::Tanh => f.mul(difference, f.inv(sum)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Function, Function2};

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

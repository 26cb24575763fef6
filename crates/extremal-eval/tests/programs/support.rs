//! Random expressions, and how far two orders of evaluation may differ.

use std::collections::HashMap;

use extremal_expr::{Comparison, Expr, Function, Function2, Graph, Id, Node, Rational};
use proptest::prelude::*;

/// The symbols of random expressions, in the stages they are given to the program.
pub const STAGES: [&[&str]; 3] = [&["a", "b"], &["h", "q"], &["x", "y", "z"]];

pub fn symbols() -> impl Iterator<Item = &'static str> {
    STAGES.iter().flat_map(|names| names.iter().copied())
}

/// One step of a recipe: which construction, on which of the expressions made so far.
pub type Choice = (u8, u16, u16, u16, i8);

pub fn recipe(length: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(any::<Choice>(), 1..length)
}

/// Builds every expression of a recipe; the symbols come first.
pub fn build<'g>(g: &'g Graph, recipe: &[Choice]) -> Vec<Expr<'g>> {
    let mut made: Vec<Expr> = symbols().map(|name| g.symbol(name)).collect();
    made.push(g.pi());
    for &(kind, i, j, k, n) in recipe {
        // Half of the picks among the latest, so that expressions grow deep as well as wide.
        let pick = |at: u16| match at % 2 {
            0 => made[usize::from(at / 2) % made.len()],
            _ => made[made.len() - 1 - usize::from(at / 2) % made.len().min(4)],
        };
        let (a, b, c) = (pick(i), pick(j), pick(k));
        let number = g.rational(Rational::new(i64::from(n), i64::from(j % 12) + 1).unwrap());
        let condition = || {
            let first = g.compare(Comparison::ALL[usize::from(i) % 4], a, b);
            let second = g.compare(Comparison::ALL[usize::from(j) % 4], b, c);
            match k % 4 {
                0 => first,
                1 => g.and(first, second),
                2 => g.or(first, second),
                _ => g.not(first),
            }
        };
        made.push(match kind % 20 {
            0..=2 => a + b,
            3..=4 => a - b,
            5..=7 => a * b,
            8 => a / b,
            9..=10 => a * number,
            11 => a + number,
            12 => a.powi(i64::from(n % 8)),
            13 => a.pow(g.rational(Rational::new(i64::from(n % 8), i64::from(j % 3) + 2).unwrap())),
            14 => a.pow(b),
            15..=17 => a.call(Function::ALL[usize::from(j) % Function::ALL.len()]),
            18 => g.call2(Function2::ALL[usize::from(j) % 3], a, b),
            _ => g.select(condition(), a, c),
        });
    }
    made
}

/// A value and a bound on the error of any reasonable evaluation of it.
#[derive(Clone, Copy)]
pub struct Bounded {
    pub value: f64,
    pub error: f64,
}

/// Half a unit in the last place, relative.
const U: f64 = f64::EPSILON / 2.0;

/// Running error analysis to first order, node by node. `None` where first order says nothing: a branch or a singularity lies
/// within the error, or a number leaves the range in which products may be reordered.
pub fn bounded(g: &Graph, roots: &[Id], value_of: impl Fn(&str) -> f64) -> Option<Vec<Bounded>> {
    let mut known: HashMap<Id, Bounded> = HashMap::new();
    for id in g.reachable(roots) {
        let of = |id: &Id| known[id];
        let exact = |value: f64| Bounded { value, error: U * value.abs() };
        let result = match g.expr(id).node() {
            Node::Number(number) => exact(number.to_f64()),
            Node::Pi => exact(std::f64::consts::PI),
            Node::Truth(holds) => Bounded { value: f64::from(u8::from(holds)), error: 0.0 },
            Node::Symbol(name) => Bounded { value: value_of(&name), error: 0.0 },
            Node::Sum { constant, terms } => {
                let mut total = exact(constant.to_f64());
                let mut size = total.value.abs();
                for (id, c) in terms.iter() {
                    let (c, term) = (c.to_f64(), of(id));
                    total.value += c * term.value;
                    total.error += c.abs() * term.error;
                    size += (c * term.value).abs();
                }
                // n additions, and per term the coefficient and its application.
                total.error += (terms.len() as f64 + 4.0) * U * size;
                total
            }
            Node::Product(factors) => {
                let value: f64 = factors.iter().map(|(id, e)| power(of(id).value, *e)).product();
                let mut error = 0.0;
                for (at, (id, e)) in factors.iter().enumerate() {
                    let others: f64 = factors
                        .iter()
                        .enumerate()
                        .filter(|(i, _)| *i != at)
                        .map(|(_, (id, e))| power(of(id).value, *e))
                        .product();
                    let base = of(id);
                    if *e < 0 && !base.is_far_from(0.0) {
                        return None;
                    }
                    error += (*e as f64 * power(base.value, e - 1) * others).abs() * base.error;
                    error += 4.0 * U * e.unsigned_abs() as f64 * value.abs();
                }
                // Where a factor is little but error, so are its powers: first order says that they vanish.
                let vague = |(id, e): &(Id, i64)| *e > 0 && of(id).error > 1e-5 * of(id).value.abs();
                if factors.iter().any(vague) {
                    let largest = |(id, e): &(Id, i64)| power(of(id).value.abs() + of(id).error, *e);
                    let smallest = |(id, e): &(Id, i64)| power(of(id).value.abs() - of(id).error, *e);
                    let sizes = factors.iter().map(|factor| largest(factor).max(smallest(factor).abs()));
                    error += value.abs() + sizes.product::<f64>();
                }
                Bounded { value, error }
            }
            Node::Root(a, q) => raised(of(&a), 1.0 / f64::from(q))?,
            Node::Power(a, b) => {
                let (a, b) = (of(&a), of(&b));
                // Whether a negative number has a power depends on whether the exponent is an integer.
                if a.value < 0.0 && b.error > 0.0 {
                    return None;
                }
                let result = raised(a, b.value)?;
                Bounded { error: result.error + (result.value * a.value.ln()).abs() * b.error, ..result }
            }
            Node::Call(f, a) => called(f, of(&a))?,
            Node::Call2(Function2::Atan2, y, x) => {
                let (y, x) = (of(&y), of(&x));
                if !y.is_far_from(0.0) && !x.is_far_from(0.0) || x.value < 0.0 && !y.is_far_from(0.0) {
                    return None;
                }
                let square = x.value * x.value + y.value * y.value;
                let value = y.value.atan2(x.value);
                Bounded {
                    value,
                    error: (x.value.abs() * y.error + y.value.abs() * x.error) / square + 2.0 * U * value.abs(),
                }
            }
            Node::Call2(f, a, b) => {
                let (a, b) = (of(&a), of(&b));
                Bounded { value: f.apply(a.value, b.value), error: a.error.max(b.error) }
            }
            Node::Select(c, a, b) => {
                if of(&c).value != 0.0 {
                    of(&a)
                } else {
                    of(&b)
                }
            }
            Node::Grouped(a) => of(&a),
            Node::Compare(comparison, a, b) => {
                let (a, b) = (of(&a), of(&b));
                if (a.value - b.value).abs() <= 2.0 * (a.error + b.error) && a.error + b.error > 0.0 {
                    return None;
                }
                Bounded { value: f64::from(u8::from(comparison.holds(a.value, b.value))), error: 0.0 }
            }
            Node::And(a, b) => Bounded { value: of(&a).value * of(&b).value, error: 0.0 },
            Node::Or(a, b) => Bounded { value: of(&a).value.max(of(&b).value), error: 0.0 },
            Node::Not(a) => Bounded { value: 1.0 - of(&a).value, error: 0.0 },
        };
        // Beyond these sizes a reordered product may overflow or lose bits to underflow.
        let size = result.value.abs();
        if size > 1e60 || (size < 1e-60 && size != 0.0) {
            return None;
        }
        // Cancellation to nothing: the value is all error, and functions of it are anybody's guess.
        if result.error.is_nan() != result.value.is_nan() || result.error > 1e-6 * size.max(1e-6) {
            return None;
        }
        known.insert(id, result);
    }
    Some(roots.iter().map(|id| known[id]).collect())
}

impl Bounded {
    /// Is the distance to a singularity so much larger than the error that first order is enough?
    fn is_far_from(self, singularity: f64) -> bool {
        self.value.is_nan() || (self.value - singularity).abs() > 1e5 * self.error.max(f64::MIN_POSITIVE)
    }
}

fn power(base: f64, exponent: i64) -> f64 {
    base.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

fn raised(a: Bounded, exponent: f64) -> Option<Bounded> {
    if !a.is_far_from(0.0) {
        return None;
    }
    let value = a.value.powf(exponent);
    Some(Bounded {
        value,
        error: (exponent * value / a.value).abs() * a.error * 1.1 + (4.0 + exponent.abs()) * U * value.abs(),
    })
}

fn called(f: Function, a: Bounded) -> Option<Bounded> {
    use Function::*;
    let x = a.value;
    let value = f.apply(x);
    let singular: &[f64] = match f {
        Asin | Acos | Atanh => &[-1.0, 1.0],
        Acosh => &[1.0],
        Log | Cbrt | Sign => &[0.0],
        _ => &[],
    };
    if singular.iter().any(|s| !a.is_far_from(*s)) {
        return None;
    }
    let slope = match f {
        Sin | Cos | Abs => 1.0,
        Tan => 1.0 + value * value,
        Asin | Acos => 1.0 / (1.0 - x * x).sqrt(),
        Atan => 1.0 / (1.0 + x * x),
        Sinh => x.cosh(),
        Cosh => x.sinh().abs(),
        Tanh => 1.0,
        Asinh => 1.0,
        Acosh => 1.0 / (x * x - 1.0).sqrt(),
        Atanh => 1.0 / (1.0 - x * x),
        Exp => value,
        Log => 1.0 / x.abs(),
        Cbrt => 1.0 / (3.0 * value * value),
        Sign => 0.0,
    };
    // 4 U: two libraries' worth of one unit in the last place each.
    Some(Bounded {
        value,
        error: 1.1 * slope.abs() * a.error + 4.0 * U * value.abs() + if value.is_nan() { f64::NAN } else { 0.0 },
    })
}

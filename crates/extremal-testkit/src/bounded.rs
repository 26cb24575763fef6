//! Numbers that carry a bound on their rounding error, and expressions evaluated with them.
//!
//! Two ways to compute the same thing may differ by the sum of their bounds. Where first-order error analysis says nothing (a
//! branch or a singularity lies within the error) the bound is infinite.

use std::collections::HashMap;
use std::ops::{Add, Div, Mul, Neg, Sub};

use extremal_expr::{Function, Function2, Graph, Id, Node, Relation};

/// Half a unit in the last place, relative.
const U: f64 = f64::EPSILON / 2.0;

/// A computed number and a bound on its distance from the exact one.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    /// What was computed.
    pub value: f64,
    /// How far the exact number may be.
    pub error: f64,
}

impl Bounded {
    /// Known exactly.
    pub fn exact(value: f64) -> Bounded {
        Bounded { value, error: 0.0 }
    }

    /// Rounded once.
    pub fn rounded(value: f64) -> Bounded {
        Bounded { value, error: U * value.abs() }
    }

    /// Is the distance to a singularity so much larger than the error that first order is enough?
    fn is_far_from(self, singularity: f64) -> bool {
        (self.value - singularity).abs() > 1e4 * self.error && self.value != singularity
    }

    /// Through a function of this slope, computed to a few units in the last place.
    fn through(self, value: f64, slope: f64) -> Bounded {
        Bounded { value, error: 1.1 * slope.abs() * self.error + 4.0 * U * value.abs() }.unless(false)
    }

    /// Unreliable on request, and where products of such numbers may overflow or lose bits to underflow.
    pub fn unless(self, unreliable: bool) -> Bounded {
        let size = self.value.abs();
        let extreme = size > 1e60 || (size < 1e-60 && size != 0.0);
        if unreliable || extreme { Bounded { error: f64::INFINITY, ..self } } else { self }
    }

    /// A power with an integer exponent.
    pub fn powi(self, exponent: i64) -> Bounded {
        // By squaring: powers of powers have exponents that cannot be counted up to.
        let (mut power, mut square, mut left) = (Bounded::exact(1.0), self, exponent.unsigned_abs());
        while left > 0 {
            if left % 2 == 1 {
                power = power * square;
            }
            left /= 2;
            if left > 0 {
                square = square * square;
            }
        }
        if exponent < 0 { Bounded::exact(1.0) / power } else { power }
    }

    /// A power.
    pub fn powf(self, exponent: Bounded) -> Bounded {
        let value = self.value.powf(exponent.value);
        let by_base = self.through(value, exponent.value * value / self.value);
        let by_exponent = exponent.through(value, value * self.value.ln());
        Bounded { value, error: by_base.error + by_exponent.error }.unless(!self.is_far_from(0.0))
    }

    /// A function of one number.
    pub fn call(self, f: Function) -> Bounded {
        use Function::*;
        let x = self.value;
        let value = f.apply(x);
        let singular: &[f64] = match f {
            Asin | Acos | Atanh => &[-1.0, 1.0],
            Acosh => &[1.0],
            Log | Cbrt | Sign | Abs => &[0.0],
            _ => &[],
        };
        let slope = match f {
            Sin | Cos | Abs | Tanh | Asinh | Atan => 1.0,
            Tan => 1.0 + value * value,
            Asin | Acos => 1.0 / (1.0 - x * x).sqrt(),
            Sinh | Cosh => x.cosh(),
            Acosh => 1.0 / (x * x - 1.0).sqrt(),
            Atanh => 1.0 / (1.0 - x * x),
            Exp => value,
            Log => 1.0 / x,
            Cbrt => 1.0 / (3.0 * value * value),
            Sign => 0.0,
        };
        self.through(value, slope).unless(singular.iter().any(|s| !self.is_far_from(*s)))
    }

    /// 1 or 0; unreliable when the sides are closer than their errors.
    pub fn compare(self, comparison: Relation, other: Bounded) -> Bounded {
        let holds = f64::from(u8::from(comparison.holds(self.value, other.value)));
        Bounded::exact(holds).unless(!(self - other).is_far_from(0.0))
    }

    /// A function of two numbers.
    pub fn call2(self, f: Function2, other: Bounded) -> Bounded {
        match f {
            Function2::Atan2 => {
                let value = self.value.atan2(other.value);
                let square = self.value.powi(2) + other.value.powi(2);
                let error = (other.value.abs() * self.error + self.value.abs() * other.error) / square;
                Bounded { value, error: error + 2.0 * U * value.abs() }.unless(!self.is_far_from(0.0))
            }
            // The sum, not the maximum: it keeps an undefined bound undefined.
            _ => Bounded { value: f.apply(self.value, other.value), error: self.error + other.error },
        }
    }
}

impl Add for Bounded {
    type Output = Bounded;
    fn add(self, other: Bounded) -> Bounded {
        let value = self.value + other.value;
        Bounded { value, error: self.error + other.error + U * value.abs() }
    }
}

impl Neg for Bounded {
    type Output = Bounded;
    fn neg(self) -> Bounded {
        Bounded { value: -self.value, ..self }
    }
}

impl Sub for Bounded {
    type Output = Bounded;
    fn sub(self, other: Bounded) -> Bounded {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Bounded;
    fn mul(self, other: Bounded) -> Bounded {
        let value = self.value * other.value;
        let error = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        Bounded { value, error: error + U * value.abs() }.unless(false)
    }
}

impl Div for Bounded {
    type Output = Bounded;
    fn div(self, other: Bounded) -> Bounded {
        let value = self.value / other.value;
        let error = (self.error + value.abs() * other.error) / other.value.abs();
        Bounded { value, error: 1.1 * error + U * value.abs() }.unless(!other.is_far_from(0.0))
    }
}

/// The values of expressions and of all their parts, with bounds that hold for sums in any order.
pub fn evaluate(g: &Graph, roots: &[Id], value_of: impl Fn(&str) -> f64) -> HashMap<Id, Bounded> {
    let mut known: HashMap<Id, Bounded> = HashMap::new();
    for id in g.reachable(roots) {
        let of = |id: &Id| known[id];
        let truth = |holds: bool| Bounded::exact(f64::from(u8::from(holds)));
        let value = match g.expr(id).node() {
            Node::Number(number) => Bounded::rounded(number.to_f64()),
            Node::Pi => Bounded::rounded(std::f64::consts::PI),
            Node::Truth(holds) => truth(holds),
            Node::Symbol(name) => Bounded::exact(value_of(&name)),
            Node::Sum { constant, terms } => {
                let mut total = Bounded::rounded(constant.to_f64());
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
                factors.iter().fold(Bounded::exact(1.0), |product, (id, e)| product * of(id).powi(*e))
            }
            Node::Root(a, q) => of(&a).powf(Bounded::rounded(1.0 / f64::from(q))),
            Node::Power(a, b) => of(&a).powf(of(&b)),
            Node::Call(f, a) => of(&a).call(f),
            // Its value alone: a bound of the error would need one of the slope.
            Node::Table(f, a) => Bounded { value: f.value(of(&a).value), error: f64::INFINITY },
            Node::Call2(f, a, b) => of(&a).call2(f, of(&b)),
            Node::Select(c, a, b) => {
                let (condition, chosen) = (of(&c), if of(&c).value != 0.0 { of(&a) } else { of(&b) });
                chosen.unless(condition.error != 0.0)
            }
            Node::Grouped(a) => of(&a),
            Node::Compare(comparison, a, b) => of(&a).compare(comparison, of(&b)),
            Node::And(a, b) => of(&a) * of(&b),
            Node::Or(a, b) => Bounded { value: of(&a).value.max(of(&b).value), error: of(&a).error + of(&b).error },
            Node::Not(a) => Bounded { value: 1.0 - of(&a).value, ..of(&a) },
        };
        known.insert(id, value);
    }
    known
}

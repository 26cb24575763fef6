//! Numbers that carry a bound on their rounding error, and dual numbers of them.
//!
//! Two ways to compute the same thing may differ by the sum of their bounds. Where first-order error analysis says nothing (a
//! branch or a singularity lies within the error) the bound is infinite.

use std::ops::{Add, Div, Mul, Neg, Sub};

use extremal_expr::{Comparison, Function, Function2};

/// Half a unit in the last place, relative.
const U: f64 = f64::EPSILON / 2.0;

/// A computed number and a bound on its distance from the exact one.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
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
        Bounded { value, error: 1.1 * slope.abs() * self.error + 8.0 * U * value.abs() }.unless(false)
    }

    /// Unreliable on request, and where products of such numbers may overflow or lose bits to underflow.
    fn unless(self, unreliable: bool) -> Bounded {
        let size = self.value.abs();
        let extreme = size > 1e60 || (size < 1e-60 && size != 0.0);
        if unreliable || extreme { Bounded { error: f64::INFINITY, ..self } } else { self }
    }

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

    pub fn powf(self, exponent: Bounded) -> Bounded {
        let value = self.value.powf(exponent.value);
        let by_base = self.through(value, exponent.value * value / self.value);
        let by_exponent = exponent.through(value, value * self.value.ln());
        Bounded { value, error: by_base.error + by_exponent.error }.unless(!self.is_far_from(0.0))
    }

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
    pub fn compare(self, comparison: Comparison, other: Bounded) -> Bounded {
        let holds = f64::from(u8::from(comparison.holds(self.value, other.value)));
        Bounded::exact(holds).unless(!(self - other).is_far_from(0.0))
    }

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

/// How many variables a dual number is differentiated by.
pub const VARIABLES: usize = 3;

/// A value and its derivatives, by the rules of calculus applied number by number.
#[derive(Clone, Copy, Debug)]
pub struct Dual {
    pub value: Bounded,
    pub slopes: [Bounded; VARIABLES],
}

impl Dual {
    pub fn constant(value: Bounded) -> Dual {
        Dual { value, slopes: [Bounded::exact(0.0); VARIABLES] }
    }

    pub fn variable(value: f64, at: usize) -> Dual {
        let mut dual = Dual::constant(Bounded::exact(value));
        dual.slopes[at] = Bounded::exact(1.0);
        dual
    }

    /// The chain rule: `value` with derivative `slope` by this number.
    fn chain(self, value: Bounded, slope: Bounded) -> Dual {
        Dual { value, slopes: self.slopes.map(|s| s * slope) }
    }

    fn chain2(self, other: Dual, value: Bounded, by_self: Bounded, by_other: Bounded) -> Dual {
        Dual { value, slopes: std::array::from_fn(|i| self.slopes[i] * by_self + other.slopes[i] * by_other) }
    }

    pub fn add(self, other: Dual) -> Dual {
        self.chain2(other, self.value + other.value, Bounded::exact(1.0), Bounded::exact(1.0))
    }

    pub fn sub(self, other: Dual) -> Dual {
        self.chain2(other, self.value - other.value, Bounded::exact(1.0), Bounded::exact(-1.0))
    }

    pub fn mul(self, other: Dual) -> Dual {
        self.chain2(other, self.value * other.value, other.value, self.value)
    }

    pub fn div(self, other: Dual) -> Dual {
        let value = self.value / other.value;
        self.chain2(other, value, Bounded::exact(1.0) / other.value, -(value / other.value))
    }

    pub fn powi(self, exponent: i64) -> Dual {
        match exponent {
            0 => Dual::constant(Bounded::exact(1.0)),
            e => self.chain(self.value.powi(e), Bounded::exact(e as f64) * self.value.powi(e - 1)),
        }
    }

    pub fn powf(self, exponent: Dual) -> Dual {
        let value = self.value.powf(exponent.value);
        self.chain2(exponent, value, exponent.value * value / self.value, value * self.value.call(Function::Log))
    }

    pub fn call(self, f: Function) -> Dual {
        use Function::*;
        let (x, value, one) = (self.value, self.value.call(f), Bounded::exact(1.0));
        let root = |b: Bounded| b.powf(Bounded::exact(0.5));
        let slope = match f {
            Sin => x.call(Cos),
            Cos => -x.call(Sin),
            Tan => one / x.call(Cos).powi(2),
            Asin => one / root(one - x * x),
            Acos => -(one / root(one - x * x)),
            Atan => one / (one + x * x),
            Sinh => x.call(Cosh),
            Cosh => x.call(Sinh),
            Tanh => one / x.call(Cosh).powi(2),
            Asinh => one / root(one + x * x),
            Acosh => one / root(x * x - one),
            Atanh => one / (one - x * x),
            Exp => value,
            Log => one / x,
            Cbrt => one / (Bounded::exact(3.0) * value.powi(2)),
            Abs => x.call(Sign),
            Sign => Bounded::exact(0.0),
        };
        self.chain(value, slope)
    }

    pub fn call2(self, f: Function2, other: Dual) -> Dual {
        let (a, b) = (self.value, other.value);
        let value = a.call2(f, b);
        let first = match f {
            Function2::Atan2 => {
                let square = a * a + b * b;
                return self.chain2(other, value, b / square, -(a / square));
            }
            Function2::Min => a.compare(Comparison::Lt, b),
            Function2::Max => b.compare(Comparison::Lt, a),
        };
        let slopes = if first.value != 0.0 { self.slopes } else { other.slopes };
        Dual { value, slopes: slopes.map(|s| s.unless(first.error != 0.0)) }
    }

    /// This where the condition (1 or 0) holds, else `otherwise`.
    pub fn select(condition: Bounded, then: Dual, otherwise: Dual) -> Dual {
        let chosen = if condition.value != 0.0 { then } else { otherwise };
        let unreliable = condition.error != 0.0;
        Dual { value: chosen.value.unless(unreliable), slopes: chosen.slopes.map(|s| s.unless(unreliable)) }
    }
}

//! Dual numbers: a value and its derivatives, each with a bound on its error.

use extremal_expr::{Function, Function2, Relation};
use extremal_testkit::bounded::Bounded;

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
            Function2::Min => a.compare(Relation::Lt, b),
            Function2::Max => b.compare(Relation::Lt, a),
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

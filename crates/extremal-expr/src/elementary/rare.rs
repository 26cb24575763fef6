//! Inverse hyperbolic functions, one number at a time: nobody waits for them.
//!
//! Near zero by artanh of a small argument, elsewhere by the logarithm of a sum with more digits than one number has.

use super::lanes::{Double, Lanes};
use super::logarithm::{artanh_near_zero, fine_log};

/// Up to here the series of artanh is good.
pub const NEAR: f64 = 0.17;
/// From here on `x² ± 1` is `x²`.
pub const FAR: f64 = 1e9;

type One = Double<1>;

fn number(x: f64) -> One {
    Double { hi: x.into(), lo: 0.0.into() }
}

fn quotient(a: One, b: One) -> One {
    let hi = a.hi / b.hi;
    let rest = (-hi).fma(b.hi, a.hi) + a.lo - hi * b.lo;
    Double::fast_sum(hi, rest / b.hi)
}

fn root(a: One) -> One {
    let hi = a.hi.map(f64::sqrt);
    if hi.0[0] == 0.0 {
        return number(0.0);
    }
    Double::fast_sum(hi, ((-hi).fma(hi, a.hi) + a.lo) / (hi + hi))
}

/// `a + b` for |a| ≥ |b|.
fn sum(a: One, b: One) -> One {
    let Double { hi, lo } = Double::fast_sum(a.hi, b.hi);
    Double::fast_sum(hi, lo + a.lo + b.lo)
}

fn log_of(a: One) -> f64 {
    let Double { hi, lo } = fine_log(a.hi);
    (hi + (lo + a.lo / a.hi)).0[0]
}

/// ln(2x) for x so large that nothing else matters.
fn log_of_twice(x: f64) -> f64 {
    let Double { hi, lo } = fine_log(Lanes([x]));
    (hi + (lo + std::f64::consts::LN_2)).0[0]
}

pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if !(1e-9..=f64::MAX).contains(&size) {
        return x;
    }
    let value = if size > FAR {
        log_of_twice(size)
    } else {
        let square = Double::product(size.into(), size.into());
        let hypotenuse = root(if size < 1.0 { sum(number(1.0), square) } else { sum(square, number(1.0)) });
        let ratio = quotient(number(size), hypotenuse);
        if ratio.hi.0[0] < NEAR { artanh_near_zero(ratio).0[0] } else { log_of(sum(hypotenuse, number(size))) }
    };
    value.copysign(x)
}

pub(super) fn acosh(x: f64) -> f64 {
    if !(1.0..f64::INFINITY).contains(&x) {
        return if x == f64::INFINITY { x } else { f64::NAN };
    }
    if x > FAR {
        return log_of_twice(x);
    }
    // x - 1 is exact up to two, and farther out its rounding does not matter.
    let (less, more) = (number(x - 1.0), Double::sum(x.into(), 1.0.into()));
    let ratio = root(quotient(less, more));
    if ratio.hi.0[0] < NEAR {
        return 2.0 * artanh_near_zero(ratio).0[0];
    }
    let square = Double::product(x.into(), x.into());
    log_of(sum(number(x), root(sum(square, number(-1.0)))))
}

pub(super) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    if size < NEAR {
        return artanh_near_zero(number(size)).0[0].copysign(x);
    }
    if size >= 1.0 || x.is_nan() {
        return if size == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let ratio = quotient(sum(number(1.0), number(size)), sum(number(1.0), number(-size)));
    (0.5 * log_of(ratio)).copysign(x)
}

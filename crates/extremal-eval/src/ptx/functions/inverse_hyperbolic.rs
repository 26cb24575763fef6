//! Inverse hyperbolic functions: the operations of `elementary/rare.rs`, all branches side by side.

use std::f64::consts::LN_2;

use extremal_expr::elementary::coefficients::{FAR, NEAR};

use super::double::NumberPair;
use super::logarithm::{artanh_near_zero, fine_log};
use crate::ptx::body::{Body, PtxCondition, PtxNumber};

fn quotient<'b>(a: NumberPair<'b>, b: NumberPair<'b>) -> NumberPair<'b> {
    let hi = a.hi / b.hi;
    let rest = (-hi).fma(b.hi, a.hi) + a.lo - hi * b.lo;
    NumberPair::fast_sum(hi, rest / b.hi)
}

fn root(a: NumberPair<'_>) -> NumberPair<'_> {
    let hi = a.hi.sqrt();
    let NumberPair { hi: sum, lo } = NumberPair::fast_sum(hi, ((-hi).fma(hi, a.hi) + a.lo) / (hi + hi));
    let zero = hi.equals(0.0);
    NumberPair { hi: zero.choose(0.0, sum), lo: zero.choose(0.0, lo) }
}

/// `a + b` for |a| ≥ |b|.
fn sum<'b>(a: NumberPair<'b>, b: NumberPair<'b>) -> NumberPair<'b> {
    let NumberPair { hi, lo } = NumberPair::fast_sum(a.hi, b.hi);
    NumberPair::fast_sum(hi, lo + a.lo + b.lo)
}

fn choose<'b>(condition: PtxCondition<'b>, yes: NumberPair<'b>, no: NumberPair<'b>) -> NumberPair<'b> {
    NumberPair { hi: condition.choose(yes.hi, no.hi), lo: condition.choose(yes.lo, no.lo) }
}

fn log_of(a: NumberPair<'_>) -> PtxNumber<'_> {
    let NumberPair { hi, lo } = fine_log(a.hi);
    hi + (lo + a.lo / a.hi)
}

fn log_of_twice(x: PtxNumber<'_>) -> PtxNumber<'_> {
    let NumberPair { hi, lo } = fine_log(x);
    hi + (lo + LN_2)
}

pub(super) fn asinh<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let size = x.abs();
    let one = NumberPair::of(body.number(1.0));
    let square = NumberPair::product(size, size);
    let small = size.less(1.0);
    let hypotenuse = root(choose(small, sum(one, square), sum(square, one)));
    let ratio = quotient(NumberPair::of(size), hypotenuse);
    let near = ratio.hi.less(NEAR).choose(artanh_near_zero(ratio), log_of(sum(hypotenuse, NumberPair::of(size))));
    let value: PtxNumber<'b> = size.greater(FAR).choose(log_of_twice(size), near);
    let ordinary = size.at_least(1e-9) & size.at_most(f64::MAX);
    ordinary.choose(value.copysign(x), x)
}

pub(super) fn acosh<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let (less, more) = (NumberPair::of(x - 1.0), NumberPair::sum(x, body.number(1.0)));
    let ratio = root(quotient(less, more));
    let small = body.number(2.0) * artanh_near_zero(ratio);
    let square = NumberPair::product(x, x);
    let opposite = NumberPair::of(body.number(-1.0));
    let large = log_of(sum(NumberPair::of(x), root(sum(square, opposite))));
    let near = ratio.hi.less(NEAR).choose(small, large);
    let value: PtxNumber<'b> = x.greater(FAR).choose(log_of_twice(x), near);
    let outside: PtxNumber<'b> = x.equals(f64::INFINITY).choose(x, f64::NAN);
    (x.at_least(1.0) & x.less(f64::INFINITY)).choose(value, outside)
}

pub(super) fn atanh<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let size = x.abs();
    let one = NumberPair::of(body.number(1.0));
    let ratio = quotient(sum(one, NumberPair::of(size)), sum(one, NumberPair::of(-size)));
    let far = body.number(0.5) * log_of(ratio);
    let inside: PtxNumber<'b> = size.less(NEAR).choose(artanh_near_zero(NumberPair::of(size)), far);
    let outside: PtxNumber<'b> = size.equals(1.0).choose(f64::INFINITY, f64::NAN);
    let value: PtxNumber<'b> = size.less(1.0).choose(inside, outside);
    value.copysign(x)
}

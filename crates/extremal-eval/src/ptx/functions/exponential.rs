//! Exponential and hyperbolic functions: the operations of `elementary/exponential.rs`, one by one.

use std::f64::consts::LOG2_E;

use extremal_expr::elementary::ROUNDING;
use extremal_expr::elementary::coefficients::{EXPONENTIAL, LARGEST_EXPONENT, LN_2_OF_EXPONENTIAL, SINH};

use super::double::{NumberPair, Powers};
use crate::ptx::body::{Body, PtxNumber};

/// A number `mantissa·2^k`, the integer `k` in the last bits of `exponent`.
struct PowerParts<'b> {
    mantissa: NumberPair<'b>,
    exponent: PtxNumber<'b>,
}

/// e^(hi + lo).
fn scaled_exp(x: NumberPair<'_>) -> PowerParts<'_> {
    let from_above = x.hi.greater(LARGEST_EXPONENT).choose(LARGEST_EXPONENT, x.hi);
    let clamped: PtxNumber<'_> = from_above.less(-LARGEST_EXPONENT).choose(-LARGEST_EXPONENT, from_above);
    let exponent = clamped.fma(LOG2_E, ROUNDING);
    let back = -(exponent - ROUNDING);
    let (first, second) = (back.fma(LN_2_OF_EXPONENTIAL[0], clamped), back.fma(LN_2_OF_EXPONENTIAL[1], x.lo));
    let NumberPair { hi: r, lo } = NumberPair::fast_sum(first, second);
    let powers = Powers::of(r);
    let rest = powers.second().fma(powers.eleven(&EXPONENTIAL), lo);
    let NumberPair { hi, lo } = NumberPair::fast_sum(r.body().number(1.0), r);
    PowerParts { mantissa: NumberPair { hi, lo: lo + rest }, exponent }
}

/// Two powers of two whose product is 2^(k + shift).
fn powers_of_two(exponent: PtxNumber<'_>, shift: i64) -> [PtxNumber<'_>; 2] {
    const OFFSET: u64 = 1200;
    let offset = (OFFSET as i64 + shift) as u64;
    let sum = exponent.bits() + offset.wrapping_sub(ROUNDING.to_bits());
    let half = sum.shift_right(1u32);
    [half, sum - half].map(|k| (k + (1023 - OFFSET / 2)).shift_left(52u32).as_number())
}

fn scale<'b>(x: PtxNumber<'b>, [first, second]: [PtxNumber<'b>; 2]) -> PtxNumber<'b> {
    x * first * second
}

/// e^x.
pub(super) fn exp(x: PtxNumber<'_>) -> PtxNumber<'_> {
    exp_of(NumberPair::of(x))
}

/// e^(hi + lo), rounded.
pub(super) fn exp_of(x: NumberPair<'_>) -> PtxNumber<'_> {
    let PowerParts { mantissa, exponent } = scaled_exp(x);
    scale(mantissa.round(), powers_of_two(exponent, 0))
}

/// sinh and cosh of |x|.
fn sinh_cosh(x: PtxNumber<'_>) -> (NumberPair<'_>, NumberPair<'_>) {
    let body = x.body();
    let size = x.abs();
    let PowerParts { mantissa, exponent } = scaled_exp(NumberPair::of(size));
    let mantissa = NumberPair::fast_sum(mantissa.hi, mantissa.lo);
    let powers = powers_of_two(exponent, -1);
    let rising = NumberPair { hi: scale(mantissa.hi, powers), lo: scale(mantissa.lo, powers) };
    let reciprocal = body.number(1.0) / mantissa.hi;
    let error = (-reciprocal).fma(mantissa.hi, 1.0) - reciprocal * mantissa.lo;
    let powers = powers_of_two(body.number(2.0 * ROUNDING) - exponent, -1);
    let falling = NumberPair { hi: scale(reciprocal, powers), lo: scale(reciprocal * error, powers) };
    let difference = NumberPair::fast_sum(rising.hi, -falling.hi);
    let sum = NumberPair::fast_sum(rising.hi, falling.hi);
    let cosh = NumberPair { hi: sum.hi, lo: sum.lo + (rising.lo + falling.lo) };
    let square = size * size;
    let series = NumberPair::fast_sum(size, size * square * Powers::of(square).seven(&SINH));
    let near = size.less(0.5);
    let sinh = NumberPair {
        hi: near.choose(series.hi, difference.hi),
        lo: near.choose(series.lo, difference.lo + (rising.lo - falling.lo)),
    };
    (sinh, cosh)
}

/// An infinite leading part leaves no number behind it.
fn rounded(value: NumberPair<'_>) -> PtxNumber<'_> {
    value.hi.equals(f64::INFINITY).choose(value.hi, value.round())
}

pub(super) fn sinh<'b>(_: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    rounded(sinh_cosh(x).0).copysign(x)
}

pub(super) fn cosh<'b>(_: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    rounded(sinh_cosh(x).1)
}

pub(super) fn tanh<'b>(_: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let (sinh, cosh) = sinh_cosh(x);
    let value: PtxNumber<'b> = x.abs().greater(20.0).choose(1.0, sinh.over(cosh));
    value.copysign(x)
}

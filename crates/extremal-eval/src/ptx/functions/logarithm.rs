//! Logarithm and powers: the operations of `elementary/logarithm.rs`, one by one.

use extremal_expr::elementary::coefficients::{LN_2_OF_LOGARITHM, LOGARITHM, NEAR_ONE, PART_BITS, ROOT_HALF};
use extremal_expr::elementary::{LEAST_MANTISSA, PARTS};

use super::double::{NumberPair, Powers};
use super::exponential::exp_of;
use super::{Routine, address_of};
use crate::ptx::body::{Body, Integer, PtxCondition, PtxNumber};

const ONE: u64 = 1f64.to_bits();

/// A positive number as `2^exponent·mantissa`.
struct SplitNumber<'b> {
    exponent: PtxNumber<'b>,
    mantissa: Integer<'b>,
}

/// With mantissas from the number with the bits `least` up to its double.
fn split(x: PtxNumber<'_>, least: u64) -> SplitNumber<'_> {
    /// 2⁵², whose last bits are integers.
    const INTEGERS: u64 = 0x4330_0000_0000_0000;
    let is_subnormal = x.less(f64::MIN_POSITIVE);
    let lifted: PtxNumber<'_> = is_subnormal.choose(x * 2f64.powi(54), x);
    let bias: PtxNumber<'_> = is_subnormal.choose(2f64.powi(52) + 1077.0, 2f64.powi(52) + 1023.0);
    let moved = lifted.bits() + (ONE - least);
    let exponent = (moved.shift_right(52u32) | INTEGERS).as_number() - bias;
    SplitNumber { exponent, mantissa: (moved & ((1u64 << 52) - 1)) + least }
}

/// s = f/(2 + f), for which ln(1 + f) = 2 artanh(s).
fn ratio(f: PtxNumber<'_>) -> NumberPair<'_> {
    let body = f.body();
    let below = NumberPair::fast_sum(body.number(2.0), f);
    let reciprocal = body.number(1.0) / below.hi;
    let hi = f * reciprocal;
    NumberPair { hi, lo: ((-hi).fma(below.hi, f) - hi * below.lo) * reciprocal }
}

fn is_ordinary(x: PtxNumber<'_>) -> PtxCondition<'_> {
    x.greater(0.0) & x.less(f64::INFINITY)
}

pub(super) fn log(x: PtxNumber<'_>) -> PtxNumber<'_> {
    let SplitNumber { exponent, mantissa } = split(x, ROOT_HALF);
    let s = ratio(mantissa.as_number() - 1.0);
    let square = s.hi * s.hi;
    let rest = (s.hi * square).fma(Powers::of(square).eight(&LOGARITHM), s.lo + s.lo);
    let NumberPair { hi, lo } = NumberPair::fast_sum(exponent * LN_2_OF_LOGARITHM[0], s.hi + s.hi);
    let value = hi + (lo + exponent.fma(LN_2_OF_LOGARITHM[1], rest));
    let infinite: PtxNumber<'_> = x.equals(f64::INFINITY).choose(f64::INFINITY, f64::NAN);
    let special: PtxNumber<'_> = x.equals(0.0).choose(f64::NEG_INFINITY, infinite);
    is_ordinary(x).choose(value, special)
}

/// The parts of the mantissas, three numbers each.
pub(super) fn table() -> Vec<u64> {
    PARTS.iter().flat_map(|part| [part.reciprocal, part.log[0], part.log[1]]).map(f64::to_bits).collect()
}

/// The logarithm of positive finite numbers with 66 bits.
pub(super) fn fine_log(x: PtxNumber<'_>) -> NumberPair<'_> {
    let body = x.body();
    let SplitNumber { exponent, mantissa } = split(x, LEAST_MANTISSA);
    let part = (mantissa - LEAST_MANTISSA).shift_right(PART_BITS) & (PARTS.len() as u64 - 1);
    let row = address_of(body, Routine::Parts) + part * 24u64;
    let [reciprocal, log_0, log_1] = [0, 8, 16]
        .map(|offset| body.result::<crate::ptx::body::Double>("ld.global.f64", &[&format!("[{row}+{offset}]")]));
    let r = mantissa.as_number().fma(reciprocal, -1.0);
    let coarse = exponent.fma(LN_2_OF_LOGARITHM[0], log_0);
    let fine = exponent.fma(LN_2_OF_LOGARITHM[1], log_1);
    let square = NumberPair::product(r, r);
    let linear = NumberPair::fast_sum(coarse, r);
    let quadratic = NumberPair::fast_sum(linear.hi, square.hi * -0.5);
    let higher = (r * square.hi).fma(Powers::of(r).seven(&NEAR_ONE), square.lo * -0.5);
    NumberPair { hi: quadratic.hi, lo: higher + ((linear.lo + fine) + quadratic.lo) }
}

/// artanh(s) for |s| ≤ (√2 - 1)/(√2 + 1).
pub(super) fn artanh_near_zero(s: NumberPair<'_>) -> PtxNumber<'_> {
    let square = s.hi * s.hi;
    s.hi + (s.hi * square * 0.5).fma(Powers::of(square).eight(&LOGARITHM), s.lo)
}

/// Powers of numbers that are positive and finite.
fn ordinary_power<'b>(x: PtxNumber<'b>, y: PtxNumber<'b>) -> PtxNumber<'b> {
    let log = fine_log(x);
    let product = NumberPair::product(y, log.hi);
    let rest = product.hi.abs().greater(1000.0).choose(0.0, product.lo + y * log.lo);
    exp_of(NumberPair { hi: product.hi, lo: rest })
}

pub(super) fn power<'b>(body: &'b Body, x: PtxNumber<'b>, y: PtxNumber<'b>) -> PtxNumber<'b> {
    let value = body.variable(ordinary_power(x, y));
    let special = !(is_ordinary(x) & y.abs().less(f64::INFINITY));
    body.when(special, || body.set(value, body.call(Routine::SpecialPower, &[x, y])));
    value
}

/// Powers of zero, of infinity, of negative numbers, and infinite ones.
pub(super) fn special_power<'b>(_: &'b Body, x: PtxNumber<'b>, y: PtxNumber<'b>) -> PtxNumber<'b> {
    let (size, height) = (x.abs(), y.abs());
    let whole = y.trunc().equals(y);
    // From 2⁵³ on all numbers are even; those below are odd if half of them is no integer.
    let half = y * 0.5;
    let odd = whole & height.less(2f64.powi(53)) & half.trunc().differs(half);
    let [zero, infinite] = [0.0, f64::INFINITY].map(|end| size.equals(end));
    let rising = y.greater(0.0);
    let at_ends: PtxNumber<'b> = (zero ^ rising).choose(f64::INFINITY, 0.0);
    let between: PtxNumber<'b> = whole.choose(ordinary_power(size, y), f64::NAN);
    let power: PtxNumber<'b> = (zero | infinite).choose(at_ends, between);
    let negative = (x.bits().shift_right(63u32)).is_not(0u64);
    let ordinary: PtxNumber<'b> = (odd & negative).choose(-power, power);
    // Exponents that are infinite.
    let grows: PtxNumber<'b> = (size.greater(1.0) ^ rising).choose(0.0, f64::INFINITY);
    let limit: PtxNumber<'b> = size.equals(1.0).choose(1.0, grows);
    let value: PtxNumber<'b> = height.equals(f64::INFINITY).choose(limit, ordinary);
    let one = y.equals(0.0) | x.equals(1.0);
    let value: PtxNumber<'b> = one.choose(1.0, value);
    x.unordered(y).choose(f64::NAN, value)
}

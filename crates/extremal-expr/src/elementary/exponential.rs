//! Exponential and hyperbolic functions.

use super::lanes::{Double, EstrinPowers, Lanes, ROUNDING};

/// ln 2 in two parts of 53 bits.
pub const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
/// (eˣ - 1 - x)/x² for |x| ≤ ln(2)/2 with error 2⁻⁶¹, by Chebyshev interpolation.
pub const EXPONENTIAL: [f64; 11] = [
    0.5,
    0.166_666_666_666_666_7,
    0.041_666_666_666_666_67,
    0.008_333_333_333_326_084,
    0.001_388_888_888_888_371_1,
    0.000_198_412_698_750_022_8,
    2.480_158_732_567_746e-5,
    2.755_725_517_000_089e-6,
    2.755_727_347_871_858e-7,
    2.510_531_272_962_210_3e-8,
    2.091_475_532_589_32e-9,
];
/// (sinh x - x)/x³ in x², |x| ≤ 1/2.
pub const SINH: [f64; 7] = [
    0.166_666_666_666_666_66,
    0.008_333_333_333_333_333,
    0.000_198_412_698_412_699_06,
    2.755_731_922_383_796_7e-6,
    2.505_210_854_797_073_6e-8,
    1.605_895_217_690_162_8e-10,
    7.672_789_367_059_63e-13,
];
/// Arguments beyond this overflow, or below its opposite vanish.
pub const LARGEST: f64 = 746.0;

/// A number `mantissa·2^k`, the integer `k` in the last bits of `exponent`; the second part of the mantissa is not yet small.
struct ScaledPower<const N: usize> {
    mantissa: Double<N>,
    exponent: Lanes<N>,
}

/// e^(hi + lo).
#[inline(always)]
fn scaled_exp<const N: usize>(x: Double<N>) -> ScaledPower<N> {
    let clamped = x.hi.map(|x| if x > LARGEST { LARGEST } else { x }).map(|x| if x < -LARGEST { -LARGEST } else { x });
    let exponent = clamped.fma(std::f64::consts::LOG2_E, ROUNDING);
    let k = exponent - ROUNDING;
    // The first is exact, like in the reduction of angles; the second is small.
    let (first, second) = ((-k).fma(LN_2[0], clamped), (-k).fma(LN_2[1], x.lo));
    let Double { hi: r, lo } = Double::fast_sum(first, second);
    let rest = (r * r).fma(EstrinPowers::of(r).eleven(EXPONENTIAL), lo);
    let Double { hi, lo } = Double::fast_sum(Lanes::from(1.0), r);
    ScaledPower { mantissa: Double { hi, lo: lo + rest }, exponent }
}

/// `x·2^(k + shift)` for the integer `k` in `exponent`, with k + shift at most 1100 in size: in two steps, so that the
/// powers are numbers even when the result is not, and only the last one rounds.
#[inline(always)]
fn scale<const N: usize>(x: Lanes<N>, exponent: Lanes<N>, shift: i64) -> Lanes<N> {
    const OFFSET: u64 = 1200;
    let offset = (OFFSET as i64 + shift) as u64;
    let sum = move |e: f64| e.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(offset);
    let power = |k: u64| f64::from_bits(k.wrapping_add(1023).wrapping_sub(OFFSET / 2) << 52);
    let half = x.map2(exponent, |x, e| x * power(sum(e) >> 1));
    half.map2(exponent, |x, e| x * power(sum(e).wrapping_sub(sum(e) >> 1)))
}

#[inline(always)]
pub(super) fn exp<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    exp_of(Double { hi: x, lo: 0.0.into() })
}

/// e^(hi + lo), rounded.
#[inline(always)]
pub(super) fn exp_of<const N: usize>(x: Double<N>) -> Lanes<N> {
    let ScaledPower { mantissa, exponent } = scaled_exp(x);
    scale(mantissa.round(), exponent, 0)
}

/// sinh and cosh of |x|; the sine by its own series near zero.
#[inline(always)]
fn sinh_cosh<const N: usize>(x: Lanes<N>) -> (Double<N>, Double<N>) {
    let size = x.abs();
    let ScaledPower { mantissa, exponent } = scaled_exp(Double { hi: size, lo: 0.0.into() });
    let mantissa = Double::fast_sum(mantissa.hi, mantissa.lo);
    let rising = Double { hi: scale(mantissa.hi, exponent, -1), lo: scale(mantissa.lo, exponent, -1) };
    // 1/(m + l) = r + r(1 - r m - r l); then times 2^(-k-1).
    let reciprocal = Lanes::from(1.0) / mantissa.hi;
    let error = (-reciprocal).fma(mantissa.hi, 1.0) - reciprocal * mantissa.lo;
    let opposite = exponent.map(|e| 2.0 * ROUNDING - e);
    let falling = Double { hi: scale(reciprocal, opposite, -1), lo: scale(reciprocal * error, opposite, -1) };
    let (difference, sum) = (Double::fast_sum(rising.hi, -falling.hi), Double::fast_sum(rising.hi, falling.hi));
    let cosh = Double { hi: sum.hi, lo: sum.lo + (rising.lo + falling.lo) };
    let square = size * size;
    let series = Double::fast_sum(size, size * square * EstrinPowers::of(square).seven(SINH));
    let near = |x: f64| x < 0.5;
    let sinh = Double {
        hi: series.hi.where_(size, near, difference.hi),
        lo: series.lo.where_(size, near, difference.lo + (rising.lo - falling.lo)),
    };
    (sinh, cosh)
}

#[inline(always)]
fn with_sign<const N: usize>(value: Lanes<N>, of: Lanes<N>) -> Lanes<N> {
    value.map2(of, f64::copysign)
}

#[inline(always)]
pub(super) fn sinh<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let value = sinh_cosh(x).0;
    // An infinite leading part leaves no number behind it.
    with_sign(value.hi.where_(value.hi, |hi| hi == f64::INFINITY, value.round()), x)
}

#[inline(always)]
pub(super) fn cosh<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let value = sinh_cosh(x).1;
    value.hi.where_(value.hi, |hi| hi == f64::INFINITY, value.round())
}

#[inline(always)]
pub(super) fn tanh<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let (sinh, cosh) = sinh_cosh(x);
    let one = Lanes::from(1.0);
    with_sign(one.where_(x.abs(), |x| x > 20.0, sinh.over(cosh)), x)
}

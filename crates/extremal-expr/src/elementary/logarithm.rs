//! Logarithm and powers.

use super::exponential::exp_of;
use super::lanes::{Double, EstrinPowers, Lanes};
use super::logarithm_parts::{LEAST_MANTISSA, PART_BITS, PARTS};

/// ln 2: 42 bits, so that products with exponents are exact, and the rest.
pub const LN_2: [f64; 2] = [0.693_147_180_559_890_3, 5.497_923_018_708_371e-14];
/// (2 artanh(s) - 2s)/s³ in s², for logarithms of numbers between √½ and √2: error 2⁻⁶⁰ of the whole.
pub const LOGARITHM: [f64; 8] = [
    0.666_666_666_666_666_6,
    0.400_000_000_000_008_85,
    0.285_714_285_707_997_84,
    0.222_222_223_925_810_45,
    0.181_817_955_475_211_37,
    0.153_862_447_376_216_68,
    0.132_686_383_692_668_2,
    0.130_880_348_509_276_02,
];
/// (ln(1 + r) - r + r²/2)/r³, the series: for |r| < 2⁻⁷ error 2⁻⁶⁸ of the whole.
pub const NEAR_ONE: [f64; 7] = [1.0 / 3.0, -1.0 / 4.0, 1.0 / 5.0, -1.0 / 6.0, 1.0 / 7.0, -1.0 / 8.0, 1.0 / 9.0];
/// The bits of √½.
pub const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// A positive number as `2^exponent·mantissa`.
struct Split<const N: usize> {
    exponent: Lanes<N>,
    mantissa: Lanes<N>,
}

/// With mantissas from the number with the bits `least` up to its double.
#[inline(always)]
fn split<const N: usize>(x: Lanes<N>, least: u64) -> Split<N> {
    /// 2⁵², whose last bits are integers.
    const INTEGERS: u64 = 0x4330_0000_0000_0000;
    let is_subnormal = |x: f64| x < f64::MIN_POSITIVE;
    let lifted = (x * 2f64.powi(54)).where_(x, is_subnormal, x);
    let bias = Lanes::from(2f64.powi(52) + 1077.0).where_(x, is_subnormal, 2f64.powi(52) + 1023.0);
    let moved = move |x: f64| x.to_bits().wrapping_add(ONE - least);
    let exponent = lifted.map(|x| f64::from_bits(INTEGERS | moved(x) >> 52)) - bias;
    let mantissa = lifted.map(|x| f64::from_bits((moved(x) & ((1 << 52) - 1)).wrapping_add(least)));
    Split { exponent, mantissa }
}

/// s = f/(2 + f), for which ln(1 + f) = 2 artanh(s).
#[inline(always)]
fn ratio<const N: usize>(f: Lanes<N>) -> Double<N> {
    let below = Double::fast_sum(Lanes::from(2.0), f);
    let reciprocal = Lanes::from(1.0) / below.hi;
    let hi = f * reciprocal;
    Double { hi, lo: ((-hi).fma(below.hi, f) - hi * below.lo) * reciprocal }
}

#[inline(always)]
pub(super) fn log<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    let Split { exponent, mantissa } = split(x, ROOT_HALF);
    let s = ratio(mantissa - 1.0);
    let square = s.hi * s.hi;
    let rest = (s.hi * square).fma(EstrinPowers::of(square).eight(LOGARITHM), s.lo + s.lo);
    let Double { hi, lo } = Double::fast_sum(exponent * LN_2[0], s.hi + s.hi);
    let value = hi + (lo + exponent.fma(LN_2[1], rest));
    let special = x.map(|x| match x {
        0.0 => f64::NEG_INFINITY,
        f64::INFINITY => f64::INFINITY,
        _ => f64::NAN,
    });
    value.where_(x, is_ordinary, special)
}

#[inline(always)]
fn is_ordinary(x: f64) -> bool {
    x > 0.0 && x < f64::INFINITY
}

/// The logarithm of positive finite numbers with 66 bits; its second part is below 2⁻¹² of the first, not yet a rounding error.
///
/// A mantissa m lies in a part of the range whose tabulated 1/c makes r = m/c - 1 small and exact: ln(m) = ln(c) + ln(1 + r).
#[inline(always)]
pub(super) fn fine_log<const N: usize>(x: Lanes<N>) -> Double<N> {
    let Split { exponent, mantissa } = split(x, LEAST_MANTISSA);
    let part = |m: f64| &PARTS[(m.to_bits().wrapping_sub(LEAST_MANTISSA) >> PART_BITS) as usize % PARTS.len()];
    let r = mantissa.fma(mantissa.map(|m| part(m).reciprocal), -1.0);
    // Both are multiples of 2⁻⁴², so the first is exact.
    let coarse = exponent.fma(LN_2[0], mantissa.map(|m| part(m).log[0]));
    let fine = exponent.fma(LN_2[1], mantissa.map(|m| part(m).log[1]));
    let square = Double::product(r, r);
    let linear = Double::fast_sum(coarse, r);
    let quadratic = Double::fast_sum(linear.hi, square.hi * -0.5);
    let higher = (r * square.hi).fma(EstrinPowers::of(r).seven(NEAR_ONE), square.lo * -0.5);
    Double { hi: quadratic.hi, lo: higher + ((linear.lo + fine) + quadratic.lo) }
}

/// artanh(s) for |s| ≤ (√2 - 1)/(√2 + 1).
#[inline(always)]
pub(super) fn artanh_near_zero<const N: usize>(s: Double<N>) -> Lanes<N> {
    let square = s.hi * s.hi;
    s.hi + (s.hi * square * 0.5).fma(EstrinPowers::of(square).eight(LOGARITHM), s.lo)
}

/// `x^y` of every pair of lanes.
#[inline(always)]
pub fn pow<const N: usize>(x: Lanes<N>, y: Lanes<N>) -> Lanes<N> {
    let log = fine_log(x);
    let product = Double::product(y, log.hi);
    // Beyond, the power is zero or infinite, whatever the rest is, which may be no number.
    let rest = Lanes::from(0.0).where_(product.hi, |p| p.abs() > 1000.0, product.lo + y * log.lo);
    let value = exp_of(Double { hi: product.hi, lo: rest });
    let special = x.map2(y, |x, y| if is_special(x, y) { 1.0 } else { 0.0 }).any(|s| s != 0.0);
    if special { with_special(value, x, y) } else { value }
}

#[inline(always)]
fn is_special(x: f64, y: f64) -> bool {
    !(is_ordinary(x) && y.abs() < f64::INFINITY)
}

#[cold]
#[inline(never)]
fn with_special<const N: usize>(mut value: Lanes<N>, x: Lanes<N>, y: Lanes<N>) -> Lanes<N> {
    for lane in 0..N {
        let (x, y) = (x.0[lane], y.0[lane]);
        if is_special(x, y) {
            value.0[lane] = special_pow(x, y);
        }
    }
    value
}

/// Powers of zero, of infinity, of negative numbers, and infinite ones, as IEEE 754 has them; but what is no number stays none, also
/// as an exponent of one: nothing may hide that a formula left its domain.
fn special_pow(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    let size = x.abs();
    if y.is_infinite() {
        return match (size == 1.0, (size > 1.0) == (y > 0.0)) {
            (true, _) => 1.0,
            (_, true) => f64::INFINITY,
            _ => 0.0,
        };
    }
    let whole = y.trunc() == y;
    // From 2⁵³ on all numbers are even.
    let odd = whole && y.abs() < 2f64.powi(53) && y as i64 & 1 == 1;
    let power = if size == 0.0 || size == f64::INFINITY {
        if (size == 0.0) == (y > 0.0) { 0.0 } else { f64::INFINITY }
    } else if whole {
        pow(Lanes([size]), Lanes([y])).0[0]
    } else {
        return f64::NAN;
    };
    if odd && x.is_sign_negative() { -power } else { power }
}

//! Arcs: the operations of fdlibm (Sun Microsystems, 1993), as the `libm` crate has them, all branches side by side.

use std::f64::consts::{FRAC_PI_2 as HALF_PI, FRAC_PI_4, PI};

use super::Routine;
use crate::ptx::body::{Body, PtxCondition, PtxNumber};

const HALF_PI_REST: f64 = 6.123_233_995_736_766e-17;
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;
const ABOVE: [f64; 6] = [
    0.166_666_666_666_666_66,
    -0.325_565_818_622_400_9,
    0.201_212_532_134_862_93,
    -0.040_055_534_500_679_41,
    0.000_791_534_994_289_814_5,
    3.479_331_075_960_212e-05,
];
const BELOW: [f64; 5] =
    [1.0, -2.403_394_911_734_414, 2.020_945_760_233_505_7, -0.688_283_971_605_453_3, 0.077_038_150_555_901_94];
const ARC: [f64; 11] = [
    0.333_333_333_333_329_3,
    -0.199_999_999_998_764_83,
    0.142_857_142_725_034_66,
    -0.111_111_104_054_623_56,
    0.090_908_871_334_365_07,
    -0.076_918_762_050_448_3,
    0.066_610_731_373_875_31,
    -0.058_335_701_337_905_735,
    0.049_768_779_946_159_324,
    -0.036_531_572_744_216_916,
    0.016_285_820_115_365_782,
];
/// The arcs of 1/2, 1, 3/2 and infinity, in two parts.
const ARCS: [[f64; 2]; 4] = [
    [0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17],
    [FRAC_PI_4, 3.061_616_997_868_383e-17],
    [0.982_793_723_247_329, 1.390_331_103_123_099_8e-17],
    [HALF_PI, HALF_PI_REST],
];

/// The polynomial, by Horner's rule, each step with two roundings.
fn polynomial<'b>(x: PtxNumber<'b>, coefficients: &[f64]) -> PtxNumber<'b> {
    let body = x.body();
    let last = body.number(*coefficients.last().unwrap_or(&0.0));
    let rest = coefficients.iter().rev().skip(1);
    rest.fold(last, |sum, coefficient| body.number(*coefficient) + x * sum)
}

/// The rational function by which an arc exceeds its sine.
fn excess(z: PtxNumber<'_>) -> PtxNumber<'_> {
    z * polynomial(z, &ABOVE) / polynomial(z, &BELOW)
}

/// The number with the lower half of its bits zero.
fn coarse(x: PtxNumber<'_>) -> PtxNumber<'_> {
    (x.bits() & 0xffff_ffff_0000_0000u64).as_number()
}

fn is_negative(x: PtxNumber<'_>) -> PtxCondition<'_> {
    x.bits().shift_right(63u32).is_not(0u64)
}

pub(super) fn asin<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let number = |value: f64| body.number(value);
    let high = x.high_bits() & 0x7fff_ffffu32;
    let near = x + x * excess(x * x);
    let tiny = high.below(0x3e50_0000u32) & high.not_below(0x0010_0000u32);
    let near: PtxNumber<'b> = tiny.choose(x, near);
    let z = (number(1.0) - x.abs()) * 0.5;
    let s = z.sqrt();
    let r = excess(z);
    let last = number(HALF_PI) - (number(2.0) * (s + s * r) - HALF_PI_REST);
    let f = coarse(s);
    let c = (z - f * f) / (s + f);
    let far = number(0.5 * HALF_PI)
        - (number(2.0) * s * r - (number(HALF_PI_REST) - number(2.0) * c) - (number(0.5 * HALF_PI) - number(2.0) * f));
    let far: PtxNumber<'b> = high.not_below(0x3fef_3333u32).choose(last, far);
    let far: PtxNumber<'b> = is_negative(x).choose(-far, far);
    let inside: PtxNumber<'b> = high.below(0x3fe0_0000u32).choose(near, far);
    let end = x * HALF_PI + 2f64.powi(-120);
    let outside: PtxNumber<'b> = x.abs().equals(1.0).choose(end, f64::NAN);
    high.not_below(0x3ff0_0000u32).choose(outside, inside)
}

pub(super) fn acos<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let number = |value: f64| body.number(value);
    let high = x.high_bits() & 0x7fff_ffffu32;
    let negative = is_negative(x);
    let near = number(HALF_PI) - (x - (number(HALF_PI_REST) - x * excess(x * x)));
    let near: PtxNumber<'b> = high.below(0x3c60_0001u32).choose(HALF_PI + 2f64.powi(-120), near);
    let z = (number(1.0) - x.abs()) * 0.5;
    let s = z.sqrt();
    let r = excess(z) * s;
    let left = number(2.0) * (number(HALF_PI) - (s + (r - HALF_PI_REST)));
    let f = coarse(s);
    let c = (z - f * f) / (s + f);
    let right = number(2.0) * (f + (r + c));
    let far: PtxNumber<'b> = negative.choose(left, right);
    let inside: PtxNumber<'b> = high.below(0x3fe0_0000u32).choose(near, far);
    let end: PtxNumber<'b> = negative.choose(2.0 * HALF_PI + 2f64.powi(-120), 0.0);
    let outside: PtxNumber<'b> = x.abs().equals(1.0).choose(end, f64::NAN);
    high.not_below(0x3ff0_0000u32).choose(outside, inside)
}

pub(super) fn atan<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let number = |value: f64| body.number(value);
    let high = x.high_bits() & 0x7fff_ffffu32;
    let size = x.abs();
    // Which of the arcs is near, and the quotient whose arc is the difference.
    let places = [0x3fe6_0000u32, 0x3ff3_0000, 0x4003_8000].map(|end| high.below(end));
    let pick = |values: [PtxNumber<'b>; 4]| {
        let [a, b, c, d] = values;
        let last: PtxNumber<'b> = places[2].choose(c, d);
        let last: PtxNumber<'b> = places[1].choose(b, last);
        places[0].choose(a, last)
    };
    let above = pick([number(2.0) * size - 1.0, size - 1.0, size - 1.5, number(-1.0)]);
    let below = pick([number(2.0) + size, size + 1.0, number(1.0) + number(1.5) * size, size]);
    let near = high.below(0x3fdc_0000u32);
    let t: PtxNumber<'b> = near.choose(x, above / below);
    let z = t * t;
    let w = z * z;
    let part = |first: usize| {
        let coefficients: Vec<f64> = ARC.iter().copied().skip(first).step_by(2).collect();
        polynomial(w, &coefficients)
    };
    let sum = z * part(0) + w * part(1);
    let far = pick(ARCS.map(|arc| number(arc[0]))) - (t * sum - pick(ARCS.map(|arc| number(arc[1]))) - t);
    let negative = is_negative(x);
    let far: PtxNumber<'b> = negative.choose(-far, far);
    let value: PtxNumber<'b> = near.choose(t - t * sum, far);
    let value: PtxNumber<'b> = high.below(0x3e40_0000u32).choose(x, value);
    let end: PtxNumber<'b> = negative.choose(-ARCS[3][0], ARCS[3][0]);
    let end: PtxNumber<'b> = x.unordered(x).choose(x, end);
    high.not_below(0x4410_0000u32).choose(end, value)
}

pub(super) fn atan2<'b>(body: &'b Body, y: PtxNumber<'b>, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let number = |value: f64| body.number(value);
    let [left, below] = [is_negative(x), is_negative(y)];
    let [of_x, of_y] = [x, y].map(|value| value.high_bits() & 0x7fff_ffffu32);
    let signed = |value: f64| -> PtxNumber<'b> { below.choose(-value, value) };
    let of_quotient = body.call(Routine::Atan, &[(y / x).abs()]);
    let flat = left & (of_y + (64u32 << 20)).below(of_x);
    let z: PtxNumber<'b> = flat.choose(0.0, of_quotient);
    let turned = z - PI_REST;
    let to_right: PtxNumber<'b> = below.choose(-z, z);
    let to_left: PtxNumber<'b> = below.choose(turned - PI, number(PI) - turned);
    let value: PtxNumber<'b> = left.choose(to_left, to_right);
    let steep = (of_x + (64u32 << 20)).below(of_y) | of_y.is(0x7ff0_0000u32);
    let value: PtxNumber<'b> = steep.choose(signed(PI / 2.0), value);
    let diagonal: PtxNumber<'b> = left.choose(signed(3.0 * PI / 4.0), signed(PI / 4.0));
    let horizontal: PtxNumber<'b> = left.choose(signed(PI), signed(0.0));
    let far: PtxNumber<'b> = of_y.is(0x7ff0_0000u32).choose(diagonal, horizontal);
    let value: PtxNumber<'b> = of_x.is(0x7ff0_0000u32).choose(far, value);
    let value: PtxNumber<'b> = x.equals(0.0).choose(signed(PI / 2.0), value);
    let on_axis: PtxNumber<'b> = left.choose(signed(PI), y);
    let value: PtxNumber<'b> = y.equals(0.0).choose(on_axis, value);
    let value: PtxNumber<'b> = x.equals(1.0).choose(body.call(Routine::Atan, &[y]), value);
    x.unordered(y).choose(x + y, value)
}

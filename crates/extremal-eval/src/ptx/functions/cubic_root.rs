//! The cubic root: the operations of CORE-MATH (Zimmermann, 2021), as the `libm` crate has them.

use crate::ptx::body::{Body, PtxNumber};

/// ∛2 and ∛4.
const SCALES: [u64; 2] = [0x3ff4_28a2_f98d_728b, 0x3ff9_65fe_a53d_6e3d];
/// Near the root between 1 and 2.
const CUBIC: [u64; 4] = [0x3fe1_b0ba_bccf_ef9c, 0x3fe2_c9a3_e94d_1da5, 0xbfc4_dc30_b1a1_ddba, 0x3f97_a8d3_e4ec_9b07];
const THIRD: f64 = f64::from_bits(0x3fd5_5555_5555_5555);
const TWO_NINTHS: f64 = f64::from_bits(0x3fcc_71c7_1c71_c71c);
/// Where the root is nearly in the middle between two numbers, and what it is.
const HARD: [[u64; 2]; 2] =
    [[0x4009_b782_23aa_307c, 0x3ff7_9d15_d0e8_d59c], [0x401a_202b_fc89_ddff, 0x3ffd_e87a_a837_820f]];

pub(super) fn cbrt<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let number = |value: f64| body.number(value);
    let bits = x.bits();
    let sign = bits & (1u64 << 63);
    let mantissa = bits & ((1u64 << 52) - 1);
    let exponent = bits.shift_right(52u32).low() & 0x7ffu32;
    // Subnormal numbers as if they were not.
    let zeros = mantissa.leading_zeros() - 11u32;
    let subnormal = exponent.is(0u32);
    let lifted = mantissa.shift_left(zeros) & ((1u64 << 52) - 1);
    let lowered = exponent - (zeros - 1u32);
    let mantissa = subnormal.choose(lifted, mantissa);
    let exponent = subnormal.choose(lowered, exponent) + 3072u32;
    let third = exponent.over(3u32);
    let rest = exponent - third.times(3u32);
    let ordinary = mantissa | (0x3ffu64 << 52);
    let zz = ((ordinary + rest.wide().shift_left(52u32)) | sign).as_number();
    let [once, twice] = [1u32, 2].map(|left| rest.is(left));
    let scale: PtxNumber<'b> = once
        .choose(f64::from_bits(SCALES[0]), twice.choose::<crate::ptx::body::Double>(f64::from_bits(SCALES[1]), 1.0));
    let scale = (scale.bits() | sign).as_number();
    let part: PtxNumber<'b> = once.choose(0.5, twice.choose::<crate::ptx::body::Double>(0.25, 1.0));
    let z = ordinary.as_number();
    let r = number(1.0) / z;
    let rr = r * (part.bits() | sign).as_number();
    let z2 = z * z;
    let [a, b, c, d] = CUBIC.map(f64::from_bits);
    let y = (number(a) + z * b) + z2 * (number(c) + z * d);
    let h = (y * y) * (y * r) - 1.0;
    let y = y - (h * y) * (number(THIRD) - number(TWO_NINTHS) * h);
    let y = y * scale;
    // Newton's method with more digits: the new value, and what it lacks.
    let update = |y: PtxNumber<'b>| {
        let y2 = y * y;
        let y2_rest = y.fma(y, -y2);
        let y3 = y2 * y;
        let y3_rest = y.fma(y2, -y3) + y * y2_rest;
        let h = ((y3 - zz) + y3_rest) * rr;
        let change = h * (y * THIRD);
        let better = y - change;
        (better, (y - better) - change)
    };
    // Is the root so near to the middle of two numbers?
    let close = |change: PtxNumber<'b>, limit: f64| {
        let size = change.abs();
        (size - 2f64.powi(-53)).abs().less(limit) | (size - (2f64.powi(-52) + 2f64.powi(-53))).abs().less(limit)
    };
    let (root, change) = update(y);
    let (root, change) = (body.variable(root), body.variable(change));
    body.when(close(change, 2f64.powi(-75)), || {
        let (better, less) = update(root);
        let (better, less) = (body.variable(better), less);
        body.when(close(less, 2f64.powi(-98)), || {
            for [at, root] in HARD.map(|pair| pair.map(f64::from_bits)) {
                let here = zz.abs().equals(at);
                body.set(better, here.choose::<crate::ptx::body::Double>(number(root).copysign(zz), better));
            }
        });
        body.set(root, better);
        body.set(change, less);
    });
    let scaled = root.bits() + (third.wide() - (342 + 1023u64)).shift_left(52u32);
    let lower = scaled.shift_left(30u32);
    let near = (lower ^ lower.shift_right(63u32)).below((1u64 << 30) + 1);
    let rounded = (root.bits() + (164u64 << 15)) & 0xffff_ffff_ffff_0000u64;
    let exact = ((rounded.as_number() - root) - change).abs().less(2f64.powi(-60)) | zz.abs().equals(1.0);
    let corrected = (scaled + (1u64 << 15)) & 0xffff_ffff_ffff_0000u64;
    let value = (near & exact).choose(corrected, scaled).as_number();
    let nothing = x.equals(0.0) | bits.shift_right(52u32).low().shift_left(21u32).is(0x7ffu32 << 21);
    nothing.choose(x + x, value)
}

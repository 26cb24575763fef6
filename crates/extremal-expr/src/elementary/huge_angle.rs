//! Huge angles less the nearest multiple of π/2 (Payne and Hanek, 1983).

use super::trigonometric::HALF_PI;

/// 2/π, after 64 zero bits: all bits that an angle of 1e9 or more can need.
pub const TWO_OVER_PI: [u64; 21] = [
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
];

/// The multiple of π/2 (in the last two bits) nearest to x, and x less it, as a sum of two numbers; |x| at least 1e9.
pub(super) fn reduce_huge(x: f64) -> (u64, f64, f64) {
    if !x.is_finite() {
        return (0, f64::NAN, f64::NAN);
    }
    let bits = x.to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let exponent = (bits >> 52 & 0x7ff) as usize;
    // |x| = mantissa·2^(exponent-1075). Bits of 2/π that make multiples of four with it are left out: the window begins
    // where the product is mantissa·window·4.
    let start = exponent + 64 - 2 - 1075;
    let word = |at: usize| {
        let (index, shift) = ((start + 64 * at) / 64, start % 64);
        let pair = u128::from(TWO_OVER_PI[index]) << 64 | u128::from(TWO_OVER_PI[index + 1]);
        u128::from((pair >> (64 - shift)) as u64)
    };
    let low = mantissa * word(2);
    let middle = mantissa * word(1) + (low >> 64);
    let high = (mantissa * word(0)).wrapping_add(middle >> 64) as u64;
    let quadrant = high >> 62;
    let fraction = u128::from(high) << 66 | u128::from(middle as u64) << 2 | u128::from(low as u64 >> 62);
    // The nearest multiple, not the one below.
    let round_up = fraction >> 127;
    let (quadrant, size) = (quadrant + round_up as u64, if round_up == 1 { fraction.wrapping_neg() } else { fraction });
    let lead = size as f64;
    let rest = if lead >= 2f64.powi(127) {
        size.wrapping_sub(1 << 127) as i128
    } else {
        size.wrapping_sub(lead as u128) as i128
    };
    let scale = 2f64.powi(-128);
    let (lead, rest) = (lead * scale, rest as f64 * scale);
    let hi = lead * HALF_PI[0];
    let lo = lead.mul_add(HALF_PI[0], -hi) + (lead * HALF_PI[1] + rest * HALF_PI[0]);
    let negative = (round_up == 1) != (x < 0.0);
    let sign = if negative { -1.0 } else { 1.0 };
    (if x < 0.0 { quadrant.wrapping_neg() } else { quadrant }, sign * hi, sign * lo)
}

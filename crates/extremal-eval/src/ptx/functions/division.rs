//! Quotients in fewer operations than those of any two numbers, with the same bits.

use crate::ptx::body::{PtxCondition, PtxNumber};

/// Exponents of ordinary numbers are between plus and minus this one: products and quotients of two, and what is lost when these are
/// rounded, are far from the ends of the range.
const ORDINARY: i32 = 400;

/// The upper half of the bits of a power of two.
fn high_of(exponent: i32) -> u32 {
    ((1023 + exponent) as u32) << 20
}

/// Is a number that is not negative none of the ordinary ones, by its upper bits?
fn is_extraordinary(number: PtxNumber<'_>, sign: u32) -> PtxCondition<'_> {
    ((number.high_bits() & sign) - high_of(-ORDINARY)).not_below(high_of(ORDINARY) - high_of(-ORDINARY))
}

/// `a/b`.
pub(super) fn quotient<'b>(a: PtxNumber<'b>, b: PtxNumber<'b>) -> PtxNumber<'b> {
    let Some(divisor) = b.literal().map(f64::from_bits) else { return a / b };
    let inverse = 1.0 / divisor;
    let ordinary = 2f64.powi(-ORDINARY)..2f64.powi(ORDINARY);
    if !ordinary.contains(&divisor.abs()) {
        return a / b;
    }
    if divisor.to_bits().trailing_zeros() >= 52 {
        return a * inverse;
    }
    if !a.body().is_brief() {
        return a / b;
    }
    let is_zero = (a.bits().shift_left(1u32)).is(0u64);
    a.body().doubt(!is_zero & is_extraordinary(a, 0x7fff_ffff));
    // By a negative number, so that quotients of zeros have their signs.
    let is_negative = divisor < 0.0;
    let (divisor, inverse) = (-divisor.abs(), -inverse.abs());
    let rest = |quotient: PtxNumber<'b>| (-quotient).fma(divisor, a);
    let mut value = a * inverse;
    // The theorem of Markstein (1990) asks for a quotient with an error below one unit in the last place.
    if inverse.mul_add(divisor, -1.0).abs() > 2f64.powi(-54) {
        value = rest(value).fma(inverse, value);
    }
    let value = rest(value).fma(inverse, value);
    if is_negative { value } else { -value }
}

/// Is the quotient of `a`, which is not negative, and `b` less than a limit, of which somewhat less and somewhat more are given? A comparison
/// with products tells, and leaves quotients that are near to the limit in doubt.
pub(super) fn quotient_is_below<'b>(
    a: PtxNumber<'b>,
    b: PtxNumber<'b>,
    around: [PtxNumber<'b>; 2],
) -> PtxCondition<'b> {
    let [less, more] = around.map(|limit| limit * b);
    let below = a.at_most(less);
    a.body().doubt(!(below | a.greater(more)) | is_extraordinary(less, u32::MAX));
    below
}

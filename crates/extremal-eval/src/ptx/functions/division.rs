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
    let Some(divisor) = b.literal().map(f64::from_bits) else {
        return if a.literal() == Some(1f64.to_bits()) { b.inverse() } else { a / b };
    };
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

/// How many units of the upper half of the bits two numbers are apart that are surely not as near as rounding could tell.
const APART: u32 = 16;

/// Is the quotient of the magnitude of `a` and `b` less than a limit? A look at half of the bits of `a` and of a product tells, and leaves
/// quotients that are near to the limit in doubt.
pub(super) fn quotient_is_below<'b>(a: PtxNumber<'b>, b: PtxNumber<'b>, limit: PtxNumber<'b>) -> PtxCondition<'b> {
    let bound = limit * b;
    let (size, least) = (a.high_bits() & 0x7fff_ffffu32, bound.high_bits() - APART);
    let is_near = (size - least).below(2 * APART);
    a.body().doubt(is_near | is_extraordinary(bound, u32::MAX));
    size.below(least)
}

/// Is the magnitude of each of some numbers less than a limit, by half of their bits? Where one is as large it is left in doubt.
pub(super) fn are_small<'b>(numbers: &[PtxNumber<'b>], limit: PtxNumber<'b>) -> PtxCondition<'b> {
    let body = limit.body();
    let most = limit.high_bits();
    let small = numbers.iter().map(|number| (number.high_bits() & 0x7fff_ffffu32).below(most));
    let all = small.reduce(|all, one| all & one);
    let all = all.unwrap_or_else(|| most.is(most));
    body.doubt(!all | is_extraordinary(limit, u32::MAX));
    all
}

/// Is the magnitude of a number below a limit, by half of their bits? Where these are the same it is left in doubt.
pub(super) fn magnitude_is_below<'b>(number: PtxNumber<'b>, limit: PtxNumber<'b>) -> PtxCondition<'b> {
    let (size, most) = (number.high_bits() & 0x7fff_ffffu32, limit.high_bits());
    number.body().doubt(size.is(most) | is_extraordinary(limit, u32::MAX));
    size.below(most)
}

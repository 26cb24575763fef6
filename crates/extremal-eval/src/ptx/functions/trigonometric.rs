//! Sine, cosine, tangent: the operations of `elementary/trigonometric.rs`, one by one, and the bits in the integer unit.

use std::f64::consts::FRAC_2_PI;

use extremal_expr::elementary::coefficients::TWO_OVER_PI;
use extremal_expr::elementary::{COSINE, HALF_PI, LARGEST_ANGLE, ROUNDING, SINE};

use super::double::{NumberPair, Powers};
use super::{Routine, address_of};
use crate::ptx::body::{Body, Count, Integer, PtxCondition, PtxNumber};

/// An angle less the nearest multiple of π/2, and which multiple, in the last two bits.
struct AngleRest<'b> {
    rest: NumberPair<'b>,
    quadrant: Count<'b>,
}

impl<'b> AngleRest<'b> {
    /// Right for angles that are not large.
    fn of(x: PtxNumber<'b>) -> Self {
        Self::with_difference(x, |first, second| NumberPair::sum(first, -second))
    }

    /// With a difference for which the first number has an exponent that is not smaller: others are so near to a multiple of π/2 that they
    /// are left in doubt, as large angles are.
    fn brief(x: PtxNumber<'b>) -> Self {
        let body = x.body();
        body.doubt(is_large(x));
        Self::with_difference(x, |first, second| {
            let [of_first, of_second] = [first, second].map(|number| number.high_bits() & 0x7fff_ffffu32);
            body.doubt(of_first.below(of_second));
            NumberPair::fast_sum(first, -second)
        })
    }

    fn with_difference(
        x: PtxNumber<'b>,
        difference: impl FnOnce(PtxNumber<'b>, PtxNumber<'b>) -> NumberPair<'b>,
    ) -> Self {
        let quadrant = x.fma(FRAC_2_PI, ROUNDING);
        let k = quadrant - ROUNDING;
        let back = -k;
        let first = back.fma(HALF_PI[0], x);
        let second = NumberPair::product(k, x.body().number(HALF_PI[1]));
        let NumberPair { hi, lo } = difference(first, second.hi);
        AngleRest { rest: NumberPair { hi, lo: lo - k.fma(HALF_PI[2], second.lo) }, quadrant: quadrant.bits().low() }
    }

    fn of_rest(&self) -> (NumberPair<'b>, NumberPair<'b>) {
        let NumberPair { hi: r, lo } = self.rest;
        let square = r * r;
        let powers = Powers::of(square);
        let lead = square.fma(-0.5, 1.0);
        let sine = (r * square).fma(powers.six(&SINE), lo * lead);
        let lost = square.fma(-0.5, r.body().number(1.0) - lead);
        let cosine = powers.second().fma(powers.six(&COSINE), (-r).fma(lo, lost));
        let sine = NumberPair::fast_sum(r, sine);
        // The sum would lose the sign of a zero.
        (NumberPair { hi: sine_with_zero(r, sine.hi), ..sine }, NumberPair::fast_sum(lead, cosine))
    }

    fn sin_cos(&self) -> (PtxNumber<'b>, PtxNumber<'b>) {
        let (sin, cos) = self.of_rest();
        let odd = self.is_odd();
        let [sine, cosine] = [odd.choose(cos.hi, sin.hi), odd.choose(sin.hi, cos.hi)];
        (flipped(sine, self.quadrant), flipped(cosine, self.quadrant + 1u32))
    }

    fn tan(&self) -> PtxNumber<'b> {
        let (sin, cos) = self.of_rest();
        let odd = self.is_odd();
        let above = NumberPair { hi: odd.choose(-cos.hi, sin.hi), lo: odd.choose(-cos.lo, sin.lo) };
        let below = NumberPair { hi: odd.choose(sin.hi, cos.hi), lo: odd.choose(sin.lo, cos.lo) };
        above.over(below)
    }

    fn is_odd(&self) -> PtxCondition<'b> {
        (self.quadrant & 1u32).is_not(0u32)
    }
}

/// The second where the first is no zero: a sine is as its angle then, and has the sign of r everywhere.
fn sine_with_zero<'b>(r: PtxNumber<'b>, sine: PtxNumber<'b>) -> PtxNumber<'b> {
    let sign = r.bits() & (1u64 << 63);
    (sine.bits() | sign).as_number()
}

/// The other sign where the second bit is one.
fn flipped<'b>(x: PtxNumber<'b>, quadrant: Count<'b>) -> PtxNumber<'b> {
    (x.bits() ^ (quadrant & 2u32).wide().shift_left(62u32)).as_number()
}

/// Is the angle large, or no number? A look at half of its bits tells.
fn is_large(x: PtxNumber<'_>) -> PtxCondition<'_> {
    const HALF: u64 = LARGEST_ANGLE.to_bits() >> 32;
    const { assert!(LARGEST_ANGLE.to_bits() == HALF << 32) };
    (x.high_bits() & 0x7fff_ffffu32).not_below(HALF as u32)
}

/// Sine and cosine.
pub(super) fn sin_cos(x: PtxNumber<'_>) -> (PtxNumber<'_>, PtxNumber<'_>) {
    let body = x.body();
    if body.is_brief() {
        return AngleRest::brief(x).sin_cos();
    }
    let (sine, cosine) = AngleRest::of(x).sin_cos();
    let [sine, cosine] = [sine, cosine].map(|value| body.variable(value));
    body.when(is_large(x), || {
        body.set(sine, body.call(Routine::LargeSine, &[x]));
        body.set(cosine, body.call(Routine::LargeCosine, &[x]));
    });
    (sine, cosine)
}

pub(super) fn large_sine<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    huge(body, x).sin_cos().0
}

pub(super) fn large_cosine<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    huge(body, x).sin_cos().1
}

pub(super) fn tan<'b>(body: &'b Body, x: PtxNumber<'b>) -> PtxNumber<'b> {
    let tangent = AngleRest::of(x).tan();
    let value = body.variable(x.abs().less(1e-8).choose(x, tangent));
    body.when(is_large(x), || body.set(value, huge(body, x).tan()));
    value
}

/// The table of 2/π.
pub(super) fn table() -> Vec<u64> {
    TWO_OVER_PI.to_vec()
}

/// As `elementary/huge_angle.rs` does it, with halves of 128 bits.
fn huge<'b>(body: &'b Body, x: PtxNumber<'b>) -> AngleRest<'b> {
    let bits = x.bits();
    let mantissa = (bits & ((1u64 << 52) - 1)) | (1u64 << 52);
    let exponent = bits.shift_right(52u32).low() & 0x7ffu32;
    // What is no finite number reads the end of the table.
    let start = exponent - (1075 + 2 - 64u32);
    let table = address_of(body, Routine::TwoOverPi);
    let first = table + start.shift_right(6u32).shift_left(3u32).wide();
    let shift = start & 63u32;
    let words: [Integer<'b>; 4] =
        [0, 8, 16, 24].map(|offset| body.result("ld.global.b64", &[&format!("[{first}+{offset}]")]));
    let back = body.known(64u32) - shift;
    let word = |at: usize| words[at].shift_left(shift) | words[at + 1].shift_right(back);
    let [most, some, least] = [0, 1, 2].map(word);
    let carried = |sum: Integer<'b>, part: Integer<'b>| sum.below(part).choose(1u64, 0u64);
    let low = mantissa * least;
    let low_high = mantissa.times_high(least);
    let middle = mantissa * some + low_high;
    let middle_high = mantissa.times_high(some) + carried(middle, low_high);
    let high = mantissa * most + middle_high;
    let quadrant = high.shift_right(62u32);
    let upper = high.shift_left(2u32) | middle.shift_right(62u32);
    let lower = middle.shift_left(2u32) | low.shift_right(62u32);
    let round_up = upper.shift_right(63u32);
    let above = round_up.is_not(0u64);
    let [not_upper, not_lower] = [upper, lower].map(|part| part ^ u64::MAX);
    let opposite_lower = not_lower + 1u64;
    let opposite_upper = not_upper + opposite_lower.is(0u64).choose(1u64, 0u64);
    let size = Wide { upper: above.choose(opposite_upper, upper), lower: above.choose(opposite_lower, lower) };
    let Rounded { number: lead, zeros, rest, is_negative } = size.rounded();
    let lead = lead * power_of_two(zeros, 1023 - 64);
    let Rounded { number: rest, zeros: more, .. } = rest.rounded();
    let rest = rest * power_of_two(more, 1023 + 64) * power_of_two(zeros, 1023 - 128);
    let rest = is_negative.choose(-rest, rest);
    let hi = lead * HALF_PI[0];
    let lo = lead.fma(HALF_PI[0], -hi) + (lead * HALF_PI[1] + rest * HALF_PI[0]);
    let below_zero = x.less(0.0);
    let sign: PtxNumber<'b> = (above ^ below_zero).choose(-1.0, 1.0);
    let turned = (quadrant + round_up).low();
    let none = (exponent.is(0x7ffu32)).choose(f64::NAN, sign);
    AngleRest {
        rest: NumberPair { hi: none * hi, lo: none * lo },
        quadrant: below_zero.choose(body.known(0u32) - turned, turned),
    }
}

/// 2^(k - zeros), where k is given with the bias of exponents.
fn power_of_two<'b>(zeros: Count<'b>, biased: u32) -> PtxNumber<'b> {
    (zeros.body().known(biased) - zeros).wide().shift_left(52u32).as_number()
}

/// 128 bits.
struct Wide<'b> {
    upper: Integer<'b>,
    lower: Integer<'b>,
}

/// An integer of 128 bits with so many zeros before the first one, as a number and a rest: shifted to the left by these zeros it is
/// `number·2⁶⁴` and the rest.
struct Rounded<'b> {
    number: PtxNumber<'b>,
    zeros: Count<'b>,
    rest: Wide<'b>,
    is_negative: PtxCondition<'b>,
}

impl<'b> Wide<'b> {
    fn rounded(&self) -> Rounded<'b> {
        let body = self.upper.body();
        let few = self.upper.leading_zeros();
        let many = self.lower.leading_zeros() + 64u32;
        let zeros = few.below(64u32).choose(few, many);
        // Shifts by more than all bits leave none, also those by less than none, which count as many.
        let back = body.known(64u32) - zeros;
        let beyond = zeros - 64u32;
        let upper = self.upper.shift_left(zeros) | self.lower.shift_right(back) | self.lower.shift_left(beyond);
        let lower = self.lower.shift_left(zeros);
        // What is below the last place counts by whether there is anything.
        let sticky = upper | lower.is_not(0u64).choose(1u64, 0u64);
        let number = sticky.to_number();
        let whole = number.to_integer();
        let whole = number.at_least(18_446_744_073_709_551_616.0).choose(0u64, whole);
        let rest = upper - whole;
        let is_negative = rest.shift_right(63u32).is_not(0u64);
        let opposite_lower = body.known(0u64) - lower;
        let opposite_upper = (rest ^ u64::MAX) + lower.is(0u64).choose(1u64, 0u64);
        let rest =
            Wide { upper: is_negative.choose(opposite_upper, rest), lower: is_negative.choose(opposite_lower, lower) };
        Rounded { number, zeros, rest, is_negative }
    }
}

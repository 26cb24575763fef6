//! Sine, cosine, tangent.

use super::huge_angle::reduce_huge;
use super::lanes::{Double, EstrinPowers, Lanes, ROUNDING};

/// π/2 in three parts of 53 bits.
pub const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
/// Beyond, three parts of π/2 and one of the angle do not suffice.
pub const LARGEST_ANGLE: f64 = 1e9;

/// (sin x - x)/x³ in x², |x| ≤ π/4, from fdlibm (Sun Microsystems, 1993): errors below 2⁻⁵⁸.
pub const SINE: [f64; 6] = [
    -1.666_666_666_666_663_243_48e-1,
    8.333_333_333_322_489_461_24e-3,
    -1.984_126_982_985_794_931_34e-4,
    2.755_731_370_707_006_767_89e-6,
    -2.505_076_025_340_686_341_95e-8,
    1.589_690_995_211_550_102_21e-10,
];
/// (cos x - 1 + x²/2)/x⁴ in x², from the same place and as good.
pub const COSINE: [f64; 6] = [
    4.166_666_666_666_660_190_37e-2,
    -1.388_888_888_887_410_957_49e-3,
    2.480_158_728_947_672_941_78e-5,
    -2.755_731_435_139_066_330_35e-7,
    2.087_572_321_298_174_827_90e-9,
    -1.135_964_755_778_819_482_65e-11,
];

/// An angle less the nearest multiple of π/2.
struct ReducedAngle<const N: usize> {
    rest: Double<N>,
    /// Which multiple, in the last two bits.
    quadrant: Lanes<N>,
}

impl<const N: usize> ReducedAngle<N> {
    /// Right for angles that are not large.
    #[inline(always)]
    fn of(x: Lanes<N>) -> Self {
        let quadrant = x.fma(std::f64::consts::FRAC_2_PI, ROUNDING);
        let k = quadrant - ROUNDING;
        // Exact: a multiple of 2⁻⁵³ (or of the last place of x, where k = 0) below one.
        let first = (-k).fma(HALF_PI[0], x);
        let second = Double::product(k, HALF_PI[1].into());
        let Double { hi, lo } = Double::sum(first, -second.hi);
        ReducedAngle { rest: Double { hi, lo: lo - k.fma(HALF_PI[2], second.lo) }, quadrant }
    }

    /// Sine and cosine of the rest.
    #[inline(always)]
    fn of_rest(&self) -> (Double<N>, Double<N>) {
        let Double { hi: r, lo } = self.rest;
        let square = r * r;
        let powers = EstrinPowers::of(square);
        let one = Lanes::from(1.0);
        let lead = square.fma(-0.5, one);
        let sine = (r * square).fma(powers.six(SINE), lo * lead);
        let lost = square.fma(-0.5, one - lead);
        let cosine = (square * square).fma(powers.six(COSINE), (-r).fma(lo, lost));
        let sine = Double::fast_sum(r, sine);
        // The sum would lose the sign of a zero.
        (Double { hi: r.where_(r, |r| r == 0.0, sine.hi), ..sine }, Double::fast_sum(lead, cosine))
    }

    #[inline(always)]
    fn sin_cos(&self) -> (Lanes<N>, Lanes<N>) {
        let (sin, cos) = self.of_rest();
        let quadrant = self.quadrant;
        let (sin, cos) = (cos.hi.where_(quadrant, is_odd, sin.hi), sin.hi.where_(quadrant, is_odd, cos.hi));
        // The second half of the turn changes the sign of the sine, the second and third quarter that of the cosine.
        let flip = |x: f64, bit: u64| f64::from_bits(x.to_bits() ^ ((bit & 2) << 62));
        (
            sin.map2(quadrant, |x, q| flip(x, q.to_bits())),
            cos.map2(quadrant, |x, q| flip(x, q.to_bits().wrapping_add(1))),
        )
    }

    #[inline(always)]
    fn tan(&self) -> Lanes<N> {
        let (sin, cos) = self.of_rest();
        let pick = |here: Lanes<N>, there: Lanes<N>| here.where_(self.quadrant, is_odd, there);
        let above = Double { hi: pick(-cos.hi, sin.hi), lo: pick(-cos.lo, sin.lo) };
        let below = Double { hi: pick(sin.hi, cos.hi), lo: pick(sin.lo, cos.lo) };
        above.over(below)
    }
}

#[inline(always)]
fn is_odd(quadrant: f64) -> bool {
    quadrant.to_bits() & 1 == 1
}

/// True for NaN too.
#[inline(always)]
fn is_large(x: f64) -> bool {
    !matches!(x.abs().partial_cmp(&LARGEST_ANGLE), Some(std::cmp::Ordering::Less))
}

/// Replaces the values at large angles, one by one: they are rare.
#[cold]
#[inline(never)]
fn with_large<const N: usize, const M: usize>(
    mut values: [Lanes<N>; M],
    x: Lanes<N>,
    function: impl Fn(ReducedAngle<1>) -> [f64; M],
) -> [Lanes<N>; M] {
    for lane in (0..N).filter(|lane| is_large(x.0[*lane])) {
        let (quadrant, hi, lo) = reduce_huge(x.0[lane]);
        let rest = Double { hi: hi.into(), lo: lo.into() };
        let replaced = function(ReducedAngle { rest, quadrant: f64::from_bits(quadrant).into() });
        (0..M).for_each(|at| values[at].0[lane] = replaced[at]);
    }
    values
}

/// Sine and cosine of every lane.
#[inline(always)]
pub fn sin_cos<const N: usize>(x: Lanes<N>) -> (Lanes<N>, Lanes<N>) {
    let (sin, cos) = ReducedAngle::of(x).sin_cos();
    if x.any(is_large) {
        let [sin, cos] = with_large([sin, cos], x, |reduced| {
            let (sin, cos) = reduced.sin_cos();
            [sin.0[0], cos.0[0]]
        });
        return (sin, cos);
    }
    (sin, cos)
}

#[inline(always)]
pub(super) fn tan<const N: usize>(x: Lanes<N>) -> Lanes<N> {
    // Tiny angles are their own tangents, with the sign of zero.
    let value = x.where_(x, |x| x.abs() < 1e-8, ReducedAngle::of(x).tan());
    if x.any(is_large) { with_large([value], x, |reduced| [reduced.tan().0[0]])[0] } else { value }
}

//! Numbers with a sine and cosine that are inlined, one at a time or eight side by side.

use std::ops::{Add, Mul, Neg, Sub};

/// Arithmetic shared by all kinds of numbers.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The number in every lane.
    fn of(x: f64) -> Self;
    /// `self·b + c`, rounded once.
    fn fma(self, b: Self, c: Self) -> Self;
    fn recip(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    /// The largest size over all lanes.
    fn size(self) -> f64;
}

/// The sine and cosine of the system's library.
impl Real for f64 {
    #[inline(always)]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn fma(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
    #[inline(always)]
    fn recip(self) -> f64 {
        1.0 / self
    }
    #[inline(always)]
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
}

/// An array by its elements. A loop and no closure: what is handed to the standard library is not compiled for wider registers.
macro_rules! each {
    ($i:ident, $value:expr) => {{
        let mut all = [0.0; N];
        let mut $i = 0;
        while $i < N {
            all[$i] = $value;
            $i += 1;
        }
        Lanes(all)
    }};
}

/// `N` numbers with inlined functions.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<const N: usize>(pub [f64; N]);

/// One number with inlined functions.
pub(crate) type Fast = Lanes<1>;

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                each!(i, self.0[i].$method(b.0[i]))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        each!(i, -self.0[i])
    }
}

/// Minimax polynomials for |x| ≤ π/4 from fdlibm, highest power first.
const SINE: [f64; 6] = [
    1.589_690_995_211_550_1e-10,
    -2.505_076_025_340_686_3e-8,
    2.755_731_370_707_006_8e-6,
    -1.984_126_982_985_795e-4,
    8.333_333_333_322_49e-3,
    -1.666_666_666_666_663_2e-1,
];
const COSINE: [f64; 6] = [
    -1.135_964_755_778_819_5e-11,
    2.087_572_321_298_174_8e-9,
    -2.755_731_435_139_066_3e-7,
    2.480_158_728_947_673e-5,
    -1.388_888_888_887_411e-3,
    4.166_666_666_666_66e-2,
];
/// Adding and subtracting it rounds to the nearest integer.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
const HALF_PI: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];

impl<const N: usize> Real for Lanes<N> {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Lanes([x; N])
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        each!(i, self.0[i].mul_add(b.0[i], c.0[i]))
    }
    #[inline(always)]
    fn recip(self) -> Self {
        each!(i, 1.0 / self.0[i])
    }
    /// To about one unit in the last place, for |x| up to about 1e8.
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let of = Self::of;
        let turns = self.fma(of(std::f64::consts::FRAC_2_PI), of(ROUNDING));
        let k = of(ROUNDING) - turns;
        let r = k.fma(of(HALF_PI[1]), k.fma(of(HALF_PI[0]), self));
        let z = r * r;
        let z2 = z * z;
        let z4 = z2 * z2;
        let [s, c] = [SINE, COSINE].map(|[a, b, c, d, e, f]| [[a, b], [c, d], [e, f]]);
        macro_rules! polynomial {
            ($pairs:expr) => {{
                let [first, second, third] = $pairs;
                let first = of(first[0]).fma(z, of(first[1]));
                let second = of(second[0]).fma(z, of(second[1]));
                first.fma(z4, second.fma(z2, of(third[0]).fma(z, of(third[1]))))
            }};
        }
        let sine = (r * z).fma(polynomial!(s), r);
        let cosine = z2.fma(polynomial!(c), of(-0.5).fma(z, of(1.0)));
        macro_rules! pick {
            ($even:ident, $odd:ident, $ahead:literal) => {
                each!(i, {
                    let quarter = turns.0[i].to_bits();
                    let picked = if quarter & 1 == 1 { $odd.0[i] } else { $even.0[i] };
                    f64::from_bits(picked.to_bits() ^ ((quarter.wrapping_add($ahead) & 2) << 62))
                })
            };
        }
        (pick!(sine, cosine, 0), pick!(cosine, sine, 1))
    }
    #[inline(always)]
    fn size(self) -> f64 {
        // By halves, which wide registers do at once.
        let mut sizes = each!(i, self.0[i].abs()).0;
        let mut half = N / 2;
        while half > 0 {
            for i in 0..half {
                sizes[i] = if sizes[i + half] > sizes[i] { sizes[i + half] } else { sizes[i] };
            }
            half /= 2;
        }
        sizes[0]
    }
}

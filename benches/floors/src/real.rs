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
    fn sqrt(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    /// The largest size over all lanes.
    fn size(self) -> f64;
    /// The larger of both sizes, lane by lane.
    fn larger(self, b: Self) -> Self;
}

/// Eight numbers side by side.
pub(crate) trait SideBySide: Real {
    fn load(numbers: &[f64; 8]) -> Self;
    /// The first eight of these.
    #[inline(always)]
    fn at(numbers: &[f64]) -> Self {
        Self::load(numbers.first_chunk().expect("eight numbers"))
    }
    fn numbers(self) -> [f64; 8];
    /// The sum over all lanes.
    fn total(self) -> f64;
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
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (f64, f64) {
        f64::sin_cos(self)
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn larger(self, b: f64) -> f64 {
        self.abs().max(b.abs())
    }
}

/// `N` numbers with inlined functions: plain loops, which the compiler turns into one instruction each.
#[derive(Clone, Copy)]
pub(crate) struct FloorLanes<const N: usize>(pub [f64; N]);

/// One number with inlined functions.
pub(crate) type Fast = FloorLanes<1>;

impl<const N: usize> FloorLanes<N> {
    /// The smaller of both, lane by lane.
    #[inline(always)]
    pub fn least(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = if b.0[i] < self.0[i] { b.0[i] } else { self.0[i] };
        }
        out
    }

    /// The larger of both, lane by lane.
    #[inline(always)]
    pub fn most(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = if b.0[i] > self.0[i] { b.0[i] } else { self.0[i] };
        }
        out
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl<const N: usize> $trait for FloorLanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let mut out = self;
                for i in 0..N {
                    out.0[i] = self.0[i].$method(b.0[i]);
                }
                out
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl<const N: usize> Neg for FloorLanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = -self.0[i];
        }
        out
    }
}

/// Minimax polynomials for |x| ≤ π/4 from fdlibm, highest power first.
pub(crate) const SINE: [f64; 6] = [
    1.589_690_995_211_550_1e-10,
    -2.505_076_025_340_686_3e-8,
    2.755_731_370_707_006_8e-6,
    -1.984_126_982_985_795e-4,
    8.333_333_333_322_49e-3,
    -1.666_666_666_666_663_2e-1,
];
pub(crate) const COSINE: [f64; 6] = [
    -1.135_964_755_778_819_5e-11,
    2.087_572_321_298_174_8e-9,
    -2.755_731_435_139_066_3e-7,
    2.480_158_728_947_673e-5,
    -1.388_888_888_887_411e-3,
    4.166_666_666_666_66e-2,
];
/// Adding and subtracting it rounds to the nearest integer.
pub(crate) const ROUNDING: f64 = 6_755_399_441_055_744.0;
pub(crate) const HALF_PI: [f64; 2] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];

impl<const N: usize> Real for FloorLanes<N> {
    #[inline(always)]
    fn of(x: f64) -> Self {
        FloorLanes([x; N])
    }
    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = self.0[i].mul_add(b.0[i], c.0[i]);
        }
        out
    }
    #[inline(always)]
    fn recip(self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = 1.0 / self.0[i];
        }
        out
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let mut out = self;
        for i in 0..N {
            out.0[i] = self.0[i].sqrt();
        }
        out
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
        let polynomial = |[a, b, c, d, e, f]: [f64; 6]| {
            let pair = |a, b| of(a).fma(z, of(b));
            pair(a, b).fma(z4, pair(c, d).fma(z2, pair(e, f)))
        };
        let sine = (r * z).fma(polynomial(SINE), r);
        let cosine = z2.fma(polynomial(COSINE), of(-0.5).fma(z, of(1.0)));
        let (mut sin, mut cos) = (self, self);
        for i in 0..N {
            let quarter = turns.0[i].to_bits();
            let odd = quarter & 1 == 1;
            let (a, b) = (if odd { cosine.0[i] } else { sine.0[i] }, if odd { sine.0[i] } else { cosine.0[i] });
            sin.0[i] = f64::from_bits(a.to_bits() ^ ((quarter & 2) << 62));
            cos.0[i] = f64::from_bits(b.to_bits() ^ ((quarter.wrapping_add(1) & 2) << 62));
        }
        (sin, cos)
    }
    #[inline(always)]
    fn size(self) -> f64 {
        // In halves, so that few comparisons wait for each other; not `max`, which minds NaN.
        let mut sizes = self;
        for i in 0..N {
            sizes.0[i] = self.0[i].abs();
        }
        let mut width = N;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                sizes.0[i] = if sizes.0[i + width] > sizes.0[i] { sizes.0[i + width] } else { sizes.0[i] };
            }
        }
        sizes.0[0]
    }
    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..N {
            let (one, other) = (self.0[i].abs(), b.0[i].abs());
            out.0[i] = if other > one { other } else { one };
        }
        out
    }
}

impl SideBySide for FloorLanes<8> {
    #[inline(always)]
    fn load(numbers: &[f64; 8]) -> Self {
        FloorLanes(*numbers)
    }
    #[inline(always)]
    fn numbers(self) -> [f64; 8] {
        self.0
    }
    #[inline(always)]
    fn total(self) -> f64 {
        // In halves, so that few additions wait for each other.
        let mut sums = self.0;
        let mut width = 8;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                sums[i] += sums[i + width];
            }
        }
        sums[0]
    }
}

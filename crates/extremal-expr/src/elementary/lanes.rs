//! Several numbers treated alike.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `N` numbers on which every operation acts one by one; `N = 1` is the scalar.
///
/// Loops over plain arrays, inlined into a function compiled for wide registers, become one instruction each. What happens to
/// one number never depends on the others, so the bits do not depend on `N`.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<const N: usize>(
    /// The numbers.
    pub [f64; N],
);

impl<const N: usize> Lanes<N> {
    /// A function of each.
    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i])))
    }

    /// A function of each with its counterpart.
    #[inline(always)]
    pub fn map2(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i], b.0[i])))
    }

    /// A function of each with its two counterparts.
    #[inline(always)]
    pub fn map3(self, b: Self, c: Self, f: impl Fn(f64, f64, f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i], b.0[i], c.0[i])))
    }

    /// `self·b + c`, rounded once.
    #[inline(always)]
    pub fn fma(self, b: impl Into<Self>, c: impl Into<Self>) -> Self {
        self.map3(b.into(), c.into(), f64::mul_add)
    }

    /// Absolute values.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// These numbers where the condition on the other ones holds, else `otherwise`.
    #[inline(always)]
    pub fn where_(self, of: Self, holds: impl Fn(f64) -> bool, otherwise: impl Into<Self>) -> Self {
        self.map3(of, otherwise.into(), |here, x, there| if holds(x) { here } else { there })
    }

    /// Does a condition hold for any of them?
    #[inline(always)]
    pub fn any(self, holds: impl Fn(f64) -> bool) -> bool {
        // Without a short cut, so that it is one comparison of all.
        self.0.iter().fold(false, |found, x| found | holds(*x))
    }
}

impl<const N: usize> From<f64> for Lanes<N> {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Lanes([x; N])
    }
}

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|x| -x)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl<const N: usize, B: Into<Lanes<N>>> $name<B> for Lanes<N> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, b: B) -> Self {
                self.map2(b.into(), f64::$method)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

/// An unevaluated sum: `hi` is the number rounded, `lo` what the rounding left over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Double<const N: usize> {
    pub hi: Lanes<N>,
    pub lo: Lanes<N>,
}

impl<const N: usize> Double<N> {
    /// `a + b` exactly, for |a| ≥ |b| or a = 0.
    #[inline(always)]
    pub fn fast_sum(a: Lanes<N>, b: Lanes<N>) -> Self {
        let hi = a + b;
        Double { hi, lo: (a - hi) + b }
    }

    /// `a + b` exactly.
    #[inline(always)]
    pub fn sum(a: Lanes<N>, b: Lanes<N>) -> Self {
        let hi = a + b;
        let back = hi - a;
        Double { hi, lo: (a - (hi - back)) + (b - back) }
    }

    /// `a·b` exactly.
    #[inline(always)]
    pub fn product(a: Lanes<N>, b: Lanes<N>) -> Self {
        let hi = a * b;
        Double { hi, lo: a.fma(b, -hi) }
    }

    /// The number rounded.
    #[inline(always)]
    pub fn round(self) -> Lanes<N> {
        self.hi + self.lo
    }

    /// The quotient rounded, to little more than half a unit.
    #[inline(always)]
    pub fn over(self, b: Double<N>) -> Lanes<N> {
        let quotient = self.hi / b.hi;
        let rest = -quotient.fma(b.hi, -self.hi) + self.lo - quotient * b.lo;
        quotient + rest / b.hi
    }
}

/// Polynomials `c0 + c1 x + c2 x² + …` of up to twelve terms, in pairs and pairs of pairs (Estrin), so that few operations wait
/// for each other. Written out: the compiler does not see through a loop.
pub(super) struct EstrinPowers<const N: usize> {
    x: [Lanes<N>; 4],
}

impl<const N: usize> EstrinPowers<N> {
    #[inline(always)]
    pub fn of(x: Lanes<N>) -> Self {
        let x2 = x * x;
        let x4 = x2 * x2;
        EstrinPowers { x: [x, x2, x4, x4 * x4] }
    }

    #[inline(always)]
    fn two(&self, c: [f64; 2]) -> Lanes<N> {
        self.x[0].fma(c[1], c[0])
    }

    #[inline(always)]
    fn four(&self, [a, b, c, d]: [f64; 4]) -> Lanes<N> {
        self.x[1].fma(self.two([c, d]), self.two([a, b]))
    }

    #[inline(always)]
    pub fn six(&self, [a, b, c, d, e, f]: [f64; 6]) -> Lanes<N> {
        self.x[2].fma(self.two([e, f]), self.four([a, b, c, d]))
    }

    #[inline(always)]
    pub fn seven(&self, [a, b, c, d, e, f, g]: [f64; 7]) -> Lanes<N> {
        self.x[2].fma(self.x[1].fma(g, self.two([e, f])), self.four([a, b, c, d]))
    }

    #[inline(always)]
    pub fn eight(&self, [a, b, c, d, e, f, g, h]: [f64; 8]) -> Lanes<N> {
        self.x[2].fma(self.four([e, f, g, h]), self.four([a, b, c, d]))
    }

    #[inline(always)]
    pub fn eleven(&self, [a, b, c, d, e, f, g, h, i, j, k]: [f64; 11]) -> Lanes<N> {
        self.x[3].fma(self.x[1].fma(k, self.two([i, j])), self.eight([a, b, c, d, e, f, g, h]))
    }
}

/// Adding and subtracting it rounds to the nearest integer, which meanwhile stands in the last bits: 1.5·2⁵².
pub const ROUNDING: f64 = 6_755_399_441_055_744.0;

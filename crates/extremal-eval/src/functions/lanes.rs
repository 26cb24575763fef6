//! Several numbers treated alike.

use std::array::from_fn;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `N` numbers on which every operation acts one by one; `N = 1` is the scalar.
///
/// Loops over plain arrays, inlined into a function compiled for wide registers, become one instruction each. What happens to
/// one number never depends on the others, so the bits do not depend on `N`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Lanes<N> {
    #[inline(always)]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i])))
    }

    #[inline(always)]
    pub fn map2(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i], b.0[i])))
    }

    #[inline(always)]
    pub fn map3(self, b: Self, c: Self, f: impl Fn(f64, f64, f64) -> f64) -> Self {
        Lanes(from_fn(|i| f(self.0[i], b.0[i], c.0[i])))
    }

    /// `self·b + c`, rounded once.
    #[inline(always)]
    pub fn fma(self, b: impl Into<Self>, c: impl Into<Self>) -> Self {
        self.map3(b.into(), c.into(), f64::mul_add)
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// These numbers where the condition on the other ones holds, else `otherwise`.
    #[inline(always)]
    pub fn where_(self, of: Self, holds: impl Fn(f64) -> bool, otherwise: impl Into<Self>) -> Self {
        self.map3(of, otherwise.into(), |here, x, there| if holds(x) { here } else { there })
    }

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
pub(crate) struct Double<const N: usize> {
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

    #[inline(always)]
    pub fn times(self, b: Double<N>) -> Self {
        let Double { hi, lo } = Double::product(self.hi, b.hi);
        Double { hi, lo: lo + self.hi * b.lo + self.lo * b.hi }
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

/// `c0 + c1 x + c2 x² + …` in pairs (Estrin), so that few operations wait for each other.
#[inline(always)]
pub(crate) fn polynomial<const N: usize, const M: usize>(x: Lanes<N>, coefficients: [f64; M]) -> Lanes<N> {
    let mut terms: [Lanes<N>; M] = coefficients.map(Lanes::from);
    let (mut power, mut count) = (x, M);
    while count > 1 {
        for pair in 0..count / 2 {
            terms[pair] = power.fma(terms[2 * pair + 1], terms[2 * pair]);
        }
        if count % 2 == 1 {
            terms[count / 2] = terms[count - 1];
        }
        count = count.div_ceil(2);
        power = power * power;
    }
    terms[0]
}

/// Adding and subtracting it rounds to the nearest integer, which meanwhile stands in the last bits: 1.5·2⁵².
pub(crate) const ROUNDING: f64 = 6_755_399_441_055_744.0;

//! Sums of two numbers, and polynomials: the operations of `elementary/lanes.rs`, one by one.

use crate::ptx::body::PtxNumber;

/// An unevaluated sum: `hi` is the number rounded, `lo` what the rounding left over.
#[derive(Clone, Copy)]
pub(super) struct NumberPair<'b> {
    pub hi: PtxNumber<'b>,
    pub lo: PtxNumber<'b>,
}

impl<'b> NumberPair<'b> {
    pub fn of(x: PtxNumber<'b>) -> Self {
        NumberPair { hi: x, lo: x.body().number(0.0) }
    }

    /// `a + b` exactly, for |a| ≥ |b| or a = 0.
    pub fn fast_sum(a: PtxNumber<'b>, b: PtxNumber<'b>) -> Self {
        let hi = a + b;
        NumberPair { hi, lo: (a - hi) + b }
    }

    /// `a + b` exactly.
    pub fn sum(a: PtxNumber<'b>, b: PtxNumber<'b>) -> Self {
        let hi = a + b;
        let back = hi - a;
        NumberPair { hi, lo: (a - (hi - back)) + (b - back) }
    }

    /// `a·b` exactly.
    pub fn product(a: PtxNumber<'b>, b: PtxNumber<'b>) -> Self {
        let hi = a * b;
        NumberPair { hi, lo: a.fma(b, -hi) }
    }

    pub fn round(self) -> PtxNumber<'b> {
        self.hi + self.lo
    }

    /// The quotient rounded, to little more than half a unit.
    pub fn over(self, b: Self) -> PtxNumber<'b> {
        let quotient = self.hi / b.hi;
        let rest = -quotient.fma(b.hi, -self.hi) + self.lo - quotient * b.lo;
        quotient + rest / b.hi
    }
}

/// Polynomials in pairs and pairs of pairs (Estrin).
pub(super) struct Powers<'b> {
    x: [PtxNumber<'b>; 3],
}

impl<'b> Powers<'b> {
    pub fn of(x: PtxNumber<'b>) -> Self {
        let x2 = x * x;
        Powers { x: [x, x2, x2 * x2] }
    }

    /// The square.
    pub fn second(&self) -> PtxNumber<'b> {
        self.x[1]
    }

    fn two(&self, c: &[f64]) -> PtxNumber<'b> {
        self.x[0].fma(c[1], c[0])
    }

    fn four(&self, c: &[f64]) -> PtxNumber<'b> {
        self.x[1].fma(self.two(&c[2..]), self.two(c))
    }

    pub fn six(&self, c: &[f64; 6]) -> PtxNumber<'b> {
        self.x[2].fma(self.two(&c[4..]), self.four(c))
    }

    pub fn seven(&self, c: &[f64; 7]) -> PtxNumber<'b> {
        let last = self.x[1].fma(c[6], self.two(&c[4..]));
        self.x[2].fma(last, self.four(c))
    }

    fn eight_of(&self, c: &[f64]) -> PtxNumber<'b> {
        self.x[2].fma(self.four(&c[4..]), self.four(c))
    }

    pub fn eight(&self, c: &[f64; 8]) -> PtxNumber<'b> {
        self.eight_of(c)
    }

    pub fn eleven(&self, c: &[f64; 11]) -> PtxNumber<'b> {
        let last = self.x[1].fma(c[10], self.two(&c[8..]));
        (self.x[2] * self.x[2]).fma(last, self.eight_of(c))
    }
}

//! Matrices of up to three rows by Cramer's rule: several times faster than elimination, which waits for one division
//! after the other.
//!
//! Cofactors lose accuracy by cancellation, so the rule is only used when there was little of it. The measure is the
//! determinant over the same sum with all terms positive: it does not depend on the scaling of rows and columns, and it
//! bounds the relative change of the entries that could make the matrix singular.

use super::PivotRange;

/// Least ratio of determinant to its sum of magnitudes that is taken: at most ten of the 53 bits may cancel.
pub(crate) const LEAST_RATIO: f64 = 1.0 / 1024.0;
/// Sums of magnitudes outside this range come close to underflow or overflow in the products.
const USABLE: std::ops::Range<f64> = 1e-200..1e200;

/// The determinant of a matrix whose cofactors were worth computing.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmallDeterminant {
    value: f64,
    /// The sum of the magnitudes of its terms.
    magnitude: f64,
}

impl SmallDeterminant {
    #[inline(always)]
    fn reliable(value: f64, magnitude: f64) -> Option<Self> {
        (value.abs() > LEAST_RATIO * magnitude && USABLE.contains(&magnitude)).then_some(Self { value, magnitude })
    }

    pub(super) fn pivots(self) -> PivotRange {
        PivotRange { smallest: self.value.abs(), largest: self.magnitude }
    }
}

/// Writes the row-major adjugate of the row-major matrix `a`; `None` if elimination should decide.
#[inline(always)]
pub(super) fn adjugate(n: usize, a: &[f64], out: &mut [f64]) -> Option<SmallDeterminant> {
    match (n, a, out) {
        (1, &[a], [one]) => {
            *one = 1.0;
            SmallDeterminant::reliable(a, a.abs())
        }
        (2, &[a, b, c, d], [a1, b1, c1, d1]) => {
            (*a1, *b1, *c1, *d1) = (d, -b, -c, a);
            let (ad, bc) = (a * d, b * c);
            SmallDeterminant::reliable(ad - bc, ad.abs() + bc.abs())
        }
        (3, a, out) => adjugate_3(a.try_into().ok()?, out.try_into().ok()?),
        _ => None,
    }
}

#[inline(always)]
fn adjugate_3(&[a, b, c, d, e, f, g, h, i]: &[f64; 9], out: &mut [f64; 9]) -> Option<SmallDeterminant> {
    let (ei, fh, di, fg, dh, eg) = (e * i, f * h, d * i, f * g, d * h, e * g);
    let (first, second, third) = (ei - fh, fg - di, dh - eg);
    *out = [
        first,
        c * h - b * i,
        b * f - c * e,
        second,
        a * i - c * g,
        c * d - a * f,
        third,
        b * g - a * h,
        a * e - b * d,
    ];
    SmallDeterminant::reliable(
        a * first + b * second + c * third,
        a.abs() * (ei.abs() + fh.abs()) + b.abs() * (fg.abs() + di.abs()) + c.abs() * (dh.abs() + eg.abs()),
    )
}

/// Replaces the right-hand side `b` by the solution.
#[inline(always)]
pub(super) fn solve(n: usize, adjugate: &[f64], SmallDeterminant { value: det, .. }: SmallDeterminant, b: &mut [f64]) {
    match (n, adjugate, b) {
        (1, _, [x]) => *x /= det,
        (2, &[a, b, c, d], [x, y]) => (*x, *y) = ((a * *x + b * *y) / det, (c * *x + d * *y) / det),
        (3, &[a, b, c, d, e, f, g, h, i], [x, y, z]) => {
            (*x, *y, *z) =
                ((a * *x + b * *y + c * *z) / det, (d * *x + e * *y + f * *z) / det, (g * *x + h * *y + i * *z) / det);
        }
        _ => {}
    }
}

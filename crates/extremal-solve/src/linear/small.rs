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
pub(crate) const USABLE: std::ops::Range<f64> = 1e-200..1e200;

/// The determinant of a matrix whose cofactors were worth computing.
#[derive(Debug, Clone, Copy)]
pub(super) struct SmallDeterminant {
    value: f64,
    /// The sum of the magnitudes of its terms.
    magnitude: f64,
}

impl SmallDeterminant {
    #[inline(always)]
    fn is_reliable(self) -> bool {
        let Self { value, magnitude } = self;
        (value.abs() > LEAST_RATIO * magnitude) & USABLE.contains(&magnitude)
    }

    pub(super) fn pivots(self) -> PivotRange {
        PivotRange { smallest: self.value.abs(), largest: self.magnitude }
    }
}

/// Largest matrix of this kind.
pub(super) const LARGEST: usize = 3;

/// Writes the row-major adjugate of the row-major matrix `a`; `None` if elimination should decide.
#[inline(always)]
pub(super) fn adjugate(n: usize, a: &[f64], out: &mut [f64]) -> Option<SmallDeterminant> {
    let determinant = match n {
        1 => adjugate_1(a.try_into().ok()?, out.try_into().ok()?),
        2 => adjugate_2(a.try_into().ok()?, out.try_into().ok()?),
        3 => adjugate_3(a.try_into().ok()?, out.try_into().ok()?),
        _ => return None,
    };
    determinant.is_reliable().then_some(determinant)
}

#[inline(always)]
fn adjugate_1(&[a]: &[f64; 1], out: &mut [f64; 1]) -> SmallDeterminant {
    *out = [1.0];
    SmallDeterminant { value: a, magnitude: a.abs() }
}

#[inline(always)]
fn adjugate_2(&[a, b, c, d]: &[f64; 4], out: &mut [f64; 4]) -> SmallDeterminant {
    *out = [d, -b, -c, a];
    let (ad, bc) = (a * d, b * c);
    SmallDeterminant { value: ad - bc, magnitude: ad.abs() + bc.abs() }
}

#[inline(always)]
fn adjugate_3(&[a, b, c, d, e, f, g, h, i]: &[f64; 9], out: &mut [f64; 9]) -> SmallDeterminant {
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
    SmallDeterminant {
        value: a * first + b * second + c * third,
        magnitude: a.abs() * (ei.abs() + fh.abs()) + b.abs() * (fg.abs() + di.abs()) + c.abs() * (dh.abs() + eg.abs()),
    }
}

/// Solves systems side by side, of which there are for each entry of the matrix, and of the right-hand side, the numbers of all lanes.
/// Should elimination decide about none of them?
#[inline(always)]
pub(super) fn solve_lanes(n: usize, lanes: usize, a: &[f64], b: &mut [f64]) -> bool {
    match n {
        1 => solve_each::<1, 1>(lanes, a, b, adjugate_1),
        2 => solve_each::<2, 4>(lanes, a, b, adjugate_2),
        3 => solve_each::<3, 9>(lanes, a, b, adjugate_3),
        _ => false,
    }
}

#[inline(always)]
fn solve_each<const N: usize, const NN: usize>(
    lanes: usize,
    a: &[f64],
    b: &mut [f64],
    adjugate: impl Fn(&[f64; NN], &mut [f64; NN]) -> SmallDeterminant,
) -> bool {
    let (a, b) = (&a[..NN * lanes], &mut b[..N * lanes]);
    let mut reliable = true;
    for lane in 0..lanes {
        let matrix: [f64; NN] = std::array::from_fn(|at| a[at * lanes + lane]);
        let mut own = [0.0; NN];
        let determinant = adjugate(&matrix, &mut own);
        reliable &= determinant.is_reliable();
        let mut x: [f64; N] = std::array::from_fn(|at| b[at * lanes + lane]);
        solve(N, &own, determinant, &mut x);
        (0..N).for_each(|at| b[at * lanes + lane] = x[at]);
    }
    reliable
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

//! LU factorisation of a dense matrix: the solve inside almost every Newton step.

use extremal_eval::Arch;

use super::equilibrate::Scales;
use super::small::{self, SmallDeterminant};
use super::{PivotRange, Singular};

/// Columns eliminated together before the rest of the matrix is updated, so that it is read and written once for all.
const PANEL: usize = 8;
/// Below this size the matrix stays in the fastest cache and eliminating by panels only adds work.
const PANELS_FROM: usize = 64;

/// A dense LU factorisation with row pivoting, which allocates only when it is made.
///
/// The same bits come out on every machine: no fused operations, no threads, sums in a fixed order.
///
/// ```
/// use extremal_solve::DenseLu;
///
/// let mut lu = DenseLu::new(2);
/// lu.factor(&[2.0, 1.0, 1.0, 3.0])?;
/// let mut x = [5.0, 10.0];
/// lu.solve(&mut x);
/// assert_eq!(x, [1.0, 3.0]);
/// # Ok::<(), extremal_solve::Singular>(())
/// ```
#[derive(Debug, Clone)]
pub struct DenseLu {
    n: usize,
    /// Distance between rows; padded so that large power-of-two sizes do not fall into one cache set.
    stride: usize,
    /// Row major: multipliers below the diagonal, reciprocal pivots on it, the upper factor above.
    factors: Vec<f64>,
    /// Row exchanged with row `k` at elimination step `k`.
    swaps: Vec<usize>,
    scales: Scales,
    /// Given when `factors` holds the adjugate instead, as for most of the smallest systems.
    determinant: Option<SmallDeterminant>,
    pivots: PivotRange,
    arch: Arch,
}

impl DenseLu {
    /// Memory for systems of `n` equations.
    pub fn new(n: usize) -> Self {
        let stride = if n < 32 { n } else { (n / 8).div_ceil(2) * 16 + 8 };
        Self {
            n,
            stride,
            factors: vec![0.0; n * stride],
            swaps: vec![0; n],
            scales: Scales::new(n),
            determinant: None,
            pivots: PivotRange::default(),
            arch: Arch::new(),
        }
    }

    /// Number of equations.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Factors the row-major matrix `a`.
    ///
    /// # Errors
    /// [`Singular`] with the first column that has no usable pivot, also when entries are not finite.
    ///
    /// # Panics
    /// If `a` does not have `n * n` entries.
    #[inline]
    pub fn factor(&mut self, a: &[f64]) -> Result<(), Singular> {
        assert_eq!(a.len(), self.n * self.n, "a square matrix of the size given to `new`");
        self.determinant = small::adjugate(self.n, a, &mut self.factors);
        if self.determinant.is_some() {
            return Ok(());
        }
        self.eliminate(a)
    }

    #[inline(never)]
    fn eliminate(&mut self, a: &[f64]) -> Result<(), Singular> {
        // The arms differ only in what the compiler knows: with the size a constant it unrolls the loops.
        match self.n {
            4 => self.eliminate_with(4, 4, a),
            5 => self.eliminate_with(5, 5, a),
            6 => self.eliminate_with(6, 6, a),
            7 => self.eliminate_with(7, 7, a),
            8 => self.eliminate_with(8, 8, a),
            n => self.arch.dispatch(
                #[inline(always)]
                || self.eliminate_with(n, self.stride, a),
            ),
        }
    }

    #[inline(always)]
    fn eliminate_with(&mut self, n: usize, stride: usize, a: &[f64]) -> Result<(), Singular> {
        let factors = &mut self.factors[..n * stride];
        self.scales.equilibrate(n, a, factors, stride);
        self.pivots = eliminate(n, stride, factors, &mut self.swaps[..n])?;
        Ok(())
    }

    /// Replaces the right-hand side `b` by the solution, with the matrix last factored.
    ///
    /// # Panics
    /// If `b` does not have `n` entries.
    #[inline]
    pub fn solve(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.n, "as many right-hand sides as equations");
        if let Some(determinant) = self.determinant {
            small::solve(self.n, &self.factors, determinant, b);
        } else {
            self.substitute(b);
        }
    }

    #[inline(never)]
    fn substitute(&self, b: &mut [f64]) {
        match self.n {
            4 => self.substitute_with(4, 4, b),
            5 => self.substitute_with(5, 5, b),
            6 => self.substitute_with(6, 6, b),
            7 => self.substitute_with(7, 7, b),
            8 => self.substitute_with(8, 8, b),
            n => self.arch.dispatch(
                #[inline(always)]
                || self.substitute_with(n, self.stride, b),
            ),
        }
    }

    #[inline(always)]
    fn substitute_with(&self, n: usize, stride: usize, b: &mut [f64]) {
        let (factors, b) = (&self.factors[..n * stride], &mut b[..n]);
        self.scales.scale_rows(n, b);
        for (k, &swap) in self.swaps[..n].iter().enumerate() {
            b.swap(k, swap);
        }
        for i in 1..n {
            b[i] -= dot(&factors[i * stride..][..i], &b[..i]);
        }
        for i in (0..n).rev() {
            let row = &factors[i * stride..][..n];
            b[i] = (b[i] - dot(&row[i + 1..], &b[i + 1..])) * row[i];
        }
        self.scales.scale_columns(n, b);
    }

    /// A cheap sign of ill-conditioning, from one (good) down to about [`f64::EPSILON`]: the smallest pivot of the
    /// equilibrated matrix over the largest, or for the smallest systems the determinant over the sum of the magnitudes
    /// of its terms.
    pub fn pivot_ratio(&self) -> f64 {
        self.determinant.map_or(self.pivots, SmallDeterminant::pivots).ratio()
    }
}

/// Factors in place, panel by panel.
#[inline(always)]
fn eliminate(n: usize, stride: usize, lu: &mut [f64], swaps: &mut [usize]) -> Result<PivotRange, Singular> {
    let mut pivots = PivotRange::default();
    let width = if n < PANELS_FROM { n } else { PANEL };
    for start in (0..n).step_by(width.max(1)) {
        let end = (start + width).min(n);
        for k in start..end {
            let mut row = k;
            let mut largest = lu[k * stride + k].abs();
            for i in k + 1..n {
                let candidate = lu[i * stride + k].abs();
                if candidate > largest {
                    (row, largest) = (i, candidate);
                }
            }
            pivots.admit(largest, n, k)?;
            swaps[k] = row;
            let (top, below) = lu.split_at_mut((k + 1) * stride);
            if row != k {
                let other = &mut below[(row - k - 1) * stride..][..n];
                top[k * stride..][..n].swap_with_slice(other);
            }
            let pivot_row = &mut top[k * stride..][..end];
            let reciprocal = 1.0 / pivot_row[k];
            pivot_row[k] = reciprocal;
            for row in below.chunks_exact_mut(stride) {
                let multiplier = row[k] * reciprocal;
                row[k] = multiplier;
                subtract(multiplier, &pivot_row[k + 1..], &mut row[k + 1..end]);
            }
        }
        if end < n {
            let (panel, rest) = lu.split_at_mut(end * stride);
            let panel = &mut panel[start * stride..];
            finish_panel_rows(n, stride, start, panel);
            update(n, stride, start, panel, rest);
        }
    }
    Ok(pivots)
}

/// Carries the elimination of a panel over to the columns right of it, in the panel's own rows.
#[inline(always)]
fn finish_panel_rows(n: usize, stride: usize, start: usize, panel: &mut [f64]) {
    for i in 1..PANEL {
        let (above, row) = panel.split_at_mut(i * stride);
        for k in 0..i {
            let multiplier = row[start + k];
            subtract(multiplier, &above[k * stride..][start + PANEL..n], &mut row[start + PANEL..n]);
        }
    }
}

/// Subtracts from the rows below a panel the product of their multipliers with the panel's rows: nearly all of the work
/// for large `n`.
#[inline(always)]
fn update(n: usize, stride: usize, start: usize, panel: &[f64], rest: &mut [f64]) {
    let first = start + PANEL;
    let width = n - first;
    let pivot_row = |k: usize| &panel[k * stride + first..][..width];
    let (p0, p1, p2, p3) = (pivot_row(0), pivot_row(1), pivot_row(2), pivot_row(3));
    let (p4, p5, p6, p7) = (pivot_row(4), pivot_row(5), pivot_row(6), pivot_row(7));
    for row in rest.chunks_exact_mut(stride) {
        let (left, right) = row.split_at_mut(first);
        let m: [f64; PANEL] = std::array::from_fn(|k| left[start + k]);
        // Written out, the compiler keeps the entry in a register for all eight and vectorises over the columns.
        for (j, entry) in right[..width].iter_mut().enumerate() {
            let half = *entry - m[0] * p0[j] - m[1] * p1[j] - m[2] * p2[j] - m[3] * p3[j];
            *entry = half - m[4] * p4[j] - m[5] * p5[j] - m[6] * p6[j] - m[7] * p7[j];
        }
    }
}

/// `row -= multiplier * pivot_row`
#[inline(always)]
fn subtract(multiplier: f64, pivot_row: &[f64], row: &mut [f64]) {
    for (entry, pivot_entry) in row.iter_mut().zip(pivot_row) {
        *entry -= multiplier * pivot_entry;
    }
}

/// The scalar product, summed in eight strands so that it vectorises.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_strands, a_rest) = a.as_chunks::<8>();
    let (b_strands, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in a_strands.iter().zip(b_strands) {
        for s in 0..8 {
            sums[s] += x[s] * y[s];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SeededNumbers, backward_error};
    use super::*;

    /// Sizes around every change of algorithm: inverse, unrolled, plain, panels with and without remainders.
    const SIZES: [usize; 20] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 31, 32, 33, 63, 64, 65, 71, 72, 100, 131];

    fn solution(a: &[f64], b: &[f64]) -> Result<Vec<f64>, Singular> {
        let mut lu = DenseLu::new(b.len());
        lu.factor(a)?;
        let mut x = b.to_vec();
        lu.solve(&mut x);
        Ok(x)
    }

    /// `a` with rows and columns multiplied by `2^row(i)` and `2^column(j)`.
    fn rescaled(n: usize, a: &[f64], row: impl Fn(usize) -> i32, column: impl Fn(usize) -> i32) -> Vec<f64> {
        (0..n * n).map(|e| a[e] * 2f64.powi(row(e / n) + column(e % n))).collect()
    }

    #[test]
    fn solves_random_systems_to_rounding() {
        let mut random = SeededNumbers::new(1);
        for n in SIZES {
            for _ in 0..10 {
                let a = random.vector(n * n);
                let b = random.vector(n);
                let x = solution(&a, &b).unwrap();
                let rows = (0..n).map(|i| (0..n).map(|j| (j, a[i * n + j])).collect::<Vec<_>>());
                // Gaussian elimination has backward error n ε times the growth of the pivots, which for random matrices
                // is about n^(2/3); the explicit inverses may lose ten bits more.
                let slack = if n <= 3 { 1024.0 } else { (n as f64).powf(2.0 / 3.0) };
                let error = backward_error(rows, &x, &b);
                assert!(error <= slack * n as f64 * f64::EPSILON, "n = {n}: {error:e}");
            }
        }
    }

    #[test]
    fn a_known_solution_is_found() {
        for n in SIZES {
            let a: Vec<f64> = (0..n * n).map(|e| (e / n).min(e % n) as f64 + 1.0).collect();
            let x: Vec<f64> = (0..n).map(|i| (i % 5) as f64 - 2.0).collect();
            let b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[i * n + j] * x[j]).sum()).collect();
            let found = solution(&a, &b).unwrap();
            // The inverse of min(i, j) has entries of at most two and the matrix of at most n: condition below 4 n^2.
            let bound = 4.0 * (n * n * n) as f64 * f64::EPSILON;
            for (found, x) in found.iter().zip(&x) {
                assert!((found - x).abs() <= bound, "n = {n}: {found} is not {x}");
            }
        }
    }

    #[test]
    fn units_of_equations_and_unknowns_do_not_matter() {
        let mut random = SeededNumbers::new(2);
        for n in SIZES {
            let a = random.vector(n * n);
            let b = random.vector(n);
            let x = solution(&a, &b).unwrap();
            let row = |i: usize| (i * 7 % 61) as i32 - 30;
            let column = |j: usize| (j * 11 % 67) as i32 - 33;
            let scaled_b: Vec<f64> = (0..n).map(|i| b[i] * 2f64.powi(row(i))).collect();
            let scaled_x = solution(&rescaled(n, &a, row, column), &scaled_b).unwrap();
            for j in 0..n {
                // Powers of two round nothing; only ties between pivots can be broken differently by the order of
                // scaling rows and columns.
                let back = scaled_x[j] * 2f64.powi(column(j));
                assert!((back - x[j]).abs() <= 1e-9 * x[j].abs().max(1.0), "n = {n}: {back} is not {}", x[j]);
            }
        }
    }

    #[test]
    fn a_multiplier_in_other_units_is_not_mistaken_for_singular() {
        // A heavy body on a constraint: m/h and the constraint's gradient differ by 29 orders of magnitude.
        let x = solution(&[1e26, 1e-3, 1.0, 0.0], &[1e26 + 2e-3, 1.0]).unwrap();
        assert!((x[0] - 1.0).abs() <= 4.0 * f64::EPSILON, "{x:?}");
        // The same, too small for products of entries.
        let x = solution(&[1e-180, 0.0, 1e-180, 1e-180], &[1e-180, 3e-180]).unwrap();
        assert_eq!(x, [1.0, 2.0]);
    }

    #[test]
    fn cofactors_give_way_to_elimination_when_they_cancel() {
        // Within d of rank one, condition about 1/d: cofactors would leave an error of ε/d².
        let d = 1e-7;
        let a = [1.0 + d, 1.0, 1.0, 1.0, 1.0 + 2.0 * d, 1.0, 1.0, 1.0, 1.0 - d];
        let b: Vec<f64> = (0..3).map(|i| a[3 * i] - 2.0 * a[3 * i + 1] + a[3 * i + 2]).collect();
        let x = solution(&a, &b).unwrap();
        for (found, exact) in x.iter().zip([1.0, -2.0, 1.0]) {
            assert!((found - exact).abs() <= 20.0 * f64::EPSILON / d, "{x:?}");
        }
    }

    #[test]
    fn dependent_columns_are_found() {
        let mut random = SeededNumbers::new(3);
        for n in SIZES {
            let dependent = n / 2;
            let mut a = random.vector(n * n);
            for i in 0..n {
                // One column is the sum of those before it, exactly, because the entries are small integers.
                for j in 0..n {
                    a[i * n + j] = (a[i * n + j] * 16.0).round();
                }
                a[i * n + dependent] = (0..dependent).map(|j| a[i * n + j]).sum();
            }
            assert_eq!(solution(&a, &vec![1.0; n]), Err(Singular { column: dependent }), "n = {n}");
        }
    }

    #[test]
    fn entries_that_are_not_finite_are_refused() {
        let mut random = SeededNumbers::new(4);
        for n in SIZES {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for place in [0, n - 1, n * n / 2, n * n - 1] {
                    let mut a = random.vector(n * n);
                    a[place] = bad;
                    assert!(solution(&a, &vec![1.0; n]).is_err(), "n = {n}, {bad} at {place}");
                }
            }
        }
    }

    #[test]
    fn pivot_ratio_tells_good_from_bad() {
        for n in SIZES {
            let mut lu = DenseLu::new(n);
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                a[i * n + i] = 3.0;
            }
            lu.factor(&a).unwrap();
            assert_eq!(lu.pivot_ratio(), 1.0);
            if n > 1 {
                a[1] = 3.0;
                a[n] = 3.0;
                a[n + 1] = 3.0 + 1e-9;
                lu.factor(&a).unwrap();
                assert!(lu.pivot_ratio() < 1e-9, "{}", lu.pivot_ratio());
            }
        }
    }

    #[test]
    fn an_empty_system_is_solved() {
        let mut lu = DenseLu::new(0);
        lu.factor(&[]).unwrap();
        lu.solve(&mut []);
        assert_eq!(lu.size(), 0);
    }
}

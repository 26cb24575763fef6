//! Scaling rows and columns by powers of two before a factorisation.
//!
//! It costs no rounding, makes pivoting and the test for singularity independent of the units of equations and
//! unknowns, and leaves entries of about one to compare a pivot with.

/// Row and column factors that bring the largest entry of each row and column into `[1, 2)`.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    pub(super) rows: Vec<f64>,
    pub(super) columns: Vec<f64>,
}

impl Scales {
    pub(super) fn new(n: usize) -> Self {
        Self { rows: vec![1.0; n], columns: vec![1.0; n] }
    }

    /// Writes the scaled row-major matrix `a` to `scaled`, whose rows are `stride` apart.
    #[inline(always)]
    pub(super) fn equilibrate(&mut self, n: usize, a: &[f64], scaled: &mut [f64], stride: usize) {
        let (rows, columns) = (&mut self.rows[..n], &mut self.columns[..n]);
        columns.fill(0.0);
        for i in 0..n {
            let entries = &a[i * n..][..n];
            let out = &mut scaled[i * stride..][..n];
            rows[i] = inverse_power_of_two(largest(entries));
            for j in 0..n {
                out[j] = rows[i] * entries[j];
                columns[j] = max(columns[j], out[j].abs());
            }
        }
        for column in columns.iter_mut() {
            *column = inverse_power_of_two(*column);
        }
        for i in 0..n {
            let out = &mut scaled[i * stride..][..n];
            for j in 0..n {
                out[j] *= columns[j];
            }
        }
    }

    /// Turns a right-hand side into that of the scaled system.
    #[inline(always)]
    pub(super) fn scale_rows(&self, n: usize, b: &mut [f64]) {
        for (value, scale) in b.iter_mut().zip(&self.rows[..n]) {
            *value *= scale;
        }
    }

    /// Turns a solution of the scaled system into that of the original one.
    #[inline(always)]
    pub(super) fn scale_columns(&self, n: usize, x: &mut [f64]) {
        for (value, scale) in x.iter_mut().zip(&self.columns[..n]) {
            *value *= scale;
        }
    }
}

/// The power of two that brings `x >= 0` into `[1, 2)`; zero if `x` is not finite, so that the damage shows up in the
/// pivots.
#[inline(always)]
pub(super) fn inverse_power_of_two(x: f64) -> f64 {
    const EXPONENT_BITS: u64 = 0x7ff;
    let exponent = (x.to_bits() >> 52) & EXPONENT_BITS;
    f64::from_bits(2046u64.saturating_sub(exponent) << 52)
}

/// The largest magnitude.
#[inline(always)]
pub(super) fn largest(entries: &[f64]) -> f64 {
    let mut strands = [0.0; 4];
    let (chunks, rest) = entries.as_chunks::<4>();
    for chunk in chunks {
        for s in 0..4 {
            strands[s] = max(strands[s], chunk[s].abs());
        }
    }
    let mut result = max(max(strands[0], strands[1]), max(strands[2], strands[3]));
    for entry in rest {
        result = max(result, entry.abs());
    }
    result
}

/// One instruction, unlike `f64::max`, which has to treat NaN specially.
#[inline(always)]
pub(super) fn max(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

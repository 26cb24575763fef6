//! What the tests of the factorisations share.

/// A small generator with a fixed seed (xorshift), so that failures repeat.
pub(super) struct SeededNumbers(u64);

impl SeededNumbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Uniform in `[-1, 1)`.
    pub(super) fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Uniform below `bound`.
    pub(super) fn index(&mut self, bound: usize) -> usize {
        ((self.number() + 1.0) / 2.0 * bound as f64) as usize
    }

    pub(super) fn vector(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.number()).collect()
    }
}

/// The largest residual of `A x = b` over the largest sum of magnitudes of the terms it is made of.
pub(super) fn backward_error<Row>(rows: impl Iterator<Item = Row>, x: &[f64], b: &[f64]) -> f64
where
    Row: IntoIterator<Item = (usize, f64)>,
{
    let (mut residual, mut size) = (0.0_f64, 0.0_f64);
    for (row, b) in rows.zip(b) {
        let (mut sum, mut magnitude) = (-b, b.abs());
        for (j, entry) in row {
            sum += entry * x[j];
            magnitude += (entry * x[j]).abs();
        }
        residual = residual.max(sum.abs());
        size = size.max(magnitude);
    }
    residual / size
}

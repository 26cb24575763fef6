//! Which entries of a sparse matrix may be nonzero.

use super::Singular;
use super::equilibrate::{Scales, inverse_power_of_two, max};

/// The places of the entries of a square matrix, row by row.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    n: usize,
    row_start: Vec<usize>,
    columns: Vec<usize>,
}

impl Pattern {
    /// # Panics
    /// If there are not `n` rows or a column is not below `n`.
    pub(super) fn new(n: usize, rows: &[Vec<usize>]) -> Self {
        assert_eq!(rows.len(), n, "one row per equation");
        let columns = rows.concat();
        assert!(columns.iter().all(|&column| column < n), "columns are counted from zero");
        let mut row_start = Vec::with_capacity(n + 1);
        row_start.push(0);
        row_start.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        Self { n, row_start, columns }
    }

    pub(super) fn size(&self) -> usize {
        self.n
    }

    pub(super) fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Row and column of every entry, in the order of the values.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n)
            .flat_map(move |i| self.columns[self.row_start[i]..self.row_start[i + 1]].iter().map(move |&j| (i, j)))
    }

    /// Finds scales and writes the scaled values, in the same order; refuses values that are not finite, which could
    /// stay unnoticed above the diagonal.
    pub(super) fn equilibrate(&self, values: &[f64], scales: &mut Scales, scaled: &mut [f64]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.entries(), "one value per entry of the pattern");
        if let Some(bad) = values.iter().position(|value| !value.is_finite()) {
            return Err(Singular { column: self.columns[bad] });
        }
        scales.columns.fill(0.0);
        for (i, row_scale) in scales.rows.iter_mut().enumerate() {
            let range = self.row_start[i]..self.row_start[i + 1];
            let row = &values[range.clone()];
            *row_scale = inverse_power_of_two(row.iter().fold(0.0, |largest, value| max(largest, value.abs())));
            for ((out, value), &j) in scaled[range.clone()].iter_mut().zip(row).zip(&self.columns[range]) {
                *out = value * *row_scale;
                scales.columns[j] = max(scales.columns[j], out.abs());
            }
        }
        for column_scale in &mut scales.columns {
            *column_scale = inverse_power_of_two(*column_scale);
        }
        for (out, &j) in scaled.iter_mut().zip(&self.columns) {
            *out *= scales.columns[j];
        }
        Ok(())
    }
}

//! Rows that come many at a time.

/// Consecutive rows of a trajectory, column by column.
pub trait RowBlock {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// How many columns there are.
    fn columns(&self) -> usize;

    /// A column: as many numbers as there are rows.
    fn column(&self, column: usize) -> &[f64];

    /// Reads a row, as wide as `row` is.
    fn read_row(&self, at: usize, row: &mut [f64]) {
        row.iter_mut().enumerate().for_each(|(column, value)| *value = self.column(column)[at]);
    }
}

//! Linear algebra over a finite field: exact ranks, null spaces and solutions.

use super::field::{Field, Residue};

/// A dense matrix by rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    columns: usize,
    entries: Vec<Residue>,
}

/// A matrix in reduced row echelon form.
#[derive(Clone, Debug)]
pub struct Echelon {
    /// The rows that are not zero: one in the column of their pivot, zero in those of the others.
    pub rows: Matrix,
    /// The columns of the pivots, increasing.
    pub pivots: Vec<usize>,
}

impl Matrix {
    /// A matrix without rows.
    pub fn new(columns: usize) -> Matrix {
        Matrix { columns, entries: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[Residue]) {
        debug_assert_eq!(row.len(), self.columns);
        self.entries.extend_from_slice(row);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.entries.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Is there no row?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[Residue] {
        &self.entries[row * self.columns..(row + 1) * self.columns]
    }

    fn row_mut(&mut self, row: usize) -> &mut [Residue] {
        &mut self.entries[row * self.columns..(row + 1) * self.columns]
    }

    /// The matrix of some of its columns.
    pub fn select(&self, columns: &[usize]) -> Matrix {
        let mut selected = Matrix::new(columns.len());
        for row in 0..self.len() {
            selected.entries.extend(columns.iter().map(|column| self.row(row)[*column]));
        }
        selected
    }

    /// The rank.
    pub fn rank(&self, f: Field) -> usize {
        self.clone().independent_columns(f).len()
    }

    /// Gauss–Jordan elimination; pivots are as far to the left as possible.
    pub fn echelon(mut self, f: Field) -> Echelon {
        let (rows, columns) = (self.len(), self.columns);
        let mut pivots = Vec::new();
        let mut top = vec![Field::ZERO; columns];
        for column in 0..columns {
            let done = pivots.len();
            let Some(pivot) = (done..rows).find(|row| self.row(*row)[column] != Field::ZERO) else { continue };
            if pivot != done {
                for k in column..columns {
                    self.entries.swap(pivot * columns + k, done * columns + k);
                }
            }
            let Some(scale) = f.inv(self.row(done)[column]) else { continue };
            for entry in &mut self.row_mut(done)[column..] {
                *entry = f.mul(*entry, scale);
            }
            top[column..].copy_from_slice(&self.row(done)[column..]);
            for row in (0..rows).filter(|row| *row != done) {
                let row = &mut self.row_mut(row)[column..];
                let factor = f.neg(row[0]);
                if factor != Field::ZERO {
                    for (entry, above) in row.iter_mut().zip(&top[column..]) {
                        *entry = f.add(*entry, f.mul(factor, *above));
                    }
                }
            }
            pivots.push(column);
            if pivots.len() == rows {
                break;
            }
        }
        self.entries.truncate(pivots.len() * columns);
        Echelon { rows: self, pivots }
    }

    /// The columns that do not depend on those before them.
    pub fn independent_columns(mut self, f: Field) -> Vec<usize> {
        self.eliminate(f)
    }

    /// A basis of the vectors that the matrix maps to zero: one per column that depends on those before it, with a one there and
    /// a zero in the other such columns.
    pub fn null_space(mut self, f: Field) -> Matrix {
        let pivots = self.eliminate(f);
        let mut basis = Matrix::new(self.columns);
        let mut vector = vec![Field::ZERO; self.columns];
        for free in (0..self.columns).filter(|column| pivots.binary_search(column).is_err()) {
            vector.fill(Field::ZERO);
            vector[free] = f.one();
            for (row, pivot) in pivots.iter().enumerate().rev().filter(|(_, pivot)| **pivot < free) {
                let after = f.dot(&self.row(row)[pivot + 1..=free], &vector[pivot + 1..=free]);
                vector[*pivot] = f.neg(after);
            }
            basis.push(&vector);
        }
        basis
    }

    /// Elimination below the pivots, which become one; returns their columns.
    fn eliminate(&mut self, f: Field) -> Vec<usize> {
        let (rows, columns) = (self.len(), self.columns);
        let mut pivots = Vec::new();
        for column in 0..columns {
            let done = pivots.len();
            let Some(pivot) = (done..rows).find(|row| self.row(*row)[column] != Field::ZERO) else { continue };
            for k in column..columns {
                self.entries.swap(pivot * columns + k, done * columns + k);
            }
            let Some(scale) = f.inv(self.row(done)[column]) else { continue };
            let (above, below) = self.entries.split_at_mut((done + 1) * columns);
            let top = &mut above[done * columns + column..];
            top.iter_mut().for_each(|entry| *entry = f.mul(*entry, scale));
            for row in below.chunks_exact_mut(columns) {
                let row = &mut row[column..];
                let factor = f.neg(row[0]);
                if factor != Field::ZERO {
                    for (entry, above) in row.iter_mut().zip(&*top) {
                        *entry = f.add(*entry, f.mul(factor, *above));
                    }
                }
            }
            pivots.push(column);
        }
        pivots
    }

    /// Solves `self x = b` for a matrix with as many rows as `b` has entries; unknowns that are not determined are zero. `None`
    /// without a solution.
    pub fn solve(&self, f: Field, b: &[Residue]) -> Option<Vec<Residue>> {
        let mut augmented = Matrix::new(self.columns + 1);
        for (row, b) in b.iter().enumerate() {
            augmented.entries.extend_from_slice(self.row(row));
            augmented.entries.push(*b);
        }
        let echelon = augmented.echelon(f);
        if echelon.pivots.last() == Some(&self.columns) {
            return None;
        }
        let mut x = vec![Field::ZERO; self.columns];
        for (row, pivot) in echelon.pivots.iter().enumerate() {
            x[*pivot] = echelon.rows.row(row)[self.columns];
        }
        Some(x)
    }
}

/// A space of vectors that grows.
#[derive(Clone, Debug, Default)]
pub struct VectorSpace {
    /// Rows with a one at their pivot, each zero at the pivots of those before it.
    rows: Vec<(usize, Vec<Residue>)>,
}

impl VectorSpace {
    /// Adds a vector; false if it was in the space already.
    pub fn insert(&mut self, f: Field, vector: Vec<Residue>) -> bool {
        let mut vector = self.rest(f, vector);
        let Some(pivot) = vector.iter().position(|entry| *entry != Field::ZERO) else { return false };
        let Some(scale) = f.inv(vector[pivot]) else { return false };
        vector.iter_mut().for_each(|entry| *entry = f.mul(*entry, scale));
        self.rows.push((pivot, vector));
        true
    }

    /// Is the vector in the space?
    pub fn contains(&self, f: Field, vector: Vec<Residue>) -> bool {
        self.rest(f, vector).iter().all(|entry| *entry == Field::ZERO)
    }

    /// What is left of a vector after elimination.
    fn rest(&self, f: Field, mut vector: Vec<Residue>) -> Vec<Residue> {
        for (pivot, row) in &self.rows {
            let factor = f.neg(vector[*pivot]);
            if factor != Field::ZERO {
                for (entry, above) in vector.iter_mut().zip(row) {
                    *entry = f.add(*entry, f.mul(factor, *above));
                }
            }
        }
        vector
    }

    /// The dimension.
    pub fn dimension(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(f: Field, rows: &[&[i64]]) -> Matrix {
        let mut matrix = Matrix::new(rows[0].len());
        rows.iter().for_each(|row| matrix.push(&row.iter().map(|x| f.integer(*x)).collect::<Vec<_>>()));
        matrix
    }

    #[test]
    fn ranks_null_spaces_and_solutions() {
        let f = Field::number(0);
        let m = matrix(f, &[&[1, 2, 3, 4], &[2, 4, 6, 8], &[0, 0, 1, 5]]);
        let echelon = m.clone().echelon(f);
        assert_eq!(echelon.pivots, [0, 2]);
        let null = m.clone().null_space(f);
        assert_eq!(null, matrix(f, &[&[-2, 1, 0, 0], &[11, 0, -5, 1]]));
        for row in 0..m.len() {
            assert_eq!(f.dot(m.row(row), null.row(1)), Field::ZERO);
        }
        let x = m.solve(f, &[f.integer(7), f.integer(14), f.integer(1)]).unwrap();
        assert_eq!(x, [4, 0, 1, 0].map(|x| f.integer(x)));
        assert_eq!(m.solve(f, &[f.integer(7), f.integer(13), f.integer(1)]), None);
        assert_eq!(matrix(f, &[&[2, 1], &[1, 2]]).rank(f), 2);
        assert_eq!(m.independent_columns(f), [0, 2]);
        let mut span = VectorSpace::default();
        let vector = |x: [i64; 3]| x.map(|x| f.integer(x)).to_vec();
        assert!(span.insert(f, vector([0, 2, 1])) && span.insert(f, vector([1, 1, 1])));
        assert!(!span.insert(f, vector([2, 0, 1])), "2 (1, 1, 1) − (0, 2, 1)");
        assert_eq!(span.dimension(), 2);
    }
}

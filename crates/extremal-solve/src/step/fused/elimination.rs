//! Elimination written out: what is left of constraints once everything else is solved for couples each multiplier to a few others.

use std::collections::{BTreeMap, BTreeSet};

use extremal_expr::{Expr, Relation};
use extremal_mechanics::SparseRows;

use super::formulas::FusedWriter;
use crate::linear::{Adjacency, inverse, minimum_degree};

/// Multiplications for each unknown up to which elimination is written out: with more, a factorisation that serves again is faster.
const MOST_MULTIPLICATIONS: usize = 32;

/// An order of elimination in which few entries are filled.
pub(crate) struct Elimination {
    /// Where each unknown and its equation stand in it.
    place: Vec<usize>,
}

impl Elimination {
    /// For a matrix with entries in these places; `None` where so many would be filled that it is not worth writing out, or where an
    /// unknown has no entry in its own equation.
    pub fn of(rows: &SparseRows) -> Option<Elimination> {
        let n = rows.len();
        let has_own = |(at, row): (usize, &Vec<_>)| row.iter().any(|(column, _)| *column == at);
        if !rows.iter().enumerate().all(has_own) {
            return None;
        }
        let places = rows.iter().enumerate().flat_map(|(row, entries)| entries.iter().map(move |(at, _)| (row, *at)));
        let (order, multiplications) = minimum_degree(&Adjacency::new(n, places));
        (multiplications <= MOST_MULTIPLICATIONS * n).then(|| Elimination { place: inverse(&order) })
    }

    /// Solves for the unknowns; `values` are those of the entries. No rows are exchanged: no pivot may be what is left of much larger
    /// terms.
    pub fn solve<'g>(
        &self,
        writer: &mut FusedWriter<'g>,
        rows: &SparseRows,
        values: &[Expr<'g>],
        right: &[Expr<'g>],
    ) -> Vec<Expr<'g>> {
        let (g, n) = (writer.g, rows.len());
        let mut values = values.iter().copied();
        let mut matrix: Vec<BTreeMap<usize, Expr<'g>>> = vec![BTreeMap::new(); n];
        let mut below: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        let mut b = vec![g.int(0); n];
        for (row, entries) in rows.iter().enumerate() {
            let own = self.place[row];
            b[own] = right[row];
            for ((column, _), value) in entries.iter().zip(&mut values) {
                let column = self.place[*column];
                matrix[own].insert(column, value);
                below[column].insert(own);
            }
        }
        let mut sizes: Vec<Expr<'g>> = (0..n).map(|at| matrix[at][&at].abs()).collect();
        let mut reciprocals = Vec::with_capacity(n);
        for k in 0..n {
            let pivot = matrix[k][&k];
            if sizes[k] != pivot.abs() {
                writer.holds.push(g.compare(Relation::Lt, sizes[k] * writer.limits.pivot, pivot.abs()));
            }
            let reciprocal = writer.name(pivot.powi(-1));
            reciprocals.push(reciprocal);
            let row: Vec<(usize, Expr<'g>)> = matrix[k].range(k + 1..).map(|(at, entry)| (*at, *entry)).collect();
            for i in below[k].range(k + 1..).copied().collect::<Vec<_>>() {
                let factor = writer.name(matrix[i][&k] * reciprocal);
                for (column, above) in &row {
                    let change = factor * *above;
                    let entry = matrix[i].get(column).map_or(-change, |entry| *entry - change);
                    matrix[i].insert(*column, writer.name(entry));
                    below[*column].insert(i);
                    if *column == i {
                        sizes[i] = sizes[i] + change.abs();
                    }
                }
                b[i] = writer.name(b[i] - factor * b[k]);
            }
        }
        for k in (0..n).rev() {
            let known = matrix[k].range(k + 1..).fold(b[k], |sum, (column, entry)| sum - *entry * b[*column]);
            b[k] = writer.name(known * reciprocals[k]);
        }
        self.place.iter().map(|place| b[*place]).collect()
    }
}

//! LU factorisation of a general sparse matrix, column by column (Gilbert and Peierls 1988).
//!
//! The places of the factors depend on the pivots chosen, so they are found once and kept for as long as the rule that
//! chooses pivots keeps choosing the same ones. A factorisation is therefore a function of the matrix alone, bit for
//! bit, whatever was factored before.

use super::equilibrate::Scales;
use super::ordering::{EliminationOrder, inverse};
use super::pattern::Pattern;
use super::{PivotRange, Singular};

/// The diagonal entry is the pivot if it is at least this part of the largest candidate: keeps the order that keeps the
/// factors small.
pub(super) const DIAGONAL_PREFERENCE: f64 = 0.1;

/// A row that is not a pivot yet.
const NO_PIVOT: usize = usize::MAX;

/// A sparse LU factorisation with row pivoting.
#[derive(Debug, Clone)]
pub(super) struct SparseLu {
    pattern: Pattern,
    order: EliminationOrder,
    matrix: SparseColumns,
    /// Which value of the pattern each entry of `matrix` is.
    sources: Vec<usize>,
    /// Multipliers, without the unit diagonal; rows in the numbering of `matrix`.
    lower: SparseColumns,
    /// The upper factor without its diagonal; rows are pivot numbers, in the order in which their columns have to be
    /// subtracted.
    upper: SparseColumns,
    reciprocals: Vec<f64>,
    /// Row of each pivot, and pivot of each row.
    pivot_rows: Vec<usize>,
    pivot_of: Vec<usize>,
    /// By how much the diagonal entry is preferred as a pivot.
    preference: f64,
    /// Whether the places above belong to some matrix factored before.
    analysed: bool,
    scales: Scales,
    scaled: Vec<f64>,
    column: Vec<f64>,
    reach: ColumnReach,
    pivots: PivotRange,
}

/// A matrix stored by columns.
#[derive(Debug, Clone, Default)]
struct SparseColumns {
    start: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl SparseColumns {
    fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.start[column]..self.start[column + 1]
    }

    fn entries(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.range(column);
        self.rows[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.rows.clear();
        self.values.clear();
    }

    fn push(&mut self, row: usize, value: f64) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end_column(&mut self) {
        self.start.push(self.rows.len());
    }
}

impl SparseLu {
    pub(super) fn new(pattern: Pattern, order: EliminationOrder, preference: f64) -> Self {
        let n = pattern.size();
        let place = inverse(&order);
        let mut entries: Vec<(usize, usize, usize)> =
            pattern.places().enumerate().map(|(source, (i, j))| (place[j], place[i], source)).collect();
        entries.sort_unstable();
        let mut start = vec![0; n + 1];
        for &(column, ..) in &entries {
            start[column + 1] += 1;
        }
        for column in 0..n {
            start[column + 1] += start[column];
        }
        Self {
            order,
            matrix: SparseColumns {
                start,
                rows: entries.iter().map(|&(_, row, _)| row).collect(),
                values: vec![0.0; entries.len()],
            },
            sources: entries.iter().map(|&(.., source)| source).collect(),
            lower: SparseColumns::default(),
            upper: SparseColumns::default(),
            reciprocals: vec![0.0; n],
            pivot_rows: vec![0; n],
            pivot_of: vec![NO_PIVOT; n],
            preference,
            analysed: false,
            scales: Scales::new(n),
            scaled: vec![0.0; pattern.entries()],
            column: vec![0.0; n],
            reach: ColumnReach::new(n),
            pivots: PivotRange::default(),
            pattern,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.pattern.size()
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.pattern.equilibrate(values, &mut self.scales, &mut self.scaled)?;
        for (value, &source) in self.matrix.values.iter_mut().zip(&self.sources) {
            *value = self.scaled[source];
        }
        if self.analysed && self.refactor() {
            return Ok(());
        }
        self.analysed = false;
        self.pivots = self.analyse()?;
        self.analysed = true;
        Ok(())
    }

    /// Factors in the places known; false if this matrix needs other pivots.
    fn refactor(&mut self) -> bool {
        let mut pivots = PivotRange::default();
        for k in 0..self.pattern.size() {
            self.load_column(k);
            for p in self.upper.range(k) {
                let pivot = self.upper.rows[p];
                let value = take(&mut self.column[self.pivot_rows[pivot]]);
                self.upper.values[p] = value;
                self.subtract(pivot, value);
            }
            let row = self.pivot_rows[k];
            let candidates = self.lower.rows[self.lower.range(k)].iter().copied().chain([row]);
            let chosen = choose_pivot(&self.column, candidates, k, self.preference);
            if chosen != Some(row) || pivots.admit(self.column[row].abs(), self.terms(k), k).is_err() {
                // The work vector has to be zero between columns.
                self.column.fill(0.0);
                return false;
            }
            let reciprocal = 1.0 / take(&mut self.column[row]);
            self.reciprocals[k] = reciprocal;
            for p in self.lower.range(k) {
                self.lower.values[p] = take(&mut self.column[self.lower.rows[p]]) * reciprocal;
            }
        }
        self.pivots = pivots;
        true
    }

    /// Factors and finds the places of the factors on the way.
    fn analyse(&mut self) -> Result<PivotRange, Singular> {
        self.lower.clear();
        self.upper.clear();
        self.pivot_of.fill(NO_PIVOT);
        let mut pivots = PivotRange::default();
        for k in 0..self.pattern.size() {
            let rows = &self.matrix.rows[self.matrix.range(k)];
            self.reach.find(rows, &self.lower, &self.pivot_of);
            self.load_column(k);
            for place in 0..self.reach.pivots.len() {
                let pivot = self.reach.pivots[place];
                let value = take(&mut self.column[self.pivot_rows[pivot]]);
                self.upper.push(pivot, value);
                self.subtract(pivot, value);
            }
            self.upper.end_column();
            let admitted =
                choose_pivot(&self.column, self.reach.rows.iter().copied(), k, self.preference).and_then(|row| {
                    pivots.admit(self.column[row].abs(), self.terms(k), k).ok()?;
                    Some(row)
                });
            let Some(row) = admitted else {
                self.column.fill(0.0);
                return Err(Singular { column: self.order[k] });
            };
            self.pivot_rows[k] = row;
            self.pivot_of[row] = k;
            let reciprocal = 1.0 / take(&mut self.column[row]);
            self.reciprocals[k] = reciprocal;
            for &other in self.reach.rows.iter().filter(|&&other| other != row) {
                let value = take(&mut self.column[other]);
                self.lower.push(other, value * reciprocal);
            }
            self.lower.end_column();
        }
        Ok(pivots)
    }

    fn load_column(&mut self, k: usize) {
        for (row, value) in self.matrix.entries(k) {
            self.column[row] += value;
        }
    }

    fn subtract(&mut self, pivot: usize, value: f64) {
        for (row, multiplier) in self.lower.entries(pivot) {
            self.column[row] -= multiplier * value;
        }
    }

    /// How many roundings an entry of column `k` has seen.
    fn terms(&self, k: usize) -> usize {
        self.upper.range(k).len() + 1
    }

    pub(super) fn solve(&mut self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size(), "as many right-hand sides as equations");
        self.scales.scale_rows(b.len(), b);
        for (new, &old) in self.column.iter_mut().zip(&self.order) {
            *new = b[old];
        }
        // Until the end, what belongs to pivot k stays in its row.
        for k in 0..b.len() {
            let value = self.column[self.pivot_rows[k]];
            self.subtract(k, value);
        }
        for k in (0..b.len()).rev() {
            let value = take(&mut self.column[self.pivot_rows[k]]) * self.reciprocals[k];
            for (pivot, entry) in self.upper.entries(k) {
                self.column[self.pivot_rows[pivot]] -= entry * value;
            }
            b[self.order[k]] = value;
        }
        self.scales.scale_columns(b.len(), b);
    }

    pub(super) fn pivot_ratio(&self) -> f64 {
        self.pivots.ratio()
    }
}

fn take(value: &mut f64) -> f64 {
    std::mem::replace(value, 0.0)
}

/// The row of the pivot among the candidates: the diagonal one if it is large enough, else the largest, the first of
/// equals.
fn choose_pivot(
    column: &[f64],
    candidates: impl Iterator<Item = usize>,
    diagonal: usize,
    preference: f64,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    let mut diagonal_size = None;
    for row in candidates {
        let size = column[row].abs();
        if row == diagonal {
            diagonal_size = Some(size);
        }
        // Ties go to the lower row, so that the choice does not depend on the order of the candidates.
        if best.is_none_or(|(other, largest)| size > largest || (size == largest && row < other)) {
            best = Some((row, size));
        }
    }
    let (row, largest) = best?;
    match diagonal_size {
        Some(size) if size >= preference * largest => Some(diagonal),
        _ => Some(row),
    }
}

/// Finds which earlier columns a new one needs, by depth-first search in the graph of the lower factor.
#[derive(Debug, Clone)]
struct ColumnReach {
    /// Pivots whose columns have to be subtracted, each after those it depends on.
    pivots: Vec<usize>,
    /// Rows without a pivot that get an entry.
    rows: Vec<usize>,
    /// The search in which a row was last seen, so that nothing has to be cleared.
    seen: Vec<usize>,
    search: usize,
    stack: Vec<(usize, usize)>,
}

impl ColumnReach {
    fn new(n: usize) -> Self {
        Self { pivots: Vec::new(), rows: Vec::new(), seen: vec![0; n], search: 0, stack: Vec::new() }
    }

    fn find(&mut self, from: &[usize], lower: &SparseColumns, pivot_of: &[usize]) {
        self.pivots.clear();
        self.rows.clear();
        self.search += 1;
        for &row in from {
            self.enter(row, lower, pivot_of);
            while let Some(&mut (pivot, ref mut next)) = self.stack.last_mut() {
                if *next == lower.start[pivot + 1] {
                    self.pivots.push(pivot);
                    self.stack.pop();
                } else {
                    let row = lower.rows[*next];
                    *next += 1;
                    self.enter(row, lower, pivot_of);
                }
            }
        }
        self.pivots.reverse();
    }

    fn enter(&mut self, row: usize, lower: &SparseColumns, pivot_of: &[usize]) {
        if std::mem::replace(&mut self.seen[row], self.search) == self.search {
            return;
        }
        match pivot_of[row] {
            NO_PIVOT => self.rows.push(row),
            pivot => self.stack.push((pivot, lower.start[pivot])),
        }
    }
}

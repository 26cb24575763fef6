//! A bounded picture of an unbounded trajectory.
//!
//! Plots need two things of a long run: whole rows, so that one column can be
//! drawn against another, and the extremes of each column, so that a fast
//! oscillation or a single spike is not lost between the rows kept. Both are
//! kept at a stride that doubles whenever the store is full.

use crate::RowBlock;

/// Rows and extremes of a trajectory in memory that does not grow with it.
///
/// ```
/// use extremal_trajectory::Series;
///
/// let mut series = Series::new(2);
/// for i in 0..1_000_000 {
///     let t = i as f64;
///     series.push(&[t, if i == 777_777 { 9.0 } else { 0.0 }]);
/// }
/// assert!(series.rows().count() <= Series::MAX_ROWS + 1);
/// let spike = series.extremes(1).map(|(_, high)| high).fold(0.0, f64::max);
/// assert_eq!(spike, 9.0);
/// ```
#[derive(Debug, Clone)]
pub struct Series {
    width: usize,
    seen: u64,
    rows: Vec<f64>,
    max_rows: usize,
    /// A power of two, like the other stride: they double.
    row_stride: u64,
    /// The latest row, from the second one on.
    last: Vec<f64>,
    /// For each bucket, `(min, max)` of every column.
    buckets: Vec<(f64, f64)>,
    max_buckets: usize,
    bucket_stride: u64,
}

impl Series {
    /// Most rows kept, apart from the last one, which always is.
    pub const MAX_ROWS: usize = 8192;
    /// Most buckets of extremes kept per column.
    pub const MAX_BUCKETS: usize = 2048;
    /// Most numbers kept as rows, and as extremes: wide trajectories keep fewer of them, but at least two.
    const MAX_VALUES: usize = 1 << 20;

    /// An empty store for rows of `width` numbers.
    pub fn new(width: usize) -> Self {
        Self {
            width,
            seen: 0,
            rows: Vec::new(),
            max_rows: (Self::MAX_VALUES / width.max(1)).clamp(2, Self::MAX_ROWS),
            row_stride: 1,
            last: vec![0.0; width],
            buckets: Vec::new(),
            // An even number, for they are merged in pairs.
            max_buckets: (Self::MAX_VALUES / (2 * width.max(1))).clamp(2, Self::MAX_BUCKETS) & !1,
            bucket_stride: 1,
        }
    }

    /// Takes the first row of a trajectory of which nobody will look at more than this row and the last one.
    pub(crate) fn begin(&mut self, row: &[f64]) {
        self.rows.extend_from_slice(row);
        self.skip(1);
    }

    /// Passes over rows that nobody will look at.
    #[inline]
    pub(crate) fn skip(&mut self, rows: u64) {
        self.seen += rows;
    }

    /// Replaces the last row, after one that was passed over.
    #[inline]
    pub(crate) fn set_last(&mut self, row: &[f64]) {
        self.last.copy_from_slice(row);
    }

    /// Takes a row; numbers past the width are ignored, missing ones are NaN.
    pub fn push(&mut self, row: &[f64]) {
        if self.width == 0 {
            return;
        }
        match row.get(..self.width) {
            Some(row) => self.last.copy_from_slice(row),
            None => {
                let (given, missing) = self.last.split_at_mut(row.len());
                given.copy_from_slice(row);
                missing.fill(f64::NAN);
            }
        }
        if is_due(self.seen, self.row_stride) {
            if self.rows.len() >= self.max_rows * self.width {
                self.drop_every_other_row();
            }
            if is_due(self.seen, self.row_stride) {
                self.rows.extend_from_slice(&self.last);
            }
        }
        if is_due(self.seen, self.bucket_stride) {
            if self.buckets.len() >= self.max_buckets * self.width {
                self.merge_buckets();
            }
            if is_due(self.seen, self.bucket_stride) {
                self.buckets.extend(self.last.iter().map(|x| (*x, *x)));
                self.seen += 1;
                return;
            }
        }
        let start = self.buckets.len() - self.width;
        for (bucket, x) in self.buckets[start..].iter_mut().zip(&self.last) {
            *bucket = widen(*bucket, (*x, *x));
        }
        self.seen += 1;
    }

    /// Takes rows, as if one after the other; `row` is memory for one of them.
    pub(crate) fn push_block(&mut self, block: &dyn RowBlock, row: &mut [f64]) {
        if self.width == 0 {
            return;
        }
        let mut at = 0;
        while at < block.rows() {
            let stride = self.row_stride.min(self.bucket_stride);
            if is_due(self.seen, stride) {
                block.read_row(at, row);
                self.push(row);
                at += 1;
                continue;
            }
            let until = (stride - (self.seen & (stride - 1))).min((block.rows() - at) as u64) as usize + at;
            let start = self.buckets.len() - self.width;
            for (column, bucket) in self.buckets[start..].iter_mut().enumerate() {
                *bucket = block.column(column)[at..until].iter().fold(*bucket, |bucket, x| widen(bucket, (*x, *x)));
            }
            self.seen += (until - at) as u64;
            at = until;
        }
        block.read_row(at - 1, row);
        self.last.copy_from_slice(row);
    }

    fn drop_every_other_row(&mut self) {
        let kept = self.rows.len() / self.width;
        for to in 0..kept.div_ceil(2) {
            let from = 2 * to * self.width;
            self.rows.copy_within(from..from + self.width, to * self.width);
        }
        self.rows.truncate(kept.div_ceil(2) * self.width);
        self.row_stride *= 2;
    }

    fn merge_buckets(&mut self) {
        let pairs = self.buckets.len() / self.width / 2;
        for to in 0..pairs {
            for column in 0..self.width {
                let a = self.buckets[2 * to * self.width + column];
                let b = self.buckets[(2 * to + 1) * self.width + column];
                self.buckets[to * self.width + column] = widen(a, b);
            }
        }
        self.buckets.truncate(pairs * self.width);
        self.bucket_stride *= 2;
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows were pushed.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// The latest row, if there was one.
    pub fn last(&self) -> Option<&[f64]> {
        match self.seen {
            0 => None,
            1 => self.rows.get(..self.width),
            _ => Some(&self.last),
        }
    }

    /// Whether every row pushed is still here.
    pub fn is_complete(&self) -> bool {
        self.row_stride == 1
    }

    /// The rows kept, evenly spaced by count, first and last included.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        let last_is_kept = self.seen == 0 || (self.seen - 1).is_multiple_of(self.row_stride);
        self.rows.chunks_exact(self.width.max(1)).chain((!last_is_kept).then_some(self.last.as_slice()))
    }

    /// One column of the rows kept; NaN past the width.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        self.rows().map(move |row| row.get(column).copied().unwrap_or(f64::NAN))
    }

    /// Two columns of the rows kept, as points.
    pub fn points(&self, x: usize, y: usize) -> impl Iterator<Item = (f64, f64)> {
        self.column(x).zip(self.column(y))
    }

    /// `(min, max)` of a column over consecutive stretches of equally many
    /// rows (the last may be shorter). NaN is skipped unless there is nothing
    /// else.
    pub fn extremes(&self, column: usize) -> impl Iterator<Item = (f64, f64)> {
        self.buckets
            .chunks_exact(self.width.max(1))
            .map(move |row| row.get(column).copied().unwrap_or((f64::NAN, f64::NAN)))
    }
}

/// Is a number a multiple of a stride, which is a power of two? There is no division in it: it is asked for every row.
fn is_due(index: u64, stride: u64) -> bool {
    index & (stride - 1) == 0
}

// f64::min and f64::max skip NaN, which is what is wanted here.
fn widen(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_is_kept_whole() {
        let mut series = Series::new(2);
        for i in 0..Series::MAX_ROWS {
            series.push(&[i as f64, -(i as f64)]);
        }
        assert!(series.is_complete());
        assert_eq!(series.rows().count(), Series::MAX_ROWS);
        assert_eq!(series.rows().nth(17), Some(&[17.0, -17.0][..]));
    }

    #[test]
    fn memory_is_bounded_and_the_ends_stay() {
        let mut series = Series::new(3);
        for i in 0..1_000_000u32 {
            let t = f64::from(i);
            series.push(&[t, (t * 1.3).sin(), 2.0 * t]);
        }
        let kept: Vec<_> = series.rows().collect();
        assert!(kept.len() <= Series::MAX_ROWS + 1 && kept.len() > Series::MAX_ROWS / 2);
        assert_eq!(kept[0][0], 0.0);
        assert_eq!(kept[kept.len() - 1][0], 999_999.0);
        // Rows stay whole: the third number is twice the first.
        assert!(kept.iter().all(|row| row[2] == 2.0 * row[0]));
        // Evenly spaced but for the last.
        let gap = kept[1][0];
        assert!(kept[..kept.len() - 1].windows(2).all(|w| w[1][0] - w[0][0] == gap));
        assert!(series.extremes(1).count() <= Series::MAX_BUCKETS);
        assert!(series.rows.capacity() <= 4 * Series::MAX_ROWS * 3);
    }

    #[test]
    fn no_extreme_is_lost() {
        let n = 300_001u32;
        for spike in [0, 1, 4095, 123_457, n - 1] {
            let mut series = Series::new(1);
            for i in 0..n {
                series.push(&[if i == spike { -5.0 } else { 1.0 }]);
            }
            let low = series.extremes(0).map(|e| e.0).fold(0.0, f64::min);
            let high = series.extremes(0).map(|e| e.1).fold(0.0, f64::max);
            assert_eq!((low, high), (-5.0, 1.0), "spike at {spike}");
        }
    }

    #[test]
    fn wide_rows_keep_fewer() {
        let mut series = Series::new(400);
        let row = vec![1.0; 400];
        for _ in 0..20_000 {
            series.push(&row);
        }
        assert!(series.rows.len() <= Series::MAX_VALUES);
    }

    #[test]
    fn odd_rows_and_nan() {
        let mut series = Series::new(2);
        assert_eq!(series.last(), None);
        assert_eq!(series.rows().count(), 0);
        series.push(&[1.0]);
        series.push(&[2.0, 3.0, 4.0]);
        assert_eq!(series.last(), Some(&[2.0, 3.0][..]));
        assert!(series.column(1).next().unwrap().is_nan());
        assert!(series.column(7).all(f64::is_nan));

        let mut series = Series::new(1);
        for _ in 0..10_000 {
            series.push(&[f64::NAN]);
            series.push(&[2.0]);
        }
        assert!(series.extremes(0).all(|e| e == (2.0, 2.0)));
        let mut wide = Series::new(Series::MAX_VALUES / 7);
        for i in 0..100 {
            let mut row = vec![0.0; Series::MAX_VALUES / 7];
            row[1] = if i == 61 { 5.0 } else { 0.0 };
            wide.push(&row);
        }
        assert!(wide.rows().count() <= 8 && wide.extremes(1).any(|e| e == (0.0, 5.0)));
        let mut nothing = Series::new(0);
        nothing.push(&[1.0]);
        assert_eq!(nothing.rows().count(), 0);
    }
}

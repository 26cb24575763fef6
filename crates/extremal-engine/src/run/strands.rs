//! Extremes of columns, side by side: the next comparison does not wait for the last one. They do not depend on the order.

/// As many as fill a few registers.
const STRANDS: usize = 32;

/// So many rows of all columns from one on. Written with a loop, whose length is known, for nothing else is sure to be inlined.
#[inline(always)]
fn part_of<'c, const K: usize>(columns: &[&'c [f64]; K], first: usize, count: usize) -> [&'c [f64]; K] {
    let mut parts: [&[f64]; K] = [&[]; K];
    for k in 0..K {
        parts[k] = &columns[k][first..first + count];
    }
    parts
}

/// The numbers of a row.
#[inline(always)]
fn row_of<const K: usize>(columns: &[&[f64]; K], row: usize) -> [f64; K] {
    let mut values = [0.0; K];
    for k in 0..K {
        values[k] = columns[k][row];
    }
    values
}

#[inline(always)]
fn rows_of<const K: usize>(columns: &[&[f64]; K]) -> usize {
    let mut rows = usize::MAX;
    for column in columns {
        rows = rows.min(column.len());
    }
    rows
}

/// The larger of both, which is one instruction, unlike `f64::max`, which has to treat NaN specially: observed numbers are finite.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// The largest of `start` and what follows from the columns at each row.
#[inline(always)]
pub(super) fn largest<const K: usize>(start: f64, columns: [&[f64]; K], of: impl Fn([f64; K]) -> f64) -> f64 {
    let rows = rows_of(&columns);
    let mut strands = [start; STRANDS];
    let mut first = 0;
    while first < rows {
        // A loop of no fixed length: the compiler would write others out, and gather what is far apart.
        let count = STRANDS.min(rows - first);
        let parts = part_of(&columns, first, count);
        for (row, strand) in strands[..count].iter_mut().enumerate() {
            *strand = larger(*strand, of(row_of(&parts, row)));
        }
        first += count;
    }
    let mut left = STRANDS;
    while left > 1 {
        left /= 2;
        let (some, others) = strands.split_at_mut(left);
        some.iter_mut().zip(others).for_each(|(one, other)| *one = larger(*one, *other));
    }
    strands[0]
}

/// The least of them.
#[inline(always)]
pub(super) fn least<const K: usize>(start: f64, columns: [&[f64]; K], of: impl Fn([f64; K]) -> f64) -> f64 {
    -largest(-start, columns, |values| -of(values))
}

/// Does something hold of the columns at each row?
#[inline(always)]
pub(super) fn holds<const K: usize>(columns: [&[f64]; K], of: impl Fn([f64; K]) -> bool) -> bool {
    let rows = rows_of(&columns);
    let columns = part_of(&columns, 0, rows);
    // As wide as the numbers, so that comparisons stay in their registers.
    let mut wrong = 0u64;
    for row in 0..rows {
        wrong |= u64::from(!of(row_of(&columns, row)));
    }
    wrong == 0
}

/// A sum whose bits do not depend on how many numbers come at once: strand after strand takes the next one.
#[derive(Clone, Copy, Default)]
pub(super) struct StrandedSum {
    strands: [f64; 8],
    next: usize,
}

impl StrandedSum {
    pub fn push(&mut self, value: f64) {
        self.strands[self.next] += value;
        self.next = (self.next + 1) % self.strands.len();
    }

    /// Takes numbers as if one after the other.
    #[inline(always)]
    pub fn push_all(&mut self, values: &[f64]) {
        let before = ((self.strands.len() - self.next) % self.strands.len()).min(values.len());
        let (before, rest) = values.split_at(before);
        before.iter().for_each(|value| self.push(*value));
        let (groups, rest) = rest.as_chunks::<8>();
        for group in groups {
            self.strands.iter_mut().zip(group).for_each(|(strand, value)| *strand += value);
        }
        rest.iter().for_each(|value| self.push(*value));
    }

    pub fn sum(&self) -> f64 {
        self.strands.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_those_of_all_rows() {
        let column = |phase: f64| (0..71).map(|i| (phase * f64::from(i)).sin()).collect::<Vec<f64>>();
        let (a, b) = (column(0.7), column(1.9));
        for rows in [0, 1, 15, 16, 17, 64, 71] {
            let sums = || a[..rows].iter().zip(&b).map(|(a, b)| a + b);
            let [columns, sum] = [[&a[..rows], &b[..rows]], [&a[..rows], &b[..rows]]];
            assert_eq!(largest(-5.0, columns, |[a, b]| a + b), sums().fold(-5.0, f64::max), "{rows}");
            assert_eq!(least(5.0, sum, |[a, b]| a + b), sums().fold(5.0, f64::min), "{rows}");
        }
        assert_eq!(largest(2.0, [&a], |[a]| a), 2.0);
        for rows in [0, 5, 40, 70, 71] {
            assert!(holds([&a[..rows]], |[a]| a <= 1.0));
            // The row that does not hold is the last, or among those before it.
            for wrong in (0..rows).step_by(7).chain(rows.checked_sub(1)) {
                let at_wrong = a[wrong];
                assert!(!holds([&a[..rows], &b], |[a, _]| a != at_wrong), "{rows}, {wrong}");
            }
        }
    }

    #[test]
    fn sums_do_not_depend_on_pieces() {
        let values: Vec<f64> = (0..100).map(|i| 1.0 / f64::from(i + 3)).collect();
        let mut alone = StrandedSum::default();
        values.iter().for_each(|value| alone.push(*value));
        for size in [1, 3, 8, 9, 50, 100] {
            let mut together = StrandedSum::default();
            values.chunks(size).for_each(|piece| together.push_all(piece));
            assert_eq!(together.sum(), alone.sum(), "{size}");
        }
        // A hundred roundings of a sum below four.
        assert!((alone.sum() - values.iter().sum::<f64>()).abs() < 100.0 * 4.0 * f64::EPSILON);
    }
}

//! The factorisation of [`BandedLu`](super::banded::BandedLu) for several systems side by side: the same operations in the same order,
//! one lane for each.

use super::equilibrate::{inverse_power_of_two, max};
use super::lane_lu::{LaneNumber, each, pivot_rows};

/// The shape of a band: entries below the diagonal and above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandShape {
    pub below: usize,
    pub above: usize,
}

impl BandShape {
    /// Stored entries of a row: `below` more than there are, which exchanges of rows can fill.
    pub fn width(self) -> usize {
        2 * self.below + 1 + self.above
    }

    /// The place of an entry in the band.
    pub fn place(self, row: usize, column: usize) -> usize {
        row * self.width() + column + self.below - row
    }

    /// The columns that a row has entries in, and where the first of them stands in the row.
    fn inside(self, row: usize, n: usize) -> (std::ops::Range<usize>, usize) {
        let first = row.saturating_sub(self.below);
        (first..(row + self.above + 1).min(n), first + self.below - row)
    }
}

/// Solves systems with the rows `band` and the right-hand sides `b`, of all lanes. Where a lane is singular it gives up, and `b` is
/// anything.
#[inline(always)]
pub(super) fn solve<const L: usize>(shape: BandShape, band: &mut [f64], scales: &mut [f64], b: &mut [f64]) -> bool {
    let b = b.as_chunks_mut::<L>().0;
    let (n, width, below) = (b.len(), shape.width(), shape.below);
    let band = band.as_chunks_mut::<L>().0;
    let (rows, columns) = scales.as_chunks_mut::<L>().0.split_at_mut(n);
    equilibrate(shape, band, rows, columns);
    b.iter_mut().zip(&*rows).for_each(|(b, scale)| *b = each(|lane| b[lane] * scale[lane]));
    let mut reach_end = 0;
    for k in 0..n {
        let last = (k + below).min(n - 1);
        let candidates = (k..=last).map(|row| &band[shape.place(row, k)]);
        let Some(chosen) = pivot_rows(candidates, below + 1) else { return false };
        let furthest = chosen.iter().fold(0.0, |furthest, row| max(furthest, *row)) as usize;
        reach_end = reach_end.max((k + furthest + shape.above).min(n - 1));
        let reach = reach_end - k;
        let (top, rest) = band.split_at_mut((k + 1) * width);
        let pivot_row = &mut top[k * width + below..][..=reach];
        // Rows are exchanged in the lanes that ask for it.
        for (distance, row) in (1..=furthest).zip(rest.chunks_exact_mut(width)) {
            let swapped: [bool; L] = std::array::from_fn(|lane| chosen[lane] == distance as f64);
            for (upper, lower) in pivot_row.iter_mut().zip(&mut row[below - distance..][..=reach]) {
                exchange(swapped, upper, lower);
            }
            let (upper, lower) = b.split_at_mut(k + distance);
            exchange(swapped, &mut upper[k], &mut lower[0]);
        }
        let reciprocal: LaneNumber<L> = each(|lane| 1.0 / pivot_row[0][lane]);
        pivot_row[0] = reciprocal;
        let value = b[k];
        for (distance, row) in (1..=last - k).zip(rest.chunks_exact_mut(width)) {
            let row = &mut row[below - distance..][..=reach];
            let multiplier: LaneNumber<L> = each(|lane| row[0][lane] * reciprocal[lane]);
            for (entry, pivot_entry) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                *entry = each(|lane| entry[lane] - multiplier[lane] * pivot_entry[lane]);
            }
            let open = b[k + distance];
            b[k + distance] = each(|lane| open[lane] - multiplier[lane] * value[lane]);
        }
    }
    let none: f64 = std::iter::empty::<f64>().sum();
    for i in (0..n).rev() {
        let row = &band[i * width + below..(i + 1) * width];
        let mut sum = [none; L];
        for (entry, x) in row[1..].iter().zip(&b[i + 1..]) {
            sum = each(|lane| sum[lane] + entry[lane] * x[lane]);
        }
        b[i] = each(|lane| (b[i][lane] - sum[lane]) * row[0][lane]);
    }
    b.iter_mut().zip(columns).for_each(|(b, scale)| *b = each(|lane| b[lane] * scale[lane]));
    true
}

/// Exchanges two numbers in some lanes.
#[inline(always)]
fn exchange<const L: usize>(swapped: [bool; L], upper: &mut LaneNumber<L>, lower: &mut LaneNumber<L>) {
    let (a, b) = (*upper, *lower);
    *upper = each(|lane| if swapped[lane] { b[lane] } else { a[lane] });
    *lower = each(|lane| if swapped[lane] { a[lane] } else { b[lane] });
}

#[inline(always)]
fn equilibrate<const L: usize>(
    shape: BandShape,
    band: &mut [LaneNumber<L>],
    rows: &mut [LaneNumber<L>],
    columns: &mut [LaneNumber<L>],
) {
    let n = rows.len();
    columns.fill([0.0; L]);
    for (i, (row, scale)) in band.chunks_exact_mut(shape.width()).zip(rows).enumerate() {
        let (inside, first) = shape.inside(i, n);
        let row = &mut row[first..][..inside.len()];
        let mut largest = [0.0; L];
        row.iter().for_each(|entry| largest = each(|lane| max(largest[lane], entry[lane].abs())));
        *scale = each(|lane| inverse_power_of_two(largest[lane]));
        for (entry, column) in row.iter_mut().zip(&mut columns[inside]) {
            *entry = each(|lane| entry[lane] * scale[lane]);
            *column = each(|lane| max(column[lane], entry[lane].abs()));
        }
    }
    columns.iter_mut().for_each(|column| *column = each(|lane| inverse_power_of_two(column[lane])));
    for (i, row) in band.chunks_exact_mut(shape.width()).take(n).enumerate() {
        let (inside, first) = shape.inside(i, n);
        for (entry, scale) in row[first..].iter_mut().zip(&columns[inside]) {
            *entry = each(|lane| entry[lane] * scale[lane]);
        }
    }
}

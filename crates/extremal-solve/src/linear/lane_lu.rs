//! The elimination of [`DenseLu`](super::DenseLu) for several systems side by side: the same operations in the same order, one lane
//! for each.

use super::equilibrate::{inverse_power_of_two, max};

/// The numbers of all lanes.
pub(super) type LaneNumber<const L: usize> = [f64; L];

/// Solves systems of which there are for each entry of the matrix `a`, row by row, and of the right-hand side `b` the numbers of all
/// lanes. Where a lane is singular, or two of them need different pivots, it gives up, and `b` is anything.
#[inline(always)]
pub(super) fn solve<const L: usize>(n: usize, a: &mut [f64], scales: &mut [f64], b: &mut [f64]) -> bool {
    let (a, scales) = (&mut a.as_chunks_mut::<L>().0[..n * n], &mut scales.as_chunks_mut::<L>().0[..2 * n]);
    let b = &mut b.as_chunks_mut::<L>().0[..n];
    let (rows, columns) = scales.split_at_mut(n);
    equilibrate(n, a, rows, columns);
    b.iter_mut().zip(&*rows).for_each(|(b, scale)| *b = each(|lane| b[lane] * scale[lane]));
    for k in 0..n {
        let Some(rows) = pivot_rows((k..n).map(|i| &a[i * n + k]), n) else { return false };
        if !(0..L).fold(true, |same, lane| same & (rows[lane] == rows[0])) {
            return false;
        }
        let row = k + rows[0] as usize;
        if row != k {
            let (top, below) = a.split_at_mut(row * n);
            top[k * n..][..n].swap_with_slice(&mut below[..n]);
            b.swap(k, row);
        }
        let (top, below) = a.split_at_mut((k + 1) * n);
        let pivot_row = &mut top[k * n..];
        let reciprocal: LaneNumber<L> = each(|lane| 1.0 / pivot_row[k][lane]);
        pivot_row[k] = reciprocal;
        for row in below.chunks_exact_mut(n) {
            let multiplier: LaneNumber<L> = each(|lane| row[k][lane] * reciprocal[lane]);
            row[k] = multiplier;
            for (entry, pivot_entry) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                *entry = each(|lane| entry[lane] - multiplier[lane] * pivot_entry[lane]);
            }
        }
    }
    for i in 1..n {
        let sum = dot(&a[i * n..][..i], &b[..i]);
        b[i] = each(|lane| b[i][lane] - sum[lane]);
    }
    for i in (0..n).rev() {
        let row = &a[i * n..][..n];
        let sum = dot(&row[i + 1..], &b[i + 1..]);
        b[i] = each(|lane| (b[i][lane] - sum[lane]) * row[i][lane]);
    }
    b.iter_mut().zip(columns).for_each(|(b, scale)| *b = each(|lane| b[lane] * scale[lane]));
    true
}

#[inline(always)]
pub(super) fn each<const L: usize>(value: impl Fn(usize) -> f64) -> LaneNumber<L> {
    std::array::from_fn(value)
}

#[inline(always)]
fn equilibrate<const L: usize>(
    n: usize,
    a: &mut [LaneNumber<L>],
    rows: &mut [LaneNumber<L>],
    columns: &mut [LaneNumber<L>],
) {
    columns.fill([0.0; L]);
    for (row, scale) in a.chunks_exact_mut(n).zip(rows) {
        let mut largest = [0.0; L];
        row.iter().for_each(|entry| largest = each(|lane| max(largest[lane], entry[lane].abs())));
        *scale = each(|lane| inverse_power_of_two(largest[lane]));
        for (entry, column) in row.iter_mut().zip(columns.iter_mut()) {
            *entry = each(|lane| scale[lane] * entry[lane]);
            *column = each(|lane| max(column[lane], entry[lane].abs()));
        }
    }
    columns.iter_mut().for_each(|column| *column = each(|lane| inverse_power_of_two(column[lane])));
    for row in a.chunks_exact_mut(n) {
        row.iter_mut().zip(&*columns).for_each(|(entry, scale)| *entry = each(|lane| entry[lane] * scale[lane]));
    }
}

/// The rows of the pivots among the entries of a column: the first of the largest in each lane; a pivot that is no more than the round-off
/// of so many terms is none.
#[inline(always)]
pub(super) fn pivot_rows<'a, const L: usize>(
    mut column: impl Iterator<Item = &'a LaneNumber<L>>,
    terms: usize,
) -> Option<LaneNumber<L>> {
    let first = column.next()?;
    let mut largest: LaneNumber<L> = each(|lane| first[lane].abs());
    let mut rows = [0.0; L];
    for (i, entry) in (1..).zip(column) {
        let better: [bool; L] = std::array::from_fn(|lane| entry[lane].abs() > largest[lane]);
        rows = each(|lane| if better[lane] { i as f64 } else { rows[lane] });
        largest = each(|lane| if better[lane] { entry[lane].abs() } else { largest[lane] });
    }
    let usable = |pivot: f64| (pivot > terms as f64 * f64::EPSILON) & (pivot < f64::INFINITY);
    (0..L).fold(true, |all, lane| all & usable(largest[lane])).then_some(rows)
}

/// The scalar product, summed in eight strands as it is for one system.
#[inline(always)]
fn dot<const L: usize>(a: &[LaneNumber<L>], b: &[LaneNumber<L>]) -> LaneNumber<L> {
    let none: f64 = std::iter::empty::<f64>().sum();
    let (a_strands, a_rest) = a.as_chunks::<8>();
    let (b_strands, b_rest) = b.as_chunks::<8>();
    let mut sum = [none; L];
    if a_strands.is_empty() {
        // Eight strands of nothing.
        sum = each(|lane| sum[lane] + 0.0);
    } else {
        let mut strands = [[0.0; L]; 8];
        for (x, y) in a_strands.iter().zip(b_strands) {
            for s in 0..8 {
                strands[s] = each(|lane| strands[s][lane] + x[s][lane] * y[s][lane]);
            }
        }
        strands.iter().for_each(|strand| sum = each(|lane| sum[lane] + strand[lane]));
    }
    let mut rest = [none; L];
    for (x, y) in a_rest.iter().zip(b_rest) {
        rest = each(|lane| rest[lane] + x[lane] * y[lane]);
    }
    each(|lane| sum[lane] + rest[lane])
}

//! The loops of the banded factorisation for the narrowest bands, whose lengths the compiler knows.
//!
//! They do what those of [`BandedLu`](super::banded::BandedLu) do, operation by operation; a chain is tridiagonal, and several times
//! faster so. Below the band and beside it there are zeros, so that its ends need no loops of their own.

use super::equilibrate::{Scales, inverse_power_of_two, max};
use super::{PivotRange, Singular};

/// A band with so many entries below the diagonal and as many above; `WIDTH` is `3 * BELOW + 1`.
pub(super) struct Narrow<const BELOW: usize, const WIDTH: usize>;

impl<const BELOW: usize, const WIDTH: usize> Narrow<BELOW, WIDTH> {
    /// Scales rows and columns. `columns` has room for `WIDTH` more than there are.
    pub fn equilibrate(band: &mut [f64], scales: &mut Scales, columns: &mut [f64]) {
        let n = scales.rows.len();
        let rows = &mut band.as_chunks_mut::<WIDTH>().0[..n];
        columns.fill(0.0);
        for (i, (row, scale)) in rows.iter_mut().zip(&mut scales.rows).enumerate() {
            *scale = inverse_power_of_two(row.iter().fold(0.0, |largest, entry| max(largest, entry.abs())));
            if let Some(columns) = columns[i..].first_chunk_mut::<WIDTH>() {
                for at in 0..WIDTH {
                    row[at] *= *scale;
                    columns[at] = max(columns[at], row[at].abs());
                }
            }
        }
        columns.iter_mut().for_each(|column| *column = inverse_power_of_two(*column));
        scales.columns.copy_from_slice(&columns[BELOW..][..n]);
        for (i, row) in rows.iter_mut().enumerate() {
            if let Some(columns) = columns[i..].first_chunk::<WIDTH>() {
                for at in 0..WIDTH {
                    row[at] *= columns[at];
                }
            }
        }
    }

    /// Factors the band in place.
    pub fn eliminate(band: &mut [f64], swaps: &mut [usize]) -> Result<PivotRange, Singular> {
        let rows = band.as_chunks_mut::<WIDTH>().0;
        let mut pivots = PivotRange::default();
        for (k, swap) in swaps.iter_mut().enumerate() {
            let Some(([pivot], rest)) = rows[k..].split_first_chunk_mut::<1>() else { break };
            let Some(rest) = rest.first_chunk_mut::<BELOW>() else { break };
            let (mut row, mut largest) = (0, pivot[BELOW].abs());
            for at in 0..BELOW {
                let candidate = rest[at][BELOW - 1 - at].abs();
                if candidate > largest {
                    (row, largest) = (at + 1, candidate);
                }
            }
            pivots.admit(largest, BELOW + 1, k)?;
            *swap = k + row;
            if row > 0 {
                let other = &mut rest[row - 1];
                for at in 0..=2 * BELOW {
                    std::mem::swap(&mut pivot[BELOW + at], &mut other[BELOW - row + at]);
                }
            }
            let reciprocal = 1.0 / pivot[BELOW];
            pivot[BELOW] = reciprocal;
            for (at, other) in rest.iter_mut().enumerate() {
                let first = BELOW - 1 - at;
                let multiplier = other[first] * reciprocal;
                other[first] = multiplier;
                for right in 1..=2 * BELOW {
                    other[first + right] -= multiplier * pivot[BELOW + right];
                }
            }
        }
        Ok(pivots)
    }

    /// Replaces a right-hand side by the solution.
    pub fn substitute(band: &[f64], swaps: &[usize], b: &mut [f64]) {
        let n = b.len();
        let rows = band.as_chunks::<WIDTH>().0;
        // What the next rows are so far, which is not to wait for memory.
        let mut open = [0.0; WIDTH];
        open.iter_mut().zip(&*b).take(BELOW).for_each(|(open, b)| *open = *b);
        for k in 0..n {
            open[BELOW] = b.get(k + BELOW).copied().unwrap_or(0.0);
            for at in 1..=BELOW {
                if swaps[k] == k + at {
                    open.swap(0, at);
                }
            }
            let value = open[0];
            b[k] = value;
            for at in 1..=BELOW {
                open[at - 1] = open[at] - rows[k + at][BELOW - at] * value;
            }
        }
        let mut known = [0.0; WIDTH];
        for (row, entry) in rows[..n].iter().zip(b).rev() {
            let mut sum = row[BELOW + 1] * known[0];
            for right in 2..=2 * BELOW {
                sum += row[BELOW + right] * known[right - 1];
            }
            *entry = (*entry - sum) * row[BELOW];
            known.copy_within(..2 * BELOW - 1, 1);
            known[0] = *entry;
        }
    }
}

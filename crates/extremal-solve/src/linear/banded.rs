//! LU factorisation of a matrix whose entries lie near the diagonal, possibly after renumbering: chains, rings, narrow
//! lattices.

use super::equilibrate::Scales;
use super::ordering::{EliminationOrder, inverse};
use super::pattern::Pattern;
use super::{PivotRange, Singular};

/// A banded LU factorisation with row pivoting; the band widens by as much below the diagonal as rows may be exchanged.
#[derive(Debug, Clone)]
pub(super) struct BandedLu {
    pattern: Pattern,
    /// Original index of each equation and unknown in the band's numbering; `None` if unchanged.
    order: Option<EliminationOrder>,
    /// Entries left and right of the diagonal.
    below: usize,
    above: usize,
    /// Stored entries of a row: `below + 1 + above`, and `below` more that pivoting can fill.
    width: usize,
    /// Entry (i, j) is at `i * width + j - i + below`. After `factor`: multipliers, reciprocal pivots, upper factor.
    band: Vec<f64>,
    /// Where in `band` each value of the pattern goes.
    places: Vec<usize>,
    swaps: Vec<usize>,
    scales: Scales,
    scaled: Vec<f64>,
    work: Vec<f64>,
    pivots: PivotRange,
}

impl BandedLu {
    pub(super) fn new(pattern: Pattern, order: EliminationOrder) -> Self {
        let n = pattern.size();
        let place = inverse(&order);
        let renumbered = || pattern.places().map(|(i, j)| (place[i], place[j]));
        let below = renumbered().map(|(i, j)| i.saturating_sub(j)).max().unwrap_or(0);
        let above = renumbered().map(|(i, j)| j.saturating_sub(i)).max().unwrap_or(0);
        let width = 2 * below + 1 + above;
        let places = renumbered().map(|(i, j)| i * width + j + below - i).collect();
        let unchanged = order.iter().enumerate().all(|(new, &old)| new == old);
        Self {
            order: (!unchanged).then_some(order),
            below,
            above,
            width,
            band: vec![0.0; n * width],
            places,
            swaps: vec![0; n],
            scales: Scales::new(n),
            scaled: vec![0.0; pattern.entries()],
            work: vec![0.0; n],
            pivots: PivotRange::default(),
            pattern,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.pattern.size()
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.pattern.equilibrate(values, &mut self.scales, &mut self.scaled)?;
        self.band.fill(0.0);
        for (&place, value) in self.places.iter().zip(&self.scaled) {
            self.band[place] += value;
        }
        self.pivots = self.eliminate()?;
        Ok(())
    }

    fn eliminate(&mut self) -> Result<PivotRange, Singular> {
        let (n, below, width) = (self.pattern.size(), self.below, self.width);
        let mut pivots = PivotRange::default();
        // How far right of the diagonal the pivot row reaches: beyond `above` only where rows were exchanged.
        let mut reach_end = 0;
        for k in 0..n {
            let last = (k + below).min(n - 1);
            let mut row = k;
            let mut largest = self.band[k * width + below].abs();
            for i in k + 1..=last {
                let candidate = self.band[i * width + k + below - i].abs();
                if candidate > largest {
                    (row, largest) = (i, candidate);
                }
            }
            if let Err(Singular { column }) = pivots.admit(largest, below + 1, k) {
                return Err(Singular { column: self.order.as_ref().map_or(column, |order| order[column]) });
            }
            self.swaps[k] = row;
            reach_end = reach_end.max((row + self.above).min(n - 1));
            let reach = reach_end - k;
            let (top, rest) = self.band.split_at_mut((k + 1) * width);
            let pivot_row = &mut top[k * width + below..][..=reach];
            if row != k {
                pivot_row.swap_with_slice(&mut rest[(row - k - 1) * width + k + below - row..][..=reach]);
            }
            let reciprocal = 1.0 / pivot_row[0];
            pivot_row[0] = reciprocal;
            for (distance, row) in (1..=last - k).zip(rest.chunks_exact_mut(width)) {
                let row = &mut row[below - distance..][..=reach];
                let multiplier = row[0] * reciprocal;
                row[0] = multiplier;
                for (entry, pivot_entry) in row[1..].iter_mut().zip(&pivot_row[1..]) {
                    *entry -= multiplier * pivot_entry;
                }
            }
        }
        Ok(pivots)
    }

    pub(super) fn solve(&mut self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size(), "as many right-hand sides as equations");
        self.scales.scale_rows(b.len(), b);
        if let Some(order) = &self.order {
            for (new, &old) in self.work.iter_mut().zip(order) {
                *new = b[old];
            }
            substitute(&self.band, self.below, self.width, &self.swaps, &mut self.work);
            for (new, &old) in self.work.iter().zip(order) {
                b[old] = *new;
            }
        } else {
            substitute(&self.band, self.below, self.width, &self.swaps, b);
        }
        self.scales.scale_columns(b.len(), b);
    }

    pub(super) fn pivot_ratio(&self) -> f64 {
        self.pivots.ratio()
    }
}

fn substitute(band: &[f64], below: usize, width: usize, swaps: &[usize], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        b.swap(k, swaps[k]);
        let value = b[k];
        for (i, entry) in (k + 1..n.min(k + below + 1)).zip(&mut b[k + 1..]) {
            *entry -= band[i * width + k + below - i] * value;
        }
    }
    for i in (0..n).rev() {
        let (row, known) = (&band[i * width + below..(i + 1) * width], &b[i + 1..]);
        let sum: f64 = row[1..].iter().zip(known).map(|(entry, x)| entry * x).sum();
        b[i] = (b[i] - sum) * row[0];
    }
}

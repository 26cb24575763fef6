//! LU factorisation of a matrix whose entries lie near the diagonal, possibly after renumbering: chains, rings, narrow
//! lattices.

use super::equilibrate::{Scales, inverse_power_of_two, max};
use super::lane_band::BandShape;
use super::lanes::LaneMatrix;
use super::narrow::Narrow;
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
    /// Entry (i, j) is at `i * width + j - i + below`; `below` rows of zeros follow. After `factor`: multipliers, reciprocal pivots, upper factor.
    band: Vec<f64>,
    /// Where in `band` each value of the pattern goes.
    places: Vec<usize>,
    swaps: Vec<usize>,
    scales: Scales,
    work: Vec<f64>,
    columns: Vec<f64>,
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
            band: vec![0.0; (n + below) * width],
            columns: vec![0.0; n + width],
            places,
            swaps: vec![0; n],
            scales: Scales::new(n),
            work: vec![0.0; n],
            pivots: PivotRange::default(),
            pattern,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.pattern.size()
    }

    /// The band as systems side by side store it.
    pub(super) fn lane_matrix(&self) -> LaneMatrix {
        LaneMatrix {
            band: Some(BandShape { below: self.below, above: self.above }),
            places: self.places.clone(),
            size: self.size() * self.width,
            order: self.order.clone(),
        }
    }

    pub(super) fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        let pivots = match (self.below, self.above) {
            (1, 1) => self.factor_narrow::<1, 4>(values),
            (2, 2) => self.factor_narrow::<2, 7>(values),
            _ => self.scatter(values).and_then(|()| {
                equilibrate(&mut self.band, (self.below, self.above), &mut self.scales);
                self.eliminate()
            }),
        };
        let original = |column| self.order.as_ref().map_or(column, |order| order[column]);
        self.pivots = pivots.map_err(|Singular { column }| Singular { column: original(column) })?;
        Ok(())
    }

    fn factor_narrow<const BELOW: usize, const WIDTH: usize>(
        &mut self,
        values: &[f64],
    ) -> Result<PivotRange, Singular> {
        self.scatter(values)?;
        Narrow::<BELOW, WIDTH>::equilibrate(&mut self.band, &mut self.scales, &mut self.columns);
        Narrow::<BELOW, WIDTH>::eliminate(&mut self.band, &mut self.swaps)
    }

    /// Puts the values into the band; refuses those that are not finite, which could stay unnoticed above the diagonal.
    fn scatter(&mut self, values: &[f64]) -> Result<(), Singular> {
        assert_eq!(values.len(), self.places.len(), "one value per entry of the pattern");
        self.band.fill(0.0);
        let mut finite = true;
        for (&place, value) in self.places.iter().zip(values) {
            self.band[place] += value;
            finite &= value.is_finite();
        }
        if !finite {
            let bad = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
            let (row, right) = (self.places[bad] / self.width, self.places[bad] % self.width);
            return Err(Singular { column: row + right - self.below });
        }
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
            pivots.admit(largest, below + 1, k)?;
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
        let Some(order) = &self.order else {
            return solve_in_order(&self.band, (self.below, self.above), &self.swaps, &self.scales, b);
        };
        for (new, &old) in self.work.iter_mut().zip(order) {
            *new = b[old];
        }
        solve_in_order(&self.band, (self.below, self.above), &self.swaps, &self.scales, &mut self.work);
        for (new, &old) in self.work.iter().zip(order) {
            b[old] = *new;
        }
    }

    pub(super) fn pivot_ratio(&self) -> f64 {
        self.pivots.ratio()
    }
}

/// Scales rows and columns of the band.
#[inline(always)]
fn equilibrate(band: &mut [f64], (below, above): (usize, usize), scales: &mut Scales) {
    let n = scales.rows.len();
    let width = 2 * below + 1 + above;
    scales.columns.fill(0.0);
    for (i, (row, scale)) in band.chunks_exact_mut(width).zip(&mut scales.rows).enumerate() {
        let first = i.saturating_sub(below);
        let inside = &mut row[first + below - i..][..(i + above + 1).min(n) - first];
        *scale = inverse_power_of_two(inside.iter().fold(0.0, |largest, entry| max(largest, entry.abs())));
        for (column, entry) in scales.columns[first..].iter_mut().zip(inside) {
            *entry *= *scale;
            *column = max(*column, entry.abs());
        }
    }
    scales.columns.iter_mut().for_each(|column| *column = inverse_power_of_two(*column));
    for (i, row) in band.chunks_exact_mut(width).enumerate() {
        let first = i.saturating_sub(below);
        let inside = &mut row[first + below - i..][..(i + above + 1).min(n) - first];
        for (entry, scale) in inside.iter_mut().zip(&scales.columns[first..]) {
            *entry *= scale;
        }
    }
}

/// Solves for a right-hand side in the order of the band.
fn solve_in_order(band: &[f64], (below, above): (usize, usize), swaps: &[usize], scales: &Scales, b: &mut [f64]) {
    scales.scale_rows(b.len(), b);
    match (below, above) {
        (1, 1) => Narrow::<1, 4>::substitute(band, swaps, b),
        (2, 2) => Narrow::<2, 7>::substitute(band, swaps, b),
        _ => substitute(band, below, 2 * below + 1 + above, swaps, b),
    }
    scales.scale_columns(b.len(), b);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::ordering::{Adjacency, narrow_band};
    use crate::linear::testing::SeededNumbers;

    /// The loops for narrow bands against those for any band, bit for bit, with rows that are exchanged and renumbered.
    #[test]
    fn narrow_bands_are_solved_as_any_other() {
        let mut random = SeededNumbers::new(12);
        let chain = |n: usize, reach: usize| -> Vec<Vec<usize>> {
            (0..n).map(|i| (i.saturating_sub(reach)..(i + reach + 1).min(n)).collect()).collect()
        };
        let shuffled = (0..101).map(|i| vec![(i + 37) % 101, i, (i + 64) % 101]).collect();
        for (rows, reach) in [(chain(2, 1), 1), (chain(40, 1), 1), (chain(3, 2), 2), (chain(40, 2), 2), (shuffled, 2)] {
            let pattern = Pattern::new(rows.len(), &rows);
            let order = narrow_band(&Adjacency::of(&pattern)).0;
            let (values, b) = (random.vector(pattern.entries()), random.vector(rows.len()));
            let mut narrow = BandedLu::new(pattern, order);
            assert_eq!((narrow.below, narrow.above), (reach, reach));
            let mut x = b.clone();
            narrow.factor(&values).unwrap();
            narrow.solve(&mut x);
            let mut wide = narrow.clone();
            wide.scatter(&values).unwrap();
            equilibrate(&mut wide.band, (reach, reach), &mut wide.scales);
            wide.eliminate().unwrap();
            assert!(wide.swaps.iter().enumerate().any(|(at, swap)| at != *swap) && wide.swaps == narrow.swaps);
            let order = wide.order.clone().unwrap_or_else(|| (0..b.len()).collect());
            let mut y: Vec<f64> = order.iter().map(|&old| b[old]).collect();
            wide.scales.scale_rows(b.len(), &mut y);
            substitute(&wide.band, reach, wide.width, &wide.swaps, &mut y);
            wide.scales.scale_columns(b.len(), &mut y);
            assert!(order.iter().zip(&y).all(|(old, y)| x[*old] == *y), "{x:?} {y:?}");
        }
    }
}

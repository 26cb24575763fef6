//! How far each row of a matrix is from the span of the others, and how fast that changes: the pivots of A Aᵀ and their rates.
//!
//! In the factorisation A Aᵀ = L D Lᵀ the pivot of a row is the square of its distance from the span of the rows eliminated before
//! it. Rates of the entries are carried along, as dual numbers, through the same operations (up-looking, Davis 2005).

use std::ops::{Mul, Sub};

use super::ordering::{Adjacency, inverse, minimum_degree};
use super::pattern::Pattern;

/// A number and its rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Moving {
    pub value: f64,
    pub rate: f64,
}

impl Sub for Moving {
    type Output = Moving;

    #[inline]
    fn sub(self, other: Moving) -> Moving {
        Moving { value: self.value - other.value, rate: self.rate - other.rate }
    }
}

impl Mul for Moving {
    type Output = Moving;

    #[inline]
    fn mul(self, other: Moving) -> Moving {
        Moving { value: self.value * other.value, rate: self.rate * other.value + self.value * other.rate }
    }
}

impl Moving {
    /// Zero where the divisor is: a row that depends on others is then left out of the span.
    #[inline]
    fn over(self, divisor: Moving) -> Moving {
        if divisor.value == 0.0 {
            return Moving::default();
        }
        let value = self.value / divisor.value;
        Moving { value, rate: (self.rate - value * divisor.rate) / divisor.value }
    }
}

const NONE: usize = usize::MAX;

/// A pivot that is no more than this part of the square of its row is round-off of the subtractions that led to it.
const ROUND_OFF: f64 = 1e-14;

/// The factorisation of A Aᵀ for matrices of one pattern.
#[derive(Debug, Clone, Default)]
pub(crate) struct MovingGram {
    /// Columns of each row, in order, with the places of their values.
    rows: Vec<Vec<(usize, usize)>>,
    /// Which row is eliminated at each place.
    order: Vec<usize>,
    /// Of each place, the earlier places whose rows share a column with it.
    earlier: Vec<Vec<usize>>,
    parent: Vec<usize>,
    /// The lower factor by columns.
    lower: Vec<Vec<(usize, Moving)>>,
    pivots: Vec<Moving>,
    /// Squares of the rows.
    squares: Vec<Moving>,
    row: Vec<Moving>,
    flag: Vec<usize>,
    reach: Vec<usize>,
}

impl MovingGram {
    /// For matrices with these columns in their rows; values come row by row, in the order of the columns.
    pub fn new(pattern: &[Vec<usize>]) -> Self {
        let count = pattern.len();
        if count == 0 {
            return MovingGram::default();
        }
        let mut place = 0..;
        let mut rows: Vec<Vec<(usize, usize)>> =
            pattern.iter().map(|row| row.iter().map(|column| (*column, place.next().unwrap_or(0))).collect()).collect();
        rows.iter_mut().for_each(|row| row.sort_unstable());
        let mut sharing: Vec<Vec<usize>> = vec![Vec::new(); pattern.iter().flatten().max().map_or(0, |most| most + 1)];
        for (row, columns) in pattern.iter().enumerate() {
            columns.iter().for_each(|column| sharing[*column].push(row));
        }
        let neighbours = |row: usize| {
            let mut all: Vec<usize> = pattern[row].iter().flat_map(|column| sharing[*column].iter().copied()).collect();
            all.push(row);
            all.sort_unstable();
            all.dedup();
            all
        };
        let shared: Vec<Vec<usize>> = (0..count).map(neighbours).collect();
        let (order, _) = minimum_degree(&Adjacency::of(&Pattern::new(count, &shared)));
        let places = inverse(&order);
        let earlier: Vec<Vec<usize>> = (0..count)
            .map(|at| shared[order[at]].iter().map(|row| places[*row]).filter(|other| *other < at).collect())
            .collect();
        let mut gram = MovingGram {
            parent: vec![NONE; count],
            lower: vec![Vec::new(); count],
            pivots: vec![Moving::default(); count],
            squares: vec![Moving::default(); count],
            row: vec![Moving::default(); count],
            flag: vec![NONE; count],
            reach: Vec::with_capacity(count),
            rows,
            order,
            earlier,
        };
        gram.analyse();
        gram
    }

    /// The elimination tree, and room for the columns of the factor.
    fn analyse(&mut self) {
        let mut counts = vec![0; self.order.len()];
        for k in 0..self.order.len() {
            self.flag[k] = k;
            for &start in &self.earlier[k] {
                let mut i = start;
                while self.flag[i] != k {
                    if self.parent[i] == NONE {
                        self.parent[i] = k;
                    }
                    counts[i] += 1;
                    self.flag[i] = k;
                    i = self.parent[i];
                }
            }
        }
        self.lower = counts.into_iter().map(Vec::with_capacity).collect();
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Factors for these values and their rates.
    pub fn factor(&mut self, values: &[f64], rates: &[f64]) {
        self.lower.iter_mut().for_each(Vec::clear);
        self.flag.fill(NONE);
        for k in 0..self.order.len() {
            let row = self.order[k];
            let square = self.product(row, row, values, rates);
            self.squares[row] = square;
            self.flag[k] = k;
            self.reach.clear();
            for at in 0..self.earlier[k].len() {
                let start = self.earlier[k][at];
                self.row[start] = self.product(row, self.order[start], values, rates);
                let mut i = start;
                while self.flag[i] != k {
                    self.reach.push(i);
                    self.flag[i] = k;
                    i = self.parent[i];
                }
            }
            // Any order in which no row comes before one that it depends on.
            self.reach.sort_unstable();
            let mut pivot = square;
            for &i in &self.reach {
                let entry = std::mem::take(&mut self.row[i]);
                for (j, factor) in &self.lower[i] {
                    self.row[*j] = self.row[*j] - *factor * entry;
                }
                let factor = entry.over(self.pivots[i]);
                pivot = pivot - factor * entry;
                self.lower[i].push((k, factor));
            }
            // What round-off leaves of a dependent row has no direction.
            let dependent = pivot.value <= ROUND_OFF * square.value;
            self.pivots[k] = if dependent { Moving::default() } else { pivot };
        }
    }

    fn product(&self, first: usize, second: usize, values: &[f64], rates: &[f64]) -> Moving {
        let (a, b) = (&self.rows[first], &self.rows[second]);
        let (mut i, mut j) = (0, 0);
        let mut sum = Moving::default();
        while i < a.len() && j < b.len() {
            let ((column, p), (other, q)) = (a[i], b[j]);
            if column == other {
                sum.value += values[p] * values[q];
                sum.rate += rates[p] * values[q] + values[p] * rates[q];
            }
            i += usize::from(column <= other);
            j += usize::from(other <= column);
        }
        sum
    }

    /// Of each row, in their own order: the square of its distance from those eliminated before it (zero when it is in their span), and
    /// the square of its length.
    pub fn distances(&self) -> impl Iterator<Item = (usize, Moving, f64)> + '_ {
        self.order.iter().zip(&self.pivots).map(|(row, pivot)| (*row, *pivot, self.squares[*row].value))
    }

    /// The other rows that take part in the combination by which `row` comes closest to the span of those before it.
    pub fn partners(&self, row: usize, least: f64) -> Vec<usize> {
        let Some(last) = self.order.iter().position(|other| *other == row) else { return Vec::new() };
        // Row `last` of the inverse of L, by going back through the factor.
        let mut weights = vec![0.0; last + 1];
        weights[last] = 1.0;
        for i in (0..last).rev() {
            let taken = self.lower[i].iter().filter(|(k, _)| *k <= last);
            weights[i] = -taken.map(|(k, factor)| factor.value * weights[*k]).sum::<f64>();
        }
        let size = |at: usize| weights[at].abs() * self.squares[self.order[at]].value.sqrt();
        let whole = (0..=last).map(size).fold(0.0, f64::max);
        let mut rows: Vec<usize> = (0..last).filter(|at| size(*at) > least * whole).map(|at| self.order[at]).collect();
        rows.sort_unstable();
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows in four columns that turn with time, against Gram and Schmidt at two times.
    #[test]
    fn pivots_are_squared_distances_and_their_rates() {
        let rows = |t: f64| [vec![t.cos(), 2.0, t], vec![1.0 + t, t.sin()], vec![t * t, 1.0, -1.0, 0.5]];
        let rates = |t: f64| [vec![-t.sin(), 0.0, 1.0], vec![1.0, t.cos()], vec![2.0 * t, 0.0, 0.0, 0.0]];
        let pattern = [vec![0, 1, 3], vec![1, 2], vec![0, 1, 2, 3]];
        let mut gram = MovingGram::new(&pattern);
        let mut distances = |t: f64| -> Vec<(usize, Moving)> {
            gram.factor(&rows(t).concat(), &rates(t).concat());
            gram.distances().map(|(row, pivot, _)| (row, pivot)).collect()
        };
        let (t, h) = (0.7, 1e-5);
        let (before, now, after) = (distances(t - h), distances(t), distances(t + h));
        // Distances by Gram and Schmidt in the same order.
        let mut basis: Vec<[f64; 4]> = Vec::new();
        for (k, (row, pivot)) in now.iter().enumerate() {
            let mut rest = [0.0; 4];
            pattern[*row].iter().zip(&rows(t)[*row]).for_each(|(column, value)| rest[*column] = *value);
            for vector in &basis {
                let along: f64 = rest.iter().zip(vector).map(|(a, b)| a * b).sum();
                rest.iter_mut().zip(vector).for_each(|(a, b)| *a -= along * b);
            }
            let square: f64 = rest.iter().map(|x| x * x).sum();
            assert!((pivot.value - square).abs() < 1e-13, "{pivot:?} {square}");
            // Central differences are good to h².
            let slope = (after[k].1.value - before[k].1.value) / (2.0 * h);
            assert!((pivot.rate - slope).abs() < 1e-8, "{pivot:?} {slope}");
            basis.push(rest.map(|x| x / square.sqrt()));
        }
    }

    #[test]
    fn a_dependent_row_has_no_distance_and_names_its_partners() {
        let pattern = [vec![0, 1], vec![2, 3], vec![1, 2], vec![0, 1, 2]];
        let mut gram = MovingGram::new(&pattern);
        // The last row is the first and twice the third.
        gram.factor(&[1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 3.0, -2.0], &[0.0; 9]);
        let zero: Vec<usize> =
            gram.distances().filter(|(_, pivot, _)| pivot.value == 0.0).map(|(row, ..)| row).collect();
        assert_eq!(zero.len(), 1);
        let mut involved = gram.partners(zero[0], 1e-6);
        involved.extend(&zero);
        involved.sort_unstable();
        assert_eq!(involved, [0, 2, 3]);
    }
}

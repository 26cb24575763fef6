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
    /// The rows in the order of their elimination.
    eliminated: Vec<EliminatedRow>,
    /// The lower factor by columns: where each begins, the rows of its entries, and the entries.
    start: Vec<usize>,
    lower_rows: Vec<usize>,
    lower: Vec<Moving>,
    /// How many entries of each column are known.
    known: Vec<usize>,
    pivots: Vec<Moving>,
    /// Squares of the rows.
    squares: Vec<Moving>,
    row: Vec<Moving>,
}

/// What is known of a row before its values are.
#[derive(Debug, Clone)]
struct EliminatedRow {
    row: usize,
    /// The places of values whose products make its square.
    square: ValuePairs,
    /// The rows eliminated before it that it shares a column with, and the products with them.
    shared: Vec<(usize, ValuePairs)>,
    /// The entries of its row of the lower factor, in an order in which none comes before one that it depends on.
    reach: Vec<usize>,
}

/// Places of pairs of values.
type ValuePairs = Box<[(usize, usize)]>;

impl MovingGram {
    /// For matrices with these columns in their rows; values come row by row, in the order of the columns.
    pub fn new(pattern: &[Vec<usize>]) -> Self {
        let count = pattern.len();
        if count == 0 {
            return MovingGram::default();
        }
        let mut place = 0..;
        // Columns of each row, in order, with the places of their values.
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
        let eliminated = order.iter().enumerate().map(|(at, &row)| {
            let earlier = shared[row].iter().map(|other| places[*other]).filter(|other| *other < at);
            EliminatedRow {
                row,
                square: products(&rows[row], &rows[row]),
                shared: earlier.map(|other| (other, products(&rows[row], &rows[order[other]]))).collect(),
                reach: Vec::new(),
            }
        });
        let mut gram = MovingGram {
            eliminated: eliminated.collect(),
            known: vec![0; count],
            pivots: vec![Moving::default(); count],
            squares: vec![Moving::default(); count],
            row: vec![Moving::default(); count],
            ..MovingGram::default()
        };
        gram.analyse();
        gram
    }

    /// Finds which entries the factor has, along the elimination tree.
    fn analyse(&mut self) {
        let count = self.eliminated.len();
        let (mut parent, mut flag) = (vec![NONE; count], vec![NONE; count]);
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (k, row) in self.eliminated.iter_mut().enumerate() {
            flag[k] = k;
            for &(start, _) in &row.shared {
                let mut i = start;
                while flag[i] != k {
                    if parent[i] == NONE {
                        parent[i] = k;
                    }
                    row.reach.push(i);
                    flag[i] = k;
                    i = parent[i];
                }
            }
            row.reach.sort_unstable();
            row.reach.iter().for_each(|i| columns[*i].push(k));
        }
        self.start.reserve(count);
        for column in &columns {
            self.start.push(self.lower_rows.len());
            self.lower_rows.extend(column);
        }
        self.lower = vec![Moving::default(); self.lower_rows.len()];
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.eliminated.len()
    }

    /// Factors for these values and their rates.
    pub fn factor(&mut self, values: &[f64], rates: &[f64]) {
        self.known.fill(0);
        for (k, EliminatedRow { row, square, shared, reach }) in self.eliminated.iter().enumerate() {
            let square = sum(square, values, rates);
            self.squares[*row] = square;
            for (other, products) in shared {
                self.row[*other] = sum(products, values, rates);
            }
            let mut pivot = square;
            for &i in reach {
                let entry = std::mem::take(&mut self.row[i]);
                let (start, known) = (self.start[i], self.known[i]);
                for (j, factor) in self.lower_rows[start..][..known].iter().zip(&self.lower[start..]) {
                    self.row[*j] = self.row[*j] - *factor * entry;
                }
                let factor = entry.over(self.pivots[i]);
                pivot = pivot - factor * entry;
                self.lower[start + known] = factor;
                self.known[i] += 1;
            }
            // What round-off leaves of a dependent row has no direction.
            let dependent = pivot.value <= ROUND_OFF * square.value;
            self.pivots[k] = if dependent { Moving::default() } else { pivot };
        }
    }

    /// Of each row, in their own order: the square of its distance from those eliminated before it (zero when it is in their span), and
    /// the square of its length.
    pub fn distances(&self) -> impl Iterator<Item = (usize, Moving, f64)> + '_ {
        self.eliminated.iter().zip(&self.pivots).map(|(at, pivot)| (at.row, *pivot, self.squares[at.row].value))
    }

    /// The other rows that take part in the combination by which `row` comes closest to the span of those before it.
    pub fn partners(&self, row: usize, least: f64) -> Vec<usize> {
        let Some(last) = self.eliminated.iter().position(|other| other.row == row) else { return Vec::new() };
        // Row `last` of the inverse of L, by going back through the factor.
        let mut weights = vec![0.0; last + 1];
        weights[last] = 1.0;
        for i in (0..last).rev() {
            let column = self.start[i]..self.start.get(i + 1).copied().unwrap_or(self.lower.len());
            let entries = self.lower_rows[column.clone()].iter().zip(&self.lower[column]);
            let taken = entries.filter(|(k, _)| **k <= last);
            weights[i] = -taken.map(|(k, factor)| factor.value * weights[*k]).sum::<f64>();
        }
        let size = |at: usize| weights[at].abs() * self.squares[self.eliminated[at].row].value.sqrt();
        let whole = (0..=last).map(size).fold(0.0, f64::max);
        let taking_part = (0..last).filter(|at| size(*at) > least * whole);
        let mut rows: Vec<usize> = taking_part.map(|at| self.eliminated[at].row).collect();
        rows.sort_unstable();
        rows
    }
}

/// The places of the values that meet in the same columns of two rows.
fn products(a: &[(usize, usize)], b: &[(usize, usize)]) -> ValuePairs {
    let (mut i, mut j) = (0, 0);
    let mut pairs = Vec::new();
    while i < a.len() && j < b.len() {
        let ((column, p), (other, q)) = (a[i], b[j]);
        if column == other {
            pairs.push((p, q));
        }
        i += usize::from(column <= other);
        j += usize::from(other <= column);
    }
    pairs.into()
}

#[inline]
fn sum(products: &[(usize, usize)], values: &[f64], rates: &[f64]) -> Moving {
    let mut sum = Moving::default();
    for &(p, q) in products {
        sum.value += values[p] * values[q];
        sum.rate += rates[p] * values[q] + values[p] * rates[q];
    }
    sum
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

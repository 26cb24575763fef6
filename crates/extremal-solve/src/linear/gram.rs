//! How far each row of a matrix is from the span of the others, and how fast that changes: the pivots of A Aᵀ and their rates.
//!
//! In the factorisation A Aᵀ = L D Lᵀ the pivot of a row is the square of its distance from the span of the rows eliminated before
//! it. Rates of the entries are carried along, as dual numbers, through the same operations (up-looking, Davis 2005).

use std::ops::{Mul, Sub};
use std::sync::Arc;

use super::ordering::{Adjacency, inverse, minimum_degree};
use super::pattern::Pattern;

/// A number and its rate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Moving {
    pub value: f64,
    pub rate: f64,
}

/// The same at several times, side by side.
#[derive(Debug, Clone, Copy)]
struct LaneMoving<const L: usize> {
    value: [f64; L],
    rate: [f64; L],
}

impl<const L: usize> Sub for LaneMoving<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        LaneMoving {
            value: each(|lane| self.value[lane] - other.value[lane]),
            rate: each(|lane| self.rate[lane] - other.rate[lane]),
        }
    }
}

impl<const L: usize> Mul for LaneMoving<L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        LaneMoving {
            value: each(|lane| self.value[lane] * other.value[lane]),
            rate: each(|lane| self.rate[lane] * other.value[lane] + self.value[lane] * other.rate[lane]),
        }
    }
}

impl<const L: usize> LaneMoving<L> {
    const ZERO: Self = LaneMoving { value: [0.0; L], rate: [0.0; L] };

    /// Zero where the divisor is: a row that depends on others is then left out of the span.
    #[inline(always)]
    fn over(self, divisor: Self) -> Self {
        let value: [f64; L] = each(|lane| self.value[lane] / divisor.value[lane]);
        let rate = each(|lane| (self.rate[lane] - value[lane] * divisor.rate[lane]) / divisor.value[lane]);
        LaneMoving { value, rate }.unless(|lane| divisor.value[lane] == 0.0)
    }

    /// Zero in these lanes.
    #[inline(always)]
    fn unless(self, zero: impl Fn(usize) -> bool) -> Self {
        LaneMoving {
            value: each(|lane| if zero(lane) { 0.0 } else { self.value[lane] }),
            rate: each(|lane| if zero(lane) { 0.0 } else { self.rate[lane] }),
        }
    }
}

const NONE: usize = usize::MAX;

/// A pivot that is no more than this part of the square of its row is round-off of the subtractions that led to it.
const ROUND_OFF: f64 = 1e-14;

/// The factorisation of A Aᵀ for matrices of one pattern, of so many at once.
#[derive(Debug, Clone)]
pub(crate) struct MovingGram<const L: usize = 1> {
    plan: Arc<GramPlan>,
    lower: Vec<LaneMoving<L>>,
    /// How many entries of each column are known.
    known: Vec<usize>,
    pivots: Vec<LaneMoving<L>>,
    /// Squares of the rows.
    squares: Vec<LaneMoving<L>>,
    row: Vec<LaneMoving<L>>,
}

/// What of it does not depend on the values.
#[derive(Debug, Default)]
struct GramPlan {
    /// The rows in the order of their elimination.
    eliminated: Vec<EliminatedRow>,
    /// The lower factor by columns: where each begins, and the rows of its entries.
    start: Vec<usize>,
    lower_rows: Vec<usize>,
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

impl Default for MovingGram {
    fn default() -> Self {
        MovingGram::new(&[])
    }
}

impl GramPlan {
    fn new(pattern: &[Vec<usize>]) -> GramPlan {
        let count = pattern.len();
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
        let mut plan = GramPlan { eliminated: eliminated.collect(), ..GramPlan::default() };
        plan.analyse();
        plan
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
    }
}

impl MovingGram {
    /// For matrices with these columns in their rows; values come row by row, in the order of the columns.
    pub fn new(pattern: &[Vec<usize>]) -> Self {
        MovingGram::of(Arc::new(if pattern.is_empty() { GramPlan::default() } else { GramPlan::new(pattern) }))
    }

    /// The same for several matrices at once.
    pub fn in_lanes<const L: usize>(&self) -> MovingGram<L> {
        MovingGram::of(self.plan.clone())
    }

    /// The rows in the order of their elimination.
    pub fn order(&self) -> Vec<usize> {
        self.plan.eliminated.iter().map(|row| row.row).collect()
    }

    /// Of each row, in their own order: the square of its distance from those eliminated before it (zero when it is in their span), and
    /// the square of its length.
    pub fn distances(&self) -> impl Iterator<Item = (usize, Moving, f64)> + '_ {
        let scalar = |LaneMoving { value: [value], rate: [rate] }: LaneMoving<1>| Moving { value, rate };
        self.lane_distances().map(move |row| (row.row, scalar(row.distance), row.square[0]))
    }
    /// The other rows that take part in the combination by which `row` comes closest to the span of those before it.
    pub fn partners(&self, row: usize, least: f64) -> Vec<usize> {
        let GramPlan { eliminated, start, lower_rows } = &*self.plan;
        let Some(last) = eliminated.iter().position(|other| other.row == row) else { return Vec::new() };
        // Row `last` of the inverse of L, by going back through the factor.
        let mut weights = vec![0.0; last + 1];
        weights[last] = 1.0;
        for i in (0..last).rev() {
            let column = start[i]..start.get(i + 1).copied().unwrap_or(self.lower.len());
            let entries = lower_rows[column.clone()].iter().zip(&self.lower[column]);
            let taken = entries.filter(|(k, _)| **k <= last);
            weights[i] = -taken.map(|(k, factor)| factor.value[0] * weights[*k]).sum::<f64>();
        }
        let size = |at: usize| weights[at].abs() * self.squares[eliminated[at].row].value[0].sqrt();
        let whole = (0..=last).map(size).fold(0.0, f64::max);
        let taking_part = (0..last).filter(|at| size(*at) > least * whole);
        let mut rows: Vec<usize> = taking_part.map(|at| eliminated[at].row).collect();
        rows.sort_unstable();
        rows
    }
}

/// A row at several times.
pub(crate) struct RowDistances<const L: usize> {
    pub row: usize,
    distance: LaneMoving<L>,
    /// The square of its length.
    pub square: [f64; L],
}

impl<const L: usize> RowDistances<L> {
    /// The square of its distance from the rows eliminated before it.
    pub fn value(&self) -> [f64; L] {
        self.distance.value
    }

    /// The rate of that.
    pub fn rate(&self) -> [f64; L] {
        self.distance.rate
    }
}

impl<const L: usize> MovingGram<L> {
    fn of(plan: Arc<GramPlan>) -> Self {
        let zeros = || vec![LaneMoving::ZERO; plan.eliminated.len()];
        MovingGram {
            lower: vec![LaneMoving::ZERO; plan.lower_rows.len()],
            known: vec![0; plan.eliminated.len()],
            pivots: zeros(),
            squares: zeros(),
            row: zeros(),
            plan,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.plan.eliminated.len()
    }

    /// Factors for values and their rates, by their places.
    #[inline(always)]
    pub fn factor(&mut self, values: impl Fn(usize) -> [f64; L], rates: impl Fn(usize) -> [f64; L]) {
        self.known.fill(0);
        let GramPlan { eliminated, start, lower_rows } = &*self.plan;
        for (k, EliminatedRow { row, square, shared, reach }) in eliminated.iter().enumerate() {
            let square = sum(square, &values, &rates);
            self.squares[*row] = square;
            for (other, products) in shared {
                self.row[*other] = sum(products, &values, &rates);
            }
            let mut pivot = square;
            for &i in reach {
                let entry = std::mem::replace(&mut self.row[i], LaneMoving::ZERO);
                let (start, known) = (start[i], self.known[i]);
                for (j, factor) in lower_rows[start..][..known].iter().zip(&self.lower[start..]) {
                    self.row[*j] = self.row[*j] - *factor * entry;
                }
                let factor = entry.over(self.pivots[i]);
                pivot = pivot - factor * entry;
                self.lower[start + known] = factor;
                self.known[i] += 1;
            }
            // What round-off leaves of a dependent row has no direction.
            self.pivots[k] = pivot.unless(|lane| pivot.value[lane] <= ROUND_OFF * square.value[lane]);
        }
    }

    /// Of each row, in their own order, what [`distances`](MovingGram::distances) says.
    #[inline(always)]
    pub fn lane_distances(&self) -> impl Iterator<Item = RowDistances<L>> + '_ {
        let rows = self.plan.eliminated.iter().zip(&self.pivots);
        rows.map(|(at, pivot)| RowDistances { row: at.row, distance: *pivot, square: self.squares[at.row].value })
    }
}

#[inline(always)]
fn each<const L: usize>(value: impl Fn(usize) -> f64) -> [f64; L] {
    std::array::from_fn(value)
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

#[inline(always)]
fn sum<const L: usize>(
    products: &[(usize, usize)],
    values: &impl Fn(usize) -> [f64; L],
    rates: &impl Fn(usize) -> [f64; L],
) -> LaneMoving<L> {
    let mut sum = LaneMoving::ZERO;
    for &(p, q) in products {
        let product = LaneMoving { value: values(p), rate: rates(p) } * LaneMoving { value: values(q), rate: rates(q) };
        sum.value = each(|lane| sum.value[lane] + product.value[lane]);
        sum.rate = each(|lane| sum.rate[lane] + product.rate[lane]);
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
            let (rows, rates) = (rows(t).concat(), rates(t).concat());
            gram.factor(|at| [rows[at]], |at| [rates[at]]);
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
        let values = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 3.0, -2.0];
        gram.factor(|at| [values[at]], |_| [0.0]);
        let zero: Vec<usize> =
            gram.distances().filter(|(_, pivot, _)| pivot.value == 0.0).map(|(row, ..)| row).collect();
        assert_eq!(zero.len(), 1);
        let mut involved = gram.partners(zero[0], 1e-6);
        involved.extend(&zero);
        involved.sort_unstable();
        assert_eq!(involved, [0, 2, 3]);
    }
}

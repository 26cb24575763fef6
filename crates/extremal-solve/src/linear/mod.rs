//! Linear systems, factored again and again with the same pattern.
//!
//! [`LinearSolver`] chooses the factorisation from the pattern; [`DenseLu`] is there for those who know that theirs is
//! full. A factorisation depends on the matrix alone, bit for bit: not on the machine's vector width, not on what was
//! factored before.

mod banded;
mod dense;
mod equilibrate;
mod gram;
mod lane_band;
mod lane_lu;
mod lanes;
mod narrow;
mod ordering;
mod pattern;
mod small;
mod solver;
mod sparse;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use dense::DenseLu;
pub(crate) use gram::{Moving, MovingGram};
pub use lanes::LaneSolver;
pub(crate) use ordering::{Adjacency, inverse, minimum_degree};
pub(crate) use small::{LEAST_RATIO, USABLE as SMALL_USABLE};
pub use solver::{Factorisation, LinearSolver};

/// A matrix that has no usable pivot in one of its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is singular to working precision at column {column}")]
pub struct Singular {
    /// Column of the matrix (counted from zero), that is, an unknown that the equations leave undetermined.
    pub column: usize,
}

/// Smallest and largest pivot of an equilibrated matrix.
#[derive(Debug, Clone, Copy)]
struct PivotRange {
    smallest: f64,
    largest: f64,
}

impl Default for PivotRange {
    fn default() -> Self {
        Self { smallest: f64::INFINITY, largest: 0.0 }
    }
}

impl PivotRange {
    /// Takes in the magnitude of the next pivot, unless rounding in as many terms of size one can account for all of
    /// it.
    #[inline(always)]
    fn admit(&mut self, pivot: f64, terms: usize, column: usize) -> Result<(), Singular> {
        // A pivot that is not a number fails the comparison too.
        if !(pivot > terms as f64 * f64::EPSILON && pivot < f64::INFINITY) {
            return Err(Singular { column });
        }
        self.smallest = if pivot < self.smallest { pivot } else { self.smallest };
        self.largest = equilibrate::max(self.largest, pivot);
        Ok(())
    }

    /// One for an empty system, which nothing can go wrong in.
    fn ratio(self) -> f64 {
        if self.largest == 0.0 { 1.0 } else { self.smallest / self.largest }
    }
}

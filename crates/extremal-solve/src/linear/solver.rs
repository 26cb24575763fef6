//! The choice of a factorisation for a pattern.

use super::Singular;
use super::banded::BandedLu;
use super::dense::DenseLu;
use super::lanes::LaneMatrix;
use super::ordering::{Adjacency, minimum_degree, narrow_band};
use super::pattern::Pattern;
use super::sparse::SparseLu;

/// Time of one multiplication relative to that of the dense loops, measured: short loops and indirect places cost more.
const BANDED_COST: usize = 2;
const BANDED_COST_PER_ROW: usize = 20;
const SPARSE_COST: usize = 8;
/// Half a bandwidth below which nothing can beat the band.
const NARROW: usize = 4;
/// Up to this size the unrolled dense code wins whatever the pattern.
const ALWAYS_DENSE: usize = 4;

/// How the systems of a [`LinearSolver`] are factored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factorisation {
    /// Every unknown has its own equation.
    Diagonal,
    /// All entries are stored.
    Dense,
    /// All entries near the diagonal are stored, perhaps after renumbering.
    Banded,
    /// Only entries that can be nonzero are stored.
    Sparse,
}

/// Solves linear systems whose matrices share a pattern, by the factorisation that suits it.
///
/// Memory is set aside when it is made; factoring and solving allocate nothing, except where the general sparse
/// factorisation meets a matrix that needs other pivots than the one before.
///
/// ```
/// use extremal_solve::{Factorisation, LinearSolver};
///
/// // -1 2 -1 along a chain of a thousand, with the row order of the values that of the pattern.
/// let n = 1000;
/// let pattern: Vec<Vec<usize>> = (0..n).map(|i: usize| (i.saturating_sub(1)..(i + 2).min(n)).collect()).collect();
/// let entry = |i, j| if i == j { 2.0 } else { -1.0 };
/// let values: Vec<f64> = (0..n).flat_map(|i| pattern[i].iter().map(move |&j| entry(i, j))).collect();
/// let mut solver = LinearSolver::for_pattern(n, &pattern);
/// assert_eq!(solver.factorisation(), Factorisation::Banded);
/// solver.factor(&values)?;
/// let mut x = vec![0.0; n];
/// x[0] = 1.0;
/// solver.solve(&mut x);
/// assert!((x[n - 1] - 1.0 / 1001.0).abs() < 1e-12);
/// # Ok::<(), extremal_solve::Singular>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearSolver(Factors);

#[derive(Debug, Clone)]
enum Factors {
    Diagonal(Vec<f64>),
    Dense(DenseFromPattern),
    Banded(Box<BandedLu>),
    Sparse(Box<SparseLu>),
}

/// A dense factorisation fed with the entries of a pattern.
#[derive(Debug, Clone)]
struct DenseFromPattern {
    lu: DenseLu,
    /// Where each value goes in `matrix`; empty if the values are the matrix already.
    places: Vec<usize>,
    matrix: Vec<f64>,
}

impl LinearSolver {
    /// A solver for `n` equations, `rows[i]` being the columns of the entries of row `i`.
    ///
    /// # Panics
    /// If there are not `n` rows or a column is not below `n`.
    pub fn for_pattern(n: usize, rows: &[Vec<usize>]) -> Self {
        Self(Factors::for_pattern(Pattern::new(n, rows)))
    }

    /// Which factorisation was chosen.
    pub fn factorisation(&self) -> Factorisation {
        match &self.0 {
            Factors::Diagonal(_) => Factorisation::Diagonal,
            Factors::Dense(_) => Factorisation::Dense,
            Factors::Banded(_) => Factorisation::Banded,
            Factors::Sparse(_) => Factorisation::Sparse,
        }
    }

    /// Number of equations.
    pub fn size(&self) -> usize {
        match &self.0 {
            Factors::Diagonal(diagonal) => diagonal.len(),
            Factors::Dense(dense) => dense.lu.size(),
            Factors::Banded(banded) => banded.size(),
            Factors::Sparse(sparse) => sparse.size(),
        }
    }

    /// Factors the matrix with these values, given row by row in the order of the pattern; values in the same place add
    /// up.
    ///
    /// # Errors
    /// [`Singular`] with a column that has no usable pivot, also when a value is not finite.
    ///
    /// # Panics
    /// If there are not as many values as entries in the pattern.
    #[inline]
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        match &mut self.0 {
            Factors::Diagonal(diagonal) => factor_diagonal(diagonal, values),
            Factors::Dense(dense) => dense.factor(values),
            Factors::Banded(banded) => banded.factor(values),
            Factors::Sparse(sparse) => sparse.factor(values),
        }
    }

    /// Replaces the right-hand side `b` by the solution, with the matrix last factored.
    ///
    /// # Panics
    /// If `b` does not have as many entries as there are equations.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        match &mut self.0 {
            Factors::Diagonal(diagonal) => {
                assert_eq!(b.len(), diagonal.len(), "as many right-hand sides as equations");
                for (x, entry) in b.iter_mut().zip(diagonal) {
                    *x /= *entry;
                }
            }
            Factors::Dense(dense) => dense.lu.solve(b),
            Factors::Banded(banded) => banded.solve(b),
            Factors::Sparse(sparse) => sparse.solve(b),
        }
    }

    /// The matrix as systems side by side store it, if they can be solved together.
    pub(super) fn lane_matrix(&self) -> Option<LaneMatrix> {
        match &self.0 {
            Factors::Dense(DenseFromPattern { lu, places, .. }) => {
                Some(LaneMatrix { band: None, places: places.clone(), size: lu.size() * lu.size(), order: None })
            }
            Factors::Banded(banded) => Some(banded.lane_matrix()),
            Factors::Diagonal(_) | Factors::Sparse(_) => None,
        }
    }

    /// A cheap sign of ill-conditioning, from one (good) down to about [`f64::EPSILON`]; see [`DenseLu::pivot_ratio`].
    pub fn pivot_ratio(&self) -> f64 {
        match &self.0 {
            // Equations that share no unknown are as good as one.
            Factors::Diagonal(_) => 1.0,
            Factors::Dense(dense) => dense.lu.pivot_ratio(),
            Factors::Banded(banded) => banded.pivot_ratio(),
            Factors::Sparse(sparse) => sparse.pivot_ratio(),
        }
    }
}

impl Factors {
    fn for_pattern(pattern: Pattern) -> Self {
        let n = pattern.size();
        if pattern.entries() == n && pattern.places().enumerate().all(|(k, place)| place == (k, k)) {
            return Self::Diagonal(vec![1.0; n]);
        }
        // For a pattern that fills half of the matrix no order is worth looking for.
        if n <= ALWAYS_DENSE || pattern.entries() > n * n / 2 {
            return Self::Dense(DenseFromPattern::new(&pattern));
        }
        let adjacency = Adjacency::of(&pattern);
        let (band_order, width) = narrow_band(&adjacency);
        let dense = n.saturating_pow(3) / 3;
        let banded = n.saturating_mul(BANDED_COST * width * (2 * width + 1) + BANDED_COST_PER_ROW);
        if banded < dense && width <= NARROW {
            return Self::Banded(Box::new(BandedLu::new(pattern, band_order)));
        }
        let (sparse_order, multiplications) = minimum_degree(&adjacency);
        let sparse = SPARSE_COST * (multiplications + pattern.entries());
        if dense <= banded.min(sparse) {
            Self::Dense(DenseFromPattern::new(&pattern))
        } else if banded <= sparse {
            Self::Banded(Box::new(BandedLu::new(pattern, band_order)))
        } else {
            Self::Sparse(Box::new(SparseLu::new(pattern, sparse_order)))
        }
    }
}

impl DenseFromPattern {
    fn new(pattern: &Pattern) -> Self {
        let n = pattern.size();
        let mut places: Vec<usize> = pattern.places().map(|(i, j)| i * n + j).collect();
        let mut matrix = vec![0.0; n * n];
        if places.len() == n * n && places.iter().enumerate().all(|(value, &place)| value == place) {
            places = Vec::new();
            matrix = Vec::new();
        }
        Self { lu: DenseLu::new(n), places, matrix }
    }

    #[inline]
    fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        if self.matrix.is_empty() {
            return self.lu.factor(values);
        }
        assert_eq!(values.len(), self.places.len(), "one value per entry of the pattern");
        self.matrix.fill(0.0);
        for (&place, value) in self.places.iter().zip(values) {
            self.matrix[place] += value;
        }
        self.lu.factor(&self.matrix)
    }
}

fn factor_diagonal(diagonal: &mut [f64], values: &[f64]) -> Result<(), Singular> {
    assert_eq!(values.len(), diagonal.len(), "one value per entry of the pattern");
    // With nothing to compare it with, an entry is too small only when its reciprocal overflows.
    if let Some(column) = values.iter().position(|value| !value.is_normal()) {
        return Err(Singular { column });
    }
    diagonal.copy_from_slice(values);
    Ok(())
}

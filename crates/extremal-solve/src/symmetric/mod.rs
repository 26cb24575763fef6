//! Symmetric indefinite linear systems that know their inertia: sparse L D Lᵀ with 1×1 and 2×2 pivots.
//!
//! Multifrontal (Duff and Reid 1983): columns are gathered in small dense fronts along the elimination tree; a pivot that would
//! let the factors grow is delayed to the parent front, so that the factorisation is stable for any values and the signs of D
//! are those of the eigenvalues (Sylvester). The numbers of positive and negative pivots are what an optimiser has to know of a
//! saddle-point matrix.

mod analyse;
mod front;

use analyse::Tree;
use front::{Front, FrontContribution, FrontFactor};

/// How many eigenvalues of a symmetric matrix have which sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixInertia {
    /// Positive eigenvalues.
    pub positive: usize,
    /// Negative eigenvalues.
    pub negative: usize,
    /// Eigenvalues that are zero to working precision.
    pub zero: usize,
}

/// A factorisation of symmetric matrices that share a pattern.
///
/// ```
/// use extremal_solve::{MatrixInertia, SymmetricSolver};
/// // [0 1; 1 0]: no pivot on the diagonal, one eigenvalue of each sign.
/// let mut solver = SymmetricSolver::for_pattern(2, &[(1, 0)]);
/// assert_eq!(solver.factor(&[1.0]), Some(MatrixInertia { positive: 1, negative: 1, zero: 0 }));
/// let mut x = [3.0, 5.0];
/// solver.solve(&mut x);
/// assert_eq!(x, [5.0, 3.0]);
/// ```
#[derive(Clone, Debug)]
pub struct SymmetricSolver {
    tree: Tree,
    entries: Vec<(usize, usize)>,
    scaled: Vec<f64>,
    scale: Vec<f64>,
    factors: Vec<FrontFactor>,
    front: Front,
    work: Vec<f64>,
}

impl SymmetricSolver {
    /// A solver for `n` equations; each entry stands for itself and its mirror image, those in the same place add up.
    ///
    /// # Panics
    /// If an index is not below `n`.
    pub fn for_pattern(n: usize, entries: &[(usize, usize)]) -> SymmetricSolver {
        assert!(entries.iter().all(|&(i, j)| i < n && j < n), "indices are counted from zero");
        SymmetricSolver {
            tree: Tree::of(n, entries),
            entries: entries.to_vec(),
            scaled: vec![0.0; entries.len()],
            scale: vec![1.0; n],
            factors: Vec::new(),
            front: Front::new(n),
            work: vec![0.0; n],
        }
    }

    /// The number of equations.
    pub fn size(&self) -> usize {
        self.scale.len()
    }

    /// Numbers in the factor, a measure of the work of a solve.
    pub fn factor_entries(&self) -> usize {
        self.factors.iter().map(FrontFactor::entries).sum()
    }

    /// Factors the matrix with these values, given in the order of the pattern. `None` if one of them is not finite.
    ///
    /// # Panics
    /// If there are not as many values as entries in the pattern.
    pub fn factor(&mut self, values: &[f64]) -> Option<MatrixInertia> {
        assert_eq!(values.len(), self.entries.len(), "one value per entry of the pattern");
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        self.equilibrate(values);
        let mut inertia = MatrixInertia::default();
        let mut contributions: Vec<Option<FrontContribution>> = Vec::new();
        contributions.resize_with(self.tree.nodes.len(), || None);
        self.factors.clear();
        for at in 0..self.tree.nodes.len() {
            let node = &self.tree.nodes[at];
            let children = node.children.iter().filter_map(|child| contributions[*child].take());
            self.front.assemble(node, children, &self.tree.places, &self.scaled);
            let (factor, contribution) = self.front.eliminate(node.parent.is_none(), &mut inertia);
            self.factors.push(factor);
            contributions[at] = contribution;
        }
        Some(inertia)
    }

    /// Replaces the right-hand side `b` by the solution, with the matrix last factored. Along eigenvectors to the eigenvalue
    /// zero nothing is changed.
    ///
    /// # Panics
    /// If `b` does not have as many entries as there are equations.
    pub fn solve(&mut self, b: &mut [f64]) {
        assert_eq!(b.len(), self.size(), "as many right-hand sides as equations");
        for (old, new) in self.tree.place.iter().enumerate() {
            self.work[*new] = b[old] * self.scale[old];
        }
        for factor in &self.factors {
            factor.forward(&mut self.work);
        }
        for factor in self.factors.iter().rev() {
            factor.backward(&mut self.work);
        }
        for (old, new) in self.tree.place.iter().enumerate() {
            b[old] = self.work[*new] * self.scale[old];
        }
    }

    /// Scales rows and columns alike by powers of two towards entries of one; it costs no rounding.
    fn equilibrate(&mut self, values: &[f64]) {
        const ROUNDS: usize = 3;
        self.scale.fill(1.0);
        let mut largest = vec![0.0f64; self.scale.len()];
        for _ in 0..ROUNDS {
            largest.fill(0.0);
            for (value, &(i, j)) in values.iter().zip(&self.entries) {
                let size = (value * self.scale[i] * self.scale[j]).abs();
                largest[i] = largest[i].max(size);
                largest[j] = largest[j].max(size);
            }
            for (scale, largest) in self.scale.iter_mut().zip(&largest) {
                if *largest > 0.0 && largest.is_finite() {
                    *scale *= (-0.5 * largest.log2()).round().exp2();
                }
            }
        }
        for ((scaled, value), &(i, j)) in self.scaled.iter_mut().zip(values).zip(&self.entries) {
            *scaled = value * self.scale[i] * self.scale[j];
        }
    }
}

#[cfg(test)]
mod tests;

//! Systems of one pattern side by side.

use super::arch::Arch;
use super::solver::LinearSolver;
use super::{Factorisation, lane_lu, small};

/// Dense systems up to this size are eliminated side by side: beyond, elimination alone is as fast and needs less memory.
const LARGEST_TOGETHER: usize = 64;

/// Solves several systems of one pattern side by side, each as [`LinearSolver`] would, bit for bit.
#[derive(Clone)]
pub(crate) struct LaneSolver {
    one: LinearSolver,
    /// Dense matrices have all entries in their pattern, row by row.
    dense: bool,
    matrix: Vec<f64>,
    solution: Vec<f64>,
    /// The right-hand sides of all lanes, in case that one of them has to be solved otherwise, the matrices and their scales.
    given: Vec<f64>,
    matrices: Vec<f64>,
    scales: Vec<f64>,
    arch: Arch,
}

impl LaneSolver {
    /// The same as `one` for matrices of so many entries, in so many lanes.
    pub fn of(one: &LinearSolver, entries: usize, lanes: usize) -> LaneSolver {
        let n = one.size();
        let dense = one.factorisation() == Factorisation::Dense && entries == n * n && n <= LARGEST_TOGETHER;
        LaneSolver {
            dense,
            one: one.clone(),
            matrix: vec![0.0; entries],
            solution: vec![0.0; n],
            given: vec![0.0; n * lanes],
            matrices: vec![0.0; if dense && n > small::LARGEST { entries * lanes } else { 0 }],
            scales: vec![0.0; 2 * n * lanes],
            arch: Arch::new(),
        }
    }

    /// Solves the systems of all lanes: for each entry of the pattern, and of the right-hand side `b`, there are the numbers of all
    /// lanes. `false` where one of them is singular.
    pub fn solve(&mut self, lanes: usize, values: &[f64], b: &mut [f64]) -> bool {
        if self.dense {
            self.given.copy_from_slice(b);
            if self.solve_together(lanes, values, b) {
                return true;
            }
            b.copy_from_slice(&self.given);
        }
        (0..lanes).all(|lane| {
            let of_lane = |all: &[f64], own: &mut [f64]| {
                own.iter_mut().enumerate().for_each(|(at, own)| *own = all[at * lanes + lane]);
            };
            of_lane(values, &mut self.matrix);
            of_lane(b, &mut self.solution);
            if self.one.factor(&self.matrix).is_err() {
                return false;
            }
            self.one.solve(&mut self.solution);
            self.solution.iter().enumerate().for_each(|(at, own)| b[at * lanes + lane] = *own);
            true
        })
    }

    fn solve_together(&mut self, lanes: usize, values: &[f64], b: &mut [f64]) -> bool {
        let n = self.solution.len();
        if n <= small::LARGEST {
            return self.arch.dispatch(
                #[inline(always)]
                || small::solve_lanes(n, lanes, values, b),
            );
        }
        self.matrices.copy_from_slice(values);
        let (a, scales) = (&mut self.matrices[..], &mut self.scales[..]);
        self.arch.dispatch(
            #[inline(always)]
            || match lanes {
                4 => lane_lu::solve::<4>(n, a, scales, b),
                8 => lane_lu::solve::<8>(n, a, scales, b),
                16 => lane_lu::solve::<16>(n, a, scales, b),
                _ => false,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::SeededNumbers;
    use super::*;

    /// Matrices that are near each other, as those of neighbouring steps are, and such that are not: every lane is what it is alone.
    #[test]
    fn lanes_are_what_each_is_alone() {
        let mut random = SeededNumbers::new(5);
        for (n, lanes) in [1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64].into_iter().flat_map(|n| [(n, 4), (n, 8), (n, 16)]) {
            let pattern: Vec<Vec<usize>> = (0..n).map(|_| (0..n).collect()).collect();
            let mut one = LinearSolver::for_pattern(n, &pattern);
            let mut together = LaneSolver::of(&one, n * n, lanes);
            let common = random.vector(n * n);
            for apart in [0.0, 1e-3, 1.0] {
                let near = |values: &[f64], random: &mut SeededNumbers| -> Vec<f64> {
                    let others = random.vector(values.len() * lanes);
                    values
                        .iter()
                        .zip(others.chunks(lanes))
                        .flat_map(|(v, own)| own.iter().map(move |x| v + apart * x))
                        .collect()
                };
                let (a, right) = (near(&common, &mut random), random.vector(n * lanes));
                let mut found = right.clone();
                assert!(together.solve(lanes, &a, &mut found), "n = {n}");
                for lane in 0..lanes {
                    let of_lane = |all: &[f64]| all.iter().skip(lane).step_by(lanes).copied().collect::<Vec<f64>>();
                    one.factor(&of_lane(&a)).unwrap();
                    let mut expected = of_lane(&right);
                    one.solve(&mut expected);
                    assert_eq!(of_lane(&found), expected, "n = {n}, lane {lane} of {lanes}");
                }
            }
        }
    }

    #[test]
    fn a_singular_lane_is_noticed() {
        for n in [1, 2, 3, 4, 9] {
            let pattern: Vec<Vec<usize>> = (0..n).map(|_| (0..n).collect()).collect();
            let one = LinearSolver::for_pattern(n, &pattern);
            let mut together = LaneSolver::of(&one, n * n, 4);
            let mut a = vec![0.0; n * n * 4];
            for i in 0..n {
                a[(i * n + i) * 4..][..4].fill(1.0);
            }
            assert!(together.solve(4, &a, &mut vec![1.0; n * 4]));
            a[(n * n - 1) * 4 + 2] = 0.0;
            assert!(!together.solve(4, &a, &mut vec![1.0; n * 4]), "n = {n}");
        }
    }
}

//! Systems of one pattern side by side.

use extremal_eval::Arch;

use super::lane_band::{self, BandShape};
use super::solver::LinearSolver;
use super::{lane_lu, small};

/// Dense systems up to this size are eliminated side by side: beyond, elimination alone is as fast and needs less memory.
const LARGEST_TOGETHER: usize = 64;
/// Bands up to this width: beyond, rows exchanged in one lane and not in another are too many.
const WIDEST_TOGETHER: usize = 16;

/// Solves several systems of one pattern side by side, each as [`LinearSolver`] would, bit for bit.
#[derive(Clone)]
pub struct LaneSolver {
    one: LinearSolver,
    together: Option<LaneMatrix>,
    matrix: Vec<f64>,
    solution: Vec<f64>,
    /// The right-hand sides of all lanes, in case that one of them has to be solved otherwise, the matrices and their scales.
    given: Vec<f64>,
    matrices: Vec<f64>,
    scales: Vec<f64>,
    arch: Arch,
}

/// How the matrices of all lanes are stored.
#[derive(Clone)]
pub(super) struct LaneMatrix {
    /// All entries, row by row, or those of a band.
    pub band: Option<BandShape>,
    /// Where each value goes; empty if the values are the matrix already.
    pub places: Vec<usize>,
    /// Numbers in a matrix.
    pub size: usize,
    /// Where each equation and unknown comes from, if not from its own place.
    pub order: Option<Vec<usize>>,
}

impl LaneSolver {
    /// The same as `one` for matrices of so many entries, in so many lanes.
    pub fn of(one: &LinearSolver, entries: usize, lanes: usize) -> LaneSolver {
        let n = one.size();
        let fits = |matrix: &LaneMatrix| match matrix.band {
            None => n <= LARGEST_TOGETHER,
            Some(shape) => shape.width() <= WIDEST_TOGETHER,
        };
        let together = one.lane_matrix().filter(fits);
        LaneSolver {
            one: one.clone(),
            matrix: vec![0.0; entries],
            solution: vec![0.0; n],
            given: vec![0.0; n * lanes],
            matrices: vec![0.0; together.as_ref().map_or(0, |matrix| matrix.size * lanes)],
            together,
            scales: vec![0.0; 2 * n * lanes],
            arch: Arch::new(),
        }
    }

    /// Solves the systems of all lanes: for each entry of the pattern, and of the right-hand side `b`, there are the numbers of all
    /// lanes. `false` where one of them is singular.
    pub fn solve(&mut self, lanes: usize, values: &[f64], b: &mut [f64]) -> bool {
        if self.together.is_some() {
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
        let Some(LaneMatrix { band, places, order, .. }) = &self.together else { return false };
        let n = self.solution.len();
        if places.is_empty() && n <= small::LARGEST {
            return self.arch.dispatch(
                #[inline(always)]
                || small::solve_lanes(n, lanes, values, b),
            );
        }
        if places.is_empty() {
            self.matrices.copy_from_slice(values);
        } else {
            self.matrices.fill(0.0);
        }
        for (value, place) in values.chunks_exact(lanes).zip(places) {
            self.matrices[place * lanes..][..lanes].iter_mut().zip(value).for_each(|(own, value)| *own += value);
        }
        if let Some(order) = order {
            // The right-hand sides were put down before.
            b.chunks_exact_mut(lanes)
                .zip(order)
                .for_each(|(b, old)| b.copy_from_slice(&self.given[old * lanes..][..lanes]));
        }
        let (a, scales) = (&mut self.matrices[..], &mut self.scales[..]);
        let solved = self.arch.dispatch(
            #[inline(always)]
            || match (band, lanes) {
                (None, _) if n <= small::LARGEST => small::solve_lanes(n, lanes, a, b),
                (None, 4) => lane_lu::solve::<4>(n, a, scales, b),
                (None, 8) => lane_lu::solve::<8>(n, a, scales, b),
                (None, 16) => lane_lu::solve::<16>(n, a, scales, b),
                (Some(shape), 4) => lane_band::solve::<4>(*shape, a, scales, b),
                (Some(shape), 8) => lane_band::solve::<8>(*shape, a, scales, b),
                (Some(shape), 16) => lane_band::solve::<16>(*shape, a, scales, b),
                _ => false,
            },
        );
        if let Some(order) = order.as_ref().filter(|_| solved) {
            self.given.copy_from_slice(b);
            let found = self.given.chunks_exact(lanes);
            found.zip(order).for_each(|(x, old)| b[old * lanes..][..lanes].copy_from_slice(x));
        }
        solved
    }
}

#[cfg(test)]
mod tests {
    use super::super::Factorisation;
    use super::super::testing::SeededNumbers;
    use super::*;

    /// Rows that are full, those of chains that reach so far, which are bands, and of chains that are numbered otherwise.
    fn patterns(n: usize) -> Vec<Vec<Vec<usize>>> {
        let chain = |reach: usize| -> Vec<Vec<usize>> {
            (0..n).map(|i| (i.saturating_sub(reach)..(i + reach + 1).min(n)).collect()).collect()
        };
        let shuffled = || (0..n).map(|i| vec![(i + 3) % n, i, (i + n - 3) % n]).collect();
        match n {
            0..=7 => vec![chain(n), chain(1)],
            _ => vec![chain(n), chain(1), chain(2), chain(3), shuffled()],
        }
    }

    /// Matrices that are near each other, as those of neighbouring steps are, and such that are not: every lane is what it is alone.
    #[test]
    fn lanes_are_what_each_is_alone() {
        let mut random = SeededNumbers::new(5);
        let sizes = [1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64];
        for (n, pattern) in sizes.into_iter().flat_map(|n| patterns(n).into_iter().map(move |pattern| (n, pattern))) {
            for (lanes, apart) in [4, 8, 16].into_iter().flat_map(|lanes| [0.0, 1e-3, 1.0].map(|apart| (lanes, apart)))
            {
                let entries: usize = pattern.iter().map(Vec::len).sum();
                let mut one = LinearSolver::for_pattern(n, &pattern);
                let mut together = LaneSolver::of(&one, entries, lanes);
                let common = random.vector(entries);
                let others = random.vector(entries * lanes);
                let near = common.iter().zip(others.chunks(lanes));
                let a: Vec<f64> = near.flat_map(|(v, own)| own.iter().map(move |x| v + apart * x)).collect();
                let right = random.vector(n * lanes);
                let mut found = right.clone();
                assert!(together.solve(lanes, &a, &mut found), "n = {n}");
                for lane in 0..lanes {
                    let of_lane = |all: &[f64]| all.iter().skip(lane).step_by(lanes).copied().collect::<Vec<f64>>();
                    one.factor(&of_lane(&a)).unwrap();
                    let mut expected = of_lane(&right);
                    one.solve(&mut expected);
                    let kind = one.factorisation();
                    assert_eq!(of_lane(&found), expected, "n = {n}, {kind:?}, lane {lane} of {lanes}");
                }
            }
        }
    }

    /// Those of one matrix are solved side by side, so that the comparison is not that of one with itself.
    #[test]
    fn equal_lanes_are_solved_together() {
        let mut random = SeededNumbers::new(6);
        for (n, pattern) in
            [4, 9, 33].into_iter().flat_map(|n| patterns(n).into_iter().map(move |pattern| (n, pattern)))
        {
            let one = LinearSolver::for_pattern(n, &pattern);
            let values: Vec<f64> = pattern.iter().flatten().flat_map(|_| [random.number(); 4]).collect();
            let mut together = LaneSolver::of(&one, values.len() / 4, 4);
            let sparse = one.factorisation() == Factorisation::Sparse;
            assert_eq!(together.solve_together(4, &values, &mut random.vector(4 * n)), !sparse, "n = {n}");
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

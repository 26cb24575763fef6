//! Linear systems with the slopes of equations, where sums that these depend on may be unknowns too.

use crate::linear::{LinearSolver, Singular};

/// Solves with the slopes of n equations by n unknowns. Where the matrix has more rows, those behind are definitions of sums, which
/// have the columns behind and are right whatever the unknowns: then what is solved for is as if the sums were written out.
#[derive(Clone)]
pub(super) struct SlopeSolver {
    solver: LinearSolver,
    unknowns: usize,
    /// Right-hand side and solution with sums.
    whole: Vec<f64>,
    /// Of each sum the unknown that it belongs to.
    owners: Vec<usize>,
    /// How large each sum can be by the unknowns.
    reach: Vec<f64>,
}

impl SlopeSolver {
    pub fn new(unknowns: usize, pattern: &[Vec<usize>]) -> SlopeSolver {
        let owners = unknowns_of_sums(unknowns, pattern);
        // An unknown has a pivot once the sums are eliminated that it moves, and those that its equation has.
        let solver = match owners.is_empty() {
            true => LinearSolver::for_pattern(unknowns, pattern),
            false => {
                let groups: Vec<usize> = (0..unknowns).chain(owners.iter().copied()).collect();
                LinearSolver::by_groups(pattern.len(), pattern, &groups)
            }
        };
        SlopeSolver { solver, unknowns, whole: vec![0.0; pattern.len()], reach: vec![0.0; owners.len()], owners }
    }

    /// The solver, where no sums are unknowns.
    pub fn plain(&self) -> Option<&LinearSolver> {
        self.owners.is_empty().then_some(&self.solver)
    }

    /// How many unknowns there are with sums.
    pub fn size(&self) -> usize {
        self.whole.len()
    }

    /// Factors the matrix with these values.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Singular> {
        self.solver.factor(values).map_err(|Singular { column }| match column.checked_sub(self.unknowns) {
            None => Singular { column },
            Some(sum) => Singular { column: self.owners[sum] },
        })
    }

    /// Replaces the right-hand sides of the equations by the unknowns.
    pub fn solve(&mut self, b: &mut [f64]) {
        if self.owners.is_empty() {
            return self.solver.solve(b);
        }
        let unknowns = self.unknowns;
        b.copy_from_slice(&self.solve_whole(b)[..unknowns]);
    }

    /// The unknowns for these right-hand sides, and by how much sums change with them.
    pub fn solve_whole(&mut self, b: &[f64]) -> &[f64] {
        self.whole[..self.unknowns].copy_from_slice(b);
        self.whole[self.unknowns..].fill(0.0);
        self.solver.solve(&mut self.whole);
        &self.whole
    }

    /// What the largest of the terms of each equation can be, where no unknown is larger than `largest`: calls `found` with each row.
    /// `slopes` are the entries row by row, those of a sum after those of the sums in it.
    pub fn largest_terms(
        &mut self,
        largest: f64,
        slopes: impl Iterator<Item = (usize, usize, f64)> + Clone,
        found: &mut [f64],
    ) {
        let SlopeSolver { unknowns, reach, .. } = self;
        reach.fill(0.0);
        let size = |reach: &[f64], column: usize, slope: f64| {
            slope.abs() * if column < *unknowns { largest } else { reach[column - *unknowns] }
        };
        for (row, column, slope) in slopes.clone().filter(|(row, column, _)| row >= unknowns && column != row) {
            reach[row - *unknowns] += size(reach, column, slope);
        }
        found.fill(0.0);
        for (row, column, slope) in slopes.filter(|(row, ..)| row < unknowns) {
            found[row] = found[row].max(size(reach, column, slope));
        }
    }
}

/// For each sum the unknown that it belongs to: that of an equation that has a pivot by its sums alone, else the last in its definition,
/// else the one whose equation has it, else that of a sum in its definition.
fn unknowns_of_sums(unknowns: usize, pattern: &[Vec<usize>]) -> Vec<usize> {
    let (equations, definitions) = pattern.split_at(unknowns);
    let mut found: Vec<Option<usize>> = vec![None; definitions.len()];
    for (equation, row) in equations.iter().enumerate().filter(|(equation, row)| !row.contains(equation)) {
        row.iter().filter_map(|column| column.checked_sub(unknowns)).for_each(|sum| found[sum] = Some(equation));
    }
    for (sum, row) in definitions.iter().enumerate() {
        found[sum] = found[sum].or(row.iter().copied().filter(|column| *column < unknowns).max());
    }
    for (equation, row) in equations.iter().enumerate() {
        for sum in row.iter().filter_map(|column| column.checked_sub(unknowns)) {
            found[sum] = found[sum].or(Some(equation));
        }
    }
    for (at, row) in definitions.iter().enumerate() {
        let known = row.iter().filter_map(|column| found[column.checked_sub(unknowns)?]).next();
        found[at] = found[at].or(known);
    }
    found.into_iter().map(|unknown| unknown.unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x_k = sum of u up to k, u_k x_k = b: u by the sums of a chain, beside the same with the sums written out.
    #[test]
    fn sums_are_solved_for_as_if_they_were_written_out() {
        let n = 6;
        let weight = |k: usize| 2.0 + k as f64;
        let mut pattern: Vec<Vec<usize>> = (0..n).map(|k| vec![k, n + k]).collect();
        pattern.extend((0..n).map(|k| if k > 0 { vec![k, n + k - 1, n + k] } else { vec![k, n] }));
        let mut values: Vec<f64> = (0..n).flat_map(|k| [weight(k), 1.0]).collect();
        values.extend((0..n).flat_map(|k| if k > 0 { vec![1.0, 1.0, -1.0] } else { vec![1.0, -1.0] }));
        let mut solver = SlopeSolver::new(n, &pattern);
        assert!(solver.plain().is_none() && solver.size() == 2 * n);
        solver.factor(&values).unwrap();
        let solution: Vec<f64> = (0..n).map(|k| 1.0 - k as f64 / 4.0).collect();
        let sum = |k: usize| solution[..=k].iter().sum::<f64>();
        let right: Vec<f64> = (0..n).map(|k| weight(k) * solution[k] + sum(k)).collect();
        let whole = solver.solve_whole(&right).to_vec();
        for k in 0..n {
            // A well-conditioned system of a dozen unknowns of size one.
            assert!((whole[k] - solution[k]).abs() < 1e-14 && (whole[n + k] - sum(k)).abs() < 1e-14, "{whole:?}");
        }
        let mut largest = vec![0.0; n];
        let places =
            pattern.iter().enumerate().flat_map(|(row, columns)| columns.iter().map(move |column| (row, *column)));
        let entries = places.zip(&values).map(|((row, column), value)| (row, column, *value));
        solver.largest_terms(2.0, entries, &mut largest);
        // 2 (k + 1) by the sum, 2 (k + 2) by the unknown itself.
        let expected: Vec<f64> = (0..n).map(|k| 2.0 * weight(k)).collect();
        assert_eq!(largest, expected);
    }

    #[test]
    fn a_sum_that_cannot_be_solved_for_is_told_by_an_unknown() {
        let mut solver = SlopeSolver::new(2, &[vec![0, 2], vec![2], vec![0, 1, 2]]);
        let Err(Singular { column }) = solver.factor(&[1.0, 1.0, 1.0, 0.0, 0.0, -1.0]) else {
            panic!("it is singular")
        };
        assert!(column < 2);
    }
}

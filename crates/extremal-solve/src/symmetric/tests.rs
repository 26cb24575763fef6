use super::*;

/// A generator of repeatable numbers in [−1, 1).
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn residual(n: usize, entries: &[(usize, usize)], values: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut r = b.to_vec();
    for (&(i, j), value) in entries.iter().zip(values) {
        r[i] -= value * x[j];
        if i != j {
            r[j] -= value * x[i];
        }
    }
    assert_eq!(r.len(), n);
    r.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

#[test]
fn random_saddle_matrices_have_the_inertia_of_their_blocks() {
    for seed in 0..60 {
        let mut noise = noise(seed + 1);
        let n = 5 + 7 * seed as usize;
        let m = n / 3;
        let (mut entries, mut values) = (Vec::new(), Vec::new());
        // H positive definite, by dominance; A of full rank, by an identity in it.
        for i in 0..n {
            entries.push((i, i));
            values.push(5.0 + noise());
            if i + 1 < n {
                entries.push((i + 1, i));
                values.push(noise());
            }
        }
        for row in 0..m {
            entries.push((n + row, 3 * row));
            values.push(1.0 + 0.1 * noise());
            entries.push((n + row, (7 * row + 1) % n));
            values.push(1e-3 * noise());
        }
        let mut solver = SymmetricSolver::for_pattern(n + m, &entries);
        let inertia = solver.factor(&values).unwrap();
        assert_eq!(inertia, MatrixInertia { positive: n, negative: m, zero: 0 }, "seed {seed}");
        let b: Vec<f64> = (0..n + m).map(|_| noise()).collect();
        let mut x = b.clone();
        solver.solve(&mut x);
        // Entries and solution of about one; L is bounded by 1/threshold per pivot, in practice by far less.
        assert!(residual(n + m, &entries, &values, &x, &b) < 1e-12, "seed {seed}");
    }
}

#[test]
fn pivots_are_delayed_where_the_diagonal_is_empty() {
    // All diagonals zero: every pivot is 2×2, and along a path of even length each has its partner.
    let n = 400;
    let entries: Vec<_> = (1..n).map(|i| (i, i - 1)).collect();
    let values: Vec<f64> = (1..n).map(|i| if i % 2 == 1 { 1.0 } else { 30.0 }).collect();
    let mut solver = SymmetricSolver::for_pattern(n, &entries);
    assert_eq!(solver.factor(&values), Some(MatrixInertia { positive: n / 2, negative: n / 2, zero: 0 }));
    // The path of odd length is singular.
    let mut solver = SymmetricSolver::for_pattern(n - 1, &entries[..n - 2]);
    assert_eq!(
        solver.factor(&values[..n - 2]),
        Some(MatrixInertia { positive: n / 2 - 1, negative: n / 2 - 1, zero: 1 })
    );
}

#[test]
fn dependent_constraints_are_singular() {
    let entries = [(0, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)];
    let values = [1.0, 1.0, 1.0, 2.0, 2.0, 4.0];
    let mut solver = SymmetricSolver::for_pattern(4, &entries);
    assert_eq!(solver.factor(&values), Some(MatrixInertia { positive: 2, negative: 1, zero: 1 }));
    assert_eq!(solver.factor(&[f64::NAN; 6]), None);
}

#[test]
fn scales_of_the_unknowns_do_not_matter() {
    let entries = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)];
    let values = [2e-12, 1e-3, 3e9, 1e-6, 1e5];
    let mut solver = SymmetricSolver::for_pattern(3, &entries);
    assert_eq!(solver.factor(&values), Some(MatrixInertia { positive: 2, negative: 1, zero: 0 }));
}

#[test]
fn dependent_rows_do_not_fill_the_factor() {
    // A chain whose neighbours are tied together twice: every second tie follows from the first.
    let links = 2000;
    let n = links + 1;
    let size = n + 2 * links;
    let (mut entries, mut values) = (Vec::new(), Vec::new());
    for i in 0..n {
        entries.push((i, i));
        values.push(1.0 + (i as f64).sin() / 2.0);
    }
    for link in 0..links {
        for (tie, factor) in [(0, 1.0), (1, 0.7)] {
            let row = n + 2 * link + tie;
            entries.extend([(row, link), (row, link + 1)]);
            values.extend([factor, -factor]);
        }
    }
    let mut solver = SymmetricSolver::for_pattern(size, &entries);
    let inertia = solver.factor(&values).unwrap();
    assert_eq!(inertia.zero, links);
    assert_eq!(inertia.positive + inertia.negative, size - links);
    // A few neighbours for each column, not all the ties before it.
    assert!(solver.factor_entries() < 60 * size, "{}", solver.factor_entries());
}

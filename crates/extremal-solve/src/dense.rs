//! Linear algebra of small full matrices, by rows.

/// Entries this small beside the largest one are round-off of the elimination.
const NEGLIGIBLE: f64 = 1e-10;

/// `a b` of an `n × m` and an `m × k` matrix.
pub fn product(a: &[f64], b: &[f64], n: usize, m: usize, k: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * k];
    for (row, sums) in a.chunks(m.max(1)).zip(c.chunks_mut(k.max(1))) {
        // Bases and masses of long chains are mostly zeros.
        for (factor, entries) in row.iter().zip(b.chunks(k.max(1))).filter(|(factor, _)| **factor != 0.0) {
            sums.iter_mut().zip(entries).for_each(|(sum, entry)| *sum += factor * entry);
        }
    }
    c
}

/// The `n × n` matrix that leaves every vector as it is.
pub fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|at| if at % (n + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

/// The transposed of an `n × m` matrix.
pub fn transposed(a: &[f64], n: usize, m: usize) -> Vec<f64> {
    (0..n * m).map(|at| a[at % n * m + at / n]).collect()
}

/// Some solution of `a x = b` with `columns` unknowns: those that are not determined are zero, what contradicts is left out.
/// `None` when something is not finite.
pub fn solve_some(a: &[f64], b: &[f64], columns: usize) -> Option<Vec<f64>> {
    if a.iter().chain(b).any(|x| !x.is_finite()) {
        return None;
    }
    let rows = b.len();
    let mut a = a.to_vec();
    let mut b = b.to_vec();
    let size = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    let (mut open_rows, mut open_columns): (Vec<usize>, Vec<usize>) = ((0..rows).collect(), (0..columns).collect());
    let largest_in = |a: &[f64], row: usize, open: &[usize]| {
        let size = |j: &usize| a[row * columns + j].abs();
        open.iter().copied().max_by(|x, y| size(x).total_cmp(&size(y)))
    };
    // Where the largest entry of each row is: only rows that an elimination has changed are looked at again.
    let mut places: Vec<Option<usize>> = (0..rows).map(|row| largest_in(&a, row, &open_columns)).collect();
    loop {
        let candidates = open_rows.iter().filter_map(|i| Some((*i, places[*i]?)));
        let largest = candidates.max_by(|x, y| a[x.0 * columns + x.1].abs().total_cmp(&a[y.0 * columns + y.1].abs()));
        let Some((i, j)) = largest.filter(|(i, j)| a[i * columns + j].abs() > NEGLIGIBLE * size) else { break };
        open_rows.retain(|row| *row != i);
        open_columns.retain(|column| *column != j);
        for row in (0..rows).filter(|row| *row != i) {
            let factor = a[row * columns + j] / a[i * columns + j];
            if factor != 0.0 {
                (0..columns).for_each(|k| a[row * columns + k] -= factor * a[i * columns + k]);
                b[row] -= factor * b[i];
            }
            if factor != 0.0 || places[row] == Some(j) {
                places[row] = largest_in(&a, row, &open_columns);
            }
        }
        pivots.push((i, j));
    }
    let mut x = vec![0.0; columns];
    for (i, j) in pivots {
        x[j] = b[i] / a[i * columns + j];
    }
    Some(x)
}

/// The determinant, by elimination with partial pivoting.
pub fn determinant(a: &[f64], n: usize) -> f64 {
    let mut a = a.to_vec();
    let mut product = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs())).unwrap_or(k);
        if pivot != k {
            (0..n).for_each(|j| a.swap(pivot * n + j, k * n + j));
            product = -product;
        }
        product *= a[k * n + k];
        if a[k * n + k] == 0.0 {
            return 0.0;
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
        }
    }
    product
}

/// An orthonormal basis, by rows, of the vectors of length `n` that all rows of `a` are orthogonal to.
pub fn null_space(a: &[f64], n: usize) -> Vec<f64> {
    if a.is_empty() {
        return identity(n);
    }
    let mut taken: Vec<Vec<f64>> = Vec::new();
    let mut keep = |vector: &[f64]| -> bool {
        let length = norm(vector);
        let mut rest: Vec<f64> = vector.iter().map(|x| x / length.max(f64::MIN_POSITIVE)).collect();
        // Twice: once loses digits when little is left.
        for _ in 0..2 {
            for other in &taken {
                let part: f64 = rest.iter().zip(other).map(|(x, y)| x * y).sum();
                rest.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
            }
        }
        let left = norm(&rest);
        let new = length > 0.0 && left > NEGLIGIBLE.sqrt();
        if new {
            taken.push(rest.iter().map(|x| x / left).collect());
        }
        new
    };
    let rank = a.chunks(n).filter(|row| keep(row)).count();
    identity(n).chunks(n).for_each(|unit| {
        keep(unit);
    });
    taken.split_off(rank).concat()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Is the symmetric part of the matrix positive definite?
pub fn positive_definite(a: &[f64], n: usize) -> bool {
    cholesky(a, n).is_some()
}

/// The lower triangular factor of the symmetric part of a matrix; `None` if that is not positive definite.
pub fn cholesky(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let entry = (a[i * n + j] + a[j * n + i]) / 2.0;
            let rest = entry - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f64>();
            if i != j {
                l[i * n + j] = rest / l[j * n + j];
            } else if rest > NEGLIGIBLE * entry.abs() {
                l[i * n + i] = rest.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(l)
}

/// `l⁻¹ b` for a lower triangular `l` and a matrix with `columns` columns.
pub fn lower_solve(l: &[f64], b: &[f64], n: usize, columns: usize) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..n {
        let (known, rest) = x.split_at_mut(i * columns);
        let row = &mut rest[..columns];
        for (k, factor) in l[i * n..i * n + i].iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            row.iter_mut().zip(&known[k * columns..]).for_each(|(x, known)| *x -= factor * known);
        }
        row.iter_mut().for_each(|x| *x /= l[i * n + i]);
    }
    x
}

/// `l⁻ᵀ b` for a lower triangular `l`.
pub fn upper_solve(l: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in (0..n).rev() {
        x[i] /= l[i * n + i];
        let known = x[i];
        x[..i].iter_mut().zip(&l[i * n..]).for_each(|(x, factor)| *x -= factor * known);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undetermined_and_contradictory_systems_are_solved_as_far_as_possible() {
        assert_eq!(solve_some(&[2.0, 0.0, 0.0, 0.0], &[4.0, 0.0], 2), Some(vec![2.0, 0.0]));
        assert_eq!(solve_some(&[f64::NAN], &[1.0], 1), None);
        let basis = null_space(&[1.0, 1.0, 0.0], 3);
        assert_eq!(basis.len(), 6);
        for row in basis.chunks(3) {
            // A handful of operations on numbers of order one.
            assert!((row[0] + row[1]).abs() < 1e-15 && (norm(row) - 1.0).abs() < 1e-15);
        }
        assert!(positive_definite(&[2.0, 1.0, 1.0, 2.0], 2));
        assert!(!positive_definite(&[1.0, 2.0, 2.0, 1.0], 2));
    }
}

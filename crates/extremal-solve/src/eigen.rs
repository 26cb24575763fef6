//! Eigenvalues and eigenvectors of small full matrices: modes of a linearised motion.

pub use num_complex::Complex64;

/// `a/b`, by `b` divided by its larger part: nothing overflows on the way.
pub fn quotient(a: Complex64, b: Complex64) -> Complex64 {
    let scale = b.re.abs().max(b.im.abs());
    let (re, im) = (b.re / scale, b.im / scale);
    let size = (re * re + im * im) * scale;
    Complex64::new((a.re * re + a.im * im) / size, (a.im * re - a.re * im) / size)
}

/// The square root with a real part that is not negative.
fn square_root(z: Complex64) -> Complex64 {
    let re = ((z.norm() + z.re.abs()) / 2.0).sqrt();
    if re == 0.0 {
        return Complex64::default();
    }
    let im = z.im.abs() / (2.0 * re);
    let (re, im) = if z.re >= 0.0 { (re, im) } else { (im, re) };
    Complex64::new(re, im.copysign(z.im))
}

/// An eigenvalue with a vector of length one.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpair {
    /// The eigenvalue.
    pub value: Complex64,
    /// The vector; its largest entry is real and positive.
    pub vector: Vec<Complex64>,
}

/// QR iterations per eigenvalue before giving up; a handful is the rule.
const MOST_ITERATIONS: usize = 60;

/// The eigenvalues of a real matrix (by rows, `n × n`) with their vectors, conjugates next to each other and ordered by
/// frequency. `None` when an entry is not finite or the iteration does not converge.
///
/// ```
/// use extremal_solve::eigen::eigenpairs;
/// let pairs = eigenpairs(&[0.0, 1.0, -4.0, 0.0], 2).unwrap();
/// assert!((pairs[0].value.im - 2.0).abs() < 1e-14 && pairs[0].value.re.abs() < 1e-14);
/// ```
pub fn eigenpairs(matrix: &[f64], n: usize) -> Option<Vec<Eigenpair>> {
    if matrix.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let (balanced, scales) = balanced(matrix, n);
    let values = eigenvalues(hessenberg(&balanced, n), n)?;
    let size = balanced.iter().fold(0.0f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    let mut pairs: Vec<Eigenpair> = Vec::with_capacity(n);
    for value in paired(values, size) {
        let mut vector = match pairs.last() {
            Some(last) if last.value == value.conj() && value.im < 0.0 => {
                last.vector.iter().map(|x| x.conj()).collect()
            }
            _ => {
                let earlier: Vec<&Eigenpair> =
                    pairs.iter().filter(|p| (p.value - value).norm() < 1e-8 * size).collect();
                let mut vector = inverse_iteration(&balanced, n, value, size, earlier.len());
                vector.iter_mut().zip(&scales).for_each(|(x, s)| *x *= Complex64::from(*s));
                vector
            }
        };
        normalise(&mut vector);
        pairs.push(Eigenpair { value, vector });
    }
    Some(pairs)
}

/// The eigenvalues of a symmetric matrix (by rows, `n × n`), increasing, with orthonormal vectors: reflections to three diagonals,
/// then the implicit QL iteration.
///
/// ```
/// use extremal_solve::eigen::symmetric_eigenpairs;
/// let pairs = symmetric_eigenpairs(&[2.0, 1.0, 1.0, 2.0], 2);
/// assert!((pairs[0].0 - 1.0).abs() < 1e-15 && (pairs[1].0 - 3.0).abs() < 1e-15);
/// ```
pub fn symmetric_eigenpairs(matrix: &[f64], n: usize) -> Vec<(f64, Vec<f64>)> {
    let (mut diagonal, mut beside, mut vectors) = tridiagonal(matrix, n);
    for start in 0..n {
        let mut iterations = 0;
        while let Some(end) = coupled_until(&diagonal, &beside, start) {
            if iterations == MOST_ITERATIONS {
                break;
            }
            iterations += 1;
            implicit_step(&mut diagonal, &mut beside, &mut vectors, start, end);
        }
    }
    let mut pairs: Vec<(f64, Vec<f64>)> = diagonal.into_iter().zip(vectors).collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    pairs
}

/// T = Q A Qᵀ by reflections: the diagonal of T, the entries beside it (the last is zero), and the rows of Q.
fn tridiagonal(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<Vec<f64>>) {
    let mut a: Vec<Vec<f64>> = matrix.chunks(n.max(1)).map(<[f64]>::to_vec).collect();
    let mut q: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    let mut beside = vec![0.0; n];
    let mut image = vec![0.0; n];
    for k in 0..n.saturating_sub(1) {
        let mut u = a[k].clone();
        u[..=k].fill(0.0);
        let length = u.iter().fold(0.0f64, |length, x| length.hypot(*x));
        if u[k + 2..].iter().all(|x| *x == 0.0) {
            beside[k] = u[k + 1];
            continue;
        }
        // I − 2 u uᵀ with |u| = 1 makes the row (…, a_kk, ∓|row|, 0, …).
        beside[k] = -length.copysign(u[k + 1]);
        u[k + 1] -= beside[k];
        let norm = u.iter().fold(0.0f64, |length, x| length.hypot(*x));
        u.iter_mut().for_each(|x| *x /= norm);
        for (image, row) in image.iter_mut().zip(&a) {
            *image = dot(row, &u);
        }
        let half = dot(&image, &u);
        image.iter_mut().zip(&u).for_each(|(w, u)| *w = 2.0 * (*w - half * u));
        for (i, row) in a.iter_mut().enumerate().skip(k + 1) {
            let (u_i, w_i) = (u[i], image[i]);
            for (entry, (u, w)) in row.iter_mut().zip(u.iter().zip(&image)).skip(k + 1) {
                *entry -= u_i * w + w_i * u;
            }
        }
        // Q ← (I − 2 u uᵀ) Q
        image.fill(0.0);
        for (row, u) in q.iter().zip(&u).skip(k + 1) {
            image.iter_mut().zip(row).for_each(|(sum, x)| *sum += u * x);
        }
        for (row, u) in q.iter_mut().zip(&u).skip(k + 1) {
            row.iter_mut().zip(&image).for_each(|(x, sum)| *x -= 2.0 * u * sum);
        }
    }
    ((0..n).map(|k| a[k][k]).collect(), beside, q)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The end of the block that begins at `start`; `None` when that is a single entry.
fn coupled_until(diagonal: &[f64], beside: &[f64], start: usize) -> Option<usize> {
    let coupled = |k: &usize| {
        let size = diagonal[*k].abs() + diagonal[*k + 1].abs();
        beside[*k].abs() > f64::EPSILON * size && beside[*k].abs() > f64::MIN_POSITIVE
    };
    let end = start + (start..diagonal.len() - 1).take_while(coupled).count();
    (end > start).then_some(end)
}

/// A step of the implicit QL iteration with Wilkinson's shift, from the end of a block to its start.
fn implicit_step(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [Vec<f64>], start: usize, end: usize) {
    let ratio = (diagonal[start + 1] - diagonal[start]) / (2.0 * beside[start]);
    let shift = diagonal[start] - beside[start] / (ratio + ratio.hypot(1.0).copysign(ratio));
    let mut bulge = diagonal[end] - shift;
    let (mut sine, mut cosine, mut carried) = (1.0, 1.0, 0.0);
    for i in (start..end).rev() {
        let (f, b) = (sine * beside[i], cosine * beside[i]);
        let size = f.hypot(bulge);
        beside[i + 1] = size;
        if size == 0.0 {
            // The block has come apart.
            diagonal[i + 1] -= carried;
            beside[end] = 0.0;
            return;
        }
        (sine, cosine) = (f / size, bulge / size);
        let difference = diagonal[i + 1] - carried;
        let turned = (diagonal[i] - difference) * sine + 2.0 * cosine * b;
        carried = sine * turned;
        diagonal[i + 1] = difference + carried;
        bulge = cosine * turned - b;
        let (upper, lower) = vectors.split_at_mut(i + 1);
        for (x, y) in upper[i].iter_mut().zip(&mut lower[0]) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    diagonal[start] -= carried;
    beside[start] = bulge;
    beside[end] = 0.0;
}

/// Scales rows and columns by powers of two until their sizes agree: D⁻¹ A D, and the diagonal D.
fn balanced(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut scales = vec![1.0; n];
    for _ in 0..20 {
        let mut changed = false;
        for k in 0..n {
            let others = || (0..n).filter(|i| *i != k);
            let row: f64 = others().map(|i| a[k * n + i].abs()).sum();
            let column: f64 = others().map(|i| a[i * n + k].abs()).sum();
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let factor = (row / column).sqrt().log2().round().exp2();
            if !(0.6..1.7).contains(&factor) && factor.is_normal() {
                changed = true;
                scales[k] *= factor;
                others().for_each(|i| a[k * n + i] /= factor);
                others().for_each(|i| a[i * n + k] *= factor);
            }
        }
        if !changed {
            break;
        }
    }
    (a, scales)
}

/// The upper Hessenberg form by elementary similarity transformations with pivoting.
fn hessenberg(matrix: &[f64], n: usize) -> Vec<Complex64> {
    let mut a = matrix.to_vec();
    for m in 1..n.saturating_sub(1) {
        let pivot = (m..n).max_by(|i, j| a[i * n + m - 1].abs().total_cmp(&a[j * n + m - 1].abs())).unwrap_or(m);
        if a[pivot * n + m - 1] == 0.0 {
            continue;
        }
        if pivot != m {
            (0..n).for_each(|k| a.swap(pivot * n + k, m * n + k));
            (0..n).for_each(|k| a.swap(k * n + pivot, k * n + m));
        }
        for i in m + 1..n {
            let factor = a[i * n + m - 1] / a[m * n + m - 1];
            if factor != 0.0 {
                (0..n).for_each(|k| a[i * n + k] -= factor * a[m * n + k]);
                (0..n).for_each(|k| a[k * n + m] += factor * a[k * n + i]);
            }
        }
    }
    a.into_iter().map(Complex64::from).collect()
}

/// Eigenvalues of an upper Hessenberg matrix by the complex QR algorithm with Wilkinson's shift.
fn eigenvalues(mut h: Vec<Complex64>, n: usize) -> Option<Vec<Complex64>> {
    let mut values = vec![Complex64::default(); n];
    let mut end = n;
    let mut iterations = 0;
    while end > 0 {
        let at = |i: usize, j: usize| i * n + j;
        let small = |h: &[Complex64], k: usize| {
            let around = h[at(k, k)].norm() + h[at(k - 1, k - 1)].norm();
            h[at(k, k - 1)].norm() <= f64::EPSILON * around.max(f64::MIN_POSITIVE / f64::EPSILON)
        };
        let start = (1..end).rev().find(|k| small(&h, *k)).unwrap_or(0);
        if start == end - 1 {
            values[end - 1] = h[at(end - 1, end - 1)];
            end -= 1;
            iterations = 0;
            continue;
        }
        iterations += 1;
        if iterations > MOST_ITERATIONS {
            return None;
        }
        let shift = match iterations % 10 {
            0 => h[at(end - 1, end - 1)] + Complex64::from(h[at(end - 1, end - 2)].norm()),
            _ => wilkinson(&h, n, end),
        };
        (start..end).for_each(|k| h[at(k, k)] = h[at(k, k)] - shift);
        let mut rotations = Vec::with_capacity(end - start - 1);
        for k in start..end - 1 {
            let (x, y) = (h[at(k, k)], h[at(k + 1, k)]);
            let size = x.norm().hypot(y.norm());
            let (c, s) = match size > 0.0 {
                true => (quotient(x, size.into()), quotient(y, size.into())),
                false => (Complex64::from(1.0), Complex64::default()),
            };
            for j in k..n {
                let (top, below) = (h[at(k, j)], h[at(k + 1, j)]);
                h[at(k, j)] = c.conj() * top + s.conj() * below;
                h[at(k + 1, j)] = c * below - s * top;
            }
            rotations.push((c, s));
        }
        for (k, (c, s)) in (start..).zip(rotations) {
            for i in 0..(k + 2).min(end) {
                let (left, right) = (h[at(i, k)], h[at(i, k + 1)]);
                h[at(i, k)] = left * c + right * s;
                h[at(i, k + 1)] = right * c.conj() - left * s.conj();
            }
        }
        (start..end).for_each(|k| h[at(k, k)] = h[at(k, k)] + shift);
    }
    Some(values)
}

/// The eigenvalue of the last 2 × 2 block that is nearer to its last entry.
fn wilkinson(h: &[Complex64], n: usize, end: usize) -> Complex64 {
    let at = |i: usize, j: usize| h[i * n + j];
    let (a, b) = (at(end - 2, end - 2), at(end - 2, end - 1));
    let (c, d) = (at(end - 1, end - 2), at(end - 1, end - 1));
    let half = quotient(a - d, 2.0.into());
    let root = square_root(half * half + b * c);
    let (plus, minus) = (d + half + root, d + half - root);
    if (plus - d).norm() < (minus - d).norm() { plus } else { minus }
}

/// Orders by frequency and decay, makes conjugates exact, and calls real what is real but for round-off.
fn paired(mut values: Vec<Complex64>, size: f64) -> Vec<Complex64> {
    for value in &mut values {
        // A double zero, of a direction without any force, splits by the root of round-off.
        if value.norm() < 1e-7 * size {
            *value = Complex64::default();
        } else if value.im.abs() < 1e-9 * size {
            value.im = 0.0;
        }
    }
    values.sort_by(|a, b| a.im.abs().total_cmp(&b.im.abs()).then(a.re.total_cmp(&b.re)));
    let mut ordered: Vec<Complex64> = Vec::with_capacity(values.len());
    let mut used = vec![false; values.len()];
    for i in 0..values.len() {
        if used[i] {
            continue;
        }
        used[i] = true;
        if values[i].im == 0.0 {
            ordered.push(values[i]);
            continue;
        }
        let distance = |j: &usize| (values[*j] - values[i].conj()).norm();
        let partner = (0..values.len()).filter(|j| !used[*j]).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let mut value = values[i];
        if let Some(j) = partner {
            used[j] = true;
            value =
                Complex64::new((values[i].re + values[j].re) / 2.0, (values[i].im.abs() + values[j].im.abs()) / 2.0);
        }
        value.im = value.im.abs();
        ordered.push(value);
        ordered.push(value.conj());
    }
    ordered.truncate(values.len());
    ordered
}

/// A vector that the matrix nearly multiplies by `value`; equal eigenvalues start from different directions.
fn inverse_iteration(a: &[f64], n: usize, value: Complex64, size: f64, attempt: usize) -> Vec<Complex64> {
    // Off the eigenvalue by round-off, so that the matrix has an inverse.
    let shifted = value + Complex64::from(size * 16.0 * f64::EPSILON);
    let mut matrix: Vec<Complex64> = a.iter().map(|x| Complex64::from(*x)).collect();
    (0..n).for_each(|k| matrix[k * n + k] -= shifted);
    let mut x: Vec<Complex64> =
        (0..n).map(|k| Complex64::new(1.0 + ((k * 7 + attempt * 5) % 11) as f64 / 3.0, (k % 3) as f64)).collect();
    if attempt > 0 {
        (0..n).filter(|k| k % 2 == attempt % 2).for_each(|k| x[k] = -x[k]);
    }
    for _ in 0..4 {
        solve(matrix.clone(), n, &mut x, size);
        normalise(&mut x);
    }
    x
}

/// Gaussian elimination with partial pivoting; a pivot of zero is replaced by round-off.
fn solve(mut a: Vec<Complex64>, n: usize, b: &mut [Complex64], size: f64) {
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[i * n + k].norm().total_cmp(&a[j * n + k].norm())).unwrap_or(k);
        (0..n).for_each(|j| a.swap(pivot * n + j, k * n + j));
        b.swap(pivot, k);
        if a[k * n + k].norm() < size * f64::EPSILON {
            a[k * n + k] = Complex64::from(size * f64::EPSILON);
        }
        for i in k + 1..n {
            let factor = quotient(a[i * n + k], a[k * n + k]);
            (k..n).for_each(|j| a[i * n + j] = a[i * n + j] - factor * a[k * n + j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let known = (k + 1..n).fold(b[k], |sum, j| sum - a[k * n + j] * b[j]);
        b[k] = quotient(known, a[k * n + k]);
    }
}

/// Length one, the largest entry real and positive.
fn normalise(x: &mut [Complex64]) {
    let largest = x.iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
    if largest.norm() == 0.0 || !largest.norm().is_finite() {
        return;
    }
    x.iter_mut().for_each(|entry| *entry = quotient(*entry, largest));
    let length = x.iter().map(|entry| entry.norm().powi(2)).sum::<f64>().sqrt();
    x.iter_mut().for_each(|entry| *entry = quotient(*entry, length.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residual(a: &[f64], n: usize, pair: &Eigenpair) -> f64 {
        let rows = (0..n).map(|i| {
            let image =
                (0..n).fold(Complex64::default(), |sum, j| sum + Complex64::from(a[i * n + j]) * pair.vector[j]);
            (image - pair.value * pair.vector[i]).norm()
        });
        rows.fold(0.0, f64::max)
    }

    #[test]
    fn known_spectra() {
        // Rotation with decay: −0.1 ± 2i, and 3.
        let a = [-0.1, 2.0, 0.0, -2.0, -0.1, 0.0, 0.5, 0.25, 3.0];
        let pairs = eigenpairs(&a, 3).unwrap();
        let expected = [Complex64::new(3.0, 0.0), Complex64::new(-0.1, 2.0), Complex64::new(-0.1, -2.0)];
        for (pair, expected) in pairs.iter().zip(expected) {
            // A few dozen operations on numbers of order one.
            assert!((pair.value - expected).norm() < 1e-13, "{pair:?}");
            assert!(residual(&a, 3, pair) < 1e-12, "{pair:?}");
        }
    }

    #[test]
    fn random_matrices_have_small_residuals_and_the_right_trace() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for n in [1, 2, 5, 12, 20] {
            let a: Vec<f64> = (0..n * n).map(|_| random()).collect();
            let pairs = eigenpairs(&a, n).unwrap();
            assert_eq!(pairs.len(), n);
            for pair in &pairs {
                // The condition of random eigenvalues costs two or three digits of 1e-15 times the size of the matrix.
                assert!(residual(&a, n, pair) < 1e-10, "n = {n}, {pair:?}");
            }
            let trace: f64 = (0..n).map(|k| a[k * n + k]).sum();
            let sum: f64 = pairs.iter().map(|pair| pair.value.re).sum();
            assert!((trace - sum).abs() < 1e-12);
        }
    }

    #[test]
    fn symmetric_matrices_have_orthonormal_vectors() {
        let n = 6;
        let a: Vec<f64> = (0..n * n).map(|at| 1.0 / (1.0 + (at / n + at % n) as f64)).collect();
        let pairs = symmetric_eigenpairs(&a, n);
        for (k, (value, vector)) in pairs.iter().enumerate() {
            for i in 0..n {
                let image: f64 = (0..n).map(|j| a[i * n + j] * vector[j]).sum();
                // Reflections and rotations are accurate to a few ε of the norm, which is below 2.
                assert!((image - value * vector[i]).abs() < 1e-14);
            }
            for (l, (_, other)) in pairs.iter().enumerate() {
                let overlap: f64 = vector.iter().zip(other).map(|(x, y)| x * y).sum();
                assert!((overlap - if k == l { 1.0 } else { 0.0 }).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_long_chain_has_its_known_frequencies() {
        // Fixed ends: 4 sin²(kπ/(2(n + 1))). A border that couples all bodies makes the reflections work, and is taken away again by
        // turning the chain's own vectors: A = H T H with H = I − 2 u uᵀ.
        let n = 120;
        let mut chain = vec![0.0; n * n];
        (0..n).for_each(|k| chain[k * n + k] = 2.0);
        (1..n).for_each(|k| (chain[k * n + k - 1], chain[(k - 1) * n + k]) = (-1.0, -1.0));
        let u = 1.0 / (n as f64).sqrt();
        let reflection = |i: usize, j: usize| if i == j { 1.0 - 2.0 * u * u } else { -2.0 * u * u };
        let product = |left: &dyn Fn(usize, usize) -> f64, right: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..n * n).map(|at| (0..n).map(|k| left(at / n, k) * right(k, at % n)).sum()).collect()
        };
        let half = product(&reflection, &|i, j| chain[i * n + j]);
        let full = product(&|i, j| half[i * n + j], &reflection);
        for matrix in [&chain, &full] {
            for (k, (value, vector)) in (1..).zip(symmetric_eigenpairs(matrix, n)) {
                let exact = 4.0 * (f64::from(k) * std::f64::consts::PI / (2.0 * (n + 1) as f64)).sin().powi(2);
                // n reflections, each with a few ε of the norm 4.
                assert!((value - exact).abs() < 1e-12, "{k}: {value} and {exact}");
                let image = |i: usize| (0..n).map(|j| matrix[i * n + j] * vector[j]).sum::<f64>();
                assert!((0..n).all(|i| (image(i) - value * vector[i]).abs() < 1e-12), "{k}");
            }
        }
    }

    #[test]
    fn equal_frequencies_have_independent_vectors() {
        // Two equal oscillators side by side.
        let a = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        let pairs = eigenpairs(&a, 4).unwrap();
        let (x, y) = (&pairs[0].vector, &pairs[2].vector);
        let overlap = x.iter().zip(y).fold(Complex64::default(), |sum, (a, b)| sum + a.conj() * *b).norm();
        assert!(overlap < 0.99, "{overlap}");
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert_eq!(eigenpairs(&[f64::NAN], 1), None);
        assert_eq!(eigenpairs(&[], 0), Some(Vec::new()));
    }
}

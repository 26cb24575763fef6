//! Least squares by Levenberg and Marquardt, between bounds.

use extremal_solve::dense::{cholesky, lower_solve, upper_solve};

/// Residuals and their slopes: as many rows as residuals, as many columns as unknowns.
pub struct Linearised {
    pub residuals: Vec<f64>,
    pub slopes: Vec<f64>,
}

impl Linearised {
    /// The sum of squares.
    pub fn cost(&self) -> f64 {
        self.residuals.iter().map(|r| r * r).sum()
    }

    /// The slopes of half the cost.
    fn gradient(&self, n: usize) -> Vec<f64> {
        let mut gradient = vec![0.0; n];
        for (row, residual) in self.slopes.chunks(n).zip(&self.residuals) {
            gradient.iter_mut().zip(row).for_each(|(own, slope)| *own += slope * residual);
        }
        gradient
    }

    /// The matrix of the normal equations.
    pub fn normal(&self, n: usize) -> Vec<f64> {
        let mut normal = vec![0.0; n * n];
        for row in self.slopes.chunks(n) {
            for (sums, slope) in normal.chunks_mut(n).zip(row) {
                sums.iter_mut().zip(row).for_each(|(sum, other)| *sum += slope * other);
            }
        }
        normal
    }
}

/// Where the search ended.
pub struct LeastSquares {
    pub values: Vec<f64>,
    pub at: Linearised,
    pub iterations: u32,
    /// Did it end because nothing more was to be gained?
    pub converged: bool,
    /// Which unknowns are held by a bound.
    pub held: Vec<bool>,
}

/// More iterations than this are no search.
const MOST_ITERATIONS: u32 = 200;
/// What is gained by a last step, relative to the cost.
const GAIN: f64 = 1e-13;
/// The change of unknowns by a last step, relative to themselves.
const CHANGE: f64 = 1e-12;
/// Where damping begins, and where nothing helps any more.
const FIRST_DAMPING: f64 = 1e-3;
const MOST_DAMPING: f64 = 1e16;

/// Searches the least sum of squares from `values`. `linearised` says what is there, or why nothing is; `interrupted` ends the search.
pub fn search<E>(
    mut values: Vec<f64>,
    bounds: &[(f64, f64)],
    mut linearised: impl FnMut(&[f64]) -> Result<Linearised, E>,
    mut interrupted: impl FnMut() -> bool,
) -> Result<LeastSquares, E> {
    let n = values.len();
    values.iter_mut().zip(bounds).for_each(|(value, (low, high))| *value = value.clamp(*low, *high));
    let mut at = linearised(&values)?;
    let (mut damping, mut iterations, mut converged) = (FIRST_DAMPING, 0, false);
    let mut held = vec![false; n];
    while iterations < MOST_ITERATIONS && !interrupted() {
        iterations += 1;
        let gradient = at.gradient(n);
        for (k, held) in held.iter_mut().enumerate() {
            let (low, high) = bounds[k];
            *held = values[k] <= low && gradient[k] > 0.0 || values[k] >= high && gradient[k] < 0.0;
        }
        let free: Vec<usize> = (0..n).filter(|k| !held[*k]).collect();
        let normal = at.normal(n);
        let Some(step) = damped_step(&normal, &gradient, &free, n, damping) else {
            damping *= 10.0;
            converged = damping > MOST_DAMPING;
            if converged { break } else { continue }
        };
        let next: Vec<f64> = (0..n).map(|k| (values[k] + step[k]).clamp(bounds[k].0, bounds[k].1)).collect();
        let taken: Vec<f64> = next.iter().zip(&values).map(|(next, value)| next - value).collect();
        let through: f64 = (0..n).map(|i| (0..n).map(|j| taken[i] * normal[i * n + j] * taken[j]).sum::<f64>()).sum();
        let gain = -2.0 * gradient.iter().zip(&taken).map(|(a, b)| a * b).sum::<f64>() - through;
        let cost = at.cost();
        let small =
            taken.iter().zip(&values).all(|(step, value)| step.abs() <= CHANGE * value.abs().max(f64::MIN_POSITIVE));
        // What is nowhere is as bad as what is worse.
        let there = linearised(&next).ok().filter(|there| there.cost().is_finite());
        match there {
            Some(there) if there.cost() <= cost => {
                let better = (cost - there.cost()) / gain.max(f64::MIN_POSITIVE);
                damping = if better > 0.75 {
                    damping / 10.0
                } else if better < 0.25 {
                    damping * 4.0
                } else {
                    damping
                };
                converged = small || gain <= GAIN * cost || there.cost() == 0.0;
                (values, at) = (next, there);
            }
            _ => {
                // Round-off is all that makes it worse.
                converged = small || gain <= GAIN * cost || damping > MOST_DAMPING;
                damping = (damping * 10.0).max(FIRST_DAMPING);
            }
        }
        if converged {
            break;
        }
    }
    Ok(LeastSquares { values, at, iterations, converged, held })
}

/// The step of Gauss and Newton, shortened where the matrix says little.
fn damped_step(normal: &[f64], gradient: &[f64], free: &[usize], n: usize, damping: f64) -> Option<Vec<f64>> {
    let m = free.len();
    let mut matrix: Vec<f64> = free.iter().flat_map(|i| free.iter().map(move |j| normal[i * n + j])).collect();
    for k in 0..m {
        matrix[k * m + k] *= 1.0 + damping;
    }
    let right: Vec<f64> = free.iter().map(|k| -gradient[*k]).collect();
    let mut step = vec![0.0; n];
    if m == 0 {
        return Some(step);
    }
    let l = cholesky(&matrix, m)?;
    let found = upper_solve(&l, &lower_solve(&l, &right, m, 1), m);
    free.iter().zip(found).for_each(|(k, value)| step[*k] = value);
    Some(step)
}

/// What the normal equations say of the unknowns that are not held.
pub enum Covariance {
    /// The inverse of the matrix, with zeros for those that are held.
    Known(Vec<f64>),
    /// Nothing changes with this one.
    Silent(usize),
    /// These two change the residuals in the same way.
    Alike(usize, usize),
}

/// Inverts the matrix of the normal equations where that can be done.
pub fn covariance(normal: &[f64], held: &[bool]) -> Covariance {
    let n = held.len();
    let free: Vec<usize> = (0..n).filter(|k| !held[*k]).collect();
    let m = free.len();
    let scale: Vec<f64> = free.iter().map(|k| normal[k * n + k].sqrt()).collect();
    if let Some(at) = scale.iter().position(|scale| *scale == 0.0 || !scale.is_finite()) {
        return Covariance::Silent(free[at]);
    }
    let entry = |i: usize, j: usize| normal[free[i] * n + free[j]] / scale[i] / scale[j];
    let scaled: Vec<f64> = (0..m * m).map(|at| entry(at / m.max(1), at % m.max(1))).collect();
    let Some(l) = cholesky(&scaled, m) else {
        let pairs = (0..m).flat_map(|i| (0..i).map(move |j| (i, j)));
        let (i, j) = pairs.max_by(|a, b| entry(a.0, a.1).abs().total_cmp(&entry(b.0, b.1).abs())).unwrap_or((0, 0));
        return Covariance::Alike(free[j], free[i]);
    };
    let mut inverse = vec![0.0; n * n];
    for k in 0..m {
        let unit: Vec<f64> = (0..m).map(|at| f64::from(u8::from(at == k))).collect();
        let column = upper_solve(&l, &lower_solve(&l, &unit, m, 1), m);
        for (i, value) in column.iter().enumerate() {
            inverse[free[i] * n + free[k]] = value / scale[i] / scale[k];
        }
    }
    Covariance::Known(inverse)
}

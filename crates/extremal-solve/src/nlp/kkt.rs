//! The matrix of the optimality conditions, [W + Σ + δ_w, Aᵀ; A, −δ_c], and its inertia.

use std::ops::Range;

use super::standard::{Standard, largest};
use super::{Curvature, Nature};
use crate::symmetric::{MatrixInertia, SymmetricSolver};

/// What was added to the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shift {
    pub hessian: f64,
    pub constraints: f64,
}

/// First and later shifts of the Hessian, and how they change (Wächter and Biegler, section 3.1).
const FIRST_SHIFT: f64 = 1e-4;
const SMALLEST_SHIFT: f64 = 1e-20;
const LARGEST_SHIFT: f64 = 1e40;
const SHRINK: f64 = 1.0 / 3.0;
const GROW: f64 = 8.0;
const GROW_FIRST: f64 = 100.0;
/// Shift of dependent constraints, times the fourth root of the barrier parameter.
const CONSTRAINT_SHIFT: f64 = 1e-8;
/// A curvature this small, compared with the largest one, is none.
const FLAT: f64 = 1e-10;
/// How much stiffer than the largest curvature an active bound counts.
const STIFF: f64 = 1e3;
/// Rounds of inverse iteration, and the change after which it has settled.
const INVERSE_ITERATIONS: usize = 40;
const SETTLED: f64 = 1e-6;
/// 2π over the square of the golden ratio.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Improvements of a solution by its own residual.
const REFINEMENTS: usize = 6;

/// The matrix, factored.
pub(super) struct Kkt {
    n: usize,
    m: usize,
    entries: Vec<(usize, usize)>,
    values: Vec<f64>,
    /// Where the entries of the Hessian, the Jacobian, and the shifts of both diagonals stand.
    hessian: Range<usize>,
    jacobian: Range<usize>,
    variable_shifts: Range<usize>,
    constraint_shifts: Range<usize>,
    solver: SymmetricSolver,
    last_shift: f64,
    residual: Vec<f64>,
    correction: Vec<f64>,
}

impl Kkt {
    pub fn of(problem: &Standard<'_>) -> Kkt {
        let (n, m) = (problem.variables(), problem.rows());
        let mut entries: Vec<(usize, usize)> = problem.hessian.clone();
        let hessian = 0..entries.len();
        entries.extend(problem.jacobian.iter().map(|(row, column)| (n + row, *column)));
        let jacobian = hessian.end..entries.len();
        entries.extend((0..n + m).map(|i| (i, i)));
        let (variable_shifts, constraint_shifts) = (jacobian.end..jacobian.end + n, jacobian.end + n..entries.len());
        Kkt {
            n,
            m,
            values: vec![0.0; entries.len()],
            hessian,
            jacobian,
            variable_shifts,
            constraint_shifts,
            solver: SymmetricSolver::for_pattern(n + m, &entries),
            entries,
            last_shift: 0.0,
            residual: vec![0.0; n + m],
            correction: vec![0.0; n + m],
        }
    }

    /// To be filled with the values of the Hessian.
    pub fn hessian_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.hessian.clone()]
    }

    /// To be filled with the values of the Jacobian.
    pub fn jacobian_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.jacobian.clone()]
    }

    /// The values of the Jacobian.
    pub fn jacobian(&self) -> &[f64] {
        &self.values[self.jacobian.clone()]
    }

    /// Factors with the given shifts.
    pub fn factor(&mut self, sigma: &[f64], shift: Shift) -> Option<MatrixInertia> {
        for (value, sigma) in self.values[self.variable_shifts.clone()].iter_mut().zip(sigma) {
            *value = sigma + shift.hessian;
        }
        self.values[self.constraint_shifts.clone()].fill(-shift.constraints);
        self.solver.factor(&self.values)
    }

    /// Factors with the smallest shifts that make the Hessian positive on the constraints, so that a step leads downhill.
    pub fn factor_convex(&mut self, sigma: &[f64], barrier: f64) -> Option<Shift> {
        let (n, m) = (self.n, self.m);
        let wanted = MatrixInertia { positive: n, negative: m, zero: 0 };
        let mut shift = Shift::default();
        let inertia = self.factor(sigma, shift)?;
        if inertia == wanted {
            return Some(shift);
        }
        if inertia.zero > 0 || inertia.negative < m {
            shift.constraints = CONSTRAINT_SHIFT * barrier.powf(0.25);
        }
        shift.hessian = match self.last_shift {
            0.0 => FIRST_SHIFT,
            last => (SHRINK * last).max(SMALLEST_SHIFT),
        };
        let grow = if self.last_shift == 0.0 { GROW_FIRST } else { GROW };
        while shift.hessian < LARGEST_SHIFT {
            let inertia = self.factor(sigma, shift)?;
            if inertia == wanted {
                self.last_shift = shift.hessian;
                return Some(shift);
            }
            if inertia.zero > 0 {
                shift.constraints = CONSTRAINT_SHIFT * barrier.powf(0.25);
            }
            shift.hessian *= grow;
        }
        None
    }

    /// Solves with the matrix last factored, and improves the solution by its residual.
    pub fn solve(&mut self, b: &mut [f64]) {
        let right = b.to_vec();
        self.solver.solve(b);
        let mut before = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            self.residual.copy_from_slice(&right);
            for (&(i, j), value) in self.entries.iter().zip(&self.values) {
                self.residual[i] -= value * b[j];
                if i != j {
                    self.residual[j] -= value * b[i];
                }
            }
            let size = largest(&self.residual);
            if size.is_nan() || size >= 0.5 * before || size <= f64::EPSILON * largest(&right) {
                break;
            }
            before = size;
            self.correction.copy_from_slice(&self.residual);
            self.solver.solve(&mut self.correction);
            for (x, correction) in b.iter_mut().zip(&self.correction) {
                *x += correction;
            }
        }
    }

    /// What the second variation says of a stationary point.
    pub fn curvature(&mut self, sigma: &[f64], metric: &[f64]) -> Option<Curvature> {
        let curvature = largest(&self.values[self.hessian.clone()]);
        let scale = if curvature > 0.0 { curvature } else { largest(sigma).max(f64::MIN_POSITIVE) };
        // An active bound is no more than very stiff: its true weight would hide all else.
        let sigma: Vec<f64> = sigma.iter().map(|value| value.min(STIFF * scale)).collect();
        // Steps of very different lengths have very different curvatures: each variable has its own measure.
        let mut own = vec![0.0f64; self.n];
        for (&(i, j), value) in self.entries[self.hessian.clone()].iter().zip(&self.values) {
            own[i] = own[i].max(value.abs());
            own[j] = own[j].max(value.abs());
        }
        own.iter_mut().filter(|own| **own == 0.0).for_each(|own| *own = scale);
        let nature = self.nature(&sigma, &own)?;
        let least = self.least(&sigma, metric)?;
        Some(Curvature { nature, least })
    }

    /// What the inertia says. Shifted up and down by what is nothing compared with the curvatures `own` of the variables, the
    /// Hessian shows which directions are flat.
    fn nature(&mut self, sigma: &[f64], own: &[f64]) -> Option<Nature> {
        let mut down = [0; 2];
        for (down, sign) in down.iter_mut().zip([1.0, -1.0]) {
            let shifted: Vec<f64> = sigma.iter().zip(own).map(|(sigma, own)| sigma + sign * FLAT * own).collect();
            let inertia = self.factor(&shifted, Shift::default())?;
            match (inertia.zero, inertia.negative.checked_sub(self.m)) {
                (0, Some(count)) => *down = count,
                _ => return Some(Nature::Dependent),
            }
        }
        let flat = down[1].saturating_sub(down[0]);
        Some(match down[0] {
            down if flat > 0 => Nature::Flat { down, flat },
            0 => Nature::Minimum,
            down if down + self.m == self.n => Nature::Maximum,
            down => Nature::Saddle(down),
        })
    }

    /// The curvature nearest to zero among the directions that keep the constraints: the smallest eigenvalue in magnitude of the
    /// Hessian there, relative to the metric, by inverse iteration.
    fn least(&mut self, sigma: &[f64], metric: &[f64]) -> Option<f64> {
        let (n, m) = (self.n, self.m);
        if self.factor(sigma, Shift::default())?.zero > 0 {
            return Some(0.0);
        }
        let weighted =
            |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).zip(metric).map(|((x, y), weight)| weight * x * y).sum() };
        // No direction is left out: a wave that does not repeat.
        let mut x: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64 * GOLDEN_ANGLE).sin()).collect();
        let mut least = f64::INFINITY;
        for _ in 0..INVERSE_ITERATIONS {
            let size = weighted(&x, &x).sqrt();
            if !(size > 0.0 && size.is_finite()) {
                return Some(least);
            }
            x.iter_mut().for_each(|x| *x /= size);
            let mut y: Vec<f64> = x.iter().zip(metric).map(|(x, weight)| weight * x).collect();
            y.resize(n + m, 0.0);
            self.solver.solve(&mut y);
            y.truncate(n);
            let before = least;
            least = weighted(&x, &y).signum() / weighted(&y, &y).sqrt();
            if (least - before).abs() <= SETTLED * least.abs() {
                break;
            }
            x = y;
        }
        Some(least)
    }
}

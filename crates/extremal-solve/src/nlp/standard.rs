//! A program as the solvers want it: no fixed variables, only equations, inequalities by slacks, sizes of about one.

use std::collections::HashSet;

use super::{Curvature, Iteration, Nlp, NlpBounds, NlpSolution, NlpStatus};

/// Derivatives at the start, by a variable or by its size, are scaled down to the first and up to the second.
const LARGEST: f64 = 100.0;
const SMALLEST: f64 = 1e-2;
/// A variable whose largest derivative is so many times larger or smaller than that of others is counted in other units.
const OTHER_UNITS: f64 = 1e4;

/// minimise f(y) where c(y) = 0 and lower <= y <= upper, with y = (free variables, slacks).
pub(super) struct Standard<'n> {
    nlp: &'n mut dyn Nlp,
    /// The variables of `nlp`, of which the fixed ones stay as they are.
    full: Vec<f64>,
    free: Vec<usize>,
    /// Constraints that are not equations, in the order of their slacks.
    slacked: Vec<usize>,
    /// Constraints of `nlp` that are rows here: the others have no free variable.
    kept_rows: Vec<usize>,
    all_rows: Vec<f64>,
    /// What equations are equal to; zero for others.
    target: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    /// Entries of the patterns that belong to free variables, with their places here.
    jacobian_kept: Vec<usize>,
    pub jacobian: Vec<(usize, usize)>,
    hessian_kept: Vec<usize>,
    pub hessian: Vec<(usize, usize)>,
    objective_scale: f64,
    constraint_scale: Vec<f64>,
    /// The units in which variables are counted.
    unit: Vec<f64>,
    /// All values of a derivative of `nlp`.
    values: Vec<f64>,
    jacobian_len: usize,
    hessian_len: usize,
    weights: Vec<f64>,
}

impl<'n> Standard<'n> {
    pub fn of(nlp: &'n mut dyn Nlp, x: &[f64], scaled: bool) -> Standard<'n> {
        let NlpBounds { lower, upper, constraint_lower, constraint_upper } = nlp.bounds();
        let (n, m) = (lower.len(), constraint_lower.len());
        let fixed = |i: usize| lower[i] == upper[i];
        let free: Vec<usize> = (0..n).filter(|i| !fixed(*i)).collect();
        let mut place = vec![usize::MAX; n];
        for (new, old) in free.iter().enumerate() {
            place[*old] = new;
        }
        let jacobian_pattern = nlp.jacobian_pattern();
        let mut row_place = vec![usize::MAX; m];
        for (row, column) in &jacobian_pattern {
            if place[*column] != usize::MAX {
                row_place[*row] = 0;
            }
        }
        let kept_rows: Vec<usize> = (0..m).filter(|row| row_place[*row] == 0).collect();
        for (new, old) in kept_rows.iter().enumerate() {
            row_place[*old] = new;
        }
        let equation = |row: usize| constraint_lower[row] == constraint_upper[row];
        let slacked: Vec<usize> = (0..kept_rows.len()).filter(|row| !equation(kept_rows[*row])).collect();
        let kept = |pattern: &[(usize, usize)], both: bool| -> Vec<usize> {
            let inside = |&(i, j): &(usize, usize)| place[j] != usize::MAX && (!both || place[i] != usize::MAX);
            (0..pattern.len()).filter(|entry| inside(&pattern[*entry])).collect()
        };
        let jacobian_kept = kept(&jacobian_pattern, false);
        let mut jacobian: Vec<_> = jacobian_kept
            .iter()
            .map(|entry| {
                let (row, column) = jacobian_pattern[*entry];
                (row_place[row], place[column])
            })
            .collect();
        jacobian.extend(slacked.iter().enumerate().map(|(slack, row)| (*row, free.len() + slack)));
        let hessian_pattern = nlp.hessian_pattern();
        let hessian_kept = kept(&hessian_pattern, true);
        let at = |entry: &usize| (place[hessian_pattern[*entry].0], place[hessian_pattern[*entry].1]);
        let hessian = hessian_kept.iter().map(at).collect();
        let mut full = x.to_vec();
        for i in (0..n).filter(|i| fixed(*i)) {
            full[i] = lower[i];
        }
        let bound = |own: &[f64], of_rows: &[f64]| -> Vec<f64> {
            free.iter().map(|i| own[*i]).chain(slacked.iter().map(|row| of_rows[kept_rows[*row]])).collect()
        };
        let mut standard = Standard {
            target: kept_rows.iter().map(|row| if equation(*row) { constraint_lower[*row] } else { 0.0 }).collect(),
            lower: bound(&lower, &constraint_lower),
            upper: bound(&upper, &constraint_upper),
            values: vec![0.0; jacobian_pattern.len().max(hessian_pattern.len()).max(n)],
            jacobian_len: jacobian_pattern.len(),
            hessian_len: hessian_pattern.len(),
            weights: vec![0.0; m],
            objective_scale: 1.0,
            constraint_scale: vec![1.0; kept_rows.len()],
            unit: vec![1.0; free.len() + slacked.len()],
            kept_rows,
            all_rows: vec![0.0; m],
            nlp,
            full,
            free,
            slacked,
            jacobian_kept,
            jacobian,
            hessian_kept,
            hessian,
        };
        if scaled {
            standard.find_scales();
        }
        standard
    }

    /// Scales by the derivatives at the start and the sizes of the variables there, so that tolerances mean the same for a problem
    /// in any units. Slacks and their bounds have the scales of their constraints.
    fn find_scales(&mut self) {
        let y = self.start();
        let size = |i: usize| match (y[i].abs(), self.upper[i] - self.lower[i]) {
            (own, width) if own == 0.0 && width.is_finite() => width,
            (own, _) => own,
        };
        let sizes: Vec<f64> = (0..y.len()).map(size).collect();
        let mut jacobian = vec![0.0; self.jacobian.len()];
        self.jacobian(&y, &mut jacobian);
        let mut rows = vec![DerivativeSizes::default(); self.target.len()];
        for (value, (row, column)) in jacobian.iter().zip(&self.jacobian) {
            rows[*row].count(*value, sizes[*column]);
        }
        self.constraint_scale = rows.iter().map(DerivativeSizes::scale).collect();
        for (slack, row) in self.slacked.iter().enumerate() {
            self.lower[self.free.len() + slack] *= self.constraint_scale[*row];
            self.upper[self.free.len() + slack] *= self.constraint_scale[*row];
        }
        let mut columns = vec![0.0f64; y.len()];
        for (value, (row, column)) in jacobian.iter().zip(&self.jacobian) {
            columns[*column] = columns[*column].max((value * self.constraint_scale[*row]).abs());
        }
        for (i, column) in columns.iter().enumerate().take(self.free.len()) {
            if *column > 0.0 && !(1.0 / OTHER_UNITS..=OTHER_UNITS).contains(column) {
                self.unit[i] = 1.0 / column;
                self.lower[i] *= column;
                self.upper[i] *= column;
            }
        }
        let y = self.start();
        let mut gradient = vec![0.0; y.len()];
        self.gradient(&y, &mut gradient);
        let mut hessian = vec![0.0; self.hessian.len()];
        self.hessian(&y, &vec![0.0; self.target.len()], &mut hessian);
        let mut objective = DerivativeSizes { by_variables: largest(&gradient), ..DerivativeSizes::default() };
        objective.by_sizes = objective.by_variables;
        for (value, (i, j)) in hessian.iter().zip(&self.hessian) {
            let most = (sizes[*i] / self.unit[*i]).max(sizes[*j] / self.unit[*j]);
            objective.count_small(*value, most);
        }
        self.objective_scale = objective.scale();
    }

    pub fn variables(&self) -> usize {
        self.lower.len()
    }

    pub fn rows(&self) -> usize {
        self.target.len()
    }

    /// The largest violation of constraints that no free variable can change.
    pub fn hopeless_violation(&mut self) -> f64 {
        let NlpBounds { constraint_lower, constraint_upper, .. } = self.nlp.bounds();
        self.nlp.constraints(&self.full, &mut self.all_rows);
        let kept: HashSet<usize> = self.kept_rows.iter().copied().collect();
        let rows = (0..self.all_rows.len()).filter(|row| !kept.contains(row));
        let outside =
            |row: usize| (constraint_lower[row] - self.all_rows[row]).max(self.all_rows[row] - constraint_upper[row]);
        rows.map(outside).fold(0.0, f64::max)
    }

    /// The point the problem was made with; slacks at the values of their constraints.
    pub fn start(&mut self) -> Vec<f64> {
        let mut y: Vec<f64> = self.free.iter().zip(&self.unit).map(|(i, unit)| self.full[*i] / unit).collect();
        self.nlp.constraints(&self.full, &mut self.all_rows);
        let value = |row: &usize| self.all_rows[self.kept_rows[*row]] * self.constraint_scale[*row];
        y.extend(self.slacked.iter().map(value).map(|c| if c.is_finite() { c } else { 0.0 }));
        y
    }

    fn place(&mut self, y: &[f64]) {
        for ((i, value), unit) in self.free.iter().zip(y).zip(&self.unit) {
            self.full[*i] = *value * unit;
        }
    }

    /// Weights of the displacements; those of slacks do not count beside their variables.
    pub fn metric(&self) -> Vec<f64> {
        let all = self.nlp.metric();
        let own = self.free.iter().zip(&self.unit).map(|(i, unit)| all[*i] * unit * unit);
        own.chain(self.slacked.iter().map(|_| 0.0)).collect()
    }

    /// May the functions be used at this point?
    pub fn is_inside(&mut self, y: &[f64]) -> bool {
        self.place(y);
        self.nlp.is_inside(&self.full)
    }

    pub fn objective(&mut self, y: &[f64]) -> f64 {
        self.place(y);
        self.objective_scale * self.nlp.objective(&self.full)
    }

    pub fn gradient(&mut self, y: &[f64], out: &mut [f64]) {
        self.place(y);
        let all = &mut self.values[..self.full.len()];
        self.nlp.gradient(&self.full, all);
        out.fill(0.0);
        for ((out, i), unit) in out.iter_mut().zip(&self.free).zip(&self.unit) {
            *out = self.objective_scale * all[*i] * unit;
        }
    }

    pub fn constraints(&mut self, y: &[f64], out: &mut [f64]) {
        self.place(y);
        self.nlp.constraints(&self.full, &mut self.all_rows);
        for ((value, row), target) in out.iter_mut().zip(&self.kept_rows).zip(&self.target) {
            *value = self.all_rows[*row] - target;
        }
        for (value, scale) in out.iter_mut().zip(&self.constraint_scale) {
            *value *= scale;
        }
        for (row, slack) in self.slacked.iter().zip(&y[self.free.len()..]) {
            out[*row] -= slack;
        }
    }

    pub fn jacobian(&mut self, y: &[f64], out: &mut [f64]) {
        self.place(y);
        let total = self.jacobian_kept.len();
        let all = &mut self.values[..self.jacobian_len];
        self.nlp.jacobian(&self.full, all);
        for ((out, entry), (row, column)) in out.iter_mut().zip(&self.jacobian_kept).zip(&self.jacobian) {
            *out = all[*entry] * self.constraint_scale[*row] * self.unit[*column];
        }
        out[total..].fill(-1.0);
    }

    pub fn hessian(&mut self, y: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.weighted_hessian(y, self.objective_scale, lambda, out);
    }

    /// Without the objective.
    pub fn constraint_hessian(&mut self, y: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.weighted_hessian(y, 0.0, lambda, out);
    }

    fn weighted_hessian(&mut self, y: &[f64], sigma: f64, lambda: &[f64], out: &mut [f64]) {
        self.place(y);
        for ((row, lambda), scale) in self.kept_rows.iter().zip(lambda).zip(&self.constraint_scale) {
            self.weights[*row] = lambda * scale;
        }
        let all = &mut self.values[..self.hessian_len];
        self.nlp.hessian(&self.full, sigma, &self.weights, all);
        for ((out, entry), (i, j)) in out.iter_mut().zip(&self.hessian_kept).zip(&self.hessian) {
            *out = all[*entry] * self.unit[*i] * self.unit[*j];
        }
    }

    /// Multipliers of `nlp` as those of this form.
    pub fn scaled_multipliers(&self, lambda: &[f64]) -> Vec<f64> {
        let rows = self.kept_rows.iter().zip(&self.constraint_scale);
        rows.map(|(row, scale)| lambda[*row] * self.objective_scale / scale).collect()
    }

    /// Multipliers of lower and upper bounds of `nlp` as those of this form; those of slacks follow from `lambda`, of this form.
    pub fn scaled_bound_multipliers(&self, [lower, upper]: [&[f64]; 2], lambda: &[f64]) -> [Vec<f64>; 2] {
        let of = |all: &[f64], sign: f64| -> Vec<f64> {
            let own = self.free.iter().zip(&self.unit).map(|(i, unit)| all[*i] * self.objective_scale * unit);
            own.chain(self.slacked.iter().map(|row| (sign * lambda[*row]).max(0.0))).collect()
        };
        [of(lower, -1.0), of(upper, 1.0)]
    }

    /// The result in terms of `nlp`.
    pub fn solution(&mut self, point: &Multiplied<'_>, end: SolverEnd) -> NlpSolution {
        self.place(point.y);
        let mut lower_multipliers = vec![0.0; self.full.len()];
        let mut upper_multipliers = vec![0.0; self.full.len()];
        for (at, i) in self.free.iter().enumerate() {
            lower_multipliers[*i] = point.z_lower[at] / self.objective_scale / self.unit[at];
            upper_multipliers[*i] = point.z_upper[at] / self.objective_scale / self.unit[at];
        }
        let mut lambda = vec![0.0; self.all_rows.len()];
        for ((row, value), scale) in self.kept_rows.iter().zip(point.lambda).zip(&self.constraint_scale) {
            lambda[*row] = value * scale / self.objective_scale;
        }
        let mut constraints = vec![0.0; self.all_rows.len()];
        self.nlp.constraints(&self.full, &mut constraints);
        NlpSolution {
            status: end.status,
            lambda,
            lower_multipliers,
            upper_multipliers,
            objective: self.nlp.objective(&self.full),
            constraints,
            iterations: end.last.iteration,
            last: Iteration { objective: end.last.objective / self.objective_scale, ..end.last },
            curvature: end.curvature.map(|found| Curvature { least: self.unscaled(found.least), ..found }),
            x: self.full.clone(),
        }
    }

    /// An objective of this form in terms of `nlp`.
    pub fn unscaled(&self, objective: f64) -> f64 {
        objective / self.objective_scale
    }
}

/// How large derivatives of a function are: by its variables, and by their sizes as far as these are known.
#[derive(Clone, Copy, Default)]
struct DerivativeSizes {
    by_variables: f64,
    by_sizes: f64,
}

impl DerivativeSizes {
    fn count(&mut self, derivative: f64, size: f64) {
        self.by_variables = self.by_variables.max(derivative.abs());
        self.count_small(derivative, size);
    }

    /// Counts for what is too small only.
    fn count_small(&mut self, derivative: f64, size: f64) {
        self.by_sizes = self.by_sizes.max((derivative * size).abs());
    }

    /// The factor that brings what is too large or too small to size.
    fn scale(&self) -> f64 {
        let small = if self.by_sizes > 0.0 { self.by_sizes } else { self.by_variables };
        match (LARGEST / self.by_variables, SMALLEST / small) {
            (down, _) if down < 1.0 => down,
            (_, up) if up > 1.0 && up.is_finite() => up,
            _ => 1.0,
        }
    }
}

/// A point with its multipliers.
pub(super) struct Multiplied<'a> {
    pub y: &'a [f64],
    pub lambda: &'a [f64],
    pub z_lower: &'a [f64],
    pub z_upper: &'a [f64],
}

/// How it was reached.
pub(super) struct SolverEnd {
    pub status: NlpStatus,
    pub last: Iteration,
    pub curvature: Option<Curvature>,
}

/// The largest magnitude.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}

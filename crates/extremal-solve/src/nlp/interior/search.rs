//! The line search: how much of a step the filter accepts.

use super::barrier::TO_THE_BOUNDARY;
use super::filter::Filter;
use super::{Interior, SearchDirection};

/// Switching condition (19), Armijo condition (20), smallest step (23).
const SWITCH_VIOLATION: f64 = 1.1;
const SWITCH_DESCENT: f64 = 2.3;
const ARMIJO: f64 = 1e-8;
const VIOLATION_MARGIN: f64 = 1e-5;
const OBJECTIVE_MARGIN: f64 = 1e-8;
const SMALLEST_STEP: f64 = 0.05;
/// Second-order corrections (section 2.4).
const CORRECTIONS: usize = 4;
const CORRECTION_PROGRESS: f64 = 0.99;
/// Bound multipliers stay within this factor of μ/slack (16).
const MULTIPLIER_RANGE: f64 = 1e10;

/// What the line search found.
pub(super) enum SearchOutcome {
    Accepted,
    /// Nothing along this direction.
    Failed,
}

/// What a trial point is compared with.
struct Test {
    /// θ and φ at the present point.
    old: (f64, f64),
    /// ∇φ·dx.
    slope: f64,
    /// By which φ may rise.
    round_off: f64,
}

impl Test {
    /// Is the step one on which the objective alone decides (19)?
    fn is_descent(&self, solver: &Interior<'_, '_>, fraction: f64) -> bool {
        self.old.0 <= solver.small_violation
            && self.slope < 0.0
            && fraction * (-self.slope).powf(SWITCH_DESCENT) > self.old.0.powf(SWITCH_VIOLATION)
    }

    fn accepts(&self, solver: &Interior<'_, '_>, new: (f64, f64), fraction: f64) -> bool {
        let inside = new.0.is_finite() && new.1.is_finite() && solver.filter.accepts(new.0, new.1 - self.round_off);
        inside
            && match self.is_descent(solver, fraction) {
                true => new.1 - self.round_off <= self.old.1 + ARMIJO * fraction * self.slope,
                false => Filter::improves(self.old, new, self.round_off),
            }
    }

    /// The fraction below which the restoration phase takes over (23).
    fn smallest(&self, solver: &Interior<'_, '_>) -> f64 {
        let Test { old: (violation, _), slope, .. } = *self;
        let mut fraction = VIOLATION_MARGIN;
        if slope < 0.0 {
            fraction = fraction.min(OBJECTIVE_MARGIN * violation / -slope);
            if violation <= solver.small_violation {
                fraction = fraction.min(violation.powf(SWITCH_VIOLATION) / (-slope).powf(SWITCH_DESCENT));
            }
        }
        SMALLEST_STEP * fraction
    }
}

impl Interior<'_, '_> {
    /// Backtracks along the direction until the filter is content (section 2.3).
    pub(super) fn search(&mut self, direction: &SearchDirection) -> SearchOutcome {
        let old = (self.violation(&self.c), self.barrier(self.objective, &self.x));
        let slope: f64 = self.barrier_gradient().iter().zip(&direction.x).map(|(g, d)| g * d).sum();
        let test = Test { old, slope, round_off: 10.0 * f64::EPSILON * old.1.abs() };
        let relative = |(x, d): (&f64, &f64)| d.abs() / (1.0 + x.abs());
        let size = self.x.iter().zip(&direction.x).map(relative).fold(0.0, f64::max);
        let mut fraction = self.to_the_boundary(&direction.x);
        if size < 10.0 * f64::EPSILON {
            // Nothing changes that a filter could see.
            self.tiny_steps += 1;
            let trial = self.along(&direction.x, fraction);
            self.accept(trial, direction, fraction);
            return SearchOutcome::Accepted;
        }
        self.tiny_steps = 0;
        let smallest = test.smallest(self).max(f64::EPSILON / size);
        let mut first = true;
        while fraction >= smallest {
            let trial = self.along(&direction.x, fraction);
            let (new, c) = self.measure(&trial);
            let accepted = match test.accepts(self, new, fraction) {
                true => Some(trial),
                false if first && new.0 >= old.0 && new.0.is_finite() => self.corrected(&test, fraction, c),
                false => None,
            };
            if let Some(trial) = accepted {
                if !test.is_descent(self, fraction) {
                    self.filter.add(old.0, old.1);
                }
                self.accept(trial, direction, fraction);
                return SearchOutcome::Accepted;
            }
            first = false;
            fraction *= 0.5;
        }
        SearchOutcome::Failed
    }

    /// Second-order corrections: the constraints at the trial point are brought into the step.
    fn corrected(&mut self, test: &Test, fraction: f64, c: Vec<f64>) -> Option<Vec<f64>> {
        let mut sum: Vec<f64> = self.c.iter().zip(&c).map(|(old, new)| fraction * old + new).collect();
        let mut before = test.old.0;
        for _ in 0..CORRECTIONS {
            let step = self.solve(sum.clone())?;
            let own = self.to_the_boundary(&step.x);
            let trial = self.along(&step.x, own);
            let (new, c) = self.measure(&trial);
            if test.accepts(self, new, fraction) {
                return Some(trial);
            }
            if new.0.is_nan() || new.0 > CORRECTION_PROGRESS * before {
                return None;
            }
            before = new.0;
            for (sum, c) in sum.iter_mut().zip(&c) {
                *sum = own * *sum + c;
            }
        }
        None
    }

    fn along(&self, dx: &[f64], fraction: f64) -> Vec<f64> {
        self.x.iter().zip(dx).map(|(x, dx)| x + fraction * dx).collect()
    }

    /// θ and φ at a trial point, and c there.
    pub(super) fn measure(&self, x: &[f64]) -> ((f64, f64), Vec<f64>) {
        let mut c = vec![0.0; self.c.len()];
        let mut problem = self.problem.borrow_mut();
        if !problem.is_inside(x) {
            // No filter accepts it.
            return ((f64::INFINITY, f64::INFINITY), c);
        }
        problem.constraints(x, &mut c);
        let objective = problem.objective(x);
        ((self.violation(&c), self.barrier(objective, x)), c)
    }

    /// Takes the step; bound multipliers follow by their own fraction and are kept near μ/slack (16).
    fn accept(&mut self, x: Vec<f64>, direction: &SearchDirection, fraction: f64) {
        let tau = TO_THE_BOUNDARY.max(1.0 - self.mu);
        let mut dual = 1.0f64;
        let z = self.z_lower.iter().chain(&self.z_upper);
        for (z, dz) in z.zip(direction.z_lower.iter().chain(&direction.z_upper)) {
            if *dz < 0.0 {
                dual = dual.min(-tau * z / dz);
            }
        }
        self.x = x;
        for (lambda, step) in self.lambda.iter_mut().zip(&direction.lambda) {
            *lambda += fraction * step;
        }
        for i in 0..self.x.len() {
            let near = |z: f64, slack: f64| match slack.is_finite() {
                true => z.min(MULTIPLIER_RANGE * self.mu / slack).max(self.mu / (MULTIPLIER_RANGE * slack)),
                false => 0.0,
            };
            // A variable may land on its bound by rounding alone.
            let tiny = f64::MIN_POSITIVE.sqrt();
            if self.lower[i].is_finite() {
                self.x[i] = self.x[i].max(self.lower[i] + tiny.max(f64::EPSILON * self.lower[i].abs()));
            }
            if self.upper[i].is_finite() {
                self.x[i] = self.x[i].min(self.upper[i] - tiny.max(f64::EPSILON * self.upper[i].abs()));
            }
            self.z_lower[i] = near(self.z_lower[i] + dual * direction.z_lower[i], self.x[i] - self.lower[i]);
            self.z_upper[i] = near(self.z_upper[i] + dual * direction.z_upper[i], self.upper[i] - self.x[i]);
        }
        self.line.iteration += 1;
        self.line.fraction = fraction;
        self.evaluate();
    }
}

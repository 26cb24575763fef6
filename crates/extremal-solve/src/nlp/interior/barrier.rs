//! The barrier problem: its objective, its errors, and how far a step may go towards the bounds.

use super::Interior;
use crate::nlp::standard::largest;

/// The smallest fraction of the way to a bound (8).
pub(super) const TO_THE_BOUNDARY: f64 = 0.99;
/// Multipliers larger than this on average make errors relative (5).
const LARGE_MULTIPLIER: f64 = 100.0;
/// Keeps variables with one bound from running away along flat directions (section 3.7).
const DAMPING: f64 = 1e-5;

impl Interior<'_, '_> {
    /// φ_μ(x).
    pub(super) fn barrier(&self, objective: f64, x: &[f64]) -> f64 {
        let mut sum = objective;
        for ((x, lower), upper) in x.iter().zip(&self.lower).zip(&self.upper) {
            let (below, above) = (x - lower, upper - x);
            for (slack, other) in [(below, above), (above, below)] {
                if slack.is_finite() {
                    sum -= self.mu * slack.ln();
                    if !other.is_finite() {
                        sum += DAMPING * self.mu * slack;
                    }
                }
            }
        }
        sum
    }

    /// ∇φ_μ(x).
    pub(super) fn barrier_gradient(&self) -> Vec<f64> {
        let mut sum = self.gradient.clone();
        for (i, sum) in sum.iter_mut().enumerate() {
            let (below, above) = (self.x[i] - self.lower[i], self.upper[i] - self.x[i]);
            if below.is_finite() {
                *sum -= self.mu / below;
                *sum += if above.is_finite() { 0.0 } else { DAMPING * self.mu };
            }
            if above.is_finite() {
                *sum += self.mu / above;
                *sum -= if below.is_finite() { 0.0 } else { DAMPING * self.mu };
            }
        }
        sum
    }

    /// The error of the barrier problem (5).
    pub(super) fn error(&self, dual: &[f64], mu: f64) -> f64 {
        let multipliers: f64 = self.z_lower.iter().chain(&self.z_upper).map(|z| z.abs()).sum();
        let all = multipliers + self.lambda.iter().map(|value| value.abs()).sum::<f64>();
        let mean = |sum: f64, count: usize| (sum / count.max(1) as f64).max(LARGE_MULTIPLIER) / LARGE_MULTIPLIER;
        let dual_scale = mean(all, self.lambda.len() + 2 * self.x.len());
        let bound_scale = mean(multipliers, 2 * self.x.len());
        let mut complementarity = 0.0f64;
        for i in 0..self.x.len() {
            let pairs = [(self.x[i] - self.lower[i], self.z_lower[i]), (self.upper[i] - self.x[i], self.z_upper[i])];
            for (slack, z) in pairs.into_iter().filter(|(slack, _)| slack.is_finite()) {
                complementarity = complementarity.max((slack * z - mu).abs());
            }
        }
        (largest(dual) / dual_scale).max(largest(&self.c)).max(complementarity / bound_scale)
    }

    /// Σ.
    pub(super) fn sigma(&self) -> Vec<f64> {
        let term = |z: f64, slack: f64| if slack.is_finite() { z / slack } else { 0.0 };
        (0..self.x.len())
            .map(|i| {
                term(self.z_lower[i], self.x[i] - self.lower[i]) + term(self.z_upper[i], self.upper[i] - self.x[i])
            })
            .collect()
    }

    /// The largest fraction of `dx` that keeps the distance to the bounds (15).
    pub(super) fn to_the_boundary(&self, dx: &[f64]) -> f64 {
        let tau = TO_THE_BOUNDARY.max(1.0 - self.mu);
        let mut fraction = 1.0f64;
        for (i, dx) in dx.iter().enumerate() {
            if *dx < 0.0 && self.lower[i].is_finite() {
                fraction = fraction.min(-tau * (self.x[i] - self.lower[i]) / dx);
            }
            if *dx > 0.0 && self.upper[i].is_finite() {
                fraction = fraction.min(tau * (self.upper[i] - self.x[i]) / dx);
            }
        }
        fraction
    }
}

/// A start strictly inside its bounds (section 3.6).
pub(super) fn pushed(x: f64, lower: f64, upper: f64, push: f64) -> f64 {
    let x = if x.is_finite() { x } else { 0.0 };
    let room = |bound: f64| match (upper - lower).is_finite() {
        true => (push * bound.abs().max(1.0)).min(push * (upper - lower)),
        false => push * bound.abs().max(1.0),
    };
    let x = if lower.is_finite() { x.max(lower + room(lower)) } else { x };
    if upper.is_finite() { x.min(upper - room(upper)) } else { x }
}

//! The filter: pairs of violation and objective that a new point must not be dominated by.

/// A margin by which a point must be better than each pair.
const VIOLATION_MARGIN: f64 = 1e-5;
const OBJECTIVE_MARGIN: f64 = 1e-8;

/// Pairs (θ, φ) that were left behind.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    largest_violation: f64,
    pairs: Vec<(f64, f64)>,
}

impl Filter {
    pub fn new(largest_violation: f64) -> Filter {
        Filter { largest_violation, pairs: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Is the point better than every pair in one of both?
    pub fn accepts(&self, theta: f64, phi: f64) -> bool {
        theta <= self.largest_violation && self.pairs.iter().all(|(t, p)| theta < *t || phi < *p)
    }

    /// Leaves a point behind.
    pub fn add(&mut self, theta: f64, phi: f64) {
        let pair = ((1.0 - VIOLATION_MARGIN) * theta, phi - OBJECTIVE_MARGIN * theta);
        self.pairs.retain(|(t, p)| *t < pair.0 || *p < pair.1);
        self.pairs.push(pair);
    }

    /// Is `new` sufficiently better than `old` in one of both? `slack` allows for round-off in φ.
    pub fn improves(old: (f64, f64), new: (f64, f64), slack: f64) -> bool {
        new.0 <= (1.0 - VIOLATION_MARGIN) * old.0 || new.1 - slack <= old.1 - OBJECTIVE_MARGIN * old.0
    }
}

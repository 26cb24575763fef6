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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_better_than_a_point_left_behind_is_not_accepted() {
        let mut filter = Filter::new(100.0);
        filter.add(1.0, 5.0);
        filter.add(3.0, 2.0);
        assert!(filter.accepts(0.5, 9.0), "less violation than both");
        assert!(filter.accepts(2.0, 4.0), "a lower objective than the first, less violation than the second");
        assert!(filter.accepts(50.0, 1.0), "a lower objective than both");
        assert!(!filter.accepts(1.0, 5.0), "left behind");
        assert!(!filter.accepts(2.0, 6.0) && !filter.accepts(4.0, 3.0), "dominated by one of them");
        assert!(!filter.accepts(101.0, -1e9), "a violation beyond all");
        // A point that dominates both takes their place.
        filter.add(0.5, 1.0);
        assert_eq!(filter.pairs.len(), 1);
        filter.clear();
        assert!(filter.accepts(2.0, 6.0));
    }
}

//! How far a quantity that should be constant moves, and whether it keeps moving.

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Running record of one invariant: extremes of its departure from the first
/// value, and the least-squares line through that departure over time.
///
/// A structure-preserving method keeps the energy error *bounded without a
/// slope*; the two numbers to assert are [`max_drift`](Self::max_drift) and
/// [`trend`](Self::trend).
///
/// ```
/// use extremal_trajectory::Drift;
///
/// let mut drift = Drift::default();
/// for i in 0..=100 {
///     let t = 0.1 * i as f64;
///     drift.push(t, 5.0 + 0.25 * t);
/// }
/// assert_eq!(drift.first(), Some(5.0));
/// assert!((drift.max_drift() - 2.5).abs() < 1e-14);
/// assert!((drift.slope().unwrap() - 0.25).abs() < 1e-14);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Drift {
    first: Option<f64>,
    last: f64,
    max: f64,
    max_at: f64,
    leaps: f64,
    line: Line,
}

/// Least-squares line by running means (Welford) of the time since the first
/// sample, so that neither a late start nor many samples cancel digits away.
#[derive(Debug, Clone, Default, PartialEq)]
struct Line {
    count: f64,
    mean_t: f64,
    mean_d: f64,
    tt: f64,
    td: f64,
    dd: f64,
    t_first: f64,
    t_last: f64,
}

impl Line {
    fn push(&mut self, t: f64, d: f64) {
        if self.count == 0.0 {
            self.t_first = t;
        }
        self.t_last = t;
        self.count += 1.0;
        let t = t - self.t_first;
        let from_t = t - self.mean_t;
        let from_d = d - self.mean_d;
        self.mean_t += from_t / self.count;
        self.mean_d += from_d / self.count;
        self.tt += from_t * (t - self.mean_t);
        self.td += from_t * (d - self.mean_d);
        self.dd += from_d * (d - self.mean_d);
    }

    fn slope(&self) -> Option<f64> {
        (self.tt > 0.0).then(|| self.td / self.tt)
    }

    fn scatter(&self) -> Option<f64> {
        let slope = self.slope()?;
        Some(((self.dd - slope * self.td).max(0.0) / self.count).sqrt())
    }
}

impl Drift {
    /// Takes the next value. A value that is not finite makes the drift
    /// infinite: a quantity that ceased to exist was not conserved.
    #[inline]
    pub fn push(&mut self, t: f64, value: f64) {
        self.last = value;
        let first = *self.first.get_or_insert_with(|| {
            self.max_at = t;
            value
        });
        let departure = value - first - self.leaps;
        if !departure.is_finite() {
            if self.max.is_finite() {
                self.max = f64::INFINITY;
                self.max_at = t;
            }
            return;
        }
        if departure.abs() > self.max {
            self.max = departure.abs();
            self.max_at = t;
        }
        if t.is_finite() {
            self.line.push(t, departure);
        }
    }

    /// Takes values at given times, as if one after the other.
    pub fn push_all(&mut self, times: &[f64], values: &[f64]) {
        // In registers, and not in memory, from one value to the next.
        let mut own = self.clone();
        times.iter().zip(values).for_each(|(t, value)| own.push(*t, *value));
        *self = own;
    }

    /// From now on the quantity is another by so much, which was meant and is no drift.
    pub fn leap(&mut self, change: f64) {
        self.leaps += change;
    }

    /// By how much it was changed on purpose.
    pub fn leaps(&self) -> f64 {
        self.leaps
    }

    /// The first value, if any was seen.
    pub fn first(&self) -> Option<f64> {
        self.first
    }

    /// The last value, if any was seen.
    pub fn last(&self) -> Option<f64> {
        self.first.map(|_| self.last)
    }

    /// The largest |value - first|, what [leaps](Self::leap) changed apart; infinite once a value was not finite.
    pub fn max_drift(&self) -> f64 {
        self.max
    }

    /// When the largest departure first happened.
    pub fn max_drift_at(&self) -> Option<f64> {
        self.first.map(|_| self.max_at)
    }

    /// The largest departure over |first|; `None` when the first value is zero
    /// or not finite, where a relative drift means nothing.
    pub fn relative(&self) -> Option<f64> {
        let first = self.first.filter(|f| *f != 0.0 && f.is_finite())?;
        Some(self.max / first.abs())
    }

    /// The least-squares slope over time; `None` before two distinct times.
    pub fn slope(&self) -> Option<f64> {
        self.line.slope()
    }

    /// The change along the fitted line over the whole time span: the part of
    /// the drift that grows. For an oscillation of amplitude `A` and period `P`
    /// over a span `T` it falls like `A P / T` while the maximal drift stays.
    pub fn trend(&self) -> Option<f64> {
        Some(self.slope()? * (self.line.t_last - self.line.t_first))
    }

    /// The root-mean-square distance from the fitted line.
    pub fn scatter(&self) -> Option<f64> {
        self.line.scatter()
    }
}

/// What is missing or not finite is `null` in JSON.
impl Serialize for Drift {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let leapt = self.leaps != 0.0;
        let mut fields = serializer.serialize_struct("Drift", 6 + usize::from(leapt))?;
        fields.serialize_field("first", &self.first())?;
        fields.serialize_field("last", &self.last())?;
        fields.serialize_field("max_drift", &self.max_drift())?;
        fields.serialize_field("max_drift_at", &self.max_drift_at())?;
        fields.serialize_field("relative", &self.relative())?;
        fields.serialize_field("slope", &self.slope())?;
        if leapt {
            fields.serialize_field("events", &self.leaps())?;
        }
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(n: usize, end: f64, f: impl Fn(f64) -> f64) -> Drift {
        let mut drift = Drift::default();
        for i in 0..=n {
            let t = end * i as f64 / n as f64;
            drift.push(t, f(t));
        }
        drift
    }

    #[test]
    fn empty_and_single() {
        let mut drift = Drift::default();
        assert_eq!((drift.first(), drift.last(), drift.slope()), (None, None, None));
        drift.push(3.0, 7.0);
        assert_eq!((drift.first(), drift.last()), (Some(7.0), Some(7.0)));
        assert_eq!((drift.max_drift(), drift.max_drift_at()), (0.0, Some(3.0)));
        assert_eq!(drift.slope(), None);
    }

    #[test]
    fn line_far_from_the_origin_keeps_its_slope() {
        // Times near 1e6 over a span of 1: forming sums of t² would lose
        // 12 digits. Here t - 1e6 is exact, and n running updates round by ε
        // each: 1000·2.2e-16 relative.
        let mut drift = Drift::default();
        for i in 0..1000 {
            let t = 1e6 + i as f64 / 1000.0;
            drift.push(t, 2.0 - 0.5 * (t - 1e6));
        }
        assert!((drift.slope().unwrap() + 0.5).abs() < 1e-12);
        // A difference of equal sums of squares, each rounded: √ of the above.
        assert!(drift.scatter().unwrap() < 1e-6);
    }

    #[test]
    fn oscillation_is_bounded_and_its_slope_is_the_closed_form() {
        // For f = sin(w t) on [0, T] with w T = 2 pi m the least-squares slope
        // is 12/T³ ∫(t - T/2) f dt = -12/(w T²). The sums are the rectangle
        // rule with both ends counted; f vanishes there, and the denominator
        // Σ(t-T/2)² exceeds n·T²/12 by the factor 1 + 2/n.
        let (periods, end, n) = (50.0, 10.0, 200_000);
        let w = 2.0 * std::f64::consts::PI * periods / end;
        let drift = over(n, end, |t| 1.0 + 1e-3 * (w * t).sin());
        let slope = -12.0 * 1e-3 / (w * end * end);
        assert!((drift.slope().unwrap() / slope - 1.0).abs() < 1e-4);
        assert!((drift.max_drift() - 1e-3).abs() < 1e-9);
        // |trend| = 12 A/(w T) = (6/pi) A/periods.
        assert!(drift.trend().unwrap().abs() < 2.0 * 1e-3 / periods);
        // RMS of a sine is A/sqrt(2) when the line removes next to nothing.
        assert!((drift.scatter().unwrap() / (1e-3 / 2f64.sqrt()) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn maximum_and_its_time() {
        // t(2-t) peaks at t = 1 with value 1, on the grid exactly.
        let drift = over(200, 2.0, |t| 3.0 + t * (2.0 - t));
        assert_eq!(drift.max_drift_at(), Some(1.0));
        assert_eq!(drift.max_drift(), 1.0);
        assert_eq!(drift.relative(), Some(1.0 / 3.0));
        // Symmetric about the middle: no slope beyond rounding.
        assert!(drift.slope().unwrap().abs() < 1e-14);
    }

    #[test]
    fn a_fall_counts_like_a_rise_and_the_trend_is_that_of_the_span() {
        // Exact in floating point: 7 - (t - 8)/4 from t = 8 to 16 falls by 2.
        let mut drift = Drift::default();
        (0..=16).for_each(|i| drift.push(8.0 + 0.5 * f64::from(i), 7.0 - 0.125 * f64::from(i)));
        assert_eq!((drift.max_drift(), drift.max_drift_at()), (2.0, Some(16.0)));
        assert!((drift.trend().unwrap() + 2.0).abs() < 1e-14, "{:?}", drift.trend());
    }

    #[test]
    fn a_value_that_is_not_finite_is_an_infinite_drift() {
        let mut drift = over(10, 1.0, |_| 4.0);
        drift.push(1.1, f64::NAN);
        drift.push(1.2, 4.0);
        assert_eq!(drift.max_drift(), f64::INFINITY);
        assert_eq!(drift.max_drift_at(), Some(1.1));
        assert!(serde_json::to_value(&drift).unwrap()["max_drift"].is_null());
        assert_eq!(drift.slope(), Some(0.0));
    }

    #[test]
    fn relative_to_zero_is_nothing() {
        assert_eq!(over(4, 1.0, |t| t).relative(), None);
    }
}

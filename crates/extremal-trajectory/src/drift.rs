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
    /// Of the values that do not wait any more.
    max: f64,
    max_at: f64,
    leaps: f64,
    line: Line,
    waiting: Waiting,
}

/// So many values are taken together.
const GROUP: usize = 32;
/// Sums go side by side, as many as fill a register or more.
const STRANDS: usize = 8;

/// Values that are taken together once there are enough of them, wherever the blocks end that they come in: the bits do not depend on it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Waiting {
    count: usize,
    times: [f64; GROUP],
    departures: [f64; GROUP],
}

/// Least-squares line by means and squares of the departures from them, of the time since the first sample and of the values, so that neither a late start nor many
/// samples cancel digits away. Groups are joined as Chan, Golub and LeVeque do (The American Statistician 37, 1983).
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

/// The sum over times and departures, in strands.
#[inline(always)]
fn sum(times: &[f64], departures: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
    let mut strands = [0.0; STRANDS];
    let (times, last_times) = times.as_chunks::<STRANDS>();
    let (departures, last_departures) = departures.as_chunks::<STRANDS>();
    for (times, departures) in times.iter().zip(departures) {
        for at in 0..STRANDS {
            strands[at] += of(times[at], departures[at]);
        }
    }
    for ((strand, time), departure) in strands.iter_mut().zip(last_times).zip(last_departures) {
        *strand += of(*time, *departure);
    }
    strands.iter().sum()
}

impl Line {
    /// Takes a few values and their times.
    #[inline(always)]
    fn join(&mut self, times: &[f64], departures: &[f64]) {
        let Some(([first, ..], [.., last])) = times.first_chunk::<1>().zip(times.last_chunk::<1>()) else { return };
        if self.count == 0.0 {
            self.t_first = *first;
        }
        self.t_last = *last;
        let (own, t_first) = (times.len() as f64, self.t_first);
        let mean_t = sum(times, departures, |t, _| t - t_first) / own;
        let mean_d = sum(times, departures, |_, d| d) / own;
        let (from_t, from_d) = (|t: f64| (t - t_first) - mean_t, |d: f64| d - mean_d);
        let tt = sum(times, departures, |t, _| from_t(t) * from_t(t));
        let td = sum(times, departures, |t, d| from_t(t) * from_d(d));
        let dd = sum(times, departures, |_, d| from_d(d) * from_d(d));
        let (apart_t, apart_d) = (mean_t - self.mean_t, mean_d - self.mean_d);
        let part = own / (self.count + own);
        let both = self.count * part;
        self.mean_t += apart_t * part;
        self.mean_d += apart_d * part;
        self.tt += tt + apart_t * apart_t * both;
        self.td += td + apart_t * apart_d * both;
        self.dd += dd + apart_d * apart_d * both;
        self.count += own;
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
        if !t.is_finite() {
            self.settle();
            self.grow(departure.abs(), t);
            return;
        }
        let Waiting { count, times, departures } = &mut self.waiting;
        (times[*count], departures[*count]) = (t, departure);
        *count += 1;
        if *count == GROUP {
            self.settle();
        }
    }

    /// Takes values at given times, as if one after the other.
    #[inline(always)]
    pub fn push_all(&mut self, mut times: &[f64], mut values: &[f64]) {
        let leaps = self.leaps;
        while let (Some(first), [_, ..], [_, ..]) = (self.first, times, values) {
            let Waiting { count, times: own_times, departures } = &mut self.waiting;
            let size = (GROUP - *count).min(times.len()).min(values.len());
            let (now, later) = times.split_at(size);
            let (values_now, values_later) = values.split_at(size);
            let own = own_times[*count..].iter_mut().zip(&mut departures[*count..]);
            let mut finite = true;
            for ((own_time, departure), (time, value)) in own.zip(now.iter().zip(values_now)) {
                (*own_time, *departure) = (*time, value - first - leaps);
                finite &= (departure.abs() < f64::INFINITY) & (time.abs() < f64::INFINITY);
            }
            match finite {
                true => {
                    *count += size;
                    self.last = values_now[size - 1];
                    if self.waiting.count == GROUP {
                        self.settle();
                    }
                }
                false => now.iter().zip(values_now).for_each(|(t, value)| self.push(*t, *value)),
            }
            (times, values) = (later, values_later);
        }
        times.iter().zip(values).for_each(|(t, value)| self.push(*t, *value));
    }

    /// Takes the values that wait.
    #[inline(always)]
    fn settle(&mut self) {
        let Waiting { count, times, departures } = &self.waiting;
        // The compiler shall not know the number: it would write the loops out, one number after the other.
        let count = std::hint::black_box(*count);
        let (times, departures) = (&times[..count], &departures[..count]);
        self.line.join(times, departures);
        let mut strands = [0.0; STRANDS];
        for group in departures.chunks(STRANDS) {
            for (strand, departure) in strands.iter_mut().zip(group) {
                let size = departure.abs();
                *strand = if size > *strand { size } else { *strand };
            }
        }
        let largest = strands.into_iter().fold(0.0, f64::max);
        if largest > self.max
            && let Some(at) = departures.iter().position(|departure| departure.abs() == largest)
        {
            (self.max, self.max_at) = (largest, times[at]);
        }
        self.waiting.count = 0;
    }

    fn grow(&mut self, size: f64, t: f64) {
        if size > self.max {
            (self.max, self.max_at) = (size, t);
        }
    }

    /// The same where nothing waits.
    fn settled(&self) -> Drift {
        let mut settled = self.clone();
        settled.settle();
        settled
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
        self.settled().max
    }

    /// When the largest departure first happened.
    pub fn max_drift_at(&self) -> Option<f64> {
        self.first.map(|_| self.settled().max_at)
    }

    /// The largest departure over |first|; `None` when the first value is zero
    /// or not finite, where a relative drift means nothing.
    pub fn relative(&self) -> Option<f64> {
        let first = self.first.filter(|f| *f != 0.0 && f.is_finite())?;
        Some(self.max_drift() / first.abs())
    }

    /// The least-squares slope over time; `None` before two distinct times.
    pub fn slope(&self) -> Option<f64> {
        self.settled().line.slope()
    }

    /// The change along the fitted line over the whole time span: the part of
    /// the drift that grows. For an oscillation of amplitude `A` and period `P`
    /// over a span `T` it falls like `A P / T` while the maximal drift stays.
    pub fn trend(&self) -> Option<f64> {
        let line = self.settled().line;
        Some(line.slope()? * (line.t_last - line.t_first))
    }

    /// The root-mean-square distance from the fitted line.
    pub fn scatter(&self) -> Option<f64> {
        self.settled().line.scatter()
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
    fn groups_do_not_depend_on_how_values_come() {
        // Sizes of pieces that end inside of groups, at their ends, and beyond several; some times and values are not finite.
        let value = |i: usize| if i == 57 { f64::NAN } else { 3.0 + 1e-3 * (0.37 * i as f64).sin() };
        let time = |i: usize| if i == 140 { f64::INFINITY } else { 0.1 * i as f64 };
        let (times, values): (Vec<f64>, Vec<f64>) = (0..331).map(|i| (time(i), value(i))).unzip();
        let mut alone = Drift::default();
        times.iter().zip(&values).for_each(|(t, value)| alone.push(*t, *value));
        for size in [1, 7, 31, 32, 33, 100, 331] {
            let mut together = Drift::default();
            times.chunks(size).zip(values.chunks(size)).for_each(|(t, values)| together.push_all(t, values));
            let said = |drift: &Drift| [drift.slope(), drift.scatter(), drift.max_drift_at(), drift.last()];
            assert_eq!(said(&together), said(&alone), "{size}");
            assert_eq!(together.max_drift(), f64::INFINITY);
        }
    }

    #[test]
    fn a_long_line_is_that_of_exact_sums() {
        // Integers, whose sums are exact in 128 bits: departures of a sawtooth over a slow rise, from a late start.
        let n = 200_003i64;
        let (start, departure) = (1i64 << 40, |i: i64| i / 1000 + (i * 7919) % 101);
        let mut drift = Drift::default();
        (0..n).for_each(|i| drift.push((start + i) as f64, departure(i) as f64));
        let (mut t, mut d, mut tt, mut td, mut dd) = (0i128, 0i128, 0i128, 0i128, 0i128);
        for i in 0..n {
            let (a, b) = (i128::from(i), i128::from(departure(i)));
            (t, d, tt, td, dd) = (t + a, d + b, tt + a * a, td + a * b, dd + b * b);
        }
        let n = i128::from(n);
        let [above, below, squares] = [n * td - t * d, n * tt - t * t, n * dd - d * d].map(|exact| exact as f64);
        let slope = above / below;
        // 6250 groups are joined, each by a rounding of the sums; the squares in them keep their sign.
        let rounding = 6250.0 * f64::EPSILON;
        assert!((drift.slope().unwrap() / slope - 1.0).abs() < rounding);
        let scatter = ((squares - slope * above) / (n * n) as f64).sqrt();
        assert!((drift.scatter().unwrap() / scatter - 1.0).abs() < rounding);
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

//! Intervals that hold every value of an expression, computed in floating point and widened by more than its round-off.

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Round-off of a sum, relative to its terms, and much more.
const WIDER: f64 = 1e-12;

impl Interval {
    pub fn new(low: f64, high: f64) -> Interval {
        Interval { low, high }
    }

    pub fn point(value: f64) -> Interval {
        Interval::new(value, value)
    }

    /// All numbers whose magnitude is at most `size`.
    pub fn within(size: f64) -> Interval {
        Interval::new(-size, size)
    }

    /// The largest magnitude.
    pub fn size(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The least magnitude.
    pub fn least(self) -> f64 {
        if self.low > 0.0 { self.low } else { (-self.high).max(0.0) }
    }

    pub fn join(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    pub fn times(self, other: Interval) -> Interval {
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        Interval::new(
            ends.into_iter().fold(f64::INFINITY, f64::min),
            ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// The sum of these, and a constant.
    pub fn sum(constant: f64, terms: impl Iterator<Item = Interval>) -> Interval {
        let (mut sum, mut size, mut sign) =
            (Interval::point(constant), constant.abs(), (constant >= 0.0, constant <= 0.0));
        for term in terms {
            sum = Interval::new(sum.low + term.low, sum.high + term.high);
            size += term.size();
            sign = (sign.0 && term.low >= 0.0, sign.1 && term.high <= 0.0);
        }
        // Terms of one sign do not cancel: what is lost then is a part of their sum.
        Interval::new(
            sum.low - WIDER * if sign.0 { sum.low } else { size },
            sum.high + WIDER * if sign.1 { sum.high.abs() } else { size },
        )
    }

    /// A power; of a negative one only what `away` leaves counts: numbers of at least this magnitude.
    pub fn power(self, exponent: i64, away: f64) -> Interval {
        let n = exponent.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let (least, size) = match exponent > 0 {
            true => (self.least().powi(n), self.size().powi(n)),
            false => (self.size().powi(n), self.least().max(away).powi(n)),
        };
        match () {
            () if exponent % 2 == 0 || self.low >= 0.0 => Interval::new(least, size),
            () if self.high <= 0.0 => Interval::new(-size, -least),
            () => Interval::within(size),
        }
        .wider()
    }

    /// The values of a function that never falls.
    pub fn rising(self, function: impl Fn(f64) -> f64) -> Interval {
        Interval::new(function(self.low), function(self.high)).wider()
    }

    fn wider(self) -> Interval {
        let outward = |x: f64, sign: f64| x + sign * WIDER * x.abs();
        Interval::new(outward(self.low, -1.0), outward(self.high, 1.0))
    }
}

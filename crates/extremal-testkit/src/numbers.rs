//! Numbers: how far apart, of which order, always the same random ones.

/// Checks that two numbers agree up to the rounding of a handful of operations on terms of this size.
pub fn assert_close(a: f64, b: f64, size: f64) {
    assert!((a - b).abs() <= 32.0 * f64::EPSILON * size, "{a} is not {b}");
}

/// The largest difference of the numbers of two lists.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Least-squares slope of log(error) over log(step). Points at round-off (below `floor`) are left out; at least three must remain.
pub fn measured_order(points: &[(f64, f64)], floor: f64) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().filter(|(_, e)| *e > floor).map(|(h, e)| (h.ln(), e.ln())).collect();
    assert!(logs.len() >= 3, "too few points above round-off: {points:?}");
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = logs.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    sxy / sxx
}

/// The order of `error`, a function of the step, over a step and three halvings of it; says what was measured.
pub fn order_of(what: &str, step: f64, floor: f64, error: impl Fn(f64) -> f64) -> f64 {
    let points = [1.0, 2.0, 4.0, 8.0].map(|parts| step / parts).map(|h| (h, error(h)));
    let order = measured_order(&points, floor);
    println!("{what}: order {order:.3}, {points:?}");
    order
}

/// A method, its order, by how much the measured one may differ, and the numbers of steps to measure it with.
pub type OrderCase<'a> = (&'a str, f64, f64, &'a [u64]);

/// Measures the orders of every error of runs of `method` in so many steps until `end`. All wrong ones are told together.
pub fn assert_orders(
    what: &str,
    cases: &[OrderCase<'_>],
    end: f64,
    floor: f64,
    errors: impl Fn(&str, u64) -> Vec<f64>,
) {
    let mut wrong = Vec::new();
    for (method, order, tolerance, counts) in cases {
        let errors: Vec<Vec<f64>> = counts.iter().map(|n| errors(method, *n)).collect();
        for at in 0..errors[0].len() {
            let points: Vec<(f64, f64)> = counts.iter().zip(&errors).map(|(n, e)| (end / *n as f64, e[at])).collect();
            let measured = measured_order(&points, floor);
            println!("{what} {method}, error {at}: {measured:.3} {points:?}");
            if (measured - order).abs() >= *tolerance {
                wrong.push(format!("{method}, error {at}: {order} expected, {measured:.3} measured, {points:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{what}: {wrong:#?}");
}

/// A root between `low` and `high`, where `f` has different signs.
pub fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    assert!(f(low) * f(high) < 0.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(low) * f(middle) <= 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// Random numbers that are the same in every run of a test (splitmix64).
pub struct Draws(pub u64);

impl Draws {
    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of this range, all equally likely.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of 0, 1, …, n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A number with two digits behind the point.
    pub fn number(&mut self, low: f64, high: f64) -> f64 {
        ((low + self.between(0.0, 1.0) * (high - low)) * 100.0).round() / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first numbers of the authors' program for the seed 1234567.
        let mut draws = Draws(1_234_567);
        assert_eq!([draws.bits(), draws.bits()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}

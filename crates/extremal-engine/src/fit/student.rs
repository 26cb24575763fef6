//! Quantiles of Student's distribution, for intervals of confidence.

use std::f64::consts::FRAC_PI_2;

/// Beyond so many degrees of freedom the distribution is a normal one with three corrections, to nine digits.
const MANY: f64 = 200.0;
/// Points of a quadrature: the integrands are smooth, and narrow by a factor of fifteen at most.
const POINTS: u32 = 2000;

/// The number that a variable with so many degrees of freedom exceeds in size with the probability 1 − `confidence`. Without degrees of
/// freedom it is that of the normal distribution.
pub fn two_sided(confidence: f64, degrees: Option<f64>) -> f64 {
    let normal = normal_two_sided(confidence);
    let Some(nu) = degrees else { return normal };
    if nu > MANY {
        let (z, z3, z5, z7) = (normal, normal.powi(3), normal.powi(5), normal.powi(7));
        let terms = [
            (z3 + z) / 4.0,
            (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0,
            (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0,
        ];
        return z + terms[0] / nu + terms[1] / nu.powi(2) + terms[2] / nu.powi(3);
    }
    // With t = sqrt(nu) tan(a) the density is that of cos(a)^(nu - 1).
    let density = |a: f64| a.cos().powf(nu - 1.0);
    let whole = integral(density, FRAC_PI_2);
    let within = |a: f64| integral(density, a) / whole;
    nu.sqrt() * bisected(within, confidence, FRAC_PI_2).tan()
}

fn normal_two_sided(confidence: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() * (2.0 / std::f64::consts::PI).sqrt();
    bisected(|x| integral(density, x), confidence, 9.0)
}

/// Simpson's rule from zero.
fn integral(of: impl Fn(f64) -> f64, to: f64) -> f64 {
    let h = to / f64::from(POINTS);
    let weight = |at: u32| if at == 0 || at == POINTS { 1.0 } else { f64::from(2 + 2 * (at % 2)) };
    (0..=POINTS).map(|at| weight(at) * of(f64::from(at) * h)).sum::<f64>() * h / 3.0
}

/// Where a growing function from 0 to 1 has this value.
fn bisected(of: impl Fn(f64) -> f64, value: f64, end: f64) -> f64 {
    let (mut low, mut high) = (0.0, end);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if of(middle) < value { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, Handbook of Mathematical Functions (1964), table 26.10, and the normal quantile.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [(1.0, 12.706), (2.0, 4.303), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042), (120.0, 1.980)];
        for (nu, expected) in table {
            assert!((two_sided(0.95, Some(nu)) - expected).abs() < 6e-4, "{nu}");
        }
        assert!((two_sided(0.95, None) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!((two_sided(0.99, Some(10.0)) - 3.169).abs() < 6e-4);
        // Both ways meet.
        assert!((two_sided(0.95, Some(200.0)) - two_sided(0.95, Some(200.0 + 1e-9))).abs() < 1e-7);
    }
}

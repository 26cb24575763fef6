//! Gauss–Legendre and Gauss–Lobatto quadrature on [0, 1], and Lagrange interpolation.

use extremal_expr::Function;

/// Nodes and weights on [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct QuadratureRule {
    /// Nodes, increasing.
    pub nodes: Vec<f64>,
    /// Weights; they sum to 1.
    pub weights: Vec<f64>,
}

impl QuadratureRule {
    /// `n` Gauss nodes: exact for polynomials of degree 2n−1.
    ///
    /// ```
    /// use extremal_mechanics::discrete::QuadratureRule;
    /// let rule = QuadratureRule::gauss(2);
    /// let cubic: f64 = rule.nodes.iter().zip(&rule.weights).map(|(c, b)| b * c.powi(3)).sum();
    /// assert!((cubic - 0.25).abs() < 1e-15);
    /// ```
    pub fn gauss(n: usize) -> QuadratureRule {
        let nodes: Vec<f64> = (0..n)
            .map(|i| {
                let guess = Function::Cos.apply(std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5));
                polish(-guess, |x| {
                    let (p, dp, _) = legendre(n, x);
                    p / dp
                })
            })
            .collect();
        // By P_(n+1), which is large where P_n vanishes: the usual form with P_n' loses digits.
        let weight = |x: &f64| (1.0 - x * x) / ((n + 1) as f64 * legendre(n + 1, *x).0).powi(2);
        let weights = nodes.iter().map(weight).collect();
        Self::on_unit_interval(nodes, weights)
    }

    /// `n >= 2` Lobatto nodes, both ends among them: exact for polynomials of degree 2n−3.
    pub fn lobatto(n: usize) -> QuadratureRule {
        let m = n - 1;
        let nodes: Vec<f64> = (0..n)
            .map(|i| match i {
                0 => -1.0,
                i if i == m => 1.0,
                i => {
                    let guess = -Function::Cos.apply(std::f64::consts::PI * i as f64 / m as f64);
                    polish(guess, |x| {
                        let (_, dp, ddp) = legendre(m, x);
                        dp / ddp
                    })
                }
            })
            .collect();
        let scale = (n * m) as f64;
        let weights = nodes.iter().map(|x| 1.0 / (scale * legendre(m, *x).0.powi(2))).collect();
        Self::on_unit_interval(nodes, weights)
    }

    /// From [−1, 1] with weights already halved; made exactly symmetric.
    fn on_unit_interval(x: Vec<f64>, weights: Vec<f64>) -> QuadratureRule {
        let n = x.len();
        let nodes = (0..n).map(|i| 0.5 + 0.25 * (x[i] - x[n - 1 - i])).collect();
        let weights = (0..n).map(|i| 0.5 * (weights[i] + weights[n - 1 - i])).collect();
        QuadratureRule { nodes, weights }
    }
}

/// Newton on a simple root with a good guess: a handful of iterations reach round-off.
fn polish(mut x: f64, newton: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..12 {
        x -= newton(x);
    }
    x
}

/// P_n, P_n' and P_n'' at x inside (−1, 1); only P_n at ±1.
fn legendre(n: usize, x: f64) -> (f64, f64, f64) {
    let (mut p, mut previous) = (1.0, 0.0);
    for k in 0..n {
        let k = k as f64;
        (p, previous) = (((2.0 * k + 1.0) * x * p - k * previous) / (k + 1.0), p);
    }
    let n = n as f64;
    let dp = n * (x * p - previous) / (x * x - 1.0);
    let ddp = (2.0 * x * dp - n * (n + 1.0) * p) / (1.0 - x * x);
    (p, dp, ddp)
}

/// Value and slope at `x` of the Lagrange polynomial that is 1 at `nodes[i]` and 0 at the others.
pub fn lagrange(nodes: &[f64], i: usize, x: f64) -> (f64, f64) {
    let others = || nodes.iter().enumerate().filter(move |(j, _)| *j != i).map(|(_, c)| *c);
    let value = others().map(|c| (x - c) / (nodes[i] - c)).product();
    let slope = others()
        .enumerate()
        .map(|(skip, c)| {
            let rest = others().enumerate().filter(|(k, _)| *k != skip);
            rest.map(|(_, d)| (x - d) / (nodes[i] - d)).product::<f64>() / (nodes[i] - c)
        })
        .sum();
    (value, slope)
}

/// ∫_0^x of the i-th Lagrange polynomial: the Runge–Kutta matrix of collocation, by exact quadrature.
pub fn lagrange_integral(nodes: &[f64], i: usize, x: f64) -> f64 {
    let rule = QuadratureRule::gauss(nodes.len());
    rule.nodes.iter().zip(&rule.weights).map(|(c, b)| b * lagrange(nodes, i, c * x).0).sum::<f64>() * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_exact_to_their_degree_and_no_further() {
        for n in 1..=9 {
            for (rule, degree) in [(QuadratureRule::gauss(n), 2 * n - 1), (QuadratureRule::lobatto(n + 1), 2 * n - 1)] {
                for d in 0..=degree + 1 {
                    let sum: f64 = rule.nodes.iter().zip(&rule.weights).map(|(c, b)| b * c.powi(d as i32)).sum();
                    let error = (sum - 1.0 / (d as f64 + 1.0)).abs();
                    // A sum of n positive terms below 1, each node and weight off by a few ulp.
                    assert_eq!(error < 1e-14, d <= degree, "n {n} degree {d}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn known_nodes() {
        assert_eq!(QuadratureRule::gauss(1), QuadratureRule { nodes: vec![0.5], weights: vec![1.0] });
        let simpson = QuadratureRule::lobatto(3);
        assert_eq!(simpson.nodes, [0.0, 0.5, 1.0]);
        assert!((simpson.weights[1] - 2.0 / 3.0).abs() < 1e-16);
        assert!((QuadratureRule::gauss(2).nodes[0] - (0.5 - 3f64.sqrt() / 6.0)).abs() < 1e-16);
    }

    #[test]
    fn interpolation_reproduces_a_cubic() {
        let nodes = [0.0, 0.3, 0.7, 1.0];
        let f = |x: f64| x.powi(3) - 2.0 * x;
        let x = 0.41;
        let value: f64 = (0..4).map(|i| f(nodes[i]) * lagrange(&nodes, i, x).0).sum();
        let slope: f64 = (0..4).map(|i| f(nodes[i]) * lagrange(&nodes, i, x).1).sum();
        let integral: f64 = (0..4).map(|i| f(nodes[i]) * lagrange_integral(&nodes, i, x)).sum();
        assert!((value - f(x)).abs() < 1e-15);
        assert!((slope - (3.0 * x * x - 2.0)).abs() < 1e-14);
        assert!((integral - (x.powi(4) / 4.0 - x * x)).abs() < 1e-15);
    }
}

//! Chains of any number of members (`n` is a parameter of the file).

use super::{ANGLE, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "chain-pendulum",
            coordinates: &["theta"],
            positions: &[ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                let n = q.len();
                // Joint i carries the masses i, i+1, ..., n-1.
                let carried = |i: usize| (n - i) as f64;
                (0..n)
                    .map(|i| {
                        let inertia: f64 = (0..n)
                            .map(|j| {
                                let (sin, cos) = (q[i] - q[j]).sin_cos();
                                carried(i.max(j)) * (a[j] * cos + v[j] * v[j] * sin)
                            })
                            .sum();
                        m * l * l * inertia + m * g * l * carried(i) * q[i].sin()
                    })
                    .collect()
            },
            energy: |par, q, v, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                let n = q.len();
                let carried = |i: usize| (n - i) as f64;
                let mut energy = 0.0;
                for i in 0..n {
                    energy -= m * g * l * carried(i) * q[i].cos();
                    for j in 0..n {
                        energy += m * l * l * carried(i.max(j)) * v[i] * v[j] * (q[i] - q[j]).cos() / 2.0;
                    }
                }
                energy
            },
        },
        HandTyped {
            gallery: "fermi-pasta-ulam",
            coordinates: &["q"],
            positions: &[(-1.0, 1.0)],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let alpha = par("alpha");
                let tension: Vec<f64> = stretches(q).map(|r| r + alpha * r * r).collect();
                (0..q.len()).map(|i| a[i] - (tension[i + 1] - tension[i])).collect()
            },
            energy: |par, q, v, _| {
                let kinetic: f64 = v.iter().map(|v| v * v / 2.0).sum();
                let elastic: f64 = stretches(q).map(|r| r * r / 2.0 + par("alpha") * r * r * r / 3.0).sum();
                kinetic + elastic
            },
        },
        HandTyped {
            gallery: "toda-lattice",
            coordinates: &["q"],
            positions: &[(-1.0, 1.0)],
            velocities: SLOW,
            residual: |_, q, _, a, _| {
                let n = q.len();
                (0..n).map(|i| a[i] + (q[i] - q[(i + 1) % n]).exp() - (q[(i + n - 1) % n] - q[i]).exp()).collect()
            },
            energy: |_, q, v, _| {
                let n = q.len();
                (0..n).map(|i| v[i] * v[i] / 2.0 + (q[i] - q[(i + 1) % n]).exp()).sum()
            },
        },
    ]
}

/// Stretches of the `n + 1` springs of a chain between two walls.
fn stretches(q: &[f64]) -> impl Iterator<Item = f64> {
    let n = q.len();
    (0..=n).map(move |i| {
        let right = if i < n { q[i] } else { 0.0 };
        let left = if i > 0 { q[i - 1] } else { 0.0 };
        right - left
    })
}

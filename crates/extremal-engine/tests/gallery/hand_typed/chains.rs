//! Chains of any number of members (`n` is a parameter of the file).

use super::{ANGLE, HandTyped, Sample, typed};

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("chain-pendulum", &[ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, l, g) = (p("m"), p("l"), p("g"));
            let n = q.len();
            // Joint i carries the masses i, i+1, ..., n-1.
            let carried = |i: usize| (n - i) as f64;
            let (mut rows, mut energy) = (Vec::new(), 0.0);
            for i in 0..n {
                let mut inertia = 0.0;
                energy -= m * g * l * carried(i) * q[i].cos();
                for j in 0..n {
                    let (sin, cos) = (q[i] - q[j]).sin_cos();
                    inertia += carried(i.max(j)) * (a[j] * cos + v[j] * v[j] * sin);
                    energy += m * l * l * carried(i.max(j)) * v[i] * v[j] * cos / 2.0;
                }
                rows.push(m * l * l * inertia + m * g * l * carried(i) * q[i].sin());
            }
            rows.push(energy);
            rows
        }),
        typed("fermi-pasta-ulam", &[(-1.0, 1.0)], |Sample { p, q, v, a, .. }| {
            let alpha = p("alpha");
            let tension: Vec<f64> = stretches(q).map(|r| r + alpha * r * r).collect();
            let kinetic: f64 = v.iter().map(|v| v * v / 2.0).sum();
            let elastic: f64 = stretches(q).map(|r| r * r / 2.0 + alpha * r * r * r / 3.0).sum();
            (0..q.len()).map(|i| a[i] - (tension[i + 1] - tension[i])).chain([kinetic + elastic]).collect()
        }),
        typed("toda-lattice", &[(-1.0, 1.0)], |Sample { q, v, a, .. }| {
            let n = q.len();
            let push = |i: usize| (q[i % n] - q[(i + 1) % n]).exp();
            let energy = (0..n).map(|i| v[i] * v[i] / 2.0 + push(i)).sum();
            (0..n).map(|i| a[i] + push(i) - push(i + n - 1)).chain([energy]).collect()
        }),
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

//! Motion under gravity between points, and in the Hénon-Heiles potential.

use super::{AROUND_ZERO, DISTANCE, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "kepler",
            coordinates: &["x", "y"],
            positions: &[DISTANCE, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let m = par("m");
                let pull = m * par("mu") / q[0].hypot(q[1]).powi(3);
                vec![m * a[0] + pull * q[0], m * a[1] + pull * q[1]]
            },
            energy: |par, q, v, _| {
                let m = par("m");
                m * (v[0] * v[0] + v[1] * v[1]) / 2.0 - m * par("mu") / q[0].hypot(q[1])
            },
        },
        HandTyped {
            gallery: "henon-heiles",
            coordinates: &["x", "y"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |_, q, _, a, _| {
                let (x, y) = (q[0], q[1]);
                vec![a[0] + x + 2.0 * x * y, a[1] + y + x * x - y * y]
            },
            energy: |_, q, v, _| {
                let (x, y) = (q[0], q[1]);
                (v[0] * v[0] + v[1] * v[1] + x * x + y * y) / 2.0 + x * x * y - y.powi(3) / 3.0
            },
        },
        HandTyped {
            gallery: "three-body-figure-eight",
            coordinates: &["x1", "y1", "x2", "y2", "x3", "y3"],
            // The bodies are sampled in three separate boxes, so that no two of them come close.
            positions: &[(-2.0, -1.0), (-0.5, 0.5), (1.0, 2.0), (-0.5, 0.5), (-0.5, 0.5), (1.0, 2.0)],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let (m, g) = (par("m"), par("G"));
                let mut residual: Vec<f64> = a.iter().map(|a| m * a).collect();
                for i in 0..3 {
                    for j in 0..3 {
                        if i != j {
                            let (dx, dy) = (q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]);
                            let pull = g * m * m / dx.hypot(dy).powi(3);
                            residual[2 * i] += pull * dx;
                            residual[2 * i + 1] += pull * dy;
                        }
                    }
                }
                residual
            },
            energy: |par, q, v, _| {
                let (m, g) = (par("m"), par("G"));
                let kinetic: f64 = v.iter().map(|v| m * v * v / 2.0).sum();
                let distance = |i: usize, j: usize| (q[i] - q[j]).hypot(q[i + 1] - q[j + 1]).recip();
                kinetic - g * m * m * (distance(0, 2) + distance(0, 4) + distance(2, 4))
            },
        },
        HandTyped {
            gallery: "restricted-three-body",
            coordinates: &["x", "y"],
            positions: &[AROUND_ZERO, DISTANCE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (mu, x, y) = (par("mu"), q[0], q[1]);
                let large = (1.0 - mu) / (x + mu).hypot(y).powi(3);
                let small = mu / (x - 1.0 + mu).hypot(y).powi(3);
                vec![
                    a[0] - 2.0 * v[1] - x + large * (x + mu) + small * (x - 1.0 + mu),
                    a[1] + 2.0 * v[0] - y + large * y + small * y,
                ]
            },
            energy: |par, q, v, _| {
                let (mu, x, y) = (par("mu"), q[0], q[1]);
                (v[0] * v[0] + v[1] * v[1] - x * x - y * y) / 2.0
                    - (1.0 - mu) / (x + mu).hypot(y)
                    - mu / (x - 1.0 + mu).hypot(y)
            },
        },
    ]
}

//! Motion under gravity between points, and in the Hénon-Heiles potential.

use super::{AROUND_ZERO, DISTANCE, HandTyped, Range, Sample, typed};

/// The bodies are sampled in three separate boxes, so that no two of them come close.
pub const BOXES: [Range; 6] = [(-2.0, -1.0), (-0.5, 0.5), (1.0, 2.0), (-0.5, 0.5), (-0.5, 0.5), (1.0, 2.0)];

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("kepler", &[DISTANCE, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m, r) = (p("m"), q[0].hypot(q[1]));
            let pull = m * p("mu") / r.powi(3);
            let energy = m * (v[0] * v[0] + v[1] * v[1]) / 2.0 - m * p("mu") / r;
            vec![m * a[0] + pull * q[0], m * a[1] + pull * q[1], energy]
        }),
        typed("henon-heiles", &[AROUND_ZERO, AROUND_ZERO], |Sample { q, v, a, .. }| {
            let (x, y) = (q[0], q[1]);
            let energy = (v[0] * v[0] + v[1] * v[1] + x * x + y * y) / 2.0 + x * x * y - y.powi(3) / 3.0;
            vec![a[0] + x + 2.0 * x * y, a[1] + y + x * x - y * y, energy]
        }),
        typed("three-body-figure-eight", &BOXES, |Sample { p, q, v, a, .. }| {
            let (m, g) = (p("m"), p("G"));
            let mut rows: Vec<f64> = a.iter().map(|a| m * a).collect();
            let mut energy: f64 = v.iter().map(|v| m * v * v / 2.0).sum();
            for (i, j) in [(0, 2), (0, 4), (2, 4)] {
                let (dx, dy) = (q[i] - q[j], q[i + 1] - q[j + 1]);
                let pull = g * m * m / dx.hypot(dy).powi(3);
                for (at, force) in [(i, pull * dx), (i + 1, pull * dy), (j, -pull * dx), (j + 1, -pull * dy)] {
                    rows[at] += force;
                }
                energy -= g * m * m / dx.hypot(dy);
            }
            rows.push(energy);
            rows
        }),
        typed("restricted-three-body", &[AROUND_ZERO, DISTANCE], |Sample { p, q, v, a, .. }| {
            let (mu, x, y) = (p("mu"), q[0], q[1]);
            let (r1, r2) = ((x + mu).hypot(y), (x - 1.0 + mu).hypot(y));
            let (large, small) = ((1.0 - mu) / r1.powi(3), mu / r2.powi(3));
            vec![
                a[0] - 2.0 * v[1] - x + large * (x + mu) + small * (x - 1.0 + mu),
                a[1] + 2.0 * v[0] - y + large * y + small * y,
                (v[0] * v[0] + v[1] * v[1] - x * x - y * y) / 2.0 - (1.0 - mu) / r1 - mu / r2,
            ]
        }),
    ]
}

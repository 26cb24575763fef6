//! Lagrangians without mass.

use std::f64::consts::PI;

use super::orbits::BOXES;
use super::{AROUND_ZERO, DISTANCE, HandTyped, Sample, typed};

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("lotka-volterra", &[DISTANCE, DISTANCE], |Sample { q, v, .. }| {
            let (x, y) = (q[0], q[1]);
            let energy = x - x.ln() + y - y.ln();
            vec![v[1] / (x * y) + 1.0 - 1.0 / x, -v[0] / (x * y) + 1.0 - 1.0 / y, energy]
        }),
        typed("guiding-centre", &[AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, .. }| {
            let (mu, x, y) = (p("mu"), q[0], q[1]);
            let field = 1.0 + x * x;
            vec![-field * v[1] + (2.0 * mu + 1.0) * x, field * v[0] + 2.0 * y, mu * field + x * x / 2.0 + y * y]
        }),
        typed("point-vortices", &BOXES, |Sample { p, q, v, .. }| {
            let strength = ["a", "b", "c"].map(p);
            let (mut rows, mut energy) = (Vec::new(), 0.0);
            for i in 0..3 {
                // The velocity that the others give to this one.
                let (mut vx, mut vy) = (0.0, 0.0);
                for j in (0..3).filter(|j| *j != i) {
                    let (dx, dy) = (q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]);
                    let turn = strength[j] / (2.0 * PI * (dx * dx + dy * dy));
                    (vx, vy) = (vx - turn * dy, vy + turn * dx);
                    energy -= strength[i] * strength[j] * dx.hypot(dy).ln() / (4.0 * PI);
                }
                rows.extend([strength[i] * (v[2 * i + 1] - vy), -strength[i] * (v[2 * i] - vx)]);
            }
            rows.push(energy);
            rows
        }),
        typed("rc-circuit", &[AROUND_ZERO], |Sample { p, q, v, .. }| {
            let (r, c, e) = (p("R"), p("C"), p("E"));
            vec![r * v[0] + q[0] / c - e, q[0] * q[0] / (2.0 * c) - e * q[0]]
        }),
    ]
}

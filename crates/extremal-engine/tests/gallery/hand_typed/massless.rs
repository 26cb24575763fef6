//! Lagrangians without mass.

use super::{AROUND_ZERO, DISTANCE, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "lotka-volterra",
            coordinates: &["x", "y"],
            positions: &[DISTANCE, DISTANCE],
            velocities: SLOW,
            residual: |_, q, v, _, _| {
                let (x, y) = (q[0], q[1]);
                vec![v[1] / (x * y) + 1.0 - 1.0 / x, -v[0] / (x * y) + 1.0 - 1.0 / y]
            },
            energy: |_, q, _, _| q[0] - q[0].ln() + q[1] - q[1].ln(),
        },
        HandTyped {
            gallery: "guiding-centre",
            coordinates: &["x", "y"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, _, _| {
                let field = 1.0 + q[0] * q[0];
                vec![-field * v[1] + (2.0 * par("mu") + 1.0) * q[0], field * v[0] + 2.0 * q[1]]
            },
            energy: |par, q, _, _| par("mu") * (1.0 + q[0] * q[0]) + q[0] * q[0] / 2.0 + q[1] * q[1],
        },
        HandTyped {
            gallery: "point-vortices",
            coordinates: &["x1", "y1", "x2", "y2", "x3", "y3"],
            positions: &[(-2.0, -1.0), (-0.5, 0.5), (1.0, 2.0), (-0.5, 0.5), (-0.5, 0.5), (1.0, 2.0)],
            velocities: SLOW,
            residual: |par, q, v, _, _| {
                let strength = ["a", "b", "c"].map(par);
                let mut residual = Vec::new();
                for i in 0..3 {
                    // The velocity that the others give to this one.
                    let (mut vx, mut vy) = (0.0, 0.0);
                    for j in (0..3).filter(|j| *j != i) {
                        let (dx, dy) = (q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]);
                        let turn = strength[j] / (2.0 * std::f64::consts::PI * (dx * dx + dy * dy));
                        (vx, vy) = (vx - turn * dy, vy + turn * dx);
                    }
                    residual.push(strength[i] * (v[2 * i + 1] - vy));
                    residual.push(-strength[i] * (v[2 * i] - vx));
                }
                residual
            },
            energy: |par, q, _, _| {
                let strength = ["a", "b", "c"].map(par);
                let log = |i: usize, j: usize| (q[2 * i] - q[2 * j]).hypot(q[2 * i + 1] - q[2 * j + 1]).ln();
                let pairs = [(0, 1), (0, 2), (1, 2)];
                -pairs.map(|(i, j)| strength[i] * strength[j] * log(i, j)).iter().sum::<f64>()
                    / (2.0 * std::f64::consts::PI)
            },
        },
        HandTyped {
            gallery: "rc-circuit",
            coordinates: &["Q"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, _, _| vec![par("R") * v[0] + q[0] / par("C") - par("E")],
            energy: |par, q, _, _| q[0] * q[0] / (2.0 * par("C")) - par("E") * q[0],
        },
    ]
}

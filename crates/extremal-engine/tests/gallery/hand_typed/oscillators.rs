//! Masses on springs, with and without friction and forcing, and the projectile.

use super::{AROUND_ZERO, DISTANCE, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "harmonic-oscillator",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, _, a, _| vec![par("m") * a[0] + par("k") * q[0]],
            energy: |par, q, v, _| par("m") * v[0] * v[0] / 2.0 + par("k") * q[0] * q[0] / 2.0,
        },
        HandTyped {
            gallery: "viscous-oscillator",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, _| vec![par("m") * a[0] + par("c") * v[0] + par("k") * q[0]],
            energy: |par, q, v, _| par("m") * v[0] * v[0] / 2.0 + par("k") * q[0] * q[0] / 2.0,
        },
        HandTyped {
            gallery: "caldirola-kanai",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, t| {
                let growth = (par("c") * t / par("m")).exp();
                vec![growth * (par("m") * a[0] + par("c") * v[0] + par("k") * q[0])]
            },
            energy: |par, q, v, t| {
                let growth = (par("c") * t / par("m")).exp();
                growth * (par("m") * v[0] * v[0] / 2.0 + par("k") * q[0] * q[0] / 2.0)
            },
        },
        HandTyped {
            gallery: "spring-with-friction",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, _| vec![par("m") * a[0] + par("eta") * q[0] + par("lambda") * v[0]],
            energy: |par, q, v, _| par("m") * v[0] * v[0] / 2.0 + par("eta") * q[0] * q[0] / 2.0,
        },
        HandTyped {
            gallery: "moving-base",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, _, a, _| vec![par("m") * a[0] + par("k") * q[0]],
            energy: |par, q, v, _| {
                let m = par("m");
                m * v[0] * v[0] / 2.0 - m * par("v0") * par("v0") / 2.0 + par("k") * q[0] * q[0] / 2.0
            },
        },
        HandTyped {
            gallery: "rotating-disc",
            coordinates: &["r", "phi"],
            positions: &[DISTANCE, (-3.0, 3.0)],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, k, radius, w) = (par("m"), par("k"), par("a"), par("w"));
                let (r, phi, vr, vphi) = (q[0], q[1], v[0], v[1]);
                vec![
                    m * a[0]
                        - m * r * vphi * vphi
                        - 2.0 * m * r * w * vphi
                        - m * r * w * w
                        - m * radius * w * w * phi.cos()
                        + k * (r - par("r0")),
                    m * r * r * a[1]
                        + 2.0 * m * r * vr * vphi
                        + 2.0 * m * r * w * vr
                        + m * radius * r * w * w * phi.sin(),
                ]
            },
            energy: |par, q, v, _| {
                let (m, radius, w) = (par("m"), par("a"), par("w"));
                let (r, phi) = (q[0], q[1]);
                let t2 = m * (v[0] * v[0] + r * r * v[1] * v[1]) / 2.0;
                let t0 = m * w * w * (radius * radius + r * r + 2.0 * radius * r * phi.cos()) / 2.0;
                t2 - t0 + par("k") * (r - par("r0")).powi(2) / 2.0
            },
        },
        HandTyped {
            gallery: "duffing",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, t| {
                let x = q[0];
                let well = par("alpha") * x + par("beta") * x * x * x;
                vec![a[0] + well + par("delta") * v[0] - par("gamma") * (par("w") * t).cos()]
            },
            energy: |par, q, v, _| {
                v[0] * v[0] / 2.0 + par("alpha") * q[0].powi(2) / 2.0 + par("beta") * q[0].powi(4) / 4.0
            },
        },
        HandTyped {
            gallery: "van-der-pol",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, _| vec![a[0] + q[0] - par("mu") * (1.0 - q[0] * q[0]) * v[0]],
            energy: |_, q, v, _| (v[0] * v[0] + q[0] * q[0]) / 2.0,
        },
        HandTyped {
            gallery: "coupled-oscillators",
            coordinates: &["x1", "x2"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let coupling = par("kc") * (q[0] - q[1]);
                vec![par("m") * a[0] + par("k") * q[0] + coupling, par("m") * a[1] + par("k") * q[1] - coupling]
            },
            energy: |par, q, v, _| {
                par("m") * (v[0] * v[0] + v[1] * v[1]) / 2.0
                    + par("k") * (q[0] * q[0] + q[1] * q[1]) / 2.0
                    + par("kc") * (q[0] - q[1]).powi(2) / 2.0
            },
        },
        HandTyped {
            gallery: "rayleigh-dissipation",
            coordinates: &["x1", "x2"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                // Pull of spring and dashpot on the first cart; the second feels the opposite.
                let pull = par("k") * (q[1] - q[0] - par("l")) + par("c") * (v[1] - v[0]);
                vec![par("m1") * a[0] - pull, par("m2") * a[1] + pull]
            },
            energy: |par, q, v, _| {
                par("m1") * v[0] * v[0] / 2.0
                    + par("m2") * v[1] * v[1] / 2.0
                    + par("k") * (q[1] - q[0] - par("l")).powi(2) / 2.0
            },
        },
        HandTyped {
            gallery: "elastic-floor",
            coordinates: &["z"],
            positions: &[(-1.0, 1.0)],
            velocities: SLOW,
            residual: |par, q, _, a, _| vec![par("m") * a[0] + par("m") * par("g") + par("k") * q[0].min(0.0)],
            energy: |par, q, v, _| {
                let depth = q[0].min(0.0);
                par("m") * v[0] * v[0] / 2.0 + par("m") * par("g") * q[0] + par("k") * depth * depth / 2.0
            },
        },
        HandTyped {
            gallery: "projectile",
            coordinates: &["x", "y"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: (-10.0, 10.0),
            residual: |par, _, v, a, _| {
                let (m, c) = (par("m"), par("c"));
                vec![m * a[0] + c * v[0], m * a[1] + m * par("g") + c * v[1]]
            },
            energy: |par, q, v, _| par("m") * (v[0] * v[0] + v[1] * v[1]) / 2.0 + par("m") * par("g") * q[1],
        },
    ]
}

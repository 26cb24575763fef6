//! Masses on springs, with and without friction and forcing, and the projectile.

use super::{ANGLE, AROUND_ZERO, DISTANCE, HandTyped, Sample, typed};

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("harmonic-oscillator", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            vec![p("m") * a[0] + p("k") * q[0], p("m") * v[0] * v[0] / 2.0 + p("k") * q[0] * q[0] / 2.0]
        }),
        typed("viscous-oscillator", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let residual = p("m") * a[0] + p("c") * v[0] + p("k") * q[0];
            vec![residual, p("m") * v[0] * v[0] / 2.0 + p("k") * q[0] * q[0] / 2.0]
        }),
        typed("caldirola-kanai", &[AROUND_ZERO], |Sample { p, q, v, a, t, .. }| {
            let growth = (p("c") * t / p("m")).exp();
            let residual = growth * (p("m") * a[0] + p("c") * v[0] + p("k") * q[0]);
            vec![residual, growth * (p("m") * v[0] * v[0] / 2.0 + p("k") * q[0] * q[0] / 2.0)]
        }),
        typed("spring-with-friction", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let residual = p("m") * a[0] + p("eta") * q[0] + p("lambda") * v[0];
            vec![residual, p("m") * v[0] * v[0] / 2.0 + p("eta") * q[0] * q[0] / 2.0]
        }),
        typed("moving-base", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m, k, v0) = (p("m"), p("k"), p("v0"));
            vec![m * a[0] + k * q[0], m * v[0] * v[0] / 2.0 - m * v0 * v0 / 2.0 + k * q[0] * q[0] / 2.0]
        }),
        typed("rotating-disc", &[DISTANCE, ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, k, radius, w) = (p("m"), p("k"), p("a"), p("w"));
            let (r, phi, vr, vphi) = (q[0], q[1], v[0], v[1]);
            let turning = m * r * vphi * vphi + 2.0 * m * r * w * vphi + m * r * w * w + m * radius * w * w * phi.cos();
            let around = 2.0 * m * r * vr * vphi + 2.0 * m * r * w * vr + m * radius * r * w * w * phi.sin();
            let t2 = m * (vr * vr + r * r * vphi * vphi) / 2.0;
            let t0 = m * w * w * (radius * radius + r * r + 2.0 * radius * r * phi.cos()) / 2.0;
            vec![
                m * a[0] - turning + k * (r - p("r0")),
                m * r * r * a[1] + around,
                t2 - t0 + k * (r - p("r0")).powi(2) / 2.0,
            ]
        }),
        typed("duffing", &[AROUND_ZERO], |Sample { p, q, v, a, t, .. }| {
            let (x, alpha, beta) = (q[0], p("alpha"), p("beta"));
            vec![
                a[0] + alpha * x + beta * x * x * x + p("delta") * v[0] - p("gamma") * (p("w") * t).cos(),
                v[0] * v[0] / 2.0 + alpha * x.powi(2) / 2.0 + beta * x.powi(4) / 4.0,
            ]
        }),
        typed("van-der-pol", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            vec![a[0] + q[0] - p("mu") * (1.0 - q[0] * q[0]) * v[0], (v[0] * v[0] + q[0] * q[0]) / 2.0]
        }),
        typed("coupled-oscillators", &[AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m, k, kc) = (p("m"), p("k"), p("kc"));
            let (coupling, own) = (kc * (q[0] - q[1]), k * (q[0] * q[0] + q[1] * q[1]) / 2.0);
            vec![
                m * a[0] + k * q[0] + coupling,
                m * a[1] + k * q[1] - coupling,
                m * (v[0] * v[0] + v[1] * v[1]) / 2.0 + own + kc * (q[0] - q[1]).powi(2) / 2.0,
            ]
        }),
        typed("rayleigh-dissipation", &[AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m1, m2, k, stretch) = (p("m1"), p("m2"), p("k"), q[1] - q[0] - p("l"));
            // Pull of spring and dashpot on the first cart; the second feels the opposite.
            let pull = k * stretch + p("c") * (v[1] - v[0]);
            let energy = m1 * v[0] * v[0] / 2.0 + m2 * v[1] * v[1] / 2.0 + k * stretch.powi(2) / 2.0;
            vec![m1 * a[0] - pull, m2 * a[1] + pull, energy]
        }),
        typed("elastic-floor", &[(-1.0, 1.0)], |Sample { p, q, v, a, .. }| {
            let (m, k, depth) = (p("m"), p("k"), q[0].min(0.0));
            let energy = m * v[0] * v[0] / 2.0 + m * p("g") * q[0] + k * depth * depth / 2.0;
            vec![m * a[0] + m * p("g") + k * depth, energy]
        }),
        HandTyped {
            velocities: (-10.0, 10.0),
            ..typed("projectile", &[AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
                let (m, c, g) = (p("m"), p("c"), p("g"));
                let energy = m * (v[0] * v[0] + v[1] * v[1]) / 2.0 + m * g * q[1];
                vec![m * a[0] + c * v[0], m * a[1] + m * g + c * v[1], energy]
            })
        },
    ]
}

//! Systems whose kinetic term is not a plain sum of squares: guides, curved surfaces, tops, relativity.

use super::{ANGLE, AROUND_ZERO, HandTyped, Sample, typed};

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("bead-on-wire", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m, (sin, cos)) = (p("m"), p("theta0").sin_cos());
            let spin = p("w") * sin;
            let energy = m * v[0] * v[0] / 2.0 - m * (spin * q[0]).powi(2) / 2.0 - m * p("g") * q[0] * cos;
            vec![m * a[0] - m * spin * spin * q[0] - m * p("g") * cos, energy]
        }),
        typed("geodesic-torus", &[ANGLE, ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, tube) = (p("m"), p("a"));
            let (sin, cos) = q[1].sin_cos();
            let rho = p("R") + tube * cos;
            vec![
                m * rho * rho * a[0] - 2.0 * m * rho * tube * sin * v[0] * v[1],
                m * tube * tube * a[1] + m * rho * tube * sin * v[0] * v[0],
                m * ((rho * v[0]).powi(2) + (tube * v[1]).powi(2)) / 2.0,
            ]
        }),
        typed("symmetric-top", &[ANGLE, (0.2, 2.9), ANGLE], |Sample { p, q, v, a, .. }| {
            let (i1, i3, torque) = (p("I1"), p("I3"), p("m") * p("g") * p("l"));
            let (sin, cos) = q[1].sin_cos();
            let (vphi, vtheta, vpsi) = (v[0], v[1], v[2]);
            let spin = vpsi + vphi * cos;
            let spin_rate = a[2] + a[0] * cos - vphi * vtheta * sin;
            let lean = i1 * (a[0] * sin * sin + 2.0 * vphi * vtheta * sin * cos);
            vec![
                lean + i3 * (spin_rate * cos - spin * vtheta * sin),
                i1 * (a[1] - vphi * vphi * sin * cos) + i3 * spin * vphi * sin - torque * sin,
                i3 * spin_rate,
                i1 * (vtheta * vtheta + (vphi * sin).powi(2)) / 2.0 + i3 * spin.powi(2) / 2.0 + torque * cos,
            ]
        }),
        HandTyped {
            velocities: (-0.9, 0.9),
            ..typed("relativistic-particle", &[AROUND_ZERO], |Sample { p, q, v, a, .. }| {
                let (m, c) = (p("m"), p("c"));
                let gamma = (1.0 - (v[0] / c).powi(2)).sqrt().recip();
                vec![m * gamma * gamma * gamma * a[0] - p("F"), m * c * c * gamma - p("F") * q[0]]
            })
        },
        typed("charged-particle", &[AROUND_ZERO, AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            // Lorentz force e (E + v x B) with E along x and B along z.
            let (m, charge, b) = (p("m"), p("e"), p("B"));
            let energy = m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2.0 - charge * p("E") * q[0];
            vec![m * a[0] - charge * (p("E") + v[1] * b), m * a[1] + charge * v[0] * b, m * a[2], energy]
        }),
    ]
}

//! Systems whose kinetic term is not a plain sum of squares: guides, curved surfaces, tops, relativity.

use super::{ANGLE, AROUND_ZERO, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "bead-on-wire",
            coordinates: &["r"],
            positions: &[AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let (m, (sin, cos)) = (par("m"), par("theta0").sin_cos());
                let spin = par("w") * sin;
                vec![m * a[0] - m * spin * spin * q[0] - m * par("g") * cos]
            },
            energy: |par, q, v, _| {
                let (m, (sin, cos)) = (par("m"), par("theta0").sin_cos());
                let spin = par("w") * sin;
                m * v[0] * v[0] / 2.0 - m * (spin * q[0]).powi(2) / 2.0 - m * par("g") * q[0] * cos
            },
        },
        HandTyped {
            gallery: "geodesic-torus",
            coordinates: &["u", "v"],
            positions: &[ANGLE, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, tube) = (par("m"), par("a"));
                let (sin, cos) = q[1].sin_cos();
                let rho = par("R") + tube * cos;
                vec![
                    m * rho * rho * a[0] - 2.0 * m * rho * tube * sin * v[0] * v[1],
                    m * tube * tube * a[1] + m * rho * tube * sin * v[0] * v[0],
                ]
            },
            energy: |par, q, v, _| {
                let (m, tube) = (par("m"), par("a"));
                let rho = par("R") + tube * q[1].cos();
                m * ((rho * v[0]).powi(2) + (tube * v[1]).powi(2)) / 2.0
            },
        },
        HandTyped {
            gallery: "symmetric-top",
            coordinates: &["phi", "theta", "psi"],
            positions: &[ANGLE, (0.2, 2.9), ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (i1, i3, torque) = (par("I1"), par("I3"), par("m") * par("g") * par("l"));
                let (sin, cos) = q[1].sin_cos();
                let (vphi, vtheta, vpsi) = (v[0], v[1], v[2]);
                let spin = vpsi + vphi * cos;
                let spin_rate = a[2] + a[0] * cos - vphi * vtheta * sin;
                vec![
                    i1 * (a[0] * sin * sin + 2.0 * vphi * vtheta * sin * cos)
                        + i3 * (spin_rate * cos - spin * vtheta * sin),
                    i1 * (a[1] - vphi * vphi * sin * cos) + i3 * spin * vphi * sin - torque * sin,
                    i3 * spin_rate,
                ]
            },
            energy: |par, q, v, _| {
                let (sin, cos) = q[1].sin_cos();
                par("I1") * (v[1] * v[1] + (v[0] * sin).powi(2)) / 2.0
                    + par("I3") * (v[2] + v[0] * cos).powi(2) / 2.0
                    + par("m") * par("g") * par("l") * cos
            },
        },
        HandTyped {
            gallery: "relativistic-particle",
            coordinates: &["x"],
            positions: &[AROUND_ZERO],
            velocities: (-0.9, 0.9),
            residual: |par, _, v, a, _| {
                let gamma = (1.0 - (v[0] / par("c")).powi(2)).sqrt().recip();
                vec![par("m") * gamma * gamma * gamma * a[0] - par("F")]
            },
            energy: |par, q, v, _| {
                let c = par("c");
                let gamma = (1.0 - (v[0] / c).powi(2)).sqrt().recip();
                par("m") * c * c * gamma - par("F") * q[0]
            },
        },
        HandTyped {
            gallery: "charged-particle",
            coordinates: &["x", "y", "z"],
            positions: &[AROUND_ZERO, AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, _, v, a, _| {
                // Lorentz force e (E + v x B) with E along x and B along z.
                let (m, charge, b) = (par("m"), par("e"), par("B"));
                vec![m * a[0] - charge * (par("E") + v[1] * b), m * a[1] + charge * v[0] * b, m * a[2]]
            },
            energy: |par, q, v, _| {
                par("m") * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2.0 - par("e") * par("E") * q[0]
            },
        },
    ]
}

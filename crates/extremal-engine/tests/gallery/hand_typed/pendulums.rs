//! Pendulums of one and two degrees of freedom, on fixed, sliding and shaking supports.

use super::{ANGLE, AROUND_ZERO, DISTANCE, HandTyped, SLOW};

pub fn systems() -> Vec<HandTyped> {
    vec![
        HandTyped {
            gallery: "pendulum",
            coordinates: &["theta"],
            positions: &[ANGLE],
            velocities: SLOW,
            residual: |par, q, _, a, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                vec![m * l * l * a[0] + m * g * l * q[0].sin()]
            },
            energy: |par, q, v, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                m * l * l * v[0] * v[0] / 2.0 - m * g * l * q[0].cos()
            },
        },
        HandTyped {
            gallery: "double-pendulum",
            coordinates: &["θ1", "θ2"],
            positions: &[ANGLE, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m1, m2, l1, l2, g) = (par("m1"), par("m2"), par("l1"), par("l2"), par("g"));
                let (sin, cos) = (q[0] - q[1]).sin_cos();
                let coupling = m2 * l1 * l2;
                vec![
                    (m1 + m2) * l1 * l1 * a[0]
                        + coupling * (a[1] * cos + v[1] * v[1] * sin)
                        + (m1 + m2) * g * l1 * q[0].sin(),
                    m2 * l2 * l2 * a[1] + coupling * (a[0] * cos - v[0] * v[0] * sin) + m2 * g * l2 * q[1].sin(),
                ]
            },
            energy: |par, q, v, _| {
                let (m1, m2, l1, l2, g) = (par("m1"), par("m2"), par("l1"), par("l2"), par("g"));
                (m1 + m2) * l1 * l1 * v[0] * v[0] / 2.0
                    + m2 * l2 * l2 * v[1] * v[1] / 2.0
                    + m2 * l1 * l2 * v[0] * v[1] * (q[0] - q[1]).cos()
                    - (m1 + m2) * g * l1 * q[0].cos()
                    - m2 * g * l2 * q[1].cos()
            },
        },
        HandTyped {
            gallery: "driven-pendulum",
            coordinates: &["theta"],
            positions: &[ANGLE],
            velocities: SLOW,
            residual: |par, q, _, a, t| {
                let (m, l, w) = (par("m"), par("l"), par("w"));
                // Gravity as felt on the shaking support.
                let gravity = par("g") - par("a") * w * w * (w * t).cos();
                vec![m * l * l * a[0] + m * l * gravity * q[0].sin()]
            },
            energy: |par, q, v, t| {
                let (m, l, g, w) = (par("m"), par("l"), par("g"), par("w"));
                let height = par("a") * (w * t).cos();
                let climb = -par("a") * w * (w * t).sin();
                m * l * l * v[0] * v[0] / 2.0 - m * climb * climb / 2.0 + m * g * (height - l * q[0].cos())
            },
        },
        HandTyped {
            gallery: "driven-double-pendulum",
            coordinates: &["th1", "th2"],
            positions: &[ANGLE, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, t| {
                let (m, l, g, force) = (par("m"), par("l"), par("g"), par("F") * t.cos());
                let (sin, cos) = (q[0] - q[1]).sin_cos();
                vec![
                    m * l * l * (2.0 * a[0] + a[1] * cos + v[1] * v[1] * sin) + 2.0 * m * g * l * q[0].sin()
                        - force * l * q[0].cos(),
                    m * l * l * (a[1] + a[0] * cos - v[0] * v[0] * sin) + m * g * l * q[1].sin()
                        - force * l * q[1].cos(),
                ]
            },
            energy: |par, q, v, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                m * l * l * (v[0] * v[0] + v[1] * v[1] / 2.0 + v[0] * v[1] * (q[0] - q[1]).cos())
                    - m * g * l * (2.0 * q[0].cos() + q[1].cos())
            },
        },
        HandTyped {
            gallery: "elastic-pendulum",
            coordinates: &["r", "theta"],
            positions: &[DISTANCE, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, k, l, g) = (par("m"), par("k"), par("l"), par("g"));
                let (r, theta) = (q[0], q[1]);
                vec![
                    m * a[0] - m * r * v[1] * v[1] - m * g * theta.cos() + k * (r - l),
                    m * r * r * a[1] + 2.0 * m * r * v[0] * v[1] + m * g * r * theta.sin(),
                ]
            },
            energy: |par, q, v, _| {
                let (m, k, l, g) = (par("m"), par("k"), par("l"), par("g"));
                m * (v[0] * v[0] + q[0] * q[0] * v[1] * v[1]) / 2.0 - m * g * q[0] * q[1].cos()
                    + k * (q[0] - l).powi(2) / 2.0
            },
        },
        HandTyped {
            gallery: "spherical-pendulum",
            coordinates: &["theta", "phi"],
            positions: &[(0.2, 2.9), ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                let (sin, cos) = q[0].sin_cos();
                vec![
                    m * l * l * (a[0] - sin * cos * v[1] * v[1]) + m * g * l * sin,
                    m * l * l * (sin * sin * a[1] + 2.0 * sin * cos * v[0] * v[1]),
                ]
            },
            energy: |par, q, v, _| {
                let (m, l, g) = (par("m"), par("l"), par("g"));
                let (sin, cos) = q[0].sin_cos();
                m * l * l * (v[0] * v[0] + sin * sin * v[1] * v[1]) / 2.0 - m * g * l * cos
            },
        },
        HandTyped {
            gallery: "foucault-pendulum",
            coordinates: &["x", "y"],
            positions: &[AROUND_ZERO, AROUND_ZERO],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (m, stiffness) = (par("m"), par("m") * par("g") / par("l"));
                let turn = par("Omega") * par("latitude").sin();
                vec![
                    m * a[0] - 2.0 * m * turn * v[1] + stiffness * q[0],
                    m * a[1] + 2.0 * m * turn * v[0] + stiffness * q[1],
                ]
            },
            energy: |par, q, v, _| {
                let (m, stiffness) = (par("m"), par("m") * par("g") / par("l"));
                m * (v[0] * v[0] + v[1] * v[1]) / 2.0 + stiffness * (q[0] * q[0] + q[1] * q[1]) / 2.0
            },
        },
        HandTyped {
            gallery: "cart-pole",
            coordinates: &["x", "th"],
            positions: &[AROUND_ZERO, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (cart, m, l, g) = (par("M"), par("m"), par("l"), par("g"));
                let (sin, cos) = q[1].sin_cos();
                vec![
                    (cart + m) * a[0] + m * l * (cos * a[1] - sin * v[1] * v[1]),
                    m * l * cos * a[0] + m * l * l * a[1] - m * g * l * sin,
                ]
            },
            energy: |par, q, v, _| {
                let (cart, m, l, g) = (par("M"), par("m"), par("l"), par("g"));
                let cos = q[1].cos();
                (cart + m) * v[0] * v[0] / 2.0
                    + m * l * cos * v[0] * v[1]
                    + m * l * l * v[1] * v[1] / 2.0
                    + m * g * l * cos
            },
        },
        HandTyped {
            gallery: "swinging-atwood",
            coordinates: &["r", "theta"],
            positions: &[DISTANCE, ANGLE],
            velocities: SLOW,
            residual: |par, q, v, a, _| {
                let (counter, m, g) = (par("M"), par("m"), par("g"));
                let (r, theta) = (q[0], q[1]);
                vec![
                    (counter + m) * a[0] - m * r * v[1] * v[1] + counter * g - m * g * theta.cos(),
                    m * r * r * a[1] + 2.0 * m * r * v[0] * v[1] + m * g * r * theta.sin(),
                ]
            },
            energy: |par, q, v, _| {
                let (counter, m, g) = (par("M"), par("m"), par("g"));
                (counter + m) * v[0] * v[0] / 2.0 + m * q[0] * q[0] * v[1] * v[1] / 2.0 + counter * g * q[0]
                    - m * g * q[0] * q[1].cos()
            },
        },
    ]
}

//! Pendulums of one and two degrees of freedom, on fixed, sliding and shaking supports.

use super::{ANGLE, AROUND_ZERO, DISTANCE, HandTyped, Sample, typed};

pub fn systems() -> Vec<HandTyped> {
    vec![
        typed("pendulum", &[ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, l, g) = (p("m"), p("l"), p("g"));
            let residual = m * l * l * a[0] + m * g * l * q[0].sin();
            vec![residual, m * l * l * v[0] * v[0] / 2.0 - m * g * l * q[0].cos()]
        }),
        typed("double-pendulum", &[ANGLE, ANGLE], |Sample { p, q, v, a, .. }| {
            let (m1, m2, l1, l2, g) = (p("m1"), p("m2"), p("l1"), p("l2"), p("g"));
            let (sin, cos) = (q[0] - q[1]).sin_cos();
            let (both, coupling) = ((m1 + m2) * l1, m2 * l1 * l2);
            let energy =
                both * l1 * v[0] * v[0] / 2.0 + m2 * l2 * l2 * v[1] * v[1] / 2.0 + coupling * v[0] * v[1] * cos
                    - both * g * q[0].cos()
                    - m2 * g * l2 * q[1].cos();
            vec![
                both * l1 * a[0] + coupling * (a[1] * cos + v[1] * v[1] * sin) + both * g * q[0].sin(),
                m2 * l2 * l2 * a[1] + coupling * (a[0] * cos - v[0] * v[0] * sin) + m2 * g * l2 * q[1].sin(),
                energy,
            ]
        }),
        typed("driven-pendulum", &[ANGLE], |Sample { p, q, v, a, t, .. }| {
            let (m, l, g, w) = (p("m"), p("l"), p("g"), p("w"));
            // Gravity as felt on the shaking support.
            let gravity = g - p("a") * w * w * (w * t).cos();
            let (height, climb) = (p("a") * (w * t).cos(), -p("a") * w * (w * t).sin());
            let energy = m * l * l * v[0] * v[0] / 2.0 - m * climb * climb / 2.0 + m * g * (height - l * q[0].cos());
            vec![m * l * l * a[0] + m * l * gravity * q[0].sin(), energy]
        }),
        typed("driven-double-pendulum", &[ANGLE, ANGLE], |Sample { p, q, v, a, t, .. }| {
            let (m, l, g, force) = (p("m"), p("l"), p("g"), p("F") * t.cos());
            let (sin, cos) = (q[0] - q[1]).sin_cos();
            let kinetic = m * l * l * (v[0] * v[0] + v[1] * v[1] / 2.0 + v[0] * v[1] * cos);
            vec![
                m * l * l * (2.0 * a[0] + a[1] * cos + v[1] * v[1] * sin) + 2.0 * m * g * l * q[0].sin()
                    - force * l * q[0].cos(),
                m * l * l * (a[1] + a[0] * cos - v[0] * v[0] * sin) + m * g * l * q[1].sin() - force * l * q[1].cos(),
                kinetic - m * g * l * (2.0 * q[0].cos() + q[1].cos()),
            ]
        }),
        typed("elastic-pendulum", &[DISTANCE, ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, k, l, g) = (p("m"), p("k"), p("l"), p("g"));
            let (r, theta) = (q[0], q[1]);
            vec![
                m * a[0] - m * r * v[1] * v[1] - m * g * theta.cos() + k * (r - l),
                m * r * r * a[1] + 2.0 * m * r * v[0] * v[1] + m * g * r * theta.sin(),
                m * (v[0] * v[0] + r * r * v[1] * v[1]) / 2.0 - m * g * r * theta.cos() + k * (r - l).powi(2) / 2.0,
            ]
        }),
        typed("spherical-pendulum", &[(0.2, 2.9), ANGLE], |Sample { p, q, v, a, .. }| {
            let (m, l, g) = (p("m"), p("l"), p("g"));
            let (sin, cos) = q[0].sin_cos();
            vec![
                m * l * l * (a[0] - sin * cos * v[1] * v[1]) + m * g * l * sin,
                m * l * l * (sin * sin * a[1] + 2.0 * sin * cos * v[0] * v[1]),
                m * l * l * (v[0] * v[0] + sin * sin * v[1] * v[1]) / 2.0 - m * g * l * cos,
            ]
        }),
        typed("foucault-pendulum", &[AROUND_ZERO, AROUND_ZERO], |Sample { p, q, v, a, .. }| {
            let (m, stiffness) = (p("m"), p("m") * p("g") / p("l"));
            let turn = p("Omega") * p("latitude").sin();
            vec![
                m * a[0] - 2.0 * m * turn * v[1] + stiffness * q[0],
                m * a[1] + 2.0 * m * turn * v[0] + stiffness * q[1],
                m * (v[0] * v[0] + v[1] * v[1]) / 2.0 + stiffness * (q[0] * q[0] + q[1] * q[1]) / 2.0,
            ]
        }),
        typed("cart-pole", &[AROUND_ZERO, ANGLE], |Sample { p, q, v, a, .. }| {
            let (cart, m, l, g) = (p("M"), p("m"), p("l"), p("g"));
            let (sin, cos) = q[1].sin_cos();
            let kinetic = (cart + m) * v[0] * v[0] / 2.0 + m * l * cos * v[0] * v[1] + m * l * l * v[1] * v[1] / 2.0;
            vec![
                (cart + m) * a[0] + m * l * (cos * a[1] - sin * v[1] * v[1]),
                m * l * cos * a[0] + m * l * l * a[1] - m * g * l * sin,
                kinetic + m * g * l * cos,
            ]
        }),
        typed("swinging-atwood", &[DISTANCE, ANGLE], |Sample { p, q, v, a, .. }| {
            let (counter, m, g) = (p("M"), p("m"), p("g"));
            let (r, theta) = (q[0], q[1]);
            let kinetic = (counter + m) * v[0] * v[0] / 2.0 + m * r * r * v[1] * v[1] / 2.0;
            vec![
                (counter + m) * a[0] - m * r * v[1] * v[1] + counter * g - m * g * theta.cos(),
                m * r * r * a[1] + 2.0 * m * r * v[0] * v[1] + m * g * r * theta.sin(),
                kinetic + counter * g * r - m * g * r * theta.cos(),
            ]
        }),
    ]
}

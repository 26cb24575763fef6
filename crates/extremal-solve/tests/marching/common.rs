//! What the tests of marching share: systems, runs, and equations typed by hand as the independent truth.

use extremal_expr::{Graph, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{CompiledScheme, March, Marcher, NewtonOptions, StartValues};

pub const G: f64 = 9.81;

/// Double pendulum in angles, unit masses and lengths: nonlinear, not separable.
pub fn double_pendulum(g: &Graph) -> System<'_> {
    let [a, b, va, vb] = ["a", "b", "a'", "b'"].map(|name| g.symbol(name));
    let gravity = g.rational(extremal_expr::Rational::parse_decimal("9.81").unwrap());
    let kinetic = va.powi(2) + vb.powi(2) / 2 + va * vb * (a - b).cos();
    System::new(g, &["a", "b"], kinetic + gravity * (a.cos() * 2 + b.cos()))
}

/// The same with viscous friction in both joints, as forces.
pub fn damped_double_pendulum(g: &Graph) -> System<'_> {
    let mut system = double_pendulum(g);
    system.force = vec![-(system.v[0] * 3) / 10, (system.v[0] - system.v[1]) / 5 + system.t.sin()];
    system
}

/// Right-hand side of the double pendulum, typed by hand: q, v -> a. `f` are generalised forces.
pub fn double_pendulum_acceleration(q: [f64; 2], v: [f64; 2], f: [f64; 2]) -> [f64; 2] {
    let (s, c) = (q[0] - q[1]).sin_cos();
    let r1 = -v[1] * v[1] * s - 2.0 * G * q[0].sin() + f[0];
    let r2 = v[0] * v[0] * s - G * q[1].sin() + f[1];
    let det = 2.0 - c * c;
    [(r1 - c * r2) / det, (2.0 * r2 - c * r1) / det]
}

/// Starts a run of `method` on `system`.
pub fn begin(system: &System<'_>, method: &str, q: &[f64], v: &[f64], h: f64) -> Marcher {
    let values = StartValues { q: q.to_vec(), v: v.to_vec(), ..StartValues::default() };
    begin_with(system, method, Options::default(), &[], &values, h)
}

/// The same with everything open: options, further outputs, start.
pub fn begin_with(
    system: &System<'_>,
    method: &str,
    options: Options,
    outputs: &[Id],
    values: &StartValues,
    h: f64,
) -> Marcher {
    let scheme = scheme(system, &method.parse().unwrap(), options, None).unwrap();
    let mut compiled = CompiledScheme::new(system.graph, &scheme, &[], outputs, &[], NewtonOptions::default()).unwrap();
    compiled.set_parameters(&[]);
    compiled.start(values, h).unwrap()
}

/// Positions after `steps` steps.
pub fn positions(system: &System<'_>, method: &str, q: &[f64], v: &[f64], h: f64, steps: u64) -> Vec<f64> {
    let mut run = begin(system, method, q, v, h);
    for _ in 0..steps {
        run.advance().unwrap();
    }
    run.state()[..q.len()].to_vec()
}

/// Least-squares slope of log(error) over log(h), points at round-off (below `floor`) left out; at least three must remain.
pub fn measured_order(steps: &[f64], errors: &[f64], floor: f64) -> f64 {
    let points: Vec<(f64, f64)> =
        steps.iter().zip(errors).filter(|(_, e)| **e > floor).map(|(h, e)| (h.ln(), e.ln())).collect();
    assert!(points.len() >= 3, "too few points above round-off: {errors:?}");
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxy: f64 = points.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let sxx: f64 = points.iter().map(|(x, _)| (x - mx).powi(2)).sum();
    sxy / sxx
}

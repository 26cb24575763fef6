//! Systems marched without a model, and motions typed by hand as the independent truth.

use std::convert::Infallible;

use extremal_expr::{Graph, Id, Rational};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{
    AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions, CompiledScheme, March, Marcher, NewtonOptions, StartValues,
};

/// The gravity of the pendulums.
pub const G: f64 = 9.81;

/// Double pendulum in angles, unit masses and lengths: nonlinear, not separable.
pub fn double_pendulum(g: &Graph) -> System<'_> {
    let [a, b, va, vb] = ["a", "b", "a'", "b'"].map(|name| g.symbol(name));
    let gravity = g.rational(Rational::parse_decimal("9.81").unwrap());
    let kinetic = va.powi(2) + vb.powi(2) / 2 + va * vb * (a - b).cos();
    System::new(g, &["a", "b"], kinetic + gravity * (a.cos() * 2 + b.cos()))
}

/// The same with viscous friction in both joints, as forces.
pub fn damped_double_pendulum(g: &Graph) -> System<'_> {
    let mut system = double_pendulum(g);
    system.force = vec![-(system.v[0] * 3) / 10, (system.v[0] - system.v[1]) / 5 + system.t.sin()];
    system
}

/// Accelerations of the double pendulum under generalised forces `f`, typed by hand.
pub fn double_pendulum_acceleration(q: [f64; 2], v: [f64; 2], f: [f64; 2]) -> [f64; 2] {
    let (s, c) = (q[0] - q[1]).sin_cos();
    let r1 = -v[1] * v[1] * s - 2.0 * G * q[0].sin() + f[0];
    let r2 = v[0] * v[0] * s - G * q[1].sin() + f[1];
    let det = 2.0 - c * c;
    [(r1 - c * r2) / det, (2.0 * r2 - c * r1) / det]
}

/// A start from positions and velocities alone.
pub fn start(q: &[f64], v: &[f64]) -> StartValues {
    StartValues { q: q.to_vec(), v: v.to_vec(), ..StartValues::default() }
}

/// Begins to march `system` by `method`.
pub fn begin(system: &System<'_>, method: &str, q: &[f64], v: &[f64], h: f64) -> Marcher {
    begin_with(system, method, Options::default(), &[], &start(q, v), h)
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

/// Takes so many steps.
pub fn advance(run: &mut Marcher, steps: u64) {
    (0..steps).for_each(|_| run.advance().unwrap());
}

/// Positions after `steps` steps.
pub fn positions(system: &System<'_>, method: &str, q: &[f64], v: &[f64], h: f64, steps: u64) -> Vec<f64> {
    let mut run = begin(system, method, q, v, h);
    advance(&mut run, steps);
    run.state()[..q.len()].to_vec()
}

/// States at these times of equations y' = f(t, y) typed by hand, from `start` at t = 0, by DOP853 near its round-off.
pub fn followed(start: &[f64], times: &[f64], mut f: impl FnMut(f64, &[f64], &mut [f64])) -> Vec<Vec<f64>> {
    let options =
        AdaptiveOptions { relative_tolerance: 1e-15, absolute_tolerance: 1e-15, ..AdaptiveOptions::default() };
    let mut truth = AdaptiveIntegrator::new(AdaptiveMethod::Dop853, options, 0.0, start);
    let mut rhs = |t: f64, y: &[f64], dy: &mut [f64]| {
        f(t, y, dy);
        Ok::<(), Infallible>(())
    };
    times
        .iter()
        .map(|t| {
            truth.advance_to(*t, &mut rhs).unwrap();
            truth.state().to_vec()
        })
        .collect()
}

/// The state at `end` of equations typed by hand.
pub fn followed_to(start: &[f64], end: f64, f: impl FnMut(f64, &[f64], &mut [f64])) -> Vec<f64> {
    followed(start, &[end], f).remove(0)
}

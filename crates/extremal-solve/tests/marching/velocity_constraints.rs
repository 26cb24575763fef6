//! Constraints on velocities: a skate on an incline, nonholonomic (closed form) and vakonomic (Hamilton's equations typed by
//! hand), and a contact oscillator with an anharmonic potential; orders, node constraints, reversibility.

use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_mechanics::discrete::Options;
use extremal_model::ConstraintKind;
use extremal_solve::{March, StartValues};
use extremal_testkit::marches::{advance, begin_with, followed_to};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

/// A skate of unit mass and moment of inertia; x points down the incline, along which the weight is 2; it moves along (cos θ, sin θ).
fn skate(g: &Graph, kind: ConstraintKind) -> System<'_> {
    let [x, th, vx, vy, w] = ["x", "th", "x'", "y'", "th'"].map(|name| g.symbol(name));
    let l = (vx.powi(2) + vy.powi(2) + w.powi(2)) / 2 + x * 2;
    let mut system = System::new(g, &["x", "y", "th"], l);
    system.constrain("blade", kind, vx * th.sin() - vy * th.cos(), None);
    system
}

/// Started at rest with the turn ω = 1.3: x = g/(2ω²) sin² ωt, y = g/(2ω²)(ωt − sin(2ωt)/2), and λ = −ω v with v = (g/ω) sin ωt
/// less the weight across the blade, g sin ωt.
fn exact_skate(t: f64) -> [f64; 4] {
    let (weight, turn) = (2.0, 1.3);
    let (s, scale) = ((turn * t).sin(), weight / (2.0 * turn * turn));
    [scale * s * s, scale * (turn * t - (2.0 * turn * t).sin() / 2.0), turn * t, -2.0 * weight * s]
}

#[test]
fn nonholonomic_skate_against_its_closed_form() {
    const END: f64 = 2.0;
    let errors = |method: &str, steps: u64| {
        let g = Graph::new();
        let system = skate(&g, ConstraintKind::Nonholonomic);
        let start = StartValues { q: vec![0.0; 3], v: vec![0.0, 0.0, 1.3], ..StartValues::default() };
        let outputs = [system.constraints[0].multiplier.id(), system.constraints[0].velocity.id()];
        let mut run = begin_with(&system, method, Options::default(), &outputs, &start, END / steps as f64);
        for _ in 0..steps {
            run.advance().unwrap();
            // The node constraint, of terms of size one.
            let residual = run.observe().unwrap()[7];
            assert!(method.starts_with("rk") || residual.abs() < 1e-14, "{method}: {residual:e}");
        }
        let exact = exact_skate(END);
        let position = distance(&run.state()[..3], &exact[..3]);
        vec![position, (run.observe().unwrap()[6] - exact[3]).abs()]
    };
    let cases: &[OrderCase<'_>] = &[
        ("midpoint", 2.0, 0.05, &[32, 64, 128, 256]),
        ("trapezoidal", 2.0, 0.05, &[32, 64, 128, 256]),
        ("energy-entropy", 2.0, 0.05, &[32, 64, 128, 256]),
        ("energy-entropy-momentum", 2.0, 0.05, &[32, 64, 128, 256]),
        ("compose(suzuki4, energy-entropy)", 4.0, 0.1, &[8, 16, 32, 64]),
        ("compose(suzuki4, midpoint)", 4.0, 0.1, &[8, 16, 32, 64]),
        ("compose(suzuki4, trapezoidal)", 4.0, 0.1, &[8, 16, 32, 64]),
        ("rk4", 4.0, 0.1, &[32, 64, 128, 256]),
    ];
    // Round-off of a run of some hundred steps and of the truth.
    assert_orders("skate", cases, END, 1e-12, errors);
}

/// L = (x'² + y'² + z'²)/2 − (x² + y² + z²)/2 − x⁴/4 with z' = y x'.
fn contact(g: &Graph) -> System<'_> {
    let [x, y, z, vx, vy, vz] = ["x", "y", "z", "x'", "y'", "z'"].map(|name| g.symbol(name));
    let l = (vx.powi(2) + vy.powi(2) + vz.powi(2) - x.powi(2) - y.powi(2) - z.powi(2)) / 2 - x.powi(4) / 4;
    let mut system = System::new(g, &["x", "y", "z"], l);
    system.constrain("contact", ConstraintKind::Nonholonomic, vz - y * vx, None);
    system
}

/// By hand: x'' = Fx − λ y, y'' = Fy, z'' = Fz + λ, z'' = y' x' + y x''.
fn contact_truth(start: &StartValues, end: f64) -> Vec<f64> {
    let state = [&start.q[..], &start.v].concat();
    let end = followed_to(&state, end, |_, s, ds| {
        let [x, y, z, vx, vy, vz] = [s[0], s[1], s[2], s[3], s[4], s[5]];
        let [fx, fy, fz] = [-x - x.powi(3), -y, -z];
        let lambda = (vy * vx + y * fx - fz) / (1.0 + y * y);
        ds.copy_from_slice(&[vx, vy, vz, fx - lambda * y, fy, fz + lambda]);
    });
    end[..3].to_vec()
}

fn contact_start() -> StartValues {
    StartValues { q: vec![1.0, 0.5, 0.2], v: vec![0.4, 0.3, 0.2], ..StartValues::default() }
}

#[test]
fn contact_oscillator_against_equations_typed_by_hand() {
    const END: f64 = 2.0;
    let truth = contact_truth(&contact_start(), END);
    let errors = |method: &str, steps: u64| {
        let g = Graph::new();
        let mut run = begin_with(&contact(&g), method, Options::default(), &[], &contact_start(), END / steps as f64);
        advance(&mut run, steps);
        vec![distance(&run.state()[..3], &truth)]
    };
    let cases: &[OrderCase<'_>] = &[
        ("midpoint", 2.0, 0.05, &[32, 64, 128, 256]),
        ("trapezoidal", 2.0, 0.05, &[32, 64, 128, 256]),
        ("energy-entropy", 2.0, 0.05, &[32, 64, 128, 256]),
        ("energy-entropy(2)", 4.0, 0.1, &[16, 32, 64, 128]),
        ("energy-entropy(3)", 6.0, 0.2, &[10, 12, 16, 20]),
        ("energy-entropy-momentum", 2.0, 0.05, &[32, 64, 128, 256]),
        ("compose(suzuki4, energy-entropy)", 4.0, 0.1, &[32, 64, 128, 256]),
        ("compose(suzuki4, midpoint)", 4.0, 0.1, &[16, 32, 64, 128]),
        ("compose(kahan-li8, trapezoidal)", 8.0, 0.5, &[10, 12, 14, 16]),
        ("gauss(2)", 4.0, 0.1, &[16, 32, 64, 128]),
    ];
    // Round-off of a run of some hundred steps and of the truth.
    assert_orders("contact", cases, END, 1e-12, errors);
}

/// The symmetric arrangement is its own inverse with −h: forth and back ends where it began, to the round-off of 200 solves.
#[test]
fn a_nonholonomic_step_is_reversible() {
    let g = Graph::new();
    let system = contact(&g);
    let start = contact_start();
    let mut forth = begin_with(&system, "midpoint", Options::default(), &[], &start, 0.05);
    advance(&mut forth, 100);
    let end = StartValues {
        q: forth.state()[..3].to_vec(),
        v: forth.observe().unwrap()[..3].iter().map(|v| -v).collect(),
        ..StartValues::default()
    };
    let mut back = begin_with(&system, "midpoint", Options::default(), &[], &end, 0.05);
    advance(&mut back, 100);
    let error = distance(&back.state()[..3], &start.q);
    assert!(error < 1e-12, "{error:e}");
}

/// The vakonomic skate by hand: with p_x = x' + λ sin θ, p_y = y' − λ cos θ the constraint gives λ = p_x sin θ − p_y cos θ, and
/// p_x' = 2, p_y' = 0, θ'' = λ (x' cos θ + y' sin θ). Returns x, y, θ, λ.
fn vakonomic_truth(start: &StartValues, end: f64) -> Vec<f64> {
    let velocity = |s: &[f64]| {
        let (sin, cos) = s[2].sin_cos();
        let lambda = s[3] * sin - s[4] * cos;
        (s[3] - lambda * sin, s[4] + lambda * cos, lambda)
    };
    let ((sin, cos), lambda) = (start.q[2].sin_cos(), start.multipliers[0]);
    let momenta = [start.v[0] + lambda * sin, start.v[1] - lambda * cos, start.v[2]];
    let end = followed_to(&[&start.q[..], &momenta].concat(), end, |_, s, ds| {
        let (vx, vy, lambda) = velocity(s);
        ds.copy_from_slice(&[vx, vy, s[5], 2.0, 0.0, lambda * (vx * s[2].cos() + vy * s[2].sin())]);
    });
    let (.., lambda) = velocity(&end);
    [&end[..3], &[lambda]].concat()
}

#[test]
fn vakonomic_skate_against_equations_typed_by_hand() {
    const END: f64 = 3.0;
    let start =
        StartValues { q: vec![0.0; 3], v: vec![0.5, 0.0, 1.3], multipliers: vec![0.4], ..StartValues::default() };
    let truth = vakonomic_truth(&start, END);
    let other = StartValues { multipliers: Vec::new(), ..start.clone() };
    let errors = |method: &str, steps: u64| {
        let g = Graph::new();
        let system = skate(&g, ConstraintKind::Vakonomic);
        let lambda = system.constraints[0].multiplier.id();
        let mut run = begin_with(&system, method, Options::default(), &[lambda], &start, END / steps as f64);
        advance(&mut run, steps);
        let position = distance(&run.state()[..3], &truth[..3]);
        vec![position, (run.observe().unwrap()[6] - truth[3]).abs()]
    };
    let cases: &[OrderCase<'_>] = &[
        ("midpoint", 2.0, 0.05, &[100, 200, 400, 800]),
        ("trapezoidal", 2.0, 0.05, &[100, 200, 400, 800]),
        ("compose(suzuki4, midpoint)", 4.0, 0.1, &[60, 120, 240, 480]),
        ("rk4", 4.0, 0.1, &[200, 400, 800, 1600]),
    ];
    // Round-off of a run of some hundred steps and of the truth.
    assert_orders("vakonomic", cases, END, 1e-12, errors);
    // The same blade with a reaction instead moves elsewhere.
    let g = Graph::new();
    let mut run =
        begin_with(&skate(&g, ConstraintKind::Nonholonomic), "midpoint", Options::default(), &[], &other, 0.01);
    advance(&mut run, 300);
    assert!(distance(&run.state()[..3], &truth[..3]) > 0.1);
}

/// An integrable velocity constraint, x' = 2 y' + 0.3: both kinds of motion, and the motion under x = 2 y + 0.3 t, are the same,
/// and λ = −λ'(vakonomic).
#[test]
fn integrable_constraints_are_the_same_in_every_form() {
    let motion = |kind: ConstraintKind, steps: u64| {
        let g = Graph::new();
        let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
        let offset = g.rational(extremal_expr::Rational::new(3, 10).unwrap());
        let l = (vx.powi(2) + vy.powi(2)) / 2 - x.powi(4) / 4 - y.cos();
        let mut system = System::new(&g, &["x", "y"], l);
        let row = match kind {
            ConstraintKind::Holonomic => x - y * 2 - system.t * offset,
            _ => vx - vy * 2 - offset,
        };
        system.constrain("c", kind, row, None);
        let constraint = &system.constraints[0];
        let force = if kind == ConstraintKind::Vakonomic { -constraint.rate } else { constraint.multiplier };
        let multipliers = if kind == ConstraintKind::Vakonomic { vec![0.7] } else { Vec::new() };
        let start = StartValues { q: vec![1.0, 0.5], v: vec![0.5, 0.1], multipliers, ..StartValues::default() };
        let mut run = begin_with(&system, "midpoint", Options::default(), &[force.id()], &start, 2.0 / steps as f64);
        advance(&mut run, steps);
        let state = run.state()[..2].to_vec();
        [state, vec![run.observe().unwrap()[4]]].concat()
    };
    for kind in [ConstraintKind::Nonholonomic, ConstraintKind::Vakonomic] {
        let differences: Vec<f64> =
            [100, 200].iter().map(|n| distance(&motion(kind, *n), &motion(ConstraintKind::Holonomic, *n))).collect();
        // Either the same to round-off, or differing by O(h²).
        let same = differences[1] < 1e-11;
        assert!(same || (differences[0] / differences[1] - 4.0).abs() < 0.2, "{kind:?}: {differences:?}");
        assert!(differences[1] < 1e-3, "{kind:?}: {differences:?}");
    }
}

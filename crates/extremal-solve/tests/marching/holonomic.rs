//! Holonomic constraints: a pendulum in Cartesian coordinates under gravity and a nonlinear potential (under gravity alone
//! midpoint and trapezoidal coincide), against its angle; orders of motion and multiplier, constraints, symplecticity.

use extremal_expr::{Graph, Rational};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_model::{ConstraintForm, ConstraintKind};
use extremal_solve::{March, NewtonOptions, StartValues, TangentMap};
use extremal_testkit::marches::{G, advance, begin_with, double_pendulum, followed_to, positions};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

const END: f64 = 1.0;
const ANGLE: f64 = 0.7;
const TURN: f64 = 1.1;

/// L = (x'² + y'²)/2 − g y − 2 x³ y on the unit circle, x = sin θ, y = −cos θ.
fn pendulum(g: &Graph) -> System<'_> {
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let gravity = g.rational(Rational::parse_decimal("9.81").unwrap());
    let l = (vx.powi(2) + vy.powi(2)) / 2 - gravity * y - x.powi(3) * y * 2;
    let mut system = System::new(g, &["x", "y"], l);
    system.constrain("rod", ConstraintKind::Holonomic, x.powi(2) + y.powi(2) - 1, None);
    system
}

fn start() -> StartValues {
    let (s, c) = ANGLE.sin_cos();
    StartValues { q: vec![s, -c], v: vec![TURN * c, TURN * s], ..StartValues::default() }
}

/// x, y and the multiplier at the end, from θ'' = −g sin θ + 2(3 sin²θ cos²θ − sin⁴θ) and the radial equation
/// 2λ = −v² + g y + 8 x³ y, all typed by hand.
fn truth() -> [f64; 3] {
    let angle = followed_to(&[ANGLE, TURN], END, |_, y, dy| {
        let (s, c) = y[0].sin_cos();
        dy.copy_from_slice(&[y[1], -G * s + 2.0 * (3.0 * s * s * c * c - s.powi(4))]);
    });
    let (x, y) = (angle[0].sin(), -angle[0].cos());
    [x, y, (-angle[1].powi(2) + G * y + 8.0 * x.powi(3) * y) / 2.0]
}

/// Errors of position and multiplier at the end.
fn errors(method: &str, steps: u64, options: Options) -> Vec<f64> {
    let g = Graph::new();
    let system = pendulum(&g);
    let multiplier = system.constraints[0].multiplier.id();
    let mut run = begin_with(&system, method, options, &[multiplier], &start(), END / steps as f64);
    advance(&mut run, steps);
    let truth = truth();
    let lambda = run.observe().unwrap()[4];
    vec![distance(&run.state()[..2], &truth[..2]), (lambda - truth[2]).abs()]
}

const CASES: &[OrderCase<'_>] = &[
    ("left", 1.0, 0.1, &[200, 400, 800, 1600]),
    ("midpoint", 2.0, 0.05, &[32, 64, 128, 256]),
    ("trapezoidal", 2.0, 0.05, &[32, 64, 128, 256]),
    ("galerkin(1)", 2.0, 0.05, &[32, 64, 128, 256]),
    ("energy-entropy", 2.0, 0.05, &[32, 64, 128, 256]),
    ("energy-entropy(2)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("energy-entropy(3)", 6.0, 0.2, &[16, 20, 24, 32]),
    ("energy-entropy-momentum", 2.0, 0.05, &[32, 64, 128, 256]),
    ("compose(suzuki4, energy-entropy)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("compose(suzuki4, energy-entropy-momentum)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("galerkin(2, lobatto(3))", 4.0, 0.1, &[16, 32, 64, 128]),
    ("galerkin(3, lobatto(4))", 6.0, 0.2, &[16, 20, 24, 32]),
    ("galerkin(4, lobatto(5))", 8.0, 0.5, &[10, 12, 14, 16]),
    ("compose(suzuki4, midpoint)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("compose(yoshida6, trapezoidal)", 6.0, 0.3, &[32, 40, 48, 64]),
    ("compose(kahan-li8, midpoint)", 8.0, 0.5, &[16, 18, 20, 22, 24]),
    ("compose(kahan-li8, trapezoidal)", 8.0, 0.5, &[16, 18, 20, 22, 24]),
    ("rk4", 4.0, 0.1, &[64, 128, 256, 512]),
    ("gauss(2)", 4.0, 0.1, &[16, 32, 64, 128]),
];

#[test]
fn motion_and_multiplier_have_the_order_of_the_method() {
    for form in [ConstraintForm::Rattle, ConstraintForm::Shake] {
        let options = Options { constraints: form, ..Options::default() };
        // Round-off of a run and of the truth, amplified by the multiplier's size of some ten.
        assert_orders(&format!("{form:?}"), CASES, END, 1e-12, |method, n| errors(method, n, options));
    }
}

/// Two rods in Cartesian coordinates, unit masses and lengths; y points up.
fn two_rods(g: &Graph) -> System<'_> {
    let names = ["x", "y", "u", "w"];
    let [x, y, u, w] = names.map(|name| g.symbol(name));
    let squares = names.map(|name| g.symbol(&format!("{name}'")).powi(2));
    let gravity = g.rational(Rational::parse_decimal("9.81").unwrap());
    let mut system = System::new(g, &names, g.sum(squares) / 2 - gravity * (y + w));
    system.constrain("upper", ConstraintKind::Holonomic, x.powi(2) + y.powi(2) - 1, None);
    system.constrain("lower", ConstraintKind::Holonomic, (u - x).powi(2) + (w - y).powi(2) - 1, None);
    system
}

/// Positions and velocities of the rods from angles and their rates.
fn from_angles([a, b]: [f64; 2], [va, vb]: [f64; 2]) -> StartValues {
    let (x, y) = (a.sin(), -a.cos());
    let (vx, vy) = (va * a.cos(), va * a.sin());
    StartValues {
        q: vec![x, y, x + b.sin(), y - b.cos()],
        v: vec![vx, vy, vx + vb * b.cos(), vy + vb * b.sin()],
        ..StartValues::default()
    }
}

/// Over a million steps the rods keep their lengths and velocities along them vanish, to the round-off of a few operations on
/// numbers of size ten; the energy error is that of a symplectic method, bounded and without slope.
#[test]
fn two_rods_for_a_million_steps() {
    const STEPS: usize = 1_000_000;
    let g = Graph::new();
    let system = two_rods(&g);
    let energy = system.energy().id();
    let start = from_angles([1.2, 0.4], [0.0, 0.0]);
    let mut run = begin_with(&system, "midpoint", Options::default(), &[energy], &start, 0.01);
    let first = run.observe().unwrap()[8];
    let mut residual = 0.0f64;
    let mut worst = [0.0f64; 10];
    for step in 0..STEPS {
        run.advance().unwrap();
        let q = run.state()[..4].to_vec();
        let observed = run.observe().unwrap();
        let v = &observed[..4];
        let (d, e) = ([q[2] - q[0], q[3] - q[1]], [v[2] - v[0], v[3] - v[1]]);
        let rows = [
            q[0] * q[0] + q[1] * q[1] - 1.0,
            d[0] * d[0] + d[1] * d[1] - 1.0,
            q[0] * v[0] + q[1] * v[1],
            d[0] * e[0] + d[1] * e[1],
        ];
        residual = rows.iter().fold(residual, |worst, row| worst.max(row.abs()));
        let tenth = &mut worst[step * 10 / STEPS];
        *tenth = tenth.max((observed[8] - first).abs());
    }
    assert!(residual < 1e-12, "{residual:e}");
    // The motion is chaotic: the worst of a tenth scatters, but does not grow.
    println!("{worst:?} {residual:e}");
    assert!(worst.iter().all(|w| *w < 0.05), "{worst:?}");
    let (early, late) = (worst[..5].iter().sum::<f64>(), worst[5..].iter().sum::<f64>());
    assert!(late < 1.2 * early, "{worst:?}");
}

/// The same motion in angles: both converge to each other at order 2.
#[test]
fn rods_and_angles_agree_to_second_order() {
    let (angles, rates) = ([0.5, 0.3], [0.4, -0.2]);
    let cases: [OrderCase<'_>; 1] = [("midpoint", 2.0, 0.05, &[64, 128, 256, 512])];
    assert_orders("rods and angles", &cases, 1.0, 1e-12, |method, n| {
        let (g, h) = (Graph::new(), 1.0 / n as f64);
        let by_angles = positions(&double_pendulum(&g), method, &angles, &rates, h, n);
        let g = Graph::new();
        let mut rods = begin_with(&two_rods(&g), method, Options::default(), &[], &from_angles(angles, rates), h);
        advance(&mut rods, n);
        vec![distance(&rods.state()[..4], &from_angles([by_angles[0], by_angles[1]], [0.0; 2]).q)]
    });
}

/// The step maps the constrained phase space {φ = 0, G p = 0} (unit masses) to itself and keeps dq ∧ dp on it: tested with
/// tangent vectors of it, which are random vectors less their part along the gradients of the four constraints.
#[test]
fn two_rods_are_symplectic_on_the_constrained_phase_space() {
    for method in ["midpoint", "trapezoidal", "galerkin(2, lobatto(3))", "compose(suzuki4, midpoint)"] {
        let g = Graph::new();
        let scheme = scheme(&two_rods(&g), &method.parse().unwrap(), Options::default(), None).unwrap();
        let mut map = TangentMap::new(&g, &scheme, &[], NewtonOptions::default()).unwrap();
        let start = from_angles([1.2, 0.4], [0.5, -1.0]);
        let mut state = [start.q.clone(), start.v.clone()].concat();
        let vectors: Vec<Vec<f64>> = (0..4).map(|k| tangent(&state, k)).collect();
        let df = map.advance(&mut state, 0.0, 0.05, &start.v).unwrap();
        let moved: Vec<Vec<f64>> =
            vectors.iter().map(|u| (0..8).map(|i| (0..8).map(|j| df[8 * i + j] * u[j]).sum()).collect()).collect();
        let area = |u: &[f64], w: &[f64]| (0..4).map(|k| u[k] * w[k + 4] - u[k + 4] * w[k]).sum::<f64>();
        for i in 0..4 {
            // Tangent vectors stay tangent.
            for gradient in gradients(&state) {
                let along: f64 = gradient.iter().zip(&moved[i]).map(|(a, b)| a * b).sum();
                assert!(along.abs() < 1e-11, "{method}: leaves the constrained phase space by {along:e}");
            }
            for j in 0..i {
                let defect = area(&moved[i], &moved[j]) - area(&vectors[i], &vectors[j]);
                assert!(defect.abs() < 1e-11, "{method}: {defect:e}");
                assert!(area(&vectors[i], &vectors[j]).abs() > 1e-3);
            }
        }
    }
}

/// Gradients by (q, p) of both rods' equations and of their time derivatives with v = p.
fn gradients(z: &[f64]) -> Vec<Vec<f64>> {
    let (x, p) = (&z[..2], &z[4..6]);
    let d = [z[2] - z[0], z[3] - z[1]];
    let e = [z[6] - z[4], z[7] - z[5]];
    let zero = [0.0; 2];
    let minus = |a: [f64; 2]| [-a[0], -a[1]];
    vec![
        [x, &zero, &zero, &zero].concat(),
        [minus(d), d, zero, zero].concat(),
        [p, &zero, x, &zero].concat(),
        [minus(e), e, minus(d), d].concat(),
    ]
}

/// A pseudo-random vector, made orthogonal to the gradients.
fn tangent(z: &[f64], seed: usize) -> Vec<f64> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let random: Vec<f64> = (0..8).map(|i| ((seed * 8 + i + 1) as f64 * 12.9898).sin()).collect();
    for mut vector in gradients(z).into_iter().chain([random]) {
        for known in &basis {
            let part: f64 = vector.iter().zip(known).map(|(a, b)| a * b).sum();
            vector.iter_mut().zip(known).for_each(|(a, b)| *a -= part * b);
        }
        let norm = vector.iter().map(|a| a * a).sum::<f64>().sqrt();
        basis.push(vector.iter().map(|a| a / norm).collect());
    }
    basis.pop().unwrap()
}

//! Methods that keep the energy, beyond what section 8 of docs/theory.md begins with: explicit time, constraints, momenta.

use extremal_expr::{Expr, Graph, Rational};
use extremal_mechanics::System;
use extremal_mechanics::continuous::{Friction, Heat};
use extremal_mechanics::discrete::Options;
use extremal_model::ConstraintKind::{Holonomic, Nonholonomic};
use extremal_solve::{March, Marcher, StartValues};
use extremal_testkit::marches::{begin_with, followed_to, start};
use extremal_testkit::numbers::{OrderCase, assert_orders};

fn decimal<'g>(g: &'g Graph, text: &str) -> Expr<'g> {
    g.rational(Rational::parse_decimal(text).unwrap())
}

/// A piston of mass 1 + 0.3 sin t on an ideal gas, pulled by a potential x sin 2t, with friction.
fn driven_piston(g: &Graph) -> System<'_> {
    let [x, v, s, t] = ["x", "x'", "S", "t"].map(|name| g.symbol(name));
    let mass = decimal(g, "0.3") * t.sin() + 1;
    let gas = s.exp() * x.pow(g.rational(Rational::new(-2, 3).unwrap()));
    let mut system = System::new(g, &["x"], mass * v.powi(2) / 2 - gas - x * (t * 2).sin());
    system.heat = Heat::of(g, &["S"]);
    let force = -(v / 10);
    system.force = vec![force];
    system.heat.friction = vec![Friction { coordinate: 0, force, shares: vec![(0, g.int(1))] }];
    system
}

fn begin(system: &System<'_>, method: &str, values: &StartValues, outputs: &[Expr<'_>], h: f64) -> Marcher {
    let outputs: Vec<_> = outputs.iter().map(|output| output.id()).collect();
    begin_with(system, method, Options::default(), &outputs, values, h)
}

fn piston_start() -> StartValues {
    StartValues { s: vec![0.5], ..start(&[1.0], &[0.4]) }
}

/// x, S and the work until `end`, typed by hand: p' = (2/3) U/x − sin 2t − v/10 with v = p/m and U = e^S x^(−2/3) = T, W' = −∂L/∂t.
fn piston_truth(end: f64) -> [f64; 3] {
    let last = followed_to(&[1.0, 0.4, 0.5, 0.0], end, |t, y, dy| {
        let (x, v) = (y[0], y[1] / (1.0 + 0.3 * t.sin()));
        let u = y[2].exp() * x.powf(-2.0 / 3.0);
        let work = -0.3 * t.cos() * v * v / 2.0 + 2.0 * x * (2.0 * t).cos();
        dy.copy_from_slice(&[v, 2.0 / 3.0 * u / x - (2.0 * t).sin() - v / 10.0, v * v / 10.0 / u, work]);
    });
    [last[0], last[2], last[3]]
}

/// Positions, entropy and the work of the explicit time have the order of the method.
#[test]
fn orders_with_explicit_time() {
    const END: f64 = 2.0;
    let truth = piston_truth(END);
    let errors = |method: &str, steps: u64| {
        let g = Graph::new();
        let mut run = begin(&driven_piston(&g), method, &piston_start(), &[], END / steps as f64);
        (0..steps).for_each(|_| run.advance().unwrap());
        let state = run.state();
        [state[0], state[2], state[3]].iter().zip(&truth).map(|(found, right)| (found - right).abs()).collect()
    };
    let cases: &[OrderCase<'_>] = &[
        ("energy-entropy", 2.0, 0.1, &[160, 320, 640, 1280]),
        ("energy-entropy(2)", 4.0, 0.15, &[10, 20, 40, 80]),
        ("energy-entropy(3)", 6.0, 0.3, &[8, 12, 16, 24]),
        ("energy-entropy-momentum", 2.0, 0.1, &[160, 320, 640, 1280]),
        ("compose(suzuki4, energy-entropy)", 4.0, 0.2, &[20, 40, 80, 160]),
    ];
    // Round-off of a hundred steps and of the truth.
    assert_orders("driven piston", cases, END, 1e-12, errors);
}

/// H(z_1, t_1) − H(z_0, t_0) is what the account of work says, to round-off, at any step; the gas never cools by itself.
#[test]
fn the_work_of_the_explicit_time_is_exact() {
    let g = Graph::new();
    let system = driven_piston(&g);
    for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy(3)", "energy-entropy-momentum"] {
        for h in [0.003, 0.03, 0.3] {
            let mut run = begin(&system, method, &piston_start(), &[system.energy()], h);
            let first = run.observe().unwrap()[2];
            let (mut size, mut entropy, mut worked) = (first.abs(), run.state()[2], 0.0f64);
            for step in 1..=10_000u32 {
                run.advance().unwrap();
                let (energy, [now, work]) = (run.observe().unwrap()[2], [run.state()[2], run.state()[3]]);
                size = size.max(energy.abs()).max(work.abs());
                worked = worked.max(work.abs());
                // Each step rounds energy and work by a few ulp of their size; solves end a few ulp off.
                let allowed = 8.0 * f64::EPSILON * size * f64::from(step);
                let defect = (energy - first - work).abs();
                assert!(defect <= allowed, "{method} {h}, step {step}: {defect:e} of {size}");
                assert!(now >= entropy, "{method} {h}: entropy falls by {:e}", entropy - now);
                entropy = now;
            }
            assert!(worked > 0.1, "no work, no proof: {worked}");
        }
    }
}

/// A point on the unit sphere in a potential of the height and of the distance from the axis, which is not linear in the square of it.
fn spherical(g: &Graph) -> System<'_> {
    let [x, y, z, vx, vy, vz] = ["x", "y", "z", "x'", "y'", "z'"].map(|name| g.symbol(name));
    let (kinetic, axis) = ((vx.powi(2) + vy.powi(2) + vz.powi(2)) / 2, x.powi(2) + y.powi(2));
    let mut system = System::new(g, &["x", "y", "z"], kinetic - z * 3 - axis.exp() - z.powi(3) * axis);
    system.constrain("sphere", Holonomic, axis + z.powi(2) - 1, None);
    system
}

/// How far energy, the momentum about the axis and both forms of the constraint are off at worst in so many steps.
fn spherical_drifts(method: &str, h: f64, steps: u32) -> [f64; 4] {
    let g = Graph::new();
    let system = spherical(&g);
    let [x, y] = [system.q[0], system.q[1]];
    let bound = &system.constraints[0];
    let outputs = [system.energy(), x * system.v[1] - y * system.v[0], bound.expression, bound.velocity];
    let values = start(&[0.6, 0.0, 0.8], &[0.4, 1.1, -0.3]);
    let mut run = begin(&system, method, &values, &outputs, h);
    let first = run.observe().unwrap()[6..10].to_vec();
    let mut worst = [0.0f64; 4];
    for _ in 0..steps {
        run.advance().unwrap();
        let now = &run.observe().unwrap()[6..10];
        (0..4).for_each(|k| worst[k] = worst[k].max((now[k] - first[k]).abs()));
    }
    worst
}

/// The constrained phase space, the energy and the momentum about the axis: all of them for ten thousand steps.
#[test]
fn energy_momentum_and_constraints_together() {
    // Energies of size four: each step rounds by a few ulp of it, and solves end a few ulp off.
    let allowed = 8.0 * f64::EPSILON * 4.0 * 10_000.0;
    for h in [0.01, 0.1] {
        for method in [
            "energy-entropy",
            "energy-entropy(2)",
            "energy-entropy-momentum",
            "compose(suzuki4, energy-entropy-momentum)",
        ] {
            let [energy, momentum, sphere, hidden] = spherical_drifts(method, h, 10_000);
            println!("{method} {h}: {energy:e} {momentum:e} {sphere:e} {hidden:e}");
            assert!(energy <= allowed, "{method} {h}: {energy:e}");
            // Both are solved for anew in every step.
            assert!(sphere < 1e-14 && hidden < 1e-13, "{method} {h}: {sphere:e} {hidden:e}");
            match method.contains("momentum") {
                true => assert!(momentum <= allowed, "{method} {h}: {momentum:e}"),
                // Only the gradient between quadratic parts has the symmetry.
                false => assert!(momentum > 1e-10, "{method} {h}: {momentum:e}"),
            }
        }
    }
}

/// L = (x'² + y'² + z'²)/2 − (x² + y² + z²)/2 − x⁴/4 with z' = y x', and a skate whose mass is not constant: reactions do no work.
#[test]
fn nonholonomic_reactions_do_no_work() {
    let g = Graph::new();
    let [x, y, z, vx, vy, vz] = ["x", "y", "z", "x'", "y'", "z'"].map(|name| g.symbol(name));
    let potential = (x.powi(2) + y.powi(2) + z.powi(2)) / 2 + x.powi(4) / 4;
    let flat = (vx.powi(2) + vy.powi(2) + vz.powi(2)) / 2;
    let curved = (vx.powi(2) * (y.powi(2) + 1) + vy.powi(2) + vz.powi(2) * x.exp() + vx * vz * z.sin() / 4) / 2;
    for kinetic in [flat, curved] {
        let mut system = System::new(&g, &["x", "y", "z"], kinetic - potential);
        system.constrain("contact", Nonholonomic, vz - y * vx, None);
        let outputs = [system.energy(), system.constraints[0].velocity];
        for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
            for h in [0.01, 0.1] {
                let mut run = begin(&system, method, &start(&[1.0, 0.5, 0.2], &[0.4, 0.3, 0.2]), &outputs, h);
                let first = run.observe().unwrap()[6];
                for step in 1..=10_000u32 {
                    run.advance().unwrap();
                    let seen = run.observe().unwrap();
                    // Energies of size one; each step rounds by a few ulp, and its solve ends a few ulp off.
                    let allowed = 16.0 * f64::EPSILON * f64::from(step);
                    assert!((seen[6] - first).abs() <= allowed, "{method} {h} {step}: {:e}", seen[6] - first);
                    assert!(seen[7].abs() < 1e-13, "{method} {h} {step}: {:e}", seen[7]);
                }
            }
        }
    }
}

/// At rest nothing is divided by the rates that vanish: the motion stays where it is, constrained or not.
#[test]
fn a_constrained_motion_at_rest_stays_at_rest() {
    let g = Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let hanging = (vx.powi(2) + vy.powi(2)) / 2 - y * 3;
    let mut pendulum = System::new(&g, &["x", "y"], hanging);
    pendulum.constrain("rod", Holonomic, x.powi(2) + y.powi(2) - 1, None);
    let mut rail = System::new(&g, &["x", "y"], hanging);
    rail.constrain("rail", Nonholonomic, vy - vx * x, None);
    for (system, q) in [(&pendulum, [0.0, -1.0]), (&rail, [0.0, 0.7])] {
        for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
            let mut run = begin(system, method, &start(&q, &[0.0, 0.0]), &[], 0.1);
            (0..1000).for_each(|_| run.advance().unwrap());
            let off = (run.state()[0] - q[0]).abs().max((run.state()[1] - q[1]).abs());
            assert!(off < 1e-14, "{method}: {off:e}");
        }
    }
}

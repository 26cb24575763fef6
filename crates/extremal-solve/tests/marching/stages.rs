//! The stages of a collocation method by fixed-point iteration: the motion that Newton's method finds, or Newton's method.

use extremal_eval::Backend;
use extremal_expr::{Graph, Rational};
use extremal_mechanics::System;
use extremal_mechanics::continuous::{Friction, Heat};
use extremal_mechanics::discrete::{Options, Scheme, scheme};
use extremal_model::ConstraintKind;
use extremal_solve::{CompiledScheme, March, Marcher, NewtonOptions, StartValues};
use extremal_testkit::marches::{damped_double_pendulum, double_pendulum, double_pendulum_acceleration};

fn written(system: &System<'_>, method: &str) -> Scheme {
    scheme(system, &method.parse().unwrap(), Options::default(), None).unwrap()
}

/// The same with its stages unknown to the engine.
fn by_newton(scheme: &Scheme) -> Scheme {
    let mut scheme = scheme.clone();
    scheme.step.solves.iter_mut().for_each(|solve| solve.stages = None);
    scheme
}

fn compiled(g: &Graph, scheme: &Scheme, backend: Option<Backend>) -> CompiledScheme {
    let options = NewtonOptions { backend, ..NewtonOptions::default() };
    let mut compiled = CompiledScheme::new(g, scheme, &[], &[], &[], options).unwrap();
    compiled.set_parameters(&[]);
    compiled
}

fn marched(g: &Graph, scheme: &Scheme, backend: Option<Backend>, q: &[f64], h: f64, steps: u64) -> Marcher {
    let values = StartValues { q: q.to_vec(), v: vec![0.0; q.len()], ..StartValues::default() };
    let mut run = compiled(g, scheme, backend).start(&values, h).unwrap();
    run.advance_many(steps).unwrap();
    run
}

fn bits(run: &Marcher) -> Vec<u64> {
    run.state().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn stages_are_where_newton_finds_them() {
    let g = &Graph::new();
    for system in [double_pendulum(g), damped_double_pendulum(g)] {
        for method in ["gauss(1)", "gauss(2)", "gauss(3)", "gauss(5)", "gauss(8)"] {
            let scheme = written(&system, method);
            let newton = by_newton(&scheme);
            assert!(compiled(g, &scheme, None).structure().fixed_point, "{method}");
            assert!(!compiled(g, &newton, None).structure().fixed_point, "{method}");
            let [run, newton] = [scheme, newton].map(|scheme| marched(g, &scheme, None, &[2.0, 1.0], 0.02, 100));
            // Over a time of two, the motion magnifies round-off less than a hundred times.
            for (x, expected) in run.state().iter().zip(newton.state()) {
                assert!((x - expected).abs() <= 1e-12, "{method}: {x} instead of {expected}");
            }
            assert!(run.work().max_residual <= 1e-14, "{method}: {:e}", run.work().max_residual);
            assert!(run.work().iterations > newton.work().iterations, "{method}: updates without slopes are more");
        }
    }
}

/// The classical method with tiny steps on equations typed by hand.
#[test]
fn eight_stages_are_right_to_eleven_digits() {
    let (mut y, steps) = ([2.0, 1.0, 0.0, 0.0], 20_000);
    let h = 2.0 / f64::from(steps);
    let rates = |y: [f64; 4]| {
        let [a, b] = double_pendulum_acceleration([y[0], y[1]], [y[2], y[3]], [0.0; 2]);
        [y[2], y[3], a, b]
    };
    let moved = |y: [f64; 4], h: f64, k: [f64; 4]| -> [f64; 4] { std::array::from_fn(|i| y[i] + h * k[i]) };
    for _ in 0..steps {
        let k1 = rates(y);
        let k2 = rates(moved(y, h / 2.0, k1));
        let k3 = rates(moved(y, h / 2.0, k2));
        let k4 = rates(moved(y, h, k3));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    let g = &Graph::new();
    let run = marched(g, &written(&double_pendulum(g), "gauss(8)"), None, &[2.0, 1.0], 0.05, 40);
    for (x, truth) in run.state().iter().zip(y) {
        assert!((x - truth).abs() <= 1e-11, "{x} instead of {truth}");
    }
}

#[test]
fn stages_side_by_side_are_those_one_by_one() {
    let g = &Graph::new();
    let system = damped_double_pendulum(g);
    for method in ["gauss(1)", "gauss(2)", "gauss(5)", "gauss(7)", "gauss(8)"] {
        let scheme = written(&system, method);
        let tape = marched(g, &scheme, Some(Backend::Tape), &[2.0, 1.0], 0.03, 200);
        for backend in [None, Some(Backend::Avx2), Some(Backend::Avx512)] {
            let run = marched(g, &scheme, backend, &[2.0, 1.0], 0.03, 200);
            assert_eq!(bits(&run), bits(&tape), "{method} on {backend:?}");
            assert_eq!(run.work(), tape.work(), "{method} on {backend:?}");
        }
    }
}

/// Gas in a piston, warmed by friction and, where that is wanted, from outside.
fn piston(g: &Graph, warmed: bool) -> System<'_> {
    let [x, v, s] = ["x", "x'", "S"].map(|name| g.symbol(name));
    let exponent = g.rational(Rational::new(-2, 3).unwrap());
    let mut system = System::new(g, &["x"], v.powi(2) / 2 - s.exp() * x.pow(exponent));
    let force = -v / 10;
    system.force = vec![force];
    system.heat = Heat::of(g, &["S"]);
    system.heat.friction = vec![Friction { coordinate: 0, force, shares: vec![(0, g.int(1))] }];
    system.heat.power = vec![if warmed { system.t.sin().powi(2) } else { g.int(0) }];
    system
}

fn pendulum_on_a_rod(g: &Graph) -> System<'_> {
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let mut system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - y * 10 - x.powi(3) * y * 2);
    system.constrain("rod", ConstraintKind::Holonomic, x.powi(2) + y.powi(2) - 1, None);
    system
}

/// Entropies with guards, accounts that are no sums of unknowns, multipliers.
#[test]
fn stages_of_every_kind_are_the_same_on_every_backend() {
    let g = &Graph::new();
    let gas = StartValues { q: vec![1.0], v: vec![0.3], s: vec![0.2], ..StartValues::default() };
    let turning = StartValues { q: vec![0.6, -0.8], v: vec![0.8, 0.6], ..StartValues::default() };
    for (system, start) in [(piston(g, false), &gas), (piston(g, true), &gas), (pendulum_on_a_rod(g), &turning)] {
        for method in ["gauss(3)", "gauss(6)"] {
            let scheme = written(&system, method);
            let march = |scheme: &Scheme, backend: Option<Backend>| {
                let mut run = compiled(g, scheme, backend).start(start, 0.02).unwrap();
                run.advance_many(150).unwrap();
                run
            };
            let tape = march(&scheme, Some(Backend::Tape));
            assert_eq!(tape.work().newton_steps, 0, "{method}");
            for backend in [Backend::Avx2, Backend::Avx512] {
                let run = march(&scheme, Some(backend));
                assert_eq!(bits(&run), bits(&tape), "{method} on {backend:?}");
                assert_eq!(run.work(), tape.work(), "{method} on {backend:?}");
            }
            // Motions that hardly magnify the round-off of 150 steps.
            for (x, expected) in tape.state().iter().zip(march(&by_newton(&scheme), None).state()) {
                assert!((x - expected).abs() <= 1e-12, "{method}: {x} instead of {expected}");
            }
        }
    }
}

/// A step many times the period of a stiff spring: the iteration would diverge, and every step is Newton's.
#[test]
fn a_stiff_spring_is_left_to_newton() {
    let g = &Graph::new();
    let [x, v] = ["x", "x'"].map(|name| g.symbol(name));
    let system = System::new(g, &["x"], v.powi(2) / 2 - x.powi(2) * 500_000 - x.powi(4) * 100_000);
    let scheme = written(&system, "gauss(3)");
    let run = marched(g, &scheme, None, &[0.5], 0.02, 300);
    assert_eq!(bits(&run), bits(&marched(g, &by_newton(&scheme), None, &[0.5], 0.02, 300)));
    assert!(run.work().max_residual <= 1e-12);
    assert_eq!(run.work().newton_steps, 300);
}

/// Around the pericentre of a narrow orbit the iteration fails, Newton's method takes over, and the iteration comes back.
#[test]
fn a_march_goes_on_where_newton_has_helped() {
    let g = &Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let distance = (x.powi(2) + y.powi(2)).pow(g.rational(Rational::new(1, 2).unwrap()));
    let system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 + distance.powi(-1));
    let scheme = written(&system, "gauss(4)");
    // Semi-axis one, eccentricity 0.9, from the apocentre.
    let start = StartValues { q: vec![1.9, 0.0], v: vec![0.0, (1.0f64 / 19.0).sqrt()], ..StartValues::default() };
    let march = |backend: Option<Backend>, portion: u64| {
        let mut run = compiled(g, &scheme, backend).start(&start, 0.125).unwrap();
        (0..400 / portion).for_each(|_| run.advance_many(portion).unwrap());
        run
    };
    let tape = march(Some(Backend::Tape), 1);
    assert!((1..200).contains(&tape.work().newton_steps), "{:?}", tape.work());
    for (backend, portion) in [(None, 1), (None, 400), (Some(Backend::Avx2), 16), (Some(Backend::Avx512), 100)] {
        let run = march(backend, portion);
        assert_eq!(bits(&run), bits(&tape), "{portion} at a time on {backend:?}");
        assert_eq!(run.work(), tape.work(), "{portion} at a time on {backend:?}");
    }
}

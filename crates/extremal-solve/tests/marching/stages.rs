//! The stages of a collocation method by fixed-point iteration: the motion that Newton's method finds, or Newton's method.

use extremal_eval::Backend;
use extremal_expr::{Graph, Rational, Relation};
use extremal_mechanics::System;
use extremal_mechanics::continuous::{Friction, Heat};
use extremal_mechanics::discrete::{Options, Scheme, scheme};
use extremal_model::ConstraintKind;
use extremal_solve::{CompiledScheme, Guard, March, Marcher, NewtonOptions, StartValues};
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
        for backend in Backend::EMITTED.map(Some).into_iter().chain([None]) {
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
            for backend in Backend::EMITTED {
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

/// Pendulums in a chain, by their angles: a mass matrix that is full and turns with them.
fn chain<'g>(g: &'g Graph, names: &[&str]) -> System<'g> {
    let n = names.len();
    let q: Vec<_> = names.iter().map(|name| g.symbol(name)).collect();
    let v: Vec<_> = names.iter().map(|name| g.symbol(&format!("{name}'"))).collect();
    let masses = |i: usize, j: usize| (n - i.max(j)) as i64;
    let kinetic = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let kinetic = g.sum(kinetic.map(|(i, j)| v[i] * v[j] * (q[i] - q[j]).cos() * masses(i, j)));
    let height = g.sum((0..n).map(|i| q[i].cos() * (10 * masses(i, i))));
    System::new(g, names, kinetic / 2 + height)
}

/// Springs between neighbours that stiffen, and a mass matrix of numbers: `coupling` is what two velocities have in common.
fn springs<'g>(g: &'g Graph, names: &[&str], coupling: Rational) -> System<'g> {
    let q: Vec<_> = names.iter().map(|name| g.symbol(name)).collect();
    let v: Vec<_> = names.iter().map(|name| g.symbol(&format!("{name}'"))).collect();
    let kinetic = g.sum(v.iter().map(|v| v.powi(2))) + g.rational(coupling) * g.sum(v.iter().copied()).powi(2);
    let potential = g.sum(q.windows(2).map(|pair| (pair[1] - pair[0]).powi(4) / 4)) + g.sum(q.iter().map(|q| q.cos()));
    System::new(g, names, kinetic / 2 - potential)
}

const NAMES: [&str; 16] =
    ["qa", "qb", "qc", "qd", "qe", "qf", "qg", "qh", "qi", "qj", "qk", "ql", "qm", "qn", "qo", "qp"];

/// Whatever the size: a mass matrix that turns, one that is full, one that is diagonal.
#[test]
fn many_coordinates_are_iterated_like_few() {
    let g = &Graph::new();
    let coupled = Rational::new(1, 7).unwrap();
    let systems = [chain(g, &NAMES[..8]), springs(g, &NAMES[..10], coupled), springs(g, &NAMES, Rational::ZERO)];
    for system in systems {
        let start: Vec<f64> = (0..system.len()).map(|i| 0.7 + 0.1 * (i as f64).sin()).collect();
        for method in ["gauss(3)", "gauss(5)", "galerkin(4)"] {
            let scheme = written(&system, method);
            let run = marched(g, &scheme, None, &start, 0.01, 60);
            assert_eq!(run.work().newton_steps, 0, "{method} for {}", system.len());
            let newton = marched(g, &by_newton(&scheme), None, &start, 0.01, 60);
            // Motions over a time of 0.6, in which the fastest of these magnifies round-off less than a hundred times.
            for (x, expected) in run.state().iter().zip(newton.state()) {
                assert!((x - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{method}: {x} instead of {expected}");
            }
            let tape = marched(g, &scheme, Some(Backend::Tape), &start, 0.01, 60);
            for backend in Backend::EMITTED {
                let run = marched(g, &scheme, Some(backend), &start, 0.01, 60);
                assert_eq!(bits(&run), bits(&tape), "{method} for {} on {backend:?}", system.len());
            }
        }
    }
}

/// Lagrangians of every kind that the momenta of a step can have: positions, time and velocities in the mass matrix, gyroscopic
/// terms, forces.
fn lagrangians(g: &Graph) -> Vec<(&'static str, System<'_>)> {
    let [x, y, vx, vy, t] = ["x", "y", "x'", "y'", "t"].map(|name| g.symbol(name));
    let (half, speed) = (g.rational(Rational::HALF), vx.powi(2) + vy.powi(2));
    let orbit = (x.powi(2) + y.powi(2) + 1).pow(-half);
    let of = |lagrangian| System::new(g, &["x", "y"], lagrangian);
    let mut pushed = of(speed / 2 + vx * vy / 3 + orbit);
    pushed.force = vec![-vx * x.cos() / 5 + t.sin(), -vy.powi(3) / 7];
    vec![
        ("numbers", of(speed + vx * 3 + orbit)),
        ("forces", pushed),
        ("gyroscopic", of(speed / 2 + (vx * y.powi(3) - vy * x.sin()) / 3 + orbit)),
        ("time", of(speed * (t.sin() / 3 + 1) + orbit * t.cos())),
        ("positions", of(vx.powi(2) / 2 + (x.powi(2) + 1) * vy.powi(2) / 2 + orbit)),
        ("velocities", of(-(g.int(1) - speed / 9).pow(half) * 9 + orbit)),
    ]
}

/// Degree s with s Gauss points: the stationary point of the action, written in nodes and solved by Newton's method, is that of
/// collocation in positions and momenta.
#[test]
fn an_action_at_gauss_points_is_collocation() {
    let g = &Graph::new();
    for (what, system) in lagrangians(g) {
        for method in ["galerkin(2)", "galerkin(3)", "galerkin(5)", "galerkin(8)"] {
            let scheme = written(&system, method);
            let start = StartValues { q: vec![0.8, -0.5], v: vec![0.4, 0.9], ..StartValues::default() };
            let march = |scheme: &Scheme, backend: Option<Backend>| {
                let compiled = compiled(g, scheme, backend);
                let mut run = compiled.start(&start, 0.05).unwrap();
                run.advance_many(100).unwrap();
                (compiled.structure().fixed_point, run)
            };
            let (iterated, run) = march(&scheme, None);
            let (newton, expected) = march(&by_newton(&scheme), None);
            assert!(iterated && !newton, "{what} by {method}");
            assert_eq!(run.work().newton_steps, 0, "{what} by {method}");
            // No motion here is sensitive: 100 steps of round-off, each at most a few units in the last place of numbers below four.
            for (x, expected) in run.state().iter().zip(expected.state()) {
                assert!((x - expected).abs() <= 1e-12, "{what} by {method}: {x} instead of {expected}");
            }
            let (_, tape) = march(&scheme, Some(Backend::Tape));
            for backend in Backend::EMITTED {
                assert_eq!(bits(&march(&scheme, Some(backend)).1), bits(&tape), "{what} by {method} on {backend:?}");
            }
        }
    }
}

/// What is not collocation keeps its equations: more points than degrees, others than those of Gauss, constraints.
#[test]
fn other_actions_have_no_stages() {
    let g = &Graph::new();
    let staged = |system: &System<'_>, method: &str| {
        written(system, method).step.solves.iter().any(|solve| solve.stages.is_some())
    };
    let free = double_pendulum(g);
    assert!(staged(&free, "galerkin(3)"));
    for method in ["galerkin(2, gauss(3))", "galerkin(2, lobatto(3))", "midpoint"] {
        assert!(!staged(&free, method), "{method}");
    }
    assert!(!staged(&pendulum_on_a_rod(g), "galerkin(3)"));
}

/// A domain that the motion leaves after some steps: the same step is refused, whoever takes it.
#[test]
fn stages_stay_inside_a_domain() {
    let g = &Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - x.powi(4) * y.cos() - y);
    let inside = g.compare(Relation::Lt, -g.int(3), y + x);
    let guard = Guard { text: "inside".to_owned(), condition: inside.id() };
    for method in ["gauss(3)", "galerkin(3)"] {
        let scheme = written(&system, method);
        let [iterated, newton] = [&scheme, &by_newton(&scheme)].map(|scheme| {
            let guards = std::slice::from_ref(&guard);
            let mut compiled = CompiledScheme::new(g, scheme, &[], &[], guards, NewtonOptions::default()).unwrap();
            compiled.set_parameters(&[]);
            let start = StartValues { q: vec![0.5, 0.0], v: vec![0.2, 0.1], ..StartValues::default() };
            let mut run = compiled.start(&start, 0.02).unwrap();
            let failure = run.advance_many(1000).unwrap_err();
            (failure.step, run.state().to_vec())
        });
        assert_eq!(iterated.0, newton.0, "{method}");
        let [x, y] = [iterated.1[0], iterated.1[1]];
        assert!(x + y > -3.0 && iterated.0 > 50, "{method}: {x} and {y} at step {}", iterated.0);
    }
}

/// A step many times the period of a stiff spring: the iteration would diverge, and every step is Newton's.
#[test]
fn a_stiff_spring_is_left_to_newton() {
    let g = &Graph::new();
    let [x, v] = ["x", "x'"].map(|name| g.symbol(name));
    let system = System::new(g, &["x"], v.powi(2) / 2 - x.powi(2) * 500_000 - x.powi(4) * 100_000);
    for method in ["gauss(3)", "galerkin(4)"] {
        let scheme = written(&system, method);
        let run = marched(g, &scheme, None, &[0.5], 0.02, 300);
        assert_eq!(bits(&run), bits(&marched(g, &by_newton(&scheme), None, &[0.5], 0.02, 300)), "{method}");
        assert!(run.work().max_residual <= 1e-12, "{method}");
        assert_eq!(run.work().newton_steps, 300, "{method}");
    }
}

/// Beyond a hundred unknowns the Jacobian is not written out but made by the chain rule of one stage: Newton's method, to which stiff
/// springs are left, finds the same stages. With velocities, time, a constraint and a heated bath in the equations.
#[test]
fn the_jacobian_of_many_unknowns_is_that_of_few() {
    let g = &Graph::new();
    let stiff = || {
        let mut system = springs(g, &NAMES[..14], Rational::new(1, 5).unwrap());
        let spring = g.sum(system.q.iter().map(|q| (*q - g.rational(Rational::HALF)).powi(2) * 50_000));
        system.lagrangian = system.lagrangian - spring * (system.t.sin() / 2 + 1);
        system.force = system.v.iter().map(|v| -*v * 3 - v.powi(3) / 9).collect();
        system
    };
    let mut bound = stiff();
    bound.constrain("bar", ConstraintKind::Holonomic, bound.q[0] - bound.q[1] * 2, None);
    let mut warm = stiff();
    let bath = g.symbol("S");
    warm.lagrangian = warm.lagrangian - bath.exp();
    warm.heat = Heat::of(g, &["S"]);
    warm.heat.friction = vec![Friction { coordinate: 3, force: warm.force[3], shares: vec![(0, g.int(1))] }];
    for system in [stiff(), bound, warm] {
        let scheme = written(&system, "gauss(8)");
        let s = vec![0.3; system.heat.s.len()];
        let mut q = vec![0.52; 14];
        q[0] = 1.04;
        let start = StartValues { q, v: vec![0.0; 14], s, ..StartValues::default() };
        let [chained, written_out] = [&scheme, &by_newton(&scheme)].map(|scheme| {
            let mut run = compiled(g, scheme, None).start(&start, 0.05).unwrap();
            run.advance_many(20).unwrap();
            run
        });
        assert_eq!(chained.work().newton_steps, 20);
        // Residuals of 1e-14 of springs that are 5e4 times as stiff as what moves the positions here.
        for (x, expected) in chained.state().iter().zip(written_out.state()) {
            assert!((x - expected).abs() <= 1e-10 * expected.abs().max(1.0), "{x} instead of {expected}");
        }
        // Newton's method with another Jacobian would converge too, but not in as many iterations.
        let [ours, theirs] = [&chained, &written_out].map(|run| run.work().iterations as f64);
        assert!((ours / theirs - 1.0).abs() < 0.1, "{ours} iterations instead of {theirs}");
    }
}

/// Around the pericentre of a narrow orbit the iteration fails, Newton's method takes over, and the iteration comes back.
#[test]
fn a_march_goes_on_where_newton_has_helped() {
    let g = &Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let distance = (x.powi(2) + y.powi(2)).pow(g.rational(Rational::new(1, 2).unwrap()));
    let system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 + distance.powi(-1));
    // Semi-axis one, eccentricity 0.9, from the apocentre.
    let start = StartValues { q: vec![1.9, 0.0], v: vec![0.0, (1.0f64 / 19.0).sqrt()], ..StartValues::default() };
    for method in ["gauss(4)", "galerkin(4)"] {
        let scheme = written(&system, method);
        let march = |backend: Option<Backend>, portion: u64| {
            let mut run = compiled(g, &scheme, backend).start(&start, 0.125).unwrap();
            (0..400 / portion).for_each(|_| run.advance_many(portion).unwrap());
            run
        };
        let tape = march(Some(Backend::Tape), 1);
        assert!((1..200).contains(&tape.work().newton_steps), "{:?}", tape.work());
        for (backend, portion) in
            [(None, 1), (None, 400)].into_iter().chain(Backend::EMITTED.map(Some).into_iter().zip([100, 16, 25]))
        {
            let run = march(backend, portion);
            assert_eq!(bits(&run), bits(&tape), "{portion} at a time on {backend:?}");
            assert_eq!(run.work(), tape.work(), "{portion} at a time on {backend:?}");
        }
    }
}

//! Steps taken many at a time by one program are the steps taken one after the other.

use extremal_eval::Backend;
use extremal_expr::{Graph, Relation};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_model::ConstraintKind;
use extremal_solve::{CompiledScheme, Guard, March, Marcher, NewtonOptions, StartValues};
use extremal_testkit::marches::{begin, damped_double_pendulum, double_pendulum, start};

const STEPS: u64 = 700;

fn bits(run: &Marcher) -> Vec<u64> {
    run.state().iter().map(|x| x.to_bits()).collect()
}

fn systems(g: &Graph) -> [System<'_>; 2] {
    [double_pendulum(g), damped_double_pendulum(g)]
}

#[test]
fn many_steps_at_a_time_are_the_steps_one_by_one() {
    let g = &Graph::new();
    for system in systems(g) {
        for method in ["midpoint", "trapezoidal", "left", "galerkin(2, gauss(2))", "rk4", "gauss(3)", "gauss(8)"] {
            let fresh = || begin(&system, method, &[2.0, 1.0], &[0.0, 0.0], 0.01);
            let mut one_by_one = fresh();
            (0..STEPS).for_each(|_| one_by_one.advance().unwrap());
            for portion in [2, 7, STEPS] {
                let mut run = fresh();
                (0..STEPS / portion).for_each(|_| run.advance_many(portion).unwrap());
                run.advance_many(STEPS % portion).unwrap();
                assert_eq!(bits(&run), bits(&one_by_one), "{method}, {portion} at a time");
                assert_eq!((run.steps(), run.time()), (STEPS, one_by_one.time()));
                assert_eq!(run.work(), one_by_one.work());
            }
        }
    }
}

#[test]
fn motions_side_by_side_are_those_one_after_the_other() {
    // Some are so fast that steps of theirs do not work out in one piece: they leave their lane for these and come back.
    let g = &Graph::new();
    let scheme = scheme(&double_pendulum(g), &"midpoint".parse().unwrap(), Options::default(), None).unwrap();
    let mut compiled = CompiledScheme::new(g, &scheme, &[], &[], &[], NewtonOptions::default()).unwrap();
    compiled.set_parameters(&[]);
    let begun = |speed: i32| compiled.start(&start(&[2.0, 1.0], &[f64::from(speed), -0.5]), 0.03).unwrap();
    let fresh = || (-12..12).map(begun).collect::<Vec<Marcher>>();
    let mut alone = fresh();
    let expected: Vec<bool> = alone.iter_mut().map(|run| run.advance_many(STEPS).is_ok()).collect();
    assert!(expected.iter().filter(|arrived| **arrived).count() > 12, "{expected:?}");
    let mut together = fresh();
    let mut motions: Vec<&mut Marcher> = together.iter_mut().collect();
    let outcomes = compiled.lanes(64).unwrap().advance(&mut motions, STEPS, &mut ());
    for (number, (run, other)) in together.iter().zip(&alone).enumerate() {
        assert_eq!(outcomes[number].is_ok(), expected[number], "{number}: {:?}", outcomes[number]);
        assert_eq!((run.steps(), run.time()), (other.steps(), other.time()), "{number}");
        assert_eq!(bits(run), bits(other), "{number}");
    }
}

/// Masses in the plane with rods between some of them and the support, which is number zero; where they are at first.
struct Rods {
    masses: usize,
    rods: Vec<[usize; 2]>,
    start: Vec<f64>,
}

impl Rods {
    /// A chain that hangs from the support.
    fn chain(masses: usize) -> Rods {
        let angles = (0..masses).map(|i| 1.0 - i as f64 / (2 * masses) as f64);
        let ends = angles.scan([0.0, 0.0], |at, angle| {
            *at = [at[0] + angle.sin(), at[1] - angle.cos()];
            Some(*at)
        });
        Rods { masses, rods: (1..=masses).map(|i| [i - 1, i]).collect(), start: ends.flatten().collect() }
    }

    /// A ring of rods that hangs from the support by one of them: elimination fills places.
    fn ring(masses: usize) -> Rods {
        let turn = |i: usize| std::f64::consts::TAU * i as f64 / masses as f64;
        let radius = 0.5 / (turn(1) / 2.0).sin();
        let place = |i: usize| [radius * turn(i).sin(), radius * (turn(i).cos() - 1.0) - 1.0];
        let rods = (1..=masses).map(|i| [i, i % masses + 1]).chain([[0, 1]]).collect();
        Rods { masses, rods, start: (0..masses).flat_map(place).collect() }
    }

    fn system<'g>(&self, g: &'g Graph) -> System<'g> {
        let names: Vec<String> = (1..=self.masses).flat_map(|i| [format!("x{i}"), format!("y{i}")]).collect();
        let symbol = |name: String| g.symbol(&name);
        let place = |i: usize| match i {
            0 => [g.int(0), g.int(0)],
            _ => ["x", "y"].map(|axis| symbol(format!("{axis}{i}"))),
        };
        let kinetic = g.sum(names.iter().map(|name| symbol(format!("{name}'")).powi(2))) / 2;
        let height = g.sum((1..=self.masses).map(|i| place(i)[1]));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut system = System::new(g, &names, kinetic - height * 10);
        for [i, j] in &self.rods {
            let ([x, y], [u, w]) = (place(*i), place(*j));
            let length = (u - x).powi(2) + (w - y).powi(2) - 1;
            system.constrain(&format!("rod {i} {j}"), ConstraintKind::Holonomic, length, None);
        }
        system
    }

    /// The largest error of a length.
    fn residual(&self, state: &[f64]) -> f64 {
        let place = |i: usize| if i == 0 { [0.0, 0.0] } else { [state[2 * i - 2], state[2 * i - 1]] };
        let error = |[i, j]: &[usize; 2]| {
            let (a, b) = (place(*i), place(*j));
            ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) - 1.0).abs()
        };
        self.rods.iter().map(error).fold(0.0, f64::max)
    }
}

/// The multipliers of many constraints by elimination in the step itself: those of Newton's method, one update for each step, and rods
/// that keep their lengths.
#[test]
fn steps_of_many_rods_are_found_in_one_piece() {
    const H: f64 = 0.005;
    for rods in [Rods::chain(4), Rods::chain(9), Rods::chain(33), Rods::ring(6)] {
        let g = &Graph::new();
        let system = rods.system(g);
        for method in ["trapezoidal", "midpoint"] {
            let fresh = || begin(&system, method, &rods.start, &vec![0.0; 2 * rods.masses], H);
            let (mut one_by_one, mut many, mut by_newton) = (fresh(), fresh(), fresh());
            (0..STEPS).for_each(|_| one_by_one.advance().unwrap());
            many.advance_many(STEPS).unwrap();
            assert_eq!(bits(&many), bits(&one_by_one), "{method}");
            assert_eq!(many.work(), one_by_one.work());
            // Two updates where a first one leaves more than round-off.
            let updates = many.work().iterations as f64 / STEPS as f64;
            assert!(updates < 1.5, "{method}, {} rods: {updates} updates", rods.rods.len());
            // Numbers up to the length of the chain, a few roundings each.
            let residual = rods.residual(many.state());
            assert!(residual < 64.0 * f64::EPSILON * rods.masses as f64, "{method}: {residual:e}");
            // Steps that nobody predicts go to Newton's method; both are round-off apart, which the motion stretches.
            let mut near = fresh();
            for _ in 0..40 {
                near.advance().unwrap();
                by_newton.advance_by(H).unwrap();
            }
            let apart = near.state().iter().zip(by_newton.state()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-11, "{method}, {} rods: {apart:e}", rods.rods.len());
        }
    }
}

/// The midpoint rule by hand, with the sines and cosines of the standard library: those of the program follow from others.
#[test]
fn steps_in_one_piece_satisfy_equations_typed_by_hand() {
    const G: f64 = 9.81;
    let g = &Graph::new();
    for h in [0.001, 0.01, 0.03] {
        let mut run = begin(&double_pendulum(g), "midpoint", &[2.0, 1.0], &[0.0, 0.0], h);
        for _ in 0..2000 {
            let before = run.state().to_vec();
            run.advance().unwrap();
            let after = run.state();
            let v = [0, 1].map(|k| (after[k] - before[k]) / h);
            let [a, b] = [0, 1].map(|k| (after[k] + before[k]) / 2.0);
            let turning = v[0] * v[1] * (a - b).sin();
            let by_velocity = [2.0 * v[0] + v[1] * (a - b).cos(), v[1] + v[0] * (a - b).cos()];
            let by_position = [-turning - 2.0 * G * a.sin(), turning - G * b.sin()];
            // Velocities are quotients of differences of rounded positions here, and multiply each other; angles are rounded as well.
            let largest = before[..2].iter().chain(&after[..2]).fold(1.0, |m: f64, x| m.max(x.abs()));
            let fast = 1.0 + v[0].abs() + v[1].abs();
            let bound = 16.0 * f64::EPSILON * largest * (fast / h + h * fast * fast) + 1e-12;
            for k in 0..2 {
                let [start, end] = [-1.0, 1.0].map(|sign| by_velocity[k] + sign * h / 2.0 * by_position[k]);
                assert!((start - before[2 + k]).abs() < bound, "h = {h}: {start} {}", before[2 + k]);
                assert!((end - after[2 + k]).abs() < bound, "h = {h}: {end} {}", after[2 + k]);
            }
        }
    }
}

/// In a pendulum nothing but the sine is curved: what is wrong with it would not be found by another try.
#[test]
fn a_sine_that_follows_from_another_is_right_to_round_off() {
    const G: f64 = 9.81;
    let g = &Graph::new();
    let (a, v) = (g.symbol("a"), g.symbol("a'"));
    let gravity = g.rational(extremal_expr::Rational::parse_decimal("9.81").unwrap());
    let pendulum = System::new(g, &["a"], v.powi(2) / 2 + gravity * a.cos());
    for h in [0.02, 0.05, 0.1, 0.15] {
        let mut run = begin(&pendulum, "midpoint", &[2.5], &[0.0], h);
        for _ in 0..2000 {
            let before = run.state().to_vec();
            run.advance().unwrap();
            let kick = h * G * ((run.state()[0] + before[0]) / 2.0).sin();
            // p_1 - p_0 + h G sin: a few roundings of momenta up to 2 sqrt(2 G), of angles up to pi, of the kick.
            assert!((run.state()[1] - before[1] + kick).abs() < 32.0 * f64::EPSILON * 9.0, "h = {h}");
        }
    }
}

/// The first steps gather what predictions need; then one update mostly does, where the kernel needs two.
#[test]
fn a_small_system_is_marched_without_the_kernel() {
    let g = &Graph::new();
    let mut run = begin(&double_pendulum(g), "midpoint", &[2.0, 1.0], &[0.0, 0.0], 0.01);
    run.advance_many(10).unwrap();
    let before = run.work().iterations;
    run.advance_many(100_000).unwrap();
    let updates = run.work().iterations - before;
    assert!((100_000..150_000).contains(&updates), "{updates}");
    // Round-off of sums of a few terms, each relative to its own size.
    assert!(run.work().max_residual <= 8.0 * f64::EPSILON, "{:e}", run.work().max_residual);
}

#[test]
fn a_guard_ends_a_march_at_its_step() {
    let g = &Graph::new();
    let system = double_pendulum(g);
    let guard = Guard { text: "b > -2".to_string(), condition: g.compare(Relation::Lt, g.int(-2), system.q[1]).id() };
    for method in ["midpoint", "gauss(3)"] {
        a_guard_ends_at_its_step(&system, method, &guard);
    }
}

fn a_guard_ends_at_its_step(system: &System<'_>, method: &str, guard: &Guard) {
    let g = system.graph;
    let scheme = scheme(system, &method.parse().unwrap(), Options::default(), None).unwrap();
    let values = StartValues { q: vec![2.0, 1.0], v: vec![0.0, 0.0], ..StartValues::default() };
    let end = |portion: u64, backend: Option<Backend>| {
        let options = NewtonOptions { backend, ..NewtonOptions::default() };
        let mut compiled = CompiledScheme::new(g, &scheme, &[], &[], std::slice::from_ref(guard), options).unwrap();
        compiled.set_parameters(&[]);
        let mut run = compiled.start(&values, 0.01).unwrap();
        let failure = (0..STEPS).find_map(|_| run.advance_many(portion).err()).expect("the guard is broken");
        assert!(run.state()[1] > -2.0);
        (failure.step, run.steps(), bits(&run))
    };
    let expected = end(1, Some(Backend::Tape));
    assert!(expected.0 > 10, "later than the steps that only gather what predictions need: {}", expected.0);
    for portion in [1, 13, STEPS] {
        assert_eq!(end(portion, None), expected, "{method}, {portion} at a time");
    }
}

/// Hénon–Heiles, pushed by a force that changes with time: explicit for Störmer–Verlet.
fn pushed_henon_heiles(g: &Graph) -> System<'_> {
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let potential = (x.powi(2) + y.powi(2)) / 2 + x.powi(2) * y - y.powi(3) / 3;
    let mut system = System::new(g, &["x", "y"], (vx.powi(2) + vy.powi(2)) / 2 - potential);
    system.force = vec![(system.t * 3).sin() / 10, g.int(0)];
    system
}

#[test]
fn a_composition_in_one_piece_is_its_substeps() {
    let g = &Graph::new();
    let system = pushed_henon_heiles(g);
    for method in ["compose(yoshida4, trapezoidal)", "compose(kahan-li8, trapezoidal)"] {
        let fresh = || begin(&system, method, &[0.1, 0.0], &[0.0, 0.3], 0.0625);
        let [mut run, mut one_by_one, mut by_kernel] = [(); 3].map(|()| fresh());
        run.advance_many(100).unwrap();
        (0..100).for_each(|_| one_by_one.advance().unwrap());
        // A step of its own size is the kernel's, substep by substep.
        (0..100).for_each(|_| by_kernel.advance_by(0.0625).unwrap());
        assert_eq!(bits(&run), bits(&one_by_one), "{method}");
        assert_eq!(run.time(), by_kernel.time());
        // At most 1700 substeps that differ by half an ε of numbers below one each, which so short a motion hardly magnifies.
        for (x, expected) in run.state().iter().zip(by_kernel.state()) {
            assert!((x - expected).abs() <= 2e-13, "{method}: {x} instead of {expected}");
        }
    }
}

/// What a run leaves behind, factored Jacobians above all, does not show in the next.
#[test]
fn a_run_begun_again_is_the_same() {
    let g = &Graph::new();
    let system = double_pendulum(g);
    for method in ["midpoint", "gauss(3)"] {
        let values = StartValues { q: vec![2.0, 1.0], v: vec![0.0, 0.0], ..StartValues::default() };
        let mut run = begin(&system, method, &values.q, &values.v, 0.02);
        run.advance_many(200).unwrap();
        let first = bits(&run);
        run.advance_many(37).unwrap();
        run.restart(&values, 0.02).unwrap();
        run.advance_many(200).unwrap();
        assert_eq!(bits(&run), first, "{method}");
    }
}

/// A mass on a spring of stiffness `k`, pushed by a constant force: affine in its position and momentum.
fn oscillator<'g>(g: &'g Graph, friction: i64) -> System<'g> {
    let [x, v, k] = ["x", "x'", "k"].map(|name| g.symbol(name));
    let mut system = System::new(g, &["x"], v.powi(2) / 2 - k * x.powi(2) / 2 + x / 4);
    system.force = vec![-(v * friction) / 10];
    system
}

fn begin_oscillator(system: &System<'_>, k: f64, h: f64) -> Marcher {
    let scheme = scheme(system, &"midpoint".parse().unwrap(), Options::default(), None).unwrap();
    let parameters = [system.graph.symbol("k").id()];
    let options = NewtonOptions::default();
    let mut compiled = CompiledScheme::new(system.graph, &scheme, &parameters, &[], &[], options).unwrap();
    compiled.set_parameters(&[k]);
    compiled.start(&StartValues { q: vec![1.0], v: vec![0.5], ..StartValues::default() }, h).unwrap()
}

/// The midpoint rule conserves quadratic energies. Round-off of a million steps adds up like a random walk, 2e-13; slopes near one,
/// rounded, would make it grow with every step, to 1e-10.
#[test]
fn an_affine_step_gathers_round_off_like_a_random_walk() {
    let g = &Graph::new();
    let mut run = begin_oscillator(&oscillator(g, 0), 1.0, 0.01);
    let energy = |state: &[f64]| (state[1] * state[1] + state[0] * state[0]) / 2.0 - state[0] / 4.0;
    let first = energy(run.state());
    run.advance_many(1_000_000).unwrap();
    let drift = (energy(run.state()) - first).abs() / first;
    assert!(drift < 2e-12, "{drift:e}");
}

/// Without a spring the position is a parabola, which the midpoint rule hits: its differences of third order vanish.
#[test]
fn an_affine_step_may_lack_a_spring() {
    let g = &Graph::new();
    let mut run = begin_oscillator(&oscillator(g, 0), 0.0, 0.125);
    run.advance_many(800).unwrap();
    // All numbers on the way are exact.
    assert_eq!(run.state(), [1.0 + 0.5 * 100.0 + 100.0 * 100.0 / 8.0, 0.5 + 100.0 / 4.0]);
}

/// From soft springs to such that turn many times in a step, where differences say too little of the momentum.
#[test]
fn affine_steps_side_by_side_are_the_steps_alone() {
    let g = &Graph::new();
    for friction in [0, 3] {
        let system = oscillator(g, friction);
        let stiffness = [1.0, 1e5, 0.0, 30.0, 1e-9, 390.0, 410.0, 7.0];
        let scheme = scheme(&system, &"midpoint".parse().unwrap(), Options::default(), None).unwrap();
        let parameters = [g.symbol("k").id()];
        let compiled = CompiledScheme::new(g, &scheme, &parameters, &[], &[], NewtonOptions::default()).unwrap();
        let fresh = || stiffness.map(|k| begin_oscillator(&system, k, 0.1));
        let mut alone = fresh();
        alone.iter_mut().for_each(|run| (0..STEPS).for_each(|_| run.advance().unwrap()));
        let mut at_once = fresh();
        at_once.iter_mut().for_each(|run| run.advance_many(STEPS).unwrap());
        for lanes in [4, 8] {
            let Some(mut lanes) = compiled.lanes(lanes) else { continue };
            let mut motions = fresh();
            let mut all: Vec<&mut Marcher> = motions.iter_mut().collect();
            for outcome in lanes.advance(&mut all, STEPS, &mut ()) {
                outcome.unwrap();
            }
            for ((together, alone), at_once) in motions.iter().zip(&alone).zip(&at_once) {
                assert_eq!(bits(together), bits(alone));
                assert_eq!(bits(at_once), bits(alone));
            }
        }
    }
}

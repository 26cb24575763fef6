//! Steps taken many at a time by one program are the steps taken one after the other.

use crate::common::{begin, damped_double_pendulum, double_pendulum};
use extremal_eval::Backend;
use extremal_expr::{Comparison, Graph};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{CompiledScheme, Guard, March, Marcher, NewtonOptions, StartValues};

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
        for method in ["midpoint", "trapezoidal", "left", "galerkin(2, gauss(2))", "rk4"] {
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

/// Steps before the tenth gather what predictions need; then one update mostly does, where the kernel needs two.
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
    let guard = Guard { text: "b > -2".to_string(), condition: g.compare(Comparison::Lt, g.int(-2), system.q[1]).id() };
    let scheme = scheme(&system, &"midpoint".parse().unwrap(), Options::default(), None).unwrap();
    let values = StartValues { q: vec![2.0, 1.0], v: vec![0.0, 0.0], ..StartValues::default() };
    let end = |portion: u64, backend: Option<Backend>| {
        let options = NewtonOptions { backend, ..NewtonOptions::default() };
        let mut compiled = CompiledScheme::new(g, &scheme, &[], &[], std::slice::from_ref(&guard), options).unwrap();
        compiled.set_parameters(&[]);
        let mut run = compiled.start(&values, 0.01).unwrap();
        let failure = (0..STEPS).find_map(|_| run.advance_many(portion).err()).expect("the guard is broken");
        assert!(run.state()[1] > -2.0);
        (failure.step, run.steps(), bits(&run))
    };
    let expected = end(1, Some(Backend::Tape));
    assert!(expected.0 > 10, "later than the steps that only gather what predictions need: {}", expected.0);
    for portion in [1, 13, STEPS] {
        assert_eq!(end(portion, None), expected, "{portion} at a time");
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

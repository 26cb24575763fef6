//! Few stages without functions, found in one program for a whole step: the same motion, however its steps are taken.

use extremal_eval::Backend;
use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{CompiledScheme, March, Marcher, NewtonOptions};
use extremal_testkit::marches::{begin, start};

/// An orbit about a centre, its velocities weighted by masses that are not one.
fn orbit(g: &Graph) -> System<'_> {
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let kinetic = (g.symbol("x'").powi(2) + g.symbol("y'").powi(2) * 2) / 2;
    System::new(g, &["x", "y"], kinetic + (x.powi(2) + y.powi(2)).sqrt().powi(-1))
}

fn compiled(g: &Graph, method: &str, backend: Option<Backend>) -> CompiledScheme {
    let scheme = scheme(&orbit(g), &method.parse().unwrap(), Options::default(), None).unwrap();
    let options = NewtonOptions { backend, ..NewtonOptions::default() };
    let mut compiled = CompiledScheme::new(g, &scheme, &[], &[], &[], options).unwrap();
    compiled.set_parameters(&[]);
    compiled
}

fn bits(run: &Marcher) -> Vec<u64> {
    run.state().iter().map(|x| x.to_bits()).collect()
}

/// A step at two Gauss nodes, by Picard's iteration until nothing changes: positions and momenta after it.
fn by_hand([q, p]: [[f64; 2]; 2], h: f64) -> [[f64; 2]; 2] {
    let root = 3f64.sqrt() / 6.0;
    let a = [[0.25, 0.25 - root], [0.25 + root, 0.25]];
    let mass = [1.0, 2.0];
    let mut slopes = [[[0.0; 2]; 2]; 2];
    for _ in 0..200 {
        let place = |i: usize, k: usize, start: [f64; 2], of: usize| {
            start[k] + h * (a[i][0] * slopes[0][of][k] + a[i][1] * slopes[1][of][k])
        };
        slopes = [0, 1].map(|i| {
            let at = [0, 1].map(|k| place(i, k, q, 0));
            let momentum = [0, 1].map(|k| place(i, k, p, 1));
            let pull = at[0].hypot(at[1]).powi(-3);
            [[momentum[0] / mass[0], momentum[1] / mass[1]], [-pull * at[0], -pull * at[1]]]
        });
    }
    [(q, 0), (p, 1)].map(|(start, of)| [0, 1].map(|k| start[k] + h / 2.0 * (slopes[0][of][k] + slopes[1][of][k])))
}

#[test]
fn every_step_is_the_one_by_hand() {
    let g = &Graph::new();
    // With the last step size the pericentre takes shorter guesses than there are.
    for (method, h) in [("galerkin(2)", 0.01), ("gauss(2)", 0.01), ("galerkin(2)", 0.04), ("gauss(2)", 0.15)] {
        let mut run = begin(&orbit(g), method, &[0.4, 0.0], &[0.0, 1.6], h);
        for step in 0..1500 {
            // References carry velocities, the others momenta.
            let unit = if method == "gauss(2)" { 2.0 } else { 1.0 };
            let before = run.state().to_vec();
            run.advance().unwrap();
            let [q, p] = by_hand([[before[0], before[1]], [before[2], unit * before[3]]], h);
            let after = run.state();
            for (found, expected) in after.iter().zip([q[0], q[1], p[0], p[1] / unit]) {
                // Round-off of the forces, next to the centre more than a hundred, and of sums of numbers up to two.
                let tolerance = 8.0 * f64::EPSILON * (2.0 + 200.0 * h);
                assert!((found - expected).abs() < tolerance, "{method}, h = {h}, {step}: {found}, by hand {expected}");
            }
        }
    }
}

#[test]
fn one_update_mostly_does() {
    let g = &Graph::new();
    for method in ["galerkin(2)", "gauss(2)", "gauss(3)"] {
        let mut run = begin(&orbit(g), method, &[0.4, 0.0], &[0.0, 1.6], 0.005);
        run.advance_many(20).unwrap();
        let before = run.work().iterations;
        run.advance_many(20_000).unwrap();
        let updates = run.work().iterations - before;
        assert!((20_000..30_000).contains(&updates), "{method}: {updates}");
        assert!(run.work().max_residual <= 8.0 * f64::EPSILON, "{method}: {:e}", run.work().max_residual);
    }
}

/// What Gauss methods keep besides the symplectic form: quadratic invariants.
#[test]
fn the_angular_momentum_stays() {
    let g = &Graph::new();
    let (x, y) = (g.symbol("x"), g.symbol("y"));
    let kinetic = (g.symbol("x'").powi(2) + g.symbol("y'").powi(2)) / 2;
    let system = System::new(g, &["x", "y"], kinetic + (x.powi(2) + y.powi(2)).sqrt().powi(-1));
    for method in ["galerkin(2)", "gauss(3)"] {
        let mut run = begin(&system, method, &[0.4, 0.0], &[0.0, 2.0], 0.01);
        let momentum = |s: &[f64]| s[0] * s[3] - s[1] * s[2];
        let first = momentum(run.state());
        for _ in 0..20 {
            run.advance_many(1000).unwrap();
            // A step rounds each of four numbers up to two once, which adds up like a walk of 20000 steps.
            let walked = 20_000f64.sqrt() * 8.0 * f64::EPSILON;
            assert!((momentum(run.state()) - first).abs() < walked, "{method}: {:e}", momentum(run.state()) - first);
        }
    }
}

/// There is nothing to iterate where equations are linear; the energy is one of the quadratic invariants.
#[test]
fn linear_equations_are_solved_at_once() {
    let g = &Graph::new();
    let [x, y] = ["x", "y"].map(|name| g.symbol(name));
    let kinetic = (g.symbol("x'").powi(2) + g.symbol("y'").powi(2)) / 2;
    let system = System::new(g, &["x", "y"], kinetic - x.powi(2) - x * y - y.powi(2) * 2);
    for method in ["galerkin(2)", "gauss(2)"] {
        let mut run = begin(&system, method, &[0.4, -1.0], &[0.3, 0.2], 0.05);
        let energy = |s: &[f64]| (s[2] * s[2] + s[3] * s[3]) / 2.0 + s[0] * s[0] + s[0] * s[1] + 2.0 * s[1] * s[1];
        let first = energy(run.state());
        run.advance_many(1000).unwrap();
        let walked = 1000f64.sqrt() * 16.0 * f64::EPSILON;
        assert!((energy(run.state()) - first).abs() < walked, "{method}: {:e}", energy(run.state()) - first);
    }
}

#[test]
fn many_at_a_time_and_side_by_side_are_one_after_the_other() {
    let g = &Graph::new();
    for method in ["galerkin(2)", "gauss(2)", "gauss(3)"] {
        let compiled = compiled(g, method, None);
        // Some fall so near the centre that steps do not work out in one piece.
        let begun = |at: i32| compiled.start(&start(&[0.6, 0.0], &[0.0, 0.9 + 0.03 * f64::from(at)]), 0.02).unwrap();
        let fresh = || (0..20).map(begun).collect::<Vec<Marcher>>();
        let mut alone = fresh();
        for run in &mut alone {
            (0..500).for_each(|_| run.advance().unwrap());
        }
        for portion in [3, 500] {
            for (run, alone) in fresh().iter_mut().zip(&alone) {
                (0..500 / portion).for_each(|_| run.advance_many(portion).unwrap());
                run.advance_many(500 % portion).unwrap();
                assert_eq!(bits(run), bits(alone), "{method}, {portion} at a time");
                assert_eq!(run.work(), alone.work());
            }
        }
        let mut together = fresh();
        let mut motions: Vec<&mut Marcher> = together.iter_mut().collect();
        let outcomes = compiled.lanes(64).unwrap().advance(&mut motions, 500, &mut ());
        for (at, (run, alone)) in together.iter().zip(&alone).enumerate() {
            assert!(outcomes[at].is_ok() && bits(run) == bits(alone), "{method}, {at}");
        }
    }
}

#[test]
fn every_backend_has_the_same_bits() {
    let g = &Graph::new();
    let end_on = |backend: Backend| {
        let mut run = compiled(g, "galerkin(2)", Some(backend)).start(&start(&[0.4, 0.0], &[0.0, 1.6]), 0.02).unwrap();
        run.advance_many(700).unwrap();
        bits(&run)
    };
    let tape = end_on(Backend::Tape);
    assert!(Backend::EMITTED.into_iter().all(|backend| end_on(backend) == tape));
}

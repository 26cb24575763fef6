//! Long chains and trees, whose Jacobians are those of their sums: the motions of full matrices, orders, momenta, symplecticity.

use extremal_eval::Program;
use extremal_expr::{Expr, Graph, Rational};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, PhaseFlow, scheme};
use extremal_solve::{
    CompiledScheme, DenseLu, GuessSource, Kernel, March, Marcher, NewtonOptions, StartValues, TangentMap,
};
use extremal_testkit::marches::{followed_to, start};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

const G: f64 = 9.81;

/// Bodies of mass one at the ends of rods of length one, each of which hangs on the body `parent`, or on the ceiling; with the
/// positions of the bodies.
fn tree<'g>(g: &'g Graph, parents: &[Option<usize>], gravity: bool) -> (System<'g>, Vec<[Expr<'g>; 2]>) {
    let names: Vec<String> = (0..parents.len()).map(|k| format!("a{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut places: Vec<[Expr<'g>; 2]> = Vec::new();
    let mut speeds: Vec<[Expr<'g>; 2]> = Vec::new();
    for (name, parent) in names.iter().zip(parents) {
        let (a, v) = (g.symbol(name), g.symbol(&format!("{name}'")));
        let at = |all: &[[Expr<'g>; 2]], own: [Expr<'g>; 2]| match parent {
            Some(parent) => [all[*parent][0] + own[0], all[*parent][1] + own[1]],
            None => own,
        };
        let (place, speed) = (at(&places, [a.sin(), -a.cos()]), at(&speeds, [a.cos() * v, a.sin() * v]));
        places.push(place);
        speeds.push(speed);
    }
    let kinetic = g.sum(speeds.iter().flatten().map(|speed| speed.powi(2))) / 2;
    let weight = g.rational(Rational::parse_decimal(if gravity { "9.81" } else { "0" }).unwrap());
    let height = g.sum(places.iter().map(|place| place[1]));
    (System::new(g, &names, kinetic - weight * height), places)
}

fn chain(g: &Graph, links: usize, gravity: bool) -> System<'_> {
    let parents: Vec<_> = (0..links).map(|k| k.checked_sub(1)).collect();
    tree(g, &parents, gravity).0
}

/// A trunk with a branch of two bodies at every third of its own; two tips are held together by a spring that is not linear.
fn branched(g: &Graph) -> System<'_> {
    let mut parents: Vec<Option<usize>> = (0..24_usize).map(|k| k.checked_sub(1)).collect();
    for joint in (0..24).step_by(3) {
        parents.push(Some(joint));
        parents.push(Some(parents.len() - 1));
    }
    let (mut system, places) = tree(g, &parents, true);
    let [from, to] = [places[23], places[places.len() - 1]];
    let square = (from[0] - to[0]).powi(2) + (from[1] - to[1]).powi(2);
    system.lagrangian = system.lagrangian - (square + 1).sqrt() * 3;
    system
}

fn compiled(system: &System<'_>, method: &str, full_slopes: bool) -> CompiledScheme {
    let system = if full_slopes { system } else { &system.clone().with_nested_sums() };
    let scheme = scheme(system, &method.parse().unwrap(), Options::default(), None).unwrap();
    let options = NewtonOptions { full_slopes, ..NewtonOptions::default() };
    let mut compiled = CompiledScheme::new(system.graph, &scheme, &[], &[], &[], options).unwrap();
    compiled.set_parameters(&[]);
    compiled
}

fn bent(links: usize) -> Vec<f64> {
    (0..links).map(|k| 1.0 - k as f64 / (2 * links) as f64).collect()
}

fn marched(system: &System<'_>, method: &str, full_slopes: bool, values: &StartValues, h: f64, steps: u64) -> Marcher {
    let mut run = compiled(system, method, full_slopes).start(values, h).unwrap();
    run.advance_many(steps).unwrap();
    run
}

/// Operations of a step and an observation.
fn operations(system: &System<'_>, method: &str, full_slopes: bool) -> usize {
    let count = |program: &Program| (0..program.entries()).map(|entry| program.ops(entry).len()).sum::<usize>();
    compiled(system, method, full_slopes).programs().iter().map(count).sum()
}

/// The same motion as by full matrices, for implicit steps of every kind, and for accelerations alone.
#[test]
fn sparse_slopes_lead_where_full_ones_do() {
    let g = &Graph::new();
    for (name, system) in [("chain", chain(g, 40, true)), ("tree", branched(g))] {
        let values = start(&bent(system.len()), &vec![0.1; system.len()]);
        for method in
            ["left", "midpoint", "trapezoidal", "galerkin(2, lobatto(3))", "compose(suzuki4, midpoint)", "rk4"]
        {
            let [sparse, full] = [false, true].map(|full| marched(&system, method, full, &values, 2e-3, 50));
            // Each residual is round-off of its terms, at most 1e-14 of them; a tenth of a second magnifies that little, but the mass
            // matrix of forty links has a condition of some thousand.
            let size = full.state().iter().fold(1.0f64, |size, x| size.max(x.abs()));
            let apart = distance(sparse.state(), full.state());
            assert!(apart < 1e-10 * size, "{name}, {method}: {apart:e} of {size}");
            assert!(sparse.work().max_residual < 1e-12, "{name}, {method}");
        }
    }
}

/// Four times as many links are four times as many operations, where full matrices have sixteen times as many.
#[test]
fn operations_grow_with_the_links() {
    let counts = |full: bool| [40, 160].map(|links| operations(&chain(&Graph::new(), links, true), "midpoint", full));
    let ([short, long], [_, full]) = (counts(false), counts(true));
    assert!(long < 5 * short, "{short} and {long}");
    assert!(full > 10 * long, "{full} and {long}");
}

/// M a = f of the hanging chain, typed by hand.
fn accelerations(q: &[f64], v: &[f64], lu: &mut DenseLu, a: &mut [f64]) {
    let n = q.len();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        a[i] = -((n - i) as f64) * G * q[i].sin();
        for j in 0..n {
            let (s, c) = (q[i] - q[j]).sin_cos();
            let below = (n - i.max(j)) as f64;
            matrix[i * n + j] = below * c;
            a[i] -= below * s * v[j] * v[j];
        }
    }
    lu.factor(&matrix).unwrap();
    lu.solve(a);
}

const CASES: &[OrderCase<'_>] = &[
    ("midpoint", 2.0, 0.1, &[32, 64, 128]),
    ("trapezoidal", 2.0, 0.1, &[32, 64, 128]),
    ("compose(suzuki4, midpoint)", 4.0, 0.3, &[8, 16, 32]),
    ("rk4", 4.0, 0.3, &[32, 64, 128]),
];

#[test]
fn long_chains_have_the_orders_of_their_methods() {
    let (g, n, end) = (&Graph::new(), 36, 0.25);
    let system = chain(g, n, true);
    let (q, mut lu) = (bent(n), DenseLu::new(n));
    let truth = followed_to(&[&q[..], &vec![0.0; n]].concat(), end, |_, y, dy| {
        let (q, v) = y.split_at(n);
        let (by_q, by_v) = dy.split_at_mut(n);
        by_q.copy_from_slice(v);
        accelerations(q, v, &mut lu, by_v);
    });
    let values = start(&q, &vec![0.0; n]);
    assert_orders("chain of 36", CASES, end, 1e-11, |method, steps| {
        let run = marched(&system, method, false, &values, end / steps as f64, steps);
        vec![distance(&run.state()[..n], &truth[..n])]
    });
}

/// Without gravity nothing turns the whole chain: the sum of its momenta is that of the start, as exactly as steps are solved.
#[test]
fn the_momentum_of_a_free_chain_is_kept() {
    let (g, n) = (&Graph::new(), 48);
    let system = chain(g, n, false);
    let velocities: Vec<f64> = (0..n).map(|k| 0.3 + (k as f64).sin() / 4.0).collect();
    let run = compiled(&system, "midpoint", false).start(&start(&bent(n), &velocities), 1e-3).unwrap();
    let turn = |run: &Marcher| run.state()[n..2 * n].iter().sum::<f64>();
    let size: f64 = run.state()[n..2 * n].iter().map(|p| p.abs()).sum();
    let (before, mut run) = (turn(&run), run);
    for steps in [10, 500] {
        run.advance_many(steps).unwrap();
        // Each step is solved to a few ε of the terms of its momenta, which are no larger than all of them together.
        let drift = (turn(&run) - before).abs();
        assert!(drift < 8.0 * f64::EPSILON * size * run.steps() as f64, "{drift:e} of {size} after {}", run.steps());
    }
}

#[test]
fn steps_of_a_long_chain_are_symplectic() {
    let (g, n) = (&Graph::new(), 34);
    let system = chain(g, n, true).with_nested_sums();
    let scheme = scheme(&system, &"midpoint".parse().unwrap(), Options::default(), None).unwrap();
    let mut map = TangentMap::new(g, &scheme, &[], NewtonOptions::default()).unwrap();
    let mut state = [bent(n), vec![0.2; n]].concat();
    let df = map.advance(&mut state, 0.0, 0.01, &vec![0.0; n]).unwrap();
    let entry = |i: usize, j: usize| df[2 * n * i + j];
    let size = df.iter().fold(1.0f64, |size, x| size.max(x.abs()));
    for i in 0..2 * n {
        for j in 0..2 * n {
            let pulled: f64 = (0..n).map(|k| entry(k, i) * entry(k + n, j) - entry(k + n, i) * entry(k, j)).sum();
            let expected = f64::from(i + n == j) - f64::from(j + n == i);
            // Sums of 34 products, of entries found by a solve with a condition of some thousand.
            assert!((pulled - expected).abs() < 1e-11 * size * size, "{i} {j}: {pulled} with entries up to {size}");
        }
    }
}

/// Accelerations as typed by hand, where the matrix of what is solved is a band.
#[test]
fn accelerations_of_a_long_chain() {
    let (g, n) = (&Graph::new(), 64);
    let flow = PhaseFlow::of(&chain(g, n, true).with_nested_sums());
    let mut kernel = Kernel::compile(g, &[], &flow.rates, NewtonOptions::default()).unwrap();
    kernel.set_parameters(&[]);
    assert!(kernel.structure().linear && kernel.structure().unknowns == n);
    let (q, v) = (bent(n), (0..n).map(|k| (k as f64 / 5.0).cos()).collect::<Vec<_>>());
    let (mut rates, mut by_hand) = (vec![0.0; 2 * n], vec![0.0; n]);
    kernel.run(&[&q[..], &v, &[0.0]].concat(), GuessSource::Formula, &mut rates).unwrap();
    accelerations(&q, &v, &mut DenseLu::new(n), &mut by_hand);
    let size = by_hand.iter().fold(1.0f64, |size, a| size.max(a.abs()));
    // The condition of the mass matrix is some thousand, on both sides.
    assert!(distance(&rates[n..], &by_hand) < 1e-10 * size, "{:e}", distance(&rates[n..], &by_hand));
}

/// A chain that hangs at rest stays there, though all that is left of its terms is round-off.
#[test]
fn a_chain_at_rest_stays_at_rest() {
    let (g, n) = (&Graph::new(), 50);
    let run = marched(&chain(g, n, true), "midpoint", false, &start(&vec![0.0; n], &vec![0.0; n]), 1e-2, 100);
    assert!(run.state().iter().all(|x| x.abs() < 1e-12));
}

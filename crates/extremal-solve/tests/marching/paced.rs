//! Steps that are as long as a pace says, on the double pendulum: orders against hand-typed equations, steps undone, the symplectic form.

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, Scheme, paced};
use extremal_model::Pacing;
use extremal_solve::{CompiledScheme, March, NewtonOptions, TangentMap};
use extremal_testkit::marches::{
    damped_double_pendulum, double_pendulum, double_pendulum_acceleration, followed_to, start,
};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

const Q0: [f64; 2] = [0.5, 0.3];
const V0: [f64; 2] = [0.4, -0.3];
/// At 1.0 the errors of some methods pass through zero as the step changes.
const END: f64 = 1.3;

/// Between 2/3 and 2, and not a function of the energy.
fn pace<'g>(system: &System<'g>) -> Expr<'g> {
    let [a, b] = [system.q[0], system.q[1]];
    let g = system.graph;
    g.int(2) / (g.int(2) - (a * 2 - b).sin())
}

fn formulas(system: &System<'_>, method: &str, pacing: Pacing) -> Scheme {
    paced(system, &method.parse().unwrap(), Options::default(), pace(system), pacing).unwrap()
}

fn compiled(system: &System<'_>, method: &str, pacing: Pacing) -> CompiledScheme {
    let scheme = formulas(system, method, pacing);
    let mut compiled = CompiledScheme::new(system.graph, &scheme, &[], &[], &[], NewtonOptions::default()).unwrap();
    compiled.set_parameters(&[]);
    compiled
}

/// Positions at the end, by steps that have the size `END`/n where the pace is one.
fn positions(system: &System<'_>, method: &str, pacing: Pacing, n: u64) -> Vec<f64> {
    let mut run = compiled(system, method, pacing).start_paced(&start(&Q0, &V0), END / n as f64).unwrap();
    while run.time() < END {
        run.advance().unwrap();
    }
    run.complete(END).unwrap();
    assert_eq!(run.time(), END);
    run.state()[..2].to_vec()
}

fn truth(forced: bool) -> [f64; 2] {
    let end = followed_to(&[Q0[0], Q0[1], V0[0], V0[1]], END, |t, y, dy| {
        let (q, v) = ([y[0], y[1]], [y[2], y[3]]);
        let f = if forced { [-0.3 * v[0], 0.2 * (v[0] - v[1]) + t.sin()] } else { [0.0; 2] };
        let a = double_pendulum_acceleration(q, v, f);
        dy.copy_from_slice(&[v[0], v[1], a[0], a[1]]);
    });
    [end[0], end[1]]
}

const SYMMETRIC: &[OrderCase<'_>] = &[
    ("midpoint", 2.0, 0.05, &[64, 128, 256, 512]),
    ("trapezoidal", 2.0, 0.05, &[64, 128, 256, 512]),
    ("galerkin(2)", 4.0, 0.1, &[32, 64, 128, 256]),
    ("galerkin(3)", 6.0, 0.2, &[24, 32, 40, 48, 64]),
    ("galerkin(2, lobatto(3))", 4.0, 0.1, &[32, 64, 128, 256]),
    ("gauss(2)", 4.0, 0.1, &[32, 64, 128, 256]),
    ("gauss(3)", 6.0, 0.2, &[24, 32, 40, 48, 64]),
    ("compose(suzuki4, midpoint)", 4.0, 0.1, &[32, 64, 128, 256]),
    ("compose(suzuki4, trapezoidal)", 4.0, 0.1, &[32, 64, 128, 256]),
    ("blanes-moan4", 4.0, 0.1, &[24, 32, 48, 64]),
];

#[test]
fn symmetric_steps_have_the_order_of_the_method() {
    let g = Graph::new();
    let truth = truth(false);
    assert_orders("symmetric", SYMMETRIC, END, 2e-13, |method, n| {
        vec![distance(&positions(&double_pendulum(&g), method, Pacing::Symmetric, n), &truth)]
    });
}

#[test]
fn so_they_have_under_forces_by_velocities_and_the_time() {
    let g = Graph::new();
    let truth = truth(true);
    let cases: &[OrderCase<'_>] = &[SYMMETRIC[0], SYMMETRIC[1], SYMMETRIC[2], SYMMETRIC[5], SYMMETRIC[7]];
    assert_orders("forced", cases, END, 2e-13, |method, n| {
        vec![distance(&positions(&damped_double_pendulum(&g), method, Pacing::Symmetric, n), &truth)]
    });
}

#[test]
fn symplectic_steps_have_the_order_of_the_method() {
    let g = Graph::new();
    let truth = truth(false);
    let cases: &[OrderCase<'_>] = &[
        ("left", 1.0, 0.05, &[200, 400, 800, 1600]),
        ("right", 1.0, 0.05, &[200, 400, 800, 1600]),
        ("midpoint", 2.0, 0.05, &[64, 128, 256, 512]),
        ("trapezoidal", 2.0, 0.05, &[64, 128, 256, 512]),
        ("galerkin(2)", 4.0, 0.1, &[32, 64, 128, 256]),
        ("galerkin(3)", 6.0, 0.2, &[24, 32, 40, 48, 64]),
        ("galerkin(2, lobatto(3))", 4.0, 0.1, &[64, 128, 256, 512]),
        ("compose(suzuki4, trapezoidal)", 4.0, 0.1, &[64, 128, 256, 512]),
        ("compose(yoshida4, midpoint)", 4.0, 0.1, &[64, 128, 256, 512]),
    ];
    assert_orders("symplectic", cases, END, 2e-13, |method, n| {
        vec![distance(&positions(&double_pendulum(&g), method, Pacing::Symplectic, n), &truth)]
    });
}

#[test]
fn steps_backward_undo_steps_forward() {
    let g = Graph::new();
    let system = double_pendulum(&g);
    let both: [(Pacing, &[&str]); 2] = [
        (Pacing::Symmetric, &["midpoint", "trapezoidal", "galerkin(2)", "gauss(3)", "compose(suzuki4, midpoint)"]),
        (Pacing::Symplectic, &["midpoint", "trapezoidal", "galerkin(2)", "compose(suzuki4, trapezoidal)"]),
    ];
    for (pacing, methods) in both {
        for method in methods {
            let scheme = compiled(&system, method, pacing);
            let (values, h, steps) = (start(&Q0, &V0), 0.02, 200);
            let mut forward = scheme.start(&values, h).unwrap();
            let first = forward.state().to_vec();
            (0..steps).for_each(|_| forward.advance().unwrap());
            let mut back = scheme.resume(&values, -h, forward.state(), 0);
            (0..steps).for_each(|_| back.advance().unwrap());
            // Round-off of 400 steps of a motion of size 1 whose neighbours part by less than a factor of 100; residuals are solved to
            // 1e-12 of their terms, mostly to round-off.
            let off = distance(back.state(), &first);
            assert!(off < 1e-10, "{pacing} {method}: {off:e}");
            // Not so with steps that begin with the density as it should be, instead of as it was carried.
            assert!(distance(forward.state(), &first) > 0.1);
        }
    }
}

/// max |DFᵀ J DF − J| relative to the size of DF, J pairing (q, t) with (p, −E), over some steps.
fn defect(pacing: Pacing, method: &str) -> f64 {
    let g = Graph::new();
    let system = double_pendulum(&g);
    let scheme = formulas(&system, method, pacing);
    let mut start = compiled(&system, method, pacing).start(&start(&Q0, &V0), 0.05).unwrap().state().to_vec();
    let width = start.len();
    let mut map = TangentMap::new(&g, &scheme, &[], NewtonOptions::default()).unwrap();
    let mut form = vec![0.0; width * width];
    let pairs: &[(usize, usize, f64)] = match pacing {
        Pacing::Symplectic => &[(0, 2, 1.0), (1, 3, 1.0), (4, 5, -1.0)],
        _ => &[(0, 2, 1.0), (1, 3, 1.0)],
    };
    for (x, p, sign) in pairs {
        (form[x * width + p], form[p * width + x]) = (*sign, -sign);
    }
    let mut worst = 0.0f64;
    for _ in 0..5 {
        let df = map.advance(&mut start, 0.0, 0.05, &[0.0; 2]).unwrap();
        let size = df.iter().fold(1.0f64, |most, entry| most.max(entry.abs()));
        for i in 0..width {
            for j in 0..width {
                let pulled: f64 = (0..width * width)
                    .map(|at| df[at / width * width + i] * form[at] * df[at % width * width + j])
                    .sum();
                worst = worst.max((pulled - form[i * width + j]).abs() / (size * size));
            }
        }
    }
    worst
}

#[test]
fn symplectic_steps_keep_the_form_with_time_and_energy() {
    for method in
        ["left", "midpoint", "trapezoidal", "galerkin(2)", "galerkin(2, lobatto(3))", "compose(suzuki4, midpoint)"]
    {
        // Products of 6x6 matrices, each entry of a solve of moderate condition: some hundred ε.
        let defect = defect(Pacing::Symplectic, method);
        assert!(defect < 1e-12, "{method}: {defect:e}");
    }
    // Each step of the others is a step of a symplectic map, whose length depends on where it is taken.
    let defect = defect(Pacing::Symmetric, "trapezoidal");
    assert!(defect > 1e-4, "{defect:e}");
}

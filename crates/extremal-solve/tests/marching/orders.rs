//! Orders, measured: slope of the error over halved steps on the double pendulum (nonlinear, not separable), against
//! hand-typed equations integrated by DOP853.

use extremal_expr::Graph;
use extremal_mechanics::System;
use extremal_testkit::marches::{
    damped_double_pendulum, double_pendulum, double_pendulum_acceleration, followed_to, positions,
};
use extremal_testkit::numbers::{OrderCase, assert_orders, distance};

/// Moderate amplitude: large ones scatter the measured orders of the eighth-order methods.
const Q0: [f64; 2] = [0.5, 0.3];
const END: f64 = 1.0;

fn truth(forced: bool) -> [f64; 2] {
    let end = followed_to(&[Q0[0], Q0[1], 0.0, 0.0], END, |t, y, dy| {
        let (q, v) = ([y[0], y[1]], [y[2], y[3]]);
        let f = if forced { [-0.3 * v[0], 0.2 * (v[0] - v[1]) + t.sin()] } else { [0.0; 2] };
        let a = double_pendulum_acceleration(q, v, f);
        dy.copy_from_slice(&[v[0], v[1], a[0], a[1]]);
    });
    [end[0], end[1]]
}

/// (method, order, tolerance of the slope, step counts).
const CASES: &[OrderCase<'_>] = &[
    ("left", 1.0, 0.1, &[200, 400, 800, 1600]),
    ("right", 1.0, 0.1, &[200, 400, 800, 1600]),
    ("theta(0.3)", 1.0, 0.1, &[200, 400, 800, 1600]),
    ("midpoint", 2.0, 0.05, &[32, 64, 128, 256]),
    ("trapezoidal", 2.0, 0.05, &[32, 64, 128, 256]),
    ("galerkin(1)", 2.0, 0.05, &[32, 64, 128, 256]),
    ("galerkin(2)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("galerkin(3)", 6.0, 0.2, &[16, 20, 24, 32, 40]),
    ("galerkin(4)", 8.0, 0.5, &[12, 14, 16, 18, 20]),
    ("galerkin(2, lobatto(3))", 4.0, 0.1, &[16, 32, 64, 128]),
    ("galerkin(3, lobatto(4))", 6.0, 0.2, &[8, 12, 16, 24, 32]),
    ("compose(yoshida4, midpoint)", 4.0, 0.2, &[32, 64, 128, 256]),
    ("compose(yoshida6, midpoint)", 6.0, 0.2, &[48, 64, 80, 96]),
    ("compose(yoshida8, midpoint)", 8.0, 0.5, &[12, 16, 20, 24]),
    ("compose(suzuki4, midpoint)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("compose(kahan-li8, midpoint)", 8.0, 0.5, &[16, 18, 20, 22, 24]),
    ("blanes-moan4", 4.0, 0.2, &[8, 12, 16, 24, 32]),
    ("blanes-moan6", 6.0, 0.4, &[20, 24, 28, 32, 40]),
    ("compose(yoshida4, trapezoidal)", 4.0, 0.2, &[32, 64, 128, 256]),
    ("compose(suzuki4, trapezoidal)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("compose(kahan-li8, trapezoidal)", 8.0, 0.5, &[14, 16, 18, 20]),
    ("euler", 1.0, 0.1, &[1024, 2048, 4096, 8192]),
    ("rk2", 2.0, 0.1, &[64, 128, 256, 512]),
    ("rk4", 4.0, 0.1, &[128, 256, 512, 1024]),
    ("gauss(1)", 2.0, 0.05, &[32, 64, 128, 256]),
    ("gauss(2)", 4.0, 0.1, &[16, 32, 64, 128]),
    ("gauss(3)", 6.0, 0.2, &[16, 20, 24, 32, 40]),
];

fn assert_orders_of(system: &System<'_>, truth: [f64; 2]) {
    // DOP853 at 1e-15 and the round-off of a hundred steps: anything below 2e-13 says nothing.
    assert_orders("double pendulum", CASES, END, 2e-13, |method, n| {
        vec![distance(&positions(system, method, &Q0, &[0.0; 2], END / n as f64, n), &truth)]
    });
}

#[test]
fn conservative() {
    let g = Graph::new();
    assert_orders_of(&double_pendulum(&g), truth(false));
}

#[test]
fn forced_dissipative_and_with_explicit_time() {
    let g = Graph::new();
    assert_orders_of(&damped_double_pendulum(&g), truth(true));
}

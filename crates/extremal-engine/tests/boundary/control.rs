//! Optimal control with closed forms.

use extremal_engine::boundary::{Kind, Status};

use extremal_testkit::boundary::{assert_orders, columns, problem, solve};
use extremal_testkit::runs::gallery_with;

#[test]
fn double_integrator_with_least_energy() {
    let model = gallery_with("double-integrator", &[]);
    assert_eq!(problem(&model, None).kind(), Kind::Control);
    assert_orders("cost", 2.0, 0.01, 25, |steps| (solve(&model, None, steps).objective - 6.0).abs());
    // u = 6 - 12 t, which is linear; the costate of x'' = u is -u at the nodes.
    let costates = |steps: usize| {
        let rows = columns(&solve(&model, None, steps), ["t", "costate_x"]);
        rows.iter().map(|[t, costate]| (costate - (12.0 * t - 6.0)).abs()).fold(0.0, f64::max)
    };
    assert_orders("costate", 2.0, 0.01, 25, costates);
    let rows = columns(&solve(&model, None, 50), ["costate_x"]);
    for three in rows.windows(3) {
        assert!((three[0][0] - 2.0 * three[1][0] + three[2][0]).abs() < 1e-10, "not a line: {three:?}");
    }
}

#[test]
fn double_integrator_in_least_time() {
    let solution = solve(&gallery_with("double-integrator-in-time", &[]), None, 50);
    assert_eq!(solution.status, Status::Optimal);
    assert!((solution.duration - 2.0).abs() < 1e-8, "{}", solution.duration);
    // Full ahead for half of the time, full back for the other.
    for (k, u) in solution.values("u").unwrap()[..50].iter().enumerate() {
        let bang = if k < 25 { 1.0 } else { -1.0 };
        assert!((u - bang).abs() < 1e-6, "u_{k} = {u}");
    }
}

#[test]
fn regulator_has_the_cost_of_riccati() {
    let model = gallery_with("linear-quadratic", &[]);
    // P' = -(A^T P + P A - P b b^T P + 1) backwards from 2, by classical Runge-Kutta.
    let rate = |[a, b, c]: [f64; 3]| [1.0 - 2.0 * b - b * b, a - c - b * c, 1.0 + 2.0 * b - c * c];
    let (mut p, h) = ([2.0, 0.0, 2.0], 1e-3);
    let moved = |p: [f64; 3], k: [f64; 3], by: f64| [0, 1, 2].map(|i| p[i] + by * k[i]);
    for _ in 0..2000 {
        let k1 = rate(p);
        let k2 = rate(moved(p, k1, h / 2.0));
        let k3 = rate(moved(p, k2, h / 2.0));
        let k4 = rate(moved(p, k3, h));
        p = [0, 1, 2].map(|i| p[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
    assert_orders("cost", 2.0, 0.02, 25, |steps| (solve(&model, None, steps).objective - p[0] / 2.0).abs());
}

//! Every variational method without forces is a symplectic map: DFᵀ J DF = J, with DF by implicit differentiation.

use extremal_expr::Graph;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{NewtonOptions, TangentMap};
use extremal_testkit::marches::double_pendulum;

/// max |DFᵀ J DF − J| over a few steps of size `h`, relative to the size of DF.
fn defect(method: &str, h: f64) -> f64 {
    let g = Graph::new();
    let system = double_pendulum(&g);
    let scheme = scheme(&system, &method.parse().unwrap(), Options::default(), None).unwrap();
    let mut map = TangentMap::new(&g, &scheme, &[], NewtonOptions::default()).unwrap();
    let mut state = [2.0, 1.0, 0.4, -0.3];
    let mut worst = 0.0f64;
    for k in 0..5 {
        let df = map.advance(&mut state, h * f64::from(k), h, &[0.0; 2]).unwrap();
        let entry = |i: usize, j: usize| df[4 * i + j];
        let size = df.iter().fold(1.0f64, |m, x| m.max(x.abs()));
        for i in 0..4 {
            for j in 0..4 {
                // J = [[0, 1], [-1, 0]] in (q, p).
                let pulled: f64 = (0..2).map(|k| entry(k, i) * entry(k + 2, j) - entry(k + 2, i) * entry(k, j)).sum();
                let expected = f64::from(i + 2 == j) - f64::from(j + 2 == i);
                worst = worst.max((pulled - expected).abs() / (size * size));
            }
        }
    }
    worst
}

#[test]
fn variational_methods_are_symplectic() {
    for method in [
        "left",
        "right",
        "theta(0.3)",
        "midpoint",
        "trapezoidal",
        "galerkin(2)",
        "galerkin(3)",
        "galerkin(4)",
        "galerkin(2, lobatto(3))",
        "galerkin(3, lobatto(4))",
        "galerkin(2, gauss(3))",
        "compose(yoshida4, midpoint)",
        "compose(suzuki4, trapezoidal)",
        "compose(kahan-li8, midpoint)",
    ] {
        // Round-off of a product of 4x4 matrices, each entry of a solve with moderate condition: some hundred ε. The largest
        // intermediate is the derivative of a substep (up to 17 of them).
        let defect = defect(method, 0.05);
        assert!(defect < 1e-12, "{method}: {defect:e}");
    }
}

#[test]
fn a_method_that_is_not_symplectic_is_seen() {
    // In (q, v) this system has no canonical form, but even det DF = 1 fails for rk4 by far more than round-off.
    assert!(defect("rk4", 0.05) > 1e-6);
}

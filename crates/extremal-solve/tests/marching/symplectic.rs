//! Every variational method without forces is a symplectic map: DFᵀ J DF = J, with DF by implicit differentiation.

use extremal_expr::{Expr, Function, Graph};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, scheme};
use extremal_solve::{NewtonOptions, TangentMap};
use extremal_testkit::marches::double_pendulum;

/// max |DFᵀ J DF − J| over a few steps of size `h`, relative to the size of DF.
fn defect(method: &str, h: f64) -> f64 {
    let g = Graph::new();
    defect_of(&double_pendulum(&g), method, h, &[2.0, 1.0, 0.4, -0.3])
}

/// The same for any system whose state begins with two positions and their momenta, from a state.
fn defect_of(system: &System<'_>, method: &str, h: f64, state: &[f64]) -> f64 {
    let scheme = scheme(system, &method.parse().unwrap(), Options::default(), None).unwrap();
    let mut map = TangentMap::new(system.graph, &scheme, &[], NewtonOptions::default()).unwrap();
    let (mut state, width) = (state.to_vec(), state.len());
    let mut worst = 0.0f64;
    for k in 0..5 {
        let df = map.advance(&mut state, h * f64::from(k), h, &vec![0.0; system.len()]).unwrap();
        let entry = |i: usize, j: usize| df[width * i + j];
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
        "sofroniou-spaletta10",
        "blanes-moan4",
        "blanes-moan6",
    ] {
        // Round-off of a product of 4x4 matrices, each entry of a solve with moderate condition: some hundred ε. The largest
        // intermediate is the derivative of a substep (up to 35 of them).
        let defect = defect(method, 0.05);
        assert!(defect < 1e-12, "{method}: {defect:e}");
    }
}

#[test]
fn kepler_motions_between_kicks_are_symplectic() {
    let g = Graph::new();
    let [x, y, vx, vy] = ["x", "y", "x'", "y'"].map(|name| g.symbol(name));
    let kepler = (vx.powi(2) + vy.powi(2)) / 2 + (x.powi(2) + y.powi(2)).sqrt().powi(-1);
    let system = System::new(&g, &["x", "y"], kepler - x.powi(2) * y / 10);
    for method in ["wisdom-holman", "compose(suzuki4, wisdom-holman)"] {
        // Round-off of the derivatives of seven evaluations of the series, one after the other, each of some tens of ε.
        let defect = defect_of(&system, method, 0.3, &[0.7, 0.1, -0.2, 1.2]);
        assert!(defect < 1e-11, "{method}: {defect:e}");
    }
}

#[test]
fn a_method_that_is_not_symplectic_is_seen() {
    // In (q, v) this system has no canonical form, but even det DF = 1 fails for rk4 by far more than round-off.
    assert!(defect("rk4", 0.05) > 1e-6);
}

/// The phase space of a Hamiltonian of (x, y, p, r), with p and r as coordinates.
fn phase_space<'g>(g: &'g Graph, hamiltonian: impl Fn([Expr<'g>; 4]) -> Expr<'g>) -> System<'g> {
    let [x, y, p, r, vx, vy] = ["x", "y", "p", "r", "x'", "y'"].map(|name| g.symbol(name));
    let mut system = System::new(g, &["x", "y", "p", "r"], p * vx + r * vy - hamiltonian([x, y, p, r]));
    system.manifold = system.phase_space();
    system
}

/// A Hamiltonian that is neither separable nor quadratic in the momenta.
fn coupled<'g>([x, y, p, r]: [Expr<'g>; 4]) -> Expr<'g> {
    p.call(Function::Cosh) * (x.powi(2) / 4 + 1)
        + r.powi(2) / 2 * (p.powi(2) / 3 + 1)
        + p * y / 5
        + x.powi(2) / 2
        + x * y.powi(2) / 3
}

#[test]
fn variational_methods_are_symplectic_on_a_phase_space() {
    let g = Graph::new();
    let system = phase_space(&g, coupled);
    for method in [
        "left",
        "right",
        "theta(0.3)",
        "midpoint",
        "trapezoidal",
        "galerkin(2)",
        "galerkin(2, lobatto(2))",
        "galerkin(2, lobatto(3))",
        "galerkin(3, lobatto(4))",
        "compose(suzuki4, trapezoidal)",
    ] {
        // As above.
        let defect = defect_of(&system, method, 0.1, &[0.3, 0.2, 0.5, -0.4, 0.0, 0.0, 0.0, 0.0]);
        assert!(defect < 1e-12, "{method}: {defect:e}");
    }
    assert!(defect_of(&system, "rk4", 0.1, &[0.3, 0.2, 0.5, -0.4, 0.0, 0.0, 0.0, 0.0]) > 1e-9);
}

/// T(p) + V(q): nothing is solved for, however T depends on the momenta.
#[test]
fn splittings_of_a_hamiltonian_are_explicit() {
    let g = Graph::new();
    let system = phase_space(&g, |[x, y, p, r]| {
        (p.powi(2) + r.powi(2) + 1).sqrt() + p.call(Function::Cosh) + (x * y).cos() + x.powi(4)
    });
    for (method, explicit) in [
        ("left", true),
        ("right", true),
        ("trapezoidal", true),
        ("galerkin(2, lobatto(2))", true),
        ("compose(suzuki4, trapezoidal)", true),
        ("midpoint", false),
        ("galerkin(2, lobatto(3))", false),
    ] {
        let step = scheme(&system, &method.parse().unwrap(), Options::default(), None).unwrap().step;
        assert_eq!(step.eliminated(&g).solves.is_empty(), explicit, "{method}");
    }
}

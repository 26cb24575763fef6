//! Chosen facts: domains that simplification must not widen or narrow, and what a gradient may cost.

use extremal_expr::{Expr, Function, Function2, Graph, Rational, Relation};

fn at(f: Expr, x: f64) -> f64 {
    f.graph().evaluate(&[f], |name| (name == "x").then_some(x))[0]
}

#[test]
fn roots_keep_their_domain() {
    let g = &Graph::new();
    let x = g.symbol("x");
    let ratio = |p, q| g.rational(Rational::new(p, q).unwrap());
    assert!(at(x.sqrt() * x.sqrt(), -1.0).is_nan());
    assert_eq!(at(x.sqrt() * x.sqrt(), 4.0), 4.0);
    assert_eq!(at(x.powi(2).sqrt(), -3.0), 3.0);
    assert_eq!(at(x.powi(2).pow(ratio(1, 2)), -3.0), 3.0);
    assert_eq!(at(x.powi(4).sqrt(), -3.0), 9.0);
    assert!((at(x.powi(2).pow(ratio(3, 2)), -2.0) - 8.0).abs() < 1e-14);
    assert!(at(x.pow(ratio(1, 3)), -8.0).is_nan());
    assert_eq!(at(x.call(Function::Cbrt), -8.0), -2.0);
    assert_eq!(at(x.powi(3).call(Function::Cbrt), -2.0), -2.0);
    // sqrt(x y) is defined where both are negative; sqrt(x) sqrt(y) is not.
    assert_eq!(at((x * (x - 3)).sqrt(), -1.0), 2.0);
    assert_eq!(at((x * -4).sqrt(), -4.0), 4.0);
    assert_eq!(at((x * 4).sqrt(), 4.0), 4.0);
    assert!((at(x.powi(-2).sqrt(), -4.0) - 0.25).abs() < 1e-16);
    // x^(2/6) is x^(1/3), but (x^2)^(1/6) exists for negative x.
    assert!((at(x.powi(2).pow(ratio(1, 6)), -8.0) - 2.0).abs() < 1e-15);
}

#[test]
fn logarithms_and_exponentials() {
    let g = &Graph::new();
    let x = g.symbol("x");
    assert!((at(x.powi(2).log(), -2.0) - 4f64.ln()).abs() < 1e-15);
    assert_eq!(at(x.exp().log(), -800.0), -800.0);
    assert!(at(x.log().exp(), -1.0).is_nan(), "exp(log(x)) is defined for positive x only");
    assert!(at(x.pow(g.pi()), -1.0).is_nan());
}

#[test]
fn inverse_hyperbolic_functions_are_accurate_at_the_edge_of_their_domain() {
    // atanh(1 - d) = log((2 - d)/d)/2 and acosh(1 + d) = sqrt(2d)(1 - d/12 + 3d²/160 - ...).
    for d in [1e-4f64, 1e-6, 1e-9] {
        let x = 1.0 - d;
        let exact = 0.5 * ((1.0 + x) / (1.0 - x)).ln();
        for sign in [-1.0, 1.0] {
            assert!((Function::Atanh.apply(sign * x) - sign * exact).abs() <= 4.0 * f64::EPSILON * exact);
        }
        let x = 1.0 + d;
        let d = x - 1.0;
        let exact = (2.0 * d).sqrt() * (1.0 - d / 12.0 + 3.0 * d * d / 160.0 - 5.0 * d * d * d / 896.0);
        assert!((Function::Acosh.apply(x) - exact).abs() <= 4.0 * f64::EPSILON * exact);
    }
    assert!(Function::Acosh.apply(0.5).is_nan() && Function::Acosh.apply(-2.0).is_nan());
    assert_eq!(Function::Acosh.apply(1.0), 0.0);
}

#[test]
fn absolute_values_and_signs() {
    let g = &Graph::new();
    let x = g.symbol("x");
    assert_eq!(at(x.abs().powi(2), -3.0), 9.0);
    assert_eq!(at(x.abs().powi(3), -2.0), 8.0);
    assert_eq!(at(x.abs() / x, -2.0), -1.0);
    assert_eq!((-x).abs(), x.abs());
    assert_eq!((x - 1).abs(), (g.int(1) - x).abs());
    assert_eq!(at((-x).call(Function::Sign), 2.0), -1.0);
    assert_eq!(g.int(-3).abs(), g.int(3));
    assert_eq!(at(g.call2(Function2::Max, x, -x), -2.0), 2.0);
}

#[test]
fn zeros_and_ones_vanish() {
    let g = &Graph::new();
    let (x, zero, one) = (g.symbol("x"), g.int(0), g.int(1));
    assert_eq!(zero * x, zero);
    assert_eq!(x - x, zero);
    assert_eq!(x / x, one);
    assert_eq!(x.powi(0), one);
    assert_eq!(x + zero, x);
    assert_eq!(one * x, x);
    assert_eq!(x.pow(one), x);
    assert_eq!(g.sum([]), zero);
    assert_eq!(g.product([]), one);
    assert_eq!(g.select(g.compare(Relation::Lt, zero, one), x, zero), x);
    // Undefined numbers stay as they are written.
    assert!(!at(one / zero, 0.0).is_finite());
    assert!(!at(x + one / zero, 0.0).is_finite());
}

#[test]
fn equal_expressions_are_one_node() {
    let g = &Graph::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| g.symbol(name));
    assert_eq!((x + y) + z, z + (y + x));
    assert_eq!((x * y) * z, z * (y * x));
    assert_eq!((x - y).powi(2), (y - x).powi(2));
    assert_eq!((x - y).cos(), (y - x).cos());
    assert_eq!((x - y).sin(), -(y - x).sin());
    assert_eq!((x * 2 + y * 3) - (y * 3 + x), x);
    assert_eq!(x.powi(3) * x.powi(-1), x.powi(2));
    assert_eq!((x / y) * (y / z), x / z);
    assert_eq!((x * y).powi(3), x.powi(3) * y.powi(3));
    assert_eq!(x.sqrt().powi(3), x.pow(g.int(3) / 2));
    assert_eq!((x + y) / 2 + (x + y) / 2, x + y);
}

/// The kinetic and potential energy of a chain of pendula, with the O(n) sharing a programmer would use.
fn chain<'g>(g: &'g Graph, angles: &[Expr<'g>], rates: &[Expr<'g>]) -> Expr<'g> {
    let (mut u, mut v, mut height) = (g.int(0), g.int(0), g.int(0));
    let mut total = g.int(0);
    let mut energies = Vec::new();
    for (angle, rate) in angles.iter().zip(rates) {
        u = u + angle.cos() * *rate;
        v = v + angle.sin() * *rate;
        height = height + angle.cos();
        energies.push((u.powi(2) + v.powi(2)) / 2 + height * g.symbol("g"));
        total = total + energies[energies.len() - 1];
    }
    total
}

/// Nodes below `f`, and their operands: what evaluating costs.
fn cost(g: &Graph, roots: &[Expr]) -> usize {
    let ids: Vec<_> = roots.iter().map(|e| e.id()).collect();
    let mut edges = 0;
    for id in g.reachable(&ids) {
        g.expr(id).node().for_each_child(|_| edges += 1);
    }
    edges
}

#[test]
fn a_gradient_costs_a_small_multiple_of_its_function() {
    for n in [10, 100] {
        let g = &Graph::new();
        let names = |prefix: &str| (0..n).map(|i| g.symbol(&format!("{prefix}{i}"))).collect::<Vec<_>>();
        let (angles, rates) = (names("a"), names("w"));
        let f = chain(g, &angles, &rates);
        let variables = [angles, rates].concat();
        let gradient = g.gradient(f, &variables);
        let nodes = |roots: &[Expr]| g.reachable(&roots.iter().map(|e| e.id()).collect::<Vec<_>>()).len();
        let (of_f, of_both) = (nodes(&[f]), nodes(&[&[f], &gradient[..]].concat()));
        assert!(of_both <= 6 * of_f, "n = {n}: {of_f} nodes, with gradient {of_both}");
        let (of_f, of_both) = (cost(g, &[f]), cost(g, &[&[f], &gradient[..]].concat()));
        assert!(of_both <= 6 * of_f, "n = {n}: cost {of_f}, with gradient {of_both}");
    }
}

#[test]
fn the_gradient_of_a_conditional_ignores_the_branch_not_taken() {
    let g = &Graph::new();
    let x = g.symbol("x");
    let positive = g.compare(Relation::Lt, g.int(0), x);
    let gradient = |f: Expr<'_>| g.gradient(g.expr(f.id()), &[x])[0];
    // sqrt has no slope at -2: zero times undefined must not enter.
    let f = g.select(positive, x.sqrt(), x.powi(2));
    assert_eq!(at(gradient(f), -2.0), -4.0);
    assert_eq!(at(gradient(f), 4.0), 0.25);
    assert_eq!(at(gradient(f.exp() * f), -1.0), -2.0 * 2.0 * 1f64.exp());
    // The same root also in use outside of the conditional: undefined is undefined.
    assert!(at(gradient(f + x.sqrt()), -2.0).is_nan());
    // Nested, and two conditionals sharing an operand.
    let small = g.compare(Relation::Lt, x, g.int(-1));
    let nested = g.select(positive, x.log(), g.select(small, (-x).log(), (x + 1).sqrt()));
    assert_eq!(at(gradient(nested), 2.0), 0.5);
    assert_eq!(at(gradient(nested), -4.0), -0.25);
    assert_eq!(at(gradient(nested), -0.75), 1.0);
    let shared = g.select(positive, x.sqrt(), x) + g.select(small, x, x.sqrt() * 3);
    assert_eq!(at(gradient(shared), -4.0), 2.0);
}

#[test]
fn a_chain_of_conditionals_has_a_gradient_of_linear_size() {
    const LINKS: usize = 60;
    let g = &Graph::new();
    let x = g.symbol("x");
    let mut f = x;
    for i in 0..LINKS {
        let condition = g.compare(Relation::Lt, f, g.int(i as i64));
        f = g.select(condition, f.sin() + i as i64, f.sqrt());
    }
    let gradient = g.gradient(f, &[x])[0];
    let (of_f, of_both) = (cost(g, &[f]), cost(g, &[f, gradient]));
    assert!(of_both <= 6 * of_f, "cost {of_f}, with gradient {of_both}");
}

//! Systems with entropy: orders, both laws, and the geometry of a step.

use extremal_expr::{Expr, Graph, Rational};
use extremal_mechanics::System;
use extremal_mechanics::continuous::{Friction, Heat};
use extremal_mechanics::discrete::{Options, scheme};
use extremal_model::{EntropyBase, Method};
use extremal_solve::{March, Marcher, NewtonOptions, StartValues, TangentMap};
use extremal_testkit::marches::{begin_with, followed, start};
use extremal_testkit::numbers::{OrderCase, assert_orders};

fn decimal<'g>(g: &'g Graph, text: &str) -> Expr<'g> {
    g.rational(Rational::parse_decimal(text).unwrap())
}

/// A system with one coordinate `x` and one entropy `S`, and viscous friction.
fn one_dimensional<'g>(g: &'g Graph, lagrangian: Expr<'g>, friction: &str) -> System<'g> {
    let mut system = System::new(g, &["x"], lagrangian);
    system.heat = Heat::of(g, &["S"]);
    let force = -(decimal(g, friction) * system.v[0]);
    system.force = vec![force];
    system.heat.friction = vec![Friction { coordinate: 0, force, shares: vec![(0, g.int(1))] }];
    system
}

fn damped_oscillator(g: &Graph) -> System<'_> {
    let [x, v, s] = ["x", "x'", "S"].map(|name| g.symbol(name));
    one_dimensional(g, v.powi(2) / 2 - x.powi(2) / 2 - s / 10, "0.1")
}

fn ideal_gas_piston(g: &Graph) -> System<'_> {
    let [x, v, s] = ["x", "x'", "S"].map(|name| g.symbol(name));
    let exponent = g.rational(Rational::new(-2, 3).unwrap());
    one_dimensional(g, v.powi(2) / 2 - s.exp() * x.pow(exponent), "0.1")
}

/// U = c T0 exp(S/c) with c = 1 such that T = T0 exp(S/c): the cart of mass 5 with friction 3.
fn cart(g: &Graph) -> System<'_> {
    let [v, s] = ["x'", "S"].map(|name| g.symbol(name));
    let internal = g.int(300) * s.exp();
    one_dimensional(g, v.powi(2) * 5 / 2 - internal, "3")
}

/// Begins from a position, a velocity and an entropy.
fn begin(system: &System<'_>, method: &str, entropy: EntropyBase, [q, v, s]: [f64; 3], h: f64) -> Marcher {
    let values = StartValues { s: vec![s], ..start(&[q], &[v]) };
    begin_with(system, method, Options { entropy, ..Options::default() }, &[system.energy().id()], &values, h)
}

/// Largest errors of x and S of the ideal-gas piston over all steps until `end`.
fn piston_errors(from: [f64; 3], end: f64, method: &str, entropy: EntropyBase, steps: u64) -> Vec<f64> {
    let g = Graph::new();
    let h = end / steps as f64;
    let times: Vec<f64> = (1..=steps).map(|k| k as f64 * h).collect();
    let truth = followed(&from, &times, |_, y, dy| {
        let (x, v, s) = (y[0], y[1], y[2]);
        let u = s.exp() * x.powf(-2.0 / 3.0);
        dy.copy_from_slice(&[v, 2.0 / 3.0 * u / x - 0.1 * v, 0.1 * v * v / u]);
    });
    let mut run = begin(&ideal_gas_piston(&g), method, entropy, from, h);
    let mut worst = vec![0.0f64; 2];
    for right in &truth {
        run.advance().unwrap();
        worst[0] = worst[0].max((run.state()[0] - right[0]).abs());
        worst[1] = worst[1].max((run.state()[2] - right[2]).abs());
    }
    worst
}

/// From rest at S = 10.
#[test]
fn orders_on_the_ideal_gas_piston() {
    let cases: &[OrderCase<'_>] = &[
        ("midpoint", 2.0, 0.25, &[5_000, 10_000, 20_000, 40_000]),
        ("energy-entropy", 2.0, 0.25, &[5_000, 10_000, 20_000, 40_000]),
        ("energy-entropy(2)", 4.0, 0.25, &[2_500, 5_000, 10_000, 20_000]),
        ("energy-entropy(3)", 6.0, 0.25, &[2_000, 2_500, 4_000, 5_000]),
    ];
    assert_orders("piston", cases, 10.0, 1e-11, |method, steps| {
        piston_errors([1.0, 0.0, 10.0], 10.0, method, EntropyBase::Midpoint, steps)
    });
}

/// First law to round-off and second law strictly, for the energy–entropy methods, over 1e5 steps.
#[test]
fn both_laws_over_long_runs() {
    let g = Graph::new();
    for (system, from) in
        [(damped_oscillator(&g), [0.0, 1.0, 0.0]), (ideal_gas_piston(&g), [1.0, 0.0, 3.0]), (cart(&g), [0.0, 2.0, 0.0])]
    {
        for stages in 1..=3 {
            for h in [1e-3, 1e-2] {
                let mut run = begin(&system, &format!("energy-entropy({stages})"), EntropyBase::Midpoint, from, h);
                let first = run.observe().unwrap()[2];
                let mut entropy = run.state()[2];
                for _ in 0..100_000 {
                    run.advance().unwrap();
                    let now = run.state()[2];
                    assert!(now >= entropy, "entropy falls by {:e}", entropy - now);
                    entropy = now;
                }
                let last = run.observe().unwrap()[2];
                assert!(((last - first) / first).abs() <= 1e-12, "s {stages} h {h}: {:e}", (last - first) / first);
            }
        }
    }
}

/// Orders of the (a, b) family with a Legendre start on a gently moving ideal-gas piston: second order in both quantities only
/// when position and entropy are both taken symmetrically.
#[test]
fn orders_of_the_corner_cases() {
    for method in ["left", "midpoint", "right", "trapezoidal"] {
        for entropy in [EntropyBase::Left, EntropyBase::Midpoint, EntropyBase::Right] {
            let symmetric = matches!(method, "midpoint" | "trapezoidal") && entropy == EntropyBase::Midpoint;
            let order = if symmetric { 2.0 } else { 1.0 };
            let cases: [OrderCase<'_>; 1] = [(method, order, 0.15, &[200, 400, 800, 1600])];
            assert_orders(&format!("{entropy:?}"), &cases, 2.0, 1e-11, |method, steps| {
                piston_errors([1.0, 0.5, 1.0], 2.0, method, entropy, steps)
            });
        }
    }
}

/// The step of the damped oscillator contracts the area of (q, p) by exactly (4 + h² − 2hγ)/(4 + h² + 2hγ).
#[test]
fn area_contracts_as_derived() {
    let g = Graph::new();
    let system = damped_oscillator(&g);
    let options = Options { entropy: EntropyBase::Left, ..Options::default() };
    let scheme = scheme(&system, &Method::Midpoint, options, None).unwrap();
    let mut map = TangentMap::new(&g, &scheme, &[], NewtonOptions::default()).unwrap();
    for h in [0.01, 0.1, 0.5] {
        let mut state = [0.3, -0.7, 0.2];
        let df = map.advance(&mut state, 0.0, h, &[0.0]).unwrap();
        let area = df[0] * df[4] - df[1] * df[3];
        let derived = (4.0 + h * h - 0.2 * h) / (4.0 + h * h + 0.2 * h);
        assert!((area - derived).abs() < 8.0 * f64::EPSILON, "{area} {derived}");
    }
}

/// Φ* ω⁻ = ω⁺ with ω± = (𝔽±)*(dq ∧ dp), all dS terms included, on the ideal-gas piston with (a, b) = (1/2, 0); the converse
/// Φ* ω⁺ = ω⁻ fails for a dissipative system.
#[test]
fn pull_back_identity() {
    let g = Graph::new();
    let [q0, q1, q2, s0, s1] = ["q0", "q1", "q2", "S0", "S1"].map(|name| g.symbol(name));
    let (h, gamma, third) = (decimal(&g, "0.01"), decimal(&g, "0.1"), g.rational(Rational::new(-2, 3).unwrap()));
    let internal = s0.exp() * ((q0 + q1) / 2).pow(third);
    let ld = h * (((q1 - q0) / h).powi(2) / 2 - internal);
    let force = -(gamma * (q1 - q0)) / 2;
    let minus = -g.gradient(ld, &[q0])[0] - force;
    let plus = g.gradient(ld, &[q1])[0] + force;
    let warm = s0 + gamma * ((q1 - q0) / h).powi(2) * h / internal;
    let minus_next = minus.substitute(&[(q0, q1), (q1, q2), (s0, s1)]);
    let plus_next = plus.substitute(&[(q0, q1), (q1, q2), (s0, s1)]);

    // A step: S1 from the rule, q2 from p⁻(q1, q2, S1) = p⁺(q0, q1, S0), by a hand-made secant iteration.
    let at = |known: [f64; 5], f: Expr<'_>| {
        g.evaluate(&[f], |name| ["q0", "q1", "q2", "S0", "S1"].iter().position(|n| *n == name).map(|i| known[i]))[0]
    };
    let mut z = [1.0, 1.02, 1.05, 3.0, 0.0];
    z[4] = at(z, warm);
    let (mut a, mut b) = (1.03, 1.06);
    for _ in 0..60 {
        let f = |q: f64| at([z[0], z[1], q, z[3], z[4]], minus_next) - at(z, plus);
        let (fa, fb) = (f(a), f(b));
        if fa == fb {
            break;
        }
        (a, b) = (b, b - fb * (b - a) / (fb - fa));
    }
    z[2] = b;

    let columns = [q0, q1, s0];
    let row = |f: Expr<'_>, by: [Expr<'_>; 3]| g.gradient(f, &by).iter().map(|d| at(z, *d)).collect::<Vec<f64>>();
    let ds1 = row(warm, columns);
    // Implicit differentiation of p⁻(q1, q2, S1) = p⁺(q0, q1, S0).
    let dm = row(minus_next, [q1, q2, s1]);
    let dp = row(plus, columns);
    let unit = |k: usize| (0..3).map(|i| f64::from(i == k)).collect::<Vec<f64>>();
    let dq2: Vec<f64> = (0..3).map(|i| (dp[i] - dm[0] * unit(1)[i] - dm[2] * ds1[i]) / dm[1]).collect();
    let wedge = |dq: &[f64], dp: &[f64], i: usize, j: usize| dq[i] * dp[j] - dq[j] * dp[i];
    let through = |partials: &[f64]| -> Vec<f64> {
        (0..3).map(|i| partials[0] * unit(1)[i] + partials[1] * dq2[i] + partials[2] * ds1[i]).collect()
    };
    let mut converse = 0.0f64;
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let pulled = wedge(&unit(1), &through(&dm), i, j);
        let plus_form = wedge(&unit(1), &dp, i, j);
        let size = dm.iter().chain(&dp).fold(1.0f64, |m, x| m.max(x.abs()));
        assert!((pulled - plus_form).abs() < 1e-12 * size, "component {i}{j}: {pulled} {plus_form}");
        let pulled_plus = wedge(&dq2, &through(&row(plus_next, [q1, q2, s1])), i, j);
        let minus_form = wedge(&unit(0), &row(minus, columns), i, j);
        converse = converse.max((pulled_plus - minus_form).abs() / size);
    }
    assert!(converse > 1e-5, "the converse identity must fail visibly: {converse:e}");
}

//! Nonholonomic motions against their closed forms: pursuit, disc, sleigh, skate.

use extremal_engine::{Model, Settings};

use extremal_testkit::numbers::order_of;
use extremal_testkit::runs::{Lasting, gallery, record, reference, with};

/// The largest error of coordinates over a run, against a function of time.
fn error<const N: usize>(model: &Model, settings: &Settings, names: [&str; N], exact: impl Fn(f64) -> [f64; N]) -> f64 {
    let run = record(model, settings);
    let rows = run.column("t").into_iter().zip(run.rows(names));
    rows.flat_map(|(t, row)| (0..N).map(|k| (row[k] - exact(t)[k]).abs()).collect::<Vec<_>>()).fold(0.0, f64::max)
}

/// The distance of a point from the curve of pursuit (190) with k = u/v, along y.
fn off_the_curve(k: f64, x: f64, y: f64) -> f64 {
    y - ((x.powf(1.0 + k) / (1.0 + k) - x.powf(1.0 - k) / (1.0 - k)) / 2.0 + k / (1.0 - k * k))
}

/// The length of that curve from the start to x, divided by v: the time.
fn time_at(k: f64, x: f64) -> f64 {
    ((1.0 - x.powf(1.0 + k)) / (1.0 + k) + (1.0 - x.powf(1.0 - k)) / (1.0 - k)) / 2.0
}

/// [LM 177, 190]: the curve of pursuit, the time on it, and the speed, all at second order; and at fourth with `suzuki4`.
#[test]
fn pursuit_of_a_slower_target() {
    let pursuit = gallery("pursuit");
    let errors = |settings: &Settings| {
        let rows = record(&pursuit, settings).rows(["t", "x", "y", "speed"]);
        rows.into_iter().fold([0.0f64; 3], |worst, [t, x, y, speed]| {
            let now = [off_the_curve(0.5, x, y), time_at(0.5, x) - t, speed - 1.0];
            std::array::from_fn(|k| worst[k].max(now[k].abs()))
        })
    };
    let reached = errors(&reference(&pursuit, 0.05));
    assert!(reached.iter().all(|e| *e < 1e-12), "{reached:?}");
    for (method, step, expected) in [("midpoint", 0.01, 2.0), ("compose(suzuki4, midpoint)", 0.025, 4.0)] {
        for (at, what) in ["curve", "time", "speed"].iter().enumerate() {
            let order = order_of(what, step, 1e-12, |h| errors(&with(&pursuit, method, h))[at]);
            assert!((order - expected).abs() < 0.15, "{method} {what}: {order}");
        }
    }
}

/// [LM 191]: with equal speeds the target is not caught; the distance tends to a/2, with x = a ξ as (a/2)(1 + ξ²).
#[test]
fn pursuit_of_an_equal_target() {
    let mut pursuit = gallery("pursuit");
    pursuit.set_parameter("u", 1.0).unwrap();
    let distance = |settings: &Settings| {
        let run = record(&pursuit, &settings.clone().until(8.0));
        (run.last("x").powi(2) + (run.last("t") - run.last("y")).powi(2)).sqrt()
    };
    // At t = 8 the formula of time, t = (1 − ξ²)/4 − ln(ξ)/2, gives ξ² = e^(-31.5): round-off.
    let reached = distance(&reference(&pursuit, 0.5));
    assert!((reached - 0.5).abs() < 1e-11, "{reached}");
    let order = order_of("equal speeds", 0.04, 1e-12, |h| (distance(&with(&pursuit, "midpoint", h)) - 0.5).abs());
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

/// The disc rolls on a circle: all coordinates, at the orders of the methods. The end is no period.
#[test]
fn the_rolling_disc_has_its_closed_form() {
    let disc = gallery("rolling-disc");
    let (spin, turn) = (1.5, 0.7);
    let exact = |t: f64| {
        let (s, c) = (turn * t).sin_cos();
        [spin / turn * s, spin / turn * (1.0 - c), spin * t, turn * t]
    };
    let largest = |settings: &Settings| error(&disc, settings, ["x", "y", "theta", "phi"], exact);
    let reached = largest(&reference(&disc, 0.1));
    assert!(reached < 1e-12, "{reached:e}");
    for (method, step, expected) in
        [("midpoint", 0.1, 2.0), ("trapezoidal", 0.1, 2.0), ("compose(suzuki4, midpoint)", 0.5, 4.0)]
    {
        let order = order_of(method, step, 1e-12, |h| largest(&with(&disc, method, h)));
        assert!((order - expected).abs() < 0.05, "{method}: {order}");
    }
}

/// The angle of the sleigh is √(J/m)/a gd(kt + d) up to a constant, and its speeds u = c tanh(kt + d), θ' = c√(m/J)/cosh(kt + d).
#[test]
fn the_sleigh_has_its_closed_form() {
    let sleigh = gallery("chaplygin-sleigh");
    let (a, u0, w0) = (0.4f64, -0.5f64, 2.0f64);
    let j = 0.5 + a * a;
    let c = (u0 * u0 + j * w0 * w0).sqrt();
    let (k, d) = (a * c / j, (u0 / c).atanh());
    let gudermann = |s: f64| s.sinh().atan();
    let exact = |t: f64| {
        let theta = j.sqrt() / a * (gudermann(k * t + d) - gudermann(d));
        let u = c * (k * t + d).tanh();
        [theta, u * theta.cos(), u * theta.sin(), c / j.sqrt() / (k * t + d).cosh()]
    };
    let largest = |settings: &Settings| error(&sleigh, settings, ["theta", "x'", "y'", "theta'"], exact);
    let reached = largest(&reference(&sleigh, 0.05));
    assert!(reached < 1e-11, "{reached:e}");
    for (method, step, expected) in
        [("midpoint", 0.04, 2.0), ("trapezoidal", 0.04, 2.0), ("compose(suzuki4, midpoint)", 0.1, 4.0)]
    {
        let order = order_of(method, step, 1e-12, |h| largest(&with(&sleigh, method, h)));
        assert!((order - expected).abs() < 0.1, "{method}: {order}");
    }
}

/// The skate on the incline moves on its cycloid, x = g/(2ω²) sin² ωt, y = g/(2ω²)(ωt − sin(2ωt)/2).
#[test]
fn the_skate_moves_on_its_cycloid() {
    let skate = gallery("skate-on-incline");
    let (g, w) = (2.0, 1.3);
    let scale = g / (2.0 * w * w);
    let exact = |t: f64| {
        let s = (w * t).sin();
        [scale * s * s, scale * (w * t - (2.0 * w * t).sin() / 2.0), w * t, -2.0 * g * s]
    };
    let largest = |settings: &Settings| error(&skate, settings, ["x", "y", "theta", "lambda_blade"], exact);
    let reached = largest(&reference(&skate, 0.1));
    assert!(reached < 1e-11, "{reached:e}");
    for (method, step, expected) in [("midpoint", 0.05, 2.0), ("compose(suzuki4, midpoint)", 0.2, 4.0)] {
        let order = order_of(method, step, 1e-12, |h| largest(&with(&skate, method, h)));
        assert!((order - expected).abs() < 0.05, "{method}: {order}");
    }
}

/// Without a slope, v = ω = 1 is a circle of radius one, and after one turn it closes: by symmetry to round-off at any step
/// that divides the turn. (A program that loses the reaction goes straight on and ends 2π away.)
#[test]
fn the_knife_edge_closes_its_circle() {
    let mut skate = gallery("skate-on-incline");
    for (parameter, value) in [("g", 0.0), ("v0", 1.0), ("w", 1.0)] {
        skate.set_parameter(parameter, value).unwrap();
    }
    let turn = 2.0 * std::f64::consts::PI;
    for (method, steps) in [("midpoint", 100.0), ("trapezoidal", 64.0), ("compose(suzuki4, midpoint)", 50.0)] {
        let run = record(&skate, &with(&skate, method, turn / steps).until(turn));
        let [x, y] = ["x", "y"].map(|name| run.last(name));
        // A hundred steps of a few roundings each.
        assert!(x.abs() < 1e-12 && y.abs() < 1e-12, "{method}: ends at {x:e}, {y:e}");
        let top = run.column("y").into_iter().fold(0.0, f64::max);
        assert!((top - 2.0).abs() < 0.01, "{method}: a circle of diameter {top}");
    }
}

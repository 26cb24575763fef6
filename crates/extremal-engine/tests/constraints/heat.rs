//! Constraints in systems with friction and entropy: the rod does no work, unless it moves, and then the first law counts it.

use extremal_engine::Settings;

use extremal_testkit::marches::followed_to;
use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{gallery, record, reference, with};

/// What the swing loses the gas gains: the entropy along the run follows from the mechanical energy alone, U = U0 exp(S/c).
#[test]
fn the_gas_gains_what_the_swing_loses() {
    let pendulum = gallery("pendulum-in-gas");
    let run = record(&pendulum, &reference(&pendulum, 0.05));
    let mechanical = |[x, vx, vy]: [f64; 3]| (vx * vx + vy * vy) / 2.0 - 9.81 * x;
    let rows = run.rows(["x", "x'", "y'"]);
    let entropies = run.column("S");
    for (row, entropy) in rows.iter().zip(&entropies) {
        let expected = 1.5 * ((2.0 + mechanical(rows[0]) - mechanical(*row)) / 2.0).ln();
        assert!((entropy - expected).abs() < 1e-10, "{entropy} {expected}");
    }
    // The variational method: second law at every step, first law with its own order.
    let defect = |h: f64| {
        let laws = record(&pendulum, &with(&pendulum, "midpoint", h)).outcome.laws.unwrap();
        assert!(laws.second.smallest_step >= 0.0, "{laws:?}");
        assert!(laws.first.work == 0.0, "{laws:?}");
        laws.first.max_defect
    };
    let order = order_of("first law", 0.04, 1e-12, defect);
    assert!((order - 2.0).abs() < 0.1, "{order}");
}

/// A pendulum in a gas whose rod is drawn in and out, l(t) = 1 + 0.2 sin 2t.
const WINCH: &str = r#"
    parameters = { gamma = 0.3, U0 = 2.0, c = 1.5 }
    coordinates.x = { start = "cos(1.2)", velocity = "0.4*cos(1.2)" }
    coordinates.y = { start = "sin(1.2)", velocity = "0.4*sin(1.2)" }
    entropies.S = 0.0
    dynamics.lagrangian = "(x'^2 + y'^2)/2 + 9.81*x - U0*exp(S/c)"
    friction = { x = "-gamma*x'", y = "-gamma*y'" }
    constraints.rod = "x^2 + y^2 = (1 + 0.2*sin(2*t))^2"
    simulation = { entropy = "midpoint", step = 0.01, until = 3.0 }
"#;

/// By hand, with the angle φ and the given length: l φ'' + 2 l' φ' = −g sin φ − γ l φ', the tension T = l φ'² − l'' + g cos φ − γ l',
/// the work of the rod W' = −T l', and U' = γ (l'² + l² φ'²). Returns φ, W, S and the tension at the end.
fn winch_by_hand(end: f64) -> [f64; 4] {
    let length = |t: f64| (1.0 + 0.2 * (2.0 * t).sin(), 0.4 * (2.0 * t).cos(), -0.8 * (2.0 * t).sin());
    let tension = |t: f64, phi: f64, turn: f64| {
        let (l, dl, ddl) = length(t);
        l * turn * turn - ddl + 9.81 * phi.cos() - 0.3 * dl
    };
    let s = followed_to(&[1.2, 0.0, 0.0, 2.0], end, |t, s, ds| {
        let (l, dl, _) = length(t);
        let (phi, turn) = (s[0], s[1]);
        let swing = (-9.81 * phi.sin() - 2.0 * dl * turn) / l - 0.3 * turn;
        ds.copy_from_slice(&[turn, swing, -tension(t, phi, turn) * dl, 0.3 * (dl * dl + l * l * turn * turn)]);
    });
    [s[0], s[2], 1.5 * (s[3] / 2.0).ln(), tension(end, s[0], s[1])]
}

/// The first law with a constraint that works: E − E0 = W, in the reference run to its tolerance, in the variational run to its order.
#[test]
fn a_moving_rod_works_and_the_first_law_counts_it() {
    let winch = model(WINCH);
    let [phi, work, entropy, tension] = winch_by_hand(3.0);
    let length = 1.0 + 0.2 * 6f64.sin();
    let truth = [length * phi.cos(), length * phi.sin(), entropy, work, -tension / (2.0 * length)];
    let reached = |settings: &Settings| {
        let run = record(&winch, settings);
        (["x", "y", "S", "work", "lambda_rod"].map(|name| run.last(name)), run.outcome.laws.unwrap())
    };
    let (end, laws) = reached(&reference(&winch, 0.05));
    assert!(distance(&end, &truth) < 1e-10, "{end:?} {truth:?}");
    assert!(laws.first.max_defect < 1e-10 && (laws.first.work - work).abs() < 1e-10, "{laws:?}");
    assert!(work.abs() > 0.5, "a rod that hardly works proves nothing: {work}");
    for (method, step, expected) in
        [("midpoint", 0.04, 2.0), ("trapezoidal", 0.04, 2.0), ("compose(suzuki4, midpoint)", 0.1, 4.0)]
    {
        let error = |h: f64| distance(&reached(&with(&winch, method, h)).0, &truth);
        let order = order_of(method, step, 1e-11, error);
        assert!((order - expected).abs() < 0.15, "{method}: {order}");
        let defect = |h: f64| reached(&with(&winch, method, h)).1.first.max_defect;
        let order = order_of("its first law", step, 1e-11, defect);
        assert!((order - expected).abs() < 0.15, "{method}: {order}");
    }
    // The account of an energy-preserving step is its change of energy: of size ten, in up to six hundred steps of a few ulp each.
    let round_off = 8.0 * f64::EPSILON * 10.0 * 600.0;
    for (method, step, expected) in [
        ("energy-entropy", 0.04, 2.0),
        ("energy-entropy(2)", 0.1, 4.0),
        ("energy-entropy-momentum", 0.04, 2.0),
        ("compose(suzuki4, energy-entropy)", 0.1, 4.0),
    ] {
        let error = |h: f64| {
            let (end, laws) = reached(&with(&winch, method, h));
            assert!(laws.first.max_defect < round_off, "{method} {h}: {laws:?}");
            distance(&end, &truth)
        };
        let order = order_of(method, step, 1e-11, error);
        assert!((order - expected).abs() < 0.15, "{method}: {order}");
    }
}

//! Reactions against the closed forms of the sources, all along the run.

use extremal_testkit::models::model;
use extremal_testkit::numbers::{distance, order_of};
use extremal_testkit::runs::{Lasting, gallery, record, reference, with};

/// [LM 101]: the tension is m(v²/l + g x/l), x down; with the rod written x² + y² = l² it is 2 l |λ|. On every row the multiplier
/// belongs to its own state, whatever the method; and tension and multiplier agree between both forms of the pendulum.
#[test]
fn tension_of_the_pendulum() {
    let (cartesian, polar) = (gallery("pendulum-rod"), gallery("pendulum-polar"));
    for method in ["midpoint", "trapezoidal", "galerkin(2, lobatto(3))", "compose(suzuki4, midpoint)", "dop853"] {
        let run = record(&cartesian, &with(&cartesian, method, 0.01));
        let rows = run.rows(["x", "y", "x'", "y'", "lambda_rod", "reaction_x", "reaction_y"]);
        for (k, [x, y, vx, vy, lambda, fx, fy]) in rows.into_iter().enumerate() {
            let tension = vx * vx + vy * vy + 9.81 * x;
            // Products of numbers up to 20 and a solve of three equations: some hundred roundings.
            assert!((tension + 2.0 * lambda).abs() < 1e-12, "{method}, row {k}: {tension} {lambda}");
            assert!((fx + tension * x).abs() < 1e-12 && (fy + tension * y).abs() < 1e-12, "{method}, row {k}");
        }
        let run = record(&polar, &with(&polar, method, 0.01));
        for [phi, turn, lambda, reaction] in run.rows(["phi", "phi'", "lambda_rod", "reaction_rho"]) {
            let tension = turn * turn + 9.81 * phi.cos();
            assert!((tension + lambda).abs() < 1e-12 && reaction == lambda, "{method}: {tension} {lambda}");
        }
    }
    // Both reference runs are the same motion: at every recorded time.
    let x = record(&cartesian, &reference(&cartesian, 0.1)).column("x");
    let phi = record(&polar, &reference(&polar, 0.1)).column("phi");
    let apart = distance(&x, &phi.iter().map(|phi| phi.cos()).collect::<Vec<_>>());
    assert!(apart < 1e-11, "{apart:e}");
}

/// [AD 7.6]: λ = m g sin(α)/2 for the row (−1, r), and x'' = g sin(α)/2, constant: exact for every method at any step.
#[test]
fn the_hoop_is_exact() {
    let hoop = gallery("hoop-on-incline");
    let pull = 9.81 * 0.3f64.sin();
    for method in ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)", "rk4", "dop853"] {
        for step in [0.5, 0.1] {
            let run = record(&hoop, &with(&hoop, method, step));
            for [t, x, theta, lambda, fx, moment] in
                run.rows(["t", "x", "theta", "lambda_roll", "reaction_x", "reaction_theta"])
            {
                let exact = 0.2 * t + pull * t * t / 4.0;
                // A few roundings per step of numbers up to 25.
                assert!((x - exact).abs() < 1e-12 && (theta - 2.0 * exact).abs() < 1e-12, "{method} {step} at {t}");
                assert!((lambda - pull).abs() < 1e-13, "{method} {step} at {t}: {lambda}");
                assert!((fx + pull).abs() < 1e-13 && (moment - pull / 2.0).abs() < 1e-13, "{method} {step} at {t}");
            }
        }
    }
}

/// [LM 145, 152]: f_θ = m(−r ω² cos θ0 + g) sin θ0 = λ/r and f_φ = 2 m r' ω sin θ0 = λ/(r sin θ0), with the closed form of r.
#[test]
fn forces_of_the_rotating_wire() {
    let (theta, w, g) = (1.0f64, 2.0, 9.81);
    let k = w * theta.sin();
    let d = g * theta.cos() / (k * k);
    let radius = |t: f64| {
        let (s, c) = ((k * t).sinh(), (k * t).cosh());
        ((0.5 + d) * c - s / k - d, (0.5 + d) * k * s - c)
    };
    let slope = |t: f64| (-radius(t).0 * w * w * theta.cos() + g) * theta.sin();
    let turn = |t: f64| 2.0 * radius(t).1 * w * theta.sin();
    for name in ["wire-theta-freed", "wire-phi-freed", "wire-freed"] {
        let wire = gallery(name);
        // The largest errors of r and of both force components over the run.
        let errors = |settings: &extremal_engine::Settings| {
            let run = record(&wire, settings);
            let mut errors = [0.0f64; 2];
            let has = |column: &str| run.recorder.columns().index_of(column).is_some();
            for [t, r] in run.rows(["t", "r"]) {
                errors[0] = errors[0].max((r - radius(t).0).abs());
            }
            if has("lambda_slope") {
                for [t, r, lambda] in run.rows(["t", "r", "lambda_slope"]) {
                    errors[1] = errors[1].max((lambda / r - slope(t)).abs());
                }
            }
            if has("lambda_turn") {
                for [t, r, lambda] in run.rows(["t", "r", "lambda_turn"]) {
                    errors[1] = errors[1].max((lambda / (r * theta.sin()) - turn(t)).abs());
                }
            }
            errors
        };
        let reached = errors(&reference(&wire, 0.05));
        assert!(reached[0] < 1e-10 && reached[1] < 1e-10, "{name}: {reached:?}");
        for part in [0, 1] {
            let order = order_of(name, 0.02, 1e-12, |h| errors(&with(&wire, "midpoint", h))[part]);
            assert!((order - 2.0).abs() < 0.05, "{name}: {order}");
        }
    }
}

/// [LM 115–136]: the rod of the dumbbell pulls both masses equally, f1 = −f2, along the rod. The source finds the components by
/// freeing one constraint at a time; all constraints at once give the same.
#[test]
fn the_dumbbell_is_pulled_by_opposite_forces() {
    let (m, g) = (1.0, 9.81);
    let all = gallery("dumbbell-on-rails");
    // The distance freed, (117): f1y = λ sin φ and f2x = −λ cos φ.
    let distance = model(
        r#"
        coordinates = { rho = 1.0, phi = { start = 2.0, velocity = 0.3 } }
        dynamics.lagrangian = "(rho'^2 + rho^2*phi'^2)/2 + 9.81*rho*cos(phi)"
        constraints.rod = "rho = 1"
        simulation.until = 5.0
        "#,
    );
    // The horizontal rail freed, (128): f1x = m g − λ (slip L2 of the source put right).
    let rail = model(
        r#"
        coordinates.x2 = { start = "-cos(2.0)", velocity = "0.3*sin(2.0)" }
        coordinates.phi = { start = 2.0, velocity = 0.3 }
        dynamics.lagrangian = "(2*x2'^2 + phi'^2 - 2*x2'*phi'*sin(phi))/2 - 9.81*(2*x2 + cos(phi))"
        constraints.rail = "x2 + cos(phi) = 0"
        simulation.until = 5.0
        "#,
    );
    let [all, distance, rail] = [&all, &distance, &rail].map(|model| record(model, &reference(model, 0.1)));
    let pulls = distance.rows(["phi", "phi'", "lambda_rod"]);
    let rails = rail.rows(["phi", "lambda_rail"]);
    let names = ["x1", "y1", "x2", "y2", "lambda_rod", "lambda_horizontal", "lambda_vertical"];
    for (k, [x1, y1, x2, y2, rod, horizontal, vertical]) in all.rows(names).into_iter().enumerate() {
        let [phi, turn, lambda] = pulls[k];
        let pull = m * (turn * turn + g * phi.cos());
        let f1 = [2.0 * rod * (x1 - x2), 2.0 * rod * (y1 - y2)];
        // (136) and (123), then the two single multipliers, then the rails, which carry what the rod and the weight leave.
        let pairs = [
            (f1[0], -pull * phi.cos()),
            (f1[1], -pull * phi.sin()),
            (f1[1], lambda * phi.sin()),
            (-f1[0], -lambda * phi.cos()),
            (f1[0], m * g - rails[k][1]),
            (horizontal, m * g - f1[0]),
            (vertical, f1[1]),
            (phi, rails[k][0]),
        ];
        for (at, (ours, theirs)) in pairs.into_iter().enumerate() {
            assert!((ours - theirs).abs() < 1e-10, "row {k}, pair {at}: {ours} {theirs}");
        }
    }
}

/// [AD 7.66–7.72]: the multiplier is the transverse force of the edge. Newton's law for the middle of the rod, 2 m r'' = R n, gives it
/// from the acceleration of the closed form: R = m u θ' with u = c tanh(ct/l + d) and θ' = √2 (c/l)/cosh(ct/l + d).
#[test]
fn the_knife_edge_carries_the_transverse_force() {
    let rod = gallery("knife-edge-rod");
    let (u0, w0) = (-1.0f64, 1.5f64);
    let c = (u0 * u0 + w0 * w0 / 2.0).sqrt();
    let d = (u0 / c).atanh();
    let force = |t: f64| c * (c * t + d).tanh() * 2f64.sqrt() * c / (c * t + d).cosh();
    let error = |settings: &extremal_engine::Settings| {
        let rows = record(&rod, settings).rows(["t", "theta", "lambda_edge", "reaction_x", "reaction_y"]);
        let errors = rows.into_iter().map(|[t, theta, lambda, fx, fy]| {
            // The reaction is that force along n = (−sin θ, cos θ).
            let turned = (fx + lambda * theta.sin()).abs().max((fy - lambda * theta.cos()).abs());
            assert!(turned < 1e-14);
            (lambda - force(t)).abs()
        });
        errors.fold(0.0, f64::max)
    };
    let reached = error(&reference(&rod, 0.05));
    assert!(reached < 1e-10, "{reached:e}");
    let order = order_of("knife edge", 0.02, 1e-12, |h| error(&with(&rod, "midpoint", h).until(2.5)));
    assert!((order - 2.0).abs() < 0.05, "{order}");
}

//! Energy, entropy and momentum kept together; explicit time and constraints beside heat.

use std::f64::consts::PI;

use extremal_engine::compare::{Against, compare};
use extremal_engine::model::Start;
use extremal_engine::{Method, Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, gallery, gallery_with, record, refusal, with};

/// A run from the stated velocities.
fn settings(model: &Model, method: &str, step: f64, count: u64) -> Settings {
    Settings { start: Start::Legendre, ..with(model, method, step).steps(count) }
}

/// By how much an invariant of a run changes at worst.
fn drift(run: &RecordedRun, name: &str) -> f64 {
    let (_, drift) = run.recorder.drifts().find(|(column, _)| column.name() == name).unwrap();
    drift.max_drift()
}

/// The thermoelastic double pendulum: energy, angular momentum and the growth of entropy for ten thousand steps, by one method only.
#[test]
fn energy_entropy_and_momentum_of_a_thermoelastic_pendulum() {
    let pendulum = gallery("thermoelastic-double-pendulum");
    // Energy 3.7 and momentum 1.45: every step rounds them by a few ulp, and its solve ends a few ulp off.
    let allowed = 8.0 * f64::EPSILON * 4.0 * 10_000.0;
    for step in [0.005, 0.02] {
        let kept = |method: &str| {
            let run = record(&pendulum, &settings(&pendulum, method, step, 10_000));
            let laws = run.outcome.laws.clone().unwrap();
            println!(
                "{method} {step}: {:e} {:e} {:e}",
                drift(&run, "energy"),
                drift(&run, "rotation"),
                laws.second.smallest_step
            );
            // Entropies of size two round by an ulp when nothing is produced.
            assert!(laws.second.smallest_step >= -4.0 * f64::EPSILON && laws.second.total > 0.1, "{method}: {laws:?}");
            [drift(&run, "energy"), drift(&run, "rotation")]
        };
        let [energy, rotation] = kept("energy-entropy-momentum");
        assert!(energy <= allowed && rotation <= allowed, "{energy:e} {rotation:e}");
        // Each of the others keeps one of them.
        let [energy, rotation] = kept("energy-entropy");
        assert!(energy <= allowed && rotation > 1e-6, "{energy:e} {rotation:e}");
        let [energy, rotation] = kept("midpoint");
        assert!(energy > 1e-6 && rotation <= allowed, "{energy:e} {rotation:e}");
    }
}

/// A bar of forty cells, whose correction of the energy is an unknown of its own: short steps against the closed form, and long ones, where
/// the correction is more than round-off.
#[test]
fn energy_of_a_long_bar() {
    let bar = gallery_with("heat-bar", &[("n", "40")]);
    for (step, count) in [(0.1, 50), (4.0, 20)] {
        let run = record(&bar, &with(&bar, "energy-entropy", step).steps(count));
        // Forty cells of energy 300; every step rounds them by a few ulp, and its solve ends a few ulp off.
        let allowed = 8.0 * f64::EPSILON * 12_000.0 * count as f64;
        assert!(drift(&run, "energy") <= allowed, "{step}: {:e}", drift(&run, "energy"));
        assert!(run.outcome.laws.clone().unwrap().second.smallest_step >= -40.0 * f64::EPSILON, "{step}");
        let rate = 8.0 * (PI / 80.0).sin().powi(2);
        let exact = |t: f64| ((300.0 + 100.0 * (PI / 80.0).cos() * (-rate * t).exp()) / 300.0).ln();
        // The slowest mode decays at 0.012: an error of (rate h)²/12 per unit of rate t, with what the logarithm adds.
        let allowed = (rate * step).powi(2) * rate * step * count as f64;
        for [t, s] in run.rows(["t", "S[1]"]) {
            assert!((s - exact(t)).abs() <= allowed.max(1e-11), "{step} at {t}: {s} {}", exact(t));
        }
    }
}

/// Against DOP853, for every coordinate and entropy.
#[test]
fn orders_on_the_thermoelastic_pendulum() {
    let pendulum = gallery("thermoelastic-double-pendulum");
    let cases = [("energy-entropy-momentum", 2.0), ("compose(suzuki4, energy-entropy-momentum)", 4.0)];
    let methods: Vec<Method> = cases.iter().map(|(method, _)| method.parse().unwrap()).collect();
    let settings = Settings::of(&pendulum).until(1.0);
    let rows = compare(&pendulum, &settings, &methods, &[0.005, 0.0025], Against::Dop853, 0..u64::MAX).unwrap();
    for (k, (method, order)) in cases.iter().enumerate() {
        let row = &rows[2 * k + 1];
        assert!(row.orders.iter().all(|(_, measured)| (measured.unwrap() - order).abs() < 0.2), "{method}: {row:?}");
    }
}

/// L = (1 + t) x'²/2 − exp(S) from x' = 1: p = 1 stays, H = p²/(2 + 2t) + exp(S) falls by 1/4 until t = 1, and the mean of ∂H/∂t over a
/// step is its change.
#[test]
fn the_work_of_a_growing_mass_is_exact() {
    let text = r#"
        coordinates.x = { start = 0, velocity = 1 }
        entropies.S = 0.5
        dynamics.lagrangian = "(1 + t)*x'^2/2 - exp(S)"
    "#;
    let model = model(text);
    for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
        let laws = record(&model, &settings(&model, method, 0.01, 100)).outcome.laws.unwrap();
        // A hundred sums, each of which rounds by an ulp of one.
        assert!((laws.first.work + 0.25).abs() < 100.0 * f64::EPSILON, "{method}: {laws:?}");
        assert!(laws.first.max_defect < 200.0 * f64::EPSILON * 2.2, "{method}: {laws:?}");
    }
}

/// x = 2 cos t beside a constraint on y, or on its velocity: the temperature 1 + x vanishes at 2π/3, whatever holds y.
#[test]
fn a_temperature_that_vanishes_stops_a_constrained_motion() {
    for constraint in ["rail = \"y = 3\"", "rail = \"y' = 0\"", "rail = \"y = 3 + 0.1*sin(t)\""] {
        let velocity = if constraint.contains("sin") { "0.1" } else { "0" };
        let text = format!(
            r#"
            coordinates = {{ x = 2, y = {{ start = 3, velocity = {velocity} }} }}
            entropies.S = 0
            dynamics.lagrangian = "(x'^2 + y'^2)/2 - x^2/2 - S*(1 + x)"
            constraints.{constraint}
            "#
        );
        let model = model(&text);
        for method in ["energy-entropy", "energy-entropy-momentum"] {
            let run = attempt(&model, &settings(&model, method, 0.01, 500));
            let failure = run.failure(method);
            assert!(failure.to_string().contains("the temperature -dL/dS stays positive"), "{method}: {failure}");
            assert!((failure.time - 2.0 * PI / 3.0).abs() < 0.02, "{method}, {constraint}: {failure}");
        }
    }
}

/// A belt drives a block by a velocity constraint b ≠ 0: its work λ v is in the account, step by step.
#[test]
fn the_work_of_a_belt_is_in_the_account() {
    let text = r#"
        coordinates = { x = { start = 0, velocity = 0.5 }, y = { start = 1, velocity = 0 } }
        entropies.S = 0.5
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - x^4/4 - (x - y)^2/2 - exp(S)*(2 + cos(y))"
        friction.y = "-0.2*y'"
        constraints.belt = "x' = 0.5*cos(t) + y*sin(t)"
    "#;
    let model = model(text);
    for method in ["energy-entropy", "energy-entropy(2)", "energy-entropy-momentum"] {
        for step in [0.01, 0.1] {
            let laws = record(&model, &settings(&model, method, step, 2_000)).outcome.laws.unwrap();
            // Two thousand steps, each of which rounds by a few ulp of the largest energy.
            assert!(laws.first.relative < 8.0 * f64::EPSILON * 2_000.0, "{method} {step}: {laws:?}");
            assert!(laws.first.work.abs() > 0.05, "no work, no proof: {laws:?}");
        }
    }
}

/// The promise of a momentum is refused where the Hamiltonian is written by powers that the symmetry changes.
#[test]
fn a_momentum_that_would_not_be_kept_is_refused_by_name() {
    let quartic = |potential: &str| {
        model(&format!(
            r#"
            coordinates = {{ x = {{ start = 1, velocity = 0.2 }}, y = {{ start = 0, velocity = 0.7 }} }}
            dynamics.lagrangian = "(x'^2 + y'^2)/2 - {potential}"
            symmetries.rotation = {{ x = "-y", y = "x" }}
            "#
        ))
    };
    let (square, powers) = (quartic("(x^2 + y^2)^2"), quartic("x^4 - 2*x^2*y^2 - y^4"));
    let run = record(&square, &settings(&square, "energy-entropy-momentum", 0.05, 1_000));
    assert!(drift(&run, "rotation") < 8.0 * f64::EPSILON * 1_000.0, "{:e}", drift(&run, "rotation"));
    for method in ["energy-entropy-momentum", "compose(suzuki4, energy-entropy-momentum)"] {
        let refused = refusal(&powers, &settings(&powers, method, 0.05, 10));
        assert!(refused.contains("does not keep the momentum of `rotation`"), "{refused}");
    }
    record(&powers, &settings(&powers, "energy-entropy", 0.05, 10));
    // Where there is no such symmetry, nothing is promised.
    let broken = quartic("x^4");
    record(&broken, &settings(&broken, "energy-entropy-momentum", 0.05, 10));
}

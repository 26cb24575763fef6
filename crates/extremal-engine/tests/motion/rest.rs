//! Motions that come to rest stay there: equations whose terms balance to round-off have a next state.

use extremal_engine::run::End;
use extremal_engine::{Model, Overrides, Run, Settings, gallery};

use crate::support::{record, with};

fn piston() -> Model {
    let overrides = Overrides::default().set("kappa", 0).set("gamma", 0.3);
    Model::load(gallery::text("piston-between-gases").unwrap(), &overrides).unwrap()
}

/// Where the pressures are equal: of an adiabatic piston with U = exp(S/c) x^(-1/c), U1/x = U2/(l − x).
#[test]
fn a_piston_between_gases_ends_where_the_pressures_are_equal() {
    let model = piston();
    let settings = Settings { extent: Some(extremal_engine::model::Extent::Until(400.0)), ..Settings::of(&model) };
    let run = record(&model, &settings);
    assert_eq!(run.outcome.end, End::Reached);
    let last = |name: &str| run.recorder.last().unwrap()[run.recorder.columns().index_of(name).unwrap()];
    let (x, s1, s2) = (last("x"), last("S1"), last("S2"));
    let pressure = |s: f64, x: f64| (s / 1.5).exp() * x.powf(-1.0 / 1.5 - 1.0) / 1.5;
    let (left, right) = (pressure(s1, x), pressure(s2, 2.0 - x));
    // Oscillations decay with exp(-γt/2) = 9e-27: what is left is round-off.
    assert!((left - right).abs() <= 1e-13 * left, "{left} {right}");
}

#[test]
fn damped_motions_stay_at_rest_for_a_hundred_thousand_steps() {
    let mut stayed = 0;
    let gallery = |name: &str| Model::from_toml(gallery::text(name).unwrap()).unwrap();
    let models = [
        ("piston", piston()),
        ("spring-in-gas", gallery("spring-in-gas")),
        ("viscous-oscillator", gallery("viscous-oscillator")),
        ("van-der-waals-piston", gallery("van-der-waals-piston")),
        ("gas-containers", gallery("gas-containers")),
    ];
    for (name, model) in &models {
        let step = Settings::of(model).step.unwrap();
        for method in ["midpoint", "trapezoidal", "galerkin(2)", "energy-entropy", "energy-entropy(2)", "gauss(2)"] {
            let Ok(run) = Run::new(model, &with(model, method, step)) else { continue };
            let mut motion = run.begin().unwrap();
            let outcome = motion.advance_many(100_000);
            assert_eq!(outcome, Ok(()), "{name} {method}");
            stayed += 1;
        }
    }
    assert!(stayed >= 20, "{stayed}");
}

//! Motions that come to rest stay there: equations whose terms balance to round-off have a next state.

use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::runs::{Lasting, gallery, gallery_with, record, with};

fn piston() -> Model {
    gallery_with("piston-between-gases", &[("kappa", "0"), ("gamma", "0.3")])
}

/// Where the pressures are equal: of an adiabatic piston with U = exp(S/c) x^(-1/c), U1/x = U2/(l − x).
#[test]
fn a_piston_between_gases_ends_where_the_pressures_are_equal() {
    let model = piston();
    let run = record(&model, &Settings::of(&model).until(400.0));
    let [x, s1, s2] = ["x", "S1", "S2"].map(|name| run.last(name));
    let pressure = |s: f64, x: f64| (s / 1.5).exp() * x.powf(-1.0 / 1.5 - 1.0) / 1.5;
    let (left, right) = (pressure(s1, x), pressure(s2, 2.0 - x));
    // Oscillations decay with exp(-γt/2) = 9e-27: what is left is round-off.
    assert!((left - right).abs() <= 1e-13 * left, "{left} {right}");
}

#[test]
fn damped_motions_stay_at_rest_for_a_hundred_thousand_steps() {
    let mut stayed = 0;
    let others = ["spring-in-gas", "viscous-oscillator", "van-der-waals-piston", "gas-containers"];
    for (name, model) in
        &others.map(|name| (name, gallery(name))).into_iter().chain([("piston", piston())]).collect::<Vec<_>>()
    {
        let step = Settings::of(model).step.unwrap();
        for method in ["midpoint", "trapezoidal", "galerkin(2)", "energy-entropy", "energy-entropy(2)", "gauss(2)"] {
            let Ok(run) = CompiledRun::new(model, &with(model, method, step)) else { continue };
            let mut motion = run.begin().unwrap();
            let outcome = motion.advance_many(100_000);
            assert_eq!(outcome, Ok(()), "{name} {method}");
            stayed += 1;
        }
    }
    assert!(stayed >= 20, "{stayed}");
}

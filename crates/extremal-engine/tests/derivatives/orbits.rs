//! Periodic motions beside known periods.

use extremal_engine::orbit::{OrbitError, OrbitSearch, PeriodicOrbit, continued};
use extremal_engine::sweep::AdjustableRun;
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::models::model;

fn orbit(model: &Model, period: f64, steps: u64) -> Result<PeriodicOrbit, OrbitError> {
    CompiledRun::new(model, &Settings::of(model)).unwrap().orbit(&OrbitSearch { period, steps, fixed: false })
}

/// 4 K(sin(a/2)) by the mean of arithmetic and geometric means.
fn period_of_pendulum(amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0f64, (amplitude / 2.0).cos());
    for _ in 0..20 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    std::f64::consts::TAU / a
}

/// Every swing is periodic: the nearest is found, with the period of its own amplitude, and multipliers of one.
#[test]
fn a_swing_has_the_period_of_its_amplitude() {
    let pendulum = model(
        "coordinates.a = { start = 1.2, velocity = 0 }\n[dynamics]\nlagrangian = \"a'^2/2 + cos(a)\"\n[simulation]\n\
         method = \"gauss(4)\"\nstep = 0.1\nuntil = 1\n",
    );
    let found = orbit(&pendulum, 6.5, 100).unwrap();
    assert_eq!(found.names, ["a", "a'"]);
    // The energy of the orbit says its amplitude.
    let energy = found.state[1].powi(2) / 2.0 - found.state[0].cos();
    let amplitude = (-energy).acos();
    assert!((amplitude - 1.2).abs() < 0.2, "{found:?}");
    // Of order eight.
    assert!((found.period - period_of_pendulum(amplitude)).abs() < 1e-9, "{found:?}");
    assert!(found.missed < 1e-9, "{found:?}");
    // A double one moves by the root of what it is known to.
    for [re, im] in &found.multipliers {
        assert!((re - 1.0).hypot(*im) < 1e-3, "{found:?}");
    }
}

const VAN_DER_POL: &str = "parameters.mu = 1\ncoordinates.x = { start = 2, velocity = 0 }\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2\"\n\
    [forces]\nx = \"mu*(1 - x^2)*x'\"\n[simulation]\nmethod = \"gauss(4)\"\nstep = 0.1\nuntil = 1\n";

/// The limit cycle of van der Pol: periods 6.6632868593 and 7.6298744792 for mu = 1 and 2 (Andersen and Geer, SIAM J. Appl. Math. 42
/// (1982) 678, their series summed). What is not along the cycle shrinks by the exponential of the mean divergence.
#[test]
fn a_limit_cycle_is_found_and_followed() {
    let model = model(VAN_DER_POL);
    let found = orbit(&model, 6.0, 200).unwrap();
    assert!((found.period - 6.663_286_859_3).abs() < 1e-8, "{found:?}");
    let [[one, _], [other, _]] = found.multipliers[..] else { panic!("two") };
    assert!((one - 1.0).abs() < 1e-7, "{found:?}");
    // The divergence mu (1 - x²) along the cycle, by steps of the classical method that are written here.
    let slope = |[x, v]: [f64; 2]| [v, (1.0 - x * x) * v - x];
    let (mut at, mut sum, h) = ([found.state[0], found.state[1]], 0.0, found.period / 20000.0);
    for _ in 0..20000 {
        let shifted = |by: [f64; 2], h: f64| [at[0] + h * by[0], at[1] + h * by[1]];
        let k1 = slope(at);
        let k2 = slope(shifted(k1, h / 2.0));
        let k3 = slope(shifted(k2, h / 2.0));
        let k4 = slope(shifted(k3, h));
        sum += h * (1.0 - at[0] * at[0]);
        let mean = |i: usize| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0;
        at = shifted([mean(0), mean(1)], h);
    }
    // Rectangles over a period are as good as any rule.
    assert!((other / sum.exp() - 1.0).abs() < 1e-4, "{other}, not {}", sum.exp());
    let mut run = AdjustableRun::new(&model, &Settings::of(&model)).unwrap();
    let search = OrbitSearch { period: 6.0, steps: 200, fixed: false };
    let values = [1.0, 1.25, 1.5, 1.75, 2.0];
    let (family, ended) = continued(&mut run, &search, "mu", &values).unwrap();
    assert!(ended.is_none() && family.len() == 5);
    assert!((family[4].period - 7.629_874_479_2).abs() < 1e-6, "{:?}", family[4]);
}

/// A driven oscillator answers with the period that it is driven with: x = F cos(wt)/(1 - w²) without friction.
#[test]
fn a_driven_motion_has_the_period_of_its_drive() {
    let driven = model(
        "parameters.w = 0.7\ncoordinates.x = { start = 0.3, velocity = 0.1 }\n[dynamics]\nlagrangian = \"x'^2/2 - x^2/2 + x*cos(w*t)\"\n\
         [simulation]\nmethod = \"gauss(4)\"\nstep = 0.1\nuntil = 1\n",
    );
    let period = std::f64::consts::TAU / 0.7;
    let found = orbit(&driven, period, 100).unwrap();
    assert_eq!(found.period, period);
    assert!((found.state[0] - 1.0 / 0.51).abs() < 1e-8 && found.state[1].abs() < 1e-8, "{found:?}");
    // Free changes swing with frequency 1: exp(± 2 pi i/w).
    for [re, im] in &found.multipliers {
        assert!((re - period.cos()).abs() < 1e-7 && (im.abs() - period.sin().abs()).abs() < 1e-7, "{found:?}");
    }
}

#[test]
fn what_is_no_orbit_is_said() {
    let falling =
        model("coordinates.x = 1\n[dynamics]\nlagrangian = \"x'^2/2 - x\"\n[simulation]\nstep = 0.1\nuntil = 1\n");
    assert!(matches!(orbit(&falling, 1.0, 20), Err(OrbitError::NotFound { .. })));
    let swing =
        model("coordinates.x = 0\n[dynamics]\nlagrangian = \"x'^2/2 - x^4/4\"\n[simulation]\nstep = 0.1\nuntil = 1\n");
    assert!(matches!(orbit(&swing, 1.0, 20), Err(OrbitError::Rest)));
    assert!(matches!(orbit(&swing, -1.0, 20), Err(OrbitError::Period)));
}

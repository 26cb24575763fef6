//! Lyapunov exponents beside closed forms and published numbers, and the pairs that symplectic steps make.

use extremal_engine::lyapunov::{LyapunovOptions, LyapunovSpectrum};
use extremal_engine::{CompiledRun, Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, gallery, go_on, with};

fn spectrum(model: &Model, settings: &Settings, transient: f64) -> LyapunovSpectrum {
    let run = CompiledRun::new(model, settings).unwrap_or_else(|error| panic!("{error}"));
    run.lyapunov(&LyapunovOptions { transient, exponents: None }, go_on).unwrap_or_else(|error| panic!("{error}"))
}

fn values(spectrum: &LyapunovSpectrum) -> Vec<f64> {
    spectrum.exponents.iter().map(|exponent| exponent.value).collect()
}

/// The factors of symplectic matrices between paired frames are symplectic themselves: sums and pairs vanish at any time up to the
/// round-off of some thousand logarithms, divided by the time.
#[test]
fn the_exponents_of_a_double_pendulum_come_in_pairs() {
    let pendulum = gallery("double-pendulum");
    for method in ["midpoint", "trapezoidal", "galerkin(2)"] {
        let found = spectrum(&pendulum, &with(&pendulum, method, 0.02).until(200.0), 20.0);
        assert!(found.sum.unwrap().abs() < 1e-8, "{method}: {found:?}");
        assert!(found.pairs.unwrap() < 1e-6, "{method}: {found:?}");
        // The motion and its energy do not grow.
        let exponents = values(&found);
        assert!(exponents[0] > 0.3 && exponents[1].abs() < 0.1 && exponents[2].abs() < 0.1, "{method}: {exponents:?}");
        assert_eq!(found.state.len(), 4);
    }
    // The classical method is not symplectic, and has velocities: nothing is said of pairs.
    let found = spectrum(&pendulum, &with(&pendulum, "rk4", 0.02).until(100.0), 20.0);
    assert_eq!(found.pairs, None);
}

/// x'' = -c x' - k x: (-c ± sqrt(c² - 4k))/2; twice -c/2 where it swings.
#[test]
fn a_damped_oscillator_has_the_exponents_of_its_matrix() {
    for (c, k, expected) in [(0.4, 1.0, [-0.2, -0.2]), (3.0, 2.0, [-1.0, -2.0])] {
        let damped = model(&format!(
            "coordinates.x = 1\n[dynamics]\nlagrangian = \"x'^2/2 - {k}*x^2/2\"\n[friction]\nx = \"-{c}*x'\"\n[simulation]\n\
             step = 0.02\nuntil = 420\nmethod = \"gauss(3)\"\n"
        ));
        let found = values(&spectrum(&damped, &Settings::of(&damped), 20.0));
        // Swinging ones are found as a mean over parts of a swing.
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 5e-3, "{found}, not {expected}");
        }
        let sum: f64 = found.iter().sum();
        assert!((sum + c).abs() < 1e-7, "{sum}");
    }
}

/// Lorenz's system as states of first order: 0.9056, 0, -14.5723 (Sprott, Chaos and Time-Series Analysis, 2003), dimension 2.062.
#[test]
fn lorenz_has_its_published_exponents() {
    let lorenz = model(
        r#"
        [states]
        x = { start = 1, rate = "10*(y - x)" }
        y = { start = 1, rate = "x*(28 - z) - y" }
        z = { start = 20, rate = "x*y - 8/3*z" }
        [simulation]
        method = "gauss(3)"
        step = 0.02
        until = 620
        "#,
    );
    let found = spectrum(&lorenz, &Settings::of(&lorenz), 20.0);
    let exponents = values(&found);
    // The mean of a chaotic motion over this time is known to some hundredths; the sum is that of the divergence.
    assert!((exponents[0] - 0.9056).abs() < 0.06, "{exponents:?}");
    assert!(exponents[1].abs() < 0.02, "{exponents:?}");
    assert!((found.sum.unwrap() + 41.0 / 3.0).abs() < 1e-4, "{found:?}");
    assert!((found.dimension.unwrap() - 2.062).abs() < 0.01, "{found:?}");
    assert!((exponents[0] - 0.9056).abs() < 4.0 * found.exponents[0].error + 0.01, "{found:?}");
}

/// A rod leaves a pendulum in the plane one degree of freedom: two exponents, which vanish.
#[test]
fn constraints_leave_the_directions_that_a_motion_can_go() {
    let rod = gallery("pendulum-rod");
    let found = spectrum(&rod, &with(&rod, "midpoint", 0.02).until(200.0), 10.0);
    let exponents = values(&found);
    assert_eq!(exponents.len(), 2, "{exponents:?}");
    assert!(exponents.iter().all(|value| value.abs() < 0.05), "{exponents:?}");
    assert!(found.sum.unwrap().abs() < 1e-2, "{found:?}");
}

#[test]
fn what_has_no_exponents_is_refused() {
    let pendulum = gallery("double-pendulum");
    let refused = |settings: &Settings, options: LyapunovOptions| {
        CompiledRun::new(&pendulum, settings).unwrap().lyapunov(&options, go_on).unwrap_err().to_string()
    };
    let settings = with(&pendulum, "midpoint", 0.02).until(1.0);
    let all = LyapunovOptions::default();
    assert!(refused(&settings, LyapunovOptions { transient: 2.0, ..all }).contains("leaves no step"));
    assert!(refused(&settings, LyapunovOptions { exponents: Some(5), ..all }).contains("there are 4 exponents, not 5"));
    assert!(refused(&with(&pendulum, "dop853", 0.02), all).contains("chooses its steps by itself"));
    assert!(refused(&settings.until(-1.0), all).contains("backward"));
}

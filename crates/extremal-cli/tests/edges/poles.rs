//! Motions that become infinite.

use std::f64::consts::FRAC_PI_2;

use crate::harness::Edge;

/// x'' = 6 x²: x = 1/(1 - t)².
#[test]
fn a_cubic_potential_without_a_bottom_throws_to_infinity() {
    let model = "[coordinates]\nx = { start = 1.0, velocity = 2.0 }\n[dynamics]\nlagrangian = \"x'^2/2 + 2*x^3\"\n";
    Edge { model, step: 0.01, until: 2.0 }.ends(1.0);
    Edge { model, step: 0.05, until: 5.0 }.ends(1.0);
}

/// x'' = 2 x³: x = 1/(1 - t).
#[test]
fn a_quartic_potential_without_a_bottom_throws_to_infinity() {
    let model = "[coordinates]\nx = { start = 1.0, velocity = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2 + x^4/2\"\n";
    Edge { model, step: 0.01, until: 3.0 }.ends(1.0);
}

/// v' = v²: v = 1/(1 - t), x = -ln(1 - t).
#[test]
fn a_push_that_grows_with_the_square_of_the_speed_has_no_motion_beyond() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2\"\n[forces]\nx = \"x'^2\"\n";
    Edge { model, step: 0.01, until: 3.0 }.ends(1.0);
}

/// x'' = 2 x x': x = tan t.
#[test]
fn a_tangent_ends_at_its_pole() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2\"\n[forces]\nx = \"2*x*x'\"\n";
    Edge { model, step: 0.01, until: 4.0 }.ends(FRAC_PI_2);
}

/// At T = 1 a heat that grows with S²: S = 1/(1 - t).
#[test]
fn a_thermal_runaway_ends_at_its_pole() {
    let model = "[entropies]\nS = { start = 1.0 }\n[dynamics]\nlagrangian = \"-S\"\n[heat]\nS = \"S^2\"\n";
    Edge { model, step: 0.01, until: 3.0 }.ends(1.0);
}

/// A particle with a unit mass in each of two wells that are far apart stays in its own: nothing to warn of.
#[test]
fn growth_that_ends_is_no_pole() {
    // x = tanh t: x'' = -2 x (1 - x²), the heteroclinic motion of L = x'²/2 + x² - x⁴/2, for a time that it is resolved.
    let model =
        "[coordinates]\nx = { start = 0.0, velocity = 0.9 }\n[dynamics]\nlagrangian = \"x'^2/2 - x^2 + x^4/2\"\n";
    let exact = pendulum_like(0.9, 3.0);
    Edge { model, step: 0.01, until: 3.0 }.moves(&[("x", exact)], 1e-3, "midpoint galerkin(2) rk4 dop853");
}

/// x'' = -2 x + 2 x³ from 0 with speed v: by the addition of very many small steps of Taylor's series to order four.
fn pendulum_like(v: f64, t: f64) -> f64 {
    let steps = 200_000;
    let h = t / steps as f64;
    let force = |x: f64| -2.0 * x + 2.0 * x * x * x;
    let (mut x, mut p) = (0.0, v);
    for _ in 0..steps {
        let half = p + 0.5 * h * force(x);
        x += h * half;
        p = half + 0.5 * h * force(x);
    }
    x
}

//! Motions that come to rest, and stay there.

use crate::harness::Edge;

fn damped(stiffness: f64, friction: f64) -> String {
    format!(
        "[coordinates]\nx = {{ start = 1.0, velocity = 0 }}\n[dynamics]\nlagrangian = \"x'^2/2 - {stiffness}*x^2/2\"\n[friction]\n\
         x = \"-{friction}*x'\"\n"
    )
}

/// After 2000 time constants nothing is left, not even a denormal number's worth.
#[test]
fn an_oscillator_comes_to_rest_and_stays() {
    Edge { model: &damped(1.0, 1.0), step: 0.05, until: 2000.0 }.moves(
        &[("x", 0.0)],
        1e-12,
        "left right midpoint trapezoidal galerkin(2) galerkin(3) energy-entropy rk2 rk4 gauss(2) dop853",
    );
}

/// x = (4 e^(-t) - e^(-4t))/3: no oscillation at all.
#[test]
fn an_overdamped_spring_creeps_to_rest() {
    Edge { model: &damped(4.0, 5.0), step: 0.05, until: 1000.0 }.moves(
        &[("x", 0.0)],
        1e-12,
        "midpoint trapezoidal galerkin(2) rk4 gauss(2) dop853",
    );
}

#[test]
fn a_pendulum_comes_to_rest_and_stays() {
    let model = "[coordinates]\ntheta = { start = 2.0 }\n[dynamics]\nlagrangian = \"theta'^2/2 + 9.81*cos(theta)\"\n[friction]\n\
                 theta = \"-0.5*theta'\"\n";
    Edge { model, step: 0.02, until: 400.0 }.moves(
        &[("theta", 0.0)],
        1e-12,
        "midpoint trapezoidal galerkin(2) galerkin(3) energy-entropy rk4 gauss(2) dop853",
    );
}

/// The speed falls as 1/(1 + t): x = ln(1 + t).
#[test]
fn quadratic_drag_slows_down_for_ever() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2\"\n[friction]\n\
                 x = \"-x'*abs(x')\"\n";
    Edge { model, step: 0.01, until: 100.0 }.moves(&[("x", 101f64.ln())], 1e-3, "midpoint rk4 dop853");
}

#[test]
fn what_rests_at_an_equilibrium_stays_there() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 0 }\ny = { start = 0.0 }\n[dynamics]\n\
                 lagrangian = \"(x'^2 + y'^2 + x'*y')/2 - x^2*(1 + y^2) - y^4\"\n";
    Edge { model, step: 0.01, until: 20.0 }.moves(
        &[("x", 0.0), ("y", 0.0)],
        0.0,
        "left right midpoint trapezoidal galerkin(2) compose(suzuki4,midpoint) compose(kahan-li8,trapezoidal) energy-entropy rk2 rk4 gauss(2) dopri5 dop853",
    );
}

/// A cart that friction stops at v0 m/c; what it loses heats a body with the internal energy T0 exp(S): T = T0 + m v0²/2.
#[test]
fn a_cart_stops_and_its_heat_stays() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 2.0 }\n[entropies]\nS = { start = 0.0 }\n[dynamics]\n\
                 lagrangian = \"5*x'^2/2 - 300*exp(S)\"\n[friction]\nx = \"-3*x'\"\n";
    let exact = [("x", 10.0 / 3.0), ("S", (310f64 / 300.0).ln())];
    Edge { model, step: 0.05, until: 500.0 }.moves(
        &exact,
        2e-4,
        "midpoint trapezoidal energy-entropy energy-entropy(2) rk4 gauss(2) dop853",
    );
}

/// Springs that a step does not resolve: x = cos(100 t).
#[test]
fn a_stiff_spring_in_coarse_steps_is_not_silent() {
    let model = "[coordinates]\nx = { start = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2 - 10000*x^2/2\"\n";
    Edge { model, step: 0.05, until: 10.0 }.moves(&[("x", 1000f64.cos())], 0.05, "dop853");
}

//! Bodies that meet, or nearly.

use std::f64::consts::{PI, SQRT_2};

use crate::harness::Edge;

fn fall(potential: &str, velocity: f64) -> String {
    format!(
        "[coordinates]\nx = {{ start = 1.0, velocity = {velocity} }}\n[dynamics]\nlagrangian = \"x'^2/2 - ({potential})\"\n"
    )
}

/// x'' = -1/x² from rest: π/(2√2) to the centre.
#[test]
fn a_fall_into_newtons_centre_ends_there() {
    let at = PI / (2.0 * SQRT_2);
    let model = fall("-1/x", 0.0);
    Edge { model: &model, step: 0.01, until: 2.0 }.ends(at);
    Edge { model: &model, step: 0.001, until: 1.5 }.ends(at);
}

/// The same at once with a step that jumps over most of it.
#[test]
fn a_fall_into_the_centre_in_coarse_steps_is_not_silent() {
    let model = fall("-1/x", 0.0);
    Edge { model: &model, step: 0.02, until: 10.0 }.ends(PI / (2.0 * SQRT_2));
}

/// x'' = -1/x from rest: ∫ dx/√(2 ln(1/x)) = √(π/2).
#[test]
fn a_fall_into_a_logarithmic_centre_ends_there() {
    Edge { model: &fall("log(x)", 0.0), step: 0.01, until: 5.0 }.ends((PI / 2.0).sqrt());
}

/// A method that keeps the energy is thrown back by so weak a centre, in steps that straddle it.
#[test]
fn nobody_is_thrown_back_by_a_logarithmic_centre() {
    for step in [0.031, 0.083, 0.17] {
        Edge { model: &fall("log(x)", 0.0), step, until: 3.0 }.ends((PI / 2.0).sqrt());
    }
}

/// x'' = -1/x³ from rest: x² = 1 - t².
#[test]
fn a_fall_into_an_inverse_cube_ends_there() {
    Edge { model: &fall("-1/(2*x^2)", 0.0), step: 0.005, until: 3.0 }.ends(1.0);
}

/// x'' = 1/x³: x² = 1 + 2 v t + (v² + 1) t², a bounce that is over in 0.1.
#[test]
fn a_bounce_off_an_inverse_cube_is_resolved_or_said() {
    let model = fall("1/(2*x^2)", -3.0);
    let exact = |t: f64| (1.0 - 6.0 * t + 10.0 * t * t).sqrt();
    Edge { model: &model, step: 0.001, until: 1.0 }.moves(&[("x", exact(1.0))], 1e-3, "midpoint rk4 dop853");
    Edge { model: &model, step: 0.05, until: 1.0 }.moves(&[("x", exact(1.0))], 0.1, "dop853");
}

/// x'' = 1/x²: x = a (1 + cosh η), t = a^(3/2) (η + sinh η), a = 1/(2E) = 1/3; back at one after twice the time to the turn.
#[test]
fn a_bounce_off_newtons_repulsion_comes_back() {
    let eta = 2f64.acosh();
    let back = 2.0 * (1f64 / 27.0).sqrt() * (eta + eta.sinh());
    let model = fall("1/x", -1.0);
    Edge { model: &model, step: back / 256.0, until: back }.moves(
        &[("x", 1.0)],
        1e-3,
        "midpoint trapezoidal galerkin(2) energy-entropy rk4 gauss(2) dop853",
    );
}

fn kepler(e: f64) -> String {
    format!(
        "[coordinates]\nx = {{ start = {}, velocity = 0 }}\ny = {{ start = 0, velocity = {} }}\n[dynamics]\n\
         lagrangian = \"(x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\"\n",
        1.0 - e,
        ((1.0 + e) / (1.0 - e)).sqrt()
    )
}

/// Positions on the ellipse of axis one after the time, by Kepler's equation E - e sin E = t.
fn on_the_ellipse(e: f64, t: f64) -> [(&'static str, f64); 2] {
    let (mut low, mut high) = (t - 1.0, t + 1.0);
    for _ in 0..200 {
        let middle: f64 = 0.5 * (low + high);
        if middle - e * middle.sin() < t { low = middle } else { high = middle }
    }
    [("x", low.cos() - e), ("y", (1.0 - e * e).sqrt() * low.sin())]
}

#[test]
fn a_mild_ellipse_is_no_cause_for_alarm() {
    Edge { model: &kepler(0.3), step: 0.01, until: 10.0 }.moves(
        &on_the_ellipse(0.3, 10.0),
        5e-3,
        "midpoint trapezoidal galerkin(2) galerkin(3) compose(suzuki4,midpoint) compose(kahan-li8,trapezoidal) energy-entropy rk4 gauss(2) dopri5 dop853",
    );
}

/// At the perihelion of e = 0.99 the speed is 14 and the distance 0.01: these steps do not see it.
#[test]
fn a_comet_in_coarse_steps_is_not_silent() {
    Edge { model: &kepler(0.99), step: 0.01, until: 100.0 }.moves(&on_the_ellipse(0.99, 100.0), 0.05, "dop853");
}

/// A straight line past the origin at a distance of 1/1000, in polar coordinates.
#[test]
fn a_near_miss_in_polar_coordinates_is_resolved_or_said() {
    let b: f64 = 1e-3;
    let r = (1.0 + b * b).sqrt();
    let model = format!(
        "[coordinates]\nr = {{ start = {r}, velocity = {} }}\nphi = {{ start = {}, velocity = {} }}\n[dynamics]\n\
         lagrangian = \"(r'^2 + r^2*phi'^2)/2\"\n",
        -1.0 / r,
        b.atan(),
        b / (r * r)
    );
    Edge { model: &model, step: 0.01, until: 2.0 }.moves(&[("r", r), ("phi", PI - b.atan())], 0.05, "dop853");
}

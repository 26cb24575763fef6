//! Masses that vanish.

use std::f64::consts::FRAC_PI_2;

use crate::harness::Edge;
use extremal_testkit::program::call_with_input;

fn with_mass(mass: &str, velocity: f64) -> String {
    format!(
        "[coordinates]\nx = {{ start = 1.0, velocity = {velocity} }}\n[dynamics]\nlagrangian = \"({mass})*x'^2/2\"\n"
    )
}

/// p = (1 - t) x' is constant: x' = 1/(1 - t).
#[test]
fn a_mass_that_runs_out_in_time_ends_the_motion() {
    Edge { model: &with_mass("1 - t", 1.0), step: 0.01, until: 2.0 }.ends(1.0);
    Edge { model: &with_mass("1 - t", 1.0), step: 0.03, until: 3.0 }.ends(1.0);
}

/// cos(t) x' = 1.
#[test]
fn a_mass_that_swings_through_zero_ends_the_motion() {
    Edge { model: &with_mass("cos(t)", 1.0), step: 0.01, until: 3.0 }.ends(FRAC_PI_2);
}

/// (2 - x) x'² = 1 from x = 1: (2 - x)^(3/2) = 1 - 3t/2.
#[test]
fn a_mass_that_runs_out_in_space_ends_the_motion() {
    Edge { model: &with_mass("2 - x", 1.0), step: 0.005, until: 2.0 }.ends(2.0 / 3.0);
}

/// x x'² = 1 towards zero: x^(3/2) = 1 - 3t/2.
#[test]
fn a_mass_proportional_to_the_distance_ends_at_zero() {
    Edge { model: &with_mass("x", -1.0), step: 0.005, until: 2.0 }.ends(2.0 / 3.0);
}

/// (x²/2)'' = 0: x² = 1 - 2t; the mass touches zero without a change of sign.
#[test]
fn a_mass_that_touches_zero_ends_the_motion() {
    Edge { model: &with_mass("x^2", -1.0), step: 0.005, until: 2.0 }.ends(0.5);
}

/// Wherever in a step the zero lies, nobody gets to the other side.
#[test]
fn no_step_leads_over_a_mass_that_vanishes() {
    let masses = [("1 - t", 1.0, 1.0), ("cos(t)", 1.0, FRAC_PI_2), ("2 - x", 1.0, 2.0 / 3.0), ("x", -1.0, 2.0 / 3.0)];
    for (mass, velocity, at) in masses.into_iter().chain([("x^2", -1.0, 0.5)]) {
        for step in [0.0037, 0.013, 0.047, 0.11, 0.23] {
            Edge { model: &with_mass(mass, velocity), step, until: 3.0 }.ends(at);
        }
    }
}

/// The momentum stays what it is, and nothing but the mass tells.
#[test]
fn no_member_of_a_sweep_is_led_over_a_mass_that_vanishes() {
    let file = std::env::temp_dir().join(format!("extremal-edge-{}.csv", std::process::id()));
    let path = file.to_string_lossy();
    let fixed = ["sweep", "-", "--json", "--vary", "x=0.5:1.5:20", "--method", "midpoint", "--step", "0.23"];
    let verdict = call_with_input(
        &[&fixed[..], &["--steps", "12", "--out", &path, "--force"]].concat(),
        &with_mass("cos(t)", 1.0),
    );
    let rows = std::fs::read_to_string(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    let json = verdict.json();
    assert_eq!((json["finished"].as_u64(), json["failed"].as_u64()), (Some(0), Some(20)), "{}", verdict.stderr);
    assert_eq!(rows.matches("the mass matrix is singular at t = 1.5707963").count(), 20, "{rows}");
}

#[test]
fn a_mass_that_vanishes_is_named() {
    let why = "the mass matrix is singular at t = ";
    Edge { model: &with_mass("1 - t", 1.0), step: 0.01, until: 2.0 }.ends_because(1.0, why);
    Edge { model: &with_mass("2 - x", 1.0), step: 0.005, until: 2.0 }.ends_because(2.0 / 3.0, why);
}

/// The mass of x runs out at one, but what it drives goes on until both together have none: (1 - t) + 1 at t = 2, where x' = 2/(2 - t).
#[test]
fn a_mass_under_a_constraint_is_that_of_all_that_moves() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 1 }\ny = { start = 0.0, velocity = 1 }\n[dynamics]\n\
                 lagrangian = \"(1 - t)*x'^2/2 + y'^2/2\"\n[constraints]\nrod = \"x = y\"\n";
    // The Hamiltonian, by which the energy is kept, has a pole where the mass of x alone vanishes.
    let why = "bordered by the constraints, is singular at t = ";
    Edge { model, step: 0.01, until: 3.0 }.ends_because_or_at_pole(2.0, why, 1.0);
}

/// (1 + t) x' = 1: x = 1 + ln(1 + t). Methods of first order take 1/(1 + t) at one end of each step, which is off by h/2 (1 - 1/4).
#[test]
fn a_mass_that_grows_is_no_cause_for_alarm() {
    Edge { model: &with_mass("1 + t", 1.0), step: 0.01, until: 3.0 }.moves(
        &[("x", 1.0 + 4f64.ln())],
        4e-4,
        "left right midpoint trapezoidal galerkin(2) compose(suzuki4,midpoint) rk4 gauss(2) dop853",
    );
}

/// Along a meridian over the pole: th = 1 - t, where the mass of phi touches zero and its speed is none.
#[test]
fn a_meridian_over_the_pole_is_right_or_stopped() {
    let model = "[coordinates]\nth = { start = 1.0, velocity = -1.0 }\nph = { start = 0.5 }\n[dynamics]\n\
                 lagrangian = \"(th'^2 + sin(th)^2*ph'^2)/2\"\n";
    Edge { model, step: 0.01, until: 2.0 }.moves(&[("th", -1.0), ("ph", 0.5)], 1e-6, "");
}

/// A great circle that passes the pole at a distance of 1/1000 in angles: an arc of two along it ends at the mirrored latitude.
#[test]
fn a_great_circle_close_to_the_pole_is_resolved_or_said() {
    let b: f64 = 1e-3;
    // The circle's plane is tilted by b: cos(th) = cos(b) cos(s), with the arc s from -1 to 1.
    let th = (b.cos() * 1f64.cos()).acos();
    let along = |s: f64| (b.cos() * s.cos()).acos();
    let step = 1e-6;
    let th_rate = (along(-1.0 + step) - along(-1.0 - step)) / (2.0 * step);
    // sin²(th) ph' = sin(b).
    let ph_rate = b.sin() / th.sin().powi(2);
    let turned = 2.0 * (1f64.tan() / b.sin()).atan();
    let model = format!(
        "[coordinates]\nth = {{ start = {th}, velocity = {th_rate} }}\nph = {{ start = 0.0, velocity = {ph_rate} }}\n[dynamics]\n\
         lagrangian = \"(th'^2 + sin(th)^2*ph'^2)/2\"\n"
    );
    Edge { model: &model, step: 0.01, until: 2.0 }.moves(&[("th", th), ("ph", turned)], 0.02, "dop853");
}

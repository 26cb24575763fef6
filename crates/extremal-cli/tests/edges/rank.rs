//! Constraints that lose their rank, or never had it.

use crate::harness::Edge;
use extremal_testkit::program::call_with_input;

fn in_the_plane(start: [f64; 4], constraints: &str) -> String {
    let [x, y, u, v] = start;
    format!(
        "[coordinates]\nx = {{ start = {x}, velocity = {u} }}\ny = {{ start = {y}, velocity = {v} }}\n[dynamics]\n\
         lagrangian = \"(x'^2 + y'^2)/2\"\n[constraints]\n{constraints}\n"
    )
}

/// Two lines that cross: at the crossing, reached at t = 1, the gradient vanishes and the motion has two ways.
#[test]
fn a_crossing_of_two_lines_ends_the_motion() {
    let model = in_the_plane([1.0, 1.0, -1.0, -1.0], "lines = \"x^2 - y^2 = 0\"");
    Edge { model: &model, step: 0.01, until: 2.0 }.ends(1.0);
    Edge { model: &model, step: 0.03, until: 2.1 }.ends(1.0);
}

#[test]
fn a_corner_of_two_axes_ends_the_motion() {
    let model = in_the_plane([1.0, 0.0, -1.0, 0.0], "axes = \"x*y = 0\"");
    Edge { model: &model, step: 0.01, until: 2.0 }.ends(1.0);
}

/// y² = x³ at unit speed: the arc from (1, 1) to the cusp is (13√13 - 8)/27. A method that follows accelerations leaves the curve by
/// some h², rk2 by the most, and its row vanishes where x³ is as much: h^(2/3) before the cusp.
#[test]
fn a_cusp_ends_the_motion() {
    let model = in_the_plane([1.0, 1.0, -2.0 / 13f64.sqrt(), -3.0 / 13f64.sqrt()], "cusp = \"y^2 = x^3\"");
    let arc = (13.0 * 13f64.sqrt() - 8.0) / 27.0;
    Edge { model: &model, step: 0.005, until: 3.0 }.ends_within(arc, 0.005f64.powf(2.0 / 3.0));
}

/// The circle in which the plane z = t cuts the unit sphere shrinks to a point at t = 1.
#[test]
fn a_circle_that_shrinks_to_a_point_ends_the_motion() {
    let model = "[coordinates]\nx = { start = 1.0, velocity = 0 }\ny = { start = 0, velocity = 0 }\nz = { start = 0, velocity = 1.0 }\n\
                 [dynamics]\nlagrangian = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\nsphere = \"x^2 + y^2 + z^2 = 1\"\nplane = \"z = t\"\n";
    Edge { model, step: 0.01, until: 1.5 }.ends(1.0);
}

/// The same circle said twice: a particle on it turns by one per unit of time.
#[test]
fn a_constraint_said_twice_is_no_cause_to_stop() {
    let model = in_the_plane([1.0, 0.0, 0.0, 1.0], "once = \"x^2 + y^2 = 1\"\ntwice = \"2*x^2 + 2*y^2 = 2\"");
    Edge { model: &model, step: 0.01, until: 10.0 }.moves(&[("x", 10f64.cos()), ("y", 10f64.sin())], 5e-3, "");
}

#[test]
fn a_contradiction_is_bad_input() {
    let model = in_the_plane([1.0, 0.0, 0.0, 1.0], "here = \"x = 1\"\nthere = \"x = 2\"");
    let verdict = call_with_input(&["run", "-", "--json", "--step", "0.01", "--until", "1"], &model);
    let said = verdict.failed_with(2);
    assert!(said.contains("there"), "{said}");
}

/// A regular circle far from any edge: nothing to warn of.
#[test]
fn a_rod_is_no_cause_for_alarm() {
    let model = in_the_plane([1.0, 0.0, 0.0, 1.0], "rod = \"x^2 + y^2 = 1\"");
    Edge { model: &model, step: 0.01, until: 10.0 }.moves(
        &[("x", 10f64.cos()), ("y", 10f64.sin())],
        5e-3,
        "left midpoint trapezoidal galerkin(2) compose(suzuki4,midpoint) rk4 gauss(2) dop853",
    );
}

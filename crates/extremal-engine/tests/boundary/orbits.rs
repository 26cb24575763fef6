//! Closed orbits and motions between two positions.

use extremal_engine::boundary::BoundarySolution;

use extremal_engine::gallery;
use extremal_testkit::boundary::{assert_orders, columns, solve};
use extremal_testkit::models::model;
use extremal_testkit::runs::gallery_with;

/// The period of the figure eight in the units of Chenciner and Montgomery, and its energy by DOP853 (SciPy) from their start.
const PERIOD: f64 = 6.32591398;
const ENERGY: f64 = -1.2871419960;

/// The energy of the three bodies, typed by hand, at every instant.
fn energies(solution: &BoundarySolution) -> Vec<f64> {
    let rows = columns(solution, ["x1", "y1", "x2", "y2", "x1'", "y1'", "x2'", "y2'"]);
    let energy = |[x1, y1, x2, y2, u1, v1, u2, v2]: &[f64; 8]| {
        let (x3, y3, u3, v3) = (-x1 - x2, -y1 - y2, -u1 - u2, -v1 - v2);
        let kinetic = (u1 * u1 + v1 * v1 + u2 * u2 + v2 * v2 + u3 * u3 + v3 * v3) / 2.0;
        kinetic - 1.0 / (x1 - x2).hypot(y1 - y2) - 1.0 / (x1 - x3).hypot(y1 - y3) - 1.0 / (x2 - x3).hypot(y2 - y3)
    };
    rows.iter().map(energy).collect()
}

#[test]
fn figure_eight_by_its_period_has_its_energy() {
    let model = gallery_with("figure-eight-orbit", &[]);
    let solution = solve(&model, Some("galerkin(4)"), 60);
    // The virial theorem: action = -3 E T.
    assert!((solution.objective + 3.0 * ENERGY * PERIOD).abs() < 1e-7, "{}", solution.objective);
    for energy in energies(&solution) {
        assert!((energy - ENERGY).abs() < 1e-6, "{energy}");
    }
    let error = |steps: usize| (solve(&model, None, steps).objective + 3.0 * ENERGY * PERIOD).abs();
    assert_orders("action by midpoint", 2.0, 0.05, 90, error);
}

#[test]
fn figure_eight_by_its_energy_has_its_period() {
    // The integral of L + E is stationary in the duration too where the energy is E.
    let text = gallery::text("figure-eight-orbit").unwrap();
    let text = text.split("[expected]").next().unwrap();
    let text = text.replace("T = 6.32591398", &format!("E = {ENERGY}"));
    let text = text.replace("duration = \"T\"", "duration = { guess = 6 }");
    let text = text.replace("+ 1/d23\"", "+ 1/d23 + E\"");
    let solution = solve(&model(&text), Some("galerkin(4)"), 60);
    assert!((solution.duration - PERIOD).abs() < 1e-7, "{}", solution.duration);
}

#[test]
fn pendulum_between_two_angles_is_the_motion_of_shooting() {
    let model = gallery_with("pendulum-between", &[]);
    // th' at the end and the action, by shooting in SciPy to 1e-12.
    let (speed, action) = (1.81650898621, 9.197206284579);
    let at_end = |steps: usize| (columns(&solve(&model, None, steps), ["th'"])[steps][0] - speed).abs();
    assert_orders("midpoint", 2.0, 0.05, 25, at_end);
    let fourth = |steps: usize| (solve(&model, Some("galerkin(2)"), steps).objective - action).abs();
    assert_orders("galerkin(2)", 4.0, 0.2, 8, fourth);
}

#[test]
fn damped_motion_between_positions_is_no_action_but_a_motion() {
    // x'' = -x' from 0 to 1 - exp(-1) in unit time is 1 - exp(-t).
    let text = r#"
        coordinates.x = {}
        dynamics.lagrangian = "x'^2/2"
        friction.x = "-x'"
        boundary = { duration = 1.0, steps = 20, start = { x = 0 }, end = { x = "1 - exp(-1)" } }
    "#;
    let model = model(text);
    let error = |steps: usize| {
        let rows = columns(&solve(&model, None, steps), ["t", "x"]);
        rows.iter().map(|[t, x]| (x - 1.0 + (-t).exp()).abs()).fold(0.0, f64::max)
    };
    assert_orders("midpoint", 2.0, 0.05, 20, error);
}

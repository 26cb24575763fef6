//! The borders of what formulas are defined for.

use crate::harness::Edge;

/// x'' = 1/(2√x) from x = 1 at speed -3: ∫ 2u du/√(7 + 2u) over [0, 1] to where the root ends.
#[test]
fn a_root_ends_where_its_argument_does() {
    let model = "[coordinates]\nx = { start = 1.0, velocity = -3.0 }\n[dynamics]\nlagrangian = \"x'^2/2 + sqrt(x)\"\n";
    Edge { model, step: 0.001, until: 1.0 }.ends(14.0 * 7f64.sqrt() / 3.0 - 12.0);
}

/// x = 1 - t.
#[test]
fn a_declared_domain_is_a_border() {
    let model = "[coordinates]\nx = { start = 1.0, velocity = -1.0, domain = \"x > 0.5\" }\n[dynamics]\nlagrangian = \"x'^2/2\"\n";
    Edge { model, step: 0.01, until: 2.0 }.ends(0.5);
}

/// A relativistic particle under a constant force: x = (√(1 + (F t)²) - 1)/F, whose speed never reaches one.
#[test]
fn a_relativistic_particle_stays_below_the_speed_of_light() {
    let model = |force: f64| {
        format!("[coordinates]\nx = {{ start = 0.0 }}\n[dynamics]\nlagrangian = \"-sqrt(1 - x'^2) + {force}*x\"\n")
    };
    let exact = |force: f64, t: f64| ((1.0 + (force * t).powi(2)).sqrt() - 1.0) / force;
    Edge { model: &model(1.0), step: 0.01, until: 5.0 }.moves(&[("x", exact(1.0, 5.0))], 1e-3, "midpoint dop853");
    Edge { model: &model(10.0), step: 0.5, until: 10.0 }.moves(&[("x", exact(10.0, 10.0))], 0.2, "dop853");
}

/// A gas that pushes a piston out: L = x'²/2 - 1/x, from rest; by energy and Kepler's hyperbola, x = (1 + cosh η)/2 with
/// t = (η + sinh η) √(1/8).
#[test]
fn a_gas_that_expands_is_no_cause_for_alarm() {
    let model = "[coordinates]\nx = { start = 1.0, domain = \"x > 0\" }\n[dynamics]\nlagrangian = \"x'^2/2 - 1/x\"\n";
    let eta: f64 = 2.0;
    let until = (eta + eta.sinh()) / 8f64.sqrt();
    let exact = [("x", 0.5 * (1.0 + eta.cosh()))];
    Edge { model, step: until / 200.0, until }.moves(
        &exact,
        1e-3,
        "midpoint trapezoidal galerkin(2) energy-entropy rk4 gauss(2) dop853",
    );
}

/// A wall of finite height as a branch: above it the particle goes on at the speed that is left, √(2 (2 - 1)).
#[test]
fn a_step_of_the_potential_is_right_or_said() {
    let model =
        "[coordinates]\nx = { start = -1.0, velocity = 2.0 }\n[dynamics]\nlagrangian = \"x'^2/2 - if(x < 0, 0, 1)\"\n";
    // Half a unit of time to the wall, then √2 for half a unit.
    Edge { model, step: 0.01, until: 1.0 }.moves(&[("x", 2f64.sqrt() / 2.0)], 0.05, "");
}

//! Systems stated by their Hamiltonians, and reductions by cyclic coordinates, from the outside.

use extremal_testkit::program::{call, call_with_input, json};

/// Its momenta cannot be solved for.
const CRYSTAL: &str = r#"
[parameters]
a = 1
[coordinates]
x = { start = 0.5, momentum = 2 }
[dynamics]
hamiltonian = "-cos(p_x) - a*cos(x)"
[simulation]
method = "trapezoidal"
step = 0.1
until = 10
"#;

#[test]
fn a_hamiltonian_is_printed_run_analysed_and_compared() {
    let text = call_with_input(&["derive", "-"], CRYSTAL).succeeded();
    for line in ["H = -a*cos(x) - cos(p_x)", "x' = sin(p_x)", "p_x' = -a*sin(x)", "Discrete equations of trapezoidal"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    let text = call_with_input(&["run", "-"], CRYSTAL).succeeded();
    assert!(text.contains("explicit formulas, nothing to iterate"), "{text}");
    let text = call_with_input(&["analyze", "-"], CRYSTAL).succeeded();
    assert!(text.contains("energy = -a*cos(x) - cos(p_x)") && text.contains("proved by algebra"), "{text}");
    let text = call_with_input(&["compare", "-", "--methods", "trapezoidal,midpoint"], CRYSTAL).succeeded();
    assert!(text.contains("error p_x"), "{text}");
    let text = call_with_input(&["sweep", "-", "--vary", "p_x=1:2:3", "--vary", "a=1,2"], CRYSTAL).succeeded();
    assert!(text.contains("6: 6 finished"), "{text}");
}

#[test]
fn what_a_hamiltonian_cannot_do_is_said() {
    let refused = call_with_input(&["sweep", "-", "--vary", "x'=0:1:3"], CRYSTAL).failed_with(2);
    assert!(refused.contains("the start is stated by momenta, which determine the velocities"), "{refused}");
    let quadratic = CRYSTAL.replace("-cos(p_x)", "(1 + x^2)*p_x^2/2");
    let refused = call_with_input(&["sweep", "-", "--vary", "x=0:1:3"], &quadratic).failed_with(2);
    assert!(refused.contains("the start is stated by momenta, which have other velocities elsewhere"), "{refused}");
    let between = "[boundary]\nduration = 1\nstart = { x = 0.5 }\nend = { x = 1 }";
    let refused = call_with_input(&["solve", "-"], &format!("{CRYSTAL}{between}")).failed_with(2);
    assert!(refused.contains("a Hamiltonian whose momenta are coordinates"), "{refused}");
    let solved = CRYSTAL.replace("-cos(p_x)", "p_x^2/2").replace(", momentum = 2", "");
    call_with_input(&["solve", "-"], &format!("{solved}{between}")).succeeded();
}

#[test]
fn a_run_without_a_cyclic_angle_has_all_its_columns() {
    let run = json(&["run", "gallery:spherical-pendulum", "--reduce", "phi", "--method", "galerkin(3)", "--json"]);
    // By DOP853 of the whole system.
    assert!((run["end"]["q"]["phi"].as_f64().unwrap() - 34.84740184).abs() < 1e-5, "{run}");
    assert!((run["end"]["q"]["theta"].as_f64().unwrap() - 0.6884476129).abs() < 1e-5, "{run}");
    assert_eq!(run["invariants"]["rotation"]["max_drift"].as_f64().map(|drift| drift < 1e-15), Some(true), "{run}");
    let refused = call(&["run", "gallery:spherical-pendulum", "--reduce", "thta"]).failed_with(2);
    assert!(refused.contains("did you mean `theta`?"), "{refused}");
    let text = call(&["derive", "gallery:spherical-pendulum", "--form", "routh"]).succeeded();
    assert!(text.contains("phi' = p_phi/(l^2*m*sin(theta)^2)"), "{text}");
}

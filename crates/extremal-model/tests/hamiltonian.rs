//! `hamiltonian` in the place of a Lagrangian: the Lagrangian that belongs to it, starts by momenta, and what is wrong with them.

use extremal_model::Model;
use extremal_testkit::models::{model, text_of, value_at};

/// All messages and helps about a text.
fn problems(text: &str) -> String {
    let invalid = Model::from_toml(text).expect_err("nothing is wrong with it");
    invalid.render("test", false)
}

/// p·v − H at the velocities ∂H/∂p, by hand at one point.
#[test]
fn a_quadratic_hamiltonian_has_its_lagrangian() {
    let model = model(
        r#"
        parameters = { m = 2, B = 3 }
        coordinates = { x = 1, y = 0 }
        dynamics.hamiltonian = "(p_x + B*y)^2/(2*m) + (1 + x^2)*p_y^2/2 + p_x*p_y/4 + x*y"
        "#,
    );
    assert_eq!(model.momentum_coordinates(), 0);
    // At x = 2, y = 1 and p = (1, −1): u = (1 + 3)/2 − 1/4 = 7/4, w = −5 + 1/4 = −19/4, H = 4 + 5/2 − 1/4 + 2 = 33/4.
    let point = [("x", 2.0), ("y", 1.0), ("x'", 1.75), ("y'", -4.75)];
    let lagrangian = value_at(&model, model.lagrangian(), &point);
    assert!((lagrangian - (1.75 + 4.75 - 8.25)).abs() < 1e-14, "{lagrangian}");
}

#[test]
fn momenta_are_names_for_what_they_are_worth() {
    let model = model(
        r#"
        parameters.m = 2
        coordinates.x = { start = 1, momentum = "m^2" }
        definitions.twice = "2*p_x"
        dynamics.hamiltonian = "p_x^2/(2*m) + x^2/2"
        forces.x = "-p_x"
        invariants.I = "twice*x"
        "#,
    );
    assert_eq!(model.forces()[0].to_string(), "-m*x'");
    assert_eq!(text_of(&model, model.invariants()[0].expression), "2*m*x*x'");
    assert_eq!(model.initial().velocities, [2.0]);
}

#[test]
fn a_start_by_momenta_follows_the_parameters() {
    let mut model = model(
        r#"
        parameters.m = 2
        coordinates.x = { start = 1, momentum = 3 }
        dynamics.hamiltonian = "p_x^2/(2*m) + x*p_x"
        "#,
    );
    assert_eq!(model.initial().velocities, [2.5]);
    model.set_parameter("m", 4.0).unwrap();
    assert_eq!(model.initial().velocities, [1.75]);
}

#[test]
fn other_momenta_are_coordinates() {
    let family = model(
        r#"
        parameters.n = 3
        coordinates.q = { count = "n", start = "i", momentum = "i/2" }
        dynamics.hamiltonian = "sum(i, 1, n, sqrt(1 + p_q[i]^2)) + sum(i, 1, n - 1, (q[i + 1] - q[i])^4)"
        "#,
    );
    let names: Vec<&str> = family.coordinates().iter().map(|coordinate| coordinate.name.as_str()).collect();
    assert_eq!(names, ["q[1]", "q[2]", "q[3]", "p_q[1]", "p_q[2]", "p_q[3]"]);
    assert_eq!((family.momentum_coordinates(), family.initial().positions[4]), (3, 1.0));
    // Of lists, and with nothing said of momenta.
    let list =
        model("coordinates.q = { start = [1, 2] }\ndynamics.hamiltonian = \"cosh(p_q[1]) + cosh(p_q[2]) + q[1]*q[2]\"");
    assert_eq!(list.initial().positions, [1.0, 2.0, 0.0, 0.0]);
    // A direction without kinetic energy is no reason to stop.
    let linear = model("coordinates = { x = 1, y = 0 }\ndynamics.hamiltonian = \"p_x*y + p_y^2/2\"");
    assert_eq!(linear.momentum_coordinates(), 2);
}

#[test]
fn what_is_wrong_with_a_hamiltonian_is_said_where_it_stands() {
    let oscillator =
        |dynamics: &str, coordinate: &str| format!("[coordinates]\nx = {coordinate}\n[dynamics]\n{dynamics}\n");
    for (text, said) in [
        (
            oscillator("hamiltonian = \"p_x^2/2 + x'^2\"", "{ start = 1 }"),
            &["`x'` cannot be used in the Hamiltonian", "written by momenta"][..],
        ),
        (oscillator("hamiltonian = \"p_y^2/2 + x^2\"", "1"), &["unknown name `p_y`", "did you mean `p_x`?"]),
        (oscillator("hamiltonian = \"p_x^2\"\nlagrangian = \"x'^2\"", "1"), &["states the system twice"]),
        (oscillator("hamiltonain = \"p_x^2\"", "1"), &["did you mean `hamiltonian`?"]),
        (oscillator("lagrangian = \"x'^2\"", "{ start = 1, momentum = 2 }"), &["the system has a Lagrangian"]),
        (
            oscillator("hamiltonian = \"p_x^2 + x^2\"", "{ start = 1, momentum = 2, velocity = 1 }"),
            &["by velocities or by momenta, not by both"],
        ),
        (
            oscillator("hamiltonian = \"cosh(p_x)\"", "{ start = 1, momentum = 2, velocity = 1 }"),
            &["by velocities or by momenta, not by both"],
        ),
        (
            oscillator("hamiltonian = \"cosh(p_x) + x^2\"\n[forces]\np_x = \"1\"", "1"),
            &["`p_x` is a momentum; forces act on coordinates", "the force on `x`"],
        ),
        (oscillator("hamiltonian = \"p_x^2 + p_x'\"", "1"), &["p_x"]),
        (
            oscillator("hamiltonian = \"p_x^2 + e\"\n[definitions]\nd = \"2*p_x\"\ne = \"d'\"", "1"),
            &["`d'` cannot be used: it contains the rate of a momentum"],
        ),
        (
            oscillator("hamiltonian = \"p_x^2 + x^2\"\n[entropies]\nS = 1", "1"),
            &["the Hamiltonian does not contain the entropy `S`", "its temperature is dH/dS"],
        ),
        (
            format!("[parameters]\np_x = 1\n{}", oscillator("hamiltonian = \"p_x^2 + x^2\"", "1")),
            &["`p_x` is declared twice", "as a momentum here"],
        ),
    ] {
        let shown = problems(&text);
        for said in said {
            assert!(shown.contains(said), "{said} is not in\n{shown}");
        }
    }
}

#[test]
fn coordinates_to_reduce_by_are_checked() {
    let shown = problems(
        "coordinates = { x = 1, phi = 0 }\ndynamics.lagrangian = \"x'^2 + x^2*phi'^2\"\nsimulation.reduce = [\"phy\"]",
    );
    assert!(shown.contains("no coordinate `phy` to reduce by") && shown.contains("did you mean `phi`?"), "{shown}");
}

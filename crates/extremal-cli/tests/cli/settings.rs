//! Values given on the command line: starts, and expressions where numbers are wanted.

use extremal_testkit::program::{call, call_with_input, json};

const LINKED: &str = r#"
parameters = { w = 2.0, T = "2*pi/w" }
coordinates = { x = 1.0, y = "x/2" }
dynamics.lagrangian = "(x'^2 + y'^2 - w^2*(x^2 + y^2))/2"
simulation = { step = "T/1000", until = 1.0 }
"#;

#[test]
fn starts_are_set_and_the_others_follow() {
    let set = ["run", "-", "--set", "x=pi/4", "--set", "x'=2*w", "--until", "1e-9", "--step", "1e-9", "--json"];
    let end = call_with_input(&set, LINKED).json()["end"].clone();
    let near = |value: &serde_json::Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-8;
    // In a step of 1e-9 nothing moves by more than 4e-9.
    assert!(near(&end["q"]["x"], std::f64::consts::FRAC_PI_4), "{end}");
    assert!(near(&end["q"]["y"], std::f64::consts::FRAC_PI_4 / 2.0), "{end}");
    assert!(near(&end["v"]["x"], 4.0), "{end}");
}

#[test]
fn the_step_and_the_end_are_expressions_of_parameters() {
    let report = call_with_input(&["run", "-", "--step", "T/200", "--until", "10*T", "--json"], LINKED).json();
    assert_eq!(report["steps"], 2000);
    // 2000 steps of T/200, each rounded once.
    let end = report["end"]["t"].as_f64().unwrap() / (10.0 * std::f64::consts::PI);
    assert!((end - 1.0).abs() < 2.0 * f64::EPSILON, "{end}");
    assert_eq!(json(&["run", "gallery:pendulum", "--step", "pi/100", "--json"])["step"], std::f64::consts::PI / 100.0);
    let unknown = call_with_input(&["run", "-", "--until", "10*period"], LINKED).failed_with(2);
    assert!(unknown.contains("unknown name `period`") && unknown.contains("set to `10*period`"), "{unknown}");
    let misspelt = call_with_input(&["run", "-", "--until", "10 T"], LINKED).failed_with(2);
    assert!(misspelt.contains("an operator is missing"), "{misspelt}");
}

#[test]
fn ends_of_a_sweep_follow_what_varies() {
    let sweep = ["sweep", "-", "--vary", "w=1:2:2", "--until", "2*T", "--json"];
    let summary = call_with_input(&sweep, LINKED).json().to_string();
    assert!(summary.contains("12.566370614359"), "{summary}");
    assert!(summary.contains("6.283185307179"), "{summary}");
    let alone = call_with_input(&["sweep", "-", "--vary", "x=0:1:3"], LINKED).failed_with(2);
    assert!(alone.contains("the start of `y` follows it"), "{alone}");
}

/// Members are not written out because their number is given on the command line.
#[test]
fn a_number_of_members_that_is_set_leaves_them_alike() {
    for (model, said) in [
        ("gallery:softened-cluster", "4950 pairs by the formulas of one"),
        ("gallery:fermi-pasta-ulam", "100 members by the formulas of one"),
    ] {
        let summary = call(&["run", model, "--set", "n=100", "--steps", "5"]).succeeded();
        assert!(summary.contains(said), "{summary}");
    }
}

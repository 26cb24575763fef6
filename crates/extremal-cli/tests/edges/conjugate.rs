//! Curves between two ends, before, at and beyond a conjugate point: L = q'²/2 - q²/2 has them π apart.

use crate::harness::{Verdict, call};

fn between(duration: f64, end: f64) -> Verdict {
    let model = format!(
        "[coordinates]\nq = {{}}\n[dynamics]\nlagrangian = \"q'^2/2 - q^2/2\"\n[boundary]\nduration = {duration}\nsteps = 400\n\
         start = {{ q = 0.0 }}\nend = {{ q = {end} }}\n"
    );
    call(&["solve", "-", "--json"], &model)
}

/// What kind of stationary point it is said to be.
fn nature(verdict: &Verdict) -> String {
    verdict.json.as_ref().and_then(|json| json["nature"].as_str()).unwrap_or("none").to_string()
}

/// The value in the middle.
fn middle(verdict: &Verdict) -> f64 {
    verdict.json.as_ref().and_then(|json| json["columns"]["q"][200].as_f64()).unwrap_or(f64::NAN)
}

#[test]
fn before_the_conjugate_point_the_curve_is_a_minimum() {
    let verdict = between(3.0, 1.0);
    assert_eq!((verdict.code, nature(&verdict).as_str()), (0, "minimum"), "{}", verdict.stderr);
    assert!((middle(&verdict) - 1.5f64.sin() / 3f64.sin()).abs() < 1e-3, "{}", middle(&verdict));
}

#[test]
fn beyond_the_conjugate_point_it_is_stationary_and_no_minimum() {
    let verdict = between(4.0, 1.0);
    assert_eq!(verdict.code, 0, "{}", verdict.stderr);
    assert_ne!(nature(&verdict), "minimum");
    assert!((middle(&verdict) - 2f64.sin() / 4f64.sin()).abs() < 1e-3, "{}", middle(&verdict));
}

/// No curve reaches 1 after π: what is found has no meaning.
#[test]
fn at_the_conjugate_point_nothing_is_called_a_minimum_in_silence() {
    let verdict = between(std::f64::consts::PI, 1.0);
    let warned =
        verdict.json.as_ref().is_some_and(|json| json["warnings"].as_array().is_some_and(|list| !list.is_empty()));
    assert!(verdict.code != 0 || warned, "{:?}", verdict.json);
    assert_ne!(nature(&verdict), "minimum");
}

/// 1/sin(3.139) is 386, and a grid of 400 steps is off by almost a percent of it. Verified means within two.
#[test]
fn close_to_the_conjugate_point_the_answer_is_right_or_said() {
    let verdict = between(3.139, 1.0);
    let exact = 1.5695f64.sin() / 3.139f64.sin();
    let right = (middle(&verdict) / exact - 1.0).abs() < 0.02;
    let warned =
        verdict.json.as_ref().is_some_and(|json| json["warnings"].as_array().is_some_and(|list| !list.is_empty()));
    assert!(right || verdict.code != 0 || warned, "{} for {exact}", middle(&verdict));
}

//! `[stop]`: where a run ends is located, not only the step in which it happens.

use std::f64::consts::PI;

use extremal_testkit::models::model;
use extremal_testkit::numbers::measured_order;
use extremal_testkit::runs::{attempt, attempt_text, with};

const G: f64 = 9.81;

/// A throw with drag `c`; `stop` is the content of the table.
fn throw(c: f64, stop: &str, step: f64) -> String {
    format!(
        r#"
        [parameters]
        c = {c}
        [coordinates]
        x = {{ start = 0.0, velocity = 10.0 }}
        y = {{ start = 1.5, velocity = 12.0 }}
        [dynamics]
        lagrangian = "(x'^2 + y'^2)/2 - {G}*y"
        [friction]
        x = "-c*x'"
        y = "-c*y'"
        [stop]
        {stop}
        [simulation]
        method = "midpoint"
        step = {step}
        until = 10.0
        "#
    )
}

/// When a throw from height 1.5 upwards with speed 12 comes down to `height`, without drag.
fn fall_to(height: f64) -> f64 {
    (12.0 + f64::sqrt(144.0 + 2.0 * G * (1.5 - height))) / G
}

/// Landing with drag c, by Newton on the closed form: time and place.
fn landing_with_drag(c: f64) -> (f64, f64) {
    let mut t = fall_to(0.0);
    for _ in 0..50 {
        let decay = (-c * t).exp();
        let y = 1.5 + (12.0 + G / c) / c * (1.0 - decay) - G * t / c;
        let slope = (12.0 + G / c) * decay - G / c;
        t -= y / slope;
    }
    (t, 10.0 / c * (1.0 - (-c * t).exp()))
}

#[test]
fn free_fall_ends_at_the_closed_form_to_round_off() {
    // The midpoint rule is exact here, so nothing but round-off is left: of a hundred additions of heights up to 9, over
    // a landing speed of 13.
    for step in [0.02, 0.3, 5.0] {
        let run = attempt_text(&throw(0.0, r#"ground = { when = "y", direction = "falling" }"#, step));
        assert_eq!(run.stopped_by(), "ground");
        let t = fall_to(0.0);
        let allowed = 200.0 * f64::EPSILON * 9.0;
        assert!((run.outcome.time - t).abs() <= allowed, "{} instead of {t}", run.outcome.time);
        assert!((run.last("x") - 10.0 * t).abs() <= 20.0 * allowed);
        assert!(run.last("y").abs() <= 20.0 * allowed);
        assert_eq!(run.last("t"), run.outcome.time);
        assert_eq!(run.column("t").len() as u64, run.outcome.steps + 1);
    }
}

#[test]
fn landing_with_drag_has_the_order_of_the_method() {
    let (t, x) = landing_with_drag(0.2);
    let model = model(&throw(0.2, r#"ground = { when = "y", direction = "falling" }"#, 0.02));
    let (mut times, mut places) = (Vec::new(), Vec::new());
    for h in [0.1, 0.05, 0.025, 0.0125] {
        let run = attempt(&model, &with(&model, "midpoint", h));
        times.push((h, (run.outcome.time - t).abs()));
        places.push((h, (run.last("x") - x).abs()));
    }
    for points in [times, places] {
        let order = measured_order(&points, 1e-12);
        assert!((order - 2.0).abs() < 0.15, "order {order}, {points:?}");
    }
}

#[test]
fn adaptive_methods_locate_events_too() {
    let (t, x) = landing_with_drag(0.2);
    let model = model(&throw(0.2, r#"ground = { when = "y", direction = "falling" }"#, 0.02));
    for (method, step) in [("dop853", 0.02), ("dop853", 0.7), ("dopri5", 0.1)] {
        // Tolerance 1e-12 per step, relative to heights and distances of about 20, over some hundred steps.
        let run = attempt(&model, &with(&model, method, step));
        assert_eq!(run.stopped_by(), "ground");
        assert!((run.outcome.time - t).abs() < 1e-9, "{method}: {} instead of {t}", run.outcome.time);
        assert!((run.last("x") - x).abs() < 1e-9, "{method}: {} instead of {x}", run.last("x"));
        assert!(run.last("y").abs() < 1e-9);
    }
}

#[test]
fn the_earliest_of_several_events_in_one_step_counts() {
    let (low, high) = (r#"low = { when = "y - 0.5" }"#, r#"high = { when = "y - 1" }"#);
    for stop in [format!("{low}\n{high}"), format!("{high}\n{low}")] {
        // Both heights are passed on the way down in the step from 2.4 to 3.2.
        let run = attempt_text(&throw(0.0, &stop.replace(" }", ", direction = \"falling\" }"), 0.8));
        assert_eq!(run.stopped_by(), "high");
        assert!((run.outcome.time - fall_to(1.0)).abs() < 1e-13);
    }
}

/// x = sin(t + phase), observed by an accurate method.
fn oscillator(start: f64, velocity: f64, stop: &str) -> String {
    format!(
        r#"
        coordinates.x = {{ start = {start}, velocity = {velocity} }}
        dynamics.lagrangian = "x'^2/2 - x^2/2"
        stop.zero = {stop}
        simulation = {{ method = "dop853", step = 0.1, until = 20.0 }}
        "#
    )
}

#[test]
fn directions_choose_among_crossings() {
    // cos t falls through zero at π/2 and rises at 3π/2; its velocity -sin t starts on zero, falls at once, rises
    // through zero at π.
    let from_rest = [
        (r#""x""#, PI / 2.0),
        (r#"{ when = "x", direction = "any" }"#, PI / 2.0),
        (r#"{ when = "x", direction = "falling" }"#, PI / 2.0),
        (r#"{ when = "x", direction = "rising" }"#, 1.5 * PI),
        (r#"{ when = "x'", direction = "any" }"#, PI),
        (r#"{ when = "x'", direction = "falling" }"#, 2.0 * PI),
        (r#"{ when = "t - 2.345" }"#, 2.345),
    ];
    for (stop, expected) in from_rest {
        let run = attempt_text(&oscillator(1.0, 0.0, stop));
        assert_eq!(run.stopped_by(), "zero");
        // A hundred adaptive steps at 1e-12.
        assert!((run.outcome.time - expected).abs() < 1e-10, "{stop}: {} not {expected}", run.outcome.time);
    }
}

#[test]
fn a_start_on_zero_is_no_event() {
    for (direction, expected) in [("any", PI), ("falling", PI), ("rising", 2.0 * PI)] {
        let stop = format!(r#"{{ when = "x", direction = "{direction}" }}"#);
        let run = attempt_text(&oscillator(0.0, 1.0, &stop));
        assert!((run.outcome.time - expected).abs() < 1e-10, "{direction}: {}", run.outcome.time);
    }
}

#[test]
fn events_on_a_step_boundary_and_in_the_last_shorter_step_are_found() {
    let uniform = |zero: &str| {
        format!(
            r#"
            coordinates.x = {{ start = -1.0, velocity = 1.0 }}
            dynamics.lagrangian = "x'^2/2"
            stop.there = "{zero}"
            simulation = {{ method = "midpoint", step = 0.25, until = 1.9 }}
            "#
        )
    };
    let boundary = attempt_text(&uniform("x"));
    assert_eq!((boundary.outcome.time, boundary.outcome.steps, boundary.last("x")), (1.0, 4, 0.0));
    let late = attempt_text(&uniform("x - 0.8125"));
    assert_eq!(late.stopped_by(), "there");
    assert!((late.outcome.time - 1.8125).abs() < 4.0 * f64::EPSILON);
    let beyond = attempt_text(&uniform("x - 0.95"));
    assert_eq!(beyond.outcome.end, extremal_engine::run::End::Reached);
}

#[test]
fn composed_and_inner_stage_methods_locate_events() {
    // x = cos t falls through zero at π/2.
    let text = oscillator(1.0, 0.0, r#""x""#);
    let model = model(&text);
    for (method, allowed) in [("compose(kahan-li8, trapezoidal)", 1e-11), ("galerkin(3)", 1e-9), ("gauss(3)", 1e-9)] {
        // At h = 0.1 the errors are h⁸ and h⁶ with constants below 1e-3.
        let run = attempt(&model, &with(&model, method, 0.1));
        assert!((run.outcome.time - PI / 2.0).abs() < allowed, "{method}: {:e}", run.outcome.time - PI / 2.0);
    }
}

//! Dry friction: sliding, sticking, and a jump in a force that is written out.

use crate::harness::Edge;

/// The methods with a step for dry friction; the others refuse it.
const STICKING: &str = "midpoint trapezoidal";

fn sliding(velocity: f64, push: &str, bound: &str) -> String {
    format!(
        "[coordinates]\nx = {{ start = 0.0, velocity = {velocity} }}\n[dynamics]\nlagrangian = \"x'^2/2 + ({push})*x\"\n[friction]\n\
         x = {{ dry = \"{bound}\" }}\n"
    )
}

/// v0²/(2 mu g), up to mu g h²/8 in the step in which it stops, and not a hair further however long one waits.
#[test]
fn a_block_slides_and_stays() {
    let exact = 4.0 / (2.0 * 2.943);
    Edge { model: &sliding(2.0, "0", "2.943"), step: 0.01, until: 50.0 }.moves(&[("x", exact)], 4e-5, STICKING);
}

/// Below the bound nothing moves at all.
#[test]
fn a_block_that_is_pushed_too_weakly_rests() {
    Edge { model: &sliding(0.0, "2.9", "2.943"), step: 0.01, until: 10.0 }.moves(&[("x", 0.0)], 0.0, STICKING);
}

/// Above it the rest of the push accelerates: x = (F - B) t²/2, which both methods follow exactly.
#[test]
fn a_block_that_is_pushed_hard_enough_slides_off() {
    Edge { model: &sliding(0.0, "4", "3"), step: 0.01, until: 3.0 }.moves(&[("x", 4.5)], 1e-9, STICKING);
}

/// Turns come nearer by 2 B/k each: 1, -0.78, 0.56, -0.34, 0.12, and from there to -(0.12 - 0.22) = 0.10, within B/k = 0.11:
/// it sticks there. Each of the six turns is missed by less than k h²/8, and hands that on.
#[test]
fn an_oscillator_sticks_where_the_spring_is_too_weak() {
    let model = "[coordinates]\nx = { start = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2 - 10*x^2/2\"\n[friction]\nx = { dry = \"1.1\" }\n";
    Edge { model, step: 0.001, until: 20.0 }.moves(&[("x", stuck(1.0, 0.11))], 1e-5, STICKING);
}

/// Where turns that shrink by 2 b each end within b of the middle.
fn stuck(start: f64, b: f64) -> f64 {
    let mut x: f64 = start;
    while x.abs() > b {
        x = -(x - 2.0 * b * x.signum());
    }
    x
}

/// A belt at speed one takes the block along: mu g t²/2 until it is as fast, after 1/3 of a unit of time; that step misses B h²/8.
#[test]
fn a_belt_takes_a_block_along() {
    let model = "[coordinates]\nx = { start = 0.0, velocity = 0 }\n[dynamics]\nlagrangian = \"x'^2/2\"\n[friction]\n\
                 x = { dry = \"3\", along = \"x' - 1\" }\n";
    Edge { model, step: 0.01, until: 5.0 }.moves(&[("x", 5.0 - 1.0 / 6.0)], 4e-5, STICKING);
}

/// The force written out as a jump is no set-valued law: wherever it would stick there is no next state, and that is said; what is
/// not said is right.
#[test]
fn a_jump_is_never_left_out() {
    let model = "[coordinates]\nx = { start = 1.0 }\n[dynamics]\nlagrangian = \"x'^2/2 - 10*x^2/2\"\n[friction]\n\
                 x = \"-2.943*sign(x')\"\n";
    Edge { model, step: 0.001, until: 5.0 }.moves(&[("x", stuck(1.0, 0.2943))], 0.05, "");
}

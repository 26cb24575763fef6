//! Forces and Lagrangians that break: `sign`, `abs`, `if`. Their derivatives vanish or are constant almost everywhere, and they are
//! not affine for that.

use extremal_engine::solve::Reason;
use extremal_testkit::models::model;
use extremal_testkit::runs::{Lasting, attempt, record, with};

/// x'' = -10 x - f sign(x') from x = 1, x' = -1: about c = f/10 while x' < 0.
fn before_the_turn(t: f64) -> f64 {
    let (c, omega) = (0.2943, 10f64.sqrt());
    c + (1.0 - c) * (omega * t).cos() - (omega * t).sin() / omega
}

/// The same friction, said in ways of which no derivative by the velocity tells anything.
const JUMPS: [&str; 4] = [
    "-2.943*sign(x')",
    "if(x' < 0, 2.943, -2.943)",
    "if(0 < x', -2.943, if(x' < 0, 2.943, 0))",
    "2.943*max(-1, min(1, -1e9*x'))",
];

fn sliding(friction: &str) -> extremal_engine::Model {
    model(&format!(
        "[coordinates]\nx = {{ start = 1.0, velocity = -1.0 }}\n[dynamics]\nlagrangian = \"x'^2/2 - 10*x^2/2\"\n\
         [friction]\nx = \"{friction}\"\n[simulation]\nstep = 0.001\nuntil = 0.5\n"
    ))
}

#[test]
fn a_force_that_jumps_with_the_velocity_acts_with_every_method() {
    // Errors of order h² are below h² ω² times the motion, 1e-5; those of order h below ten times h.
    let second = ["midpoint", "trapezoidal", "compose(suzuki4, midpoint)", "compose(kahan-li8, trapezoidal)"];
    let others = ["rk2", "rk4", "gauss(2)", "galerkin(2)", "energy-entropy", "dop853"];
    let methods = second.iter().chain(&others).map(|method| (*method, 1e-5));
    for friction in JUMPS {
        let sliding = sliding(friction);
        for (method, tolerance) in methods.clone().chain([("left", 1e-2), ("right", 1e-2)]) {
            let run = record(&sliding, &with(&sliding, method, 0.001));
            let error = (run.last("x") - before_the_turn(0.5)).abs();
            assert!(error < tolerance, "{friction} {method}: off by {error:e}");
        }
    }
}

#[test]
fn a_step_in_which_the_body_would_stick_has_no_state_and_is_not_invented() {
    // After the turn near t = 0.88 |10 x| > 2.943 may hold or not; by t = 5 the body is stuck, where sign(x') has no value to offer.
    let sliding = sliding("-2.943*sign(x')");
    for method in ["midpoint", "trapezoidal", "left", "gauss(2)", "compose(suzuki4, midpoint)"] {
        attempt(&sliding, &with(&sliding, method, 0.001).until(5.0)).failure(method);
    }
}

/// Where it should stick there is no step; that the force jumps is said, and what to write instead, wherever and however it is stated.
#[test]
fn a_stop_at_a_force_that_jumps_points_to_dry_friction() {
    let statements = [
        "[friction]\nx = \"-2.943*sign(x')\"",
        "[forces]\nx = \"-2.943*sign(x')\"",
        "[definitions]\ndirection = \"sign(x')\"\n[forces]\nx = \"-2.943*direction\"",
        "[forces]\nx = \"if(x' > 0, -2.943, 2.943)\"",
        "[friction]\nx = \"2.943*if(x' > 0, -1, if(x' < 0, 1, 0))\"",
    ];
    for statement in statements {
        let block = model(&format!(
            "[coordinates]\nx = {{ start = 1.0 }}\n[dynamics]\nlagrangian = \"x'^2/2 - 10*x^2/2\"\n{statement}\n[simulation]\n\
             step = 0.001\nuntil = 5\n"
        ));
        for method in ["midpoint", "galerkin(2)"] {
            let run = attempt(&block, &with(&block, method, 0.001));
            let failure = run.failure(statement);
            let Reason::JumpingForce { jump, help, .. } = &failure.reason else { panic!("{statement}: {failure}") };
            assert!(jump.contains("on `x` jumps") && help.contains("x = { dry ="), "{failure}");
            assert_eq!(failure.shorter, None, "a shorter step does not help either");
        }
    }
    // What is smooth at rest is no jump: drag with the square of the speed.
    for smooth in ["-x'*abs(x')", "-sign(x')*x'^2", "if(x' > 0, -x'^2, x'^2)", "if(x > 0, -1, 1)"] {
        assert_eq!(sliding(smooth).warnings(), [], "{smooth}");
    }
}

//! Problems of the collections of other programs, stated directly and solved from straight lines. The numbers are those that CasADi with
//! IPOPT finds for the same transcription: the implicit midpoint rule, states at the nodes, a control in each step.

use extremal_engine::boundary::Status;
use extremal_testkit::boundary::{attempt, problem};
use extremal_testkit::models::model;

/// The cost of a problem, its duration with it, must be that of the other program, which stops at 1e-10 and lets bounds go by 1e-8.
fn costs(text: &str, cost: f64, slack: f64) {
    let model = model(text);
    let solution = attempt(&problem(&model, None), None);
    assert_eq!(solution.status, Status::Optimal, "{:?}", solution.violations);
    assert!((solution.objective / cost - 1.0).abs() < slack, "{} instead of {cost}", solution.objective);
}

#[test]
fn a_rocket_is_steered_in_least_time() {
    costs(
        r#"
        states = { x = { rate = "vx" }, y = { rate = "vy" }, vx = { rate = "100*cos(u)" }, vy = { rate = "100*sin(u)" } }
        controls.u = { min = "-pi/2", max = "pi/2" }
        objective.running = "1"
        boundary = { duration = { min = 0.1, guess = 1 }, steps = 50, start = { x = 0, y = 0, vx = 0, vy = 0 }, end = { y = 5, vx = 45, vy = 0 } }
    "#,
        0.5545954641843541,
        1e-7,
    );
}

#[test]
fn a_robot_arm_turns_in_least_time() {
    costs(
        r#"
        parameters.L = 5
        definitions.inertia = "((L - r)^3 + r^3)/3"
        states = { r = { rate = "vr" }, a = { rate = "va" }, b = { rate = "vb" }, vr = { rate = "ur/L" }, va = { rate = "ua/(inertia*sin(b)^2)" }, vb = { rate = "ub/inertia" } }
        controls = { ur = { min = -1, max = 1 }, ua = { min = -1, max = 1 }, ub = { min = -1, max = 1 } }
        objective.running = "1"
        [boundary]
        duration = { min = 0.1, guess = 1 }
        steps = 100
        start = { r = 4.5, a = 0, b = "pi/4", vr = 0, va = 0, vb = 0 }
        end = { r = 4.5, a = "2*pi/3", b = "pi/4", vr = 0, va = 0, vb = 0 }
        path = { r = { min = 0, max = 5 }, a = { min = "-pi", max = "pi" }, b = { min = 0, max = "pi" } }
    "#,
        9.140845105685917,
        1e-7,
    );
}

#[test]
fn a_glider_finds_the_thermal_without_a_guess() {
    costs(
        r#"
        parameters = { m = 100, g = 9.81, c0 = 0.034, c1 = 0.069662, S = 14, rho = 1.13 }
        definitions = { r = "(x/100 - 2.5)^2", w = "vy - 2.5*(1 - r)*exp(-r)", v = "sqrt(vx^2 + w^2)", q = "rho*S*v^2/2" }
        controls.cL = { min = 0, max = 1.4 }
        objective.terminal = "-x"
        [states]
        x = { rate = "vx" }
        y = { rate = "vy" }
        vx = { rate = "-(cL*q*w + (c0 + c1*cL^2)*q*vx)/(v*m)" }
        vy = { rate = "(cL*q*vx - (c0 + c1*cL^2)*q*w)/(v*m) - g" }
        [boundary]
        duration = { min = 1, max = 200 }
        steps = 100
        start = { x = 0, y = 1000, vx = 13.23, vy = -1.288 }
        end = { y = 900, vx = 13.23, vy = -1.288 }
        path = ["x >= 0", "vx >= 0"]
    "#,
        -1247.701403361927,
        1e-7,
    );
}

#[test]
fn a_catalyst_is_mixed() {
    costs(
        r#"
        states = { a = { rate = "-u*(a - 10*b)" }, b = { rate = "u*(a - 10*b) - (1 - u)*b" }, c = { rate = "(1 - u)*b" } }
        controls.u = { min = 0, max = 1 }
        objective.terminal = "-c"
        boundary = { duration = 4, steps = 100, start = { a = 1, b = 0, c = 0 } }
    "#,
        -0.19191185526351312,
        1e-7,
    );
}

#[test]
fn a_beam_under_a_ceiling() {
    costs(
        r#"
        states = { x = { rate = "v" }, v = { rate = "u" } }
        controls.u = {}
        objective.running = "u^2"
        boundary = { duration = 1, steps = 100, start = { x = 0, v = 1 }, end = { x = 0, v = -1 }, path = { x = { min = 0, max = 0.1 } } }
    "#,
        8.891358383039984,
        // The ceiling of the other program is higher by 1e-8, which costs 180 times that.
        5e-7,
    );
}

#[test]
fn a_hanging_chain_has_the_least_height() {
    // The catenary: cosh((t - t0)/c)*c + l with length 4 between heights 1 and 3 has the moment 5.068480 about the ground; the midpoint rule
    // on 100 steps is above it by less than 1e-4 of itself.
    costs(
        r#"
        states = { x = { rate = "u" }, moment = { rate = "x*sqrt(1 + u^2)" }, length = { rate = "sqrt(1 + u^2)" } }
        controls.u = { min = -10, max = 20 }
        objective.terminal = "moment"
        boundary = { duration = 1, steps = 100, start = { x = 1, moment = 0, length = 0 }, end = { x = 3, length = 4 } }
    "#,
        5.0684801,
        1e-4,
    );
}

//! Dry friction against closed forms: blocks that slide and stop, oscillators that come to rest, belts, contacts of two bodies.

use extremal_engine::derive::{Form, derive};
use extremal_engine::model::Start;
use extremal_engine::{CompiledRun, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::order_of;
use extremal_testkit::runs::{Lasting, attempt, gallery, record, with};

const METHODS: [&str; 2] = ["midpoint", "trapezoidal"];

fn text(coordinates: &str, lagrangian: &str, rest: &str) -> String {
    format!("[coordinates]\n{coordinates}\n[dynamics]\nlagrangian = \"{lagrangian}\"\n{rest}\n")
}

#[test]
fn a_block_slides_stops_where_it_should_and_stays_to_the_last_bit() {
    let (mu_g, v0) = (0.3 * 9.81, 2.0);
    let block = model(&text("x = { start = 0.1, velocity = 2 }", "x'^2/2", "[friction]\nx = { dry = \"0.3*9.81\" }"));
    for method in METHODS {
        for h in [0.1, 0.01, 0.001] {
            let run = record(&block, &with(&block, method, h).until(2.0));
            // Before the step in which it stops everything is exact; there, from v = mu g s with s < h, it moves h (v - mu g h/2) or not
            // at all instead of v^2/(2 mu g): that misses at most mu g h²/8.
            let error = (run.last("x") - 0.1 - v0 * v0 / (2.0 * mu_g)).abs();
            assert!(error <= mu_g * h * h / 8.0 + 1e-12, "{method} {h}: {error:e}");
            let stop = v0 / mu_g;
            let (t, x, v, f) = (run.column("t"), run.column("x"), run.column("x'"), run.column("f_x"));
            for row in 0..t.len() {
                if t[row] < stop - 1e-9 {
                    assert!(
                        (v[row] - (v0 - mu_g * t[row])).abs() < 1e-12 && f[row] == -mu_g,
                        "{method} {h} {}",
                        t[row]
                    );
                } else if t[row] > stop + h {
                    assert_eq!((v[row], f[row]), (0.0, 0.0), "{method} {h} {}", t[row]);
                    assert_eq!(x[row], run.last("x"));
                }
            }
        }
    }
}

fn incline(alpha: f64, v0: f64) -> extremal_engine::Model {
    model(&format!(
        "[parameters]\nalpha = {alpha}\n{}",
        text(
            &format!("x = {{ start = 0.3, velocity = {v0} }}\ny = {{ start = 0 }}"),
            "2*(x'^2 + y'^2)/2 - 2*9.81*(x*sin(alpha) + y*cos(alpha))",
            "[constraints]\nfloor = \"y = 0\"\n[friction]\nx = { dry = \"0.5*abs(lambda_floor)\" }",
        )
    ))
}

#[test]
fn a_block_on_an_incline_sticks_up_to_the_angle_of_friction() {
    // tan(alpha) = 0.5 at 0.46365.
    for method in METHODS {
        let steep = incline(0.47, 0.0);
        let run = record(&steep, &with(&steep, method, 0.01).until(1.0));
        let a = 9.81 * (0.47f64.sin() - 0.5 * 0.47f64.cos());
        // The acceleration is constant, and both methods are exact then.
        assert!((run.last("x") - 0.3 + a / 2.0).abs() <= 1e-12, "{method}");
        assert!((run.last("x'") + a).abs() < 1e-12);
        let flat = incline(0.46, 0.0);
        let run = record(&flat, &with(&flat, method, 0.01).until(1.0));
        assert!(run.column("x").iter().all(|x| *x == 0.3) && run.column("x'").iter().all(|v| *v == 0.0));
        let weight = 2.0 * 9.81;
        assert!((run.last("lambda_floor") - weight * 0.46f64.cos()).abs() < 1e-13);
        assert!((run.last("f_x") - weight * 0.46f64.sin()).abs() < 1e-13);
    }
}

#[test]
fn what_sticks_stays_for_a_hundred_thousand_steps() {
    let flat = incline(0.46, 0.0);
    let settings = with(&flat, "midpoint", 0.01).steps(100_000);
    let run = CompiledRun::new(&flat, &settings).unwrap();
    let mut motion = run.begin().unwrap();
    for _ in 0..100_000 {
        motion.advance().unwrap();
    }
    assert_eq!(motion.state(), [0.3, 0.0, 0.0, 0.0]);
}

fn oscillator() -> extremal_engine::Model {
    model(&text("x = { start = 1, velocity = 0 }", "x'^2/2 - 10*x^2/2", "[friction]\nx = { dry = \"0.367875\" }"))
}

#[test]
fn an_oscillator_loses_the_same_amplitude_each_half_swing_and_sticks_in_the_band() {
    let c = 0.0367875;
    for method in ["midpoint", "trapezoidal"] {
        let run = record(&oscillator(), &with(&oscillator(), method, 0.004).until(16.0));
        let (x, v, e) = (run.column("x"), run.column("x'"), run.column("energy"));
        let mut turns = Vec::new();
        for row in 1..x.len() {
            if v[row - 1] * v[row] < 0.0 || (v[row] == 0.0 && v[row - 1] != 0.0) {
                turns.push(x[row]);
            }
            // Midpoint conserves the energy of an oscillator, so that all of its change is friction's.
            let rise = e[row] - e[row - 1];
            assert!(method != "midpoint" || rise <= 1e-14, "row {row}: {rise:e}");
        }
        // Each turn is missed by less than h² 10/8, and hands that on to the next; it is seen up to a step late, h² 10/2 from there.
        assert_eq!(turns.len(), 14, "{turns:?}");
        for (n, turn) in (1..).zip(&turns) {
            let expected = (1.0 - 2.0 * c * f64::from(n)) * if n % 2 == 0 { 1.0 } else { -1.0 };
            assert!(
                (turn - expected).abs() < 8e-5 + 2e-5 * f64::from(n),
                "{method}: turn {n} at {turn}, not {expected}"
            );
        }
        assert_eq!(run.last("x'"), 0.0);
        assert!((run.last("f_x") - 10.0 * run.last("x")).abs() < 1e-14, "it holds against the spring");
    }
}

#[test]
fn slides_have_order_two() {
    // Until t = 0.9 it has not turned: x = c + (1 - c) cos(w t).
    let (c, omega) = (0.0367875, 10f64.sqrt());
    for method in ["midpoint", "trapezoidal"] {
        let order = order_of(method, 0.03, 1e-12, |h| {
            let run = record(&oscillator(), &with(&oscillator(), method, h).until(0.9));
            (run.last("x") - c - (1.0 - c) * (omega * 0.9).cos()).abs()
        });
        assert!((order - 2.0).abs() < 0.05, "{method}: {order}");
    }
}

#[test]
fn a_pendulum_with_dry_friction_in_the_joint_follows_the_smooth_motion_between_turns() {
    let joint =
        model(&text("a = { start = 1, velocity = 0 }", "a'^2/2 + cos(a)", "[friction]\na = { dry = \"0.05\" }"));
    // It swings back with a' < 0, where the friction is the constant 0.05.
    let pushed = model(&text("a = { start = 1, velocity = 0 }", "a'^2/2 + cos(a)", "[forces]\na = \"0.05\""));
    let reference = record(&pushed, &with(&pushed, "dop853", 0.1).until(3.0));
    let order = order_of("joint", 0.1, 1e-12, |h| {
        let run = record(&joint, &with(&joint, "midpoint", h).until(3.0));
        (run.last("a") - reference.last("a")).abs()
    });
    assert!((order - 2.0).abs() < 0.1, "{order}");
    let rest = record(&joint, &with(&joint, "midpoint", 0.02).until(80.0));
    assert!(rest.last("a'") == 0.0 && rest.last("a").sin().abs() <= 0.05);
    assert!((rest.last("f_a") - rest.last("a").sin()).abs() < 1e-15, "it holds against the weight");
}

#[test]
fn a_belt_carries_a_block_and_loses_it_at_the_static_bound() {
    let belt = model(&text(
        "x = { start = 0, velocity = 0.5 }",
        "x'^2/2 - 4*x^2/2",
        "[friction]\nx = { dry = \"1\", static = \"1.5\", along = \"x' - 0.5\" }",
    ));
    let h = 0.005;
    let run = record(&belt, &with(&belt, "midpoint", h).until(20.0));
    let (t, x, v, f) = (run.column("t"), run.column("x"), run.column("x'"), run.column("f_x"));
    let left = v.iter().position(|v| *v != 0.5).unwrap();
    assert!((t[left] - 0.75).abs() <= 2.0 * h, "it leaves at 4 x = 1.5");
    assert!(
        (0..left).all(|row| (f[row] - 4.0 * x[row]).abs() < 1e-12),
        "until then the friction holds against the spring"
    );
    // Sliding about 1/4 with the lower bound, until x' = 1/2 again: x = 1/4 + cos(2 s)/8 + sin(2 s)/4. It may have left a step late
    // and with half a step's impulse of 1/2.
    let row = left + 140;
    let s = t[row] - 0.75;
    assert_eq!(f[row], 1.0);
    assert!((x[row] - 0.25 - (2.0 * s).cos() / 8.0 - (2.0 * s).sin() / 4.0).abs() < h, "{}", x[row]);
    // The slide ends where it has swung through: s = pi - atan(1/2) from the phase, by symmetry at x = 1/8.
    let caught = (row..v.len()).find(|row| v[*row] == 0.5).unwrap();
    assert!((x[caught] - 0.125).abs() < 2.0 * h, "{}", x[caught]);
    let sticks = v.iter().filter(|v| **v == 0.5).count();
    assert!(sticks > 400 && sticks < v.len() - 400, "{sticks} of {}", v.len());
}

#[test]
fn a_block_that_is_carried_along_sticks_up_to_the_round_off_of_its_velocity() {
    // The velocity that belongs to a momentum m/10 is not always 1/10 to the last bit: it is at rest on the belt all the same, and
    // the static bound holds it until 4 x = 1.5.
    for mass in [0.3, 3.0, 7.0] {
        let belt = model(&text(
            "x = { start = 0, velocity = 0.1 }",
            &format!("{mass}*x'^2/2 - 4*x^2/2"),
            "[friction]\nx = { dry = \"1\", static = \"1.5\", along = \"x' - 0.1\" }",
        ));
        let run = record(&belt, &with(&belt, "midpoint", 0.01).until(5.0));
        let (t, v) = (run.column("t"), run.column("x'"));
        let left = v.iter().position(|v| (v - 0.1).abs() > 1e-12).unwrap();
        assert!((t[left] - 3.75).abs() <= 0.02, "a mass of {mass} leaves at {}", t[left]);
    }
}

#[test]
fn a_belt_does_the_work_that_moves_and_warms_a_block() {
    // From rest, with B = 2 on m = 3: it slides until t = m u/B = 0.75, inside a step, while the belt does B u t of work. One half of
    // it is motion, m u²/2 = 3/8, the other is heat.
    let belt = model(&format!(
        "[entropies]\nS = {{ start = 0 }}\n{}",
        text(
            "x = { start = 0, velocity = 0 }",
            "3*x'^2/2 - exp(S)",
            "[friction]\nx = { dry = \"2\", along = \"x' - 0.5\" }"
        )
    ));
    for method in METHODS {
        let run = record(&belt, &with(&belt, method, 0.02).until(2.0));
        let (t, work) = (run.column("t"), run.column("work"));
        for row in (0..t.len()).filter(|row| (t[*row] - 0.75).abs() > 0.02) {
            assert!((work[row] - t[row].min(0.75)).abs() < 1e-13, "{method} at {}: {}", t[row], work[row]);
        }
        assert_eq!(run.last("x'"), 0.5, "{method}");
        let laws = run.outcome.laws.as_ref().unwrap();
        assert!((laws.first.energy_change - 0.75).abs() < 1e-2 && laws.first.relative < 1e-2, "{method}: {laws:?}");
    }
}

#[test]
fn two_blocks_end_with_one_velocity_and_keep_their_momentum() {
    let blocks = model(&text(
        "x = { start = 0, velocity = 3 }\ny = { start = 0, velocity = 0 }",
        "x'^2/2 + 2*y'^2/2",
        "[friction]\nx = { dry = \"2\", along = \"x' - y'\" }",
    ));
    for method in METHODS {
        let run = record(&blocks, &with(&blocks, method, 0.01).until(3.0));
        let (t, x, y) = (run.column("t"), run.column("x'"), run.column("y'"));
        for row in 0..t.len() {
            // Forces are constant and the slide ends at t = 1, a node: round-off of 300 steps.
            assert!((x[row] + 2.0 * y[row] - 3.0).abs() < 1e-12);
            assert!((x[row] - (3.0 - 2.0 * t[row].min(1.0))).abs() < 1e-12, "{method} {}", t[row]);
            assert!(t[row] < 1.005 || x[row] == y[row], "{method} {}: {} and {}", t[row], x[row], y[row]);
        }
        assert!((run.last("x") - run.last("y") - 1.5).abs() < 0.016, "{method}");
    }
}

#[test]
fn several_contacts_come_to_rest_together_within_their_bounds() {
    let chain = model(&text(
        "x = { start = 1, velocity = 0 }\ny = { start = 0, velocity = 0 }\nz = { start = -1, velocity = 0.3 }",
        "(x'^2 + y'^2 + z'^2)/2 - 5*(x - y)^2 - 5*(y - z)^2 - x^2",
        "[friction]\nx = { dry = \"0.3\" }\ny = { dry = \"0.4\", static = \"0.6\" }\n\
         z = { force = \"-z'/10\", dry = \"0.1\", along = \"z' - y'\" }",
    ));
    for method in ["midpoint", "trapezoidal"] {
        let run = record(&chain, &with(&chain, method, 0.01).until(40.0));
        let (e, n) = (run.column("energy"), run.column("t").len());
        assert!(method != "midpoint" || (1..n).all(|row| e[row] <= e[row - 1] + 1e-14));
        assert_eq!(["x'", "y'", "z'"].map(|v| run.last(v)), [0.0; 3], "{method}");
        let [x, y, z, fx, fy, fz] = ["x", "y", "z", "f_x", "f_y", "f_z"].map(|c| run.last(c));
        // Every force holds against the springs, and none exceeds its bound.
        assert!((fx - 10.0 * (x - y) - 2.0 * x).abs() < 1e-13 && fx.abs() <= 0.3, "{method}: {fx}");
        assert!((fz + 10.0 * (y - z)).abs() < 1e-13 && fz.abs() <= 0.1, "{method}: {fz}");
        assert!((fy - fz - 10.0 * (y - x) - 10.0 * (y - z)).abs() < 1e-13 && fy.abs() <= 0.6, "{method}: {fy}");
    }
}

#[test]
fn the_heat_of_dry_friction_is_what_the_motion_loses() {
    let warm = model(&format!(
        "[entropies]\nS = {{ start = 0 }}\n{}",
        text("x = { start = 1, velocity = 0 }", "x'^2/2 - 10*x^2/2 - exp(S)", "[friction]\nx = { dry = \"0.367875\" }")
    ));
    let run = record(&warm, &with(&warm, "midpoint", 0.004).until(16.0));
    let entropy = run.column("S");
    assert!((1..entropy.len()).all(|row| entropy[row] >= entropy[row - 1]));
    // U = exp(S) has grown by B times the way, 14 half swings: sum of 2 - (4 n - 2) c for n = 1 to 14, each missed by up to h² 10/4 = 4e-5.
    let c = 0.0367875;
    let way: f64 = (1..=14).map(|n| 2.0 - (4.0 * f64::from(n) - 2.0) * c).sum();
    let grown = run.last("S").exp() - 1.0;
    assert!((grown - 0.367875 * way).abs() < 14.0 * 4e-5, "{grown} for {}", 0.367875 * way);
    let laws = run.outcome.laws.as_ref().unwrap();
    assert!(laws.first.relative < 1e-4 && laws.second.smallest_step >= 0.0, "{laws:?}");
}

#[test]
fn methods_without_a_formula_for_dry_friction_are_refused_by_name() {
    let oscillator = oscillator();
    let others =
        "left right theta(0.3) rk2 rk4 gauss(2) dopri5 dop853 galerkin(2) energy-entropy compose(suzuki4,midpoint)";
    for method in others.split(' ') {
        let refused =
            CompiledRun::new(&oscillator, &with(&oscillator, method, 0.01).until(1.0)).err().unwrap().to_string();
        assert!(refused.contains("dry friction") && refused.contains("`midpoint`"), "{method}: {refused}");
    }
    let two_points = Settings { start: Start::TwoPoints, ..with(&oscillator, "midpoint", 0.01).until(1.0) };
    assert!(CompiledRun::new(&oscillator, &two_points).is_err());
}

#[test]
fn a_contact_may_slide_along_a_function_of_the_position() {
    // The end of a rod at the angle a rubs on a wall: its height is sin(a), it slides with cos(a) a'. Gravity turns it with cos(a), the
    // friction holds with at most B cos(a): it stays for B > 1 and falls with a'' = -(1 - B) cos(a) for B < 1.
    let rod = |bound: f64| {
        let friction = format!("[friction]\na = {{ dry = \"{bound}\", along = \"cos(a)*a'\" }}");
        model(&text("a = { start = 0.5, velocity = 0 }", "a'^2/2 - sin(a)", &friction))
    };
    let held = record(&rod(1.01), &with(&rod(1.01), "midpoint", 0.01).until(10.0));
    assert!(held.column("a").iter().all(|a| *a == 0.5) && held.column("a'").iter().all(|v| *v == 0.0));
    assert!((held.last("f_a") - 1.0).abs() < 1e-14, "cos(a) f holds against cos(a)");
    let falls = model(&text("a = { start = 0.5, velocity = 0 }", "a'^2/2 - 0.2*sin(a)", ""));
    let reference = record(&falls, &with(&falls, "dop853", 0.1).until(1.5));
    let run = record(&rod(0.8), &with(&rod(0.8), "midpoint", 0.01).until(1.5));
    // Order two with slopes below one.
    assert!((run.last("a") - reference.last("a")).abs() < 1e-4);
}

#[test]
fn the_inclusion_is_printed() {
    let oscillator = oscillator();
    let settings = with(&oscillator, "midpoint", 0.01);
    let printed = derive(&oscillator, &settings, &[Form::Lagrange, Form::Discrete]).unwrap().to_text();
    for line in ["f_x = -2943*sign(x')/8000", "f in -B*Sign(w)", "first_f_x = -max(", "second_f_x = -max("] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}

#[test]
fn a_negative_bound_stops_the_run_by_name() {
    let wrong = model(&text("x = { start = 0, velocity = 1 }", "x'^2/2", "[friction]\nx = { dry = \"1 - t\" }"));
    let run = attempt(&wrong, &with(&wrong, "midpoint", 0.01).until(3.0));
    let failure = run.failure("a negative bound");
    assert!(failure.to_string().contains("the bound of the dry friction on x is not negative"), "{failure}");
}

#[test]
fn friction_that_jumps_is_pointed_out_and_drag_is_not() {
    let stated = |friction: &str| {
        let rest = format!("[friction]\nx = \"{friction}\"");
        model(&text("x = { start = 1, velocity = 0 }", "x'^2/2 - x^2/2", &rest)).warnings().len()
    };
    assert_eq!(["-3*sign(x')", "-sign(x')*(1 + x'^2)"].map(stated), [1, 1]);
    assert_eq!(["-x'*abs(x')", "-sign(x')*x'^2", "-x'", "-x'*sign(x)"].map(stated), [0, 0, 0, 0]);
}

/// Both brakes take what the block has, each its part of the bound: as one with the sum of both.
#[test]
fn two_contacts_on_one_coordinate_are_one_with_the_sum_of_their_bounds() {
    let braked = |friction: &str| {
        model(&text("x = { start = 0, velocity = 2 }", "x'^2/2 + sin(t)*x", &format!("[friction]\nx = {friction}")))
    };
    let two = braked("[{ dry = \"0.5\" }, { dry = \"1.5\" }]");
    let one = braked("{ dry = \"2\" }");
    for method in METHODS {
        let [two, one] = [&two, &one].map(|model| record(model, &with(model, method, 0.01).until(5.0)));
        assert_eq!(two.last("x'"), 0.0, "it stops, and sin(t) does not break it loose");
        let apart = two.column("x").iter().zip(one.column("x")).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-12, "{method}: {apart:e}");
        for ((first, second), all) in two.column("f_x").iter().zip(two.column("f_x_2")).zip(one.column("f_x")) {
            assert!(
                (first + second - all).abs() < 1e-12 && (3.0 * first - second).abs() < 1e-12,
                "{first} {second} {all}"
            );
        }
    }
}

/// Contacts along several coordinates each: x + y with the bound 3 and x − y with 1, which slow down at twice their bounds.
#[test]
fn contacts_along_sums_of_coordinates_stop_each_by_itself() {
    let block = model(&text(
        "x = { start = 0, velocity = 3 }\ny = { start = 0, velocity = 1 }",
        "(x'^2 + y'^2)/2",
        "[friction]\nx = { dry = \"3\", along = \"x' + y'\" }\ny = { dry = \"1\", along = \"x' - y'\" }",
    ));
    for method in METHODS {
        let h = 0.01;
        let run = record(&block, &with(&block, method, h).until(3.0));
        let (sum, difference) = (run.last("x") + run.last("y"), run.last("x") - run.last("y"));
        // Ways of w0²/(2·2 B) from 4 and from 2; what the last step of each misses is 2 B h²/8.
        assert!((sum - 16.0 / 12.0).abs() <= 6.0 * h * h / 8.0 + 1e-12, "{method}: {sum}");
        assert!((difference - 1.0).abs() <= 2.0 * h * h / 8.0 + 1e-12, "{method}: {difference}");
        assert!(run.last("x'").abs() < 1e-15 && run.last("y'").abs() < 1e-15);
    }
}

/// A belt carries a block until the spring exceeds the static bound, at hold/(k v) = 0.75.
#[test]
fn a_block_on_a_belt_breaks_loose_in_the_step_of_the_closed_form() {
    let belt = gallery("stick-slip");
    for method in METHODS {
        for h in [0.01, 0.004, 0.0011] {
            let run = record(&belt, &with(&belt, method, h).until(1.0));
            let (t, v) = (run.column("t"), run.column("x'"));
            let loose = (0..t.len()).find(|row| v[*row] != 0.5).map(|row| t[row]).unwrap();
            assert!(loose >= 0.75 - 1e-9 && loose <= 0.75 + 2.0 * h, "{method} {h}: {loose}");
            // From there on x' is that of the closed form, off by what half a step too much of hold - B = 1/2 makes, and a step's delay.
            let s = run.last("t") - 0.75;
            let exact = 0.5 * (2.0 * s).cos() - 0.25 * (2.0 * s).sin();
            assert!(
                (run.last("x'") - exact).abs() <= 0.5 * h / 2.0 + 0.5 * h + 1e-4,
                "{method} {h}: {}",
                run.last("x'") - exact
            );
        }
    }
}

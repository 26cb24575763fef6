//! `[events]`: motions whose state changes on the way, against closed forms.

use extremal_engine::run::{CompiledRun, End};
use extremal_engine::sweep::Record;
use extremal_engine::{Model, Settings};
use extremal_testkit::models::model;
use extremal_testkit::numbers::{Draws, measured_order};
use extremal_testkit::runs::{Lasting, RecordedRun, attempt, attempt_text, record, refusal, with};
use extremal_testkit::sweeps::{SweepRows, grid};

/// A ball on a floor; `events` is the content of the table.
fn ball(e: f64, events: &str) -> Model {
    model(&format!(
        r#"
        parameters = {{ e = {e}, g = 9.81 }}
        coordinates = {{ x = {{ start = 0.0, velocity = 0.5 }}, y = 1.0 }}
        dynamics.lagrangian = "(x'^2 + y'^2)/2 - g*y"
        simulation = {{ step = 0.05, until = 1.7 }}
        [events]
        {events}
        "#
    ))
}

const BY_SET: &str = r#"floor = { when = "y", direction = "falling", set = { "y'" = "-e*y'" } }"#;
const BY_IMPACT: &str = r#"floor = { obstacle = "y >= 0", restitution = "e" }"#;

/// Height and velocity of the ball at a time, and how often it has bounced.
fn bounced(e: f64, mut t: f64) -> [f64; 3] {
    let g: f64 = 9.81;
    let (mut speed, mut height, mut bounces) = (0.0, 1.0, 0.0);
    loop {
        let flight = (speed + f64::sqrt(speed * speed + 2.0 * g * height)) / g;
        if t < flight {
            return [height + speed * t - g * t * t / 2.0, speed - g * t, bounces];
        }
        (t, speed, height, bounces) = (t - flight, e * (g * flight - speed), 0.0, bounces + 1.0);
    }
}

fn count(run: &RecordedRun, event: &str) -> u64 {
    run.outcome.events.iter().find(|known| known.name == event).map_or(0, |known| known.count)
}

#[test]
fn a_ball_bounces_as_its_closed_form_does() {
    for events in [BY_SET, BY_IMPACT] {
        let model = ball(0.7, events);
        // The motion between bounces is a parabola, which these follow exactly; the step matters to none, from many in a flight to several
        // flights in a step.
        for (method, allowed) in
            [("midpoint", 1e-12), ("trapezoidal", 1e-12), ("rk4", 1e-12), ("galerkin(2)", 1e-12), ("dop853", 1e-9)]
        {
            for step in [0.01, 0.17, 0.85] {
                let run = record(&model, &with(&model, method, step));
                for [t, x, y, v] in run.rows(["t", "x", "y", "y'"]) {
                    let [height, velocity, _] = bounced(0.7, t);
                    assert!((x - 0.5 * t).abs() < allowed, "{method}, {step}: x = {x} at {t}");
                    assert!((y - height).abs() < 10.0 * allowed, "{method}, {step}: y = {y} not {height} at {t}");
                    assert!((v - velocity).abs() < 100.0 * allowed, "{method}, {step}: {v} not {velocity} at {t}");
                }
                assert_eq!(count(&run, "floor") as f64, bounced(0.7, 1.7)[2], "{method}, {step}");
                // Rows stay on the grid.
                let expected = (1.7_f64 / step).ceil() as usize + 1;
                assert_eq!(run.column("t").len(), expected, "{method}, {step}");
            }
        }
    }
}

#[test]
fn what_a_bounce_takes_is_no_drift() {
    let run = record(&ball(0.7, BY_IMPACT), &Settings::of(&ball(0.7, BY_IMPACT)));
    let (_, drift) = run.recorder.drifts().next().unwrap();
    // Impacts with the floor at v² = 2 g: (1 − e²) g at first, e² of that at the next.
    let lost = 9.81 * (1.0 - 0.7_f64.powi(2 * count(&run, "floor") as i32));
    assert!((drift.leaps() + lost).abs() < 1e-12 && drift.max_drift() < 1e-12, "{drift:?}");
    assert!((drift.first().unwrap() - drift.last().unwrap() - lost).abs() < 1e-12);
    assert!(run.outcome.warnings.is_empty(), "{:?}", run.outcome.warnings);
    // An impact that promises to keep the energy answers for it.
    let elastic = ball(1.0, &BY_IMPACT.replace("\"e\"", "1"));
    let run = record(&elastic, &Settings::of(&elastic));
    let (_, drift) = run.recorder.drifts().next().unwrap();
    assert_eq!(drift.leaps(), 0.0);
    assert!(drift.max_drift() > 0.0 && drift.max_drift() < 1e-12, "{drift:?}");
}

#[test]
fn bounces_that_accumulate_end_the_run_when_they_do() {
    // Falls from 1 in √(2/g), then flights of 2 e^k v/g.
    for (e, events) in [(0.5, BY_IMPACT), (0.8, BY_IMPACT), (0.5, BY_SET), (0.8, BY_SET)] {
        let rest = f64::sqrt(2.0 / 9.81) * (1.0 + e) / (1.0 - e);
        let model = ball(e, events);
        for (method, step) in [("midpoint", 0.01), ("midpoint", 0.3), ("dop853", 0.1)] {
            let run = attempt(&model, &with(&model, method, step).until(20.0));
            assert_eq!(run.outcome.end, End::Accumulated { event: "floor".to_owned() }, "{e} {events} {method} {step}");
            // What is left after the last flight is a part of 1e-9/(1 − e) of the step; the time of a bounce with the speed v is known to
            // the round-off of heights of 1 over v, and what is lost in speed by that is no more than it.
            assert!((run.outcome.time - rest).abs() < 1e-7, "{e} {method} {step}: {} not {rest}", run.outcome.time);
            assert!(run.last("y").abs() < 1e-12 && run.last("y'").abs() < 1e-6);
        }
    }
    // Without restitution the first impact is the last, and a ball that lies stays.
    let run = attempt(&ball(0.0, BY_IMPACT), &Settings::of(&ball(0.0, BY_IMPACT)));
    assert_eq!(run.outcome.end, End::Accumulated { event: "floor".to_owned() });
    assert!((run.outcome.time - f64::sqrt(2.0 / 9.81)).abs() < 1e-12, "{}", run.outcome.time);
    let lying = attempt_text(
        r#"
        coordinates.y = 0.0
        dynamics.lagrangian = "y'^2/2 - 9.81*y"
        events.floor = { obstacle = "y >= 0", restitution = 0.5 }
        simulation = { step = 0.1, until = 1.0 }
        "#,
    );
    assert_eq!((lying.outcome.end, lying.outcome.time), (End::Accumulated { event: "floor".to_owned() }, 0.0));
}

#[test]
fn an_impact_has_the_order_of_the_method() {
    // A pendulum in a box: φ ≥ −1/5, thrown back with half of its speed. Independent: DOP853 to the wall, by hand, and on from there.
    let text = |events: &str, start: &str| {
        format!(
            r#"
            coordinates.a = {{ {start} }}
            dynamics.lagrangian = "a'^2/2 + cos(a)"
            {events}
            simulation = {{ step = 0.1, until = 3.0 }}
            "#
        )
    };
    let to_wall = model(&text("stop.wall = \"a + 0.2\"", "start = 1.0"));
    let precise = |model: &Model, end: f64| {
        let settings = Settings { tolerance: Some(1e-14), ..with(model, "dop853", 0.01) };
        attempt(model, &settings.until(end))
    };
    let arrived = precise(&to_wall, 3.0);
    let (time, speed) = (arrived.outcome.time, arrived.last("a'"));
    let from_wall = model(&text("", &format!("start = -0.2, velocity = {:?}", -0.5 * speed)));
    let gone = precise(&from_wall, 3.0 - time);
    let truth = [gone.last("a"), gone.last("a'")];
    let bouncing = model(&text("events.wall = { obstacle = \"a > -0.2\", restitution = 0.5 }", "start = 1.0"));
    for (method, order) in [
        ("midpoint", 2.0),
        ("trapezoidal", 2.0),
        ("rk4", 4.0),
        ("galerkin(2)", 4.0),
        ("compose(yoshida4, midpoint)", 4.0),
    ] {
        let errors: Vec<(f64, f64)> = [0.2, 0.1, 0.05, 0.025]
            .into_iter()
            .map(|h| {
                let run = record(&bouncing, &with(&bouncing, method, h));
                assert_eq!(count(&run, "wall"), 1);
                (h, (run.last("a") - truth[0]).hypot(run.last("a'") - truth[1]))
            })
            .collect();
        let measured = measured_order(&errors, 1e-12);
        // Where in a step the wall is differs from step to step, and with it the constant of the error.
        assert!((measured - order).abs() < 0.6, "{method}: order {measured}, {errors:?}");
    }
    let run = record(&bouncing, &Settings { tolerance: Some(1e-13), ..with(&bouncing, "dop853", 0.25) });
    assert!((run.last("a") - truth[0]).abs() < 1e-10, "{} not {}", run.last("a"), truth[0]);
}

#[test]
fn an_impact_throws_back_along_the_gradient_in_the_kinetic_metric() {
    // Two masses on a line exchange momentum as in every textbook.
    let (m, n, u, w) = (1.5, 0.4, 2.0, -1.0);
    for e in [0.0, 0.3, 1.0] {
        let run = attempt_text(&format!(
            r#"
            coordinates = {{ x = {{ start = 0.0, velocity = {u} }}, y = {{ start = 1.0, velocity = {w} }} }}
            dynamics.lagrangian = "{m}*x'^2/2 + {n}*y'^2/2"
            events.hit = {{ obstacle = "y > x", restitution = {e} }}
            simulation = {{ step = 0.1, until = 1.0 }}
            "#
        ));
        let mean = (m * u + n * w) / (m + n);
        let expected = [mean - e * n * (u - w) / (m + n), mean + e * m * (u - w) / (m + n)];
        assert_eq!(count(&run, "hit"), 1, "{:?}", run.outcome.end);
        for (name, expected) in ["x'", "y'"].into_iter().zip(expected) {
            assert!((run.last(name) - expected).abs() < 1e-13, "{e}: {name} = {} not {expected}", run.last(name));
        }
    }
    // In a curved metric and a moving wall: L = (x'² + x² a'²)/2 in polar coordinates is a free particle, which the wall x cos a = w t
    // throws back with the speed relative to it.
    let run = record_text(
        r#"
        parameters = { e = 0.6, w = 0.25 }
        coordinates = { r = { start = 2.0, velocity = -1.0 }, a = { start = 0.3, velocity = 0.1 } }
        dynamics.lagrangian = "(r'^2 + r^2*a'^2)/2"
        events.wall = { obstacle = "r*cos(a) - w*t >= 0", restitution = "e" }
        simulation = { method = "dop853", step = 0.05, until = 2.5 }
        "#,
    );
    let (c, s) = (0.3_f64.cos(), 0.3_f64.sin());
    let (x, y) = (2.0 * c, 2.0 * s);
    let (vx, vy) = (-c - 0.2 * s, -s + 0.2 * c);
    let met = x / (0.25 - vx);
    let after = 0.25 - 0.6 * (vx - 0.25);
    let (x, y) = (x + vx * met + after * (2.5 - met), y + vy * 2.5);
    let (r, a) = (run.last("r"), run.last("a"));
    assert!((r * a.cos() - x).abs() < 1e-9 && (r * a.sin() - y).abs() < 1e-9, "({r}, {a}) is not ({x}, {y})");
}

fn record_text(text: &str) -> RecordedRun {
    let model = model(text);
    record(&model, &Settings::of(&model))
}

#[test]
fn masses_that_touch_hand_an_impact_on() {
    // Equal masses exchange their velocities. In one potential that is as if they went through each other: positions are those of free
    // motions, in order.
    let starts = [-1.0, -0.3, 0.1, 0.4, 1.1];
    let velocities = [0.4, 0.2, -0.5, 0.0, -0.1];
    let run = record_text(&format!(
        r#"
        [coordinates]
        x = {{ count = 5, start = {starts:?}, velocity = {velocities:?} }}
        [dynamics]
        lagrangian = "sum(i, 1, 5, x[i]'^2/2 - x[i]^2/2)"
        [events]
        hit = {{ count = 4, obstacle = "x[i + 1] >= x[i]" }}
        [simulation]
        method = "dop853"
        step = 0.1
        until = 20
        "#
    ));
    for row in run.rows(["t", "x[1]", "x[2]", "x[3]", "x[4]", "x[5]"]) {
        let t = row[0];
        let mut free: Vec<f64> = starts.iter().zip(velocities).map(|(x, v)| x * t.cos() + v * t.sin()).collect();
        free.sort_by(f64::total_cmp);
        for (found, expected) in row[1..].iter().zip(free) {
            assert!((found - expected).abs() < 1e-9, "{found} not {expected} at {t}");
        }
    }
    // Two of them meet as often as their difference, R cos(t − φ), vanishes: more than six times each in 20.
    let hits: u64 = run.outcome.events.iter().map(|event| event.count).sum();
    assert!(hits >= 60, "{hits}");
    // Those that lie together hand an impact on at once.
    let run = record_text(
        r#"
        [coordinates]
        x = { count = 4, start = [-1, 0, 0, 0], velocity = [1, 0, 0, 0] }
        [dynamics]
        lagrangian = "sum(i, 1, 4, x[i]'^2/2)"
        [events]
        hit = { count = 3, obstacle = "x[i + 1] >= x[i]" }
        [simulation]
        step = 0.3
        until = 2
        "#,
    );
    assert!((run.last("x[4]") - 1.0).abs() < 1e-14 && run.last("x[3]").abs() < 1e-14, "{}", run.last("x[4]"));
    assert!(run.outcome.events.iter().all(|event| event.count == 1 && (event.first - 1.0).abs() < 1e-14));
}

#[test]
fn a_stadium_keeps_the_energy_for_many_bounces() {
    let table = model(
        r#"
        coordinates = { x = { start = 0.1, velocity = 0.8 }, y = { start = 0.2, velocity = 0.6 } }
        dynamics.lagrangian = "(x'^2 + y'^2)/2"
        events.rim = { obstacle = "1 - y^2 - max(abs(x) - 1, 0)^2 >= 0" }
        simulation = { step = 1.0, until = 100 }
        "#,
    );
    let run = record(&table, &Settings::of(&table));
    // The same by rays: where a straight line meets the rim, and the reflected direction.
    let (mut p, mut v, mut time, mut hits) = ([0.1_f64, 0.2_f64], [0.8_f64, 0.6_f64], 0.0, 0);
    let rows = run.rows(["t", "x", "y"]);
    let mut next = rows.iter();
    let mut row = next.next();
    while row.is_some() {
        let mut flight = f64::INFINITY;
        let mut normal = [0.0, 1.0];
        let wall = (v[1].signum() - p[1]) / v[1];
        if wall > 1e-9 && (p[0] + wall * v[0]).abs() <= 1.0 {
            (flight, normal) = (wall, [0.0, v[1].signum()]);
        }
        for centre in [-1.0, 1.0] {
            let d = [p[0] - centre, p[1]];
            let (b, c) = (d[0] * v[0] + d[1] * v[1], d[0] * d[0] + d[1] * d[1] - 1.0);
            let far = -b + (b * b - c).max(0.0).sqrt();
            let at = [p[0] + far * v[0], p[1] + far * v[1]];
            if far > 1e-9 && far < flight && (at[0] - centre) * centre > 0.0 {
                (flight, normal) = (far, [at[0] - centre, at[1]]);
            }
        }
        while let Some([t, x, y]) = row.filter(|row| row[0] <= time + flight) {
            let here = [p[0] + (t - time) * v[0], p[1] + (t - time) * v[1]];
            // Focusing walls spread neighbouring rays by about e^t at most at first; doubles lose one digit in two.
            let allowed = 1e-14 * (1.2 * t).exp().max(1.0);
            if allowed < 1e-3 {
                let off = (x - here[0]).hypot(y - here[1]);
                assert!(off < allowed, "off by {off} at {t}, after {hits} bounces");
            }
            row = next.next();
        }
        p = [p[0] + flight * v[0], p[1] + flight * v[1]];
        let across = 2.0 * (v[0] * normal[0] + v[1] * normal[1]);
        v = [v[0] - across * normal[0], v[1] - across * normal[1]];
        (time, hits) = (time + flight, hits + 1);
    }
    // A mean flight is π times the area over the perimeter, 2.18.
    assert!((40..=52).contains(&count(&run, "rim")), "{}", count(&run, "rim"));
    let (_, drift) = run.recorder.drifts().next().unwrap();
    assert!(drift.leaps() == 0.0 && drift.max_drift() < 1e-13, "{drift:?}");
}

#[test]
fn states_and_positions_can_be_set_and_events_follow_the_table() {
    // A relay: the state k switches between two springs where the mass passes x = 0, and counts.
    let run = record_text(
        r#"
        coordinates.x = { start = 1.0 }
        states = { k = { start = 1.0, rate = 0 }, n = { start = 0, rate = 0 } }
        dynamics.lagrangian = "x'^2/2 - k*x^2/2"
        events.down = { when = "x", direction = "falling", set = { k = 4, n = "n + 1" } }
        events.up = { when = "x", direction = "rising", set = { k = 1, n = "n + 1" } }
        simulation = { method = "galerkin(4)", step = 0.05, until = 10 }
        "#,
    );
    // Quarter of cos t to π/2, half a period of the stiff spring (π/2), half of the soft one (π), and so on; the speed is 1 throughout.
    let pi = std::f64::consts::PI;
    for [t, x, n] in run.rows(["t", "x", "n"]) {
        let s = (t + pi / 2.0) % (1.5 * pi);
        let expected = if s < pi { s.sin() } else { -0.5 * (2.0 * (s - pi)).sin() };
        assert!((x - expected).abs() < 1e-10, "{x} not {expected} at {t}");
        let halves = 2.0 * ((t + pi / 2.0) / (1.5 * pi)).floor() + f64::from(s >= pi);
        assert_eq!(n, halves, "at {t}");
    }
    // Wrapping an angle changes nothing else.
    let wrapped = record_text(
        r#"
        coordinates.a = { start = 3.0, velocity = 2.0 }
        dynamics.lagrangian = "a'^2/2 + cos(a)"
        events.turn = { when = "a - pi", direction = "rising", set = { a = "a - 2*pi" } }
        simulation = { method = "galerkin(3)", step = 0.05, until = 20 }
        "#,
    );
    let free = record_text(
        r#"
        coordinates.a = { start = 3.0, velocity = 2.0 }
        dynamics.lagrangian = "a'^2/2 + cos(a)"
        simulation = { method = "galerkin(3)", step = 0.05, until = 20 }
        "#,
    );
    let turns = ((free.last("a") + pi) / (2.0 * pi)).floor();
    assert_eq!(count(&wrapped, "turn") as f64, turns);
    // Steps are cut where the angle is wrapped: of order six, h⁶ of rates up to 2⁷/720.
    assert!((wrapped.last("a") + 2.0 * pi * turns - free.last("a")).abs() < 1e-7, "{}", wrapped.last("a"));
}

#[test]
fn impacts_respect_constraints() {
    // A pendulum in the plane, x² + y² = 1, that swings against x = −0.2: the same as the angle against its own wall.
    let text = |coordinates: &str, lagrangian: &str, rest: &str| {
        format!(
            "{coordinates}\ndynamics.lagrangian = \"{lagrangian}\"\n{rest}\nsimulation = {{ method = \"dop853\", step = 0.05, until = 6.0 }}\n"
        )
    };
    let plane = record_text(&text(
        "coordinates = { x = { start = \"sin(1)\" }, y = { start = \"-cos(1)\" } }",
        "(x'^2 + y'^2)/2 - y",
        "constraints.rod = \"x^2 + y^2 = 1\"\nevents.wall = { obstacle = \"x >= -0.2\", restitution = 0.7 }",
    ));
    let angle = record_text(&text(
        "coordinates.a = 1.0",
        "a'^2/2 + cos(a)",
        "events.wall = { obstacle = \"sin(a) >= -0.2\", restitution = 0.7 }",
    ));
    assert_eq!(count(&plane, "wall"), count(&angle, "wall"));
    assert!(count(&angle, "wall") >= 2);
    for ([x, y], [a]) in plane.rows(["x", "y"]).into_iter().zip(angle.rows(["a"])) {
        assert!((x - a.sin()).abs() < 1e-8 && (y + a.cos()).abs() < 1e-8, "({x}, {y}) at the angle {a}");
    }
}

#[test]
fn heat_of_events_is_in_the_balance() {
    let run = record_text(
        r#"
        parameters.c = 2.0
        coordinates.x = { start = 1.0, velocity = -1.0 }
        entropies.S = 0.0
        dynamics.lagrangian = "x'^2/2 - c*exp(S/c)"
        friction.x = "-0.1*x'"
        events.wall = { when = "x", direction = "falling", set = { "x'" = "-x'/2", S = "S + 1/8" } }
        simulation = { method = "energy-entropy", step = 0.05, until = 3.0 }
        "#,
    );
    let laws = run.outcome.laws.clone().unwrap();
    assert_eq!(count(&run, "wall"), 1);
    assert!(laws.first.events.unwrap() != 0.0 && laws.first.max_defect < 1e-12, "{laws:?}");
    assert!((laws.second.events.unwrap() - 0.125).abs() < 1e-15 && laws.second.smallest_step >= 0.0, "{laws:?}");
}

#[test]
fn members_of_a_sweep_bounce_as_their_runs_do() {
    let base = ball(0.7, BY_IMPACT);
    let settings = Settings::of(&base);
    let mut draws = Draws(3);
    for record_as in [Record::End, Record::Events] {
        let values: Vec<f64> = (0..4).map(|_| draws.between(0.3, 0.95)).collect();
        let list: String = format!("e={}:{}:4", values[0].min(0.5), 0.9);
        let rows = SweepRows::of(&base, &settings, grid(&[&list]), record_as);
        let mut at = 0;
        for member in 0..4 {
            let mut alone = ball(0.7, BY_IMPACT);
            let low = values[0].min(0.5);
            alone.set_parameter("e", low + (0.9 - low) * f64::from(member) / 3.0).unwrap();
            let run = attempt(&alone, &settings);
            if record_as == Record::Events {
                let bounces = count(&run, "floor") as usize;
                assert!(rows.column("y")[at..at + bounces].iter().all(|y| y.abs() < 1e-12));
                at += bounces;
            }
            assert!((rows.column("y")[at] - run.last("y")).abs() < 1e-13 && rows.column("t")[at] == run.outcome.time);
            at += 1;
        }
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let refused = |text: &str| {
        let invalid = Model::from_toml(text).expect_err(text);
        invalid.render("test", false)
    };
    let with_events = |events: &str| {
        format!(
            "coordinates.y = 1.0\ndynamics.lagrangian = \"y'^2/2 - y\"\nsimulation = {{ step = 0.1, until = 1 }}\n{events}"
        )
    };
    for (events, said) in [
        ("events.a = { when = \"y\" }", "changes nothing"),
        ("events.a = { set = { y = 1 } }", "does not say where it happens"),
        ("events.a = { when = \"y\", obstacle = \"y > 0\" }", "says twice where it happens"),
        ("events.a = { obstacle = \"y > 0\", set = { y = 1 } }", "is an impact"),
        ("events.a = { when = \"y\", set = { y = 1 }, restitution = 0.5 }", "no obstacle"),
        ("events.a = { obstacle = \"y\" }", "a condition"),
        ("events.a = { obstacle = \"y > 0 and y < 2\" }", "one comparison"),
        ("events.a = { obstacle = \"y' > 0\" }", "an obstacle"),
        ("events.a = { when = \"y\", set = { \"y''\" = 1 } }", "follows from the equations"),
        ("events.a = { when = \"y\", set = { z = 1 } }", "not a coordinate"),
        ("events.a = { when = \"y > 0\", set = { y = 1 } }", "crosses zero"),
        ("events.a = { when = \"y\", set = { y = 1 } }\nstop.a = \"y\"", "is a stop and an event"),
        ("events.a = { when = \"y\", direction = \"down\", set = { y = 1 } }", "no direction `down`"),
    ] {
        let message = refused(&with_events(events));
        assert!(message.contains(said), "{events}: {message}");
    }
    let relativistic = model(
        "coordinates.y = 1.0\ndynamics.lagrangian = \"-sqrt(1 - y'^2)\"\nevents.a = { obstacle = \"y > 0\" }\nsimulation = { step = 0.1, until = 1 }",
    );
    let said = refusal(&relativistic, &Settings::of(&relativistic));
    assert!(said.contains("quadratic in the velocities"), "{said}");
    let falling = model(&with_events("events.a = { obstacle = \"y > 0\" }"));
    assert!(refusal(&falling, &Settings::of(&falling).until(-1.0)).contains("cannot be followed backward"));
    // An event that leads out of a domain ends the run by its name.
    let out = attempt_text(
        "coordinates.y = { start = 1.0, domain = \"y > -0.5\" }\ndynamics.lagrangian = \"y'^2/2 - y\"\nsimulation = { step = 0.1, until = 3 }\nevents.a = { when = \"y\", set = { y = -1 } }",
    );
    let failure = out.failure("a start outside its domain").to_string();
    assert!(failure.contains("the event `a` leads to no state") && failure.contains("outside its domain"), "{failure}");
}

#[test]
fn looking_at_events_changes_no_bit() {
    // A wall that is never met.
    let text = |events: &str| {
        model(&format!(
            "coordinates.a = 2.0\ndynamics.lagrangian = \"a'^2/2 + cos(a)\"\nsimulation = {{ step = 0.05, until = 100 }}\n{events}"
        ))
    };
    let (free, walled) = (text(""), text("events.wall = { obstacle = \"a < 9\" }"));
    for method in ["midpoint", "galerkin(3)", "trapezoidal", "dop853"] {
        let ends = [&free, &walled].map(|model| record(model, &with(model, method, 0.05)));
        assert_eq!(ends[0].recorder.last().unwrap(), ends[1].recorder.last().unwrap(), "{method}");
    }
    let run = CompiledRun::new(&walled, &Settings::of(&walled)).unwrap();
    assert_eq!(run.columns().len(), CompiledRun::new(&free, &Settings::of(&free)).unwrap().columns().len());
}

//! Events whose expression is zero where a motion begins, or where one event leaves it without a speed.

use extremal_engine::Model;
use extremal_engine::run::End;
use extremal_engine::sweep::Record;
use extremal_testkit::models::model;
use extremal_testkit::runs::{attempt, record, with};
use extremal_testkit::sweeps::{SweepRows, grid};

/// A ball that starts on the floor, which keeps a part of its speed.
fn ball(velocity: f64, kept: f64, event: &str) -> Model {
    model(&format!(
        r#"
        parameters = {{ g = 9.81, kept = {kept} }}
        coordinates = {{ y = {{ start = 0.0, velocity = {velocity} }} }}
        dynamics.lagrangian = "y'^2/2 - g*y"
        simulation = {{ step = 0.05, until = 0.3 }}
        [events]
        {event}
        "#
    ))
}

const FALLING: &str = r#"floor = { when = "y", direction = "falling", set = { "y'" = "-kept*y'" } }"#;
/// The same of a state, of which it is only seen where it goes.
const BY_PROBE: &str = r#"floor = { when = "w", direction = "falling", set = { "y'" = "-kept*y'" } }
        [states]
        w = { start = 0.0, rate = "y'" }"#;
const METHODS: [&str; 4] = ["midpoint", "rk4", "gauss(2)", "dop853"];

#[test]
fn a_ball_thrown_at_the_floor_from_the_floor_bounces_at_once() {
    for event in [FALLING, BY_PROBE] {
        let ball = ball(-2.0, 0.5, event);
        for method in METHODS {
            let run = record(&ball, &with(&ball, method, 0.05));
            let [floor] = &run.outcome.events[..] else { panic!("one event") };
            // Up with half of the speed at once, and down again after 2 v/g = 0.204: at 0.3 it has bounced twice.
            assert_eq!((floor.count, floor.first), (2, 0.0), "{method}");
            let (fallen, rest) = (2.0 / 9.81, 0.3 - 2.0 / 9.81);
            let height = 0.5 * rest - 9.81 * rest * rest / 2.0;
            assert!((floor.last - fallen).abs() < 1e-9, "{method}: {}", floor.last);
            assert!((run.last("y") - height).abs() < 1e-9, "{method}: {} not {height}", run.last("y"));
        }
    }
}

#[test]
fn a_ball_thrown_up_from_the_floor_bounces_when_it_is_back() {
    // It is back after 0.0204, long before the first step ends.
    let ball = ball(0.1, 1.0, FALLING);
    for method in METHODS {
        let run = record(&ball, &with(&ball, method, 0.05));
        let [floor] = &run.outcome.events[..] else { panic!("one event") };
        assert!((floor.first - 0.2 / 9.81).abs() < 1e-9, "{method}: {}", floor.first);
        assert_eq!(floor.count, 14, "{method}");
    }
}

#[test]
fn a_ball_that_lies_on_the_floor_stays_there() {
    for (velocity, kept) in [(0.0, 0.5), (-1.0, 0.0)] {
        let ball = ball(velocity, kept, FALLING);
        for method in METHODS {
            let run = attempt(&ball, &with(&ball, method, 0.05));
            assert_eq!(run.outcome.end, End::Accumulated { event: "floor".to_owned() }, "{method}");
            assert_eq!((run.outcome.time, run.last("y")), (0.0, 0.0), "{method}");
        }
    }
}

#[test]
fn the_other_direction_is_no_event() {
    let rising = r#"floor = { when = "y", direction = "rising", set = { "y'" = "0" } }"#;
    for velocity in [-1.0, 0.0] {
        let ball = ball(velocity, 0.5, rising);
        let run = record(&ball, &with(&ball, "midpoint", 0.05));
        assert_eq!(run.outcome.events[0].count, 0);
        assert!(run.last("y") < 0.0);
    }
}

#[test]
fn members_of_a_sweep_start_on_the_floor_as_their_runs_do() {
    let thrown = ball(-2.0, 0.5, FALLING);
    let swept = SweepRows::of(&thrown, &with(&thrown, "midpoint", 0.05), grid(&["kept=0.5,0.75"]), Record::End);
    for (kept, at) in [(0.5, 0), (0.75, 1)] {
        let one = ball(-2.0, kept, FALLING);
        let run = record(&one, &with(&one, "midpoint", 0.05));
        assert_eq!(swept.column("y")[at].to_bits(), run.last("y").to_bits());
    }
}

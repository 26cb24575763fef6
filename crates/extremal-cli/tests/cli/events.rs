//! Events that change the state, and the time at the start, as a user sees them.

use extremal_testkit::program::{Folder, call, call_with_input, json};

const BALL: &str = r#"
name = "Ball"
coordinates.y = 1.0
dynamics.lagrangian = "y'^2/2 - 9.81*y"
events.floor = { obstacle = "y >= 0", restitution = 0.5 }
simulation = { step = 0.01, until = 1.0 }
"#;

#[test]
fn events_are_counted_and_their_rows_written() {
    let folder = Folder::new();
    std::fs::write(folder.path("ball.toml"), BALL).unwrap();
    let text = folder.call(&["run", "ball.toml", "--out", "grid.csv", "--events", "events.csv"]).succeeded();
    // It falls for √(2/9.81) = 0.4515, and flies as long after the first bounce; three quarters of 9.81 are lost, then of a quarter of it.
    assert!(text.contains("floor") && text.contains("2 times, from t = 0.45152364 to 0.90304728"), "{text}");
    assert!(text.contains("energy changed by -9.20e0"), "{text}");
    assert!(text.contains("drift: what events changed is not counted"), "{text}");
    assert!(text.contains("written: grid.csv, events.csv"), "{text}");
    assert_eq!(folder.read("grid.csv").lines().count(), 102);
    let events = folder.read("events.csv");
    let lines: Vec<Vec<&str>> = events.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0], ["t", "y", "y'", "p_y", "energy", "event", "side"]);
    let sides: Vec<&str> = lines[1..].iter().map(|line| line[6]).collect();
    assert_eq!(sides, ["before", "after", "before", "after"]);
    let number = |line: usize, column: usize| lines[line][column].parse::<f64>().unwrap();
    let speed = f64::sqrt(2.0 * 9.81);
    for (line, expected) in [(1, -speed), (2, speed / 2.0), (3, -speed / 2.0), (4, speed / 4.0)] {
        assert!((number(line, 2) - expected).abs() < 1e-12 && number(line, 1).abs() < 1e-13, "{:?}", lines[line]);
    }
    assert_eq!(lines[1][5], "floor");
    let summary = call_with_input(&["run", "-", "--json"], BALL).json();
    assert_eq!(summary["events"][0]["count"], 2);
    let energy = &summary["invariants"]["energy"];
    assert_eq!(energy["events"], summary["events"][0]["energy_change"]);
    assert!(energy["max_drift"].as_f64().unwrap() < 1e-12, "{energy}");
}

#[test]
fn a_ball_that_comes_to_rest_ends_the_run_well() {
    let run = call(&["run", "gallery:bouncing-ball"]).succeeded();
    assert!(run.contains("`bounce` follows `bounce` without end"), "{run}");
    let summary = json(&["run", "gallery:bouncing-ball", "--json"]);
    assert_eq!((&summary["status"], &summary["reason"]), (&"stopped".into(), &"bounce accumulates".into()));
    let sweep = call(&["sweep", "gallery:bouncing-ball", "--vary", "e=0.5:0.7:3", "--json"]).json();
    assert_eq!(sweep["stopped"], 3, "{sweep}");
}

#[test]
fn what_events_are_not_for_is_refused() {
    let compared = call_with_input(&["compare", "-", "--methods", "midpoint,rk4"], BALL).failed_with(2);
    assert!(compared.contains("without events"), "{compared}");
    let none = call(&["run", "gallery:pendulum", "--events", "events.csv"]).failed_with(2);
    assert!(none.contains("no [events]"), "{none}");
    let unknown = call_with_input(&["run", "-", "--events", "events.svg"], BALL).failed_with(2);
    assert!(unknown.contains("svg"), "{unknown}");
    let backward = call_with_input(&["run", "-", "--until", "-1"], BALL).failed_with(2);
    assert!(backward.contains("cannot be followed backward"), "{backward}");
}

#[test]
fn a_run_begins_when_it_is_told_to() {
    let free = "parameters.T = 2.0\ncoordinates.x = { start = 0.0, velocity = 1.0 }\ndynamics.lagrangian = \"x'^2/2\"\nsimulation = { step = 0.125, until = \"T\" }";
    let run = |more: &[&str]| call_with_input(&[&["run", "-", "--json"], more].concat(), free);
    let later = run(&["--from", "T/2"]).json();
    assert_eq!((&later["from"], &later["steps"], &later["end"]["q"]["x"]), (&1.0.into(), &8.into(), &1.0.into()));
    let back = run(&["--from", "3"]).json();
    assert_eq!(
        (&back["step"], &back["end"]["t"], &back["end"]["q"]["x"]),
        (&0.125.into(), &2.0.into(), &(-1.0).into())
    );
    let text = call_with_input(&["run", "-", "--from", "3"], free).succeeded();
    assert!(text.contains("3 to 2, backward") && text.contains("step 0.125"), "{text}");
    let nowhere = run(&["--from", "2"]).failed_with(2);
    assert!(nowhere.contains("other than that of the start"), "{nowhere}");
}

//! What goes wrong, and how the program says so: exit codes, messages, what is kept.

use std::process::Stdio;

use extremal_testkit::program::{Folder, ProgramOutput, call, call_with_input};

/// A ball thrown up with a floor of its own making: the domain ends the run.
const LEAVES: &str = r#"
coordinates.y = { start = 1.0, domain = "y > 0" }
dynamics.lagrangian = "y'^2/2 - 10*y"
simulation = { step = 0.01, until = 10 }
"#;

#[test]
fn a_step_without_a_solution_keeps_what_was_computed() {
    // Eccentricity -1 starts at rest, so that the body falls into the centre along x. The middle m of a step then satisfies
    // m³ - c m² + h²/4 = 0 with c = x + h p/2, which has no root at all for 0 < c < (27 h²/16)^(1/3) = 0.53; the steps of
    // c near the centre are shorter than that.
    let folder = Folder::new();
    let arguments = [
        &["run", "gallery:kepler", "--set", "eccentricity=-1", "--method", "midpoint", "--step", "0.3"][..],
        &["--until", "30", "--out", "part.csv", "--plot", "part.svg"],
    ];
    let message = folder.call(&arguments.concat()).failed_with(1);
    assert!(message.contains("error: stopped at step "), "{message}");
    assert!(message.contains("t = "), "{message}");
    assert!(message.contains("last good state: x = "), "{message}");
    // That the exact motion ends at the centre is said instead of the residual.
    assert!(message.contains("runs into a singularity"), "the reason is said: {message}");
    assert!(message.contains("`part.csv`, `part.svg`"), "{message}");
    let csv = folder.read("part.csv");
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.len() > 5, "{csv}");
    assert!(widths.iter().all(|width| *width == widths[0]), "{csv}");
    assert!(csv.ends_with('\n'));
}

#[test]
fn a_failed_run_still_prints_its_json() {
    let called = call_with_input(&["run", "-", "--json"], LEAVES);
    let report: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(report["status"], "failed");
    assert!(report["reason"].as_str().unwrap().contains("leaves its domain"), "{report}");
    // Free fall from 1 reaches 0 at t = sqrt(1/5) = 0.447: the last state inside is that of step 44.
    assert_eq!(report["steps"], 44);
    assert!(called.failed_with(1).contains("`0 < y` does not hold any more"));
}

#[test]
fn errors_of_a_model_are_shown_with_their_source() {
    let text = "[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"x'^2/2 - k*x^2\"\n";
    let message = call_with_input(&["run", "-"], text).failed_with(2);
    assert!(message.contains("standard input:4:24"), "{message}");
    assert!(message.contains("`k`"), "{message}");
}

#[test]
fn a_flood_of_errors_is_cut() {
    let message = call_with_input(&["run", "-"], &"y\n".repeat(50)).failed_with(2);
    assert_eq!(message.matches("error[").count(), 20);
    assert!(message.ends_with("and 30 more problems\n"), "{message}");
}

#[test]
fn warnings_do_not_stop_a_run() {
    let text = "[parameters]\nk = 2\n[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"x'^2/2 - x^2\"\n";
    let called = call_with_input(&["run", "-", "--step", "0.1", "--steps", "1"], text);
    assert!(called.stderr.contains("warning"), "{}", called.stderr);
    called.succeeded();
}

#[test]
fn bad_input_is_exit_code_two_with_a_way_out() {
    let cases: [(&[&str], &str); 18] = [
        (&["run", "gallery:kepple"], "did you mean `kepler`?"),
        (&["gallery", "nothing-like-it"], "`extremal gallery` lists them"),
        (&["run", "kepler"], "`gallery:kepler`"),
        (&["run", "missing.toml"], "cannot read `missing.toml`"),
        (&["run", "gallery:kepler", "--method", "midpont"], "did you mean `midpoint`?"),
        (&["run", "gallery:kepler", "--set", "m2=1"], "no parameter and no start `m2`"),
        (&["run", "gallery:kepler", "--set", "m"], "NAME=VALUE"),
        (&["run", "gallery:kepler", "--step", "-1"], "positive"),
        (&["run", "gallery:kepler", "--until", "0"], "other than that of the start"),
        (&["run", "gallery:kepler", "--start", "two-points"], "second"),
        (&["run", "gallery:kepler", "--out", "orbit.xlsx"], ".csv, .json or .parquet"),
        (&["run", "gallery:kepler", "--plot", "orbit.gif"], ".svg or .png"),
        (&["run", "gallery:kepler", "--out", "no/such/folder.csv"], "there is no folder `no/such`"),
        (&["run", "gallery:kepler", "--out", "a.csv", "--out", "a.csv"], "named twice"),
        (&["compare", "gallery:kepler", "--against", "exact"], "dop853"),
        (&["analyze", "gallery:kepler", "--step", "0"], "positive"),
        (&["analyze", "gallery:kepler", "--step", "nan"], "positive"),
        (&["derive", "gallery:kepler", "--method", "dop853", "--form", "discrete"], "adaptive"),
    ];
    let folder = Folder::new();
    for (arguments, hint) in cases {
        let message = folder.call(arguments).failed_with(2);
        assert!(message.contains(hint), "{arguments:?}:\n{message}");
    }
    assert!(!folder.path("a.csv").exists(), "nothing is written when the input is bad");
}

#[test]
fn a_model_without_step_or_end_says_what_to_add() {
    let text = "[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"x'^2/2 - x^2\"\n";
    assert!(call_with_input(&["run", "-", "--until", "1"], text).failed_with(2).contains("`step = 0.01`"));
    assert!(call_with_input(&["run", "-", "--step", "1"], text).failed_with(2).contains("`until = 10.0`"));
    assert!(call_with_input(&["compare", "-", "--until", "1"], text).failed_with(2).contains("`step = 0.01`"));
}

#[test]
fn input_that_is_not_text_or_too_long_is_refused() {
    let folder = Folder::new();
    std::fs::write(folder.path("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();
    assert!(folder.call(&["run", "binary.toml"]).failed_with(2).contains("not UTF-8"));
    std::fs::write(folder.path("long.toml"), vec![b'#'; 2 << 20]).unwrap();
    assert!(folder.call(&["run", "long.toml"]).failed_with(2).contains("the limit for a model file"));
    assert!(folder.call(&["run", "."]).failed_with(2).contains("cannot read `.`"));
}

#[test]
fn usage_errors_are_exit_code_two() {
    assert!(call(&["fly"]).failed_with(2).contains("unrecognized subcommand"));
    assert!(call(&["run"]).failed_with(2).contains("MODEL"));
    assert!(call(&["run", "gallery:kepler", "--until", "1", "--steps", "2"]).failed_with(2).contains("cannot be used"));
}

#[test]
fn a_comparison_with_a_failing_run_says_which() {
    // At rest at x = 2 the cubic of the test above has c = 2 < (27 h²/16)^(1/3) for h = 3.
    let arguments = [
        &["compare", "gallery:kepler", "--set", "eccentricity=-1", "--methods", "midpoint"][..],
        &["--steps", "3,0.01", "--until", "3"],
    ];
    let called = call(&arguments.concat());
    assert!(called.stdout.contains("failed"), "{}", called.stdout);
    assert!(called.failed_with(1).contains("midpoint, step 3.0"));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::new();
    let mut child = folder.command(&["gallery"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let called = ProgramOutput::of(child.wait_with_output().unwrap());
    assert_eq!((called.code, called.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_run_in_good_order() {
    use std::process::Command;
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    let arguments =
        ["run", "gallery:double-pendulum", "--steps", "1000000000000", "--record", "1000", "--out", "long.csv"];
    let child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The file is begun, under another name, when the handler is in place and the run is about to begin.
    let patience = Instant::now();
    let begun = || std::fs::read_dir(folder.path("")).unwrap().next().is_some();
    while !begun() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let called = ProgramOutput::of(child.wait_with_output().unwrap());
    assert!(called.stdout.contains("Double pendulum"), "{}", called.stdout);
    let message = called.failed_with(130);
    assert!(message.contains("interrupted") && message.contains("`long.csv`"), "{message}");
    let csv = folder.read("long.csv");
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.len() >= 2 && widths.iter().all(|width| *width == widths[0]), "{csv}");
}

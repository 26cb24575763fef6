//! `extremal solve`, called as a user would.

use std::fs;

use serde_json::Value;

use extremal_testkit::program::{Folder, call, call_with_input, json};

const CART_POLE: &str = "gallery:cart-pole-swing";

fn column(value: &Value, name: &str) -> Vec<f64> {
    value["columns"][name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn a_summary_says_what_was_found() {
    let called = call(&["solve", CART_POLE]);
    let warned = called.stderr.clone();
    let text = called.succeeded();
    for word in
        ["optimal control", "midpoint, 50 steps", "unverified: minimum", "59.5370549", "costate_th", "on 25 steps"]
    {
        assert!(text.contains(word), "no `{word}` in\n{text}");
    }
    // On 50 steps the controls do not bring the pole upright.
    assert!(warned.contains("misses its end by 1.9 in `th'`") && warned.contains("--refine"), "{warned}");
}

#[test]
fn json_has_the_promised_keys() {
    let found = json(&["solve", CART_POLE, "--set", "limit=10", "--json"]);
    assert_eq!(found["status"], "unverified");
    assert!(found["warnings"][0].as_str().unwrap().contains("misses its end"), "{}", found["warnings"]);
    assert_eq!(found["comparison"]["steps"], 25);
    assert!((found["objective"].as_f64().unwrap() - 62.966959).abs() < 1e-5);
    assert_eq!(found["active_bounds"], 9);
    assert_eq!(found["duration"], 2.0);
    assert!(found["iterations"].as_u64().unwrap() > 0);
    for name in ["t", "x", "th", "x'", "th'", "u", "costate_x", "costate_th"] {
        assert_eq!(column(&found, name).len(), 51, "{name}");
    }
    assert!(found["verification"]["end_error"].as_f64().unwrap() > 0.0);
}

#[test]
fn costates_have_the_sign_that_is_documented() {
    // x'' = u with the least integral of u²/2: the costate is -u = 12 t - 6, up to the square of the step.
    let found = json(&["solve", "gallery:double-integrator", "--json", "--steps", "200"]);
    for (t, costate) in column(&found, "t").iter().zip(column(&found, "costate_x")) {
        assert!((costate - (12.0 * t - 6.0)).abs() < 1e-3, "{costate} at {t}");
    }
}

#[test]
fn bounds_that_are_too_tight_fail_with_names() {
    let failed = call(&["solve", CART_POLE, "--set", "limit=4"]).failed_with(1);
    for word in ["cannot be met", "the equation of motion of `th`", "t = ", "binding: u at its max = 4", "min = -4"] {
        assert!(failed.contains(word), "no `{word}` in\n{failed}");
    }
    let printed = call(&["solve", CART_POLE, "--set", "limit=4", "--json"]);
    assert_eq!(printed.code, Some(1));
    let found: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(found["status"], "infeasible");
    assert!(found["violations"][0]["node"].as_u64().is_some());
}

#[test]
fn files_are_written_and_taken_as_a_start() {
    let folder = Folder::new();
    let out = ["solve", CART_POLE, "-q", "--out", "s.csv", "--out", "s.json", "--plot", "s.svg", "--plot", "s.png"];
    assert_eq!(folder.call(&out).succeeded(), "");
    assert!(folder.read("s.csv").starts_with("t,x,th,x',th',u,costate_x,costate_th,status_unverified\n"));
    assert!(folder.read("s.svg").contains("Controls"));
    assert!(fs::read(folder.path("s.png")).unwrap().starts_with(b"\x89PNG"));
    for file in ["s.csv", "s.json"] {
        let warm = folder.call(&["solve", CART_POLE, "--steps", "100", "--warm-start", file, "--json"]).succeeded();
        let warm: Value = serde_json::from_str(&warm).unwrap();
        let cold = json(&["solve", CART_POLE, "--steps", "100", "--json"]);
        let objective = |value: &Value| value["objective"].as_f64().unwrap();
        assert!((objective(&warm) - objective(&cold)).abs() < 1e-8);
        assert!(warm["iterations"].as_u64() < cold["iterations"].as_u64(), "{file}");
    }
    fs::write(folder.path("broken.csv"), "t,x\n0,1\n0,2\n").unwrap();
    let failed = folder.call(&["solve", CART_POLE, "--warm", "broken.csv"]).failed_with(2);
    assert!(failed.contains("increasing times"), "{failed}");
}

#[test]
fn refinement_lists_its_grids() {
    let found = json(&["solve", CART_POLE, "--refine", "0.01", "--json"]);
    let levels = found["refinement"].as_array().unwrap();
    assert!(levels.len() >= 3, "{levels:?}");
    assert!(levels.last().unwrap()["end_error"].as_f64().unwrap() <= 0.01);
    assert!((found["objective"].as_f64().unwrap() - 58.8077).abs() < 0.01);
}

#[test]
fn several_starts_list_their_minima() {
    let arguments = ["solve", CART_POLE, "--multistart", "20", "--seed", "1", "--json"];
    let found = json(&arguments);
    let minima: Vec<f64> = found["minima"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!((minima[0] - 58.7830).abs() < 1e-4 && minima.iter().any(|x| (x - 59.5371).abs() < 1e-4), "{minima:?}");
    assert_eq!(json(&arguments)["minima"], found["minima"], "the seed decides");
}

#[test]
fn the_log_goes_to_standard_error() {
    let called = call(&["solve", "gallery:double-integrator-in-time", "--log", "--json"]);
    assert!(called.stderr.contains("iter") && called.stderr.contains("barrier"), "{}", called.stderr);
    let found: Value = serde_json::from_str(&called.stdout).unwrap();
    assert!((found["duration"].as_f64().unwrap() - 2.0).abs() < 1e-8);
}

#[test]
fn other_methods_and_natures() {
    let text = call(&["solve", "gallery:great-circle", "--method", "galerkin(2)", "--steps", "20"]).succeeded();
    assert!(text.contains("galerkin(2, gauss(2)), 20 steps") && text.contains("0.7227342"), "{text}");
    let orbit = json(&["solve", "gallery:figure-eight-orbit", "--json"]);
    assert!(orbit["nature"].as_str().unwrap().starts_with("saddle"), "{}", orbit["nature"]);
}

#[test]
fn misuse_is_bad_input() {
    let failed = call(&["solve", "gallery:pendulum"]).failed_with(2);
    assert!(failed.contains("[boundary]"), "{failed}");
    let failed = call(&["solve", "gallery:cubic-spline", "--method", "midpoint"]).failed_with(2);
    assert!(failed.contains("midpoint"), "{failed}");
    let failed = call(&["solve", CART_POLE, "--method", "rk4"]).failed_with(2);
    assert!(failed.contains("`rk4` is not defined for a boundary problem"), "{failed}");
    let failed = call(&["solve", CART_POLE, "--steps", "1"]).failed_with(2);
    assert!(failed.contains("too few"), "{failed}");
    let zero = "[coordinates]\nx = {}\n[dynamics]\nlagrangian = \"x'^2/2\"\n[boundary]\nduration = 0\nsteps = 9\n\
                start = { x = 0 }\nend = { x = 1 }";
    let failed = call_with_input(&["solve", "-"], zero).failed_with(2);
    assert!(failed.contains("duration"), "{failed}");
}

#[test]
fn accelerations_run_and_are_derived() {
    let end = json(&["run", "gallery:pais-uhlenbeck", "--json"]);
    // 0.8 cos 20 + sin 40 / 2 - 0.3 cos 40.
    assert!((end["end"]["q"]["x"].as_f64().unwrap() - 0.8991036).abs() < 1e-5, "{end}");
    assert!(end["end"]["p"]["x'"].as_f64().is_some(), "{end}");
    let text = call(&["derive", "gallery:pais-uhlenbeck", "--form", "lagrange"]).succeeded();
    assert!(text.contains("a^2*b^2*x + a^2*x'' + b^2*x'' + x'''' = 0"), "{text}");
}

/// An oscillator between its ends, on 100 steps.
fn oscillator(duration: &str) -> String {
    format!(
        "[coordinates]\nq = {{}}\n[dynamics]\nlagrangian = \"q'^2/2 - q^2/2\"\n[boundary]\nduration = \"{duration}\"\nsteps = 100\n\
         start = {{ q = 0 }}\nend = {{ q = 1 }}"
    )
}

#[test]
fn between_conjugate_points_the_call_fails() {
    let called = call_with_input(&["solve", "-", "--json"], &oscillator("pi"));
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    let found: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!((&found["status"], &found["nature"]), (&Value::from("near-conjugate"), &Value::Null));
    assert!(called.stderr.contains("conjugate points"), "{}", called.stderr);
    let text = call_with_input(&["solve", "-"], &oscillator("3")).succeeded();
    assert!(text.contains("stationary: minimum"), "{text}");
}

#[test]
fn a_refinement_that_ends_at_its_limit_fails() {
    // At order two, 12800 steps are good for eight digits.
    let called = call(&["solve", "gallery:pendulum-between", "--refine", "1e-12", "--steps", "6400", "--json"]);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    let found: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(found["status"], "unresolved");
    assert!(called.stderr.contains("its limit, with 12800 steps, before it came within 1e-12"), "{}", called.stderr);
}

#[test]
fn options_are_checked_like_numbers_of_a_model() {
    for wrong in
        [["--tolerance", "inf"], ["--tolerance", "nan"], ["--tolerance", "0"], ["--refine", "nan"], ["--refine", "2"]]
    {
        let failed = call(&["solve", CART_POLE, wrong[0], wrong[1]]).failed_with(2);
        assert!(failed.contains("above 0 and below 1"), "{wrong:?}: {failed}");
    }
    for wrong in [["--max-iterations", "0"], ["--multistart", "0"], ["--steps", "0"]] {
        call(&["solve", CART_POLE, wrong[0], wrong[1]]).failed_with(2);
    }
}

#[test]
fn files_say_that_there_is_no_solution() {
    let folder = Folder::new();
    let tight = ["solve", CART_POLE, "--set", "limit=4", "--out", "s.csv", "--out", "s.json", "--plot", "s.svg"];
    folder.call(&tight).failed_with(1);
    let csv = folder.read("s.csv");
    let header = csv.lines().next().unwrap().to_owned();
    assert!(header.ends_with(",status_infeasible"), "{header}");
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",1.0")), "{csv}");
    assert!(folder.read("s.json").contains("status_infeasible"));
    assert!(folder.read("s.svg").contains("infeasible"));
}

#[test]
fn a_long_solution_is_taken_as_a_start() {
    let folder = Folder::new();
    let problem = ["solve", "gallery:double-integrator", "--steps", "20000", "-q", "--out", "long.csv"];
    folder.call(&problem).succeeded();
    assert!(fs::metadata(folder.path("long.csv")).unwrap().len() > 1 << 20);
    let warm = ["solve", "gallery:double-integrator", "--steps", "100", "--warm-start", "long.csv", "--json"];
    let warm: Value = serde_json::from_str(&folder.call(&warm).succeeded()).unwrap();
    assert_eq!(warm["status"], "optimal");
}

#[test]
fn the_brachistochrone_as_textbooks_print_it() {
    let text = "[coordinates]\ny = { domain = \"y > 0\" }\n[dynamics]\nlagrangian = \"sqrt((1 + y'^2)/(2*9.81*y))\"\n[boundary]\n\
                independent = \"x\"\nto = 1\nsteps = 100\nstart = { y = 0 }\nend = { y = 1 }\n[simulation]\nmethod = \"galerkin(2)\"";
    let found = call_with_input(&["solve", "-", "--json"], text).succeeded();
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["status"], "stationary");
    // The time of the cycloid through (1, 1).
    assert!((found["objective"].as_f64().unwrap() - 0.582_895_463_155).abs() < 1e-8, "{}", found["objective"]);
    assert_eq!(found["grading"]["start"], 5.0);
}

#[test]
fn an_optimal_motion_goes_on_past_its_end() {
    let nodes = "gallery:cart-pole-nodes";
    let found = json(&["solve", nodes, "--json", "--until", "2.4"]);
    assert!((found["objective"].as_f64().unwrap() - 29.3528614704).abs() < 1e-9, "{}", found["objective"]);
    let (t, x, u) = (column(&found, "t"), column(&found, "x"), column(&found, "u"));
    assert_eq!((t.len(), x[50]), (61, 1.0));
    assert!((t[60] - 2.4).abs() < 1e-12 && x[60] < 0.6 && u[1..].iter().all(|u| u.is_finite()));
    let refused = call(&["solve", nodes, "--until", "2"]).failed_with(2);
    assert!(refused.contains("it ends at 2, in steps of 0.04"), "{refused}");
    let refused = call(&["solve", CART_POLE, "--until", "3"]).failed_with(2);
    assert!(refused.contains("`u` is held by a bound, which the flow past the end does not know of"), "{refused}");
    let refused = call(&["solve", "gallery:catenary", "--until", "3"]).failed_with(2);
    assert!(refused.contains("are continued past the end by their flow"), "{refused}");
    // x = 3 t^2 - 2 t^3 - 1 is back at its start when t = 1.5, up to the square of the step.
    let found = json(&["solve", "gallery:double-integrator", "--json", "--until", "1.5"]);
    let (t, x) = (column(&found, "t"), column(&found, "x"));
    assert_eq!(t.len(), 76);
    assert!((t[75] - 1.5).abs() < 1e-12 && (x[75] + 1.0).abs() < 1e-3, "{}", x[75]);
    assert!((found["momenta"]["start"]["p_x"].as_f64().unwrap() - 12.0).abs() < 1e-2);
}

/// The cart and the pole with bounds on the force of which one is too tight.
const LIMITS: &[&str] = &["solve", CART_POLE, "--vary", "limit=4,10,20", "--steps", "40"];

#[test]
fn many_problems_have_a_row_each() {
    let folder = Folder::new();
    let called = folder.call(&[LIMITS, &["--rows", "limits.csv"]].concat());
    assert!(called.stderr.contains("warning: 1 of 3 members failed, the first is 0: the conditions cannot be met"));
    let text = called.succeeded();
    assert!(text.contains("3: ") && text.contains("1 infeasible") && text.contains("written: limits.csv"), "{text}");
    let csv = folder.read("limits.csv");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0][..4], ["member", "limit", "objective", "duration"]);
    assert_eq!(lines.len(), 4);
    // Each of them is the problem that `--set` makes.
    for (row, limit) in [(2, "limit=10"), (3, "limit=20")] {
        let alone = json(&["solve", CART_POLE, "--set", limit, "--steps", "40", "--json"]);
        assert_eq!(lines[row][2].parse::<f64>().unwrap(), alone["objective"].as_f64().unwrap());
        assert!(lines[row].contains(&alone["status"].as_str().unwrap()), "{:?}", lines[row]);
    }
    let report = json(&[LIMITS, &["--json"]].concat());
    assert_eq!((&report["members"], &report["failed"], &report["file"]), (&3.into(), &1.into(), &Value::Null));
    assert_eq!(report["statuses"]["infeasible"], 1);
    assert_eq!(report["columns"]["limit"]["max"], 20.0);
}

#[test]
fn parts_of_many_problems_are_merged() {
    let folder = Folder::new();
    let call = |more: &[&str]| folder.call(&[LIMITS, &["--multistart", "1", "--quiet"], more].concat());
    call(&["--rows", "whole.parquet", "--threads", "2"]).succeeded();
    fs::create_dir(folder.path("parts")).unwrap();
    for part in ["1", "2", "3"] {
        let task = [LIMITS, &["--multistart", "1", "--shard", "auto/3", "--resume", "--rows"]].concat();
        let file = format!("parts/{part}.parquet");
        let mut command = folder.command(&[&task[..], &[&file, "--quiet"]].concat());
        // The first part has the infeasible problem from both guesses, and nothing else.
        let code = command.env("PBS_ARRAY_INDEX", part).output().unwrap().status.code();
        assert_eq!(code, Some(if part == "1" { 1 } else { 0 }));
    }
    let again = call(&["--shard", "2/3", "--rows", "parts/2.parquet", "--resume"]);
    assert_eq!(again.code, Some(0), "a part that is finished is done");
    let merged = folder.call(&["merge", "parts", "--out", "merged.parquet"]).succeeded();
    assert!(merged.contains("6, of 3 parts"), "{merged}");
    assert!(fs::read(folder.path("whole.parquet")).unwrap() == fs::read(folder.path("merged.parquet")).unwrap());
}

#[test]
fn what_does_not_go_with_many_problems_is_refused() {
    let cases: [(&[&str], &str); 8] = [
        (&["--rows", "x.csv"], "say `--vary NAME=FROM:TO:COUNT`"),
        (&["--vary", "limit=1,2", "--plot", "x.svg"], "`--plot` goes with one problem"),
        (&["--vary", "limit=1,2", "--log"], "`--log` goes with one problem"),
        (&["--vary", "x=1,2"], "`x` is no parameter"),
        (&["--vary", "limit=1,2", "--set", "limit=3"], "cannot be set and vary at once"),
        (&["--vary", "limit=1,2", "--rows", "x.json"], ".csv or .parquet"),
        (&["--vary", "limit=1,2", "--resume"], "--rows"),
        (&["--threads", "2"], "nothing varies"),
    ];
    for (arguments, hint) in cases {
        let message = call(&[&["solve", CART_POLE], arguments].concat()).failed_with(2);
        assert!(message.contains(hint), "{arguments:?}:\n{message}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_between_many_problems_keeps_those_that_are_written() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use extremal_testkit::program::ProgramOutput;

    let folder = Folder::new();
    let arguments = ["solve", CART_POLE, "--vary", "limit=20:30:100000", "--rows", "long.csv"];
    let child = folder.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let patience = Instant::now();
    while !folder.path("long.csv").exists() && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let message = ProgramOutput::of(child.wait_with_output().unwrap()).failed_with(130);
    assert!(message.contains("interrupted") && message.contains("continue with `--resume`"), "{message}");
    let csv = folder.read("long.csv");
    assert!((csv.lines().count() - 1).is_multiple_of(32), "whole groups");
}

#[cfg(unix)]
#[test]
fn killed_and_resumed_many_problems_have_the_same_bytes() {
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = Folder::new();
    let many = ["solve", CART_POLE, "--vary", "limit=15:30:150", "--threads", "1", "--quiet", "--rows"];
    folder.call(&[&many[..], &["whole.parquet"]].concat()).succeeded();
    let arguments = [&many[..], &["part.parquet"]].concat();
    let mut child = folder.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
    // The journal has a line for the whole and one for each group that is safe.
    let lines = || fs::read_to_string(folder.path("part.parquet.part.journal")).map_or(0, |text| text.lines().count());
    let patience = Instant::now();
    while lines() < 2 && patience.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let resumed = [&arguments[..], &["--resume"]].concat();
    assert!(folder.call(&resumed).failed_with(2).contains("another program is writing"));
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9), "it was still at work");
    assert!(folder.call(&arguments).failed_with(2).contains("continue it with `--resume`"));
    folder.call(&resumed).succeeded();
    assert!(fs::read(folder.path("whole.parquet")).unwrap() == fs::read(folder.path("part.parquet")).unwrap());
}

//! `run --at`, `--sensitivity` and `--gradient`, `lyapunov` and `fit`, as a user calls them.

use extremal_testkit::program::{Folder, call, json};

const OSCILLATOR: &str = "\
parameters.k = 4.0
coordinates.x = { start = 1.5, velocity = 0.0 }
dynamics.lagrangian = \"x'^2/2 - k*x^2/2\"
[outputs]
square = \"x^2\"
[simulation]
method = \"gauss(4)\"
step = 0.1
until = 3
";

fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("model.toml"), OSCILLATOR).unwrap();
    folder
}

fn rows(text: &str) -> Vec<Vec<f64>> {
    let numbers = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    text.lines().skip(1).map(numbers).collect()
}

#[test]
fn rows_are_written_at_given_times() {
    let folder = folder();
    let columns = ["--columns", "t,x", "--out", "a.csv"];
    folder.call(&[&["run", "model.toml", "--at", "0.25,1:2:3"][..], &columns].concat()).succeeded();
    let found = rows(&folder.read("a.csv"));
    assert_eq!(found.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.25, 1.0, 1.5, 2.0]);
    for row in &found {
        // Of order eight.
        assert!((row[1] - 1.5 * (2.0 * row[0]).cos()).abs() < 1e-9, "{row:?}");
    }
    let error = folder.call(&["run", "model.toml", "--at", "3.5"]).failed_with(2);
    assert!(error.contains("a row is wanted at t = 3.5, but the run goes from 0 to 3"), "{error}");
    let error = folder.call(&["run", "model.toml", "--at", "1:2"]).failed_with(2);
    assert!(error.contains("first:last:how many"), "{error}");
    // What the model says of times, `--record` replaces.
    let timed = OSCILLATOR.replace("until = 3", "until = 3\nat = [0.5, \"1/k\"]");
    std::fs::write(folder.path("timed.toml"), timed).unwrap();
    folder.call(&[&["run", "timed.toml"][..], &columns].concat()).succeeded();
    assert_eq!(rows(&folder.read("a.csv")).iter().map(|row| row[0]).collect::<Vec<_>>(), [0.25, 0.5]);
    folder.call(&[&["run", "timed.toml", "--record", "10"][..], &columns].concat()).succeeded();
    assert_eq!(rows(&folder.read("a.csv")).len(), 4);
}

#[test]
fn derivatives_are_columns_and_gradients_are_printed() {
    let folder = folder();
    let call = ["run", "model.toml", "--sensitivity", "k,x", "--columns", "t,dx/dk,dsquare/dx", "--out", "a.csv"];
    folder.call(&call).succeeded();
    for row in rows(&folder.read("a.csv")) {
        let (c, s) = ((2.0 * row[0]).cos(), (2.0 * row[0]).sin());
        // d(a cos wt)/dk = -a t sin(wt)/(2 w).
        assert!((row[1] + 1.5 * row[0] * s / 4.0).abs() < 1e-8 && (row[2] - 3.0 * c * c).abs() < 1e-8, "{row:?}");
    }
    let found = folder.call(&["run", "model.toml", "--gradient", "square", "--json"]).json();
    let slopes = found["gradients"][0]["slopes"].as_array().unwrap();
    let slope = |name: &str| slopes.iter().find(|slope| slope["name"] == name).unwrap()["slope"].as_f64().unwrap();
    let (c, s) = (6f64.cos(), 6f64.sin());
    assert!((slope("x") - 3.0 * c * c).abs() < 1e-8, "{slopes:?}");
    assert!((slope("k") + 2.0 * 1.5 * c * 1.5 * 3.0 * s / 4.0).abs() < 1e-7, "{slopes:?}");
    let text = folder.call(&["run", "model.toml", "--gradient", "square"]).succeeded();
    assert!(text.contains("square = ") && text.contains("and how it changes"), "{text}");
    let error = folder.call(&["run", "model.toml", "--sensitivity", "m"]).failed_with(2);
    assert!(error.contains("no parameter, coordinate, entropy or state `m`"), "{error}");
}

#[test]
fn exponents_are_told_with_their_checks() {
    let found = json(&["lyapunov", "gallery:double-pendulum", "--until", "40", "--transient", "10", "--json"]);
    assert_eq!(found["exponents"].as_array().unwrap().len(), 4);
    assert!(found["sum"].as_f64().unwrap().abs() < 1e-8 && found["pairs"].as_f64().unwrap() < 1e-6, "{found}");
    let folder = Folder::new();
    let text = folder
        .call(&["lyapunov", "gallery:double-pendulum", "--until", "20", "--exponents", "1", "--plot", "a.svg"])
        .succeeded();
    assert!(text.contains("error of the mean") && text.contains("written: a.svg"), "{text}");
    assert!(folder.read("a.svg").contains("Mean growth"));
    let error = call(&["lyapunov", "gallery:bouncing-ball"]).failed_with(2);
    assert!(error.contains("[events]"), "{error}");
}

#[test]
fn measured_motions_are_fitted() {
    let folder = folder();
    let line = |k: u32| {
        let t = 0.07 * f64::from(k);
        // Measurements that are off by a known pattern; one is missing.
        let x = 1.2 * (2.5 * t).cos() + 0.01 * f64::from(k * 7919 % 13).mul_add(1.0 / 6.0, -1.0);
        if k == 5 { format!("{t},\n") } else { format!("{t},{x}\n") }
    };
    std::fs::write(folder.path("data.csv"), format!("t,x\n{}", (1..40).map(line).collect::<String>())).unwrap();
    let arguments = [
        "fit",
        "model.toml",
        "data.csv",
        "--free",
        "k=5:1:20",
        "--free",
        "x",
        "--out",
        "left.csv",
        "--plot",
        "fit.svg",
    ];
    let found = folder.call(&[&arguments[..], &["--json"]].concat()).json();
    assert_eq!((&found["converged"], &found["degrees_of_freedom"]), (&true.into(), &36.into()));
    for (at, (name, truth)) in [("k", 6.25), ("x", 1.2)].into_iter().enumerate() {
        let value = &found["values"][at];
        assert_eq!(value["name"], name);
        let (value, deviation) = (value["value"].as_f64().unwrap(), value["deviation"].as_f64().unwrap());
        assert!((value - truth).abs() < 4.0 * deviation, "{found}");
    }
    let left = rows(&folder.read("left.csv"));
    assert_eq!((left.len(), folder.read("left.csv").lines().next()), (38, Some("t,experiment,x,x_found,x_left")));
    assert!(folder.read("fit.svg").contains("What is left of x"));
    let text = folder.call(&arguments).succeeded();
    assert!(text.contains("interval of 95 %") && text.contains("written: left.csv, fit.svg"), "{text}");
    let error = folder.call(&["fit", "model.toml", "data.csv"]).failed_with(2);
    assert!(error.contains("nothing is free"), "{error}");
    let error = folder.call(&["fit", "model.toml", "data.csv", "--free", "k=1:2"]).failed_with(2);
    assert!(error.contains("NAME=GUESS:MIN:MAX"), "{error}");
}

//! What each command prints and writes.

use extremal_testkit::program::{Folder, call, call_with_input, json};

const SPRING: &str = r#"
coordinates.x = 1.0
dynamics.lagrangian = "x'^2/2 - x^2/2"
exact.x = "cos(t)"
simulation = { step = 0.1, until = 1.0 }
"#;

fn keys(value: &serde_json::Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn without_arguments_it_simulates_and_plots() {
    let folder = Folder::new();
    let text = folder.call(&[]).succeeded();
    assert!(text.starts_with("Double pendulum\n"), "{text}");
    assert!(text.contains("energy"), "{text}");
    assert!(text.contains("Try next"), "{text}");
    assert!(folder.read("double-pendulum.svg").contains("</svg>"));
}

#[test]
fn run_prints_no_colours_into_a_pipe() {
    let text = call(&["run", "gallery:pendulum"]).succeeded();
    assert!(!text.contains('\u{1b}'), "{text:?}");
    assert!(text.contains("midpoint, step 0.01"), "{text}");
}

#[test]
fn run_json_has_the_documented_shape() {
    let report = json(&["run", "gallery:harmonic-oscillator", "--json"]);
    assert_eq!(
        keys(&report),
        ["end", "errors", "from", "invariants", "method", "model", "solver", "status", "step", "steps", "warnings"]
    );
    assert_eq!(keys(&report["end"]), ["p", "q", "t", "v"]);
    assert_eq!(keys(&report["solver"]), ["iteration", "max_residual", "newton_iterations"]);
    assert_eq!(report["solver"]["iteration"], "explicit");
    for key in ["first", "last", "max_drift"] {
        assert!(report["invariants"]["energy"][key].is_f64(), "{key}");
    }
    assert_eq!(report["method"], "midpoint");
    assert_eq!(report["status"], "finished");
    assert!(report["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn run_json_says_how_steps_are_solved_for() {
    let solver = |model: &str, method: &str| {
        json(&["run", model, "--method", method, "--until", "1", "--json"])["solver"].clone()
    };
    assert_eq!(solver("gallery:double-pendulum", "midpoint")["iteration"], "newton");
    assert_eq!(solver("gallery:double-pendulum", "dop853")["iteration"], "explicit");
    assert_eq!(solver("gallery:harmonic-oscillator", "gauss(2)")["iteration"], "linear");
    let stages = solver("gallery:double-pendulum", "gauss(4)");
    assert_eq!(stages["iteration"], "fixed point");
    assert_eq!(stages["newton_steps"], 0);
}

#[test]
fn the_numbers_of_json_are_those_of_the_file() {
    let folder = Folder::new();
    let text = folder.call(&["run", "gallery:kepler", "--json", "--out", "orbit.csv"]).succeeded();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let csv = folder.read("orbit.csv");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("t,x,y,x',y',p_x,p_y,energy,rotation,angular_momentum,laplace_x,laplace_y"));
    let last: Vec<f64> = lines.next_back().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    for (key, name, column) in [("q", "x", 1), ("q", "y", 2), ("v", "x", 3), ("p", "y", 6)] {
        assert_eq!(report["end"][key][name].as_f64(), Some(last[column]), "{key} {name}");
    }
}

#[test]
fn the_midpoint_rule_solves_the_oscillator_as_computed_by_hand() {
    // One midpoint step of x'' = -x turns (x, p) by the angle 2 atan(h/2), exactly; each of the ten
    // steps rounds a few times, hence 1e-14.
    let report: serde_json::Value =
        serde_json::from_str(&call_with_input(&["run", "-", "--json"], SPRING).succeeded()).unwrap();
    let angle = 10.0 * 2.0 * 0.05f64.atan();
    assert_eq!(report["steps"], 10);
    assert!((report["end"]["q"]["x"].as_f64().unwrap() - angle.cos()).abs() < 1e-14);
    assert!((report["end"]["p"]["x"].as_f64().unwrap() + angle.sin()).abs() < 1e-14);
    // The error against cos(t) grows like t sin(t) h²/12: largest at the end, up to terms of order h⁴.
    let error = report["errors"]["x"].as_f64().unwrap();
    assert!((error - 1f64.sin() * 0.01 / 12.0).abs() < 1e-5, "{error}");
}

#[test]
fn settings_come_from_the_command_line_first() {
    let report = json(&["run", "gallery:pendulum", "--method", "rk4", "--step", "0.5", "--steps", "3", "--json"]);
    assert_eq!((&report["method"], &report["steps"]), (&"rk4".into(), &3.into()));
    assert_eq!(report["end"]["t"], 1.5);
    let report = json(&["run", "gallery:pendulum", "--step", "0.4", "--until", "1", "--json"]);
    assert_eq!(report["end"]["t"], 1.0);
    let warnings = report["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|text| text.as_str().unwrap().contains("the last step is 0.2")), "{warnings:?}");
}

#[test]
fn parameters_can_be_set_and_families_follow() {
    let report =
        json(&["run", "gallery:chain-pendulum", "--set", "n=12", "--set", "g = 2*l", "--steps", "2", "--json"]);
    assert_eq!(keys(&report["end"]["q"]).len(), 12);
}

#[test]
fn record_thins_the_file_and_keeps_the_last_row() {
    let folder = Folder::new();
    folder
        .call(&["run", "gallery:pendulum", "--steps", "10", "--record", "4", "--out", "thin.csv", "--quiet"])
        .succeeded();
    let times: Vec<f64> =
        folder.read("thin.csv").lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(times, [0.0, 0.04, 0.08, 0.1]);
}

#[test]
fn quiet_is_quiet_and_all_files_are_written() {
    let folder = Folder::new();
    let files = ["a.csv", "b.json", "c.parquet", "d.svg", "e.png"];
    let mut arguments = vec!["run", "gallery:pendulum", "--quiet"];
    for file in &files {
        let option = if ["d.svg", "e.png"].contains(file) { "--plot" } else { "--out" };
        arguments.extend([option, file]);
    }
    let called = folder.call(&arguments);
    assert_eq!(called.stderr, "");
    assert_eq!(called.succeeded(), "");
    for file in files {
        assert!(folder.path(file).metadata().unwrap().len() > 100, "{file}");
    }
}

#[test]
fn a_stop_condition_is_a_good_end() {
    let report = json(&["run", "gallery:projectile", "--json"]);
    assert_eq!((&report["status"], &report["reason"]), (&"stopped".into(), &"ground".into()));
    let text = call(&["run", "gallery:projectile"]).succeeded();
    assert!(text.contains("by `ground` at t = 2.41"), "{text}");
    assert!(text.contains("energy: not conserved, forces act"), "{text}");
}

#[test]
fn derive_prints_the_forms_that_are_asked_for() {
    let text = call(&["derive", "gallery:harmonic-oscillator"]).succeeded();
    assert!(["k*x + m*x'' = 0", "m*x'' + k*x = 0"].iter().any(|equation| text.contains(equation)), "{text}");
    assert!(text.contains("Discrete equations of midpoint"), "{text}");
    let text = call(&["derive", "gallery:harmonic-oscillator", "--form", "hamilton"]).succeeded();
    assert!(text.starts_with("Hamiltonian\n") && !text.contains("Discrete"), "{text}");
    let text = call(&["derive", "gallery:harmonic-oscillator", "--latex"]).succeeded();
    assert!(text.contains("\\begin{align*}"), "{text}");
    let value = json(&["derive", "gallery:harmonic-oscillator", "--form", "discrete", "--method", "rk2", "--json"]);
    assert_eq!(value["sections"][0]["title"], "Discrete equations of rk2");
}

#[test]
fn a_bead_on_a_rotating_wire_keeps_its_jacobi_integral() {
    let folder = Folder::new();
    let wire = r#"
        definitions = { X = "r*cos(2*t)", Y = "r*sin(2*t)" }
        coordinates = { r = 0.5 }
        dynamics = { lagrangian = "(X'^2 + Y'^2)/2" }
        simulation = { step = 0.01, steps = 100 }
    "#;
    std::fs::write(folder.path("wire.toml"), wire).unwrap();
    let text = folder.call(&["run", "wire.toml", "--plot", "wire.svg"]).succeeded();
    assert!(text.contains("energy: the Jacobi integral p.v - L, conserved"), "{text}");
    assert!(folder.read("wire.svg").contains("Energy error"));
}

#[test]
fn an_energy_that_forces_change_is_not_drawn_as_an_error() {
    let folder = Folder::new();
    folder.call(&["run", "gallery:projectile", "--plot", "drag.svg"]).succeeded();
    let picture = folder.read("drag.svg");
    assert!(picture.contains("Energy") && !picture.contains("Energy error"));
}

#[test]
fn memory_beyond_the_budget_ends_with_an_error() {
    let called = call(&["derive", "gallery:fermi-pasta-ulam", "--set", "n=1500", "--memory", "8M"]);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    assert!(called.stderr.contains("beyond the budget of 0.008 GiB; raise it with --memory"), "{}", called.stderr);
    let called = call(&["derive", "gallery:kepler", "--memory", "lots"]);
    assert_eq!(called.code, Some(2));
    assert!(called.stderr.contains("write it as 500M or 4G"), "{}", called.stderr);
    call(&["--memory", "1G", "derive", "gallery:kepler"]).succeeded();
}

#[test]
fn a_terminal_obeys_no_name() {
    let folder = Folder::new();
    let text = "name = \"a\\u001b[2Jb\"\n\"\\u001b]0;c\\u0007\" = 1\n[coordinates]\nx = 1\n[dynamics]\nlagrangian = \"x'^2\"\n";
    std::fs::write(folder.path("loud.toml"), text).unwrap();
    let called = folder.call(&["run", "loud.toml"]);
    assert_eq!(called.code, Some(2));
    assert!(called.stderr.contains("`name` has the control character U+001B"), "{}", called.stderr);
    assert!(!called.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", called.stderr);
    let called = folder.call(&["run", "\u{1b}[2J.toml"]);
    assert!(called.stderr.contains("␛[2J.toml") && !called.stderr.contains('\u{1b}'), "{:?}", called.stderr);
}

#[test]
fn compare_measures_orders() {
    let value = json(&[
        "compare",
        "gallery:harmonic-oscillator",
        "--methods",
        "left,compose(suzuki4, midpoint)",
        "--steps",
        "0.1,0.05",
        "--json",
    ]);
    let rows = value["rows"].as_array().unwrap();
    let methods: Vec<&str> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["left", "left", "compose(suzuki4, midpoint)", "compose(suzuki4, midpoint)"]);
    assert!(rows[0]["orders"]["x"].is_null());
    // The theorems say 1 and 4; at these steps the next terms of the error contribute a few percent.
    assert!((rows[1]["orders"]["x"].as_f64().unwrap() - 1.0).abs() < 0.1, "{}", rows[1]);
    assert!((rows[3]["orders"]["x"].as_f64().unwrap() - 4.0).abs() < 0.1, "{}", rows[3]);
    assert_eq!(rows[1]["work"]["steps"].as_u64(), rows[0]["work"]["steps"].as_u64().map(|n| 2 * n));
}

#[test]
fn compare_without_closed_forms_uses_the_reference_and_draws() {
    let folder = Folder::new();
    let arguments = ["compare", "gallery:pendulum", "--methods", "midpoint", "--until", "1", "--plot", "orders.svg"];
    let text = folder.call(&arguments).succeeded();
    assert!(text.contains("dop853"), "{text}");
    assert!(folder.read("orders.svg").contains("midpoint"));
}

#[test]
fn the_gallery_is_listed_and_printed() {
    let list = call(&["gallery"]).succeeded();
    for name in ["kepler", "double-pendulum", "henon-heiles"] {
        assert!(list.lines().any(|line| line.starts_with(name)), "{list}");
    }
    let text = call(&["gallery", "kepler"]).succeeded();
    let report = call_with_input(&["run", "-", "--json", "--steps", "1"], &text).succeeded();
    assert!(report.contains("Kepler problem"));
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = call(&["completions", shell]).succeeded();
        assert!(script.contains("extremal") && script.contains("compare"), "{shell}");
    }
}

#[test]
fn every_help_has_examples() {
    for command in [&[][..], &["run"], &["derive"], &["compare"], &["gallery"], &["completions"]] {
        let arguments: Vec<&str> = command.iter().copied().chain(["--help"]).collect();
        let text = call(&arguments).succeeded();
        assert!(text.contains("Examples:"), "{command:?}:\n{text}");
    }
}

#[test]
fn an_output_is_there_whole_or_not_at_all() {
    let folder = Folder::new();
    let run = |arguments: &[&str]| folder.call(&[&["run", "gallery:pendulum"], arguments].concat());
    std::fs::write(folder.path("run.csv"), "old").unwrap();
    // The picture cannot be made: its folder is a file. Nothing is touched.
    let said = run(&["--out", "run.csv", "--plot", "run.csv/a.svg"]).failed_with(2);
    assert!(said.contains("there is no folder"), "{said}");
    assert_eq!(folder.read("run.csv"), "old");
    run(&["--out", "run.csv", "--plot", "run.svg", "--until", "1"]).succeeded();
    assert!(folder.read("run.csv").starts_with("t,theta"));
    let mut names: Vec<String> = std::fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["run.csv", "run.svg"], "nothing else is left");
    let said = run(&["--out", "again.csv", "--out", "./again.csv"]).failed_with(2);
    assert!(said.contains("named twice"), "{said}");
    assert!(!folder.path("again.csv").exists());
}

#[test]
fn a_model_is_not_written_over_by_what_comes_of_it() {
    let folder = Folder::new();
    let model = extremal_gallery("pendulum");
    std::fs::write(folder.path("pendulum.json"), &model).unwrap();
    for arguments in
        [["run", "pendulum.json", "--out", "./pendulum.json"], ["run", "./pendulum.json", "--out", "pendulum.json"]]
    {
        let said = folder.call(&arguments).failed_with(2);
        assert!(said.contains("is read by this command"), "{said}");
    }
    assert_eq!(folder.read("pendulum.json"), model);
}

#[test]
fn a_comparison_has_something_to_compare() {
    let compare = |option: &str, value: &str| {
        call(&["compare", "gallery:harmonic-oscillator", "--methods", "midpoint", "--steps", "0.1", option, value])
    };
    // The first sample is the start, where every method is right.
    let said = compare("--first", "1").failed_with(2);
    assert!(said.contains("--first"), "{said}");
    let said = compare("--skip", "1000000").failed_with(2);
    assert!(said.contains("no sample is compared"), "{said}");
    let told = json(&[
        "compare",
        "gallery:harmonic-oscillator",
        "--methods",
        "midpoint",
        "--steps",
        "0.1",
        "--first",
        "2",
        "--json",
    ]);
    assert!(told["rows"][0]["errors"]["x"].as_f64().is_some_and(|error| error > 0.0), "{told}");
}

fn extremal_gallery(name: &str) -> String {
    call(&["gallery", name]).succeeded()
}

#[test]
fn methods_are_listed_told_about_and_suggested() {
    let list = call(&["methods"]).succeeded();
    assert!(list.contains("galerkin(s)") && list.contains("energy; first and second law"), "{list}");
    let page = call(&["methods", "galerkin(3)"]).succeeded();
    assert!(page.contains("order        2s") && page.contains("not defined"), "{page}");
    let objects = json(&["methods", "--json"]);
    assert_eq!(objects.as_array().unwrap().len(), 24);
    assert_eq!(keys(&objects[0]), ["defined", "equations", "keeps", "name", "order", "sentence", "usage"]);
    let refused = call(&["methods", "midpont"]).failed_with(2);
    assert!(refused.contains("did you mean `midpoint`?"), "{refused}");
}

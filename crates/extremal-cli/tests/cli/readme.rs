//! The README shows what the program really prints.

use extremal_testkit::program::{Folder, call, call_with_input};

const README: &str = include_str!("../../../../README.md");

/// The fenced blocks of the README, in order: the model, what `run` prints, what `derive` prints, what a run with heat prints.
fn blocks() -> Vec<String> {
    fenced(README)
}

fn fenced(text: &str) -> Vec<String> {
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap().1.to_owned()).collect()
}

#[test]
fn the_summary_in_the_readme_is_the_real_one() {
    let (model, shown) = (&blocks()[0], &blocks()[1]);
    let folder = Folder::new();
    std::fs::write(folder.path("spring-pendulum.toml"), model).unwrap();
    let printed = folder.call(&["run", "spring-pendulum.toml", "--plot", "spring-pendulum.svg"]).succeeded();
    // Durations and round-off differ from machine to machine.
    let lasting = |line: &&str| !line.trim_start().starts_with("time") && !line.trim_start().starts_with("solved by");
    let shown: Vec<&str> = shown.lines().filter(lasting).collect();
    let printed: Vec<&str> = printed.lines().filter(lasting).collect();
    assert_eq!(shown, printed);
}

#[test]
fn the_equations_in_the_readme_are_the_real_ones() {
    let (model, shown) = (&blocks()[0], &blocks()[2]);
    let printed = call_with_input(&["derive", "-", "--form", "lagrange"], model).succeeded();
    for section in shown.trim().split("\n\n") {
        assert!(printed.contains(section), "{section}\n\nis not in\n\n{printed}");
    }
}

#[test]
fn the_heat_in_the_readme_is_the_real_one() {
    let printed = call(&["run", "gallery:piston-between-gases"]).succeeded();
    // Columns are as wide as their numbers, and those of the energy are round-off: all but these two tables is compared.
    let lasting =
        |line: &&str| !["conserved?", "energy", "first law", "──"].iter().any(|w| line.trim_start().starts_with(w));
    for line in blocks()[3].lines().filter(lasting) {
        assert!(printed.lines().any(|other| other == line), "{line}\n\nis not in\n\n{printed}");
    }
    let first_law = printed.lines().find(|line| line.contains("first law")).unwrap();
    assert!(first_law.contains("= work 0 + heat 0, off by at most "), "{first_law}");
}

#[test]
fn the_model_in_the_reference_runs() {
    let models = fenced(include_str!("../../../../docs/model-file.md"));
    let model = models.iter().find(|model| model.contains("[heat]")).unwrap();
    let called = call_with_input(&["run", "-", "--json"], model);
    assert_eq!(called.stderr, "");
    let report: serde_json::Value = serde_json::from_str(&called.succeeded()).unwrap();
    // Heat comes in as 5 exp(-t) until t = 20, which is 5 up to 1e-8; two Gauss points per step miss 5 h⁴/4320 = 7e-9 of it.
    let heat = report["laws"]["first"]["heat"].as_f64().unwrap();
    assert!((heat - 5.0).abs() < 2e-8, "{heat}");
}

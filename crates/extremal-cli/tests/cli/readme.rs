//! The README shows what the program really prints.

use crate::support::{Folder, call_with_input};

/// The fenced blocks of the README, in order: the model, what `run` prints, what `derive` prints.
fn blocks() -> Vec<String> {
    let text = include_str!("../../../../README.md");
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

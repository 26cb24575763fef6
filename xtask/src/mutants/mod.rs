//! `cargo xtask mutants`: are the tests able to fail? Every mutant of `xtask/mutants.toml` breaks one expression of the core; some test
//! must notice. All of them are compiled at once into a copy of the repository, where an environment variable chooses one, so that a
//! mutant costs no more than the tests that kill it.

mod list;
mod schemata;

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use crate::shell::{TaskFailure, cargo, heading, root};
use list::Mutant;

/// The environment variable that chooses a mutant. None is 0.
const CHOICE: &str = "EXTREMAL_MUTANT";
/// A test that hangs is a test that fails. The longest ones take half a minute.
const PATIENCE: &str = "[profile.default]\nslow-timeout = { period = \"60s\", terminate-after = 2 }\n";
/// What nextest answers when a test failed.
const TESTS_FAILED: i32 = 100;

pub use list::stale;

/// Does every mutant of the list still apply?
pub fn check() -> Result<(), TaskFailure> {
    let stale = stale()?;
    if stale.is_empty() {
        return Ok(());
    }
    Err(TaskFailure { step: "mutants".to_owned(), reason: format!("out of date:\n  {}", stale.join("\n  ")) })
}

/// What became of a mutant.
enum Fate {
    Killed { by: String },
    Survived,
}

/// Tries the mutants whose file or description contains one of the words; all of them if there are none.
pub fn campaign(words: &[&str]) -> Result<(), TaskFailure> {
    let all = list::read()?;
    let chosen: Vec<&Mutant> = all.iter().filter(|mutant| mutant.is_meant_by(words)).collect();
    if chosen.is_empty() {
        return Err(TaskFailure { step: "mutants".to_owned(), reason: "none is meant by these words".to_owned() });
    }
    let tree = schemata::write(&all)?;
    let patience = tree.join("patience.toml");
    fs::write(&patience, PATIENCE).map_err(|error| TaskFailure::of("mutants", &error))?;
    let tests = |filter: Option<&str>| -> Command {
        let mut command = Command::new(cargo());
        command.args(["nextest", "run", "--workspace", "--exclude", "xtask", "--config-file"]).arg(&patience);
        command.args(["--status-level", "fail", "--final-status-level", "none", "--no-input-handler"]);
        command.args(filter.into_iter().flat_map(|filter| ["-E", filter]));
        command.current_dir(&tree).env("CARGO_TARGET_DIR", root().join("target/mutants/built"));
        command.env("CARGO_INCREMENTAL", "0").stdin(Stdio::null());
        command
    };
    heading("tests of the copy");
    let built = tests(None).arg("--no-run").status().map_err(|error| TaskFailure::of("mutants", &error))?;
    if !built.success() {
        return Err(TaskFailure { step: "mutants".to_owned(), reason: "the mutated copy does not compile".to_owned() });
    }
    heading("no mutant");
    let first: Vec<String> = chosen.iter().map(|mutant| format!("({})", mutant.first_tests())).collect();
    if let Fate::Killed { by } = fate(tests(Some(&first.join(" or "))), 0)? {
        return Err(TaskFailure { step: "mutants".to_owned(), reason: format!("{by} fails without any") });
    }
    heading("mutants");
    let (mut killed, mut wrong) = (0, Vec::new());
    println!("| mutant | fate |\n| --- | --- |");
    for mutant in &chosen {
        let clock = Instant::now();
        let mut fate_of_it = fate(tests(Some(&mutant.first_tests())), mutant.number())?;
        if matches!(fate_of_it, Fate::Survived) && mutant.survives.is_none() {
            fate_of_it = fate(tests(None), mutant.number())?;
        }
        let said = match (&fate_of_it, &mutant.survives) {
            (Fate::Killed { by }, None) => format!("killed by {by}"),
            (Fate::Survived, Some(reason)) => format!("survives: {reason}"),
            (Fate::Killed { by }, Some(_)) => format!("**killed** by {by} although a reason to survive is listed"),
            (Fate::Survived, None) => "**survived**".to_owned(),
        };
        killed += usize::from(matches!(fate_of_it, Fate::Killed { .. }));
        if matches!(fate_of_it, Fate::Killed { .. }) == mutant.survives.is_some() {
            wrong.push(mutant.breaks.as_str());
        }
        println!("| {} | {said} ({:.0} s) |", mutant.breaks, clock.elapsed().as_secs_f64());
        let _ = std::io::stdout().flush();
    }
    println!("\n{killed} of {} killed", chosen.len());
    if wrong.is_empty() {
        return Ok(());
    }
    Err(TaskFailure { step: "mutants".to_owned(), reason: format!("not as listed:\n  {}", wrong.join("\n  ")) })
}

/// Runs tests until one fails.
fn fate(mut tests: Command, mutant: u64) -> Result<Fate, TaskFailure> {
    let Output { status, stdout, stderr } =
        tests.env(CHOICE, mutant.to_string()).output().map_err(|error| TaskFailure::of("mutants", &error))?;
    let said = String::from_utf8_lossy(&stderr);
    match status.code() {
        Some(0) => Ok(Fate::Survived),
        Some(TESTS_FAILED) => {
            let by = said.lines().find_map(failed_test).unwrap_or("a test").to_owned();
            Ok(Fate::Killed { by })
        }
        _ => Err(TaskFailure {
            step: "mutants".to_owned(),
            reason: format!("nextest: {status}\n{}{said}", String::from_utf8_lossy(&stdout)),
        }),
    }
}

/// The name in a line like `FAIL [   0.010s] (1/7) extremal-solve::marching orders::midpoint_is_of_order_two`.
fn failed_test(line: &str) -> Option<&str> {
    let (status, rest) = line.trim_start().split_once('[')?;
    let ended = ["FAIL", "TIMEOUT", "SIG", "ABORT", "LEAK-FAIL"].iter().any(|word| status.starts_with(word));
    let name = rest.split_once(']')?.1.trim();
    ended.then(|| name.split_once(") ").map_or(name, |(_, name)| name).trim())
}

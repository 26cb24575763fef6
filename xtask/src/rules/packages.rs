//! What the library brings along when it is built without features.

use std::collections::BTreeSet;

use crate::shell::{Step, TaskFailure};

/// Packages, those of this repository counted.
const MOST: usize = 39;

pub fn broken() -> Result<Vec<String>, TaskFailure> {
    let asked = ["tree", "-p", "extremal", "--no-default-features", "-e", "normal,build", "--prefix", "none"];
    let told = Step::cargo("cargo tree", &asked).output()?;
    let packages: BTreeSet<&str> = told.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(match packages.len() {
        ..=MOST => Vec::new(),
        count => vec![format!(
            "the library without features is {count} packages, more than {MOST}: see `cargo {}`",
            asked.join(" ")
        )],
    })
}

//! The direction of dependencies: ARCHITECTURE.md draws it, Cargo.toml must follow.

use serde_json::Value;

use crate::shell::{Step, TaskFailure};

/// The crates from the ground up. One may depend on those of lower floors.
const FLOORS: &[&[&str]] = &[
    &["extremal-device", "extremal-expr"],
    &["extremal-eval", "extremal-model"],
    &["extremal-mechanics"],
    &["extremal-solve"],
    &["extremal-trajectory"],
    &["extremal-engine"],
    &["extremal", "extremal-desk"],
    &["extremal-studio", "extremal-wasm"],
    &["extremal-cli", "extremal-python"],
];

/// Those that know none of the others, although they could.
const ALONE: &[&str] = &["extremal-trajectory"];

/// Crates for tests and benchmarks: no crate of the house depends on them but for its own tests.
const OUTSIDE: &[&str] = &["extremal-testkit", "extremal-floors", "xtask"];

pub fn broken() -> Result<Vec<String>, TaskFailure> {
    let told = Step::cargo("cargo metadata", &["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_str(&told)
        .map_err(|error| TaskFailure { step: "cargo metadata".to_owned(), reason: error.to_string() })?;
    let mut broken = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let own = floor(name);
        if own.is_none() && !OUTSIDE.contains(&name) {
            broken.push(format!("{name} has no floor: enter it in xtask/src/rules/floors.rs and in ARCHITECTURE.md"));
        }
        let Some(own) = own else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let other = dependency["name"].as_str().unwrap_or_default();
            if dependency["kind"] == "dev" {
                continue;
            }
            if OUTSIDE.contains(&other) {
                broken.push(format!("{name} depends on {other}, which is for tests alone: make it a dev-dependency"));
            }
            let Some(floor) = floor(other) else { continue };
            if floor >= own {
                broken.push(format!("{name} depends on {other}, which stands above or beside it (ARCHITECTURE.md)"));
            }
            if ALONE.contains(&name) {
                broken.push(format!("{name} depends on {other}, and should know no other crate (ARCHITECTURE.md)"));
            }
        }
    }
    Ok(broken)
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|crates| crates.contains(&name))
}

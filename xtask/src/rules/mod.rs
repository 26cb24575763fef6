//! `cargo xtask rules`: what the project has agreed on and no compiler checks. Nothing is built.

mod equations;
mod floors;
mod names;
mod packages;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

use crate::mutants;
use crate::shell::{TaskFailure, heading, root};

/// A rule: what it says, and what breaks it.
type Rule = (&'static str, fn() -> Result<Vec<String>, TaskFailure>);

/// Checks every rule; all that are broken are told together.
pub fn all() -> Result<(), TaskFailure> {
    heading("rules");
    let rules: [Rule; 6] = [
        ("crates know only those below them", floors::broken),
        ("a type name stands for one type", names::broken),
        ("an equation number stands for one equation", equations::broken),
        ("files are short enough to read", sizes::broken),
        ("the library without features is small", packages::broken),
        ("mutants of xtask/mutants.toml still apply", mutants::stale),
    ];
    let mut told = Vec::new();
    for (rule, broken) in rules {
        let found = broken()?;
        eprintln!("{} {rule}", if found.is_empty() { "ok    " } else { "BROKEN" });
        told.extend(found.iter().map(|what| format!("  {what}")));
    }
    if told.is_empty() {
        return Ok(());
    }
    Err(TaskFailure { step: "rules".to_owned(), reason: format!("\n{}", told.join("\n")) })
}

/// The Rust files of the repository whose path contains one of the words, from its root, in order.
fn rust_files(words: &[&str]) -> Result<Vec<PathBuf>, TaskFailure> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                if !path.ends_with("target") {
                    collect(&path, files)?;
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
        Ok(())
    }
    let mut files = Vec::new();
    for folder in ["benches", "crates", "fuzz", "python", "xtask"] {
        collect(&root().join(folder), &mut files).map_err(|error| TaskFailure::of(folder, &error))?;
    }
    let inside = |path: PathBuf| path.strip_prefix(root()).map(Path::to_path_buf).unwrap_or(path);
    let mut files: Vec<PathBuf> = files.into_iter().map(inside).collect();
    files.retain(|path| words.iter().any(|word| path.to_string_lossy().contains(word)));
    files.sort();
    Ok(files)
}

/// The text of a file of the repository.
fn text(path: &Path) -> Result<String, TaskFailure> {
    fs::read_to_string(root().join(path)).map_err(|error| TaskFailure::of(&path.display().to_string(), &error))
}

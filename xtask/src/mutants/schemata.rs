//! A copy of the repository with all mutants in it: every listed expression becomes `if mutant::on(NUMBER) { broken } else { as it was }`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::list::{Mutant, text};
use crate::shell::{TaskFailure, root};

const MANIFEST: &str = "[package]\nname = \"mutant\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
const CHOOSER: &str = r#"//! Which mutant is awake.
use std::sync::LazyLock;

static CHOSEN: LazyLock<u64> = LazyLock::new(|| std::env::var("EXTREMAL_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0));

/// Is it this one?
#[inline]
pub fn on(number: u64) -> bool {
    *CHOSEN == number
}
"#;

/// Writes the copy, touching only files that are not as they should be (so that cargo compiles little again), and gives its folder.
pub fn write(list: &[Mutant]) -> Result<PathBuf, TaskFailure> {
    let (from, to) = (root(), root().join("target/mutants/tree"));
    let broken = broken_files(list)?;
    let crates: BTreeSet<String> = list.iter().map(|m| format!("crates/{}/Cargo.toml", m.package())).collect();
    let mut written = BTreeSet::new();
    for file in files()? {
        let original = from.join(&file);
        if !original.is_file() {
            continue;
        }
        if let Some(text) = broken.get(&file) {
            put(&to.join(&file), text.as_bytes())?;
        } else if crates.contains(&file) {
            let manifest =
                text(&original)?.replacen("[dependencies]\n", "[dependencies]\nmutant = { path = \"../mutant\" }\n", 1);
            put(&to.join(&file), manifest.as_bytes())?;
        } else if file == "Cargo.toml" {
            let lints = "[workspace.lints.rust]\n";
            let manifest = text(&original)?.replacen(lints, &format!("{lints}unused_parens = \"allow\"\n"), 1);
            put(&to.join(&file), manifest.as_bytes())?;
        } else if file == "Cargo.lock" && to.join(&file).exists() {
            // Cargo has added the crate of mutants to it.
        } else {
            put(&to.join(&file), &fs::read(&original).map_err(|error| TaskFailure::of(&file, &error))?)?;
        }
        written.insert(file);
    }
    put(&to.join("crates/mutant/Cargo.toml"), MANIFEST.as_bytes())?;
    put(&to.join("crates/mutant/src/lib.rs"), CHOOSER.as_bytes())?;
    forget_others(&to, &written)?;
    Ok(to)
}

/// The texts of the files with mutants.
fn broken_files(list: &[Mutant]) -> Result<BTreeMap<String, String>, TaskFailure> {
    let mut by_file: BTreeMap<&str, BTreeMap<usize, (usize, Vec<&Mutant>)>> = BTreeMap::new();
    for mutant in list {
        let place = mutant.place(&text(&root().join(&mutant.file))?)?;
        let places = by_file.entry(&mutant.file).or_default();
        places.entry(place.start).or_insert((place.end, Vec::new())).1.push(mutant);
    }
    let mut files = BTreeMap::new();
    for (file, places) in by_file {
        let original = text(&root().join(file))?;
        let (mut text, mut last) = (String::new(), 0);
        for (start, (end, mutants)) in places {
            let overlaps =
                || TaskFailure { step: file.to_owned(), reason: format!("mutants overlap: {}", mutants[0].breaks) };
            text.push_str(original.get(last..start).ok_or_else(overlaps)?);
            text.push('(');
            for mutant in &mutants {
                text.push_str(&format!("if ::mutant::on({}) {{ {} }} else ", mutant.number(), mutant.replace));
            }
            text.push_str(&format!("{{ {} }})", &original[start..end]));
            last = end;
        }
        text.push_str(&original[last..]);
        files.insert(file.to_owned(), text);
    }
    Ok(files)
}

/// What git knows, and what it would if it were told.
fn files() -> Result<Vec<String>, TaskFailure> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]).current_dir(root());
    let listed = git.output().map_err(|error| TaskFailure::of("git ls-files", &error))?;
    Ok(String::from_utf8_lossy(&listed.stdout).split('\0').filter(|f| !f.is_empty()).map(str::to_owned).collect())
}

/// Removes what a copy of before had and this one has not.
fn forget_others(tree: &Path, written: &BTreeSet<String>) -> Result<(), TaskFailure> {
    let known = tree.join("copied.txt");
    for file in fs::read_to_string(&known).unwrap_or_default().lines().filter(|file| !written.contains(*file)) {
        fs::remove_file(tree.join(file)).map_err(|error| TaskFailure::of(file, &error))?;
    }
    let lines: Vec<&str> = written.iter().map(String::as_str).collect();
    put(&known, lines.join("\n").as_bytes())
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), TaskFailure> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let failure = |error| TaskFailure::of(&path.display().to_string(), &error);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(failure)?;
    fs::write(path, bytes).map_err(failure)
}

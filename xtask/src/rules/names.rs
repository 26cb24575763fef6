//! One name for one thing: no two types of the workspace have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{rust_files, text};
use crate::shell::TaskFailure;

/// Names that every crate may have, by convention.
const CONVENTIONAL: &[&str] = &["Error", "Options"];

/// Duplicates that are still there: one name in a line. The list only becomes shorter.
const TOLERATED: &str = "xtask/duplicate-names.txt";

pub fn broken() -> Result<Vec<String>, TaskFailure> {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut twice: BTreeSet<String> = BTreeSet::new();
    for path in rust_files(&["/src/"])? {
        for name in text(&path)?.lines().filter_map(defined) {
            let place = path.display().to_string();
            if !places.entry(name.to_owned()).or_default().insert(place) {
                twice.insert(name.to_owned());
            }
        }
    }
    let tolerated = text(Path::new(TOLERATED))?;
    let tolerated: BTreeSet<&str> = tolerated.lines().filter(|line| !line.starts_with('#')).collect();
    twice.extend(places.iter().filter(|(_, files)| files.len() > 1).map(|(name, _)| name.clone()));
    let gone: Vec<&str> = tolerated.iter().filter(|name| !twice.contains(**name)).copied().collect();
    if !gone.is_empty() {
        eprintln!("       (no longer needed in {TOLERATED}: {})", gone.join(", "));
    }
    let new = twice.iter().filter(|name| !tolerated.contains(name.as_str()) && !CONVENTIONAL.contains(&name.as_str()));
    let shown = |name: &String| {
        let files: Vec<&str> = places[name].iter().map(String::as_str).collect();
        format!("the type name {name} is defined more than once: {}; rename the less central one", files.join(", "))
    };
    Ok(new.map(shown).collect())
}

/// The name of the type that a line defines. Associated types belong to their trait and are none.
fn defined(line: &str) -> Option<&str> {
    let indented = line.starts_with(' ');
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "union") || keyword == "type" && !indented;
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (is_type && name.starts_with(char::is_uppercase)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::defined;

    #[test]
    fn definitions_are_told_from_uses() {
        assert_eq!(defined("pub(crate) struct Held<'a> {"), Some("Held"));
        assert_eq!(defined("    enum Inner {"), Some("Inner"));
        assert_eq!(defined("type Rows = Vec<f64>;"), Some("Rows"));
        assert_eq!(defined("pub trait March: Send {"), Some("March"));
        for other in
            ["    type Output = f64;", "impl Held {", "let type_of = 1;", "/// struct Held", "pub use a::Held;"]
        {
            assert_eq!(defined(other), None, "{other}");
        }
    }
}

//! The list of mutants, and what it says of each.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::shell::{TaskFailure, root};

/// One expression of the core, broken.
pub struct Mutant {
    /// The file, from the root of the repository.
    pub file: String,
    /// A piece of text that occurs once in it; « and » around the expression that is broken, if that is not all of it.
    find: String,
    /// The expression instead.
    pub replace: String,
    /// What that breaks.
    pub breaks: String,
    /// A nextest filter of the tests that are tried first.
    tests: Option<String>,
    /// Why no test can kill it.
    pub survives: Option<String>,
}

impl Mutant {
    /// The same number as long as the mutant is the same, whatever else is in the list. Never 0.
    pub fn number(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.file, &self.find, &self.replace).hash(&mut hasher);
        hasher.finish() | 1
    }

    /// Is it chosen by one of these words?
    pub fn is_meant_by(&self, words: &[&str]) -> bool {
        words.is_empty() || words.iter().any(|word| self.file.contains(word) || self.breaks.contains(word))
    }

    /// What is tried first: the tests it names, or those of its crate.
    pub fn first_tests(&self) -> String {
        self.tests.clone().unwrap_or_else(|| format!("package({})", self.package()))
    }

    /// The crate it is in.
    pub fn package(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }

    /// Where its expression is in the text of its file.
    pub fn place(&self, text: &str) -> Result<std::ops::Range<usize>, TaskFailure> {
        let (before, rest) = self.find.split_once('«').unwrap_or(("", &self.find));
        let (expression, after) = rest.split_once('»').unwrap_or((rest, ""));
        let whole = [before, expression, after].concat();
        let mut found = text.match_indices(&whole).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at + before.len()..at + before.len() + expression.len()),
            (None, _) => Err(self.stale("does not occur")),
            (Some(_), Some(_)) => Err(self.stale("occurs more than once")),
        }
    }

    fn stale(&self, how: &str) -> TaskFailure {
        TaskFailure { step: "mutants".to_owned(), reason: format!("{}: `{}` {how}", self.file, self.find) }
    }

    /// Why the tests it names are not there.
    fn missing_tests(&self) -> Option<String> {
        let filter = self.tests.as_deref()?;
        let named = |word: &str| filter.split_once(word).and_then(|(_, rest)| rest.split(')').next());
        let Some(binary) = named("binary_id(").or_else(|| named("package(")) else {
            return Some(format!("`{filter}` names no binary"));
        };
        let (package, target) = binary.split_once("::").unwrap_or((binary, ""));
        let folder = root().join("crates").join(package);
        let places = match target {
            "" => vec![folder.join("src"), folder.join("tests")],
            target => vec![folder.join("tests").join(target), folder.join("tests").join(target).with_extension("rs")],
        };
        if !places.iter().any(|place| place.exists()) {
            return Some(format!("there are no tests `{binary}`"));
        }
        let name = named("test(=")?.rsplit("::").next()?;
        let found = places.iter().any(|place| contains(place, &format!("fn {name}(")));
        (!found).then(|| format!("`{binary}` has no test `{name}`"))
    }
}

/// The list as it is now.
pub fn read() -> Result<Vec<Mutant>, TaskFailure> {
    let path = root().join("xtask/mutants.toml");
    let failure = |reason: String| TaskFailure { step: path.display().to_string(), reason };
    let text = text(&path)?;
    let table = DeTable::parse(&text).map_err(|error| failure(error.to_string()))?;
    let entries = table.get_ref().get("mutant").and_then(|entries| entries.get_ref().as_array());
    let read_one = |entry: &DeValue<'_>| -> Result<Mutant, String> {
        let optional = |key: &str| entry.get(key).and_then(|value| value.get_ref().as_str()).map(str::to_owned);
        let needed = |key: &str| optional(key).ok_or_else(|| format!("`{key}` is missing in {entry:?}"));
        Ok(Mutant {
            file: needed("file")?,
            find: needed("find")?,
            replace: needed("replace")?,
            breaks: needed("breaks")?,
            tests: optional("tests"),
            survives: optional("survives"),
        })
    };
    let entries = entries.ok_or_else(|| failure("no mutants".to_owned()))?;
    entries.iter().map(|entry| read_one(entry.get_ref()).map_err(failure)).collect()
}

/// What of the list no longer fits the code: expressions that are gone, tests that are gone, mutants that stand twice.
pub fn stale() -> Result<Vec<String>, TaskFailure> {
    let list = read()?;
    let mut stale = Vec::new();
    let mut numbers = BTreeSet::new();
    for mutant in &list {
        let place = text(&root().join(&mutant.file)).and_then(|text| mutant.place(&text));
        stale.extend(place.err().map(|failure| failure.to_string()));
        stale.extend(mutant.missing_tests().map(|why| format!("the mutant `{}`: {why}", mutant.breaks)));
        if !numbers.insert(mutant.number()) {
            stale.push(format!("the mutant `{}` stands twice", mutant.breaks));
        }
    }
    Ok(stale)
}

/// Does a file, or one in a folder, contain this text?
fn contains(place: &Path, words: &str) -> bool {
    match fs::read_dir(place) {
        Ok(entries) => entries.flatten().any(|entry| contains(&entry.path(), words)),
        Err(_) => fs::read_to_string(place).is_ok_and(|text| text.contains(words)),
    }
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String, TaskFailure> {
    fs::read_to_string(path).map_err(|error| TaskFailure::of(&path.display().to_string(), &error))
}

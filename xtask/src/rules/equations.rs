//! One number for one equation: those of docs/theory.md are unique, and those that pages and comments cite exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{rust_files, text};
use crate::shell::TaskFailure;

const THEORY: &str = "docs/theory.md";

pub fn broken() -> Result<Vec<String>, TaskFailure> {
    let theory = text(Path::new(THEORY))?;
    let mut known = BTreeSet::new();
    let twice = defined(&theory).filter(|number| !known.insert(*number));
    let mut told: Vec<String> = twice.map(|number| format!("{THEORY}: two equations are ({number})")).collect();
    let pages = [THEORY, "docs/cli.md", "docs/model-file.md"].map(PathBuf::from);
    let files = pages.into_iter().chain(rust_files(&["/src/"])?);
    for path in files {
        let (text, is_page) = (text(&path)?, path.extension().is_some_and(|extension| extension == "md"));
        let lines = text.lines().filter(|line| is_page || line.trim_start().starts_with("//"));
        let unknown = lines.flat_map(cited).filter(|number| !known.contains(number));
        told.extend(unknown.map(|number| format!("{}: {THEORY} has no equation ({number})", path.display())));
    }
    Ok(told)
}

/// The numbers that a page gives: tags of formulas, and numbers in bold or at the start of a row.
fn defined(page: &str) -> impl Iterator<Item = &str> {
    let after = |start: &'static str, end: &'static str| {
        page.split(start).skip(1).filter_map(move |rest| rest.split_once(end)).map(|(number, _)| number)
    };
    let all = after("\\tag{", "}").chain(after("**(", ")**")).chain(after("\n| (", ") "));
    all.filter(|number| is_number(number))
}

/// The numbers in parentheses of a line.
fn cited(line: &str) -> impl Iterator<Item = &str> {
    let inside = line.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    inside.map(|(number, _)| number).filter(|number| is_number(number))
}

/// A capital letter and digits, as in `E9`.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(|c: char| c.is_ascii_uppercase());
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{cited, defined};

    #[test]
    fn numbers_are_told_from_other_parentheses() {
        let page = "$$ a = b. \\tag{E9} $$\n* the rule **(R4)**\n| (K6) `yoshida6` | 7 |\n| (see E1) |";
        assert_eq!(defined(page).collect::<Vec<_>>(), ["E9", "R4", "K6"]);
        let line = "// By (E9), with f(S1) and [LM] (77), (D5)–(D7) in gauss(S).";
        assert_eq!(cited(line).collect::<Vec<_>>(), ["E9", "S1", "D5", "D7"]);
    }
}

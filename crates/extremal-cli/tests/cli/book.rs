//! The book: its table of contents is all of it, its links lead somewhere, and what it wants changed in a model can be changed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::pages::BOOK;

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of the book with this extension, below `book/src`.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|other| other == extension) {
            found.push(path);
        }
    }
    found
}

/// What stands in parentheses behind a text in brackets, pictures too; not in code.
fn links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2).flat_map(|text| text.split('`').step_by(2));
    prose.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// The places that links may lead to: headings as mdBook and GitHub name them.
fn places(page: &str) -> BTreeSet<String> {
    let prose: Vec<&str> = page.split("```").step_by(2).collect();
    let headings = prose.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with('#'));
    let slug = |line: &str| -> String {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

/// The text of a page; one that only includes another is that other.
fn page_at(path: &Path) -> (PathBuf, String) {
    let page = text(path);
    match page.trim().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
        Some(file) => page_at(&path.parent().unwrap().join(file)),
        None => (path.to_owned(), page),
    }
}

#[test]
fn the_table_of_contents_has_every_chapter_once() {
    let listed: Vec<PathBuf> =
        links(&text(&Path::new(BOOK).join("SUMMARY.md"))).into_iter().map(|link| Path::new(BOOK).join(link)).collect();
    let mut there = files(Path::new(BOOK), "md");
    there.retain(|path| !path.ends_with("SUMMARY.md"));
    let (unique, there): (BTreeSet<_>, BTreeSet<_>) = (listed.iter().cloned().collect(), there.into_iter().collect());
    assert_eq!(unique.len(), listed.len(), "a chapter is listed twice");
    assert_eq!(unique, there);
}

#[test]
fn links_of_the_book_lead_somewhere() {
    let mut followed = 0;
    for path in files(Path::new(BOOK), "md") {
        let (path, page) = page_at(&path);
        for link in links(&page).into_iter().filter(|link| !link.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", path.display());
            if !place.is_empty() {
                let (_, page) = page_at(&target);
                assert!(places(&page).contains(place), "{}: {link} names no heading", path.display());
            }
            followed += 1;
        }
    }
    assert!(followed > 100, "only {followed} links were found");
}

/// A picture is there because a command of its page draws it, and every file of pictures is shown.
#[test]
fn pictures_of_the_book_are_drawn_by_commands_of_their_pages() {
    let mut shown = BTreeSet::new();
    for path in files(Path::new(BOOK), "md") {
        let page = text(&path);
        for file in links(&page).into_iter().filter_map(|link| link.strip_prefix("pictures/")) {
            let is_drawn = |code: &str| code.starts_with("extremal ") && code.split(' ').any(|word| word == file);
            let drawn = page.split('`').skip(1).step_by(2).any(is_drawn);
            assert!(drawn, "{}: no command draws {file}", path.display());
            shown.insert(file.to_owned());
        }
    }
    let there = files(&Path::new(BOOK).join("pictures"), "svg").into_iter();
    let there: BTreeSet<String> = there.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    assert_eq!(shown, there);
}

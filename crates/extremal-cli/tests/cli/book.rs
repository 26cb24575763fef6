//! The book: its table of contents is all of it, its links lead somewhere, and its models and commands run, and every system of the sources is in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use extremal_testkit::program::{Folder, call, call_with_input};

use crate::pages::{BOOK, commands, fenced, models, pages, words};

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

/// A chapter of the book, and not a page of its reference: its text.
fn chapters() -> Vec<(String, String)> {
    let mut there = files(Path::new(BOOK), "md");
    there.retain(|path| path.parent().is_some_and(|folder| folder.ends_with("src")));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    there.iter().map(|path| (name(path), text(path))).collect()
}

/// The built-in models that a page names.
fn built_in(page: &str) -> BTreeSet<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
    page.split("gallery:").skip(1).map(name).filter(|name: &String| !name.is_empty() && name != "NAME").collect()
}

/// Whatever the page about the five sources has a model for, a chapter tells of.
#[test]
fn every_system_of_the_sources_is_in_a_chapter() {
    let (_, sources) = pages().iter().find(|(name, _)| name == "docs/papers.md").unwrap();
    let told: BTreeSet<String> = chapters().iter().flat_map(|(_, page)| built_in(page)).collect();
    let untold: Vec<String> = built_in(sources).into_iter().filter(|name| !told.contains(name)).collect();
    assert!(untold.is_empty(), "no chapter of the book tells of {untold:?}");
}

/// A whole model does what it says; a part of one stands in the built-in model named before it, or is one more of the model shown before it.
#[test]
fn models_that_pages_show_run() {
    let mut whole = 0;
    // The first page shows what there is, in parts of no model.
    for (name, page) in pages().iter().filter(|(name, _)| name != "README.md") {
        let mut shown = "";
        for (before, _, model) in fenced(page).filter(|(_, kind, _)| *kind == "toml") {
            let has = |table: &str| model.lines().any(|line| line == table);
            let named = before.rsplit("gallery:").next().map(|rest| built_in(&format!("gallery:{rest}")));
            let stated = named.and_then(|names| names.into_iter().next()).filter(|_| before.contains("gallery:"));
            let stated = stated.map(|name| call(&["gallery", &name]).succeeded()).unwrap_or_default();
            let model = match () {
                () if has("[simulation]") || has("[boundary]") => {
                    whole += 1;
                    shown = model;
                    model.to_owned()
                }
                () if model.lines().all(|line| stated.lines().any(|other| other == line)) => continue,
                () => format!("{shown}{model}"),
            };
            let derived = call_with_input(&["derive", "-", "--form", "lagrange"], &model);
            assert_eq!(derived.code, Some(0), "{name}: {}\n{model}", derived.stderr);
            // Some systems of the sources have no motion, which that page shows.
            if name == "docs/papers.md" {
                continue;
            }
            let command = if model.lines().any(|line| line == "[boundary]") { "solve" } else { "run" };
            // A model without an end goes on for a second.
            let mut arguments = vec![command, "-", "--quiet"];
            if command == "run" && !model.lines().any(|line| line.starts_with("until")) {
                arguments.extend(["--until", "1"]);
            }
            let called = call_with_input(&arguments, &model);
            assert_eq!(called.code, Some(0), "{name}: {}\n{model}", called.stderr);
        }
    }
    assert!(whole > 20, "only {whole} models were found");
}

/// What a chapter tells a reader to call can be called; what it writes is there for the next one.
#[test]
fn commands_of_the_chapters_run() {
    let folder = Folder::new();
    for (file, model) in models() {
        fs::write(folder.path(&file), model).unwrap();
    }
    let mut called = 0;
    for (name, page) in chapters() {
        for command in commands(&page, "extremal ") {
            let (command, file) = command.split_once(" > ").map_or((command, None), |(c, file)| (c, Some(file)));
            // A word in capitals stands for what the reader has.
            let words = words(command);
            if words.iter().any(|word| word.len() > 1 && word.chars().all(|c| c.is_ascii_uppercase())) {
                continue;
            }
            let arguments: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
            let output = folder.call(&arguments);
            assert_eq!(output.code, Some(0), "{name}: `{command}`\n{}", output.stderr);
            if let Some(file) = file {
                fs::write(folder.path(file), output.stdout).unwrap();
            }
            called += 1;
        }
    }
    assert!(called > 60, "only {called} commands were found");
}

//! The book: `book/src`, laid out as mdBook wants it, as pages in `target/book` that need nothing else. Where there is a compiler for browsers, its models run
//! in them, by the studio without a server.

mod links;
mod markdown;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::shell::{TaskFailure, heading, root};
use crate::{browser, files, page};
use markdown::{Surroundings, rendered};

const STYLE: &str = include_str!("../../../book/book.css");
/// What lets readers run the models of a page.
const SCRIPT: &str = include_str!("../../../book/run.js");
const FIRST: &str = "index.html";

/// A page as the table of contents lists it.
struct Chapter {
    title: String,
    /// Below `book/src`.
    file: String,
    /// In front of its list, where a part begins.
    part: Option<String>,
}

impl Chapter {
    fn page(&self) -> String {
        // All in one folder, so that links are names.
        let name = self.file.replace('/', "-").replace(".md", ".html");
        if self.file == "introduction.md" { FIRST.to_owned() } else { name }
    }
}

fn failure(reason: impl Into<String>) -> TaskFailure {
    TaskFailure { step: "book".to_owned(), reason: reason.into() }
}

fn lost(reason: io::Error) -> TaskFailure {
    failure(reason.to_string())
}

/// Builds the book with the studio in it, where that can be compiled; returns where it is.
pub fn build() -> Result<PathBuf, TaskFailure> {
    let studio = if page::can_be_built() {
        Some(page::build()?)
    } else {
        eprintln!("{}: the models of the book can be read in it and not run", page::MISSING);
        None
    };
    heading("book");
    let (source, target) = (root().join("book/src"), root().join("target/book"));
    let chapters = chapters(&fs::read_to_string(source.join("SUMMARY.md")).map_err(lost)?);
    if target.exists() {
        fs::remove_dir_all(&target).map_err(lost)?;
    }
    fs::create_dir_all(&target).map_err(lost)?;
    fs::write(target.join("book.css"), STYLE).map_err(lost)?;
    if let Some(studio) = &studio {
        fs::write(target.join("run.js"), SCRIPT).map_err(lost)?;
        for entry in fs::read_dir(studio).map_err(lost)? {
            let path = entry.map_err(lost)?.path();
            copy(&path, &target.join("studio").join(path.file_name().unwrap_or_default()))?;
        }
    }
    let pages: HashMap<PathBuf, String> =
        chapters.iter().map(|chapter| (origin(&source, &chapter.file), chapter.page())).collect();
    let mut around = Surroundings { pages: &pages, files: BTreeMap::new() };
    for (at, chapter) in chapters.iter().enumerate() {
        let from = origin(&source, &chapter.file);
        let text = fs::read_to_string(&from).map_err(lost)?;
        let body = rendered(&text, &from, &mut around);
        let body = body.map_err(|error| failure(format!("{}: {error}", chapter.file)))?;
        let page = page(&chapters, at, &body, studio.is_some());
        fs::write(target.join(chapter.page()), page).map_err(lost)?;
    }
    for (name, path) in &around.files {
        copy(path, &target.join(name))?;
    }
    let followed = links::all_lead_somewhere(&target).map_err(failure)?;
    eprintln!("{} pages with {followed} links within the book: {}", chapters.len(), target.join(FIRST).display());
    Ok(target)
}

/// Builds the book, and uses it in a browser where its models run.
pub fn tests() -> Result<(), TaskFailure> {
    let folder = build()?;
    if folder.join("run.js").exists() { browser::book_tests(&folder) } else { Ok(()) }
}

/// Builds the book and serves it to this machine until it is told to stop.
pub fn serve() -> Result<(), TaskFailure> {
    let address = files::serve(build()?)?;
    eprintln!("\n{address} until Ctrl+C");
    loop {
        std::thread::park();
    }
}

/// Copies a file into a folder that may not be there yet.
fn copy(from: &Path, to: &Path) -> Result<(), TaskFailure> {
    fs::create_dir_all(to.parent().unwrap_or(to)).map_err(lost)?;
    fs::copy(from, to).map(drop).map_err(lost)
}

/// The file that a chapter is written in: one that only includes another one is that other one.
fn origin(source: &Path, file: &str) -> PathBuf {
    let path = source.join(file);
    let included = fs::read_to_string(&path).ok().and_then(|text| {
        let name = text.trim().strip_prefix("{{#include ")?.strip_suffix("}}")?.to_owned();
        path.parent().map(|folder| folder.join(name))
    });
    let path = included.unwrap_or(path);
    path.canonicalize().unwrap_or(path)
}

/// The links of the table of contents, in their order.
fn chapters(summary: &str) -> Vec<Chapter> {
    let mut part = None;
    let mut chapters = Vec::new();
    for line in summary.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
            part = Some(title.to_owned());
        }
        let link = line.trim_start().trim_start_matches("- ").strip_prefix('[').and_then(|rest| rest.split_once("]("));
        if let Some((title, file)) = link {
            let file = file.trim_end_matches(')').to_owned();
            chapters.push(Chapter { title: title.to_owned(), file, part: part.take() });
        }
    }
    chapters
}

/// A page with the contents of the book beside it; `runs` says that its models do.
fn page(chapters: &[Chapter], at: usize, body: &str, runs: bool) -> String {
    let mut contents = String::new();
    for (other, chapter) in chapters.iter().enumerate() {
        if let Some(part) = &chapter.part {
            contents += &format!("</ul><h2>{part}</h2><ul>");
        }
        let here = if other == at { " aria-current=\"page\"" } else { "" };
        contents += &format!("<li><a href=\"{}\"{here}>{}</a></li>", chapter.page(), chapter.title);
    }
    let link = |chapter: Option<&Chapter>, relation: &str, mark: &str| {
        let link = chapter
            .map(|chapter| format!("<a rel=\"{relation}\" href=\"{}\">{mark} {}</a>", chapter.page(), chapter.title));
        link.unwrap_or_else(|| "<span></span>".to_owned())
    };
    let before = link(at.checked_sub(1).and_then(|at| chapters.get(at)), "prev", "←");
    let after = link(chapters.get(at + 1), "next", "→");
    let title = &chapters[at].title;
    let script = if runs { "<script src=\"run.js\" defer></script>" } else { "" };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · extremal</title>\n<link rel=\"stylesheet\" href=\"book.css\">{script}</head>\n\
         <body><nav aria-label=\"Contents\"><details><summary>Contents</summary><ul>{contents}</ul></details></nav>\n\
         <main>\n{body}<footer>{before}{after}</footer>\n</main></body></html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_contents_is_read_in_order() {
        let chapters =
            chapters("# Summary\n\n[First](introduction.md)\n\n# Part\n\n- [Second](a.md)\n  - [Third](b.md)\n");
        let found: Vec<_> = chapters.iter().map(|c| (c.title.as_str(), c.page(), c.part.as_deref())).collect();
        let expected = [("First", "index.html", None), ("Second", "a.html", Some("Part")), ("Third", "b.html", None)];
        assert_eq!(found, expected.map(|(title, page, part)| (title, page.to_owned(), part)));
    }
}

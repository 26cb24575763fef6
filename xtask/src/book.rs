//! The book: `book/src`, laid out as mdBook wants it, as pages in `target/book` that need nothing else.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Storage, push_mathml};

use crate::shell::{TaskFailure, heading, root};

const STYLE: &str = include_str!("../../book/book.css");
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

pub fn build() -> Result<(), TaskFailure> {
    heading("book");
    let failure = |reason: io::Error| TaskFailure { step: "book".to_owned(), reason: reason.to_string() };
    let wrong = |reason: String| TaskFailure { step: "book".to_owned(), reason };
    let (source, target) = (root().join("book/src"), root().join("target/book"));
    let chapters = chapters(&fs::read_to_string(source.join("SUMMARY.md")).map_err(failure)?);
    if target.exists() {
        fs::remove_dir_all(&target).map_err(failure)?;
    }
    fs::create_dir_all(target.join("pictures")).map_err(failure)?;
    fs::write(target.join("book.css"), STYLE).map_err(failure)?;
    let pages: HashMap<PathBuf, String> =
        chapters.iter().map(|chapter| (origin(&source, &chapter.file), chapter.page())).collect();
    for (at, chapter) in chapters.iter().enumerate() {
        let from = origin(&source, &chapter.file);
        let text = fs::read_to_string(&from).map_err(failure)?;
        let mut pictures = Vec::new();
        let body = rendered(&text, &from, &pages, &mut pictures);
        let body = body.map_err(|error| wrong(format!("{}: {error}", chapter.file)))?;
        for picture in pictures {
            fs::copy(&picture, target.join("pictures").join(picture.file_name().unwrap_or_default()))
                .map_err(failure)?;
        }
        let page = page(&chapters, at, &body);
        fs::write(target.join(chapter.page()), page).map_err(failure)?;
    }
    eprintln!("{} pages: {}", chapters.len(), target.join(FIRST).display());
    Ok(())
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

/// A heading's place in a page, as mdBook and GitHub name it.
fn slug(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_lowercase().next().unwrap_or(c) }).collect()
}

/// A formula that stands alone, with its numbers beside it.
fn display(latex: &str) -> Result<String, String> {
    let (mut plain, mut numbers, mut rest) = (String::new(), Vec::new(), latex);
    while let Some((before, after)) = rest.split_once("\\tag{") {
        let (number, after) = after.split_once('}').ok_or_else(|| format!("a number without an end: {latex}"))?;
        plain.push_str(before);
        numbers.push(format!("({number})"));
        rest = after;
    }
    plain.push_str(rest);
    let math = formula(&plain, DisplayMode::Block)?;
    let numbers = numbers.join(" ");
    Ok(if numbers.is_empty() { math } else { format!("<span class=\"numbered\">{math}<span>{numbers}</span></span>") })
}

/// A formula as MathML; LaTeX that is not understood is an error.
fn formula(latex: &str, mode: DisplayMode) -> Result<String, String> {
    let storage = Storage::new();
    let parsed: Result<Vec<_>, _> = pulldown_latex::Parser::new(latex, &storage).collect();
    parsed.map_err(|error| format!("the formula {latex}: {error}"))?;
    let config = RenderConfig { display_mode: mode, ..RenderConfig::default() };
    let mut out = String::new();
    push_mathml(&mut out, pulldown_latex::Parser::new(latex, &storage), config).map_err(|error| error.to_string())?;
    Ok(out)
}

/// A page, and the pictures that are in it.
fn rendered(
    text: &str,
    from: &Path,
    pages: &HashMap<PathBuf, String>,
    pictures: &mut Vec<PathBuf>,
) -> Result<String, String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for event in Parser::new_ext(text, options) {
        events.push(match event {
            Event::InlineMath(latex) => Event::InlineHtml(formula(&latex, DisplayMode::Inline)?.into()),
            Event::DisplayMath(latex) => Event::InlineHtml(display(&latex)?.into()),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = target(&dest_url, from, pages)?;
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let path = from.parent().unwrap_or(from).join(&*dest_url);
                let path = path.canonicalize().map_err(|_| format!("there is no picture {dest_url}"))?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let dest_url = format!("pictures/{name}").into();
                pictures.push(path);
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) if &*kind == "text" => {
                Event::Html("<pre class=\"result\"><code>".into())
            }
            event => event,
        });
        if let Some(Event::End(TagEnd::Heading(_))) = events.last() {
            name_heading(&mut events, &mut seen);
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, closed(events).into_iter());
    Ok(out)
}

/// What printed text is between: its own opening is closed in the same way.
fn closed(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut own = false;
    let close = |event: Event<'_>| match event {
        Event::Html(ref html) if html.starts_with("<pre class") => {
            own = true;
            event.into_static()
        }
        Event::End(TagEnd::CodeBlock) if std::mem::take(&mut own) => Event::Html("</code></pre>\n".into()),
        event => event.into_static(),
    };
    events.into_iter().map(close).collect()
}

/// Gives the heading that ends here its place.
fn name_heading(events: &mut [Event<'_>], seen: &mut HashMap<String, usize>) {
    let begin = events.iter().rposition(|event| matches!(event, Event::Start(Tag::Heading { .. })));
    let Some(begin) = begin else { return };
    let text: String = events[begin..]
        .iter()
        .map(|event| match event {
            Event::Text(text) | Event::Code(text) => &**text,
            _ => "",
        })
        .collect();
    let slug = slug(&text);
    let count = seen.entry(slug.clone()).or_default();
    let name = if *count == 0 { slug } else { format!("{slug}-{count}") };
    *count += 1;
    if let Event::Start(Tag::Heading { id, .. }) = &mut events[begin] {
        *id = Some(CowStr::from(name));
    }
}

/// Where a link leads: to another page of the book, or to a file of the repository, which is named as it is.
fn target<'a>(link: &CowStr<'a>, from: &Path, pages: &HashMap<PathBuf, String>) -> Result<CowStr<'a>, String> {
    if link.contains("://") || link.starts_with('#') {
        return Ok(link.clone());
    }
    let (file, place) =
        link.split_once('#').map_or((&**link, String::new()), |(file, place)| (file, format!("#{place}")));
    let path = from.parent().unwrap_or(from).join(file);
    let path = path.canonicalize().map_err(|_| format!("the link {link} leads nowhere"))?;
    Ok(match pages.get(&path) {
        Some(page) => format!("{page}{place}").into(),
        None => {
            let root = root().canonicalize().unwrap_or_default();
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            format!("../../{inside}{place}").into()
        }
    })
}

fn page(chapters: &[Chapter], at: usize, body: &str) -> String {
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
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · extremal</title>\n<link rel=\"stylesheet\" href=\"book.css\"></head>\n\
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

    #[test]
    fn formulas_headings_and_results_are_set() {
        let text = "# A *b* `c`\n\n# A b c\n\n$x_1^2$\n\n```text\na < b\n```\n";
        let html = rendered(text, Path::new("."), &HashMap::new(), &mut Vec::new()).unwrap();
        assert!(html.contains("<h1 id=\"a-b-c\">") && html.contains("<h1 id=\"a-b-c-1\">"), "{html}");
        assert!(
            html.contains("<math") && html.contains("<pre class=\"result\"><code>a &lt; b\n</code></pre>"),
            "{html}"
        );
        for wrong in ["[x](nowhere.md)", "![x](nowhere.svg)", "$\\unknowncommand{x}$"] {
            assert!(rendered(wrong, Path::new("."), &HashMap::new(), &mut Vec::new()).is_err(), "{wrong}");
        }
    }
}

//! A chapter as HTML: formulas as MathML, headings with places, models that can be run, links within the book.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::config::{DisplayMode, RenderConfig};
use pulldown_latex::{Storage, push_mathml};

use crate::shell::root;

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

/// A formula within a line. A long one gets an element of its own, because browsers end no line in it: on a narrow page it scrolls.
fn inline(latex: &str) -> Result<String, String> {
    const LONG: usize = 40;
    let math = formula(latex, DisplayMode::Inline)?;
    Ok(if latex.len() > LONG { format!("<span class=\"long\">{math}</span>") } else { math })
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

/// The book around a chapter: where links lead, and what has to be beside the pages for them.
pub struct Surroundings<'b> {
    /// Pages by the files that they are written in.
    pub pages: &'b HashMap<PathBuf, String>,
    /// Files by the names under which pages ask for them.
    pub files: BTreeMap<String, PathBuf>,
}

/// A chapter that is written in the file `from`.
pub fn rendered(text: &str, from: &Path, around: &mut Surroundings<'_>) -> Result<String, String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut parser = Parser::new_ext(text, options);
    while let Some(event) = parser.next() {
        let event = match event {
            Event::InlineMath(latex) => Event::InlineHtml(inline(&latex)?.into()),
            Event::DisplayMath(latex) => Event::InlineHtml(display(&latex)?.into()),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = target(&dest_url, from, around)?;
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let path = from.parent().unwrap_or(from).join(&*dest_url);
                let path = path.canonicalize().map_err(|_| format!("there is no picture {dest_url}"))?;
                let dest_url = around.beside("pictures", path).into();
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(kind))) => {
                let inside = parser.by_ref().take_while(|event| !matches!(event, Event::End(TagEnd::CodeBlock)));
                let mut code = String::new();
                for event in inside {
                    if let Event::Text(text) = event {
                        code.push_str(&text);
                    }
                }
                let [open, close] = around_block(&kind, &code);
                events.extend([Event::Html(open.into()), Event::Text(code.into())]);
                Event::Html(close.into())
            }
            event => event,
        };
        events.push(event);
        if let Some(Event::End(TagEnd::Heading(_))) = events.last() {
            name_heading(&mut events, &mut seen);
        }
    }
    let mut out = String::new();
    html::push_html(&mut out, events.into_iter());
    Ok(out)
}

/// What a block of code stands between: what a program has printed, a model that can be run, or text.
fn around_block(kind: &str, code: &str) -> [String; 2] {
    match kind {
        "text" => ["<pre class=\"result\"><code>".to_owned(), "</code></pre>\n".to_owned()],
        "toml" if is_whole(code) => {
            let file = file_of(code);
            let open = format!("<div class=\"model\" data-file=\"{file}\"><pre><code class=\"language-toml\">");
            [open, "</code></pre></div>\n".to_owned()]
        }
        _ => [format!("<pre><code class=\"language-{kind}\">"), "</code></pre>\n".to_owned()],
    }
}

/// Is it a whole model, and not a part of one? Such blocks say how they are run or solved.
fn is_whole(code: &str) -> bool {
    code.lines().any(|line| matches!(line, "[simulation]" | "[boundary]"))
}

/// What the file of a model is called: that of the model `Spring pendulum` is `spring-pendulum.toml`.
fn file_of(code: &str) -> String {
    let name = code.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap_or("model");
    let name = name.to_lowercase();
    let words: Vec<&str> = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!("{}.toml", words.join("-"))
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

impl Surroundings<'_> {
    /// Puts a file into a folder beside the pages; returns how they name it.
    fn beside(&mut self, folder: &str, path: PathBuf) -> String {
        let name = format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy());
        self.files.insert(name.clone(), path);
        name
    }
}

/// Where a link leads: to another page of the book, or to a file that is put beside it. The folder of the gallery is the page about it.
fn target<'a>(link: &CowStr<'a>, from: &Path, around: &mut Surroundings<'_>) -> Result<CowStr<'a>, String> {
    if link.contains("://") || link.starts_with('#') {
        return Ok(link.clone());
    }
    let (file, place) =
        link.split_once('#').map_or((&**link, String::new()), |(file, place)| (file, format!("#{place}")));
    let path = from.parent().unwrap_or(from).join(file);
    let mut path = path.canonicalize().map_err(|_| format!("the link {link} leads nowhere"))?;
    if path.is_dir() {
        path = root().join("docs").join(path.file_name().unwrap_or_default()).with_extension("md");
        path = path.canonicalize().map_err(|_| format!("no page is about the folder {link}"))?;
    }
    Ok(match around.pages.get(&path) {
        Some(page) => format!("{page}{place}").into(),
        None => {
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
            around.beside(&folder, path).into()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Result<String, String> {
        rendered(text, Path::new("."), &mut Surroundings { pages: &HashMap::new(), files: BTreeMap::new() })
    }

    #[test]
    fn formulas_headings_and_results_are_set() {
        let html = page("# A *b* `c`\n\n# A b c\n\n$x_1^2$\n\n```text\na < b\n```\n").unwrap();
        assert!(html.contains("<h1 id=\"a-b-c\">") && html.contains("<h1 id=\"a-b-c-1\">"), "{html}");
        assert!(
            html.contains("<math") && html.contains("<pre class=\"result\"><code>a &lt; b\n</code></pre>"),
            "{html}"
        );
        for wrong in ["[x](nowhere.md)", "![x](nowhere.svg)", "$\\unknowncommand{x}$"] {
            assert!(page(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn models_are_told_from_parts_of_models() {
        let whole = page("```toml\nname = \"My first, small model\"\n[simulation]\nstep = 1\n```\n").unwrap();
        assert!(whole.starts_with("<div class=\"model\" data-file=\"my-first-small-model.toml\"><pre>"), "{whole}");
        let part = page("```toml\n[stop]\nperiod = { when = \"x\" }\n```\n").unwrap();
        assert!(part.starts_with("<pre><code class=\"language-toml\">[stop]\n"), "{part}");
    }
}

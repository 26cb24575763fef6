//! Diagnostics as text for a terminal: the message, the marked lines of the source, the help.

use std::borrow::Cow;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity, Span};

/// The width long source lines are cut to.
const WIDTH: usize = 120;

/// All diagnostics, one after the other, each with the lines of `source` it points at.
///
/// ```
/// use extremal_model::{Model, Overrides, render};
/// let text = "[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"x'^2/2 - k*x^2\"\n";
/// let invalid = Model::load(text, &Overrides::default()).unwrap_err();
/// let shown = render(&invalid.diagnostics, "spring.toml", text, false);
/// assert!(shown.contains("spring.toml:4:24"), "{shown}");
/// ```
pub fn render(diagnostics: &[Diagnostic], file_name: &str, source: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Unicode).term_width(WIDTH);
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&renderer.render(&[group(diagnostic, file_name, source)]));
        out.push_str("\n\n");
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn group<'a>(diagnostic: &'a Diagnostic, file_name: &'a str, source: &'a str) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.name()));
    if !diagnostic.labels.is_empty() {
        let mut snippet = Snippet::source(source).path(visible(file_name));
        for (position, label) in diagnostic.labels.iter().enumerate() {
            let kind = if position == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!label.text.is_empty()).then(|| visible(&label.text));
            snippet = snippet.annotation(kind.span(on_characters(&label.span, source)).label(text));
        }
        group = group.element(snippet);
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(visible(help))),
        None => group,
    }
}

/// Names in messages are the user's: a terminal must not obey them. (The lines of the source are shown so by the renderer.)
fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n';
    match text.contains(obeyed) {
        false => Cow::Borrowed(text),
        true => Cow::Owned(text.chars().map(|c| if obeyed(c) { '\u{fffd}' } else { c }).collect()),
    }
}

/// The span moved to character borders inside the source, so that a wrong span can never break the rendering.
fn on_characters(span: &Span, source: &str) -> Span {
    let start = source.floor_char_boundary(span.start.min(source.len()));
    let end = source.ceil_char_boundary(span.end.clamp(start, source.len()));
    start..end
}

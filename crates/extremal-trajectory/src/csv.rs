//! Comma-separated text, as RFC 4180 describes it: what is written and what is read.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::frame::Frame;
use crate::number::push_shortest;

/// The line of names.
pub(crate) fn header<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<Cow<'_, str>> = names.map(quoted).collect();
    format!("{}\n", names.join(","))
}

/// The rows of a frame. Numbers are the shortest that read back to the same bits; no word is an empty cell.
pub(crate) fn rows(frame: &Frame) -> String {
    let mut text = String::new();
    for row in 0..frame.rows() {
        let begin = text.len();
        let separate = |text: &mut String| {
            if text.len() > begin {
                text.push(',');
            }
        };
        for column in &frame.integers {
            separate(&mut text);
            // Writing to a String cannot fail.
            let _ = write!(text, "{}", column[row]);
        }
        for column in &frame.numbers {
            separate(&mut text);
            push_shortest(&mut text, column[row]);
        }
        for column in &frame.texts {
            separate(&mut text);
            text.push_str(&column[row].as_deref().map(quoted).unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

/// A cell in quotes, if it needs them.
fn quoted(cell: &str) -> Cow<'_, str> {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")).into(),
        false => cell.into(),
    }
}

/// The lines of a text with their numbers, from one, and their cells without quotes and the spaces around them. Empty lines and a
/// byte order mark are passed over.
///
/// ```
/// let lines: Vec<_> = extremal_trajectory::csv_lines("\"a, b\",c\n\n1, 2\n").collect();
/// assert_eq!(lines, [(1, vec!["a, b".into(), "c".into()]), (3, vec!["1".into(), "2".into()])]);
/// ```
pub fn csv_lines(text: &str) -> impl Iterator<Item = (usize, Vec<Cow<'_, str>>)> {
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines.map(|(line, number)| (number, cells(line)))
}

fn cells(line: &str) -> Vec<Cow<'_, str>> {
    let mut in_quotes = false;
    let parts = line.split(|c: char| {
        in_quotes ^= c == '"';
        c == ',' && !in_quotes
    });
    parts.map(|cell| unquoted(cell.trim())).collect()
}

fn unquoted(cell: &str) -> Cow<'_, str> {
    match cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\"").into(),
        None => cell.into(),
    }
}

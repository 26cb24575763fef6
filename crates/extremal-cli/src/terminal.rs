//! Text for people: styles, dropped where the output is not a terminal or colours are unwanted, and a standard output whose
//! reader may leave.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use extremal_engine::trajectory::{Align, Table, sig};
use serde::Serialize;

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const HEADING: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();

/// Writes to standard output.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(visible(text).as_bytes())?;
    stdout.flush()
}

/// Writes one JSON object to standard output, with numbers that read back to the same bits; what is not finite is `null`.
pub fn print_json(value: &impl Serialize) -> io::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Writes to standard error, where nothing can be done about a failure.
pub fn print_error(text: &str) {
    let _ = anstream::stderr().lock().write_all(visible(text).as_bytes());
}

/// The text with control characters made visible, but for line ends, tabs and the styles above: names come from files, and a
/// terminal obeys what it reads.
pub fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(obeyed) {
        let (before, found) = rest.split_at(at);
        shown.push_str(before);
        let style = style_length(found);
        let length = style.unwrap_or_else(|| found.chars().next().map_or(0, char::len_utf8));
        match (style, found.chars().next()) {
            (Some(length), _) => shown.push_str(&found[..length]),
            (None, Some(c)) => match u32::from(c) {
                code @ 0..0x20 => shown.extend(char::from_u32(0x2400 + code)),
                0x7f => shown.push('␡'),
                code => {
                    let _ = write!(shown, "\\u{{{code:x}}}");
                }
            },
            (None, None) => {}
        }
        rest = &found[length..];
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// The length of the sequence that begins the text and sets colours or weight, if one does.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    parameters[end..].starts_with('m').then_some(2 + end + 1)
}

/// A table of words, and the numbers that belong to them.
pub fn table_of_numbers<const N: usize>(headers: [&str; N]) -> Table {
    let align = |at: usize| if at == 0 { Align::Left } else { Align::Right };
    Table::new(headers.into_iter().enumerate().map(|(at, header)| (header, align(at)))).indented(2)
}

/// A table of what is said of one thing.
pub fn table_of_facts() -> Table {
    Table::new([("", Align::Left); 2]).indented(2)
}

/// Says how many of `all` are more than `most`, and are not in a table.
pub fn and_more(all: usize, most: usize, where_they_are: &str) -> String {
    match all.saturating_sub(most) {
        0 => String::new(),
        more => format!("  {FAINT}and {more} more{where_they_are}{FAINT:#}\n"),
    }
}

/// The width of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// A number whose size matters more than its digits, always in scientific notation: it lines up in a column.
pub fn size(x: f64) -> String {
    if x == 0.0 || !x.is_finite() { sig(x, 3) } else { format!("{x:.2e}") }
}

/// Two digits are all that repeats.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    format!("{} {unit}", sig(value, if value >= 100.0 { 3 } else { 2 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_line_up() {
        assert_eq!([0.0268, 1.0, -4.5e-16, 0.0, f64::NAN].map(size), ["2.68e-2", "1.00e0", "-4.50e-16", "0", "NaN"]);
    }

    #[test]
    fn a_terminal_is_given_nothing_to_obey_but_styles() {
        let styled = format!("{HEADING}title{HEADING:#}\n\tline\n");
        assert_eq!(visible(&styled), styled);
        assert_eq!(visible("a\x1b[2Jb\x1b]0;c\x07\rd\x08\x7f\u{9b}2J\u{202e}"), "a␛[2Jb␛]0;c␇␍d␈␡\\u{9b}2J\\u{202e}");
        assert_eq!(visible("\x1b[31"), "␛[31");
    }

    #[test]
    fn durations_have_the_unit_that_fits() {
        assert_eq!(duration(Duration::from_nanos(87)), "87 ns");
        assert_eq!(duration(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(duration(Duration::from_millis(123_456)), "123 s");
        assert_eq!(duration(Duration::ZERO), "0 ns");
    }
}

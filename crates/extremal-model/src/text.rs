//! Strings of the model file that keep, for each of their characters, its place in the source.

use crate::diagnostic::Span;

/// A decoded string and the way back to the source.
#[derive(Clone, Debug)]
pub(crate) struct SourceText {
    pub value: String,
    /// The whole string in the source, quotes included.
    pub span: Span,
    /// Was it given from outside the file, in place of what stands at `span`?
    pub outside: bool,
    map: Map,
}

#[derive(Clone, Debug)]
enum Map {
    /// Every decoded byte is the source byte at this distance.
    Shifted(usize),
    /// Source offset of every decoded byte, and of the end.
    PerByte(Vec<usize>),
    /// Unknown: everything points at the whole string.
    Whole,
}

impl SourceText {
    /// The string `value` that the parser decoded from `source[span]`.
    pub fn new(value: &str, span: Span, source: &str) -> SourceText {
        let map = source.get(span.clone()).map_or(Map::Whole, |raw| map_of(value, raw, span.start));
        SourceText { value: value.to_owned(), span, outside: false, map }
    }

    /// A string that stands in its source as it is, from here on.
    pub fn bare(value: &str, start: usize) -> SourceText {
        SourceText {
            value: value.to_owned(),
            span: start..start + value.len(),
            outside: false,
            map: Map::Shifted(start),
        }
    }

    /// A string from outside the file, in place of what stands at `span`.
    pub fn outside(value: &str, span: Span) -> SourceText {
        SourceText { value: value.to_owned(), span, outside: true, map: Map::Whole }
    }

    /// The decoded bytes `inner` as a text of their own.
    pub fn part(&self, inner: Span) -> SourceText {
        let map = match &self.map {
            Map::Shifted(by) => Map::Shifted(by + inner.start),
            _ => Map::Whole,
        };
        let value = self.value.get(inner.clone()).unwrap_or_default().to_owned();
        SourceText { value, span: self.locate(inner), outside: self.outside, map }
    }

    /// Another text that stands for this one: all of it points at the whole string.
    pub fn standing_for(&self, value: String) -> SourceText {
        SourceText { value, map: Map::Whole, ..self.clone() }
    }

    /// Source bytes of the decoded bytes `inner`.
    pub fn locate(&self, inner: Span) -> Span {
        let end = inner.end.min(self.value.len());
        let start = inner.start.min(end);
        match &self.map {
            Map::Shifted(by) => start + by..end + by,
            Map::PerByte(offsets) => offsets[start]..offsets[end],
            Map::Whole => self.span.clone(),
        }
    }
}

fn map_of(value: &str, raw: &str, base: usize) -> Map {
    let (quote, escapes) = if raw.starts_with("'''") {
        (3, false)
    } else if raw.starts_with("\"\"\"") {
        (3, true)
    } else if raw.starts_with('\'') {
        (1, false)
    } else if raw.starts_with('"') {
        (1, true)
    } else {
        // A bare key.
        return if raw == value { Map::Shifted(base) } else { Map::Whole };
    };
    let Some(mut body) = raw.get(quote..raw.len().saturating_sub(quote)) else {
        return Map::Whole;
    };
    let mut at = base + quote;
    if quote == 3 {
        // The newline right after the opening quotes is not part of the string.
        let trimmed = body.strip_prefix("\r\n").or(body.strip_prefix('\n')).unwrap_or(body);
        at += body.len() - trimmed.len();
        body = trimmed;
    }
    if body == value {
        return Map::Shifted(at);
    }
    if !escapes {
        return Map::Whole;
    }
    per_byte(value, body, at).map_or(Map::Whole, Map::PerByte)
}

/// Walks the decoded and the raw text side by side; `None` if they do not match.
fn per_byte(value: &str, body: &str, base: usize) -> Option<Vec<usize>> {
    let mut offsets = Vec::with_capacity(value.len() + 1);
    let mut decoded = value.chars();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let at = base + (body.len() - rest.len());
        let mut length = first.len_utf8();
        if first == '\\' {
            length = match rest[1..].chars().next()? {
                'x' => 4,
                'u' => 6,
                'U' => 10,
                blank if blank.is_whitespace() => {
                    // A line-ending backslash joins the lines.
                    rest = rest[1..].trim_start();
                    continue;
                }
                other => 1 + other.len_utf8(),
            };
        }
        let character = decoded.next()?;
        if first != '\\' && first != character {
            return None;
        }
        offsets.extend(std::iter::repeat_n(at, character.len_utf8()));
        rest = rest.get(length..)?;
    }
    offsets.push(base + body.len());
    decoded.next().is_none().then_some(offsets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source characters that stand for the `needle` of the decoded string, by a TOML parser that knows nothing of the map.
    fn found(source: &str, needle: &str) -> String {
        let table = toml::de::DeTable::parse(source).unwrap();
        let value = table.get_ref().values().next().unwrap();
        let text = SourceText::new(value.get_ref().as_str().unwrap(), value.span(), source);
        let at = text.value.find(needle).unwrap();
        source[text.locate(at..at + needle.len())].to_owned()
    }

    #[test]
    fn every_kind_of_string_points_at_its_characters() {
        assert_eq!(found("a = \"x + yy\"", "yy"), "yy");
        assert_eq!(found("a = 'x + yy'", "yy"), "yy");
        assert_eq!(found("a = \"θ' + yy\"", "yy"), "yy");
        assert_eq!(found("a = \"\"\"\nx +\n yy\"\"\"", "yy"), "yy");
        assert_eq!(found("a = '''\r\nx + yy'''", "yy"), "yy");
        assert_eq!(found("a = \"x\\t+ yy\"", "yy"), "yy");
        assert_eq!(found("a = \"\\u03b8 + yy\"", "yy"), "yy");
        assert_eq!(found("a = \"\\u03b8 + yy\"", "θ"), "\\u03b8");
        assert_eq!(found("a = \"\"\"x + \\\n     yy\"\"\"", "yy"), "yy");
    }

    #[test]
    fn positions_beyond_the_end_stay_inside() {
        let text = SourceText::new("ab", 4..8, "x = \"ab\"");
        assert_eq!(text.locate(0..99), 5..7);
        assert_eq!(text.locate(50..99), 7..7);
    }
}

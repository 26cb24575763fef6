//! Rows as text.

use std::io::{self, Write};

use super::Sink;
use crate::number::push_shortest;
use crate::{Columns, csv};

/// What a text format writes around the numbers of a row.
#[derive(Debug)]
pub struct TextLayout {
    /// What comes before all rows.
    pub(super) head: fn(&Columns) -> String,
    /// What comes before the first row, and before every other.
    pub(super) before: [&'static str; 2],
    /// What comes between two numbers.
    pub(super) between: &'static str,
    /// What comes after a row.
    pub(super) after: &'static str,
    /// What comes after all rows.
    pub(super) tail: &'static str,
    /// What stands for a number that is not finite, if not `NaN`, `inf` or `-inf`.
    pub(super) not_finite: Option<&'static str>,
}

impl TextLayout {
    /// A header line with the names of the columns, then a line per row. A name with a comma, quote or line break is in quotes.
    pub const CSV: TextLayout = TextLayout {
        head: |columns| csv::header(columns.names()),
        before: ["", ""],
        between: ",",
        after: "\n",
        tail: "",
        not_finite: None,
    };
    /// One JSON object, `{"columns": ["t", ..], "rows": [[0.0, ..], ..]}`, with `null` for what is not finite.
    pub const JSON: TextLayout = TextLayout {
        head: |columns| {
            let names: Vec<&str> = columns.names().collect();
            format!("{{\"columns\":{},\"rows\":[", serde_json::json!(names))
        },
        before: ["\n[", ",\n["],
        between: ",",
        after: "]",
        tail: "\n]}\n",
        not_finite: Some("null"),
    };
}

/// Rows as text, written one by one. Numbers are the shortest that read back to the same bits.
///
/// ```
/// use extremal_trajectory::{Column, Columns, Sink, TextLayout, TextSink};
///
/// let columns = Columns::new([Column::time(), Column::velocity("x")])?;
/// let mut sink = TextSink::new(Vec::new(), &columns, &TextLayout::CSV)?;
/// sink.write_row(&[0.0, 0.1])?;
/// sink.finish()?;
/// assert_eq!(sink.into_inner(), b"t,x'\n0.0,0.1\n");
/// let mut sink = TextSink::new(Vec::new(), &columns, &TextLayout::JSON)?;
/// sink.write_row(&[0.5, f64::NAN])?;
/// sink.finish()?;
/// let read: serde_json::Value = serde_json::from_slice(&sink.into_inner())?;
/// assert_eq!(read, serde_json::json!({"columns": ["t", "x'"], "rows": [[0.5, null]]}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TextSink<W: Write> {
    out: W,
    layout: &'static TextLayout,
    line: String,
    has_rows: bool,
    finished: bool,
}

impl<W: Write> TextSink<W> {
    /// Writes what comes before the rows.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, columns: &Columns, layout: &'static TextLayout) -> io::Result<Self> {
        out.write_all((layout.head)(columns).as_bytes())?;
        Ok(Self { out, layout, line: String::new(), has_rows: false, finished: false })
    }

    /// The output underneath.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write + Send> Sink for TextSink<W> {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        let TextLayout { before, between, after, not_finite, .. } = self.layout;
        self.line.clear();
        self.line.push_str(before[usize::from(self.has_rows)]);
        self.has_rows = true;
        for (i, x) in row.iter().enumerate() {
            if i > 0 {
                self.line.push_str(between);
            }
            match not_finite {
                Some(word) if !x.is_finite() => self.line.push_str(word),
                _ => push_shortest(&mut self.line, *x),
            }
        }
        self.line.push_str(after);
        self.out.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.finished {
            self.finished = true;
            self.out.write_all(self.layout.tail.as_bytes())?;
        }
        self.out.flush()
    }
}

use super::Sink;
use crate::{Columns, number::push_shortest};
use std::io::{self, Write};

/// One JSON object, `{"columns": ["t", ..], "rows": [[0.0, ..], ..]}`, written
/// row by row. Numbers are the shortest that read back to the same bits; what
/// is not finite becomes `null`, since JSON has no word for it.
///
/// ```
/// use extremal_trajectory::{Column, Columns, JsonSink, Sink};
///
/// let columns = Columns::new([Column::time(), Column::velocity("x")])?;
/// let mut sink = JsonSink::new(Vec::new(), &columns)?;
/// sink.write_row(&[0.5, f64::NAN])?;
/// sink.finish()?;
/// let read: serde_json::Value = serde_json::from_slice(&sink.into_inner())?;
/// assert_eq!(read, serde_json::json!({"columns": ["t", "x'"], "rows": [[0.5, null]]}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonSink<W: Write> {
    out: W,
    line: String,
    rows: u64,
    finished: bool,
}

impl<W: Write> JsonSink<W> {
    /// Writes the column names.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn new(mut out: W, columns: &Columns) -> io::Result<Self> {
        let names: Vec<&str> = columns.names().collect();
        write!(out, "{{\"columns\":{},\"rows\":[", serde_json::json!(names))?;
        Ok(Self { out, line: String::new(), rows: 0, finished: false })
    }

    /// The output underneath.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write + Send> Sink for JsonSink<W> {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.line.clear();
        self.line.push_str(if self.rows == 0 { "\n[" } else { ",\n[" });
        for (i, x) in row.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            if x.is_finite() {
                push_shortest(&mut self.line, *x);
            } else {
                self.line.push_str("null");
            }
        }
        self.line.push(']');
        self.rows += 1;
        self.out.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        if !self.finished {
            self.finished = true;
            self.out.write_all(b"\n]}\n")?;
        }
        self.out.flush()
    }
}

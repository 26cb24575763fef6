use super::Sink;
use crate::{Columns, number::push_shortest};
use std::io::{self, Write};

/// Comma-separated text: a header line with the column names, then a line per
/// row. Numbers are the shortest that read back to the same bits; `NaN`, `inf`
/// and `-inf` stand for what is not finite. A name with a comma, quote or line
/// break is quoted as in RFC 4180; lines end in `\n`.
///
/// ```
/// use extremal_trajectory::{Column, Columns, CsvSink, Sink};
///
/// let columns = Columns::new([Column::time(), Column::coordinate("x")])?;
/// let mut sink = CsvSink::new(Vec::new(), &columns)?;
/// sink.write_row(&[0.0, 0.1])?;
/// sink.finish()?;
/// assert_eq!(sink.into_inner(), b"t,x\n0.0,0.1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CsvSink<W: Write> {
    out: W,
    line: String,
}

impl<W: Write> CsvSink<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(mut out: W, columns: &Columns) -> io::Result<Self> {
        let header: Vec<String> = columns.names().map(quoted).collect();
        writeln!(out, "{}", header.join(","))?;
        Ok(Self { out, line: String::new() })
    }

    /// The output underneath.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write + Send> Sink for CsvSink<W> {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.line.clear();
        for (i, x) in row.iter().enumerate() {
            if i > 0 {
                self.line.push(',');
            }
            push_shortest(&mut self.line, *x);
        }
        self.line.push('\n');
        self.out.write_all(self.line.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// As RFC 4180 wants it.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

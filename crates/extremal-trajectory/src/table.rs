//! Plain-text tables for a terminal.

use std::fmt;
use unicode_width::UnicodeWidthStr;

/// Which side the cells of a column lean on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with a header, aligned by display width (Greek, primes, accents).
///
/// Cells are put on one line; rows may be short. Without a header the rows
/// stand alone.
///
/// ```
/// use extremal_trajectory::{Align, Table, sig};
///
/// let mut table = Table::new([("name", Align::Left), ("first", Align::Right)]);
/// table.row(["θ′", &sig(0.5, 3)]);
/// table.row(["energy", &sig(-12.25, 3)]);
/// assert_eq!(
///     table.to_string(),
///     "name    first\n\
///      ──────  ─────\n\
///      θ′        0.5\n\
///      energy  -12.2\n"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    headers: Vec<String>,
    aligns: Vec<Align>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl Table {
    /// A table with these columns.
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, Align)>) -> Self {
        let (headers, aligns) = columns.into_iter().map(|(header, align)| (one_line(header), align)).unzip();
        Self { headers, aligns, rows: Vec::new(), indent: 0 }
    }

    /// Puts spaces before every line.
    #[must_use]
    pub fn indented(mut self, spaces: usize) -> Self {
        self.indent = spaces;
        self
    }

    /// Adds a row; cells past the last column are dropped.
    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let cells = cells.into_iter().take(self.headers.len()).map(|cell| one_line(cell.as_ref())).collect();
        self.rows.push(cells);
    }

    /// Whether no row was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headers.iter().map(|h| h.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        widths
    }

    fn write_line(&self, f: &mut fmt::Formatter<'_>, cells: &[String], widths: &[usize]) -> fmt::Result {
        let mut line = " ".repeat(self.indent);
        for (i, width) in widths.iter().enumerate() {
            let cell = cells.get(i).map_or("", String::as_str);
            let padding = " ".repeat(width - cell.width());
            if i > 0 {
                line.push_str("  ");
            }
            match self.aligns[i] {
                Align::Left => line.extend([cell, &padding]),
                Align::Right => line.extend([&padding, cell]),
            }
        }
        writeln!(f, "{}", line.trim_end())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        if self.headers.iter().any(|h| !h.is_empty()) {
            self.write_line(f, &self.headers, &widths)?;
            let rules: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
            self.write_line(f, &rules, &widths)?;
        }
        for row in &self.rows {
            self.write_line(f, row, &widths)?;
        }
        Ok(())
    }
}

/// Control characters would break the alignment, or the terminal.
fn one_line(cell: &str) -> String {
    cell.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greek_and_combining_marks_count_as_they_show() {
        let mut table = Table::new([("q", Align::Left), ("value", Align::Right)]).indented(2);
        table.row(["θ̇", "1"]);
        table.row(["ω₁", "-22.5"]);
        table.row(["only a name"]);
        let text = table.to_string();
        let columns: Vec<usize> = text.lines().filter(|l| !l.contains("only")).map(UnicodeWidthStr::width).collect();
        assert_eq!(columns, [20; 4]);
        assert!(text.lines().all(|l| l.starts_with("  ") && l.trim_end() == l));
    }

    #[test]
    fn no_header_and_stray_input() {
        let mut table = Table::new([("", Align::Left), ("", Align::Right)]);
        assert!(table.is_empty());
        table.row(["a\tb\n", "1", "dropped"]);
        assert_eq!(table.to_string(), "a b   1\n");
    }
}

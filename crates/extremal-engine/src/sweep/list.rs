//! Members listed in a file: a line of names, then a line of numbers for each.

use extremal_trajectory::csv_lines;
use extremal_trajectory::frame::checksum;
use thiserror::Error;

/// Values for each member of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    names: Vec<String>,
    values: Vec<f64>,
    checksum: u64,
}

/// Why a text is no list. Lines are counted from 1.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ListError {
    #[error("there is no first line with the names of the columns")]
    NoNames,
    #[error("there are names but no lines of numbers")]
    NoRows,
    #[error("column {0} has no name")]
    Nameless(usize),
    #[error("line {line} has {found} values for {expected} columns")]
    Width { line: usize, expected: usize, found: usize },
    #[error("line {line}: `{text}` under `{column}` is not a finite number")]
    Number { line: usize, column: String, text: String },
}

impl List {
    /// Reads comma-separated text: names, then numbers. A name may be quoted; empty lines are passed over.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    ///
    /// ```
    /// use extremal_engine::sweep::List;
    /// let list = List::read("l,x'\n1,0.5\n2,0.25\n")?;
    /// assert_eq!((list.len(), list.row(1)), (2, &[2.0, 0.25][..]));
    /// # Ok::<(), extremal_engine::sweep::ListError>(())
    /// ```
    pub fn read(text: &str) -> Result<List, ListError> {
        let mut lines = csv_lines(text);
        let (_, names) = lines.next().ok_or(ListError::NoNames)?;
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        if let Some(at) = names.iter().position(String::is_empty) {
            return Err(ListError::Nameless(at + 1));
        }
        let mut values = Vec::new();
        for (line, cells) in lines {
            for (cell, column) in cells.iter().zip(&names) {
                let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
                let wrong = || ListError::Number { line, column: column.clone(), text: cell.to_string() };
                values.push(number.ok_or_else(wrong)?);
            }
            if cells.len() != names.len() {
                return Err(ListError::Width { line, expected: names.len(), found: cells.len() });
            }
        }
        if values.is_empty() {
            return Err(ListError::NoRows);
        }
        let checksum = checksum(text.trim_start_matches('\u{feff}').as_bytes());
        Ok(List { names, values, checksum })
    }

    /// The names of its columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many members it lists, at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u64 {
        (self.values.len() / self.names.len()) as u64
    }

    /// The values of a member, from 0.
    ///
    /// # Panics
    /// If there is no such member.
    pub fn row(&self, at: u64) -> &[f64] {
        let width = self.names.len();
        &self.values[at as usize * width..][..width]
    }

    /// What tells it from other lists.
    pub(crate) fn identity(&self) -> String {
        format!("{} rows of {}, checksum {:016x}", self.len(), self.names.join(","), self.checksum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_several_styles_are_read() {
        let list = List::read("\u{feff}\"x'\" , m[1]\r\n 1e-3,-2 \r\n\r\n4,5\r\n").unwrap();
        assert_eq!(list.names(), ["x'", "m[1]"]);
        assert_eq!((list.row(0), list.row(1)), (&[1e-3, -2.0][..], &[4.0, 5.0][..]));
    }

    #[test]
    fn what_is_no_list_says_where() {
        let error = |text: &str| List::read(text).unwrap_err().to_string();
        assert_eq!(error("\n"), "there is no first line with the names of the columns");
        assert_eq!(error("a,b\n"), "there are names but no lines of numbers");
        assert_eq!(error("a,,b\n1,2,3"), "column 2 has no name");
        assert_eq!(error("a,b\n1,2\n\n3\n"), "line 4 has 1 values for 2 columns");
        assert_eq!(error("a,b\n1,2,3\n"), "line 2 has 3 values for 2 columns");
        assert_eq!(error("a,b\n1,x\n"), "line 2: `x` under `b` is not a finite number");
        assert_eq!(error("a\nNaN\n"), "line 2: `NaN` under `a` is not a finite number");
    }
}

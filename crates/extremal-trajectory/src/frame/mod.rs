//! Tables of many runs: integers, numbers and words by column, written in pieces to files that survive their writer.
//!
//! A [`Frame`] is a piece of a table. A [`FrameFile`] takes frames one after the other; what was taken is kept when the program is
//! killed, and the finished file does not depend on how often it was. [`CompleteParts`] puts files of some rows each together. A [`WholeTable`] is there when it is finished, or not at all.

mod file;
mod format;
mod journal;
mod manifest;
mod merge;
#[cfg(feature = "parquet")]
mod parquet;
mod whole_table;

pub use file::{Existing, FrameError, FrameFile, Resumed};
pub use format::{FrameFormat, last_integer};
pub use journal::checksum;
pub use manifest::PartManifest;
pub use merge::{CompleteParts, MergeError};
pub use whole_table::WholeTable;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use crate::ColumnsError;

/// The columns of a table: integers first, then numbers, then words, all under different names.
///
/// ```
/// use extremal_trajectory::frame::Fields;
/// let fields = Fields::new(["member"], ["x", "x'"], ["status"])?;
/// assert_eq!(fields.names().collect::<Vec<_>>(), ["member", "x", "x'", "status"]);
/// # Ok::<(), extremal_trajectory::ColumnsError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    names: Arc<[String]>,
    integers: usize,
    numbers: usize,
}

impl Fields {
    /// Checks that the names are different.
    ///
    /// # Errors
    /// No column, or two of one name.
    pub fn new<I: Into<String>, N: Into<String>, T: Into<String>>(
        integers: impl IntoIterator<Item = I>,
        numbers: impl IntoIterator<Item = N>,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Fields, ColumnsError> {
        let mut names: Vec<String> = integers.into_iter().map(Into::into).collect();
        let integers = names.len();
        names.extend(numbers.into_iter().map(Into::into));
        let numbers = names.len() - integers;
        names.extend(texts.into_iter().map(Into::into));
        if names.is_empty() {
            return Err(ColumnsError::Empty);
        }
        let mut seen = HashSet::new();
        match names.iter().find(|name| !seen.insert(name.as_str())) {
            Some(name) => Err(ColumnsError::Duplicate { name: name.clone() }),
            None => Ok(Fields { names: names.into(), integers, numbers }),
        }
    }

    /// All names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The names of the columns of numbers.
    pub fn number_names(&self) -> &[String] {
        &self.names[self.integers..self.integers + self.numbers]
    }

    /// The names of the columns of words.
    pub fn text_names(&self) -> &[String] {
        &self.names[self.integers + self.numbers..]
    }

    /// How many columns there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    fn texts(&self) -> usize {
        self.names.len() - self.integers - self.numbers
    }
}

/// A word, or none.
pub type Word = Option<Cow<'static, str>>;

/// Some rows of a table, by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    rows: usize,
    pub(crate) integers: Vec<Vec<i64>>,
    pub(crate) numbers: Vec<Vec<f64>>,
    pub(crate) texts: Vec<Vec<Word>>,
}

impl Frame {
    /// No rows yet.
    pub fn new(fields: &Fields) -> Frame {
        Frame {
            rows: 0,
            integers: vec![Vec::new(); fields.integers],
            numbers: vec![Vec::new(); fields.numbers],
            texts: vec![Vec::new(); fields.texts()],
        }
    }

    /// Rows by their columns.
    ///
    /// # Panics
    /// If there are not as many columns as fields, each as long as the others.
    pub fn of_columns(
        fields: &Fields,
        integers: Vec<Vec<i64>>,
        numbers: Vec<Vec<f64>>,
        texts: Vec<Vec<Word>>,
    ) -> Frame {
        let lengths =
            integers.iter().map(Vec::len).chain(numbers.iter().map(Vec::len)).chain(texts.iter().map(Vec::len));
        let lengths: Vec<usize> = lengths.collect();
        let rows = lengths.first().copied().unwrap_or(0);
        let counts = (integers.len(), numbers.len(), texts.len());
        let fits = counts == (fields.integers, fields.numbers, fields.texts());
        assert!(fits && lengths.iter().all(|length| *length == rows), "a row has a value for every column");
        Frame { rows, integers, numbers, texts }
    }

    /// Puts the only row of another frame of the same table in the place of one.
    ///
    /// # Panics
    /// If there is no such row, or the other frame has none.
    pub fn replace(&mut self, at: usize, other: &Frame) {
        self.integers.iter_mut().zip(&other.integers).for_each(|(to, from)| to[at] = from[0]);
        self.numbers.iter_mut().zip(&other.numbers).for_each(|(to, from)| to[at] = from[0]);
        self.texts.iter_mut().zip(&other.texts).for_each(|(to, from)| to[at] = from[0].clone());
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If there are not as many values as columns.
    pub fn push<const T: usize>(&mut self, integers: &[i64], numbers: &[f64], texts: [Word; T]) {
        let fits = (integers.len(), numbers.len(), T) == (self.integers.len(), self.numbers.len(), self.texts.len());
        assert!(fits, "a row has a value for every column");
        self.rows += 1;
        self.integers.iter_mut().zip(integers).for_each(|(column, value)| column.push(*value));
        self.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.push(*value));
        self.texts.iter_mut().zip(texts).for_each(|(column, value)| column.push(value));
    }

    /// Takes the rows of another frame of the same table.
    pub fn append(&mut self, other: &mut Frame) {
        self.rows += std::mem::take(&mut other.rows);
        self.integers.iter_mut().zip(&mut other.integers).for_each(|(to, from)| to.append(from));
        self.numbers.iter_mut().zip(&mut other.numbers).for_each(|(to, from)| to.append(from));
        self.texts.iter_mut().zip(&mut other.texts).for_each(|(to, from)| to.append(from));
    }

    /// Takes the rows from `at` on out of it.
    pub fn split_off(&mut self, at: usize) -> Frame {
        let at = at.min(self.rows);
        let rows = self.rows - at;
        self.rows = at;
        Frame {
            rows,
            integers: self.integers.iter_mut().map(|column| column.split_off(at)).collect(),
            numbers: self.numbers.iter_mut().map(|column| column.split_off(at)).collect(),
            texts: self.texts.iter_mut().map(|column| column.split_off(at)).collect(),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A column of integers.
    pub fn integers(&self, column: usize) -> &[i64] {
        &self.integers[column]
    }

    /// A column of numbers, counted among these.
    pub fn numbers(&self, column: usize) -> &[f64] {
        &self.numbers[column]
    }

    /// A column of words, counted among these.
    pub fn texts(&self, column: usize) -> &[Word] {
        &self.texts[column]
    }
}

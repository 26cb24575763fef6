//! Trajectory files: one streaming writer per format, chosen by file name.

mod csv;
mod json;
mod parquet;

pub use csv::CsvSink;
pub(crate) use csv::quoted;
pub use json::JsonSink;
pub use parquet::ParquetSink;
pub(crate) use parquet::to_io;

use crate::{Columns, WholeFile};
use std::fmt;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Somewhere rows go, one at a time, in memory that does not grow with them.
///
/// After [`finish`](Self::finish) the output is complete and readable, however
/// few rows came. [`Recorder`](crate::Recorder) calls it, also when dropped.
pub trait Sink: Send {
    /// Takes a row as wide as the columns.
    ///
    /// # Errors
    /// Whatever the output underneath reports.
    fn write_row(&mut self, row: &[f64]) -> io::Result<()>;

    /// Closes the output; later calls do nothing.
    ///
    /// # Errors
    /// Whatever the output underneath reports.
    fn finish(&mut self) -> io::Result<()>;
}

/// A trajectory file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Text with a header line, see [`CsvSink`].
    Csv,
    /// One JSON object, see [`JsonSink`].
    Json,
    /// Apache Parquet, see [`ParquetSink`].
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Json, Format::Parquet];

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Parquet => "parquet",
        }
    }

    /// The format a file name asks for, by its extension in any case.
    ///
    /// # Errors
    /// The extension is missing or unknown; the message lists the known ones.
    ///
    /// ```
    /// use extremal_trajectory::Format;
    ///
    /// assert_eq!(Format::of("run.parquet".as_ref())?, Format::Parquet);
    /// let error = Format::of("run.xlsx".as_ref()).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "cannot tell the format of `run.xlsx`: its name should end in .csv, .json or .parquet"
    /// );
    /// # Ok::<(), extremal_trajectory::SinkError>(())
    /// ```
    pub fn of(path: &Path) -> Result<Self, SinkError> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        Self::ALL
            .into_iter()
            .find(|f| f.extension().eq_ignore_ascii_case(extension))
            .ok_or_else(|| SinkError::UnknownFormat { path: path.into() })
    }

    /// Opens a file of this format.
    ///
    /// # Errors
    /// The file cannot be created or its beginning cannot be written.
    pub fn create(self, path: &Path, columns: &Columns) -> Result<Box<dyn Sink>, SinkError> {
        let open = || -> io::Result<Box<dyn Sink>> {
            let whole = WholeFile::create(path)?;
            let file = BufWriter::new(whole.writer()?);
            let rows: Box<dyn Sink> = match self {
                Format::Csv => Box::new(CsvSink::new(file, columns)?),
                Format::Json => Box::new(JsonSink::new(file, columns)?),
                Format::Parquet => Box::new(ParquetSink::new(file, columns)?),
            };
            Ok(Box::new(FileSink { rows, whole: Some(whole) }))
        };
        open().map_err(|source| SinkError::Create { path: path.into(), source })
    }
}

/// Rows on their way to a file, which is there when they are all written.
struct FileSink {
    rows: Box<dyn Sink>,
    whole: Option<WholeFile>,
}

impl Sink for FileSink {
    fn write_row(&mut self, row: &[f64]) -> io::Result<()> {
        self.rows.write_row(row)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.rows.finish()?;
        self.whole.take().map_or(Ok(()), WholeFile::keep)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.extension())
    }
}

/// Why a trajectory file cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SinkError {
    /// The file name says no known format.
    #[error(
        "cannot tell the format of `{}`: its name should end in .csv, .json or .parquet",
        path.display()
    )]
    UnknownFormat {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file cannot be created.
    #[error("cannot create `{}`: {source}", path.display())]
    Create {
        /// The file asked for.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Opens a trajectory file in the format its name asks for.
///
/// # Errors
/// An unknown extension, or a file that cannot be created.
pub fn create(path: &Path, columns: &Columns) -> Result<Box<dyn Sink>, SinkError> {
    Format::of(path)?.create(path, columns)
}

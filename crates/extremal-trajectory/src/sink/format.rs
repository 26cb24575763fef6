//! The formats of trajectories. A new one is an entry of [`Format::ALL`].

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use super::{FileSink, Sink, SinkError, TextLayout, TextSink};
use crate::format::{FormatError, asked_for};
use crate::{Columns, WholeFile};

/// Begins a file with its columns.
type OpenSink = fn(BufWriter<File>, &Columns) -> io::Result<Box<dyn Sink>>;

/// A trajectory file format.
#[derive(Debug)]
pub struct Format {
    extension: &'static str,
    open: OpenSink,
}

impl Format {
    /// Every format.
    pub const ALL: &[Format] = &[
        Format { extension: "csv", open: |file, columns| text(file, columns, &TextLayout::CSV) },
        Format { extension: "json", open: |file, columns| text(file, columns, &TextLayout::JSON) },
        #[cfg(feature = "parquet")]
        Format { extension: "parquet", open: |file, columns| Ok(Box::new(super::ParquetSink::new(file, columns)?)) },
    ];

    /// The extension of its files.
    pub fn extension(&self) -> &'static str {
        self.extension
    }

    /// The format a file name asks for, by its extension in any case.
    ///
    /// # Errors
    /// The extension is missing, unknown, or one that this library was built without.
    ///
    /// ```
    /// use extremal_trajectory::Format;
    ///
    /// assert_eq!(Format::of("run.CSV".as_ref())?.extension(), "csv");
    /// let error = Format::of("run.xlsx".as_ref()).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot tell the format of `run.xlsx`: its name should end in .csv, .json"));
    /// # Ok::<(), extremal_trajectory::FormatError>(())
    /// ```
    pub fn of(path: &Path) -> Result<&'static Format, FormatError> {
        let known: Vec<_> = Self::ALL.iter().map(|format| (format.extension, format)).collect();
        asked_for(path, "format", &known)
    }

    /// Opens a file of this format.
    ///
    /// # Errors
    /// The file cannot be created or its beginning cannot be written.
    pub fn create(&self, path: &Path, columns: &Columns) -> Result<Box<dyn Sink>, SinkError> {
        let open = || -> io::Result<Box<dyn Sink>> {
            let whole = WholeFile::create(path)?;
            let rows = (self.open)(BufWriter::new(whole.writer()?), columns)?;
            Ok(Box::new(FileSink { rows, whole: Some(whole) }))
        };
        open().map_err(|source| SinkError::Create { path: path.into(), source })
    }
}

fn text(file: BufWriter<File>, columns: &Columns, layout: &'static TextLayout) -> io::Result<Box<dyn Sink>> {
    Ok(Box::new(TextSink::new(file, columns, layout)?))
}

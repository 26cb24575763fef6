//! Trajectory files: one streaming writer per format, chosen by file name.

mod format;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

pub use format::Format;
#[cfg(feature = "parquet")]
pub use parquet::ParquetSink;
#[cfg(feature = "parquet")]
pub(crate) use parquet::to_io;
pub use text::{TextLayout, TextSink};

use crate::{ColumnsError, FormatError, RowBlock, WholeFile};
use std::io;
use std::path::PathBuf;
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

    /// Takes rows of a block: the one at `first`, and every `stride`-th after it.
    ///
    /// # Errors
    /// Whatever the output underneath reports.
    fn write_block(&mut self, block: &dyn RowBlock, first: usize, stride: usize) -> io::Result<()> {
        let mut row = vec![0.0; block.columns()];
        (first..block.rows()).step_by(stride).try_for_each(|at| {
            block.read_row(at, &mut row);
            self.write_row(&row)
        })
    }

    /// Closes the output; later calls do nothing.
    ///
    /// # Errors
    /// Whatever the output underneath reports.
    fn finish(&mut self) -> io::Result<()>;
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

    fn write_block(&mut self, block: &dyn RowBlock, first: usize, stride: usize) -> io::Result<()> {
        self.rows.write_block(block, first, stride)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.rows.finish()?;
        self.whole.take().map_or(Ok(()), WholeFile::keep)
    }
}

/// Why a trajectory file cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum SinkError {
    /// The file name asks for no format that there is.
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    #[error("cannot create `{}`: {source}", path.display())]
    Create { path: PathBuf, source: io::Error },
}

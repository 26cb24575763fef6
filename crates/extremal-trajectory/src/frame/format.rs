//! The formats of files of frames: what they begin with, how frames become bytes, what they end with.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

#[cfg(feature = "parquet")]
use super::parquet::RowGroups;
use super::{Fields, Frame, file::FrameError};
use crate::csv;
use crate::format::{FormatError, asked_for};

/// The format of a file of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameFormat {
    /// Text with a header line.
    Csv,
    /// Apache Parquet, a row group for each frame.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl FrameFormat {
    /// The format that a file name asks for.
    ///
    /// # Errors
    /// The extension is missing, unknown, or one that this library was built without.
    pub fn of(path: &Path) -> Result<FrameFormat, FormatError> {
        let known = [
            ("csv", FrameFormat::Csv),
            #[cfg(feature = "parquet")]
            ("parquet", FrameFormat::Parquet),
        ];
        asked_for(path, "format", &known)
    }

    /// What every file of this format begins with.
    pub(super) fn head(self, fields: &Fields) -> Vec<u8> {
        match self {
            FrameFormat::Csv => csv::header(fields.names()).into_bytes(),
            #[cfg(feature = "parquet")]
            FrameFormat::Parquet => super::parquet::MAGIC.to_vec(),
        }
    }

    /// What makes the encoder of a file without frames.
    pub(super) fn encoder(self) -> fn(&Fields) -> io::Result<Box<dyn FrameEncoder>> {
        match self {
            FrameFormat::Csv => |_| Ok(Box::new(FramesAsText)),
            #[cfg(feature = "parquet")]
            FrameFormat::Parquet => |fields| Ok(Box::new(RowGroups::new(fields)?)),
        }
    }
}

/// The bytes of a frame, and what has to be known of it to end the file.
pub(super) struct Encoded {
    pub bytes: Vec<u8>,
    pub footer: Vec<u8>,
}

/// Turns the frames of a file into bytes.
pub(super) trait FrameEncoder: Send {
    /// The frame that stands at `offset` in the file.
    fn encode(&mut self, frame: &Frame, offset: u64) -> io::Result<Encoded>;
    /// Takes a frame that stands at `offset` already.
    fn resume(&mut self, offset: u64, footer: &[u8]) -> io::Result<()>;
    /// The bytes that make a file of what is there.
    fn ending(&self) -> io::Result<Vec<u8>>;
}

/// Text needs to know nothing of the frames before.
struct FramesAsText;

impl FrameEncoder for FramesAsText {
    fn encode(&mut self, frame: &Frame, _: u64) -> io::Result<Encoded> {
        Ok(Encoded { bytes: csv::rows(frame).into_bytes(), footer: Vec::new() })
    }

    fn resume(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn ending(&self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }
}

/// The first integer of the last row, which tells how far a file goes; `None` if there is no row, or the file is none of frames.
///
/// # Errors
/// An unknown format, and whatever the system refuses.
pub fn last_integer(path: &Path) -> Result<Option<i64>, FrameError> {
    let read = match FrameFormat::of(path)? {
        FrameFormat::Csv => last_of_csv(path),
        #[cfg(feature = "parquet")]
        FrameFormat::Parquet => super::parquet::last_integer(path),
    };
    read.map_err(|source| FrameError::Read { path: path.into(), source })
}

fn last_of_csv(path: &Path) -> io::Result<Option<i64>> {
    let mut file = BufReader::new(File::open(path)?);
    let (mut line, mut first, mut in_quotes, mut rows) = (Vec::new(), Vec::new(), false, 0u64);
    while file.read_until(b'\n', &mut line)? > 0 {
        // A line that begins inside of quotes continues the row before it.
        if !in_quotes {
            rows += 1;
            first.clear();
            first.extend(line.iter().take_while(|byte| **byte != b',' && **byte != b'\n'));
        }
        in_quotes ^= line.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        line.clear();
    }
    let text = std::str::from_utf8(&first).ok().filter(|_| rows > 1);
    Ok(text.and_then(|text| text.parse().ok()))
}

//! The last row of a file of frames, which tells how far it goes.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::{FrameFormat, file::FrameError};
use crate::sink::to_io;

/// The first integer of the last row; `None` if there is no row, or the file is none of frames.
///
/// # Errors
/// An unknown format, and whatever the system refuses.
pub fn last_integer(path: &Path) -> Result<Option<i64>, FrameError> {
    let read = match FrameFormat::of(path)? {
        FrameFormat::Csv => of_csv(path),
        FrameFormat::Parquet => of_parquet(path),
    };
    read.map_err(|source| FrameError::Read { path: path.into(), source })
}

fn of_csv(path: &Path) -> io::Result<Option<i64>> {
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

fn of_parquet(path: &Path) -> io::Result<Option<i64>> {
    let Ok(reader) = SerializedFileReader::new(File::open(path)?) else { return Ok(None) };
    let Some(group) = reader.num_row_groups().checked_sub(1) else { return Ok(None) };
    let rows = reader.get_row_group(group).map_err(to_io)?;
    let last = rows.get_row_iter(None).map_err(to_io)?.last().transpose().map_err(to_io)?;
    Ok(last.and_then(|row| row.get_long(0).ok()))
}

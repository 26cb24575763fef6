//! A table that is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::format::{FrameEncoder, FrameFormat};
use super::{Fields, Frame, FrameError};
use crate::WholeFile;

/// Frames on their way to a file, which is there when they are all written; one that is not finished leaves nothing, and what was
/// there under its name stays.
///
/// ```
/// use extremal_trajectory::frame::{Fields, Frame, WholeTable};
/// let folder = std::env::temp_dir().join(format!("extremal-whole-table-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let (path, fields) = (folder.join("table.csv"), Fields::new(["k"], ["x"], ["name"])?);
/// let mut frame = Frame::new(&fields);
/// frame.push(&[1], &[0.5], [Some("a".into())]);
/// let mut table = WholeTable::create(&path, &fields)?;
/// table.push(&frame)?;
/// assert!(!path.exists());
/// table.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "k,x,name\n1,0.5,a\n");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WholeTable {
    path: PathBuf,
    whole: WholeFile,
    data: BufWriter<File>,
    encoder: Box<dyn FrameEncoder>,
    length: u64,
}

impl WholeTable {
    /// Begins a table in the format that the file name asks for.
    ///
    /// # Errors
    /// An unknown format, or whatever the system refuses.
    pub fn create(path: &Path, fields: &Fields) -> Result<WholeTable, FrameError> {
        let format = FrameFormat::of(path)?;
        let begin = || -> io::Result<WholeTable> {
            let whole = WholeFile::create(path)?;
            let mut data = BufWriter::new(whole.writer()?);
            let head = format.head(fields);
            data.write_all(&head)?;
            let encoder = format.encoder()(fields)?;
            Ok(WholeTable { path: path.into(), whole, data, encoder, length: head.len() as u64 })
        };
        begin().map_err(|source| FrameError::Write { path: path.into(), source })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn push(&mut self, frame: &Frame) -> Result<(), FrameError> {
        let mut append = || -> io::Result<u64> {
            let bytes = self.encoder.encode(frame, self.length)?.bytes;
            self.data.write_all(&bytes)?;
            Ok(bytes.len() as u64)
        };
        self.length += append().map_err(|source| FrameError::Write { path: self.path.clone(), source })?;
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn finish(self) -> Result<(), FrameError> {
        let WholeTable { path, whole, mut data, encoder, .. } = self;
        let close = || -> io::Result<()> {
            data.write_all(&encoder.ending()?)?;
            data.flush()?;
            drop(data);
            whole.keep()
        };
        close().map_err(|source| FrameError::Write { path, source })
    }
}

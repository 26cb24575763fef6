//! What a part of a table says of itself, in a file beside it: enough to put all parts together.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::FrameError;
use crate::write_whole;

/// Which rows of a whole table a file has. The first column of the table counts what its rows belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartManifest {
    /// The first number of the part,
    pub from: u64,
    /// and the one behind its last.
    pub to: u64,
    /// How many numbers the whole has, from 0.
    pub of: u64,
    /// So many of them are written together in the file of the whole.
    pub groups_of: u64,
    /// A checksum of what all rows follow from: the same for all parts of a whole.
    pub source: String,
}

impl PartManifest {
    /// Where the manifest of a file is.
    pub fn path(part: &Path) -> PathBuf {
        let mut name: OsString = part.into();
        name.push(".manifest");
        name.into()
    }

    /// Writes it beside its file.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn write(&self, part: &Path) -> Result<(), FrameError> {
        let path = Self::path(part);
        let text = serde_json::to_string(self).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&path, format!("{text}\n").as_bytes()));
        written.map_err(|source| FrameError::Write { path, source })
    }

    /// That of a file, if there is one.
    ///
    /// # Errors
    /// Whatever the system refuses, and a file that is no manifest.
    pub fn read(part: &Path) -> Result<Option<PartManifest>, FrameError> {
        let path = Self::path(part);
        match fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map(Some).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
        .map_err(|source| FrameError::Read { path, source })
    }
}

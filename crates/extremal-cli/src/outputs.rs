//! The files that a command is asked to write.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use extremal::trajectory::Format;
use extremal::trajectory::plot::PictureFormat;

use crate::failure::Failure;

/// The files that a command is asked to write.
pub struct Outputs<'a> {
    pub trajectories: &'a [PathBuf],
    pub plots: &'a [PathBuf],
}

impl Outputs<'_> {
    /// Refuses names that cannot work, before anything is computed.
    pub fn check(&self) -> Result<(), Failure> {
        let mut seen = HashSet::new();
        for path in self.trajectories.iter().chain(self.plots) {
            if !seen.insert(path) {
                return Err(Failure::SameFile(path.clone()));
            }
            check_folder(path)?;
        }
        for path in self.trajectories {
            Format::of(path)?;
        }
        for path in self.plots {
            PictureFormat::of(path)?;
        }
        Ok(())
    }
}

/// Refuses a file in a folder that does not exist.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match folder.is_dir() {
        true => Ok(()),
        false => Err(Failure::NoFolder { path: path.to_owned(), folder: folder.to_owned() }),
    }
}

/// The line that says which files there are now, after an empty one; nothing if there are none.
pub fn written(files: &[PathBuf]) -> String {
    match files {
        [] => String::new(),
        files => {
            let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
            format!("\nwritten: {}\n", names.join(", "))
        }
    }
}

//! Files that are there whole or not at all: written under another name, brought to the disk, and then given their own.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file on its way: until it is [kept](WholeFile::keep), what was there under its name stays. One that is not kept leaves nothing.
#[derive(Debug)]
pub struct WholeFile {
    /// Where it will be.
    target: PathBuf,
    /// Where it is until then; a pipe or a device is written as it is.
    temporary: Option<PathBuf>,
    file: File,
}

/// Names that are tried before giving up.
const MOST_NAMES: u32 = 1000;

impl WholeFile {
    /// Begins a file beside its place, which must be on the same disk for it to be moved there in one piece.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        // What a link leads to is replaced, not the link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = fs::metadata(&target).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            let file = OpenOptions::new().write(true).open(&target)?;
            return Ok(WholeFile { target, temporary: None, file });
        }
        if before.as_ref().is_some_and(|before| before.permissions().readonly()) {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is there already and may not be written"));
        }
        for number in 0..MOST_NAMES {
            let temporary = beside(&target, number);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    let whole = WholeFile { target, temporary: Some(temporary), file };
                    if let Some(before) = before {
                        whole.file.set_permissions(before.permissions())?;
                    }
                    return Ok(whole);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no name is left for a temporary file beside it"))
    }

    /// What to write to.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Gives the file its name, after all of it is on the disk.
    ///
    /// # Errors
    /// Whatever the system refuses; the file is then lost, and what was there before stays.
    pub fn keep(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(temporary, &self.target)?;
        self.temporary = None;
        sync_folder(&self.target)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // Nobody is left to hear of an error.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// Whatever the system refuses.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let whole = WholeFile::create(path)?;
    whole.writer()?.write_all(bytes)?;
    whole.keep()
}

/// Brings a new name to the disk; where folders cannot be opened, the system does so in its own time.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

/// A hidden name that belongs to this program.
fn beside(target: &Path, number: u32) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_there_stays_until_the_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        fs::write(&path, "old").unwrap();
        let whole = WholeFile::create(&path).unwrap();
        whole.writer().unwrap().write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        whole.keep().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn a_file_that_is_not_kept_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        drop(WholeFile::create(&path).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_temporary_file_of_someone_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let taken = beside(&path, 0);
        fs::write(&taken, "mine").unwrap();
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(taken).unwrap(), "mine");
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_still_leads_to_the_file_that_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.csv"), folder.path().join("link.csv"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
    }
}

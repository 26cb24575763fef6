//! What is known of an unfinished file: for what it is written, and which pieces of it are whole. Lines of JSON, the first for the
//! whole, one for each piece after that piece was written; a line that was cut short counts for nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What the contents of a file follow from: names and values.
pub(super) type Identity = Vec<(String, String)>;

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct JournalPiece {
    /// How long it is.
    pub bytes: u64,
    /// Of these bytes.
    pub checksum: u64,
    /// What a footer will need to know of it.
    pub footer: Vec<u8>,
    /// What the caller wants to know of it.
    pub note: String,
}

/// A line of a journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum JournalLine {
    Identity(Identity),
    Piece(JournalPiece),
    Finished(bool),
}

/// A journal open for writing.
pub(super) struct Journal {
    file: File,
}

/// What a journal says.
#[derive(Debug, Default)]
pub(super) struct JournalEntries {
    pub identity: Identity,
    /// The pieces, each with the length of the journal up to and with it.
    pub pieces: Vec<(JournalPiece, u64)>,
    /// The length of the first line.
    pub head: u64,
    /// All pieces are there, and the file was about to get its name.
    pub finished: bool,
}

impl Journal {
    /// Opens the journal at `path`, new or old, for this program alone; `None` if another one writes it.
    pub fn open(path: &Path) -> io::Result<Option<Journal>> {
        loop {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            match file.try_lock() {
                Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
                // Whoever had the lock may have removed the file before giving it up: a lock on what has no name keeps nobody away.
                Ok(()) if !is_at(&file, path)? => {}
                // Where there are no locks, there is no one to wait for.
                Ok(()) | Err(std::fs::TryLockError::Error(_)) => return Ok(Some(Journal { file })),
            }
        }
    }

    /// Reads it from the beginning; `None` if there is not even a whole first line.
    pub fn read(&mut self) -> io::Result<Option<JournalEntries>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        let mut end = 0;
        let mut entries: Option<JournalEntries> = None;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if line.last() != Some(&b'\n') {
                break;
            }
            end += line.len() as u64;
            let Ok(said) = serde_json::from_slice(line) else { break };
            match (said, &mut entries) {
                (JournalLine::Identity(identity), None) => {
                    entries = Some(JournalEntries { identity, pieces: Vec::new(), head: end, finished: false });
                }
                (JournalLine::Piece(piece), Some(entries)) => entries.pieces.push((piece, end)),
                (JournalLine::Finished(finished), Some(entries)) => entries.finished = finished,
                _ => break,
            }
        }
        Ok(entries)
    }

    /// Begins anew.
    pub fn begin(&mut self, identity: &[(String, String)]) -> io::Result<()> {
        self.cut(0)?;
        self.line(&JournalLine::Identity(identity.to_vec()))
    }

    /// Forgets what stands behind so many bytes.
    pub fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.file.seek(SeekFrom::Start(length)).map(|_| ())
    }

    pub fn push(&mut self, piece: JournalPiece) -> io::Result<()> {
        self.line(&JournalLine::Piece(piece))
    }

    /// Notes that nothing is missing any more.
    pub fn finish(&mut self) -> io::Result<()> {
        self.line(&JournalLine::Finished(true))?;
        self.file.sync_all()
    }

    fn line(&mut self, line: &JournalLine) -> io::Result<()> {
        self.file.write_all(format!("{}\n", serde_json::to_string(line)?).as_bytes())
    }
}

/// Is this the file that a path leads to?
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere, a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

/// FNV-1a: tells bytes from others, such as those that were written from those that were not.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        // Test vectors of Fowler, Noll and Vo.
        assert_eq!(checksum(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(checksum(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(checksum(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_line_that_was_cut_short_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let identity = vec![("step".to_owned(), "0.1".to_owned())];
        let piece =
            |k: u64| JournalPiece { bytes: k, checksum: u64::MAX - k, footer: vec![0, 255, k as u8], note: "n".into() };
        let mut journal = Journal::open(&path).unwrap().unwrap();
        assert!(journal.read().unwrap().is_none());
        journal.begin(&identity).unwrap();
        journal.push(piece(1)).unwrap();
        journal.push(piece(2)).unwrap();
        let whole = journal.read().unwrap().unwrap();
        assert_eq!(whole.identity, identity);
        assert_eq!(whole.pieces.iter().map(|(p, _)| p.clone()).collect::<Vec<_>>(), [piece(1), piece(2)]);
        let length = std::fs::metadata(&path).unwrap().len();
        assert_eq!(whole.pieces[1].1, length);
        for lost in 1..length - whole.pieces[0].1 {
            journal.cut(length - lost).unwrap();
            assert_eq!(journal.read().unwrap().unwrap().pieces.len(), 1);
        }
        journal.cut(whole.head - 1).unwrap();
        assert!(journal.read().unwrap().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_is_on_the_file_that_others_find() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = Journal::open(&path).unwrap().unwrap();
        assert!(Journal::open(&path).unwrap().is_none(), "locked");
        // A second program has opened the file already when the first removes it and lets it go.
        let opened = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        drop(first);
        opened.try_lock().unwrap();
        assert!(!is_at(&opened, &path).unwrap());
        let third = Journal::open(&path).unwrap().unwrap();
        assert!(!is_at(&opened, &path).unwrap(), "the name is that of another file now");
        assert!(is_at(&third.file, &path).unwrap());
    }
}

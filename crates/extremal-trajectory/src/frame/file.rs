//! A file of frames that survives its writer.
//!
//! Frames go to `NAME.part`, which holds the beginning of the finished file, byte by byte; a journal beside it tells which of them
//! are whole. `NAME` itself is only ever replaced by a complete file: now and then, so that there is something to read, by one with
//! the frames so far (made as `NAME.part.copy`); in the end by `NAME.part` with its footer. (Rewriting a footer in place after every frame would leave, for as
//! long as the writing takes, a file that nobody can read.)

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::format::{Encoded, FrameEncoder, FrameFormat};
use super::journal::{Identity, Journal, JournalEntries, JournalPiece, checksum};
use super::{Fields, Frame};
use crate::whole::sync_folder;
use crate::{FormatError, Stopwatch};

/// Why a file of frames cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum FrameError {
    /// The file name asks for no format that there is.
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is there already", path.display())]
    Exists { path: PathBuf },
    #[error(
        "`{}` is the unfinished work of another call",
        part.display()
    )]
    Unfinished { part: PathBuf },
    #[error("`{}` is finished: there is no unfinished work to resume", path.display())]
    Finished { path: PathBuf },
    #[error(
        "`{}` is gone, without which `{}` cannot be continued: what is there now has only the first {pieces} parts of it",
        part.display(), path.display()
    )]
    Lost { path: PathBuf, part: PathBuf, pieces: usize },
    #[error(
        "`{}` is not finished, it ends {}, and what it could be continued from is gone",
        path.display(),
        match last { Some(last) => format!("with number {last} of 0 to {}", count.saturating_sub(1)), None => "before its first row".into() }
    )]
    Partial { path: PathBuf, last: Option<i64>, count: u64 },
    #[error("`{}` was begun with {}: it cannot be resumed with other settings", part.display(), difference(what, then, now))]
    Different { part: PathBuf, what: String, then: String, now: String },
    #[error("another program is writing `{}`", part.display())]
    Busy { part: PathBuf },
}

/// Longer values are not repeated in messages.
const LONGEST_SHOWN: usize = 80;

fn difference(what: &str, then: &str, now: &str) -> String {
    let short = |text: &str| text.len() <= LONGEST_SHOWN && !text.contains('\n');
    match (then, now) {
        ("", now) => format!("no {what}, now it is {now}"),
        (then, "") => format!("{what} {then}, now there is none"),
        (then, now) if short(then) && short(now) => format!("{what} {then}, now it is {now}"),
        _ => format!("another {what}"),
    }
}

/// A file that frames are written to.
pub struct FrameFile {
    path: PathBuf,
    part: PathBuf,
    journal_path: PathBuf,
    data: File,
    journal: Journal,
    encoder: Box<dyn FrameEncoder>,
    length: u64,
    /// When a readable file was last left, and how long that took.
    published: Stopwatch,
    cost: Duration,
}

/// A file, and the notes that came with the frames it already has.
pub struct Resumed {
    /// The file, open behind its last frame.
    pub file: FrameFile,
    /// One for each frame.
    pub notes: Vec<String>,
}

/// What becomes of a file that is there already, finished or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is an error.
    Refuse,
    /// It is lost.
    Replace,
    /// It is continued.
    Resume,
}

/// A readable file is left not more often than this,
const BETWEEN_PUBLICATIONS: Duration = Duration::from_secs(1);
/// and only this part of the time is spent on it.
const PUBLICATION_SHARE: u32 = 20;

impl FrameFile {
    /// Begins or continues a file. `identity` names what its contents follow from.
    ///
    /// # Errors
    /// Those of [`create`](Self::create) and [`resume`](Self::resume).
    pub fn open(
        path: &Path,
        fields: &Fields,
        identity: &[(String, String)],
        existing: Existing,
    ) -> Result<Resumed, FrameError> {
        match existing {
            Existing::Resume => Self::resume(path, fields, identity),
            Existing::Refuse => Self::create(path, fields, identity).map(|file| Resumed { file, notes: Vec::new() }),
            Existing::Replace => {
                let (journal, paths) = open(path)?;
                let failed = paths.failed();
                begun(paths.begin(journal, fields, identity)).map_err(failed)
            }
        }
    }

    /// Begins a file.
    ///
    /// # Errors
    /// A file that is there already, or unfinished work, which would be lost; whatever the system refuses.
    pub fn create(path: &Path, fields: &Fields, identity: &[(String, String)]) -> Result<FrameFile, FrameError> {
        let (mut journal, paths) = open(path)?;
        let failed = paths.failed();
        let entries = journal.read().map_err(&failed)?;
        match (paths.part.exists(), entries) {
            (true, Some(entries)) if !entries.pieces.is_empty() => {
                return Err(FrameError::Unfinished { part: paths.part });
            }
            (false, entries) if path.exists() => {
                // The journal was only made to keep others away, or has done its work.
                if entries.is_none_or(|entries| entries.finished) {
                    let _ = fs::remove_file(&paths.journal);
                }
                return Err(FrameError::Exists { path: path.into() });
            }
            _ => {}
        }
        paths.begin(journal, fields, identity).map_err(failed)
    }

    /// Continues a file after its last whole frame, or begins it if there is none.
    ///
    /// # Errors
    /// A file that is finished, or was begun for something else; whatever the system refuses.
    pub fn resume(path: &Path, fields: &Fields, identity: &[(String, String)]) -> Result<Resumed, FrameError> {
        let (mut journal, paths) = open(path)?;
        let failed = paths.failed();
        let entries = journal.read().map_err(&failed)?;
        match &entries {
            _ if paths.part.exists() => {}
            Some(entries) if !entries.finished && !entries.pieces.is_empty() => {
                let pieces = entries.pieces.len();
                return Err(FrameError::Lost { path: path.into(), part: paths.part, pieces });
            }
            _ if path.exists() => {
                // The journal of a call that was killed just after it had finished, or one just made, need not stay.
                let _ = fs::remove_file(&paths.journal);
                return Err(FrameError::Finished { path: path.into() });
            }
            _ => {}
        }
        let Some(entries) = entries.filter(|_| paths.part.exists()) else {
            return begun(paths.begin(journal, fields, identity)).map_err(failed);
        };
        if let Some((what, then, now)) = first_difference(&entries.identity, identity) {
            return Err(FrameError::Different { part: paths.part, what, then, now });
        }
        match paths.reopen(journal, fields, entries).map_err(&failed)? {
            Some(resumed) => Ok(resumed),
            None => {
                let (journal, paths) = open(path)?;
                begun(paths.begin(journal, fields, identity)).map_err(failed)
            }
        }
    }

    /// Adds a frame. The note is given back when the file is resumed.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn push(&mut self, frame: &Frame, note: String) -> Result<(), FrameError> {
        self.append(frame, note).map_err(|source| FrameError::Write { path: self.path.clone(), source })?;
        let wait = BETWEEN_PUBLICATIONS.max(self.cost * PUBLICATION_SHARE);
        if self.published.elapsed() >= wait {
            // A disk without room for a second file has room for the first: one to read now is not worth the work.
            let _ = self.publish();
            self.published = Stopwatch::start();
        }
        Ok(())
    }

    /// Leaves a readable file with all frames so far; the unfinished one stays, to be resumed.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn suspend(mut self) -> Result<(), FrameError> {
        self.publish().map_err(|source| FrameError::Write { path: self.path.clone(), source })
    }

    /// Makes the file complete.
    ///
    /// # Errors
    /// Whatever the system refuses.
    pub fn finish(mut self) -> Result<(), FrameError> {
        self.close().map_err(|source| FrameError::Write { path: self.path.clone(), source })
    }

    fn close(&mut self) -> io::Result<()> {
        let ending = self.encoder.ending()?;
        self.data.write_all(&ending)?;
        self.data.sync_all()?;
        self.journal.finish()?;
        fs::rename(&self.part, &self.path)?;
        sync_folder(&self.path)?;
        fs::remove_file(&self.journal_path)
    }

    /// The file that an unfinished one is kept in.
    pub fn part(&self) -> &Path {
        &self.part
    }

    fn append(&mut self, frame: &Frame, note: String) -> io::Result<()> {
        let Encoded { bytes, footer } = self.encoder.encode(frame, self.length)?;
        self.data.write_all(&bytes)?;
        let length = bytes.len() as u64;
        self.journal.push(JournalPiece { bytes: length, checksum: checksum(&bytes), footer, note })?;
        self.length += length;
        Ok(())
    }

    fn publish(&mut self) -> io::Result<()> {
        let clock = Stopwatch::start();
        let copy = copy_of(&self.path);
        let copied = self.copy_to(&copy).and_then(|()| fs::rename(&copy, &self.path));
        if copied.is_err() {
            // Half a copy is of no use, and takes room.
            let _ = fs::remove_file(&copy);
        }
        self.published = Stopwatch::start();
        self.cost = clock.elapsed();
        copied
    }

    fn copy_to(&self, copy: &Path) -> io::Result<()> {
        fs::copy(&self.part, copy)?;
        let mut file = OpenOptions::new().append(true).open(copy)?;
        file.write_all(&self.encoder.ending()?)?;
        file.sync_all()
    }
}

/// The files around one that is being written.
struct FilePaths {
    path: PathBuf,
    part: PathBuf,
    journal: PathBuf,
    format: FrameFormat,
}

/// Is there unfinished work for a file?
pub(super) fn unfinished(path: &Path) -> bool {
    beside(path, ".part").exists()
}

fn open(path: &Path) -> Result<(Journal, FilePaths), FrameError> {
    let format = FrameFormat::of(path)?;
    let (part, journal) = (beside(path, ".part"), beside(path, ".part.journal"));
    let paths = FilePaths { path: path.into(), part, journal, format };
    match Journal::open(&paths.journal).map_err(paths.failed())? {
        Some(journal) => {
            // Left by a call that was killed.
            let _ = fs::remove_file(copy_of(path));
            Ok((journal, paths))
        }
        None => Err(FrameError::Busy { part: paths.part }),
    }
}

/// Where a file to read is made.
fn copy_of(path: &Path) -> PathBuf {
    beside(path, ".part.copy")
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl FilePaths {
    fn failed(&self) -> impl Fn(io::Error) -> FrameError + use<> {
        let path = self.path.clone();
        move |source| FrameError::Write { path: path.clone(), source }
    }

    fn begin(self, mut journal: Journal, fields: &Fields, identity: &[(String, String)]) -> io::Result<FrameFile> {
        journal.begin(identity)?;
        let mut data = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&self.part)?;
        let head = self.format.head(fields);
        data.write_all(&head)?;
        let mut file = self.file(journal, data, head.len() as u64, fields)?;
        file.publish()?;
        Ok(file)
    }

    /// Keeps the pieces that are whole; `None` if not even the head of the file is.
    fn reopen(self, mut journal: Journal, fields: &Fields, entries: JournalEntries) -> io::Result<Option<Resumed>> {
        let mut data = OpenOptions::new().read(true).write(true).open(&self.part)?;
        let size = data.metadata()?.len();
        let head = self.format.head(fields);
        let mut bytes = vec![0; head.len()];
        let mut length = head.len() as u64;
        if size < length || data.read_exact(&mut bytes).is_err() || bytes != head {
            return Ok(None);
        }
        let mut end = entries.head;
        let mut whole = Vec::new();
        for (piece, journal_end) in entries.pieces {
            if piece.bytes > size - length {
                break;
            }
            bytes.resize(piece.bytes as usize, 0);
            data.read_exact(&mut bytes)?;
            if checksum(&bytes) != piece.checksum {
                break;
            }
            length += piece.bytes;
            end = journal_end;
            whole.push(piece);
        }
        data.set_len(length)?;
        data.seek(SeekFrom::Start(length))?;
        journal.cut(end)?;
        let mut file = self.file(journal, data, length, fields)?;
        let mut offset = head.len() as u64;
        for piece in &whole {
            file.encoder.resume(offset, &piece.footer)?;
            offset += piece.bytes;
        }
        Ok(Some(Resumed { file, notes: whole.into_iter().map(|piece| piece.note).collect() }))
    }

    fn file(self, journal: Journal, data: File, length: u64, fields: &Fields) -> io::Result<FrameFile> {
        let encoder = (self.format.encoder())(fields)?;
        Ok(FrameFile {
            path: self.path,
            part: self.part,
            journal_path: self.journal,
            data,
            journal,
            encoder,
            length,
            published: Stopwatch::start(),
            cost: Duration::ZERO,
        })
    }
}

/// A file without frames, as one that is continued.
fn begun(file: io::Result<FrameFile>) -> io::Result<Resumed> {
    Ok(Resumed { file: file?, notes: Vec::new() })
}

/// What was another then, or was not there, or is not there any more.
fn first_difference(then: &Identity, now: &[(String, String)]) -> Option<(String, String, String)> {
    let value = |pairs: &[(String, String)], name: &str| {
        pairs.iter().find(|(other, _)| other == name).map_or_else(String::new, |(_, value)| value.clone())
    };
    let changed = |name: &String| {
        let (before, after) = (value(then, name), value(now, name));
        (before != after).then(|| (name.clone(), before, after))
    };
    then.iter().chain(now).find_map(|(name, _)| changed(name))
}

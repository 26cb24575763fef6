//! The rows of an ensemble as a file, or of a part of it as a file with a manifest.

use std::ops::ControlFlow;
use std::path::Path;

use extremal_trajectory::frame::{
    Existing, Fields, Frame, FrameError, FrameFile, PartManifest, Resumed, checksum, last_integer,
};

use super::pool::Cut;
use super::{SweepOutcome, SweepProgress};

/// What in the identity of an ensemble is not that of the whole.
const MEMBERS: &str = "members";

/// What is said of rows, kept beside them until all are there.
pub(crate) trait Tally: Default {
    /// Adds that of the members after these.
    fn join(&mut self, next: Self);
    /// How many members there are in it.
    fn members(&self) -> u64;
    /// As text that [`Tally::from_note`] reads back to the same bits.
    fn to_note(&self) -> String;
    /// Reads it back.
    fn from_note(note: &str) -> Option<Self>;
}

/// Takes the rows of whole groups, in their order.
pub(crate) type TakeRows<'t, T> = &'t mut dyn FnMut(Frame, T) -> Result<(), FrameError>;
/// Sees how many members are done and may end the work.
pub(crate) type WatchMembers<'w> = &'w mut dyn FnMut(u64) -> ControlFlow<()>;

/// Which rows a file is to have.
pub(crate) struct PartFile<'a> {
    pub fields: &'a Fields,
    /// What all rows follow from, by names.
    pub identity: Vec<(String, String)>,
    pub cut: Cut,
    /// How many members the whole has.
    pub of: u64,
    /// Are these members asked for as a part of the whole?
    pub is_part: bool,
}

impl PartFile<'_> {
    /// Computes the members and writes their rows, or those that an earlier call has not done. `march` is given the first group to be
    /// computed and returns the number of groups that are done then. `watch` may end the work: the file then has the members so far.
    pub fn write<T: Tally>(
        &self,
        path: &Path,
        existing: Existing,
        mut watch: impl FnMut(SweepProgress) -> ControlFlow<()>,
        march: impl FnOnce(u64, TakeRows<'_, T>, WatchMembers<'_>) -> Result<u64, FrameError>,
    ) -> Result<SweepOutcome<T>, FrameError> {
        let Resumed { mut file, notes } = self.open(path, existing)?;
        let mut summary = T::default();
        notes.iter().filter_map(|note| T::from_note(note)).for_each(|part| summary.join(part));
        let resumed = summary.members();
        let mut take = |frame: Frame, part: T| {
            file.push(&frame, part.to_note())?;
            summary.join(part);
            Ok(())
        };
        let mut watch = |done| watch(SweepProgress { done, members: self.cut.members(), resumed });
        let groups = march(notes.len() as u64, &mut take, &mut watch)?;
        let complete = groups == self.cut.groups();
        match complete {
            true => file.finish()?,
            false => file.suspend()?,
        }
        Ok(SweepOutcome { summary, complete, resumed })
    }

    fn open(&self, path: &Path, existing: Existing) -> Result<Resumed, FrameError> {
        let opened = FrameFile::open(path, self.fields, &self.full_identity(), existing);
        if let Err(FrameError::Finished { path }) = &opened {
            // Rows are in the order of their members: what ends with another than the last is a copy of unfinished work.
            let (last, count) = (last_integer(path)?, self.cut.end);
            if last.is_none_or(|last| last as u64 + 1 != count) {
                return Err(FrameError::Partial { path: path.clone(), last, count });
            }
            self.check_manifest(path)?;
        }
        let opened = opened?;
        if self.is_part {
            self.manifest().write(path)?;
        }
        Ok(opened)
    }

    /// What the rows of this file follow from: the whole, and which members they are.
    fn full_identity(&self) -> Vec<(String, String)> {
        let Cut { begin, end, .. } = self.cut;
        let members = if (begin, end) == (0, self.of) { String::new() } else { format!("{begin} to {}", end - 1) };
        self.identity.iter().cloned().chain([(MEMBERS.to_owned(), members)]).collect()
    }

    /// What a file of these members says of them.
    fn manifest(&self) -> PartManifest {
        let text: String = self.identity.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        PartManifest {
            from: self.cut.begin,
            to: self.cut.end,
            of: self.of,
            groups_of: self.cut.group,
            source: format!("{:016x}", checksum(text.as_bytes())),
        }
    }

    /// A finished part must be of this ensemble, and of these members.
    fn check_manifest(&self, path: &Path) -> Result<(), FrameError> {
        let (Some(then), now) = (PartManifest::read(path)?.filter(|_| self.is_part), self.manifest()) else {
            return Ok(());
        };
        let differs = |what: &str, [then, now]: [String; 2]| FrameError::Different {
            part: path.into(),
            what: what.to_owned(),
            then,
            now,
        };
        let members = |manifest: &PartManifest| format!("{} to {}", manifest.from, manifest.to.saturating_sub(1));
        if (then.from, then.to) != (now.from, now.to) {
            return Err(differs(MEMBERS, [members(&then), members(&now)]));
        }
        if then != now {
            return Err(differs("settings of checksum", [then.source, now.source]));
        }
        Ok(())
    }
}

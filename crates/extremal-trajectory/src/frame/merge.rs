//! Parts of a table become the file that one writer would have made, byte for byte.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::file::unfinished;
use super::{FrameError, FrameFormat, PartManifest, last_integer};
use crate::WholeFile;

/// Why parts cannot be put together.
#[derive(Debug, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum MergeError {
    #[error("there are no parts")]
    Nothing,
    #[error("`{}` has no manifest beside it, `{}`: it is no part of a table", part.display(), PartManifest::path(part).display())]
    NoManifest { part: PathBuf },
    #[error("`{}` is not finished", part.display())]
    Unfinished { part: PathBuf },
    #[error("`{}` and `{}` are parts of different tables", first.display(), part.display())]
    Different { first: PathBuf, part: PathBuf },
    #[error("`{}` and `{}` have both number {number}", first.display(), part.display())]
    Twice { first: PathBuf, part: PathBuf, number: u64 },
    #[error("the numbers {from} to {last} of 0 to {end} are missing", end = of.saturating_sub(1))]
    Missing { from: u64, last: u64, of: u64 },
    #[error("`{}` has another format than `{}`", out.display(), part.display())]
    OtherFormat { out: PathBuf, part: PathBuf },
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Parts that make a whole, in order.
#[derive(Debug)]
pub struct CompleteParts {
    paths: Vec<PathBuf>,
    /// How many numbers the whole has, and how many of them are written together.
    count: u64,
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet has groups"))]
    groups_of: u64,
}

impl CompleteParts {
    /// Looks at files with manifests, in any order: they must be finished, belong together, and leave nothing out.
    ///
    /// # Errors
    /// See [`MergeError`].
    pub fn of(paths: &[PathBuf]) -> Result<CompleteParts, MergeError> {
        let mut parts: Vec<(PartManifest, &PathBuf)> = Vec::with_capacity(paths.len());
        for path in paths {
            let manifest = PartManifest::read(path)?.ok_or_else(|| MergeError::NoManifest { part: path.clone() })?;
            parts.push((manifest, path));
        }
        parts.sort_by_key(|(manifest, _)| (manifest.from, manifest.to));
        let Some((first, first_path)) = parts.first().cloned() else { return Err(MergeError::Nothing) };
        let missing = |from: u64, to: u64| MergeError::Missing { from, last: to.saturating_sub(1), of: first.of };
        let (mut end, mut before) = (0, first_path);
        for (manifest, path) in &parts {
            let PartManifest { from, to, of, groups_of, source } = manifest;
            if (*of, *groups_of, source) != (first.of, first.groups_of, &first.source) {
                return Err(MergeError::Different { first: first_path.clone(), part: (*path).clone() });
            }
            if *from < end {
                return Err(MergeError::Twice { first: before.clone(), part: (*path).clone(), number: *from });
            }
            if *from > end {
                return Err(missing(end, *from));
            }
            // A readable copy of unfinished work ends before its last number, or has that work beside it.
            if unfinished(path) || !path.exists() || last_integer(path)?.is_none_or(|last| last as u64 + 1 != *to) {
                return Err(MergeError::Unfinished { part: (*path).clone() });
            }
            (end, before) = (*to, path);
        }
        if end < first.of {
            return Err(missing(end, first.of));
        }
        let paths = parts.iter().map(|(_, path)| (*path).clone()).collect();
        Ok(CompleteParts { paths, count: first.of, groups_of: first.groups_of.max(1) })
    }

    /// The files, in the order of their rows.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many numbers the whole has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes the whole, which is there when it is finished, or not at all.
    ///
    /// # Errors
    /// Another format than that of the parts, parts of different columns, and whatever the system refuses.
    pub fn write(&self, out: &Path) -> Result<(), MergeError> {
        let format = FrameFormat::of(out).map_err(FrameError::from)?;
        for part in &self.paths {
            if FrameFormat::of(part).map_err(FrameError::from)? != format {
                return Err(MergeError::OtherFormat { out: out.into(), part: part.clone() });
            }
        }
        match format {
            FrameFormat::Csv => self.write_text(out),
            #[cfg(feature = "parquet")]
            FrameFormat::Parquet => self.write_groups(out),
        }
    }

    /// Text after text, under one heading.
    fn write_text(&self, out: &Path) -> Result<(), MergeError> {
        let failed = |source| FrameError::Write { path: out.into(), source };
        let whole = WholeFile::create(out).map_err(failed)?;
        let mut data = BufWriter::new(whole.writer().map_err(failed)?);
        let mut heading: Option<Vec<u8>> = None;
        for part in &self.paths {
            let unread = |source| FrameError::Read { path: part.clone(), source };
            let mut text = BufReader::new(File::open(part).map_err(unread)?);
            let mut own = Vec::new();
            text.read_until(b'\n', &mut own).map_err(unread)?;
            match &heading {
                None => data.write_all(&own).map_err(failed)?,
                Some(heading) if *heading == own => {}
                Some(_) => return Err(self.different(part)),
            }
            heading = Some(own);
            io::copy(&mut text, &mut data).map_err(failed)?;
        }
        data.flush().and_then(|()| whole.keep()).map_err(failed)?;
        Ok(())
    }

    /// Rows are put into the groups that they have in the whole, wherever the parts were cut.
    #[cfg(feature = "parquet")]
    fn write_groups(&self, out: &Path) -> Result<(), MergeError> {
        use super::parquet::GroupReader;
        use super::{Fields, Frame, WholeTable};

        let mut begun: Option<(WholeTable, Fields, Frame)> = None;
        let mut end = self.groups_of;
        for part in &self.paths {
            let unread = |source| FrameError::Read { path: part.clone(), source };
            let reader = GroupReader::open(part).map_err(unread)?;
            if begun.is_none() {
                let fields = reader.fields().clone();
                begun = Some((WholeTable::create(out, &fields)?, fields.clone(), Frame::new(&fields)));
            }
            let Some((table, fields, rest)) = &mut begun else { continue };
            if reader.fields() != fields {
                return Err(self.different(part));
            }
            for group in 0..reader.groups() {
                rest.append(&mut reader.frame(group).map_err(unread)?);
                loop {
                    let cut = rest.integers(0).partition_point(|number| (*number as u64) < end);
                    if cut == rest.rows() {
                        break;
                    }
                    let later = rest.split_off(cut);
                    table.push(rest)?;
                    *rest = later;
                    end = end.saturating_add(self.groups_of);
                }
            }
        }
        let Some((mut table, _, rest)) = begun else { return Err(MergeError::Nothing) };
        if rest.rows() > 0 {
            table.push(&rest)?;
        }
        Ok(table.finish()?)
    }

    fn different(&self, part: &Path) -> MergeError {
        MergeError::Different { first: self.paths[0].clone(), part: part.into() }
    }
}

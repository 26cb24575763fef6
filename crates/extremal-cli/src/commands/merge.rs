//! `extremal merge`: parts of a sweep become the file of one machine.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use extremal_engine::trajectory::frame::{CompleteParts, FrameError, PartManifest};
use serde::Serialize;

use crate::arguments::PrintArguments;
use crate::failure::{CommandError, Ending};
use crate::outputs::{check_folder, spare_inputs};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  extremal merge parts/ --out orbits.parquet
  extremal merge part-1.csv part-2.csv --out orbits.csv

Parts are the files of `extremal sweep --shard K/N` or `--members A:B`, with
the manifests that stand beside them. The file has the bytes that a sweep of all
members on one machine would have written.";

/// Put the parts of a sweep together
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MergeArguments {
    /// Parts of a sweep, or folders of them
    #[arg(required = true, value_name = "PART")]
    parts: Vec<PathBuf>,
    /// Write the whole, in the format of the parts
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    print: PrintArguments,
}

/// What was merged, as data.
#[derive(Serialize)]
struct MergedFile<'a> {
    file: &'a Path,
    parts: usize,
    members: u64,
}

pub fn execute(arguments: &MergeArguments) -> Result<Ending, CommandError> {
    let out = &arguments.out;
    check_folder(out)?;
    let mut files = Vec::new();
    for path in &arguments.parts {
        match path.is_dir() {
            true => {
                files.extend(parts_in(path, out).map_err(|source| FrameError::Read { path: path.clone(), source })?)
            }
            false => files.push(path.clone()),
        }
    }
    let inputs: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    spare_inputs([out], &inputs.iter().map(String::as_str).collect::<Vec<_>>())?;
    if out.exists() && !arguments.force {
        return Err(FrameError::Exists { path: out.clone() }.into());
    }
    let parts = CompleteParts::of(&files)?;
    parts.write(out)?;
    let merged = MergedFile { file: out, parts: parts.paths().len(), members: parts.count() };
    if arguments.print.json {
        terminal::print_json(&merged)?;
    } else if !arguments.print.quiet {
        let MergedFile { parts, members, .. } = merged;
        terminal::print(&format!("members  {members}, of {parts} parts\nwritten: {}\n", out.display()))?;
    }
    Ok(Ending::Done)
}

/// The files of a folder that have manifests; `out` may stand among them.
fn parts_in(folder: &Path, out: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        // A part that was begun and left nothing to read is missed by its manifest.
        let part = path.extension().is_some_and(|extension| extension == "manifest").then(|| path.with_extension(""));
        found.extend(part.filter(|part| part != out && PartManifest::path(part) == path));
    }
    found.sort();
    Ok(found)
}

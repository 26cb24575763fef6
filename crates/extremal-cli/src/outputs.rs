//! The files that a command is asked to write.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use extremal_engine::trajectory::Format;
use extremal_engine::trajectory::plot::{PanelRequest, PictureFormat};

use crate::animation;
use crate::drawings::DrawingArguments;
use crate::failure::CommandError;

/// The files that a command is asked to write.
#[derive(Clone, Copy, Default)]
pub struct Outputs<'a> {
    pub trajectories: &'a [PathBuf],
    /// The columns of these, if they are chosen.
    pub columns: &'a [String],
    pub plots: &'a [PathBuf],
    /// What the plots show, if it is said.
    pub panels: &'a [PanelRequest],
    pub drawings: Option<&'a DrawingArguments>,
}

impl Outputs<'_> {
    /// Refuses names that cannot work, before anything is computed.
    pub fn check(&self) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        let drawings = self.drawings.into_iter().flat_map(DrawingArguments::files);
        for path in self.trajectories.iter().chain(self.plots).chain(drawings) {
            check_folder(path)?;
            if !seen.insert(place_of(path)) {
                return Err(CommandError::SameFile(path.clone()));
            }
        }
        for path in self.trajectories {
            Format::of(path)?;
        }
        let frames = self.drawings.map_or(&[][..], |drawings| &drawings.frame);
        for path in self.plots.iter().chain(frames) {
            PictureFormat::of(path)?;
        }
        let animations = self.drawings.map_or(&[][..], |drawings| &drawings.animate);
        animations.iter().try_for_each(|path| animation::check(path))
    }
}

/// Refuses to write over a file that is read: the model, a list of members.
pub fn spare_inputs<'p>(outputs: impl IntoIterator<Item = &'p PathBuf>, inputs: &[&str]) -> Result<(), CommandError> {
    let read: Vec<PathBuf> =
        inputs.iter().filter(|input| Path::new(input).is_file()).map(|p| place_of(Path::new(p))).collect();
    match outputs.into_iter().find(|path| read.contains(&place_of(path))) {
        Some(path) => Err(CommandError::OwnInput(path.clone())),
        None => Ok(()),
    }
}

/// Where a file is or will be, whichever way its name leads there.
fn place_of(path: &Path) -> PathBuf {
    let folder = || {
        let folder = fs::canonicalize(folder_of(path)).ok()?;
        Some(folder.join(path.file_name()?))
    };
    fs::canonicalize(path).ok().or_else(folder).unwrap_or_else(|| path.to_owned())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a file in a folder that does not exist.
pub fn check_folder(path: &Path) -> Result<(), CommandError> {
    let folder = folder_of(path);
    match folder.is_dir() {
        true => Ok(()),
        false => Err(CommandError::NoFolder { path: path.to_owned(), folder: folder.to_owned() }),
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

//! A file has one reason to exist, and its length shows when it has more.

use super::{rust_files, text};
use crate::shell::TaskFailure;

/// More lines than this are more than one reason.
const LONGEST: usize = 600;

pub fn broken() -> Result<Vec<String>, TaskFailure> {
    let mut long = Vec::new();
    for path in rust_files(&[""])? {
        let lines = text(&path)?.lines().count();
        if lines > LONGEST {
            long.push(format!("{} has {lines} lines, more than {LONGEST}: split it", path.display()));
        }
    }
    Ok(long)
}

//! The format that a file name asks for.

use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file name asks for no format that can be written.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum FormatError {
    #[error("cannot tell the {what} of `{}`: its name should end in {}", path.display(), listed(known))]
    Unknown { path: PathBuf, what: &'static str, known: Vec<&'static str> },
    #[error("`{}` needs the feature `{feature}`, without which this library was built", path.display())]
    Feature { path: PathBuf, feature: &'static str },
}

/// Endings that only exist with a feature, where it is missing.
const LEFT_OUT: &[(&str, &str)] = &[
    #[cfg(not(feature = "parquet"))]
    ("parquet", "parquet"),
];

/// The format of `path` among those known by their endings, in any case.
pub(crate) fn asked_for<F: Copy>(
    path: &Path,
    what: &'static str,
    known: &[(&'static str, F)],
) -> Result<F, FormatError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let is_asked = |ending: &str| ending.eq_ignore_ascii_case(extension);
    if let Some((_, format)) = known.iter().find(|(ending, _)| is_asked(ending)) {
        return Ok(*format);
    }
    Err(match LEFT_OUT.iter().find(|(ending, _)| is_asked(ending)) {
        Some((_, feature)) => FormatError::Feature { path: path.into(), feature },
        None => {
            FormatError::Unknown { path: path.into(), what, known: known.iter().map(|(ending, _)| *ending).collect() }
        }
    })
}

/// `.csv, .json or .parquet`.
fn listed(endings: &[&str]) -> String {
    let dotted: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
    match dotted.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        one => one.concat(),
    }
}

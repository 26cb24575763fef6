//! `extremal gallery`: the built-in models.

use std::path::PathBuf;

use clap::Args;
use extremal_engine::trajectory::plot::{PictureFormat, SketchSheet};
use extremal_engine::{Model, gallery};

use crate::failure::{CommandError, Ending};
use crate::outputs::{check_folder, written};
use crate::source::gallery_text;
use crate::{sheet, terminal};

const EXAMPLES: &str = "\
Examples:
  extremal gallery                    list the models
  extremal gallery pendulum           print one
  extremal gallery pendulum > my.toml then change it and: extremal run my.toml
  extremal gallery --sheet all.png    what they look like
  extremal run gallery:pendulum       run one as it is";

/// Descriptions are not squeezed into less.
const LEAST_ROOM: usize = 30;

/// List the built-in models, or print one
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct GalleryArguments {
    /// The model to print
    name: Option<String>,
    /// Run or solve those that say what they look like, and draw the ends of their motions in one picture, .svg or .png
    #[arg(long, value_name = "FILE", conflicts_with = "name")]
    sheet: Option<PathBuf>,
}

/// Pictures in a row of the sheet.
const IN_A_ROW: usize = 8;

pub fn execute(arguments: &GalleryArguments) -> Result<Ending, CommandError> {
    if let Some(path) = &arguments.sheet {
        check_folder(path)?;
        PictureFormat::of(path)?;
        SketchSheet::rows("", sheet::sketches()?, IN_A_ROW).save(path)?;
        terminal::print(written(std::slice::from_ref(path)).trim_start())?;
        return Ok(Ending::Done);
    }
    match &arguments.name {
        Some(name) => terminal::print(gallery_text(name.strip_prefix("gallery:").unwrap_or(name))?)?,
        None => terminal::print(&list())?,
    }
    Ok(Ending::Done)
}

/// One model per line, or wrapped where a terminal is too narrow for it.
fn list() -> String {
    let column = gallery::names().map(str::len).max().unwrap_or(0) + 2;
    let room = terminal::width().map_or(usize::MAX, |width| width.saturating_sub(column).max(LEAST_ROOM));
    let mut out = String::new();
    for name in gallery::names() {
        let model = gallery::text(name).and_then(|text| Model::from_toml(text).ok());
        let description = model.as_ref().and_then(Model::description).unwrap_or_default();
        for (index, line) in wrapped(description, room).iter().enumerate() {
            let left = if index == 0 { name } else { "" };
            out.push_str(format!("{left:column$}{line}").trim_end());
            out.push('\n');
        }
    }
    out
}

/// The words of `text` on lines of at most `room` characters, if they are not longer than that themselves.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line =
            lines.last_mut().filter(|line| line.is_empty() || line.chars().count() + word.chars().count() < room);
        match line {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_and_lines_are_filled() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("extraordinarily long", 4), ["extraordinarily", "long"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}

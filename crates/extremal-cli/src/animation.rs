//! A motion as a page that needs nothing else, the mechanism with its quantities beside it, or as a film.

use std::path::Path;

use extremal_engine::drawing::DrawnMotion;
use extremal_engine::trajectory::write_whole;

use crate::failure::CommandError;
use crate::film::{self, FilmFormat};

const PAGE: &str = include_str!("animation.html");

/// What a file is that shows a motion.
#[derive(Clone, Copy)]
enum MotionFormat {
    Page,
    Film(FilmFormat),
}

impl MotionFormat {
    fn of(path: &Path) -> Result<MotionFormat, CommandError> {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("html") => Ok(MotionFormat::Page),
            Some("gif") => Ok(MotionFormat::Film(FilmFormat::Gif)),
            Some("mp4") => Ok(MotionFormat::Film(FilmFormat::Mp4)),
            _ => Err(CommandError::NoAnimation(path.to_owned())),
        }
    }
}

/// Refuses a name that is not one of a page or a film, and a film that cannot be made here.
pub fn check(path: &Path) -> Result<(), CommandError> {
    match MotionFormat::of(path)? {
        MotionFormat::Page => Ok(()),
        MotionFormat::Film(format) => film::check(format),
    }
}

/// Writes the page or the film.
pub fn save(path: &Path, title: &str, motion: &DrawnMotion) -> Result<(), CommandError> {
    match MotionFormat::of(path)? {
        MotionFormat::Page => save_page(path, title, motion),
        MotionFormat::Film(format) => film::save(path, title, motion, format),
    }
}

fn save_page(path: &Path, title: &str, motion: &DrawnMotion) -> Result<(), CommandError> {
    let failed = |source| CommandError::Animation { path: path.to_owned(), source };
    let data = serde_json::to_string(motion).map_err(|error| failed(error.into()))?;
    // Nothing in the data may end the element that it stands in.
    let data = data.replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let (head, body) = PAGE.split_once("MOTION").unwrap_or((PAGE, ""));
    let page = [&head.replace("TITLE", &title), data.as_str(), body].concat();
    write_whole(path, page.as_bytes()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_place_for_the_motion_and_no_outside() {
        assert_eq!(PAGE.matches("MOTION").count(), 1);
        assert!(!PAGE.contains("http"));
        assert!(
            check(Path::new("a.HTML")).is_ok()
                && check(Path::new("a.gif")).is_ok()
                && check(Path::new("a.webm")).is_err()
        );
    }
}

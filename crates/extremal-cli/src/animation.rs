//! A motion as a page that needs nothing else: the mechanism moves, its quantities beside it.

use std::path::Path;

use extremal_engine::drawing::DrawnMotion;
use extremal_engine::trajectory::write_whole;

use crate::failure::CommandError;

const PAGE: &str = include_str!("animation.html");

/// Refuses a name that is not one of a page.
pub fn check(path: &Path) -> Result<(), CommandError> {
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html")) {
        true => Ok(()),
        false => Err(CommandError::NoAnimation(path.to_owned())),
    }
}

/// Writes the page.
pub fn save(path: &Path, title: &str, motion: &DrawnMotion) -> Result<(), CommandError> {
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
        assert!(check(Path::new("a.HTML")).is_ok() && check(Path::new("a.gif")).is_err());
    }
}

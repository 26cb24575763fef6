//! The files of the page, as they were when the program was built.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name.
    pub name: &'static str,
    /// Its type, as HTTP says it.
    pub kind: &'static str,
    /// Its bytes.
    pub content: &'static [u8],
}

macro_rules! assets {
    ($($name:literal is $kind:literal,)+) => {
        /// All of them.
        pub const ASSETS: &[Asset] = &[
            $(Asset { name: $name, kind: $kind, content: include_bytes!(concat!("../assets/", $name)) },)+
        ];
    };
}

assets! {
    "index.html" is "text/html; charset=utf-8",
    "studio.css" is "text/css; charset=utf-8",
    "main.js" is "text/javascript; charset=utf-8",
    "ask.js" is "text/javascript; charset=utf-8",
    "dom.js" is "text/javascript; charset=utf-8",
    "editor.js" is "text/javascript; charset=utf-8",
    "scene.js" is "text/javascript; charset=utf-8",
    "charts.js" is "text/javascript; charset=utf-8",
    "results.js" is "text/javascript; charset=utf-8",
    "tasks.js" is "text/javascript; charset=utf-8",
    "gallery.js" is "text/javascript; charset=utf-8",
    "icon.svg" is "image/svg+xml",
}

/// The file of this name; the page itself where none is named.
pub(crate) fn find(name: &str) -> Option<&'static Asset> {
    let name = if name.is_empty() { "index.html" } else { name };
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_no_place_outside() {
        for asset in ASSETS {
            let text = std::str::from_utf8(asset.content).unwrap();
            let outside = text.replace("http://www.w3.org/", "");
            assert!(!outside.contains("://"), "{} names a place outside", asset.name);
        }
        assert_eq!(find("").unwrap().name, "index.html");
        assert!(find("../Cargo.toml").is_none());
    }
}

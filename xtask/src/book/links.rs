//! Links of pages that are built: each leads to a file, and to a place in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Follows the links of all pages in a folder; returns how many there are within it.
pub fn all_lead_somewhere(folder: &Path) -> Result<usize, String> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|extension| extension == "html") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            pages.insert(name, fs::read_to_string(&path).map_err(|error| error.to_string())?);
        }
    }
    let places: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(name, page)| (name.as_str(), values(page, "id").collect())).collect();
    let mut followed = 0;
    for (name, page) in &pages {
        for link in values(page, "href").chain(values(page, "src")).filter(|link| !link.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { name } else { file };
            let is_there = match places.get(file) {
                Some(places) => place.is_empty() || places.contains(place),
                None => place.is_empty() && folder.join(file).is_file(),
            };
            if !is_there {
                return Err(format!("{name}: the link {link} leads nowhere"));
            }
            followed += 1;
        }
    }
    Ok(followed)
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> impl Iterator<Item = &'p str> {
    let begin = format!(" {attribute}=\"");
    let starts: Vec<usize> = page.match_indices(&begin).map(|(at, found)| at + found.len()).collect();
    starts.into_iter().filter_map(|at| page[at..].split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let folder = std::env::temp_dir().join(format!("extremal-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let page = |links: &str| {
            fs::write(folder.join("a.html"), format!("<h1 id=\"top\">A</h1>{links}")).unwrap();
            all_lead_somewhere(&folder)
        };
        let sound = "<a href=\"#top\">1</a> <a href=\"a.html#top\">2</a> <a href=\"a.html\">3</a> <a href=\"https://e.org\">4</a>";
        assert_eq!(page(sound), Ok(3));
        for wrong in ["b.html", "#bottom", "a.html#bottom", "a.svg"] {
            assert!(page(&format!("<a href=\"{wrong}\">x</a>")).unwrap_err().contains(wrong), "{wrong}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

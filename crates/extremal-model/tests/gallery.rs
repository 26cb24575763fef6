//! Every model of the gallery loads without an error or a warning.

use std::path::Path;

use extremal_model::{Model, Overrides, render};

/// The sources with short names, and what has to stand beside the name wherever a user meets it.
const SOURCES: [(&str, &str); 5] = [
    ("[TT]", "Sistemas termomecánicos lagrangianos"),
    ("[AD]", "Dinámica analítica"),
    ("[VC]", "thesis on vakonomic mechanics"),
    ("[TP]", "López-Gordón"),
    ("[LM]", "J. Zanella"),
];

/// Are the short names in this text explained there?
fn assert_explained(what: &str, text: &str) {
    for (short, explained) in SOURCES {
        assert!(!text.contains(short) || text.contains(explained), "{what} says {short} and not whose that is");
        assert!(!text.contains(&short[..3]) || text.contains(short), "{what} cites a part of {short} alone");
    }
}

#[test]
fn short_names_of_sources_are_explained() {
    assert_explained("docs/theory.md", include_str!("../../../docs/theory.md"));
    assert_explained("docs/papers.md", include_str!("../../../docs/papers.md"));
}

#[test]
fn the_gallery_loads_without_a_warning() {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gallery");
    let mut seen = 0;
    for entry in std::fs::read_dir(gallery).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        match Model::load(&text, &Overrides::default()) {
            Ok(model) => {
                let warnings = render(model.warnings(), &file, &text, false);
                assert!(warnings.is_empty(), "{warnings}");
                assert!(
                    model.name().is_some() && model.source().is_some(),
                    "{file} says what it is and where it comes from"
                );
                assert_explained(&file, model.source().unwrap_or_default());
            }
            Err(invalid) => panic!("{}", invalid.render(&file, false)),
        }
        seen += 1;
    }
    assert!(seen >= 18, "only {seen} models found");
}

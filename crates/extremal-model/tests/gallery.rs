//! Every model of the gallery loads without an error or a warning.

use std::path::Path;

use extremal_model::{Model, Overrides, render};

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
            }
            Err(invalid) => panic!("{}", invalid.render(&file, false)),
        }
        seen += 1;
    }
    assert!(seen >= 18, "only {seen} models found");
}

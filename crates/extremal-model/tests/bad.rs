//! Model files with something wrong in them, and what the user reads then.

use std::path::{Path, PathBuf};

use extremal_model::{Model, render};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_mistake_has_its_message() {
    let files = files();
    assert!(files.len() >= 45, "only {} files", files.len());
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = match Model::from_toml(&text) {
            Ok(model) => {
                assert!(name.starts_with("warning-"), "{name} loads");
                assert!(!model.warnings().is_empty(), "{name} loads without a warning");
                render(model.warnings(), "model.toml", &text, false)
            }
            Err(invalid) => invalid.render("model.toml", false),
        };
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, shown);
        });
    }
}

//! The reference of the model file and of its expressions, as the documentation prints it.

use extremal_expr::{Function, Function2};
use extremal_model::{Code, Model, ModelTable};

const PAGE: &str = include_str!("../../../docs/model-file.md");

/// What the page says of a table: its heading, its sentence, its keys.
fn section(table: &ModelTable) -> String {
    let mut sentence = table.sentence.to_owned();
    sentence[..1].make_ascii_uppercase();
    let mut lines = vec![format!("### `[{}]`", table.name), String::new(), format!("{sentence}.")];
    if !table.keys().is_empty() {
        lines.extend(["", "| key | |", "|---|---|"].map(str::to_owned));
        lines.extend(table.keys().iter().map(|key| format!("| `{}` | {} |", key.name, key.sentence)));
    }
    lines.join("\n")
}

fn table_of_functions() -> String {
    let mut lines = vec!["| function | |".to_owned(), "|---|---|".to_owned()];
    let row = |name: &str, sentence: &str| format!("| `{name}` | {sentence} |");
    lines.extend(Function::ALL.iter().map(|f| row(f.name(), f.sentence())));
    lines.extend(Function2::ALL.iter().map(|f| row(f.name(), f.sentence())));
    lines.join("\n")
}

#[test]
fn the_page_describes_every_table_key_and_function() {
    let wanted: Vec<String> =
        ModelTable::all().iter().map(|table| section(table)).chain([table_of_functions()]).collect();
    let missing: Vec<&str> = wanted.iter().filter(|part| !PAGE.contains(*part)).map(String::as_str).collect();
    assert!(missing.is_empty(), "docs/model-file.md should contain\n\n{}\n", missing.join("\n\n"));
}

#[test]
fn every_key_that_is_described_is_read() {
    for table in ModelTable::all().iter().filter(|table| !table.keys().is_empty()) {
        let direct = ["dynamics", "objective", "boundary", "discrete", "simulation"].contains(&table.name);
        for key in table.keys() {
            let entry = if direct { format!("{} = 1", key.name) } else { format!("x = {{ {} = 1 }}", key.name) };
            let text = format!("[{}]\n{entry}\n", table.name);
            let problems = Model::from_toml(&text).unwrap_err().diagnostics;
            assert!(problems.iter().all(|problem| problem.code != Code::UnknownKey), "{text}");
        }
    }
}

/// The models on the page are whole ones: each is read.
#[test]
fn the_models_on_the_page_are_read() {
    let models: Vec<&str> = PAGE.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(models.len() >= 3);
    for model in models {
        if let Err(invalid) = Model::from_toml(model) {
            panic!("{invalid}\n{model}");
        }
    }
}

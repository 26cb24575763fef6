//! The reference of the model file and of its expressions, as the documentation prints it.

use extremal_expr::syntax::{AnyName, parse_any};
use extremal_expr::{Function, Function2, Graph};
use extremal_model::{Code, Model, ModelTable};
use extremal_testkit::scope::SmallScope;

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
        let direct =
            ["dynamics", "objective", "boundary", "discrete", "discretisation", "simulation", "poisson", "drawing"]
                .contains(&table.name);
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

/// The rows of the table with these headings: two pieces of code each.
fn rows(heading: &str) -> Vec<(&'static str, &'static str)> {
    let (_, table) = PAGE.split_once(heading).unwrap_or_else(|| panic!("no table {heading}"));
    let row = |line: &'static str| {
        let mut code = line.split('`').filter(|part| !part.is_empty()).skip(1).step_by(2);
        (code.next().unwrap(), code.next().unwrap())
    };
    table.lines().skip(2).take_while(|line| line.starts_with('|')).map(row).collect()
}

/// Operators, their strength, `if` and `sum`: both columns are the same expression.
#[test]
fn what_is_written_means_what_the_page_says() {
    let g = Graph::new();
    let rows = rows("| written | means |");
    assert!(rows.len() >= 19);
    for (written, means) in rows {
        let read = |text: &str| parse_any(&g, text, &AnyName(&g)).unwrap_or_else(|e| panic!("{text}: {e}")).value;
        assert_eq!(read(written), read(means), "{written} is {}, not {}", read(written), read(means));
    }
}

#[test]
fn what_is_refused_is_refused_with_these_words() {
    let g = Graph::new();
    let rows = rows("| written | message |");
    assert!(rows.len() >= 12);
    for (written, message) in rows {
        let said = parse_any(&g, written, &SmallScope(&g)).err().map(|errors| errors.to_string()).unwrap_or_default();
        assert!(said.contains(message), "{written}: {said}");
    }
}

/// Every operator of the language stands on the page.
#[test]
fn the_page_names_every_operator() {
    for operator in ["+", "-", "*", "/", "^", "**", "<", "<=", ">", ">=", "==", "!=", "and", "or", "not", "if", "sum"] {
        assert!(PAGE.contains(&format!("`{operator}`")) || PAGE.contains(&format!("`{operator}(")), "{operator}");
    }
}

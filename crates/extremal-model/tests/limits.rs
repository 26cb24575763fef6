//! Input that is too large is refused at once, and no input makes the reader panic.

use std::path::Path;
use std::time::{Duration, Instant};

use extremal_model::{Code, MAX_FILE_BYTES, Model, render};
use proptest::prelude::*;

/// Far above what refusing costs even on a busy machine (milliseconds), far below what reading would take.
const AT_ONCE: Duration = Duration::from_secs(10);

fn refused(text: &str) -> Code {
    let begun = Instant::now();
    let invalid = Model::from_toml(text).unwrap_err();
    assert!(begun.elapsed() < AT_ONCE, "refusing took {:?}", begun.elapsed());
    invalid.diagnostics[0].code
}

fn spring(lagrangian: &str) -> String {
    format!("[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"{lagrangian}\"\n")
}

#[test]
fn large_input_is_refused_at_once() {
    assert_eq!(refused(&spring(&"x".repeat(10 * MAX_FILE_BYTES))), Code::FileTooLarge);
    assert_eq!(refused(&spring(&"(".repeat(MAX_FILE_BYTES - 100))), Code::TooLarge);
    assert_eq!(refused(&format!("a = {}", "[".repeat(MAX_FILE_BYTES / 2))), Code::TomlSyntax);
    assert_eq!(refused(&format!("[parameters]\nk = {}\n{}", "9".repeat(100_000), spring("x'^2"))), Code::TooLarge);
    assert_eq!(refused(&spring("sum(i, 1, 1000000000000, x)")), Code::TooLarge);
}

#[test]
fn a_family_of_sums_is_refused_before_it_takes_forever() {
    // Five thousand million terms in all.
    let text = r#"
        coordinates.x = { count = 100000, start = 0.0 }
        definitions.y = { count = 100000, value = "sum(j, 1, i, x[j])" }
        dynamics.lagrangian = "sum(i, 1, 100000, x[i]'^2 + y[i])"
    "#;
    let invalid = Model::from_toml(text).unwrap_err();
    assert_eq!(invalid.diagnostics[0].code, Code::TooLarge);
}

#[test]
fn many_constraints_are_read_at_once() {
    let text = r#"
        coordinates = { x = { count = 10001, start = "i" }, y = { count = 10001, start = "i^2" } }
        dynamics.lagrangian = "sum(i, 1, 10001, x[i]'^2 + y[i]'^2)"
        constraints.rod = { count = 10000, equation = "(x[i + 1] - x[i])^2 + (y[i + 1] - y[i])^2 = 1" }
        constraints.mean = "sum(i, 1, 10001, x[i]')*sum(i, 1, 10001, y[i]) = sum(i, 1, 10001, i*y[i]')"
    "#;
    let begun = Instant::now();
    assert_eq!(Model::from_toml(text).unwrap().constraints().len(), 10_001);
    assert!(begun.elapsed() < AT_ONCE, "reading took {:?}", begun.elapsed());
}

#[test]
fn a_large_boundary_problem_is_read_at_once() {
    let text = r#"
        coordinates.x = { count = 5000 }
        dynamics.lagrangian = "sum(i, 1, 5000, x[i]''^2)"
        controls.u = { count = 5000, on = "x[i]", min = "-i", max = "i", guess = "i*s" }
        objective.running = "sum(i, 1, 5000, u[i]^2)"
        boundary.duration = 1
        boundary.start = { x = "i", "x'" = "-i" }
        boundary.end = { x = 0, "x'" = 0 }
        boundary.path = { x = { min = "-i", max = "2*i" } }
        boundary.guess = { x = "i*(1 - s)" }
    "#;
    let begun = Instant::now();
    let model = Model::from_toml(text).unwrap();
    assert_eq!((model.controls().len(), model.boundary().unwrap().start.len()), (5000, 10_000));
    assert!(begun.elapsed() < AT_ONCE, "reading took {:?}", begun.elapsed());
}

#[test]
fn many_mistakes_are_cut_short() {
    let mut text = String::from("[parameters]\n");
    (0..20_000).for_each(|k| text.push_str(&format!("k{k} = \"unknown{k}\"\n")));
    text.push_str(&spring("x'^2"));
    let invalid = Model::from_toml(&text).unwrap_err();
    assert_eq!(invalid.diagnostics.len(), 100);
}

fn good_files() -> Vec<String> {
    let own = [
        include_str!("good/everything.toml"),
        include_str!("good/heat.toml"),
        include_str!("good/constraints.toml"),
        include_str!("good/control.toml"),
        include_str!("good/curve.toml"),
    ];
    let mut files: Vec<String> = own.map(str::to_owned).into();
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../gallery");
    let mut paths: Vec<_> = std::fs::read_dir(gallery).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.extend(paths.iter().map(|path| std::fs::read_to_string(path).unwrap()));
    files
}

/// An edit: where (as a fraction of the length), how many characters go, what comes.
fn edit() -> impl Strategy<Value = (f64, usize, String)> {
    let pieces = prop_oneof![
        "[-+*/^()\\[\\]{}'\"=.,#\\\\ \n0-9a-z]{0,4}",
        "\\PC{0,3}",
        Just("x'".to_owned()),
        Just("[i+1]".to_owned()),
        Just("sum(i, 1, n, ".to_owned()),
        Just("1e308".to_owned()),
        Just("[coordinates]\n".to_owned()),
        Just("[entropies]\n".to_owned()),
        Just("[constraints]\n".to_owned()),
        Just("x' = y".to_owned()),
        Just("[boundary]\n".to_owned()),
        Just("[controls]\n".to_owned()),
        Just("independent = \"x\"\n".to_owned()),
        Just("''".to_owned()),
        Just("count = 0, ".to_owned()),
        Just("\"\"\"".to_owned()),
    ];
    (0.0..1.0, 0usize..6, pieces)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn edited_models_load_or_are_refused_with_a_message(
        choice in any::<prop::sample::Index>(),
        edits in prop::collection::vec(edit(), 1..5),
    ) {
        let files = good_files();
        let mut text: Vec<char> = choice.get(&files).chars().collect();
        for (place, removed, inserted) in edits {
            let from = (place * text.len() as f64) as usize;
            let to = (from + removed).min(text.len());
            text.splice(from..to, inserted.chars());
        }
        let text: String = text.into_iter().collect();
        match Model::from_toml(&text) {
            Ok(model) => {
                render(model.warnings(), "edited.toml", &text, true);
            }
            Err(invalid) => {
                prop_assert!(!invalid.diagnostics.is_empty());
                for label in invalid.diagnostics.iter().flat_map(|d| &d.labels) {
                    prop_assert!(text.get(label.span.clone()).is_some(), "{:?} cuts a character", label.span);
                }
                prop_assert!(!invalid.render("edited.toml", false).is_empty());
            }
        }
    }

    #[test]
    fn any_text_is_refused_with_a_message(text in "\\PC{0,200}") {
        prop_assert!(Model::from_toml(&text).is_err());
    }
}

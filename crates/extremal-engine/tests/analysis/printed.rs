//! Pages and JSON of the whole gallery: LaTeX that a parser accepts, text that reads back.

use extremal_engine::analyze::Findings;
use extremal_engine::{Model, gallery as embedded};

use extremal_testkit::analyses::{analysed, typed};
use extremal_testkit::runs::gallery;

fn assert_latex_is_accepted(name: &str, analysis: &Findings<'_>) {
    for environment in analysis.to_latex().split("\\begin{align*}\n").skip(1) {
        let formulas = environment.split("\n\\end{align*}").next().unwrap();
        for formula in formulas.split(" \\\\\n") {
            let formula = formula.replacen(" &= ", " = ", 1);
            let storage = pulldown_latex::Storage::new();
            for event in pulldown_latex::Parser::new(&formula, &storage) {
                assert!(event.is_ok(), "{name}: {formula}: {:?}", event.err());
            }
        }
    }
}

/// Returns how many expressions were read.
fn assert_json_reads_back<'m>(name: &str, model: &'m Model, analysis: &Findings<'m>) -> usize {
    let json = serde_json::to_value(analysis.report()).unwrap();
    let conserved = json["conserved"].as_array().unwrap();
    assert_eq!(conserved.len(), analysis.conserved.found.len());
    for (entry, quantity) in conserved.iter().zip(&analysis.conserved.found) {
        assert_eq!(typed(model, entry["expression"].as_str().unwrap()), quantity.expression, "{name}");
        assert_eq!(entry["name"], quantity.name.as_str());
    }
    conserved.len()
}

#[test]
fn what_is_printed_about_the_gallery_can_be_read() {
    let mut read = 0;
    for name in embedded::names() {
        let model = gallery(name);
        let analysis = analysed(&model);
        assert_latex_is_accepted(name, &analysis);
        read += assert_json_reads_back(name, &model, &analysis);
    }
    assert!(read > 100, "{read}");
}

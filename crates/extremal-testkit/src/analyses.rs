//! Analyses of models, and formulas typed by hand.

use extremal_engine::analyze::{AnalysisExtent, Findings, analyze};
use extremal_engine::expr::Expr;
use extremal_engine::expr::syntax::{AnyName, parse_expression};
use extremal_engine::{Model, Settings};

/// The analysis without equilibria and runs.
pub fn analysed(model: &Model) -> Findings<'_> {
    analyze(model, &Settings::of(model), AnalysisExtent { numbers: false, ..AnalysisExtent::default() })
}

/// The whole analysis.
pub fn analysed_with_numbers(model: &Model) -> Findings<'_> {
    analyze(model, &Settings::of(model), AnalysisExtent::default())
}

/// A formula in the symbols of a model.
pub fn typed<'m>(model: &'m Model, text: &str) -> Expr<'m> {
    parse_expression(model.graph(), text, &AnyName(model.graph())).unwrap_or_else(|e| panic!("{text}: {e}")).value
}

/// Checks that exactly these quantities are found, in any order, with these expressions: equal by algebra, coefficients included.
pub fn assert_found(model: &Model, expected: &[(&str, &str)]) {
    let analysis = analysed(model);
    let names: Vec<&str> = analysis.conserved.found.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), expected.len(), "found {names:?}");
    for (name, text) in expected {
        let found = analysis.conserved.found.iter().find(|c| c.name == *name);
        let found = found.unwrap_or_else(|| panic!("no {name} in {names:?}"));
        assert_equal(found.expression, typed(model, text));
        assert!(found.general, "{name} holds for these parameters only");
    }
}

/// Checks that two expressions are equal by the rules of algebra.
pub fn assert_equal<'g>(ours: Expr<'g>, by_hand: Expr<'g>) {
    assert!(ours.graph().proves_zero(ours - by_hand), "{ours} is not {by_hand}");
}

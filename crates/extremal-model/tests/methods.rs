//! The tables of methods, as the documentation prints them.

use extremal_model::{ConstraintKind, Feature, MethodFamily};

fn heading(feature: Feature) -> &'static str {
    match feature {
        Feature::Velocities => "L(q, q')",
        Feature::Accelerations => "L with q''",
        Feature::HigherDerivatives => "L beyond q''",
        Feature::HigherForces => "forces with q''",
        Feature::Entropies => "entropies",
        Feature::Matter => "matter",
        Feature::Action => "contact",
        Feature::Poisson => "Poisson",
        Feature::Singular => "singular",
        Feature::States => "states",
        Feature::SingularEntropies => "singular, entropies or states",
        Feature::Momenta => "momenta",
        Feature::DryFriction => "dry friction",
        Feature::Reduction => "reduced",
        Feature::Constraints(ConstraintKind::Holonomic) => "holonomic",
        Feature::Constraints(ConstraintKind::Nonholonomic) => "nonholonomic",
        Feature::Constraints(ConstraintKind::Chetaev) => "Chetaev",
        Feature::Constraints(ConstraintKind::Vakonomic) => "vakonomic",
        Feature::TwoPoints => "two points",
        Feature::ConstrainedTwoPoints => "two points, constraints",
        Feature::Boundary => "`solve`",
        Feature::BoundaryEntropies => "`solve`, entropies",
        Feature::BoundaryConstraints => "`solve`, constraints",
    }
}

fn table_of_features() -> String {
    let mut lines = vec![
        format!("| |{}", Feature::all().iter().map(|feature| format!(" {} |", heading(*feature))).collect::<String>()),
        format!("|---|{}", "---|".repeat(Feature::all().len())),
    ];
    for family in MethodFamily::all() {
        let cells = Feature::all().into_iter().map(|feature| if family.takes(feature) { " yes |" } else { " |" });
        lines.push(format!("| `{}` |{}", family.usage, cells.collect::<String>()));
    }
    lines.join("\n")
}

fn table_of_methods() -> String {
    let mut lines = vec!["| method | what it is | order | keeps |".to_owned(), "|---|---|---|---|".to_owned()];
    for MethodFamily { usage, sentence, order, keeps, .. } in MethodFamily::all() {
        lines.push(format!("| `{usage}` | {sentence} | {order} | {keeps} |"));
    }
    lines.join("\n")
}

fn table_of_equations() -> String {
    let mut lines = vec!["| method | equations | order |".to_owned(), "|---|---|---|".to_owned()];
    for MethodFamily { usage, equations, order, .. } in MethodFamily::all() {
        lines.push(format!("| `{usage}` | {equations} | {order} |"));
    }
    lines.join("\n")
}

fn assert_printed(name: &str, page: &str, table: &str) {
    assert!(page.contains(table), "docs/{name} should contain\n\n{table}\n");
}

#[test]
fn the_documentation_prints_what_each_method_is_and_what_it_is_defined_for() {
    let page = include_str!("../../../docs/cli.md");
    assert_printed("cli.md", page, &table_of_methods());
    assert_printed("cli.md", page, &table_of_features());
}

#[test]
fn the_theory_names_the_equations_of_each_method() {
    assert_printed("theory.md", include_str!("../../../docs/theory.md"), &table_of_equations());
}

//! The table of what methods are defined for, as the documentation prints it.

use extremal_model::{ConstraintKind, Feature, Method};

fn heading(feature: Feature) -> &'static str {
    match feature {
        Feature::Velocities => "L(q, q')",
        Feature::Accelerations => "L with q''",
        Feature::HigherDerivatives => "L beyond q''",
        Feature::Entropies => "entropies",
        Feature::DryFriction => "dry friction",
        Feature::Constraints(ConstraintKind::Holonomic) => "holonomic",
        Feature::Constraints(ConstraintKind::Nonholonomic) => "nonholonomic",
        Feature::Constraints(ConstraintKind::Vakonomic) => "vakonomic",
        Feature::TwoPoints => "two points",
        Feature::ConstrainedTwoPoints => "two points, constraints",
        Feature::Boundary => "`solve`",
        Feature::BoundaryEntropies => "`solve`, entropies",
        Feature::BoundaryConstraints => "`solve`, constraints",
    }
}

fn table() -> String {
    let mut lines = vec![
        format!("| |{}", Feature::ALL.map(|feature| format!(" {} |", heading(feature))).concat()),
        format!("|---|{}", "---|".repeat(Feature::ALL.len())),
    ];
    for (name, method) in Method::families() {
        let cells = Feature::ALL.map(|feature| if method.takes(feature) { " yes |" } else { " |" });
        lines.push(format!("| `{name}` |{}", cells.concat()));
    }
    lines.join("\n")
}

#[test]
fn the_documentation_prints_the_table_by_which_methods_are_refused() {
    let page = include_str!("../../../docs/cli.md");
    let table = table();
    assert!(page.contains(&table), "docs/cli.md should contain\n\n{table}\n");
}

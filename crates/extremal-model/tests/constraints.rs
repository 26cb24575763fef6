//! What the table of constraints means, against formulas written out by hand.

use extremal_model::{ConstraintForm, ConstraintKind, Model, ModelConstraint, Overrides, ParameterError};
use extremal_testkit::models::{self, model, text_of, value_at};
use extremal_testkit::numbers::assert_close;

const CONSTRAINTS: &str = include_str!("good/constraints.toml");

fn named<'m>(model: &'m Model, name: &str) -> &'m ModelConstraint {
    model.constraints().iter().find(|constraint| constraint.name == name).unwrap()
}

#[test]
fn names_and_kinds_follow_the_file() {
    use ConstraintKind::{Holonomic, Nonholonomic, Vakonomic};
    let model = model(CONSTRAINTS);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let found: Vec<_> = model.constraints().iter().map(|c| (c.name.as_str(), c.kind)).collect();
    let expected = [
        ("rod", Holonomic),
        ("moving", Holonomic),
        ("roll", Nonholonomic),
        ("belt", Nonholonomic),
        ("blade", Nonholonomic),
        ("skate", Vakonomic),
        ("free", Vakonomic),
        ("link[1]", Holonomic),
        ("link[2]", Holonomic),
        ("wheel[1]", Nonholonomic),
        ("wheel[2]", Nonholonomic),
        ("driven[1]", Vakonomic),
        ("driven[2]", Vakonomic),
    ];
    assert_eq!(found, expected);
    let written = |name: &str| &model.source_text()[named(&model, name).span.clone()];
    assert_eq!(written("rod"), "\"x[1]^2 + height[1]^2 = l^2\"");
    assert_eq!(written("driven[2]"), "\"y[1]' = x[2]\"");
}

#[test]
fn both_sides_are_kept_as_written() {
    let model = model(CONSTRAINTS);
    let graph = model.graph();
    let (t, theta, x1, y1) = (0.4, 0.3, 1.5, -0.2);
    let point = [
        ("t", t),
        ("x[1]", x1),
        ("y[1]", y1),
        ("x[2]", 2.5),
        ("y[2]", 0.7),
        ("theta", theta),
        ("theta'", 1.25),
        ("phi", 0.6),
        ("pulley'", 3.0),
    ];
    let sides = |name: &str| {
        let ModelConstraint { left, right, .. } = named(&model, name);
        [*left, *right].map(|side| value_at(&model, graph.expr(side), &point))
    };
    let [left, right] = sides("rod");
    let height = y1 + 0.1 * f64::sin(t);
    assert_close(left, x1 * x1 + height * height, 4.0);
    assert_eq!(right, 4.0);
    let [_, right] = sides("roll");
    assert_close(right, 0.5 * 1.25 * f64::cos(0.6), 1.0);
    let [left, right] = sides("belt");
    assert_close(left, 0.5 * 1.25, 1.0);
    assert_close(right, 0.25 * 3.0 + 0.1 * t, 1.0);
    let [left, right] = sides("link[1]");
    assert_close(left, 1.0 + 0.9 * 0.9, 4.0);
    assert_eq!(right, 4.0);
    assert_eq!(text_of(&model, named(&model, "wheel[2]").right), "R[2]*theta'");
}

#[test]
fn virtual_displacements_and_multipliers() {
    let model = model(CONSTRAINTS);
    let graph = model.graph();
    let row = |name: &str, velocities: [(&str, f64); 2]| {
        let point = [("theta", 0.3), velocities[0], velocities[1]];
        value_at(&model, graph.expr(named(&model, name).variational.unwrap()), &point)
    };
    // 2 (y' - phi') - theta phi' - y' with theta = 0.3: the coefficients of y' and phi'.
    assert_close(row("blade", [("y[2]'", 1.0), ("phi'", 0.0)]), 1.0, 2.0);
    assert_close(row("blade", [("y[2]'", 0.0), ("phi'", 1.0)]), -2.3, 3.0);
    assert_close(row("wheel[2]", [("x[2]'", 0.0), ("theta'", 1.0)]), -2.0, 2.0);
    assert!(named(&model, "roll").variational.is_none());
    assert_eq!(model.initial().multipliers, [0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1]);
}

#[test]
fn discrete_constraints_replace_only_what_they_name() {
    let model = model(CONSTRAINTS);
    let stated: Vec<Option<String>> =
        model.discrete().unwrap().constraints.iter().map(|id| id.map(|id| text_of(&model, id))).collect();
    let places: Vec<usize> = (0..stated.len()).filter(|place| stated[*place].is_some()).collect();
    assert_eq!(places, [0, 7, 8, 9, 10]);
    assert_eq!(stated[10].as_deref(), Some("x_1[2] - x_0[2]"));
    let point = [("x_1[3]", 5.0), ("x_1[2]", 0.5)];
    let link = model.discrete().unwrap().constraints[8].unwrap();
    assert_close(value_at(&model, model.graph().expr(link), &point), 5.0 - 0.5 - 2.0 * 2.0, 5.0);
}

#[test]
fn settings_follow_the_file_and_the_overrides() {
    let model = model(CONSTRAINTS);
    assert_eq!((model.simulation().constraints, model.simulation().project), (ConstraintForm::Shake, true));
    let overrides = Overrides::default().constraint_form(ConstraintForm::Rattle).project(false);
    assert!(!overrides.is_empty() && Overrides::default().is_empty());
    let model = Model::load(CONSTRAINTS, &overrides).unwrap();
    assert_eq!((model.simulation().constraints, model.simulation().project), (ConstraintForm::Rattle, false));
    assert_eq!(model.expected().len(), 1, "the numbers still belong to these parameters");
    let plain = models::model("[coordinates]\nx = 1.0\n[dynamics]\nlagrangian = \"x'^2\"\n");
    assert_eq!((plain.simulation().constraints, plain.simulation().project), (ConstraintForm::Rattle, false));
    for form in ConstraintForm::ALL {
        assert_eq!(form.to_string().parse::<ConstraintForm>().unwrap(), form);
    }
    assert_eq!(
        "settle".parse::<ConstraintForm>().unwrap_err().to_string(),
        "there is no form of constraints `settle`; write `rattle` or `shake`"
    );
}

#[test]
fn parameters_change_counts_and_multipliers() {
    let text = CONSTRAINTS.replace("\"s/2\"", "\"1/s\"");
    let longer = Model::load(&text, &Overrides::default().set("n", 6)).unwrap();
    assert_eq!(longer.constraints().iter().filter(|c| c.name.starts_with("link")).count(), 5);
    let mut model = model(&text);
    assert!(matches!(model.set_parameter("n", 5.0), Err(ParameterError::Structural { .. })));
    model.set_parameter("s", 0.5).unwrap();
    assert_eq!(model.initial().multipliers[5], 2.0);
    let refused = model.set_parameter("s", 0.0).unwrap_err();
    assert_eq!(refused.to_string(), "with s = 0, the multiplier of `skate` is not finite");
}

#[test]
fn a_constraint_may_be_all_that_binds_a_coordinate() {
    let text = |constraint: &str| {
        format!("[coordinates]\nx = 1.0\ny = 1.0\n[dynamics]\nlagrangian = \"x'^2/2\"\n[constraints]\n{constraint}")
    };
    assert_eq!(model(&text("rail = \"y = x^2\"")).constraints().len(), 1);
    assert_eq!(model(&text("roll = \"y' = x'\"")).constraints().len(), 1);
    assert!(Model::from_toml(&text("rail = \"x = 1\"")).is_err());
    // What the wrong constraint was to say of `y` is unknown: one problem, not two.
    let invalid = Model::from_toml(&text("rail = \"y = k*x\"")).unwrap_err();
    assert_eq!(invalid.diagnostics.len(), 1, "{}", invalid.render("test.toml", false));
}

#[test]
fn affine_is_what_is_affine_after_cancelling() {
    let kind = |equation: &str| {
        let text = format!(
            "[coordinates]\nx = 1.0\ny = 1.0\n[definitions]\nr = \"sqrt(x^2 + y^2)\"\n[dynamics]\n\
             lagrangian = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"{equation}\""
        );
        Model::from_toml(&text).map(|model| model.constraints()[0].kind).ok()
    };
    assert_eq!(kind("r' = 1"), Some(ConstraintKind::Nonholonomic));
    assert_eq!(kind("(x' + y)^2 = x'^2 + 1"), Some(ConstraintKind::Nonholonomic));
    assert_eq!(kind("x'*(sin(x')^2 + cos(x')^2) = y"), Some(ConstraintKind::Nonholonomic));
    assert_eq!(kind("(x' + y')*exp(x) = t"), Some(ConstraintKind::Nonholonomic));
    assert_eq!(kind("if(x > 0, x', 2*y') = y'"), Some(ConstraintKind::Nonholonomic));
    assert_eq!(kind("(x' + y)^2 = x'^2 + 2*x'*y + x"), Some(ConstraintKind::Holonomic));
    for bent in ["x'*y' = 0", "sqrt(x'^2) = y'", "max(x', y') = 0", "x'/(1 + y') = 1", "sin(x') = x"] {
        assert_eq!(kind(bent), None, "{bent}");
    }
}

//! Models from their texts, and the values of their expressions.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};
use extremal_model::{Model, Overrides};

/// Reads a model, or shows what is wrong with it.
pub fn model(text: &str) -> Model {
    model_with(text, &[])
}

/// Reads a model with some of its parameters replaced.
pub fn model_with(text: &str, parameters: &[(&str, &str)]) -> Model {
    let overrides = parameters.iter().fold(Overrides::default(), |all, (name, value)| all.set(name, value));
    Model::load(text, &overrides).unwrap_or_else(|invalid| panic!("{}", invalid.render("test", false)))
}

/// The value of an expression where every symbol has one, parameters included.
pub fn value_at(model: &Model, expression: Expr<'_>, point: &[(&str, f64)]) -> f64 {
    let mut values: HashMap<&str, f64> = model.parameters().iter().map(|p| (p.name.as_str(), p.value)).collect();
    values.extend(point.iter().copied());
    let graph = model.graph();
    graph.evaluate(&[graph.expr(expression.id())], |name| values.get(name).copied())[0]
}

/// An expression of a model as it is printed.
pub fn text_of(model: &Model, id: Id) -> String {
    model.graph().expr(id).to_string()
}

/// A point on a circle by its angle. The first two constraints determine it but where w = 0; there the third does, which follows from them
/// everywhere. The mechanism is a pendulum and has no singular configuration.
pub const CIRCLE_BY_ANGLE: &str = r#"
    coordinates.u = { start = "cos(1)", velocity = "-2*sin(1)" }
    coordinates.w = { start = "sin(1)", velocity = "2*cos(1)" }
    coordinates.theta = { start = 1, velocity = 2 }
    dynamics.lagrangian = "(u'^2 + w'^2 + theta'^2)/2"
    constraints = { circle = "u^2 + w^2 = 1", across = "u = cos(theta)", up = "w = sin(theta)" }
    simulation = { step = 0.01, until = 5 }
"#;

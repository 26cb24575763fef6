//! Models from their texts, and the values of their expressions.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};
use extremal_model::{FixedValue, HeatLaw, Model, ModelConstraint, ModelPort, Overrides, PortLoad};

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

/// Everything that a model states, as text: two models that say the same have the same lines.
pub fn statements(model: &Model) -> Vec<String> {
    let text = |id: Id| text_of(model, id);
    let texts = |ids: &[Id]| ids.iter().map(|id| text(*id)).collect::<Vec<_>>();
    let number = |id: Option<Id>| id.map(|id| model.number(id));
    let fixed = |fixed: &[FixedValue]| {
        let value = |fixed: &FixedValue| (model.component_name(fixed.component), model.number(fixed.value));
        format!("{:?}", fixed.iter().map(value).collect::<Vec<_>>())
    };
    let mut lines = vec![
        model.lagrangian().to_string(),
        format!("{:?} {:?} {:?}", model.initial(), model.simulation(), model.parameter_values()),
    ];
    lines.extend(model.coordinates().iter().map(|c| format!("{} {:?}", c.name, c.domain.map(text))));
    lines.extend(model.entropies().iter().map(|entropy| entropy.name.clone()));
    lines.extend(model.amounts().iter().map(|amount| format!("{} {}", amount.name, amount.entropy)));
    lines.extend(model.ports().iter().map(|port| port_text(model, port)));
    lines.extend(model.states().iter().map(|s| format!("{}' = {}", s.name, text(s.controlled_rate))));
    lines.extend(model.definitions().iter().map(|d| format!("{} = {}", d.name, text(d.expression))));
    let forces = [model.forces(), model.controlled_forces(), model.friction(), model.heat()];
    lines.extend(forces.iter().flatten().map(Expr::to_string));
    for term in model.friction_terms() {
        let shares: Vec<_> = term.shares.iter().map(|(of, share)| format!("{of}: {}", text(*share))).collect();
        lines.push(format!("{} {} {shares:?}", term.coordinate, text(term.force)));
    }
    let walls = model.conductions().iter();
    lines.extend(walls.map(|wall| format!("{} {:?} {}", wall.name, wall.between, text(wall.conductance))));
    for ModelConstraint { name, kind, left, right, variational, multiplier, .. } in model.constraints() {
        let [left, right, multiplier] = [left, right, multiplier].map(|id| text(*id));
        lines.push(format!("{name} {kind} {left} = {right} {:?} {multiplier}", variational.map(text)));
    }
    lines.extend(model.invariants().iter().map(|i| format!("{} {}", i.name, text(i.expression))));
    for symmetry in model.symmetries() {
        let lift = symmetry.lift.as_ref().map(|lift| (texts(&lift.velocities), texts(&lift.entropies)));
        lines.push(format!("{} {:?} {lift:?}", symmetry.name, texts(&symmetry.generator)));
    }
    lines.extend(model.exact().iter().map(|e| format!("{} {}", e.coordinate, text(e.expression))));
    lines.extend(model.stops().iter().map(|s| format!("{} {} {}", s.name, s.direction, text(s.expression))));
    if let Some(discrete) = model.discrete() {
        lines.push(text(discrete.lagrangian));
        lines.extend(
            [&discrete.force_minus, &discrete.force_plus, &discrete.entropy_rules]
                .map(|ids| format!("{:?}", texts(ids))),
        );
        lines.extend(discrete.constraints.iter().map(|id| format!("{:?}", id.map(text))));
    }
    for control in model.controls() {
        let gains: Vec<_> = control.gains.iter().map(|(place, gain)| (*place, text(*gain))).collect();
        let (bounds, guess) = ([control.min, control.max].map(number), control.guess.map(text));
        lines.push(format!("{} {gains:?} {bounds:?} {guess:?}", control.name));
    }
    lines.extend(model.objective().map(|o| format!("{:?}", [o.running, o.terminal].map(|cost| cost.map(text)))));
    if let Some(boundary) = model.boundary() {
        let [from, duration] = [boundary.from, boundary.duration.guess()].map(|id| model.number(id));
        lines.push(format!(
            "{from} {duration} {} {:?} {}",
            boundary.duration.is_free(),
            boundary.periodic,
            boundary.steps
        ));
        lines.extend([fixed(&boundary.start), fixed(&boundary.end)]);
        lines.extend(boundary.via.iter().map(|via| fixed(&via.values)));
        for bound in &boundary.path {
            let name = model.component_name(bound.component);
            lines.push(format!("{name} {:?} {:?}", number(bound.min), number(bound.max)));
        }
        let conditions = [&boundary.path_conditions, &boundary.start_conditions, &boundary.end_conditions];
        for condition in conditions.into_iter().flatten() {
            lines.push(format!("{} {}", text(condition.expression), condition.equation));
        }
        for integral in &boundary.integrals {
            let value = model.number(integral.value);
            lines.push(format!("{} {} {value}", integral.name, text(integral.integrand)));
        }
        lines.extend(boundary.guess.iter().map(|guess| format!("{:?}", guess.map(text))));
    }
    lines
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

fn port_text(model: &Model, port: &ModelPort) -> String {
    let texts = |ids: &[Option<Id>]| ids.iter().map(|id| id.map(|id| text_of(model, id))).collect::<Vec<_>>();
    let (ends, values) = match &port.carries {
        PortLoad::Matter { from, into, flow, enthalpy, entropy } => {
            ([*from, *into], texts(&[Some(*flow), *enthalpy, *entropy]))
        }
        PortLoad::Heat { into, power, temperature } => {
            let (stated, conducted) = match power {
                HeatLaw::Stated(power) => (Some(*power), None),
                HeatLaw::Conducted(conductance) => (None, Some(*conductance)),
            };
            ([None, Some(*into)], texts(&[stated, conducted, Some(*temperature)]))
        }
    };
    format!("{} {ends:?} {values:?}", port.name)
}

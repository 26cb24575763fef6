//! The same system in other words has the same motion, and the same is found out about it.
//!
//! No number is expected here: a model is rewritten (multiplied, expanded, renamed, in other units and coordinates), and both are
//! compared, for the gallery and for random models. What a rewriting does to every quantity is stated with it, in `transform`; how
//! much two computations may differ by round-off is measured, in `motion`.

mod analysis;
mod convergence;
mod motion;
mod names;
mod random;
mod relations;
mod source;
mod table;
mod transform;

use extremal_engine::{Model, gallery};

use source::Source;

/// What the gallery has no models of: a Hamiltonian with friction by momenta and an entropy, and a state beside a coordinate.
const FURTHER: [(&str, &str); 2] = [
    (
        "warm Hamiltonian",
        r#"
        [coordinates]
        x = { start = 1.0, momentum = 0.2 }
        y = { start = 0.4, momentum = -0.3 }
        [entropies]
        S = 0.1
        [dynamics]
        hamiltonian = "p_x^2/2 + p_y^2/3 + p_x*y/5 + x^2*y^2/2 + x^2/2 + y^4/4 + exp(S)"
        [friction]
        x = "-0.1*(p_x + y/5)"
        [simulation]
        method = "midpoint"
        step = 0.05
        until = 2.0
        "#,
    ),
    (
        "lagging drive",
        r#"
        [coordinates]
        th = { start = 0.3, velocity = 0.5 }
        [states]
        i = { start = 0.1, rate = "2*(1 + sin(t) - i) - 0.6*th'" }
        [dynamics]
        lagrangian = "th'^2/2 + cos(th) + i*th/4"
        [forces]
        th = "0.3*i*th - 0.1*th'"
        [simulation]
        method = "midpoint"
        step = 0.05
        until = 2.0
        "#,
    ),
];

/// The models of the gallery that move by a method of the program: not boundary problems, and no discrete Lagrangian of their own. The
/// step of dry friction is continuous in its data where one bound holds for sticking and sliding; where a static one is above, round-off
/// may turn over which of them counts. The rewritings know forces on coordinates only, no controls, no contact or Poisson structures,
/// no equations of state, no events and no rotations, whose components are one vector.
fn gallery_models() -> Vec<(String, Source)> {
    let moving = gallery::names().filter(|name| {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        let jumps = model.dry_friction().iter().any(|dry| dry.holding.is_some());
        let own = model.discrete().is_some() || model.discretisation().is_some();
        let text = gallery::text(name).unwrap();
        let structured =
            ["[poisson]", "[action]", "[events]", "rotation = true"].iter().any(|kind| text.contains(kind));
        let imposed = model.constraints().iter().any(|constraint| !constraint.kind.nature().reacts);
        let of_state = imposed && !model.entropies().is_empty();
        let uncontrolled = model.boundary().is_none() && model.controls().is_empty();
        uncontrolled && !own && !jumps && !structured && !of_state
    });
    let sources = moving.map(|name| (name.to_string(), Source::read(gallery::text(name).unwrap())));
    let further = FURTHER.map(|(name, text)| (name.to_string(), Source::read(text)));
    let models: Vec<_> = sources.filter(|(_, source)| !source.has_forces_on_points()).chain(further).collect();
    assert!(models.len() >= 30);
    models
}

/// Those whose motion has equations without jumps, which every method takes, in steps that a model states as times: where they follow a
/// pace, its encounters are too close for equal ones.
fn smooth_gallery_models() -> Vec<(String, Source)> {
    let mut all = gallery_models();
    let is_even = |name: &str| gallery::text(name).is_none_or(|text| !text.contains("\npace = "));
    all.retain(|(name, source)| source.model().dry_friction().is_empty() && is_even(name));
    all
}

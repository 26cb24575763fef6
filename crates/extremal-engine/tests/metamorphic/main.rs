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

/// The models of the gallery that move by a method of the program: not boundary problems, and no discrete Lagrangian of their own. The
/// step of dry friction is continuous in its data where one bound holds for sticking and sliding; where a static one is above, round-off
/// may turn over which of them counts. The rewritings know Lagrangians, starts by velocities, and forces on coordinates only,
/// neither matter nor equations of state.
fn gallery_models() -> Vec<(String, Source)> {
    let moving = gallery::names().filter(|name| {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        let jumps = model.dry_friction().iter().any(|dry| dry.holding.is_some());
        let own = model.discrete().is_some() || model.discretisation().is_some();
        let by_velocities =
            model.hamiltonian().is_none() && model.momentum_order().is_none() && model.states().is_empty();
        let imposed = model.constraints().iter().any(|constraint| !constraint.kind.nature().reacts);
        let closed = model.amounts().is_empty() && (model.entropies().is_empty() || !imposed);
        model.boundary().is_none() && !own && !jumps && by_velocities && closed
    });
    let sources = moving.map(|name| (name.to_string(), Source::read(gallery::text(name).unwrap())));
    let models: Vec<_> = sources.filter(|(_, source)| !source.has_forces_on_points()).collect();
    assert!(models.len() >= 30);
    models
}

/// Those whose motion has equations without jumps, which every method takes.
fn smooth_gallery_models() -> Vec<(String, Source)> {
    gallery_models().into_iter().filter(|(_, source)| source.model().dry_friction().is_empty()).collect()
}

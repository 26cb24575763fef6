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

use extremal::{Model, gallery};

use source::Source;

/// The models of the gallery that move by a method of the program: not boundary problems, and no discrete Lagrangian of their own;
/// nor those whose dry friction jumps, which has no reference.
fn gallery_models() -> Vec<(String, Source)> {
    let moving = gallery::names().filter(|name| {
        let model = Model::from_toml(gallery::text(name).unwrap()).unwrap();
        let jumps = gallery::text(name).is_some_and(|text| text.contains("dry = "));
        model.boundary().is_none() && model.discrete().is_none() && !jumps
    });
    let models: Vec<_> = moving.map(|name| (name.to_string(), Source::read(gallery::text(name).unwrap()))).collect();
    assert!(models.len() >= 30);
    models
}

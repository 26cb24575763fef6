//! From a model to the mechanical system that the equations are written for.

use extremal_mechanics::System;
use extremal_mechanics::discrete::CustomDiscrete;
use extremal_model::Model;

/// The mechanical system of a model. Friction acts as a force like any other: there is no entropy for it to heat.
///
/// ```
/// let model = extremal::Model::from_toml(extremal::gallery::text("harmonic-oscillator").unwrap())?;
/// let system = extremal::system_of(&model);
/// assert_eq!(system.momenta()[0].to_string(), "m*x'");
/// # Ok::<(), extremal::InvalidModel>(())
/// ```
pub fn system_of(model: &Model) -> System<'_> {
    let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
    let mut taken: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    taken.extend(model.parameters().iter().map(|p| p.name.clone()));
    let mut system = System::with_taken(model.graph(), &names, model.lagrangian(), taken);
    system.force = model.forces().into_iter().zip(model.friction()).map(|(f, r)| f + r).collect();
    system
}

/// The user's own discrete system, in the symbols that `system` uses for the ends of a step.
pub(crate) fn custom_of<'m>(model: &'m Model, system: &System<'m>) -> Option<CustomDiscrete<'m>> {
    let g = model.graph();
    let discrete = model.discrete()?;
    let [first, last] = system.ends();
    let mut rules: Vec<_> = g.exprs(&discrete.before).into_iter().zip(first).collect();
    rules.extend(g.exprs(&discrete.after).into_iter().zip(last));
    rules.push((g.expr(discrete.step), system.step()));
    let at_ends = |ids: &[_]| g.substitute(&g.exprs(ids), &rules);
    Some(CustomDiscrete {
        lagrangian: at_ends(&[discrete.lagrangian])[0],
        force_minus: at_ends(&discrete.force_minus),
        force_plus: at_ends(&discrete.force_plus),
    })
}

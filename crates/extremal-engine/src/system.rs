//! From a model to the mechanical system that the equations are written for.

use extremal_mechanics::System;
use extremal_mechanics::continuous::{Friction, Heat, HigherSystem};
use extremal_mechanics::discrete::{CustomDiscrete, SchemeError};
use extremal_model::Model;

/// The mechanical system of a model, with its entropies and constraints. Without entropies friction is a force like any other; controls
/// are zero.
///
/// ```
/// let model = extremal_engine::Model::from_toml(extremal_engine::gallery::text("harmonic-oscillator").unwrap())?;
/// let system = extremal_engine::system_of(&model);
/// assert_eq!(system.momenta()[0].to_string(), "m*x'");
/// # Ok::<(), extremal_engine::InvalidModel>(())
/// ```
pub fn system_of(model: &Model) -> System<'_> {
    let g = model.graph();
    let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
    let entropies: Vec<&str> = model.entropies().iter().map(|s| s.name.as_str()).collect();
    let mut system = System::with_taken(g, &names, model.lagrangian(), taken(model));
    system.t = model.time();
    system.force = model.forces().into_iter().zip(model.friction()).map(|(f, r)| f + r).collect();
    if !entropies.is_empty() {
        system.heat = Heat::of(g, &entropies);
        system.heat.power = model.heat();
        let contacts = model.conductions().iter();
        system.heat.conduction = contacts.map(|c| (c.between.0, c.between.1, g.expr(c.conductance))).collect();
        let terms = model.friction_terms().iter().map(|term| Friction {
            coordinate: term.coordinate,
            force: g.expr(term.force),
            shares: term.shares.iter().map(|(entropy, share)| (*entropy, g.expr(*share))).collect(),
        });
        system.heat.friction = terms.collect();
    }
    for dry in model.dry_friction() {
        let shares = dry.shares.iter().map(|(entropy, share)| (*entropy, g.expr(*share))).collect();
        let holding = dry.holding.map(|id| g.expr(id));
        system.rub(dry.coordinate, Some(g.expr(dry.along)), g.expr(dry.bound), holding, shares);
    }
    for constraint in model.constraints() {
        let expression = g.expr(constraint.left) - g.expr(constraint.right);
        let displacements = constraint.variational.map(|id| g.expr(id));
        system.constrain(&constraint.name, constraint.kind, expression, displacements);
    }
    system
}

/// The same with the controls as symbols.
pub(crate) fn controlled_system_of(model: &Model) -> System<'_> {
    let mut system = system_of(model);
    system.force = model.controlled_forces().into_iter().zip(model.friction()).map(|(f, r)| f + r).collect();
    system
}

/// The system of a model whose Lagrangian has accelerations or higher derivatives. What is not defined beside them is refused.
///
/// ```
/// let model = extremal_engine::Model::from_toml(extremal_engine::gallery::text("pais-uhlenbeck").unwrap())?;
/// let system = extremal_engine::higher_system_of(&model)?;
/// assert_eq!(system.momenta()[1][0].to_string(), "x''");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn higher_system_of(model: &Model) -> Result<HigherSystem<'_>, SchemeError> {
    let acts = |forces: Vec<extremal_expr::Expr<'_>>| forces.iter().any(|force| !force.is_zero());
    let refused = [
        (!model.entropies().is_empty(), "entropies"),
        (model.constraints().iter().any(|c| !c.kind.nature().any_order), "constraints that are not vakonomic"),
        (acts(model.controlled_forces()) || acts(model.friction()), "forces and controls"),
        (!model.dry_friction().is_empty(), "dry frictions"),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(stated, _)| *stated) {
        return Err(SchemeError::BesideAccelerations(what));
    }
    let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
    let order = model.order() as usize;
    let mut system = HigherSystem::with_taken(model.graph(), &names, order, model.lagrangian(), taken(model));
    system.t = model.time();
    let difference = |c: &extremal_model::Constraint| model.graph().expr(c.left) - model.graph().expr(c.right);
    system.constraints = model.constraints().iter().map(|c| (c.name.clone(), difference(c))).collect();
    Ok(system)
}

/// Names that symbols of our own avoid.
pub(crate) fn taken(model: &Model) -> Vec<String> {
    let names = model.coordinates().iter().map(|c| c.name.as_str());
    let entropies = model.entropies().iter().map(|s| s.name.as_str());
    let controls = model.controls().iter().map(|control| control.name.as_str());
    let own = names.chain(entropies).chain(controls).chain([model.independent()]);
    let own = own.map(|name| name.split('[').next().unwrap_or(name).to_string());
    own.chain(model.parameters().iter().map(|p| p.name.clone())).collect()
}

/// The user's own discrete system, in the symbols that `system` uses for the ends of a step.
pub(crate) fn custom_of<'m>(model: &'m Model, system: &System<'m>) -> Option<CustomDiscrete<'m>> {
    let g = model.graph();
    let discrete = model.discrete()?;
    let ([first, last], [s_0, s_1]) = (system.ends(), system.entropy_ends());
    let given = [&discrete.before, &discrete.after, &discrete.entropies_before, &discrete.entropies_after];
    let own = [first, last, s_0, s_1];
    let mut rules: Vec<_> =
        given.into_iter().zip(own).flat_map(|(given, own)| g.exprs(given).into_iter().zip(own)).collect();
    rules.push((g.expr(discrete.step), system.step()));
    let at_ends = |ids: &[_]| g.substitute(&g.exprs(ids), &rules);
    Some(CustomDiscrete {
        lagrangian: at_ends(&[discrete.lagrangian])[0],
        force_minus: at_ends(&discrete.force_minus),
        force_plus: at_ends(&discrete.force_plus),
        entropy_rules: at_ends(&discrete.entropy_rules),
        constraints: (model.constraints().iter().zip(&discrete.constraints))
            .filter(|(constraint, _)| system.constraints.iter().any(|kept| kept.name == constraint.name))
            .map(|(_, row)| row.map(|id| at_ends(&[id])[0]))
            .collect(),
    })
}

//! What can be said about a model before it is run: structure, regularity, what it conserves, equilibria, and what the chosen
//! method keeps of all that.

mod dense;
mod equilibrium;
mod json;
mod method;
mod page;
mod words;

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::analysis::{
    Conservation, ConservedQuantities, Parameters, Regularity, SearchBounds, Structure, Symmetry, conservation,
    conserved_quantities, regularity, structure,
};
use extremal_model::Model;

use crate::run::{Settings, Tracked};
use crate::system::system_of;

pub use equilibrium::{Equilibrium, Mode, Stability};
pub use method::{DiscreteRegularity, MethodReport, Preservation, Preserved};
pub(crate) use words::singular_verdict;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The space in which first integrals are sought.
    pub search: SearchBounds,
    /// Steps along which the regularity of the discrete equations is checked; at least the first one.
    pub steps: u64,
    /// Are the equilibrium and the method looked at?
    pub numbers: bool,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { search: SearchBounds::default(), steps: 1, numbers: true }
    }
}

/// Everything that was found.
pub struct Analysis<'m> {
    graph: &'m Graph,
    /// The name of the model.
    pub name: Option<&'m str>,
    /// The system.
    pub system: System<'m>,
    /// How it is built.
    pub structure: Structure<'m>,
    /// Whether it determines its motion.
    pub regularity: Regularity<'m>,
    /// What it conserves.
    pub conserved: ConservedQuantities<'m>,
    /// Is T + V as written conserved, where it is not the energy?
    pub total_energy_conserved: bool,
    /// The symmetries that the model states.
    pub symmetries: Vec<StatedSymmetry<'m>>,
    /// The invariants that the model states, and whether they are.
    pub invariants: Vec<(String, Expr<'m>, Conservation)>,
    /// A state of rest near the start.
    pub equilibrium: Option<Equilibrium>,
    /// What the method keeps.
    pub method: Option<MethodReport>,
}

/// A symmetry of `[symmetries]`, tested.
pub struct StatedSymmetry<'m> {
    /// Its name.
    pub name: String,
    /// Its generator, one component per coordinate.
    pub generator: Vec<Expr<'m>>,
    /// Its momentum p·X.
    pub momentum: Expr<'m>,
    /// Is the momentum conserved?
    pub conservation: Conservation,
    /// The rate of the momentum by (C12), without reactions.
    pub rate: Expr<'m>,
}

/// Analyses a model; `settings` say which method is looked at.
///
/// ```
/// use extremal::{Model, Settings, analyze::{Extent, analyze}};
/// let model = Model::from_toml(extremal::gallery::text("kepler").unwrap())?;
/// let analysis = analyze(&model, &Settings::of(&model), Extent::default());
/// let names: Vec<&str> = analysis.conserved.found.iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["energy", "angular momentum", "Laplace-Runge-Lenz y", "Laplace-Runge-Lenz x"]);
/// # Ok::<(), extremal::InvalidModel>(())
/// ```
pub fn analyze<'m>(model: &'m Model, settings: &Settings, extent: Extent) -> Analysis<'m> {
    let g = model.graph();
    let system = system_of(model);
    let parameters = parameters_of(model);
    let seen = regularity(&system, &parameters.exact);
    let conserved = conserved_quantities(&system, Some(&seen), &parameters, extent.search);
    let structure = structure(&system);
    let test = |function: Expr<'m>| conservation(&system, Some(&seen), &parameters, function);
    let total_energy_conserved = structure.total_energy.is_some_and(|e| test(e) != Conservation::No);
    let symmetries = model.symmetries().iter().map(|symmetry| {
        let generator = g.exprs(&symmetry.generator);
        let momentum = system.noether_momentum(&generator);
        let rate = g.simplified(noether_rate(&system, &generator));
        let conservation = test(momentum);
        StatedSymmetry { name: symmetry.name.clone(), generator, momentum: g.simplified(momentum), conservation, rate }
    });
    let invariants = model.invariants().iter().map(|invariant| {
        let expression = g.expr(invariant.expression);
        (invariant.name.clone(), expression, test(expression))
    });
    let (symmetries, invariants) = (symmetries.collect(), invariants.collect());
    let looks = extent.numbers;
    let equilibrium = looks.then(|| equilibrium::equilibrium(model, &system)).flatten();
    let method = looks.then(|| method::report(model, &system, settings, &conserved, extent.steps)).flatten();
    Analysis {
        graph: g,
        name: model.name(),
        structure,
        regularity: seen,
        total_energy_conserved,
        symmetries,
        invariants,
        equilibrium,
        method,
        conserved,
        system,
    }
}

/// What was found as further columns of a run; the energy is one already.
///
/// ```
/// use extremal::{Model, Run, Settings, analyze};
/// let model = Model::from_toml(extremal::gallery::text("three-body-figure-eight").unwrap())?;
/// let tracked = analyze::tracked(&model);
/// assert!(tracked.iter().any(|quantity| quantity.name == "Galilean boost of x1, x2, x3"));
/// let run = Run::tracking(&model, &Settings::of(&model), &tracked)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tracked(model: &Model) -> Vec<Tracked> {
    if model.order() > 1 {
        return Vec::new();
    }
    let system = system_of(model);
    let parameters = parameters_of(model);
    let seen = regularity(&system, &parameters.exact);
    let conserved = conserved_quantities(&system, Some(&seen), &parameters, SearchBounds::default());
    tracked_of(&conserved)
}

fn tracked_of(conserved: &ConservedQuantities<'_>) -> Vec<Tracked> {
    let found = conserved.found.iter().filter(|quantity| quantity.symmetry != Some(Symmetry::Time));
    found.map(|quantity| Tracked { name: quantity.name.clone(), expression: quantity.expression.id() }).collect()
}

/// The parameters of a model; those defined by others have an exact value where it is rational.
pub(crate) fn parameters_of(model: &Model) -> Parameters<'_> {
    let g = model.graph();
    let mut parameters = Parameters::default();
    let mut known: Vec<(Expr<'_>, Expr<'_>)> = Vec::new();
    for parameter in model.parameters() {
        let symbol = g.expr(parameter.symbol);
        parameters.symbols.push(symbol);
        let value = parameter.exact.clone();
        let value = value.or_else(|| g.expr(parameter.expression).substitute(&known).as_number());
        if let Some(value) = value {
            known.push((symbol, g.rational(value.clone())));
            parameters.exact.push((symbol, value));
        }
    }
    parameters
}

/// ∂L/∂q·X + p·X' + F·X, the rate of p·X along the motion.
fn noether_rate<'m>(system: &System<'m>, generator: &[Expr<'m>]) -> Expr<'m> {
    let g = system.graph;
    let slopes = g.gradient(system.lagrangian, &system.q);
    let rates = system.time_derivative(generator);
    g.dot(&slopes, generator) + g.dot(&system.momenta(), &rates) + g.dot(&system.force, generator)
}

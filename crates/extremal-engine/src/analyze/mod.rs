//! What can be said about a model before it is run: structure, regularity, what it conserves, equilibria, and what the chosen
//! method keeps of all that.

mod backward;
mod equilibrium;
mod geometry;
mod method;
mod modes;
mod placeholder;
mod report;
mod sections;
mod sentences;
mod tangent;

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::analysis::{
    Conservation, ConservedQuantities, ControlRegularity, FirstOrderSystem, Parameters, Regularity, SearchBounds,
    Symmetry, SystemStructure, conservation, conserved_quantities, control_regularity, independent_constraints,
    is_dissipated, regularity, structure,
};
use extremal_model::{ConstraintKind, Model};

use crate::run::{ConstraintError, ConstraintStructure, Settings, Tracked, constraints_of};

pub use backward::{BackwardError, BackwardReport, CorrectedDrift, CorrectionReport};
pub use equilibrium::{Equilibrium, Mode, NoEquilibrium, Stability};
pub use geometry::{ContactFindings, ContactReport, FunctionReport, PoissonFindings, PoissonReport};
pub use method::{DiscreteRegularity, MethodReport, Preservation, Preserved};
pub use report::AnalysisReport;
pub(crate) use sentences::singular_verdict;
pub use tangent::StructureKept;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalysisExtent {
    /// The space in which first integrals are sought.
    pub search: SearchBounds,
    /// Steps along which the regularity of the discrete equations is checked; at least the first one.
    pub steps: u64,
    /// Are the equilibrium and the method looked at?
    pub numbers: bool,
    /// Is the backward error of the method written down?
    pub backward: bool,
}

impl Default for AnalysisExtent {
    fn default() -> Self {
        AnalysisExtent { search: SearchBounds::default(), steps: 1, numbers: true, backward: false }
    }
}

/// Everything that was found.
pub struct Findings<'m> {
    graph: &'m Graph,
    /// The name of the model.
    pub name: Option<&'m str>,
    /// The system.
    pub system: System<'m>,
    /// The order of the highest derivative in the Lagrangian. Beyond 1, `system` is the equivalent one of the first order.
    pub order: usize,
    /// How it is built, for a Lagrangian of the first order.
    pub structure: Option<SystemStructure<'m>>,
    /// The constraints by name, kind and what vanishes.
    pub constraints: Vec<(String, ConstraintKind, Expr<'m>)>,
    /// Further constraints, which follow from these and were left out.
    pub redundant: Vec<String>,
    /// What the constraints come to at the start, or why no motion satisfies all of them; `None` where that is not known.
    pub feasibility: Option<Result<ConstraintStructure, ConstraintError>>,
    /// Constant multipliers of the integral constraints that are part of the Lagrangian.
    pub multipliers: Vec<Expr<'m>>,
    /// Whether it determines its motion.
    pub regularity: Regularity<'m>,
    /// The names of the controls, which are zero in all the rest.
    pub controls: Vec<&'m str>,
    /// Whether a cost determines them.
    pub control: Option<ControlRegularity>,
    /// What it conserves.
    pub conserved: ConservedQuantities<'m>,
    /// Is T + V as written conserved? Where it is not the energy.
    pub total_energy: Option<Conservation>,
    /// The symmetries that the model states.
    pub symmetries: Vec<StatedSymmetry<'m>>,
    /// The invariants that the model states, and whether they are.
    pub invariants: Vec<(String, Expr<'m>, Conservation)>,
    /// A state of rest near the start.
    pub equilibrium: Option<Equilibrium>,
    /// Why none is given, where one was sought.
    pub no_equilibrium: Option<NoEquilibrium>,
    /// Is the Lagrangian no limit of the discrete system that the model states, so that the discrete equations are all there is?
    pub placeholder: bool,
    /// What the method keeps.
    pub method: Option<MethodReport>,
    /// What is particular to a contact system.
    pub contact: Option<ContactFindings<'m>>,
    /// What is particular to a Poisson system.
    pub poisson: Option<PoissonFindings<'m>>,
    /// The Lagrangian whose motions the method follows, where it was asked for and can be written down.
    pub backward: Option<BackwardError<'m>>,
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
    /// Does a contact system scale it as its contact form?
    pub dissipated: bool,
}

impl Findings<'_> {
    /// Why no motion satisfies all constraints, where that is so.
    pub fn contradiction(&self) -> Option<&ConstraintError> {
        self.feasibility.as_ref().and_then(|structure| structure.as_ref().err())
    }

    /// Half of the dimension of the states that have a motion.
    pub fn degrees_of_freedom(&self) -> usize {
        // Entropies are states of their own; a nonholonomic constraint takes a velocity and leaves the position.
        let entropies = self.system.heat.s.len();
        match self.regularity.final_dimension {
            Some(dimension) if !self.regularity.is_regular() => dimension.saturating_sub(entropies) / 2,
            _ => self.system.len().saturating_sub(self.system.reacting().count()),
        }
    }
}

/// Analyses a model; `settings` say which method is looked at.
///
/// ```
/// use extremal_engine::{Model, Settings, analyze::{AnalysisExtent, analyze}};
/// let model = Model::from_toml(extremal_engine::gallery::text("kepler").unwrap())?;
/// let analysis = analyze(&model, &Settings::of(&model), AnalysisExtent::default());
/// let names: Vec<&str> = analysis.conserved.found.iter().map(|c| c.name.as_str()).collect();
/// assert_eq!(names, ["energy", "angular momentum", "Laplace-Runge-Lenz y", "Laplace-Runge-Lenz x"]);
/// # Ok::<(), extremal_engine::InvalidModel>(())
/// ```
pub fn analyze<'m>(model: &'m Model, settings: &Settings, extent: AnalysisExtent) -> Findings<'m> {
    let g = model.graph();
    let PreparedModel { reduced, constraints, redundant, multipliers, parameters } = PreparedModel::of(model);
    let system = &reduced.system;
    let placeholder = placeholder::is_placeholder(model, system);
    let raw = regularity(system, &parameters.exact);
    let conserved = match placeholder {
        true => ConservedQuantities::none(),
        false => conserved_quantities(system, Some(&raw), &parameters, extent.search),
    };
    let conserved = reduced.stated_quantities(conserved);
    let structure = (reduced.order == 1).then(|| structure(system, &multipliers));
    let test = |function: Expr<'m>| conservation(system, Some(&raw), &parameters, function);
    let total_energy = structure.as_ref().and_then(|structure| structure.total_energy);
    let symmetries = model.symmetries().iter().map(|symmetry| {
        let generator = reduced.prolonged(&g.exprs(&symmetry.generator));
        let momentum = system.noether_momentum(&generator);
        let rate = g.simplified(reduced.stated(noether_rate(system, &generator)));
        let conservation = test(momentum);
        let dissipated = system.is_contact() && is_dissipated(system, momentum) == Some(true);
        let momentum = g.simplified(reduced.stated(momentum));
        StatedSymmetry { name: symmetry.name.clone(), generator, momentum, conservation, rate, dissipated }
    });
    let invariants = model.invariants().iter().map(|invariant| {
        let expression = g.expr(invariant.expression);
        (invariant.name.clone(), expression, test(expression))
    });
    let looks = extent.numbers;
    // The steps of a boundary problem are not marched.
    let marches = looks && model.boundary().is_none();
    let equilibrium = (looks && !placeholder).then(|| equilibrium::equilibrium(model, system)).flatten();
    let (equilibrium, no_equilibrium) = match equilibrium {
        Some(Ok(equilibrium)) => (Some(equilibrium), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let structure_seen = (Some(settings).filter(|_| marches), extent.search);
    Findings {
        contact: geometry::contact(model, system, &parameters, structure_seen),
        poisson: geometry::poisson(model, system, &parameters, structure_seen),
        graph: g,
        name: model.name(),
        order: reduced.order,
        total_energy: total_energy.map(test),
        symmetries: symmetries.collect(),
        invariants: invariants.collect(),
        equilibrium,
        no_equilibrium,
        placeholder,
        method: marches.then(|| method::report(model, system, settings, &conserved, extent.steps)).flatten(),
        backward: (marches && extent.backward).then(|| backward::backward(model, settings)).flatten(),
        regularity: reduced.stated_regularity(&raw),
        controls: model.controls().iter().map(|control| control.name.as_str()).collect(),
        control: optimal_control(model, system, &parameters),
        structure,
        constraints,
        redundant,
        feasibility: (!model.constraints().is_empty()).then(|| constraints_of(model, &System::of(model))).flatten(),
        multipliers,
        conserved,
        system: reduced.system,
    }
}

/// What a model states, ready to be analysed.
struct PreparedModel<'m> {
    reduced: FirstOrderSystem<'m>,
    constraints: Vec<(String, ConstraintKind, Expr<'m>)>,
    redundant: Vec<String>,
    multipliers: Vec<Expr<'m>>,
    parameters: Parameters<'m>,
}

impl<'m> PreparedModel<'m> {
    fn of(model: &'m Model) -> PreparedModel<'m> {
        let g = model.graph();
        let mut system = System::of(model);
        let mut parameters = parameters_of(model);
        // A stationary action under integral constraints is that of L + μ·g with constant μ.
        let integrals = model.boundary().filter(|_| model.objective().is_none()).map(|boundary| &boundary.integrals);
        let mut multipliers = Vec::new();
        for integral in integrals.into_iter().flatten() {
            let multiplier = system.symbol(&format!("mu_{}", integral.name));
            system.lagrangian = system.lagrangian + multiplier * g.expr(integral.integrand);
            multipliers.push(multiplier);
        }
        parameters.symbols.extend(&multipliers);
        let kept = independent_constraints(&system);
        // Some are independent of the others in general and follow from them where these hold.
        let implied = match system.constraints.is_empty() {
            true => Vec::new(),
            false => constraints_of(model, &system).and_then(Result::ok).map_or_else(Vec::new, |seen| seen.redundant),
        };
        let (mut redundant, mut place) = (Vec::new(), 0..);
        system.constraints.retain(|constraint| {
            let follows = implied.iter().any(|(name, _)| *name == constraint.name);
            let independent = place.next().is_some_and(|place| kept.contains(&place)) && !follows;
            let stays = constraint.is_vakonomic() || independent;
            if !stays {
                redundant.push(constraint.name.clone());
            }
            stays
        });
        let constraints = system.constraints.iter().map(|c| (c.name.clone(), c.kind, c.expression)).collect();
        let reduced = FirstOrderSystem::of(system);
        PreparedModel { reduced, constraints, redundant, multipliers, parameters }
    }
}

/// The condition [VC 7.9] of an optimal control problem.
fn optimal_control<'m>(
    model: &'m Model,
    system: &System<'m>,
    parameters: &Parameters<'m>,
) -> Option<ControlRegularity> {
    let g = model.graph();
    let objective = model.objective()?;
    let controls: Vec<Expr<'m>> = model.controls().iter().map(|control| g.expr(control.symbol)).collect();
    if controls.is_empty() || model.order() > 1 {
        return None;
    }
    let force: Vec<_> = model.controlled_forces().into_iter().zip(model.friction()).map(|(f, r)| f + r).collect();
    let cost = objective.running.map_or(g.int(0), |id| g.expr(id));
    control_regularity(system, &force, &controls, cost, &parameters.exact)
}

/// What was found as further columns of a run; the energy is one already.
///
/// ```
/// use extremal_engine::{Model, CompiledRun, Settings, analyze};
/// let model = Model::from_toml(extremal_engine::gallery::text("three-body-figure-eight").unwrap())?;
/// let tracked = analyze::tracked(&model);
/// assert!(tracked.iter().any(|quantity| quantity.name == "Galilean boost of x1, x2, x3"));
/// let run = CompiledRun::tracking(&model, &Settings::of(&model), &tracked)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tracked(model: &Model) -> Vec<Tracked> {
    let PreparedModel { reduced, parameters, .. } = PreparedModel::of(model);
    let seen = regularity(&reduced.system, &parameters.exact);
    let conserved = conserved_quantities(&reduced.system, Some(&seen), &parameters, SearchBounds::default());
    tracked_of(&reduced.stated_quantities(conserved))
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
    let forces = g.dot(&system.force, generator) + g.dot(&system.herglotz_forces(), generator);
    g.dot(&slopes, generator) + g.dot(&system.momenta(), &rates) + forces
}

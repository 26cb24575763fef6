//! What can be said about a model before it is run: structure, regularity, what it conserves, equilibria, and what the chosen
//! method keeps of all that.

mod backward;
mod equilibrium;
mod form_text;
mod geometry_report;
mod geometry_sections;
mod method;
mod modes;
mod optimal_motion;
mod pair;
mod placeholder;
mod report;
mod sections;
mod sentences;
mod stated;
mod step_geometry;
mod structures;
mod tangent;
mod transport;

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::analysis::{
    Conservation, ConservedQuantities, ControlRegularity, FirstOrderSystem, Parameters, Regularity, SearchBounds,
    Symmetry, SystemStructure, conservation, conserved_quantities, control_regularity, independent_constraints,
    regularity, state_control_regularity, structure,
};
use extremal_mechanics::geometry::{NoPhaseGeometry, PhaseGeometry, ZeroJudge};
use extremal_model::{ConstraintKind, Model, Pacing};

use crate::run::{ConstraintError, ConstraintStructure, Settings, Tracked, constraints_of};

pub use backward::{BackwardError, BackwardReport, CorrectedDrift, CorrectionReport};
pub use equilibrium::{Equilibrium, Mode, NoEquilibrium, Stability};
pub use geometry_report::{
    FirstReport, FormReport, LiftReport, MatrixReport, PhaseGeometryReport, StatementReport, StepGeometryReport,
};
pub use method::{DiscreteRegularity, MethodReport, Preservation, Preserved};
pub use optimal_motion::{OptimalMotion, OptimalMotionReport};
pub use report::AnalysisReport;
pub(crate) use sentences::singular_verdict;
pub use stated::{LiftedSymmetry, StatedSymmetry};
pub use step_geometry::{FirstPair, StepFindings, StepFormulas};
pub use structures::{ContactFindings, ContactReport, FunctionReport, PoissonFindings, PoissonReport};
pub use tangent::StructureKept;
pub use transport::StepMeasures;

use step_geometry::StepQuestion;

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
    /// Is the geometry of the phase space and of a step written down and checked?
    pub geometry: bool,
}

impl Default for AnalysisExtent {
    fn default() -> Self {
        AnalysisExtent { search: SearchBounds::default(), steps: 1, numbers: true, backward: false, geometry: false }
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
    /// The names of the controls, which in all the rest follow their laws or are zero.
    pub controls: Vec<&'m str>,
    /// Whether a cost determines them.
    pub control: Option<ControlRegularity>,
    /// What a run of a control problem from momenta follows.
    pub optimal_motion: Option<OptimalMotion<'m>>,
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
    /// Forms on the phase space and what the motion does to them, or why they are not written down; where it was asked for.
    pub phase: Option<Result<PhaseGeometry<'m>, NoPhaseGeometry>>,
    /// Matrices and forms of a step, where it was asked for.
    pub step_geometry: Option<StepFindings<'m>>,
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
    let placeholder = placeholder::is_placeholder(model);
    let raw = regularity(system, &parameters.exact);
    let conserved = match placeholder {
        true => ConservedQuantities::none(),
        false => conserved_quantities(system, Some(&raw), &parameters, extent.search),
    };
    let conserved = reduced.stated_quantities(conserved);
    let structure = (reduced.order == 1).then(|| structure(system, &multipliers));
    let test = |function: Expr<'m>| conservation(system, Some(&raw), &parameters, function);
    let total_energy = structure.as_ref().and_then(|structure| structure.total_energy);
    let judge = ZeroJudge::new(system, &parameters);
    let symmetries = model.symmetries().iter().map(|symmetry| StatedSymmetry::of(&reduced, symmetry, &judge, &test));
    let invariants = model.invariants().iter().map(|invariant| {
        let expression = g.expr(invariant.expression);
        (invariant.name.clone(), expression, test(expression))
    });
    let looks = extent.numbers;
    // Trials are of steps that are alike. The steps of a boundary problem are not marched; those from momenta are the optimal motion's, not that without control.
    let alike = settings.pacing == Pacing::Even;
    let marches = looks && alike && model.boundary().is_none() && model.momentum_order().is_none();
    let phase = (extent.geometry && !placeholder).then(|| match reduced.order {
        1 => system.phase_geometry(&judge),
        _ => Err(NoPhaseGeometry::Accelerations),
    });
    let question =
        StepQuestion { model, system, settings, parameters: &parameters, regularity: &raw, steps: extent.steps };
    let step_geometry = (marches && extent.geometry).then(|| step_geometry::step_geometry(&question)).flatten();
    // What states do at rest is not part of the modes of a mechanical system.
    let whole = system.heat.states().is_empty();
    let equilibrium = (looks && !placeholder && whole).then(|| equilibrium::equilibrium(model, system)).flatten();
    let (equilibrium, no_equilibrium) = match equilibrium {
        Some(Ok(equilibrium)) => (Some(equilibrium), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    let structure_seen = (Some(settings).filter(|_| marches), extent.search);
    Findings {
        contact: structures::contact(model, system, &parameters, structure_seen),
        poisson: structures::poisson(model, system, &parameters, structure_seen),
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
        phase,
        step_geometry,
        regularity: reduced.stated_regularity(&raw),
        controls: model.controls().iter().map(|control| control.name.as_str()).collect(),
        control: optimal_control(model, system, &parameters),
        optimal_motion: OptimalMotion::of(model),
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

/// The condition [VC 7.9] of an optimal control problem, or [VC 6.1] for states of first order.
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
    // Where rates of controls cost something, these are states, and their rates are chosen.
    if g.depend_on(&[cost], &model.control_rates()).contains(&true) {
        return None;
    }
    if !model.states().is_empty() {
        return state_control_regularity(&System::controlled(model), &controls, cost, &parameters.exact);
    }
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
    // What is found of a control problem is that of its motions without control.
    if model.momentum_order().is_some() && model.order() == 1 {
        return Vec::new();
    }
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

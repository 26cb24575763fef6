//! Discrete mechanics: methods as formulas.

mod action;
mod alternating;
mod builder;
mod canonical;
mod collocation;
mod composition;
mod constrained;
mod difference;
mod dry;
mod energy_entropy;
mod flow;
mod from_momenta;
mod geometry;
mod hermite;
mod modified;
mod on_manifold;
mod own;
mod paced;
mod quadrature;
mod recurrence;
mod reduced;
mod reference;
mod scheme;
mod stages;
mod three_points;
mod variational;
mod wisdom_holman;

use extremal_expr::Rational;
use extremal_model::{Composition, CompositionBase, ConstraintForm, EntropyBase, Feature, Method, Refusal, Start};
use thiserror::Error;

pub use action::DiscreteAction;
pub use difference::ThreePointAction;
pub use energy_entropy::check_symmetry;
pub use flow::PhaseFlow;
pub use geometry::{MatrixZeros, StepBinding, StepGeometry, StepMatrix};
pub use hermite::HermiteAction;
pub use modified::ModifiedLagrangian;
pub use own::{CustomDiscrete, DifferenceMap, MapNode, StatedDiscrete};
pub use paced::paced;
pub use quadrature::QuadratureRule;
pub use recurrence::LinearRecurrence;
pub use scheme::{Equation, Scheme, SchemeGuard};
pub use stages::Stages;
use stages::by_gauss_points;
pub use three_points::ThreePointSystem;
pub use variational::energy_estimate;

pub(crate) use scheme::ids;

use crate::System;
use crate::continuous::RateLaw;
use crate::continuous::ReductionError;
use canonical::canonical;
use collocation::Collocation;
use energy_entropy::{EnergyForm, energy_entropy};
use from_momenta::from_momenta;
use on_manifold::runge_kutta_on;
use reference::{euler, rk2, rk4, runge_kutta};

/// A combination of method, start and system that does not exist.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SchemeError {
    /// The adaptive methods have no fixed-step formula.
    #[error("`{0}` is adaptive: it has no step formula of its own")]
    Adaptive(String),
    /// `two-points` with a method that is not a one-step variational method.
    #[error("the start `two-points` is not defined for `{0}`: start from velocities instead (`start = \"legendre\"`)")]
    NoTwoPoints(String),
    /// `custom` without a `[discrete]` table.
    #[error("the method `custom` needs a table `[discrete]` with a `lagrangian`, or `[discretisation]`")]
    NoDiscrete,
    /// A start from four positions with a method that is not made for it.
    #[error(
        "the start `points` is for `custom` with a discrete Lagrangian over three points, not for `{0}`: start from velocities or \
         from two points"
    )]
    NoPoints(String),
    /// A discrete Lagrangian over three points for a Lagrangian without accelerations.
    #[error("a discrete Lagrangian over three points (`x_2`) belongs to a Lagrangian with accelerations")]
    ThreePointsOfFirstOrder,
    /// A discrete Lagrangian over two points for a Lagrangian with accelerations.
    #[error("a Lagrangian with accelerations needs a discrete one over three points: `x_0`, `x_1` and `x_2`")]
    TwoPointsOfSecondOrder,
    /// `custom` for a system with entropies, without a rule for each.
    #[error("the method `custom` needs a rule for every entropy: add a `[discrete.entropy]` table")]
    NoEntropyRule,
    /// A method that is not defined for what the system has.
    #[error(
        "`{}` is not defined {}{}{}", .refusal.method, .refusal.feature,
        .example.as_ref().map_or_else(String::new, |name| format!(" such as {name}")),
        .refusal.advice().map_or_else(String::new, |advice| format!(": {advice}"))
    )]
    Undefined {
        /// The method, what it is not defined for, and what to use instead.
        refusal: Refusal,
        /// The constraint or the friction that makes the difference.
        example: Option<String>,
    },
    /// A composition needs a symmetric step.
    #[error("`{0}` needs a symmetric step: entropies must be taken in the middle (`entropy = \"midpoint\"`)")]
    NotSymmetric(String),
    /// A composition for accelerations that depend on positions alone.
    #[error(
        "`{0}` needs constant masses and forces that depend on positions and the time alone, or its order is lost: use `blanes-moan6`"
    )]
    NotNystrom(String),
    /// No Kepler motions to follow.
    #[error(
        "`{0}` needs potentials `-k/r` between the first body of the model and others, or about a fixed centre, each with `r` the root of \
         the squares of coordinates or their differences, masses that are the same in all directions, and forces that depend on \
         positions and the time alone: use `blanes-moan6` or `galerkin(4)`"
    )]
    NotDominated(String),
    /// The energy–entropy method needs H(q, p, S) in closed form.
    #[error(
        "`{0}` needs the Hamiltonian in closed form: the Lagrangian must be quadratic in the velocities with a regular mass \
         matrix of at most six coupled coordinates"
    )]
    NoHamiltonian(String),
    /// A method that promises momenta, and a Hamiltonian written by parts that do not have the symmetry.
    #[error(
        "`{method}` does not keep the momentum of `{symmetry}` here: it takes the Hamiltonian as a function of pieces of degree two at most, \
         and `{symmetry}` changes the piece `{part}`: write the Lagrangian by pieces that it does not change, such as `(x^2 + y^2)^2` in \
         place of powers of `x` and `y`, or use `energy-entropy`"
    )]
    UnkeptMomentum {
        /// The method.
        method: String,
        /// The symmetry that the model states.
        symmetry: String,
        /// The piece.
        part: String,
    },
    /// Where dry friction is not defined.
    #[error("dry friction such as that on `{name}` is not defined {place}")]
    DryFriction {
        /// A coordinate with dry friction.
        name: String,
        /// Where.
        place: &'static str,
    },
    /// Half-impulses at a node that are not along the same row cannot be left to the next step.
    #[error("the reaction of `{0}` turns with the velocities, which needs `constraints = \"rattle\"`")]
    NeedsRattle(String),
    /// A reaction that is not along the slopes of an equation of positions is no part of a Hamiltonian.
    #[error(
        "`{method}` has no rule for virtual displacements stated apart from the equation of positions `{constraint}`: use `midpoint`"
    )]
    Displaced {
        /// The method.
        method: String,
        /// The constraint.
        constraint: String,
    },
    /// What is not defined beside accelerations.
    #[error("{0} are not defined for a Lagrangian with accelerations")]
    BesideAccelerations(&'static str),
    /// Constraints beside accelerations of a motion that starts from derivatives, which say nothing of multipliers.
    #[error(
        "constraints of a motion from its start are not defined by derivatives of a Lagrangian with accelerations: state momenta `p0`, `p1` \
         in their place"
    )]
    ConstrainedDerivatives,
    /// Optimality conditions without a cost.
    #[error(
        "there are no optimality conditions: the model has no [objective] with a `running` cost, and no accelerations in its Lagrangian"
    )]
    NoObjective,
    /// What has no flow of optimality conditions.
    #[error(
        "{0} are not defined in the flow of optimality conditions, from momenta `p0` and `p1`: `extremal solve` finds optimal motions \
         between two ends"
    )]
    OptimalFlow(&'static str),
    /// W_f has no canonical coordinates that the method could be taken in.
    #[error(
        "`{0}` needs canonical coordinates where a singular Lagrangian moves: a half of them positions, whose momenta are the other half, and \
         neither entropies nor reactions: use `gauss(s)` or `dop853`"
    )]
    NotCanonical(String),
    /// Coordinates by which the system cannot be reduced.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    /// Cyclic coordinates whose velocities do not follow from their momenta.
    #[error("`{0}` needs the velocities of the cyclic coordinates by their momenta in closed form")]
    NotReduced(String),
    /// A Galerkin method that is no symplectic pair on a phase space.
    #[error(
        "`{0}` is not defined where momenta are coordinates: there the polynomials have as many degrees as the rule has nodes, as in \
         `galerkin(2, gauss(2))` and `galerkin(2, lobatto(3))`"
    )]
    NotPartitioned(String),
    /// Steps that follow a pace, where these are not defined.
    #[error("steps by a `pace` are not defined {0}")]
    Unpaced(String),
    /// A motion from momenta by a quadrature that is no collocation.
    #[error("`{0}` is not defined from momenta: use `galerkin(s)` with as many Gauss points as its degree")]
    NoCollocation(String),
}

/// The scheme of `method` for `system`.
///
/// ```
/// use extremal_expr::Graph;
/// use extremal_mechanics::{System, discrete::{Options, scheme}};
/// let g = Graph::new();
/// let (x, v) = (g.symbol("x"), g.symbol("x'"));
/// let oscillator = System::new(&g, &["x"], v.powi(2) / 2 - x.powi(2) / 2);
/// let verlet = scheme(&oscillator, &"trapezoidal".parse()?, Options::default(), None)?;
/// // Störmer–Verlet is explicit here: elimination leaves nothing to solve.
/// assert!(verlet.step.eliminated(&g).solves.is_empty());
/// // So is the method for accelerations by differences: its equation is linear in the one new point.
/// let spline = System::new(&g, &["x"], g.symbol("x''").powi(2) / 2);
/// let difference = scheme(&spline, &"difference".parse()?, Options::default(), None)?;
/// assert!(difference.step.eliminated(&g).solves.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scheme<'g>(
    system: &System<'g>,
    method: &Method,
    options: Options,
    custom: Option<CustomDiscrete<'g>>,
) -> Result<Scheme, SchemeError> {
    let name = method.to_string();
    check_method(system, method, options.start)?;
    let turning = system.reacting().find(|constraint| constraint.turns_with_velocities(system));
    if let (Some(constraint), ConstraintForm::Shake) = (turning, options.constraints) {
        return Err(SchemeError::NeedsRattle(constraint.name.clone()));
    }
    Ok(match method {
        Method::Compose { composition, base } => {
            if !system.heat.entropies().is_empty() && !base.keeps_energy() && options.entropy != EntropyBase::Midpoint {
                return Err(SchemeError::NotSymmetric(name));
            }
            let base = match base {
                CompositionBase::Midpoint => Method::Midpoint,
                CompositionBase::Trapezoidal => Method::Trapezoidal,
                CompositionBase::EnergyEntropy => Method::EnergyEntropy(1),
                CompositionBase::EnergyEntropyMomentum => Method::EnergyEntropyMomentum,
                CompositionBase::WisdomHolman => Method::WisdomHolman,
                CompositionBase::Left => Method::Left,
            };
            if *composition == Composition::BlanesMoan6Nystrom && !alternating::accelerates_by_positions(system) {
                return Err(SchemeError::NotNystrom(name));
            }
            let fractions = composition::fractions(*composition);
            let base = scheme(system, &base, options, None)?;
            match composition.alternates() {
                true => {
                    let adjoint = scheme(system, &Method::Right, options, None)?;
                    alternating::alternating(system, [adjoint, base], &fractions, name)
                }
                false => Scheme { name, substeps: fractions, ..base },
            }
        }
        Method::Custom => {
            let custom = custom.ok_or(SchemeError::NoDiscrete)?;
            if let CustomDiscrete::Stated(stated) = &custom
                && stated.entropy_rules.len() != system.heat.entropies().len()
            {
                return Err(SchemeError::NoEntropyRule);
            }
            match (&custom, system.order, options.start) {
                (CustomDiscrete::Stated(stated), 2, Start::Points) if stated.three_points => {
                    ThreePointSystem::stated(system, stated).scheme(system, name)
                }
                (CustomDiscrete::Stated(stated), 2, _) if stated.three_points => {
                    let action = ThreePointAction::stated(system, stated.lagrangian);
                    difference::difference(system, action, name)
                }
                (CustomDiscrete::Stated(stated), 1, _) if stated.three_points => {
                    return Err(SchemeError::ThreePointsOfFirstOrder);
                }
                (_, 1, Start::Points) => return Err(SchemeError::NoPoints(name)),
                (_, 1, _) => DiscreteAction::custom(system, custom).scheme(system, name, options),
                _ => return Err(SchemeError::TwoPointsOfSecondOrder),
            }
        }
        Method::EnergyEntropy(stages) => {
            let form = EnergyForm { stages: *stages as usize, nodes: options.energy_nodes, momenta: false };
            energy_entropy(system, &form, name)?
        }
        Method::EnergyEntropyMomentum => {
            let form = EnergyForm { stages: 1, nodes: options.energy_nodes, momenta: true };
            energy_entropy(system, &form, name)?
        }
        Method::Euler => by_stages(system, euler(system), name),
        Method::Rk2 => by_stages(system, rk2(system), name),
        Method::Rk4 => by_stages(system, rk4(system), name),
        Method::Gauss(stages) => by_stages(system, Collocation::gauss(system, *stages as usize), name),
        Method::WisdomHolman => {
            wisdom_holman::wisdom_holman(system, name.clone()).ok_or(SchemeError::NotDominated(name))?
        }
        Method::Hermite => hermite::hermite(system, name),
        Method::Difference => difference::difference(system, ThreePointAction::of(system), name),
        Method::Dopri5 | Method::Dop853 => return Err(SchemeError::Adaptive(name)),
        // Of all variational methods only the midpoint rule, under whatever name, has a meaning without positions.
        method if system.poisson().is_some() && galerkin_of(method).is_some() => {
            runge_kutta(system, Collocation::gauss(system, 1), name)
        }
        Method::Left
        | Method::Right
        | Method::Midpoint
        | Method::Theta(_)
        | Method::Trapezoidal
        | Method::Galerkin { .. } => {
            if let Some(manifold) = &system.manifold {
                let method = partitioned(system, method).ok_or_else(|| SchemeError::NotPartitioned(name.clone()))?;
                return canonical(system, manifold, method, name);
            }
            if !system.cyclic.is_empty() {
                return reduced::reduced(system, method, options, name);
            }
            if system.flow.is_some() {
                let stages = gauss_stages(method).ok_or(SchemeError::NoCollocation(name.clone()))?;
                return Ok(from_momenta(system, Collocation::gauss(system, stages), name));
            }
            let (degree, rule) = galerkin_of(method).ok_or_else(|| SchemeError::Adaptive(name.clone()))?;
            let scheme = DiscreteAction::galerkin(system, degree, &rule, options.entropy).scheme(system, name, options);
            match gauss_stages(method) {
                Some(stages) if stages > 1 => by_gauss_points(system, stages, scheme),
                _ => scheme,
            }
        }
    })
}

/// A method with stages, where the system moves.
fn by_stages<'g>(system: &System<'g>, method: Collocation<'_, 'g>, name: String) -> Scheme {
    match &system.manifold {
        Some(manifold) => runge_kutta_on(system, manifold, method, name),
        None if system.flow.is_some() => from_momenta(system, method, name),
        None => runge_kutta(system, method, name),
    }
}

/// What a method leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How a run begins.
    pub start: Start,
    /// Where in a step the entropies of the discrete Lagrangian are taken.
    pub entropy: EntropyBase,
    /// Whether velocities satisfy the constraints at the end of every step, or when they are looked at.
    pub constraints: ConstraintForm,
    /// Quadrature nodes for the mean gradients of the energy–entropy method: more for strongly nonlinear energies and long steps.
    pub energy_nodes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            start: Start::Legendre,
            entropy: EntropyBase::Midpoint,
            constraints: ConstraintForm::Rattle,
            energy_nodes: 8,
        }
    }
}

/// Refuses a method that is not defined for what the system has or for how it starts: the only place where this is decided
/// for motions, from [`MethodFamily::takes`](extremal_model::MethodFamily::takes).
pub fn check_method(system: &System<'_>, method: &Method, start: Start) -> Result<(), SchemeError> {
    system.check_order()?;
    let from_points = *method == Method::Custom && start == Start::Points;
    if system.order > 1 && !system.constraints.is_empty() && !from_points {
        return Err(SchemeError::ConstrainedDerivatives);
    }
    let mut needed = vec![(Feature::of_order(system.order), None)];
    if system.flow.is_some() {
        needed = vec![(Feature::Momenta, None)];
    } else if system.order > 1 && system.force.iter().any(|force| !force.is_zero()) {
        needed.push((Feature::HigherForces, None));
    }
    if !system.heat.entropies().is_empty() {
        needed.push((Feature::Entropies, None));
    }
    if !system.heat.held_by.is_empty() {
        needed.push((Feature::Matter, None));
    }
    if let Some(state) = system.heat.states().first() {
        needed.push(match system.heat.law {
            RateLaw::Stated => (Feature::States, Some(format!("`{state}`"))),
            RateLaw::Action => (Feature::Action, None),
            RateLaw::Poisson(_) => (Feature::Poisson, None),
        });
    }
    for constraint in &system.constraints {
        needed.push((Feature::Constraints(constraint.kind), Some(format!("`{}`", constraint.name))));
    }
    if system.manifold.is_some() {
        needed.push((Feature::Singular, None));
        if !system.heat.is_empty() {
            needed.push((Feature::SingularEntropies, None));
        }
    }
    if !system.cyclic.is_empty() {
        needed.push((Feature::Reduction, Some(format!("that by `{}`", system.names[system.cyclic[0]]))));
    }
    if let Some(dry) = system.dry.first() {
        needed.push((Feature::DryFriction, Some(format!("that on `{}`", dry.name))));
    }
    let features: Vec<Feature> = needed.iter().map(|(feature, _)| *feature).collect();
    if let Some(refusal) = method.refuses(&features) {
        let example = needed.into_iter().find(|(feature, _)| *feature == refusal.feature).and_then(|(_, name)| name);
        return Err(SchemeError::Undefined { refusal, example });
    }
    let mut bound = system.constraints.iter().filter(|constraint| constraint.kind.nature().binds_positions);
    if let (true, Some(constraint)) = (method.keeps_energy(), bound.find(|constraint| constraint.displaced)) {
        return Err(SchemeError::Displaced { method: method.to_string(), constraint: constraint.name.clone() });
    }
    let two_points = match system.constraints.is_empty() {
        true => Feature::TwoPoints,
        false => Feature::ConstrainedTwoPoints,
    };
    let vakonomic = system.vakonomic().next().is_some();
    if let (true, Some(dry)) = (vakonomic, system.dry.first()) {
        return Err(SchemeError::DryFriction { name: dry.name.clone(), place: "beside vakonomic constraints" });
    }
    match start {
        // A contact sticks or slides with a velocity, which two positions do not tell.
        Start::TwoPoints if !system.dry.is_empty() || !method.takes(two_points) => {
            Err(SchemeError::NoTwoPoints(method.to_string()))
        }
        Start::TwoPoints if system.order > 1 || !system.cyclic.is_empty() || system.flow.is_some() => {
            Err(SchemeError::NoTwoPoints(method.to_string()))
        }
        // Where reactions act beside multipliers that move, two positions do not tell them apart.
        Start::TwoPoints if vakonomic && system.constraints.iter().any(|c| !c.is_vakonomic()) => {
            Err(SchemeError::NoTwoPoints(method.to_string()))
        }
        Start::Points if *method != Method::Custom => Err(SchemeError::NoPoints(method.to_string())),
        Start::TwoPoints | Start::Legendre | Start::Points => Ok(()),
    }
}

/// The degree of the polynomial that a method takes a step along.
pub fn degree_of(method: &Method) -> usize {
    galerkin_of(method).map_or(1, |(degree, _)| degree)
}

/// Degree and quadrature of the methods that are made of one polynomial per step; `None` for all others.
pub(crate) fn galerkin_of(method: &Method) -> Option<(usize, QuadratureRule)> {
    let one_node = |a: f64| QuadratureRule { nodes: vec![a], weights: vec![1.0] };
    Some(match method {
        Method::Left => (1, one_node(0.0)),
        Method::Right => (1, one_node(1.0)),
        Method::Midpoint => (1, one_node(0.5)),
        Method::Theta(a) => (1, one_node(Rational::to_f64(a))),
        Method::Trapezoidal => (1, QuadratureRule::lobatto(2)),
        Method::Galerkin { degree, quadrature } => (*degree as usize, rule_of(*quadrature)),
        Method::Compose { .. }
        | Method::WisdomHolman
        | Method::Custom
        | Method::EnergyEntropy(_)
        | Method::EnergyEntropyMomentum
        | Method::Hermite
        | Method::Difference
        | Method::Euler
        | Method::Rk2
        | Method::Rk4
        | Method::Gauss(_)
        | Method::Dopri5
        | Method::Dop853 => return None,
    })
}

/// What a variational method is where positions and momenta are coordinates: the symplectic pair of its quadrature rule. `None` for
/// polynomials that have fewer degrees than the rule can tell, or more.
fn partitioned<'s, 'g>(system: &'s System<'g>, method: &Method) -> Option<Collocation<'s, 'g>> {
    use extremal_model::Quadrature;
    let (degree, rule) = galerkin_of(method)?;
    let points = rule.nodes.len();
    match method {
        Method::Midpoint => Some(Collocation::gauss(system, 1)),
        Method::Galerkin { quadrature: Quadrature::Gauss(_), .. } => {
            (degree == points).then(|| Collocation::gauss(system, points))
        }
        Method::Galerkin { quadrature: Quadrature::Lobatto(_), .. } if degree != points && degree + 1 != points => None,
        _ => Some(Collocation::partitioned(system, &rule)),
    }
}

/// The number of Gauss points of a method that is collocation at these: as many as the degree of its polynomials.
fn gauss_stages(method: &Method) -> Option<usize> {
    match method {
        Method::Midpoint => Some(1),
        Method::Galerkin { degree, quadrature: extremal_model::Quadrature::Gauss(points) } if degree == points => {
            Some(*degree as usize)
        }
        _ => None,
    }
}

fn rule_of(quadrature: extremal_model::Quadrature) -> QuadratureRule {
    match quadrature {
        extremal_model::Quadrature::Gauss(n) => QuadratureRule::gauss(n as usize),
        extremal_model::Quadrature::Lobatto(n) => QuadratureRule::lobatto(n as usize),
    }
}

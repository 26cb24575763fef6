//! Boundary-value and optimal-control problems as formulas.
//!
//! The sum of the discrete action over the steps of a grid, or the cost of a motion that satisfies the discrete equations, is a
//! function of very many variables that is put together from copies of a few small [`Piece`]s: one per step, one per node, one
//! at each end. A piece is written here once, symbolically; its copies share rows of equations, as the elements of a
//! finite-element mesh share nodes, and that is how the two steps that meet at a node make the discrete Euler–Lagrange equation
//! D_2 L_d(k−1) + D_1 L_d(k) = 0 there.

mod action;
mod conditions;
mod control;
mod controls;
mod grid;
mod higher;
mod links;
mod three_points;
mod unfolding;

use extremal_expr::{Expr, Id};
use extremal_model::{ControlShape, Feature, Method, Refusal};
use thiserror::Error;

pub use action::stationary_action;
pub use control::controlled_motion;
pub use grid::{Assembly, Element};
pub use three_points::controlled_nodes;
pub use unfolding::Unfolding;

use controls::StageInputs;

use crate::discrete::{CustomDiscrete, DifferenceMap, DiscreteAction, QuadratureRule, StatedDiscrete, galerkin_of};
use crate::{Constraint, System};

/// A small formula of which a large problem has many copies: a contribution to the cost, and contributions to rows of equations.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The unknowns it depends on.
    pub variables: Vec<Id>,
    /// Numbers that differ from copy to copy: where in [0, 1] its step begins, which part of the whole it is long.
    pub data: Vec<Id>,
    /// What it adds to the cost.
    pub cost: Id,
    /// What it adds to rows of equations.
    pub rows: Vec<Id>,
}

/// Where a variable or a row of a piece is found, relative to the node the copy belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridPlace {
    /// With a node: so many nodes on, the so-manyth there.
    Node(usize, usize),
    /// With the last node.
    Last(usize),
    /// With the step that begins at the node.
    Step(usize),
    /// Once in the problem.
    Once(usize),
}

/// At which nodes there is a copy of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At all nodes that have the later nodes the piece needs.
    Every,
    /// At the first of these only.
    First,
    /// At the last of these only.
    Last,
    /// At all but the first and the last of these.
    Inner,
}

/// A piece with the places of its variables and rows.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The formula.
    pub piece: Piece,
    /// One per variable.
    pub variables: Vec<GridPlace>,
    /// One per row.
    pub rows: Vec<GridPlace>,
    /// Where its copies are.
    pub at: At,
}

/// What an unknown is. Numbers count coordinates, controls, constraints, entropies or states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// A coordinate at a node.
    Position(usize),
    /// A derivative of a coordinate at a node.
    Derivative {
        /// One for a velocity, two for an acceleration.
        order: usize,
        /// Which coordinate.
        coordinate: usize,
    },
    /// A coordinate at an inner node of a step.
    Inner {
        /// Which inner node.
        node: usize,
        /// Which coordinate.
        coordinate: usize,
    },
    /// A control during a step, or at a node of a discrete Lagrangian over three points.
    Control(usize),
    /// A control at a node, from which it goes in a straight line to the next one.
    NodeControl(usize),
    /// A control at one stage of a step.
    StageControl {
        /// Which stage.
        stage: usize,
        /// Which control.
        control: usize,
    },
    /// An entropy at a node.
    Entropy(usize),
    /// A state at a node.
    State(usize),
    /// The rate of a state at one stage of a step.
    StateRate {
        /// Which stage.
        stage: usize,
        /// Which state.
        state: usize,
    },
    /// The multiplier of a constraint at a node.
    Multiplier(usize),
    /// The duration.
    Duration,
    /// A parameter that is to be found.
    Unknown(usize),
    /// A velocity at the start.
    StartVelocity(usize),
    /// A velocity at the end.
    EndVelocity(usize),
    /// By how much a constraint hinders displacements of an end that is free.
    Hindrance {
        /// At the end, not at the start?
        end: bool,
        /// Which constraint.
        constraint: usize,
    },
}

/// What a row of equations says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The equation of motion of a coordinate at a node.
    Motion(usize),
    /// The same at an inner node of a step.
    InnerMotion {
        /// Which inner node.
        node: usize,
        /// Which coordinate.
        coordinate: usize,
    },
    /// A constraint, at a node or in a step.
    Constraint(usize),
    /// A constraint on the velocities at an end.
    ConstraintAtEnd {
        /// At the end, not at the start?
        end: bool,
        /// Which constraint.
        constraint: usize,
    },
    /// The balance of an entropy over a step.
    EntropyBalance(usize),
    /// Where the rates of a state lead in a step; its multiplier is the costate at the end of the step.
    StateStep(usize),
    /// The rate of a state at one stage of a step.
    StageRate {
        /// Which stage.
        stage: usize,
        /// Which state.
        state: usize,
    },
    /// The velocity of a coordinate in a step, to be kept within bounds.
    VelocityBound(usize),
    /// The rate of a control in a step.
    ControlRate(usize),
    /// A condition that links both ends.
    Link(usize),
    /// A condition along the way: at a node, or at a stage of a step.
    Path {
        /// Which condition.
        condition: usize,
        /// Which stage; 0 at a node.
        stage: usize,
    },
    /// A condition at an end.
    AtEnd {
        /// At the end, not at the start?
        end: bool,
        /// Which condition there.
        condition: usize,
    },
    /// An integral over the whole motion.
    Integral(usize),
    /// What the velocity at an end is by differences of points.
    EndVelocity {
        /// At the end, not at the start?
        end: bool,
        /// Which coordinate.
        coordinate: usize,
    },
    /// No momentum along the displacements of a free end that the constraints admit.
    Natural {
        /// At the end, not at the start?
        end: bool,
        /// Which coordinate.
        coordinate: usize,
    },
}

/// A problem for any number of steps.
#[derive(Clone, Debug)]
pub struct Transcription {
    /// Unknowns of every node.
    pub node: Vec<Quantity>,
    /// Unknowns of every step.
    pub step: Vec<Quantity>,
    /// Unknowns that occur once.
    pub once: Vec<Quantity>,
    /// Rows of every node.
    pub node_rows: Vec<Condition>,
    /// Rows of every step.
    pub step_rows: Vec<Condition>,
    /// Rows that occur once.
    pub once_rows: Vec<Condition>,
    /// The formulas.
    pub pieces: Vec<Placed>,
    /// The symbol of the duration, if that is a number given from outside.
    pub duration: Option<Id>,
    /// Numbers that occur in the formulas under a name.
    pub constants: Vec<(Id, f64)>,
    /// Is the last node the first one again?
    pub periodic: bool,
    /// Nodes before the start and, as many, after the end.
    pub ghosts: usize,
    /// Where in a step controls are looked at, as parts of it; none where all are constant in it.
    pub control_nodes: Vec<f64>,
    /// The shapes of the controls in the steps.
    pub shapes: Vec<ControlShape>,
    /// Momenta at both ends of a step, p−(k) and p+(k+1), in the variables of the first piece: to observe the motion.
    pub momenta: [Vec<Id>; 2],
}

/// What is asked of a system, besides its equations.
#[derive(Clone, Default)]
pub struct Question<'g> {
    /// The symbols of the controls, which occur in the forces of the system.
    pub controls: Vec<Expr<'g>>,
    /// Their shapes in the steps, where these are said.
    pub shapes: Vec<Option<ControlShape>>,
    /// Controls whose rate is kept within bounds.
    pub bounded_rates: Vec<usize>,
    /// Symbols of parameters that are to be found.
    pub unknowns: Vec<Expr<'g>>,
    /// The running cost, in q, v, u, t.
    pub running: Option<Expr<'g>>,
    /// The cost of the end, in q, v, t there.
    pub terminal: Option<Expr<'g>>,
    /// Integrands, in q, v, u, t.
    pub integrals: Vec<Expr<'g>>,
    /// Coordinates whose velocity is kept within bounds.
    pub bounded_velocities: Vec<usize>,
    /// Rows along the way, in q, v, s, u, t and multipliers of constraints.
    pub conditions: Vec<Expr<'g>>,
    /// Rows at the start and at the end, in q, v, s, t.
    pub end_conditions: [Vec<Expr<'g>>; 2],
    /// Rows between both ends, in what moves there.
    pub links: Vec<Expr<'g>>,
    /// Does the motion close after the duration?
    pub periodic: bool,
    /// Is the duration to be found?
    pub free_duration: bool,
    /// When the motion begins.
    pub start_time: Option<Expr<'g>>,
    /// Coordinates that run into a singularity of the Lagrangian, and how they are followed there.
    pub unfoldings: Vec<Unfolding<'g>>,
}

/// A combination of method, system and question that is not defined.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BoundaryError {
    /// The method is not defined for such a problem.
    #[error("{0}")]
    Undefined(Refusal),
    /// `custom` without a table that says what it is.
    #[error("the method `custom` needs a table `[discrete]` with a `lagrangian`, or `[discretisation]`")]
    NoDiscrete,
    /// A velocity constraint with d'Alembert's reaction has no action.
    #[error(
        "the motion with the nonholonomic constraint `{0}` makes no action stationary: write `kind = \"vakonomic\"` for the \
         curve of stationary action, or state the motion by velocities at an end, forces or controls"
    )]
    Nonholonomic(String),
    /// Constraints that only motions from a start have equations for.
    #[error(
        "the constraint `{0}` has a reaction that turns with the velocities, virtual displacements beside an equation of positions, or \
         entropies: a boundary problem has no rule for it"
    )]
    Reaction(String),
    /// A vakonomic constraint is part of an action.
    #[error(
        "the vakonomic constraint `{0}` is part of a stationary action, which forces, controls and objectives do not have: use \
         `kind = \"nonholonomic\"`"
    )]
    Vakonomic(String),
    /// A method for first-order Lagrangians.
    #[error(
        "the Lagrangian has derivatives of order {order}, which `{method}` is not for: use `hermite` or `difference`"
    )]
    FirstOrderMethod {
        /// The method.
        method: String,
        /// The order of the Lagrangian.
        order: usize,
    },
    /// Not defined for Lagrangians with accelerations.
    #[error("{0} are not defined for a Lagrangian with second or higher derivatives")]
    HigherOrder(&'static str),
    /// Constraints hold at points, and polynomials pass between them.
    #[error("constraints beside accelerations are taken at the points of `difference`: `hermite` has no rule for them")]
    HermiteConstraints,
    /// An action is a matter of positions.
    #[error(
        "conditions with velocities, or beside forces, controls or velocities at an end, need an `[objective]`: with `running = \"0\"` any \
         motion that satisfies them will do"
    )]
    Conditions,
    /// Differences over three points have no third derivative.
    #[error("`difference` is for Lagrangians with accelerations, this one has derivatives of order {0}: use `hermite`")]
    DifferenceOrder(usize),
    /// What cannot be asked beside controls at the nodes.
    #[error("{0} cannot be stated where controls act at the nodes of a discrete Lagrangian of your own")]
    NodeControls(&'static str),
    /// A discrete Lagrangian over three points has positions at its ends.
    #[error("a discrete Lagrangian over three points needs a Lagrangian with accelerations, and positions `x_2` in it")]
    ThreePoints,
    /// Values that alternate from node to node vanish in the middles of the steps.
    #[error(
        "the control `{control}` is linear in the steps, of which `{method}` sees one point only: values that alternate from node to node \
         would mean nothing. Use `trapezoidal` or `galerkin(2)`, or shape = \"constant\""
    )]
    Alternating {
        /// The control.
        control: String,
        /// The method.
        method: String,
    },
    /// A finite-difference map of the user's own has no nodes in the steps at which a control could be looked at.
    #[error(
        "the control `{0}` can have one value in a step only where the method is your own: leave out its `shape`, or use `galerkin(s)`"
    )]
    OwnShape(String),
    /// Quadrature of costs with the user's own discrete Lagrangian.
    #[error(
        "the method `custom` says nothing of the quadrature of {0}: use `midpoint`, `trapezoidal` or `galerkin(s)`"
    )]
    NoQuadrature(&'static str),
}

/// A discrete Lagrangian with the quadrature it was made by.
pub(crate) struct Discretised<'g> {
    action: DiscreteAction<'g>,
    rule: StepRule<'g>,
    /// Controls that have a value of their own at each node of the quadrature, by their places and symbols.
    inputs: StageInputs<'g>,
}

/// How a quantity is integrated over a step.
enum StepRule<'g> {
    /// Along a polynomial of this degree.
    Galerkin(usize, QuadratureRule),
    /// By the user's own finite-difference map.
    Map(DifferenceMap<'g>),
    /// Of the user's own discrete system only its constraints are known.
    Stated(StatedDiscrete<'g>),
}

impl<'g> Discretised<'g> {
    fn of(
        system: &System<'g>,
        method: &Method,
        custom: Option<CustomDiscrete<'g>>,
        question: &Question<'g>,
    ) -> Result<Discretised<'g>, BoundaryError> {
        let mut needed = vec![Feature::Boundary, Feature::Velocities];
        if !system.heat.entropies().is_empty() {
            needed.push(Feature::BoundaryEntropies);
        }
        if !system.heat.states().is_empty() {
            needed.push(Feature::States);
        }
        if !system.constraints.is_empty() {
            needed.push(Feature::BoundaryConstraints);
        }
        if let Some(refusal) = method.refuses(&needed) {
            return Err(BoundaryError::Undefined(refusal));
        }
        let of_its_own = |c: &&Constraint<'g>| {
            c.turns_with_velocities(system)
                || c.is_state_equation(system)
                || (c.displaced && c.kind.nature().binds_positions)
        };
        if let Some(constraint) = system.constraints.iter().find(of_its_own) {
            return Err(BoundaryError::Reaction(constraint.name.clone()));
        }
        if *method == Method::Custom {
            let custom = custom.ok_or(BoundaryError::NoDiscrete)?;
            if matches!(&custom, CustomDiscrete::Stated(stated) if stated.three_points) {
                return Err(BoundaryError::ThreePoints);
            }
            let rule = match &custom {
                CustomDiscrete::Map(map) => StepRule::Map(map.clone()),
                CustomDiscrete::Stated(stated) => StepRule::Stated(stated.clone()),
            };
            let inputs = StageInputs::of_own_method(question)?;
            return Ok(Discretised { action: DiscreteAction::custom(system, custom), rule, inputs });
        }
        let (degree, rule) = galerkin_of(method).ok_or(BoundaryError::NoDiscrete)?;
        let inputs = StageInputs::of(system, question, method, &rule)?;
        let action = DiscreteAction::with_inputs(system, degree, &rule, Default::default(), &inputs.symbols);
        Ok(Discretised { action, rule: StepRule::Galerkin(degree, rule), inputs })
    }

    /// ∫ f dt over a step, by the same quadrature as the action.
    fn integral(&self, system: &System<'g>, f: Expr<'g>, what: &'static str) -> Result<Expr<'g>, BoundaryError> {
        match &self.rule {
            StepRule::Galerkin(degree, rule) => Ok(integral(system, f, (*degree, rule), &self.inputs.symbols)),
            StepRule::Map(map) => Ok(map.integral(system, f)),
            StepRule::Stated(_) => Err(BoundaryError::NoQuadrature(what)),
        }
    }

    /// Where in a step controls have values of their own.
    fn control_nodes(&self) -> Vec<f64> {
        match &self.rule {
            StepRule::Galerkin(_, rule) if !self.inputs.symbols.is_empty() => rule.nodes.clone(),
            _ => Vec::new(),
        }
    }

    /// Where quantities are looked at in a step, as parts of it.
    fn quadrature_nodes(&self) -> Vec<f64> {
        match &self.rule {
            StepRule::Galerkin(_, rule) => rule.nodes.clone(),
            // The map says where in space its nodes are; a multiplier there is the mean of both ends.
            StepRule::Map(map) => vec![0.5; map.nodes.len()],
            StepRule::Stated(_) => Vec::new(),
        }
    }

    /// What a vakonomic constraint is over a step, if the user's own discrete system says so.
    fn own_constraint(&self, system: &System<'g>, constraint: usize) -> Option<Expr<'g>> {
        match &self.rule {
            StepRule::Stated(stated) => Some(stated.over_step(system, constraint)),
            StepRule::Galerkin(..) | StepRule::Map(_) => None,
        }
    }

    /// The expression at each node of the quadrature.
    fn at_nodes(&self, system: &System<'g>, f: Expr<'g>, what: &'static str) -> Result<Vec<Expr<'g>>, BoundaryError> {
        let (degree, rule) = match &self.rule {
            StepRule::Galerkin(degree, rule) => (degree, rule),
            StepRule::Map(map) => return Ok(map.nodes.iter().map(|node| node.pull_back(system, &[f])[0]).collect()),
            StepRule::Stated(_) => return Err(BoundaryError::NoQuadrature(what)),
        };
        // All nodes with the weight of one of them: constants then keep the names they have in the action.
        let only = |j: usize| {
            let weights = (0..rule.nodes.len()).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            QuadratureRule { nodes: rule.nodes.clone(), weights }
        };
        let at = |j: usize| integral(system, f, (*degree, &only(j)), &self.inputs.symbols) / system.step();
        Ok((0..rule.nodes.len()).map(at).collect())
    }
}

fn integral<'g>(
    system: &System<'g>,
    f: Expr<'g>,
    (degree, rule): (usize, &QuadratureRule),
    inputs: &[Expr<'g>],
) -> Expr<'g> {
    let integrand = system.with_lagrangian(f);
    DiscreteAction::with_inputs(&integrand, degree, rule, Default::default(), inputs).nodal().action
}

//! Motions given by their ends, and controls of least cost.

mod active;
mod arcs;
mod assess;
mod attempt;
mod check;
mod continued;
mod costates;
mod domain;
mod end_map;
mod grid;
mod guess;
mod horizon;
mod momenta;
mod names;
mod reading;
mod report;
mod rescue;
mod search;
mod sensitivity;
mod singular;
mod solution;
mod statement;
mod table;
mod verify;

use std::ops::ControlFlow;

use extremal_eval::{CompileError, Program};
use extremal_expr::Id;
use extremal_mechanics::System;
use extremal_mechanics::boundary::{
    BoundaryError, Question, Transcription, controlled_motion, controlled_nodes, stationary_action,
};
use extremal_mechanics::discrete::{CustomDiscrete, SchemeError, ThreePointSystem};
use extremal_model::{ControlShape, Method, Model};
use extremal_solve::nlp::{Assembled, Iteration, NlpBounds, NlpOptions, NlpSolution, NlpStatus};
use thiserror::Error;

use attempt::DiscreteProblem;

pub use active::{ActiveBound, BoundSide};
pub use arcs::{ArcKind, ControlArc, ControlArcs};
pub use assess::{Assessment, Doubt, GridComparison};
pub use check::StatementError;
pub use continued::ContinuationError;
pub use end_map::{EndMap, Normality};
pub use guess::Guess;
pub use horizon::{HorizonError, HorizonStep, RecedingHorizon};
pub use momenta::EndMomenta;
pub use report::{SolveReport, kind_name, nature_name};
pub use search::{Answer, Level, Refinement};
pub use solution::{BoundarySolution, FoundParameter, Status, UnmetCondition};
pub use statement::{
    Duration, EndValue, Grading, Integral, PathBound, StatedCondition, StatedControl, StatedMaximum, StatedUnknown,
    Statement,
};
pub use table::{SolutionTable, TableError};
pub use verify::Verification;

/// Why a boundary problem could not be set up.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ProblemError {
    #[error("the model has no `[boundary]` table, so there is nothing to solve: `extremal run` simulates it")]
    NoBoundary,
    /// What is stated cannot be.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The method does not fit the problem.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
    /// What the Lagrangian has does not go together.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The formulas do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The action is to be stationary.
    Action,
    /// A motion with as many conditions as it has freedoms.
    Motion,
    /// A motion of least cost.
    Control,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seek {
    /// A minimum; of an action that has none nearby, any stationary point.
    #[default]
    Any,
    /// A minimum.
    Minimum,
    /// A stationary point near the guess, whatever its kind.
    Stationary,
}

/// How a problem is solved.
#[derive(Clone, Debug, PartialEq)]
pub struct SolveSettings {
    /// Steps of the grid; as stated if there are none.
    pub steps: Option<usize>,
    /// What is looked for.
    pub seek: Seek,
    /// Tolerance and limits of the solver.
    pub options: NlpOptions,
}

impl Default for SolveSettings {
    fn default() -> Self {
        SolveSettings { steps: None, seek: Seek::Any, options: NlpOptions::default() }
    }
}

/// A boundary problem, compiled: steps and guesses can change without compiling again.
pub struct Problem<'m> {
    model: &'m Model,
    system: System<'m>,
    statement: Statement,
    method: Method,
    kind: Kind,
    transcription: Transcription,
    /// What continues a solution over three points.
    flow: Option<ThreePointSystem<'m>>,
    pieces: Assembled,
    /// The piece whose rows say that a node is in the domain.
    guard: Option<usize>,
    ends: singular::SingularEnds<'m>,
    order: usize,
}

impl<'m> Problem<'m> {
    /// Writes the problem as formulas and compiles them.
    pub fn new(model: &'m Model, statement: Statement, method: &Method) -> Result<Problem<'m>, ProblemError> {
        Problem::with_formulas(model, statement, method, None)
    }

    /// The same; where formulas of the same problem with other values of parameters fit, nothing is derived or compiled.
    pub(crate) fn with_formulas(
        model: &'m Model,
        statement: Statement,
        method: &Method,
        known: Option<&ProblemFormulas>,
    ) -> Result<Problem<'m>, ProblemError> {
        check::check(model, &statement)?;
        let mut system = System::controlled(model);
        if let Some(dry) = system.dry.first() {
            return Err(SchemeError::DryFriction { name: dry.name.clone(), place: "in boundary problems" }.into());
        }
        let order = system.order;
        let kind = kind_of(model, &system, &statement, order);
        domain::check_ends(model, &statement)?;
        let ends = singular::SingularEnds::of(model, &statement, kind, method, order)?;
        let question = Question { unfoldings: ends.unfoldings.clone(), ..question_of(model, &statement) };
        system.check_order()?;
        if order > 1 && system.force.iter().any(|force| !force.is_zero()) {
            return Err(SchemeError::BesideAccelerations("forces and controls of a motion between two ends").into());
        }
        let custom = CustomDiscrete::of(model, &system).filter(|_| *method == Method::Custom);
        let stated = match &custom {
            Some(CustomDiscrete::Stated(stated)) if order > 1 || kind == Kind::Control => Some(stated.clone()),
            _ => None,
        };
        if stated.is_some() {
            check::positions_at_ends(model, &statement)?;
        }
        let fitting = known.filter(|known| known.fit(kind, &statement, &ends));
        let mut flow = None;
        let transcription = match (kind, stated) {
            _ if let Some(known) = fitting => known.transcription.clone(),
            (Kind::Control, Some(stated)) if order == 1 => {
                let pushes = model.controlled_forces().into_iter().zip(model.forces()).map(|(with, free)| with - free);
                let (nodes, transcription) =
                    controlled_nodes(&system, &stated, &question, &pushes.collect::<Vec<_>>())?;
                flow = Some(nodes);
                transcription
            }
            (_, stated) if order > 1 => {
                let transcription = stationary_action(&system, method, custom, &question)?;
                flow = stated.map(|stated| ThreePointSystem::stated(&system, &stated));
                transcription
            }
            (kind, _) => match kind {
                Kind::Action => stationary_action(&system, method, custom, &question)?,
                Kind::Motion if !statement.unknowns.is_empty() => {
                    let name = statement.unknowns[0].name.clone();
                    return Err(StatementError::UnknownOfMotion(name).into());
                }
                Kind::Motion if statement.has_conditions() || statement.bounds_integrals() => {
                    return Err(BoundaryError::Conditions.into());
                }
                Kind::Motion => {
                    let natural = check::natural_ends(model, &statement)?;
                    controlled_motion(&system, method, custom, &question, &natural)?
                }
                Kind::Control => controlled_motion(&system, method, custom, &question, &[])?,
            },
        };
        // Vakonomic multipliers have become rows of their own.
        system.lagrangian = model.lagrangian();
        for unknown in model.unknowns() {
            if !transcription.pieces.iter().any(|placed| placed.piece.variables.contains(&unknown.symbol)) {
                return Err(StatementError::IdleUnknown(unknown.name.clone()).into());
            }
        }
        let (mut pieces, guard) = match fitting {
            Some(known) => (known.pieces.clone(), known.guard),
            None => compiled(model, &transcription)?,
        };
        let (_, mut values) = known_parameters(model);
        values.extend(transcription.constants.iter().map(|(_, value)| *value));
        values.extend(transcription.duration.map(|_| statement.duration.guess()));
        pieces.set_parameters(&values);
        let method = method.clone();
        Ok(Problem { model, system, statement, method, kind, transcription, flow, pieces, guard, ends, order })
    }

    /// What problems with other values of parameters need not derive and compile again. Formulas with an unfolded end, or with a flow
    /// over three points, have values or expressions of the model in them and are for this problem alone.
    pub(crate) fn formulas(&self) -> Option<ProblemFormulas> {
        let shared = self.ends.unfoldings.is_empty() && self.flow.is_none();
        shared.then(|| ProblemFormulas {
            kind: self.kind,
            begin: self.statement.begin,
            transcription: self.transcription.clone(),
            pieces: self.pieces.clone(),
            guard: self.guard,
        })
    }

    /// What kind of problem it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// How the steps shrink towards the ends.
    pub fn grading(&self) -> Grading {
        self.ends.grading
    }

    /// The shapes of the controls in the steps, as they were said or chosen for the method.
    pub fn shapes(&self) -> &[ControlShape] {
        &self.transcription.shapes
    }

    /// The problem as it was stated.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// What the formulas of a step were compiled to, for those who want to see.
    pub fn programs(&self) -> Vec<Program> {
        self.pieces.programs().collect()
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }
}

/// The formulas of a problem and what they were compiled to.
#[derive(Clone)]
pub(crate) struct ProblemFormulas {
    kind: Kind,
    /// When the motion begins: a number in the formulas.
    begin: f64,
    transcription: Transcription,
    pieces: Assembled,
    guard: Option<usize>,
}

impl ProblemFormulas {
    fn fit(&self, kind: Kind, statement: &Statement, ends: &singular::SingularEnds<'_>) -> bool {
        kind == self.kind && statement.begin == self.begin && ends.unfoldings.is_empty()
    }
}

/// The pieces of a problem, the guard of its domains among them.
fn compiled(model: &Model, transcription: &Transcription) -> Result<(Assembled, Option<usize>), CompileError> {
    let (mut parameters, _) = known_parameters(model);
    parameters.extend(transcription.constants.iter().map(|(id, _)| *id));
    parameters.extend(transcription.duration);
    let mut formulas: Vec<_> = transcription.pieces.iter().map(|placed| placed.piece.clone()).collect();
    let guard = domain::piece(model).map(|piece| {
        formulas.push(piece);
        formulas.len() - 1
    });
    let pieces = Assembled::compile(model.graph(), &parameters, &formulas, Vec::new(), NlpBounds::default())?;
    Ok((pieces, guard))
}

/// Sees every iteration of a solver and may end it.
type WatchIterations<'w> = &'w mut dyn FnMut(&Iteration) -> ControlFlow<()>;

/// The symbols and values of all parameters that are not to be found.
pub(crate) fn known_parameters(model: &Model) -> (Vec<Id>, Vec<f64>) {
    let open = |symbol: Id| model.unknowns().iter().any(|unknown| unknown.symbol == symbol);
    model.parameters().iter().filter(|p| !open(p.symbol)).map(|p| (p.symbol, p.value)).unzip()
}

fn kind_of(model: &Model, system: &System<'_>, statement: &Statement, order: usize) -> Kind {
    if statement.running.is_some() || statement.terminal.is_some() {
        return Kind::Control;
    }
    let forced = system.force.iter().any(|force| !force.is_zero()) || !system.heat.is_empty();
    let velocities = order == 1 && statement.start.iter().chain(&statement.end).any(|value| value.order > 0);
    let bounded = statement.path.iter().any(|bound| bound.order > 0);
    let nonholonomic = model.constraints().iter().any(|c| c.kind.nature().reacts && !c.kind.nature().binds_positions);
    match forced || velocities || bounded || nonholonomic || !statement.controls.is_empty() {
        true => Kind::Motion,
        false => Kind::Action,
    }
}

fn question_of<'m>(model: &'m Model, statement: &Statement) -> Question<'m> {
    let g = model.graph();
    Question {
        controls: statement.controls.iter().map(|control| g.expr(control.symbol)).collect(),
        shapes: statement.controls.iter().map(|control| control.shape).collect(),
        bounded_rates: (0..statement.controls.len()).filter(|k| statement.controls[*k].is_rate_bounded()).collect(),
        links: statement.links.iter().map(|condition| g.expr(condition.expression)).collect(),
        unknowns: statement.unknowns.iter().map(|unknown| g.expr(unknown.symbol)).collect(),
        running: statement.running.map(|id| g.expr(id)),
        terminal: statement.terminal.map(|id| g.expr(id)),
        integrals: statement.integrals.iter().map(|integral| g.expr(integral.integrand)).collect(),
        bounded_velocities: statement.path.iter().filter(|b| b.order == 1).map(|b| b.coordinate).collect(),
        conditions: statement.path_conditions.iter().map(|condition| g.expr(condition.expression)).collect(),
        end_conditions: [false, true]
            .map(|end| statement.conditions_at(end).iter().map(|condition| g.expr(condition.expression)).collect()),
        periodic: statement.periodic,
        free_duration: matches!(statement.duration, Duration::Free { .. }),
        start_time: g.float(statement.begin),
        unfoldings: Vec::new(),
    }
}

/// The end of a solver as the status of a problem.
pub(crate) fn status_of(kind: Kind, found: &NlpSolution) -> Status {
    match found.status {
        NlpStatus::Solved if kind == Kind::Control => Status::Optimal,
        NlpStatus::Solved => Status::Stationary,
        NlpStatus::Infeasible => Status::Infeasible,
        NlpStatus::Unbounded => Status::Unbounded,
        NlpStatus::NotFinite => Status::NotFinite,
        NlpStatus::Stalled => Status::Stalled,
        NlpStatus::IterationLimit => Status::IterationLimit,
        NlpStatus::Interrupted => Status::Interrupted,
    }
}

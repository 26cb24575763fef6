//! Motions given by their ends, and controls of least cost.

mod active;
mod assess;
mod check;
mod continued;
mod costates;
mod domain;
mod end_map;
mod grid;
mod guess;
mod momenta;
mod names;
mod reading;
mod report;
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
    Assembly, BoundaryError, Question, Transcription, controlled_motion, controlled_nodes, stationary_action,
};
use extremal_mechanics::discrete::{CustomDiscrete, SchemeError, ThreePointSystem};
use extremal_model::{ControlShape, Method, Model};
use extremal_solve::nlp::{
    Assembled, Iteration, NlpBounds, NlpOptions, NlpSolution, NlpStart, NlpStatus, minimise, stationary,
};
use thiserror::Error;

pub use active::{ActiveBound, BoundSide};
pub use assess::{Assessment, Doubt, GridComparison};
pub use check::StatementError;
pub use continued::ContinuationError;
pub use end_map::{EndMap, Normality};
pub use guess::Guess;
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

    /// Solves the problem from a guess; `watch` sees every iteration and may end it.
    pub fn solve(
        &self,
        guess: &Guess,
        settings: &SolveSettings,
        watch: WatchIterations<'_>,
    ) -> Result<BoundarySolution, ProblemError> {
        let steps = settings.steps.unwrap_or(self.statement.steps);
        let reach = if self.flow.is_some() { 2 } else { self.order };
        check::enough_steps(steps, reach, self.statement.periodic)?;
        check::on_grid(self, steps)?;
        let fractions = grid::fractions(steps, self.ends.grading);
        let layout = self.transcription.assemble(&fractions);
        let first_state = statement::first_state(self.model);
        let bounds = grid::bounds(&self.statement, &layout, steps, (&self.transcription, first_state));
        let released = grid::without_duration(&bounds, &layout);
        let mut x = guess.variables(self, &layout, &fractions);
        self.raise_maximum(&layout, &bounds, &mut x);
        let lambda = guess.multipliers(self, &layout, &fractions);
        let start = NlpStart { x: &x, lambda: &lambda };
        let mut options = settings.options;
        if !lambda.is_empty() {
            options.barrier = options.barrier.min(WARM_BARRIER);
        }
        let seek = match (self.kind, has_inequalities(&released), settings.seek) {
            // As many equations as unknowns: nothing to minimise.
            (Kind::Motion, false, _) => Seek::Stationary,
            (_, true, Seek::Stationary) => Seek::Minimum,
            (Kind::Control, _, Seek::Any) => Seek::Minimum,
            // Orbits are saddles more often than not, and the least action may be that of bodies at rest far apart.
            (Kind::Action, false, Seek::Any) if self.statement.periodic => Seek::Stationary,
            (_, _, seek) => seek,
        };
        let metric = grid::metric(&layout, &fractions, self.transcription.ghosts);
        let guards = domain::guards(self, &layout, &bounds);
        let program = |bounds: &NlpBounds| {
            let program = self.pieces.with_elements(layout.elements.clone(), bounds.clone());
            program.measured(metric.clone()).guarded(guards.clone())
        };
        let minimum = |watch: WatchIterations<'_>| {
            let mut nlp = program(&bounds);
            minimise(&mut nlp, start, &options, watch)
        };
        // Newton's method has no barrier to keep a duration within its bounds: they are looked at afterwards.
        let saddle = |watch: WatchIterations<'_>| {
            let mut nlp = program(&released);
            let mut found = stationary(&mut nlp, start, &options, watch);
            if found.status == NlpStatus::Solved && !grid::within(&bounds, &found.x) {
                found.status = NlpStatus::Stalled;
            }
            found
        };
        let found = match seek {
            Seek::Minimum => minimum(watch),
            Seek::Stationary => saddle(watch),
            Seek::Any => {
                let first = minimum(watch);
                match first.status {
                    NlpStatus::Solved | NlpStatus::Interrupted | NlpStatus::Infeasible | NlpStatus::NotFinite => first,
                    _ => {
                        let second = saddle(watch);
                        if second.status == NlpStatus::Solved { second } else { first }
                    }
                }
            }
        };
        BoundarySolution::of(self, DiscreteProblem { layout, fractions, bounds }, found)
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

/// Near a known solution the barrier need not push far from the bounds.
const WARM_BARRIER: f64 = 1e-4;

/// The discrete problem that was solved.
#[derive(Debug)]
pub(crate) struct DiscreteProblem {
    pub layout: Assembly,
    pub fractions: Vec<f64>,
    pub bounds: NlpBounds,
}

/// The symbols and values of all parameters that are not to be found.
pub(crate) fn known_parameters(model: &Model) -> (Vec<Id>, Vec<f64>) {
    let open = |symbol: Id| model.unknowns().iter().any(|unknown| unknown.symbol == symbol);
    model.parameters().iter().filter(|p| !open(p.symbol)).map(|p| (p.symbol, p.value)).unzip()
}

fn has_inequalities(bounds: &NlpBounds) -> bool {
    let open = |lower: &[f64], upper: &[f64]| {
        lower.iter().zip(upper).any(|(lower, upper)| lower != upper && (lower.is_finite() || upper.is_finite()))
    };
    open(&bounds.lower, &bounds.upper) || open(&bounds.constraint_lower, &bounds.constraint_upper)
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

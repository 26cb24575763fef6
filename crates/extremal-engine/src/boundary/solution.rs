//! The solution of a boundary problem as a table over the grid, and what is to be said about it.

use std::sync::Arc;

use extremal_mechanics::boundary::{Condition, Quantity};
use extremal_model::{Model, Parameter};
use extremal_solve::nlp::{Nature, NlpSolution};
use extremal_trajectory::{Column, Columns, Role};
use serde::Serialize;

use super::statement::StatedUnknown;
use super::table::SolutionTable;
use super::{ActiveBound, DiscreteProblem, EndMap, EndMomenta, Kind, Problem, ProblemError, status_of};

/// How the solution of a problem ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// A motion of least cost, at least compared with its neighbours.
    Optimal,
    /// A motion of stationary action, or the motion that the conditions determine.
    Stationary,
    /// Solved on its grid, but a check of it is missing or failed: what it says may be inexact.
    Unverified,
    /// Solved on its grid, which is too coarse: another grid gives something else.
    Unresolved,
    /// Solved on its grid, but so near a singular second variation that its nature, or whether there is such a motion, is open.
    NearConjugate,
    /// The conditions cannot be met, at least not near the guess.
    Infeasible,
    /// The cost falls without end.
    Unbounded,
    /// A formula has no value at the guess.
    NotFinite,
    /// No further progress.
    Stalled,
    /// Too many iterations.
    IterationLimit,
    /// The user asked.
    Interrupted,
}

impl Status {
    /// The word for it, as `--json` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Optimal => "optimal",
            Status::Stationary => "stationary",
            Status::Unverified => "unverified",
            Status::Unresolved => "unresolved",
            Status::NearConjugate => "near-conjugate",
            Status::Infeasible => "infeasible",
            Status::Unbounded => "unbounded",
            Status::NotFinite => "not-finite",
            Status::Stalled => "stalled",
            Status::IterationLimit => "iteration-limit",
            Status::Interrupted => "interrupted",
        }
    }

    /// Those of a solution, perhaps an unverified one.
    pub(crate) const SOLVED: [Status; 3] = [Status::Optimal, Status::Stationary, Status::Unverified];

    /// Is there a solution, perhaps an unverified one?
    pub fn is_solved(self) -> bool {
        Status::SOLVED.contains(&self)
    }
}

/// A parameter that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundParameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The slope of the least cost by the bound that holds it: negative at an upper bound, positive at a lower one, zero in between.
    pub multiplier: f64,
}

/// A condition that is not met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnmetCondition {
    /// What is demanded, in words.
    pub condition: String,
    /// The node or step.
    pub node: usize,
    /// Its time.
    pub time: f64,
    /// By how much it is missed.
    pub amount: f64,
}

/// The solution of a boundary problem, or where the search for it ended.
#[derive(Clone, Debug)]
pub struct BoundarySolution {
    /// How it ended.
    pub status: Status,
    /// What the second variation says of it; for a motion without a choice, nothing.
    pub nature: Option<Nature>,
    /// The curvature nearest to zero of the second variation, per square of a displacement and part of the duration.
    pub least_curvature: Option<f64>,
    /// The cost, or the action.
    pub objective: f64,
    /// The same with all steps counted positive: what an error of it is compared with.
    pub objective_size: f64,
    /// The duration.
    pub duration: f64,
    /// Steps of the grid.
    pub steps: usize,
    /// Iterations of the solver.
    pub iterations: usize,
    /// The largest error left in the conditions.
    pub residual: f64,
    /// The largest error left in the gradient.
    pub dual_residual: f64,
    /// What the columns of the table are.
    pub columns: Columns,
    /// The table: a row per instant. A control that is constant in a step stands at its start, and the last row repeats it; one that is
    /// linear stands at its node; a polynomial is that of the step that begins there, in the last row at its end, and has its values at
    /// the stages of the step in columns of their own.
    pub rows: Vec<Vec<f64>>,
    /// Where in a step controls are looked at, as parts of it; none where all are constant in it.
    pub control_nodes: Vec<f64>,
    /// Of every step the values of the controls there, one control after the other.
    pub stage_controls: Vec<Vec<f64>>,
    /// The linearised end map of a control problem with states, where it can be followed.
    pub end_map: Option<EndMap>,
    /// Parameters that were to be found.
    pub found: Vec<FoundParameter>,
    /// Multipliers of the integrals, by name.
    pub integral_multipliers: Vec<(String, f64)>,
    /// Multipliers of the conditions on expressions at the start and at the end, as these are written.
    pub end_multipliers: Vec<(String, f64)>,
    /// Momenta at both ends of an optimal motion between states.
    pub momenta: Option<EndMomenta>,
    /// Bounds that hold it back.
    pub active: Vec<ActiveBound>,
    /// What is not met, the worst first; empty for a solution.
    pub violations: Vec<UnmetCondition>,
    /// The discrete problem and where its solver ended.
    pub(super) answer: Arc<(DiscreteProblem, NlpSolution)>,
}

/// How many violations are worth a word.
const MOST_VIOLATIONS: usize = 8;

impl BoundarySolution {
    pub(super) fn of(
        problem: &Problem<'_>,
        discrete: DiscreteProblem,
        found: NlpSolution,
    ) -> Result<BoundarySolution, ProblemError> {
        let reader = UnknownsReader { problem, discrete: &discrete, found: &found };
        let (columns, rows) = reader.table()?;
        let status = status_of(problem.kind, &found);
        let curvature = found.curvature.filter(|_| problem.kind != Kind::Motion);
        let elements = discrete.layout.elements.clone();
        let integrals = discrete.layout.rows.iter().zip(&found.lambda);
        Ok(BoundarySolution {
            status,
            nature: curvature.map(|found| found.nature),
            least_curvature: curvature.map(|found| found.least),
            objective: found.objective,
            objective_size: problem.pieces.with_elements(elements, discrete.bounds.clone()).objective_size(&found.x),
            duration: reader.duration(),
            steps: discrete.fractions.len() - 1,
            iterations: found.iterations,
            residual: found.last.infeasibility,
            dual_residual: found.last.dual_infeasibility,
            columns,
            rows,
            control_nodes: problem.transcription.control_nodes.clone(),
            stage_controls: match problem.transcription.control_nodes.is_empty() {
                true => Vec::new(),
                false => (0..reader.steps()).map(|step| reader.controls_of(step)).collect(),
            },
            end_map: reader.end_map().filter(|_| problem.kind == Kind::Control),
            found: reader.found_parameters(),
            integral_multipliers: integrals
                .filter_map(|((condition, _), lambda)| match condition {
                    Condition::Integral(i) => Some((problem.statement.integrals[*i].name.clone(), *lambda)),
                    _ => None,
                })
                .collect(),
            end_multipliers: reader.end_condition_multipliers(),
            momenta: reader.end_momenta().filter(|_| status.is_solved()),
            active: reader.active_bounds(),
            violations: if status.is_solved() { Vec::new() } else { reader.violations() },
            answer: Arc::new((discrete, found)),
        })
    }

    /// Where a column stands in the table.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name() == name)
    }

    /// The values of a column.
    pub fn values(&self, name: &str) -> Option<Vec<f64>> {
        let at = self.column(name)?;
        Some(self.rows.iter().map(|row| row[at]).collect())
    }

    /// The table without the meaning of its columns, as a guess for another grid.
    pub fn table(&self) -> SolutionTable {
        SolutionTable { names: self.columns.names().map(str::to_owned).collect(), rows: self.rows.clone() }
    }
}

/// The values of all parameters of a model, with those that were found.
pub(super) fn with_found(model: &Model, found: &[FoundParameter]) -> Vec<f64> {
    let sought = |parameter: &Parameter| model.unknowns().iter().any(|unknown| unknown.name == parameter.name);
    let value = |parameter: &Parameter| {
        let found = found.iter().filter(|_| sought(parameter)).find(|found| found.name == parameter.name);
        found.map_or(parameter.value, |found| found.value)
    };
    model.parameters().iter().map(value).collect()
}

/// Reads the vector of unknowns of the discrete problem.
pub(super) struct UnknownsReader<'r, 'm> {
    pub problem: &'r Problem<'m>,
    pub discrete: &'r DiscreteProblem,
    pub found: &'r NlpSolution,
}

impl UnknownsReader<'_, '_> {
    pub fn duration(&self) -> f64 {
        // What there is once comes first. A motion of fixed duration has none, and it is asked for at every instant.
        let at = self.problem.transcription.once.iter().position(|quantity| *quantity == Quantity::Duration);
        at.map_or(self.problem.statement.duration.guess(), |at| self.found.x[at])
    }

    fn found_parameters(&self) -> Vec<FoundParameter> {
        let one = |(unknown, stated): (usize, &StatedUnknown)| {
            let at = self.place(Quantity::Unknown(unknown), 0)?;
            let multiplier = self.found.lower_multipliers[at] - self.found.upper_multipliers[at];
            Some(FoundParameter { name: stated.name.clone(), value: self.found.x[at], multiplier })
        };
        self.problem.statement.unknowns.iter().enumerate().filter_map(one).collect()
    }

    /// The values of all parameters, those found among them.
    pub fn parameter_values(&self) -> Vec<f64> {
        with_found(self.problem.model, &self.found_parameters())
    }

    pub fn steps(&self) -> usize {
        self.discrete.fractions.len() - 1
    }

    /// The node of the grid that belongs to an instant.
    pub fn node(&self, instant: usize) -> usize {
        let node = instant + self.problem.transcription.ghosts;
        if self.problem.transcription.periodic { node % self.discrete.layout.nodes } else { node }
    }

    pub fn time(&self, instant: usize) -> f64 {
        self.problem.statement.begin + self.duration() * self.discrete.fractions[instant.min(self.steps())]
    }

    /// Unknowns by what they are and where.
    pub fn unknown(&self, quantity: Quantity, node: usize) -> f64 {
        self.place(quantity, node).map_or(f64::NAN, |at| self.found.x[at])
    }

    /// Where an unknown stands.
    pub fn place(&self, quantity: Quantity, node: usize) -> Option<usize> {
        let transcription = &self.problem.transcription;
        let place = |list: &[Quantity]| list.iter().position(|known| *known == quantity);
        let stride = transcription.node.len() + transcription.step.len();
        let base = transcription.once.len() + node * stride;
        let at = place(&transcription.once)
            .or_else(|| place(&transcription.node).map(|at| base + at))
            .or_else(|| place(&transcription.step).map(|at| base + transcription.node.len() + at));
        at.filter(|at| *at < self.found.x.len())
    }

    /// Multipliers by condition and where.
    pub fn multiplier(&self, condition: Condition, node: usize) -> f64 {
        let transcription = &self.problem.transcription;
        let place = |list: &[Condition]| list.iter().position(|known| *known == condition);
        let stride = transcription.node_rows.len() + transcription.step_rows.len();
        let base = transcription.once_rows.len() + node * stride;
        let at = place(&transcription.node_rows)
            .map(|at| base + at)
            .or_else(|| place(&transcription.step_rows).map(|at| base + transcription.node_rows.len() + at));
        at.and_then(|at| self.found.lambda.get(at)).copied().unwrap_or(f64::NAN)
    }

    fn table(&self) -> Result<(Columns, Vec<Vec<f64>>), ProblemError> {
        let problem = self.problem;
        let model = problem.model;
        let names: Vec<&str> = model.coordinates().iter().map(|c| c.name.as_str()).collect();
        let (n, steps) = (names.len(), self.steps());
        let mut columns = vec![Column::new(problem.statement.independent.as_str(), Role::Time)];
        columns.extend(names.iter().map(|name| Column::coordinate(*name)));
        columns.extend(names.iter().map(|name| Column::velocity(name)));
        columns.extend(model.entropies().iter().map(|s| Column::new(s.name.as_str(), Role::Entropy)));
        columns.extend(model.amounts().iter().map(|amount| Column::new(amount.name.as_str(), Role::Amount)));
        columns.extend(model.states().iter().map(|state| Column::new(state.name.as_str(), Role::State)));
        columns.extend(problem.statement.controls.iter().map(|c| Column::new(c.name.as_str(), Role::Control)));
        let costates = problem.kind == Kind::Control;
        if costates {
            columns.extend(names.iter().map(|x| Column::new(format!("costate_{x}"), Role::Multiplier).of(*x)));
            let adjoint = |name: &String| Column::new(format!("p_{name}"), Role::Multiplier).of(name.as_str());
            columns.extend(model.states().iter().map(|state| adjoint(&state.name)));
        }
        let constraints = model.constraints();
        columns.extend(constraints.iter().map(|c| Column::new(format!("lambda_{}", c.name), Role::Multiplier)));
        let conditions = 1..=problem.statement.path_conditions.len();
        columns.extend(conditions.map(|k| Column::new(format!("multiplier_path[{k}]"), Role::Multiplier)));
        let pressures = self.path_multipliers();
        let unknowns = self.found_parameters();
        columns.extend(unknowns.iter().map(|found| Column::new(found.name.as_str(), Role::Parameter)));
        columns.extend(self.stage_columns());
        let velocities = self.velocities()?;
        let ends = self.end_multipliers(&velocities)?;
        let at_nodes = problem.transcription.node.contains(&Quantity::Control(0));
        let adjoints = if costates { self.costates() } else { Vec::new() };
        let own_multipliers = problem.transcription.node.contains(&Quantity::Multiplier(0));
        let mut rows = Vec::with_capacity(steps + 1);
        for (instant, velocity) in velocities.iter().enumerate() {
            let node = self.node(instant);
            let step = self.node(instant.min(steps - 1));
            let mut row = vec![self.time(instant)];
            row.extend((0..n).map(|k| self.unknown(Quantity::Position(k), node)));
            row.extend(velocity);
            row.extend(self.carried(node));
            let part = if instant == steps { 1.0 } else { 0.0 };
            row.extend((0..problem.statement.controls.len()).map(|k| match at_nodes {
                true => self.unknown(Quantity::Control(k), node),
                false => self.control(k, instant.min(steps - 1), part),
            }));
            if costates {
                row.extend((0..n).map(|k| self.multiplier(Condition::Motion(k), node)));
                row.extend(&adjoints[instant]);
            }
            let at_end = match instant {
                0 => &ends[0],
                at if at == steps => &ends[1],
                _ => &None,
            };
            row.extend((0..constraints.len()).map(|k| match own_multipliers {
                _ if at_end.is_some() => at_end.as_ref().map_or(f64::NAN, |multipliers| multipliers[k]),
                true => self.unknown(Quantity::Multiplier(k), node),
                false if problem.transcription.node_rows.contains(&Condition::Constraint(k)) => {
                    self.multiplier(Condition::Constraint(k), node)
                }
                false => self.multiplier(Condition::Constraint(k), step),
            }));
            row.extend(pressures.iter().map(|pressure| pressure[instant]));
            row.extend(unknowns.iter().map(|found| found.value));
            row.extend(self.stage_values(instant));
            rows.push(row);
        }
        let columns = Columns::new(columns).map_err(super::StatementError::from)?;
        Ok((columns, rows))
    }

    /// Conditions that are not met, the worst first.
    fn violations(&self) -> Vec<UnmetCondition> {
        let bounds = &self.discrete.bounds;
        let mut violations: Vec<UnmetCondition> = Vec::new();
        for (at, (condition, k)) in self.discrete.layout.rows.iter().enumerate() {
            let value = self.found.constraints[at];
            let amount = (bounds.constraint_lower[at] - value).max(value - bounds.constraint_upper[at]);
            if amount > NEAR || amount.is_nan() {
                let instant = k.saturating_sub(self.problem.transcription.ghosts);
                let condition = self.problem.condition_name(*condition);
                violations.push(UnmetCondition { condition, node: instant, time: self.time(instant), amount });
            }
        }
        violations.sort_by(|a, b| b.amount.total_cmp(&a.amount));
        violations.truncate(MOST_VIOLATIONS);
        violations
    }
}

/// A condition is met within this.
const NEAR: f64 = 1e-6;

//! The summary of a run as data: what `run --json` prints.

use extremal_model::{Model, Pacing};
use extremal_solve::SolveStructure;
use extremal_trajectory::{Drift, Recorder, Role};
use serde::Serialize;

use super::{CompiledRun, End, EnergyLaw, EventCount, LatticeStructure, Laws, Outcome};
use crate::serialized::{NamedValues, by_name};

/// A finished run with all that is said about it.
pub struct Report<'r> {
    /// The model.
    pub model: &'r Model,
    /// The run.
    pub run: &'r CompiledRun,
    /// What came of it.
    pub outcome: &'r Outcome,
    /// What was recorded.
    pub recorder: &'r Recorder,
    /// Warnings in words.
    pub warnings: Vec<String>,
}

/// What came of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RunSummary {
    /// The name of the model.
    pub model: Option<String>,
    /// The method.
    pub method: String,
    /// The step.
    pub step: f64,
    /// How steps follow a pace, where one says how long they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<&'static str>,
    /// The time of the start.
    pub from: f64,
    /// Steps taken.
    pub steps: u64,
    /// `finished`, `stopped`, `failed` or `interrupted`.
    pub status: &'static str,
    /// The last row.
    pub end: Option<EndState>,
    /// How far quantities departed from their first values.
    #[serde(serialize_with = "by_name")]
    pub invariants: Vec<(String, Drift)>,
    /// How steps were solved for.
    pub solver: SolverSummary,
    /// Warnings in words.
    pub warnings: Vec<String>,
    /// The condition that stopped it, or why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The loops over many like members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<LatticeStructure>,
    /// What the constraints amount to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraints: Option<ConstraintSummary>,
    /// Both laws of thermodynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<Laws>,
    /// What events did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventCount>,
    /// The largest errors against the closed forms.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    pub errors: Vec<(String, f64)>,
}

/// The last row by role, each number under the name of its coordinate, constraint, entropy or amount.
#[derive(Clone, Debug, Serialize)]
pub struct EndState {
    pub t: f64,
    pub q: NamedValues,
    pub v: NamedValues,
    pub p: NamedValues,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lambda: Option<NamedValues>,
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    pub controls: Option<NamedValues>,
    /// What `[outputs]` asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<NamedValues>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(rename = "S", skip_serializing_if = "Option::is_none")]
    pub entropies: Option<NamedValues>,
    /// States of first order, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<NamedValues>,
    #[serde(rename = "T", skip_serializing_if = "Option::is_none")]
    pub temperatures: Option<NamedValues>,
    #[serde(rename = "N", skip_serializing_if = "Option::is_none")]
    pub amounts: Option<NamedValues>,
    #[serde(rename = "mu", skip_serializing_if = "Option::is_none")]
    pub potentials: Option<NamedValues>,
}

/// How steps were solved for, and what that cost.
#[derive(Clone, Debug, Serialize)]
pub struct SolverSummary {
    pub iteration: &'static str,
    pub newton_iterations: u64,
    pub max_residual: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newton_steps: Option<u64>,
}

/// What the constraints amount to, and how well each held.
#[derive(Clone, Debug, Serialize)]
pub struct ConstraintSummary {
    pub degrees_of_freedom: usize,
    pub rank: usize,
    pub max_residual: NamedValues,
    pub redundant: Vec<RedundantConstraint>,
    pub integrable: Vec<String>,
    pub moved: f64,
}

/// A constraint that follows from others.
#[derive(Clone, Debug, Serialize)]
pub struct RedundantConstraint {
    pub constraint: String,
    pub follows_from: Vec<String>,
}

impl Report<'_> {
    /// What came of the run as data.
    pub fn summary(&self) -> RunSummary {
        let (status, reason) = match &self.outcome.end {
            End::Reached => ("finished", None),
            end @ (End::Stopped { .. } | End::Accumulated { .. }) => ("stopped", end.stopped_by()),
            End::Failed(failure) => ("failed", Some(failure.to_string())),
            End::Interrupted => ("interrupted", None),
        };
        let structure = self.run.structure();
        let work = &self.outcome.work;
        RunSummary {
            model: self.model.name().map(str::to_owned),
            method: self.run.method().to_string(),
            step: self.run.step().abs(),
            pacing: Some(self.run.settings().pacing).filter(|pacing| *pacing != Pacing::Even).map(Pacing::name),
            from: self.run.start_time(),
            steps: self.outcome.steps,
            status,
            end: self.end(),
            invariants: self
                .recorder
                .drifts()
                .map(|(column, drift)| (column.name().to_owned(), drift.clone()))
                .collect(),
            solver: SolverSummary {
                iteration: structure.as_ref().map_or("explicit", SolveStructure::iteration),
                newton_iterations: work.iterations,
                max_residual: work.max_residual,
                newton_steps: structure.filter(|structure| structure.fixed_point).map(|_| work.newton_steps),
            },
            warnings: self.warnings.clone(),
            reason,
            repeated: self.run.lattice(),
            constraints: (!self.outcome.residuals.is_empty()).then(|| self.constraints()),
            laws: self.outcome.laws.clone(),
            events: self.outcome.events.clone(),
            errors: self.outcome.errors.clone(),
        }
    }

    fn constraints(&self) -> ConstraintSummary {
        let structure = self.run.constraints();
        let redundant = structure.redundant.iter().cloned();
        ConstraintSummary {
            degrees_of_freedom: structure.degrees_of_freedom,
            rank: structure.rank,
            max_residual: NamedValues(self.outcome.residuals.clone()),
            redundant: redundant
                .map(|(constraint, follows_from)| RedundantConstraint { constraint, follows_from })
                .collect(),
            integrable: structure.integrable.clone(),
            moved: structure.moved,
        }
    }

    /// What is known of the energy.
    pub fn energy_law(&self) -> EnergyLaw {
        self.run.energy_law(self.model).clone()
    }

    fn end(&self) -> Option<EndState> {
        let columns = self.recorder.columns();
        let row = self.recorder.last()?;
        let group = |role: Role| {
            let entries = columns.with_role(role).map(|index| {
                let column = &columns[index];
                (column.owner().unwrap_or(column.name()).to_owned(), row[index])
            });
            NamedValues(entries.collect())
        };
        let heat = self.outcome.laws.is_some();
        Some(EndState {
            t: self.outcome.time,
            q: group(Role::Coordinate),
            v: group(Role::Velocity),
            p: group(Role::Momentum),
            lambda: columns.with_role(Role::Multiplier).next().map(|_| group(Role::Multiplier)),
            controls: columns.with_role(Role::Control).next().map(|_| group(Role::Control)),
            outputs: columns.with_role(Role::Asked).next().map(|_| group(Role::Asked)),
            cost: columns.index_of("cost").filter(|_| self.model.momentum_order().is_some()).map(|at| row[at]),
            entropies: heat.then(|| group(Role::Entropy)),
            states: columns.with_role(Role::State).next().map(|_| group(Role::State)),
            temperatures: heat.then(|| group(Role::Temperature)),
            amounts: columns.with_role(Role::Amount).next().map(|_| group(Role::Amount)),
            potentials: columns.with_role(Role::Potential).next().map(|_| group(Role::Potential)),
        })
    }
}

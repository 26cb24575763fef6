//! The summary of a run as data: what `run --json` prints.

use extremal_model::Model;
use extremal_solve::SolveStructure;
use extremal_trajectory::{Recorder, Role, json_number};
use serde_json::{Map, Value, json};

use super::{End, EnergyLaw, LatticeStructure, Outcome, Run};

/// A finished run with all that is said about it.
pub struct Report<'r> {
    /// The model.
    pub model: &'r Model,
    /// The run.
    pub run: &'r Run<'r>,
    /// What came of it.
    pub outcome: &'r Outcome,
    /// What was recorded.
    pub recorder: &'r Recorder,
    /// Warnings in words.
    pub warnings: Vec<String>,
}

impl Report<'_> {
    /// One object, with numbers that read back to the same bits. What is not a finite number is `null`.
    pub fn to_json(&self) -> Value {
        let (status, reason) = match &self.outcome.end {
            End::Reached => ("finished", None),
            End::Stopped { condition } => ("stopped", Some(condition.clone())),
            End::Failed(failure) => ("failed", Some(failure.to_string())),
            End::Interrupted => ("interrupted", None),
        };
        let invariants: Map<String, Value> =
            self.recorder.drifts().map(|(column, drift)| (column.name().to_string(), drift.to_json())).collect();
        let mut object = json!({
            "model": self.model.name(),
            "method": self.run.method().to_string(),
            "step": json_number(self.run.step()),
            "steps": self.outcome.steps,
            "status": status,
            "end": self.end(),
            "invariants": invariants,
            "solver": self.solver(),
            "warnings": self.warnings,
        });
        if let Some(reason) = reason {
            object["reason"] = reason.into();
        }
        if let Some(LatticeStructure { members, operations, loops }) = self.run.lattice() {
            object["repeated"] = json!({ "members": members, "operations": operations, "loops": loops });
        }
        if !self.outcome.residuals.is_empty() {
            object["constraints"] = self.constraints();
        }
        if let Some(laws) = &self.outcome.laws {
            object["laws"] = laws.to_json();
        }
        if !self.outcome.errors.is_empty() {
            let errors = self.outcome.errors.iter().map(|(name, error)| (name.clone(), json_number(*error)));
            object["errors"] = Value::Object(errors.collect());
        }
        object
    }

    /// How steps were solved for, and what that cost. Adaptive methods have formulas alone.
    fn solver(&self) -> Value {
        let structure = self.run.structure();
        let mut solver = json!({
            "iteration": structure.as_ref().map_or("explicit", SolveStructure::iteration),
            "newton_iterations": self.outcome.work.iterations,
            "max_residual": json_number(self.outcome.work.max_residual),
        });
        if structure.is_some_and(|structure| structure.fixed_point) {
            solver["newton_steps"] = self.outcome.work.newton_steps.into();
        }
        solver
    }

    /// Degrees of freedom, rank, and how well each constraint held.
    fn constraints(&self) -> Value {
        let structure = self.run.constraints();
        let residuals = self.outcome.residuals.iter().map(|(name, residual)| (name.clone(), json_number(*residual)));
        let redundant =
            structure.redundant.iter().map(|(name, others)| json!({ "constraint": name, "follows_from": others }));
        json!({
            "degrees_of_freedom": structure.degrees_of_freedom,
            "rank": structure.rank,
            "max_residual": Value::Object(residuals.collect()),
            "redundant": redundant.collect::<Vec<_>>(),
            "integrable": structure.integrable,
            "moved": json_number(structure.moved),
        })
    }

    /// What is known of the energy.
    pub fn energy_law(&self) -> EnergyLaw {
        EnergyLaw::of(self.model)
    }

    /// The last row, by role: `q`, `v` and `p` keyed by coordinate.
    fn end(&self) -> Value {
        let columns = self.recorder.columns();
        let Some(row) = self.recorder.last() else { return Value::Null };
        let group = |role: Role| -> Value {
            let entries = columns.with_role(role).map(|index| {
                let column = &columns[index];
                (column.owner().unwrap_or(column.name()).to_string(), json_number(row[index]))
            });
            Value::Object(entries.collect())
        };
        let mut end = json!({
            "t": json_number(self.outcome.time),
            "q": group(Role::Coordinate),
            "v": group(Role::Velocity),
            "p": group(Role::Momentum),
        });
        if !self.outcome.residuals.is_empty() {
            end["lambda"] = group(Role::Multiplier);
        }
        if self.outcome.laws.is_some() {
            end["S"] = group(Role::Entropy);
            end["T"] = group(Role::Temperature);
        }
        end
    }
}

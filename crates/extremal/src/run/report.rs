//! The summary of a run as data: what `run --json` prints.

use extremal_model::Model;
use extremal_trajectory::{Recorder, Role, json_number};
use serde_json::{Map, Value, json};

use super::{End, Outcome, Run};

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
            "solver": {
                "newton_iterations": self.outcome.work.iterations,
                "max_residual": json_number(self.outcome.work.max_residual),
            },
            "warnings": self.warnings,
        });
        if let Some(reason) = reason {
            object["reason"] = reason.into();
        }
        if !self.outcome.errors.is_empty() {
            let errors = self.outcome.errors.iter().map(|(name, error)| (name.clone(), json_number(*error)));
            object["errors"] = Value::Object(errors.collect());
        }
        object
    }

    /// Why the energy may change, if it may: it is constant for a Lagrangian without time and without forces.
    pub fn why_energy_changes(&self) -> Option<&'static str> {
        let model = self.model;
        let pushed = model.forces().into_iter().chain(model.friction()).any(|force| !force.is_zero());
        let timed = model.graph().depend_on(&[model.lagrangian()], &[model.time()]).contains(&true);
        match (pushed, timed) {
            (false, false) => None,
            (true, false) => Some("forces act"),
            (false, true) => Some("the Lagrangian depends on time"),
            (true, true) => Some("forces act and the Lagrangian depends on time"),
        }
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
        json!({
            "t": json_number(self.outcome.time),
            "q": group(Role::Coordinate),
            "v": group(Role::Velocity),
            "p": group(Role::Momentum),
        })
    }
}

//! A solved problem as data: what `solve --json` prints.

use extremal_solve::nlp::Nature;
use extremal_trajectory::json_number;
use serde_json::{Map, Value, json};

use super::{Assessment, Comparison, Grading, Kind, Level, Problem, Solution, Verification};

/// A solution with all that is said about it.
pub struct SolveReport<'r> {
    /// The problem.
    pub problem: &'r Problem<'r>,
    /// The solution, or where it ended.
    pub solution: &'r Solution,
    /// What the checks say, if there was a solution to check.
    pub assessment: Option<&'r Assessment>,
    /// The grids of a refinement.
    pub levels: &'r [Level],
    /// All minima that several starts found, the best first.
    pub minima: &'r [Solution],
    /// Warnings about the model, in words; the doubts of the assessment join them.
    pub warnings: Vec<String>,
}

impl SolveReport<'_> {
    /// One object, with numbers that read back to the same bits. What is not a finite number is `null`.
    pub fn to_json(&self) -> Value {
        let Solution { status, objective, duration, steps, iterations, .. } = self.solution;
        let number = json_number;
        let mut object = json!({
            "model": self.problem.model().name(),
            "method": self.problem.method().to_string(),
            "problem": kind_name(self.problem.kind()),
            "status": status.name(),
            "nature": self.solution.nature.map(nature_name),
            "objective": number(*objective),
            "duration": number(*duration),
            "steps": steps,
            "iterations": iterations,
            "residual": number(self.solution.residual),
            "dual_residual": number(self.solution.dual_residual),
            "active_bounds": self.solution.active.iter().map(|bound| bound.times.len()).sum::<usize>(),
            "bounds": self.bounds(),
            "independent": self.problem.statement().independent,
            "columns": self.columns(),
            "warnings": self.warnings.iter().cloned().chain(self.doubts()).collect::<Vec<_>>(),
        });
        if !self.solution.integral_multipliers.is_empty() {
            let entries = self.solution.integral_multipliers.iter().map(|(name, value)| (name.clone(), number(*value)));
            object["integral_multipliers"] = Value::Object(entries.collect());
        }
        if !self.solution.violations.is_empty() {
            let one = |v: &super::Violation| json!({"condition": v.condition, "node": v.node, "time": number(v.time), "amount": number(v.amount)});
            object["violations"] = self.solution.violations.iter().map(one).collect();
        }
        let grading = self.problem.grading();
        if grading != Grading::NONE {
            object["grading"] = json!({"start": number(grading.start), "end": number(grading.end)});
        }
        if let Some(least) = self.solution.least_curvature {
            object["least_curvature"] = number(least);
        }
        if let Some(Comparison { steps, objective, change, error, order, least_curvature }) =
            self.assessment.and_then(|assessment| assessment.comparison.as_ref())
        {
            object["comparison"] = json!({
                "steps": steps,
                "objective": number(*objective),
                "change": number(*change),
                "error": number(*error),
                "order": order.map(number),
                "least_curvature": least_curvature.map(number),
            });
        }
        if let Some(verification) = self.assessment.map(|assessment| &assessment.verification) {
            object["verification"] = match verification {
                Verification::Reached { errors } => {
                    let errors: Map<String, Value> =
                        errors.iter().map(|(name, error)| (name.clone(), number(*error))).collect();
                    json!({"end_error": verification.end_error().map(number), "errors": errors})
                }
                Verification::Impossible(reason) => json!({"end_error": null, "reason": reason}),
            };
        }
        if self.levels.len() > 1 {
            let one = |level: &Level| {
                json!({
                    "steps": level.steps,
                    "objective": number(level.objective),
                    "end_error": level.end_error.map(number),
                    "iterations": level.iterations,
                })
            };
            object["refinement"] = self.levels.iter().map(one).collect();
        }
        if self.minima.len() > 1 {
            object["minima"] = self.minima.iter().map(|minimum| number(minimum.objective)).collect();
        }
        object
    }

    fn doubts(&self) -> impl Iterator<Item = String> {
        self.assessment.into_iter().flat_map(|assessment| &assessment.doubts).map(ToString::to_string)
    }

    fn bounds(&self) -> Value {
        let one = |bound: &super::ActiveBound| {
            json!({
                "name": bound.name,
                "side": if bound.upper { "max" } else { "min" },
                "bound": json_number(bound.bound),
                "times": bound.times.iter().map(|time| json_number(*time)).collect::<Vec<_>>(),
            })
        };
        self.solution.active.iter().map(one).collect()
    }

    fn columns(&self) -> Value {
        let columns = self.solution.columns.iter().enumerate().map(|(at, column)| {
            let values: Vec<Value> = self.solution.rows.iter().map(|row| json_number(row[at])).collect();
            (column.name().to_string(), Value::Array(values))
        });
        Value::Object(columns.collect())
    }
}

/// The word for a kind of problem.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Action => "stationary action",
        Kind::Motion => "motion between conditions",
        Kind::Control => "optimal control",
    }
}

/// The words for the nature of a stationary point.
pub fn nature_name(nature: Nature) -> String {
    let directions = |count: usize| format!("{count} {}", if count == 1 { "direction" } else { "directions" });
    match nature {
        Nature::Minimum => "minimum".to_owned(),
        Nature::Maximum => "maximum".to_owned(),
        Nature::Saddle(down) => format!("saddle, {} down", directions(down)),
        Nature::Flat { down: 0, flat } => format!("minimum, flat in {}", directions(flat)),
        Nature::Flat { down, flat } => format!("saddle, {} down, flat in {}", directions(down), directions(flat)),
        Nature::Dependent => "of unknown nature, the conditions are dependent".to_owned(),
    }
}

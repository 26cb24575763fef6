//! The constraints during a run: how well they hold, and whether they stay independent.

use extremal_expr::Id;
use extremal_mechanics::{Constraint, System};
use extremal_solve::{Reason, distance_from_dependence};

use super::beginning::ids;
use super::observables::Observables;

/// The expressions that a run watches: of each constraint the residual, and the rows of those that are kept.
pub(super) struct WatchedExpressions {
    /// Left less right sides, positions for holonomic constraints, else velocities.
    pub residuals: Vec<Id>,
    /// ∂Φ/∂v of the kept constraints, row by row.
    pub rows: Vec<Id>,
}

impl WatchedExpressions {
    pub fn of<'g>(all: &[Constraint<'g>], kept: &System<'g>) -> WatchedExpressions {
        let residuals: Vec<_> = all.iter().map(|constraint| constraint.expression).collect();
        let rows: Vec<_> = match kept.constraints.len() {
            // A single row can only vanish, which the step itself notices.
            2..=MOST_WATCHED => {
                kept.constraints.iter().flat_map(|c| kept.graph.gradient(c.velocity, &kept.v)).collect()
            }
            _ => Vec::new(),
        };
        WatchedExpressions { residuals: ids(&residuals), rows: ids(&rows) }
    }
}

/// Beyond so many constraints the watch over their rank, which takes m² n operations at every step, would cost more than the step.
const MOST_WATCHED: usize = 32;

/// Looks at the constraints after every step.
pub(crate) struct ConstraintWatch {
    /// The largest |left − right| so far, per constraint.
    pub residuals: Vec<f64>,
    rows: Vec<f64>,
    /// How far from dependent the rows were at the last look, if there was one.
    distance: Option<f64>,
}

/// A constraint that was left out because it follows from the others must not be off by more than this.
const FOLLOWS: f64 = 1e-6;
/// Constraints whose rows come this close to dependence, on their way to reach it within the next step, are singular.
const NEARLY_DEPENDENT: f64 = 0.1;

impl ConstraintWatch {
    pub fn new(observables: &Observables) -> Self {
        ConstraintWatch {
            residuals: vec![0.0; observables.constraints.len()],
            rows: vec![0.0; observables.row_entries],
            distance: None,
        }
    }

    /// How many observed values it looks at.
    pub fn len(&self) -> usize {
        self.residuals.len() + self.rows.len()
    }

    /// Looks at residuals and rows; says why the motion cannot go on, if it cannot.
    pub fn look(&mut self, observables: &Observables, values: &[f64]) -> Option<Reason> {
        let (residuals, rows) = values.split_at(self.residuals.len());
        for (at, residual) in residuals.iter().enumerate() {
            self.residuals[at] = self.residuals[at].max(residual.abs());
            if !observables.kept[at] && residual.abs() > FOLLOWS {
                let constraint = observables.constraints[at].clone();
                return Some(Reason::NoLongerRedundant { constraint, residual: *residual });
            }
        }
        if rows.is_empty() {
            return None;
        }
        self.rows.copy_from_slice(rows);
        let count = observables.kept.iter().filter(|kept| **kept).count();
        let distance = distance_from_dependence(&mut self.rows, count);
        let before = self.distance.replace(distance)?;
        // At its present pace the distance vanishes within a step.
        (distance < NEARLY_DEPENDENT && 2.0 * distance <= before).then_some(Reason::SingularConfiguration { distance })
    }
}

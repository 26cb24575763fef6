//! The constraints during a run: how well they hold, and whether they stay independent.

use extremal_expr::Id;
use extremal_mechanics::{Constraint, System};
use extremal_solve::{March, Reason, RowWatch, Sight, StepFailure};

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
            ..=MOST_WATCHED => kept.constraints.iter().flat_map(|c| kept.graph.gradient(c.velocity, &kept.v)).collect(),
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
    rows: RowWatch,
}

/// Why a motion cannot go on.
pub(crate) enum Trouble {
    /// From its present state, which is good.
    Ahead(Reason),
    /// Its last step was none.
    Behind(Reason),
}

impl Trouble {
    /// The failure of a motion in this trouble.
    pub fn of(self, motion: &mut dyn March) -> StepFailure {
        match self {
            Trouble::Ahead(reason) => motion.stop(reason),
            Trouble::Behind(reason) => motion.reject(reason),
        }
    }
}

/// A constraint that was left out because it follows from the others must not be off by more than this.
const FOLLOWS: f64 = 1e-6;

impl ConstraintWatch {
    pub fn new(observables: &Observables) -> Self {
        let count = observables.row_entries / observables.coordinates.max(1);
        ConstraintWatch {
            residuals: vec![0.0; observables.constraints.len()],
            rows: RowWatch::new(count, observables.coordinates),
        }
    }

    /// How many observed values it looks at.
    pub fn len(&self) -> usize {
        self.residuals.len() + self.rows.len()
    }

    /// Looks at residuals and rows; says why the motion cannot go on, if it cannot.
    pub fn look(&mut self, observables: &Observables, values: &[f64]) -> Option<Trouble> {
        let (residuals, rows) = values.split_at(self.residuals.len());
        let name = |at: usize| observables.constraints[at].clone();
        for (at, residual) in residuals.iter().enumerate() {
            self.residuals[at] = self.residuals[at].max(residual.abs());
            if !observables.kept[at] && residual.abs() > FOLLOWS {
                return Some(Trouble::Ahead(Reason::NoLongerRedundant { constraint: name(at), residual: *residual }));
            }
        }
        if self.rows.is_empty() {
            return None;
        }
        let mut kept = (0..observables.kept.len()).filter(|at| observables.kept[*at]).map(name);
        let mut name = |row: usize| kept.nth(row).unwrap_or_default();
        match self.rows.look(rows) {
            Sight::Independent => None,
            Sight::Approaching { row, distance } => {
                Some(Trouble::Ahead(Reason::SingularConfiguration { constraint: name(row), distance }))
            }
            Sight::Passed { row } => Some(Trouble::Behind(Reason::OverSingularConfiguration { constraint: name(row) })),
        }
    }
}

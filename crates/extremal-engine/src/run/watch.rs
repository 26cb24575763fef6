//! The constraints during a run: how well they hold, and whether they stay independent.

use extremal_expr::Id;
use extremal_mechanics::{Constraint, System};
use extremal_solve::{
    ConfigurationWatch, ConstraintRowBlock, ConstraintRows, March, PassedConfiguration, Reason, StepFailure,
    on_widest_registers,
};
use extremal_trajectory::RowBlock;

use super::blocks::BlockRows;
use super::observables::Observables;
use super::start::ids;
use super::strands::{larger, largest};

/// The expressions that a run watches: of each constraint the residual, and the rows of those that are kept.
pub(super) struct WatchedExpressions {
    /// Left less right sides, positions for holonomic constraints, else velocities.
    pub residuals: Vec<Id>,
    /// ∂Φ/∂v of the kept constraints where it is not zero, row by row, and behind them their rates of change.
    pub rows: Vec<Id>,
    /// The columns of the entries of each row.
    pub pattern: Vec<Vec<usize>>,
}

impl WatchedExpressions {
    pub fn of<'g>(all: &[Constraint<'g>], kept: &System<'g>) -> WatchedExpressions {
        let residuals: Vec<_> = all.iter().map(|constraint| constraint.expression).collect();
        // An equation of state binds no velocities by itself: the chart of W_f says where it does.
        let forms: Vec<_> = kept.binding_velocities().map(|constraint| constraint.velocity).collect();
        let jacobian = kept.graph.jacobian(&forms, &kept.v);
        let pattern = jacobian.iter().map(|row| row.iter().map(|(column, _)| *column).collect()).collect();
        let mut rows: Vec<_> = jacobian.into_iter().flatten().map(|(_, entry)| entry).collect();
        rows.extend(kept.time_derivative(&rows));
        WatchedExpressions { residuals: ids(&residuals), rows: ids(&rows), pattern }
    }
}

/// Looks at the constraints after every step.
pub(crate) struct ConstraintWatch {
    /// The largest |left − right| so far, per constraint.
    pub residuals: Vec<f64>,
    /// The largest size so far of the terms of each constraint on velocities; zero for the others.
    pub sizes: Vec<f64>,
    configurations: ConfigurationWatch,
    /// What is needed of the rows of a block.
    block: BlockScratch,
    /// What was observed last: residuals, then rows and rates.
    values: Vec<f64>,
    /// When the motion was looked at last, and after how many steps.
    time: f64,
    step: u64,
}

/// Numbers for the rows of a block: squares of positions and velocities, then the larger of both lengths in the place of the first, and the
/// largest residuals. At its end, the last positions and velocities.
#[derive(Default)]
struct BlockScratch {
    positions: Vec<f64>,
    velocities: Vec<f64>,
    residuals: Vec<f64>,
}

/// Why a motion cannot go on. It is small, for every row is looked at for it.
pub(crate) enum Trouble {
    /// From its present state, which is good.
    Ahead(Box<Reason>),
    /// Its last step was none.
    Behind(Box<Reason>),
}

impl Trouble {
    /// The failure of a motion in this trouble.
    pub fn of(self, motion: &mut dyn March) -> StepFailure {
        match self {
            Trouble::Ahead(reason) => motion.stop(*reason),
            Trouble::Behind(reason) => motion.reject(*reason),
        }
    }
}

/// A constraint that was left out because it follows from the others must not be off by more than this.
const FOLLOWS: f64 = 1e-6;

impl ConstraintWatch {
    pub fn new(observables: &Observables) -> Self {
        ConstraintWatch {
            residuals: vec![0.0; observables.constraints.len()],
            sizes: vec![0.0; observables.constraints.len()],
            configurations: observables.configurations.clone(),
            block: BlockScratch::default(),
            values: vec![0.0; observables.constraints.len() + observables.configurations.len()],
            time: 0.0,
            step: 0,
        }
    }

    /// Begins with another motion.
    pub fn begin(&mut self, observables: &Observables) {
        [&mut self.residuals, &mut self.sizes, &mut self.values].into_iter().for_each(|values| values.fill(0.0));
        if !observables.configurations.is_empty() {
            self.configurations = observables.configurations.clone();
        }
        (self.time, self.step) = (0.0, 0);
    }

    /// The state has changed at once: the next step cannot be followed from the one that was seen last.
    pub fn leap(&mut self) {
        self.configurations.forget();
        self.step = u64::MAX - 1;
    }

    /// Where the observed values are put that it looks at.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Takes how large the terms of the constraints on velocities are.
    pub fn measure(&mut self, observables: &Observables, sizes: &[f64]) {
        for (at, size) in observables.measured.iter().zip(sizes) {
            self.sizes[*at] = self.sizes[*at].max(*size);
        }
    }

    /// Singular configurations that the motion went through on purpose, and how many there were.
    pub fn passed<'w>(&'w self, motion: &'w dyn March) -> (&'w [PassedConfiguration], u64) {
        match motion.passed() {
            (_, 0) => self.configurations.passed(),
            passed => passed,
        }
    }

    /// The failure with its deeper reason, where it is a singular configuration ahead.
    pub fn explain(&self, mut failure: StepFailure, length: f64) -> StepFailure {
        failure.reason = self.configurations.explain(length, failure.reason);
        failure
    }

    /// Is nothing to be said about any row of a block? Then [go on](ConstraintWatch::go_on) behind it.
    pub fn passes(&mut self, observables: &Observables, rows: &BlockRows<'_>) -> bool {
        let follows = |(residual, kept): (&[f64], &bool)| *kept || largest(0.0, [residual], |[r]| r.abs()) <= FOLLOWS;
        if !rows.residuals().zip(&observables.kept).all(follows) {
            return false;
        }
        if self.configurations.is_empty() || observables.adaptive {
            return true;
        }
        let at = &observables.row;
        let BlockScratch { positions, velocities, residuals } = &mut self.block;
        on_widest_registers(
            #[inline(always)]
            || {
                add_squares(positions, at.positions.clone().map(|column| rows.column(column)), rows.rows());
                add_squares(velocities, at.velocities.clone().map(|column| rows.column(column)), rows.rows());
                residuals.clear();
                residuals.resize(rows.rows(), 0.0);
                for column in rows.residuals() {
                    let both = residuals.iter_mut().zip(column);
                    both.for_each(|(most, residual)| *most = larger(*most, residual.abs()));
                }
                let both = positions.iter_mut().zip(&*velocities);
                both.for_each(|(size, speed)| *size = larger(*size, *speed).sqrt());
            },
        );
        let (entries, stride) = rows.constraint_entries();
        let rows = ConstraintRowBlock { times: rows.times(), entries, stride, sizes: positions, residuals };
        self.configurations.are_far(&rows)
    }

    /// Goes on behind a block that was passed.
    pub fn go_on(&mut self, observables: &Observables, rows: &BlockRows<'_>) {
        for (own, column) in self.residuals.iter_mut().zip(rows.residuals()) {
            *own = largest(*own, [column], |[residual]| residual.abs());
        }
        for (at, column) in observables.measured.iter().zip(rows.sizes()) {
            self.sizes[*at] = largest(self.sizes[*at], [column], |[size]| size);
        }
        if self.configurations.is_empty() || observables.adaptive {
            return;
        }
        let last = rows.rows() - 1;
        self.time = rows.times()[last];
        self.step = self.step.wrapping_add(rows.rows() as u64);
        let at = &observables.row;
        let BlockScratch { positions, velocities, .. } = &mut self.block;
        for (own, columns) in [(&mut *positions, at.positions.clone()), (&mut *velocities, at.velocities.clone())] {
            own.clear();
            own.extend(columns.map(|column| rows.column(column)[last]));
        }
        let residual = rows.residuals().fold(0.0, |residual: f64, column| residual.max(column[last].abs()));
        let entries = &mut self.values[self.residuals.len()..];
        let (columns, stride) = rows.constraint_entries();
        entries.iter_mut().zip(columns.chunks(stride)).for_each(|(entry, column)| *entry = column[last]);
        self.configurations.go_on(ConstraintRows { time: self.time, entries, positions, velocities, residual });
    }

    /// Looks at residuals and rows; says why the motion cannot go on, if it cannot.
    pub fn look(&mut self, observables: &Observables, motion: &mut dyn March, velocities: &[f64]) -> Option<Trouble> {
        let (residuals, entries) = self.values.split_at(self.residuals.len());
        for (at, residual) in residuals.iter().enumerate() {
            self.residuals[at] = self.residuals[at].max(residual.abs());
            if !observables.kept[at] && residual.abs() > FOLLOWS {
                let constraint = observables.constraints[at].clone();
                let reason = Reason::NoLongerRedundant { constraint, residual: *residual };
                return Some(Trouble::Ahead(Box::new(reason)));
            }
        }
        if self.configurations.is_empty() || observables.adaptive {
            return None;
        }
        let (begin, end, step) = (self.time, motion.time(), motion.steps());
        // Only a step from the state that was seen last can be followed.
        if std::mem::replace(&mut self.step, step) + 1 != step {
            self.configurations.forget();
        }
        self.time = end;
        let at = observables.observed();
        let largest =
            |residuals: &[f64]| residuals.iter().fold(0.0, |largest: f64, residual| largest.max(residual.abs()));
        let positions = &motion.state()[observables.state().positions()];
        let rows = ConstraintRows { time: end, entries, positions, velocities, residual: largest(residuals) };
        let mut inside: Option<Box<dyn March>> = None;
        let reason = self.configurations.look(rows, begin, |part, read| {
            let inside = inside.get_or_insert_with(|| motion.fork());
            if inside.retake(part * (end - begin)).is_err() {
                return false;
            }
            let (time, positions) = (inside.time(), inside.state()[observables.state().positions()].to_vec());
            let Ok(observed) = inside.observe() else { return false };
            let entries = &observed[at.residuals().end..][..entries.len()];
            let (velocities, residual) = (&observed[at.velocities()], largest(&observed[at.residuals()]));
            read(ConstraintRows { time, entries, positions: &positions, velocities, residual });
            true
        });
        reason.map(|reason| Trouble::Behind(Box::new(reason)))
    }
}

/// Sums the squares of columns, row by row.
#[inline(always)]
fn add_squares<'b>(sums: &mut Vec<f64>, columns: impl Iterator<Item = &'b [f64]>, rows: usize) {
    sums.clear();
    sums.resize(rows, 0.0);
    for column in columns {
        sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += value * value);
    }
}

//! Many rows at a time. What is watched of every row is computed for a block of them, column by column; a block with a row that
//! anything is to be said about is gone through again row by row.

use std::ops::Range;

use extremal_solve::{March, MotionBlock, SeenLanes, on_widest_registers};
use extremal_trajectory::RowBlock;

use super::judge::Moment;
use super::layout::TIME;
use super::observables::Observables;
use super::strands::larger;

/// Rows that are taken alone at the beginning: steps are predicted from those before them.
const FIRST: u64 = 32;
/// Fewer steps are not worth the preparation.
const WORTHWHILE: u64 = 512;
/// The fewest rows of a block after one that was gone through again.
const FEWEST: u64 = 16;

/// No block has more rows than these.
pub(super) const MOST_ROWS: usize = MotionBlock::MOST_ROWS;

/// Where a column of the rows is found among states of a motion and what is observed there.
#[derive(Clone, Copy)]
pub(crate) enum ColumnSource {
    Time,
    State(usize),
    Observed(usize),
    Estimate,
}

impl ColumnSource {
    /// For all columns.
    pub fn of_all(observables: &Observables) -> Vec<ColumnSource> {
        let (at, in_state, in_observed) = (&observables.row, observables.state(), observables.observed());
        let mut sources = vec![ColumnSource::Time; observables.columns.len()];
        let mut place = |columns: Range<usize>, source: &dyn Fn(usize) -> ColumnSource| {
            columns.enumerate().for_each(|(at, column)| sources[column] = source(at));
        };
        let rates = at.velocities.start..at.entropies.start;
        place(at.positions.clone(), &|k| ColumnSource::State(in_state.positions().start + k));
        place(rates, &|k| ColumnSource::Observed(in_observed.velocities().start + k));
        place(at.entropies.clone(), &|k| ColumnSource::State(in_state.entropies().start + k));
        place(at.outputs.clone(), &|k| ColumnSource::Observed(in_observed.outputs().start + k));
        place(at.accounts.clone(), &|k| ColumnSource::State(in_state.accounts().start + k));
        if observables.estimate {
            sources[at.estimate] = ColumnSource::Estimate;
        }
        sources
    }

    /// For the energy.
    pub fn of_energy(observables: &Observables) -> ColumnSource {
        let place = observables.row.energy - observables.row.outputs.start;
        ColumnSource::Observed(observables.observed().outputs().start + place)
    }

    /// What is seen there of motions side by side. Where every step is taken, energies are not estimated.
    pub fn of_lanes<'s>(self, seen: &SeenLanes<'s>, lanes: usize) -> &'s [f64] {
        match self {
            ColumnSource::Time | ColumnSource::Estimate => seen.times,
            ColumnSource::State(at) => &seen.states[at * lanes..][..lanes],
            ColumnSource::Observed(at) => &seen.observed[at * lanes..][..lanes],
        }
    }
}

/// The blocks of a run.
pub(super) struct Blocks {
    sources: Vec<ColumnSource>,
    /// What it takes to march in blocks, once that is worth it.
    block: Option<MotionBlock>,
    /// The energy of steps by their positions.
    pub estimate: Vec<f64>,
    /// Rows to be taken alone before the next block.
    alone: u64,
    /// Steps of the next block.
    size: u64,
    /// Rows to be taken alone after a block that could not be taken: twice as many every time.
    missed: u64,
    /// Whether there can be blocks at all.
    possible: bool,
}

impl Blocks {
    /// The run may have none, if what watches it looks at every row.
    pub fn new(observables: &Observables, watched_in_blocks: bool) -> Blocks {
        let possible = watched_in_blocks && observables.coordinates > 0;
        let sources = if possible { ColumnSource::of_all(observables) } else { Vec::new() };
        Blocks { sources, block: None, estimate: Vec::new(), alone: FIRST, size: FEWEST, missed: 1, possible }
    }

    /// Takes a block of at most so many steps of those that are left, unless rows are to be taken alone now.
    pub fn advance(&mut self, motion: &mut dyn March, left: u64, most: u64) -> bool {
        if !self.possible || self.alone > 0 {
            return false;
        }
        if self.block.is_none() {
            if left < WORTHWHILE {
                self.possible = false;
                return false;
            }
            self.block = motion.block();
            self.possible = self.block.is_some();
        }
        let Some(block) = &mut self.block else { return false };
        let taken = motion.advance_block(block, self.size.min(left).min(most));
        if taken == 0 {
            self.alone = self.missed;
            self.missed = (2 * self.missed).min(MOST_ROWS as u64);
        }
        taken > 0
    }

    /// The block that was taken last.
    pub fn rows<'b>(&'b self, observables: &'b Observables) -> Option<BlockRows<'b>> {
        let block = self.block.as_ref()?;
        Some(BlockRows { block, sources: &self.sources, estimate: &self.estimate, observables })
    }

    /// All of it was ordinary.
    pub fn accept(&mut self) {
        self.missed = 1;
        self.size = (2 * self.size).min(self.block.as_ref().map_or(FEWEST, |block| block.most_rows() as u64));
    }

    /// Goes back to where it began, to go through it row by row.
    pub fn refuse(&mut self, motion: &mut dyn March) {
        let Some(block) = &mut self.block else { return };
        self.alone = block.rows() as u64;
        self.size = (self.size / 2).max(FEWEST);
        motion.leave_block(block);
    }

    /// The state has changed at once: the next step is looked at by itself.
    pub fn leap(&mut self) {
        self.alone = self.alone.max(2);
    }

    /// A row was taken alone.
    pub fn took_row(&mut self) {
        self.alone = self.alone.saturating_sub(1);
    }
}

/// The rows of a block.
pub(crate) struct BlockRows<'b> {
    block: &'b MotionBlock,
    sources: &'b [ColumnSource],
    estimate: &'b [f64],
    observables: &'b Observables,
}

impl RowBlock for BlockRows<'_> {
    fn rows(&self) -> usize {
        self.block.rows()
    }

    fn columns(&self) -> usize {
        self.sources.len()
    }

    fn column(&self, column: usize) -> &[f64] {
        match self.sources[column] {
            ColumnSource::Time => self.block.times(),
            ColumnSource::State(at) => self.block.state(at),
            ColumnSource::Observed(at) => self.block.observed(at),
            ColumnSource::Estimate => self.estimate,
        }
    }
}

impl<'b> BlockRows<'b> {
    /// The values of the stop conditions.
    pub fn stops(&self) -> impl Iterator<Item = &'b [f64]> + use<'b> {
        let block = self.block;
        self.observables.observed().stops().map(|at| block.observed(at))
    }

    /// The residuals of the constraints.
    pub fn residuals(&self) -> impl ExactSizeIterator<Item = &'b [f64]> + Clone + use<'b> {
        let block = self.block;
        self.observables.observed().residuals().map(|at| block.observed(at))
    }

    /// The entries of the rows of the constraints, and behind them their rates of change: of each the values at all rows, and how far these
    /// stand from those of the one before.
    pub fn constraint_entries(&self) -> (&'b [f64], usize) {
        self.block.observed_from(self.observables.observed().rows().start)
    }

    /// How large the terms of the constraints on velocities are.
    pub fn sizes(&self) -> impl Iterator<Item = &'b [f64]> + use<'b> {
        let block = self.block;
        self.observables.observed().sizes().map(|at| block.observed(at))
    }

    /// Determinants of the mass matrix.
    pub fn determinants(&self) -> impl Iterator<Item = &'b [f64]> + use<'b> {
        let block = self.block;
        self.observables.observed().determinants().map(|at| block.observed(at))
    }

    /// The closed forms.
    pub fn exact(&self) -> impl Iterator<Item = &'b [f64]> + use<'b> {
        let first = self.observables.observed().determinants().end;
        let block = self.block;
        (first..first + self.observables.exact.len()).map(|at| block.observed(at))
    }

    /// A column of the rows, one before the other: what it was before the first of them is given.
    pub fn steps(column: &[f64], before: f64) -> impl Iterator<Item = (f64, f64)> {
        [before].into_iter().chain(column.iter().copied()).zip(column.iter().copied())
    }

    /// The times.
    pub fn times(&self) -> &[f64] {
        self.column(TIME)
    }
}

/// What the steps of a block did, as [`Moment`] says of one. Columns of moments begin with the one before the block.
#[derive(Clone, Default)]
pub(super) struct StepColumns {
    /// Σ v p and Σ |v p|.
    work: Vec<f64>,
    kinetic: Vec<f64>,
    energy: Vec<f64>,
    /// How velocities and momenta changed in each step: Σ |Δv| |p| + |v| |Δp|, and Σ |Δv Δp|.
    first: Vec<f64>,
    second: Vec<f64>,
}

/// Steps one after the other: what is said of moments begins with the one before them.
pub(super) struct StepSlices<'s> {
    pub work: &'s [f64],
    pub kinetic: &'s [f64],
    pub energy: &'s [f64],
    pub first: &'s [f64],
    pub second: &'s [f64],
}

impl StepColumns {
    /// The steps of a range.
    pub fn part(&self, Range { start, end }: Range<usize>) -> StepSlices<'_> {
        let [work, kinetic, energy] = [&self.work, &self.kinetic, &self.energy].map(|column| &column[start..=end]);
        let [first, second] = [&self.first, &self.second].map(|column| &column[start..end]);
        StepSlices { work, kinetic, energy, first, second }
    }

    /// Σ |v p| after each step.
    pub fn kinetic(&self) -> &[f64] {
        &self.kinetic[1..]
    }

    /// Reads a block that begins after a moment.
    pub fn read(&mut self, observables: &Observables, rows: &BlockRows<'_>, before: &Moment) {
        let (count, at) = (rows.rows(), &observables.row);
        let moments = [&mut self.work, &mut self.kinetic, &mut self.energy];
        for (column, before) in moments.into_iter().zip([before.work, before.kinetic, before.energy]) {
            column.clear();
            column.push(before);
            column.resize(count + 1, 0.0);
        }
        self.energy[1..].copy_from_slice(rows.column(at.energy));
        for column in [&mut self.first, &mut self.second] {
            column.clear();
            column.resize(count, 0.0);
        }
        let pairs = at.velocities.clone().zip(at.momenta.clone());
        for ((v, p), before) in pairs.zip(before.v.iter().zip(&before.p)) {
            let (v, p) = (rows.column(v), rows.column(p));
            on_widest_registers(
                #[inline(always)]
                || {
                    let products = [&mut self.work[1..], &mut self.kinetic[1..]];
                    let changes = [&mut self.first[..], &mut self.second[..]];
                    add_pair(v, p, [*before.0, *before.1], products, changes);
                },
            );
        }
    }
}

/// Adds what a velocity and its momentum say of the steps of a block.
#[inline(always)]
fn add_pair(v: &[f64], p: &[f64], before: [f64; 2], products: [&mut [f64]; 2], changes: [&mut [f64]; 2]) {
    let [work, kinetic] = products;
    for ((work, kinetic), (v, p)) in work.iter_mut().zip(kinetic).zip(v.iter().zip(p)) {
        let product = v * p;
        *work += product;
        *kinetic += product.abs();
    }
    let change = |[v0, v1]: [f64; 2], [p0, p1]: [f64; 2]| {
        let (dv, dp) = ((v1 - v0).abs(), (p1 - p0).abs());
        (dv * larger(p0.abs(), p1.abs()) + dp * larger(v0.abs(), v1.abs()), dv * dp)
    };
    let [first, second] = changes;
    let (one, two) = change([before[0], v[0]], [before[1], p[0]]);
    (first[0], second[0]) = (first[0] + one, second[0] + two);
    let moved = v.iter().zip(&v[1..]).zip(p.iter().zip(&p[1..]));
    for ((first, second), ((v0, v1), (p0, p1))) in first[1..].iter_mut().zip(&mut second[1..]).zip(moved) {
        let (one, two) = change([*v0, *v1], [*p0, *p1]);
        (*first, *second) = (*first + one, *second + two);
    }
}

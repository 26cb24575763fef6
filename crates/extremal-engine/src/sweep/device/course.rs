//! The course of the members of a table, from their starts to their ends.

use std::sync::{Mutex, PoisonError};

use extremal_device::DeviceError;
use extremal_expr::{Expr, Graph, Relation};
use extremal_solve::wide::{FormulaKernel, MemberTable, TableFormulas, TableKernels, WideMotion, WideRefusal};

use super::batch::DrawnBatch;
use super::{DeviceSweep, OPENINGS};
use crate::sweep::member_marcher::Glimpsed;
use crate::sweep::record::Record;

/// What came of the members of a table.
pub(super) struct MarchedBatch {
    pub drawn: DrawnBatch,
    /// The rows that are kept of all members, with their times: the last one at the end.
    pub rows: Vec<KeptRow>,
    /// Who is to be marched again.
    pub rare: Vec<usize>,
    /// Where what varies begins in the last row.
    first_varied: usize,
}

/// A row of every member.
pub(super) struct KeptRow {
    pub time: f64,
    /// Columns of the table one after the other, each for all members: those that are kept but the time, and behind them at the end what
    /// is said of the whole course, and what varies where the device has drawn it.
    pub numbers: Vec<f64>,
    members: usize,
}

impl MarchedBatch {
    /// What varies, by its column.
    pub fn varied(&self, at: usize) -> &[f64] {
        match self.drawn.varied.get(at) {
            Some(column) => column,
            None => self.rows.last().map_or(&[], |end| end.column(self.first_varied + at)),
        }
    }
}

impl KeptRow {
    /// The numbers of all members.
    pub fn column(&self, at: usize) -> &[f64] {
        &self.numbers[at * self.members..][..self.members]
    }
}

/// Memory for rows, to be used again.
pub(super) type SpareNumbers = Mutex<Vec<Vec<f64>>>;

/// The columns of the least and the largest values so far.
pub(super) struct ExtremeColumns {
    pub places: Vec<[usize; 2]>,
}

impl ExtremeColumns {
    /// With the kernels that begin with a row, and take a later one.
    pub fn new(
        kernels: &mut TableKernels,
        kept: &[Option<usize>],
    ) -> Result<(ExtremeColumns, [FormulaKernel; 2]), WideRefusal> {
        let sources: Vec<usize> = kept.iter().flatten().copied().collect();
        let places: Vec<[usize; 2]> = sources.iter().map(|_| [kernels.column(), kernels.column()]).collect();
        let mut kernel = |first: bool| {
            let g = Graph::new();
            let mut f = TableFormulas::new(&g);
            for (source, [lowest, highest]) in sources.iter().zip(&places) {
                let value = f.column(*source);
                let (mut low, mut high) = (value, value);
                if !first {
                    let so_far = [*lowest, *highest].map(|column| f.column(column));
                    low = g.select(comes_before(&mut f, value, so_far[0]), value, so_far[0]);
                    high = g.select(comes_before(&mut f, so_far[1], value), value, so_far[1]);
                }
                f.put(*lowest, low);
                f.put(*highest, high);
            }
            f.kernel(kernels)
        };
        let kernels = [kernel(true)?, kernel(false)?];
        Ok((ExtremeColumns { places }, kernels))
    }
}

/// Is `a` below `b`, as nothing below zero is below zero itself?
fn comes_before<'g>(f: &mut TableFormulas<'g>, a: Expr<'g>, b: Expr<'g>) -> Expr<'g> {
    let g = f.graph();
    let one = f.number(1.0);
    // Only the sign of zeros is asked for.
    let (of_a, of_b) = (one * a.powi(-1), one * b.powi(-1));
    let zeros = g.and(g.compare(Relation::Eq, a, f.zero()), g.compare(Relation::Eq, b, f.zero()));
    g.or(f.below(a, b), g.and(zeros, f.below(of_a, of_b)))
}

impl DeviceSweep<'_> {
    /// Marches the members of a batch.
    pub(super) fn march(
        &self,
        table: &mut MemberTable<'_>,
        drawn: DrawnBatch,
        spare: &SpareNumbers,
    ) -> Result<MarchedBatch, DeviceError> {
        let count = drawn.count;
        let of_following = self.following.iter().zip(&drawn.following);
        let following = of_following.flat_map(|(places, values)| places.iter().map(|(_, column)| column).zip(values));
        for (column, values) in self.varied.iter().zip(&drawn.varied).chain(following) {
            table.write(*column, values)?;
        }
        if let Some(drawing) = self.drawing() {
            drawing.run(table, count, drawn.first)?;
        }
        let (plan, parameters) = (&self.plan, &self.parameters);
        let mut motion = WideMotion::new(&self.march, count, parameters, &self.march_start, plan.step, plan.from);
        motion.begin(table)?;
        self.check.run(table, count, parameters, &self.check_start)?;
        let mut rows = Vec::new();
        motion.observe(table)?;
        self.watch.begin(table, count)?;
        self.keep(table, count, 0, motion.time(), spare, &mut rows)?;
        let (mut steps, mut looks) = (0, 0);
        while steps < self.steps() {
            match plan.remainder.filter(|_| steps == plan.whole_steps) {
                Some(left) => {
                    motion.advance_by(table, left)?;
                    steps += 1;
                }
                None => {
                    let stretch = self.stretch(steps);
                    motion.advance(table, stretch)?;
                    steps += stretch;
                }
            }
            motion.observe(table)?;
            let glimpsed = steps.is_multiple_of(Glimpsed::every(plan)) || steps >= plan.whole_steps;
            if steps <= OPENINGS as u64 || glimpsed {
                self.watch.look(table, count, steps)?;
                looks += u64::from(steps > OPENINGS as u64);
            }
            if steps < self.steps() {
                self.keep(table, count, steps, motion.time(), spare, &mut rows)?;
            }
        }
        self.watch.judge(table, count, looks)?;
        self.keep(table, count, steps, motion.time(), spare, &mut rows)?;
        let stuck = table.stuck(count)?;
        let flags = rows.last().map_or(&[][..], |end| end.column(self.row_columns.len()));
        let mut rare: Vec<bool> = flags.iter().zip(stuck).map(|(flag, stuck)| *flag != 0.0 || stuck).collect();
        drawn.left.iter().for_each(|at| rare[*at] = true);
        let rare = rare.into_iter().enumerate().filter(|(_, rare)| *rare).map(|(at, _)| at).collect();
        let first_varied = self.row_columns.len() + self.watch.said().len();
        Ok(MarchedBatch { drawn, rows, rare, first_varied })
    }

    /// All steps of a member.
    fn steps(&self) -> u64 {
        self.plan.whole_steps + u64::from(self.plan.remainder.is_some())
    }

    /// How many steps to take before something is to be seen.
    fn stretch(&self, steps: u64) -> u64 {
        let plan = &self.plan;
        let before = |every: u64| every - steps % every;
        let most = match self.common.layout.record {
            Record::Extremes => 1,
            Record::All { every } => before(every.max(1)),
            Record::End | Record::Events => u64::MAX,
        };
        let look = if steps < OPENINGS as u64 { 1 } else { before(Glimpsed::every(plan)) };
        most.min(look).min(plan.whole_steps - steps)
    }

    /// Takes what is kept of a row.
    fn keep(
        &self,
        table: &mut MemberTable<'_>,
        count: usize,
        steps: u64,
        time: f64,
        spare: &SpareNumbers,
        rows: &mut Vec<KeptRow>,
    ) -> Result<(), DeviceError> {
        let last = steps >= self.steps();
        let kept = match self.common.layout.record {
            Record::All { every } => last || steps.is_multiple_of(every.max(1)),
            Record::End | Record::Events | Record::Extremes => last,
        };
        if let Some((_, [first, later])) = &self.extremes {
            if steps == 0 { first } else { later }.run(table, count, &[])?;
        }
        if !kept {
            return Ok(());
        }
        let said = self.watch.said();
        let varied = if self.drawing().is_some() { &self.varied[..] } else { &[] };
        let columns = self.row_columns.iter().chain(said.iter().chain(varied).filter(|_| last));
        let used = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let needed = (self.row_columns.len() + said.len() + varied.len()) * table.members();
        let used = used.filter(|numbers| numbers.len() >= needed);
        let mut numbers = used.unwrap_or_else(|| vec![0.0; needed]);
        for (part, column) in numbers.chunks_exact_mut(count).zip(columns) {
            table.read(*column, part)?;
        }
        rows.push(KeptRow { time, numbers, members: count });
        Ok(())
    }
}

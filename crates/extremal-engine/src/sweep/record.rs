//! What is kept of each member, and under which columns.

use std::borrow::Cow;

use extremal_trajectory::ColumnsError;
use extremal_trajectory::frame::{Fields, Frame, Word};

use super::members::Member;
use crate::run::Observables;

/// What is kept of each member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Record {
    /// A row: the state at the end.
    #[default]
    End,
    /// A row: the least and the largest value of each quantity, over all steps.
    Extremes,
    /// A row for each crossing of a stop condition, which does not stop the member, and one for the end.
    Events,
    /// A row for every so many steps, and one for the end.
    All {
        /// How many steps.
        every: u64,
    },
}

impl Record {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Record::End => "end",
            Record::Extremes => "extremes",
            Record::Events => "events",
            Record::All { .. } => "all",
        }
    }
}

/// How a member ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ended {
    Finished,
    Stopped(String),
    Failed(String),
}

/// What is said of a member at its end.
pub(crate) struct MemberVerdict {
    pub ended: Ended,
    /// What its run would warn of.
    pub warning: Option<String>,
}

impl Ended {
    /// The words for the columns `status` and `reason`.
    fn words(self) -> [Word; 2] {
        match self {
            Ended::Finished => [Some(FINISHED.into()), None],
            Ended::Stopped(condition) => [Some(STOPPED.into()), Some(condition.into())],
            Ended::Failed(reason) => [Some(FAILED.into()), Some(reason.into())],
        }
    }
}

pub(super) const FINISHED: &str = "finished";
pub(super) const STOPPED: &str = "stopped";
pub(super) const FAILED: &str = "failed";

/// The columns of a sweep, and how its rows are made of those of a run.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub record: Record,
    pub fields: Fields,
    /// Which columns of a run are kept.
    kept: Vec<usize>,
    energy: usize,
}

impl Layout {
    /// `varied` are the columns of what varies.
    pub fn new(record: Record, varied: &[String], observables: &Observables) -> Result<Layout, ColumnsError> {
        let columns = &observables.columns;
        // The energy estimated from positions belongs to a step, and not every step is looked at.
        let kept: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].name() != "energy_v").collect();
        let names = kept.iter().map(|at| columns[*at].name().to_owned());
        let mut numbers = varied.to_vec();
        match record {
            Record::End => numbers.extend(names.chain(["energy_change".to_owned()])),
            Record::Events | Record::All { .. } => numbers.extend(names),
            Record::Extremes => {
                let extremes = |name: String| [format!("{name}_min"), format!("{name}_max")];
                numbers.push(columns[TIME].name().to_owned());
                numbers.extend(names.skip(1).flat_map(extremes));
            }
        }
        let texts: &[&str] = match record {
            Record::Events => &["event", "status", "reason", "warning"],
            _ => &["status", "reason", "warning"],
        };
        let fields = Fields::new(["member"], numbers, texts.iter().copied())?;
        Ok(Layout { record, fields, kept, energy: observables.row.energy })
    }

    /// How many columns of words there are; the last three are status, reason and warning.
    pub fn texts(&self) -> usize {
        if self.record == Record::Events { 4 } else { 3 }
    }

    /// Which columns of a run are kept.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// Where the energy stands among the columns that are kept.
    pub fn energy_among_kept(&self) -> usize {
        self.kept.iter().position(|column| *column == self.energy).unwrap_or(0)
    }

    /// How many columns of a run are kept.
    pub fn width(&self) -> usize {
        self.kept.len()
    }
}

/// Where the time stands in the row of a run.
const TIME: usize = 0;

/// Makes the rows of members out of those of their runs.
pub(crate) struct Records<'l> {
    layout: &'l Layout,
    numbers: Vec<f64>,
    /// A row of `all` waits until it is known whether it is the last.
    pending: Option<u64>,
    first_energy: f64,
    lowest: Vec<f64>,
    highest: Vec<f64>,
}

impl<'l> Records<'l> {
    pub fn new(layout: &'l Layout) -> Self {
        Records {
            layout,
            numbers: Vec::new(),
            pending: None,
            first_energy: f64::NAN,
            lowest: vec![f64::NAN; layout.width()],
            highest: vec![f64::NAN; layout.width()],
        }
    }

    /// Forgets the member before.
    pub fn begin(&mut self) {
        self.pending = None;
        self.first_energy = f64::NAN;
        self.lowest.fill(f64::NAN);
        self.highest.fill(f64::NAN);
    }

    /// Takes a row of the run, after so many steps.
    pub fn row(&mut self, member: &Member<'_>, step: u64, row: &[f64], frame: &mut Frame) {
        if step == 0 {
            self.first_energy = row[self.layout.energy];
        }
        match self.layout.record {
            Record::Extremes => self.widen(row),
            Record::All { every } if step.is_multiple_of(every) => {
                self.flush(member, frame);
                self.gather(member, row);
                self.pending = Some(step);
            }
            _ => {}
        }
    }

    /// Takes the numbers of a row among the least and the largest.
    pub fn widen(&mut self, row: &[f64]) {
        for (at, column) in self.layout.kept.iter().enumerate() {
            self.lowest[at] = lower(self.lowest[at], row[*column]);
            self.highest[at] = higher(self.highest[at], row[*column]);
        }
    }

    /// Takes what rows in between went through: the least and the largest value of each column that is kept.
    pub fn range(&mut self, range: impl Iterator<Item = [f64; 2]>) {
        for ((lowest, highest), [low, high]) in self.lowest.iter_mut().zip(&mut self.highest).zip(range) {
            (*lowest, *highest) = (lower(*lowest, low), higher(*highest, high));
        }
    }

    /// Takes the row of a crossing.
    pub fn event(&mut self, member: &Member<'_>, condition: &str, row: &[f64], frame: &mut Frame) {
        self.gather(member, row);
        frame.push(&[member.number as i64], &self.numbers, [word(condition), None, None, None]);
    }

    /// Takes the last row, after so many steps.
    pub fn end(&mut self, member: &Member<'_>, step: u64, row: &[f64], verdict: MemberVerdict, frame: &mut Frame) {
        let [status, reason] = verdict.ended.words();
        let warning = verdict.warning.map(Cow::Owned);
        if self.pending != Some(step) {
            self.flush(member, frame);
            self.gather(member, row);
        }
        self.pending = None;
        let number = [member.number as i64];
        match self.layout.record {
            Record::End => self.numbers.push(row[self.layout.energy] - self.first_energy),
            Record::Events => return frame.push(&number, &self.numbers, [None, status, reason, warning]),
            Record::All { .. } => {}
            Record::Extremes => {
                self.numbers.truncate(member.varied.len());
                self.numbers.push(row[TIME]);
                let extremes = self.lowest.iter().zip(&self.highest).skip(1);
                self.numbers.extend(extremes.flat_map(|(low, high)| [*low, *high]));
            }
        }
        frame.push(&number, &self.numbers, [status, reason, warning]);
    }

    fn flush(&mut self, member: &Member<'_>, frame: &mut Frame) {
        if self.pending.take().is_some() {
            frame.push(&[member.number as i64], &self.numbers, [None, None, None]);
        }
    }

    fn gather(&mut self, member: &Member<'_>, row: &[f64]) {
        self.numbers.clear();
        self.numbers.extend_from_slice(member.varied);
        self.numbers.extend(self.layout.kept.iter().map(|column| row[*column]));
    }
}

/// The lower of two numbers, or the only one; nothing below zero is below zero itself, so that no order of many changes what is found.
#[inline(always)]
pub(super) fn lower(a: f64, b: f64) -> f64 {
    if a.is_nan() || b < a || b == a && b.is_sign_negative() { b } else { a }
}

/// The higher of two numbers, in the same way.
#[inline(always)]
pub(super) fn higher(a: f64, b: f64) -> f64 {
    if a.is_nan() || b > a || b == a && b.is_sign_positive() { b } else { a }
}

fn word(text: &str) -> Word {
    Some(Cow::Owned(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_do_not_depend_on_the_order_of_numbers() {
        let numbers = [f64::NAN, 0.0, -0.0, 2.0, -3.0, f64::INFINITY];
        for first in numbers {
            for second in numbers {
                assert_eq!(lower(first, second).to_bits(), lower(second, first).to_bits(), "{first} {second}");
                assert_eq!(higher(first, second).to_bits(), higher(second, first).to_bits(), "{first} {second}");
            }
        }
        assert_eq!([lower(0.0, -0.0).to_bits(), higher(-0.0, 0.0).to_bits()], [(-0.0f64).to_bits(), 0]);
        assert_eq!(
            [lower(f64::NAN, 5.0), higher(5.0, f64::NAN), lower(-3.0, 2.0), higher(-3.0, 2.0)],
            [5.0, 5.0, -3.0, 2.0]
        );
    }
}

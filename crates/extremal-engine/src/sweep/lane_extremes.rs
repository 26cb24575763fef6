//! The least and the largest values of motions side by side.

use extremal_solve::{SeenLanes, on_widest_registers};

use super::record::{higher, lower};
use crate::run::{ColumnSource, Observables};

/// The least and the largest values so far of each column that is kept, in each lane.
pub(crate) struct LaneExtremes {
    sources: Vec<ColumnSource>,
    /// The motion in each lane that they belong to.
    motions: Vec<Option<usize>>,
    /// For each column, the values of all lanes.
    lowest: Vec<f64>,
    highest: Vec<f64>,
}

impl LaneExtremes {
    /// Of these columns of a run.
    pub fn new(observables: &Observables, kept: &[usize], lanes: usize) -> LaneExtremes {
        let all = ColumnSource::of_all(observables);
        LaneExtremes {
            sources: kept.iter().map(|column| all[*column]).collect(),
            motions: vec![None; lanes],
            lowest: vec![f64::NAN; kept.len() * lanes],
            highest: vec![f64::NAN; kept.len() * lanes],
        }
    }

    /// Sees a step; `take` gets what another motion went through that was in a lane before, by its number.
    pub fn see(&mut self, seen: &SeenLanes<'_>, mut take: impl FnMut(usize, &LaneExtremes, usize)) {
        let lanes = self.motions.len();
        for (at, motion) in seen.motions.iter().enumerate() {
            if self.motions[at] != *motion {
                self.hand_over(at, &mut take);
                self.motions[at] = *motion;
            }
        }
        let rows = self.lowest.chunks_exact_mut(lanes).zip(self.highest.chunks_exact_mut(lanes));
        for ((lowest, highest), source) in rows.zip(&self.sources) {
            let column = source.of_lanes(seen, lanes);
            on_widest_registers(
                #[inline(always)]
                || widen(lowest, highest, column),
            );
        }
    }

    /// Gives what is left.
    pub fn finish(&mut self, mut take: impl FnMut(usize, &LaneExtremes, usize)) {
        (0..self.motions.len()).for_each(|at| self.hand_over(at, &mut take));
    }

    /// The extremes of all columns in a lane.
    pub fn range(&self, at: usize) -> impl Iterator<Item = [f64; 2]> {
        let lanes = self.motions.len();
        let column = move |all: &[f64], k: usize| all[k * lanes + at];
        (0..self.sources.len()).map(move |k| [column(&self.lowest, k), column(&self.highest, k)])
    }

    /// The extremes of all lanes, column by column.
    pub fn columns(&self) -> impl Iterator<Item = [&[f64]; 2]> {
        let lanes = self.motions.len();
        self.lowest.chunks_exact(lanes).zip(self.highest.chunks_exact(lanes)).map(|(low, high)| [low, high])
    }

    fn hand_over(&mut self, at: usize, take: &mut impl FnMut(usize, &LaneExtremes, usize)) {
        if let Some(number) = self.motions[at].take() {
            take(number, self, at);
        }
        // What was seen of an empty lane is none of the next motion.
        let lanes = self.motions.len();
        self.lowest.iter_mut().skip(at).step_by(lanes).for_each(|x| *x = f64::NAN);
        self.highest.iter_mut().skip(at).step_by(lanes).for_each(|x| *x = f64::NAN);
    }
}

#[inline(always)]
fn widen(lowest: &mut [f64], highest: &mut [f64], column: &[f64]) {
    for ((lowest, highest), x) in lowest.iter_mut().zip(highest).zip(column) {
        (*lowest, *highest) = (lower(*lowest, *x), higher(*highest, *x));
    }
}

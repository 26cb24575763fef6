//! Rows of members from columns of a table.

use std::collections::BTreeMap;
use std::ops::Range;

use extremal_trajectory::frame::{Frame, Word};

use super::course::MarchedBatch;
use crate::sweep::record::{FINISHED, Layout, Record};

/// The rows of members that were marched again, by their places in the batch.
pub(super) type RowsAgain = BTreeMap<usize, Frame>;

impl MarchedBatch {
    /// The rows of some members, counted from the first of the batch.
    pub fn rows(&self, layout: &Layout, places: Range<usize>, again: &RowsAgain) -> Frame {
        if matches!(layout.record, Record::End | Record::Extremes) {
            let mut frame = self.single_rows(layout, places.clone());
            again.range(places.clone()).for_each(|(at, other)| frame.replace(at - places.start, other));
            return frame;
        }
        let mut frame = Frame::new(&layout.fields);
        for at in places {
            match again.get(&at) {
                Some(other) => frame.append(&mut other.clone()),
                None => self.push_rows(layout, at, &mut frame),
            }
        }
        frame
    }

    fn single_rows(&self, layout: &Layout, places: Range<usize>) -> Frame {
        let Some(end) = self.rows.last() else { return Frame::new(&layout.fields) };
        let count = places.len();
        let part = |column: &[f64]| column[places.clone()].to_vec();
        let mut numbers: Vec<Vec<f64>> = self.drawn.varied.iter().map(|column| part(column)).collect();
        // The time is the first that is kept.
        numbers.push(vec![end.time; count]);
        if layout.record == Record::Extremes {
            numbers.extend((0..2 * (layout.width() - 1)).map(|at| part(end.column(at))));
        } else {
            let others = layout.width() - 1;
            numbers.extend((0..others).map(|at| part(end.column(at))));
            let energies = part(end.column(layout.energy_among_kept() - 1));
            // Behind what is kept and whether the member is rare.
            let first = part(end.column(others + 1));
            numbers.push(energies.iter().zip(first).map(|(last, first)| last - first).collect());
        }
        let members = places.map(|at| (self.drawn.first + at as u64) as i64).collect();
        let finished: Word = Some(FINISHED.into());
        let texts = vec![vec![finished; count], vec![None; count], vec![None; count]];
        Frame::of_columns(&layout.fields, vec![members], numbers, texts)
    }

    fn push_rows(&self, layout: &Layout, at: usize, frame: &mut Frame) {
        let member = [(self.drawn.first + at as u64) as i64];
        let mut numbers: Vec<f64> = self.drawn.varied.iter().map(|column| column[at]).collect();
        let width = numbers.len();
        for (row, kept) in self.rows.iter().enumerate() {
            numbers.truncate(width);
            numbers.push(kept.time);
            numbers.extend((0..layout.width() - 1).map(|column| kept.column(column)[at]));
            let status: Word = (row + 1 == self.rows.len()).then(|| FINISHED.into());
            frame.push(&member, &numbers, [status, None, None]);
        }
    }
}

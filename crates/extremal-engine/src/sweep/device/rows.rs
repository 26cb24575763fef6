//! Rows of members from columns of a table.

use std::collections::BTreeMap;
use std::ops::Range;

use extremal_trajectory::frame::{Frame, Word};

use super::course::MarchedBatch;
use crate::sweep::record::{FINISHED, Layout, Record};
use crate::sweep::summary::{self, Summary};

/// The rows of members that were marched again, by their places in the batch.
pub(super) type RowsAgain = BTreeMap<usize, Frame>;

/// A column of rows where every member has one.
enum RowColumn<'b> {
    Same(f64),
    Told(&'b [f64]),
    Change { last: &'b [f64], first: &'b [f64] },
}

impl RowColumn<'_> {
    fn at(&self, place: usize) -> f64 {
        match self {
            RowColumn::Same(value) => *value,
            RowColumn::Told(column) => column[place],
            RowColumn::Change { last, first } => last[place] - first[place],
        }
    }

    fn part(&self, places: Range<usize>) -> Vec<f64> {
        match self {
            RowColumn::Same(value) => vec![*value; places.len()],
            RowColumn::Told(column) => column[places].to_vec(),
            RowColumn::Change { .. } => places.map(|place| self.at(place)).collect(),
        }
    }
}

/// Has every member one row?
fn is_single(layout: &Layout) -> bool {
    matches!(layout.record, Record::End | Record::Extremes)
}

impl MarchedBatch {
    /// The rows of some members, counted from the first of the batch.
    pub fn rows(&self, layout: &Layout, places: Range<usize>, again: &RowsAgain) -> Frame {
        if is_single(layout) {
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

    /// What is said of these rows, which need not be made for it where every member has one.
    pub fn summary(&self, layout: &Layout, places: Range<usize>, again: &RowsAgain) -> Summary {
        let numbers = layout.fields.number_names().len();
        if !is_single(layout) {
            return Summary::of(&self.rows(layout, places, again), numbers, layout.texts());
        }
        let rare = again.range(places.clone());
        let mut few = Frame::new(&layout.fields);
        rare.clone().for_each(|(_, row)| few.append(&mut row.clone()));
        let others = (places.len() - few.rows()) as u64;
        let ranges = self.single_columns(layout).into_iter().enumerate().map(|(at, column)| {
            let mut rare = rare.clone().peekable();
            summary::Range::of(places.clone().map(|place| match rare.next_if(|(at, _)| **at == place) {
                Some((_, row)) => row.numbers(at)[0],
                None => column.at(place),
            }))
        });
        let said = Summary::of(&few, numbers, layout.texts());
        Summary { rows: said.rows + others, finished: said.finished + others, ranges: ranges.collect(), ..said }
    }

    /// The columns of numbers of rows where every member has one.
    fn single_columns(&self, layout: &Layout) -> Vec<RowColumn<'_>> {
        let Some(end) = self.rows.last() else { return Vec::new() };
        let others = layout.width() - 1;
        let extremes = layout.record == Record::Extremes;
        let varied = layout.fields.number_names().len() - if extremes { 1 + 2 * others } else { others + 2 };
        let mut columns: Vec<RowColumn<'_>> = (0..varied).map(|at| RowColumn::Told(self.varied(at))).collect();
        // The time is the first that is kept.
        columns.push(RowColumn::Same(end.time));
        let told = if extremes { 2 * others } else { others };
        columns.extend((0..told).map(|at| RowColumn::Told(end.column(at))));
        if !extremes {
            // Behind what is kept and whether the member is rare.
            let (last, first) = (end.column(layout.energy_among_kept() - 1), end.column(others + 1));
            columns.push(RowColumn::Change { last, first });
        }
        columns
    }

    fn single_rows(&self, layout: &Layout, places: Range<usize>) -> Frame {
        if self.rows.is_empty() {
            return Frame::new(&layout.fields);
        }
        let count = places.len();
        let numbers = self.single_columns(layout).iter().map(|column| column.part(places.clone())).collect();
        let members = places.map(|at| (self.drawn.first + at as u64) as i64).collect();
        let finished: Word = Some(FINISHED.into());
        let texts = vec![vec![finished; count], vec![None; count], vec![None; count]];
        Frame::of_columns(&layout.fields, vec![members], numbers, texts)
    }

    fn push_rows(&self, layout: &Layout, at: usize, frame: &mut Frame) {
        let member = [(self.drawn.first + at as u64) as i64];
        let width = layout.fields.number_names().len() - layout.width();
        let mut numbers: Vec<f64> = (0..width).map(|column| self.varied(column)[at]).collect();
        for (row, kept) in self.rows.iter().enumerate() {
            numbers.truncate(width);
            numbers.push(kept.time);
            numbers.extend((0..layout.width() - 1).map(|column| kept.column(column)[at]));
            let status: Word = (row + 1 == self.rows.len()).then(|| FINISHED.into());
            frame.push(&member, &numbers, [status, None, None]);
        }
    }
}

//! The members that go through a table together.

use std::ops::Range;
use std::thread;

use extremal_solve::wide::KnownParameters;

use super::DeviceSweep;
use super::pool::joined;
use crate::sweep::members::Preparation;
use crate::sweep::variation::Variation;

/// Fewer members are not worth a thread.
const FEWEST_DRAWN: usize = 4096;

/// Members with what varies among them, by column.
pub(super) struct DrawnBatch {
    pub first: u64,
    pub count: usize,
    /// Nothing where the device draws it.
    pub varied: Vec<Vec<f64>>,
    /// Parameters and places of the start that follow.
    pub following: [Vec<Vec<f64>>; 2],
    /// Members that cannot be run, and those of which the device may not know enough.
    pub left: Vec<usize>,
}

impl DrawnBatch {
    /// Draws the values of members on so many threads.
    pub fn new(
        sweep: &DeviceSweep<'_>,
        known: &mut KnownParameters,
        preparation: &Preparation<'_>,
        variation: &Variation,
        members: Range<u64>,
        threads: u64,
    ) -> DrawnBatch {
        let count = (members.end - members.start) as usize;
        if sweep.drawing().is_some() {
            let (varied, following) = (Vec::new(), [Vec::new(), Vec::new()]);
            return DrawnBatch { first: members.start, count, varied, following, left: Vec::new() };
        }
        let varied = drawn(variation, members.clone(), sweep.varied.len(), threads);
        let mut batch =
            DrawnBatch { first: members.start, count, varied, following: [Vec::new(), Vec::new()], left: Vec::new() };
        if sweep.following.iter().any(|following| !following.is_empty()) {
            let ready = preparation.members(members);
            let [parameters, starts] = &sweep.following;
            let column =
                |at: &dyn Fn(&crate::sweep::members::Member<'_>) -> f64| ready.iter().map(|m| at(&m)).collect();
            batch.following = [
                parameters.iter().map(|(at, _)| column(&|member| member.parameters[*at])).collect(),
                starts.iter().map(|(at, _)| column(&|member| member.start[*at])).collect(),
            ];
            batch.left = ready.iter().enumerate().filter(|(_, m)| m.problem.is_some()).map(|(at, _)| at).collect();
        }
        batch.leave_unknown(sweep, known);
        batch
    }

    /// Leaves members out with whose parameters it is not known which states can be observed.
    fn leave_unknown(&mut self, sweep: &DeviceSweep<'_>, known: &mut KnownParameters) {
        let mut ranges: Vec<[f64; 2]> = sweep.parameters.iter().map(|value| [*value; 2]).collect();
        let of_varied =
            sweep.varied_parameters.iter().zip(&self.varied).filter_map(|(at, column)| Some(((*at)?, column)));
        let of_following = sweep.following[0].iter().map(|(at, _)| *at).zip(&self.following[0]);
        let columns: Vec<(usize, &Vec<f64>)> = of_varied.chain(of_following).collect();
        if columns.is_empty() {
            return;
        }
        for (at, column) in &columns {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            // What is no number is none of these.
            column.iter().for_each(|value| (low, high) = (low.min(*value), high.max(*value)));
            ranges[*at] = [low, high];
        }
        if known.is_known_between(&ranges) {
            return;
        }
        for member in 0..self.count {
            columns.iter().for_each(|(at, column)| ranges[*at] = [column[member]; 2]);
            if !known.is_known_between(&ranges) {
                self.left.push(member);
            }
        }
    }
}

/// The values of members, by column.
fn drawn(variation: &Variation, members: Range<u64>, width: usize, threads: u64) -> Vec<Vec<f64>> {
    let count = (members.end - members.start) as usize;
    let mut columns: Vec<Vec<f64>> = vec![vec![0.0; count]; width];
    let share = count.div_ceil(threads.max(1) as usize).max(FEWEST_DRAWN);
    let mut parts: Vec<_> = columns.iter_mut().map(|column| column.chunks_mut(share)).collect();
    thread::scope(|scope| {
        let begins = (members.start..members.end).step_by(share);
        let drawing: Vec<_> = begins
            .map(|from| {
                let mut own: Vec<&mut [f64]> = parts.iter_mut().filter_map(Iterator::next).collect();
                scope.spawn(move || {
                    let mut values = Vec::with_capacity(width);
                    for at in 0..own.first().map_or(0, |column| column.len()) {
                        values.clear();
                        variation.push_values(from + at as u64, &mut values);
                        own.iter_mut().zip(&values).for_each(|(column, value)| column[at] = *value);
                    }
                })
            })
            .collect();
        drawing.into_iter().for_each(joined);
    });
    columns
}

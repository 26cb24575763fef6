//! The rows of a grid over two axes, put together by cells: a picture of very many members in bounded memory.

use extremal_trajectory::frame::Frame;

use super::{CompiledSweep, Record};

/// Means of rows by cells of a grid.
pub struct CoarseGrid<'s> {
    sweep: &'s CompiledSweep,
    /// Members along both axes, and cells.
    members: [u64; 2],
    cells: [u64; 2],
    /// For each column the sums of its finite numbers by cells, and how many these are.
    sums: Vec<Vec<f64>>,
    counts: Vec<Vec<u32>>,
}

impl<'s> CoarseGrid<'s> {
    /// With at most so many cells along an axis. `None` for sweeps that are no grid over two axes with a row for each member.
    pub fn of(sweep: &'s CompiledSweep, most: u64) -> Option<CoarseGrid<'s>> {
        let variation = &sweep.variation;
        let is_grid = variation.list.is_none() && variation.random.is_empty() && variation.samples <= 1;
        let [across, up] = &variation.grid[..] else { return None };
        if !is_grid || !matches!(sweep.layout.record, Record::End | Record::Extremes) {
            return None;
        }
        let members = [across.len(), up.len()];
        let cells = members.map(|members| members.min(most.max(1)));
        let (columns, all) = (sweep.fields().number_names().len(), (cells[0] * cells[1]) as usize);
        Some(CoarseGrid {
            sweep,
            members,
            cells,
            sums: vec![vec![0.0; all]; columns],
            counts: vec![vec![0; all]; columns],
        })
    }

    /// Takes some rows.
    pub fn take(&mut self, frame: &Frame) {
        let [across, up] = self.members;
        let place = |member: &i64| {
            let member = *member as u64;
            let of_axis = |at: u64, axis: usize| at * self.cells[axis] / self.members[axis];
            (of_axis(member / up % across, 0) * self.cells[1] + of_axis(member % up, 1)) as usize
        };
        let places: Vec<usize> = frame.integers(0).iter().map(place).collect();
        for (at, (sums, counts)) in self.sums.iter_mut().zip(&mut self.counts).enumerate() {
            for (place, value) in places.iter().zip(frame.numbers(at)).filter(|(_, value)| value.is_finite()) {
                sums[*place] += value;
                counts[*place] += 1;
            }
        }
    }

    /// A row for each cell: the mean of every column over its members, without words. What varies is in the middle of the cell.
    pub fn rows(&self) -> Frame {
        let mean = |(sum, count): (&f64, &u32)| if *count > 0 { sum / f64::from(*count) } else { f64::NAN };
        let means =
            self.sums.iter().zip(&self.counts).map(|(sums, counts)| sums.iter().zip(counts).map(mean).collect());
        let mut numbers: Vec<Vec<f64>> = means.collect();
        // The middle of a cell, the same along a line of cells whatever is missing there.
        for (axis, grid) in self.sweep.variation.grid.iter().enumerate() {
            let ends = |cell: u64| [cell, cell + 1].map(|at| (at * self.members[axis]).div_ceil(self.cells[axis]));
            let middle = |cell: u64| {
                let [first, behind] = ends(cell);
                (grid.value(first) + grid.value(behind.max(first + 1) - 1)) / 2.0
            };
            let cell = |at: usize| if axis == 0 { at as u64 / self.cells[1] } else { at as u64 % self.cells[1] };
            numbers[axis].iter_mut().enumerate().for_each(|(at, value)| *value = middle(cell(at)));
        }
        let count = (self.cells[0] * self.cells[1]) as usize;
        let words = vec![vec![None; count]; self.sweep.layout.texts()];
        Frame::of_columns(self.sweep.fields(), vec![(0..count as i64).collect()], numbers, words)
    }
}

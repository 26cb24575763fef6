//! The first and the last rows, which are not like the others: ordinary programs.

use crate::machine::Machine;

use super::Stencil;

/// One of the two ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    First,
    Last,
}

/// Both ends with the memory to compute them.
#[derive(Clone)]
pub(super) struct Ends {
    machine: Machine,
    size: usize,
    /// Rows that an end may look at: those next to it, or in a ring half of them at each end.
    window: usize,
    is_ring: bool,
    before: usize,
    behind: usize,
    results: usize,
    sums: usize,
    outputs: Vec<f64>,
}

impl Ends {
    pub fn new(stencil: &Stencil, size: usize) -> Ends {
        let Stencil { before, behind, results, sums, is_ring, .. } = *stencil;
        Ends {
            machine: stencil.ends.machine(),
            size,
            window: stencil.size,
            is_ring,
            before,
            behind,
            results,
            sums,
            outputs: vec![0.0; results * before.max(behind) + sums],
        }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        self.machine.inputs_mut(0).copy_from_slice(values);
        self.machine.commit(0);
    }

    /// Computes the rows of an end, and returns its part of the sums; none if something is not finite.
    pub fn run(&mut self, side: Side, scalars: &[f64], fields: &[f64], results: &mut [f64]) -> (&[f64], bool) {
        let (entry, rows) = match side {
            Side::First => (0, self.before),
            Side::Last => (1, self.behind),
        };
        // So many rows of the window are the first ones, the others the last.
        let ahead = match side {
            _ if self.is_ring => self.window / 2,
            Side::First => self.window,
            Side::Last => 0,
        };
        let inputs = self.machine.inputs_mut(1);
        inputs[..scalars.len()].copy_from_slice(scalars);
        for (to, from) in inputs[scalars.len()..].chunks_exact_mut(self.window).zip(fields.chunks_exact(self.size)) {
            to[..ahead].copy_from_slice(&from[..ahead]);
            to[ahead..].copy_from_slice(&from[self.size - (self.window - ahead)..]);
        }
        let outputs = &mut self.outputs[..self.results * rows + self.sums];
        self.machine.run(entry, outputs);
        let finite = outputs.iter().all(|x| x.is_finite());
        let (ends, sums) = outputs.split_at(self.results * rows);
        let first = if side == Side::First { 0 } else { self.size - rows };
        for (row, result) in results.chunks_exact_mut(self.size).take(self.results).enumerate() {
            result[first..first + rows].copy_from_slice(&ends[row * rows..(row + 1) * rows]);
        }
        (sums, finite)
    }
}

//! Many steps at a time, each of them observed.

use extremal_eval::{Arch, TRACE_ROUNDS, TRACE_STRIDE};

use super::marcher::Marcher;
use crate::kernel::Kernel;
use crate::lane_kernel::LaneKernel;
use crate::step::{FusedMark, MotionState};

/// States of consecutive steps and what is observed at each of them, column by column, with what it takes to look at several side by side
/// and to go back to where they began.
pub struct MotionBlock {
    rows: usize,
    most: usize,
    times: Vec<f64>,
    /// Their columns stand [`TRACE_STRIDE`] apart.
    states: Vec<f64>,
    observed: Vec<f64>,
    lanes: LaneKernel,
    /// A state that is looked at alone, and what is seen there.
    alone: [Vec<f64>; 2],
    mark: BlockMark,
    arch: Arch,
}

/// Where a motion stood before its last block.
pub(super) enum BlockMark {
    /// Nowhere.
    None,
    /// All steps were fused: what these change.
    Fused(Box<FusedBlockMark>),
    /// The whole of it.
    Whole(Box<Marcher>),
}

pub(super) struct FusedBlockMark {
    pub motion: MotionState,
    pub previous: Vec<f64>,
    pub fused: FusedMark,
}

/// Numbers in a block, if that leaves rows enough: they should stay in a cache near by.
const NUMBERS: usize = 1 << 15;
const FEWEST_ROWS: usize = 32;
/// Where a row is longer than this, there is little to gain, and blocks would fill the memory.
const LONGEST_ROW: usize = 8192;

impl MotionBlock {
    /// No block has more rows than these.
    pub const MOST_ROWS: usize = TRACE_ROUNDS;

    /// For states and observations of so many numbers, by `kernel`; `None` where there are too many, or the kernel cannot look at
    /// several states side by side.
    pub(super) fn new(states: usize, observed: usize, kernel: &Kernel) -> Option<MotionBlock> {
        if states + observed > LONGEST_ROW {
            return None;
        }
        let lanes = LaneKernel::of(kernel)?;
        Some(MotionBlock {
            rows: 0,
            most: (NUMBERS / (states + observed).max(1)).clamp(FEWEST_ROWS, TRACE_ROUNDS),
            times: vec![0.0; TRACE_ROUNDS],
            states: vec![0.0; states * TRACE_STRIDE],
            observed: vec![0.0; observed * TRACE_STRIDE],
            lanes,
            alone: [vec![0.0; states], vec![0.0; observed]],
            mark: BlockMark::None,
            arch: Arch::new(),
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many there can be.
    pub fn most_rows(&self) -> usize {
        self.most
    }

    /// The times after the steps.
    pub fn times(&self) -> &[f64] {
        &self.times[..self.rows]
    }

    /// A number of the state, after each step.
    pub fn state(&self, at: usize) -> &[f64] {
        &self.states[at * TRACE_STRIDE..][..self.rows]
    }

    /// A number that is observed, after each step.
    pub fn observed(&self, at: usize) -> &[f64] {
        &self.observed[at * TRACE_STRIDE..][..self.rows]
    }

    /// All numbers that are observed from one on, and how far the values of each stand from those of the one before.
    pub fn observed_from(&self, at: usize) -> (&[f64], usize) {
        (&self.observed[(at * TRACE_STRIDE).min(self.observed.len())..], TRACE_STRIDE)
    }

    pub(super) fn mark_mut(&mut self) -> &mut BlockMark {
        &mut self.mark
    }

    pub(super) fn states_mut(&mut self) -> &mut [f64] {
        &mut self.states
    }

    /// Takes a state as the one after the step number `row`.
    pub(super) fn set_state(&mut self, row: usize, state: &[f64]) {
        self.states.chunks_exact_mut(TRACE_STRIDE).zip(state).for_each(|(column, value)| column[row] = *value);
    }

    /// The state after a step.
    pub(super) fn read_state(&self, row: usize, state: &mut [f64]) {
        state.iter_mut().zip(self.states.chunks_exact(TRACE_STRIDE)).for_each(|(value, column)| *value = column[row]);
    }

    /// Observes so many states; `alone` observes one of them where some cannot be looked at together. Are all of them such that can be
    /// observed?
    pub(super) fn observe(
        &mut self,
        rows: usize,
        time: impl Fn(usize) -> f64,
        mut alone: impl FnMut(&[f64], f64, &mut [f64]) -> bool,
    ) -> bool {
        self.rows = rows;
        self.arch.dispatch(
            #[inline(always)]
            || self.times[..rows].iter_mut().enumerate().for_each(|(row, own)| *own = time(row)),
        );
        let lanes = self.lanes.lanes();
        for first in (0..rows).step_by(lanes) {
            let count = lanes.min(rows - first);
            let inputs = self.lanes.inputs_mut();
            let columns = self.states.chunks_exact(TRACE_STRIDE).map(|column| &column[first..first + count]);
            let columns = columns.chain([&self.times[first..first + count]]);
            for (place, column) in inputs.chunks_exact_mut(lanes).zip(columns) {
                copy(&mut place[..count], column);
                place[count..].fill(column[count - 1]);
            }
            if let Some(outputs) = self.lanes.run() {
                for (column, values) in self.observed.chunks_exact_mut(TRACE_STRIDE).zip(outputs.chunks_exact(lanes)) {
                    copy(&mut column[first..first + count], &values[..count]);
                }
                continue;
            }
            let [state, seen] = &mut self.alone;
            for row in first..first + count {
                let columns = self.states.chunks_exact(TRACE_STRIDE);
                state.iter_mut().zip(columns).for_each(|(value, column)| *value = column[row]);
                if !alone(state, self.times[row], seen) {
                    return false;
                }
                self.observed.chunks_exact_mut(TRACE_STRIDE).zip(&*seen).for_each(|(own, value)| own[row] = *value);
            }
        }
        true
    }
}

/// Copies the numbers of a few lanes: most often of one of two numbers of them, which the compiler is told.
#[inline(always)]
fn copy(to: &mut [f64], from: &[f64]) {
    if let (Ok(to), Ok(from)) = (<&mut [f64; 16]>::try_from(&mut *to), <&[f64; 16]>::try_from(from)) {
        *to = *from;
    } else if let (Ok(to), Ok(from)) = (<&mut [f64; 4]>::try_from(&mut *to), <&[f64; 4]>::try_from(from)) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

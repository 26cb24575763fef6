//! Where the numbers of a fused step stand among its inputs.

use std::ops::Range;

use crate::step::history::DEPTH;

/// Where things stand among the inputs that the loop changes: the state, the number of the step, the largest residual so far, the
/// unknowns of the last steps (newest first), the guess, with which a step that was not good enough is tried again, the differences
/// that go beside the state (where nothing is solved), and the number of updates (where something is).
#[derive(Clone, Copy)]
pub(super) struct LoopLayout {
    pub state: usize,
    pub unknowns: usize,
    pub differences: usize,
}

impl LoopLayout {
    pub fn state(self) -> Range<usize> {
        0..self.state
    }

    pub fn count(self) -> usize {
        self.state
    }

    pub fn max_residual(self) -> usize {
        self.state + 1
    }

    pub fn history(self) -> Range<usize> {
        let first = self.state + 2;
        first..first + DEPTH * self.unknowns
    }

    pub fn guess(self) -> Range<usize> {
        let first = self.history().end;
        first..first + self.unknowns
    }

    pub fn differences(self) -> Range<usize> {
        let first = self.guess().end;
        first..first + self.differences
    }

    /// `None` where nothing is solved.
    pub fn updates(self) -> Option<usize> {
        (self.unknowns > 0).then_some(self.differences().end)
    }

    pub fn len(self) -> usize {
        self.differences().end + usize::from(self.unknowns > 0)
    }
}

/// The same for motions side by side, which have more: the ways of the last step, what tells whether the motion is smooth, the tries
/// of the present step, and the steps that are left.
#[derive(Clone)]
pub(crate) struct LaneLayout {
    /// The ways of the coordinates.
    pub ways: Vec<usize>,
    /// Are these ways for their own sake? Otherwise they are unknowns: ways by the step size.
    pub own_ways: bool,
    pub strongest: usize,
    pub rough: usize,
    /// The square of the longest row of constraints, where these are watched.
    pub longest: Option<usize>,
    pub tries: usize,
    pub left: usize,
}

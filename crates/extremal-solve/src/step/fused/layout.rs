//! Where the numbers of a fused step stand among its inputs.

use std::ops::Range;

use crate::step::history::DEPTH;

/// Where things stand among the inputs that the loop changes: the state, the number of the step, the largest residual so far, the
/// unknowns of the last steps (newest first), the guess, with which a step that was not good enough is tried again, the differences
/// that go beside the state (where nothing is solved), and the number of updates (where something is).
#[derive(Clone, Copy)]
pub(crate) struct LoopLayout {
    pub state: usize,
    pub unknowns: usize,
    pub differences: usize,
}

/// What is known of the steps of a motion that all were solved alike, after so many of them.
pub(crate) struct KnownSteps {
    /// The steps that are remembered,
    pub before: usize,
    /// those that are after another one,
    pub following: usize,
    /// and whether it stays at that.
    pub is_full: bool,
}

impl LoopLayout {
    /// What is known after so many steps.
    pub fn known(self, steps: u64) -> KnownSteps {
        if self.unknowns == 0 {
            return KnownSteps { before: 0, following: DEPTH, is_full: true };
        }
        let before = steps.min(DEPTH as u64) as usize;
        KnownSteps { before, following: (before + 1).min(DEPTH), is_full: before == DEPTH }
    }

    /// How many weights an extrapolation has.
    pub fn weights(self) -> usize {
        if self.unknowns == 0 { 0 } else { DEPTH }
    }

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
    /// Where the rest stands, as for one motion.
    pub places: LoopLayout,
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

/// Where things stand among the inputs that the loop of a table changes: the state, the number of the step where formulas contain the time,
/// the unknowns of the last steps, differences, ways that are no unknowns, the strongest first sum, whether a step was rough, what is too
/// little to be seen, and the guess.
#[derive(Clone)]
pub(crate) struct WideLayout {
    pub state: usize,
    pub count: Option<usize>,
    pub history: usize,
    pub differences: usize,
    pub ways: usize,
    pub own_ways: bool,
    /// How many steps are remembered.
    pub known: usize,
    pub unknowns: usize,
    pub dimension: usize,
    /// How many differences there are.
    pub beside: usize,
}

impl WideLayout {
    pub fn strongest(&self) -> usize {
        self.ways + if self.own_ways { self.dimension } else { 0 }
    }

    pub fn rough(&self) -> usize {
        self.strongest() + 1
    }

    pub fn quiet(&self) -> usize {
        self.strongest() + 2
    }

    pub fn guess(&self) -> usize {
        self.strongest() + 3
    }

    pub fn len(&self) -> usize {
        self.guess() + self.unknowns
    }
}

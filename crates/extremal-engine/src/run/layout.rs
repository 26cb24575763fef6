//! Where quantities stand in the numbers of a motion: in its state, in what is observed of it, in its rows.

use std::ops::Range;

/// What a step carries: positions, momenta (or velocities), entropies, accounts.
#[derive(Clone, Copy)]
pub(crate) struct StateLayout {
    pub coordinates: usize,
    pub entropies: usize,
    pub accounts: usize,
}

impl StateLayout {
    pub fn positions(self) -> Range<usize> {
        0..self.coordinates
    }

    pub fn entropies(self) -> Range<usize> {
        after(2 * self.coordinates, self.entropies)
    }

    pub fn accounts(self) -> Range<usize> {
        after(self.entropies().end, self.accounts)
    }
}

/// What is observed at a state: velocities, momenta, recorded outputs, stop conditions, residuals of constraints, and the rest.
#[derive(Clone, Copy)]
pub(crate) struct ObservedLayout {
    pub coordinates: usize,
    /// Outputs before the temperatures: multipliers and reactions.
    pub reactions: usize,
    pub entropies: usize,
    pub outputs: usize,
    pub stops: usize,
    pub residuals: usize,
}

impl ObservedLayout {
    pub fn velocities(self) -> Range<usize> {
        0..self.coordinates
    }

    pub fn momenta(self) -> Range<usize> {
        after(self.coordinates, self.coordinates)
    }

    pub fn outputs(self) -> Range<usize> {
        after(2 * self.coordinates, self.outputs)
    }

    pub fn energy(self) -> usize {
        self.outputs().start + self.reactions + self.entropies
    }

    pub fn stops(self) -> Range<usize> {
        after(self.outputs().end, self.stops)
    }

    pub fn residuals(self) -> Range<usize> {
        after(self.stops().end, self.residuals)
    }
}

/// A row: time, positions, velocities, momenta, entropies, outputs (multipliers and reactions, temperatures, the energy, others), the
/// energy estimated from positions, accounts.
#[derive(Clone, Copy)]
pub(crate) struct RowLayout {
    pub state: StateLayout,
    /// Outputs before the temperatures: multipliers and reactions.
    pub reactions: usize,
    pub outputs: usize,
    /// Is the energy also estimated from positions?
    pub estimate: bool,
}

/// Where the time stands in a row.
pub(crate) const TIME: usize = 0;

impl RowLayout {
    pub fn positions(self) -> Range<usize> {
        after(TIME + 1, self.state.coordinates)
    }

    pub fn velocities(self) -> Range<usize> {
        after(self.positions().end, self.state.coordinates)
    }

    pub fn momenta(self) -> Range<usize> {
        after(self.velocities().end, self.state.coordinates)
    }

    pub fn entropies(self) -> Range<usize> {
        after(self.momenta().end, self.state.entropies)
    }

    pub fn outputs(self) -> Range<usize> {
        after(self.entropies().end, self.outputs)
    }

    /// The first outputs are the multipliers.
    pub fn multiplier(self, constraint: usize) -> usize {
        self.outputs().start + constraint
    }

    pub fn temperatures(self) -> Range<usize> {
        after(self.outputs().start + self.reactions, self.state.entropies)
    }

    pub fn energy(self) -> usize {
        self.temperatures().end
    }

    /// Where the estimated energy stands, if there is one.
    pub fn estimate(self) -> usize {
        self.outputs().end
    }

    pub fn accounts(self) -> Range<usize> {
        after(self.outputs().end + usize::from(self.estimate), self.state.accounts)
    }

    /// A coordinate or, counted after them, an entropy.
    pub fn target(self, target: usize) -> usize {
        match target.checked_sub(self.state.coordinates) {
            None => self.positions().start + target,
            Some(entropy) => self.entropies().start + entropy,
        }
    }
}

fn after(start: usize, length: usize) -> Range<usize> {
    start..start + length
}

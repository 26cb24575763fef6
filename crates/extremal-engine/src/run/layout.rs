//! Where quantities stand in the numbers of a motion: in its state, in what is observed of it, in its rows.

use std::ops::Range;

/// What a step carries: positions, momenta (or velocities), entropies with amounts and states after them, accounts.
#[derive(Clone, Copy)]
pub(crate) struct StateLayout {
    pub coordinates: usize,
    /// Entropies, amounts and states.
    pub entropies: usize,
    /// States alone.
    pub states: usize,
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

/// What is observed at a state: velocities, momenta, recorded outputs, stop conditions, residuals of constraints, their rows, sizes of
/// their terms, determinants of the mass matrix, and the rest.
#[derive(Clone, Copy)]
pub(crate) struct ObservedLayout {
    pub coordinates: usize,
    /// Outputs before the temperatures: multipliers and reactions.
    pub reactions: usize,
    /// Temperatures, then chemical potentials.
    pub temperatures: usize,
    pub outputs: usize,
    pub stops: usize,
    pub residuals: usize,
    /// Entries of the rows of constraints, and as many rates of change.
    pub rows: usize,
    /// Constraints on velocities, whose terms are measured.
    pub measured: usize,
    pub determinants: usize,
}

impl ObservedLayout {
    pub fn velocities(self) -> Range<usize> {
        0..self.coordinates
    }

    pub fn outputs(self) -> Range<usize> {
        after(2 * self.coordinates, self.outputs)
    }

    pub fn energy(self) -> usize {
        self.outputs().start + self.reactions + self.temperatures
    }

    pub fn stops(self) -> Range<usize> {
        after(self.outputs().end, self.stops)
    }

    pub fn residuals(self) -> Range<usize> {
        after(self.stops().end, self.residuals)
    }

    pub fn rows(self) -> Range<usize> {
        after(self.residuals().end, self.rows)
    }

    pub fn sizes(self) -> Range<usize> {
        after(self.rows().end, self.measured)
    }

    pub fn determinants(self) -> Range<usize> {
        after(self.sizes().end, self.determinants)
    }
}

/// A row: time, positions, velocities, momenta (unless they are positions), entropies, outputs (multipliers and reactions, temperatures, the energy, others), the
/// energy estimated from positions, accounts. There is a row for every step: its parts are counted once.
#[derive(Clone, Default)]
pub(crate) struct RowLayout {
    pub positions: Range<usize>,
    pub velocities: Range<usize>,
    /// Those of the first coordinates are the last of them where momenta are coordinates.
    pub momenta: Range<usize>,
    pub entropies: Range<usize>,
    pub outputs: Range<usize>,
    pub temperatures: Range<usize>,
    pub energy: usize,
    /// Where the estimated energy stands, if there is one.
    pub estimate: usize,
    pub accounts: Range<usize>,
    /// Where the derivatives stand that were asked for, up to the end.
    pub sensitivities: usize,
}

/// Where the time stands in a row.
pub(crate) const TIME: usize = 0;

impl RowLayout {
    /// Of so many outputs, the first of which are multipliers and reactions; is the energy also estimated? So many of the positions, the
    /// last ones, are momenta.
    pub fn new(
        state: StateLayout,
        outputs: usize,
        reactions: usize,
        estimated: bool,
        momentum_coordinates: usize,
    ) -> RowLayout {
        let StateLayout { coordinates, entropies, states, accounts } = state;
        let positions = after(TIME + 1, coordinates);
        let velocities = after(positions.end, coordinates);
        let momenta = match momentum_coordinates {
            0 => after(velocities.end, coordinates),
            count => positions.end - count..positions.end,
        };
        let entropies = after(velocities.end.max(momenta.end), entropies);
        let outputs = after(entropies.end, outputs);
        let temperatures = after(outputs.start + reactions, entropies.len() - states);
        let (energy, estimate) = (temperatures.end, outputs.end);
        let accounts = after(estimate + usize::from(estimated), accounts);
        let sensitivities = accounts.end;
        RowLayout {
            positions,
            velocities,
            momenta,
            entropies,
            outputs,
            temperatures,
            energy,
            estimate,
            accounts,
            sensitivities,
        }
    }

    /// The first outputs are the multipliers.
    pub fn multiplier(&self, constraint: usize) -> usize {
        self.outputs.start + constraint
    }

    /// A coordinate or, counted after them, an entropy, an amount or a state.
    pub fn target(&self, target: usize) -> usize {
        match target.checked_sub(self.positions.len()) {
            None => self.positions.start + target,
            Some(entropy) => self.entropies.start + entropy,
        }
    }
}

fn after(start: usize, length: usize) -> Range<usize> {
    start..start + length
}

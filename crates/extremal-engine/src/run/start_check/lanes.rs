//! The check of a start for several motions side by side, as far as nothing is wrong with them.

use extremal_solve::{LaneKernel, LaneSolver, StartValues};

use super::{CONSISTENT, StartCheck};

/// Checks starts in columns. Where what it can see does not say that a start is good, it is checked alone.
pub(crate) struct LaneStartCheck {
    one: StartCheck,
    /// Not where starts are completed before they are checked.
    kernel: Option<LaneKernel>,
    regularity: Option<LaneSolver>,
    right: Vec<f64>,
    products: Vec<f64>,
    start: StartValues,
    parameters: Vec<f64>,
    well: Vec<bool>,
}

/// More constraints on velocities are looked at one start after the other.
const MOST_ROWS: usize = 8;
/// What is left of the square of a row beside the others is at least this part of it.
const CLEARLY: f64 = 1e-6;

impl LaneStartCheck {
    /// The same as `one` for so many starts with as many numbers as these.
    pub fn new(one: StartCheck, start: StartValues, lanes: usize) -> LaneStartCheck {
        let rows = one.kept.len();
        let simple = one.on_manifold.is_none() && one.shared.is_empty() && rows <= MOST_ROWS;
        let entries = |pattern: &[Vec<usize>]| pattern.iter().map(Vec::len).sum();
        let regularity = one.regularity.as_ref();
        LaneStartCheck {
            kernel: if simple { LaneKernel::in_lanes(&one.kernel, lanes) } else { None },
            right: vec![0.0; regularity.map_or(0, |check| check.pattern.len()) * lanes],
            regularity: regularity.map(|check| LaneSolver::of(&check.solver, entries(&check.pattern), lanes)),
            products: vec![0.0; rows * rows * lanes],
            start,
            parameters: Vec::new(),
            well: vec![false; lanes],
            one,
        }
    }

    /// Checks starts: columns of parameters, and of positions, velocities, second positions, entropies and multipliers, which are moved where
    /// one start alone would be. Which of them are good?
    pub fn run(&mut self, parameters: &[f64], starts: &mut [f64], time: f64) -> &[bool] {
        self.well.fill(false);
        if self.evaluate(parameters, starts, time) {
            self.judge();
        }
        let lanes = self.well.len();
        for at in 0..lanes {
            if !self.well[at] {
                self.well[at] = self.check_one(parameters, starts, time, at);
            }
        }
        &self.well
    }

    fn evaluate(&mut self, parameters: &[f64], starts: &[f64], time: f64) -> bool {
        let Some(kernel) = &mut self.kernel else { return false };
        let lanes = self.well.len();
        if kernel.parameters_mut() != parameters {
            kernel.parameters_mut().copy_from_slice(parameters);
            kernel.commit_parameters();
        }
        let StartValues { q, v, second, s, .. } = &self.start;
        let (motion, rest) = starts.split_at((q.len() + v.len()) * lanes);
        let (entropies, multipliers) = rest[second.len() * lanes..].split_at(s.len() * lanes);
        let mut inputs = &mut kernel.inputs_mut()[..];
        for part in [motion, entropies] {
            let (own, rest) = inputs.split_at_mut(part.len());
            own.copy_from_slice(part);
            inputs = rest;
        }
        let (times, rest) = inputs.split_at_mut(lanes);
        times.fill(time);
        rest.copy_from_slice(multipliers);
        kernel.run().is_some()
    }

    /// Sees which starts are good as they are.
    fn judge(&mut self) {
        let LaneStartCheck { one, kernel: Some(kernel), regularity, right, products, well, .. } = self else { return };
        let lanes = well.len();
        let (domains, rest) = kernel.columns().split_at(one.domains.len() * lanes);
        let (temperatures, rest) = rest.split_at(one.entropies.len() * lanes);
        let (conductances, rest) = rest.split_at(one.conductions.len() * lanes);
        let (residuals, rest) = rest.split_at(2 * one.residuals.len() * lanes);
        let (rows, entries) = rest.split_at(one.kept.len() * one.coordinates * lanes);
        well.fill(true);
        let mut ask = |column: &[f64], holds: &dyn Fn(f64) -> bool| {
            well.iter_mut().zip(column).for_each(|(well, value)| *well &= holds(*value));
        };
        domains.chunks_exact(lanes).for_each(|column| ask(column, &|inside| inside != 0.0));
        temperatures.chunks_exact(lanes).for_each(|column| ask(column, &|t| t > 0.0));
        conductances.chunks_exact(lanes).for_each(|column| ask(column, &|conductance| conductance >= 0.0));
        for pair in residuals.chunks_exact(2 * lanes) {
            let (residuals, sizes) = pair.split_at(lanes);
            let pairs = residuals.iter().zip(sizes);
            well.iter_mut().zip(pairs).for_each(|(well, (r, size))| *well &= r.abs() <= CONSISTENT * size);
        }
        are_independent(rows, one.coordinates, products, well);
        if let Some(solver) = regularity {
            right.fill(0.0);
            if !solver.solve(lanes, entries, right) {
                well.fill(false);
            }
        }
    }

    fn check_one(&mut self, parameters: &[f64], starts: &mut [f64], time: f64, at: usize) -> bool {
        let lanes = self.well.len();
        self.parameters.clear();
        self.parameters.extend(parameters.iter().skip(at).step_by(lanes));
        let StartValues { q, v, second, s, multipliers, time: own_time } = &mut self.start;
        let own = [&mut *q, v, second, s, multipliers].into_iter().flatten();
        own.zip(starts.iter().skip(at).step_by(lanes)).for_each(|(own, value)| *own = *value);
        *own_time = time;
        if self.one.check(&self.parameters, &mut self.start).is_err() {
            return false;
        }
        let StartValues { q, v, second, s, multipliers, .. } = &self.start;
        let moved = [q, v, second, s, multipliers].into_iter().flatten();
        starts.iter_mut().skip(at).step_by(lanes).zip(moved).for_each(|(to, value)| *to = *value);
        true
    }
}

/// Finds out in which lanes rows of so many numbers are far from depending on each other, by the pivots of their products.
fn are_independent(rows: &[f64], columns: usize, products: &mut [f64], well: &mut [bool]) {
    let lanes = well.len();
    let width = columns * lanes;
    if width == 0 {
        return;
    }
    let n = rows.len() / width;
    for (at, well) in well.iter_mut().enumerate() {
        let entry = |row: usize, column: usize| rows[row * width + column * lanes + at];
        for i in 0..n {
            for j in 0..=i {
                products[i * n + j] = (0..columns).map(|column| entry(i, column) * entry(j, column)).sum();
            }
        }
        for k in 0..n {
            let square = products[k * n + k];
            for j in 0..k {
                let factor = products[k * n + j];
                for i in k..n {
                    products[i * n + k] -= products[i * n + j] * factor;
                }
            }
            let pivot = products[k * n + k];
            if !(pivot > CLEARLY * square) || !pivot.is_finite() {
                *well = false;
                break;
            }
            let root = pivot.sqrt();
            (k..n).for_each(|i| products[i * n + k] /= root);
        }
    }
}

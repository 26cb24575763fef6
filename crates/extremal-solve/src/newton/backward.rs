//! What round-off of the inputs makes of residuals.

use extremal_eval::Machine;

use super::slopes::SlopeSolver;

/// How far the inputs are moved, relative to themselves: small enough for differences to be slopes, large enough for them to be more
/// than round-off.
const MOVED: f64 = 1e-6;
/// Patterns of signs that are tried. What several inputs do together is seen up to a factor of two by one of them but for bad luck.
const PATTERNS: u32 = 4;
/// The tier of the inputs of a block.
const INPUTS: usize = 1;

/// Measures the sizes below which residuals cannot be told from zero, times ε. It takes a few evaluations and solves, and nobody asks
/// unless a residual is large for its terms.
#[derive(Clone)]
pub(super) struct Backward {
    /// The tier of the unknowns, and the entry that gives the residuals.
    tier: usize,
    entry: usize,
    inputs: Vec<f64>,
    moved: Vec<f64>,
    sizes: Vec<f64>,
    reached: Vec<f64>,
}

impl Backward {
    /// For so many residuals, and with the sums among what is solved for so many rows in all.
    pub fn new(tier: usize, entry: usize, inputs: usize, [rows, all]: [usize; 2]) -> Self {
        let ([moved, sizes], reached) = ([(); 2].map(|()| vec![0.0; rows]), vec![0.0; all]);
        Backward { tier, entry, inputs: vec![0.0; inputs], moved, sizes, reached }
    }

    /// The sizes of the rows at the present inputs and unknowns, where the residuals and the sizes of their terms are these: with
    /// `|∂r/∂a| |a|` over all inputs `a`, and `|J| |J⁻¹|` times that, for the rows determine unknowns no better.
    pub fn sizes(
        &mut self,
        machine: &mut Machine,
        residual: &[f64],
        own: &[f64],
        solver: &mut SlopeSolver,
        slopes: impl Iterator<Item = ((usize, usize), f64)> + Clone,
    ) -> &[f64] {
        self.inputs.copy_from_slice(machine.inputs(INPUTS));
        self.sizes.copy_from_slice(own);
        for pattern in 0..PATTERNS {
            let signed = self.inputs.iter().enumerate().map(|(at, value)| value * (1.0 + sign(at, pattern) * MOVED));
            machine.inputs_mut(INPUTS).iter_mut().zip(signed).for_each(|(input, value)| *input = value);
            (INPUTS..self.tier).for_each(|tier| machine.commit(tier));
            machine.run(self.entry, &mut self.moved);
            for ((size, moved), (residual, own)) in self.sizes.iter_mut().zip(&self.moved).zip(residual.iter().zip(own))
            {
                let slope = (moved - residual).abs() / MOVED;
                // Beyond a border of the domain there is no slope, and no excuse.
                *size = if slope.is_finite() { size.max(own + slope) } else { *size };
            }
        }
        machine.inputs_mut(INPUTS).copy_from_slice(&self.inputs);
        (INPUTS..self.tier).for_each(|tier| machine.commit(tier));
        let rows = self.sizes.len();
        self.reached[..rows].copy_from_slice(&self.sizes);
        for pattern in 0..PATTERNS {
            let signed = self.sizes.iter().enumerate().map(|(at, size)| sign(at, pattern) * size);
            self.moved.iter_mut().zip(signed).for_each(|(moved, size)| *moved = size);
            let moved = solver.solve_whole(&self.moved);
            let mut last = None;
            let mut total = 0.0;
            for ((row, column), slope) in slopes.clone().chain([((usize::MAX, 0), 0.0)]) {
                if let Some(before) = last.filter(|before| *before != row) {
                    let reached: f64 = std::mem::take(&mut total);
                    let known: f64 = self.reached[before];
                    self.reached[before] = if reached.is_finite() { known.max(reached) } else { known };
                }
                last = Some(row);
                total += if row == usize::MAX { 0.0 } else { (slope * moved[column]).abs() };
            }
        }
        &self.reached[..rows]
    }
}

/// The sign with which an input is moved: as good as random, and always the same.
fn sign(at: usize, pattern: u32) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    if mixed >> (63 - pattern) & 1 == 0 { 1.0 } else { -1.0 }
}

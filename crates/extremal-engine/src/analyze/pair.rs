//! The formulas of a step with the numbers of a motion.

use std::collections::HashMap;

use extremal_expr::{Expr, Graph};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{StepBinding, StepGeometry};
use extremal_solve::DenseLu;
use extremal_solve::dense::product;

use super::transport::StepTaken;

/// A step by its two ends, with the numbers of its formulas.
pub(super) struct StepPair {
    /// q_0, q_1, S_0.
    pub at: Vec<f64>,
    pub momenta: [Vec<f64>; 2],
    pub two_forms: [Vec<f64>; 2],
    pub matrices: [Vec<f64>; 2],
}

/// What is evaluated at every step: slopes of the momenta and of what determines the hidden quantities.
pub(super) struct PairFormulas<'a, 'g> {
    geometry: &'a StepGeometry<'g>,
    momenta: Vec<Expr<'g>>,
    by_variables: Vec<Expr<'g>>,
    by_hidden: Vec<Expr<'g>>,
    hidden_by_variables: Vec<Expr<'g>>,
    hidden_by_hidden: Vec<Expr<'g>>,
}

impl<'a, 'g> PairFormulas<'a, 'g> {
    pub fn of(g: &'g Graph, geometry: &'a StepGeometry<'g>) -> Self {
        let (variables, momenta) = (geometry.variables(), geometry.momenta.concat());
        let slopes = |functions: &[Expr<'g>], by: &[Expr<'g>]| dense(g.jacobian(functions, by), by.len(), g.int(0));
        PairFormulas {
            by_variables: slopes(&momenta, &variables),
            by_hidden: slopes(&momenta, &geometry.hidden),
            hidden_by_variables: slopes(&geometry.hidden_rows, &variables),
            hidden_by_hidden: slopes(&geometry.hidden_rows, &geometry.hidden),
            geometry,
            momenta,
        }
    }

    /// Do the constraints leave forms of two positions?
    pub fn has_forms(&self) -> bool {
        self.geometry.binding != StepBinding::Velocities
    }

    /// The numbers of a step; `known` are those of the parameters, and keeps what is set here.
    pub fn at(&self, system: &System<'g>, taken: &StepTaken, known: &mut HashMap<String, f64>) -> Option<StepPair> {
        self.place(system, taken, known)?;
        let g = system.graph;
        let evaluate = |functions: &[Expr<'g>]| g.evaluate(functions, |name| known.get(name).copied());
        let (variables, hidden, n) = (self.geometry.variables(), self.geometry.hidden.len(), system.len());
        let width = variables.len();
        let moved = moved_by(&evaluate(&self.hidden_by_hidden), &evaluate(&self.hidden_by_variables), hidden, width)?;
        let through = product(&evaluate(&self.by_hidden), &moved, 2 * n, hidden, width);
        let direct = evaluate(&self.by_variables);
        let total: Vec<f64> = direct.iter().zip(&through).map(|(a, b)| a + b).collect();
        let values = evaluate(&self.momenta);
        let matrices = [&self.geometry.forward, &self.geometry.backward];
        Some(StepPair {
            at: evaluate(&variables),
            momenta: [values[..n].to_vec(), values[n..].to_vec()],
            two_forms: [0, 1].map(|end| wedged(&total[end * n * width..(end + 1) * n * width], end * n, width)),
            matrices: matrices.map(|matrix| evaluate(&matrix.entries)),
        })
    }

    /// The ends of a step, what is in between, and its multipliers, by their symbols.
    fn place(&self, system: &System<'g>, taken: &StepTaken, known: &mut HashMap<String, f64>) -> Option<()> {
        let (g, n, m) = (system.graph, system.len(), system.heat.s.len());
        for (symbol, value) in &taken.unknowns {
            set(known, g.expr(*symbol), *value);
        }
        set(known, system.t, taken.time);
        for (end, state) in [&taken.state, &taken.next].into_iter().enumerate() {
            let symbols = self.geometry.ends[end].iter().chain(&self.geometry.entropies[end]);
            let values = state[..n].iter().chain(&state[2 * n..2 * n + m]);
            symbols.zip(values).for_each(|(symbol, value)| set(known, *symbol, *value));
        }
        let step = *known.get("h")?;
        for (place, (node, increment)) in self.geometry.hidden.iter().zip(&self.geometry.increments).enumerate() {
            set(known, *node, taken.state[place % n] + step * taken.unknowns.get(&increment.id())?);
        }
        Some(())
    }
}

/// Σ_k dx_k ∧ (row k), where x_k is at place `first + k`.
fn wedged(rows: &[f64], first: usize, width: usize) -> Vec<f64> {
    let mut form = vec![0.0; width * width];
    for (k, row) in rows.chunks(width).enumerate() {
        for (j, slope) in row.iter().enumerate() {
            form[(first + k) * width + j] += slope;
            form[j * width + first + k] -= slope;
        }
    }
    form
}

/// −a⁻¹ b, of a square matrix `a` of this size and a matrix `b` with so many columns.
fn moved_by(a: &[f64], b: &[f64], size: usize, columns: usize) -> Option<Vec<f64>> {
    let mut moved = vec![0.0; size * columns];
    if size == 0 {
        return Some(moved);
    }
    let mut lu = DenseLu::new(size);
    lu.factor(a).ok()?;
    for column in 0..columns {
        let mut right: Vec<f64> = (0..size).map(|row| -b[row * columns + column]).collect();
        lu.solve(&mut right);
        right.into_iter().enumerate().for_each(|(row, value)| moved[row * columns + column] = value);
    }
    Some(moved)
}

/// A matrix of expressions by rows, zeros included.
pub(super) fn dense<'g>(rows: Vec<Vec<(usize, Expr<'g>)>>, columns: usize, zero: Expr<'g>) -> Vec<Expr<'g>> {
    let mut entries = vec![zero; rows.len() * columns];
    for (row, slopes) in rows.into_iter().enumerate() {
        slopes.into_iter().for_each(|(column, slope)| entries[row * columns + column] = slope);
    }
    entries
}

/// The value of a symbol by its name.
pub(super) fn set(known: &mut HashMap<String, f64>, symbol: Expr<'_>, value: f64) {
    if let Some(name) = symbol.as_symbol() {
        known.insert(name.to_string(), value);
    }
}

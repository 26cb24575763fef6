//! A solution checked by an independent simulation: the controls found, the continuous equations, DOP853.

use extremal_expr::Id;
use extremal_mechanics::System;
use extremal_solve::{AdaptiveMarcher, AdaptiveMethod, March, StartValues};
use extremal_trajectory::ColumnLayout;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::solution::with_found;
use super::{BoundarySolution, Kind, Problem, ProblemError};
use crate::serialized::NamedValues;

/// Error tolerance of the simulation, far below that of any grid.
const TOLERANCE: f64 = 1e-12;

/// Steps of the simulation in all, and those for each step of the solution besides: near a singularity there would be no end of them.
const MOST_STEPS: u64 = 100_000;
const STEPS_A_STEP: u64 = 50;

/// What the simulation says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verification {
    /// It came to the end.
    Reached {
        /// Coordinates and velocities at the end of the simulation less those of the solution.
        errors: Vec<(String, f64)>,
    },
    /// It could not be done, for this reason.
    Impossible(String),
}

impl Verification {
    /// The largest error at the end.
    pub fn end_error(&self) -> Option<f64> {
        match self {
            Verification::Reached { errors } => Some(errors.iter().map(|(_, error)| error.abs()).fold(0.0, f64::max)),
            Verification::Impossible(_) => None,
        }
    }
}

/// The largest error at the end, and all of them, or the reason why there are none.
impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Verification", 2)?;
        fields.serialize_field("end_error", &self.end_error())?;
        match self {
            Verification::Reached { errors } => fields.serialize_field("errors", &NamedValues(errors.clone()))?,
            Verification::Impossible(reason) => fields.serialize_field("reason", reason)?,
        }
        fields.end()
    }
}

/// The coefficients of the polynomial through values at nodes, from the constant one on: near the beginning of a step, where a force may
/// vanish, a sum over the nodes would be round-off that no integrator can follow.
fn polynomial_through(nodes: &[f64], values: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; nodes.len()];
    for (j, value) in values.iter().enumerate() {
        let mut basis = vec![*value];
        for (_, node) in nodes.iter().enumerate().filter(|(k, _)| *k != j) {
            let scale = nodes[j] - node;
            let raised = std::iter::once(0.0).chain(basis.iter().copied());
            let lowered = basis.iter().map(|c| node * c).chain(std::iter::once(0.0));
            basis = raised.zip(lowered).map(|(up, down)| (up - down) / scale).collect();
        }
        sum.iter_mut().zip(&basis).for_each(|(sum, c)| *sum += c);
    }
    sum
}

impl Problem<'_> {
    /// Replaces the controls by polynomials in the part of a step that is over. The symbols of when the step begins, how long it is,
    /// and of so many coefficients, one control after the other.
    fn polynomial_controls(&self, system: &mut System<'_>, coefficients: usize) -> Vec<Id> {
        let g = system.graph;
        let [begin, length] = ["step begin", "step length"].map(|name| g.symbol(name));
        let tau = (system.t - begin) / length;
        let mut symbols = vec![begin.id(), length.id()];
        let mut rules = Vec::new();
        for control in &self.statement.controls {
            let of: Vec<_> =
                (0..coefficients).map(|j| g.symbol(&format!("coefficient {j} of {}", control.name))).collect();
            symbols.extend(of.iter().map(|coefficient| coefficient.id()));
            let polynomial = of.iter().rev().fold(g.int(0), |sum, coefficient| *coefficient + tau * sum);
            rules.push((g.expr(control.symbol), polynomial));
        }
        system.force = g.substitute(&system.force, &rules);
        system.heat.state_rates = g.substitute(&system.heat.state_rates, &rules);
        symbols
    }

    /// Simulates the solution from its start, each control held through its step, or the polynomial of its step, and compares the ends.
    pub fn verify(&self, solution: &BoundarySolution) -> Result<Verification, ProblemError> {
        let impossible = |reason: &str| Ok(Verification::Impossible(reason.to_owned()));
        if self.order > 1 {
            return impossible("the simulation is for Lagrangians without accelerations");
        }
        if self.flow.is_some() {
            return impossible("its controls act at the nodes, and not in between");
        }
        if self.system.constraints.iter().any(|constraint| constraint.is_vakonomic()) {
            return impossible("vakonomic multipliers have no start value");
        }
        if self.kind != Kind::Control && !solution.active.is_empty() {
            return impossible("a bound holds the solution back, and no free motion follows it");
        }
        let controls = &self.statement.controls;
        let mut symbols: Vec<Id> = self.model.parameters().iter().map(|p| p.symbol).collect();
        let mut parameters = with_found(self.model, &solution.found);
        let mut system = self.system.clone();
        if self.kind == Kind::Action {
            // With integrals it is L + Σ λ f whose motion the solution is.
            for (integral, (_, value)) in self.statement.integrals.iter().zip(&solution.integral_multipliers) {
                let multiplier = system.symbol(&format!("multiplier_{}", integral.name));
                system.lagrangian = system.lagrangian + multiplier * system.graph.expr(integral.integrand);
                symbols.push(multiplier.id());
                parameters.push(*value);
            }
        }
        let inputs = match solution.control_nodes.is_empty() {
            true => controls.iter().map(|control| control.symbol).collect(),
            false => self.polynomial_controls(&mut system, solution.control_nodes.len()),
        };
        symbols.extend(inputs);
        let mut marcher = AdaptiveMarcher::new(&system, AdaptiveMethod::Dop853, TOLERANCE, &symbols, &[], &[])?;
        let mut left = MOST_STEPS + STEPS_A_STEP * solution.steps as u64;
        let n = self.system.len();
        let layout = ColumnLayout::of(&solution.columns);
        let in_state = [&layout.positions, &layout.velocities, &layout.entropies, &layout.amounts, &layout.states];
        let state_of = |row: &[f64]| in_state.map(|range| &row[range.clone()]).concat();
        let mut state = state_of(&solution.rows[0]);
        for (step, pair) in solution.rows.windows(2).enumerate() {
            let during = match solution.stage_controls.get(step) {
                None => pair[0][layout.controls.clone()].to_vec(),
                Some(stages) => {
                    let nodes = &solution.control_nodes;
                    let of_controls = stages.chunks(nodes.len()).flat_map(|values| polynomial_through(nodes, values));
                    [pair[0][0], pair[1][0] - pair[0][0]].into_iter().chain(of_controls).collect()
                }
            };
            let values: Vec<f64> = parameters.iter().chain(&during).copied().collect();
            marcher.set_parameters(&values);
            marcher.limit_steps(left);
            let from = StartValues {
                q: state[..n].to_vec(),
                v: state[n..2 * n].to_vec(),
                s: state[2 * n..].to_vec(),
                time: pair[0][0],
                ..StartValues::default()
            };
            let moved = marcher.start(&from, pair[1][0] - pair[0][0]).and_then(|mut motion| {
                motion.advance()?;
                left -= motion.steps_tried().min(left);
                Ok(motion.state()[..state.len()].to_vec())
            });
            match moved {
                Ok(next) => state = next,
                Err(failure) => return impossible(&failure.to_string()),
            }
        }
        let names = in_state.into_iter().cloned().flatten().map(|at| solution.columns[at].name().to_owned());
        let last = state_of(&solution.rows[solution.rows.len() - 1]);
        let errors = names.zip(state.iter().zip(last)).map(|(name, (a, b))| (name, a - b));
        Ok(Verification::Reached { errors: errors.collect() })
    }
}

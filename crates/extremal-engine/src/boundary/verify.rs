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

impl Problem<'_> {
    /// Replaces the controls by polynomials through their values at `nodes` of a step. The symbols of when the step begins, how long it is,
    /// and of these values, one control after the other.
    fn polynomial_controls(&self, system: &mut System<'_>, nodes: &[f64]) -> Vec<Id> {
        let g = system.graph;
        let [begin, length] = ["step begin", "step length"].map(|name| g.symbol(name));
        let tau = (system.t - begin) / length;
        let number = |value: f64| g.float(value).unwrap_or(g.int(0));
        let basis: Vec<_> = (0..nodes.len())
            .map(|j| {
                let others = nodes.iter().enumerate().filter(|(k, _)| *k != j);
                others.fold(g.int(1), |product, (_, node)| product * (tau - number(*node)) / number(nodes[j] - node))
            })
            .collect();
        let mut symbols = vec![begin.id(), length.id()];
        let mut rules = Vec::new();
        for control in &self.statement.controls {
            let values: Vec<_> =
                (1..=nodes.len()).map(|j| g.symbol(&format!("stage {j} of {}", control.name))).collect();
            symbols.extend(values.iter().map(|value| value.id()));
            rules.push((g.expr(control.symbol), g.dot(&basis, &values)));
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
            false => self.polynomial_controls(&mut system, &solution.control_nodes),
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
                Some(stages) => [&[pair[0][0], pair[1][0] - pair[0][0]], &stages[..]].concat(),
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

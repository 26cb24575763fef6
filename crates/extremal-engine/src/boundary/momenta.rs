//! Momenta at the ends of an optimal motion: how the least cost changes with the states given there.

use std::collections::HashMap;

use extremal_mechanics::System;
use extremal_mechanics::boundary::Quantity;
use extremal_solve::{AdaptiveMarcher, AdaptiveMethod, March, StartValues};
use serde::Serialize;

use super::continued::{ContinuationError, steps_to};
use super::solution::UnknownsReader;
use super::{BoundarySolution, Kind, Problem, ProblemError};
use crate::serialized::by_name;

/// Error tolerance of a motion past the end, far below that of any grid.
const TOLERANCE: f64 = 1e-12;

/// The momenta conjugate to positions and velocities at both ends, by the names of their columns in a run. From those at the start a run
/// follows the optimal motion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndMomenta {
    /// At the start: less the derivatives of the least cost by the state there (M10).
    #[serde(serialize_with = "by_name")]
    pub start: Vec<(String, f64)>,
    /// At the end: the derivatives of the least running cost by the state there.
    #[serde(serialize_with = "by_name")]
    pub end: Vec<(String, f64)>,
}

impl UnknownsReader<'_, '_> {
    /// The derivatives of the Lagrangian of the discrete problem by what its ends are given by. `None` for problems whose states are
    /// not positions and velocities at both ends.
    pub fn end_momenta(&self) -> Option<EndMomenta> {
        let problem = self.problem;
        let system = &problem.system;
        let statement = &problem.statement;
        let asked = !statement.integrals.is_empty() || statement.has_conditions() || !statement.unknowns.is_empty();
        let plain = system.constraints.is_empty() && system.heat.is_empty() && !asked;
        let by_positions = !(statement.second.is_empty() && statement.next_to_last.is_empty());
        let at_ends = problem.transcription.once.contains(&Quantity::StartVelocity(0)) && !by_positions;
        if problem.kind != Kind::Control || !plain || !at_ends {
            return None;
        }
        let slopes = self.slopes();
        let n = system.len();
        let of_end = |node: usize, velocity: fn(usize) -> Quantity| -> Option<Vec<f64>> {
            let positions = (0..n).map(|k| self.place(Quantity::Position(k), node));
            let velocities = (0..n).map(|k| self.place(velocity(k), 0));
            positions.chain(velocities).map(|at| at.map(|at| slopes[at])).collect()
        };
        let start = of_end(self.node(0), Quantity::StartVelocity)?;
        let end = of_end(self.node(self.steps()), Quantity::EndVelocity)?;
        let names = &system.names;
        let named = |values: Vec<f64>| -> Vec<(String, f64)> {
            let columns = names.iter().map(|x| format!("p_{x}")).chain(names.iter().map(|x| format!("p_{x}'")));
            columns.zip(values).collect()
        };
        let terminal = self.terminal_slopes();
        Some(EndMomenta {
            start: named(start.into_iter().map(|slope| -slope).collect()),
            end: named(end.into_iter().zip(terminal).map(|(slope, terminal)| slope - terminal).collect()),
        })
    }

    /// The derivatives of the terminal cost by positions and velocities at the end.
    fn terminal_slopes(&self) -> Vec<f64> {
        let (problem, system) = (self.problem, &self.problem.system);
        let (g, n, node) = (system.graph, system.len(), self.node(self.steps()));
        let state = [&system.q[..], &system.v].concat();
        let Some(terminal) = problem.statement.terminal else { return vec![0.0; 2 * n] };
        let positions = (0..n).map(|k| self.unknown(Quantity::Position(k), node));
        let values = positions.chain((0..n).map(|k| self.unknown(Quantity::EndVelocity(k), 0)));
        let symbols = state.iter().filter_map(|symbol| symbol.as_symbol()).map(|name| name.to_string());
        let mut known: HashMap<String, f64> = symbols.zip(values).collect();
        let names = problem.model.parameters().iter().map(|p| p.name.clone());
        let parameters = names.zip(self.parameter_values());
        known.extend(parameters.chain([(problem.model.independent().to_owned(), self.time(self.steps()))]));
        g.evaluate(&g.gradient(g.expr(terminal), &state), |name| known.get(name).copied())
    }
}

impl Problem<'_> {
    /// The table of an optimal motion with rows up to the time `until`, or one step beyond it, by the continuous flow of its optimality
    /// conditions from the momenta at its end.
    pub(super) fn continued_from_momenta(
        &self,
        solution: &BoundarySolution,
        until: f64,
    ) -> Result<BoundarySolution, ContinuationError> {
        let Some(momenta) = &solution.momenta else { return Err(ContinuationError::NoFlow) };
        let system = System::optimal(self.model).map_err(ProblemError::from)?;
        let recorded: Vec<_> = system.flow.iter().flat_map(|flow| flow.recorded()).collect();
        let names: Vec<String> = (system.names.iter().cloned())
            .chain(system.names.iter().map(|name| format!("{name}'")))
            .chain(recorded.iter().map(|(name, _)| name.clone()))
            .collect();
        let places: Option<Vec<usize>> = names.iter().map(|name| solution.column(name)).collect();
        let (Some(places), Some(last)) = (places, solution.rows.last()) else { return Err(ContinuationError::NoFlow) };
        let (steps, h) = steps_to(solution, until)?;
        let parameters: Vec<_> = self.model.parameters().iter().map(|p| p.symbol).collect();
        let outputs: Vec<_> = recorded.iter().map(|(_, symbol)| symbol.id()).collect();
        let dop853 = AdaptiveMethod::Dop853;
        let mut marcher =
            AdaptiveMarcher::new(&system, dop853, TOLERANCE, &parameters, &outputs, &[]).map_err(ProblemError::from)?;
        marcher.set_parameters(&self.model.parameter_values());
        let state = 2 * system.len();
        let values = StartValues {
            q: places[..state].iter().map(|at| last[*at]).collect(),
            v: momenta.end.iter().map(|(_, value)| *value).collect(),
            time: last[0],
            ..StartValues::default()
        };
        let mut motion = marcher.start(&values, h).map_err(ContinuationError::Step)?;
        let (end, mut continued) = (last[0], solution.clone());
        for step in 1..=steps {
            motion.advance().map_err(ContinuationError::Step)?;
            let mut row = vec![f64::NAN; solution.columns.len()];
            row[0] = end + step as f64 * h;
            places.iter().zip(&motion.state()[..state]).for_each(|(at, value)| row[*at] = *value);
            let observed = motion.observe().map_err(ContinuationError::Step)?;
            places[state..].iter().zip(&observed[2 * state..]).for_each(|(at, value)| row[*at] = *value);
            self.within_bounds(solution, &row)?;
            continued.rows.push(row);
        }
        Ok(continued)
    }

    /// Controls past the end are inside their bounds, of which the flow does not know.
    fn within_bounds(&self, solution: &BoundarySolution, row: &[f64]) -> Result<(), ContinuationError> {
        let outside = self.statement.controls.iter().find(|control| {
            let value = solution.column(&control.name).map_or(f64::NAN, |at| row[at]);
            value < control.min || value > control.max
        });
        outside.map_or(Ok(()), |control| Err(ContinuationError::Bound(control.name.clone())))
    }
}

//! What a run begins from, as numbers, and what expressions are worth there.

use std::collections::HashMap;
use std::sync::Arc;

use extremal_expr::{Expr, Id};
use extremal_mechanics::System;
use extremal_mechanics::analysis::{ChainVerdict, is_singular, regularity};
use extremal_model::{Initial, Model, Start};
use extremal_solve::{LinearSolver, StartValues};

use super::SetupError;
use crate::analyze::{parameters_of, singular_verdict};

/// The start of a run: the stated one, or the nearest that satisfies the constraints.
#[derive(Clone, Default)]
pub(crate) struct RunStart {
    pub values: StartValues,
    /// When the second positions, if there are any, belong.
    pub second_time: f64,
    parameters: Vec<(Arc<str>, f64)>,
}

impl RunStart {
    /// What the model states, for a run with this step.
    pub fn of(model: &Model, start: Start, step: f64, from: f64) -> RunStart {
        if start == Start::Points {
            return RunStart::of_points(model, step, from);
        }
        let Initial { positions, velocities, higher, momenta, entropies, second, multipliers } =
            model.initial_with_step(step);
        // Derivatives below the order of the Lagrangian are given like positions, the others like velocities.
        let derivatives: Vec<Vec<f64>> = [positions, velocities].into_iter().chain(higher).collect();
        let order = model.momentum_order().unwrap_or(model.order()).max(1) as usize;
        let (configuration, velocities) = derivatives.split_at(order);
        // Where momenta are stated they take the place of velocities, and those of multipliers follow from them.
        let (from_momenta, given) =
            (model.momentum_order().is_some(), if momenta.is_empty() { velocities } else { &momenta });
        let moving = model.constraints().iter().map(|c| !c.kind.nature().reacts && !from_momenta);
        let multipliers = multipliers.into_iter().zip(moving).filter(|(_, moving)| *moving).map(|(value, _)| value);
        let second = if start == Start::TwoPoints { second.unwrap_or_default() } else { Vec::new() };
        let values = StartValues {
            q: configuration.concat(),
            v: given.concat(),
            second,
            s: entropies,
            multipliers: multipliers.collect(),
            time: from,
        };
        RunStart { values, second_time: from + step, parameters: parameters(model) }
    }

    /// The four positions and the multipliers of `[discrete]`; positions that are not stated are not numbers.
    fn of_points(model: &Model, step: f64, from: f64) -> RunStart {
        let (n, m) = (model.coordinates().len(), model.constraints().len());
        let numbers = |ids: &[Vec<Id>]| model.evaluate_with_step(&ids.concat(), step);
        let mut points = model.discrete().map_or_else(Vec::new, |discrete| numbers(&discrete.points));
        let mut multipliers = model.discrete().map_or_else(Vec::new, |discrete| numbers(&discrete.multipliers));
        points.resize(4 * n, f64::NAN);
        multipliers.resize(2 * m, 0.0);
        let second = points.split_off(n);
        points.resize(2 * n, 0.0);
        let values = StartValues { q: points, v: vec![0.0; 2 * n], second, s: Vec::new(), multipliers, time: from };
        RunStart { values, second_time: from + step, parameters: parameters(model) }
    }

    /// The same model at a state that its motion has reached.
    pub fn reached(&self, q: &[f64], v: &[f64], time: f64) -> RunStart {
        let mut here = self.clone();
        (here.values.q, here.values.v, here.values.time) = (q.to_vec(), v.to_vec(), time);
        here.values.second.clear();
        here
    }

    /// The values of the parameters, in the order of the model.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.parameters.iter().map(|(_, value)| *value).collect()
    }

    /// Sets these values.
    pub fn set_parameters(&mut self, values: &[f64]) {
        self.parameters.iter_mut().zip(values).for_each(|((_, own), value)| *own = *value);
    }

    /// Expressions in positions, velocities (momenta, where the motion starts from them), entropies, time, parameters and multipliers
    /// that move.
    pub fn evaluate<'g>(&self, system: &System<'g>, expressions: &[Expr<'g>]) -> Vec<f64> {
        let moving = system.moving_multipliers();
        let given = if system.flow.is_some() { system.p.clone() } else { system.velocities() };
        let motion = [system.configuration(), given].concat();
        let symbols = [&motion[..], &system.heat.s, &moving, &[system.t]].concat();
        let StartValues { q, v, s, multipliers, time, .. } = &self.values;
        let values = q.iter().chain(v).chain(s).chain(multipliers).chain([time]).copied();
        let known: HashMap<Arc<str>, f64> = symbols
            .iter()
            .filter_map(|symbol| symbol.as_symbol())
            .zip(values)
            .chain(self.parameters.iter().cloned())
            .collect();
        system.graph.evaluate(expressions, |name| known.get(name).copied())
    }

    /// The second positions of a `two-points` start as a start of their own, if there are any.
    pub fn second(&self) -> Option<RunStart> {
        let mut later = self.clone();
        later.values.q = std::mem::take(&mut later.values.second);
        later.values.time = self.second_time;
        (!later.values.q.is_empty()).then_some(later)
    }

    /// (q, v, S, t), the inputs of a projection.
    pub fn point(&self) -> Vec<f64> {
        let StartValues { q, v, s, time, .. } = &self.values;
        [&q[..], v, s, &[*time]].concat()
    }

    /// Refuses equations of motion that do not determine accelerations and multipliers here: the mass matrix, bordered by the
    /// constraints, must have an inverse. What is not finite is left to the run, which says where it fails.
    pub fn check_regularity<'m>(&self, model: &'m Model, system: &System<'m>) -> Result<(), SetupError> {
        let Bordered { pattern, entries } = Bordered::of(system);
        let values = self.evaluate(system, &entries);
        if values.iter().any(|value| !value.is_finite()) {
            return Ok(());
        }
        let refused = |column| undetermined(system, column, (system.order == 1).then(|| verdict(model, system)));
        let factored = |values: &[f64]| LinearSolver::for_pattern(pattern.len(), &pattern).factor(values);
        if let Err(singular) = factored(&values) {
            // A term λ Φ may be all that gives a velocity its mass.
            let mut elsewhere = self.clone();
            elsewhere.values.multipliers.iter_mut().filter(|value| **value == 0.0).for_each(|value| *value = 1.0);
            let at_zero = system.vakonomic().zip(&self.values.multipliers).find(|(_, value)| **value == 0.0);
            return Err(match at_zero {
                Some((constraint, _)) if factored(&elsewhere.evaluate(system, &entries)).is_ok() => {
                    SetupError::MultiplierAtZero { constraint: constraint.name.clone() }
                }
                _ => refused(singular.column),
            });
        }
        // Round-off hides the zero of a matrix that varies with the state.
        let varies =
            system.order == 1 && system.graph.depend_on(&entries, &[&system.q[..], &system.v].concat()).contains(&true);
        match varies && is_singular(system, &parameters_of(model).exact) {
            true => Err(refused(system.len() - 1)),
            false => Ok(()),
        }
    }
}

fn parameters(model: &Model) -> Vec<(Arc<str>, f64)> {
    model.parameters().iter().map(|p| (p.name.as_str().into(), p.value)).collect()
}

/// The mass matrix bordered by the constraints: columns of the entries of each row, and the entries row by row.
pub(crate) struct Bordered<'g> {
    pub pattern: Vec<Vec<usize>>,
    pub entries: Vec<Expr<'g>>,
}

impl<'g> Bordered<'g> {
    pub fn of(system: &System<'g>) -> Bordered<'g> {
        let unknowns = system.motion_unknowns();
        // Entropies are determined by positive temperatures, which every step is checked for.
        let (accelerations, rest) = unknowns.split_at(system.len());
        let unknowns = [accelerations, &rest[system.heat.s.len()..]].concat();
        let mut equations = system.motion_equations();
        equations.drain(system.len()..system.len() + system.heat.s.len());
        let rows = system.graph.jacobian(&equations, &unknowns);
        Bordered {
            pattern: rows.iter().map(|row| row.iter().map(|(column, _)| *column).collect()).collect(),
            entries: rows.iter().flatten().map(|(_, entry)| *entry).collect(),
        }
    }
}

/// What a bordered mass matrix without a pivot in this column does not determine.
pub(crate) fn undetermined(system: &System<'_>, column: usize, verdict: Option<String>) -> SetupError {
    match column.checked_sub(system.len()) {
        None if system.order > 1 => {
            SetupError::SingularHigher { derivative: system.derivative(system.order)[column].to_string() }
        }
        None => SetupError::Singular {
            coordinate: system.names[column].clone(),
            bordered: !system.constraints.is_empty(),
            verdict,
        },
        Some(at) => SetupError::SingularMultiplier { constraint: system.constraints[at].name.clone() },
    }
}

/// What the constraint algorithm says about a system that is singular at its start.
fn verdict<'m>(model: &'m Model, system: &System<'m>) -> String {
    let seen = regularity(system, &parameters_of(model).exact);
    let mut verdict = singular_verdict(&seen).unwrap_or_else(|| "it is regular elsewhere".to_string());
    let free = seen.chain.filter(|chain| chain.verdict == ChainVerdict::NotUnique).map(|chain| chain.free);
    let of_free = |symbol: &Expr<'m>| system.a.iter().position(|a| a == symbol).map(|at| system.names[at].clone());
    if let Some(name) = free.iter().flatten().find_map(of_free) {
        verdict += &format!(
            "; state `{name}` as a function of time, by a holonomic constraint, for the equations leave it free"
        );
    }
    verdict
}

pub(crate) fn ids(expressions: &[Expr<'_>]) -> Vec<Id> {
    expressions.iter().map(|e| e.id()).collect()
}

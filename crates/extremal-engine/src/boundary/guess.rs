//! Where a solver starts: straight lines between the ends, the user's expressions, or another solution.

use extremal_expr::{Expr, Function};
use extremal_mechanics::boundary::{Assembly, Condition, Quantity};
use extremal_model::Model;
use extremal_solve::nlp::{Nlp, NlpBounds};

use super::Problem;
use super::statement::{EndValue, Statement, first_state};
use super::table::SolutionTable;
use crate::random::uniform_pair;

/// A first guess.
#[derive(Clone, Debug, Default)]
pub enum Guess {
    /// The expressions of the model where there are some, else straight lines between what is given at the ends.
    #[default]
    Stated,
    /// The same, shaken: smooth random waves of this relative size are added, repeatable by their seed.
    Shaken {
        /// Size of the waves, relative to the distances between the ends.
        size: f64,
        /// Which waves.
        seed: u64,
    },
    /// The table of another solution, interpolated to the grid.
    Table(SolutionTable),
}

impl Guess {
    /// Values of all unknowns.
    pub(super) fn variables(&self, problem: &Problem<'_>, layout: &Assembly, fractions: &[f64]) -> Vec<f64> {
        let stated = StatedGuess { problem, fractions };
        let mut x: Vec<f64> = layout.variables.iter().map(|(quantity, k)| stated.value(*quantity, *k)).collect();
        match self {
            Guess::Stated => {}
            Guess::Shaken { size, seed } => stated.shake(*size, *seed, layout, &mut x),
            Guess::Table(table) => {
                for (value, (quantity, k)) in x.iter_mut().zip(&layout.variables) {
                    let name = problem.quantity_name(*quantity);
                    let at = match quantity {
                        Quantity::Duration => {
                            *value = table.duration();
                            continue;
                        }
                        Quantity::StartVelocity(_) | Quantity::Unknown(_) => 0.0,
                        Quantity::EndVelocity(_) => 1.0,
                        Quantity::Control(_) => stated.inside(*k, 0.5),
                        Quantity::StageControl { stage, .. } => stated.stage(*k, *stage),
                        Quantity::Inner { node, .. } => stated.inner(*k, *node),
                        Quantity::StateRate { state, .. } => {
                            let state = problem.quantity_name(Quantity::State(*state));
                            let ends = [*k, *k + 1].map(|node| stated.fraction(node));
                            if let [Some(from), Some(to)] = ends.map(|at| table.at(&state, at, false)) {
                                *value = (to - from) / ((ends[1] - ends[0]) * table.duration());
                            }
                            continue;
                        }
                        _ => stated.fraction(*k),
                    };
                    let steps = matches!(quantity, Quantity::Control(_));
                    if let Some(known) = table.at(&name, at, steps) {
                        *value = known;
                    }
                }
            }
        }
        x
    }

    /// Multipliers of all rows, if there are some to start from.
    pub(super) fn multipliers(&self, problem: &Problem<'_>, layout: &Assembly, fractions: &[f64]) -> Vec<f64> {
        let Guess::Table(table) = self else { return Vec::new() };
        let stated = StatedGuess { problem, fractions };
        let known: Option<Vec<f64>> = layout
            .rows
            .iter()
            .map(|(condition, k)| match condition {
                Condition::Motion(coordinate) => {
                    let name = format!("costate_{}", problem.model.coordinates()[*coordinate].name);
                    table.at(&name, stated.fraction(*k), false)
                }
                _ => None,
            })
            .collect();
        known.unwrap_or_default()
    }
}

impl Problem<'_> {
    /// The largest value along the way begins where the guess has it.
    pub(super) fn raise_maximum(&self, layout: &Assembly, bounds: &NlpBounds, x: &mut [f64]) {
        let Some(maximum) = &self.statement.maximum else { return };
        let at = layout.variables.iter().position(|(quantity, _)| *quantity == Quantity::Unknown(maximum.unknown));
        let Some(at) = at else { return };
        x[at] = 0.0;
        let mut rows = vec![0.0; layout.rows.len()];
        self.pieces.with_elements(layout.elements.clone(), bounds.clone()).constraints(x, &mut rows);
        let below = |condition: &Condition| matches!(condition, Condition::Path { condition, .. } if *condition >= maximum.first_condition);
        let values =
            layout.rows.iter().zip(&rows).filter(|((condition, _), _)| below(condition)).map(|(_, value)| *value);
        let largest = values.fold(f64::NEG_INFINITY, f64::max);
        x[at] = if largest.is_finite() { largest } else { 0.0 };
    }
}

fn given(values: &[EndValue], coordinate: usize, order: usize) -> Option<f64> {
    values.iter().find(|v| v.coordinate == coordinate && v.order == order).map(|v| v.value)
}

/// The motion that a statement guesses, without a grid.
pub(super) struct Path<'p> {
    pub model: &'p Model,
    pub statement: &'p Statement,
}

impl Path<'_> {
    /// An expression of the state and of time on the way, but with some values replaced by name.
    pub fn value(&self, expression: Expr<'_>, fraction: f64, replaced: &[(&str, f64)]) -> f64 {
        let Path { model, statement } = self;
        let known = |name: &str| {
            if let Some((_, value)) = replaced.iter().find(|(replaced, _)| *replaced == name) {
                return Some(*value);
            }
            if name == model.independent() {
                return Some(statement.begin + fraction * statement.duration.guess());
            }
            if let Some(parameter) = model.parameters().iter().find(|parameter| parameter.name == name) {
                return Some(parameter.value);
            }
            let plain = name.trim_end_matches('\'');
            match model.coordinates().iter().position(|c| c.name == plain) {
                Some(coordinate) if plain.len() == name.len() => Some(self.position(coordinate, fraction)),
                Some(coordinate) => Some(self.slope(coordinate, fraction, name.len() - plain.len())),
                None => {
                    let carried = model.carried_names().iter().position(|carried| *carried == name)?;
                    let balanced = model.entropies().len() + model.amounts().len();
                    Some(match carried.checked_sub(balanced) {
                        None => statement.start_entropies[carried],
                        Some(state) => self.position(first_state(model) + state, fraction),
                    })
                }
            }
        };
        model.graph().evaluate(&[expression], known)[0]
    }

    pub fn position(&self, coordinate: usize, fraction: f64) -> f64 {
        let Path { model, statement } = self;
        if let Some(guess) = statement.guess.get(coordinate).copied().flatten() {
            return self.value(model.graph().expr(guess), fraction, &[]);
        }
        match (given(&statement.start, coordinate, 0), given(&statement.end, coordinate, 0)) {
            (Some(start), Some(end)) => start + fraction * (end - start),
            (Some(value), None) | (None, Some(value)) => value,
            (None, None) => 0.0,
        }
    }

    /// A derivative of the guess by a difference: exact enough for a start.
    pub fn slope(&self, coordinate: usize, fraction: f64, order: usize) -> f64 {
        if order > 1 {
            return 0.0;
        }
        const WIDTH: f64 = 1e-4;
        let (from, to) = ((fraction - WIDTH).max(0.0), (fraction + WIDTH).min(1.0));
        let rise = self.position(coordinate, to) - self.position(coordinate, from);
        rise / ((to - from) * self.statement.duration.guess())
    }
}

/// The guess that a problem states.
struct StatedGuess<'p, 'm> {
    problem: &'p Problem<'m>,
    fractions: &'p [f64],
}

impl StatedGuess<'_, '_> {
    /// The instant of a node as a part of the duration.
    fn fraction(&self, node: usize) -> f64 {
        let ghosts = self.problem.transcription.ghosts as isize;
        let last = self.fractions.len() as isize - 1;
        let at = node as isize - ghosts;
        match at {
            at if at < 0 => self.fractions[0] + at as f64 * (self.fractions[1] - self.fractions[0]),
            at if at > last => {
                let end = last as usize;
                self.fractions[end] + (at - last) as f64 * (self.fractions[end] - self.fractions[end - 1])
            }
            at => self.fractions[at as usize],
        }
    }

    /// An instant inside a step, by the part of the step before it.
    fn inside(&self, step: usize, part: f64) -> f64 {
        (1.0 - part) * self.fraction(step) + part * self.fraction(step + 1)
    }

    /// The instant of a stage of a step.
    fn stage(&self, step: usize, stage: usize) -> f64 {
        self.inside(step, self.problem.transcription.control_nodes.get(stage).copied().unwrap_or(0.5))
    }

    /// The instant of an inner node of a step, near enough for a guess.
    fn inner(&self, step: usize, node: usize) -> f64 {
        let quantities = &self.problem.transcription.step;
        let nodes = quantities.iter().filter(|q| matches!(q, Quantity::Inner { coordinate: 0, .. })).count();
        self.inside(step, (node + 1) as f64 / (nodes + 1) as f64)
    }

    fn value(&self, quantity: Quantity, k: usize) -> f64 {
        let problem = self.problem;
        let statement = &problem.statement;
        let duration = statement.duration.guess();
        match quantity {
            Quantity::Position(coordinate) => self.position(coordinate, self.fraction(k)),
            Quantity::Inner { node, coordinate } => self.position(coordinate, self.inner(k, node)),
            Quantity::Derivative { order, coordinate } => {
                let at = self.fraction(k);
                match self.given(&statement.start, coordinate, order).filter(|_| at == 0.0) {
                    Some(value) => value,
                    None => self.slope(coordinate, at, order),
                }
            }
            Quantity::Control(control) => self.control(control, self.inside(k, 0.5)),
            Quantity::StageControl { stage, control } => self.control(control, self.stage(k, stage)),
            Quantity::NodeControl(control) => self.control(control, self.fraction(k)),
            Quantity::Entropy(entropy) => statement.start_entropies[entropy],
            Quantity::State(state) => self.position(first_state(problem.model) + state, self.fraction(k)),
            Quantity::StateRate { state, .. } => self.slope(first_state(problem.model) + state, self.inside(k, 0.5), 1),
            Quantity::Multiplier(_) | Quantity::Hindrance { .. } => 0.0,
            Quantity::Duration => duration,
            Quantity::Unknown(unknown) => {
                let unknown = &statement.unknowns[unknown];
                unknown.guess.clamp(unknown.min, unknown.max)
            }
            Quantity::StartVelocity(coordinate) => {
                self.given(&statement.start, coordinate, 1).unwrap_or_else(|| self.slope(coordinate, 0.0, 1))
            }
            Quantity::EndVelocity(coordinate) => {
                self.given(&statement.end, coordinate, 1).unwrap_or_else(|| self.slope(coordinate, 1.0, 1))
            }
        }
    }

    fn control(&self, control: usize, fraction: f64) -> f64 {
        let control = &self.problem.statement.controls[control];
        let value = control.guess.map_or(0.0, |guess| self.evaluate(guess, fraction));
        value.clamp(control.min, control.max)
    }

    fn given(&self, values: &[EndValue], coordinate: usize, order: usize) -> Option<f64> {
        given(values, coordinate, order)
    }

    fn path(&self) -> Path<'_> {
        Path { model: self.problem.model, statement: &self.problem.statement }
    }

    fn evaluate(&self, expression: extremal_expr::Id, fraction: f64) -> f64 {
        let path = self.path();
        path.value(path.model.graph().expr(expression), fraction, &[])
    }

    fn position(&self, coordinate: usize, fraction: f64) -> f64 {
        self.path().position(coordinate, fraction)
    }

    fn slope(&self, coordinate: usize, fraction: f64, order: usize) -> f64 {
        self.path().slope(coordinate, fraction, order)
    }

    /// Adds waves that vanish at both ends to the positions, and steps of the same kind to the controls.
    fn shake(&self, size: f64, seed: u64, layout: &Assembly, x: &mut [f64]) {
        let statement = &self.problem.statement;
        let n = self.problem.model.coordinates().len();
        let waves = |of: usize| -> Vec<f64> {
            let sizes = [0, 1].map(|pair| uniform_pair(seed, of as u64, pair).map(|size| 2.0 * size - 1.0));
            sizes.concat()
        };
        let states = self.problem.model.states().len();
        let wave: Vec<Vec<f64>> = (0..n + statement.controls.len() + states).map(waves).collect();
        let sum = |waves: &[f64], at: f64| -> f64 {
            let term = |(k, a): (usize, &f64)| {
                a * Function::Sin.apply((k + 1) as f64 * std::f64::consts::PI * at) / (k + 1) as f64
            };
            waves.iter().enumerate().map(term).sum()
        };
        for (value, (quantity, k)) in x.iter_mut().zip(&layout.variables) {
            match quantity {
                Quantity::Position(coordinate) => {
                    *value += size * self.reach(*coordinate) * sum(&wave[*coordinate], self.fraction(*k));
                }
                Quantity::Inner { node, coordinate } => {
                    *value += size * self.reach(*coordinate) * sum(&wave[*coordinate], self.inner(*k, *node));
                }
                Quantity::State(state) => {
                    let flat = first_state(self.problem.model) + state;
                    *value +=
                        size * self.reach(flat) * sum(&wave[n + statement.controls.len() + state], self.fraction(*k));
                }
                Quantity::Control(control)
                | Quantity::StageControl { control, .. }
                | Quantity::NodeControl(control) => {
                    let bound = &statement.controls[*control];
                    let range = if (bound.max - bound.min).is_finite() { 0.5 * (bound.max - bound.min) } else { 1.0 };
                    let shaken = *value + size * range * sum(&wave[n + control], self.inside(*k, 0.5));
                    *value = shaken.clamp(bound.min, bound.max);
                }
                _ => {}
            }
        }
    }

    /// How far a coordinate has to go, at least one.
    fn reach(&self, coordinate: usize) -> f64 {
        (self.position(coordinate, 1.0) - self.position(coordinate, 0.0)).abs().max(1.0)
    }
}

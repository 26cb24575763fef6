//! What a solution says of states: controls inside a step, and the costates of Pontryagin's principle.

use extremal_mechanics::boundary::{Condition, Quantity};
use extremal_model::{ControlShape, stage_time, stage_value};
use extremal_solve::nlp::Nlp;
use extremal_trajectory::{Column, Role};

use super::solution::UnknownsReader;

/// The value at `tau` of the polynomial through `values` at `nodes`.
pub(super) fn interpolated(nodes: &[f64], values: &[f64], tau: f64) -> f64 {
    let basis = |j: usize| -> f64 {
        let others = nodes.iter().enumerate().filter(|(k, _)| *k != j);
        others.map(|(_, node)| (tau - node) / (nodes[j] - node)).product()
    };
    values.iter().enumerate().map(|(j, value)| value * basis(j)).sum()
}

impl UnknownsReader<'_, '_> {
    /// Entropies, amounts and states at a node.
    pub fn carried(&self, node: usize) -> Vec<f64> {
        let heat = &self.problem.system.heat;
        let entropies = (0..heat.balanced().len()).map(|k| self.unknown(Quantity::Entropy(k), node));
        entropies.chain((0..heat.states().len()).map(|k| self.unknown(Quantity::State(k), node))).collect()
    }

    /// The values of a control at the stages of a step; one, where all controls are constant in it.
    pub fn stage_controls(&self, control: usize, step: usize) -> Vec<f64> {
        let (node, nodes) = (self.node(step), &self.problem.transcription.control_nodes);
        match self.problem.transcription.shapes[control] {
            ControlShape::Constant => vec![self.unknown(Quantity::Control(control), node); nodes.len().max(1)],
            ControlShape::Linear => nodes.iter().map(|part| self.on_line(control, step, *part)).collect(),
            ControlShape::Polynomial => {
                (0..nodes.len()).map(|stage| self.unknown(Quantity::StageControl { stage, control }, node)).collect()
            }
        }
    }

    /// A linear control after a part of a step.
    fn on_line(&self, control: usize, step: usize, part: f64) -> f64 {
        let [here, next] = [step, step + 1].map(|at| self.unknown(Quantity::NodeControl(control), self.node(at)));
        (1.0 - part) * here + part * next
    }

    /// The same of all controls, one after the other.
    pub fn controls_of(&self, step: usize) -> Vec<f64> {
        (0..self.problem.statement.controls.len()).flat_map(|control| self.stage_controls(control, step)).collect()
    }

    /// A control after a part of a step, within its bounds.
    pub fn control(&self, control: usize, step: usize, part: f64) -> f64 {
        let bound = &self.problem.statement.controls[control];
        let transcription = &self.problem.transcription;
        match transcription.shapes[control] {
            ControlShape::Constant => self.unknown(Quantity::Control(control), self.node(step)),
            ControlShape::Linear => self.on_line(control, step, part),
            ControlShape::Polynomial => {
                let values = self.stage_controls(control, step);
                interpolated(&transcription.control_nodes, &values, part).clamp(bound.min, bound.max)
            }
        }
    }

    /// The controls that are polynomials in the steps.
    fn polynomials(&self) -> impl Iterator<Item = usize> {
        let shapes = self.problem.transcription.shapes.iter().enumerate();
        shapes.filter(|(_, shape)| **shape == ControlShape::Polynomial).map(|(control, _)| control)
    }

    /// Columns of the times of the stages, and of the values there of controls that are polynomials: these are told by them alone.
    pub fn stage_columns(&self) -> Vec<Column> {
        let stages = 1..=self.problem.transcription.control_nodes.len();
        let names = self.polynomials().flat_map(|control| {
            let name = &self.problem.statement.controls[control].name;
            stages.clone().map(move |j| stage_value(name, j))
        });
        let names: Vec<String> = names.collect();
        let times = stages.filter(|_| !names.is_empty()).map(stage_time);
        times.chain(names.iter().cloned()).map(|name| Column::new(name, Role::Parameter)).collect()
    }

    /// What stands in these columns; nothing at the end of the last step.
    pub fn stage_values(&self, instant: usize) -> Vec<f64> {
        let nodes = &self.problem.transcription.control_nodes;
        let values: Vec<f64> = match instant < self.steps() {
            true => self.polynomials().flat_map(|control| self.stage_controls(control, instant)).collect(),
            false => self.polynomials().flat_map(|_| vec![f64::NAN; nodes.len()]).collect(),
        };
        let [from, to] = [instant, instant + 1].map(|at| self.time(at));
        let time = |part: &f64| if instant < self.steps() { from + part * (to - from) } else { f64::NAN };
        nodes.iter().filter(|_| !values.is_empty()).map(time).chain(values.iter().copied()).collect()
    }

    /// The costates p of all states at the instants, with the sign of H = p·f − C: the multiplier of a step is the costate at its end,
    /// and at the start −p is the slope of the cost and all rows by the state there (S4).
    pub fn costates(&self) -> Vec<Vec<f64>> {
        let states = self.problem.system.heat.states().len();
        if states == 0 {
            return vec![Vec::new(); self.steps() + 1];
        }
        let slopes = self.slopes();
        let at_start = (0..states).map(|state| {
            let here = (Quantity::State(state), self.node(0));
            let at = self.discrete.layout.variables.iter().position(|variable| *variable == here);
            at.map_or(f64::NAN, |at| -slopes[at])
        });
        let mut all = vec![at_start.collect::<Vec<f64>>()];
        for step in 0..self.steps() {
            let node = self.node(step);
            all.push((0..states).map(|state| self.multiplier(Condition::StateStep(state), node)).collect());
        }
        all
    }

    /// The slopes of cost and rows times their multipliers by all unknowns, ∇f + λ·∇c.
    pub(super) fn slopes(&self) -> Vec<f64> {
        let elements = self.discrete.layout.elements.clone();
        let mut nlp = self.problem.pieces.with_elements(elements, self.discrete.bounds.clone());
        let pattern = nlp.jacobian_pattern();
        let mut slopes = vec![0.0; self.found.x.len()];
        let mut jacobian = vec![0.0; pattern.len()];
        nlp.gradient(&self.found.x, &mut slopes);
        nlp.jacobian(&self.found.x, &mut jacobian);
        for ((row, column), value) in pattern.into_iter().zip(jacobian) {
            slopes[column] += self.found.lambda[row] * value;
        }
        slopes
    }
}

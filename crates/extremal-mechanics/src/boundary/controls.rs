//! Controls that change within a step: their values at the nodes of the quadrature, and lines from node to node.

use extremal_expr::Expr;
use extremal_model::{ControlShape, Method, control_rate};

use super::{BoundaryError, GridPlace, Question};
use crate::System;
use crate::discrete::QuadratureRule;

/// Controls that have a value of their own at each node of the quadrature.
#[derive(Default)]
pub(super) struct StageInputs<'g> {
    /// Their symbols.
    pub symbols: Vec<Expr<'g>>,
    /// Their places among all controls.
    pub places: Vec<usize>,
    /// The shapes of all controls.
    pub shapes: Vec<ControlShape>,
}

impl<'g> StageInputs<'g> {
    /// By the nodes of a quadrature rule.
    pub fn of(
        system: &System<'g>,
        question: &Question<'g>,
        method: &Method,
        rule: &QuadratureRule,
    ) -> Result<StageInputs<'g>, BoundaryError> {
        let alone = rule.nodes.len() == 1;
        // What a state does over a step is as accurate as its rates: so must be the controls in them.
        let default = match system.heat.states().is_empty() {
            true => ControlShape::Constant,
            false => ControlShape::Polynomial,
        };
        let mut inputs = StageInputs::default();
        for (place, symbol) in question.controls.iter().enumerate() {
            let shape = match question.shapes.get(place).copied().flatten().unwrap_or(default) {
                ControlShape::Linear if alone => {
                    return Err(BoundaryError::Alternating { control: symbol.to_string(), method: method.to_string() });
                }
                ControlShape::Polynomial if alone => ControlShape::Constant,
                shape => shape,
            };
            inputs.shapes.push(shape);
            if shape != ControlShape::Constant {
                inputs.symbols.push(*symbol);
                inputs.places.push(place);
            }
        }
        Ok(inputs)
    }

    /// Where nothing is known of the nodes of a step, all are constant in it.
    pub fn of_own_method(question: &Question<'g>) -> Result<StageInputs<'g>, BoundaryError> {
        let changing = |shape: &Option<ControlShape>| !matches!(shape, None | Some(ControlShape::Constant));
        match question.shapes.iter().position(changing) {
            Some(place) => Err(BoundaryError::OwnShape(question.controls[place].to_string())),
            None => {
                Ok(StageInputs { shapes: vec![ControlShape::Constant; question.controls.len()], ..Default::default() })
            }
        }
    }

    /// The places of the controls that are linear.
    pub fn linear(&self) -> impl Iterator<Item = usize> {
        let all = self.shapes.iter().enumerate();
        all.filter(|(_, shape)| **shape == ControlShape::Linear).map(|(place, _)| place)
    }

    /// What stage values and rates of linear controls are by their values at both nodes of the step; `stages` are the symbols of all
    /// stage values, by node of the quadrature at these `parts` of the step.
    pub fn lines(
        &self,
        system: &System<'g>,
        question: &Question<'g>,
        (stages, parts): (&[Vec<Expr<'g>>], &[f64]),
    ) -> Vec<(Expr<'g>, Expr<'g>)> {
        let g = system.graph;
        let mut rules = Vec::new();
        for place in self.linear() {
            let here = question.controls[place];
            let next = next_node(here);
            for (values, part) in stages.iter().zip(parts) {
                let at = self.places.iter().position(|known| *known == place);
                let part = g.float(*part).unwrap_or(g.int(0));
                rules.extend(at.map(|at| (values[at], here + (next - here) * part)));
            }
            rules.push((control_rate(here), (next - here) / system.step()));
        }
        rules
    }
}

/// The symbol of a linear control at the node where a step ends; no name of a user's has a space in it.
fn next_node(control: Expr<'_>) -> Expr<'_> {
    control.graph().symbol(&format!("{control} at the next node"))
}

/// Linear controls as variables: at the node itself, and at the next one where a step is meant. `first` is the place of the first of
/// them among the unknowns of a node.
pub(super) fn line_variables<'g>(
    question: &Question<'g>,
    linear: &[usize],
    first: usize,
    step: bool,
) -> Vec<(Expr<'g>, GridPlace)> {
    let mut variables = Vec::new();
    for (k, place) in linear.iter().enumerate() {
        let symbol = question.controls[*place];
        variables.push((symbol, GridPlace::Node(0, first + k)));
        variables.extend(step.then(|| (next_node(symbol), GridPlace::Node(1, first + k))));
    }
    variables
}

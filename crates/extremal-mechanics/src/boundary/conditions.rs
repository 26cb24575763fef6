//! Conditions along the way and at the ends, as rows.

use extremal_expr::Expr;
use extremal_model::control_rate;

use super::action::{Formulas, node_variables};
use super::{At, Condition, Discretised, GridPlace, Question};
use crate::System;

/// The variables of a node: positions and, behind them, what moves by equations of first order.
pub(super) fn carried_variables<'g>(system: &System<'g>) -> Vec<(Expr<'g>, GridPlace)> {
    let n = system.len();
    let mut variables = node_variables(&system.q);
    variables.extend(system.heat.s.iter().enumerate().map(|(k, s)| (*s, GridPlace::Node(0, n + k))));
    variables
}

impl<'g> Question<'g> {
    /// Can a condition along the way be seen at a node? Velocities, multipliers, rates of controls and controls but those that are
    /// `linear` belong to steps.
    fn is_of_nodes(&self, system: &System<'g>, condition: Expr<'g>, linear: &[usize]) -> bool {
        let multipliers = system.constraints.iter().map(|constraint| constraint.multiplier);
        let controls = self.controls.iter().enumerate().filter(|(place, _)| !linear.contains(place)).map(|(_, u)| *u);
        let rates = linear.iter().map(|place| control_rate(self.controls[*place]));
        let of_steps: Vec<Expr<'g>> =
            system.v.iter().copied().chain(controls).chain(rates).chain(multipliers).collect();
        !system.graph.depend_on(&[condition], &of_steps).contains(&true)
    }

    /// The first condition along the way that does not belong to the nodes.
    pub(super) fn of_steps(&self, system: &System<'g>, linear: &[usize]) -> Option<usize> {
        self.conditions.iter().position(|condition| !self.is_of_nodes(system, *condition, linear))
    }
}

impl<'g> Formulas<'_, 'g> {
    /// Conditions of the nodes, as rows from `first_row` on; some controls are `linear`.
    pub fn bind_nodes(
        &mut self,
        system: &System<'g>,
        question: &Question<'g>,
        (variables, linear): (&[(Expr<'g>, GridPlace)], &[usize]),
        first_row: usize,
    ) -> Vec<Condition> {
        let all = question.conditions.iter().enumerate();
        let own: Vec<(usize, Expr<'g>)> =
            all.map(|(i, row)| (i, *row)).filter(|(_, row)| question.is_of_nodes(system, *row, linear)).collect();
        if !own.is_empty() {
            let variables: Vec<_> = variables.iter().copied().chain(self.duration_variable()).collect();
            let place = |row: usize| GridPlace::Node(0, first_row + row);
            let rows: Vec<_> = own.iter().enumerate().map(|(row, (_, condition))| (*condition, place(row))).collect();
            self.push(&variables, system.graph.int(0), &rows, At::Every);
        }
        own.into_iter().map(|(condition, _)| Condition::Path { condition, stage: 0 }).collect()
    }
}

/// Conditions with velocities, controls or multipliers, at the nodes of the quadrature of a step. A multiplier goes there in a straight
/// line from the node before to the node after.
pub(super) fn in_step<'g>(
    system: &System<'g>,
    discretised: &Discretised<'g>,
    question: &Question<'g>,
    multipliers: [&[Expr<'g>]; 2],
    lines: &[(Expr<'g>, Expr<'g>)],
) -> Result<Vec<(Expr<'g>, Condition)>, super::BoundaryError> {
    let mut rows = Vec::new();
    let linear: Vec<usize> = discretised.inputs.linear().collect();
    for (condition, expression) in question.conditions.iter().enumerate() {
        if question.is_of_nodes(system, *expression, &linear) {
            continue;
        }
        let parts = discretised.quadrature_nodes();
        let values = discretised.at_nodes(system, *expression, "conditions along the way")?;
        let first = rows.len();
        for (stage, (value, part)) in values.into_iter().zip(parts).enumerate() {
            let part = system.graph.float(part).unwrap_or(system.graph.int(0));
            let between = |(before, after): (&Expr<'g>, &Expr<'g>)| *before + (*after - *before) * part;
            let ends = multipliers[0].iter().zip(multipliers[1]);
            let rules: Vec<_> =
                system.constraints.iter().zip(ends).map(|(c, ends)| (c.multiplier, between(ends))).collect();
            let row = value.substitute(&rules);
            let row = if lines.is_empty() { row } else { row.substitute(lines) };
            // What does not change in a step, as the rate of a linear control, is looked at once.
            if !rows[first..].iter().any(|(known, _)| *known == row) {
                rows.push((row, Condition::Path { condition, stage }));
            }
        }
    }
    Ok(rows)
}

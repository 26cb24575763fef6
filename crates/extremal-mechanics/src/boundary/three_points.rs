//! Discrete systems over three points between two positions at each end.

use extremal_expr::Expr;

use super::action::Formulas;
use super::{At, BoundaryError, Condition, GridPlace, Quantity, Question, Transcription};
use crate::System;
use crate::discrete::{StatedDiscrete, ThreePointSystem};

/// The sum of a discrete Lagrangian over three points, to be made stationary under its constraints (V2).
pub(super) fn stated_action<'g>(
    system: &System<'g>,
    stated: &StatedDiscrete<'g>,
    question: &Question<'g>,
) -> Result<Transcription, BoundaryError> {
    if !question.integrals.is_empty() {
        return Err(BoundaryError::NoQuadrature("integral constraints"));
    }
    if !question.bounded_velocities.is_empty() {
        return Err(BoundaryError::NoQuadrature("bounds of velocities"));
    }
    let of = ThreePointSystem::stated(system, stated);
    let rows = (0..of.constraints.len()).map(Condition::Constraint).collect();
    Ok(transcription(&of, system, question, rows))
}

/// Motions of a discrete Lagrangian of the user's own with a control at every inner node, of least cost (V5). `pushes` are the forces
/// of the controls.
pub fn controlled_nodes<'g>(
    system: &System<'g>,
    stated: &StatedDiscrete<'g>,
    question: &Question<'g>,
    pushes: &[Expr<'g>],
) -> Result<(ThreePointSystem<'g>, Transcription), BoundaryError> {
    let refused = [
        (stated.three_points, "a discrete Lagrangian over three points"),
        (!system.heat.entropies().is_empty(), "entropies"),
        (!system.heat.states().is_empty(), "states of first order"),
        (!system.constraints.is_empty(), "constraints"),
        (question.terminal.is_some(), "a terminal cost"),
        (!question.integrals.is_empty(), "integral constraints"),
        (!question.bounded_velocities.is_empty(), "bounds of velocities"),
        (!question.conditions.is_empty(), "conditions along the way"),
        (!question.end_conditions.concat().is_empty(), "conditions at an end"),
        (!question.links.is_empty(), "links between both ends"),
        (question.shapes.iter().any(Option::is_some), "shapes of controls in the steps"),
        (question.periodic, "a periodic motion"),
    ];
    if let Some((_, what)) = refused.into_iter().find(|(stated, _)| *stated) {
        return Err(BoundaryError::NodeControls(what));
    }
    let running = question.running.unwrap_or(system.graph.int(0));
    let of = ThreePointSystem::controlled(system, stated, (&question.controls, pushes), running);
    let rows = (0..system.len()).map(Condition::Motion).collect();
    let transcription = transcription(&of, system, question, rows);
    Ok((of, transcription))
}

fn transcription<'g>(
    of: &ThreePointSystem<'g>,
    system: &System<'g>,
    question: &Question<'g>,
    node_rows: Vec<Condition>,
) -> Transcription {
    let n = system.len();
    let mut formulas = Formulas::new(system, question);
    let mut variables = Vec::new();
    for (offset, point) in of.points.iter().enumerate() {
        variables.extend(point.iter().enumerate().map(|(k, q)| (*q, GridPlace::Node(offset, k))));
    }
    variables.extend(of.controls.iter().enumerate().map(|(k, u)| (*u, GridPlace::Node(1, n + k))));
    variables.extend(formulas.duration_variable());
    let rows = of.constraints.iter().enumerate().map(|(row, (_, phi))| (*phi, GridPlace::Node(1, row)));
    formulas.push(&variables, of.action, &rows.collect::<Vec<_>>(), At::Every);
    let node = (0..n).map(Quantity::Position).chain((0..of.controls.len()).map(Quantity::Control));
    Transcription { node: node.collect(), node_rows, ..formulas.transcription(question) }
}

//! Stationary action of Lagrangians with higher derivatives: their unknowns and rows lie at the nodes otherwise than in first order.

use extremal_expr::{Expr, Id};
use extremal_model::Method;

use super::action::Formulas;
use super::three_points::stated_action;
use super::{At, BoundaryError, Condition, GridPlace, Quantity, Question, Transcription};
use crate::System;
use crate::discrete::{CustomDiscrete, HermiteAction, ThreePointAction};

/// The sum of the discrete action, to be made stationary.
///
/// With `custom` the user's own discrete Lagrangian over three points is summed as it stands.
/// With `hermite` the derivatives of order below k are unknowns of the nodes; with `difference` there is one more point beyond each
/// end, and a velocity there is a central difference; constraints hold at the points. Derivatives at an end that are not held are
/// free: the natural conditions come out of the variation.
pub(super) fn stationary_action<'g>(
    system: &System<'g>,
    method: &Method,
    custom: Option<CustomDiscrete<'g>>,
    question: &Question<'g>,
) -> Result<Transcription, BoundaryError> {
    if question.terminal.is_some() || question.running.is_some() || !question.controls.is_empty() {
        return Err(BoundaryError::HigherOrder("controls and objectives"));
    }
    if !(question.conditions.is_empty() && question.end_conditions.concat().is_empty() && question.links.is_empty()) {
        return Err(BoundaryError::HigherOrder("conditions on expressions, along the way or at an end,"));
    }
    // Vakonomic multipliers belong to rows of their own here.
    let unmultiplied = system.unmultiplied();
    if *method == Method::Custom {
        return match custom {
            Some(CustomDiscrete::Stated(stated)) if stated.three_points && system.order == 2 => {
                stated_action(&unmultiplied, &stated, question)
            }
            _ => Err(BoundaryError::ThreePoints),
        };
    }
    let (hermitian, differences) = (*method == Method::Hermite, *method == Method::Difference);
    match system.order {
        order if !hermitian && !differences => {
            Err(BoundaryError::FirstOrderMethod { method: method.to_string(), order })
        }
        _ if hermitian && !system.constraints.is_empty() => Err(BoundaryError::HermiteConstraints),
        _ if hermitian => Ok(hermite(&unmultiplied, question)),
        2 => Ok(three_points(&unmultiplied, question)),
        order => Err(BoundaryError::DifferenceOrder(order)),
    }
}

fn integral_rows(count: usize) -> (Vec<GridPlace>, Vec<Condition>) {
    ((0..count).map(GridPlace::Once).collect(), (0..count).map(Condition::Integral).collect())
}

fn hermite<'g>(system: &System<'g>, question: &Question<'g>) -> Transcription {
    let (h, n, k) = (system.step(), system.len(), system.order);
    let mut formulas = Formulas::new(system, question);
    // The action in the derivatives at both ends: α_i = (q_1^(i) − Taylor)/h^(k−i).
    let ends: Vec<Vec<Expr<'g>>> = (0..k).map(|i| system.symbols("", &format!("_end_{i}"))).collect();
    let nodal = |integrand: Expr<'g>| -> (Expr<'g>, Vec<(Id, f64)>) {
        let action = HermiteAction::of(&system.with_lagrangian(integrand));
        let increment = |i: usize, q: usize| {
            let value = (ends[i][q] - action.taylor(h, i, q)) / h.powi((k - i) as i64);
            (action.increments[i][q], value)
        };
        let rules: Vec<_> = (0..k).flat_map(|i| (0..n).map(move |q| (i, q))).map(|(i, q)| increment(i, q)).collect();
        (action.action.substitute(&rules), action.constants.into_named())
    };
    let (action, constants) = nodal(system.lagrangian);
    let place = |offset: usize| move |(at, symbol): (usize, Expr<'g>)| (symbol, GridPlace::Node(offset, at));
    let nodes = [system.configuration(), ends.concat()].into_iter().enumerate();
    let mut variables: Vec<_> =
        nodes.flat_map(|(offset, node)| node.into_iter().enumerate().map(place(offset))).collect();
    variables.extend(formulas.duration_variable());
    let (places, once_rows) = integral_rows(question.integrals.len());
    let integrals = question.integrals.iter().map(|integrand| nodal(*integrand).0);
    let rows: Vec<_> = integrals.zip(places).collect();
    formulas.push(&variables, action, &rows, At::Every);
    let quantity = |i: usize, q: usize| match i {
        0 => Quantity::Position(q),
        i => Quantity::Derivative { order: i, coordinate: q },
    };
    Transcription {
        node: (0..k).flat_map(|i| (0..n).map(move |q| quantity(i, q))).collect(),
        once_rows,
        constants,
        ..formulas.transcription(question)
    }
}

fn three_points<'g>(system: &System<'g>, question: &Question<'g>) -> Transcription {
    let (g, h, n) = (system.graph, system.step(), system.len());
    let mut formulas = Formulas::new(system, question);
    let points = ThreePointAction::of(system).points;
    let (mut places, mut once_rows) = integral_rows(question.integrals.len());
    // h Φ at the point in the middle, and half of it at the ends: the multiplier is that of L + λ Φ.
    places.extend((0..system.constraints.len()).map(|row| GridPlace::Node(1, row)));
    let at_middle = |integrand: Expr<'g>, weight: i64| {
        // Time is that of the middle point, one step after the first.
        let action = ThreePointAction::of(&system.with_lagrangian(integrand)).action;
        action.substitute(&[(system.t, system.t + h)]) / weight
    };
    let constraints = system.constraints.iter().map(|constraint| constraint.expression);
    let integrands: Vec<_> = question.integrals.iter().copied().chain(constraints).collect();
    let variables: Vec<_> = (points.iter().enumerate())
        .flat_map(|(offset, point)| point.iter().enumerate().map(move |(q, s)| (*s, GridPlace::Node(offset, q))))
        .collect();
    let duration = formulas.duration_variable();
    let everywhere: Vec<_> = variables.iter().copied().chain(duration).collect();
    let parts = match question.periodic {
        true => vec![(1, At::Every)],
        false => vec![(2, At::First), (1, At::Inner), (2, At::Last)],
    };
    for (weight, at) in parts {
        let action = at_middle(system.lagrangian, weight);
        let rows: Vec<_> = integrands.iter().map(|f| at_middle(*f, weight)).zip(places.iter().copied()).collect();
        formulas.push(&everywhere, action, &rows, at);
    }
    let mut once = formulas.once();
    if !question.periodic {
        // Velocities at the ends, as unknowns that a central difference ties to the points around.
        for (end, at, suffix) in [(false, At::First, "_v_start"), (true, At::Last, "_v_end")] {
            let quantity = if end { Quantity::EndVelocity } else { Quantity::StartVelocity };
            let velocities = system.symbols("", suffix);
            let own = velocities.iter().enumerate().map(|(q, v)| (*v, GridPlace::Once(once.len() + q)));
            let variables: Vec<_> = variables.iter().copied().chain(own).chain(duration).collect();
            let row = |q: usize| (points[2][q] - points[0][q]) / 2 - h * velocities[q];
            let rows: Vec<_> = (0..n).map(|q| (row(q), GridPlace::Once(once_rows.len() + q))).collect();
            formulas.push(&variables, g.int(0), &rows, at);
            once.extend((0..n).map(quantity));
            once_rows.extend((0..n).map(|coordinate| Condition::EndVelocity { end, coordinate }));
        }
    }
    Transcription {
        node: (0..n).map(Quantity::Position).collect(),
        once,
        node_rows: (0..system.constraints.len()).map(Condition::Constraint).collect(),
        once_rows,
        ghosts: usize::from(!question.periodic),
        ..formulas.transcription(question)
    }
}

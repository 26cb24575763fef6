//! Instants of a grid, and the bounds of all unknowns and rows on it.

use extremal_expr::elementary::power;
use extremal_mechanics::boundary::{Assembly, Condition, Quantity, Transcription};
use extremal_solve::nlp::NlpBounds;

use super::statement::{Duration, EndValue, Grading, Statement};

/// The instants as parts of the duration.
pub(super) fn fractions(steps: usize, grading: Grading) -> Vec<f64> {
    let Grading { start, end } = grading;
    let part = |k: usize| k as f64 / steps as f64;
    // The part of the steps that belongs to the start: an end without grading leaves all of them to the other one.
    let share = match (start > 1.0, end > 1.0) {
        (true, true) => 0.5,
        (false, true) => 0.0,
        _ => 1.0,
    };
    let instant = |k: usize| match part(k) {
        s if s <= share && share > 0.0 => share * power(s / share, start),
        _ => 1.0 - (1.0 - share) * power(part(steps - k) / (1.0 - share), end),
    };
    (0..=steps).map(instant).collect()
}

/// By what displacements of the unknowns are measured: those of positions and controls by the length of time they last, those of
/// others not at all.
pub(super) fn metric(layout: &Assembly, fractions: &[f64], ghosts: usize) -> Vec<f64> {
    let steps = fractions.len() - 1;
    let length = |step: usize| fractions[step + 1] - fractions[step];
    let around = |node: usize| match node.checked_sub(ghosts) {
        Some(0) => 0.5 * length(0),
        Some(k) if k < steps => 0.5 * (length(k - 1) + length(k)),
        _ => 0.5 * length(steps - 1),
    };
    let weight = |&(quantity, k): &(Quantity, usize)| match quantity {
        Quantity::Position(_) | Quantity::State(_) | Quantity::NodeControl(_) => around(k),
        Quantity::Inner { .. } | Quantity::Control(_) | Quantity::StageControl { .. } => length(k.min(steps - 1)),
        _ => 0.0,
    };
    layout.variables.iter().map(weight).collect()
}

/// The bounds of every unknown and row. Values that are given fix their unknowns.
pub(super) fn bounds(
    statement: &Statement,
    layout: &Assembly,
    steps: usize,
    (transcription, first_state): (&Transcription, usize),
) -> NlpBounds {
    let ghosts = transcription.ghosts;
    let at_nodes = transcription.node.contains(&Quantity::Control(0));
    let passed = |coordinate: usize, order: usize, k: usize| {
        let at = |fraction: f64| (fraction * steps as f64).round() as usize == k;
        let point = |(fraction, value): &&(f64, EndValue)| {
            at(*fraction) && value.coordinate == coordinate && value.order == order
        };
        statement.via.iter().find(point).map(|(_, value)| value.value)
    };
    let given = |values: &[EndValue], coordinate: usize, order: usize| {
        values.iter().find(|value| value.coordinate == coordinate && value.order == order).map(|value| value.value)
    };
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let path = |coordinate: usize, order: usize| {
        let bound = statement.path.iter().find(|bound| bound.coordinate == coordinate && bound.order == order);
        bound.map_or(free, |bound| (bound.min, bound.max))
    };
    let at_node = |coordinate: usize, order: usize, k: usize| {
        let value = match k.checked_sub(ghosts) {
            Some(0) => given(&statement.start, coordinate, order),
            Some(k) if k == steps => given(&statement.end, coordinate, order),
            Some(1) if given(&statement.second, coordinate, order).is_some() => {
                given(&statement.second, coordinate, order)
            }
            Some(k) if k + 1 == steps && given(&statement.next_to_last, coordinate, order).is_some() => {
                given(&statement.next_to_last, coordinate, order)
            }
            Some(k) => passed(coordinate, order, k),
            None => None,
        };
        value.map_or_else(|| path(coordinate, order), |value| (value, value))
    };
    let held = |value: Option<f64>| value.map_or(free, |value| (value, value));
    let variable = |&(quantity, k): &(Quantity, usize)| match quantity {
        Quantity::Position(coordinate) => at_node(coordinate, 0, k),
        Quantity::Derivative { order, coordinate } => at_node(coordinate, order, k),
        Quantity::Inner { coordinate, .. } => path(coordinate, 0),
        // Of controls at nodes, those at the ends act on nothing.
        Quantity::Control(_) if at_nodes && (k == 0 || k == steps) => (0.0, 0.0),
        Quantity::Control(control) | Quantity::StageControl { control, .. } | Quantity::NodeControl(control) => {
            (statement.controls[control].min, statement.controls[control].max)
        }
        Quantity::Entropy(entropy) if k == 0 => held(Some(statement.start_entropies[entropy])),
        Quantity::Entropy(entropy) if k == steps => {
            held(statement.end_entropies.iter().find(|(place, _)| *place == entropy).map(|(_, value)| *value))
        }
        Quantity::State(state) => at_node(first_state + state, 0, k),
        Quantity::StateRate { .. } => free,
        Quantity::Entropy(_) | Quantity::Multiplier(_) | Quantity::Hindrance { .. } => free,
        Quantity::StartVelocity(coordinate) => held(given(&statement.start, coordinate, 1)),
        Quantity::EndVelocity(coordinate) => held(given(&statement.end, coordinate, 1)),
        Quantity::Unknown(unknown) => (statement.unknowns[unknown].min, statement.unknowns[unknown].max),
        Quantity::Duration => match statement.duration {
            Duration::Free { min, max, .. } => (min, max),
            Duration::Fixed(value) => (value, value),
        },
    };
    let row = |&(condition, _): &(Condition, usize)| match condition {
        Condition::Integral(integral) => statement.integrals[integral].bounds(),
        Condition::ControlRate(control) => statement.controls[control].rate.into(),
        Condition::Link(link) => statement.links[link].bounds(),
        Condition::VelocityBound(coordinate) => path(coordinate, 1),
        Condition::Path { condition, .. } => statement.path_conditions[condition].bounds(),
        Condition::AtEnd { end, condition } => statement.conditions_at(end)[condition].bounds(),
        _ => (0.0, 0.0),
    };
    let (lower, upper) = layout.variables.iter().map(variable).unzip();
    let (constraint_lower, constraint_upper) = layout.rows.iter().map(row).unzip();
    NlpBounds { lower, upper, constraint_lower, constraint_upper }
}

/// The same with a duration and unknown parameters that may be anything.
pub(super) fn without_duration(bounds: &NlpBounds, layout: &Assembly) -> NlpBounds {
    let mut released = bounds.clone();
    for (at, (quantity, _)) in layout.variables.iter().enumerate() {
        if matches!(quantity, Quantity::Duration | Quantity::Unknown(_)) {
            (released.lower[at], released.upper[at]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    released
}

/// Are all unknowns within their bounds, up to rounding?
pub(super) fn within(bounds: &NlpBounds, x: &[f64]) -> bool {
    let one = |((x, lower), upper): ((&f64, &f64), &f64)| {
        let slack = 1e-9 * x.abs().max(1.0);
        *lower <= x + slack && x - slack <= *upper
    };
    x.iter().zip(&bounds.lower).zip(&bounds.upper).all(one)
}

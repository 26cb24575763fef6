//! Stop conditions: which of them a step has crossed, and where inside the step.

use extremal_model::Direction;
use extremal_solve::{March, RootError, StepFailure, find_root};

use super::blocks::BlockRows;
use super::observables::Observables;

/// A condition that changed its sign in the last step, with its values before and after it.
pub(crate) struct Crossed {
    pub condition: usize,
    before: f64,
    after: f64,
}

/// Where in the last step a condition is zero.
pub(crate) struct Crossing {
    pub condition: usize,
    /// The time since the beginning of the step.
    pub after: f64,
}

/// The conditions that the last step has crossed; `values` are theirs before it, and become those after it.
pub(crate) fn crossed(
    observables: &Observables,
    motion: &mut dyn March,
    values: &mut [f64],
) -> Result<Vec<Crossed>, StepFailure> {
    let mut found = Vec::new();
    if values.is_empty() {
        return Ok(found);
    }
    let observed = &motion.observe()?[observables.observed().stops()];
    for (condition, ((_, direction), value)) in observables.stops.iter().zip(values).enumerate() {
        let after = observed[condition];
        let before = std::mem::replace(value, after);
        if crosses(before, after, *direction) {
            found.push(Crossed { condition, before, after });
        }
    }
    Ok(found)
}

/// Finds the zeros of `crossed`, earliest first, in a step that began at the time `begin`. The motion is then somewhere inside the
/// step and can only be taken to the crossings.
pub(crate) fn located(
    observables: &Observables,
    motion: &mut dyn March,
    crossed: &[Crossed],
    begin: f64,
) -> Result<Vec<Crossing>, StepFailure> {
    let length = motion.time() - begin;
    let mut crossings = Vec::with_capacity(crossed.len());
    for Crossed { condition, before, after } in crossed {
        let mut value_after = |h: f64| -> Result<f64, StepFailure> {
            motion.retake(h)?;
            Ok(motion.observe()?[observables.observed().stops()][*condition])
        };
        let at = match find_root(&mut value_after, 0.0, length, *before, *after, f64::EPSILON * length.abs()) {
            Ok(at) => at,
            Err(RootError::Function { cause, .. }) => return Err(cause),
            // Both ends are known to differ in sign and observed values to be finite: only the end itself is left.
            Err(_) => length,
        };
        crossings.push(Crossing { condition: *condition, after: at });
    }
    crossings.sort_by(|a, b| a.after.abs().total_cmp(&b.after.abs()));
    Ok(crossings)
}

/// Does a condition cross zero in one of the steps of a block? `values` are those before it.
pub(super) fn crosses_in_block(observables: &Observables, rows: &BlockRows<'_>, values: &[f64]) -> bool {
    let conditions = observables.stops.iter().zip(rows.stops()).zip(values);
    conditions.into_iter().any(|(((_, direction), column), before)| {
        BlockRows::steps(column, *before).any(|(before, after)| crosses(before, after, *direction))
    })
}

/// Does a value that goes from `before` to `after` cross zero in this direction? A start on zero is no crossing.
pub(super) fn crosses(before: f64, after: f64, direction: Direction) -> bool {
    let rising = before < 0.0 && after >= 0.0;
    let falling = before > 0.0 && after <= 0.0;
    match direction {
        Direction::Rising => rising,
        Direction::Falling => falling,
        Direction::Any => rising || falling,
    }
}

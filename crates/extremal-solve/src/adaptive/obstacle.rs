//! What keeps the steps of an explicit integrator short.

use std::fmt;

use super::rates::StepRates;

/// Why steps stay short where they lead nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// Stability: rates fall off much faster than the motion changes.
    Stiff,
    /// Rates that jump, or change as if they did, again and again.
    Jumps,
    /// Accuracy: the motion itself is that fast.
    Fast,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::Stiff => "the equations are stiff there, and an implicit method takes longer steps",
            Obstacle::Jumps => {
                "forces jump there, or nearly; a friction that jumps with the velocity has to be stated as dry friction"
            }
            Obstacle::Fast => "the motion is that fast there",
        })
    }
}

/// Rounds of the power iteration: it has to tell 1 from 3, not to converge.
const ROUNDS: usize = 16;
/// How far the rates are probed, relative to the state: less than a friction that is smoothed needs to turn round.
const PROBE: f64 = 1e-10;
/// Steps that only accuracy limits are shorter than this over the fastest rate: stability ends at 3.3 (DOPRI5) and 6.1 (DOP853).
const STABLE: f64 = 2.0;
/// A jump that steps meet again and again is not more than so many of them ahead.
const AHEAD: f64 = 16.0;
/// The way there is halved so often: what is smooth changes by nothing then,
const HALVINGS: usize = 30;
/// and what jumps by a part of itself.
const JUMP: f64 = 0.05;

/// Looks for what keeps steps of the length `h` from the state `y` short. `dy` are the rates there.
pub(super) fn obstacle<E>(t: f64, y: &[f64], dy: &[f64], h: f64, rhs: &mut impl StepRates<E>) -> Obstacle {
    let sizes: Vec<f64> = y.iter().zip(dy).map(|(y, dy)| y.abs().max((h * dy).abs()).max(f64::MIN_POSITIVE)).collect();
    if jumps(t, y, dy, h, rhs) {
        Obstacle::Jumps
    } else if h.abs() * fastest(t, y, dy, &sizes, rhs) > STABLE {
        Obstacle::Stiff
    } else {
        Obstacle::Fast
    }
}

/// Does a rate jump on the way that the rates here lead? The half in which one changes most is looked at again and again.
fn jumps<E>(t: f64, y: &[f64], dy: &[f64], h: f64, rhs: &mut impl StepRates<E>) -> bool {
    let mut moved = y.to_vec();
    let mut rates_at = |part: f64| {
        let far = part * AHEAD * h;
        moved.iter_mut().zip(y.iter().zip(dy)).for_each(|(moved, (y, dy))| *moved = y + far * dy);
        let mut rates = vec![0.0; y.len()];
        rhs.rates(t + far, &moved, &mut rates).is_ok().then_some(rates)
    };
    let (mut begin, mut end) = (0.0, 1.0);
    let (Some(mut first), Some(mut last)) = (rates_at(begin), rates_at(end)) else { return false };
    let scales: Vec<f64> = first.iter().zip(&last).map(|(a, b)| a.abs().max(b.abs()).max(f64::MIN_POSITIVE)).collect();
    let change = |a: &[f64], b: &[f64]| {
        let parts = a.iter().zip(b).zip(&scales).map(|((a, b), scale)| (a - b).abs() / scale);
        parts.fold(0.0, f64::max)
    };
    for _ in 0..HALVINGS {
        let middle = 0.5 * (begin + end);
        let Some(rates) = rates_at(middle) else { return false };
        match change(&first, &rates) > change(&rates, &last) {
            true => (end, last) = (middle, rates),
            false => (begin, first) = (middle, rates),
        }
    }
    change(&first, &last) > JUMP
}

/// The largest factor by which the rates answer to a change of the state: power iteration without a Jacobian.
fn fastest<E>(t: f64, y: &[f64], dy: &[f64], sizes: &[f64], rhs: &mut impl StepRates<E>) -> f64 {
    let norm = |v: &[f64]| v.iter().zip(sizes).map(|(v, size)| (v / size).powi(2)).sum::<f64>().sqrt();
    let mut direction: Vec<f64> = sizes.to_vec();
    let (mut moved, mut rates, mut largest) = (vec![0.0; y.len()], vec![0.0; y.len()], 0.0);
    for _ in 0..ROUNDS {
        let length = norm(&direction);
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        for (moved, (y, direction)) in moved.iter_mut().zip(y.iter().zip(&direction)) {
            *moved = y + PROBE * direction / length;
        }
        if rhs.rates(t, &moved, &mut rates).is_err() {
            break;
        }
        for (direction, (rate, before)) in direction.iter_mut().zip(rates.iter().zip(dy)) {
            *direction = (rate - before) / PROBE;
        }
        largest = norm(&direction);
    }
    if largest.is_finite() { largest } else { 0.0 }
}

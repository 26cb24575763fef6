//! What becomes of a motion that an adaptive integrator follows: does it arrive, or end in a singularity?

use super::{AdaptiveMarcher, StartValues};
use crate::adaptive::{AdaptiveError, AdaptiveIntegrator, AdaptiveOptions};

/// What becomes of a motion.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionFate {
    /// It arrives.
    Reached,
    /// It ends before.
    Singular {
        /// When.
        time: f64,
        /// What grows beyond all bounds, or fails, there.
        what: String,
    },
    /// It is not known: too many steps, or equations that jump.
    Undecided,
}

/// Rates that grow by this factor on the way to where an integrator cannot go on, grow beyond all bounds.
const UNBOUNDED: f64 = 1e4;
/// In this many roundings of the time a rate changes by no more than
const ROUNDINGS: f64 = 1e3;
/// this part of it, unless it has a pole there.
const DUE: f64 = 1e-2;
/// Rates that change by less than this factor stay what they are.
const STEADY: f64 = 2.0;
/// Steps in which a motion that seems to end is followed by a clock of its own.
const STEPS_BEYOND: u64 = 1_000;
/// The same where hardly any steps are left: enough to come closer to a singularity by many powers of two.
const LEAST_STEPS_BEYOND: u64 = 64;

impl AdaptiveMarcher {
    /// Follows a motion from these values to a time; it is then there, or as far as it goes.
    pub fn fate(&mut self, values: &StartValues, until: f64) -> MotionFate {
        self.restart(values, until - values.time);
        let rhs = &mut self.right_hand_side;
        let mut first = vec![0.0; self.names.len()];
        let mut last = first.clone();
        if rhs.evaluate(values.time, &self.previous.1, &mut first).is_err() {
            return MotionFate::Undecided;
        }
        let outcome = self.integrator.advance_to(until, &mut |t, y: &[f64], dy: &mut [f64]| rhs.evaluate(t, y, dy));
        let _ = self.project();
        let rhs = &mut self.right_hand_side;
        let worn_out = match outcome {
            Ok(()) => return MotionFate::Reached,
            Err(AdaptiveError::RightHandSide { .. } | AdaptiveError::StepTooSmall { .. }) => false,
            // The round-off of the time makes the last part of the way to a singularity long.
            Err(AdaptiveError::TooManySteps { .. }) => true,
            Err(_) => return MotionFate::Undecided,
        };
        let (time, state) = (self.integrator.time(), self.integrator.state());
        if rhs.evaluate(time, state, &mut last).is_err() {
            return MotionFate::Undecided;
        }
        let largest = first.iter().fold(f64::MIN_POSITIVE, |largest, rate| largest.max(rate.abs()));
        let grown = last.iter().enumerate().max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()));
        // Where it begins next to the end, rates do not grow by much any more, but would take everything away in no time. A force that
        // jumps does not: its rates stay what they are.
        let length = (until - values.time).abs();
        let size = state.iter().fold(f64::MIN_POSITIVE, |size, value| size.max(value.abs()));
        let gone = |at: &usize| last[*at].abs() * length > UNBOUNDED * UNBOUNDED * size;
        let bound = if worn_out { UNBOUNDED * UNBOUNDED } else { UNBOUNDED };
        let ended = match grown {
            Some((at, rate)) if rate.abs() > bound * largest => Some(at),
            _ => (0..last.len()).find(gone).filter(|_| !worn_out),
        };
        // Rates also grow by much where a fast oscillation leaves its rest.
        let ended = ended
            .filter(|at| worn_out || self.is_due(time, until, *at, last[*at]) || !self.goes_on(time, length, &last));
        match ended {
            Some(at) => MotionFate::Singular { time, what: format!("the rate of `{}`", self.names[at]) },
            None => MotionFate::Undecided,
        }
    }

    /// Does this rate change by much within a few roundings of the time alone? Then its pole is at that time, and no other clock leads
    /// closer to it.
    fn is_due(&mut self, time: f64, until: f64, at: usize, rate: f64) -> bool {
        let soon = time + (ROUNDINGS * f64::EPSILON * time).copysign(until - time);
        let mut rates = vec![0.0; self.names.len()];
        let evaluated = self.right_hand_side.evaluate(soon, self.integrator.state(), &mut rates);
        evaluated.is_err() || (rates[at] - rate).abs() > DUE * rate.abs()
    }

    /// Does the motion go on if its time is counted from here? One that is only too fast for the round-off of the time does: its rates
    /// stay what they are, or fall again. Those of one that runs into a singularity grow as far as it is followed.
    fn goes_on(&mut self, time: f64, length: f64, rates: &[f64]) -> bool {
        let left = self.options.max_steps.saturating_sub(self.integrator.work().tried());
        let options = AdaptiveOptions { max_steps: left.clamp(LEAST_STEPS_BEYOND, STEPS_BEYOND), ..self.options };
        let mut beyond =
            AdaptiveIntegrator::new(self.method, options, 0.0, self.integrator.state()).by_sizes(&self.alike);
        let rhs = &mut self.right_hand_side;
        let largest = |rates: &[f64]| rates.iter().fold(0.0, |largest: f64, rate| largest.max(rate.abs()));
        let (start, mut now) = (largest(rates), rates.to_vec());
        let (mut peak, mut returns) = (start, false);
        let goes_on = loop {
            match beyond.step(length, &mut |t, y: &[f64], dy: &mut [f64]| rhs.evaluate(time + t, y, dy)) {
                Ok(()) if beyond.time() == length => break true,
                Ok(()) => {}
                Err(AdaptiveError::TooManySteps { .. }) => break returns || peak <= STEADY * start,
                Err(_) => break false,
            }
            if rhs.evaluate(time + beyond.time(), beyond.state(), &mut now).is_err() {
                break false;
            }
            peak = peak.max(largest(&now));
            returns |= STEADY * largest(&now) < peak;
            if peak > UNBOUNDED * UNBOUNDED * start {
                break false;
            }
        };
        self.beyond += beyond.work().tried();
        goes_on
    }
}

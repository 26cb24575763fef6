//! A scheme whose steps are not alike in the time of the motion, which it carries in its state.

use std::ops::Range;

use super::clock::is_step;
use super::{March, Marcher, StartValues, TotalWork};
use crate::configuration::PassedConfiguration;
use crate::failure::{Reason, StepFailure};

/// Marches a scheme that carries the time: steps are alike in a time of their own, and a length of time is found by taking parts of a step.
#[derive(Clone)]
pub struct PacedMarcher {
    inner: Marcher,
    /// Where the time stands in the state.
    place: usize,
    /// The time at the state that a step is retaken from.
    begin: f64,
    /// The part of a step that was taken last, and the time that it took.
    last: (f64, f64),
}

/// The rule of false position gains more than a digit with every try, and three once it is near.
const TRIES: u32 = 40;
/// Times that differ by no more of their roundings are the same.
const ROUNDINGS: f64 = 4.0;

impl PacedMarcher {
    pub(super) fn new(inner: Marcher, place: usize) -> PacedMarcher {
        PacedMarcher { inner, place, begin: 0.0, last: (0.0, 0.0) }
    }

    /// Sets the parameters for the next motion, in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.inner.set_parameters(parameters);
    }

    /// Gets ready to begin a motion with steps of the size `h` in their own time.
    pub fn make_ready(&mut self, values: &StartValues, h: f64) {
        (self.begin, self.last) = (values.time, (0.0, 0.0));
        self.inner.make_ready(values, h);
    }

    /// Begins the motion that everything is ready for.
    ///
    /// # Errors
    /// There is no such start.
    pub fn begin(&mut self) -> Result<(), StepFailure> {
        self.inner.begin().map_err(|failure| StepFailure { time: self.begin, ..failure })
    }

    /// The failure with the time of the motion.
    fn in_time(&self, failure: StepFailure) -> StepFailure {
        StepFailure { time: self.time(), ..failure }
    }

    /// Goes from where the step began to the time `begin + h`, by the part of a step that takes as long; `known` is one that was taken.
    fn settle(&mut self, h: f64, known: (f64, f64)) -> Result<(), StepFailure> {
        let target = self.begin + h;
        let slack = ROUNDINGS * f64::EPSILON * target.abs().max(self.begin.abs());
        let (mut before, mut now) = ((0.0, 0.0), known);
        for _ in 0..TRIES {
            if (now.1 - h).abs() <= slack {
                self.inner.put(self.place, target, false);
                self.last = now;
                return Ok(());
            }
            let slope = (now.0 - before.0) / (now.1 - before.1);
            let size = now.0 + slope * (h - now.1);
            if !size.is_finite() || size == now.0 {
                break;
            }
            self.inner.retake(size).map_err(|failure| self.in_time(failure))?;
            (before, now) = (now, (size, self.time() - self.begin));
        }
        Err(self.stop(Reason::NotReachedInside { time: target }))
    }
}

impl March for PacedMarcher {
    fn steps(&self) -> u64 {
        self.inner.steps()
    }

    fn time(&self) -> f64 {
        self.inner.state()[self.place]
    }

    fn state(&self) -> &[f64] {
        self.inner.state()
    }

    fn work(&self) -> TotalWork {
        self.inner.work()
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        let begin = self.time();
        self.inner.advance().map_err(|failure| self.in_time(failure))?;
        let passed = self.time() - begin;
        if passed == 0.0 || !passed.is_finite() {
            return Err(self.reject(Reason::NoTimePasses));
        }
        (self.begin, self.last) = (begin, (self.inner.step_size(), passed));
        Ok(())
    }

    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure> {
        let (size, passed) = self.last;
        let first = if passed == 0.0 { self.inner.step_size() } else { size * h / passed };
        self.begin = self.time();
        self.inner.advance_by(first).map_err(|failure| self.in_time(failure))?;
        self.settle(h, (first, self.time() - self.begin))
    }

    fn retake(&mut self, h: f64) -> Result<(), StepFailure> {
        if h == 0.0 {
            return self.inner.retake(0.0).map_err(|failure| self.in_time(failure));
        }
        let (size, passed) = self.last;
        let first = if passed == 0.0 { self.inner.step_size() } else { size * h / passed };
        self.inner.retake(first).map_err(|failure| self.in_time(failure))?;
        self.settle(h, (first, self.time() - self.begin))
    }

    fn change(&mut self, values: &StartValues, kept: Range<usize>) -> Result<(), StepFailure> {
        let time = self.time();
        let changed = self.inner.change(values, kept);
        // The start of a scheme takes its time from the clock of its steps.
        self.inner.put(self.place, time, true);
        self.begin = time;
        changed.map_err(|failure| self.in_time(failure))
    }

    fn complete(&mut self, end: f64) -> Result<(), StepFailure> {
        if is_step(self.begin, end, self.last.1) {
            self.retake(end - self.begin)?;
        }
        self.inner.put(self.place, end, false);
        Ok(())
    }

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let (time, place) = (self.time(), self.place);
        match self.inner.observe() {
            Ok(observed) => Ok(observed),
            Err(failure) => {
                let before = failure.state.get(place).map_or(time, |(_, before)| *before);
                Err(StepFailure { time: before, ..failure })
            }
        }
    }

    fn stop(&self, reason: Reason) -> StepFailure {
        self.in_time(self.inner.stop(reason))
    }

    fn reject(&mut self, reason: Reason) -> StepFailure {
        let failure = self.inner.reject(reason);
        self.in_time(failure)
    }

    fn fork(&self) -> Box<dyn March> {
        Box::new(self.clone())
    }

    fn passed(&self) -> (&[PassedConfiguration], u64) {
        self.inner.passed()
    }
}

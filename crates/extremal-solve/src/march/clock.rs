//! The time of a motion that goes on in steps of one size.

/// Times that differ by no more of their roundings are the same.
const ROUNDINGS: f64 = 8.0;

/// Is there a step between two times, of a motion with steps of size `h`, and not only round-off?
pub(crate) fn is_step(begin: f64, end: f64, h: f64) -> bool {
    (end - begin).abs() > ROUNDINGS * f64::EPSILON * end.abs().max(h.abs())
}

/// Steps and time of a motion.
#[derive(Clone, Copy, Default)]
pub(crate) struct Clock {
    /// The first time.
    start: f64,
    /// The size of a step.
    pub h: f64,
    /// The time now.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
}

impl Clock {
    pub fn new(start: f64, h: f64) -> Self {
        Clock { start, h, time: start, steps: 0 }
    }

    /// The first time.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The time after so many steps: a product, so that it does not gather round-off.
    #[inline(always)]
    pub fn time_after(&self, steps: u64) -> f64 {
        (steps as f64).mul_add(self.h, self.start)
    }

    /// Counts whole steps.
    pub fn advance(&mut self, steps: u64) {
        self.steps += steps;
        self.time = self.time_after(self.steps);
    }

    /// Counts one step of another size.
    pub fn advance_by(&mut self, h: f64) {
        self.steps += 1;
        self.time += h;
    }

    /// Takes back the last step, if there is one.
    pub fn take_back(&mut self) {
        if self.steps > 0 {
            self.steps -= 1;
            self.time = self.time_after(self.steps);
        }
    }
}

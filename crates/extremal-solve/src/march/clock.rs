//! The time of a motion that goes on in steps of one size.

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

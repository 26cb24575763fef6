//! When to try again what has failed.

/// The largest number of calls for which a strategy is not tried.
const MAX_WAIT: u32 = 127;

/// Leaves out a strategy for some calls after it failed: twice as many after every failure, half as many after a success.
#[derive(Clone, Copy, Default)]
pub(crate) struct BackOff {
    /// Calls left for which it is not tried.
    wait: u32,
    waited: u32,
}

impl BackOff {
    /// Would the next call be one for which it is not tried?
    pub fn is_waiting(self) -> bool {
        self.wait > 0
    }

    /// Is this call one for which it is not tried?
    pub fn skip(&mut self) -> bool {
        let waits = self.wait > 0;
        self.wait -= u32::from(waits);
        waits
    }

    pub fn succeeded(&mut self) {
        self.waited /= 2;
    }

    pub fn failed(&mut self) {
        self.waited = (2 * self.waited + 1).min(MAX_WAIT);
        self.wait = self.waited;
    }
}

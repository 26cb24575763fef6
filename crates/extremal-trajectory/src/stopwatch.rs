//! Time, where there is a clock.

use std::time::Duration;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use std::time::Instant;

/// The time since it was started; always zero in a browser, which has no clock to offer.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    started: Instant,
}

impl Stopwatch {
    /// Starts it.
    pub fn start() -> Stopwatch {
        Stopwatch {
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            started: Instant::now(),
        }
    }

    /// The time since then.
    pub fn elapsed(&self) -> Duration {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        return self.started.elapsed();
        #[cfg(all(target_family = "wasm", target_os = "unknown"))]
        Duration::ZERO
    }
}

//! Ctrl-C: the first one ends a run in good order, a second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user, or the system, has asked the program to end.
#[derive(Clone)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Begins to listen.
    pub fn listen() -> Interrupt {
        let asked = Arc::new(AtomicBool::new(false));
        let set = Arc::clone(&asked);
        // Where no handler can be installed an interrupt ends the program at once, as it would without one.
        let _ = ctrlc::set_handler(move || {
            if set.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        });
        Interrupt(asked)
    }

    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

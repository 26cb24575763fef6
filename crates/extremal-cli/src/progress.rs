//! Progress bars: on terminals only, and only for what takes longer than a second.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use extremal::run;
use extremal::trajectory::sig;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// A bar that appears when a run takes long.
pub struct Progress {
    started: Instant,
    updated: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn new() -> Progress {
        let now = Instant::now();
        Progress { started: now, updated: now, bar: None }
    }

    /// Shows how far the run has come, if it is time to.
    pub fn show(&mut self, progress: run::Progress) {
        let wait = if self.bar.is_some() { BETWEEN_UPDATES } else { PATIENCE };
        if self.updated.elapsed() < wait {
            return;
        }
        self.updated = Instant::now();
        let run::Progress { step, steps, time } = progress;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}");
            ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_position(step);
        let left = self.started.elapsed().mul_f64(steps.saturating_sub(step) as f64 / step.max(1) as f64);
        bar.set_message(format!("t = {}, {} left", sig(time, 4), HumanDuration(left)));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A sign of life for work of unknown length, once it takes long.
pub struct Spinner {
    bar: ProgressBar,
    done: Sender<()>,
    waiting: JoinHandle<()>,
}

impl Spinner {
    pub fn new(message: &'static str) -> Spinner {
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        let bar = ProgressBar::no_length()
            .with_message(message)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let (done, wait) = mpsc::channel::<()>();
        let late = bar.clone();
        let waiting = thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                late.enable_steady_tick(BETWEEN_UPDATES);
            }
        });
        Spinner { bar, done, waiting }
    }

    /// Takes the spinner away.
    pub fn clear(self) {
        drop(self.done);
        // The thread cannot panic, and a spinner that stays is no harm.
        let _ = self.waiting.join();
        self.bar.finish_and_clear();
    }
}

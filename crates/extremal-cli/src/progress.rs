//! ProgressMeter bars: on terminals only, and only for what takes longer than a second.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use extremal_engine::run;
use extremal_engine::sweep;
use extremal_engine::trajectory::sig;
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// A bar that appears when a run takes long.
pub struct ProgressMeter {
    started: Instant,
    updated: Instant,
    bar: Option<ProgressBar>,
}

impl ProgressMeter {
    pub fn new() -> ProgressMeter {
        let now = Instant::now();
        ProgressMeter { started: now, updated: now, bar: None }
    }

    /// Shows how far a run has come, if it is time to.
    pub fn show(&mut self, progress: run::RunProgress) {
        let run::RunProgress { step, steps, time } = progress;
        self.update(step, steps, 0, |_, left| format!("t = {}, {left} left", sig(time, 4)));
    }

    /// Shows how far an ensemble has come, if it is time to.
    pub fn show_members(&mut self, progress: sweep::SweepProgress) {
        let sweep::SweepProgress { done, members, resumed } = progress;
        self.update(done, members, resumed, |rate, left| {
            format!("{done} of {members}, {} per second, {left} left", sig(rate, 3))
        });
    }

    /// `before` of what is done was done when the bar began; the message gets the rate and the time that is left.
    fn update(&mut self, done: u64, all: u64, before: u64, message: impl FnOnce(f64, HumanDuration) -> String) {
        let wait = if self.bar.is_some() { BETWEEN_UPDATES } else { PATIENCE };
        if self.updated.elapsed() < wait {
            return;
        }
        self.updated = Instant::now();
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}");
            ProgressBar::new(all).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_position(done);
        let (since, elapsed) = (done.saturating_sub(before), self.started.elapsed());
        let left = elapsed.mul_f64(all.saturating_sub(done) as f64 / since.max(1) as f64);
        bar.set_message(message(since as f64 / elapsed.as_secs_f64(), HumanDuration(left)));
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

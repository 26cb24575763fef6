//! Timing of two pieces of work in turns, by the time the processors spent on this program, and the table of results.

use cpu_time::ProcessTime;

/// Seconds per step of two pieces of work, and their ratio.
pub struct Paired {
    pub subject: f64,
    pub floor: f64,
    pub ratio: f64,
}

/// A motion to be timed: how many steps at once, and what takes that many.
pub struct Steps<W: FnMut(usize)> {
    pub count: usize,
    pub take: W,
}

impl<W: FnMut(usize)> Steps<W> {
    fn seconds_per_step(&mut self) -> f64 {
        seconds(|| (self.take)(self.count)) / self.count as f64
    }
}

/// The processor's time for this work.
pub fn seconds(work: impl FnOnce()) -> f64 {
    let clock = ProcessTime::now();
    work();
    clock.elapsed().as_secs_f64()
}

/// Rounds of a comparison: with a few milliseconds each, most are not interrupted even on a busy machine.
const ROUNDS: usize = 61;

/// Times both in turns. What disturbs the machine for longer than a round disturbs both, so the median of the ratios of
/// neighbours says more than the ratio of the medians. Both should take about as long per round, for the same reason.
pub fn paired(subject: Steps<impl FnMut(usize)>, floor: Steps<impl FnMut(usize)>) -> Paired {
    paired_in(ROUNDS, subject, floor)
}

/// The same in so many rounds.
pub fn paired_in(rounds: usize, mut subject: Steps<impl FnMut(usize)>, mut floor: Steps<impl FnMut(usize)>) -> Paired {
    let times: Vec<(f64, f64)> = (0..rounds)
        .map(|round| match round % 2 {
            0 => {
                let first = subject.seconds_per_step();
                (first, floor.seconds_per_step())
            }
            _ => {
                let first = floor.seconds_per_step();
                (subject.seconds_per_step(), first)
            }
        })
        .collect();
    Paired {
        subject: median(times.iter().map(|t| t.0)),
        floor: median(times.iter().map(|t| t.1)),
        ratio: median(times.iter().map(|t| t.0 / t.1)),
    }
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A time with three digits and a readable unit.
pub fn readable(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// Work, time, floor, ratio: printed as Markdown, row by row.
pub struct Table;

const WIDTHS: [usize; 4] = [62, 8, 8, 6];

impl Table {
    pub fn begin() -> Table {
        Self::row(["work", "extremal", "by hand", "ratio"].map(str::to_owned));
        Self::row(WIDTHS.map(|width| "-".repeat(width)));
        Table
    }

    pub fn compared(&mut self, work: &str, Paired { subject, floor, ratio }: &Paired) {
        Self::row([work.to_owned(), readable(*subject), readable(*floor), format!("{ratio:.2}")]);
    }

    /// A time beside that of another program, if it is there.
    pub fn beside_peer(&mut self, work: &str, seconds: f64, peer: Option<f64>) {
        let ratio = peer.map_or(String::new(), |peer| format!("{:.2}", seconds / peer));
        Self::row([work.to_owned(), readable(seconds), peer.map_or(String::new(), readable), ratio]);
    }

    /// A time with a limit instead of a floor.
    pub fn limited(&mut self, work: &str, seconds: f64, limit: f64) {
        Self::row([
            work.to_owned(),
            readable(seconds),
            format!("≤{}", readable(limit)),
            format!("{:.2}", seconds / limit),
        ]);
    }

    fn row(cells: [String; 4]) {
        let cells: Vec<String> = cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:<width$}")).collect();
        println!("| {} |", cells.join(" | "));
    }
}

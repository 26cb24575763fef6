//! Timing of two pieces of work in turns, and the table of results.

use std::time::Instant;

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
        let clock = Instant::now();
        (self.take)(self.count);
        clock.elapsed().as_secs_f64() / self.count as f64
    }
}

/// Rounds of a comparison: with a few milliseconds each, most are not interrupted even on a busy machine.
const ROUNDS: usize = 201;

/// Times both in turns. What disturbs the machine for longer than a round disturbs both, so the median of the ratios of
/// neighbours says more than the ratio of the medians. Both should take about as long per round, for the same reason.
pub fn paired(mut subject: Steps<impl FnMut(usize)>, mut floor: Steps<impl FnMut(usize)>) -> Paired {
    let times: Vec<(f64, f64)> = (0..ROUNDS)
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

fn median(values: impl Iterator<Item = f64>) -> f64 {
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

/// Rows of four cells, printed as Markdown.
pub struct Table {
    rows: Vec<[String; 4]>,
}

impl Table {
    pub fn new(heads: [&str; 4]) -> Table {
        Table { rows: vec![heads.map(str::to_string)] }
    }

    pub fn push(&mut self, row: [String; 4]) {
        self.rows.push(row);
    }

    pub fn print(&self) {
        let width = |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [0, 1, 2, 3].map(width);
        for (index, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            println!("| {} |", cells.join(" | "));
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                println!("| {} |", rules.join(" | "));
            }
        }
        println!();
    }
}

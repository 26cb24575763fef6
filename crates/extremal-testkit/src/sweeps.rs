//! Sweeps in few words, and their rows by the names of columns.

use extremal_engine::sweep::{CompiledSweep, Record, Summary, Variation};
use extremal_engine::trajectory::frame::{Fields, Frame};
use extremal_engine::{Model, Settings};

use crate::runs::RecordedRun;

/// A grid written as on the command line.
pub fn grid(axes: &[&str]) -> Variation {
    Variation { grid: axes.iter().map(|axis| axis.parse().unwrap()).collect(), ..Variation::default() }
}

/// Random values written as on the command line.
pub fn random(axes: &[&str], samples: u64, seed: u64) -> Variation {
    let random = axes.iter().map(|axis| axis.parse().unwrap()).collect();
    Variation { random, samples, seed, ..Variation::default() }
}

/// The rows of an ensemble that were collected.
pub struct SweepRows<S = Summary> {
    /// The names of the columns.
    pub fields: Fields,
    /// The rows.
    pub frame: Frame,
    /// What became of the members.
    pub summary: S,
}

impl SweepRows {
    /// Those of a sweep, marched on two threads.
    pub fn of(model: &Model, settings: &Settings, variation: Variation, record: Record) -> SweepRows {
        SweepRows::collected(&CompiledSweep::new(model, settings, variation, record).unwrap(), 2)
    }

    /// Those of a sweep, marched on so many threads.
    pub fn collected(sweep: &CompiledSweep, threads: usize) -> SweepRows {
        let (frame, summary) = sweep.collect(threads);
        SweepRows { fields: sweep.fields().clone(), frame, summary }
    }
}

impl<S> SweepRows<S> {
    /// A column of numbers.
    pub fn column(&self, name: &str) -> &[f64] {
        let at = self.fields.number_names().iter().position(|other| other == name);
        self.frame.numbers(at.unwrap_or_else(|| panic!("no column {name}")))
    }

    /// The words of the last but so many columns.
    fn words(&self, from_the_end: usize) -> Vec<Option<&str>> {
        let texts = self.fields.len() - 1 - self.fields.number_names().len();
        self.frame.texts(texts - 1 - from_the_end).iter().map(Option::as_deref).collect()
    }

    /// What each row is warned of.
    pub fn warnings(&self) -> Vec<Option<&str>> {
        self.words(0)
    }

    /// Why the motion of each row ended.
    pub fn reasons(&self) -> Vec<Option<&str>> {
        self.words(1)
    }

    /// How the motion of each row ended.
    pub fn statuses(&self) -> Vec<Option<&str>> {
        self.words(2)
    }

    /// The condition that each row is an event of.
    pub fn events(&self) -> Vec<Option<&str>> {
        self.words(3)
    }

    /// The member that each row belongs to.
    pub fn members(&self) -> &[i64] {
        self.frame.integers(0)
    }
}

/// Checks that two frames are the same, bit for bit.
pub fn assert_same(a: &Frame, b: &Frame, fields: &Fields, what: &str) {
    assert_eq!(a.integers(0), b.integers(0), "{what}");
    for (at, name) in fields.number_names().iter().enumerate() {
        let bits = |frame: &Frame| frame.numbers(at).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(a), bits(b), "{what}: column {name}");
    }
    for at in 0..fields.len() - 1 - fields.number_names().len() {
        assert_eq!(a.texts(at), b.texts(at), "{what}");
    }
}

/// The columns of a run that a sweep keeps too: all but the energy that belongs to a step.
pub fn kept_columns(run: &RecordedRun) -> Vec<String> {
    let columns = run.recorder.columns();
    (0..columns.len()).map(|at| columns[at].name().to_owned()).filter(|name| name != "energy_v").collect()
}

//! What these tests share: sweeps in few words, and rows by the names of their columns.

use std::ops::ControlFlow;

use extremal_engine::run::Outcome;
use extremal_engine::sweep::{Record, Summary, Sweep, Variation};
use extremal_engine::trajectory::frame::{Fields, Frame};
use extremal_engine::{Model, Overrides, Recorder, Run, Settings, gallery};

pub fn built_in(name: &str) -> Model {
    model(gallery::text(name).unwrap(), Overrides::default())
}

pub fn model(text: &str, overrides: Overrides) -> Model {
    Model::load(text, &overrides).unwrap_or_else(|e| panic!("{}", e.render("test", false)))
}

/// A grid written as on the command line.
pub fn grid(axes: &[&str]) -> Variation {
    Variation { grid: axes.iter().map(|axis| axis.parse().unwrap()).collect(), ..Variation::default() }
}

/// Random values written as on the command line.
pub fn random(axes: &[&str], samples: u64, seed: u64) -> Variation {
    let random = axes.iter().map(|axis| axis.parse().unwrap()).collect();
    Variation { random, samples, seed, ..Variation::default() }
}

/// The rows of a sweep that were collected.
pub struct Rows {
    pub fields: Fields,
    pub frame: Frame,
    pub summary: Summary,
}

impl Rows {
    pub fn of(model: &Model, settings: &Settings, variation: Variation, record: Record) -> Rows {
        let sweep = Sweep::new(model, settings, variation, record).unwrap();
        let (frame, summary) = sweep.collect(2);
        Rows { fields: sweep.fields().clone(), frame, summary }
    }

    pub fn column(&self, name: &str) -> &[f64] {
        let at = self.fields.number_names().iter().position(|other| other == name);
        self.frame.numbers(at.unwrap_or_else(|| panic!("no column {name}")))
    }

    /// The words of the last but so many columns.
    fn words(&self, from_the_end: usize) -> Vec<Option<&str>> {
        let texts = self.fields.len() - 1 - self.fields.number_names().len();
        self.frame.texts(texts - 1 - from_the_end).iter().map(Option::as_deref).collect()
    }

    pub fn warnings(&self) -> Vec<Option<&str>> {
        self.words(0)
    }

    pub fn reasons(&self) -> Vec<Option<&str>> {
        self.words(1)
    }

    pub fn statuses(&self) -> Vec<Option<&str>> {
        self.words(2)
    }

    pub fn events(&self) -> Vec<Option<&str>> {
        self.words(3)
    }

    pub fn members(&self) -> &[i64] {
        self.frame.integers(0)
    }
}

/// Are two frames the same, bit for bit?
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

/// A run of its own.
pub struct Single {
    pub outcome: Outcome,
    pub recorder: Recorder,
}

impl Single {
    pub fn of(model: &Model, settings: &Settings) -> Single {
        let run = Run::new(model, settings).unwrap();
        let mut recorder = Recorder::new(run.columns().clone());
        let outcome = run.execute(&mut recorder, |_| ControlFlow::Continue(())).unwrap();
        Single { outcome, recorder }
    }

    pub fn column(&self, name: &str) -> Vec<f64> {
        assert!(self.recorder.series().is_complete(), "too many rows for the memory of the recorder");
        let at = self.recorder.columns().index_of(name).unwrap_or_else(|| panic!("no column {name}"));
        self.recorder.series().column(at).collect()
    }

    /// The columns that a sweep keeps too: all but the energy that belongs to a step.
    pub fn names(&self) -> Vec<String> {
        let columns = self.recorder.columns();
        (0..columns.len()).map(|at| columns[at].name().to_owned()).filter(|name| name != "energy_v").collect()
    }
}

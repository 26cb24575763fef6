//! Singular configurations on the way of a motion: they stop it, or are passed on purpose and remembered.

use crate::failure::Reason;
use crate::rank::{ConstraintRowBlock, ConstraintRows, Passage, RowWatch};

/// A singular configuration that a motion went through on purpose.
#[derive(Clone, Debug, PartialEq)]
pub struct PassedConfiguration {
    /// When.
    pub time: f64,
    /// A constraint that depends on others there.
    pub constraint: String,
    /// These others.
    pub others: Vec<String>,
    /// Was the step too long to follow the motion through?
    pub broken: bool,
}

/// Configurations closer than this part of the time are one.
const SAME: f64 = 1e-6;
/// So many are remembered with their names; all are counted.
const REMEMBERED: usize = 16;

/// Watches the rows of constraints along a motion.
#[derive(Clone, Debug, Default)]
pub struct ConfigurationWatch {
    rows: RowWatch,
    names: Vec<String>,
    pass: bool,
    passed: Vec<PassedConfiguration>,
    count: u64,
    /// Was the last look at a singular configuration, and when was the latest?
    inside: bool,
    latest: f64,
}

impl ConfigurationWatch {
    /// A watch over constraints of these names, whose rows have entries in these columns.
    pub fn new(names: Vec<String>, pattern: &[Vec<usize>]) -> Self {
        ConfigurationWatch { rows: RowWatch::new(pattern), names, ..ConfigurationWatch::default() }
    }

    /// From now on singular configurations are passed, or stop the motion.
    pub fn pass(&mut self, pass: bool) {
        self.pass = pass;
    }

    /// Are singular configurations passed?
    pub fn passes(&self) -> bool {
        self.pass
    }

    /// How many values it looks at: entries of the rows, then their rates.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is there nothing to look at?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The next look begins a new way.
    pub fn forget(&mut self) {
        self.rows.forget();
    }

    /// Forgets everything, before another motion.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.passed.clear();
        (self.count, self.inside) = (0, false);
    }

    /// Is the last look the beginning of a way?
    pub fn has_seen(&self) -> bool {
        self.rows.has_seen()
    }

    /// The first singular configurations that were passed, and how many there were in all.
    pub fn passed(&self) -> (&[PassedConfiguration], u64) {
        (&self.passed, self.count)
    }

    /// Looks at the rows; `sample` shows them at any part of the way since the last look. Says why the motion cannot have come here.
    pub fn look(
        &mut self,
        rows: ConstraintRows<'_>,
        begin: f64,
        sample: impl FnMut(f64, &mut dyn FnMut(ConstraintRows<'_>)) -> bool,
    ) -> Option<Reason> {
        let end = rows.time;
        if !self.rows.look(rows) {
            self.inside = false;
            return None;
        }
        let (row, others, part, distance, broken) = match self.rows.follow(sample) {
            Passage::Regular => {
                self.inside = false;
                return None;
            }
            Passage::Singular { row, others, part, distance } => (row, others, part, distance, false),
            Passage::Broken { row, others, part, distance } => (row, others, part, distance, true),
        };
        let time = begin + part * (end - begin);
        let constraint = self.names[row].clone();
        let others: Vec<String> = others.into_iter().map(|other| self.names[other].clone()).collect();
        if self.pass {
            // A configuration at the end of one step is at the beginning of the next, and short steps may all be near it.
            let near = self.count > 0 && (time - self.latest).abs() <= SAME * time.abs().max(end - begin);
            let known = std::mem::replace(&mut self.inside, true) || near;
            if !known {
                self.count += 1;
                if self.passed.len() < REMEMBERED {
                    self.passed.push(PassedConfiguration { time, constraint, others, broken });
                }
            }
            self.latest = time;
            return None;
        }
        Some(match broken {
            false => Reason::SingularConfiguration { constraint, others, time },
            true => Reason::UnresolvedConfiguration { constraint, others, time, distance },
        })
    }

    /// Do the rows at these times, one after the other, stay so far from a singular configuration that none of the looks at them would need
    /// more than this one? Then [go on](ConfigurationWatch::go_on) behind them.
    pub fn are_far(&mut self, rows: &ConstraintRowBlock<'_>) -> bool {
        self.rows.are_far(rows)
    }

    /// Goes on behind such rows, the last of which are these.
    pub fn go_on(&mut self, last: ConstraintRows<'_>) {
        self.rows.go_on(last);
        self.inside = false;
    }

    /// The reason why a step of this length failed, if the constraints would have become dependent in it.
    pub fn explain(&self, length: f64, cause: Reason) -> Reason {
        match (&cause, self.rows.closing(LOOKED_AHEAD * length)) {
            (Reason::Solve(_) | Reason::Adaptive(_), Some((row, distance))) => Reason::BeforeSingularConfiguration {
                constraint: self.names[row].clone(),
                distance,
                cause: Box::new(cause),
            },
            _ => cause,
        }
    }
}

/// A step that fails is blamed on a singular configuration within so many of its lengths.
const LOOKED_AHEAD: f64 = 2.0;

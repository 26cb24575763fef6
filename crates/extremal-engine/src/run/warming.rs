//! Are the steps of a system of entropies alone, which has no velocities to look at, short beside what happens in them?
//!
//! What moves there is heat: Σ T |ΔS| in a step, in units of the energy; or, of variables without temperatures, Σ |Δx|.

use extremal_solve::{MotionFate, Reason, StartValues};

use super::judge::{Judge, RESOLVED, UNRESOLVED};
use super::layout::TIME;
use super::observables::Observables;
use super::warning::Warning;

/// How much more heat than in the steps before may move in a step without being looked at.
const GROWTH: f64 = 4.0;
/// What is left of the strongest flow after another step.
const FADING: f64 = 0.9;
/// More heat than ever before, in so many steps one after the other, is looked at.
const RISING: u32 = 4;
/// Flows below this part of the largest so far are quiet.
const QUIET: f64 = 1e-4;
/// After a step that was looked at, so many more are, if they are not quiet.
const ALERT: u32 = 4;

/// Where such a motion is at one time.
#[derive(Clone, Default)]
struct Warmth {
    time: f64,
    s: Vec<f64>,
    temperatures: Vec<f64>,
}

impl Warmth {
    fn read(&mut self, observables: &Observables, row: &[f64]) {
        let at = &observables.row;
        self.time = row[TIME];
        self.s.copy_from_slice(&row[at.entropies.clone()]);
        match observables.temperatures {
            0 => self.temperatures.fill(1.0),
            _ => self.temperatures.copy_from_slice(&row[at.temperatures.clone()]),
        }
    }

    /// Σ T |S − s|.
    fn from(&self, s: &[f64]) -> f64 {
        let apart = self.s.iter().zip(s).map(|(a, b)| (a - b).abs());
        apart.zip(&self.temperatures).map(|(apart, t)| apart * t.abs()).sum()
    }

    fn start(&self) -> StartValues {
        StartValues { s: self.s.clone(), time: self.time, ..StartValues::default() }
    }
}

/// Watches the rows of one motion.
pub(super) struct Warming {
    before: Warmth,
    now: Warmth,
    seen: u64,
    strongest: f64,
    largest: f64,
    rising: u32,
    alert: u32,
    warning: Option<Warning>,
}

impl Warming {
    pub fn new(entropies: usize) -> Self {
        let warmth = Warmth { time: 0.0, s: vec![0.0; entropies], temperatures: vec![0.0; entropies] };
        Warming {
            before: warmth.clone(),
            now: warmth,
            seen: 0,
            strongest: 0.0,
            largest: 0.0,
            rising: 0,
            alert: 0,
            warning: None,
        }
    }

    /// Looks at the next row. What it returns is why the step to it is none.
    pub fn look(&mut self, observables: &Observables, row: &[f64], judge: &mut Judge) -> Option<Reason> {
        judge.see_row();
        if !self.suspects(observables, row) {
            return None;
        }
        let (start, h) = (self.before.start(), self.now.time - self.before.time);
        let (fate, exact) = judge.follow(&start, self.now.time)?;
        match fate {
            MotionFate::Undecided => return None,
            MotionFate::Singular { time, what } => return Some(Reason::Singularity { time, what }),
            MotionFate::Reached => {}
        }
        let m = self.now.s.len();
        let moved = self.before.from(&exact[..m]) + QUIET * self.largest;
        if self.now.from(&exact[..m]) > UNRESOLVED * moved && self.warning.is_none() {
            let arrived = Warmth { s: exact[..m].to_vec(), ..self.now.clone() };
            let resolving = judge.halved(&start, h, |state| arrived.from(&state[..m]) <= RESOLVED * moved);
            self.warning = Some(Warning::Unresolved { time: self.before.time, step: h, resolving });
        }
        None
    }

    /// Takes the next row; is there a reason to ask the judge about the step to it?
    pub fn suspects(&mut self, observables: &Observables, row: &[f64]) -> bool {
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.read(observables, row);
        self.seen += 1;
        if self.seen == 1 {
            return false;
        }
        let flow = self.now.from(&self.before.s).max(self.before.from(&self.now.s));
        let grown = self.seen > 2 && flow > GROWTH * self.strongest && flow > QUIET * self.largest;
        self.rising = if self.seen > 2 && flow > self.largest { self.rising + 1 } else { 0 };
        self.strongest = flow.max(FADING * self.strongest);
        self.largest = self.largest.max(flow);
        let due = self.rising > 0 && self.rising.is_multiple_of(RISING);
        let alert = self.alert > 0 && flow > QUIET * self.largest;
        self.alert = if grown { ALERT } else { self.alert.saturating_sub(1) };
        grown || due || alert
    }

    /// Why a motion whose next step of size `h` failed cannot go on, if its equations say so.
    pub fn end(&self, h: f64, judge: &mut Judge) -> Option<Reason> {
        let (fate, _) = judge.follow(&self.now.start(), self.now.time + h).filter(|_| self.seen > 0)?;
        match fate {
            MotionFate::Singular { time, what } => Some(Reason::Singularity { time, what }),
            MotionFate::Reached | MotionFate::Undecided => None,
        }
    }

    /// What is to be said at the end.
    pub fn warning(&self) -> Option<&Warning> {
        self.warning.as_ref()
    }
}

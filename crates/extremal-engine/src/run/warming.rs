//! Are the steps of a system of entropies or states alone, which has no velocities to look at, short beside what happens in them?
//!
//! What moves there is heat: Σ T |ΔS| in a step, in units of the energy; or a state, in its own units. Distances of states are parts of
//! the largest values that they have had.

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
    /// Temperatures, chemical potentials, and one over the size of each state.
    temperatures: Vec<f64>,
}

impl Warmth {
    fn read(&mut self, observables: &Observables, row: &[f64], sizes: &mut [f64]) {
        let at = &observables.row;
        self.time = row[TIME];
        self.s.copy_from_slice(&row[at.entropies.clone()]);
        let (heated, moved) = self.temperatures.split_at_mut(observables.balanced());
        heated.copy_from_slice(&row[at.temperatures.clone()]);
        let states = &self.s[heated.len()..];
        for ((weight, size), state) in moved.iter_mut().zip(sizes).zip(states) {
            *size = size.max(state.abs());
            *weight = if *size > 0.0 { 1.0 / *size } else { 0.0 };
        }
    }

    /// Σ T |S − s|, of states Σ |x − s| over their size.
    fn from(&self, s: &[f64]) -> f64 {
        self.apart_in_first(s, s.len())
    }

    /// The same of the first so many.
    fn apart_in_first(&self, s: &[f64], count: usize) -> f64 {
        let apart = self.s.iter().zip(s).map(|(a, b)| (a - b).abs());
        apart.zip(&self.temperatures).take(count).map(|(apart, t)| apart * t.abs()).sum()
    }

    fn start(&self) -> StartValues {
        StartValues { s: self.s.clone(), time: self.time, ..StartValues::default() }
    }
}

/// What moves in each step, in one unit.
#[derive(Clone, Default)]
struct StepFlow {
    strongest: f64,
    largest: f64,
    rising: u32,
}

/// What the flow of a step looks like.
#[derive(Clone, Copy, Default)]
struct FlowSign {
    grown: bool,
    due: bool,
    loud: bool,
}

impl StepFlow {
    /// Takes the flow of the next step, of which there were some before or not.
    fn see(&mut self, flow: f64, known: bool) -> FlowSign {
        let grown = known && flow > GROWTH * self.strongest && flow > QUIET * self.largest;
        self.rising = if known && flow > self.largest { self.rising + 1 } else { 0 };
        self.strongest = flow.max(FADING * self.strongest);
        self.largest = self.largest.max(flow);
        let due = self.rising > 0 && self.rising.is_multiple_of(RISING);
        FlowSign { grown, due, loud: flow > QUIET * self.largest }
    }
}

/// Watches the rows of one motion.
pub(super) struct Warming {
    before: Warmth,
    now: Warmth,
    /// The largest that each state has been.
    sizes: Vec<f64>,
    seen: u64,
    /// Of the heat, then of each state.
    flows: Vec<StepFlow>,
    alert: u32,
    warning: Option<Warning>,
}

impl Warming {
    pub fn new(entropies: usize) -> Self {
        let warmth = Warmth { time: 0.0, s: vec![0.0; entropies], temperatures: vec![0.0; entropies] };
        Warming {
            before: warmth.clone(),
            now: warmth,
            sizes: vec![0.0; entropies],
            seen: 0,
            flows: vec![StepFlow::default(); 1 + entropies],
            alert: 0,
            warning: None,
        }
    }

    /// Looks at the next row. What it returns is why the step to it is none.
    pub fn look(&mut self, observables: &Observables, row: &[f64], judge: &mut Judge) -> Option<Reason> {
        judge.see_rows(1);
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
        let moved = self.before.from(&exact[..m]) + QUIET * self.flows[0].largest;
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
        self.now.read(observables, row, &mut self.sizes);
        // Both ends of a step are measured by the same sizes.
        let heated = observables.balanced();
        self.before.temperatures[heated..].copy_from_slice(&self.now.temperatures[heated..]);
        self.seen += 1;
        if self.seen == 1 {
            return false;
        }
        let known = self.seen > 2;
        let (before, now) = (&self.before, &self.now);
        let heat = now.apart_in_first(&before.s, heated).max(before.apart_in_first(&now.s, heated));
        let mut sign = self.flows[0].see(heat, known);
        let states = before.s.iter().zip(&now.s).skip(heated);
        for (flow, (from, to)) in self.flows[1..].iter_mut().zip(states) {
            let of_state = flow.see((to - from).abs(), known);
            sign.grown |= of_state.grown;
            sign.due |= of_state.due;
            sign.loud |= of_state.loud;
        }
        let alert = self.alert > 0 && sign.loud;
        self.alert = if sign.grown { ALERT } else { self.alert.saturating_sub(1) };
        sign.grown || sign.due || alert
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

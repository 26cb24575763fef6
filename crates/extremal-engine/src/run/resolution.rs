//! Is the motion resolved by its steps? A cheap look at every row, and a judge who is asked when something is suspicious.

use extremal_solve::Reason;

use super::inertia::InertiaWatch;
use super::judge::{Judge, Moment, Verdict};
use super::observables::Observables;
use super::warning::Warning;

/// How much stronger than in the steps before a step may change velocities and momenta without being looked at: by how much the
/// change itself, and its square, may grow. A step that throws a motion back from a weak centre, as that of log(x), changes its velocity
/// by twice of it, five times what the steps before did.
const GROWTH: f64 = 4.0;
/// What is left of the strongest change after another step.
const FADING: f64 = 0.9;
/// Changes by more than this part of what changes, in so many steps one after the other, are looked at.
const ROUGH: f64 = 0.5;
const ROUGH_STEPS: u32 = 4;
/// After a step that changed much more than those before it, so many more are looked at if they change more than this.
const ALERT: u32 = 8;
const ALERT_ROUGH: f64 = 0.1;
/// A conserved energy may change in a step by this part of the kinetic energy without being looked at.
const ENERGY_JUMP: f64 = 0.05;
/// Kinetic energies below this part of the largest one so far are quiet: at turning points next to an equilibrium nothing happens that
/// a relative error could be measured against.
const QUIET: f64 = 1e-4;
/// Kinetic energies below this part of the energy are round-off.
const ROUND_OFF: f64 = 1e-14;
/// After a warning a motion is looked at so many times more, for singularities.
const AFTER_WARNING: u32 = 64;

/// Watches the rows of one motion.
pub(crate) struct Resolution {
    /// They change places at every row.
    before: Box<Moment>,
    now: Box<Moment>,
    seen: u64,
    inertia: InertiaWatch,
    /// Has the mass changed in the last step as one does that vanishes?
    leapt: bool,
    /// Is the energy conserved?
    conserved: bool,
    /// How much it changed in the last step.
    jump: f64,
    /// The strongest changes so far, fading: of first order and of second.
    strongest: [f64; 2],
    /// The largest kinetic energy and energy.
    kinetic: f64,
    energy: f64,
    rough: u32,
    alert: u32,
    /// Rows until rough steps are looked at again; twice as many after every time that nothing was found.
    wait: u64,
    waited: u64,
    looks_left: u32,
    warning: Option<Warning>,
}

impl Resolution {
    /// For a motion of which the energy should be conserved or not.
    pub fn new(observables: &Observables, conserved: bool) -> Self {
        let moment = Box::new(Moment::new(observables.coordinates, observables.entropies));
        Resolution::of(moment.clone(), moment, InertiaWatch::new(observables.determinants), conserved)
    }

    fn of(before: Box<Moment>, now: Box<Moment>, inertia: InertiaWatch, conserved: bool) -> Self {
        Resolution {
            before,
            now,
            seen: 0,
            inertia,
            leapt: false,
            conserved,
            jump: 0.0,
            strongest: [0.0; 2],
            kinetic: 0.0,
            energy: 0.0,
            rough: 0,
            alert: 0,
            wait: 0,
            waited: 1,
            looks_left: AFTER_WARNING,
            warning: None,
        }
    }

    /// Begins with another motion.
    pub fn begin(&mut self) {
        let nothing = || Box::new(Moment::new(0, 0));
        let [before, now] = [&mut self.before, &mut self.now].map(|moment| std::mem::replace(moment, nothing()));
        let mut inertia = std::mem::take(&mut self.inertia);
        inertia.begin();
        *self = Resolution::of(before, now, inertia, self.conserved);
    }

    /// Takes the determinants of the mass matrix of the row that is looked at next.
    pub fn weigh(&mut self, determinants: &[f64]) {
        self.leapt = self.inertia.leaps(determinants);
    }

    /// Looks at the next row. What it returns is why the step to it is none.
    pub fn look(&mut self, observables: &Observables, row: &[f64], judge: &mut Judge) -> Option<Reason> {
        judge.see_row();
        if !self.suspects(observables, row) || self.looks_left == 0 {
            return None;
        }
        match judge.verdict(&self.before, &self.now, self.floor(), self.warning.is_none()) {
            Verdict::Resolved | Verdict::Undecided => None,
            Verdict::Unresolved { resolving } => {
                self.looks_left -= 1;
                let (time, step) = (self.before.time, self.now.time - self.before.time);
                self.warning.get_or_insert(Warning::Unresolved { time, step, resolving });
                None
            }
            Verdict::Singular(reason) => Some(reason),
        }
    }

    /// Takes the next row, for what is said at the end.
    pub fn remember(&mut self, observables: &Observables, row: &[f64]) {
        self.now.read(observables, row);
        self.seen += 1;
    }

    /// Takes the next row; is there a reason to ask the judge about the step to it?
    pub fn suspects(&mut self, observables: &Observables, row: &[f64]) -> bool {
        if observables.coordinates == 0 {
            return false;
        }
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.read(observables, row);
        self.jump = (self.now.energy - self.before.energy).abs();
        self.kinetic = self.kinetic.max(self.now.kinetic);
        self.energy = self.energy.max(self.now.energy.abs());
        self.seen += 1;
        self.seen > 1 && self.is_suspicious()
    }

    /// Why a motion whose next step of size `h` failed cannot go on, if its equations say so.
    pub fn end(&self, h: f64, judge: &mut Judge) -> Option<Reason> {
        judge.end_of(&self.now, h).filter(|_| self.seen > 0)
    }

    /// Σ |v p| at the row that was taken last.
    pub fn kinetic_now(&self) -> f64 {
        self.now.kinetic
    }

    /// What is to be said at the end.
    pub fn warning(&self) -> Option<&Warning> {
        self.warning.as_ref()
    }

    /// What is too little of a kinetic energy to be looked at.
    fn floor(&self) -> f64 {
        (QUIET * self.kinetic).max(ROUND_OFF * self.energy)
    }

    fn is_suspicious(&mut self) -> bool {
        let (before, now) = (&self.before, &self.now);
        let change = before.change(now);
        let kinetic = before.kinetic + now.kinetic;
        let floor = self.floor();
        let grown = change[0] > GROWTH * self.strongest[0] || change[1] > GROWTH * GROWTH * self.strongest[1];
        for (strongest, change) in self.strongest.iter_mut().zip(change) {
            *strongest = change.max(FADING * *strongest);
        }
        let rough = change[0] > ROUGH * kinetic;
        // A kinetic energy that changes its sign has passed a vanishing mass, unless there are terms linear in the velocities.
        let turned = before.work * now.work < 0.0;
        self.rough = if rough || turned { self.rough + 1 } else { 0 };
        let leapt = std::mem::take(&mut self.leapt);
        if change[0] + change[1] <= floor && !leapt {
            return false;
        }
        let grown = grown && self.seen > 2 || leapt;
        self.alert = if grown { ALERT } else { self.alert.saturating_sub(1) };
        let jumped = self.conserved && self.jump > ENERGY_JUMP * kinetic;
        if grown || jumped || self.alert > 0 && change[0] > ALERT_ROUGH * kinetic {
            return true;
        }
        self.wait = self.wait.saturating_sub(1);
        let due = self.wait == 0 && (turned || self.rough >= ROUGH_STEPS);
        if due {
            self.waited *= 2;
            self.wait = self.waited;
        }
        due
    }
}

//! Is the motion resolved by its steps? A cheap look at every row, and a judge who is asked when something is suspicious.

use extremal_solve::{Reason, on_widest_registers};
use extremal_trajectory::RowBlock;

use super::blocks::{BlockRows, StepColumns, StepSlices};
use super::inertia::InertiaWatch;
use super::judge::{Judge, Moment, Verdict};
use super::observables::Observables;
use super::strands::{holds, larger, largest};
use super::warning::Warning;

/// How much stronger than in the steps before a step may change velocities and momenta without being looked at: by how much the
/// change itself, and its square, may grow. A step that throws a motion back from a weak centre, as that of log(x), changes its velocity
/// by twice of it, five times what the steps before did.
pub(super) const GROWTH: f64 = 4.0;
/// What is left of the strongest change after another step.
pub(super) const FADING: f64 = 0.9;
/// Changes by more than this part of what changes, in so many steps one after the other, are looked at.
const ROUGH: f64 = 0.5;
const ROUGH_STEPS: u32 = 4;
/// After a step that changed much more than those before it, so many more are looked at if they change more than this.
const ALERT: u32 = 8;
const ALERT_ROUGH: f64 = 0.1;
/// Of a motion whose first steps alone are looked at, a step that changes it by no more than this part is not looked at, however much
/// more that is than what the step before did: a force that begins near one of its zeros grows as much. Steps that go on to grow are seen
/// to be rough.
pub(super) const OPENING_ROUGH: f64 = 0.01;
/// A conserved energy may change in a step by this part of the kinetic energy without being looked at.
pub(super) const ENERGY_JUMP: f64 = 0.05;
/// Kinetic energies below this part of the largest one so far are quiet: at turning points next to an equilibrium nothing happens that
/// a relative error could be measured against.
pub(super) const QUIET: f64 = 1e-4;
/// Kinetic energies below this part of the energy are round-off.
pub(super) const ROUND_OFF: f64 = 1e-14;
/// Steps of a block that are looked at together.
const TOGETHER: usize = 32;
/// What is left of the strongest change is looked for in so many steps: no more than 1/800 of what was before them
/// can be left.
const LOOKED_BACK: usize = 64;
/// After a warning a motion is looked at so many times more, for singularities.
const AFTER_WARNING: u32 = 64;

/// Watches the rows of one motion.
pub(crate) struct Resolution {
    /// They change places at every row.
    before: Box<Moment>,
    now: Box<Moment>,
    inertia: InertiaWatch,
    /// Has the mass changed in the last step as one does that vanishes?
    leapt: bool,
    past: Past,
    /// Of the steps of a block.
    steps: StepColumns,
    looks_left: u32,
    warning: Option<Warning>,
}

/// What the steps so far say about the next one.
#[derive(Clone, Copy)]
struct Past {
    /// Is the energy conserved?
    conserved: bool,
    seen: u64,
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
}

/// What a step did to a motion.
struct StepFacts {
    /// How velocities and momenta changed.
    change: [f64; 2],
    /// Σ |v p| before it and after it.
    kinetic: [f64; 2],
    /// The energies.
    energy: [f64; 2],
    /// A kinetic energy that changes its sign has passed a vanishing mass, unless there are terms linear in the velocities.
    turned: bool,
    /// Has the mass changed as one does that vanishes?
    leapt: bool,
}

impl Resolution {
    /// For a motion of which the energy should be conserved or not.
    pub fn new(observables: &Observables, conserved: bool) -> Self {
        let moment = Box::new(Moment::new(observables.coordinates, observables.entropies));
        Resolution {
            before: moment.clone(),
            now: moment,
            inertia: InertiaWatch::new(observables.determinants),
            leapt: false,
            past: Past::new(conserved),
            steps: StepColumns::default(),
            looks_left: AFTER_WARNING,
            warning: None,
        }
    }

    /// Begins with another motion.
    pub fn begin(&mut self) {
        self.inertia.begin();
        self.past = Past::new(self.past.conserved);
        (self.leapt, self.looks_left, self.warning) = (false, AFTER_WARNING, None);
    }

    /// Goes on after the state has changed at once, with what was warned of.
    pub fn leap(&mut self) {
        let (warning, looks_left) = (self.warning.take(), self.looks_left);
        self.begin();
        (self.warning, self.looks_left) = (warning, looks_left);
    }

    /// Takes the determinants of the mass matrix of the row that is looked at next.
    pub fn weigh(&mut self, determinants: &[f64]) {
        self.leapt = self.inertia.leaps(determinants);
    }

    /// Looks at the next row. What it returns is why the step to it is none.
    pub fn look(&mut self, observables: &Observables, row: &[f64], judge: &mut Judge) -> Option<Reason> {
        judge.see_rows(1);
        if !self.suspects(observables, row) || self.looks_left == 0 {
            return None;
        }
        match judge.verdict(&self.before, &self.now, self.past.floor(), self.warning.is_none()) {
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
        self.past.seen += 1;
    }

    /// Takes the rows of a block, if none of them would be looked at closely; otherwise nothing is changed.
    pub fn pass(&mut self, observables: &Observables, rows: &BlockRows<'_>, judge: &mut Judge) -> bool {
        if self.past.seen == 0 || !self.inertia.stays_quiet(rows.determinants()) {
            return false;
        }
        self.steps.read(observables, rows, &self.now);
        let mut past = self.past;
        let all = self.steps.part(0..rows.rows());
        let smooth = on_widest_registers(
            #[inline(always)]
            || past.is_smooth(&all),
        );
        let one_by_one = if smooth { 0 } else { rows.rows() };
        for from in (0..one_by_one).step_by(TOGETHER) {
            let steps = self.steps.part(from..(from + TOGETHER).min(rows.rows()));
            let quiet = on_widest_registers(
                #[inline(always)]
                || past.is_quiet(&steps),
            );
            if quiet {
                continue;
            }
            for at in 0..steps.first.len() {
                let step = StepFacts {
                    change: [steps.first[at], steps.second[at]],
                    kinetic: [steps.kinetic[at], steps.kinetic[at + 1]],
                    energy: [steps.energy[at], steps.energy[at + 1]],
                    turned: steps.work[at] * steps.work[at + 1] < 0.0,
                    leapt: false,
                };
                if past.suspects(&step, 0.0) && self.looks_left > 0 {
                    return false;
                }
            }
        }
        self.past = past;
        let last = rows.rows() - 1;
        match last.checked_sub(1) {
            Some(before) => self.before.read_block(observables, rows, before),
            None => std::mem::swap(&mut self.before, &mut self.now),
        }
        self.now.read_block(observables, rows, last);
        self.inertia.go_on(rows.determinants(), last);
        judge.see_rows(rows.rows() as u64);
        true
    }

    /// Σ |v p| at the rows of the block that was passed last.
    pub fn kinetic_in_block(&self) -> &[f64] {
        self.steps.kinetic()
    }

    /// Takes the next row; is there a reason to ask the judge about the step to it?
    pub fn suspects(&mut self, observables: &Observables, row: &[f64]) -> bool {
        self.suspects_from(observables, row, 0.0)
    }

    /// Takes one of the first rows of a motion, of which only some are looked at later; is there a reason to look at all of them?
    pub fn suspects_opening(&mut self, observables: &Observables, row: &[f64]) -> bool {
        self.suspects_from(observables, row, OPENING_ROUGH)
    }

    /// Steps that change less than this part of a motion do not count as stronger than others.
    fn suspects_from(&mut self, observables: &Observables, row: &[f64], least: f64) -> bool {
        if observables.coordinates == 0 {
            return false;
        }
        std::mem::swap(&mut self.before, &mut self.now);
        self.now.read(observables, row);
        let (before, now) = (&self.before, &self.now);
        let leapt = std::mem::take(&mut self.leapt) && self.past.seen > 0;
        if self.past.seen == 0 {
            self.past.take(now.kinetic, now.energy);
            return false;
        }
        let step = StepFacts {
            change: before.change(now),
            kinetic: [before.kinetic, now.kinetic],
            energy: [before.energy, now.energy],
            turned: before.work * now.work < 0.0,
            leapt,
        };
        self.past.suspects(&step, least)
    }

    /// Why a motion whose next step of size `h` failed cannot go on, if its equations say so.
    pub fn end(&self, h: f64, judge: &mut Judge) -> Option<Reason> {
        judge.end_of(&self.now, h).filter(|_| self.past.seen > 0)
    }

    /// Σ |v p| at the row that was taken last.
    pub fn kinetic_now(&self) -> f64 {
        self.now.kinetic
    }

    /// What is to be said at the end.
    pub fn warning(&self) -> Option<&Warning> {
        self.warning.as_ref()
    }
}

impl Past {
    fn new(conserved: bool) -> Past {
        Past {
            conserved,
            seen: 0,
            strongest: [0.0; 2],
            kinetic: 0.0,
            energy: 0.0,
            rough: 0,
            alert: 0,
            wait: 0,
            waited: 1,
        }
    }

    /// Takes the kinetic energy and the energy of the next row.
    fn take(&mut self, kinetic: f64, energy: f64) {
        self.kinetic = self.kinetic.max(kinetic);
        self.energy = self.energy.max(energy.abs());
        self.seen += 1;
    }

    /// Is each of these steps so much like the one before it that nothing is suspicious about any of them, nor about the next ones
    /// because of them? If so, they are taken; otherwise nothing is changed, and nothing is known.
    #[inline(always)]
    fn is_smooth(&mut self, steps: &StepSlices<'_>) -> bool {
        let (StepSlices { first, second, .. }, Some(earlier)) = (steps, steps.first.len().checked_sub(LOOKED_BACK))
        else {
            return false;
        };
        if self.alert > 0 || self.rough > 0 || self.seen < 2 {
            return false;
        }
        // The strongest change is never below that of the step before.
        let squared = GROWTH * GROWTH;
        let smooth = first[0] <= GROWTH * self.strongest[0]
            && second[0] <= squared * self.strongest[1]
            && holds([&first[1..], first], |[after, before]| after <= GROWTH * before)
            && holds([&second[1..], second], |[after, before]| after <= squared * before)
            && self.is_even(steps);
        if !smooth {
            return false;
        }
        // What is left of the strongest change is found from the last steps alone, if what was before them does not matter: if the least
        // and the most that can have been left of it then lead to the same number.
        let most = |strongest: f64, changes: &[f64]| largest(strongest, [changes], |[change]| change);
        let (mut least, mut greatest) = ([0.0; 2], [most(self.strongest[0], first), most(self.strongest[1], second)]);
        for (first, second) in first[earlier..].iter().zip(&second[earlier..]) {
            for left in [&mut least, &mut greatest] {
                *left = [larger(*first, FADING * left[0]), larger(*second, FADING * left[1])];
            }
        }
        let Some(waited) = self.waited_through(steps).filter(|_| least == greatest) else { return false };
        self.wait = self.wait.saturating_sub(waited);
        self.strongest = least;
        self.pass(steps);
        true
    }

    /// In how many of these steps something happens, where it is in all of them or in none.
    #[inline(always)]
    fn waited_through(&self, steps: &StepSlices<'_>) -> Option<u64> {
        let mut after = *self;
        after.pass(steps);
        let [before, after] = [self.floor(), after.floor()];
        let changes = [steps.first, steps.second];
        if self.wait == 0 || holds(changes, |[first, second]| first + second <= before) {
            return Some(0);
        }
        holds(changes, |[first, second]| first + second > after).then_some(steps.first.len() as u64)
    }

    /// Are none of these steps rough, do none turn, and does no energy that is conserved jump?
    #[inline(always)]
    fn is_even(&self, steps: &StepSlices<'_>) -> bool {
        let jump = if self.conserved { ENERGY_JUMP } else { f64::INFINITY };
        let StepSlices { work, kinetic, energy, first, .. } = steps;
        let columns = [first, kinetic, &kinetic[1..], work, &work[1..], energy, &energy[1..]];
        holds(columns, |[change, before, after, w0, w1, e0, e1]| {
            let both = before + after;
            (change <= ROUGH * both) & (w0 * w1 >= 0.0) & ((e1 - e0).abs() <= jump * both)
        })
    }

    /// Takes the sizes of steps of which nothing is to be said.
    #[inline(always)]
    fn pass(&mut self, steps: &StepSlices<'_>) {
        self.kinetic = largest(self.kinetic, [&steps.kinetic[1..]], |[kinetic]| kinetic);
        self.energy = largest(self.energy, [&steps.energy[1..]], |[energy]| energy.abs());
        self.seen += steps.first.len() as u64;
    }

    /// Are these steps such that nothing is suspicious about any of them, nor about the next ones because of them? If so, they are taken;
    /// otherwise nothing is changed.
    #[inline(always)]
    fn is_quiet(&mut self, steps: &StepSlices<'_>) -> bool {
        if self.alert > 0 || self.rough > 0 || self.seen < 2 {
            return false;
        }
        let (mut strongest, mut quiet) = (self.strongest, true);
        for (first, second) in steps.first.iter().zip(steps.second) {
            quiet &= (*first <= GROWTH * strongest[0]) & (*second <= GROWTH * GROWTH * strongest[1]);
            strongest = [larger(*first, FADING * strongest[0]), larger(*second, FADING * strongest[1])];
        }
        quiet &= self.is_even(steps);
        if quiet {
            self.wait_through(steps);
            self.strongest = strongest;
            self.pass(steps);
        }
        quiet
    }

    /// Rough steps are waited for by steps in which something happens.
    fn wait_through(&mut self, steps: &StepSlices<'_>) {
        if self.wait == 0 {
            return;
        }
        let mut past = *self;
        for (at, (first, second)) in steps.first.iter().zip(steps.second).enumerate() {
            past.take(steps.kinetic[at + 1], steps.energy[at + 1]);
            self.wait = self.wait.saturating_sub(u64::from(first + second > past.floor()));
        }
    }

    /// What is too little of a kinetic energy to be looked at.
    fn floor(&self) -> f64 {
        (QUIET * self.kinetic).max(ROUND_OFF * self.energy)
    }

    /// Takes the next step; is it one to ask the judge about? One that changes less than the part `least` has not grown.
    #[inline]
    fn suspects(&mut self, step: &StepFacts, least: f64) -> bool {
        let StepFacts { change, kinetic: [before, now], turned, leapt, .. } = *step;
        self.take(now, step.energy[1]);
        let kinetic = before + now;
        let floor = self.floor();
        let grown = change[0] > GROWTH * self.strongest[0] || change[1] > GROWTH * GROWTH * self.strongest[1];
        for (strongest, change) in self.strongest.iter_mut().zip(change) {
            *strongest = change.max(FADING * *strongest);
        }
        let rough = change[0] > ROUGH * kinetic;
        self.rough = if rough || turned { self.rough + 1 } else { 0 };
        if change[0] + change[1] <= floor && !leapt {
            return false;
        }
        // What is no number has changed.
        let slight = change[0] + change[1] <= least * kinetic;
        let grown = grown && self.seen > 2 && !slight || leapt;
        self.alert = if grown { ALERT } else { self.alert.saturating_sub(1) };
        let jump = (step.energy[1] - step.energy[0]).abs();
        let jumped = self.conserved && jump > ENERGY_JUMP * kinetic;
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

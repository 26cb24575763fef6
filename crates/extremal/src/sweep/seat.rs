//! Marching one member.

use extremal_solve::{AdaptiveMarcher, LatticeMarcher, March, Marcher, StartValues, StepFailure};
use extremal_trajectory::frame::Frame;

use super::members::{Member, StartLayout};
use super::record::{Ended, Layout, Record, Records};
use super::start::StartCheck;
use crate::run::{Compiled, Observables, Plan, Snapshot, Trouble, crossed, located};

/// What all members and all threads share.
pub(crate) struct Common<'s> {
    pub observables: &'s Observables,
    pub layout: &'s Layout,
    pub start: StartLayout,
}

/// Marches members one after the other. What becomes of one depends on its own parameters and start alone: not on the members
/// before it, nor on those marched beside it.
pub(crate) struct Seat<'s> {
    common: &'s Common<'s>,
    motion: Motion,
    check: StartCheck,
    now: Snapshot,
    /// For rows inside a step.
    event: Snapshot,
    start: StartValues,
    records: Records<'s>,
    /// Is every step looked at?
    looking: bool,
    /// After how many steps the motion was last looked at.
    seen: Option<u64>,
}

/// A motion of either kind, used for one member after the other.
#[derive(Clone)]
enum Motion {
    Scheme(Box<Marcher>),
    Adaptive(Box<AdaptiveMarcher>),
    Lattice(Box<LatticeMarcher>),
}

impl Motion {
    fn of(compiled: &Compiled) -> Motion {
        match compiled {
            Compiled::Scheme(scheme) => Motion::Scheme(Box::new(scheme.marcher())),
            Compiled::Adaptive(marcher) => Motion::Adaptive(marcher.clone()),
            Compiled::Lattice(lattice) => Motion::Lattice(Box::new(lattice.marcher())),
        }
    }

    fn restart(&mut self, parameters: &[f64], start: &StartValues, h: f64) -> Result<(), StepFailure> {
        match self {
            Motion::Scheme(marcher) => {
                marcher.set_parameters(parameters);
                marcher.restart(start, h)
            }
            Motion::Adaptive(marcher) => {
                marcher.set_parameters(parameters);
                marcher.restart(start, h);
                Ok(())
            }
            Motion::Lattice(marcher) => {
                marcher.set_parameters(parameters);
                marcher.restart(&start.q, &start.v, h)
            }
        }
    }

    fn get(&mut self) -> &mut dyn March {
        match self {
            Motion::Scheme(marcher) => marcher.as_mut(),
            Motion::Adaptive(marcher) => marcher.as_mut(),
            Motion::Lattice(marcher) => marcher.as_mut(),
        }
    }
}

/// How far a member has come.
pub(crate) struct Course {
    steps: u64,
    end: Option<End>,
}

impl Course {
    /// How many whole steps to take next, if any.
    pub fn next_stretch(&self, plan: &Plan, longest: u64) -> Option<u64> {
        let left = plan.whole_steps - self.steps.min(plan.whole_steps);
        (self.end.is_none() && left > 0).then(|| left.min(longest))
    }
}

/// Why a member does not go on.
enum End {
    Unstarted(String),
    Stopped(usize),
    Failed(StepFailure),
}

impl From<StepFailure> for End {
    fn from(failure: StepFailure) -> End {
        End::Failed(failure)
    }
}

impl<'s> Seat<'s> {
    pub fn new(common: &'s Common<'s>, compiled: &Compiled, check: StartCheck) -> Seat<'s> {
        let observables = common.observables;
        let watched = !observables.configurations.is_empty() || observables.kept.contains(&false);
        let unknown = match compiled {
            // What is iterated begins with what was seen last: to see what a run sees, look as often as it does.
            Compiled::Scheme(scheme) => !scheme.observation().linear || !scheme.knows_what_is_observable(),
            Compiled::Adaptive(_) | Compiled::Lattice(_) => true,
        };
        Seat {
            common,
            motion: Motion::of(compiled),
            check,
            now: Snapshot::new(observables, None),
            event: Snapshot::new(observables, None),
            start: common.start.values(),
            records: Records::new(common.layout),
            looking: watched || unknown || common.layout.record == Record::Extremes,
            seen: None,
        }
    }

    /// How many steps can be taken before the motion must be looked at.
    pub fn stretch(&self) -> u64 {
        match self.common.layout.record {
            _ if self.looking || !self.common.observables.stops.is_empty() => 1,
            Record::All { every } => every,
            _ => u64::MAX,
        }
    }

    /// The motion of a scheme, to be marched together with others.
    pub fn marcher(&mut self) -> Option<&mut Marcher> {
        match &mut self.motion {
            Motion::Scheme(marcher) => Some(marcher),
            Motion::Adaptive(_) | Motion::Lattice(_) => None,
        }
    }

    /// Marches a member from its start to its end and adds its rows.
    pub fn march(&mut self, member: &Member<'_>, frame: &mut Frame) {
        let mut course = self.begin(member, frame);
        let stretch = self.stretch();
        while let Some(steps) = course.next_stretch(member.plan, stretch) {
            let begin = self.motion.get().time();
            let outcome = self.motion.get().advance_many(steps);
            self.after(member, &mut course, steps, begin, outcome, frame);
        }
        self.finish(member, course, frame);
    }

    /// Brings the motion to the start of a member.
    pub fn begin(&mut self, member: &Member<'_>, frame: &mut Frame) -> Course {
        self.records.begin();
        self.common.start.fill(member.start, &mut self.start);
        if let Err(reason) = self.restart(member) {
            return Course { steps: 0, end: Some(End::Unstarted(reason)) };
        }
        self.now.clear(self.common.observables);
        let looked = self.look(member, frame);
        Course { steps: 0, end: looked.err().map(End::Failed) }
    }

    fn restart(&mut self, member: &Member<'_>) -> Result<(), String> {
        if let Some(problem) = member.problem {
            return Err(problem.to_owned());
        }
        self.check.check(member.parameters, &mut self.start).map_err(|problem| problem.to_string())?;
        let started = self.motion.restart(member.parameters, &self.start, member.plan.step);
        started.map_err(|failure| failure.reason.to_string())
    }

    /// Looks at what came of a stretch of steps that began at the time `begin`.
    pub fn after(
        &mut self,
        member: &Member<'_>,
        course: &mut Course,
        steps: u64,
        begin: f64,
        outcome: Result<(), StepFailure>,
        frame: &mut Frame,
    ) {
        course.steps += steps;
        let due = self.looking
            || matches!(self.common.layout.record, Record::All { every } if course.steps.is_multiple_of(every));
        let looked =
            outcome.map_err(End::Failed).and_then(|()| self.cross(member, begin, frame)).and_then(|()| match due {
                true => self.look(member, frame).map_err(End::Failed),
                false => Ok(()),
            });
        course.end = looked.err();
    }

    /// Takes what is left after the whole steps, and adds the last row.
    pub fn finish(&mut self, member: &Member<'_>, mut course: Course, frame: &mut Frame) {
        if let (None, Some(left)) = (&course.end, member.plan.remainder) {
            let begin = self.motion.get().time();
            let outcome = self.motion.get().advance_by(left);
            self.after(member, &mut course, 1, begin, outcome, frame);
        }
        // A member has arrived when its last state can be seen.
        if course.end.is_none() && self.seen != Some(self.motion.get().steps()) {
            course.end = self.look(member, frame).err().map(End::Failed);
        }
        let ended = match course.end {
            None => Ended::Finished,
            Some(End::Stopped(condition)) => Ended::Stopped(self.common.observables.stops[condition].0.clone()),
            Some(End::Failed(failure)) => Ended::Failed(failure.reason.to_string()),
            Some(End::Unstarted(reason)) => {
                self.unstarted_row();
                return self.records.end(member, 0, &self.now.row, Ended::Failed(reason), frame);
            }
        };
        self.last_row();
        self.records.end(member, self.motion.get().steps(), &self.now.row, ended, frame);
    }

    /// Looks at the motion where it is.
    fn look(&mut self, member: &Member<'_>, frame: &mut Frame) -> Result<(), StepFailure> {
        let motion = self.motion.get();
        self.seen = None;
        let trouble = self.now.take(self.common.observables, motion)?;
        if !matches!(trouble, Some(Trouble::Behind(_))) {
            self.seen = Some(motion.steps());
            self.records.row(member, motion.steps(), &self.now.row, frame);
        }
        match trouble {
            Some(trouble) => Err(trouble.of(motion)),
            None => Ok(()),
        }
    }

    /// Looks for stop conditions that the last step crossed, from the time `begin` on.
    fn cross(&mut self, member: &Member<'_>, begin: f64, frame: &mut Frame) -> Result<(), End> {
        let observables = self.common.observables;
        let crossed = crossed(observables, self.motion.get(), &mut self.now.stops)?;
        if crossed.is_empty() {
            return Ok(());
        }
        if self.common.layout.record != Record::Events {
            let motion = self.motion.get();
            let Some(first) = located(observables, motion, &crossed, begin)?.into_iter().next() else { return Ok(()) };
            motion.retake(first.after)?;
            self.look(member, frame)?;
            return Err(End::Stopped(first.condition));
        }
        // A motion that was taken back into its step does not go on: a copy is.
        let mut copy = self.motion.clone();
        for crossing in located(observables, copy.get(), &crossed, begin)? {
            copy.get().retake(crossing.after)?;
            self.event.take(observables, copy.get())?;
            self.records.event(member, &observables.stops[crossing.condition].0, &self.event.row, frame);
        }
        Ok(())
    }

    /// The row of the last good state, as far as it can be observed.
    fn last_row(&mut self) {
        let observables = self.common.observables;
        let motion = self.motion.get();
        let fresh = self.seen == Some(motion.steps()) && self.now.row[0] == motion.time();
        if !fresh && self.now.take(observables, motion).is_err() {
            let (n, m) = (observables.coordinates, observables.entropies);
            self.now.row.fill(f64::NAN);
            self.now.row[0] = motion.time();
            self.now.row[1..=n].copy_from_slice(&motion.state()[..n]);
            self.now.row[1 + 3 * n..][..m].copy_from_slice(&motion.state()[2 * n..2 * n + m]);
        }
    }

    /// The row of a member that could not start: what it should have started from.
    fn unstarted_row(&mut self) {
        let StartValues { q, v, s, time, .. } = &self.start;
        let row = &mut self.now.row;
        row.fill(f64::NAN);
        row[0] = *time;
        row[1..=q.len()].copy_from_slice(q);
        row[1 + q.len()..][..v.len()].copy_from_slice(v);
        row[1 + 3 * q.len()..][..s.len()].copy_from_slice(s);
    }
}

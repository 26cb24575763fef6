//! Marching members: the only place that knows how.

use extremal_solve::{AdaptiveMarcher, LatticeMarcher, March, Marcher, StartValues, StepFailure};
use extremal_trajectory::frame::Frame;

use super::members::{Member, Members, StartLayout};
use super::record::{Ended, Layout, Record, Records};
use super::start::StartCheck;
use crate::run::{Compiled, Observables, Plan, Snapshot, crossed, located};

/// What all members and all threads share.
pub(crate) struct Common<'s> {
    pub observables: &'s Observables,
    pub layout: &'s Layout,
    pub start: StartLayout,
}

/// Marches members one after the other. What becomes of one depends on its own parameters and start alone: not on the members
/// before it, nor on how members are cut into blocks.
pub(crate) struct Engine<'s> {
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

/// Why a member did not reach its end.
enum Early {
    Stopped(usize),
    Failed(StepFailure),
}

impl From<StepFailure> for Early {
    fn from(failure: StepFailure) -> Early {
        Early::Failed(failure)
    }
}

impl<'s> Engine<'s> {
    pub fn new(common: &'s Common<'s>, compiled: &Compiled, check: StartCheck) -> Engine<'s> {
        let observables = common.observables;
        let watched = observables.row_entries > 0 || observables.kept.contains(&false);
        Engine {
            common,
            motion: Motion::of(compiled),
            check,
            now: Snapshot::new(observables, None),
            event: Snapshot::new(observables, None),
            start: common.start.values(),
            records: Records::new(common.layout),
            looking: watched || common.layout.record == Record::Extremes,
        }
    }

    /// Marches members from their starts to their ends and gives their rows.
    pub fn march_block(&mut self, members: &Members) -> Frame {
        let mut frame = Frame::new(&self.common.layout.fields);
        for member in members.iter() {
            self.march(&member, &mut frame);
        }
        frame
    }

    fn march(&mut self, member: &Member<'_>, frame: &mut Frame) {
        self.records.begin();
        self.common.start.fill(member.start, &mut self.start);
        if let Err(reason) = self.begin(member) {
            self.unstarted_row();
            return self.records.end(member, 0, &self.now.row, Ended::Failed(reason), frame);
        }
        let ended = match self.steps(member, frame) {
            Ok(()) => Ended::Finished,
            Err(Early::Stopped(condition)) => Ended::Stopped(self.common.observables.stops[condition].0.clone()),
            Err(Early::Failed(failure)) => Ended::Failed(failure.reason.to_string()),
        };
        self.last_row();
        self.records.end(member, self.motion.get().steps(), &self.now.row, ended, frame);
    }

    /// Brings the motion to the start of a member.
    fn begin(&mut self, member: &Member<'_>) -> Result<(), String> {
        if let Some(problem) = member.problem {
            return Err(problem.to_owned());
        }
        self.check.check(member.parameters, &mut self.start).map_err(|problem| problem.to_string())?;
        let started = self.motion.restart(member.parameters, &self.start, member.plan.step);
        started.map_err(|failure| failure.reason.to_string())
    }

    fn steps(&mut self, member: &Member<'_>, frame: &mut Frame) -> Result<(), Early> {
        self.now.clear(self.common.observables);
        self.look(member, frame)?;
        let Plan { whole_steps, remainder, .. } = member.plan;
        let every = match self.common.layout.record {
            Record::All { every } => every,
            _ => u64::MAX,
        };
        for step in 1..=*whole_steps + u64::from(remainder.is_some()) {
            let begin = self.motion.get().time();
            match remainder {
                Some(left) if step > *whole_steps => self.motion.get().advance_by(*left)?,
                _ => self.motion.get().advance()?,
            }
            self.cross(member, begin, frame)?;
            if self.looking || step.is_multiple_of(every) {
                self.look(member, frame)?;
            }
        }
        Ok(())
    }

    /// Looks at the motion where it is.
    fn look(&mut self, member: &Member<'_>, frame: &mut Frame) -> Result<(), StepFailure> {
        let motion = self.motion.get();
        let trouble = self.now.take(self.common.observables, motion)?;
        self.records.row(member, motion.steps(), &self.now.row, frame);
        match trouble {
            Some(reason) => Err(motion.stop(reason)),
            None => Ok(()),
        }
    }

    /// Looks for stop conditions that the last step crossed, from the time `begin` on.
    fn cross(&mut self, member: &Member<'_>, begin: f64, frame: &mut Frame) -> Result<(), Early> {
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
            return Err(Early::Stopped(first.condition));
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
        if self.now.take(observables, motion).is_err() {
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

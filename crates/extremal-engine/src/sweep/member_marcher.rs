//! Marching one member.

use std::sync::Arc;

use extremal_solve::{AdaptiveMarcher, LatticeMarcher, March, Marcher, PacedMarcher, StartValues, StepFailure};
use extremal_trajectory::frame::Frame;

use super::members::{Member, StartLayout};
use super::record::{Ended, Layout, MemberVerdict, Record, Records};
use crate::run::{
    Audit, Audits, Compiled, End, EventLog, EventRules, EventSide, EventWatch, Instruments, Judge, Observables, Plan,
    Promises, Snapshot, StartCheck, StepPassage, TIME, Trouble, crossed, located, without_choice,
};

/// What all members and all threads share.
pub(crate) struct SweepContext<'s> {
    pub observables: Arc<Observables>,
    pub layout: &'s Layout,
    pub start: StartLayout,
    pub entropies: Vec<String>,
    pub promises: Promises,
    /// Who decides about suspicious steps.
    pub instruments: Instruments,
    /// The constraints that follow from others.
    pub left_out: Vec<String>,
    /// What it takes to carry out events.
    pub events: Option<EventRules>,
}

/// How much of a motion is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowsLookedAt {
    /// Every row, as its run does.
    Every,
    /// The first rows, and then one now and then: enough to tell whether there is anything that every row should be looked at for.
    Some,
}

/// So many steps are looked at one by one, until their smoothness is known.
pub(crate) const OPENING: u64 = 2;
/// After so many steps the energy is looked at again,
const BETWEEN_GLIMPSES: u64 = 256;
/// and at least so many times where there are steps enough.
const GLIMPSES: u64 = 3;

/// Marches members one after the other. What becomes of one depends on its own parameters and start alone: not on the members
/// before it, nor on those marched beside it.
pub(crate) struct MemberMarcher<'s> {
    common: &'s SweepContext<'s>,
    motion: MemberMotion,
    check: StartCheck,
    now: Snapshot,
    /// For rows inside a step.
    event: Snapshot,
    events: Option<(EventWatch, EventLog)>,
    start: StartValues,
    records: Records<'s>,
    looked_at: RowsLookedAt,
    audits: Audits,
    laws: Audit,
    /// Did the last member end in a way that every row should be looked at for?
    doubtful: bool,
    /// Were steps not seen that count?
    missed: bool,
    /// After how many steps the motion was last looked at.
    seen: Option<u64>,
}

/// What looks at a motion now and then.
pub(crate) struct Glimpsed<'a, 's> {
    common: &'s SweepContext<'s>,
    now: &'a mut Snapshot,
    audits: &'a mut Audits,
    laws: &'a mut Audit,
    records: &'a mut Records<'s>,
    missed: &'a mut bool,
}

impl Glimpsed<'_, '_> {
    /// After how many steps a motion with this plan is looked at.
    pub fn every(plan: &Plan) -> u64 {
        BETWEEN_GLIMPSES.min(plan.whole_steps.div_ceil(GLIMPSES)).max(OPENING)
    }

    pub fn look(&mut self, motion: &mut Marcher) -> Result<(), StepFailure> {
        let observables = &*self.common.observables;
        if let Some(trouble) = self.now.take(observables, motion)? {
            return Err(trouble.of(motion));
        }
        self.audits.glimpse(&self.now.row);
        self.laws.push(observables, &self.common.entropies, &self.now.row);
        Ok(())
    }

    /// Takes what the motion is at among what is kept of all steps.
    pub fn record(&mut self, motion: &mut Marcher) -> Result<(), StepFailure> {
        if let Some(trouble) = self.now.take(&self.common.observables, motion)? {
            return Err(trouble.of(motion));
        }
        self.records.widen(&self.now.row);
        Ok(())
    }

    /// Takes what the motion went through elsewhere.
    pub fn take_range(&mut self, range: impl Iterator<Item = [f64; 2]>) {
        self.records.range(range);
    }

    /// Steps were not seen that should have been.
    pub fn miss(&mut self) {
        *self.missed = true;
    }
}

/// A motion of either kind, used for one member after the other.
#[derive(Clone)]
enum MemberMotion {
    Scheme(Box<Marcher>),
    Paced(Box<PacedMarcher>),
    Adaptive(Box<AdaptiveMarcher>),
    Lattice(Box<LatticeMarcher>),
}

impl MemberMotion {
    fn of(compiled: &Compiled) -> MemberMotion {
        match compiled {
            Compiled::Paced(scheme) => MemberMotion::Paced(Box::new(scheme.paced_marcher())),
            Compiled::Scheme(scheme) => MemberMotion::Scheme(Box::new(scheme.marcher())),
            Compiled::Adaptive(marcher) => MemberMotion::Adaptive(marcher.clone()),
            Compiled::Lattice(lattice) => MemberMotion::Lattice(Box::new(lattice.marcher())),
        }
    }

    /// Gets ready for a member; the motions of schemes and lattices have still to begin.
    fn make_ready(&mut self, parameters: &[f64], start: &StartValues, h: f64) {
        match self {
            MemberMotion::Scheme(marcher) => {
                marcher.set_parameters(parameters);
                marcher.make_ready(start, h);
            }
            MemberMotion::Paced(marcher) => {
                marcher.set_parameters(parameters);
                marcher.make_ready(start, h);
            }
            MemberMotion::Adaptive(marcher) => {
                marcher.set_parameters(parameters);
                marcher.restart(start, h);
            }
            MemberMotion::Lattice(marcher) => marcher.set_parameters(parameters),
        }
    }

    fn get(&mut self) -> &mut dyn March {
        match self {
            MemberMotion::Scheme(marcher) => marcher.as_mut(),
            MemberMotion::Paced(marcher) => marcher.as_mut(),
            MemberMotion::Adaptive(marcher) => marcher.as_mut(),
            MemberMotion::Lattice(marcher) => marcher.as_mut(),
        }
    }
}

/// How far a member has come.
pub(crate) struct MemberProgress {
    steps: u64,
    end: Option<MemberEnd>,
}

impl MemberProgress {
    /// Does it go on?
    pub fn goes_on(&self) -> bool {
        self.end.is_none()
    }

    /// How many whole steps to take next, if any: not beyond a multiple of `every`.
    pub fn next_stretch(&self, plan: &Plan, longest: u64, every: u64) -> Option<u64> {
        let left = plan.whole_steps - self.steps.min(plan.whole_steps);
        (self.end.is_none() && left > 0).then(|| left.min(longest).min(every - self.steps % every))
    }
}

/// Why a member does not go on.
enum MemberEnd {
    Unstarted(String),
    Stopped(usize),
    Accumulated(usize),
    Failed(StepFailure),
}

impl From<StepFailure> for MemberEnd {
    fn from(failure: StepFailure) -> MemberEnd {
        MemberEnd::Failed(failure)
    }
}

impl<'s> MemberMarcher<'s> {
    pub fn new(
        common: &'s SweepContext<'s>,
        compiled: &Compiled,
        check: StartCheck,
        looked_at: RowsLookedAt,
    ) -> MemberMarcher<'s> {
        let observables = &common.observables;
        MemberMarcher {
            common,
            motion: MemberMotion::of(compiled),
            check,
            now: Snapshot::new(observables, None),
            event: Snapshot::new(observables, None),
            events: common.events.clone().map(|rules| {
                let watch = EventWatch::new(rules, observables);
                let log = EventLog::new(&watch, observables, common.layout.record == Record::Events);
                (watch, log)
            }),
            start: common.start.values(),
            records: Records::new(common.layout),
            looked_at,
            audits: Audits::new(
                observables.clone(),
                common.promises.clone(),
                Judge::new(common.instruments.share(), Vec::new()),
            ),
            laws: Audit::default(),
            doubtful: false,
            missed: false,
            seen: None,
        }
    }

    /// How many steps to take next before the motion is looked at closely.
    pub fn next_stretch(&self, progress: &MemberProgress, plan: &Plan) -> Option<u64> {
        let longest = match self.looked_at {
            RowsLookedAt::Some if progress.steps >= OPENING => u64::MAX,
            _ => 1,
        };
        let every = match self.common.layout.record {
            Record::All { every } => every.max(1),
            _ => u64::MAX,
        };
        progress.next_stretch(plan, longest, every)
    }

    /// Is there a reason to look at every row of the member that was marched last?
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// The motion of a scheme, to be marched together with others, and what looks at it on the way.
    pub fn marcher(&mut self) -> Option<(&mut Marcher, Glimpsed<'_, 's>)> {
        let MemberMarcher { common, motion, now, audits, laws, records, missed, .. } = self;
        match motion {
            MemberMotion::Scheme(marcher) => Some((marcher, Glimpsed { common, now, audits, laws, records, missed })),
            MemberMotion::Paced(_) | MemberMotion::Adaptive(_) | MemberMotion::Lattice(_) => None,
        }
    }

    /// Marches a member from its start to its end and adds its rows.
    pub fn march(&mut self, member: &Member<'_>, frame: &mut Frame) {
        let mut progress = self.begin(member, frame);
        while let Some(steps) = self.next_stretch(&progress, member.plan) {
            let motion = self.motion.get();
            let begin = motion.time();
            if member.plan.is_at_end(begin) {
                break;
            }
            let outcome = match member.plan.until {
                Some(_) => (0..steps).try_for_each(|step| member.plan.advance(motion, progress.steps + step + 1)),
                None => motion.advance_many(steps),
            };
            self.after(member, &mut progress, steps, begin, outcome, frame);
        }
        self.finish(member, progress, frame);
    }

    /// Brings the motion to the start of a member.
    pub fn begin(&mut self, member: &Member<'_>, frame: &mut Frame) -> MemberProgress {
        let progress = self.make_ready(member);
        let begun = match &mut self.motion {
            MemberMotion::Scheme(marcher) if progress.end.is_none() => marcher.begin(),
            MemberMotion::Paced(marcher) if progress.end.is_none() => marcher.begin(),
            MemberMotion::Scheme(_) | MemberMotion::Paced(_) | MemberMotion::Adaptive(_) => Ok(()),
            MemberMotion::Lattice(marcher) if progress.end.is_none() => {
                marcher.restart(&self.start.q, &self.start.v, member.plan.step)
            }
            MemberMotion::Lattice(_) => Ok(()),
        };
        self.begun(member, progress, begun, frame)
    }

    /// Gets ready to begin with a member: what is left to do is to [begin](Marcher::begin) with its motion, alone or beside others.
    pub fn make_ready(&mut self, member: &Member<'_>) -> MemberProgress {
        self.records.begin();
        self.common.start.fill(member.start, &mut self.start);
        self.start.time = member.plan.from;
        let checked = match member.problem {
            Some(problem) => Err(problem.to_owned()),
            None => self.check.check(member.parameters, &mut self.start).map_err(|problem| problem.to_string()),
        };
        if checked.is_ok() {
            self.motion.make_ready(member.parameters, &self.start, member.plan.step);
        }
        MemberProgress { steps: 0, end: checked.err().map(MemberEnd::Unstarted) }
    }

    /// Looks at a motion that has begun, if it has.
    pub fn begun(
        &mut self,
        member: &Member<'_>,
        progress: MemberProgress,
        outcome: Result<(), StepFailure>,
        frame: &mut Frame,
    ) -> MemberProgress {
        if progress.end.is_some() {
            return progress;
        }
        if let Err(failure) = outcome {
            return MemberProgress { end: Some(MemberEnd::Unstarted(failure.reason.to_string())), ..progress };
        }
        self.now.clear(&self.common.observables);
        self.audits.begin(member.parameters);
        self.events.iter_mut().for_each(|(watch, _)| watch.begin(member.parameters));
        self.laws = Audit::default();
        self.missed = false;
        let looked = self.look(member, frame);
        MemberProgress { end: looked.err().map(MemberEnd::Failed), ..progress }
    }

    /// Looks at what came of a stretch of steps that began at the time `begin`.
    pub fn after(
        &mut self,
        member: &Member<'_>,
        progress: &mut MemberProgress,
        steps: u64,
        begin: f64,
        outcome: Result<(), StepFailure>,
        frame: &mut Frame,
    ) {
        progress.steps += steps;
        let crossed = outcome.map_err(MemberEnd::Failed).and_then(|()| self.cross(member, begin, frame));
        let looked = crossed.and_then(|()| self.look(member, frame).map_err(MemberEnd::Failed));
        progress.end = looked.err();
    }

    /// Takes what is left after the whole steps, and adds the last row.
    pub fn finish(&mut self, member: &Member<'_>, mut progress: MemberProgress, frame: &mut Frame) {
        if let (None, Some(left)) = (&progress.end, member.plan.remainder) {
            let begin = self.motion.get().time();
            let outcome = self.motion.get().advance_by(left);
            self.after(member, &mut progress, 1, begin, outcome, frame);
        }
        self.doubtful = false;
        let laws = self.laws.finish();
        if self.looked_at == RowsLookedAt::Some {
            let rough = self.marcher().is_some_and(|(marcher, _)| !marcher.was_smooth());
            let failed = matches!(progress.end, Some(MemberEnd::Failed(_)));
            self.doubtful = failed || rough || self.missed || self.audits.is_doubtful(laws.as_ref());
        }
        let ended = match progress.end {
            None => Ended::Finished,
            Some(MemberEnd::Stopped(condition)) => Ended::Stopped(self.common.observables.stops[condition].0.clone()),
            Some(MemberEnd::Accumulated(event)) => {
                let event = self.common.observables.stops[event].0.clone();
                Ended::Stopped(End::Accumulated { event }.stopped_by().unwrap_or_default())
            }
            Some(MemberEnd::Failed(failure)) => {
                let reason = self.explained(failure, member.plan.step).reason;
                Ended::Failed(without_choice(reason, &self.common.left_out, true).to_string())
            }
            Some(MemberEnd::Unstarted(reason)) => {
                self.unstarted_row();
                self.doubtful = false;
                let verdict = MemberVerdict { ended: Ended::Failed(reason), warning: None };
                return self.records.end(member, 0, &self.now.row, verdict, frame);
            }
        };
        let warnings = self.audits.warnings(&self.now.watch, laws.as_ref());
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
        self.last_row();
        self.records.end(member, self.motion.get().steps(), &self.now.row, MemberVerdict { ended, warning }, frame);
    }

    /// A failure with its deeper reason, as its run gives it.
    fn explained(&mut self, failure: StepFailure, step: f64) -> StepFailure {
        if self.looked_at == RowsLookedAt::Some {
            return failure;
        }
        let failure = self.now.watch.explain(failure, step);
        self.laws.explain(self.audits.explain(failure, step))
    }

    /// Looks at the motion where it is.
    fn look(&mut self, member: &Member<'_>, frame: &mut Frame) -> Result<(), StepFailure> {
        let motion = self.motion.get();
        self.seen = None;
        let trouble = match self.now.take(&self.common.observables, motion)? {
            Some(trouble @ Trouble::Behind(_)) => return Err(trouble.of(motion)),
            trouble => trouble,
        };
        let row = &self.now.row;
        self.audits.weigh(&self.now.determinants);
        match self.looked_at {
            RowsLookedAt::Every => {
                if let Some(reason) = self.audits.look(row) {
                    return Err(motion.reject(reason));
                }
            }
            RowsLookedAt::Some if motion.steps() <= OPENING => self.audits.open(row),
            RowsLookedAt::Some => self.audits.glimpse(row),
        }
        self.laws.push(&self.common.observables, &self.common.entropies, row);
        self.seen = Some(motion.steps());
        self.records.row(member, motion.steps(), row, frame);
        match trouble {
            Some(trouble) => Err(trouble.of(motion)),
            None => Ok(()),
        }
    }

    /// Looks for stop conditions that the last step crossed, from the time `begin` on.
    fn cross(&mut self, member: &Member<'_>, begin: f64, frame: &mut Frame) -> Result<(), MemberEnd> {
        let observables = &*self.common.observables;
        if self.events.is_some() {
            return self.pass_events(member, begin, frame);
        }
        let crossed = crossed(observables, self.motion.get(), &mut self.now.stops)?;
        if crossed.is_empty() {
            return Ok(());
        }
        if self.common.layout.record != Record::Events {
            let motion = self.motion.get();
            let Some(first) = located(observables, motion, &crossed, begin)?.into_iter().next() else { return Ok(()) };
            motion.retake(first.after)?;
            self.look(member, frame)?;
            return Err(MemberEnd::Stopped(first.condition));
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

    /// Takes the motion through the events of its last step, which began at the time `begin`.
    fn pass_events(&mut self, member: &Member<'_>, begin: f64, frame: &mut Frame) -> Result<(), MemberEnd> {
        let Some((watch, log)) = &mut self.events else { return Ok(()) };
        let observables = &*self.common.observables;
        log.clear();
        let stops = &mut self.now.stops;
        let passage = watch.pass(observables, self.motion.get(), begin, stops, &mut log.listening(observables))?;
        if passage == StepPassage::Undisturbed {
            return Ok(());
        }
        let [energy, entropy] = log.changes();
        self.now.leap();
        self.audits.leap(energy);
        self.laws.leap(energy, entropy);
        let first = observables.stops.len() - observables.events;
        for (event, _, row) in log.rows().filter(|(_, side, _)| *side == EventSide::After) {
            self.records.event(member, &observables.stops[first + event].0, row, frame);
        }
        let end = match passage {
            StepPassage::Undisturbed | StepPassage::Changed => return Ok(()),
            StepPassage::Stopped(condition) => MemberEnd::Stopped(condition),
            StepPassage::Accumulated(event) => MemberEnd::Accumulated(first + event),
        };
        self.look(member, frame)?;
        Err(end)
    }

    /// The row of the last good state, as far as it can be observed.
    fn last_row(&mut self) {
        let observables = &*self.common.observables;
        let motion = self.motion.get();
        let fresh = self.seen == Some(motion.steps()) && self.now.row[TIME] == motion.time();
        if !fresh && self.now.take(observables, motion).is_err() {
            let (at, in_state) = (&observables.row, observables.state());
            self.now.row.fill(f64::NAN);
            self.now.row[TIME] = motion.time();
            self.now.row[at.positions.clone()].copy_from_slice(&motion.state()[in_state.positions()]);
            self.now.row[at.entropies.clone()].copy_from_slice(&motion.state()[in_state.entropies()]);
        }
    }

    /// The row of a member that could not start: what it should have started from.
    fn unstarted_row(&mut self) {
        let StartValues { q, v, s, time, .. } = &self.start;
        let (at, row) = (&self.common.observables.row, &mut self.now.row);
        row.fill(f64::NAN);
        row[TIME] = *time;
        row[at.positions.clone()].copy_from_slice(q);
        row[at.velocities.clone()].copy_from_slice(v);
        row[at.entropies.clone()].copy_from_slice(s);
    }
}

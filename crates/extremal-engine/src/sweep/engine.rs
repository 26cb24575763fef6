//! Marching members side by side where that is possible, one after the other where not.

use extremal_solve::{LaneMarcher, LaneObserver, LaneStart, March, Marcher, SeenLanes, StepFailure};
use extremal_trajectory::frame::Frame;

use super::cohort::{CohortMarcher, CohortRows};
use super::lane_extremes::LaneExtremes;
use super::member_marcher::{Glimpsed, MemberMarcher, MemberProgress, OPENING, RowsLookedAt, SweepContext};
use super::members::{Member, Members};
use super::pool::{ChunkWork, ChunkWorker};
use super::record::Record;
use crate::run::{Compiled, StartCheck};

/// Marches blocks of members. Their rows do not depend on how members are cut into blocks, nor on how many are marched at once.
pub(crate) struct Engine<'s> {
    /// For members of which every row is looked at.
    alone: MemberMarcher<'s>,
    /// For those in lanes, one for each of so many members, so that no lane is empty while another member waits: once there are any.
    lane_marchers: Vec<MemberMarcher<'s>>,
    together: usize,
    lanes: Option<(LaneMarcher, LaneStart)>,
    /// For those that begin and end together.
    cohort: Option<CohortMarcher<'s>>,
    /// What is kept of steps in lanes, where all of them count.
    extremes: Option<LaneExtremes>,
    /// The rows of each lane_marcher, until they are put in order.
    rows: Vec<Frame>,
    common: &'s SweepContext<'s>,
    compiled: &'s Compiled,
    check: StartCheck,
}

/// So many members are begun together at most, each with a motion of its own.
const MOST_TOGETHER: usize = 128;
/// For shorter stretches the way into lanes and out of them takes longer than the steps.
const SHORTEST_STRETCH: u64 = 16;

impl<'s> Engine<'s> {
    pub fn new(
        common: &'s SweepContext<'s>,
        compiled: &'s Compiled,
        check: StartCheck,
        lanes: Option<(LaneMarcher, LaneStart)>,
        block: usize,
    ) -> Engine<'s> {
        let lanes = lanes.filter(|(lanes, _)| is_seen_by_some_rows(common, compiled, lanes));
        let cohort = lanes.as_ref().and_then(|(lanes, _)| CohortMarcher::new(common, compiled, &check, lanes.lanes()));
        let together = lanes.as_ref().map_or(0, |_| block.min(MOST_TOGETHER));
        let extremes = lanes.as_ref().filter(|_| common.layout.record == Record::Extremes);
        let extremes =
            extremes.map(|(lanes, _)| LaneExtremes::new(&common.observables, common.layout.kept(), lanes.lanes()));
        let alone = MemberMarcher::new(common, compiled, check.clone(), RowsLookedAt::Every);
        let (lane_marchers, rows) = (Vec::new(), Vec::new());
        Engine { alone, lane_marchers, together, lanes, cohort, extremes, rows, common, compiled, check }
    }

    /// Marches members, at most a block of them, from their starts to their ends and gives their rows.
    pub fn march_block(&mut self, members: &Members) -> Frame {
        if let Some(frame) = self.march_cohorts(members) {
            return frame;
        }
        let mut frame = Frame::new(&self.common.layout.fields);
        let members: Vec<Member<'_>> = members.iter().collect();
        while self.lane_marchers.len() < self.together {
            let check = self.check.clone();
            self.lane_marchers.push(MemberMarcher::new(self.common, self.compiled, check, RowsLookedAt::Some));
            self.rows.push(Frame::new(&self.common.layout.fields));
        }
        for together in members.chunks(self.together.max(1)) {
            let steps = together[0].plan.whole_steps;
            match &mut self.lanes {
                Some(lanes) if together.iter().all(|member| member.plan.whole_steps == steps) => {
                    march_together(lanes, &mut self.extremes, &mut self.lane_marchers, together, &mut self.rows);
                    for ((member, lane_marcher), rows) in together.iter().zip(&self.lane_marchers).zip(&mut self.rows) {
                        if lane_marcher.is_doubtful() {
                            *rows = Frame::new(&self.common.layout.fields);
                            self.alone.march(member, rows);
                        }
                        frame.append(rows);
                    }
                }
                _ => together.iter().for_each(|member| self.alone.march(member, &mut frame)),
            }
        }
        frame
    }

    /// Marches members side by side from their starts to their ends, where all of them take the same steps.
    fn march_cohorts(&mut self, members: &Members) -> Option<Frame> {
        let (plan, common) = (members.common_plan()?, self.common);
        let cohort = self.cohort.as_mut().filter(|cohort| cohort.takes(plan))?;
        let count = members.count();
        let mut rows = CohortRows::new(common.layout.fields.number_names().len(), count);
        for from in (0..count).step_by(cohort.lanes()) {
            cohort.march(members, from..count.min(from + cohort.lanes()), plan, &mut rows);
        }
        let again = std::mem::take(&mut rows.again);
        let mut frame = rows.frame(common, members.first());
        for at in again {
            let mut own = Frame::new(&common.layout.fields);
            members.iter().skip(at).take(1).for_each(|member| self.alone.march(&member, &mut own));
            frame.replace(at, &own);
        }
        Some(frame)
    }
}

impl ChunkWorker for Engine<'_> {
    type Chunk = Members;

    fn work(mut self, chunks: &mut dyn FnMut(ChunkWork<'_, Members>)) {
        chunks(&mut |members, _| self.march_block(&members));
    }
}

/// Can some rows tell that there is nothing to be seen in the others?
fn is_seen_by_some_rows(common: &SweepContext<'_>, compiled: &Compiled, lanes: &LaneMarcher) -> bool {
    let observables = &common.observables;
    // What is said of constraints on velocities is measured by how fast the motion was at all rows.
    let unseen = observables.kept.contains(&false) || !observables.measured.is_empty();
    let known = match compiled {
        // What is iterated begins with what was seen last: to see what a run sees, look as often as it does.
        Compiled::Scheme(scheme) => {
            let rows = observables.configurations.is_empty() || scheme.watches_rows();
            rows && scheme.observation().linear && scheme.knows_what_is_observable()
        }
        Compiled::Paced(_) | Compiled::Adaptive(_) | Compiled::Lattice(_) => false,
    };
    let recorded = match common.layout.record {
        Record::End | Record::Events => true,
        Record::Extremes => lanes.shows_lanes(),
        Record::All { every } => every >= SHORTEST_STRETCH,
    };
    known && recorded && !unseen && observables.stops.is_empty() && common.promises.accurate
}

/// What looks at the members in lanes.
struct Views<'a, 's> {
    views: Vec<Glimpsed<'a, 's>>,
    every: u64,
    extremes: Option<&'a mut LaneExtremes>,
}

impl LaneObserver for Views<'_, '_> {
    fn every(&self) -> u64 {
        self.every
    }

    fn observe(&mut self, number: usize, motion: &mut Marcher) -> Result<(), StepFailure> {
        self.views[number].look(motion)
    }

    fn sees_all(&self) -> bool {
        self.extremes.is_some()
    }

    fn see(&mut self, number: usize, motion: &mut Marcher) -> Result<(), StepFailure> {
        self.views[number].record(motion)
    }

    fn see_lanes(&mut self, lanes: SeenLanes<'_>) {
        if let Some(extremes) = &mut self.extremes {
            extremes.see(&lanes, |number, extremes, at| self.views[number].take_range(extremes.range(at)));
        }
    }

    fn miss(&mut self, number: usize) {
        self.views[number].miss();
    }
}

impl Views<'_, '_> {
    /// Gives members what is kept of their steps in lanes.
    fn finish(&mut self) {
        if let Some(extremes) = &mut self.extremes {
            extremes.finish(|number, extremes, at| self.views[number].take_range(extremes.range(at)));
        }
    }
}

/// Marches members with the same number of steps side by side.
fn march_together(
    (lanes, starts): &mut (LaneMarcher, LaneStart),
    extremes: &mut Option<LaneExtremes>,
    lane_marchers: &mut [MemberMarcher<'_>],
    members: &[Member<'_>],
    rows: &mut [Frame],
) {
    let mut progresses: Vec<MemberProgress> = Vec::with_capacity(members.len());
    for ((lane_marchers, members), rows) in lane_marchers
        .chunks_mut(starts.lanes())
        .zip(members.chunks(starts.lanes()))
        .zip(rows.chunks_mut(starts.lanes()))
    {
        progresses.extend(open_together(starts, lane_marchers, members, rows));
    }
    loop {
        let stretches = lane_marchers
            .iter()
            .zip(&progresses)
            .map(|(lane_marcher, progress)| lane_marcher.next_stretch(progress, members[0].plan));
        let stretches: Vec<Option<u64>> = stretches.collect();
        let Some(steps) = stretches.iter().find_map(|steps| *steps) else { break };
        let going: Vec<bool> = stretches.iter().map(Option::is_some).collect();
        let marchers = lane_marchers.iter_mut().zip(&going).filter(|(_, going)| **going);
        let (mut marchers, views): (Vec<_>, Vec<_>) =
            marchers.filter_map(|(lane_marcher, _)| lane_marcher.marcher()).unzip();
        let begins: Vec<f64> = marchers.iter().map(|marcher| marcher.time()).collect();
        let mut views = Views { views, every: Glimpsed::every(members[0].plan), extremes: extremes.as_mut() };
        let outcomes: Vec<Result<(), StepFailure>> = lanes.advance(&mut marchers, steps, &mut views);
        views.finish();
        starts.show(&mut marchers);
        let mut outcomes = begins.into_iter().zip(outcomes);
        for (at, _) in going.iter().enumerate().filter(|(_, going)| **going) {
            let Some((begin, outcome)) = outcomes.next() else { return };
            lane_marchers[at].after(&members[at], &mut progresses[at], steps, begin, outcome, &mut rows[at]);
        }
    }
    for ((lane_marcher, member), (progress, rows)) in
        lane_marchers.iter_mut().zip(members).zip(progresses.into_iter().zip(rows))
    {
        lane_marcher.finish(member, progress, rows);
    }
}

/// Begins with members, at most as many as there are lanes, and takes the steps that are looked at one by one.
fn open_together(
    starts: &mut LaneStart,
    lane_marchers: &mut [MemberMarcher<'_>],
    members: &[Member<'_>],
    rows: &mut [Frame],
) -> Vec<MemberProgress> {
    let ready = lane_marchers.iter_mut().zip(members).map(|(lane_marcher, member)| lane_marcher.make_ready(member));
    let mut progresses: Vec<MemberProgress> = ready.collect();
    let mut going: Vec<bool> = progresses.iter().map(MemberProgress::goes_on).collect();
    let mut outcomes = with_motions(lane_marchers, &going, |motions| {
        let outcomes = starts.begin(motions);
        starts.show(motions);
        outcomes
    })
    .into_iter();
    let all = lane_marchers.iter_mut().zip(members).zip(&mut *rows).zip(progresses.drain(..).zip(&going));
    let begun = all.map(|(((lane_marcher, member), rows), (progress, going))| {
        let outcome = if *going { outcomes.next().unwrap_or(Ok(())) } else { Ok(()) };
        lane_marcher.begun(member, progress, outcome, rows)
    });
    let mut progresses: Vec<MemberProgress> = begun.collect();
    for _ in 0..OPENING {
        let next = lane_marchers.iter().zip(&progresses).zip(members);
        going = next.map(|((own, progress), member)| own.next_stretch(progress, member.plan).is_some()).collect();
        let outcomes = with_motions(lane_marchers, &going, |motions| {
            let begins: Vec<f64> = motions.iter().map(|motion| motion.time()).collect();
            let outcomes = starts.step(motions);
            starts.show(motions);
            begins.into_iter().zip(outcomes).collect::<Vec<_>>()
        });
        let places = (0..members.len()).filter(|at| going[*at]);
        for (at, (begin, outcome)) in places.zip(outcomes) {
            lane_marchers[at].after(&members[at], &mut progresses[at], 1, begin, outcome, &mut rows[at]);
        }
    }
    progresses
}

/// Does something with the motions of those members that go on.
fn with_motions<R: Default>(
    lane_marchers: &mut [MemberMarcher<'_>],
    going: &[bool],
    work: impl FnOnce(&mut [&mut Marcher]) -> R,
) -> R {
    let going = lane_marchers.iter_mut().zip(going).filter(|(_, going)| **going);
    let mut motions: Vec<&mut Marcher> =
        going.filter_map(|(lane_marcher, _)| lane_marcher.marcher().map(|(motion, _)| motion)).collect();
    if motions.is_empty() { R::default() } else { work(&mut motions) }
}

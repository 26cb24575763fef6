//! Marching members side by side where that is possible, one after the other where not.

use extremal_solve::{LaneMarcher, LaneObserver, March, Marcher, StepFailure};
use extremal_trajectory::frame::Frame;

use super::member_marcher::{Glimpsed, MemberMarcher, MemberProgress, RowsLookedAt, SweepContext};
use super::members::{Member, Members};
use super::pool::{ChunkWork, ChunkWorker};
use super::record::Record;
use crate::run::{Compiled, StartCheck};

/// Marches blocks of members. Their rows do not depend on how members are cut into blocks, nor on how many are marched at once.
pub(crate) struct Engine<'s> {
    /// For members of which every row is looked at.
    alone: MemberMarcher<'s>,
    /// For those in lanes, one for each member of a block, so that no lane is empty while another member waits.
    lane_marchers: Vec<MemberMarcher<'s>>,
    lanes: Option<LaneMarcher>,
    /// The rows of each lane_marcher, until they are put in order.
    rows: Vec<Frame>,
    common: &'s SweepContext<'s>,
}

/// For shorter stretches the way into lanes and out of them takes longer than the steps.
const SHORTEST_STRETCH: u64 = 16;

impl<'s> Engine<'s> {
    pub fn new(
        common: &'s SweepContext<'s>,
        compiled: &Compiled,
        check: StartCheck,
        lanes: Option<LaneMarcher>,
        block: usize,
    ) -> Engine<'s> {
        let lanes = lanes.filter(|_| is_seen_by_some_rows(common, compiled));
        let count = lanes.as_ref().map_or(0, |_| block);
        let lane_marcher = |looked_at: RowsLookedAt| MemberMarcher::new(common, compiled, check.clone(), looked_at);
        let lane_marchers = (0..count).map(|_| lane_marcher(RowsLookedAt::Some)).collect();
        let rows = vec![Frame::new(&common.layout.fields); count];
        Engine { alone: lane_marcher(RowsLookedAt::Every), lane_marchers, lanes, rows, common }
    }

    /// Marches members, at most a block of them, from their starts to their ends and gives their rows.
    pub fn march_block(&mut self, members: &Members) -> Frame {
        let mut frame = Frame::new(&self.common.layout.fields);
        let members: Vec<Member<'_>> = members.iter().collect();
        for together in members.chunks(self.lane_marchers.len().max(1)) {
            let steps = together[0].plan.whole_steps;
            match &mut self.lanes {
                Some(lanes) if together.iter().all(|member| member.plan.whole_steps == steps) => {
                    march_together(lanes, &mut self.lane_marchers, together, &mut self.rows);
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
}

impl ChunkWorker for Engine<'_> {
    type Chunk = Members;

    fn work(mut self, chunks: &mut dyn FnMut(ChunkWork<'_, Members>)) {
        chunks(&mut |members, _| self.march_block(&members));
    }
}

/// Can some rows tell that there is nothing to be seen in the others?
fn is_seen_by_some_rows(common: &SweepContext<'_>, compiled: &Compiled) -> bool {
    let observables = &common.observables;
    let constrained = !observables.configurations.is_empty() || observables.kept.contains(&false);
    let known = match compiled {
        // What is iterated begins with what was seen last: to see what a run sees, look as often as it does.
        Compiled::Scheme(scheme) => scheme.observation().linear && scheme.knows_what_is_observable(),
        Compiled::Adaptive(_) | Compiled::Lattice(_) => false,
    };
    let recorded = match common.layout.record {
        Record::End | Record::Events => true,
        Record::Extremes => false,
        Record::All { every } => every >= SHORTEST_STRETCH,
    };
    known && recorded && !constrained && observables.stops.is_empty() && common.promises.accurate
}

/// What looks at the members in lanes.
struct Views<'a, 's> {
    views: Vec<Glimpsed<'a, 's>>,
    every: u64,
}

impl LaneObserver for Views<'_, '_> {
    fn every(&self) -> u64 {
        self.every
    }

    fn observe(&mut self, number: usize, motion: &mut Marcher) -> Result<(), StepFailure> {
        self.views[number].look(motion)
    }
}

/// Marches members with the same number of steps side by side.
fn march_together(
    lanes: &mut LaneMarcher,
    lane_marchers: &mut [MemberMarcher<'_>],
    members: &[Member<'_>],
    rows: &mut [Frame],
) {
    let begin = |((lane_marcher, member), rows): ((&mut MemberMarcher<'_>, &Member<'_>), &mut Frame)| {
        let mut progress = lane_marcher.begin(member, rows);
        lane_marcher.open(member, &mut progress, rows);
        progress
    };
    let mut progresses: Vec<MemberProgress> =
        lane_marchers.iter_mut().zip(members).zip(&mut *rows).map(begin).collect();
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
        let mut views = Views { views, every: Glimpsed::every(members[0].plan) };
        let outcomes: Vec<Result<(), StepFailure>> = lanes.advance(&mut marchers, steps, &mut views);
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

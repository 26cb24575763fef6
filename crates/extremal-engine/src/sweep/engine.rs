//! Marching members side by side where that is possible, one after the other where not.

use extremal_solve::{LaneMarcher, LaneObserver, March, Marcher, StepFailure};
use extremal_trajectory::frame::Frame;

use super::members::{Member, Members};
use super::record::Record;
use super::seat::{Common, Course, Glimpsed, Seat, Sight};
use crate::run::{Compiled, StartCheck};

/// Marches blocks of members. Their rows do not depend on how members are cut into blocks, nor on how many are marched at once.
pub(crate) struct Engine<'s> {
    /// For members of which every row is looked at.
    alone: Seat<'s>,
    /// For those in lanes, one for each member of a block, so that no lane is empty while another member waits.
    seats: Vec<Seat<'s>>,
    lanes: Option<LaneMarcher>,
    /// The rows of each seat, until they are put in order.
    rows: Vec<Frame>,
    common: &'s Common<'s>,
}

/// For shorter stretches the way into lanes and out of them takes longer than the steps.
const SHORTEST_STRETCH: u64 = 16;

impl<'s> Engine<'s> {
    pub fn new(
        common: &'s Common<'s>,
        compiled: &Compiled,
        check: StartCheck,
        lanes: Option<LaneMarcher>,
        block: usize,
    ) -> Engine<'s> {
        let lanes = lanes.filter(|_| is_seen_by_some_rows(common, compiled));
        let count = lanes.as_ref().map_or(0, |_| block);
        let seat = |sight: Sight| Seat::new(common, compiled, check.clone(), sight);
        let seats = (0..count).map(|_| seat(Sight::Some)).collect();
        let rows = vec![Frame::new(&common.layout.fields); count];
        Engine { alone: seat(Sight::Every), seats, lanes, rows, common }
    }

    /// Marches members, at most a block of them, from their starts to their ends and gives their rows.
    pub fn march_block(&mut self, members: &Members) -> Frame {
        let mut frame = Frame::new(&self.common.layout.fields);
        let members: Vec<Member<'_>> = members.iter().collect();
        for together in members.chunks(self.seats.len().max(1)) {
            let steps = together[0].plan.whole_steps;
            match &mut self.lanes {
                Some(lanes) if together.iter().all(|member| member.plan.whole_steps == steps) => {
                    march_together(lanes, &mut self.seats, together, &mut self.rows);
                    for ((member, seat), rows) in together.iter().zip(&self.seats).zip(&mut self.rows) {
                        if seat.is_doubtful() {
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

/// Can some rows tell that there is nothing to be seen in the others?
fn is_seen_by_some_rows(common: &Common<'_>, compiled: &Compiled) -> bool {
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
fn march_together(lanes: &mut LaneMarcher, seats: &mut [Seat<'_>], members: &[Member<'_>], rows: &mut [Frame]) {
    let begin = |((seat, member), rows): ((&mut Seat<'_>, &Member<'_>), &mut Frame)| {
        let mut course = seat.begin(member, rows);
        seat.open(member, &mut course, rows);
        course
    };
    let mut courses: Vec<Course> = seats.iter_mut().zip(members).zip(&mut *rows).map(begin).collect();
    loop {
        let stretches = seats.iter().zip(&courses).map(|(seat, course)| seat.next_stretch(course, members[0].plan));
        let stretches: Vec<Option<u64>> = stretches.collect();
        let Some(steps) = stretches.iter().find_map(|steps| *steps) else { break };
        let going: Vec<bool> = stretches.iter().map(Option::is_some).collect();
        let marchers = seats.iter_mut().zip(&going).filter(|(_, going)| **going);
        let (mut marchers, views): (Vec<_>, Vec<_>) = marchers.filter_map(|(seat, _)| seat.marcher()).unzip();
        let begins: Vec<f64> = marchers.iter().map(|marcher| marcher.time()).collect();
        let mut views = Views { views, every: Glimpsed::every(members[0].plan) };
        let outcomes: Vec<Result<(), StepFailure>> = lanes.advance(&mut marchers, steps, &mut views);
        let mut outcomes = begins.into_iter().zip(outcomes);
        for (at, _) in going.iter().enumerate().filter(|(_, going)| **going) {
            let Some((begin, outcome)) = outcomes.next() else { return };
            seats[at].after(&members[at], &mut courses[at], steps, begin, outcome, &mut rows[at]);
        }
    }
    for ((seat, member), (course, rows)) in seats.iter_mut().zip(members).zip(courses.into_iter().zip(rows)) {
        seat.finish(member, course, rows);
    }
}

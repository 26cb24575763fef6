//! Marching members side by side where that is possible, one after the other where not.

use extremal_solve::{LaneMarcher, March, StepFailure};
use extremal_trajectory::frame::Frame;

use super::members::{Member, Members};
use super::seat::{Common, Course, Seat};
use super::start::StartCheck;
use crate::run::Compiled;

/// Marches blocks of members. Their rows do not depend on how members are cut into blocks, nor on how many are marched at once.
pub(crate) struct Engine<'s> {
    /// One for each member of a block, so that no lane is empty while another member waits.
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
        let first = Seat::new(common, compiled, check.clone());
        let lanes = lanes.filter(|_| first.stretch() >= SHORTEST_STRETCH);
        let count = lanes.as_ref().map_or(1, |_| block);
        let others = (1..count).map(|_| Seat::new(common, compiled, check.clone()));
        let seats: Vec<Seat<'s>> = [first].into_iter().chain(others).collect();
        let rows = vec![Frame::new(&common.layout.fields); count];
        Engine { seats, lanes, rows, common }
    }

    /// Marches members, at most a block of them, from their starts to their ends and gives their rows.
    pub fn march_block(&mut self, members: &Members) -> Frame {
        let mut frame = Frame::new(&self.common.layout.fields);
        let members: Vec<Member<'_>> = members.iter().collect();
        for together in members.chunks(self.seats.len()) {
            let steps = together[0].plan.whole_steps;
            match &mut self.lanes {
                Some(lanes) if together.iter().all(|member| member.plan.whole_steps == steps) => {
                    march_together(lanes, &mut self.seats, together, &mut self.rows);
                    self.rows.iter_mut().for_each(|rows| frame.append(rows));
                }
                _ => together.iter().for_each(|member| self.seats[0].march(member, &mut frame)),
            }
        }
        frame
    }
}

/// Marches members with the same number of steps side by side.
fn march_together(lanes: &mut LaneMarcher, seats: &mut [Seat<'_>], members: &[Member<'_>], rows: &mut [Frame]) {
    let stretch = seats[0].stretch();
    let mut courses: Vec<Course> =
        seats.iter_mut().zip(members).zip(&mut *rows).map(|((seat, member), rows)| seat.begin(member, rows)).collect();
    while let Some(steps) = courses.iter().find_map(|course| course.next_stretch(members[0].plan, stretch)) {
        let going: Vec<bool> = courses.iter().map(|c| c.next_stretch(members[0].plan, stretch).is_some()).collect();
        let marchers = seats.iter_mut().zip(&going).filter(|(_, going)| **going);
        let mut marchers: Vec<_> = marchers.filter_map(|(seat, _)| seat.marcher()).collect();
        let begins: Vec<f64> = marchers.iter().map(|marcher| marcher.time()).collect();
        let outcomes: Vec<Result<(), StepFailure>> = lanes.advance(&mut marchers, steps);
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

//! Motions that begin together and go on side by side to their ends: as long as all goes well, nothing is done for one of them alone.

use extremal_eval::{Machine, TRIES};

use super::lane_opening::LaneOpening;
use super::lanes::Entered;
use super::{Clock, CompiledScheme, LaneMarcher, Marcher, QUIET, SeenLanes};
use crate::kernel::same_bits;
use crate::lane_kernel::LaneKernel;
use crate::newton::LaneNewton;
use crate::observable::{self, Observable};
use crate::step::{
    DEPTH, FIRST_DIFFERENCES, LIMIT_VALUES, LOOP_TIER, PARAMETERS_TIER, StagesTogether, TIMES_TIER, WEIGHTS, WELL_KNOWN,
};
use extremal_eval::on_widest_registers;

/// Takes several motions of one scheme, as many as there are lanes, through the same number of steps. Whatever there is of each of them is a
/// column: a number for every lane. Each goes the way it would go alone, bit for bit; where that is not known, it is *lost*, and does what another does.
#[derive(Clone)]
pub struct LaneCohort {
    lanes: LaneMarcher,
    start: LaneKernel,
    first: FirstSteps,
    differences: Option<LaneDifferences>,
    rows: Option<LaneRows>,
    observable: Option<Observable>,
    /// Takes the steps that do not work out side by side.
    spare: Box<Marcher>,
    /// The parameters, and the constants behind them, if they are in all places.
    parameters: Vec<f64>,
    given: usize,
    loaded: bool,
    /// Is it known which states can be observed with them?
    asked: bool,
    clock: Clock,
    /// The number of steps at which all were observed last.
    seen: Option<u64>,
    opening: LaneOpening,
    lost: Vec<bool>,
    rough: Vec<bool>,
    /// How many steps of each did not work out side by side.
    failed: Vec<u64>,
}

/// What takes the first steps, before the loop does.
#[derive(Clone)]
enum FirstSteps {
    /// There is nothing to solve: the loop takes all.
    None,
    /// One, by Newton's method.
    Newton(Box<LaneNewton>),
    /// Those before stages can be predicted well, by fixed-point iteration.
    Stages(Box<StagesTogether>),
}

impl FirstSteps {
    fn count(&self) -> u64 {
        match self {
            FirstSteps::None => 0,
            FirstSteps::Newton(_) => 1,
            FirstSteps::Stages(_) => DEPTH as u64,
        }
    }
}

/// The differences that motions begin with beside their states.
#[derive(Clone)]
struct LaneDifferences {
    machine: Machine,
    well: Vec<f64>,
    values: Vec<f64>,
}

/// The watch over the rows of constraints in the first steps.
#[derive(Clone)]
struct LaneRows {
    machine: Machine,
    longest: Vec<f64>,
    found: Vec<f64>,
}

/// Steps that are followed one by one, until there are second sums.
const OPENING: u64 = 2;

impl CompiledScheme {
    /// What it takes to begin and end so many motions together; `None` where steps are not taken side by side from the start on.
    pub fn cohort(&self, lanes: usize) -> Option<LaneCohort> {
        let fused = self.solver.fused.as_ref()?;
        let all = self.lanes(lanes).filter(LaneMarcher::shows_lanes)?;
        let first = match fused.stage_unknowns() {
            _ if fused.is_explicit() => FirstSteps::None,
            Some(_) => FirstSteps::Stages(Box::new(self.solver.stages_together(lanes)?)),
            None => {
                let newton = LaneNewton::of(self.solver.newton(), lanes).filter(|_| self.solver.begins_alike());
                FirstSteps::Newton(Box::new(newton?))
            }
        };
        let differences = match fused.first_differences() {
            None => None,
            Some((program, _)) => Some(LaneDifferences {
                well: vec![0.0; lanes],
                values: vec![0.0; program.outputs(FIRST_DIFFERENCES).len() * lanes],
                machine: program.lane_machine(lanes)?,
            }),
        };
        let rows = match &self.rows {
            None => None,
            Some(rows) => Some(LaneRows {
                machine: rows.program().lane_machine(lanes)?,
                longest: vec![0.0; lanes],
                found: vec![0.0; 2 * lanes],
            }),
        };
        let spare = Box::new(self.marcher());
        let parameters = self.start.parameters();
        let spread = parameters.iter().flat_map(|value| std::iter::repeat_n(*value, lanes)).collect();
        Some(LaneCohort {
            lanes: all,
            start: LaneKernel::in_lanes(&self.start, lanes)?,
            first,
            differences,
            rows,
            observable: fused.observable().cloned(),
            spare,
            given: parameters.len() - self.constants().len(),
            parameters: spread,
            loaded: false,
            asked: false,
            clock: Clock::default(),
            seen: None,
            opening: LaneOpening::new(self.dimension, lanes),
            lost: vec![false; lanes],
            rough: vec![false; lanes],
            failed: vec![0; lanes],
        })
    }
}

impl LaneCohort {
    /// How many motions there are.
    pub fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.clock.steps
    }

    /// Is it not known how a motion would go alone?
    pub fn is_lost(&self, at: usize) -> bool {
        self.lost[at]
    }

    /// Did all steps of a motion change positions and momenta little beside the steps before them, as
    /// [`Marcher::was_smooth`](super::Marcher::was_smooth) says of one alone?
    pub fn was_smooth(&self, at: usize) -> bool {
        !self.rough[at] && self.lanes.value(self.lanes.layout.rough, at) == 0.0
    }

    /// Sets the parameters, a column for each.
    pub fn set_parameters(&mut self, columns: &[f64]) {
        let lanes = self.lanes();
        let own = &mut self.parameters[..self.given * lanes];
        if self.loaded && same_bits(own, columns) {
            return;
        }
        own.copy_from_slice(columns);
        (self.loaded, self.asked) = (true, false);
        let all = &self.parameters[..];
        self.start.parameters_mut().copy_from_slice(all);
        self.start.commit_parameters();
        self.lanes.watch.iter_mut().for_each(|watch| watch.set_parameters(all));
        match &mut self.first {
            FirstSteps::None => {}
            FirstSteps::Newton(newton) => {
                newton.machine_mut().inputs_mut(0).copy_from_slice(all);
                newton.machine_mut().commit(0);
            }
            FirstSteps::Stages(stages) => stages.set_parameters(all),
        }
        if let Some(LaneRows { machine, .. }) = &mut self.rows {
            machine.inputs_mut(0).copy_from_slice(all);
            machine.commit(0);
        }
        let differences = self.differences.iter_mut().map(|differences| &mut differences.machine);
        for machine in differences.chain([&mut self.lanes.machine]) {
            let (parameters, limits) = machine.inputs_mut(PARAMETERS_TIER).split_at_mut(all.len());
            parameters.copy_from_slice(all);
            limits.chunks_exact_mut(lanes).zip(LIMIT_VALUES).for_each(|(place, value)| place.fill(value));
            machine.commit(PARAMETERS_TIER);
        }
    }

    /// Begins motions with steps of size `h`: columns of what a scheme starts from before the time and the step, and of what comes behind
    /// these. `false` where that has to be done for one after the other.
    pub fn begin(&mut self, [values, behind]: [&[f64]; 2], time: f64, h: f64) -> bool {
        let lanes = self.lanes();
        let (first, rest) = self.start.inputs_mut().split_at_mut(values.len());
        first.copy_from_slice(values);
        let (times, rest) = rest.split_at_mut(2 * lanes);
        times[..lanes].fill(time);
        times[lanes..].fill(h);
        rest.copy_from_slice(behind);
        let Some(states) = self.start.run() else { return false };
        let inputs = self.lanes.machine.inputs_mut(LOOP_TIER);
        inputs.fill(0.0);
        inputs[..states.len()].copy_from_slice(states);
        let times = self.lanes.machine.inputs_mut(TIMES_TIER);
        times[..lanes].fill(h);
        times[lanes..2 * lanes].fill(time);
        self.lanes.changed = true;
        self.clock = Clock::new(time, h);
        self.seen = None;
        self.failed.fill(0);
        self.lost.fill(false);
        self.rough.fill(false);
        self.opening.forget();
        self.rows.iter_mut().for_each(|rows| rows.longest.fill(0.0));
        if let FirstSteps::Stages(stages) = &mut self.first {
            stages.begin(h);
        }
        self.enter(0);
        if !observable::is_bounded(h, time) || !self.begin_differences() {
            return false;
        }
        self.lose_unknown()
    }

    fn begin_differences(&mut self) -> bool {
        let Some(LaneDifferences { machine, well, values }) = &mut self.differences else { return true };
        let lanes = well.len();
        let own = &self.lanes.machine;
        let times = machine.inputs_mut(TIMES_TIER);
        times.copy_from_slice(&own.inputs(TIMES_TIER)[..times.len()]);
        machine.commit(TIMES_TIER);
        let states = self.lanes.state * lanes;
        machine.inputs_mut(LOOP_TIER)[..states].copy_from_slice(&own.inputs(LOOP_TIER)[..states]);
        machine.run(WELL_KNOWN, well);
        machine.run(FIRST_DIFFERENCES, values);
        let first = self.lanes.layout.places.differences().start * lanes;
        self.lanes.machine.inputs_mut(LOOP_TIER)[first..][..values.len()].copy_from_slice(values);
        let known: Vec<bool> = well.iter().map(|well| *well != 0.0).collect();
        self.keep(|at| known[at])
    }

    /// Loses motions with whose parameters it is not known which states can be observed.
    fn lose_unknown(&mut self) -> bool {
        let lanes = self.lanes();
        let Some(observable) = self.observable.as_mut().filter(|_| !self.asked) else { return true };
        let ranges: Vec<[f64; 2]> = self.parameters.chunks_exact(lanes).map(range).collect();
        if observable.holds_between(&ranges) {
            self.asked = true;
            return true;
        }
        let own = |at: usize| self.parameters.iter().skip(at).step_by(lanes).copied().collect::<Vec<f64>>();
        let known: Vec<bool> = (0..lanes).map(|at| observable.holds_for(&own(at))).collect();
        self.keep(|at| known[at])
    }

    /// Leaves a motion out, which was begun in the place of one that cannot be.
    pub fn lose(&mut self, at: usize) {
        self.lost[at] = true;
    }

    /// Loses those that are not kept; `false` if none is left.
    fn keep(&mut self, is_kept: impl Fn(usize) -> bool) -> bool {
        (0..self.lanes()).filter(|at| !is_kept(*at)).for_each(|at| self.lost[at] = true);
        self.replace_lost()
    }

    /// Lets those that are lost do what another does; `false` if there is no other.
    fn replace_lost(&mut self) -> bool {
        let Some(model) = self.lost.iter().position(|lost| !lost) else { return false };
        if !self.lost.contains(&true) {
            return true;
        }
        let lanes = self.lanes();
        let lost = &self.lost;
        let replace = |column: &mut [f64]| {
            let value = column[model];
            column.iter_mut().zip(lost).filter(|(_, lost)| **lost).for_each(|(x, _)| *x = value);
        };
        for tier in PARAMETERS_TIER..=LOOP_TIER {
            self.lanes.machine.inputs_mut(tier).chunks_exact_mut(lanes).for_each(replace);
        }
        self.lanes.machine.commit(PARAMETERS_TIER);
        self.lanes.machine.commit(TIMES_TIER);
        if let Some(watch) = &mut self.lanes.watch {
            watch.fill_empty(model, |at| lost[at]);
            watch.commit();
        }
        let opening = &mut self.opening;
        for column in [&mut opening.ways, &mut opening.before, &mut opening.strongest, &mut opening.largest] {
            column.chunks_exact_mut(lanes).for_each(replace);
        }
        for at in (0..lanes).filter(|at| lost[*at]) {
            self.lanes.entered[at] = self.lanes.entered[model].map(|entered| Entered { motion: at, ..entered });
        }
        // Their own parameters have to be set again for the next motions.
        self.loaded = false;
        true
    }

    /// Observes all motions where they are; `None` where one of them has to be looked at alone.
    pub fn observe(&mut self) -> Option<SeenLanes<'_>> {
        self.seen = Some(self.clock.steps);
        self.lanes.see()
    }

    /// Takes so many steps with each motion, and shows them, if that is wanted, after every step of one of them. `false` where nothing is known
    /// of any of them any more.
    pub fn advance(&mut self, steps: u64, mut see: Option<&mut dyn FnMut(SeenLanes<'_>)>) -> bool {
        let mut left = steps;
        while left > 0 {
            let now = self.clock.steps;
            let is_first = now < self.first.count();
            let opens = is_first || now < OPENING;
            let known = self.lanes.layout.places.known(now);
            let part = if opens || !known.is_full { 1 } else { left };
            if opens {
                self.put_down();
            }
            let taken = match is_first {
                true => self.take_first(),
                false => {
                    self.lanes.predict_all_from(known.following);
                    self.go(part, known.before, &mut see)
                }
            };
            if !taken {
                return false;
            }
            self.clock.advance(part);
            self.enter(0);
            if opens {
                self.follow_opening();
                if let Some(see) = see.as_mut().filter(|_| is_first) {
                    match self.lanes.see() {
                        Some(seen) => see(seen),
                        None => return false,
                    }
                }
            }
            left -= part;
        }
        true
    }

    /// All motions are where the clock says, with so many steps to take.
    fn enter(&mut self, steps: u64) {
        let left = self.lanes.layout.left;
        let lanes = self.lanes();
        self.lanes.machine.inputs_mut(LOOP_TIER)[left * lanes..][..lanes].fill(steps as f64);
        for at in 0..lanes {
            self.lanes.entered[at] = Some(Entered { motion: at, steps, then: 0 });
            self.lanes.watch.iter_mut().for_each(|watch| watch.enter(at, self.clock, steps, at));
        }
    }

    /// Takes one of the first steps.
    fn take_first(&mut self) -> bool {
        match &self.first {
            FirstSteps::None => false,
            FirstSteps::Newton(_) => self.take_by_newton(),
            FirstSteps::Stages(_) => self.take_by_stages(),
        }
    }

    fn take_by_stages(&mut self) -> bool {
        let lanes = self.lanes();
        let FirstSteps::Stages(stages) = &mut self.first else { return false };
        let states = self.lanes.state * lanes;
        let inputs = self.lanes.machine.inputs_mut(LOOP_TIER);
        let lost = &self.lost;
        stages.step(&inputs[..states], self.clock.time, |at| !lost[at]);
        let (next, guards) = stages.next().split_at(states);
        inputs[..states].copy_from_slice(next);
        let places = self.lanes.layout.places;
        let steps = self.clock.steps as usize + 1;
        inputs[places.count() * lanes..][..lanes].fill(steps as f64);
        let found = stages.found();
        let history = &mut inputs[places.history().start * lanes..places.history().end * lanes];
        history.copy_within(..history.len() - found.len(), found.len());
        history[..found.len()].copy_from_slice(found);
        if steps == DEPTH {
            let [history, guess] = [places.history(), places.guess()].map(|range| range.start * lanes);
            let (before, after) = inputs.split_at_mut(guess);
            for (at, guess) in after[..found.len()].iter_mut().enumerate() {
                let values = before[history + at..].iter().step_by(found.len());
                *guess = WEIGHTS[DEPTH].iter().zip(values).map(|(weight, value)| weight * value).sum();
            }
        }
        let holds = |at: usize| guards.iter().skip(at).step_by(lanes).all(|guard| *guard != 0.0);
        let done: Vec<bool> = (0..lanes).map(|at| stages.is_done(at) && holds(at)).collect();
        self.keep(|at| done[at])
    }

    /// Takes the first step, which begins with the velocities that are observed.
    fn take_by_newton(&mut self) -> bool {
        if self.seen != Some(0) && self.observe().is_none() {
            return false;
        }
        let lanes = self.lanes();
        let (FirstSteps::Newton(first_step), Some(watch)) = (&mut self.first, &self.lanes.watch) else { return false };
        let states = self.lanes.state * lanes;
        let loop_inputs = self.lanes.machine.inputs_mut(LOOP_TIER);
        let (state, rest) = first_step.machine_mut().inputs_mut(1).split_at_mut(states);
        state.copy_from_slice(&loop_inputs[..states]);
        let (times, velocities) = rest.split_at_mut(2 * lanes);
        times[..lanes].fill(self.clock.time);
        times[lanes..].fill(self.clock.h);
        velocities.copy_from_slice(&watch.columns()[..velocities.len()]);
        first_step.run();
        let (next, guards) = first_step.output_columns().split_at(states);
        let places = self.lanes.layout.places;
        loop_inputs[..states].copy_from_slice(next);
        loop_inputs[places.count() * lanes..][..lanes].fill(1.0);
        let unknowns = first_step.unknown_columns();
        loop_inputs[places.history().start * lanes..][..unknowns.len()].copy_from_slice(unknowns);
        // What is extrapolated from one step is this, summed with nothing.
        let guess = loop_inputs[places.guess().start * lanes..].iter_mut().zip(unknowns);
        guess.for_each(|(guess, unknown)| *guess = unknown + 0.0);
        let holds = |at: usize| guards.iter().skip(at).step_by(lanes).all(|guard| *guard != 0.0);
        let done: Vec<bool> = (0..lanes).map(|at| first_step.work(at).is_some() && holds(at)).collect();
        self.keep(|at| done[at])
    }

    /// Goes on until all motions have taken so many steps, of which so many were known before.
    fn go(&mut self, steps: u64, known: usize, see: &mut Option<&mut dyn FnMut(SeenLanes<'_>)>) -> bool {
        self.enter(steps);
        loop {
            if std::mem::take(&mut self.lanes.changed) {
                self.lanes.machine.commit(TIMES_TIER);
            }
            let most = self.lanes.steps_left().map_or(0, |(_, most)| most);
            if most == 0 {
                return true;
            }
            let rounds = if see.is_some() { 1 } else { most };
            let stuck = self.lanes.machine.repeat(rounds) < rounds;
            if stuck && !self.step_alone(steps, known) {
                return false;
            }
            if let Some(see) = see {
                match self.lanes.see() {
                    Some(seen) => see(seen),
                    None => return false,
                }
            }
        }
    }

    /// Takes the steps alone that did not work out side by side, among so many.
    fn step_alone(&mut self, steps: u64, known: usize) -> bool {
        for at in 0..self.lanes() {
            let [tries, left] = self.lanes.counters(at);
            if tries == u64::from(TRIES) && left > 0 && !self.lost[at] && !self.rescue(at, [steps, left], known) {
                self.lost[at] = true;
            }
        }
        self.replace_lost()
    }

    /// Takes a motion out of its lane for a step, as a [`LaneMarcher`] does, and brings it back.
    fn rescue(&mut self, at: usize, [steps, left]: [u64; 2], known: usize) -> bool {
        let lanes = self.lanes();
        // What fixed-point iteration begins with depends on the call before.
        let by_newton = matches!(self.first, FirstSteps::Newton(_));
        let Some(entered) = self.lanes.entered[at].filter(|_| by_newton) else { return false };
        let mut clock = self.clock;
        clock.advance(steps - entered.steps);
        let own: Vec<f64> = self.parameters[..self.given * lanes].iter().skip(at).step_by(lanes).copied().collect();
        let quiet = self.lanes.machine.inputs(TIMES_TIER).len() - lanes + at;
        let largest = self.lanes.machine.inputs(TIMES_TIER)[quiet] / QUIET;
        // The first step was not fused, nor those that were taken alone.
        let fused = clock.steps - 1 - self.failed[at];
        self.spare.set_parameters(&own);
        self.spare.stand_in(clock, known, [fused, self.failed[at]], largest);
        let spare = &mut *self.spare;
        self.lanes.take_out(spare, at, left);
        let followed = spare.take_followed();
        if followed.is_err() || !spare.scheme.solver.can_fuse() {
            return false;
        }
        self.lanes.enter(spare, at, at, left - 1, u64::MAX);
        self.rough[at] |= !spare.was_smooth();
        self.failed[at] += 1;
        true
    }

    fn put_down(&mut self) {
        let width = self.opening.before.len();
        self.opening.before.copy_from_slice(&self.lanes.machine.inputs(LOOP_TIER)[..width]);
        if self.clock.steps == 0 {
            self.look_at_rows();
        }
    }

    /// Sees whether the first steps are smooth; from the third on the loop does.
    fn follow_opening(&mut self) {
        self.look_at_rows();
        let lanes = self.lanes();
        let width = self.opening.before.len();
        let LaneMarcher { machine, layout, .. } = &mut self.lanes;
        let unit = if layout.own_ways { 1.0 } else { self.clock.h.abs() };
        let opening = &mut self.opening;
        let (rough, known) = (&mut self.rough, self.clock.steps > OPENING);
        on_widest_registers(
            #[inline(always)]
            || opening.follow(&machine.inputs(LOOP_TIER)[..width], known, rough),
        );
        let (ways, strongest) = (&opening.ways, &opening.strongest);
        let inputs = machine.inputs_mut(LOOP_TIER);
        if layout.own_ways {
            for (place, way) in layout.ways.iter().zip(ways.chunks_exact(lanes)) {
                inputs[place * lanes..][..lanes].copy_from_slice(way);
            }
        }
        let place = |place: usize| place * lanes..(place + 1) * lanes;
        inputs[place(layout.strongest)].iter_mut().zip(strongest).for_each(|(own, seen)| *own = seen / unit);
        inputs[place(layout.rough)].fill(0.0);
        if let (Some(longest), Some(rows)) = (layout.longest, &self.rows) {
            inputs[place(longest)].copy_from_slice(&rows.longest);
        }
        let times = machine.inputs_mut(TIMES_TIER);
        let quiet = times.len() - lanes;
        let floors = times[quiet..].iter_mut().zip(&opening.largest);
        floors.for_each(|(quiet, largest)| *quiet = QUIET * largest / unit);
        self.lanes.changed = true;
    }

    /// Looks whether the rows of constraints are far from depending on each other.
    fn look_at_rows(&mut self) {
        let lanes = self.lanes();
        let Some(LaneRows { machine, longest, found }) = &mut self.rows else { return };
        let states = self.lanes.state * lanes;
        let (state, rest) = machine.inputs_mut(1).split_at_mut(states);
        state.copy_from_slice(&self.lanes.machine.inputs(LOOP_TIER)[..states]);
        let (times, last) = rest.split_at_mut(2 * lanes);
        times[..lanes].fill(self.clock.time);
        times[lanes..].fill(self.clock.h);
        last.copy_from_slice(longest);
        machine.commit(1);
        machine.run(0, found);
        let (far, next) = found.split_at(lanes);
        longest.copy_from_slice(next);
        self.rough.iter_mut().zip(far).for_each(|(rough, far)| *rough |= *far == 0.0);
    }
}

/// The least and the largest of these.
fn range(column: &[f64]) -> [f64; 2] {
    column.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)])
}

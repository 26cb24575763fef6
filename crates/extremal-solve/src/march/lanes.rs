//! Several motions side by side: as long as their fused steps work out, the same instructions take those of all.

use extremal_eval::{Machine, TRIES};

use super::lane_watch::{LaneWatch, SeenLanes};
use super::{CompiledScheme, March, Marcher};
use crate::failure::StepFailure;
use crate::step::{FIRST_WEIGHT, FusedStep, LOOP_TIER, LaneLayout, PARAMETERS_TIER, TIMES_TIER, WEIGHTS};

/// Takes the steps of several motions of one scheme at once. Each goes the way it would go alone, bit for bit: a motion whose fused
/// step does not work out takes it by itself and comes back.
#[derive(Clone)]
pub struct LaneMarcher {
    pub(super) machine: Machine,
    /// What is in each lane.
    pub(super) entered: Vec<Option<Entered>>,
    pub(super) layout: LaneLayout,
    /// How many numbers a state has.
    pub(super) state: usize,
    /// For observers that see every step.
    pub(super) watch: Option<LaneWatch>,
    /// Was anything changed that the loop does not change?
    pub(super) changed: bool,
}

/// A motion in a lane: its number, how many steps it takes before it is looked at or leaves, and how many behind these.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Entered {
    pub motion: usize,
    pub steps: u64,
    pub then: u64,
}

/// Looks at motions on their way, by their numbers. A failure ends the motion.
pub trait LaneObserver {
    /// After how many steps, counted from the start of a motion, it is looked at: at all multiples.
    fn every(&self) -> u64;
    /// Looks at a motion.
    ///
    /// # Errors
    /// If the state is none of the motion.
    fn observe(&mut self, number: usize, motion: &mut Marcher) -> Result<(), StepFailure>;

    /// Does it see every step but the last? A [`LaneMarcher`] can show it if it [shows lanes](LaneMarcher::shows_lanes).
    fn sees_all(&self) -> bool {
        false
    }

    /// Sees a step that a motion took alone.
    ///
    /// # Errors
    /// If the state is none of the motion.
    fn see(&mut self, number: usize, motion: &mut Marcher) -> Result<(), StepFailure> {
        let _ = (number, motion);
        Ok(())
    }

    /// Sees motions in their lanes. Where one has taken no step, it is seen again.
    fn see_lanes(&mut self, lanes: SeenLanes<'_>) {
        let _ = lanes;
    }

    /// A step of a motion cannot be shown.
    fn miss(&mut self, number: usize) {
        let _ = number;
    }
}

/// Looks at nothing.
impl LaneObserver for () {
    fn every(&self) -> u64 {
        u64::MAX
    }

    fn observe(&mut self, _: usize, _: &mut Marcher) -> Result<(), StepFailure> {
        Ok(())
    }
}

/// Fewer steps are not worth the way into a lane.
const WORTHWHILE: u64 = 4;
/// When one motion has arrived, those that are near wait for each other so many rounds at most: the way out of the loop and in again is
/// the same for one of them and for all.
const PATIENCE: u64 = 4;

impl CompiledScheme {
    /// What it takes to march so many motions at once; `None` where steps are not fused, or where there are no instructions for so
    /// many.
    pub fn lanes(&self, lanes: usize) -> Option<LaneMarcher> {
        let fused = self.solver.fused.as_ref()?;
        let machine = fused.lane_program()?.lane_machine(lanes)?;
        Some(LaneMarcher {
            machine,
            entered: vec![None; lanes],
            layout: fused.lane_layout(),
            state: self.state_names.len(),
            watch: LaneWatch::of(&self.solver.observation.kernel, lanes),
            changed: true,
        })
    }
}

impl LaneMarcher {
    /// How many motions can be marched at once.
    pub fn lanes(&self) -> usize {
        self.entered.len()
    }

    /// Can it show motions in their lanes to observers that see every step?
    pub fn shows_lanes(&self) -> bool {
        self.watch.is_some()
    }

    /// Takes `steps` steps with each of `motions`, of the scheme that this was made of: the same as [`March::advance_many`] with one
    /// after the other. There may be more of them than lanes: when one has arrived, the next takes its place.
    pub fn advance(
        &mut self,
        motions: &mut [&mut Marcher],
        steps: u64,
        observer: &mut impl LaneObserver,
    ) -> Vec<Result<(), StepFailure>> {
        let mut outcomes: Vec<Result<(), StepFailure>> = motions.iter().map(|_| Ok(())).collect();
        let mut waiting = 0..motions.len();
        self.entered.fill(None);
        let mut first = true;
        loop {
            let mut began = false;
            for at in 0..self.lanes() {
                while self.entered[at].is_none()
                    && let Some(next) = waiting.next()
                {
                    outcomes[next] = self.begin(motions[next], next, at, steps, observer);
                    began = true;
                }
            }
            if self.entered.iter().all(Option::is_none) {
                return outcomes;
            }
            if std::mem::take(&mut first) {
                self.fill_empty_lanes();
            }
            if began {
                self.machine.commit(PARAMETERS_TIER);
                self.watch.iter_mut().for_each(LaneWatch::commit);
            }
            if std::mem::take(&mut self.changed) {
                self.machine.commit(TIMES_TIER);
            }
            match &mut self.watch {
                Some(_) if observer.sees_all() => self.go_round_seen(observer),
                _ => self.go_round(),
            }
            let seen = self.see_those_due();
            for at in 0..self.lanes() {
                let [tries, left] = self.counters(at);
                if let Some(Entered { motion, then, .. }) = self.entered[at]
                    && (left == 0 || tries == u64::from(TRIES))
                {
                    outcomes[motion] = match left == 0 && then > 0 {
                        true => self.pass(motions[motion], at, seen, observer),
                        false => self.leave(motions[motion], at, left, observer),
                    };
                }
            }
        }
    }

    /// Goes on until a motion has arrived, and some others that are near, or until one needs to take its step alone.
    fn go_round(&mut self) {
        while let Some((least @ 1.., _)) = self.steps_left() {
            if self.machine.repeat(least) < least {
                return;
            }
        }
        if let Some((_, most @ 1..)) = self.steps_left() {
            self.machine.repeat(most.min(PATIENCE));
        }
    }

    /// The same, step by step, each of which is seen.
    fn go_round_seen(&mut self, observer: &mut impl LaneObserver) {
        let (lanes, mut patience) = (self.lanes(), PATIENCE);
        while let Some((least, 1..)) = self.steps_left() {
            if least == 0 && patience == 0 || self.machine.repeat(1) == 0 {
                return;
            }
            patience -= u64::from(least == 0);
            let Some(watch) = &mut self.watch else { return };
            let inputs = self.machine.inputs(LOOP_TIER);
            let left = &inputs[self.layout.left * lanes..][..lanes];
            match watch.see(&inputs[..self.state * lanes], left) {
                Some(seen) => observer.see_lanes(seen),
                None => watch.motions().for_each(|number| observer.miss(number)),
            }
        }
    }

    /// The fewest steps that are left to a motion in its lane, and the most.
    pub(super) fn steps_left(&self) -> Option<(u64, u64)> {
        let left = &self.machine.inputs(LOOP_TIER)[self.layout.left * self.lanes()..];
        let occupied = self.entered.iter().zip(left).filter(|(lane, _)| lane.is_some()).map(|(_, left)| *left as u64);
        occupied.fold(None, |range, left| {
            Some(range.map_or((left, left), |(least, most): (u64, u64)| (least.min(left), most.max(left))))
        })
    }

    /// Brings a motion into a lane, after the steps that it has to take alone.
    fn begin(
        &mut self,
        motion: &mut Marcher,
        number: usize,
        at: usize,
        mut steps: u64,
        observer: &mut impl LaneObserver,
    ) -> Result<(), StepFailure> {
        while steps > 0 && !motion.scheme.solver.history.is_enough() {
            let fused = motion.fused_steps();
            motion.advance_alone(1)?;
            steps -= 1;
            // A fused step leads to a state that can be observed; of another this is not known.
            if steps > 0 && observer.sees_all() {
                observer.see(number, motion)?;
            } else if steps > 0 && motion.fused_steps() == fused {
                motion.observe()?;
            }
        }
        let unfit = steps < WORTHWHILE || !motion.scheme.solver.can_fuse();
        if unfit || !motion.scheme.solver.fused_at(&motion.motion).is_some_and(|fused| fused.fits_lanes()) {
            return alone(motion, number, steps, observer);
        }
        self.load(motion, at, PARAMETERS_TIER);
        self.watch.iter_mut().for_each(|watch| watch.load(motion, at));
        self.enter(motion, number, at, steps - 1, observer.every());
        Ok(())
    }

    /// Brings a motion, whose parameters are there already, into a lane for so many steps, which is looked at after every so many.
    pub(super) fn enter(&mut self, motion: &mut Marcher, number: usize, at: usize, steps: u64, every: u64) {
        let solver = &mut motion.scheme.solver;
        let following = solver.history.known_after_a_step();
        solver.fused_at(&motion.motion).into_iter().for_each(|fused| fused.predict_from(following));
        [TIMES_TIER, LOOP_TIER].into_iter().for_each(|tier| self.load(motion, at, tier));
        self.changed = true;
        let first = part(motion, steps, every);
        let entered = Entered { motion: number, steps: first, then: steps - first };
        let lanes = self.lanes();
        let unit = self.unit(motion);
        let LaneLayout { ways, own_ways, strongest, rough, longest, tries, left, .. } = &self.layout;
        let inputs = self.machine.inputs_mut(LOOP_TIER);
        if *own_ways {
            ways.iter().zip(&motion.smoothness.ways).for_each(|(place, way)| inputs[place * lanes + at] = *way);
        }
        let seen = motion.smoothness.strongest / unit.abs();
        let set = [(strongest, seen), (rough, 0.0), (tries, 0.0), (left, entered.steps as f64)];
        set.into_iter().for_each(|(place, value)| inputs[place * lanes + at] = value);
        longest.iter().for_each(|place| inputs[place * lanes + at] = motion.smoothness.longest_row);
        // The last of these.
        let times = self.machine.inputs_mut(TIMES_TIER);
        let quiet = times.len() - lanes;
        times[quiet + at] = motion.smoothness.floor() / unit.abs();
        self.entered[at] = Some(entered);
        let clock = motion.motion.clock;
        self.watch.iter_mut().for_each(|watch| watch.enter(number, clock, first, at));
    }

    /// Gives a lane the inputs of a motion.
    fn load(&mut self, motion: &mut Marcher, at: usize, tier: usize) {
        let lanes = self.lanes();
        let Some(fused) = motion.scheme.solver.fused_at(&motion.motion) else { return };
        let places = self.machine.inputs_mut(tier).chunks_exact_mut(lanes);
        places.zip(fused.inputs(tier)).for_each(|(place, value)| place[at] = *value);
    }

    /// What the ways in lanes are multiplied by to be those of a motion.
    fn unit(&self, motion: &Marcher) -> f64 {
        if self.layout.own_ways { 1.0 } else { motion.motion.clock.h }
    }

    /// The tries of the present step of a lane, and the steps that are left.
    pub(super) fn counters(&self, at: usize) -> [u64; 2] {
        [self.layout.tries, self.layout.left].map(|place| self.value(place, at) as u64)
    }

    /// A number that the loop changes, in a lane.
    pub(super) fn value(&self, place: usize, at: usize) -> f64 {
        self.machine.inputs(LOOP_TIER)[place * self.lanes() + at]
    }

    /// Lets empty lanes wait, with numbers of an occupied one: what is none takes longer.
    fn fill_empty_lanes(&mut self) {
        let Some(model) = self.entered.iter().position(Option::is_some) else { return };
        let lanes = self.lanes();
        for tier in PARAMETERS_TIER..=LOOP_TIER {
            for place in self.machine.inputs_mut(tier).chunks_exact_mut(lanes) {
                let value = place[model];
                place.iter_mut().zip(&self.entered).filter(|(_, lane)| lane.is_none()).for_each(|(x, _)| *x = value);
            }
        }
        if let Some(watch) = &mut self.watch {
            watch.fill_empty(model, |at| self.entered[at].is_none());
        }
        for at in 0..lanes {
            if self.entered[at].is_none() {
                self.let_wait(at);
            }
        }
    }

    /// Lets a lane wait.
    fn let_wait(&mut self, at: usize) {
        let lanes = self.lanes();
        let inputs = self.machine.inputs_mut(LOOP_TIER);
        [self.layout.tries, self.layout.left].into_iter().for_each(|place| inputs[place * lanes + at] = 0.0);
    }

    /// Observes all lanes at once where that pays: where more than one motion is looked at now.
    fn see_those_due(&mut self) -> bool {
        let lanes = self.lanes();
        let inputs = self.machine.inputs(LOOP_TIER);
        let left = &inputs[self.layout.left * lanes..][..lanes];
        // Parts of one step are those while the history grows.
        let due = |(entered, left): &(&Option<Entered>, &f64)| {
            entered.is_some_and(|entered| entered.steps > 1 && entered.then > 0) && **left == 0.0
        };
        let several = self.entered.iter().zip(left).filter(due).nth(1).is_some();
        let Some(watch) = self.watch.as_mut().filter(|_| several) else { return false };
        watch.see(&inputs[..self.state * lanes], left).is_some()
    }

    /// Looks at a motion in its lane where that is due, and lets it go on. Was everything in lanes `seen` already?
    fn pass(
        &mut self,
        motion: &mut Marcher,
        at: usize,
        seen: bool,
        observer: &mut impl LaneObserver,
    ) -> Result<(), StepFailure> {
        let lanes = self.lanes();
        let Some(entered) = self.entered[at].take() else { return Ok(()) };
        let grown = !motion.scheme.solver.history.is_full();
        // The state comes first.
        let places = self.machine.inputs(LOOP_TIER).chunks_exact(lanes);
        motion.motion.state.iter_mut().zip(places).for_each(|(own, place)| *own = place[at]);
        motion.scheme.solver.count_fused(&mut motion.motion, entered.steps);
        if motion.steps().is_multiple_of(observer.every()) {
            if let Some(watch) = self.watch.as_ref().filter(|_| seen) {
                motion.show(watch.observed(at));
            }
            observer.observe(entered.motion, motion)?;
        }
        if grown {
            self.predict_from(motion.scheme.solver.history.known_after_a_step(), at);
        }
        let steps = part(motion, entered.then, observer.every());
        self.machine.inputs_mut(LOOP_TIER)[self.layout.left * lanes + at] = steps as f64;
        let clock = motion.motion.clock;
        self.watch.iter_mut().for_each(|watch| watch.enter(entered.motion, clock, steps, at));
        self.entered[at] = Some(Entered { steps, then: entered.then - steps, ..entered });
        Ok(())
    }

    /// Lets a lane extrapolate from so many steps.
    fn predict_from(&mut self, known: usize, at: usize) {
        let lanes = self.lanes();
        let weights = self.machine.inputs_mut(TIMES_TIER).chunks_exact_mut(lanes).skip(FIRST_WEIGHT);
        weights.zip(WEIGHTS[known]).for_each(|(place, weight)| place[at] = weight);
        self.changed = true;
    }

    /// Takes a motion out of its lane to take a step alone: its last one, for then the state before it is known, or one that does
    /// not work out fused, after which it may come back.
    fn leave(
        &mut self,
        motion: &mut Marcher,
        at: usize,
        left: u64,
        observer: &mut impl LaneObserver,
    ) -> Result<(), StepFailure> {
        let Some(entered) = self.take_out(motion, at, left) else { return Ok(()) };
        if left == 0 {
            return motion.advance_alone(1);
        }
        motion.take_followed()?;
        if observer.sees_all() {
            observer.see(entered.motion, motion)?;
        }
        if motion.steps().is_multiple_of(observer.every()) {
            observer.observe(entered.motion, motion)?;
        }
        match left - 1 + entered.then {
            steps @ 1.. if motion.scheme.solver.can_fuse() => {
                self.enter(motion, entered.motion, at, steps, observer.every())
            }
            left => return alone(motion, entered.motion, left + 1, observer),
        }
        Ok(())
    }

    /// Takes a motion out of its lane to where it stands there, with so many steps left.
    pub(super) fn take_out(&mut self, motion: &mut Marcher, at: usize, left: u64) -> Option<Entered> {
        let lanes = self.lanes();
        let entered = self.entered[at].take()?;
        if let Some(fused) = motion.scheme.solver.fused_at(&motion.motion) {
            let places = self.machine.inputs(LOOP_TIER).chunks_exact(lanes);
            fused.loop_inputs_mut().iter_mut().zip(places).for_each(|(value, place)| *value = place[at]);
            fused.count_failure(left > 0);
        }
        let LaneLayout { ways, strongest, rough, longest, .. } = &self.layout;
        let unit = self.unit(motion);
        motion.smoothness.ways.iter_mut().zip(ways).for_each(|(way, place)| *way = unit * self.value(*place, at));
        motion.smoothness.resume(unit.abs() * self.value(*strongest, at), self.value(*rough, at) != 0.0);
        longest.iter().for_each(|place| motion.smoothness.longest_row = self.value(*place, at));
        self.let_wait(at);
        self.watch.iter_mut().for_each(|watch| watch.leave(at));
        motion.scheme.solver.follow_fused(&mut motion.motion, entered.steps - left);
        Some(entered)
    }

    /// Looks at all lanes where they are; `None` where one of them has to be looked at alone.
    pub(super) fn see(&mut self) -> Option<SeenLanes<'_>> {
        let lanes = self.lanes();
        let inputs = self.machine.inputs(LOOP_TIER);
        let left = &inputs[self.layout.left * lanes..][..lanes];
        self.watch.as_mut()?.see(&inputs[..self.state * lanes], left)
    }

    /// Lets all lanes extrapolate from so many steps.
    pub(super) fn predict_all_from(&mut self, known: usize) {
        let lanes = self.lanes();
        let places = self.layout.places;
        let weights = self.machine.inputs_mut(TIMES_TIER).chunks_exact_mut(lanes).skip(FIRST_WEIGHT);
        let weights = weights.take(places.weights()).zip(WEIGHTS[known]);
        weights.for_each(|(place, weight)| place.fill(weight));
        self.changed = true;
    }
}

/// How many of `steps` steps a motion takes in a lane before something changes: it is looked at, or the next guess is made of more steps.
fn part(motion: &Marcher, steps: u64, every: u64) -> u64 {
    let most = if motion.scheme.solver.history.is_full() { u64::MAX } else { 1 };
    steps.min(every - motion.steps() % every).min(most)
}

/// Takes steps alone, looked at as in a lane; not after the last.
fn alone(
    motion: &mut Marcher,
    number: usize,
    mut steps: u64,
    observer: &mut impl LaneObserver,
) -> Result<(), StepFailure> {
    loop {
        let before_look = observer.every() - motion.steps() % observer.every();
        let part = steps.min(before_look).min(if observer.sees_all() { 1 } else { u64::MAX });
        motion.advance_alone(part)?;
        steps -= part;
        if steps == 0 {
            return Ok(());
        }
        motion.observe()?;
        if observer.sees_all() {
            observer.see(number, motion)?;
        }
        if part == before_look {
            observer.observe(number, motion)?;
        }
    }
}

impl Marcher {
    /// Takes `steps` steps as [`March::advance_many`] does, and sees whether they are smooth, as a [`LaneMarcher`] does.
    ///
    /// # Errors
    /// A step that cannot be taken.
    pub fn advance_alone(&mut self, steps: u64) -> Result<(), StepFailure> {
        for left in (0..steps).rev() {
            self.advance()?;
            self.follow_step();
            if left > 0 {
                self.observe()?;
            }
        }
        Ok(())
    }

    /// Takes a step that did not work out fused, and observes where it leads.
    pub(super) fn take_followed(&mut self) -> Result<(), StepFailure> {
        self.previous.copy_from_slice(&self.motion.state);
        self.whole_step()?;
        self.follow_step();
        self.observe()?;
        Ok(())
    }

    /// How many steps were fused.
    fn fused_steps(&self) -> u64 {
        self.scheme.solver.fused.as_ref().map_or(0, FusedStep::taken)
    }

    /// Did all steps that a [`LaneMarcher`] or [`Marcher::advance_alone`] took change positions and momenta little beside the steps
    /// before them? Where they did, no step of a method of second order or more is far from the motion.
    pub fn was_smooth(&self) -> bool {
        self.smoothness.holds()
    }
}

//! One step of a scheme, solved. The strategies, in the order in which they are tried:
//!
//! 1. *fused*: prediction, update and check of whole steps in one program, which takes many of them ([`FusedStep`]);
//! 2. *fixed point*: the stages of a collocation method side by side, which take many steps too ([`FixedPoint`]);
//! 3. *simplified Newton*: the Jacobian of an earlier step serves again;
//! 4. *Newton*, from unknowns that were extrapolated from the last steps;
//! 5. *Newton* from the velocities of the present state, by whole updates and then by shortened ones;
//! 6. *shorter steps*: the solution is followed from a shorter step to the one that is asked for.
//!
//! A scheme from which everything was eliminated is explicit: its unknowns are none, and all that is left of 2 to 5 is to evaluate
//! formulas. What fails backs off ([`BackOff`]): it is not tried for a while.

mod back_off;
mod fixed_point;
mod fused;
mod history;
mod shorter;

use extremal_mechanics::discrete::Scheme;

use crate::failure::{Guards, Reason, SolveFailure};
use crate::kernel::{GuessSource, Kernel, SolveStructure, Work};
use crate::march::{Clock, TotalWork};
use crate::newton::LaneNewton;
use history::History;
use shorter::ShorterSteps;

pub(crate) use back_off::BackOff;
pub(crate) use fixed_point::{FixedPoint, StagesTogether};
pub use fused::WatchedRows;
pub(crate) use fused::{
    Elimination, FIRST_DIFFERENCES, FIRST_WEIGHT, FusedLimits, FusedMark, FusedStep, FusedWriter, LARGEST_SOLVE,
    LIMIT_VALUES, LOOP_TIER, LaneLayout, PARAMETERS_TIER, RowFormulas, RowLook, TIMES_TIER, WELL_KNOWN, WideLayout,
};
pub(crate) use history::{DEPTH, WEIGHTS};

/// Where a motion stands.
#[derive(Clone)]
pub(crate) struct MotionState {
    pub state: Vec<f64>,
    pub clock: Clock,
    pub work: TotalWork,
}

/// Observes states: velocities, momenta and further outputs.
#[derive(Clone)]
pub(crate) struct Observation {
    pub kernel: Kernel,
    /// State, time, and velocities to begin the search for them with.
    inputs: Vec<f64>,
    pub outputs: Vec<f64>,
}

impl Observation {
    pub fn new(kernel: Kernel, inputs: usize, outputs: usize) -> Self {
        Observation { kernel, inputs: vec![0.0; inputs], outputs: vec![0.0; outputs] }
    }

    /// Observes a state; `velocity` is where the search for the velocities begins, and what it finds.
    pub fn of(&mut self, state: &[f64], time: f64, velocity: &mut [f64]) -> Result<(), SolveFailure> {
        let (own, rest) = self.inputs.split_at_mut(state.len());
        own.copy_from_slice(state);
        rest[0] = time;
        rest[1..].copy_from_slice(velocity);
        self.kernel.run(&self.inputs, GuessSource::Formula, &mut self.outputs)?;
        velocity.copy_from_slice(&self.outputs[..velocity.len()]);
        Ok(())
    }
}

/// The inputs of a step: state, time, step size, and velocities for a first guess.
#[derive(Clone)]
pub(crate) struct StepInputs {
    values: Vec<f64>,
    state: usize,
}

impl StepInputs {
    fn new(state: usize, velocities: usize) -> Self {
        StepInputs { values: vec![0.0; state + 2 + velocities], state }
    }

    fn set(&mut self, state: &[f64], time: f64, h: f64) {
        self.values[..self.state].copy_from_slice(state);
        self.values[self.state] = time;
        self.values[self.state + 1] = h;
    }

    fn state(&self) -> &[f64] {
        &self.values[..self.state]
    }

    fn state_and_time(&self) -> &[f64] {
        &self.values[..=self.state]
    }

    fn step(&self) -> f64 {
        self.values[self.state + 1]
    }

    fn velocities(&self) -> &[f64] {
        &self.values[self.state + 2..]
    }

    fn set_step(&mut self, h: f64) {
        self.values[self.state + 1] = h;
    }

    fn set_velocities(&mut self, velocities: &[f64]) {
        self.values[self.state + 2..].copy_from_slice(velocities);
    }
}

/// Solves the steps of one motion.
#[derive(Clone)]
pub(crate) struct StepSolver {
    pub fused: Option<FusedStep>,
    fixed_point: Option<FixedPoint>,
    newton: Kernel,
    /// For the velocities of a state, which the first guess of the unknowns is made of.
    pub observation: Observation,
    shorter: ShorterSteps,
    pub history: History,
    /// The unknowns of Newton's method, where those of the history are those of fused stages.
    newton_history: History,
    /// Fractions of the step, taken one after the other.
    substeps: Vec<f64>,
    guards: Guards,
    inputs: StepInputs,
    /// The next state, then whether the guards hold.
    next: Vec<f64>,
    /// Velocities found last for a first guess: apart from those observed, so that looking at a motion cannot change it.
    velocity: Vec<f64>,
}

impl StepSolver {
    /// For the steps of `scheme`, by the strategies that it has.
    pub fn new(
        scheme: &Scheme,
        fused: Option<FusedStep>,
        fixed_point: Option<FixedPoint>,
        newton: Kernel,
        observation: Observation,
        guards: Guards,
    ) -> StepSolver {
        let (state, unknowns, velocities) = (scheme.state.len(), newton.unknowns().len(), scheme.dimension());
        let by_newton = History::new(scheme.substeps.len(), unknowns);
        let history = fused.as_ref().and_then(FusedStep::stage_unknowns).map(History::of_stages);
        StepSolver {
            fused,
            fixed_point,
            shorter: ShorterSteps::new(unknowns),
            newton_history: by_newton.clone(),
            history: history.unwrap_or(by_newton),
            newton,
            observation,
            substeps: scheme.substeps.clone(),
            inputs: StepInputs::new(state, velocities),
            next: vec![0.0; state + guards.names.len()],
            velocity: vec![0.0; velocities],
            guards,
        }
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        if self.newton.change_parameters(values) {
            self.fixed_point.iter_mut().for_each(|fixed_point| fixed_point.set_parameters(values));
        }
        self.fused.iter_mut().for_each(|fused| fused.set_parameters(values));
        self.observation.kernel.set_parameters(values);
    }

    /// Begins a motion with steps of size `h`: nothing is remembered of the one before.
    pub fn begin(&mut self, h: f64, time: f64, velocity: &[f64]) {
        self.velocity.copy_from_slice(velocity);
        self.history.forget();
        self.newton_history.forget();
        self.shorter.forget();
        self.newton.forget();
        self.fixed_point.iter_mut().for_each(FixedPoint::forget);
        self.fused.iter_mut().for_each(|fused| fused.begin(h, time));
    }

    /// Gets ready to go on in the place of a motion of which so many steps are known, and so many were fused and not.
    pub fn stand_in(&mut self, clock: Clock, known: usize, [taken, failed]: [u64; 2]) {
        self.history.forget();
        self.history.grow(known as u64);
        self.newton_history.forget();
        self.shorter.forget();
        self.newton.forget();
        self.fixed_point.iter_mut().for_each(FixedPoint::forget);
        if let Some(fused) = &mut self.fused {
            fused.begin(clock.h, clock.start());
            fused.count_from(taken, failed);
        }
    }

    /// What elimination left of the step's equations, and how they are solved.
    pub fn structure(&self) -> SolveStructure {
        SolveStructure { fixed_point: self.fixed_point.is_some(), ..self.newton.structure() }
    }

    pub fn substeps(&self) -> &[f64] {
        &self.substeps
    }

    pub fn guards(&self) -> &[String] {
        &self.guards.names
    }

    pub fn newton(&self) -> &Kernel {
        &self.newton
    }

    /// Do first steps begin with the velocities of the state, and are they solved as a whole, with nothing kept of before?
    pub fn begins_alike(&self) -> bool {
        self.substeps.len() == 1 && self.fixed_point.is_none() && !self.is_explicit()
    }

    /// What it takes to find the stages of so many motions, before they are fused.
    pub fn stages_together(&self, lanes: usize) -> Option<StagesTogether> {
        self.fixed_point.as_ref()?.together(lanes)
    }

    /// Takes a first step that was solved elsewhere, from these velocities, unless a guard does not hold after it.
    pub fn follow_first(
        &mut self,
        motion: &mut MotionState,
        velocities: impl Iterator<Item = f64>,
        solved: &LaneNewton,
        at: usize,
        work: Work,
    ) -> bool {
        self.next.iter_mut().zip(solved.outputs(at)).for_each(|(next, value)| *next = value);
        let n = motion.state.len();
        if self.history.known() > 0 || self.next[n..].contains(&0.0) {
            return false;
        }
        self.leave_fused();
        self.velocity.iter_mut().zip(velocities).for_each(|(own, velocity)| *own = velocity);
        self.newton.unknowns_mut().iter_mut().zip(solved.unknowns(at)).for_each(|(own, unknown)| *own = unknown);
        self.history.push(0, self.newton.unknowns());
        motion.work.add(work);
        motion.state.copy_from_slice(&self.next[..n]);
        true
    }

    /// The longest step that had a solution where the one that was asked for last has none.
    pub fn longest(&self) -> Option<f64> {
        self.shorter.longest()
    }

    /// Are states that nobody looks at known to be such that can be observed?
    pub fn knows_what_is_observable(&self) -> bool {
        (self.fixed_point.is_none() || self.fuses_stages())
            && self.fused.as_ref().is_none_or(FusedStep::knows_what_is_observable)
    }

    /// Takes up to so many whole steps by the strategies that take many; returns how many they did.
    pub fn take_many(&mut self, motion: &mut MotionState, steps: u64) -> u64 {
        if steps == 0 {
            return 0;
        }
        // What fused stages lead to is known to be such that can be observed.
        if !self.fuses_stages()
            && let Some(fixed_point) = &mut self.fixed_point
            && fixed_point.marches()
            && fixed_point.predicts(&motion.state, motion.clock.h)
        {
            let clock = motion.clock;
            let taken = fixed_point.march(steps, |step| clock.time_after(clock.steps + step), &mut motion.work);
            motion.state.copy_from_slice(fixed_point.state());
            motion.clock.advance(taken);
            return taken;
        }
        let mut all = 0;
        while all < steps && self.can_fuse() {
            // While the history grows, so does what the next guess is made of.
            let most = if self.history.is_full() { steps - all } else { 1 };
            let following = self.history.known_after_a_step();
            let Some(fused) = self.fused_at(motion) else { return all };
            fused.predict_from(following);
            let taken = fused.take(most);
            self.follow_fused(motion, taken);
            all += taken;
            if taken < most {
                break;
            }
        }
        all
    }

    /// Are whole steps fused now, one like the other?
    pub fn fuses_all(&self) -> bool {
        (self.fixed_point.is_none() || self.fuses_stages()) && self.history.is_full() && self.can_fuse()
    }

    /// Are the stages that are found by fixed-point iteration fused where all goes well?
    fn fuses_stages(&self) -> bool {
        self.fused.as_ref().is_some_and(|fused| fused.stage_unknowns().is_some())
    }

    /// Takes up to so many fused steps and writes the state after each to the columns of a trace; returns how many. What they change
    /// is put down before.
    pub fn take_traced(
        &mut self,
        motion: &mut MotionState,
        steps: u64,
        mark: &mut FusedMark,
        trace: &mut [f64],
    ) -> u64 {
        let following = self.history.known_after_a_step();
        let Some(fused) = self.fused_at(motion) else { return 0 };
        fused.predict_from(following);
        fused.put_down(mark);
        let taken = fused.take_traced(steps, trace);
        self.follow_fused(motion, taken);
        taken
    }

    /// Goes back to where fused steps began.
    pub fn go_back(&mut self, mark: &FusedMark) {
        self.fused.iter_mut().for_each(|fused| fused.go_back(mark));
    }

    /// Not while too little is known for a prediction, nor where it failed too often.
    pub fn can_fuse(&self) -> bool {
        self.history.is_enough() && self.fused.as_ref().is_some_and(FusedStep::is_usable)
    }

    /// The fused step, brought to where the motion stands.
    pub fn fused_at(&mut self, motion: &MotionState) -> Option<&mut FusedStep> {
        let fused = self.fused.as_mut()?;
        fused.load(motion, &self.history);
        Some(fused)
    }

    /// Brings the motion to where the fused step stands, so many steps later.
    pub fn follow_fused(&mut self, motion: &mut MotionState, taken: u64) {
        let Some(fused) = &mut self.fused else { return };
        fused.read(motion);
        self.count_fused(motion, taken);
    }

    /// Counts steps that were fused.
    pub fn count_fused(&mut self, motion: &mut MotionState, taken: u64) {
        self.fused.iter_mut().for_each(|fused| fused.count(taken));
        self.history.grow(taken);
        motion.clock.advance(taken);
    }

    /// The next step is taken, or the state was changed, by something else than the fused step.
    pub fn leave_fused(&mut self) {
        self.fused.iter_mut().for_each(|fused| fused.leave(&mut self.history));
    }

    /// Takes a step of size `h` from a time. A `usual` one is predicted from those before it, and remembered. After a failure the
    /// state may be that of a substep.
    pub fn take(&mut self, motion: &mut MotionState, begin: f64, h: f64, usual: bool) -> Result<(), Reason> {
        self.leave_fused();
        let n = motion.state.len();
        let mut elapsed = 0.0;
        for at in 0..self.substeps.len() {
            let fraction = self.substeps[at];
            let (time, length) = (begin + elapsed * h, fraction * h);
            self.inputs.set(&motion.state, time, length);
            let predicted = self.predict(at, &motion.state, length, usual);
            let work = self.substep(&motion.state, time, length, predicted)?;
            if usual {
                self.remember(at, work);
                motion.work.add(work);
                motion.work.newton_steps += u64::from(self.fixed_point.is_some() && !work.fixed_point);
            }
            motion.state.copy_from_slice(&self.next[..n]);
            elapsed += fraction;
        }
        // Inner substeps may leave a domain and come back: only whole steps are states of the motion.
        self.guards.broken(&self.next[n..]).map_or(Ok(()), Err)
    }

    /// Remembers the unknowns of a substep, to predict those of the next one.
    fn remember(&mut self, substep: usize, work: Work) {
        match (&self.fixed_point, self.fuses_stages()) {
            (Some(stages), true) if work.fixed_point => {
                self.history.push(substep, stages.found());
                self.newton_history.forget_substep(substep);
            }
            (_, true) => {
                self.history.forget_substep(substep);
                self.newton_history.push(substep, self.newton.unknowns());
            }
            // These stages predict themselves.
            _ if work.fixed_point => self.history.forget_substep(substep),
            _ if self.is_explicit() => {}
            _ => self.history.push(substep, self.newton.unknowns()),
        }
    }

    fn is_explicit(&self) -> bool {
        self.newton.unknowns().is_empty()
    }

    /// Is there a guess, or no need for one? If so, it is where the unknowns are, of Newton's method or of stages that have others.
    fn predict(&mut self, substep: usize, state: &[f64], h: f64, usual: bool) -> bool {
        if self.is_explicit() || self.fixed_point.as_ref().is_some_and(|fixed_point| fixed_point.predicts(state, h)) {
            return true;
        }
        let own = match self.fuses_stages() {
            true => self.fixed_point.as_mut().and_then(FixedPoint::own_guess_mut),
            false => None,
        };
        let guess = own.unwrap_or_else(|| self.newton.unknowns_mut());
        usual
            && (self.history.predict(substep, guess)
                || self.newton_history.predict(substep, self.newton.unknowns_mut()))
    }

    /// Solves a substep, whose inputs are set, by one strategy after the other.
    fn substep(&mut self, state: &[f64], time: f64, h: f64, predicted: bool) -> Result<Work, Reason> {
        let mut outcome = match predicted {
            true => self.solve(GuessSource::Given),
            false => {
                self.first_guess(state, time)?;
                self.solve(GuessSource::Formula)
            }
        };
        // What was extrapolated leads nowhere: begin with the velocities of the present state.
        let again = outcome.is_err() && predicted && !self.is_explicit();
        if again && self.first_guess(state, time).is_ok() {
            outcome = self.solve(GuessSource::Formula);
        }
        match outcome {
            Ok(work) if self.substeps.len() > 1 || self.holds() => Ok(work),
            outcome => self.follow(state, time, h, outcome),
        }
    }

    /// Do the guards hold at the next state?
    fn holds(&self) -> bool {
        !self.next[self.inputs.state..].contains(&0.0)
    }

    /// Puts the velocities of the present state where the guess formula of the step finds them.
    fn first_guess(&mut self, state: &[f64], time: f64) -> Result<(), SolveFailure> {
        let outcome = self.observation.of(state, time, &mut self.velocity);
        self.inputs.set_velocities(&self.velocity);
        outcome
    }

    /// Fixed-point iteration, or else Newton's method, from a guess.
    fn solve(&mut self, guess: GuessSource) -> Result<Work, SolveFailure> {
        let fused = self.fuses_stages() && self.history.known() > 0;
        if let Some(fixed_point) = &mut self.fixed_point {
            let predicted = fused || fixed_point.predicts(self.inputs.state(), self.inputs.step());
            let alone = !fixed_point.shares_unknowns() && predicted;
            let unknowns = self.newton.unknowns_mut();
            if guess == GuessSource::Formula {
                unknowns.fill(0.0);
                fixed_point.forget_guess();
            }
            if let Some(work) = fixed_point.run(&self.inputs, unknowns, &mut self.next) {
                return self.newton.finite(&self.next).map(|()| work);
            }
            if alone && guess == GuessSource::Given {
                // What was predicted says nothing of Newton's unknowns: these begin with the velocities.
                return Err(fixed_point.failure());
            }
        }
        self.newton.run(&self.inputs.values, guess, &mut self.next)
    }
}

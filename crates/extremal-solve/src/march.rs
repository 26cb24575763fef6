//! Marching a scheme: one step after the other from a start, with prediction, guards and observation.

mod followed;
mod history;
mod lanes;
mod smoothness;

use extremal_eval::{CompileError, Program};
use extremal_expr::{Graph, Id};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use crate::configuration::PassedConfiguration;
use crate::failure::{Reason, SolveFailure, StepFailure};
use crate::kernel::{Guess, Kernel, Structure, Work};
use crate::newton::NewtonOptions;
use crate::observable::Observable;
use crate::stages::StageIteration;
use crate::stride::{Standing, Stride};
use followed::Followed;
use history::History;
use smoothness::Smoothness;

pub(crate) use history::{DEPTH, WEIGHTS};
pub use lanes::{Glimpse, LaneMarcher};
pub(crate) use smoothness::{FADING, SMOOTH};

/// A condition that must hold after every step, in the symbols of the state.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The condition as the user wrote it.
    pub text: String,
    /// Its expression.
    pub condition: Id,
}

/// What a run starts from.
#[derive(Clone, Debug, Default)]
pub struct StartValues {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Second positions, for a `two-points` start; empty otherwise.
    pub second: Vec<f64>,
    /// Entropies.
    pub s: Vec<f64>,
    /// Multipliers of the vakonomic constraints.
    pub multipliers: Vec<f64>,
    /// The first time.
    pub time: f64,
}

/// A scheme compiled for marching: reusable for any parameters, steps and starts.
#[derive(Clone)]
pub struct CompiledScheme {
    start: Kernel,
    step: Kernel,
    /// The same step in one program, where that pays.
    stride: Option<Stride>,
    observe: Kernel,
    substeps: Vec<f64>,
    constants: Vec<f64>,
    /// Conditions on every step: the laws of the method first, then the domains of the model.
    guards: Vec<String>,
    laws: usize,
    state_names: Vec<String>,
    dimension: usize,
    observed: usize,
}

impl CompiledScheme {
    /// Compiles `scheme`. `parameters` are the symbols of the model's parameters; `outputs` are further expressions to observe,
    /// in coordinates, velocities, momenta and time.
    pub fn new(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        outputs: &[Id],
        guards: &[Guard],
        options: NewtonOptions,
    ) -> Result<CompiledScheme, CompileError> {
        let symbols: Vec<Id> = parameters.iter().copied().chain(scheme.constants.iter().map(|(id, _)| *id)).collect();
        let state_names: Vec<String> =
            scheme.state.iter().map(|id| g.expr(*id).as_symbol().map_or_else(String::new, |n| n.to_string())).collect();
        let guard_names: Vec<String> =
            scheme.guards.iter().map(|g| g.label.clone()).chain(guards.iter().map(|g| g.text.clone())).collect();
        let names = [&state_names[..], &guard_names].concat();
        let step = guarded(g, scheme, guards).reduced(g);
        let observe = Block {
            outputs: scheme.observe.outputs.iter().chain(outputs).copied().collect(),
            ..scheme.observe.clone()
        };
        let observed = observe.outputs.len();
        // Numbers of no special kind: what is asked of a step may depend on the model, but not on its parameters, or a member of an
        // ensemble would not be the run of its own.
        let usual = (0..parameters.len()).map(|k| 1.0 + (0.618_034 * k as f64).fract() / 8.0);
        let given: Vec<f64> = usual.chain(scheme.constants.iter().map(|(_, value)| *value)).collect();
        let observable = || Observable::of(g, &observe, &scheme.state, scheme.time, &symbols, &given);
        let mut kernel = Kernel::compile_reduced(g, &symbols, &step, names, options)?;
        kernel.keep_inside(guard_names.len());
        // The substeps of a composition have different Jacobians.
        if scheme.substeps.len() == 1 {
            kernel.reuse_jacobians();
            kernel.iterate_stages(StageIteration::compile(g, scheme, &symbols, &step.block, options)?);
        }
        Ok(CompiledScheme {
            start: Kernel::compile_named(g, &symbols, &scheme.start, state_names.clone(), options)?,
            stride: Stride::compile(g, scheme, &symbols, &step, observable, options),
            step: kernel,
            observe: Kernel::compile(g, &symbols, &observe, options)?,
            substeps: scheme.substeps.clone(),
            constants: scheme.constants.iter().map(|(_, value)| *value).collect(),
            guards: guard_names,
            laws: scheme.guards.len(),
            dimension: scheme.observe.outputs.len() / 2,
            observed,
            state_names,
        })
    }

    /// Sets the parameters, in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        let values: Vec<f64> = parameters.iter().chain(&self.constants).copied().collect();
        for kernel in [&mut self.start, &mut self.step, &mut self.observe] {
            kernel.set_parameters(&values);
        }
        self.stride.iter_mut().for_each(|stride| stride.set_parameters(&values));
    }

    /// What elimination left of the step's equations.
    pub fn structure(&self) -> Structure {
        self.step.structure()
    }

    /// The structure of what is solved to look at a state. Where it is linear, what is seen does not depend on when the motion was
    /// looked at before.
    pub fn observation(&self) -> Structure {
        self.observe.structure()
    }

    /// Are the states that nobody looks at during [`March::advance_many`] known to be such that can be observed?
    pub fn knows_what_is_observable(&self) -> bool {
        !self.step.iterates_stages() && self.stride.as_ref().is_none_or(Stride::knows_what_is_observable)
    }

    /// What start, step and observation were compiled to.
    pub fn programs(&self) -> [Program; 3] {
        [&self.start, &self.step, &self.observe].map(Kernel::program)
    }

    /// Begins a run with steps of size `h`.
    pub fn start(&self, values: &StartValues, h: f64) -> Result<Marcher, StepFailure> {
        let mut marcher = self.marcher();
        marcher.restart(values, h)?;
        Ok(marcher)
    }

    /// What it takes to run, not begun yet: many runs one after the other need it once.
    pub fn marcher(&self) -> Marcher {
        let scheme = self.clone();
        let n = scheme.state_names.len();
        Marcher {
            state: vec![0.0; n],
            previous: vec![0.0; n],
            next: vec![0.0; n + scheme.guards.len()],
            inputs: vec![0.0; n + 2 + scheme.dimension],
            velocity: vec![0.0; scheme.dimension],
            observed_velocity: vec![0.0; scheme.dimension],
            observed: vec![0.0; scheme.observed],
            history: History::new(scheme.substeps.len(), scheme.step.unknowns().len()),
            strides: Strides::default(),
            followed: Followed::new(scheme.step.unknowns().len()),
            smoothness: Smoothness::new(scheme.dimension),
            h: 0.0,
            start_time: 0.0,
            time: 0.0,
            step: 0,
            work: TotalWork::default(),
            scheme,
        }
    }
}

/// The step of `scheme` with its own guards and those of the model, which are taken at the new state, as further outputs.
fn guarded(g: &Graph, scheme: &Scheme, guards: &[Guard]) -> Block {
    let mut rules: Vec<_> =
        scheme.state.iter().zip(&scheme.step.outputs).map(|(from, to)| (g.expr(*from), g.expr(*to))).collect();
    let (t, h) = (g.expr(scheme.time), g.symbol("h"));
    rules.push((t, t + h));
    let after: Vec<_> = guards.iter().map(|guard| g.expr(guard.condition)).collect();
    let after = g.substitute(&after, &rules);
    let during = scheme.guards.iter().map(|guard| g.expr(guard.condition));
    let truths = during.chain(after).map(|condition| g.select(condition, g.int(1), g.int(0)).id());
    let outputs = scheme.step.outputs.iter().copied().chain(truths).collect();
    Block { outputs, ..scheme.step.clone() }
}

/// What all steps together cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TotalWork {
    /// Iterations.
    pub iterations: u64,
    /// The largest residual of a step, relative to the size of its terms.
    pub max_residual: f64,
    /// Steps whose stages fixed-point iteration left to Newton's method.
    pub newton_steps: u64,
}

impl TotalWork {
    #[inline]
    pub(crate) fn add(&mut self, step: Work) {
        self.iterations += u64::from(step.iterations);
        self.max_residual = self.max_residual.max(step.residual);
    }
}

/// A motion that can be followed step by step, whatever method moves it.
pub trait March: Send {
    /// Steps taken.
    fn steps(&self) -> u64;
    /// The time now.
    fn time(&self) -> f64;
    /// The state now; the coordinates come first.
    fn state(&self) -> &[f64];
    /// Iterations and residuals so far.
    fn work(&self) -> TotalWork;
    /// Takes one step. After a failure the state is still the last good one.
    fn advance(&mut self) -> Result<(), StepFailure>;
    /// Takes many steps, the same as one after the other.
    fn advance_many(&mut self, steps: u64) -> Result<(), StepFailure> {
        (0..steps).try_for_each(|_| self.advance())
    }
    /// Takes a last step of another size.
    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure>;
    /// Replaces the last step by one of size `h` from the state before it: how events are located inside a step. The motion
    /// ends there; it is not meant to be continued.
    fn retake(&mut self, h: f64) -> Result<(), StepFailure>;
    /// Velocities, momenta and the further outputs at the present state. A state where one of them does not exist is none
    /// of the motion: after a failure the motion is back at the last good one.
    fn observe(&mut self) -> Result<&[f64], StepFailure>;
    /// The further outputs alone, where they can be had for less than an observation.
    fn glance(&mut self) -> Option<Result<&[f64], StepFailure>> {
        None
    }
    /// The present state as one that the motion cannot go on from.
    fn stop(&self, reason: Reason) -> StepFailure;
    /// Takes back the last step, which is no motion.
    fn reject(&mut self, reason: Reason) -> StepFailure;
    /// A copy on which the last step can be retaken while this motion goes on.
    fn fork(&self) -> Box<dyn March>;
    /// Singular configurations that the motion watches for by itself and went through on purpose, and how many they were.
    fn passed(&self) -> (&[PassedConfiguration], u64) {
        (&[], 0)
    }
}

/// A scheme on its way.
#[derive(Clone)]
pub struct Marcher {
    scheme: CompiledScheme,
    state: Vec<f64>,
    previous: Vec<f64>,
    next: Vec<f64>,
    inputs: Vec<f64>,
    /// Velocities found last for a first guess, and by an observation: apart, so that looking at a motion cannot change it.
    velocity: Vec<f64>,
    observed_velocity: Vec<f64>,
    observed: Vec<f64>,
    history: History,
    strides: Strides,
    followed: Followed,
    smoothness: Smoothness,
    h: f64,
    start_time: f64,
    time: f64,
    step: u64,
    work: TotalWork,
}

impl March for Marcher {
    fn steps(&self) -> u64 {
        self.step
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn state(&self) -> &[f64] {
        &self.state
    }

    fn work(&self) -> TotalWork {
        self.work
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.advance_many(1)
    }

    fn advance_many(&mut self, steps: u64) -> Result<(), StepFailure> {
        let mut left = steps;
        while left > 0 {
            // All but the last without a look, for the state before that one is kept.
            let taken = self.stride(left - 1);
            left -= taken;
            self.previous.copy_from_slice(&self.state);
            if left > 1 {
                self.whole_step()?;
                // Nobody looks at this state, and the step in one piece, which would have known, did not take it.
                self.observe()?;
            } else if self.stride(1) == 0 {
                self.whole_step()?;
            }
            left -= 1;
        }
        Ok(())
    }

    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure> {
        self.previous.copy_from_slice(&self.state);
        self.leave_stride();
        self.substeps(self.time, h, false).map_err(|reason| self.undo(reason))?;
        self.step += 1;
        self.time += h;
        Ok(())
    }

    fn retake(&mut self, h: f64) -> Result<(), StepFailure> {
        self.leave_stride();
        let begin = self.time_of(self.step - 1);
        self.state.copy_from_slice(&self.previous);
        self.substeps(begin, h, false).map_err(|reason| self.take_back(reason))?;
        self.time = begin + h;
        Ok(())
    }

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let mut velocity = std::mem::take(&mut self.observed_velocity);
        let outcome = self.observe_at(self.time, &mut velocity);
        self.observed_velocity = velocity;
        match outcome {
            Ok(()) => Ok(&self.observed),
            Err(failure) => Err(self.take_back(failure.into())),
        }
    }

    fn stop(&self, reason: Reason) -> StepFailure {
        self.failure(reason)
    }

    fn reject(&mut self, reason: Reason) -> StepFailure {
        self.take_back(reason)
    }

    fn fork(&self) -> Box<dyn March> {
        Box::new(self.clone())
    }
}

impl Marcher {
    /// Sets the parameters for the next [`restart`](Marcher::restart), in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.scheme.set_parameters(parameters);
    }

    /// Begins a run with what is compiled and allocated already: the one that [`CompiledScheme::start`] would begin, bit for bit,
    /// whatever was marched before.
    pub fn restart(&mut self, values: &StartValues, h: f64) -> Result<(), StepFailure> {
        let StartValues { q, v, second, s, multipliers, time } = values;
        let given = q.iter().chain(v).chain(second).chain(s).chain([time, &h]).chain(multipliers).copied();
        let inputs: Vec<f64> = given.collect();
        self.velocity.copy_from_slice(v);
        self.observed_velocity.copy_from_slice(v);
        self.history.forget();
        self.followed.forget();
        self.smoothness.forget();
        (self.h, self.start_time, self.time, self.step, self.work) = (h, *time, *time, 0, TotalWork::default());
        self.state.fill(0.0);
        self.strides = Strides::default();
        self.scheme.step.forget();
        self.scheme.stride.iter_mut().for_each(|stride| stride.begin(h, *time));
        let started = self.scheme.start.run(&inputs, Guess::Formula, &mut self.state);
        self.previous.copy_from_slice(&self.state);
        started.map(|_| ()).map_err(|failure| self.failure(failure.into()))
    }

    /// The time after `step` whole steps: a product, so that it does not gather round-off.
    fn time_of(&self, step: u64) -> f64 {
        (step as f64).mul_add(self.h, self.start_time)
    }

    /// Takes up to so many steps by the program that has a step in one piece, and returns how many.
    fn stride(&mut self, steps: u64) -> u64 {
        if steps == 0 {
            return 0;
        }
        if let Some(stages) = self.scheme.step.marching_stages(&self.state, self.h) {
            let (first, h, begin) = (self.step, self.h, self.start_time);
            let taken = stages.march(steps, |step| ((first + step) as f64).mul_add(h, begin), &mut self.work);
            self.state.copy_from_slice(stages.state());
            self.step += taken;
            self.time = self.time_of(self.step);
            return taken;
        }
        let mut all = 0;
        while all < steps && self.can_stride() {
            // While the history grows, so does what the next guess is made of.
            let most = if self.history.is_full() { steps - all } else { 1 };
            let following = self.history.known_after_a_step();
            let Some(stride) = self.current_stride() else { return all };
            stride.predict_from(following);
            let taken = stride.take(most);
            self.strode(taken);
            all += taken;
            if taken < most {
                self.strides.failed += 1;
                return all;
            }
        }
        all
    }

    /// Not while too little is known for a prediction, nor where it failed too often.
    fn can_stride(&self) -> bool {
        self.history.is_enough()
            && self.strides.failed <= MAX_FAILED + self.strides.taken / 4
            && self.scheme.stride.as_ref().is_some_and(Stride::is_usable)
    }

    /// The program that has a step in one piece, brought to where the motion stands.
    fn current_stride(&mut self) -> Option<&mut Stride> {
        let stride = self.scheme.stride.as_mut()?;
        if !self.strides.current {
            stride.load(Standing {
                state: &self.state,
                step: self.step,
                updates: self.work.iterations,
                max_residual: self.work.max_residual,
                history: &self.history.values,
                known: self.history.known(),
            });
            self.strides.current = true;
        }
        Some(stride)
    }

    /// Brings the motion to where that program stands, so many steps later.
    fn strode(&mut self, taken: u64) {
        let Some(stride) = &self.scheme.stride else { return };
        self.state.copy_from_slice(stride.state());
        self.work.max_residual = stride.max_residual();
        self.work.iterations = stride.updates();
        self.strides.taken += taken;
        self.history.grow(taken);
        self.step += taken;
        self.time = self.time_of(self.step);
    }

    /// Stands, so many steps later, at a state of that program, which goes on elsewhere.
    fn passed_by(&mut self, going: impl Iterator<Item = f64>, taken: u64) {
        self.state.iter_mut().zip(going).for_each(|(own, value)| *own = value);
        self.strides.taken += taken;
        self.history.grow(taken);
        self.step += taken;
        self.time = self.time_of(self.step);
    }

    /// The step is taken, or the state changed, by something else than the stride.
    fn leave_stride(&mut self) {
        if let Some(stride) = &self.scheme.stride
            && std::mem::take(&mut self.strides.current)
        {
            self.history.values.copy_from_slice(stride.history());
        }
    }

    fn whole_step(&mut self) -> Result<(), StepFailure> {
        self.leave_stride();
        self.substeps(self.time, self.h, true).map_err(|reason| self.undo(reason))?;
        self.step += 1;
        self.time = self.time_of(self.step);
        Ok(())
    }

    fn undo(&mut self, reason: Reason) -> StepFailure {
        self.leave_stride();
        self.state.copy_from_slice(&self.previous);
        StepFailure { shorter: self.followed.longest(), ..self.failure(reason) }
    }

    /// Undoes a step that was counted already.
    fn take_back(&mut self, reason: Reason) -> StepFailure {
        if self.step > 0 {
            self.step -= 1;
            self.time = self.time_of(self.step);
        }
        self.undo(reason)
    }

    fn substeps(&mut self, begin: f64, h: f64, predict: bool) -> Result<(), Reason> {
        let n = self.state.len();
        let mut elapsed = 0.0;
        for at in 0..self.scheme.substeps.len() {
            let fraction = self.scheme.substeps[at];
            self.inputs[..n].copy_from_slice(&self.state);
            self.inputs[n] = begin + elapsed * h;
            self.inputs[n + 1] = fraction * h;
            let known = self.scheme.step.unknowns().is_empty();
            let predicted = known || self.scheme.step.predicts(&self.state, fraction * h);
            let guess = if predicted || predict && self.history.predict(at, self.scheme.step.unknowns_mut()) {
                Guess::Given
            } else {
                self.first_guess(begin + elapsed * h)?;
                Guess::Formula
            };
            let mut outcome = self.scheme.step.run(&self.inputs, guess, &mut self.next);
            // What was extrapolated leads nowhere: begin with the velocities of the present state.
            if outcome.is_err() && guess == Guess::Given && !known && self.first_guess(begin + elapsed * h).is_ok() {
                outcome = self.scheme.step.run(&self.inputs, Guess::Formula, &mut self.next);
            }
            let work = match outcome {
                Ok(work) if self.scheme.substeps.len() > 1 || !self.next[n..].contains(&0.0) => work,
                outcome => self.follow(begin + elapsed * h, fraction * h, outcome)?,
            };
            if predict {
                if work.side_by_side {
                    // These stages predict themselves.
                    self.history.filled[at] = 0;
                } else if !known {
                    self.history.push(at, self.scheme.step.unknowns());
                }
                self.work.add(work);
                self.work.newton_steps += u64::from(self.scheme.step.iterates_stages() && !work.side_by_side);
            }
            self.state.copy_from_slice(&self.next[..n]);
            elapsed += fraction;
        }
        // Inner substeps may leave a domain and come back: only whole steps are states of the motion.
        match self.next[n..].iter().position(|holds| *holds == 0.0) {
            Some(at) => Err(Reason::broken(&self.scheme.guards, self.scheme.laws, at)),
            None => Ok(()),
        }
    }

    /// Puts the velocities of the present state where the guess formula of the step finds them.
    fn first_guess(&mut self, time: f64) -> Result<(), Reason> {
        let n = self.state.len();
        let mut velocity = std::mem::take(&mut self.velocity);
        let outcome = self.observe_at(time, &mut velocity);
        self.inputs[n + 2..].copy_from_slice(&velocity);
        self.velocity = velocity;
        Ok(outcome?)
    }

    /// Observes the present state; `velocity` is where the search for the velocities begins, and what it finds.
    fn observe_at(&mut self, time: f64, velocity: &mut [f64]) -> Result<(), SolveFailure> {
        let n = self.state.len();
        // The inputs of the observation are state, time, velocities: those of a step without the step size.
        let saved = self.inputs[n + 1];
        let inputs = &mut self.inputs[..n + 1 + velocity.len()];
        inputs[..n].copy_from_slice(&self.state);
        inputs[n] = time;
        inputs[n + 1..].copy_from_slice(velocity);
        let outcome = self.scheme.observe.run(inputs, Guess::Formula, &mut self.observed);
        self.inputs[n + 1] = saved;
        outcome?;
        velocity.copy_from_slice(&self.observed[..velocity.len()]);
        Ok(())
    }

    fn failure(&self, reason: Reason) -> StepFailure {
        StepFailure {
            step: self.step + 1,
            time: self.time(),
            state: self.scheme.state_names.iter().cloned().zip(self.state.iter().copied()).collect(),
            reason,
            shorter: None,
        }
    }
}

/// How the steps in one piece did.
#[derive(Clone, Default)]
struct Strides {
    taken: u64,
    failed: u64,
    /// The program stands where the motion does.
    current: bool,
}

/// So many failures of steps in one piece, and one for every four taken, are put up with.
const MAX_FAILED: u64 = 8;

//! Following a motion with an adaptive reference integrator, behind the same interface as a scheme.

use std::ops::Range;

use extremal_eval::{CompileError, Program};
use extremal_expr::{Graph, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::PhaseFlow;

use super::clock::is_step;
use super::right_hand_side::RightHandSide;
use super::{Guard, March, StartValues, TotalWork};
use crate::adaptive::{AdaptiveError, AdaptiveIntegrator, AdaptiveMethod, AdaptiveOptions, WholeStep};
use crate::configuration::{ConfigurationWatch, PassedConfiguration};
use crate::failure::{Guards, Reason, SolveFailure, StepFailure};
use crate::kernel::{GuessSource, Kernel};
use crate::newton::NewtonOptions;
use crate::rank::ConstraintRows;

/// The continuous equations of a system compiled for an adaptive integrator, and the motion once it is started.
#[derive(Clone)]
pub struct AdaptiveMarcher {
    pub(super) right_hand_side: RightHandSide,
    observe: Kernel,
    /// Where a part of the state follows from the rest: what makes it do so, and the state for which that was done last.
    projection: Option<(Kernel, Vec<f64>)>,
    pub(super) integrator: AdaptiveIntegrator,
    /// The state of a row inside the step taken last, at this time.
    inside: (f64, Vec<f64>),
    /// Is that where the motion is? Otherwise it is where the integrator is.
    is_inside: bool,
    pub(super) method: AdaptiveMethod,
    pub(super) options: AdaptiveOptions,
    pub(super) alike: Vec<usize>,
    pub(super) names: Vec<String>,
    guards: Guards,
    /// Observed values, then one truth value per guard.
    observed: Vec<f64>,
    pub(super) previous: (f64, Vec<f64>),
    constraints: Option<WatchedConstraints>,
    start_time: f64,
    h: f64,
    step: u64,
    /// Steps of the integrator that may be tried.
    left: u64,
    /// Steps tried beyond where the motion seems to end.
    pub(super) beyond: u64,
}

/// Steps of an integrator for a record, on average. Where they are not enough, records closer together leave more of them.
const STEPS_PER_RECORD: u64 = 1_000;
/// Records closer together than this part of the step that meets the tolerance are read off its dense output. Farther apart, the steps
/// that end at them are hardly shorter.
const CLOSE: f64 = 0.5;
/// Of larger states a step is not one program: its formulas take longer to derive and compile than they save.
const LARGEST_WHOLE: usize = 64;
/// Steps that are saved up for where more are needed: beyond them nothing is gained any more, in a second or two.
const MOST_STEPS_AT_ONCE: u64 = 250_000;

/// Rows of constraints that are looked at after every step of the integrator, however far apart the records are.
#[derive(Clone)]
struct WatchedConstraints {
    watch: ConfigurationWatch,
    /// Where they stand among the observed values.
    first: usize,
    residuals: usize,
    coordinates: usize,
    state: Vec<f64>,
}

impl AdaptiveMarcher {
    /// What the equations and the observation were compiled to.
    pub fn programs(&self) -> [Program; 2] {
        [&self.right_hand_side.kernel, &self.observe].map(Kernel::program)
    }

    /// Compiles the equations of `system`. Parameters, outputs and guards are as for a
    /// [`CompiledScheme`](crate::CompiledScheme); `tolerance` is relative to the size of each component along the motion.
    pub fn new(
        system: &System<'_>,
        method: AdaptiveMethod,
        tolerance: f64,
        parameters: &[Id],
        outputs: &[Id],
        guards: &[Guard],
    ) -> Result<AdaptiveMarcher, CompileError> {
        AdaptiveMarcher::of_flow(system.graph, PhaseFlow::of(system), method, tolerance, parameters, outputs, guards)
    }

    /// The same for equations of motion of any kind.
    pub fn of_flow(
        g: &Graph,
        flow: PhaseFlow,
        method: AdaptiveMethod,
        tolerance: f64,
        parameters: &[Id],
        outputs: &[Id],
        guards: &[Guard],
    ) -> Result<AdaptiveMarcher, CompileError> {
        let newton = NewtonOptions::default();
        let mut observe = flow.observe;
        observe.outputs.extend(outputs);
        let thermal = flow.guards.into_iter();
        let laws = thermal.len();
        let thermal = thermal.map(|guard| Guard { text: guard.label, condition: guard.condition });
        let guards: Vec<Guard> = thermal.chain(guards.iter().cloned()).collect();
        let truth = |guard: &Guard| g.select(g.expr(guard.condition), g.int(1), g.int(0)).id();
        observe.outputs.extend(guards.iter().map(truth));
        let options =
            AdaptiveOptions { relative_tolerance: tolerance, absolute_tolerance: 0.0, max_steps: MOST_STEPS_AT_ONCE };
        let names: Vec<String> =
            g.exprs(&flow.state).iter().filter_map(|s| s.as_symbol()).map(|name| name.to_string()).collect();
        let projection = flow.projection.map(|block| Kernel::compile(g, parameters, &block, newton)).transpose()?;
        Ok(AdaptiveMarcher {
            projection: projection.map(|kernel| (kernel, vec![0.0; flow.state.len()])),
            right_hand_side: RightHandSide::new(Kernel::compile(g, parameters, &flow.rates, newton)?, names.len()),
            observed: vec![0.0; observe.outputs.len()],
            observe: Kernel::compile(g, parameters, &observe, newton)?,
            integrator: AdaptiveIntegrator::new(method, options, 0.0, &[]),
            inside: (0.0, Vec::new()),
            is_inside: false,
            method,
            options,
            alike: flow.alike,
            names,
            guards: Guards { names: guards.iter().map(|guard| guard.text.clone()).collect(), laws },
            previous: (0.0, Vec::new()),
            constraints: None,
            start_time: 0.0,
            h: 0.0,
            step: 0,
            left: options.max_steps,
            beyond: 0,
        })
    }

    /// Takes whole steps by one program, where that is not too long: for motions longer than it takes to compile.
    pub fn with_whole_steps(mut self, system: &System<'_>, parameters: &[Id]) -> AdaptiveMarcher {
        if self.names.len() <= LARGEST_WHOLE {
            let (flow, newton) = (PhaseFlow::of(system), NewtonOptions::default());
            let whole = WholeStep::compile(system.graph, &flow, self.method, parameters, newton);
            self.right_hand_side.take_whole(whole);
        }
        self
    }

    /// Watches constraints on so many coordinates, whose rows and their rates are observed values from `first` on; so many residuals
    /// stand before them.
    pub fn watching(
        mut self,
        watch: ConfigurationWatch,
        first: usize,
        residuals: usize,
        coordinates: usize,
    ) -> AdaptiveMarcher {
        let state = vec![0.0; self.names.len()];
        self.constraints =
            (!watch.is_empty()).then_some(WatchedConstraints { watch, first, residuals, coordinates, state });
        self
    }

    /// Sets the parameters, in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        self.right_hand_side.set_parameters(parameters);
        self.observe.set_parameters(parameters);
        self.projection.iter_mut().for_each(|(projection, _)| projection.set_parameters(parameters));
    }

    /// Begins a motion that is looked at every `h`.
    pub fn start(&self, values: &StartValues, h: f64) -> Result<AdaptiveMarcher, StepFailure> {
        let mut marcher = self.clone();
        marcher.restart(values, h);
        Ok(marcher)
    }

    /// Begins a motion with what is compiled already, as [`start`](AdaptiveMarcher::start) would.
    pub fn restart(&mut self, values: &StartValues, h: f64) {
        let state = self.state_of(values);
        self.integrator = AdaptiveIntegrator::new(self.method, self.options, values.time, &state).by_sizes(&self.alike);
        (self.start_time, self.h, self.step, self.left) = (values.time, h, 0, self.options.max_steps);
        self.beyond = 0;
        self.projection.iter_mut().for_each(|(_, projected)| projected.copy_from_slice(&state));
        self.inside.1.resize(state.len(), 0.0);
        self.is_inside = false;
        self.previous = (values.time, state);
        self.constraints.iter_mut().for_each(|constraints| constraints.watch.clear());
    }

    /// The state with these values; nothing is in the accounts.
    fn state_of(&self, values: &StartValues) -> Vec<f64> {
        let mut state = [&values.q[..], &values.v, &values.s].concat();
        state.resize(self.names.len() - values.multipliers.len(), 0.0);
        state.extend(&values.multipliers);
        state
    }

    /// A motion begun from now on is given up after so many steps of the integrator at once.
    pub fn limit_steps(&mut self, most: u64) {
        self.options.max_steps = most;
    }

    /// How many steps the integrator took and rejected since the motion began.
    pub fn steps_tried(&self) -> u64 {
        self.integrator.work().tried() + self.beyond
    }

    /// Moves to `time`, or stays at the state remembered last; perhaps `beyond` it, where the steps are long.
    fn advance_to(&mut self, time: f64, beyond: bool) -> Result<(), StepFailure> {
        let most = self.left.saturating_add(STEPS_PER_RECORD).min(self.options.max_steps);
        self.integrator.allow(most);
        let outcome = self.reach(time, beyond);
        self.left = most - self.integrator.tried().min(most);
        if outcome.is_err() {
            self.go_back();
        }
        outcome
    }

    /// Brings what follows from the rest of the state to where that is.
    pub(super) fn project(&mut self) -> Result<(), StepFailure> {
        let Some((projection, projected)) = &mut self.projection else { return Ok(()) };
        let inputs = &mut self.right_hand_side.inputs;
        let n = projected.len();
        inputs[..n].copy_from_slice(self.integrator.state());
        inputs[n] = self.integrator.time();
        let outcome = projection.run(inputs, GuessSource::Formula, projected);
        outcome.map(|_| ()).map_err(|failure| self.failure(failure.into()))
    }

    fn go_back(&mut self) {
        let (time, state) = &self.previous;
        self.projection.iter_mut().for_each(|(_, projected)| projected.copy_from_slice(state));
        self.integrator = AdaptiveIntegrator::new(self.method, self.options, *time, state).by_sizes(&self.alike);
        self.is_inside = false;
        self.constraints.iter_mut().for_each(|constraints| constraints.watch.forget());
    }

    fn reach(&mut self, time: f64, beyond: bool) -> Result<(), StepFailure> {
        if self.constraints.as_ref().is_some_and(|constraints| !constraints.watch.has_seen()) {
            self.look_at_constraints()?;
        }
        self.integrate_to(time, beyond && self.projection.is_none() && self.constraints.is_none())?;
        self.observe()?;
        let truths = &self.observed[self.observed.len() - self.guards.names.len()..];
        self.guards.broken(truths).map_or(Ok(()), |reason| Err(self.failure(reason)))
    }

    /// Takes steps of the integrator until it is at this time, or `beyond` it where the steps are long: then the motion is inside the last.
    fn integrate_to(&mut self, time: f64, beyond: bool) -> Result<(), StepFailure> {
        let record = time - self.previous.0;
        while (time - self.integrator.time()) * record > 0.0 {
            let rhs = &mut self.right_hand_side;
            let free = self.integrator.next_length().filter(|free| beyond && CLOSE * free >= record.abs());
            let limit = free.map(|free| self.integrator.time() + free.copysign(record));
            // What is in the way behind the record is no reason not to reach it.
            if limit.is_some_and(|limit| self.integrator.step_by(limit, rhs).is_ok()) {
                continue;
            }
            if let Err(error) = self.integrator.step_by(time, rhs) {
                return Err(self.stuck(time, error));
            }
            self.project()?;
            self.look_at_constraints()?;
        }
        self.is_inside = self.integrator.time() != time;
        if self.is_inside {
            self.inside.0 = time;
            if self.integrator.interpolate_by(time, &mut self.right_hand_side, &mut self.inside.1).is_err() {
                // The step went well, but not what its dense output needs besides.
                self.go_back();
                return self.integrate_to(time, false);
            }
        }
        Ok(())
    }

    /// Why the integrator does not get to a time.
    fn stuck(&self, time: f64, error: AdaptiveError<SolveFailure>) -> StepFailure {
        let reason = match error {
            AdaptiveError::RightHandSide { cause, .. } => cause.into(),
            AdaptiveError::TooManySteps { t, steps, step, obstacle } => {
                let record = step.abs() * STEPS_PER_RECORD as f64;
                Reason::Stagnation { time: t, steps, step, obstacle, record }
            }
            other => Reason::Adaptive(other.to_string()),
        };
        let length = time - self.integrator.time();
        self.failure(match &self.constraints {
            Some(constraints) => constraints.watch.explain(length, reason),
            None => reason,
        })
    }

    /// Looks at the constraints where the integrator is; the way there is known from its dense output.
    fn look_at_constraints(&mut self) -> Result<(), StepFailure> {
        let Some(mut constraints) = self.constraints.take() else { return Ok(()) };
        let outcome = self.look(&mut constraints);
        self.constraints = Some(constraints);
        match outcome? {
            Some(reason) => Err(self.failure(reason)),
            None => Ok(()),
        }
    }

    fn look(&mut self, constraints: &mut WatchedConstraints) -> Result<Option<Reason>, StepFailure> {
        let WatchedConstraints { watch, first, residuals, coordinates, state } = constraints;
        let (n, range, residuals) = (*coordinates, *first..*first + watch.len(), *first - *residuals..*first);
        let largest =
            |residuals: &[f64]| residuals.iter().fold(0.0, |largest: f64, residual| largest.max(residual.abs()));
        if let Err(failure) = self.observe() {
            // Where the equations have no solution the integrator may step over; what is recorded is observed again.
            return match watch.passes() {
                true => Ok(None),
                false => Ok(Some(watch.explain(self.h, failure.reason))),
            };
        }
        let Self { integrator, right_hand_side, observe, observed, .. } = self;
        let (begin, end) = (integrator.time_before(), integrator.time());
        let (mut inside, width) = (Vec::new(), observed.len());
        let here = integrator.state();
        let rows = ConstraintRows {
            time: end,
            entries: &observed[range.clone()],
            positions: &here[..n],
            velocities: &here[n..2 * n],
            residual: largest(&observed[residuals.clone()]),
        };
        let mut dense = None;
        Ok(watch.look(rows, begin, |part, read| {
            let dense = dense.get_or_insert_with(|| integrator.clone());
            inside.resize(width, 0.0);
            let time = begin + part * (end - begin);
            let found = dense.interpolate_by(time, right_hand_side, state);
            let inputs = &mut right_hand_side.inputs;
            inputs[..state.len()].copy_from_slice(state);
            inputs[state.len()] = time;
            if found.is_err() || observe.run(inputs, GuessSource::Formula, &mut inside).is_err() {
                return false;
            }
            let (positions, velocities) = (&state[..n], &state[n..2 * n]);
            let residual = largest(&inside[residuals.clone()]);
            read(ConstraintRows { time, entries: &inside[range.clone()], positions, velocities, residual });
            true
        }))
    }

    fn failure(&self, reason: Reason) -> StepFailure {
        let (time, state) = &self.previous;
        StepFailure::at(self.step, *time, self.names.iter().cloned(), state, reason)
    }

    fn remember(&mut self) {
        let mut previous = std::mem::take(&mut self.previous);
        previous.0 = self.time();
        previous.1.copy_from_slice(self.state());
        self.previous = previous;
    }
}

impl March for AdaptiveMarcher {
    fn steps(&self) -> u64 {
        self.step
    }

    fn time(&self) -> f64 {
        if self.is_inside { self.inside.0 } else { self.integrator.time() }
    }

    fn state(&self) -> &[f64] {
        match &self.projection {
            _ if self.is_inside => &self.inside.1,
            Some((_, projected)) => projected,
            None => self.integrator.state(),
        }
    }

    fn work(&self) -> TotalWork {
        TotalWork::default()
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        self.remember();
        self.advance_to(self.start_time + (self.step + 1) as f64 * self.h, true)?;
        self.step += 1;
        Ok(())
    }

    fn advance_by(&mut self, h: f64) -> Result<(), StepFailure> {
        self.remember();
        self.advance_to(self.time() + h, true)?;
        self.step += 1;
        Ok(())
    }

    fn retake(&mut self, h: f64) -> Result<(), StepFailure> {
        self.go_back();
        self.step -= 1;
        // What is looked for inside a step is where the steps of the integrator end: its dense output is less exact.
        self.advance_to(self.previous.0 + h, false)?;
        self.step += 1;
        Ok(())
    }

    fn change(&mut self, values: &StartValues, kept: Range<usize>) -> Result<(), StepFailure> {
        let rest = self.state()[kept.clone()].to_vec();
        let mut state = self.state_of(values);
        state[kept].copy_from_slice(&rest);
        self.previous = (self.time(), state);
        self.go_back();
        Ok(())
    }

    fn complete(&mut self, end: f64) -> Result<(), StepFailure> {
        let begin = self.previous.0;
        if is_step(begin, end, self.h) {
            self.go_back();
            return self.advance_to(end, false);
        }
        let (_, state) = &self.previous;
        self.integrator = AdaptiveIntegrator::new(self.method, self.options, end, state).by_sizes(&self.alike);
        Ok(())
    }

    fn observe(&mut self) -> Result<&[f64], StepFailure> {
        let n = self.names.len();
        let mut inputs = std::mem::take(&mut self.right_hand_side.inputs);
        inputs[..n].copy_from_slice(self.state());
        inputs[n] = self.time();
        let outcome = self.observe.run(&inputs, GuessSource::Formula, &mut self.observed);
        self.right_hand_side.inputs = inputs;
        match outcome {
            Ok(_) => Ok(&self.observed[..self.observed.len() - self.guards.names.len()]),
            Err(failure) => Err(self.failure(failure.into())),
        }
    }

    fn stop(&self, reason: Reason) -> StepFailure {
        let state = if self.is_inside { &self.inside.1 } else { self.integrator.state() };
        StepFailure::at(self.step, self.time(), self.names.iter().cloned(), state, reason)
    }

    fn reject(&mut self, reason: Reason) -> StepFailure {
        self.go_back();
        self.step = self.step.saturating_sub(1);
        self.failure(reason)
    }

    fn fork(&self) -> Box<dyn March> {
        Box::new(self.clone())
    }

    fn passed(&self) -> (&[PassedConfiguration], u64) {
        self.constraints.as_ref().map_or((&[], 0), |constraints| constraints.watch.passed())
    }
}

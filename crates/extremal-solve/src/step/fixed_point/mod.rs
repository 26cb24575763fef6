//! The stages of a collocation method by fixed-point iteration, side by side: a lane for each stage, as many at once as there are.

mod formulas;
mod lanes;
mod together;

use extremal_eval::{CompileError, EntryPoint, Machine, Program};
use extremal_expr::{Graph, Id};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use crate::failure::SolveFailure;
use crate::kernel::Work;
use crate::march::TotalWork;
use crate::newton::{NewtonOptions, ROUND_OFF};
use crate::step::{BackOff, StepInputs};
pub(super) use formulas::{MOST_TOGETHER, StageEquations, StageWriter};
use formulas::{PARAMETERS, STATE, STEP, StageProgram, StageSlots, UNKNOWNS};
use lanes::StageLanes;
pub(crate) use together::StagesTogether;

/// Products in the elimination of a stage's own unknowns, beyond which formulas for it would grow too long: those of a hundred
/// unknowns that all depend on each other.
const LONGEST_ELIMINATION: usize = 350_000;
/// Iterations in one call, before it is given up.
const MAX_ITERATIONS: u64 = 25;
/// Iterations after which it is time to see whether they lead anywhere.
const LOOK: u64 = 12;
/// Slower convergence is better left to Newton's method.
const SLOWEST: f64 = 0.4;
/// A residual of so many ε before the last update is round-off after it.
const NEARLY: f64 = 4.0 * ROUND_OFF;
/// The residual at which to check, if it is what is expected.
const EXPECTED: f64 = 2.0 * ROUND_OFF;

/// The equations of all stages, ready to be solved, with their own memory.
#[derive(Clone)]
pub(crate) struct FixedPoint {
    stages: StageLanes,
    /// For motions side by side.
    together: Option<(Program, StageSlots)>,
    /// From the solution to the outputs of the block, where the stages do not see to them.
    finish: Option<StepEnd>,
    /// What to begin with where nothing is predicted, if the unknowns of the stages are not those of Newton's method.
    own_guess: Option<Vec<f64>>,
    /// The unknowns of the stages after the last call.
    found: Vec<f64>,
    /// Coefficients of the stages, and of the prediction.
    values: Vec<Vec<f64>>,
    ahead: Vec<Vec<f64>>,
    tolerance: f64,
    h: f64,
    kept: LastCall,
    /// The state after the last call, whose unknowns predict those of a call that begins there, and a time.
    now: Vec<f64>,
}

/// Outputs that need more than sums over the stages.
#[derive(Clone)]
struct StepEnd {
    machine: Machine,
}

/// What is kept of one call for the next.
#[derive(Clone, Default)]
struct LastCall {
    /// There was a last call.
    predicts: bool,
    /// How far unknowns move when it is time to check; zero before the first call.
    limit: f64,
    back_off: BackOff,
}

impl FixedPoint {
    /// For the step of `scheme`, reduced to `block`, that leads to these outputs by the unknowns of its stages; `None` where its stages are not alike or take too much to eliminate, or where
    /// something could be solved in closed form.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        block: &Block,
        outputs: &[Id],
        options: NewtonOptions,
    ) -> Result<Option<FixedPoint>, CompileError> {
        let ([whole], [solve]) = (&scheme.step.solves[..], &block.solves[..]) else { return Ok(None) };
        let Some(stages) = whole.stages.as_deref() else { return Ok(None) };
        if solve.unknowns != whole.unknowns || scheme.substeps.len() > 1 {
            return Ok(None);
        }
        let Some(program) = StageProgram::compile(g, scheme, stages, parameters, outputs)? else { return Ok(None) };
        let finish = || -> Result<StepEnd, CompileError> {
            let state: Vec<Id> = scheme.state.iter().copied().chain([scheme.time]).collect();
            let guess: Vec<Id> = block.inputs[state.len() + 1..].to_vec();
            let h = g.symbol("h").id();
            let inputs = [parameters.to_vec(), vec![h], [state, guess].concat(), stages.all.clone()];
            let finish = Program::compile(g, &inputs, &[EntryPoint { tier: UNKNOWNS, outputs: outputs.to_vec() }])?;
            Ok(StepEnd { machine: options.machine(&finish) })
        };
        Ok(Some(FixedPoint {
            stages: StageLanes::new(&program, stages.values.len(), stages.own.len(), options),
            together: program.together.clone().map(|together| (together, program.places)),
            finish: if program.finishes() { None } else { Some(finish()?) },
            own_guess: stages.end.as_ref().map(|_| vec![0.0; stages.all.len()]),
            found: vec![0.0; stages.all.len()],
            values: stages.values.clone(),
            ahead: stages.ahead.clone(),
            tolerance: options.tolerance,
            h: f64::NAN,
            kept: LastCall::default(),
            now: vec![0.0; scheme.state.len() + 1],
        }))
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        if let Some(StepEnd { machine, .. }) = &mut self.finish {
            machine.inputs_mut(PARAMETERS).copy_from_slice(values);
            machine.commit(PARAMETERS);
        }
        self.stages.set_parameters(values);
        self.h = f64::NAN;
    }

    pub fn forget(&mut self) {
        self.kept = LastCall::default();
    }

    /// Does the last call predict one with this state and step?
    pub fn predicts(&self, state: &[f64], h: f64) -> bool {
        self.kept.predicts && !self.kept.back_off.is_waiting() && h == self.h && self.now[..state.len()] == *state
    }

    /// Are its unknowns those of Newton's method, so that what predicts the ones predicts the others?
    pub fn shares_unknowns(&self) -> bool {
        self.own_guess.is_none()
    }

    /// What to begin with where it does not share them, which is nothing.
    pub fn forget_guess(&mut self) {
        self.own_guess.iter_mut().for_each(|guess| guess.fill(0.0));
    }

    /// The same, to be written.
    pub fn own_guess_mut(&mut self) -> Option<&mut [f64]> {
        self.own_guess.as_deref_mut()
    }

    /// The unknowns of all stages that the last [call](FixedPoint::run) found.
    pub fn found(&self) -> &[f64] {
        &self.found
    }

    /// Solves for the unknowns, of which `x` is a guess if it [shares](FixedPoint::shares_unknowns) them, unless the last call
    /// [predicts](FixedPoint::predicts) this one, and computes the outputs. `None`, and the guess in `x`, where that does not converge
    /// fast enough.
    pub fn run(&mut self, inputs: &StepInputs, x: &mut [f64], out: &mut [f64]) -> Option<Work> {
        if self.kept.back_off.skip() {
            return None;
        }
        let n = self.now.len() - 1;
        let predicted = self.predicts(inputs.state(), inputs.step());
        self.set_step(inputs.step());
        self.stages.set_state(inputs.state_and_time());
        if !predicted {
            self.stages.set_unknowns(self.own_guess.as_deref().unwrap_or(x));
        }
        let Some(work) = self.iterate() else {
            if predicted && self.own_guess.is_none() {
                self.stages.predicted(x);
            }
            return None;
        };
        self.stages.unknowns(&mut self.found);
        match &mut self.finish {
            None => {
                self.stages.finish();
                self.stages.outcome(out);
            }
            Some(StepEnd { machine }) => {
                self.stages.finish();
                let (first, guess) = machine.inputs_mut(STATE).split_at_mut(n + 1);
                first.copy_from_slice(inputs.state_and_time());
                guess.copy_from_slice(inputs.velocities());
                machine.commit(STATE);
                machine.inputs_mut(UNKNOWNS).copy_from_slice(&self.found);
                machine.run(0, out);
            }
        }
        self.now[..n].copy_from_slice(&out[..n]);
        Some(work)
    }

    /// Takes up to so many steps after the last call, whose outputs were the state that the first of them begins at; `time` is when
    /// each begins. Returns how many worked out.
    pub fn march(&mut self, steps: u64, time: impl Fn(u64) -> f64, total: &mut TotalWork) -> u64 {
        let n = self.now.len() - 1;
        for step in 0..steps {
            self.now[n] = time(step);
            self.stages.set_state(&self.now);
            let Some(work) = self.iterate() else { return step };
            if !self.stages.finish() {
                // No state of the motion, so nothing to go on from.
                self.kept.predicts = false;
                return step;
            }
            self.stages.outcome(&mut self.now[..n]);
            total.add(work);
        }
        steps
    }

    /// Can it take steps by itself?
    pub fn marches(&self) -> bool {
        self.finish.is_none()
    }

    /// What a call that did not converge is called.
    pub fn failure(&self) -> SolveFailure {
        SolveFailure::NoConvergence {
            iterations: MAX_ITERATIONS as u32,
            unknown: "a stage".to_owned(),
            residual: self.stages.residual(),
            tolerance: self.tolerance,
        }
    }

    /// The state after the last call.
    pub fn state(&self) -> &[f64] {
        &self.now[..self.now.len() - 1]
    }

    fn set_step(&mut self, h: f64) {
        if h == self.h {
            return;
        }
        self.h = h;
        if let Some(StepEnd { machine, .. }) = &mut self.finish {
            machine.inputs_mut(STEP).fill(h);
            machine.commit(STEP);
        }
        self.stages.set_step(h, &self.values, &self.ahead);
    }

    /// Iterates until the residual is round-off. Where that fails, nothing is tried for a while.
    fn iterate(&mut self) -> Option<Work> {
        let work = self.converge();
        match work {
            Some(_) => {
                self.kept.predicts = true;
                self.kept.back_off.succeeded();
            }
            None => {
                self.kept = LastCall { back_off: self.kept.back_off, ..LastCall::default() };
                self.kept.back_off.failed();
            }
        }
        work
    }

    fn converge(&mut self) -> Option<Work> {
        let (stages, kept) = (&mut self.stages, &mut self.kept);
        let mut iterations = 0;
        if kept.limit == 0.0 {
            // One iteration shows how large the unknowns are.
            stages.converge(0.0, 1);
            iterations += 1;
            kept.limit = EXPECTED / SLOWEST * stages.size();
        }
        let mut check_again = false;
        while iterations < MAX_ITERATIONS {
            if !check_again {
                let converged = stages.converge(kept.limit, LOOK);
                iterations += converged.unwrap_or(LOOK);
                if converged.is_none() {
                    let change = stages.change();
                    // Near round-off changes may not fall any more: time to look at the residual.
                    if change.is_nan() || change > self.tolerance * stages.size() {
                        if change <= SLOWEST * stages.before() {
                            continue;
                        }
                        return None;
                    }
                }
            }
            let nearly = stages.check();
            iterations += 1;
            let (residual, before) = (stages.residual(), stages.before());
            if residual > 0.0 {
                // The residual is proportional to the change before it, where it is more than round-off.
                let limit = EXPECTED / residual * before;
                kept.limit = if residual <= ROUND_OFF { limit.max(kept.limit) } else { limit };
            }
            let work = Work { iterations: iterations as u32, residual, fixed_point: true };
            if nearly {
                return Some(work);
            }
            let rate = stages.change() / before;
            if rate.is_nan() || rate > SLOWEST {
                // Round-off may be all there is to gain, and more than it should be.
                kept.limit = before;
                return (residual <= self.tolerance).then_some(work);
            }
            check_again = residual * rate <= NEARLY;
        }
        None
    }
}

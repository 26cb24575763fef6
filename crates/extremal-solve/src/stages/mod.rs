//! The stages of a collocation method by fixed-point iteration, side by side: a lane for each stage, as many at once as there are.

mod formulas;
mod group;

use extremal_eval::{CompileError, Entry, Machine, Program};
use extremal_expr::{Graph, Id};
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;

use crate::kernel::Work;
use crate::newton::{NewtonOptions, ROUND_OFF};
use formulas::{PARAMETERS, STATE, STEP, StageProgram, UNKNOWNS};
use group::Groups;

/// For more unknowns per stage a factorisation in formulas would grow too long.
const LARGEST_STAGE: usize = 6;
/// Iterations in one call, before it is given up.
const MAX_ITERATIONS: u64 = 25;
/// Iterations after which it is time to see whether they lead anywhere.
const LOOK: u64 = 12;
/// Slower convergence is better left to Newton's method.
const SLOWEST: f64 = 0.4;
/// The least that is thought of how much an iteration leaves.
const FASTEST: f64 = 1e-4;
/// A residual of so many ε before the last update is round-off after it.
const NEARLY: f64 = 4.0 * ROUND_OFF;
/// The residual at which to check, if it is what is expected.
const EXPECTED: f64 = 2.0 * ROUND_OFF;
/// The largest number of calls for which it is not tried.
const MAX_WAIT: u32 = 127;

/// The equations of all stages, ready to be solved, with their own memory.
#[derive(Clone)]
pub(crate) struct StageIteration {
    groups: Groups,
    /// From the solution to the outputs of the block, where the stages do not see to them.
    finish: Option<Finish>,
    /// Coefficients of the stages, and of the prediction.
    values: Vec<Vec<f64>>,
    ahead: Vec<Vec<f64>>,
    state: usize,
    tolerance: f64,
    h: f64,
    kept: Kept,
}

/// Outputs that need more than sums over the stages.
#[derive(Clone)]
struct Finish {
    machine: Machine,
    unknowns: Vec<f64>,
}

/// What is kept of one call for the next.
#[derive(Clone, Default)]
struct Kept {
    /// The state after the last call, whose unknowns predict those of a call that begins there.
    state: Vec<f64>,
    /// How fast it converged.
    rate: f64,
    /// The relative residual beside the change that it leads to; infinite before the first call.
    per_change: f64,
    /// Calls for which it is not tried: twice as many after every failure.
    wait: u32,
    waited: u32,
}

impl Kept {
    fn after(waited: u32) -> Kept {
        Kept { rate: SLOWEST, per_change: f64::INFINITY, wait: waited, waited, ..Kept::default() }
    }
}

impl StageIteration {
    /// For the step of `scheme`, whose outputs are those of `block`; `None` where its stages are not alike or too large, or where
    /// something could be solved in closed form.
    pub fn compile(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        block: &Block,
        options: NewtonOptions,
    ) -> Result<Option<StageIteration>, CompileError> {
        let (Some(stages), [solve]) = (&scheme.stages, &block.solves[..]) else { return Ok(None) };
        if solve.unknowns != stages.all || stages.own.len() > LARGEST_STAGE || scheme.substeps.len() > 1 {
            return Ok(None);
        }
        let Some(StageProgram { program, finishes }) = StageProgram::compile(g, scheme, stages, parameters, block)?
        else {
            return Ok(None);
        };
        let finish = || -> Result<Finish, CompileError> {
            let state: Vec<Id> = scheme.state.iter().copied().chain([scheme.time]).collect();
            let guess: Vec<Id> = block.inputs[state.len() + 1..].to_vec();
            let h = g.symbol("h").id();
            let inputs = [parameters.to_vec(), vec![h], [state, guess].concat(), stages.all.clone()];
            let finish = Program::compile(g, &inputs, &[Entry { stage: UNKNOWNS, outputs: block.outputs.clone() }])?;
            Ok(Finish { machine: options.machine(&finish), unknowns: vec![0.0; stages.all.len()] })
        };
        Ok(Some(StageIteration {
            groups: Groups::new(&program, stages.values.len(), stages.own.len(), options),
            finish: if finishes { None } else { Some(finish()?) },
            values: stages.values.clone(),
            ahead: stages.ahead.clone(),
            state: scheme.state.len(),
            tolerance: options.tolerance,
            h: f64::NAN,
            kept: Kept::after(0),
        }))
    }

    pub fn set_parameters(&mut self, values: &[f64]) {
        if let Some(Finish { machine, .. }) = &mut self.finish {
            machine.inputs_mut(PARAMETERS).copy_from_slice(values);
            machine.commit(PARAMETERS);
        }
        self.groups.set_parameters(values);
        self.h = f64::NAN;
    }

    pub fn forget(&mut self) {
        self.kept = Kept::after(0);
    }

    /// Does the last call predict this one?
    pub fn predicts(&self, inputs: &[f64]) -> bool {
        self.kept.wait == 0 && inputs[self.state + 1] == self.h && self.kept.state == inputs[..self.state]
    }

    /// Solves for the unknowns, of which `x` is a guess unless the last call [predicts](StageIteration::predicts) this one, and
    /// computes the outputs. `None`, and the guess in `x`, where that does not converge fast enough.
    pub fn run(&mut self, inputs: &[f64], x: &mut [f64], out: &mut [f64]) -> Option<Work> {
        if self.kept.wait > 0 {
            self.kept.wait -= 1;
            return None;
        }
        let predicted = self.predicts(inputs);
        self.set_step(inputs[self.state + 1]);
        match predicted {
            true => self.groups.adopt_prediction(),
            false => self.groups.set_unknowns(x),
        }
        self.groups.set_state(&inputs[..self.state + 1]);
        self.groups.begin();
        let Some(work) = self.iterate() else {
            if predicted {
                self.groups.prediction(x);
            }
            self.kept = Kept::after((2 * self.kept.waited + 1).min(MAX_WAIT));
            return None;
        };
        match &mut self.finish {
            None => self.groups.finish(out),
            Some(Finish { machine, unknowns }) => {
                self.groups.finish(&mut []);
                let (first, guess) = machine.inputs_mut(STATE).split_at_mut(self.state + 1);
                first.copy_from_slice(&inputs[..self.state + 1]);
                guess.copy_from_slice(&inputs[self.state + 2..]);
                machine.commit(STATE);
                self.groups.unknowns(unknowns);
                machine.inputs_mut(UNKNOWNS).copy_from_slice(unknowns);
                machine.run(0, out);
            }
        }
        self.kept.state.clear();
        self.kept.state.extend_from_slice(&out[..self.state]);
        self.kept.waited /= 2;
        Some(work)
    }

    fn set_step(&mut self, h: f64) {
        if h == self.h {
            return;
        }
        self.h = h;
        if let Some(Finish { machine, .. }) = &mut self.finish {
            machine.inputs_mut(STEP).fill(h);
            machine.commit(STEP);
        }
        self.groups.set_step(h, &self.values, &self.ahead);
    }

    /// Iterates until the residual is round-off.
    fn iterate(&mut self) -> Option<Work> {
        let (groups, kept) = (&mut self.groups, &mut self.kept);
        let mut iterations = 0;
        if kept.per_change.is_infinite() {
            // One iteration shows how large the unknowns are.
            groups.settle(0.0, 1);
            iterations += 1;
            kept.per_change = 1.0 / groups.size();
        }
        let mut residual = f64::INFINITY;
        while iterations < MAX_ITERATIONS {
            if residual * kept.rate > NEARLY {
                let settled = groups.settle(EXPECTED / (kept.per_change * kept.rate), LOOK);
                iterations += settled.unwrap_or(LOOK);
                if settled.is_none() {
                    let [change, before] = groups.moved();
                    // Near round-off changes may not fall any more: time to look at the residual.
                    if change.is_nan() || change > self.tolerance * groups.size() {
                        kept.rate = change / before;
                        if kept.rate <= SLOWEST {
                            continue;
                        }
                        return None;
                    }
                }
            }
            residual = groups.check();
            iterations += 1;
            let [change, before] = groups.moved();
            let rate = change / before;
            if change > 0.0 {
                kept.per_change = residual / change;
            }
            // Round-off makes the rate look slower than it is.
            kept.rate = if residual <= ROUND_OFF { rate.min(kept.rate) } else { rate }.clamp(FASTEST, SLOWEST);
            if residual <= NEARLY || residual <= self.tolerance && rate > SLOWEST {
                return Some(Work { iterations: iterations as u32, residual, side_by_side: true });
            }
            if rate.is_nan() || rate > SLOWEST {
                return None;
            }
        }
        None
    }
}

//! A scheme compiled for marching.

use extremal_eval::{CompileError, Program};
use extremal_expr::{Graph, Id};
use extremal_mechanics::discrete::Scheme;
use extremal_mechanics::{Block, Reduced};

use super::{Guard, Marcher, PacedMarcher, StartValues};
use crate::failure::{Guards, StepFailure};
use crate::kernel::{Kernel, SolveStructure};
use crate::newton::{NewtonOptions, StagedSlopes};
use crate::observable::Observable;
use crate::step::{FixedPoint, FusedStep, Observation, RowFormulas, RowLook, StepSolver, WatchedRows};

/// A scheme compiled for marching: reusable for any parameters, steps and starts.
#[derive(Clone)]
pub struct CompiledScheme {
    pub(crate) start: Kernel,
    pub(crate) solver: StepSolver,
    /// For constraints of motions that nobody looks at.
    pub(super) rows: Option<RowLook>,
    constants: Vec<f64>,
    pub(super) state_names: Vec<String>,
    pub(crate) dimension: usize,
    /// Where the time stands in the state, for steps that are not alike in it.
    pub(super) time_in_state: Option<usize>,
}

/// A whole explicit step as one program. Its tiers are parameters with constants and `limits`; the step size and the first time; the
/// state and the number of the step, of which the last is zero if the first time is that of the state. Its only entry gives whether the
/// step works out, and the next state.
pub struct ExplicitStep {
    /// The program.
    pub program: Program,
    /// Numbers behind the constants.
    pub limits: Vec<f64>,
    /// Does a run take its steps by it? It may carry differences beside a linear oscillator instead, which differ by round-off.
    pub is_used: bool,
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
        Self::watching(g, scheme, parameters, outputs, guards, &WatchedRows::default(), options)
    }

    /// The same where some outputs are about constraints, that motions side by side carry a watch over.
    pub fn watching(
        g: &Graph,
        scheme: &Scheme,
        parameters: &[Id],
        outputs: &[Id],
        guards: &[Guard],
        watched: &WatchedRows,
        options: NewtonOptions,
    ) -> Result<CompiledScheme, CompileError> {
        let symbols: Vec<Id> = parameters.iter().copied().chain(scheme.constants.iter().map(|(id, _)| *id)).collect();
        let constants: Vec<f64> = scheme.constants.iter().map(|(_, value)| *value).collect();
        let state_names: Vec<String> =
            scheme.state.iter().map(|id| g.expr(*id).as_symbol().map_or_else(String::new, |n| n.to_string())).collect();
        let laws = scheme.guards.iter().map(|g| g.label.clone());
        let names = laws.chain(guards.iter().map(|g| g.text.clone())).collect();
        let step = guarded(g, scheme, &scheme.step.outputs, guards);
        let staged = StagedSlopes::of(g, &step);
        let step = match staged {
            Some(_) => Reduced { block: step, slopes: vec![Vec::new()] },
            None => options.reduced(g, &step),
        };
        let stages = scheme.step.solves.first().and_then(|solve| solve.stages.as_ref());
        let ended = stages.and_then(|stages| stages.end.as_deref()).map(|end| guarded(g, scheme, end, guards));
        let observe = Block {
            outputs: scheme.observe.outputs.iter().chain(outputs).copied().collect(),
            ..scheme.observe.clone()
        };
        // Numbers of no special kind: what is asked of a step may depend on the model, but not on its parameters, or a member of an
        // ensemble would not be the run of its own.
        let usual = (0..parameters.len()).map(|k| 1.0 + (0.618_034 * k as f64).fract() / 8.0);
        let given: Vec<f64> = usual.chain(constants.iter().copied()).collect();
        let observable = || Observable::of(g, &observe, &scheme.state, scheme.time, &symbols, &given);
        let guards = Guards { names, laws: scheme.guards.len() };
        // Terms of sums stand in the order in which they were made, so that this order decides about last digits.
        let names = [&state_names[..], &guards.names].concat();
        let mut newton = Kernel::compile_reduced(g, &symbols, &step, staged.as_ref(), names, options)?;
        newton.keep_inside(guards.names.len());
        let mut fixed_point = None;
        // The substeps of a composition have different Jacobians.
        if scheme.substeps.len() == 1 {
            newton.reuse_jacobians();
            if ended.is_none() {
                fixed_point = FixedPoint::compile(g, scheme, &symbols, &step.block, &step.block.outputs, options)?;
            }
        }
        let start = Kernel::compile_named(g, &symbols, &scheme.start, state_names.clone(), options)?;
        let rows = || RowFormulas::of(g, scheme, &observe, watched);
        let by_stages = stages.filter(|_| !newton.structure().linear).map(|stages| {
            let outputs = ended.as_ref().map_or(&step.block.outputs, |ended| &ended.outputs);
            (&**stages, &outputs[..])
        });
        let fused = FusedStep::compile(g, scheme, &symbols, (&step, by_stages), observable, rows, options);
        let observation = Observation::new(
            Kernel::compile(g, &symbols, &observe, options)?,
            observe.inputs.len(),
            observe.outputs.len(),
        );
        if let Some(ended) = ended
            && fused.as_ref().is_none_or(|fused| fused.stage_unknowns().is_some())
        {
            fixed_point = FixedPoint::compile(g, scheme, &symbols, &step.block, &ended.outputs, options)?;
        }
        let fixed_point = fixed_point.filter(|_| !newton.structure().linear);
        // Fused stages begin where fixed-point iteration has found some.
        let fused = fused.filter(|fused| fused.stage_unknowns().is_none() || fixed_point.is_some());
        let watch = fused.as_ref().and_then(FusedStep::row_formulas);
        let rows = watch.and_then(|rows| RowLook::compile(g, scheme, &symbols, rows, options));
        let solver = StepSolver::new(scheme, fused, fixed_point, newton, observation, guards);
        let (dimension, time_in_state) = (scheme.dimension(), scheme.time_in_state);
        Ok(CompiledScheme { start, solver, rows, constants, state_names, dimension, time_in_state })
    }

    /// Sets the parameters, in the order given at compilation.
    pub fn set_parameters(&mut self, parameters: &[f64]) {
        let with_constants: Vec<f64>;
        let values = match self.constants.is_empty() {
            true => parameters,
            false => {
                with_constants = [parameters, &self.constants].concat();
                &with_constants
            }
        };
        self.start.set_parameters(values);
        self.solver.set_parameters(values);
        self.rows.iter_mut().for_each(|rows| rows.set_parameters(values));
    }

    /// Do motions side by side carry a watch over their constraints?
    pub fn watches_rows(&self) -> bool {
        self.rows.is_some()
    }

    /// What elimination left of the step's equations.
    pub fn structure(&self) -> SolveStructure {
        self.solver.structure()
    }

    /// The structure of what is solved to look at a state. Where it is linear, what is seen does not depend on when the motion was
    /// looked at before.
    pub fn observation(&self) -> SolveStructure {
        self.solver.observation.kernel.structure()
    }

    /// Are the states that nobody looks at during [`March::advance_many`](super::March::advance_many) known to be such that can be
    /// observed?
    pub fn knows_what_is_observable(&self) -> bool {
        self.solver.knows_what_is_observable()
    }

    /// What start, step and observation were compiled to.
    pub fn programs(&self) -> [Program; 3] {
        [&self.start, self.solver.newton(), &self.solver.observation.kernel].map(Kernel::program)
    }

    /// Start, step and observation as compiled blocks. A step is a substep of a composition.
    pub fn kernels(&self) -> [&Kernel; 3] {
        [&self.start, self.solver.newton(), &self.solver.observation.kernel]
    }

    /// The fractions of a step that are taken one after the other.
    pub fn substeps(&self) -> &[f64] {
        self.solver.substeps()
    }

    /// The names of what a step carries.
    pub fn state_names(&self) -> &[String] {
        &self.state_names
    }

    /// Values of the symbols that stand behind the parameters: nodes, weights, coefficients.
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }

    /// What every step must satisfy, in words, in the order of the outputs behind the state.
    pub fn guards(&self) -> &[String] {
        self.solver.guards()
    }

    /// The program that takes the steps, where they are explicit and one program takes them whole.
    pub fn explicit_step(&self) -> Option<ExplicitStep> {
        self.solver.fused.as_ref()?.explicit()
    }

    /// Begins a run with steps of size `h`.
    pub fn start(&self, values: &StartValues, h: f64) -> Result<Marcher, StepFailure> {
        let mut marcher = self.marcher();
        marcher.restart(values, h)?;
        Ok(marcher)
    }

    /// Goes on from a state that a run with steps of size `h` has reached after so many of them; `values` are there, but for the first time.
    pub fn resume(&self, values: &StartValues, h: f64, state: &[f64], steps: u64) -> Marcher {
        let mut marcher = self.marcher();
        marcher.resume(values, h, state, steps);
        marcher
    }

    /// Begins a run with steps that are alike in a time of their own, by `h` in it.
    ///
    /// # Errors
    /// There is no such start.
    pub fn start_paced(&self, values: &StartValues, h: f64) -> Result<PacedMarcher, StepFailure> {
        let mut marcher = self.paced_marcher();
        marcher.make_ready(values, h);
        marcher.begin()?;
        Ok(marcher)
    }

    /// What it takes to run with steps that are alike in a time of their own, not begun yet.
    ///
    /// # Panics
    /// The scheme does not carry the time.
    pub fn paced_marcher(&self) -> PacedMarcher {
        PacedMarcher::new(self.marcher(), self.time_in_state.expect("the scheme carries the time"))
    }

    /// What it takes to run, not begun yet: many runs one after the other need it once.
    pub fn marcher(&self) -> Marcher {
        Marcher::new(self.clone())
    }
}

/// The step of `scheme` to the state `next` with its own guards and those of the model, which are taken there, as further outputs.
fn guarded(g: &Graph, scheme: &Scheme, next: &[Id], guards: &[Guard]) -> Block {
    let mut rules: Vec<_> = scheme.state.iter().zip(next).map(|(from, to)| (g.expr(*from), g.expr(*to))).collect();
    let (t, h) = (g.expr(scheme.time), g.symbol("h"));
    rules.push((t, t + h));
    let after: Vec<_> = guards.iter().map(|guard| g.expr(guard.condition)).collect();
    let after = g.substitute(&after, &rules);
    let during = scheme.guards.iter().map(|guard| g.expr(guard.condition));
    let truths = during.chain(after).map(|condition| g.select(condition, g.int(1), g.int(0)).id());
    let outputs = next.iter().copied().chain(truths).collect();
    Block { outputs, ..scheme.step.clone() }
}

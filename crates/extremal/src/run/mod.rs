//! Running a model: from its start to its end, recorded, watched, and stopped with a reason when it cannot go on.

mod laws;
mod observables;
mod report;
mod rows;
mod settings;

use std::collections::HashMap;
use std::ops::ControlFlow;

use extremal_eval::CompileError;
use extremal_expr::{Expr, Id};
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, SchemeError, energy_estimate, scheme};
use extremal_model::{CompositionBase, Direction, Initial, Method, Model, Start};
use extremal_solve::{
    AdaptiveMarcher, AdaptiveMethod, CompiledScheme, Guard, Kernel, LinearSolver, March, NewtonOptions, RootError,
    StartValues, StepFailure, Structure, TotalWork, find_root,
};
use extremal_trajectory::{ColumnsError, RecordError, Recorder};
use thiserror::Error;

use crate::system::{custom_of, system_of};
use observables::Observables;
use rows::Rows;
use settings::Plan;

pub use laws::{Laws, TemperatureRange};
pub use report::Report;
pub use settings::{Settings, SettingsError};

/// Why a run could not be set up.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SetupError {
    /// The settings do not fit.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The method does not fit the model.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A boundary problem that leaves open where a coordinate starts.
    #[error("the model is a boundary problem and does not say where `{coordinate}` starts")]
    NoStart {
        /// The coordinate.
        coordinate: String,
    },
    /// Two recorded quantities have one name.
    #[error(transparent)]
    Columns(#[from] ColumnsError),
    /// The formulas do not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The Lagrangian does not determine the motion at the start.
    #[error(
        "the Lagrangian is singular at the start: its mass matrix d2L/dv2 has no inverse and leaves the acceleration of \
         `{coordinate}` undetermined"
    )]
    Singular {
        /// The coordinate of the failing pivot.
        coordinate: String,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// At the time that was asked for.
    Reached,
    /// At a stop condition, whose zero was located.
    Stopped {
        /// Its name in the model.
        condition: String,
    },
    /// It could not go on.
    Failed(StepFailure),
    /// The caller asked.
    Interrupted,
}

/// How far a run has come, for progress bars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub step: u64,
    /// Steps planned.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
}

/// What came of a run, besides the recorded rows.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Steps taken.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
    /// Iterations and residuals.
    pub work: TotalWork,
    /// The largest distance from the closed form, for each coordinate and entropy that has one.
    pub errors: Vec<(String, f64)>,
    /// The audit of both laws, for a system with entropies.
    pub laws: Option<Laws>,
}

/// A model compiled for running: parameters, step and start can change without compiling again.
///
/// ```
/// use extremal::{Model, Recorder, run::{End, Run, Settings}};
/// let model = Model::from_toml(extremal::gallery::text("pendulum").unwrap())?;
/// let run = Run::new(&model, &Settings::of(&model))?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// let outcome = run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(outcome.end, End::Reached);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Run<'m> {
    model: &'m Model,
    observables: Observables,
    compiled: Compiled,
    /// The energy of a step by its positions.
    estimate: Option<Kernel>,
    plan: Plan,
    method: Method,
    start: Start,
}

enum Compiled {
    Scheme(Box<CompiledScheme>),
    Adaptive(Box<AdaptiveMarcher>),
}

/// Values recorded between two looks at the clock or at an interrupt.
const VALUES_BETWEEN_LOOKS: u64 = 512;

impl<'m> Run<'m> {
    /// Derives and compiles everything.
    pub fn new(model: &'m Model, settings: &Settings) -> Result<Run<'m>, SetupError> {
        let g = model.graph();
        let plan = settings.plan()?;
        if settings.start == Start::TwoPoints && model.initial_with_step(plan.step).second.is_none() {
            return Err(SettingsError::NoSecond.into());
        }
        if model.order() > 1 {
            return Err(SchemeError::Accelerations(settings.method.to_string()).into());
        }
        if let Some(open) = model.without_start() {
            return Err(SetupError::NoStart { coordinate: open.name.clone() });
        }
        let system = system_of(model);
        let collocation = matches!(settings.method, Method::Gauss(_));
        if settings.method != Method::Custom && (collocation || system.len() <= CHECKED_AHEAD) {
            check_regularity(model, &system)?;
        }
        let observables = Observables::of(model, &system, &settings.method)?;
        let parameters: Vec<Id> = model.parameters().iter().map(|p| p.symbol).collect();
        let guards: Vec<Guard> = model
            .coordinates()
            .iter()
            .filter_map(|c| c.domain)
            .map(|condition| Guard { text: g.expr(condition).to_string(), condition })
            .collect();
        let adaptive = match settings.method {
            Method::Dopri5 => Some(AdaptiveMethod::Dopri5),
            Method::Dop853 => Some(AdaptiveMethod::Dop853),
            _ => None,
        };
        let values = model.parameter_values();
        let compiled = match adaptive {
            Some(method) => {
                let tolerance = settings.tolerance.unwrap_or(1e-12);
                let mut marcher =
                    AdaptiveMarcher::new(&system, method, tolerance, &parameters, &observables.outputs, &guards)?;
                marcher.set_parameters(&values);
                Compiled::Adaptive(Box::new(marcher))
            }
            None => {
                let mut newton = NewtonOptions::default();
                if let Some(tolerance) = settings.tolerance {
                    newton.tolerance = tolerance;
                }
                let compile = |energy_nodes: usize| -> Result<CompiledScheme, SetupError> {
                    let options = Options { start: settings.start, entropy: settings.entropy, energy_nodes };
                    let scheme = scheme(&system, &settings.method, options, custom_of(model, &system))?;
                    let mut compiled =
                        CompiledScheme::new(g, &scheme, &parameters, &observables.outputs, &guards, newton)?;
                    compiled.set_parameters(&values);
                    Ok(compiled)
                };
                let nodes = Options::default().energy_nodes;
                Compiled::Scheme(Box::new(match settings.method {
                    Method::EnergyEntropy(_) | Method::Compose { base: CompositionBase::EnergyEntropy, .. } => {
                        exact_enough(model, &observables, plan.step, nodes, compile)?
                    }
                    _ => compile(nodes)?,
                }))
            }
        };
        let estimate = match observables.estimate {
            true => {
                let mut kernel = Kernel::compile(g, &parameters, &energy_estimate(&system), NewtonOptions::default())?;
                kernel.set_parameters(&values);
                Some(kernel)
            }
            false => None,
        };
        Ok(Run { model, observables, compiled, estimate, plan, method: settings.method.clone(), start: settings.start })
    }

    /// The columns of the rows that a run records.
    pub fn columns(&self) -> &extremal_trajectory::Columns {
        &self.observables.columns
    }

    /// The step.
    pub fn step(&self) -> f64 {
        self.plan.step
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// What elimination left of the equations of a step; `None` for an adaptive method.
    pub fn structure(&self) -> Option<Structure> {
        match &self.compiled {
            Compiled::Scheme(scheme) => Some(scheme.structure()),
            Compiled::Adaptive(_) => None,
        }
    }

    /// Steps that will be taken.
    pub fn planned_steps(&self) -> u64 {
        self.plan.whole_steps + u64::from(self.plan.remainder.is_some())
    }

    /// What a user should know before looking at the results.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(left) = self.plan.remainder {
            let step = self.plan.step;
            notes.push(format!("the end is not a multiple of the step {step}: the last step is {left:.6} long"));
        }
        if self.observables.entropies > 0 && matches!(self.method, Method::Compose { .. }) {
            notes.push(
                "a composition has negative substeps, which lower the entropy inside a step: only whole steps are recorded, \
                 and nothing guarantees that each of them raises it"
                    .to_string(),
            );
        }
        notes
    }

    /// Runs from the start; every step is pushed to `recorder`, `watch` is called now and then and may end the run.
    ///
    /// # Errors
    /// Only when a row cannot be recorded. A motion that cannot go on is an [`Outcome`].
    pub fn execute(
        &self,
        recorder: &mut Recorder,
        mut watch: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Outcome, RecordError> {
        let mut motion = match self.begin() {
            Ok(motion) => motion,
            Err(failure) => {
                recorder.finish()?;
                let work = TotalWork::default();
                return Ok(Outcome {
                    end: End::Failed(failure),
                    steps: 0,
                    time: 0.0,
                    work,
                    errors: Vec::new(),
                    laws: None,
                });
            }
        };
        let mut rows = Rows::new(self, recorder);
        let end = match self.march(motion.as_mut(), &mut rows, &mut watch)? {
            End::Failed(failure) => End::Failed(rows.explain(failure)),
            end => end,
        };
        let (errors, laws) = rows.finish();
        recorder.finish()?;
        Ok(Outcome { end, steps: motion.steps(), time: motion.time(), work: motion.work(), errors, laws })
    }

    /// The energy of the stated start: of its positions, velocities and entropies, whatever the method makes of them.
    pub fn stated_energy(&self) -> f64 {
        at_start(self.model, &[system_of(self.model).energy()])[0]
    }

    /// The motion at its start, to be marched by hand.
    pub fn begin(&self) -> Result<Box<dyn March>, StepFailure> {
        let initial = self.model.initial_with_step(self.plan.step);
        let second = if self.start == Start::TwoPoints { initial.second.unwrap_or_default() } else { Vec::new() };
        let values =
            StartValues { q: initial.positions, v: initial.velocities, second, s: initial.entropies, time: 0.0 };
        Ok(match &self.compiled {
            Compiled::Scheme(scheme) => Box::new(scheme.start(&values, self.plan.step)?),
            Compiled::Adaptive(marcher) => Box::new(marcher.start(&values, self.plan.step)?),
        })
    }

    /// Takes the step number `step` (from 1) of the plan: a whole one, or what is left at the end.
    pub(crate) fn advance(&self, motion: &mut dyn March, step: u64) -> Result<(), StepFailure> {
        match self.plan.remainder {
            Some(left) if step > self.plan.whole_steps => motion.advance_by(left),
            _ => motion.advance(),
        }
    }

    fn march(
        &self,
        motion: &mut dyn March,
        rows: &mut Rows<'_>,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<End, RecordError> {
        let steps = self.planned_steps();
        // Large systems take long steps: look after each of them.
        let looks = (VALUES_BETWEEN_LOOKS / self.observables.columns.len() as u64).max(1);
        if let Err(failure) = rows.push(motion)? {
            return Ok(End::Failed(failure));
        }
        for step in 0..steps {
            if let Err(failure) = self.advance(motion, step + 1) {
                return Ok(End::Failed(failure));
            }
            match self.crossing(motion, rows) {
                Ok(None) => {}
                Ok(Some(condition)) => {
                    return Ok(match rows.push(motion)? {
                        Ok(()) => End::Stopped { condition },
                        Err(failure) => End::Failed(failure),
                    });
                }
                Err(failure) => return Ok(End::Failed(failure)),
            }
            if let Err(failure) = rows.push(motion)? {
                return Ok(End::Failed(failure));
            }
            if step.is_multiple_of(looks) && watch(Progress { step: step + 1, steps, time: motion.time() }).is_break() {
                return Ok(End::Interrupted);
            }
        }
        Ok(End::Reached)
    }

    /// If a stop condition crossed zero in the last step, goes back to where the first one did and names it.
    fn crossing(&self, motion: &mut dyn March, rows: &Rows<'_>) -> Result<Option<String>, StepFailure> {
        if self.observables.stops.is_empty() {
            return Ok(None);
        }
        let first = rows.first_stop();
        let after: Vec<f64> = motion.observe()?[first..first + self.observables.stops.len()].to_vec();
        let length = motion.time() - rows.time();
        let mut earliest: Option<(f64, usize)> = None;
        for (index, (_, direction)) in self.observables.stops.iter().enumerate() {
            let before = rows.stops()[index];
            if !crosses(before, after[index], *direction) {
                continue;
            }
            let mut value_after = |h: f64| -> Result<f64, StepFailure> {
                motion.retake(h)?;
                Ok(motion.observe()?[first + index])
            };
            let at = match find_root(&mut value_after, 0.0, length, before, after[index], f64::EPSILON * length) {
                Ok(at) => at,
                Err(RootError::Function { cause, .. }) => return Err(cause),
                // Both ends are known to differ in sign and observed values to be finite: only the end itself is left.
                Err(_) => length,
            };
            if earliest.is_none_or(|(h, _)| at < h) {
                earliest = Some((at, index));
            }
        }
        let Some((h, index)) = earliest else { return Ok(None) };
        motion.retake(h)?;
        Ok(Some(self.observables.stops[index].0.clone()))
    }
}

/// Expressions in positions, velocities, entropies and time at the stated start.
fn at_start(model: &Model, expressions: &[Expr<'_>]) -> Vec<f64> {
    let g = model.graph();
    let Initial { positions, velocities, entropies, .. } = model.initial();
    let coordinates = model.coordinates().iter();
    let symbols = coordinates.clone().map(|c| c.position).chain(coordinates.map(|c| c.velocity));
    let symbols = symbols.chain(model.entropies().iter().map(|s| s.symbol));
    let known: HashMap<_, _> = symbols
        .filter_map(|id| g.expr(id).as_symbol())
        .zip(positions.into_iter().chain(velocities).chain(entropies))
        .chain(model.parameters().iter().map(|p| (p.name.as_str().into(), p.value)))
        .chain([(model.independent().into(), 0.0)])
        .collect();
    let ids: Vec<Id> = expressions.iter().map(|e| e.id()).collect();
    g.evaluate(&g.exprs(&ids), |name| known.get(name).copied())
}

/// For larger systems the check would take as long as everything else; all methods but collocation, whose stages may be solvable
/// all the same, find a singular mass matrix at their first step.
const CHECKED_AHEAD: usize = 32;

/// Refuses a Lagrangian whose mass matrix has no inverse at the start. One that is not finite there is left to the run, which
/// says where it fails.
fn check_regularity(model: &Model, system: &System<'_>) -> Result<(), SetupError> {
    let rows = system.mass_matrix();
    let pattern: Vec<Vec<usize>> = rows.iter().map(|row| row.iter().map(|(column, _)| *column).collect()).collect();
    let entries: Vec<Expr<'_>> = rows.iter().flatten().map(|(_, entry)| *entry).collect();
    let values = at_start(model, &entries);
    if values.iter().any(|value| !value.is_finite()) {
        return Ok(());
    }
    let factored = LinearSolver::for_pattern(system.len(), &pattern).factor(&values);
    factored.map_err(|singular| SetupError::Singular { coordinate: system.names[singular.column].clone() })
}

/// Steps of a trial that tells how many quadrature nodes the mean gradients need.
const TRIAL_STEPS: usize = 24;
/// The energy identity is exact when it fails by no more than this, relative to the energy, over the trial.
const TRIAL_DEFECT: f64 = 4e-15;
const MOST_ENERGY_NODES: usize = 32;

/// The energy–entropy scheme with as many quadrature nodes as its energy identity needs to hold to round-off.
fn exact_enough(
    model: &Model,
    observables: &Observables,
    step: f64,
    mut nodes: usize,
    compile: impl Fn(usize) -> Result<CompiledScheme, SetupError>,
) -> Result<CompiledScheme, SetupError> {
    loop {
        let compiled = compile(nodes)?;
        if nodes >= MOST_ENERGY_NODES || energy_defect(model, observables, step, &compiled) <= TRIAL_DEFECT {
            return Ok(compiled);
        }
        nodes *= 2;
    }
}

/// The largest relative defect of the first law over a few steps; zero if the motion cannot even begin (which a run will tell).
fn energy_defect(model: &Model, observables: &Observables, step: f64, compiled: &CompiledScheme) -> f64 {
    let Initial { positions, velocities, entropies, .. } = model.initial();
    let values = StartValues { q: positions, v: velocities, second: Vec::new(), s: entropies, time: 0.0 };
    let Ok(mut motion) = compiled.start(&values, step) else { return 0.0 };
    let energy_at = 2 * observables.coordinates + observables.entropies;
    let balance = |motion: &mut dyn March| {
        let accounts: f64 = motion.state()[motion.state().len() - observables.accounts.len()..].iter().sum();
        motion.observe().map(|observed| (observed[energy_at] - accounts, observed[energy_at])).ok()
    };
    let Some((first, _)) = balance(&mut motion) else { return 0.0 };
    let mut worst = 0.0f64;
    for _ in 0..TRIAL_STEPS {
        if motion.advance().is_err() {
            break;
        }
        let Some((now, energy)) = balance(&mut motion) else { break };
        worst = worst.max((now - first).abs() / energy.abs().max(first.abs()));
    }
    worst
}

/// Does a value that goes from `before` to `after` cross zero in this direction? A start on zero is no crossing.
fn crosses(before: f64, after: f64, direction: Direction) -> bool {
    let rising = before < 0.0 && after >= 0.0;
    let falling = before > 0.0 && after <= 0.0;
    match direction {
        Direction::Rising => rising,
        Direction::Falling => falling,
        Direction::Any => rising || falling,
    }
}

//! Running a model: from its start to its end, recorded, watched, and stopped with a reason when it cannot go on.

mod audits;
mod beginning;
mod energy;
mod energy_nodes;
mod feasible;
mod higher;
mod inertia;
mod integrable;
mod judge;
mod lattice;
mod laws;
#[cfg(test)]
mod margins;
mod observables;
mod rechosen;
mod report;
mod resolution;
mod rows;
mod settings;
mod snapshot;
mod stops;
mod warming;
mod warning;
mod watch;

use std::ops::ControlFlow;

use extremal_eval::{CompileError, Program};
use extremal_expr::Id;
use extremal_mechanics::System;
use extremal_mechanics::discrete::{Options, SchemeError, check_method, energy_estimate, scheme};
use extremal_model::{AtSingular, CompositionBase, Method, Model, Start};
use extremal_solve::{
    AdaptiveMarcher, AdaptiveMethod, CompiledScheme, Guard, Kernel, March, NewtonOptions, PassedConfiguration,
    SolveStructure, StartValues, StepFailure, TotalWork,
};
use extremal_trajectory::{ColumnsError, RecordError, Recorder};
use thiserror::Error;

use crate::system::{custom_of, system_of};
use audits::constraint_sizes;
use energy_nodes::exact_enough;
use feasible::{Choice, check_second, make_feasible};
use rows::{Rows, Watched};

pub(crate) use audits::{Audits, Promises};
pub(crate) use beginning::{Beginning, Bordered, ids, undetermined};
pub(crate) use feasible::{CONSISTENT, TYPED, constraints_of};
pub(crate) use judge::{Copied, Judge, Prepared};
pub(crate) use laws::Audit;
pub(crate) use observables::Observables;
pub(crate) use rechosen::without_choice;
pub(crate) use settings::Plan;
pub(crate) use snapshot::Snapshot;
pub(crate) use stops::{crossed, located};
pub(crate) use watch::Trouble;

pub use energy::EnergyLaw;
pub use feasible::{ConstraintError, ConstraintStructure, Violation};
pub use lattice::{Lattice, LatticeStructure};
pub use laws::{Laws, TemperatureRange};
pub use observables::Tracked;
pub use report::Report;
pub use settings::{Settings, SettingsError};
pub use warning::Warning;

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
        "the Lagrangian is singular at the start: its mass matrix d2L/dv2{} has no inverse and leaves the acceleration of \
         `{coordinate}` undetermined{}",
        if *.bordered { ", bordered by the constraints," } else { "" },
        .verdict.as_ref().map_or_else(String::new, |verdict| format!("; {verdict}")),
    )]
    Singular {
        /// The coordinate of the failing pivot.
        coordinate: String,
        /// Are there constraints?
        bordered: bool,
        /// What the constraint algorithm says about it, where it was asked.
        verdict: Option<String>,
    },
    /// The Lagrangian does not determine its highest derivatives from their momenta at the start.
    #[error(
        "the Lagrangian is singular at the start: its second derivatives by the highest ones have no inverse and leave \
         `{derivative}` undetermined"
    )]
    SingularHigher {
        /// The derivative of the failing pivot.
        derivative: String,
    },
    /// The equations do not determine a multiplier at the start.
    #[error(
        "the constraints do not determine their multipliers at the start: the mass matrix bordered by them has no inverse and \
         leaves the multiplier of `{constraint}` undetermined"
    )]
    SingularMultiplier {
        /// The constraint of the failing pivot.
        constraint: String,
    },
    /// A start at which a vakonomic constraint, for its multiplier is zero, does not give velocities their mass.
    #[error(
        "the multiplier of the vakonomic constraint `{constraint}` starts at 0, and there the equations do not determine the motion: \
         only its term in L + lambda*Phi does; state `multiplier = ...` for it"
    )]
    MultiplierAtZero {
        /// The constraint.
        constraint: String,
    },
    /// The constraints do not fit.
    #[error(transparent)]
    Constraints(#[from] ConstraintError),
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
    /// The largest |left − right| of each constraint.
    pub residuals: Vec<(String, f64)>,
    /// The audit of both laws, for a system with entropies.
    pub laws: Option<Laws>,
    /// The first singular configurations that were passed on purpose, and how many there were.
    pub passed: (Vec<PassedConfiguration>, u64),
    /// Audits that failed, and steps that do not resolve the motion.
    pub warnings: Vec<Warning>,
}

/// A model compiled for running: parameters, step and start can change without compiling again.
///
/// ```
/// use extremal_engine::{Model, Recorder, run::{End, Run, Settings}};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let run = Run::new(&model, &Settings::of(&model))?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// let outcome = run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(outcome.end, End::Reached);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Run<'m> {
    model: &'m Model,
    pub(crate) observables: Observables,
    pub(crate) compiled: Compiled,
    /// The energy of a step by its positions.
    estimate: Option<Kernel>,
    pub(crate) plan: Plan,
    method: Method,
    beginning: Beginning,
    constraints: ConstraintStructure,
    /// How large the terms of the constraints on positions are at the start.
    constraint_sizes: Vec<f64>,
    stated_energy: f64,
    settings: Settings,
    tracked: Vec<Tracked>,
}

pub(crate) enum Compiled {
    Scheme(Box<CompiledScheme>),
    Adaptive(Box<AdaptiveMarcher>),
    Lattice(Box<Lattice>),
}

/// Values recorded between two looks at the clock or at an interrupt.
const VALUES_BETWEEN_LOOKS: u64 = 512;

impl<'m> Run<'m> {
    /// Derives and compiles everything.
    pub fn new(model: &'m Model, settings: &Settings) -> Result<Run<'m>, SetupError> {
        Run::tracking(model, settings, &[])
    }

    /// The same, with further quantities in the rows: those that [`analyze`](crate::analyze) found, for instance.
    pub fn tracking(model: &'m Model, settings: &Settings, tracked: &[Tracked]) -> Result<Run<'m>, SetupError> {
        Run::starting_at(model, settings, tracked, None)
    }

    /// The same from a state that a run has reached, with the constraints that are best there.
    fn starting_at(
        model: &'m Model,
        settings: &Settings,
        tracked: &[Tracked],
        reached: Option<Beginning>,
    ) -> Result<Run<'m>, SetupError> {
        let g = model.graph();
        let plan = settings.plan()?;
        if settings.start == Start::TwoPoints && model.initial_with_step(plan.step).second.is_none() {
            return Err(SettingsError::NoSecond.into());
        }
        if let Some(open) = model.without_start() {
            return Err(SetupError::NoStart { coordinate: open.name.clone() });
        }
        if model.order() > 1 {
            return Run::higher(model, settings, plan, tracked);
        }
        let mut system = system_of(model).with_short_kinetic_energy();
        check_method(&system, &settings.method, settings.start)?;
        let all = system.constraints.clone();
        let choice = if reached.is_some() { Choice::Furthest } else { Choice::First };
        let mut beginning = reached.unwrap_or_else(|| Beginning::of(model, settings.start, plan.step));
        let constraints = make_feasible(model, &mut system, &mut beginning, choice, settings.project)?;
        if checked_ahead(&settings.method, &system) {
            beginning.check_regularity(model, &system)?;
        }
        let mut observables = Observables::of(model, &system, &all, &settings.method, tracked)?;
        observables.configurations.pass(settings.singular == AtSingular::Pass);
        let parameters: Vec<Id> = model.parameters().iter().map(|p| p.symbol).collect();
        let guards = domain_guards(model);
        let values = model.parameter_values();
        let compiled = match adaptive_method(&settings.method) {
            Some(method) => {
                let tolerance = settings.tolerance.unwrap_or(1e-12);
                let mut marcher =
                    AdaptiveMarcher::new(&system, method, tolerance, &parameters, &observables.outputs, &guards)?
                        .watching(observables.configurations.clone(), observables.first_row(), all.len(), system.len());
                marcher.set_parameters(&values);
                Compiled::Adaptive(Box::new(marcher))
            }
            None => {
                let newton = newton_options(settings);
                let compile = |energy_nodes: usize| -> Result<CompiledScheme, SetupError> {
                    let options = Options {
                        start: settings.start,
                        entropy: settings.entropy,
                        constraints: settings.constraints,
                        energy_nodes,
                    };
                    let scheme = scheme(&system, &settings.method, options, custom_of(model, &system))?;
                    let mut compiled =
                        CompiledScheme::new(g, &scheme, &parameters, &observables.outputs, &guards, newton)?;
                    compiled.set_parameters(&values);
                    Ok(compiled)
                };
                let nodes = Options::default().energy_nodes;
                Compiled::Scheme(Box::new(match settings.method {
                    Method::EnergyEntropy(_) | Method::Compose { base: CompositionBase::EnergyEntropy, .. } => {
                        exact_enough(&beginning, &observables, plan.step, nodes, compile)?
                    }
                    _ => {
                        let compiled = compile(nodes)?;
                        check_second(&system, &beginning, &compiled)?;
                        compiled
                    }
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
        let stated_energy = beginning.evaluate(&system, &[system.energy()])[0];
        let constraint_sizes = constraint_sizes(&system, &beginning, &all);
        Ok(Run {
            model,
            observables,
            compiled,
            estimate,
            plan,
            method: settings.method.clone(),
            beginning,
            constraints,
            constraint_sizes,
            stated_energy,
            settings: settings.clone(),
            tracked: tracked.to_vec(),
        })
    }

    /// Where the run begins, for trials from other states.
    pub(crate) fn start_mut(&mut self) -> &mut StartValues {
        &mut self.beginning.values
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
    pub fn structure(&self) -> Option<SolveStructure> {
        match &self.compiled {
            Compiled::Scheme(scheme) => Some(scheme.structure()),
            Compiled::Adaptive(_) => None,
            Compiled::Lattice(_) => {
                Some(SolveStructure { unknowns: 0, linear: true, keeps_jacobians: false, fixed_point: false })
            }
        }
    }

    /// What the formulas were compiled to, for those who want to see; nothing for many like members, whose rows are no programs.
    pub fn programs(&self) -> Vec<Program> {
        match &self.compiled {
            Compiled::Scheme(scheme) => scheme.programs().to_vec(),
            Compiled::Adaptive(marcher) => marcher.programs().to_vec(),
            Compiled::Lattice(_) => Vec::new(),
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
        for (constraint, others) in &self.constraints.redundant {
            let others = others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            notes.push(format!(
                "the constraint `{constraint}` follows from {others} and is left out: only the sum of their reactions is \
                 determined, and lambda_{constraint} is recorded as 0"
            ));
        }
        if !self.constraints.integrable.is_empty() {
            let names = self.constraints.integrable.iter().map(|name| format!("`{name}`"));
            notes.push(format!(
                "integrable: {} can be written as constraints on positions, with the same motion",
                names.collect::<Vec<_>>().join(", ")
            ));
        }
        if self.constraints.moved > 0.0 {
            let ConstraintStructure { moved, missed, .. } = self.constraints;
            let typed = if missed <= TYPED { ", the digits it was printed with" } else { "" };
            notes.push(format!(
                "the start was moved onto the constraints, by at most {moved:.3e} in a coordinate or velocity: it missed them by at \
                 most {missed:.1e} of their terms{typed}"
            ));
        }
        notes
    }

    /// What the constraints amount to: degrees of freedom, rank, redundancy.
    pub fn constraints(&self) -> &ConstraintStructure {
        &self.constraints
    }

    /// Where the energy stands among the observed values of a motion.
    pub(crate) fn observed_energy(&self) -> usize {
        self.observables.observed_energy()
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
        let outcome = self.segment(recorder, &mut watch, false)?;
        recorder.finish()?;
        Ok(outcome)
    }

    /// A run, or what is left of it after other constraints were chosen: then its first row is there already.
    fn segment(
        &self,
        recorder: &mut Recorder,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        resumed: bool,
    ) -> Result<Outcome, RecordError> {
        let mut motion = match self.begin() {
            Ok(motion) => motion,
            Err(failure) => {
                let work = TotalWork::default();
                return Ok(Outcome {
                    end: End::Failed(failure),
                    steps: 0,
                    time: 0.0,
                    work,
                    errors: Vec::new(),
                    residuals: Vec::new(),
                    laws: None,
                    passed: (Vec::new(), 0),
                    warnings: Vec::new(),
                });
            }
        };
        let mut rows = Rows::new(self, recorder);
        let end = match self.march(motion.as_mut(), &mut rows, watch, resumed)? {
            End::Failed(failure) => {
                let mut failure = rows.explain(failure, self.plan.step);
                if self.observables.entropies > 0 {
                    failure.reason = without_choice(failure.reason, &self.left_out(), false);
                }
                End::Failed(failure)
            }
            end => end,
        };
        rows.complete(motion.as_mut())?;
        let passed = rows.passed(motion.as_ref());
        let Watched { errors, residuals, laws, warnings } = rows.finish();
        let (steps, time, work) = (motion.steps(), motion.time(), motion.work());
        let outcome = Outcome { end, steps, time, work, errors, residuals, laws, passed, warnings };
        match self.with_other_constraints(&outcome.end, motion.as_mut()) {
            Some(rest) => Ok(outcome.followed_by(rest.segment(recorder, watch, true)?)),
            None => Ok(outcome),
        }
    }

    /// The energy of the stated start: of its positions, velocities and entropies, whatever the method makes of them.
    pub fn stated_energy(&self) -> f64 {
        self.stated_energy
    }

    /// The motion at its start, to be marched by hand.
    pub fn begin(&self) -> Result<Box<dyn March>, StepFailure> {
        let values = &self.beginning.values;
        Ok(match &self.compiled {
            Compiled::Scheme(scheme) => Box::new(scheme.start(values, self.plan.step)?),
            Compiled::Adaptive(marcher) => Box::new(marcher.start(values, self.plan.step)?),
            Compiled::Lattice(lattice) => Box::new(lattice.begin(self.plan.step)?),
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
        rows: &mut Rows<'_, '_>,
        watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
        resumed: bool,
    ) -> Result<End, RecordError> {
        let steps = self.planned_steps();
        // Large systems take long steps: look after each of them.
        let looks = (VALUES_BETWEEN_LOOKS / self.observables.columns.len() as u64).max(1);
        let first = if resumed { rows.look(motion) } else { rows.push(motion)? };
        if let Err(failure) = first {
            return Ok(End::Failed(failure));
        }
        let mut next_look = 0;
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
            if step == next_look {
                next_look += looks;
                if watch(Progress { step: step + 1, steps, time: motion.time() }).is_break() {
                    return Ok(End::Interrupted);
                }
            }
        }
        Ok(End::Reached)
    }

    /// If a stop condition crossed zero in the last step, goes back to where the first one did and names it.
    fn crossing(&self, motion: &mut dyn March, rows: &mut Rows<'_, '_>) -> Result<Option<String>, StepFailure> {
        if self.observables.stops.is_empty() {
            return Ok(None);
        }
        let begin = rows.time();
        let crossed = crossed(&self.observables, motion, rows.stops())?;
        let Some(first) = located(&self.observables, motion, &crossed, begin)?.into_iter().next() else {
            return Ok(None);
        };
        motion.retake(first.after)?;
        Ok(Some(self.observables.stops[first.condition].0.clone()))
    }
}

/// The domains of the coordinates as guards.
fn domain_guards(model: &Model) -> Vec<Guard> {
    let domains = model.coordinates().iter().filter_map(|c| c.domain);
    domains.map(|condition| Guard { text: model.graph().expr(condition).to_string(), condition }).collect()
}

/// The adaptive integrator of a method, if it is one.
fn adaptive_method(method: &Method) -> Option<AdaptiveMethod> {
    match method {
        Method::Dopri5 => Some(AdaptiveMethod::Dopri5),
        Method::Dop853 => Some(AdaptiveMethod::Dop853),
        _ => None,
    }
}

fn newton_options(settings: &Settings) -> NewtonOptions {
    let default = NewtonOptions::default();
    let tolerance = settings.tolerance.unwrap_or(default.tolerance);
    NewtonOptions { tolerance, backend: settings.backend, ..default }
}

/// For larger systems the check would take as long as everything else; all methods but collocation, whose stages may be solvable
/// all the same, find a singular mass matrix at their first step.
const CHECKED_AHEAD: usize = 32;

/// Is the regularity of the Lagrangian looked at before a run begins?
pub(crate) fn checked_ahead(method: &Method, system: &System<'_>) -> bool {
    let collocation = matches!(method, Method::Gauss(_));
    *method != Method::Custom && (collocation || system.len() <= CHECKED_AHEAD)
}

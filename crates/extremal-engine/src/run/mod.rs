//! Running a model: from its start to its end, recorded, watched, and stopped with a reason when it cannot go on.

mod audits;
mod blocks;
mod energy;
mod energy_nodes;
mod event_log;
mod events;
mod execution;
mod feasible;
mod given_times;
mod inertia;
mod integrable;
mod judge;
mod lane_audits;
mod lattice;
mod laws;
mod layout;
mod manifold;
#[cfg(test)]
mod margins;
mod momenta;
mod motion;
mod observables;
mod outcome;
mod rechosen;
mod recording;
mod report;
mod resolution;
mod restart;
mod sensitivity;
mod settings;
mod setup;
mod setup_error;
mod snapshot;
mod start;
mod start_check;
mod stops;
mod strands;
mod warming;
mod warning;
mod watch;
mod wide_watch;

use std::sync::{Arc, OnceLock};

use extremal_eval::Program;
use extremal_expr::syntax::nearest;
use extremal_mechanics::discrete::Scheme;
use extremal_model::{Method, Model};
use extremal_solve::{AdaptiveMarcher, CompiledScheme, Kernel, March, SolveStructure, StartValues, StepFailure};
use extremal_trajectory::Recorder;

use crate::SharedModel;
use restart::Reached;

pub(crate) use audits::{Audits, Promises};
pub(crate) use blocks::ColumnSource;
pub(crate) use event_log::{EventLog, EventSide};
pub(crate) use events::{EventRules, EventWatch, StepPassage};
pub(crate) use feasible::{CONSISTENT, TYPED, constraints_of, size_of_terms};
pub(crate) use given_times::GivenTimes;
pub(crate) use judge::{Instruments, Judge};
pub(crate) use lane_audits::LaneAudits;
pub(crate) use laws::Audit;
pub(crate) use layout::TIME;
pub(crate) use manifold::final_manifold;
pub(crate) use observables::Observables;
pub(crate) use rechosen::without_choice;
pub(crate) use sensitivity::{PeriodMap, Returned, SensitivityRules, ValueSlopes};
pub(crate) use settings::Plan;
pub(crate) use setup::checked_ahead;
pub(crate) use snapshot::Snapshot;
pub(crate) use start::{Bordered, RunStart, ids, undetermined};
pub(crate) use start_check::{LaneStartCheck, StartCheck, WideStartCheck};
pub(crate) use stops::{crossed, located};
pub(crate) use watch::Trouble;
pub(crate) use wide_watch::{WideWatch, row_columns};

pub use energy::EnergyLaw;
pub use events::EventCount;
pub use execution::Execution;
pub use feasible::{ConstraintError, ConstraintStructure, ConstraintViolation, ManifoldViolation};
pub use lattice::{Lattice, LatticeStructure};
pub use laws::{FirstLaw, Laws, SecondLaw, TemperatureRange};
pub use motion::{ChangeError, RestartableMotion};
pub use observables::Tracked;
pub use outcome::{End, Outcome, RunProgress};
pub use report::{Report, RunSummary};
pub use restart::RestartError;
pub use sensitivity::{Gradient, GradientError, SensitivityError, Slope};
pub use settings::{NEVER, Settings, SettingsError};
pub use setup_error::SetupError;
pub use start_check::StartProblem;
pub use warning::Warning;

/// A model compiled for running: parameters, step and start can change without compiling again.
///
/// ```
/// use extremal_engine::{Model, Recorder, run::{End, CompiledRun, Settings}};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let run = CompiledRun::new(&model, &Settings::of(&model))?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// let outcome = run.execute(&mut recorder, |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(outcome.end, End::Reached);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CompiledRun {
    pub(crate) model: SharedModel,
    pub(crate) observables: Arc<Observables>,
    pub(crate) compiled: Arc<Compiled>,
    /// The energy of a step by its positions.
    estimate: Option<Kernel>,
    pub(crate) plan: Plan,
    /// What it takes to carry out events, where the model has any.
    pub(crate) events: Option<EventRules>,
    method: Method,
    start: RunStart,
    constraints: ConstraintStructure,
    /// How large the terms of the constraints on positions are at the start.
    constraint_sizes: Vec<f64>,
    stated_energy: f64,
    /// The pace of steps at the start, one where they are alike.
    pace_at_start: f64,
    settings: Settings,
    given_times: GivenTimes,
    /// The formulas of the method, where it has some.
    scheme: Option<Arc<Scheme>>,
    /// What it takes to differentiate the motion, where that is asked for.
    sensitivity: Option<Arc<SensitivityRules>>,
    /// Where it goes on, if it does not begin at its start.
    reached: Option<Reached>,
    tracked: Vec<Tracked>,
    /// What is known of the energy, once it was asked for: it does not depend on values.
    energy_law: Arc<OnceLock<EnergyLaw>>,
}

#[derive(Clone)]
pub(crate) enum Compiled {
    Scheme(Box<CompiledScheme>),
    /// With steps that are as long as a pace says.
    Paced(Box<CompiledScheme>),
    Adaptive(Box<AdaptiveMarcher>),
    Lattice(Box<Lattice>),
}

impl CompiledRun {
    /// Where the run begins, for trials from other states.
    pub(crate) fn start_mut(&mut self) -> &mut StartValues {
        &mut self.start.values
    }

    /// The model that was compiled.
    pub fn model(&self) -> &SharedModel {
        &self.model
    }

    /// What it was compiled with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The columns of the rows that a run records.
    pub fn columns(&self) -> &extremal_trajectory::Columns {
        &self.observables.columns
    }

    /// The positions of the columns that are to be written; none where all are.
    ///
    /// # Errors
    /// A name that nothing has.
    pub fn written_columns(&self, asked: &[String]) -> Result<Option<Vec<usize>>, SetupError> {
        if asked.is_empty() {
            return Ok(None);
        }
        let unknown = |name: &str| {
            let names: Vec<&str> = self.columns().names().collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the columns are {}", names[..names.len().min(20)].join(", ")),
            };
            SetupError::UnknownColumn { name: name.to_owned(), help }
        };
        self.columns().named(asked).map(Some).map_err(unknown)
    }

    /// What takes its rows, for files every `record`-th of them or those at the times that were asked for.
    pub fn recorder(&self) -> Recorder {
        let recorder = Recorder::new(self.columns().clone()).every(self.settings.record);
        if self.settings.at.is_empty() { recorder } else { recorder.given_rows_only() }
    }

    /// The values of the parameters that it runs with, in the order of the model.
    pub fn parameter_values(&self) -> Vec<f64> {
        self.start.parameter_values()
    }

    /// The time of the start.
    pub fn start_time(&self) -> f64 {
        self.plan.from
    }

    /// The step, negative where the motion is followed backward.
    pub fn step(&self) -> f64 {
        self.plan.step
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// What elimination left of the equations of a step; `None` for an adaptive method.
    pub fn structure(&self) -> Option<SolveStructure> {
        match &*self.compiled {
            Compiled::Scheme(scheme) | Compiled::Paced(scheme) => Some(scheme.structure()),
            Compiled::Adaptive(_) => None,
            Compiled::Lattice(_) => {
                Some(SolveStructure { unknowns: 0, linear: true, keeps_jacobians: false, fixed_point: false })
            }
        }
    }

    /// What the formulas were compiled to, for those who want to see; nothing for many like members, whose rows are no programs.
    pub fn programs(&self) -> Vec<Program> {
        match &*self.compiled {
            Compiled::Scheme(scheme) | Compiled::Paced(scheme) => scheme.programs().to_vec(),
            Compiled::Adaptive(marcher) => marcher.programs().to_vec(),
            Compiled::Lattice(_) => Vec::new(),
        }
    }

    /// Steps that will be taken; about so many where a pace says how long they are.
    pub fn planned_steps(&self) -> u64 {
        let Plan { from, step, whole_steps, remainder, until } = self.plan;
        match until {
            Some(until) if until.is_finite() => ((until - from) / (step * self.pace_at_start)).ceil() as u64,
            _ => whole_steps + u64::from(remainder.is_some()),
        }
    }

    /// What a user should know before looking at the results.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.note_of_restart().into_iter().collect();
        if let Some(left) = self.plan.remainder {
            let (step, left) = (self.plan.step.abs(), left.abs());
            notes.push(format!("the end is not a multiple of the step {step}: the last step is {left:.6} long"));
        }
        if self.observables.heated() > 0 && matches!(self.method, Method::Compose { .. }) {
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

    /// All that should be known before the numbers are believed: of the model, before the run, and along it.
    pub fn all_warnings(&self, outcome: &Outcome) -> Vec<String> {
        let of_model: Vec<String> = self.model.lock().warnings().iter().map(ToString::to_string).collect();
        let watched = outcome.warnings.iter().map(ToString::to_string);
        of_model.into_iter().chain(self.notes()).chain(outcome.passage_warnings()).chain(watched).collect()
    }

    /// What the constraints amount to: degrees of freedom, rank, redundancy.
    pub fn constraints(&self) -> &ConstraintStructure {
        &self.constraints
    }

    /// What is known of the energy of its `model`.
    pub(crate) fn energy_law(&self, model: &Model) -> &EnergyLaw {
        self.energy_law.get_or_init(|| EnergyLaw::of(model))
    }

    /// Where the energy stands among the observed values of a motion.
    pub(crate) fn observed_energy(&self) -> usize {
        self.observables.observed().energy()
    }

    /// The energy of the stated start: of its positions, velocities and entropies, whatever the method makes of them.
    pub fn stated_energy(&self) -> f64 {
        self.stated_energy
    }

    /// The motion at its start, to be marched by hand.
    pub fn begin(&self) -> Result<Box<dyn March>, StepFailure> {
        let values = &self.start.values;
        Ok(match &*self.compiled {
            Compiled::Scheme(scheme) => match &self.reached {
                Some(Reached { steps, values, state }) => {
                    Box::new(scheme.resume(values, self.plan.step, state, *steps))
                }
                None => Box::new(scheme.start(values, self.plan.step)?),
            },
            Compiled::Paced(scheme) => Box::new(scheme.start_paced(values, self.plan.step)?),
            Compiled::Adaptive(marcher) => Box::new(marcher.start(values, self.plan.step)?),
            Compiled::Lattice(lattice) => Box::new(lattice.begin(self.plan.step)?),
        })
    }

    /// Takes the step number `step` (from 1) of the plan: a whole one, or what is left at the end.
    pub(crate) fn advance(&self, motion: &mut dyn March, step: u64) -> Result<(), StepFailure> {
        self.plan.advance(motion, step)
    }

    /// Is the motion at its end after so many steps?
    pub(crate) fn has_ended(&self, motion: &dyn March, steps: u64) -> bool {
        let Plan { whole_steps, remainder, .. } = self.plan;
        steps == whole_steps + u64::from(remainder.is_some()) || self.plan.is_at_end(motion.time())
    }

    /// The size of the step number `step` of the plan.
    pub(crate) fn size_of(&self, step: u64) -> f64 {
        self.plan.remainder.filter(|_| step > self.plan.whole_steps).unwrap_or(self.plan.step)
    }
}

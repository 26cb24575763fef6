//! A motion without an end, whose parameters can be changed on the way.

use std::sync::Arc;

use extremal_expr::syntax::nearest;
use extremal_mechanics::discrete::SchemeError;
use extremal_mechanics::{Block, Solve, System};
use extremal_model::{Model, Start};
use extremal_solve::{GuessSource, Kernel, NewtonOptions, SolveFailure, StartValues};
use extremal_trajectory::{RecordError, Recorder};
use thiserror::Error;

use super::execution::Execution;
use super::judge::Moment;
use super::start_check::{StartCheck, StartProblem};
use super::{Compiled, CompiledRun, End, NEVER, Outcome, Plan, Settings, SetupError, ids};
use crate::SharedModel;

/// Why a parameter cannot be changed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ChangeError {
    /// There is none of this name.
    #[error("the model has no parameter `{name}`{}", .suggestion.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    Unknown {
        /// The name.
        name: String,
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// The shape of the model depends on it.
    #[error("`{name}` counts members or bounds a sum: it is fixed once the model is read")]
    Structural {
        /// The parameter.
        name: String,
    },
    /// It, or a parameter that follows from it, has no finite value.
    #[error("the parameter `{name}` is not finite")]
    NotFinite {
        /// The parameter.
        name: String,
    },
    /// A Lagrangian with accelerations.
    #[error(transparent)]
    Unsupported(#[from] SchemeError),
    /// There are no velocities that have the momenta of the motion.
    #[error("with this parameter no velocities have the momenta of the motion: {0}")]
    Velocities(SolveFailure),
    /// With it the motion does not go on from where it is.
    #[error("with this parameter the motion cannot go on from where it is: {0}")]
    State(#[from] StartProblem),
    /// The motion has ended.
    #[error("the motion has ended")]
    Ended,
}

impl From<SetupError> for ChangeError {
    fn from(error: SetupError) -> ChangeError {
        ChangeError::State(error.into())
    }
}

/// A motion that goes on for as long as it is asked to, with everything compiled once.
///
/// ```
/// use extremal_engine::{Model, Settings, run::RestartableMotion};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let mut motion = RestartableMotion::new(&model, &Settings::of(&model))?;
/// motion.advance(100)?;
/// motion.set_parameter("l", 1.5)?;
/// motion.advance(100)?;
/// assert_eq!(motion.steps(), 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RestartableMotion {
    execution: Execution,
    recorder: Recorder,
    change: Result<Change, ChangeError>,
    /// The places of the parameters that were set, which do not follow others any more.
    set: Vec<usize>,
}

/// What it takes to go on with other parameters.
struct Change {
    check: StartCheck,
    /// Velocities from positions, momenta, entropies, time and multipliers.
    velocities: Kernel,
    at: Moment,
    /// The run from velocities, where it began from two positions.
    from_velocities: Option<CompiledRun>,
}

impl RestartableMotion {
    /// Derives and compiles everything. An end among the settings does not matter.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn new(model: impl Into<SharedModel>, settings: &Settings) -> Result<RestartableMotion, SetupError> {
        let shared = model.into();
        let settings = Settings { extent: Some(NEVER), ..settings.clone() };
        let run = CompiledRun::new(&shared, &settings)?;
        let change = Change::of(&shared, &settings, &run);
        let mut motion = RestartableMotion {
            execution: run.start(),
            recorder: Recorder::new(run.columns().clone()).for_files_only(),
            change,
            set: Vec::new(),
        };
        // The row of the start. A recorder without files takes every row.
        let _ = motion.execution.advance(&mut motion.recorder);
        Ok(motion)
    }

    /// Takes so many steps, fewer where a stop condition or a failure ends the motion.
    ///
    /// # Errors
    /// A row cannot be recorded.
    pub fn advance(&mut self, steps: u64) -> Result<(), RecordError> {
        for _ in 0..steps {
            if !self.execution.advance(&mut self.recorder)? {
                break;
            }
        }
        self.execution.complete(&mut self.recorder)
    }

    /// Where it is: a row under the columns of its run.
    pub fn row(&self) -> &[f64] {
        self.execution.row()
    }

    /// The run that it goes by.
    pub fn run(&self) -> &CompiledRun {
        self.execution.run()
    }

    /// How it ended, if it has.
    pub fn end(&self) -> Option<&End> {
        self.execution.outcome().map(|outcome| &outcome.end)
    }

    /// The value of a parameter now.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let run = self.execution.run();
        let at = run.model.lock().parameters().iter().position(|parameter| parameter.name == name)?;
        run.start.parameter_values().get(at).copied()
    }

    /// What was seen of it so far.
    pub fn outcome(&self) -> Outcome {
        self.execution.so_far()
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.execution.steps()
    }

    /// Gives a parameter another value, from now on. Parameters that follow from it change too, unless they were set themselves; positions,
    /// momenta and entropies stay, as those of a motion do whose Lagrangian jumps. Nothing is compiled again.
    ///
    /// # Errors
    /// See [`ChangeError`]; the motion is then as it was.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), ChangeError> {
        if self.execution.outcome().is_some() {
            return Err(ChangeError::Ended);
        }
        let change = self.change.as_mut().map_err(|error| error.clone())?;
        let run = self.execution.run();
        let (at, values) = changed(&run.model.lock(), &run.start.parameter_values(), name, value, &self.set)?;
        let run = change.applied(run, self.execution.row(), &values)?;
        // A recorder without files takes every row.
        let _ = self.execution.go_on(run, &mut self.recorder);
        self.set.push(at);
        Ok(())
    }
}

impl Change {
    fn of(shared: &SharedModel, settings: &Settings, run: &CompiledRun) -> Result<Change, ChangeError> {
        let from_velocities = match settings.start {
            Start::TwoPoints => {
                Some(CompiledRun::new(shared, &Settings { start: Start::Legendre, ..settings.clone() })?)
            }
            Start::Legendre | Start::Points => None,
        };
        let model = &*shared.lock();
        if model.order() > 1 {
            return Err(SchemeError::BesideAccelerations("changes of parameters").into());
        }
        if model.momentum_order().is_some() {
            return Err(SchemeError::OptimalFlow("changes of parameters").into());
        }
        let mut system = System::of(model);
        let mut kept = run.observables.kept.iter();
        system.constraints.retain(|_| kept.next().is_none_or(|kept| *kept));
        let guess = system.symbols("v_", "");
        let momenta = system.momenta().into_iter().zip(&system.p);
        let residual: Vec<_> = momenta.map(|(momentum, p)| momentum - *p).collect();
        let inputs =
            [&system.q[..], &system.p, &system.heat.s, &[system.t], &system.moving_multipliers(), &guess].concat();
        // Where momenta are coordinates velocities follow from them.
        let on_phase_space = model.momentum_coordinates() > 0;
        system.manifold = on_phase_space.then(|| system.phase_space()).flatten();
        let follow = system.is_empty() || system.manifold.is_some();
        let block = Block {
            inputs: ids(&inputs),
            solves: if follow { Vec::new() } else { vec![Solve::new(&system.v, &residual, &guess)] },
            outputs: ids(&system.restricted(&system.v)),
        };
        let parameters: Vec<_> = model.parameters().iter().map(|p| p.symbol).collect();
        let observables = &run.observables;
        Ok(Change {
            check: StartCheck::new(model, settings, observables)?,
            velocities: Kernel::compile(model.graph(), &parameters, &block, NewtonOptions::default())
                .map_err(SetupError::from)?,
            at: Moment::new(observables.coordinates, observables.entropies),
            from_velocities,
        })
    }

    /// The run from this row on, with these parameters.
    fn applied(&mut self, run: &CompiledRun, row: &[f64], parameters: &[f64]) -> Result<CompiledRun, ChangeError> {
        self.at.read(&run.observables, row);
        let mut start = self.at.start();
        let Moment { v, p, .. } = &self.at;
        let inputs = [&start.q[..], p, &start.s, &[start.time], &start.multipliers, v].concat();
        self.velocities.set_parameters(parameters);
        self.velocities.run(&inputs, GuessSource::Formula, &mut start.v).map_err(ChangeError::Velocities)?;
        self.check.check(parameters, &mut start)?;
        let mut run = self.from_velocities.as_ref().unwrap_or(run).clone();
        run.set_parameters(parameters);
        run.start.values = start;
        Ok(run)
    }
}

impl CompiledRun {
    fn set_parameters(&mut self, parameters: &[f64]) {
        match Arc::make_mut(&mut self.compiled) {
            Compiled::Scheme(scheme) | Compiled::Paced(scheme) => scheme.set_parameters(parameters),
            Compiled::Adaptive(marcher) => marcher.set_parameters(parameters),
            Compiled::Lattice(_) => {}
        }
        self.estimate.iter_mut().for_each(|kernel| kernel.set_parameters(parameters));
        self.events.iter_mut().for_each(|events| events.set_parameters(parameters));
        self.start.set_parameters(parameters);
    }

    /// Other values than those it was compiled with: `start` was checked, and moved by so much because it missed the constraints.
    pub(crate) fn set_values(&mut self, parameters: &[f64], start: StartValues, plan: Plan, moved: f64, missed: f64) {
        if self.start.parameter_values() != parameters {
            self.set_parameters(parameters);
        }
        (self.start.values, self.start.second_time) = (start, plan.from + plan.step);
        (self.constraints.moved, self.constraints.missed) = (moved, missed);
        self.plan = plan;
        // Nobody who changes values asks for it, and to compute it would derive the energy again.
        self.stated_energy = f64::NAN;
    }
}

/// The place of a parameter, and the values of all with another one of it.
fn changed(
    model: &Model,
    values: &[f64],
    name: &str,
    value: f64,
    set: &[usize],
) -> Result<(usize, Vec<f64>), ChangeError> {
    let (g, parameters) = (model.graph(), model.parameters());
    let Some(at) = parameters.iter().position(|parameter| parameter.name == name) else {
        let suggestion = nearest(name, parameters.iter().map(|p| p.name.as_str())).map(str::to_owned);
        return Err(ChangeError::Unknown { name: name.to_owned(), suggestion });
    };
    if parameters[at].structural {
        return Err(ChangeError::Structural { name: name.to_owned() });
    }
    let mut values = values.to_vec();
    values[at] = value;
    let mut changing = vec![g.expr(parameters[at].symbol)];
    for (place, parameter) in parameters.iter().enumerate() {
        let expression = g.expr(parameter.expression);
        if place != at && !set.contains(&place) && expression.depends_on(&changing) {
            let known = |name: &str| parameters.iter().position(|p| p.name == name).map(|known| values[known]);
            values[place] = g.evaluate(&[expression], known)[0];
            changing.push(g.expr(parameter.symbol));
        }
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => Err(ChangeError::NotFinite { name: parameters[place].name.clone() }),
        None => Ok((at, values)),
    }
}

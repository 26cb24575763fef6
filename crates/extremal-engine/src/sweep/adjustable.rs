//! A run with other values: what a member of a sweep is, with everything that a run records.

use extremal_mechanics::discrete::SchemeError;

use super::members::{Fixed, Preparation};
use super::target::targets;
use super::variation::{Axis, Values, Variation};
use super::{SweepError, fixed_settings};
use crate::SharedModel;
use crate::run::{CompiledRun, Settings, SetupError, StartCheck, StartProblem};

/// A compiled run that can be had again with other parameters and from other starts, without compiling.
///
/// ```
/// use extremal_engine::sweep::AdjustableRun;
/// use extremal_engine::{Model, Recorder, Settings};
/// let model = Model::from_toml(extremal_engine::gallery::text("harmonic-oscillator").unwrap())?;
/// let mut adjustable = AdjustableRun::new(&model, &Settings::of(&model))?;
/// let run = adjustable.with(&[("x", 3.0)])?;
/// let mut recorder = Recorder::new(run.columns().clone());
/// assert!(run.start().advance(&mut recorder)?);
/// assert_eq!(recorder.last().unwrap()[1], 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct AdjustableRun {
    run: CompiledRun,
    settings: Settings,
    fixed: Fixed,
    /// Once it is asked for.
    check: Option<StartCheck>,
}

impl AdjustableRun {
    /// Derives and compiles everything. A step or an end of `None` in the settings is that of the model, and follows its parameters.
    ///
    /// # Errors
    /// See [`SetupError`].
    pub fn new(model: impl Into<SharedModel>, settings: &Settings) -> Result<AdjustableRun, SetupError> {
        let shared = model.into();
        let (settings, fixed) = fixed_settings(&shared.lock(), settings);
        let run = CompiledRun::new(&shared, &settings)?;
        Ok(AdjustableRun { run, settings, fixed, check: None })
    }

    /// The run of the model as it is.
    pub fn run(&self) -> &CompiledRun {
        &self.run
    }

    /// The run with other values of parameters, or starts of coordinates `x`, velocities `x'`, entropies and states. What follows from
    /// them in the model changes too. The numbers are those of a member of a sweep with these values.
    ///
    /// # Errors
    /// There is nothing of such a name, or no motion starts with these values.
    pub fn with(&mut self, values: &[(&str, f64)]) -> Result<CompiledRun, SweepError> {
        let mut run = self.run.clone();
        if values.is_empty() {
            return Ok(run);
        }
        let axis =
            |(name, value): &(&str, f64)| Axis { name: (*name).to_owned(), values: Values::Listed(vec![*value]) };
        let variation = Variation { grid: values.iter().map(axis).collect(), ..Variation::default() };
        let shared = run.model().clone();
        let model = &*shared.lock();
        if model.order() > 1 {
            return Err(SetupError::from(SchemeError::BesideAccelerations("other values of a compiled run")).into());
        }
        let targets = targets(model, self.settings.start, &variation)?;
        let preparation = Preparation::new(model, &variation, targets, &self.settings, &run.plan, self.fixed);
        let members = preparation.members(0..1);
        let Some(member) = members.iter().next() else { return Ok(run) };
        if let Some(problem) = member.problem {
            return Err(SweepError::Values(problem.to_owned()));
        }
        let mut start = preparation.layout.values();
        preparation.layout.fill(member.start, &mut start);
        start.time = member.plan.from;
        let stated = start.clone();
        let check = match &mut self.check {
            Some(check) => check,
            unread => unread.insert(StartCheck::new(model, &self.settings, &run.observables)?),
        };
        let missed = check.check(member.parameters, &mut start).map_err(|problem| match problem {
            StartProblem::Setup(error) => SweepError::Setup(error),
            other => SweepError::Values(other.to_string()),
        })?;
        let pairs = stated.q.iter().zip(&start.q).chain(stated.v.iter().zip(&start.v));
        let moved = pairs.map(|(before, after)| (after - before).abs()).fold(0.0, f64::max);
        run.set_values(member.parameters, start, member.plan.clone(), moved, missed);
        Ok(run)
    }
}

//! How a model is to be run: what the model says, unless the caller says otherwise.

use extremal_eval::Backend;
use extremal_model::{AtSingular, ConstraintForm, EntropyBase, Extent, Method, Model, Pacing, Start};
use extremal_solve::{March, StepFailure};
use thiserror::Error;

use super::given_times::GivenTimes;

/// Everything a run needs to know beyond the model.
///
/// ```
/// use extremal_engine::{Model, run::Settings};
/// let model = Model::from_toml(extremal_engine::gallery::text("pendulum").unwrap())?;
/// let settings = Settings::of(&model);
/// assert!(settings.step.is_some());
/// # Ok::<(), extremal_engine::InvalidModel>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// The step, or for an adaptive method the time between records.
    pub step: Option<f64>,
    /// The time of the start, zero unless it is stated.
    pub from: Option<f64>,
    /// How far to go.
    pub extent: Option<Extent>,
    /// How the run begins.
    pub start: Start,
    /// Where in a step the entropies of a discrete Lagrangian are taken.
    pub entropy: EntropyBase,
    /// Whether velocities satisfy the constraints at the end of every step, or when they are looked at.
    pub constraints: ConstraintForm,
    /// Is a start that violates the constraints moved to the nearest one that does not?
    pub project: bool,
    /// What the run does at a singular configuration of its constraints.
    pub singular: AtSingular,
    /// Write every so many steps to files.
    pub record: u64,
    /// The times of the rows that are written to files; every step's (or every `record`-th) if there are none.
    pub at: Vec<f64>,
    /// Residual tolerance of implicit steps relative to the size of their terms, or relative tolerance of an adaptive method.
    pub tolerance: Option<f64>,
    /// The cyclic coordinates without which steps are taken.
    pub reduce: Vec<String>,
    /// How long steps are: all alike, or as the pace of the model says.
    pub pacing: Pacing,
    /// The columns that are written to files, by name or with `*`; all if there are none. Definitions, and `error_x` of a closed form,
    /// are recorded where they are named here.
    pub columns: Vec<String>,
    /// The parameters and starts by which the motion is differentiated: columns `dx/dp`.
    pub sensitivity: Vec<String>,
    /// What evaluates the formulas, where it is not to be the fastest there is.
    pub backend: Option<Backend>,
    /// Are Jacobians written out in full, also where those of a chain or a tree could be sparse? For files of formulas.
    pub full_slopes: bool,
    /// Are steps also prepared for the tables of devices, on which sweeps march?
    pub wide: bool,
}

/// A run that cannot even begin.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SettingsError {
    /// No step anywhere.
    #[error("no step is given: add `step = 0.01` to [simulation]")]
    NoStep,
    /// No end anywhere.
    #[error("no end is given: add `until = 10.0` to [simulation]")]
    NoEnd,
    /// A step that is not a positive number.
    #[error("the step must be a positive number, not {0}")]
    BadStep(f64),
    /// An end that does not lie ahead.
    #[error("the end must be a time other than that of the start, not {0}")]
    BadEnd(f64),
    /// A start that is no time.
    #[error("the start must be a time, not {0}")]
    BadFrom(f64),
    /// A motion that cannot be undone, followed backward.
    #[error(
        "{what} cannot be followed backward: what is lost or produced on the way forward is not found again; end later than the start"
    )]
    Backward {
        /// Why it cannot.
        what: &'static str,
    },
    /// A row that is wanted at a time to which the run does not come.
    #[error("a row is wanted at t = {time}, but the run goes from {from} to {end}")]
    OutsideRun {
        /// The time.
        time: f64,
        /// Where the run begins.
        from: f64,
        /// Where it ends.
        end: f64,
    },
    /// Steps by a pace that nothing says.
    #[error("steps are {0}, but by no pace: say how long they are where, `pace = \"r\"` in [simulation] for instance")]
    NoPace(Pacing),
    /// A pace at which no step can be taken.
    #[error("the pace at the start must be a positive number, not {0}")]
    BadPace(f64),
    /// What needs steps that are alike.
    #[error("{what} need steps that are alike: leave out `pace`, or say `pacing = \"even\"`")]
    Paced {
        /// What.
        what: &'static str,
    },
    /// More steps than anyone can take.
    #[error("{0:e} steps are too many: the largest number is 1e15")]
    TooManySteps(f64),
    /// A tolerance that makes no sense.
    #[error("the tolerance must lie between 1e-15 and 0.1, not {0}")]
    BadTolerance(f64),
    /// A method that carries equally spaced points, with a step of another length.
    #[error(
        "`difference` carries points at equal distances: the end must be a multiple of the step, and a stop in between is not \
         possible; use `hermite`"
    )]
    EqualSteps,
    /// `two-points` without second positions.
    #[error("the start `two-points` needs a `second` position for every coordinate")]
    NoSecond,
    /// `points` without points.
    #[error("the start `points` needs four positions in a row, `points = [...]`, in `[discrete]`")]
    NoPoints,
}

/// Settings that were checked: numbers of steps and all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    pub from: f64,
    /// Negative where the motion is followed backward.
    pub step: f64,
    pub whole_steps: u64,
    /// What is left after the whole steps, taken as a last shorter one.
    pub remainder: Option<f64>,
    /// The time at the end, where steps are as long as a pace says: there are then as many as it takes, and no more than `whole_steps`.
    pub until: Option<f64>,
}

impl Plan {
    /// The time at the end.
    pub fn end(&self) -> f64 {
        let even = (self.whole_steps as f64).mul_add(self.step, self.from) + self.remainder.unwrap_or(0.0);
        self.until.unwrap_or(even)
    }

    /// Is this the end of steps that are as long as a pace says?
    pub fn is_at_end(&self, time: f64) -> bool {
        self.until == Some(time)
    }

    /// Takes the step number `step` (from 1): a whole one, or what is left at the end.
    pub fn advance(&self, motion: &mut dyn March, step: u64) -> Result<(), StepFailure> {
        if let Some(until) = self.until {
            let begin = motion.time();
            if self.is_at_end(begin) {
                return Ok(());
            }
            motion.advance()?;
            let (left, taken) = (until - motion.time(), motion.time() - begin);
            return if left / taken <= ROUNDING { motion.complete(until) } else { Ok(()) };
        }
        match self.remainder {
            Some(left) if step > self.whole_steps => motion.advance_by(left),
            _ => motion.advance(),
        }
    }
}

/// `until` counts as a multiple of the step when it is one up to rounding of the division, and as reached by this part of a step.
const ROUNDING: f64 = 1e-9;
const MAX_STEPS: f64 = 1e15;
/// An end that is not reached, for motions that go on for as long as they are asked to.
pub const NEVER: Extent = Extent::Steps(MAX_STEPS as u64);

impl Settings {
    /// What the model itself says.
    pub fn of(model: &Model) -> Settings {
        let simulation = model.simulation();
        Settings {
            method: simulation.method.clone(),
            step: simulation.step,
            from: simulation.from,
            extent: simulation.extent,
            start: simulation.start,
            entropy: simulation.entropy,
            constraints: simulation.constraints,
            project: simulation.project,
            singular: simulation.singular,
            record: simulation.record.unwrap_or(1),
            at: simulation.at.clone(),
            tolerance: simulation.tolerance,
            reduce: simulation.reduce.clone(),
            pacing: simulation.pacing,
            columns: Vec::new(),
            sensitivity: Vec::new(),
            backend: None,
            full_slopes: false,
            wide: false,
        }
    }

    /// The times at which rows are wanted, for a run of this plan.
    pub(crate) fn given_times(&self, plan: &Plan) -> Result<GivenTimes, SettingsError> {
        let Plan { from, step, .. } = *plan;
        GivenTimes::of(&self.at, from, step, plan.end())
    }

    pub(crate) fn plan(&self) -> Result<Plan, SettingsError> {
        let step = self.step.ok_or(SettingsError::NoStep)?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(SettingsError::BadStep(step));
        }
        if let Some(tolerance) = self.tolerance
            && !(1e-15..=0.1).contains(&tolerance)
        {
            return Err(SettingsError::BadTolerance(tolerance));
        }
        let from = self.from.unwrap_or(0.0);
        if !from.is_finite() {
            return Err(SettingsError::BadFrom(from));
        }
        let count = match self.extent.ok_or(SettingsError::NoEnd)? {
            Extent::Steps(0) => return Err(SettingsError::BadEnd(0.0)),
            Extent::Steps(steps) => steps as f64,
            Extent::Until(end) if end.is_finite() => (end - from) / step,
            Extent::Until(end) => return Err(SettingsError::BadEnd(end)),
        };
        let Some(step) = (count != 0.0).then(|| step.copysign(count)) else {
            return Err(SettingsError::BadEnd(from));
        };
        let count = count.abs();
        if self.pacing != Pacing::Even {
            let (whole_steps, until) = match self.extent {
                Some(Extent::Until(end)) => (MAX_STEPS as u64, end),
                _ => (count as u64, f64::INFINITY.copysign(step)),
            };
            return Ok(Plan { from, step, whole_steps, remainder: None, until: Some(until) });
        }
        if count > MAX_STEPS {
            return Err(SettingsError::TooManySteps(count));
        }
        let nearest = count.round();
        if (count - nearest).abs() <= ROUNDING * nearest.max(1.0) && nearest >= 1.0 {
            return Ok(Plan { from, step, whole_steps: nearest as u64, remainder: None, until: None });
        }
        let whole = count.floor();
        Ok(Plan { from, step, whole_steps: whole as u64, remainder: Some((count - whole) * step), until: None })
    }

    /// Refuses steps by a pace where all must be alike.
    pub(crate) fn check_even(&self, what: &'static str) -> Result<(), SettingsError> {
        match self.pacing {
            Pacing::Even => Ok(()),
            Pacing::Symmetric | Pacing::Symplectic => Err(SettingsError::Paced { what }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(step: f64, until: f64) -> Settings {
        Settings {
            method: Method::Midpoint,
            step: Some(step),
            from: None,
            extent: Some(Extent::Until(until)),
            start: Start::Legendre,
            entropy: EntropyBase::Midpoint,
            constraints: ConstraintForm::Rattle,
            project: false,
            singular: AtSingular::Stop,
            record: 1,
            at: Vec::new(),
            tolerance: None,
            reduce: Vec::new(),
            pacing: Pacing::Even,
            columns: Vec::new(),
            sensitivity: Vec::new(),
            backend: None,
            full_slopes: false,
            wide: false,
        }
    }

    #[test]
    fn multiples_are_recognised_through_rounding() {
        let plan = settings(0.1, 0.3).plan().unwrap();
        assert_eq!((plan.whole_steps, plan.remainder), (3, None));
        assert_eq!(settings(6.32591398 / 400.0, 6.32591398).plan().unwrap().whole_steps, 400);
        let plan = settings(0.4, 1.0).plan().unwrap();
        assert_eq!(plan.whole_steps, 2);
        assert!((plan.remainder.unwrap() - 0.2).abs() < 1e-15);
        assert_eq!(
            settings(2.0, 1.0).plan().unwrap(),
            Plan { from: 0.0, step: 2.0, whole_steps: 0, remainder: Some(1.0), until: None }
        );
    }

    #[test]
    fn the_end_says_which_way_time_runs() {
        let plan = Settings { from: Some(3.0), ..settings(0.4, 2.0) }.plan().unwrap();
        assert_eq!((plan.from, plan.step, plan.whole_steps), (3.0, -0.4, 2));
        assert!((plan.remainder.unwrap() + 0.2).abs() < 1e-15);
        let steps = Settings { from: Some(3.0), extent: Some(Extent::Steps(5)), ..settings(0.4, 2.0) };
        assert_eq!(steps.plan().unwrap(), Plan { from: 3.0, step: 0.4, whole_steps: 5, remainder: None, until: None });
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(settings(0.0, 1.0).plan(), Err(SettingsError::BadStep(0.0)));
        assert!(matches!(settings(f64::NAN, 1.0).plan(), Err(SettingsError::BadStep(_))));
        assert_eq!(settings(0.1, 0.0).plan(), Err(SettingsError::BadEnd(0.0)));
        assert_eq!(Settings { from: Some(2.0), ..settings(0.1, 2.0) }.plan(), Err(SettingsError::BadEnd(2.0)));
        assert!(matches!(
            Settings { from: Some(f64::NAN), ..settings(0.1, 2.0) }.plan(),
            Err(SettingsError::BadFrom(_))
        ));
        assert_eq!(settings(1e-12, 1e6).plan(), Err(SettingsError::TooManySteps(1e18)));
        assert_eq!(Settings { step: None, ..settings(1.0, 1.0) }.plan(), Err(SettingsError::NoStep));
    }
}

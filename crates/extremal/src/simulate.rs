//! A simulation: how a model is to be run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use extremal_engine::model::{AtSingular, ConstraintForm, EntropyBase, Extent, Start};
use extremal_engine::run::{End, Lattice, Report};
use extremal_engine::trajectory::Sink;
use extremal_engine::{Method, Recorder, Settings};

use crate::observer::unwatched;
use crate::{Error, ErrorKind, Model, Observer, Progress, Run};

/// How a model is to be run. What is not said is taken from `[simulation]` in the model.
///
/// ```
/// use extremal::{Method, Model};
/// let model = Model::gallery("pendulum")?;
/// let run = model.simulate().method(Method::galerkin(2)).step(0.01).until(10.0).run()?;
/// assert_eq!(run["theta"].len(), 1001);
/// assert!(run.energy().max_drift() < 1e-6);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    model: Model,
    asked: Asked,
    files: Vec<PathBuf>,
    keep: bool,
}

/// What was said, in the place of what the model says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub method: Option<Method>,
    pub step: Option<f64>,
    pub extent: Option<Extent>,
    start: Option<Start>,
    entropy: Option<EntropyBase>,
    constraints: Option<ConstraintForm>,
    project: Option<bool>,
    singular: Option<AtSingular>,
    record: Option<u64>,
    pub tolerance: Option<f64>,
}

impl Asked {
    /// # Errors
    /// A method that cannot be.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.method.iter().try_for_each(Method::check)?)
    }

    /// What the model says, unless something else was said.
    pub fn settings(&self, model: &extremal_engine::Model) -> Settings {
        let of_model = Settings::of(model);
        Settings {
            method: self.method.clone().unwrap_or(of_model.method),
            step: self.step.or(of_model.step),
            extent: self.extent.or(of_model.extent),
            start: self.start.unwrap_or(of_model.start),
            entropy: self.entropy.unwrap_or(of_model.entropy),
            constraints: self.constraints.unwrap_or(of_model.constraints),
            project: self.project.unwrap_or(of_model.project),
            singular: self.singular.unwrap_or(of_model.singular),
            record: self.record.unwrap_or(of_model.record),
            tolerance: self.tolerance.or(of_model.tolerance),
            backend: of_model.backend,
        }
    }
}

impl Simulation {
    pub(crate) fn of(model: &Model) -> Simulation {
        Simulation { model: model.clone(), asked: Asked::default(), files: Vec::new(), keep: true }
    }

    /// The method.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.asked.method = Some(method);
        self
    }

    /// The step, or for an adaptive method the time between rows.
    #[must_use]
    pub fn step(mut self, step: f64) -> Self {
        self.asked.step = Some(step);
        self
    }

    /// The time at which it ends.
    #[must_use]
    pub fn until(mut self, time: f64) -> Self {
        self.asked.extent = Some(Extent::Until(time));
        self
    }

    /// How many steps it takes.
    #[must_use]
    pub fn steps(mut self, steps: u64) -> Self {
        self.asked.extent = Some(Extent::Steps(steps));
        self
    }

    /// How it begins: from velocities, or from two positions.
    #[must_use]
    pub fn start(mut self, start: Start) -> Self {
        self.asked.start = Some(start);
        self
    }

    /// Where in a step entropies are taken.
    #[must_use]
    pub fn entropy(mut self, base: EntropyBase) -> Self {
        self.asked.entropy = Some(base);
        self
    }

    /// How a step keeps holonomic constraints.
    #[must_use]
    pub fn constraints(mut self, form: ConstraintForm) -> Self {
        self.asked.constraints = Some(form);
        self
    }

    /// Moves a start that violates the constraints onto them.
    #[must_use]
    pub fn project(mut self, project: bool) -> Self {
        self.asked.project = Some(project);
        self
    }

    /// What it does at a singular configuration of its constraints.
    #[must_use]
    pub fn singular(mut self, at: AtSingular) -> Self {
        self.asked.singular = Some(at);
        self
    }

    /// The tolerance of implicit steps, or of an adaptive method.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.asked.tolerance = Some(tolerance);
        self
    }

    /// Keeps every so many steps only. What is said of drifts and audits always comes from all of them.
    #[must_use]
    pub fn record(mut self, every: u64) -> Self {
        self.asked.record = Some(every);
        self
    }

    /// Also writes the rows to a file while it runs, as .csv, .json or .parquet.
    #[must_use]
    pub fn write(mut self, path: impl AsRef<Path>) -> Self {
        self.files.push(path.as_ref().to_owned());
        self
    }

    /// Keeps no rows but the last in memory, for runs that are written to files.
    #[must_use]
    pub fn keep_nothing(mut self) -> Self {
        self.keep = false;
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// It cannot be set up, or could not go on: then [`Error::partial`] has the run up to there.
    pub fn run(&self) -> Result<Run, Error> {
        self.run_with(unwatched)
    }

    /// Runs it; the observer may end it.
    ///
    /// # Errors
    /// As for [`Simulation::run`]; one that was ended is [`ErrorKind::Interrupted`].
    pub fn run_with(&self, mut observer: impl Observer) -> Result<Run, Error> {
        self.asked.check()?;
        let lattice = self.model.lattice(|model| self.asked.settings(model))?;
        let (model, lattice) = match lattice {
            Some((few, lattice)) => (few, Some(lattice)),
            None => (self.model.working_copy(), None),
        };
        let settings = self.asked.settings(&model);
        let run = match &lattice {
            Some(lattice) => extremal_engine::Run::of_lattice(&model, lattice)?,
            None => extremal_engine::Run::new(&model, &settings)?,
        };
        let mut recorder = Recorder::new(run.columns().clone()).every(settings.record);
        let kept = Kept::new(run.columns().len());
        if self.keep {
            recorder.add_sink("memory", Box::new(kept.clone()));
        }
        for path in &self.files {
            recorder.add_file(path)?;
        }
        let outcome =
            run.execute(&mut recorder, |now| observer.progress(Progress { done: now.step, total: Some(now.steps) }))?;
        let warnings = model
            .warnings()
            .iter()
            .map(ToString::to_string)
            .chain(run.notes())
            .chain(outcome.passage_warnings())
            .chain(outcome.warnings.iter().map(ToString::to_string))
            .collect();
        let report = Report { model: &model, run: &run, outcome: &outcome, recorder: &recorder, warnings };
        let result = Run::of(&report, kept.take());
        match &outcome.end {
            End::Reached | End::Stopped { .. } => Ok(result),
            End::Failed(failure) => Err(Error::of_run(ErrorKind::Motion, failure.to_string(), result)),
            End::Interrupted => Err(Error::of_run(ErrorKind::Interrupted, "the observer ended the run", result)),
        }
    }
}

impl Model {
    /// The model with a few of its many like members, and what runs all of them; `None` where it has to be unrolled.
    fn lattice(
        &self,
        settings: impl FnOnce(&extremal_engine::Model) -> Settings,
    ) -> Result<Option<(extremal_engine::Model, Lattice)>, Error> {
        let (text, overrides) = self.statement();
        Ok(Lattice::read(text, overrides, settings)?)
    }
}

/// Rows in memory, column by column.
#[derive(Clone)]
struct Kept(Arc<Mutex<Vec<Vec<f64>>>>);

impl Kept {
    fn new(columns: usize) -> Kept {
        Kept(Arc::new(Mutex::new(vec![Vec::new(); columns])))
    }

    fn take(&self) -> Vec<Vec<f64>> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for Kept {
    fn write_row(&mut self, row: &[f64]) -> std::io::Result<()> {
        let mut columns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

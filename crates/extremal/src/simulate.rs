//! A simulation: how a model is to be run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use extremal_engine::Recorder;
use extremal_engine::run::{Lattice, NEVER};
use extremal_engine::trajectory::{RowBlock, Sink};

use crate::asked::{Asked, step_options};
use crate::observer::unwatched;
use crate::{Error, Model, Motion, Observer, Progress, Run, Stream};

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
    pub(crate) asked: Asked,
    files: Vec<PathBuf>,
    keep: bool,
}

impl Simulation {
    pub(crate) fn of(model: &Model) -> Simulation {
        Simulation { model: model.clone(), asked: Asked::default(), files: Vec::new(), keep: true }
    }

    step_options!();

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
    /// As for [`Simulation::run`]; one that was ended is [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    pub fn run_with(&self, mut observer: impl Observer) -> Result<Run, Error> {
        let (run, mut recorder) = self.prepared()?;
        let kept = RowsInMemory::new(run.columns().len());
        if self.keep {
            recorder.add_sink("memory", Box::new(kept.clone()));
        }
        let outcome =
            run.execute(&mut recorder, |now| observer.progress(Progress { done: now.step, total: Some(now.steps) }))?;
        Run::of(&run, &outcome, &recorder, kept.take()).ended(&outcome.end)
    }

    /// Runs it row by row, as far as rows are asked for. Where no end is stated, there is none.
    ///
    /// ```
    /// use extremal::Model;
    /// let model = Model::gallery("pendulum")?;
    /// for state in model.simulate().step(0.01).stream()? {
    ///     if state?.q("theta") > 3.0 {
    ///         break;
    ///     }
    /// }
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// It cannot be set up. What ends it later is its last item.
    pub fn stream(&self) -> Result<Stream, Error> {
        let mut simulation = self.clone();
        let stated = self.asked.extent.or(self.model.working_copy().simulation().extent);
        simulation.asked.extent = stated.or(Some(NEVER));
        let (run, recorder) = simulation.prepared()?;
        Ok(Stream::of(run, recorder))
    }

    /// Begins a motion that goes on for as long as it is asked to, and whose parameters can be changed on the way.
    ///
    /// ```
    /// use extremal::{Method, Model};
    /// let model = Model::gallery("pendulum")?;
    /// let mut motion = model.simulate().method(Method::galerkin(2)).step(0.01).march()?;
    /// motion.advance(1000)?;
    /// motion.set_parameter("l", 1.5)?;
    /// motion.advance(1000)?;
    /// assert!((motion.state().time() - 20.0).abs() < 1e-9);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// It cannot be set up.
    pub fn march(&self) -> Result<Motion, Error> {
        self.asked.check()?;
        let model = self.model.working_copy();
        let settings = self.asked.settings(&model);
        Ok(Motion::of(extremal_engine::run::RestartableMotion::new(model, &settings)?))
    }

    /// The compiled run, and a recorder with the files.
    fn prepared(&self) -> Result<(extremal_engine::CompiledRun, Recorder), Error> {
        self.asked.check()?;
        let (text, overrides) = self.model.statement();
        let run = match Lattice::read(text, overrides, |model| self.asked.settings(model))? {
            // The model with a few of its many like members, and what runs all of them.
            Some((few, lattice)) => extremal_engine::CompiledRun::of_lattice(few, &lattice)?,
            None => {
                let model = self.model.working_copy();
                let settings = self.asked.settings(&model);
                extremal_engine::CompiledRun::new(model, &settings)?
            }
        };
        let mut recorder = Recorder::new(run.columns().clone()).every(run.settings().record);
        for path in &self.files {
            recorder.add_file(path)?;
        }
        Ok((run, recorder))
    }
}

/// Rows in memory, column by column.
#[derive(Clone)]
struct RowsInMemory(Arc<Mutex<Vec<Vec<f64>>>>);

impl RowsInMemory {
    fn new(columns: usize) -> RowsInMemory {
        RowsInMemory(Arc::new(Mutex::new(vec![Vec::new(); columns])))
    }

    fn take(&self) -> Vec<Vec<f64>> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sink for RowsInMemory {
    fn write_row(&mut self, row: &[f64]) -> std::io::Result<()> {
        let mut columns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        columns.iter_mut().zip(row).for_each(|(column, value)| column.push(*value));
        Ok(())
    }

    fn write_block(&mut self, block: &dyn RowBlock, first: usize, stride: usize) -> std::io::Result<()> {
        let mut columns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, column) in columns.iter_mut().enumerate() {
            match stride {
                1 => column.extend_from_slice(&block.column(at)[first..]),
                _ => column.extend(block.column(at)[first..].iter().step_by(stride)),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

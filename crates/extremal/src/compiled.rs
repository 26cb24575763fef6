//! A simulation that was compiled, to be run many times.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use extremal_engine::CompiledRun;
use extremal_engine::Recorder;
use extremal_engine::lyapunov::{LyapunovOptions, LyapunovSpectrum};
use extremal_engine::run::{Gradient, RunProgress};
use extremal_engine::sweep::AdjustableRun;
use extremal_engine::trajectory::{RowBlock, Sink};

use crate::observer::unwatched;
use crate::{Error, ErrorKind, Observer, Progress, Run};

/// A simulation with everything compiled: it can be run again, also with other parameters and from other starts, at the cost of its
/// steps alone. Copies share the compiled code.
///
/// ```
/// use extremal::Model;
/// let swing = Model::gallery("pendulum")?.simulate().step(0.01).steps(10).compile()?;
/// let longer = swing.with(&[("l", 2.0), ("theta", 0.1)])?;
/// assert_eq!(longer.run()?["theta"][0], 0.1);
/// // The same bits as from a model that was stated so.
/// let stated = Model::gallery("pendulum")?.with("l", 2.0)?.simulate().step(0.01).steps(10).run()?;
/// assert_eq!(swing.with(&[("l", 2.0)])?.run()?["theta"], stated["theta"]);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone)]
pub struct CompiledSimulation {
    run: CompiledRun,
    /// Of many like members there is none: their values are those they were compiled with.
    adjustable: Option<Arc<Mutex<AdjustableRun>>>,
    files: Vec<PathBuf>,
    keep: bool,
}

impl CompiledSimulation {
    pub(crate) fn of(run: CompiledRun, files: Vec<PathBuf>, keep: bool) -> CompiledSimulation {
        CompiledSimulation { run, adjustable: None, files, keep }
    }

    pub(crate) fn adjustable(adjustable: AdjustableRun, files: Vec<PathBuf>, keep: bool) -> CompiledSimulation {
        let run = adjustable.run().clone();
        CompiledSimulation { run, adjustable: Some(Arc::new(Mutex::new(adjustable))), files, keep }
    }

    /// The same with other values of parameters, and other starts of coordinates `x`, velocities `x'`, entropies and states. What follows
    /// from a parameter in the model follows the new one. Values that are not named are those of the model.
    ///
    /// # Errors
    /// There is nothing of such a name, or no motion starts with these values.
    pub fn with(&self, values: &[(&str, f64)]) -> Result<CompiledSimulation, Error> {
        let Some(adjustable) = &self.adjustable else {
            let message = "a run of many like members keeps the values that it was compiled with";
            return Err(Error::new(ErrorKind::Unsupported, message));
        };
        let run = adjustable.lock().unwrap_or_else(PoisonError::into_inner).with(values)?;
        Ok(CompiledSimulation { run, ..self.clone() })
    }

    /// Runs it.
    ///
    /// # Errors
    /// It could not go on: then [`Error::partial`] has the run up to there; or a file cannot be written.
    pub fn run(&self) -> Result<Run, Error> {
        self.run_with(unwatched)
    }

    /// Runs it; the observer may end it.
    ///
    /// # Errors
    /// As for [`CompiledSimulation::run`]; one that was ended is [`ErrorKind::Interrupted`].
    pub fn run_with(&self, mut observer: impl Observer) -> Result<Run, Error> {
        let mut recorder = self.recorder()?;
        let rows = self.run.planned_steps() / self.run.settings().record.max(1) + 2;
        let kept = RowsInMemory::new(self.run.columns().len(), rows);
        if self.keep {
            recorder.add_sink("memory", Box::new(kept.clone()));
        }
        let watch = |now: RunProgress| observer.progress(Progress { done: now.step, total: Some(now.steps) });
        let outcome = self.run.execute(&mut recorder, watch)?;
        Run::of(&self.run, &outcome, &recorder, kept.take()).ended(&outcome.end)
    }

    /// How a recorded quantity at the end changes with all parameters and starts: once forward and once backward, however many these are.
    ///
    /// ```
    /// use extremal::Model;
    /// let gradient = Model::gallery("pendulum")?.simulate().until(1.0).compile()?.gradient("theta")?;
    /// assert!(gradient.slopes.iter().any(|slope| slope.name == "l"));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such column, or no derivative.
    pub fn gradient(&self, column: &str) -> Result<Gradient, Error> {
        Ok(self.run.gradient(column)?)
    }

    /// Lyapunov exponents, by the exact derivatives of the steps; growth counts after the time `transient`.
    ///
    /// ```
    /// use extremal::Model;
    /// let spectrum = Model::gallery("double-pendulum")?.simulate().until(20.0).compile()?.lyapunov(5.0)?;
    /// assert!(spectrum.exponents.len() == 4 && spectrum.sum.unwrap().abs() < 1e-9);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// The motion cannot go on, or has no derivative.
    pub fn lyapunov(&self, transient: f64) -> Result<LyapunovSpectrum, Error> {
        let options = LyapunovOptions { transient, exponents: None };
        Ok(self.run.lyapunov(&options, |_| ControlFlow::Continue(()))?)
    }

    pub(crate) fn compiled(&self) -> &CompiledRun {
        &self.run
    }

    /// A recorder with the files.
    pub(crate) fn recorder(&self) -> Result<Recorder, Error> {
        let mut recorder = self.run.recorder();
        for path in &self.files {
            recorder.add_file(path)?;
        }
        Ok(recorder)
    }
}

/// Rows in memory, column by column.
#[derive(Clone)]
struct RowsInMemory(Arc<Mutex<Vec<Vec<f64>>>>);

/// Numbers that are asked for in advance: more are only when they come.
const RESERVED: u64 = 1 << 24;

impl RowsInMemory {
    fn new(columns: usize, rows: u64) -> RowsInMemory {
        let reserved = rows.min(RESERVED / columns.max(1) as u64) as usize;
        RowsInMemory(Arc::new(Mutex::new((0..columns).map(|_| Vec::with_capacity(reserved)).collect())))
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

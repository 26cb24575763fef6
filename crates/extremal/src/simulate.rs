//! A simulation: how a model is to be run.

use std::path::{Path, PathBuf};

use extremal_engine::run::{Lattice, NEVER};

use crate::asked::{Asked, step_options};
use crate::observer::unwatched;
use crate::{
    CompiledSimulation, Error, Experiment, FitOptions, FittedModel, FreeValue, Model, Motion, Observer, Run, Stream,
};

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

    /// Keeps rows at these times instead of those at the ends of steps. Inside a step a row is that of a shorter step of the same method;
    /// the motion is the same to the last bit.
    ///
    /// ```
    /// use extremal::Model;
    /// let swing = Model::gallery("pendulum")?.simulate().until(1.0);
    /// let seen = swing.clone().at(&[0.123, 0.5]).run()?;
    /// assert_eq!(seen["t"], [0.123, 0.5]);
    /// assert_eq!(seen.end().q("theta"), swing.run()?.end().q("theta"));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    #[must_use]
    pub fn at(mut self, times: &[f64]) -> Self {
        self.asked.at = Some(times.to_vec());
        self
    }

    /// Also records the derivatives of the motion by these parameters and starts, exact for its steps: `dtheta/dl` by `l`, `dtheta/dtheta`
    /// by the start of `theta`, ... of positions, velocities, momenta, entropies, states and outputs.
    ///
    /// ```
    /// use extremal::Model;
    /// // x(t) = x(0) cos t.
    /// let run = Model::gallery("harmonic-oscillator")?.simulate().method("gauss(3)".parse()?).until(1.0).sensitivity(&["x"]).run()?;
    /// let (last, end) = (run["dx/dx"].len() - 1, run.end().time());
    /// assert!((run["dx/dx"][last] - end.cos()).abs() < 1e-6);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    #[must_use]
    pub fn sensitivity(mut self, names: &[&str]) -> Self {
        self.asked.sensitivity = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Finds the values of parameters and starts with which the motion comes closest to measured ones; it ends where these do.
    ///
    /// ```
    /// use extremal::{Experiment, FitOptions, FreeValue, Model};
    /// let model = Model::parse("parameters.k = 1\ncoordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - k*x^2/2\"\n\
    ///     simulation = { method = \"gauss(3)\", step = 0.05 }")?;
    /// let times: Vec<f64> = (1..=20).map(|i| 0.1 * f64::from(i)).collect();
    /// let x: Vec<f64> = times.iter().map(|t| (2.0 * t).cos()).collect();
    /// let measured = Experiment::new("cosine", &times, &[("x", &x)]);
    /// let fitted = model.simulate().fit(&[FreeValue::new("k")], &[measured], &FitOptions::default())?;
    /// assert!(fitted.converged && (fitted.values[0].value - 4.0).abs() < 1e-6);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such motion, or what was measured does not say what is looked for.
    pub fn fit(
        &self,
        free: &[FreeValue],
        experiments: &[Experiment],
        options: &FitOptions,
    ) -> Result<FittedModel, Error> {
        self.asked.check()?;
        let model = self.model.working_copy();
        let settings = self.asked.settings(&model);
        Ok(extremal_engine::fit::fit(model, &settings, free, experiments, options, || false)?)
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
    pub fn run_with(&self, observer: impl Observer) -> Result<Run, Error> {
        self.compile()?.run_with(observer)
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
        let compiled = simulation.compile()?;
        Ok(Stream::of(compiled.compiled().clone(), compiled.recorder()?))
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

    /// Derives and compiles everything, for a simulation that is to be run many times.
    ///
    /// # Errors
    /// It cannot be set up.
    pub fn compile(&self) -> Result<CompiledSimulation, Error> {
        self.asked.check()?;
        let (text, overrides) = self.model.statement();
        let (files, keep) = (self.files.clone(), self.keep);
        if let Some((few, lattice)) = Lattice::read(text, overrides, |model| self.asked.settings(model))? {
            // The model with a few of its many like members, and what runs all of them.
            let run = extremal_engine::CompiledRun::of_lattice(few, &lattice)?;
            return Ok(CompiledSimulation::of(run, files, keep));
        }
        let model = self.model.working_copy();
        let settings = self.asked.following(&model);
        let adjustable = extremal_engine::sweep::AdjustableRun::new(model, &settings)?;
        Ok(CompiledSimulation::adjustable(adjustable, files, keep))
    }
}

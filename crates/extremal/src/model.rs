//! A model: what the user states.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use extremal_engine::function::CompiledFunction;
use extremal_engine::gallery;
use extremal_engine::model::{Diagnostic, Overrides};

use crate::{
    Analysis, Comparison, Equations, Error, ErrorKind, ModelBuilder, Motion, Optimization, Simulation, StateFunction,
    Sweep,
};

/// A system as its author states it, read and checked: coordinates, a Lagrangian, friction, heat, constraints, controls.
///
/// Copies are cheap and independent; a model can be used from many threads at once.
///
/// ```
/// use extremal::Model;
/// let model = Model::parse(r#"
///     [parameters]
///     l = 1.0
///     [coordinates]
///     theta = { start = 2.0 }
///     [dynamics]
///     lagrangian = "l^2*theta'^2/2 + 9.81*l*cos(theta)"
/// "#)?;
/// let longer = model.with("l", 2.0)?;
/// assert_eq!((model.parameter("l"), longer.parameter("l")), (Some(1.0), Some(2.0)));
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone)]
pub struct Model {
    stated: Arc<Stated>,
}

struct Stated {
    text: String,
    overrides: Overrides,
    /// Never worked with: every task takes a copy, so that its numbers do not depend on what was asked before.
    original: Mutex<extremal_engine::Model>,
}

impl Model {
    /// Reads a model file.
    ///
    /// ```no_run
    /// let model = extremal::Model::read("pendulum.toml")?.with("l", 2.0)?;
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong with the model.
    pub fn read(path: impl AsRef<Path>) -> Result<Model, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| Error::reading(path, &source))?;
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        Model::load(text, Overrides::default().folder(folder))
    }

    /// Reads the text of a model file.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn parse(text: &str) -> Result<Model, Error> {
        Model::load(text.to_owned(), Overrides::default())
    }

    /// A built-in model.
    ///
    /// ```
    /// let names: Vec<&str> = extremal::Model::gallery_names().collect();
    /// assert!(names.contains(&"kepler"));
    /// assert_eq!(extremal::Model::gallery("kepler")?.name().as_deref(), Some("Kepler problem"));
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is none of this name.
    pub fn gallery(name: &str) -> Result<Model, Error> {
        let missing = || Error::new(ErrorKind::File, format!("there is no built-in model `{name}`"));
        Model::parse(gallery::text(name).ok_or_else(missing)?)
    }

    /// The names of the built-in models.
    pub fn gallery_names() -> impl Iterator<Item = &'static str> {
        gallery::names()
    }

    /// States a model table by table.
    ///
    /// ```
    /// use extremal::Model;
    /// let spring = Model::builder("Spring")
    ///     .parameter("k", 4.0)
    ///     .coordinate("x", 1.0)
    ///     .lagrangian("x'^2/2 - k*x^2/2")
    ///     .step(0.01)
    ///     .until(1.0)
    ///     .build()?;
    /// assert!((spring.simulate().run()?.end().q("x") - 2f64.cos()).abs() < 1e-3);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn builder(name: &str) -> ModelBuilder {
        ModelBuilder::new(name)
    }

    fn load(text: String, overrides: Overrides) -> Result<Model, Error> {
        let original = Mutex::new(extremal_engine::Model::load(&text, &overrides)?);
        Ok(Model { stated: Arc::new(Stated { text, overrides, original }) })
    }

    /// The same with another value of a parameter: a number, or an expression of other parameters.
    ///
    /// # Errors
    /// There is no such parameter, or what this value makes wrong.
    pub fn with(&self, parameter: &str, value: impl fmt::Display) -> Result<Model, Error> {
        Model::load(self.stated.text.clone(), self.stated.overrides.clone().set(parameter, value))
    }

    /// The values that replace those of the text, in the order in which they were given.
    ///
    /// ```
    /// let model = extremal::Model::gallery("pendulum")?.with("l", 2.0)?;
    /// assert_eq!(model.changes().collect::<Vec<_>>(), [("l", "2")]);
    /// # Ok::<(), extremal::Error>(())
    /// ```
    pub fn changes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.stated.overrides.parameters()
    }

    /// What it was read from.
    pub(crate) fn statement(&self) -> (&str, &Overrides) {
        (&self.stated.text, &self.stated.overrides)
    }

    /// A copy to work with.
    pub(crate) fn working_copy(&self) -> extremal_engine::Model {
        self.look(Clone::clone)
    }

    fn look<T>(&self, at: impl FnOnce(&extremal_engine::Model) -> T) -> T {
        at(&self.stated.original.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.stated.text
    }

    /// The name of the system.
    pub fn name(&self) -> Option<String> {
        self.look(|model| model.name().map(str::to_owned))
    }

    /// What the system shows.
    pub fn description(&self) -> Option<String> {
        self.look(|model| model.description().map(str::to_owned))
    }

    /// The names of the coordinates; a family has one for each member.
    pub fn coordinates(&self) -> Vec<String> {
        self.look(|model| model.coordinates().iter().map(|c| c.name.clone()).collect())
    }

    /// The parameters by name.
    pub fn parameters(&self) -> Vec<(String, f64)> {
        self.look(|model| model.parameters().iter().map(|p| (p.name.clone(), p.value)).collect())
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.look(|model| model.parameters().iter().find(|p| p.name == name).map(|p| p.value))
    }

    /// What is odd about the model without being wrong.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.look(|model| model.warnings().to_vec())
    }

    /// A simulation, to be told how and then run.
    pub fn simulate(&self) -> Simulation {
        Simulation::of(self)
    }

    /// A motion that goes on for as long as it is asked to, with the method and step of the model; [`Simulation::march`] takes others.
    ///
    /// ```
    /// let mut motion = extremal::Model::gallery("pendulum")?.march()?;
    /// motion.advance(1000)?;
    /// motion.set_parameter("l", 1.5)?;
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// It cannot be set up.
    pub fn march(&self) -> Result<Motion, Error> {
        self.simulate().march()
    }

    /// An ensemble, to be told what varies and then run.
    pub fn sweep(&self) -> Sweep {
        Sweep::of(self)
    }

    /// A comparison of methods and steps.
    pub fn compare(&self) -> Comparison {
        Comparison::of(self)
    }

    /// Compiles expressions of the model: of `t`, the coordinates, their time derivatives `x'` and `x''`, entropies, states, controls,
    /// multipliers `lambda_rod`, parameters and definitions; `energy`, `lagrangian`, `p_x`, `T_S` and the rate `S'` by their names.
    ///
    /// # Errors
    /// What is wrong with an expression ([`ErrorKind::Model`]), or what the equations do not determine.
    pub fn function(&self, expressions: &[&str]) -> Result<StateFunction, Error> {
        let (text, overrides) = self.statement();
        Ok(StateFunction::of(CompiledFunction::new(text, overrides, expressions)?))
    }

    /// The boundary-value or control problem that the model states.
    pub fn solve(&self) -> Optimization {
        Optimization::of(self)
    }

    /// What is conserved, singular, stable.
    pub fn analyze(&self) -> Analysis {
        Analysis::of(self)
    }

    /// The equations of motion.
    pub fn equations(&self) -> Equations {
        Equations::of(self)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.look(|model| model.fmt(f))
    }
}

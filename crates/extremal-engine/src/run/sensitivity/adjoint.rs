//! The gradient of a function of the end of a motion, by everything that the motion is given: once forward, once backward.

use extremal_expr::Id;
use extremal_mechanics::Block;
use extremal_mechanics::discrete::Scheme;
use extremal_model::{Model, Start};
use extremal_solve::{BlockTangent, NewtonOptions, SolveFailure, StepFailure};
use serde::Serialize;
use thiserror::Error;

use super::super::blocks::ColumnSource;
use super::super::{CompiledRun, SetupError};
use super::{SensitivityError, Tangents, differentiable, slopes_by, start_inputs, stays_on_constraints};
use crate::sweep::{Target, named_targets};

/// How a function of the end changes with one of the things that the motion is given, the others fixed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// A parameter, or the start of a coordinate `x`, a velocity `x'`, an entropy or a state.
    pub name: String,
    /// The derivative by it.
    pub slope: f64,
}

/// A quantity at the end of a motion with its slopes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gradient {
    /// The quantity, by the name of its column.
    pub quantity: String,
    /// When the motion ends.
    pub time: f64,
    /// Its value there.
    pub value: f64,
    /// By all parameters and starts.
    pub slopes: Vec<Slope>,
}

/// Why there is no gradient.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum GradientError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("the motion does not come to its end: {0}")]
    Motion(#[from] StepFailure),
    #[error("the motion cannot be differentiated: {0}")]
    Derivative(#[from] SolveFailure),
    #[error("`{name}` means several columns: the gradient is that of one")]
    Several { name: String },
    #[error("`{name}` is not a function of the state: it is recorded, but has no derivative")]
    NoFunction { name: String },
    #[error(
        "going back through {steps} steps takes {bytes:e} bytes, more than the limit of {most:e}: take fewer steps"
    )]
    TooLong { steps: u64, bytes: f64, most: f64 },
}

impl From<SensitivityError> for GradientError {
    fn from(error: SensitivityError) -> GradientError {
        GradientError::Setup(error.into())
    }
}

/// The states of a motion that are kept may take so many bytes.
const MOST_BYTES: f64 = 4e9;

impl CompiledRun {
    /// The gradient of a recorded quantity at the end of the planned run, which no stop condition ends, by all parameters and starts.
    /// However many these are, the motion is gone through once forward and once backward.
    ///
    /// ```
    /// use extremal_engine::{CompiledRun, Model, Settings};
    /// // The first half period of x'' = -x from x = 1: x(pi) = -x(0).
    /// let model = Model::from_toml("coordinates.x = 1\ndynamics.lagrangian = \"x'^2/2 - x^2/2\"\n\
    ///     outputs.square = \"x^2\"\nsimulation = { method = \"gauss(3)\", step = \"pi/40\", until = \"pi\" }")?;
    /// let run = CompiledRun::new(&model, &Settings::of(&model))?;
    /// let gradient = run.gradient("square")?;
    /// assert_eq!(gradient.slopes[0].name, "x");
    /// assert!((gradient.slopes[0].slope - 2.0).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`GradientError`].
    pub fn gradient(&self, quantity: &str) -> Result<Gradient, GradientError> {
        let model = &*self.model.lock();
        differentiable(model, &self.settings)?;
        let scheme = self.scheme.as_deref().ok_or(SensitivityError::Many)?;
        if self.constraints.moved > 0.0 {
            return Err(SensitivityError::Moved { moved: self.constraints.moved }.into());
        }
        let function = self.expression_of(quantity, scheme)?;
        let options = NewtonOptions::default();
        let places: Vec<usize> = (0..model.parameters().len()).collect();
        let mut tangents = Tangents::new(model, scheme, &[], places, options)?;
        let parameters = self.start.parameter_values();
        tangents.set_parameters(&parameters);
        let mut end = end_of(model, scheme, function, &tangents)?;
        end.set_parameters(&[&parameters[..], &tangents.constants].concat());
        let mut trail = Trail::default();
        let (state, time, velocity) = self.walked(&mut trail)?;
        end.run(&[&state[..], &[time], &velocity].concat())?;
        let value = end.outputs()[0];
        let mut slopes = end.pull_back(&[1.0])?;
        for step in (0..trail.steps.len()).rev() {
            trail.back(&mut tangents, step, &mut slopes)?;
        }
        let (by_state, by_parameters) = slopes.split_at(tangents.state);
        tangents.start.run(&start_inputs(&self.start.values, self.plan.step))?;
        let mut by_start = tangents.start.pull_back(by_state)?;
        let stated = by_start.len() - by_parameters.len();
        by_start[stated..].iter_mut().zip(by_parameters).for_each(|(own, more)| *own += more);
        let names = names_of_all(model, self);
        let targets = names.iter().filter_map(|name| {
            let target = named_targets(model, self.settings.start, [name.as_str()].into_iter()).ok()?[0];
            stays_on_constraints(model, target, name).ok().map(|()| (name, target))
        });
        let slope = |(name, target): (&String, Target)| {
            let given = &slopes_by(model, &self.settings, &self.plan, &parameters, &[target])[0];
            let given = given.start.iter().chain(&given.parameters);
            Slope { name: name.clone(), slope: given.zip(&by_start).map(|(given, slope)| given * slope).sum() }
        };
        Ok(Gradient { quantity: quantity.to_owned(), time, value, slopes: targets.map(slope).collect() })
    }

    /// What stands in a column, as an expression of what is observed.
    fn expression_of(&self, name: &str, scheme: &Scheme) -> Result<Id, GradientError> {
        let observables = &*self.observables;
        let column = match self.written_columns(&[name.to_owned()])?.as_deref() {
            Some([column]) => *column,
            _ => return Err(GradientError::Several { name: name.to_owned() }),
        };
        let rates = 2 * observables.coordinates;
        match ColumnSource::of_all(observables)[column] {
            ColumnSource::State(at) => Ok(scheme.state[at]),
            ColumnSource::Observed(at) if at < rates => Ok(scheme.observe.outputs[at]),
            ColumnSource::Observed(at) => Ok(observables.outputs[at - rates]),
            ColumnSource::Time | ColumnSource::Estimate => Err(GradientError::NoFunction { name: name.to_owned() }),
        }
    }

    /// Goes through the planned run; where it ends.
    fn walked(&self, trail: &mut Trail) -> Result<(Vec<f64>, f64, Vec<f64>), GradientError> {
        let mut motion = self.begin()?;
        let n = self.observables.coordinates;
        let steps = self.planned_steps();
        let bytes = 8.0 * steps as f64 * (motion.state().len() + n + 2) as f64;
        if bytes > MOST_BYTES {
            return Err(GradientError::TooLong { steps, bytes, most: MOST_BYTES });
        }
        for step in 1..=steps {
            let velocity = motion.observe()?[..n].to_vec();
            let (state, begin) = (motion.state().to_vec(), motion.time());
            self.advance(motion.as_mut(), step)?;
            trail.steps.push((state, begin, self.size_of(step), velocity));
        }
        let velocity = motion.observe()?[..n].to_vec();
        Ok((motion.state().to_vec(), motion.time(), velocity))
    }
}

/// Where the steps of a motion began: state, time, step, velocities.
#[derive(Default)]
struct Trail {
    steps: Vec<(Vec<f64>, f64, f64, Vec<f64>)>,
}

impl Trail {
    /// Slopes by the state after a step, and by parameters behind them, become those by the state before it.
    fn back(&self, tangents: &mut Tangents, step: usize, slopes: &mut Vec<f64>) -> Result<(), SolveFailure> {
        let (state, begin, h, velocity) = &self.steps[step];
        let n = tangents.state;
        let inputs_at = |state: &[f64], elapsed: f64, fraction: f64| {
            [state, &[begin + elapsed * h, fraction * h], velocity].concat()
        };
        // Where each substep begins.
        let (mut begins, mut elapsed, mut at) = (Vec::new(), 0.0, state.clone());
        for (place, fraction) in tangents.substeps.clone().into_iter().enumerate() {
            begins.push(inputs_at(&at, elapsed, fraction));
            elapsed += fraction;
            if place + 1 < tangents.substeps.len() {
                tangents.step.run(&begins[place])?;
                at.copy_from_slice(tangents.step.outputs());
            }
        }
        for inputs in begins.iter().rev() {
            tangents.step.run(inputs)?;
            let mut before = tangents.step.pull_back(&slopes[..n])?;
            before[n..].iter_mut().zip(&slopes[n..]).for_each(|(own, more)| *own += more);
            *slopes = before;
        }
        Ok(())
    }
}

/// The function as something that is observed.
fn end_of(model: &Model, scheme: &Scheme, function: Id, tangents: &Tangents) -> Result<BlockTangent, SetupError> {
    let own: Vec<_> = model.parameters().iter().map(|parameter| parameter.symbol).collect();
    let constants = scheme.constants.iter().map(|(symbol, _)| *symbol);
    let parameters: Vec<_> = own.iter().copied().chain(constants).collect();
    let by: Vec<_> = scheme.state.iter().chain(tangents.places.iter().map(|place| &own[*place])).copied().collect();
    let block = Block { outputs: vec![function], ..scheme.observe.clone() };
    Ok(BlockTangent::new(model.graph(), &parameters, &block, &by, NewtonOptions::default())?)
}

/// All that a motion of the model is given, by name.
fn names_of_all(model: &Model, run: &CompiledRun) -> Vec<String> {
    let parameters = model.parameters().iter().map(|parameter| parameter.name.clone());
    let positions = model.coordinates().iter().map(|coordinate| coordinate.name.clone());
    let velocities = model.coordinates().iter().map(|coordinate| format!("{}'", coordinate.name));
    let carried = model.carried_names().into_iter().map(str::to_owned);
    let velocities = velocities.filter(|_| run.settings.start == Start::Legendre);
    parameters.chain(positions).chain(velocities).chain(carried).collect()
}

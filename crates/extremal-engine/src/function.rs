//! Quantities of a model as compiled functions of its state: right-hand sides and observables.

use extremal_eval::CompileError;
use extremal_expr::Expr;
use extremal_mechanics::discrete::{PhaseFlow, SchemeError};
use extremal_mechanics::{Block, System};
use extremal_model::{InvalidModel, Model, Overrides};
use extremal_solve::{GuessSource, Kernel, NewtonOptions, SolveFailure};
use thiserror::Error;

use crate::Settings;
use crate::run::{final_manifold, ids};

/// Why a quantity cannot be computed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FunctionError {
    /// What is wrong with the expressions.
    #[error(transparent)]
    Expressions(#[from] InvalidModel),
    /// The model has no equations that say it.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A derivative that is neither part of the state nor determined by the equations.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// Expressions of a model, compiled: from time, state and controls to numbers. Accelerations, rates and multipliers in them are those
/// of the equations of motion at this state.
///
/// ```
/// use extremal_engine::function::CompiledFunction;
/// use extremal_engine::{Overrides, gallery};
/// let text = gallery::text("pendulum").unwrap();
/// let mut function = CompiledFunction::new(text, &Overrides::default(), &["theta''", "energy"])?;
/// assert_eq!(function.inputs(), ["t", "theta", "theta'"]);
/// let mut out = [0.0; 2];
/// function.evaluate(&[0.0, 0.0, 1.0], &mut out)?;
/// assert_eq!(out[0], 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CompiledFunction {
    kernel: Kernel,
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// The inputs of the kernel, of which the last ones are sums that begin with the motion: they are zero.
    values: Vec<f64>,
}

impl CompiledFunction {
    /// Compiles expressions of the model that `text` states. `energy`, `p_x`, `T_S` and the rate `S'` are known by their names, unless
    /// the model has given them to something else.
    ///
    /// # Errors
    /// See [`FunctionError`].
    pub fn new(text: &str, overrides: &Overrides, expressions: &[&str]) -> Result<CompiledFunction, FunctionError> {
        let plain = Model::load(text, overrides)?;
        if plain.momentum_order().is_some() {
            return Err(SchemeError::OptimalFlow("functions of the state").into());
        }
        // A quantity by its name stands for itself; its place among the expressions is held by a number.
        let own = own_names(&plain);
        let named: Vec<bool> = expressions.iter().map(|text| own.iter().any(|name| name == text.trim())).collect();
        let asked: Vec<&str> =
            expressions.iter().zip(&named).map(|(text, named)| if *named { "0" } else { text }).collect();
        let model = Model::asked(text, overrides, &asked)?;
        let g = model.graph();
        let mut system = System::controlled(&model);
        system.check_order()?;
        system.manifold = final_manifold(&model, &system, &Settings::of(&model).method);
        let known = own_values(&model, &system);
        let value = |text: &&str| known.iter().find(|(name, _)| name == text.trim()).map(|(_, value)| *value);
        let asked = expressions.iter().zip(&named).zip(g.exprs(model.quantities()));
        let outputs: Vec<Expr<'_>> = asked
            .map(|((text, named), expression)| if *named { value(text) } else { None }.unwrap_or(expression))
            .collect();
        let determined = system.motion_unknowns();
        let moves = outputs.iter().any(|output| output.depends_on(&determined));
        if let Some(dry) = system.dry.first().filter(|_| moves) {
            return Err(SchemeError::DryFriction { name: dry.name.clone(), place: "in functions of the state" }.into());
        }
        let controls: Vec<_> = model.controls().iter().map(|control| control.symbol).collect();
        let state = [&system.configuration()[..], &system.velocities(), &system.heat.s, &system.moving_multipliers()];
        let given = [&[system.t][..], &state.concat()].concat();
        let accounts: Vec<_> = system.accounts().iter().map(|account| account.value).collect();
        let block = Block {
            inputs: [&ids(&given)[..], &controls, &ids(&accounts)].concat(),
            solves: if moves { PhaseFlow::of(&system).rates.solves } else { Vec::new() },
            outputs: ids(&if moves { system.restricted(&outputs) } else { outputs }),
        };
        let symbols: Vec<_> = model.parameters().iter().map(|parameter| parameter.symbol).collect();
        let outputs: Vec<String> = expressions.iter().map(|text| text.trim().to_owned()).collect();
        let mut kernel = Kernel::compile_named(g, &symbols, &block, outputs.clone(), NewtonOptions::default())?;
        kernel.set_parameters(&model.parameter_values());
        let given = given.iter().map(ToString::to_string);
        let inputs = given.chain(model.controls().iter().map(|control| control.name.clone())).collect();
        Ok(CompiledFunction { kernel, inputs, outputs, values: vec![0.0; block.inputs.len()] })
    }

    /// What it is a function of, in order: time, positions, velocities, entropies and states, multipliers that move, controls.
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// What it computes.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The numbers at this point, into `out`.
    ///
    /// # Errors
    /// The equations do not determine them there, or they are not finite.
    ///
    /// # Panics
    /// There are not as many numbers as inputs, or not as many places as outputs.
    pub fn evaluate(&mut self, inputs: &[f64], out: &mut [f64]) -> Result<(), SolveFailure> {
        assert_eq!((inputs.len(), out.len()), (self.inputs.len(), self.outputs.len()), "a number for each");
        self.values[..inputs.len()].copy_from_slice(inputs);
        self.kernel.run(&self.values, GuessSource::Formula, out).map(|_| ())
    }
}

/// The quantities that have a name in every model, less those whose name the model has given away.
fn own_names(model: &Model) -> Vec<String> {
    let mut taken = model.taken_names();
    taken.extend(model.definitions().iter().map(|definition| definition.name.clone()));
    let names = own_values(model, &System::controlled(model)).into_iter().map(|(name, _)| name);
    names.filter(|name| !taken.contains(name)).collect()
}

fn own_values<'m>(model: &Model, system: &System<'m>) -> Vec<(String, Expr<'m>)> {
    let mut known = vec![("energy".to_owned(), system.energy()), ("lagrangian".to_owned(), system.lagrangian)];
    if model.momentum_coordinates() == 0 && system.order == 1 {
        known.extend(system.names.iter().map(|name| format!("p_{name}")).zip(system.momenta()));
    }
    known.extend(system.heat.names.iter().map(|name| format!("{name}'")).zip(system.heat.rates.iter().copied()));
    let heated = &system.heat.names[..system.heat.entropies().len()];
    known.extend(heated.iter().map(|name| format!("T_{name}")).zip(system.temperatures()));
    known
}

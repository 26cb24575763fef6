//! Quantities of a model as compiled functions of its state.

use extremal_engine::function::CompiledFunction;

use crate::{Error, ErrorKind};

/// Expressions of a model, compiled: from time, state and controls to numbers. Accelerations, rates and multipliers in them are those of
/// the equations of motion at this state, so that a function may be the right-hand side of any integrator, or an observable of any
/// motion.
///
/// ```
/// use extremal::Model;
/// let mut f = Model::gallery("harmonic-oscillator")?.with("k", 4)?.with("m", 1)?.function(&["x''", "energy"])?;
/// assert_eq!(f.inputs(), ["t", "x", "x'"]);
/// assert_eq!(f.evaluate(&[0.0, 3.0, 2.0])?, [-12.0, 20.0]);
/// assert_eq!(f.over(&[&[0.0], &[1.0, 2.0], &[0.0]])?, [[-4.0, -8.0], [2.0, 8.0]]);
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone)]
pub struct StateFunction {
    compiled: CompiledFunction,
}

impl StateFunction {
    pub(crate) fn of(compiled: CompiledFunction) -> StateFunction {
        StateFunction { compiled }
    }

    /// What it is a function of, in order: time, positions, velocities, entropies and states, controls.
    pub fn inputs(&self) -> &[String] {
        self.compiled.inputs()
    }

    /// What it computes: the texts it was made of.
    pub fn outputs(&self) -> &[String] {
        self.compiled.outputs()
    }

    /// The numbers at one point.
    ///
    /// # Errors
    /// There are not as many numbers as inputs ([`ErrorKind::Settings`]), or there is no finite answer ([`ErrorKind::Singular`]).
    pub fn evaluate(&mut self, inputs: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(inputs.len())?;
        let mut out = vec![0.0; self.outputs().len()];
        self.at(inputs, &mut out)?;
        Ok(out)
    }

    /// The numbers at many points: a column for each input, of which those of one number stay the same, and a column for each output.
    ///
    /// # Errors
    /// As for [`StateFunction::evaluate`]; columns of different lengths.
    pub fn over(&mut self, inputs: &[&[f64]]) -> Result<Vec<Vec<f64>>, Error> {
        self.check(inputs.len())?;
        let length = inputs.iter().map(|column| column.len()).find(|length| *length != 1).unwrap_or(1);
        if inputs.iter().any(|column| column.len() != 1 && column.len() != length) {
            return Err(Error::new(ErrorKind::Settings, "the columns of a function have one length, or one number"));
        }
        let mut columns = vec![Vec::with_capacity(length); self.outputs().len()];
        let (mut point, mut out) = (vec![0.0; inputs.len()], vec![0.0; columns.len()]);
        for at in 0..length {
            for (value, column) in point.iter_mut().zip(inputs) {
                *value = column[if column.len() == 1 { 0 } else { at }];
            }
            self.at(&point, &mut out)?;
            columns.iter_mut().zip(&out).for_each(|(column, value)| column.push(*value));
        }
        Ok(columns)
    }

    fn check(&self, given: usize) -> Result<(), Error> {
        match self.inputs().len() {
            count if count == given => Ok(()),
            count => {
                let names = self.inputs().join(", ");
                let message = format!("the function takes {count} numbers, not {given}: {names}");
                Err(Error::new(ErrorKind::Settings, message))
            }
        }
    }

    fn at(&mut self, point: &[f64], out: &mut [f64]) -> Result<(), Error> {
        self.compiled.evaluate(point, out).map_err(|failure| {
            let named = self.inputs().iter().zip(point).map(|(name, value)| format!("{name} = {value}"));
            let place = named.collect::<Vec<_>>().join(", ");
            Error::new(ErrorKind::Singular, format!("at {place}: {failure}"))
        })
    }
}

//! The equations of a model.

use extremal_engine::derive::{Derivation, Form, derive};
use extremal_engine::{Method, Settings};

use crate::{Error, Model};

/// The equations of a model, of motion, of Hamilton, and of one step of a method.
///
/// ```
/// let equations = extremal::Model::gallery("harmonic-oscillator")?.equations();
/// assert!(equations.lagrange()?.contains("k*x + m*x'' = 0"));
/// assert!(equations.discrete(extremal::Method::Midpoint)?.contains("x_1"));
/// # Ok::<(), extremal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Equations {
    model: Model,
    latex: bool,
}

impl Equations {
    pub(crate) fn of(model: &Model) -> Equations {
        Equations { model: model.clone(), latex: false }
    }

    /// The same as LaTeX.
    #[must_use]
    pub fn latex(mut self) -> Self {
        self.latex = true;
        self
    }

    /// Lagrange's equations, momenta, energy, kinetic split.
    ///
    /// # Errors
    /// The model has none.
    pub fn lagrange(&self) -> Result<String, Error> {
        self.written(Form::Lagrange, None, |derivation| self.text(derivation))
    }

    /// Accelerations and multipliers, as Lagrange's equations determine them.
    ///
    /// # Errors
    /// The model has none.
    pub fn solved(&self) -> Result<String, Error> {
        self.written(Form::Solved, None, |derivation| self.text(derivation))
    }

    /// The Hamiltonian and Hamilton's equations.
    ///
    /// # Errors
    /// The model has none.
    pub fn hamilton(&self) -> Result<String, Error> {
        self.written(Form::Hamilton, None, |derivation| self.text(derivation))
    }

    /// Routh's function of all cyclic coordinates, the equations without them, and how they are found again.
    ///
    /// # Errors
    /// The model has none.
    pub fn routh(&self) -> Result<String, Error> {
        self.written(Form::Routh, None, |derivation| self.text(derivation))
    }

    /// One step of a method.
    ///
    /// # Errors
    /// The method is not defined for the model, or has no step of its own.
    pub fn discrete(&self, method: Method) -> Result<String, Error> {
        self.written(Form::Discrete, Some(method), |derivation| self.text(derivation))
    }

    /// Lagrange's equations as data, as `extremal derive --json` prints them.
    ///
    /// # Errors
    /// The model has none.
    pub fn data(&self) -> Result<serde_json::Value, Error> {
        self.data_of(Form::Lagrange, None)
    }

    /// Equations of any form as data: sections with a title and equations, each with both sides as text and as LaTeX. The method is
    /// that of [`Form::Discrete`], where it is not that of the model.
    ///
    /// ```
    /// use extremal::{Form, Model};
    /// let data = Model::gallery("harmonic-oscillator")?.equations().data_of(Form::Hamilton, None)?;
    /// assert_eq!(data["sections"][0]["equations"][0]["left"], "H");
    /// # Ok::<(), extremal::Error>(())
    /// ```
    ///
    /// # Errors
    /// The model has none.
    pub fn data_of(&self, form: Form, method: Option<Method>) -> Result<serde_json::Value, Error> {
        self.written(form, method, |derivation| serde_json::to_value(derivation).unwrap_or_default())
    }

    fn text(&self, derivation: &Derivation<'_>) -> String {
        if self.latex { derivation.to_latex() } else { derivation.to_text() }
    }

    fn written<T>(
        &self,
        form: Form,
        method: Option<Method>,
        write: impl FnOnce(&Derivation<'_>) -> T,
    ) -> Result<T, Error> {
        method.iter().try_for_each(Method::check)?;
        let model = self.model.working_copy();
        let settings = Settings::of(&model);
        let settings = Settings { method: method.unwrap_or(settings.method.clone()), ..settings };
        Ok(write(&derive(&model, &settings, &[form])?))
    }
}

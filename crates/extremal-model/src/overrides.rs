//! What is given from outside the model file.

use crate::diagnostic::{Code, Diagnostic, Problems};
use crate::document::{Scalar, ScalarSeries};
use crate::suggest::help_for;
use crate::tables::{ConstraintForm, ParameterStatement, SimulationSettings};
use crate::text::SourceText;

/// Values that replace those of the model file while it is read: of parameters, so that also counts and bounds follow them, and of
/// how constraints are kept.
///
/// ```
/// use extremal_model::{Model, Overrides};
/// let text = r#"
///     [parameters]
///     n = 2
///     [coordinates]
///     x = { count = "n", start = "i" }
///     [dynamics]
///     lagrangian = "sum(i, 1, n, x[i]'^2/2 - x[i]^2/2)"
/// "#;
/// let model = Model::load(text, &Overrides::default().set("n", 5))?;
/// assert_eq!(model.coordinates().len(), 5);
/// # Ok::<(), extremal_model::InvalidModel>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    parameters: Vec<(String, String)>,
    constraints: Option<ConstraintForm>,
    project: Option<bool>,
}

impl Overrides {
    /// Replaces the value of a parameter (`g`, or `m[2]` for one value of a list) by a number or an expression.
    #[must_use]
    pub fn set(mut self, parameter: &str, value: impl ToString) -> Self {
        self.parameters.push((parameter.to_owned(), value.to_string()));
        self
    }

    /// Replaces how a step keeps the holonomic constraints.
    #[must_use]
    pub fn constraint_form(mut self, form: ConstraintForm) -> Self {
        self.constraints = Some(form);
        self
    }

    /// Replaces whether a start that violates the constraints is moved to the nearest one that does not.
    #[must_use]
    pub fn project(mut self, project: bool) -> Self {
        self.project = Some(project);
        self
    }

    /// The replaced parameters, in the order in which they were set.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Is nothing replaced?
    pub fn is_empty(&self) -> bool {
        *self == Overrides::default()
    }

    /// Is a parameter replaced?
    pub(crate) fn changes_parameters(&self) -> bool {
        !self.parameters.is_empty()
    }

    pub(crate) fn apply_settings(&self, simulation: &mut SimulationSettings) {
        simulation.constraints = self.constraints.unwrap_or(simulation.constraints);
        simulation.project = self.project.unwrap_or(simulation.project);
    }

    pub(crate) fn apply(&self, statements: &mut [ParameterStatement], problems: &mut Problems) {
        for (name, value) in &self.parameters {
            match find(statements, name) {
                Some((scalar, span)) => *scalar = Scalar::Text(SourceText::outside(value, span)),
                None => {
                    let names = statements.iter().map(|statement| statement.name.text.as_str());
                    let list = statements
                        .iter()
                        .find(|s| s.name.text == *name && matches!(s.value, ScalarSeries::List { .. }));
                    let help = match list {
                        Some(_) => Some(format!("`{name}` is a list: set `{name}[1]` and so on")),
                        None => help_for(name, "the parameters are", names),
                    };
                    let message = format!("the model has no parameter `{name}` that could be set to {value}");
                    problems.push(Diagnostic::error(Code::UnknownOverride, message).maybe_help(help));
                }
            }
        }
    }
}

fn find<'s>(statements: &'s mut [ParameterStatement], name: &str) -> Option<(&'s mut Scalar, crate::Span)> {
    let (base, member) = match name.strip_suffix(']').and_then(|open| open.split_once('[')) {
        Some((base, number)) => (base, Some(number.parse::<usize>().ok()?.checked_sub(1)?)),
        None => (name, None),
    };
    let statement = statements.iter_mut().find(|statement| statement.name.text == base)?;
    let span = statement.name.span.clone();
    match (&mut statement.value, member) {
        (ScalarSeries::One(scalar), None) => Some((scalar, span)),
        (ScalarSeries::List { items, .. }, Some(member)) => Some((items.get_mut(member)?, span)),
        _ => None,
    }
}

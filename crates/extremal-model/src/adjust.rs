//! Changing the parameters of a model.

use std::collections::HashMap;

use extremal_expr::syntax::nearest;
use extremal_expr::{Expr, Id};

use crate::document::decimal;
use crate::model::Model;
use crate::names::TIME;
use crate::tables::{Extent, Parameter, Simulation};

/// A parameter that cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("the model has no parameter `{name}`{}", did_you_mean(suggestion))]
    Unknown {
        /// The name.
        name: String,
        /// A parameter that may have been meant.
        suggestion: Option<String>,
    },
    /// The shape of the model depends on the parameter.
    #[error("`{name}` counts members or bounds a sum: it can only be set while the model is loaded")]
    Structural {
        /// The name.
        name: String,
    },
    /// With this value something in the model is not finite.
    #[error("with {name} = {value}, {what} is not finite")]
    NotFinite {
        /// The parameter.
        name: String,
        /// The value it should have had.
        value: f64,
        /// What is not finite.
        what: String,
    },
    /// With this value the step or the final time is not positive.
    #[error("with {name} = {value}, {what} is not positive")]
    NotPositive {
        /// The parameter.
        name: String,
        /// The value it should have had.
        value: f64,
        /// What is not positive.
        what: &'static str,
    },
    /// With this value a coordinate starts outside its domain.
    #[error("with {name} = {value}, `{coordinate}` starts outside its domain")]
    OutsideDomain {
        /// The parameter.
        name: String,
        /// The value it should have had.
        value: f64,
        /// The coordinate.
        coordinate: String,
    },
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl Model {
    /// Gives a parameter another value; parameters, starts and settings that depend on it follow.
    ///
    /// # Errors
    /// The value makes no sense in this model, which is then left as it was.
    pub fn set_parameter(&mut self, name: &str, value: f64) -> Result<(), ParameterError> {
        let parameters = &self.content.parameters;
        let Some(place) = parameters.iter().position(|parameter| parameter.name == name) else {
            let suggestion = nearest(name, parameters.iter().map(|p| p.name.as_str())).map(str::to_owned);
            return Err(ParameterError::Unknown { name: name.to_owned(), suggestion });
        };
        if parameters[place].structural {
            return Err(ParameterError::Structural { name: name.to_owned() });
        }
        let change = Change { model: self, name, value };
        let Some(exact) = decimal(&format!("{value:?}")) else {
            return Err(change.not_finite(format!("the parameter `{name}`")));
        };
        let mut parameters = parameters.clone();
        parameters[place].expression = self.graph.rational(exact.clone()).id();
        parameters[place].exact = Some(exact);
        change.follow(&mut parameters)?;
        let simulation = change.settings(&parameters)?;
        change.check_start(&parameters)?;
        self.content.parameters = parameters;
        self.content.settings.simulation = simulation;
        Ok(())
    }
}

/// A change being tried.
struct Change<'a> {
    model: &'a Model,
    name: &'a str,
    value: f64,
}

impl Change<'_> {
    fn not_finite(&self, what: String) -> ParameterError {
        ParameterError::NotFinite { name: self.name.to_owned(), value: self.value, what }
    }

    fn numbers(&self, ids: &[Id], values: &HashMap<&str, f64>) -> Vec<f64> {
        let graph = &self.model.graph;
        graph.evaluate(&graph.exprs(ids), |name| values.get(name).copied())
    }

    /// Evaluates the parameters, each after those it uses. Exact values that may no longer hold are dropped.
    fn follow(&self, parameters: &mut [Parameter]) -> Result<(), ParameterError> {
        let graph = &self.model.graph;
        let mut values: HashMap<String, f64> = HashMap::new();
        for parameter in parameters {
            let expression = graph.expr(parameter.expression);
            let value = graph.evaluate(&[expression], |name| values.get(name).copied())[0];
            if !value.is_finite() {
                return Err(self.not_finite(format!("the parameter `{}`", parameter.name)));
            }
            if value != parameter.value {
                parameter.value = value;
                parameter.exact = expression.as_number();
            }
            values.insert(parameter.name.clone(), value);
        }
        Ok(())
    }

    fn settings(&self, parameters: &[Parameter]) -> Result<Simulation, ParameterError> {
        let settings = &self.model.content.settings;
        let values = by_name(parameters);
        let positive = |id: Id, what: &'static str| match self.numbers(&[id], &values)[0] {
            number if !number.is_finite() => Err(self.not_finite(what.to_owned())),
            number if number <= 0.0 => {
                Err(ParameterError::NotPositive { name: self.name.to_owned(), value: self.value, what })
            }
            number => Ok(number),
        };
        let mut simulation = settings.simulation.clone();
        if let Some(step) = settings.step {
            simulation.step = Some(positive(step, "the step")?);
        }
        if let Some(until) = settings.until {
            simulation.extent = Some(Extent::Until(positive(until, "the final time")?));
        }
        Ok(simulation)
    }

    /// Every start is finite and inside its domain.
    fn check_start(&self, parameters: &[Parameter]) -> Result<(), ParameterError> {
        let coordinates = &self.model.content.coordinates;
        let values = by_name(parameters);
        let stated = coordinates.iter().flat_map(|c| [c.start, c.start_velocity, c.second.unwrap_or(c.start)]);
        let numbers = self.numbers(&stated.collect::<Vec<_>>(), &values);
        let mut state: HashMap<String, f64> = HashMap::from([(TIME.to_owned(), 0.0)]);
        for (coordinate, numbers) in coordinates.iter().zip(numbers.chunks(3)) {
            if numbers.iter().any(|number| !number.is_finite()) {
                return Err(self.not_finite(format!("the start of `{}`", coordinate.name)));
            }
            state.insert(coordinate.name.clone(), numbers[0]);
            state.insert(format!("{}'", coordinate.name), numbers[1]);
        }
        let graph = &self.model.graph;
        let bounded: Vec<_> = coordinates.iter().filter(|c| c.domain.is_some()).collect();
        let domains: Vec<Expr<'_>> = bounded.iter().filter_map(|c| c.domain).map(|id| graph.expr(id)).collect();
        let held = graph.evaluate(&domains, |name| state.get(name).or_else(|| values.get(name)).copied());
        match bounded.iter().zip(held).find(|(_, held)| *held == 0.0) {
            Some((coordinate, _)) => Err(ParameterError::OutsideDomain {
                name: self.name.to_owned(),
                value: self.value,
                coordinate: coordinate.name.clone(),
            }),
            None => Ok(()),
        }
    }
}

fn by_name(parameters: &[Parameter]) -> HashMap<&str, f64> {
    parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.value)).collect()
}

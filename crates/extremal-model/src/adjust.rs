//! Changing the parameters of a model.

use std::collections::HashMap;

use extremal_expr::syntax::nearest;
use extremal_expr::{Expr, Id};

use crate::document::decimal;
use crate::model::Model;
use crate::names::STEP;
use crate::tables::{Breach, Extent, LawsAtStart, Parameter, SimulationSettings, boundary_problems};

/// A parameter that cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum ParameterError {
    #[error("the model has no parameter `{name}`{}", did_you_mean(suggestion))]
    Unknown { name: String, suggestion: Option<String> },
    #[error("`{name}` counts members or bounds a sum: it can only be set while the model is loaded")]
    Structural { name: String },
    #[error("with {name} = {value}, {what} is not finite")]
    NotFinite { name: String, value: f64, what: String },
    #[error("with {name} = {value}, {what} is not positive")]
    NotPositive { name: String, value: f64, what: &'static str },
    #[error("with {name} = {value}, `{coordinate}` starts outside its domain")]
    OutsideDomain { name: String, value: f64, coordinate: String },
    #[error("with {name} = {value}, the temperature of `{entropy}` is {temperature} at the start")]
    Temperature { name: String, value: f64, entropy: String, temperature: f64 },
    #[error("with {name} = {value}, the conductance of `{conduction}` is {conductance} at the start")]
    Conductance { name: String, value: f64, conduction: String, conductance: f64 },
    #[error("with {name} = {value}, {problem}")]
    Boundary { name: String, value: f64, problem: String },
    #[error("with {name} = {value}, the shares of the heat of the friction on `{coordinate}` are not parts of a whole")]
    HeatShares { name: String, value: f64, coordinate: String },
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
        self.set_parameters(&[(name, value)])
    }

    /// Gives several parameters other values at once: what they make together must make sense, not what one of them alone would.
    ///
    /// # Errors
    /// The values make no sense in this model, which is then left as it was.
    pub fn set_parameters(&mut self, changes: &[(&str, f64)]) -> Result<(), ParameterError> {
        let Some(((name, value), before)) = changes.split_last() else { return Ok(()) };
        let before: String = before.iter().map(|(name, value)| format!("{name} = {value}, ")).collect();
        let change = ParameterChange { model: self, name: &format!("{before}{name}"), value: *value };
        let mut parameters = self.content.parameters.clone();
        for (name, value) in changes {
            let Some(place) = parameters.iter().position(|parameter| parameter.name == *name) else {
                let suggestion = nearest(name, parameters.iter().map(|p| p.name.as_str())).map(str::to_owned);
                return Err(ParameterError::Unknown { name: (*name).to_owned(), suggestion });
            };
            if parameters[place].structural {
                return Err(ParameterError::Structural { name: (*name).to_owned() });
            }
            let Some(exact) = decimal(&format!("{value:?}")) else {
                return Err(change.not_finite(format!("the parameter `{name}`")));
            };
            parameters[place].expression = self.graph.rational(exact.clone()).id();
            parameters[place].exact = Some(exact);
        }
        change.follow(&mut parameters)?;
        let simulation = change.settings(&parameters)?;
        change.check_start(&parameters, simulation.step)?;
        change.check_boundary(&parameters)?;
        self.content.parameters = parameters;
        self.content.settings.simulation = simulation;
        Ok(())
    }
}

/// A change being tried.
struct ParameterChange<'a> {
    model: &'a Model,
    name: &'a str,
    value: f64,
}

impl ParameterChange<'_> {
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

    fn settings(&self, parameters: &[Parameter]) -> Result<SimulationSettings, ParameterError> {
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

    /// Every start is finite, inside its domain, and possible by the second law.
    fn check_start(&self, parameters: &[Parameter], step: Option<f64>) -> Result<(), ParameterError> {
        let coordinates = &self.model.content.coordinates;
        let values = by_name(parameters);
        self.check_second(&values, step)?;
        let mut state: HashMap<String, f64> = HashMap::from([(self.model.content.independent.clone(), 0.0)]);
        let mut started = true;
        for (order, starts) in self.model.start_expressions().iter().enumerate() {
            let stated: Vec<Id> = starts.iter().flatten().copied().collect();
            let mut numbers = self.numbers(&stated, &values).into_iter();
            for (coordinate, start) in coordinates.iter().zip(starts) {
                // A velocity that is not stated is zero; a position that is not stated is unknown.
                let number = if start.is_some() { numbers.next() } else { Some(0.0).filter(|_| order > 0) };
                let Some(number) = number else {
                    started = false;
                    continue;
                };
                if !number.is_finite() {
                    return Err(self.not_finite(format!("the start of `{}`", coordinate.name)));
                }
                state.insert(format!("{}{}", coordinate.name, "'".repeat(order)), number);
            }
        }
        for starts in self.model.momentum_starts() {
            let stated = coordinates.iter().zip(starts).filter_map(|(coordinate, start)| Some((coordinate, start?)));
            let (named, ids): (Vec<_>, Vec<Id>) = stated.unzip();
            let numbers = self.numbers(&ids, &values);
            if let Some((coordinate, _)) = named.into_iter().zip(numbers).find(|(_, number)| !number.is_finite()) {
                return Err(self.not_finite(format!("a momentum of `{}` at the start", coordinate.name)));
            }
        }
        for (name, start) in self.model.carried_names().into_iter().zip(self.model.carried_starts()) {
            let Some(start) = start else {
                started = false;
                continue;
            };
            let number = self.numbers(&[start.id()], &values)[0];
            if !number.is_finite() {
                return Err(self.not_finite(format!("the start of `{name}`")));
            }
            state.insert(name.to_owned(), number);
        }
        let constraints = &self.model.content.constraints;
        let multipliers = constraints.iter().map(|constraint| constraint.multiplier).collect::<Vec<_>>();
        for (constraint, number) in constraints.iter().zip(self.numbers(&multipliers, &values)) {
            if !number.is_finite() {
                return Err(self.not_finite(format!("the multiplier of `{}`", constraint.name)));
            }
        }
        if !started {
            return Ok(());
        }
        let graph = &self.model.graph;
        let stated = coordinates.iter().all(|c| c.start.is_some());
        let bounded: Vec<_> = coordinates.iter().filter(|c| stated && c.domain.is_some()).collect();
        let domains: Vec<Expr<'_>> = bounded.iter().filter_map(|c| c.domain).map(|id| graph.expr(id)).collect();
        let value_of = |name: &str| state.get(name).or_else(|| values.get(name)).copied();
        let held = graph.evaluate(&domains, value_of);
        match bounded.iter().zip(held).find(|(_, held)| *held == 0.0) {
            Some((coordinate, _)) => Err(ParameterError::OutsideDomain {
                name: self.name.to_owned(),
                value: self.value,
                coordinate: coordinate.name.clone(),
            }),
            None => self.check_laws(value_of),
        }
    }

    /// A boundary problem makes sense.
    fn check_boundary(&self, parameters: &[Parameter]) -> Result<(), ParameterError> {
        let content = &self.model.content;
        let Some(boundary) = &content.boundary else { return Ok(()) };
        let values = by_name(parameters);
        let (graph, time) = (&self.model.graph, self.model.time().id());
        let value_of = |name: &str| values.get(name).copied();
        match boundary_problems(graph, boundary, &content.controls, self.model.component_lists(), time, value_of)
            .into_iter()
            .next()
        {
            None => Ok(()),
            Some(found) => {
                Err(ParameterError::Boundary { name: self.name.to_owned(), value: self.value, problem: found.message })
            }
        }
    }

    /// Every second position is finite, as far as the step it depends on is known.
    fn check_second(&self, values: &HashMap<&str, f64>, step: Option<f64>) -> Result<(), ParameterError> {
        let graph = &self.model.graph;
        let with_second: Vec<_> = self.model.content.coordinates.iter().filter(|c| c.second.is_some()).collect();
        let second: Vec<Expr<'_>> = with_second.iter().filter_map(|c| c.second).map(|id| graph.expr(id)).collect();
        let depends = graph.depend_on(&second, &[graph.symbol(STEP)]);
        let value_of = |name: &str| if name == STEP { step } else { values.get(name).copied() };
        let numbers = graph.evaluate(&second, value_of);
        let wrong = |((number, depends), _): &((&f64, bool), _)| !number.is_finite() && (step.is_some() || !depends);
        match numbers.iter().zip(depends).zip(with_second).find(wrong) {
            Some((_, coordinate)) => Err(self.not_finite(format!("the second position of `{}`", coordinate.name))),
            None => Ok(()),
        }
    }

    fn check_laws(&self, value_of: impl Fn(&str) -> Option<f64>) -> Result<(), ParameterError> {
        let content = &self.model.content;
        let laws = LawsAtStart {
            graph: &self.model.graph,
            lagrangian: content.lagrangian,
            coordinates: &content.coordinates,
            entropies: &content.entropies,
            friction: &content.friction_terms,
            conductions: &content.conductions,
            constraints: &content.constraints,
        };
        let (name, value) = (self.name.to_owned(), self.value);
        Err(match laws.breaches(value_of).first() {
            None => return Ok(()),
            Some(Breach::Temperature { entropy, value: temperature }) => {
                let entropy = content.entropies[*entropy].name.clone();
                ParameterError::Temperature { name, value, entropy, temperature: *temperature }
            }
            Some(Breach::Conductance { conduction, value: conductance }) => {
                let conduction = content.conductions[*conduction].name.clone();
                ParameterError::Conductance { name, value, conduction, conductance: *conductance }
            }
            Some(Breach::NegativeShare { term, .. } | Breach::ShareSum { term, .. }) => {
                let coordinate = content.coordinates[content.friction_terms[*term].coordinate].name.clone();
                ParameterError::HeatShares { name, value, coordinate }
            }
        })
    }
}

fn by_name(parameters: &[Parameter]) -> HashMap<&str, f64> {
    parameters.iter().map(|parameter| (parameter.name.as_str(), parameter.value)).collect()
}

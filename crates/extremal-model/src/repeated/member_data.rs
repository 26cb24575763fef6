//! Numbers that every member of a family has one of: masses, charges.

use extremal_expr::Rational;

use super::local::depends_on_number;
use super::{MemberSeries, RepeatedModel};
use crate::document::{Scalar, ScalarSeries};
use crate::resolver::{DEFAULT_INDEX, names_in};
use crate::tables::definitions::{DefinitionStatement, DefinitionValue};
use crate::tables::{ParameterStatement, Statements};

/// Numbers of which every member has one.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberData {
    /// What the numbers are called.
    pub name: String,
    /// One for each member.
    pub values: Vec<f64>,
}

/// Where the numbers of members are stated.
pub(super) enum DataSource {
    /// A parameter that is a list, by its name.
    List(String),
    /// A definition: its name, its values, and what the number of a member is called in them.
    Definition(String, ScalarSeries, String),
}

impl DataSource {
    /// All that are there: lists of one number per member, and families of definitions that only parameters and the number of a
    /// member decide.
    pub fn all(statements: &Statements, count: &str, size: usize) -> Vec<DataSource> {
        let is_long = |series: &ScalarSeries| matches!(series, ScalarSeries::List { items, .. } if items.len() == size);
        let lists = statements.parameters.iter().filter(|parameter| is_long(&parameter.value));
        let lists = lists.map(|parameter| DataSource::List(parameter.name.text.clone()));
        let is_parameter = |name: &String| statements.parameters.iter().any(|parameter| parameter.name.text == *name);
        let known = |scalar: &Scalar, index: &str| match scalar {
            Scalar::Number { .. } => true,
            Scalar::Text(text) => {
                names_in(&text.value).names.iter().all(|name| name == index || name == "pi" || is_parameter(name))
            }
        };
        let definition = |definition: &DefinitionStatement| {
            let counted = matches!(&definition.count, Some(Scalar::Text(text)) if text.value.trim() == count);
            let index = definition.index.as_ref().map_or(DEFAULT_INDEX, |text| text.value.as_str());
            let Some(DefinitionValue::Series(series)) = &definition.value else { return None };
            let is_data = match series {
                ScalarSeries::One(scalar @ Scalar::Text(text)) => {
                    counted && known(scalar, index) && depends_on_number(&text.value, index)
                }
                ScalarSeries::One(Scalar::Number { .. }) => false,
                ScalarSeries::List { items, .. } => is_long(series) && items.iter().all(|item| known(item, index)),
            };
            is_data.then(|| DataSource::Definition(definition.name.text.clone(), series.clone(), index.to_owned()))
        };
        lists.chain(statements.definitions.iter().filter_map(definition)).collect()
    }

    /// Is this the definition that they are stated in?
    pub fn defines(&self, definition: &DefinitionStatement) -> bool {
        matches!(self, DataSource::Definition(name, ..) if *name == definition.name.text)
    }

    /// The numbers, if all are finite.
    pub fn data(&self, model: &RepeatedModel) -> Option<MemberData> {
        let mut values = Vec::with_capacity(model.size);
        let name = match self {
            DataSource::List(name) => {
                for member in 1..=model.size {
                    values.push(model.parameter(&format!("{name}[{member}]"))?);
                }
                name
            }
            DataSource::Definition(name, series, index) => {
                let wanted = MemberSeries { series: Some(series), index, what: name.clone() };
                values = model.evaluate(&[wanted]).ok()?.concat();
                name
            }
        };
        Some(MemberData { name: name.clone(), values })
    }
}

impl MemberData {
    /// Is this the name of one of the numbers?
    pub fn has(&self, parameter: &str) -> bool {
        parameter.strip_prefix(&self.name).is_some_and(|rest| rest.starts_with('['))
    }

    /// States the numbers of so many members as a list of parameters; where there are more members, numbers come again.
    pub(super) fn state(&self, statements: &mut Statements, size: usize) {
        let at = |place: usize| self.values.get(place % self.values.len().max(1)).copied().unwrap_or(1.0);
        let defined = statements.definitions.iter().position(|definition| definition.name.text == self.name);
        let name = defined.map(|place| statements.definitions.remove(place).name);
        let stated = statements.parameters.iter_mut().find(|parameter| parameter.name.text == self.name);
        let span = match (&name, &stated) {
            (Some(name), _) => name.span.clone(),
            (None, Some(parameter)) => parameter.value.span(),
            (None, None) => return,
        };
        let item = |place| Scalar::Number {
            value: Rational::from_f64(at(place)).unwrap_or(Rational::ONE),
            span: span.clone(),
        };
        let value = ScalarSeries::List { items: (0..size).map(item).collect(), span: span.clone() };
        match (name, stated) {
            (Some(name), _) => statements.parameters.push(ParameterStatement { name, value }),
            (None, Some(parameter)) => parameter.value = value,
            (None, None) => {}
        }
    }
}

//! Models whose families all have the same number of members, and say the same of each: they can be looked at with few members
//! and run with many.

mod local;

use extremal_expr::Graph;

use crate::diagnostic::{InvalidModel, Problems};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::model::Model;
use crate::names::TIME;
use crate::overrides::Overrides;
use crate::place::ExpressionPlace;
use crate::resolver::{DEFAULT_INDEX, Resolver, names_in};
use crate::tables::coordinates::CoordinateStatement;
use crate::tables::definitions::{DefinitionStatement, DefinitionValue};
use crate::tables::dynamics::DynamicsStatement;
use crate::tables::{self, MAX_COORDINATES, Statements};
use crate::text::SourceText;

use local::is_local;

/// Members whose starts are evaluated in one graph, which is then forgotten.
const BATCH: usize = 4096;

/// A model of repeated structure, which has not been unrolled.
///
/// ```
/// use extremal_model::{Overrides, RepeatedModel};
/// let chain = r#"
///     [parameters]
///     n = 5
///     [coordinates]
///     q = { count = "n", start = "i/4 + n" }
///     [dynamics]
///     lagrangian = "sum(i, 1, n, q[i]'^2/2) - sum(i, 1, n - 1, (q[i + 1] - q[i])^2/2)"
/// "#;
/// let long = RepeatedModel::read(chain, &Overrides::default().set("n", 100_000)).expect("the same for every member");
/// assert_eq!((long.size(), long.names().collect::<Vec<_>>()), (100_000, vec!["q"]));
/// assert_eq!(long.with_size(3)?.coordinates().len(), 3);
/// assert_eq!(long.start()?.positions[50_000], 50_001.0 / 4.0 + 100_000.0);
/// let uneven = chain.replace("q[i]'^2/2", "i*q[i]'^2/2");
/// assert!(RepeatedModel::read(&uneven, &Overrides::default()).is_none());
/// # Ok::<(), extremal_model::InvalidModel>(())
/// ```
pub struct RepeatedModel {
    text: String,
    overrides: Overrides,
    statements: Statements,
    /// The parameter that counts members, and its value.
    count: String,
    size: usize,
    parameters: Vec<f64>,
}

/// Where all members start.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatedStart {
    /// Positions, family by family.
    pub positions: Vec<f64>,
    /// Velocities likewise.
    pub velocities: Vec<f64>,
}

impl RepeatedModel {
    /// Reads a model file with some values replaced; `None` if it is in error or not of this form: coordinates in families of
    /// one size, a parameter, with nothing but a Lagrangian, forces on whole families and definitions, whose expressions use the number of
    /// a member only to choose members.
    pub fn read(text: &str, overrides: &Overrides) -> Option<RepeatedModel> {
        let mut problems = Problems::default();
        let mut statements = tables::read(text, &mut problems)?;
        overrides.apply(&mut statements, &mut problems);
        let count = counted_by(&statements)?;
        let graph = Graph::new();
        let resolver = &mut Resolver::new(&graph, TIME, &mut problems);
        let parameters = tables::resolve_parameters(resolver, &statements.parameters);
        let size = parameters.iter().find(|parameter| parameter.name == count)?.exact.as_ref()?.to_i64()?;
        let size = usize::try_from(size).ok()?;
        let members = size.checked_mul(statements.coordinates.len())?;
        if problems.errors() > 0 || members > MAX_COORDINATES || !says_the_same(&statements, &count) {
            return None;
        }
        let parameters = parameters.iter().map(|parameter| parameter.value).collect();
        Some(RepeatedModel { text: text.to_owned(), overrides: overrides.clone(), statements, count, size, parameters })
    }

    /// The number of members of each family.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The names of the families.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.statements.coordinates.iter().map(|statement| statement.name.text.as_str())
    }

    /// The values of the parameters, in the order of every model of this text.
    pub fn parameter_values(&self) -> &[f64] {
        &self.parameters
    }

    /// The model with another number of members.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn with_size(&self, size: usize) -> Result<Model, InvalidModel> {
        Model::load(&self.text, &self.overrides.clone().set(&self.count, size))
    }

    /// Where every member starts: the numbers that the model with all its members would have.
    ///
    /// # Errors
    /// A start that is not a finite number.
    pub fn start(&self) -> Result<RepeatedStart, InvalidModel> {
        let mut start = RepeatedStart { positions: Vec::new(), velocities: Vec::new() };
        for statement in &self.statements.coordinates {
            let index = statement.index.as_ref().map_or(DEFAULT_INDEX, |text| text.value.as_str());
            let family = |series: &Option<ScalarSeries>, what: &str, into: &mut Vec<f64>| match series {
                Some(ScalarSeries::One(scalar)) => {
                    let what = format!("the {what} of a member of `{}`", statement.name.text);
                    self.evaluate(scalar, index, &what, into)
                }
                _ => {
                    into.resize(into.len() + self.size, 0.0);
                    Ok(())
                }
            };
            family(&statement.start, "start", &mut start.positions)?;
            family(&statement.velocity, "velocity", &mut start.velocities)?;
        }
        Ok(start)
    }

    fn evaluate(&self, scalar: &Scalar, index: &str, what: &str, into: &mut Vec<f64>) -> Result<(), InvalidModel> {
        let mut problems = Problems::default();
        if let Scalar::Number { value, .. } = scalar
            && value.to_f64().is_finite()
        {
            into.resize(into.len() + self.size, value.to_f64());
            return Ok(());
        }
        for first in (1..=self.size).step_by(BATCH) {
            let graph = Graph::new();
            let resolver = &mut Resolver::new(&graph, TIME, &mut problems);
            tables::resolve_parameters(resolver, &self.statements.parameters);
            for number in first..=self.size.min(first + BATCH - 1) {
                let value = resolver.number(scalar, &ExpressionPlace::INITIAL, Some((index, number as i64)));
                match value.and_then(|value| resolver.finite(value, scalar.span(), what)) {
                    Some(number) => into.push(number),
                    None => {
                        let diagnostics = problems.into_sorted();
                        return Err(InvalidModel { diagnostics, source_text: self.text.clone() });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The parameter that counts the members of every family of coordinates.
fn counted_by(statements: &Statements) -> Option<String> {
    let name = |count: &Option<Scalar>| match count {
        Some(Scalar::Text(text)) => Some(text.value.trim().to_owned()),
        _ => None,
    };
    let count = name(&statements.coordinates.first()?.count)?;
    let all = statements.coordinates.iter().all(|statement| name(&statement.count).as_ref() == Some(&count));
    let is_parameter = statements.parameters.iter().any(|parameter| parameter.name.text == count);
    (all && is_parameter).then_some(count)
}

/// Is nothing stated but what is the same for every member?
fn says_the_same(statements: &Statements, count: &str) -> bool {
    let Statements { coordinates, definitions, dynamics, .. } = statements;
    // A Hamiltonian is no plain motion.
    let DynamicsStatement {
        stated: _,
        lagrangian,
        hamiltonian: _,
        phase_space: _,
        friction_law: _,
        dissipation: _,
        forces,
        heat: _,
    } = dynamics;
    let one = |series: &Option<ScalarSeries>| matches!(series, None | Some(ScalarSeries::One(_)));
    // A start that uses others needs all of them at once.
    let alone = |series: &Option<ScalarSeries>| match series {
        Some(ScalarSeries::One(Scalar::Text(text))) => {
            let names = names_in(&text.value).names;
            !coordinates.iter().any(|statement| names.contains(&statement.name.text))
        }
        _ => true,
    };
    let started = coordinates.iter().all(|statement| {
        let CoordinateStatement {
            name: _,
            has_start: _,
            start,
            velocity,
            momentum,
            higher,
            momenta,
            second,
            domain,
            count: _,
            index: _,
            rotation,
            angular_velocity,
        } = statement;
        let mut beyond = higher.iter().chain(momenta).chain([momentum, second]);
        let turns = *rotation || angular_velocity.is_some();
        let plain = domain.is_none() && !turns && beyond.all(Option::is_none);
        plain && start.is_some() && one(start) && one(velocity) && alone(start) && alone(velocity)
    });
    let coordinate_names = coordinates.iter().map(|statement| &statement.name.text);
    let counted = definitions.iter().filter(|statement| statement.count.is_some());
    let listed = statements.parameters.iter().filter(|statement| matches!(statement.value, ScalarSeries::List { .. }));
    let families = coordinate_names.chain(counted.map(|statement| &statement.name.text));
    let families: Vec<&str> =
        families.chain(listed.map(|statement| &statement.name.text)).map(String::as_str).collect();
    let local = |scalar: &Scalar, index: Option<&str>| match scalar {
        Scalar::Number { .. } => true,
        Scalar::Text(text) => is_local(&text.value, count, index, &families),
    };
    let defined = definitions.iter().all(|definition| {
        let DefinitionStatement { name: _, value, count: counted_by, index } = definition;
        let counted = match counted_by {
            None => true,
            Some(Scalar::Text(text)) => text.value.trim() == count,
            Some(Scalar::Number { .. }) => false,
        };
        let index = index.as_ref().map_or(DEFAULT_INDEX, |text| text.value.as_str());
        let index = counted_by.is_some().then_some(index);
        counted && matches!(value, Some(DefinitionValue::Series(ScalarSeries::One(scalar))) if local(scalar, index))
    });
    // Forces on definitions are derivatives of their virtual work, a sum over members like the Lagrangian.
    let forced = forces.iter().all(|force| {
        let named = |name: &Name, index: &Option<SourceText>| {
            (name.text == force.key.value)
                .then(|| index.as_ref().map_or(DEFAULT_INDEX.to_owned(), |text| text.value.clone()))
        };
        let moving = coordinates.iter().find_map(|statement| named(&statement.name, &statement.index));
        let members = definitions.iter().filter(|definition| definition.count.is_some());
        let mut defined = members.filter_map(|definition| named(&definition.name, &definition.index));
        let index = moving.or_else(|| defined.next());
        matches!((&force.value, index), (ScalarSeries::One(scalar), Some(index)) if local(scalar, Some(&index)))
    });
    let lagrangian = lagrangian.as_ref().is_some_and(|scalar| local(scalar, None));
    started && defined && forced && lagrangian && statements.is_plain_motion()
}

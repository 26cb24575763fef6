//! Models whose families all have the same number of members, and say the same of each: they can be looked at with few members
//! and run with many.

mod local;
mod member_data;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

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

use local::{Repetition, repetition};
use member_data::DataSource;

pub use member_data::MemberData;

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
/// let assigned = RepeatedModel::read(chain, &Overrides::default().assign("n", 100_000)).expect("the same for every member");
/// assert_eq!(assigned.with_size(3)?.coordinates().len(), 3);
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
    /// Those that are the same for all members.
    parameters: BTreeMap<String, f64>,
    sources: Vec<DataSource>,
    data: Vec<MemberData>,
    repetition: Repetition,
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
    /// a member only to choose members, or to say what numbers belong to it.
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
        if problems.errors() > 0 || members > MAX_COORDINATES {
            return None;
        }
        let sources = DataSource::all(&statements, &count, size);
        let repetition = says_the_same(&statements, (&count, size), &sources)?;
        let parameters = parameters.into_iter().map(|parameter| (parameter.name, parameter.value)).collect();
        let (text, overrides) = (text.to_owned(), overrides.clone());
        let mut read = RepeatedModel {
            text,
            overrides,
            statements,
            count,
            size,
            parameters,
            sources,
            data: Vec::new(),
            repetition,
        };
        read.data = read.sources.iter().map(|source| source.data(&read)).collect::<Option<_>>()?;
        read.parameters.retain(|name, _| !read.data.iter().any(|data| data.has(name)));
        Some(read)
    }

    /// The number of members of each family.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The names of the families.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.statements.coordinates.iter().map(|statement| statement.name.text.as_str())
    }

    /// The value of a parameter that is the same for all members.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.parameters.get(name).copied()
    }

    /// The numbers that every member has one of.
    pub fn data(&self) -> &[MemberData] {
        &self.data
    }

    /// Does it say something of every pair of members?
    pub fn has_pairs(&self) -> bool {
        self.repetition.pairs
    }

    /// Does it say something of members at a distance from each other, or from the ends?
    pub fn has_neighbours(&self) -> bool {
        self.repetition.neighbours
    }

    /// The model with another number of members. The [numbers of members](RepeatedModel::data) are parameters in it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn with_size(&self, size: usize) -> Result<Model, InvalidModel> {
        let overrides = self.overrides.clone().assign(&self.count, size);
        Model::load_adjusted(&self.text, &overrides, |statements| {
            self.data.iter().for_each(|data| data.state(statements, size));
            for statement in &mut statements.coordinates {
                for series in [&mut statement.start, &mut statement.velocity].into_iter().flatten() {
                    if let ScalarSeries::List { items, .. } = series {
                        *items = items.iter().cycle().take(size).cloned().collect();
                    }
                }
            }
        })
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
                Some(series) => {
                    let what = format!("the {what} of a member of `{}`", statement.name.text);
                    self.evaluate_all(series, index, &what, into)
                }
                None => {
                    into.resize(into.len() + self.size, 0.0);
                    Ok(())
                }
            };
            family(&statement.start, "start", &mut start.positions)?;
            family(&statement.velocity, "velocity", &mut start.velocities)?;
        }
        Ok(start)
    }

    /// The values of one expression for all members, or of one for each.
    fn evaluate_all(
        &self,
        series: &ScalarSeries,
        index: &str,
        what: &str,
        into: &mut Vec<f64>,
    ) -> Result<(), InvalidModel> {
        match series {
            ScalarSeries::One(scalar) => self.evaluate(scalar, index, what, 1..=self.size, into),
            ScalarSeries::List { items, .. } => {
                let mut each = items.iter().zip(1..);
                each.try_for_each(|(item, member)| self.evaluate(item, index, what, member..=member, into))
            }
        }
    }

    /// The values of an expression for some members, by their numbers.
    fn evaluate(
        &self,
        scalar: &Scalar,
        index: &str,
        what: &str,
        members: RangeInclusive<usize>,
        into: &mut Vec<f64>,
    ) -> Result<(), InvalidModel> {
        let mut problems = Problems::default();
        let (first, last) = members.into_inner();
        if let Scalar::Number { value, .. } = scalar
            && value.to_f64().is_finite()
        {
            into.resize(into.len() + (last + 1 - first), value.to_f64());
            return Ok(());
        }
        for first in (first..=last).step_by(BATCH) {
            let graph = Graph::new();
            let resolver = &mut Resolver::new(&graph, TIME, &mut problems);
            tables::resolve_parameters(resolver, &self.statements.parameters);
            for number in first..=last.min(first + BATCH - 1) {
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

/// What is stated, if that is nothing but what is the same for every member.
fn says_the_same(statements: &Statements, (count, size): (&str, usize), data: &[DataSource]) -> Option<Repetition> {
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
    let one = |series: &Option<ScalarSeries>| match series {
        None | Some(ScalarSeries::One(_)) => true,
        Some(ScalarSeries::List { items, .. }) => items.len() == size,
    };
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
    let mut found = Repetition::default();
    let mut local = |scalar: &Scalar, index: Option<&str>| match scalar {
        Scalar::Number { .. } => true,
        Scalar::Text(text) => match repetition(&text.value, count, index, &families) {
            Some(more) => {
                found = found.and(more);
                true
            }
            None => false,
        },
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
        data.iter().any(|source| source.defines(definition))
            || counted
                && matches!(value, Some(DefinitionValue::Series(ScalarSeries::One(scalar))) if local(scalar, index))
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
    (started && defined && forced && lagrangian && statements.is_plain_motion()).then_some(found)
}

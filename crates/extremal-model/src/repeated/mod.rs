//! Models whose families all have the same number of members, and say the same of each: they can be looked at with few members
//! and run with many.

mod local;
mod member_data;

use std::collections::BTreeMap;
use std::ops::Range;

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
        let overrides = self.overrides.clone().set(&self.count, size);
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
        let of_each = |what: &str, series: fn(&CoordinateStatement) -> &Option<ScalarSeries>| {
            let each = self.statements.coordinates.iter().map(|statement| MemberSeries {
                series: series(statement).as_ref(),
                index: statement.index.as_ref().map_or(DEFAULT_INDEX, |text| text.value.as_str()),
                what: format!("the {what} of a member of `{}`", statement.name.text),
            });
            each.collect::<Vec<_>>()
        };
        let wanted =
            [of_each("start", |statement| &statement.start), of_each("velocity", |statement| &statement.velocity)];
        let mut found = self.evaluate(&wanted.concat())?;
        let velocities = found.split_off(wanted[0].len()).concat();
        Ok(RepeatedStart { positions: found.concat(), velocities })
    }

    /// The values of expressions for all members. Members are looked at together, for their expressions have much in common.
    fn evaluate(&self, wanted: &[MemberSeries<'_>]) -> Result<Vec<Vec<f64>>, InvalidModel> {
        let mut problems = Problems::default();
        let mut found: Vec<Vec<f64>> = wanted.iter().map(|_| Vec::with_capacity(self.size)).collect();
        for first in (1..=self.size).step_by(BATCH) {
            let graph = Graph::new();
            let resolver = &mut Resolver::new(&graph, TIME, &mut problems);
            tables::resolve_parameters(resolver, &self.statements.parameters);
            let members = first..(first + BATCH).min(self.size + 1);
            if self.evaluate_batch(resolver, wanted, members, &mut found).is_none() {
                let diagnostics = problems.into_sorted();
                return Err(InvalidModel { diagnostics, source_text: self.text.clone() });
            }
        }
        Ok(found)
    }

    /// The same for some members, by their numbers; `None` where one of the values is no finite number, which is reported.
    fn evaluate_batch(
        &self,
        resolver: &mut Resolver<'_, '_>,
        wanted: &[MemberSeries<'_>],
        members: Range<usize>,
        found: &mut [Vec<f64>],
    ) -> Option<()> {
        let mut values = Vec::new();
        for MemberSeries { series, index, .. } in wanted {
            match series {
                None => {}
                Some(ScalarSeries::One(scalar)) => {
                    let mut scalar = resolver.members(scalar);
                    for number in members.clone() {
                        values.push(scalar.read(resolver, &ExpressionPlace::INITIAL, (index, number as i64))?);
                    }
                }
                Some(ScalarSeries::List { items, .. }) => {
                    for (number, item) in members.clone().zip(items.get(members.start - 1..)?) {
                        let member = Some((*index, number as i64));
                        values.push(resolver.number(item, &ExpressionPlace::INITIAL, member)?);
                    }
                }
            }
        }
        let mut numbers = resolver.evaluate_all(&values).into_iter().zip(values);
        for (MemberSeries { series, what, .. }, into) in wanted.iter().zip(found) {
            let Some(series) = series else {
                into.resize(into.len() + members.len(), 0.0);
                continue;
            };
            for (at, (number, value)) in members.clone().zip(numbers.by_ref()) {
                let span = || match series {
                    ScalarSeries::One(scalar) => scalar.span(),
                    ScalarSeries::List { items, .. } => items[at - 1].span(),
                };
                into.push(if number.is_finite() { number } else { resolver.finite(value, span(), what)? });
            }
        }
        Some(())
    }
}

/// What is stated of all members of a family, and what it is called in messages.
#[derive(Clone)]
struct MemberSeries<'a> {
    /// Where nothing is stated, all is zero.
    series: Option<&'a ScalarSeries>,
    /// What the number of a member is called in it.
    index: &'a str,
    what: String,
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

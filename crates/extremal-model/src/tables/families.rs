//! What comes alone or as families: coordinates, entropies, states, definitions, constraints, controls.

use std::collections::HashMap;

use extremal_expr::Id;

use super::MAX_COORDINATES;
use crate::diagnostic::{Code, Diagnostic, Problems, Span};
use crate::document::{Name, Scalar, ScalarSeries};
use crate::names::STEP;
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// What is said of the key `index` of a family.
pub(crate) const INDEX: &str = "what the number of a member is called, `i` if not stated";

/// Families of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuantityKind {
    Coordinate,
    Entropy,
    Amount,
    Action,
    Variable,
    State,
    Definition,
    Constraint,
    Control,
}

impl QuantityKind {
    pub fn word(self) -> &'static str {
        match self {
            QuantityKind::Coordinate => "coordinate",
            QuantityKind::Entropy => "entropy",
            QuantityKind::Amount => "amount",
            QuantityKind::Action => "action variable",
            QuantityKind::Variable => "variable",
            QuantityKind::State => "state",
            QuantityKind::Definition => "definition",
            QuantityKind::Constraint => "constraint",
            QuantityKind::Control => "control",
        }
    }

    pub fn plural(self) -> &'static str {
        match self {
            QuantityKind::Coordinate => "coordinates",
            QuantityKind::Entropy => "entropies",
            QuantityKind::Amount => "amounts",
            QuantityKind::Action => "action variables",
            QuantityKind::Variable => "variables",
            QuantityKind::State => "states",
            QuantityKind::Definition => "definitions",
            QuantityKind::Constraint => "constraints",
            QuantityKind::Control => "controls",
        }
    }
}

/// The quantities of one statement among all of their kind.
pub(crate) struct Family {
    pub name: Name,
    /// The place of its statement.
    pub statement: usize,
    /// The place of its first member in the flat list.
    pub first: usize,
    /// `None` for a single quantity.
    pub count: Option<i64>,
    /// The number of columns, of a matrix.
    pub columns: Option<i64>,
    /// The name of the member's number.
    pub index: String,
}

impl Family {
    pub fn len(&self) -> usize {
        self.count.map_or(1, |count| usize::try_from(count).unwrap_or(0))
    }

    /// The name of the member at this place from 0.
    pub fn member(&self, position: usize) -> String {
        match self.columns {
            Some(columns) => {
                let columns = usize::try_from(columns).unwrap_or(1).max(1);
                format!("{}[{},{}]", self.name.text, position / columns + 1, position % columns + 1)
            }
            None => member_name(&self.name.text, self.count, position + 1),
        }
    }
}

/// All quantities of a kind, by statement.
pub(crate) struct Families {
    pub kind: QuantityKind,
    pub list: Vec<Family>,
    by_name: HashMap<String, usize>,
    members: usize,
}

impl Families {
    pub fn new(kind: QuantityKind) -> Self {
        Families { kind, list: Vec::new(), by_name: HashMap::new(), members: 0 }
    }

    pub fn get(&self, name: &str) -> Option<&Family> {
        self.by_name.get(name).map(|place| &self.list[*place])
    }

    /// How many quantities there are, all families together.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The family that the quantity at this place of the flat list belongs to.
    pub fn of_member(&self, place: usize) -> Option<&Family> {
        self.list[..self.list.partition_point(|family| family.first <= place)].last()
    }

    pub fn push(&mut self, name: &Name, statement: usize, count: Option<i64>, index: String) {
        self.push_matrix(name, statement, count, index, None);
    }

    pub fn push_matrix(
        &mut self,
        name: &Name,
        statement: usize,
        count: Option<i64>,
        index: String,
        columns: Option<i64>,
    ) {
        let family = Family { name: name.clone(), statement, first: self.members, count, columns, index };
        self.members += family.len();
        self.by_name.insert(name.text.clone(), self.list.len());
        self.list.push(family);
    }

    /// May so many members be added? If not, that is reported.
    pub fn has_room(&self, resolver: &mut Resolver<'_, '_>, members: usize, name: &Name) -> bool {
        let room = self.members + members <= MAX_COORDINATES;
        if !room {
            let message = format!("a model may have at most {MAX_COORDINATES} {}", self.kind.plural());
            resolver.problems.push(Diagnostic::error(Code::TooLarge, message).at(name.span.clone(), ""));
        }
        room
    }
}

pub(crate) fn member_name(name: &str, count: Option<i64>, number: usize) -> String {
    match count {
        Some(_) => format!("{name}[{number}]"),
        None => name.to_owned(),
    }
}

/// The size of a family, stated or told by its first list: `Some(None)` for no family at all, `None` for an error.
pub(crate) fn family_count<'s>(
    resolver: &mut Resolver<'_, '_>,
    name: &Name,
    count: Option<&Scalar>,
    values: impl Iterator<Item = &'s ScalarSeries>,
) -> Option<Option<i64>> {
    let Some(stated) = count else {
        let mut lists = values.filter_map(|series| match series {
            ScalarSeries::One(_) => None,
            ScalarSeries::List { items, span } => Some((items.len() as i64, span.clone())),
        });
        return match lists.next() {
            Some((length, span)) => positive(resolver, length, span, &name.text).map(Some),
            None => Some(None),
        };
    };
    let count = resolver.integer(stated, &format!("the count of `{}`", name.text))?;
    positive(resolver, count, stated.span(), &name.text).map(Some)
}

fn positive(resolver: &mut Resolver<'_, '_>, count: i64, span: Span, name: &str) -> Option<i64> {
    if (1..=MAX_COORDINATES as i64).contains(&count) {
        return Some(count);
    }
    let message = format!("the family `{name}` cannot have {count} members");
    let help = format!("a count is an integer from 1 to {MAX_COORDINATES}");
    resolver.problems.push(Diagnostic::error(Code::OutOfRange, message).at(span, "").help(help));
    None
}

/// The index name of a family; a single quantity has none.
pub(crate) fn family_index(
    resolver: &mut Resolver<'_, '_>,
    stated: Option<&SourceText>,
    name: &Name,
    count: Option<i64>,
) -> String {
    match (stated, count) {
        (_, Some(_)) => resolver.index_name(stated, name),
        (None, None) => String::new(),
        (Some(text), None) => {
            let message = format!("`{}` has an index but no count", name.text);
            resolver.problems.push(
                Diagnostic::error(Code::Conflict, message)
                    .at(text.span.clone(), "")
                    .help("an index numbers the members of a family; say how many with `count = \"n\"`"),
            );
            String::new()
        }
    }
}

/// Initial values, one for each member, all finite unless they depend on the step.
pub(crate) fn initial(
    resolver: &mut Resolver<'_, '_>,
    series: Option<&ScalarSeries>,
    index: &str,
    name: &Name,
    count: Option<i64>,
    what: &str,
    place: &ExpressionPlace,
) -> Option<Vec<Id>> {
    let series = series?;
    let values = match (series, count) {
        (ScalarSeries::One(scalar), None) => vec![resolver.number(scalar, place, None)?],
        (_, count) => resolver.series(series, place, index, count?)?,
    };
    let step = resolver.graph.symbol(STEP);
    for (position, value) in values.iter().enumerate() {
        // What depends on the step is checked when that is known.
        if place.step && resolver.graph.depend_on(&[*value], &[step])[0] {
            continue;
        }
        // So is what depends on other starts.
        if place.order.is_some() && resolver.graph.free_symbols(&[*value]).iter().any(|s| resolver.names.has_start(*s))
        {
            continue;
        }
        let what = format!("the {what} of `{}`", member_name(&name.text, count, position + 1));
        resolver.finite(*value, series.item_span(position), &what)?;
    }
    Some(values.iter().map(|value| value.id()).collect())
}

/// Says that a coordinate, an entropy or a state has no start, and shows one that has.
pub(crate) fn missing_start(problems: &mut Problems, name: &Name, what: &str, question: &str, example: String) {
    let message = format!("the {what} `{}` has no start", name.text);
    problems.push(Diagnostic::error(Code::Missing, message).at(name.span.clone(), question).help(example));
}

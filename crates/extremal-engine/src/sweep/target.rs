//! What a varied name stands for.

use extremal_expr::syntax::nearest;
use extremal_model::{Model, Start};
use thiserror::Error;

use super::variation::Variation;

/// A quantity that can differ from member to member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Parameter(usize),
    /// The start of a coordinate.
    Position(usize),
    /// The start of its velocity.
    Velocity(usize),
    /// The start of an entropy, or of a state after them.
    Entropy(usize),
}

/// Why a variation does not fit a model.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs, reason = "messages say what their variants are")]
pub enum VariationError {
    #[error("nothing varies")]
    Nothing,
    #[error("the model has no parameter, coordinate, entropy or state `{name}` to vary{}", did_you_mean(suggestion))]
    Unknown { name: String, suggestion: Option<String> },
    #[error("`{name}` is varied twice")]
    Twice { name: String },
    #[error("`{name}` counts members or bounds a sum: it cannot vary, only be set for all members")]
    Structural { name: String },
    #[error("`{name}` cannot vary: the start `two-points` takes no velocities")]
    NoVelocities { name: String },
    #[error(
        "`{name}` cannot vary by itself: the start is stated by {by}, which {then}; vary those, or a parameter in what is stated"
    )]
    Bound { name: String, by: &'static str, then: &'static str },
    #[error(
        "`{name}` cannot vary by itself: the start of `{user}` follows it; vary both, or a parameter in what is stated"
    )]
    Followed { name: String, user: String },
    #[error("the number of samples of the random values is not given")]
    NoSamples,
    #[error("nothing is random, but a number of samples is given")]
    NothingRandom,
    #[error("there are too many members: the largest number is {MOST_MEMBERS:e}")]
    TooMany,
}

/// More would take longer than anyone waits.
pub(crate) const MOST_MEMBERS: u64 = 1_000_000_000_000;

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The targets of names, in their order.
pub(crate) fn named_targets<'n>(
    model: &Model,
    start: Start,
    asked: impl Iterator<Item = &'n str>,
) -> Result<Vec<Target>, VariationError> {
    let mut names: Vec<&str> = Vec::new();
    let mut targets = Vec::new();
    for name in asked {
        if names.contains(&name) {
            return Err(VariationError::Twice { name: name.to_owned() });
        }
        names.push(name);
        let target = target(model, start, name)?;
        check_bound(model, target, name)?;
        targets.push(target);
    }
    for name in &names {
        if let Some(user) = model.starts_following(name).find(|user| !names.contains(user)) {
            return Err(VariationError::Followed { name: (*name).to_owned(), user: user.to_owned() });
        }
    }
    Ok(targets)
}

/// The targets of all names of a variation, in their order.
pub(crate) fn targets(model: &Model, start: Start, variation: &Variation) -> Result<Vec<Target>, VariationError> {
    let targets = named_targets(model, start, variation.names())?;
    match (variation.members(), targets.is_empty()) {
        (_, true) => Err(VariationError::Nothing),
        (Some(0), _) => Err(VariationError::NoSamples),
        _ if variation.random.is_empty() && variation.samples > 1 => Err(VariationError::NothingRandom),
        (Some(..=MOST_MEMBERS), _) => Ok(targets),
        _ => Err(VariationError::TooMany),
    }
}

/// A start that is stated by momenta is not that of other positions with the same velocities; where momenta are coordinates, velocities
/// and momenta follow from each other.
fn check_bound(model: &Model, target: Target, name: &str) -> Result<(), VariationError> {
    let (by, then) = match target {
        Target::Position(_) | Target::Entropy(_) if model.start_follows_momenta() => {
            ("momenta", "have other velocities elsewhere")
        }
        Target::Velocity(at)
            if model.momentum_coordinates() > 0 && model.coordinates()[at].start_velocity.is_none() =>
        {
            ("momenta", "determine the velocities")
        }
        Target::Position(at) if model.momentum_coordinates() > 0 && model.coordinates()[at].start.is_none() => {
            ("velocities", "determine the momenta")
        }
        _ => return Ok(()),
    };
    Err(VariationError::Bound { name: name.to_owned(), by, then })
}

fn target(model: &Model, start: Start, name: &str) -> Result<Target, VariationError> {
    if let Some(at) = model.parameters().iter().position(|parameter| parameter.name == name) {
        return match model.parameters()[at].structural {
            true => Err(VariationError::Structural { name: name.to_owned() }),
            false => Ok(Target::Parameter(at)),
        };
    }
    let coordinate = |name: &str| model.coordinates().iter().position(|coordinate| coordinate.name == name);
    if let Some(at) = coordinate(name) {
        return Ok(Target::Position(at));
    }
    if let Some(at) = name.strip_suffix('\'').and_then(coordinate) {
        return match start {
            Start::TwoPoints | Start::Points => Err(VariationError::NoVelocities { name: name.to_owned() }),
            Start::Legendre => Ok(Target::Velocity(at)),
        };
    }
    if let Some(at) = model.carried_names().iter().position(|carried| *carried == name) {
        return Ok(Target::Entropy(at));
    }
    let velocities: Vec<String> = model.coordinates().iter().map(|c| format!("{}'", c.name)).collect();
    let parameters = model.parameters().iter().map(|p| p.name.as_str());
    let coordinates = model.coordinates().iter().map(|c| c.name.as_str());
    let carried = model.carried_names().into_iter();
    let known = parameters.chain(coordinates).chain(carried).chain(velocities.iter().map(String::as_str));
    let suggestion = nearest(name, known).map(str::to_owned);
    Err(VariationError::Unknown { name: name.to_owned(), suggestion })
}

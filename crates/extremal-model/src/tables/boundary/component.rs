//! Components of the state, by the keys that name them.

use super::super::assignments::{self, Chosen, Primes, Targets};
use super::super::coordinates::{Coordinate, Coordinates};
use super::super::entropies::{Entropies, Entropy};
use crate::diagnostic::{Code, Diagnostic};
use crate::document::ScalarSeries;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// One component of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// A coordinate, or one of its time derivatives.
    Coordinate {
        /// Its place in [`Model::coordinates`](crate::Model::coordinates).
        place: usize,
        /// 0 for the position, 1 for the velocity, and so on.
        derivative: u32,
    },
    /// An entropy, by its place in [`Model::entropies`](crate::Model::entropies).
    Entropy(usize),
}

impl Component {
    /// As it is written: `x`, `x[2]'`, `S`.
    pub(crate) fn name(self, coordinates: &[Coordinate], entropies: &[Entropy]) -> String {
        match self {
            Component::Coordinate { place, derivative } => {
                format!("{}{}", coordinates[place].name, "'".repeat(derivative as usize))
            }
            Component::Entropy(place) => entropies[place].name.clone(),
        }
    }
}

/// The state of a model: what there are components of.
#[derive(Clone, Copy)]
pub(crate) struct StateComponents<'a> {
    pub coordinates: &'a Coordinates,
    pub entropies: &'a Entropies,
}

/// A key of `[boundary]` with values per component, and which components it may name.
pub(super) struct BoundaryKey {
    pub key: &'static str,
    pub primes: Primes,
    /// Entropies may be named, or why they may not.
    pub entropies: Result<(), &'static str>,
}

impl BoundaryKey {
    pub const START: BoundaryKey = BoundaryKey {
        key: "start",
        primes: Primes::Allowed,
        entropies: Err("an entropy starts where [entropies] says"),
    };
    pub const END: BoundaryKey = BoundaryKey { key: "end", primes: Primes::Allowed, entropies: Ok(()) };
    pub const VIA: BoundaryKey = BoundaryKey {
        key: "via",
        primes: Primes::Allowed,
        entropies: Err("an entropy follows from the motion; only at the end it can be asked for"),
    };
    pub const SECOND: BoundaryKey = BoundaryKey { key: "second", primes: Primes::Refused, ..BoundaryKey::VIA };
    pub const NEXT_TO_LAST: BoundaryKey =
        BoundaryKey { key: "next_to_last", primes: Primes::Refused, ..BoundaryKey::VIA };
    pub const PATH: BoundaryKey = BoundaryKey { key: "path", primes: Primes::Allowed, entropies: Ok(()) };
    pub const GUESS: BoundaryKey = BoundaryKey {
        key: "guess",
        primes: Primes::Refused,
        entropies: Err("an entropy follows from the motion that is guessed"),
    };
    pub const PERIODIC: BoundaryKey = BoundaryKey {
        key: "periodic",
        primes: Primes::Refused,
        entropies: Err("an entropy does not return to where it was unless everything is reversible"),
    };
}

/// The components that a key names; `None`, which is reported, if there are none or not as many as values.
pub(super) fn select(
    resolver: &mut Resolver<'_, '_>,
    key: &SourceText,
    values: &[&ScalarSeries],
    state: StateComponents<'_>,
    slot: &BoundaryKey,
) -> Option<(Chosen, Vec<Component>)> {
    let (moving, all) = ([&state.coordinates.families], [&state.coordinates.families, &state.entropies.families]);
    let targets = if state.entropies.list.is_empty() { Targets(&moving) } else { Targets(&all) };
    let chosen = assignments::chosen(resolver, key, values, targets, slot.primes)?;
    let count = state.coordinates.list.len();
    let component = |(place, _): &(usize, _)| match place.checked_sub(count) {
        None => Component::Coordinate { place: *place, derivative: chosen.primes },
        Some(place) => Component::Entropy(place),
    };
    let components: Vec<Component> = chosen.places.iter().map(component).collect();
    let heated = components.iter().any(|component| matches!(component, Component::Entropy(_)));
    let refused = match slot.entropies {
        _ if !heated => return Some((chosen, components)),
        _ if chosen.primes > 0 => "the rate of an entropy follows from the equations",
        Ok(()) => return Some((chosen, components)),
        Err(reason) => reason,
    };
    let message = format!("`{}` cannot stand in [boundary] {}", key.value, slot.key);
    resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(key.span.clone(), "").help(refused));
    None
}

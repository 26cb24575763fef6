//! Components of the state, by the keys that name them.

use super::super::assignments::{self, Chosen, Primes, Targets};
use super::super::coordinates::{Coordinate, Coordinates};
use super::super::entropies::{Entropies, Entropy};
use super::super::families::Families;
use super::super::matter::{Amount, Amounts};
use super::super::states::{FirstOrderState, States};
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
    /// A state, by its place in [`Model::states`](crate::Model::states).
    State(usize),
}

/// What components of the state belong to.
#[derive(Clone, Copy)]
pub(crate) struct ComponentLists<'a> {
    pub coordinates: &'a [Coordinate],
    pub entropies: &'a [Entropy],
    pub amounts: &'a [Amount],
    pub states: &'a [FirstOrderState],
}

impl Component {
    /// As it is written: `x`, `x[2]'`, `S`.
    pub(crate) fn name(self, of: ComponentLists<'_>) -> String {
        match self {
            Component::Coordinate { place, derivative } => {
                format!("{}{}", of.coordinates[place].name, "'".repeat(derivative as usize))
            }
            Component::Entropy(place) => of.entropies[place].name.clone(),
            Component::State(place) => of.states[place].name.clone(),
        }
    }
}

/// The state of a model: what there are components of.
#[derive(Clone, Copy)]
pub(crate) struct StateComponents<'a> {
    pub coordinates: &'a Coordinates,
    pub entropies: &'a Entropies,
    pub amounts: &'a Amounts,
    pub states: &'a States,
}

impl<'a> StateComponents<'a> {
    pub fn lists(self) -> ComponentLists<'a> {
        ComponentLists {
            coordinates: &self.coordinates.list,
            entropies: &self.entropies.list,
            amounts: &self.amounts.list,
            states: &self.states.list,
        }
    }

    /// The families of all components, without kinds of which there is none.
    pub fn families(self) -> Vec<&'a Families> {
        let others = [&self.entropies.families, &self.amounts.families, &self.states.families];
        let others = others.into_iter().filter(|families| families.members() > 0);
        [&self.coordinates.families].into_iter().chain(others).collect()
    }
}

/// A key of `[boundary]` with values per component, and which components it may name.
pub(super) struct BoundaryKey {
    pub key: &'static str,
    pub primes: Primes,
    /// Entropies may be named, or why they may not.
    pub entropies: Result<(), &'static str>,
    /// The same of states.
    pub states: Result<(), &'static str>,
}

impl BoundaryKey {
    pub const START: BoundaryKey = BoundaryKey {
        key: "start",
        primes: Primes::Allowed,
        entropies: Err("an entropy starts where [entropies] says"),
        states: Ok(()),
    };
    pub const END: BoundaryKey = BoundaryKey { key: "end", primes: Primes::Allowed, entropies: Ok(()), states: Ok(()) };
    pub const VIA: BoundaryKey = BoundaryKey {
        key: "via",
        primes: Primes::Allowed,
        entropies: Err("an entropy follows from the motion; only at the end it can be asked for"),
        states: Ok(()),
    };
    pub const SECOND: BoundaryKey = BoundaryKey {
        key: "second",
        primes: Primes::Refused,
        states: Err("an equation of first order leaves one value open, that of `start` or `end`"),
        ..BoundaryKey::VIA
    };
    pub const NEXT_TO_LAST: BoundaryKey = BoundaryKey { key: "next_to_last", ..BoundaryKey::SECOND };
    pub const PATH: BoundaryKey =
        BoundaryKey { key: "path", primes: Primes::Allowed, entropies: Ok(()), states: Ok(()) };
    pub const GUESS: BoundaryKey = BoundaryKey {
        key: "guess",
        primes: Primes::Refused,
        entropies: Err("an entropy follows from the motion that is guessed"),
        states: Ok(()),
    };
    pub const PERIODIC: BoundaryKey = BoundaryKey {
        key: "periodic",
        primes: Primes::Refused,
        entropies: Err("an entropy does not return to where it was unless everything is reversible"),
        states: Err("link both ends instead: links = [\"x_end = x_start\"]"),
    };
}

/// Why no key names an amount.
const AMOUNT: &str = "an amount of matter starts where [matter] says and changes by [ports]";

/// The components that a key names; `None`, which is reported, if there are none or not as many as values.
pub(super) fn select(
    resolver: &mut Resolver<'_, '_>,
    key: &SourceText,
    values: &[&ScalarSeries],
    state: StateComponents<'_>,
    slot: &BoundaryKey,
) -> Option<(Chosen, Vec<Component>)> {
    let families = state.families();
    let chosen = assignments::chosen(resolver, key, values, Targets(&families), slot.primes)?;
    let (moving, heated) = (state.coordinates.list.len(), state.entropies.list.len());
    let balanced = moving + heated + state.amounts.list.len();
    // None for an amount of matter.
    let component = |(place, _): &(usize, _)| match *place {
        place if place < moving => Some(Component::Coordinate { place, derivative: chosen.primes }),
        place if place < moving + heated => Some(Component::Entropy(place - moving)),
        place => place.checked_sub(balanced).map(Component::State),
    };
    let components: Vec<Component> = chosen.places.iter().filter_map(component).collect();
    // All of them are members of one family.
    let (allowed, rate) = match components.first() {
        Some(Component::Coordinate { .. }) => return Some((chosen, components)),
        Some(Component::Entropy(_)) => (slot.entropies, "the rate of an entropy follows from the equations"),
        Some(Component::State(_)) => (slot.states, "the rate of a state is what [states] says"),
        None if chosen.places.is_empty() => return Some((chosen, components)),
        None => (Err(AMOUNT), AMOUNT),
    };
    let refused = match allowed {
        _ if chosen.primes > 0 => rate,
        Ok(()) => return Some((chosen, components)),
        Err(reason) => reason,
    };
    let message = format!("`{}` cannot stand in [boundary] {}", key.value, slot.key);
    resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(key.span.clone(), "").help(refused));
    None
}

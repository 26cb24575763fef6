//! `[invariants]`, `[symmetries]` and `[exact]`: what to watch along the motion.

use extremal_expr::Id;

use super::ModelTable;
use super::assignments::{self, Assignment, Targets};
use super::coordinates::Coordinates;
use super::entropies::Entropies;
use super::matter::Amounts;
use crate::document::{Name, Scalar};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// A quantity to be watched along the motion, because it should stay constant.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Its name.
    pub name: String,
    /// An expression of positions, velocities, entropies, time and parameters.
    pub expression: Id,
}

/// The generator of a symmetry: a vector field on the configurations.
#[derive(Clone, Debug)]
pub struct SymmetryGenerator {
    /// Its name.
    pub name: String,
    /// One component per coordinate, an expression of positions, time and parameters.
    pub generator: Vec<Id>,
}

/// The closed form of one coordinate or entropy along the motion.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Which coordinate, by its place in [`Model::coordinates`](crate::Model::coordinates). The entropies count on from there: with
    /// `n` coordinates, `n + k` is the entropy at place `k` in [`Model::entropies`](crate::Model::entropies).
    pub coordinate: usize,
    /// An expression of time and parameters.
    pub expression: Id,
}

#[derive(Default)]
pub(crate) struct ObservablesStatement {
    pub invariants: Vec<(Name, Scalar)>,
    pub symmetries: Vec<(Name, Vec<Assignment>)>,
    pub exact: Vec<Assignment>,
}

pub(super) static INVARIANTS: ModelTable = ModelTable {
    name: "invariants",
    sentence: "expressions that should stay constant, by name; their drift is reported",
    keys: Vec::new,
    read: |reader, _, entries, into| into.observables.invariants = reader.named_scalars(entries),
};

pub(super) static SYMMETRIES: ModelTable = ModelTable {
    name: "symmetries",
    sentence: "generators, by name, with a component by coordinate: `rotation = { x = \"-y\", y = \"x\" }`; their momenta are recorded",
    keys: Vec::new,
    read: |reader, _, entries, into| {
        for entry in entries {
            if let Some(components) = reader.table(&entry) {
                into.observables.symmetries.push((entry.name, assignments::read(reader, components)));
            }
        }
    },
};

pub(super) static EXACT: ModelTable = ModelTable {
    name: "exact",
    sentence: "a closed form of time and parameters by coordinate or entropy, to compare with",
    keys: Vec::new,
    read: |reader, _, entries, into| into.observables.exact = assignments::read(reader, entries),
};

/// What to watch, as expressions.
pub(crate) struct WatchedQuantities {
    pub invariants: Vec<Invariant>,
    pub symmetries: Vec<SymmetryGenerator>,
    pub exact: Vec<Exact>,
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &ObservablesStatement,
    coordinates: &Coordinates,
    entropies: &Entropies,
    amounts: &Amounts,
) -> WatchedQuantities {
    let moving = [&coordinates.families];
    let all = [&coordinates.families, &entropies.families, &amounts.families];
    let kinds = [true, !entropies.list.is_empty(), !amounts.list.is_empty()];
    let with_form = Targets(&all[..kinds.into_iter().filter(|stated| *stated).count()]);
    let mut invariants = Vec::new();
    for (name, scalar) in &statement.invariants {
        if let Some(expression) = resolver.number(scalar, &ExpressionPlace::INVARIANT, None) {
            invariants.push(Invariant { name: name.text.clone(), expression: expression.id() });
        }
    }
    let mut symmetries = Vec::new();
    for (name, components) in &statement.symmetries {
        let generator =
            assignments::resolve_or_zero(resolver, components, Targets(&moving), &ExpressionPlace::GENERATOR);
        symmetries.push(SymmetryGenerator { name: name.text.clone(), generator });
    }
    let exact = assignments::resolve(resolver, &statement.exact, with_form, &ExpressionPlace::EXACT);
    let exact = exact.into_iter().enumerate();
    let exact = exact.filter_map(|(coordinate, value)| Some(Exact { coordinate, expression: value?.id() })).collect();
    WatchedQuantities { invariants, symmetries, exact }
}

//! `[outputs]`, `[invariants]`, `[symmetries]` and `[exact]`: what to record and watch along the motion.

use extremal_expr::Id;

use super::ModelTable;
use super::assignments::{self, Assignment, Chosen, Primes, Targets};
use super::boundary::StateComponents;
use crate::diagnostic::{Code, Diagnostic};
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

/// A quantity to be recorded along the motion, whatever it does.
#[derive(Clone, Debug)]
pub struct OutputQuantity {
    /// Its name.
    pub name: String,
    /// An expression of positions, velocities, accelerations, entropies, states, time and parameters, and of what follows from
    /// the equations, as symbols: momenta `p_x`, multipliers `lambda_rod`, reactions `reaction_x`, temperatures `T_S`, chemical
    /// potentials `mu_N` and the `energy`.
    pub expression: Id,
}

/// The generator of a symmetry: a vector field on the configurations, or on velocities and entropies too.
#[derive(Clone, Debug)]
pub struct SymmetryGenerator {
    /// Its name.
    pub name: String,
    /// One component per coordinate, an expression of positions, time and parameters; of velocities and entropies instead of time
    /// where the field has components for these.
    pub generator: Vec<Id>,
    /// The components for velocities and entropies, where any is stated.
    pub lift: Option<StatedLift>,
}

/// What a symmetry does to velocities and entropies, as it is stated.
#[derive(Clone, Debug)]
pub struct StatedLift {
    /// One component per velocity.
    pub velocities: Vec<Id>,
    /// One component per entropy.
    pub entropies: Vec<Id>,
}

/// The closed form of one coordinate, entropy or state along the motion.
#[derive(Clone, Debug)]
pub struct Exact {
    /// Which coordinate, by its place in [`Model::coordinates`](crate::Model::coordinates). The entropies count on from there: with
    /// `n` coordinates, `n + k` is the entropy at place `k` in [`Model::entropies`](crate::Model::entropies), and the states count on from these.
    pub coordinate: usize,
    /// An expression of time and parameters.
    pub expression: Id,
}

#[derive(Default)]
pub(crate) struct ObservablesStatement {
    pub outputs: Vec<(Name, Scalar)>,
    pub invariants: Vec<(Name, Scalar)>,
    pub symmetries: Vec<(Name, Vec<Assignment>)>,
    pub exact: Vec<Assignment>,
}

pub(super) static OUTPUTS: ModelTable = ModelTable {
    name: "outputs",
    sentence: "expressions to be recorded, by name, each a column of files, plots and results: `height = \"y1 + l\"`. Beside what a Lagrangian may contain they use accelerations `x''`, momenta `p_x`, multipliers `lambda_rod`, reactions `reaction_x`, temperatures `T_S`, potentials `mu_N` and the `energy`",
    keys: Vec::new,
    read: |reader, _, entries, into| into.observables.outputs = reader.named_scalars(entries),
};

pub(super) static INVARIANTS: ModelTable = ModelTable {
    name: "invariants",
    sentence: "expressions that should stay constant, by name; their drift is reported",
    keys: Vec::new,
    read: |reader, _, entries, into| into.observables.invariants = reader.named_scalars(entries),
};

pub(super) static SYMMETRIES: ModelTable = ModelTable {
    name: "symmetries",
    sentence: "generators, by name, with a component by coordinate: `rotation = { x = \"-y\", y = \"x\" }`; their momenta are recorded. With components for velocities or entropies too, `{ x = \"-1\", \"x'\" = \"gamma\" }`, what is recorded is f - p*X",
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
    sentence: "a closed form of time and parameters by coordinate, entropy or state, to compare with",
    keys: Vec::new,
    read: |reader, _, entries, into| into.observables.exact = assignments::read(reader, entries),
};

/// What to watch, as expressions.
pub(crate) struct WatchedQuantities {
    pub outputs: Vec<OutputQuantity>,
    pub invariants: Vec<Invariant>,
    pub symmetries: Vec<SymmetryGenerator>,
    pub exact: Vec<Exact>,
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &ObservablesStatement,
    state: StateComponents<'_>,
) -> WatchedQuantities {
    let (coordinates, all) = (state.coordinates, state.families());
    let of_phase_space = [&coordinates.families, &state.entropies.families];
    let mut outputs = Vec::new();
    for (name, scalar) in &statement.outputs {
        if let Some(expression) = resolver.number(scalar, &ExpressionPlace::OUTPUT, None) {
            outputs.push(OutputQuantity { name: name.text.clone(), expression: expression.id() });
        }
    }
    let mut invariants = Vec::new();
    for (name, scalar) in &statement.invariants {
        if let Some(expression) = resolver.number(scalar, &ExpressionPlace::INVARIANT, None) {
            invariants.push(Invariant { name: name.text.clone(), expression: expression.id() });
        }
    }
    let mut symmetries = Vec::new();
    for (name, components) in &statement.symmetries {
        symmetries.push(symmetry(resolver, name, components, Targets(&of_phase_space), coordinates.families.members()));
    }
    let exact = assignments::resolve(resolver, &statement.exact, Targets(&all), &ExpressionPlace::EXACT);
    let exact = exact.into_iter().enumerate();
    let exact = exact.filter_map(|(coordinate, value)| Some(Exact { coordinate, expression: value?.id() })).collect();
    WatchedQuantities { outputs, invariants, symmetries, exact }
}

/// A symmetry by its components, of which the first so many targets are coordinates.
fn symmetry(
    resolver: &mut Resolver<'_, '_>,
    name: &Name,
    components: &[Assignment],
    targets: Targets<'_>,
    coordinates: usize,
) -> SymmetryGenerator {
    let chosen: Vec<(&Assignment, Chosen)> = components
        .iter()
        .filter_map(|one| {
            let chosen = assignments::chosen(resolver, &one.key, &[&one.value], targets, Primes::Allowed)?;
            is_component(resolver, one, &chosen, coordinates).then_some((one, chosen))
        })
        .collect();
    // In one flat list: coordinates, entropies, velocities.
    let all = targets.len();
    let of_velocity = |chosen: &Chosen| chosen.primes > 0;
    let is_lifted = |(_, chosen): &(&Assignment, Chosen)| {
        of_velocity(chosen) || chosen.places.iter().any(|(place, _)| *place >= coordinates)
    };
    let lifted = chosen.iter().any(is_lifted);
    let place = if lifted { &ExpressionPlace::LIFTED_GENERATOR } else { &ExpressionPlace::GENERATOR };
    let mut values = vec![None; all + coordinates];
    for (one, chosen) in &chosen {
        let read = chosen.each(resolver, &one.value, |resolver, scalar, member| resolver.number(scalar, place, member));
        for ((at, _), value) in chosen.places.iter().zip(read.into_iter().flatten()) {
            let slot = if of_velocity(chosen) { all + at } else { *at };
            if values[slot].replace(value.id()).is_some() {
                assignments::report_twice(resolver, &one.key, targets, *at);
                break;
            }
        }
    }
    let zero = resolver.graph.int(0).id();
    let values: Vec<Id> = values.into_iter().map(|value| value.unwrap_or(zero)).collect();
    let lift =
        lifted.then(|| StatedLift { velocities: values[all..].to_vec(), entropies: values[coordinates..all].to_vec() });
    SymmetryGenerator { name: name.text.clone(), generator: values[..coordinates].to_vec(), lift }
}

/// Is there a component for this? Of coordinates and entropies there is one, of velocities too, of nothing else.
fn is_component(resolver: &mut Resolver<'_, '_>, one: &Assignment, chosen: &Chosen, coordinates: usize) -> bool {
    let of_entropy = chosen.places.iter().any(|(place, _)| *place >= coordinates);
    let known = chosen.primes == 0 || chosen.primes == 1 && !of_entropy;
    if !known {
        let message = format!("a symmetry has no component for `{}`", one.key.value);
        let help = "it has components for coordinates, velocities and entropies";
        let diagnostic = Diagnostic::error(Code::UnknownCoordinate, message).at(one.key.span.clone(), "");
        resolver.problems.push(diagnostic.help(help));
    }
    known
}

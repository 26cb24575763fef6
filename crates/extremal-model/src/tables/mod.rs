//! The tables of a model file, one file per group: what is stated there, and what it means.
//!
//! Each file has a `...Statement` (the values as written, with their places), a list of fields (the keys, what is said of each, how
//! each is read), and a function that resolves the statement against the names of the model. A new table is one new file, an entry
//! of [`TABLES`], a field of [`Statements`] and of [`Content`], and a line in `resolve`.

mod action;
mod assignments;
mod boundary;
mod conduction;
mod constraint_rules;
mod constraints;
mod controls;
pub(crate) mod coordinates;
pub(crate) mod definitions;
mod discrete;
mod discretisation;
mod dissipation;
mod drawing;
pub(crate) mod dynamics;
mod entropies;
mod events;
mod expected;
mod families;
mod friction;
mod functions;
pub(crate) mod hamiltonian;
mod held;
mod jumps;
mod laws;
mod matter;
mod momenta;
mod objective;
mod observables;
mod parameters;
mod poisson;
mod ports;
mod quantities;
pub(crate) mod rotations;
mod simulation;
mod starts;
mod states;
mod stop;
mod tabulated;
mod unknowns;
mod virtual_work;

use std::path::PathBuf;

use extremal_expr::{Graph, Id};

use crate::diagnostic::{Code, Diagnostic, Problems};
use crate::document::{self, TableEntry, TableField, TableKey, TableReader, field};
use crate::method::Feature;
use crate::resolver::Resolver;
use crate::suggest::help_for;
use crate::text::SourceText;

pub use action::StateLaw;
pub use boundary::{
    Boundary, BoundaryCondition, BoundaryDuration, Component, FixedValue, IntegralConstraint, IntegralRelation,
    StateBound, StepGrading, Waypoint, at_end_of_motion,
};
pub use conduction::Conduction;
pub use constraints::{ConstraintKind, ConstraintNature, ModelConstraint};
pub use controls::{Control, ControlShape, control_rate};
pub use coordinates::{Coordinate, MAX_COORDINATES};
pub use definitions::Definition;
pub use discrete::Discrete;
pub use discretisation::{DifferenceNode, Discretisation, StepEnds};
pub use drawing::{Drawing, DrawnPoint, DrawnShape};
pub use entropies::Entropy;
pub use events::{ChangedQuantity, EventEffect, MotionEvent};
pub use expected::Expected;
pub use friction::{DryFriction, FrictionTerm};
pub use matter::Amount;
pub use objective::{MaximumCost, Objective};
pub use observables::{Exact, Invariant, OutputQuantity, StatedLift, SymmetryGenerator};
pub use parameters::Parameter;
pub use poisson::{MAX_POISSON_VARIABLES, PoissonBracket};
pub use ports::{HeatLaw, ModelPort, PortLoad};
pub use simulation::{
    AtSingular, ConstraintForm, EntropyBase, Extent, Pacing, SimulationSettings, Start, UnknownSetting,
};
pub use states::FirstOrderState;
pub(crate) use stop::StopStatement;
pub use stop::{Direction, Stop};
pub use unknowns::Unknown;

use crate::named::{named, read_by_name};
pub(crate) use boundary::ComponentLists;
pub(crate) use boundary::problems as boundary_problems;
pub(crate) use coordinates::start_expressions;
pub(crate) use laws::{Breach, LawsAtStart};
pub(crate) use parameters::{ParameterStatement, resolve as resolve_parameters};
pub(crate) use starts::StartUse;
pub(crate) use states::start_expressions as state_starts;

/// A table of the model file: all that is said of it.
///
/// ```
/// use extremal_model::ModelTable;
/// let stop = ModelTable::all().iter().find(|table| table.name == "stop").unwrap();
/// assert_eq!(stop.keys()[1].name, "direction");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ModelTable {
    /// Its name.
    pub name: &'static str,
    /// What it states, in Markdown.
    pub sentence: &'static str,
    keys: fn() -> Vec<TableKey>,
    read: for<'t> fn(&mut TableReader<'t, '_>, &TableEntry<'t>, Vec<TableEntry<'t>>, &mut Statements),
}

/// In the order of the documentation.
static TABLES: [&ModelTable; 32] = [
    &parameters::TABLE,
    &functions::TABLE,
    &tabulated::TABLE,
    &coordinates::TABLE,
    &entropies::TABLE,
    &matter::TABLE,
    &action::TABLE,
    &states::TABLE,
    &definitions::TABLE,
    &dynamics::TABLE,
    &dynamics::FORCES,
    &friction::TABLE,
    &dynamics::HEAT,
    &conduction::TABLE,
    &ports::TABLE,
    &poisson::TABLE,
    &constraints::TABLE,
    &controls::TABLE,
    &unknowns::TABLE,
    &objective::TABLE,
    &boundary::TABLE,
    &drawing::TABLE,
    &observables::OUTPUTS,
    &observables::INVARIANTS,
    &observables::SYMMETRIES,
    &observables::EXACT,
    &expected::TABLE,
    &discrete::TABLE,
    &discretisation::TABLE,
    &stop::TABLE,
    &events::TABLE,
    &simulation::TABLE,
];

impl ModelTable {
    /// All tables, in the order of the documentation.
    pub fn all() -> &'static [&'static ModelTable] {
        &TABLES
    }

    /// The keys of the table, or of each of its entries where these are named by the user; none where an entry is a plain value.
    pub fn keys(&self) -> Vec<TableKey> {
        (self.keys)()
    }
}

/// The keys above the first table.
const TOP: &[TableField<Statements>] = &[
    field("name", "the name of the system", |reader, entry, into| into.name = prose(reader, entry)),
    field("source", "where it comes from", |reader, entry, into| into.source = prose(reader, entry)),
    field("description", "what it shows", |reader, entry, into| into.description = prose(reader, entry)),
];

/// All that a model file states, unresolved.
#[derive(Default)]
pub(crate) struct Statements {
    pub name: Option<String>,
    pub source: Option<String>,
    pub description: Option<String>,
    pub parameters: Vec<ParameterStatement>,
    pub functions: Vec<functions::FunctionStatement>,
    pub tabulated: Vec<tabulated::TabulatedStatement>,
    /// Where files are looked for that the model names.
    pub folder: Option<PathBuf>,
    pub coordinates: Vec<coordinates::CoordinateStatement>,
    pub entropies: Vec<entropies::EntropyStatement>,
    pub matter: Vec<matter::AmountStatement>,
    pub action: Option<action::ActionStatement>,
    pub poisson: Option<poisson::PoissonStatement>,
    pub states: Vec<states::StateStatement>,
    pub definitions: Vec<definitions::DefinitionStatement>,
    pub dynamics: dynamics::DynamicsStatement,
    pub friction: Vec<friction::FrictionStatement>,
    pub conduction: Vec<conduction::ConductionStatement>,
    pub ports: Vec<ports::PortStatement>,
    pub constraints: Vec<constraints::ConstraintStatement>,
    pub controls: Vec<controls::ControlStatement>,
    /// Parameters to be found, which are among the parameters too.
    pub unknowns: Vec<unknowns::UnknownStatement>,
    /// What controls are in a simulation, as said from outside of the file.
    pub laws: Vec<(String, String)>,
    pub objective: Option<objective::ObjectiveStatement>,
    pub boundary: Option<boundary::BoundaryStatement>,
    pub observables: observables::ObservablesStatement,
    pub expected: Vec<expected::ExpectedStatement>,
    pub drawing: Option<drawing::DrawingStatement>,
    pub discrete: Option<discrete::DiscreteStatement>,
    pub discretisation: Option<discretisation::DiscretisationStatement>,
    pub stops: Vec<stop::StopStatement>,
    pub events: Vec<events::EventStatement>,
    pub simulation: simulation::SimulationStatement,
    /// What is asked for from outside the file.
    pub quantities: Vec<SourceText>,
}

impl Statements {
    /// May the Lagrangian contain accelerations? Only where the problem or its method says that they are meant.
    fn is_higher_order(&self) -> bool {
        let method = self.simulation.method.as_ref();
        let stated = self.boundary.is_some() || self.starts_from_momenta();
        stated || method.is_some_and(|(method, _)| method.takes(Feature::Accelerations))
    }

    /// Is nothing stated that concerns the motion, beside parameters, coordinates, definitions, a Lagrangian and forces?
    pub fn is_plain_motion(&self) -> bool {
        // Whoever adds a table decides here whether a model that states it can be looked at with few members of its families.
        let Statements {
            name: _,
            source: _,
            description: _,
            parameters: _,
            functions,
            tabulated,
            folder: _,
            coordinates: _,
            entropies,
            matter,
            action,
            poisson,
            states,
            definitions: _,
            dynamics:
                dynamics::DynamicsStatement {
                    stated: _,
                    lagrangian: _,
                    hamiltonian,
                    phase_space: _,
                    friction_law,
                    dissipation,
                    forces: _,
                    heat,
                },
            friction,
            conduction,
            ports,
            constraints,
            controls,
            unknowns,
            laws: _,
            objective,
            boundary,
            observables: observables::ObservablesStatement { outputs, invariants, symmetries, exact },
            expected: _,
            drawing: _,
            discrete,
            discretisation,
            stops,
            events,
            simulation: _,
            quantities: _,
        } = self;
        let rubs = friction_law.is_some() || !dissipation.is_empty() || !friction.is_empty();
        let recorded = !(outputs.is_empty() && invariants.is_empty());
        let watched = recorded || !(symmetries.is_empty() && exact.is_empty());
        let moving = !(entropies.is_empty() && states.is_empty()) || action.is_some() || poisson.is_some();
        let heated = moving || !(conduction.is_empty() && heat.is_empty());
        let open = !(matter.is_empty() && ports.is_empty());
        let chosen = !(controls.is_empty() && unknowns.is_empty());
        let restricted = chosen || !(constraints.is_empty() && stops.is_empty() && events.is_empty());
        let sought = hamiltonian.is_some()
            || objective.is_some()
            || boundary.is_some()
            || discrete.is_some()
            || discretisation.is_some();
        !(!functions.is_empty() || !tabulated.is_empty() || rubs || watched || heated || open || restricted || sought)
    }
}

/// All that a model file means, as expressions of a graph.
#[derive(Clone)]
pub(crate) struct Content {
    /// Every parameter after those it uses.
    pub parameters: Vec<Parameter>,
    pub coordinates: Vec<Coordinate>,
    /// Which starts follow which.
    pub start_uses: Vec<StartUse>,
    pub entropies: Vec<Entropy>,
    pub amounts: Vec<Amount>,
    pub state_law: StateLaw,
    pub states: Vec<FirstOrderState>,
    pub definitions: Vec<Definition>,
    /// The name of the independent variable.
    pub independent: String,
    pub lagrangian: Id,
    pub hamiltonian: Option<hamiltonian::HamiltonianContent>,
    /// The highest derivative of a coordinate in the Lagrangian and the constraints, at least 1.
    pub order: u32,
    /// The order of the motion that momenta at the start belong to, if some are stated.
    pub momentum_order: Option<u32>,
    pub forces: Vec<Id>,
    pub controlled_forces: Vec<Id>,
    pub friction: Vec<Id>,
    pub friction_terms: Vec<FrictionTerm>,
    pub dry_friction: Vec<DryFriction>,
    pub herglotz: bool,
    pub heat: Vec<Id>,
    pub conductions: Vec<Conduction>,
    pub ports: Vec<ModelPort>,
    pub constraints: Vec<ModelConstraint>,
    pub controls: Vec<Control>,
    pub unknowns: Vec<Unknown>,
    pub objective: Option<Objective>,
    pub boundary: Option<Boundary>,
    pub outputs: Vec<OutputQuantity>,
    pub invariants: Vec<Invariant>,
    pub symmetries: Vec<SymmetryGenerator>,
    pub exact: Vec<Exact>,
    pub expected: Vec<Expected>,
    pub drawing: Drawing,
    pub discrete: Option<Discrete>,
    pub discretisation: Option<Discretisation>,
    pub stops: Vec<Stop>,
    pub events: Vec<MotionEvent>,
    pub settings: simulation::ResolvedSettings,
    /// What was asked for from outside the file.
    pub quantities: Vec<Id>,
}

/// Reads the text; every misfit is reported, what could be read is returned. `None` if it is not even TOML.
pub(crate) fn read(source: &str, problems: &mut Problems) -> Option<Statements> {
    let document = document::parse(source, problems)?;
    let mut statements = Statements::default();
    let mut reader = TableReader { source, problems };
    for entry in reader.entries(document.get_ref(), "") {
        read_top(&mut reader, entry, &mut statements);
    }
    Some(statements)
}

/// Text for people, which goes to terminals and pictures: it has no control characters but line ends and tabs.
fn prose<'t>(reader: &mut TableReader<'t, '_>, entry: &TableEntry<'t>) -> Option<String> {
    let text = reader.string(entry)?;
    let Some(control) = text.value.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) else {
        return Some(text.value);
    };
    let message = format!("`{}` has the control character U+{:04X}", entry.name.text, u32::from(control));
    reader.problems.push(Diagnostic::error(Code::ControlCharacter, message).at(text.span.clone(), ""));
    None
}

fn read_top<'t>(reader: &mut TableReader<'t, '_>, entry: TableEntry<'t>, into: &mut Statements) {
    let name = entry.name.text.as_str();
    match TABLES.iter().find(|table| table.name == name) {
        Some(table) => {
            if let Some(entries) = reader.table(&entry) {
                (table.read)(reader, &entry, entries, into);
            }
        }
        None if reader.is_table(&entry) && TOP.iter().all(|field| field.key.name != name) => {
            let help = help_for(name, "the tables are", TABLES.iter().map(|table| table.name));
            let message = format!("a model file has no table [{name}]");
            let diagnostic = Diagnostic::error(Code::UnknownTable, message).at(entry.name.span.clone(), "");
            reader.problems.push(diagnostic.maybe_help(help));
        }
        None => drop(reader.fill(vec![entry], TOP, into)),
    }
}

/// What has a name in expressions, before definitions are.
struct DeclaredQuantities {
    parameters: Vec<Parameter>,
    coordinates: coordinates::Coordinates,
    entropies: entropies::Entropies,
    amounts: matter::Amounts,
    states: states::States,
    controls: families::Families,
    start_uses: Vec<StartUse>,
}

impl DeclaredQuantities {
    fn of(resolver: &mut Resolver<'_, '_>, statements: &Statements) -> DeclaredQuantities {
        tabulated::resolve(resolver, &statements.tabulated, statements.folder.as_deref());
        functions::resolve(resolver, &statements.functions);
        let parameters = parameters::resolve(resolver, &statements.parameters);
        let mut coordinates = coordinates::declare_all(resolver, statements);
        let entropies = entropies::resolve(resolver, &statements.entropies);
        let amounts = matter::resolve(resolver, &statements.matter, &entropies);
        action::check(resolver, statements);
        let states = states::declare(resolver, statements);
        let controls = controls::declare(resolver, &statements.controls);
        coordinates::resolve_starts(resolver, statements, &mut coordinates);
        hamiltonian::declare(resolver, statements, &coordinates);
        let start_uses = Vec::new();
        let mut declared =
            DeclaredQuantities { parameters, coordinates, entropies, amounts, states, controls, start_uses };
        declared.start_uses = starts::settle(resolver, statements, &mut declared);
        declared
    }
}

/// Gives every statement its meaning; `None` only if something is wrong and has been reported.
pub(crate) fn resolve(statements: &Statements, graph: &Graph, problems: &mut Problems) -> Option<Content> {
    let independent = boundary::independent(statements.boundary.as_ref(), problems);
    let resolver = &mut Resolver::new(graph, &independent, problems);
    let declared = DeclaredQuantities::of(resolver, statements);
    let DeclaredQuantities { mut parameters, mut coordinates, entropies, amounts, mut states, controls, start_uses } =
        declared;
    let declared_controls = controls;
    let mut definitions = definitions::resolve(resolver, &statements.definitions);
    let carried =
        hamiltonian::CarriedStarts { entropies: &entropies.list, amounts: &amounts.list, states: &states.list };
    let stated = hamiltonian::resolve(resolver, statements, &mut coordinates, &mut definitions, &carried);
    let timing = statements.boundary.as_ref().and_then(|stated| boundary::timing(resolver, stated));
    let controls = controls::resolve(
        resolver,
        &statements.controls,
        &statements.laws,
        &declared_controls,
        &coordinates,
        &definitions,
    );
    states::resolve_rates(resolver, statements, &mut states, &controls);
    let state = boundary::StateComponents {
        coordinates: &coordinates,
        entropies: &entropies,
        amounts: &amounts,
        states: &states,
    };
    let boundary = statements.boundary.as_ref().and_then(|stated| boundary::resolve(resolver, stated, timing, state));
    let starts = coordinates::start_values(resolver, state, boundary.as_ref());
    coordinates::resolve_domains(resolver, &statements.coordinates, &mut coordinates, &starts);
    let state = boundary::StateComponents {
        coordinates: &coordinates,
        entropies: &entropies,
        amounts: &amounts,
        states: &states,
    };
    let constraints = constraints::resolve(resolver, statements);
    let objective = objective::resolve(resolver, statements);
    let sought: Vec<&str> = statements.unknowns.iter().map(|unknown| unknown.name.text.as_str()).collect();
    let boundary = match (boundary, &statements.boundary) {
        (Some(boundary), Some(stated)) => Some(boundary::with_conditions(resolver, stated, boundary, &sought)),
        (boundary, _) => boundary,
    };
    let named = dynamics::Quantities {
        coordinates: &coordinates,
        entropies: &entropies,
        states: &states,
        definitions: &definitions,
        constraints: &constraints,
    };
    let dynamics = dynamics::resolve(resolver, statements, &named, &controls, stated.as_ref());
    let ends = ports::PortEnds { entropies: &entropies, amounts: &amounts };
    let ports = ports::resolve(resolver, &statements.ports, &ends);
    let state_law = match (&statements.poisson, &statements.action) {
        (Some(stated), _) => StateLaw::Poisson(poisson::resolve(resolver, stated, &states)),
        (None, Some(_)) => StateLaw::Action,
        (None, None) => StateLaw::Stated,
    };
    let order = dynamics.as_ref().map_or(1, |dynamics| dynamics.order);
    let momentum_order = momenta::momentum_order(statements, objective.as_ref(), order);
    let mut observables = observables::resolve(resolver, &statements.observables, state);
    if statements.dynamics.phase_space {
        hamiltonian::lift(graph, &mut observables.symmetries, &coordinates);
    }
    let discrete = statements.discrete.as_ref();
    let discrete =
        discrete.and_then(|stated| discrete::resolve(resolver, stated, &coordinates, &entropies, &constraints));
    let recorded = expected::RecordedColumns {
        coordinates: &coordinates.list,
        order: momentum_order.unwrap_or(order),
        costs: momentum_order.is_some() && order == 1,
        dry: dynamics.as_ref().map_or(&[], |dynamics| &dynamics.friction.dry),
        entropies: &entropies.list,
        amounts: &amounts.list,
        states: &states.list,
        of_action: statements.action.is_some(),
        constraints: &constraints.list,
        discrete: discrete.as_ref(),
        controls: &controls,
        observables: &observables,
        is_boundary: statements.boundary.is_some(),
    };
    let expected = expected::resolve(resolver, &statements.expected, &recorded);
    let discretisation = statements.discretisation.as_ref();
    let discretisation =
        discretisation.and_then(|stated| discretisation::resolve(resolver, stated, &coordinates, &entropies, &starts));
    if let (Some(own), Some(map)) = (&statements.discrete, &statements.discretisation) {
        let message = "[discrete] and [discretisation] both say what the method `custom` is";
        let diagnostic = Diagnostic::error(Code::Conflict, message).at(own.span.clone(), "").at(map.span.clone(), "");
        resolver.problems.push(diagnostic.help("keep one of them"));
    }
    let drawing = drawing::resolve(resolver, statements.drawing.as_ref(), &coordinates, &definitions);
    let stops = stop::resolve(resolver, &statements.stops);
    let events = events::resolve(resolver, statements, &stops, state);
    let settings = simulation::resolve(resolver, statements, &coordinates, dynamics.as_ref(), momentum_order);
    let quantities = quantities::resolve(resolver, &statements.quantities);
    parameters::mark_structural(resolver, &mut parameters);
    let unknowns = unknowns::resolve(resolver, statements);
    unknowns::check(resolver, &unknowns, &parameters, (&entropies.list, &amounts.list), boundary.as_ref());
    if dynamics.is_some() {
        coordinates::check_higher(resolver, &statements.coordinates, &coordinates, order);
        momenta::check(resolver, &statements.coordinates, &coordinates, momentum_order);
        if let Some(boundary) = &boundary {
            boundary::check(resolver, boundary, state.lists(), order);
        }
    }
    // With wrong values or forces the laws would only be broken again; where the start is open, they say nothing.
    let mut moving = coordinates.list.iter().map(|c| &c.name).chain(states.list.iter().map(|state| &state.name));
    let started = moving.all(|name| starts.contains_key(name));
    if let (Some(dynamics), true, 0) = (&dynamics, started, resolver.problems.errors()) {
        laws::check(resolver, dynamics, &coordinates, &entropies, &constraints.list, &starts);
    }
    if let (Some(boundary), 0) = (&boundary, resolver.problems.errors()) {
        objective::warn_constant(resolver, statements, objective.as_ref(), boundary);
        let time = resolver.names.time().id();
        let value_of = |name: &str| resolver.values.get(name).copied();
        let found = boundary::problems(graph, boundary, &controls, state.lists(), time, value_of);
        found.into_iter().for_each(|diagnostic| resolver.problems.push(diagnostic));
    }
    // While something is wrong, what looks unused may be what the wrong part meant.
    if resolver.problems.errors() == 0 {
        parameters::warn_unused(resolver, &statements.parameters);
        definitions::warn_unused(resolver, &statements.definitions);
        functions::warn_unused(resolver);
        tabulated::warn_unused(resolver);
    }
    let dynamics = dynamics?;
    state_law.give_rates(graph, dynamics.lagrangian, &mut states.list);
    Some(Content {
        parameters,
        coordinates: coordinates.list,
        start_uses,
        entropies: entropies.list,
        amounts: amounts.list,
        state_law,
        states: states.list,
        definitions: definitions.list,
        independent,
        lagrangian: dynamics.lagrangian,
        hamiltonian: stated.map(|stated| hamiltonian::HamiltonianContent {
            expression: stated.hamiltonian.id(),
            phase_space: statements.dynamics.phase_space,
        }),
        order,
        momentum_order,
        forces: dynamics.forces.free,
        controlled_forces: dynamics.forces.controlled,
        friction: dynamics.friction_totals,
        friction_terms: dynamics.friction.terms,
        dry_friction: dynamics.friction.dry,
        herglotz: dynamics.herglotz,
        heat: dynamics.heat,
        conductions: dynamics.conductions.list,
        ports,
        constraints: constraints.list,
        controls,
        unknowns,
        objective,
        boundary,
        outputs: observables.outputs,
        invariants: observables.invariants,
        symmetries: observables.symmetries,
        exact: observables.exact,
        expected,
        drawing,
        discrete,
        discretisation,
        stops,
        events,
        settings,
        quantities,
    })
}

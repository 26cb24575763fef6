//! `[dynamics]`, `[forces]` and `[heat]`: what drives the system.

use std::collections::HashSet;

use extremal_expr::{Expr, Id};

use super::assignments::{self, Assignment, Targets};
use super::conduction::{self, Conductions};
use super::constraints::Constraints;
use super::controls::{self, Control, ControlledForces};
use super::coordinates::Coordinates;
use super::definitions::Definitions;
use super::dissipation::{self, DissipationStatement};
use super::entropies::{Entropies, Entropy};
use super::friction::{self, FrictionTerm, ResolvedFriction};
use super::hamiltonian::StatedHamiltonian;
use super::states::States;
use super::{ModelTable, Statements, virtual_work};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::document::{Scalar, TableField, field, keys};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;
use crate::text::SourceText;

/// What drives the system, as expressions.
pub(crate) struct Dynamics {
    pub lagrangian: Id,
    /// The highest derivative of a coordinate in the Lagrangian and the constraints, at least 1.
    pub order: u32,
    /// One per coordinate.
    pub forces: ControlledForces,
    /// One per coordinate.
    pub friction_totals: Vec<Id>,
    pub friction: ResolvedFriction,
    /// Is the friction that of the thermodynamic Herglotz principle?
    pub herglotz: bool,
    /// One per entropy.
    pub heat: Vec<Id>,
    pub conductions: Conductions,
}

/// What the expressions of a model speak of.
pub(crate) struct Quantities<'a> {
    pub coordinates: &'a Coordinates,
    pub entropies: &'a Entropies,
    pub states: &'a States,
    pub definitions: &'a Definitions,
    pub constraints: &'a Constraints,
}

/// The Lagrangian and the tables of forces and heat.
#[derive(Default)]
pub(crate) struct DynamicsStatement {
    /// Was the table there at all?
    pub stated: bool,
    pub lagrangian: Option<Scalar>,
    pub hamiltonian: Option<Scalar>,
    /// Are the momenta of the Hamiltonian among the coordinates?
    pub phase_space: bool,
    /// `friction = "herglotz"`.
    pub friction_law: Option<SourceText>,
    pub dissipation: Vec<DissipationStatement>,
    pub forces: Vec<Assignment>,
    pub heat: Vec<Assignment>,
}

pub(super) static TABLE: ModelTable = ModelTable {
    name: "dynamics",
    sentence: "what moves the system",
    keys: || keys(FIELDS),
    read: |reader, table, entries, into| {
        into.dynamics.stated = true;
        let stated = reader.fill(entries, FIELDS, &mut into.dynamics);
        if !stated.contains(&"lagrangian") && !stated.contains(&"hamiltonian") {
            reader.problems.push(
                Diagnostic::error(Code::Missing, "[dynamics] has no Lagrangian")
                    .at(table.name.span.clone(), "`lagrangian = \"...\"` is missing")
                    .help("kinetic energy minus potential energy, for instance lagrangian = \"m*x'^2/2 - k*x^2/2\""),
            );
        }
        if let (Some(lagrangian), Some(hamiltonian)) = (&into.dynamics.lagrangian, &into.dynamics.hamiltonian) {
            reader.problems.push(
                Diagnostic::error(Code::Conflict, "[dynamics] states the system twice")
                    .at(hamiltonian.span(), "by a Hamiltonian")
                    .at(lagrangian.span(), "by a Lagrangian")
                    .help("keep one of them: the other follows from it"),
            );
        }
    },
};

pub(super) static FORCES: ModelTable = ModelTable {
    name: "forces",
    sentence: "forces from outside, whose power is work: an expression by coordinate, or by a definition of positions, the coordinate of the point on which it acts",
    keys: Vec::new,
    read: |reader, _, entries, into| into.dynamics.forces = assignments::read(reader, entries),
};

pub(super) static HEAT: ModelTable = ModelTable {
    name: "heat",
    sentence: "power from outside into an entropy, an expression by entropy",
    keys: Vec::new,
    read: |reader, _, entries, into| into.dynamics.heat = assignments::read(reader, entries),
};

const FIELDS: &[TableField<DynamicsStatement>] = &[
    field(
        "lagrangian",
        "kinetic minus potential energy, internal energy included: an expression of positions, velocities, entropies, time and parameters",
        |reader, entry, into| into.lagrangian = reader.scalar(entry),
    ),
    field(
        "hamiltonian",
        "instead of `lagrangian`: the energy by positions, momenta (`p_x` is that of `x`), entropies, time and parameters",
        |reader, entry, into| into.hamiltonian = reader.scalar(entry),
    ),
    field(
        "dissipation",
        "Rayleigh's function D of positions and velocities, `\"c*x'^2/2\"`: the friction -dD/dx' on every coordinate, beside that of `[friction]`; with `heats` as there, a table `{ function = \"c*x'^2/2\", heats = \"S\" }` or a list of tables",
        |reader, entry, into| into.dissipation = dissipation::read(reader, entry),
    ),
    field(
        "friction",
        "`herglotz`: instead of `[friction]`, for one entropy, the friction (dL/dS)(dL/dx') of the thermodynamic Herglotz principle",
        |reader, entry, into| {
            let listed = "write forces in a table [friction]; the only law with a name is";
            let unknown = |name: &str| format!("there is no law of friction `{name}`");
            into.friction_law = reader.choice(entry, [HERGLOTZ], |law| law, listed, unknown).map(|(_, text)| text);
        },
    ),
];

/// What a system may be stated by in the place of a Lagrangian.
const HAMILTONIAN: &str = "Hamiltonian";
/// The only law of friction that has a name.
const HERGLOTZ: &str = "herglotz";

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &Statements,
    named: &Quantities<'_>,
    controls: &[Control],
    stated: Option<&StatedHamiltonian<'_>>,
) -> Option<Dynamics> {
    let &Quantities { coordinates, entropies, states, definitions, constraints } = named;
    let statement = &statements.dynamics;
    // Rates say all of a system that has states alone.
    let of_states = coordinates.list.is_empty() && entropies.list.is_empty() && !states.list.is_empty();
    if !statement.stated && !of_states && statements.poisson.is_none() {
        let help = "add [dynamics] with lagrangian = \"...\", the kinetic minus the potential energy";
        resolver.problems.push(Diagnostic::error(Code::Missing, "the model has no Lagrangian").help(help));
    }
    let heated = [&entropies.families];
    let forces = virtual_work::resolve(resolver, &statement.forces, coordinates, definitions);
    let forces = controls::apply(resolver, controls, forces, states);
    let heat = assignments::resolve_or_zero(resolver, &statement.heat, Targets(&heated), &ExpressionPlace::HEAT);
    let mut friction = friction::resolve(resolver, &statements.friction, coordinates, entropies);
    dissipation::resolve(resolver, &statement.dissipation, coordinates, entropies, &mut friction);
    refuse_dry(resolver, statements, &friction);
    let conductions = conduction::resolve(resolver, &statements.conduction, entropies);
    let lagrangian = match (&statements.poisson, &statement.hamiltonian, &statement.lagrangian) {
        (Some(poisson), ..) => {
            -resolver.number(poisson.hamiltonian.as_ref()?, &ExpressionPlace::POISSON_HAMILTONIAN, None)?
        }
        (None, Some(_), _) => resolver.graph.expr(stated?.lagrangian.id()),
        (None, None, None) if of_states && !statement.stated => resolver.graph.int(0),
        (None, None, _) => lagrangian(resolver, statements)?,
    };
    let sides = constraints.list.iter().flat_map(|constraint| [constraint.left, constraint.right]);
    let ordered = sides.map(|id| resolver.graph.expr(id)).chain([lagrangian]);
    let order = ordered.filter_map(|part| resolver.names.order_of(part)).max().unwrap_or(1).max(1);
    if let Some(scalar) = statement.hamiltonian.as_ref().or(statement.lagrangian.as_ref()) {
        let function = if statement.hamiltonian.is_some() { HAMILTONIAN } else { "Lagrangian" };
        report_absent(resolver, lagrangian, (function, scalar), coordinates, entropies, constraints);
    }
    let law = statement.friction_law.as_ref().filter(|text| may_use_herglotz(resolver, text, statements, entropies));
    if let Some(text) = law {
        friction = herglotz(resolver, text, lagrangian, coordinates, entropies);
    }
    let friction_totals = friction.totals(resolver, coordinates.list.len());
    let herglotz = law.is_some();
    let lagrangian = lagrangian.id();
    Some(Dynamics { lagrangian, order, forces, friction_totals, friction, herglotz, heat, conductions })
}

/// The impulses of dry friction are not known beside an action that the Lagrangian contains.
fn refuse_dry(resolver: &mut Resolver<'_, '_>, statements: &Statements, friction: &ResolvedFriction) {
    if let (Some(action), false) = (&statements.action, friction.dry.is_empty()) {
        let diagnostic = Diagnostic::error(Code::Conflict, "dry friction is not defined beside [action]");
        resolver.problems.push(diagnostic.at(action.span.clone(), ""));
    }
}

/// The Lagrangian as it is stated.
fn lagrangian<'g>(resolver: &mut Resolver<'g, '_>, statements: &Statements) -> Option<Expr<'g>> {
    let place =
        if statements.is_higher_order() { &ExpressionPlace::HIGHER_LAGRANGIAN } else { &ExpressionPlace::LAGRANGIAN };
    resolver.number(statements.dynamics.lagrangian.as_ref()?, place, None)
}

/// The law speaks of one entropy and leaves no place for other friction.
fn may_use_herglotz(
    resolver: &mut Resolver<'_, '_>,
    text: &SourceText,
    statements: &Statements,
    entropies: &Entropies,
) -> bool {
    let diagnostic = if entropies.list.len() != 1 {
        let message = format!("the friction law `{HERGLOTZ}` needs exactly one entropy, not {}", entropies.list.len());
        Diagnostic::error(Code::Conflict, message).at(text.span.clone(), "the force is (dL/dS)(dL/dx')")
    } else if let Some((span, label)) = other_friction(statements) {
        Diagnostic::error(Code::Conflict, "the friction is stated twice")
            .at(text.span.clone(), "as a law here")
            .at(span, label)
            .help("keep one of them")
    } else {
        return true;
    };
    resolver.problems.push(diagnostic);
    false
}

/// Where friction is stated otherwise than by a law with a name.
fn other_friction(statements: &Statements) -> Option<(Span, &'static str)> {
    let force = statements.friction.first().map(|stated| (stated.key.span.clone(), "as a force here"));
    force.or_else(|| Some((statements.dynamics.dissipation.first()?.span.clone(), "as a dissipation here")))
}

/// `F = (dL/dS)(dL/dv)`, which makes `S' = p.v`.
fn herglotz<'g>(
    resolver: &Resolver<'g, '_>,
    law: &SourceText,
    lagrangian: Expr<'g>,
    coordinates: &Coordinates,
    entropies: &Entropies,
) -> ResolvedFriction {
    let graph = resolver.graph;
    let symbols =
        coordinates.list.iter().map(|c| c.velocity).chain(entropies.list.iter().map(|entropy| entropy.symbol));
    let symbols: Vec<Expr<'g>> = symbols.map(|id| graph.expr(id)).collect();
    let gradient = graph.gradient(lagrangian, &symbols);
    let by_entropy = gradient[coordinates.list.len()];
    let one = graph.int(1).id();
    let mut friction = ResolvedFriction::default();
    for (coordinate, momentum) in gradient[..coordinates.list.len()].iter().enumerate() {
        friction.terms.push(FrictionTerm { coordinate, force: (by_entropy * *momentum).id(), shares: vec![(0, one)] });
        friction.spans.push(law.span.clone());
    }
    friction
}

/// A coordinate that neither the Lagrangian nor a constraint contains has no equation of motion, an entropy that the Lagrangian
/// does not contain no temperature.
fn report_absent(
    resolver: &mut Resolver<'_, '_>,
    lagrangian: Expr<'_>,
    (function, scalar): (&str, &Scalar),
    coordinates: &Coordinates,
    entropies: &Entropies,
    constraints: &Constraints,
) {
    let graph = resolver.graph;
    let sides = constraints.list.iter().flat_map(|constraint| [constraint.left, constraint.right]);
    let stated: Vec<Expr<'_>> = sides.map(|id| graph.expr(id)).chain([lagrangian]).collect();
    let symbols = graph.free_symbols(&stated);
    let present: HashSet<Id> = symbols.iter().map(|symbol| symbol.id()).collect();
    // By their names without primes, so that any derivative counts.
    let names = symbols.iter().filter_map(|symbol| Some(symbol.as_symbol()?.trim_end_matches('\'').to_owned()));
    let moving: HashSet<String> = names.collect();
    for family in &coordinates.families.list {
        let members = &coordinates.list[family.first..family.first + family.len()];
        let absent = members.iter().find(|coordinate| !moving.contains(&coordinate.name));
        // A constraint in error may be what binds it.
        if let Some(coordinate) = absent.filter(|_| !constraints.incomplete) {
            let name = &coordinate.name;
            let message = format!("the Lagrangian does not contain the coordinate `{name}`");
            resolver.problems.push(
                Diagnostic::error(Code::AbsentCoordinate, message)
                    .at(family.name.span.clone(), "declared here")
                    .at(scalar.span(), format!("neither `{name}` nor `{name}'` remains in it"))
                    .help(format!("give `{name}` a kinetic energy, or remove it; it would have no equation of motion")),
            );
        }
    }
    for family in &entropies.families.list {
        let members = &entropies.list[family.first..family.first + family.len()];
        let absent = members.iter().find(|entropy| !present.contains(&entropy.symbol));
        // A constraint in error may be what contains it.
        if let Some(Entropy { name, .. }) = absent.filter(|_| !constraints.incomplete) {
            let message = format!("the {function} does not contain the entropy `{name}`");
            resolver.problems.push(
                Diagnostic::error(Code::AbsentEntropy, message)
                    .at(family.name.span.clone(), "declared here")
                    .at(scalar.span(), format!("`{name}` does not remain in it"))
                    .help(match function {
                        HAMILTONIAN => {
                            format!("add an internal energy that grows with `{name}`: its temperature is dH/d{name}")
                        }
                        _ => format!(
                            "subtract an internal energy that grows with `{name}`: its temperature is -dL/d{name}"
                        ),
                    }),
            );
        }
    }
}

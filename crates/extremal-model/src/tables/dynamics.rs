//! `[dynamics]`, `[forces]` and `[friction]`: what drives the motion.

use std::collections::HashSet;

use extremal_expr::{Expr, Id};

use super::assignments::{self, Assignment};
use super::coordinates::Coordinates;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::{Entry, Reader, Scalar};
use crate::names::Place;
use crate::resolver::Resolver;

/// What drives the motion, as expressions.
pub(crate) struct Dynamics {
    pub lagrangian: Id,
    /// One per coordinate.
    pub forces: Vec<Id>,
    /// One per coordinate.
    pub friction: Vec<Id>,
}

/// The Lagrangian and the generalised forces.
#[derive(Default)]
pub(crate) struct DynamicsStatement {
    /// Was the table there at all?
    pub stated: bool,
    pub lagrangian: Option<Scalar>,
    pub forces: Vec<Assignment>,
    pub friction: Vec<Assignment>,
}

const KEYS: [&str; 1] = ["lagrangian"];

pub(crate) fn read<'t>(
    reader: &mut Reader<'t, '_>,
    table: &Entry<'t>,
    entries: Vec<Entry<'t>>,
    into: &mut DynamicsStatement,
) {
    into.stated = true;
    let mut has_lagrangian = false;
    for entry in entries {
        match entry.name.text.as_str() {
            "lagrangian" => {
                has_lagrangian = true;
                into.lagrangian = reader.scalar(&entry);
            }
            _ => reader.unknown_key(&entry, &KEYS),
        }
    }
    if !has_lagrangian {
        reader.problems.push(
            Diagnostic::error(Code::Missing, "[dynamics] has no Lagrangian")
                .at(table.name.span.clone(), "`lagrangian = \"...\"` is missing")
                .help("kinetic energy minus potential energy, for instance lagrangian = \"m*x'^2/2 - k*x^2/2\""),
        );
    }
}

pub(crate) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statement: &DynamicsStatement,
    coordinates: &Coordinates,
) -> Option<Dynamics> {
    if !statement.stated {
        let help = "add [dynamics] with lagrangian = \"...\", the kinetic minus the potential energy";
        resolver.problems.push(Diagnostic::error(Code::Missing, "the model has no Lagrangian").help(help));
    }
    let forces = per_coordinate(resolver, &statement.forces, coordinates, &Place::FORCE);
    let friction = per_coordinate(resolver, &statement.friction, coordinates, &Place::FORCE);
    let scalar = statement.lagrangian.as_ref()?;
    let lagrangian = resolver.number(scalar, &Place::LAGRANGIAN, None)?;
    report_absent(resolver, lagrangian, scalar, coordinates);
    Some(Dynamics { lagrangian: lagrangian.id(), forces, friction })
}

/// Forces per coordinate, zero where none is stated.
pub(super) fn per_coordinate(
    resolver: &mut Resolver<'_, '_>,
    assignments: &[Assignment],
    coordinates: &Coordinates,
    place: &Place,
) -> Vec<Id> {
    let zero = resolver.graph.int(0);
    let values = assignments::resolve(resolver, assignments, coordinates, place);
    values.into_iter().map(|value| value.unwrap_or(zero).id()).collect()
}

/// A coordinate that the Lagrangian does not contain has no equation of motion.
fn report_absent(resolver: &mut Resolver<'_, '_>, lagrangian: Expr<'_>, scalar: &Scalar, coordinates: &Coordinates) {
    let present: HashSet<Id> = resolver.graph.free_symbols(&[lagrangian]).iter().map(|symbol| symbol.id()).collect();
    for family in &coordinates.families {
        let members = &coordinates.list[family.first..family.first + family.len()];
        let absent = members.iter().find(|c| !present.contains(&c.position) && !present.contains(&c.velocity));
        if let Some(coordinate) = absent {
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
}

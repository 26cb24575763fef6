//! Forces where they act: on a coordinate, or on a point whose coordinate is a definition. The generalised forces of the latter
//! follow from their virtual work.

use std::collections::HashMap;

use extremal_expr::{Expr, Id};

use super::assignments::{self, Assignment, Targets};
use super::coordinates::Coordinates;
use super::definitions::{Definition, Definitions};
use super::jumps;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::place::ExpressionPlace;
use crate::resolver::Resolver;

/// The generalised force on each coordinate: `Q_j = F_j + Σ F_k ∂x_k/∂q_j` over the definitions `x_k` that have a force.
pub(super) fn resolve(
    resolver: &mut Resolver<'_, '_>,
    statements: &[Assignment],
    coordinates: &Coordinates,
    definitions: &Definitions,
) -> Vec<Id> {
    let graph = resolver.graph;
    let (moving, points) = (&coordinates.families, &definitions.families);
    let both = [moving, points];
    // Without definitions a wrong name is said to be no coordinate, and no more.
    let targets = Targets(if points.list.is_empty() { &both[..1] } else { &both });
    let mut forces = vec![graph.int(0); coordinates.list.len()];
    let mut acting: Vec<(&Definition, Expr<'_>)> = Vec::new();
    let mut stated = vec![false; moving.members() + points.members()];
    for Assignment { key, value } in statements {
        let found = assignments::resolve_one(resolver, key, value, targets, &ExpressionPlace::FORCE);
        for (at, assigned) in found.into_iter().flat_map(|found| found.list).enumerate() {
            let place = assigned.place;
            if std::mem::replace(&mut stated[place], true) {
                assignments::report_twice(resolver, key, targets, place);
                break;
            }
            let point = place.checked_sub(coordinates.list.len()).map(|place| &definitions.list[place]);
            let name = point.map_or_else(|| &coordinates.list[place].name, |point| &point.name);
            // Of a family once.
            if at == 0 {
                jumps::report(resolver, "force", name, assigned.value, key.span.clone());
                point.inspect(|_| resolver.names.mark_used(stem(name)));
            }
            match point {
                None => forces[place] = assigned.value,
                Some(point) if is_point(resolver, point, &key.span) => acting.push((point, assigned.value)),
                Some(_) => break,
            }
        }
    }
    if !acting.is_empty() {
        let positions: Vec<Expr<'_>> = coordinates.list.iter().map(|c| graph.expr(c.position)).collect();
        // One gradient of the whole work, in which the forces are held.
        let held = |point: &Definition| graph.symbol(&format!("the force on {}", point.name));
        let work = graph.sum(acting.iter().map(|(point, _)| held(point) * graph.expr(point.expression)));
        let rules: Vec<_> = acting.iter().map(|(point, force)| (held(point), *force)).collect();
        let generalised = graph.substitute(&graph.gradient(work, &positions), &rules);
        forces.iter_mut().zip(generalised).for_each(|(force, by_work)| *force = *force + by_work);
    }
    forces.iter().map(|force| force.id()).collect()
}

/// By which coordinates a point is moved, by their places, and how far each of them moves it.
pub(super) fn displacements<'g>(
    resolver: &Resolver<'g, '_>,
    point: Expr<'g>,
    places: &HashMap<Id, usize>,
) -> Vec<(usize, Expr<'g>)> {
    let symbols = resolver.graph.free_symbols(&[point]);
    let moving: Vec<(usize, Expr<'g>)> =
        symbols.into_iter().filter_map(|symbol| Some((*places.get(&symbol.id())?, symbol))).collect();
    let slopes = resolver.graph.gradient(point, &moving.iter().map(|(_, symbol)| *symbol).collect::<Vec<_>>());
    moving.into_iter().zip(slopes).map(|((place, _), slope)| (place, slope)).collect()
}

/// The name of the family of a member.
fn stem(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// Is the definition the coordinate of a point, that is an expression of positions, and perhaps of time? If not, that is reported.
fn is_point(resolver: &mut Resolver<'_, '_>, definition: &Definition, span: &Span) -> bool {
    let value = resolver.graph.expr(definition.expression);
    let reason = match resolver.names.order_of(value) {
        Some(0) if !resolver.names.has_entropy(value) => return true,
        Some(0) => "it depends on entropies",
        Some(_) => "it depends on velocities",
        None => "it does not depend on any position",
    };
    let message = format!("no force can act on `{}`: {reason}", definition.name);
    let help = "a force acts on a coordinate, or on a definition of positions and time, whose changes are displacements of a point";
    resolver.problems.push(Diagnostic::error(Code::Misuse, message).at(span.clone(), "").help(help));
    false
}

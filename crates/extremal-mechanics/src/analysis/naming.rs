//! What an integral is called, and the symmetry behind it.

use extremal_expr::{Expr, Node};

use super::conserved::Symmetry;
use super::search::{FirstIntegral, IntegralTerm};
use crate::System;

/// The symmetry that generates an integral by Noether's theorem: a vector field on the configurations where the integral is
/// linear in the momenta, else δq = ∂g/∂p.
pub(super) fn symmetry_of<'g>(system: &System<'g>, integral: &FirstIntegral<'g>) -> Option<Symmetry<'g>> {
    let g = system.graph;
    let degree = integral.degree();
    if degree == 0 || integral.terms.iter().any(|term| term.factor.depends_on(&system.v)) {
        return None;
    }
    let slope = |k: usize| {
        let terms = integral.terms.iter().filter_map(|term| {
            let (_, e) = term.momenta.iter().find(|(momentum, _)| *momentum == k)?;
            Some(term.coefficient * term.product / system.momenta()[k] * *e)
        });
        g.simplified(g.sum(terms))
    };
    let generator: Vec<Expr<'g>> = (0..system.len()).map(slope).collect();
    Some(match degree {
        1 => {
            let rest = integral.terms.iter().filter(|term| term.degree() == 0);
            let gauge = -g.sum(rest.map(|term| term.coefficient * term.product));
            Symmetry::Point { generator, gauge: g.simplified(gauge) }
        }
        _ => Symmetry::Hidden { generator },
    })
}

/// The name of an integral.
pub(super) fn name_of(system: &System<'_>, integral: &FirstIntegral<'_>) -> String {
    match integral.degree() {
        0 => of_degree_zero(system, integral),
        1 => linear(system, integral),
        2 => laplace(system, integral).unwrap_or_else(|| "quadratic integral".to_string()),
        3 => "cubic integral".to_string(),
        4 => "quartic integral".to_string(),
        degree => format!("integral of degree {degree}"),
    }
}

fn of_degree_zero(system: &System<'_>, integral: &FirstIntegral<'_>) -> String {
    let alone = match integral.terms.as_slice() {
        [term] => Some(term.product),
        _ => None,
    };
    if let Some(place) = system.heat.s.iter().position(|s| Some(*s) == alone) {
        return format!("{} {}", system.heat.word(place), system.heat.names[place]);
    }
    let others = [&system.v[..], &system.moving_multipliers(), &system.heat.s].concat();
    let products: Vec<_> = integral.terms.iter().map(|term| term.product).collect();
    match system.graph.depend_on(&products, &others).contains(&true) {
        true => "integral".to_string(),
        false => "integral of positions".to_string(),
    }
}

fn linear(system: &System<'_>, integral: &FirstIntegral<'_>) -> String {
    let moving: Vec<&IntegralTerm<'_>> = integral.terms.iter().filter(|term| term.degree() == 1).collect();
    let rest: Vec<&IntegralTerm<'_>> = integral.terms.iter().filter(|term| term.degree() == 0).collect();
    let names = {
        let mut places: Vec<usize> = moving.iter().flat_map(|term| term.momenta.iter().map(|(k, _)| *k)).collect();
        places.sort_unstable();
        places.dedup();
        listed(system, &places)
    };
    let one = system.graph.int(1);
    if moving.iter().all(|term| term.factor == one) {
        let kind = if rest.is_empty() { "momentum" } else { "pseudo-momentum" };
        return format!("{kind}{names}");
    }
    if moving.iter().all(|term| term.factor == system.t) && rest.iter().any(|term| system.q.contains(&term.factor)) {
        return format!("Galilean boost{names}");
    }
    match is_rotation(system, &moving) {
        true => format!("angular momentum{names}"),
        false => format!("Noether momentum{names}"),
    }
}

/// ` of` these coordinates; nothing if they are all there are.
fn listed(system: &System<'_>, places: &[usize]) -> String {
    const MOST: usize = 3;
    match places {
        all if all.len() == system.len() && all.len() > 1 => String::new(),
        [first, .., last] if places.len() > MOST => {
            format!(" of {} to {}", system.names[*first], system.names[*last])
        }
        few => format!(" of {}", few.iter().map(|k| system.names[*k].as_str()).collect::<Vec<_>>().join(", ")),
    }
}

/// Are the terms of the form Σ R_ij q_j p_i with R skew?
fn is_rotation(system: &System<'_>, moving: &[&IntegralTerm<'_>]) -> bool {
    let entry = |term: &IntegralTerm<'_>| {
        let row = term.momenta.first().map(|(k, _)| *k)?;
        let column = system.q.iter().position(|q| *q == term.factor)?;
        Some((row, column))
    };
    let Some(entries) = moving.iter().map(|term| entry(term)).collect::<Option<Vec<_>>>() else { return false };
    entries.iter().zip(moving).all(|((row, column), term)| {
        let opposite = entries.iter().position(|other| *other == (*column, *row));
        opposite.is_some_and(|other| moving[other].coefficient == -term.coefficient)
    })
}

/// p (q p) − q/r, by the coordinate of its last term.
fn laplace(system: &System<'_>, integral: &FirstIntegral<'_>) -> Option<String> {
    let g = system.graph;
    let (moving, rest): (Vec<&IntegralTerm<'_>>, Vec<&IntegralTerm<'_>>) =
        integral.terms.iter().partition(|term| term.degree() == 2);
    let [central] = rest.as_slice() else { return None };
    let Node::Product(factors) = central.factor.node() else { return None };
    let along = factors.iter().find_map(|(base, e)| {
        let place = system.q.iter().position(|q| q.id() == *base)?;
        (*e == 1).then_some(place)
    })?;
    let radial = factors.iter().any(|(base, e)| *e == -1 && matches!(g.expr(*base).node(), Node::Root(_, 2)));
    let angular = moving.iter().all(|term| system.q.contains(&term.factor));
    (factors.len() == 2 && radial && angular).then(|| format!("Laplace-Runge-Lenz {}", system.names[along]))
}

//! What first integrals are made of: momenta, coordinates, entropies, time, and the functions of them that occur in the system.

use std::collections::BTreeMap;

use extremal_expr::{Expr, Function, Graph, Id, Node};

use super::flow::Flow;
use crate::System;

/// A factor of candidates.
#[derive(Clone, Copy)]
pub(super) struct Generator<'g> {
    pub value: Expr<'g>,
    pub rate: Expr<'g>,
    /// May it be divided by?
    pub invertible: bool,
    /// Which momentum it is, if it is one.
    pub momentum: Option<usize>,
}

/// A product of powers of generators, by their places.
pub(super) type GeneratorPowers = Vec<(usize, i64)>;

/// The generators of a system, momenta first.
pub(super) fn generators<'g>(system: &System<'g>, flow: &Flow<'g>) -> Vec<Generator<'g>> {
    let g = system.graph;
    let mut found: Vec<Generator<'g>> = Vec::new();
    // A vakonomic multiplier is the momentum of a coordinate whose velocity stands alone in the constraint.
    let multipliers = system.moving_multipliers();
    let mut velocities = Vec::new();
    for (place, (value, rate)) in flow.momenta.iter().enumerate() {
        let moving = value.depends_on(&system.v);
        if moving || multipliers.contains(value) {
            found.push(Generator { value: *value, rate: *rate, invertible: false, momentum: Some(place) });
        }
        if !moving {
            let (value, rate) = (system.v[place], system.a[place]);
            velocities.push(Generator { value, rate, invertible: false, momentum: None });
        }
    }
    let momenta: Vec<Expr<'g>> = found.iter().map(|generator| generator.value).collect();
    found.extend(velocities);
    let sources: Vec<Expr<'g>> = [&[system.lagrangian][..], &system.force, &flow.trivial].concat();
    let powers = powers_in(g, &sources);
    // The inverse of the mass matrix divides by what occurs in it.
    let masses: Vec<Expr<'g>> = system.mass_matrix().into_iter().flatten().map(|(_, mass)| mass).collect();
    let masses = powers_in(g, &masses);
    let mut variables = [&system.q[..], &system.heat.s, &multipliers, &[system.t]].concat();
    variables.retain(|variable| !momenta.contains(variable));
    let state: Vec<Expr<'g>> = flow.state.iter().map(|(symbol, _)| *symbol).chain([flow.time]).collect();
    let is_symbol = |atom: &Expr<'g>| variables.contains(atom) || momenta.contains(atom) || system.v.contains(atom);
    let is_heavy = |atom: &Expr<'g>| masses.contains_key(&atom.id());
    let functions = functions_of(g, &powers, |atom| !is_symbol(atom) && atom.depends_on(&state), is_heavy);
    let mut seen: Vec<Expr<'g>> = Vec::new();
    let mut add = |value: Expr<'g>, invertible: bool| {
        if !seen.contains(&value) {
            seen.push(value);
            let rate = flow.rates_of(&[value])[0];
            found.push(Generator { value, rate, invertible, momentum: None });
        }
    };
    for variable in variables {
        let divides = powers.get(&variable.id()).is_some_and(|exponents| exponents.iter().any(|e| *e < 0));
        add(variable, divides || masses.contains_key(&variable.id()));
    }
    functions.into_iter().for_each(|(function, invertible)| add(function, invertible));
    found
}

/// The functions that occur in some expressions, and the derivatives of waves among them.
pub(super) fn functions_in<'g>(flow: &Flow<'g>, sources: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let g = flow.graph;
    let state: Vec<Expr<'g>> = flow.state.iter().map(|(symbol, _)| *symbol).chain([flow.time]).collect();
    let powers = powers_in(g, sources);
    let wanted = |atom: &Expr<'g>| atom.as_symbol().is_none() && atom.depends_on(&state);
    functions_of(g, &powers, wanted, |_| false).into_iter().map(|(function, _)| function).collect()
}

/// The wanted ones among atoms, in the smallest powers of both signs that occur, and the derivatives of waves; each with whether
/// it may be divided by.
fn functions_of<'g>(
    g: &'g Graph,
    powers: &BTreeMap<Id, Vec<i64>>,
    is_wanted: impl Fn(&Expr<'g>) -> bool,
    is_heavy: impl Fn(&Expr<'g>) -> bool,
) -> Vec<(Expr<'g>, bool)> {
    let mut functions = Vec::new();
    for (atom, exponents) in powers {
        let atom = g.expr(*atom);
        if !is_wanted(&atom) {
            continue;
        }
        // Others are powers of them.
        let least = |wanted: fn(&i64) -> bool| exponents.iter().copied().filter(wanted).min_by_key(|e| e.abs());
        let occurring = [least(|e| *e > 0), least(|e| *e < 0)].into_iter().flatten();
        functions.extend(occurring.map(|e| (atom.powi(e), is_heavy(&atom))));
        // The derivative of a wave is the other one.
        match atom.node() {
            Node::Call(Function::Sin, u) => functions.push((g.expr(u).cos(), false)),
            Node::Call(Function::Cos, u) => functions.push((g.expr(u).sin(), false)),
            _ => {}
        }
    }
    functions
}

/// The powers in which atoms (what is neither a sum nor a product) occur in the expansions of some expressions.
fn powers_in(g: &Graph, sources: &[Expr<'_>]) -> BTreeMap<Id, Vec<i64>> {
    let mut powers: BTreeMap<Id, Vec<i64>> = BTreeMap::new();
    let mut add = |id: Id, e: i64| {
        let exponents = powers.entry(id).or_default();
        if !exponents.contains(&e) {
            exponents.push(e);
        }
    };
    for source in sources {
        match g.expanded(*source).map(|expanded| expanded.node()) {
            Some(Node::Sum { terms, .. }) => terms.iter().for_each(|(term, _)| factors(g, *term, &mut add)),
            Some(_) => factors(g, source.id(), &mut add),
            // Too long to expand: every function that occurs.
            None => {
                for id in g.reachable(&[source.id()]) {
                    if matches!(g.expr(id).node(), Node::Call(..) | Node::Root(..) | Node::Power(..)) {
                        add(id, 1);
                    }
                }
            }
        }
    }
    powers
}

fn factors(g: &Graph, term: Id, add: &mut impl FnMut(Id, i64)) {
    match g.expr(term).node() {
        Node::Product(factors) => factors.iter().for_each(|(factor, e)| add(*factor, *e)),
        Node::Number(_) => {}
        _ => add(term, 1),
    }
}

/// The products of generators by degree, without the constant: as high as `most` of them allow, and the degree reached.
pub(super) fn monomials(generators: &[Generator<'_>], most: usize, highest: usize) -> (Vec<GeneratorPowers>, usize) {
    let mut all: Vec<GeneratorPowers> = Vec::new();
    let mut last: Vec<GeneratorPowers> = vec![Vec::new()];
    for degree in 1..=highest {
        let mut next: Vec<GeneratorPowers> = Vec::new();
        for powers in &last {
            let from = powers.last().map_or(0, |(place, _)| *place);
            for (place, generator) in generators.iter().enumerate().skip(from) {
                for step in [1i64, -1] {
                    if step < 0 && !generator.invertible {
                        continue;
                    }
                    let mut product = powers.clone();
                    match product.last_mut() {
                        Some((same, power)) if *same == place => {
                            if power.signum() != step {
                                continue;
                            }
                            *power += step;
                        }
                        _ => product.push((place, step)),
                    }
                    next.push(product);
                }
            }
        }
        if all.len() + next.len() > most {
            return (all, degree - 1);
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    (all, highest)
}

/// The expression of a product.
pub(super) fn product_of<'g>(g: &'g Graph, generators: &[Generator<'g>], powers: &GeneratorPowers) -> Expr<'g> {
    g.product(powers.iter().map(|(place, power)| generators[*place].value.powi(*power)))
}

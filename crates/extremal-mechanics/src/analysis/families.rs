//! Families of candidates besides all products up to a degree: those that a large or a curvilinear system needs.

use std::collections::HashSet;

use extremal_expr::{Expr, Id};

use super::flow::Flow;
use super::generators::{Generator, GeneratorPowers, functions_in, monomials};
use super::search::SearchBounds;
use crate::System;

/// What a family consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyKind {
    /// Momenta, coordinates and time, and products of momenta with one of the others: affine symmetries with their gauges.
    Affine,
    /// Products with the functions of velocity constraints, and with sines and cosines of cyclic angles.
    Curvilinear,
}

/// Generators and products of them.
pub(super) struct GeneratorFamily<'g> {
    pub kind: FamilyKind,
    pub generators: Vec<Generator<'g>>,
    pub products: Vec<GeneratorPowers>,
    pub degree: usize,
}

/// The candidates of affine symmetries: translations and boosts, and where `most` allows them linear maps such as rotations.
pub(super) fn affine<'g>(all: &[Generator<'g>], system: &System<'g>, most: usize) -> GeneratorFamily<'g> {
    let is_linear = |generator: &&Generator<'g>| {
        generator.momentum.is_some() || generator.value == system.t || system.q.contains(&generator.value)
    };
    let generators: Vec<Generator<'g>> = all.iter().filter(is_linear).copied().collect();
    let places = |wanted: &dyn Fn(&Generator<'g>) -> bool| -> Vec<usize> {
        (0..generators.len()).filter(|place| wanted(&generators[*place])).collect()
    };
    let momenta = places(&|generator| generator.momentum.is_some());
    let times = places(&|generator| generator.value == system.t);
    let positions = places(&|generator| generator.momentum.is_none() && generator.value != system.t);
    let mut products: Vec<GeneratorPowers> = (0..generators.len()).map(|place| vec![(place, 1)]).collect();
    products.extend(times.iter().map(|time| vec![(*time, 2)]));
    let with = |factors: &[usize]| -> Vec<GeneratorPowers> {
        momenta.iter().flat_map(|p| factors.iter().map(move |factor| vec![(*p, 1), (*factor, 1)])).collect()
    };
    products.extend(with(&times));
    if products.len() + momenta.len() * positions.len() <= most {
        products.extend(with(&positions));
    }
    GeneratorFamily { kind: FamilyKind::Affine, generators, products, degree: 2 }
}

/// The candidates with functions that occur in no energy and no force; `None` where there are none of these.
pub(super) fn curvilinear<'g>(
    system: &System<'g>,
    flow: &Flow<'g>,
    all: &[Generator<'g>],
    bounds: SearchBounds,
) -> Option<GeneratorFamily<'g>> {
    let g = system.graph;
    let rows: Vec<Expr<'g>> =
        g.jacobian(&flow.surface, &system.v).into_iter().flatten().map(|(_, entry)| entry).collect();
    let mut functions = functions_in(flow, &rows);
    let sources = [&[system.lagrangian][..], &system.force, &flow.surface].concat();
    let occurring: HashSet<Id> = g.free_symbols(&sources).into_iter().map(|symbol| symbol.id()).collect();
    let own_mass = |(k, row): (usize, Vec<(usize, Expr<'g>)>)| row.into_iter().find(|(l, _)| *l == k);
    let masses = system.mass_matrix().into_iter().enumerate().filter_map(own_mass);
    let mut cyclic = Vec::new();
    for (k, mass) in masses {
        let q = system.q[k];
        if !occurring.contains(&q.id()) && mass.depends_on(&system.q) {
            functions.extend([q.sin(), q.cos()]);
            cyclic.push(q);
        }
    }
    functions.retain(|function| all.iter().all(|generator| generator.value != *function));
    if functions.is_empty() {
        return None;
    }
    // Time and the angles themselves leave room for a higher degree.
    let left_out = |generator: &Generator<'g>| generator.value == system.t || cyclic.contains(&generator.value);
    let mut generators: Vec<Generator<'g>> = all.iter().filter(|generator| !left_out(generator)).copied().collect();
    for value in functions {
        if generators.iter().all(|generator| generator.value != value) {
            generators.push(Generator { value, rate: flow.rates_of(&[value])[0], invertible: false, momentum: None });
        }
    }
    let (products, degree) = monomials(&generators, bounds.candidates, bounds.degree);
    Some(GeneratorFamily { kind: FamilyKind::Curvilinear, generators, products, degree })
}

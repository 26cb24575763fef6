//! The search for first integrals: linear algebra over a finite field, on products of generators.
//!
//! With candidates `m_j` and coefficients `c_j`, `g = Σ c_j m_j` is conserved when `Σ c_j m_j'` vanishes at every state. At more
//! random states than candidates this is a linear system whose null space is the space of first integrals, exactly, because the
//! arithmetic is. Columns are ordered by degree, so that the reduced echelon form gives simple integrals first; those that are
//! polynomials of earlier ones are left out.

use extremal_expr::generic::{Field, Matrix, Residue, VectorSpace};
use extremal_expr::{Expr, Rational};

use super::families::{FamilyKind, GeneratorFamily, affine, curvilinear};
use super::flow::{Flow, FlowSampler};
use super::generators::{Generator, GeneratorPowers, generators, monomials};
use super::lift::lift;
use crate::System;

/// How far to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchBounds {
    /// The largest number of candidates.
    pub candidates: usize,
    /// The highest degree, counting momenta, coordinates, entropies, time and functions of them alike.
    pub degree: usize,
}

impl Default for SearchBounds {
    fn default() -> Self {
        SearchBounds { candidates: 420, degree: 5 }
    }
}

/// The space that was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchSpace<'g> {
    /// What products are made of.
    pub generators: Vec<Expr<'g>>,
    /// Their highest degree.
    pub degree: usize,
    /// How many linearly independent ones there are.
    pub candidates: usize,
    /// Families of products that were searched besides, with how many linearly independent ones there are.
    pub further: Vec<(FamilyKind, usize)>,
}

/// A first integral as a combination of products of generators.
#[derive(Clone, Debug)]
pub struct FirstIntegral<'g> {
    /// Products and coefficients; the latter may contain parameters.
    pub terms: Vec<IntegralTerm<'g>>,
    /// Its rate, in the unknowns of the flow.
    pub rate: Expr<'g>,
    /// Does it hold for all values of the parameters?
    pub general: bool,
}

/// One term of a [`FirstIntegral`].
#[derive(Clone, Debug)]
pub struct IntegralTerm<'g> {
    /// The coefficient.
    pub coefficient: Expr<'g>,
    /// The momenta in the product, with their powers.
    pub momenta: Vec<(usize, i64)>,
    /// The rest of the product.
    pub factor: Expr<'g>,
    /// The whole product, momenta written by velocities.
    pub product: Expr<'g>,
}

impl<'g> FirstIntegral<'g> {
    /// Its degree in the momenta.
    pub fn degree(&self) -> i64 {
        self.terms.iter().map(IntegralTerm::degree).max().unwrap_or(0)
    }

    /// The sum of its terms.
    pub fn value(&self) -> Expr<'g> {
        self.rate.graph().sum(self.terms.iter().map(|term| term.coefficient * term.product))
    }
}

impl IntegralTerm<'_> {
    /// Its degree in the momenta.
    pub fn degree(&self) -> i64 {
        self.momenta.iter().map(|(_, e)| e).sum()
    }
}

/// What the search knows beforehand.
#[derive(Clone, Copy)]
pub(super) struct SearchProblem<'a, 'g> {
    pub system: &'a System<'g>,
    pub flow: &'a Flow<'g>,
    /// Parameters with an exact value.
    pub fixed: &'a [(Expr<'g>, Rational)],
    /// Parameters whose values may vary.
    pub free: &'a [Expr<'g>],
    /// Integrals that are known.
    pub known: &'a [Expr<'g>],
}

/// More states than candidates, so that a chance null vector is as good as impossible.
pub(super) const SPARE_STATES: usize = 6;

/// States that are tried to have this many at which no candidate divides by zero.
pub(super) fn most_tries(states: usize) -> u64 {
    4 * states as u64
}

/// Searches for first integrals that are not polynomials of known ones.
pub(super) fn search<'g>(
    problem: &SearchProblem<'_, 'g>,
    bounds: SearchBounds,
) -> (Vec<FirstIntegral<'g>>, SearchSpace<'g>) {
    let gens = generators(problem.system, problem.flow);
    let (products, degree) = monomials(&gens, bounds.candidates, bounds.degree);
    let generators = gens.iter().map(|g| g.value).collect();
    let mut space = SearchSpace { generators, degree, candidates: 0, further: Vec::new() };
    let further = [
        (degree < 2 && bounds.degree > 1).then(|| affine(&gens, problem.system, 2 * bounds.candidates)),
        curvilinear(problem.system, problem.flow, &gens, bounds),
    ];
    let Some((mut found, candidates)) = searched(problem, &gens, products, degree) else { return (Vec::new(), space) };
    space.candidates = candidates;
    for GeneratorFamily { kind, generators, products, degree } in further.into_iter().flatten() {
        let values = found.iter().map(FirstIntegral::value);
        let known: Vec<Expr<'g>> = problem.known.iter().copied().chain(values).collect();
        let problem = SearchProblem { known: &known, ..*problem };
        if let Some((more, candidates)) = searched(&problem, &generators, products, degree) {
            space.further.push((kind, candidates));
            found.extend(more);
        }
    }
    (found, space)
}

/// The integrals among combinations of some products, and how many of these are linearly independent; `None` where they could not
/// be evaluated.
fn searched<'g>(
    problem: &SearchProblem<'_, 'g>,
    gens: &[Generator<'g>],
    mut products: Vec<GeneratorPowers>,
    degree: usize,
) -> Option<(Vec<FirstIntegral<'g>>, usize)> {
    products.sort_by_key(|powers| (degree_in_momenta(gens, powers), degree_of(powers)));
    (0..Field::COUNT).find_map(|number| {
        let table = CandidateTable::sample(problem, gens, &products, number)?;
        let (found, candidates) = table.integrals(problem, degree);
        let lifted = found.iter().filter_map(|vector| lift(problem, gens, &products, vector, number)).collect();
        Some((lifted, candidates))
    })
}

/// Products by their places, with coefficients.
pub(super) type Combination = Vec<(usize, Residue)>;

/// Values and rates of all candidates at many states, and values of the known integrals.
struct CandidateTable {
    field: Field,
    /// A constant, then the candidates.
    values: Matrix,
    rates: Matrix,
    known: Matrix,
}

impl CandidateTable {
    fn sample<'g>(
        problem: &SearchProblem<'_, 'g>,
        gens: &[Generator<'g>],
        products: &[GeneratorPowers],
        number: usize,
    ) -> Option<CandidateTable> {
        let field = Field::number(number);
        let zero = problem.system.graph.int(0);
        let trivial = problem.flow.trivial.iter().copied();
        let known = problem.known.iter().copied().chain(trivial).map(|e| (e, zero));
        let functions: Vec<_> = gens.iter().map(|g| (g.value, g.rate)).chain(known).collect();
        let sampler = FlowSampler::new(problem.flow, &functions, problem.fixed, field);
        let mut table = CandidateTable {
            field,
            values: Matrix::new(products.len() + 1),
            rates: Matrix::new(products.len()),
            known: Matrix::new(functions.len() - gens.len()),
        };
        let states = products.len() + SPARE_STATES;
        for seed in 0..most_tries(states) {
            let (values, rates) = sampler.at(seed)?;
            let Some((value_row, rate_row)) = rows(field, products, &values, &rates) else { continue };
            table.values.push(&value_row);
            table.rates.push(&rate_row);
            table.known.push(&values[gens.len()..]);
            if table.rates.len() == states {
                return Some(table);
            }
        }
        None
    }

    /// Integrals that are not polynomials of others; and how many candidates are linearly independent.
    fn integrals(self, problem: &SearchProblem<'_, '_>, degree: usize) -> (Vec<Combination>, usize) {
        let f = self.field;
        // The first column is the constant: products that equal constants and lower ones are left out.
        let kept: Vec<usize> =
            self.values.clone().independent_columns(f).into_iter().filter(|c| *c > 0).map(|c| c - 1).collect();
        let null = self.rates.select(&kept).null_space(f);
        let column = |column: usize| (0..self.known.len()).map(|row| self.known.row(row)[column]).collect::<Vec<_>>();
        let known: Vec<Vec<Residue>> = (0..self.known.columns()).map(column).collect();
        let mut products = Products::new(f, degree, self.values.len(), MOST_PRODUCTS);
        known.iter().for_each(|values| products.add(values));
        let values_of = |vector: &[Residue]| -> Vec<Residue> {
            let entries: Vec<(usize, Residue)> =
                vector.iter().enumerate().filter(|(_, c)| **c != Field::ZERO).map(|(k, c)| (kept[k] + 1, *c)).collect();
            let value_at = |state: usize| {
                let values = self.values.row(state);
                entries.iter().fold(Field::ZERO, |sum, (k, c)| f.add(sum, f.mul(*c, values[*k])))
            };
            (0..self.values.len()).map(value_at).collect()
        };
        let mut found: Vec<(Vec<Residue>, Vec<Residue>)> = Vec::new();
        let mut dependent: Vec<Vec<Residue>> = Vec::new();
        for row in 0..null.len() {
            let vector = null.row(row).to_vec();
            let values = values_of(&vector);
            if products.contains(&values) {
                dependent.push(vector);
            } else {
                products.add(&values);
                found.push((vector, values));
            }
        }
        // One found early may be a polynomial of later ones; the longest are the first to be doubted.
        let mut doubted: Vec<usize> = (0..found.len()).collect();
        doubted.sort_by_key(|k| std::cmp::Reverse(length(&found[*k].0)));
        let mut dropped = vec![false; found.len()];
        for k in doubted {
            let mut others = Products::new(f, degree, self.values.len(), FEW_PRODUCTS);
            let rest = (0..found.len()).filter(|other| *other != k && !dropped[*other]).map(|other| &found[other].1);
            known.iter().chain(rest).for_each(|values| others.add(values));
            dropped[k] = others.contains(&found[k].1);
            if dropped[k] {
                continue;
            }
            // Any other that is no polynomial of the rest stands for the same: the shortest is the simplest.
            let mut simpler: Vec<Vec<Residue>> = vec![shortened(f, &found[k].0, &dependent)];
            simpler.extend(dependent.iter().cloned());
            simpler.retain(|vector| length(vector) < length(&found[k].0));
            simpler.sort_by_key(|vector| length(vector));
            let simpler = simpler.into_iter().map(|vector| (values_of(&vector), vector));
            if let Some((values, vector)) = simpler.into_iter().find(|(values, _)| !others.contains(values)) {
                found[k] = (vector, values);
            }
        }
        debug_assert_eq!(problem.known.len() + problem.flow.trivial.len(), known.len());
        let combination = |vector: Vec<Residue>| -> Combination {
            let entries = vector.into_iter().enumerate().filter(|(_, c)| *c != Field::ZERO);
            entries.map(|(k, c)| (kept[k], c)).collect()
        };
        let vectors = found.into_iter().zip(dropped).filter(|(_, dropped)| !dropped).map(|((vector, _), _)| vector);
        (vectors.map(combination).collect(), kept.len())
    }
}

/// How many entries of a vector are not zero.
fn length(vector: &[Residue]) -> usize {
    vector.iter().filter(|c| **c != Field::ZERO).count()
}

/// A vector with multiples of others added where that leaves fewer entries: an angular momentum without the products of momenta
/// and boosts that the elimination has mixed into it.
fn shortened(f: Field, vector: &[Residue], others: &[Vec<Residue>]) -> Vec<Residue> {
    let mut best = vector.to_vec();
    loop {
        let before = length(&best);
        for other in others {
            let mut ratios: Vec<Residue> = Vec::new();
            for (entry, other) in best.iter().zip(other).filter(|(entry, _)| **entry != Field::ZERO) {
                let ratio = f.inv(*other).map(|inverse| f.neg(f.mul(*entry, inverse)));
                ratios.extend(ratio.filter(|ratio| !ratios.contains(ratio)));
            }
            for ratio in ratios {
                let candidate: Vec<Residue> =
                    best.iter().zip(other).map(|(entry, other)| f.add(*entry, f.mul(ratio, *other))).collect();
                if length(&candidate) > 0 && length(&candidate) < length(&best) {
                    best = candidate;
                }
            }
        }
        if length(&best) == before {
            break;
        }
    }
    // The last entry is one, as elimination leaves it.
    let last = best.iter().rev().find(|c| **c != Field::ZERO).and_then(|last| f.inv(*last));
    last.map_or(best.clone(), |scale| best.iter().map(|entry| f.mul(*entry, scale)).collect())
}

/// The values of all products (after a one) and their rates; `None` where one is divided by zero.
pub(super) fn rows(
    f: Field,
    products: &[GeneratorPowers],
    values: &[Residue],
    rates: &[Residue],
) -> Option<(Vec<Residue>, Vec<Residue>)> {
    let inverses: Vec<Option<Residue>> = values.iter().map(|value| f.inv(*value)).collect();
    let mut value_row = Vec::with_capacity(products.len() + 1);
    let mut rate_row = Vec::with_capacity(products.len());
    value_row.push(f.one());
    for product in products {
        let (mut value, mut rate) = (f.one(), Field::ZERO);
        for (place, power) in product {
            let (factor, growth) = match *power < 0 {
                true => {
                    let inverse = inverses[*place]?;
                    (inverse, f.neg(f.mul(rates[*place], f.mul(inverse, inverse))))
                }
                false => (values[*place], rates[*place]),
            };
            for _ in 0..power.abs() {
                rate = f.add(f.mul(rate, factor), f.mul(value, growth));
                value = f.mul(value, factor);
            }
        }
        value_row.push(value);
        rate_row.push(rate);
    }
    Some((value_row, rate_row))
}

/// Products of integrals that are taken into account.
const MOST_PRODUCTS: usize = 400;
const FEW_PRODUCTS: usize = 150;

/// The space of polynomials of integrals up to a degree, as values at states. An integral counts as of degree one: relations
/// between generators can make a product of several simpler than its factors.
struct Products {
    field: Field,
    degree: usize,
    most: usize,
    span: VectorSpace,
    products: Vec<(Vec<Residue>, usize)>,
}

impl Products {
    fn new(field: Field, degree: usize, states: usize, most: usize) -> Products {
        let one = vec![field.one(); states];
        let mut span = VectorSpace::default();
        span.insert(field, one.clone());
        Products { field, degree: degree.max(2), most, span, products: vec![(one, 0)] }
    }

    /// Adds an integral and its products with all others.
    fn add(&mut self, values: &[Residue]) {
        let f = self.field;
        let mut last = self.products.clone();
        while !last.is_empty() {
            let mut next = Vec::new();
            for (product, degree) in last {
                if degree == self.degree || self.products.len() + next.len() >= self.most {
                    continue;
                }
                let product: Vec<Residue> = product.iter().zip(values).map(|(a, b)| f.mul(*a, *b)).collect();
                if self.span.insert(f, product.clone()) {
                    next.push((product, degree + 1));
                }
            }
            self.products.extend(next.iter().cloned());
            last = next;
        }
    }

    fn contains(&self, values: &[Residue]) -> bool {
        self.span.contains(self.field, values.to_vec())
    }
}

fn degree_of(powers: &GeneratorPowers) -> u64 {
    powers.iter().map(|(_, e)| e.unsigned_abs()).sum()
}

fn degree_in_momenta(gens: &[Generator<'_>], powers: &GeneratorPowers) -> u64 {
    powers.iter().filter(|(place, _)| gens[*place].momentum.is_some()).map(|(_, e)| e.unsigned_abs()).sum()
}

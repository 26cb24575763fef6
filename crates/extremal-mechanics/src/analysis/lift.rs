//! From a null vector to an integral: coefficients as polynomials in the parameters, or as the numbers that belong to their values.

use extremal_expr::generic::{Field, Matrix, Residue};
use extremal_expr::{Expr, Node, Rational};

use super::flow::FlowSampler;
use super::generators::{Generator, GeneratorPowers, product_of};
use super::search::{FirstIntegral, IntegralTerm, SPARE_STATES, SearchProblem, most_tries, rows};

/// Unknowns of a fit of coefficients to polynomials in the parameters.
const MOST_FIT_UNKNOWNS: usize = 360;
const HIGHEST_FIT_DEGREE: usize = 6;
/// Other states than those of the search.
const FIRST_SEED: u64 = 1_000_000;

/// The integral with coefficients as expressions: polynomials in the parameters if it holds for all of their values, else the
/// numbers that belong to the given ones. `None` when these are not rational, or too long.
pub(super) fn lift<'g>(
    problem: &SearchProblem<'_, 'g>,
    gens: &[Generator<'g>],
    products: &[GeneratorPowers],
    vector: &[(usize, Residue)],
    number: usize,
) -> Option<FirstIntegral<'g>> {
    let g = problem.system.graph;
    let support: Vec<GeneratorPowers> = vector.iter().map(|(product, _)| products[*product].clone()).collect();
    let fitted = Fit::new(problem, gens, &support, problem.free).coefficients(number);
    let general = fitted.is_some();
    let coefficients = match fitted {
        Some(coefficients) => coefficients,
        None => {
            let fit = Fit::new(problem, gens, &support, &[]);
            let residues = vector.iter().map(|(_, c)| *c).collect();
            let numbers = recovered(number, residues, |f| match fit.null_space(&[Vec::new()], f)? {
                null if null.len() == 1 => Some(null.row(0).to_vec()),
                _ => None,
            });
            numbers?.into_iter().map(|c| g.rational(c)).collect()
        }
    };
    let terms = vector.iter().zip(coefficients).map(|((product, _), coefficient)| {
        let powers = &products[*product];
        let (momenta, rest): (GeneratorPowers, GeneratorPowers) =
            powers.iter().partition(|(place, _)| gens[*place].momentum.is_some());
        IntegralTerm {
            coefficient,
            momenta: momenta.iter().filter_map(|(place, e)| Some((gens[*place].momentum?, *e))).collect(),
            factor: product_of(g, gens, &rest),
            product: product_of(g, gens, powers),
        }
    });
    let terms: Vec<IntegralTerm<'g>> = normalised(terms.collect());
    let rate = g.sum(vector.iter().zip(&terms).map(|((product, _), term)| {
        let powers = &products[*product];
        let grown = powers.iter().enumerate().map(|(at, (place, e))| {
            let mut lowered = powers.clone();
            lowered[at].1 -= 1;
            gens[*place].rate * product_of(g, gens, &lowered) * *e
        });
        term.coefficient * g.sum(grown)
    }));
    Some(FirstIntegral { terms, rate, general })
}

/// Coefficients of products whose sum is conserved, as polynomials in parameters.
struct Fit<'a, 'g> {
    problem: SearchProblem<'a, 'g>,
    /// Values and rates of the generators in the products,
    functions: Vec<(Expr<'g>, Expr<'g>)>,
    /// of which these are the powers.
    support: Vec<GeneratorPowers>,
    parameters: Vec<Expr<'g>>,
}

impl<'a, 'g> Fit<'a, 'g> {
    /// Those of the parameters that occur are free.
    fn new(
        problem: &SearchProblem<'a, 'g>,
        gens: &[Generator<'g>],
        support: &[GeneratorPowers],
        free: &[Expr<'g>],
    ) -> Fit<'a, 'g> {
        let mut used: Vec<usize> = support.iter().flatten().map(|(place, _)| *place).collect();
        used.sort_unstable();
        used.dedup();
        let place_of = |place: usize| used.binary_search(&place).unwrap_or(0);
        let support: Vec<GeneratorPowers> =
            support.iter().map(|powers| powers.iter().map(|(place, e)| (place_of(*place), *e)).collect()).collect();
        let functions: Vec<(Expr<'g>, Expr<'g>)> =
            used.iter().map(|place| (gens[*place].value, gens[*place].rate)).collect();
        let sources: Vec<Expr<'g>> = functions
            .iter()
            .flat_map(|(value, rate)| [*value, *rate])
            .chain(problem.flow.equations.iter().copied())
            .chain(problem.flow.surface.iter().copied())
            .chain(problem.flow.solved.iter().map(|(_, value)| *value))
            .collect();
        let occurring = problem.system.graph.free_symbols(&sources);
        let parameters = free.iter().copied().filter(|p| occurring.contains(p)).collect();
        Fit { problem: *problem, functions, support, parameters }
    }

    /// The coefficients of the lowest degree that conserve the sum whatever the values of the parameters.
    fn coefficients(&self, number: usize) -> Option<Vec<Expr<'g>>> {
        let g = self.problem.system.graph;
        for degree in 0..=HIGHEST_FIT_DEGREE {
            let exponents = exponents_up_to(self.parameters.len(), degree);
            if exponents.len() * self.support.len() > MOST_FIT_UNKNOWNS {
                return None;
            }
            let null = self.null_space(&exponents, Field::number(number))?;
            if null.is_empty() {
                if self.parameters.is_empty() {
                    return None;
                }
                continue;
            }
            let again = |f| Some(self.null_space(&exponents, f).filter(|null| !null.is_empty())?.row(0).to_vec());
            let solution = recovered(number, null.row(0).to_vec(), again)?;
            let mut coefficients = vec![g.int(0); self.support.len()];
            for (powers, block) in exponents.iter().zip(solution.chunks(self.support.len())) {
                let weight = g.product(powers.iter().zip(&self.parameters).map(|(e, p)| p.powi(*e)));
                for (coefficient, c) in coefficients.iter_mut().zip(block) {
                    *coefficient = *coefficient + weight * g.rational(c.clone());
                }
            }
            return Some(coefficients);
        }
        None
    }

    /// The coefficients of powers of the parameters with which the sum is conserved, modulo a prime.
    fn null_space(&self, exponents: &[Vec<i64>], f: Field) -> Option<Matrix> {
        let Fit { problem, functions, support, parameters } = self;
        let zero = problem.system.graph.int(0);
        let fixed: Vec<_> = problem.fixed.iter().filter(|(p, _)| !parameters.contains(p)).cloned().collect();
        let with_parameters: Vec<_> = functions.iter().copied().chain(parameters.iter().map(|p| (*p, zero))).collect();
        let sampler = FlowSampler::new(problem.flow, &with_parameters, &fixed, f);
        let columns = exponents.len() * support.len();
        let mut matrix = Matrix::new(columns);
        let states = columns + SPARE_STATES;
        for seed in 0..most_tries(states) {
            if matrix.len() == states {
                break;
            }
            let (values, rates) = sampler.at(FIRST_SEED + seed)?;
            let (values, parameters) = values.split_at(functions.len());
            let Some((_, products)) = rows(f, support, values, &rates[..functions.len()]) else { continue };
            let mut row = Vec::with_capacity(columns);
            for powers in exponents {
                let weight =
                    powers.iter().zip(parameters).try_fold(f.one(), |w, (e, p)| Some(f.mul(w, f.pow(*p, *e)?)))?;
                row.extend(products.iter().map(|rate| f.mul(weight, *rate)));
            }
            matrix.push(&row);
        }
        (matrix.len() == states).then(|| matrix.null_space(f))
    }
}

/// The rational numbers whose residues modulo the prime `number` are these. Where they are no simple fractions, `again` finds the
/// residues modulo more primes; `None` if all of them do not suffice.
fn recovered(
    number: usize,
    residues: Vec<Residue>,
    again: impl Fn(Field) -> Option<Vec<Residue>>,
) -> Option<Vec<Rational>> {
    let mut known = vec![(Field::number(number), residues)];
    loop {
        let place = |k: usize| known.iter().map(|(f, residues)| (*f, residues[k])).collect::<Vec<_>>();
        if let Some(fractions) = (0..known[0].1.len()).map(|k| Field::common_fraction(&place(k))).collect() {
            return Some(fractions);
        }
        if known.len() == Field::COUNT {
            return None;
        }
        let f = Field::number(number + known.len());
        known.push((f, again(f)?));
    }
}

/// Exponents of the monomials in `count` variables, by degree.
fn exponents_up_to(count: usize, degree: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![0; count]];
    let mut last = all.clone();
    for _ in 0..degree {
        let mut next = Vec::new();
        for powers in &last {
            let from = powers.iter().rposition(|e| *e > 0).unwrap_or(0);
            for place in from..count {
                let mut raised = powers.clone();
                raised[place] += 1;
                next.push(raised);
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all
}

/// The terms with coprime integers for coefficients, and a plus before the last of the highest powers of a momentum.
fn normalised<'g>(mut terms: Vec<IntegralTerm<'g>>) -> Vec<IntegralTerm<'g>> {
    let Some(g) = terms.first().map(|term| term.product.graph()) else { return terms };
    // A momentum keeps its own scale, whatever fractions that leaves in the terms beside it.
    let linear = terms.iter().map(IntegralTerm::degree).max() == Some(1);
    let numbers: Vec<Rational> = terms
        .iter()
        .filter(|term| !linear || term.degree() == 1)
        .flat_map(|term| match g.expanded(term.coefficient).unwrap_or(term.coefficient).node() {
            Node::Sum { constant, terms } => {
                terms.iter().map(|(_, c)| c.clone()).chain([constant]).filter(|c| !c.is_zero()).collect()
            }
            Node::Number(value) => vec![value],
            _ => vec![Rational::ONE],
        })
        .collect();
    let numerators = numbers.iter().map(|c| c.numerator().abs()).reduce(gcd).unwrap_or(Rational::ONE);
    let denominators = numbers.iter().map(Rational::denominator).fold(Rational::ONE, |a, b| {
        let common = gcd(a.clone(), b.clone()).recip().unwrap_or(Rational::ONE);
        &(&a * &b) * &common
    });
    let scale = &denominators * &numerators.recip().unwrap_or(Rational::ONE);
    let highest = |term: &&IntegralTerm<'g>| term.momenta.iter().map(|(_, e)| *e).max().unwrap_or(0);
    let leading = terms.iter().max_by_key(highest).map(|term| match term.coefficient.node() {
        Node::Number(value) => value.is_negative(),
        Node::Sum { terms, .. } => terms[0].1.is_negative(),
        _ => false,
    });
    let scale = g.rational(if leading == Some(true) { -&scale } else { scale });
    terms
        .iter_mut()
        .for_each(|term| term.coefficient = g.expanded(term.coefficient * scale).unwrap_or(term.coefficient * scale));
    terms
}

/// The greatest common divisor of integers.
fn gcd(a: Rational, b: Rational) -> Rational {
    let Some(inverse) = b.recip() else { return a.abs() };
    match (&a * &inverse).numerator().recip() {
        Some(inverse) => (&a * &inverse).abs(),
        None => b.abs(),
    }
}

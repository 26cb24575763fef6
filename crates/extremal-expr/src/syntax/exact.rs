//! Sums and products with a bound on the length of their exact numbers: without it `sum(i, 1, 100000, 1/i)` would collect a
//! fraction of a hundred thousand bits, one slow addition at a time.

use std::sync::LazyLock;

use crate::graph::Graph;
use crate::{Expr, Id, Node, Rational};

/// Most bits of a numerator or denominator: room for every finite `f64`, and then some.
pub(super) const MAX_BITS: usize = 4096;

/// An exact number outgrew [`MAX_BITS`].
pub(super) struct Overlong;

pub(super) struct Bound {
    /// 2^[`MAX_BITS`].
    ceiling: &'static Rational,
}

/// Computed once: it takes longer than reading an expression.
static CEILING: LazyLock<Rational> = LazyLock::new(|| {
    let mut ceiling = Rational::from(2);
    for _ in 0..MAX_BITS.trailing_zeros() {
        ceiling = &ceiling * &ceiling;
    }
    ceiling
});

impl Bound {
    pub(super) fn new() -> Self {
        Bound { ceiling: &CEILING }
    }

    fn check(&self, value: Rational) -> Result<Rational, Overlong> {
        // Machine-sized numbers, nearly all of them, need no look.
        let short = value.to_parts().is_some()
            || (value.numerator().abs() < *self.ceiling && value.denominator() < *self.ceiling);
        if short { Ok(value) } else { Err(Overlong) }
    }

    /// `Σ ±summand`, and how many terms were handled.
    pub(super) fn sum<'g>(
        &self,
        graph: &'g Graph,
        summands: &[(Expr<'g>, bool)],
    ) -> Result<(Expr<'g>, usize), Overlong> {
        let mut constant = Rational::ZERO;
        let mut terms: Vec<(Id, Rational)> = Vec::with_capacity(summands.len());
        for (summand, negative) in summands {
            let sign = if *negative { Rational::MINUS_ONE } else { Rational::ONE };
            match summand.node() {
                Node::Number(value) => constant = self.check(&constant + &(&sign * &value))?,
                Node::Sum { constant: inner, terms: inner_terms } => {
                    constant = self.check(&constant + &(&sign * &inner))?;
                    terms.extend(inner_terms.iter().map(|(id, c)| (*id, &sign * c)));
                }
                _ => terms.push((summand.id(), sign)),
            }
        }
        let handled = terms.len() + summands.len();
        terms.sort_by_key(|(id, _)| *id);
        let mut merged: Vec<(Id, Rational)> = Vec::with_capacity(terms.len() + 1);
        for (id, coefficient) in terms {
            match merged.last_mut() {
                Some((last, total)) if *last == id => *total = self.check(&*total + &coefficient)?,
                _ => merged.push((id, coefficient)),
            }
        }
        let id = graph.with(|arena| {
            merged.push((arena.number(constant), Rational::ONE));
            arena.sum(merged)
        });
        Ok((graph.expr(id), handled))
    }

    /// `Π factor^±1`, and how many factors were handled. Numbers are multiplied in last, so that a product keeps its factors
    /// as they were written and only its coefficient changes.
    pub(super) fn product<'g>(
        &self,
        graph: &'g Graph,
        factors: &[(Expr<'g>, bool)],
    ) -> Result<(Expr<'g>, usize), Overlong> {
        let mut coefficient = Rational::ONE;
        let mut bases: Vec<(Id, i64)> = Vec::with_capacity(factors.len());
        let mut handled = factors.len();
        for (factor, inverse) in factors {
            let exponent = if *inverse { -1 } else { 1 };
            let (number, base) = match factor.node() {
                Node::Number(value) => (Some(value), None),
                Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => {
                    (Some(terms[0].1.clone()), Some(terms[0].0))
                }
                Node::Product(inner) => {
                    handled += inner.len();
                    (None, Some(factor.id()))
                }
                _ => (None, Some(factor.id())),
            };
            if let Some(number) = number {
                // A zero divisor has been reported before this is called.
                let number = if *inverse { number.recip().unwrap_or(Rational::ONE) } else { number };
                coefficient = self.check(&coefficient * &number)?;
            }
            bases.extend(base.map(|base| (base, exponent)));
        }
        let id = graph.with(|arena| match bases.is_empty() {
            true => arena.number(coefficient),
            false => {
                let product = arena.product(bases);
                arena.scale(product, &coefficient)
            }
        });
        Ok((graph.expr(id), handled))
    }
}

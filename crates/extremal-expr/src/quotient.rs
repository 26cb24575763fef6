//! Quotients of sums, without the factors that both sums have in common as far as these are easily seen.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::graph::{Expr, Graph};
use crate::node::Id;
use crate::rational::Rational;
use crate::simplify::{Monomial, Polynomial, accumulate, expand, merge, rebuild};

/// Terms of a quotient of polynomials; a division that has more of them is given up.
const MOST_TERMS: usize = 200;

/// `factor * numerator / denominator`, where numerator and denominator are sums whose terms have no factor in common.
#[derive(Clone, Copy, Debug)]
pub struct SumQuotient<'g> {
    /// Numbers and powers.
    pub factor: Expr<'g>,
    /// A sum, or one.
    pub numerator: Expr<'g>,
    /// A sum, or one.
    pub denominator: Expr<'g>,
}

impl<'g> SumQuotient<'g> {
    /// The quotient as an expression.
    pub fn value(self) -> Expr<'g> {
        self.factor * self.numerator / self.denominator
    }
}

impl Graph {
    /// `f` as one quotient of sums; `None` where these would be too long.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y, m) = (g.symbol("x"), g.symbol("y"), g.symbol("m"));
    /// let quotient = g.as_quotient(m / x + (m / (y / x + 1)) / x).unwrap();
    /// assert_eq!(quotient.value(), m * (x * 2 + y) / (x + y) / x);
    /// // A denominator that divides the numerator is seen.
    /// assert_eq!(g.as_quotient((x.powi(2) - y.powi(2)) / (x + y)).unwrap().value(), x - y);
    /// ```
    pub fn as_quotient<'g>(&'g self, f: Expr<'g>) -> Option<SumQuotient<'g>> {
        // f − y vanishes where N − D y does.
        let whole = self.symbol("the whole");
        let cleared = self.without_denominators(f - whole);
        let denominator = -self.gradient(cleared, &[whole])[0];
        if denominator.is_zero() || denominator.depends_on(&[whole]) {
            return None;
        }
        let numerator = cleared.substitute(&[(whole, self.int(0))]);
        let [(of_n, numerator), (of_d, denominator)] =
            [self.factored(self.simplified(numerator))?, self.factored(self.simplified(denominator))?];
        let divided = self.with(|arena| {
            let (n, d) = (expand(arena, numerator.id())?, expand(arena, denominator.id())?);
            quotient(&n, &d).map(|q| rebuild(arena, q))
        });
        let (numerator, denominator) = match divided {
            Some(divided) => (self.expr(divided), self.int(1)),
            None => (numerator, denominator),
        };
        Some(SumQuotient { factor: of_n / of_d, numerator, denominator })
    }

    /// `f` as a product of what all of its terms have in common, the sign of the first included, and the sum that remains; `None` where
    /// that would be too long.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y, m) = (g.symbol("x"), g.symbol("y"), g.symbol("m"));
    /// assert_eq!(g.factored(m * x.powi(2) * 4 + m * x * y * 6), Some((m * x * 2, x * 2 + y * 3)));
    /// ```
    pub fn factored<'g>(&'g self, f: Expr<'g>) -> Option<(Expr<'g>, Expr<'g>)> {
        let (factor, rest) = self.with(|arena| {
            let p = expand(arena, f.id())?;
            let Some((common, coefficient)) = content(&p) else { return Some((arena.int(0), arena.int(1))) };
            let rest = divided_by_monomial(&p, &common, &coefficient)?;
            let factor = Polynomial::from([(common, coefficient)]);
            Some((rebuild(arena, factor), rebuild(arena, rest)))
        })?;
        Some((self.expr(factor), self.expr(rest)))
    }
}

/// The least power of every atom, and the greatest common divisor of the coefficients with the sign of the first; `None` for zero.
fn content(p: &Polynomial) -> Option<(Monomial, Rational)> {
    let (first, coefficient) = p.first_key_value()?;
    let mut least: BTreeMap<Id, i64> = first.iter().copied().collect();
    for monomial in p.keys() {
        let exponents: BTreeMap<Id, i64> = monomial.iter().copied().collect();
        // An atom that this monomial lacks has the exponent zero in it.
        least.iter_mut().for_each(|(atom, e)| *e = (*e).min(exponents.get(atom).copied().unwrap_or(0)));
        exponents.iter().filter(|(_, e)| **e < 0).for_each(|(atom, e)| {
            let known = least.entry(*atom).or_insert(0);
            *known = (*known).min(*e);
        });
    }
    let common: Monomial = least.into_iter().filter(|(_, e)| *e != 0).collect();
    let divisor = p.values().try_fold(Rational::from(0), |divisor, c| common_divisor(&divisor, &c.abs()))?;
    Some((common, if coefficient.is_negative() { -&divisor } else { divisor }))
}

/// The largest number of which both are integer multiples.
fn common_divisor(a: &Rational, b: &Rational) -> Option<Rational> {
    let ((n, d), (m, e)) = (a.to_parts()?, b.to_parts()?);
    fn of_integers(mut a: i64, mut b: i64) -> i64 {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    let (left, right) = (n.checked_mul(e)?, m.checked_mul(d)?);
    Rational::new(of_integers(left, right), d.checked_mul(e)?)
}

fn divided_by_monomial(p: &Polynomial, monomial: &Monomial, coefficient: &Rational) -> Option<Polynomial> {
    let inverse: Monomial = monomial.iter().map(|(atom, e)| (*atom, -e)).collect();
    let scale = coefficient.recip()?;
    Some(p.iter().map(|(m, c)| (merge(m, &inverse), c * &scale)).collect())
}

/// `n/d` where `d` divides `n`.
fn quotient(n: &Polynomial, d: &Polynomial) -> Option<Polynomial> {
    let (lead, scale) = leading(d)?;
    let inverse: Monomial = lead.iter().map(|(atom, e)| (*atom, -e)).collect();
    let scale = scale.recip()?;
    let (mut rest, mut quotient) = (n.clone(), Polynomial::new());
    while let Some((monomial, coefficient)) = leading(&rest) {
        let term = merge(&monomial, &inverse);
        if term.iter().any(|(_, e)| *e < 0) || quotient.len() >= MOST_TERMS {
            return None;
        }
        let factor = &coefficient * &scale;
        for (m, c) in d {
            accumulate(&mut rest, merge(m, &term), -&(c * &factor));
        }
        quotient.insert(term, factor);
    }
    Some(quotient)
}

/// The term that comes last in the lexicographic order of exponents, by atom.
fn leading(p: &Polynomial) -> Option<(Monomial, Rational)> {
    p.iter().max_by(|(a, _), (b, _)| lexicographic(a, b)).map(|(m, c)| (m.clone(), c.clone()))
}

/// Compares exponents atom by atom; both are sorted by atom.
fn lexicographic(a: &Monomial, b: &Monomial) -> Ordering {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (None, None) => return Ordering::Equal,
            (Some((_, e)), None) => return e.cmp(&0),
            (None, Some((_, e))) => return 0.cmp(e),
            (Some((x, e)), Some((y, f))) => match x.cmp(y) {
                Ordering::Less => return e.cmp(&0),
                Ordering::Greater => return 0.cmp(f),
                Ordering::Equal if e != f => return e.cmp(f),
                Ordering::Equal => {
                    a.next();
                    b.next();
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_have_their_value() {
        let g = Graph::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| g.symbol(name));
        let sum = x * 3 + y.powi(2) - z;
        for f in [
            sum.powi(3) / sum,
            (sum * x - sum * y) / (x - y),
            x / (y + x / (z + y / 2)) - x / 3,
            (x.sin().powi(2) * y + x.cos().powi(2) * y) / (z * y),
            g.int(0),
            x.powi(-2) * y - x.powi(-1) * z,
        ] {
            let quotient = g.as_quotient(f).unwrap();
            assert_eq!(g.vanishes(quotient.value() - f, &[]), Some(true), "{f} is not {}", quotient.value());
        }
        assert_eq!(g.as_quotient((x.sin().powi(2) * y + x.cos().powi(2) * y) / (z * y)).unwrap().value(), z.powi(-1));
        let by_division = g.as_quotient(((sum * x - sum * y) / (x - y)).grouped() / 1).unwrap();
        assert_eq!(by_division.denominator, g.int(1));
    }

    #[test]
    fn what_does_not_divide_stays() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let quotient = g.as_quotient((x.powi(2) + y) / (x + y)).unwrap();
        assert_eq!((quotient.numerator, quotient.denominator), (x.powi(2) + y, x + y));
    }
}

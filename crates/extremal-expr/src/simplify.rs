//! Simplification for readers: expansion to a sum of monomials and the trigonometric identities that shorten it.
//!
//! Construction keeps expressions as they were written, which is usually the cheapest form to evaluate. What a person wants to
//! read is often the expanded form after sin² + cos² = 1 and the addition theorems; [`Graph::simplified`] tries it and keeps the
//! shorter of the two. All identities used hold for every real argument.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::build::Arena;
use crate::function::Function;
use crate::graph::{Expr, Graph};
use crate::node::{Id, Node};
use crate::rational::Rational;

/// `Π atom^exponent`, sorted by atom.
pub(crate) type Monomial = Vec<(Id, i64)>;
/// A polynomial in atoms: everything that is neither a sum nor a product.
pub(crate) type Polynomial = BTreeMap<Monomial, Rational>;

/// Expansions larger than this are given up: nobody reads them.
const MAX_MONOMIALS: usize = 500;
/// Powers of sums beyond this stay powers.
const MAX_POWER: i64 = 8;

impl Graph {
    /// The shorter of `f` and its expansion with trigonometric identities applied.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (r, a) = (g.symbol("r"), g.symbol("a"));
    /// let square = (r * a.sin()).powi(2) + (r * a.cos()).powi(2);
    /// assert_eq!(g.simplified(square), r.powi(2));
    /// ```
    pub fn simplified<'g>(&'g self, f: Expr<'g>) -> Expr<'g> {
        if matches!(self.arena().node(f.id()), Node::Number(_) | Node::Symbol(_)) {
            return f;
        }
        self.shorter(self.with_simplified_denominators(f))
    }

    /// `f` with the sums in its denominators simplified, innermost first.
    fn with_simplified_denominators<'g>(&'g self, f: Expr<'g>) -> Expr<'g> {
        let denominators: Vec<Id> = {
            let arena = self.arena();
            let mut found = Vec::new();
            for id in arena.reachable([f.id()]) {
                if let Node::Product(factors) = arena.node(id) {
                    let below = factors.iter().filter(|(_, e)| *e < 0).map(|(base, _)| *base);
                    found.extend(below.filter(|base| matches!(arena.node(*base), Node::Sum { .. })));
                }
            }
            found.sort_unstable();
            found.dedup();
            found
        };
        let mut rules: Vec<(Expr<'g>, Expr<'g>)> = Vec::new();
        for id in denominators {
            let written = self.expr(id);
            let short = self.shorter(written.substitute(&rules));
            rules.push((written, short));
        }
        f.substitute(&rules)
    }

    /// The shorter of `f` and its expansion with trigonometric identities applied.
    fn shorter<'g>(&'g self, f: Expr<'g>) -> Expr<'g> {
        let candidate = self.with(|arena| {
            let shortened = trigonometric(arena, expand(arena, f.id())?);
            Some(rebuild(arena, shortened))
        });
        let Some(candidate) = candidate.map(|id| self.expr(id)) else { return f };
        if self.length(candidate) < self.length(f) { candidate } else { f }
    }

    /// `f` as a sum of monomials, or `None` when that would be too long.
    pub fn expanded<'g>(&'g self, f: Expr<'g>) -> Option<Expr<'g>> {
        let id = self.with(|arena| expand(arena, f.id()).map(|p| rebuild(arena, p)))?;
        Some(self.expr(id))
    }

    /// How long an expression is when written out, saturating: shared parts count as often as they occur.
    fn length(&self, f: Expr<'_>) -> u64 {
        self.lengths(&[f]).0[&f.id()]
    }
}

pub(crate) fn expand(arena: &Arena, root: Id) -> Option<Polynomial> {
    expand_within(arena, root, MAX_MONOMIALS)
}

/// The same with another bound on the number of monomials.
pub(crate) fn expand_within(arena: &Arena, root: Id, most: usize) -> Option<Polynomial> {
    let mut done: FxHashMap<Id, Polynomial> = FxHashMap::default();
    for id in arithmetic_below(arena, root) {
        let polynomial = match arena.node(id) {
            Node::Sum { constant, terms } => {
                let mut sum = Polynomial::new();
                accumulate(&mut sum, Monomial::new(), constant.clone());
                for (term, c) in terms.iter() {
                    match done.get(term) {
                        Some(p) => p.iter().for_each(|(m, k)| accumulate(&mut sum, m.clone(), k * c)),
                        None => accumulate(&mut sum, vec![(*term, 1)], c.clone()),
                    }
                }
                sum
            }
            Node::Product(factors) => {
                let mut product = Polynomial::from([(Monomial::new(), Rational::ONE)]);
                for (base, exponent) in factors.iter() {
                    match done.get(base).filter(|_| (1..=MAX_POWER).contains(exponent)) {
                        Some(p) => {
                            for _ in 0..*exponent {
                                product = multiply(&product, p, most)?;
                            }
                        }
                        None => {
                            let power = Polynomial::from([(vec![(*base, *exponent)], Rational::ONE)]);
                            product = multiply(&product, &power, most)?
                        }
                    }
                }
                product
            }
            _ => continue,
        };
        if polynomial.len() > most {
            return None;
        }
        done.insert(id, polynomial);
    }
    let mut alone = Polynomial::new();
    match arena.node(root) {
        Node::Number(value) => accumulate(&mut alone, Monomial::new(), value.clone()),
        _ => accumulate(&mut alone, vec![(root, 1)], Rational::ONE),
    }
    Some(done.remove(&root).unwrap_or(alone))
}

/// The sums and products reached from `root` through sums and products only, ascending.
fn arithmetic_below(arena: &Arena, root: Id) -> Vec<Id> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![root];
    while let Some(id) = stack.pop() {
        if matches!(arena.node(id), Node::Sum { .. } | Node::Product(_)) && seen.insert(id) {
            arena.node(id).for_each_child(|child| stack.push(child));
        }
    }
    let mut found: Vec<Id> = seen.into_iter().collect();
    found.sort_unstable();
    found
}

pub(crate) fn accumulate(into: &mut Polynomial, monomial: Monomial, coefficient: Rational) {
    if coefficient.is_zero() {
        return;
    }
    let total = match into.get(&monomial) {
        Some(present) => present + &coefficient,
        None => coefficient,
    };
    if total.is_zero() {
        into.remove(&monomial);
    } else {
        into.insert(monomial, total);
    }
}

pub(crate) fn multiply(a: &Polynomial, b: &Polynomial, most: usize) -> Option<Polynomial> {
    if a.len() * b.len() > 4 * most {
        return None;
    }
    let mut product = Polynomial::new();
    for (m, c) in a {
        for (n, d) in b {
            accumulate(&mut product, merge(m, n), c * d);
        }
    }
    Some(product)
}

pub(crate) fn merge(a: &[(Id, i64)], b: &[(Id, i64)]) -> Monomial {
    let mut merged: BTreeMap<Id, i64> = a.iter().copied().collect();
    for (atom, exponent) in b {
        *merged.entry(*atom).or_insert(0) += exponent;
    }
    merged.into_iter().filter(|(_, e)| *e != 0).collect()
}

pub(crate) fn rebuild(arena: &mut Arena, polynomial: Polynomial) -> Id {
    let terms: Vec<_> = polynomial.into_iter().map(|(m, c)| (arena.product(m), c)).collect();
    arena.sum(terms)
}

/// Applies identities that replace two monomials by one, until none applies.
fn trigonometric(arena: &mut Arena, mut p: Polynomial) -> Polynomial {
    while let Some((first, second, coefficient, replacement)) = shortening(arena, &p) {
        p.remove(&first);
        p.remove(&second);
        accumulate(&mut p, replacement, coefficient);
    }
    p
}

/// Two monomials of `p` that an identity turns into one.
fn shortening(arena: &mut Arena, p: &Polynomial) -> Option<(Monomial, Monomial, Rational, Monomial)> {
    let monomials: Vec<(Monomial, Rational)> = p.iter().map(|(m, c)| (m.clone(), c.clone())).collect();
    for (m, c) in &monomials {
        let waves: Vec<(Function, Id, Id, i64)> = m
            .iter()
            .filter_map(|(atom, e)| match arena.node(*atom) {
                Node::Call(f @ (Function::Sin | Function::Cos), u) if *e > 0 => Some((*f, *u, *atom, *e)),
                _ => None,
            })
            .collect();
        for (i, (f, u, atom, e)) in waves.iter().enumerate() {
            if *e >= 2 {
                // c r sin² + c r cos² = c r, and c r − c r sin² = c r cos².
                let rest = merge(m, &[(*atom, -2)]);
                let partner_function = if *f == Function::Sin { Function::Cos } else { Function::Sin };
                let other = arena.call(partner_function, *u);
                let partner = merge(&rest, &[(other, 2)]);
                if p.get(&partner) == Some(c) {
                    return Some((m.clone(), partner, c.clone(), rest));
                }
                if p.get(&rest) == Some(&-c) {
                    return Some((m.clone(), rest, -c, partner));
                }
            }
            for (g, w, other, _) in &waves[i + 1..] {
                if w == u {
                    continue;
                }
                // cos u cos w ± sin u sin w = cos(u ∓ w); sin u cos w ± cos u sin w = sin(u ± w).
                let rest = merge(m, &[(*atom, -1), (*other, -1)]);
                let flip = |f: Function| if f == Function::Sin { Function::Cos } else { Function::Sin };
                let (fu, gw) = (arena.call(flip(*f), *u), arena.call(flip(*g), *w));
                let partner = merge(&rest, &[(fu, 1), (gw, 1)]);
                let Some(d) = p.get(&partner) else { continue };
                let same = d == c;
                if !same && *d != -c {
                    continue;
                }
                let (function, combined, coefficient) = match (f, g) {
                    (Function::Cos, Function::Cos) | (Function::Sin, Function::Sin) => {
                        let argument = if same { arena.sub(*u, *w) } else { arena.add(*u, *w) };
                        let sign = if !same && *f == Function::Sin { -c } else { c.clone() };
                        (Function::Cos, argument, sign)
                    }
                    (Function::Sin, _) => {
                        let argument = if same { arena.add(*u, *w) } else { arena.sub(*u, *w) };
                        (Function::Sin, argument, c.clone())
                    }
                    _ => {
                        let argument = if same { arena.add(*u, *w) } else { arena.sub(*w, *u) };
                        (Function::Sin, argument, c.clone())
                    }
                };
                let wave = arena.call(function, combined);
                // The call may come back negated (odd function, canonical sign): fold the sign into the coefficient.
                let (atom, coefficient) = match arena.node(wave).clone() {
                    Node::Sum { terms, .. } if terms.len() == 1 => (terms[0].0, &coefficient * &terms[0].1),
                    Node::Call(..) => (wave, coefficient),
                    _ => continue,
                };
                return Some((m.clone(), partner, coefficient, merge(&rest, &[(atom, 1)])));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addition_theorems_keep_the_value() {
        let g = Graph::new();
        let (a, b, r) = (g.symbol("a"), g.symbol("b"), g.symbol("r"));
        let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
        let cases = [
            (r * ca * cb + r * sa * sb, r * (a - b).cos()),
            (r * ca * cb - r * sa * sb, r * (a + b).cos()),
            (sa * sb * r - ca * cb * r, -(r * (a + b).cos())),
            (sa * cb * 3 + ca * sb * 3, (a + b).sin() * 3),
            (ca * sb - sa * cb, (b - a).sin()),
            (g.int(1) - sa.powi(2), ca.powi(2)),
            (r * sa.powi(2) + r * ca.powi(2) + b, r + b),
            (b / (r * sa.powi(2) + r * ca.powi(2)), b / r),
            ((r * ca + b).powi(2) + (r * sa).powi(2) - r.powi(2) - b.powi(2), r * b * ca * 2),
        ];
        let value = |name: &str| {
            Some(match name {
                "a" => 0.7,
                "b" => -1.3,
                _ => 2.1,
            })
        };
        for (written, expected) in cases {
            let simplified = g.simplified(written);
            assert_eq!(simplified, expected);
            let [x, y] = g.evaluate(&[written, simplified], value)[..] else { unreachable!() };
            // A handful of terms below 10, each with a few roundings.
            assert!((x - y).abs() < 1e-14);
        }
    }

    #[test]
    fn what_does_not_get_shorter_stays() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let power = (x + y).powi(7);
        assert_eq!(g.simplified(power), power);
        assert_eq!(g.expanded((x + y).powi(2)), Some(x.powi(2) + x * y * 2 + y.powi(2)));
        let z = g.symbol("z");
        assert_eq!(g.expanded((x + y + z + 1).powi(8) * (x * y + z + 3).powi(8)), None);
    }
}

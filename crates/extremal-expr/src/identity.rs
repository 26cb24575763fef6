//! Proofs that an expression is zero: a normal form for polynomials in symbols, roots, waves and exponentials.

use std::collections::BTreeMap;

use crate::build::Arena;
use crate::function::{Algebra, Exponential, Function, Wave};
use crate::graph::{Expr, Graph};
use crate::node::{Id, Node};
use crate::rational::{Rational, lcm};
use crate::simplify::{Monomial, Polynomial, accumulate, expand, expand_within, merge, multiply, rebuild};

/// Longer intermediate results end a proof.
const MOST_MONOMIALS: usize = 20_000;
/// Rounds of rewriting; nested roots and quotients take one each.
const MOST_ROUNDS: usize = 24;
/// Multiples of angles and exponents that are written out.
const HIGHEST_MULTIPLE: i64 = 12;

impl Graph {
    /// Is `f` zero by the rules of algebra, with `r^q = a` for a root, `sin² + cos² = 1`, the addition theorems and
    /// `exp(a + b) = exp(a) exp(b)`? True is a proof, wherever `f` is defined; false means that none was found.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// let r = (x.powi(2) + y.powi(2)).sqrt();
    /// assert!(g.proves_zero(x.powi(2) / r.powi(3) + y.powi(2) / r.powi(3) - r.powi(-1)));
    /// assert!(g.proves_zero((x + y).sin() - x.sin() * y.cos() - x.cos() * y.sin()));
    /// assert!(!g.proves_zero(x - y));
    /// ```
    pub fn proves_zero(&self, f: Expr<'_>) -> bool {
        let f = self.with_elementary_arguments(self.expr(f.id()));
        self.with(|arena| expand_within(arena, f.id(), MOST_MONOMIALS).and_then(|p| normal(arena, p)))
            .is_some_and(|p| p.is_empty())
    }

    /// `f` times its denominators: zero where `f` is, shorter to read. `f` itself where that would be too long.
    ///
    /// ```
    /// # use extremal_expr::Graph;
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// assert_eq!(g.without_denominators(x / (x + y) - y / x), x.powi(2) - x * y - y.powi(2));
    /// ```
    pub fn without_denominators<'g>(&'g self, f: Expr<'g>) -> Expr<'g> {
        let cleared = self.with(|arena| {
            let mut p = expand_within(arena, f.id(), MOST_MONOMIALS)?;
            for _ in 0..MOST_ROUNDS {
                p = without_negative_powers(&p);
                let sums = p.keys().flatten().map(|(atom, _)| *atom);
                let Some(sum) = sums.filter(|atom| matches!(arena.node(*atom), Node::Sum { .. })).max() else {
                    return Some(rebuild(arena, p));
                };
                let expanded = expand_within(arena, sum, MOST_MONOMIALS)?;
                p = rewritten(&p, sum, 1, &expanded)?;
            }
            None
        });
        cleared.map_or(f, |id| self.expr(id))
    }

    /// `f` with waves and exponentials of sums written by those of their terms.
    fn with_elementary_arguments<'g>(&'g self, f: Expr<'g>) -> Expr<'g> {
        let (mut waves, mut exponentials) = (ArgumentMonomials::default(), ArgumentMonomials::default());
        let calls: Vec<(Id, Algebra, Id)> = {
            let arena = self.arena();
            let calls = arena.reachable([f.id()]).into_iter().filter_map(|id| match arena.node(id) {
                Node::Call(function, u) => Some((id, function.algebra(), *u)),
                _ => None,
            });
            calls.collect()
        };
        for (_, algebra, u) in &calls {
            match algebra {
                Algebra::Wave(_) => waves.add(&self.arena(), *u),
                Algebra::Exponential(_) => exponentials.add(&self.arena(), *u),
                Algebra::CubeRoot | Algebra::Absolute | Algebra::Sign | Algebra::Unknown => {}
            }
        }
        let mut rules = self.shifted_powers(f);
        for (id, algebra, u) in calls {
            let image = match algebra {
                Algebra::Wave(kind) => waves.terms(self, u).map(|terms| wave(self, kind, &terms)),
                Algebra::Exponential(kind) => exponentials.terms(self, u).map(|terms| exponential(self, kind, &terms)),
                Algebra::CubeRoot | Algebra::Absolute | Algebra::Sign | Algebra::Unknown => None,
            };
            rules.extend(image.map(|image| (self.expr(id), image)));
        }
        f.substitute(&rules)
    }

    /// Rules `a^(b + k) = a^b a^k` for powers with an integer in a symbolic exponent.
    fn shifted_powers<'g>(&'g self, f: Expr<'g>) -> Vec<(Expr<'g>, Expr<'g>)> {
        let mut rules = Vec::new();
        for id in self.reachable(&[f.id()]) {
            let power = self.expr(id);
            if let Node::Power(a, b) = power.node()
                && let Node::Sum { constant, .. } = self.expr(b).node()
                && let whole = constant.to_f64().floor() as i64
                && whole != 0
            {
                let a = self.expr(a);
                rules.push((power, a.pow(self.expr(b) - whole) * a.powi(whole)));
            }
        }
        rules
    }
}

/// The monomials in the arguments of one family of functions, with the common denominators of their coefficients.
#[derive(Default)]
struct ArgumentMonomials {
    denominators: BTreeMap<Monomial, i64>,
    polynomials: BTreeMap<Id, Polynomial>,
}

impl ArgumentMonomials {
    fn add(&mut self, arena: &Arena, argument: Id) {
        let Some(polynomial) = expand(arena, argument) else { return };
        let parts = |c: &Rational| c.to_parts().filter(|(n, d)| n.abs() <= HIGHEST_MULTIPLE && *d <= HIGHEST_MULTIPLE);
        if polynomial.values().any(|c| parts(c).is_none()) {
            return;
        }
        for (monomial, c) in &polynomial {
            let (_, d) = parts(c).unwrap_or((1, 1));
            let common = self.denominators.entry(monomial.clone()).or_insert(1);
            *common = lcm(*common, d);
        }
        self.polynomials.insert(argument, polynomial);
    }

    /// The argument as integer multiples of elementary ones.
    fn terms<'g>(&self, g: &'g Graph, argument: Id) -> Option<Vec<(Expr<'g>, i64)>> {
        let polynomial = self.polynomials.get(&argument)?;
        let terms = polynomial.iter().map(|(monomial, c)| {
            let common = self.denominators[monomial];
            let (n, d) = c.to_parts()?;
            let multiple = n * (common / d);
            let base = g.product(monomial.iter().map(|(atom, e)| g.expr(*atom).powi(*e))) / common;
            (multiple.abs() <= HIGHEST_MULTIPLE).then_some((base, multiple))
        });
        terms.collect()
    }
}

fn wave<'g>(g: &'g Graph, function: Wave, terms: &[(Expr<'g>, i64)]) -> Expr<'g> {
    let (mut c, mut s) = (g.int(1), g.int(0));
    for (angle, multiple) in terms {
        let (cos, sin) = (angle.cos(), if *multiple < 0 { -angle.sin() } else { angle.sin() });
        for _ in 0..multiple.abs() {
            (c, s) = (c * cos - s * sin, s * cos + c * sin);
        }
    }
    match function {
        Wave::Sin => s,
        Wave::Cos => c,
        Wave::Tan => s / c,
    }
}

fn exponential<'g>(g: &'g Graph, function: Exponential, terms: &[(Expr<'g>, i64)]) -> Expr<'g> {
    let e = g.product(terms.iter().map(|(exponent, multiple)| exponent.exp().powi(*multiple)));
    let (sum, difference) = (e + e.powi(-1), e - e.powi(-1));
    match function {
        Exponential::Exp => e,
        Exponential::Cosh => sum / 2,
        Exponential::Sinh => difference / 2,
        Exponential::Tanh => difference / sum,
    }
}

/// Rewrites until no rule applies: no negative powers, no sums as atoms, no root to its own order, no sine squared.
fn normal(arena: &mut Arena, mut p: Polynomial) -> Option<Polynomial> {
    for _ in 0..MOST_ROUNDS {
        p = without_common_powers(&p);
        let Some((atom, order)) = reducible(arena, &p) else { return Some(p) };
        let replacement = replacement(arena, atom)?;
        p = rewritten(&p, atom, order, &replacement)?;
    }
    None
}

/// Multiplies by the highest power of every atom that divides.
fn without_negative_powers(p: &Polynomial) -> Polynomial {
    let mut highest: BTreeMap<Id, i64> = BTreeMap::new();
    for (atom, e) in p.keys().flatten().filter(|(_, e)| *e < 0) {
        let known = highest.entry(*atom).or_insert(0);
        *known = (*known).max(-e);
    }
    let factor: Monomial = highest.into_iter().collect();
    p.iter().map(|(monomial, c)| (merge(monomial, &factor), c.clone())).collect()
}

/// Divides by the smallest power of every atom, so that no exponent is negative: what is zero stays so, and nothing else is.
fn without_common_powers(p: &Polynomial) -> Polynomial {
    let mut least: BTreeMap<Id, i64> = BTreeMap::new();
    for (index, monomial) in p.keys().enumerate() {
        for (atom, e) in monomial {
            let known = least.entry(*atom).or_insert(if index == 0 { *e } else { 0.min(*e) });
            *known = (*known).min(*e);
        }
        for (atom, known) in &mut least {
            if monomial.iter().all(|(other, _)| other != atom) {
                *known = (*known).min(0);
            }
        }
    }
    let divisor: Monomial = least.into_iter().filter(|(_, e)| *e != 0).map(|(atom, e)| (atom, -e)).collect();
    p.iter().map(|(monomial, c)| (merge(monomial, &divisor), c.clone())).collect()
}

/// An atom of which some power, at least the one returned, has another form.
fn reducible(arena: &Arena, p: &Polynomial) -> Option<(Id, i64)> {
    // The newest first: what it is made of may be reducible in turn.
    let mut found: Option<(Id, i64)> = None;
    for (atom, e) in p.keys().flatten() {
        let order = match arena.node(*atom) {
            Node::Sum { .. } | Node::Product(_) => 1,
            Node::Root(_, q) => i64::from(*q),
            Node::Call(Function::Sin | Function::Abs, _) => 2,
            Node::Call(Function::Cbrt, _) => 3,
            _ => continue,
        };
        if *e >= order && found.is_none_or(|(other, _)| *atom > other) {
            found = Some((*atom, order));
        }
    }
    found
}

/// What the reducible power of the atom is.
fn replacement(arena: &mut Arena, atom: Id) -> Option<Polynomial> {
    match *arena.node(atom) {
        Node::Root(base, _) | Node::Call(Function::Cbrt, base) => expand_within(arena, base, MOST_MONOMIALS),
        Node::Call(Function::Abs, base) => {
            let base = expand_within(arena, base, MOST_MONOMIALS)?;
            multiply(&base, &base, MOST_MONOMIALS)
        }
        Node::Call(Function::Sin, u) => {
            let cos = arena.call(Function::Cos, u);
            Some(Polynomial::from([(Monomial::new(), Rational::ONE), (vec![(cos, 2)], Rational::MINUS_ONE)]))
        }
        _ => expand_within(arena, atom, MOST_MONOMIALS),
    }
}

fn rewritten(p: &Polynomial, atom: Id, order: i64, by: &Polynomial) -> Option<Polynomial> {
    let mut groups: BTreeMap<i64, Polynomial> = BTreeMap::new();
    for (monomial, c) in p {
        let e = monomial.iter().find(|(other, _)| *other == atom).map_or(0, |(_, e)| *e);
        let times = e.div_euclid(order);
        let rest = merge(monomial, &[(atom, -times * order)]);
        accumulate(groups.entry(times).or_default(), rest, c.clone());
    }
    let mut sum = Polynomial::new();
    let mut power = Polynomial::from([(Monomial::new(), Rational::ONE)]);
    let mut reached = 0;
    for (times, group) in groups {
        while reached < times {
            power = multiply(&power, by, MOST_MONOMIALS)?;
            reached += 1;
        }
        for (monomial, c) in multiply(&group, &power, MOST_MONOMIALS)? {
            accumulate(&mut sum, monomial, c);
        }
        if sum.len() > MOST_MONOMIALS {
            return None;
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_found_and_falsehoods_are_not_proved() {
        let g = Graph::new();
        let [x, y, z, t, w] = ["x", "y", "z", "t", "w"].map(|name| g.symbol(name));
        let r = (x.powi(2) + y.powi(2)).sqrt();
        let true_ones = [
            (x + y).powi(3) - x.powi(3) - y.powi(3) - x * y * (x + y) * 3,
            (x + y).powi(-1) - (x - y) / (x.powi(2) - y.powi(2)),
            r.powi(3) / (x.powi(2) + y.powi(2)) - r,
            (x * 3).sin() - x.sin() * 3 + x.sin().powi(3) * 4,
            (x / 2).cos().powi(2) * 2 - 1 - x.cos(),
            (w * t + x).cos() - (w * t).cos() * x.cos() + (w * t).sin() * x.sin(),
            (x - y).exp() * (y - z).exp() * (z - x).exp() - 1,
            x.call(Function::Tanh) * x.call(Function::Cosh) - x.call(Function::Sinh),
            x.call(Function::Tan) * x.cos() - x.sin(),
            (r + x).powi(-1) - (r - x) / y.powi(2),
            g.gradient(x.pow(w), &[x])[0] * x - w * x.pow(w),
        ];
        for f in true_ones {
            assert!(g.proves_zero(f), "{f}");
        }
        let false_ones = [r - x, (x * 2).sin() - x.sin() * 2, (x + y).exp() - x.exp() - y.exp(), x.abs() - x];
        for f in false_ones {
            assert!(!g.proves_zero(f), "{f}");
        }
    }
}

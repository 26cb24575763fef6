//! The size of the terms of an expression: what round-off in it is relative to.

use rustc_hash::FxHashMap;

use crate::{Expr, Function, Id, Node};

/// Sums inside sums, down to this depth: differences of accelerations under products, in the second derivative of a constraint, are
/// the deepest that matter.
const DEPTH: u32 = 5;

/// `Σ |term|` of a sum, also inside products of sums, to a small depth: a residual is "zero" when it is a few ε below this.
/// Functions that round-off in their arguments may change by more than round-off in their values, as the sine of an angle after
/// many turns or the logarithm of a number near one, count with that change.
///
/// ```
/// # use extremal_expr::{Graph, magnitude};
/// let g = Graph::new();
/// let (x, y) = (g.symbol("x"), g.symbol("y"));
/// assert_eq!(magnitude(x * y - x), x.abs() * y.abs() + x.abs());
/// ```
pub fn magnitude(f: Expr<'_>) -> Expr<'_> {
    Sizes::new(Measure::Terms).of(f, DEPTH)
}

/// The same of many expressions, which may share what they are made of.
pub fn magnitudes<'g>(list: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut sizes = Sizes::new(Measure::Terms);
    list.iter().map(|f| sizes.of(*f, DEPTH)).collect()
}

/// What round-off makes of each expression, in units of ε and to first order: that of one factor of a product counts by what the others
/// are, not by the size of their terms. The square of a difference of two numbers that are far from zero is known that much better.
///
/// ```
/// # use extremal_expr::{Graph, round_offs};
/// let g = Graph::new();
/// let (x, y) = (g.symbol("x"), g.symbol("y"));
/// assert_eq!(round_offs(&[(x - y).powi(2)])[0], (x - y).abs() * (x.abs() + y.abs()) * 2);
/// ```
pub fn round_offs<'g>(list: &[Expr<'g>]) -> Vec<Expr<'g>> {
    let mut sizes = Sizes::new(Measure::FirstOrder);
    list.iter().map(|f| sizes.of(*f, DEPTH)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Products of the sizes of factors.
    Terms,
    /// The size of one factor at a time.
    FirstOrder,
}

/// Sizes of expressions, each found once for each depth.
struct Sizes<'g> {
    measure: Measure,
    known: FxHashMap<(Id, u32), Expr<'g>>,
}

impl<'g> Sizes<'g> {
    fn new(measure: Measure) -> Self {
        Sizes { measure, known: FxHashMap::default() }
    }

    fn of(&mut self, f: Expr<'g>, depth: u32) -> Expr<'g> {
        if let Some(known) = self.known.get(&(f.id(), depth)) {
            return *known;
        }
        let g = f.graph();
        let size = match f.node() {
            Node::Sum { constant, terms } if depth > 0 => {
                let sizes = terms.iter().map(|(id, c)| self.of(g.expr(*id), depth - 1) * g.rational(c.abs()));
                g.sum(sizes.chain([g.rational(constant.abs())]))
            }
            Node::Grouped(inner) => self.of_whole(f, g.expr(inner), depth),
            Node::Product(factors) if depth > 0 => match self.measure {
                Measure::Terms => g.product(factors.iter().map(|(id, e)| match *e > 0 {
                    true => self.of(g.expr(*id), depth - 1).powi(*e),
                    false => g.expr(*id).powi(*e).abs(),
                })),
                Measure::FirstOrder => self.factor_by_factor(f, &factors, depth - 1),
            },
            Node::Call(function @ (Function::Sin | Function::Cos | Function::Exp | Function::Log), argument)
                if depth > 0 =>
            {
                let size = self.of(g.expr(argument), depth - 1);
                let slope = g.with(|arena| function.slope(arena, argument, f.id()));
                g.sum([(g.expr(slope) * size).abs(), f.abs()])
            }
            _ => f.abs(),
        };
        self.known.insert((f.id(), depth), size);
        size
    }

    /// Of a sum that is a whole. One that is written by others ([`Graph::nested_sums`]) has the size of all their terms, and is as
    /// much of a whole: sizes of sums along a chain are sums along it.
    fn of_whole(&mut self, f: Expr<'g>, inner: Expr<'g>, depth: u32) -> Expr<'g> {
        let g = f.graph();
        let mut waiting = vec![(f, inner)];
        loop {
            // From the innermost outwards, for there may be as many as the user has bodies.
            let Some(&(whole, sum)) = waiting.last() else { return self.known[&(f.id(), depth)] };
            let Node::Sum { constant, terms } = sum.node() else { return self.of(inner, depth) };
            let parts = terms.iter().filter_map(|(id, c)| match g.expr(*id).node() {
                Node::Grouped(inside) if c.abs().is_one() => Some((g.expr(*id), g.expr(inside))),
                _ => None,
            });
            let parts: Vec<_> = parts.collect();
            if parts.is_empty() || depth == 0 {
                let size = self.of(sum, depth);
                self.known.insert((whole.id(), depth), size);
                waiting.pop();
                continue;
            }
            let before = waiting.len();
            waiting.extend(parts.iter().filter(|(part, _)| !self.known.contains_key(&(part.id(), depth))));
            if waiting.len() > before {
                continue;
            }
            let is_part = |id: &Id| parts.iter().any(|(part, _)| part.id() == *id);
            let sizes: Vec<_> = terms
                .iter()
                .map(|(id, c)| match is_part(id) {
                    true => self.known[&(*id, depth)],
                    false => self.of(g.expr(*id), depth - 1) * g.rational(c.abs()),
                })
                .collect();
            let size = g.sum(sizes.into_iter().chain([g.rational(constant.abs())])).grouped();
            self.known.insert((whole.id(), depth), size);
            waiting.pop();
        }
    }

    /// Of a product: what the round-off of each sum among its factors makes of it.
    fn factor_by_factor(&mut self, f: Expr<'g>, factors: &[(Id, i64)], depth: u32) -> Expr<'g> {
        let g = f.graph();
        let is_sum = |id: Id| matches!(g.expr(id).node(), Node::Sum { .. } | Node::Grouped(_));
        let sums: Vec<usize> = (0..factors.len()).filter(|at| is_sum(factors[*at].0)).collect();
        if sums.is_empty() {
            return f.abs();
        }
        let along = |at: usize, size: Expr<'g>| {
            let others = factors.iter().enumerate().filter(|(other, _)| *other != at);
            let others = others.map(|(_, (id, e))| g.expr(*id).powi(*e).abs());
            let (id, e) = factors[at];
            g.product(others.chain([g.expr(id).powi(e - 1).abs(), size])) * e.abs()
        };
        let sizes: Vec<_> = sums.iter().map(|at| self.of(g.expr(factors[*at].0), depth)).collect();
        g.sum(sums.into_iter().zip(sizes).map(|(at, size)| along(at, size)))
    }
}

//! The one test of zero on which decisions about structure rest.

use rustc_hash::FxHashMap;

use super::field::{Field, mixed};
use super::point::Generic;
use crate::function::Algebra;
use crate::graph::{Expr, Graph};
use crate::magnitude;
use crate::node::{Id, Node};
use crate::rational::Rational;

/// Points of a field at which what is zero must vanish, and points that are tried to have them.
const POINTS: usize = 3;
const TRIES: u64 = 64;

impl Graph {
    /// Is `f` zero wherever it is defined, for these values of some symbols and any others of the rest? Decided by exact
    /// arithmetic; `None` where neither that nor algebra decides. Sizes of numbers play no part.
    ///
    /// ```
    /// # use extremal_expr::{Graph, Rational};
    /// let g = Graph::new();
    /// let (x, y) = (g.symbol("x"), g.symbol("y"));
    /// assert_eq!(g.vanishes((x + y).powi(2) - x.powi(2) - x * y * 2 - y.powi(2), &[]), Some(true));
    /// let tiny = g.rational(Rational::parse_decimal("1e-300").unwrap());
    /// assert_eq!(g.vanishes(x * tiny, &[]), Some(false));
    /// // More than the algebra of functions: neither proved nor refuted.
    /// assert_eq!(g.vanishes((x * y).log() - x.log() - y.log(), &[]), None);
    /// ```
    pub fn vanishes<'g>(&'g self, f: Expr<'g>, values: &[(Expr<'g>, Rational)]) -> Option<bool> {
        if f.as_number().is_some() {
            return Some(f.is_zero());
        }
        let sampled = (0..Field::COUNT).find_map(|number| {
            let generic = Generic::new(self, &[f], values, Field::number(number));
            let points: Vec<_> = (0..TRIES).filter_map(|seed| generic.at(seed, &[])).take(POINTS).collect();
            (points.len() == POINTS).then(|| points.iter().all(|outputs| outputs[0] == Field::ZERO))
        });
        match sampled {
            Some(true) => Some(true),
            Some(false) if self.field_decides(&[f]) || self.is_large_somewhere(f, values) => Some(false),
            Some(false) => None,
            None if self.proves_zero(f) => Some(true),
            None => self.is_large_somewhere(f, values).then_some(false),
        }
    }

    /// Are expressions that are not zero in a field not zero for real numbers either? Of some functions the field knows no algebra;
    /// and its even roots have any sign, so that sqrt(1 - tanh(x)^2) may be -1/cosh(x).
    pub fn field_decides(&self, functions: &[Expr<'_>]) -> bool {
        let ids: Vec<Id> = functions.iter().map(|f| f.id()).collect();
        self.reachable(&ids).into_iter().all(|id| match self.expr(id).node() {
            Node::Call(function, _) => match function.algebra() {
                Algebra::Wave(_) | Algebra::Exponential(_) | Algebra::CubeRoot => true,
                Algebra::Absolute | Algebra::Sign | Algebra::Unknown => false,
            },
            Node::Root(_, q) => q % 2 == 1,
            Node::Call2(..) | Node::Table(..) | Node::Power(..) | Node::Pi | Node::Select(..) => false,
            _ => true,
        })
    }

    /// Is it, at some point of the real numbers, far above the round-off of its terms? That refutes that it is zero.
    fn is_large_somewhere<'g>(&'g self, f: Expr<'g>, values: &[(Expr<'g>, Rational)]) -> bool {
        const SIGNIFICANT: f64 = 1e-6;
        // What cancels by algebra would count as a large term.
        let f = self.expanded(f).unwrap_or(f);
        let symbols = self.free_symbols(&[f]);
        let functions = [f, magnitude(f)];
        let seen = |rules: Vec<(Expr<'g>, f64)>| {
            let at = |name: &str| rules.iter().find(|(symbol, _)| symbol.as_symbol().as_deref() == Some(name));
            let seen = self.evaluate(&functions, |name| at(name).map(|(_, value)| *value));
            seen[0].is_finite().then(|| seen[0].abs() > SIGNIFICANT * seen[1])
        };
        real_points(&symbols, values, seen)
    }
}

/// Does something hold at one of some real points? Symbols with a value keep it; the others are positive, of about one or, if that
/// shows nothing, of very different sizes. They have any sign only if `holds` has no answer (`None`) at any of the first.
pub fn real_points<'g>(
    symbols: &[Expr<'g>],
    values: &[(Expr<'g>, Rational)],
    holds: impl Fn(Vec<(Expr<'g>, f64)>) -> Option<bool>,
) -> bool {
    const POINTS: u64 = 12;
    let known: FxHashMap<Id, f64> = values.iter().map(|(symbol, value)| (symbol.id(), value.to_f64())).collect();
    let answers = |of_unit: &dyn Fn(f64) -> f64| -> Vec<bool> {
        let point = |number: u64| {
            let value = |(at, symbol): (usize, &Expr<'g>)| {
                let random = of_unit((mixed(number, at as u64) >> 11) as f64 / (1u64 << 53) as f64);
                (*symbol, known.get(&symbol.id()).copied().unwrap_or(random))
            };
            holds(symbols.iter().enumerate().map(value).collect())
        };
        (1..=POINTS).filter_map(point).collect()
    };
    let plain = answers(&|unit| 0.2 + 1.6 * unit);
    // Beyond these sizes the round-off of a logarithm near 1 would count.
    let other = |unit: f64| if plain.is_empty() { 3.0 * unit - 1.5 } else { 10f64.powf(8.0 * unit - 4.0) };
    plain.contains(&true) || answers(&other).contains(&true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Function;

    #[test]
    fn what_cannot_be_told_is_not_decided() {
        let g = Graph::new();
        let [x, y, c] = ["x", "y", "c"].map(|name| g.symbol(name));
        let atan = |u: Expr<'_>| g.expr(u.id()).call(Function::Atan);
        // atan(u) + atan(1/u) is π/2 for positive u: true, and beyond this algebra.
        assert_eq!(g.vanishes(atan(x) + atan(x.powi(-1)) - g.pi() / 2, &[]), None);
        assert_eq!(g.vanishes(atan(x) - x, &[]), Some(false));
        // True wherever both sides are defined, whatever signs a field gives to the roots.
        assert_ne!(g.vanishes((x * y).sqrt() - x.sqrt() * y.sqrt(), &[]), Some(false));
        assert_ne!(g.vanishes(x.log().exp() - x, &[]), Some(false));
        assert_eq!(g.vanishes((x - y - c).sqrt() + x, &[]), Some(false));
        assert_eq!(g.vanishes(x.log() - x.log() * y / y, &[]), Some(true));
        // Only for one value of a parameter.
        let other = x * (c - 2);
        assert_eq!(g.vanishes(other, &[]), Some(false));
        assert_eq!(g.vanishes(other, &[(c, Rational::from(2))]), Some(true));
        // Zero for one value of a parameter, by more than the algebra: numbers at others do not refute it.
        let logarithms = (x * 2).log() - x.log() - c.log();
        assert_eq!(g.vanishes(logarithms, &[(c, Rational::from(2))]), None);
        assert_eq!(g.vanishes(logarithms, &[(c, Rational::from(3))]), Some(false));
        // Divided by zero everywhere there is no point at which to look.
        let nothing = (x + y).powi(2) - x.powi(2) - x * y * 2 - y.powi(2);
        assert_ne!(g.vanishes(c / nothing, &[]), Some(true));
    }

    #[test]
    fn forty_roots_at_once_are_decided() {
        // Each exists with probability one half; drawn one after the other, all of them.
        let g = Graph::new();
        let z = g.symbol("z");
        let root = |k: usize| (z + g.symbol(&format!("x{k}"))).sqrt();
        let sum = g.sum((0..40).map(root));
        let square = g.sum((0..40).flat_map(|i| (0..40).map(move |j| (i, j))).map(|(i, j)| root(i) * root(j)));
        assert_eq!(g.vanishes(sum.powi(2) - square, &[]), Some(true));
        assert_eq!(g.vanishes(sum.powi(2) - square + z, &[]), Some(false));
    }
}

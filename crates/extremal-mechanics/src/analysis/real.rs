//! What can be said about the values of an expression at real points: ranges that are proved, and samples.

use std::collections::HashMap;

use extremal_expr::{Expr, Function, Function2, Graph, Id, Node, Rational};

/// An interval of the extended real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RealInterval {
    pub low: f64,
    pub high: f64,
}

const ALL: RealInterval = RealInterval { low: f64::NEG_INFINITY, high: f64::INFINITY };
const POSITIVE: RealInterval = RealInterval { low: 0.0, high: f64::INFINITY };

impl RealInterval {
    /// Is zero outside, by more than the round-off of the bounds?
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    fn point(value: f64) -> RealInterval {
        RealInterval { low: value, high: value }
    }

    /// Wider by the round-off of the operation that made it; a bound that is no number is none.
    fn widened(self) -> RealInterval {
        let slack = |x: f64| if x.is_finite() { 4.0 * f64::EPSILON * x.abs() } else { 0.0 };
        let low = if self.low.is_nan() { f64::NEG_INFINITY } else { self.low - slack(self.low) };
        let high = if self.high.is_nan() { f64::INFINITY } else { self.high + slack(self.high) };
        RealInterval { low, high }
    }

    fn plus(self, other: RealInterval) -> RealInterval {
        // The round-off of a sum is that of its terms.
        let size = [self.low, self.high, other.low, other.high].into_iter().filter(|x| x.is_finite());
        let slack = 4.0 * f64::EPSILON * size.fold(0.0f64, |most, x| most.max(x.abs()));
        RealInterval { low: self.low + other.low - slack, high: self.high + other.high + slack }.widened()
    }

    fn times(self, other: RealInterval) -> RealInterval {
        // An end of infinite size times zero is zero: no value in between is infinite.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let ends = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let ends = ends.map(|(a, b)| product(a, b));
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        RealInterval { low, high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max) }.widened()
    }

    fn power(self, exponent: i64) -> RealInterval {
        if exponent < 0 {
            let base = self.power(-exponent);
            return match base {
                RealInterval { low, high } if low > 0.0 || high < 0.0 => {
                    RealInterval { low: 1.0 / high, high: 1.0 / low }.widened()
                }
                RealInterval { low, .. } if low >= 0.0 => POSITIVE,
                _ => ALL,
            };
        }
        let (e, even) = (exponent as f64, exponent % 2 == 0);
        let (low, high) = (self.low.abs().powf(e), self.high.abs().powf(e));
        match even {
            true if self.low <= 0.0 && self.high >= 0.0 => RealInterval { low: 0.0, high: low.max(high) },
            true => RealInterval { low: low.min(high), high: low.max(high) },
            false => RealInterval { low: low.copysign(self.low), high: high.copysign(self.high) },
        }
        .widened()
    }
}

/// Bounds of an expression at all real values of its symbols, but for those with a value.
pub(super) fn range<'g>(f: Expr<'g>, values: &[(Expr<'g>, Rational)]) -> RealInterval {
    let g = f.graph();
    let known: HashMap<Id, f64> = values.iter().map(|(symbol, value)| (symbol.id(), value.to_f64())).collect();
    let mut ranges: HashMap<Id, RealInterval> = HashMap::new();
    for id in g.reachable(&[f.id()]) {
        let of = |id: &Id| ranges.get(id).copied().unwrap_or(ALL);
        let unit = RealInterval { low: -1.0, high: 1.0 };
        let value = match g.expr(id).node() {
            Node::Number(value) => RealInterval::point(value.to_f64()).widened(),
            Node::Pi => RealInterval::point(std::f64::consts::PI).widened(),
            Node::Symbol(_) => known.get(&id).map_or(ALL, |value| RealInterval::point(*value).widened()),
            Node::Sum { constant, terms } => {
                terms.iter().fold(RealInterval::point(constant.to_f64()).widened(), |sum, (term, c)| {
                    sum.plus(of(term).times(RealInterval::point(c.to_f64()).widened()))
                })
            }
            Node::Product(factors) => factors
                .iter()
                .fold(RealInterval::point(1.0), |product, (factor, e)| product.times(of(factor).power(*e))),
            Node::Root(a, q) if q % 2 == 0 => {
                let root = |x: f64| x.max(0.0).powf(1.0 / f64::from(q));
                RealInterval { low: root(of(&a).low), high: root(of(&a).high) }.widened()
            }
            Node::Call(Function::Sin | Function::Cos | Function::Tanh | Function::Sign, _) => unit,
            Node::Call(Function::Exp, u) => RealInterval { low: of(&u).low.exp(), high: of(&u).high.exp() }.widened(),
            Node::Call(Function::Cosh, _) => RealInterval { low: 1.0, high: f64::INFINITY },
            Node::Call(Function::Abs, u) => match of(&u) {
                RealInterval { low, high } if low <= 0.0 && high >= 0.0 => {
                    RealInterval { low: 0.0, high: high.max(-low) }
                }
                RealInterval { low, high } => {
                    RealInterval { low: low.abs().min(high.abs()), high: low.abs().max(high.abs()) }
                }
            },
            Node::Call2(Function2::Min, a, b) => {
                RealInterval { low: of(&a).low.min(of(&b).low), high: of(&a).high.min(of(&b).high) }
            }
            Node::Call2(Function2::Max, a, b) => {
                RealInterval { low: of(&a).low.max(of(&b).low), high: of(&a).high.max(of(&b).high) }
            }
            // A power that is no integer is defined for what is not negative, and not negative itself.
            Node::Power(a, e)
                if of(&a).low > 0.0 || of(&e).low.floor() == of(&e).high.floor() && of(&e).low > of(&e).low.floor() =>
            {
                POSITIVE
            }
            Node::Select(_, a, b) => {
                RealInterval { low: of(&a).low.min(of(&b).low), high: of(&a).high.max(of(&b).high) }
            }
            Node::Grouped(a) => of(&a),
            _ => ALL,
        };
        ranges.insert(id, value);
    }
    ranges.get(&f.id()).copied().unwrap_or(ALL)
}

/// Is it proved that an expression vanishes nowhere where it is defined? Factors are looked at one by one, an exponential is never
/// zero, and what is divided by is not either.
pub(crate) fn vanishes_nowhere<'g>(f: Expr<'g>, values: &[(Expr<'g>, Rational)]) -> bool {
    let g = f.graph();
    let mut open = vec![f];
    while let Some(e) = open.pop() {
        match e.node() {
            Node::Product(factors) => {
                open.extend(factors.iter().filter(|(_, exponent)| *exponent > 0).map(|(factor, _)| g.expr(*factor)));
            }
            Node::Sum { constant, terms } if constant.is_zero() && terms.len() == 1 => open.push(g.expr(terms[0].0)),
            Node::Grouped(inner) => open.push(g.expr(inner)),
            Node::Call(Function::Exp, _) => {}
            Node::Power(_, exponent) if range(g.expr(exponent), values).high < 0.0 => {}
            _ if range(e, values).excludes_zero() => {}
            _ => return false,
        }
    }
    true
}

/// Is the expression negative, is it positive at some of many real points? Symbols in `positive` take positive values only.
pub(super) fn signs<'g>(g: &'g Graph, f: Expr<'g>, positive: impl Fn(&Expr<'g>) -> bool) -> (bool, bool) {
    const POINTS: u64 = 200;
    if let Some(value) = f.as_number() {
        return (value.is_negative(), !value.is_negative() && !value.is_zero());
    }
    let symbols: Vec<(Expr<'g>, bool)> = g.free_symbols(&[f]).into_iter().map(|s| (s, positive(&s))).collect();
    let (mut below, mut above) = (false, false);
    for point in 0..POINTS {
        // Van der Corput's sequence in another irrational rotation for each symbol: spread evenly, and the same each time.
        let uniform =
            |at: usize| ((point + 1) as f64 * (2.0 + at as f64).sqrt().fract().max(0.0137) + 0.31 * at as f64).fract();
        let values: HashMap<String, f64> = symbols
            .iter()
            .enumerate()
            .filter_map(|(at, (symbol, positive))| {
                let u = uniform(at);
                let value = if *positive { 0.2 + 1.6 * u } else { 6.0 * u - 3.0 };
                Some((symbol.as_symbol()?.to_string(), value))
            })
            .collect();
        let value = g.evaluate(&[f], |name| values.get(name).copied())[0];
        below |= value < 0.0;
        above |= value > 0.0;
    }
    (below, above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_that_are_never_zero_are_told_from_others() {
        let g = Graph::new();
        let [x, s, c] = ["x", "s", "c"].map(|name| g.symbol(name));
        let values = [(c, Rational::new(3, 2).unwrap())];
        let power = x.pow(-c.powi(-1));
        for never in [(x.powi(2) + 1).powi(-1) * -2, s.exp() * power * 3, s.exp() * (power * s.exp() + 1)] {
            assert!(vanishes_nowhere(never, &values), "{never}");
        }
        // Zero at x = 0, at s = 0, for x large; and with an integer exponent a power may be negative.
        for somewhere in [x.pow(c), s * s.exp(), s.exp() - 1, x * (x.powi(2) + 1).powi(-1)] {
            assert!(!vanishes_nowhere(somewhere, &values), "{somewhere}");
        }
        assert!(!vanishes_nowhere(power + 1, &[(c, Rational::from(1))]));
    }

    #[test]
    fn ranges_contain_all_values_and_exclude_what_is_proved() {
        let g = Graph::new();
        let [x, m, r] = ["x", "m", "r"].map(|name| g.symbol(name));
        let values = [(m, Rational::from(2))];
        assert!(range(x.powi(2) + 1, &values).excludes_zero());
        assert!(range(m * 3 - m * x.cos().powi(2), &values).excludes_zero());
        assert!(range((x.exp() + m) / (x.powi(2) + m), &values).low >= 0.0);
        assert!(range(-(x.powi(4)) - m, &values).excludes_zero());
        for other in [x.cos() + m - 1, r.powi(2), x * r + 1, r.powi(-1), x.sin() * m - 1] {
            assert!(!range(other, &values).excludes_zero(), "{other}");
        }
    }
}

//! Sums, products and powers of any length to binary operations.
//!
//! Operands are ordered by how soon they are known, so that what slow inputs determine forms operations of its own:
//! `x*m*l` becomes `(m*l)*x`, and `m*l` is computed when `m` and `l` change, not when `x` does.
//!
//! Rounding: a rational coefficient that `f64` holds exactly is multiplied; `±1/q` divides by `q`; any other is multiplied as
//! the nearest `f64`. Hoisting adds no rounding: `x/m` stays a division, while `k*x/m` becomes `(k/m)*x`.

use extremal_expr::{Id, Node, Rational};

use crate::lower::ProgramLowering;
use crate::op::Op;
use crate::ssa::{TierLevel, ValueId};

/// Integer powers up to this are multiplied out, which rounds like at most `exponent - 1` roundings of the result; beyond, the
/// power function of the mathematics library is called.
const MAX_MULTIPLIED_POWER: u64 = 64;

/// Operands combined one after the other, in the order their nodes were made: sums that grow term by term, as in a chain of
/// bodies, then share their partial sums. Longer lists are cut into runs of this length, combined in pairs, so that the rounding
/// error grows only with the logarithm of the number of operands.
const RUN: usize = 32;

/// A summand, or a partial sum, and whether it is subtracted.
#[derive(Clone, Copy)]
pub(crate) struct Signed {
    pub value: ValueId,
    pub negative: bool,
}

/// A summand `±coefficient·value` whose coefficient is not yet applied.
struct ScaledTerm {
    level: TierLevel,
    coefficient: Rational,
    signed: Signed,
}

impl ProgramLowering<'_> {
    pub fn sum(&mut self, constant: &Rational, terms: &[(Id, Rational)]) -> Signed {
        if let [(id, coefficient)] = terms
            && constant.is_zero()
        {
            return self.scaled_node(*id, coefficient);
        }
        let (mut ready, scaled) = self.sort_terms(constant, terms);
        if ready.is_empty() && scaled.iter().all(|term| term.coefficient == scaled[0].coefficient) {
            // One coefficient for all, applied once and last: (q1 - q0)/3 loses nothing to cancellation, q1/3 - q0/3 does.
            return self.scaled_sum(&scaled);
        }
        for same in scaled.chunk_by(|a, b| (a.level, &a.coefficient) == (b.level, &b.coefficient)) {
            let part = self.scaled_sum(same);
            ready.push((self.values.level(part.value), part));
        }
        self.signed_sum(ready)
    }

    /// The summands whose coefficient is ±1 or vanishes into a slower factor, and the others, equal coefficients together.
    fn sort_terms(
        &mut self,
        constant: &Rational,
        terms: &[(Id, Rational)],
    ) -> (Vec<(TierLevel, Signed)>, Vec<ScaledTerm>) {
        let mut ready = Vec::with_capacity(terms.len() + 1);
        let mut scaled = Vec::new();
        for (id, coefficient) in terms {
            let size = coefficient.abs();
            if size.is_one() || self.absorbs_coefficient(*id) {
                let mut signed = self.scaled_node(*id, &size);
                signed.negative ^= coefficient.is_negative();
                ready.push((self.values.level(signed.value), signed));
            } else {
                let mut signed = self.signed_node(*id);
                signed.negative ^= coefficient.is_negative();
                scaled.push(ScaledTerm { level: self.values.level(signed.value), coefficient: size, signed });
            }
        }
        if !constant.is_zero() {
            let (negative, size) = (constant.is_negative(), constant.abs());
            if ready.is_empty() && scaled.iter().all(|term| term.coefficient == size) {
                let value = self.values.constant(1.0);
                scaled.push(ScaledTerm {
                    level: TierLevel::CONSTANT,
                    coefficient: size,
                    signed: Signed { value, negative },
                });
            } else {
                let value = self.values.constant(size.to_f64());
                ready.push((TierLevel::CONSTANT, Signed { value, negative }));
            }
        }
        scaled.sort_by(|a, b| (a.level, &a.coefficient).cmp(&(b.level, &b.coefficient)));
        (ready, scaled)
    }

    /// `coefficient · Σ ±value`, where all `terms` have the same coefficient.
    fn scaled_sum(&mut self, terms: &[ScaledTerm]) -> Signed {
        let total = self.signed_sum(terms.iter().map(|term| (term.level, term.signed)).collect());
        let coefficient = &terms[0].coefficient;
        let value = self.scaled(total.value, &if total.negative { -coefficient } else { coefficient.clone() });
        Signed { value, negative: false }
    }

    /// The sum of signed items, those known first added first.
    fn signed_sum(&mut self, mut items: Vec<(TierLevel, Signed)>) -> Signed {
        items.sort_by_key(|(level, _)| *level);
        let mut groups = Vec::new();
        for group in items.chunk_by(|a, b| a.0 == b.0) {
            let signed: Vec<Signed> = group.iter().map(|(_, signed)| *signed).collect();
            groups.push(in_runs(&signed, |a, b| self.add_signed(a, b)));
        }
        groups
            .into_iter()
            .flatten()
            .reduce(|a, b| self.add_signed(a, b))
            .unwrap_or_else(|| Signed { value: self.values.constant(0.0), negative: false })
    }

    fn add_signed(&mut self, a: Signed, b: Signed) -> Signed {
        let (op, negative) = match (a.negative, b.negative) {
            (false, true) => (Op::Sub(a.value, b.value), false),
            (true, false) => (Op::Sub(b.value, a.value), false),
            (negative, _) => (Op::Add(a.value, b.value), negative),
        };
        Signed { value: self.values.compute(op), negative }
    }

    /// Is it a product of which a slower part can take a coefficient, at no cost to the faster part?
    fn absorbs_coefficient(&self, id: Id) -> bool {
        let Node::Product(factors) = self.graph.expr(id).node() else { return false };
        let level = |(id, _): &(Id, i64)| self.values.level(self.of_node[id]);
        factors.iter().any(|factor| level(factor) != level(&factors[0]))
    }

    fn signed_node(&self, id: Id) -> Signed {
        match self.opposite.get(&id) {
            Some(value) => Signed { value: *value, negative: true },
            None => Signed { value: self.of_node[&id], negative: false },
        }
    }

    fn scaled_node(&mut self, id: Id, coefficient: &Rational) -> Signed {
        if self.absorbs_coefficient(id)
            && let Node::Product(factors) = self.graph.expr(id).node()
        {
            return Signed { value: self.product(&factors, coefficient), negative: false };
        }
        let Signed { value, negative } = self.signed_node(id);
        if coefficient.abs().is_one() {
            return Signed { value, negative: negative ^ coefficient.is_negative() };
        }
        let coefficient = if negative { -coefficient } else { coefficient.clone() };
        Signed { value: self.scaled(value, &coefficient), negative: false }
    }

    fn scaled(&mut self, value: ValueId, coefficient: &Rational) -> ValueId {
        if coefficient.is_one() {
            return value;
        }
        if *coefficient == Rational::MINUS_ONE {
            return self.values.compute(Op::Neg(value));
        }
        if let Some((sign @ (1 | -1), denominator)) = coefficient.to_parts()
            && !denominator.unsigned_abs().is_power_of_two()
        {
            let divisor = self.values.constant(sign as f64 * denominator as f64);
            return self.values.compute(Op::Div(value, divisor));
        }
        let factor = self.values.constant(coefficient.to_f64());
        self.values.compute(Op::Mul(value, factor))
    }

    /// `coefficient · Π base^exponent`. Level by level: the numerator known at that level is multiplied on, then its denominator
    /// divided by.
    pub fn product(&mut self, factors: &[(Id, i64)], coefficient: &Rational) -> ValueId {
        let mut sorted: Vec<(TierLevel, bool, ValueId)> =
            factors.iter().map(|(base, exponent)| self.factor(*base, *exponent)).collect();
        sorted.sort_by_key(|(level, divides, _)| (*level, *divides));
        let last = sorted.last().map_or(TierLevel::CONSTANT, |(level, ..)| *level);

        let mut pending = coefficient.clone();
        let mut product: Option<ValueId> = None;
        let mut divisor: Option<ValueId> = None;
        for same in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (level, divides, _) = same[0];
            let values: Vec<ValueId> = same.iter().map(|(.., value)| *value).collect();
            let Some(value) = in_runs(&values, |a, b| self.values.compute(Op::Mul(a, b))) else { continue };
            match (divides, product) {
                (false, None) => product = Some(value),
                (false, Some(so_far)) => product = Some(self.values.compute(Op::Mul(so_far, value))),
                (true, Some(so_far)) => product = Some(self.values.compute(Op::Div(so_far, value))),
                (true, None) if level == last => divisor = Some(value),
                // A denominator known before any numerator: its reciprocal is taken once, and not waited for at every call.
                (true, None) => {
                    let numerator = self.values.constant(pending.to_f64());
                    pending = Rational::ONE;
                    product = Some(self.values.compute(Op::Div(numerator, value)));
                }
            }
            if level < last
                && let Some(so_far) = product
            {
                product = Some(self.scaled(so_far, &std::mem::replace(&mut pending, Rational::ONE)));
            }
        }
        match (product, divisor) {
            (Some(product), divisor) => {
                let quotient = self.divided(product, divisor);
                self.scaled(quotient, &pending)
            }
            (None, divisor) => {
                let numerator = self.values.constant(pending.to_f64());
                self.divided(numerator, divisor)
            }
        }
    }

    fn divided(&mut self, value: ValueId, divisor: Option<ValueId>) -> ValueId {
        divisor.map_or(value, |divisor| self.values.compute(Op::Div(value, divisor)))
    }

    /// One factor of a product: its level, whether it divides, its value.
    fn factor(&mut self, base: Id, exponent: i64) -> (TierLevel, bool, ValueId) {
        let size = exponent.unsigned_abs();
        let node = self.graph.expr(base).node();
        let (divides, value) = match node {
            // A single power, unless that would be an integer one: a^2 is defined where the written a^(1/3)^6 is not.
            Node::Root(inner, q) if (q > 2 || size > MAX_MULTIPLIED_POWER) && exponent % i64::from(q) != 0 => {
                let power = self.values.constant(exponent as f64 / f64::from(q));
                (false, self.values.compute(Op::Pow(self.of_node[&inner], power)))
            }
            _ if size > MAX_MULTIPLIED_POWER => {
                let power = self.values.constant(exponent as f64);
                (false, self.values.compute(Op::Pow(self.of_node[&base], power)))
            }
            // sqrt(a)^(2k+1) = a^k sqrt(a): fewer roundings, and still undefined for negative a.
            Node::Root(inner, 2) if size % 2 == 1 => {
                let root = self.of_node[&base];
                let value = match size / 2 {
                    0 => root,
                    half => {
                        let whole = self.power(self.of_node[&inner], half);
                        self.values.compute(Op::Mul(whole, root))
                    }
                };
                (exponent < 0, value)
            }
            _ => (exponent < 0, self.power(self.of_node[&base], size)),
        };
        (self.values.level(value), divides, value)
    }

    /// `base^exponent` by squaring; the smaller powers on the way are values like any other, so other powers share them.
    fn power(&mut self, base: ValueId, exponent: u64) -> ValueId {
        let mut value = base;
        for bit in (0..exponent.max(1).ilog2()).rev() {
            value = self.values.compute(Op::Mul(value, value));
            if exponent >> bit & 1 == 1 {
                value = self.values.compute(Op::Mul(value, base));
            }
        }
        value
    }
}

/// Combines items in runs, and the runs in pairs. `None` for no items.
fn in_runs<T: Copy>(items: &[T], mut combine: impl FnMut(T, T) -> T) -> Option<T> {
    // Partial results with the number of runs in each: a binary counter.
    let mut partial: Vec<(T, usize)> = Vec::new();
    for run in items.chunks(RUN) {
        let Some(mut value) = run.iter().copied().reduce(&mut combine) else { continue };
        let mut runs = 1;
        while let Some((earlier, _)) = partial.pop_if(|(_, n)| *n == runs) {
            value = combine(earlier, value);
            runs *= 2;
        }
        partial.push((value, runs));
    }
    partial.into_iter().map(|(value, _)| value).rev().reduce(|later, earlier| combine(earlier, later))
}

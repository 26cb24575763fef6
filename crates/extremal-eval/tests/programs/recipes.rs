//! Random expressions, and machines that evaluate them.

use extremal_eval::Machine;
use extremal_expr::{Expr, Function, Function2, Graph, Rational, Relation};
use proptest::prelude::*;

/// The symbols of random expressions, in the tiers they are given to the program.
pub const TIERS: [&[&str]; 3] = [&["a", "b"], &["h", "q"], &["x", "y", "z"]];

pub fn symbols() -> impl Iterator<Item = &'static str> {
    TIERS.iter().flat_map(|names| names.iter().copied())
}

/// One step of a recipe: which construction, on which of the expressions made so far.
pub type Choice = (u8, u16, u16, u16, i8);

pub fn recipe(length: usize) -> impl Strategy<Value = Vec<Choice>> {
    prop::collection::vec(any::<Choice>(), 1..length)
}

/// Builds every expression of a recipe; the symbols come first.
pub fn build<'g>(g: &'g Graph, recipe: &[Choice]) -> Vec<Expr<'g>> {
    let mut made: Vec<Expr> = symbols().map(|name| g.symbol(name)).collect();
    made.push(g.pi());
    for &(kind, i, j, k, n) in recipe {
        // Half of the picks among the latest, so that expressions grow deep as well as wide.
        let pick = |at: u16| match at % 2 {
            0 => made[usize::from(at / 2) % made.len()],
            _ => made[made.len() - 1 - usize::from(at / 2) % made.len().min(4)],
        };
        let (a, b, c) = (pick(i), pick(j), pick(k));
        let number = g.rational(Rational::new(i64::from(n), i64::from(j % 12) + 1).unwrap());
        let condition = || {
            let first = g.compare(Relation::ALL[usize::from(i) % 4], a, b);
            let second = g.compare(Relation::ALL[usize::from(j) % 4], b, c);
            match k % 4 {
                0 => first,
                1 => g.and(first, second),
                2 => g.or(first, second),
                _ => g.not(first),
            }
        };
        made.push(match kind % 20 {
            0..=2 => a + b,
            3..=4 => a - b,
            5..=7 => a * b,
            8 => a / b,
            9..=10 => a * number,
            11 => a + number,
            12 => a.powi(i64::from(n % 8)),
            13 => a.pow(g.rational(Rational::new(i64::from(n % 8), i64::from(j % 3) + 2).unwrap())),
            14 => a.pow(b),
            15..=17 => a.call(Function::ALL[usize::from(j) % Function::ALL.len()]),
            18 => g.call2(Function2::ALL[usize::from(j) % 3], a, b),
            _ => g.select(condition(), a, c),
        });
    }
    made
}

/// Sets and commits all inputs.
pub fn feed(machine: &mut Machine, point: &[f64]) {
    let mut rest = point;
    for (tier, names) in TIERS.iter().enumerate() {
        let (own, others) = rest.split_at(names.len());
        machine.inputs_mut(tier).copy_from_slice(own);
        machine.commit(tier);
        rest = others;
    }
}

/// Anything a program may meet: ordinary numbers, and now and then extreme ones.
pub fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        20 => -3.0..3.0f64,
        2 => (-2i32..3).prop_map(f64::from),
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -0.0, f64::INFINITY, f64::NAN, 1e300, 5e-324, 1e12]),
    ]
}

/// The same number, or none of both.
pub fn same_bits(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

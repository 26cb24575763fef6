//! Elementary functions in PTX: the same operations in the same order as `extremal_expr::elementary`, so that the bits are the same.
//!
//! What is short and often used is written where it is used; the rest, and what is rare, are routines that are called.

mod cubic_root;
mod division;
mod double;
mod exponential;
mod inverse_hyperbolic;
mod inverse_trigonometric;
mod logarithm;
mod table;
mod trigonometric;

use std::collections::BTreeSet;
use std::fmt::Write;

use extremal_expr::{Function, Function2, TableFunction};

use super::body::{Body, Integer, PtxCondition, PtxNumber, declared_numbers};
use crate::source::table::table_name;

/// What a module has beside its kernels: a function, or the numbers that functions look up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Routine {
    TwoOverPi,
    Parts,
    Pieces(TableFunction),
    Table(TableFunction),
    LargeSine,
    LargeCosine,
    Tan,
    Sinh,
    Cosh,
    Tanh,
    Asin,
    Acos,
    Atan,
    Atan2,
    Asinh,
    Acosh,
    Atanh,
    Cbrt,
    SpecialPower,
    Power,
}

/// How the value of a routine is computed.
enum RoutineFormula {
    One(for<'b> fn(&'b Body, PtxNumber<'b>) -> PtxNumber<'b>),
    Two(for<'b> fn(&'b Body, PtxNumber<'b>, PtxNumber<'b>) -> PtxNumber<'b>),
    Table(TableFunction),
    Numbers(Vec<u64>),
}

impl Routine {
    /// What it is called in the text, where digits and letters have to do for the names of tables.
    pub fn name(self) -> String {
        match self {
            Routine::Pieces(function) => format!("pieces_of_{}", table_name(function)),
            Routine::Table(function) => table_name(function),
            other => format!("routine_{other:?}"),
        }
    }

    fn formula(self) -> RoutineFormula {
        match self {
            Routine::TwoOverPi => RoutineFormula::Numbers(trigonometric::table()),
            Routine::Parts => RoutineFormula::Numbers(logarithm::table()),
            Routine::Pieces(function) => RoutineFormula::Numbers(table::numbers(function)),
            Routine::Table(function) => RoutineFormula::Table(function),
            Routine::LargeSine => RoutineFormula::One(trigonometric::large_sine),
            Routine::LargeCosine => RoutineFormula::One(trigonometric::large_cosine),
            Routine::Tan => RoutineFormula::One(trigonometric::tan),
            Routine::Sinh => RoutineFormula::One(exponential::sinh),
            Routine::Cosh => RoutineFormula::One(exponential::cosh),
            Routine::Tanh => RoutineFormula::One(exponential::tanh),
            Routine::Asin => RoutineFormula::One(inverse_trigonometric::asin),
            Routine::Acos => RoutineFormula::One(inverse_trigonometric::acos),
            Routine::Atan => RoutineFormula::One(inverse_trigonometric::atan),
            Routine::Atan2 => RoutineFormula::Two(inverse_trigonometric::atan2),
            Routine::Asinh => RoutineFormula::One(inverse_hyperbolic::asinh),
            Routine::Acosh => RoutineFormula::One(inverse_hyperbolic::acosh),
            Routine::Atanh => RoutineFormula::One(inverse_hyperbolic::atanh),
            Routine::Cbrt => RoutineFormula::One(cubic_root::cbrt),
            Routine::SpecialPower => RoutineFormula::Two(logarithm::special_power),
            Routine::Power => RoutineFormula::Two(logarithm::power),
        }
    }

    /// Its text, and the routines that it needs before it.
    fn text(self) -> (String, BTreeSet<Routine>) {
        let body = Body::default();
        let name = self.name();
        let (result, arguments) = match self.formula() {
            RoutineFormula::Numbers(numbers) => {
                return (declared_numbers("global", &name, &numbers), BTreeSet::new());
            }
            RoutineFormula::One(f) => (f(&body, argument(&body, 0)), 1),
            RoutineFormula::Two(f) => (f(&body, argument(&body, 0), argument(&body, 1)), 2),
            RoutineFormula::Table(function) => (table::value(function, argument(&body, 0)), 1),
        };
        body.line(format_args!("mov.f64 %result, {result}"));
        body.line(format_args!("ret"));
        let arguments: Vec<String> = (0..arguments).map(|at| format!(".reg .f64 %argument{at}")).collect();
        let text = format!(".func (.reg .f64 %result) {name} ({})\n{}", arguments.join(", "), body.finish());
        (text, body.routines())
    }
}

fn argument(body: &Body, at: usize) -> PtxNumber<'_> {
    body.result("mov.f64", &[&format!("%argument{at}")])
}

/// The texts of routines and of all that they need, each behind what it needs.
pub(super) fn library(routines: &BTreeSet<Routine>) -> String {
    fn add(routine: Routine, done: &mut BTreeSet<Routine>, text: &mut String) {
        if done.insert(routine) {
            let (own, needs) = routine.text();
            needs.into_iter().for_each(|needed| add(needed, done, text));
            let _ = writeln!(text, "{own}");
        }
    }
    let (mut done, mut text) = (BTreeSet::new(), String::new());
    routines.iter().for_each(|routine| add(*routine, &mut done, &mut text));
    text
}

/// Where the numbers of a routine begin.
fn address_of(body: &Body, numbers: Routine) -> Integer<'_> {
    body.refers(numbers);
    body.result("mov.u64", &[&numbers.name()])
}

/// `a/b`.
pub(super) fn quotient<'b>(a: PtxNumber<'b>, b: PtxNumber<'b>) -> PtxNumber<'b> {
    division::quotient(a, b)
}

/// Is `|a|/b` less than a limit?
pub(super) fn quotient_is_below<'b>(a: PtxNumber<'b>, b: PtxNumber<'b>, limit: PtxNumber<'b>) -> PtxCondition<'b> {
    division::quotient_is_below(a, b, limit)
}

/// Are all magnitudes less than a limit?
pub(super) fn are_small<'b>(numbers: &[PtxNumber<'b>], limit: PtxNumber<'b>) -> PtxCondition<'b> {
    division::are_small(numbers, limit)
}

/// Is a magnitude less than a limit?
pub(super) fn magnitude_is_below<'b>(number: PtxNumber<'b>, limit: PtxNumber<'b>) -> PtxCondition<'b> {
    division::magnitude_is_below(number, limit)
}

/// Sine and cosine.
pub(super) fn sin_cos(x: PtxNumber<'_>) -> (PtxNumber<'_>, PtxNumber<'_>) {
    trigonometric::sin_cos(x)
}

/// A function of one argument.
pub(super) fn apply(function: Function, x: PtxNumber<'_>) -> PtxNumber<'_> {
    let body = x.body();
    let routine = match function {
        Function::Sin => return sin_cos(x).0,
        Function::Cos => return sin_cos(x).1,
        Function::Exp => return exponential::exp(x),
        Function::Log => return logarithm::log(x),
        Function::Abs => return x.abs(),
        Function::Sign => {
            let one = body.number(1.0).copysign(x);
            let sign: PtxNumber<'_> = x.equals(0.0).choose(0.0, one);
            return x.unordered(x).choose(f64::NAN, sign);
        }
        Function::Tan => Routine::Tan,
        Function::Sinh => Routine::Sinh,
        Function::Cosh => Routine::Cosh,
        Function::Tanh => Routine::Tanh,
        Function::Asin => Routine::Asin,
        Function::Acos => Routine::Acos,
        Function::Atan => Routine::Atan,
        Function::Asinh => Routine::Asinh,
        Function::Acosh => Routine::Acosh,
        Function::Atanh => Routine::Atanh,
        Function::Cbrt => Routine::Cbrt,
    };
    body.call(routine, &[x])
}

/// A function of two arguments. What is no number stays none.
pub(super) fn apply2<'b>(function: Function2, a: PtxNumber<'b>, b: PtxNumber<'b>) -> PtxNumber<'b> {
    // A first one that is no number stays, as every comparison with it fails.
    let chosen = |second: PtxCondition<'b>| {
        let value: PtxNumber<'b> = second.choose(b, a);
        b.is_none().choose(f64::NAN, value)
    };
    match function {
        Function2::Atan2 => a.body().call(Routine::Atan2, &[a, b]),
        Function2::Min => chosen(b.less(a)),
        Function2::Max => chosen(a.less(b)),
    }
}

/// `a^b`.
pub(super) fn power<'b>(a: PtxNumber<'b>, b: PtxNumber<'b>) -> PtxNumber<'b> {
    a.body().call(Routine::Power, &[a, b])
}

/// The value of a table.
pub(super) fn looked_up(function: TableFunction, x: PtxNumber<'_>) -> PtxNumber<'_> {
    x.body().call(Routine::Table(function), &[x])
}

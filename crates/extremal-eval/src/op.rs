//! The operations of a program.

use extremal_expr::{Comparison, Function, Function2};

use crate::functions::{self, Lanes};

/// One operation on operands of type `R`: a [`Value`](crate::Value) in the program, a memory slot on the tape.
///
/// Conditions are numbers, 1 or 0, so that every backend can compute both branches of a [`Select`](Op::Select) without a jump.
/// [`MulAdd`](Op::MulAdd) and its relatives round once, after the sum; elementary functions are the crate's own. So a program
/// gives the same bits on every machine and in every evaluator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op<R> {
    /// `a + b`
    Add(R, R),
    /// `a - b`
    Sub(R, R),
    /// `a * b`
    Mul(R, R),
    /// `a / b`
    Div(R, R),
    /// `-a`
    Neg(R),
    /// `a*b + c`, rounded once
    MulAdd(R, R, R),
    /// `a*b - c`, rounded once
    MulSub(R, R, R),
    /// `c - a*b`, rounded once
    SubMul(R, R, R),
    /// Square root.
    Sqrt(R),
    /// `a^b` for real exponents.
    Pow(R, R),
    /// An elementary function.
    Call(Function, R),
    /// The sine of the argument, and its cosine as a second result.
    SinCos {
        /// The angle.
        argument: R,
        /// Where the cosine goes.
        cosine: R,
    },
    /// An elementary function of two arguments.
    Call2(Function2, R, R),
    /// 1 where the comparison holds, else 0.
    Compare(Comparison, R, R),
    /// Both conditions.
    And(R, R),
    /// Either condition.
    Or(R, R),
    /// The opposite condition.
    Not(R),
    /// The second operand where the first, a condition, holds; else the third.
    Select(R, R, R),
}

/// One instruction: the result `to` and how it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<R> {
    /// The result.
    pub to: R,
    /// The operation.
    pub op: Op<R>,
}

impl<R: Copy> Op<R> {
    /// The same operation on other operands. The second result of [`SinCos`](Op::SinCos) is mapped like an operand, after it.
    pub fn map<S>(self, mut f: impl FnMut(R) -> S) -> Op<S> {
        match self {
            Op::Add(a, b) => Op::Add(f(a), f(b)),
            Op::Sub(a, b) => Op::Sub(f(a), f(b)),
            Op::Mul(a, b) => Op::Mul(f(a), f(b)),
            Op::Div(a, b) => Op::Div(f(a), f(b)),
            Op::Neg(a) => Op::Neg(f(a)),
            Op::MulAdd(a, b, c) => Op::MulAdd(f(a), f(b), f(c)),
            Op::MulSub(a, b, c) => Op::MulSub(f(a), f(b), f(c)),
            Op::SubMul(a, b, c) => Op::SubMul(f(a), f(b), f(c)),
            Op::Sqrt(a) => Op::Sqrt(f(a)),
            Op::Pow(a, b) => Op::Pow(f(a), f(b)),
            Op::Call(function, a) => Op::Call(function, f(a)),
            Op::SinCos { argument, cosine } => Op::SinCos { argument: f(argument), cosine: f(cosine) },
            Op::Call2(function, a, b) => Op::Call2(function, f(a), f(b)),
            Op::Compare(comparison, a, b) => Op::Compare(comparison, f(a), f(b)),
            Op::And(a, b) => Op::And(f(a), f(b)),
            Op::Or(a, b) => Op::Or(f(a), f(b)),
            Op::Not(a) => Op::Not(f(a)),
            Op::Select(c, a, b) => Op::Select(f(c), f(a), f(b)),
        }
    }

    /// Calls `visit` with every operand.
    pub fn for_each_operand(self, mut visit: impl FnMut(R)) {
        match self {
            Op::SinCos { argument, .. } => visit(argument),
            other => {
                other.map(visit);
            }
        }
    }

    /// The second result, of the one operation that has two.
    pub fn second_result(self) -> Option<R> {
        match self {
            Op::SinCos { cosine, .. } => Some(cosine),
            _ => None,
        }
    }

    /// Does it call the mathematics library?
    pub fn is_transcendental(self) -> bool {
        match self {
            Op::Call(Function::Abs | Function::Sign, _) => false,
            Op::Call2(function, ..) => function == Function2::Atan2,
            Op::Call(..) | Op::Pow(..) | Op::SinCos { .. } => true,
            _ => false,
        }
    }

    /// Its name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Op::Add(..) => "add",
            Op::Sub(..) => "sub",
            Op::Mul(..) => "mul",
            Op::Div(..) => "div",
            Op::Neg(_) => "neg",
            Op::MulAdd(..) => "muladd",
            Op::MulSub(..) => "mulsub",
            Op::SubMul(..) => "submul",
            Op::Sqrt(_) => "sqrt",
            Op::Pow(..) => "pow",
            Op::Call(function, _) => function.name(),
            Op::SinCos { .. } => "sincos",
            Op::Call2(function, ..) => function.name(),
            Op::Compare(comparison, ..) => match comparison {
                Comparison::Lt => "lt",
                Comparison::Le => "le",
                Comparison::Eq => "eq",
                Comparison::Ne => "ne",
            },
            Op::And(..) => "and",
            Op::Or(..) => "or",
            Op::Not(_) => "not",
            Op::Select(..) => "select",
        }
    }
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// Where an operation finds its operands.
pub trait Operands<R> {
    /// The value of an operand.
    fn read(&self, operand: R) -> f64;
    /// Takes the second result of an operation that has two.
    fn write(&mut self, result: R, value: f64);
}

impl<R: Copy> Op<R> {
    /// The value of the operation; a second result is written to `m`.
    #[inline(always)]
    pub fn evaluate(self, m: &mut impl Operands<R>) -> f64 {
        match self {
            Op::Add(a, b) => m.read(a) + m.read(b),
            Op::Sub(a, b) => m.read(a) - m.read(b),
            Op::Mul(a, b) => m.read(a) * m.read(b),
            Op::Div(a, b) => m.read(a) / m.read(b),
            Op::Neg(a) => -m.read(a),
            Op::MulAdd(a, b, c) => m.read(a).mul_add(m.read(b), m.read(c)),
            Op::MulSub(a, b, c) => m.read(a).mul_add(m.read(b), -m.read(c)),
            Op::SubMul(a, b, c) => (-m.read(a)).mul_add(m.read(b), m.read(c)),
            Op::Sqrt(a) => m.read(a).sqrt(),
            Op::Pow(a, b) => functions::pow(Lanes([m.read(a)]), Lanes([m.read(b)])).0[0],
            Op::Call(function, a) => functions::apply(function, Lanes([m.read(a)])).0[0],
            Op::SinCos { argument, cosine } => {
                let (sin, cos) = functions::sin_cos(Lanes([m.read(argument)]));
                m.write(cosine, cos.0[0]);
                sin.0[0]
            }
            Op::Call2(function, a, b) => functions::apply2(function, Lanes([m.read(a)]), Lanes([m.read(b)])).0[0],
            Op::Compare(comparison, a, b) => truth(comparison.holds(m.read(a), m.read(b))),
            Op::And(a, b) => truth(m.read(a) != 0.0 && m.read(b) != 0.0),
            Op::Or(a, b) => truth(m.read(a) != 0.0 || m.read(b) != 0.0),
            Op::Not(a) => truth(m.read(a) == 0.0),
            Op::Select(c, a, b) => {
                if m.read(c) != 0.0 {
                    m.read(a)
                } else {
                    m.read(b)
                }
            }
        }
    }
}

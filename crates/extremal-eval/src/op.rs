//! The operations of a program.

use extremal_expr::{Function, Function2, Relation, TableFunction};

use extremal_expr::elementary::{self, Lanes};

/// One operation on operands of type `R`: a [`ValueId`](crate::ValueId) in the program, a memory slot on the tape.
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
    /// A function that is given by a table.
    Table(TableFunction, R),
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
    Compare(Relation, R, R),
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
pub struct Instruction<R> {
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
            Op::Table(function, a) => Op::Table(function, f(a)),
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
            Op::Call(..) | Op::Table(..) | Op::Pow(..) | Op::SinCos { .. } => true,
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
            Op::Table(..) => "table",
            Op::SinCos { .. } => "sincos",
            Op::Call2(function, ..) => function.name(),
            Op::Compare(comparison, ..) => match comparison {
                Relation::Lt => "lt",
                Relation::Le => "le",
                Relation::Eq => "eq",
                Relation::Ne => "ne",
            },
            Op::And(..) => "and",
            Op::Or(..) => "or",
            Op::Not(_) => "not",
            Op::Select(..) => "select",
        }
    }
}

/// Where operations find their operands and leave their results, `N` numbers at a time.
pub(crate) trait Operands<R, const N: usize> {
    /// A result of one operand.
    fn one(&mut self, to: R, a: R, f: impl Fn(Lanes<N>) -> Lanes<N>);
    /// A result of two operands.
    fn two(&mut self, to: R, operands: [R; 2], f: impl Fn([Lanes<N>; 2]) -> Lanes<N>);
    /// A result of three operands.
    fn three(&mut self, to: R, operands: [R; 3], f: impl Fn([Lanes<N>; 3]) -> Lanes<N>);
    /// Two results of one operand.
    fn pair(&mut self, to: [R; 2], a: R, f: impl Fn(Lanes<N>) -> [Lanes<N>; 2]);
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

impl<R: Copy> Op<R> {
    /// Computes the result `to` in `m`. What an operation is, is said here and nowhere else: machine code has to give the same bits.
    #[inline(always)]
    pub(crate) fn execute<const N: usize>(self, to: R, m: &mut impl Operands<R, N>) {
        match self {
            Op::Add(a, b) => m.two(to, [a, b], |[a, b]| a + b),
            Op::Sub(a, b) => m.two(to, [a, b], |[a, b]| a - b),
            Op::Mul(a, b) => m.two(to, [a, b], |[a, b]| a * b),
            Op::Div(a, b) => m.two(to, [a, b], |[a, b]| a / b),
            Op::Neg(a) => m.one(to, a, |a| -a),
            Op::MulAdd(a, b, c) => m.three(to, [a, b, c], |[a, b, c]| a.fma(b, c)),
            Op::MulSub(a, b, c) => m.three(to, [a, b, c], |[a, b, c]| a.fma(b, -c)),
            Op::SubMul(a, b, c) => m.three(to, [a, b, c], |[a, b, c]| (-a).fma(b, c)),
            Op::Sqrt(a) => m.one(to, a, |a| a.map(f64::sqrt)),
            Op::Pow(a, b) => m.two(to, [a, b], |[a, b]| elementary::pow(a, b)),
            Op::Call(function, a) => m.one(to, a, |a| elementary::apply(function, a)),
            Op::Table(function, a) => m.one(to, a, |a| a.map(|x| function.value(x))),
            Op::SinCos { argument, cosine } => m.pair([to, cosine], argument, |a| elementary::sin_cos(a).into()),
            Op::Call2(function, a, b) => m.two(to, [a, b], |[a, b]| elementary::apply2(function, a, b)),
            Op::Compare(comparison, a, b) => {
                m.two(to, [a, b], |[a, b]| a.map2(b, |a, b| truth(comparison.holds(a, b))));
            }
            Op::And(a, b) => m.two(to, [a, b], |[a, b]| a.map2(b, |a, b| truth((a != 0.0) & (b != 0.0)))),
            Op::Or(a, b) => m.two(to, [a, b], |[a, b]| a.map2(b, |a, b| truth((a != 0.0) | (b != 0.0)))),
            Op::Not(a) => m.one(to, a, |a| a.map(|a| truth(a == 0.0))),
            Op::Select(c, a, b) => m.three(to, [c, a, b], |[c, a, b]| a.where_(c, |c| c != 0.0, b)),
        }
    }
}

/// The result of an operation whose operands are the numbers themselves.
struct Result<const N: usize>(Lanes<N>);

impl<const N: usize> Operands<Lanes<N>, N> for Result<N> {
    #[inline(always)]
    fn one(&mut self, _: Lanes<N>, a: Lanes<N>, f: impl Fn(Lanes<N>) -> Lanes<N>) {
        self.0 = f(a);
    }

    #[inline(always)]
    fn two(&mut self, _: Lanes<N>, operands: [Lanes<N>; 2], f: impl Fn([Lanes<N>; 2]) -> Lanes<N>) {
        self.0 = f(operands);
    }

    #[inline(always)]
    fn three(&mut self, _: Lanes<N>, operands: [Lanes<N>; 3], f: impl Fn([Lanes<N>; 3]) -> Lanes<N>) {
        self.0 = f(operands);
    }

    #[inline(always)]
    fn pair(&mut self, _: [Lanes<N>; 2], a: Lanes<N>, f: impl Fn(Lanes<N>) -> [Lanes<N>; 2]) {
        self.0 = f(a)[0];
    }
}

impl<const N: usize> Op<Lanes<N>> {
    /// The result, the first if there are two.
    pub(crate) fn value(self) -> Lanes<N> {
        let mut result = Result(Lanes([0.0; N]));
        self.execute(result.0, &mut result);
        result.0
    }
}

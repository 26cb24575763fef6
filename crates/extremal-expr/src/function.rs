//! The functions of the language: all that algebra and printing know of each, in one place.

use crate::Rational;
use crate::build::Arena;
use crate::elementary::{self, Lanes};
use crate::node::{Id, every};

/// Elementary functions of one argument (the square root is [`Node::Root`](crate::Node::Root)).
///
/// ```
/// use extremal_expr::Function;
/// assert_eq!((Function::Asinh.name(), Function::Log.latex()), ("asinh", r"\ln"));
/// assert_eq!(Function::Abs.apply(-2.0), 2.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Inverse hyperbolic sine.
    Asinh,
    /// Inverse hyperbolic cosine.
    Acosh,
    /// Inverse hyperbolic tangent.
    Atanh,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Log,
    /// Cube root, defined for every real number.
    Cbrt,
    /// Absolute value.
    Abs,
    /// -1, 0 or 1.
    Sign,
}

/// What happens to a function when the sign of its argument changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    /// f(-x) = -f(x) on the whole domain.
    Odd,
    /// f(-x) = f(x) on the whole domain.
    Even,
    None,
}

/// What exact algebra knows of a function.
#[derive(Clone, Copy)]
pub(crate) enum Algebra {
    Wave(Wave),
    Exponential(Exponential),
    CubeRoot,
    Absolute,
    Sign,
    /// Nothing: its values are numbers of their own.
    Unknown,
}

/// The functions that are algebra in the sine and the cosine of a part of their argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wave {
    Sin,
    Cos,
    Tan,
}

/// The functions that are algebra in the exponential of a part of their argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exponential {
    Exp,
    Sinh,
    Cosh,
    Tanh,
}

/// What is said of a function.
struct Facts {
    name: &'static str,
    latex: &'static str,
    sentence: &'static str,
    parity: Parity,
    elsewhere: &'static [&'static str],
}

const fn facts(
    name: &'static str,
    latex: &'static str,
    sentence: &'static str,
    parity: Parity,
    elsewhere: &'static [&'static str],
) -> Facts {
    Facts { name, latex, sentence, parity, elsewhere }
}

impl Function {
    /// Every function, in declaration order.
    pub const ALL: &'static [Function] = every!(
        Function: Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh, Exp, Log, Cbrt, Abs, Sign
    );

    const fn facts(self) -> Facts {
        match self {
            Function::Sin => facts("sin", r"\sin", "sine of an angle in radians", Parity::Odd, &[]),
            Function::Cos => facts("cos", r"\cos", "cosine of an angle in radians", Parity::Even, &[]),
            Function::Tan => facts("tan", r"\tan", "tangent of an angle in radians", Parity::Odd, &["tg"]),
            Function::Asin => facts("asin", r"\arcsin", "inverse sine, from -1 to 1", Parity::Odd, &["arcsin"]),
            Function::Acos => facts("acos", r"\arccos", "inverse cosine, from -1 to 1", Parity::None, &["arccos"]),
            Function::Atan => facts("atan", r"\arctan", "inverse tangent", Parity::Odd, &["arctan", "arctg"]),
            Function::Sinh => facts("sinh", r"\sinh", "hyperbolic sine", Parity::Odd, &[]),
            Function::Cosh => facts("cosh", r"\cosh", "hyperbolic cosine", Parity::Even, &[]),
            Function::Tanh => facts("tanh", r"\tanh", "hyperbolic tangent", Parity::Odd, &[]),
            Function::Asinh => {
                facts("asinh", r"\operatorname{arsinh}", "inverse hyperbolic sine", Parity::Odd, &["arcsinh", "arsinh"])
            }
            Function::Acosh => facts(
                "acosh",
                r"\operatorname{arcosh}",
                "inverse hyperbolic cosine, from 1 on",
                Parity::None,
                &["arccosh", "arcosh"],
            ),
            Function::Atanh => facts(
                "atanh",
                r"\operatorname{artanh}",
                "inverse hyperbolic tangent, between -1 and 1",
                Parity::Odd,
                &["arctanh", "artanh"],
            ),
            Function::Exp => facts("exp", r"\exp", "exponential", Parity::None, &[]),
            Function::Log => facts("log", r"\ln", "natural logarithm of a positive number", Parity::None, &["ln"]),
            Function::Cbrt => facts("cbrt", r"\sqrt[3]", "cube root of any number", Parity::Odd, &[]),
            Function::Abs => facts("abs", "", "absolute value", Parity::Even, &["fabs"]),
            Function::Sign => facts("sign", r"\operatorname{sgn}", "-1, 0 or 1", Parity::Odd, &["sgn"]),
        }
    }

    /// The name it has in text.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its name in LaTeX; empty where bars alone stand for it.
    pub fn latex(self) -> &'static str {
        self.facts().latex
    }

    /// What it is, in a few words.
    pub fn sentence(self) -> &'static str {
        self.facts().sentence
    }

    /// What other languages call it.
    pub fn elsewhere(self) -> &'static [&'static str] {
        self.facts().elsewhere
    }

    /// f(-x) = -f(x) on the whole domain.
    pub fn is_odd(self) -> bool {
        self.facts().parity == Parity::Odd
    }

    /// f(-x) = f(x) on the whole domain.
    pub fn is_even(self) -> bool {
        self.facts().parity == Parity::Even
    }

    /// The value at `x`, the same bits on every machine.
    pub fn apply(self, x: f64) -> f64 {
        elementary::apply(self, Lanes([x])).0[0]
    }

    /// f'(a), where `value` is f(a).
    pub(crate) fn slope(self, arena: &mut Arena, a: Id, value: Id) -> Id {
        use Function::*;
        let one = arena.int(1);
        let square = |arena: &mut Arena, x| arena.product([(x, 2)]);
        match self {
            Sin => arena.call(Cos, a),
            Cos => {
                let sin = arena.call(Sin, a);
                arena.neg(sin)
            }
            Tan => {
                let t2 = square(arena, value);
                arena.add(one, t2)
            }
            Asin | Acos => {
                let a2 = square(arena, a);
                let inside = arena.sub(one, a2);
                let root = arena.root(inside, 2);
                let slope = arena.product([(root, -1)]);
                if self == Asin { slope } else { arena.neg(slope) }
            }
            Atan => {
                let a2 = square(arena, a);
                let inside = arena.add(one, a2);
                arena.product([(inside, -1)])
            }
            Sinh => arena.call(Cosh, a),
            Cosh => arena.call(Sinh, a),
            Tanh => {
                let t2 = square(arena, value);
                arena.sub(one, t2)
            }
            Asinh => {
                let a2 = square(arena, a);
                let inside = arena.add(a2, one);
                let root = arena.root(inside, 2);
                arena.product([(root, -1)])
            }
            // sqrt(a-1)*sqrt(a+1), not sqrt(a^2-1): the slope must not exist where the function does not (a < -1).
            Acosh => {
                let (minus, plus) = (arena.sub(a, one), arena.add(a, one));
                let (r1, r2) = (arena.root(minus, 2), arena.root(plus, 2));
                arena.product([(r1, -1), (r2, -1)])
            }
            Atanh => {
                let a2 = square(arena, a);
                let inside = arena.sub(one, a2);
                arena.product([(inside, -1)])
            }
            Exp => value,
            Log => arena.product([(a, -1)]),
            Cbrt => {
                let power = arena.product([(value, -2)]);
                arena.scale(power, &Rational::new(1, 3).unwrap_or(Rational::ZERO))
            }
            Abs => arena.call(Sign, a),
            Sign => arena.int(0),
        }
    }

    pub(crate) const fn algebra(self) -> Algebra {
        match self {
            Function::Sin => Algebra::Wave(Wave::Sin),
            Function::Cos => Algebra::Wave(Wave::Cos),
            Function::Tan => Algebra::Wave(Wave::Tan),
            Function::Exp => Algebra::Exponential(Exponential::Exp),
            Function::Sinh => Algebra::Exponential(Exponential::Sinh),
            Function::Cosh => Algebra::Exponential(Exponential::Cosh),
            Function::Tanh => Algebra::Exponential(Exponential::Tanh),
            Function::Cbrt => Algebra::CubeRoot,
            Function::Abs => Algebra::Absolute,
            Function::Sign => Algebra::Sign,
            Function::Asin | Function::Acos | Function::Atan | Function::Asinh | Function::Acosh | Function::Atanh => {
                Algebra::Unknown
            }
            Function::Log => Algebra::Unknown,
        }
    }

    /// Its values at 0 and 1 that are integers.
    pub(crate) fn exact_value(self, argument: i64) -> Option<i64> {
        use Function::*;
        match (self, argument) {
            (Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Cbrt | Abs | Sign, 0) => Some(0),
            (Cos | Cosh | Exp, 0) => Some(1),
            (Log | Acos | Acosh, 1) => Some(0),
            (Cbrt, 1) => Some(1),
            _ => None,
        }
    }
}

/// Elementary functions of two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Function2 {
    /// Angle of the point (x, y), arguments in the order y, x.
    Atan2,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Function2 {
    /// Every function, in declaration order.
    pub const ALL: &'static [Function2] = every!(Function2: Atan2, Min, Max);

    /// The name it has in text.
    pub fn name(self) -> &'static str {
        match self {
            Function2::Atan2 => "atan2",
            Function2::Min => "min",
            Function2::Max => "max",
        }
    }

    /// What it is, in a few words.
    pub fn sentence(self) -> &'static str {
        match self {
            Function2::Atan2 => "angle of the point (x, y), written atan2(y, x)",
            Function2::Min => "the smallest of two or more",
            Function2::Max => "the largest of two or more",
        }
    }

    /// May it have more than two arguments?
    pub fn folds(self) -> bool {
        matches!(self, Function2::Min | Function2::Max)
    }

    /// The value at `(a, b)`, the same bits on every machine. A NaN operand gives NaN: a lost one would hide a left domain.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        elementary::apply2(self, Lanes([a]), Lanes([b])).0[0]
    }
}

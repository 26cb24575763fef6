//! What an expression is made of.

use std::sync::Arc;

use crate::Rational;

/// The place of a node in its [`Graph`](crate::Graph). Children have smaller ids than their parents, so increasing id is a
/// topological order and every pass over a graph is a loop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id(pub(crate) u32);

/// One node of the graph. The constructors of [`Graph`](crate::Graph) keep these canonical; the variants say how.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// An exact number.
    Number(Rational),
    /// The circle constant.
    Pi,
    /// A named quantity; primes are part of the name (`x'`).
    Symbol(Arc<str>),
    /// `constant + Σ coefficient·term`, terms sorted by id, coefficients non-zero. A lone scaled term (`2*x`) is also kept here.
    Sum {
        /// The numeric summand.
        constant: Rational,
        /// The other summands; none is a number, and none with coefficient ±1 is a sum.
        terms: Arc<[(Id, Rational)]>,
    },
    /// `Π base^exponent` with non-zero integer exponents, sorted by id. Numeric factors live in the enclosing sum.
    Product(Arc<[(Id, i64)]>),
    /// The real root `base^(1/q)` with `q >= 2`, defined for `base >= 0`; so `x^(3/2)` is the product `Root(x, 2)^3`.
    Root(Id, u32),
    /// A power whose exponent is not a rational number.
    Power(Id, Id),
    /// An elementary function of one argument.
    Call(Function, Id),
    /// An elementary function of two arguments.
    Call2(Function2, Id, Id),
    /// `if(condition, then, otherwise)`.
    Select(Id, Id, Id),
    /// The value of a sum, computed as it is written: nothing is simplified across it.
    Held(Id),
    /// A comparison: a condition, not a number.
    Compare(Comparison, Id, Id),
    /// Both conditions.
    And(Id, Id),
    /// Either condition.
    Or(Id, Id),
    /// The opposite condition.
    Not(Id),
    /// A condition known when it was built.
    Truth(bool),
}

impl Node {
    /// Is this a condition rather than a number?
    pub fn is_condition(&self) -> bool {
        matches!(self, Node::Compare(..) | Node::And(..) | Node::Or(..) | Node::Not(_) | Node::Truth(_))
    }

    /// Calls `visit` with every child.
    pub fn for_each_child(&self, mut visit: impl FnMut(Id)) {
        match self {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Truth(_) => {}
            Node::Sum { terms, .. } => terms.iter().for_each(|(id, _)| visit(*id)),
            Node::Product(factors) => factors.iter().for_each(|(id, _)| visit(*id)),
            Node::Root(a, _) | Node::Call(_, a) | Node::Held(a) | Node::Not(a) => visit(*a),
            Node::Power(a, b) | Node::Call2(_, a, b) | Node::Compare(_, a, b) | Node::And(a, b) | Node::Or(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Select(c, a, b) => {
                visit(*c);
                visit(*a);
                visit(*b);
            }
        }
    }
}

macro_rules! named_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every member, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name it has in text.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

named_enum! {
    /// Elementary functions of one argument (the square root is [`Node::Root`]).
    Function {
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// Tangent.
        Tan = "tan",
        /// Inverse sine.
        Asin = "asin",
        /// Inverse cosine.
        Acos = "acos",
        /// Inverse tangent.
        Atan = "atan",
        /// Hyperbolic sine.
        Sinh = "sinh",
        /// Hyperbolic cosine.
        Cosh = "cosh",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// Inverse hyperbolic sine.
        Asinh = "asinh",
        /// Inverse hyperbolic cosine.
        Acosh = "acosh",
        /// Inverse hyperbolic tangent.
        Atanh = "atanh",
        /// Exponential.
        Exp = "exp",
        /// Natural logarithm.
        Log = "log",
        /// Cube root, defined for every real number.
        Cbrt = "cbrt",
        /// Absolute value.
        Abs = "abs",
        /// -1, 0 or 1.
        Sign = "sign",
    }
}

impl Function {
    /// The value at `x`.
    pub fn apply(self, x: f64) -> f64 {
        match self {
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Asinh => x.asinh(),
            // Near 1 and near -1 the standard library's formulas lose thousands of units in the last place; these do not.
            Function::Acosh => (x - 1.0 + (x - 1.0).sqrt() * (x + 1.0).sqrt()).ln_1p(),
            Function::Atanh => x.abs().atanh().copysign(x),
            Function::Exp => x.exp(),
            Function::Log => x.ln(),
            Function::Cbrt => x.cbrt(),
            Function::Abs => x.abs(),
            Function::Sign if x == 0.0 => 0.0,
            Function::Sign => x.signum(),
        }
    }

    /// f(-x) = -f(x) on the whole domain.
    pub fn is_odd(self) -> bool {
        use Function::*;
        matches!(self, Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Cbrt | Sign)
    }

    /// f(-x) = f(x) on the whole domain.
    pub fn is_even(self) -> bool {
        matches!(self, Function::Cos | Function::Cosh | Function::Abs)
    }
}

named_enum! {
    /// Elementary functions of two arguments.
    Function2 {
        /// Angle of the point (x, y), arguments in the order y, x.
        Atan2 = "atan2",
        /// The smaller one.
        Min = "min",
        /// The larger one.
        Max = "max",
    }
}

impl Function2 {
    /// The value at `(a, b)`.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        // Written out so that a NaN operand gives NaN: a lost NaN would hide a left domain.
        match self {
            Function2::Atan2 => a.atan2(b),
            _ if a.is_nan() || b.is_nan() => f64::NAN,
            Function2::Min => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            Function2::Max => {
                if a < b {
                    b
                } else {
                    a
                }
            }
        }
    }
}

named_enum! {
    /// Comparisons; `>` and `>=` are these with the sides exchanged.
    Comparison {
        /// Less.
        Lt = "<",
        /// Less or equal.
        Le = "<=",
        /// Equal.
        Eq = "==",
        /// Different.
        Ne = "!=",
    }
}

impl Comparison {
    /// Does it hold between `a` and `b`?
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
        }
    }
}

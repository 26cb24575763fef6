//! What an expression is made of.

use std::sync::Arc;

use crate::function::{Algebra, Function, Function2};
use crate::{Rational, TableFunction};

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
    /// A function that is given by a table.
    Table(TableFunction, Id),
    /// `if(condition, then, otherwise)`.
    Select(Id, Id, Id),
    /// The value of a sum, computed as it is written: nothing is simplified across it.
    Grouped(Id),
    /// A comparison: a condition, not a number.
    Compare(Relation, Id, Id),
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

    /// What decides where it jumps or has a kink, if it may: the arguments of `abs`, `sign`, `min`, `max` and tables, the condition of an `if`.
    pub fn breaks_at(&self) -> Option<[Id; 2]> {
        match self {
            Node::Call(function, a) => match function.algebra() {
                Algebra::Absolute | Algebra::Sign => Some([*a, *a]),
                Algebra::Wave(_) | Algebra::Exponential(_) | Algebra::CubeRoot | Algebra::Unknown => None,
            },
            Node::Table(_, a) => Some([*a, *a]),
            Node::Call2(Function2::Min | Function2::Max, a, b) => Some([*a, *b]),
            Node::Select(condition, ..) => Some([*condition, *condition]),
            _ => None,
        }
    }

    /// Calls `visit` with every child.
    pub fn for_each_child(&self, mut visit: impl FnMut(Id)) {
        match self {
            Node::Number(_) | Node::Pi | Node::Symbol(_) | Node::Truth(_) => {}
            Node::Sum { terms, .. } => terms.iter().for_each(|(id, _)| visit(*id)),
            Node::Product(factors) => factors.iter().for_each(|(id, _)| visit(*id)),
            Node::Root(a, _) | Node::Call(_, a) | Node::Table(_, a) | Node::Grouped(a) | Node::Not(a) => visit(*a),
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

/// All variants of a kind; the compiler refuses a list that lacks one.
macro_rules! every {
    ($kind:ident: $($variant:ident),+) => {{
        const _: fn($kind) = |one| match one {
            $($kind::$variant => {})+
        };
        &[$($kind::$variant),+]
    }};
}
pub(crate) use every;

/// Comparisons; `>` and `>=` are these with the sides exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Equal.
    Eq,
    /// Different.
    Ne,
}

impl Relation {
    /// Every comparison, in declaration order.
    pub const ALL: &'static [Relation] = every!(Relation: Lt, Le, Eq, Ne);

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Lt => "<",
            Relation::Le => "<=",
            Relation::Eq => "==",
            Relation::Ne => "!=",
        }
    }

    /// Does it hold between `a` and `b`?
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Relation::Lt => a < b,
            Relation::Le => a <= b,
            Relation::Eq => a == b,
            Relation::Ne => a != b,
        }
    }
}

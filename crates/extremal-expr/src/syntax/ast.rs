//! The parsed text: a flat list of nodes in the order of evaluation.
//!
//! Operands always precede the node that uses them, and the subtree of a node is the contiguous run that ends with it. So every
//! pass over it is a loop, however deep the expression. The two forms that do not evaluate each operand exactly once (`if` and
//! `sum`) have markers inside the run, which a pass may follow as jumps.

use std::ops::Range;

use super::TextSpan;
use crate::Relation;

/// Position of a node in [`Ast::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    /// The position as a number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One node with the bytes it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AstNode {
    /// What it is.
    pub kind: AstKind,
    /// The bytes it came from.
    pub span: TextSpan,
    /// The first node of its subtree.
    pub first: NodeId,
}

/// The operands of a node, in [`Ast::operands`].
pub type OperandRange = Range<u32>;

/// An operand of a sum, a product, a call or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AstOperand {
    /// The operand.
    pub node: NodeId,
    /// Subtracted rather than added, or divided by rather than multiplied with.
    pub inverse: bool,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AstKind {
    /// Characters that could not be understood and have been reported.
    Invalid,
    /// A number; its span is the literal.
    Number,
    /// A name, perhaps primed.
    Name {
        /// The bytes of the name alone.
        name: TextSpan,
        /// Order of the time derivative.
        primes: u32,
    },
    /// A member of a family, a vector or a matrix, perhaps primed.
    Member {
        /// The bytes of the name alone.
        name: TextSpan,
        /// The index; the row, for a matrix.
        index: NodeId,
        /// The column, for a matrix.
        column: Option<NodeId>,
        /// Order of the time derivative.
        primes: u32,
    },
    /// `[a, b, ...]`: a vector, or a matrix if its parts are vectors.
    List(OperandRange),
    /// What a call, a list or parentheses stand for, primed.
    Derivative {
        /// What is differentiated.
        of: NodeId,
        /// Order of the time derivative.
        primes: u32,
    },
    /// `a + b - c ...`, also `-a`.
    Sum(OperandRange),
    /// `a * b / c ...`.
    Product(OperandRange),
    /// `base ^ exponent`.
    Power {
        /// What is raised.
        base: NodeId,
        /// To what power.
        exponent: NodeId,
    },
    /// A function applied to arguments.
    Call {
        /// The bytes of the function's name.
        function: TextSpan,
        /// The arguments.
        arguments: OperandRange,
    },
    /// A comparison.
    Compare {
        /// Which.
        comparison: Relation,
        /// The smaller side, for an inequality.
        left: NodeId,
        /// The larger side, for an inequality.
        right: NodeId,
    },
    /// Both.
    And(NodeId, NodeId),
    /// Either.
    Or(NodeId, NodeId),
    /// The opposite.
    Not(NodeId),
    /// Marker before the second argument of `if`.
    Then {
        /// The condition.
        condition: NodeId,
        /// The [`AstKind::Otherwise`] of the same `if`.
        otherwise: NodeId,
    },
    /// Marker before the third argument of `if`.
    Otherwise {
        /// The condition.
        condition: NodeId,
        /// The [`AstKind::If`] it belongs to.
        end: NodeId,
    },
    /// `if(condition, then, otherwise)`.
    If {
        /// The condition.
        condition: NodeId,
        /// The value where it holds.
        then: NodeId,
        /// The value elsewhere.
        otherwise: NodeId,
    },
    /// Marker before the last argument of `sum`.
    Each {
        /// The bytes of the index name.
        index: TextSpan,
        /// The lower bound.
        low: NodeId,
        /// The upper bound, included.
        high: NodeId,
        /// The [`AstKind::Series`] it belongs to.
        end: NodeId,
    },
    /// `sum(index, low, high, term)`.
    Series {
        /// Its [`AstKind::Each`].
        each: NodeId,
        /// The term.
        term: NodeId,
    },
}

/// What the text is as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// One expression.
    Expression(NodeId),
    /// `left = right`.
    Equation {
        /// Left of the `=`.
        left: NodeId,
        /// Right of the `=`.
        right: NodeId,
    },
}

/// A parsed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ast {
    pub(super) text: Box<str>,
    pub(super) nodes: Vec<AstNode>,
    pub(super) operands: Vec<AstOperand>,
    pub(super) root: Root,
}

impl Ast {
    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All nodes, operands before their users.
    pub fn nodes(&self) -> &[AstNode] {
        &self.nodes
    }

    /// What the text is as a whole.
    pub fn root(&self) -> Root {
        self.root
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &AstNode {
        &self.nodes[id.index()]
    }

    /// The operands of a sum, product, call or list.
    pub fn operands(&self, range: &OperandRange) -> &[AstOperand] {
        &self.operands[range.start as usize..range.end as usize]
    }

    /// The characters of a span.
    pub fn slice(&self, span: TextSpan) -> &str {
        &self.text[span.start..span.end]
    }

    /// Is it a condition (a comparison, or `and`, `or`, `not`) rather than a number or an equation?
    pub fn is_condition(&self) -> bool {
        match self.root {
            Root::Expression(id) => {
                matches!(
                    self.node(id).kind,
                    AstKind::Compare { .. } | AstKind::And(..) | AstKind::Or(..) | AstKind::Not(_)
                )
            }
            Root::Equation { .. } => false,
        }
    }
}

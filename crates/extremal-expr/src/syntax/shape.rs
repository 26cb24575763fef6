//! Vectors and matrices: what an expression may be besides a number. They are written out element by element, so that the graph
//! knows numbers only.

use std::fmt;

use crate::Expr;

/// How many numbers an expression stands for, and in what order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprShape {
    /// One.
    Number,
    /// So many.
    Vector(usize),
    /// So many rows and columns.
    Matrix(usize, usize),
}

impl fmt::Display for ExprShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExprShape::Number => write!(f, "a number"),
            ExprShape::Vector(length) => write!(f, "a vector of {length}"),
            ExprShape::Matrix(rows, columns) => write!(f, "a {rows} by {columns} matrix"),
        }
    }
}

/// A number, a vector or a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapedExpr<'g> {
    /// Which of these it is.
    pub shape: ExprShape,
    /// Its elements, row by row.
    pub elements: Vec<Expr<'g>>,
}

impl<'g> ShapedExpr<'g> {
    pub(super) fn vector(elements: Vec<Expr<'g>>) -> Self {
        ShapedExpr { shape: ExprShape::Vector(elements.len()), elements }
    }

    /// The element in a row and a column, both from 0.
    pub(super) fn at(&self, row: usize, column: usize) -> Expr<'g> {
        let columns = match self.shape {
            ExprShape::Matrix(_, columns) => columns,
            _ => 1,
        };
        self.elements[row * columns + column]
    }

    /// The same shape with other elements.
    pub(super) fn try_map<E>(&self, change: impl FnMut(&Expr<'g>) -> Result<Expr<'g>, E>) -> Result<Self, E> {
        let elements = self.elements.iter().map(change).collect::<Result<Vec<_>, E>>()?;
        Ok(ShapedExpr { shape: self.shape, elements })
    }
}
